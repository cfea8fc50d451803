"""Read a sentence word by word into a `PipelineRequest`; refuse what is not clear, instead of guessing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter

from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.authoring.request import Panels, PipelineRequest, RequestedStyle, RequestQuantity
from helio.authoring.rules.computed import ComputationMention, read_computations
from helio.authoring.rules.named import (
    Placed,
    is_coloured,
    names_of_spacecraft,
    pairs_of,
    read_datasets,
    read_quantities,
    read_spacecraft,
    with_species,
)
from helio.authoring.rules.named_times import with_plain_times
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.computations import DERIVED, MAGNITUDE, OF_TWO
from helio.knowledge.cadence import cadences_in
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import ABS_B, ELECTRONS, FAST_ELECTRONS, IONS, PROTONS, SOURCES, families
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, SPECTRA
from helio.knowledge.vocabulary import VOCABULARY

COLOURS = "|".join(VOCABULARY["colours"])
_COUNTED = VOCABULARY["counted"]
_INSTRUMENTS = {name for source in SOURCES for name in instrument_names(source.dataset)}
_INSTRUMENT = rf"(?<![\w-])(?:{'|'.join(sorted(_INSTRUMENTS, key=len, reverse=True))})(?![\w-])"
_RADIAL = re.compile(r"\bb_?[rn]\b", re.IGNORECASE)
_TITLE = r"\b(?:titled?|with the title|entitled)\s*[:=]?\s*[\"“'‘]([^\"”'’]+)[\"”'’]"
_NAME = r"\b(?:called|named)\s+[\"“'‘]?([a-z0-9][a-z0-9-]*[a-z0-9])[\"”'’]?(?=\s*$|[,.])"
_SAVED = (
    r"\b(?:(?:and\s+)?(?:save|export|write)(?:\s+(?:it|them|everything|the data))?\s+)?"
    r"(?:as|to|in)\s+(?:an?\s+)?(csv|cdf|netcdf|nc|parquet)\b(?:\s+files?)?"
)
_COMPARED = r"\b(?:compar\w+|versus|vs\.?|against|side by side|overla\w+|difference)\b"
_AGAINST = r"\b(?:versus|vs\.?|against)(?!\s+time\b)(?![\w])"
_BURST = r"\b(?:burst|brst)(?:[- ]mode)?\b"
# a second frame is left, and refused
_FRAME = (
    r"\b(?:(?:rotated|transformed|converted|turned)\s+(?:in)?to\s+)?"
    rf"({'|'.join(FRAMES)})\b(?: (?:frame|coordinates?))?"
)
_TOGETHER = (
    r"(?:\b(?:(?:all|both|together)\s+)?\b(?:in(?:to)?|on|as)|[,;])\s*"
    r"(?:one|1|the same|same|a single|a common|one single) (?:panel|axes|plot)\b"
)
_PANELS = rf"\b(?:in\s+)?({'|'.join(_COUNTED)}|\d)\s+(?:separate\s+)?panels\b"
_LAYOUT = (
    r"\bon top\b|\bat the (?:top|bottom)\b"
    r"|\b(?:below|underneath|beneath)(?: (?:it|that))?(?=\s*(?:$|[,.;\x1f]|and\b))|, ?\bbelow\b"
)
_OVERLAID = r"\boverla(?:y|id|ys|ying)\b|\bside by side\b"
_UNIT = (
    r"\bin\s+(?:units of\s+)?((?-i:nT|pT|km/s|m/s|K|MK|nPa|Pa|eV|keV|AU|R_E|RE|km|mV/m|Hz|kHz|c?m\^?-3|1/c?m\^?3"
    r"|/cc|/cm\^?3))(?![\w/^-])"
)
_LENGTH = r"(?:\d+(?:\.\d+)?|one)[\s-]*(?:seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h)\b"
_CADENCE = (
    rf"\b{_LENGTH}[- ](?:resolution|cadence|data|values)\b|(?<=\bat )(?:an?\s+)?{_LENGTH}"
    r"|\bhourly\b|\bminutely\b"
    r"|\b(?P<bare>(?:\d+(?:\.\d+)?|one)[\s-]*(?:second|sec|s|minute|min|hour|hr|h))\b"
)
# 5 min SYM-H has a cadence, and 5 min from 10:00 a time
_NO_CADENCE = (
    r"\s*(?:$|[,.;])|\s+(?:and|or|of|from|after|before|around|later|long|ago|on|for|in|at|to|until)\b"
)
_DRAWN = (
    r"(?P<what>b_?[xyzrtn]|v_?[xyzrtn]|magnitude|\|b\||density|speed|velocity|temperature|magnetic field|field"
    r"|ace|wind|dscovr|omni)"
)
_COLOUR = f"(?P<colour>{COLOURS})"
# The words that name the coloured line stay in the sentence: it must be drawn. ``with a red Bz`` is the exception.
_COLOURED = (
    rf"\b{_DRAWN}(?P<out>(?: line)?\s+(?:is |be |drawn |shown )?(?:in|as)\s+{_COLOUR})\b",
    rf"\bwith\s+(?:an? |the )?{_COLOUR}\s+{_DRAWN}(?: lines?)?\b",
    rf"\b(?P<out>(?:an? |the )?{_COLOUR}\s+){_DRAWN}\b",
)
_SCALED = r"(?P<what>density|temperature|speed|flux|field|pressure|beta|all|everything)"
_LOG = (
    rf"\b{_SCALED}(?P<out>\s+(?:on|in|with)\s+(?:an?\s+)?log(?:arithmic)?(?:\s+(?:scale|axis))?)\b",
    rf"\b(?P<out>log(?:arithmic)?\s+(?:scale|axis)\s+for\s+(?:the\s+)?){_SCALED}\b",
    r"\b(?P<what>)(?:on |with |in )?(?:an?\s+)?log(?:arithmic)?[- ](?:y[- ])?(?:scales?|y[- ]axis|y|axis|axes)\b",
    rf"\b{_SCALED}(?P<out>\s*\(log(?:arithmic)?(?:\s+(?:scale|axis))?\))",
    rf"\b(?P<out>log(?:arithmic)?\s+)(?:(?:proton|plasma|electron|ion)\s+)?{_SCALED}\b",
    r",\s*(?P<what>)(?:(?:use |with )?log(?:arithmic)?)(?=\s*(?:$|[,.;]))",
)


_SPECTRUM = r"(?:\s+(?:energy\s+)?(?:spectrograms?|spectra|spectrum|flux(?:es)?|intensit(?:y|ies)))?"
_PARTICLES = {
    rf"\belectrons?\b{_SPECTRUM}": (ELECTRONS, FAST_ELECTRONS),
    rf"\b(?:protons?|ions?)\b{_SPECTRUM}": (IONS, PROTONS),
    r"\b(?:(?:differential\s+)?(?:energy|e)[- ]?flux|energy|eflux)\s+(?:spectrograms?|spectra|spectrum)\b": SPECTRA,
}
"""Words that mean a spectrum only beside the name of an instrument, and the quantities that they may mean."""


@dataclass(frozen=True)
class Reading:
    """The request that was read from a sentence, and the words that were not understood.

    Parameters
    ----------
    request : PipelineRequest
    unread : tuple of str
        Words with a meaning that were not read.
    doubt : NotUnderstood, optional
        Why the sentence is ambiguous.
    """

    request: PipelineRequest
    unread: tuple[str, ...]
    doubt: NotUnderstood | None = None
    named: tuple[str, ...] = ()
    """Notes on the time ranges of named events."""


def _with_tangential(text: str) -> str:
    """Write Bt as B_T beside Br or Bn; alone it is the strength of the field.

    >>> _with_tangential("BR BT BN in 1990"), _with_tangential("Bt and Bz")
    ('BR B_T BN in 1990', 'Bt and Bz')
    """
    return re.sub(r"\bbt\b", "B_T", text, flags=re.IGNORECASE) if _RADIAL.search(text) else text


def read_request(text: str, catalogue: Catalogue, now: datetime) -> Reading:
    """Read a request from a sentence: first its datasets and times, then all other kinds of words.

    Raises
    ------
    NotUnderstood
        A duration may be a cadence or a time.
    """
    text, named = with_plain_times(text, now)
    sentence = Sentence(_with_tangential(with_species(text)))
    title = sentence.take_text(_TITLE)
    exports = _exports(sentence)
    name = sentence.take_text(_NAME).lower()
    datasets = read_datasets(sentence, catalogue)
    panels = Panels(compare=sentence.has(_COMPARED), against=sentence.has(_AGAINST))
    mentions = read_computations(sentence)
    times = tuple(sentence.take_times(now))
    crafts = read_spacecraft(sentence)
    instruments = _instruments(sentence)
    crafts = crafts or _carriers(instruments)
    as_lines = (
        sentence.take_first(r"\bas (?:separate |individual |stacked )?lines?\b|(?<=flux )lines\b") is not None
    )
    style = RequestedStyle(title, tuple(_colours(sentence)), tuple(_log(sentence)), as_lines)
    panels, ordered = _panels(sentence, panels)
    coloured = {re.sub(r"[^a-z]", "", what) for what, _ in style.colours}
    magnitude = any(mention.computation.tool == MAGNITUDE for mention in mentions)
    placed = read_quantities(sentence, coloured, magnitude=magnitude)
    placed = sorted([*placed, *_particles(sentence, instruments, crafts)], key=itemgetter(0))
    if ordered:
        panels = replace(panels, order=_order(sentence, placed, magnitude=magnitude))
    computed = _derived(sentence, placed)
    drawn = _drawn(sentence, placed, coloured)
    placed = [(start, quantity) for start, quantity in placed if computed in ("", quantity.name)]
    drawn = [quantity for quantity in drawn if computed in ("", quantity.name)]
    own, unclear = pairs_of(crafts, placed, drawn)
    request = PipelineRequest(
        # missions where the author must choose a spacecraft come last
        spacecraft=tuple(sorted(dict.fromkeys(craft for _, craft in crafts), key=families().__contains__)),
        quantities=tuple(drawn),
        own=own,
        datasets=datasets,
        times=times,
        frame=sentence.take_text(_FRAME).upper(),
        cadence=_cadence(sentence),
        burst=sentence.take_first(_BURST) is not None,
        vectors=re.search(r"\bvectors?\b", sentence.text, re.IGNORECASE) is not None,
        instruments=instruments,
        units=tuple(match[1] for match in sentence.take(_UNIT)),
        computed=computed,
        computations=tuple(mention.computation for mention in mentions),
        panels=panels,
        style=style,
        exports=exports,
        name=name,
    )
    return Reading(request, sentence.unread(), _doubt(mentions, placed, drawn, unclear=unclear), named)


def _instruments(sentence: Sentence) -> tuple[str, ...]:
    """Read the names of instruments; written as the catalogue does, in capitals, so that ``fields`` is none."""
    spelt = r"(?<![\w-])(?:SPAN-?[iI]|PLASTIC|Plastic|MagEIS|Hope)(?![\w-])"
    sentence.drop(r"(?<=\bfrom )the\b|(?<=\busing )the\b")
    names = [match[0].upper().replace("SPANI", "SPAN-I") for match in sentence.take(re.compile(spelt))]
    names += [match[0].upper() for match in sentence.take(re.compile(_INSTRUMENT))]
    return tuple(dict.fromkeys(names))


def _carriers(instruments: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the spacecraft that alone has the named instruments, if the sentence names no spacecraft."""
    having = [
        {source.spacecraft for source in SOURCES if name in instrument_names(source.dataset)}
        for name in instruments
    ]
    common = set.intersection(*having) if having else set()
    return [(0, craft) for craft in common] if len(common) == 1 else []


