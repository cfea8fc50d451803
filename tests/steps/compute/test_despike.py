"""Spikes taken out of a series."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.despike import MAD_OF_NORMAL, despike
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field_long], {"window": Duration("15min")})]


def noise(count=20_000, seed=7):
    return np.random.default_rng(seed).normal(size=count)


def test_spikes_are_missing_and_nothing_else_is():
    values = 10 * np.sin(np.arange(1000) / 50) + noise(1000) * 0.1
    spikes = [3, 200, 201, 640, 999]
    values[spikes] += 40
    result = despike(scalar(np.arange(1000), values), window=Duration("10s"), threshold=9)
    assert np.flatnonzero(np.isnan(result.values)).tolist() == spikes
    kept = np.setdiff1d(np.arange(1000), spikes)
    np.testing.assert_array_equal(result.values[kept], values[kept])
    assert "5 of 1,000 values (0.5 %) set to missing" in result.notes[-1]


def test_the_spread_is_the_standard_deviation_of_normal_noise():
    """Of pure noise 0.27 % lies beyond three standard deviations, in a window so wide that it is well known."""
    result = despike(scalar(np.arange(20_000), noise()), window=Duration("1000s"), threshold=3)
    assert np.isnan(result.values).mean() == pytest.approx(0.0027, rel=0.25)


@pytest.mark.parametrize("threshold", [2.0, 4.0])
def test_it_is_hampels_rule_in_each_window_taken_alone(threshold):
    generator = np.random.default_rng(8)
    seconds = np.cumsum(generator.integers(1, 12, 300)).astype(float)
    values = generator.standard_t(2, 300)
    values[generator.random(300) < 0.2] = np.nan
    result = despike(scalar(seconds, values), window=Duration("60s"), threshold=threshold).values
    for time, value, value_found in zip(seconds, values, result, strict=True):
        inside = values[np.abs(seconds - time) <= 30]
        inside = inside[~np.isnan(inside)]
        spike = False
        if inside.size >= 3 and not np.isnan(value):
            spread = MAD_OF_NORMAL * np.median(np.abs(inside - np.median(inside)))
            spike = abs(value - np.median(inside)) > threshold * spread
        assert np.isnan(value_found) == (spike or np.isnan(value))


def test_infinity_is_a_spike_and_spoils_no_window():
    values = noise(200)
    values[[50, 51]] = np.inf, -np.inf
    result = despike(scalar(np.arange(200), values), window=Duration("20s"), threshold=9)
    assert np.flatnonzero(np.isnan(result.values)).tolist() == [50, 51]


def test_a_step_is_no_spike():
    values = np.where(np.arange(200) < 100, 0.0, 50.0) + noise(200) * 0.1
    assert not np.isnan(despike(scalar(np.arange(200), values), window=Duration("20s")).values).any()


def test_a_step_of_one_digit_is_a_spike_unless_the_floor_says_no():
    values = np.full(50, 5.0)
    values[20] = 5.1
    table = scalar(np.arange(50), values)
    assert np.isnan(despike(table, window=Duration("10s")).values).sum() == 1
    assert np.isnan(despike(table, window=Duration("10s"), floor=0.1).values).sum() == 0


def test_a_window_reaches_over_no_gap():
    """The last value before the gap stands out from its own side only; two values tell nothing."""
    series = scalar([0, 1, 2, 3, 1000, 1001], [1, 1.1, 0.9, 50, 49, 51])
    result = despike(series, window=Duration("10s"))
    assert np.isnan(result.values).tolist() == [False, False, False, True, False, False]


def test_missing_values_stay_missing_and_are_not_counted():
    table = vector()
    result = despike(table, window=Duration("10min"), threshold=1e6)
    np.testing.assert_array_equal(result.values, table.values)
    assert "0 of 30 values" in result.notes[-1]


def test_blocks_do_not_show(monkeypatch):
    values = noise(3000)
    table = scalar(np.arange(3000), values)
    whole = despike(table, window=Duration("20s"), threshold=2).values
    monkeypatch.setattr("helio.steps.compute.despike._BLOCK", 500)
    np.testing.assert_array_equal(despike(table, window=Duration("20s"), threshold=2).values, whole)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"threshold": 0.0}, "threshold must be above 0"),
        ({"threshold": float("nan")}, "threshold must be above 0"),
        ({"floor": -1.0}, "floor not below 0"),
        ({"window": Duration("30s")}, "holds 1 sample, too few"),
    ],
)
def test_what_tells_nothing_is_refused(arguments, what):
    with pytest.raises(StepError, match=what) as refusal:
        despike(vector(), **{"window": Duration("10min"), **arguments})
    assert refusal.value.advice


def test_a_window_of_a_day_of_seconds_is_refused():
    with pytest.raises(StepError, match=r"holds 3,0\d\d samples"):
        despike(scalar(np.arange(4000), noise(4000)), window=Duration("3000s"))


def test_a_spectrum_is_taken_bin_by_bin():
    table = spectrum()
    assert despike(table, window=Duration("10min")).values.shape == table.values.shape


def test_an_empty_series_stays_empty():
    assert len(despike(vector().take(slice(0, 0)), window=Duration("5min"))) == 0


def test_golden():
    check_golden(despike, despike(vector(), window=Duration("10min"), threshold=2.0))
