"""Read the form in which a request wants its figure: title, name, units, energies and plane."""

from __future__ import annotations

import re

from helio.authoring.rules.reading.sentence import Sentence
from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY

_UNITS = (
    "nT", "pT", "km/s", "m/s", "K", "MK", "nPa", "Pa", "eV", "keV", "AU", "R_E", "RE", "Re", "R_Sun", "km", "mV/m",
    "Hz", "kHz", "cm^-3", "cm-3", "m^-3", "m-3", "1/cm^3", "1/cm3", "1/cc", "/cc", "/cm^3", "/cm3", "nT/s",
    "nT/min", "nT/h", "nA/m^2", "deg", "%", "GW", "kV",
)  # fmt: skip
_UNIT_WORDS = {word.casefold(): unit for unit, words in VOCABULARY["units"].items() for word in words}
_UNIT = (
    rf"(?:(?-i:{'|'.join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))})"
    rf"|{any_phrase(phrase for phrases in VOCABULARY['units'].values() for phrase in phrases)})"
)
_IN_UNIT = (
    rf"\b(?:in|as)\s+(?:units?\s+of\s+)?(?P<unit>{_UNIT})(?![\w/^-])"
    rf"|[(\[,]\s*(?P<bracketed>{_UNIT})(?:[)\]]|(?=,|\s*$))"
)
_NOT_IN_UNIT = rf"[,(]?\s*\b(?:and\s+)?(?:not|instead\s+of|rather\s+than)\s+(?:in\s+)?{_UNIT}(?![\w/^-])\)?"
_ABOVE = r"(?:\bE\s*)?(?:>=?|≥|\babove|\bover|\bgreater than|\bmore than|\bexceeding)"
_TITLE = re.compile(
    r"\b(?:titled?|with the title|entitled|(?:called|named)(?=\s+[\"“]\S+\s))\s*[:=]?\s*"
    r"(?:[\"“](?P<title>[^\"”]+)[\"”]|['‘](?P<single>.+?)['’](?!\w))"
    r"|(?<=[,;] )title:?\s+(?P<plain>(?-i:[A-Z])[^,;\"“'‘]*[^,;\"“'‘.\s])(?=\s*(?:[,;.]|$))",
    re.IGNORECASE,
)
_NAME = (
    r"\b(?:(?:and\s+)?(?:call|name)\s+(?:the|this)\s+pipeline|called|named)\s+"
    r"[\"“'‘]?([a-z0-9][a-z0-9-]*[a-z0-9])[\"”'’]?(?=\s*$|[,.])"
)
_PLANE = (
    r"\b(?:(?:in|on|onto|projected\s+(?:in|on)?to)\s+)?(?:the\s+)?(?:(?P<out>"
    r"(?P<first>[xy])[-–]?(?P<second>[yz])(?:[- ](?:plane|projection))?))\b"
)


def take_title(text: str) -> tuple[str, str]:
    """Remove the title of the figure, and return the rest and the title as it is written.

    >>> take_title("ACE Bz, title 'Patrick's storm', 2015-03-17")
    ('ACE Bz, , 2015-03-17', "Patrick's storm")
    >>> take_title("Wind B, title Shock of 2 October, 2013-10-02")
    ('Wind B, , 2013-10-02', 'Shock of 2 October')
    """
    match = _TITLE.search(text)
    return (
        (_TITLE.sub("", text), match["title"] or match["single"] or match["plain"]) if match else (text, "")
    )


def take_name(sentence: Sentence) -> str:
    """Remove the name of the new pipeline, and return it in small letters."""
    return sentence.take_text(_NAME).lower()


def take_energies(sentence: Sentence) -> tuple[str, ...]:
    """Remove the energies above which particles are counted: ``>10 MeV`` or ``above 10 MeV``."""
    energies = tuple(
        f">{match[1]} {match[2]}"
        for match in sentence.take(rf"{_ABOVE}\s*(\d+(?:\.\d+)?)\s*((?-i:[MkG]eV))\b")
    )
    if energies:
        sentence.drop(r"\bintegral\b")
    return energies


def take_units(sentence: Sentence) -> tuple[str, ...]:
    """Remove the units in which to draw data, also as words: ``in kelvin, not eV``."""
    sentence.drop(_NOT_IN_UNIT)
    written = [str(match["unit"] or match["bracketed"]) for match in sentence.take(_IN_UNIT)]
    return tuple(_UNIT_WORDS.get(" ".join(unit.casefold().split()), unit) for unit in written)


def take_plane(sentence: Sentence) -> str:
    """Remove the plane in which to draw orbits, and return it as ``xy``."""
    sentence.drop(r"\balong\s+(?:(?:the|its|their)\s+)?(?:\S+\s+)??(?:orbits?|trajector(?:y|ies)|path)\b")
    if not sentence.has(r"\b(?:orbits?|positions?|trajector(?:y|ies))\b"):
        return ""
    match = sentence.take_first(_PLANE)
    if match is None:
        return ""
    sentence.drop(r"\bprojected\s+(?:in|on)?to\b|\bplanes?\b")
    return f"{match['first']}{match['second']}".lower()
