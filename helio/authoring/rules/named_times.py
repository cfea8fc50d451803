"""Write named events, Carrington rotations, halves of months and hours as plain time ranges in a sentence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.dates import with_plain_dates
from helio.errors import TimeRangeError
from helio.time_range import parse_time_range

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?\s+\d{4}|\d{4}-\d{2}(?!-?\d)"
_ROTATION = re.compile(r"\b(?:carrington\s+rotation|CR)\s*#?\s*(\d{3,4})\b", re.IGNORECASE)
_HALF = re.compile(rf"\b(?:the\s+)?(first|second)\s+half\s+of\s+({_MONTH})", re.IGNORECASE)
_HOURS = re.compile(
    r"\b(?:from\s+|between\s+)?(?<![\d:.-])(\d{1,2})(:\d{2})?\s*(?:UT|UTC|h)?\s*(?:-|–|to|until|and)\s*"
    r"(\d{1,2})(:\d{2})?\s*(?:UTC?|h)\b",
    re.IGNORECASE,
)
_JULIAN_DAY_OF_1970 = 2440587.5


@lru_cache(maxsize=1)
def events() -> Mapping[str, Mapping[str, Any]]:
    """Return the named events: their phrases, their time range, and the source that gives it."""
    text = Path(__file__).with_name("events.json").read_text(encoding="utf-8")
    return {event["name"]: event for event in json.loads(text)["events"]}


def with_plain_times(text: str, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Replace names of times by time ranges; return the new text and notes that give each range with its source.

    A name next to a time range is left out of the text: the range of the sentence counts.

    >>> with_plain_times("ACE Bz for the first half of March 2022", datetime(2026, 1, 1))[0]
    'ACE Bz for 2022-03-01 to 2022-03-16'

    Raises
    ------
    NotUnderstood
        The sentence gives the event another year.
    """
    notes: list[str] = []
    text = with_plain_dates(text)
    text = _HALF.sub(lambda match: _half(match, now), text)
    text = _HOURS.sub(_hours, text)
    text = _ROTATION.sub(lambda match: _rotation(match, notes), text)
    for name, event in events().items():
        spelt = "|".join(event["phrases"])
        year = event["start"][:4]
        named = rf"\b(?:the\s+)?(?:{year}\s+)?(?:{spelt})(?:\s*,?\s*(?:of\s+|in\s+)?{_when(event)})?(?![\w-])"
        match = re.search(named, text, re.IGNORECASE)
        if match is None:
            continue
        other = re.match(r"\s*,?\s*(?:of|in)?\s*(\d{4})\b(?!-)", text[match.end() :])
        if other:
            raise NotUnderstood(
                f"the {name} was on {event['start']}, not in {other[1]}", advice="give the dates"
            )
        rest = f"{text[: match.start()]}{text[match.end() :]}"
        if _has_time(rest):
            text = f"{text[: match.start()]}{text[match.end() :]}"
            continue
        span = f"{event['start']} to {event['stop']}"
        text = f"{text[: match.start()]}{span}{text[match.end() :]}"
        notes.append(f"the {name} is {span}: {event['source']}")
    return " ".join(text.replace("()", "").split()), tuple(notes)


def _when(event: Mapping[str, Any]) -> str:
    """Return a regular expression for the year, or month and year, of an event."""
    start = datetime.fromisoformat(event["start"])
    return rf"(?:{start:%b}[a-z]*\.?\s+)?{start:%Y}(?!-)"


def _has_time(text: str) -> bool:
    return re.search(r"\d{4}-\d{2}|\d{4}\d{4}|\b\d{4}\b|\b(?:last|yesterday|today)\b", text) is not None


def _half(match: re.Match[str], now: datetime) -> str:
    try:
        span = parse_time_range(match[2], now)
    except TimeRangeError:
        return match[0]
    middle = span.start + timedelta(days=15)
    start, stop = (span.start, middle) if match[1].lower() == "first" else (middle, span.stop)
    return f"{start:%Y-%m-%d} to {stop:%Y-%m-%d}"


def _hours(match: re.Match[str]) -> str:
    first, second = (f"{int(match[at]):02d}{match[at + 1] or ':00'}" for at in (1, 3))
    return f"{first} to {second}" if first < second and second <= "24:00" else match[0]


def _rotation(match: re.Match[str], notes: list[str]) -> str:
    number = int(match[1])
    start, stop = carrington_start(number), carrington_start(number + 1)
    span = f"{start:%Y-%m-%dT%H:%M} to {stop:%Y-%m-%dT%H:%M}"
    notes.append(f"Carrington rotation {number} is {span}, as seen from the Earth")
    return span


def carrington_start(number: int) -> datetime:
    """Return when a Carrington rotation begins, to a few minutes (Meeus, Astronomical Algorithms, chapter 29).

    >>> carrington_start(1699).strftime("%Y-%m-%d")
    '1980-08-29'
    """
    angle = math.radians(281.96 + 26.882476 * number)
    days = 2398140.2270 + 27.2752316 * number
    days += 0.1454 * math.sin(angle) - 0.0085 * math.sin(2 * angle) - 0.0141 * math.cos(2 * angle)
    start = datetime(1970, 1, 1) + timedelta(days=days - _JULIAN_DAY_OF_1970)
    return start.replace(second=0, microsecond=0)
