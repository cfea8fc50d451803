"""Choose the dataset and parameter for a quantity of a spacecraft, by frame, cadence and time."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product

from helio.authoring.outcome import NotInTable, NotUnderstood
from helio.authoring.request import RequestQuantity
from helio.authoring.writing.computations import has_quantity
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import TURNABLE
from helio.knowledge.modes import BY_NAME, LEVELS, ON_REQUEST, PRODUCTS, VERSIONS, in_kinds, in_modes
from helio.knowledge.quantities import (
    POSITION,
    SOURCES,
    QuantitySource,
    rows_of,
    sources_of,
    spacecraft_named,
)
from helio.knowledge.quantity_words import INDICES
from helio.time_range import TimeRange

_CADENCE = re.compile(r"(?<![A-Za-z0-9])\d+(?:S|SEC|MIN|HR|HOUR)(?![A-Za-z0-9])")
"""Pattern of the cadence in the id of a dataset."""


def pick(
    quantity: str,
    craft: str,
    *,
    catalogue: Catalogue,
    frame: str = "",
    cadence: float | None = None,
    modes: Sequence[tuple[str, str]] = (),
    span: TimeRange | None = None,
    instruments: Sequence[str] = (),
    energies: Sequence[str] = (),
    at_hand: Sequence[tuple[str, str]] = (),
    datasets: Sequence[str] = (),
) -> list[QuantitySource]:
    """List the datasets and parameters that have a quantity, best first; empty if no dataset has it in the given frame.

    Of sources in some `datasets`, only these count. Sources `at_hand`, which a pipeline fetches already, come first;
    then those of the person's own archive, if they reach into the time and are fine enough for the cadence, first
    those that cover most of the time; then those of the named instruments. For a cadence the coarsest source is taken
    that is not coarser, as finer data can be averaged.

    Raises
    ------
    NotUnderstood
        No source is in one of the modes, or none reaches into the time.
    """
    sources = _sources_of(quantity, craft, frame, catalogue)
    if not sources:
        return []
    named = [source for source in sources if source.dataset in datasets]
    if not named and any(has_quantity(dataset, quantity) for dataset in datasets):
        return []  # the named dataset has all from which it is computed
    sources = named or sources
    table = tuple(sources)
    if cadence is not None:
        sources += [
            sibling for source in table for sibling in _siblings(source, catalogue) if sibling not in table
        ]
    most = max(len({*instruments} & source.instruments) for source in sources)
    sources = [source for source in sources if len({*instruments} & source.instruments) == most]
    if energies:
        sources = [source for source in sources if any(energy in source.note for energy in energies)]
        if not sources:
            raise NotUnderstood(f"helio knows no {quantity} {' or '.join(energies)} of {craft}")
    if quantity in INDICES:  # a collection or a version is that of the other data
        names = [_names(source, catalogue) for source in sources]
        foreign = {*PRODUCTS, *VERSIONS}
        modes = [mode for mode in modes if mode[0] not in foreign or any(map(BY_NAME[mode[0]].is_of, names))]
    for kind in in_kinds(modes) or [[]]:
        sources = _in_modes(sources, kind, f"{quantity} of {craft}", catalogue)
    if span is not None:
        reaching = [source for source in sources if _reaches(source, span, catalogue)]
        if not reaching:
            spans = "; ".join(f"{source.dataset} {coverage(source, catalogue)}" for source in sources[:3])
            archived = catalogue.covered_elsewhere(sources[0].dataset)
            raise NotUnderstood(
                f"{craft} has no {quantity} for {span} {archived}".rstrip(),
                advice=f"choose a time with data: {spans}",
            )
        # another dataset may have records of a time after the last that the catalogue knows of this one
        sources = [source for source in reaching if has_records(source.dataset, span, catalogue)] or reaching
        most_covered = max(quarters(source.dataset, span, catalogue) for source in sources)
        sources = [
            source
            for source in sources
            if quarters(source.dataset, span, catalogue) == most_covered or _is_archived(source, catalogue)
        ]
    sources.sort(key=lambda source: _share_in_archive(source, span, catalogue), reverse=True)
    sources.sort(key=lambda source: (source.dataset, source.parameters[0]) not in at_hand)
    first = sources[0]
    if cadence is not None and (first.dataset, first.parameters[0]) not in at_hand:
        first = min(sources, key=lambda source: _rank(source, cadence, sources, catalogue))
    others = [source for source in sources if source is not first and source in table]
    return [first, *(source for source in others if first in table and source.alike(first))]


def _in_modes(
    sources: list[QuantitySource], modes: Sequence[tuple[str, str]], what: str, catalogue: Catalogue
) -> list[QuantitySource]:
    """Return the sources in the modes that are named for their instruments or spacecraft, or for no data alone."""
    taken: list[QuantitySource] = []
    fitting: list[str] = []
    absent: list[str] = []
    in_all = sources
    beside = [mode for mode in modes if any(mode[1] in source.instruments for source in sources)]
    for mode, instrument in beside or modes:
        own = [source for source in sources if instrument in ("", source.spacecraft, *source.instruments)]
        data = [(source, _names(source, catalogue), source.cadence) for source in own]
        chosen, missing = in_modes([mode], data)
        taken += [source for source in sources if source in chosen and source not in taken]
        fitting += [mode] if chosen else []
        in_all = [source for source in in_all if source in chosen]
        absent += missing if own else ()
    if len({*fitting}) > 1 and in_all:
        return in_all
    if len({*fitting}) > 1:
        raise NotUnderstood(
            f"it is not clear in which mode to take the {what}: {' or '.join(fitting)}",
            advice="write each mode beside its instrument ('FGM survey field and DIS fast density')",
        )
    if not taken and any(BY_NAME[mode].required for mode in absent):
        quantity = what.partition(" of ")[0]
        names = " or ".join(absent)
        kind = f"{what} in {names}" if {*absent} & {*PRODUCTS, *LEVELS, *VERSIONS} else f"{names}-mode {what}"
        raise NotInTable(f"helio knows no {kind}", quantity=quantity)
    unasked, _ = in_modes(ON_REQUEST, [(source, _names(source, catalogue), None) for source in sources])
    return taken or [source for source in sources if source not in unasked] or sources


def _names(source: QuantitySource, catalogue: Catalogue) -> str:
    return " ".join((source.dataset, *source.parameters, catalogue.summary(source.dataset).title))


def _sources_of(quantity: str, craft: str, frame: str, catalogue: Catalogue) -> list[QuantitySource]:
    """Return the table's sources of a quantity, then those of the archive that are recognised by their parameters."""
    sources = sources_of(quantity, craft, frame=frame)
    meant = (quantity, spacecraft_named(craft))
    own = (source for entry in catalogue.archived(meant[1]) for source in rows_of(entry))
    own = (source for source in own if (source.quantity, source.spacecraft) == meant)
    return sources + [source for source in own if frame in ("", source.frame) and source not in sources]


