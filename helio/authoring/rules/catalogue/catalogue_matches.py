"""Find the parameters of the catalogue that have the words, or the particles, that a part of a sentence asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from helio.authoring.request import Computation
from helio.authoring.rules.catalogue.catalogue_parameters import (
    OF_TIME,
    DescribedDataset,
    DescribedParameter,
    described_dataset,
    species_words,
    word_list,
)
from helio.authoring.rules.catalogue.particle_words import (
    COUNTED,
    PITCH,
    SPECTRUM,
    Wish,
    channel_name,
)
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetSummary, ParameterEntry
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.instrument_index import folded
from helio.knowledge.modes import BY_NAME, PRODUCTS, in_kinds, in_modes
from helio.knowledge.particles import SPECIES_WORDS, Energy, species_in
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import Clause, clauses, concepts, plain, tokens
from helio.patterns import ignoring_case
from helio.time_range import TimeRange

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*[A-Za-z_])")
_MEASURED_IN = re.compile(r"(?<=[\d.])\s*(keV|MeV|GeV|eV|nm|kHz|MHz|Hz)(?:/(?:n|nuc|nucleon|q))?(?!\w)")
_OF_VECTORS = (("v", "km/s"), ("e", "mV/m"), ("b", "nT"))
"""The letters of vectors and their units; with the letter of an axis they name a component."""
_UNITS = {
    "temperature": ("K", "eV"), "speed": ("km/s",), "velocity": ("km/s",), "pressure": ("nPa",), "frequency": ("Hz",),
    "latitude": ("deg",), "longitude": ("deg",), "density": ("cm^-3",),
    "potential": ("V",), "distance": ("km", "AU", "R_E"), "field": ("nT", "mV/m"),
    **(_OF_LETTERS := {f"{vector}{axis}": (unit,) for vector, unit in _OF_VECTORS for axis in "xyzrtn"}),
}  # fmt: skip
"""Words that say of which unit the parameter is; a concept such as ``temperature`` also has thermal speeds."""
_OTHER_DENSITY = re.compile(
    r"\b(?:current|power|spectral|space|energy|flux)\s+densit(?:y|ies)", re.IGNORECASE
)
_CHANNELS = re.compile(r"\b(?:channels|all)\b", re.IGNORECASE)
"""Pattern of words that ask for all parameters that fit."""
COMPONENT = re.compile(
    r"(?<![\w|])(?:(?P<vector>[VBE])_?(?P<axis>[xyzrtn])|(?P<alone>[xyzrtn])[- ]component"
    r"|(?:(?:all|the|its|three) )*components)(?![\w|])"
)
"""Pattern of one component of a vector, or of all."""
_VECTORS = {"V": "velocity", "B": "magnetic field", "E": "electric field"}
_OF_FLUX = frozenset({"flux", "intensity", "spectrum", "energetic", "ion"})
"""Words beside which B is boron."""
_OTHER = frozenset({"thermal", "ratio", "footprint", "footpoint"})
"""Words of descriptions that make a quantity a different one."""
_MODELS = frozenset({"igrf", "model", "calculated", "computed"})
"""Words of descriptions of fields that nobody measured."""
_WORD = re.compile(r"[^\s,;:?!()\"'“”‘’]+")
_SHOWS_SPECTRUM = re.compile(
    r"s/?t?e?r\b|\bster|\bsr\b|!U-1!Nsr|flux|fluence|intens|spectr|\bdist|counts?\b|\brates?\b", re.IGNORECASE
)
_ABOUT_PITCH = re.compile(r"pitch|energy[- ]angle|\bPA(?:D|NGLE)?\b|_PA_|by[AP]_at", re.IGNORECASE)
_WAVE_FORM = re.compile(r"wave-?form(?! receiver)|samples\b", re.IGNORECASE)
_OF_AXES = ("eV", "deg", "km", "s")
"""Units that no spectrum and no distribution has."""
SLICE = re.compile(r"(?i)stack(?:PA|E)?\d+|at[AE](?:_|$)|by[AE]_")
"""Pattern of names of parameters that hold one angle or one energy of another one."""
_BY_PITCH = re.compile(r"(?i)by[AP]_at")
"""Pattern of names of parameters whose bins are pitch angles."""
_EXTREME = re.compile(r"\b(?:min|max)imum\b", re.IGNORECASE)
_OF_CRAFT = re.compile(r"(?:spacecraft(?:'s)?|s/c) (?:velocity|speed)", re.IGNORECASE)
_OF_MOTION = re.compile(r"\b(?:VxB E-?field|corotation)\b", re.IGNORECASE)
_MOST_COMPONENTS = 4
"""The number of components of a vector with its length; a spectrum has at least as many bins."""
_NO_FLUX = (*_OF_AXES, "nT", "cm^-3", "km/s", "V")
"""Units that no flux has."""
_IN_SECTORS = re.compile(r"\bin \d+ sectors\b")
_OF_MOMENTS = re.compile(
    r"pressure|tensor|velocit|densit|temperature|potential|\banis(?:otrop|\.)|moment|charge (?:state|dist)|heat"
    r"|vector|t3\b",
    re.IGNORECASE,
)
MEASURED = frozenset(VOCABULARY["measured quantities"])
"""Words for what is measured."""
_FRAMES = frozenset(frame.lower() for frame in KNOWN_FRAMES)
_EV = {"ev": 1.0, "kev": 1e3, "mev": 1e6, "gev": 1e9}


@dataclass(frozen=True)
class Wanted:
    """What else a request says of its data."""

    spans: tuple[TimeRange, ...]
    frame: str
    cadence: float | None
    modes: tuple[tuple[str, str], ...] = ()
    """Modes of data, each with the words that name it."""

    @property
    def strict(self) -> bool:
        """Whether data of other modes are something else."""
        return any(BY_NAME[mode].required for mode, _ in self.modes)

    @property
    def is_product(self) -> bool:
        """Whether the data are of a collection such as the key parameters, in which many instruments stand together."""
        return any(mode in PRODUCTS for mode, _ in self.modes)

    def has(self, dataset: DescribedDataset, parameter: str = "") -> bool:
        """Return whether a dataset and its parameter have one of the modes, and one of the levels, named for them."""
        name = f"{dataset.entry.id} {parameter} {dataset.entry.title}"
        owners = {"", folded(dataset.craft.spacecraft), *dataset.names}
        own = [mode for mode in self.modes if folded(mode[1]) in owners]
        return all(in_modes([mode for mode, _ in kind], [(name, name, None)])[0] for kind in in_kinds(own))


@dataclass(frozen=True, eq=False)
class Match:
    """Parameters of a dataset that fit a part of a sentence, what to take of them, and how well they fit.

    Parameters
    ----------
    named : int
        Number of words that are names of parameters.
    extra : frozenset of str
        Words of the description that the sentence has not.
    names : frozenset of str
        Names of the instrument in the sentence.
    off : tuple of int
        How far the kind of flux, the energies and the species are from those of the sentence.
    """

    parameters: tuple[DescribedParameter, ...]
    named: int = 0
    extra: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    cuts: tuple[Computation, ...] = ()
    off: tuple[int, int, int] = (0, 0, 0)

    @property
    def first(self) -> DescribedParameter:
        """The first of the parameters."""
        return self.parameters[0]

    @property
    def dataset(self) -> CatalogueEntry:
        """The dataset of all parameters."""
        return self.first.entry

    @property
    def described(self) -> str:
        """The dataset, the parameters, their meaning and the cadence, for people."""
        names = "+".join(parameter.parameter.name for parameter in self.parameters)
        more = (text for text in (self.first.description[:70], self.dataset.cadence_words) if text)
        return f"{self.dataset.id}.{names}: {', '.join(more)}"


@dataclass(frozen=True)
class Named:
    """What words of a sentence name.

    Parameters
    ----------
    said : str
        The words.
    region : tuple of int
        Where the part of the sentence with the words begins and ends.
    crafts : tuple of str
        The spacecraft of the part.
    """

    said: str
    region: tuple[int, int]
    spans: tuple[tuple[int, int], ...]
    matches: tuple[Match, ...]
    crafts: tuple[str, ...] = ()


def with_words(
    text: str,
    names: Sequence[str],
    numbers: Sequence[int],
    wanted: Wanted,
    catalogue: Catalogue,
    *,
    frame_elsewhere: bool = False,
) -> Iterator[Match]:
    """Yield the parameters that have all words of a text.

    Parameters
    ----------
    names : sequence of str
        The names of instruments for which the text asks; not part of the text.
    numbers : sequence of int
        The datasets in which to look.
    frame_elsewhere : bool
        Whether the frame may be of a quantity in another part of the sentence.
    """
    text, channels = _CHANNELS.subn(" ", text)
    text, units = _MEASURED_IN.sub(" ", text), _MEASURED_IN.findall(text)
    numerals = {float(number) for number in _NUMBER.findall(text)}
    words = [word.rstrip(".") for word in _WORD.findall(_NUMBER.sub(" ", text))]
    if {*word_list(text)} == {"average"}:
        return  # the mean of what?
    if channels and not (words or numerals):
        return  # all channels: of which particles?
    means_flux = bool(species_words(text)) and not {*word_list(text)} & (MEASURED | _UNITS.keys())
    at_energy = means_flux and any(unit.endswith("eV") for unit in units)
    letters = re.findall(r"(?<![A-Za-z])[A-G](?![A-Za-z\d])", " ".join(words))
    is_field = "B" in letters and not (names or {*word_list(text)} & _OF_FLUX)
    for number in numbers:
        dataset = described_dataset(number, catalogue)
        own_names = {*names} & dataset.names
        other_names = [name for name in names if name not in own_names]
        if names and not own_names and not wanted.is_product:
            continue
        literal = [word for word in words if len(word) > 1 and _is_literal(word, dataset)]
        rest = clauses(word_list(" ".join(word for word in words if word not in literal)))
        named = tuple(dict.fromkeys(dataset.by_name[folded(word)] for word in literal))
        if (words or numerals) and not (rest or named or letters):
            continue  # a letter or a number alone says nothing
        asked = [word for clause in rest for word in clause.words]
        fitting = tuple(
            parameter
            for parameter in dataset.drawn
            if (not named or parameter in named)
            and wanted.has(dataset, parameter.parameter.name)
            and all(parameter.words.has_name(name) or dataset.words.has_name(name) for name in other_names)
            and _has_clauses(rest, parameter, dataset, named=bool(named), by_instrument=bool(own_names))
            and _is_of_kind(parameter, SPECTRUM.sub(" ", text) if named else text)
            and numerals <= parameter.words.numerals | dataset.words.numerals
            and all(unit in parameter.words.text or unit in dataset.entry.title for unit in units)
            and {*letters} <= parameter.words.letters
            and not (is_field and parameter.is_flux)
            and not (at_energy and any(comparable(parameter.parameter.canonical_unit, of) for of in _NO_FLUX))
            and _has_frame(parameter, wanted.frame, elsewhere=frame_elsewhere)
        )
        if {*named} - {*fitting}:
            continue
        groups = [fitting] if fitting and (named or channels) else [(parameter,) for parameter in fitting]
        for group in groups:
            described = group[0].parameter.description.split("[")[0] or group[0].parameter.name
            shortest = 1 if " nm" in described else 2  # lines of H I and C II
            extra = (
                {word for word in word_list(described) if len(word) >= shortest and not word.isdigit()}
                - {*asked, *word_list(text)}
                - dataset.words.words
            )
            is_meant = bool(group[0].species) or {*word_list(text)} <= SPECIES_WORDS
            off = (int(means_flux and not group[0].is_flux and is_meant), 0, 0)
            yield Match(group, len(literal), frozenset(extra), frozenset(own_names), off=off)


def with_component(
    text: str, names: Sequence[str], numbers: Sequence[int], wanted: Wanted, catalogue: Catalogue
) -> Iterator[Match]:
    """Yield the vectors of which a text names all components, or one by its letter, with what takes it."""
    named = [*COMPONENT.finditer(text)]
    if len(named) != 1:
        return
    vector, axis = _VECTORS.get(named[0]["vector"], ""), named[0]["axis"] or named[0]["alone"]
    cuts = (Computation("components", args=(("keep", (axis,)),)),) if axis else ()
    for match in with_words(COMPONENT.sub(vector, text), names, numbers, wanted, catalogue):
        is_rtn = _has_frame(match.first, "RTN", elsewhere=False)
        if match.first.parameter.size == (3,) and (not axis or is_rtn == (axis in "rtn")):
            yield replace(match, cuts=cuts)


def titled_so(text: str, numbers: Sequence[int], catalogue: Catalogue) -> Iterator[Match]:
    """Yield all measurements of the datasets whose ids or titles have all words of a text."""
    rest = clauses(word_list(text))
    for number in numbers if rest else ():
        dataset = described_dataset(number, catalogue)
        if all(map(dataset.words.has, rest)):
            measured = (own for own in dataset.drawn if own.is_measured and not own.words.auxiliary)
            yield from (Match((parameter,)) for parameter in measured)


def _has_clauses(
    rest: Sequence[Clause],
    parameter: DescribedParameter,
    dataset: DescribedDataset,
    *,
    named: bool,
    by_instrument: bool,
) -> bool:
    """Return whether a parameter, or else its dataset, has every word; the dataset only what tells none apart."""
    own = parameter.words
    asked = {word for clause in rest for word in (*clause.words, clause.concept)}
    species = asked & SPECIES_WORDS
    if "sunward" in asked and "antisunward" in own.concepts and "antisunward" not in asked:
        return False
    if (own.species and species and not species & own.species) or (
        own.auxiliary | own.words & _OTHER
    ) - asked:
        return False
    if model_words(parameter) - asked:
        return False  # a field is the measured one
    if not named and _OF_CRAFT.search(parameter.text) and asked <= _UNITS.keys():
        return False  # the speed is that of the plasma
    own_name = tokens(parameter.parameter.name)
    letters = asked & _OF_LETTERS.keys()
    if not named and not all(any(word.startswith(letter) for word in own_name) for letter in letters):
        return False  # neither their magnitude nor an angle to them
    if not named and _OF_MOTION.search(parameter.text) and asked.isdisjoint(("vxb", "corotation")):
        return False  # the electric field is the measured one
    covered = [own.has(clause) for clause in rest]
    by_dataset = (
        (parameter.head_words.has(clause) and not (own.words & MEASURED and {*clause.words} & MEASURED))
        or (
            dataset.words.has(clause)
            and not {clause.concept, *clause.words} & (_UNITS.keys() | {"average"})
            and (
                (any(covered) and {*clause.words} <= dataset.words_of_id)
                or not any(parameter.words.has(clause) for parameter in dataset.drawn)
            )
            and not (clause.concept in SPECIES_WORDS and len(dataset.words.species) > 1)
        )
        for clause, own_word in zip(rest, covered, strict=True)
        if not own_word
    )
    measured = [not all(word.isdigit() or word in OF_TIME for word in clause.words) for clause in rest]
    any_own = named or any(map(all, zip(covered, measured, strict=True))) or by_instrument
    return any_own and all(by_dataset)


def model_words(parameter: DescribedParameter) -> set[str]:
    """Return the words that say that a parameter is a field which nobody measured."""
    is_field = comparable(parameter.parameter.canonical_unit, "nT")
    return parameter.words.words & _MODELS if is_field else set()


def _has_frame(parameter: DescribedParameter, frame: str, *, elsewhere: bool) -> bool:
    """Return whether a parameter is in a frame, or is a scalar without one if the frame may be of another quantity."""
    named = (parameter.words.words | {parameter.parameter.frame.lower()}) & _FRAMES
    scalar = not named and not parameter.parameter.size
    return not frame or frame.lower() in named or (elsewhere and scalar)


def _is_literal(word: str, dataset: DescribedDataset) -> bool:
    """Return whether a word is the name of a parameter; in small letters only without another meaning."""
    described = dataset.by_name.get(folded(word))
    if described is None:
        return False
    name = described.parameter.name
    return not word.islower() or (word == name and not concepts(tokens(word)) and len(word) < 5)


def _is_of_kind(described: DescribedParameter, text: str) -> bool:
    """Return whether a parameter has the species and the unit of the words, and is a spectrum if they name one."""
    asked = [mention.what for mention in species_in(text)]
    others = (
        asked and described.species and not any(kind.fits(own) for kind in asked for own in described.species)
    )
    is_wave_form = _WAVE_FORM.search(f"{described.text} {described.entry.title}") is not None
    no_angles = PITCH.search(text) and not _ABOUT_PITCH.search(described.text)
    no_spectrum = (PITCH.search(text) or SPECTRUM.search(text)) and (
        max(described.parameter.size, default=0) < _MOST_COMPONENTS
        or is_wave_form
        or any(comparable(described.parameter.canonical_unit, of) for of in _OF_AXES)
    )
    return not (others or no_angles or no_spectrum) and _has_unit(described.parameter, text)


def _has_unit(parameter: ParameterEntry, text: str) -> bool:
    """Return whether the unit of a parameter is one of the quantity that the words name."""
    known = {**_UNITS, "position": ("km", "AU", "R_E", "deg")}
    if not PITCH.search(text):
        known["angle"] = ("deg",)
    named = [word for word in tokens(plain(_OTHER_DENSITY.sub(" ", text))) if word in known]
    bare = re.sub(r"\(\d+\)$", "", parameter.canonical_unit.strip("<|>"))  # <|V|>, V(12)
    own = re.sub(r"^[\d.]+(?=/)", "1", re.sub(r"^[\d.]+\s+", "", bare))  # 0.01/cc, 0.01 mV/m
    if named[-1:] == ["field"] and SPECTRUM.search(text):
        return True
    return not named or not own or any(comparable(own, unit) for unit in known[named[-1]])


def with_particles(wish: Wish, dataset: DescribedDataset, names: frozenset[str]) -> Iterator[Match]:
    """Yield the parameters that have the particles of a wish, with what to take of each.

    Parameters
    ----------
    names : frozenset of str
        The names of instruments that the sentence has for the wish, also in a part beside it.
    """
    names = (names | {*map(folded, wish.words)}) & dataset.sensors
    names -= {folded(dataset.craft.spacecraft), folded(dataset.craft.mission)}  # in some of the titles
    for described in dataset.measured:
        if wish.channel and channel_name(wish.channel) not in (described.channel, described.parameter.name):
            continue
        if wish.direction and wish.direction not in described.directions:
            continue
        if wish.spectrum and not described.parameter.size:
            continue
        if _EXTREME.search(described.about) and not _EXTREME.search(" ".join(wish.words)):
            continue
        if (
            (species := _off_species(wish, described)) is None
            or (kind := _off_kind(wish, described)) is None
            or (taken := _taken(wish, described)) is None
        ):
            continue
        is_length = wish.moment == "speed" and described.parameter.size == (3,)
        cuts = (*taken[0], Computation("magnitude")) if is_length else taken[0]
        yield Match((described,), names=names, cuts=cuts, off=(kind, taken[1], species))


def _off_kind(wish: Wish, described: DescribedParameter) -> int | None:
    """Return whether a parameter is the wished moment or flux: 0, 1 for another unit, 2 for counts; else None.

    3 for a flux in sectors, if the wish names neither sectors nor its range of energies.
    """
    unit, written = described.parameter.canonical_unit, described.parameter.unit
    if wish.moment and wish.moment not in COUNTED:
        size = described.parameter.size
        is_moment = len(size) < 2 and max(size, default=0) <= _MOST_COMPONENTS
        is_moment &= not _OF_CRAFT.search(described.text)
        is_moment &= wish.moment != "speed" or "component " not in described.description
        return 0 if is_moment and any(comparable(unit, usual) for usual in _UNITS[wish.moment]) else None
    if (
        _OF_MOMENTS.search(_OTHER_DENSITY.sub(" ", described.text))
        or not _SHOWS_SPECTRUM.search(f"{written} {described.text}")
        or any(comparable(unit, of) for of in _NO_FLUX)
    ):
        return None
    per_area = re.search(r"sr|ster|cm|pfu", written or described.description) is not None
    if wish.moment:
        return None if per_area and wish.moment == "counts" else int(per_area)
    counts = ignoring_case(r"counts?\b|cnts\b").search(f"{described.parameter.name} {described.description}")
    whole = wish.energy and any(map(wish.energy.is_same, described.bands))
    sectors = _IN_SECTORS.search(described.description) and not (whole or "sectors" in wish.words)
    return 3 if sectors else 0 if per_area else 2 if counts else 1


def _off_species(wish: Wish, described: DescribedParameter) -> int | None:
    """Return how far the species is from the wished one; None for another one."""
    if wish.species is None:
        return (
            0 if wish.channel or wish.energy or wish.pitch or wish.averaged or not described.species else None
        )
    if len({species.kind for species in described.species}) != 1:
        return None
    own = described.species[0]
    return wish.species.distance(own) if wish.species.fits(own) else None


def _taken(wish: Wish, described: DescribedParameter) -> tuple[tuple[Computation, ...], int] | None:
    """Return what to take of a parameter for the energies and angles of a wish, and how far it is from them."""
    axes = len(described.parameter.size)
    entry = described.entry
    is_pitch = bool(_ABOUT_PITCH.search(f"{described.text} {entry.id} {entry.title}"))
    whole_sky = wish.pitch or not any(word.casefold().endswith("directional") for word in wish.words)
    if len(wish.angles) == 1 and (
        described.directions == {f"telescope {wish.angles[0]:g}"} or described.angle == wish.angles[0]
    ):
        wish = replace(wish, pitch=False, angles=())
    if wish.pitch and axes == 1 and wish == replace(wish, energy=None, angles=(), averaged=False):
        is_whole = _is_of_kind(described, "pitch angles") and not SLICE.search(described.parameter.name)
        return ((), 0) if is_whole and not ignoring_case("omni").search(described.text) else None
    if axes == 1 and not wish.pitch and _BY_PITCH.search(described.parameter.name):
        return None
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
    if wish.integrated and (not axes or wish.energy.is_point):
        return None
    sectors = _IN_SECTORS.search(described.description) is not None
    if not axes or sectors:
        off = _off_channel(wish.energy, described.bands)
        return None if off is None else ((), off + sectors)
    return _with_energy(wish.energy, described, axis, cuts, integrated=wish.integrated)


_HIGHEST = 1e6
"""The highest energy that an axis may have, in the unit of the axis: one in eV does not reach 1 MeV."""


def _off_channel(energy: Energy, bands: Sequence[Energy]) -> int | None:
    """Return how far the channels of energy are from the wished one: the same, rounded, or around it."""
    for band in bands:
        if energy.is_same(band):
            is_above = energy.is_point and band.high == math.inf  # rather the flux at this energy
            return 4 if is_above else int((energy.low, energy.high) != (band.low, band.high))
        if energy.is_point and band.low <= energy.low < band.high < math.inf:
            return 2
    return None


def _with_energy(
    energy: Energy,
    described: DescribedParameter,
    axis: str,
    cuts: list[Computation],
    *,
    integrated: bool,
) -> tuple[tuple[Computation, ...], int] | None:
    """Add what takes an energy, or a range of energies, of a spectrogram."""
    unit, bands = described.energy_unit, described.bands
    is_beyond = bool(described.reach) and not any(reach.has(energy) for reach in described.reach)
    is_integral = ignoring_case(r"\bintegral\b").search(described.text) is not None
    if len(bands) == 1 and not (cuts or axis or integrated) and energy.is_same(bands[0]):
        return (), 1
    if energy.high == math.inf or unit not in _EV or is_beyond or is_integral:
        return None
    scale, named = _EV[unit], (("axis", axis),) if axis else ()
    if energy.low / scale > _HIGHEST:
        return None
    if any(band.is_point for band in bands):  # angles or sensors at one energy
        return None
    inside = not bands or any(band.has(energy) for band in bands)
    if energy.is_point and inside:
        at = float(f"{energy.low / scale:.6g}")
        return (*cuts, Computation("slice_spectrum", args=(("at", at), *named))), 2
    if len(bands) > 1 and any(energy.is_same(band) for band in bands) and not integrated:
        at = float(f"{energy.centre / scale:.4g}")
        return (*cuts, Computation("slice_spectrum", args=(("at", at), *named))), 1
    if inside:
        limits = [float(f"{limit / scale:.6g}") for limit in (energy.low, energy.high)]
        tool = "band_integral" if integrated else "band_average"
        return (*cuts, Computation(tool, args=(("bands", (tuple(limits),)), *named))), 3
    return None


def reaches(entry: DatasetSummary, spans: Sequence[TimeRange], catalogue: Catalogue) -> bool:
    """Return whether a dataset has data of every time, or may have them."""
    first, last = (time and time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last))
    stopped = last if last and catalogue.has_stopped(entry) else datetime.max
    return all((first is None or first < span.stop) and span.start <= stopped for span in spans)
