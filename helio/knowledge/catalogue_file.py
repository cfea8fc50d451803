"""The format of the catalogue file: a line of JSON that says where each part of the file is, then the compressed parts.

::

    {"format": "helio-catalogue 1", "as_of": …, "sources": …, "parts": {"datasets": [0, 96000], …}}
    zlib(JSON rows of datasets) zlib(words for the search) zlib(JSON parameters of block 0) …

Datasets that resemble each other (four spacecraft, five probes) stand in one block, so that they compress well and a
look-up unpacks one block. The same facts give the same bytes.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict

from helio.errors import DamagedFile, DamagedRecord
from helio.store.records import Count, Instant, parse_record, read_bytes

FORMAT = "helio-catalogue 1"
LARGEST = 1024**3
"""The largest size of a catalogue file in bytes."""
BLOCK = 50
"""Number of datasets with parameters in one block; larger blocks compress better but are slower to read."""


@dataclass(frozen=True)
class CatalogueParameter:
    """A parameter as the catalogue file stores it; `helio.knowledge.catalogue.ParameterEntry` describes the fields."""

    name: str
    unit: str = ""
    size: tuple[int, ...] = ()
    kind: str = "double"
    description: str = ""
    frame: str = ""
    axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CatalogueDataset:
    """A dataset with its parameters, as the catalogue file stores it.

    Parameters
    ----------
    first, last : str
        ISO 8601 in UTC, ``1997-09-02T00:00:12Z``; empty where not known.
    parameters : sequence of CatalogueParameter
        In the archive's order, without the time.
    """

    id: str
    group: str
    instrument_type: str
    title: str
    first: str
    last: str
    doi: str
    pi: str
    affiliation: str
    parameters: Sequence[CatalogueParameter]


def encode(facts: Sequence[CatalogueDataset], *, as_of: datetime, sources: Sequence[str]) -> bytes:
    """Return the bytes of a catalogue file with these datasets.

    Parameters
    ----------
    as_of : datetime
        When the archive was asked; the catalogue knows nothing newer.
    sources : sequence of str
        Where the facts are from, for people.
    """
    from helio.knowledge.index import word_index

    ordered = sorted(facts, key=lambda dataset: (_shape(dataset.id), dataset.id))
    rows = [
        [
            dataset.id,
            dataset.group,
            dataset.instrument_type,
            dataset.title,
            dataset.first,
            dataset.last,
            dataset.doi,
            dataset.pi,
            dataset.affiliation,
            len(dataset.parameters),
        ]
        for dataset in ordered
    ]
    parts: dict[str, bytes] = {"datasets": _json(rows), "words": word_index(ordered).encode()}
    for start in range(0, len(ordered), BLOCK):
        parts[f"parameters/{start // BLOCK}"] = _json(
            [
                [_row(parameter) for parameter in dataset.parameters]
                for dataset in ordered[start : start + BLOCK]
            ]
        )
    places: dict[str, list[int]] = {}
    body = b""
    for name, content in parts.items():
        packed = zlib.compress(content, 9)
        places[name] = [len(body), len(packed)]
        body += packed
    head = {
        "format": FORMAT,
        "as_of": as_of.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "sources": list(sources),
        "datasets": len(rows),
        "parts": places,
    }
    return _json(head) + b"\n" + body


class _Form(TypedDict):
    """The facts in the first line of a catalogue file that never change with its version: the version of the format."""

    format: Any


class _Head(_Form):
    """The contents of the first line of a catalogue file."""

    as_of: Instant
    sources: list[str]
    datasets: Count
    parts: dict[str, tuple[Count, Count]]


class CatalogueFile:
    """A catalogue file; each part is unpacked when it is needed.

    Raises
    ------
    DamagedFile
        The file is not a catalogue in this format, or a part of it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            line, _, self._body = read_bytes(path, largest=LARGEST).partition(b"\n")
            form = parse_record(line, _Form, path)["format"]
            if form != FORMAT:
                raise self._damaged(f"the format of the file is {form}, not {FORMAT}")
            self.head = parse_record(line, _Head, path)
        except DamagedRecord as error:
            raise self._damaged(error.message) from error
        places = sorted(self.head["parts"].values())
        ends = [0, *(start + length for start, length in places)]
        if [start for start, _ in places] != ends[:-1] or ends[-1] != len(self._body):
            raise self._damaged("the parts of the file are not at the offsets in its first line")

    def text(self, name: str) -> str:
        """Return one part of the file as text."""
        try:
            start, length = self.head["parts"][name]
            return zlib.decompress(self._body[start : start + length]).decode()
        except (KeyError, zlib.error, UnicodeDecodeError) as error:
            raise self._damaged(f"the part '{name}' of the file cannot be unpacked") from error

    def rows(self, name: str) -> list[Any]:
        """Return the rows of one part of the file, read from JSON."""
        try:
            rows: list[Any] = json.loads(self.text(name))
        except ValueError as error:
            raise self._damaged(f"the part '{name}' of the file is not JSON") from error
        return rows

    def _damaged(self, reason: str) -> DamagedFile:
        return DamagedFile(
            f"the catalogue {self.path} is damaged: {reason}",
            advice="delete this file, or run `helio catalog refresh`",
        )


def _row(parameter: CatalogueParameter) -> list[Any]:
    """Return a parameter as a list, without default values at its end: no axes, no frame, double, a scalar."""
    row: list[Any] = [
        parameter.name,
        parameter.unit,
        parameter.description,
        list(parameter.size),
        parameter.kind,
        parameter.frame,
        list(parameter.axes),
    ]
    usuals: tuple[object, ...] = ([], "", "double", [])
    for usual in usuals:
        if row[-1] != usual:
            break
        row.pop()
    return row


def _shape(dataset_id: str) -> str:
    """Return a text that is the same for ids of datasets that differ only in the spacecraft or the station."""
    same = re.sub(r"^TH[A-E]", "TH", dataset_id)
    same = re.sub(r"^(RBSP-?|ST|EL)[AB]", r"\1", same)
    return re.sub(r"\d", "", same)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
