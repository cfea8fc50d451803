"""Formulas, quantities computed from others, windows and statistics in sentences for new pipelines."""

import json
import re

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.authoring.rules.reading.formulas import with_words
from helio.authoring.writing.computations import DERIVED
from helio.authoring.writing.windows import usual_window
from helio.knowledge.quantity_words import WORDS
from tests.rows import in_one_test


@in_one_test(
    ("formula", "words"),
    [
        ("dBz/dt at ACE", "time derivative of Bz at ACE"),
        ("d(SYM-H)/dt", "time derivative of SYM-H"),
        ("d|B|/dt", "time derivative of |B|"),
        ("dPhi/dt", "Newell coupling function"),
        ("-VxB at Wind", "convection electric field at Wind"),
        ("convection electric field -V x B from MMS2", "convection electric field from MMS2"),
        ("VxB at Wind", "VxB at Wind"),
        ("T_perp/T_par", "ion temperature anisotropy"),
        ("Te_perp / Te_par", "electron temperature anisotropy"),
        ("Tpara/Tperp", "ratio of parallel ion temperature to perpendicular ion temperature"),
        ("Ti/Te", "ion to electron temperature ratio"),
        ("DES density, Tpara", "DES density, parallel electron temperature"),
        ("parallel and perpendicular velocity", "parallel velocity and perpendicular velocity"),
        ("cone and clock angle", "cone angle and clock angle"),
        ("magnetopause standoff (Shue)", "magnetopause standoff"),
        ("Shue et al. (1998) magnetopause", "magnetopause standoff distance"),
        ("distance of PSP from the Sun", "heliocentric distance of PSP"),
        ("normal component of B", "B_N"),
        ("Ey = -VxBz at L1", "convective Ey at L1"),
        ("SYM-H* and Dst*", "pressure-corrected SYM-H and pressure-corrected Dst"),
        ("MMS curl B current density", "MMS curlometer current density"),
        ("ion and electron gyroradius", "ion gyroradius and electron gyroradius"),
        ("ion and electron T_par", "parallel ion temperature and parallel electron temperature"),
        ("proton, alpha and electron density", "proton density and alpha density and electron density"),
        ("electron gyroradius and inertial length", "electron gyroradius and electron inertial length"),
        ("alpha to proton ratio and density", "alpha to proton ratio and density"),
        ("electron density and plasma beta", "electron density and plasma beta"),
        ("temperature and density of the electrons", "electron temperature and electron density"),
        ("field elevation and azimuth", "field elevation and field azimuth"),
        ("density and dynamic pressure", "density and dynamic pressure"),
        ("Pc5 band-pass of Bz", "1.67 to 6.67 mHz Pc5 band-pass of Bz"),
        ("n*T and Bz", "n times T and Bz"),
        ("distance between PSP and the Sun", "heliocentric distance of PSP"),
        ("n*Vx", "n times Vx"),
        ("Pth/Pmag and V/VA ratio", "ratio of Pth to Pmag and ratio of V to VA"),
        ("Bz/|B|, L/MLT, B/V/n", "ratio of Bz to |B|, L/MLT, B/V/n"),
        ("rho V^2", "dynamic pressure"),
        ("E + V×B", "E + V cross product B"),
        ("E×B drift and Pc1", "E×B drift and 200 to 5000 mHz Pc1"),
        ("f = V/(2π d_i) at Wind", "frequency of the proton inertial length at Wind"),
        ("fast Mach number V/sqrt(V_A²+C_s²) of ACE", "fast Mach number of ACE"),
        ("polar cap potential (Boyle et al. 1997), AE", "transpolar potential , AE"),
        ("Boyle potential and Newell coupling", "Boyle potential and Newell coupling"),
        (
            "Taylor frequencies of the ion gyroradius and the inertial length",
            "Taylor frequencies of the ion gyroradius and Taylor frequencies of the ion inertial length",
        ),
        ("speed of ACE next to Dst", "speed of ACE and Dst"),
        ('title "dB/dt and -VxB"', 'title "dB/dt and -VxB"'),
    ],
)
def test_a_formula_is_written_in_words(formula, words):
    assert " ".join(with_words(formula).split()) == words


