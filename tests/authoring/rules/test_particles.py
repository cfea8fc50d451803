"""Species, energies, directions, channels and pitch angles choose the parameters of particle instruments."""

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.knowledge.particles import Species, directions_in, energies_in, species_in
from tests.rows import in_one_test


def drawn(draft):
    """Return the fetched parameters, and the tools that take a part of them with their arguments."""
    assert isinstance(draft, TemplateDraft), draft
    steps = draft.template["steps"]
    fetched = [
        f"{args['dataset_id']}.{args['parameter_id']}"
        for args in (step["tool_args"] for step in steps if step["tool_name"] == "fetch_data")
    ]
    taken = [
        (
            step["tool_name"],
            {key: value for key, value in step["tool_args"].items() if not key.endswith("label")},
        )
        for step in steps
        if step["tool_name"] not in ("fetch_data", "render_spec")
    ]
    return fetched, taken


@in_one_test(
    ("request_", "parameters"),
    [
        (  # species
            "FAST TEAMS H+ and O+ energy spectra 6 apr 2000",
            ["FAST_TEAMS_PA_L2.proton_omni_flux", "FAST_TEAMS_PA_L2.oxygen_omni_flux"],
        ),
        ("STPSat-6 SEED electron flux 2022-06-01", ["STPSAT-6_FALCON_SEED-L1.SEED_Electron_Flux_Total"]),
        (  # the sides of a spacecraft
            "GOES-13 >2 MeV electrons, east and west detectors, June 2013",
            [f"GOES13_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E2{side}_COR_FLUX" for side in "EW"],
        ),
        (
            "STA and STB HET protons 13.6-15.1 MeV, March 2012",
            ["STA_L1_HET.Proton_Flux", "STB_L1_HET.Proton_Flux"],
        ),
        (  # one instrument ahead, and its counts
            "ISOIS summary count rates, HET protons 10-50 MeV and HET electrons 1-5 MeV, 5-8 Sept 2022",
            ["PSP_ISOIS_L2-SUMMARY.HET_A_H_Rate_TS", "PSP_ISOIS_L2-SUMMARY.HET_A_Electrons_Rate_TS"],
        ),
        (
            "THE ESA ion and electron eflux spectrograms july 14 2012",
            ["THE_L2_ESA.the_peir_en_eflux", "THE_L2_ESA.the_peer_en_eflux"],
        ),
        (  # one energy after the other, and the telescope of all
            "GOES-15 MAGED 40, 75 keV electrons telescope 4 2013-03-17",
            ["GOES15_EPS-MAGED_1MIN.dtc_cor_eflux_stack4"],
        ),
        ("MAVEN SEP 1 forward electrons, 2017-09-10", ["MVN_SEP_L2_S1-CAL-SVY-FULL.f_elec_flux"]),
        ("Arase MEP-e electrons at 30 keV omni, 2018-08-26", ["ERG_MEPE_L2_OMNIFLUX.FEDO"]),
        ("STA LET Fe 2012-01-27", ["STA_L1_LET.Fe_unsec_flux"]),  # not the sums of bins
        ("Arase xep omni electrons may 27-30 2017", ["ERG_XEP_L2_OMNIFLUX.FEDO_SSD"]),
        (
            "NOAA-19 TED electron energy flux 0 deg low energy 2015-03-17 06-07 UT",
            ["NOAA19_POES-SEM2_FLUXES-2SEC.ted_ele_tel0_low_eflux"],  # not the background
        ),
        (
            "SolO HET protons 10-20 MeV in all four directions 2022-03-28",
            [f"SOLO_L2_EPD-HET-{side}-RATES.H_Flux" for side in ("SUN", "ASUN", "NORTH", "SOUTH")],
        ),
        (  # the telescope at an angle
            "NOAA-19 MEPED 90 deg protons on 2015-03-17",
            ["NOAA19_POES-SEM2_FLUXES-2SEC.mep_pro_flux_stackt90"],
        ),
        (
            "POES NOAA-18 MEPED electrons 0 and 90 deg, 17 March 2015",
            [f"NOAA18_POES-SEM2_FLUXES-2SEC.mep_ele_flux_stackt{angle}" for angle in (0, 90)],
        ),
        ("MAVEN SEP ions from 100 to 200 keV, 2017-09-10", ["MVN_SEP_L2_S1-CAL-SVY-FULL.f_ion_flux"]),
        (  # and no low-latency data, which have such a channel
            "SolO EPT sun: mean electron flux between 50 and 100 keV, 2021-10-09 06-10 UT",
            ["SOLO_L3_EPD-EPT-1MIN.Electron_Flux_S"],
        ),
        ("RBSP-A HOPE He+ omni, 2 Nov 2013", ["RBSPA_REL04_ECT-HOPE-PA-L3.FHEDO"]),
        (
            "mms2 HPCA He++ number density 2016-11-01",
            ["MMS2_HPCA_SRVY_L2_MOMENTS.mms2_hpca_heplusplus_number_density"],
        ),
        ("CRIS B and C 2009 daily", ["AC_H3_CRIS.flux_B", "AC_H3_CRIS.flux_C"]),
        (
            "Solar Orbiter HET north He3 and He4, 15 May 2022",
            ["SOLO_L2_EPD-HET-NORTH-RATES.He3_Flux", "SOLO_L2_EPD-HET-NORTH-RATES.He4_Flux"],
        ),
        ("MVN STATIC O2+ density 8 Mar 2015", ["MVN_INSITU_KP-4SEC.STATIC_O2plus_density"]),
        ("helios-2 E6 protons, april 1978", ["HELIOS2_E6_1HOUR_PARTICLE_FLUX.p_flux"]),
        ("IMP-8 GME protons 29 Sept 1989", ["I8_H0_GME.Proton_DIntn"]),  # all channels in one spectrogram
        (
            "hope probe B spin avg H+ and O+ spectrograms 1 june 2013",
            ["RBSPB_REL04_ECT-HOPE-SCI-L2SA.FPSA", "RBSPB_REL04_ECT-HOPE-SCI-L2SA.FOSA"],
        ),
        ("STEREO-A IMPACT/LET protons 23 July 2012", ["STA_L1_LET.H_unsec_flux"]),
        # energies
        ("ULEIS Fe and O at 320-640 keV/n, April 2001", ["AC_H2_ULE.Fe_L5", "AC_H2_ULE.O_L3"]),
        ("ULEIS 3He 0.32-0.64 MeV/n hourly, Aug 2000", ["AC_H2_ULE.He3_L2"]),
        (
            "Voyager 1 CRS 3-4.6 MeV protons and 133-155 MeV protons, 2012",
            ["VOYAGER1_CRS_DAILY_FLUX.PROTONFLUX1", "VOYAGER1_CRS_DAILY_FLUX.PROTONFLUX10"],
        ),
        ("ACE EPAM protons 1.06-1.9 MeV, 28 Oct 2003", ["AC_H3_EPM.P7p"]),  # which it does not tell from ions
        (
            "Voyager 2 CRS protons 3.0-4.6 MeV and speed, 2010",
            ["VOYAGER2_COHO1HR_MERGED_MAG_PLASMA.protonFlux1_CRS", "VOYAGER2_COHO1HR_MERGED_MAG_PLASMA.V"],
        ),
        # channels with which names begin
        (
            "CSSWE electron flux channels E1 and E2, 13 Jan 2013",
            ["CSSWE_REPTILE_6SEC-FLUX-L2.E1flux", "CSSWE_REPTILE_6SEC-FLUX-L2.E2flux"],
        ),
        ("CSSWE E1 counts, 13 Jan 2013", ["CSSWE_REPTILE_6SEC-COUNTS-L1.E1counts"]),
        # the usual one of several
        (
            "MEP-i omni proton and oxygen flux from Arase, 4 November 2021",
            ["ERG_MEPI_L2_OMNIFLUX.FPDO", "ERG_MEPI_L2_OMNIFLUX.FODO"],
        ),
        ("EPAM 0.047-0.065 MeV ions, 10-12 Sept 2005", ["AC_H1_EPM.P1"]),
        ("ACE EPAM electrons 38-53 keV, June 2013", ["AC_H1_EPM.DE1"]),
        ("ACE EPAM electrons 38-53 keV, 2026-02-07", ["AC_K0_EPM.Electron_lo"]),  # H1 ends before
        (
            "IMP 8 GME proton intensities for the October 1989 GLEs, 19-31 Oct 1989",
            ["I8_H0_GME.Proton_DIntn"],
        ),
        # directions and sides
        (
            "EPT electrons from the sun, asun, north and south apertures, 28 Oct 2021",
            [f"SOLO_L3_EPD-EPT-1MIN.Electron_Flux_{letter}" for letter in "SAND"],
        ),
        ("PSP LET1 B protons 28-30 Oct 2021", ["PSP_ISOIS-EPIHI_L2-LET1-RATES60.B_H_Flux"]),
        ("SolO EPT ions, antisunward, 2022-03-28", ["SOLO_L3_EPD-EPT-1MIN.Ion_Flux_A"]),
        (
            "Wind SST open protons + ERNE protons, 14-16 July 2000",
            ["WI_SOSP_3DP.FLUX", "SOHO_ERNE-HED_L2-1MIN.PH"],
        ),
        (
            "EPT electrons from the sun and the antisun telescope, 15/02/2022, one panel each",
            ["SOLO_L3_EPD-EPT-1MIN.Electron_Flux_S", "SOLO_L3_EPD-EPT-1MIN.Electron_Flux_A"],
        ),
        ("MAVEN SEP 1F ion flux spectrogram Sept 10-16 2017", ["MVN_SEP_L2_S1-CAL-SVY-FULL.f_ion_flux"]),
        ("MAVEN SEP 2R electrons 2017-09-12", ["MVN_SEP_L2_S2-CAL-SVY-FULL.r_elec_flux"]),
        (
            "MAGED electron fluxes from GOES-15, 17 Mar 2015, corrected",
            ["GOES15_EPS-MAGED_1MIN.dtc_cor_eflux_stack1"],
        ),
        (
            "all EPAM electron channels, ACE, 2010-01-01",
            [f"AC_H1_EPM.DE{number}" for number in (1, 2, 3, 4)],
        ),
        # moments
        ("CINDI ion density from C/NOFS for 2011/08/05", ["CNOFS_CINDI_IVM_500MS.ionDensity"]),
        (
            "MAVEN STATIC O+ density and temperature 2015-03-08",
            ["MVN_INSITU_KP-4SEC.STATIC_Oplus_density", "MVN_INSITU_KP-4SEC.STATIC_Oplus_temperature"],
        ),
        (  # those of heavy ions ahead, but not of what has its own
            "MAVEN STATIC O+, 8 March 2015: density, temperature",
            ["MVN_INSITU_KP-4SEC.STATIC_Oplus_density", "MVN_INSITU_KP-4SEC.STATIC_Oplus_temperature"],
        ),
        (
            "Wind alpha particles: density and the solar wind speed, 14 July 2000",
            ["WI_PLSP_3DP.MOM.A.DENSITY", "WI_H1_SWE.Proton_V_nonlin"],
        ),
        # channels
        ("EPAM LEMS120 P1' P3', 28 Oct 2003", ["AC_H1_EPM.P1p", "AC_H1_EPM.P3p"]),
        (
            "EPAM: DE4 electrons (175-315 keV) and P8' ions from LEMS120, 4-8 sept 2017; both log",
            ["AC_H1_EPM.DE4", "AC_H1_EPM.P8p"],
        ),
        # detectors that a letter names
        (
            "GOES-15 EPEAD electrons above 2 MeV, A/W detector, for March 2012, log scale",
            ["GOES15_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E2W_COR_FLUX"],
        ),
        (
            "GOES-13 EPEAD >0.8 MeV electrons from detector B, March 2012",
            ["GOES13_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E1E_COR_FLUX"],
        ),
        (
            "GOES-15 EPEAD electrons above 2 MeV in the A/W and B/E detectors, March 2012",
            [f"GOES15_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E2{side}_COR_FLUX" for side in "WE"],
        ),
        # a spectrogram of the particles that stand ahead
        ("RBSP-B HOPE oxygen, 1 June 2013: omni spectrogram", ["RBSPB_REL04_ECT-HOPE-PA-L3.FODO"]),
        # other quantities beside
        (
            "RBSP-B REPT electron spectrogram on top, |B| below, 9 Oct 2012",
            ["RBSPB_REL03_ECT-REPT-SCI-L2.FESA", "RBSP-B_MAGNETOMETER_4SEC-GSM_EMFISIS-L3.Magnitude"],
        ),
        ("ACE |B| and ULEIS Fe 0.08-0.16 MeV/n, May 1998", ["AC_H2_ULE.Fe_L3", "AC_H0_MFI.Magnitude"]),
        # a spacecraft that the table of quantities does not know
        (
            "CRRES 976 keV electrons at 90° and omni Dst, 20 Mar to 10 Apr 1991",
            ["CRRES_H0_MEA.Jper", "OMNI2_H0_MRG1HR.DST"],
        ),
        ("SAMPEX, PET electron flux, 1 Jan 1997", ["SX_K0_30F.Elect_Dif_Flx"]),
        (
            "noaa15 and noaa18, >130 keV electrons, 2015-03-17 12 to 15 UT",
            [f"NOAA{number}_POES-SEM2_FLUXES-2SEC.mep_ele_flux_t_stacke2" for number in (15, 18)],
        ),
        ("NOAA18 332 keV protons, 2015-03-17", ["NOAA18_POES-SEM2_FLUXES-2SEC.mep_pro_flux_t_stacke3"]),
        # each of several spacecraft
        (
            "GOES-13 and GOES-15 >2 MeV electrons and Kp, 15-31 march 2015",
            [
                *(f"GOES{number}_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E2W_COR_FLUX" for number in (13, 15)),
                "OMNI2_H0_MRG1HR.KP",
            ],
        ),
        # key parameters
        (
            "FAST TEAMS key parameter H+ and O+ spectrograms, 6 Feb 1998, 6 to 9 UT",
            ["FA_K0_TMS.H+", "FA_K0_TMS.O+"],
        ),
        ("FAST TEAMS H+ spectrogram, 6 Feb 1998", ["FAST_TEAMS_PA_L2.proton_omni_flux"]),
        (
            "FAST TEAMS K0 O+ energy flux and Dst, 6 Feb 1998",
            ["FA_K0_TMS.O+", "OMNI2_H0_MRG1HR.DST"],
        ),
        # the moment of another instrument
        (
            "LANL-97A SPA electrons, MPA high energy ion density, 22 oct 1999",
            ["L7_K0_SPA.spa_e_flx", "L7_K0_MPA.dens_hip"],
        ),
        (
            "Solar Orbiter EPT sun-ward electron flux, 9 October 2021",
            ["SOLO_L3_EPD-EPT-1MIN.Electron_Flux_S"],
        ),
        # the whole range of an instrument
        (
            "rbsp-a rept 2-20MeV electrons sci l2, spectrogram, 2013-03-17",
            ["RBSPA_REL03_ECT-REPT-SCI-L2.FESA"],
        ),
        ("RBSP-B REPT 20-120 MeV proton spectrogram, 2013-03-17", ["RBSPB_REL03_ECT-REPT-SCI-L2.FPSA"]),
        ("proton 13-130 MeV SOHO ERNE HED as a spectrogram, 20 jan 2005", ["SOHO_ERNE-HED_L2-1MIN.PH"]),
        # several elements in one channel, and no sectors
        ("Ulysses LET alphas and CNO fluxes, 2000-07-10", ["UY_M0_LET.Alphas", "UY_M0_LET.C_N_O"]),
        ("SOHO ERNE CNO, 2001-04-15", ["SOHO_ERNE_HEAVY-ION-5MIN.CNO_intensity"]),
        ("Ulysses LET protons 0.9-3.8 MeV, 2000-07-10", ["UY_M0_LET.LowE_protons"]),
        ("Ulysses KET proton sectors, 2000-07-10", ["UY_M0_KET.Proton_sectors"]),
        ("SAMPEX PET electrons, 30 s averages, 2003-10-29", ["SX_K0_30F.Elect_Dif_Flx"]),
        ("AMPTE CCE MEPA TOF protons, 1986-02-08", ["AMPTECCE_H0_MEPA.TOF_protons_INTEN"]),
        (
            "RBSP-A RBSPICE oxygen maximum flux, 2013-03-17",
            ["RBSP-A-RBSPICE_LEV-3-PAP_TOFXEO-0.FODU_MaximFlux"],
        ),
    ],
)
def test_the_parameter_has_the_particles(author, request_, parameters):
    assert drawn(author.create(request_))[0] == parameters


