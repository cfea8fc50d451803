"""Cache of a HAPI server's replies: each reply holds one parameter over one interval, and serves every range
that it covers.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from helio.errors import ChangedFile, DamagedFile, DamagedRecord, OutputError
from helio.sources.downloads import CachedFile
from helio.sources.file_digests import FileDigests, changed
from helio.store.files import unwritable, write_whole
from helio.store.records import read_record
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.hapi_data import Records

log = logging.getLogger(__name__)

_NAME = re.compile(r"(\d{8}T\d{6}(?:\.\d{6})?)Z_(\d{8}T\d{6}(?:\.\d{6})?)Z\.(?:bin|csv)")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@,=-]{0,99}")
_WRITERS = 4
"""Number of threads that write the replies of a fetch: one computes a digest while another waits for the disk."""
_EMPTY_FOR = timedelta(hours=1)
"""Time for which helio uses an empty reply: the server may have had a temporary problem."""


@dataclass(frozen=True)
class PieceSeries:
    """Identity of a series of cached replies: one parameter of one server, with records in one form.

    Parameters
    ----------
    folder : str
        Folder of the series, below the cache folder.
    layout : str
        Digest of the contents of a record; cached replies with another layout cannot be read as this series.
    suffix : str
        ``".bin"`` or ``".csv"``.
    described : str
        Digest of the server's description of the records: fill, units, bins. helio does not use cached replies with
        another description for this series.
    """

    folder: str
    layout: str
    suffix: str
    described: str


@dataclass(frozen=True)
class CachedReply(CachedFile):
    """Cached reply of a HAPI server, with the dataset's version and other facts at the time of the reply.

    Parameters
    ----------
    described : str
        `described` of the series at the time of the reply; empty for replies cached by earlier versions of helio.
    modified : str
        The dataset's ``modificationDate`` at the time of the reply.
    info : str
        Digest of the server's description of the dataset at the time of the reply.
    incomplete : str
        Reason why the reply may be incomplete; empty if it is complete. Only an offline run uses an incomplete reply.
    checked : bool
        Whether the server still had the same version of the dataset after the reply.
    """

    described: str = ""
    modified: str = ""
    info: str = ""
    incomplete: str = ""
    checked: bool = False

    @property
    def edition(self) -> str:
        """Name of the dataset's version to which the reply belongs."""
        return self.identity.partition("|")[2]


@dataclass(frozen=True)
class Piece:
    """Interval of records, and the cached reply that holds these records and perhaps more.

    Parameters
    ----------
    span : TimeRange
        Part of the reply that helio uses.
    whole : TimeRange
        Interval of the request.
    records : Records or None
        The records of the reply, if this fetch received and decoded it.
    """

    span: TimeRange
    kept: CachedReply
    whole: TimeRange
    records: Records | None = None


