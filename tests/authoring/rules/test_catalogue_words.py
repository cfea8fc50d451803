"""Words that only the catalogue explains name one parameter, or are asked for, or are refused."""

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.authoring.rules.reading.sentence import Sentence
from tests.rows import in_one_test


def fetched(draft):
    assert isinstance(draft, TemplateDraft), draft
    every = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "fetch_data"]
    return [(args["dataset_id"], args["parameter_id"]) for args in every]


@in_one_test(
    ("request_", "dataset", "parameters"),
    [
        ("ACE EPAM deflected electrons DE1 DE2, 4 Nov 2001", "AC_H1_EPM", ["DE1", "DE2"]),
        ("deflected electrons DE1 of ACE at 1 h, 4 Nov 2001", "AC_H2_EPM", ["DE1"]),
        ("THEMIS GMAG Gakona H, 17/18 Mar 2013", "THG_L2_MAG_GAKO", ["thg_magh_gako"]),
        ("Narsarsuaq magnetometer, H component 2015-03-17", "THG_L2_MAG_NAQ", ["thg_magh_naq"]),
        (
            "H, D and Z at Fort Smith, THEMIS ground, 2008-03-01",
            "THG_L2_MAG_FSMI",
            ["thg_magh_fsmi", "thg_magd_fsmi", "thg_magz_fsmi"],
        ),
        ("THC filter bank SCM1 spectrogram 2008-11-07", "THC_L2_FBK", ["thc_fb_scm1"]),
        ("Voyager-1 PWS low rate electric field spectrogram, 9 April 2013", "VG1_PWS_LR", ["electric_field"]),
        (
            "F17 SSIES cross-track drifts Vy and Vz, 9 Mar 2012 12-14 UT",
            "DMSP-F17_SSIES-3_THERMAL-PLASMA",
            ["vy", "vz"],
        ),
        ("ACE EPAM deflected electrons DE1, DE2 and DE3, 4 Nov 2001", "AC_H1_EPM", ["DE1", "DE2", "DE3"]),
        (
            "ACE EPAM ions LEMS120 channels, 2000-07-13",
            "AC_H1_EPM",
            [f"P{number}p" for number in range(1, 9)],
        ),
        (
            "precipitating electron total energy flux DMSP F17 on 2013-03-17",
            "DMSP-F17_SSJ_PRECIPITATING-ELECTRONS-IONS",
            ["ELE_TOTAL_ENERGY_FLUX"],
        ),
        (
            "DMSP F17 ion average energy and electron average energy, 2013-03-17",
            "DMSP-F17_SSJ_PRECIPITATING-ELECTRONS-IONS",
            ["ION_AVG_ENERGY", "ELE_AVG_ENERGY"],
        ),
        (
            "LPW electron density and temperature at Mars, 1 June 2018",
            "MVN_INSITU_KP-4SEC",
            ["LPW_Electron_density", "LPW_Electron_temperature"],
        ),
        ("unsectored H from LET on STEREO-A, 23-25 July 2012", "STA_L1_LET", ["H_unsec_flux"]),
        ("Polar MFE total field and IGRF total field, 1 May 1997", "PO_K0_MFE", ["BT", "MBTIGRF"]),
        ("Polar MFE T95 total field, 1 May 1997", "PO_K0_MFE", ["MBTSY"]),
        (
            "NGIMS CO2 and O densities, MAVEN key params, 2016-04-20",
            "MVN_INSITU_KP-4SEC",
            ["NGIMS_CO2_density", "NGIMS_O_density"],
        ),
        (
            "RBSPA EFW L3 density, with L shell and MLT, 2013-03-17",  # all of one dataset
            "RBSPA_EFW-L3",
            ["density", "lshell", "mlt"],
        ),
        (
            "CELIAS proton monitor speed, density and N/S angle, last week of March 2001",
            "SOHO_CELIAS-PM_5MIN",
            ["V_p", "N_p", "NS_angle"],
        ),
        ("ion temperature from RPA on Dynamics Explorer 2, 1982-06-01", "DE2_ION2S_RPA", ["ionTemperature"]),
        ("MSL RAD dose rate, Sept 2017", "MSL_RAD_OBS-L2", ["DOSIMETRY_TOTAL_f"]),  # not of all qualities
        ("TIMED SABER temperature 2010-03-01", "TIMED_L2A_SABER", ["ktemp"]),  # not that of a model
        (
            "PSP SPAN-I alphas: density and temperature, 2021-08-10",
            "PSP_SWP_SPI_SF0A_L3_MOM",
            ["DENS", "TEMP"],
        ),
        (
            "Fort Smith (FSMI) magnetometer H D Z, 2008-02-26",
            "THG_L2_MAG_FSMI",
            ["thg_magh_fsmi", "thg_magd_fsmi", "thg_magz_fsmi"],
        ),
    ],
)
def test_descriptions_and_names_of_parameters_are_read(author, request_, dataset, parameters):
    draft = author.create(request_)
    assert fetched(draft) == [(dataset, parameter) for parameter in parameters]
    assert any(f"is read as {dataset}.{parameters[0]}" in note for note in draft.notes)


