"""Read requests for solar X-rays and flares, whose data NOAA's NCEI has and the catalogue has not."""

from __future__ import annotations

import re
from datetime import datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, PipelineRequest, RequestedStyle, RequestQuantity, SolarXrays
from helio.authoring.rules.reading.saved_files import take_files
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.reading.written_form import take_title
from helio.authoring.rules.times.named_times import with_plain_times
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.solar_xrays import FLARES
from helio.time_range import parse_time_range

_GOES = r"\bGOES[- ]?(?P<number>\d{1,2})?(?!\d)"
_XRAYS = (
    r"\b(?:(?:soft|solar)\s+)*(?:XRS(?=-?[AB]\b)|XRS\b|X-?\s?rays?\b)"
    r"(?:\s+(?:sensor|flux(?:es)?|irradiance|light\s*curves?|channels?))*"
)
_CHANNEL = (
    r"\b(?:in\s+|the\s+|only\s+)*(?:(?P<long>long)|(?P<short>short)|both|two)"
    r"(?:[- ]wave(?:length)?s?)?(?:\s+channels?\b|\b)"
    r"|-?(?<=XRS-)(?:(?P<beta>B)|(?P<alpha>A))\b|(?<=XRS)(?:(?P<beta_2>B)|(?P<alpha_2>A))\b"
    r"|\(?(?<![\d.-])(?:(?P<lower>1\s?(?:-|–|to)\s?8|0\.1\s?(?:-|–|to)\s?0\.8)"
    r"|(?P<upper>0\.5\s?(?:-|–|to)\s?4(?:\.0)?|0\.05\s?(?:-|–|to)\s?0\.4))\s?(?:Å|angstroms?|A|nm)\b\)?"
)
_AVERAGES = r"\b(?:1|one)[- ]?min(?:ute)?(?:\s+(?:averages?|means?|data|cadence|resolution))?\b"
"""Words for the cadence that the data have."""
_DRAWN_SO = (
    r"\b(?:(?:in|on)\s+)?(?:one|an?\s+single|the\s+same)\s+(?:panel|plot)\b"
    r"|\b(?:(?:on|with|in|using)\s+)?(?:an?\s+)?log(?:arithmic)?(?:\s+(?:y[- ]?)?(?:scale|axis))?\b"
)
"""Words for the look that the figure has: one panel, on a logarithmic axis."""
_FLARES = r"\b(?:solar\s+)?(?:X-?\s?ray\s+)?flares?\b(?:\s+peaks?)?"
_MARKED = (
    r"\b(?:(?:being\s+|are\s+)?(?:mark|label|indicat|annotat|overplott?)(?:ed|ing|s|e)?|shown)\b"
    r"(?:\s+(?:on|over|in)\s+(?:it|top|the\s+(?:curve|line|plot|figure|flux)))?"
)
_LISTED = r"\b(?:list|table|catalog(?:ue)?|times?)(?:\s+of)?\b"
_CLASS = r"(?-i:(?P<class{0}>[ABCMX])(?:\s?(?P<size{0}>\d(?:\.\d)?))?)(?:[- ]class)?"
_LEAST = (
    r"(?:\b(?:above|over|of|from|stronger\s+than|larger\s+than|greater\s+than|at\s+least|class)\s+|>=?|≥)*\s*"
    rf"\b{_CLASS.format('')}(?:\s*(?:,|and|or|&|/)\s*{_CLASS.format('_too')})?"
    r"(?:\s*(?:or|and)\s+(?:more|above|larger|stronger|greater|up))?"
)
_CLASSES = {"A": 1e-8, "B": 1e-7, "C": 1e-6, "M": 1e-5, "X": 1e-4}
_LAUNCHED = {
    "GOES-8": 1994, "GOES-9": 1995, "GOES-10": 1997, "GOES-11": 2000, "GOES-12": 2001, "GOES-13": 2006,
    "GOES-14": 2009, "GOES-15": 2010, "GOES-16": 2016, "GOES-17": 2018, "GOES-18": 2022, "GOES-19": 2024,
}  # fmt: skip
"""Years of the launches (goes.gsfc.nasa.gov/text/goesnew.html; wmo-sat.info, GOES-R long-term operations plan)."""


