"""The interface between a fetch and the providers of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table


Listings = Mapping[tuple[str, str, str], tuple[SourceFile, ...]]
"""The files of a dataset from start to stop (ISO 8601, UTC), as someone knows them already."""


class Provider(Protocol):
    """A provider of datasets as tables: a local archive, the samples, CDAWeb, a HAPI server."""

    @property
    def name(self) -> str:
        """How records and footers name it: ``"sample archive"``, ``"CDAWeb"``."""
        ...

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted."""
        ...

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return which files cover the range, decided without reading any record.

        Raises
        ------
        UnknownDataset
            With the closest ids as advice.
        NoData
            Naming what the provider does cover.
        """
        ...

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop), each a table with its sources, keyed by parameter.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, DamagedFile
        """
        ...


@runtime_checkable
class Remote(Protocol):
    """A provider whose data have to be downloaded first."""

    def to_download(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, int | None]:
        """Return the URLs that a fetch would download, each with its bytes; None where they are unknown.

        Raises
        ------
        DataError
            As `fetch`, before anything is downloaded.
        """
        ...


class Providers(Protocol):
    """The choice of a provider for a fetch: the run's, otherwise the step's."""

    def choose(self, provider: str) -> Provider:
        """Return the provider for a step that names `provider`, or names none with ``""``."""
        ...

    def cancel(self) -> None:
        """End all requests and downloads; waiting callers get `Cancelled`."""
        ...
