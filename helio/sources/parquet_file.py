"""One Parquet file as columns over times, over pyarrow; only the worker imports it."""

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
from helio.sources.columns import is_time_title, time_column
from helio.sources.iso_times import NotATime, nanoseconds_of_texts
from helio.sources.written import WRITTEN, Facts, read_facts
from helio.store.table import Floats


class ParquetFile:
    """An open Parquet file; satisfies `helio.sources.columns.ColumnFile`.

    The times are the one column of timestamps, of several that which is called so (``epoch``, ``time``), or a column
    called so that holds times in ISO 8601; without a zone they are UTC.
    """

    def __init__(self, path: Path, source: Path | None = None) -> None:
        self.path = path
        try:
            self._file = pa.parquet.ParquetFile(source or path)
            self._schema: pa.Schema = self._file.schema_arrow
        except (OSError, pa.ArrowException) as error:
            raise self._unreadable(error) from error
        self._time = self._find_time()

    def close(self) -> None:
        """Give up the file."""
        self._file.close()

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Titles of the columns beside the times, in file order."""
        return tuple(self._schema.field(place).name for place in self._places)

    @cached_property
    def written(self) -> tuple[Facts, ...]:
        """What helio wrote about each of its tables."""
        text = (self._schema.metadata or {}).get(WRITTEN.encode())
        if text is None:
            return ()
        facts = read_facts(self.path, text.decode("utf-8", errors="replace"))
        return tuple(facts.get("tables", ()))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units as the metadata of the columns give them: ``unit``, ``units`` or ``UNITS``."""
        return tuple(_unit_of(self._schema.field(place)) for place in self._places)

    @cached_property
    def said(self) -> dict[str, str]:
        """Metadata of the file in words, names in capitals."""
        found = {}
        for name, text in (self._schema.metadata or {}).items():
            with suppress(UnicodeDecodeError):
                found[name.decode().upper()] = text.decode()
        return found

    def nanoseconds(self) -> npt.NDArray[np.int64]:
        """All times, since 1970, UTC."""
        return self._nanoseconds

    @cached_property
    def _nanoseconds(self) -> npt.NDArray[np.int64]:
        column = self._column(self._time)
        name = self._schema.field(self._time).name
        if not len(column):
            raise NoData(f"'{self.path.name}' holds no records", advice="give a file with data")
        if column.null_count:
            row = int(pc.index(pc.is_null(column), pa.scalar(True)).as_py())
            raise self._wrong_time(name, f"record {row} has no time")
        try:
            if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                return nanoseconds_of_texts(column.cast(pa.string()))
            plain = column.cast(pa.timestamp("ns", tz=getattr(column.type, "tz", None)))
            return np.array(plain.cast(pa.int64()), dtype=np.int64)
        except NotATime as error:
            raise self._wrong_time(name, f"record {error.row}: {error}") from error
        except pa.ArrowInvalid as error:
            raise self._wrong_time(name, "a time lies outside the years 1677 to 2262") from error

    def numbers(self, place: int, dtype: np.dtype[Any] | None = None) -> Floats:
        """A column as floats with missing cells NaN: in single precision if it is so in the file."""
        field = self._schema.field(self._places[place])
        if not _is_numeric(field.type):
            raise UnknownParameter(
                f"'{field.name}' in '{self.path.name}' holds {field.type}, not numbers",
                advice="another column; spectra are read from files that helio wrote",
            )
        column = self._column(self._places[place])
        single = pa.types.is_float16(field.type) or pa.types.is_float32(field.type)
        kind = pa.float32() if single and dtype != np.float64 else pa.float64()
        values: Floats = column.cast(kind, safe=False).to_numpy().astype(kind.to_pandas_dtype(), copy=True)
        return values

    def block(self, places: Sequence[int], dtype: np.dtype[Any]) -> Floats:
        """Several columns, one beside the other."""
        block = np.empty((self._file.metadata.num_rows, len(places)), dtype=dtype)
        for j, place in enumerate(places):
            block[:, j] = self.numbers(place, dtype)
        return block

    def holds_numbers(self, place: int) -> bool:
        """Whether a column is of numbers, by its type."""
        return _is_numeric(self._schema.field(self._places[place]).type)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return tuple(place for place in range(len(self._schema)) if place != self._time)

    def _find_time(self) -> int:
        kinds = [field.type for field in self._schema]
        stamps = [
            place for place, kind in enumerate(kinds) if pa.types.is_timestamp(kind) or pa.types.is_date(kind)
        ]
        names = [self._schema.field(place).name for place in stamps]
        if len(stamps) == 1:
            return stamps[0]
        if stamps:
            index = _pandas_index(self._schema)
            return stamps[names.index(index)] if index in names else stamps[time_column(names)]
        titles = [field.name for field in self._schema]
        if titles:
            place = time_column(titles)
            texts = pa.types.is_string(kinds[place]) or pa.types.is_large_string(kinds[place])
            if texts and is_time_title(titles[place]):
                return place
        raise DamagedFile(
            f"'{self.path.name}' has no column of times; its columns are {', '.join(titles[:12]) or 'none'}",
            advice="write it with a column of timestamps, such as epoch",
            place=str(self.path),
        )

    def _column(self, place: int) -> pa.ChunkedArray:
        names = [field.name for field in self._schema]
        try:
            found = self._file.read(columns=[names[place]])
        except (OSError, pa.ArrowException) as error:
            raise self._unreadable(error) from error
        return found.column(names[:place].count(names[place]))

    def _wrong_time(self, name: str, why: str) -> DamagedFile:
        return DamagedFile(
            f"the times '{name}' of '{self.path.name}' cannot be read: {why}",
            advice="write them as timestamps, one for each record",
            place=str(self.path),
        )

    def _unreadable(self, error: Exception) -> DamagedFile:
        return DamagedFile(
            f"'{self.path.name}' could not be read: {type(error).__name__}: {error}",
            advice="fetch it again; if it comes out the same, tell whoever serves it",
            place=str(self.path),
        )


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
    """The name of the column that pandas had as its index."""
    with suppress(ValueError, TypeError, KeyError, IndexError):
        said = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        index = said["index_columns"][0]
        return index if isinstance(index, str) else ""
    return ""
