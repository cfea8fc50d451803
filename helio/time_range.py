"""Read time ranges and durations; refuse a text if a part of it is not understood.

::

    phrase   = [lead] range         lead: "for", "in", "during", "over", "on", "throughout", "within"; case never counts
    range    = moment                          the period of its last field: a year … a second
             | moment "/" moment               [A, B): ends where B starts, at any precision
             | ["from"] moment joint moment    ends where B starts, but a month, a year or any other period longer
                                               than a day is included whole; also "between" A "and" B
             | ["from"] moment "through" moment              B is included whole
             | day joint day month year | month day joint day year     one month named once: both days included
             | date ["from"] clock joint clock ["UT"]        two clocks of one day; the joint may be a bare "-"
             | ["from"] clock joint clock ["UT"] ["on"] date
             | moment "/" duration | duration "/" moment     ISO 8601; a fraction only in the last field: P1.5D
             | ("last" | "past") [N] unit      days and longer end at the last midnight, the rest now
             | ("this" | "current" | "previous") unit        calendar units, weeks from Monday
    joint    = "to" | "until" | "till" | ".." | " - " | "–"
    moment   = date [("T" | " ") clock [zone]] | "today" | "yesterday" | N "days ago" | "now"
    date     = 2024 | 2024-05 | 2024-05-10 | 20240510 | 2024-131 | May 2024 | 10 May 2024 | May 10, 2024
             | 2024 DOY 131 | DOY 131 2024 | day 131 of 2024
             | 2024-W19 | 2024W19 | 2024-W19-3              ISO weeks, from Monday
             | Q2 2023 | 2023Q2 | second quarter of 2023 | first half of 2024
             | first … fourth week of June 2024             days 1 to 7, 8 to 14, 15 to 21 and 22 to 28
    clock    = 06 | 06:30 | 06:30:15 | 06:30:15.250 | 063015       06 and compact forms only after a "T"
    zone     = "Z" | "UTC" | "UT" | +02:00     converted to UTC; quarters of an hour from -12:00 to +14:00

``2024-05-10T12:00-12:30`` is half an hour, because no place has the offset -12:30. If the second number may be an
offset or a later time of the day, as in ``2024-05-10T10:00-12:00``, helio refuses the phrase; with seconds, as in
``2024-05-10T10:00:00-12:00``, it is an offset. With a blank after the date, ``2024-05-10 10:00-12:00`` is a range,
and ``2024-05-10 10:00-05:00`` is refused.

``last week``, ``last month`` and ``last year`` are 7, 30 and 365 whole days; ``last N months`` and ``last N
years`` with N > 1 go back by the calendar. Everything is UTC and half-open, [start, stop).

The leap second of a day, ``23:59:60``, is the last microsecond of that day, where its records are stored: a range
that stops at the next midnight includes it, and a range that starts there does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Literal

from helio.errors import RequestError, TimeRangeError
from helio.limits import LIMITS

# What datetime64[ns] can hold, in whole days.
EARLIEST = datetime(1677, 9, 22)
LATEST = datetime(2262, 4, 11)

LEAP_SECOND_MIDNIGHTS = tuple(
    datetime(year, month, 1)
    for year, month in (
        (1972, 7), (1973, 1), (1974, 1), (1975, 1), (1976, 1), (1977, 1), (1978, 1), (1979, 1), (1980, 1),
        (1981, 7), (1982, 7), (1983, 7), (1985, 7), (1988, 1), (1990, 1), (1991, 1), (1992, 7), (1993, 7),
        (1994, 7), (1996, 1), (1997, 7), (1999, 1), (2006, 1), (2009, 1), (2012, 7), (2015, 7), (2017, 1),
    )
)  # fmt: skip
"""Midnights that follow a leap second (23:59:60 UTC), from IERS Bulletin C. Before the first, TAI − UTC was 10 s."""
LEAP_SECOND_STORED = timedelta(microseconds=1)
"""Length of a leap second in helio's epochs: helio stores a leap second in the last microsecond of its day."""

_FORMS = (
    "write '2024-05-10 to 2024-05-12', '2024-05-10', 'May 2024', '2024-131', '2024-05-10/P2D', "
    "'last 7 days', 'yesterday' or 'previous month'"
)
_DAY = timedelta(days=1)
_LONGEST_DAYS = 220_000  # longer than EARLIEST to LATEST, and safe in any arithmetic of datetime


@dataclass(frozen=True)
class TimeRange:
    """A time range in UTC that contains its start but not its stop.

    Parameters
    ----------
    start, stop : datetime
        Naive, meaning UTC.

    Raises
    ------
    TimeRangeError
        It is empty or reversed (``empty`` is set), or outside the range of nanoseconds.
    """

    start: datetime
    stop: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is not None or self.stop.tzinfo is not None:
            raise ValueError("start and stop must be naive datetimes in UTC")
        if min(self.start, self.stop) < EARLIEST or max(self.start, self.stop) > LATEST:
            raise _out_of_bounds(str(self))
        if self.start >= self.stop:
            wider = (
                _iso(self.stop, self.start) if self.start > self.stop else _iso(self.start, self.start + _DAY)
            )
            raise _empty(str(self), self.start, self.stop, wider)

    def __str__(self) -> str:
        return _iso(self.start, self.stop)

    @classmethod
    def from_iso(cls, start: str, stop: str) -> TimeRange:
        """Make a time range from the two texts that `as_iso` returns."""
        return cls(datetime.fromisoformat(start), datetime.fromisoformat(stop))

    def as_iso(self) -> list[str]:
        """Return start and stop as ISO 8601 texts, for JSON."""
        return [self.start.isoformat(), self.stop.isoformat()]

    @property
    def duration(self) -> timedelta:
        """Return the time from start to stop, without leap seconds."""
        return self.stop - self.start

    @property
    def is_day(self) -> bool:
        """Return whether it is one whole day."""
        return self.duration == _DAY and self.start == _midnight(self.start)

    @property
    def text(self) -> str:
        """Write it for readers: a day, or start and stop.

        Examples
        --------
        >>> TimeRange.from_iso("2021-10-28", "2021-10-29").text
        '2021-10-28'
        >>> TimeRange.from_iso("2021-10-28", "2021-11-04").text
        '2021-10-28 to 2021-11-04'
        >>> TimeRange.from_iso("2021-10-28T12:00", "2021-10-28T18:00").text
        '2021-10-28 12:00 to 18:00'
        """
        start, stop = self.start, self.stop
        if self.is_day:
            return f"{start:%Y-%m-%d}"
        if start == _midnight(start) and stop == _midnight(stop):
            return f"{start:%Y-%m-%d} to {stop:%Y-%m-%d}"
        has_seconds = start.second or stop.second or start.microsecond or stop.microsecond
        clock = "%H:%M:%S" if has_seconds else "%H:%M"
        end = f"{stop:{clock}}" if start.date() == stop.date() else f"{stop:%Y-%m-%d {clock}}"
        return f"{start:%Y-%m-%d {clock}} to {end}"

    @property
    def leap_seconds(self) -> int:
        """Return the number of leap seconds in the time range."""
        return sum(self.start < midnight <= self.stop for midnight in LEAP_SECOND_MIDNIGHTS)


