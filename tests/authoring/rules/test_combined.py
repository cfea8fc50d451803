"""Requests for several quantities: each draws what its parts draw alone, and nothing else."""

from functools import cache

import pytest

from benchmarks.authoring.graph import read_graph
from helio.authoring.outcome import NotUnderstood, TemplateDraft
from tests.authoring.rules.conftest import NOW
from tests.rows import in_one_test

# The request with {} in the place of the spacecraft and the time, and its parts; the last of each row is the time.
COMBINED = (
    ("{} e- density, B in GSE, parallel electron temperature {}", "Cluster-2", "2013-09-04",
     ("e- density", "B in GSE", "parallel electron temperature")),
    ("{} potential, E field, orbit {}", "MMS2", "2020-11-23", ("potential", "E field", "orbit")),
    ("{} IMF & latitude {}", "MESSENGER", "2010-12-02", ("IMF", "latitude")),
    ("{}: alpha density + number density, {}", "Helios-2", "1977-05-06", ("alpha density", "number density")),
    ("{} ion Vx and Bz (gsm), {}", "THEMIS-D", "2008-02-26", ("Vx GSM", "Bz GSM")),
    ("{} overview with beta, {}", "Wind", "2012-07-15", ("B", "n", "V", "T", "beta")),
    ("three panels with ions, electron density and |B| of {}, {}", "THEMIS-C", "2019-08-10",
     ("ions", "electron density", "|B|")),
    ("ions, heliocentric distance ({}, {})", "Parker Solar Probe", "2021-07-09",
     ("ions", "heliocentric distance")),
    ("{} Te parallel and parallel ion temperature, {}", "MMS1", "2018-11-11",
     ("parallel electron temperature", "parallel ion temperature")),
    ("{} electron spectrogram | T_par | Te parallel, {}", "MMS3", "2021-07-01",
     ("electron spectrogram", "parallel ion temperature", "parallel electron temperature")),
    ("{} ion density, solar wind speed, R {}", "New Horizons", "2019-10-11",
     ("ion density", "solar wind speed", "R")),
    ("{} position, by gsm and temperature {}", "ACE", "2011-10-01", ("position GSM", "By GSM", "temperature")),
    ("{} parallel electron temperature and HPCA H+ velocity, {}", "MMS1", "2018-03-05",
     ("parallel electron temperature", "HPCA H+ velocity")),
    ("CRIS carbon and proton speed from {} on {}", "ACE", "2005-01-20", ("CRIS carbon", "proton speed")),
    ("{} B vector, REPT electrons 2 MeV and parallel ion temperature, {}", "RBSP-A", "2015-03-17",
     ("B vector", "REPT electrons 2 MeV", "parallel ion temperature")),
    ("{} sunward EPT electrons 100 keV and electron density, {}", "Solar Orbiter", "2022-03-10",
     ("sunward EPT electrons 100 keV", "electron density")),
    ("{} bx and by {}", "MMS1", "2017-07-11", ("Bx", "By")),
    ("{} B and B smoothed 10 s {}", "MMS1", "2017-07-11", ("B", "B smoothed 10 s")),
    ("{} bz with its wavelet {}", "GOES-13", "2013-03-17", ("Bz", "wavelet of Bz")),
    ("{} Bz time series and spectrogram {}", "RBSP-A", "2013-03-17", ("Bz", "spectrogram of Bz")),
    ("{} ExB and ion velocity {}", "MMS1", "2017-07-11", ("E×B drift velocity", "ion velocity")),
    ("{} B detrended 10 min {}", "MMS3", "2017-07-11", ("B minus its 10 min running mean",)),
    ("{} |B| of the 1 min averaged B, {}", "MMS1", "2017-07-11", ("magnitude of 1 min averages of B",)),
    ("{} bz scale 0-150 nT {}", "GOES-13", "2013-03-17", ("Bz",)),
    ("{} V, N, Bz GSM, {}", "OMNI", "2015-03-17", ("flow speed", "density", "Bz GSM")),
    ("{} Vp & IMF Bz in GSM, {}", "DSCOVR", "2017-09-07", ("bulk speed", "Bz GSM")),
    ("{} 5 min B and 1 h speed {}", "Wind", "2024-05-10", ("5 min B", "1 h speed")),
    ("{} B and hourly plasma {}", "ACE", "2005-01-20", ("B", "hourly V", "hourly n", "hourly Tp")),
    ("{} Vp and hourly Vp {}", "STEREO-A", "2012-07", ("Vp", "hourly Vp")),
    ("{} |B| daily mean and daily max {}", "Parker Solar Probe", "2021", ("daily mean |B|", "daily max |B|")),
    ("{} density and the derivative of the speed {}", "ACE", "2003-11-20",
     ("density", "derivative of the speed")),
    ("smooth {} Vp with 3 h and Np with 1 h, {}", "STEREO-A", "2012-07",
     ("3 h running mean of Vp", "1 h running mean of Np")),
    ("{} Vp, Np with 1 h running mean of Np only {}", "Wind", "2024-05-10",
     ("Vp", "1 h running mean of Np")),
    ("{}: proton T, n | SYM/H - {}", "OMNI", "2003-10-29", ("proton temperature", "density", "SYM-H")),
    ("{} density, T and Vx of the ions and electrons {}", "MMS1", "2017-07-11",
     ("density", "temperature", "Vx", "electron density", "electron temperature", "electron Vx")),
    ("{} ion n, velocity, electron n, T {}", "THEMIS-D", "2008-02-26",
     ("density", "velocity", "electron density", "electron temperature")),
    ("{} electron and ion moments, {}", "MMS1", "2017-07-11",
     ("electron density", "electron velocity", "electron temperature", "density", "velocity", "temperature")),
    ("{} ni, ne and Ve, {}", "THEMIS-D", "2008-02-26", ("density", "electron density", "electron velocity")),
    ("{} lep ion density, velocity and temperature, {}", "Geotail", "1998-07-23",
     ("lep ion density", "lep ion velocity", "lep ion temperature")),
)  # fmt: skip

