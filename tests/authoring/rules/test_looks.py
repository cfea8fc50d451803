"""Requests that say how a new figure looks: its order of panels, marks, scales and titles."""

import json

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.authoring.rules.reading.looks import changed_looks
from helio.authoring.writing.asking import no_question
from tests.authoring.rules.conftest import NOW
from tests.authoring.rules.test_computations import figure
from tests.rows import in_one_test

# What the figure marks lies in the time range, and is not the range.
MARKED = (
    ("Wind B and n 10 May 2024 shade 17:00-20:00", "2024-05-10 to 2024-05-11",
     {"vrects": [{"x0": "2024-05-10T17:00", "x1": "2024-05-10T20:00"}]}),
    ("Wind speed 10 May 2024, with 17-20 UT highlighted", "2024-05-10 to 2024-05-11",
     {"vrects": [{"x0": "2024-05-10T17:00", "x1": "2024-05-10T20:00"}]}),
    ("STA Bn with shading 2012-07-23 20:00 to 2012-07-24 06:00, 23-25 July 2012", "2012-07-23 to 2012-07-26",
     {"vrects": [{"x0": "2012-07-23T20:00", "x1": "2012-07-24T06:00"}]}),
    ("STA B and Vp, vertical line at 2012-07-23 20:55, 23-25 July 2012", "2012-07-23 to 2012-07-26",
     {"vlines": [{"x": "2012-07-23T20:55"}]}),
    ("Wind B 2024-05-10 dashed lines at 17:05 and 20:30 UT", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T17:05", "dash": "dash"}, {"x": "2024-05-10T20:30", "dash": "dash"}]}),
    ("Wind B; mark the shock at 2024-05-10 16:37", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T16:37", "label": "shock"}]}),
    ("mark the ICME 2012-07-23 23:00 to 2012-07-24 12:00 in STA B and Vp", "2012-07-23 to 2012-07-25",
     {"vrects": [{"x0": "2012-07-23T23:00", "x1": "2012-07-24T12:00", "label": "ICME"}]}),
    ("PSP Br 28 April 2021, shade 08:00-12:00 in yellow and mark 09:33", "2021-04-28 to 2021-04-29",
     {"vrects": [{"x0": "2021-04-28T08:00", "x1": "2021-04-28T12:00", "color": "yellow"}],
      "vlines": [{"x": "2021-04-28T09:33"}]}),
    ("Wind B 2024-05-10 with a vertical line at 17:05 labelled shock", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T17:05", "label": "shock"}]}),
    ("Wind B 2024-05-10 with a vertical line at 17:05 (SSC)", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T17:05", "label": "SSC"}]}),
    ("Newell coupling with marks at 06:00 and 13:30 on 17 March 2015", "2015-03-17 to 2015-03-18",
     {"vlines": [{"x": "2015-03-17T06:00"}, {"x": "2015-03-17T13:30"}]}),
    ("Dst for October 2003 on a dark theme with panel letters", "2003-10-01 to 2003-11-01", {}),
    ("Wind |B| 2024-05-10, mark 16:37 by a red dotted line", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T16:37", "color": "red", "dash": "dot"}]}),
    ("Wind |B| for 9 and 10 May 2024; put a vertical line at 22:30 on the 9th", "2024-05-09 to 2024-05-11",
     {"vlines": [{"x": "2024-05-09T22:30"}]}),
    ("Wind |B| 2024-05-10, mark the shock at 16:37 w/ a dashed line", "2024-05-10 to 2024-05-11",
     {"vlines": [{"x": "2024-05-10T16:37", "label": "shock", "dash": "dash"}]}),
    ("ACE Bz 2015-03-17 18:00 to 2015-03-18 12:00, shade 22:00 to 02:00", "2015-03-17T18:00:00 to 2015-03-18T12:00:00",
     {"vrects": [{"x0": "2015-03-17T22:00", "x1": "2015-03-18T02:00"}]}),
    ("PSP field 2021-04-28, panel letters on", "2021-04-28 to 2021-04-29", {}),
    ("Voyager 2 |B| 2007-08-25 to 2007-09-05, mark 2007-08-30 as termination shock", "2007-08-25 to 2007-09-05",
     {"vlines": [{"x": "2007-08-30", "label": "termination shock"}]}),
    ("OMNI Bz 2024-05-10, shade 18:00 to 21:00 as the sheath in yellow", "2024-05-10 to 2024-05-11",
     {"vrects": [{"x0": "2024-05-10T18:00", "x1": "2024-05-10T21:00", "label": "sheath", "color": "yellow"}]}),
    ("ACE Bz 2015-03-17 00:00 to 12:00, mark 04:45", "2015-03-17T00:00:00 to 2015-03-17T12:00:00",
     {"vlines": [{"x": "2015-03-17T04:45"}]}),
)  # fmt: skip


def made(author, request):
    draft = author.create(request)
    assert isinstance(draft, TemplateDraft), f"{request}: {draft}"
    spec = next(step["tool_args"]["spec"] for step in draft.template["steps"] if "spec" in step["tool_args"])
    return spec, draft.template["variables"]["$TIME_RANGE"]["default"]


@in_one_test(("request_", "span", "marks"), MARKED)
def test_a_figure_marks_times_in_its_range(author, request_, span, marks):
    spec, drawn = made(author, request_)
    assert {key: spec.get(key) for key in ("vrects", "vlines") if key in spec} == marks
    assert drawn == span
    assert "line_styles" not in spec


@pytest.mark.parametrize(
    ("request_", "key", "value"),
    [
        ("ACE Bz (twice as high) over the speed, 2017-09-07", "row_heights", [2, 1]),
        ("ACE Bz and V, the V panel half as high, 2017-09-07", "row_heights", [1, 0.5]),
        ("ACE Bz and V, 2017-09-07, figure twice as high", "canvas_size", {"height": 1100}),
    ],
)
def test_a_height_is_that_of_the_panel_that_is_named(author, request_, key, value):
    assert made(author, request_)[0][key] == value


@pytest.mark.parametrize(
    ("request_", "types", "scales"),
    [
        ("ACE SIS hourly oxygen intensities, logarithmic y axis, 2003-10-28", ["line"], {"log_scale": {"1": "log"}}),
        ("Arase XEP omni electrons, lines, 2017-09-01", ["line"], {}),
        ("SOHO EPHIN 5 min proton intensities on top, STEREO-A HET protons underneath, both as lines with log y, "
         "2021-10-28", ["line", "line"], {"log_scale": "log"}),
        ("SOHO EPHIN proton intensities as lines, log, and an energy spectrogram of STEREO-A HET protons below, "
         "2021-10-28", ["line", "spectrogram"], {"log_scale": {"1": "log"}}),
        ("STEREO-A HET protons, log y; below, a spectrogram of SOHO ERNE HED protons, 2021-10-28",
         ["line", "spectrogram"], {"log_scale": {"1": "log"}}),
        ("ACE SIS hourly oxygen spectrogram, log y, 2003-10-28", None, {"log_y": {"1": True}}),
        ("RBSP-A HOPE omni electron flux, log y, 1 June 2013", None, {"log_y": {"1": True}}),  # of 72 energies
        ("THEMIS-E SST electron flux line plot, 2013-03-17", ["line"], {}),
        ("THEMIS-E SST electrons curves, 2013-03-17", ["line"], {}),
        ("line plot of ACE |B| and a spectrogram of THEMIS-A ESA ions, 2013-03-17", None, {}),
    ],
)  # fmt: skip
def test_fluxes_of_few_energies_on_a_logarithmic_axis_are_lines(author, request_, types, scales):
    spec, _ = made(author, request_)
    assert spec.get("panel_types") == types
    assert {key: spec[key] for key in ("log_scale", "log_y") if key in spec} == scales


def test_the_result_that_is_plotted_on_an_axis_is_no_instrument(author):
    spec, _ = made(
        author, "Compute the plasma beta from Wind SWE and MFI for 2-5 May 1998 and plot it on a log axis"
    )
    assert (spec["panels"], spec["log_scale"]) == ([["Wind_beta"]], {"1": "log"})


def test_a_question_gives_its_day_to_the_request_behind_it(author):
    _, time = made(author, "Where was the magnetopause on 17 March 2015? Shue et al. 1998 standoff from OMNI")
    assert time == "2015-03-17 to 2015-03-18"


def test_it_must_be_clear_which_fluxes_are_lines(author):
    with pytest.raises(NotUnderstood, match="which fluxes to draw as lines"):
        author.create("ACE SIS oxygen and iron fluxes as lines or spectrogram, 2003-10-28")


@pytest.mark.parametrize(
    "words",
    ["as lines", "line plot", "lines", "as separate lines", "one line per channel", "all channels"],
)
def test_lines_in_a_range_of_energies_are_not_their_mean(author, words):
    with pytest.raises(NotUnderstood, match="no lines of only some of the energies"):
        author.create(f"STEREO-B HET protons 13-100 MeV {words}, 2013-03-17")


@pytest.mark.parametrize(
    ("words", "bands"),
    [
        ("electrons averaged over 30 to 300 keV as lines", [[3e4, 3e5]]),
        ("electrons 30-100 keV and 100-300 keV as lines", [[3e4, 1e5], [1e5, 3e5]]),
        ("electrons 30 to 300 keV with vertical lines at 08:00 and 10:00", [[3e4, 3e5]]),
    ],
)
def test_means_over_energies_are_lines(author, words, bands):
    draft = author.create(f"THEMIS-E SST {words}, 2013-03-17")
    [mean] = [step for step in draft.template["steps"] if step["tool_name"] == "band_average"]
    assert mean["tool_args"]["bands"] == bands


def test_the_colours_of_a_spectrogram_are_logarithmic(author):
    spec, _ = made(author, "RBSP-A REPT electron flux spectrogram, log colour scale, 2013-03-17")
    assert spec["log_z"] is True


LOOKS = (
    ("log axis", {"log_scale": {"1": "log"}}),
    ("y log", {"log_scale": {"1": "log"}}),
    ("points, no line", {"line_styles": {"LINE": {"mode": "markers"}}}),
    ("dots only", {"line_styles": {"LINE": {"mode": "markers"}}}),
    ("coloured red", {"trace_colors": {"LINE": "red"}}),
    ("a line at zero", {"hlines": [{"y": 0.0}]}),
    ("a line at 06:00", {"vlines": [{"x": "2003-01-02T06:00"}]}),
    ("y from 0 to 20", {"y_range": {"1": [0.0, 20.0]}}),
    ("width 900", {"canvas_size": {"width": 900}}),
    ("line width 2", {"line_styles": {"LINE": {"width": 2.0}}}),
    ("800 by 600", {"canvas_size": {"width": 800, "height": 600}}),
    ("twice as tall", {"canvas_size": {"height": 700}}),
    ("big letters", {"font_size": 18}),
    ("y axis title 'n'", {"y_label": {"1": "n"}}),
    ("save as png", {"formats": ["png"]}),
)
DATA = (
    "ACE density",
    "ACE density, 30 min running mean",
    "hourly averages of the ACE density",
    "ACE density, 10 min medians",
)
FORMS = ("{data}, {look}, 2003-01-02", "{data}, 2003-01-02, {look}", "{data} for 2003-01-02 with {look}")


@in_one_test(("data", "form"), [*zip(DATA, FORMS, strict=False), *zip(DATA[1:], FORMS, strict=True)])
def test_a_look_changes_nothing_but_the_look(author, data, form):
    plain, _ = made(author, f"{data}, 2003-01-02")
    for look, keys in LOOKS:
        spec, _ = made(author, form.format(data=data, look=look))
        expected = json.loads(json.dumps(keys).replace("LINE", plain["labels"][0]))
        assert spec == {**plain, **expected}, look


@in_one_test(
    ("edit", "says"),
    [
        ("no grid for the first panel", "no line called 'grid'"),
        ("width 900 for the first panel", "width is that of the whole figure"),
        ("font size 16 for the first panel", "font size is that of the whole figure"),
        ("dark background for the first panel", "background is that of the whole figure"),
        ("save as pdf for the first panel", "format is that of the whole figure"),
        ("red line for the spectrogram", "is a spectrogram, which has no line"),
    ],
)
def test_a_look_of_the_figure_is_not_that_of_a_panel(author, edit, says):
    with pytest.raises(NotUnderstood, match=says):
        author.edit(edit, author.create("THEMIS-A ion energy spectrogram and density, 2008-02-26").template)


def test_a_range_is_that_of_the_line_before_it(author):
    request = (
        "Show the hourly Dst index with its vertical axis fixed from -200 to 50 nT, and show the hourly AE index in a "
        "separate panel beneath it, 2015-03-17."
    )
    spec = author.create(request).template["steps"][-1]["tool_args"]["spec"]
    assert (spec["panels"], spec["y_range"]) == ([["OMNI_Dst"], ["OMNI_AE"]], {"1": [-200.0, 50.0]})


def test_signed_lines_keep_linear_axes(author):
    before = author.create("ACE density and 10 min running mean of Bz, 2003-01-02").template
    after = author.edit("all on a log scale", before).template
    assert after["steps"][-1]["tool_args"]["spec"]["log_scale"] == {"1": "log"}


@pytest.mark.parametrize(
    ("look", "log"),
    [
        ("V, n and T, n and T log", {"2": "log", "3": "log"}),
        ("V, n and T; n with log axes", {"2": "log"}),
        ("V, n and T, log axes for n and T", {"2": "log", "3": "log"}),
        ("V, n and T with log axes", "log"),
        ("n and T, one panel per quantity, both log", {"1": "log", "2": "log"}),
        ("V, n and T, a panel for each, T log", {"3": "log"}),
    ],
)
def test_a_scale_is_for_all_names_before_it_that_are_said_again(author, look, log):
    assert made(author, f"Wind {look}, 2012-03-08")[0]["log_scale"] == log


def test_colours_are_those_of_the_names_that_are_said_again(author):
    spec, _ = made(author, "Wind V, n, T, Bz; V and Bz in blue, n and T in red, 2012-03-08")
    assert spec["trace_colors"] == {"Wind_V": "blue", "Wind_Bz": "blue", "Wind_n": "red", "Wind_T": "red"}


def test_the_colour_of_a_running_mean_is_not_that_of_hourly_means(author):
    spec, _ = made(author, "ACE speed, hourly, with its 6 h running mean in black in the same panel, 2003-01")
    assert spec["trace_colors"] == {"ACE_V_smooth": "black"}
    sentence = "ACE speed, hourly means, with its 6 h running mean in black in the same panel, 2003-01"
    spec, _ = made(author, sentence)
    assert spec["trace_colors"] == {"ACE_V_binned_smooth": "black"}


@pytest.mark.parametrize(
    ("words", "panels", "rows"),
    [
        ("B with radial distance below the time axis", [["Ulysses_B"]], ["Ulysses_R"]),
        ("B and V, radial distance in rows below the axis", [["Ulysses_B"], ["Ulysses_V"]], ["Ulysses_R"]),
        ("radial distance and B, B on top", [["Ulysses_B"], ["Ulysses_R"]], None),
        ("B below, radial distance on top", [["Ulysses_R"], ["Ulysses_B"]], None),
    ],
)
def test_a_radial_distance_has_the_place_of_the_sentence(author, words, panels, rows):
    spec, _ = made(author, f"Ulysses {words}, 1994")
    assert (spec["panels"], spec.get("ephemeris")) == (panels, rows)


@pytest.mark.parametrize(
    ("request_", "colours"),
    [
        (
            "MMS1 FPI fast-mode parallel electron temperature in blue and perpendicular electron temperature in red, "
            "same panel, 11 July 2017",
            {"MMS1_Tepar": "blue", "MMS1_Teperp": "red"},
        ),
        (
            "MMS1 FPI fast-mode electron temperatures on 11 July 2017, 22:00-23:00: parallel in blue and "
            "perpendicular in red, same panel",
            {"MMS1_Tepar": "blue", "MMS1_Teperp": "red"},
        ),
        (
            "Cluster 1 PEACE electron temperature, perpendicular in green and parallel in red, 3 March 2003",
            {"Cluster1_Teperp": "green", "Cluster1_Tepar": "red"},
        ),
        (
            "MMS1 FPI density in red, HPCA H+ density in blue, 11 July 2017",
            {"MMS1_n": "red", "MMS1_mms1_hpca_hplus_number_density": "blue"},
        ),
        (
            "Cluster 3 CODIF H+ density in red and O+ density in blue, one panel, 3 March 2003",
            {"Cluster3_N_p__C3_PP_CIS": "red", "Cluster3_N_O1__C3_PP_CIS": "blue"},
        ),
        (
            "O+ density in blue and H+ density in red, HOPE moments, RBSP-A, same panel, 17 March 2013",
            {"RBSPA_Dens_o_30": "blue", "RBSPA_Dens_p_30": "red"},
        ),
        ("ACE SWEPAM He++/H+ ratio in red, January 2005", {"ACE_alphas": "red"}),
    ],
)
def test_a_colour_is_that_of_the_ion_and_of_the_instrument_that_are_named(author, request_, colours):
    spec, _ = made(author, request_)
    assert spec["trace_colors"] == colours


@pytest.mark.parametrize(
    ("request_", "log"),
    [
        ("hourly ACE SIS helium and iron intensities in two panels, both logarithmic, January 2005", [1, 2]),
        ("hourly ACE SIS iron log, helium linear, two panels, January 2005", [1]),
        ("C/NOFS IVM ion density (log) and meridional ion velocity, 1 March 2010", [1]),
        ("RBSP-A HOPE O+ density (log) and H+ density, 17 March 2013", [1]),
    ],
)
def test_a_scale_is_that_of_the_data_that_are_named(author, request_, log):
    spec, _ = made(author, request_)
    scales = {**spec.get("log_scale", {}), **spec.get("log_y", {})}
    assert [int(panel) for panel, scale in sorted(scales.items()) if scale in (True, "log")] == log


@pytest.mark.parametrize(
    ("name", "is_drawn"), [("SWE density", True), ("SWEPAM density", False), ("ACE density", False)]
)
def test_the_data_of_another_instrument_are_no_line(author, catalogue, name, is_drawn):
    template = author.create("Wind SWE density and speed, 5 Jan 2005").template
    look = {"catalogue": catalogue, "ask": no_question, "now": NOW}
    if not is_drawn:
        with pytest.raises(NotUnderstood, match="no line called"):
            changed_looks([f"{name} red"], template, **look)
        return
    changed, _ = changed_looks([f"{name} red"], template, **look)
    assert changed["steps"][-1]["tool_args"]["spec"]["trace_colors"] == {"Wind_n": "red"}


@pytest.mark.parametrize(
    "words",
    [
        "electron temperature: perpendicular over parallel",
        "ion temperature and electron temperature: parallel and perpendicular",
    ],
)
def test_components_of_two_temperatures_are_refused_or_asked_for(author, words):
    try:
        outcome = author.create(f"MMS1 {words}, 11 July 2017")
    except NotUnderstood:
        return
    assert isinstance(outcome, AuthorQuestion)


@pytest.mark.parametrize(
    "words",
    [
        "ACE |B|, raw in grey and the 1-hour running mean in red",
        "ACE |B|, the raw data in grey and the 1-hour running mean in red in the same panel",
        "ACE |B|, the 1-hour running mean in red and the raw one in grey",
        "ACE |B| smoothed over 1 h, raw data in grey and the smoothed one in red",
    ],
)
def test_the_raw_line_is_that_of_the_data(author, words):
    spec, _ = made(author, f"{words}, March 2010")
    assert spec["panels"] == [["ACE_Bmag", "ACE_Bmag_smooth"]]
    assert spec["trace_colors"] == {"ACE_Bmag": "grey", "ACE_Bmag_smooth": "red"}


@pytest.mark.parametrize(
    "words", ["ACE = green, Wind = black", "green = ACE, black = Wind", "green: ACE, black: Wind"]
)
def test_a_colour_is_that_of_the_name_beside_its_sign(author, words):
    spec, _ = made(author, f"ACE and Wind Bz, {words}, 2010-04-05")
    assert spec["trace_colors"] == {"ACE_Bz": "green", "Wind_Bz": "black"}


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("log energy axes and log colours", {"log_y": {"1": True}, "log_z": True}),
        ("linear energy axis", {"log_y": {"1": False}}),
        ("log colours", {"log_z": True}),
        ("linear colours", {"log_z": False}),
    ],
)
def test_the_scales_of_a_spectrogram_are_those_of_its_energies_and_colours(author, words, settings):
    spec, _ = made(author, f"RBSP-A MagEIS electron flux spectrogram and |B|, {words}, 2013-10-08")
    assert {key: spec.get(key) for key in settings} == settings
    assert "log_scale" not in spec


@pytest.mark.parametrize(
    ("sentence", "limits"),
    [
        (
            "Wind normalised cross-helicity in 1-hour windows, between -1 and 1, January 2008",
            {"1": [-1.0, 1.0]},
        ),
        ("ACE Bz from -10 to 10, 2010-04-05", {"1": [-10.0, 10.0]}),
    ],
)
def test_a_range_around_zero_is_that_of_the_axis(author, sentence, limits):
    assert made(author, sentence)[0]["y_range"] == limits


@pytest.mark.parametrize(
    "sentence",
    [
        "ACE Bz for Dst between -50 and 50, March 2010",
        "THEMIS-D |B| for MLT between -3 and 3, 2008-02-26",
        "ACE Bz and density, raw in grey and the hourly means in red, 2010-04-05",
        "RBSP-A HOPE log energy flux spectrogram, 2013-10-08",
    ],
)
def test_what_is_no_look_is_refused(author, sentence):
    with pytest.raises(NotUnderstood):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "panels"),
    [
        ("Wind speed and density, 3-5 May 2010, only two lines in one panel", [["Wind_V", "Wind_n"]]),
        ("Akasofu epsilon from OMNI 1 min, 16 March 2013, just one line on a log axis", [["OMNI_epsilon"]]),
        ("|B| of ACE and Wind, 1 Sep 2017, in one panel, two colours", [["ACE_Bmag", "Wind_Bmag"]]),
        (
            "THEMIS-D ESA ion and electron spectrograms, 26 Feb 2008, two stacked spectrograms",
            [["THEMISD_ions"], ["THEMISD_electrons"]],
        ),
        (
            "ACE B components and magnitude, 3 May 2010, 4 panels",
            [["ACE_Bx"], ["ACE_By"], ["ACE_Bz"], ["ACE_Bmag"]],
        ),
        ("Wind B vector, 3 May 2010, three curves", [["Wind_B"]]),
    ],
)
def test_a_number_of_lines_confirms_the_figure(author, sentence, panels):
    assert made(author, sentence)[0]["panels"] == panels


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("|B| of ACE, Wind and DSCOVR, 1 Sep 2017, four lines in one panel", "would have 3 lines, not 4"),
        ("Wind B vector, 3 May 2010, two curves", "would have 3 curves, not 2"),
        ("THEMIS-D ESA ion spectrogram, 26 Feb 2008, two spectrograms", "would have 1 spectrogram, not 2"),
        ("ACE Bz and By in one panel, in three colours, May 2010", "would have 2 colours, not 3"),
        ("DSCOVR Bz and density, 7 Sep 2017, two colours", "different colours only in one panel"),
        ("ACE and Wind B components, 3 May 2010, 6 panels", "would have 2 panels, not 6"),
        ("DSCOVR Bz and density, 7 Sep 2017, two lines at 0 and 5", "does not understand 'two'"),
        ("ACE density and speed, 3 May 2010, labelled N and V", "not clear which lines 'labelled N and V'"),
        ("ACE density 3 May 2010, label the y axis N_p and add a legend", "does not understand 'label'"),
        ("ACE Bz 3 May 2010, dotted line at the critical value 5", "no panel called 'critical'"),
    ],
)
def test_a_number_or_a_name_that_does_not_fit_is_refused(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


@in_one_test(
    ("sentence", "settings"),
    [
        ("ACE speed and density, 3 May 2010, two panels all with log y", {"log_scale": "log"}),
        ("ACE speed, density (this one on a log axis) and T, May 2010", {"log_scale": {"2": "log"}}),
        ("Wind speed, density log, T likewise, 3 May 2010", {"log_scale": {"2": "log", "3": "log"}}),
        ("SOHO EPHIN protons, March 2012, one line per channel", {"panel_types": ["line"]}),
        (
            "Wind plasma beta and Bz, 20 Nov 2003, dashed line at beta = 1",
            {"hlines": [{"y": 1.0, "panel": 1, "dash": "dash"}], "line_styles": None},
        ),
        ("ACE Bz, speed, 3 May 2010, line at V = 500 km/s", {"hlines": [{"y": 500.0, "panel": 2}]}),
        (
            "DSCOVR Bz, 7 Sep 2017, zero line in grey",
            {"hlines": [{"y": 0.0, "color": "grey"}], "trace_colors": None},
        ),
        (
            "DSCOVR Bz, 7 Sep 2017, dashed zero line",
            {"hlines": [{"y": 0.0, "dash": "dash"}], "line_styles": None},
        ),
        (
            "Voyager 1 |B| daily 2010-2016, vertical line at the heliopause crossing (2012-08-25)",
            {"vlines": [{"x": "2012-08-25"}]},
        ),
        (
            "ACE |B| 3 May 2010, red line at the shock (04:30)",
            {"vlines": [{"x": "2010-05-03T04:30", "color": "red"}]},
        ),
        ("SOHO EPHIN protons, March 2012, y from 1e-5 to 1e3", {"y_range": {"1": [1e-05, 1000.0]}}),
        (
            "ACE Bz and By, May 2010, y range -80..80 for all",
            {"y_range": {"1": [-80.0, 80.0], "2": [-80.0, 80.0]}},
        ),
        ("Wind n, V, T, May 2010, density and temperature log", {"log_scale": {"1": "log", "3": "log"}}),
        ("Wind n, V, T, May 2010, n plus T on a log axis", {"log_scale": {"1": "log", "3": "log"}}),
        ("need Voyager 2 density 1980 log y thanks", {"log_scale": {"1": "log"}}),
        ("Dst May 2010 as line with points", {"line_styles": {"OMNI_Dst": {"mode": "lines+markers"}}}),
        ("OMNI flow pressure 3 May 2010, label the y axis Pdyn [nPa]", {"y_label": {"1": "Pdyn [nPa]"}}),
        (
            "STEREO-A and -B speed, December 2007, A in red B in blue",
            {"trace_colors": {"STA_V": "red", "STB_V": "blue"}},
        ),
        (
            "STEREO-A V in red, B in blue, 3 Jul 2012",
            {"trace_colors": {"STA_V": "red", "STA_B": "blue"}},
        ),
        (
            "Wind density with a 2 h running mean, 3 May 2010, raw in grey and the mean in red",
            {"trace_colors": {"Wind_n": "grey", "Wind_n_smooth": "red"}},
        ),
        (
            "the proton speed from SOHO CELIAS/PM (red) and Wind (black) for 17 March 2015",
            {"trace_colors": {"SOHO_V": "red", "Wind_V": "black"}},
        ),
        (
            "Pioneer 10 and Pioneer 11 speed, 1976, same axes, labelled P10 and P11",
            {"trace_names": {"Pioneer10_V": "P10", "Pioneer11_V": "P11"}},
        ),
        (
            'ACE and Wind Bz 3 May 2010 in one panel, legend "16 s" for ACE',
            {"trace_names": {"ACE_Bz": "16 s", "Wind_Bz": "Wind"}},
        ),
    ],
)
def test_a_look_is_that_of_the_line_or_the_axis_that_is_named(author, sentence, settings):
    spec, _ = made(author, sentence)
    assert {key: spec.get(key) for key in settings} == settings


OF_PANELS = (
    ("OMNI Bz, V and Kp, Kp with a line at 5, 2015-03-17", {"hlines": [{"y": 5.0, "panel": 3}]}),
    ("OMNI Kp (line at 5) and Dst (line at -100), 2015-03-17",
     {"hlines": [{"y": 5.0, "panel": 1}, {"y": -100.0, "panel": 2}]}),
    ("OMNI Bz and V, lines at ±5 nT, 2015-03-17",
     {"hlines": [{"y": 5.0, "panel": 1}, {"y": -5.0, "panel": 1}]}),
    ("ACE Bz and V, dashed lines at -5 nT and -3 nT, 2015-03-17",
     {"hlines": [{"y": -5.0, "panel": 1, "dash": "dash"}, {"y": -3.0, "panel": 1, "dash": "dash"}]}),
    ("OMNI Alfven Mach number and V, line at Mach 5 in the first panel, 2015-03-17",
     {"hlines": [{"y": 5.0, "panel": 1}]}),
    ("ACE Bz and V, solid line at 1/2 in the Bz panel, 2015-03-17",
     {"hlines": [{"y": 0.5, "panel": 1, "dash": "solid"}]}),
    ("OMNI Bz, V and SYM-H last, its range -140 to 20, 2015-03-17", {"y_range": {"3": [-140.0, 20.0]}}),
    ("OMNI V and Bz, Bz with ±10 range, 2015-03-17", {"y_range": {"2": [-10.0, 10.0]}}),
    ("ACE Bz and V, y of the last from 300 to 800, 2015-03-17", {"y_range": {"2": [300.0, 800.0]}}),
    ("THEMIS A and D Bz, 2008-03-01, in separate panels, each with limits -30 to 30",
     {"y_range": {"1": [-30.0, 30.0], "2": [-30.0, 30.0]}}),
    ("ACE n, log y 0.1–50, 2015-03-17", {"y_range": {"1": [0.1, 50.0]}, "log_scale": {"1": "log"}}),
    ("ACE n and V, density on a log axis from 0.1 to 50, 2015-03-17",
     {"y_range": {"1": [0.1, 50.0]}, "log_scale": {"1": "log"}}),
    ("STA speed, dashed line at 550 km/s and y from 250 to 700, 2015-03-17",
     {"y_range": {"1": [250.0, 700.0]}, "hlines": [{"y": 550.0, "dash": "dash"}]}),
    ("ACE Bz, y from -20 nT to 20 nT, 2015-03-17", {"y_range": {"1": [-20.0, 20.0]}}),
    ("OMNI Bz and By, each panel the same y range -20..20 nT, 2015-03-17",
     {"y_range": {"1": [-20.0, 20.0], "2": [-20.0, 20.0]}}),
    ("ACE and Wind Bz, two panels with a common y axis -20 to 20, 2015-03-17",
     {"y_range": {"1": [-20.0, 20.0], "2": [-20.0, 20.0]}}),
    ("RBSP-A HOPE proton spectrogram and EMFISIS |B|, energies from 10 to 30000, 2013-06-01",
     {"y_range": {"1": [10.0, 30000.0]}}),
    ("RBSP-A HOPE proton spectrogram and EMFISIS |B|, log energy axis 10 to 30000, 2013-06-01",
     {"y_range": {"1": [10.0, 30000.0]}, "log_y": {"1": True}}),
)  # fmt: skip


@in_one_test(("request_", "settings"), OF_PANELS)
def test_a_line_and_a_range_are_those_of_the_panel_before_them(author, request_, settings):
    spec, _ = made(author, request_)
    assert {key: spec[key] for key in ("hlines", "y_range", "log_scale", "log_y") if key in spec} == settings


@pytest.mark.parametrize(
    "words",
    [
        "1 h running mean of ACE Bz with a line at 0",
        "ratio of ACE density to Wind density with a line at 0",
        "angle between B and V of Wind with a line at 0",
    ],
)
def test_an_input_that_is_not_drawn_is_no_panel(author, words):
    assert made(author, f"{words}, 17 March 2015")[0]["hlines"] == [{"y": 0.0}]


@pytest.mark.parametrize(
    "request_",
    [
        "OMNI V and Kp with a line at 5, 2015-03-17",
        "OMNI Bx, By, Bz with a line at 0, 2015-03-17",
        "OMNI V and n, V and n with a line at 5, 2015-03-17",
        "ACE V and n, y from 1 to 10, 2015-03-17",
    ],
)
def test_the_panel_of_a_line_after_several_names_is_asked(author, request_):
    assert isinstance(author.create(request_), AuthorQuestion)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("ACE n, log axis down to 0.1, 2015-03-17", "one limit alone"),
        ("MMS1 ion spectrogram, energy 10 to 30000 eV, 2017-06-17", "unit of the axis"),
        ("ACE Bz, vertical line at 5/3, 2015-03-17", "vertical"),
        ("OMNI Dst, vertical line at the minimum of Dst, 17 March 2015", "vertical"),
        ("ACE Bz and V, grid lines on, 2015-03-17", "no setting for 'grid lines'"),
        ("ACE Bz, small semi-transparent points, 2015-03-17", "no setting for 'semi-transparent'"),
        ("ACE Bz and V, legend in the top right corner, 2015-03-17", "'legend in the top right corner'"),
        ("ACE Bz and V, tight layout, pdf, 2015-03-17", "no setting for 'tight layout'"),
    ],
)
def test_a_look_that_a_figure_cannot_have_is_named(author, request_, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(request_)


def test_a_title_in_quotes_is_no_setting(author):
    assert made(author, 'ACE Bz, title "Grid lines", 2015-03-17')[0]["title"] == "Grid lines"


@pytest.mark.parametrize(
    ("words", "title"), [("title ICME train", "ICME train"), ('clear title "Solar cycles"', "Solar cycles")]
)
def test_a_title_without_quotes_may_begin_with_an_abbreviation(author, words, title):
    assert made(author, f"Wind |B| and speed, Jan 15-20 2005, {words}")[0]["title"] == title


IN_SPANS = (
    ("shade 3 Aug 05:00–4 Aug 10:00 light blue",
     {"vrects": [{"x0": "2010-08-03T05:00", "x1": "2010-08-04T10:00", "color": "lightblue"}]}),
    ("sheath 3 Aug 05:00 - 4 Aug 10:00 shaded grey",
     {"vrects": [{"x0": "2010-08-03T05:00", "x1": "2010-08-04T10:00", "color": "grey"}]}),
    ("shade the sheath 3 Aug 05:00-10:00",
     {"vrects": [{"x0": "2010-08-03T05:00", "x1": "2010-08-03T10:00", "label": "sheath"}]}),
    ("line at the stream interface 2010-08-03 18:00",
     {"vlines": [{"x": "2010-08-03T18:00", "label": "stream interface"}]}),
    ("dotted line at the SSC on 3 August 17:40",
     {"vlines": [{"x": "2010-08-03T17:40", "label": "SSC", "dash": "dot"}]}),
    ("lines at 3 Aug 04:45 and 4 Aug 13:00",
     {"vlines": [{"x": "2010-08-03T04:45"}, {"x": "2010-08-04T13:00"}]}),
    ("vertical line at 15:17 on the 3rd", {"vlines": [{"x": "2010-08-03T15:17"}]}),
    ("line at noon on 3 August 2010", {"vlines": [{"x": "2010-08-03T12:00"}]}),
    ("mark the two shocks 3 Aug 06:12 and 4 Aug 16:20 with dashed lines",
     {"vlines": [{"x": "2010-08-03T06:12", "label": "shocks", "dash": "dash"},
                 {"x": "2010-08-04T16:20", "label": "shocks", "dash": "dash"}]}),
    ("mark 3 Aug 06:12 in blue and 4 Aug 16:20 in red",
     {"vlines": [{"x": "2010-08-03T06:12", "color": "blue"}, {"x": "2010-08-04T16:20", "color": "red"}]}),
)  # fmt: skip


@in_one_test(("words", "marks"), IN_SPANS)
def test_marked_times_take_what_they_lack_from_the_time_range(author, words, marks):
    spec, drawn = made(author, f"STB |B| and speed, 2010-08-01 to 2010-08-05, {words}")
    assert {key: spec[key] for key in ("vrects", "vlines", "hlines") if key in spec} == marks
    assert drawn == "2010-08-01 to 2010-08-05"


OF_LINES = (
    ("Wind Bx By Bz, By in red, the others grey", {"Wind_By": "red", "Wind_Bx": "grey", "Wind_Bz": "grey"}),
    ("OMNI V, n, SYM-H, everything else grey, SYM-H red",
     {"OMNI_SYMH": "red", "OMNI_V": "grey", "OMNI_n": "grey"}),
    ("1 h means of Wind Bx, By, Bz in one panel, Bz in red", {"Wind_Bz_binned": "red"}),
    ("running 10 min mean of Wind Bz and Bx, Bx grey", {"Wind_Bx_smooth": "grey"}),
    ("OMNI SYM-H and its time derivative underneath, derivative in purple", {"OMNI_SYMH_rate": "purple"}),
    ("OMNI Dst and its integral below, Dst in black, integral in green",
     {"OMNI_Dst": "black", "OMNI_Dst_total": "green"}),
    ("STA and STB speed in one panel, A in red B in blue", {"STA_V": "red", "STB_V": "blue"}),
    ("THEMIS A, D and E |B|, A black, D red, E blue",
     {"THEMISA_Bmag": "black", "THEMISD_Bmag": "red", "THEMISE_Bmag": "blue"}),
    ("STEREO-A B and E field, B red E blue", {"STA_B": "red", "STA_Evec": "blue"}),
    ("Cluster 1 2 3 |B| together, usual cluster colours black red green",
     {"Cluster1_Bmag": "black", "Cluster2_Bmag": "red", "Cluster3_Bmag": "green"}),
)  # fmt: skip


@in_one_test(("words", "colours"), OF_LINES)
def test_a_colour_is_that_of_the_line_or_of_all_others(author, words, colours):
    spec, _ = made(author, f"{words}, 2010-08-03")
    drawn = [line for panel in spec["panels"] for line in panel]
    assert spec["trace_colors"] == colours
    assert len(drawn) == len({*drawn}) <= 3


def test_a_second_running_mean_is_no_name_of_the_first(author):
    with pytest.raises(NotUnderstood):
        author.create("ACE Bz with its 1 h running mean in red, 6 h running mean in blue, 2010-08-03")


def test_the_magnitude_beside_the_spectrum_of_its_field_is_not_dropped(author):
    with pytest.raises(NotUnderstood, match="of which quantity the spectrum is"):
        author.create("spectral index of PSP field between 0.1 and 1 Hz, plus |B|, 6 november 2018")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("y grid", "leave it out"),
        ("1:1 line", "linear fit"),
        ("same y range", "y from -20 to 20 in both panels"),
        ("equal y limits", "y from -20 to 20 in both panels"),
    ],
)
def test_a_look_that_no_setting_gives_is_refused_with_advice(author, words, advice):
    with pytest.raises(NotUnderstood, match=f"no setting for '{words}'") as refused:
        author.create(f"ACE and Wind Bz GSM in two panels, 2008-02-26, {words}")
    assert advice in str(refused.value.advice)
    spec, _ = made(author, "ACE and Wind Bz GSM in two panels, 2008-02-26, y from -20 to 20 in both panels")
    assert spec["y_range"] == {"1": [-20.0, 20.0], "2": [-20.0, 20.0]}