@pytest.mark.parametrize(
    ("request_", "choices"),
    [
        ("AMPTE CCE MEPA protons, 1986-02-08", ["ION_protons_INTEN", "TOF_protons_INTEN"]),
        ("Polar TIMAS upflowing O+, 1997-01-10", ["O_Fluence", "O_Eflux"]),  # in two units
        ("Ulysses KET protons, 2000-07-10", ["LowE_protons", "HiE_protons"]),
        ("ACE EPAM protons 0.5 MeV, 2003-10-28", ["P5", "P5p"]),  # and no ions with Z > 1
    ],
)
def test_different_fluxes_of_one_species_are_to_choose_from(author, request_, choices):
    asked = author.create(request_)
    assert isinstance(asked, AuthorQuestion)
    assert [choice.split(":")[0].partition(".")[2] for choice in asked.choices] == choices


@in_one_test(
    ("request_", "parameter", "taken"),
    [
        (
            "255 eV electron pitch angle distribution from Wind EESA-Low, 2 Feb 2005",
            "WI_ELPD_3DP.FLUX",
            [("slice_spectrum", {"at": 255, "axis": "energy"})],
        ),
        (  # the energies of the dataset are in eV
            "Wind EESA-High electron pitch angles at 2 keV, 1 Jan 1998",
            "WI_EHPD_3DP.FLUX",
            [("slice_spectrum", {"at": 2000, "axis": "energy"})],
        ),
        (  # no bins of pitch angles at one energy
            "Wind 3DP SST protons 550 keV, 28 Oct 2003",
            "WI_SOSP_3DP.FLUX",
            [("slice_spectrum", {"at": 550000})],
        ),
        (  # no minimum of the spin
            "RBSP-A RBSPICE oxygen 200 keV, 2013-03-17",
            "RBSP-A-RBSPICE_LEV-3-PAP_TOFXEO-0.FODU",
            [("pitch_angle_average", {}), ("slice_spectrum", {"at": 0.2})],
        ),
        (  # the bins are sectors
            "Ulysses KET proton sectors 10 MeV, 1995-03-01",
            "UY_M0_KET.Proton_sectors",
            [],
        ),
        (
            "Ulysses LET protons 2 MeV, 1995-03-01",
            "UY_M0_LET.LowE_protons",
            [("slice_spectrum", {"at": 2})],
        ),
        (
            "RBSP-A HOPE protons at 90 deg pitch angle, 10 keV, 1 June 2013",
            "RBSPA_REL04_ECT-HOPE-PA-L3.FPDU",
            [("slice_spectrum", {"at": 90, "axis": "pitch angle"}), ("slice_spectrum", {"at": 10000})],
        ),
        (
            "HOPE-A protons averaged over pitch angles 70 to 110 deg on 17 march 2015",
            "RBSPA_REL04_ECT-HOPE-PA-L3.FPDU",
            [("pitch_angle_average", {"low": 70, "high": 110})],
        ),
        (  # the energies are in eV, and the flux per keV
            "mms1 ions 500 eV and 5 keV 2017-07-11",
            "MMS1_FPI_FAST_L2_DIS-MOMS.mms1_dis_energyspectr_omni_fast",
            [("slice_spectrum", {"at": 500}), ("slice_spectrum", {"at": 5000})],
        ),
        (  # SST measures from 25 keV on
            "thd electrons at 1 keV 2008-02-26",
            "THD_L2_ESA.thd_peer_en_eflux",
            [("slice_spectrum", {"at": 1000})],
        ),
        (
            "ERNE 13-16 MeV protons, 5 Dec 2006",
            "SOHO_ERNE-HED_L2-1MIN.PH",
            [("band_average", {"bands": [[13, 16]]})],
        ),
        (  # several bands in one step
            "STA HET protons averaged over 13.6-20.8 and 20.8-40.5 MeV, 7-9 March 2012",
            "STA_L1_HET.Proton_Flux",
            [("band_average", {"bands": [[13.6, 20.8], [20.8, 40.5]]})],
        ),
        (
            "sunward HET protons averaged over 10-20 and 20-40 MeV, Solar Orbiter, 28 Oct 2021, one panel each",
            "SOLO_L2_EPD-HET-SUN-RATES.H_Flux",
            [("band_average", {"bands": [[10, 20]]}), ("band_average", {"bands": [[20, 40]]})],
        ),
        (
            "mean ERNE HED proton intensity 25-50 MeV, 14 to 17 July 2000",
            "SOHO_ERNE-HED_L2-1MIN.PH",
            [("band_average", {"bands": [[25, 50]]})],
        ),
        (
            "RBSP-A MagEIS spin averaged electrons at 1 MeV, 1-10 Oct 2013",
            "RBSPA_REL03_ECT-MAGEIS-L2.FESA",
            [("slice_spectrum", {"at": 1000})],
        ),
        (  # the energy and the instrument behind the particles
            "pitch angle spectrogram of the strahl electrons at PSP, at 314 eV from SPAN-e, day 17.01.2021",
            "PSP_SWP_SPE_SF0_L3_PAD.EFLUX_VS_PA_E",
            [("slice_spectrum", {"at": 314, "axis": "energy"})],
        ),
        (
            "STB HET protons summed from 13.6 to 23.8 MeV, 7-9 March 2012",
            "STB_L1_HET.Proton_Flux",
            [("band_integral", {"bands": [[13.6, 23.8]]})],
        ),
        (
            "MMS1 FPI ion energy flux summed from 1 to 5 keV and 10 to 20 keV, 2017-07-11 22:30-22:40",
            "MMS1_FPI_FAST_L2_DIS-MOMS.mms1_dis_energyspectr_omni_fast",
            [("band_integral", {"bands": [[1000, 5000], [10000, 20000]]})],
        ),
        (
            "Ulysses COSPIN HET protons 10 MeV, May 1994",
            "UY_M0_HET.Protons",
            [("slice_spectrum", {"at": 10})],
        ),
        (
            "Integrate the HOPE-A omnidirectional H+ flux over 1-50 keV, 1 June 2013",
            "RBSPA_REL04_ECT-HOPE-PA-L3.FPDO",
            [("band_integral", {"bands": [[1000, 50000]]})],
        ),
    ],
)
def test_a_part_of_a_distribution_is_taken(author, request_, parameter, taken):
    assert drawn(author.create(request_)) == ([parameter], taken)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("ULEIS oxygen 0.32-0.45 MeV/n, Nov 2001", "no channel with these energies"),
        ("FEEPS electrons MMS3, 8 Aug 2016", "18 parameters that fit"),
        ("CRRES MEA 976 keV electrons at 45 degrees, October 1990", "degrees"),
        (
            "NOAA18 >130 keV electrons from the 90 degree telescope, 2015-03-17",
            "no channel with these energies",
        ),
        ("NOAA-15 / NOAA-18 >130 keV electrons, 2015-03-17", "no quantities of NOAA-15 and NOAA-18"),
        ("average B ace 2008-02-26", "average"),  # no boron
        ("IMP-8 CPME 4.6-15 MeV protons October 1989", "CPME"),
        ("Cluster C1 CODIF O+ density and temperature 2003-10-29", "no temperature of the same particles"),
        ("GOES-15 MAGED uncorrected electron fluxes 17 Mar 2015", "uncorrected"),
        ("SOHO EPHIN electrons, 17 May 2012", "electrons"),
        ("SOHO EPHIN count rates of protons, 2000-07-14", "count"),  # the intensities are no counts
        ("3dp omni ions 70 keV wind 2004-11-07", "keV"),  # a velocity has no energy
        ("van allen probe A EMFISIS WFR magnetic spectrogram BwBw 2013-06-01", "spectrogram"),  # no wave form
    ],
)
def test_other_particles_are_never_drawn_instead(author, request_, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(request_)


@pytest.mark.parametrize(
    ("request_", "parameter", "energy"),
    [
        ("RBSP-A HOPE O+ spectrogram and O+ flux at 10 keV, 1 June 2013", "FODO", 10000.0),
        ("RBSP-A HOPE electron spectrogram and the electron flux at 1 keV, 1 June 2013", "FEDO", 1000.0),
        (
            "RBSP-A MagEIS electron spectrogram with the 500 keV electron flux below, 1 June 2013",
            "FESA",
            500.0,
        ),
        (
            "RBSP-A HOPE helium, 1 June 2013: energy spectrogram and, below it, the 10 keV flux",
            "FHEDO",
            10000.0,
        ),
        ("HOPE-A protons on 1 June 2013: spectrogram on top, flux at 10 keV below", "FPDO", 10000.0),
    ],
)
def test_a_spectrogram_stands_beside_the_flux_at_one_energy(author, request_, parameter, energy):
    draft = author.create(request_)
    [fetched], taken = drawn(draft)
    label = f"RBSPA_{parameter}"
    assert fetched.rpartition(".")[2] == parameter
    assert taken == [("slice_spectrum", {"at": energy})]
    assert draft.template["steps"][-1]["tool_args"]["spec"]["panels"] == [[label], [f"{label}_slice"]]


@pytest.mark.parametrize(
    ("kinds", "parameters"),
    [
        ("electron and proton", ["FEDU", "FPDU"]),
        ("H+ and O+", ["FPDU", "FODU"]),
        ("electrons and proton", ["FEDO", "FPDU"]),  # only those of the protons
    ],
)
def test_pitch_angles_behind_a_list_are_those_of_all_its_particles(author, kinds, parameters):
    fetched, taken = drawn(
        author.create(f"RBSP-A HOPE {kinds} pitch angle distributions at 10 keV, 1 June 2013")
    )
    assert fetched == [f"RBSPA_REL04_ECT-HOPE-PA-L3.{name}" for name in parameters]
    angles = sum(name.endswith("DU") for name in parameters)
    assert taken == [("slice_spectrum", {"at": 10000.0, "axis": "energy"})] * angles


def test_all_telescopes_are_not_the_first_one(author):
    choices = author.create("GOES-13 MAGED electrons all telescopes at 40 keV, 17 March 2013").choices
    assert len(choices) > 1
    assert drawn(author.create("GOES-13 MAGED electrons at 40 keV, 17 March 2013"))[0] == [
        "GOES13_EPS-MAGED_1MIN.dtc_cor_eflux_stack1"
    ]


def test_a_ratio_of_two_species(author):
    fetched, taken = drawn(author.create("ULEIS Fe/O at 320-640 keV/n, 15-20 april 2001"))
    assert fetched == ["AC_H2_ULE.Fe_L5", "AC_H2_ULE.O_L3"]
    assert taken == [("arithmetic", {"operation": "divide"})]


@pytest.mark.parametrize(
    ("request_", "above", "below"),
    [
        ("O+/H+ density ratio, HOPE moments, rbsp-a, 17-18 Mar 2015", "RBSPA_REL04_ECT-HOPE-MOM-L3.Dens_o_30",
         "RBSPA_REL04_ECT-HOPE-MOM-L3.Dens_p_30"),
        ("RBSP-A HOPE helium to proton ratio, 17 March 2013", "RBSPA_REL04_ECT-HOPE-MOM-L3.Dens_he_30",
         "RBSPA_REL04_ECT-HOPE-MOM-L3.Dens_p_30"),
        ("Cluster 3 CODIF, 1 Oct 2001: ratio O+/H+", "C3_PP_CIS.N_O1__C3_PP_CIS", "C3_PP_CIS.N_p__C3_PP_CIS"),
        ("He+/H+ density ratio, HPCA MMS1, 2016-11-03", "MMS1_HPCA_SRVY_L2_MOMENTS.mms1_hpca_heplus_number_density",
         "MMS1_HPCA_SRVY_L2_MOMENTS.mms1_hpca_hplus_number_density"),
    ],
)  # fmt: skip
def test_a_ratio_of_two_densities(author, request_, above, below):
    assert drawn(author.create(request_)) == ([above, below], [("arithmetic", {"operation": "divide"})])


@pytest.mark.parametrize(
    ("request_", "crafts"),
    [
        ("HET protons 20-40 MeV, 2021-10-28", ("Parker Solar Probe", "STEREO-A", "Solar Orbiter")),
        ("HOPE protons at 10 keV, 2015-03-17", ("RBSP-A", "RBSP-B")),
    ],
)
def test_the_spacecraft_is_asked_for_where_several_have_the_instrument(author, request_, crafts):
    outcome = author.create(request_)
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.choices == crafts


def test_only_what_has_data_of_that_time_is_asked_for(author):
    outcome = author.create("MMS2 EIS protons spectrogram, 2018-08-26 survey mode")
    assert isinstance(outcome, AuthorQuestion)
    assert all("proton_P4_flux_t" in choice for choice in outcome.choices)


def test_two_telescopes_have_the_same_energy(author):
    draft = author.create("NOAA-15 332 keV protons from the 0 and 90 degree telescopes, 2013-03-17 06–12 UT")
    parameters, taken = drawn(draft)
    assert [name.rpartition("_")[2] for name in parameters] == ["stackt0", "stackt90"]
    assert taken == [("slice_spectrum", {"at": 332.0})] * 2


def test_pitch_angles_at_low_and_at_high_energies_are_asked_for(author):
    outcome = author.create("FAST TEAMS pitch angles O+ 1998-02-11")
    assert isinstance(outcome, AuthorQuestion)
    assert [choice.partition(":")[0] for choice in outcome.choices] == [
        "FA_K0_TMS.O+_low",
        "FA_K0_TMS.O+_high",
    ]


def test_several_parameters_that_fit_are_asked_for(author):
    outcome = author.create("Wind STEP Fe flux, Nov 1998")
    assert isinstance(outcome, AuthorQuestion)
    assert len(outcome.choices) == 2


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("3 - 4.6 MeV/n", [(3e6, 4.6e6)]),
        (">10, >30 and >60 MeV", [(1e7, float("inf")), (3e7, float("inf")), (6e7, float("inf"))]),
        ("70 keV - 6.8 MeV", [(7e4, 6.8e6)]),
        ("~15-50,000 eV", [(15, 50000)]),
        ("at 10 and 100 keV", [(1e4, 1e4), (1e5, 1e5)]),
        ("averaged over 70 keV to 300 keV", [(7e4, 3e5)]),
        ("electrons over 70 keV", [(7e4, float("inf"))]),
        ("in 15 energy and 8 angle bins", []),
    ],
)
def test_energies_are_read(text, limits):
    assert [(mention.what.low, mention.what.high) for mention in energies_in(text)] == limits


