"""Base class of sources that answer each range of a dataset with one JSON reply."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from helio.errors import DataError, NoData, Offline, UnknownDataset
from helio.sources.answer import OpenReply
from helio.sources.base import ONLINE, Source, folder_name, whole_seconds
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table


class ReplySource(Source):
    """Base class of sources of records. A subclass writes `datasets`, `parameters_of`, `url_of` and `read`.

    helio requests a range once and saves the reply: for ever if the range is long past, for one hour if it ended less
    than 30 days ago. It does not save an empty reply. ``HELIO_REPLY_MB`` limits the length of a reply, and each reply
    counts against the download limit of the run. The digest of the reply is part of the cache keys of steps, so that
    equal records give equal results.
    """

    locates_by_download = True

    @abstractmethod
    def parameters_of(self, dataset_id: str) -> Collection[str]:
        """Return the names of a dataset's parameters; the dataset exists."""

    @abstractmethod
    def url_of(self, dataset_id: str, time_range: TimeRange) -> str:
        """Return the URL at which the server gives the records of [start, stop)."""

    @abstractmethod
    def read(self, reply: Any, dataset_id: str, parameter: str) -> Table:
        """Make a table of one parameter from a JSON reply, with increasing epochs and with fill values as NaN.

        The base class removes records outside of the range, and adds the source to the table.

        Raises
        ------
        DamagedFile
            The reply is of another form.
        """

    def refuse_unknown_dataset(self, dataset_id: str) -> None:
        """Raise an error if the source has no dataset with this id.

        Raises
        ------
        UnknownDataset
            The advice gives the closest ids.
        """
        if dataset_id not in self.datasets():
            raise UnknownDataset(
                f"no dataset is called '{dataset_id}' in {self.title}", advice=self.close_ids(dataset_id)
            )

    def title_of(self, dataset_id: str) -> str:
        """Return the title of a dataset for citations; empty if it is not known."""
        return ""

    def ask(self, dataset_id: str, time_range: TimeRange) -> Any:
        """Request the records of [start, stop), and return them as JSON values; by default the JSON at `url_of`.

        A source whose service speaks another format than JSON, or wants its questions posted, overrides this method.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, DamagedFile, TooLarge
        """

        def receive(answer: OpenReply) -> Any:
            return self.counted(answer, f"{dataset_id} for {time_range}", answer.json)

        url = self.url_of(dataset_id, time_range)
        return self.http.exchange(url, receive, headers=lambda: {"Accept": "application/json"})

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the reply with the records of [start, stop); request the reply if the cache does not have it.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData
            The range has no record.
        ServerUnavailable, RateLimited, Refused, DamagedFile, TooLarge
            The server does not give the data.
        Offline
            The run is offline, and the cache does not have the reply.
        """
        reply = self._reply(dataset_id, time_range)
        content = json.dumps(reply, separators=(",", ":"), sort_keys=True).encode()
        return (
            SourceFile(
                dataset_id=dataset_id,
                file=f"{dataset_id}_{whole_seconds(time_range).replace(',', '_')}.json",
                provider=self.name,
                sha256=hashlib.sha256(content).hexdigest(),
                size=len(content),
                url=self.url_of(dataset_id, time_range),
                title=self.title_of(dataset_id),
                reply=True,
                proof="nothing",
            ),
        )

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) and return a table for each parameter.

        Returns
        -------
        dict of str to Table
            Tables by parameter, each with at least one record.

        Raises
        ------
        UnknownParameter
        UnknownDataset, NoData, DamagedFile, Offline, TooLarge
        ServerUnavailable, RateLimited, Refused
            As for `locate`.
        """
        from helio.sources.join import clip  # numpy, which locating does without

        sources = self.locate(dataset_id, time_range)
        self.refuse_unknown(dataset_id, parameters, self.parameters_of(dataset_id))
        reply = self._reply(dataset_id, time_range)
        tables: dict[str, Table] = {}
        for name in dict.fromkeys(parameters):
            try:
                table = clip(self.read(reply, dataset_id, name), time_range)
            except DataError as error:
                raise error.located(sources[0].url) from error.__cause__
            if not len(table):
                raise NoData(f"{dataset_id} has no record of {name} in {time_range}", place=sources[0].url)
            tables[name] = replace(table, sources=sources)
        return tables

    def _reply(self, dataset_id: str, time_range: TimeRange) -> Any:
        """Return the reply for a range; the result stays the same as long as this object exists."""
        self.refuse_unknown_dataset(dataset_id)
        folder = f"{self.folder}/records/{folder_name(dataset_id)}"
        name = f"{folder}/{whole_seconds(time_range).replace(',', '_')}"
        return self.once(name, lambda: self._saved_or_asked(name, dataset_id, time_range))

    def _saved_or_asked(self, name: str, dataset_id: str, time_range: TimeRange) -> Any:
        saved = None if self.refresh or self.ask_again else self.replies.load(name)
        if saved is not None and (self.offline or self.is_fresh(saved.said, time_range.stop)):
            return saved.content
        if self.offline:
            raise Offline(
                f"helio is offline, and {dataset_id} of {self.title} for {time_range} is not cached",
                advice=ONLINE,
            )
        reply = self.ask(dataset_id, time_range)
        if not reply:
            raise NoData(
                f"{self.title} has no record of {dataset_id} for {time_range}",
                place=self.url_of(dataset_id, time_range),
            )
        self.replies.save(name, reply)
        return reply
