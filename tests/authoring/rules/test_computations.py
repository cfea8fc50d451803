"""Which computations a sentence asks for, in which order, and the settings of figures that go with them."""

import re

import pytest

from helio.authoring.outcome import AuthorQuestion, NotProved, NotUnderstood, TemplateDraft
from helio.errors import HelioError
from tests.rows import in_one_test

_INPUTS = [
    "fetch_data",
    "components",
    "join_components",
    "align",
    "convert_units",
    "render_spec",
    "store_dataframe",
]


def computed(author, sentence):
    """Return the tools that compute something, in order, each with the arguments that are no labels."""
    came = author.create(sentence)
    assert isinstance(came, TemplateDraft), came
    return [
        (step["tool_name"], {key: value for key, value in step["tool_args"].items() if "label" not in key})
        for step in came.template["steps"]
        if step["tool_name"] not in _INPUTS
    ]


def figure(author, sentence):
    """Return the settings of the figure of a new pipeline."""
    return author.create(sentence).template["steps"][-1]["tool_args"]["spec"]


@in_one_test(
    ("sentence", "tools"),
    [
        ("power spectrum of Wind Bz, despiked and detrended, 2015-03-17", "despike detrend power_spectrum"),
        ("daily maxima of the time derivative of SYM-H, 2003", "derivative resample"),
        ("RBSP-A |B| detrended with a 1 h running mean on 17 March 2013", "detrend"),
        ("PSD of Wind |B|, 1h Welch windows, 20 Nov 2003", "power_spectrum"),
        (
            "hourly means of the Pc5 power of THEMIS-A Bz, 2013-03-17",
            "power_spectrogram band_integral resample",
        ),
        ("OMNI speed and its derivative below, 2008-02, 1 h averages", "resample derivative"),
        ("OMNI speed and its derivative, 2008-02, all as 1 h averages", "resample derivative"),
        ("lagged correlation between ACE and Wind speed, 2005-05", "cross_correlation_lag"),
        ("Np times V for OMNI, 2008-01", "arithmetic"),
        ("OMNI Bz normalised by |B|, 2015-03-17", "magnitude arithmetic"),
        ("PSP proton density scaled to 1 AU (r^2), Jan 2021", "arithmetic arithmetic"),
        ("Ulysses proton density × R², 1994", "arithmetic arithmetic"),
        ("integral of OMNI VBs over 2015-03-17", "vbs cumulative_integral"),
        ("convert the THEMIS-A field to SM coordinates, 2013-03-17", "transform_frame"),
        ("GSE to SM conversion of the THEMIS-A field, 2013-03-17", "transform_frame"),
        (
            "power spectrum of the difference between MMS1 and MMS2 Bz, 2017-07-11 22:00 to 23:00",
            "arithmetic power_spectrum",
        ),
        ("ratio of Wind to ACE density, smoothed by 1 h, 2012-07-15", "arithmetic running_average"),
        ("difference of ACE and Wind Bz in 5 min averages, 2012-07-15", "resample resample arithmetic"),
        ("Wind density divided by its 1 day running mean, Jan 2008", "running_average arithmetic"),
        (
            "trace PSD of the PSP field, 2021-04-29, slope fitted from 1 mHz to 0.1 Hz",
            "power_spectrum spectral_slope",
        ),
        ("Pc5 wavelet of GOES-16 Bz, 2021-11-04", "wavelet_spectrum"),
        (
            "rotate MMS1 B and ion V into LMN, 2015-10-16 13:06:50-13:07:10",
            "minimum_variance rotate_to_axes rotate_to_axes",
        ),
        (
            "3 h running mean of the Newell coupling function, and AE below, 2015-03-17",
            "newell_coupling running_average",
        ),
        ("parallel velocity MMS1 ions, 2017-07-11 22:30 - 22:40", "along_field"),
        ("clock angle of the OMNI IMF 2013-03-17, cone angle below it", "clock_angle cone_angle"),
        ("smoothed time derivative of Wind |B|, 10 min window, 2005-01-17", "derivative running_average"),
        ("hourly mean of the Wind density derivative, 2003-10-29", "derivative resample"),
        ("maximum dB/dt per hour, Wind |B|, 2005-01-17", "derivative resample"),
        ("daily mean wavelet power of ACE Bz, 2005-01", "wavelet_spectrum resample"),
        ("Wind density averaged hourly, then differentiated, 2003-10-29", "resample derivative"),
    ],
)
def test_the_inner_computation_comes_first(author, sentence, tools):
    assert [tool for tool, _ in computed(author, sentence)] == tools.split()


@in_one_test(
    ("sentence", "tool", "args"),
    [
        ("running 27-day mean of OMNI speed, 2008", "running_average", {"window": "27d"}),
        ("low-pass filter Bz at 10 min, Wind 2015-03-17", "band_pass", {"high": 1 / 600}),
        ("wavelet of hourly OMNI speed for 2008, period axis in days", "wavelet_spectrum", {"axis": "d"}),
        (
            "For each month of 2003-2024 the minimum of Dst",
            "resample",
            {"cadence": "1 month", "method": "min"},
        ),
        (
            "ACE Bz downsampled to 4 minutes with median, 2012-07-15",
            "resample",
            {"cadence": "4min", "method": "median"},
        ),
        (
            "wavelet of OMNI Bz with periods longer than 1 h, March 2015",
            "wavelet_spectrum",
            {"shortest": "1h"},
        ),
        (
            "OMNI Bz minimum in each 3 hour interval, 2015-03-17",
            "resample",
            {"cadence": "3h", "method": "min"},
        ),
        ("Wind Bz, hourly avgs, 2012-07-15", "resample", {"cadence": "1h", "method": "mean"}),
        ("Wind V, n, T each with 5 min running average, 2012-07-15", "running_average", {"window": "5min"}),
        ("ACE Bz minus its 1 h average, 2015-03-17", "detrend", {"method": "running_mean", "window": "1h"}),
        (
            "power spectrum of Wind Bz, 1 h windows, 14 May 2006; fit the slope from 0.005 to 0.1 Hz and draw the fit",
            "spectral_slope",
            {"low": 0.005, "high": 0.1, "give": "line"},
        ),
        (
            "Wind By, band-pass, periods 2 to 10 minutes, 2015-03-17",
            "band_pass",
            {"low": 1 / 600, "high": 1 / 120},
        ),
        ("hourly spectral slope of PSP B, 0.01-0.1 Hz, 2020-01-29", "power_spectrogram", {"window": "1h"}),
        (
            "find times when OMNI Bz < -10 nT for 3 h in 2015",
            "alert",
            {"when": "< -10 nT", "lasting": "3h", "give": "durations"},
        ),
        ("sigma_c of PSP 2020-01-29 30 min", "cross_helicity", {"give": "cross_helicity", "window": "30min"}),
        (
            "lag between ACE and Wind Bz for every 6 h, lags up to 90 min, 12-14 Feb 2011",
            "cross_correlation_lag",
            {"longest": "90min", "interval": "6h"},
        ),
        ("ACE speed with a 10 min running avg, 2011-02-12", "running_average", {"window": "10min"}),
        ("demeaned Wind By, 2015-03-17", "detrend", {"method": "mean"}),
        (
            "detrend |B| of MMS1 with a 5 minute mean, 2017-07-11",
            "detrend",
            {"method": "running_mean", "window": "5min"},
        ),
        (
            "detrend Bx and By of MMS1 by a 5 min average, 2017-07-11",
            "detrend",
            {"method": "running_mean", "window": "5min"},
        ),
        (
            "Wind Bz with the 5 min mean subtracted, 2015-03-17",
            "detrend",
            {"method": "running_mean", "window": "5min"},
        ),
        (
            "Wind Bz detrended with hourly mean, 2015-03-17",
            "detrend",
            {"method": "running_mean", "window": "1h"},
        ),
        ("angle between B and the radial direction, Solar Orbiter, 2022-03", "cone_angle", {}),
        (
            "superposed epoch of OMNI speed: zero times 2015-03-17 04:45, 2015-06-22T18; -2 to +3 days, 1 h bins",
            "superposed_epoch",
            {"before": "2d", "after": "3d", "bin": "1h"},
        ),
        (
            "superposed epoch of SYM-H at these SSCs: 2015-03-17 04:45, 2015-06-22 18:33. "
            "From 12 h before to 2 days after; show the mean",
            "superposed_epoch",
            {"before": "12h", "after": "2d", "bin": "1h", "give": "mean"},
        ),
        (
            "Wind Bz 2005-01-17 06:00, 2 h running mean",
            "running_average",
            {"window": "2h"},
        ),  # and no 2 h from 06:00
        ("Dst, 2005, a value a day", "resample", {"cadence": "1d", "method": "mean"}),
        ("Dst, 2005, one median value per month", "resample", {"cadence": "1 month", "method": "median"}),
        (
            "OMNI Bz; find the events where it stays below -10 nT during at least 30 min and mark these, 2024-05-10",
            "alert",
            {"when": "< -10 nT", "lasting": "30min"},
        ),
        (
            "Ulysses VHM |B| in 1993, take out all values greater than 5 nT",
            "mask",
            {"where": ">", "value": 5.0},
        ),
        ("6-hourly medians of Dst, 2005", "resample", {"cadence": "6h", "method": "median"}),
        ("OMNI speed 2003 hourly running mean", "running_average", {"window": "1h"}),
        ("sliding window mean of 15 minutes of ACE Bz on 2017-09-08", "running_average", {"window": "15min"}),
        (
            "minimum of Bz every 15 min and maximum of density every 15 min, Wind 2003-10-29",
            "resample",
            {"cadence": "15min", "method": "max"},
        ),
        (
            "ACE Bz and AE March 2015, cross-correlate Bz with AE, max lag 3 h, and plot the lag for every 6 h",
            "cross_correlation_lag",
            {"longest": "3h", "interval": "6h"},
        ),
        (
            "For every day of 2015 the maximum of AE and the minimum of SYM-H",
            "resample",
            {"cadence": "1d", "method": "min"},
        ),
    ],
)
def test_a_computation_has_the_arguments_of_the_sentence(author, sentence, tool, args):
    assert dict(computed(author, sentence))[tool] == pytest.approx(args)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("density (1 h mean) and Bz", ["ACE_n_binned", "ACE_Bz"]),
        ("|B| (hourly) and density", ["ACE_Bmag_binned", "ACE_n"]),
        ("Bz (GSM, hourly) and density", ["ACE_B_binnedz", "ACE_n"]),
        ("Bz and density (1 h means)", ["ACE_Bz_binned", "ACE_n_binned"]),
        ("|B| and its 1 h standard deviation", ["ACE_Bmag", "ACE_Bmag_std"]),
        ("hourly mean density and time derivative of Bz", ["ACE_n_binned", "ACE_Bz_rate"]),
        ("Bz, hourly mean of density and derivative of speed", ["ACE_Bz", "ACE_n_binned", "ACE_V_rate"]),
        ("|B| and hourly maximum of |B| of Wind", ["ACE_Bmag", "Wind_Bmag_binned"]),
        ("density and speed, 1 h running mean on the latter", ["ACE_n", "ACE_V_smooth"]),
        ("density and speed, 1 h running mean of the former", ["ACE_n_smooth", "ACE_V"]),
        ("smooth the density with a 30 min median", ["ACE_n_median"]),
        ("Bz and the 1 h minimum of Bz", ["ACE_Bz", "ACE_Bz_1h_min"]),
        ("|B| as 2 h medians, Wind the same", ["ACE_Bmag_binned", "Wind_Bmag_binned"]),
    ],
)
def test_a_computation_is_of_the_quantity_beside_it(author, data, lines):
    assert figure(author, f"ACE {data}, 2003-10-29")["labels"] == lines


