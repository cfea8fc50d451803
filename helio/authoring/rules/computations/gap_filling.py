"""Read which gaps to fill, and regular times to interpolate to: ``gaps up to 5 min filled``, ``to a 1 min grid``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS, duration_in, duration_pattern
from helio.patterns import ignoring_case

_DURATION = duration_pattern()
_FILL = r"(?:interpolat\w*|fill(?:s|ed|ing)?|bridg\w*)"
_GAPS = r"(?:(?:data\s+)?(?:gaps?|holes?)|missing\s+(?:values?|data|points?|records?|samples?))"
_SHORT = r"(?:(?:the|all|any|short|small|over|across|in|linearly)\s+)*"
_UP_TO = (
    r"(?:(?:of|up\s+to|at\s+most|(?:no|not)\s+(?:longer|more|larger)\s+than|(?:shorter|less|smaller)\s+than|below|under|<=?|≤)"
    rf"\s*)+{_DURATION}"
)
_LIMIT = rf"[,(]?\s*(?:\b(?:(?:and|with|for|only|if|{_GAPS}|{_FILL}|limit)\s+)+)?(?:are\s+|is\s+)?(?<![\w-]){_UP_TO}\)?"
_NOT_OVER = (
    rf"[,(]?\s*\b(?:but\s+)?(?:do\s+)?(?:not|no|never|don'?\s?t|without)\s+(?:{_FILL}\s+)?(?:over\s+|across\s+|of\s+)?"
    rf"(?:{_GAPS}\s*)?(?:(?:(?:longer|larger|more)\s+than|over|above|exceeding|>)\s*)+{_DURATION}\)?"
)
_FORMS = (
    rf"\b(?:linearly\s+)?{_FILL}\s+{_SHORT}{_GAPS}",
    rf"\b(?:with\s+)?{_SHORT}{_GAPS}(?P<behind>\s*\(?{_UP_TO}\)?)?\s+(?:(?:being|are|is)\s+)?(?:linearly\s+)?{_FILL}\b",
    r"\bgap[- ]?(?:fill(?:ed|ing)?|interpolated)\b",
    rf"\b(?:linearly\s+)?{_FILL}\s+{_SHORT}missing\s+(?P<name>[\w|.-]+)\s+(?:values?|data|points?|samples?|records?)\b",
)
_REGULAR = (
    rf"\b(?<!up )(?:on)?to\s+(?:an?\s+|the\s+)?(?:regular\s+)?(?:{_DURATION}|(?P<each>hourly|daily|minutely))"
    r"(?:[\s-]*(?:grid|epochs|cadence|steps|resolution|time\s?(?:tags|steps|grid)))?"
)
_NEAREST = r",?\s*\b(?:(?:by|with|using|to)\s+)?(?:the\s+)?nearest(?:[\s-]+neighbou?rs?)?\b"
_LINEAR = r",?\s*\b(?:by|with|using)\s+linear\s+interpolation\b|\blinearly\b|\blinear\s+interpolation\b"


def read_gap_filling(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read which gaps to fill, and regular times to interpolate to.

    Raises
    ------
    NotUnderstood
        The sentence does not say how long the gaps to fill may be.
    """
    regular = rf"(?P<out>\b(?:interpolat\w*|re-?grid(?:ded|ding)?))(?=[^.;]*?{_REGULAR})"
    if verb := sentence.take_first(regular):
        length = sentence.take_first(_REGULAR)
        assert length is not None
        cadence = INTERVALS.get((length["each"] or "").lower()) or duration_in(length)
        number, unit = re.findall(r"[\d.]+|[a-z]+", cadence)
        limit = longest_gap(sentence) or f"{3 * float(number):g}{unit}"
        yield mention_of(
            "interpolate", verb.start(), limit, {"cadence": cadence} | method_of_interpolation(sentence)
        )
    for pattern in _FORMS:
        match = ignoring_case(pattern).search(sentence.left)
        if match is None:
            continue
        groups = match.groupdict()
        named = match.span("name") if groups.get("name") else (match.end(), match.end())
        sentence.take_at(match.start(), named[0])
        sentence.take_at(named[1], match.end())
        limit = duration_in(match) if groups.get("behind") else longest_gap(sentence)
        if not limit:
            raise NotUnderstood(
                "helio fills gaps only up to a length that the request gives",
                advice="write 'gaps up to 5 min filled'",
            )
        yield replace(
            mention_of("interpolate", match.start(), limit, method_of_interpolation(sentence)), named=named
        )


def longest_gap(sentence: Sentence) -> str:
    """Return the longest gap to fill; empty if the sentence does not give it."""
    match = sentence.take_first(_NOT_OVER) or sentence.take_first(_LIMIT)
    return duration_in(match) if match else ""


def method_of_interpolation(sentence: Sentence) -> dict[str, str]:
    """Return the argument for the nearest value instead of a straight line, if the sentence asks for it."""
    method = {"method": "nearest"} if sentence.drop(_NEAREST) else {}
    sentence.drop(_LINEAR)
    return method
