"""Patterns of the words that name lines of a figure, and the search for words in a description."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio.authoring.rules.changes.atom_values import COLOURS, DASHES, SHADED
from helio.knowledge.frame_names import FRAMES

FRAME_WORDS = "|".join(frame.casefold() for frame in FRAMES)
"""Alternatives of a regular expression: the frames in small letters."""
COLOURED = re.compile(r"\s*\b(?:spectrograms?|spectr(?:um|a))\b")
SPECTROGRAMS = re.compile(
    r"(?:(?:the|both|all|no|any)\s+)*(?:(?P<power>dynamic\s+(?:power\s+)?(?:spectr(?:um|a)|ones?))|spectrograms?"
    r"|(?P<of>\w+)\s+spectrograms)",
    re.IGNORECASE,
)
GENERAL_NOUN = re.compile(r"\s+(?:channel|spectrum|signal|curve|index)$")
MOMENTS = re.compile(r"\b(?P<stem>densit|temperatur|pressur|speed|velocit)(?:(?P<plural>ies|es|s)|y|e)?\b")
"""Pattern of moments; plurals mean those of all particles."""
QUALIFIED = re.compile(
    r"^(?:(?:proton|ion|plasma|solar[- ]wind|bulk|flow|total|magnetic|interplanetary)\s+)+(?=\w)"
)
DESCRIBED = re.compile(
    rf"(?:all\s+)?(?:the\s+)?(?:(?P<look>{SHADED}|{COLOURS}|{'|'.join(DASHES)})\s+(?:lines?|curves?|traces?)|(?P<words>.+?)\s+ones?)",
    re.IGNORECASE,
)
"""Lines by a word that sets them apart: ``the smoothed one``, ``the red line``."""
ORIGIN = re.compile(
    r"(?:the\s+)?(?:(?P<how>measured|assumed)\s+(?P<what>.+)"
    r"|(?P<of>.+?)\s+(?:with|for|from|using)\s+(?:the\s+)?(?P<by>measured|assumed)\b.*)",
    re.IGNORECASE,
)
"""A line by how its values are known: ``the measured beta``, ``beta with measured electrons``."""
INSTRUMENT = re.compile(r"(?:[A-Z]|\d(?=[A-Z]))[A-Za-z0-9]+(?:-[A-Za-z]+)?")
COMPONENT = re.compile(rf"(?:^|[_.])[bv]_?[xyzrtn](?:_(?:{FRAME_WORDS}))?$")
PART = re.compile(
    r"(?:(?P<of>.+?)\s+)?(?:(?P<axis>[xyzrtnlm])|(?P<radial>radial|tangential|normal))[\s-]+components?"
    r"(?:\s+of\s+(?:the\s+)?(?P<what>.+))?"
    r"|(?:radial|tangential|normal)\s+"
    r"(?P<along>(?:magnetic\s+)?field|b|(?:(?:solar[- ]wind|flow|bulk)\s+)?(?:velocity|flow)|v)"
)
"""A component in words: ``z component of J``, ``V radial component``, ``radial field``."""
SYMBOL = re.compile(r"[A-Z|\d_]|^\w$")
"""What each word has in a list of names without commas: ``AL AU``."""
_PLURAL = "(?:s|es|y|ies)?"


def first(drawn: list[str], *tests: Callable[[str], bool]) -> list[str]:
    """Return the lines that pass a test; use the first test that at least one line passes."""
    return next((lines for test in tests if (lines := list(filter(test, drawn)))), [])


def says(text: str, words: str) -> bool:
    """Return whether a text contains all given words, each as a whole word in the singular or the plural.

    >>> says("proton density", "densities"), says("proton density", "it"), says("flux vs energy", "v")
    (True, False, False)
    """
    return all(
        re.search(rf"(?<![a-z0-9]){stem}{_PLURAL if len(word) > 1 else ''}(?![a-z0-9])", text)
        for word in words.split()
        for stem in [re.escape(re.sub(r"(?<=\w\w\w)(?:ies|y|s)$", "", word))]
    )
