"""Requests of several parts, each with its own computations and looks: a part is drawn as it would be alone."""

import pytest

from helio.authoring.outcome import NotUnderstood
from tests.authoring.rules.test_combined import drawn, parts_of
from tests.authoring.rules.test_computations import figure
from tests.rows import in_one_test

TIME = "5 to 8 September 2017"
# How a sentence joins two parts, and whether it gives them panels of their own.
JOINTS = (
    "{a}; below it {b}, {t}",
    "{t}: top panel: {a}; bottom panel: {b}",
    "{a} on top and {b} below, {t}",
    "{a} in the first panel and {b} in the second, {t}",
    "panel 1: {a}, panel 2: {b}, {t}",
    "{t}. First: {a}. Second: {b}.",
    "{t}: first {a}, second {b}",
    "(a) {a}, (b) {b}; {t}",
    "Panel A: {a}. Panel B: {b}. {t}",
    "{a}, then {b}, {t}",
    "{a} with {b} underneath, {t}",
    "one panel with {a} and another with {b}, {t}",
    "{a} above {b}, {t}",
    "{a} and {b}, {t}",
    "{a}; {b}; {t}",
)
# Two parts of which each has its own computations, of one spacecraft or of two.
PAIRS = (
    ("ACE density smoothed over 10 min", "hourly means of the speed"),
    ("despiked ACE Bz", "the power spectrum of |B|"),
    ("ACE density with its 1 h running mean", "Wind |B| averaged to 30 min"),
    ("10 min medians of Wind |B|", "the detrended density"),
    ("the standard deviation of OMNI Bz over 1 h", "SYM-H smoothed over 2 h"),
)


# Each joint with two pairs, and each pair with six joints.
ROWS = [
    (joint, *PAIRS[(at + step) % len(PAIRS)]) for at, joint in enumerate(JOINTS) for step in (0, at // 5 + 1)
]


@in_one_test(("joint", "first", "second"), ROWS)
def test_each_part_has_its_own_computations_alone(author, joint, first, second):
    craft = first.split()[[name in ("ACE", "Wind", "OMNI") for name in first.split()].index(True)]
    of_other = any(name in second for name in ("Wind", "SYM-H"))
    alone = [f"{first}, {TIME}", f"{'' if of_other else craft + ' '}{second}, {TIME}"]
    assert drawn(author, joint.format(a=first, b=second, t=TIME)) == parts_of(author, alone)


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Wind |B| hourly, and below it the density and the despiked speed",
         ("hourly |B|", "density", "despiked speed")),
        ("ACE, panel 1: Bz and its 3 h running mean; panel 2: density; panel 3: speed at 5 min resolution",
         ("Bz and its 3 h running mean", "density", "speed at 5 min resolution")),
        ("ACE density smoothed over 10 min, speed and hourly |B|",
         ("density smoothed over 10 min", "speed", "hourly |B|")),
        ("compare ACE |B| at 5 min resolution with the density smoothed over 1 h",
         ("|B| at 5 min resolution", "density smoothed over 1 h")),
        ("ACE density, hourly averages, and the speed", ("density, hourly averages", "speed")),
    ],
)  # fmt: skip
def test_what_one_part_says_is_not_said_of_the_others(author, sentence, parts):
    craft = sentence.split()[0].strip(",") if sentence[0] in "AW" else "ACE"
    assert drawn(author, f"{sentence}, {TIME}") == parts_of(
        author, [f"{craft} {part}, {TIME}" for part in parts]
    )


@pytest.mark.parametrize(
    ("sentence", "key", "value"),
    [
        ("Wind speed; density, log axis", "log_scale", {"2": "log"}),
        ("top panel: AE as dots; bottom panel: logarithmic OMNI density", "log_scale", {"2": "log"}),
        ("Wind |B| as a dashed line above the density", "line_styles", {"Wind_Bmag": {"dash": "dash"}}),
        ("Wind speed and density, log axis", "log_scale", "log"),
    ],
)
def test_a_look_is_that_of_its_part(author, sentence, key, value):
    assert figure(author, f"{sentence}, {TIME}")[key] == value


def test_a_dashed_line_on_a_day_is_no_mark(author):
    spec = figure(author, "AE as a dashed line on 2018-09-26")
    assert spec["line_styles"] == {"OMNI_AE": {"dash": "dash"}}
    assert "vlines" not in spec


