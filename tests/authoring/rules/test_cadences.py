"""Cadences and modes of the data that a request names, and words that look like mistakes but are none."""

import pytest

from helio.authoring.outcome import NotUnderstood, TemplateDraft
from tests.rows import in_one_test


def fetched(author, request):
    """The first dataset and the cadence of each fetch of the template for a request."""
    outcome = author.create(request)
    assert isinstance(outcome, TemplateDraft), outcome
    steps = [step["tool_args"] for step in outcome.template["steps"]]
    return [
        args.get("dataset_id") or args["candidates"][0]["dataset_id"]
        for args in steps
        if "dataset_id" in args or "candidates" in args
    ] + [args["cadence"] for args in steps if "cadence" in args]


@in_one_test(
    ("request_", "wanted"),
    [
        ("ACE field, cadence 4 min, 5 Jan 2005", ["AC_H0_MFI", "4min"]),
        ("Geotail field 3 s, 5 Jan 2005", ["GE_EDA3SEC_MGF"]),
        ("ACE high resolution field 5 Jan 2005", ["AC_H3_MFI"]),
        ("PSP speed in April 2021, hourly merged data is fine", ["PSP_COHO1HR_MERGED_MAG_PLASMA"]),
        (
            "plasma beta at PSP with the hourly COHO merged data, 18-25 nov 2021",
            3 * ["PSP_COHO1HR_MERGED_MAG_PLASMA"],
        ),
        ("dynamic pressure of Solar Orbiter, COHO data, March 2022", 2 * ["SOLO_COHO1HR_MERGED_MAG_PLASMA"]),
        ("Cluster 3 FGM 5 vectors per second 18 March 2002", ["C3_CP_FGM_5VPS"]),
        ("|B| of Cluster 1, spin resolution, 18 March 2002", ["C1_CP_FGM_SPIN"]),
        ("THEMIS D FGM spin-res field, 2 Oct 2013", ["THD_L2_FGM"]),
        ("MMS2 DIS density, fast mode, 10 Dec 2018", ["MMS2_FPI_FAST_L2_DIS-MOMS"]),
        ("MMS1 srvy field 10 Dec 2018", ["MMS1_FGM_SRVY_L2"]),
        ("MMS1 field at survey cadence, 10 Dec 2018", ["MMS1_FGM_SRVY_L2"]),
        ("MMS1 field in GSM at burst resolution, 2018-01-08 06:40-06:43", ["MMS1_FGM_BRST_L2"]),
        (
            "MMS1 FGM burst field and DIS fast density, 2018-01-08 06:40-06:43",
            ["MMS1_FGM_BRST_L2", "MMS1_FPI_FAST_L2_DIS-MOMS"],
        ),
        (
            "MMS3 survey B with FPI fast ion density, 2015-10-16 13:00-14:00",
            ["MMS3_FGM_SRVY_L2", "MMS3_FPI_FAST_L2_DIS-MOMS"],
        ),
        ("Helios 1 merged B and density, 1-9 March 1975", 2 * ["HELIOS1_COHO1HR_MERGED_MAG_PLASMA"]),
        ("OMNI2 V and Dst, 2003-10", ["OMNI2_H0_MRG1HR", "OMNI2_H0_MRG1HR"]),
        ("scatter plot of V against Bz hourly OMNI 2012 coloured by Dst", 3 * ["OMNI2_H0_MRG1HR"]),
        ("ACE |B| and OMNI2 |B|, 2003-10-29", ["AC_H0_MFI", "OMNI2_H0_MRG1HR"]),
        ("OMNI HRO2 Bz 2015-03-17", ["OMNI_HRO2_1MIN"]),
        ("power spectrum of Wind Bz (3 s), 2008-01-01", ["WI_H0_MFI"]),
        ("EPHIN protons, 30 min, 17 May 2012", ["SOHO_COSTEP-EPHIN_L3I-30MIN"]),
        ("CELIAS PM speed, 30s, 29 to 31 oct 2003", ["SOHO_CELIAS-PM_30S"]),
        ("SOHO CELIAS speed on 30 Oct 2003", ["SOHO_CELIAS-PM_5MIN"]),
        *(  # |B| is finer than its vector
            (
                f"ISEE-3 |B| and Bz GSE{words}, 11-12 Sep 1978",
                [f"ISEE-3_{name}" for name in (magnitude, "MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA") if name],
            )
            for words, magnitude in (
                (" 1 min", "MAG_1MIN_MAGNETIC_FIELD"),
                (", 1 min", "MAG_1MIN_MAGNETIC_FIELD"),
                (", 2 min", ""),
            )
        ),
        ("Solar Orbiter normal mode field 5 Jan 2022", ["SOLO_L2_MAG-RTN-NORMAL-1-MINUTE"]),
        ("BX,BY,BZ GSM @ Wind, 1 min, 16/07/2000; By only smoothed: 30 min running median", ["WI_H0_MFI"]),
        ("Geotail Bx in GSM, 12-second? 3-s is ok too, 5 Jan 2005", ["GE_EDA3SEC_MGF"]),
        ("Wind B in GSE, 1 min (3 s would be fine too), 5 Jan 2005", ["WI_H0_MFI"]),
        ("OMNI Bz on 5 Jan 2005, hourly is fine", ["OMNI2_H0_MRG1HR"]),
        ("ACE Bz hourly and |B| 4 min, 5 Jan 2005", ["AC_H2_MFI", "AC_H0_MFI", "4min"]),
        (
            "beta from OMNI hi res 5min data, 5 Jan 2005, plus the Alfven mach number beneath",
            2 * ["OMNI_HRO_5MIN"],
        ),
        ("OMNI hourly data: Bz on top, ACE density below, 5 Jan 2005", ["OMNI2_H0_MRG1HR", "AC_H0_SWE"]),
        ("hourly OMNI Bz on top, density below, 5 Jan 2005", ["OMNI2_H0_MRG1HR", "OMNI_HRO_1MIN"]),
        ("Bz from OMNI 5 min data on top, 1 min SYM-H below, 5 Jan 2005", ["OMNI_HRO_5MIN", "OMNI_HRO_1MIN"]),
        ("ACE Bz and wind density from SWE, 5 Jan 2005", ["AC_H0_MFI", "WI_H1_SWE"]),
        ("ACE Bz and the solar wind density from SWE, 5 Jan 2005", ["AC_H0_MFI", "AC_H0_SWE"]),
        ("wind 3dp? rather swe: n, T, 5 Jan 2005", ["WI_H1_SWE", "WI_H1_SWE"]),
        ("MMS1 fluxgate field in GSE, 10 Dec 2018", ["MMS1_FGM_SRVY_L2"]),
    ],
)
def test_cadence_and_mode(author, request_, wanted):
    assert fetched(author, request_) == wanted