def _particles(sentence: Sentence, instruments: tuple[str, ...], crafts: list[tuple[int, str]]) -> Placed:
    """Read ``HOPE electrons`` and ``PAS energy spectrogram``: the spectrum that the named instrument measures.

    Only if the instruments have exactly one such quantity.
    """
    named = set(instruments)
    placed: Placed = []
    for pattern, kinds in _PARTICLES.items():
        measured = {
            source.quantity
            for source in SOURCES
            if source.quantity in kinds
            and named & instrument_names(source.dataset)
            and (not crafts or source.spacecraft in {craft for _, craft in crafts})
        }
        if len(measured) == 1:
            for match in sentence.take(pattern):
                placed.append((match.start(), RequestQuantity(next(iter(measured)))))
    return placed


def _panels(sentence: Sentence, panels: Panels) -> tuple[Panels, bool]:
    """Read how the panels should be arranged, and whether the sentence gives their order."""
    together = sentence.take_first(_TOGETHER) is not None
    count = sentence.take_text(_PANELS).lower()
    sentence.drop(
        r"\b(?:both spacecraft )?one (?:below|above|under) the other\b|\b(?:with )?(?:the )?same time axis\b"
    )
    sentence.drop(r"\b(?:in )?different colou?rs\b|\bstacked panels\b")
    ordered = sentence.drop(_LAYOUT) > 0
    overlaid = {match[0].casefold() for match in sentence.take(_OVERLAID)}
    layout = replace(
        panels,
        together=together,
        count=_COUNTED.get(count) or int(count or 0),
        overlaid=bool(overlaid - {"side by side"}),
    )
    return layout, ordered


