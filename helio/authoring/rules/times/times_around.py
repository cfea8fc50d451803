"""Read times by their distance from a moment, and parts of a day or a year: ``3 hours around 05:20 on 2015-03-17``."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from helio.authoring.rules.times.clocks import DATE
from helio.authoring.rules.times.date_pairs import MONTH, YEAR
from helio.authoring.rules.times.durations import NUMBERS, duration_in, duration_pattern, length_of
from helio.patterns import ignoring_case
from helio.time_range import TimeRange, time_range_or_none

_HOURS = r"(?:noon|midday|\d{1,2}(?::\d{2}(?::\d{2})?(?:\s*(?:UTC?|Z|h)\b)?|\s*(?:UTC?|Z|h)\b))"
_NOT_A_PAIR = r"(?!\s*(?:-|–|to\b|until\b|till\b|through\b)\s*\d)"


def _moment(name: str = "") -> str:
    """Return a pattern of a day, or of a time of day with its day in any order."""
    return (
        rf"(?:(?P<early{name}>{_HOURS})?,?\s*(?:\b(?:on|of)\s+)?(?:the\s+)?(?P<date{name}>{DATE})"
        rf"(?:(?:T|,?\s+(?:(?:at|from)\s+)?)(?P<late{name}>{_HOURS}))?)"
    )


_M = _moment() + _NOT_A_PAIR
_LENGTH = duration_pattern()
_SECOND = duration_pattern("2")
_LED = r"(?:\b(?:for|in|during|over|within|from|the)\s+)*"
"""Words before a range that are dropped with it."""
_SIGN = r"(?:±|\+\s*/?\s*[-−]|plus[\s/-]*(?:or[\s-]+)?minus)"
_SHOCK = r"(?:the\s+)?(?:(?:shock|event|flare|storm|crossing|onset|arrival|peak|ssc)\s+)?(?:(?:at|of|on)\s+)*"
_POINT = rf"{_SHOCK}{_M}"
_DAY_OF_MONTH = rf"\d{{1,2}}(?:st|nd|rd|th)?\s+{MONTH}(?!,?\s*\d)"
_TWO_MOMENTS = ignoring_case(
    rf"(?:\b(?:from|(?P<between>between))\s+)?(?P<first>{_HOURS}),?\s*(?:on\s+|of\s+)?(?P<day>{DATE}|{_DAY_OF_MONTH})\s*"
    rf"(?:-|–|\bto\b|\buntil\b|\btill\b|(?(between)\band\b|(?!)))\s*"
    rf"(?P<last>{_HOURS}),?\s*(?:on\s+|of\s+)?(?P<end>{DATE}|{_DAY_OF_MONTH})"
)
_WIDENED = ignoring_case(
    rf"(?P<first>\d{{4}}-\d\d-\d\d) to (?P<last>\d{{4}}-\d\d-\d\d),?\s*\(?{_SIGN}\s*{_LENGTH}\)?"
)
_SIGNED = ignoring_case(rf"[,(]?\s*{_SIGN}\s*{_LENGTH}\)?")
_LEAD_OF_A_MOMENT = ignoring_case(r"\b(?:around|about|near|at|on)\s*(?:\bthe\s*)?$")
_SEASONS = {"spring": (3, 0), "summer": (6, 0), "autumn": (9, 0), "fall": (9, 0), "winter": (12, 1)}
"""First month of a season in the northern hemisphere; a winter ends in the next year."""
_SEASON = ignoring_case(
    rf"\b(?:the\s+)?(?:northern\s+)?(?P<season>{'|'.join(_SEASONS)})\s+(?:of\s+)?(?P<year>{YEAR})"
    rf"(?:\s*[/–-]\s*(?P<next>(?:{YEAR}|\d{{2}})))?(?![\w:-])"
)
_THIRD = ignoring_case(
    rf"\b(?:the\s+)?(?P<part>early|mid(?:dle\s+of)?|late|(?:end|beginning|start)\s+of)[\s-]+(?:in\s+)?(?:the\s+year\s+)?(?P<year>{YEAR})"
    r"(?![\w:-]|\s*(?:to|until|till|through|-|–)\b)"
)
_PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Hours of the parts of a day in UT."""
_PART = ignoring_case(
    rf"\b(?:the\s+)?(?P<part>{'|'.join(_PARTS)})\s+of\s+(?:the\s+)?(?P<date>{DATE})(?!\s*[-–T])"
    rf"|(?P<day>{DATE}),?\s+(?:in\s+the\s+)?(?P<hours>{'|'.join(_PARTS)})\b(?!\s+(?:sector|side|to|until|-))"
)
_WEEK = ignoring_case(
    rf"\b(?:the\s+)?(?:calendar\s+)?week\s+(?P<week>\d{{1,2}})(?:,?\s*(?:of|in))?\s+(?P<year>{YEAR})"
    rf"|(?P<before>{YEAR}),?\s+(?:calendar\s+)?week\s+(?P<after>\d{{1,2}})(?!\d)"
)
_WEEK_OF = ignoring_case(rf"\b(?:the\s+)?week\s+of\s+(?:the\s+)?(?P<date>{DATE})(?!\s*[-–T]|\s*(?:to|and)\b)")
_AND_NEXT = ignoring_case(
    rf"(?P<date>{DATE}),?\s*(?:(?:the\s+)?(?:full|whole)\s+day\s+)?(?:and|plus|[+&])\s+(?:the\s+)?(?:(?:next|following)\s+"
    r"(?:(?P<count>two|three|four|five|\d)\s+)?days?|(?:(?P<more>two|three|four|five|\d)\s+)?days?\s+(?:after|afterwards)"
    r"|next(?=\s*(?:$|[,.;])))(?!\s*(?:\d|the\b|it\b))"
)
"""A day with those behind it: ``31 March 2001 and the following day``."""
_FROM_CLOCK = ignoring_case(
    rf"(?P<date>{DATE}),?\s+(?:for\s+)?(?P<span>{_LENGTH})\s+(?:from|(?:starting|beginning)(?:\s+(?:at|from))?)\s+"
    rf"(?P<hour>\d{{1,2}}):?(?P<minute>\d{{2}})(?:\s*UTC?)?(?![\w:.-]){_NOT_A_PAIR}"
)
"""A length behind its date: ``1 April 1999, 2 hours from 06:00``."""
_DAY_ALONE = ignoring_case(
    rf"(?:\b(?:on|of)\s+(?:the\s+)?)?(?P<day>{DATE})"
    r"(?![T\s,:(]*(?:(?:at|from)\s+)?\d{1,2}(?::\d|\s*(?:UTC?|h)?\s*(?:-|–|to\b)\s*\d|\s*UT))"
)
_CLOCK_ALONE = ignoring_case(
    rf"(?:{_LENGTH}\s+(?:(?:(?:on|at|to)\s+)?(?:either|each|both)\s+sides?\s+of|(?:before\s+and\s+)?after|before"
    rf"|around|about|cent(?:er|r)ed\s+(?:on|at|around))|(?:\bwithin|{_SIGN})\s*{_SECOND}\s+(?:of|from|around))\s+"
    rf"(?:the\s+)?\d{{1,2}}:\d{{2}}(?:\s*UTC?|Z)?(?![\w-]|[:.]\d|\s*UT)(?!,?\s+(?:on\s+|of\s+)?(?:the\s+)?\d){_NOT_A_PAIR}"
)
"""A day, and a length with a time of day, apart from each other: ``22 June 2015, 12 h either side of 18:30``."""
_NOW = datetime(2000, 1, 1)