@pytest.mark.parametrize(
    ("request_", "parameter"),
    [
        ("Wind SWE moment density 2012-07-15", "Proton_Np_moment"),
        ("Wind SWE speed from moments 2012-07-15", "Proton_V_moment"),
        ("Wind SWE speed 2012-07-15", "Proton_V_nonlin"),
        ("thd esa full density 2008-02-26", "thd_peif_density"),
    ],
)
def test_moments_fits_and_full_distributions_are_told_apart(author, request_, parameter):
    [fetch] = [step["tool_args"] for step in author.create(request_).template["steps"][:1]]
    assert fetch["parameter_id"] == parameter


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("MAVEN key parameters: SWIA density, 8 March 2015", ["MVN_INSITU_KP-4SEC.SWIA_Hplus_density"]),
        ("MAVEN SWIA density, 8 March 2015", ["MVN_SWI_L2_ONBOARDSVYMOM.density"]),
        ("MAVEN KP data: NGIMS O density, 8 March 2015", ["MVN_INSITU_KP-4SEC.NGIMS_O_density"]),
        (
            "MAVEN in-situ key parameters, 8 March 2015: SWIA density, and SWIA dynamic pressure in another panel",
            ["MVN_INSITU_KP-4SEC.SWIA_Hplus_density", "MVN_INSITU_KP-4SEC.SWIA_dynamic_pressure"],
        ),
        ("Geotail LEP key parameters: density, 17 March 2003", ["GE_K0_LEP.N0"]),
        (
            "Cluster 3 CODIF prime parameters: H+ and O+ density, 1 Oct 2001",
            ["C3_PP_CIS.N_p__C3_PP_CIS", "C3_PP_CIS.N_O1__C3_PP_CIS"],
        ),
        ("Cluster 4 |B|, CAA spin resolution, 24 August 2003", ["C4_CP_FGM_SPIN.B_mag__C4_CP_FGM_SPIN"]),
    ],
)
def test_a_product_is_that_which_is_named(author, request_, parameters):
    steps = [step["tool_args"] for step in author.create(request_).template["steps"]]
    fetched = [f"{args['dataset_id']}.{args['parameter_id']}" for args in steps if "dataset_id" in args]
    assert fetched == parameters


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("ACE SWEPAM proton speed (H2), 2010-01-01 to 2010-01-20", ["AC_H2_SWE.Vp"]),
        ("ACE H3 |B|, 2010-01-01", ["AC_H3_MFI.Magnitude"]),
        ("Wind SWE K0 proton density, 2010-01-01", ["WI_K0_SWE.Np"]),
        ("Wind SWE proton density, nonlinear fits, 2010-01-01", ["WI_H1_SWE.Proton_Np_nonlin"]),
        ("Wind SWE H1 speed and MFI |B|, 2010-01-01", ["WI_H1_SWE.Proton_V_nonlin", "WI_H0_MFI.BF1"]),
        ("ACE H3 B and H0 SWEPAM speed, 2010-01-01", ["AC_H3_MFI.BGSEc", "AC_H0_SWE.Vp"]),
        ("ACE SWICS 1.1 O7+/O6+, hourly, 2005-01-01 to 2005-03-31", ["AC_H2_SWI.O7to6"]),
        ("ACE SWICS 2.0 O7+/O6+, 2013-01-01 to 2013-03-31", ["AC_H3_SW2.O7to6"]),
        ("THEMIS-D ESA ion density, ground moments, 2008-02-26", ["THD_L2_ESA.thd_peir_density"]),
        ("V2 PLS hires speed 2007-08-25 to 2007-08-30", ["VOYAGER2_PLS_HIRES_PLASMA_DATA.V"]),
        ("Solar Orbiter BIA electric field, 10 s product, 2021-11-03", ["SOLO_L3_RPW-BIA-EFIELD-10-SECONDS.EDC_SRF"]),
        ("Ulysses KET electrons, 10 min file, 1998", ["UY_M0_KET.Electrons"]),
    ],
)  # fmt: skip
def test_a_version_chooses_the_dataset(author, request_, parameters):
    steps = [step["tool_args"] for step in author.create(request_).template["steps"]]
    first = [args.get("candidates", [args])[0] for args in steps]
    assert [
        f"{arg['dataset_id']}.{arg['parameter_id']}" for arg in first if "dataset_id" in arg
    ] == parameters


