"""By how much one series comes after another."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from helio.errors import ClockMismatch, StepError
from helio.steps.compute.cross_correlation_lag import cross_correlation_lag
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar

CALLS = [([solar_wind.bz_long, solar_wind.bz_long], {"longest": Duration("10min"), "give": "lag"})]


def walk(count, seed=21):
    return signal.lfilter([1], [1, -0.9], np.random.default_rng(seed).normal(size=count))


def shifted(values, steps):
    """The same some samples later, with something else before."""
    return np.concatenate([walk(steps, 22), values[:-steps]])


def pair(steps, count=2000, cadence=16.0):
    values = walk(count)
    seconds = np.arange(count) * cadence
    return scalar(seconds, values, name="ACE"), scalar(
        seconds, 3 * shifted(values, steps) + 7, name="Wind", unit="km/s"
    )


def test_a_series_that_comes_later_has_a_positive_lag():
    one, other = pair(40)
    result = cross_correlation_lag(one, other, longest=Duration("1h"))
    assert result.values.tolist() == [640.0]
    assert (result.unit, result.name, result.description) == ("s", "lag", "delay of Wind after ACE")
    back = cross_correlation_lag(other, one, longest=Duration("1h"))
    assert back.values.tolist() == [-640.0]


def test_the_correlation_at_the_lag_is_that_of_the_shifted_pairs():
    one, other = pair(40)
    noisy = replace(other, values=other.values + 2 * walk(2000, 23))
    result = cross_correlation_lag(one, noisy, longest=Duration("1h"), give="correlation")
    expected = np.corrcoef(one.values[:-40], noisy.values[40:])[0, 1]
    np.testing.assert_allclose(result.values, expected, rtol=1e-9)
    assert result.unit == ""


def test_it_is_the_peak_of_scipys_correlation():
    one, other = pair(25)
    x, y = one.values - one.values.mean(), other.values - other.values.mean()
    lags = signal.correlation_lags(2000, 2000)
    theirs = lags[np.argmax(signal.correlate(y, x))] * 16.0
    assert cross_correlation_lag(one, other, longest=Duration("20min")).values.tolist() == [theirs]


def test_each_interval_has_its_own_lag():
    values = walk(4000)
    delayed = np.concatenate([walk(10, 22), values[: 2000 - 10], values[2000 - 30 : -30]])
    seconds = np.arange(4000) * 1.0
    result = cross_correlation_lag(
        scalar(seconds, values), scalar(seconds, delayed), longest=Duration("60s"), interval=Duration("1000s")
    )
    assert np.nanmax(np.abs(result.values[1:3] - [10, 30])) <= 20
    assert result.values[[1, -2]].tolist() == [10.0, 30.0]


def test_gaps_in_both_shift_nothing():
    one, other = pair(40)
    keep = np.random.default_rng(5).random(2000) > 0.3
    holes = replace(other, values=np.where(np.random.default_rng(6).random(2000) < 0.1, np.nan, other.values))
    keep[:3] = keep[500:700] = True
    result = cross_correlation_lag(one.take(keep), holes.take(keep), longest=Duration("1h"))
    assert result.values.tolist() == [640.0]


def test_no_likeness_and_a_lag_beyond_the_longest_give_none():
    one, other = pair(100)
    assert np.isnan(cross_correlation_lag(one, other, longest=Duration("10min")).values).all()
    one, other = pair(37)
    assert np.isnan(cross_correlation_lag(one, other, longest=Duration("592s")).values).all()
    assert cross_correlation_lag(one, other, longest=Duration("608s")).values.tolist() == [592.0]
    noise = replace(one, values=walk(2000, 99))
    result = cross_correlation_lag(one, noise, longest=Duration("10min"))
    assert np.isnan(result.values).all()
    assert "no delay within 10min gives a high enough peak of the correlation: 1 of 1" in result.notes[-1]


def test_an_interval_with_too_few_pairs_has_none():
    one, other = pair(3, count=300, cadence=1.0)
    empty = replace(other, values=np.where(np.arange(300) < 200, np.nan, other.values))
    result = cross_correlation_lag(one, empty, longest=Duration("20s"), interval=Duration("100s"))
    assert np.isnan(result.values).tolist() == [True, True, False]
    constant = replace(one, values=np.ones(300))
    assert np.isnan(cross_correlation_lag(one, constant, longest=Duration("20s")).values).all()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"longest": Duration("1s")}, "the longest delay is 1s, but the samples are 16 s apart"),
        ({"longest": Duration("900d")}, "delays of up to 900d are too many to try on 2,000 samples"),
        ({"longest": Duration("1h"), "least": 1.5}, "it must be at least -1 and below 1"),
    ],
)
def test_delays_that_cannot_be_tried_are_refused(arguments, what):
    with pytest.raises(StepError, match=what) as refusal:
        cross_correlation_lag(*pair(40), **arguments)
    assert refusal.value.advice


def test_two_clocks_are_refused():
    one, other = pair(40)
    with pytest.raises(ClockMismatch):
        cross_correlation_lag(one, other.take(slice(1, None)), longest=Duration("1h"))


def test_golden():
    one, other = pair(2, count=60, cadence=60.0)
    result = cross_correlation_lag(
        replace(one, values=np.round(one.values, 2)),
        replace(other, values=np.round(other.values, 2)),
        longest=Duration("10min"),
        interval=Duration("20min"),
        give="correlation",
    )
    check_golden(cross_correlation_lag, replace(result, values=np.round(result.values, 9)))
