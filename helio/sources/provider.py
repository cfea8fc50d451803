"""Interface between a fetch step and the providers of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table


Listings = Mapping[tuple[str, str, str], tuple[SourceFile, ...]]
"""Known files of a dataset, by dataset id, start and stop (ISO 8601, UTC)."""


class Provider(Protocol):
    """Provider of datasets as tables, such as a local archive, the samples, CDAWeb or a HAPI server."""

    @property
    def name(self) -> str:
        """Name of the provider in records and footers: ``"sample archive"``, ``"CDAWeb"``."""
        ...

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted."""
        ...

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the files that cover the range, without reading records.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData
            The range has no data; the message names the range that the provider covers.
        """
        ...

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop); return a table for each parameter, with the files from which it came.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, DamagedFile
        """
        ...


@runtime_checkable
class Remote(Protocol):
    """Provider whose data helio must download first."""

    def to_download(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, int | None]:
        """Return the URLs that a fetch would download, each with its size in bytes, or None if the size is unknown.

        Raises
        ------
        DataError
            As for `fetch`, before helio downloads anything.
        """
        ...


class Providers(Protocol):
    """Choice of a provider for each fetch: the provider of the run, otherwise the provider of the step."""

    def choose(self, provider: str) -> Provider:
        """Return the provider for a step; an empty name means that the step names no provider."""
        ...

    def cancel(self) -> None:
        """Cancel all requests and downloads; waiting callers get `Cancelled`."""
        ...