def test_of_several_parameters_the_person_chooses_one(author):
    request_ = "DMSP F16 ion drift, 17 March 2015"
    asked = author.create(request_)
    assert isinstance(asked, AuthorQuestion)
    assert 2 <= len(asked.choices) <= 12
    choice = next(
        choice for choice in asked.choices if choice.startswith("DMSP-F16_SSIES-3_THERMAL-PLASMA.vy: ")
    )
    draft = author.create(request_, chosen=(choice,))
    assert fetched(draft) == [("DMSP-F16_SSIES-3_THERMAL-PLASMA", "vy")]


@pytest.mark.parametrize(
    ("request_", "choices"),
    [
        ("C/NOFS CINDI ion velocity, 2010-01-01", "CNOFS_CINDI_IVM_500MS.ionVelocity"),
        ("ICON MIGHTI green line zonal wind 2020-06-01", "ICON_L2-2_MIGHTI_VECTOR-WIND-GREEN."),
        ("DMSP-F17 SSM magnetic perturbations, 2013-05-01", "DMSP-F17_SSM_MAGNETOMETER.DELTA_B_"),
        ("BARREL 1G x-ray counts 2013-01-17", "BAR_1G_L2_"),
        ("IMP-8 plasma flow angle, 1990-01-01", "I8_H0_MITPLASMA."),  # east-west, or the elevation
    ],
)
def test_all_choices_are_what_the_sentence_names(author, request_, choices):
    asked = author.create(request_)
    assert isinstance(asked, AuthorQuestion)
    assert len(asked.choices) > 1
    assert all(choice.startswith(choices) for choice in asked.choices)


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("CANOPUS riometer 1997-01-10", "CANOPUS: Riometer Absorption at 4 sites"),
        ("SESAME riometer 1998-01-01", "SESAME: Ionospheric Absorption"),
        ("LANL-01A MPA electron density 2005-01-01", "LANL-01A: Partial density of electrons"),
        ("ROCSAT-1 ion density 2000-09-01", "FORMOSAT-1: Total ion density in cm^-3"),
        ("BARREL payload 2X, medium res spectra, 2014-01-16", "BARREL-2X: MSPC"),
        ("CIRBE REPTile-2 electrons 2023-06-01", "CIRBE: FEDU"),
        ("TIMED SABER temperature 2010-01-01", "TIMED: ktemp"),
        ("DE-2 zonal wind 1982-06-01", "DE-2: Zonal Wind in m/s"),
        ("Mars Global Surveyor field magnitude 2001-06-01", "Mars Global Surveyor: Magnetic Field Magnitude"),
        (
            "how far was PSP from the sun during 2024? just plot the distance",
            "Parker Solar Probe: heliocentric distance",
        ),
    ],
)
def test_a_title_names_the_spacecraft_and_says_what_is_measured(author, request_, title):
    (figure,) = (step for step in author.create(request_).template["steps"] if step["step_id"] == "figure")
    assert figure["tool_args"]["spec"]["title"] == title


def test_without_a_time_the_last_week_with_data_is_the_first_choice(author):
    assert author.create("LANL 1994-084 SOPA electrons").choices[0] == "2007-10-09 to 2007-10-16"


def test_a_species_without_flux_is_asked_for_its_moments(author):
    asked = author.create("Cluster 1 PEACE electrons 2003-09-20")
    assert {choice.split("__")[0] for choice in asked.choices} >= {"C1_PP_PEA.N_e_den", "C1_PP_PEA.T_e_par"}