OF_TWO = (
    ("{0} and {1} mag field, {2}", "Cluster-2", "MMS4", "2017-04-16", ("{0} mag field", "{1} mag field")),
    ("compare {0} and {1} electron energy spectrogram on {2}", "MMS1", "RBSP-B", "2018-04-12",
     ("{0} electron energy spectrogram", "{1} electron energy spectrogram")),
    ("{0} Np - {1} Np {2}", "ACE", "Wind", "2004-11-09", ("{0} Np minus {1} Np",)),
    ("Ne of {0} and E of {1}, {2}", "THEMIS-C", "THEMIS-D", "2015-04-22", ("{0} Ne", "{1} E")),
    ("B of {0} and Bt of {1}, {2}", "ACE", "MMS1", "2018-04-12", ("{0} B", "{1} Bt")),
    ("{0} B and {1} bz, {2}", "MMS1", "MMS2", "2017-07-11", ("{0} B vector", "{1} Bz")),
    ("{0} vi GSE, {1} vi and b GSE, {2}", "MMS1", "MMS2", "2017-07-11",
     ("{0} velocity GSE", "{1} velocity GSE", "{1} B GSE")),
    ("{0} (Tp) and {1} (V) for {2}", "Voyager-2", "OMNI", "2003-10-09", ("{0} Tp", "{1} V")),
    ("{0} Bz GSM on top, {1} Bz GSM below, {2}", "GOES-11", "ACE", "2008-04-05",
     ("{0} Bz GSM", "{1} Bz GSM")),
    ("{0} bz gsm, {2} and imf bz gsm", "GOES-13", "OMNI", "2013-03-17", ("{0} Bz GSM", "{1} Bz GSM")),
    ("{0} B and {1} B shifted to the bow shock {2}", "MMS1", "Wind", "2017-12-26",
     ("{0} B", "{1} B shifted to the bow shock")),
    ("{0} B and solar wind density {2}", "THEMIS-D", "OMNI", "2008-02-26", ("{0} B", "{1} density")),
    ("{0} Bz GSM and {1} SYM-H, Bz on top, {2}", "Wind", "OMNI", "2015-03-17", ("{0} Bz GSM", "{1} SYM-H")),
    ("{0} mag field, position and {1} mag field, {2}", "ACE", "GOES-18", "2024-01-26",
     ("{0} mag field", "{0} position GSE", "{1} mag field")),
)  # fmt: skip