@dataclass(frozen=True)
class Duration:
    """A fixed length of time, written ``"90s"``, ``"5min"``, ``"1.5h"``, ``"27d"`` or ISO ``"PT5M"``.

    Two spellings of one length are equal. ``str`` gives the canonical spelling.

    Raises
    ------
    RequestError
        The text is not understood completely, is zero, or has no fixed length (months, years).
    """

    text: str = field(compare=False)
    nanoseconds: int = field(init=False, repr=False)
    """Length in nanoseconds, greater than 0."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "nanoseconds", _nanoseconds(self.text))

    def __str__(self) -> str:
        for unit in ("d", "h", "min", "s", "ms", "us"):
            count, rest = divmod(self.nanoseconds, _NANOSECONDS[unit])
            if not rest:
                return f"{count}{unit}"
        return f"{self.nanoseconds}ns"


def parse_time_range(text: str, now: datetime) -> TimeRange:
    """Read a phrase as a time range; refuse the phrase if a part of it is not understood.

    Parameters
    ----------
    text : str
        In the grammar of this module.
    now : datetime
        Naive UTC: reference of relative phrases. The real clock is never read.

    Raises
    ------
    TimeRangeError
        ``empty`` is set when the phrase was understood but its range is reversed or empty; the advice then has the
        swapped or widened range.
    """
    return _resolve(_read(text), now, text)


@lru_cache(maxsize=8192)
def time_range_or_none(text: str, now: datetime) -> TimeRange | None:
    """Return what `parse_time_range` reads, or None where it raises; faster, because it looks for no advice."""
    try:
        return _resolve(_phrase(_plain_or_refused(text), text), now, text)
    except (_OtherReadingError, TimeRangeError):
        return None


def canonical(text: str) -> str:
    """Return a phrase in its standard form; a relative phrase stays relative: ``past 5 days`` becomes ``last 5 days``.

    Absolute ranges become ``2024-01-01 to 2024-01-08``, with times only where one end is not midnight.
    ``canonical(canonical(text)) == canonical(text)``, and both mean the same at any `now`.

    Raises
    ------
    TimeRangeError
        As `parse_time_range`, as far as possible without a clock.
    """
    return _canonical(_read(text), text)


def is_time_range(text: str) -> bool:
    """Return whether a text is a time range, as far as this is known without a clock."""
    try:
        canonical(text)
    except TimeRangeError:
        return False
    return True


def is_relative(text: str) -> bool:
    """Return whether a phrase depends on the current time; raise TimeRangeError if the phrase is not understood."""
    return _read(text).relative


def names_days(text: str) -> bool:
    """Return whether a text means one day or longer, without a time of day: ``2024-05-12``, ``May 2024``, ``today``."""
    try:
        start, stop = _read(text).span(_ANY_NOON)
    except TimeRangeError:
        return False
    return start < stop and (start, stop) == (_midnight(start), _midnight(stop))


def former_meaning(text: str) -> str | None:
    """Return the time range that earlier versions of helio read from a text, if it differs from what helio reads now.

    >>> canonical("2024-01/2024-03"), former_meaning("2024-01/2024-03")
    ('2024-01-01 to 2024-03-01', '2024-01-01 to 2024-04-01')
    """
    phrase = _read(text)
    former = phrase.former if isinstance(phrase, _Between) else None
    return None if former is None else _canonical(former, text)


# ---- moments: one side of a range


@dataclass(frozen=True)
class _Period:
    """The period that a date or time means: ``2024-05`` means the month, ``2024-05-10 12:00`` the minute."""

    start: datetime
    stop: datetime
    whole: bool = False
    """Whether the period is a week, a month or longer. A range that ends with such a period includes it,
    except after a ``/``."""
    relative = False

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        return self.start, self.stop


@dataclass(frozen=True)
class _Word:
    """A moment given in words: ``today``, ``yesterday``, ``3 days ago`` or ``now``."""

    word: str
    whole = False
    relative = True

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        if self.word == "now":
            return now, now
        count = self.word.removesuffix(" days ago")
        days = {"today": 0, "yesterday": 1}.get(self.word) or (int(count) if count.isdigit() else 0)
        day = _midnight(now) - days * _DAY
        return day, day + _DAY


_Moment = _Period | _Word


# ---- phrases: each has its span, its canonical text, and advice for an empty range


@dataclass(frozen=True)
class _Single:
    moment: _Moment

    @property
    def relative(self) -> bool:
        return self.moment.relative

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        return self.moment.span(now)

    def instead(self, start: datetime, stop: datetime) -> str:
        return ""

    def __str__(self) -> str:
        return (
            self.moment.word if isinstance(self.moment, _Word) else _iso(self.moment.start, self.moment.stop)
        )


@dataclass(frozen=True)
class _Between:
    first: _Moment
    second: _Moment
    joint: Literal["to", "through", "/"] = "to"
    former: _Phrase | None = field(default=None, compare=False)
    """Time range that earlier versions of helio read from the same phrase, if it differs."""

    @property
    def relative(self) -> bool:
        return self.first.relative or self.second.relative

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        start, stop = self.second.span(now)
        return self.first.span(now)[0], stop if self._includes(self.second) else start

    def instead(self, start: datetime, stop: datetime) -> str:
        if isinstance(self.first, _Word) and isinstance(self.second, _Word):
            if start > stop:
                return f"{self.second.word} to {self.first.word}"
            return "last 24 hours" if self.first.word == "now" else self.first.word
        wider = self.second.span(start)[1]
        if start <= stop < wider:
            return _iso(start, wider)
        if not isinstance(self.second, _Period):
            return _iso(stop, start) if stop < start else ""
        if isinstance(self.first, _Period) and self._includes(self.first):
            return _iso(self.second.start, self.first.stop)
        return _iso(self.second.start, start)

    def __str__(self) -> str:
        clock = any(
            isinstance(moment, _Period) and edge != _midnight(edge)
            for moment, edge in ((self.first, self._edge(self.first)), (self.second, self._edge(self.second)))
        )
        to_its_end = self.joint == "through" and isinstance(self.second, _Word) and self.second.word != "now"
        joint = " through " if to_its_end else " to "
        return joint.join(
            moment.word if isinstance(moment, _Word) else _stamp(self._edge(moment), clock)
            for moment in (self.first, self.second)
        )

    def _includes(self, moment: _Moment) -> bool:
        """Return whether the period that ends a range is part of the range."""
        return self.joint == "through" or (moment.whole and self.joint == "to")

    def _edge(self, moment: _Moment) -> datetime:
        """Return the start or end that the range takes from one of its two moments, if this moment is a date."""
        if isinstance(moment, _Word):
            return EARLIEST
        return moment.stop if moment is self.second and self._includes(moment) else moment.start


@dataclass(frozen=True)
class _Lasting:
    """A time range given by a moment and an ISO duration: the duration begins or ends at the moment."""

    moment: _Moment
    months: int
    rest: timedelta
    text: str
    backwards: bool

    @property
    def relative(self) -> bool:
        return self.moment.relative

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        edge = self.moment.span(now)[0]
        midnight = edge + LEAP_SECOND_STORED
        if (
            midnight in LEAP_SECOND_MIDNIGHTS
        ):  # it starts or stops with a leap second, which is a whole second
            if self.backwards:
                return _later(midnight - self.rest, -self.months), edge
            return edge, max(midnight, _later(midnight, self.months) + self.rest - timedelta(seconds=1))
        if self.backwards:
            return _later(edge - self.rest, -self.months), edge
        return edge, _later(edge, self.months) + self.rest

    def instead(self, start: datetime, stop: datetime) -> str:
        return ""

    def __str__(self) -> str:
        if isinstance(self.moment, _Period):
            return _iso(*self.span(EARLIEST))
        return f"{self.text}/{self.moment.word}" if self.backwards else f"{self.moment.word}/{self.text}"


@dataclass(frozen=True)
class _Last:
    """A time range ``last N units``, such as ``last 5 days``."""

    count: int
    unit: str
    relative = True

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        if self.unit in _CLOCK_UNITS:
            return now - self.count * _CLOCK_UNITS[self.unit], now
        midnight = _midnight(now)
        if self.count > 1 and self.unit in ("month", "year"):
            return _later(midnight, -self.count * (12 if self.unit == "year" else 1)), midnight
        return midnight - timedelta(days=self.count * _WHOLE_DAYS[self.unit]), midnight

    def instead(self, start: datetime, stop: datetime) -> str:
        return f"last {self.unit}"

    def __str__(self) -> str:
        return f"last {self.unit}" if self.count == 1 else f"last {self.count} {self.unit}s"


@dataclass(frozen=True)
class _Calendar:
    """A time range such as ``this month`` or ``previous month``."""

    which: str
    unit: str
    relative = True

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        start = now.replace(minute=0, second=0, microsecond=0) if self.unit == "hour" else _midnight(now)
        if self.unit == "week":
            start -= start.weekday() * _DAY
        elif self.unit == "month":
            start = start.replace(day=1)
        elif self.unit == "year":
            start = start.replace(month=1, day=1)
        if self.which == "this":
            return start, self._step(start, 1)
        return self._step(start, -1), start

    def _step(self, start: datetime, count: int) -> datetime:
        if self.unit in ("month", "year"):
            return _later(start, count * (12 if self.unit == "year" else 1))
        return start + count * {"hour": timedelta(hours=1), "day": _DAY, "week": 7 * _DAY}[self.unit]

    def instead(self, start: datetime, stop: datetime) -> str:
        return ""

    def __str__(self) -> str:
        return f"{self.which} {self.unit}"


_Phrase = _Single | _Between | _Lasting | _Last | _Calendar

_ANY_NOON = datetime(2250, 6, 15, 12)
_CLOCK_UNITS = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_WHOLE_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_AT_LEAST_SECONDS = {"second": 1, "minute": 60, "hour": 3600} | {u: d * 86400 for u, d in _WHOLE_DAYS.items()}
_UNITS = {
    **{unit: unit for unit in (*_CLOCK_UNITS, *_WHOLE_DAYS)},
    **{"s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "d": "day"},
}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_OF = {
    **{name: number for number, name in enumerate(_MONTHS, 1)},
    **{name[:3]: number for number, name in enumerate(_MONTHS, 1)},
    "sept": 9,
}

_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december|"
    + (r"jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\.?")
)
_DAY_NUMBER = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_FIRST_DAY = r"(?P<first>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[0-9]{4})"
_OF_YEAR = r"(?:doy|day(?: of(?: the)? year)?) (?P<of_year>[0-9]{1,3})"
_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 0}
# Kept as text: `re` compiles them when first used, and most commands never read a range.
_DATES = (
    r"(?P<year>[0-9]{4})-(?P<number>[0-9]{2})-(?P<day>[0-9]{2})",
    r"(?P<year>[0-9]{4})(?P<number>[0-9]{2})(?P<day>[0-9]{2})",
    r"(?P<year>[0-9]{4})-?(?P<of_year>[0-9]{3})",
    r"(?P<year>[0-9]{4})-(?P<number>[0-9]{2})",
    r"(?P<year>[0-9]{4})",
    rf"{_DAY_NUMBER}(?:[ -]| of ){_MONTH},?[ -]{_YEAR}",
    rf"{_MONTH} {_DAY_NUMBER},? {_YEAR}",
    rf"{_YEAR}[ -]{_MONTH}[ -]{_DAY_NUMBER}",
    rf"{_MONTH},?[ -]{_YEAR}",
    rf"{_YEAR} {_MONTH}",
    rf"{_YEAR},? {_OF_YEAR}",
    rf"{_OF_YEAR},?(?: of| in)? {_YEAR}",
    rf"{_YEAR}-w(?P<week>[0-9]{{2}})(?:-(?P<weekday>[0-9]))?",
    rf"{_YEAR}w(?P<week>[0-9]{{2}})(?P<weekday>[0-9])?",
    rf"{_YEAR}[ -]?(?P<part>[qh])(?P<nth>[0-9])",
    rf"(?P<part>[qh])(?P<nth>[0-9])(?: of)?[ -]?{_YEAR}",
    rf"(?P<nth>{'|'.join(_NTH)}) (?P<part>quarter|half|week)(?: of| in)? (?:{_MONTH},? )?{_YEAR}",
)
_CLOCK = (
    r"(?P<hour>[0-9]{2})(?:(?P<colon>:?)(?P<minute>[0-9]{2})"
    r"(?:(?P=colon)(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?)?"
)
_STAMP = (
    r"(?P<date>.+?)(?:(?:t(?P<clock>[0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]+)?)?)?)"
    r"|,? (?P<spaced>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?))"
    r"(?: ?(?P<zone>z|utc|ut|[+-][0-9]{2}(?::?[0-9]{2})?))?| ?(?P<day_zone>z|utc|ut))?"
)
_ONLY_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
_SPACED = r"[0-9]{2}:[0-9]{2}(?P<%s>:[0-9]{2}(?:[.,][0-9]+)?)?"
_CLOCKS = (
    rf"(?P<first>{_SPACED % 'first_second'})(?P<early_zone> ?(?:z|utc|ut))?"
    r"(?P<joint> (?:to|until|till|-|–) | ?[-–] ?)"
    rf"(?P<second>{_SPACED % 'second_second'}|(?P<hours>[0-9]{{2}}))(?: ?(?P<zone>z|utc|ut))?"
)
_DAY_CLOCKS = (
    rf"(?P<date>.+?)(?:(?P<t>t)|,? (?P<from>from )?){_CLOCKS}",
    rf"(?P<from>from )?{_CLOCKS},?(?: on)? (?P<date>.+)",
)
_THE = rf"(?:the (?=(?:last|past|current|previous|week|[0-9]{{1,2}}(?:st|nd|rd|th)|{'|'.join(_NTH)}) ))?"
_LEAD = rf"(?:(?:for|in|during|over|on|throughout|within) )?{_THE}"
_NO_LENGTH = r"(?:most )?(?:recent|recently|latest|lately)(?: (?:days|data|times?|past))?"
_WEEK_OF = r"week of (?P<date>.+)"
_LAST = r"(?:last|past) (?:(?P<count>[0-9]{1,60}) ?)?(?P<unit>[a-z]+?)(?P<plural>s?)"
_CALENDAR = r"(?P<which>this|current|previous) (?P<unit>hour|day|week|month|year)"
_SPAN = r"(?: ?[-–] ?| to | till | through )"
_DAYS = (
    rf"(?:from )?{_FIRST_DAY}{_SPAN}{_DAY_NUMBER}(?: of)? {_MONTH},? {_YEAR}",
    rf"(?:from )?{_MONTH} {_FIRST_DAY}{_SPAN}{_DAY_NUMBER},? {_YEAR}",
)
_DAYS_AGO = r"(?P<count>[0-9]{1,60}) days? ago"
_YEARLESS = (
    rf"(?:{_DAY_NUMBER}(?: of)? )?{_MONTH}|{_MONTH.replace('month', 'month2')} [0-9]{{1,2}}(?:st|nd|rd|th)?"
)
_NAMED_YEAR = rf".*{_MONTH}\b.*?\b{_YEAR}\b.*"
_SEPARATORS = (" to ", " until ", " till ", " through ", "/", "..", " - ", "–")
_NUMBER = r"[0-9]{1,18}(?:[.,][0-9]{1,18})?"
_ISO_DURATION = (
    r"p(?:(?P<y>[0-9]{1,18})y)?(?:(?P<mo>[0-9]{1,18})m)?"
    rf"(?:(?P<w>{_NUMBER})w)?(?:(?P<d>{_NUMBER})d)?(?:t(?=[0-9])"
    rf"(?:(?P<h>{_NUMBER})h)?(?:(?P<min>{_NUMBER})m)?(?:(?P<s>{_NUMBER})s)?)?"
)
_SIMPLE_DURATION = r"(?P<count>[0-9]{1,18}(?:\.[0-9]{1,18})?) ?(?P<unit>[A-Za-zµμ]+)"
_AMBIGUOUS = r"(?<![0-9/.:-])([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4}|[0-9]{2})(?![0-9:])"

_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
    "w": 7 * 86400 * 10**9,
}
_DURATION_UNITS = {
    **{unit: unit for unit in _NANOSECONDS},
    **{"µs": "us", "μs": "us", "sec": "s", "second": "s", "seconds": "s", "S": "s"},
    **{"minute": "min", "minutes": "min", "T": "min", "hr": "h", "hour": "h", "hours": "h", "H": "h"},
    **{"day": "d", "days": "d", "D": "d", "week": "w", "weeks": "w", "W": "w"},
}


class _OtherReadingError(Exception):
    """Error: this interpretation of the phrase is wrong, but another interpretation may be right."""


# ---- reading


@lru_cache(maxsize=4096)
def _read(text: str) -> _Phrase:
    plain = _plain_or_refused(text)
    try:
        return _phrase(plain, text)
    except _OtherReadingError:
        meant = next(_close_readings(plain), "")
        raise TimeRangeError(
            f"'{_shown(text)}' is not understood as a time range",
            advice=f"did you mean '{meant}'?" if meant else _FORMS,
        ) from None


def _plain_or_refused(text: str) -> str:
    """Return the plain form of a text that is not too long; refuse a date that may be read in two ways."""
    plain = _plain(text) if len(text) <= LIMITS.time_phrase else ""
    if match := re.search(_AMBIGUOUS, plain):
        raise _ambiguous(text, match)
    return plain


_DASHES = str.maketrans({**dict.fromkeys("‐‑−﹣－", "-"), **dict.fromkeys("‒—―", "–")})
_BLANKS = "[ \\t\\n\\r\\f\\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"


def _plain(text: str) -> str:
    """Return the text in lower case, with single blanks, and with the same character for similar dashes."""
    return re.sub(_BLANKS, " ", text.translate(_DASHES)).strip(" ").lower()


def _phrase(plain: str, text: str) -> _Phrase:
    if not plain[
        :3
    ].isdigit():  # compiling patterns takes longer than reading a range that begins with a year
        plain = re.sub(rf"^{_LEAD}", "", plain)
        if plain.startswith("between ") and plain.count(" and ") == 1:
            plain = plain.removeprefix("between ").replace(" and ", " to ")
        if match := re.fullmatch(_LAST, plain):
            return _last(match, text)
        if match := re.fullmatch(_CALENDAR, plain):
            return _Calendar("previous" if match["which"] == "previous" else "this", match["unit"])
        for form in _DAYS:
            if match := re.fullmatch(form, plain):
                year, month = int(match["year"]), _MONTH_OF[match["month"]]
                return _Between(
                    _whole_day(year, month, int(match["first"]), text),
                    _whole_day(year, month, int(match["day"]), text),
                    "through",
                )
    for form in _DAY_CLOCKS if ":" in plain else ():
        if (match := re.fullmatch(form, plain)) and _is_date(match["date"]):
            return _clocks(match, text)
    for separator in _SEPARATORS:
        if plain.count(separator) == 1:
            first, _, second = plain.removeprefix("from ").partition(separator)
            return _pair(first.strip(), second.strip(), separator, text)
    if plain.startswith("from "):
        phrase = _phrase(plain.removeprefix("from "), text)
        if isinstance(phrase, (_Last, _Calendar)):
            return phrase
        raise _impossible(text, "the range has a start but no end", _FORMS)
    if re.fullmatch(_NO_LENGTH, plain):
        raise _impossible(text, "the phrase gives no length", "write 'last 7 days' or 'last 24 hours'")
    if (match := re.fullmatch(_WEEK_OF, plain)) and _is_date(match["date"]):
        raise _which_week(_date(match["date"], text), text)
    moment = _moment(plain, text)
    if moment == _Word("now"):
        raise TimeRangeError(
            "'now' is an instant, not a range", advice="write 'last 24 hours', 'today' or 'last 7 days'"
        )
    return _Single(moment)


def _last(match: re.Match[str], text: str) -> _Last:
    unit = _UNITS.get(match["unit"])
    if unit is None or (match["count"] is None and (match["unit"] != unit or match["plural"])):
        raise _OtherReadingError
    count = int(match["count"] or "1")
    if count * _AT_LEAST_SECONDS[unit] > _LONGEST_DAYS * 86400:
        raise _out_of_bounds(text)
    return _Last(count, unit)


def _pair(first: str, second: str, separator: str, text: str) -> _Phrase:
    if separator == "/" and (first.startswith("p") or second.startswith("p")):
        backwards = first.startswith("p")
        duration, edge = (first, second) if backwards else (second, first)
        moment = _moment(edge, text)
        if backwards and moment.whole:
            raise TimeRangeError(
                f"the end after the duration in '{_shown(text)}' must be a day or an instant, not a month or a year",
                advice="write 'P2D/2024-05-12'",
            )
        months, rest = _iso_duration(duration, text)
        return _Lasting(moment, months, rest, duration.upper(), backwards)
    if re.fullmatch(_ONLY_CLOCK, second):
        second = _on_the_day_of(first, second)
    elif re.fullmatch(_YEARLESS, first) and (named := re.fullmatch(_NAMED_YEAR, second)):
        first = f"{first} {named['year']}"
        if _moment(first, text).span(EARLIEST)[0] > _moment(second, text).span(EARLIEST)[0]:
            raise _impossible(text, "the first date has no year", "write the year in both dates")
    read = _Between(_moment(first, text), _moment(second, text))
    if separator == " through ":
        return replace(read, joint="through")
    if separator == "/":
        return replace(read, joint="/", former=read if read.second.whole else None)
    return read


def _is_date(plain: str) -> bool:
    return any(re.fullmatch(form, plain) for form in _DATES)


def _clocks(match: re.Match[str], text: str) -> _Phrase:
    """Read two times of day with one date, unless the second may be an offset from UTC, as in ``12:00-05:00``."""
    day, first, second = match["date"], match["first"], match["second"]
    is_explicit = match["from"] or match["early_zone"] or match["zone"] or match.end("date") == match.end()
    former = None
    if not is_explicit and match["joint"] in ("-", " -", "- "):
        bare, precise = match["hours"] is not None, match["first_second"] is not None
        offset = None if match["second_second"] else _known_offset(f"-{second}")
        later = not bare and second[:5] > first[:5]
        # 10:00:00-05:00 is how programs write an offset, and 09:00-10:00 how people write two clocks
        if offset is not None and match["t"] and (precise or not later):
            return _Single(_moment(match.string, text))
        if offset is not None and (match["t"] or precise or not later):
            raise _either_way(text, day, first, second, later and not precise)
        if match["t"] and not bare and not match["second_second"]:
            former = _taken_for_an_offset(day, first, second, text)
    if match["hours"]:
        raise _OtherReadingError
    return _Between(_moment(f"{day} {first}", text), _moment(f"{day} {second}", text), former=former)


def _either_way(text: str, day: str, first: str, second: str, as_clocks: bool) -> TimeRangeError:
    whole = _date(day, text)
    if whole.stop - whole.start != _DAY or whole.whole:
        raise _OtherReadingError
    stop = second if ":" in second else f"{second}:00"
    late = whole.stop if stop <= first[:5] else whole.start
    start = f"{whole.start:%Y-%m-%d}"
    return TimeRangeError(
        f"'{_shown(text)}' is ambiguous: '-{second}' may be an offset from UTC, or the time at which the range ends",
        advice=f"write '{start}T{first}{':00' if as_clocks else ''}-{second}' for the offset, "
        f"or '{start} {first} to {late:%Y-%m-%d} {stop}' for the range",
    )


def _taken_for_an_offset(day: str, first: str, second: str, text: str) -> _Phrase | None:
    """Return what earlier versions read in ``2024-05-10T12:00-12:30``: a moment with an offset from UTC."""
    hours, minutes = int(second[:2]), int(second[3:5])
    if hours > 14 or minutes > 59:
        return None
    read, offset = _moment(f"{day} {first}", text), timedelta(hours=hours, minutes=minutes)
    start, stop = read.span(EARLIEST)
    return _Single(_Period(start + offset, stop + offset))


def _on_the_day_of(first: str, clock: str) -> str:
    """Return the second time of day with the date and zone of the first time: ``2024-05-10 06:00 to 12:00``."""
    match = re.fullmatch(_STAMP, first)
    if not match or not (match["clock"] or match["spaced"]):
        raise _OtherReadingError
    return f"{match['date']} {clock}{match['zone'] or ''}"


def _moment(plain: str, text: str) -> _Moment:
    plain = re.sub(f"^{_THE}", "", plain)
    if plain in ("today", "yesterday", "now"):
        return _Word(plain)
    if match := re.fullmatch(_DAYS_AGO, plain):
        days = int(match["count"])
        if days > _LONGEST_DAYS:
            raise _out_of_bounds(text)
        return _Word({0: "today", 1: "yesterday"}.get(days, f"{days} days ago"))
    match = re.fullmatch(_STAMP, plain)
    if not match:
        raise _OtherReadingError
    period = _date(match["date"], text)
    dated = period.stop - period.start == _DAY and not period.whole
    clock = match["clock"] or match["spaced"]
    if not dated and (clock or match["day_zone"]):
        raise _OtherReadingError
    return _at_clock(period.start, clock, match["zone"] or "z", text) if clock else period


def _date(plain: str, text: str) -> _Period:
    match = next(filter(None, (re.fullmatch(form, plain) for form in _DATES)), None)
    if match is None:
        raise _OtherReadingError
    parts = match.groupdict()
    year = int(parts["year"])
    if not EARLIEST.year <= year <= LATEST.year:
        raise _out_of_bounds(text)
    if parts.get("of_year"):
        return _day_of_year(year, int(parts["of_year"]), text)
    if parts.get("week"):
        return _iso_week(year, int(parts["week"]), parts["weekday"], text)
    month = _MONTH_OF[parts["month"]] if parts.get("month") else int(parts.get("number") or 0)
    if parts.get("part"):
        return _part(parts["part"][0], parts["nth"], year, month, text)
    if parts.get("month") is None and parts.get("number") is None:
        return _months(year, 1, 12)
    if not 1 <= month <= 12:
        raise _impossible(text, f"there is no month {month:02d}", "write a month from 01 to 12")
    return (
        _months(year, month, 1)
        if parts.get("day") is None
        else _whole_day(year, month, int(parts["day"]), text)
    )


def _months(year: int, month: int, count: int) -> _Period:
    """Return a period of `count` whole months, which begins with the given month."""
    start = datetime(year, month, 1)
    return _Period(start, _later(start, count), whole=True)


def _part(part: str, nth: str, year: int, month: int, text: str) -> _Period:
    """Return a quarter or half of a year, or a week of a month, counted from the first day of the year or month."""
    number = _NTH[nth] if nth in _NTH else int(nth)
    if part == "w":
        if not month:
            raise _impossible(
                text,
                "weeks of a year may be counted from 1 January or from a Monday",
                f"write '{year}-W{number or 52:02d}'",
            )
        if not number:
            end = _later(datetime(year, month, 1), 1) - _DAY
            days = f"{end.day - 6}-{end.day} {_MONTHS[month - 1].capitalize()} {year}"
            raise _impossible(
                text,
                "the last week may mean the last 7 days of the month or a calendar week",
                f"write '{days}' for the last 7 days, or '{_week_of(end)}' for the week from Monday to Sunday",
            )
        start = datetime(year, month, 1) + (number - 1) * 7 * _DAY
        return _Period(start, start + 7 * _DAY, whole=True)
    count = {"q": 4, "h": 2}[part]
    number = number or (count if nth == "last" else 0)
    if month or not 1 <= number <= count:
        raise _OtherReadingError
    return _months(year, 1 + (number - 1) * 12 // count, 12 // count)


def _which_week(period: _Period, text: str) -> TimeRangeError:
    days = f"'{period.start:%Y-%m-%d}/P7D'"
    return _impossible(
        text,
        "the week may start on this day or on the Monday before",
        f"write {days}, or '{_week_of(period.start)}' for the week from Monday to Sunday",
    )


def _week_of(day: datetime) -> str:
    """Return the name of the ISO week that contains a day, such as ``2024-W19``."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def _iso_week(year: int, week: int, weekday: str | None, text: str) -> _Period:
    last = date(year, 12, 28).isocalendar().week  # this day is always in the last week
    if not 1 <= week <= last:
        raise _impossible(text, f"{year} has {last} weeks", f"write a week from {year}-W01 to {year}-W{last}")
    if weekday is not None and not 1 <= int(weekday) <= 7:
        raise _impossible(text, f"there is no weekday {weekday}", "write a day from 1 (Monday) to 7 (Sunday)")
    start = datetime.combine(date.fromisocalendar(year, week, int(weekday or 1)), datetime.min.time())
    return _Period(start, start + (7 * _DAY if weekday is None else _DAY), whole=weekday is None)


