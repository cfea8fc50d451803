"""Read bands and limits of frequencies: ``power of Bz from 7 to 22 mHz``, ``band-pass filtered``."""

from __future__ import annotations

import re

from helio.authoring.rules.computations.mentions import ComputationMention, mention_of
from helio.authoring.rules.reading.sentence import Sentence

_FREQUENCY = r"(?P<{0}>\d+(?:\.\d+)?(?:e-?\d+)?)\s*(?P<{0}_unit>[mk]?Hz)?"
_HERTZ = {"mhz": 1e-3, "hz": 1.0, "khz": 1e3}
_BAND = (
    rf"\b(?:(?:from|between|of|in the (?:band|range)(?:\s+of)?|at|with)\s+)?{_FREQUENCY.format('low')}"
    rf"\s*(?:to|-|–|and)\s*{_FREQUENCY.format('high')}(?<=Hz)"
)


def read_bands(sentence: Sentence) -> list[ComputationMention]:
    """Read ``power of Bz from 7 to 22 mHz`` and ``spectral slope between 0.01 and 0.1 Hz``."""
    kinds = r"(?:band|wave|integrated|spectral|total|fluctuation|Pc\s?[1-5]|ULF)"
    power = rf"\b(?:{kinds}[- ]+)+power\b(?!\s+(?:spectr|density))|\bpower\b(?=\s+(?:in|of|from|between)\b[^,;]*Hz)"
    spectrum = r"(?:PSD|power\s+spectr(?:um|al\s+densit(?:y|ies))|(?:power\s+)?spectr(?:um|a))"
    of_spectrum = rf"(?:spectral|{spectrum})\s+{{0}}\b|\b{{0}}\s+(?:of|in)\s+(?:the\s+)?{spectrum}(?!\w)"
    slope = of_spectrum.format(r"(?:slope|ind(?:ex|ices)|exponent)s?")
    bend = (
        of_spectrum.format(r"break(?:\s*(?:points?|frequenc(?:y|ies)))?") + r"|\bbreak\s+frequenc(?:y|ies)\b"
    )
    found = []
    for tool, pattern in (("band_integral", power), ("spectral_slope", slope), ("spectral_break", bend)):
        match = None if tool == "band_integral" and not sentence.has(_BAND) else sentence.take_first(pattern)
        if match is None:
            continue
        band = sentence.take_first(_BAND)
        sentence.drop(r"(?:\b(?:in|of)\s+(?:the\s+)?)?\bPc\s?[1-5](?:\s+(?:band|range))?")
        limits = _limits(band) if band else {}
        if tool == "band_integral":
            found.append(mention_of(tool, match.start(), args={"bands": (tuple(limits.values()),)}))
        else:
            found.append(mention_of(tool, match.start(), args=limits))
    return found


def _limits(match: re.Match[str]) -> dict[str, float]:
    """Return the limits of a band of frequencies in Hz."""
    unit = match["high_unit"] or "Hz"
    return {
        key: float(f"{float(match[key]) * _HERTZ[(match[f'{key}_unit'] or unit).lower()]:.12g}")
        for key in ("low", "high")
    }


def read_filters(sentence: Sentence) -> list[ComputationMention]:
    """Read ``band-pass filtered from 1.7 to 6.7 mHz``, and filters with one limit."""
    found = []
    filters = r"\bband[- ]?pass\w*(?:\s+filter\w*)?|\bfilter(?:ed|ing)?\b"
    filters += r"|(?-i:\bPc\s?[1-5])(?:\s+(?:band|range|waves?|pulsations?|oscillations?))?"
    filters += r"|\b(?:ULF\s+waves?|fluctuations?|variations?|oscillations?|pulsations?)\b"
    for match in sentence.take(_BAND) if sentence.has(filters) else ():
        start = min((word.start() for word in sentence.take(filters)), default=match.start())
        found.append(mention_of("band_pass", start, args=_limits(match)))
    for kind, key in (("low", "high"), ("high", "low")):
        limit = rf"(?:\s+filter(?:ed)?)?\s*(?:below|above|at|of|with)?\s*{_FREQUENCY.format('cut')}"
        edge = r"\b(?:below|above|with|at|(?:and|using)\s+a)?\s*(?:an?\s+)?"
        cut = rf"{edge}(?:cut-?off\s+(?:frequency\s+)?(?:at|of)\s+)?{_FREQUENCY.format('cut')}(?<=Hz)"
        apart = rf"\b{kind}[- ]?pass(?:ed)?(?:\s+filter(?:ed)?)?"
        taken = list(sentence.take(rf"\b{kind}[- ]?pass(?:ed)?{limit}"))
        if not taken and sentence.has(apart) and (found_apart := sentence.take_first(cut)):
            sentence.drop(apart)
            taken = [found_apart]
        for match in taken:
            value = float(match["cut"]) * _HERTZ[(match["cut_unit"] or "Hz").lower()]
            found.append(mention_of("band_pass", match.start(), args={key: value}))
    return found
