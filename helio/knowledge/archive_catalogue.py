"""A catalogue of the datasets of a local archive and of CDAWeb; the archive comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetSummary, ParameterEntry
from helio.knowledge.missions import craft_of, instrument_of
from helio.sources.archive_listing import ArchiveDataset, ArchiveListing


class CatalogueWithArchive(Catalogue):
    """A catalogue of CDAWeb and of a local archive; if both have a dataset, it gives the dataset of the archive.

    Parameters
    ----------
    catalogue : Catalogue
        The catalogue of CDAWeb.
    listing : ArchiveListing
        The contents of the archive.
    archive : str
        The archive as a run names it: a folder, or ``"sample"``.
    """

    def __init__(self, catalogue: Catalogue, listing: ArchiveListing, archive: str) -> None:
        vars(self).update(vars(catalogue))
        self.cdaweb = catalogue
        self.archive = archive
        self._own = {dataset.id.upper(): _entry_of(dataset) for dataset in listing.datasets}

    def __len__(self) -> int:
        return len(self.ids())

    def __contains__(self, dataset_id: object) -> bool:
        return self.in_archive(dataset_id) or super().__contains__(dataset_id)

    def in_archive(self, dataset_id: object) -> bool:
        """Return whether the local archive has a dataset with this id."""
        return isinstance(dataset_id, str) and dataset_id.upper() in self._own

    def archived(self) -> tuple[CatalogueEntry, ...]:
        """Return the datasets of the local archive, ordered by id."""
        return tuple(self._own.values())

    def find_archived(self, words: str) -> list[CatalogueEntry]:
        """Return the datasets of the local archive whose descriptions contain some of the words, best match first."""
        query_words = set(re.findall(r"[a-z0-9]{2,}", words.lower()))
        scores = {id_: len(query_words & _words_of(entry)) for id_, entry in self._own.items()}
        best = sorted((id_ for id_, score in scores.items() if score), key=lambda id_: (-scores[id_], id_))
        return [self._own[id_] for id_ in best]

    def ids(self) -> list[str]:
        """Return the ids of all datasets, in alphabetical order."""
        return sorted({*super().ids(), *(entry.id for entry in self._own.values())})

    def dataset(self, dataset_id: str) -> CatalogueEntry:
        """Return a dataset with its parameters, from the local archive if it is there, otherwise from CDAWeb."""
        return self._own.get(dataset_id.upper()) or super().dataset(dataset_id)

    def summary(self, dataset_id: str) -> DatasetSummary:
        """Return a dataset without its parameters, from the local archive if it is there, otherwise from CDAWeb."""
        return self._own.get(dataset_id.upper()) or super().summary(dataset_id)

    def summaries(self) -> list[DatasetSummary]:
        """Return all datasets without their parameters; the datasets of the local archive come first."""
        return [
            *self._own.values(),
            *(summary for summary in super().summaries() if not self.in_archive(summary.id)),
        ]

    def has_stopped(self, dataset: DatasetSummary) -> bool:
        """Return whether helio expects no data after a dataset's last record; always true for the local archive."""
        return self.in_archive(dataset.id) or super().has_stopped(dataset)


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
    texts: Sequence[str] = [
        entry.id,
        entry.title,
        entry.mission,
        entry.spacecraft,
        entry.instrument,
        *(f"{parameter.name} {parameter.description} {parameter.frame}" for parameter in entry.parameters),
    ]
    return set(re.findall(r"[a-z0-9]{2,}", re.sub(r"[_-]", " ", " ".join(texts)).lower()))


def _aware(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