def made(author, sentence):
    """Return the tools of a draft with their arguments that are no labels, and how many panels it has."""
    came = author.create(sentence)
    assert isinstance(came, TemplateDraft), came
    steps = came.template["steps"]
    tools = {
        step["tool_name"]: {
            key: value for key, value in step["tool_args"].items() if not key.endswith(("label", "labels"))
        }
        for step in steps
    }
    spec = next(step["tool_args"]["spec"] for step in steps if step["tool_name"] == "render_spec")
    return tools, len(spec["panels"])


@in_one_test(
    ("sentence", "tool", "args"),
    [
        ("-VxB at Wind, 5 Nov 2011", "electric_field", {}),
        ("dn/dt at Wind 2011-10-24", "derivative", {}),
        ("temperature anisotropy of MMS2, 2017-07-11", "arithmetic", {"operation": "divide"}),
        ("Ti/Te at THEMIS-D 2011-10-24", "arithmetic", {"operation": "divide"}),
        ("total field minus IGRF at Arase, 2017-09-08", "arithmetic", {"operation": "subtract"}),
        (
            "sigma_c at Wind, 30 min windows, 2009-05-03",
            "cross_helicity",
            {"give": "cross_helicity", "window": "30min"},
        ),
        (
            "residual energy of Wind, 1 h, 2009-05-03",
            "cross_helicity",
            {"give": "residual_energy", "window": "1h"},
        ),
        ("distance between MMS1 and MMS2, 2015-10-16", "magnitude", {}),
        ("fce at RBSP-B from EMFISIS |B|, 2013-06-01", "gyrofrequency", {"particle": "electron"}),
        ("proton plasma frequency at ACE 2005-01-21", "plasma_frequency", {"particle": "proton"}),
        ("E parallel to B, MMS1, 2016-10-22", "along_field", {"give": "parallel"}),
        ("V component along B at Wind 2011-10-24", "along_field", {"give": "parallel"}),
        ("alpha-proton drift speed |Va-Vp| at Wind, 1999-05-10", "magnitude", {}),
        ("Alfvén speed at THD from FGM and ESA ions, 2011-10-24", "alfven_speed", {"assumed_alpha": 0.04}),
        ("Shue magnetopause, 17 march 2015", "shue_standoff", {}),
        (
            "Bz of ACE minus its 2 h running mean, 2011-10-24",
            "detrend",
            {"method": "running_mean", "window": "2h"},
        ),
        (
            "detrended Bz (1 h running mean), Wind 2011-10-24",
            "detrend",
            {"method": "running_mean", "window": "1h"},
        ),
        ("std of |B| in 5 min bins, Wind, 2011-10-24", "statistics", {"interval": "5min", "of": ["std"]}),
        ("daily mean and maximum of Kp in 2005", "statistics", {"interval": "1d", "of": ["mean", "max"]}),
        ("PSD of Bz at ACE 2005-01-21", "power_spectrum", {"window": "2h"}),
        ("despike ACE |B| on 2005-01-21", "despike", {"window": "2min"}),
        ("IMP 8 cone angle, 15 s field, 20.02.1998", "cone_angle", {}),
        ("gaps up to 5 min filled in ACE density, Jan 2005", "interpolate", {"limit": "5min"}),
        ("ACE density without values above 100, Jan 2005", "mask", {"where": ">", "value": 100.0}),
        (
            "spectral slope of Bz between 0.01 and 0.1 Hz at Wind 2002-02-10",
            "spectral_slope",
            {"low": 0.01, "high": 0.1},
        ),
        ("power of ACE Bz in the 1-5 mHz band, 2011-10-24", "band_integral", {"bands": [[0.001, 0.005]]}),
        ("Pc5 power 2-7 mHz of |B| at THEMIS-A, 2008-02-26", "band_integral", {"bands": [[0.002, 0.007]]}),
        ("low-pass filtered Bz at ACE below 1 mHz, 2011-10-24", "band_pass", {"high": 0.001}),
        ("angle between V and B at ACE, 2005-01-21", "angle_between", {}),
        ("J from the curlometer, MMS burst, 2017-07-11 22:33-22:35", "curlometer", {}),
        ("storm phases in Dst, 2003", "storm_phases", {}),
        (
            "superposed epoch of Vsw around the onsets of intense storms, 2000-2004, 1 day before to 3 days after",
            "superposed_epoch",
            {"before": "1d", "after": "3d", "bin": "1h"},
        ),
        (
            "spectrogram (dynamic power spectrum) of |B| at DSCOVR, 2017-09-07",
            "power_spectrogram",
            {"window": "20min"},
        ),
        ("PSP distance in solar radii, Dec 2024", "convert_units", {"to": "R_Sun"}),
        ("MMS1 distance from Earth in R_E, 2017-07-11", "convert_units", {"to": "R_E"}),
        ("E×B drift at MMS1, 2015-10-16", "exb_drift", {}),
        ("latitude angle of the IMF at Wind, 2000-10-03", "direction_angle", {"give": "elevation"}),
        ("epsilon of Akasofu, 17 March 2015", "akasofu_epsilon", {}),
        ("Kan-Lee field, 17 March 2015", "kan_lee_field", {}),
        ("cross polar cap potential, 17 March 2015", "polar_cap_potential", {}),
        ("magnetic sector polarity at ACE, 2008", "field_spiral_angle", {"give": "polarity"}),
        ("Dst predicted by Burton et al. 1975, May 2005", "burton_dst", {"model": "burton"}),
        ("total pressure at Wind, 1995-10-18", "arithmetic", {"operation": "add"}),
        (
            "beta of Wind with electrons of 140000 K, 2015-06-22",
            "plasma_beta",
            {"electron_temperature": 140000.0},
        ),
        ("beta of ACE for Te = 12 eV, 2005-06-22", "plasma_beta", {"electron_temperature": 139254.0}),
        ("ACE Alfvén speed assuming 5 % helium, 2005-06-22", "alfven_speed", {"assumed_alpha": 0.05}),
        (
            "Parker angle of OMNI, source radius 2.5 Rs, 2009-04-01",
            "parker_angle",
            {"source_radius": 2.5, "distance": 1.0},
        ),
        ("Dst* with the Burton coefficients, May 2005", "pressure_corrected_dst", {"model": "burton"}),
        ("flaring parameter of the Shue magnetopause, May 2005", "shue_standoff", {"give": "flaring"}),
        ("SYM-H with the storm onset marked, 6-9 Sept 2017", "storm_phases", {"give": "onset"}),
        (
            "minima of all intense storms (Dst below -120 nT), 2015",
            "storm_phases",
            {"give": "minimum", "threshold": -120.0},
        ),
        ("V times Bz south at Wind, 2005-08-24", "vbs", {}),
        ("Kan & Lee (1979) merging field at Wind, 2005-08-24", "kan_lee_field", {}),
        ("magnetic shear between MMS1 and OMNI, 2015-10-16", "angle_between", {}),
        ("ACE Bz shifted to the bow shock nose, 2012-07-15", "ballistic_shift", {"to_x": 90000.0}),
        ("Alfvénicity at Wind, 2005-01-10", "cross_helicity", {"give": "cross_helicity", "window": "1h"}),
        ("lag between ACE and Wind Bz, 2012-07-15", "cross_correlation_lag", {"longest": "2h"}),
        ("Pc4 waves in Bz at THEMIS-A, 2008-02-26", "band_pass", {"low": 0.00667, "high": 0.0222}),
        ("downsample MMS1 B to 1 s, 2015-10-16 13:00-13:10", "resample", {"cadence": "1s", "method": "mean"}),
        (
            "interpolate ACE speed to a 5 min grid, 2005-01-21",
            "interpolate",
            {"limit": "15min", "cadence": "5min"},
        ),
        ("drop ACE density below 0.1 cm^-3, May 1999", "mask", {"where": "<", "value": 0.1}),
        ("subtract the mean from Wind |B|, 2005-01-10", "detrend", {"method": "mean"}),
        ("Wind |B| minus its mean, 2005-01-10", "detrend", {"method": "mean"}),
        ("Wind |B| deviation from the mean, 2005-01-10", "detrend", {"method": "mean"}),
        ("MVA of the shock, Wind 2000-10-03 16:00-17:00", "minimum_variance", {}),
        (
            "spectral break of |B| between 0.01 and 1 Hz at Wind 2002-02-10",
            "spectral_break",
            {"low": 0.01, "high": 1.0},
        ),
        (
            "cross correlate Bz of ACE and Wind on 2011-10-24 with lags up to 90 min",
            "cross_correlation_lag",
            {"longest": "90min"},
        ),
    ],
)
def test_a_formula_asks_for_its_tool_and_draws_nothing_else(author, sentence, tool, args):
    tools, panels = made(author, sentence)
    assert tools[tool] == args
    assert panels == 1


