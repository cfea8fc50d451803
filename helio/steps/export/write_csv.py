"""Write tables as CSV, with metadata in comment lines at the top."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from helio.sources.written import WRITTEN, as_text
from helio.steps.export.columns import FlatTable, lay_flat
from helio.steps.export.names import one_line
from helio.store.leap_seconds import leap_seconds_in
from helio.store.table import Floats, Table


def write_csv(tables: Mapping[str, Table]) -> bytes:
    """Write tables with the same epochs as CSV, encoded in UTF-8.

    Epochs are ISO 8601 with a ``Z`` and as many digits as needed, missing values are empty, numbers are in the shortest
    form that reads back exactly.

    References
    ----------
    ISO 8601-1:2019; RFC 4180 for the quoting.
    """
    flat = lay_flat(tables)
    text = io.StringIO(newline="")
    for line in _header(tables, flat):
        text.write(f"# {line}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["epoch", *(column.title for column in flat.columns)])
    # neither times nor numbers ever need quotes, which the writer would look for in each of them
    numbers = [_decimals(column.values) for column in flat.columns]
    text.writelines(f"{','.join(row)}\n" for row in zip(_stamps(flat.epoch), *numbers, strict=True))
    return text.getvalue().encode("utf-8")


def _header(tables: Mapping[str, Table], flat: FlatTable) -> Iterator[str]:
    """Write comment lines: first facts for people, then the metadata from which helio restores the same tables."""
    for table in tables.values():
        for name in ("name", "description", "unit", "frame"):
            if getattr(table, name):
                yield f"{name}: {one_line(getattr(table, name))}"
    yield "epoch: UTC"
    yield "fill: empty"
    for source in flat.sources:
        plain = {name: one_line(fact) if isinstance(fact, str) else fact for name, fact in source.items()}
        yield f"source: {json.dumps(plain, sort_keys=True, ensure_ascii=False)}"
    for note in dict.fromkeys(note for table in tables.values() for note in table.notes):
        yield f"note: {one_line(note)}"
    for facts in flat.facts:
        yield f"{WRITTEN}: {as_text(facts)}"


def _stamps(epoch: npt.NDArray[np.datetime64]) -> list[str]:
    """Write epochs in ISO 8601 with ``Z`` and equally many digits; a leap second is written as 23:59:60."""
    nanoseconds = epoch.astype(np.int64) % 10**9
    texts = np.datetime_as_string(epoch, unit="ns").tolist()
    for leap in leap_seconds_in(epoch):
        nanoseconds[leap.first : leap.last] = leap.nanoseconds
        texts[leap.first : leap.last] = [f"{leap}.{part:09d}" for part in leap.nanoseconds.tolist()]
    digits = next(d for d in range(10) if not (nanoseconds % 10 ** (9 - d)).any())
    keep = len("2024-01-01T00:00:00") + (digits + 1 if digits else 0)
    return [f"{text[:keep]}Z" for text in texts]


def _decimals(values: Floats) -> list[str]:
    """Write each value with the fewest digits that give the same value when read again; NaN becomes an empty text."""
    if values.dtype == np.float64:
        return ["" if value != value else repr(value) for value in values.tolist()]
    return ["" if text == "nan" else text for text in values.astype(np.str_).tolist()]
