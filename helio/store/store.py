"""The store: tables and figures by the digest of their content, and results by the key of the work that made them."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import DamagedObject, DamagedRecord
from helio.store.files import is_folder_there, replace_through, unwritable, write_all
from helio.store.process import temporary_name
from helio.store.records import Count, Digest, parse_record, read_bytes

if TYPE_CHECKING:
    from helio.store.table import Table

log = logging.getLogger(__name__)

TABLE = ".arrow"
LARGEST = 1024**3
"""Maximum bytes of the file of a result."""
_TOUCHED_EVERY = 600.0  # seconds; the times of use that garbage collection goes by are no finer


@dataclass(frozen=True)
class StoredResult:
    """A result in the store: the facts that a step recorded, found by the key of its work.

    Parameters
    ----------
    key : str
    recipe : dict
        JSON: the key is its hash.
    digest, suffix : str
        The object.
    facts : dict
        JSON for callers: rows, unit, notes, attempts, sources. The store does not read it.
    made_at : str
        ISO 8601.
    seconds : float
        Duration of the work.
    """

    key: str
    recipe: dict[str, Any]
    digest: Digest
    suffix: str
    facts: dict[str, Any]
    made_at: str
    seconds: float


@dataclass(frozen=True)
class _WrittenResult(StoredResult):
    """The content of a result's file."""

    form: Literal["helio-result/1"]
    size: Count


