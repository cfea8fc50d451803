"""The data that enter and leave the sandboxed process: numbers in Arrow's layout and JSON, never Python objects.

Tables enter as Arrow streams and become DataFrames for the code. A result leaves as epochs, a block of numbers and
their names, written by code that is not trusted. A result is not an Arrow stream, because pyarrow crashes on a
damaged stream: its columns follow each other as in Arrow's buffers, and a JSON header describes them.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from helio.steps.sandbox.limits import SandboxLimits
from helio.store.table import Table

if TYPE_CHECKING:
    import pandas as pd

_MOST_FACTS = 4_000_000
"""The largest number of bytes of JSON that describe a result."""
_LONGEST_NAME = 200
"""Longer names are cut to this length, which exceeds what a table allows, so that the table refuses a cut name."""
_NUMBERS = "fiub"
_BINS = re.compile(r"\s*(?:frequency|energy)\s*(?:[(\[][^()\[\]]*[)\]]\s*)?", re.IGNORECASE)
"""Pattern of the names of an index, or of a column, with the bins of a spectrum; a unit may follow in brackets."""
_LENGTH, _ALIGNED = struct.Struct("<Q"), 8
"""A result begins with the length of its JSON header; each column begins at a multiple of eight bytes."""


class NotReadableError(Exception):
    """The error if the output of the sandboxed process cannot be read as a result."""


# In -----------------------------------------------------------------------------------------------------------


def pack(tables: Sequence[tuple[str, Table]]) -> bytes:
    """Pack tables as consecutive Arrow streams, together with the names that the code uses for the tables."""
    sink = pa.BufferOutputStream()
    for name, table in tables:
        columns: dict[str, npt.NDArray[Any]] = {"epoch": table.epoch, "values": table.values}
        axes = []
        for number, axis in enumerate(table.axes):
            fixed = None if axis.per_record else axis.centers.tolist()
            axes.append({"label": axis.label, "unit": axis.unit, "centers": fixed})
            if fixed is None:
                columns[f"axis {number}"] = axis.centers
        facts = {
            "name": name,
            "columns": [table.name or "value"] if table.kind == "scalar" else list(table.components),
            "shapes": {key: list(array.shape) for key, array in columns.items()},
            "axes": axes,
        }
        arrays = {key: _as_arrow(array) for key, array in columns.items()}
        _write_stream(sink, arrays, facts)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(packed: Any) -> dict[str, Any]:
    """Return the variables of the code: ``df_B`` and ``da_B`` for a table B, ``df`` and ``da`` for the first table.

    A series or a vector becomes a DataFrame; a spectrum with one bin axis a DataFrame and a DataArray; one with two
    bin axes only a DataArray. Code may change them, because they use the child's own memory.
    """
    memory = pa.py_buffer(packed)
    source = pa.BufferReader(memory)
    scope: dict[str, Any] = {}
    while source.tell() < source.size():
        with pa.ipc.open_stream(source) as reader:
            facts = json.loads(reader.schema.metadata[b"helio"])
            batch = reader.read_next_batch()
            reader.read_all()  # to its end, behind which the next one begins
        columns = {}
        for name in batch.schema.names:
            array = _as_numpy(batch.column(name), facts["shapes"][name])
            # Arrow's own view of it cannot be written
            offset = array.ctypes.data - memory.address if array.size else 0
            columns[name] = np.frombuffer(packed, array.dtype, array.size, offset).reshape(array.shape)
        frames = dict(_in_scope(facts, columns))
        if not scope:
            scope |= frames
        scope |= {f"{kind}_{facts['name']}": frame for kind, frame in frames.items()}
    return scope


def _in_scope(facts: dict[str, Any], columns: dict[str, npt.NDArray[Any]]) -> Iterator[tuple[str, Any]]:
    import pandas as pd

    values, axes = columns["values"], facts["axes"]
    index = pd.DatetimeIndex(columns["epoch"], name="time")
    if len(axes) < 2:
        names = facts["columns"] if not axes else _bin_names(axes[0], values.shape[1])
        yield "df", pd.DataFrame(values.reshape(len(index), -1), index=index, columns=names, copy=False)
    if axes:
        import xarray as xr

        dims = ["time", *(f"dim{number + 1}" for number in range(len(axes)))]
        coords: dict[str, Any] = {"time": np.asarray(index)}
        for number, axis in enumerate(axes):
            name = f"dim{number + 1}"
            if axis["centers"] is None:  # bins that change from record to record follow their numbers
                coords[name] = np.arange(1, values.shape[number + 1] + 1)
                coords[f"{name}_bins"] = (("time", name), columns[f"axis {number}"])
            else:
                coords[name] = np.asarray(axis["centers"], dtype=float)
        yield "da", xr.DataArray(values.copy(), dims=dims, coords=coords)


def _bin_names(axis: dict[str, Any], bins: int) -> list[Any]:
    """Return the centres of the bins if they are fixed and all differ, otherwise the numbers 0, 1, 2, …"""
    centers = axis["centers"]
    if centers is None or len(set(centers)) < bins or not all(math.isfinite(center) for center in centers):
        return list(range(1, bins + 1))
    return list(centers)


# Out ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Returned:
    """The result of code, read from the sandboxed process but not yet trusted.

    Parameters
    ----------
    kind : str
        ``"frame"``, ``"series"``, ``"array"``, or the name of the type of anything else.
    index : str
        ``"time"``, ``"bins"``, or what the index is made of instead.
    bins : float, shape (n,), or None
        The frequencies or energies of a spectrum, where the index has them in place of times.
    bins_name : str
        Name of this index, such as ``"frequency"`` or ``"energy (keV)"``.
    epoch : datetime64[ns], shape (n,), or None
        NaT where the index has it; UTC.
    values : float, shape (n, k), or (n, b1, b2) for an array; None for anything else
    columns : tuple
        Names of a frame's columns: texts, numbers, or tuples of them.
    dtypes : tuple of str
        What each column was made of.
    axes : tuple of (str, tuple of float or None)
        Of an array beyond its time: each dimension's name, and its coordinates where they are numbers or texts.
    """

    kind: str
    index: str = ""
    epoch: npt.NDArray[np.datetime64] | None = None
    values: npt.NDArray[np.floating[Any]] | None = None
    columns: tuple[Any, ...] = ()
    dtypes: tuple[str, ...] = ()
    axes: tuple[tuple[str, tuple[Any, ...] | None], ...] = ()
    bins: npt.NDArray[np.floating[Any]] | None = None
    bins_name: str = ""


def pack_result(result: Any, limits: SandboxLimits, file: BinaryIO) -> None:
    """Write the result of code as bytes; this function runs in the sandboxed process.

    Raises
    ------
    ValueError
        The result is larger than its limits.
    """
    import pandas as pd

    arrays: dict[str, Any] = {}
    facts: dict[str, Any]
    if _is_array(result) and _is_spectrum(result):
        result = result.to_series()
    if isinstance(result, (pd.DataFrame, pd.Series)):
        facts = {"kind": "frame" if isinstance(result, pd.DataFrame) else "series"}
        frame = result if isinstance(result, pd.DataFrame) else result.to_frame()
        if isinstance(result, pd.Series) and result.name is None:
            frame.columns = [""]
        _check_size(len(frame), frame.shape[1], limits)
        frame = _with_bins_as_index(frame)
        facts |= _packed_index(frame.index, arrays)
        facts |= {
            "columns": [_name(column) for column in frame.columns],
            "dtypes": [str(dtype)[:_LONGEST_NAME] for dtype in frame.dtypes],
        }
        values = _block(frame)
    elif _is_array(result):
        facts, values = _packed_array(result, arrays, limits)
    else:
        facts, values = {"kind": type(result).__name__[:_LONGEST_NAME]}, np.empty((0, 1))
    facts |= {"shape": list(values.shape), "dtype": values.dtype.str}
    if values.nbytes > limits.output // 2:  # its epochs and names take room as well
        raise ValueError(
            f"the result has {values.nbytes >> 20:,} MiB, but at most {limits.output >> 21:,} are allowed"
        )
    header = json.dumps(facts).encode()
    header += b" " * (-len(header) % _ALIGNED)
    file.write(_LENGTH.pack(len(header)) + header)
    for array in (*arrays.values(), values):
        file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def unpack_result(packed: Any, limits: SandboxLimits) -> Returned:
    """Read the bytes that `pack_result` wrote, outside the sandboxed process, and check every part before its use.

    Raises
    ------
    NotReadableError
        When it is not what `pack_result` writes.
    """
    try:
        (length,) = _LENGTH.unpack_from(packed)
        if length > _MOST_FACTS:
            raise NotReadableError("its header is too long")
        facts = json.loads(bytes(packed[_LENGTH.size : _LENGTH.size + length]))
        return _returned(facts, packed, _LENGTH.size + length, limits)
    except (struct.error, ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise NotReadableError(str(error)[:_LONGEST_NAME]) from error


def _returned(facts: dict[str, Any], packed: Any, position: int, limits: SandboxLimits) -> Returned:
    kind, shape = str(facts["kind"])[:_LONGEST_NAME], [int(length) for length in facts["shape"]]
    if kind not in ("frame", "series", "array"):
        return Returned(kind)
    if not 1 <= len(shape) <= 3 or any(length < 0 for length in shape) or shape[0] > limits.rows:
        raise NotReadableError("its shape is not valid")
    if math.prod(shape[1:]) > limits.columns or facts["dtype"] not in ("<f4", "<f8"):
        raise NotReadableError("it has too many columns, or columns that do not hold numbers")
    index, dtype = str(facts.get("index", ""))[:_LONGEST_NAME], np.dtype(facts["dtype"])
    timed = 8 * shape[0] if index in ("time", "bins") else 0
    if position % _ALIGNED or len(packed) != position + timed + math.prod(shape) * dtype.itemsize:
        raise NotReadableError("its length does not fit its shape")
    epoch = np.frombuffer(packed, "M8[ns]", shape[0], position) if index == "time" else None
    bins = np.frombuffer(packed, "<f8", shape[0], position) if index == "bins" else None
    values = np.frombuffer(packed, dtype, math.prod(shape), position + timed).reshape(shape)
    columns, dtypes = (
        tuple(_read_name(column) for column in facts.get("columns", ())),
        facts.get("dtypes", ()),
    )
    if kind != "array" and not (len(shape) == 2 and len(columns) == len(dtypes) == shape[1]):
        raise NotReadableError("its number of columns differs from its number of names")
    axes = tuple(
        (str(name)[:_LONGEST_NAME], None if marks is None else tuple(_read_name(mark) for mark in marks))
        for name, marks in facts.get("axes", ())
    )
    if kind == "array" and len(axes) != len(shape) - 1:
        raise NotReadableError("its number of axes differs from its number of dimensions")
    if any(
        marks is not None and len(marks) != size for (_, marks), size in zip(axes, shape[1:], strict=False)
    ):
        raise NotReadableError("its number of coordinates differs from its number of bins")
    dtype_names = tuple(str(dtype_name)[:_LONGEST_NAME] for dtype_name in dtypes)
    bins_name = str(facts.get("bins name", ""))[:_LONGEST_NAME]
    return Returned(kind, index, epoch, values, columns, dtype_names, axes, bins, bins_name)


def _packed_index(index: pd.Index, arrays: dict[str, Any]) -> dict[str, Any]:
    import pandas as pd

    if _are_bins(index.name, index.dtype):
        arrays["bins"] = index.to_numpy(dtype=np.float64, na_value=np.nan)
        return {"index": "bins", "bins name": str(index.name)[:_LONGEST_NAME]}
    if not isinstance(index, pd.DatetimeIndex):
        return {"index": f"{type(index).__name__} of {index.dtype}"[:_LONGEST_NAME]}
    if index.tz is not None:
        index = index.tz_convert("UTC").tz_localize(None)
    arrays["epoch"] = index.as_unit("ns").to_numpy()
    return {"index": "time"}


def _with_bins_as_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table without time with its one column of frequencies or energies, if it has one, as the index."""
    import pandas as pd

    if isinstance(frame.index, pd.DatetimeIndex) or _are_bins(frame.index.name, frame.index.dtype):
        return frame
    named = [
        number
        for number, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True))
        if _are_bins(name, dtype)
    ]
    if len(named) != 1:
        return frame
    others = [number for number in range(frame.shape[1]) if number not in named]
    index = pd.Index(frame.iloc[:, named[0]], name=frame.columns[named[0]])
    return frame.iloc[:, others].set_axis(index, axis=0)


