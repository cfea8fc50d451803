"""Cache of downloaded files: each file is stored once, complete and checked, with a record of its download."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from helio.counts import number_of
from helio.errors import Cancelled, ChangedFile, DamagedFile, DamagedRecord, Offline, Refused, TransientError
from helio.sources.allowance import MAX_DOWNLOAD, Allowance, in_words
from helio.sources.answer import BadBody, OpenReply
from helio.sources.cdf_checksum import ByteDigests
from helio.sources.cdf_guard import check_cdf
from helio.sources.connection import explain_page
from helio.sources.file_digests import FileDigest, FileDigests, refuse_wrong, settled_state
from helio.sources.http import Http
from helio.sources.transfers import Progress, Tally, Transfers
from helio.store.files import note_use, unwritable, write_all, write_whole
from helio.store.process import fate_of_writer, temporary_name
from helio.store.records import Count, Sha256, parse_record, read_bytes, read_record

log = logging.getLogger(__name__)

_CHUNK = 256 * 1024
_WORTH_RESUMING = 8 * 1024**2
"""Size in bytes from which helio keeps an interrupted download and resumes it; shorter downloads start again."""
_FORGOTTEN_AFTER = 7 * 86_400
_NAMED = 5
_EARLIER = ".earlier"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@,=-]{0,199}")


@dataclass(frozen=True)
class FileRequest:
    """Request for one file: its URL, and the size and version that the archive lists.

    Parameters
    ----------
    url : str
    size : int
        Size in bytes as the archive lists it; 0 if the archive gives no size.
    identity : str
        Name of this version of the file; helio downloads the file again if the cache has it under another identity.
    place : str
        Path of the file below the cache folder; by default made from the URL.
    """

    url: str
    size: int = 0
    identity: str = ""
    place: str = ""


@dataclass(frozen=True)
class CachedFile:
    """File in the cache, with the time and other facts of its download."""

    path: Path
    url: str
    size: Count
    sha256: Sha256
    identity: str = ""
    etag: str = ""
    last_modified: str = ""
    fetched_at: str = ""
    """Time of the download in UTC, ISO 8601."""
    digest: FileDigest | None = None
    """Digest of the file, with the file's state when the digest was computed; None until the file is verified."""

    def to_json(self) -> dict[str, Any]:
        """Return the facts that helio saves in the record next to the file."""
        return {name: value for name, value in asdict(self).items() if name not in ("path", "digest")}