def _siblings(source: QuantitySource, catalogue: Catalogue) -> list[QuantitySource]:
    """Return the same parameters in datasets whose ids differ in the cadence: ``L3I-10MIN`` beside ``L3I-5MIN``."""
    if not _CADENCE.search(source.dataset):
        return []
    alike = re.compile(_CADENCE.sub(lambda _: _CADENCE.pattern, re.escape(source.dataset)), re.IGNORECASE)
    found = []
    for dataset in catalogue.ids():
        if dataset == source.dataset or not alike.fullmatch(dataset):
            continue
        entry = catalogue.dataset(dataset)
        if {parameter.name for parameter in entry.parameters} >= {*source.parameters} and len(
            entry.cadence
        ) == 1:
            found.append(replace(source, dataset=dataset, cadence=entry.cadence[0]))
    return found


def _rank(
    source: QuantitySource, cadence: float, sources: Sequence[QuantitySource], catalogue: Catalogue
) -> tuple[bool, bool, bool, bool, float, int]:
    """Return a sort key for a cadence: fine enough, of the archive, final, not changing, closest, first in order."""
    is_coarse = source.cadence is not None and source.cadence > 1.5 * cadence
    changes = source.cadence is None
    is_preliminary = "preliminary" in source.note
    distance = abs(math.log(source.cadence / cadence)) if source.cadence else 0.0
    in_archive = _is_archived(source, catalogue)
    return is_coarse, not in_archive, is_preliminary, changes, distance, sources.index(source)


def frames_of(quantities: Sequence[str], crafts: Sequence[str]) -> list[str]:
    """Return the frames in which every given spacecraft has every given quantity, with the preferred frame first."""
    lists = [[source.frame for source in sources_of(*pair)] for pair in product(quantities, crafts)]
    first = dict.fromkeys(lists[0]) if lists else ()
    return [frame for frame in first if all(frame in frames for frames in lists)]