@in_one_test(
    ("sentence", "panels"),
    [
        ("ACE density, 1 July 2010; add a 1 h running mean", [["ACE_n", "ACE_n_smooth"]]),
        ("Dst 2003, add its monthly mean", [["OMNI_Dst", "OMNI_Dst_binned"]]),
        ("Wind Bz with its 1-h mean, 2012-07-15", [["Wind_Bz", "Wind_Bz_binned"]]),
        ("Wind Bz with its hourly mean below, 2012-07-15", [["Wind_Bz"], ["Wind_Bz_binned"]]),
        ("ACE and Wind Bz, July 2010, 1 h means, overlaid", [["ACE_Bz_binned", "Wind_Bz_binned"]]),
        ("ACE and Wind density, July 2010, 1 h running mean, in one panel", [["ACE_n_smooth", "Wind_n_smooth"]]),
        (
            "ACE and Wind Bz, 1-3 July 2016, with 1 h means overlaid",
            [["ACE_Bz", "Wind_Bz", "ACE_Bz_binned", "Wind_Bz_binned"]],
        ),
        ("ACE Bz, 1-3 July 2016, 1 h means overlaid", [["ACE_Bz", "ACE_Bz_binned"]]),
        ("Wind n hourly medians, Jan 2008, in one panel and the speed underneath", [["Wind_n_binned"], ["Wind_V"]]),
        (
            "PSP SPC and SPAN-i proton density on 4 April 2019, same panel, median over 5min",
            [["PSP_np_moment_gd_binned", "PSP_DENS_binned"]],
        ),
        (
            "ACE and Wind |B| in one panel, then their ratio, July 2004",
            [["ACE_Bmag", "Wind_Bmag"], ["ACE_Bmag_over_Wind_Bmag"]],
        ),
        ("Wind |B| smoothed over 1 h, two panels: |B| and density, July 2010", [["Wind_Bmag_smooth"], ["Wind_n"]]),
        ("ACE 5 min running means, two panels: Bz, V. July 2010", [["ACE_Bz_smooth"], ["ACE_V_smooth"]]),
        ("smooth OMNI V over 2 h and n with a 1 h median, July 2010", [["OMNI_V_smooth"], ["OMNI_n_median"]]),
        ("Wind Bx, By, 1 min, 16 July 2000; By smoothed: 30 min median", [["Wind_Bx"], ["Wind_By_median"]]),
        ("Wind By smoothed (30 min running mean), 16 July 2000", [["Wind_By_smooth"]]),
        ("Wind n smoothed over 5 min, and a 1 h running median, July 2000", [["Wind_n_smooth"], ["Wind_n_median"]]),
        ("daily means of Bz and V, ACE hourly, July 2010", [["ACE_Bz_binned"], ["ACE_V_binned"]]),
        ("daily means of n and V smoothed over 3 h, ACE, July 2010", [["ACE_n_binned"], ["ACE_V_smooth"]]),
        ("ACE Bz, 1-3 May 2010, with Kp from hourly OMNI below it", [["ACE_Bz"], ["OMNI_Kp"]]),
        ("RPW BIAS density 10 seconds vs PAS density, 1 Apr 2022, in one panel (SolO)", [["SolO_DENSITY", "SolO_n"]]),
        ("10 min means of Bz, with ACE and Wind, July 2010", [["ACE_Bz_binned", "Wind_Bz_binned"]]),
        (
            "MAVEN 2015-03-08: SWIA ion spectrogram on top, then SWEA electrons, then MAG |B|, both spectrograms log",
            [["MAVEN_spectra_diff_en_fluxes"], ["MAVEN_diff_en_fluxes"], ["MAVEN_Bmag"]],
        ),
        ("ACE velocity GSE on 7 March 2009, just vy", [["ACE_Vvecy"]]),
    ],
)  # fmt: skip
def test_only_what_the_sentence_computes_is_computed(author, sentence, panels):
    assert figure(author, sentence)["panels"] == panels


def test_the_windows_of_a_spectrogram_hold_the_lowest_frequency(author):
    sentence = "ACE Bz power spectrogram {}, 18 Feb 2011 12 to 18 UT"
    windows = [
        dict(computed(author, sentence.format(band)))["power_spectrogram"]["window"]
        for band in ("1-5 mHz", "")
    ]
    assert windows == ["30min", "5min"]


def test_the_square_of_the_distance_is_of_the_first_quantity_alone(author):
    sentence = "Ulysses |B| times r squared {} the speed, hourly, 1995"
    assert figure(author, sentence.format("and"))["panels"] == [
        ["Ulysses_Bmag_r2"],
        ["Ulysses_V"],
    ]
    (entry,) = figure(author, sentence.format("versus"))["xy"]
    assert "_r2" in entry["y"]
    assert "_r2" not in entry["x"]
    asked = author.create("Ulysses |B| and density times r squared, 1995")
    assert asked.text == "Of which quantities do you want the r squared?"


def test_short_periods_need_fine_data(author):
    came = author.create("wavelet of Wind Bz, periods 20 s to 10 min, 2015-03-17")
    assert came.template["steps"][0]["tool_args"]["parameter_id"] == "B3GSE"


@in_one_test(
    ("sentence", "settings"),
    [
        ("power spectrum of PSP B with a -5/3 line, 2020-01-29", {"slopes": ["-5/3"]}),
        ("PSD of Wind |B|, 2015-03-17, Kolmogorov slope", {"slopes": ["-5/3"]}),
        ("spectrogram of THEMIS-A Bz, 1 to 20 mHz, 2013-03-17", {"y_range": {"1": [0.001, 0.02]}}),
        ("spectrogram of MMS1 Bz below 5 Hz, 2015-10-16 13:00-13:10", {"log_y": {"1": False}}),
        (
            "histogram of Wind density, 2016-07, with 50 bins",
            {"histograms": [{"of": ["Wind_n"], "bins": 50}]},
        ),
        (
            "OMNI density vs speed coloured by Bz, Jan 2008",
            {"xy": [{"x": "OMNI_V", "y": "OMNI_n", "color_by": "OMNI_Bz"}]},
        ),
        (
            "DSCOVR |B| with a 1 h running median on top of it in red, 2017-09-07",
            {
                "panels": [["DSCOVR_Bmag", "DSCOVR_Bmag_median"]],
                "trace_colors": {"DSCOVR_Bmag_median": "red"},
            },
        ),
        (
            "ACE Bz (black) and 1 h average (red) in one panel, 2015-03-17",
            {"trace_colors": {"ACE_Bz": "black", "ACE_Bz_binned": "red"}},
        ),
        (
            "monthly mean sunspot number and yearly mean on top of it, 1950 to 2020",
            {"panels": [["OMNI_SSN_binned", "OMNI_SSN_1year_mean"]]},
        ),
        (
            "convert Wind B from GSE to GSM and put it in the panel below the GSE one, 2015-03-17",
            {"panels": [["Wind_B"], ["Wind_B_gsm"]]},
        ),
        (
            "ACE Bz and its value shifted to the bow shock, 2015-03-17",
            {"panels": [["ACE_Bz"], ["ACE_Bz_shifted"]]},
        ),
        (
            "scatter of ACE density against temperature 2004, both axes log",
            {"xy": [{"x": "ACE_T", "y": "ACE_n", "log_x": True, "log_y": True}]},
        ),
        (
            "scatter plot OMNI density against speed 2008, x axis from 200 to 800 km/s, y axis 0 to 50",
            {"xy": [{"x": "OMNI_V", "y": "OMNI_n", "x_range": [200.0, 800.0], "y_range": [0.0, 50.0]}]},
        ),
        (
            "Dst 2024-05-10 with a dashed line at -100 nT, label storm level",
            {"hlines": [{"y": -100.0, "dash": "dash", "label": "storm level"}]},
        ),
        ("Wind V, n and |B| 2024-05-10, log for n only", {"log_scale": {"2": "log"}}),
        (
            "bz from ace, dscovr and wind for 21 june 2018. Red for ace, black for the rest.",
            {"trace_colors": {"ACE_Bz": "red", "DSCOVR_Bz": "black", "Wind_Bz": "black"}},
        ),
        ("Wind T in eV and n, 3 April 2010. The former on a log axis.", {"log_scale": {"1": "log"}}),
        (
            "Dst and its derivative in two panels, May 2003; derivative in red",
            {"trace_colors": {"OMNI_Dst_rate": "red"}},
        ),
        (
            "ACE and Wind density and speed, side by side, 2012-07-15",
            {"columns": 2, "column_titles": ["ACE", "Wind"]},
        ),
        (
            "hodogram of Bn vs Bm in LMN, MMS1 2015-10-16 13:06:50 to 13:07:10",
            {"xy": [{"x": "MMS1_B_lmn.m", "y": "MMS1_B_lmn.n", "type": "hodogram"}]},
        ),
        (
            "spectrogram of Wind By with the proton gyrofrequency overplotted, 2002-02-10",
            {"panels": [["Wind_By_spectrogram", "Wind_Bmag_fcp"]]},
        ),
        (
            "power spectrum of B at MMS1 2017-07-11 22:33 to 22:35, mark the proton cyclotron frequency",
            {"vlines": [{"of": "MMS1_Bmag_fcp", "panel": 1, "label": "fcp"}]},
        ),
        (
            "histograms of ACE and Wind speed in one panel, 2008",
            {"histograms": [{"of": ["ACE_V", "Wind_V"]}]},
        ),
        (
            "Akasofu epsilon in GW, 2015-03-17, with AE in the second panel",
            {"panels": [["OMNI_epsilon"], ["OMNI_AE"]]},
        ),
        (
            "power spectra of ACE Bz and Wind Bz in one panel, 2005-01-21",
            {"panels": [["ACE_Bz_power", "Wind_Bz_power"]]},
        ),
        (
            "regression of AE on the Newell coupling, hourly 2015",
            {"xy": [{"x": "OMNI_Newell", "y": "OMNI_AE", "fit": "linear"}]},
        ),
        (
            "Bz histogram for 2003 with log counts from OMNI",
            {"histograms": [{"of": ["OMNI_Bz"], "log_y": True}]},
        ),
        (
            "Wind B with its 1-hour running mean, each component in its own panel, 2010-04-05",
            {
                "panels": [
                    ["Wind_Bx", "Wind_B_smoothx"],
                    ["Wind_By", "Wind_B_smoothy"],
                    ["Wind_Bz", "Wind_B_smoothz"],
                ]
            },
        ),
        (
            "6 h running median of Dst in black over the hourly Dst in light grey, Nov 2003",
            {
                "panels": [["OMNI_Dst", "OMNI_Dst_median"]],
                "trace_colors": {"OMNI_Dst_median": "black", "OMNI_Dst": "lightgrey"},
            },
        ),
        (
            "OMNI Bz, and under it SYM-H, 2015-03-17",
            {"panels": [["OMNI_Bz"], ["OMNI_SYMH"]]},
        ),
        ("Wind V and n next to each other, 2012-07-15", {"columns": 2}),
        ("superimpose ACE and Wind speed, 2012-07-15", {"panels": [["ACE_V", "Wind_V"]]}),
        (
            "AE against SYM-H scatter plot, 2015-03-17",
            {"xy": [{"x": "OMNI_SYMH", "y": "OMNI_AE"}]},
        ),
        ("probability density of AE in 2003", {"histograms": [{"of": ["OMNI_AE"], "show": "density"}]}),
        ("ACE B and the position in GSE below the time axis, 2012-07-15", {"ephemeris": ["ACE_position"]}),
        ("MMS1 B with L and MLT along the bottom, 2015-10-16", {"ephemeris": ["MMS1_L", "MMS1_MLT"]}),
        (
            "Bz with the area below zero filled in red, OMNI 2015-03-17",
            {"line_styles": {"OMNI_Bz": {"fill_below": 0.0, "fill_color": "red"}}},
        ),
        (
            "hourly means of ACE Bz as red dots, 2012-07-15",
            {"line_styles": {"ACE_Bz_binned": {"mode": "markers"}}},
        ),
        (
            "y axis from -30 to 30 nT for Bz and 200 to 800 km/s for the speed, ACE 2015-03-17",
            {"y_range": {"1": [-30.0, 30.0], "2": [200.0, 800.0]}},
        ),
        (
            "shade 06:00 to 12:00 grey on the SYM-H plot for 2015-03-17",
            {
                "panels": [["OMNI_SYMH"]],
                "vrects": [{"x0": "2015-03-17T06:00", "x1": "2015-03-17T12:00", "color": "grey"}],
            },
        ),
        (
            "scatter: ACE V (x) against T (y), 2007, hourly, y log",
            {"xy": [{"x": "ACE_V", "y": "ACE_T", "log_y": True}]},
        ),
        (
            "scatter: ACE V (x) against T (y), 2007, hourly, x-log",
            {"xy": [{"x": "ACE_V", "y": "ACE_T", "log_x": True}]},
        ),
        (
            "scatter: ACE V (x) against T (y), 2007, hourly, x log and y log",
            {"xy": [{"x": "ACE_V", "y": "ACE_T", "log_x": True, "log_y": True}]},
        ),
        (
            "Wind n, T and V on 2010-04-05, n blue, T red, thicker lines for both",
            {"line_styles": {"Wind_n": {"width": 2.6}, "Wind_T": {"width": 2.6}}},
        ),
        (
            "ACE density, 2010-04-05, with a fine dashed line, hourly is fine",
            {"line_styles": {"ACE_n": {"dash": "dash", "width": 1.0}}},
        ),
        (
            "hodogram By-Bz, Wind 2015-03-17, coloured by time",
            {"xy": [{"x": "Wind_Bz", "y": "Wind_By", "type": "hodogram", "color_by": "time"}]},
        ),
    ],
)
def test_a_figure_has_the_settings_of_the_sentence(author, sentence, settings):
    assert settings.items() <= figure(author, sentence).items()


