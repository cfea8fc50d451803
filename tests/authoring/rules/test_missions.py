"""Data of many missions are found by their names, positions and instruments; what there is not is said."""

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.search import Search
from helio.knowledge.vocabulary import VOCABULARY
from tests.rows import in_one_test


def first_sources(draft):
    assert isinstance(draft, TemplateDraft), draft
    every = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "fetch_data"]
    sources = [args.get("candidates", [args])[0] for args in every]
    return {f"{source['dataset_id']}.{source['parameter_id']}" for source in sources}


@in_one_test(
    ("request_", "expected"),
    [
        ("Van Allen Probe A MLT and L, 2015-03-17", {"RBSPA_EFW-L3.mlt", "RBSPA_EFW-L3.lshell"}),
        ("GOES-16 position GSE, 2020-01-01", {"GOES16_EPHEMERIS_SSC.XYZ_GSE"}),
        ("heliolongitude of STEREO-A, 2015", {"STA_HELIO1HR_POSITION.HGI_LON"}),
        (
            "ACE/SWICS charge states, January 2005: O7+/O6+ in the top panel, C6+/C5+ below it",
            {"AC_H2_SWI.O7to6", "AC_H2_SWI.C6to5"},
        ),
        ("ACE SWICS ratio of O7+ to O6+, January 2005", {"AC_H2_SWI.O7to6"}),
        ("Mg/O and Fe/O ACE SWICS 2003", {"AC_H3_SWI.MgtoO", "AC_H3_SWI.FetoO"}),
        (
            "alpha/proton ratio of Wind, 2005",
            {"WI_H1_SWE.Alpha_Na_nonlin", "WI_H1_SWE.Proton_Np_nonlin"},
        ),
        (
            "RPW spectrogram of Solar Orbiter and B RTN, 2022-03-25",
            {"SOLO_L3_RPW-HFR-SURV-FLUX.PSD_FLUX", "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE.B_RTN"},
        ),
        (
            "WAVES radio spectrogram of Wind with speed, 2001-04-02",
            {"WI_L2_WAV_RAD1.PSD_V2_SP", "WI_H1_SWE.Proton_V_nonlin"},
        ),
        (
            "PSP QTN density and B RTN, 29 April 2021",
            {"PSP_FLD_L3_RFS_LFR_QTN.N_elec", "PSP_FLD_L2_MAG_RTN_1MIN.psp_fld_l2_mag_RTN_1min"},
        ),
        (
            "WHISPER natural spectrogram on Cluster 2 and density, 2004-03-10",
            {
                "C2_CP_WHI_NATURAL.Electric_Spectral_Power_Density__C2_CP_WHI_NATURAL",
                "C2_CP_WHI_ELECTRON_DENSITY.Electron_Density__C2_CP_WHI_ELECTRON_DENSITY",
            },
        ),
        (
            "THE 2010-03-28 20:00-23:00: SST electrons, ESA electrons",
            {"THE_L2_SST.the_psef_en_eflux", "THE_L2_ESA.the_peer_en_eflux"},
        ),
        ("MAVEN SEP sensor 1 forward ions, 2017-09-12", {"MVN_SEP_L2_S1-CAL-SVY-FULL.f_ion_flux"}),
        (
            "compare the plasma density at RBSP-A from EFW and from EMFISIS (L4), 2013-10-02",
            {"RBSPA_EFW-L3.density", "RBSP-A_DENSITY_EMFISIS-L4.density"},
        ),
        (
            "PSP proton density: SPC in blue, SPAN-I in red, 1 November 2021",
            {"PSP_SWP_SPC_L3I.np_moment_gd", "PSP_SWP_SPI_SF00_L3_MOM.DENS"},
        ),
        (
            "Wind proton density: SWE (blue) and 3DP (red), one panel, 2005-01-01",
            {"WI_H1_SWE.Proton_Np_nonlin", "WI_PM_3DP.P_DENS"},
        ),
        ("Wind density from SWE and MFI, 2005-01-01", {"WI_H1_SWE.Proton_Np_nonlin", "WI_H0_MFI.BGSE"}),
        (
            "Alfven speed from EMFISIS and HOPE, RBSP-A, 2013-10-02",
            {"RBSPA_REL04_ECT-HOPE-MOM-L3.Dens_p_30", "RBSP-A_MAGNETOMETER_4SEC-GSM_EMFISIS-L3.Mag"},
        ),
        ("DSCOVR Faraday cup density 7-9 September 2017", {"DSCOVR_H1_FC.Np"}),
        (
            "|B| at Voyager 1 during the Jupiter flyby, 4 to 6 March 1979",
            {"VOYAGER1_COHO1HR_MERGED_MAG_PLASMA.ABS_B"},
        ),
        ("SWIA at Mars: density, 12-14 Sept 2017", {"MVN_SWI_L2_ONBOARDSVYMOM.density"}),
        ("Voyager 2 PLS speed, August 2007", {"VOYAGER2_PLS_HIRES_PLASMA_DATA.V"}),
        ("Voyager 2 V RTN in 2010", {"VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH.V_rtn"}),
        (  # the data before the termination shock end with the first of these days
            "Voyager 2 crossing the termination shock, 30 Aug - 2 Sep 2007: PLS speed and density",
            {"VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH.V", "VOYAGER2_PLS_HIRES_PLASMA_DATA_HSH.dens"},
        ),
        ("Voyager 2 density on 24 Jan 1986 (Uranus)", {"VOYAGER2_COHO1HR_MERGED_MAG_PLASMA.protonDensity"}),
        (
            "SWEAP/SPC protons for the first perihelion, 5 to 7 november 2018: density, speed, thermal speed",
            {f"PSP_SWP_SPC_L3I.{name}" for name in ("np_moment_gd", "vp_moment_RTN_gd", "wp_moment_gd")},
        ),
        (
            "PSP SPC n, V_R and w, 6 Nov 2018",
            {f"PSP_SWP_SPC_L3I.{name}" for name in ("np_moment_gd", "vp_moment_RTN_gd", "wp_moment_gd")},
        ),
        (
            "Genesis GIM proton speed and alpha/proton ratio, November 2001",
            {"GENESIS_3DL2_GIM.Proton_Speed", "GENESIS_3DL2_GIM.Alpha_Proton_ratio"},
        ),
        ("THEMIS A FGL Bz GSM, 5 Aug 2011", {"THA_L2_FGM.tha_fgl_gsm"}),
        (
            "Pioneer 10 and 11 flow speed, 1975",
            {f"PIONEER{number}_COHO1HR_MERGED_MAG_PLASMA.flowSpeed" for number in (10, 11)},
        ),
        (
            "ARTEMIS P1 and P2 ion density, 2012-03-08",
            {"THB_L2_ESA.thb_peir_density", "THC_L2_ESA.thc_peir_density"},
        ),
        (
            "PSP SPAN-I protons and alphas: density, 2022-02-25",
            {"PSP_SWP_SPI_SF00_L3_MOM.DENS", "PSP_SWP_SPI_SF0A_L3_MOM.DENS"},
        ),
        (
            "PSP SPC density and SPAN-I density, 2021-04-29",
            {"PSP_SWP_SPC_L3I.np_moment_gd", "PSP_SWP_SPI_SF00_L3_MOM.DENS"},
        ),
        ("MMS2 burst V_i for 9 Dec 2016 09:03-09:05", {"MMS2_FPI_BRST_L2_DIS-MOMS.mms2_dis_bulkv_gse_brst"}),
        (
            "plasmapause crossings: EMFISIS density from the upper hybrid line, RBSP-A, 28 June 2013",
            {"RBSP-A_DENSITY_EMFISIS-L4.density"},
        ),
        ("S/WAVES HFR at STEREO A in sfu, 28-Oct-2021 15:00-18:00", {"STA_L3_WAV_HFR.PSD_SFU"}),
        (
            "Wind WAVES dynamic spectrum, RAD2 on top and RAD1 under it, 15 Apr 2001 13:30-15:30",
            {"WI_L2_WAV_RAD2.PSD_V2_SP", "WI_L2_WAV_RAD1.PSD_V2_SP"},
        ),
        (
            "EFW spacecraft potential and density from Van Allen Probe B on 8 September 2017",
            {"RBSPB_EFW-L3.spacecraft_potential", "RBSPB_EFW-L3.density"},
        ),
        (
            "THEMIS-A spacecraft potential and density from ESA, 2008-03-13",
            {"THA_L2_ESA.tha_peif_sc_pot", "THA_L2_ESA.tha_peir_density"},
        ),
        ("ISOIS/EPI-Hi HET-A proton flux, PSP, 5 Sep 2022", {"PSP_ISOIS-EPIHI_L2-HET-RATES60.A_H_Flux"}),
        ("MTOF/PM proton speed from SOHO, 29 Oct 2003", {"SOHO_CELIAS-PM_5MIN.V_p"}),
        (
            "PVO solar wind speed upstream of Venus, Sept 1980",
            {"PIONEERVENUS_MERGED_SOLAR-WIND_10M.solar_wind_speed"},
        ),
        ("MAVEN KP LPW electron density 2016-04-20", {"MVN_INSITU_KP-4SEC.LPW_Electron_density"}),
        (
            "Wind WAVES RAD1 and RAD2 dynamic spectra, 28 Oct 2003",
            {"WI_L2_WAV_RAD1.PSD_V2_SP", "WI_L2_WAV_RAD2.PSD_V2_SP"},
        ),
        (
            "PSP SPC and SPAN-I density 6 Nov 2018",
            {"PSP_SWP_SPC_L3I.np_moment_gd", "PSP_SWP_SPI_SF00_L3_MOM.DENS"},
        ),
        (
            "Rosetta position 2014",
            {f"ROSETTA_HELIO1HR_POSITION.{name}" for name in ("RAD_AU", "HGI_LAT", "HGI_LON")},
        ),
        (
            "New Horizons SWAP solar wind n and v 2010 to 2015",
            {"NEW_HORIZONS_SWAP_SOLAR-WIND.n", "NEW_HORIZONS_SWAP_SOLAR-WIND.v"},
        ),
    ],
)
def test_the_data_of_the_named_instrument_are_drawn(author, request_, expected):
    assert first_sources(author.create(request_)) == expected


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("GOES-15 magnetometer Hp 22 June 2015", "magnetic fields (DN_MAGN-L2-HIRES_G15)"),
        ("Voyager 1 CRS cosmic ray rates 2012", "VOYAGER1_CRS_DAILY_FLUX"),
        ("neutron monitor Oulu 2003 Oct", "no dataset in the catalogue has 'Oulu'"),
        ("Venus Express B, 2010-01-01", "the catalogue has no data of Venus Express"),
        ("Juno JADE ions, 2016-08-27", "describes no 'JADE', 'ions' of JUNO"),
    ],
)
def test_what_the_catalogue_lacks_is_said(author, request_, said):
    with pytest.raises(NotUnderstood) as refused:
        author.create(request_)
    assert said in str(refused.value)
    assert "did you mean" not in refused.value.advice


def test_a_species_that_several_instruments_measure_is_asked_for(author):
    asked = author.create("ARTEMIS-P2 electrons 2013-01-01")
    assert isinstance(asked, AuthorQuestion)
    assert {choice.partition(".")[0] for choice in asked.choices} >= {"THC_L2_ESA", "THC_L2_SST"}


def test_missions_without_data_are_not_in_the_catalogue():
    search = Search(Catalogue())
    assert not [name for name in VOCABULARY["missions without data"] if search.named(name)[1]]
