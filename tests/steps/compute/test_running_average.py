"""Centred running average."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio.errors import StepError
from helio.steps.compute.running_average import running_average
from helio.steps.compute.window_sums import counted_means, window_sums
from helio.store.table import Table
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, spectrum, vector

CALLS = [([solar_wind.field], {"window": solar_wind.HOUR})]


def by_hand(table, window):
    """Each window added on its own, exactly."""
    half = Duration(window).nanoseconds // 2
    times = table.epoch.astype(np.int64)
    result = np.full(table.values.shape, np.nan)
    for i, time in enumerate(times):
        inside = (times >= time - half) & (times <= time + half)
        valid = [value for value in table.values[inside].tolist() if value == value]
        if valid:
            result[i] = math.fsum(valid) / len(valid)
    return result


def scalar(seconds, values):
    return Table(epochs(*seconds), np.asarray(values, dtype=np.float64), unit="nT", name="Bz")


def test_a_window_holds_both_its_ends():
    result = running_average(scalar([0, 60, 120, 180], [1.0, 2.0, 6.0, 7.0]), window=Duration("2min"))
    assert result.values.tolist() == [1.5, 3.0, 5.0, 6.5]


def test_the_name_tells_the_window():
    result = running_average(scalar([0, 60], [1.0, 2.0]), window=Duration("60min"))
    assert result.name == "⟨Bz⟩_1h"


def test_a_straight_line_stays_itself_away_from_the_ends():
    seconds = np.arange(100) * 16.0
    result = running_average(scalar(seconds, 3 * seconds + 7), window=Duration("5min"))
    np.testing.assert_allclose(result.values[10:-10], (3 * seconds + 7)[10:-10], rtol=1e-14)


def test_a_wave_is_damped_by_the_sinc_of_the_window():
    seconds = np.arange(4000.0)
    period, window = 400.0, 100.0
    result = running_average(scalar(seconds, np.cos(2 * np.pi * seconds / period)), window=Duration("100s"))
    ratio = result.values[2000] / np.cos(2 * np.pi * 2000 / period)
    assert ratio == pytest.approx(np.sinc(window / period), rel=0.01)


def test_time_reversal_changes_nothing():
    generator = np.random.default_rng(1)
    seconds = np.cumsum(generator.integers(1, 30, 200)).astype(float)
    values = generator.normal(size=200)
    forward = running_average(scalar(seconds, values), window=Duration("90s"))
    backward = running_average(scalar(seconds[-1] - seconds[::-1], values[::-1]), window=Duration("90s"))
    np.testing.assert_allclose(forward.values, backward.values[::-1], rtol=0, atol=1e-14)


def test_missing_values_are_left_out_and_long_gaps_stay():
    values = np.arange(12.0)
    values[1] = np.nan
    values[5:10] = np.nan
    result = running_average(scalar(np.arange(12) * 60, values), window=Duration("2min"))
    assert result.values[:3].tolist() == [0.0, 1.0, 2.5]
    assert np.isnan(result.values).tolist() == [False] * 6 + [True] * 3 + [False] * 3


def test_a_window_never_reaches_over_a_gap_in_the_records():
    result = running_average(scalar([0, 60, 7200, 7260], [1.0, 3.0, 100.0, 300.0]), window=Duration("10min"))
    assert result.values.tolist() == [2.0, 2.0, 200.0, 200.0]


def test_a_spike_harms_only_the_windows_that_hold_it():
    values = np.full(1000, 0.1)
    values[10] = 1e17
    result = running_average(scalar(np.arange(1000), values), window=Duration("10s"))
    np.testing.assert_allclose(result.values[16:], 0.1, rtol=1e-15)


def test_a_large_offset_costs_no_digits():
    generator = np.random.default_rng(2)
    table = scalar(np.cumsum(generator.uniform(0.1, 5, 3000)), 1e9 + generator.normal(size=3000))
    np.testing.assert_allclose(
        running_average(table, window=Duration("5min")).values, by_hand(table, "5min"), rtol=1e-15
    )


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=60),
    st.lists(st.one_of(st.just(math.nan), st.floats(-1e6, 1e6)), min_size=60, max_size=60),
    st.integers(1, 300),
)
def test_it_is_the_mean_of_each_window_added_alone(steps, values, window):
    table = scalar(np.cumsum(steps), values[: len(steps)])
    result = running_average(table, window=Duration(f"{window}s")).values
    np.testing.assert_allclose(result, by_hand(table, f"{window}s"), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("window", [1, 2, 7, 64, 65, 500])
def test_blocks_do_not_show_in_the_last_bit(monkeypatch, window):
    generator = np.random.default_rng(4)
    values = generator.normal(size=(5000, 2)) * 10 ** generator.uniform(-8, 8, (5000, 2))
    values[generator.random((5000, 2)) < 0.2] = np.nan
    middle = np.arange(5000)
    first, last = np.maximum(middle - window // 2, 0), np.minimum(middle + window // 2 + 1, 5000)
    whole = counted_means(values, first, last)
    monkeypatch.setattr("helio.steps.compute.window_sums._BLOCK", 100)
    np.testing.assert_array_equal(counted_means(values, first, last), whole)


@pytest.mark.parametrize("window", [1, 2, 7, 64, 65])
def test_runs_of_windows_do_not_show_in_the_last_bit(window):
    values = np.random.default_rng(4).normal(size=(300, 2))
    middle = np.concatenate([np.arange(100), np.arange(150, 300)])
    first, last = np.maximum(middle - window // 2, 0), np.minimum(middle + window // 2 + 1, 300)
    without_runs = window_sums(values, first[::-1], last[::-1])[::-1]
    np.testing.assert_array_equal(window_sums(values, first, last), without_runs)


def test_the_shortest_window_holds_its_own_sample_and_the_longest_everything():
    table = vector()
    np.testing.assert_array_equal(running_average(table, window=Duration("1ns")).values, table.values)
    everything = np.tile(np.nanmean(table.values, axis=0), (10, 1))
    result = running_average(table, window=Duration("106000d"))
    np.testing.assert_allclose(result.values, everything, rtol=1e-15)


def test_everything_but_the_values_stays():
    table = vector()
    result = running_average(table, window=Duration("5min"))
    np.testing.assert_array_equal(result.epoch, table.epoch)
    assert (result.unit, result.frame, result.components) == (table.unit, table.frame, table.components)
    assert (result.sources, result.notes) == (table.sources, table.notes)


def test_an_empty_series_stays_empty():
    assert len(running_average(vector().take(slice(0, 0)), window=Duration("5min"))) == 0


def test_a_spectrum_is_averaged_bin_by_bin_unless_its_bins_change():
    table = spectrum()
    result = running_average(table, window=Duration("2min"))
    assert result.values[1].tolist() == [32.0, 12.0, 8.0, 4.0, 2.0]
    centers = np.tile(table.axes[0].centers, (4, 1))
    steady = replace(table, axes=(replace(table.axes[0], centers=centers),))
    np.testing.assert_array_equal(running_average(steady, window=Duration("2min")).values, result.values)
    centers[1::2] *= 1.1
    with pytest.raises(StepError, match="change from record to record"):
        running_average(steady, window=Duration("2min"))


def test_golden():
    check_golden(running_average, running_average(vector(), window=Duration("3min")))
