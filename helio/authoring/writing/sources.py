"""Where a quantity of a spacecraft is taken from: the table of quantities, held to frame, cadence and time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from helio.authoring.outcome import NotUnderstood
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES, QuantitySource, sources_of
from helio.time_range import TimeRange

LATE = timedelta(days=365)
"""A dataset that lags behind the catalogue by more has probably stopped."""


def pick(
    quantity: str,
    craft: str,
    *,
    catalogue: Catalogue,
    frame: str = "",
    cadence: float | None = None,
    burst: bool = False,
    span: TimeRange | None = None,
    instruments: Sequence[str] = (),
) -> list[QuantitySource]:
    """The sources that do, the one to use first; empty when the table has none in that frame.

    Of a cadence the coarsest source that is not coarser: finer data can be averaged. Of the instruments, those that
    have the quantity come first. Sources of an archive of one's own that reach into the time are taken before all
    others.

    Raises
    ------
    NotUnderstood
        There are some, but none in burst mode, or none that reaches into the time.
    """
    found = sources_of(quantity, craft, frame=frame)
    if not found:
        return []
    found = _preferred(found, lambda source: bool(set(instruments) & _pieces(source)))
    if burst:
        found = [source for source in found if "BRST" in source.dataset.upper()]
        if not found:
            raise NotUnderstood(f"the table of quantities has no {quantity} of {craft} in burst mode")
    found = _preferred(found, lambda source: burst or "BRST" not in source.dataset.upper())
    if span is not None:
        reaching = [source for source in found if _reaches(source, span, catalogue)]
        if not reaching:
            told = "; ".join(f"{source.dataset} {coverage(source, catalogue)}" for source in found[:3])
            raise NotUnderstood(f"{craft} has no {quantity} for {span}", advice=f"there is {told}")
        # one that merely seems to have stopped may go on, and comes after those that did not stop
        found = _preferred(reaching, lambda source: not _stopped_before(source, span, catalogue))
    found = _preferred(found, lambda source: _is_archived(source, catalogue))
    first = found[0]
    if cadence is not None:
        first = min(found, key=lambda source: (*_apart(source.cadence, cadence), found.index(source)))
    return [first, *(source for source in found if source is not first and source.alike(first))]


def _preferred(
    sources: list[QuantitySource], holds: Callable[[QuantitySource], bool]
) -> list[QuantitySource]:
    """Return the items that pass a test; all of them if none passes."""
    return list(filter(holds, sources)) or sources


def _pieces(source: QuantitySource) -> set[str]:
    return set(re.split(r"[_-]", source.dataset.upper()))


def frames_of(quantity: str, crafts: Sequence[str]) -> list[str]:
    """Frames in which every one of the spacecraft has a quantity, in the order of the table."""
    each = [[source.frame for source in sources_of(quantity, craft)] for craft in crafts]
    return (
        [frame for frame in dict.fromkeys(each[0]) if all(frame in frames for frames in each)] if each else []
    )


def quantities_of(craft: str) -> list[str]:
    """What the table has of a spacecraft."""
    return list(dict.fromkeys(source.quantity for source in SOURCES if source.spacecraft == craft))


def crafts_with(quantity: str) -> list[str]:
    """Spacecraft of which the table has a quantity, those upstream of the Earth first as they stand there."""
    return list(dict.fromkeys(source.spacecraft for source in SOURCES if source.quantity == quantity))


def coverage(source: QuantitySource, catalogue: Catalogue) -> str:
    """``from 1997-09-02 to 2025-12-30``, as far as the catalogue knows."""
    entry = catalogue.summary(source.dataset)
    first, last = (instant.date().isoformat() if instant else "?" for instant in (entry.first, entry.last))
    return f"from {first} to {last}"


def ended(source: QuantitySource, catalogue: Catalogue) -> datetime | None:
    """When a source's last record was, if none has followed it for years."""
    entry = catalogue.summary(source.dataset)
    return _naive(entry.last) if entry.last is not None and catalogue.has_stopped(entry) else None


def cadence_words(source: QuantitySource) -> str:
    """Its cadence, in words."""
    return cadence_text(source.cadence) if source.cadence else "changing cadence"


def _is_archived(source: QuantitySource, catalogue: Catalogue) -> bool:
    """Whether an archive of one's own has all parameters of a source."""
    if not catalogue.in_archive(source.dataset):
        return False
    known = {parameter.name for parameter in catalogue.dataset(source.dataset).parameters}
    return known.issuperset(source.parameters)


def _reaches(source: QuantitySource, span: TimeRange, catalogue: Catalogue) -> bool:
    entry = catalogue.summary(source.dataset)
    if entry.first is not None and span.stop <= _naive(entry.first):
        return False
    last = ended(source, catalogue)
    return last is None or span.start <= last


def _stopped_before(source: QuantitySource, span: TimeRange, catalogue: Catalogue) -> bool:
    entry = catalogue.summary(source.dataset)
    if entry.last is None:
        return False
    return _naive(entry.last) < min(span.start, _naive(catalogue.as_of) - LATE)


def _apart(cadence: float | None, wanted: float) -> tuple[int, float]:
    """What is as fine as was wanted comes first, the closest of it; then what changes, then what is coarser."""
    if cadence is None:
        return 1, 0.0
    return 0 if cadence <= 1.5 * wanted else 2, abs(math.log(cadence / wanted))


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