@in_one_test(
    ("sentence", "message"),
    [
        ("structure function of Wind Bz, 2015-03-17", "no tool for 'structure function'.*power spectrum"),
        ("rms of B over 10-min windows, ACE 2003-10-29", "no tool for 'rms'.*standard deviation"),
        ("ACE Bz delayed by 1 h 2005-05-15", "no tool for 'delayed by'.*bow shock"),
        ("PSP density normalised to 1 AU, 2021-01", "write 'times r.2'"),
        ("cumulative distribution of OMNI speed, 2008", "no tool for 'cumulative distribution'"),
        ("wavelet power of AE with the cone of influence, 2008-01", "has all values"),
        ("hourly median and quartiles of Dst, 2003", "no tool for 'and quartiles'"),
        ("daily range of SYM-H, 2003", "no tool for 'daily range'"),
        (
            "fill gaps up to 10 min in ACE density, then compute the dynamic pressure, 2001-03-31",
            "not from the result",
        ),
        ("plasma beta from hourly averaged n, T and B, Wind 2000-07-15", "not from the result"),
        ("cone angle of the 5 min averaged field, ACE 2003-11-20", "not from the result"),
        ("Wind Bz averaged, 2005-01-17", "'averaged'"),
        ("MMS1 |B| detrended with a 5-min median, 2017-07-11", "no median"),
        ("Wind Bz minus its 1 h running median, 2015-03-17", "no median"),
        ("DSCOVR speed, 2025-01-01", "no bulk velocity vector"),  # and not the speed of the spacecraft
        ("ACE |B| / Wind |B|, 2005-05-15", "not clear what '/' means"),
        ("ACE spacecraft velocity, 2015-03-17", "no tool for 'spacecraft velocity'"),
        ("hourly correlation of Bx and vx, Wind 2005-01-17", "no tool for 'hourly correlation'"),
        ("correlation between Dst and OMNI speed per month, 2003", "no tool for 'correlation'"),
        ("OMNI speed in 2008 coloured by Bz", "the colours of a third"),
        (
            "power spectrum of the smoothed Wind Bz (10 min) 2015-03-17",
            "which computation has windows of 10min",
        ),
        ("ACE density and Bz GSM, 2015-03-17, only values below 50", "not clear for which series"),
        ("ACE Bz and By, 2015-03-17, mark every time it exceeds 30 nT", "not clear for which series"),
        ("Wind |B| on 2005-09-11 with gaps filled", "only up to a length"),
        ("ACE V and n, 2015-03-17, with a linear fit", "one quantity against another"),
        ("spectrogram of Wind Bz with a -5/3 line, 2015-03-17", "needs a power spectrum"),
        ("integral of the electron flux over energies, MMS1 2015-10-16", "'integral'"),
        ("ACE |B| with a power spectrum on top, 2003-10-29", "over its input"),
    ],
)
def test_what_no_tool_can_do_is_refused(author, sentence, message):
    with pytest.raises(NotUnderstood) as caught:
        author.create(sentence)
    assert re.search(message, str(caught.value), re.DOTALL)


@pytest.mark.parametrize(
    ("bins", "settings"),
    [
        ("4 bins between 300 and 500", {"bins": [300, 350, 400, 450, 500]}),
        ("in 2 bins from 300 to 700 km/s", {"bins": [300, 500, 700]}),
        ("2 bins from 300000 to 700000 m/s", {"bins": [300, 500, 700]}),
        ("25 km/s bins from 250 to 850", {"bin_width": 25, "x_range": [250, 850]}),
        ("bins of 50 km/s from 250 to 850 km/s", {"bin_width": 50, "x_range": [250, 850]}),
        ("40 bins from 1 to 5 May 2010", {"bins": 40}),
        ("40 bins from 10:00 to 12:00", {"bins": 40}),
    ],
)
def test_bins_have_the_range_that_stands_behind_them(author, bins, settings):
    time = "" if "May" in bins else ", 3 May 2010"
    (entry,) = figure(author, f"histogram of the OMNI speed, {bins}{time}")["histograms"]
    assert entry == {"of": ["OMNI_V"], **settings}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("speed and density, 3 bins between 0 and 900", "which histogram has bins in this range"),
        ("speed, 30 bins from 2003 to 2005", "are values of the bins"),
        ("speed, 30 bins from 3 to 20 nT", "which histogram has bins in this range"),
        ("speed, bins of 50 km/s from 270 to 850", "whole multiples"),
    ],
)
def test_a_range_of_bins_that_fits_no_histogram_is_refused(author, data, message):
    with pytest.raises(NotUnderstood, match=message):
        author.create(f"histogram of OMNI {data}, 2003")


@pytest.mark.parametrize(
    ("bins", "width"),
    [
        ("25-km/s wide bins", 25),
        ("bins 25 km/s wide, log counts", 25),
        ("each bin 25 km/s wide", 25),
        ("bin width 10", 10),
        ("bin size = 10 km/s", 10),
        ("binned by 5 km/s", 5),
        ("bins of ten km/s", 10),
        ("bins of half a km/s", 0.5),
        ("bins of 20 kilometers per second", 20),
        ("bins of 20000 m/s", 20),
        ("in bins of 20", 20),
    ],
)
def test_the_width_of_the_bins_of_a_histogram_is_in_the_unit_of_the_quantity(author, bins, width):
    for sentence in (
        f"histogram of the OMNI speed over 1996, {bins}",
        f"{bins}: histogram of the OMNI speed, 1996",
    ):
        (entry,) = figure(author, sentence)["histograms"]
        assert (entry["of"], entry["bin_width"]) == (["OMNI_V"], width)
    base = author.create("histogram of the OMNI speed over 1996 with 40 bins")
    came = author.edit(f"use {bins} in the histogram".replace(", log counts in", " in"), base.template)
    assert came.template["steps"][-1]["tool_args"]["spec"]["histograms"] == [
        {"of": ["OMNI_V"], "bin_width": width}
    ]


@pytest.mark.parametrize(
    ("sentence", "bins"),
    [
        ("probability distribution of OMNI Bz in 2008, bins of 1 nT", [{"bin_width": 1, "show": "density"}]),
        (
            "polar histogram of the OMNI clock angle in 2003, 10 degree bins",
            [{"bin_width": 10, "polar": True}],
        ),
        (
            "histogram of OMNI hourly BZ_GSM for 2000-2003, bins 1 nT, log counts",
            [{"bin_width": 1, "log_y": True}],
        ),
        ("histograms of OMNI By and Bz in 2003, half an nT bins", [{"bin_width": 0.5}, {"bin_width": 0.5}]),
        ("histograms of OMNI speed and density in 2003, 20 km/s bins", [{"bin_width": 20}, {}]),
        (
            "histograms of OMNI speed (bins of 20 km/s) and density (bins of 1 cm-3) in 2003",
            [{"bin_width": 20}, {"bin_width": 1}],
        ),
        ("histogram of OMNI speed in m/s in 2008, bins of 20 km/s", [{"bin_width": 20000}]),
        ("histogram of OMNI speed in 2008 in 1 h bins", [{}]),
    ],
)
def test_a_width_of_bins_is_that_of_the_histograms_in_its_unit(author, sentence, bins):
    entries = figure(author, sentence)["histograms"]
    assert [{key: entry[key] for key in entry if key != "of"} for entry in entries] == bins