# The quantities of a figure, a change, and the quantities that it draws then.
CHANGED = (
    ("GOES-15", "2014-02-10", "field components, position", "I don't need field components", ("position",)),
    (
        "MMS2",
        "2019-11-19",
        "Te parallel, electron density",
        "get rid of the Te parallel panel",
        ("electron density",),
    ),
    ("THEMIS-A", "2014-11-01", "Vx GSM, electron flux", "remove Vx GSM", ("electron flux",)),
    ("RBSP-B", "2015-04-25", "total field, electron spectrogram", "leave out Bt", ("electron spectrogram",)),
    ("GOES-13", "2015-05-15", "MLT, position", "swap position for Bz GSM", ("MLT", "Bz GSM")),
    ("GOES-13", "2015-05-15", "MLT, L-shell", "also B in GSE", ("MLT", "L-shell", "B in GSE")),
    ("GOES-13", "2015-05-15", "MLT, position", "change position to B", ("MLT", "B")),
    ("THEMIS-D", "2015-05-15", "density, velocity", "replace velocity by total field", ("density", "|B|")),
    ("New Horizons", "2015-07-29", "ion N, R", "I also want Tp", ("ion N", "R", "Tp")),
    (
        "Ulysses",
        "2003-09-10",
        "temperature, alpha density",
        "not alpha density but speed",
        ("temperature", "speed"),
    ),
    ("RBSP-B", "2015-04-25", "total field", "+ L shell", ("total field", "L shell")),
)


@cache
def drawn(author, request: str) -> frozenset[str]:
    """The data and computations that a request draws; many rows have a part of one form."""
    draft = author.create(request)
    assert isinstance(draft, TemplateDraft), f"{request}: {draft}"
    return lines_of(draft)


def lines_of(draft: TemplateDraft) -> frozenset[str]:
    return frozenset(str(line.node) for line in read_graph(draft.template, now=NOW).drawn)


def parts_of(author, requests) -> set[str]:
    return set().union(*(drawn(author, request) for request in requests))


@in_one_test(("said", "craft", "time", "parts"), COMBINED)
def test_a_request_draws_what_each_of_its_parts_draws(author, said, craft, time, parts):
    alone = parts_of(author, [f"{craft} {part}, {time}" for part in parts])
    assert drawn(author, said.format(craft, time)) == alone


@in_one_test(("said", "first", "second", "time", "parts"), OF_TWO)
def test_a_request_for_two_spacecraft_draws_what_each_of_its_parts_draws(
    author, said, first, second, time, parts
):
    alone = parts_of(author, [f"{part.format(first, second)}, {time}" for part in parts])
    assert drawn(author, said.format(first, second, time)) == alone


@in_one_test(("craft", "time", "quantities", "change", "left"), CHANGED)
def test_a_change_leaves_what_it_does_not_name(author, craft, time, quantities, change, left):
    figure = author.create(f"{craft} {quantities}, {time}").template
    draft = author.edit(change, figure)
    assert isinstance(draft, TemplateDraft), f"{change}: {draft}"
    assert lines_of(draft) == parts_of(author, [f"{craft} {part}, {time}" for part in left])


def test_a_component_of_a_drawn_vector_is_smoothed_beside_the_others(author):
    figure = author.create("ACE B, 2015-05-15").template
    draft = author.edit("smooth Bz with a 10 min running mean", figure)
    assert lines_of(draft) == {
        "AC_H0_MFI.BGSEc [x]",
        "AC_H0_MFI.BGSEc [y]",
        'running_average(AC_H0_MFI.BGSEc [z]) {"window": "10min"}',
    }


@in_one_test(
    "sentence",
    (
        "OMNI rate of change of Bz GSM together with THEMIS-A electron temperature, 2015-03-17",
        "Alfven speed of Wind and plasma beta smoothed with a 1 h boxcar of ACE, 2005-03-17",
    ),
)
def test_a_computation_beside_one_of_two_spacecraft_is_not_for_both(author, sentence):
    with pytest.raises(NotUnderstood, match="for which spacecraft"):
        author.create(sentence)


@pytest.mark.parametrize(
    ("words", "smoothed"),
    [
        ("add to the density a 1 h running mean", {"running_average": ["ACE_n"]}),
        ("n smoothed over 1 h then V", {"running_average": ["ACE_n"]}),
    ],
)
def test_a_running_mean_is_of_the_quantity_beside_it(author, words, smoothed):
    draft = author.create(f"ACE V and n: {words}, 5 Feb 2010")
    made = [step for step in draft.template["steps"] if step["tool_name"] in smoothed]
    assert [step["tool_args"]["source_label"] for step in made] == smoothed["running_average"]