def _day_of_year(year: int, number: int, text: str) -> _Period:
    length = (datetime(year + 1, 1, 1) - datetime(year, 1, 1)).days
    if not 1 <= number <= length:
        raise _impossible(
            text, f"{year} has {length} days", f"write a day from {year}-001 to {year}-{length}"
        )
    start = datetime(year, 1, 1) + (number - 1) * _DAY
    return _Period(start, start + _DAY)


def _whole_day(year: int, month: int, day: int, text: str) -> _Period:
    if not EARLIEST.year <= year <= LATEST.year:
        raise _out_of_bounds(text)
    first = datetime(year, month, 1)
    length = (_later(first, 1) - first).days
    if not 1 <= day <= length:
        name = _MONTHS[month - 1].capitalize()
        raise _impossible(
            text, f"{name} {year} has {length} days", f"write '{year}-{month:02d}-{length}' for the last day"
        )
    start = first + (day - 1) * _DAY
    return _Period(start, start + _DAY)


def _at_clock(day: datetime, clock: str, zone: str, text: str) -> _Period:
    match = re.fullmatch(_CLOCK, clock)
    if not match:
        raise _OtherReadingError  # `06:3015`, half compact
    hour, minute, second = int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0)
    fraction = match["fraction"] or ""
    if fraction[6:].strip("0"):
        raise _impossible(
            text, "helio resolves times only to microseconds", "leave out the digits after the sixth"
        )
    digits = min(len(fraction), 6)
    micros = int(fraction[:6].ljust(6, "0")) if fraction else 0
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second or micros)):
        raise _impossible(text, f"there is no time '{clock}'", "write a time from 00:00 to 24:00")
    offset = _offset(zone, text)
    start = day + timedelta(hours=hour, minutes=minute) - offset
    if second == 60 and (start.hour, start.minute) != (23, 59):
        raise _impossible(text, "leap seconds are inserted at 23:59:60 UTC", "write the following second")
    midnight = start + timedelta(seconds=second)
    if second == 60 and midnight in LEAP_SECOND_MIDNIGHTS:
        if micros:
            raise _impossible(
                text, "a leap second cannot have a fraction", "write 23:59:60, or the following midnight"
            )
        return _Period(midnight - LEAP_SECOND_STORED, midnight)
    # A second 60 without a leap second comes from rounding: it means the next second.
    start = midnight + timedelta(microseconds=micros)
    if match["minute"] is None:
        length = timedelta(hours=1)
    elif match["second"] is None:
        length = timedelta(minutes=1)
    else:
        length = timedelta(microseconds=10 ** (6 - digits))
    return _Period(start, start + length)


