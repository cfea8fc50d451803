"""Superposed epochs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helio.errors import StepError
from helio.steps.compute.storm_phases import storm_phases
from helio.steps.compute.superposed_epoch import superposed_epoch
from helio.store.table import Table
from helio.time_range import Duration
from tests.steps.series import check_golden, epochs, vector
from tests.steps.solar_wind import series

NAN = np.nan
GIVES = ("events", "median", "lower_quartile", "upper_quartile", "mean", "count")
TIMES = ["2024-05-10T01:00", "2024-05-10T02:00Z", "2024-131T03:00:00"]
WINDOW = {"before": Duration("10min"), "after": Duration("20min"), "bin": Duration("5min")}


def walk():
    """Four hours, one value a minute, with a gap and missing values."""
    values = np.cumsum(np.random.default_rng(9).normal(size=240))
    values[61:64] = NAN
    whole = series(values, "nT", "SYM-H")
    return whole.take(np.r_[0:125, 137:240])


def zeros():
    return Table(epoch=epochs(3600, 7200, 10800), values=np.ones(3), name="event")


CALLS = [([walk], {**WINDOW, "zero_times": TIMES, "give": give}) for give in GIVES]
CALLS += [([walk, zeros], WINDOW)]


def test_a_pattern_that_repeats_is_found_and_noise_is_averaged_away():
    minutes = np.arange(600)
    pattern = np.where((minutes % 60 >= 5) & (minutes % 60 < 10), -100.0, 0.0)
    noisy = series(pattern + np.random.default_rng(1).normal(size=600), "nT", "Dst")
    times = [f"2024-05-10T0{hour}:00" for hour in range(1, 9)]
    result = superposed_epoch(noisy, **WINDOW, zero_times=times, give="mean")
    np.testing.assert_allclose(result.values, [[0, 0, 0, -100, 0, 0]], atol=0.6)
    axis = result.axes[0]
    assert (axis.label, axis.unit, axis.scale) == ("Time from zero epoch", "min", "linear")
    np.testing.assert_allclose(axis.centers, [-7.5, -2.5, 2.5, 7.5, 12.5, 17.5])
    np.testing.assert_allclose(axis.lower, [-10, -5, 0, 5, 10, 15])
    assert (result.kind, result.unit, result.name) == ("spectrum", "nT", "Dst, mean")
    assert str(result.epoch[0])[:16] == "2024-05-10T01:00"


def test_every_statistic_is_what_pandas_makes_of_the_events():
    frame = pd.Series(walk().values, index=pd.DatetimeIndex(walk().epoch))
    rows = []
    for time in ("2024-05-10T01:00", "2024-05-10T02:00", "2024-05-10T03:00"):
        zero = pd.Timestamp(time)
        bins = pd.interval_range(zero - pd.Timedelta("10min"), periods=6, freq="5min", closed="left")
        rows.append([frame[(frame.index >= part.left) & (frame.index < part.right)].mean() for part in bins])
    events = pd.DataFrame(rows)
    made = {give: superposed_epoch(walk(), **WINDOW, zero_times=TIMES, give=give).values for give in GIVES}
    np.testing.assert_allclose(made["events"], events.values, rtol=1e-12)
    np.testing.assert_allclose(made["median"][0], events.median(), rtol=1e-12)
    np.testing.assert_allclose(made["lower_quartile"][0], events.quantile(0.25), rtol=1e-12)
    np.testing.assert_allclose(made["upper_quartile"][0], events.quantile(0.75), rtol=1e-12)
    np.testing.assert_allclose(made["mean"][0], events.mean(), rtol=1e-12)
    np.testing.assert_allclose(made["count"][0], events.count())
    assert made["count"].min() == 2  # the gap reaches into one event


def test_zero_times_come_from_a_list_or_from_the_epochs_of_a_table():
    written = superposed_epoch(walk(), **WINDOW, zero_times=TIMES)
    read = superposed_epoch(walk(), zeros(), **WINDOW)
    np.testing.assert_array_equal(written.values, read.values)
    np.testing.assert_array_equal(read.epoch, zeros().epoch)


def test_the_order_of_the_list_does_not_matter_and_a_time_counts_once():
    again = superposed_epoch(walk(), **WINDOW, zero_times=[*TIMES[::-1], TIMES[0]])
    np.testing.assert_array_equal(again.values, superposed_epoch(walk(), **WINDOW, zero_times=TIMES).values)


def test_storms_are_superposed_on_their_minima():
    dst = series([0, -20, -60, -30, 0, 0, -20, -90, -40, 0, 0], "nT", "Dst")
    minute = Duration("1min")
    made = superposed_epoch(
        dst, storm_phases(dst, give="minimum"), before=Duration("2min"), after=Duration("3min"), bin=minute
    )
    assert made.values.tolist() == [[0, -20, -60, -30, 0], [0, -20, -90, -40, 0]]


def test_events_without_data_are_left_out_and_counted():
    result = superposed_epoch(walk(), **WINDOW, zero_times=[*TIMES, "2031-01-01"])
    assert len(result) == 3
    assert result.notes == ("superposed: 3 events", "zero times without data, left out: 1 of 4")
    with pytest.raises(StepError, match="'SYM-H' has no value around any of 1 zero time"):
        superposed_epoch(walk(), **WINDOW, zero_times=["2031-01-01"])


def test_a_bin_without_a_sample_is_missing_and_counts_nothing():
    alone = walk().take(slice(0, 62))
    result = superposed_epoch(alone, **WINDOW, zero_times=TIMES[:1], give="count")
    assert result.values.tolist() == [[1, 1, 1, 0, 0, 0]]
    assert (result.unit, result.name) == ("", "events")
    assert np.isnan(
        superposed_epoch(alone, **WINDOW, zero_times=TIMES[:1], give="median").values[0, 3:]
    ).all()


def test_the_unit_of_the_axis_follows_the_window():
    axis = superposed_epoch(
        walk(), zeros(), before=Duration("1h"), after=Duration("1h"), bin=Duration("30min")
    ).axes[0]
    assert (axis.unit, axis.centers.tolist()) == ("h", [-0.75, -0.25, 0.25, 0.75])
    axis = superposed_epoch(
        walk(), zeros(), before=Duration("30s"), after=Duration("60s"), bin=Duration("30s")
    ).axes[0]
    assert (axis.unit, axis.centers.tolist()) == ("s", [-15.0, 15.0, 45.0])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({}, "no zero times are given"),
        ({"zero_times": []}, "the list of zero times is empty"),
        ({"zero_times": ["yesterday"]}, "zero_times: 'yesterday' is not a time in ISO 8601"),
        ({"zero_times": ["2024-13-01"]}, "zero_times: '2024-13-01' is not a time"),
        ({"zero_times": TIMES, "before": Duration("7min")}, "7min is not a multiple of the bins of 5min"),
        (
            {
                "zero_times": TIMES,
                "after": Duration("9000d"),
                "bin": Duration("1ms"),
                "before": Duration("1s"),
            },
            "bins are too many",
        ),
    ],
)
def test_what_is_wrong_is_said(wrong, why):
    with pytest.raises(StepError, match=why):
        superposed_epoch(walk(), **{**WINDOW, **wrong})


def test_zero_times_given_twice_angles_and_vectors_are_refused():
    with pytest.raises(StepError, match="the zero times are given twice"):
        superposed_epoch(walk(), zeros(), **WINDOW, zero_times=TIMES)
    with pytest.raises(StepError, match=r"an angle that wraps .* cannot be superposed"):
        superposed_epoch(replace(walk(), unit="deg", name="clock angle"), **WINDOW, zero_times=TIMES)
    with pytest.raises(StepError, match="must be one series, but 'B' is a vector"):
        superposed_epoch(vector(), **WINDOW, zero_times=TIMES)


@pytest.mark.parametrize("give", ["events", "median", "count"])
def test_golden(give):
    made = superposed_epoch(walk(), **WINDOW, zero_times=TIMES, give=give)
    check_golden(superposed_epoch, made, f"_{give}", digits=9)
