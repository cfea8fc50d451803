"""What garbage collection finds in the file cache: downloaded files, replies of servers, unfinished downloads."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypedDict

from helio.errors import DamagedRecord
from helio.store.found import Found, entries_of, files_below, look_at
from helio.store.process import fate_of_writer
from helio.store.records import Sha256, read_record

log = logging.getLogger(__name__)

UNUSED_FILE = timedelta(days=7)
"""A file that no run refers to may be one that a lock or a plan names."""
UNUSED_REPLY = timedelta(days=90)
"""Replies say which files there are, and take next to no room."""
UNFINISHED = timedelta(days=7)
"""How long the first part of a file waits for whoever asks for the rest."""
FOREIGN = timedelta(days=1)

PARTS = "parts"
DIGITS = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
"""A digest or a key, wherever it stands."""


@dataclass(frozen=True)
class KeptFile:
    """A file with what stands beside it."""

    found: Found
    beside: Found | None
    digits: frozenset[str]
    """What records may know it by: its sha256, and what a computed one is made from, which is its name."""

    @property
    def size(self) -> int:
        """Bytes of both."""
        return self.found.size + (self.beside.size if self.beside else 0)

    @property
    def used(self) -> float:
        """When it came or was last used, whichever is later."""
        return max(self.found.modified, self.beside.modified if self.beside else 0.0)


class _Described(TypedDict):
    """The part of the metadata of a cached file that collection needs."""

    sha256: Sha256


@dataclass
class FileSurvey:
    """What is in the cache, sorted by what may become of it."""

    unused: list[KeptFile] = field(default_factory=list)
    """No run refers to them, and nobody has used them for a while."""
    movable: list[KeptFile] = field(default_factory=list)
    """They stay unless there is a quota."""
    old_replies: list[Found] = field(default_factory=list)
    unfinished: list[Found] = field(default_factory=list)
    """Folders of downloads whose process has ended long ago."""
    temporary: list[Found] = field(default_factory=list)
    total: int = 0


def survey_files(
    root: Path, *, referred: AbstractSet[str], running: AbstractSet[str], young: float, now: datetime
) -> FileSurvey:
    """Look through a file cache.

    Parameters
    ----------
    root : Path
        With ``data`` and ``replies`` in it.
    referred, running : set of str
        Digests that run records mention, and those of running runs.
    young : float
        What was made or used since is left alone.
    """
    survey = FileSurvey()
    for one in _kept_files(root / "data", survey, now):
        survey.total += one.size
        if one.used >= young or not one.digits.isdisjoint(running):
            continue
        if one.digits.isdisjoint(referred) and one.used < (now - UNUSED_FILE).timestamp():
            survey.unused.append(one)
        else:
            survey.movable.append(one)
    for found in files_below(root / "replies"):
        survey.total += found.size
        if found.path.name.startswith("."):
            _sort_temporary(found, survey, now)
        elif found.modified < (now - UNUSED_REPLY).timestamp():
            survey.old_replies.append(found)
    for entry in entries_of(root / "data" / PARTS):
        part = look_at(Path(entry.path))
        if part is None:
            continue
        survey.total += part.size
        mark = entry.name.partition(".")[2]
        ended = mark.startswith("free-") or fate_of_writer(mark) == "gone"
        # the bytes in it are written, not the folder itself
        written = max([part.modified, *(one.modified for one in files_below(part.path))])
        if ended and written < (now - UNFINISHED).timestamp():
            survey.unfinished.append(part)
    return survey


def _kept_files(data: Path, survey: FileSurvey, now: datetime) -> Iterator[KeptFile]:
    for folder, names in _folders(data):
        for name in sorted(names):
            found = look_at(folder / name)
            if found is None or (name.endswith(".json") and name.removesuffix(".json") in names):
                continue
            if name.startswith("."):
                survey.total += found.size
                _sort_temporary(found, survey, now)
                continue
            beside = look_at(folder / f"{name}.json")
            yield KeptFile(found, beside, frozenset({_digits(beside), *DIGITS.findall(name)}))


def _folders(data: Path) -> Iterator[tuple[Path, set[str]]]:
    """Every folder and the names of its files, but for the downloads under way."""
    for path, folders, names in os.walk(data):
        if Path(path) == data and PARTS in folders:
            folders.remove(PARTS)
        folders.sort()
        yield Path(path), set(names)


def _sort_temporary(found: Found, survey: FileSurvey, now: datetime) -> None:
    # its name does not say whose it is
    if found.modified < (now - FOREIGN).timestamp():
        survey.temporary.append(found)


def _digits(beside: Found | None) -> str:
    if beside is None:
        return ""
    try:
        return read_record(beside.path, _Described)["sha256"]
    except (FileNotFoundError, DamagedRecord) as error:
        log.info("%s does not say what stands beside it: %s", beside.path, error)
        return ""