PLACED = (
    ("Wind Bx and By in one panel, V in the next panel, n in the next", [["Bx", "By"], ["V"], ["n"]]),
    ("Wind Bx and By in one panel, |B| in the next on a log scale, V at the bottom", [["Bx", "By"], ["Bmag"], ["V"]]),
    ("Wind |B|, V in the next panel", [["Bmag"], ["V"]]),
    ("Wind |B| in red above, V below", [["Bmag"], ["V"]]),
    ("Wind n as bars above, V below it", [["n"], ["V"]]),
    ("Wind V and n, one below another", [["V"], ["n"]]),
    ("Wind V and n in one figure", [["V"], ["n"]]),
)  # fmt: skip


@in_one_test(("words", "panels"), PLACED)
def test_a_panel_has_the_place_of_the_sentence(author, words, panels):
    spec, _ = made(author, f"{words}, 2010-08-03")
    assert spec["panels"] == [[f"Wind_{name}" for name in panel] for panel in panels]


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("on the same axes from -10 to 10 nT, 28 Feb 2011", {"1": [-10.0, 10.0]}),
        ("28 Feb 2011, same panel from -10 to 10", {"1": [-10.0, 10.0]}),
        ("on the same axes from 5 to 10 May 2011", None),
        ("on the same axes from 2011 to 2012", None),
    ],
)
def test_a_range_of_the_same_axes_is_no_time(author, words, settings):
    spec, _ = made(author, f"Wind Bz and ACE Bz {words}")
    assert spec["panels"] == [["Wind_Bz", "ACE_Bz"]]
    assert spec.get("y_range") == settings


