"""Read requests for series superposed around geomagnetic storms, which helio finds in Dst or SYM-H."""

from __future__ import annotations

import re

from helio.authoring.request import Epochs, Events
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import (
    duration_in,
    duration_pattern,
    duration_range_in,
    duration_range_pattern,
)
from helio.patterns import ignoring_case

STORMS = {
    "super": -250, "great": -250, "severe": -250, "intense": -100, "strong": -100, "moderate": -50, "weak": -30,
}  # fmt: skip
"""Smallest values of Dst of the classes of storms, in nT (Loewe and Proelss 1997)."""
_EVENT = (
    r"(?:(?:the|all|every|each|of|in|with|an?|their|geomagnetic|magnetic|intense|moderate|strong|major|great|severe|storms?['’]?"
    r"|storm-?time|super-?storms?|minim(?:a|um)|min|peaks?|main|phases?|onsets?|starts?|beginnings?|Dst|SYM-?H|index|reaching"
    r"|exceeding|below|under|deeper|stronger|larger|greater|less|lower|more|than|down\s+to|<=?|≤|(?<![\w-])[-−]?\d{2,3}\s*nT"
    r"|(?<![\w-])[-−]\d{2,3}(?![\w-]))(?![\w-])\s*)+"
)
_NOUN = r"(?:the\s+)?(?:\w+\s+)?(?:dst|sym-?h|storms?|minim|onsets?)"
SUPERPOSED = (
    r"\b(?:(?:plot|show|draw|make|do|compute)\s+)?(?:an?\s+|the\s+)?"
    r"(?:(?:superposed[- ]epochs?|(?:epoch[- ])?superposition|(?-i:SEA))(?:\s+(?:analysis|plot|figure|study))?"
    r"(?:\s*:|\s+(?:of|for)\b)?|superpos(?:e|ing))\s+(?:the\s+)?"
)
_BEGIN = (
    rf"{SUPERPOSED}(?P<what>[^;:]+?)\s+(?:around|at|about|for|over|on|during|relative\s+to|cent(?:er|r)ed\s+(?:on|at)"
    rf"|with\s+(?:the\s+)?zero[- ](?:epoch|time)s?\s+at)\s+(?P<events>{_EVENT})"
)
_USUAL_LINES = (
    r",?\s*\b(?:(?:with|showing|show|and|draw|plot|as|give)\s+)*(?:the\s+|its\s+)?medians?\s*(?:,|and|&|\+|with)\s*(?:the\s+)?"
    r"(?:lower\s+and\s+upper\s+|upper\s+and\s+lower\s+)?(?:quartiles?|interquartile\s+range|25\s*(?:%|th)?\s*(?:and|/|-)\s*75\s*(?:%|th)?"
    r"(?:\s+percentiles?)?)(?:\s+(?:band|range))?\b"
)
"""The lines that a superposed epoch has anyway: the median and the quartiles."""
_NOUNS = r"(?:zero\s+)?(?:times?|minim(?:a|um)|onsets?|shocks?|events?)(?:\s+times?)?"
_ZERO = rf"(?:\s+(?:of\s+)?(?:them|it|each|(?:the\s+)?{_NOUNS}))?"
_WINDOW = r"(?:\b(?:(?:with|in|using)\s+)?(?:an?\s+|the\s+)?(?:time\s+)?window\s*(?:of\b|[:=])?\s*)?"
_SPAN = (
    rf"(?:[,;]?\s*[(]?{_WINDOW}\b(?:from\s+|for\s+|between\s+)?{duration_pattern('1')}\s+(?:before|prior)\s*(?:,|to|and|until|through)?\s*"
    rf"{duration_pattern('2')}\s+after{_ZERO}[)]?)"
)
_YEARS_FIRST = (
    r"\b(storms)(\s+(?:in|of|from|during)\s+\d{4}(?:\s*(?:-|–|to)\s*\d{4})?)"
    r"(\s+(?:with|below|under|reaching|stronger|deeper)\b[^,;]*)"
)
_AROUND = (
    rf"(?:,?\s*{_WINDOW}(?:±|\+/-|\+-|plus\s+(?:or\s+|/\s*)?minus|within)\s*{duration_pattern('1')}{_ZERO}"
    rf"|,?\s*{_WINDOW}{duration_pattern('2')}\s+(?:(?:on|at|to)\s+)?(?:either|each|both)\s+sides?(?:\s+of\b{_ZERO})?"
    rf"|,?\s*{duration_pattern('3')}\s+before\s+and\s+after{_ZERO})"
)
_SIGNED = rf",?\s*{_WINDOW}(?:from\s+)?[-−]{duration_range_pattern()}"
BINS = (
    r"(?:,?\s*(?:and\s+)?(?:(?:with|in|using)\s+)?"
    rf"(?:bins\s+of\s+{duration_pattern('1')}|{duration_pattern('2')}[\s-]*bins?))"
)
_STORMS_APART = (
    r",?\s*\b(?:for\s+|of\s+|during\s+)?(?:all\s+|the\s+)*(?P<kind>super|great|severe|intense|strong|moderate|weak)?\s*"
    r"storms?\b(?:\s+(?:of|below|under|reaching|with|deeper\s+than|stronger\s+than))?(?:\s+(?:Dst|SYM-?H))?\s*(?:<=?|≤)?\s*"
    r"(?P<limit>[-−]\d{2,3}\s*nT)?(?:\s+or\s+(?:less|lower|below|stronger))?"
)
"""Storms that stand apart from ``superposed epoch of``."""
_ZERO_APART = (
    r",?\s*\b(?:with\s+)?(?:the\s+)?(?:zero[- ](?:epoch|time)s?(?:\s*[=:]\s*|\s+(?:is|at|on)\s+)(?:the\s+)?"
    r"(?:Dst\s+|SYM-?H\s+|storm\s+)?(?P<at>minim(?:um|a)|onsets?)"
    r"|(?:Dst\s+|SYM-?H\s+|storm\s+)?(?P<of>minim(?:um|a)|onsets?)\s+as\s+(?:the\s+)?zero[- ](?:epoch|time)s?)"
)
"""The zero time that stands apart: ``zero time = minimum``."""
_USUAL = (-50, "2d", "4d", "1h")
"""Threshold of a storm in nT, time before and after, and length of the bins."""


