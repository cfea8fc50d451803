"""The seam between a fetch and whoever serves the data."""

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
    """Serves datasets as tables: a local archive, the sample archive, later CDAWeb and HAPI servers."""

    @property
    def name(self) -> str:
        """How records and footers name it: ``"sample archive"``, ``"CDAWeb"``."""
        ...

    def datasets(self) -> list[str]:
        """Ids of all its datasets, sorted."""
        ...

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Which files cover the range, decided without reading any record.

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
        """What a fetch would download that is not here: its URLs, each with its bytes, None where nobody says.

        Raises
        ------
        DataError
            As `fetch`, before anything is downloaded.
        """
        ...


class Providers(Protocol):
    """Says who serves a fetch: what the run was told, else what the step names."""

    def choose(self, provider: str) -> Provider:
        """The provider for a step that names `provider`, or names none with ``""``."""
        ...

    def cancel(self) -> None:
        """End all that is being asked or downloaded; whoever waits for it gets `Cancelled`."""
        ...