@pytest.mark.parametrize(
    ("text", "species"),
    [
        ("H+, 3He and iron", [Species("H", 0, 1), Species("He", 3), Species("Fe")]),
        ("He-4 and alpha particles", [Species("He", 4), Species("He", 4, 2)]),
        ("O2+ and O++ flux", [Species("O2", 0, 1), Species("O", 0, 2)]),
        ("hplus and Helium++", [Species("H", 0, 1), Species("He", 0, 2)]),
        ("B GSE and O7/O6", []),
    ],
)
def test_species_are_read(text, species):
    assert [mention.what for mention in species_in(text)] == species


def test_directions_are_read():
    found = directions_in("sunward, anti-sun, north, side A")
    assert [direction.what for direction in found] == ["sun", "antisun", "north", "side A"]


@pytest.mark.parametrize(
    "energies", ["20-40 MeV", "from 20 to 40 MeV", "between 20 and 40 MeV", "20 MeV to 40 MeV"]
)
@pytest.mark.parametrize(
    "data", ["STEREO-A HET protons {}", "STEREO-A HET protons averaged {}", "{} protons of STA HET"]
)
def test_a_range_of_energies_picks_particles_and_is_no_range_of_an_axis(author, data, energies):
    fetched, taken = drawn(author.create(f"{data.format(energies)}, hourly means, 23 Jan 2012"))
    assert fetched == ["STA_L1_HET.Proton_Flux"]
    assert taken[0] == ("band_average", {"bands": [[20.0, 40.0]]})
    assert [tool for tool, _ in taken] == ["band_average", "resample"]


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (
            "POES NOAA-19 protons from 20 to 40 MeV, 2015-03-17",
            "no channel with these energies",
        ),  # an integral flux
        ("MAVEN SWIA ions from 20 to 40 MeV, 2017-09-10", "no channel with these energies"),  # an axis in eV
        ("RBSP-A HOPE proton spectrogram 1-50 keV, 2013-03-17", "draws the spectrogram of all energies"),
        ("DSCOVR protons, 2017-09-10", "'protons' does not say which quantity to draw"),
    ],
)
def test_particles_that_the_data_lack_are_refused(author, request_, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(request_)


def test_one_energy_is_no_integral_channel_above_a_higher_one(author):
    choices = author.create("ACE EPAM ions at 2 MeV, 2003-10-28").choices
    assert [choice.split(":")[0] for choice in choices] == ["AC_H1_EPM.P8", "AC_H1_EPM.P8p"]


@pytest.mark.parametrize(
    ("request_", "parameter", "step"),
    [
        (
            "STA HET proton flux averaged from 20.8 to 40.5 MeV (as one band), 23 July 2012",
            "Proton_Flux",
            {"bands": [[20.8, 40.5]]},
        ),
        (
            "RBSP-A REPT electrons averaged from 2 to 5 MeV as one line, 5 March 2015",
            "FESA",
            {"bands": [[2, 5]]},
        ),
        ("RBSP-A REPT electrons 2 to 5 MeV averaged, 5 March 2015", "FESA", {"bands": [[2, 5]]}),
        ("only the 1 MeV channel of MagEIS electrons on RBSP-A, 5 March 2015", "FESA", {"at": 1000}),
        (
            "From MagEIS on RBSP-A only the channel nearest to 1 MeV (1000 keV) of the background-corrected "
            "spin-averaged electrons, as line, 5 March 2015",
            "FESA_CORR",
            {"at": 1000},
        ),
    ],
)
def test_a_band_or_a_channel_is_one_line(author, request_, parameter, step):
    fetch, cut, _ = (step_["tool_args"] for step_ in author.create(request_).template["steps"])
    assert fetch["parameter_id"] == parameter
    assert step.items() <= cut.items()


@pytest.mark.parametrize(
    ("request_", "panels"),
    [
        ("RBSP-A HOPE pitch angle distribution of electrons at 10 keV, 1 March 2015", 1),
        ("distribution of the ACE speed, 2005", 0),
    ],
)
def test_a_distribution_over_pitch_angles_is_no_histogram(author, request_, panels):
    spec = author.create(request_).template["steps"][-1]["tool_args"]["spec"]
    assert (len(spec["panels"]), "histograms" in spec) == (panels, not panels)


@pytest.mark.parametrize("sensor", ["EESA-high", "EESA-low"])
def test_a_sensor_behind_a_flux_is_no_other_data(author, sensor):
    request = f"Wind 3DP electron flux, {sensor}, 20 Jan 2005"
    chosen = author.create(request).choices[:1]
    with pytest.raises(NotUnderstood, match=f"'{sensor}'"):
        author.create(request, chosen=chosen)


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("wind 3dp electron flux omnidirectional, 2020-01-01", ["WI_SFSP_3DP", "WI_EHSP_3DP", "WI_ELSP_3DP"]),
        ("Wind 3DP protons, 2020-01-01", ["WI_SOSP_3DP", "WI_PLSP_3DP"]),
        ("Arase HEP electrons, 2018-08-26", ["ERG_HEP_L2_OMNIFLUX.FEDO_L", "ERG_HEP_L2_OMNIFLUX.FEDO_H"]),
        ("STEREO-A SEPT electrons, 2012-03-07", [f"STA_L1_SEPT.Spec_{name}" for name in ("2_E", "0_NS", "2_NS")]),
        ("STEREO-B SEPT ions at 100 keV, 2012-03-07", ["STB_L1_SEPT.Spec_3_E", "STB_L1_SEPT.Spec_1_E"]),
        ("SolO HET protons, 2022-09-05", [f"SOLO_L2_EPD-HET-{side}-RATES" for side in ("SUN", "NORTH")]),
        ("GOES-15 EPEAD electrons, 2015-03-17", ["GOES15_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E1W_COR_FLUX"]),
        (
            "NOAA-18 protons, 2015-03-17",
            [f"NOAA18_POES-SEM2_FLUXES-2SEC.{name}" for name in ("mep_omni", "ted_pro_flux", "mep_pro_flux_stackt90")],
        ),
        ("ACE EPAM electrons, 2003-10-28", ["AC_H1_EPM.DE4", "AC_H1_EPM.DE1", "AC_H1_EPM.E1"]),
        ("Arase MEP-i omni flux, 2018-08-26", [f"ERG_MEPI_L2_OMNIFLUX.{name}" for name in ("FPDO", "FODO", "FO2PDO")]),
    ],
)  # fmt: skip
def test_one_of_several_sensors_is_to_choose(author, request_, parameters):
    choices = author.create(request_).choices
    assert all(any(choice.startswith(name) for choice in choices) for name in parameters)


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("Wind 3DP energetic electrons, 2020-01-01", ["WI_SFSP_3DP.FLUX"]),
        ("Wind 3DP electrons at 300 keV, 2020-01-01", ["WI_SFSP_3DP.FLUX"]),
        ("Arase HEP-H electrons, 2018-08-26", ["ERG_HEP_L2_OMNIFLUX.FEDO_H"]),
        ("SolO HET antisunward protons, 2022-09-05", ["SOLO_L2_EPD-HET-ASUN-RATES.H_Flux"]),
        ("STA SEPT electrons to the north, 2012-03-07", ["STA_L1_SEPT.Spec_0_NS"]),
        # an instrument that tells no ions apart
        ("MAVEN SEP protons, 2017-09-12", ["MVN_SEP_L2_S1-CAL-SVY-FULL.f_ion_flux"]),
        ("ACE EPAM LEMS120 protons, 2003-10-28", [f"AC_H1_EPM.P{number}p" for number in range(1, 9)]),
        # a flux at an energy, and a flux above it
        (
            "Cluster 1 RAPID electrons 100 keV, 2003-10-29",
            ["C1_CP_RAP_ESPCT6.Electron_Dif_flux__C1_CP_RAP_ESPCT6"],
        ),
        ("Cluster 1 RAPID electrons >100 keV, 2003-10-29", ["C1_PP_RAP.J_e_hi__C1_PP_RAP"]),
        ("GOES-15 2 MeV electrons, 2015-03-17", ["GOES15_EPEAD-SCIENCE-ELECTRONS-E13EW_1MIN.E2W_COR_FLUX"]),
    ],
)
def test_a_named_sensor_is_not_asked_for(author, request_, parameters):
    assert drawn(author.create(request_))[0] == parameters


@pytest.mark.parametrize(
    "request_",
    ["ace epam ions, 2003-10-28", "EPAM ions and Wind density, 2003-10-28", "ACE EPAM protons, 2003-10-28"],
)
def test_too_many_channels_are_listed(author, request_):
    with pytest.raises(NotUnderstood, match=r"AC_H1_EPM has 2\d parameters that fit"):
        author.create(request_)


def test_cadences_of_data_that_only_the_catalogue_describes_must_be_clear(author):
    with pytest.raises(NotUnderstood, match="which quantity to compute the 1h mean"):
        author.create(
            "PSP LET1 proton spectrogram from the hourly rates, with |B| of the 1-min file, 28 Nov 2020"
        )
