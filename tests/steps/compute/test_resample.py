"""A series on a regular grid of epochs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from helio.errors import StepError
from helio.interval import carrington_start, interval_of
from helio.steps.compute.resample import resample
from helio.store.table import Table
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import START, check_golden, epochs, spectrum, vector

CALLS = [
    ([solar_wind.field], {"cadence": solar_wind.HOUR}),
    ([solar_wind.spectrum], {"cadence": solar_wind.HOUR}),
    ([solar_wind.field], {"cadence": solar_wind.HOUR, "epoch": "middle"}),
]


def scalar(seconds, values):
    return Table(epochs(*seconds), np.asarray(values, dtype=np.float64), unit="nT", name="Bz")


def test_a_hundred_seconds_become_ten_means():
    result = resample(scalar(np.arange(100), np.arange(100)), cadence=Duration("10s"))
    assert result.values.tolist() == [4.5 + 10 * i for i in range(10)]
    np.testing.assert_array_equal(result.epoch, epochs(*np.arange(0, 100, 10)))


def test_an_interval_holds_its_start_and_not_its_stop():
    result = resample(scalar([0, 59.999999999, 60], [1, 3, 10]), cadence=Duration("1min"))
    assert result.values.tolist() == [2.0, 10.0]


def test_intervals_start_at_midnight_whatever_the_range():
    series = scalar(np.arange(37, 7200, 16), np.arange(37, 7200, 16))
    whole = resample(series, cadence=Duration("5min"))
    part = resample(series.take(slice(40, None)), cadence=Duration("5min"))
    assert whole.epoch[0] == START
    np.testing.assert_array_equal(part.values[1:], whole.values[-len(part) + 1 :])
    assert set(part.epoch) < set(whole.epoch)


def test_an_hourly_day_has_24_rows():
    result = resample(scalar(np.arange(0, 86400, 60), np.ones(1440)), cadence=Duration("1h"))
    assert len(result) == 24


def test_epochs_may_be_the_middle_of_the_intervals():
    series = scalar(np.arange(0, 3 * 86400, 3600), np.arange(72))
    middle = resample(series, cadence=Duration("1d"), epoch="middle")
    assert middle.epoch.tolist() == epochs(43200, 129600, 216000).tolist()
    assert middle.values.tolist() == resample(series, cadence=Duration("1d")).values.tolist()


def test_gaps_stay_gaps():
    result = resample(scalar([0, 30, 200, 310], [1.0, np.nan, np.nan, 4.0]), cadence=Duration("1min"))
    assert result.epoch.tolist() == epochs(0, 60, 120, 180, 240, 300).tolist()
    np.testing.assert_array_equal(result.values, [1.0, np.nan, np.nan, np.nan, np.nan, 4.0])


@pytest.mark.parametrize("method", ["mean", "median", "min", "max", "first"])
def test_every_method_agrees_with_pandas(method):
    generator = np.random.default_rng(3)
    values = generator.normal(size=(500, 2))
    values[generator.random((500, 2)) < 0.3] = np.nan
    times = np.cumsum(generator.exponential(9.0, 500))
    table = Table(epochs(*times), values, components=("Bx", "By"))
    result = resample(table, cadence=Duration("40s"), method=method)
    expected = getattr(table.to_pandas().resample("40s"), method)()
    np.testing.assert_array_equal(result.epoch, expected.index.to_numpy().astype("datetime64[ns]"))
    np.testing.assert_allclose(result.values, expected.to_numpy(), rtol=1e-12, atol=1e-14)


def test_epochs_before_1970_fall_into_their_own_interval():
    early = Table(np.array(["1969-12-31T23:59:59", "1970-01-01T00:00:01"], "M8[ns]"), np.array([1.0, 2.0]))
    result = resample(early, cadence=Duration("1min"))
    assert np.datetime_as_string(result.epoch, unit="s").tolist() == [
        "1969-12-31T23:59:00",
        "1970-01-01T00:00:00",
    ]


def test_resampling_again_changes_nothing():
    once = resample(vector(), cadence=Duration("2min"))
    again = resample(once, cadence=Duration("2min"))
    assert once.digest() == again.digest()


def test_an_absurd_cadence_is_refused():
    with pytest.raises(StepError, match="rows, which is too many") as refusal:
        resample(vector(), cadence=Duration("1ns"))
    assert "longer cadence" in refusal.value.advice


def test_a_spectrum_keeps_its_fixed_bins():
    result = resample(spectrum(), cadence=Duration("2min"))
    assert result.values[:, 0].tolist() == [24.0, 56.0]
    assert result.axes[0].centers.tolist() == spectrum().axes[0].centers.tolist()


def test_bins_that_change_between_intervals_are_kept_and_within_one_refused():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[2:] *= 2
    moving = replace(table, axes=(replace(table.axes[0], centers=centers),), epoch=epochs(0, 60, 240, 300))
    result = resample(moving, cadence=Duration("2min"))
    assert result.axes[0].centers[:, 0].tolist() == [1.0, 1.0, 2.0]
    assert np.isnan(result.values[1]).all()
    with pytest.raises(StepError, match="'Energy' change within an interval of 1h") as refusal:
        resample(moving, cadence=Duration("1h"))
    assert "band_average" in refusal.value.advice


def test_an_empty_series_stays_empty():
    assert len(resample(vector().take(slice(0, 0)), cadence=Duration("1min"))) == 0


def test_everything_but_epochs_and_values_stays():
    table = vector()
    result = resample(table, cadence=Duration("2min"))
    assert (result.unit, result.frame, result.components) == (table.unit, table.frame, table.components)
    assert (result.sources, result.notes) == (table.sources, table.notes)


def test_the_grid_is_regular_over_gaps():
    steps = np.diff(resample(vector(), cadence=Duration("2min")).epoch)
    assert (steps == np.timedelta64(120, "s")).all()


def test_golden():
    check_golden(resample, resample(vector(), cadence=Duration("2min")))
    check_golden(resample, resample(vector(), cadence=Duration("3min"), method="median"), "_median")


@pytest.mark.parametrize(
    ("cadence", "starts", "middle"),
    [
        ("1 month", ["2024-01-01", "2024-02-01", "2024-03-01"], "2024-02-15T12:00"),
        ("1mo", ["2024-01-01", "2024-02-01", "2024-03-01"], "2024-02-15T12:00"),
        ("3 months", ["2024-01-01"], "2024-02-15T12:00"),
        ("1 year", ["2024-01-01"], "2024-07-02"),
        (
            "Carrington rotation",
            [str(carrington_start(number)) for number in (2279, 2280, 2281, 2282)],
            str(carrington_start(2280) + (carrington_start(2281) - carrington_start(2280)) / 2),
        ),
    ],
)
def test_intervals_may_be_of_the_calendar(cadence, starts, middle):
    days = epochs(*(86400 * np.arange(80))) + (np.datetime64("2024-01-10", "ns") - START)
    series = Table(days, np.arange(80.0), unit="nT", name="Bz")
    made = resample(series, cadence=interval_of(cadence))
    assert made.epoch.astype("M8[m]").tolist() == np.array(starts, "M8[m]").tolist()
    edges = [*made.epoch, np.datetime64("2100-01-01")]
    expected = [series.values[(days >= start) & (days < stop)].mean() for start, stop in pairwise(edges)]
    np.testing.assert_allclose(made.values, expected)
    halfway = resample(series, cadence=interval_of(cadence), epoch="middle").epoch
    assert np.datetime64(middle) in halfway


def test_months_without_samples_stay_gaps():
    series = Table(np.array(["1969-11-03", "2024-02-29"], "M8[ns]"), np.array([1.0, 2.0]))
    made = resample(series, cadence=interval_of("1 month"))
    assert len(made) == 54 * 12 + 4
    assert made.epoch[[0, -1]].astype("M8[D]").astype(str).tolist() == ["1969-11-01", "2024-02-01"]
    assert np.isnan(made.values[1:-1]).all()
    yearly = resample(series, cadence=interval_of("1 year"), method="max")
    assert yearly.epoch[0] == np.datetime64("1969-01-01")
