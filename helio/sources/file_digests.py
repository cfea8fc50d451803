"""Digests of files outside the store, and checks that a file does not change while helio reads it."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from helio.errors import ChangedFile, DamagedFile, DamagedRecord, OutputError
from helio.sources.cdf_checksum import ByteDigests, Checksum
from helio.sources.damage import ADVICE
from helio.store.files import write_whole
from helio.store.records import Sha256, read_record

log = logging.getLogger(__name__)

T = TypeVar("T")

_TICK = 20_000_000
"""Time in nanoseconds in which a second write may leave the same time stamp: file systems stamp changes every 1
to 10 ms.
"""
_CHUNK = 1024**2
_TRIES = 3


@dataclass(frozen=True)
class FileState:
    """Facts of the file system about a file; every write, replacement or new time stamp changes these facts."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, file: Path | int) -> Self:
        """Return the current state of the file at a path or behind an open descriptor.

        Raises
        ------
        OSError
        """
        status = os.stat(file)
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class FileDigest:
    """Digest of a file, with the file's state when the digest was computed."""

    state: FileState
    sha256: str
    checksum: Checksum = "none"
    """Whether the file carries its own checksum; helio makes no `FileDigest` for a file with a wrong checksum."""


def open_regular(path: Path) -> int:
    """Open a regular file for reading; refuse a FIFO or a device, because reading it may block or never end.

    Raises
    ------
    OSError
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is a folder, a FIFO, a socket or a device, not a regular file")
    return descriptor


@dataclass(frozen=True)
class _SavedDigest:
    """The saved digest of a file; the field `checksum` is empty if an earlier version of helio did not look for
    a checksum.
    """

    identity: tuple[int, int, int, int]
    sha256: Sha256
    file: str = ""
    checksum: Literal["none", "right", ""] = ""


@dataclass(frozen=True)
class _SavedNote:
    """The saved facts of a file, as JSON."""

    identity: tuple[int, int, int, int]
    noted: Any
    file: str = ""


def settled_state(descriptor: int) -> FileState:
    """Return the state of an open file; wait shortly if needed, so that any later write changes the state.

    Without the wait, a second write within the same tick of the file system's clock would leave the state unchanged.
    """
    state = FileState.of(descriptor)
    age = time.time_ns() - state.ctime_ns
    if 0 <= age < _TICK:
        time.sleep((_TICK - age) / 1e9)
        state = FileState.of(descriptor)
    return state


def digest_file(path: Path) -> FileDigest:
    """Read a file once to compute its digest, and verify the checksum that a CDF may carry.

    Raises
    ------
    DamagedFile
        The file's own checksum is wrong.
    ChangedFile
        Another process keeps writing to the file.
    OSError
    """
    buffer = memoryview(bytearray(_CHUNK))
    for _ in range(_TRIES):
        digests = ByteDigests()
        with open(open_regular(path), "rb", buffering=0) as file:
            state = settled_state(file.fileno())
            while count := file.readinto(buffer):
                digests.update(buffer[:count])
            same = FileState.of(file.fileno()) == state
        if same and FileState.of(path) == state:
            checksum = digests.checksum()
            refuse_wrong(checksum, path.name, str(path))
            return FileDigest(state, digests.sha256, checksum)
    raise changed(path)


def refuse_wrong(checksum: Checksum, name: str, where: str) -> None:
    """Raise an error for a file whose own checksum is wrong.

    Raises
    ------
    DamagedFile
    """
    if checksum == "wrong":
        raise DamagedFile(
            f"'{name}' is damaged: its bytes do not match its own MD5 checksum",
            advice=ADVICE,
            place=where,
        )


def changed(path: Path) -> ChangedFile:
    """Return the error for a file that changed while helio used the file."""
    return ChangedFile(
        f"'{path.name}' was replaced or written to while helio used it",
        advice="run again when no other program writes to the file",
        place=str(path),
    )


class FileDigests:
    """Saved digests of files, so that a run does not have to read a large archive again.

    A file counts as unchanged while its size, its times of modification and change, and its inode are the same: no
    ordinary program can set back the time of change.

    Parameters
    ----------
    root : Path, optional
        Folder with one small file for each saved digest; made when the first digest is saved. Without a folder, nothing
        is saved.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root

    def of(self, path: Path) -> FileDigest:
        """Return the digest of a file's current bytes, from the saved digests if the file is unchanged.

        Raises
        ------
        DamagedFile
            A checksum within the file is wrong.
        ChangedFile
            Another process keeps writing to the file.
        OSError
        """
        state = FileState.of(path)
        note_path = self._place(path)
        if note_path is not None:
            try:
                remembered = read_record(note_path, _SavedDigest)
                if remembered.identity == _identity(state) and remembered.checksum:
                    return FileDigest(state, remembered.sha256, remembered.checksum)
            except FileNotFoundError:
                log.debug("reading %s for the first time", path)
            except DamagedRecord as error:
                log.warning("%s; helio reads '%s' again to compute its digest", error.message, path)
        digest = digest_file(path)
        self.remember(path, digest)
        return digest

    def remember(self, path: Path, digest: FileDigest) -> None:
        """Save a digest that is already known."""
        note_path = self._place(path)
        if note_path is not None:
            content = {
                "file": str(path),
                "identity": _identity(digest.state),
                "sha256": digest.sha256,
                "checksum": digest.checksum,
            }
            with suppress(OutputError):  # a home that may only be read remembers nothing
                write_whole(note_path, json.dumps(content).encode(), durable=False)

    def noted(self, path: Path, state: FileState, kind: str) -> Any:
        """Return the facts that `note` saved for a file in this state; None if no facts are saved.

        Parameters
        ----------
        kind : str
            Name of the facts, with the version of their form: ``"facts-1"``.
        """
        note_path = self._place(path, kind)
        if note_path is not None:
            try:
                note = read_record(note_path, _SavedNote)
                if note.identity == _identity(state):
                    return note.noted
            except FileNotFoundError:
                log.debug("reading %s for the first time", path)
            except DamagedRecord as error:
                log.warning("%s; helio reads '%s' again", error.message, path)
        return None

    def note(self, path: Path, state: FileState, kind: str, noted: Any) -> None:
        """Save facts that were read from a file in this state, as JSON.

        Save nothing for a file that was written a moment ago, because a further write might leave its state unchanged.
        """
        note_path = self._place(path, kind)
        if note_path is not None and time.time_ns() - state.ctime_ns > _TICK:
            content = {"file": str(path), "identity": _identity(state), "noted": noted}
            with suppress(OutputError):
                write_whole(note_path, json.dumps(content).encode(), durable=False)

    def read(self, path: Path, digest: FileDigest, read: Callable[[FileState], T]) -> T:
        """Read a file and check that it has the bytes of `digest`; read it again if its state changed but its bytes did
        not.

        Parameters
        ----------
        read : callable
            Function that reads the file in the given state, or raises `ChangedFile`.

        Raises
        ------
        ChangedFile
            The file has other bytes now, or another process keeps writing to it.
        """
        state = digest.state
        for _ in range(_TRIES):
            try:
                return read(state)
            except ChangedFile:
                state = self._state_with(path, digest)
        raise changed(path)

    def _state_with(self, path: Path, digest: FileDigest) -> FileState:
        """Return the current state of a file, after checking that the file has the bytes of `digest`."""
        try:
            now = self.of(path)
        except (OSError, DamagedFile) as error:
            raise changed(path) from error
        if now.sha256 != digest.sha256:
            raise changed(path)
        return now.state

    def _place(self, path: Path, kind: str = "") -> Path | None:
        if self._root is None:
            return None
        name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()
        return self._root / f"{name}{'-' if kind else ''}{kind}.json"


def _identity(state: FileState) -> tuple[int, int, int, int]:
    """Return the parts of a file's state to save; device numbers may change when the machine restarts, so they
    are left out.
    """
    return (state.size, state.mtime_ns, state.ctime_ns, state.inode)
