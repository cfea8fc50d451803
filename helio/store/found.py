"""Files and folders as a survey of them saw them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Found:
    """A file as the survey saw it, or a folder with all that is in it."""

    path: Path
    size: int
    modified: float

    @property
    def digits(self) -> str:
        """The digest or key that an object or a result is named by."""
        return self.path.name[:64]


def look_at(path: Path) -> Found | None:
    """A file or folder; None when it has gone."""
    try:
        stat = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    size = folder_size(path) if path.is_dir() else stat.st_size
    return Found(path, size, stat.st_mtime)


def files_below(folder: Path) -> Iterator[Found]:
    """All files of a folder and of the folders in it."""
    for entry in entries_of(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from files_below(Path(entry.path))
        elif (found := look_at(Path(entry.path))) is not None:
            yield found


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """What stands in a folder, in order of name; nothing where there is no folder."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def folder_size(folder: Path) -> int:
    """Bytes of all files in it."""
    return sum(one.size for one in files_below(folder))