@pytest.mark.parametrize("sentence", [
    "power spectrogram of ACE Bz, log, with Bz itself above, 3 May 2010",
    "wavelet spectrum of THEMIS-E Bz, 2013-06-30, log, with the Bz itself on top",
])  # fmt: skip
def test_a_logarithmic_axis_of_a_picture_is_not_that_of_its_series(author, sentence):
    spec, _ = made(author, sentence)
    assert (spec.get("log_y"), spec.get("log_scale")) == ({"2": True}, None)


@in_one_test(
    ("words", "colours"),
    [
        ("only last panel with red line", {"ACE_Bz": "red"}),
        ("the top panel in red", {"ACE_V": "red"}),
        ("second panel in red, third panel in blue", {"ACE_n": "red", "ACE_Bz": "blue"}),
    ],
)
def test_a_clause_about_one_panel_places_no_data(author, words, colours):
    spec, _ = made(author, f"ACE speed, density and Bz, 15 February 2016, {words}")
    assert (spec["panels"], spec["trace_colors"]) == ([["ACE_V"], ["ACE_n"], ["ACE_Bz"]], colours)


@in_one_test(
    ("words", "order"),
    [
        ("first Bz then density", ["Bz", "n", "V"]),
        ("order: density, Bz, speed", ["n", "Bz", "V"]),
        ("top to bottom: Bz, speed, density", ["Bz", "V", "n"]),
        ("Bz, then the speed and then the density", ["Bz", "V", "n"]),
    ],
)
def test_a_last_clause_of_names_is_the_order_of_the_panels(author, words, order):
    spec, _ = made(author, f"ACE speed, density and Bz, 15 February 2016, {words}")
    assert spec["panels"] == [[f"ACE_{name}"] for name in order]


