"""Code may return a spectrum over frequency or energy without a time; it becomes one record."""

from __future__ import annotations

import numpy as np
import pytest

from helio.errors import BadResult
from helio.steps.compute.compute_spectrogram import compute_spectrogram
from helio.steps.compute.custom_operation import custom_operation
from helio.steps.compute.store_dataframe import store_dataframe
from helio.steps.examples import series
from helio.steps.render.render_spec import render_spec
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Text
from helio.steps.tool import LabelledTable

SECONDS = np.arange(512)
WAVE = series(2 * np.sin(2 * np.pi * SECONDS / 16), "nT", "Bz", every="1s")
FIELD = LabelledTable("MAG.Bz", WAVE)
FRAME = "result = pd.DataFrame({'PSD': [3.0, 2.0, 1.0]}, index=pd.Index([1.0, 2.0, 4.0], name='%s'))"
COLUMN = "result = pd.DataFrame({'%s': [1.0, 2.0, 4.0], 'PSD': [3.0, 2.0, 1.0]})"
SERIES = "result = pd.Series([3.0, 2.0, 1.0], index=pd.Index([1.0, 2.0, 4.0], name='%s'), name='PSD')"
ARRAY = "result = xr.DataArray([3.0, 2.0, 1.0], dims=['%s'], coords={'%s': [1.0, 2.0, 4.0]}, name='PSD')"


def made(jail, code, units="nT^2/Hz", sources=(FIELD,)):
    return custom_operation(jail, list(sources), pandas_code=code, units=units)


@pytest.mark.parametrize("form", [FRAME, COLUMN, SERIES, ARRAY], ids=["index", "column", "series", "array"])
@pytest.mark.parametrize(
    ("name", "label", "unit"),
    [
        ("frequency", "Frequency", "Hz"),
        ("Energy", "Energy", "eV"),
        ("frequency [mHz]", "Frequency", "mHz"),
        ("energy (keV)", "Energy", "keV"),
    ],
)
def test_bins_without_time_become_one_record(jail: Jail, form, name, label, unit):
    table = made(jail, form.replace("%s", name))
    assert (table.kind, table.values.tolist(), table.unit, table.name) == (
        "spectrum",
        [[3.0, 2.0, 1.0]],
        "nT^2/Hz",
        "PSD",
    )
    [axis] = table.axes
    assert (axis.label, axis.unit, axis.scale, axis.centers.tolist()) == (label, unit, "log", [1.0, 2.0, 4.0])