def _are_bins(name: Any, dtype: Any) -> bool:
    return isinstance(name, str) and _BINS.fullmatch(name) is not None and dtype.kind in "fiu"


def _packed_array(
    result: Any, arrays: dict[str, Any], limits: SandboxLimits
) -> tuple[dict[str, Any], npt.NDArray[Any]]:
    import pandas as pd

    facts: dict[str, Any] = {"kind": "array", "dtypes": [str(result.dtype)], "axes": []}
    timed = [
        dimension
        for dimension in result.dims
        if dimension in result.coords and np.asarray(result.coords[dimension].values).dtype.kind == "M"
    ]
    if len(timed) != 1 or not 1 <= result.ndim <= 3:
        dimensions = ", ".join(str(dimension) for dimension in result.dims)
        facts |= {"kind": f"DataArray over ({dimensions})"[:_LONGEST_NAME]}
        return facts, np.empty((0, 1))
    ordered = result.transpose(timed[0], ...)
    _check_size(ordered.shape[0], math.prod(ordered.shape[1:]), limits)
    facts |= _packed_index(pd.DatetimeIndex(ordered.coords[timed[0]].values), arrays)
    for dim, size in zip(ordered.dims[1:], ordered.shape[1:], strict=True):
        marks = np.asarray(ordered.coords[dim].values) if dim in ordered.coords else None
        facts["axes"].append(
            [
                str(dim),
                None if marks is None or marks.shape != (size,) else [_name(mark) for mark in marks.tolist()],
            ]
        )
    values = np.asarray(ordered.values)
    return facts, _as_floats(values) if values.dtype.kind in _NUMBERS else np.full(values.shape, np.nan)


