"""A catalogue of the datasets of the person's own archive, a folder or a server, and of CDAWeb; the archive comes
first.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Protocol

from helio.errors import DamagedFile, Refused, UnknownDataset
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetSummary, ParameterEntry
from helio.knowledge.missions import craft_of, instrument_of
from helio.sources.archive_listing import ArchiveDataset, ArchiveListing

log = logging.getLogger(__name__)


MOST_DESCRIBED = 60
"""Maximum number of datasets whose descriptions helio asks a server for, to find one by its parameters."""


class Listing(Protocol):
    """The contents of an archive: of a folder, read before; of a server, asked for when they are needed."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the datasets."""

    def dataset(self, dataset_id: str) -> ArchiveDataset:
        """Return a dataset of `ids`."""


class CatalogueWithArchive(Catalogue):
    """A catalogue of CDAWeb and of the person's own archive; if both have a dataset, it gives that of the archive.

    Parameters
    ----------
    catalogue : Catalogue
        The catalogue of CDAWeb.
    listing : Listing
        The contents of the archive.
    archive : str
        The archive as a run names it: a folder, ``"sample"``, ``"hapi:NAME"`` or the URL of a HAPI server.
    """

    def __init__(self, catalogue: Catalogue, listing: Listing, archive: str) -> None:
        vars(self).update(vars(catalogue))
        self.cdaweb = catalogue
        self.archive = archive
        self._listing = listing
        self._described: dict[str, CatalogueEntry] = {}

    def __len__(self) -> int:
        return len(self.ids())

    def __contains__(self, dataset_id: object) -> bool:
        return self.in_archive(dataset_id) or super().__contains__(dataset_id)

    @cached_property
    def _own(self) -> dict[str, str]:
        """The ids of the archive's datasets, by id in capitals."""
        return {dataset_id.upper(): dataset_id for dataset_id in self._listing.ids}

    def in_archive(self, dataset_id: object) -> bool:
        """Return whether the archive has a dataset with this id."""
        return isinstance(dataset_id, str) and dataset_id.upper() in self._own

    def covered_elsewhere(self, dataset_id: str) -> str:
        """Say in which archive a dataset is, and which time CDAWeb covers with it; empty if no archive has it."""
        if not self.in_archive(dataset_id):
            return ""
        if dataset_id not in self.cdaweb:
            return f"in the archive {self.archive}"
        known = self.cdaweb.summary(dataset_id)
        span = f" from {known.first:%Y-%m-%d} to {known.last:%Y-%m-%d}" if known.first and known.last else ""
        return f"in the archive {self.archive}; CDAWeb has {known.id}{span}"

    def archived_ids(self) -> list[str]:
        """Return the ids of the archive's datasets."""
        return list(self._own.values())

    def archived(self, spacecraft: str = "") -> tuple[CatalogueEntry, ...]:
        """Return datasets of the archive, only those of a spacecraft if one is given, in the order of the archive.

        Of a server with many datasets, these are the first ones; those that the server cannot describe are left out.
        """
        ids = (name for name in self._own.values() if spacecraft in ("", craft_of(name).spacecraft))
        return tuple(self._describable(ids))

    def find_archived(self, words: str) -> list[CatalogueEntry]:
        """Return the datasets of the archive whose descriptions contain some of the words, best match first.

        Of a server with many datasets, helio asks only for descriptions of datasets whose ids contain words.
        """
        query_words = set(re.findall(r"[a-z0-9]{2,}", words.lower()))
        ids: Sequence[str] = self.archived_ids()
        if len(ids) > MOST_DESCRIBED:
            common = {name: len(query_words & _words_in(name, craft_of(name).spacecraft)) for name in ids}
            ids = sorted(filter(common.get, ids), key=lambda name: -common[name])
        entries = [(len(query_words & _words_of(entry)), entry) for entry in self._describable(ids)]
        entries.sort(key=lambda scored: (-scored[0], scored[1].id))
        return [entry for score, entry in entries if score]

    def ids(self) -> list[str]:
        """Return the ids of all datasets, in alphabetical order."""
        return sorted({*super().ids(), *self._own.values()})

    def dataset(self, dataset_id: str) -> CatalogueEntry:
        """Return a dataset with its parameters, from the archive if it is there, otherwise from CDAWeb."""
        name = self._own.get(dataset_id.upper())
        return self._entry(name) if name else super().dataset(dataset_id)

    def summary(self, dataset_id: str) -> DatasetSummary:
        """Return a dataset without its parameters, from the archive if it is there, otherwise from CDAWeb."""
        name = self._own.get(dataset_id.upper())
        return self._entry(name) if name else super().summary(dataset_id)

    def summaries(self) -> list[DatasetSummary]:
        """Return all datasets without their parameters; those of the archive come first.

        Of a server with many datasets, only the first ones are among them.
        """
        return [
            *self.archived(),
            *(summary for summary in super().summaries() if not self.in_archive(summary.id)),
        ]

    def has_stopped(self, dataset: DatasetSummary) -> bool:
        """Return whether helio expects no data after a dataset's last record; always true for the archive."""
        return self.in_archive(dataset.id) or super().has_stopped(dataset)

    def _entry(self, name: str) -> CatalogueEntry:
        if name not in self._described:
            self._described[name] = _entry_of(self._listing.dataset(name))
        return self._described[name]

    def _describable(self, names: Iterable[str]) -> Iterator[CatalogueEntry]:
        asked = 0
        for name in names:
            asked += name not in self._described and not isinstance(self._listing, ArchiveListing)
            if asked > MOST_DESCRIBED:
                return
            try:
                yield self._entry(name)
            except (UnknownDataset, DamagedFile, Refused) as error:  # the others can be searched
                log.warning("%s: %s", name, error.message)


def _entry_of(dataset: ArchiveDataset) -> CatalogueEntry:
    craft = craft_of(dataset.id)
    return CatalogueEntry(
        id=dataset.id,
        mission=craft.mission,
        spacecraft=craft.spacecraft,
        instrument=instrument_of(dataset.id, craft.mission),
        instrument_type="",
        title=dataset.title,
        first=_aware(dataset.first),
        last=_aware(dataset.last),
        cadence=() if dataset.cadence is None else (dataset.cadence,),
        doi="",
        pi="",
        affiliation="",
        acknowledgement="",
        known_parameters=len(dataset.parameters),
        parameters=tuple(
            ParameterEntry(
                facts.name,
                facts.unit,
                facts.shape,
                "double",
                " ".join(facts.description.split()),
                facts.frame,
            )
            for facts in dataset.parameters
        ),
    )


def _words_of(entry: CatalogueEntry) -> set[str]:
    return _words_in(
        entry.id,
        entry.title,
        entry.mission,
        entry.spacecraft,
        entry.instrument,
        *(f"{parameter.name} {parameter.description} {parameter.frame}" for parameter in entry.parameters),
    )


def _words_in(*texts: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{2,}", re.sub(r"[_-]", " ", " ".join(texts)).lower()))


def _aware(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
