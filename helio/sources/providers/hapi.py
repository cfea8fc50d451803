"""HAPI servers of version 2 or 3; each request asks for one parameter over a limited interval.

Reference: HAPI Data Access Specification, https://github.com/hapi-server/data-specification.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote, urlsplit

from helio.counts import number_of
from helio.errors import (
    DamagedFile,
    DataError,
    NoData,
    Offline,
    Refused,
    ReplyTooLarge,
    Republished,
    RequestError,
    UnknownDataset,
    UnknownParameter,
)
from helio.sources import hapi_reply
from helio.sources.allowance import in_words
from helio.sources.answer import BadBody, OpenReply, UnusableJson, read_json
from helio.sources.base import DAY, HOUR, ONLINE, Source, folder_name, is_settled
from helio.sources.hapi_at_once import IntervalLimit
from helio.sources.hapi_info import HapiParameter, Info, read_info, record_bytes
from helio.sources.hapi_pieces import CachedReply, Draft, Drafts, Piece, Pieces, PieceSeries, folder_of
from helio.sources.hapi_reply import IntervalTooLong, NoBinary
from helio.sources.http import Http
from helio.sources.local import is_preliminary
from helio.sources.registry import name_of_server
from helio.sources.server_text import one_line
from helio.sources.transfers import Tally
from helio.sources.witness import Witness
from helio.store.expected_records import expected_note
from helio.store.records import NaiveInstant
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.hapi_data import Format, Records
    from helio.store.table import Table

log = logging.getLogger(__name__)

_AT_ONCE = 16 * 1024**2
"""Approximate number of bytes that one request should bring."""
_MOST_AT_ONCE = 8 * _AT_ONCE
"""Number of bytes of a reply above which helio cancels the reply and requests its interval in two halves."""
_WITHOUT_CADENCE = timedelta(days=31)
"""Length of the longest request to a server that does not state the cadence of the dataset."""
_STEPS = tuple(
    timedelta(seconds=length)
    for length in (60, 600, 3600, 6 * 3600, *(days * 86_400 for days in (1, 5, 10, 31, 100, 366, 3660)))
)
"""Possible lengths of a request; each request begins at a multiple of its length since 1970, for every range."""
_SHORTEST = timedelta(seconds=1)
_INSTANT = timedelta(microseconds=1)
_MOST_REQUESTS = 2000
"""Maximum number of requests for one parameter in one fetch, for a server that gives only short intervals at once."""
_TOLERATED = 6
"""Number of refused requests in a row after which helio pauses between requests."""
_PAUSE = 1.0
"""Length of a pause between requests, in seconds."""
_ROUNDS = 3
"""Maximum number of times that one fetch reads a dataset which the server changes each time."""
_JUST_SAID = timedelta(minutes=1)
"""Age from which helio requests an ``info`` reply again before it requests records."""
_NEARLY, _FEW = 1.5, 3
"""Numbers of cadences between the last record of a reply and the end of the request. If the server does not say
where a reply ends, helio requests the rest after a gap above the first number, and calls the reply incomplete
above the second."""
_CONTINUED = 4
"""Maximum number of requests for the missing rest of one reply."""
_CSV_BYTES = (26, 14)
"""Approximate length in bytes of a time and of a number in CSV."""
_EPOCH = datetime(1970, 1, 1)
_VERSION = re.compile(r"[23](\.|$)")
_KIND_OF_JSON = {list: "a list", str: "a text", type(None): "null", bool: "true or false"}
_LONGEST_ID = 1000
_NO_DATE = (
    "{server} gives no modificationDate, so helio cannot tell whether records requested at different times belong "
    "to the same version of the data"
)


@dataclass(frozen=True)
class Dialect:
    """The forms of requests and replies of one HAPI server, which depend on its version."""

    version: str
    formats: tuple[str, ...]

    @property
    def words(self) -> tuple[str, str, str]:
        """Names of the request parameters for dataset, start and stop."""
        return (
            ("id", "time.min", "time.max") if self.version.startswith("2") else ("dataset", "start", "stop")
        )


@dataclass(frozen=True)
class ServedRange:
    """Part of a requested range that a dataset covers, with the version of the data.

    Parameters
    ----------
    start, stop : datetime
        The range, cut to the first and last record of the dataset.
    modified : str
        The ``modificationDate`` of the dataset; if the server does not give it, `last` and `asked` identify the
        version.
    described : str
        Digest of the server's description of the dataset; empty if an earlier version of helio did not save it.
    redescribed : str
        The new `described`, if it changed while the ``modificationDate`` stayed the same.
    last : str
        The ``stopDate`` of the dataset: if it changes, data younger than a month count as a new version.
    asked : str
        Time of the last request that the user forced with `refresh`.
    seen : datetime
        Time of the server's reply.
    url : str
        URL of the data request for the range, without parameters.
    """

    start: datetime
    stop: datetime
    modified: str
    described: str
    redescribed: str
    last: str
    asked: str
    seen: datetime
    url: str
    place: str
    """Name under which helio saves the range in its cache of replies."""

    @property
    def span(self) -> TimeRange:
        """The range from `start` to `stop`."""
        return TimeRange(self.start, self.stop)

    def edition(self, stop: datetime) -> str:
        """Return a name for this version of the data up to `stop`."""
        parts = [self.modified] if self.modified else [f"asked again {self.asked}"] if self.asked else []
        if self.redescribed:
            parts.append(f"described as {self.redescribed}")
        if not self.modified and not is_settled(stop, self.seen):
            parts.append(f"while the dataset ends {self.last}")
        return ", ".join(parts)


@dataclass(frozen=True)
class ParameterRequest:
    """Requests for one parameter in one fetch, and the place where helio caches the replies."""

    info: Info
    found: ServedRange
    parameter: HapiParameter
    together: tuple[HapiParameter, ...]
    form: Format
    series: PieceSeries
    size: int
    """Approximate number of bytes of a record."""
    why_csv: str
    """Reason for requesting CSV instead of binary; empty if helio requests binary."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters for a request, in the server's order, without the time, which the server
        always sends.
        """
        return tuple(parameter.name for parameter in self.together[1:])

    @property
    def longest(self) -> timedelta:
        """Longest interval to ask for in one request."""
        cadence = self.info.cadence
        records = max(1, _AT_ONCE // self.size)
        limit = _WITHOUT_CADENCE if cadence is None else min(cadence, timedelta.max // records) * records
        return min(limit, self.info.most or limit)


class Hapi(Source):
    """HAPI server as a source of data.

    HAPI servers give records, not files. helio sends one request for each parameter and interval, so that a table does
    not depend on which other parameters were requested. It saves each reply unchanged below `cache`, and uses the reply
    for every range that it covers.

    The cache keys of steps and the records of runs name a range by its data request without parameters, and by the
    dataset's ``modificationDate``. If the server gives no such date, data older than a month count as final, and
    younger data as a new version whenever the dataset gets longer; `refresh` requests both again.

    All records of a table belong to one version of the dataset: helio requests the server's description of the dataset
    before and after the records. If the two descriptions differ, helio requests all records again, but only a few
    times.

    helio cannot request the record at ``stopDate`` itself: a request may not end after ``stopDate``, and gives only
    records before its end. A table that ends there has a note about this.

    References
    ----------
    HAPI Data Access Specification 2.0 to 3.3, https://github.com/hapi-server/data-specification
    """

    title = "HAPI"
    address = ""
    question = "what it can do (capabilities)"

    def prepare(self) -> None:
        """Prepare the cache of replies; called once, at the end of ``__init__``."""
        if not self.server:
            parts = urlsplit(self.url)
            # a name or a password in the address must not be in a footer
            self.server = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._pieces = Pieces(self.cache / "data", self.http.clock.utc, self.digests, believe=self.offline)
        self._lock = threading.Lock()
        self._unknown: dict[str, UnknownDataset] = {}
        """Errors for datasets that the server does not know, by dataset id."""
        self._at_once: dict[str, IntervalLimit] = {}
        """Longest interval that the server gives at once, for each series of records."""
        self._no_binary = ""
        """How the server refused to send binary, in words; empty if the server did not refuse."""

    @property
    def name(self) -> str:
        """Name of the source in records of runs and in footers of figures."""
        return f"{self.title} {self.server}"

    @classmethod
    def full_address(cls, url: str) -> str:
        """Return a server's address without a slash at its end.

        Raises
        ------
        RequestError
            The text is not a URL.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise RequestError(
                f"'{url}' is not the URL of a HAPI server", advice="use a URL such as https://HOST/hapi"
            )
        return url.rstrip("/")

    @classmethod
    def folder_of_address(cls, url: str) -> str:
        """Return the cache folder of a server."""
        parts = urlsplit(url)
        return folder_name(f"{parts.netloc}{parts.path}")

    @classmethod
    def is_named_by_user(cls, url: str) -> bool:
        """Return whether the user chose this address; return False for the address of a server that helio knows."""
        return not name_of_server(url, {})

    @classmethod
    def has_catalogued_ids(cls, name: str) -> bool:
        """Return whether this server is CDAWeb's own HAPI server, whose datasets are in helio's catalogue."""
        return "cdaweb" in name.lower()

    @classmethod
    def server_of(cls, url: str) -> str:
        """Return the server's address, taken from the URL of a data request."""
        return url.partition("/data?")[0]

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Ask the server for its HAPI version, and describe the reply."""
        asked_url = f"{url}/capabilities"
        reply = witness.json(http, asked_url)
        version = str(reply.get("HAPI") or "") if isinstance(reply, dict) else ""
        if not re.match(r"[23]\.\d", version):
            raise DamagedFile(
                f"{urlsplit(asked_url).hostname} reports a HAPI version that helio does not understand: "
                f"'{version[:20]}'",
                advice="check the address: the address of a HAPI server ends in /hapi; helio understands "
                "only HAPI 2 and HAPI 3",
                place=asked_url,
            )
        status = hapi_reply.status_in(reply)
        if status is not None and status.code != hapi_reply.OK:
            raise DamagedFile(
                f"{urlsplit(asked_url).hostname} answers with HAPI status {status.code}: {status.message}",
                advice="try again later",
                place=asked_url,
            )
        return f"HAPI {version}"

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted; helio asks the server for this list once a day.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, Offline
        """

        def ask() -> list[str]:
            url = f"{self.url}/catalog"
            catalogue = self._json(url, "its catalogue").get("catalog")
            if not isinstance(catalogue, list):
                raise DamagedFile(
                    f"the catalogue of {self.server} contains no list of datasets",
                    advice="report this to the server's operators",
                    place=url,
                )
            named = [entry.get("id") if isinstance(entry, dict) else None for entry in catalogue]
            usable = {name for name in named if isinstance(name, str) and _may_be_id(name)}
            odd = sum(not (isinstance(name, str) and name in usable) for name in named)
            if odd:
                log.warning("%s lists %d entries without a valid id", self.server, odd)
            if odd and not usable:
                raise DamagedFile(
                    f"none of the {odd} entries in the catalogue of {self.server} has a valid id",
                    advice="report this to the server's operators",
                    place=url,
                )
            return sorted(usable)

        ids: list[str] = self.saved("catalog", ask, list[str], never_asked=self._never_asked("its catalogue"))
        return ids

    def describe(self, dataset_id: str) -> Info:
        """Return the server's description of a dataset; helio asks the server for it once a day.

        Raises
        ------
        UnknownDataset, DamagedFile, ServerUnavailable, RateLimited, Refused, Offline
        """
        return self._info(dataset_id)

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the data request for that part of a range which the dataset covers, without requesting records.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData, NotYetPublished
            The range has no data; the message names the first and last time of the dataset.
        ServerUnavailable, RateLimited, Refused
            The server does not give its description of the dataset.
        Offline
            The run is offline, and the cache does not have the reply.
        """
        served = self._located(dataset_id, time_range)
        file = _file_of(dataset_id, served.span)
        return (
            SourceFile(
                dataset_id=dataset_id,
                file=file,
                provider=self.name,
                preliminary=is_preliminary(dataset_id),
                url=served.url,
                last_modified=served.edition(served.stop),
            ),
        )

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) and return a table for each parameter.

        Returns
        -------
        dict of str to Table
            Tables by parameter, each with at least one record and with the requests from which the table came.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, NotYetPublished
        DamagedFile
            The received records do not match the server's description.
        Republished
            The dataset changed each time that helio read it.
        ServerUnavailable, RateLimited, Refused, Offline, TooLarge, OutputError
            The data cannot be downloaded; helio keeps what was received.
        """
        names = tuple(dict.fromkeys(parameters))
        # two steps that fetch the same at once ask for it once
        with self.replies.alone(f"{self.folder}/{dataset_id} records"):
            while True:
                try:
                    with Drafts() as drafts:
                        return self._fetch(dataset_id, names, time_range, drafts)
                except NoBinary as error:
                    log.info("%s %s; helio requests CSV instead", self.server, error)
                    self._no_binary = str(error)
                    self.replies.save(f"{self.folder}/no-binary", self._no_binary)

    def _fetch(
        self, dataset_id: str, parameters: tuple[str, ...], time_range: TimeRange, drafts: Drafts
    ) -> dict[str, Table]:
        """Return the tables of a fetch; repeat the fetch until the server has the same version of the dataset before
        and after it.

        Two fetches that give the same tables are enough too, even if the dates differ: records that did not change
        between the two fetches belong to one version. So helio can read a dataset whose date changes with each appended
        record.
        """
        earlier: dict[str, str] | None = None
        for _ in range(_ROUNDS):
            served, requests, kept = self._current(dataset_id, parameters, time_range)
            failure: DataError | None = None
            tables: dict[str, Table] = {}
            unchecked: list[CachedReply] = []
            try:
                pieces = kept or self._all_pieces(requests, drafts)
                unchecked = [
                    piece.kept
                    for of_parameter in pieces.values()
                    for piece in of_parameter
                    if not piece.kept.checked
                ]
                for request in requests:
                    name = request.parameter.name
                    table = self._table(request, pieces[name])
                    pieces[name] = [replace(piece, records=None) for piece in pieces[name]]
                    if table is not None:
                        tables[name] = table
            except (DamagedFile, NoData, UnknownDataset, UnknownParameter) as error:
                failure = error  # of a republication it may be the first sign
            if not self.offline and (unchecked or failure):
                renewed = self._renewed_after(dataset_id, served, failure)
                drafts.finish()
                digests = {name: table.digest() for name, table in tables.items() if renewed is not None}
                if renewed is not None and (failure or digests != earlier):
                    # only records that the next round asks for again can show that nothing changed
                    all_again = failure is None and renewed.edition(served.stop) != served.edition(
                        served.stop
                    )
                    earlier = digests if all_again else None
                    self._adopt(renewed)
                    continue
                for reply in unchecked if failure is None else ():
                    self._pieces.check(reply)
            if failure:
                raise failure
            return self._with_notes(requests, served, tables, pieces, time_range)
        raise Republished(
            f"{self.server} changed {dataset_id} during each of {_ROUNDS} attempts to read "
            f"{served.span}, so its records would mix versions of the data",
            advice="try again later, when the server has finished updating the dataset",
            place=served.url,
        )

    def _with_notes(
        self,
        requests: Sequence[ParameterRequest],
        served: ServedRange,
        tables: dict[str, Table],
        pieces: dict[str, list[Piece]],
        time_range: TimeRange,
    ) -> dict[str, Table]:
        """Return the tables with notes that say how each table was made.

        Raises
        ------
        NoData
            Some parameters have no record; the message names these parameters.
        DamagedFile
            The parameters may have records: a reply without records may have ended early.
        """
        info = requests[0].info
        empty = [request.parameter.name for request in requests if request.parameter.name not in tables]
        if empty:
            doubts = [
                piece.kept.incomplete for name in empty for piece in pieces[name] if piece.kept.incomplete
            ]
            if doubts:
                raise DamagedFile(
                    f"{self.server} sends no record of {', '.join(empty)} of {info.dataset_id}: {doubts[0]}",
                    advice="try again later",
                    place=served.url,
                )
            raise NoData(
                f"{info.dataset_id} has no record of {', '.join(empty)} in {served.span}",
                advice=_span_of(info),
            )
        notes = []
        if served.stop < time_range.stop:
            # a request may not end after `stopDate`, and what it brings ends before its own end
            end = _hapi_time(info.stop if self.offline else served.stop)
            notes.append(f"the dataset ends at {end}; a record at exactly this time cannot be requested")
        if not served.modified:
            notes.append(_NO_DATE.format(server=self.server))
        notes += info.remarks
        return {
            request.parameter.name: replace(
                tables[request.parameter.name],
                notes=(
                    *tables[request.parameter.name].notes,
                    *([request.why_csv] if request.why_csv else []),
                    *notes,
                ),
            )
            for request in requests
        }

    def to_download(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, int | None]:
        """Return the requests that a fetch would send, each with its approximate bytes, or None if the size is unknown.

        Raises
        ------
        DataError
            As for `fetch`, before helio requests any record.
        """
        served = self._located(dataset_id, time_range)
        info = self._info(dataset_id)
        requests = [self._asked(info, served, name) for name in dict.fromkeys(parameters)]
        sizes: dict[str, int | None] = {}
        for request, span in self._kept_and_missing(requests)[1]:
            size = _size_of(request, span)
            sizes[self._data_url(dataset_id, span, request.names, request.form)] = (
                None if size is None else int(size)
            )
        return sizes

    def _table(self, request: ParameterRequest, pieces: Sequence[Piece]) -> Table | None:
        """Join all cached replies of a parameter into one table; return None if they hold no record."""
        from helio.sources.hapi_data import table_of  # numpy, which a plan does without
        from helio.sources.join import clip, concatenate
        from helio.store.leap_seconds import leap_notes

        parts: list[tuple[str, Table]] = []
        sources: list[SourceFile] = []
        notes: list[str] = []
        silent: list[TimeRange] = []
        for piece in pieces:
            reply = piece.kept
            records = piece.records or _read(request, self._pieces.read(piece), reply.url)
            outside = records.outside(piece.whole)
            if outside:
                notes.append(
                    f"records of the reply for {piece.whole} outside of this interval: {outside:,}; they were left out"
                )
            # with the record of the end itself, if there is one: not every server leaves it to the next reply
            table = clip(
                table_of(request.parameter, records), TimeRange(piece.span.start, piece.span.stop + _INSTANT)
            )
            if reply.incomplete:
                notes.append(reply.incomplete)
            if len(table):
                parts.append((reply.path.name, table))
                sources.append(self._source(request, reply))
                notes += table.notes
            elif not reply.incomplete:
                silent.append(piece.span)
        if not parts:
            return None
        if silent:
            more = f" and for {number_of(len(silent) - 1, 'further interval')}" if len(silent) > 1 else ""
            notes.append(f"the server has no records for {silent[0]}{more}")
        joined, repeats = concatenate(request.parameter.name, parts)
        if repeats.differing:
            notes += repeats.notes
        joined = clip(joined, request.found.span)
        if not len(joined):
            return None
        notes.append(_expected(joined, request))
        notes += leap_notes(joined.epoch)
        return replace(joined, sources=tuple(sources), notes=tuple(dict.fromkeys(filter(None, notes))))

    def _source(self, request: ParameterRequest, reply: CachedReply) -> SourceFile:
        info = request.info
        unknown = (
            "" if reply.modified else "version of the data unknown: the server gives no modificationDate"
        )
        return SourceFile(
            dataset_id=info.dataset_id,
            file=f"{info.dataset_id}_{request.parameter.name}_{reply.path.name}",
            provider=self.name,
            sha256=reply.sha256,
            size=reply.size,
            doi=info.doi,
            preliminary=is_preliminary(info.dataset_id),
            url=reply.url,
            last_modified=reply.edition,
            title=info.title,
            pi=info.pi,
            affiliation=info.affiliation,
            page=info.page,
            reply=True,
            proof="nothing",
            remark="; ".join(filter(None, (request.why_csv, reply.incomplete, unknown))),
            incomplete=bool(reply.incomplete),
        )

    # What there is

    def _located(self, dataset_id: str, time_range: TimeRange) -> ServedRange:
        """Return the range that the dataset covers: unchanged while this object exists, and saved for ever if
        the range is long past.
        """
        if not _may_be_id(dataset_id):
            raise UnknownDataset(
                f"'{one_line(dataset_id)}' is not a valid dataset id", advice=self.close_ids(dataset_id)
            )
        name = f"{self.folder}/{folder_of(dataset_id)}/{_span_name(time_range)}"
        return self.once(name, lambda: self._locate(name, dataset_id, time_range))

    def _locate(self, name: str, dataset_id: str, time_range: TimeRange) -> ServedRange:
        saved = self.replies.load(name, _SavedRange)
        before: ServedRange | None = replace(saved.content.read(), place=name) if saved else None
        if (
            before is not None
            and not (self.refresh or self.ask_again)
            and (self.offline or self.is_fresh(before.seen, time_range.stop))
        ):
            return before
        try:
            info, seen = self._info_and_age(dataset_id, longest=0.0 if self.ask_again else HOUR)
        except Offline as error:
            raise Offline(
                f"helio is offline, and its cache has no info of {dataset_id} on {self.server}",
                advice=error.advice,
            ) from error
        start, stop = max(time_range.start, info.start), min(time_range.stop, info.stop)
        if start >= stop:
            raise self._nothing(info, time_range)
        served = ServedRange(
            start=start,
            stop=stop,
            modified=info.modified,
            described=info.described,
            redescribed=_redescribed(before, info) if before else "",
            last=info.stop.isoformat(),
            asked=seen.isoformat() if self.refresh else before.asked if before else "",
            seen=seen,
            url=self._data_url(dataset_id, TimeRange(start, stop)),
            place=name,
        )
        self._save_located(served)
        return served

    def _save_located(self, served: ServedRange) -> None:
        moments = {name: getattr(served, name).isoformat() for name in _MOMENTS}
        self.replies.save(served.place, asdict(served) | moments)

    # Editions

    def _current(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> tuple[ServedRange, list[ParameterRequest], dict[str, list[Piece]]]:
        """Return the range, the request of each parameter, and the cached replies if they hold all records;
        otherwise, ask the server for its current state.
        """
        served = self._located(dataset_id, time_range)
        info, seen = self._info_and_age(dataset_id, longest=None)
        requests = [self._asked(info, served, name) for name in parameters]
        if self.offline:
            return *self._of_one_edition(served, requests), {}
        kept, missing = self._kept_and_missing(requests)
        if not missing:
            return served, requests, kept
        if self.http.clock.utc() - seen > _JUST_SAID:
            info, seen = self._info_now(dataset_id)
        renewed = self._renewed(served, info, seen)
        if renewed is not None:
            self._adopt(renewed)
            served = renewed
        return served, [self._asked(info, served, name) for name in parameters], {}

    def _of_one_edition(
        self, served: ServedRange, requests: list[ParameterRequest]
    ) -> tuple[ServedRange, list[ParameterRequest]]:
        """Return a version of the dataset of which the cache has all records, for an offline run.

        Raises
        ------
        Offline
            The needed records are in the cache, but not all from one version of the dataset.
        """
        if any(
            self._pieces.cover(request.series, served.span, lambda reply, span: True)[1]
            for request in requests
        ):
            return served, requests  # every edition lacks something
        editions = [
            served.modified,
            *(date for request in requests for date in self._pieces.editions(request.series)),
        ]
        for date in dict.fromkeys(editions):
            dated = replace(served, modified=date)
            of_date = [replace(request, found=dated) for request in requests]
            if not self._kept_and_missing(of_date)[1]:
                self.put(served.place, dated)
                return dated, of_date
        raise Offline(
            f"the cached records of {requests[0].info.dataset_id} for {served.span} belong to different "
            f"versions of the dataset: {', '.join(filter(None, dict.fromkeys(editions)))}",
            advice=ONLINE,
            place=served.url,
        )

    def _info_now(self, dataset_id: str) -> tuple[Info, datetime]:
        """Ask the server for the ``info`` of a dataset, and save the reply."""
        content = self._ask_info(dataset_id)
        self.save(f"{folder_of(dataset_id)}/info", content)
        return read_info(dataset_id, content["info"], self._info_url(dataset_id)), _moment_of(content)

    def _renewed(self, served: ServedRange, info: Info, seen: datetime) -> ServedRange | None:
        """Return the range according to a new ``info``, if its version differs or the range is shorter;
        otherwise None.
        """
        start, stop = max(served.start, info.start), min(served.stop, info.stop)
        if start >= stop:
            raise self._nothing(info, served.span)
        renewed = replace(
            served,
            start=start,
            stop=stop,
            modified=info.modified,
            described=info.described,
            redescribed=_redescribed(served, info),
            last=info.stop.isoformat(),
            seen=seen,
            url=self._data_url(info.dataset_id, TimeRange(start, stop)),
        )
        same = renewed.edition(stop) == served.edition(stop) and renewed.span == served.span
        return None if same else renewed

    def _renewed_after(
        self, dataset_id: str, served: ServedRange, failure: DataError | None
    ) -> ServedRange | None:
        """Check the version of the dataset after the records were received; return the new range, or None if
        nothing changed or the check failed after an earlier error.
        """
        try:
            return self._renewed(served, *self._info_now(dataset_id))
        except DataError:
            if failure is None:
                raise
            return None

    def _adopt(self, renewed: ServedRange) -> None:
        """Use another version of the dataset for a range from now on."""
        with self.replies.alone(renewed.place):
            self.put(renewed.place, renewed)
            self._save_located(renewed)

    def _nothing(self, info: Info, time_range: TimeRange) -> DataError:
        text = f"{info.dataset_id} has no record for {time_range} on {self.server}"
        return self.absent(text, _span_of(info), last=info.stop, follows=time_range.start >= info.stop)

    def _info(self, dataset_id: str, *, longest: float | None = None) -> Info:
        return self._info_and_age(dataset_id, longest=longest)[0]

    def _info_and_age(self, dataset_id: str, *, longest: float | None) -> tuple[Info, datetime]:
        """Return the ``info`` of a dataset, and the time when the server gave it."""
        saved = self.saved(
            f"{folder_of(dataset_id)}/info",
            lambda: self._ask_info(dataset_id, longest),
            _SavedInfo,
            never_asked=self._never_asked(dataset_id),
            longest=longest,
        )
        return read_info(dataset_id, saved["info"], self._info_url(dataset_id)), _moment_of(saved)

    def _info_url(self, dataset_id: str, longest: float | None = None) -> str:
        words = self._dialect(None if longest is None else DAY).words
        return self._request("info", {words[0]: dataset_id})

    def _ask_info(self, dataset_id: str, longest: float | None = None) -> dict[str, Any]:
        """Ask the server for the ``info`` of a dataset; return it with the time of the request."""
        url = self._info_url(dataset_id, longest)
        known = self._unknown.get(dataset_id)
        if known is not None:
            raise UnknownDataset(known.message, advice=known.advice, place=url)
        try:
            reply = self._json(url, f"'{dataset_id}'")
        except UnknownDataset as error:
            error.message = f"no dataset is called '{dataset_id}' on {self.server}"
            error.advice = self.close_ids(dataset_id)
            self._unknown[dataset_id] = error
            raise
        return {"info": reply, "seen": self.http.clock.utc().isoformat()}

    def _dialect(self, longest: float | None = None) -> Dialect:
        url = f"{self.url}/capabilities"

        def ask() -> Any:
            return self._json(url, "its capabilities")

        saved = self.saved(
            "capabilities",
            ask,
            dict[str, Any],
            never_asked=self._never_asked("its capabilities"),
            longest=longest,
        )
        version = saved.get("HAPI")
        if not _VERSION.match(str(version)):  # an earlier helio may have kept it
            raise self._other_version(version, url)
        formats = saved.get("outputFormats")
        return Dialect(
            str(version), tuple(str(form) for form in formats) if isinstance(formats, list) else ("csv",)
        )

    def _other_version(self, version: Any, url: str) -> Refused:
        speaks = f"uses HAPI '{one_line(version, 40)}'"
        if version is None:
            speaks = "does not say which version of HAPI it uses"
        return Refused(
            f"{self.server} {speaks}; helio understands only HAPI 2 and HAPI 3",
            advice="choose another server, or download files of the dataset and use --archive DIR",
            place=url,
        )

    def close_ids(self, dataset_id: str) -> str:
        """Suggest dataset ids similar to an unknown id; some servers divide a dataset into ``ID@0``, ``ID@1``
        and so on.
        """
        advice = super().close_ids(dataset_id)
        if not advice:
            return ""
        split = [
            name for name in self.datasets() if name != dataset_id and name.partition("@")[0] == dataset_id
        ]
        return (
            f"choose one of {', '.join(split)}: the server divides this dataset into them, because its "
            "parameters have different times"
            if split
            else advice
        )

    # Records

    def _asked(self, info: Info, served: ServedRange, name: str) -> ParameterRequest:
        """Return the requests for a parameter, with the cache of their replies."""
        together = info.together(name)
        length = record_bytes(together)
        why_csv = self._why_csv(length)
        form: Format = "csv" if why_csv else "binary"
        columns = sum(parameter.elements for parameter in together[1:])
        layout = [
            [parameter.name, parameter.kind, list(parameter.size), parameter.length] for parameter in together
        ]
        series = PieceSeries(
            folder=f"{folder_of(self.folder, info.dataset_id)}/{folder_of(name)}",
            layout=hashlib.sha256(json.dumps(layout).encode()).hexdigest()[:16],
            suffix=".bin" if form == "binary" else ".csv",
            described=hashlib.sha256(
                json.dumps([parameter.described for parameter in together]).encode()
            ).hexdigest()[:16],
        )
        size = length if form == "binary" else _CSV_BYTES[0] + columns * _CSV_BYTES[1]
        return ParameterRequest(info, served, info.parameter(name), together, form, series, size, why_csv)

    def _why_csv(self, length: int) -> str:
        """Return the reason why records come as CSV; return an empty text if they come in binary.

        Parameters
        ----------
        length : int
            Number of bytes of a binary record; 0 if the server does not give the length of its texts.
        """
        why = ""
        if "binary" not in self._dialect().formats:
            why = f"{self.server} does not offer binary"
        elif self._binary_refused():
            why = f"{self.server} offers binary but {self._binary_refused()}"
        elif not length:
            why = f"{self.server} does not say how long its texts are"
        return f"{why}, so the records were requested as CSV" if why else ""

    def _binary_refused(self) -> str:
        """Return how the server refused to send binary; helio remembers the refusal until a run with `refresh`."""
        if not self._no_binary and not self.refresh:
            saved = self.replies.load(f"{self.folder}/no-binary", str)
            self._no_binary = saved.content if saved else ""
        return self._no_binary

    def _all_pieces(self, every: Sequence[ParameterRequest], drafts: Drafts) -> dict[str, list[Piece]]:
        """Return all replies for each parameter in order of time; request those that are not in the cache."""
        pieces, missing = self._kept_and_missing(every)
        if missing and self.offline:
            first, span = missing[0]
            more = ""
            if len(missing) > 1:
                more = f", and {number_of(len(missing) - 1, 'further interval is', 'further intervals are')} missing"
            raise Offline(
                f"helio is offline, and {first.parameter.name} of {first.info.dataset_id} for {span} is not "
                f"cached{more}",
                advice=ONLINE,
                place=first.found.url,
            )
        if missing:
            durations: dict[str, timedelta] = {}
            for request, span in missing:
                durations[request.parameter.name] = (
                    durations.get(request.parameter.name, timedelta()) + span.duration
                )
            with self._begin(missing) as tally:
                tasks = [
                    partial(self._get, request, span, durations[request.parameter.name], tally, drafts)
                    for request, span in missing
                ]
                for (request, _), answered in zip(missing, self.transfers.run(tasks, tally), strict=True):
                    pieces[request.parameter.name] += answered
        return {
            name: sorted(of_parameter, key=lambda piece: piece.span.start)
            for name, of_parameter in pieces.items()
        }

    def _kept_and_missing(
        self, every: Sequence[ParameterRequest]
    ) -> tuple[dict[str, list[Piece]], list[tuple[ParameterRequest, TimeRange]]]:
        """Return the cached replies by parameter, and the intervals that helio must request."""
        pieces: dict[str, list[Piece]] = {}
        missing: list[tuple[ParameterRequest, TimeRange]] = []
        for request in every:
            pieces_here, gaps = self._pieces.cover(request.series, request.found.span, self._usable(request))
            if gaps and self.offline:
                pieces_here, gaps = self._pieces.cover(
                    request.series, request.found.span, self._usable(request, incomplete=True)
                )
            pieces[request.parameter.name] = pieces_here
            missing += [(request, span) for gap in gaps for span in _cut(gap, request.longest)]
        return pieces, missing

    def _usable(
        self, request: ParameterRequest, *, incomplete: bool = False
    ) -> Callable[[CachedReply, TimeRange], bool]:
        """Return a function that checks whether a cached reply belongs to the requested version of the dataset."""
        served = request.found

        def is_usable(reply: CachedReply, span: TimeRange) -> bool:
            if reply.incomplete and not incomplete:
                return False
            if self.offline:  # of the same date; earlier versions of helio noted none
                return reply.modified == served.modified or not reply.described
            return reply.edition == served.edition(span.stop) and (
                bool(served.modified) or reply.info == request.info.described
            )

        return is_usable

    def _begin(self, missing: Sequence[tuple[ParameterRequest, TimeRange]]) -> AbstractContextManager[Tally]:
        """Reserve bytes for intervals before helio requests them; reserve none if the size is unknown."""
        sizes = [_size_of(request, span) for request, span in missing]
        known = [size for size in sizes if size is not None]
        size = int(sum(known)) if len(known) == len(sizes) else 0
        return self.transfers.begin(len(missing), size, f"about {in_words(size)}", likely=int(size * 1.1))

    def _get(
        self,
        request: ParameterRequest,
        span: TimeRange,
        whole: timedelta,
        tally: Tally,
        drafts: Drafts,
        continued: int = _CONTINUED,
    ) -> list[Piece]:
        """Request an interval; if the interval is longer than the server gives at once, request its two halves.

        If nothing shows that a reply is complete, and its last record is far from the end of the interval, helio
        requests the rest.

        Parameters
        ----------
        whole : timedelta
            Total duration of the parameter that the fetch needs.
        continued : int
            Maximum number of further requests for the rest.
        """
        with self._lock:
            at_once = self._at_once.setdefault(request.series.folder, IntervalLimit())
        middle = (span.start + span.duration / 2).replace(microsecond=0)
        half = span.stop - middle
        if at_once.allows(span.duration):
            url = self._data_url(request.info.dataset_id, span, request.names, request.form)
            try:
                body, has_end = self._body(request, span, url, tally)
            except IntervalTooLong as error:
                in_a_row = at_once.refused(span.duration, half)
                self._refuse_too_little(request, span, whole, str(error))
                if in_a_row > _TOLERATED:
                    self.http.pause(_PAUSE)
            else:
                with self._pieces.draft(body, drafts) as draft:
                    records = _read(request, body, url)  # what cannot be read is not kept
                    _refuse_strangers(records, span, self.server, url)
                    at_once.gave(span.duration)
                    tally.done()
                    reached = span.stop if has_end else records.reached(span)
                    missing = _cadences(span.stop - reached, request.info.cadence)
                    progress = reached > span.start
                    if missing <= _NEARLY or (missing <= _FEW and not progress and continued < _CONTINUED):
                        cut = _may_be_cut(body, request, span)
                        return [self._keep(request, span, draft, url, records, incomplete=cut)]
                    if not continued:
                        why = _may_have_ended(span, records, request.info.cadence)
                        return [self._keep(request, span, draft, url, records, incomplete=why)]
                    tally.more()
                    if not progress:  # once more, for a reply that brought nothing
                        return self._get(request, span, whole, tally, drafts, 0)
                    before = TimeRange(span.start, reached)  # all that lies before the last record has come
                    return [
                        self._keep(request, before, draft, url, records),
                        *self._get(
                            request, TimeRange(reached, span.stop), whole, tally, drafts, continued - 1
                        ),
                    ]
        tally.more()
        return [
            *self._get(request, TimeRange(span.start, middle), whole, tally, drafts),
            *self._get(request, TimeRange(middle, span.stop), whole, tally, drafts),
        ]

    def _keep(
        self,
        request: ParameterRequest,
        span: TimeRange,
        draft: Draft,
        url: str,
        records: Records,
        *,
        incomplete: str = "",
    ) -> Piece:
        piece = self._pieces.keep(
            request.series,
            span,
            draft,
            url,
            edition=request.found.edition(span.stop),
            modified=request.found.modified,
            info=request.info.described,
            incomplete=incomplete,
        )
        return replace(piece, records=records)

    def _refuse_too_little(
        self, request: ParameterRequest, span: TimeRange, whole: timedelta, reason: str
    ) -> None:
        """Raise an error if half an interval would be shorter than a record, or if too many requests would be
        needed.
        """
        half = span.duration / 2
        name = f"{request.parameter.name} of {request.info.dataset_id}"
        if half < max(_SHORTEST, request.info.cadence or _SHORTEST):
            raise Refused(
                f"{self.server} sends no {name}, not even for {span} ({reason})",
                advice="report this to the server's operators",
            )
        if whole / half > _MOST_REQUESTS:
            raise Refused(
                f"{self.server} gives less than {_in_time(span.duration)} of {name} at once ({reason}), "
                f"so {_in_time(whole)} would take more than {_MOST_REQUESTS:,} requests",
                advice="choose a shorter time range, or run again later: the server may be busy; the data "
                "received so far are kept",
            )

    def _body(self, request: ParameterRequest, span: TimeRange, url: str, tally: Tally) -> tuple[bytes, bool]:
        """Request the records of an interval; return the records, and whether the server marks the end of the reply."""
        counted = 0
        what = f"{request.parameter.name} of {request.info.dataset_id} for {span}"

        def receive(answer: OpenReply) -> tuple[bytes, bool]:
            nonlocal counted
            tally.add(-counted)  # what an earlier attempt brought came in vain
            counted = 0
            parts: list[bytes] = []
            try:
                for part in answer.parts(_MOST_AT_ONCE):
                    parts.append(part)
                    counted += len(part)
                    tally.add(len(part))
            except ReplyTooLarge as error:
                raise IntervalTooLong(f"more than {in_words(_MOST_AT_ONCE)}") from error
            header, body = hapi_reply.split_header(b"".join(parts))
            status = hapi_reply.status_in(header) or hapi_reply.status_of(answer.status, answer.reason, body)
            if status.code == hapi_reply.EMPTY and (not body or hapi_reply.is_json(body)):
                return b"", True
            if status.code == hapi_reply.NO_FORMAT and request.form == "binary":
                raise NoBinary(f"refuses binary ({status.code}: {status.message})")
            if status.code == hapi_reply.TOO_MUCH:
                raise IntervalTooLong(hapi_reply.in_words(status))
            if status.code == hapi_reply.EMPTY:
                raise DamagedFile(
                    f"{self.server} reports that it has no {what} (1201), but sends {len(body)} bytes",
                    advice="report this to the server's operators",
                    place=url,
                )
            if status.code != hapi_reply.OK:
                raise hapi_reply.error_of(status, self.server, what, url)
            if hapi_reply.is_page(body) or hapi_reply.is_json(body):
                kind = "a web page" if hapi_reply.is_page(body) else "a JSON object"
                raise DamagedFile(
                    f"{self.server} sends {kind} instead of {what}",
                    advice="open the address in a browser: the server may be under maintenance",
                    place=url,
                )
            kind = answer.headers.get("content-type", "")
            if request.form == "binary" and body and (kind.startswith("text/csv") or hapi_reply.is_csv(body)):
                raise NoBinary("sends text when binary is requested")
            self._refuse_other_header(header, request, url)
            _check_whole(body, request, has_end=answer.has_end)
            return body, answer.has_end

        try:
            return self.http.exchange(url, receive, expected=hapi_reply.UNDERSTOOD, in_bulk=True)
        except NoData:
            # outside the server's present records, contrary to its info: the next run asks again
            self._forget(request)
            raise

    def _refuse_other_header(self, header: dict[str, Any], request: ParameterRequest, url: str) -> None:
        """Compare a header that comes together with the records to the ``info`` with which helio reads these
        records.
        """
        info = request.info
        if "parameters" not in header:
            return
        header_info = read_info(
            info.dataset_id,
            {"startDate": info.start.isoformat(), "stopDate": info.stop.isoformat()} | header,
            url,
        )
        pairs = zip_longest(request.together, header_info.parameters)
        different = [
            (theirs or other).name
            for theirs, other in pairs
            if not (theirs and other and theirs.reads_like(other))
        ]
        if header_info.modified and header_info.modified != request.found.modified:
            different.append("modificationDate")
        if different:
            raise DamagedFile(
                f"{self.server} describes the records of {request.parameter.name} differently from its info: "
                f"{', '.join(different)}",
                advice="run again; if the error stays, report it to the server's operators",
                place=url,
            )

    def _forget(self, request: ParameterRequest) -> None:
        self.replies.forget(f"{self.folder}/{folder_of(request.info.dataset_id)}/info")
        self.replies.forget(request.found.place)

    # Asking

    def _request(self, endpoint: str, query: dict[str, str]) -> str:
        words = "&".join(f"{name}={quote(value, safe=':,')}" for name, value in query.items())
        return f"{self.url}/{endpoint}{f'?{words}' if words else ''}"

    def _data_url(
        self, dataset_id: str, span: TimeRange, parameters: Sequence[str] = (), form: str = ""
    ) -> str:
        dataset, start, stop = self._dialect().words
        query = {dataset: dataset_id}
        query |= {"parameters": ",".join(parameters)} if parameters else {}
        query |= {start: _hapi_time(span.start), stop: _hapi_time(span.stop)}
        return self._request("data", query | ({"format": form} if form else {}))

    def _json(self, url: str, what: str) -> dict[str, Any]:
        """Return a JSON reply, after checking that its HAPI status is OK."""

        def receive(answer: OpenReply) -> dict[str, Any]:
            body = answer.read()
            status = hapi_reply.status_of(answer.status, answer.reason, body)
            if status.code != hapi_reply.OK:
                raise hapi_reply.error_of(status, self.server, what, url)
            try:
                reply = read_json(body, self.http.limits.reply_bytes, self.server)
            except UnusableJson as error:
                raise answer.odd_json(error) from error
            except ValueError as error:
                raise answer.not_json(body) from error
            if not isinstance(reply, dict):
                raise DamagedFile(
                    f"{self.server} answers with {_KIND_OF_JSON.get(type(reply), 'a number')} instead "
                    "of a JSON object",
                    advice="report this to the server's operators",
                    place=url,
                )
            version = reply.get("HAPI")
            if version is not None and not _VERSION.match(str(version)):
                raise self._other_version(version, url)
            return reply

        return self.http.exchange(
            url, receive, headers=lambda: {"Accept": "application/json"}, expected=hapi_reply.UNDERSTOOD
        )

    def _never_asked(self, what: str) -> str:
        return f"helio is offline, and its cache has no reply of {self.server} for {what}"


_MOMENTS = ("start", "stop", "seen")


@dataclass(frozen=True)
class _SavedRange:
    """A `ServedRange` as JSON in the cache; earlier versions of helio saved neither of the two descriptions."""

    start: NaiveInstant
    stop: NaiveInstant
    modified: str
    last: str
    asked: str
    seen: NaiveInstant
    url: str
    place: str
    described: str = ""
    redescribed: str = ""

    def read(self) -> ServedRange:
        """Return the saved range, with its times as datetimes."""
        moments = {name: datetime.fromisoformat(getattr(self, name)) for name in _MOMENTS}
        return ServedRange(**{**vars(self), **moments})


class _SavedInfo(TypedDict):
    """The saved ``info`` of a dataset."""

    info: dict[str, Any]
    seen: NaiveInstant


def _read(request: ParameterRequest, body: bytes, url: str) -> Records:
    from helio.sources.hapi_data import read_records

    try:
        return read_records(body, request.form, request.together)
    except DamagedFile as error:
        raise error.located(url) from error.__cause__


def _redescribed(before: ServedRange, info: Info) -> str:
    """Return how the server describes a dataset, if this changed although the ``modificationDate`` did not."""
    if before.modified != info.modified:
        return ""
    changed = before.described not in ("", info.described)
    return info.described if changed else before.redescribed


def _moment_of(content: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(content["seen"])


def _refuse_strangers(records: Records, span: TimeRange, server: str, url: str) -> None:
    """Refuse a reply if most of its records would be left out, because they are outside of the interval or repeat an
    epoch.

    Raises
    ------
    DamagedFile
    """
    used = records.epoch.size - records.outside(span)
    if 2 * used < records.sent:
        raise DamagedFile(
            f"only {used} of the {records.sent} records that {server} sends for {span} can be used: the "
            "others lie outside of the interval or repeat an epoch",
            advice="report this to the server's operators",
            place=url,
        )


def _cadences(duration: timedelta, cadence: timedelta | None) -> float:
    """Return how many cadences long a duration is; infinite if the cadence is unknown, but zero for a duration
    of zero.
    """
    if not duration:
        return 0.0
    return duration / cadence if cadence else math.inf


def _expected(table: Table, request: ParameterRequest) -> str:
    """Return a note on how many records the range should have by the cadence, if the table has clearly fewer."""
    cadence = request.info.cadence
    if cadence is None:
        return ""
    return expected_note(len(table), request.found.span.duration // cadence, _in_time(cadence))


def _may_have_ended(span: TimeRange, records: Records, cadence: timedelta | None) -> str:
    """Return the reason why a reply may lack records at its end; empty if there is none."""
    left = _in_time(span.stop - records.reached(span))
    last = (
        f"its last record is {left} before the end of the request"
        if records.epoch.size
        else "it has no record"
    )
    every = f"the cadence is {_in_time(cadence)}" if cadence else "the server gives no cadence"
    return (
        f"the reply for {span} may be incomplete: {last}, {every}, and the server does not say how long "
        "the reply is"
    )


def _may_be_cut(body: bytes, request: ParameterRequest, span: TimeRange) -> str:
    """Return a note if the last line of a CSV reply has no line end, because its last number may then lack digits."""
    if request.form == "binary" or not body.strip() or body.endswith(b"\n"):
        return ""
    return f"the last line of the reply for {span} has no line end, so its last record may be cut off"


def _check_whole(body: bytes, request: ParameterRequest, *, has_end: bool) -> None:
    """Raise an error for a body that ends within a record; `has_end` says whether the server marked the end of the
    body.

    A complete body without a whole number of records does not match the server's description; `read_records` finds this
    later.
    """
    if request.form == "binary":
        if len(body) % record_bytes(request.together) and not has_end:
            raise BadBody("is cut off inside a record")
        return
    lines = body.strip()
    first, last = lines.partition(b"\n")[0], lines[lines.rfind(b"\n") + 1 :]
    columns = sum(parameter.elements for parameter in request.together)
    if not has_end and lines and (last.count(b",") + 1 < columns or not body.endswith(b"\n")):
        raise BadBody("is cut off inside a record")
    if last.count(b",") < first.count(b","):
        raise BadBody("is cut off inside a record")


def _size_of(request: ParameterRequest, span: TimeRange) -> float | None:
    """Return the estimated number of bytes of an interval; None if the server does not state a cadence."""
    cadence = request.info.cadence
    return None if cadence is None else request.size * (span.duration / cadence)


def _cut(span: TimeRange, longest: timedelta) -> list[TimeRange]:
    """Divide an interval into parts of at most `longest`, at times that do not depend on the requested range.

    There are at most about `_MOST_REQUESTS` parts, for every cadence and every `longest`: if the server refuses a part
    as too long, helio halves this part later.
    """
    shortest = span.duration / _MOST_REQUESTS
    longest = max(longest, shortest)
    if span.duration <= longest:
        return [span]
    step = max((step for step in _STEPS if shortest <= step <= longest), default=longest)
    edges = [span.start]
    edge = _EPOCH + step * ((span.start - _EPOCH) // step + 1)
    while edge < span.stop:
        edges.append(edge)
        edge += step
    return [TimeRange(start, stop) for start, stop in pairwise([*edges, span.stop])]


def _may_be_id(dataset_id: str) -> bool:
    return (
        bool(dataset_id.strip())
        and len(dataset_id) <= _LONGEST_ID
        and dataset_id.isprintable()
        and "," not in dataset_id
    )


def _span_of(info: Info) -> str:
    return (
        f"choose another time range: the records of the dataset run from {_hapi_time(info.start)} to "
        f"{_hapi_time(info.stop)}"
    )


def _file_of(dataset_id: str, span: TimeRange) -> str:
    return f"{dataset_id}_{_span_name(span)}"


def _span_name(span: TimeRange) -> str:
    return f"{_compact(span.start)}_{_compact(span.stop)}"


def _in_time(duration: timedelta) -> str:
    """Write a duration in words: ``45 s``, ``14 min``, ``3.5 h``, ``10 days``."""
    seconds = duration.total_seconds()
    for length, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def _compact(moment: datetime) -> str:
    return _hapi_time(moment).replace("-", "").replace(":", "")


def _hapi_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + (f".{moment:%f}Z" if moment.microsecond else "Z")
