"""Read lists of events, as CSV, text or JSON."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from helio.authoring.documents.event_columns import Columns, columns_without_names, named_columns
from helio.authoring.documents.event_times import is_moment, moment, plain_time
from helio.authoring.documents.source_files import SourceFile
from helio.counts import number_of
from helio.errors import RequestError
from helio.store.records import WrongShape, read_json
from helio.time_range import TimeRange

MOST_EVENTS = 200
"""Maximum number of events of a list that stand in a pipeline."""
LONGEST_LABEL = 40
"""Maximum characters of the label of an event."""
_SEPARATORS = (",", ";", "\t", "|")
_MOST_LINES_ABOVE = 20
"""Maximum number of lines above the names of the columns, such as a title."""


@dataclass(frozen=True)
class EventRow:
    """An event of a file, as texts; a text is empty if the file does not have it.

    Parameters
    ----------
    place : str
        ``"line 3"`` of a table, or ``"event 2"`` of JSON.
    width : int
        Number of cells of the line.
    is_next_day : bool
        Whether the stop has only a time of day, before that of the start, so that it is on the next day.
    """

    place: str
    start: str
    stop: str = ""
    label: str = ""
    width: int = 0
    is_next_day: bool = False


@dataclass(frozen=True)
class EventRows:
    """The rows of a list of events, whether it has stops, and what is not read: columns, and lines above the header."""

    rows: tuple[EventRow, ...]
    has_stops: bool = False
    unused: tuple[str, ...] = ()
    lines_above: int = 0


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

    The first line may name the columns: the start, and perhaps the stop or the duration, and the label; other columns
    are not read, nor lines above the names. A date may have a column of its own. Without names, the columns are the
    start, the stop or the label, and the label. Commas, semicolons, tabs or ``|`` separate columns. A list in JSON has
    times, or objects with the same names, alone or below ``events``.

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
        return _rows_of_json(name, text, with_labels)
    try:
        lines = [(f"line {number}", cells) for number, cells in _lines(text)]
    except csv.Error as error:
        raise RequestError(
            f"{name} cannot be read as a table: {error}", advice='close each quotation mark "'
        ) from error
    if not lines:
        return EventRows(())
    if not any(is_moment(cell) for cell in lines[0][1]):
        for above, (_, cells) in enumerate(lines[:_MOST_LINES_ABOVE]):
            columns = named_columns(name, cells, with_labels=with_labels)
            if columns is not None:
                return _rows(name, columns, cells, lines[above + 1 :], lines_above=above)
    first = lines[0][1]
    if not any(re.match(r"\d", cell) for cell in first):
        listed = ", ".join(f"'{cell}'" for cell in first)
        raise RequestError(
            f"{name} has no column 'start'; its columns are {listed[:200]}",
            advice="name the columns start, stop and label, and separate them with commas",
        )
    return _rows(name, columns_without_names(name, first, with_labels=with_labels), (), lines)


def _rows(
    name: str,
    columns: Columns,
    header: Sequence[str],
    lines: Sequence[tuple[str, Sequence[str]]],
    *,
    lines_above: int = 0,
) -> EventRows:
    """Read the rows below a header; of a list without names of columns, the header is empty."""
    rows = []
    for place, cells in lines:
        start, stop, label, is_next_day = columns.event(cells, f"{name}, {place}")
        if not start:
            raise _without(name, place, "start")
        rows.append(EventRow(place, plain_time(start), plain_time(stop), label, len(cells), is_next_day))
    unused = [cell for number, cell in enumerate(header) if cell and number not in columns.used]
    return EventRows(tuple(rows), columns.has_stops, tuple(unused), lines_above)


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
    if listed.lines_above:
        above = number_of(listed.lines_above, "line")
        notes.append(f"{source.name}: {above} above the names of the columns not read")
    if not rows:
        raise RequestError(f"{source.name} contains no events", advice="write one event in each line")
    events = [_event(source, row, has_stops=listed.has_stops) for row in rows]
    _check_order(source, events)
    if any(len(row.start) <= len("2024-05-10") for row in rows):
        notes.append(f"{source.name}: a date without a time of day counts as 00:00 UTC")
    next_day = [row.place for row in rows if row.is_next_day]
    if next_day:
        notes.append(f"{source.name}: the stop is on the day after the start in {', '.join(next_day[:10])}")
    different = {(event.start, event.stop, event.label): event for event in reversed(events)}
    if len(different) < len(events):
        notes.append(f"{source.name}: {number_of(len(events) - len(different), 'repeated event')} left out")
    ordered = sorted(different.values(), key=lambda event: (event.start, event.stop, event.label))
    return tuple(ordered), tuple(notes)


def events_for(
    source: SourceFile, events: Sequence[Event], span: TimeRange | None = None
) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return the events that stand in a pipeline, and notes: all, or of a long list those in a time range.

    Raises
    ------
    RequestError
        There are too many events, or none of a long list is in the time range.
    """
    inside = tuple(event for event in events if span is None or _touches(event, span))
    there = f" in {span}" if span is not None else ""
    notes: tuple[str, ...] = ()
    if not inside:
        notes = (f"{source.name}: none of its {number_of(len(events), 'event')} is{there}",)
    if len(events) <= MOST_EVENTS:
        return tuple(events), notes
    if not 0 < len(inside) <= MOST_EVENTS:
        raise RequestError(
            f"{source.name} has {number_of(len(inside), 'event')}{there}; a pipeline can contain 1 to {MOST_EVENTS}",
            advice="name a time range of the list in the request, or keep the events that the figure shows",
        )
    note = (
        f"{source.name}: of its {number_of(len(events), 'event')}, the pipeline has the {len(inside)}{there}"
    )
    return inside, (f"{note}; for another time range, give the list again",)


