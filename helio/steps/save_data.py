"""A table as a file that other programs read: CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.units import canonical_unit
from helio.steps.tool import tool
from helio.store.table import Axis, Floats, Table

_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


@dataclass(frozen=True)
class Export:
    """A file to be written: its plain name, its bytes and what they are."""

    filename: str
    content: bytes
    media_type: str


@tool(version=1)
def save_data(table: Table, *, filename: str = "", format: Literal["csv", "parquet"] = "csv") -> Export:
    """Export a table as a file.

    One column per component or bin, named with its unit, ``Bx [nT]``; the bins of a per-record axis follow as
    columns of their own. The same table gives the same bytes, and both formats read back to the same numbers.

    Parameters
    ----------
    table : Table
        Scalars, vectors or spectra.
    filename : str
        A plain name without folders; the extension is added when it is missing. Empty: made from the
        table's name.
    format : "csv" or "parquet"
        CSV: header lines that start with ``#``, epochs in ISO 8601 with a ``Z`` and as many digits as
        needed, missing values empty, numbers in the shortest form that reads back exactly. Parquet: epochs
        as UTC nanoseconds, missing values NaN, facts as JSON in the schema's metadata under ``helio``.

    Returns
    -------
    Export
        The content and where it wants to be written; nothing is written here.

    Raises
    ------
    StepError
        When the filename has folders, or ends like another format.

    References
    ----------
    ISO 8601-1:2019; RFC 4180 for the quoting of CSV.
    """
    columns = list(_columns(table))
    write = _csv if format == "csv" else _parquet
    return Export(_filename(filename, table, format), write(table, columns), _MEDIA_TYPES[format])


@dataclass(frozen=True)
class _Column:
    name: str
    unit: str
    values: Floats

    @property
    def title(self) -> str:
        # Readers take `#` for the start of a comment wherever it stands: `pandas.read_csv(…, comment="#")`.
        return (f"{self.name} [{self.unit}]" if self.unit else self.name).replace("#", "no.")


def _columns(table: Table) -> Iterator[_Column]:
    """Values, then the bins of per-record axes, with no title twice."""
    names, unit = table.columns(), canonical_unit(table.unit)
    flat = table.values.reshape(len(table), len(names))
    every = [_Column(name, unit, flat[:, j]) for j, name in enumerate(names)]
    for axis in table.axes:
        if axis.per_record:
            for what, bins in _bins_of(axis):
                label = axis.label or "bin"
                every += [
                    _Column(f"{label} {j + 1} {what}", canonical_unit(axis.unit), bins[:, j])
                    for j in range(axis.bins)
                ]
    taken: set[str] = {"epoch"}
    for column in every:
        name, again = column.name, 1
        while _Column(name, column.unit, column.values).title in taken:
            again += 1
            name = f"{column.name} ({again})"
        unique = _Column(name, column.unit, column.values)
        taken.add(unique.title)
        yield unique


def _bins_of(axis: Axis) -> Iterator[tuple[str, Floats]]:
    for what, bins in (("center", axis.centers), ("lower", axis.lower), ("upper", axis.upper)):
        if bins is not None:
            yield what, bins


def _facts(table: Table) -> dict[str, Any]:
    """What a reader needs to know beside the numbers."""
    facts: dict[str, Any] = {
        "name": table.name,
        "description": table.description,
        "unit": canonical_unit(table.unit),
        "frame": table.frame,
        "components": list(table.components),
        "axes": [
            {
                "label": axis.label,
                "unit": canonical_unit(axis.unit),
                "scale": axis.scale,
                "bins": axis.bins,
                "per_record": axis.per_record,
                **({} if axis.per_record else {what: _numbers(bins) for what, bins in _bins_of(axis)}),
            }
            for axis in table.axes
        ],
        "sources": [asdict(source) for source in table.sources],
        "notes": list(table.notes),
    }
    return {name: fact for name, fact in facts.items() if fact not in ("", [])}


def _numbers(bins: Floats) -> list[float | None]:
    """For JSON, in which there is no NaN: shortest decimal of the bins' own precision."""
    return [float(text) if text else None for text in _decimals(bins)]