@in_one_test(
    ("sentence", "message"),
    [
        ("histogram of OMNI speed in 2008, 20 nT bins", "bins of 20 nT do not fit a histogram in km/s"),
        ("histogram of OMNI speed in 2008, bins of 0 km/s", "a width is above 0"),
        ("histogram of OMNI speed in 2008, 10 km/s bins, x axis log", "logarithmic x axis"),
        ("histogram of OMNI speed in 2008, 20 km/s bins and 40 bins", "both bins and bin_width"),
        ("histogram of OMNI speed in 2008, 40 bins of 20 km/s", "'40'"),
        ("histogram of OMNI speed in 2008, 10-20 km/s bins", "10-20"),
        ("histogram of OMNI speed in 2008, bins of 10 to 20 km/s", "'10'"),
        ("histogram of OMNI speed in 2008, bins of -20 km/s", "-20"),
        ("histogram of OMNI speed in 2008, bins of 1,000 m/s", "'1'"),
        ("histogram of OMNI speed in 2008, one and a half km/s bins", "half"),
        ("polar histogram of the OMNI clock angle in 2003, bins of 7 deg", "do not fill a circle"),
        ("histograms of OMNI speed and density in 2003, bins of 20", "not clear which histogram"),
        ("histograms of OMNI By and Bz in 2003, 1 nT bins for Bz", "not clear which histogram"),
        ("histograms of ACE and Wind speed in 2003, bins of 10 km/s for Wind", "not clear which histogram"),
        (
            "2D histogram of OMNI density against speed in 2003, bins of 20 km/s",
            "only a histogram of one quantity",
        ),
        ("OMNI speed in 2008, 20 km/s bins", "only a histogram of one quantity"),
    ],
)
def test_a_width_of_bins_that_fits_no_histogram_is_refused(verified_author, sentence, message):
    with pytest.raises((NotUnderstood, NotProved)) as caught:
        verified_author.create(sentence)
    assert re.search(message, str(caught.value))


@pytest.mark.parametrize(
    ("sentence", "bins"),
    [
        ("set the bin width to 10 km/s in the histogram of Wind", [{}, {}, {"bin_width": 10}, {}]),
        ("bins of 10 for the Wind speed", [{}, {}, {"bin_width": 10}, {}]),
        (
            "bins of 5 km/s for both speeds, 1 cm-3 bins for the Wind density",
            [{"bin_width": 5}, {}, {"bin_width": 5}, {"bin_width": 1}],
        ),
        ("30 bins for the ACE density", [{}, {"bins": 30}, {}, {}]),
        ("add a histogram of OMNI Bz with bins of 1 nT", [{}, {}, {}, {}, {"bin_width": 1}]),
    ],
)
def test_the_bins_of_one_of_several_histograms_change(author, sentence, bins):
    base = author.create("histograms of ACE and Wind speed and density in 2003")
    spec = author.edit(sentence, base.template).template["steps"][-1]["tool_args"]["spec"]
    assert [{key: entry[key] for key in entry if key != "of"} for entry in spec["histograms"]] == bins


def test_a_histogram_with_bins_in_its_unit_keeps_the_unit(author):
    plain = author.create("histogram of OMNI speed in 2008")
    assert (
        author.edit("convert the speed to m/s", plain.template).template["steps"][1]["tool_name"]
        == "convert_units"
    )
    wide = author.edit("bins of 10 km/s", plain.template)
    with pytest.raises(NotUnderstood, match="has bins or a range in km/s"):
        author.edit("convert the speed to m/s", wide.template)


@pytest.mark.parametrize(
    ("sentence", "histograms"),
    [
        ("30 bins", 4),
        ("bins of 10 km/s", 2),
        ("10 km/s bins for the speed", 2),
        ("30 bins for the density", 2),
    ],
)
def test_which_of_several_histograms_has_the_bins_is_asked(author, sentence, histograms):
    base = author.create("histograms of ACE and Wind speed and density in 2003")
    asked = author.edit(sentence, base.template)
    assert isinstance(asked, AuthorQuestion)
    assert len(asked.choices) == histograms + 1


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("bins of 10", "not clear which histogram"),
        ("bins of 10 for Wind", "not clear which histogram"),
        ("bins of 10 nT", "do not fit"),
        ("bins of 10 km/s for the density", "do not fit"),
        ("bins of 10 km/s for Bz", "no line called 'Bz'"),
        ("20 bins in all histograms, 30 bins for all histograms", "different bins"),
        ("bin width 10 furlongs", "does not understand the width of the bins"),
        ("use bins from 10 to 20 km/s", "'10'"),
    ],
)
def test_bins_that_fit_no_histogram_of_the_figure_are_refused(author, sentence, message):
    base = author.create("histograms of ACE and Wind speed and density in 2003")
    with pytest.raises(NotUnderstood) as caught:
        author.edit(sentence, base.template)
    assert re.search(message, str(caught.value))


@pytest.mark.parametrize(
    ("sentence", "tool", "panels"),
    [
        ("use a running median of 15 min for the speed", "running_median", 2),
        ("show the hourly means of the speed instead", "resample", 2),
        ("add the time derivative of the speed", "derivative", 3),
        ("add a panel with the 1 h running mean of the speed", "running_average", 3),
    ],
)
def test_an_edit_uses_the_named_tool_in_its_own_panel(author, sentence, tool, panels):
    base = author.create("5 min running means of OMNI density and speed, 2015-03-17")
    came = author.edit(sentence, base.template)
    assert tool in [step["tool_name"] for step in came.template["steps"]]
    assert len(came.template["steps"][-1]["tool_args"]["spec"]["panels"]) == panels


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        (
            "deviation of the ACE magnetic field from the Parker spiral, 1 to 14 August 2008",
            "ACE: deviation from the Parker spiral",
        ),
        (
            "sector polarity of the STEREO-A field relative to the Parker spiral, March 2010",
            "STEREO-A: magnetic polarity",
        ),
        ("latitude of the Wind field direction in RTN, 2004-03-01", "Wind: field elevation"),
        ("Dst* after the Burton formula, hourly OMNI, May 2024", "OMNI: Dst predicted by Burton"),
        ("O'Brien & McPherron prediction of Dst*, May 2024", "OMNI: predicted Dst"),
        ("measured and predicted Dst, Nov 2004", "OMNI: Dst and predicted Dst"),
        (
            "Dst* observed and predicted with the Burton model, Nov 2004",
            "OMNI: pressure-corrected Dst and Dst predicted by Burton",
        ),
        ("gyroradius of the MMS1 electrons, 2015-10-16 13:00 to 13:10", "MMS1: electron gyroradius"),
        ("density from DES electrons at MMS1, 2015-10-16 13:00 to 13:10", "MMS1: electron density"),
        (
            "MMS1 ion velocity in the de Hoffmann-Teller frame, 16 October 2015 13:05:30 to 13:07:00",
            "MMS1: velocity in the de Hoffmann–Teller frame",
        ),
        (
            "HT frame velocity at MMS1, 16 October 2015 13:05:30 to 13:07:00",
            "MMS1: velocity of the de Hoffmann–Teller frame",
        ),
    ],
)
def test_a_quantity_has_the_names_of_the_field(author, sentence, title):
    assert figure(author, sentence)["title"] == title


@pytest.mark.parametrize(
    ("sentence", "args"),
    [
        ("Alfvén Mach number of Wind assuming 5 % alphas, 10 Jan 1997", {"assumed_alpha": 0.05}),
        ("ACE Alfvén speed with an alpha fraction of 0.05, 3 June 2008", {"assumed_alpha": 0.05}),
        ("plasma beta at Wind assuming Te = 120000 K, 3 June 2008", {"electron_temperature": 120000}),
        ("PSP footpoint longitude, source surface at 2.5 solar radii, Nov 2018", {"source_radius": 2.5}),
    ],
)
def test_a_computation_assumes_the_value_of_the_sentence(author, sentence, args):
    assert args.items() <= computed(author, sentence)[-1][1].items()


def test_a_value_that_nothing_assumes_is_refused(author):
    with pytest.raises(NotUnderstood, match="no computation of the figure takes the assumed alpha"):
        author.create("ACE speed with 4 % alphas, 3 June 2008")


@pytest.mark.parametrize(
    ("craft", "labels"),
    [
        ("PSP", {"longitude_label": "PSP_carrlon_aligned", "radius_label": "PSP_R_aligned"}),
        ("STEREO-A", {"longitude_label": "STA_carrlon", "radius_label": "STA_R_aligned"}),
        ("ACE", {}),
    ],
)
def test_a_footpoint_is_that_of_the_spacecraft(author, craft, labels):
    [step] = [
        step["tool_args"]
        for step in author.create(f"{craft} footpoint longitude, Nov 2018").template["steps"]
        if step["tool_name"] == "footpoint_longitude"
    ]
    assert labels == {key: step[key] for key in step if key in ("longitude_label", "radius_label")}
    assert ("distance" in step) is (craft == "ACE")


def test_the_longitude_of_the_earth_is_not_that_of_voyager(author):
    with pytest.raises(NotUnderstood, match="no Carrington longitude of Voyager-2"):
        author.create("Voyager 2 footpoint longitude, Nov 1990")


_BURST = "2015-10-16 13:05:24 to 13:07:44"