def storm_phases(index: str, threshold: int, give: str) -> Events:
    """Return the minima or the onsets of storms."""
    args = (("threshold", threshold), ("give", give))
    return Events("storms", "storm_phases", args, f"Find storms that reach {threshold} nT", of=index)


def read_storms(text: str) -> tuple[str, Epochs | None]:
    """Read ``superposed epoch of Bz around the minima of storms below -100 nT``; return the rest as a plain request.

    >>> rest, storms = read_storms("superposed epoch of Vsw around storm onsets, 2000 to 2004")
    >>> rest, dict(storms.events.args)
    ('hourly Vsw, Dst , 2000 to 2004', {'threshold': -50, 'give': 'onset'})
    """
    sentence = Sentence(_with_window_last(_with_events_named_once(without_usual_lines(text))))
    match = sentence.take_first(_BEGIN)
    if match is None or not ignoring_case(r"storm|minim|onset").search(match["events"]):
        return text, None
    events, what = match["events"], match["what"]
    notes = []
    index = "SYM-H" if ignoring_case(r"sym-?h").search(events if "Dst" in text else text) else "Dst"
    drawn = ignoring_case(rf"\b{index.replace('-', '-?')}\b").search(what) is not None
    threshold = threshold_in(events)
    if not threshold:
        threshold = _USUAL[0]
        notes.append(f"a storm reaches {threshold} nT, because the request names no limit")
    give = "onset" if ignoring_case(r"onset|start|beginning").search(events) else "minimum"
    before, after = window_of(sentence)
    if not before:
        before, after = _USUAL[1:3]
        notes.append(f"superposed from {before} before to {after} after, because the request does not say")
    bins = sentence.take_first(BINS)
    paced = ignoring_case(r"\bhourly\b|\d[\s-]*(?:min|s|h)\w*\b").search(what + sentence.rest())
    if not paced:
        notes.append("the series are hourly, or averaged to 1 h, because the request names no cadence")
    rest = f"{'' if paced else 'hourly '}{what}{'' if drawn else f', {index}'} {sentence.rest()}"
    return rest, Epochs(
        storm_phases(index, threshold, give),
        before,
        after,
        duration_in(bins, "1", "2") if bins else _USUAL[3],
        f"the storms of {threshold} nT or less",
        drawn,
        tuple(notes),
    )


