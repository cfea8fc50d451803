"""Listing of a HAPI server: the ids of its datasets at once, and the description of a dataset when it is needed."""

from __future__ import annotations

from functools import cached_property

from helio.sources import istp
from helio.sources.archive_listing import ArchiveDataset
from helio.sources.cdf import ParameterFacts
from helio.sources.hapi_data import frame_of
from helio.sources.hapi_info import HapiParameter, Info
from helio.sources.providers.hapi import Hapi


class ServerListing:
    """The datasets of a HAPI server, as `ArchiveListing` has those of a folder.

    Parameters
    ----------
    server : Hapi
        Nothing is requested before the first use.
    """

    def __init__(self, server: Hapi) -> None:
        self._server = server

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of the datasets, from the server's catalogue.

        Raises
        ------
        DamagedFile, ServerUnavailable, RateLimited, Refused, Offline
        """
        return tuple(self._server.datasets())

    def dataset(self, dataset_id: str) -> ArchiveDataset:
        """Return a dataset of `ids`, as the server describes it.

        Raises
        ------
        UnknownDataset, DamagedFile, ServerUnavailable, RateLimited, Refused, Offline
        """
        return _dataset_of(self._server.describe(dataset_id))


def _dataset_of(info: Info) -> ArchiveDataset:
    cadence = info.cadence.total_seconds() if info.cadence is not None else None
    return ArchiveDataset(
        id=info.dataset_id,
        known_as="",
        title=info.title,
        parameters=tuple(_facts_of(info.parameter(name), info, cadence) for name in info.numbers()),
        first=info.start,
        last=info.stop,
        is_span_exact=True,
        cadence=cadence,
        files=0,
        bytes=0,
        older=0,
        gaps=(),
        gaps_from="unknown",
    )


def _facts_of(parameter: HapiParameter, info: Info, cadence: float | None) -> ParameterFacts:
    return ParameterFacts(
        name=parameter.name,
        unit=istp.common_unit(parameter.units)[0],
        shape=parameter.size,
        description=parameter.description,
        frame=frame_of(parameter, parameter.labels) if parameter.size else "",
        first=info.start,
        last=info.stop,
        records=0,
        cadence=cadence,
        support=False,
    )