def test_a_mark_in_a_sentence_of_parts_is_one_of_the_whole_figure(author):
    spec = figure(
        author, f"despiked Wind |B| on top; the speed below; vertical line at 2017-09-07 23:00; {TIME}"
    )
    assert [list(panel) for panel in spec["panels"]] == [["Wind_Bmag_clean"], ["Wind_V"]]
    assert spec["vlines"] == [{"x": "2017-09-07T23:00"}]


def test_the_places_of_the_parts_give_the_order_of_the_panels(author):
    spec = figure(author, f"bottom panel: hourly ACE density; top panel: ACE speed, {TIME}")
    assert spec["panels"] == [["ACE_V"], ["ACE_n"]]


def test_a_part_without_a_frame_has_the_only_frame_that_is_named(author):
    template = author.create(f"ACE Bz in GSM; below it By smoothed over 1 h, {TIME}").template
    (fetch,) = [step["tool_args"] for step in template["steps"] if step["tool_name"] == "fetch_data"]
    assert fetch["parameter_id"] == "BGSM"


def test_parts_share_a_time_a_title_and_a_file(author):
    sentence = f"ACE density despiked on top, speed hourly below, title 'One; two', save as CSV, {TIME}"
    template = author.create(sentence).template
    assert template["variables"] == {
        "$TIME_RANGE": {"type": "time_range", "default": "2017-09-05 to 2017-09-09"}
    }
    assert template["steps"][-1]["tool_args"]["spec"]["title"] == "One; two"
    saved = [
        step["tool_args"]["source_labels"] for step in template["steps"] if step["tool_name"] == "save_data"
    ]
    assert saved == [["ACE_n_clean"], ["ACE_V"]]


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        ("hourly means of ACE density and speed", ["ACE_n", "ACE_V"]),
        ("ACE density and speed, smoothed over 1 h", ["ACE_n_smooth", "ACE_V_smooth"]),
        ("ACE Bz and speed, smooth Bz over 10 min", ["ACE_Bz_smooth", "ACE_V"]),
        ("ACE density on top, speed below, all smoothed over 1 h", ["ACE_n_smooth", "ACE_V_smooth"]),
    ],
)
def test_what_is_said_of_all_is_of_all(author, sentence, lines):
    labels = figure(author, f"{sentence}, {TIME}")["labels"]
    assert labels == lines or labels == [f"{line}_binned" for line in lines]


@pytest.mark.parametrize(
    ("sentence", "key", "value"),
    [
        ("hourly ACE |B| on top, the density with its 3 h running mean below; log axis for both", "log_scale", "log"),
        ("ACE density overlaid with its 3 h running mean on top, despiked |B| below", "panels",
         [["ACE_n", "ACE_n_smooth"], ["ACE_Bmag_clean"]]),
        ("Wind clock angle and its hourly mean; below it 10-min averaged Wind Bz", "panels",
         [["Wind_B_clock"], ["Wind_B_clock_binned"], ["Wind_B_gsez_binned"]]),
        ("ACE |B| and Wind |B| in the same panel, smoothed over 10 min, and below them hourly Dst", "panels",
         [["ACE_Bmag_smooth", "Wind_Bmag_smooth"], ["OMNI_Dst"]]),
    ],
)  # fmt: skip
def test_what_stands_behind_the_last_place_is_that_of_its_part(author, sentence, key, value):
    assert figure(author, f"{sentence}, {TIME}")[key] == value


