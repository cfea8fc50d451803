"""Find out which particles the table of quantities has of the instruments and spacecraft that a sentence names."""

from __future__ import annotations

import re

from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.named import Placed
from helio.knowledge.quantities import ALPHAS, ELECTRONS, FAST_ELECTRONS, IONS, PROTONS, SOURCES, families


def with_crafts(text: str) -> str:
    """Name the spacecraft behind an instrument that ends with its letter.

    >>> with_crafts("HOPE-A protons and SPAN-A electrons")
    'HOPE RBSP-A protons and SPAN-A electrons'
    """

    def named(match: re.Match[str]) -> str:
        crafts = {
            source.spacecraft
            for source in SOURCES
            if match[1].upper() in source.instruments and source.spacecraft.endswith(f"-{match[2]}")
        }
        return f"{match[1]} {crafts.pop()}" if len(crafts) == 1 else match[0]

    return re.sub(r"(?<![\w-])([A-Z][A-Za-z]{2,})-([AB])(?![\w-])", named, text)


def lacks_particles(request: PipelineRequest) -> bool:
    """Return whether the table of quantities has no particles of the spacecraft that the request asks for."""
    return any(
        quantity.name in (IONS, PROTONS, ELECTRONS, FAST_ELECTRONS, ALPHAS)
        and not any(
            source.quantity == quantity.name
            and source.spacecraft == craft
            and (not request.instruments or {*request.instruments} & source.instruments)
            for source in SOURCES
        )
        for quantity in request.quantities
        for craft in request.spacecraft
        if craft not in families()
    )


def at_energies(placed: Placed, instruments: tuple[str, ...], crafts: list[tuple[int, str]]) -> Placed:
    """Read a spectrogram of protons as that of energetic protons if the instrument measures only those."""
    named, flown = {*instruments}, {craft for _, craft in crafts}
    measured = {
        source.quantity
        for source in SOURCES
        if named & source.instruments and (not flown or source.spacecraft in flown)
    }
    other = {IONS: PROTONS, ELECTRONS: FAST_ELECTRONS} if named else {}
    return [
        (at, RequestQuantity(other[quantity.name]))
        if quantity.name in other and quantity.name not in measured and other[quantity.name] in measured
        else (at, quantity)
        for at, quantity in placed
    ]
