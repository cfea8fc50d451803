"""Epochs of every kind against dates written out, and against NASA-compatible pycdfpp."""

import numpy as np
import pycdfpp
import pytest

from helio.sources.cdf_epoch import (
    NO_TIME,
    UNIX_NS,
    convert_increasing,
    tt2000_of,
    unix_nanoseconds,
    unix_nanoseconds_of_seconds,
)
from helio.store import one_pass
from tests.rows import in_one_test


def dates(*texts):
    return np.array(texts, dtype="M8[ns]")


def converted(raw, kind):
    nanoseconds, valid = unix_nanoseconds(raw.copy(), kind)
    return nanoseconds.view("M8[ns]"), valid


def test_epoch_counts_milliseconds_from_year_zero():
    when, valid = converted(np.array([62167219200000.0, 63745056000123.0]), "EPOCH")
    assert valid is None
    assert when.tolist() == dates("1970-01-01", "2020-01-01T00:00:00.123").tolist()


@pytest.mark.parametrize("bad", [-1e31, 0.0, np.nan, np.inf, 315569519999999.0])
def test_an_epoch_that_is_fill_or_out_of_range_is_marked(bad):
    when, valid = converted(np.array([63745056000000.0, bad]), "EPOCH")
    assert valid.tolist() == [True, False]
    assert when[0] == dates("2020-01-01")[0]


def test_epoch16_keeps_its_nanoseconds():
    raw = np.array([complex(63745056000.0, 123_456_789_000.0), complex(-1e31, -1e31)])
    when, valid = converted(raw, "EPOCH16")
    assert when[0] == dates("2020-01-01T00:00:00.123456789")[0]
    assert valid.tolist() == [True, False]


def test_tt2000_knows_the_leap_seconds():
    # from the CDF C Reference Manual: J2000 is 11:58:55.816 UTC
    when, valid = converted(np.array([0], dtype="i8"), "TIME_TT2000")
    assert valid is None
    assert when.tolist() == dates("2000-01-01T11:58:55.816").tolist()


@pytest.mark.parametrize(
    ("day", "offset"), [("2017-01-01", 37), ("2016-12-31", 36), ("1972-01-01", 10), ("1999-01-01", 32)]
)
def test_tt2000_of_a_day_has_its_tai_minus_utc(day, offset):
    unix = dates(day).astype("i8")
    raw = unix - (946_728_000_000_000_000 - 32_184_000_000) + offset * 1_000_000_000
    assert converted(raw, "TIME_TT2000")[0].tolist() == dates(day).tolist()


def test_a_leap_second_is_stored_in_the_last_microsecond_of_its_day():
    # 2016-12-31T23:59:60.5 UTC in the middle
    midnight = dates("2017-01-01").astype("i8") - (946_728_000_000_000_000 - 32_184_000_000) + 37 * 10**9
    when, _ = converted(midnight - np.array([1_500_000_000, 500_000_000, 0]), "TIME_TT2000")
    assert (
        when.tolist()
        == dates("2016-12-31T23:59:59.5", "2016-12-31T23:59:59.999999500", "2017-01-01").tolist()
    )


@pytest.mark.parametrize("bad", [-(2**63), -(2**63) + 1, 2**63 - 1, -900_000_000_000_000_000])
def test_a_tt2000_that_is_fill_or_before_1972_is_marked(bad):
    _, valid = converted(np.array([0, bad], dtype="i8"), "TIME_TT2000")
    assert valid.tolist() == [True, False]


def test_seconds_since_1970_keep_what_a_double_holds():
    when, valid = unix_nanoseconds_of_seconds(np.array([1266969600.25, np.nan]), 0)
    assert when.view("M8[ns]")[0] == dates("2010-02-24T00:00:00.25")[0]
    assert valid.tolist() == [True, False]


