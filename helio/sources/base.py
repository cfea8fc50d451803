"""The base class of every data source that helio asks over the network: a new source is one subclass in one file.

Choose the base class by what the archive gives:

- whole files, such as CDFs in folders or named by a service: `helio.sources.file_source.FileSource`. Write `datasets`
  and `list_files`; the base class downloads, caches and reads the files.
- records of a range, as one reply in JSON: `helio.sources.reply_source.ReplySource`. Write `datasets`,
  `parameters_of`, `url_of` and `read`; the base class requests, caches and names the replies.
- anything else: `Source`. Write `datasets`, `locate` and `fetch`; the base class can request and cache replies.

Every subclass sets `title` and `address`. No subclass overrides ``__init__``: it sets its own attributes in `prepare`.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from helio.errors import (
    DataError,
    NoData,
    NotYetPublished,
    Offline,
    RequestError,
    UnknownParameter,
    did_you_mean,
)
from helio.sources.allowance import MAX_DOWNLOAD, Allowance, allowance_of, in_words
from helio.sources.answer import OpenReply
from helio.sources.file_digests import FileDigests
from helio.sources.http import Http
from helio.sources.provider import Listings
from helio.sources.saved_replies import SavedReplies
from helio.sources.transfers import Progress, Transfers
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader
    from helio.sources.witness import Witness
    from helio.store.table import Table

log = logging.getLogger(__name__)

T = TypeVar("T")

HOUR, DAY = 3600.0, 86_400.0
_SETTLED_AFTER = timedelta(days=30)
"""Age from which data count as final; archives often replace younger data while they validate them."""
_STILL_GROWING = timedelta(days=180)
"""If the last record of a dataset is older than this, helio expects no further records."""
ONLINE = "run once without --offline"


class Source(ABC):
    """Base class for sources of data on the network; it satisfies `helio.sources.provider.Provider`.

    The base class does this for every subclass: it limits the number of simultaneous requests to a host, repeats failed
    requests if this may help, and sends requests only to the source's own hosts (`http`). It saves replies, and
    requests each reply only once, even for several threads (`saved`, `once`). It counts downloads against the limit of
    the run and ends them at Ctrl-C (`transfers`). With `offline` it sends no request.

    Parameters
    ----------
    cache : Path
        Folder of the cache; several processes may share it.
    http : Http, optional
    url : str
        Address to use instead of the source's own address.
    server : str
        Name of the server in records, for a source of many servers.
    reader : CdfReader, optional
        Reads the files; the source does not close the reader. A source without files needs no reader.
    digests : FileDigests, optional
        Gives the digest of a file; if this object saves digests, a run need not read large files again.
    limit : int, Allowance or None
        Number of bytes that all fetches may download; other sources of the run share an `Allowance`.
    offline : bool
        Work offline: use cached data of any age, and raise `Offline` for missing data.
    refresh : bool
        Request data again although they are in the cache.
    ask_again : bool
        Ask for the lists of files, or the descriptions of datasets, again although the cache has them.
    listed : Listings, optional
        Known files; for these the source does not ask the archive for a listing.
    on_progress : callable, optional
        Called with the progress of downloads.
    """

    title: ClassVar[str]
    """Name of the source in messages, such as ``"SWPC"``; the source's name in records and figures begins with this
    title.
    """
    keeps: ClassVar[timedelta | None] = None
    """How long the service keeps its data, if not for ever."""
    address: ClassVar[str]
    """The URL of the archive; the user can replace it with ``$HELIO_NAME_URL``."""
    further_addresses: ClassVar[tuple[str, ...]] = ()
    """Addresses on other hosts that the source's replies may redirect to."""
    publisher: ClassVar[str] = ""
    """Publisher of the data in citations; if empty, citations use the source's name in records."""
    subjects: ClassVar[str] = ""
    """Words for which ``helio datasets search`` names the source, because helio's catalogue does not list its
    datasets.
    """
    locates_by_download: ClassVar[bool] = False
    """Whether `locate` must download the data to name their version, because the archive has no list of files."""
    question: ClassVar[str] = ""
    """The question that `probe` asks, in words; ``helio doctor`` does not test a source if this text is empty."""

    def __init__(
        self,
        cache: Path,
        http: Http | None = None,
        *,
        url: str = "",
        server: str = "",
        reader: CdfReader | None = None,
        digests: FileDigests | None = None,
        limit: int | Allowance | None = MAX_DOWNLOAD,
        offline: bool = False,
        refresh: bool = False,
        ask_again: bool = False,
        listed: Listings | None = None,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self.url = self.full_address(url or self.address)
        self.http = (http or Http()).at(
            self.url, *self.further_addresses, by_user=bool(url) and self.is_named_by_user(self.url)
        )
        self.server = server
        self.cache = cache
        self.reader = reader
        self.digests = digests or FileDigests()
        self.allowance = allowance_of(limit)
        self.offline = offline
        self.refresh = refresh and not offline
        self.ask_again = ask_again and not offline
        self.listed = listed or {}
        self.on_progress = on_progress
        self.folder = self.folder_of_address(self.url)
        """Cache folder for the replies and data of this server, relative to the folders of the cache."""
        self.replies = SavedReplies(cache / "replies", self.http.clock.now)
        self.transfers = Transfers(self.http, self.allowance, on_progress)
        self._replies_here: dict[str, tuple[Any, bool]] = {}
        """Replies by name, each with a flag that says whether the reply is still fresh."""
        self._made_once: dict[str, Any] = {}
        self.prepare()

    # What a source says of itself

    @abstractmethod
    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, Offline
        """

    @abstractmethod
    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the files or replies that cover [start, stop), without downloading records.

        The names decide whether helio computes a result again: equal data must have equal names before and after the
        download, and different data must have different names.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData, NotYetPublished
            The range has no data; the message names the range that has data.
        ServerUnavailable, RateLimited, Refused
            The server does not give the data.
        Offline
            The run is offline, and the cache does not have the reply.
        """

    @abstractmethod
    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) and return a table for each parameter.

        Returns
        -------
        dict of str to Table
            Tables by parameter, each with at least one record, increasing epochs, fill values as NaN, and the files or
            replies from which the table came.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, NotYetPublished
        DamagedFile
            The received data differ from what the server announced, or cannot be read.
        ServerUnavailable, RateLimited, Refused, Offline, TooLarge, OutputError
            The data cannot be downloaded; helio keeps what was received.
        """

    @property
    def name(self) -> str:
        """Name of the source in records and in footers of figures."""
        return self.title

    def prepare(self) -> None:  # noqa: B027 - many sources need nothing
        """Prepare the attributes that a subclass adds; called once, at the end of ``__init__``."""

    @classmethod
    def full_address(cls, url: str) -> str:
        """Return the complete URL for an address that the user may have given in a short form.

        Raises
        ------
        RequestError
            The text is not a URL.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise RequestError(
                f"'{url}' is not the URL of a server", advice=f"use a URL such as {cls.address}"
            )
        return url.rstrip("/")

    @classmethod
    def folder_of_address(cls, url: str) -> str:
        """Return the cache folder for a server's address; each address has its own folder."""
        return f"{folder_name(cls.title.lower())}/{folder_name(urlsplit(url).netloc)}"

    @classmethod
    def is_named_by_user(cls, url: str) -> bool:
        """Return whether the user chose this address; only an address chosen by the user may be on a private
        network.
        """
        return True

    @classmethod
    def known_datasets(cls) -> Mapping[str, Collection[str]]:
        """Return the datasets that the source knows without a request, each with its parameters."""
        return {}

    @classmethod
    def has_catalogued_ids(cls, name: str) -> bool:
        """Return whether the source uses the dataset ids of helio's catalogue."""
        return False

    @classmethod
    def server_of(cls, url: str) -> str:
        """Return the address of the server to which a URL in a record belongs; empty for a source with only one
        server.
        """
        return ""

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Send one small test request with a known answer, and describe the reply for ``helio doctor``.

        Parameters
        ----------
        url : str
            The full address.
        http : Http
            Client that sends requests only to the source's hosts.
        witness : Witness
            Object that keeps the certificate and the clock of each server that replies.

        Raises
        ------
        DataError
            The source does not reply, or its reply is wrong.
        """
        raise NotImplementedError(
            f"{cls.title} sets the attribute 'question' but does not define the method 'probe'"
        )

    # Asking, for subclasses

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the value for a name; make the value at the first call, and keep it as long as this object exists.

        Parameters
        ----------
        key : str
            Name of the value; if several threads need it at the same time, one makes it and the others wait.
        """
        with self.replies.alone(key):
            if key not in self._made_once:
                self._made_once[key] = make()
        value: T = self._made_once[key]
        return value

    def put(self, key: str, value: object) -> None:
        """Replace the value that `once` keeps for a name."""
        self._made_once[key] = value

    def forget(self, key: str) -> None:
        """Delete the value that `once` keeps for a name, so that `once` makes a new value."""
        with self.replies.alone(key):
            self._made_once.pop(key, None)

    def saved(
        self,
        name: str,
        ask: Callable[[], Any],
        kind: Any,
        *,
        never_asked: str,
        longest: float | None = DAY,
    ) -> Any:
        """Return a reply from the cache; if the cache does not have the reply, request it and save it.

        An empty reply is not saved, because the server may have had a temporary problem.

        Parameters
        ----------
        name : str
            Name of the reply in the cache, below `folder`.
        ask : callable
            Function that sends the request.
        kind : type
            Type of the saved content: ``list[str]``, a TypedDict, a dataclass; other content is requested again.
        never_asked : str
            Message for an offline run that needs the reply.
        longest : float or None
            Largest age of the reply in seconds; None allows any age. An offline run accepts any age.

        Raises
        ------
        Offline
            The run is offline, and the cache does not have the reply.
        """
        name = f"{self.folder}/{name}"
        with self.replies.alone(name):
            content, fresh = self._replies_here.get(name, (None, False))
            if content is None or not (fresh or longest is None):
                saved_reply = None
                if not self.refresh:
                    saved_reply = self.replies.load(name, kind, longest=None if self.offline else longest)
                if saved_reply is None and self.offline:
                    raise Offline(never_asked, advice=ONLINE)
                content = saved_reply.content if saved_reply else ask()
                if saved_reply is None and content:
                    self.replies.save(name, content)
                self._replies_here[name] = (content, saved_reply is None or longest is not None)
        return content

    def is_saved(self, name: str, kind: Any, *, longest: float = DAY) -> bool:
        """Return whether the cache has this reply, so that `saved` would send no request."""
        name = f"{self.folder}/{name}"
        return (
            name in self._replies_here
            or self.replies.load(name, kind, longest=None if self.offline else longest) is not None
        )

    def save(self, name: str, content: Any) -> None:
        """Save in the cache a reply that was not requested with `saved`; replace any earlier reply with this name."""
        name = f"{self.folder}/{name}"
        with self.replies.alone(name):
            self.replies.save(name, content)
            self._replies_here[name] = (content, True)

    def counted(self, answer: OpenReply, what: str, read: Callable[[], T]) -> T:
        """Read a reply, and count it as a download: in the progress, and against the download limit of the run.

        Parameters
        ----------
        read : callable
            Function that reads the whole reply, such as ``answer.json``.

        Raises
        ------
        TooLarge
            The reply is larger than the run may download.
        ServerUnavailable, ReplyTooLarge, Refused, DamagedFile
            As for `helio.sources.answer.OpenReply.json`, or for another `read`.
        """
        size = answer.length
        with self.transfers.begin(1, size, f"{what} of {in_words(size)}", shown=size) as tally:
            tally.add(0)
            reply = read()
            tally.add(answer.received)
            tally.done()
        return reply

    # Freshness, for subclasses

    def is_young(self, heard_at: datetime, longest: float = HOUR) -> bool:
        """Return whether a reply is at most `longest` seconds old; return False for a reply dated in the future."""
        return timedelta() <= self.http.clock.utc() - heard_at <= timedelta(seconds=longest)

    def is_fresh(self, heard_at: datetime, stop: datetime) -> bool:
        """Return whether a cached reply about data up to `stop` may be used: always if the data were final, otherwise
        for one hour.
        """
        return is_settled(stop, heard_at) or self.is_young(heard_at)

    def absent(self, text: str, advice: str, *, last: datetime | None, follows: bool) -> DataError:
        """Return the error for a range without data: `NotYetPublished` if the dataset will probably cover the range
        later.

        Parameters
        ----------
        last : datetime or None
            Time of the dataset's last record; None if it is unknown.
        follows : bool
            Whether the range begins after `last`.
        """
        if follows and last is not None and self.http.clock.utc() - last < _STILL_GROWING:
            return NotYetPublished(text, advice=advice)
        return NoData(text, advice=advice)

    def refuse_unknown(self, dataset_id: str, parameters: Sequence[str], known: Collection[str]) -> None:
        """Raise an error if a dataset lacks one of the requested parameters.

        Raises
        ------
        UnknownParameter
            No parameter has this name; the advice gives the closest names.
        """
        for name in parameters:
            if name not in known:
                raise UnknownParameter(
                    f"{dataset_id} has no parameter '{name}'",
                    advice=did_you_mean(
                        name, known, otherwise=f"choose one of its parameters: {', '.join(known)}"
                    ),
                )

    def close_ids(self, dataset_id: str) -> str:
        """Return advice for an unknown dataset id: the closest known ids; empty if no list of ids is available."""
        try:
            return did_you_mean(
                dataset_id, self.datasets(), otherwise="search for the dataset by its mission"
            )
        except DataError as error:  # that it is unknown is known all the same
            log.info("the list of all datasets is not available: %s", error.message)
            return ""

    def close(self) -> None:
        """Close the connections that are kept open."""
        self.http.close()


def is_settled(stop: datetime, at: datetime) -> bool:
    """Return whether data that end at `stop` were, at the moment `at`, old enough to count as final."""
    return at - stop >= _SETTLED_AFTER


def whole_seconds(time_range: TimeRange) -> str:
    """Write an interval in whole seconds, with `stop` rounded up: ``20240510T000000Z,20240511T000000Z``."""
    start = time_range.start.replace(microsecond=0)
    stop = time_range.stop.replace(microsecond=0)
    if stop < time_range.stop:
        stop += timedelta(seconds=1)
    return f"{start:%Y%m%dT%H%M%SZ},{stop:%Y%m%dT%H%M%SZ}"


def folder_name(address: str) -> str:
    """Turn a server's address into a name for its cache folder.

    >>> folder_name("127.0.0.1:8080/hapi")
    '127.0.0.1-8080-hapi'
    """
    return re.sub(r"[^A-Za-z0-9.-]", "-", address)
