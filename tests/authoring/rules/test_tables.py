"""Means of months, files of named data, tables of storms and intervals, and superposed epochs at given times."""

import pytest

from helio.authoring.outcome import NotUnderstood, TemplateDraft
from tests.authoring.rules.test_computations import figure
from tests.rows import in_one_test


def steps_of(author, sentence: str):
    draft = author.create(sentence)
    assert isinstance(draft, TemplateDraft), sentence
    return [(step["tool_name"], step["tool_args"]) for step in draft.template["steps"]]


MEANS = {
    "monthly mean of OMNI speed 1996-2020": {"cadence": "1 month", "method": "mean"},
    "yearly averages of sunspot number, 1964 to 2024": {"cadence": "1 year", "method": "mean"},
    "average AE per year 1990-2015": {"cadence": "1 year", "method": "mean"},
    "maximum Dst of each month, 2003": {"cadence": "1 month", "method": "max"},
    "daily Dst minima, March 2015": {"cadence": "1d", "method": "min"},
    "6-month averages of Ulysses density, 1992-2000": {"cadence": "6 months", "method": "mean"},
    "ACE |B| averaged over Carrington rotations 2001": {"cadence": "Carrington rotation", "method": "mean"},
    "27-day averages of F10.7, 2000-2010": {"cadence": "27d", "method": "mean"},
}


def test_means_are_of_the_intervals_that_the_words_name(author):
    for sentence, expected in MEANS.items():
        (made,) = (args for tool, args in steps_of(author, sentence) if tool == "resample")
        assert expected.items() <= made.items(), sentence
    ((_, statistics),) = (
        step for step in steps_of(author, "monthly mean, min and max of Dst 2003") if step[0] == "statistics"
    )
    assert (statistics["interval"], statistics["of"]) == ("1 month", ["mean", "min", "max"])


def test_a_daily_overview_of_a_day_is_no_mean(author):
    tools = {tool for tool, _ in steps_of(author, "daily overview of ACE speed and density, 2003-10-29")}
    assert tools == {"fetch_data", "render_spec"}


@in_one_test(
    ("sentence", "saved"),
    [
        (
            "table (csv) of hourly mean and standard deviation of Vp at ACE, 10-12 Dec 2006",
            ["ACE_V_mean_std.csv"],
        ),
        ("ACE B and density on 2003-10-29, save the density as csv", ["ACE_n.csv"]),
        ("csv of Dst for March 2015", ["OMNI_Dst.csv"]),
        ("save ACE B 2003-10-29 to ace_b.csv", ["ace_b.csv"]),
        ("write OMNI hourly V and Dst for 2015 to storm.csv and plot them", ["storm.csv"]),
        ("Wind V 2008-02-01 -> wind_v.nc", ["wind_v.nc"]),
        ("list storms with SYM-H < -80 nT in 2012 to storms_2012.csv", ["storms_2012.csv"]),
        ("Wind density 2008-01-03 as a table", ["Wind_n.csv"]),
        (
            "plot OMNI density and speed 2015-03-17 and export the data as netcdf",
            ["omni-proton-density-bulk-speed.nc"],
        ),
        ("write ACE density and speed 2015-03-17 to a csv", ["ace-proton-density-bulk-speed.csv"]),
        ("ACE density and speed 2015-03-17, one csv", ["ace-proton-density-bulk-speed.csv"]),
        ("ACE density and speed 2015-03-17 as csv", ["ace-proton-density-bulk-speed.csv"]),
        (
            "ACE density and speed 2015-03-17, table of everything in csv",
            ["ace-proton-density-bulk-speed.csv"],
        ),
        (
            "ACE density and speed 2015-03-17, then the table of both in a csv",
            ["ace-proton-density-bulk-speed.csv"],
        ),
        ("ACE density and speed 2015-03-17, and a csv of the two", ["ace-proton-density-bulk-speed.csv"]),
        ("ACE density, speed and temperature 2015-03-17, csv of all three please", ["ace-overview.csv"]),
        ("ACE density and speed 2015-03-17, a csv of all of them", ["ace-proton-density-bulk-speed.csv"]),
        ("ACE V and |B| 2015-03-17, csv of both", ["ace-bulk-speed-magnetic-field-magnitude.csv"]),
        (
            "ACE V and |B| 2015-03-17; export the table as csv",
            ["ace-bulk-speed-magnetic-field-magnitude.csv"],
        ),
        ("ACE V and |B| 2015-03-17, csv files of both", ["ACE_Bmag.csv", "ACE_V.csv"]),
        ("ACE density 2015-03-17, write me the values", ["ACE_n.csv"]),
        ("ACE density 2015-03-17, give me the numbers please", ["ACE_n.csv"]),
        ("ACE density and speed 2015-03-17 as csv files", ["ACE_n.csv", "ACE_V.csv"]),
        ("ACE density and Wind speed 2015-03-17 as csv", ["ACE_n.csv", "Wind_V.csv"]),  # their epochs differ
        ("list of geomagnetic storms with Dst below -100 nT in 2023, as CSV", ["storms.csv"]),
        ("minimum Dst of each storm in 2015", ["storms.csv"]),
        ("storms of 2012, table", ["storms.csv"]),
        ("Dst mean and max per day, Nov 2003, table please", ["OMNI_Dst_mean_max.csv"]),
    ],
)
def test_the_named_data_are_saved(author, sentence, saved):
    files = [args["filename"] for tool, args in steps_of(author, sentence) if tool == "save_data"]
    assert sorted(files) == sorted(saved)