@in_one_test(
    ("request_", "message"),
    [
        ("ACE MFI |B| (H9), 2010-01-01", "'H9'"),
        ("ACE SWEPAM H5 speed, 2010-01-01", "no bulk speed of ACE in H5"),
        ("Cassini H2 |B|, 2005-01-01", "'H2'"),
        ("Wind SWE density K0 and H1, 2010-01-01", "not clear of which data to take the version 'H1'"),
        ("Wind K0 and H0 field, 2010-01-01", "not clear of which data"),
        ("ACE MFI H0 Bz minus H3 Bz, 2010-01-01", "not clear in which mode"),
        ("O7+/O6+ from ACE SWICS 1.1, 2013-01-01 to 2013-03-31", "no O7/O6 for 2013"),
        ("ACE SWICS 2.0 O7+/O6+, 2005-01-01 to 2005-03-31", "no O7/O6 for 2005"),
        ("ACE SWEPAM density, nonlinear fits, 2010-01-01", "'nonlinear'"),
        ("STEREO A PLASTIC speed and SWEA electron density 2016-04-20", "no electron density of STEREO-A"),
        ("GOES-13 magnetometer, 1 Jan 2009", "no magnetic field vector"),
        ("Geotail EPIC protons 58-77 keV 1998-05-04", "no channel with these energies"),
        ("FAST ESA ion energy flux 1998-02-10", "no quantities of FAST"),
        ("MMS1 slow survey electric field 2019-01-05", "no slow-mode electric field"),
        ("MMS3 |B| burst, ion density fast 2018-01-08", "not clear in which mode"),
        ("PSP velocity vector from the COHO data, nov 2021", "no merged-mode bulk velocity vector"),
        (
            "Cluster 1 FGM prime parameters |B|, 1 Oct 2001",
            "no magnetic field magnitude of Cluster-1 in prime",
        ),
        ("MAVEN key parameters: SWIA velocity, 8 March 2015", "of MAVEN in key parameters"),
        ("Cluster 1 CAA CIS density, 1 Oct 2003", "no proton density of Cluster-1 in CAA"),
        ("Wind MFI level 2 field, 5 Jan 2005", "no magnetic field vector of Wind in level 2"),
        ("ACE MAG level 3 |B|, 5 Jan 2005", "'L3'"),
        ("level 2, ACE |B| and Wind MFI B, 5 Jan 2005", "of Wind in level 2"),
        ("MMS1 burst L3 ion density, 16 Oct 2015 13:05 to 13:10", "'L3'"),
        ("Wind SWE density computed on-board, 5 Jan 2005", "no on-board-mode proton density"),
        ("THEMIS-A level 2 position, 5 Jan 2010", "'L2'"),
        ("THEMIS-A near-Earth density, 5 Jan 2010", "'near-Earth'"),
        ("ACE CAA field, 1 Oct 2003", "'CAA'"),
        ("Ulysses fast solar wind speed 1994", "'fast'"),
        ("ACE Bz for 5 min, 5 Jan 2005", "'5 min'"),
    ],
)
def test_other_data_are_not_taken_instead(author, request_, message):
    with pytest.raises(NotUnderstood, match=message):
        author.create(request_)


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        ("ACE SWEPAM level-2 speed, 5 Jan 2005", ["AC_H0_SWE.Vp"]),
        ("THEMIS D level 2 FGM |B|, 1 March 2009", ["THD_L2_FGM.thd_fgs_btotal"]),
        ("THEMIS D FGM |B| (L2), 1 March 2009", ["THD_L2_FGM.thd_fgs_btotal"]),
        ("RBSP-A EMFISIS level-4 density, 17 March 2013", ["RBSP-A_DENSITY_EMFISIS-L4.density"]),
        ("RBSP-A REPT level 2 electrons at 3.4 MeV, 2 March 2013", ["RBSPA_REL03_ECT-REPT-SCI-L2.FESA"]),
        (
            "RBSP-A EFW L3 density with L shell, 17 March 2013",
            ["RBSPA_EFW-L3.density", "RBSPA_EFW-L3.lshell"],
        ),
        (
            "RBSP-A density from EFW, with L shell, 17 March 2013",
            ["RBSPA_EFW-L3.density", "RBSPA_EFW-L3.lshell"],
        ),
        (
            "PSP L2 FIELDS |B| and L3 SPC density, 5 Nov 2018",
            ["PSP_FLD_L2_MAG_RTN_1MIN.psp_fld_l2_mag_RTN_1min", "PSP_SWP_SPC_L3I.np_moment_gd"],
        ),
        ("ACE level 2 density and Dst, 5 Jan 2005", ["AC_H0_SWE.Np", "OMNI2_H0_MRG1HR.DST"]),
        (
            "ACE SWEPAM L2 density and Wind SWE density, 5 Jan 2005",
            ["AC_H0_SWE.Np", "WI_H1_SWE.Proton_Np_nonlin"],
        ),
        ("Wind 3DP ion density computed on-board, 5 Jan 2005", ["WI_PM_3DP.P_DENS"]),
        ("near-Earth solar wind speed, OMNI, 5 Jan 2005", ["OMNI_HRO_1MIN.flow_speed"]),
        (
            "Helios-2 merged hourly speed and density, April 1976",
            [
                "HELIOS2_COHO1HR_MERGED_MAG_PLASMA.flowSpeed",
                "HELIOS2_COHO1HR_MERGED_MAG_PLASMA.protonDensity",
            ],
        ),
        ("Helios-2 speed, 5 April 1976", ["HELIOS2_40SEC_MAG-PLASMA.Vp"]),
    ],
)
def test_words_of_the_title_and_levels_choose_the_dataset(author, request_, parameters):
    steps = [step["tool_args"] for step in author.create(request_).template["steps"]]
    sources = [args.get("candidates", [args])[0] for args in steps]
    assert [
        f"{args['dataset_id']}.{args['parameter_id']}" for args in sources if "parameter_id" in args
    ] == parameters


