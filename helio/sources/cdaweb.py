"""CDAWeb as a provider: its REST service says which files there are, whole CDFs are downloaded, kept and read."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from urllib.parse import quote, urljoin, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from helio.errors import (
    DamagedFile,
    DataError,
    NoData,
    NotYetPublished,
    Offline,
    Refused,
    RequestError,
    ServerUnavailable,
    UnknownDataset,
    UnknownParameter,
    did_you_mean,
)
from helio.sources.allowance import MAX_DOWNLOAD, Allowance
from helio.sources.downloads import Downloads, Kept, Progress, Wanted
from helio.sources.file_digests import FileDigests
from helio.sources.folder_listing import FolderFile, choose_files, folders_between, read_listing
from helio.sources.gather import Gathered, OneFile, gather
from helio.sources.http import Http
from helio.sources.local import is_preliminary, parse_file_name
from helio.sources.provider import Listings
from helio.sources.saved_replies import SavedReplies
from helio.sources.server_text import one_line, printable
from helio.store.records import Count, InstantOrEmpty, NaiveInstant
from helio.store.source_file import Proof, SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader
    from helio.store.table import Table

log = logging.getLogger(__name__)

NAME = "CDAWeb"
DATA_SERVICE = "CDAWeb data service"
URL = "https://cdaweb.gsfc.nasa.gov"
PUB_URL = "https://spdf.gsfc.nasa.gov/pub/"
REST = "/WS/cdasr/1/dataviews/sp_phys/"

WayIn = Literal["rest", "folders"]

_HOUR, _DAY = 3600.0, 86_400.0
_SETTLED_AFTER = timedelta(days=30)
"""Files of data older than that are seldom replaced; younger ones often are, while they are being validated."""
_STILL_GROWING = timedelta(days=180)
"""A dataset whose last record is younger is taken to get further ones."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+:-]*")


@dataclass(frozen=True)
class Listed:
    """A file as the archive lists it."""

    url: str
    size: Count = 0
    last_modified: str = ""
    start: InstantOrEmpty = ""
    stop: InstantOrEmpty = ""

    @property
    def name(self) -> str:
        """Its name without its folder."""
        return self.url.rpartition("/")[2]


class _BareListing(TypedDict):
    """The files of a range as they are kept."""

    span: tuple[NaiveInstant, NaiveInstant]
    files: list[Listed]


class _KeptListing(_BareListing, total=False):
    """The same with what earlier versions did not note."""

    doubted: bool


_KeptSpans = dict[str, dict[str, InstantOrEmpty]]
"""Start and stop of datasets as they are kept."""


