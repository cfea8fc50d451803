"""Read bands and limits of frequencies or periods: ``power of Bz from 7 to 22 mHz``, ``low-pass filter at 10 min``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from helio.authoring.rules.computations.averages import METHOD, RHYTHM, rhythm_in
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of, tool_names
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import (
    duration_in,
    duration_pattern,
    duration_range_in,
    duration_range_pattern,
    length_of,
)
from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

_FREQUENCY = r"(?P<{0}>\d+(?:\.\d+)?(?:e-?\d+)?)\s*(?P<{0}_unit>[mk]?Hz)?"
_HERTZ = {"mhz": 1e-3, "hz": 1.0, "khz": 1e3}
_BAND = (
    r"\b(?:(?:integrated|from|between|over|of|in the(?: band| range)?(?:\s+of)?|at|with)\s+)*"
    rf"{_FREQUENCY.format('low')}"
    rf"\s*(?:to|-|–|and)\s*{_FREQUENCY.format('high')}(?<=Hz)(?:\s+(?:band|range))?"
)

_PERIODS = (
    r"(?:\b(?:with|for|at|of|in|and)\s+)*(?:the\s+)?\bperiods?(?:\s+range)?\s*(?:of\s+|from\s+|between\s+|=\s*|:\s*)*"
    + duration_range_pattern(),
    rf"(?:\b(?:with|for|at|of|in|from|between)\s+)*{duration_range_pattern()}\s+periods?(?:\s+(?:band|range))?\b",
)
_CUT = (
    r"(?P<edge>\b(?:(?:below|above|at|of|with|using|and|for)\s+)+(?:an?\s+|the\s+)?"
    r"(?:(?:cut-?off|corner)\s*(?:frequency|period)?\s*(?:at|of|=|:)?\s*)?"
    r"(?:periods?\s+(?:(?:of|shorter|longer|than|below|above|<|>)\s*)*)?"
    rf"(?:(?P<cut>\d+(?:\.\d+)?(?:e-?\d+)?)\s*(?P<cut_unit>[mk]?Hz)|{duration_pattern()}))"
)
"""The limit of a filter: a frequency or a period."""
_PERIODS_ON_A_SIDE = (
    r"\b(?:(?:with|for|and|only|of)\s+)*(?:the\s+)?(?:(?:periods?|scales?)\s+)?(?:(?:of|are)\s+)?"
)
_SIDES_OF_PERIODS = {
    "shortest": r"(?:longer|larger|greater|above|>)",
    "longest": r"(?:shorter|smaller|below|up\s+to|<)",
}
"""The limits of periods of a wavelet spectrum: ``periods longer than 1 h``."""
_FITTED_LINE = (
    r"(?:\b(?:and|with)\s+)?(?:\b(?:draw|plot|show|over-?plot|overlay|put)\s+)?\b(?:the\s+)?fit(?:ted)?"
    r"(?:\s+(?:line|slope|power[- ]law))?\b(?:\s+(?:over|on\s+top\s+of|into|in|onto)\s+(?:it|the\s+spectrum)\b)?"
)
_AXIS = (
    r"[(,]?\s*\b(?:with\s+)?(?:the\s+)?(?:y[- ]?axis|(?:periods?|frequenc(?:y|ies)|scales?)(?:\s+(?:axis|scale))?)"
    r"\s+(?:shown\s+|given\s+)?in\s+"
    r"(?:(?P<d>days?|d)|(?P<h>hours?|hrs?|h)|(?P<min>min(?:ute)?s?)|(?P<s>sec(?:ond)?s?|s)|(?P<mHz>mHz)|(?P<Hz>Hz))\b\)?"
)
"""The unit of the axis of a wavelet spectrum."""


_SPECTRUM = r"(?:PSD|power\s+spectr(?:um|al\s+densit(?:y|ies))|(?:power\s+)?spectr(?:um|a))"
_OF_THE_SPECTRUM = (
    r"\s+(?:of|in)\s+(?:the\s+)?(?:(?!(?:and|with|or|in|at|for|from|over)\b)[\w|./-]+\s+){0,5}?"
    rf"(?P<spectrum>{_SPECTRUM})(?!\w)"
)
"""Words behind a slope or a break, which name the spectrum that has it."""
_BARE_SPECTRUM = (
    r"(?<!dynamic )(?<!wavelet )(?<!power )(?<!fourier )(?<!fft )(?<!energy )\b(?:trace\s+)?spectr(?:um|a)\b"
    r"(?!\s+(?:slope|break|ind|exp))"
)
_SLOPE_OF_THE_SPECTRUM = (
    r"(?<!\d )(?<!kolmogorov )(?<!reference )(?<!guide )(?<!law )\b(?:(?:the|its|their|inertial[- ]range)\s+)*slopes?"
    r"(?=[\s(:]+(?:(?:over|from|between|in|of|at|the|inertial|range|frequenc(?:y|ies))\s+)*\d[^,;]*?[mk]?Hz\b)"
)
"""A slope in a range of frequencies, beside a spectrum."""
_JOINS = r"(?:[,;:]|\b(?:and|with|plus)\b|\+|&)(?!\s*\d)"
_SPECTROGRAM_BEFORE = re.compile(rf"\bspectrograms?\b.*{_JOINS}", re.IGNORECASE)
_SPECTROGRAM_BEHIND = re.compile(rf"{_JOINS}.*\bspectrograms?\b", re.IGNORECASE)
"""Patterns of a spectrogram that is drawn beside the power of a band."""
_POWER_SPECTRUM = rf"{tool_names('power_spectrum')}|{_BARE_SPECTRUM}"


def read_bands(sentence: Sentence) -> list[ComputationMention]:
    """Read ``power of Bz from 7 to 22 mHz`` and ``spectral slope between 0.01 and 0.1 Hz``."""
    kinds = r"(?:band|wave|integrated|spectral|total|fluctuation|P[ci]\s?[1-5]|ULF)"
    power = (
        rf"\b(?:{kinds}[- ]+)+power\b(?!\s+(?:spectr|density))"
        r"|\bpower\b(?=\s+(?:in|of|from|between|integrated)\b[^,;]*Hz)"
    )
    if ignoring_case(r"\bspectr").search(sentence.text):
        power += r"|\bintegrat(?:e[sd]?|ing|ion\s+of)\b(?=[^,;]*Hz)"
    slope = rf"(?:\bfit(?:ted)?\s+)?(?:the\s+)?(?:{_of_spectrum(r'(?:slope|ind(?:ex|ices)|exponent)s?')})"
    if sentence.has(rf"(?<!wavelet )\b(?:{_POWER_SPECTRUM})(?!\w)"):
        slope += rf"|{_SLOPE_OF_THE_SPECTRUM}"
    bend = (
        _of_spectrum(r"break(?:\s*(?:points?|frequenc(?:y|ies)))?")
        + r"|\bbreak\s+frequenc(?:y|ies)\b"
        + rf"|(?:\bbreak\s+(?:of|between)\s+)?\b(?:{any_phrase(VOCABULARY['joined power laws'])})(?!\w)"
    )
    found: list[ComputationMention] = []
    for tool, pattern in (("band_integral", power), ("spectral_break", bend), ("spectral_slope", slope)):
        match = None if tool == "band_integral" and not sentence.has(_BAND) else sentence.take_first(pattern)
        if match is None:
            continue
        if source := ignoring_case(_OF_THE_SPECTRUM).match(sentence.left[match.end() :]):
            start, stop = source.span("spectrum")
            sentence.take_at(match.end() + start, match.end() + stop)
        if tool == "spectral_break":
            sentence.drop(r"(?:\band\s+)?\bfitted spectral slope\b")  # the fit of both power laws
        band = sentence.take_first(_BAND)
        if match[0].casefold().startswith("integra"):  # integrate the power spectra, plot the wave power
            sentence.drop(power)
            sentence.drop(rf"(?:\b(?:the|of)\s+)*\b{_SPECTRUM}(?!\w)")
        sentence.drop(r"(?:\b(?:in|of)\s+(?:the\s+)?)?\bP[ci]\s?[1-5]s?\b(?:\s+(?:band|range))?")
        limits = _limits(band) if band else {}
        if tool != "band_integral" and sentence.has(rf"(?<!dynamic )\b(?:{_POWER_SPECTRUM})(?!\w)"):
            sentence.drop(_FITTED_LINE)
            line = mention_of(tool, len(sentence.text), args={**limits, "give": "line"})
            found.append(replace(line, computation=replace(line.computation, beside=True, behind=True)))
            found += [mention_of("power_spectrum", drawn.start()) for drawn in sentence.take(_BARE_SPECTRUM)]
            continue
        args = {"bands": (tuple(limits.values()),)} if tool == "band_integral" else limits
        mention = mention_of(tool, match.start(), _window_of_spectra(sentence, limits), args)
        before, behind = sentence.text[: match.start()], sentence.text[match.end() :]
        beside = tool == "band_integral" and (
            _SPECTROGRAM_BEFORE.search(before) or _SPECTROGRAM_BEHIND.search(behind)
        )
        found.append(replace(mention, computation=replace(mention.computation, beside=bool(beside))))
    return found


def _of_spectrum(name: str) -> str:
    return rf"(?:spectral|{_SPECTRUM})\s+{name}\b|\b{name}(?={_OF_THE_SPECTRUM})"


def _window_of_spectra(sentence: Sentence, limits: Mapping[str, float]) -> str:
    """Read ``hourly spectral slope`` and ``for each hour``: hourly data would be too coarse for the frequencies."""
    each = (
        r"\b(?:(?:for|in|of|over)\s+)?(?:each|every|per)\s+(?P<every>minute|hour|day)\b"
        r"|\b(?P<by>minute|hour|day)[\s-]+by[\s-]+(?P=by)\b"
        rf"|\b(?:(?:for|in|of|over)\s+)?(?:each|every)\s+{duration_pattern()}(?:\s+(?:intervals?|blocks?))?"
    )
    match = ignoring_case(rf"(?:{RHYTHM}|{each})(?!\s+{METHOD})").search(sentence.left)
    window = (rhythm_in(match) or duration_in(match)) if match else ""
    if match is None or " " in window or 2 * limits.get("high", 1.0) * length_of(window).total_seconds() < 1:
        return ""
    sentence.take_at(*match.span())
    return window


def _limits(match: re.Match[str]) -> dict[str, float]:
    """Return the limits of a band of frequencies in Hz."""
    unit = match["high_unit"] or "Hz"
    return {
        key: float(f"{float(match[key]) * _HERTZ[(match[f'{key}_unit'] or unit).lower()]:.12g}")
        for key in ("low", "high")
    }


def read_filters(sentence: Sentence) -> list[ComputationMention]:
    """Read ``band-pass filtered from 1.7 to 6.7 mHz``, bands of periods, and filters with one limit."""
    filters = r"\b(?:butterworth[- ]+)?(?:band[- ]?pass\w*(?:\s+filter\w*)?|filter(?:ed|ing)?)\b"
    filters += r"|(?-i:\bP[ci]\s?[1-5]s?\b)(?:\s+(?:band|range|waves?|pulsations?|oscillations?))?"
    filters += r"|\b(?:ULF\s+waves?|fluctuations?|variations?|oscillations?|pulsations?)\b"
    bands = [
        (match.start(), _limits(match))
        for match in sentence.take(_BAND if sentence.has(filters) else r"(?!)")
    ]
    if not bands and sentence.has(filters) and (periods := _periods(sentence)):
        low, high = map(_per_second, reversed(periods))
        bands = [(len(sentence.text), {"low": low, "high": high})]
    found = []
    for position, limits in bands:
        start = min((word.start() for word in sentence.take(filters)), default=position)
        found.append(mention_of("band_pass", start, args=limits))
    return found + _one_limit(sentence)


def _one_limit(sentence: Sentence) -> list[ComputationMention]:
    """Read ``high-pass filtered above 1 mHz``; the limit stands behind the name, or apart from it."""
    found: dict[str, ComputationMention] = {}
    for between in (r"\s*", r"[^;]*?"):
        for kind, key in (("low", "high"), ("high", "low")):
            name = rf"(?:butterworth[- ]+)?{kind}[- ]?pass(?:ed|es)?(?:[- ]+filter(?:ed|ing)?)?"
            match = ignoring_case(rf"\b(?P<name>{name}){between}{_CUT}").search(sentence.left)
            if match and key not in found:
                cut, unit = match["cut"], match["cut_unit"]
                value = _hertz(cut, unit) if cut else _per_second(duration_in(match))
                found[key] = mention_of("band_pass", match.start(), args={key: value})
                sentence.take_at(*match.span("name"))
                sentence.take_at(*match.span("edge"))
    return list(found.values())


def with_periods(sentence: Sentence, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Read the periods or frequencies of a wavelet spectrum: ``wavelet of Bz, periods 20 s to 10 min``."""
    wavelets = [mention for mention in mentions if mention.computation.tool == "wavelet_spectrum"]
    if not wavelets:
        return mentions
    axis = sentence.take_first(_AXIS)
    args = {"axis": axis.lastgroup or ""} if axis else {}
    for key, side in _SIDES_OF_PERIODS.items():
        if limit := sentence.take_first(rf"{_PERIODS_ON_A_SIDE}{side}\s*(?:than\s+)?{duration_pattern()}"):
            args[key] = duration_in(limit)
    if periods := _periods(sentence):
        args |= dict(zip(("shortest", "longest"), periods, strict=True))
    elif band := sentence.take_first(_BAND):
        limits = _limits(band)
        args |= {
            "axis": band["high_unit"],
            "shortest": f"{1 / limits['high']:g}s",
            "longest": f"{1 / limits['low']:g}s",
        }
    limited = {mention: replace(mention.computation, args=tuple(args.items())) for mention in wavelets}
    return [replace(mention, computation=limited.get(mention, mention.computation)) for mention in mentions]


def take_frequencies(sentence: Sentence) -> tuple[float, ...]:
    """Read the frequencies of a spectrum to draw: ``spectrogram of Bz below 5 Hz``."""
    words = r"(?:\b(?:in|with|for)\s+)?(?:\b(?:the\s+)?frequenc(?:y|ies)(?:\s+range)?\s*(?:of|:|=)?\s*)?"
    if band := sentence.take_first(words + _BAND):
        return tuple(_limits(band).values())
    upper = sentence.take_first(
        rf"{words}(?:\b(?:below|up\s+to|under)\s+|<\s*){_FREQUENCY.format('high')}(?<=Hz)"
    )
    return (0.0, _hertz(upper["high"], upper["high_unit"])) if upper else ()


def _periods(sentence: Sentence) -> tuple[str, str] | None:
    """Read a band of periods."""
    match = next(filter(None, map(sentence.take_first, _PERIODS)), None)
    return duration_range_in(match) if match else None


def _per_second(period: str) -> float:
    return 1 / length_of(period).total_seconds()


def _hertz(number: str, unit: str) -> float:
    return float(f"{float(number) * _HERTZ[unit.lower()]:.12g}")
