"""Write times that count from today, such as ``last Tuesday`` and ``since January``, with their dates."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial

from helio.authoring.rules.times.clocks import DATE
from helio.authoring.rules.times.date_pairs import MONTH, MONTHS, YEAR
from helio.patterns import ignoring_case

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?:{'|'.join(_WEEKDAYS)})\b(?!,?\s+(?:{DATE}|the\s+\d|(?:of|in)\s+{MONTH}))"
_NOT_ONE = "".join(
    rf"(?<!\b{word} )" for word in ("every", "each", "next", "first", "second", "third", "fourth")
)
_JOINT = r"\s*(?:-|–|\bto\b|\buntil\b|\btill\b|\bthrough\b)\s*"
_DAYS = ignoring_case(
    rf"\b(?:on\s+)?(?:(?:last|past|this|previous)\s+)?{_NOT_ONE}(?P<first>{_WEEKDAY})(?:{_JOINT}(?P<last>{_WEEKDAY}))?"
    r"(?P<week>\s+(?:of\s+)?(?:the\s+)?(?:last|previous)\s+week\b)?"
)
_MONTH_WITHOUT_YEAR = ignoring_case(
    rf"\b(?P<led>since|last)\s+(?P<day>\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?P<month>{MONTH})(?P<after>\s+\d{{1,2}}(?:st|nd|rd|th)?)?"
    rf"(?!\w|,?\s*{YEAR}|,?\s+\d)"
)
_ROTATIONS = ignoring_case(
    r"\b(?:last|past|previous)\s+(?:(?P<count>\d|two|three|four|five|six)\s+)?(?:solar|bartels)\s+rotations?\b"
)
_SYNONYMS = (
    (ignoring_case(r"\ba\s+couple\s+of\b|\bcouple\s+of\b"), "2"),
    (ignoring_case(r"\bso\s+far\s+(?=today\b|this\s+(?:week|month|year)\b)"), ""),
    (ignoring_case(r"(?P<kept>\btoday|\bthis\s+(?:week|month|year))\s+so\s+far\b"), r"\g<kept>"),
    (ignoring_case(r"\b(?:the\s+)?(?P<unit>week|month|year)[\s-]+to[\s-]+date\b"), r"this \g<unit>"),
    (
        ignoring_case(r"(?<!last )\b(?P<length>\d+ ?(?:h|hours?|days?|weeks?))\s+(?:up to|until) now\b"),
        r"last \g<length>",
    ),
)
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_UNCLEAR = ignoring_case(r"\b(?:this\s+(?:morning|afternoon|evening)|tonight|last\s+night|overnight)\b")
_ROTATION_DAYS = 27


def with_times_from_now(text: str, now: datetime, notes: list[str]) -> str:
    """Replace weekdays, months without a year and solar rotations by dates; note each.

    >>> now = datetime(2026, 2, 10, 12)
    >>> with_times_from_now("Bz for last Friday", now, [])
    'Bz for 2026-02-06'
    >>> with_times_from_now("Kp since January", now, []), with_times_from_now("Kp so far this year", now, [])
    ('Kp since 2026-01-01', 'Kp this year')
    """
    for pattern, written in _SYNONYMS:
        text = pattern.sub(written, text)
    for pattern, read in ((_DAYS, _days), (_MONTH_WITHOUT_YEAR, _month), (_ROTATIONS, _rotations)):
        text = pattern.sub(partial(_noted, read=read, today=now.date(), notes=notes), text)
    return text


def part_of_today(text: str) -> str:
    """Return the words for a part of today in a text, such as ``this morning``; empty if there are none."""
    match = _UNCLEAR.search(text)
    return match[0] if match else ""


def _noted(
    match: re.Match[str], *, read: Callable[[re.Match[str], date], str], today: date, notes: list[str]
) -> str:
    written = read(match, today)
    notes.append(f"helio reads '{match[0].strip()}' as {written.removeprefix('since ')}")
    return written


def _days(match: re.Match[str], today: date) -> str:
    last = _weekday(match["last"] or match["first"], today, of_last_week=bool(match["week"]))
    if not match["last"]:
        return f"{last}"
    back = (last.weekday() - _WEEKDAYS.index(match["first"].lower())) % 7
    return f"{last - timedelta(days=back)} through {last}"


def _weekday(name: str, today: date, *, of_last_week: bool) -> date:
    """Return the last such day before today, or that of the last calendar week."""
    number = _WEEKDAYS.index(name.lower())
    if of_last_week:
        return today - timedelta(days=today.weekday() + 7 - number)
    return today - timedelta(days=(today.weekday() - number) % 7 or 7)


def _month(match: re.Match[str], today: date) -> str:
    number = MONTHS.index(match["month"][:3].lower()) + 1
    named = re.search(r"\d+", f"{match['day'] or ''}{match['after'] or ''}")
    day = int(named[0]) if named else 1
    year = today.year - ((number, day) > (today.month, today.day))
    if match["led"].lower() == "since":
        return f"since {year}-{number:02d}-{day:02d}"
    return f"{year}-{number:02d}-{day:02d}" if named else f"{year}-{number:02d}"


def _rotations(match: re.Match[str], _: date) -> str:
    written = match["count"] or "1"
    count = COUNTS.get(written.lower()) or int(written)
    return f"last {_ROTATION_DAYS * count} days"