class Drafts:
    """The bodies of replies that one fetch is writing to the disk; safe to share between threads.

    A context manager: at its end, all replies that were kept are in the cache.
    """

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(_WRITERS, "helio-keep")
        self.kept: list[Future[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        wait(self.kept)

    def finish(self) -> None:
        """Wait until all replies that were kept are in the cache.

        Raises
        ------
        OutputError
            The disk is full, or the folder cannot be written.
        """
        for kept in tuple(self.kept):
            kept.result()

    def refuse_failed(self) -> None:
        """Raise the error of a body that could not be written, so that helio requests no more.

        Raises
        ------
        OutputError
        """
        for kept in tuple(self.kept):
            if kept.done():
                kept.result()


class Draft:
    """Body of a reply that threads write to a temporary file while this thread reads it.

    A context manager: a body that is not kept by its end is removed.
    """

    def __init__(self, folder: Path, body: bytes, drafts: Drafts) -> None:
        self.size = len(body)
        self._temporary = folder / f".{os.urandom(6).hex()}"
        self._drafts = drafts
        self._digest = drafts.threads.submit(lambda: hashlib.sha256(body).hexdigest())
        self._written = drafts.threads.submit(write_whole, self._temporary, body)
        self._kept = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if not self._kept:
            with suppress(OutputError):  # then there is nothing to remove
                self._written.result()
            self._temporary.unlink(missing_ok=True)

    def sha256(self) -> str:
        """Return the digest of the body, in hexadecimal."""
        return self._digest.result()

    def keep(self, path: Path, describe: Callable[[], None]) -> None:
        """Give the file its name as soon as it is written, and then describe it; `Drafts.finish` waits for this."""
        self._drafts.kept.append(self._drafts.threads.submit(self._move, path, describe))
        self._kept = True

    def _move(self, path: Path, describe: Callable[[], None]) -> None:
        self._written.result()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._temporary, path)
        except OSError as error:
            self._temporary.unlink(missing_ok=True)
            raise unwritable(path, error) from error
        describe()


class Pieces:
    """Cached replies of a HAPI server below one folder; several processes may share the folder.

    A reply is either complete in the cache or absent. The record ``NAME.json`` next to a reply describes the reply at
    the time when it was received; helio does not use a reply whose bytes have changed.

    Parameters
    ----------
    root : Path
    utc : callable
        Function that returns the current time in UTC.
    digests : FileDigests
        Gives the digest of a file; if this object saves digests, a run need not read large files again.
    believe : bool
        Whether to use empty replies of any age, as an offline run must.
    """

    def __init__(
        self, root: Path, utc: Callable[[], datetime], digests: FileDigests, *, believe: bool
    ) -> None:
        self._root = root
        self._utc = utc
        self._digests = digests
        self._believe = believe

    def cover(
        self, series: PieceSeries, span: TimeRange, usable: Callable[[CachedReply, TimeRange], bool]
    ) -> tuple[list[Piece], list[TimeRange]]:
        """Return the cached replies that overlap an interval, in order, and the intervals that no cached reply covers.

        Parameters
        ----------
        usable : callable
            Function that says whether a reply, given with the interval of its request, belongs to the requested version
            of the dataset.
        """
        pieces: list[Piece] = []
        gaps: list[TimeRange] = []
        reached = span.start
        for interval, path in sorted(
            self._all(series), key=lambda entry: (entry[0].start, datetime.max - entry[0].stop)
        ):
            if interval.stop <= reached or interval.start >= span.stop:
                continue
            reply = self._load(path, series)
            if reply is None or not usable(reply, interval):
                continue
            if interval.start > reached:
                gaps.append(TimeRange(reached, interval.start))
            pieces.append(
                Piece(TimeRange(max(interval.start, reached), min(interval.stop, span.stop)), reply, interval)
            )
            reached = interval.stop
        if reached < span.stop:
            gaps.append(TimeRange(reached, span.stop))
        return pieces, gaps

    def editions(self, series: PieceSeries) -> list[str]:
        """Return the ``modificationDate`` of each cached reply, the most recently received first."""
        loaded = [reply for _, path in self._all(series) if (reply := self._load(path, series)) is not None]
        loaded.sort(key=lambda reply: reply.fetched_at, reverse=True)
        return list(dict.fromkeys(reply.modified for reply in loaded))

    def draft(self, body: bytes, drafts: Drafts) -> Draft:
        """Begin to write the body of a reply, which `keep` may keep.

        Raises
        ------
        OutputError
            An earlier body of this fetch could not be written.
        """
        drafts.refuse_failed()
        return Draft(self._root, body, drafts)

    def keep(
        self,
        series: PieceSeries,
        span: TimeRange,
        draft: Draft,
        url: str,
        *,
        edition: str,
        modified: str,
        info: str,
        incomplete: str = "",
    ) -> Piece:
        """Save the body of a reply, marked as unchecked; replace a saved body of the same interval.

        It is in the cache when `Drafts.finish` returns.
        """
        path = self._root / series.folder / f"{_stamp(span.start)}_{_stamp(span.stop)}{series.suffix}"
        reply = CachedReply(
            path=path,
            url=url,
            size=draft.size,
            sha256=draft.sha256(),
            identity=f"{series.layout}|{edition}",
            fetched_at=self._utc().isoformat(timespec="seconds"),
            described=series.described,
            modified=modified,
            info=info,
            incomplete=incomplete,
        )
        draft.keep(path, partial(self._describe, reply))
        return Piece(span, reply, span)

    def check(self, reply: CachedReply) -> None:
        """Record that the server had the same version of the dataset before and after it sent this reply.

        Raises
        ------
        OutputError
            As for `keep`.
        """
        self._describe(replace(reply, checked=True))

    @staticmethod
    def _describe(reply: CachedReply) -> None:
        path = reply.path.with_name(f"{reply.path.name}.json")
        # lost with the power, it costs another request: only the bytes themselves must not be half there
        write_whole(path, json.dumps(reply.to_json(), indent=1).encode(), durable=False)

    def read(self, piece: Piece) -> bytes:
        """Return the body of a cached reply.

        Raises
        ------
        ChangedFile
            The reply has changed since helio found it in the cache.
        """
        body = piece.kept.path.read_bytes()
        if hashlib.sha256(body).hexdigest() != piece.kept.sha256:
            raise changed(piece.kept.path)
        return body

    def _all(self, series: PieceSeries) -> Iterator[tuple[TimeRange, Path]]:
        try:
            paths = sorted((self._root / series.folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return
        for path in paths:
            named = _NAME.fullmatch(path.name)
            if named and path.suffix == series.suffix:
                yield TimeRange(_moment(named[1]), _moment(named[2])), path

    def _load(self, path: Path, series: PieceSeries) -> CachedReply | None:
        """Load a cached reply that is unchanged and has this record layout and the current description."""
        try:
            reply = read_record(
                path.with_name(f"{path.name}.json"), CachedReply, given={"path": path, "digest": None}
            )
            if reply.identity.partition("|")[0] != series.layout:
                return None
            if reply.described != series.described and (reply.described or not self._believe):
                return None
            if not reply.size and not self._believe:
                age = self._utc() - datetime.fromisoformat(reply.fetched_at)
                if not timedelta() <= age <= _EMPTY_FOR:
                    return None
            if path.stat().st_size == reply.size and self._digests.of(path).sha256 == reply.sha256:
                return reply
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, ChangedFile, DamagedFile, DamagedRecord) as error:
            log.warning(
                "%s: what helio saved about this file cannot be read (%s); helio requests the data again",
                path,
                error,
            )
            return None
        log.warning("%s has changed since it was received; helio requests the data again", path)
        return None


def folder_of(*names: str) -> str:
    """Return a folder path from names of servers, datasets and parameters; a name that is invalid for a folder becomes
    its digest.

    >>> folder_of("cdaweb.gsfc.nasa.gov-hapi", "AC_H2_MFI", "BGSEc")
    'cdaweb.gsfc.nasa.gov-hapi/AC_H2_MFI/BGSEc'
    """
    return "/".join(
        name if _SAFE.fullmatch(name) else f"_{hashlib.sha256(name.encode()).hexdigest()[:32]}"
        for name in names
    )


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%S}" + (f".{moment:%f}Z" if moment.microsecond else "Z")


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%dT%H%M%S.%f" if "." in text else "%Y%m%dT%H%M%S")
