"""Write what people type in haste as the rules read it: signs for words, double spaces, small letters alone."""

from __future__ import annotations

import re

from helio.authoring.rules.changes.atom_values import COLOURS
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.named_instruments import ALSO_WORDS, IN_SMALL_LETTERS
from helio.authoring.rules.times.durations import with_counted_units
from helio.patterns import ignoring_case, outside_quotes

_SIGNS = (
    (re.compile(r"(?<![\w/^])w/o(?:ut)?\b\s*(?=[\w|]|$)"), "without "),
    (re.compile(r"(?<![\w/^])w/(?!m\b|m\W?2)\s*(?=[\w|]|$)"), "with "),
    (re.compile(r"(?<=\s)&(?=\s)"), "and"),
    (re.compile(r"(?<=[A-Za-z|]),(?=[A-Za-z|])"), ", "),
    (re.compile(r"(?<![\w'’])['’]?til(?=\s)"), "till"),
    (re.compile(r"[ \t]{2,}"), " "),
    (ignoring_case(r"\bvertical(?= ax[ei]s\b)"), "y"),
)
_FRAME = re.compile(
    r"(?<![\w/.'-])(?:b[xyz](?=\s+(?:in\s+)?gs[em]\b)|gse|gsm|rtn|mso|mse|hci|hgi|hee|heeq|gei|lmn)(?![\w'-]|\.\w)"
)
"""A frame in small letters, or a component before one."""
_COLOURED_BY = ignoring_case(
    rf"\b(?P<first>b_?[xz](?:\s+\(?\w+\)?)?\s*(?:,|and|/|\+)\s*)(?-i:by)(?=\s+\(?(?:in\s+)?(?:{COLOURS}|dash|dott|solid))"
)
"""A component between others, before its look: ``bz red, by black``."""
_BEHIND_CRAFT = re.compile(
    rf"(?P<craft>(?<![\w-])(?:{names_of_spacecraft()})\s+(?:[A-Z\d-]+\s+)?)"
    rf"(?P<name>{'|'.join(sorted(ALSO_WORDS - {'SUN'}, key=len, reverse=True)).lower()})(?![\w-]|\s+(?:me|us)\b)"
)
"""A spacecraft and an instrument that is also a word: ``psp fields``."""
_SYMBOLS = tuple(
    (re.compile(pattern), letters)
    for pattern, letters in (
        (  # not the spacecraft B behind its mission or behind A
            r"(?<![\w.|+'’-])(?<!\ba and )(?<!\ba, )(?<!\ba/)(?<!probe )(?<!probes )(?<!stereo )(?<!rbsp )(?<!themis )"
            r"[btvl](?![\w.|+'’-])(?!\s+(?:red|blue|in\s+(?:red|blue))\b)",
            "",
        ),
        (r"\bt[eip](?=/t[eip]\b)|(?<=\bt[eip]/)t[eip]\b", ""),
        (r"(?<![\w+-])(?:he?|o|n|c)\d?\+{1,2}(?![\w+])", ""),
        (r"(?:(?<=\band )|(?<=\bfrom )|(?<=\bwith ))mag(?=\s*(?:$|[,;.]|data\b|and\b))", "MAG"),
        (r"\bplastic\b", "PLASTIC"),
        (r"(?<!\bet )\bal\b", "AL"),
        (r"(?<=\bof )by\b", ""),
        (r"\bkev\b", "keV"),
        (r"\bmev\b", "MeV"),
        (r"\bomni(?=\s+(?:proton|ion)\s+(?:density|speed|temperature)\b)", "OMNI"),
    )
)
"""Symbols of quantities, ions and units in small letters; an empty text capitalises the match."""


def with_plain_signs(request: str) -> str:
    """Write signs as words, and single spaces; what stands in quotes stays.

    >>> with_plain_signs("ACE n & V w/ a  1 h mean,csv w/o title")
    'ACE n and V with a 1 h mean, csv without title'
    """

    def written(text: str) -> str:
        for pattern, words in _SIGNS:
            text = pattern.sub(words, text)
        return with_counted_units(text)

    return outside_quotes(request, written)


def with_capitals(request: str) -> str:
    """Write frames, and the instruments, symbols and units of a request in small letters alone, as the catalogue does.

    >>> with_capitals("psp fields br, v and >1 mev o+ of the mms3 des"), with_capitals("ACE by gsm")
    ('psp FIELDS br, V and >1 MeV O+ of the mms3 DES', 'ACE By GSM')
    """
    is_small = request == request.lower()

    def written(text: str) -> str:
        text = _FRAME.sub(
            lambda match: match[0].capitalize() if match[0][0] == "b" else match[0].upper(), text
        )
        text = _COLOURED_BY.sub(r"\g<first>By", text)
        return _with_symbols(text) if is_small else text

    return outside_quotes(request, written)


def _with_symbols(text: str) -> str:
    for pattern, letters in _SYMBOLS:
        text = pattern.sub(letters or _capitalised, text)
    text = ignoring_case(IN_SMALL_LETTERS).sub(lambda match: match[0].upper(), text)
    return _BEHIND_CRAFT.sub(lambda match: f"{match['craft']}{match['name'].upper()}", text)


def _capitalised(match: re.Match[str]) -> str:
    return match[0].capitalize()
