"""The typed parts of a sentence, and the sentence from which they are taken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from helio.knowledge.phrases import TAKEN
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

CHANGES = VOCABULARY["changes"]
SPELLINGS = json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8"))
"""Patterns of words in requests for changes."""
_PLAINER = {
    group: [(ignoring_case(pattern), plain) for pattern, plain in rows]
    for group, rows in (
        ("changes", (*SPELLINGS["plainer"], *SPELLINGS["plainer looks"])),
        ("looks", (*SPELLINGS["looks"]["plainer"], *SPELLINGS["plainer looks"])),
    )
}
COUNTED: dict[str, int] = VOCABULARY["counted"]
"""The numbers that words mean."""
COUNT = "|".join(word for word, number in COUNTED.items() if number)
PLACES: dict[str, int] = {
    **VOCABULARY["places of panels"],
    **dict(
        zip(("1st", "2nd", "3rd", *(f"{number}th" for number in range(4, 20))), range(1, 20), strict=True)
    ),
}
"""The numbers of panels that words mean: 0 for the middle, -1 for the last."""
PLACE = "|".join(sorted(PLACES, key=len, reverse=True))
PANEL = r"(?:panels?|subplots?|subpanels?|rows?|plots?|axes|axis|boxe?s?|frames?|graphs?)"


@dataclass(frozen=True)
class Atom:
    """A part of a sentence with a type.

    Parameters
    ----------
    kind : str
        ``verb``, ``noun``, ``rel``, ``what``, ``panel``, or the type of a value, such as ``colour`` or ``number``.
    value : Any
        What the words mean; for names the words themselves.
    start, stop : int
        Where the words are in the sentence.
    text : str
        The words.
    """

    kind: str
    value: Any
    start: int
    stop: int
    text: str

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the names by which a rule may ask for the atom: its kind, and its kind with its value."""
        kinds = (self.kind, "what") if self.kind == "craft" else (self.kind,)
        return (
            kinds
            if not isinstance(self.value, str)
            else (*kinds, f"{self.kind}:{self.value.replace(' ', '_')}")
        )


@dataclass(frozen=True)
class Range:
    """Limits of an axis; None for a limit that is not named, both None for automatic limits."""

    low: float | None = None
    high: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Number:
    """A number with its unit, which may be empty."""

    value: float
    unit: str = ""


def panel_number(place: int, count: int) -> int:
    """Return the number of the panel at one of `PLACES`; 0 if no panel of the figure is there.

    >>> panel_number(-1, 3), panel_number(0, 3), panel_number(0, 4), panel_number(5, 4)
    (3, 2, 0, 0)
    """
    number = place or ((count + 1) // 2 if count % 2 else 0)
    number += count + 1 if number < 0 else 0
    return number if 0 < number <= count else 0


def number_of_text(text: str) -> float:
    """Return the number that digits or a word mean.

    >>> number_of_text("-1e3"), number_of_text("zero")
    (-1000.0, 0.0)
    """
    plain = text.casefold().replace("−", "-")
    return float(COUNTED.get(plain, plain))


def in_plainer_words(text: str, group: str) -> str:
    """Write turns of phrase as the rules read them: those of requests for changes, or of looks of new figures.

    >>> in_plainer_words("ACE density, points, no line", "looks")
    'ACE density, markers for all lines'
    """
    for pattern, plain in _PLAINER[group]:
        text = pattern.sub(plain, text)
    return text


class UnreadWords:
    """A sentence whose typed parts are taken out one after the other.

    Parameters
    ----------
    text : str
    now : datetime
        Naive UTC.
    """

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.left = text
        """The sentence with a mark in the place of every letter that was taken."""
        self.now = now
        self.atoms: list[Atom] = []

    def take(
        self,
        kind: str,
        pattern: str | re.Pattern[str],
        value: Callable[[re.Match[str]], Any] | str | float | None = None,
    ) -> None:
        """Take every match of a pattern in the unread rest as an atom; a value of None takes the words themselves."""
        compiled = ignoring_case(pattern) if isinstance(pattern, str) else pattern
        left, at = self.left, 0
        while match := compiled.search(left, at):
            at = match.start() + 1
            if TAKEN in match[0]:  # 15:25 before a text in quotes, which is taken
                match = compiled.search(left, match.start(), left.index(TAKEN, match.start()))
            if match is None:
                continue
            at = max(at, match.end())
            meant = match[0] if value is None else value(match) if callable(value) else value
            self.put(kind, meant, *match.span())

    def take_spelt(self, group: str) -> None:
        """Take what the patterns of a group of `SPELLINGS` match."""
        for kind, pattern, value in SPELLINGS[group]:
            self.take(kind, pattern, value)

    def put(self, kind: str, value: Any, start: int, stop: int) -> None:
        self.atoms.append(Atom(kind, value, start, stop, self.text[start:stop]))
        self.left = self.left[:start] + TAKEN * (stop - start) + self.left[stop:]
