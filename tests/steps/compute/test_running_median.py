"""Centred running median."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helio.errors import StepError
from helio.steps.compute.running_median import running_median
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field], {"window": solar_wind.HOUR})]


def test_a_step_stays_sharp_and_a_spike_goes():
    values = np.where(np.arange(40) < 20, 1.0, 5.0)
    values[7] = 99.0
    result = running_median(scalar(np.arange(40), values), window=Duration("4s"))
    np.testing.assert_array_equal(result.values, np.where(np.arange(40) < 20, 1.0, 5.0))


def test_a_window_holds_both_its_ends():
    result = running_median(scalar([0, 60, 120, 180], [1, 2, 6, 7]), window=Duration("2min"))
    assert result.values.tolist() == [1.5, 2, 6, 6.5]


@pytest.mark.parametrize("regular", [True, False])
def test_it_is_the_median_of_each_window_taken_alone(regular):
    generator = np.random.default_rng(5)
    seconds = np.arange(300) * 7.0 if regular else np.cumsum(generator.integers(0, 40, 300)).astype(float)
    values = generator.normal(size=300)
    values[generator.random(300) < 0.4] = np.nan
    result = running_median(scalar(seconds, values), window=Duration("60s")).values
    for time, median in zip(seconds, result, strict=True):
        inside = values[np.abs(seconds - time) <= 30]
        inside = inside[~np.isnan(inside)]
        np.testing.assert_array_equal(median, np.median(inside) if inside.size else np.nan)


def test_it_agrees_with_pandas_on_a_regular_series():
    values = np.random.default_rng(6).normal(size=500)
    table = scalar(np.arange(500), values)
    expected = pd.Series(values).rolling(31, center=True, min_periods=1).median()
    np.testing.assert_array_equal(running_median(table, window=Duration("30s")).values, expected)


def test_a_window_never_reaches_over_a_gap_in_the_records():
    result = running_median(scalar([0, 60, 7200, 7260], [1, 3, 100, 300]), window=Duration("10min"))
    assert result.values.tolist() == [2, 2, 200, 200]


def test_long_gaps_stay():
    values = np.arange(12.0)
    values[5:10] = np.nan
    result = running_median(scalar(np.arange(12) * 60, values), window=Duration("2min"))
    assert np.isnan(result.values).tolist() == [False] * 6 + [True] * 3 + [False] * 3


def test_the_longest_window_holds_everything():
    result = running_median(vector(), window=Duration("106000d"))
    np.testing.assert_array_equal(result.values, np.tile(np.nanmedian(vector().values, axis=0), (10, 1)))


def test_changing_bins_are_refused_and_steady_ones_taken():
    table = spectrum()
    assert running_median(table, window=Duration("2min")).values[1, 0] == 32.0
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1] *= 2
    with pytest.raises(StepError, match="change from record to record"):
        running_median(
            replace(table, axes=(replace(table.axes[0], centers=centers),)), window=Duration("1min")
        )


def test_an_empty_series_stays_empty():
    assert len(running_median(vector().take(slice(0, 0)), window=Duration("5min"))) == 0


def test_golden():
    check_golden(running_median, running_median(vector(), window=Duration("3min")))