@in_one_test(
    ("sentence", "panels", "steps"),
    [
        (
            "Spectrum of the Wind field on 2003-11-20 (1 h windows) with a fitted slope between 0.005 and 0.1 Hz",
            [["Wind_B_power", "Wind_B_power_slope"]],
            [("power_spectrum", {"window": "1h"}), ("spectral_slope", {"low": 0.005, "give": "line"})],
        ),
        (
            "Solar Orbiter magnetic PSD, 30 min windows, broken power law from 0.005 to 1 Hz, 2022-03-08",
            [["SolO_B_power", "SolO_B_power_break"]],
            [("power_spectrum", {"window": "30min"}), ("spectral_break", {"high": 1.0, "give": "line"})],
        ),
        (
            "Dynamic spectrum of Wind B with 10 min windows, and the power from 0.01 to 0.1 Hz underneath, 2003-11-20",
            [["Wind_B_spectrogram"], ["Wind_B_spectrogram_band_power"]],
            [("power_spectrogram", {"window": "10min"}), ("band_integral", {"bands": [[0.01, 0.1]]})],
        ),
        (
            "Break frequency of the Wind field spectrum for each 2 hours, 10 min windows, 0.02 to 4 Hz, 2003-11-20",
            [["Wind_B_power_break"]],
            [("power_spectrum", {"window": "10min", "interval": "2h"}), ("spectral_break", {"low": 0.02})],
        ),
        (
            "wavelet power spectrum of ACE Bz, 2015-03-17, time series on top",
            [["ACE_Bz"], ["ACE_Bz_wavelet"]],
            [("wavelet_spectrum", {})],
        ),
        (
            "Spectrogram of B at RBSP-A, window 2 min, with the field strength below, 2013-03-17",
            [["RBSPA_B_spectrogram"], ["RBSPA_Bmag"]],
            [("power_spectrogram", {"window": "2min"})],
        ),
        (
            f"Ion velocity of MMS1 in LMN from the minimum variance of B, {_BURST}",
            [["MMS1_Vvec_lmn"]],
            [("minimum_variance", {"give": "axes"}), ("rotate_to_axes", {})],
        ),
        (f"B_L, B_M, B_N of MMS1, {_BURST}", [["MMS1_B_lmn"]], [("minimum_variance", {})]),
        ("Wind B in GSE and in LMN, 1997-01-10", [["Wind_B"], ["Wind_B_lmn"]], [("minimum_variance", {})]),
        (
            "PSP B and its deflection from the 3 h running mean, 2021-04-28",
            [["PSP_B"], ["PSP_B_angle_PSP_B_smooth"]],
            [("running_average", {"window": "3h"}), ("angle_between", {})],
        ),
        (
            "component of the electric field perpendicular to B on MMS1, 2016-12-09",
            [["MMS1_Eperp"]],
            [("along_field", {"give": "perpendicular"})],
        ),
        (
            "V∥ (ions, ESA) of THEMIS-D, 2009-02-15",
            [["THEMISD_Vpar"]],
            [("along_field", {"give": "parallel"})],
        ),
        (
            "Wind 3DP proton velocity in GSM, 24 October 2003",
            [["Wind_Vvec_gsm"]],
            [("transform_frame", {"to": "GSM"})],
        ),
        (
            "RBSP-A HOPE proton flux averaged over pitch angles from 75 to 105 degrees, 2013-03-17",
            [["RBSPA_FPDU_pitch"]],
            [("pitch_angle_average", {"low": 75.0, "high": 105.0})],
        ),
        (
            "SOHO ERNE protons in two energy bands, 13-25 and 50-100 MeV, 10-13 September 2017",
            [["SOHO_PH_band"]],
            [("band_average", {"bands": [[13.0, 25.0], [50.0, 100.0]]})],
        ),
    ],
)
def test_what_is_computed_stands_in_its_panel(author, sentence, panels, steps):
    assert figure(author, sentence)["panels"] == panels
    made = computed(author, sentence)
    assert [tool for tool, _ in made] == [tool for tool, _ in steps]
    assert all(
        {*args.items()} <= {*given.items()} if "bands" not in args else args == given
        for (_, args), (_, given) in zip(steps, made, strict=True)
    )


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("PSP B spectrum with two power laws between 0.05 and 20 Hz, 2018-11-06", "ends below 20 Hz"),
        ("wavelet spectrum of ACE Bz, 2015-03-17, with the time series below", "above its spectrum"),
    ],
)
def test_what_a_spectrum_has_not_is_refused(author, sentence, reason):
    with pytest.raises(NotUnderstood, match=reason):
        author.create(sentence)


def test_the_last_day_is_included(author):
    came = author.create("Bz GSM of OMNI, 2015-03-16 till 2015-03-20 incl.")
    assert came.template["variables"]["$TIME_RANGE"]["default"] == "2015-03-16 to 2015-03-21"


def drawn(author, sentence, base=None):
    """Return the labels of each panel, and each computed label with the tool and the arguments that make it."""
    came = author.create(sentence) if base is None else author.edit(sentence, base)
    assert isinstance(came, TemplateDraft), came
    steps = came.template["steps"]
    made = {
        step["tool_args"]["output_label"]: (step["tool_name"], step["tool_args"])
        for step in steps
        if "output_label" in step["tool_args"]
    }
    return steps[-1]["tool_args"]["spec"]["panels"], made


@in_one_test(
    ("sentence", "panels", "label", "tool", "args"),
    [
        (
            "Dst for September 2017, mark every time it drops below -100 nT",
            [["OMNI_Dst", "OMNI_Dst_events"]],
            "OMNI_Dst_events",
            "alert",
            {"when": "< -100 nT"},
        ),
        (
            "ACE Bz GSM and speed, 10-12 May 2024, flag every time the speed exceeds 800 km/s",
            [["ACE_Bz"], ["ACE_V", "ACE_V_events"]],
            "ACE_V_events",
            "alert",
            {"when": "> 800 km/s", "source_label": "ACE_V"},
        ),
        (
            "OMNI V in 2008, mark times when V > 600 km/s for at least 6 h",
            [["OMNI_V", "OMNI_V_events"]],
            "OMNI_V_events",
            "alert",
            {"when": "> 600 km/s", "lasting": "6h"},
        ),
        ("warn me when Dst drops below -50 nT in 2015", [["OMNI_Dst", "OMNI_Dst_events"]], "OMNI_Dst_events", "alert",
         {"when": "< -50 nT"}),
        ("OMNI V in March 2023, but only where V > 500 km/s", [["OMNI_V_masked"]], "OMNI_V_masked", "mask",
         {"where": "<=", "value": 500.0}),
        ("Voyager 2 speed 2004, throw away everything outside 300 to 700 km/s", [["Voyager2_V_masked"]],
         "Voyager2_V_masked", "mask", {"where": "outside", "value": [300.0, 700.0]}),
        ("OMNI plasma beta on 2024-05-10, set beta > 50 to NaN, with |B| below", [["OMNI_beta_masked"], ["OMNI_Bmag"]],
         "OMNI_beta_masked", "mask", {"where": ">", "value": 50.0}),
        ("ACE speed, blank V wherever |B| < 10 nT, 2017-09-06 to 2017-09-09", [["ACE_V_masked"]], "ACE_V_masked",
         "mask_by_flag", {"flag_label": "ACE_Bmag_aligned", "where": "<", "value": 10.0}),
        ("ACE |B| for 2022-01-01 and fail if the coverage is below 90 %", [["ACE_Bmag_checked"]], "ACE_Bmag_checked",
         "expect", {"coverage": 0.9, "time_range": "$TIME_RANGE"}),
        ("Dst for May 2024 and verify that all values are between -600 nT and 100 nT", [["OMNI_Dst_checked"]],
         "OMNI_Dst_checked", "expect", {"minimum": "-600 nT", "maximum": "100 nT"}),
        ("OMNI V for March 2023; check that there is no data gap longer than 6 hours, only warn if not",
         [["OMNI_V_checked"]], "OMNI_V_checked", "expect", {"longest_gap": "6h", "severity": "note"}),
        ("Multiply the Wind 3DP alpha density by 4 and plot it, 2003-10-24", [["Wind_nalpha_scaled"]],
         "Wind_nalpha_scaled", "rescale", {"factor": 4.0, "unit": "cm^-3"}),
        ("AU and AL, flip the sign of AL, one panel, 2017-09-08", [["OMNI_AU", "OMNI_AL_scaled"]], "OMNI_AL_scaled",
         "rescale", {"factor": -1.0}),
        ("an offset of +20 nT to Dst over the original, November 2003", [["OMNI_Dst", "OMNI_Dst_scaled"]],
         "OMNI_Dst_scaled", "rescale", {"offset": 20.0, "unit": "nT"}),
        ("Align Wind Bz GSM to the ACE timestamps and plot both for 2018-08-25", [["Wind_Bz_aligned", "ACE_Bz"]],
         "Wind_Bz_aligned", "align", {"series_label": "Wind_Bz", "onto_label": "ACE_Bz"}),
        ("Dst aligned onto the SYM-H epochs by nearest neighbour together with SYM-H, 10 May 2024",
         [["OMNI_Dst_aligned"], ["OMNI_SYMH"]], "OMNI_Dst_aligned", "align", {"method": "nearest"}),
        ("Interpolate the ACE density to a 1-minute cadence for 2017-09-07, gaps up to 5 min", [["ACE_n_filled"]],
         "ACE_n_filled", "interpolate", {"cadence": "1min", "limit": "5min"}),
        ("gap-filled Wind |B| (bridge at most 3 min), 2005-09-11", [["Wind_Bmag_filled"]], "Wind_Bmag_filled",
         "interpolate", {"limit": "3min"}),
        ("Hampel filter on the DSCOVR Bz GSE, w = 2 min, threshold 3, 2017-09-07", [["DSCOVR_Bz_clean"]],
         "DSCOVR_Bz_clean", "despike", {"window": "2min", "threshold": 3.0}),
        ("OMNI dynamic pressure integrated over time, in nPa h, 2024-05-10", [["OMNI_Pdyn_total"]], "OMNI_Pdyn_total",
         "cumulative_integral", {"per": "h"}),
        ("running mean and running median of Wind Bz, 1 h window, 2015-03-17", [["Wind_Bz_smooth"], ["Wind_Bz_median"]],
         "Wind_Bz_median", "running_median", {"source_label": "Wind_Bz", "window": "1h"}),
        ("Dst in 2003 smoothed with a 27-day running median", [["OMNI_Dst_median"]], "OMNI_Dst_median",
         "running_median", {"window": "27d"}),
    ],
)  # fmt: skip
def test_a_computation_is_drawn_with_the_numbers_of_the_sentence(author, sentence, panels, label, tool, args):
    lines, made = drawn(author, sentence)
    assert lines == panels
    assert made[label][0] == tool
    assert args.items() <= made[label][1].items()


@pytest.mark.parametrize(
    ("sentence", "panels", "label", "args"),
    [
        ("draw the density only where V > 500 km/s", [["OMNI_n_masked"], ["OMNI_V"]], "OMNI_n_masked",
         {"flag_label": "OMNI_V", "where": "<="}),
        ("mark where V exceeds 600 km/s", [["OMNI_n"], ["OMNI_V", "OMNI_V_events"]], "OMNI_V_events",
         {"when": "> 600 km/s"}),
        ("make the run fail if V covers less than 95 % of the range", [["OMNI_n"], ["OMNI_V_checked"]],
         "OMNI_V_checked", {"coverage": 0.95, "time_range": "$TIME_RANGE"}),
        ("scale the density by a factor 1.2", [["OMNI_n_scaled"], ["OMNI_V"]], "OMNI_n_scaled", {"factor": 1.2}),
        ("hourly medians of the speed in place of the speed", [["OMNI_n"], ["OMNI_V_binned"]], "OMNI_V_binned",
         {"cadence": "1h", "method": "median"}),
        ("std of V per 30 min at the very bottom", [["OMNI_n"], ["OMNI_V"], ["OMNI_V_std"]], "OMNI_V_std",
         {"interval": "30min", "of": ["std"]}),
    ],
)  # fmt: skip
def test_a_drawn_line_is_computed_anew_with_the_numbers_of_the_change(author, sentence, panels, label, args):
    base = author.create("OMNI density and speed, 2015-03-17").template
    lines, made = drawn(author, sentence, base)
    assert lines == panels
    assert args.items() <= made[label][1].items()


