"""Read facts of the catalogue for passes: the order of parameters, and the published time ranges of datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from helio.pipelines.template.context import Dataset
from helio.sources.archives import Archives, is_folder
from helio.sources.cdf import CdfReader
from helio.sources.local import LocalArchive
from helio.sources.registry import SAMPLE, is_catalogued

if TYPE_CHECKING:
    from helio.knowledge.catalogue import Catalogue

# A catalogue names the epoch of the last record; a range is half-open.
_AFTER_LAST = timedelta(seconds=1)


def known_datasets(home: Path, now: datetime, archive: str = "") -> KnownDatasets:
    """Return the catalogue's datasets; leave out published time ranges if the catalogue does not cover the archive."""
    return KnownDatasets(home, now, spans=not archive or is_catalogued(archive))


def components_in_files(
    archive: str, provider: str, dataset_id: str, parameter: str
) -> tuple[str, ...] | None:
    """Read the components of a parameter from files in a folder or from the samples; return None for other archives.

    Parameters
    ----------
    archive : str
        The archive given for the run; ``""`` uses `provider`.

    Raises
    ------
    RequestError, DataError
        The archive cannot be opened, or has no such dataset or parameter.
    """
    if (archive or provider) != SAMPLE and not is_folder(archive):
        return None
    with CdfReader() as reader:
        opened = Archives(reader, archive).choose(provider)
        return opened.components(dataset_id, parameter) if isinstance(opened, LocalArchive) else None


class KnownDatasets(Mapping[str, Dataset]):
    """Datasets of the catalogue; helio opens the catalogue only when a dataset is first needed.

    Parameters
    ----------
    home : Path
        Home with an updated catalogue; otherwise the shipped one is used.
    now : datetime
        The run's clock, naive UTC, which decides whether facts are fresh.
    spans : bool
        Whether the spans count. They do not apply to the user's own archives.
    """

    def __init__(self, home: Path, now: datetime, *, spans: bool) -> None:
        self._home = home
        self._now = now.replace(tzinfo=UTC)
        self._spans = spans
        self._opened: Catalogue | None = None

    def __getitem__(self, dataset_id: str) -> Dataset:
        catalogue = self._catalogue()
        if not dataset_id or dataset_id not in catalogue:
            raise KeyError(dataset_id)
        entry = catalogue.dataset(dataset_id)
        parameters = {parameter.name: parameter.components for parameter in entry.parameters}
        known = Dataset(
            parameters,
            units={parameter.name: parameter.unit for parameter in entry.parameters},
            frames={parameter.name: parameter.frame for parameter in entry.parameters if parameter.frame},
            spectra=frozenset(parameter.name for parameter in entry.parameters if parameter.axes),
            descriptions={parameter.name: parameter.description for parameter in entry.parameters},
        )
        if not self._spans or entry.first is None or entry.last is None:
            return known
        first, last = (time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last))
        fresh = catalogue.is_fresh(entry, self._now)
        return replace(known, first=first, last=last + _AFTER_LAST, fresh=fresh)

    def __contains__(self, dataset_id: object) -> bool:
        """Return whether the catalogue has a dataset, without reading its parameters."""
        return bool(dataset_id) and dataset_id in self._catalogue()

    def __iter__(self) -> Iterator[str]:
        return iter(self._catalogue().ids())

    def __len__(self) -> int:
        return len(self._catalogue())

    def _catalogue(self) -> Catalogue:
        if self._opened is None:
            from helio.knowledge.catalogue import open_catalogue

            self._opened = open_catalogue(self._home)
        return self._opened