def test_a_running_average_of_every_bin(author):
    assert fetched(author, "EPHIN 5-min protons with a running mean of 1 hour, 17 May 2012") == [
        "SOHO_COSTEP-EPHIN_L3I-5MIN"
    ]


@pytest.mark.parametrize(
    ("request_", "note"),
    [
        ("histogramm of the ACE speed, 2003", "'histogramm' is read as 'histogram'"),
        ("THEMIS-D ion spectrogarms 2 Oct 2013", "'spectrogarms' is read as 'spectrogram'"),
        ("Cluser 1 magnetic field 5 Jan 2005", "'Cluser' is read as 'cluster'"),
        (
            "EPHIN proton intensities at 10 min resoluton, 22 January 2012",
            "'resoluton' is read as 'resolution'",
        ),
        ("ACE field measurments, 2013-06-01", "'measurments' is read as 'measurement'"),
    ],
)
def test_a_typing_error_is_corrected(author, request_, note):
    outcome = author.create(request_)
    assert isinstance(outcome, TemplateDraft)
    assert note in outcome.notes


def test_a_word_of_the_catalogue_is_no_typing_error(author):
    with pytest.raises(NotUnderstood, match="'mode'"):
        author.create("ACE speed, strange mode, 5 Jan 2005")


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        ("|B| of the 4 Cluster, one panel, 18 March 2002", 4),
        ("all 4 MMS: Bz in a single panel, 2015-12-08", 4),
        ("both Voyagers speed same panel 1990", 2),
        ("5 THEMIS density, one panel, 2 Oct 2013", 5),
    ],
)
def test_all_spacecraft_of_a_mission(author, request_, count):
    assert len(fetched(author, request_)) == count


