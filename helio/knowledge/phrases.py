"""A short notation for phrases, so that lists of phrases need no regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_NO_PLURAL = frozenset({"of", "the", "from", "to", "it", "them"})
TAKEN = "\x01"
"""What stands in the place of each letter of a sentence that was read, such as the name of a spacecraft."""
_SHORTEST_NOUN = 3
"""Symbols such as `n` and `np` have no plural."""


@lru_cache(maxsize=1024)
def phrase_pattern(phrase: str) -> str:
    r"""Convert a phrase to a regular expression that also matches the phrase in the plural.

    Words are separated by blanks, alternatives by ``/``. ``?`` marks words that may be left out, ``*`` words that may
    be left out or repeated, ``~`` a verb in any form, ``_`` any word. A blank or a hyphen may separate words. Capitals
    stay capitals.

    >>> bool(re.fullmatch(phrase_pattern("proton/ion* density"), "ion densities"))
    True
    >>> [bool(re.fullmatch(phrase_pattern("remove~ the? spike"), text)) for text in ("removing spikes", "spikes")]
    [True, False]
    >>> bool(re.fullmatch(phrase_pattern("can the _ be"), "can the x-axis be"))
    True
    """
    written, begun = "", False
    for word in phrase.split():
        plain = word.rstrip("?*~")
        some = "|".join(_forms(name, verb="~" in word) for name in plain.split("/"))
        optional = word[-1] if word[-1] in "?*" else ""
        if word == "the?":
            some, optional = rf"the|{TAKEN}+", "*"  # the angle of the ACE field to the radial direction
        if begun:
            written += f"(?:[ -](?:{some})){optional}" if optional else f"[ -](?:{some})"
        elif optional:
            written += f"(?:(?:{some})[ -]){optional}"
        else:
            written, begun = f"{written}(?:{some})", True
    return written


def any_phrase(phrases: Iterable[str]) -> str:
    """Convert several phrases to one regular expression; phrases that are listed first are matched first."""
    return "|".join(map(phrase_pattern, phrases))


def _forms(name: str, *, verb: bool) -> str:
    """Return a regular expression for a word and its plural, or for a verb and its endings."""
    escaped = re.escape(name).replace(r"\-", "[ -]?").replace("é", "[eé]")
    if name == "_":
        return r"[\w-]+"
    if verb:
        return rf"{re.escape(name.removesuffix('e'))}\w*"
    if name.isupper():
        return f"(?-i:{escaped})"
    if name in _NO_PLURAL or len(name) < _SHORTEST_NOUN or not name[-1].isalpha() or name.endswith("s"):
        return escaped
    if re.search(r"[^aeiou]y$", name):
        return f"{escaped[:-1]}(?:y|ies)"
    return f"{escaped}(?:es)?" if name.endswith("x") else f"{escaped}s?"