def test_a_file_has_as_many_series_as_the_sentence_says(author):
    with pytest.raises(NotUnderstood, match="saves 3 series, but it draws 2"):
        author.create("ACE density and speed 2015-03-17, csv of all three")


@pytest.mark.parametrize(
    ("sentence", "drawn"),
    [
        ("OMNI speed Nov 2021 to csv, don't plot", False),
        ("only a csv file: Wind density, 1-3 Nov 2021", False),
        ("daily Kp maxima May 2024: table only", False),
        ("Wind density 2008-01-03 as text file instead of a plot", False),
        ("table of storms in 2012, no figure please", False),
        ("GOES-16 X-class flare list May 2024, only the csv", False),
        ("Wind density 2015-03-17, figure and csv", True),
    ],
)
def test_data_are_saved_without_a_figure_where_none_is_wanted(author, sentence, drawn):
    tools = [tool for tool, _ in steps_of(author, sentence)]
    assert "save_data" in tools
    assert ("render_spec" in tools) is drawn


@pytest.mark.parametrize(
    "words", ["do not plot the density", "but don't plot density", "do not draw the total field"]
)
def test_a_quantity_that_is_not_wanted_is_no_figure_that_is_not_wanted(author, words):
    with pytest.raises(NotUnderstood, match="helio does not understand"):
        author.create(f"Wind speed and density, 2017-09-07, {words}")


@pytest.mark.parametrize(
    ("words", "panels"),
    [
        ("B and speed, do not plot Bx", [["Wind_By"], ["Wind_Bz"], ["Wind_V"]]),
        ("magnetic field in GSM without By", [["Wind_Bx"], ["Wind_Bz"]]),
    ],
)
def test_a_component_is_left_out_of_the_field(author, words, panels):
    assert figure(author, f"Wind {words}, 2017-09-07")["panels"] == panels


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("table of intense storms 2000-2005", {"threshold": -100, "give": "minimum"}),
        ("list all storms in 2012 below -80 nT", {"threshold": -80, "give": "minimum"}),
        (
            "Dst of 2015. Find the storms that reach -100 nT and save their minima as a table (csv)",
            {"threshold": -100, "give": "minimum"},
        ),
        ("find the storms below -100 nT in 2015 and list their onsets", {"threshold": -100, "give": "onset"}),
    ],
)
def test_a_table_of_storms_has_their_threshold(author, sentence, expected):
    (storms,) = (args for tool, args in steps_of(author, sentence) if tool == "storm_phases")
    assert expected.items() <= storms.items()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("find intervals with OMNI Bz GSM < -10 nT lasting more than 1 h in October 2024, write them to a csv",
         {"source_label": "OMNI_Bz", "when": "< -10 nT", "lasting": "1h"}),
        ("find when Wind density exceeded 30 /cc for at least 2 hours, July 2012",
         {"when": "> 30 cm^-3", "lasting": "2h"}),
        ("periods when ACE speed is above 700, Nov 2003", {"when": "> 700 km/s"}),
        ("times when Kp >= 6 in May 2024", {"source_label": "OMNI_Kp", "when": ">= 6"}),
        ("how often was Dst below -100 nT in 2003?", {"when": "< -100 nT"}),
        ("onset times of AE above 1000 nT in March 2015", {"when": "> 1000 nT", "give": "start"}),
    ],
)  # fmt: skip
def test_a_table_of_intervals_has_their_condition(author, sentence, expected):
    steps = steps_of(author, sentence)
    alerts = [args for tool, args in steps if tool == "alert"]
    assert all(expected.items() <= args.items() for args in alerts)
    (saved,) = (args["source_labels"] for tool, args in steps if tool == "save_data")
    assert saved == [args["output_label"] for args in alerts] != []


