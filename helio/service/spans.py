"""Divide a time range into intervals: of a fixed length, months, years, Carrington rotations, or around events."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import count, pairwise, takewhile
from pathlib import Path
from typing import Any

from helio.authoring.documents.event_lists import event_rows
from helio.errors import DamagedRecord, RequestError, TimeRangeError
from helio.interval import MONTHS, MONTHS_OF, carrington_number, carrington_start
from helio.store.records import read_bytes
from helio.time_range import LATEST, Duration, TimeRange, parse_time_range

MOST = 100_000
"""Maximum number of intervals of one backfill."""
CARRINGTON = "carrington"
_ROTATIONS = re.compile(r"CR ?(\d{1,5})(?: ?(?:\.\.|-|–|/|to) ?(?:CR ?)?(\d{1,5}))?", re.IGNORECASE)
_LARGEST_FILE = 64 * 1024**2


def intervals_of(text: str, each: str, now: datetime) -> tuple[tuple[TimeRange, ...], str]:
    """Divide a time range into intervals; return them with a note about what is left over.

    Parameters
    ----------
    text : str
        A time range such as ``"2015..2024"``, or rotations such as ``"CR2240..CR2250"``.
    each : str
        A duration such as ``"1d"`` or ``"27d"``, ``"1mo"``, ``"1y"``, or ``"carrington"``.
    now : datetime
        Naive UTC, for relative time ranges.

    Returns
    -------
    intervals : tuple of TimeRange
        In order. They begin at the start of the range and have equal lengths; Carrington rotations are those that begin
        in the range.
    note : str
        What is left over at the end, because it is shorter than an interval; empty if nothing is.

    Raises
    ------
    RequestError
        `each` is not a length, or there are too many intervals.
    TimeRangeError

    Examples
    --------
    >>> spans, note = intervals_of("2024-01-01..2024-01-03", "1d", datetime(2024, 2, 1))
    >>> [str(span) for span in spans], note
    (['2024-01-01 to 2024-01-02', '2024-01-02 to 2024-01-03'], '')
    """
    rotations = _ROTATIONS.fullmatch(text.strip())
    if rotations is not None:
        if each.strip().lower() != CARRINGTON:
            raise RequestError(
                f"'{text}' names Carrington rotations, but each interval is to be {each}",
                advice="use --each carrington, or write a time range such as 2015..2024",
            )
        first, last = int(rotations[1]), int(rotations[2] or rotations[1])
        if last < first:
            raise RequestError(f"'{text}' ends before it begins", advice=f"write CR{last}..CR{first}")
        _refuse_many(last - first + 1)
        return tuple(rotation(number) for number in range(first, last + 1)), ""
    whole = parse_time_range(text, now)
    if each.strip().lower() == CARRINGTON:
        first = carrington_number(whole.start)
        spans = takewhile(lambda span: span.start < whole.stop, map(rotation, count(first)))
        return _at_least_one((span for span in spans if span.start >= whole.start), whole, each), ""
    months = MONTHS.fullmatch(each.strip().lower())
    if months:
        step = int(months[1]) * MONTHS_OF[months[2]]
        if step == 0:
            raise RequestError(f"each interval is to be {each}, which is no length", advice="write 1mo or 1y")
        if whole.start.day > 28:
            raise RequestError(
                f"intervals of {each} cannot begin on day {whole.start.day}: some months do not have it",
                advice=f"let the range begin on {whole.start:%Y-%m}-01",
            )
        edges = _edges_of_months(whole, step)
    else:
        edges = _edges(whole, each)
    spans_of_edges = [TimeRange(start, stop) for start, stop in pairwise(edges)]
    rest = whole.stop - edges[-1]
    note = f"{TimeRange(edges[-1], whole.stop)} is shorter than {each} and is left out" if rest else ""
    return _at_least_one(spans_of_edges, whole, each), note


def _edges(whole: TimeRange, each: str) -> list[datetime]:
    try:
        nanoseconds = Duration(each).nanoseconds
    except RequestError as error:
        raise RequestError(
            f"'{each}' is not a length of intervals",
            advice="write a duration such as 1d, 27d or 6h, or 1mo, 1y, or carrington",
        ) from error
    length = timedelta(microseconds=nanoseconds / 1000)
    if nanoseconds < 1_000_000_000:
        raise RequestError(f"intervals of {each} are too short", advice="use intervals of at least 1s")
    number = whole.duration // length
    _refuse_many(number)
    return [whole.start + step * length for step in range(number + 1)]


def _edges_of_months(whole: TimeRange, step: int) -> list[datetime]:
    edges = [whole.start]
    while (edge := _months_later(edges[-1], step)) <= whole.stop:
        edges.append(edge)
    return edges


def _months_later(moment: datetime, months: int) -> datetime:
    years, month = divmod(moment.month - 1 + months, 12)
    if moment.year + years > LATEST.year:
        return datetime.max
    return moment.replace(year=moment.year + years, month=month + 1)


def _at_least_one(spans: Any, whole: TimeRange, each: str) -> tuple[TimeRange, ...]:
    found = tuple(spans)
    if not found:
        raise RequestError(
            f"{whole} contains no whole interval of {each}",
            advice="choose a longer range or shorter intervals",
        )
    return found


def _refuse_many(number: int) -> None:
    if number > MOST:
        raise RequestError(
            f"these are {number:,} intervals; one backfill makes at most {MOST:,}",
            advice="choose a shorter range or longer intervals",
        )


def rotation(number: int) -> TimeRange:
    """Return the time range of a Carrington rotation, to a few minutes.

    Examples
    --------
    >>> print(rotation(2193))
    2017-07-20T06:06:00 to 2017-08-16T11:27:00
    """
    return TimeRange(carrington_start(number), carrington_start(number + 1))


def events_in(path: Path, before: str, after: str, now: datetime) -> tuple[TimeRange, ...]:
    """Read the times of events from a CSV or JSON file, and return an interval around each, in order.

    The file is a list as `event_rows` reads it.

    Parameters
    ----------
    before, after : str
        Margins before the start and after the stop of an event, such as ``"2h"``; empty for none.

    Raises
    ------
    RequestError
        The file has no times, or one that is not understood; the message names its line.
    """
    margins = _margin(before, "before"), _margin(after, "after")
    rows = event_rows(str(path), _text_of(path), with_labels=False).rows
    _refuse_many(len(rows))
    spans = {_around(path, row.place, row.start, row.stop, margins, now) for row in rows}
    if not spans:
        raise RequestError(f"{path} contains no events", advice="write one event in each line")
    return tuple(sorted(spans, key=lambda span: (span.start, span.stop)))


def _margin(text: str, name: str) -> timedelta:
    if not text:
        return timedelta()
    try:
        return timedelta(microseconds=Duration(text).nanoseconds / 1000)
    except RequestError as error:
        raise RequestError(
            f"the margin {name} is '{text}', which is not a duration", advice="write, for example, 2h or 1d"
        ) from error


def _around(
    path: Path, place: str, start: str, stop: str, margins: tuple[timedelta, timedelta], now: datetime
) -> TimeRange:
    first, last = _moment(path, place, start, now), None
    if stop:
        last = _moment(path, place, stop, now).start
    elif any(margins):
        last = first.start
    else:
        last = first.stop
    begin, end = first.start - margins[0], last + margins[1]
    if last < first.start:
        raise RequestError(
            f"{path}: {place}: the event ends before it starts", advice="exchange its start and its stop"
        )
    if begin >= end:
        raise RequestError(
            f"{path}: {place}: the event has no length",
            advice="give the margins --before and --after, or write a stop for each event",
        )
    return TimeRange(begin, end)


def _moment(path: Path, place: str, text: str, now: datetime) -> TimeRange:
    try:
        return parse_time_range(text, now)
    except TimeRangeError as error:
        raise RequestError(
            f"{path}: {place}: '{text[:60]}' is not understood as a time",
            advice="write times as 2024-05-10T17:05:00",
        ) from error


def _text_of(path: Path) -> str:
    try:
        return read_bytes(path, largest=_LARGEST_FILE).decode("utf-8-sig")
    except FileNotFoundError:
        raise RequestError(f"there is no file {path}", advice="give a CSV or JSON file with times") from None
    except DamagedRecord as error:
        raise RequestError(error.message, advice="give a CSV or JSON file with times") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path} is not a text file", advice="give a CSV or JSON file") from error