@pytest.mark.parametrize(
    ("words", "panels"),
    [
        ("ACE speed, EPAM P8 and |B|", [["ACE_V"], ["ACE_P8"], ["ACE_Bmag"]]),
        ("ACE |B| with EPAM P1 and P5 below", [["ACE_Bmag"], ["ACE_P1"], ["ACE_P5"]]),
        ("Wind density and AC_H0_MFI.BGSEc", [["Wind_n"], ["ACE_BGSEc"]]),
        ("AC_H0_MFI.BGSEc and Wind density", [["ACE_BGSEc"], ["Wind_n"]]),
    ],
)
def test_data_of_the_catalogue_stand_among_quantities_in_the_order_of_the_words(author, words, panels):
    draft = author.create(f"{words}, 2000-07-14")
    assert draft.template["steps"][-1]["tool_args"]["spec"]["panels"] == panels


def test_frequencies_of_the_plasma_are_drawn_over_a_measured_spectrogram(author):
    draft = author.create("RBSP-A EMFISIS BuBu spectrogram with f_ce and f_ce/2 overlaid, 14 Oct 2012")
    spec = draft.template["steps"][-1]["tool_args"]["spec"]
    assert spec["panels"] == [["RBSPA_BuBu", "RBSPA_Bmag_fce", "RBSPA_Bmag_fce_scaled"]]
    assert "trace_names" not in spec  # the names of the tables differ, and say the factor
    assert any("if its axis has another unit" in note for note in draft.notes)
    with pytest.raises(NotUnderstood, match="a spectrogram cannot share a panel"):
        author.create("RBSP-A EMFISIS BuBu spectrogram with |B| overlaid, 14 Oct 2012")


def test_the_channels_of_a_species_share_a_panel_with_their_energies_in_the_legend(author):
    draft = author.create("ACE ULEIS He3 and ACE magnetic field, 2002-01-01")
    spec = draft.template["steps"][-1]["tool_args"]["spec"]
    assert [len(panel) for panel in spec["panels"]] == [7, 1]
    assert spec["trace_names"]["ACE_He3_L2"] == "0.320-0.640 MeV/nucleon"


@in_one_test(
    ("request_", "words"),
    [
        ("ACE EPAM deflected sausages DE1, 4 Nov 2001", "'sausages'"),
        ("ACE EPAM deflected protons DE1, 4 Nov 2001", "'deflected'"),
        ("ACE EPAM deflected electrons DE1 except DE2, 4 Nov 2001", "'except'"),
        ("GOES-13 proton channels, 2012-01-01", "'proton', 'channels'"),  # only flags have these words
        ("STEREO-A SWEA pitch angle, 2012-07-23", "at several energies"),
        (
            "FAST electron spectrograms 1998-02-10",
            "no quantities of FAST",
        ),  # bin numbers and median energies are none
        ("STA PLASTIC alphas 2014", "to 2010-12-31"),  # He+ are no alpha particles
        ("ACE alpha temperature 2003-01-02", "'alpha'"),
        ("ACE density for 2003-11-20, 2 hours", "'2', 'hours'"),
        ("precipitating electron total energy flux DMSP F17 on 2025-03-17", "for that time"),
        ("IBEX Hi ENA maps", "helio draws no maps"),
        ("SuperDARN Goose Bay 1997-01-10", "helio draws no maps"),
        ("unidirectional differential helium flux of RBSP-A HOPE 2013-03-17", "'unidirectional'"),
        ("Wind SIS iron flux and Wind speed, 2005", "'SIS'"),  # that of ACE
        (
            "MetOp-B MEPED 0 degree proton flux for 2017-09-10",
            "no quantities of MetOp",
        ),  # not of two telescopes
        ("DMSP F18 magnetic field, 2015-03-17", "no quantities of DMSP-F18"),  # not IGRF
        ("histogram of the Wind density for 2008, log bins", "'bins'"),  # not of pitch angles
        ("switchback deflection angle of PSP on 2018-11-05", "'angle'"),  # not an energy flux by angles
    ],
)
def test_what_no_parameter_covers_is_refused(author, request_, words):
    with pytest.raises(NotUnderstood) as refused:
        author.create(request_)
    assert words in str(refused.value)


