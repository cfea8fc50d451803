"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from helio.errors import OutputError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No room: on the disk, in the user's quota, within the process's limit."""
_FORBIDDEN = (errno.EACCES, errno.EPERM)
_REASONS = {
    errno.ENOTDIR: "a file stands where one of its folders would be",
    errno.EEXIST: "a file stands where one of its folders would be",
    errno.EROFS: "nothing can be written to that file system",
    errno.ENOENT: "nothing can be made in that folder",
}
"""Where the system's own words would mislead."""


LONGEST_SHOWN = 300
"""Characters of a path in a message."""


def json_bytes(value: Any, *, default: Callable[[Any], Any] | None = None) -> bytes:
    """JSON for a file, as people read it.

    A name of a file may be bytes that are no UTF-8. Python has them as halves of characters, and JSON as escapes.
    """
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=default) + "\n"
    return text.encode(errors="backslashreplace")


def is_file(path: Path) -> bool:
    """Whether a file stands there; False for a path that none can have, or that may not be looked at."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, a null character, a folder that is closed
        return False


def is_folder_there(path: Path) -> bool:
    """Whether a folder stands there; False for a path that none can have, or that may not be looked at."""
    return os.path.isdir(path)


def is_special(path: Path) -> bool:
    """Whether something stands there that is neither a file nor a folder: a device, a pipe, a socket."""
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):
        return False


def user_path(name: str | Path) -> Path:
    """The path that a person means, ``~`` as a home folder where there is such a user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~nobody
        return Path(name)


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file through a temporary one beside it, so that no reader ever sees a part.

    Parameters
    ----------
    durable : bool
        Whether it must outlive a power cut; a copy of what the store has need not wait for the disk.

    Raises
    ------
    OutputError
        The folder cannot be made or written, or the disk is full.
    """
    if path.name in ("", "..") or "\0" in str(path):
        raise OutputError(f"'{shown_path(path)}' is no name of a file", advice="choose a name for the file")
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(6)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_through(temporary, path, content, durable=durable)
    except OSError as error:
        raise unwritable(path, error) from error


def replace_through(temporary: Path, path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write to `temporary` and move it to `path`; when that fails, neither is left as a part.

    A file that is not `durable` is whole after the death of the process, and may be lost or empty after that of the
    machine.
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


def note_use(path: Path) -> None:
    """Date a file to now, so that garbage collection sees that it is used; in a cache to be read only, do without."""
    with suppress(OSError):
        os.utime(path)


def make_durable(folder: Path) -> None:
    """Put on the disk which files stand in a folder, where the file system can be told to."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # said by file systems over a network
            raise
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes | memoryview) -> None:
    """Write every byte: the system may take a part, as on a disk that is nearly full."""
    rest = memoryview(content).cast("B")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def shown_path(path: Path) -> str:
    """A path as a message shows it: a very long one by its two ends."""
    text = str(path)
    return (
        text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN // 2]}…{text[-LONGEST_SHOWN // 2 :]}"
    )


def unwritable(path: Path, error: OSError, advice: str = "") -> OutputError:
    """The error of a file that cannot be written, in words."""
    if error.errno in FULL:
        reason, way_out = "the disk is full", "free the disk, or write elsewhere"
    else:
        reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
        allowed = "ask for permission to write there, or " if error.errno in _FORBIDDEN else ""
        way_out = f"{allowed}write elsewhere; HELIO_HOME names the folder of all that helio keeps"
    return OutputError(f"{shown_path(path)} cannot be written: {reason}", advice=advice or way_out)