@pytest.mark.parametrize("sentence", [
    "THEMIS A and E Bz GSM 2008-02-26, E first", "RBSP-A and B |B| for 2014-09-12, B first then A",
])  # fmt: skip
def test_a_lone_letter_with_a_place_is_no_field_beside_a_spacecraft_of_this_letter(author, sentence):
    with pytest.raises(NotUnderstood, match="is a field or a spacecraft"):
        author.create(sentence)


@in_one_test(
    ("words", "settings"),
    [
        ("density on log axis", {"log_x": True}),
        ("speed on a log axis", {"log_y": True}),
        ("log axis", {"log_y": True}),
        ("both axes log", {"log_x": True, "log_y": True}),
    ],
)
def test_the_axis_of_a_scatter_plot_is_that_of_the_quantity(author, words, settings):
    spec, drawn = made(author, f"scatter: OMNI speed against density, jan 2020, {words}")
    assert spec["xy"] == [{"x": "OMNI_n", "y": "OMNI_V"} | settings]
    assert drawn == "2020-01-01 to 2020-02-01"


def test_a_panel_with_data_of_its_own_has_their_place(author):
    spec, _ = made(author, "ACE |B|, 15 February 2016, first panel with Wind |B| in red")
    assert spec["panels"] == [["Wind_Bmag"], ["ACE_Bmag"]]


