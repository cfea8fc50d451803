"""Files and folders on the disk, as garbage collection sees them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DiskEntry:
    """A file, or a folder with all its content: path, size in bytes, and time of the last change."""

    path: Path
    size: int
    modified: float

    @property
    def digits(self) -> str:
        """Return the digest or key that is the name of an object or a result."""
        return self.path.name[:64]


def look_at(path: Path) -> DiskEntry | None:
    """Describe a file or folder; return None if the path no longer exists."""
    try:
        stat = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    size = folder_size(path) if path.is_dir() else stat.st_size
    return DiskEntry(path, size, stat.st_mtime)


def files_below(folder: Path) -> Iterator[DiskEntry]:
    """Yield all files in a folder and in its subfolders."""
    for entry in entries_of(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(Path(entry.path))
        elif (below := look_at(Path(entry.path))) is not None:
            yield below


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """List the files and folders in a folder, sorted by name; return an empty list if the folder does not exist."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def folder_size(folder: Path) -> int:
    """Sum the bytes of all files in a folder."""
    return sum(entry.size for entry in files_below(folder))
