"""Read the files that a user gives with a request: lists of events, as CSV or text."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helio.counts import number_of
from helio.errors import DamagedRecord, RequestError
from helio.store.files import user_path
from helio.store.records import read_bytes

LARGEST = 10**6
"""Maximum bytes of a file."""
MOST_FILES = 10
"""Maximum number of files of one request."""
MOST_EVENTS = 200
"""Maximum number of events that stand in a pipeline."""
LONGEST_TEXT = 40_000
"""Maximum characters of a text."""
LONGEST_LABEL = 40
"""Maximum characters of the label of an event."""
_DOCUMENTS = {b"%PDF-": "a PDF", b"\x89PNG\r\n\x1a\n": "a picture", b"\xff\xd8\xff": "a picture"}
_ADVICE = "give a list of events as CSV or text, with the columns start, stop and label"
_SEPARATORS = (",", ";", "\t", "|")
_START = frozenset(
    [
        *(
            "start",
            "start time",
            "start date",
            "starttime",
            "begin",
            "begin time",
            "from",
            "onset",
            "onset time",
        ),
        *("time", "epoch", "date", "datetime", "times", "t", "zero time"),
    ]
)
_STOP = frozenset(
    ("stop", "stop time", "end", "end time", "end date", "endtime", "stoptime", "finish", "to", "until")
)
_LABEL = frozenset(("label", "name", "event", "type", "class", "category"))
_UNIVERSAL = frozenset(("", "utc", "ut", "iso", "iso 8601", "z", "gmt"))
_WRITE_ISO = "write times in UTC as 2024-05-10T17:05"


@dataclass(frozen=True)
class SourceFile:
    """A file that a user gives with a request.

    Parameters
    ----------
    name : str
        The name of the file, without its folder.
    digest : str
        SHA-256 of its bytes.
    text : str
        Its text.
    """

    name: str
    digest: str
    text: str = field(repr=False)

    @property
    def origin(self) -> str:
        """Return the name and the digest, as a pipeline names the file."""
        return f"{self.name}, sha256 {self.digest}"


@dataclass(frozen=True)
class Event:
    """An event of a list: its start, its stop and its label, which are empty if the list does not have them.

    Parameters
    ----------
    start, stop : str
        ISO 8601, UTC, without a time zone.
    line : int
        The line of the file.
    """

    start: str
    stop: str
    label: str
    line: int


def read_sources(names: Sequence[str | Path]) -> tuple[SourceFile, ...]:
    """Read the files that a user gives with a request.

    Raises
    ------
    RequestError
        A file does not exist, is empty or too large, or is not a text; two files have the same name; there are too
        many files.
    """
    if len(names) > MOST_FILES:
        raise RequestError(
            f"{len(names)} files are too many for one request", advice=f"give at most {MOST_FILES} files"
        )
    sources = tuple(_read(user_path(name)) for name in names)
    known: set[str] = set()
    for source in sources:
        if source.name in known:
            raise RequestError(
                f"two files are called {source.name}", advice="rename one, so that the pipeline can name both"
            )
        known.add(source.name)
    return sources


def _read(path: Path) -> SourceFile:
    try:
        content = read_bytes(path, largest=LARGEST)
    except FileNotFoundError:
        raise RequestError(f"there is no file {path}", advice="check the path after --from") from None
    except DamagedRecord as error:
        raise RequestError(error.message, advice=_ADVICE) from error
    if not content.strip():
        raise RequestError(f"{path} is empty", advice=_ADVICE)
    digest = hashlib.sha256(content).hexdigest()
    if not path.name.isprintable():
        raise RequestError(
            f"the name of {str(path)!r} contains invisible characters", advice="rename the file"
        )
    kind = next((kind for magic, kind in _DOCUMENTS.items() if content.startswith(magic)), "")
    if kind:
        raise RequestError(
            f"{path} is {kind}, which helio cannot read",
            advice="write its table as CSV: start, stop and label",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"{path} is not a text in UTF-8", advice=_ADVICE) from error
    if re.search(r"[\x00-\x08\x0e-\x1f\x7f]", text):
        raise RequestError(f"{path} is not a text: it contains control characters", advice=_ADVICE)
    if len(text) > LONGEST_TEXT:
        raise RequestError(
            f"{path} has {len(text):,} characters; the limit is {LONGEST_TEXT:,}",
            advice="keep only the part that the request needs",
        )
    return SourceFile(path.name, digest, text)


def read_events(source: SourceFile) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Read a list of events, in the order of their starts, and notes for the reviewer.

    The first line may name the columns ``start``, ``stop`` and ``label``; other columns are not read. Without names,
    the columns are the start, the stop or the label, and the label. Commas, semicolons, tabs or ``|`` separate columns.

    Raises
    ------
    RequestError
        The file is no list of events; the message names the line.
    """
    rows = list(_rows(source.text))
    if not rows:
        raise RequestError(f"{source.name} contains no events", advice="write one event in each line")
    notes: list[str] = []
    header = rows[0][1]
    if any(_is_time(cell) or re.match(r"\d", cell) for cell in header):
        columns = _columns_without_names(source, rows)
    else:
        columns = _columns(source, header)
        unused = [name for number, name in enumerate(header) if name and number not in columns]
        if unused:
            notes.append(f"{source.name}: columns that are not used: {', '.join(unused)}")
        rows = rows[1:]
    if not rows:
        raise RequestError(f"{source.name} contains no events", advice="write one event in each line")
    if len(rows) > MOST_EVENTS:
        raise RequestError(
            f"{source.name} has {number_of(len(rows), 'event')}; a pipeline can contain at most {MOST_EVENTS}",
            advice="keep the events that the figure shows",
        )
    events = [_event(source, line, cells, columns) for line, cells in rows]
    _check_order(source, events)
    if any(len(cells[columns[0]]) <= len("2024-05-10") for _, cells in rows):
        notes.append(f"{source.name}: a date without a time of day counts as 00:00 UTC")
    different = {(event.start, event.stop, event.label): event for event in reversed(events)}
    if len(different) < len(events):
        notes.append(f"{source.name}: {number_of(len(events) - len(different), 'repeated event')} left out")
    ordered = sorted(different.values(), key=lambda event: (event.start, event.stop, event.label))
    return tuple(ordered), tuple(notes)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is neither empty nor a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    counts = {mark: min(line.count(mark) for line in lines) for mark in _SEPARATORS} if lines else {}
    separator = max(_SEPARATORS, key=lambda mark: counts.get(mark, 0))
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    for row in reader:
        cells = [" ".join(cell.split()) for cell in row]
        if any(cells) and not cells[0].startswith("#"):
            yield reader.line_num, cells


