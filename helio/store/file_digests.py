"""Digests of files that stand outside the store, remembered as long as the files are what they were."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from helio.errors import OutputError
from helio.store.files import write_whole


def sha256_of(path: Path) -> str:
    """The sha256 of a file's bytes, read now."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class FileDigests:
    """Remembers the sha256 of files, so that a run over a large archive need not read all of it to know it.

    A file is taken for unchanged while its size, times of modification and change, and inode are the same: the
    time of change cannot be set back by ordinary means.

    Parameters
    ----------
    root : Path
        A small file for each that is remembered; made when the first one is.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def sha256(self, path: Path) -> str:
        """The sha256 of a file's bytes."""
        identity = _identity(path)
        place = self._root / f"{hashlib.sha256(str(path.resolve()).encode()).hexdigest()}.json"
        with suppress(
            OSError, ValueError, KeyError, TypeError
        ):  # not remembered, or not readable: read the file
            remembered = json.loads(place.read_bytes())
            if remembered["identity"] == identity:
                return str(remembered["sha256"])
        digest = sha256_of(path)
        if _identity(path) == identity:  # it was not written to meanwhile
            with suppress(OutputError):  # a home that may only be read remembers nothing
                content = {"file": str(path), "identity": identity, "sha256": digest}
                write_whole(place, json.dumps(content).encode(), durable=False)
        return digest


def _identity(path: Path) -> list[int]:
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
