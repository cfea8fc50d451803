"""Find the parameters of the catalogue that have the particles a sentence asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import astuple, replace
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.catalogue.catalogue_choice import (
    MOST_CHOICES,
    best_matches,
    by_id,
    chosen,
    in_same_dataset,
    lowest,
    of_one_craft,
    of_other_sensors,
)
from helio.authoring.rules.catalogue.catalogue_matches import (
    COMPONENT,
    Match,
    Named,
    Wanted,
    reaches,
    with_particles,
)
from helio.authoring.rules.catalogue.catalogue_parameters import (
    DescribedDataset,
    described_dataset,
    numbers_of,
    sensor_names,
)
from helio.authoring.rules.catalogue.particle_words import (
    COUNTED,
    PLAIN,
    Segment,
    Wish,
    read_particles,
)
from helio.authoring.rules.harmless import IN_REQUESTS
from helio.authoring.rules.reading.sentence import Part
from helio.authoring.writing.asking import Asks
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.instrument_index import folded, instrument_index, is_name
from helio.knowledge.particles import Species
from helio.knowledge.phrases import TAKEN
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import search_of
from helio.patterns import ignoring_case

_PROTONS = (Species("H"), Species("H", 1, 1), Species("H", 0, 1))
"""Protons, which are most of the ions of an instrument that tells none apart."""
_ALONG_FIELD = ("parallel", "perpendicular")
"""Words that make a temperature another one."""
_COMPONENT_BEHIND = re.compile(r"\s*(?:and|plus|with|,|&)\s*(V_?[xyzrtn])\b")
_QUESTION = "Which of these particle data do you mean?"
_PLACES = frozenset({"above", "below", "beneath", "underneath", "under"})
"""Words for the place of a panel, which also stand in descriptions: ``contribution to density below 10 eV``."""
MOST_CHANNELS = 8
"""Maximum number of channels that helio draws if the request names none, in one panel."""


def particles_asked(
    view: str,
    parts: Sequence[Part],
    crafts: Sequence[tuple[int, str]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
) -> list[Named]:
    """Find the parameters for all particles that a sentence asks for; empty if one is not there, or not clear.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    """
    crafts = [*crafts, *_off_table(view, parts, crafts, catalogue)]
    datasets = _datasets(view, crafts, catalogue)
    parameters = [described for dataset in datasets for described in dataset.parameters]
    channels = {name for described in parameters for name in (described.parameter.name, described.channel)}
    sensors = frozenset[str]().union(*(dataset.sensors for dataset in datasets))
    read = read_particles(view, crafts, channels, sensors)
    if all(_is_plasma(wish) for _, wishes in read for wish in wishes):
        return []
    if any(COMPONENT.search(view, segment.start, segment.stop) for segment, _ in read):
        return []  # O+ Vx is no flux
    for segment, _ in read:
        rare = segment.moments and not {*segment.species} <= {*PLAIN}
        if rare and (unclear := _COMPONENT_BEHIND.match(view, segment.stop)):
            raise NotUnderstood(
                f"it is not clear of which particles '{unclear[1]}' is",
                advice=f"name them again, such as 'O+ {unclear[1]}'",
            )
    unread = {span for part in parts for span in part.left}
    _name_sensors([segment for segment, _ in read], sensors)
    needed = not unread or any(
        segment.energies
        or segment.directions
        or segment.channels
        or segment.what.pitch
        or any(overlap((segment.start, segment.stop), span) for span in unread)
        for segment, _ in read
        if not segment.names
    )
    read = [
        (segment, wishes)
        for segment, wishes in read
        if not (segment.words and all(map(_is_plasma, wishes))) and (needed or segment.names)
    ]  # particles without an instrument that the table knows are read already
    capitals = {word for segment, _ in read for word, _ in segment.words if len(word) > 2 and word.isupper()}
    measured = [described for dataset in datasets for described in dataset.measured]
    if not all(any(described.explains(word) for described in measured) for word in capitals):
        return []  # the name of another instrument
    named: list[Named] = []
    whole = _whole(view, read, datasets, wanted, catalogue, ask, unread)
    for segment, matches in whole or [(segment, []) for segment, _ in read]:
        _refuse_limits(segment, matches, view)
    for segment, matches in whole:
        explained = [
            span
            for word, span in segment.words
            if word not in _PLACES and all(match.first.explains(word) for match in matches)
        ]
        if any(
            word in _ALONG_FIELD or any(overlap(span, place) for place in unread)
            for word, span in segment.words
            if span not in explained
        ):
            return []
        spans = tuple(sorted({*segment.spans, *explained}))
        said = " ".join(view[slice(*span)] for span in spans)
        region = (segment.start, segment.stop)
        named.append(Named(said, region, spans, tuple(matches), tuple(segment.crafts)))
    return named


def overlap(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Return whether two pieces of a sentence have a letter in common."""
    return first[0] < second[1] and second[0] < first[1]


