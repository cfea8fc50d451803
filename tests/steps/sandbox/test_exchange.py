"""What crosses the wall: that results come back as they were, and that nothing else is believed."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio.steps.sandbox.exchange import NotReadableError, Returned, pack_result, unpack_result
from helio.steps.sandbox.limits import Limits

LIMITS = Limits()
TIMES = pd.date_range("2024-01-01", periods=4, freq="min")
FRAME = pd.DataFrame({"a": [1.0, np.nan, 3, 4], "b": [1, 2, 3, 4]}, index=TIMES)


def written(result: object, limits: Limits = LIMITS) -> bytes:
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
    with pytest.raises(ValueError, match="4 rows, more than 3"):
        written(FRAME, Limits(rows=3))
    with pytest.raises(ValueError, match="2 columns, more than 1"):
        written(FRAME, Limits(columns=1))


def stream(facts: object, **columns: pa.Array) -> bytes:
    """A stream as a dishonest child could write it."""
    sink = pa.BufferOutputStream()
    metadata = {b"helio": json.dumps(facts).encode() if not isinstance(facts, bytes) else facts}
    schema = pa.schema([pa.field(name, one.type) for name, one in columns.items()], metadata=metadata)
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch(list(columns.values()), schema=schema))
    return bytes(sink.getvalue().to_pybytes())


VALUES = pa.array([1.0, 2.0])
GOOD = {"kind": "series", "index": "time", "shape": [2, 1], "columns": ["a"], "dtypes": ["float64"]}


@pytest.mark.parametrize(
    ("facts", "columns"),
    [
        (GOOD | {"shape": [3, 1]}, {"values": VALUES}),
        (GOOD | {"shape": [-1, -2]}, {"values": VALUES}),
        (GOOD | {"shape": [10**30, 1]}, {"values": VALUES}),
        (GOOD | {"shape": "text"}, {"values": VALUES}),
        (GOOD | {"columns": ["a", "b"]}, {"values": VALUES}),
        (GOOD | {"columns": 7}, {"values": VALUES}),
        (GOOD | {"kind": "array"}, {"values": VALUES}),
        (GOOD | {"kind": "array", "axes": [["x", [1, 2, 3]]]}, {"values": VALUES}),
        (GOOD, {"values": pa.array(["a", "b"])}),
        (GOOD, {"values": pa.array([1.0, None])}),
        (GOOD, {"values": pa.array([1, 2])}),
        (GOOD, {"values": VALUES, "more": VALUES}),
        (GOOD, {"values": pa.array(["a", "b"]).dictionary_encode()}),
        (GOOD, {"epoch": VALUES, "values": pa.array([0, 1], pa.timestamp("ns"))}),
        ([], {"values": VALUES}),
        (b"{", {"values": VALUES}),
        (b"[" * 100_000, {"values": VALUES}),
    ],
)
def test_what_does_not_fit_together_is_not_believed(facts: object, columns: dict[str, pa.Array]):
    with pytest.raises(NotReadableError):
        unpack_result(stream(facts, **columns), LIMITS)


@pytest.mark.parametrize("packing", ["zstd", "lz4"])
def test_packed_numbers_are_not_unpacked(packing: str):
    sink = pa.BufferOutputStream()
    schema = pa.schema([pa.field("values", pa.float64())], metadata={b"helio": json.dumps(GOOD).encode()})
    options = pa.ipc.IpcWriteOptions(compression=packing)
    with pa.ipc.new_stream(sink, schema, options=options) as writer:
        writer.write_batch(pa.record_batch([pa.array(np.zeros(100_000))], schema=schema))
    with pytest.raises(NotReadableError, match="no plain numbers"):
        unpack_result(sink.getvalue().to_pybytes(), LIMITS)


@settings(max_examples=300, deadline=None)
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