def _touches(event: Event, span: TimeRange) -> bool:
    """Return whether an event, or a time, is at least partly in a time range."""
    start, stop = (datetime.fromisoformat(time[:26]) for time in (event.start, event.stop or event.start))
    return start < span.stop and (stop > span.start or start >= span.start)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is neither empty nor a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    counts = {mark: sorted(line.count(mark) for line in lines) or [0] for mark in _SEPARATORS}
    # in each line; else in most lines, because lines above the names of the columns are texts
    separator = max(_SEPARATORS, key=lambda mark: (counts[mark][0], counts[mark][len(lines) // 2]))
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    for row in reader:
        cells = [" ".join(cell.split()) for cell in row]
        if any(cell.strip("-: ") for cell in cells) and not cells[0].startswith("#"):
            yield reader.line_num, cells


def _rows_of_json(name: str, text: str, with_labels: bool) -> EventRows:
    try:
        document = read_json(text.encode())
    except WrongShape as error:
        raise RequestError(f"{name} cannot be read: {error}", advice="check its JSON") from error
    listed = document.get("events") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise RequestError(f"{name} has no list of events", advice='write a list, or {"events": […]}')
    events = [
        event if isinstance(event, dict) else {"start": event if isinstance(event, str) else None}
        for event in listed
    ]
    header = list(dict.fromkeys(str(key) for event in events for key in event))
    columns = named_columns(name, header, with_labels=with_labels) or Columns(None)
    lines = [
        (f"event {number}", [" ".join(str(event.get(key) or "").split()) for key in header])
        for number, event in enumerate(events, start=1)
    ]
    read = _rows(name, columns, header, lines)
    return replace(
        read,
        has_stops=any(row.stop for row in read.rows),
        rows=tuple(replace(row, width=0) for row in read.rows),
    )


def _without(name: str, place: str, part: str) -> RequestError:
    return RequestError(f"{name}, {place}: the event has no {part}", advice=f"write a {part} for each event")


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
        wrong = "invisible characters" if len(row.label) <= LONGEST_LABEL else f"{len(row.label)} characters"
        raise RequestError(
            f"{where}: the label has {wrong}",
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