class CdaWeb:
    """NASA's archive of space physics data; satisfies `helio.sources.provider.Provider`.

    Which files cover a range is asked once and kept: for good when the range is long past, for an hour when it ended
    within 30 days. That there are none is kept for an hour outside of the span that the archive states, and inside of
    it not at all. Files are kept below `cache`, each known by its bytes.

    Parameters
    ----------
    reader : CdfReader
        Reads the files; it is not closed here.
    cache : Path
        Where files and listings are kept; several processes may share it.
    http : Http, optional
    url : str
        Of the server, or of its REST service up to ``sp_phys/``.
    pub_url : str, optional
        Of the folders that hold ``catalogs/all.xml``; those of SPDF, or of another server that `url` names.
    way_in : "rest" or "folders"
        Who says which files there are: the REST service, or the listings of the folders. The other one is never
        asked in its stead.
    digests : FileDigests, optional
        Gives a file's digest; one that remembers saves reading large files in every run.
    limit : int, Allowance or None
        Bytes that all fetches may download; an `Allowance` is shared with whoever else has it.
    offline : bool
        Ask nobody: use what is kept, however old, and name what is missing.
    refresh : bool
        Ask again for each listing, and whether each file is still what the server has.
    listed : Listings, optional
        Files that are known, so that the archive is not asked which there are.
    told : callable, optional
        Is told the progress of downloads.

    References
    ----------
    CDAS REST web services, https://cdaweb.gsfc.nasa.gov/WebServices/REST/
    """

    def __init__(
        self,
        reader: CdfReader,
        cache: Path,
        http: Http | None = None,
        *,
        url: str = "",
        pub_url: str = "",
        way_in: WayIn = "rest",
        digests: FileDigests | None = None,
        limit: int | Allowance | None = MAX_DOWNLOAD,
        offline: bool = False,
        refresh: bool = False,
        listed: Listings | None = None,
        told: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._reader = reader
        self._rest = rest_url(url or URL)
        self._pub = pub_url or (urljoin(self._rest, "/pub/") if url else PUB_URL)
        self._http = (http or Http()).at(self._rest, URL, PUB_URL, self._pub, by_user=bool(url))
        self._way_in = way_in
        self._offline = offline
        self._refresh = refresh and not offline
        self._listed = listed or {}
        self._digests = digests or FileDigests()
        self._downloads = Downloads(
            cache / "data", self._http, digests=self._digests, limit=limit, offline=offline, told=told
        )
        self._replies = SavedReplies(cache / "replies", self._http.clock.now)
        self._known: dict[str, Any] = {}
        self._said_at: dict[str, datetime] = {}
        """When the archive said that there is nothing, where that was kept."""

    @property
    def name(self) -> str:
        """How records and footers name it."""
        return NAME if self._way_in == "rest" else f"{NAME} folders"

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._http.close()

    def datasets(self) -> list[str]:
        """Ids of all its datasets, sorted; asked for once a day.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, Offline
        """
        return sorted(self._every_dataset())

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Which files hold records of [start, stop), as the archive lists them; none is downloaded for that.

        The sha256 is there for files that are on this machine already. DOI and acknowledgement stand inside the files
        and are filled in by `fetch`.

        Raises
        ------
        UnknownDataset
            With the closest ids as advice.
        NoData, NotYetPublished
            Naming what the archive does cover.
        ServerUnavailable, RateLimited, Refused
            The archive cannot be asked.
        Offline
            It may not be asked, and never was.
        """
        return tuple(
            self._source(dataset_id, one, self._downloads.find(_wanted(one)))
            for one in self._listing(dataset_id, time_range)
        )

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) from all files that hold them, joined in order of epoch.

        What no file holds and the archive offers all the same, such as a virtual variable that is described in the
        master CDF only, is computed by its data service; the table's sources name that.

        Returns
        -------
        dict of str to Table
            Keyed by parameter, each of at least one record, with the files it came from.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, NotYetPublished
        DamagedFile
            What is sent is not the file that is listed, or it cannot be read.
        ServerUnavailable, RateLimited, Refused, Offline, TooLarge, OutputError
            The files cannot be had; those that came are kept.
        """
        parameters = list(dict.fromkeys(parameters))
        files = self._files(dataset_id, time_range)
        found = gather(self._reader, files, parameters, time_range, self._digests)
        tables = dict(found.tables)
        if found.absent:
            computed = self._compute(dataset_id, found.absent, time_range, files)
            tables |= computed.tables
            found = replace(found, empty=(*found.empty, *computed.empty))
        if found.empty:
            raise NoData(
                f"{dataset_id} has no record of {', '.join(found.empty)} in {time_range}",
                advice="; ".join(self._spans(dataset_id, time_range)),
            )
        return {name: tables[name] for name in parameters}

    def to_download(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, int | None]:
        """Files that a fetch would download, each by its URL with its bytes; None where the archive does not say.

        What the data service computes is not among them: whether it is needed is known once the files are read.

        Raises
        ------
        DataError
            As `locate`.
        """
        del parameters  # files are whole
        wanted = [_wanted(one) for one in self._listing(dataset_id, time_range)]
        return {one.url: one.size or None for one in self._downloads.missing(wanted)}

    # Files

    def _files(self, dataset_id: str, time_range: TimeRange) -> list[OneFile]:
        listed = self._listing(dataset_id, time_range)
        try:
            kept = self._downloads.get([_wanted(one) for one in listed], revalidate=self._refresh)
        except (DamagedFile, Refused) as error:
            # the archive has changed since it was listed, as far as can be told: the next run asks it again
            self._forget(dataset_id, time_range)
            if not error.advice:
                error.advice = (
                    f"{self.name} lists this file and does not give it: run again, which asks for the list anew, "
                    "or try a range without the file"
                )
            raise
        return [
            _one_file(file, replace(self._source(dataset_id, one, file), size=file.size))
            for one, file in zip(listed, kept, strict=True)
        ]

    def _source(self, dataset_id: str, one: Listed, kept: Kept | None) -> SourceFile:
        named = parse_file_name(one.name)
        return SourceFile(
            dataset_id=dataset_id,
            file=one.name,
            version=named.version if named else "",
            provider=self.name,
            sha256=kept.sha256 if kept else "",
            size=one.size,
            preliminary=is_preliminary(dataset_id),
            url=one.url,
            last_modified=one.last_modified,
            proof=_proof(kept, one.size),
        )

    def _spans(self, dataset_id: str, time_range: TimeRange) -> list[str]:
        return [
            f"{one.name} is listed with {one.start} to {one.stop}"
            for one in self._listing(dataset_id, time_range)[:3]
            if one.start
        ]

    # Listings

    def _listing(self, dataset_id: str, time_range: TimeRange) -> list[Listed]:
        """The files of a range, in order of time; the same for as long as this object lives."""
        if not _ID.fullmatch(dataset_id):
            raise UnknownDataset(
                f"'{dataset_id}' cannot be the id of a dataset", advice=self._close_to(dataset_id)
            )
        place = self._place(dataset_id, time_range)
        with self._replies.alone(place):
            if place not in self._known:
                span = (dataset_id, time_range.start.isoformat(), time_range.stop.isoformat())
                told = self._listed.get(span)
                self._known[place] = (
                    self._saved_or_asked(place, dataset_id, time_range)
                    if told is None
                    else [Listed(one.url, one.size, one.last_modified) for one in told]
                )
        listed: list[Listed] = self._known[place]
        if not listed:
            raise self._nothing(place, dataset_id, time_range)
        return listed

    def _saved_or_asked(self, place: str, dataset_id: str, time_range: TimeRange) -> list[Listed]:
        saved = None if self._refresh else self._replies.load(place, _KeptListing)
        if saved is not None:
            age = self._http.clock.now() - saved.saved_at
            settled = _moment(saved.saved_at) - time_range.stop >= _SETTLED_AFTER
            files: list[Listed] = saved.content["files"]
            # an empty one may have been the archive's bad hour
            young = 0 <= age <= _HOUR and not saved.content.get("doubted", not files)
            if self._offline or (settled and files) or young:
                if not files:
                    self._said_at[place] = _moment(saved.saved_at)
                return files
        if self._offline:
            return self._from_wider(place, dataset_id, time_range)
        ask = self._ask_rest if self._way_in == "rest" else self._ask_folders
        listed = ask(dataset_id, time_range)
        self._keep_listing(place, time_range, listed, doubted=not listed)
        return listed

    def _keep_listing(
        self, place: str, time_range: TimeRange, listed: Sequence[Listed], *, doubted: bool
    ) -> None:
        """Keep which files there are; one that is doubted is used only where nobody may be asked."""
        span = [time_range.start.isoformat(), time_range.stop.isoformat()]
        files = [asdict(one) for one in listed]
        self._replies.save(place, {"span": span, "files": files, "doubted": doubted})

    def _from_wider(self, place: str, dataset_id: str, time_range: TimeRange) -> list[Listed]:
        """The files of a range that lies within one that was asked for earlier."""
        for saved in self._replies.load_all(place.rpartition("/")[0], _KeptListing):
            start, stop = (datetime.fromisoformat(end) for end in saved.content["span"])
            if start <= time_range.start and time_range.stop <= stop:
                every: list[Listed] = saved.content["files"]
                return [
                    one
                    for one in every
                    if not (one.start and one.stop)
                    or (_utc(one.start) < time_range.stop and _utc(one.stop) >= time_range.start)
                ]
        raise Offline(
            f"which files {dataset_id} has for {time_range} was never asked",
            advice="run once without --offline",
        )

    def _ask_rest(self, dataset_id: str, time_range: TimeRange) -> list[Listed]:
        url = files_url(self._rest, dataset_id, time_range)
        _, reply = self._http.get_json(url, expected=(200, 404))
        return sorted(
            dict.fromkeys(self._described(reply, url)), key=lambda listed: (listed.start, listed.name)
        )

    def _ask_folders(self, dataset_id: str, time_range: TimeRange) -> list[Listed]:
        about = self._folder_of(dataset_id)
        if about is None:
            return []
        found: list[FolderFile] = []
        for folder in folders_between(about["url"], about["subdividedby"], time_range):
            reply = self._http.get(folder, accept="text/html", expected=(200, 404))
            if reply.status == 200:
                found += read_listing(folder, reply.content.decode(errors="replace"))
                self._refuse_foreign([file.url for file in found], folder)
        return [Listed(one.url, last_modified=one.last_modified) for one in choose_files(found, time_range)]

    def _nothing(self, place: str, dataset_id: str, time_range: TimeRange) -> DataError:
        """Why there is no file: the dataset is unknown, or has nothing there."""
        known = self._about(dataset_id)
        if known is None:
            return UnknownDataset(
                f"no dataset is called '{dataset_id}' in {NAME}", advice=self._close_to(dataset_id)
            )
        start, stop = known["start"], known["stop"]
        text = f"{dataset_id} has no file for {time_range} in {NAME}"
        advice = "another time range"
        if start and stop:
            advice = f"its records run from {start} to {stop}"
            if _utc(start) < time_range.stop and time_range.start <= _utc(stop):
                # a gap, or the archive's bad hour: it is asked again whenever somebody wants to know
                text = f"{NAME} lists no file of {dataset_id} for {time_range}, which may pass"
                advice = f"run again, or another time range: {advice}"
            elif not self._offline and place not in self._said_at:
                self._keep_listing(place, time_range, (), doubted=False)
        said_at = self._said_at.get(place)
        if said_at is not None:
            # not in the message: it would differ from one run to the next, which `verify` compares
            advice += f"; so it said at {said_at:%Y-%m-%d %H:%M} UTC, and is asked again an hour later"
        if stop and time_range.start > _utc(stop) and self._http.clock.utc() - _utc(stop) < _STILL_GROWING:
            return NotYetPublished(text, advice=advice)
        return NoData(text, advice=advice)

    def _forget(self, dataset_id: str, time_range: TimeRange) -> None:
        place = self._place(dataset_id, time_range)
        self._replies.forget(place)
        with self._replies.alone(place):
            self._known.pop(place, None)
            self._said_at.pop(place, None)

    def _place(self, dataset_id: str, time_range: TimeRange) -> str:
        return f"{self._base}/{self._way_in}/{dataset_id}/{_span(time_range).replace(',', '_')}"

    def _described(self, reply: Any, url: str) -> Iterator[Listed]:
        """The files of a reply, each from a host that this provider has files on."""
        for file in listed_files(reply, url):
            self._refuse_foreign([file.url], url)
            yield file

    def _refuse_foreign(self, files: Sequence[str], listing: str) -> None:
        for url in files:
            self._http.refuse_foreign(url, f"a listing of {urlsplit(listing).netloc}")

    # Datasets

    def _every_dataset(self) -> dict[str, dict[str, str]]:
        """Start and stop of each dataset, as ISO 8601 or empty."""

        def ask() -> dict[str, dict[str, str]]:
            _, reply = self._http.get_json(f"{self._rest}datasets")
            return _spans_of(reply)

        every: dict[str, dict[str, str]] = self._daily(f"{self._base}/datasets", ask, _KeptSpans)
        return every

    def _about(self, dataset_id: str) -> dict[str, str] | None:
        """Start and stop of one dataset; None when there is none of that id."""
        every, alone = f"{self._base}/datasets", f"{self._base}/about/{dataset_id}"
        longest = None if self._offline else _DAY
        if every in self._known or self._replies.load(every, _KeptSpans, longest=longest) is not None:
            return self._every_dataset().get(dataset_id)

        def ask() -> dict[str, dict[str, str]]:
            url = f"{self._rest}datasets?id={quote(dataset_id, safe='')}"
            _, reply = self._http.get_json(url, expected=(200, 404))
            return _spans_of(reply)

        found: dict[str, dict[str, str]] = self._daily(alone, ask, _KeptSpans)
        return found.get(dataset_id)

    def _variables(self, dataset_id: str) -> list[str]:
        """Names of the parameters that the archive offers."""

        def ask() -> list[str]:
            url = f"{self._rest}datasets/{quote(dataset_id, safe='')}/variables"
            _, reply = self._http.get_json(url, expected=(200, 404))
            return [str(one["Name"]) for one in _list_of(reply, "VariableDescription") if "Name" in one]

        names: list[str] = self._daily(f"{self._base}/variables/{dataset_id}", ask, list[str])
        return names

    def _folder_of(self, dataset_id: str) -> dict[str, str] | None:
        """Where the catalogue of all datasets says that a dataset's files are."""

        def ask() -> dict[str, dict[str, str]]:
            url = urljoin(self._pub, "catalogs/all.xml")
            reply = self._http.get(url, accept="text/xml, application/xml")
            try:
                return _folders_in(reply.content)
            except ExpatError as error:
                raise ServerUnavailable(
                    f"the catalogue of {urlsplit(url).netloc} is not what it should be: {error}", place=url
                ) from error

        every: dict[str, dict[str, str]] = self._daily(
            f"{self._base}/folders", ask, dict[str, dict[str, str]]
        )
        return every.get(dataset_id)

    def _close_to(self, dataset_id: str) -> str:
        try:
            return did_you_mean(dataset_id, self._every_dataset(), otherwise="look for it by its mission")
        except DataError as error:  # that it is unknown is known all the same
            log.info("no list of all datasets: %s", error.message)
            return ""

    def _daily(self, place: str, ask: Callable[[], Any], kind: Any) -> Any:
        """What is asked for once a day."""
        with self._replies.alone(place):
            if place not in self._known:
                longest = None if self._offline else _DAY
                saved = None if self._refresh else self._replies.load(place, kind, longest=longest)
                if saved is None and self._offline:
                    raise Offline(
                        f"{place.partition('/')[2]} of {NAME} were never asked for", advice="go online"
                    )
                content = saved.content if saved else ask()
                if saved is None and content:  # an empty one may have been the archive's bad hour
                    self._replies.save(place, content)
                self._known[place] = content
        return self._known[place]

    @property
    def _base(self) -> str:
        return re.sub(r"[^A-Za-z0-9.-]", "-", urlsplit(self._rest).netloc)

    # What the archive computes

    def _compute(
        self,
        dataset_id: str,
        absent: Mapping[str, UnknownParameter],
        time_range: TimeRange,
        files: Sequence[OneFile],
    ) -> Gathered:
        """Parameters that no file holds, from the data service, if it offers all of them."""
        offered = self._variables(dataset_id)
        for name, said in absent.items():
            if name not in offered:
                if not said.advice:
                    said.advice = did_you_mean(name, offered)
                raise said
        # each by itself: what is computed of one must not depend on what else is asked for
        every = [self._compute_one(dataset_id, name, time_range, files) for name in absent]
        return Gathered(
            tables={name: table for one in every for name, table in one.tables.items()},
            empty=tuple(name for one in every for name in one.empty),
        )

    def _compute_one(
        self, dataset_id: str, name: str, time_range: TimeRange, files: Sequence[OneFile]
    ) -> Gathered:
        url = (
            f"{self._rest}datasets/{quote(dataset_id, safe='')}/data/{_span(time_range)}/"
            f"{quote(name, safe='')}?format=cdf"
        )
        # computed again once a file that it is made of is published anew
        made_from = hashlib.sha256(
            "\n".join([url, *(one.source.identity for one in files)]).encode()
        ).hexdigest()
        source = SourceFile(
            dataset_id=dataset_id,
            file="",
            provider=DATA_SERVICE,
            preliminary=is_preliminary(dataset_id),
            url=url,
            reply=True,
        )
        read = [
            _one_file(one, replace(source, file=one.path.name, proof=_proof(one, 0)))
            for one in self._made(dataset_id, url, made_from, time_range, name)
        ]
        found = gather(self._reader, read, [name], time_range, self._digests)
        for said in found.absent.values():
            raise said
        note = "computed by CDAWeb's data service: no file holds it"
        tables = {}
        for one, table in found.tables.items():
            # the service writes another file each time, with the date in it: the numbers are what it answered
            digits = table.digest().removeprefix("sha256:")
            sources = tuple(replace(each, sha256=digits) for each in table.sources)
            tables[one] = replace(table, sources=sources, notes=(*table.notes, note))
        return replace(found, tables=tables)

    def _made(
        self, dataset_id: str, url: str, made_from: str, time_range: TimeRange, name: str
    ) -> list[Kept]:
        place = f"{self._base}/computed/{dataset_id}/{made_from[:32]}"
        saved = self._replies.load(place, list[Listed])
        if saved is not None and not self._refresh:
            wanted = _wanted_made(saved.content, place, made_from)
            found = [self._downloads.find(one) for one in wanted]
            if all(found):
                return [one for one in found if one is not None]
        if self._offline:
            raise Offline(
                f"what {NAME} computes of {dataset_id} is not here", advice="run once without --offline"
            )
        _, reply = self._http.get_json(url, expected=(200, 404))
        listed = list(self._described(reply, url))
        if not listed:
            raise NoData(f"{NAME} computes nothing of {name} of {dataset_id} for {time_range}", place=url)
        self._replies.save(place, [asdict(one) for one in listed])
        return self._downloads.get(_wanted_made(listed, place, made_from))


def rest_url(url: str) -> str:
    """The REST service of a server, or itself if it is named.

    >>> rest_url("http://127.0.0.1:8080")
    'http://127.0.0.1:8080/WS/cdasr/1/dataviews/sp_phys/'

    Raises
    ------
    RequestError
        It is no URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise RequestError(f"'{url}' is not the URL of a server", advice=f"such as {URL}")
    if "/dataviews/" in parts.path:
        return url.rstrip("/") + "/"
    return url.rstrip("/") + REST


def _wanted(one: Listed) -> Wanted:
    return Wanted(one.url, one.size, f"{one.url}|{one.size}|{one.last_modified}")


def _one_file(kept: Kept, source: SourceFile) -> OneFile:
    assert kept.digest is not None  # `Downloads` looks at all bytes of what it gives
    return OneFile(kept.path, source, kept.digest)


def _proof(kept: Kept | None, listed_size: int) -> Proof:
    """What shows that a file has the right bytes; CDAWeb lists sizes and no digests."""
    if kept is None or kept.digest is None:
        return ""
    if kept.digest.checksum == "right":
        return "checksum in the file"
    return "size only" if listed_size else "nothing"


def _wanted_made(listed: Sequence[Listed], place: str, made_from: str) -> list[Wanted]:
    # the service names what it makes by chance; here, and in the records of runs, it is known by what it is made from
    return [
        Wanted(one.url, one.size, made_from, f"{place}/{made_from}-{number}.cdf")
        for number, one in enumerate(listed, 1)
    ]


def files_url(rest: str, dataset_id: str, time_range: TimeRange) -> str:
    """Where the REST service says which files hold a range of a dataset."""
    return f"{rest}datasets/{quote(dataset_id, safe='')}/orig_data/{_span(time_range)}"


def dataset_ids(reply: Any) -> list[str]:
    """The ids of the datasets that a reply of the REST service describes."""
    return list(_spans_of(reply))


def listed_files(reply: Any, url: str) -> Iterator[Listed]:
    """The files that a reply of the REST service describes.

    Raises
    ------
    Refused
        One of them is nowhere from where it could be downloaded.
    """
    for entry in _list_of(reply, "FileDescription"):
        name = entry.get("Name")
        if not isinstance(name, str) or not _may_be_url(name):
            raise Refused(
                f"{urlsplit(url).netloc} lists '{one_line(name)}', which is not where a file could be",
                place=url,
            )
        start, stop = _span_in(entry, "StartTime", "EndTime")
        yield Listed(
            url=name,
            size=_size_in(entry),
            last_modified=printable(str(entry.get("LastModified", ""))),
            start=start,
            stop=stop,
        )


def _may_be_url(name: str) -> bool:
    try:
        parts = urlsplit(name)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and name.isprintable()
        )
    except ValueError:  # a port or an address that is none
        return False


def _size_in(entry: Mapping[str, Any]) -> int:
    """Bytes of a listed file; 0 where the archive gives none, or no number that a file can have."""
    given = entry.get("Length", 0)
    if re.fullmatch(r"[0-9]{1,15}", str(given)):
        return int(given)
    log.warning(
        "%s is listed with the size %s; it counts as not known",
        one_line(entry.get("Name")),
        one_line(given, 40),
    )
    return 0


def _span_in(entry: Mapping[str, Any], first: str, last: str) -> tuple[str, str]:
    """Start and stop as the archive writes them; both empty where one is no time, or the start comes after the stop."""
    start, stop = (str(entry.get(name) or "") for name in (first, last))
    if not start and not stop:
        return "", ""
    try:
        if _utc(start) <= _utc(stop):
            return start, stop
    except ValueError:
        pass
    log.warning(
        "the span '%s' to '%s' of a listed entry cannot be used", one_line(start, 40), one_line(stop, 40)
    )
    return "", ""


def _list_of(reply: Any, element: str) -> list[dict[str, Any]]:
    """The elements of a reply; the service writes a single one without its list, and none as nothing."""
    found = reply.get(element) if isinstance(reply, dict) else None
    every = found if isinstance(found, list) else [found]
    return [one for one in every if isinstance(one, dict)]


def _spans_of(reply: Any) -> dict[str, dict[str, str]]:
    spans = {}
    for one in _list_of(reply, "DatasetDescription"):
        interval = one.get("TimeInterval")
        start, stop = _span_in(interval, "Start", "End") if isinstance(interval, dict) else ("", "")
        spans[str(one.get("Id", ""))] = {"start": start, "stop": stop}
    return spans


def _folders_in(catalogue: bytes) -> dict[str, dict[str, str]]:
    """Folder and its division by the id of the dataset, from the catalogue of all datasets.

    Nothing but what is needed is kept of it, and it declares no entities: a few of them would make it endless.

    Raises
    ------
    ExpatError
        It is not XML, or declares entities.
    """
    found: dict[str, dict[str, str]] = {}
    dataset, divided = "", "None"
    url: list[str] | None = None

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal dataset, divided, url
        if tag.endswith("dataset"):
            dataset = attributes.get("serviceprovider_ID", "")
        elif tag.endswith("access"):
            divided = attributes.get("subdividedby", "None")
        elif tag.endswith("URL"):
            url = []

    def end(tag: str) -> None:
        nonlocal url
        if tag.endswith("URL") and url is not None:
            folder, url = "".join(url).strip(), None
            if folder:
                found[dataset] = {"url": folder.rstrip("/") + "/", "subdividedby": divided}

    def text(part: str) -> None:
        if url is not None:
            url.append(part)

    def entity(name: str, *_: object) -> None:
        raise ExpatError(f"it declares an entity, {name}")

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    parser.Parse(catalogue, True)
    return found


def _span(time_range: TimeRange) -> str:
    """The interval in whole seconds, never shorter than it is."""
    start = time_range.start.replace(microsecond=0)
    stop = time_range.stop.replace(microsecond=0)
    if stop < time_range.stop:
        stop += timedelta(seconds=1)
    return f"{start:%Y%m%dT%H%M%SZ},{stop:%Y%m%dT%H%M%SZ}"


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _moment(seconds: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(seconds=seconds)