def _is_array(result: Any) -> bool:
    import xarray as xr

    return isinstance(result, xr.DataArray)


def _is_spectrum(array: Any) -> bool:
    """Return whether an array is over frequencies or energies alone."""
    if array.ndim != 1 or array.dims[0] not in array.coords:
        return False
    return _are_bins(array.dims[0], array.coords[array.dims[0]].dtype)


def _check_size(rows: int, columns: int, limits: SandboxLimits) -> None:
    if rows > limits.rows:
        raise ValueError(f"the result has {rows:,} rows, but at most {limits.rows:,} are allowed")
    if columns > limits.columns:
        raise ValueError(f"the result has {columns:,} columns, but at most {limits.columns:,} are allowed")


def _block(frame: pd.DataFrame) -> npt.NDArray[Any]:
    """Return the values of a pandas table as numbers; a column without numbers becomes NaN."""
    kinds = {dtype.kind if isinstance(dtype, np.dtype) else "" for dtype in frame.dtypes}
    if len(kinds) == 1 and kinds <= set(_NUMBERS):
        return _as_floats(frame.to_numpy())
    block = np.full(frame.shape, np.nan)
    for number in range(frame.shape[1]):
        column = frame.iloc[:, number]
        if column.dtype.kind in _NUMBERS:  # also the nullable ones of pandas
            block[:, number] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return block