def _is_plasma(wish: Wish) -> bool:
    """Return whether a wish is a moment of all protons, ions or electrons, which the table of quantities has."""
    of_table = {folded(name) for source in SOURCES for name in source.instruments}
    return (
        bool(wish.moment and wish.moment not in COUNTED)
        and wish.species in PLAIN
        and wish.energy is None
        and {folded(word) for word in wish.words} <= of_table
    )


def _whole(
    view: str,
    read: Sequence[tuple[Segment, list[Wish]]],
    datasets: Sequence[DescribedDataset],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
    unread: Collection[tuple[int, int]],
) -> list[tuple[Segment, list[Match]]]:
    """Choose parameters for every wish of every part; empty if one has none, or several that differ.

    Also if no parameter has a word of a part that nothing else explains.
    """
    every: list[tuple[Segment, Wish, list[Match]]] = []
    for segment, wishes in read:
        own = segment.names
        if not own and not segment.crafts:
            return []
        reaching = [
            dataset
            for dataset in datasets
            if (
                (own & dataset.sensors and not segment.has_craft)
                or {dataset.craft.spacecraft, dataset.craft.mission} & {*segment.crafts}
            )
            and reaches(dataset.entry, wanted.spans, catalogue)
        ]
        if any(wanted.has(dataset) and own <= dataset.sensors for dataset in reaching) or wanted.strict:
            reaching = [dataset for dataset in reaching if wanted.has(dataset)]
        needed = [word for word, span in segment.words if any(overlap(span, other) for other in unread)]
        for wish in wishes:
            fits = _explaining(wish, reaching, own)
            if not fits and own and wish.species in _PROTONS:
                fits = _as_ions(wish, reaching, own)
            if not fits:
                _refuse_cut(wish, reaching, own)
                if segment.is_continued:
                    raise NotUnderstood(
                        f"helio finds no {wish.moment} of the same particles",
                        advice=f"leave it out, or say of which particles, such as 'proton {wish.moment}'",
                    )
                return []
            if not all(any(match.first.explains(word) for match in fits) for word in needed):
                return []
            if not segment.crafts:
                said = " ".join(view[segment.start : segment.stop].replace(TAKEN, " ").split())
                fits = of_one_craft(fits, said, [before for *_, before in every], ask)
                if not fits:
                    return []
            every += [(segment, wish, matches) for matches in _of_each(segment.crafts, fits)]
    whole: list[tuple[Segment, list[Match]]] = [(segment, []) for segment, _ in read]
    one_side = any(wish.direction for _, wishes in read for wish in wishes)
    for segment, found in whole:
        beside = [
            fits for other, _, fits in every if (other.names, other.crafts) == (segment.names, segment.crafts)
        ]
        for wish, fits in ((wish, fits) for of, wish, fits in every if of is segment):
            best = _best(wish, in_same_dataset(fits, beside), wanted, catalogue, ask, one_side=one_side)
            if not best:
                return []
            found += best
    return whole


