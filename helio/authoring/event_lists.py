"""Read lists of events, as CSV, text or JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helio.authoring.documents import SourceFile
from helio.counts import number_of
from helio.errors import RequestError
from helio.store.records import WrongShape, read_json

MOST_EVENTS = 200
"""Maximum number of events that stand in a pipeline."""
LONGEST_LABEL = 40
"""Maximum characters of the label of an event."""
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
class EventRow:
    """An event of a file, as texts; a text is empty if the file does not have it.

    Parameters
    ----------
    place : str
        ``"line 3"`` of a table, or ``"event 2"`` of JSON.
    width : int
        Number of cells of the line; 0 in JSON.
    """

    place: str
    start: str
    stop: str = ""
    label: str = ""
    width: int = 0


@dataclass(frozen=True)
class EventRows:
    """The rows of a list of events, whether it has stops, and the names of columns that are not read."""

    rows: tuple[EventRow, ...]
    has_stops: bool = False
    unused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Event:
    """An event of a list: its start, its stop and its label, which are empty if the list does not have them.

    Parameters
    ----------
    start, stop : str
        ISO 8601, UTC, without a time zone.
    place : str
        Its place in the file, as in `EventRow`.
    """

    start: str
    stop: str
    label: str
    place: str


def event_rows(name: str, text: str, *, with_labels: bool = True) -> EventRows:
    """Read the rows of a list of events, and do not yet read their times.

    The first line may name the columns ``start``, ``stop`` and ``label``; other columns are not read. Without names,
    the columns are the start, the stop or the label, and the label. Commas, semicolons, tabs or ``|`` separate columns.
    A list in JSON has times, or objects with the same names, alone or below ``events``.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    with_labels : bool
        Whether to read labels; otherwise their columns count as unused.

    Raises
    ------
    RequestError
        The text is no list of events; the message names the line.
    """
    if text.lstrip()[:1] in ("[", "{"):
        return _rows_of_json(name, text)
    lines = list(_lines(text))
    if not lines:
        return EventRows(())
    header = lines[0][1]
    columns = _columns(name, header, with_labels)
    unused: list[str] = []
    if columns is None:
        columns = _columns_without_names(name, header, with_labels)
    else:
        unused = [cell for number, cell in enumerate(header) if cell and number not in columns]
        lines = lines[1:]
    rows = []
    for line, cells in lines:
        start, stop, label = (
            cells[column] if column is not None and column < len(cells) else "" for column in columns
        )
        if not start:
            raise _without(name, f"line {line}", "start")
        rows.append(EventRow(f"line {line}", start, stop, label, len(cells)))
    return EventRows(tuple(rows), columns[1] is not None, tuple(unused))


def read_events(source: SourceFile) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Read a list of events with `event_rows`, in the order of their starts, and notes for the reviewer.

    Raises
    ------
    RequestError
        The file is no list of events; the message names the line.
    """
    listed = event_rows(source.name, source.text)
    rows, notes = listed.rows, []
    if listed.unused:
        notes.append(f"{source.name}: columns that are not used: {', '.join(listed.unused)}")
    if not rows:
        raise RequestError(f"{source.name} contains no events", advice="write one event in each line")
    if len(rows) > MOST_EVENTS:
        raise RequestError(
            f"{source.name} has {number_of(len(rows), 'event')}; a pipeline can contain at most {MOST_EVENTS}",
            advice="keep the events that the figure shows",
        )
    events = [_event(source, row, has_stops=listed.has_stops) for row in rows]
    _check_order(source, events)
    if any(len(row.start) <= len("2024-05-10") for row in rows):
        notes.append(f"{source.name}: a date without a time of day counts as 00:00 UTC")
    different = {(event.start, event.stop, event.label): event for event in reversed(events)}
    if len(different) < len(events):
        notes.append(f"{source.name}: {number_of(len(events) - len(different), 'repeated event')} left out")
    ordered = sorted(different.values(), key=lambda event: (event.start, event.stop, event.label))
    return tuple(ordered), tuple(notes)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is neither empty nor a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    counts = {mark: min(line.count(mark) for line in lines) for mark in _SEPARATORS} if lines else {}
    separator = max(_SEPARATORS, key=lambda mark: counts.get(mark, 0))
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    for row in reader:
        cells = [" ".join(cell.split()) for cell in row]
        if any(cells) and not cells[0].startswith("#"):
            yield reader.line_num, cells


def _rows_of_json(name: str, text: str) -> EventRows:
    try:
        document = read_json(text.encode())
    except WrongShape as error:
        raise RequestError(f"{name} cannot be read: {error}", advice="check its JSON") from error
    listed = document.get("events") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise RequestError(f"{name} has no list of events", advice='write a list, or {"events": […]}')
    rows = []
    for number, event in enumerate(listed, start=1):
        named = event if isinstance(event, dict) else {"start": event}
        start, stop, label = (
            next((value for key, value in named.items() if _plain(str(key)) in names and value), "")
            for names in (_START, _STOP, _LABEL)
        )
        if not (isinstance(start, str) and start and isinstance(stop, str)):
            raise _without(name, f"event {number}", "start")
        rows.append(EventRow(f"event {number}", start, stop, " ".join(str(label).split())))
    return EventRows(tuple(rows), any(row.stop for row in rows))