def solar_xrays(text: str, now: datetime, ask: Asks) -> tuple[PipelineRequest, tuple[str, ...]] | None:
    """Return what a sentence says that asks for X-rays or flares alone, with notes; None for other sentences.

    Raises
    ------
    NotUnderstood
        The satellite has no X-rays at NCEI, or the request names no time.
    """
    text, title = take_title(text)
    plain, notes = with_plain_times(text, now, ask)
    sentence = Sentence(plain)
    goes = sentence.take_first(_GOES)
    has_flares = sentence.drop(_FLARES) > 0
    has_xrays = sentence.drop(_XRAYS) > 0
    if not has_xrays and not has_flares:
        return None
    sentence.drop(_AVERAGES)
    sentence.drop(_DRAWN_SO)
    channels = _channels(sentence)
    files = take_files(sentence)
    is_list = sentence.drop(_LISTED) > 0 or bool(files.formats)
    if not has_xrays and not (has_flares and (goes or is_list)):
        return None
    times = sentence.take_times(now)
    least = sentence.take_first(_LEAST) if has_flares else None
    sentence.drop(_MARKED if has_flares else r"(?!)")
    if sentence.unread() or len(times) > 1 or (has_flares and channels == ("xrsa",)):
        return None
    if not times:
        raise NotUnderstood("the request for X-rays names no time", advice="add a time, as 'A to B'")
    satellite = _satellite(goes["number"] if goes else None, ask)
    span = parse_time_range(times[0], now)
    if span.stop.year < _LAUNCHED[satellite]:
        raise NotUnderstood(
            f"{satellite} was launched in {_LAUNCHED[satellite]}, after {span}",
            advice="choose another satellite, or another time",
        )
    size = _size(least) if least else _CLASSES["C"]
    if has_flares and not least:
        notes = (*notes, "flares of class C1 and more, because the request names no class")
    request = PipelineRequest(
        xrays=SolarXrays(satellite, size if has_flares else None, channels),
        times=tuple(times),
        exports=files.formats or (("csv",) if is_list else ()),
        drawn=files.drawn,
        style=RequestedStyle(title),
        saved=Lines(quantities=(RequestQuantity(FLARES),)) if has_flares else Lines(),
    )
    return request, (*notes, *files.notes)


def _channels(sentence: Sentence) -> tuple[str, ...]:
    """Return the channels of the X-ray sensor that a sentence names, the long one first."""
    found = list(sentence.take(_CHANNEL))
    named = {name for match in found for name, words in match.groupdict().items() if words}
    long, short = bool(named & {"long", "lower"}), bool(named & {"short", "upper"})
    is_both = bool(found) and long == short
    return ("xrsb",) * (long or is_both) + ("xrsa",) * (short or is_both)


def _size(match: re.Match[str]) -> float:
    """Return the peak in W/m² of the smallest flare of one or two classes."""
    peaks = [
        _CLASSES[match[f"class{which}"]] * float(match[f"size{which}"] or 1)
        for which in ("", "_too")
        if match[f"class{which}"]
    ]
    return float(f"{min(peaks):.3g}")


def _satellite(number: str | None, ask: Asks) -> str:
    if number is None:
        return ask("The X-rays of which GOES satellite?", [*_LAUNCHED][::-1])
    satellite = f"GOES-{int(number)}"
    if satellite not in _LAUNCHED:
        raise NotUnderstood(
            f"NOAA's NCEI has no X-rays of {satellite}", advice=f"choose one of {', '.join(_LAUNCHED)}"
        )
    return satellite
