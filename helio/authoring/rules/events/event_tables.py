"""Read requests for a table of events: of storms, or of the intervals in which a series meets a condition."""

from __future__ import annotations

import re

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Events, EventTable
from helio.authoring.rules.computations.conditions import LASTING, LEVEL, SIGN, VERB, sign_of, unit_of
from helio.authoring.rules.events.storms import STORMS, storm_phases, threshold_in
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import duration_in
from helio.patterns import ignoring_case

_ASKED = (
    r"^(?:(?:please|can|could|you|give|make|show|get|save|export|write|create|produce|find|print|i|want|need|me|us"
    r"|an?|the)\s+)*"
)
_TABLE = r"(?:list(?:ing)?|table|catalog(?:ue)?|(?:csv|text)(?:\s+(?:file|table|list))?|times?|dates?)(?:\s*\(\w+\))?"
_STORMS = (
    rf"(?:(?P<class>{'|'.join(STORMS)}|major)\s+)?(?:(?:geomagnetic|magnetic)\s+)?"
    r"(?:super-?)?storms?\b"
)
_LEAST = r"(?:minim(?:um|a|al)|min\.?|lowest|peak|smallest|depth)"
_SAVED = (
    r",?\s*\b(?:and|then)\s+(?:then\s+)?(?:save|write|export|list)\s+(?:them|(?:the|their)\s+(?:minima|(?P<onsets>onsets)|list|dates))"
    rf"(?P<as>\s+(?:(?:as|to|in|into)\s+)?(?:an?\s+)?(?:{_TABLE}))?"
)
_FORMS = (
    rf"{_ASKED}{_TABLE}\s+(?:of|with|for)\s+(?:(?:all|the|every|each)\s+)*(?P<give>onsets?\s+of\s+|minima\s+of\s+)?{_STORMS}",
    rf"{_ASKED}(?:(?P<form>csv)\s+(?:of|with)\s+)?(?:the\s+)?{_LEAST}\s+(?:value\s+)?(?:of\s+)?(?:the\s+)?(?P<index>Dst|SYM-?H)"
    rf"\s+(?:of|in|for|during|at)\s+(?:(?:all|the|every|each)\s+)+{_STORMS}",
    rf"{_ASKED}list\s+(?:(?:all|the|every)\s+)*{_STORMS}",
    rf"{_ASKED}(?:(?:all|the|every)\s+)*{_STORMS}(?=[^:;.]*{_SAVED})",
    rf"^(?:(?:all|the)\s+)*{_STORMS}(?<=s)(?=[^:]*\b{_TABLE}[^:]*$)",
)
_HEADING = (
    r"(?P<index>Dst|SYM-?H)\s+(?P<when>(?:of|in|for|from|during)\s+[^.;]+)[.;]\s+"
    r"(?=(?:please\s+)?(?:find|list|give)\b)"
)
"""The index and its time in a sentence of their own, before the wish for the storms in it."""
_LIMIT = (
    r"(?:,?\s*(?:with|where|having|(?:for|in)\s+which|whose|reaching|of|that\s+(?:reach(?:ed)?|have)|\()*\s*(?:an?\s+|the\s+)?"
    r"(?:(?:minim(?:um|al)|min\.?|peak)\s+)?(?P<index>Dst|SYM-?H)?(?:\s+(?:index|minim(?:um|a)|min\.?|values?))*"
    r"\s*(?:is\s+|was\s+|were\s+|went\s+|gets\s+)*(?:below|under|less\s+than|lower\s+than|(?:down\s+)?to|<=?|≤|reach(?:ing|ed)?|of\s+at\s+least|exceeding"
    r"|stronger\s+than|deeper\s+than)\s*(?P<limit>[-−]\s?\d{2,3})\s*(?:nT)?(?:\s+or\s+(?:less|lower|below|deeper|more|stronger))?\)?)"
)
_USUAL = -50
"""Dst of a storm in nT, if the request names no limit (Gonzalez et al. 1994)."""
_ASKED_INTERVALS = (
    r"^(?:(?:please|can|could|you|give|make|show|get|save|export|write|create|produce|find|print|list|determine|i|want"
    r"|need|me|us|out|an?|the|all|any|every|each|of|with|table|csv|catalog(?:ue)?)\s+)*"
)
_NOUN = (
    r"(?:(?P<starts>(?:start(?:ing)?|onset|begin(?:ning)?)(?:\s+times?|s)?)(?:\s+of\s+(?:(?:all|the)\s+)*(?:intervals|periods|times|events))?"
    r"|(?:time\s+)?(?:intervals?|periods?|stretch(?:es)?|spans?)|times|events?)"
)
_WHICH = r"(?:when(?:ever)?|where|with|of|that\s+have|(?:in|during|at|for|on)\s+which|while|having)"
_INTERVALS = (
    rf"{_ASKED_INTERVALS}(?:{_NOUN}[\s,\x01]+{_WHICH}|(?:when(?:ever)?|how\s+(?:often|many\s+times))(?:\s+(?:did|does|was|were|is|has))?)"
    rf"\s+(?:the\s+)?(?P<what>[^,;\x01<>≤≥]*?[\w|)])\s+{VERB}(?P<sign>{SIGN})\s*{LEVEL}"
)
_CALENDAR = (
    rf"{_ASKED_INTERVALS}(?P<noun>hours|days|dates|months|years|minutes)\s+{_WHICH}\s+[^,;]*?\s+{VERB}(?:{SIGN})"
    rf"\s*{LEVEL}"
)