class Downloads:
    """Downloaded files in one cache folder, at paths made from their URLs; several processes may share the folder.

    A file is either complete in the cache or absent. The record ``NAME.json`` next to a file describes the file at the
    time of its download; helio downloads a file again if its bytes have changed. A file that a newer version replaces
    moves to the folder ``.earlier``, for the runs and lock files that name it.

    Parameters
    ----------
    root : Path
    http : Http
    digests : FileDigests, optional
        Gives the digest of a file; if this object saves digests, a run need not read large files again.
    check : callable, optional
        Function that raises `DamagedFile` for a file of another format.
    limit : int, Allowance or None
        Number of bytes that may be downloaded in total; others may share an `Allowance`.
    offline : bool
        Whether to send no requests.
    on_progress : callable, optional
        Called with the progress, from several threads but never from two at the same time.
    """

    def __init__(
        self,
        root: Path,
        http: Http,
        *,
        digests: FileDigests | None = None,
        check: Callable[[Path], None] = check_cdf,
        limit: int | Allowance | None = MAX_DOWNLOAD,
        offline: bool = False,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._root = root
        self._http = http
        self._digests = digests or FileDigests()
        self._check = check
        self._transfers = Transfers(http, limit, on_progress)
        self._offline = offline
        self._lock = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}

    def find(self, request: FileRequest) -> CachedFile | None:
        """Return a file from the cache if it is unchanged and has the requested version; otherwise None."""
        path = self._path(request)
        return self._whole(path, request) or self._whole(_earlier(path, request.identity), request)

    def _whole(self, path: Path, request: FileRequest) -> CachedFile | None:
        try:
            cached = read_record(_beside(path), CachedFile, given={"path": path, "digest": None})
            if cached.identity != request.identity:
                return None
            if path.stat().st_size == cached.size:
                digest = self._digests.of(path)
                if digest.sha256 == cached.sha256:
                    note_use(_beside(path))
                    return replace(cached, digest=digest)
        except FileNotFoundError:
            return None
        except (DamagedFile, DamagedRecord, ChangedFile) as error:
            log.warning("%s; helio downloads the file again", error.message)
            return None
        except OSError as error:
            log.warning(
                "%s: what helio saved about this file cannot be read (%s); helio downloads the file again",
                path,
                error,
            )
            return None
        log.warning("%s has changed since its download; helio downloads it again", path)
        return None

    def get(
        self,
        requests: Sequence[FileRequest],
        *,
        revalidate: bool = False,
        on_damage: Callable[[FileRequest, DamagedFile], None] | None = None,
    ) -> list[CachedFile]:
        """Return all requested files and download the missing ones; finished downloads stay in the cache if another
        download fails.

        Parameters
        ----------
        revalidate : bool
            Whether to ask the server if a cached file is still the current version.
        on_damage : callable, optional
            Called for a received file that is damaged. Unless it raises an error, the result lacks this file.

        Raises
        ------
        Offline
            The run is offline, and some files are not in the cache.
        TooLarge
            The files together are larger than the limit.
        ServerUnavailable, RateLimited, Refused
            A file cannot be downloaded.
        DamagedFile
            The received file is not the file that the archive lists.
        Cancelled
            The client's `cancel` was called; helio keeps what it can resume.
        OutputError
            The disk is full, or the folder cannot be written.
        """
        cached = {request: self.find(request) for request in dict.fromkeys(requests)}
        missing = [request for request, cached in cached.items() if cached is None]
        if self._offline:
            if missing:
                raise _not_here(missing)
            revalidate = False
        to_fetch = list(cached) if revalidate else missing
        if to_fetch:
            size = sum(file.size for file in missing)
            what = f"{number_of(len(missing), 'file')} of {in_words(size)}"
            whole = sum(file.size for file in to_fetch) if all(file.size for file in to_fetch) else 0
            with self._transfers.begin(len(to_fetch), size, what, shown=whole) as tally:
                tasks = [partial(self._download, file, cached[file], tally, on_damage) for file in to_fetch]
                cached.update(zip(to_fetch, self._transfers.run(tasks, tally), strict=True))
        return [cached_file for request in requests if (cached_file := cached[request]) is not None]

    def missing(self, requests: Sequence[FileRequest]) -> list[FileRequest]:
        """Return the requests for files that are not in the cache."""
        return [request for request in dict.fromkeys(requests) if self.find(request) is None]

    def is_current(self, request: FileRequest) -> bool:
        """Return whether the server says that a file of the cache is still its current version; download nothing.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused
        """
        cached = self.find(request)
        validators = _validators(cached)
        if not validators:
            return False
        return self._http.exchange(
            request.url,
            lambda answer: answer.status == 304,
            headers=lambda: {"Accept": "*/*", "Accept-Encoding": "identity", **validators},
            expected=(200, 304),
        )

    # Downloading

    def _download(
        self,
        request: FileRequest,
        held: CachedFile | None,
        tally: Tally,
        on_damage: Callable[[FileRequest, DamagedFile], None] | None,
    ) -> CachedFile | None:
        path = self._path(request)
        with self._alone(request):
            if held is None and (cached := self.find(request)) is not None:
                tally.done(request.size or cached.size)  # another thread has just had it
                return cached
            try:
                with _Part.open(self._root / "parts", request.url, path) as part:
                    return self._fetch(request, held, path, part, tally)
            except DamagedFile as error:
                if on_damage is None:
                    raise
                on_damage(request, error)
                return None

    def _fetch(
        self, request: FileRequest, held: CachedFile | None, path: Path, part: _Part, tally: Tally
    ) -> CachedFile:
        def headers() -> dict[str, str]:
            # compressed on the way, a file could neither be resumed nor measured
            fields = {"Accept": "*/*", "Accept-Encoding": "identity"}
            if part.length and part.validator:
                return fields | {"Range": f"bytes={part.length}-", "If-Range": part.validator}
            return fields | _validators(held)

        def receive(answer: OpenReply) -> Mapping[str, str] | None:
            if answer.status == 304:
                return None
            self._begin(answer, request, part, tally)
            for chunk in _whole(answer):
                if request.size and part.length + len(chunk) > request.size:
                    raise _too_long(request)
                part.append(chunk)
                tally.add(len(chunk))
            if request.size and part.length != request.size:
                raise _wrong_length(request, part.length)
            return {name: answer.headers.get(name, "") for name in ("etag", "last-modified")}

        tally.add(part.length)
        expected = {200, 206, 416} if held is None else {200, 206, 304, 416}
        validators = self._http.exchange(
            request.url, receive, headers=headers, expected=expected, in_bulk=True
        )
        if validators is None and held is not None:
            tally.done()
            return held
        validators = validators or {}
        self._check_part(part, request)
        cached = CachedFile(
            path=path,
            url=request.url,
            size=part.length,
            sha256=part.digests.sha256,
            identity=request.identity,
            etag=validators.get("etag", ""),
            last_modified=validators.get("last-modified", ""),
            fetched_at=self._http.clock.utc().isoformat(timespec="seconds"),
        )
        _keep_earlier(path, request.identity)
        digest = part.move()
        self._digests.remember(path, digest)
        # lost with the power, it costs another download: only the bytes themselves must not be half there
        write_whole(_beside(path), json.dumps(cached.to_json(), indent=1).encode(), durable=False)
        tally.done()
        return replace(cached, digest=digest)

    @staticmethod
    def _begin(answer: OpenReply, request: FileRequest, part: _Part, tally: Tally) -> None:
        """Check the headers of a reply: which bytes are coming, and whether they can be part of the requested file."""
        if answer.status == 416:
            tally.add(-part.length)
            part.restart("")
            raise BadBody("does not contain the requested range of bytes")
        if answer.status == 206:
            if not answer.headers.get("content-range", "").startswith(f"bytes {part.length}-"):
                tally.add(-part.length)
                part.restart("")
                raise BadBody("does not begin at the requested byte")
            return
        tally.add(-part.length)
        etag = answer.headers.get("etag", "")
        # RFC 9110, 13.1.5: a weak tag does not name bytes, so it cannot guard a resumption
        part.restart(etag if etag and not etag.startswith("W/") else answer.headers.get("last-modified", ""))
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/html"):
            problem = explain_page("", request.url, answer.came_from)
            raise DamagedFile(
                f"{_name(request.url)} was not received: {problem.message}",
                advice=problem.advice,
                place=request.url,
            )
        if request.size and answer.length and answer.length != request.size:
            raise _wrong_length(request, answer.length)

    def _check_part(self, part: _Part, request: FileRequest) -> None:
        try:
            self._check(part.body)
            refuse_wrong(part.digests.checksum(), part.body.name, request.url)
        except DamagedFile as error:
            # it is known by the name that it would have had
            text = error.message.replace(part.body.name, _name(request.url))
            raise DamagedFile(text, advice=error.advice, place=request.url) from error

    # Places

    def _path(self, request: FileRequest) -> Path:
        return self._root / (request.place or place_of(request.url))

    @contextmanager
    def _alone(self, request: FileRequest) -> Iterator[None]:
        """Let only one thread at a time download a file, so that two steps do not download the same file twice."""
        with self._lock:
            lock = self._busy.setdefault(request.place or request.url, threading.Lock())
        with lock:
            yield