def test_letters_of_spacecraft_have_the_colours_of_averages(author):
    spec, _ = made(
        author, "daily averages of V for STEREO-A and STEREO-B in one panel in 2009, A red, B blue"
    )
    assert spec["trace_colors"] == {"STA_V_binned": "red", "STB_V_binned": "blue"}


@in_one_test(
    ("words", "settings"),
    [
        ("density log, speed left linear", {"log_scale": {"1": "log", "2": "linear"}}),
        ("vertical marker 15 Feb 16:37", {"vlines": [{"x": "2016-02-15T16:37"}]}),
    ],
)
def test_looks_in_everyday_words(author, words, settings):
    spec, _ = made(author, f"ACE density and speed, 15 February 2016, {words}")
    assert {name: spec.get(name) for name in settings} == settings


def test_a_colour_is_said_with_the_word_colour(author):
    spec = figure(author, "Wind B and n, n with a red colour, 2003-11-20")
    assert spec["trace_colors"] == {"Wind_n": "red"}


@pytest.mark.parametrize(
    ("words", "panels", "marks"),
    [
        (
            "vertical dashed line at 2015-03-17 04:45 labelled SSC on OMNI Bz and SYM-H",
            [["OMNI_Bz"], ["OMNI_SYMH"]],
            {"vlines": [{"x": "2015-03-17T04:45", "label": "SSC", "dash": "dash"}]},
        ),
        (
            "shade 2015-03-17 06:00 to 12:00 on OMNI pressure and SYM-H",
            [["OMNI_Pressure"], ["OMNI_SYMH"]],
            {"vrects": [{"x0": "2015-03-17T06:00", "x1": "2015-03-17T12:00"}]},
        ),
        (
            'vertical line labelled "SSC" at 2015-03-17 04:45 in OMNI speed, Bz and Dst',
            [["OMNI_V"], ["OMNI_Bz"], ["OMNI_Dst"]],
            {"vlines": [{"x": "2015-03-17T04:45", "label": "SSC"}]},
        ),
        (
            "horizontal line at 0 in the Bz panel, OMNI Bz and density",
            [["OMNI_Bz"], ["OMNI_n"]],
            {"hlines": [{"y": 0.0, "panel": 1}]},
        ),
    ],
)
def test_the_list_behind_a_leading_mark_is_drawn_whole(author, words, panels, marks):
    spec = figure(author, f"{words}, 16-18 March 2015")
    assert spec["panels"] == panels
    assert {name: spec.get(name) for name in marks} == marks