def _filename(filename: str, table: Table, format: str) -> str:
    if not filename:
        filename = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-") or "table"
    if not re.fullmatch(r"(?!\.)[^/\\\x00-\x1f\x7f]{1,200}", filename) or filename != filename.strip():
        raise StepError(
            f"'{filename}' is not a plain file name",
            advice="leave out folders: the place is chosen with --output; names do not start with a dot",
        )
    ending = filename.lower().rpartition(".")[2] if "." in filename else ""
    if ending in _MEDIA_TYPES and ending != format:
        raise StepError(
            f"'{filename}' ends like {ending}, and the format is {format}", advice=f'set format: "{ending}"'
        )
    return filename if ending == format else f"{filename}.{format}"


# ---- CSV


def _csv(table: Table, columns: list[_Column]) -> bytes:
    text = io.StringIO(newline="")
    for line in _header(table):
        text.write(f"# {line}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["epoch", *(column.title for column in columns)])
    numbers = (_decimals(column.values) for column in columns)
    writer.writerows(zip(_stamps(table.epoch), *numbers, strict=True))
    return text.getvalue().encode("utf-8")


def _header(table: Table) -> Iterator[str]:
    facts = _facts(table)
    for name in ("name", "description", "unit", "frame"):
        if name in facts:
            yield f"{name}: {_one_line(facts[name])}"
    yield "epoch: UTC"
    yield "fill: empty"
    for axis in facts.get("axes", ()):
        yield f"axis: {json.dumps(axis, sort_keys=True, ensure_ascii=False)}"
    for source in facts.get("sources", ()):
        said = {name: fact for name, fact in source.items() if fact}
        yield f"source: {json.dumps(said, sort_keys=True, ensure_ascii=False)}"
    for note in table.notes:
        yield f"note: {_one_line(note)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _stamps(epoch: npt.NDArray[np.datetime64]) -> list[str]:
    """ISO 8601 with a ``Z``, all with the digits that the finest epoch needs."""
    nanoseconds = epoch.astype(np.int64) % 10**9
    digits = next(d for d in range(10) if not (nanoseconds % 10 ** (9 - d)).any())
    texts = np.datetime_as_string(epoch, unit="ns").tolist()
    keep = len("2024-01-01T00:00:00") + (digits + 1 if digits else 0)
    return [f"{text[:keep]}Z" for text in texts]


def _decimals(values: Floats) -> list[str]:
    """The shortest decimals that read back exactly in the precision of the values; NaN is empty."""
    if values.dtype == np.float64:
        return ["" if value != value else repr(value) for value in values.tolist()]
    return ["" if text == "nan" else text for text in values.astype(np.str_).tolist()]


# ---- Parquet


def _parquet(table: Table, columns: list[_Column]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [pa.field("epoch", pa.timestamp("ns", tz="UTC"), nullable=False)]
    arrays = [pa.array(table.epoch.astype(np.int64)).cast(pa.timestamp("ns", tz="UTC"))]
    for column in columns:
        # NaN stays NaN: to Parquet, null would be another thing than a missing measurement.
        values = pa.array(_native(column.values), from_pandas=False)
        fields.append(pa.field(column.title, values.type, nullable=False, metadata={"unit": column.unit}))
        arrays.append(values)
    facts = json.dumps(_facts(table), sort_keys=True, ensure_ascii=False, allow_nan=False)
    schema = pa.schema(fields, metadata={"helio": facts})
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd", version="2.6")
    return sink.getvalue()


def _native(values: Floats) -> Floats:
    """Contiguous and in the byte order of this machine, as Arrow wants them; CDFs are often big-endian."""
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