@pytest.mark.parametrize(
    ("kind", "wrapped"),
    [
        ("EPOCH", pycdfpp.DataType.CDF_EPOCH),
        ("EPOCH16", pycdfpp.DataType.CDF_EPOCH16),
        ("TIME_TT2000", pycdfpp.DataType.CDF_TIME_TT2000),
    ],
)
def test_a_thousand_dates_come_out_as_pycdfpp_has_them(kind, wrapped, tmp_path):
    rng = np.random.default_rng(7)
    when = np.sort(
        rng.integers(dates("1972-07-02").astype("i8")[0], dates("2040-01-01").astype("i8")[0], 1000)
    )
    when = when // 1_000_000 * 1_000_000
    cdf = pycdfpp.CDF()
    cdf.add_variable("Epoch", values=when.view("M8[ns]"), data_type=wrapped)
    raw = np.asarray(cdf["Epoch"].values)
    if kind == "EPOCH16":
        raw = raw.view("f8").reshape(-1, 2) @ np.array([1, 1j])
    else:
        raw = raw.view("f8" if kind == "EPOCH" else "i8").reshape(-1)
    nanoseconds, valid = unix_nanoseconds(raw.copy(), kind)
    assert valid is None
    assert np.array_equal(nanoseconds.view("M8[ns]"), pycdfpp.to_datetime64(cdf["Epoch"]).reshape(-1))
    assert np.array_equal(nanoseconds, when)


def test_tt2000_of_utc_is_read_back_unchanged():
    when = dates(
        "1972-01-01", "1972-06-30T23:59:59.999998999", "1972-07-01", "2016-12-31T23:59:59.999998999",
        "2017-01-01", "2024-05-10T12:34:56.123456789", "2261-12-31",
    )  # fmt: skip
    raw = tt2000_of(when.astype(np.int64))
    assert converted(raw, "TIME_TT2000")[0].tolist() == when.tolist()
    theirs = np.asarray(pycdfpp.to_tt2000(when[1:-1])).view(np.int64)
    assert theirs.tolist() == raw[1:-1].tolist()


def test_there_is_no_tt2000_before_1972():
    with pytest.raises(ValueError, match="before 1972"):
        tt2000_of(dates("1971-12-31T23:59:59").astype(np.int64))


def test_nanoseconds_since_1970_are_taken_as_they_are():
    when, valid = converted(np.array([0, NO_TIME, 1]), UNIX_NS)
    assert when[[0, 2]].astype(np.int64).tolist() == [0, 1]
    assert valid.tolist() == [True, False, True]
    assert converted(np.array([0, 1]), UNIX_NS)[1] is None


def test_milliseconds_are_converted_alike_in_parts_of_any_size(monkeypatch):
    raw = 63_800_000_000_000.0 + np.arange(11) * 0.123
    raw[[0, 4, 5]] = -1e31, np.nan, 0.0
    expected, usable = unix_nanoseconds(raw.copy(), "EPOCH")
    assert usable is not None
    assert np.flatnonzero(~usable).tolist() == [0, 4, 5]
    for size in range(1, 12):
        monkeypatch.setattr(one_pass, "_PART", size)
        nanoseconds, valid = unix_nanoseconds(raw.copy(), "EPOCH")
        assert np.array_equal(nanoseconds, expected)
        assert np.array_equal(valid, usable)


@in_one_test("day", ["1972-01-01", "1990-06-15", "2016-12-31", "2022-03-08"])
@in_one_test("step", [1, 10**9, 10**13])
@pytest.mark.parametrize("order", ["increasing", "repeated", "backwards", "fill", "too early", "none"])
def test_one_pass_gives_the_epochs_of_many(monkeypatch, day, step, order):
    monkeypatch.setattr(one_pass, "_PART", 3)
    raw = tt2000_of(np.datetime64(day, "ns").view(np.int64) + np.arange(10) * step)
    first = raw[0]
    raw = raw[:0] if order == "none" else raw
    if order == "repeated":
        raw[4] = raw[3]
    if order == "backwards":
        raw[[0, 9]] = raw[[9, 0]]
    if order == "fill":
        raw[5] = -(2**63)
    if order == "too early":
        raw[0] = first - 10**18
    expected, valid = unix_nanoseconds(raw.copy(), "TIME_TT2000")
    made = raw.copy()
    if convert_increasing(made, "TIME_TT2000"):
        assert order == "increasing"
        assert valid is None
        assert made.tolist() == expected.tolist()
    else:
        assert order != "increasing" or (day, step) == ("2016-12-31", 10**13)
        assert made.tolist() == raw.tolist()


def test_only_tt2000_is_converted_in_one_pass():
    raw = np.arange(4) + 700_000_000_000_000_000
    assert not convert_increasing(raw.copy(), UNIX_NS)
    assert not convert_increasing(raw.astype("f8"), "EPOCH")
    assert convert_increasing(raw, "TIME_TT2000")
