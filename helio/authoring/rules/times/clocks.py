"""Write times of day as people type them, such as ``18-20h`` or ``3 pm to 6 pm``, in the form ``18:00 to 20:00``."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from helio.authoring.rules.times.date_pairs import MONTH, YEAR
from helio.patterns import ignoring_case
from helio.time_range import parse_time_range, time_range_or_none

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = (
    rf"(?:(?<![\d./-]){YEAR}-\d{{2}}-\d{{2}}|(?<![\d./-])\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?[\s-]{MONTH},?[\s-]{YEAR}"
    rf"|\b{MONTH}\s+{_DAY},?\s+{YEAR}|(?<![\d./-]){YEAR},?[\s-]{MONTH}[\s-]{_DAY}"
    rf"|(?<![\w./-]){YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?![\d/-])"
)
_JOINT = r"\s*(?:-|–|\bto\b|\buntil\b|\btill\b|\band\b)\s*"
_UT = r"(?:\s*(?:UTC?|Z|hrs?|hours?|h)\b)?"
_CLOCK = (
    r"(?:noon|midday|midnight|\d{1,2}(?:[:.]\d{2})?\s*[ap]\.?m\b\.?|\d{1,2}[:.]\d{2}(?::\d{2})?"
    r"|\d{1,2}h\d{2}|\d{4}|\d{1,2})"
)
_NEXT_DAY = r"\s+(?:(?:on|of)\s+)?(?:the\s+)?(?:(?:next|following)\s+day|day\s+after)\b"
_BEFORE_DATE = ignoring_case(
    rf"\b(?:from\s+)?(?<![\d:.-])(?P<first>{_CLOCK}){_UT}\s+(?:on|of)\s+(?P<date>{DATE})(?P<last>{_JOINT}{_CLOCK}{_UT}{_NEXT_DAY})"
)
"""Times of day of which the first stands before its date: ``from 20 UT on 7 Sep 2017 until 4 UT the day after``."""
_AFTER_DATE = re.compile(
    rf"(?P<date>{DATE})(?:T|\s*[,:(]?\s*(?:\b(?:in|during)\s+the\s+hours?\s+)?(?:\b(?:at|from|between)\s+)?)(?:UTC?\s+)?(?P<first>{_CLOCK}){_UT}{_JOINT}"
    rf"(?P<last>{_CLOCK})(?P<unit>{_UT})(?P<later>{_NEXT_DAY})?(?:\s*\))?(?![\w:-]|[./]\d|\s*(?:[kMG]?eV|m?Hz|kHz|nT|nm|km|AU|R_?E|min|s|days?|n?Pa|mV/m|K|deg|cc)\b|\s*(?:cm\^?-3|/cc|%)"
    rf"|\s+{MONTH})",
    re.IGNORECASE,
)
_BARE_HOURS = ignoring_case(
    rf"(?P<from>{DATE})\s+(?P<first>[01]?\d|2[0-3]){_UT}{_JOINT}(?P<to>{DATE})\s+(?P<last>[01]?\d|2[0-4]){_UT}"
    r"(?![\w:.-])"
)
"""Two dates with an hour each: ``2017-09-07 12 to 2017-09-08 18``."""
_BETWEEN_DATES = ignoring_case(rf"(?:(?<=\d )|(?<=UT )|(?<=h ))(?:until|till)\s+(?={DATE})")
_OF_MARKS = ignoring_case(r"\b(?:lines?|mark\w*|shad\w*|arrows?|label\w*)\b[^.;]*$")
_OPEN = ignoring_case(
    rf"(?P<date>{DATE})\s*,?\s+(?:(?P<from>from|after|since|starting(?:\s+(?:at|from))?)|until|till|up\s+to|before)\s+"
    rf"(?P<clock>noon|midday|(?:{_CLOCK})(?<=:\d\d){_UT}|(?:{_CLOCK})\s*(?:UTC?|h)\b)(?:\s+on(?:wards?)?\b)?"
    rf"(?!{_JOINT}[\d]|[\w:-]|\s+{MONTH})"
)
"""A day with one end of the hours to draw: ``7 Sep 2017 until 09:00``."""
_ALONE = re.compile(
    rf"\b(?:from\s+|between\s+)?(?<![\d:.-])(?P<first>{_CLOCK}){_UT}{_JOINT}(?P<last>{_CLOCK})(?P<unit>{_UT})(?!\w|:\d)",
    re.IGNORECASE,
)
_WHOLE_DAY = re.compile(
    rf"(?P<date>{DATE}),?\s*\(?(?:(?:the\s+)?(?:all|whole|full|entire|one|1|single)\s+day(?:\s+long)?|24\s*-?\s*(?:h|hrs?|hours?))\b\)?"
    r"(?!\s+(?:before|after|around|prior|later|either|each|on\s+(?:either|both))\b)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"(?<!\bthe )\b(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,?\s+(?={DATE}|the\s+\d)",
    re.IGNORECASE,
)
_OF_YEAR = re.compile(
    rf"(?P<date>{DATE}),?\s*\(\s*(?:day(?:\s+of\s+year)?|doy)\s*(?P<day>\d{{1,3}})\s*\)", re.IGNORECASE
)
_OF_MONTH = re.compile(
    rf"\b(?:the\s+)?(?P<part>early|mid|middle\s+of|late|beginning\s+of|start\s+of|end\s+of|(?P<half>first|second)\s+half\s+of"
    rf"|(?:first|last)\s+(?:(?P<count>\d{{1,2}}|two|three|four|five|seven|ten)\s+days?|week)\s+(?:of|in))"
    rf"[\s-]+(?P<month>{MONTH}\s*,?\s*{YEAR}|{YEAR}-\d{{2}}(?!-?\d))(?![\d-])",
    re.IGNORECASE,
)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "ten": 10}
_NOW = datetime(2000, 1, 1)


def with_plain_clocks(text: str, notes: list[str]) -> str:
    """Write pairs of times of day, and what says the length of a day or month, as helio's grammar has them.

    >>> with_plain_clocks("6 apr 2000 18-20h", []), with_plain_clocks("00-06 UT", [])
    ('2000-04-06T18:00 to 2000-04-06T20:00', '00:00 to 06:00')
    >>> with_plain_clocks("10 May 2005, 10 pm to 2 am", [])
    '2005-05-10T22:00 to 2005-05-11T02:00'
    >>> with_plain_clocks("10 May 2005 2:00 to 4:00 the next day", [])
    '2005-05-10T02:00 to 2005-05-11T04:00'
    >>> with_plain_clocks("2005-05-10 12 to 2005-05-11 18", [])
    '2005-05-10T12:00 to 2005-05-11T18:00'
    >>> with_plain_clocks("mid-May 2005", [])
    '2005-05-11 to 2005-05-21'

    Parameters
    ----------
    notes : list of str
        Takes a note for each range that words such as ``early`` leave open.
    """
    text = _WEEKDAY.sub("", text)
    text = _OF_YEAR.sub(_of_year, text)
    text = _OF_MONTH.sub(lambda match: _of_month(match, notes), text)
    for pattern, written in (
        (_BARE_HOURS, _of_two_days),
        (_WHOLE_DAY, lambda match: match["date"]),
        (_BEFORE_DATE, lambda match: f"{match['date']} {match['first']}{match['last']}"),
        (_AFTER_DATE, _after_date),
        (_OPEN, _open),
        (_ALONE, _alone),
    ):
        text = pattern.sub(written, text)
    return text


def with_hours_of_days(text: str) -> str:
    """Write the hours behind a date as a range of times, unless they are marks.

    >>> with_hours_of_days("17 mar 2015 from 0300 to 0500, green")
    '2015-03-17T03:00 to 2015-03-17T05:00, green'
    >>> with_hours_of_days("lines on 2024-05-10 at 17:05 and 20:30")
    'lines on 2024-05-10 at 17:05 and 20:30'
    """
    text = _BETWEEN_DATES.sub("to ", text)
    return _AFTER_DATE.sub(
        lambda match: match[0] if _OF_MARKS.search(text[: match.start()]) else _after_date(match), text
    )


def _after_date(match: re.Match[str]) -> str:
    """Write two times of the date before them; a range that ends earlier than it starts ends on the next day."""
    day = _day(match["date"])
    first, last = _minutes(match["first"], match["last"]), _minutes(match["last"], match["last"], last=True)
    if day is None or first is None or last is None or first == last:
        return match[0]
    return _written(day, first, last + (24 * 60 if last < first or match["later"] else 0))


def _of_two_days(match: re.Match[str]) -> str:
    """Write two dates with an hour each as a range of times."""
    first, last = _day(match["from"]), _day(match["to"])
    if first is None or last is None:
        return match[0]
    return _written(first, 60 * int(match["first"]), 60 * (24 * (last - first).days + int(match["last"])))


def _open(match: re.Match[str]) -> str:
    """Write the hours of a day from a time of day on, or up to it."""
    day = _day(match["date"])
    clock = _minutes(re.sub(r"\s*(?:UTC?|Z|hrs?|hours?|h)$", "", match["clock"], flags=re.IGNORECASE), "")
    if day is None or clock is None:
        return match[0]
    return _written(day, clock, 24 * 60) if match["from"] else _written(day, 0, clock)


def _alone(match: re.Match[str]) -> str:
    """Write two times of day whose date stands elsewhere; bare numbers are none, unless a unit follows them."""
    if not match["unit"].strip() and not ignoring_case(r"[ap]\.?m|noon|midday|midnight").search(match[0]):
        return match[0]
    first, last = _minutes(match["first"], match["last"]), _minutes(match["last"], match["last"], last=True)
    if first is None or last is None or first >= last:
        return match[0]
    return f"{_clock(first)} to {_clock(last)}"


def _of_year(match: re.Match[str]) -> str:
    """Leave out the day of the year beside its date, if both are the same day."""
    day = _day(match["date"])
    return match["date"] if day is not None and day.timetuple().tm_yday == int(match["day"]) else match[0]


def _of_month(match: re.Match[str], notes: list[str]) -> str:
    """Write a part of a month: of ``early``, ``mid`` and ``late`` the ten days, with a note."""
    span = parse_time_range(re.sub(r"(?<=[a-z.])[\s,]*(?=\d)", " ", match["month"]), _NOW)
    part, length = match["part"].casefold(), (span.stop - span.start).days
    count = int(_COUNTS.get(match["count"].lower()) or match["count"]) if match["count"] else 7
    if match["half"]:
        days = (0, 15) if part.startswith("first") else (15, length)
    elif part.startswith("first"):
        days = (0, count)
    elif part.startswith("last"):
        days = (length - count, length)
    elif part.startswith("mid"):
        days = (10, 20)
    else:
        days = (20, length) if part[:3] in ("lat", "end") else (0, 10)
    first, stop = (span.start + timedelta(days=count) for count in days)
    if not part.startswith(("first", "second", "last")):
        notes.append(f"helio reads '{match[0]}' as {first:%Y-%m-%d} to {stop:%Y-%m-%d}")
    return f"{first:%Y-%m-%d} to {stop:%Y-%m-%d}"


def _day(text: str) -> date | None:
    span = time_range_or_none(text, _NOW)
    return span.start.date() if span and span.is_day else None


def _minutes(text: str, other: str, *, last: bool = False) -> int | None:
    """Return the minutes of a time of day; a bare hour takes ``am`` or ``pm`` of the other time."""
    plain = text.casefold().replace(" ", "")
    if plain in ("noon", "midday", "midnight"):
        return 24 * 60 * last if plain == "midnight" else 12 * 60
    half = re.search(r"([ap])\.?m", plain) or re.search(r"([ap])\.?m", other.casefold())
    numbers = re.fullmatch(r"(\d{1,2})(?:[:.h]?(\d{2}))?(?::00)?", re.sub(r"[ap]\.?m\.?$", "", plain))
    if numbers is None:
        return None
    hour, minute = int(numbers[1]), int(numbers[2] or 0)
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    return hour * 60 + minute if minute < 60 and hour * 60 + minute <= 24 * 60 else None


def _written(day: date, first: int, last: int) -> str:
    midnight = datetime(day.year, day.month, day.day)
    return " to ".join(f"{midnight + timedelta(minutes=count):%Y-%m-%dT%H:%M}" for count in (first, last))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