@pytest.mark.parametrize(
    ("sentence", "made"),
    [
        ("ACE |B|, hourly Wind |B|, 2015-03-17", ["ACE_Bmag", "Wind_Bmag_binned"]),
        ("ACE |B|, hourly, and Wind |B|, 2015-03-17", ["ACE_Bmag_binned", "Wind_Bmag"]),
        ("ACE and Wind, hourly |B|, 2015-03-17", ["ACE_Bmag_binned", "Wind_Bmag_binned"]),
        ("ACE |B| and Wind |B| as hourly means, 2015-03-17", ["ACE_Bmag_binned", "Wind_Bmag_binned"]),
        ("ACE |B| and smoothed Wind |B| over 1 h, 2015-03-17", ["ACE_Bmag", "Wind_Bmag_smooth"]),
        (
            "27-day running mean of F10.7 and daily values, 2014",
            ["OMNI_F107_binned", "OMNI_F107_binned_smooth"],
        ),
        ("3-h running mean of Dst and 1-min values of SYM-H, 2015-03", ["OMNI_Dst_smooth", "OMNI_SYMH"]),
        ("10-min and 1-h running means of Wind n, 2012-02-02", ["Wind_n_smooth", "Wind_n_smooth_2"]),
        (
            "ACE B and density, smoothed over 1 h, and below them Dst, 2015-03",
            ["ACE_B_smooth", "ACE_n_smooth", "OMNI_Dst"],
        ),
        (
            "spiral angle (hourly OMNI, RTN) and Parker spiral angle expected from the solar wind speed, 2008-03",
            ["OMNI_B_phi", "OMNI_V_psi"],
        ),
        (
            "Solar Orbiter HET electron flux sunward on top, hourly PSP EPI-Hi HET side A electron flux beneath,"
            " 2022-02-15",
            ["SolO_Electron_Flux", "PSP_A_Electrons_Flux"],
        ),
    ],
)
def test_a_cadence_or_a_mean_is_that_of_its_part(author, sentence, made):
    assert figure(author, sentence)["labels"] == made


def test_a_mean_of_described_data_is_not_one_of_the_data_below(author):
    spec = figure(
        author,
        "STEREO-A HET protons averaged over 13.6-23.8 MeV, smoothed with a 10 min running mean, and below them"
        " |B| of STEREO-A, 22-26 July 2012",
    )
    assert spec["panels"] == [["STA_Proton_Flux_band_smooth"], ["STA_Bmag"]]


def test_the_axis_of_a_panel_with_events_is_that_of_its_series(author):
    spec = figure(author, "ACE Bz 2 January 2023, mark every time Bz drops below -4 nT")
    assert spec["y_label"] == {"1": "ACE Bz GSE [nT]"}


@pytest.mark.parametrize(
    ("sentence", "interval", "of"),
    [
        ("Mean of Bz over 15 min and its standard deviation, DSCOVR", "15min", ["mean", "std"]),
        ("DSCOVR Bz averaged over 15 min with its standard deviation", "15min", ["mean", "std"]),
        ("DSCOVR Bz 15-min mean with its standard deviation", "15min", ["mean", "std"]),
        ("DSCOVR Bz, daily mean plus std", "1d", ["mean", "std"]),
        ("median of DSCOVR Bz in 1 h bins and the standard deviation", "1h", ["median", "std"]),
    ],
)
def test_a_mean_and_its_deviation_are_of_the_same_intervals(author, sentence, interval, of):
    steps = author.create(f"{sentence}, 2017-09-07").template["steps"]
    made = [step["tool_args"] for step in steps if step["tool_name"] == "statistics"]
    assert [(args["interval"], args["of"]) for args in made] == [(interval, of)]
    assert not any(step["tool_name"] == "resample" for step in steps)


@pytest.mark.parametrize(
    "sentence",
    [
        "mean of Wind Bz over 15 min and V and its standard deviation, 2015-03-17",
        "ACE |B| averaged over 1 h with standard deviation in a second panel, 2015-03-17",
        "mean of Wind Bz over 15 min with standard deviation and density, 2015-03-17",
    ],
)
def test_a_deviation_that_may_be_of_other_data_is_refused(author, sentence):
    with pytest.raises(NotUnderstood):
        author.create(sentence)


@pytest.mark.parametrize(
    ("words", "window", "limits"),
    [
        ("power spectrum in 1 h windows, slope between 1e-3 and 1e-2 Hz", "1h", [0.001, 0.01]),
        ("PSD with the slope (1 to 10 mHz)", "2h", [0.001, 0.01]),
        ("power spectrum, slope in the inertial range 1-100 mHz", "2h", [0.001, 0.1]),
        ("power spectrum, fit the inertial range slope from 1 to 10 mHz", "2h", [0.001, 0.01]),
        ("PSD, 1 h windows", "1h", None),
        ("power spectrum, -5/3 slope from 1 to 10 mHz", "2h", None),
    ],
)
def test_a_slope_beside_a_spectrum_is_fitted_to_it(author, words, window, limits):
    steps = author.create(f"Wind |B| {words}, 2012-03-08").template["steps"]
    args = {step["tool_name"]: step["tool_args"] for step in steps}
    assert args["power_spectrum"]["window"] == window
    slope = args.get("spectral_slope")
    assert (slope and [slope["low"], slope["high"]]) == limits


@pytest.mark.parametrize("words", ["", " wavelet spectrum"])
def test_a_slope_without_a_power_spectrum_is_refused(author, words):
    with pytest.raises(NotUnderstood, match="slope"):
        author.create(f"Wind |B|{words}, slope between 1 and 10 mHz, 2012-03-08")


@in_one_test(
    ("sentence", "panels"),
    [
        ("ACE and Wind n in one panel and their ratio in another", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE and Wind n in one panel, ratio in another", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE and Wind n overlaid, with the ratio in a lower panel", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE and Wind n, the ratio of the two below", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE and Wind n, 5-min means of each in one panel, ratio ACE/Wind of those means below",
         [["ACE_n_binned", "Wind_n_binned"], ["ACE_n_binned_over_Wind_n_binned"]]),
        ("ACE and Wind n, ratio below", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE and Wind n in separate panels, ratio below", [["ACE_n"], ["Wind_n"], ["ACE_n_over_Wind_n"]]),
        ("ACE Bz in one panel, 1 h running mean in another panel", [["ACE_Bz"], ["ACE_Bz_smooth"]]),
        ("ACE Bz, 1 h running mean over the data", [["ACE_Bz", "ACE_Bz_smooth"]]),
        ("ACE Bz, hourly averages drawn over the data", [["ACE_Bz", "ACE_Bz_binned"]]),
        ("ACE Bz 1-min resampled", [["ACE_Bz_binned"]]),
        ("5-min binned ACE Bz", [["ACE_Bz_binned"]]),
        ("ACE Bz resampled in 1 min avg", [["ACE_Bz_binned"]]),
        # the input and the result of a computation
        ("band-pass ACE Bz at 2-10 mHz and plot it below the unfiltered one", [["ACE_Bz"], ["ACE_Bz_filtered"]]),
        ("ACE Bz with log axis, and below its 1 h mean", [["ACE_Bz"], ["ACE_Bz_binned"]]),
        ("ACE Bz, below its 1 h running mean in red", [["ACE_Bz"], ["ACE_Bz_smooth"]]),
        ("ACE Bz and its integral over time from the start of the day", [["ACE_Bz"], ["ACE_Bz_total"]]),
        ("ACE B averaged over 5 min, then |B|", [["ACE_B_binned"], ["ACE_B_binnedmag"]]),
        ("ACE B, then |B| smoothed over 1 h", [["ACE_B"], ["ACE_Bmag_smooth"]]),
        ("from ACE n and V compute the ram pressure and draw it on a log axis", [["ACE_Pdyn"]]),
        ("take ACE B, compute the clock angle, and plot it with Dst", [["ACE_B_clock"], ["OMNI_Dst"]]),
        ("take ACE B, compute the clock angle, and plot both", [["ACE_B"], ["ACE_B_gsm_clock"]]),
        ("compute |B| of ACE from the components and show 5 min averages of this strength", [["ACE_Bmag_binned"]]),
        ("ram pressure from n and V of ACE, together with Bz", [["ACE_Pdyn"], ["ACE_Bz"]]),
        ("ACE V smoothed with 3 h and n with 1 h", [["ACE_V_smooth"], ["ACE_n_smooth"]]),
        ("average ACE |B| to 1 hour and density to 3 hours", [["ACE_Bmag_binned"], ["ACE_n_binned"]]),
        ("compute beta of ACE and show 5 min averages of V", [["ACE_beta"], ["ACE_V_binned"]]),
        ("plot ACE Bz twice: raw in grey, and 1 h average in black. Same panel", [["ACE_Bz", "ACE_Bz_binned"]]),
        ("ACE Bz, then |B|, then V", [["ACE_Bz"], ["ACE_Bmag"], ["ACE_V"]]),
        ("ACE Bz smoothed over 1 h, the smoothed one only", [["ACE_Bz_smooth"]]),
        ("ACE Bz smoothed over 1 h, over the unsmoothed one", [["ACE_Bz", "ACE_Bz_smooth"]]),
        ("ACE Bz and the smoothed one over 1 h", [["ACE_Bz", "ACE_Bz_smooth"]]),
        ("detrend ACE Bz with a 10 min running mean and show the residual only", [["ACE_Bz_detrended"]]),
        ("ACE |B|, 1 h running mean below |B| itself", [["ACE_Bmag"], ["ACE_Bmag_smooth"]]),
        ("band-pass the ACE magnetometer total field at 2-10 mHz, with the unfiltered one above",
         [["ACE_Bmag"], ["ACE_Bmag_filtered"]]),
        # the order of two spacecraft
        ("ACE and Wind n in one panel, ratio Wind/ACE below", [["Wind_n", "ACE_n"], ["Wind_n_over_ACE_n"]]),
        ("ACE and Wind n and the difference ACE minus Wind below", [["ACE_n", "Wind_n"], ["ACE_n_minus_Wind_n"]]),
        ("C1 and C4 |B| from FGM, C4-C1 difference below",
         [["Cluster4_Bmag", "Cluster1_Bmag"], ["Cluster4_Bmag_minus_Cluster1_Bmag"]]),
        ("difference between Cluster 4 and Cluster 1 |B|", [["Cluster4_Bmag_minus_Cluster1_Bmag"]]),
        ("Wind n and the difference ACE - Wind of n", [["ACE_n", "Wind_n"], ["ACE_n_minus_Wind_n"]]),
        ("difference between ACE and Wind V, with both speeds above and the difference below",
         [["ACE_V", "Wind_V"], ["ACE_V_minus_Wind_V"]]),
        ("ratio of ACE to Wind n with both densities above", [["ACE_n", "Wind_n"], ["ACE_n_over_Wind_n"]]),
        # the axes of minimum variance
        ("MVA of Cluster 3 B, plot the L, M and N components", [["Cluster3_B_lmn"]]),
        ("MVA of the Cluster 3 magnetic field, show BL, BM and BN", [["Cluster3_B_lmn"]]),
        ("MVA of Cluster 3 B, L, M, N in separate panels",
         [["Cluster3_B_lmnl"], ["Cluster3_B_lmnm"], ["Cluster3_B_lmnn"]]),
    ],
)  # fmt: skip
def test_a_computation_has_its_input_beside_it_where_the_sentence_says_so(author, sentence, panels):
    assert figure(author, f"{sentence}, 2012-03-08")["panels"] == panels


@pytest.mark.parametrize(
    "words",
    [
        "5-min binned medians of ACE Bz",
        "ACE |B| on top, Wind |B| in the middle, difference below",
        "ACE Bz, 1 h running mean, show the residual only",
        "ACE Bz, show only the filtered one",
        "ACE Bz and the detrended one, 10 min running mean",
        "wavelet power of AE and SYM-H, below AE itself",
        "ACE |B| smoothed over 1 h below the raw density",
    ],
)
def test_an_unclear_reduction_or_place_is_refused(author, words):
    with pytest.raises(NotUnderstood):
        author.create(f"{words}, 2012-03-08")


@pytest.mark.parametrize(
    ("request_", "source", "band"),
    [
        ("Integrate the EMFISIS WFR BuBu spectra of RBSP-A from 500 to 5000 Hz and plot the wave power, 1 March 2013",
         "RBSPA_BuBu", [500, 5000]),
        ("RBSP-A WFR EuEu spectra integrated from 1 to 2 kHz, 1 March 2013", "RBSPA_EuEu", [1000, 2000]),
        ("wave power of WFR BuBu of RBSP-A integrated from 0.1 to 1 kHz, 1 March 2013", "RBSPA_BuBu", [100, 1000]),
        ("integrate the power spectrum of ACE Bz from 1 to 10 mHz, 5 Jan 2005", "ACE_Bz_spectrogram", [0.001, 0.01]),
    ],
)  # fmt: skip
def test_a_spectrum_is_integrated_over_frequencies(author, request_, source, band):
    *_, integral, figure = (step["tool_args"] for step in author.create(request_).template["steps"])
    assert (integral["source_label"], integral["bands"]) == (source, [band])
    assert figure["spec"]["panels"] == [[integral["output_label"]]]


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        ("RBSP-A WFR BuBu spectrogram on top, wave power between 100 and 1000 Hz below, 1 March 2013", 2),
        ("RBSP-A WFR BuBu wave power between 100 and 1000 Hz, 1 March 2013", 1),
    ],
)
def test_the_spectrogram_beside_its_power_is_drawn(author, request_, count):
    *_, figure = (step["tool_args"] for step in author.create(request_).template["steps"])
    assert len(figure["spec"]["panels"]) == count