def _validators(held: CachedFile | None) -> dict[str, str]:
    """Return the header with which a server sends a file only if it differs from the one in the cache."""
    if held is not None and held.etag:
        return {"If-None-Match": held.etag}
    if held is not None and held.last_modified:
        return {"If-Modified-Since": held.last_modified}
    return {}


def place_of(url: str) -> str:
    """Return the path of a URL in the cache: host and path, without parts that lead out of the cache.

    >>> place_of("https://cdaweb.gsfc.nasa.gov/sp_phys/data/ace/ac_k2_mfi_20220101_v03.cdf")
    'cdaweb.gsfc.nasa.gov/sp_phys/data/ace/ac_k2_mfi_20220101_v03.cdf'

    Raises
    ------
    Refused
        The URL does not name a file.
    """
    parts = urlsplit(url)
    names = [unquote(name) for name in parts.path.split("/") if name]
    if parts.scheme not in ("http", "https") or not parts.hostname or not names or parts.path.endswith("/"):
        raise Refused(f"'{url}' is not the URL of a file to download", place=url)
    if parts.query:
        names[-1] = f"{hashlib.sha256(parts.query.encode()).hexdigest()[:12]}-{names[-1]}"
    host = parts.hostname if parts.port is None else f"{parts.hostname}-{parts.port}"
    return "/".join(_safe(name) for name in (host, *names))


def _safe(name: str) -> str:
    """Return a safe name for a file or folder: the name itself, or its digest if the name would lead elsewhere
    or is invalid.
    """
    return name if _SAFE.fullmatch(name) else f"_{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def _whole(answer: OpenReply) -> Iterator[bytes]:
    """Yield the bytes of a body; raise `BadBody` if the body ends before its announced length."""
    import httpx2

    try:
        yield from answer.raw()  # as it comes: what came before a cut is not lost
    except httpx2.RemoteProtocolError as error:
        raise BadBody("ends too early") from error