@in_one_test(
    ("sentence", "panels"),
    [
        ("MMS2 ion energy spectrogram (omni), and underneath the ion density smoothed over 1 min, 2016-12-08",
         [["MMS2_ions"], ["MMS2_n_smooth"]]),
        ("Ulysses speed as monthly means, 1994; second panel its heliographic latitude, unaveraged",
         [["Ulysses_V_binned"], ["Ulysses_lat"]]),
        ("IMP 8 field, 8 Feb 1986: the GSM vector in panel one, a 5-min running median of Bz in panel two",
         [["IMP8_B"], ["IMP8_Bz_median"]]),
        ("Voyager 1: BR, BT and BN together in the top panel, |B| by itself underneath, July 2012",
         [["Voyager1_Br", "Voyager1_Bt", "Voyager1_Bn"], ["Voyager1_Bmag"]]),
        ("AE, AL, AU in one panel and SYM-H underneath, 2013-03-17",
         [["OMNI_AE", "OMNI_AL", "OMNI_AU"], ["OMNI_SYMH"]]),
        ("For 10 and 11 May 2024: Newell coupling from 1-min OMNI plus its hourly running mean in one panel, AL below",
         [["OMNI_Newell", "OMNI_Newell_smooth"], ["OMNI_AL"]]),
        ("Newell coupling from 1-min OMNI as hourly means; 1-min AL in the panel below, unaveraged. 5-7 April 2010.",
         [["OMNI_Newell_binned"], ["OMNI_AL"]]),
        ("ACE P1 and P2 in one panel, B below, 2010-01-01", [["ACE_P1", "ACE_P2"], ["ACE_B"]]),
        ("smoothed ACE speed (1 h) and raw density, 2021-11-03", [["ACE_V_smooth"], ["ACE_n"]]),
        ("Bastille Day SEP: ACE/EPAM LEMS30 channels P1, P5 and P8 in a single log panel, 14 July 2000",
         [["ACE_P1", "ACE_P5", "ACE_P8"]]),
        ("ACE EPAM P1 and P8 on one logarithmic axis, 14 July 2000", [["ACE_P1", "ACE_P8"]]),
        ("ACE EPAM P1 and P8 in log panels, 14 July 2000", [["ACE_P1"], ["ACE_P8"]]),
        ("ACE |B|, EPAM 47-68 keV ions below, 14 July 2000", [["ACE_Bmag"], ["ACE_P1p"]]),
        ("MMS1 |B|, and below it the HPCA O+ density, 2015-10-16",
         [["MMS1_Bmag"], ["MMS1_mms1_hpca_oplus_number_density"]]),
        ("MMS1 HPCA O+ density above |B|, 2015-10-16",
         [["MMS1_mms1_hpca_oplus_number_density"], ["MMS1_Bmag"]]),
        ("Van Allen Probe B: spin-averaged REPT electron spectrogram over |B| from EMFISIS, 9 Oct 2012",
         [["RBSPB_FESA"], ["RBSPB_Bmag"]]),
        ("V1 in 2012: hourly |B| on top, daily means of the 0.57-1.78 MeV LECP protons below on a log axis",
         [["Voyager1_Bmag"], ["Voyager1_protonFlux1_LECP_binned"]]),
        ("MMS1 hourly HPCA O+ density on top, temperature below, 2015-10-16",
         [["MMS1_mms1_hpca_oplus_number_density_binned"], ["MMS1_mms1_hpca_oplus_scalar_temperature_binned"]]),
        ("Cluster 3 CODIF, 1 Oct 2001: H+ and O+ density in one log panel, ratio of O+ density and H+ density below",
         [["Cluster3_N_p__C3_PP_CIS", "Cluster3_N_O1__C3_PP_CIS"],
          ["Cluster3_N_O1__C3_PP_CIS_over_Cluster3_N_p__C3_PP_CIS"]]),
        ("THEMIS-E, 1 March 2008: FGM vector in GSM as is, ESA ion density with a 30 s running average",
         [["THEMISE_B"], ["THEMISE_n_smooth"]]),
        ("Helios 2 density and speed for April 1976. Density logarithmic, speed linear, and a 6 h running median over"
         " the speed in the same panel.", [["Helios2_n"], ["Helios2_V", "Helios2_V_median"]]),
    ],
)  # fmt: skip
def test_what_is_measured_is_not_computed(author, sentence, panels):
    assert figure(author, sentence)["panels"] == panels


def test_on_top_of_another_quantity_is_no_place(author):
    with pytest.raises(NotUnderstood, match="'on top of'"):
        author.create("Put hourly means of SYM-H on top of Dst, 15 to 20 March 2013")


