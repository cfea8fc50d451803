"""Find the start, the stop, the duration and the label of an event among the columns of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from helio.authoring.documents.event_times import is_moment, moment
from helio.errors import RequestError
from helio.time_range import Duration

LONGEST_NAME = 100
"""Maximum characters that are read of the name of a column."""
_START = frozenset(
    ("start", "start time", "starttime", "begin", "begin time", "from", "onset", "onset time", "time", "epoch",
     "datetime", "times", "t", "zero time")
)  # fmt: skip
_START_DATE = frozenset(("date", "start date", "begin date", "day"))
_STOP = frozenset(("stop", "stop time", "stoptime", "end", "end time", "endtime", "finish", "to", "until"))
_STOP_DATE = frozenset(("stop date", "end date"))
_LABEL = frozenset(("label", "name", "event", "type", "class", "category"))
_START_WORDS = frozenset(("start", "starts", "begin", "begins", "beginning", "onset", "starttime", "tstart"))
_STOP_WORDS = frozenset(("stop", "stops", "end", "ends", "ending", "endtime", "stoptime", "tend", "tstop"))
_LABEL_WORDS = frozenset(("label", "type", "class", "category"))
_DURATION = re.compile(r"(?:event )?(?:duration|dur|length)(?: (?:in )?(?P<unit>\w+))?")
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
}
_UNIVERSAL = re.compile(r"(?:.*\b)?(?:utc?|gmt|z|iso(?: ?8601)?)(?:\b.*)?|[ymdhs\W\d]*")
"""Words in brackets after the name of a column of times: UTC, or the form of the times."""
_WRITE_ISO = "write times in UTC as 2024-05-10T17:05"
_CLOCK = re.compile(r"(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?|[0-2]\d[0-5]\d)\s*(?:Z|UTC?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Columns:
    """The places of the columns of a list of events; None where the list does not have one.

    Parameters
    ----------
    start, stop : int or None
        Their times, or their times of day if there is a column of dates.
    start_date, stop_date : int or None
    duration : int or None
        Read if there is no stop.
    unit : str
        Unit of the numbers in the column of durations; empty if each duration has its own.
    label : int or None
    """

    start: int | None
    stop: int | None = None
    start_date: int | None = None
    stop_date: int | None = None
    duration: int | None = None
    unit: str = ""
    label: int | None = None

    @property
    def used(self) -> set[int | None]:
        """Return the places of the columns that are read."""
        return {self.start, self.stop, self.start_date, self.stop_date, self.duration, self.label}

    @property
    def has_stops(self) -> bool:
        """Whether the events have stops."""
        return not {self.stop, self.stop_date, self.duration} <= {None}

    def event(self, cells: Sequence[str], where: str) -> tuple[str, str, str, bool]:
        """Return the start, the stop and the label in the cells of a line, as texts, and whether helio added a day.

        A text is empty where there is none. A stop with only a time of day is on the day of the start, or of the next.

        Raises
        ------
        RequestError
            A duration is not understood.
        """

        def cell(place: int | None) -> str:
            return cells[place] if place is not None and place < len(cells) else ""

        start = _joined(cell(self.start_date), cell(self.start))
        stop = _joined(cell(self.stop_date), cell(self.stop))
        is_next_day = False
        if _CLOCK.fullmatch(stop):
            day = cell(self.start_date) or re.sub(rf"[T ]{_CLOCK.pattern}$", "", start, flags=re.IGNORECASE)
            stop = f"{day} {stop}"
            if is_moment(start) and is_moment(stop) and moment(stop, where) < moment(start, where):
                stop, is_next_day = _later(moment(stop, where), timedelta(days=1)), True
        if not stop and cell(self.duration) and start:
            stop = _later(moment(start, where), _duration(cell(self.duration), self.unit, where))
        return start, stop, cell(self.label), is_next_day


def named_columns(name: str, header: Sequence[str], *, with_labels: bool) -> Columns | None:
    """Return the columns that a line names; None if it names no start.

    Raises
    ------
    RequestError
        Two columns mean the same, or a column is not in UTC.
    """
    names, units = [], []
    for cell in header:
        named = re.fullmatch(r"(.*?)\s*(?:[(\[]\s*(.*?)\s*[)\]])?", cell[:LONGEST_NAME])
        assert named is not None  # the pattern matches every line
        names.append(" ".join(re.split(r"[\s_.-]+", named[1].casefold())).strip())
        units.append((named[2] or "").casefold())

    def one(places: Sequence[int]) -> int | None:
        if len(places) > 1:
            twice = " and ".join(f"'{header[number]}'" for number in places)
            raise RequestError(
                f"{name}: the columns {twice} mean the same", advice="keep one of these columns"
            )
        return places[0] if places else None

    def place(meanings: Iterable[str]) -> int | None:
        return one([number for number, name in enumerate(names) if name in meanings])

    def with_word(words: frozenset[str]) -> int | None:
        inside = [words & set(re.findall(r"[^\W\d_]+", name)) for name in names]
        return one([number for number, found in enumerate(inside) if found]) if len(names) > 1 else None

    start, start_date = place(_START), place(_START_DATE)
    if start is None and start_date is None:
        start = with_word(_START_WORDS)
    if start is None and start_date is None:
        return None
    stop, stop_date = place(_STOP), place(_STOP_DATE)
    if stop is None and stop_date is None:
        stop = with_word(_STOP_WORDS)
    duration, unit = None, ""
    if stop is None and stop_date is None:
        spans = {number: match for number, name in enumerate(names) if (match := _DURATION.fullmatch(name))}
        duration = one(list(spans))
        unit = (units[duration] or spans[duration]["unit"] or "") if duration is not None else ""
        if unit and unit not in _UNITS:
            raise RequestError(
                f"{name}: the unit of the column '{header[duration or 0]}' is not a unit of time",
                advice="write s, min, h or d in brackets after the name",
            )
    for column in (start, start_date, stop, stop_date):
        if column is not None and not _UNIVERSAL.fullmatch(units[column]):
            raise RequestError(f"{name}: the column '{header[column]}' is not in UTC", advice=_WRITE_ISO)
    label = None
    if with_labels:
        label = place(_LABEL)
        label = with_word(_LABEL_WORDS) if label is None else label
    if start is None:
        start, start_date = start_date, None
    if stop is None:
        stop, stop_date = stop_date, None
    return Columns(start, stop, start_date, stop_date, duration, _UNITS.get(unit, ""), label)


def columns_without_names(name: str, cells: Sequence[str], *, with_labels: bool) -> Columns:
    """Return the columns of a list that does not name them, from the cells of its first line.

    Raises
    ------
    RequestError
        There are too many columns to know what they mean.
    """
    if len(cells) == 1:
        return Columns(0)
    has_stop = is_moment(cells[1])
    if not with_labels:
        return Columns(0, 1 if has_stop else None)
    if len(cells) > 3:
        raise RequestError(
            f"{name} has {len(cells)} columns without names",
            advice="name the columns in the first line: start, stop and label",
        )
    if len(cells) == 3:
        return Columns(0, 1, label=2)
    return Columns(0, 1) if has_stop else Columns(0, label=1)


def _joined(day: str, clock: str) -> str:
    return f"{day} {clock}" if day and _CLOCK.fullmatch(clock) else clock


def _duration(text: str, unit: str, where: str) -> int:
    """Return a duration in nanoseconds."""
    clock = re.fullmatch(r"(\d+):([0-5]\d)(?::([0-5]\d))?", text)
    if clock:
        return (int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3] or 0)) * 10**9
    is_number = re.fullmatch(r"\d*[.,]?\d+", text) is not None
    try:
        return Duration((text.replace(",", ".") + unit if is_number else text).replace(" ", "")).nanoseconds
    except RequestError as error:
        raise RequestError(
            f"{where}: '{text[:40]}' is not a duration",
            advice="write 90min or 2h, or the unit in the name of the column, such as duration (min)",
        ) from error


def _later(start: str, by: timedelta | int) -> str:
    """Return a time of ISO 8601 later by a duration, or by nanoseconds."""
    length = np.timedelta64(by, "ns") if isinstance(by, int) else np.timedelta64(by)
    return moment(str(np.datetime64(start, "ns") + length), "")