def _without(name: str, place: str, part: str) -> RequestError:
    return RequestError(f"{name}, {place}: the event has no {part}", advice=f"write a {part} for each event")


Columns = tuple[int, int | None, int | None]


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_.-]+", name.casefold()))


def _columns(name: str, header: Sequence[str], with_labels: bool) -> Columns | None:
    """Return the places of the start, the stop and the label among named columns; None if the line has times."""
    names, units = [], []
    for cell in header:
        named = re.fullmatch(r"(.*?)\s*(?:[(\[]\s*(.*?)\s*[)\]])?", cell)
        assert named is not None  # the pattern matches every line
        names.append(_plain(named[1]))
        units.append((named[2] or "").casefold())

    def place(words: frozenset[str]) -> int | None:
        places = [number for number, name in enumerate(names) if name in words]
        if len(places) > 1:
            twice = " and ".join(f"'{header[number]}'" for number in places)
            raise RequestError(
                f"{name}: the columns {twice} mean the same", advice="keep one of these columns"
            )
        return places[0] if places else None

    if _START.isdisjoint(names):
        if any(_is_time(cell) or re.match(r"\d", cell) for cell in header):
            return None
        listed = ", ".join(f"'{cell}'" for cell in header)
        raise RequestError(
            f"{name} has no column 'start'; its columns are {listed[:200]}",
            advice="name the columns start, stop and label, and separate them with commas",
        )
    start, stop = place(_START), place(_STOP)
    assert start is not None  # a name of the header means it
    for column in (start, stop):
        if column is not None and units[column] not in _UNIVERSAL:
            raise RequestError(f"{name}: the column '{header[column]}' is not in UTC", advice=_WRITE_ISO)
    return start, stop, place(_LABEL) if with_labels else None


def _columns_without_names(name: str, cells: Sequence[str], with_labels: bool) -> Columns:
    """Return the places of the start, the stop and the label, from the cells of a list without names of columns."""
    if len(cells) == 1:
        return 0, None, None
    has_stop = _is_time(cells[1])
    if not with_labels:
        return 0, 1 if has_stop else None, None
    if len(cells) > 3:
        raise RequestError(
            f"{name} has {len(cells)} columns without names",
            advice="name the columns in the first line: start, stop and label",
        )
    if len(cells) == 3:
        return 0, 1, 2
    return (0, 1, None) if has_stop else (0, None, 1)


def _event(source: SourceFile, row: EventRow, *, has_stops: bool) -> Event:
    where = f"{source.name}, {row.place}"
    if has_stops and not row.stop:
        if row.width == 1:
            raise RequestError(
                f"{where} has {number_of(row.width, 'column')}, and no stop",
                advice="separate columns with commas, semicolons or tabs, in all lines alike",
            )
        raise _without(source.name, row.place, "stop")
    if len(row.label) > LONGEST_LABEL or not row.label.isprintable():
        raise RequestError(
            f"{where}: the label has {len(row.label)} characters or invisible characters",
            advice=f"write at most {LONGEST_LABEL} visible characters",
        )
    start, stop = (
        moment(text, where, "separate columns with commas, semicolons or tabs") if text else ""
        for text in (row.start, row.stop)
    )
    return Event(start, stop, row.label, row.place)


def _check_order(source: SourceFile, events: Sequence[Event]) -> None:
    """Refuse events that do not stop after their start."""
    wrong = [event for event in events if event.stop and event.stop <= event.start]
    if not wrong:
        return
    first = wrong[0]
    where = f"{source.name}, {first.place}"
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


def moment(text: str, where: str, *more: str) -> str:
    """Convert a time to ISO 8601 in UTC with seconds, and with fractions only if the text has them.

    Parameters
    ----------
    where : str
        Where the time stands, for the message.
    more : str
        Further advice.

    Raises
    ------
    RequestError
        The text is not a time.
    """
    import numpy as np
    import pyarrow as pa

    from helio.sources.iso_times import NotATime, nanoseconds_of_texts

    try:
        instant = np.datetime64(int(nanoseconds_of_texts(pa.chunked_array([[text]]))[0]), "ns")
    except NotATime as error:
        raise RequestError(
            f"{where}: '{text[:60]}' is not a time in ISO form", advice=", and ".join([_WRITE_ISO, *more])
        ) from error
    seconds, _, fraction = str(instant).partition(".")
    return f"{seconds}.{fraction.rstrip('0')}".rstrip(".")
