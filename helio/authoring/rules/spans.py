"""Read how a sentence moves or extends a time range, as ``two more days after``."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.sentence import Sentence
from helio.time_range import parse_time_range

_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_LENGTH = (
    rf"(?P<count>\d+|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})[\s-]+(?:more\s+|extra\s+)?"
    r"(?P<unit>minute|hour|day|week)s?"
)
_RANGE = r"(?:\s+(?:it|this|the|plot|figure|time|range|interval|period|window|everything))*"
_SIDES = (
    r"before and after|on (?:both|each|either) sides?|after(?:wards)?|later|before|earlier"
    r"|at the (?:end|start|beginning)"
)
_EXTENDED = (
    rf"\b(?:make{_RANGE}\s+longer|extend(?:ed)?{_RANGE}|prolong{_RANGE}|add|show|include)\s*[,:]?\s*"
    rf"(?:by\s+)?{_LENGTH}(?:\s+more)?\s*(?P<side>{_SIDES})\b",
    rf"\b(?:make{_RANGE}\s+longer|extend{_RANGE}|prolong{_RANGE})\s*[,:]?\s*(?:by\s+)?{_LENGTH}(?P<side>)",
)
_SHIFTED = (
    rf"\b(?:shift|move){_RANGE}\s+(?:by\s+)?{_LENGTH}\s+(?P<side>later|earlier|forwards?|backwards?|back)\b"
)
_EDGE = rf"\b(?P<edge>start|begin|end|stop)(?:s|ing)?\s+{_LENGTH}\s+(?P<side>later|earlier)\b"
_RELATIVE = r"last|past|this|current|previous|today|yesterday|now|ago"


def moved_range(sentence: Sentence, default: str, now: datetime) -> str:
    """Return a time range as a sentence moves it, ``A to B``; an empty text if the sentence does not move it.

    Raises
    ------
    NotUnderstood
        The range follows the date of each run.
    """
    before, after = timedelta(), timedelta()
    for pattern in _EXTENDED:
        for match in sentence.take(pattern):
            length, side = _length(match), match["side"].lower()
            both = "both" in side or "each" in side or "either" in side or "before and" in side
            if both or side in ("before", "earlier") or "start" in side or "beginning" in side:
                before -= length
            if both or not (side in ("before", "earlier") or "start" in side or "beginning" in side):
                after += length
    for match in sentence.take(_SHIFTED):
        length = _length(match) * (1 if match["side"].lower() in ("later", "forward", "forwards") else -1)
        before, after = before + length, after + length
    for match in sentence.take(_EDGE):
        length = _length(match) * (1 if match["side"].lower() == "later" else -1)
        if match["edge"].lower() in ("start", "begin"):
            before += length
        else:
            after += length
    if not before and not after:
        return ""
    if re.search(rf"\b(?:{_RELATIVE})\b", default, re.IGNORECASE):
        raise NotUnderstood(
            f"'{default}' follows the date of each run, so helio cannot move it",
            advice="give the dates, as 'A to B'",
        )
    span = parse_time_range(default, now)
    start, stop = span.start + before, span.stop + after
    if start >= stop:
        raise NotUnderstood(f"nothing would be left of {span.text}", advice="give the dates, as 'A to B'")
    whole = all(moment.time() == datetime.min.time() for moment in (start, stop))
    form = "%Y-%m-%d" if whole else "%Y-%m-%dT%H:%M:%S"
    return f"{start:{form}} to {stop:{form}}"


def _length(match: re.Match[str]) -> timedelta:
    count = _NUMBERS.get(match["count"].lower()) or int(match["count"])
    return timedelta(**{f"{match['unit'].lower()}s": count})