def test_the_condition_on_kp_is_not_on_its_stored_multiple(author):
    (rescaled,) = (
        args for tool, args in steps_of(author, "times when Kp > 6 in May 2024") if tool == "rescale"
    )
    assert (rescaled["output_label"], rescaled["factor"]) == ("OMNI_Kp", 0.1)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("hours with ACE speed over 700 km/s in October 2003", "intervals, not hours"),
        ("list of days with Dst below -50 nT in March 2015", "intervals, not days"),
        ("periods when ACE Bz and Wind Bz are below -10 nT, 2003-11-20", "one series"),
        ("intervals with ACE B above 20 nT, 2003-11-20", "one series"),
    ],
)
def test_a_table_of_other_things_than_intervals_of_a_series_is_refused(author, sentence, words):
    with pytest.raises(NotUnderstood, match=words):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "window"),
    [
        ("superposed epoch of SYM-H around shocks 2015-02-01 05:00, 2015-06-22 18:33 and 2015-03-17 04:45, ± 3 days",
         ("3d", "3d", "1h")),
        ("superposed epoch of ACE Bz at 2003-10-29 06:11 and 2003-11-20 08:03, 12 h before to 1 day after, 5 min bins",
         ("12h", "1d", "5min")),
        ("SEA of OMNI speed, 2 days before to 3 days after the Dst minima of storms below -80 nT, 2004",
         ("2d", "3d", "1h")),
        ("superposed epoch of SYM-H, epochs 2015-03-17 04:45 and 2015-06-22 18:33, window 2 days either side",
         ("2d", "2d", "1h")),
        ("superposed epoch of SYM-H, epochs 2015-03-17 04:45 and 2015-06-22 18:33, window of -6 to +12 h, 5 min bins",
         ("6h", "12h", "5min")),
        ("superposed epoch of hourly AE around storm onsets, 2015, two days either side", ("2d", "2d", "1h")),
    ],
)  # fmt: skip
def test_a_superposed_epoch_has_the_window_that_the_words_give(author, sentence, window):
    (epochs,) = (args for tool, args in steps_of(author, sentence) if tool == "superposed_epoch")
    assert (epochs["before"], epochs["after"], epochs["bin"]) == window


def test_given_zero_times_stand_in_the_pipeline_in_order(author):
    steps = dict(steps_of(author, "superposed epoch of Dst at 2015-06-22 18:33 and 17 March 2015 04:45"))
    code = steps["store_dataframe"]["pandas_code"]
    assert code.index("2015-03-17T04:45:00") < code.index("2015-06-22T18:33:00")


def test_x_rays_and_flares_are_those_of_the_named_satellite(author):
    steps = dict(steps_of(author, "list of all flares above M1 from GOES-16 XRS, 4 to 10 Sept 2017, as csv"))
    assert steps["fetch_data"]["dataset_id"] == "SCI_XRSF-L2-AVG1M_G16"
    assert steps["solar_flares"]["least"] == 1e-5
    assert steps["save_data"]["source_labels"] == [steps["solar_flares"]["output_label"]]
    assert "solar_flares" not in dict(steps_of(author, "GOES-15 X-ray flux, 2012-03-07"))