class _Part:
    """An unfinished download: a folder with the bytes received so far, and with the facts needed to resume the
    download.

    The folder's name contains the process, so that helio recognises folders left by dead processes.
    """

    def __init__(self, folder: Path, path: Path) -> None:
        self._folder = folder
        self._place = path
        self.body = folder / "body"
        self.validator = ""
        self.length = 0
        self._descriptor = -1
        self.digests = ByteDigests()
        self._moved = False

    @classmethod
    def open(cls, parts: Path, url: str, path: Path) -> Self:
        """Open the unfinished download of a URL, or start an empty download."""
        prefix = hashlib.sha256(url.encode()).hexdigest()[:24]
        with _on_disk(path):
            parts.mkdir(parents=True, exist_ok=True)
            folder = parts / f"{prefix}.{temporary_name()}"
            for left in sorted(_left_over(parts)):
                if not left.name.startswith(f"{prefix}."):
                    _forget_old(left)
                    continue
                with suppress(OSError):  # another process was faster
                    os.rename(left, folder)
                    break
            part = cls(folder, path)
            part._resume()
        return part

    def _resume(self) -> None:
        self._folder.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            self.validator = (self._folder / "validator").read_text()
        self._descriptor = os.open(self.body, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if not self.validator:
            os.ftruncate(self._descriptor, 0)
            return
        while chunk := os.read(self._descriptor, _CHUNK):
            self.digests.update(chunk)
            self.length += len(chunk)

    def restart(self, validator: str) -> None:
        """Start the download again from its first byte, and save the server's ETag or date of this version, which is
        needed to resume.
        """
        with _on_disk(self._place):
            (self._folder / "validator").unlink(missing_ok=True)
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            self.digests, self.length, self.validator = ByteDigests(), 0, validator
            if validator:
                (self._folder / "validator").write_text(validator)

    def append(self, chunk: bytes) -> None:
        """Append bytes to the unfinished file."""
        with _on_disk(self._place):
            write_all(self._descriptor, chunk)
        self.digests.update(chunk)
        self.length += len(chunk)

    def move(self) -> FileDigest:
        """Write the complete file to disk, then move it to its final path; return its digest."""
        with _on_disk(self._place):
            os.fsync(self._descriptor)
            self._place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.body, self._place)
            state = settled_state(self._descriptor)
        self._moved = True
        return FileDigest(state, self.digests.sha256, self.digests.checksum())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        os.close(self._descriptor)
        if error is not None and _may_pass(error) and self.validator and self.length >= _WORTH_RESUMING:
            # free for the next download of the file, in this process too
            with suppress(OSError):
                os.rename(self._folder, self._folder.with_name(_free_name(self._folder.name)))
                return
        shutil.rmtree(self._folder, ignore_errors=True)


def _may_pass(error: BaseException) -> bool:
    """Return whether a later attempt may use the bytes received before this error."""
    cut = isinstance(error.__cause__, BadBody)
    return cut or isinstance(error, (TransientError, Cancelled)) or not isinstance(error, Exception)


def _free_name(name: str) -> str:
    return f"{name.partition('.')[0]}.free-{secrets.token_hex(6)}"


def _left_over(parts: Path) -> Iterator[Path]:
    for folder in parts.iterdir():
        mark = folder.name.partition(".")[2]
        if mark.startswith("free-") or fate_of_writer(mark) == "gone":
            yield folder


def _forget_old(folder: Path) -> None:
    with suppress(OSError):
        if folder.stat().st_mtime < time.time() - _FORGOTTEN_AFTER:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _on_disk(path: Path) -> Iterator[None]:
    """Replace an error of the disk by an error that names the file which could not be written."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _earlier(path: Path, identity: str) -> Path:
    """Return the path at which helio keeps an older version of a file after a newer version replaced it."""
    named = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return path.parent / _EARLIER / named / path.name


def _keep_earlier(path: Path, identity: str) -> None:
    """Keep the version of a file that a newer version will replace, because a lock file or the record of a run
    may name it.
    """
    try:
        record = read_bytes(_beside(path))
        held = parse_record(record, CachedFile, _beside(path), given={"path": path, "digest": None}).identity
    except FileNotFoundError:
        return
    except DamagedRecord as error:
        log.warning("%s; the earlier version of the file is not kept", error.message)
        return
    if held == identity:
        return
    aside = _earlier(path, held)
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, aside, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError as error:  # a file system without links; the file is replaced all the same
        log.info("%s: the earlier version of the file is not kept: %s", path, error.strerror)
        return
    write_whole(_beside(aside), record, durable=False)


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def _wrong_length(request: FileRequest, length: int) -> DamagedFile:
    return DamagedFile(
        f"{_name(request.url)} has {length} bytes, but its archive lists it with {request.size}",
        advice="run again: the archive may have published a new version of the file",
        place=request.url,
    )


def _too_long(request: FileRequest) -> DamagedFile:
    return DamagedFile(
        f"{_name(request.url)} is longer than the {request.size} bytes that its archive lists",
        advice="run again: the archive may have published a new version of the file",
        place=request.url,
    )


def _not_here(missing: Sequence[FileRequest]) -> Offline:
    names = [_name(request.url) for request in missing]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Offline(
        f"helio is offline, and {number_of(len(names), 'file is', 'files are')} not cached: "
        f"{', '.join(names[:_NAMED])}{more}",
        advice="run once without --offline",
        place=missing[0].url,
    )