def test_the_parts_of_a_sentence_keep_lists_of_names_together():
    sentence = Sentence("deflected electrons DE1, DE2 and DE3 and the proton density")
    before = sentence.left
    sentence.drop("proton density")
    parts = sentence.parts((before, before, before, sentence.left), ())
    assert [(part.text, part.unread) for part in parts] == [
        ("deflected electrons DE1 DE2 DE3", True),
        ("proton density", False),
    ]


@pytest.mark.parametrize(
    "request_",
    ["ACE EPAM deflected electrons DE1 at 30 min, 4 Nov 2001", "AC_H1_EPM DE1 at 30 min, 4 Nov 2001"],
)
def test_a_parameter_comes_at_the_cadence_of_the_request(author, request_):
    draft = author.create(request_)
    [averaged] = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "resample"]
    assert averaged["cadence"] == "30min"


def test_an_edit_adds_what_only_the_catalogue_describes(author):
    template = author.create("ACE magnetic field for 2001-11-04").template
    added = author.edit("add the deflected electrons DE1 of ACE", template)
    assert ("AC_H1_EPM", "DE1") in [
        (step["tool_args"].get("dataset_id"), step["tool_args"].get("parameter_id"))
        for step in added.template["steps"]
    ]


@in_one_test(
    ("request_", "parameters"),
    [
        # an instrument and what it does not measure by the table of quantities
        (
            "MAVEN LPW density and temperature 2017-09-12",
            ["MVN_INSITU_KP-4SEC.LPW_Electron_density", "MVN_INSITU_KP-4SEC.LPW_Electron_temperature"],
        ),
        (
            "RBSP-A EMFISIS B, EFW density 2013-03-17",
            ["RBSPA_EFW-L3.density", "RBSP-A_MAGNETOMETER_4SEC-GSM_EMFISIS-L3.Mag"],
        ),
        (
            "SolO RPW density and MAG B, 2021-10-09",
            ["SOLO_L3_RPW-BIA-DENSITY-10-SECONDS.DENSITY", "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE.B_RTN"],
        ),
        (  # one receiver above the other, with the unit that names the parameter
            "RPW radio flux in sfu, HFR above TNR, 2022-03-28 11:00 till 13:00",
            ["SOLO_L3_RPW-HFR-SURV-FLUX.PSD_SFU", "SOLO_L3_RPW-TNR-SURV-FLUX.PSD_SFU"],
        ),
        (
            "RPW flux in sfu: TNR and HFR, 2022-03-28",
            ["SOLO_L3_RPW-TNR-SURV-FLUX.PSD_SFU", "SOLO_L3_RPW-HFR-SURV-FLUX.PSD_SFU"],
        ),
        ("IMAGE RPI electron density, 8 June 2001", ["IM_ELECTRON_DENSITY_RPI.den"]),
        ("MEPE electrons, 8 Sep 2017", ["ERG_MEPE_L2_OMNIFLUX.FEDO"]),
        ("MagEIS-B electrons 17 March 2015", ["RBSPB_REL03_ECT-MAGEIS-L2.FESA"]),
        ("magnetometer at Fort Simpson 2008-02-26", ["THG_L2_MAG_FSIM.thg_mag_fsim"]),
        ("H component at Yellowknife, 17 mar 2015", ["THG_L2_MAG_YKC.thg_magh_ykc"]),
        ("New Horizons SWAP speed, 2015", ["NEW_HORIZONS_SWAP_SOLAR-WIND.v"]),
        ("Arase LEPE electron flux 16 Feb 2021", ["ERG_LEPE_L2_OMNIFLUX.FEDO"]),
        ("MPA electron density of LANL 1994, 10 Jan 1997", ["L4_K0_MPA.dens_e"]),
        # names of instruments in words, also with their short names and kinds
        ("Ulysses vector helium magnetometer field in RTN, Feb 1992", ["UY_1MIN_VHM.B_RTN"]),
        (
            "MMS1 Fast Plasma Investigation (FPI) ion density, 2017-07-11",
            ["MMS1_FPI_FAST_L2_DIS-MOMS.mms1_dis_numberdensity_fast"],
        ),
        ("electrons of STEREO-A's High Energy Telescope, 2 Nov 2013", ["STA_L1_HET.Electron_Flux"]),
        ("THEMIS-A solid state telescope electrons, 17 March 2013", ["THA_L2_SST.tha_psef_en_eflux"]),
        (
            "density from the WHISPER sounder on board Cluster 2, 30 March 2002",
            ["C2_PP_WHI.N_e_res__C2_PP_WHI"],
        ),
        # several quantities of a spacecraft without rows in the table
        (
            "Apollo 12 proton density and bulk speed for May 1970",
            ["APOLLO12_SWS_28S.Density", "APOLLO12_SWS_28S.VEL"],
        ),
        (
            "Langmuir probe electron temperature and plasma density of DE-2, and Kp, 1 Dec 1981",
            ["DE2_PLASMA500MS_LANG.electronTemp", "DE2_PLASMA500MS_LANG.plasmaDensity", "OMNI2_H0_MRG1HR.KP"],
        ),
        (
            "Interball Tail magnetic field and ion density, 1 Nov 1996",
            ["IT_H0_MFI.B_GSE_cart", "IT_K0_COR.Ni"],
        ),
        (
            "DMSP F16 ion density and ion temperature, 17 March 2015",
            ["DMSP-F16_SSIES-3_THERMAL-PLASMA.dens", "DMSP-F16_SSIES-3_THERMAL-PLASMA.temp"],
        ),
        (
            "IMP-8 density and DE-2 electron temperature, 1 Dec 1981",
            ["DE2_PLASMA500MS_LANG.electronTemp", "I8_H0_MITPLASMA.proton_density_fit"],
        ),
        # quantities that other words also have
        ("ICON IVM meridional drift, 1 March 2021", ["ICON_L2-7_IVM-A.ICON_L27_Ion_Velocity_Meridional"]),
        ("ISIS 2 electron density, 5 March 1973", ["I2_NEPROF_TOPIST.ni"]),  # not its logarithm
        ("Solar Orbiter MAG burst, 11 March 2022", ["SOLO_L2_MAG-RTN-BURST.B_RTN"]),
        # other names of spacecraft
        ("Cluster Tango magnetic field, 1 Oct 2002", ["C4_CP_FGM_SPIN.B_vec_xyz_gse__C4_CP_FGM_SPIN"]),
        ("Hawkeye 1 total magnetic field, 10 July 1975", ["HK_H0_MAG.B_total"]),
    ],
)
def test_names_of_instruments_probes_and_stations_are_those_of_the_catalogue(author, request_, parameters):
    assert [".".join(pair) for pair in fetched(author.create(request_))] == parameters


