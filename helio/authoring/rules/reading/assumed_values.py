"""Read values that a computation takes instead of measured ones: ``with electrons of 140000 K and 4 % alphas``."""

from __future__ import annotations

from helio.authoring.rules.events.storms import STORMS
from helio.authoring.rules.reading.sentence import Sentence
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY

_VALUES = VOCABULARY["assumed values"]
_EV = r"(?-i:eV)"
_UNITS = {
    "K": {
        r"(?-i:K)|kelvins?": 1.0,
        r"(?-i:kK)": 1e3,
        r"(?-i:MK)|million\s+(?:kelvins?|(?-i:K))": 1e6,
        _EV: 11604.5,
    },
    "1": {r"%|percent|per\s*cent": 0.01, "": 1.0},
    "AU": {r"(?-i:AU|au)": 1.0},
    "ratio": {"": 1.0},
    "R_Sun": {any_phrase(["R_Sun", *VOCABULARY["units"]["R_Sun"]]): 1.0},
    "deg": {r"°|deg(?:rees?)?": 1.0},
}
"""Patterns of the units in which people give each kind of value, with the factors to the unit of the argument."""
_LEAD = (
    r"(?:[,;(]\s*)?(?:\b(?:and|plus|but)\s+)?(?:\b(?:assum\w+|suppos\w+|tak(?:e|ing)|us(?:e|ing)|with|for|includ\w+|add(?:ing)?"
    r"|count(?:ing)?|where|corotati(?:on|ng)\s+(?:out\s+)?(?:to|until|up\s+to))\s+)*"
    r"(?:\b(?:an?|the|constant|fixed|assumed|typical)\s+)*"
)
_IS = r"\s*(?:(?:=|:|≈|~|\bof\b|\bat\b|\bis\b|\bas\b|\bset\s+to\b|\bequal\s+to\b|\bfixed\b|\bconstant\b|\bheld\b)\s*)"
_NUMBER = r"(?<![\w.:/-])(?P<value>\d+(?:,\d{3})*(?:\.\d+)?(?:\s?[x×]\s?10\s?\^?\s?\d|e\d+)?)(?![\d:/-])"


_STORMS = "|".join(
    rf"(?<![\w|])(?:{row.pattern})(?![\w|])" for row in WORDS if row.quantity.startswith("storm ")
)
_CLASS = rf"\b(?P<kind>{'|'.join(STORMS)})[\s-]*(?=(?:(?:geo)?magnetic\s+)?storms?\b)"
_LIMIT = (
    r"(?:\bthreshold(?:\s+of)?|\b(?:below|under|reaching|exceeding|(?:less|stronger|deeper|lower)\s+than|at\s+most)\b|<=?|≤)"
    r"\s*(?P<limit>[-−]\d{2,3})\s*nT\b(?:\s+or\s+(?:less|lower|below))?"
)
"""Pattern of the index that a storm reaches: ``(Dst below -100 nT)``."""


def take_assumed(sentence: Sentence) -> tuple[tuple[str, float], ...]:
    """Remove the assumed values of a sentence; return each argument of a tool with its value.

    >>> take_assumed(Sentence("beta with T_e = 1.4e5 K and 4 % alphas"))
    (('electron_temperature', 140000.0), ('assumed_alpha', 0.04))
    """
    taken: dict[str, float] = {}
    for argument, row in _VALUES.items():
        for unit, factor in _UNITS[row["unit"]].items():
            beside = (
                row.get("beside a unit", ()) if unit not in ("", _EV) else ()
            )  # electrons of 100 eV are measured
            names = any_phrase([*beside, *row["phrases"]])
            value = rf"{_NUMBER}\s*(?:{unit})(?![\w^/])"
            sign = f"{_IS}+" if unit in ("", _EV) or row["unit"] == "AU" else f"{_IS}*"
            again = rf"(?:\s*\(\s*(?:{names})\))?"
            named = rf"(?<![\w|-]){_LEAD}(?:{names})(?![\w|-])\s*{sign}(?:an?\s+|about\s+)?{value}\)?{again}"
            kind = r"(?:\(\s*|of\s+|for\s+)?(?:(?:the|constant|warm|cold|hot)\s+)*"
            behind = rf"{_LEAD}{value}\s*{kind}(?:{names})(?![\w|-])\)?"
            for pattern in (named, behind) if sign.endswith("*") else (named,):
                if match := sentence.take_first(pattern):
                    taken[argument] = float(f"{_number(match['value']) * factor:.6g}")
    if sentence.has(_STORMS) and (limit := _storm_limit(sentence)):
        taken["threshold"] = limit
    return tuple(taken.items())


def _storm_limit(sentence: Sentence) -> float:
    """Remove the limit of storms, as a number or by a class; return it in nT, or 0."""
    limits = [float(match["limit"].replace("−", "-")) for match in sentence.take(_LIMIT)]
    limits += [STORMS[match["kind"].lower()] for match in sentence.take(_CLASS)]
    return limits[0] if limits else 0.0


def _number(written: str) -> float:
    mantissa, _, power = written.replace(",", "").replace("×", "x").replace(" ", "").partition("x10")
    return float(mantissa) * 10.0 ** int(power.lstrip("^") or 0)
