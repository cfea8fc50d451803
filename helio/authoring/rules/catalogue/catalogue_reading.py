"""Read data that are in no row of the table of quantities: by what the catalogue says of its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from helio.authoring.request import Computation, Cut
from helio.authoring.rules.catalogue.catalogue_matches import Match, Named, Wanted
from helio.authoring.rules.catalogue.catalogue_particles import MOST_CHANNELS, particles_asked
from helio.authoring.rules.catalogue.catalogue_words import words_asked
from helio.authoring.rules.catalogue.particle_words import TAKEN
from helio.authoring.rules.reading.sentence import Part
from helio.authoring.writing.asking import Asks
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.modes import BY_NAME
from helio.knowledge.quantities import families


@dataclass(frozen=True)
class CatalogueReading:
    """Parameters that parts of a sentence name, and the positions of the words that name them.

    Parameters
    ----------
    crafts : frozenset of str
        The spacecraft in the table of quantities whose data these parameters alone are.
    hint : str
        Where to look, if too many parameters fit to choose from.
    """

    datasets: tuple[tuple[str, str], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    crafts: frozenset[str] = frozenset()
    hint: str = ""
    cuts: tuple[Cut, ...] = ()
    starts: tuple[int, ...] = ()
    """Where the words of each dataset begin."""
    shared: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Parameters that share a panel, such as the channels of a species."""
    repeats: bool = False
    """Whether different words would mean the same parameters."""


def read_catalogue(
    view: str,
    parts: Sequence[Part],
    crafts: Sequence[tuple[int, str]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
    *,
    integrated: bool,
) -> CatalogueReading:
    """Find the parameters that a sentence names; empty if a word stays unexplained.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    integrated : bool
        Whether the sentence asks for an integral, which over a range of energies is not one over time.
    """
    for mode, _ in wanted.modes:
        phrases = rf"(?<![\w-])(?:{BY_NAME[mode].phrases})(?![\w-])"
        view = re.sub(phrases, lambda match: TAKEN * len(match[0]), view, flags=re.IGNORECASE)
    particles = particles_asked(view, parts, crafts, wanted, catalogue, ask)
    spans = [span for named in particles for span in named.spans]
    covered = [
        any(start < part.region[1] and part.region[0] < stop for start, stop in spans) for part in parts
    ]
    words = words_asked(view, parts, covered, wanted, catalogue, ask)
    if isinstance(words, str):
        return CatalogueReading(hint=words)
    if words is None:
        return CatalogueReading()
    starts: dict[tuple[str, str], int] = {}
    cuts: list[Cut] = []
    notes: list[str] = []
    shared: list[tuple[tuple[str, str], ...]] = []
    for named in sorted([*particles, *words], key=lambda named: named.region):
        for match in named.matches:
            notes.append(f"'{named.said}' is read as {match.described}")
            if match.cuts:
                steps = tuple(_integral(step) if integrated else step for step in match.cuts)
                cuts.append(Cut(*match.first.pair, steps))
                notes += _note_of_unit(match)
            else:
                for described in match.parameters:
                    starts.setdefault(described.pair, named.region[0])
                if 1 < len(match.parameters) <= MOST_CHANNELS:
                    shared.append(tuple(described.pair for described in match.parameters))
    others = {
        craft
        for part, is_covered in zip(parts, covered, strict=True)
        if not is_covered and not any(named.region == part.region for named in words)
        for craft in part.crafts
    }
    return CatalogueReading(
        tuple(starts),
        tuple(span for named in (*particles, *words) for span in named.spans),
        tuple(dict.fromkeys(notes)),
        frozenset(craft for named in (*particles, *words) for craft in named.crafts if _is_of(craft, named))
        - others,
        cuts=tuple(dict.fromkeys(cuts)),
        starts=tuple(starts.values()),
        shared=tuple(shared),
        repeats=_repeats([*particles, *words]),
    )


def _repeats(every: Sequence[Named]) -> bool:
    """Return whether different words would mean the same parameters."""
    meant: dict[tuple[tuple[str, str], ...], str] = {}
    for named in every:
        pairs = tuple(
            described.pair for match in named.matches if not match.cuts for described in match.parameters
        )
        if pairs and meant.setdefault(pairs, named.said) != named.said:
            return True
    return False


def _is_of(craft: str, named: Named) -> bool:
    """Return whether some of the parameters are data of a spacecraft, or of a mission."""
    own = {craft, *families().get(craft, ())}
    return any({match.dataset.spacecraft, match.first.craft.mission} & own for match in named.matches)


def _integral(step: Computation) -> Computation:
    return replace(step, tool="band_integral") if step.tool == "band_average" else step


def _note_of_unit(match: Match) -> list[str]:
    """Say in which unit energies are given whose bins the catalogue does not list."""
    if match.first.bands or all(step.tool == "pitch_angle_average" for step in match.cuts):
        return []
    spelt = {"ev": "eV", "kev": "keV", "mev": "MeV", "gev": "GeV"}[match.first.energy_unit]
    return [
        f"the catalogue does not list the energies of {match.first.full_name}; they are taken to be in {spelt}"
    ]