Columns = tuple[int, int | None, int | None]


def _columns(source: SourceFile, header: Sequence[str]) -> Columns:
    """Return the places of the start, the stop and the label among named columns."""
    names, units = [], []
    for cell in header:
        named = re.fullmatch(r"(.*?)\s*(?:[(\[]\s*(.*?)\s*[)\]])?", cell)
        assert named is not None  # the pattern matches every line
        names.append(" ".join(re.split(r"[\s_.-]+", named[1].casefold())))
        units.append((named[2] or "").casefold())

    def place(known: frozenset[str]) -> int | None:
        places = [number for number, name in enumerate(names) if name in known]
        if len(places) > 1:
            twice = " and ".join(f"'{header[number]}'" for number in places)
            raise RequestError(
                f"{source.name}: the columns {twice} mean the same", advice="keep one of these columns"
            )
        return places[0] if places else None

    start, stop, label = place(_START), place(_STOP), place(_LABEL)
    if start is None:
        listed = ", ".join(f"'{cell}'" for cell in header)
        raise RequestError(
            f"{source.name} has no column 'start'; its columns are {listed}",
            advice="name the columns start, stop and label, and separate them with commas",
        )
    for column in (start, stop):
        if column is not None and units[column] not in _UNIVERSAL:
            raise RequestError(
                f"{source.name}: the column '{header[column]}' is not in UTC", advice=_WRITE_ISO
            )
    return start, stop, label


def _columns_without_names(source: SourceFile, rows: Sequence[tuple[int, list[str]]]) -> Columns:
    """Return the places of the start, the stop and the label, from the cells of a list without names of columns."""
    _, cells = rows[0]
    if len(cells) > 3:
        raise RequestError(
            f"{source.name} has {len(cells)} columns without names",
            advice="name the columns in the first line: start, stop and label",
        )
    if len(cells) == 1:
        return 0, None, None
    if len(cells) == 3:
        return 0, 1, 2
    return (0, 1, None) if _is_time(cells[1]) else (0, None, 1)


def _event(source: SourceFile, line: int, cells: Sequence[str], columns: Columns) -> Event:
    def cell(column: int | None, name: str) -> str:
        if column is None:
            return ""
        if column >= len(cells) and name != "label":
            raise RequestError(
                f"{source.name}, line {line} has {number_of(len(cells), 'column')}, and no {name}",
                advice="separate columns with commas, semicolons or tabs, in all lines alike",
            )
        text = cells[column] if column < len(cells) else ""
        if not text and name != "label":
            raise RequestError(
                f"{source.name}, line {line}: the event has no {name}",
                advice=f"write a {name} for each event",
            )
        return text

    label = cell(columns[2], "label")
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise RequestError(
            f"{source.name}, line {line}: the label has {len(label)} characters or invisible characters",
            advice=f"write at most {LONGEST_LABEL} visible characters",
        )
    stop = cell(columns[1], "stop")
    return Event(
        _moment(source, line, cell(columns[0], "start")),
        _moment(source, line, stop) if stop else "",
        label,
        line,
    )


def _check_order(source: SourceFile, events: Sequence[Event]) -> None:
    """Refuse events that do not stop after their start."""
    wrong = [event for event in events if event.stop and event.stop <= event.start]
    if not wrong:
        return
    first = wrong[0]
    where = f"{source.name}, line {first.line}"
    if first.stop == first.start:
        raise RequestError(
            f"{where}: the event has no length: it starts and stops at {first.start}",
            advice="write the stop as the first time after the event, such as the next day",
        )
    every = len(wrong) == len(events) > 1
    raise RequestError(
        f"{where}: the event stops at {first.stop}, before its start at {first.start}"
        + ("; so do all other events" if every else ""),
        advice="exchange the columns of the start and of the stop" if every else "correct this line",
    )


def _is_time(text: str) -> bool:
    from helio.sources.iso_times import is_time

    return is_time(text)


def _moment(source: SourceFile, line: int, text: str) -> str:
    """Convert a time to ISO 8601 in UTC with seconds, and with fractions only if the text has them."""
    import numpy as np
    import pyarrow as pa

    from helio.sources.iso_times import NotATime, nanoseconds_of_texts

    try:
        moment = np.datetime64(int(nanoseconds_of_texts(pa.chunked_array([[text]]))[0]), "ns")
    except NotATime as error:
        raise RequestError(
            f"{source.name}, line {line}: '{text[:60]}' is not a time in ISO form",
            advice=f"{_WRITE_ISO}, and separate columns with commas, semicolons or tabs",
        ) from error
    seconds, _, fraction = str(moment).partition(".")
    return f"{seconds}.{fraction.rstrip('0')}".rstrip(".")