def test_no_data_a_year_after_the_last_record(author):
    with pytest.raises(NotUnderstood, match="has no magnetic field vector"):
        author.create("Cluster-3 FGM 15 Jan 2026")


@in_one_test(
    ("words", "wanted"),
    [
        (
            "Solar Orbiter field strength from the 1-minute MAG data, PAS density",
            ["SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", "SOLO_L2_SWA-PAS-GRND-MOM"],
        ),
        ("ACE SWEPAM density, Bz from 4-minute MFI data", ["AC_H0_SWE", "AC_H0_MFI", "4min"]),
        ("ACE Bz from 4-minute MFI data and the SWEPAM density", ["AC_H0_MFI", "AC_H0_SWE", "4min"]),
        ("ACE density from hourly SWEPAM data, Bz from MFI", ["AC_H2_SWE", "AC_H0_MFI"]),
        ("Wind |B| from the 3 s MFI data, SWE density", ["WI_H0_MFI", "WI_H1_SWE"]),
        ("ACE density, speed and T from hourly SWEPAM data, Bz from MFI", ["AC_H2_SWE"] * 3 + ["AC_H0_MFI"]),
        ("ACE: 4-min MFI |B|, SWEPAM density", ["AC_H0_MFI", "AC_H0_SWE", "4min"]),
        ("ACE 4-min: MFI |B|, SWEPAM density", ["AC_H0_MFI", "AC_H0_SWE", "4min", "4min"]),
        ("ACE |B| from the 4-minute data, density", ["AC_H0_MFI", "AC_H0_SWE", "4min", "4min"]),
    ],
)
def test_a_cadence_of_an_instrument_is_not_that_of_another(author, words, wanted):
    assert sorted(fetched(author, f"{words}, 7 Sep 2022")) == sorted(wanted)