def _exports(sentence: Sentence) -> tuple[str, ...]:
    forms = tuple(match[1].lower() for match in sentence.take(_SAVED))
    if forms:
        sentence.take_first(r"\b(?:save|export|write)\b")
    return tuple({"nc": "netcdf"}.get(form, form) for form in forms)


def _colours(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for pattern in _COLOURED:
        for match in sentence.take(pattern):
            yield match["what"].lower(), match["colour"].lower()


def _log(sentence: Sentence) -> Iterator[str]:
    for pattern in _LOG:
        for match in sentence.take(pattern):
            yield match["what"].lower() or "*"


def _order(sentence: Sentence, placed: Placed, *, magnitude: bool) -> tuple[str, ...]:
    """Return the quantities in the order of the sentence, including a magnitude to compute."""
    positions = [(start, quantity.name) for start, quantity in placed]
    if magnitude:
        matches = re.finditer(r"\bmagnitudes?\b", sentence.text, re.IGNORECASE)
        positions += [(match.start(), ABS_B) for match in matches]
    return tuple(dict.fromkeys(name for _, name in sorted(positions)))


def _drawn(sentence: Sentence, placed: Placed, coloured: set[str]) -> list[RequestQuantity]:
    """Return the quantities to draw, without components that the sentence names only to colour their lines."""
    if any(quantity.name not in INDICES for _, quantity in placed):
        sentence.take_first(r"\b(?:of|in) the solar wind\b")
    every = dict.fromkeys(quantity for _, quantity in placed)
    whole = {quantity.name for quantity in every if not quantity.component}
    drawn = [
        quantity for quantity in every if not (quantity.name in whole and is_coloured(quantity, coloured))
    ]
    parts = {quantity.name for quantity in drawn if quantity.component}
    if parts and sentence.take_first(r"\bonly\b"):
        return [quantity for quantity in drawn if quantity.component or quantity.name not in parts]
    return drawn


def _derived(sentence: Sentence, placed: Placed) -> str:
    """Return a quantity to compute from others, as ``dynamic pressure from density and velocity``, or ""."""
    if len(placed) < 2 or placed[0][1].name not in DERIVED:
        return ""
    (start, first), (following, _) = placed[:2]
    needed = {*(part.quantity for part in DERIVED[first.name].takes.values()), SPEED, ABS_B}
    computed = re.search(r"\bfrom\b", sentence.text[start:following], re.IGNORECASE)
    return first.name if computed and all(quantity.name in needed for _, quantity in placed[1:]) else ""


def _cadence(sentence: Sentence) -> float | None:
    cadence = None
    after_craft = rf"(?<![\w-])(?:{names_of_spacecraft()})\s+(?P<length>{_LENGTH})(?=\s*(?:[.,;]|$))"
    for match in re.finditer(after_craft, sentence.text, re.IGNORECASE):  # OMNI 1 min
        seconds = cadences_in(match["length"]) if sentence.take_at(*match.span("length")) else ()
        cadence = seconds[0] if seconds else cadence
    for match in sentence.take(_CADENCE):
        if match["bare"] and re.match(_NO_CADENCE, sentence.text[match.end() :], re.IGNORECASE):
            raise NotUnderstood(
                f"helio does not understand '{match[0]}'",
                advice="write '5 min averages', or a time as 'A to B'",
            )
        seconds = cadences_in(match[0])
        cadence = seconds[0] if seconds else cadence
    return cadence


def _doubt(
    mentions: tuple[ComputationMention, ...], placed: Placed, drawn: list[RequestQuantity], *, unclear: bool
) -> NotUnderstood | None:
    """Return an error if a sentence has several meanings; otherwise return None."""
    if unclear:
        return NotUnderstood(
            "it is not clear which quantity belongs to which spacecraft",
            advice="write each quantity after its spacecraft ('ACE density and Wind speed'), or first all spacecraft "
            "and then all quantities ('ACE and Wind density and speed')",
        )
    for mention in mentions:
        tool = mention.computation.tool
        between = tool not in (MAGNITUDE, *OF_TWO) and _is_between_two(mention.position, placed)
        if len(drawn) > 1 and (mention.partial or between):
            return NotUnderstood(
                f"it is not clear for which quantity to compute the {tool.replace('_', ' ')}",
                advice=f"request one quantity at a time, or {USE_A_MODEL}",
            )
    return None


def _is_between_two(position: int, placed: Placed) -> bool:
    """Return whether a quantity is named before a position in the sentence, and a different quantity after it."""
    before = {quantity for start, quantity in placed if start < position}
    return bool(before) and any(quantity not in before for start, quantity in placed if start > position)