@pytest.mark.parametrize(
    "words",
    ["with both multiplied by the heliocentric distance squared", "each multiplied by r^2", "all times r^2"],
)
def test_a_scaling_is_of_all_quantities_where_the_sentence_says_so(author, words):
    panels = figure(author, f"Ulysses |B| and proton density, {words}, 1995")["panels"]
    assert panels == [["Ulysses_Bmag_r2"], ["Ulysses_n_r2"]]


@pytest.mark.parametrize(
    "words",
    [
        "cross-correlation of ACE and Wind |B|, give me the delay with highest correlation, max lag 4 hours",
        "ACE and Wind |B|, the lag of maximum correlation, up to 4 hours",
    ],
)
def test_a_delay_is_that_of_the_highest_correlation(author, words):
    steps = author.create(f"{words}, March 2010").template["steps"]
    lag = next(step["tool_args"] for step in steps if step["tool_name"] == "cross_correlation_lag")
    assert lag["longest"] == "4h"


@pytest.mark.parametrize(
    "sentence",
    [
        "superposed epoch of Kp, 1 day before to 3 days after, median and quartiles, events 2010-04-05 and 2010-05-02",
        "superposed epoch of OMNI Bz around 2010-04-05 and 2010-05-02, 1 day before to 3 days after",
        "superposed epoch of OMNI Bz, 1 day before to 3 days after, at 2010-04-05 and 2010-05-02",
        "superposed epoch of Dst for storms of 2003, 1 day before to 3 days after, medians and quartiles",
    ],
)
def test_a_superposed_epoch_has_the_median_and_the_quartiles(author, sentence):
    steps = author.create(sentence).template["steps"]
    epochs = next(step["tool_args"] for step in steps if step["tool_name"] == "superposed_epoch")
    assert (epochs["before"], epochs["after"], epochs.get("give")) == ("1d", "3d", None)
    assert steps[-1]["tool_args"]["spec"]["panel_types"] == ["epochs"]


def drawn_and_fetched(author, sentence):
    """Return the labels that the figure draws, and the datasets of the data that a new pipeline fetches."""
    steps = author.create(sentence).template["steps"]
    given = [step["tool_args"] for step in steps if step["tool_name"] == "fetch_data"]
    figure = steps[-1]["tool_args"]["spec"]["panels"]
    return (
        [label for panel in figure for label in panel],
        {args.get("dataset_id") or args["candidates"][0]["dataset_id"] for args in given},
    )


@pytest.mark.parametrize(
    ("sentence", "drawn", "datasets"),
    [
        ("dynamic pressure from the Wind 3DP proton moments, 25 Sept 1998", "Wind_Pdyn", "WI_PM_3DP"),
        (
            "Alfvén Mach number at Wind from 3DP ion moments and MFI, 2005-01-20",
            "Wind_MA",
            "WI_PM_3DP WI_H0_MFI",
        ),
        ("Akasofu epsilon from Wind 3DP and MFI, 2005-01-20", "Wind_epsilon", "WI_PM_3DP WI_H0_MFI"),
        (
            "Alfvén speed at PSP (1 min B, QTN density), 2021-04-28",
            "PSP_VA",
            "PSP_FLD_L2_MAG_RTN_1MIN PSP_FLD_L3_RFS_LFR_QTN",
        ),
        (
            "-VxB from MMS1 FPI ions and FGM, GSE, 2017-11-24 01:00 to 01:20",
            "MMS1_Evec",
            "MMS1_FPI_FAST_L2_DIS-MOMS MMS1_FGM_SRVY_L2",
        ),
        (
            "MMS1 E field and FPI density, 2017-11-24 01:00 to 01:20",
            "MMS1_Evec MMS1_n",
            "MMS1_EDP_FAST_L2_DCE MMS1_FPI_FAST_L2_DIS-MOMS",
        ),
        (
            "cross helicity of PSP, SPAN-i and MAG, 30 min windows, 2021-04-28",
            "PSP_sigmac",
            "PSP_SWP_SPI_SF00_L3_MOM PSP_FLD_L2_MAG_RTN_1MIN",
        ),
        (
            "PSP beta, density and MAG, 2021-04-28",
            "PSP_beta PSP_n PSP_B",
            "PSP_SWP_SPI_SF00_L3_MOM PSP_FLD_L2_MAG_RTN_1MIN",
        ),
        (
            "Alfvén Mach number at MMS2 with FPI ions and FGM, 2017-07-11 22:30 to 22:40",
            "MMS2_MA",
            "MMS2_FPI_FAST_L2_DIS-MOMS MMS2_FGM_SRVY_L2",
        ),
        (
            "MMS2 |B| with FPI ions, 2017-07-11 22:30 to 22:40",
            "MMS2_Bmag MMS2_ions",
            "MMS2_FPI_FAST_L2_DIS-MOMS MMS2_FGM_SRVY_L2",
        ),
        ("plasma frequency at Wind from 3DP electrons, 2005-01-20", "Wind_Ne_fpe", "WI_EM_3DP"),
        (
            "Parker spiral angle from COHO hourly speed and distance, Ulysses, 1992",
            "Ulysses_psi",
            "UY_COHO1HR_MERGED_MAG_PLASMA",
        ),
        (
            "What Parker spiral angle would you expect at Ulysses in 1992? Use the measured hourly speed and the "
            "heliocentric distance",
            "Ulysses_psi",
            "UY_COHO1HR_MERGED_MAG_PLASMA",
        ),
    ],
)
def test_a_quantity_is_computed_from_the_data_that_the_sentence_names(author, sentence, drawn, datasets):
    assert drawn_and_fetched(author, sentence) == (drawn.split(), {*datasets.split()})


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("cross helicity at Wind, 1 h data, 2005-01-20", "window of 1h has too few records of 1 h"),
        ("Wind speed from 3DP electrons, 2005-01-20", "what helio takes 'from 3DP electrons'"),
        ("PSP Br perihelion 11 ± 1 day", "not the day of its perihelion"),
        ("ACE speed when Wind Bz is negative, 2005-01-20", "the condition 'Wind Bz' from the spacecraft"),
        ("PSP SPAN-i density 2021-04-28 where nonsense_flag is below 2", "no parameter 'nonsense_flag'"),
        (
            "10 min averages of the PAS density of Solar Orbiter, leave out records with quality_factor above 0.2, "
            "2022-03-10",
            "before it computes SolO_n_binned",
        ),
    ],
)
def test_what_would_be_computed_from_other_data_is_refused(author, sentence, says):
    with pytest.raises(HelioError, match=re.escape(says)):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "tools"),
    [
        ("cross helicity at Wind, 1 h data, 12 h windows, 2005-01", ["12h"]),
        ("cross helicity at Wind from 1 min data, 2005-01-20", ["1h"]),
    ],
)
def test_a_window_holds_some_records(author, sentence, tools):
    assert [args["window"] for tool, args in computed(author, sentence) if tool == "cross_helicity"] == tools


@pytest.mark.parametrize(
    "sentence",
    [
        "hourly means of Wind speed and SYM-H, 2005-01-20",
        "hourly means of Wind speed, density, and SYM-H, 2005-01-20",
        "hourly means of AE, and AL, 2005-01-20",
    ],
)
def test_an_average_of_a_list_is_of_all(author, sentence):
    drawn = drawn_and_fetched(author, sentence)[0]
    assert len(drawn) > 1
    assert all(label.endswith("_binned") for label in drawn)


@pytest.mark.parametrize(
    ("sentence", "where", "value", "flag"),
    [
        (
            "PAS density where quality_factor is below 0.2, Solar Orbiter 2022-03-10",
            ">=",
            0.2,
            "SolO_quality_factor",
        ),
        (
            "Solar Orbiter PAS density 2022-03-10, throw out every record whose quality_factor is above 0.2",
            ">",
            0.2,
            "SolO_quality_factor",
        ),
        (
            "Solar Orbiter PAS density 2022-03-10, leave out records with quality_factor above 0.2",
            ">",
            0.2,
            "SolO_quality_factor",
        ),
        ("SPAN-i density where QUALITY_FLAG is below 1, PSP 2021-04-28", ">=", 1.0, "PSP_QUALITY_FLAG"),
        ("ACE speed when Bz is negative, 2005-01-20", ">=", 0.0, "ACE_Bz_aligned"),
        ("exclude points where Bz is positive, ACE speed 2005-01-20", ">", 0.0, "ACE_Bz_aligned"),
        ("SYM-H when AE is above 500 nT, 2015-03-17", "<=", 500.0, "OMNI_AE"),
        ("Dst in 2005 only when Kp > 5", "<=", 5.0, "OMNI_Kp"),
        ("ACE speed when ACE Bz is negative, 2005-01-20", ">=", 0.0, "ACE_Bz_aligned"),
        ("ACE Bz when Dst is below -50 nT, 2005-01", ">=", -50.0, "OMNI_Dst_aligned"),
        (
            "MMS1 density where the spacecraft potential is above 10 V, 2017-07-11",
            "<=",
            10.0,
            "MMS1_scpot_aligned",
        ),
    ],
)
def test_a_condition_is_on_another_series_or_on_a_column(author, sentence, where, value, flag):
    steps = author.create(sentence).template["steps"]
    [mask] = [step["tool_args"] for step in steps if step["tool_name"] == "mask_by_flag"]
    assert (mask["where"], mask["value"], mask["flag_label"]) == (where, value, flag)
    assert steps[-1]["tool_args"]["spec"]["panels"] == [[mask["output_label"]]]


