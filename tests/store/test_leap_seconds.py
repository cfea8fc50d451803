"""Where leap seconds are stored, how much time passes over them, and that nothing else is touched."""

from datetime import datetime

import numpy as np
import pycdfpp
from hypothesis import given
from hypothesis import strategies as st

from helio.store.leap_seconds import (
    counted,
    elapsed,
    from_civil,
    from_elapsed,
    from_tai,
    leap_notes,
    leap_seconds_in,
    spans_leap_second,
    tai_of,
)
from helio.time_range import LEAP_SECOND_MIDNIGHTS, TimeRange
from tests.rows import in_one_test

MIDNIGHT = np.datetime64("2017-01-01", "ns")
NONE = np.datetime64("2012-07-01", "ns"), np.datetime64("2015-06-30T23:59:59.999998999", "ns")
"""First and last time between two leap seconds."""


def test_the_table_is_that_of_the_cdf_library():
    """pycdfpp's TT2000 of each day's noon grows by a second more than the day has, on the 27 days of a leap second."""
    noons = np.arange("1972-01-01T12", "2030-01-01T12", 24, dtype="M8[h]").astype("M8[ns]")
    longer = np.diff(pycdfpp.to_tt2000(noons).view(np.int64).reshape(-1)) == 86_401 * 10**9
    days = noons[1:][longer].astype("M8[D]").astype(datetime)
    assert [datetime(day.year, day.month, day.day) for day in days] == list(LEAP_SECOND_MIDNIGHTS)
    assert len(LEAP_SECOND_MIDNIGHTS) == 27


def test_epochs_that_touch_no_leap_second_are_the_same_memory():
    epoch = np.linspace(*(edge.astype(np.int64) for edge in NONE), 1000).astype(np.int64).view("M8[ns]")
    epoch[-1] = NONE[1]
    assert not spans_leap_second(epoch)
    for made in (elapsed(epoch), counted(epoch), elapsed(epoch, since=epoch[:1])):
        assert np.shares_memory(made, epoch)
        assert made.tolist() == epoch.view(np.int64).tolist()
    nanoseconds = epoch.view(np.int64)
    assert from_civil(nanoseconds) is nanoseconds
    assert leap_notes(epoch) == ()


@in_one_test("midnight", LEAP_SECOND_MIDNIGHTS)
def test_every_leap_second_has_its_place(midnight):
    naive = np.datetime64(midnight, "ns").astype(np.int64)
    epoch = from_civil(naive + np.array([-(10**9), 0, 250_000_000, 0]), np.array([False, True, True, False]))
    assert (epoch - naive).tolist() == [-(10**9), -1000, -750, 0]
    assert (elapsed(epoch.view("M8[ns]")) - epoch[0]).tolist() == [0, 10**9, 1_250_000_000, 2 * 10**9]
    (leap,) = leap_seconds_in(epoch.view("M8[ns]"))
    assert str(leap) == f"{np.datetime64(midnight, 'm') - 1}:60"
    assert TimeRange(midnight.replace(year=midnight.year - 1), midnight).leap_seconds >= 1
    assert TimeRange(midnight, midnight.replace(day=2)).leap_seconds == 0


def test_epochs_of_two_series_stand_on_one_clock():
    before, after = MIDNIGHT + np.array([-5, -1], "m8[s]"), MIDNIGHT + np.array([0, 1], "m8[s]")
    start = int(before[0].astype(np.int64))
    assert (elapsed(after, since=before) - start).tolist() == [6 * 10**9, 7 * 10**9]
    assert (elapsed(before, since=after) - int(after[0].astype(np.int64))).tolist() == [
        -6 * 10**9,
        -2 * 10**9,
    ]


@given(
    st.lists(
        st.integers(-3 * 10**9, 3 * 10**9).map(lambda after: after // 10**6 * 10**6),
        min_size=1,
        max_size=50,
        unique=True,
    )
)
def test_true_times_of_whole_milliseconds_come_back(after):
    """Any records about the leap second, in any order: none is lost, and order is that of time."""
    start = int(tai_of(np.array([MIDNIGHT]))[0]) - 10**9
    true = start + np.array(after, np.int64)
    epoch = from_tai(true.copy())
    assert np.array_equal(np.argsort(epoch), np.argsort(true))
    ordered = np.sort(epoch).view("M8[ns]")
    assert np.unique(ordered).size == true.size
    assert np.abs(tai_of(ordered) - np.sort(true)).max() <= 500_000
    back = from_elapsed(elapsed(ordered), since=ordered)
    assert back.tolist() == ordered.tolist()


@given(st.lists(st.integers(0, 2 * 10**9), min_size=2, max_size=3000, unique=True))
def test_no_two_records_share_a_place_however_close(after):
    start = int(tai_of(np.array([MIDNIGHT]))[0]) - int(1.5e9)
    true = np.sort(start + np.array(after, np.int64))
    assert (np.diff(from_tai(true.copy())) > 0).all()


def test_a_clock_without_leap_seconds_counts_on():
    epoch = MIDNIGHT + np.array([-60, 0, 60], "m8[s]")
    assert np.diff(elapsed(epoch)).tolist() == [61 * 10**9, 60 * 10**9]
    assert np.diff(counted(epoch)).tolist() == [60 * 10**9] * 2
    years = np.array(["1971-01-01", "1972-07-01", "2017-01-01", "2020-01-01"], "M8[ns]")
    assert (np.diff(elapsed(years)) - np.diff(years.view(np.int64))).tolist() == [10**9, 26 * 10**9, 0]
    assert np.array_equal(np.diff(counted(years)), np.diff(years.view(np.int64)))


def test_nothing_is_made_of_nothing():
    empty = np.empty(0, "M8[ns]")
    assert elapsed(empty).size == counted(empty).size == tai_of(empty).size == 0
    assert from_tai(np.empty(0, np.int64)).size == from_civil(np.empty(0, np.int64)).size == 0
    assert elapsed(np.array([MIDNIGHT]), since=empty).tolist() == [
        int(MIDNIGHT.astype(np.int64)) + 27 * 10**9
    ]
