"""Read requests for a table of the intervals in which a quantity meets a condition: ``intervals with Bz < -10 nT``."""

from __future__ import annotations

import re

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Events, EventTable
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.sentence import Sentence
from helio.knowledge.unit_spelling import canonical_unit

_SIGNS = {
    "<": r"<|below|under|beneath|(?:less|lower|smaller|weaker)\s+than",
    "<=": r"<=|≤|at\s+most",
    ">": r">|above|over|(?:more|greater|higher|larger|stronger|faster)\s+than|exceed(?:s|ed|ing)?",
    ">=": r">=|≥|at\s+least",
}
"""The words for each sign of a condition."""
_SIGN = "|".join(_SIGNS[sign] for sign in ("<=", ">=", "<", ">"))
_VERB = (
    r"(?:(?:is|was|are|were|be|been|has|had|did|does|it|falls?|fell|drops?|dropped|dips?|dipped|goes|went|gets|got|rises?"
    r"|rose|stays?|stayed|remains?|remained|reach(?:es|ed)?|values?)\s+)*"
)
_UNIT = r"nT|pT|km/s|km\s?s\^?-1|(?:/\s?|per\s+)(?:cm\^?3|cc)|cm\^?-3|#/cc|cc|MK|K|k?eV|MeV|nPa|mV/m|pfu|sfu"
_UNIT += "|degrees?|deg|%"
_LEVEL = rf"(?P<level>[-−+]?\s?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\d:/]|-\d)(?:\s*(?P<unit>{_UNIT})(?![\w/]))?"
_LEVEL += r"(?!\s*(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|h|min|s|d|samples|records|points|panels)\b)"
_ASKED = (
    r"^(?:(?:please|can|could|you|give|make|show|get|save|export|write|create|produce|find|print|list|determine|i|want"
    r"|need|me|us|out|an?|the|all|any|every|each|of|with|table|csv|catalog(?:ue)?)\s+)*"
)
_NOUN = (
    r"(?:(?P<starts>(?:start(?:ing)?|onset|begin(?:ning)?)(?:\s+times?|s)?)(?:\s+of\s+(?:(?:all|the)\s+)*(?:intervals|periods|times|events))?"
    r"|(?:time\s+)?(?:intervals?|periods?|stretch(?:es)?|spans?)|times|events?)"
)
_LASTING = (
    r",?\s*(?:\b(?:and|that|which|with|of|is|it)\s+)*(?:\b(?:lasting|last(?:s|ed)?|for|longer)\b\s*|\bduration\s*(?:of\s+)?|\bof(?=\s+at\s))"
    r"(?:for\s+)?(?:at\s+least|(?:(?:more|longer)\s+)?than|over|>=?|≥)\s*(?:an?\s+(?=\d))?"
    rf"{duration_pattern()}(?:\s+or\s+(?:more|longer))?"
)
_WHICH = r"(?:when(?:ever)?|where|with|of|that\s+have|(?:in|during|at|for|on)\s+which|while|having)"
_FORM = (
    rf"{_ASKED}(?:{_NOUN}[\s,\x1f]+{_WHICH}|(?:when(?:ever)?|how\s+(?:often|many\s+times))(?:\s+(?:did|does|was|were|is|has))?)"
    rf"\s+(?:the\s+)?(?P<what>[^,;\x1f<>≤≥]*?[\w|)])\s+{_VERB}(?P<sign>{_SIGN})\s*{_LEVEL}"
)
_CALENDAR = (
    rf"{_ASKED}(?P<noun>hours|days|dates|months|years|minutes)\s+{_WHICH}\s+[^,;]*?\s+{_VERB}(?:{_SIGN})"
    rf"\s*{_LEVEL}"
)

_LINES = (
    "each line of the table is an interval: the time and the value of its extreme, and the minutes "
    "from its start to the extreme and from the extreme to its stop"
)


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
    lasting = sentence.take_first(_LASTING)
    match = sentence.take_first(_FORM)
    if match is None:
        if calendar := Sentence(text).take_first(_CALENDAR):
            raise NotUnderstood(
                f"helio lists intervals, not {calendar['noun'].lower()}",
                advice="write 'intervals when …', which gives the extreme value and the duration of each interval",
            )
        return text, None
    sign = next(sign for sign, words in _SIGNS.items() if re.fullmatch(words, match["sign"], re.IGNORECASE))
    level = re.sub(r"\s", "", match["level"]).replace("−", "-")
    args = {"when": f"{sign} {level} {_unit(match['unit'] or '')}".strip()}
    if lasting:
        args["lasting"] = duration_in(lasting)
    events = Events("intervals", "alert", tuple(args.items()), f"Find intervals {args['when']}")
    if match["starts"]:
        table = EventTable(events, ("start",))
    else:
        table = EventTable(events, ("extreme", "durations"), (_LINES,))
    return f"{match['what']} {sentence.rest()}", table


def _unit(written: str) -> str:
    """Return a unit as templates write it.

    >>> _unit("/cc"), _unit("km/s")
    ('cm^-3', 'km/s')
    """
    if re.search(r"cc|cm", written, re.IGNORECASE):
        return "cm^-3"
    return canonical_unit(re.sub(r"(?i)degrees?", "deg", written))