def _of_each(crafts: Sequence[str], fits: list[Match]) -> list[list[Match]]:
    """Return the matches of each of several spacecraft, or else all together."""
    if len({*crafts}) < 2:
        return [fits]
    flown = (
        [match for match in fits if craft in astuple(match.first.craft)] for craft in dict.fromkeys(crafts)
    )
    return [matches for matches in flown if matches]


def _as_ions(wish: Wish, datasets: Sequence[DescribedDataset], names: frozenset[str]) -> list[Match]:
    """Return the ions at the energies of protons, if the instrument tells no ions apart, as EPAM."""
    if wish.energy and _explaining(replace(wish, energy=None), datasets, names):
        return []
    return _explaining(replace(wish, species=Species("ion")), datasets, names)


def _explaining(wish: Wish, datasets: Sequence[DescribedDataset], names: frozenset[str]) -> list[Match]:
    """Return the parameters with the particles of a wish that explain all names, and most of the other words."""
    missing = {
        match: sum(not match.first.explains(word) for word in wish.words)
        for dataset in datasets
        for match in with_particles(wish, dataset, names)
        if all(map(match.first.explains, names))
    }
    return lowest([*missing], missing.__getitem__)


def _name_sensors(segments: Sequence[Segment], known: frozenset[str]) -> None:
    """Find the names of instruments that each part has, or else the part before or behind it."""
    for segment in segments:
        words = [folded(word) for word, _ in segment.words if is_name(word)]
        pairs = {first + second for first, second in pairwise(words) if not {first, second} & known}
        segment.names = frozenset(({*words} | pairs) & known)
    for before, after in (*pairwise(segments), *pairwise(segments[::-1])):
        after.names = after.names or before.names


def _off_table(
    view: str, parts: Sequence[Part], crafts: Sequence[tuple[int, str]], catalogue: Catalogue
) -> list[tuple[int, str]]:
    """Return the one spacecraft without a row in the table of quantities, with the position of its part."""
    search = search_of(catalogue)
    if len(search.named(view)[1] - {craft for _, craft in crafts}) != 1:
        return []
    starts = [(part.region[0], search.named(view[slice(*part.region)])[1]) for part in parts]
    named = [(start if crafts else 0, name) for start, names in starts for name in names]
    return named if len(named) == 1 else []


def _datasets(view: str, crafts: Sequence[tuple[int, str]], catalogue: Catalogue) -> list[DescribedDataset]:
    """Return the datasets of the named spacecraft, and those of instruments that these do not have."""
    named = {craft for _, craft in crafts} or search_of(catalogue).named(view)[1]
    words = re.findall(r"[^\s\x01,;()/]+", view)
    words = [word for word in words if is_name(word) and word not in IN_REQUESTS]
    spelt = {*map(folded, words)} | {folded(first + second) for first, second in pairwise(words)}
    flown = numbers_of(named, catalogue)
    rows = [catalogue.rows[number] for number in flown]
    elsewhere = sorted(spelt - frozenset[str]().union(*(sensor_names(row.id, row.title) for row in rows)))
    index = instrument_index(catalogue)
    of_names = [index.numbers(name) for name in elsewhere]
    others = [described_dataset(number, catalogue) for number in sorted(frozenset[int]().union(*of_names))]
    known = [name for name, numbers in zip(elsewhere, of_names, strict=True) if numbers]
    whole = [
        dataset
        for dataset in others
        if all(any(described.explains(name) for described in dataset.measured) for name in known)
    ]  # the LEMS120 of EPAM
    return [described_dataset(number, catalogue) for number in flown] + (whole or others)


