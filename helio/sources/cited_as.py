"""A provider whose tables cite each file as an earlier run record cites the file with the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from helio.sources.provider import Provider
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table

Citations = Mapping[tuple[str, str], SourceFile]
"""Citations of files, by dataset id and sha256 of the file."""


class CitedProvider:
    """Provider that gives another provider's data with the citations of a record; satisfies
    `helio.sources.provider.Provider`.

    The footer of a figure and an exported file name the provider of the data. Therefore the same bytes from another
    server give the same figure and file only if the citation is the same.

    Parameters
    ----------
    provider : Provider
    citations : Citations
        Citations of the record; a file without an entry is cited as its provider cites it.
    """

    def __init__(self, provider: Provider, citations: Citations) -> None:
        self._provider = provider
        self._citations = citations

    @property
    def name(self) -> str:
        """Name of the provider that gives the data."""
        return self._provider.name

    def datasets(self) -> list[str]:
        """Return the ids of all datasets of the other provider, sorted."""
        return self._provider.datasets()

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the files that cover the range, as the other provider names them."""
        return self._provider.locate(dataset_id, time_range)

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop); the tables name the recorded citations as their sources."""
        tables = self._provider.fetch(dataset_id, parameters, time_range)
        return {
            name: replace(table, sources=tuple(self._cited(source) for source in table.sources))
            for name, table in tables.items()
        }

    def _cited(self, source: SourceFile) -> SourceFile:
        cited = self._citations.get((source.dataset_id, source.sha256))
        return source if cited is None else replace(cited, proof=source.proof)
