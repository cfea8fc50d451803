"""Read factors, signs and offsets, as ``multiplied by 4``, and series that take the times of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.authoring.rules.computations.conditions import (
    NAME,
    NUMBER,
    SMALL,
    UNIT,
    number_in,
    take_around,
    unit_of,
)
from helio.authoring.rules.computations.gap_filling import longest_gap, method_of_interpolation
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of
from helio.authoring.rules.reading.sentence import Sentence
from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

_WORDS = VOCABULARY["scalings"]
_MULTIPLY, _DIVIDE, _TWICE, _FLIP, _FLIPPED, _ADD, _SUBTRACT, _ALIGN, _TIMES = (
    rf"(?:{any_phrase(_WORDS[key])})"
    for key in ("multiply", "divide", "twice", "flip", "flipped", "add", "subtract", "align", "times")
)
_FACTOR = rf"(?P<factor>{NUMBER})(?![\w:/^.-]*[\w:^/]|\s*(?:{UNIT}|min\w*|h|hours?|s|days?)(?!\w))"
_BY = rf"(?:by|with)\s+(?:an?\s+|the\s+)?(?:factor\s+(?:of\s+)?)?{_FACTOR}"
_AMOUNT = rf"(?P<offset>{NUMBER})\s*(?P<unit>{UNIT})(?![\w/])"
_OF = rf"(?:\s+of\b)?\s+{SMALL}{NAME}"
_IN_BRACKETS = rf"(?:\s*\(\s*(?:with\s+)?(?:the\s+)?{_FLIPPED}\s*\))?"
_UNCHANGED = {"factor": 1.0, "offset": 0.0}
"""The arguments that leave values as they are."""
_FORMS = (
    # (what a number or nothing means, and the words)
    ("multiply", rf"\b{_MULTIPLY}\s+{SMALL}{NAME}{_BY}"),
    ("multiply", rf"\b(?:scaled\s+)?{_FACTOR}\s+times\s+{SMALL}{NAME}"),
    ("divide", rf"\b{_DIVIDE}\s+{SMALL}{NAME}{_BY}"),
    ("twice", rf"\b{_TWICE}\s+(?!as\s|{SMALL}(?:height|width|size|thickness)\b){SMALL}{NAME}"),
    ("flip", rf"\b{_FLIP}{_OF}"),
    ("flip", rf"(?:^|\b(?:plot|draw|show|and|with)\s+)minus\s+(?!\d){SMALL}{NAME}{_IN_BRACKETS}"),
    ("flip", rf"[,(]?\s*\b(?:with\s+)?(?:the\s+|its\s+)?{_FLIPPED}\b\)?"),
    ("add", rf"\b{_ADD}\s+(?:of\s+)?{_AMOUNT}(?:\s+(?:to|for|on|in)\s+{SMALL}{NAME})?"),
    ("subtract", rf"\b{_SUBTRACT}\s+{_AMOUNT}(?:\s+from\s+{SMALL}{NAME})?"),
)  # fmt: skip


def read_scalings(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``multiply the density by 4``, ``AE divided by 10``, ``sign of AL flipped`` and ``an offset of 20 nT``."""
    for kind, pattern in _FORMS:
        for match in list(ignoring_case(pattern).finditer(sentence.left)):
            if not sentence.is_unread(*match.span()):
                continue
            args = dict(_UNCHANGED)
            groups = match.groupdict()
            if kind in ("multiply", "divide"):
                number = number_in(match["factor"])
                args["factor"] = number if kind == "multiply" else 1 / number if number else 0.0
            elif kind in ("add", "subtract"):
                sign = 1 if kind == "add" else -1
                args["offset"] = sign * number_in(match["offset"])
            else:
                args["factor"] = {"twice": 2.0, "flip": -1.0}[kind]
            given = {name: value for name, value in args.items() if value != _UNCHANGED[name]}
            unit = {"unit": unit_of(match["unit"])} if groups.get("unit") else {}
            named = take_around(sentence, match)
            sentence.drop(rf"\(\s*(?:by\s+)?(?:a\s+)?factor\s+(?:of\s+)?{args['factor']:g}\s*\)")
            if given:
                yield replace(mention_of("rescale", match.start(), args=given | unit), named=named)


_ONTO = (
    r"\b(?:on(?:to)?|to|at|with)\s+(?:the\s+|an?\s+)?"
    rf"(?:(?P<of>(?:time\s+)?{_TIMES}\s+of\s+{SMALL}{NAME.replace('{0,3}?', '{0,3}')})"
    r"|(?!(?:an?|the|regular|common|same|new|hourly|daily|uniform|equal|single|coarser|finer|own)\b)"
    rf"{NAME.replace('?P<what>', '?P<other>')}(?:time\s+)?{_TIMES})\b"
)


def read_alignments(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``align Wind Bz to the ACE timestamps`` and ``density interpolated onto the times of the field``."""
    match = ignoring_case(rf"\b(?P<verb>{_ALIGN})\s+(?P<what_moves>[^.;]*?){_ONTO}").search(sentence.left)
    if match is None or not (match["what"] or match["other"]):
        return
    start, stop = match.span("what") if match["what"] else match.span("other")
    sentence.take_at(*match.span("verb"))
    sentence.take_at(match.end("what_moves"), start)
    sentence.take_at(stop, match.end())
    args = method_of_interpolation(sentence)
    if limit := longest_gap(sentence):
        args["limit"] = limit
    yield replace(mention_of("align", match.start(), args=args), named=(start, stop))