@pytest.mark.parametrize(
    ("sentence", "parameters", "least"),
    [
        ("GOES-15 short channel xrs, 5 march 2012", ["xrsa_flux", "xrsa_flag"], None),
        ("GOES 16 x-rays 1-8 A, 2022-03-30", ["xrsb_flux", "xrsb_flag"], None),
        ("GOES-16 XRS long channel 4-10 Sept 2017 with the M and X class flares marked on the curve",
         ["xrsb_flux", "xrsb_flag"], 1e-5),
        ("goes 18 xrs, may 2024, mark the X flares", ["xrsb_flux", "xrsb_flag"], 1e-4),
        ("GOES-18 X-ray flux, both channels, for May 2024 with flares of at least X1",
         ["xrsb_flux", "xrsb_flag", "xrsa_flux", "xrsa_flag"], 1e-4),
    ],
)  # fmt: skip
def test_x_rays_have_the_channels_and_the_flares_of_the_sentence(author, sentence, parameters, least):
    steps = dict(steps_of(author, sentence))
    assert steps["fetch_data"]["parameters"] == parameters
    assert steps.get("solar_flares", {}).get("least") == least


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("GOES-16 X-ray flux, 2003-10-28", "GOES-16 was launched in 2016, after 2003"),
        ("GOES-5 XRS 1982-06-06", "no X-rays of GOES-5"),
    ],
)
def test_x_rays_that_are_not_there_are_refused(author, sentence, words):
    with pytest.raises(NotUnderstood, match=words):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "tool", "expected"),
    [
        ("switchback deflection: angle between PSP B and its 6 h running mean, 6 Nov 2018", "running_average",
         {"window": "6h"}),
        ("ACE B deflection from its 2 h running median, 5 April 2010", "running_median", {"window": "2h"}),
        ("deviation of ACE Bz from its 1 h running mean, 5 April 2010", "detrend", {"window": "1h"}),
    ],
)  # fmt: skip
def test_a_series_is_compared_with_its_own_mean(author, sentence, tool, expected):
    steps = steps_of(author, sentence)
    (made,) = (args for name, args in steps if name == tool)
    assert expected.items() <= made.items()
    assert ("angle_between" in dict(steps)) is (tool != "detrend")


def test_data_of_the_catalogue_have_the_place_of_the_sentence(author):
    sentence = "ERNE HED proton intensities (SOHO) on top, ACE solar wind speed below, 28 Oct to 2 Nov 2003"
    assert steps_of(author, sentence)[-1][1]["spec"]["panels"] == [["SOHO_PH"], ["ACE_V"]]


def test_x_rays_have_the_looks_that_the_sentence_names(author):
    sentence = "GOES-15 X-rays, 4-10 Sept 2017, both channels, log scale, title 'Flares'"
    spec = steps_of(author, sentence)[-1][1]["spec"]
    assert (spec["title"], spec["log_scale"]) == ("Flares", {"1": "log"})


def test_means_over_the_values_are_drawn_in_their_panel(author):
    figure = steps_of(author, "Wind Bz GSM 3-5 Nov 2021, 1h means drawn over the 1 min values")[-1][1]["spec"]
    assert figure["panels"] == [["Wind_Bz", "Wind_Bz_binned"]]


@pytest.mark.parametrize(
    ("sentence", "parameter"),
    [
        ("Alfven Mach no. OMNI 25-27 Aug 2018", "Mach_num"),
        ("sunspot no. 1990 to 2000", "R"),
        ("no. density of protons, ACE, 15 July 2012", "Np"),
    ],
)
def test_no_with_a_full_stop_is_a_number(author, sentence, parameter):
    (args,) = (args for tool, args in steps_of(author, sentence) if tool == "fetch_data")
    assert args["parameter_id"] == parameter


def test_a_superposed_epoch_says_that_its_series_are_averaged(author):
    draft = author.create("superposed epoch of SYM-H around the minima of storms below -100 nT, 2015")
    assert "the series are hourly, or averaged to 1 h, because the request names no cadence" in draft.notes