def with_plain_spans(text: str, notes: list[str]) -> str:
    """Write times around, before or after a moment as ranges, and parts of a year or a day.

    >>> with_plain_spans("Bz 3 hours around 05:20 UT on 2015-03-17", [])
    'Bz 2015-03-17T03:50 to 2015-03-17T06:50'
    >>> with_plain_spans("2003-10-29 06:11 ± 30 min", []), with_plain_spans("12 h before 2015-03-17 04:45", [])
    ('2003-10-29T05:41 to 2003-10-29T06:41', '2015-03-16T16:45 to 2015-03-17T04:45')
    >>> with_plain_spans("winter 2008/09", [])
    '2008-12-01 to 2009-03-01'

    Parameters
    ----------
    notes : list of str
        Takes a note for each range that the words leave open.
    """
    text = ignoring_case(
        rf"\b(last|past|previous)\s+({'|'.join(NUMBERS)}|\d+)\s+(?=(?:minute|hour|day|week|month|year)s\b)"
    ).sub(lambda match: f"last {NUMBERS.get(match[2].lower(), match[2])} ", text)
    text = _FROM_CLOCK.sub(r"\g<span> from \g<date> \g<hour>:\g<minute>", text)
    text = _with_own_day(_TWO_MOMENTS.sub(_two_moments, text))
    for pattern, span in _FORMS:
        text = ignoring_case(_LED + pattern).sub(partial(_written, span=span, notes=notes), text)
    text = _with_signed(text)
    for part, read in (
        (_SEASON, _season),
        (_THIRD, _third),
        (_PART, _part),
        (_WEEK, _week),
        (_AND_NEXT, _and_next),
        (_WEEK_OF, _week_of),
    ):
        text = part.sub(partial(_noted, read=read, notes=notes), text)
    return text