def test_an_abbreviated_with_is_read(author):
    draft = author.create("OMNI AE, hourly max plot together w/ hourly mean, Nov 2020")
    (figure,) = (step for step in draft.template["steps"] if step["tool_name"] == "render_spec")
    assert figure["tool_args"]["spec"]["panels"] == [["OMNI_AE_binned", "OMNI_AE_1h_mean"]]


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("1 h running mean for Wind", [["ACE_V", "Wind_V_smooth"]]),
        ("only Wind smoothed over 1 h", [["ACE_V", "Wind_V_smooth"]]),
        ("running mean of 1 h on ACE only", [["ACE_V_smooth", "Wind_V"]]),
        ("Wind hourly", [["ACE_V", "Wind_V_binned"]]),
    ],
)
def test_a_computation_is_of_the_spacecraft_that_its_clause_names_again(author, words, drawn):
    draft = author.create(f"ACE speed and Wind speed, {words}; 25 August 2018")
    (figure,) = (step for step in draft.template["steps"] if step["tool_name"] == "render_spec")
    assert figure["tool_args"]["spec"]["panels"] == drawn


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("SYM-H, its time derivative, and its 3 h running mean", [["", "_smooth"], ["_rate"]]),
        ("SYM-H, its 3 h running mean and its derivative", [["", "_smooth"], ["_rate"]]),
        ("SYM-H, its derivative, its 3 h running mean, each own panel", [[""], ["_smooth"], ["_rate"]]),
    ],
)
def test_each_computation_beside_a_quantity_is_of_its_data(author, words, drawn):
    draft = author.create(f"{words}, 20 Nov 2003")
    (figure,) = (step for step in draft.template["steps"] if step["tool_name"] == "render_spec")
    assert figure["tool_args"]["spec"]["panels"] == [[f"OMNI_SYMH{end}" for end in panel] for panel in drawn]


@pytest.mark.parametrize("words", ["", "need ", "plot the "])
def test_what_comes_after_is_computed_from_the_averages(author, words):
    draft = author.create(
        f"{words}ratio of the density Wind over ACE after averaging both to 5 minutes, 3 Aug 2010"
    )
    tools = [step["tool_name"] for step in draft.template["steps"]]
    assert tools.index("resample") < tools.index("arithmetic")


def test_a_list_of_spacecraft_may_have_a_plus(author):
    draft = author.create("THEMIS A, D plus E ion density on 2008-02-26")
    (figure,) = (step for step in draft.template["steps"] if step["tool_name"] == "render_spec")
    assert figure["tool_args"]["spec"]["panels"] == [["THEMISA_n", "THEMISD_n", "THEMISE_n"]]


@pytest.mark.parametrize(
    ("sentence", "drawn"),
    [
        ("Wind speed and Dst minus its mean, 3 May 2010", [["Wind_V"], ["OMNI_Dst_detrended"]]),
        ("temp in eV for wind protons, speed in km/s, 10 June 2009", [["Wind_T"], ["Wind_V"]]),
        (
            "THEMIS-E B in GSM, despike the B; ion velocity, 27 March 2010",
            [["THEMISE_B_clean"], ["THEMISE_Vvec"]],
        ),
        (
            "theoretical Parker spiral angle for the measured speed and distance of Helios 1, Feb 1975",
            [["Helios1_psi"]],
        ),
        ("OMNI proton fluxes >10 plus >30 MeV, Oct 2003", [["OMNI_PR-FLX_10"], ["OMNI_PR-FLX_30"]]),
        (
            "Solar Orbiter, Oct 2022: Parker spiral angle expected from the speed and distance, B spiral angle",
            [["SolO_psi"], ["SolO_B_phi"]],
        ),
    ],
)
def test_what_a_computation_takes_is_not_drawn_or_computed_itself(author, sentence, drawn):
    (figure,) = (
        step for step in author.create(sentence).template["steps"] if step["tool_name"] == "render_spec"
    )
    assert figure["tool_args"]["spec"]["panels"] == drawn


def test_the_kind_of_data_before_a_colon_is_that_of_all_panels(author):
    draft = author.create(
        "Helios 1 COHO hourly data, Jan 1975: field magnitude on top, below the speed, then the density"
    )
    fetched = [
        step["tool_args"]["dataset_id"]
        for step in draft.template["steps"]
        if step["tool_name"] == "fetch_data"
    ]
    assert {*fetched} == {"HELIOS1_COHO1HR_MERGED_MAG_PLASMA"}