@pytest.mark.parametrize(
    ("sentence", "panels"),
    [
        ("log axis for density; Wind speed and density", [["Wind_V"], ["Wind_n"]]),
        ("Wind hourly Bz; 1-min Bz and speed", [["Wind_B_binnedz"], ["Wind_Bz"], ["Wind_V"]]),
        ("Wind density and speed in a single log panel", [["Wind_n", "Wind_V"]]),
        ("Wind density in a log panel, speed below", [["Wind_n"], ["Wind_V"]]),
        (
            "Wind Bz and |B| together, speed and n separately",
            [["Wind_Bz", "Wind_Bmag"], ["Wind_V"], ["Wind_n"]],
        ),
        ("Wind speed and its density above", [["Wind_n"], ["Wind_V"]]),
        ("Wind speed and density above, Bz below", [["Wind_V"], ["Wind_n"], ["Wind_Bz"]]),
        ("Wind speed and above it the density", [["Wind_n"], ["Wind_V"]]),
        ("Wind Bz smoothed over 10 min and the raw Bz above", [["Wind_Bz"], ["Wind_Bz_smooth"]]),
    ],
)
def test_each_thing_has_the_panel_that_the_sentence_gives_it(author, sentence, panels):
    drawn_panels = figure(author, f"{sentence}, 6 June 2016")["panels"]
    assert sorted(drawn_panels) == sorted(panels)
    if "above" in sentence or "below" in sentence:
        assert drawn_panels == panels


@in_one_test(
    ("sentence", "panels"),
    [
        # a label is that of one panel, which has all its lines
        ("Wind, 10 January 1997, two panels. Top: Bx, By and Bz averaged over 5 minutes. Bottom: density as measured.",
         [["Wind_Bx_binned", "Wind_By_binned", "Wind_Bz_binned"], ["Wind_n"]]),
        ("ACE, 3 May 2010. Panel 1: Bx, By; panel 2: speed and its 1 h running mean",
         [["ACE_Bx", "ACE_By"], ["ACE_V", "ACE_V_smooth"]]),
        ("3 May 2010, Wind. Top: |B| in black and Bz in red. Second: speed. Third: density, log.",
         [["Wind_Bmag", "Wind_Bz"], ["Wind_V"], ["Wind_n"]]),
        ("ACE B and |B| on top, n below, 3 May 2010", [["ACE_B", "ACE_Bmag"], ["ACE_n"]]),
        # what stands before the first label is said of all panels, and draws nothing itself
        ("IMP-8 15-second field data of 4 May 1998: panel one Bx, By, Bz as one-minute averages, panel two |B|",
         [["IMP8_Bx_binned", "IMP8_By_binned", "IMP8_Bz_binned"], ["IMP8_Bmag"]]),
        ("OMNI hourly data, 1996. Upper panel: speed with a 27-day running mean. Lower panel: |B|.",
         [["OMNI_V", "OMNI_V_smooth"], ["OMNI_Bmag"]]),
        # places and their looks behind the data
        ("ACE, 3 May 2010: Bz in the first panel, speed in the second as a red line, density in the third (log axis)",
         [["ACE_Bz"], ["ACE_V"], ["ACE_n"]]),
        ("ACE, May 2010: B at the top, speed averaged to 1 h second, density third",
         [["ACE_B"], ["ACE_V_binned"], ["ACE_n"]]),
        ("ACE, May 2010: speed in the first panel, density in the second, all as 6 h averages",
         [["ACE_V_binned"], ["ACE_n_binned"]]),
        ("centre panel: hourly ACE Bz, last panel: density, top panel: speed, 3 May 2010",
         [["ACE_V"], ["ACE_Bz"], ["ACE_n"]]),
        ("ACE, May 2010: first V, then n averaged to 1 h, finally |B|", [["ACE_V"], ["ACE_n_binned"], ["ACE_Bmag"]]),
        ("daily means of Dst for all of 2014, upper panel; F10.7 in the lower panel",
         [["OMNI_Dst_binned"], ["OMNI_F107"]]),
        ("Kp as bars in the upper panel, Dst as a line in the lower one, March 1989", [["OMNI_Kp"], ["OMNI_Dst"]]),
        ("Wind on 3 May 2010: one panel with Bz, another with n", [["Wind_Bz"], ["Wind_n"]]),
        ("MMS1 and MMS2 field, 9 November 2016: one panel for Bx, one for By",
         [["MMS1_Bx", "MMS2_Bx"], ["MMS1_By", "MMS2_By"]]),
        ("STEREO-B, 7 May 2010. Row 1 shows B_R, row 2 the speed unsmoothed, row 3 n unsmoothed and logarithmic",
         [["STB_Br"], ["STB_V"], ["STB_n"]]),
        ("hourly OMNI speed over 2008 and in a second panel its 27-day running average",
         [["OMNI_V"], ["OMNI_V_smooth"]]),
        # what a quantity could be computed from is drawn where it has a place of its own
        ("Field clock angle from OMNI 1-minute data with Bz GSM above, 7 September 2017",
         [["OMNI_Bz"], ["OMNI_B_clock"]]),
        ("Shue standoff distance from OMNI together with dynamic pressure in its own panel, 8 March 2012",
         [["OMNI_r0"], ["OMNI_Pdyn"]]),
        ("Shue standoff distance from OMNI dynamic pressure and Bz, 8 March 2012", [["OMNI_r0"]]),
        ("ACE components of the field, one panel each, 3 May 2010", [["ACE_Bx"], ["ACE_By"], ["ACE_Bz"]]),
    ],
)  # fmt: skip
def test_labelled_panels_are_read_one_by_one(author, sentence, panels):
    assert figure(author, sentence)["panels"] == panels