def _with_own_day(text: str) -> str:
    """Write the only day of a text behind its only time of day, if a length stands before this time.

    >>> _with_own_day("22 June 2015: Bz, 12 h either side of 18:30")
    ': Bz, 12 h either side of 18:30 on 22 June 2015'
    """
    days, clocks = list(ignoring_case(DATE).finditer(text)), list(_CLOCK_ALONE.finditer(text))
    day = _DAY_ALONE.search(text)
    if len(days) != 1 or len(clocks) != 1 or day is None:
        return text
    written = [(*clocks[0].span(), f"{clocks[0][0]} on {day['day']}"), (*day.span(), "")]
    for start, stop, words in sorted(written, reverse=True):
        text = text[:start] + words + text[stop:]
    return text.strip()


def _with_signed(text: str) -> str:
    """Widen the only time of a text by a length that stands elsewhere: ``at 18:08 on 2015-06-22: B, n, ± 30 min``.

    >>> _with_signed("around the 24 Dec 2024 perihelion, +-1 day")
    '2024-12-23 to 2024-12-26 perihelion'
    """
    signed = _SIGNED.search(text)
    if signed is None:
        return text
    rest = f"{text[: signed.start()]} {text[signed.end() :]}"
    dates = list(ignoring_case(_M).finditer(rest))
    moments = [match for match in dates if match["early"] or match["late"]] or dates
    if len(moments) != 1:
        return text
    moment = _read(moments[0]["date"], moments[0]["early"] or moments[0]["late"] or "")
    if moment is None:
        return text
    length = _length(signed)
    span = _range(moment.start - length, _end(moment) + length)
    before = _LEAD_OF_A_MOMENT.sub("", rest[: moments[0].start()])
    return f"{before} {span}{rest[moments[0].end() :]}".strip()


def signed_length(text: str) -> str:
    """Return the words of a length with ``±`` in a text; empty if there are none."""
    match = _SIGNED.search(text)
    return match[0].strip(" ,()") if match else ""


def widened(text: str) -> str:
    """Write a range with days to add on both sides, as a named event has them, as one range.

    >>> widened("Dst 2015-03-17 to 2015-03-19 plus minus 3 days")
    'Dst 2015-03-14 to 2015-03-22'
    """
    return _WIDENED.sub(_wider, text)


def _wider(match: re.Match[str]) -> str:
    first, last = (datetime.fromisoformat(match[name]) for name in ("first", "last"))
    return _range(first - _length(match), last + _length(match))


Span = Callable[[re.Match[str], TimeRange], tuple[datetime, datetime]]


