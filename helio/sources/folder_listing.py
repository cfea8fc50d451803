"""Folders of files on a web server, and the selection of the files that cover an interval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from itertools import pairwise
from urllib.parse import unquote, urljoin

from helio.sources.local import natural_version, parse_file_name
from helio.time_range import TimeRange

_LINK = re.compile(r"<a\s", re.IGNORECASE)
_FILE = re.compile(r'href="(?P<href>[^"?]+)"', re.IGNORECASE)
_END_OF_LINK = re.compile(r"</a>", re.IGNORECASE)
_WHEN = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?|\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}")
_DAY = timedelta(days=1)
_YEAR = timedelta(days=366)
# A day's file may begin a spin before midnight and end a minute after it.
_SPILL = timedelta(minutes=5)


@dataclass(frozen=True)
class FolderFile:
    """File with its size and time, as its folder's web page lists it."""

    url: str
    name: str
    last_modified: str


def folders_between(base: str, subdividedby: str, time_range: TimeRange) -> list[str]:
    """Return the folders that may hold files of an interval; `subdividedby` says how the dataset's folder is divided.

    >>> from helio.time_range import TimeRange
    >>> new_year = TimeRange(datetime(2023, 1, 1), datetime(2023, 1, 2))
    >>> folders_between("https://host/pub/data/ace/", "%Y", new_year)
    ['https://host/pub/data/ace/2022/', 'https://host/pub/data/ace/2023/']
    """
    if "%" not in subdividedby:
        return [base]
    day = (time_range.start - _DAY).replace(hour=0, minute=0, second=0, microsecond=0)
    folders: dict[str, None] = {}
    while day < time_range.stop:
        folders.setdefault(urljoin(base, f"{day.strftime(subdividedby).strip('/')}/"))
        day += _DAY
    return list(folders)


def read_listing(folder: str, page: str, ending: str = ".cdf") -> list[FolderFile]:
    """Read the list of files with an ending from a folder's web page, in the format of Apache and similar servers."""
    files = []
    for entry in _LINK.split(page)[
        1:
    ]:  # link by link: a page of a million that never end takes no longer to read
        link, *rest = _END_OF_LINK.split(entry, maxsplit=1)
        file = _FILE.match(link)
        if file is None or not rest or not file["href"].lower().endswith(ending):
            continue
        href = unescape(file["href"])
        when = _WHEN.search(rest[0])
        name = unquote(href.rpartition("/")[2])
        files.append(FolderFile(urljoin(folder, href), name, when[0] if when else ""))
    return files


def choose_files(files: Sequence[FolderFile], time_range: TimeRange) -> list[FolderFile]:
    """Return the newest version of each file that may hold records of the interval, in order of start.

    A file name gives the start of the file but not its end: helio assumes that a file ends where the next file starts.
    A file whose name contains a time of day lasts one day at most.
    """
    newest: dict[datetime, tuple[FolderFile, bool, tuple[int, ...]]] = {}
    for file in files:
        named = parse_file_name(file.name)
        if named is None:
            continue
        version = natural_version(named.version)
        if named.start not in newest or version > newest[named.start][2]:
            newest[named.start] = (file, named.timed, version)
    starts = sorted(newest)
    spacing = max((after - before for before, after in pairwise(starts)), default=_YEAR)
    chosen = []
    for index, start in enumerate(starts):
        file, timed, _ = newest[start]
        ends = starts[index + 1 : index + 2] or [start + max(spacing, _DAY)]
        if timed:
            ends.append(start + _DAY)
        if start - _SPILL < time_range.stop and min(ends) + _SPILL > time_range.start:
            chosen.append(file)
    return chosen