def _offset(zone: str, text: str) -> timedelta:
    if zone[0] not in "+-":
        return timedelta(0)
    offset = _known_offset(zone)
    if offset is None:
        raise _impossible(
            text, f"'{zone}' is not an offset from UTC", "write an offset from -12:00 to +14:00"
        )
    return offset


def _known_offset(zone: str) -> timedelta | None:
    """Convert an offset from UTC, such as ``+02:00``, ``-0330`` or ``+14``; return None if no place on Earth has it."""
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = 60 * int(digits[:2]) + int(digits[2:])
    most = 12 * 60 if zone[0] == "-" else 14 * 60
    if int(digits[2:]) not in (0, 15, 30, 45) or minutes > most:
        return None
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)


def _iso_duration(plain: str, text: str) -> tuple[int, timedelta]:
    """Read an ISO duration as a number of months, which have no fixed length, and a fixed length for the rest."""
    months, parts = _iso_parts(plain)
    length, rest = _summed(parts)
    micros, left = divmod(length, 1000)
    if rest or left:
        raise _impossible(
            text, "helio resolves times only to microseconds", "leave out the digits after the sixth"
        )
    if max(months * 28, length // _NANOSECONDS["d"]) > _LONGEST_DAYS:
        raise _out_of_bounds(text)
    return months, timedelta(microseconds=micros)


def _nanoseconds(text: str) -> int:
    shown, advice = (
        f"duration '{_shown(text)}'",
        "write a duration such as '90s', '5min', '1h', '1d', '500ms' or 'PT5M'",
    )
    plain = text.strip() if len(text) <= LIMITS.time_phrase else ""
    if (match := re.fullmatch(_SIMPLE_DURATION, plain)) and match["unit"] in ("m", "M"):
        raise RequestError(
            f"{shown} may mean minutes or months", advice=f"did you mean '{match['count']}min'?"
        )
    try:
        months, parts = (
            (0, [(match["count"], _DURATION_UNITS[match["unit"]])]) if match else _iso_parts(plain.lower())
        )
    except (KeyError, _OtherReadingError):
        raise RequestError(f"{shown} is not understood", advice=advice) from None
    if months:
        raise RequestError(
            f"{shown} has no fixed length, because months and years have different lengths",
            advice="write a number of days, such as '27d'",
        )
    length, rest = _summed(parts)
    if rest:
        raise RequestError(f"{shown} is not a whole number of nanoseconds", advice=advice)
    if length == 0:
        raise RequestError(f"{shown} is zero", advice=advice)
    if length >= 2**63:
        raise RequestError(f"{shown} is too long to count in nanoseconds", advice=advice)
    return length


def _iso_parts(plain: str) -> tuple[int, list[tuple[str, str]]]:
    """Split a duration such as ``p1y2dt3h`` into a number of months and a list of other counts with their units."""
    match = re.fullmatch(_ISO_DURATION, plain)
    if not match or not any(match.groupdict().values()):
        raise _OtherReadingError
    months = 12 * int(match["y"] or 0) + int(match["mo"] or 0)
    parts = [(match[unit].replace(",", "."), unit) for unit in ("w", "d", "h", "min", "s") if match[unit]]
    if any("." in count for count, _ in parts[:-1]):  # only the last field may have a fraction
        raise _OtherReadingError
    return months, parts


def _summed(parts: list[tuple[str, str]]) -> tuple[int, int]:
    """Add up counts such as ``1.5`` in whole nanoseconds; the second number is nonzero if the sum is not whole."""
    total = rest = 0
    for count, unit in parts:
        whole, _, fraction = count.partition(".")
        length, left = divmod(int(whole + fraction) * _NANOSECONDS[unit], 10 ** len(fraction))
        total, rest = total + length, rest or left
    return total, rest


# ---- arithmetic and words


def _canonical(phrase: _Phrase, text: str) -> str:
    if not phrase.relative:
        return str(_resolve(phrase, EARLIEST, text))
    if not isinstance(phrase, _Between) or (phrase.first.relative and phrase.second.relative):
        # Whether these are empty does not depend on the clock: any noon with centuries before it shows it.
        start, stop = phrase.span(_ANY_NOON)
        if start >= stop:
            raise _empty(text, start, stop, phrase.instead(start, stop))
    return str(phrase)


def _resolve(phrase: _Phrase, now: datetime, text: str) -> TimeRange:
    if now.tzinfo is not None:
        raise ValueError("now must be a naive datetime in UTC")
    try:
        start, stop = phrase.span(now)
    except (OverflowError, ValueError):  # a date outside the range of datetime
        raise _out_of_bounds(text) from None
    if start >= stop:
        raise _empty(text, start, stop, phrase.instead(start, stop))
    if start < EARLIEST or stop > LATEST:
        raise _out_of_bounds(text)
    return TimeRange(start, stop)


def _later(start: datetime, months: int) -> datetime:
    """Add months to a date; if the new month has no such day, return the last day of the month."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    following = datetime(year + (month == 11), (month + 1) % 12 + 1, 1)
    return start.replace(year=year, month=month + 1, day=min(start.day, (following - _DAY).day))


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _stamp(moment: datetime, clock: bool) -> str:
    return moment.isoformat() if clock else moment.date().isoformat()


def _iso(start: datetime, stop: datetime) -> str:
    clock = start != _midnight(start) or stop != _midnight(stop)
    return f"{_stamp(start, clock)} to {_stamp(stop, clock)}"


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"


def _empty(text: str, start: datetime, stop: datetime, instead: str) -> TimeRangeError:
    how = "ends before it starts" if start > stop else "is empty: it ends when it starts"
    return TimeRangeError(
        f"'{_shown(text)}' {how}", advice=f"did you mean '{instead}'?" if instead else _FORMS, empty=True
    )


def _out_of_bounds(text: str) -> TimeRangeError:
    return TimeRangeError(
        f"'{_shown(text)}' is outside the dates that helio can represent, {EARLIEST.date()} to {LATEST.date()}",
        advice="choose a time range between these dates",
    )


def _impossible(text: str, reason: str, advice: str) -> TimeRangeError:
    return TimeRangeError(f"'{_shown(text)}': {reason}", advice=advice)


def _ambiguous(text: str, match: re.Match[str]) -> TimeRangeError:
    first, second, year = int(match[1]), int(match[2]), match[3]
    century = year if len(year) == 4 else f"20{year}"
    readings = [
        f"'{century}-{month:02d}-{day:02d}'"
        for day, month in dict.fromkeys([(first, second), (second, first)])
        if 1 <= month <= 12 and 1 <= day <= 31
    ]
    return TimeRangeError(
        f"'{_shown(text)}' is ambiguous: '{match[0]}' does not distinguish day and month",
        advice=f"write {' or '.join(readings)}" if readings else _FORMS,
    )


_WORDS = (
    *_MONTHS,
    *(f"{unit}{plural}" for unit in (*_WHOLE_DAYS, *_CLOCK_UNITS) for plural in ("", "s")),
    *("last", "past", "this", "current", "previous", "today", "yesterday", "now", "ago"),
    *("from", "through", "until", "between", "quarter", "half", *(word for word in _NTH if word.isalpha())),
)


def _close_readings(plain: str) -> Iterator[str]:
    """Yield valid phrases that are close to misspelt phrases such as ``Janury 2024``, ``2024-1-5``, ``2024/01/15``."""
    padded = re.sub(r"(?<![0-9])([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})(?![0-9])", _padded, plain)
    for candidate in (padded, re.sub(r"[a-z]{3,}", lambda word: _nearest_word(word[0]), plain)):
        try:
            _phrase(candidate, candidate)
        except (_OtherReadingError, TimeRangeError):
            continue
        yield re.sub("|".join(_MONTHS), lambda month: month[0].capitalize(), candidate)


@lru_cache(maxsize=1000)
def _nearest_word(word: str) -> str:
    """Return the word of the grammar that is closest to a word, or the word itself if none is close."""
    from difflib import get_close_matches  # only on the way to an error, never at start-up

    return word if word in _MONTH_OF else next(iter(get_close_matches(word, _WORDS, n=1, cutoff=0.8)), word)


def _padded(match: re.Match[str]) -> str:
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}"
