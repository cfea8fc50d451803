"""A series without its trend."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from helio.errors import StepError
from helio.steps.compute.detrend import detrend
from helio.steps.compute.running_average import running_average
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field_long], {})]


def test_a_straight_line_leaves_nothing():
    seconds = np.cumsum(np.random.default_rng(1).uniform(1, 30, 200))
    result = detrend(scalar(seconds, 0.25 * seconds - 40))
    np.testing.assert_allclose(result.values, 0, atol=1e-9)


@pytest.mark.parametrize(("method", "theirs"), [("mean", "constant"), ("linear", "linear")])
def test_it_agrees_with_scipy(method, theirs):
    values = np.random.default_rng(2).normal(size=(500, 3)).cumsum(axis=0)
    table = replace(vector(gap=False), epoch=scalar(np.arange(500), np.zeros(500)).epoch, values=values)
    expected = signal.detrend(values, axis=0, type=theirs)
    np.testing.assert_allclose(detrend(table, method=method).values, expected, atol=1e-10)


def test_the_line_is_that_of_the_valid_samples():
    seconds = np.arange(100.0)
    values = 3 * seconds + 2
    values[10:60] = np.nan
    result = detrend(scalar(seconds, values))
    assert np.isnan(result.values).sum() == 50
    np.testing.assert_allclose(result.values[~np.isnan(values)], 0, atol=1e-11)


def test_a_small_slope_on_a_large_offset_is_found():
    seconds = np.arange(10_000.0)
    result = detrend(scalar(seconds, 1e9 + 1e-4 * seconds))
    np.testing.assert_allclose(result.values, 0, atol=3e-7)


def test_a_running_mean_is_subtracted_as_running_average_gives_it():
    table = vector()
    result = detrend(table, method="running_mean", window=Duration("3min"))
    expected = table.values - running_average(table, window=Duration("3min")).values
    np.testing.assert_array_equal(result.values, expected)
    assert result.description == "running mean of 3min subtracted"


def test_missing_values_stay_missing():
    for arguments in ({"method": "mean"}, {}, {"method": "running_mean", "window": Duration("5min")}):
        np.testing.assert_array_equal(
            np.isnan(detrend(vector(), **arguments).values), np.isnan(vector().values)
        )


def test_everything_but_values_and_words_stays():
    table = replace(vector(), description="field")
    result = detrend(table)
    assert (result.unit, result.frame, result.components, result.name) == (
        "nT",
        "GSE",
        table.components,
        "δB",
    )
    assert result.description == "field, straight line subtracted"


@pytest.mark.parametrize(
    "arguments", [{"method": "running_mean"}, {"method": "mean", "window": Duration("1h")}]
)
def test_a_window_belongs_to_a_running_mean(arguments):
    with pytest.raises(StepError, match="window") as refusal:
        detrend(vector(), **arguments)
    assert "window" in refusal.value.advice


def test_one_record_an_empty_series_and_a_spectrum():
    assert detrend(scalar([0], [5.0])).values.tolist() == [0.0]
    assert len(detrend(vector().take(slice(0, 0)))) == 0
    np.testing.assert_allclose(detrend(spectrum()).values[:, 0], 0, atol=1e-13)


def test_infinity_spoils_nothing_but_itself():
    result = detrend(scalar([0, 1, 2, 3], [1, np.inf, 3, 5]), method="mean")
    np.testing.assert_array_equal(result.values, [-2, np.inf, 0, 2])


def test_a_column_without_any_value_stays_missing():
    assert np.isnan(detrend(scalar([0, 1], [np.nan, np.nan])).values).all()


def test_golden():
    check_golden(detrend, detrend(vector()))