@pytest.mark.parametrize(
    ("sentence", "drawn"),
    [
        ("plasma frequency from the ACE density, and the density itself, 2001-04-01", ["ACE_n_fpe", "ACE_n"]),
        (
            "Wind SWE temperature from the thermal speed, and the bulk speed, 2010-04-01",
            ["Wind_W_T", "Wind_V"],
        ),
        ("proton plasma frequency (f_pi, kHz) from Wind Np, 2021-11-02", ["Wind_n_fpp"]),
        ("compute the Newell coupling with ACE plasma and field data for 2003-10-29", ["ACE_Newell"]),
        ("beta of SolO from PAS and MAG, 2022-03-08", ["SolO_beta"]),
        ("plasma frequency from the PSP FIELDS density, 2021-04-29", ["PSP_Ne_fpe"]),
        ("Dst and the phases of the storm, 9-14 May 2024", ["OMNI_Dst", "OMNI_Dst_stormsDst"]),
    ],
)
def test_what_a_quantity_is_computed_from_is_not_drawn_beside_it(author, sentence, drawn):
    assert author.create(sentence).template["steps"][-1]["tool_args"]["spec"]["labels"] == drawn


def test_an_upper_hybrid_frequency_takes_the_protons_that_the_sentence_names(author):
    for density, parameter in (("proton density", "Proton_Np_nonlin"), ("electron density", "N_elec")):
        came = author.create(f"upper hybrid frequency of Wind from the {density} and field, 2005-01-10")
        assert parameter in json.dumps(came.template)


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("SYM-H with 4 % helium, May 2024", "no computation of the figure takes the assumed alpha"),
        (
            "alpha temperature at Wind from the alpha thermal speed of SWE, 2005-01-10",
            "does not know all words",
        ),
        ("specific entropy of alphas at Wind, 2004-05-03", "cannot compute"),
        ("dynamic pressure from Wind density, speed and Bz, 2010-04-01", "not from other data"),
    ],
)
def test_a_computation_does_not_lose_what_it_should_take(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


def test_the_axes_of_minimum_variance_are_those_of_the_field(author):
    tools, panels = made(author, "B and V in LMN, MMS1 2015-10-16 13:05-13:08")
    assert tools["minimum_variance"] == {"give": "axes"}
    assert (tools["rotate_to_axes"], panels) == ({}, 2)


@pytest.mark.parametrize("named", ["V in GSM and B in LMN", "B in LMN and V in GSM"])
def test_only_the_field_turns_to_its_axes_if_the_velocity_has_a_frame(verified_author, named):
    came = verified_author.create(f"{named}, MMS1 2015-10-16 13:05-13:08")
    assert sorted(came.template["steps"][-1]["tool_args"]["spec"]["labels"]) == [
        "MMS1_B_lmn",
        "MMS1_Vvec_gsm",
    ]
    assert came.proved.diagnostics == ()


def test_a_walen_test_draws_each_component_with_a_fit(author):
    came = author.create("Walén test, THEMIS-E 2008-07-14 04:00-05:00")
    spec = came.template["steps"][-1]["tool_args"]["spec"]
    assert [(entry["x"][-2:], entry["y"][-2:], entry["fit"]) for entry in spec["xy"]] == [
        (f".{letter}", f".{letter}", "linear") for letter in "xyz"
    ]


@pytest.mark.parametrize(
    ("sentence", "up", "across"),
    [
        ("hodogram of B in LMN, Wind 2000-10-03 17:00-18:00", "Wind_B_lmn.l", "Wind_B_lmn.m"),
        ("hodogram of B in RTN, Solar Orbiter 2022-03-10 01:00-02:00", "SolO_B.n", "SolO_B.t"),
        ("hodogram of B, Wind 2000-10-03 17:00-18:00", "Wind_B.z", "Wind_B.y"),
    ],
)
def test_a_hodogram_takes_components_that_its_vector_has(author, sentence, up, across):
    spec = author.create(sentence).template["steps"][-1]["tool_args"]["spec"]
    assert spec["xy"] == [{"x": across, "y": up, "type": "hodogram"}]


def test_a_limit_with_a_unit_holds_for_the_data_that_have_it(author):
    tools, _ = made(author, "remove values above 20 nT from ACE |B| and speed, Oct 2003")
    assert tools["mask"] == {"where": ">", "value": 20.0}


def test_every_computed_quantity_is_read_by_its_first_phrase(author):
    """All recipes: the words of the quantity give its tool, or a question about its window or spacecraft."""
    symbols = {row.quantity: row.symbol for row in WORDS}
    for quantity, recipe in DERIVED.items():
        craft = (
            "MMS1" if re.search("lectron|electric|ion temp|E×B|parallel|perpendicular", quantity) else "Wind"
        )
        came = author.create(f"{quantity} of {craft} on 2017-07-11")
        if isinstance(came, AuthorQuestion):
            assert recipe.window
            continue
        labels = json.dumps(came.template)
        assert symbols[quantity] in labels, quantity


def test_a_usual_window_is_round_and_has_enough_records():
    assert usual_window("power_spectrum", 60.0, 3600.0) == "1h"
    assert usual_window("power_spectrogram", None, 86400.0) == "30min"


def test_frequencies_ask_for_data_that_are_fine_enough(author):
    """The 60 s field of Wind has no frequencies up to 0.1 Hz."""
    came = author.create("spectral slope of Bz between 0.01 and 0.1 Hz at Wind 2002-02-10")
    assert "B3GSE" in json.dumps(came.template)


def test_an_orbit_is_drawn_in_its_plane(author):
    came = author.create("ACE orbit in the GSE xy plane, 2001")
    spec = came.template["steps"][-1]["tool_args"]["spec"]
    assert spec["orbits"] == [{"of": "ACE_position", "plane": "xy"}]


def test_storms_are_found_in_dst_with_the_limit_of_the_sentence(author):
    tools, _ = made(author, "superposed epoch of Bz at the minima of Dst below -120 nT, 1998-2003")
    assert tools["storm_phases"] == {"threshold": -120, "give": "minimum"}


@pytest.mark.parametrize(
    "sentence",
    [
        "parallel electric field of Wind 2011-10-24",  # -VxB has none
        "Dst, lower hybrid frequency at Wind 2011-10-24",
        "variance of Bz, Wind, 2011-10-24",
    ],
)
def test_what_no_tool_computes_is_refused(author, sentence):
    with pytest.raises(NotUnderstood):
        author.create(sentence)


@pytest.mark.parametrize("spacecraft", ["Cluster 1", "MMS 2"])
def test_the_number_of_a_spacecraft_is_no_day_of_the_date_behind_it(author, spacecraft):
    came = author.create(f"wavelet spectrum of |B| at {spacecraft}, 2017-02-14 10:00-14:00")
    (variable,) = came.template["variables"].values()
    assert variable["default"] == "2017-02-14T10:00:00 to 2017-02-14T14:00:00"


def test_a_slope_takes_the_window_of_the_sentence(author):
    came = author.create("Wind B spectral slope 0.005-0.1 Hz in 1 h windows, 12 Feb 2008")
    [window] = [
        step["tool_args"]["window"]
        for step in came.template["steps"]
        if step["tool_name"] == "power_spectrogram"
    ]
    assert window == "1h"
