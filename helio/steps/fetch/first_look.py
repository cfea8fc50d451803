"""Fetch a short time range first, to find a misspelt parameter before many files are downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from helio.errors import NoData, NotYetPublished
from helio.sources.provider import Provider, Remote
from helio.time_range import TimeRange

FEW = 4
"""A fetch of at most this many files skips the check."""
_ONE_DAY = timedelta(days=1)


def look_first(archive: Provider, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> None:
    """Fetch one day of a parameter that the catalogue does not list, before many files are downloaded.

    The catalogue may be older than the archive, so the archive decides whether the parameter exists; one day's files
    are enough for this. The day is the first of the range, or the last if the first has no data.

    Raises
    ------
    UnknownParameter
        No file of that day has the parameter, and the archive does not offer it elsewhere.
    """
    if not isinstance(archive, Remote) or time_range.stop - time_range.start <= _ONE_DAY:
        return
    unlisted = [name for name in parameters if not _is_listed(dataset_id, name)]
    if not unlisted or len(archive.to_download(dataset_id, unlisted, time_range)) <= FEW:
        return
    for start in (time_range.start, time_range.stop - _ONE_DAY):
        try:
            archive.fetch(dataset_id, unlisted, TimeRange(start, start + _ONE_DAY))
        except (NoData, NotYetPublished):
            continue  # nothing on that day, which says nothing of the parameter
        return


def _is_listed(dataset_id: str, parameter: str) -> bool:
    """Return whether the catalogue lists the parameter; also True if the catalogue does not know the dataset."""
    from helio.knowledge.catalogue import Catalogue

    catalogue = Catalogue()
    if dataset_id not in catalogue:
        return True
    known = catalogue.dataset(dataset_id).parameters
    return not known or any(entry.name == parameter for entry in known)
