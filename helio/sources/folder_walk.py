"""Search of a folder for data files, within limits; skipped files and folders are listed with the reason."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from pathlib import Path

MOST_ENTRIES = 1_000_000
"""Maximum number of files and folders to look at in one search."""
MOST_SKIPPED = 1_000
"""Maximum number of skipped files and folders to list with a reason; all further ones are only counted."""
_OFTEN = 1_000
"""Number of files and folders between two calls of `on_progress`."""
_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class SkippedEntry:
    """File or folder of an archive that helio does not read, with the reason.

    Parameters
    ----------
    path : str
        Path below the root, with unprintable characters written as escapes.
    reason : str
    """

    path: str
    reason: str


@dataclass(frozen=True)
class Walk:
    """Result of a search: the data files below a folder, and the skipped files and folders.

    Parameters
    ----------
    files : tuple of Path
        Files whose name has an ending that helio reads, in order of path.
    skipped : tuple of SkippedEntry
        Files that look like data but cannot be read, and folders that helio did not enter.
    more_skipped : int
        Number of further skipped files and folders, beyond `MOST_SKIPPED`.
    is_whole : bool
        False if the search stopped at `MOST_ENTRIES`.
    """

    files: tuple[Path, ...]
    skipped: tuple[SkippedEntry, ...] = ()
    more_skipped: int = 0
    is_whole: bool = True


def has_plain_name(name: str) -> bool:
    r"""Return whether a file name can be printed on one line and written as UTF-8.

    >>> has_plain_name("Größe 1.cdf"), has_plain_name("a\nb.cdf"), has_plain_name("caf\udce9.cdf")
    (True, False, False)
    """
    return name.isprintable() or all(
        sign.isprintable() or unicodedata.category(sign) == "Zs" for sign in name
    )


def shown(path: str | Path) -> str:
    r"""Return a path as text, with unprintable characters written as escapes.

    >>> print(shown("a\nb.cdf"), shown("caf\udce9.cdf"))
    a\nb.cdf caf\xe9.cdf
    """
    text = str(path)
    if has_plain_name(text):
        return text
    decoded = os.fsencode(text).decode("utf-8", "backslashreplace")
    return "".join(
        sign if has_plain_name(sign) else sign.encode("unicode_escape").decode("ascii") for sign in decoded
    )


def walk(
    root: Path, suffixes: Container[str], on_progress: Callable[[int], None] = lambda entries: None
) -> Walk:
    """Find every data file below a folder.

    The search follows links, but not a link to a folder that contains the root, and enters each folder only once. It
    skips hidden files and folders, and opens no file.

    Parameters
    ----------
    root : Path
        Folder to search, with links resolved.
    suffixes : container of str
        Endings of the names of data files, in lower case: ``".cdf"``.
    on_progress : callable
        Called with the number of entries looked at so far.
    """
    search = _Walker(root, suffixes, on_progress)
    search.run()
    return Walk(
        tuple(sorted(search.files, key=str)),
        tuple(sorted(search.skipped, key=lambda entry: entry.path)),
        search.more_skipped,
        search.is_whole,
    )


class _Walker:
    def __init__(self, root: Path, suffixes: Container[str], on_progress: Callable[[int], None]) -> None:
        self._root, self._suffixes, self._on_progress = root, suffixes, on_progress
        self._above = {_identity(folder) for folder in root.parents}
        self._seen: set[tuple[int, int] | None] = set()
        self._entries = 0
        self.files: list[Path] = []
        self.skipped: list[SkippedEntry] = []
        self.more_skipped = 0
        self.is_whole = True

    def run(self) -> None:
        waiting = [self._root]
        while waiting and self.is_whole:
            folder = waiting.pop()
            try:
                status = os.stat(folder)
                identity = (status.st_dev, status.st_ino)
                if identity in self._above:
                    self._skip(folder, "a link to a folder that contains the archive")
                    continue
                if identity in self._seen:
                    continue
                self._seen.add(identity)
                with os.scandir(folder) as entries:
                    waiting += self._look_at(entries)
            except OSError as error:
                self._skip(folder, f"the folder cannot be read: {_reason(error)}")
        self._on_progress(self._entries)

    def _look_at(self, entries: Iterable[os.DirEntry[str]]) -> list[Path]:
        """Add the data files of one folder to the result, and return the folders inside this folder."""
        folders = []
        for entry in entries:
            self._entries += 1
            if self._entries > MOST_ENTRIES:
                self.is_whole = False
                break
            if self._entries % _OFTEN == 0:
                self._on_progress(self._entries)
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    folders.append(Path(entry.path))
                elif os.path.splitext(entry.name)[1].lower() in self._suffixes:
                    self._keep(entry)
            except OSError as error:
                self._skip(entry.path, _reason(error))
        return sorted(folders, reverse=True)

    def _keep(self, entry: os.DirEntry[str]) -> None:
        if not entry.is_file():
            self._skip(entry.path, _not_a_file(entry))
        elif not has_plain_name(entry.name):
            self._skip(entry.path, "its name contains unprintable characters or is not UTF-8: rename it")
        else:
            self.files.append(Path(entry.path))

    def _skip(self, path: str | Path, reason: str) -> None:
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(SkippedEntry(shown(os.path.relpath(path, self._root)), reason))
        else:
            self.more_skipped += 1


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _not_a_file(entry: os.DirEntry[str]) -> str:
    try:
        mode = entry.stat().st_mode
    except FileNotFoundError:
        return "a broken link"
    return next((f"{kind}, not a file" for is_kind, kind in _KINDS if is_kind(mode)), "not a file")


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
