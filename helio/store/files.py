"""Write files so that each file on the disk is either complete or absent."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from helio.errors import OutputError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers that mean "no space left": on the disk, in the user's quota, or within the process's limit."""
_FICLONE = 0x40049409
"""Linux's request to share the blocks of a file, from ``linux/fs.h``."""
_FORBIDDEN = (errno.EACCES, errno.EPERM)
_REASONS = {
    errno.ENOTDIR: "one of its parent folders is a file",
    errno.EEXIST: "one of its parent folders is a file",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "no file can be created in that folder",
}
"""Clear reasons to show instead of misleading messages of the operating system."""


LONGEST_SHOWN = 300
"""Maximum number of characters of a path in a message."""


def json_bytes(value: Any, *, default: Callable[[Any], str] | None = None) -> bytes:
    """Return a JSON value as indented UTF-8 text, for a file that people read.

    A file name may be bytes that are not UTF-8. Python reads them as surrogates, and JSON writes them as escapes.
    """
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=default)
    text = _indented(value, "\n", encoder.encode) + "\n"
    return text.encode(errors="backslashreplace")


def _indented(value: Any, margin: str, encode: Callable[[Any], str]) -> str:
    """Return JSON text as ``json.dumps`` does with ``indent=1``, but several times as fast."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict) and value:
        inner = f"{margin} "
        members = [
            f"{encode_basestring(key) if isinstance(key, str) else encode({key: 0})[1:-4]}: "
            f"{_indented(member, inner, encode)}"
            for key, member in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    if isinstance(value, (list, tuple)) and value:
        inner = f"{margin} "
        items = [_indented(item, inner, encode) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{margin}]"
    return int.__repr__(value) if type(value) is int else encode(value)


def is_file(path: Path) -> bool:
    """Return whether a path is a file; return False for an invalid or unreadable path."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, a null character, a folder that is closed
        return False


def is_folder_there(path: Path) -> bool:
    """Return whether a path is a folder; return False for an invalid or unreadable path."""
    return os.path.isdir(path)


def is_special(path: Path) -> bool:
    """Return whether a path is neither a file nor a folder: a device, a pipe or a socket."""
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):
        return False


def user_path(name: str | Path) -> Path:
    """Replace ``~`` in a path that a user typed by the home folder; keep the path if ``~name`` names no user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~nobody
        return Path(name)


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file through a temporary file in the same folder, so that no program can read an incomplete file.

    Parameters
    ----------
    durable : bool
        Whether it must survive a power cut; a copy of a stored object need not wait for the disk.

    Raises
    ------
    OutputError
        The folder cannot be created or written, or the disk is full.
    """
    if path.name in ("", "..") or "\0" in str(path):
        raise OutputError(f"'{shown_path(path)}' is not a file name", advice="choose a file name")
    temporary = path.with_name(f".{path.name[:40]}.{os.urandom(6).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_through(temporary, path, content, durable=durable)
    except OSError as error:
        raise unwritable(path, error) from error


def replace_through(temporary: Path, path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write `content` to the file `temporary`, then move the file to `path`; after an error, remove `temporary`.

    A file that is not `durable` is complete after the process dies, but may be lost or empty after the machine
    stops.
    """
    try:
        with temporary.open(
            "xb", buffering=0
        ) as file:  # "x": the process's own umask decides who may read it
            write_all(file.fileno(), content)
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def link_or_copy(source: Path, path: Path) -> str:
    """Give a file a second name: as a clone, which shares no later change, as a hard link, or as a copy.

    A hard link has the owner and the permissions of the source; a file that not all readers of the folder can read is
    copied.

    Returns
    -------
    str
        Why the file was copied; empty for a clone or a link.

    Raises
    ------
    OSError
        The source cannot be read, or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name[:40]}.{os.urandom(6).hex()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    reason = ""
    try:
        if not _clone(source, temporary):
            reason = _hard_link(source, temporary)
            if reason:
                shutil.copyfile(source, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return reason


def _clone(source: Path, path: Path) -> bool:
    """Make a file that shares its blocks with another one until either changes; return False if the disk cannot."""
    if sys.platform != "linux":
        return False
    with source.open("rb") as original, path.open("xb") as file:
        try:
            fcntl.ioctl(file.fileno(), _FICLONE, original.fileno())
        except OSError:
            path.unlink()
            return False
    return True


def _hard_link(source: Path, path: Path) -> str:
    """Make a hard link; return why that is not possible."""
    others = stat.S_IRGRP | stat.S_IROTH
    readers = path.parent.stat().st_mode & others
    if source.stat().st_mode & readers != readers:
        return "others can read the folder but not the files"
    try:
        os.link(source, path)
    except OSError as error:
        return "they are on another disk" if error.errno == errno.EXDEV else error.strerror or str(error)
    return ""


def note_use(path: Path) -> None:
    """Set a file's time to now, so that garbage collection keeps the file; do nothing if the cache is read-only."""
    with suppress(OSError):
        os.utime(path)


def make_durable(path: Path) -> None:
    """Wait until a file's content, or a folder's list of files, is on the disk, if the file system supports this."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems answer so
            raise
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes | memoryview) -> None:
    """Write all bytes of `content`, even if the system writes only a part at a time."""
    rest = memoryview(content).cast("B")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def shown_path(path: Path) -> str:
    """Return a path as text for a message; of a very long path, return only the beginning and the end."""
    text = str(path)
    return (
        text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN // 2]}…{text[-LONGEST_SHOWN // 2 :]}"
    )


def unwritable(path: Path, error: OSError, advice: str = "") -> OutputError:
    """Return the error for a file that cannot be written."""
    if error.errno in FULL:
        reason, way_out = "the disk is full", "free some space, or write to another disk"
    else:
        reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
        allowed = "ask for permission to write there, or " if error.errno in _FORBIDDEN else ""
        way_out = f"{allowed}choose another folder; HELIO_HOME sets the folder of helio's data"
    return OutputError(f"{shown_path(path)} cannot be written: {reason}", advice=advice or way_out)
