"""Computations across a leap second: time passes as it does elsewhere, whatever the axis says."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.sources.cdf_epoch import unix_nanoseconds
from helio.sources.clock import clock_between
from helio.steps.compute.align import align
from helio.steps.compute.ballistic_shift import ballistic_shift
from helio.steps.compute.band_pass import band_pass
from helio.steps.compute.cross_correlation_lag import cross_correlation_lag
from helio.steps.compute.derivative import derivative
from helio.steps.compute.despike import despike
from helio.steps.compute.detrend import detrend
from helio.steps.compute.interpolate import interpolate
from helio.steps.compute.power_spectrogram import power_spectrogram
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.compute.resample import resample
from helio.steps.compute.running_average import running_average
from helio.steps.compute.running_median import running_median
from helio.steps.compute.statistics import statistics
from helio.steps.describe import describe
from helio.steps.render.gaps import gaps
from helio.store.table import Table
from helio.time_range import Duration
from tests.rows import in_one_test

MIDNIGHT = np.datetime64("2017-01-01", "ns")
LEAP = 536_500_869_184_000_000 - 10**9
"""CDF_TIME_TT2000 of 2016-12-31T23:59:60, a second before midnight (pycdfpp)."""
ELSEWHERE = LEAP + 86_400 * 10**9


def series(seconds, values, *, start=LEAP, **facts):
    """Values at true seconds after 23:59:60, or after the same moment a day later."""
    raw = start + np.round(np.asarray(seconds) * 1e9).astype(np.int64)
    nanoseconds, _ = unix_nanoseconds(raw, "TIME_TT2000")
    clock = clock_between(
        "Epoch", nanoseconds, None, np.datetime64("2000", "ns"), np.datetime64("2040", "ns")
    )
    return Table(clock.epoch, clock.pick(np.asarray(values, float)), **{"unit": "nT", "name": "B"} | facts)


def posix(seconds, values, **facts):
    """Values at seconds after midnight on a clock that has no leap second."""
    epoch = MIDNIGHT + np.round(np.asarray(seconds) * 1e9).astype("m8[ns]")
    return Table(epoch, np.asarray(values, float), **{"unit": "nT", "name": "B"} | facts)


def even(rate, seconds=30, phase=0.0):
    """True times about the leap second."""
    return np.arange(-seconds * rate, (seconds + 1) * rate) / rate + phase


RATES = [(1, 0.0), (1, 0.3), (10, 0.0), (10, 0.0437), (64, 0.0), (128, 0.0021), (1000, 0.0), (8192, 0.0)]


@in_one_test(("rate", "phase"), RATES)
def test_the_derivative_of_true_time_is_one(rate, phase):
    when = even(rate, 3, phase)
    slopes = derivative(series(when, when)).values
    np.testing.assert_allclose(slopes, 1.0, rtol=1e-5)


@in_one_test(("rate", "phase"), RATES)
@in_one_test("side", ["ends", "starts"])
def test_the_derivative_is_one_where_a_day_ends_or_starts_with_the_leap_second(rate, phase, side):
    when = even(rate, 3, phase)
    when = when[when < 1] if side == "ends" else when[when >= 0]
    np.testing.assert_allclose(derivative(series(when, when)).values, 1.0, rtol=1e-5)


def test_irregular_records_are_a_millisecond_of_their_time():
    when = np.array([-1.0, -0.4, 0.1, 0.35, 0.351, 0.9, 1.2, 2.0])
    slopes = derivative(series(when, when), limit=Duration("2s")).values
    np.testing.assert_allclose(slopes, 1.0, rtol=1e-12)


def test_a_clock_without_leap_seconds_passes_two_seconds_from_one_to_the_next():
    minutes = posix(np.arange(-5, 6) * 60.0, np.arange(-5, 6) * 60.0 + np.repeat([0.0, 1.0], [5, 6]))
    np.testing.assert_allclose(derivative(minutes).values, 1.0, rtol=1e-12)
    seconds = posix(np.arange(-5, 6) * 1.0, np.arange(11.0))
    assert derivative(seconds).values.tolist() == [1.0] * 11  # a break, and one-sided slopes beside it
    across = derivative(seconds, limit=Duration("3s")).values
    assert across[4] == pytest.approx(1 + (0.5 - 1) * 1 / 3)


@pytest.mark.parametrize("cadence", [60.0, 3.0, 1.0, 0.1])
def test_a_clock_without_leap_seconds_has_no_gap_and_is_regular(cadence):
    table = posix(np.arange(-40, 41) * cadence, np.zeros(81))
    assert not gaps(table.epoch, 1.5).any()
    told = describe(table)
    assert (told.gaps, told.regular, told.cadence_s) == (0, True, cadence)


@pytest.mark.parametrize("rate", [1, 10])
def test_a_leap_second_with_its_records_has_no_gap_and_is_regular(rate):
    told = describe(series(even(rate), even(rate)))
    assert (told.gaps, told.regular, told.cadence_s) == (0, True, 1 / rate)


def test_records_missing_within_a_leap_second_are_a_gap():
    when = even(10)
    when = when[(when < 0.15) | (when > 0.65)]
    told = describe(series(when, when))
    assert told.gaps == 1
    assert told.longest_gap.seconds == pytest.approx(0.6)
    slopes = derivative(series(when, when)).values
    np.testing.assert_allclose(slopes, 1.0, rtol=1e-9)


@pytest.mark.parametrize("rate", [1, 10, 64])
def test_filters_and_spectra_across_a_leap_second_are_those_of_elsewhere(rate):
    when = even(rate, 120)
    wave = np.sin(2 * np.pi * 0.11 * rate * when) + 0.3 * np.sin(2 * np.pi * 0.02 * rate * when)
    here, there = series(when, wave), series(when, wave, start=ELSEWHERE)
    low, high = 0.05 * rate, 0.2 * rate
    window = Duration(f"{32 * 1000 // rate}ms")
    for compute in (
        lambda table: band_pass(table, low=low, high=high),
        lambda table: power_spectrum(table, window=window),
        lambda table: power_spectrogram(table, window=window),
        lambda table: detrend(table, method="linear"),
        lambda table: detrend(table, method="running_mean", window=window),
        lambda table: running_average(table, window=window),
        lambda table: running_median(table, window=window),
        lambda table: despike(table, window=window, threshold=1.5),
    ):
        np.testing.assert_array_equal(compute(here).values, compute(there).values)


def test_a_clock_without_leap_seconds_is_filtered_on_either_side():
    """Three-second records: the step of four seconds is neither another cadence nor bridged."""
    when = np.arange(-300, 301) * 3.0
    table = posix(when, np.sin(when / 5))
    parts = [
        band_pass(table.take(half), low=0.02, high=0.1).values for half in (slice(300), slice(300, None))
    ]
    whole = band_pass(table, low=0.02, high=0.1).values
    np.testing.assert_allclose(whole, np.concatenate(parts), rtol=1e-9, atol=1e-9)
    minutes = posix(when * 20, np.sin(when))
    assert np.isfinite(band_pass(minutes, low=0.001, high=0.005).values[290:310]).all()


def test_a_running_window_is_as_long_in_time_as_elsewhere():
    seconds = posix(np.arange(-10, 11) * 1.0, np.arange(21.0))
    # 23:59:59 is two seconds before midnight
    assert running_average(seconds, window=Duration("2s")).values[9] == 8.5
    assert running_average(seconds, window=Duration("2s")).values[10] == 10.5


def test_alignment_and_interpolation_go_by_the_time_that_passes():
    ten, one = even(10, 5), even(1, 4)
    found = align(series(ten, ten), series(one, one), limit=Duration("1s"))
    np.testing.assert_allclose(found.values, one, atol=1e-9)
    found = align(series(one, one), series(ten, ten), limit=Duration("1s"))
    inside = (ten >= one[0]) & (ten <= one[-1])
    np.testing.assert_allclose(found.values[inside], ten[inside], atol=1e-9)
    late = series(ten[ten >= 1], ten[ten >= 1])  # 1 January alone, on the clock of both days
    np.testing.assert_allclose(
        align(series(one, one), late, limit=Duration("1s")).values[:30], ten[ten >= 1][:30]
    )
    hole = series(one, np.where(one == 0, np.nan, one))
    assert interpolate(hole, limit=Duration("2s")).values[one == 0] == 0.0
    grid = interpolate(series(ten, ten), limit=Duration("1s"), cadence=Duration("500ms"))
    assert grid.values[grid.epoch == MIDNIGHT] == 1.0
    minutes = posix(np.arange(-3, 4) * 60.0, np.arange(7.0))
    halves = interpolate(minutes, limit=Duration("1min"), cadence=Duration("30s"))
    assert np.isfinite(halves.values).all()
    assert halves.values[5] == pytest.approx(2 + 30 / 61)


def test_intervals_of_the_axis_take_the_leap_second_with_the_last_of_its_day():
    table = series(even(10, 2), even(10, 2))
    means = resample(table, cadence=Duration("1s"))
    assert means.epoch.astype("M8[s]").astype(str).tolist() == [
        "2016-12-31T23:59:58", "2016-12-31T23:59:59", "2017-01-01T00:00:00", "2017-01-01T00:00:01",
    ]  # fmt: skip
    counts = statistics(table, interval=Duration("1s"), of=["count"])
    assert counts.values.tolist() == [10.0, 20.0, 10.0, 10.0]


def test_a_delay_is_found_across_a_leap_second():
    rng = np.random.default_rng(3)
    when = even(10, 60)
    noise = rng.normal(size=when.size)
    one, other = series(when, noise), series(when, np.roll(noise, 7))
    found = cross_correlation_lag(one, other, longest=Duration("2s"))
    assert found.values.tolist() == pytest.approx([0.7])
    for cadence in (0.1, 1.0, 2.0, 3.0):
        clock = np.arange(-400, 401) * cadence
        noise = rng.normal(size=clock.size)
        delayed = posix(clock, np.roll(noise, 5))
        found = cross_correlation_lag(posix(clock, noise), delayed, longest=Duration("60s"))
        assert found.values.tolist() == pytest.approx([5 * cadence])


def test_plasma_arrives_after_the_time_that_passes():
    when = np.arange(-100.0, 101.0, 10.0)
    speed = series(when, np.full(when.size, 400.0), unit="km/s", name="V")
    arrived = ballistic_shift(series(when, when), speed, from_x=400.0 * 50, to_x=0.0)
    there = series(when + 50, when)
    assert arrived.epoch.tolist() == there.epoch.tolist()
    assert any("leap second 2016-12-31T23:59:60" in note for note in arrived.notes)


def test_one_cadence_is_still_asked_for():
    when = np.concatenate([np.arange(-20, 0) * 1.0, np.arange(0, 20) * 1.3])
    with pytest.raises(StepError, match="needs one cadence"):
        band_pass(series(when, when), low=0.1, high=0.2)


@pytest.mark.parametrize("cadence", ["100ms", "1s", "1min"])
@pytest.mark.parametrize(("tool", "argument"), [(resample, "cadence"), (statistics, "interval")])
def test_the_interval_that_holds_a_leap_second_too_is_named(tool, argument, cadence):
    when = even(10, 3)
    note = "the last interval before 2017-01-01T00:00:00 contains a leap second, so it is one second longer"
    length = {argument: Duration(cadence)}
    assert tool(series(when, when), **length).notes[-1] == note
    assert note not in tool(series(when, when, start=ELSEWHERE), **length).notes
    assert note not in tool(posix(when, when), **length).notes