@pytest.mark.parametrize("words", ["all y from", "each y axis from", "all the y axes from"])
def test_a_range_of_every_y_axis(author, words):
    spec = figure(author, f"Cluster 3 Bx, By and Bz in GSE, 2002-03-18, {words} -40 to 40")
    assert spec["y_range"] == {"1": [-40.0, 40.0], "2": [-40.0, 40.0], "3": [-40.0, 40.0]}


def test_what_stands_on_top_as_well_as_others_is_the_first_panel(author):
    spec = figure(author, "OMNI SYM-H and AL as well as Bz on top, 7 Sept 2017")
    assert spec["panels"] == [["OMNI_Bz"], ["OMNI_SYMH"], ["OMNI_AL"]]


@in_one_test(
    ("sentence", "settings"),
    [
        (
            "Kp, 1-27 May 2024, as bars with threshold 5 dashed orange",
            {"hlines": [{"y": 5.0, "color": "orange", "dash": "dash"}], "panel_types": ["bars"]},
        ),
        (
            "OMNI SYM-H and ASY-H, 10 May 2024, with horizontal lines at -100 and -250 in SYM-H panel only",
            {"hlines": [{"y": -100.0, "panel": 1}, {"y": -250.0, "panel": 1}]},
        ),
        (
            'Wind |B| 2015-06-22 with the sheath shaded from 18:30 to 20:00 and labelled "sheath"',
            {"vrects": [{"x0": "2015-06-22T18:30", "x1": "2015-06-22T20:00", "label": "sheath"}]},
        ),
        (
            "Wind |B| 2015-06-22, shade 18:30 to 20:00 in grey and label it sheath",
            {
                "vrects": [
                    {"x0": "2015-06-22T18:30", "x1": "2015-06-22T20:00", "label": "sheath", "color": "grey"}
                ],
                "trace_names": None,
            },
        ),
        (
            "ACE speed and Bz GSM, 2015-03-17, Bz on top, shade Bz below -10 nT",
            {"panels": [["ACE_Bz"], ["ACE_V"]], "line_styles": {"ACE_Bz": {"fill_below": -10.0}}},
        ),
        (
            "MMS1 ion and electron temperatures in separate panels with electron first, 2017-07-11",
            {"panels": [["MMS1_Te"], ["MMS1_T"]]},
        ),
        (
            "Dst with its y axis from -200 to 50 nT and AE below, May 2024",
            {"panels": [["OMNI_Dst"], ["OMNI_AE"]], "y_range": {"1": [-200.0, 50.0]}},
        ),
        (
            "ACE density with a red line and the speed below, May 2010",
            {"panels": [["ACE_n"], ["ACE_V"]], "trace_colors": {"ACE_n": "red"}},
        ),
        (
            "Wind speed and density, density with y from 0 to 20, then Bz in GSM, 2012-07-22",
            {"y_range": {"2": [0.0, 20.0]}},
        ),
        (
            "Wind plasma beta and Alfven speed, beta log with a line at 1, Alfven speed averaged over 30 min, "
            "then proton temperature, 2012-07-22",
            {"hlines": [{"y": 1.0, "panel": 1}], "log_scale": {"1": "log"}},
        ),
        (
            "Dst and Kp for 2014, Dst with the monthly mean in red over it, Kp daily maximum",
            {"trace_colors": {"OMNI_Dst_binned": "red"}},
        ),
        (
            "Wind n and V, n with its 1 h running mean dashed, V smoothed over 3 h, 2012-07-22",
            {"line_styles": {"Wind_n_smooth": {"dash": "dash"}}},
        ),
        (
            "Wind |B| with a running median of 5 min on top of it in red, V averaged to 10 min, 2012-07-22",
            {"trace_colors": {"Wind_Bmag_median": "red"}},
        ),
    ],
)
def test_lines_shades_and_places_in_few_words(author, sentence, settings):
    spec = figure(author, sentence)
    assert {name: spec.get(name) for name in settings} == settings