@pytest.mark.parametrize(
    ("sentence", "key", "value"),
    [
        ("ACE, May 2010: Bz in the first panel, V in the second as a red line, n in the third (log)", "trace_colors",
         {"ACE_V": "red"}),
        ("SYM-H, May 2018: raw data in grey, one-hour running average in black", "trace_colors",
         {"OMNI_SYMH": "grey", "OMNI_SYMH_smooth": "black"}),
        ("ACE speed with a 15-minute running median, raw in black and the median in red, 5 May 2010", "trace_colors",
         {"ACE_V": "black", "ACE_V_median": "red"}),
        ("ACE and Wind |B|, May 2010, both in one log panel, with Dst below", "log_scale", {"1": "log"}),
        ("panel 1: speed of ACE and Wind, ACE green; panel 2: density of ACE and Wind, May 2010", "trace_colors",
         {"ACE_V": "green", "Wind_V": "red", "ACE_n": "blue", "Wind_n": "red"}),
        ("panel 1: ACE and Wind speed; panel 2: ACE and Wind density; May 2010, ACE green", "trace_colors",
         {"ACE_V": "green", "Wind_V": "red", "ACE_n": "green", "Wind_n": "red"}),
        ("panel 1: ACE n and V, V green; panel 2: V smoothed over 1 h, May 2010", "trace_colors", {"ACE_V": "green"}),
        ("STEREO-A and STEREO-B speed, STEREO-A red and STEREO-B blue; hourly density of both below, "
         "A green and B black, May 2010", "trace_colors",
         {"STA_V": "red", "STB_V": "blue", "STA_n_binned": "green", "STB_n_binned": "black"}),
        ("ACE Bx and By, May 2010, each in its own panel, all y axes from -60 to 60", "y_range",
         {"1": [-60.0, 60.0], "2": [-60.0, 60.0]}),
    ],
)  # fmt: skip
def test_a_look_is_that_of_its_labelled_panel(author, sentence, key, value):
    assert figure(author, sentence)[key] == value


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (
            "Wind Bz, May 2012: raw in grey, 10 min mean in red, 1 h mean in blue",
            "not clear which line 'mean blue'",
        ),
        ("ACE, May 2010. Panel 1: speed; panel 3: density", "names a panel 3, but only 2 panels"),
        ("10 min means of ACE density, May 2010, nothing is averaged", "'nothing' means beside an average"),
    ],
)
def test_words_that_contradict_what_is_drawn_are_refused(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "panels"),
    [
        ("STEREO A and B speed in the same panel, December 2007; below, their difference",
         [["STA_V", "STB_V"], ["STA_V_minus_STB_V"]]),
        ("ACE and Wind Bz in one panel and below it Wind minus ACE, 3 May 2010",
         [["Wind_Bz", "ACE_Bz"], ["Wind_Bz_minus_ACE_Bz"]]),
        ("Wind alpha and proton density, January 2003, both densities in one panel, and the ratio alpha/proton below",
         [["Wind_nalpha", "Wind_n"], ["Wind_alphas"]]),
        ("ACE Bz, By and speed, both Bz and By in one panel, 3 May 2010", [["ACE_Bz", "ACE_By"], ["ACE_V"]]),
        ("THEMIS-E ion spectrogram 26 Feb 2008 04:00-05:00, below it the same for electrons",
         [["THEMISE_ions"], ["THEMISE_electrons"]]),
        ("ACE density and speed, below them the same for Wind, 3 May 2010",
         [["ACE_n"], ["ACE_V"], ["Wind_n"], ["Wind_V"]]),
        ("OMNI: put hourly means of SYM-H on top of Dst in one panel, March 2015", [["OMNI_Dst", "OMNI_SYMH_binned"]]),
        ("ACE density over temperature, two panels, May 2010", [["ACE_n"], ["ACE_T"]]),
        ("the ratio of ACE density over Wind density, in one panel, May 2010", [["ACE_n_over_Wind_n"]]),
    ],
)  # fmt: skip
def test_what_is_said_of_the_panel_below_is_drawn_there(author, sentence, panels):
    assert figure(author, sentence)["panels"] == panels


