"""List the files in the cache for garbage collection: downloaded files, replies of servers, unfinished downloads."""

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
from helio.store.disk_entries import DiskEntry, entries_of, files_below, look_at
from helio.store.process import fate_of_writer
from helio.store.records import Sha256, read_record

log = logging.getLogger(__name__)

UNUSED_FILE = timedelta(days=7)
"""How long helio keeps a file that no run uses, because a lock file or a plan may name the file."""
UNUSED_REPLY = timedelta(days=90)
"""How long helio keeps a server's reply that no run uses; replies need little space."""
UNFINISHED = timedelta(days=7)
"""How long helio keeps an unfinished download, so that the download can continue."""
FOREIGN = timedelta(days=1)

PARTS = "parts"
DIGITS = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
"""Pattern of 64 hexadecimal digits in a text: a digest of bytes, or the key of a step's work."""


@dataclass(frozen=True)
class SurveyedFile:
    """A cached file, and the metadata file that describes it."""

    entry: DiskEntry
    metadata: DiskEntry | None
    digits: frozenset[str]
    """Digests by which run records name the file: the sha256 of its bytes, and the digests in the name of
    a computed file."""

    @property
    def size(self) -> int:
        """Return the bytes of the file and of its metadata file together."""
        return self.entry.size + (self.metadata.size if self.metadata else 0)

    @property
    def used(self) -> float:
        """Return the time when the file was downloaded or last used, whichever is later."""
        return max(self.entry.modified, self.metadata.modified if self.metadata else 0.0)


class _Described(TypedDict):
    """The part of a cached file's metadata that garbage collection needs."""

    sha256: Sha256


@dataclass
class FileSurvey:
    """Files in the cache, sorted by whether they may be removed."""

    unused: list[SurveyedFile] = field(default_factory=list)
    """Files that no run refers to and that have not been used for a week."""
    movable: list[SurveyedFile] = field(default_factory=list)
    """Files that are removed only if the cache exceeds its quota."""
    old_replies: list[DiskEntry] = field(default_factory=list)
    unfinished: list[DiskEntry] = field(default_factory=list)
    """Folders of unfinished downloads that have not continued for a week."""
    temporary: list[DiskEntry] = field(default_factory=list)
    total: int = 0


def survey_files(
    root: Path, *, referred: AbstractSet[str], running: AbstractSet[str], young: float, now: datetime
) -> FileSurvey:
    """Sort the files in the cache by whether garbage collection may remove them.

    Parameters
    ----------
    root : Path
        With ``data`` and ``replies`` in it.
    referred, running : set of str
        Digests that run records mention, and those of running runs.
    young : float
        Files made or used since this time are left alone.
    """
    survey = FileSurvey()
    for file in _surveyed_files(root / "data", survey, now):
        survey.total += file.size
        if file.used >= young or not file.digits.isdisjoint(running):
            continue
        if file.digits.isdisjoint(referred) and file.used < (now - UNUSED_FILE).timestamp():
            survey.unused.append(file)
        else:
            survey.movable.append(file)
    for reply in files_below(root / "replies"):
        survey.total += reply.size
        if reply.path.name.startswith("."):
            _sort_temporary(reply, survey, now)
        elif reply.modified < (now - UNUSED_REPLY).timestamp():
            survey.old_replies.append(reply)
    for entry in entries_of(root / "data" / PARTS):
        part = look_at(Path(entry.path))
        if part is None:
            continue
        survey.total += part.size
        mark = entry.name.partition(".")[2]
        ended = mark.startswith("free-") or fate_of_writer(mark) == "gone"
        # the bytes in it are written, not the folder itself
        written = max([part.modified, *(piece.modified for piece in files_below(part.path))])
        if ended and written < (now - UNFINISHED).timestamp():
            survey.unfinished.append(part)
    return survey


def _surveyed_files(data: Path, survey: FileSurvey, now: datetime) -> Iterator[SurveyedFile]:
    for folder, names in _folders(data):
        for name in sorted(names):
            entry = look_at(folder / name)
            if entry is None or (name.endswith(".json") and name.removesuffix(".json") in names):
                continue
            if name.startswith("."):
                survey.total += entry.size
                _sort_temporary(entry, survey, now)
                continue
            metadata = look_at(folder / f"{name}.json")
            yield SurveyedFile(entry, metadata, frozenset({_digits(metadata), *DIGITS.findall(name)}))


def _folders(data: Path) -> Iterator[tuple[Path, set[str]]]:
    """Yield every folder with the names of the files in it; skip the folders of downloads in progress."""
    for path, folders, names in os.walk(data):
        if Path(path) == data and PARTS in folders:
            folders.remove(PARTS)
        folders.sort()
        yield Path(path), set(names)


def _sort_temporary(entry: DiskEntry, survey: FileSurvey, now: datetime) -> None:
    # its name does not identify its writer
    if entry.modified < (now - FOREIGN).timestamp():
        survey.temporary.append(entry)


def _digits(metadata: DiskEntry | None) -> str:
    if metadata is None:
        return ""
    try:
        return read_record(metadata.path, _Described)["sha256"]
    except (FileNotFoundError, DamagedRecord) as error:
        log.info("cannot read the metadata file %s: %s", metadata.path, error)
        return ""