def _refuse_cut(wish: Wish, datasets: Sequence[DescribedDataset], names: frozenset[str]) -> None:
    """Refuse energies that the instrument has not, and pitch angles without an energy, if it has the particles."""
    if wish.energy and (others := _explaining(replace(wish, energy=None), datasets, names)):
        raise NotUnderstood(
            "helio finds no channel with these energies", advice=f"choose one of {_listed(others)}"
        )
    averaged = replace(wish, pitch=False, averaged=True)
    whole = wish.pitch and not (wish.energy or wish.angles)
    if whole and any(match.cuts for match in _explaining(averaged, datasets, names)):
        raise NotUnderstood(
            "the pitch angles are measured at several energies",
            advice="say at which energy to draw them, such as 'pitch angles at 1 keV'",
        )


def _refuse_limits(segment: Segment, matches: Sequence[Match], view: str) -> None:
    """Refuse a spectrogram of a range of energies, which is neither their average nor the whole spectrogram.

    Not if the matches are whole spectrograms of this range.
    """
    ranges = [energy for energy in segment.energies if energy.low < energy.high < math.inf]
    said = view[segment.start : segment.stop]
    is_whole = matches and not any(match.cuts for match in matches)
    averaged = ignoring_case(r"averag|mean|integrat|summ").search(said)
    if segment.what.spectrum and ranges and not (is_whole or averaged):
        raise NotUnderstood(
            "helio draws the spectrogram of all energies",
            advice="leave the energies out, or write 'flux averaged over' before them",
        )


def _best(
    wish: Wish, fits: Sequence[Match], wanted: Wanted, catalogue: Catalogue, ask: Asks, *, one_side: bool
) -> list[Match]:
    """Return the best parameter, or all channels of the best dataset; empty if several are equally good.

    Parameters
    ----------
    one_side : bool
        Whether the request names the side of a sensor, for these particles or for others.

    Raises
    ------
    NotUnderstood
        The dataset has many channels, and the request names none.
    """
    best = best_matches(fits, "", wish, wanted, catalogue)
    fits = by_id(fits)
    if len(best) == 1 and not one_side:
        best += of_other_sensors(best[0], fits, wish, wanted, catalogue)
        if 1 < len(best) <= MOST_CHOICES:
            return chosen(_QUESTION, best, ask)
    instruments = {match.dataset.instrument for match in fits}
    if len(instruments) > 1 and wish == Wish(wish.species, spectrum=wish.spectrum):
        alike = (
            [match for match in fits if match.dataset.instrument == name] for name in sorted(instruments)
        )
        best = [best_matches(group, "", wish, wanted, catalogue)[0] for group in alike]
        return chosen(_QUESTION, best, ask)
    if len({match.dataset.id for match in best}) > 1:
        return []
    scalar = not any(match.first.parameter.size for match in best)
    of_telescopes = all(
        name.startswith("telescope") for match in best for name in match.first.directions or ("",)
    )
    if len(best) > (2 if of_telescopes else MOST_CHANNELS) and not wish.every:
        best = [match for match in best if "telescope 1" in match.first.directions] or best
    if len(best) > MOST_CHANNELS and not (wish.every and scalar):
        raise NotUnderstood(
            f"{best[0].dataset.id} has {len(best)} parameters that fit"
            + ", each for one direction, and no omnidirectional flux" * wish.omni,
            advice=f"choose by energy or direction: {_listed(best)} …",
        )
    general = {"ion"} if wish.species in _PROTONS else set()
    best = lowest(best, lambda match: len(match.first.words.species - general))  # no electrons and protons
    if len(best) == 1:
        return best
    units = {match.first.parameter.canonical_unit for match in best}
    if scalar and len(units) == 1 and (wish.every or not (wish.energy or wish.moment)):
        return [Match(tuple(match.first for match in best))]
    return chosen(_QUESTION, best, ask)


def _listed(matches: Sequence[Match]) -> str:
    return "; ".join([*dict.fromkeys(match.described for match in matches)][:MOST_CHANNELS])
