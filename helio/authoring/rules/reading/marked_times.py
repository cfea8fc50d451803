"""Read the times that a request marks or shades: they lie in the time range of the figure, and are not that range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from helio.authoring.rules.changes.atom_reading import read_atoms
from helio.authoring.rules.changes.atoms import Atom
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.clocks import DATE, with_plain_clocks
from helio.authoring.rules.times.date_pairs import is_time, with_whole_dates
from helio.authoring.rules.times.dates import with_dates_of, with_plain_dates
from helio.patterns import ignoring_case
from helio.time_range import TimeRange, parse_time_range

_CLOCK = r"(?<![\d:.T-])\d{1,2}:\d{2}(?::\d{2})?(?:\s*(?:UTC?|Z)\b)?(?![\d:])"
_HOUR = r"\d{1,2}(?::\d{2})?\s*(?:UTC?|h)?"
_SPAN = rf"(?<![\d:.T-]){_HOUR}\s*(?:-|–|\bto\b|\buntil\b)\s*{_HOUR}(?![\w:-])"
_SHADED = r"shad(?:e|ed|ing)|highlight(?:ed|ing)?|gr[ae]y(?:ed)?\s+out"
_MARKED = (
    r"mark(?:s|ed|ing)?\b[^,;.]*?|(?:vertical|dashed|dotted|solid)\s+lines?\s+(?:at|on|for)\s+"
    r"|(?<!horizontal )lines?\s+at\s+(?:the\s+)?(?!\d)(?:[a-z]+\s+){1,3}(?:at\s+)?"
)
_PHRASE = re.compile(
    rf"\b(?:{_SHADED})\b[^,;.]*?{_SPAN}(?:\s+(?:on|of)\s+(?:the\s+)?\d[^,;]*)?"
    rf"|\b(?:{_MARKED})(?:{_SPAN}|{_CLOCK}(?P<more>\s*(?:,|,?\s*\band\b|&)\s*{_CLOCK})*)(?:\s+on\s+(?:the\s+)?(?:{DATE}|\d{{1,2}}(?:st|nd|rd|th)\b))?"
    rf"|(?P<behind>{_SPAN})\s*(?:(?:is|be|being|as)\s+)?\b(?:{_SHADED}|marked)\b",
    re.IGNORECASE,
)
"""Times of day that a phrase marks: ``shade 12-18 UT``, ``lines at 17:05 and 20:30``, ``17:00-20:00 shaded``."""
_OWN_DATE = re.compile(rf"{DATE}|(?<!\d)(?:19|20)\d{{2}}", re.IGNORECASE)
_AFTER_DATE = re.compile(rf"{DATE},?\s*$", re.IGNORECASE)


_AT_END = re.compile(rf"\s+on\s+(?:the\s+)?(?P<date>{DATE}.*)$", re.IGNORECASE)
"""The date of all times of a phrase: ``marks at 06:00 and 13:30 on 17 March 2015``."""


def with_marked_days(text: str, now: datetime) -> str:
    """Give the times of day that a phrase marks or shades the day of the sentence.

    >>> with_marked_days("ACE V 2005-05-15, shade 12-18 UT", datetime(2026, 1, 1))
    'ACE V 2005-05-15, shade 2005-05-15T12:00 to 2005-05-15T18:00'
    """
    times = Sentence(with_whole_dates(with_plain_dates(_PHRASE.sub(" ", text)))).take_times(now)
    for match in reversed(list(_PHRASE.finditer(text))):
        if match["behind"] and _AFTER_DATE.search(text[: match.start()]):
            continue
        phrase = match[0] if match["more"] else with_plain_clocks(match[0], [])
        if match["more"] and not times and (own := _AT_END.search(phrase)):
            dates = Sentence(with_plain_dates(own["date"])).take_times(now)
            if len(dates) == 1:
                phrase = _dated(phrase[: own.start()], parse_time_range(dates[0], now))
        if len(times) == 1:
            phrase = _dated(phrase, parse_time_range(times[0], now))
        text = f"{text[: match.start()]}{phrase}{text[match.end() :]}"
    return text


def _dated(phrase: str, span: TimeRange) -> str:
    """Complete the times of day in a phrase by their day in a time range, if it has no time of day twice."""
    phrase = with_dates_of(phrase, span.start.date(), span.stop.date())
    if span.stop - span.start > timedelta(days=1) or _OWN_DATE.search(phrase):
        return phrase
    phrase = ignoring_case(r"(?<=\d)\s*(?:UTC?|Z)\b").sub("", phrase)
    phrase = ignoring_case(r"(?<=\d)\s*(?:-|–|\buntil\b)\s*(?=\d)").sub(" to ", phrase)

    def dated(clock: re.Match[str]) -> str:
        written = _with_zero(clock[0])
        day = span.start + timedelta(days=written[:5] < f"{span.start:%H:%M}")
        return f"{day:%Y-%m-%d}T{written}"

    return re.sub(_CLOCK, dated, phrase)


def _with_zero(clock: str) -> str:
    return clock.zfill(len(clock) + (clock.index(":") == 1))


def without_time_range(parts: Sequence[Atom], now: datetime) -> list[Atom]:
    """Leave out a time at an end of a phrase that contains the times which the phrase marks: that of the figure."""
    kept = list(parts)
    for end in (0, -1):
        spans = [
            parse_time_range(part.text, now) for part in kept if part.kind == "time" and is_time(part.text)
        ]
        if len(spans) > 1 and kept[end].kind == "time":
            outer, *inner = spans if end == 0 else spans[::-1]
            if all(outer.start <= span.start and span.stop <= outer.stop for span in inner):
                kept.pop(end)
    return kept


def marked_days(looks: Sequence[str], times: Sequence[str], now: datetime) -> str:
    """Return the days that phrases about looks mark or shade, as a time range; empty if they name no date.

    Empty also if the request names another time range than those which it marks, `times`.

    >>> marked_days(("vertical line at 2005-05-15 02:10",), (), datetime(2026, 1, 1))
    '2005-05-15 to 2005-05-16'
    """
    marked = [
        atom.text for phrase in looks for atom in read_atoms(phrase, now) if atom.kind in ("time", "moment")
    ]
    spans = [
        parse_time_range(time, now) for time in marked if re.search(r"(?:19|20)\d{2}", time) and is_time(time)
    ]
    ends = {(span.start, span.stop) for span in spans}
    ranges = [parse_time_range(time, now) for time in times]
    if not spans or any((span.start, span.stop) not in ends for span in ranges):
        return ""
    start = min(span.start for span in spans)
    stop = max(span.stop for span in spans) - timedelta(microseconds=1)
    return f"{start:%Y-%m-%d} to {stop + timedelta(days=1):%Y-%m-%d}"
