"""Find out which particles the table of quantities has of the instruments and spacecraft that a sentence names."""

from __future__ import annotations

import re

from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.reading.named import Placed, names_of_spacecraft
from helio.knowledge.quantities import (
    ALPHAS,
    ELECTRONS,
    FAST_ELECTRONS,
    IONS,
    PROTONS,
    SOURCES,
    families,
    spellings,
)
from helio.knowledge.quantities import B as FIELD


def with_crafts(text: str) -> str:
    """Name the spacecraft behind an instrument before the letter of one of two spacecraft.

    >>> with_crafts("HOPE-A protons and SPAN-A electrons"), with_crafts("mageis B electrons, EMFISIS B")
    ('HOPE RBSP-A protons and SPAN-A electrons', 'mageis RBSP-B electrons, EMFISIS B')
    """

    flown = {
        spellings()[name.casefold()]
        for name in re.findall(rf"(?i)(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])", text)
    }

    def named(match: re.Match[str]) -> str:
        sources = [source for source in SOURCES if match["name"].upper() in source.instruments]
        crafts = {source.spacecraft for source in sources}
        own = {craft for craft in crafts if craft.endswith(f"-{match['letter'][0]}")}
        is_field = match["letter"] == "B" and any(source.quantity == FIELD for source in sources)
        if flown and flown.isdisjoint(crafts):
            return match[0]  # the HET-A of PSP
        if len(own) == 1 and (match["sign"] == "-" or (len(crafts) == len("AB") and not is_field)):
            return f"{match['name']} {own.pop()}"
        return match[0]

    return re.sub(
        r"(?<![\w-])(?<!\bI )(?P<name>[A-Za-z]{3,})(?P<sign>[- ])(?P<letter>[AB]|Ahead|Behind)(?![\w-])",
        named,
        text,
    )


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