def _as_floats(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    is_float32 = values.dtype == np.float32
    return np.ascontiguousarray(values, dtype=np.float32 if is_float32 else np.float64)


def _name(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_name(item) for item in value[:8]]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        return str(value)[:_LONGEST_NAME]
    number = float(value)
    return number if math.isfinite(number) else str(number)


def _read_name(written: Any) -> Any:
    if isinstance(written, list):
        return tuple(str(item)[:_LONGEST_NAME] for item in written[:8])
    return written if isinstance(written, (int, float)) else str(written)[:_LONGEST_NAME]


# Arrow --------------------------------------------------------------------------------------------------------


def _write_stream(sink: Any, arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    fields = [pa.field(name, array.type, nullable=False) for name, array in arrays.items()]
    schema = pa.schema(fields, metadata={b"helio": json.dumps(facts).encode()})
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch(list(arrays.values()), schema=schema))


def _as_arrow(array: npt.NDArray[Any]) -> Any:
    """Convert an array of shape (n, …) to n Arrow lists of fixed length, without copying the values."""
    flat = np.ascontiguousarray(array).reshape(-1)
    kind = pa.timestamp("ns") if flat.dtype.kind == "M" else pa.from_numpy_dtype(flat.dtype)
    arrow = pa.Array.from_buffers(kind, flat.size, [None, pa.py_buffer(flat)])
    width = math.prod(array.shape[1:])
    if array.ndim == 1:
        return arrow
    kind = pa.list_(pa.field("item", kind, nullable=False), width)
    return pa.Array.from_buffers(kind, array.shape[0], [None], children=[arrow])


def _as_numpy(column: Any, shape: Sequence[int]) -> npt.NDArray[Any]:
    if pa.types.is_fixed_size_list(column.type):
        column = column.flatten()
    if column.null_count or len(column) != math.prod(shape):
        raise NotReadableError(f"it has {len(column)} numbers, which do not fit the shape {list(shape)}")
    array: npt.NDArray[Any] = column.to_numpy(zero_copy_only=True).reshape(shape)
    return array