def test_the_record_lies_in_the_middle_of_the_inputs(jail: Jail):
    later = LabelledTable("MAG.Bx", series([1.0, 2.0], "nT", "Bx", every="1h"))
    code = FRAME.replace("%s", "frequency")
    assert made(jail, code).epoch[0] - WAVE.epoch[0] == np.timedelta64(511_000 // 2, "ms")
    both = made(jail, code, sources=(FIELD, later))
    assert both.epoch[0] - WAVE.epoch[0] == np.timedelta64(30, "m")
    assert both.sources == FIELD.table.sources


def test_the_power_of_a_wave_stands_at_its_frequency_and_is_drawn_as_a_spectrum(jail: Jail):
    code = (
        "f, power = signal.welch(df['Bz'].to_numpy(), fs=1.0, window='boxcar', nperseg=256)\n"
        "result = pd.DataFrame({'frequency': f[1:], 'PSD': power[1:]})"
    )
    table = made(jail, code)
    frequency = table.axes[0].centers
    assert frequency[table.values[0].argmax()] == pytest.approx(1 / 16)
    # the variance of a wave of 2 nT
    assert np.sum(table.values[0]) / 256 == pytest.approx(2.0, rel=1e-6)
    figure = render_spec({"power": table}, spec={"labels": ["power"]})
    [trace] = figure.document["data"]
    assert trace["x"] is not None
    layout = figure.document["layout"]
    assert layout["xaxis"]["title"]["text"] == "Frequency [Hz]"
    assert layout["yaxis"]["title"]["text"] == "PSD [nT²/Hz]"
    assert layout["xaxis"]["type"] == "log"


def test_bins_are_sorted_and_those_from_zero_have_a_linear_axis(jail: Jail):
    table = made(jail, "result = pd.Series([3.0, 2.0], index=pd.Index([4, 0], name='frequency'))")
    assert table.axes[0].centers.tolist() == [0.0, 4.0]
    assert table.values.tolist() == [[2.0, 3.0]]
    assert (table.axes[0].scale, table.name) == ("linear", "")


def test_a_gap_in_a_spectrum_stays_one(jail: Jail):
    table = made(jail, "result = pd.Series([3.0, np.nan], index=pd.Index([1.0, 2.0], name='energy'))")
    assert np.isnan(table.values[0, 1])


def test_a_spectrogram_may_be_one_spectrum(jail: Jail):
    table = compute_spectrogram(
        jail,
        FIELD,
        python_code=FRAME.replace("%s", "frequency"),
        bin_label=Text("Frequency (mHz)"),
        value_label=Text("power (nT^2/Hz)"),
    )
    assert (table.axes[0].unit, table.unit, len(table)) == ("mHz", "nT^2/Hz", 1)


def test_time_counts_before_a_column_of_that_name(jail: Jail):
    table = made(jail, "result = df.assign(frequency=2.0)", units="")
    assert (table.kind, table.components, len(table)) == ("vector", ("Bz", "frequency"), 512)


@pytest.mark.parametrize(
    ("code", "said", "advice"),
    [
        (
            "result = pd.DataFrame({'a': [1.0], 'b': [2.0]}, index=pd.Index([1.0], name='frequency'))",
            "the result over frequency has 2 columns, but a spectrum has one",
            "a step for each further column",
        ),
        (
            "result = pd.Series([1.0, 2.0], index=pd.Index([1.0, 1.0], name='energy'))",
            "the result has equal energies",
            "groupby(level=0).mean()",
        ),
        (
            "result = pd.Series([1.0, 2.0], index=pd.Index([1.0, np.nan], name='frequency'))",
            "the result has missing or infinite frequencies",
            "remove or average these rows",
        ),
        (
            "result = pd.Series([1.0, 2.0], index=pd.Index([1.0, np.inf], name='frequency'))",
            "the result has missing or infinite frequencies",
            "remove",
        ),
        (
            "result = pd.Series([], index=pd.Index([], name='frequency', dtype=float), dtype=float)",
            "no rows",
            "",
        ),
        ("result = pd.Series([1.0, 2.0], index=[1.0, 2.0])", "has no time index", "'frequency' or 'energy'"),
        (
            "result = pd.Series([1.0, 2.0], index=pd.Index([1.0, 2.0], name='wavelength'))",
            "has no time index",
            "name the index 'frequency' or 'energy'",
        ),
        (
            "result = pd.Series([1.0, 2.0], index=pd.Index(['a', 'b'], name='frequency'))",
            "has no time index",
            "name the index",
        ),
        (
            "result = pd.Series(['a'], index=pd.Index([1.0], name='frequency'))",
            "holds str, but a table can only hold numbers",
            "",
        ),
        (
            "result = pd.DataFrame({'frequency': [1.0]})",
            "the result over frequency has 0 columns, but a spectrum has one",
            "return one column",
        ),
        (
            "result = pd.DataFrame({'frequency': [1.0], 'energy': [1.0], 'PSD': [1.0]})",
            "has no time index",
            "name the index",
        ),
    ],
)
def test_what_is_no_spectrum_is_refused_with_a_remedy(jail: Jail, code, said, advice):
    with pytest.raises(BadResult) as caught:
        made(jail, code)
    assert said in caught.value.message
    assert advice in caught.value.advice


def test_a_spectrum_written_out_needs_a_time(jail: Jail):
    with pytest.raises(BadResult, match="over energy has no time") as caught:
        store_dataframe(jail, pandas_code=FRAME.replace("%s", "energy"), units="1/s")
    assert "one row with a time index" in caught.value.advice