@pytest.mark.parametrize(
    ("request_", "parameters"),
    [
        (
            "HPCA H+ and O+ densities from MMS1 on 7 Sept 2017",
            [f"mms1_hpca_{name}_number_density" for name in ("hplus", "oplus")],
        ),
        ("HOPE omni H+ and O+ fluxes from RBSP-B 12 Sep 2014", ["FPDO", "FODO"]),
        ("EPI-Hi LET1 side A He, O and Fe fluxes, 2 Nov 2022", ["A_He_Flux", "A_O_Flux", "A_Fe_Flux"]),
        ("STA SEPT electrons, sunward telescope, 2013-03-05", ["Spec_2_E"]),
        ("GOES-8 electrons > 2 MeV in April 2000", ["E2"]),
        ("SIS oxygen intensity ACE, 4-8 Nov 2001", ["flux_O"]),
        ("Cluster 3 CIS-HIA density and velocity for 1 October 2001", ["N_HIA", "V_HIA_xyz_gse"]),
        ("CNOFS magnetic field 18 Jan 2012", ["B_north", "B_up", "B_west"]),
    ],
)
def test_particles_energies_and_directions_choose_the_parameters(author, request_, parameters):
    assert [parameter.split("__")[0] for _, parameter in fetched(author.create(request_))] == parameters


@pytest.mark.parametrize(
    "request_",
    ["Hawkeye VLF 1 jan 1976"],
)
def test_an_instrument_with_several_such_parameters_is_asked_for(author, request_):
    assert isinstance(author.create(request_), AuthorQuestion)


