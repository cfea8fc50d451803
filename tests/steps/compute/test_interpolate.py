"""Short gaps of a series filled."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.interpolate import interpolate
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field], {"limit": solar_wind.HOUR})]


def test_a_short_gap_is_filled_by_a_straight_line_and_a_long_one_stays():
    values = [0, np.nan, np.nan, 3, 4, np.nan, np.nan, np.nan, 8]
    result = interpolate(scalar(np.arange(9) * 60, values), limit=Duration("3min"))
    np.testing.assert_array_equal(result.values, [0, 1, 2, 3, 4, np.nan, np.nan, np.nan, 8])
    assert "2 of 9 values" in result.notes[-1]


def test_nothing_is_made_at_the_ends():
    result = interpolate(scalar([0, 60, 120], [np.nan, 1, np.nan]), limit=Duration("1d"))
    np.testing.assert_array_equal(result.values, [np.nan, 1, np.nan])


def test_what_was_measured_stays_to_the_last_digit():
    table = vector()
    result = interpolate(table, limit=Duration("1h"))
    known = ~np.isnan(table.values)
    np.testing.assert_array_equal(result.values[known], table.values[known])
    assert not np.isnan(result.values).any()


def test_missing_records_are_added_on_a_regular_clock_only():
    series = scalar([0, 60, 240, 300], [0, 1, 4, 5])
    assert len(interpolate(series, limit=Duration("1h"))) == 4
    result = interpolate(series, limit=Duration("1h"), cadence=Duration("1min"))
    assert result.values.tolist() == [0, 1, 2, 3, 4, 5]
    assert "2 of 6 values" in result.notes[-1]
    short = interpolate(series, limit=Duration("2min"), cadence=Duration("1min"))
    np.testing.assert_array_equal(short.values, [0, 1, np.nan, np.nan, 4, 5])


def test_the_clock_is_that_of_whole_multiples_inside_the_series():
    result = interpolate(scalar([7, 17, 27], [0, 10, 20]), limit=Duration("20s"), cadence=Duration("5s"))
    assert np.datetime_as_string(result.epoch, unit="s").tolist() == [
        f"2024-05-10T00:00:{second}" for second in ("10", "15", "20", "25")
    ]
    np.testing.assert_allclose(result.values, [3, 8, 13, 18])


def test_the_nearest_value_fills_to_half_the_limit():
    values = [1, np.nan, np.nan, np.nan, 2]
    result = interpolate(scalar(np.arange(5) * 60, values), limit=Duration("2min"), method="nearest")
    np.testing.assert_array_equal(result.values, [1, 1, np.nan, 2, 2])


def test_two_records_of_one_epoch_keep_their_own_values():
    result = interpolate(scalar([0, 60, 60, 120], [1, 2, 3, np.nan]), limit=Duration("5min"))
    np.testing.assert_array_equal(result.values, [1, 2, 3, np.nan])


def test_two_records_of_one_epoch_keep_their_own_bins():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1::2] *= 2
    twice = replace(table, epoch=table.epoch[[0, 1, 1, 3]], axes=(replace(table.axes[0], centers=centers),))
    result = interpolate(twice, limit=Duration("2min"), method="nearest")
    np.testing.assert_array_equal(result.axes[0].centers, centers)


def test_a_spectrum_is_filled_bin_by_bin():
    result = interpolate(spectrum(), limit=Duration("2min"))
    assert result.values[2, 1] == 24.0


def test_an_absurd_clock_is_refused():
    with pytest.raises(StepError, match="rows, which is too many"):
        interpolate(vector(), limit=Duration("1h"), cadence=Duration("1ns"))


def test_an_empty_series_stays_empty():
    empty = vector().take(slice(0, 0))
    assert len(interpolate(empty, limit=Duration("1min"), cadence=Duration("1s"))) == 0


def test_golden():
    check_golden(interpolate, interpolate(vector(), limit=Duration("3min")))
    check_golden(
        interpolate, interpolate(vector(), limit=Duration("5min"), cadence=Duration("90s")), "_cadence"
    )