@in_one_test(
    ("sentence", "look"),
    [
        ("OMNI Bz, 2003-11-20, mark where it is below -10 nT", {"OMNI_Bz": {"fill_below": -10.0}}),
        ("OMNI Bz for May 2012, Bz<0 periods shaded", {"OMNI_Bz": {"fill_below": 0.0}}),
        ("OMNI Bz for May 2012, times with Bz < -5 nT are shaded", {"OMNI_Bz": {"fill_below": -5.0}}),
        ("AE for May 2012, shade every time AE is over 1000 nT", {"OMNI_AE": {"fill_above": 1000.0}}),
        ("OMNI Bz, 2003-11-20, mark while Bz is negative", {"OMNI_Bz": {"fill_below": 0.0}}),
        ("Dst for March 2015, mark the intervals under -100 nT", {"OMNI_Dst": {"fill_below": -100.0}}),
        ("Dst for March 2015, shade where Dst < -100 nT in red",
         {"OMNI_Dst": {"fill_below": -100.0, "fill_color": "red"}}),
        ("ACE Bz and speed, 10 May 2024, flag the times when the speed exceeds 800 km/s",
         {"ACE_V": {"fill_above": 800.0}}),
        ("ratio of alpha to proton density at ACE, 2003, mark where it exceeds 0.08",
         {"ACE_alphas": {"fill_above": 0.08}}),
        ("ratio of alpha to proton density at ACE, 2003, shade where it exceeds 0.08",
         {"ACE_alphas": {"fill_above": 0.08}}),
    ],
)  # fmt: skip
def test_where_a_series_is_above_or_below_a_level_is_shaded(author, sentence, look):
    assert figure(author, sentence)["line_styles"] == look


@pytest.mark.parametrize(
    ("sentence", "tools"),
    [
        ("mark when Bz drops below -5 nT, ACE Bz 2005-01-20", ["alert"]),
        ("mark when Bz is negative, ACE Bz 2005-01-20", []),
        ("mark times when Dst is below -100 nT and save them as csv, 2015", ["alert", "save_data"]),
        ("ACE Bz, fill where it is negative, 2005-01-20", []),
        ("ACE Bz when it is negative, 2005-01-20", ["mask"]),
    ],
)
def test_a_condition_with_a_wish_is_not_on_all_that_is_drawn(author, sentence, tools):
    assert [tool for tool, _ in computed(author, sentence)] == tools


@pytest.mark.parametrize(
    ("sentence", "tools"),
    [
        ("angle between Bs of Cluster 1 and 3, 2003-10-29", "angle_between"),
        ("Br times r squared (nT AU^2), PSP 2020-01", "arithmetic arithmetic"),
        ("IMF clock angle at DSCOVR computed from 10 min averages of the field, 2017-09-07",
         "resample transform_frame clock_angle"),
        ("hourly means of the clock angle at ACE, 2005-01-20", "clock_angle resample"),
        ("OMNI Newell coupling function and a 15-min running average of the coupling, 2015-03-17",
         "newell_coupling running_average"),
        ("Wind: divide the alpha density by the proton density, then take a 30min running median of that ratio and "
         "plot only the smoothed ratio, 2005-01-20", "arithmetic running_median"),
        ("divide the speed by 2, ACE 2005-01-20", "rescale"),
        ("dB/dt of SYM-H; SYM-H, 2015-03-17", "derivative"),
    ],
)  # fmt: skip
def test_computations_follow_each_other_as_the_sentence_says(author, sentence, tools):
    assert [tool for tool, _ in computed(author, sentence)] == tools.split()


@pytest.mark.parametrize(
    "sentence",
    [
        "fce and half of it at MMS1, 2017-11-24 01:00 to 01:20",
        "MMS1 fce and 0.5 fce, 2017-11-24 01:00 to 01:20",
        "electron gyrofrequency and 0.5 times the electron gyrofrequency at MMS1, 2017-11-24 01:00 to 01:20",
    ],
)
def test_half_of_a_frequency_is_drawn_beside_it(author, sentence):
    drawn = drawn_and_fetched(author, sentence)[0]
    assert drawn == ["MMS1_Bmag_fce", "MMS1_Bmag_fce_scaled"]


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [
        (
            "Find all storms in 2015 in which Dst went to -100 nT or less, and save their minima to a csv",
            -100.0,
        ),
        ("find the storms in 2001 whose Dst minimum reached -200 nT, save their minima as csv", -200.0),
    ],
)
def test_storms_are_found_by_their_level(author, sentence, limit):
    steps = author.create(sentence).template["steps"]
    [storms] = [step["tool_args"] for step in steps if step["tool_name"] == "storm_phases"]
    assert (storms["source_label"], storms["give"], storms["threshold"]) == ("OMNI_Dst", "minimum", limit)
    assert [step["tool_args"]["format"] for step in steps if step["tool_name"] == "save_data"] == ["csv"]


AVERAGED = (
    ("resample {} to daily medians", "1d", "median"),
    ("Resample {} to monthly minima", "1 month", "min"),
    ("reduce {} to 10 min means", "10min", "mean"),
    ("convert {} to yearly means", "1 year", "mean"),
    ("bin {} into hourly maxima", "1h", "max"),
    ("{} resampled to 1 h medians", "1h", "median"),
)


@in_one_test(("words", "cadence", "method"), AVERAGED)
def test_a_verb_of_averages_stands_before_or_behind_its_object(author, words, cadence, method):
    resample = ("resample", {"cadence": cadence, "method": method})
    assert computed(author, f"{words.format('ACE density')}, 2010") == [resample]
    assert computed(author, f"{words.format('ACE density and speed')}, 2010") == [resample, resample]


@pytest.mark.parametrize("joint", [" and", ","])
def test_a_verb_of_averages_is_for_its_object_alone(author, joint):
    sentence = f"plot ACE speed{joint} resample the density to 1 h medians, January 2010"
    assert figure(author, sentence)["panels"] == [["ACE_V"], ["ACE_n_binned"]]


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("convert ACE temperature to eV", "eV"),
        ("ACE temperature, convert it to MK", "MK"),
        ("convert the Ulysses heliocentric distance into km", "km"),
    ],
)
def test_data_are_converted_to_a_unit(author, words, unit):
    steps = author.create(f"{words}, 15 July 2000").template["steps"]
    assert [step["tool_args"]["to"] for step in steps if step["tool_name"] == "convert_units"] == [unit]


@pytest.mark.parametrize("joint", [", together with", " together with", ", along with", " and"])
def test_an_average_together_with_other_data_is_drawn_alone(author, joint):
    sentence = f"OMNI Bz, 10 min means{joint} SYM-H, 17 March 2015"
    assert figure(author, sentence)["panels"] == [["OMNI_Bz_binned"], ["OMNI_SYMH"]]


@pytest.mark.parametrize(
    "words",
    [
        "resample the 16 s ACE field to 4 min, derive the clock angle",
        "average ACE B to 10 min means and compute the cone angle",
        "average Wind density and speed to 1 h and calculate the dynamic pressure",
        "compute the clock angle of ACE, 5 min means first",
    ],
)
def test_it_must_be_clear_whether_the_inputs_are_averaged(author, words):
    with pytest.raises(NotUnderstood, match="whether to average the data or the"):
        author.create(f"{words}, 7 November 2004")


def test_a_derivative_takes_the_averages_before_it(author):
    tools = [
        tool for tool, _ in computed(author, "average ACE Bz to 5 min and compute its derivative, 2004-11-07")
    ]
    assert tools == ["resample", "derivative"]


AFTER = (
    (
        "power spectrum of ACE Bz after despiking and 5 min smoothing",
        "despike running_average power_spectrum",
    ),
    (
        "power spectrum of ACE Bz after detrending and a 5 min running mean",
        "detrend running_average power_spectrum",
    ),
    ("hourly means of ACE Bz after despiking and detrending", "despike detrend resample"),
    ("hourly means of ACE Bz after a 5 min running mean", "running_average resample"),
    ("ACE Bz after 5 min smoothing", "running_average"),
)


@in_one_test(("words", "tools"), AFTER)
def test_what_a_computation_comes_after_is_done_first(author, words, tools):
    assert [tool for tool, _ in computed(author, f"{words}, 24 July 2012")] == tools.split()


@pytest.mark.parametrize("words", ["below it hourly |B|", "beneath, hourly |B|", "and below it hourly |B|"])
def test_an_average_below_is_that_of_the_lower_panel(author, words):
    assert figure(author, f"ACE Bz, November 2009, {words}")["panels"] == [["ACE_Bz"], ["ACE_Bmag_binned"]]


@pytest.mark.parametrize(
    ("words", "velocity"),
    [
        ("density, speed, compute the dynamic pressure", "Wind_Vvec_aligned"),
        ("calculated dynamic pressure", "Wind_Vvec_aligned"),
        ("density and speed, and the dynamic pressure computed from them", "Wind_V"),
        ("dynamic pressure from density and speed", "Wind_V"),
    ],
)
def test_a_quantity_that_a_dataset_has_is_computed_if_the_sentence_says_so(author, words, velocity):
    steps = author.create(f"Wind {words}, 2003-11-20").template["steps"]
    [pressure] = [step["tool_args"] for step in steps if step["tool_name"] == "dynamic_pressure"]
    assert pressure["velocity_label"] == velocity


@pytest.mark.parametrize(
    ("words", "computed"),
    [
        ("Alfvén Mach number derived from OMNI", ["alfven_mach"]),
        ("compute beta and the Alfven Mach number for OMNI", ["plasma_beta", "alfven_mach"]),
        ("beta and Alfvén Mach number computed from OMNI", ["plasma_beta", "alfven_mach"]),
        ("compute beta and plot the Alfven Mach number of OMNI", ["plasma_beta"]),
        ("compute hourly means of the Alfven Mach number of OMNI", []),
    ],
)
def test_each_of_a_list_is_computed_if_the_sentence_says_so_of_the_list(author, words, computed):
    tools = [step["tool_name"] for step in author.create(f"{words}, 2003-11-20").template["steps"]]
    assert [tool for tool in tools if tool in ("plasma_beta", "alfven_mach")] == computed


@pytest.mark.parametrize(
    "words",
    ["mark the times in which Bz was under -5 nT", "mark periods with Bz < -5 nT", "shade where Bz < -5 nT"],
)
def test_intervals_of_a_least_length_are_not_marked_by_points(author, words):
    with pytest.raises(NotUnderstood, match="and not 'for at least 3 hours'"):
        author.create(f"{words} for at least 3 hours, OMNI Bz, May 2024")


def test_inputs_of_one_cadence_from_two_datasets_are_put_on_the_same_epochs(author):
    steps = author.create("plasma beta of THEMIS C, 2009-03-15 07:00-09:00").template["steps"]
    (aligned,) = [step["tool_args"] for step in steps if step["tool_name"] == "align"]
    assert (aligned["series_label"], aligned["onto_label"]) == ("THEMISC_B", "THEMISC_n")