def test_a_spacecraft_of_the_table_keeps_its_quantities_beside_one_of_the_catalogue(author):
    draft = author.create("SOHO SEM EUV first order flux and ACE SWEPAM speed, 8 Mar 2004")
    assert ("AC_H0_SWE", "Vp") in fetched(draft)
    assert all(dataset.startswith(("AC_H0_SWE", "SOHO_CELIAS-SEM")) for dataset, _ in fetched(draft))
    assert len(fetched(draft)) == 2


def test_the_instrument_that_is_named_holds_for_the_quantities_behind_it(author):
    lep = author.create("Geotail LEP ion density and Vx GSM, 1996-01-10")  # not the velocity of CPI
    assert fetched(lep) == [("GE_EDA12SEC_LEP", "Ni"), ("GE_EDA12SEC_LEP", "VGSM")]
    beside = author.create("Wind EPACT LEMT iron and bulk speed, 1-3 Oct 1998")
    assert fetched(beside) == [("WI_L2-5MIN-SEP_EPACT-LEMT", "flux_Fe"), ("WI_H1_SWE", "Proton_V_nonlin")]


def test_five_minute_omni_data_are_those_of_the_archive(author):
    draft = author.create("plasma beta OMNI 5 min 2020-01-01 to 2020-01-07")
    assert fetched(draft) == [("OMNI_HRO_5MIN", "Beta")]
    assert [step["tool_name"] for step in draft.template["steps"]] == ["fetch_data", "render_spec"]


@pytest.mark.parametrize(
    ("request_", "parameter", "letters"),
    [
        ("Interball-Tail CORALL Vx and Vy, 1996-01-12", "IT_K0_COR.Vi_GSE", "xy"),
        ("Interball-Tail CORALL Vx, key parameters, 1996-01-12", "IT_K0_COR.Vi_GSE", "x"),
        ("Geotail editor-B LEP Vx, 1996-12-10", "GE_EDB12SEC_LEP.VGSE", "x"),
        ("Geotail LEP ion velocity Vz, editor-A, 1996-12-10", "GE_EDA12SEC_LEP.VGSE", "z"),
        ("Geotail LEP Vx GSM, 1996-12-10", "GE_EDA12SEC_LEP.VGSM", "x"),
        ("C3 EDI Ey, 2002-02-18", "C3_CP_EDI_SPIN.E_xyz_gse__C3_CP_EDI_SPIN", "y"),
        ("Cluster-2 EFW Ex, 2005-03-10", "C2_CP_EFW_L3_E3D_INERT.E_Vec_xyz_ISR2__C2_CP_EFW_L3_E3D_INERT", "x"),
        ("Interball Tail Bx, 1997-01-10", "IT_H0_MFI.B_GSE_cart", "x"),
        ("C3 EDI drift velocity, all components, 2002-02-18", "C3_CP_EDI_SPIN.V_ed_xyz_gse__C3_CP_EDI_SPIN", ""),
        ("DMSP F17 SSIES Vy, 2013-03-17", "DMSP-F17_SSIES-3_THERMAL-PLASMA.vy", ""),
        ("Ulysses SWOOPS alpha VR, 1998", "UY_ALPHA-MOMENTS_SWOOPS.VR", ""),
        ("Ulysses SWOOPS alpha speed, 1998", "UY_ALPHA-MOMENTS_SWOOPS.V_MAG", ""),
    ],
)  # fmt: skip
def test_a_component_of_a_vector_of_the_catalogue(author, request_, parameter, letters):
    draft = author.create(request_)
    assert [".".join(pair) for pair in fetched(draft)] == [parameter]
    steps = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "components"]
    assert [args["keep"] for args in steps] == [[letter] for letter in letters]


@pytest.mark.parametrize(
    "request_",
    [
        "C3 EDI Vr, 2002-02-18",  # no vector in RTN
        "Interball-Tail CORALL Bx, 1996-01-12",
        "Voyager 1 Bx, 1998-09-24",  # not |B|
        "Polar EFI Ez, 1998-09-24",
        "Cluster-1 CODIF O+ Vx, 2002-02-18",  # neither a flux of O+ nor the velocity of protons
        "Cluster-1 CODIF O+ density and Vx, 2002-02-18",  # not the velocity of protons
        "RBSP-A EFW spin-fit electric field, 2013-06-01",  # not the number of points of the fit
        "DE-2 NACS mean N2 density, 1982-01-10",
        "ACE SWICS mean, 2005-01-01 to 2005-01-31",
        "Solar Orbiter EPD STEP ions pixel 3, 2023-05-12",
    ],
)
def test_no_other_component_or_mean_is_drawn(author, request_):
    with pytest.raises(NotUnderstood):
        author.create(request_)