@pytest.mark.parametrize(
    ("request_", "colours"),
    [
        ("Wind and ACE speed, 2012-07-22, ACE in red", {"Wind_V": "blue", "ACE_V": "red"}),
        ("MMS1 and MMS2 |B|, 2017-07-11, MMS1 red", {"MMS1_Bmag": "red", "MMS2_Bmag": "black"}),
    ],
)
def test_lines_of_one_panel_exchange_colours_rather_than_share_one(author, request_, colours):
    assert figure(author, request_)["trace_colors"] == colours


def test_a_scale_behind_quantities_without_commas_is_refused(author):
    with pytest.raises(NotUnderstood, match="which axis is logarithmic"):
        author.create("ACE speed density temperature (log), 2010-08-01")


def test_two_colours_of_one_line_are_refused_also_if_the_first_is_its_usual_one(author):
    with pytest.raises(NotUnderstood, match="not clear which line 'STEREO-A green' means"):
        author.create("STEREO-A and STEREO-B |B|, STEREO-A red and STEREO-B blue, STEREO-A green, 2012-07-22")


@pytest.mark.parametrize("words", ["a line at 400", "y from 0 to 20"])
def test_a_line_or_a_range_of_no_panel_is_asked_for_also_in_a_part(author, words):
    asked = author.create(f"Wind density and speed with {words}; temperature log, 2012-07-22")
    assert "which panel" in asked.text


@pytest.mark.parametrize("words", ["12 hours up to now", "12 h until now"])
def test_a_length_up_to_now_is_the_last_such_time(author, words):
    variables = author.create(f"OMNI Bz {words}").template["variables"]
    assert variables["$TIME_RANGE"]["default"].startswith("last 12 h")


@pytest.mark.parametrize("words", ["GSE, not GSM,", "GSE (not GSM)", "GSE but not in GSM"])
def test_a_frame_that_is_not_wanted_is_left_out(author, words):
    fetched = author.create(f"DSCOVR Bz in {words} 2017-09-07").template["steps"][0]["tool_args"]
    assert fetched["parameter_id"] == "B1GSE"
