"""Read how lines and panels should look: each colour, dash, width or scale belongs to the nearest name of a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from helio.authoring.request import Lines, Look, RequestQuantity
from helio.authoring.rules.atoms import SHADED, shaded
from helio.authoring.rules.sentence import Sentence
from helio.knowledge.vocabulary import VOCABULARY

COLOURS = "|".join(VOCABULARY["colours"])
_DASHES = VOCABULARY["dashes"]
_NUMBER = r"[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT = r"(?:nT|pT|km/s|m/s|K|MK|nPa|eV|keV|mV/m|R_E|deg|%|cm\^?-3|cm⁻³|/cc)"
_LIMITS = rf"(?P<low>{_NUMBER})\s*{_UNIT}?\s*(?:to|\.\.+|,|and|–|-)\s*(?P<high>{_NUMBER})"
_FROM = r"(?:(?:\s+|\b)(?:from|between|of|to|is|at|set|fixed|limited)|\s*[:=]|\s)*\s*[\[(]?\s*"
_RANGED = r"(?:y[- ]?)?(?:range|limits?|axis|scale|ylim)"
_WORDS: tuple[tuple[str, str, Callable[[re.Match[str]], Any]], ...] = (
    ("z", rf"\b(?:z[- ]?(?:axis|range|limits?|scale)?|colou?r[- ]?(?:axis|range|limits?|bar|scale))\s*{_FROM}{_LIMITS}",
     lambda match: _limits(match)),
    ("range", rf"\b{_RANGED}{_FROM}{_LIMITS}(?:\s*{_UNIT})?(?![\w:/-])[\])]?", lambda match: _limits(match)),
    ("range", r"\b(?:from|between|scaled?|limited|clipped|in the range)\s+(?:from\s+|to\s+|of\s+)?"
     rf"{_LIMITS}\s*{_UNIT}(?![\w:/-])", lambda match: _limits(match)),
    ("colorscale", r"\b(?:in\s+|with\s+|using\s+)?(?:the\s+)?(?:colou?r(?:\s*(?:map|scale))?\s+)?"
     r"(?P<scale>viridis|turbo|cividis|magma|inferno|jet|spedas|plasma(?=\s+colou?r))(?:\s+colou?r)?"
     r"(?:\s*(?:map|scale|s))?\b",
     lambda match: match["scale"].lower()),
    ("fill", r"\b(?:with\s+)?(?:the\s+)?(?:fill(?:ed)?|shad(?:e|ed|ing)|paint(?:ed)?)\s+(?:in\s+)?"
     r"(?P<before>(?:COLOURS)\s+)?(?:where|when|below|under)\s+(?:it\s+is\s+|Bz\s+is\s+)?"
     r"(?:negative|southward|0|zero)\b", lambda match: match["before"] or ""),
    ("fill", r"\b(?:negative|southward)(?:\s+(?:values|parts?|bz))?\s+(?:filled|shaded)\b", lambda match: ""),
    ("width", rf"\b(?:line\s*width|linewidth|width)\s*(?:of|=|:)?\s*(?P<width>{_NUMBER})"
     r"(?:\s*(?:px|pixels?|pt|points?))?\b", lambda match: float(match["width"])),
    ("width", rf"\b(?P<width>{_NUMBER})\s*(?:px|pixels?|pt|points?)(?:\s+(?:wide|thick))?\b",
     lambda match: float(match["width"])),
    ("width", r"\b(?:thick|bold)(?:er)?(?=\s+(?:\w+\s+)?lines?|\s*$|\s*[,;.]|\s+(?:COLOURS)\b)", lambda match: 2.5),
    ("width", r"\bthin(?:ner)?(?=\s+(?:\w+\s+)?lines?|\s*$|\s*[,;.]|\s+(?:COLOURS)\b)", lambda match: 0.8),
    ("dash", rf"\b(?:{'|'.join(sorted(_DASHES, key=len, reverse=True))})\b", lambda match: _DASHES[match[0].lower()]),
    ("mode", r"\b(?:as|with|using)\s+(?:dots|points|markers|circles|symbols)(?:\s+only)?\b", lambda match: "markers"),
    ("color", SHADED, shaded),
    ("color", rf"\b(?:{COLOURS})\b", lambda match: match[0].lower()),
    ("linear", r"\blinear(?:[- ](?:y[- ]?)?(?:scale|axis|axes))?\b(?! trend| fit)", lambda match: True),
    ("log", r"\b(?:semi-?)?log(?:arithmic(?:ally)?|10|-scaled?)?(?:[- ](?:y[- ]?)?(?:scales?|axis|axes|y|plot))?\b",
     lambda match: True),
)  # fmt: skip
"""Keys of looks, the words that set them, and the value that a match gives; words that come first are read first."""
_LINK = (
    r"\s*(?:-\s*)?(?:colou?red\s+)?(?:scales?|axis|axes|lines?|curves?|traces?)?\s*"
    r"(?P<link>(?:for|of|on)\s+)?(?:the\s+|an?\s+|both\s+)?"
)
_IN = re.compile(r"(?:\b(?:in|as|on|is|be|drawn|shown|should)\s+(?:an?\s+)?|[(:]\s*)+$", re.IGNORECASE)
_BREAK = re.compile(r",|;|\band\b|/|&|\.\s|\x1d", re.IGNORECASE)
_LISTED = re.compile(r"\s*[\w|.-]+(?:\s[\w|]+)?\s*(?:,|and\b|&|/|, and\b)\s*(?:the\s+)?", re.IGNORECASE)

Atom = tuple[int, str | RequestQuantity]
"""A spacecraft or a quantity of a sentence, with its position."""


@dataclass(frozen=True)
class _Mention:
    """A colour, dash, width or scale that a sentence names, and its place."""

    key: str
    value: Any
    start: int
    stop: int
    text: str


class Attributes:
    """The colours, dashes, widths and scales of a sentence; `looks` gives each to the lines that it belongs to.

    Parameters
    ----------
    sentence : Sentence
        The words are removed from it.
    """

    def __init__(self, sentence: Sentence) -> None:
        self._text = sentence.text
        mentions = [
            _Mention(key, value(match), *match.span(), match[0])
            for key, pattern, value in _WORDS
            for match in sentence.take(pattern.replace("COLOURS", COLOURS))
        ]
        self._mentions = sorted(mentions, key=lambda mention: mention.start)

    def looks(
        self, crafts: Sequence[tuple[int, str]], quantities: Sequence[tuple[int, RequestQuantity]]
    ) -> tuple[Look, ...]:
        """Return the looks, each with the spacecraft and quantities that the sentence names next to it."""
        atoms: list[Atom] = sorted([*crafts, *quantities], key=lambda atom: atom[0])
        looks: list[Look] = []
        for key in dict.fromkeys(mention.key for mention in self._mentions):
            group = [mention for mention in self._mentions if mention.key == key]
            looks += self._respectively(group, atoms) or self._one_by_one(group, atoms)
        return tuple(look for look in looks if look.key != "linear")

    def _one_by_one(self, group: list[_Mention], atoms: list[Atom]) -> list[Look]:
        leads = all(self._next(mention, atoms) for mention in group)
        looks, start = [], 0
        for mention in group:
            behind = self._next(mention, atoms)
            ahead = self._previous(mention, atoms, start)
            introduced = _IN.search(self._text[: mention.start]) is not None
            linked = self._linked(mention, atoms)
            # not in "Bz in red density"
            follows = bool(behind) and (linked or not ahead or (leads and not introduced))
            looks.append(_look(mention, behind if follows else ahead))
            start = mention.stop
        return looks

    def _respectively(self, group: list[_Mention], atoms: list[Atom]) -> list[Look]:
        """Read ``ACE and Wind in blue and red``: as many spacecraft, or quantities, as colours, in the same order."""
        between = [self._text[first.stop : second.start] for first, second in pairwise(group)]
        if len(group) < 2 or any(
            re.fullmatch(r"\s*(?:,|and|&|/|, and)\s*", text) is None for text in between
        ):
            return []
        ahead = [atom for atom in atoms if atom[0] < group[0].start]
        for kind in (str, RequestQuantity):
            names = list(dict.fromkeys(value for _, value in ahead if isinstance(value, kind)))
            if len(names) == len(group):
                return [_look(mention, [(0, name)]) for mention, name in zip(group, names, strict=True)]
        return []

    def _linked(self, mention: _Mention, atoms: list[Atom]) -> bool:
        """Return whether ``for`` or ``of`` joins a look to the name after it."""
        following = next((atom for atom in atoms if atom[0] >= mention.stop), None)
        link = following and re.fullmatch(_LINK, self._text[mention.stop : following[0]], re.IGNORECASE)
        return bool(link and link["link"])

    def _next(self, mention: _Mention, atoms: list[Atom]) -> list[Atom]:
        """Return the names directly after a look: ``red Bz``, ``log scale for density and temperature``."""
        later = [atom for atom in atoms if atom[0] >= mention.stop]
        if not later or re.fullmatch(_LINK, self._text[mention.stop : later[0][0]], re.IGNORECASE) is None:
            return []
        names = later[:1]
        for last, atom in pairwise(later):
            between = self._text[last[0] : atom[0]]
            if _BREAK.search(between) and not (self._linked(mention, atoms) and _LISTED.fullmatch(between)):
                break
            names.append(atom)
        return names

    def _previous(self, mention: _Mention, atoms: list[Atom], start: int) -> list[Atom]:
        """Return the names of the last line before a look: ``Bz of ACE in red``."""
        earlier = [atom for atom in atoms if start <= atom[0] < mention.start]
        if not earlier:
            return []
        tail = self._text[earlier[-1][0] : mention.start]
        if re.search(r"[;.]\s|,(?!\s*(?:in|as|colou?red|drawn|shown|dashed|dotted)?\s*$)|\x1d", tail):
            return []
        if mention.key in ("log", "linear") and re.search(
            r",\s*(?:on|in|with|use|using)?\s*(?:an?\s+)?$", tail
        ):
            return []  # density, speed, log scale
        names = [earlier[-1]]
        for atom in reversed(earlier[:-1]):
            same_kind = isinstance(atom[1], str) == isinstance(names[0][1], str)
            if same_kind or _BREAK.search(self._text[atom[0] : names[0][0]]):
                break
            names.insert(0, atom)
        return names


def _look(mention: _Mention, names: Sequence[Atom]) -> Look:
    crafts = tuple(name for _, name in names if isinstance(name, str))
    quantities = tuple(name for _, name in names if isinstance(name, RequestQuantity))
    return Look(mention.key, mention.value, Lines(crafts, quantities), mention.text)


def _limits(match: re.Match[str]) -> tuple[float, float]:
    low, high = (float(match[name].replace("−", "-")) for name in ("low", "high"))
    return low, high