def test_a_speed_is_the_length_of_the_velocity(author):
    draft = author.create("MMS1 HPCA O+ speed, 2016-12-19")
    assert [pair[1] for pair in fetched(draft)] == ["mms1_hpca_oplus_ion_bulk_velocity_GSM"]
    assert [step["tool_name"] for step in draft.template["steps"]] == [
        "fetch_data",
        "magnitude",
        "render_spec",
    ]


def test_an_angle_to_a_component_is_not_the_component(author):
    question = author.create("Van Allen Probe A EFW Ey, 2013-06-01")
    assert isinstance(question, AuthorQuestion)
    assert not any("angle_Ey" in choice or "VxB_mgse" in choice for choice in question.choices)


@in_one_test(
    ("request_", "parameters"),
    [
        ("ACE SWICS mean charge state of iron, 2005-01-01 to 2005-01-31", ["AC_H2_SWI.avqFe"]),
        ("ACE SWICS mean oxygen charge state, 2005-01-01 to 2005-01-31", ["AC_H2_SWI.avqO"]),
        ("ACE SWICS oxygen charge state ratio, 2005-01-01 to 2005-01-31", ["AC_H2_SWI.O7to6"]),
        ("Ulysses SWICS average iron charge, 1996", ["UY_M1_SCS.FECHARGE"]),
        ("STEREO-A PLASTIC mean charge of iron, may 2007", ["STA_L2_PLA_IRON_Q_2HR.Fe_aveQ"]),
        ("New Horizons SWAP pickup ion temperature 2009 to 2023", ["NEW_HORIZONS_SWAP_PICKUP-IONS.TEMPERATURE"]),
        ("LANL 1994 MPA hot proton temperature 2003-11-20", ["L4_K0_MPA.temp_hip"]),
        ("LANL-97A MPA cold ion density, 2003-11-20", ["L7_K0_MPA.dens_lop"]),
        ("CRRES MEA 90-degree flux, 24 march 1991", ["CRRES_H0_MEA.Jper"]),
        ("CRRES MEA average flux, 24 march 1991", ["CRRES_H0_MEA.J_ave"]),
        ("CRRES McIlwain L, 24 march 1991", ["CRRES_H0_MEA.L"]),
        (
            "CIRBE REPTile-2 L2 electron spectrogram (FEDU) with McIlwain L underneath, 2023-05-01",
            ["CIRBE_REPTILE-2_L2_RNG_ELECS.FEDU", "CIRBE_REPTILE-2_L2_RNG_ELECS.L_McIlwain"],
        ),
        ("DE-2 NACS atomic oxygen density, 1982-01-10", ["DE2_NEUTRAL1S_NACS.O_density"]),
        ("DMSP F17 SSIES plasma density, 2013-03-17", ["DMSP-F17_SSIES-3_THERMAL-PLASMA.dens"]),
        ("Ulysses URAP RAR average spectrogram 1992-02-08", ["UY_M0_RARA.Intensity"]),
        ("MAVEN STATIC D8 rates 2015-03-08 05:00-10:00", ["MVN_STA_L2_D8-12R1E.rates"]),
        ("Solar Orbiter STEP integral flux (main file), 12 may 2023", ["SOLO_L2_EPD-STEP-MAIN.Integral_Avg_Flux"]),
        ("Solar Orbiter STEP pixel 3 integral flux, 2023-05-12", ["SOLO_L2_EPD-STEP-MAIN.Integral_03_Flux"]),
        ("RBSP-B RBSPICE TOFxE protons, 29-30 June 2013", ["RBSP-B-RBSPICE_LEV-3-PAP_TOFXEH.FPDU"]),
        ("MMS1 HPCA O+ Tperp, 2016-12-19", ["MMS1_HPCA_SRVY_L2_MOMENTS.mms1_hpca_oplus_tperp"]),
        (
            "MMS1 HPCA O+ parallel temperature, 2016-12-19",
            ["MMS1_HPCA_SRVY_L2_MOMENTS.mms1_hpca_oplus_tparallel"],
        ),
        ("SAMPEX electron differential flux, 1997-01-01 to 1997-03-31", ["SX_K0_POF.Elect_Dif_Flx"]),
        ("Solar Orbiter magnetic field in VSO coordinates, 2021-06-01", ["SOLO_L2_MAG-VSO-NORMAL-1-MINUTE.B_VSO"]),
        ("ISEE-3 proton flow latitude, 1979-03-10", ["ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA.Vp_lat"]),
        ("Voyager 1 48 s VIM field strength, 2012-07-01 to 2012-10-01", ["VOYAGER1_48S_MAG-VIM.F1"]),
        ("STEREO-A merged hourly field strength, july 2008", ["STA_COHO1HR_MERGED_MAG_PLASMA.B"]),
        ("wave normal angle, Van Allen Probe A, 2013-03-17", ["RBSP-A_WNA-SURVEY_EMFISIS-L4.thsvd"]),
        ("RBSP-B EMFISIS WNA and ellipticity, 2013-03-17",
         ["RBSP-B_WNA-SURVEY_EMFISIS-L4.thsvd", "RBSP-B_WNA-SURVEY_EMFISIS-L4.ellsvd"]),
        ("azimuthal angle of the wave vector, RBSP-A, 2013-03-17", ["RBSP-A_WNA-SURVEY_EMFISIS-L4.phsvd"]),
        ("CNOFS uncorrected ion velocity, 2010-01-01", ["CNOFS_CINDI_IVM_500MS.Vx"]),
        (
            "IMP 8 MIT plasma: bulk speed and density, 13 March 1989",
            ["I8_H0_MITPLASMA.V_fit", "I8_H0_MITPLASMA.proton_density_fit"],
        ),
        ("wind waves rad1 spectrogram, 28 oct 2003", ["WI_L2_WAV_RAD1.PSD_V2_SP"]),
        ("H component at station GILL, 2017-09-08", ["THG_L2_MAG_GILL.thg_magh_gill"]),
        ("DMSP F18 fraction of H+, 2015-03-17", ["DMSP-F18_SSIES-3_THERMAL-PLASMA.frach"]),
        *(  # the drift that is measured, and no corotation
            (f"DMSP F16 {words}, 2015-03-17", [f"DMSP-F16_SSIES-3_THERMAL-PLASMA.{name}" for name in names])
            for words, *names in (
                ("ion density and horizontal drift velocity", "dens", "vy"),
                ("vertical drift velocity", "vz"),
                ("horizontal velocity", "vy"),
                ("velocity in the ram direction", "vx"),
                ("horizontal corotation velocity", "corvely"),
            )
        ),
        ("C/NOFS vertical drift velocity, 2010-03-17", ["CNOFS_CINDI_IVM_500MS.ionVelocityZ"]),
        *(  # the magnetometer, unless the sentence names the receiver
            (f"Hawkeye {words}, 1975-07-01", [parameter])
            for words, parameter in (
                ("|B|", "HK_H0_MAG.B_total"),
                ("magnetic field strength", "HK_H0_MAG.B_total"),
                ("VLF |B|", "HK_H0_VLF.BAVE"),
            )
        ),
        ("Arase MGF GSM vector, 8s, 2017-09-08", ["ERG_MGF_L2_8SEC.mag_8sec_gsm"]),
        ("Arase MGF, 2017-09-08", ["ERG_MGF_L2_8SEC.mag_8sec_gse"]),
        ("Arase MGF IGRF field, 2017-09-08", ["ERG_MGF_L2_8SEC.igrf_8sec_gsm"]),
    ],
)  # fmt: skip
def test_words_that_people_use_for_what_the_catalogue_describes(author, request_, parameters):
    steps = [step["tool_args"] for step in author.create(request_).template["steps"]]
    first = [args.get("candidates", [args])[0] for args in steps]
    assert [
        f"{arg['dataset_id']}.{arg['parameter_id']}" for arg in first if "dataset_id" in arg
    ] == parameters


def test_a_spectrogram_of_one_component_of_the_catalogue_is_one(author):
    steps = author.create("spectrogram of MMS1 search coil Bz, 2017-07-11 22:30 to 22:40").template["steps"]
    assert [step["tool_name"] for step in steps] == [
        "fetch_data",
        "components",
        "power_spectrogram",
        "render_spec",
    ]