def is_available(quantity: RequestQuantity, crafts: Sequence[str], frame: str) -> bool:
    """Return whether every given spacecraft has a vector, or its component, in a frame, or in one to turn into it."""
    frames = frames_of([quantity.name], crafts)
    turned = frame in TURNABLE and any(name in TURNABLE for name in frames)
    has_component = not quantity.component or (frame == "RTN") == (quantity.component in "rtn")
    return has_component and (frame in frames or turned)


def quantities_of(craft: str) -> list[str]:
    """Return the physical quantities that a spacecraft has."""
    return list(dict.fromkeys(source.quantity for source in SOURCES if source.spacecraft == craft))


UPSTREAM = ("OMNI", "ACE", "Wind", "DSCOVR")
"""Where the solar wind is measured before it comes to the Earth."""


def crafts_with(quantity: str, frame: str = "") -> list[str]:
    """Return the spacecraft that have a physical quantity, in a frame if one is given."""
    rows = (source for source in SOURCES if source.quantity == quantity)
    return list(dict.fromkeys(source.spacecraft for source in rows if frame in ("", source.frame)))


@cache
def near_the_earth() -> frozenset[str]:
    """Return the spacecraft whose longitude and distance from the Sun are about those of the Earth."""
    return frozenset((*UPSTREAM, *crafts_with(POSITION, "GSE"), *crafts_with(POSITION, "GSM")))


def coverage(source: QuantitySource, catalogue: Catalogue) -> str:
    """Describe which time a dataset covers, as ``from 1997-09-02 to 2025-12-30``, or ``on 2003-11-20``."""
    entry = catalogue.summary(source.dataset)
    first, last = (instant.date().isoformat() if instant else "?" for instant in (entry.first, entry.last))
    return f"on {first}" if first == last != "?" else f"from {first} to {last}"


def ended(dataset: str, catalogue: Catalogue) -> datetime | None:
    """Return the time of a dataset's last record; return None if the dataset still gets new records."""
    entry = catalogue.summary(dataset)
    return _naive(entry.last) if entry.last is not None and catalogue.has_stopped(entry) else None


def cadence_words(cadence: float | None) -> str:
    """Describe the cadence of a dataset, given in seconds, in words, such as ``16 s``."""
    return cadence_text(cadence) if cadence else "changing cadence"


def _is_archived(source: QuantitySource, catalogue: Catalogue) -> bool:
    """Return whether the user's own archive has all parameters of a quantity."""
    if not catalogue.in_archive(source.dataset):
        return False
    known = {parameter.name for parameter in catalogue.dataset(source.dataset).parameters}
    return known.issuperset(source.parameters)


def _share_in_archive(source: QuantitySource, span: TimeRange | None, catalogue: Catalogue) -> float:
    """Return which share of a time a source of the person's own archive covers; -1 for a source that is elsewhere."""
    if not _is_archived(source, catalogue):
        return -1.0
    entry = catalogue.summary(source.dataset)
    if span is None or entry.first is None or entry.last is None:
        return 0.0
    # the last record stands for the time up to the next one
    last = _naive(entry.last) + timedelta(seconds=max(entry.cadence, default=0.0))
    return round(_covered(span, _naive(entry.first), last), 2)


def _reaches(source: QuantitySource, span: TimeRange, catalogue: Catalogue) -> bool:
    entry = catalogue.summary(source.dataset)
    if entry.first is not None and span.stop <= _naive(entry.first):
        return False
    last = ended(source.dataset, catalogue)
    return last is None or span.start <= last


def quarters(dataset: str, span: TimeRange, catalogue: Catalogue) -> int:
    """Return how many quarters of a time range lie between the first and the last record of a dataset, rounded."""
    first, last = catalogue.summary(dataset).first, ended(dataset, catalogue)
    return round(4 * _covered(span, _naive(first) if first else span.start, last or span.stop))


def _covered(span: TimeRange, first: datetime, last: datetime) -> float:
    """Return the share of a time range that lies between two times."""
    return max((min(span.stop, last) - max(span.start, first)) / (span.stop - span.start), 0.0)


def has_records(dataset: str, span: TimeRange, catalogue: Catalogue) -> bool:
    """Return whether a time range begins before the last record that the catalogue knows of a dataset."""
    last = catalogue.summary(dataset).last
    return last is None or span.start <= _naive(last)


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