def test_a_colour_below_is_that_of_the_spacecraft_there(author):
    spec = figure(author, "ACE density and Bz, below it Wind density and Bz in red, 3 May 2010")
    assert spec["trace_colors"] == {"Wind_Bz": "red"}


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (
            "ACE density and Bz, below it the same for Wind in red, 3 May 2010",
            "not clear what 'the same' is for Wind",
        ),
        (
            "ACE density and Wind speed, below it the same for DSCOVR, 7 Sep 2017",
            "what 'the same' is for DSCOVR",
        ),
        ("hourly means of SYM-H over Dst in one panel, OMNI, March 2015", "not clear what 'over' means"),
        ("hourly ACE and Wind speed; density of these spacecraft below, May 2010", "not clear which parts"),
        (
            "Wind and ACE, May 2010: panel 1: |B| of both missions; panel 2: hourly speed of ACE; panel 3: Dst",
            "not clear which parts of the request its averages and computations are for",
        ),
    ],
)
def test_a_part_that_means_nothing_alone_is_refused(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


@in_one_test(
    ("sentence", "panels"),
    [
        (
            "Wind |B| smoothed over 30 min, ACE speed and Dst, three panels",
            [["Wind_Bmag_smooth"], ["ACE_V"], ["OMNI_Dst"]],
        ),
        (
            "Wind density as 3 h running means together with the OMNI speed in the lower panel",
            [["Wind_n_smooth"], ["OMNI_V"]],
        ),
        (
            "daily mean ap and Kp with the OMNI speed in a third panel",
            [["OMNI_ap_binned"], ["OMNI_Kp_binned"], ["OMNI_V"]],
        ),
        (
            "ACE and Wind 1 h mean |B|, one panel, plus a second panel with both densities",
            [["ACE_Bmag_binned", "Wind_Bmag_binned"], ["ACE_n", "Wind_n"]],
        ),
        (
            "ACE density and speed, both as 2 h medians, with |B| in the third panel",
            [["ACE_n_binned"], ["ACE_V_binned"], ["ACE_Bmag"]],
        ),
        (
            "ACE density smoothed over 30 min in one panel and the speed in another",
            [["ACE_n_smooth"], ["ACE_V"]],
        ),
        (
            "ACE Bz hourly, plus the density smoothed over 2 h in another panel",
            [["ACE_Bz"], ["ACE_n_smooth"]],
        ),
        (
            "ACE density smoothed over 1 h, temperature unsmoothed, |B| at its own resolution",
            [["ACE_n_smooth"], ["ACE_T"], ["ACE_Bmag"]],
        ),
        (
            "ACE Bz, its 1 h running mean overlaid, and the hourly density",
            [["ACE_Bz", "ACE_Bz_smooth"], ["ACE_n"]],
        ),
        (
            "ACE Bz, its 1 h running mean on top, and the hourly density",
            [["ACE_Bz", "ACE_Bz_smooth"], ["ACE_n"]],
        ),
        (
            "hourly ACE |B| and 2 h mean speed, density at the bottom",
            [["ACE_Bmag_binned"], ["ACE_V_binned"], ["ACE_n"]],
        ),
        # what is said of one spacecraft, or of both, in a panel
        (
            "ACE and Wind speed, hourly; |B| of both below",
            [["ACE_V", "Wind_V_binned"], ["ACE_Bmag", "Wind_Bmag"]],
        ),
        (
            "Wind and ACE: panel 1: |B| of both, Wind in blue; panel 2: speed of ACE only, 64-s; panel 3: Dst",
            [["Wind_Bmag", "ACE_Bmag"], ["ACE_V"], ["OMNI_Dst"]],
        ),
        # what stands above a computation is not computed
        (
            "power spectra of Wind Bx and |B|, and the density above",
            [["Wind_n"], ["Wind_Bx_power"], ["Wind_Bmag_power"]],
        ),
        (
            "power spectra of Wind Bx and |B|, and the density on top",
            [["Wind_n"], ["Wind_Bx_power"], ["Wind_Bmag_power"]],
        ),
        ("wavelet spectrum of Wind Bz and V above", [["Wind_V"], ["Wind_Bz_wavelet"]]),
        (
            "hourly means of n and V of Wind, and Bz above",
            [["Wind_Bz"], ["Wind_n_binned"], ["Wind_V_binned"]],
        ),
        ("Wind speed smoothed over 1 h and |B| above it", [["Wind_Bmag"], ["Wind_V_smooth"]]),
        ("Wind density and hourly |B| above", [["Wind_Bmag_binned"], ["Wind_n"]]),
        (
            "hourly means of ACE n and V, and |B| above in red",
            [["ACE_Bmag"], ["ACE_n_binned"], ["ACE_V_binned"]],
        ),
        ("hourly ACE density, speed and |B| above", [["ACE_Bmag_binned"], ["ACE_n"], ["ACE_V"]]),
        (
            "power spectra of Bx and |B| of Wind in one panel, 3-s data, and Bx, By, Bz in GSE above",
            [["Wind_Bx"], ["Wind_By"], ["Wind_Bz"], ["Wind_B_gsex_power", "Wind_B_gsemag_power"]],
        ),
        # what stands at both ends is for all
        (
            "ACE density, speed and |B|, three panels, all smoothed over 1 h",
            [["ACE_n_smooth"], ["ACE_V_smooth"], ["ACE_Bmag_smooth"]],
        ),
        ("in two panels, 2 h means of ACE speed and density", [["ACE_V_binned"], ["ACE_n_binned"]]),
        (
            "ACE speed, density, |B|, everything averaged over 10 min",
            [["ACE_V_binned"], ["ACE_n_binned"], ["ACE_Bmag_binned"]],
        ),
    ],
)
def test_a_part_ends_at_its_place_or_at_the_next_quantity(author, sentence, panels):
    assert figure(author, f"{sentence}, {TIME}")["panels"] == panels


@pytest.mark.parametrize(
    "sentence",
    [
        "ACE speed smoothed over 1 h, density, |B|, two panels",
        "daily mean ap and Kp with the OMNI speed in a second panel",
        "Wind |B| smoothed over 10 min, plus a third panel with Dst",
        "hourly ACE |B| on top, density below, three panels",
    ],
)
def test_a_figure_of_parts_has_the_number_of_panels_of_the_sentence(author, sentence):
    with pytest.raises(NotUnderstood, match="the figure would have"):
        author.create(f"{sentence}, {TIME}")


@in_one_test(
    ("sentence", "panels"),
    [
        (
            "OMNI |B| in first panel, V in second, n and Pdyn in third with Pdyn right, SYM-H fourth",
            [["OMNI_Bmag"], ["OMNI_V"], ["OMNI_n", "OMNI_Pdyn"], ["OMNI_SYMH"]],
        ),
        (
            "Wind |B| in the first panel, n in the second panel with V dashed, Bz in the third panel",
            [["Wind_Bmag"], ["Wind_n", "Wind_V"], ["Wind_Bz"]],
        ),
    ],
)
def test_a_look_behind_a_place_is_of_that_panel(author, sentence, panels):
    assert figure(author, f"{sentence}, {TIME}")["panels"] == panels


def test_a_look_of_an_earlier_panel_is_refused(author):
    with pytest.raises(NotUnderstood, match="which panel draws 'V on the right axis'"):
        author.create(
            f"OMNI n and V in the first panel, V on the right axis, SYM-H in the second panel, {TIME}"
        )
