"""Reader of one Parquet file as columns and times, with pyarrow; only the worker process imports this module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from helio.errors import DamagedFile, NoData, UnknownParameter
from helio.sources.damage import unreadable
from helio.sources.iso_times import NotATime, nanoseconds_of_texts
from helio.sources.time_columns import (
    NotTimes,
    TimeColumns,
    find_times,
    is_time_title,
    read_title,
    refuse_other_scale,
)
from helio.sources.written import WRITTEN, Facts, read_facts
from helio.store.leap_seconds import from_civil
from helio.store.table import Floats

_FIRST_CELLS = 200
"""Number of records to read to find out in which form a column holds times."""


class ParquetFile:
    """A Parquet file that is open for reading; implements `helio.sources.columns.ColumnFile`.

    The times are in the only column of timestamps; if there are several, in the one with a title such as ``epoch`` or
    ``time``. Without timestamps, they are in a column with such a title that contains ISO 8601 texts, or in several
    columns that `find_times` recognises. Times without a time zone are UTC.
    """

    fill_advice = "write null instead of {fill}"

    def __init__(self, path: Path, source: Path | None = None) -> None:
        self.path = path
        try:
            self._file = pa.parquet.ParquetFile(source or path)
            self._schema: pa.Schema = self._file.schema_arrow
        except (OSError, pa.ArrowException) as error:
            raise self._unreadable(error) from error
        self._times = self._find_times()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Titles of all columns except the times, in file order."""
        return tuple(self._schema.field(column).name for column in self._places)

    @cached_property
    def written(self) -> tuple[Facts, ...]:
        """Descriptions of the tables that helio wrote to this file."""
        text = (self._schema.metadata or {}).get(WRITTEN.encode())
        if text is None:
            return ()
        facts = read_facts(self.path, text.decode("utf-8", errors="replace"))
        return tuple(facts.get("tables", ()))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units from the metadata of the columns, under the name ``unit``, ``units`` or ``UNITS``; empty for a
        column without a unit.
        """
        return tuple(_unit_of(self._schema.field(column)) for column in self._places)

    @cached_property
    def said(self) -> dict[str, str]:
        """Metadata of the whole file as texts, with names in capitals."""
        attributes = {}
        for name, text in (self._schema.metadata or {}).items():
            with suppress(UnicodeDecodeError):
                attributes[name.decode().upper()] = text.decode()
        return attributes

    def nanoseconds(self) -> npt.NDArray[np.int64]:
        """Return all times of the file in ns since 1970, UTC."""
        return self._nanoseconds

    @cached_property
    def _nanoseconds(self) -> npt.NDArray[np.int64]:
        if not self._file.metadata.num_rows:
            raise NoData(f"'{self.path.name}' holds no records", advice="choose a file with data")
        column_number = self._times.single
        try:
            if column_number is None or not _is_stamp(self._schema.field(column_number).type):
                return nanoseconds_of_texts(self._times.texts(self._texts))
            column = self._column(column_number)
            if column.null_count:
                row = int(pc.index(pc.is_null(column), pa.scalar(True)).as_py())
                raise self._wrong_time(f"record {row} has no time")
            zone = getattr(column.type, "tz", None)
            plain = column.cast(pa.timestamp("ns", tz=zone))
            nanoseconds = np.array(plain.cast(pa.int64()), dtype=np.int64)
            nanoseconds = nanoseconds if zone else nanoseconds - self._times.offset(self._texts)
            return nanoseconds if self.written else from_civil(nanoseconds)
        except NotTimes as error:
            raise error.in_file(self.path) from error
        except NotATime as error:
            raise self._wrong_time(f"record {error.row}: {error}") from error
        except pa.ArrowInvalid as error:
            raise self._wrong_time("a time lies outside the years 1677 to 2262") from error

    def numbers(self, number: int, dtype: np.dtype[Any] | None = None) -> Floats:
        """Return a column as floats, with missing cells as NaN, in single precision if the file stores single
        precision.
        """
        field = self._schema.field(self._places[number])
        if not _is_numeric(field.type):
            raise UnknownParameter(
                f"'{field.name}' in '{self.path.name}' holds {field.type}, not numbers",
                advice="choose another column; helio reads spectra only from files that it wrote",
            )
        column = self._column(self._places[number])
        single = pa.types.is_float16(field.type) or pa.types.is_float32(field.type)
        kind = pa.float32() if single and dtype != np.float64 else pa.float64()
        values: Floats = column.cast(kind, safe=False).to_numpy().astype(kind.to_pandas_dtype(), copy=True)
        return values

    def block(self, places: Sequence[int], dtype: np.dtype[Any]) -> Floats:
        """Read several columns into one array of shape (n, columns)."""
        block = np.empty((self._file.metadata.num_rows, len(places)), dtype=dtype)
        for j, column in enumerate(places):
            block[:, j] = self.numbers(column, dtype)
        return block

    def holds_numbers(self, column: int) -> bool:
        """Return whether a column has a numeric type."""
        return _is_numeric(self._schema.field(self._places[column]).type)

    def holds_long_integers(self, column: int) -> bool:
        """Return whether a column has an integer type that can hold numbers of more than 53 bits."""
        kind = self._schema.field(self._places[column]).type
        if pa.types.is_decimal(kind):
            return bool(kind.scale <= 0)
        return bool(pa.types.is_integer(kind) and kind.bit_width == 64)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return tuple(column for column in range(len(self._schema)) if column not in self._times.places)

    def _find_times(self) -> TimeColumns:
        titles = [field.name for field in self._schema]
        kinds = [field.type for field in self._schema]
        stamps = [column for column, kind in enumerate(kinds) if _is_stamp(kind)]
        index = _pandas_index(self._schema)
        named = [column for column in stamps if titles[column] == index]
        called = [column for column in stamps if is_time_title(titles[column])]
        named += sorted(called, key=lambda column: bool(read_title(titles[column]).scale))
        if stamps:
            time = (named or stamps)[0]
            time_title = read_title(titles[time])
            if time_title.role != "date":
                self._refuse_other_scale(titles[time])
                return TimeColumns(tuple(titles), {"stamp": time}, time_title.zone)
            # its time of day may stand in other columns; other timestamps are data
            titles = [
                "" if column in stamps and column != time else title for column, title in enumerate(titles)
            ]
        try:
            times = find_times(titles, self._first_cells)
        except NotTimes as error:
            raise error.in_file(self.path) from error
        single = times.single
        if single is None or single in stamps or (_is_text(kinds[single]) and is_time_title(titles[single])):
            return times
        raise DamagedFile(
            f"'{self.path.name}' has no column of times; its columns are {', '.join(titles[:12]) or 'none'}",
            advice="write the file with a column of timestamps, for example one called epoch",
            place=str(self.path),
        )

    def _refuse_other_scale(self, title: str) -> None:
        try:
            refuse_other_scale(title)
        except NotTimes as error:
            raise error.in_file(self.path) from error

    def _first_cells(self, number: int) -> list[str]:
        name = self._schema.field(number).name
        try:
            first = next(self._file.iter_batches(batch_size=_FIRST_CELLS, columns=[name]), None)
        except (OSError, pa.ArrowException) as error:
            raise self._unreadable(error) from error
        column = None if first is None else _as_texts(first.column(0))
        return [] if column is None else [text for text in column.to_pylist() if text is not None]

    def _texts(self, number: int) -> pa.ChunkedArray:
        column = _as_texts(self._column(number))
        if column is None:
            raise self._wrong_time(
                f"'{self._schema.field(number).name}' holds {self._schema.field(number).type}"
            )
        return column

    def _column(self, column: int) -> pa.ChunkedArray:
        names = [field.name for field in self._schema]
        try:
            table = self._file.read(columns=[names[column]])
        except (OSError, pa.ArrowException) as error:
            raise self._unreadable(error) from error
        return table.column(names[:column].count(names[column]))

    def _wrong_time(self, why: str) -> DamagedFile:
        return DamagedFile(
            f"the times in {self._times.words} of '{self.path.name}' cannot be read: {why}",
            advice="write the times as timestamps, one for each record",
            place=str(self.path),
        )

    def _unreadable(self, error: Exception) -> DamagedFile:
        return unreadable(self.path, error).located(str(self.path))


def _is_stamp(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def _as_texts(column: Any) -> Any:
    """Convert times, numbers or texts to texts; return None for other types."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_timestamp(kind) and kind.tz:
        column = column.cast(pa.timestamp(kind.unit, tz="UTC"))
    elif not (_is_stamp(kind) or pa.types.is_time(kind) or _is_numeric(kind) or _is_text(kind)):
        return None
    return column.cast(pa.string())


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )


def _unit_of(field: pa.Field) -> str:
    metadata = field.metadata or {}
    for name in (b"unit", b"units", b"UNITS"):
        if name in metadata:
            return str(metadata[name].decode("utf-8", errors="replace")).strip()
    return ""


def _pandas_index(schema: pa.Schema) -> str:
    """Return the name of the column that was the index of the pandas table."""
    with suppress(ValueError, TypeError, KeyError, IndexError):
        metadata = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        index = metadata["index_columns"][0]
        return index if isinstance(index, str) else ""
    return ""