_LINES = (
    "each line of the table is an interval: the time and the value of its extreme, and the minutes "
    "from its start to the extreme and from the extreme to its stop"
)


def is_table(text: str) -> bool:
    """Return whether a sentence asks for a table of storms, flares or intervals, which is no question."""
    is_of_flares = ignoring_case(rf"{_ASKED}{_TABLE}\s+of\s+(?:\w+\s+){{0,4}}flares\b").match(text)
    return is_of_flares is not None or read_event_table(text)[1] is not None


def read_event_table(text: str) -> tuple[str, EventTable | None]:
    """Read a request for a table of storms or of intervals; return the rest as a plain request for the series."""
    rest, storms = read_storm_table(text)
    return (rest, storms) if storms else read_condition_table(text)


def read_storm_table(text: str) -> tuple[str, EventTable | None]:
    """Read a request for a table of storms; return the rest as a plain request for the index.

    >>> rest, storms = read_storm_table("list of geomagnetic storms with Dst below -100 nT in 2023, as CSV")
    >>> rest, dict(storms.events.args)["threshold"]
    ('Dst in 2023, as CSV', -100)
    """
    heading = ignoring_case(_HEADING).match(text)
    sentence = Sentence(f"{text[heading.end() :]}, {heading['when']}" if heading else text)
    match = next(filter(None, (sentence.take_first(form) for form in _FORMS)), None)
    if match is None:
        return text, None
    groups = match.groupdict()
    saved = sentence.take_first(_SAVED)
    limit = sentence.take_first(_LIMIT)
    named = groups.get("index") or (limit and limit["index"]) or (heading and heading["index"]) or ""
    index = "SYM-H" if named.lower().startswith("sym") else "Dst"
    notes: list[str] = []
    if limit:
        threshold = int(re.sub(r"\s", "", limit["limit"]).replace("−", "-"))
    else:
        threshold = threshold_in(groups.get("class") or "") or _USUAL
        kind = f"{groups['class']} storm" if groups.get("class") else "storm"
        notes.append(f"a {kind} reaches {threshold} nT, because the request names no limit")
    given = groups.get("give") or (saved and saved["onsets"]) or ""
    give = "onset" if given.lower().startswith("onset") else "minimum"
    return f"{index} {sentence.rest()}", EventTable(storm_phases(index, threshold, give), notes=tuple(notes))


def read_condition_table(text: str) -> tuple[str, EventTable | None]:
    """Read a request for a table of intervals; return the rest as a plain request for the series.

    >>> rest, table = read_condition_table("intervals with OMNI Bz < -10 nT for more than 1 h, May 2024, as csv")
    >>> rest, dict(table.events.args)
    ('OMNI Bz , May 2024, as csv', {'when': '< -10 nT', 'lasting': '1h'})

    Raises
    ------
    NotUnderstood
        The request is for whole hours or days, which no tool lists.
    """
    sentence = Sentence(text)
    lasting = sentence.take_first(LASTING)
    match = sentence.take_first(_INTERVALS)
    if match is None:
        if calendar := Sentence(text).take_first(_CALENDAR):
            raise NotUnderstood(
                f"helio lists intervals, not {calendar['noun'].lower()}",
                advice="write 'intervals when …', which gives the extreme value and the duration of each interval",
            )
        return text, None
    level = re.sub(r"\s", "", match["level"]).replace("−", "-")
    args = {"when": f"{sign_of(match['sign'])} {level} {unit_of(match['unit'] or '')}".strip()}
    if lasting:
        args["lasting"] = duration_in(lasting)
    events = Events("intervals", "alert", tuple(args.items()), f"Find intervals {args['when']}")
    if match["starts"]:
        table = EventTable(events, ("start",))
    else:
        table = EventTable(events, ("extreme", "durations"), (_LINES,))
    return f"{match['what']} {sentence.rest()}", table
