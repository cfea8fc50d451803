"""Tables on disk: what is read is what was written, mapped, and no changed byte goes unseen."""

import io
import os
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from helio.errors import DamagedObject
from helio.store.ipc import intact, read_table, write_table
from helio.store.table import Table
from tests.store.tables import START, assert_same, spectrum, tables, vector


def written(table, path):
    with path.open("wb") as file:
        write_table(table, file)
    return path


def is_intact(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return intact(descriptor)
    finally:
        os.close(descriptor)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_what_is_read_is_what_was_written(table, tmp_path):
    path = written(table, tmp_path / "table.arrow")
    read = read_table(path, table.digest())
    assert_same(read, table)
    assert read.digest() == table.digest()
    assert is_intact(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_a_table_that_was_read_is_written_to_the_same_bytes(table, tmp_path):
    first, second = io.BytesIO(), io.BytesIO()
    write_table(table, first)
    write_table(read_table(written(table, tmp_path / "table.arrow")), second)
    assert second.getvalue() == first.getvalue()


def test_values_are_views_of_the_file_and_cannot_be_written(tmp_path):
    table = Table(START + np.arange(10**6) * np.timedelta64(1, "s"), np.arange(1e6))
    path = written(table, tmp_path / "table.arrow")
    before = pa.total_allocated_bytes()
    read = read_table(path)
    assert pa.total_allocated_bytes() - before < 10_000
    for array in (read.epoch, read.values):
        assert not array.flags.owndata
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_axes_cannot_be_written_either(tmp_path):
    for axis in read_table(written(spectrum(), tmp_path / "table.arrow")).axes:
        assert not any(array.flags.writeable for array in axis.parts.values())


def test_a_table_stays_readable_when_its_file_is_removed(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    read = read_table(path)
    path.unlink()
    assert_same(read, vector())


def test_many_mapped_tables_keep_no_file_open(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    before = len(os.listdir("/dev/fd"))
    kept = [read_table(path) for _ in range(50)]
    assert len(os.listdir("/dev/fd")) - before < 5
    assert len(kept) == 50


def test_any_reader_of_arrow_understands_the_file(tmp_path):
    path = written(spectrum(), tmp_path / "table.arrow")
    with pa.ipc.open_stream(path.read_bytes()) as reader:
        schema, read = reader.schema, reader.read_all()
    assert schema.field("epoch").type == pa.timestamp("ns", "UTC")
    pairs = pa.list_(pa.field("item", pa.float32(), nullable=False), 2)
    assert schema.field("values").type == pa.list_(pa.field("item", pairs, nullable=False), 3)
    assert schema.names == ["epoch", "values", "axis 1 centers"]
    assert np.allclose(read["values"].to_pylist(), spectrum().values)
    read.validate(full=True)


def test_sources_and_notes_stay_out():
    plain, other = io.BytesIO(), io.BytesIO()
    write_table(vector(), plain)
    write_table(replace(vector(), notes=("tolerated",)), other)
    assert other.getvalue() == plain.getvalue()


def test_a_flip_of_any_byte_is_seen(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x20]) + content[at + 1 :])
        assert not is_intact(path), at


def test_a_cut_anywhere_is_seen(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert not is_intact(path), size


def test_what_was_appended_is_seen(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    path.write_bytes(path.read_bytes() + b"\0")
    assert not is_intact(path)


@pytest.mark.parametrize(
    "content", [b"", b"ARROW1", b"\xff" * 500, b"\0" * 500], ids=["empty", "magic", "ones", "zeros"]
)
def test_what_is_no_table_is_damaged(content, tmp_path):
    path = tmp_path / "table.arrow"
    path.write_bytes(content)
    with pytest.raises(DamagedObject, match="is not a helio table"):
        read_table(path)


def test_arrow_of_others_is_no_table(tmp_path):
    path = tmp_path / "table.arrow"
    batch = pa.record_batch({"epoch": [1]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(DamagedObject, match="not a helio table"):
        read_table(path)


def test_another_table_is_not_taken_for_the_one_asked_for(tmp_path):
    path = written(vector(), tmp_path / "table.arrow")
    with pytest.raises(DamagedObject, match="contains another table, sha256:"):
        read_table(path, spectrum().digest())
