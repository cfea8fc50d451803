"""Read the cadence and the modes of the data from a sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from operator import itemgetter

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.writing.computations import DERIVED, MAGNITUDE_OF
from helio.knowledge.cadence import FINEST, cadences_in
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.modes import ALWAYS, LEVELS, MODES, VERSIONS, Mode
from helio.knowledge.quantities import (
    DISTANCE,
    LATITUDE,
    LONGITUDE,
    POSITION,
    SOURCES,
    QuantitySource,
    families,
)
from helio.knowledge.search import search_of
from helio.patterns import ignoring_case

LENGTH = r"(?:\d+(?:\.\d+)?|one)[\s-]*(?:seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h)\b"
"""Pattern of the length of a cadence."""
_NAMED = r"(?:(?:time[- ])?(?:resolution|cadence|res\.?|sampling))"
_CADENCE = (
    rf"\b{LENGTH}[- ](?:(?:time )?resolution|cadence|data|values|res\b\.?|sampling)"
    rf"|\b{_NAMED}\s*(?:of|:|=|is)?\s*{LENGTH}|(?<=\bat )(?:an?\s+)?{LENGTH}"
    rf"|\b(?:hourly|minutely|daily)\b(?:\s+{_NAMED})?"
    r"|\b(?P<bare>(?:\d+(?:\.\d+)?|one)[\s-]*(?:second|sec|s|minute|min|hour|hr|h))\b"
)
# 5 min SYM-H has a cadence, and 5 min from 10:00 a time
_NO_CADENCE = (
    r"\s+(?:(?:and|or)\s+(?:\d|an?\b|half)"
    r"|(?:of|from|after|before|around|later|long|ago|to|until|windows?|steps?|bins?|lag)\b)"
)
_ENDS = r"\s*(?:$|[,.;)])|\s+(?:on|for|in|at)\b"
_TIME_BEFORE = (
    r"\b(?:last|past|first|next|for|over|within|windows?|every|than|by|up to|of|is|=|most)\s*"
    r"(?:(?:the|an?)\s+)?$"
)
_ENOUGH = (
    r"\b(?:(?:data|resolution|cadence|values|averages?)\s+)?(?:is|are|would\s+be)\s+"
    r"(?:also\s+)?(?:fine|enough|ok|okay|sufficient|good(?:\s+enough)?)\b(?:\s+(?:too|also|as\s+well)\b)?"
)
_PER_SECOND = (
    r"(?<![-–\d.])(?<!\bto )(?<!\band )\b(?P<rate>\d+(?:\.\d+)?)\s*"
    r"(?:(?:vectors?|vecs?|samples?|points)\s*(?:per\s+sec(?:ond)?|/\s*s(?:ec)?)|VPS|S/s"
    r"|Hz(?=\s+(?:magnetic|field|magnetometer|mag|MFI|FGM|B|data|resolution|sampling)\b))\b"
)
_RATE_OF_MODE = r"(?P<mode>\b(?:mode|MAG|MFI|FGM|survey)\s*\()(?P<rate>\d+(?:\.\d+)?)\s*Hz\)"
"""The rate of a mode behind it: ``normal mode (8 Hz)``."""
_PHRASES = {mode: rf"(?<![\w-])(?:{mode.phrases})(?![\w-])" for mode in MODES}
_PARTS = re.compile(r"[,;+&]|\b(?:and|with|plus)\b", re.IGNORECASE)
_FINEST = r"\b(?:high(?:est)?|full|best)[- ]?res(?:olution)?\b"


def with_plain_rates(text: str) -> str:
    """Write numbers of records per second as a cadence.

    >>> with_plain_rates("FGM field, 5 vectors per second")
    'FGM field, 0.2 s resolution'
    >>> with_plain_rates("11 Hz field, 1 to 5 Hz field")
    '0.0909091 s resolution field, 1 to 5 Hz field'
    """
    text = ignoring_case(_RATE_OF_MODE).sub(
        lambda match: f"{match['mode']}{1 / float(match['rate']):g} s resolution)", text
    )
    return ignoring_case(_PER_SECOND).sub(lambda match: f"{1 / float(match['rate']):g} s resolution", text)


def take_cadences(sentence: Sentence, *, timed: bool, windowless: bool) -> list[tuple[int, float]]:
    """Remove the cadences from a sentence, and return them in seconds with their positions.

    Parameters
    ----------
    timed : bool
        Whether the sentence has a time: a length alone, as in ``AL, 5 min``, may else be one.
    windowless : bool
        Whether a computation has no window, which a length alone may be.

    Raises
    ------
    NotUnderstood
        A length may be a cadence, a window or a time.
    """
    cadences: list[tuple[int, float]] = []
    gives_choice = sentence.drop(_ENOUGH) > 0
    after_craft = rf"(?<![\w-])(?:{names_of_spacecraft()})\s+(?P<length>{LENGTH})(?=\s*(?:[.,;]|$))"
    for match in ignoring_case(after_craft).finditer(sentence.text):  # OMNI 1 min
        if sentence.take_at(*match.span("length")):
            cadences += [(match.start("length"), seconds) for seconds in cadences_in(match["length"])]
    for match in sentence.take(_CADENCE):
        if match["bare"]:
            behind = sentence.text[match.end() :]
            before = ignoring_case(_TIME_BEFORE).search(sentence.text[: match.start()])
            ends = ignoring_case(_ENDS).match(behind) and "-" not in match["bare"]
            hours = ignoring_case(r"(?!1\D)\d.*h").match(match["bare"])  # 2003-11-20, 6 h: probably a time
            in_brackets = sentence.text[: match.start()].endswith("(") and behind.startswith(")")
            may_be_window = windowless and not (in_brackets and re.search(r"s(?:ec)?$", match["bare"]))
            unclear = before or may_be_window or not timed or hours
            if ("-" not in match["bare"] and ignoring_case(_NO_CADENCE).match(behind)) or (ends and unclear):
                raise NotUnderstood(
                    f"helio does not understand '{match[0]}'",
                    advice="write '5 min averages', or a time as 'A to B'",
                )
        cadences += [(match.start(), seconds) for seconds in cadences_in(match[0])]
    if not cadences and (finest := sentence.take_first(_FINEST)):
        return [(finest.start(), FINEST)]
    if gives_choice and cadences:  # 12 s? 3 s is ok too
        return [min(cadences, key=itemgetter(1))]
    return cadences


def take_modes(
    sentence: Sentence,
    crafts: Sequence[tuple[int, str]],
    instruments: Sequence[str],
    quantities: Collection[str],
    catalogue: Catalogue,
) -> tuple[tuple[str, str], ...]:
    """Remove the names of modes in which one of the spacecraft has data; return each with its instrument.

    A word such as ``fast`` is no mode for other spacecraft, whose data have none. Of several modes, each belongs to
    the instrument that is named in the same part of the sentence; a level and a version also belong to the spacecraft
    there.

    Raises
    ------
    NotUnderstood
        One of several versions has no instrument and no spacecraft.
    """
    if not any(map(sentence.has, _PHRASES.values())):
        return ()
    grouped = families()
    flown = {member for _, craft in crafts for member in grouped.get(craft, (craft,))}
    rows = [source for source in SOURCES if source.spacecraft in flown]
    flown |= search_of(catalogue).named(sentence.text)[1]
    owners = zip(catalogue.rows, catalogue.crafts(), strict=True)
    titles = [f"{row.id} {row.title}" for row, (_, craft) in owners if craft.spacecraft in flown]
    names = "\n".join([*titles, *(" ".join(source.parameters) for source in rows)])
    found: list[tuple[int, str]] = []
    only_places = bool(quantities) and {*quantities} <= {POSITION, DISTANCE, LATITUDE, LONGITUDE}
    for mode, phrases in _PHRASES.items():
        if mode.name in LEVELS and only_places:
            continue  # ephemerides have none
        if (
            mode.name in ALWAYS
            or (any(_has(quantity, mode, rows) for quantity in quantities) and not mode.required)
            or ((mode.required or not quantities) and mode.is_of(names))
        ):
            found += [(match.start(), mode.name) for match in sentence.take(phrases)]
    if len({name for _, name in found}) < 2 and {name for _, name in found}.isdisjoint((*LEVELS, *VERSIONS)):
        return tuple(dict.fromkeys((name, "") for _, name in found))
    cuts = [0, *(match.start() for match in _PARTS.finditer(sentence.text)), len(sentence.text)]
    modes: list[tuple[str, str]] = []
    for start, name in sorted(found):
        first = max(cut for cut in cuts if cut <= start)
        stop = min(cut for cut in cuts if cut > start)
        part = sentence.text[first:stop]
        own = [
            instrument
            for instrument in instruments
            if ignoring_case(rf"(?<!\w){instrument}(?!\w)").search(part)
        ]
        if name in (*LEVELS, *VERSIONS) and not own:
            own = [craft for at, craft in crafts if first <= at < stop and craft not in grouped]
        modes.append((name, own[0] if len(own) == 1 else ""))
    versions = {mode for mode in modes if mode[0] in VERSIONS}
    if unclear := [name for name, owner in versions if len(versions) > 1 and not owner]:
        raise NotUnderstood(
            f"it is not clear of which data to take the version '{unclear[0]}'",
            advice="write each version beside its instrument ('SWE H1 density and MFI H0 field')",
        )
    return tuple(dict.fromkeys(modes))


def _has(
    quantity: str, mode: Mode, rows: Sequence[QuantitySource], above: frozenset[str] = frozenset()
) -> bool:
    """Return whether there are data of a mode of a quantity, or of all from which helio computes it."""
    same = {quantity, MAGNITUDE_OF.get(quantity)}
    if quantity not in DERIVED or any(row.quantity in same for row in rows):
        own = [row for row in rows if row.quantity in same]
        return any(mode.is_of(f"{row.dataset} {' '.join(row.parameters)}") for row in own)
    above |= {quantity}
    takes = [part.quantity for part in DERIVED[quantity].takes.values()]
    return above.isdisjoint(takes) and all(_has(part, mode, rows, above) for part in takes)