def _with_events_named_once(text: str) -> str:
    """Write storms and zero times that stand apart as ``around the minima of storms``.

    >>> _with_events_named_once("superposed epoch of Vsw, storms of -100 nT or less, 2004, zero time = minimum")
    'superposed epoch of Vsw around the minimum of storms of -100 nT, 2004'
    """
    begin = ignoring_case(SUPERPOSED).match(text)
    storms, zero = ignoring_case(_STORMS_APART).search(text), ignoring_case(_ZERO_APART).search(text)
    if (
        begin is None
        or storms is None
        or (zero is None and ignoring_case(_BEGIN).search(_with_window_last(text)))
    ):
        return text
    at = (zero["at"] or zero["of"]).casefold() if zero else "minima"
    for gone in sorted(filter(None, (storms, zero)), key=lambda match: -match.start()):
        text = text[: gone.start()] + text[gone.end() :]
    limit = f" of {storms['limit']}" if storms["limit"] else ""
    what = re.match(
        r"[^;:]+?(?=\s*(?:,(?=\s*(?:$|[\d±+-]|from\b|in\b))|[;:]|$|\s(?:in|from|during)\s+\d))",
        text[begin.end() :],
    )
    stop = begin.end() + (what.end() if what else 0)
    kind = f"{storms['kind']} " if storms["kind"] else ""
    return f"{text[:stop].rstrip()} around the {at} of {kind}storms{limit}{text[stop:]}"


def _with_window_last(text: str) -> str:
    """Write ``2 days before to 3 days after the storms`` as ``around the storms, 2 days before to 3 days after``.

    The years of the storms come last, too.

    >>> _with_window_last("superposed epoch of Vsw, 2 days before to 3 days after Dst minima of storms, 2004")
    'superposed epoch of Vsw around Dst minima of storms, 2 days before to 3 days after , 2004'
    """
    first, second = duration_pattern("1"), duration_pattern("2")
    span = rf"(?P<span>{first}\s+before\s+(?:to|and|until)\s+{second}\s+after)"
    text = ignoring_case(_YEARS_FIRST).sub(r"\1\3\2", text)
    begin = ignoring_case(_BEGIN).search(text)
    if begin and ignoring_case(r"storm|minim|onset").search(begin["events"]):
        return text
    pattern = rf",?\s*\b(?:from\s+|between\s+)?{span}\s+(?={_NOUN})(?P<events>{_EVENT})"
    return ignoring_case(pattern).sub(r" around \g<events>, \g<span> ", text, count=1)


def threshold_in(events: str) -> int:
    """Return the limit of storms that words give as a number or by a class; 0 if they give none."""
    number = re.search(r"[-−]?(\d{2,3})", events)
    if number:
        return -int(number[1])
    return next((limit for word, limit in STORMS.items() if word in events.lower()), 0)


def without_usual_lines(text: str) -> str:
    """Leave out that a superposed epoch shows the median and the quartiles, as it does anyway.

    >>> without_usual_lines("superposed epoch of Dst around T1 and T2, with median and quartiles")
    'superposed epoch of Dst around T1 and T2'
    """
    return ignoring_case(_USUAL_LINES).sub("", text) if ignoring_case(SUPERPOSED).search(text) else text


def window_of(sentence: Sentence) -> tuple[str, str]:
    """Return the time before and after the zero times; empty if the sentence does not give it."""
    if span := sentence.take_first(_SPAN):
        return duration_in(span, "1"), duration_in(span, "2")
    if signed := sentence.take_first(_SIGNED):
        return duration_range_in(signed)
    if around := sentence.take_first(_AROUND):
        return (duration_in(around, "1", "2", "3"),) * 2
    return "", ""
