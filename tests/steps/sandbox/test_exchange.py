"""What crosses the wall: that results come back as they were, and that nothing else is believed."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.steps.sandbox.exchange import NotReadableError, Returned, pack_result, unpack_result
from helio.steps.sandbox.limits import SandboxLimits
from helio.steps.sandbox.result import as_table
from tests.laws import law
from tests.rows import in_one_test

LIMITS = SandboxLimits()
TIMES = pd.date_range("2024-01-01", periods=4, freq="min")
FRAME = pd.DataFrame({"a": [1.0, np.nan, 3, 4], "b": [1, 2, 3, 4]}, index=TIMES)


def written(result: object, limits: SandboxLimits = LIMITS) -> bytes:
    file = io.BytesIO()
    pack_result(result, limits, file)
    return file.getvalue()


def read(result: object) -> Returned:
    return unpack_result(written(result), LIMITS)


def test_a_frame_comes_back_as_numbers_and_names():
    found = read(FRAME)
    assert (found.kind, found.index, found.columns) == ("frame", "time", ("a", "b"))
    assert found.epoch is not None
    np.testing.assert_array_equal(found.epoch, TIMES.to_numpy("M8[ns]"))
    np.testing.assert_array_equal(found.values, FRAME.to_numpy())


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (["a", "b", "c", "d"], "Index of str"),
        (range(4), "RangeIndex of int64"),
        (pd.period_range("2024", periods=4, freq="D"), "PeriodIndex of period[D]"),
    ],
)
def test_an_index_without_times_is_named(index: object, told: str):
    found = read(FRAME.set_axis(index))
    assert found.epoch is None
    assert found.index == told


def test_times_of_other_steps_and_zones_are_utc_in_nanoseconds():
    found = read(FRAME.set_axis(TIMES.as_unit("s").tz_localize("UTC").tz_convert("+02:00")))
    np.testing.assert_array_equal(found.epoch, TIMES.to_numpy("M8[ns]"))


def test_a_column_that_holds_no_numbers_is_named_and_left_behind():
    found = read(FRAME.assign(c="text", d=TIMES, e=pd.array([1, None, 3, 4], dtype="Int64")))
    assert found.dtypes[2:] == ("str", "datetime64[us]", "Int64")
    assert found.values is not None
    assert np.isnan(found.values[:, 2:4]).all()
    np.testing.assert_array_equal(found.values[:, 4], [1, np.nan, 3, 4])


def test_a_result_that_is_too_large_does_not_leave():
    with pytest.raises(ValueError, match="4 rows, but at most 3"):
        written(FRAME, SandboxLimits(rows=3))
    with pytest.raises(ValueError, match="2 columns, but at most 1"):
        written(FRAME, SandboxLimits(columns=1))


def test_bins_that_no_float_holds_are_counted():
    facts = {"kind": "array", "index": "time", "shape": [1, 2], "dtype": "<f8", "dtypes": ["float64"]}
    body = np.array(["2024-01-01"], "M8[ns]").tobytes() + np.array([1.0, 2.0]).tobytes()
    found = unpack_result(stream(facts | {"axes": [["c", [10**400, 1]]]}, body), LIMITS)
    assert as_table(found, []).axes[0].centers.tolist() == [1.0, 2.0]


def stream(facts: object, body: bytes = np.array([1.0, 2.0]).tobytes()) -> bytes:
    """A result as a dishonest child could write it."""
    header = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + body


GOOD = {
    "kind": "series",
    "index": "RangeIndex",
    "shape": [2, 1],
    "dtype": "<f8",
    "columns": ["a"],
    "dtypes": ["float64"],
}


def test_what_fits_together_is_read():
    found = unpack_result(stream(GOOD), LIMITS)
    assert found.values is not None
    assert found.values.tolist() == [[1.0], [2.0]]


@in_one_test(
    "facts",
    [
        GOOD | {"shape": [3, 1]},
        GOOD | {"shape": [-1, -2]},
        GOOD | {"shape": [10**30, 1]},
        GOOD | {"shape": [2]},
        GOOD | {"shape": "text"},
        GOOD | {"index": "time"},
        GOOD | {"dtype": "|O"},
        GOOD | {"dtype": "<f2"},
        GOOD | {"dtype": ["<f8"]},
        GOOD | {"columns": ["a", "b"]},
        GOOD | {"columns": 7},
        GOOD | {"kind": "array"},
        GOOD | {"kind": "array", "axes": [["x", [1, 2, 3]]]},
        {},
        [],
        b"{",
        b"[" * 100_000,
    ],
)
def test_what_does_not_fit_together_is_not_believed(facts: object):
    with pytest.raises(NotReadableError):
        unpack_result(stream(facts), LIMITS)


@pytest.mark.parametrize("written", [b"", b"\xff" * 8, b"\xff" * 99, struct.pack("<Q", 2**63) + b"{}"])
def test_a_length_that_lies_is_not_believed(written: bytes):
    with pytest.raises(NotReadableError):
        unpack_result(written, LIMITS)


@law(120, 6000)
@given(st.data())
def test_a_damaged_stream_is_refused_or_read_within_its_limits(data: st.DataObject):
    good = bytearray(written(FRAME))
    for _ in range(data.draw(st.integers(1, 6))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = unpack_result(bytes(good[: data.draw(st.integers(1, len(good)))]), LIMITS)
    except NotReadableError:
        return
    assert isinstance(found, Returned)