def _around(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    """Return an interval of a length whose middle is a moment; of whole days around a day, as many on both sides."""
    length = _length(match)
    if moment.is_day:
        sides = timedelta(days=length.days // 2)
        return moment.start - sides, moment.stop + sides
    return moment.start - length / 2, moment.start + length / 2


def _both_sides(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    length = _length(match)
    return moment.start - length, _end(moment) + length


def _two_sides(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    return moment.start - _length(match), _end(moment) + _length(match, "2")


def _from(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    return moment.start, moment.start + _length(match)


def _before(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    return moment.start - _length(match), moment.start


def _from_day(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    return moment.start, moment.start + timedelta(days=7 * (1 + (match["long"].lower() == "fortnight")))


def _day_before(match: re.Match[str], moment: TimeRange) -> tuple[datetime, datetime]:
    day = timedelta(days=7 if match["unit"].lower() == "week" else 1)
    before = match["side"].lower() in ("before", "preceding")
    return (moment.start - day, moment.start) if before else (_end(moment), _end(moment) + day)


_CENTRED = r"(?:around|about|cent(?:er|r)ed\s+(?:on|at|around))"
_STARTING = r"(?:from|(?:starting|beginning)(?:\s+(?:at|on|from))?|since|after|following)"
_ENDING = r"(?:before|prior\s+to|until|leading\s+(?:up\s+)?to|preceding|ending(?:\s+(?:at|on))?)"
_FORMS: tuple[tuple[str, Span], ...] = (
    (rf"{_LENGTH}\s+before\s*(?:,|to|and|until)\s*(?:to\s+)?{_SECOND}\s+after\s+{_POINT}", _two_sides),
    (rf"{_SIGN}\s*{_LENGTH}\s*(?:(?:around|about|of|from)\s+)?{_POINT}", _both_sides),
    (rf"(?:\b(?:around|about|at|on|near)\s+)?{_POINT},?\s*\(?{_SIGN}\s*{_LENGTH}\)?", _both_sides),
    (rf"{_LENGTH}\s+(?:(?:on|at|to)\s+)?(?:either|each|both)\s+sides?\s+of\s+{_POINT}", _both_sides),
    (rf"{_LENGTH}\s+before\s+and\s+after\s+{_POINT}", _both_sides),
    (rf"\bwithin\s+{_LENGTH}\s+(?:of|from|around)\s+{_POINT}", _both_sides),
    (rf"{_LENGTH}(?:\s+(?:interval|window|period))?\s+{_CENTRED}\s+{_POINT}", _around),
    (rf"{_LENGTH}\s+{_STARTING}\s+{_POINT}", _from),
    (rf"\bfirst\s+{_LENGTH}\s+(?:of|on)\s+{_POINT}", _from),
    (rf"{_POINT},?\s*\(?(?:the\s+)?first\s+{_LENGTH}\)?", _from),
    (
        rf"(?:\b(?:starting|beginning|start|from|at)\s+)*(?<!\bto)(?<!\bto ){_POINT}"
        rf"(?:,?\s+(?:for|lasting)\s+(?:the\s+next\s+)?|(?<=:\d\d)(?:\s*UTC?|Z)?\s*(?:[,+]|plus\b)\s*){_LENGTH}"
        r"(?!\s*-?\s*(?:\w+\s+)?(?:averag\w+|means?|medians?|windows?|bins?|resolution|cadence|data|smooth\w*|steps?))",
        _from,
    ),
    (rf"{_LENGTH}\s+{_ENDING}\s+{_POINT}", _before),
    (
        rf"\b(?:an?\s+)?(?P<long>week|fortnight)\s+(?:from|since|after|(?:starting|beginning)(?:\s+(?:at|on|from|with))?)"
        rf"\s+{_POINT}",
        _from_day,
    ),
    (rf"\b(?P<unit>day|week)\s+(?P<side>before|after|preceding|following)\s+{_POINT}", _day_before),
)
"""Forms of times around a moment, and the range that each means."""


def _written(match: re.Match[str], *, span: Span, notes: list[str]) -> str:
    hours = match["early"] or match["late"] or ""
    moment = _read(match["date"], hours)
    if moment is None or (match["early"] and match["late"]):
        return match[0]
    start, stop = span(match, moment)
    lead = match[0][: len(match[0]) - len(match[0].lstrip(" ,"))]
    written = f"{lead}{_range(start, stop)}"
    if span in (_around, _from_day):
        notes.append(f"helio reads '{match[0].strip()}' as {_range(start, stop)}")
    return written


def _noted(
    match: re.Match[str],
    *,
    read: Callable[[re.Match[str]], tuple[datetime, datetime] | None],
    notes: list[str],
) -> str:
    span = read(match)
    if span is None:
        return match[0]
    notes.append(f"helio reads '{match[0]}' as {_range(*span)}")
    return _range(*span)


def _read(date: str, hours: str) -> TimeRange | None:
    clock = re.match(r"\d{1,2}(?::\d{2}){0,2}", re.sub("noon|midday", "12:00", hours.lower()))
    written = date
    if clock:
        first, *others = clock[0].split(":")
        written = f"{date} {first.zfill(2)}:{':'.join(others) if others else '00'}"
    return time_range_or_none(written, _NOW)


def _end(moment: TimeRange) -> datetime:
    """Return the end of a day; a time of day is its own end."""
    return moment.stop if moment.is_day else moment.start


def _length(match: re.Match[str], name: str = "") -> timedelta:
    return length_of(duration_in(match, name))


def _range(start: datetime, stop: datetime) -> str:
    whole = all(moment == moment.replace(hour=0, minute=0, second=0) for moment in (start, stop))
    form = "%Y-%m-%d" if whole else "%Y-%m-%dT%H:%M:%S" if start.second or stop.second else "%Y-%m-%dT%H:%M"
    return f"{start:{form}} to {stop:{form}}"


def _two_moments(match: re.Match[str]) -> str:
    years = [re.search(YEAR, match[name]) for name in ("day", "end")]
    days = [
        match[name] if own or not other else f"{match[name]} {other[0]}"
        for name, own, other in zip(("day", "end"), years, years[::-1], strict=True)
    ]
    first, last = _read(days[0], match["first"]), _read(days[1], match["last"])
    if first is None or last is None or first.start >= last.start:
        return match[0]
    return _range(first.start, last.start)


def _season(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    month, years = _SEASONS[match["season"].lower()]
    year = int(match["year"])
    named_next = match["next"] and int(match["next"]) % 100 == (year + 1) % 100
    if bool(match["next"]) != bool(years) or (match["next"] and not named_next):
        return None  # the winter of 2008 may begin in 2007 or in 2008
    return datetime(year, month, 1), datetime(year + years, 3 if years else month + 3, 1)


def _third(match: re.Match[str]) -> tuple[datetime, datetime]:
    year, part = int(match["year"]), match["part"].lower()
    first = 5 if part.startswith("mid") else 9 if part.startswith(("late", "end")) else 1
    stop = datetime(year + 1, 1, 1) if first == 9 else datetime(year, first + 4, 1)
    return datetime(year, first, 1), stop


def _part(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    day = _read(match["date"] or match["day"], "")
    first, last = _PARTS[(match["part"] or match["hours"]).lower()]
    return (day.start + timedelta(hours=first), day.start + timedelta(hours=last)) if day else None


def _and_next(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    day, count = _read(match["date"], ""), match["count"] or match["more"] or "1"
    days = NUMBERS.get(count.lower()) or int(count)
    return (day.start, day.stop + timedelta(days=days)) if day else None


def _week_of(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    """Return the seven days from a Monday or a Sunday; of another day it is not clear which week is meant."""
    day = _read(match["date"], "")
    first_days = (0, 6)
    begins = day is not None and day.start.weekday() in first_days
    return (day.start, day.start + timedelta(days=7)) if day and begins else None


def _week(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    year, week = match["year"] or match["before"], match["week"] or match["after"]
    span = _read(f"{year}-W{int(week):02d}", "")
    return (span.start, span.stop) if span else None
