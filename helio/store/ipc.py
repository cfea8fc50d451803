"""Write tables as Arrow IPC streams, and read them by mapping the files into memory."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from helio.errors import DamagedObject
from helio.store.canonical import canonical
from helio.store.table import PARTS, Axis, Table

FORM = "helio-table/1"
_SEAL = b"\nsha256:"
_SEAL_BYTES = len(_SEAL) + 64
_READ_BYTES = 1 << 20


def write_table(table: Table, file: BinaryIO, *, digest: str = "") -> None:
    """Write a table as an uncompressed Arrow IPC stream, with the sha256 of all bytes at the end of the file.

    Epochs are ``timestamp('ns', 'UTC')``; components and bins lie in (nested) ``FixedSizeList``, axes that change
    from record to record in columns of their own; everything else is sorted JSON in the schema's metadata, under
    ``helio``. After the stream, where no reader of Arrow looks, follows the sha256 of all bytes before it, so that
    `intact` finds any changed or missing byte. Sources and notes are not written.

    Parameters
    ----------
    table : Table
        −0.0 is written as 0.0 and every NaN as the same NaN, as the digest sees them.
    file : binary file, open for writing
    digest : str
        The table's digest, if already known.
    """
    sealing = _Sealing(file)
    columns: dict[str, npt.NDArray[Any]] = {"epoch": table.epoch, "values": table.values}
    for number, axis in enumerate(table.axes):
        for part, array in axis.parts.items():
            if array.ndim == 2:
                columns[f"axis {number} {part}"] = array
    arrays = [_to_arrow(array) for array in columns.values()]
    schema = pa.schema(
        [pa.field(name, array.type, nullable=False) for name, array in zip(columns, arrays, strict=True)],
        metadata={b"helio": _facts(table, digest or table.digest()).encode()},
    )
    with pa.ipc.new_stream(pa.PythonFile(sealing, mode="w"), schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))
    file.write(_SEAL + sealing.hexdigest().encode())


def read_table(path: Path, digest: str = "") -> Table:
    """Read a table that `write_table` wrote, by mapping its file into memory.

    Parameters
    ----------
    path : Path
    digest : str
        The expected digest. Default: accept any table.

    Returns
    -------
    Table
        Its arrays are read-only views of the file, which may be moved or removed while they are in use.

    Raises
    ------
    DamagedObject
        The file is not such a table, or another table. Use `intact` to check that no byte has changed.
    """
    try:
        with pa.memory_map(str(path)) as mapped, pa.ipc.open_stream(mapped) as reader:
            facts = json.loads((reader.schema.metadata or {})[b"helio"])
            batch = reader.read_next_batch()
        if facts["form"] != FORM:
            raise DamagedObject(f"{path.name} has the format {facts['form']!r}, not {FORM!r}")
        if digest and facts["digest"] != digest:
            raise DamagedObject(f"{path.name} contains another table, {facts['digest']}")
        batch.validate()
        return _table(facts, batch)
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError, StopIteration) as error:
        raise DamagedObject(f"{path.name} is not a helio table: {error}") from error


def intact(descriptor: int) -> bool:
    """Return whether the bytes of an open file are unchanged: compare them with the digest at the end of the file."""
    rest = os.fstat(descriptor).st_size - _SEAL_BYTES
    if rest < 0:
        return False
    hasher = hashlib.sha256()
    for block in blocks_of(descriptor, rest):
        hasher.update(block)
    return os.read(descriptor, _SEAL_BYTES) == _SEAL + hasher.hexdigest().encode()


def blocks_of(descriptor: int, size: int) -> Iterator[memoryview]:
    """Yield the first `size` bytes of an open file in blocks, each overwritten by the next; stop if the file ends."""
    buffer = memoryview(bytearray(min(_READ_BYTES, max(size, 1))))
    while size:
        count = os.readv(descriptor, [buffer[: min(size, len(buffer))]])
        if count == 0:
            return
        yield buffer[:count]
        size -= count


class _Sealing:
    """A file that also computes the sha256 of all bytes written to it."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._hasher = file, hashlib.sha256()

    def write(self, data: Any) -> int:
        self._hasher.update(data)
        self._file.write(data)
        return len(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """Do not close the file: helio writes the digest of the bytes at its end afterwards."""

    def hexdigest(self) -> str:
        return self._hasher.hexdigest()


def _facts(table: Table, digest: str) -> str:
    facts = {
        "form": FORM,
        "digest": digest,
        "unit": table.unit,
        "name": table.name,
        "frame": table.frame,
        "components": list(table.components),
        **table.geometry(),
        "scale": table.scale,
        "description": table.description,
        "dtype": table.values.dtype.newbyteorder("=").str,
        "shape": list(table.values.shape),
        "axes": [
            {"label": axis.label, "unit": axis.unit, "scale": axis.scale}
            | {part: _part(array) for part, array in axis.parts.items()}
            for axis in table.axes
        ],
    }
    return json.dumps(facts, sort_keys=True, allow_nan=False)


def _part(array: npt.NDArray[Any]) -> dict[str, Any]:
    """Describe a bin array: its dtype, its shape and, if all records have the same bins, its numbers."""
    facts = {"dtype": array.dtype.newbyteorder("=").str, "shape": list(array.shape)}
    if array.ndim == 2:
        return facts
    # repr is exact for floats; JSON has no word for the others.
    numbers = [number if math.isfinite(number) else str(number) for number in canonical(array).tolist()]
    return {**facts, "numbers": numbers}


def _to_arrow(array: npt.NDArray[Any]) -> Any:
    """Return an array of shape (n, b1, b2) as n Arrow lists of b1 lists of b2 numbers, without a copy if possible."""
    flat = canonical(array).reshape(-1)
    if flat.dtype.kind == "M":
        kind = pa.timestamp("ns", "UTC")
    elif flat.dtype.kind == "b":
        raise TypeError("a table can contain numbers only, not true and false")
    else:
        kind = pa.from_numpy_dtype(flat.dtype)
    arrow = pa.Array.from_buffers(kind, flat.size, [None, pa.py_buffer(flat)])
    for axis in range(array.ndim - 1, 0, -1):
        count = math.prod(array.shape[:axis])
        kind = pa.list_(pa.field("item", kind, nullable=False), array.shape[axis])
        arrow = pa.Array.from_buffers(kind, count, [None], children=[arrow])
    return arrow


def _table(facts: dict[str, Any], batch: Any) -> Table:
    axes = []
    for number, axis in enumerate(facts["axes"]):
        parts: dict[str, Any] = {
            part: _read_part(axis[part], batch, f"axis {number} {part}") for part in axis.keys() & PARTS
        }
        axes.append(Axis(label=axis["label"], unit=axis["unit"], scale=axis["scale"], **parts))
    shape = facts["shape"]
    return Table(
        epoch=_column(batch, "epoch", "datetime64[ns]", shape[:1]),
        values=_column(batch, "values", facts["dtype"], shape),
        unit=facts["unit"],
        name=facts["name"],
        frame=facts["frame"],
        components=tuple(facts["components"]),
        axes=tuple(axes),
        stated_representation=facts.get("representation"),
        stated_periods=tuple(facts["periods"]) if "periods" in facts else None,
        scale=facts["scale"],
        description=facts["description"],
    )


def _read_part(facts: dict[str, Any], batch: Any, name: str) -> npt.NDArray[Any]:
    if "numbers" not in facts:
        return _column(batch, name, facts["dtype"], facts["shape"])
    dtype = np.dtype(facts["dtype"])
    numbers = [float(number) if isinstance(number, str) else number for number in facts["numbers"]]
    array = np.array(numbers, dtype=dtype).reshape(facts["shape"])
    array.flags.writeable = False
    return array


def _column(batch: Any, name: str, dtype: str, shape: list[int]) -> npt.NDArray[Any]:
    arrow = batch.column(batch.schema.get_field_index(name))
    while pa.types.is_fixed_size_list(arrow.type):
        arrow = arrow.values
    if arrow.null_count or len(arrow) != math.prod(shape):
        raise ValueError(
            f"the column '{name}' has {len(arrow)} values, which do not fill the declared shape {shape}"
        )
    buffer = arrow.buffers()[1]
    flat = np.frombuffer(buffer if buffer is not None and buffer.size else b"", dtype=dtype)
    return flat[arrow.offset : arrow.offset + len(arrow)].reshape(shape)
