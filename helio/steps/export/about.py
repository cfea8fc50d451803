"""Global attributes of a written file: its title, its source files, and how to cite them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from helio.steps.export.names import one_line
from helio.store.table import Table, merge_sources

_DATED = re.compile(r"(?P<stem>.+?)_\d{8}(?:t?\d{2,6})?(?:_v(?P<version>\d+(?:[.\-]\d+)*))?", re.IGNORECASE)


@dataclass(frozen=True)
class FileAttributes:
    """The global attributes of a file; they do not contain the time of writing, so equal tables give equal attributes.

    Parameters
    ----------
    dataset : str
        The file's name without date and version.
    sources : tuple of str
        ``"AC_H2_MFI: ac_h2_mfi_20240510_v01.cdf (CDAWeb, version 01)"``.
    """

    file: str
    dataset: str
    version: str
    title: str
    sources: tuple[str, ...]
    parents: tuple[str, ...]
    dois: tuple[str, ...]
    acknowledgements: tuple[str, ...]
    notes: tuple[str, ...]


def about(filename: str, tables: Mapping[str, Table]) -> FileAttributes:
    """Collect the global attributes of a file from its name and its tables."""
    stem = filename.rpartition(".")[0] or filename
    dated = _DATED.fullmatch(stem)
    every = merge_sources(tables)
    words = [table.description or table.name or name for name, table in tables.items()]
    return FileAttributes(
        file=one_line(stem),
        dataset=one_line(dated["stem"] if dated else stem),
        version=(dated["version"] if dated else "") or "1",
        title=one_line("; ".join(dict.fromkeys(words))),
        sources=_each(source.in_words() for source in every),
        parents=_each(_parent(source.file) for source in every),
        dois=_each(source.doi for source in every),
        acknowledgements=_each(source.acknowledgement for source in every),
        notes=_each(note for table in tables.values() for note in table.notes),
    )


def _parent(file: str) -> str:
    """Write the name of a source file as ISTP requires: ``CDF>ac_h2_mfi_20240510_v01``."""
    stem, _, ending = file.rpartition(".")
    return f"{ending.upper()}>{stem}" if stem else file


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(text) for text in texts)
    return tuple(dict.fromkeys(line for line in lines if line))
