"""Base class of sources whose data are files: the archive lists files, and helio downloads and reads them whole."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypedDict
from urllib.parse import urlsplit

from helio.errors import DamagedFile, DataError, NoData, Offline, Refused, UnknownDataset
from helio.sources.base import ONLINE, Source, is_settled, whole_seconds
from helio.sources.cdf_guard import check_cdf
from helio.sources.downloads import CachedFile, Downloads, FileRequest
from helio.sources.folder_listing import FolderFile, choose_files, read_listing
from helio.sources.gather import DamagedNeighbour, FileSpan, GatheredTables, OneFile, gather, side_of
from helio.sources.local import ArchiveFile, KnownFile, is_preliminary, own_spans, parse_file_name
from helio.store.records import Count, InstantOrEmpty, NaiveInstant
from helio.store.source_file import Proof, SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+:-]*")


@dataclass(frozen=True)
class RemoteFile:
    """File of a remote archive, as the archive lists it.

    Parameters
    ----------
    url : str
    size : int
        Size in bytes; 0 if the archive gives no size.
    last_modified : str
        Time of the last change as the archive writes it; a different text means a different version of the file.
    start, stop : str
        First and last epoch of the file's records, ISO 8601; empty if the archive does not give them.
    """

    url: str
    size: Count = 0
    last_modified: str = ""
    start: InstantOrEmpty = ""
    stop: InstantOrEmpty = ""

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self.url.rpartition("/")[2]


class Span(NamedTuple):
    """First and last epoch of a dataset, ISO 8601; empty if the archive does not give them."""

    start: str = ""
    stop: str = ""


class _Listing(TypedDict):
    """The files of a range, in the form in which they are saved."""

    span: tuple[NaiveInstant, NaiveInstant]
    files: list[RemoteFile]


class _DatedListing(_Listing, total=False):
    """A saved listing of files with the field `doubted`, which earlier versions of helio did not save."""

    doubted: bool


class FileSource(Source):
    """Base class of sources of files. A subclass writes `datasets` and `list_files`, and may override `span_of` and
    `complete`.

    The source asks once which files cover a range, and saves the list: for ever if the range is long past, for one hour
    if it ended less than 30 days ago. An empty list is saved for one hour if the range is outside of the time span that
    the archive states, and otherwise not at all. Downloaded files are below ``data``.
    """

    listing: ClassVar[str] = "files"
    """Cache folder for saved listings; a source that asks its archive in another way uses another folder."""
    ending: ClassVar[str] = ".cdf"
    """End of the names of the archive's files; other files in its folders are ignored."""
    check: ClassVar[Callable[[Path], None]] = staticmethod(check_cdf)
    """Function that raises `DamagedFile` if a downloaded file does not have the expected format."""

    @abstractmethod
    def list_files(self, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        """Ask the archive which files hold records of [start, stop), in order of time; return an empty list if there
        are none.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused
        """

    def span_of(self, dataset_id: str) -> Span | None:
        """Return the first and last epoch of a dataset; None if the archive has no such dataset."""
        return Span() if dataset_id in self.datasets() else None

    def complete(
        self, dataset_id: str, gathered: GatheredTables, time_range: TimeRange, files: Sequence[OneFile]
    ) -> GatheredTables:
        """Add the parameters that no file holds, if the archive offers these parameters in another way.

        Raises
        ------
        UnknownParameter
            The archive does not offer the parameters.
        """
        for error in gathered.absent.values():
            raise error
        return gathered

    def prepare(self) -> None:
        """Prepare the cache of downloads; called once, at the end of ``__init__``."""
        self.downloads = Downloads(
            self.cache / "data",
            self.http,
            digests=self.digests,
            check=type(self).check,
            limit=self.allowance,
            offline=self.offline,
            on_progress=self.on_progress,
        )
        self._said_at: dict[str, datetime] = {}
        """For each saved listing without files, the time at which the archive gave this listing."""

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """List the files with records of [start, stop), without downloading them.

        The result contains the sha256 only of files that are already on this machine. DOI and acknowledgement are
        inside the files; `fetch` adds them.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData, NotYetPublished
            The range has no data; the message names the range that the archive covers.
        ServerUnavailable, RateLimited, Refused
            The archive does not give its list of files.
        Offline
            The run is offline, and the cache does not have the reply.
        """
        return tuple(
            self._source(dataset_id, file, self.downloads.find(_wanted(file)))
            for file in self._listing(dataset_id, time_range)
        )

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) from all files that hold them, and join the records in order of epoch.

        Returns
        -------
        dict of str to Table
            Tables by parameter, each with at least one record and with the files from which the table came.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, NotYetPublished
        DamagedFile
            A received file is not the file that the archive lists, or cannot be read. A damaged file beside the
            interval is an error only if records are missing at that end of the interval; otherwise a note names it.
        ServerUnavailable, RateLimited, Refused, Offline, TooLarge, OutputError
            The files cannot be downloaded; helio keeps the files that it received.
        """
        parameters = list(dict.fromkeys(parameters))
        files, damaged = self._files(dataset_id, time_range)
        gathered = self.gathered(files, parameters, time_range, damaged)
        if gathered.absent:
            gathered = self.complete(dataset_id, gathered, time_range, files)
        if gathered.empty:
            raise NoData(
                f"{dataset_id} has no record of {', '.join(gathered.empty)} in {time_range}",
                advice="; ".join(self._spans(dataset_id, time_range)),
            )
        return {name: gathered.tables[name] for name in parameters}

    def to_download(
        self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, int | None]:
        """Return the URLs that a fetch would download, each with its size in bytes, or None if the size is unknown.

        Raises
        ------
        DataError
            As for `locate`.
        """
        del parameters  # files are whole
        requests = [_wanted(file) for file in self._listing(dataset_id, time_range)]
        return {file.url: file.size or None for file in self.downloads.missing(requests)}

    # For subclasses

    def files_in_folders(self, folders: Iterable[str], time_range: TimeRange) -> list[RemoteFile]:
        """Return the files of an interval from the folder pages of a web server; a folder may be missing on the server.

        The file names must contain dataset, day and version, as those of CDAWeb do: ``ac_h2_mfi_20240510_v01.cdf``. The
        result contains the newest version of each day.

        Raises
        ------
        ForeignAddress
            A listing contains a URL on a host that does not belong to the source.
        """
        files: list[FolderFile] = []
        for folder in folders:
            reply = self.http.get(folder, accept="text/html", expected=(200, 404))
            if reply.status == 200:
                files += read_listing(folder, reply.content.decode(errors="replace"), self.ending)
                self.refuse_foreign([file.url for file in files], folder)
        return [
            RemoteFile(file.url, last_modified=file.last_modified) for file in choose_files(files, time_range)
        ]

    def refuse_foreign(self, urls: Iterable[str], listing: str) -> None:
        """Raise an error if a listed file is on a host that does not belong to the source.

        Raises
        ------
        ForeignAddress
        """
        for url in urls:
            self.http.refuse_foreign(url, f"a listing of {urlsplit(listing).netloc}")

    def gathered(
        self,
        files: Sequence[OneFile],
        parameters: Sequence[str],
        time_range: TimeRange,
        damaged: Sequence[DamagedNeighbour] = (),
    ) -> GatheredTables:
        """Read parameters from files that are already on this machine, and join them in order of epoch."""
        if self.reader is None:
            raise TypeError(f"{type(self).__name__} needs a reader for its files")
        return gather(self.reader, files, parameters, time_range, self.digests, damaged)

    # Files

    def _files(self, dataset_id: str, time_range: TimeRange) -> tuple[list[OneFile], list[DamagedNeighbour]]:
        """Download the files of a range; return them, and the damaged files beside it."""
        listed = self._listing(dataset_id, time_range)
        requests = [_wanted(file) for file in listed]
        spans = dict(zip(requests, _spans_of(listed), strict=True))
        damaged: dict[FileRequest, DamagedNeighbour] = {}

        def keep(request: FileRequest, error: DamagedFile) -> None:
            side = side_of(spans[request], time_range)
            if side is None:
                raise error
            damaged[request] = DamagedNeighbour(request.url.rpartition("/")[2], side, error)

        try:
            cached = self.downloads.get(requests, revalidate=self.refresh, on_damage=keep)
        except (DamagedFile, Refused) as error:
            # the archive has probably changed since it was listed: the next run lists it again
            self._forget(dataset_id, time_range)
            if not error.advice:
                error.advice = (
                    "run again to get a new list of files, or choose a time range without this file: "
                    f"{self.name} lists the file but does not send it"
                )
            raise
        received = [file for file, request in zip(listed, requests, strict=True) if request not in damaged]
        files = [
            replace(
                one_file(held, replace(self._source(dataset_id, file, held), size=held.size)),
                span=spans[_wanted(file)],
            )
            for file, held in zip(received, cached, strict=True)
        ]
        return files, [damaged[request] for request in requests if request in damaged]

    def _source(self, dataset_id: str, file: RemoteFile, cached: CachedFile | None) -> SourceFile:
        named = parse_file_name(file.name)
        return SourceFile(
            dataset_id=dataset_id,
            file=file.name,
            version=named.version if named else "",
            provider=self.name,
            sha256=cached.sha256 if cached else "",
            size=file.size,
            preliminary=is_preliminary(dataset_id),
            url=file.url,
            last_modified=file.last_modified,
            proof=proof_of(cached, file.size),
        )

    def _spans(self, dataset_id: str, time_range: TimeRange) -> list[str]:
        return [
            f"the archive lists {file.name} with records from {file.start} to {file.stop}"
            for file in self._listing(dataset_id, time_range)[:3]
            if file.start
        ]

    # Listings

    def _listing(self, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        """Return the files of a range, in order of time; the result stays the same as long as this object exists."""
        if not _ID.fullmatch(dataset_id):
            raise UnknownDataset(
                f"'{dataset_id}' is not a valid dataset id", advice=self.close_ids(dataset_id)
            )
        name = self._place(dataset_id, time_range)

        def make() -> Sequence[RemoteFile]:
            span = (dataset_id, time_range.start.isoformat(), time_range.stop.isoformat())
            recorded = self.listed.get(span)
            if recorded is None:
                return self._saved_or_asked(name, dataset_id, time_range)
            return [RemoteFile(file.url, file.size, file.last_modified) for file in recorded]

        listed = self.once(name, make)
        if not listed:
            raise self._nothing(name, dataset_id, time_range)
        return listed

    def _saved_or_asked(self, name: str, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        saved = None if self.refresh else self.replies.load(name, _DatedListing)
        if saved is not None and not self.ask_again:
            files: list[RemoteFile] = saved.content["files"]
            # an empty one may have been the archive's bad hour
            young = self.is_young(saved.said) and not saved.content.get("doubted", not files)
            if self.offline or (files and is_settled(time_range.stop, saved.said)) or young:
                if not files:
                    self._said_at[name] = saved.said
                return files
        if self.offline:
            return self._from_wider(name, dataset_id, time_range)
        listed = self.list_files(dataset_id, time_range)
        if saved is not None and self.ask_again:
            if not listed:
                return listed  # perhaps only for now: the earlier list stays for later runs
            listed = self._as_before(listed, saved.content["files"])
        self._keep_listing(name, time_range, listed, doubted=not listed)
        return listed

    def _as_before(self, listed: Sequence[RemoteFile], before: Sequence[RemoteFile]) -> list[RemoteFile]:
        """Return listed files as they were listed before if only their dates differ, and the server says that its bytes
        are those of the cache.
        """
        earlier = {(file.url, file.size): file for file in before}
        files = []
        for file in listed:
            same = earlier.get((file.url, file.size))
            is_touched = same is not None and same.last_modified != file.last_modified
            files.append(
                same if same is not None and is_touched and self.downloads.is_current(_wanted(same)) else file
            )
        return files

    def _keep_listing(
        self, name: str, time_range: TimeRange, listed: Sequence[RemoteFile], *, doubted: bool
    ) -> None:
        """Save a listing of files; helio uses an uncertain listing only offline."""
        span = [time_range.start.isoformat(), time_range.stop.isoformat()]
        files = [asdict(file) for file in listed]
        self.replies.save(name, {"span": span, "files": files, "doubted": doubted})

    def _from_wider(self, name: str, dataset_id: str, time_range: TimeRange) -> list[RemoteFile]:
        """Return the files of a range, taken from the saved listing of a longer range."""
        for saved in self.replies.load_all(name.rpartition("/")[0], _DatedListing):
            start, stop = (datetime.fromisoformat(end) for end in saved.content["span"])
            if start <= time_range.start and time_range.stop <= stop:
                every: list[RemoteFile] = saved.content["files"]
                return [
                    file
                    for file in every
                    if not (file.start and file.stop)
                    or (utc(file.start) < time_range.stop and utc(file.stop) >= time_range.start)
                ]
        raise Offline(
            f"helio is offline, and its cache has no file list for {dataset_id} in {time_range}",
            advice=ONLINE,
        )

    def _nothing(self, name: str, dataset_id: str, time_range: TimeRange) -> DataError:
        """Return the error that explains why no file was found: the dataset is unknown, or has no data in the range."""
        known = self.span_of(dataset_id)
        if known is None:
            return UnknownDataset(
                f"no dataset is called '{dataset_id}' in {self.title}", advice=self.close_ids(dataset_id)
            )
        start, stop = known
        text = f"{dataset_id} has no file for {time_range} in {self.title}"
        advice = "choose another time range"
        if start and stop:
            advice = f"choose another time range: the records of the dataset run from {start} to {stop}"
            if utc(start) < time_range.stop and time_range.start <= utc(stop):
                # a gap, or the archive's bad hour: it is asked again whenever somebody wants to know
                text = (
                    f"{self.title} lists no file of {dataset_id} for {time_range}, perhaps only temporarily"
                )
                advice = f"run again, or {advice}"
            elif not self.offline and name not in self._said_at:
                self._keep_listing(name, time_range, (), doubted=False)
        said_at = self._said_at.get(name)
        if said_at is not None:
            # not in the message: it would differ from one run to the next, which `verify` compares
            advice += f"; the archive's answer of {said_at:%Y-%m-%d %H:%M} UTC is used for one hour"
        last = utc(stop) if stop else None
        return self.absent(text, advice, last=last, follows=last is not None and time_range.start > last)

    def _forget(self, dataset_id: str, time_range: TimeRange) -> None:
        name = self._place(dataset_id, time_range)
        self.replies.forget(name)
        self.forget(name)
        self._said_at.pop(name, None)

    def _place(self, dataset_id: str, time_range: TimeRange) -> str:
        return f"{self.folder}/{self.listing}/{dataset_id}/{whole_seconds(time_range).replace(',', '_')}"


def _spans_of(listed: Sequence[RemoteFile]) -> list[FileSpan]:
    """Return the time of each file: as the archive lists it, otherwise as its name and the next name say."""
    files = []
    for file in listed:
        named = parse_file_name(file.name)
        known = (
            (named.dataset_id, named.start, named.timed, named.version) if named else ("", None, False, "")
        )
        files.append(ArchiveFile(Path(file.name), *known))
    stated = {
        file.name: KnownFile(utc(file.start), utc(file.stop)) for file in listed if file.start and file.stop
    }
    return [(begin, end) for begin, end, _ in own_spans(files, stated)]


def one_file(cached: CachedFile, source: SourceFile) -> OneFile:
    """Return a cached file in the form that `gather` reads."""
    assert cached.digest is not None  # `Downloads` looks at all bytes of what it gives
    return OneFile(cached.path, source, cached.digest)


def proof_of(cached: CachedFile | None, listed_size: int) -> Proof:
    """Return what proves that the bytes of a file are right, for an archive that lists sizes but no digests."""
    if cached is None or cached.digest is None:
        return ""
    if cached.digest.checksum == "right":
        return "checksum in the file"
    return "size only" if listed_size else "nothing"


def utc(text: str) -> datetime:
    """Read a time in the format of an archive, as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _wanted(file: RemoteFile) -> FileRequest:
    return FileRequest(file.url, file.size, f"{file.url}|{file.size}|{file.last_modified}")
