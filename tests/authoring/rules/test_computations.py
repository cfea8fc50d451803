"""Which computations a sentence asks for, in which order, and the settings of figures that go with them."""

import re

import pytest

from helio.authoring.outcome import NotUnderstood, TemplateDraft

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


@pytest.mark.parametrize(
    ("sentence", "tools"),
    [
        ("power spectrum of the detrended Wind Bz, 2015-03-17", "detrend power_spectrum"),
        ("power spectrum of Wind Bz, despiked and detrended, 2015-03-17", "despike detrend power_spectrum"),
        ("daily maxima of the time derivative of SYM-H, 2003", "derivative resample"),
        ("derivative of the hourly means of SYM-H, 2015-03", "resample derivative"),
        ("hourly maxima of the 10 min running mean of Wind density, 2016-07-10", "running_average resample"),
        (
            "hourly means of the Pc5 power of THEMIS-A Bz, 2013-03-17",
            "power_spectrogram band_integral resample",
        ),
        ("hourly means of OMNI speed and its derivative, 2008-02", "resample derivative"),
        ("lagged correlation between ACE and Wind speed, 2005-05", "cross_correlation_lag"),
        ("Np times V for OMNI, 2008-01", "arithmetic"),
        ("OMNI Bz normalised by |B|, 2015-03-17", "magnitude arithmetic"),
        ("PSP proton density scaled to 1 AU (r^2), Jan 2021", "arithmetic arithmetic"),
        ("Ulysses proton density × R², 1994", "arithmetic arithmetic"),
        ("integral of OMNI VBs over 2015-03-17", "vbs cumulative_integral"),
        ("convert the THEMIS-A field to SM coordinates, 2013-03-17", "transform_frame"),
    ],
)
def test_the_inner_computation_comes_first(author, sentence, tools):
    assert [tool for tool, _ in computed(author, sentence)] == tools.split()


@pytest.mark.parametrize(
    ("sentence", "tool", "args"),
    [
        ("running 27-day mean of OMNI speed, 2008", "running_average", {"window": "27d"}),
        ("OMNI Bz, hourly running mean, 2015-03-17", "running_average", {"window": "1h"}),
        ("low-pass filter Bz at 10 min, Wind 2015-03-17", "band_pass", {"high": 1 / 600}),
        (
            "Wind By, band-pass, periods 2 to 10 minutes, 2015-03-17",
            "band_pass",
            {"low": 1 / 600, "high": 1 / 120},
        ),
        (
            "wavelet of Wind Bz, periods 20 s to 10 min, 2015-03-17",
            "wavelet_spectrum",
            {"shortest": "20s", "longest": "10min"},
        ),
        ("hourly spectral slope of PSP B, 0.01-0.1 Hz, 2020-01-29", "power_spectrogram", {"window": "1h"}),
        (
            "find times when OMNI Bz < -10 nT for 3 h in 2015",
            "alert",
            {"when": "< -10 nT", "lasting": "3h", "give": "durations"},
        ),
        ("sigma_c of PSP 2020-01-29 30 min", "cross_helicity", {"give": "cross_helicity", "window": "30min"}),
        ("demeaned Wind By, 2015-03-17", "detrend", {"method": "mean"}),
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
            "For each month of 2003-2024 the minimum of Dst",
            "resample",
            {"cadence": "1 month", "method": "min"},
        ),
        ("the highest Kp of every day, March 2015", "resample", {"cadence": "1d", "method": "max"}),
    ],
)
def test_a_computation_has_the_arguments_of_the_sentence(author, sentence, tool, args):
    assert dict(computed(author, sentence))[tool] == pytest.approx(args)


def test_short_periods_need_fine_data(author):
    came = author.create("wavelet of Wind Bz, periods 20 s to 10 min, 2015-03-17")
    assert came.template["steps"][0]["tool_args"]["parameter_id"] == "B3GSE"


@pytest.mark.parametrize(
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
            "hodogram By-Bz, Wind 2015-03-17, coloured by time",
            {"xy": [{"x": "Wind_Bz", "y": "Wind_By", "type": "hodogram", "color_by": "time"}]},
        ),
    ],
)
def test_a_figure_has_the_settings_of_the_sentence(author, sentence, settings):
    assert settings.items() <= figure(author, sentence).items()


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("structure function of Wind Bz, 2015-03-17", "no tool for 'structure function'.*power spectrum"),
        ("rms of B over 10-min windows, ACE 2003-10-29", "no tool for 'rms'.*standard deviation"),
        ("ACE Bz delayed by 1 h 2005-05-15", "no tool for 'delayed by'.*bow shock"),
        ("PSP density normalised to 1 AU, 2021-01", "write 'times r.2'"),
        ("cumulative distribution of OMNI speed, 2008", "no tool for 'cumulative distribution'"),
        ("daily range of SYM-H, 2003", "no tool for 'daily range'"),
        ("histogram of OMNI speed in 2008, 20 km/s bins", "width of the bins"),
        ("OMNI speed in 2008 coloured by Bz", "the colours of a third"),
        (
            "power spectrum of the smoothed Wind Bz (10 min) 2015-03-17",
            "which computation has windows of 10min",
        ),
        (
            "running mean and running median of Wind Bz, 1 h window, 2015-03-17",
            "or of the result of running average",
        ),
        ("spectrogram of Wind Bz with a -5/3 line, 2015-03-17", "needs a power spectrum"),
        ("integral of the electron flux over energies, MMS1 2015-10-16", "'integral'"),
    ],
)
def test_what_no_tool_can_do_is_refused(author, sentence, message):
    with pytest.raises(NotUnderstood) as caught:
        author.create(sentence)
    assert re.search(message, str(caught.value), re.DOTALL)


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
