"""Choose the parameters of the catalogue that have the particles a sentence asks for, and what to take of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Cut
from helio.authoring.rules.catalogue_matches import AUXILIARY, UNUSABLE, Wanted, reaches
from helio.authoring.rules.catalogue_words import CatalogueReading
from helio.authoring.rules.harmless import IN_REQUESTS
from helio.authoring.rules.particle_words import (
    Segment,
    Wish,
    channel_name,
    moment_units,
    read_particles,
    squashed,
)
from helio.authoring.writing.asking import Asks
from helio.knowledge.cadence import cadences_in
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry
from helio.knowledge.missions import Craft, instrument_names
from helio.knowledge.particles import Energy, Species, directions_in, energies_in, species_in
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import Search, drawbacks
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.words import tokens

MOST_CHANNELS = 6
"""Maximum number of channels that helio draws if the request names none."""
RECORDS = 1500
"""About how many records a figure draws well, for a choice between cadences."""
_SHOWS_SPECTRUM = re.compile(
    r"s/?t?e?r\b|\bster|\bsr\b|!U-1!Nsr|flux|intens|spectr|\bdist|counts?\b|\brates?\b", re.IGNORECASE
)
_ARROW = re.compile(r"^\s*-+>\s*")
_SIDE = re.compile(r"\bside [AB]\b|\b(?<=_)?[AB]_(?=[A-Z])")
_IN_UNIT = re.compile(r"(?<![A-Za-z])([kMG]?eV)", re.IGNORECASE)
_VARIANT = re.compile(
    r"_T$|stack|simple|_by[AEP]_at|_at[AEP]_by|_[AE]$|\bCORR|_TT$|\bsector|_sect|movie|total|integral|upflow"
    r"|loss cone|HCad|burst|reduced|channel \d|_ch\d",
    re.IGNORECASE,
)
"""What parameters have that show the data of another one in another way, or after a correction."""
_ABOUT_PITCH = re.compile(r"pitch|energy[- ]angle|\bPA(?:D|NGLE)?\b|_PA_|by[AP]_at", re.IGNORECASE)
_OTHERS = ("eV", "deg", "km", "s", "nT", "cm^-3", "km/s", "V")
_OF_MOMENTS = re.compile(
    r"pressure|tensor|velocit|densit|temperature|potential|anisotrop|moment|heat|vector|t3\b", re.IGNORECASE
)
_OF_ERRORS = re.compile(r"sigma|(?:^|_)unc(?:_|$)|err(?:or)?(?:_|$)", re.IGNORECASE)
TABLE = frozenset((source.dataset, name) for source in SOURCES for name in source.parameters)
_EV = {"ev": 1.0, "kev": 1e3, "mev": 1e6, "gev": 1e9}


@dataclass(frozen=True)
class _Parameter:
    """A parameter of particle data, with what its name and its descriptions say."""

    entry: CatalogueEntry
    craft: Craft
    parameter: ParameterEntry
    text: str
    """Name and description, of the parameter to which an arrow points as well."""

    @property
    def pair(self) -> tuple[str, str]:
        return self.entry.id, self.parameter.name

    @property
    def about(self) -> str:
        return " ".join(self.text.split()[1:])

    @cached_property
    def species(self) -> tuple[Species, ...]:
        """All species that the data hold, together; empty if the catalogue does not say."""
        unit = re.match(r"#?\s*(e|p|a)\s*/", self.parameter.unit)
        of_unit = {"e": Species("e"), "p": Species("H", 1, 1), "a": Species("He", 4, 2)}
        plain = _SIDE.sub(" ", self.about)
        for text in (re.sub(r"\([^()]*\)", " ", plain), plain):
            if found := [mention.what for mention in species_in(text)]:
                return (found[0],) if not _is_group(text, found) else tuple(found)
        name = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", _SIDE.sub(" ", self.parameter.name))
        if found := [mention.what for mention in species_in(name)]:
            return (found[0],)
        short = re.match(r"F([A-Z0-9]+?)(?:DO|DU|SA)", self.parameter.name)
        if short and short[1] in _SHORT:
            return (_SHORT[short[1]],)
        if unit:
            return (of_unit[unit[1]],)
        title = dict.fromkeys(mention.what for mention in species_in(self.entry.title))
        return tuple(title) if len(title) == 1 else ()

    @cached_property
    def bands(self) -> tuple[Energy, ...]:
        return tuple(mention.what for mention in energies_in(self.about))

    @cached_property
    def directions(self) -> frozenset[str]:
        own = {mention.what for mention in directions_in(f"{self.parameter.name} {self.about}")}
        return frozenset(own or {mention.what for mention in directions_in(self.entry.title)})

    @cached_property
    def energy_unit(self) -> str:
        """The unit of the energies of the bins, as far as the catalogue says it; empty if not."""
        bins = " ".join(
            other.unit
            for other in self.entry.parameters
            if re.match("energ", other.name, re.IGNORECASE) and {*other.size} & {*self.parameter.size}
        )
        for text in (bins, self.about, self.parameter.unit, self.entry.title):
            plain = text.replace("!N", " ").replace("_", " ")
            units: set[str] = {unit.lower() for unit in _IN_UNIT.findall(plain)}
            if len(units) == 1:
                return units.pop()
        return ""


_SHORT = {
    "E": Species("e"), "P": Species("H", 1, 1), "I": Species("ion"), "O": Species("O"), "HE": Species("He"),
}  # fmt: skip
"""Species as names of the PRBEM standard write them: ``FEDO`` has electrons."""


def _is_group(text: str, found: Sequence[Species]) -> bool:
    """Return whether several species are measured together: ``C, N, O intensity``."""
    kinds = {species.kind for species in found}
    return len(kinds) > 1 and re.search(r"\b[A-Z][a-z]?, [A-Z][a-z]?\b|\+\s*ions|/", text) is not None


def particles_asked(
    view: str,
    crafts: Sequence[tuple[int, str]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks | None,
    *,
    integrated: bool,
) -> CatalogueReading | None:
    """Find the parameters for all particles that a sentence asks for; None if one is not there, or not clear.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    integrated : bool
        Whether the sentence asks for an integral, which over a range of energies is not one over time.
    """
    datasets = _datasets(view, crafts, catalogue)
    if not datasets:
        return None
    channels = {
        parameter.name for dataset, _, _ in datasets for parameter in catalogue.dataset(dataset).parameters
    }
    sensors = frozenset().union(*(names for _, _, names in datasets))
    read = read_particles(view, crafts, channels, sensors)
    if not read or all(_is_plasma(wish) for _, wishes in read for wish in wishes):
        return None
    strange = [word for segment, _ in read for word, _ in segment.words if len(word) > 2 and word.isupper()]
    if any(squashed(word) not in sensors and not _has_word(word, datasets, catalogue) for word in strange):
        return None
    spans: list[tuple[int, int]] = []
    whole = _whole(read, datasets, wanted, catalogue, ask)
    if whole is None:
        return None
    notes: list[str] = []
    pairs: list[tuple[str, str]] = []
    made: list[Cut] = []
    for segment, _, found in whole:
        explained = [
            span for word, span in segment.words if all(_explains(fit.parameter, word) for fit in found)
        ]
        own = sorted({*segment.spans, *explained})
        spans += own
        words = " ".join(view[slice(*span)] for span in own)
        for parameter, cuts, _ in found:
            if integrated:
                cuts = tuple(
                    replace(cut, tool="band_integral") if cut.tool == "band_average" else cut for cut in cuts
                )
            notes.append(f"'{words}' is read as {'.'.join(parameter.pair)}: {_about(parameter)}".rstrip(": "))
            if cuts:
                made.append(Cut(*parameter.pair, cuts))
                notes += _notes_of(cuts, parameter)
            else:
                pairs.append(parameter.pair)
    return CatalogueReading(
        tuple(dict.fromkeys(pairs)),
        tuple(spans),
        tuple(dict.fromkeys(notes)),
        cuts=tuple(dict.fromkeys(made)),
    )


def _is_plasma(wish: Wish) -> bool:
    """Return whether a wish is a moment of all protons, ions or electrons, which the table of quantities has."""
    plain = (None, Species("e"), Species("ion"), Species("H", 1, 1))
    of_table = {squashed(name) for source in SOURCES for name in source.instruments}
    return (
        bool(wish.moment and wish.moment != "counts")
        and wish.species in plain
        and wish.energy is None
        and {squashed(word) for word in wish.words} <= of_table
    )


def _has_word(word: str, datasets: Sequence[tuple[str, Craft, frozenset[str]]], catalogue: Catalogue) -> bool:
    """Return whether a parameter of one of the datasets explains a word."""
    return any(
        _explains(parameter, word)
        for dataset, craft, _ in datasets
        for parameter in _parameters(dataset, craft, catalogue)
    )


def _notes_of(cuts: Sequence[Computation], parameter: _Parameter) -> list[str]:
    """Say in which unit energies are given whose bins the catalogue does not list."""
    unit = parameter.energy_unit
    if parameter.bands or all(cut.tool == "pitch_angle_average" for cut in cuts):
        return []
    spelt = {"ev": "eV", "kev": "keV", "mev": "MeV", "gev": "GeV"}[unit]
    return [
        f"the catalogue does not list the energies of {'.'.join(parameter.pair)}; they are taken to be in {spelt}"
    ]


def _whole(
    read: Sequence[tuple[Segment, list[Wish]]],
    datasets: Sequence[tuple[str, Craft, frozenset[str]]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks | None,
) -> list[tuple[Segment, list[Wish], list[_Fit]]] | None:
    """Choose parameters for every wish of every part; None if one has none, or several that differ."""
    names = _sensors(read, datasets, catalogue)
    every: list[tuple[Segment, Wish, list[_Fit]]] = []
    for segment, wishes in read:
        sensors = names[id(segment)]
        if not sensors and not segment.crafts:
            return None
        reaching = [
            (dataset, craft)
            for dataset, craft, own in datasets
            if (sensors & own or {craft.spacecraft, craft.mission} & {*segment.crafts})
            and reaches(catalogue.summary(dataset), wanted.spans, catalogue)
        ]
        parameters = [
            parameter for dataset, craft in reaching for parameter in _parameters(dataset, craft, catalogue)
        ]
        for wish in wishes:
            words = {*wish.words, *sensors}
            named = [
                parameter
                for parameter in parameters
                if all(_explains(parameter, sensor) for sensor in sensors)
            ]
            fits = _fitting(wish, named)
            if not fits:
                _refuse_energy(wish, named)
                return None
            missing = [sum(not _explains(fit.parameter, word) for word in words) for fit in fits]
            every.append(
                (
                    segment,
                    wish,
                    [fit for fit, less in zip(fits, missing, strict=True) if less == min(missing)],
                )
            )
    made = []
    for segment, wishes in read:
        alike = [
            {fit.parameter.entry.id for fit in fits}
            for other, _, fits in every
            if names[id(other)] == names[id(segment)] and other.crafts == segment.crafts
        ]
        common = set.intersection(*alike)
        found = []
        for of, wish, fits in every:
            if of is segment:
                shared = [fit for fit in fits if fit.parameter.entry.id in common] or fits
                best = _best(wish, shared, wanted, catalogue, ask)
                if best is None:
                    return None
                found += best
        made.append((segment, wishes, found))
    return made


def _sensors(
    read: Sequence[tuple[Segment, list[Wish]]],
    datasets: Sequence[tuple[str, Craft, frozenset[str]]],
    catalogue: Catalogue,
) -> dict[int, frozenset[str]]:
    """Return the names of instruments that each part has, or else the part before or behind it."""
    known = frozenset().union(*(names for _, _, names in datasets))
    of: dict[int, frozenset[str]] = {}
    for segment, _ in read:
        words = [word for word, _ in segment.words if _is_name(word, catalogue)]
        single = {squashed(word) for word in words} & known
        pairs = {
            squashed(first + second)
            for first, second in pairwise(words)
            if not {squashed(first), squashed(second)} & known
        }
        of[id(segment)] = frozenset(single | pairs & known)
    order = [id(segment) for segment, _ in read]
    for before, after in pairwise(order):
        of[after] = of[after] or of[before]
    for after, before in pairwise(order[::-1]):
        of[before] = of[before] or of[after]
    return of


def _is_name(word: str, catalogue: Catalogue) -> bool:
    """Return whether a word may name an instrument or a sensor; in small letters, only an instrument."""
    if cadences_in(word) or word in IN_REQUESTS:
        return False
    return not word.islower() or squashed(word) in _instruments(catalogue)


@lru_cache(maxsize=4)
def _instruments(catalogue: Catalogue) -> frozenset[str]:
    names = (instrument_names(row.id) for row in catalogue.rows)
    return frozenset(squashed(name) for group in names for name in group if len(name) > 2)


def _datasets(
    view: str, crafts: Sequence[tuple[int, str]], catalogue: Catalogue
) -> list[tuple[str, Craft, frozenset[str]]]:
    """Return the datasets of the named spacecraft, or else of the named instruments, with names of instruments."""
    named = {craft for _, craft in crafts} or Search(catalogue).named(view)[1]
    words = [word for word in re.findall(r"[^\s\x1f,;()/]+", view) if _is_name(word, catalogue)]
    spelt = {squashed(word) for word in words} | {
        squashed(first + second) for first, second in pairwise(words)
    }
    every = [
        (dataset, craft, _names(dataset, row.title))
        for row, (dataset, craft) in zip(catalogue.rows, catalogue.crafts(), strict=True)
    ]
    found = [known for known in every if {known[1].spacecraft, known[1].mission} & named]
    elsewhere = spelt - frozenset().union(*(names for _, _, names in found))
    return found + [known for known in every if known[2] & elsewhere and known not in found]


@lru_cache(maxsize=8192)
def _names(dataset: str, title: str) -> frozenset[str]:
    """Return the names of instruments and sensors that the id and the title of a dataset have, squashed."""
    pieces = re.split(r"[_-]", dataset)
    words = re.findall(r"[\w-]+", title)
    parts = [part for word in words for part in word.split("-")]
    every: list[str] = [*pieces, *instrument_names(dataset)]
    for group in (pieces, words, parts):
        every += [word for word in group if not word.islower()]
        every += [f"{first}{second}" for first, second in pairwise(group)]
    return frozenset(squashed(name) for name in every if len(name) > 1)


@lru_cache(maxsize=512)
def _parameters(dataset: str, craft: Craft, catalogue: Catalogue) -> tuple[_Parameter, ...]:
    entry = catalogue.dataset(dataset)
    made = []
    head = ""
    for parameter in entry.parameters:
        text = " ".join(parameter.description.split())
        if not _ARROW.match(text):
            head = text
        told = f"{text} {head}" if _ARROW.match(text) else text
        words = {
            *tokens(re.sub(r"\((?:[^()]*/[^()]*|[^()]* with [^()]*)\)", " ", f"{parameter.name} {text}"))
        }
        usable = parameter.kind != "string" and not UNUSABLE.search(text)
        auxiliary = words & (AUXILIARY - {"count"}) or _OF_ERRORS.search(parameter.name)
        if (
            usable
            and ((dataset, parameter.name) in TABLE or not auxiliary)
            and "TIME" not in parameter.name.upper()
        ):
            made.append(_Parameter(entry, craft, parameter, f"{parameter.name} {told}"))
    return tuple(made)


def _explains(parameter: _Parameter, word: str) -> bool:
    """Return whether the catalogue has a word of the sentence, in what it says of a parameter or its dataset."""
    if squashed(word) in _names(parameter.entry.id, parameter.entry.title):
        return True
    text = f"{parameter.text} {parameter.entry.id} {parameter.entry.title}"
    return bool(word) and {*tokens(word)} <= {*tokens(text)}


class _Fit(NamedTuple):
    """A parameter that has what is wished, what to take of it, and how far its energies and species are from it."""

    parameter: _Parameter
    cuts: tuple[Computation, ...]
    off: tuple[int, ...]


def _fitting(wish: Wish, every: Iterable[_Parameter]) -> list[_Fit]:
    """Return the parameters that have what is wished, with what to take of each and how well each fits."""
    found = []
    for parameter in every:
        if wish.channel and channel_name(wish.channel) != parameter.parameter.name:
            continue
        if wish.direction and wish.direction not in parameter.directions:
            continue
        if wish.spectrum and not parameter.parameter.size:
            continue
        counts = _moment_fit(wish, parameter)
        if counts is None:
            continue
        species = _species_fit(wish, parameter)
        taken = _cuts(wish, parameter)
        if species is None or taken is None:
            continue
        found.append(_Fit(parameter, taken[0], (taken[1], counts, species)))
    return found


def _moment_fit(wish: Wish, parameter: _Parameter) -> int | None:
    """Return whether a parameter is the wished moment or flux: 0, or 1 for counts instead of a flux; else None."""
    unit, written = parameter.parameter.canonical_unit, parameter.parameter.unit
    per_area = re.search(r"sr|ster|cm", written) is not None
    if wish.moment and wish.moment != "counts":
        fitting = len(parameter.parameter.size) < 2 and any(
            comparable(unit, of) for of in moment_units(wish.moment)
        )
        return 0 if fitting else None
    if _OF_MOMENTS.search(parameter.text) or not _SHOWS_SPECTRUM.search(f"{written} {parameter.text}"):
        return None
    if any(comparable(unit, of) for of in _OTHERS):
        return None
    return int(per_area) if wish.moment else int(not per_area)


def _species_fit(wish: Wish, parameter: _Parameter) -> int | None:
    if wish.species is None:
        return 0 if wish.channel or not parameter.species or wish.energy else None
    if len({species.kind for species in parameter.species}) != 1:
        return None
    own = parameter.species[0]
    return wish.species.distance(own) if wish.species.fits(own) else None


def _cuts(wish: Wish, parameter: _Parameter) -> tuple[tuple[Computation, ...], int] | None:
    """Return what to take of a parameter for the energies and angles of a wish, and how far it is from them."""
    axes = len(parameter.parameter.size)
    is_pitch = bool(_ABOUT_PITCH.search(f"{parameter.text} {parameter.entry.id} {parameter.entry.title}"))
    whole_sky = wish.pitch or not any(word.casefold().endswith("directional") for word in wish.words)
    if axes > 2 or (axes == 2 and not (is_pitch and whole_sky)) or (wish.pitch and axes < 2):
        return None
    cuts: list[Computation] = []
    if axes == 2 and not wish.pitch:  # the omnidirectional flux
        cuts.append(Computation("pitch_angle_average"))
    elif wish.averaged or len(wish.angles) == 2:
        low, high = wish.angles if len(wish.angles) == 2 else (0.0, 180.0)
        cuts.append(Computation("pitch_angle_average", args=(("low", low), ("high", high))))
    elif wish.angles:
        cuts.append(Computation("slice_spectrum", args=(("at", wish.angles[0]), ("axis", "pitch angle"))))
    elif wish.pitch and wish.energy is None:
        return None
    axis = "energy" if axes == 2 and not cuts else ""
    if wish.energy is None:
        return tuple(cuts), 0
    if not axes:
        return _channel_fit(wish.energy, parameter)
    return _energy_cut(wish.energy, parameter, axis, cuts)


def _channel_fit(energy: Energy, parameter: _Parameter) -> tuple[tuple[Computation, ...], int] | None:
    for band in parameter.bands:
        if energy.is_same(band):
            return (), int((energy.low, energy.high) != (band.low, band.high))
        if energy.is_point and band.low <= energy.low < band.high < math.inf:
            return (), 2
    return None


def _energy_cut(
    energy: Energy, parameter: _Parameter, axis: str, cuts: list[Computation]
) -> tuple[tuple[Computation, ...], int] | None:
    unit = parameter.energy_unit
    if energy.high == math.inf or unit not in _EV:
        return None
    scale, named = _EV[unit], (("axis", axis),) if axis else ()
    bands = parameter.bands
    if not cuts and not axis and len(bands) == 1 and energy.is_same(bands[0]):
        return (), 1
    if any(band.is_point for band in bands):  # angles or sensors at one energy
        return None
    if energy.is_point and (not bands or any(band.has(energy) for band in bands)):
        at = float(f"{energy.low / scale:.6g}")
        return (*cuts, Computation("slice_spectrum", args=(("at", at), *named))), 2
    if len(bands) > 1 and any(energy.is_same(band) for band in bands):
        at = float(f"{energy.centre / scale:.4g}")
        return (*cuts, Computation("slice_spectrum", args=(("at", at), *named))), 1
    if not energy.is_point and (not bands or any(band.has(energy) for band in bands)):
        limits = [float(f"{limit / scale:.6g}") for limit in (energy.low, energy.high)]
        return (*cuts, Computation("band_average", args=(("bands", (tuple(limits),)), *named))), 3
    return None


def _refuse_energy(wish: Wish, parameters: Sequence[_Parameter]) -> None:
    """Refuse energies that the instrument has not, if it has the particles."""
    others = _fitting(replace(wish, energy=None), parameters) if wish.energy else []
    if others:
        told = dict.fromkeys(f"{'.'.join(fit.parameter.pair)}: {_about(fit.parameter)}" for fit in others)
        raise NotUnderstood(
            "helio finds no channel with these energies",
            advice=f"choose one of {'; '.join(list(told)[:MOST_CHANNELS])}",
        )


def _best(
    wish: Wish, fits: Sequence[_Fit], wanted: Wanted, catalogue: Catalogue, ask: Asks | None
) -> list[_Fit] | None:
    """Return the best parameter, or all channels of the best dataset; None if several instruments are equally good.

    Raises
    ------
    NotUnderstood
        The dataset has many channels, and the request names none.
    """
    rows = {row.id: row for row in catalogue.rows}
    of_table = {dataset for dataset, _ in TABLE}

    def rank(fit: _Fit) -> tuple[float, ...]:
        parameter, _, (energy, counts, species) = fit
        row = rows[parameter.entry.id]
        less = drawbacks(row, "")
        omni = bool(re.search(r"omni", parameter.text, re.IGNORECASE))
        return (
            counts,
            energy,
            sum(squashed(word) not in _names(row.id, row.title) for word in wish.words),
            species,
            (less == 0) if wish.preliminary else less,
            bool(re.search("burst", row.title, re.IGNORECASE)),
            _cadence_rank(parameter.entry, wanted),
            wish.spectrum and len(parameter.parameter.size) != 1 and not fit.cuts,
            wish.omni and not omni,
            parameter.pair not in TABLE,
            parameter.entry.id not in of_table,
            len(_VARIANT.findall(f"{parameter.parameter.name} "))
            + bool(_ARROW.match(parameter.parameter.description))
            + bool(_VARIANT.search(parameter.parameter.description)),
            len(parameter.parameter.size) == 2,
        )

    ranks = {fit: rank(fit) for fit in fits}
    equal = [fit for fit in fits if ranks[fit] == min(ranks.values())]
    if (
        len({fit.parameter.entry.instrument for fit in equal}) > 1
        or len({fit.parameter.craft for fit in equal}) > 1
    ):
        return None
    if not wish.direction:
        looking = ("sun", "side A")
        equal = [
            fit for fit in equal if not fit.parameter.directions or fit.parameter.directions & {*looking}
        ] or equal
    equal.sort(key=lambda fit: (_off(fit.parameter.entry, wanted), len(fit.parameter.entry.id)))
    first = equal[0]
    channels = [fit for fit in equal if fit.parameter.entry.id == first.parameter.entry.id]
    told = {f"{'.'.join(fit.parameter.pair)}: {_about(fit.parameter)}": fit for fit in channels}
    scalar = not any(fit.parameter.parameter.size for fit in channels)
    if wish.every and scalar:
        return channels
    if len(channels) > MOST_CHANNELS:
        raise NotUnderstood(
            f"{first.parameter.entry.id} has {len(channels)} parameters that fit",
            advice=f"choose by energy or direction: {'; '.join(list(told)[:MOST_CHANNELS])} …",
        )
    if len(channels) == 1 or (scalar and not wish.energy and not wish.moment):
        return channels
    if ask is None:
        return None
    return [told[ask("Which of these particle data do you mean?", list(told))]]


def _about(parameter: _Parameter) -> str:
    return " ".join(_ARROW.sub("", parameter.parameter.description).split())[:80]


def _cadence_rank(entry: CatalogueEntry, wanted: Wanted) -> int:
    """Return how well a dataset fits the cadence that the sentence asks for: equal, finer, unknown or coarser."""
    if wanted.cadence is None:
        return 0
    if any(0.67 <= cadence / wanted.cadence <= 1.5 for cadence in entry.cadence):
        return 0
    return 2 if not entry.cadence else 1 if min(entry.cadence) < wanted.cadence else 3


def _off(entry: CatalogueEntry, wanted: Wanted) -> float:
    """Return how far the cadence of a dataset is from one that gives a good number of records."""
    length = sum(((span.stop - span.start) for span in wanted.spans), timedelta()).total_seconds() or 86400.0
    if len(entry.cadence) != 1:
        return math.log(3.0)
    return abs(math.log(entry.cadence[0] * RECORDS / length))