class Store:
    """A folder of objects (tables, figures, exports) and results, which several processes and threads can share.

    ::

        objects/4f/4f….arrow   complete, read-only, named by the digest of their content
        results/c2/c2….json    by key: the recipe and the resulting object
        quarantine/            damaged objects, each with a file that gives the reason
        tmp/                   files being written

    Nothing is ever changed in place: a file is written under `tmp`, made durable, read back, and moved. A process that
    dies leaves only a temporary file. There are no locks.

    Parameters
    ----------
    root : Path
        Created when the first object is put.
    now : callable, optional
        The clock for the names of objects in quarantine.
    """

    def __init__(self, root: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.root = root
        self._now = now
        self._verified: dict[Path, tuple[int, int, int]] = {}

    # ---- objects

    def put_table(self, table: Table) -> str:
        """Store a table; if the store has the table already, write nothing.

        The stored table has 0.0 where this one has −0.0. Later work must use the table that `table` returns, so that it
        does not depend on whether the table was found or made.

        Returns
        -------
        str
            The table's digest.

        Raises
        ------
        OutputError
            The folder cannot be written, or the disk is full. No partial file is left.
        """
        from helio.store.ipc import read_table, write_table

        digest = table.digest()

        def write(temporary: Path) -> None:
            with temporary.open("xb") as file:
                write_table(table, file, digest=digest)
                file.flush()
                os.fsync(file.fileno())
            if read_table(temporary, digest).digest() != digest:
                raise DamagedObject(
                    f"{temporary} differs from what helio wrote to it", advice="check the disk for errors"
                )

        self._put(digest, TABLE, write)
        return digest

    def table(self, digest: str) -> Table:
        """Open the table with the given digest, mapped into memory, read-only, without its sources and notes.

        Raises
        ------
        DamagedObject
            It is missing, or was damaged and is now in quarantine. Compute it again.
        """
        from helio.store.ipc import read_table

        path = self.path(digest, TABLE)
        identity = self._verify(path, digest, TABLE)
        try:
            return read_table(path, digest)
        except DamagedObject as error:
            self._quarantine(path, identity, error.message)
            raise

    def put_bytes(self, content: bytes, suffix: str) -> str:
        """Store a figure or an exported file; if the store has the bytes already, write nothing.

        Raises
        ------
        OutputError
            The folder cannot be written, or the disk is full. No partial file is left.
        """
        if suffix == TABLE:
            raise ValueError("store tables with put_table")
        digest = "sha256:" + hashlib.sha256(content).hexdigest()

        def write(temporary: Path) -> None:
            with temporary.open("xb", buffering=0) as file:
                write_all(file.fileno(), content)
                os.fsync(file.fileno())
            if temporary.read_bytes() != content:
                raise DamagedObject(
                    f"{temporary} differs from what helio wrote to it", advice="check the disk for errors"
                )

        self._put(digest, suffix, write)
        return digest

    def bytes(self, digest: str, suffix: str) -> bytes:
        """Read the bytes with the given digest.

        Raises
        ------
        DamagedObject
            It is missing, or was damaged and is now in quarantine. Compute it again.
        """
        path = self.path(digest, suffix)
        identity = self._identity(path)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise _gone(path) from None
        if "sha256:" + hashlib.sha256(content).hexdigest() != digest:
            raise self._damaged(path, identity)
        return content

    def has(self, digest: str, suffix: str = TABLE) -> bool:
        """Return whether an object is in the store. This check does not read the object, so it finds no damage."""
        return self._size(self.path(digest, suffix)) > 0

    def path(self, digest: str, suffix: str = TABLE) -> Path:
        """Return the path of an object in the store, even if the object does not exist."""
        match = re.fullmatch(r"sha256:([0-9a-f]{64})", digest)
        if not match:
            raise ValueError(f"{digest!r} is not a digest, which is 'sha256:' and 64 hexadecimal digits")
        if not re.fullmatch(r"(\.[A-Za-z0-9]+)+", suffix):
            raise ValueError(f"{suffix!r} is not a file suffix such as '.png'")
        return self.root.joinpath("objects", match[1][:2], f"{match[1]}{suffix}")

    # ---- results

    def find(self, key: str) -> StoredResult | None:
        """Find the result for a key of work; return None if the result or its object is missing or damaged."""
        path = self.result_path(key)
        read = _read_result(path)
        if read is None or read[0].key != key:
            return None
        result, size = read
        if self._size(self.path(result.digest, result.suffix)) != size:
            return None
        self._touch(path)
        return result

    def record(self, key: str, result: StoredResult) -> None:
        """Record the result for the key of a step's work, after storing the result's object.

        Raises
        ------
        DamagedObject
            Its object is missing.
        OutputError
            The folder cannot be written, or the disk is full.
        """
        if key != result.key:
            raise ValueError(f"the result has the key {result.key}, not {key}")
        target = self.path(result.digest, result.suffix)
        size = self._size(target)
        if size <= 0:
            raise _gone(target)
        path = self.result_path(key)
        try:
            # No fsync: the seal reveals a result that a crashed machine left empty, and it is then recomputed.
            replace_through(self._temporary(path), path, _write_result(result, size), durable=False)
        except OSError as error:
            raise unwritable(path, error) from error

    def result_path(self, key: str) -> Path:
        """Return the path of the result for a key, even if the result does not exist."""
        match = re.fullmatch(r"key:([0-9a-f]{64})", key)
        if not match:
            raise ValueError(f"{key!r} is not a key, which is 'key:' and 64 hexadecimal digits")
        return self.root.joinpath("results", match[1][:2], f"{match[1]}.json")

    # ---- within

    def _put(self, digest: str, suffix: str, write: Callable[[Path], None]) -> None:
        path = self.path(digest, suffix)
        with suppress(DamagedObject):  # missing, or moved to quarantine: it is written now
            self._verify(path, digest, suffix)
            self._touch(path)
            return
        try:
            temporary = self._temporary(path)
            try:
                write(temporary)
                temporary.chmod(temporary.stat().st_mode & ~0o222)
                identity = _identity(temporary.stat())
                os.replace(temporary, path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise unwritable(path, error) from error
        self._verified[path] = identity

    def _temporary(self, path: Path) -> Path:
        folder = self.root / "tmp"
        for needed in (folder, path.parent):
            if not is_folder_there(needed):  # a look costs a tenth of an attempt to make it
                needed.mkdir(parents=True, exist_ok=True)
        return folder / temporary_name()

    def _verify(self, path: Path, digest: str, suffix: str) -> tuple[int, int, int]:
        """Check all bytes of an object, unless this process has checked them since the object last changed."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise _gone(path) from None
        try:
            identity = _identity(os.fstat(descriptor))
            if self._verified.get(path) == identity:
                return identity
            sound = _sound(descriptor, digest, suffix)
        finally:
            os.close(descriptor)
        if not sound:
            raise self._damaged(path, identity)
        self._verified[path] = identity
        return identity

    def _damaged(self, path: Path, identity: tuple[int, int, int] | None) -> DamagedObject:
        location = self._quarantine(path, identity, "its bytes have changed since it was written")
        return DamagedObject(
            f"the object {path.name} in the store is damaged{location}", advice="run again to recompute it"
        )

    def _quarantine(self, path: Path, identity: tuple[int, int, int] | None, reason: str) -> str:
        """Move a damaged object to the quarantine folder; return the end of the error message, with the new path."""
        self._verified.pop(path, None)
        if identity is None or self._identity(path) != identity:
            return ""  # another process has moved it already, and perhaps replaced it
        at = self._now()
        moved = self.root / "quarantine" / f"{at:%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}-{path.name}"
        note = {"object": path.name, "reason": reason, "at": at.isoformat(), "size": identity[0]}
        try:
            moved.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, moved)
            moved.with_name(moved.name + ".json").write_text(json.dumps(note, indent=1) + "\n")
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f", and helio cannot move it to quarantine: {error.strerror}"
        return f"; the damaged file is kept as {moved}"

    def _identity(self, path: Path) -> tuple[int, int, int] | None:
        try:
            return _identity(path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _size(self, path: Path) -> int:
        identity = self._identity(path)
        return -1 if identity is None else identity[0]

    def _touch(self, path: Path) -> None:
        """Set a file's time to now: garbage collection first removes the files that were not used for longest."""
        with suppress(OSError):  # removed meanwhile, or a read-only store
            if abs(time.time() - path.stat().st_mtime) > _TOUCHED_EVERY:
                known = self._verified.get(path) == self._identity(path)
                os.utime(path)
                identity = self._identity(path)
                if known and identity is not None:
                    self._verified[path] = identity


def _sound(descriptor: int, digest: str, suffix: str) -> bool:
    if suffix == TABLE:
        from helio.store.ipc import intact

        return intact(descriptor)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest() == digest


def _gone(path: Path) -> DamagedObject:
    return DamagedObject(f"the object {path.name} is not in the store", advice="run again to recompute it")


def _identity(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _write_result(result: StoredResult, size: int) -> bytes:
    record = {"form": "helio-result/1", "size": size, **vars(result)}
    line = json.dumps(record, sort_keys=True, allow_nan=False).encode()
    return line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"


def read_result(path: Path) -> StoredResult | None:
    """Read the result in a file; return None if a byte of the file has changed."""
    read = _read_result(path)
    return None if read is None else read[0]


def _read_result(path: Path) -> tuple[StoredResult, int] | None:
    """Read the result in a file, and return it with the size of its object."""
    try:
        content = read_bytes(path, largest=LARGEST)
    except FileNotFoundError:
        return None
    except DamagedRecord as error:
        log.warning("%s; the result is recomputed", error.message)
        return None
    line, _, seal = content.partition(b"\n")
    if seal != hashlib.sha256(line).hexdigest().encode() + b"\n":
        return None
    try:
        record = parse_record(line, _WrittenResult, path)
    except DamagedRecord as error:
        log.warning("%s; the result is recomputed", error.message)
        return None
    facts = {name: fact for name, fact in vars(record).items() if name in StoredResult.__dataclass_fields__}
    return StoredResult(**facts), record.size


__all__ = ["Store", "StoredResult"]
