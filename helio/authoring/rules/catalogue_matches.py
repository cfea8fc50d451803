"""Find the parameters of the catalogue that have all words of a part of a sentence, and compare how well they fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache

from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetSummary, ParameterEntry
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.instrument_index import folded, instrument_index
from helio.knowledge.missions import instrument_names
from helio.knowledge.modes import in_modes
from helio.knowledge.particles import LETTERS, SPECIES_WORDS, SYMBOLS
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import drawbacks
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import MEASURES, Clause, clauses, concepts, plain, tokens
from helio.time_range import TimeRange

AUXILIARY = frozenset(VOCABULARY["auxiliary parameters"])
"""Words of parameters that describe other parameters, such as ``uncertainty``."""
_ANY_SYMBOL = "|".join(re.escape(name) for name in sorted(SYMBOLS, key=len, reverse=True))
_SYMBOL = re.compile(rf"(?<![A-Za-z0-9+])(?:{_ANY_SYMBOL})(?![A-Za-z0-9+])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*[A-Za-z_])")
_MEASURED_IN = re.compile(r"(?<=[\d.])\s*(keV|MeV|GeV|eV|nm|kHz|MHz|Hz)(?:/(?:n|nuc|nucleon|q))?(?!\w)")
UNUSABLE = re.compile(
    r"not yet functional|do not use|not used|no (?:cdaweb )?plots|\bbin no\b", re.IGNORECASE
)
_VARIANT = re.compile(r"^\s*-+>")
"""Pattern of descriptions of parameters that show the data of another one otherwise."""
OF_TIME = frozenset(VOCABULARY["words of cadences"])
_UNITS = {
    "temperature": ("K", "eV"), "speed": ("km/s",), "velocity": ("km/s",), "pressure": ("nPa",), "frequency": ("Hz",),
    "latitude": ("deg",), "longitude": ("deg",), "density": ("cm^-3",),
    "potential": ("V",), "distance": ("km", "AU", "R_E"),
}  # fmt: skip
"""Words that say of which unit the parameter is; a concept such as ``temperature`` also has thermal speeds."""
_OTHER_DENSITY = re.compile(
    r"\b(?:current|power|spectral|space|energy|flux)\s+densit(?:y|ies)", re.IGNORECASE
)
_FLUX = re.compile(r"\b(?:flux(?:es)?|intensit(?:y|ies)|flx)\b", re.IGNORECASE)
_OF_PARTICLES = re.compile(r"\b(?:flux|intensit|spectr(?:um|a\b|ogram))", re.IGNORECASE)
_SPECTRUM = frozenset({"spectrum", "energyspectrum"})
_CHANNELS = re.compile(r"\b(?:channels|all)\b", re.IGNORECASE)
"""Pattern of words that ask for all parameters that fit."""
_FRAMES = ("GSE", "RTN", "GSM")
"""Frames that a vector comes in if the sentence names none, the first first."""
_COPY = re.compile(r"(?:_?(?:stack(?:ed)?|simple|T|\d))+$")
_PLOTS = frozenset(VOCABULARY["kinds of plots"])
"""Words for the kind of plot that the archive draws of a parameter."""
_FRAME_WORDS = {tokens(frame)[0]: frame for frame in KNOWN_FRAMES}
_ALIKE = 3
"""Maximum number of words by which descriptions of the same vector differ."""
ENOUGH = 200
"""Number of points that a figure shows well."""
_SLICE = re.compile(r"(?i)stack(?:PA|E)?\d+|at[AE](?:_|$)|by[AE]_")
"""Pattern of names of parameters that hold one angle or one energy of another one."""
MOST_TOGETHER = 4
SIDES = frozenset(VOCABULARY["directions of sensors"])
"""Words that say where a sensor looks."""
_OF_ANOTHER = re.compile(r"(?i)(?:sigma|err|error|unc|stdev|std|flag)$")
"""Pattern of names of parameters that describe another one."""
_OTHER = frozenset({"thermal"})
"""Words of descriptions that make a quantity a different one."""
_NARROWER = frozenset(
    {"parallel", "perpendicular", "perp", "para", "raw", "error", "fraction", "model", "ratio", "angle"}
)
"""Words of descriptions that make a quantity a more special one."""
_WORD = re.compile(r"[^\s,;:?!()\"'“”‘’]+")
_SERIES = re.compile(r"\b([A-Za-z]+)(\d+)\s*(?:to|-|–|through)\s*\1?(\d+)\b")


@dataclass(frozen=True)
class Wanted:
    """What else a request says of its data."""

    spans: tuple[TimeRange, ...]
    frame: str
    cadence: float | None
    modes: tuple[tuple[str, str], ...] = ()
    """Modes of data, each with the words that name it."""

    def has(self, name: str) -> bool:
        """Return whether the ids of a dataset and its parameter say one of the modes."""
        return not self.modes or bool(in_modes([mode for mode, _ in self.modes], [(name, name, None)])[0])


@dataclass(frozen=True)
class Match:
    """Parameters of a dataset that fit all words of a part of a sentence."""

    dataset: CatalogueEntry
    parameters: tuple[ParameterEntry, ...]
    named: int
    """Number of words that are names of parameters."""
    extra: frozenset[str]
    """Words of the description that the sentence has not."""
    names: frozenset[str] = frozenset()
    """Names of the instrument in the sentence."""

    @property
    def described(self) -> str:
        """The dataset, the parameters, their meaning and the cadence, for people."""
        names = "+".join(parameter.name for parameter in self.parameters)
        about = " ".join(self.parameters[0].description.lstrip("-> ").split())[:70]
        more = (text for text in (about, self.dataset.cadence_words) if text)
        return f"{self.dataset.id}.{names}: {', '.join(more)}"


def matches(
    text: str, names: Sequence[str], numbers: Sequence[int], wanted: Wanted, catalogue: Catalogue
) -> Iterator[Match]:
    """Yield the parameters that have all words of a text.

    Parameters
    ----------
    names : sequence of str
        The names of instruments for which the text asks; not part of the text.
    numbers : sequence of int
        The datasets in which to look.
    """
    text, channels = _CHANNELS.subn(" ", _SERIES.sub(_every, text))
    text, units = _MEASURED_IN.sub(" ", text), _MEASURED_IN.findall(text)
    numerals = {float(number) for number in _NUMBER.findall(text)}
    words = [word.rstrip(".") for word in _WORD.findall(_NUMBER.sub(" ", text))]
    letters = re.findall(r"(?<![A-Za-z])[A-G](?![A-Za-z])", " ".join(words))
    for number in numbers:
        entry = catalogue.dataset(catalogue.rows[number].id)
        dataset = _DatasetWords(entry, instrument_index(catalogue).names_of(number))
        own_names = {*names} & dataset.names
        other_names = [name for name in names if name not in own_names]
        if not own_names and names:
            continue
        literal = [word for word in words if len(word) > 1 and _is_literal(word, dataset.by_name)]
        rest = clauses(word_list(" ".join(word for word in words if word not in literal)))
        named = tuple(dict.fromkeys(dataset.by_name[folded(word)] for word in literal))
        asked = [word for clause in rest for word in clause.words]
        fitting = tuple(
            parameter
            for parameter, own in dataset.data
            if (not named or parameter in named)
            and wanted.has(f"{entry.id} {parameter.name}")
            and all(own.has_name(name) or dataset.words.has_name(name) for name in other_names)
            and _fits(rest, own, dataset, named=bool(named), by_instrument=bool(own_names))
            and _has_unit(parameter, text)
            and all(
                any(number in numerals_ for numerals_ in (own.numerals, dataset.numerals))
                for number in numerals
            )
            and all(unit in own.text or unit in entry.title for unit in units)
            and all(letter in own.letters for letter in letters)
            and (not wanted.frame or wanted.frame.lower() in own.words | {parameter.frame.lower()})
        )
        if {*named} - {*fitting}:
            continue
        groups = [fitting] if fitting and (named or channels) else [(parameter,) for parameter in fitting]
        for group in groups:
            described = group[0].description.split("[")[0] or group[0].name
            extra = (
                {word for word in word_list(described) if len(word) > 1 and not word.isdigit()}
                - {*asked, *word_list(text)}
                - dataset.words.words
            )
            yield Match(entry, group, len(literal), frozenset(extra), frozenset(own_names))


class _Words:
    """The words and the concepts of a text of the catalogue."""

    def __init__(
        self,
        text: str,
        more: Sequence[str] = (),
        *,
        flux: bool = False,
        spectrum: bool = False,
        unit: str = "",
    ) -> None:
        self.text, self.name = text, text.split(" ", 1)[0]
        listed = [*word_list(text), *more]
        self.words = {*listed, *({"flux", "intensity"} if flux else ()), *_particles_of(unit)}
        for letter, name in LETTERS.items() if flux else ():
            if name in self.words or re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z+\d])", text):
                self.words |= {name, letter.lower()}
        self.concepts = {*concepts(listed), *(_SPECTRUM if spectrum else ())}
        if unit and comparable(unit, "mV/m"):
            self.concepts.add("electricfield")
        self.stems = {stem(word) for word in self.words}
        self.joined = {
            folded(word) for word in re.findall(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", text.replace("_", " "))
        }

    def has(self, clause: Clause) -> bool:
        return (
            (clause.concept != "" and clause.concept in self.concepts)
            or (clause.spelt != "" and clause.spelt in self.words)
            or all(
                stem(word) in self.stems
                or (len(word) > 3 and any(own.startswith(word) for own in self.words))
                for word in clause.words
            )
        )

    def has_name(self, name: str) -> bool:
        return name in self.joined or name in self.words

    @cached_property
    def numerals(self) -> set[float]:
        return {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", self.text)}

    @cached_property
    def letters(self) -> set[str]:
        return {*re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", self.text.replace("_", " "))}

    @property
    def species(self) -> set[str]:
        return self.concepts & SPECIES_WORDS | self.words & SPECIES_WORDS

    @cached_property
    def auxiliary(self) -> frozenset[str]:
        """The words that say that a parameter describes another one, outside of its remarks."""
        if _OF_ANOTHER.search(self.name):
            return frozenset({"uncertainty"})
        return AUXILIARY & {
            *word_list(re.sub(r"[(,].*|\[(?!label)[^]]*\]", " ", self.text, flags=re.IGNORECASE))
        }


class _DatasetWords:
    """The words of a dataset and of each of its parameters with data."""

    def __init__(self, entry: CatalogueEntry, names: frozenset[str]) -> None:
        self.names = names | {folded(name) for name in instrument_names(entry.id)}
        self.words = _Words(
            f"{entry.id} {entry.title} {entry.instrument_type}",
            [
                *(
                    word
                    for name in (entry.instrument, *instrument_names(entry.id))
                    for word in MEASURES.get(name, "").split()
                ),
                *(name.lower() for name in instrument_names(entry.id)),
            ],
        )
        self.data = [
            (
                parameter,
                _Words(
                    f"{parameter.name} {parameter.description} {parameter.frame} {' '.join(parameter.axes)}",
                    flux=_is_flux(parameter),
                    spectrum=len(parameter.size) == 1 and parameter.size[0] > 6,
                    unit=parameter.unit,
                ),
            )
            for parameter in entry.parameters
            if _is_data(parameter)
        ]
        self.by_name = {folded(parameter.name): parameter for parameter, _ in self.data}

    @property
    def numerals(self) -> set[float]:
        return self.words.numerals


def _fits(
    rest: Sequence[Clause], own: _Words, dataset: _DatasetWords, *, named: bool, by_instrument: bool
) -> bool:
    """Return whether a parameter, or else its dataset, has every word; the dataset only what tells none apart."""
    asked = {word for clause in rest for word in (*clause.words, clause.concept)}
    species = asked & SPECIES_WORDS
    if "sunward" in asked and "antisunward" in own.concepts and "antisunward" not in asked:
        return False
    if (own.species and species and not species & own.species) or (
        own.auxiliary | own.words & _OTHER
    ) - asked:
        return False
    covered = [own.has(clause) for clause in rest]
    by_dataset = (
        dataset.words.has(clause)
        and not any(words.has(clause) for _, words in dataset.data)
        and not (clause.concept in SPECIES_WORDS and len(dataset.words.species) > 1)
        for clause, own_word in zip(rest, covered, strict=True)
        if not own_word
    )
    measured = [not all(word.isdigit() or word in OF_TIME for word in clause.words) for clause in rest]
    any_own = named or any(map(all, zip(covered, measured, strict=True))) or by_instrument
    return any_own and all(by_dataset)


def best_matches(found: Sequence[Match], text: str, wanted: Wanted, catalogue: Catalogue) -> list[Match]:
    """Return the matches that are as good as each other: those with names of parameters and final data first."""
    rows = {row.id: row for row in catalogue.rows}
    asked = {*word_list(text)}
    best = [match for match in found if match.named == max(match.named for match in found)]
    said = " ".join((text, *(words for _, words in wanted.modes)))
    in_id = max(len(match.names & _id_pieces(match.dataset.id)) for match in best)
    if not text.strip():
        best = _preferred(best, lambda match: not drawbacks(rows[match.dataset.id], said))
        return _at_one_cadence(_shown_once(best), wanted)
    best = _preferred(best, lambda match: not drawbacks(rows[match.dataset.id], said))
    table = {source.dataset for source in SOURCES}
    if len({_named(match) for match in best}) == 1:
        at_cadence = _preferred(best, lambda match: wanted.cadence in match.dataset.cadence)
        best = _preferred(at_cadence, lambda match: match.dataset.id in table)
    for test in (
        lambda match: len(match.names & _id_pieces(match.dataset.id)) == in_id,
        lambda match: not match.extra,
        lambda match: wanted.cadence in match.dataset.cadence,
        lambda match: not match.extra & _NARROWER - asked,
    ):
        best = _preferred(best, test)
    own = asked - SPECIES_WORDS - OF_TIME
    if _OF_PARTICLES.search(text) or all(own <= {*word_list(match.dataset.title)} for match in best):
        best = _preferred(
            best, lambda match: not any(_SLICE.search(parameter.name) for parameter in match.parameters)
        )
        best = _preferred(best, lambda match: all(map(_is_flux, match.parameters)))
    best = _without_variants(best)
    more = [frozenset(word for word in match.extra - SIDES if not re.search(r"\d", word)) for match in best]
    best = [match for match, own in zip(best, more, strict=True) if not any(other < own for other in more)]
    for frame in () if wanted.frame else _FRAMES:
        best = _of_frame(best, frame)
    best = _preferred(best, lambda match: (match.dataset.id, match.parameters[0].name) in _in_table())
    in_names = [len(asked & {*word_list(match.parameters[0].name)}) for match in best]
    best = [match for match, count in zip(best, in_names, strict=True) if count == max(in_names)]
    best = _at_one_cadence(_shown_once(best), wanted)
    return [_together(best)] if _is_one_quantity(best, text) else best


def _of_frame(found: list[Match], frame: str) -> list[Match]:
    """Of the same vector in several frames, keep the one in a frame."""
    frames = [_frame_of(match.parameters[0]) for match in found]
    others = [
        match
        for match, own in zip(found, frames, strict=True)
        if len(match.parameters[0].size) == 1 and own not in ("", frame)
    ]
    framed = [match for match, own in zip(found, frames, strict=True) if own == frame]

    def unframed(match: Match) -> frozenset[str]:
        return frozenset(match.extra - {*_FRAME_WORDS})

    return [
        match
        for match in found
        if match not in others
        or not any(len(unframed(match) ^ unframed(other)) <= _ALIKE for other in framed)
    ]


def _without_variants(found: list[Match]) -> list[Match]:
    """Leave out parameters that show the first of them otherwise, but not its siblings, such as other channels."""
    first = [match for match in found if not _VARIANT.search(match.parameters[0].description)]
    siblings = {re.sub(r"\d+", "", match.parameters[0].name) for match in first}
    return [
        match
        for match in found
        if not first or match in first or re.sub(r"\d+", "", match.parameters[0].name) in siblings
    ]


def _shown_once(found: list[Match]) -> list[Match]:
    """Keep the first of parameters that only show the same data as another plot."""
    first: dict[tuple[str, frozenset[str]], Match] = {}
    for match in found:
        one = match.parameters[0]
        words = {*word_list(f"{_COPY.sub('', one.name)} {one.description}")} - _PLOTS
        first.setdefault((match.dataset.id, frozenset(words)), match)
    return list(first.values())


def _frame_of(parameter: ParameterEntry) -> str:
    words = {*word_list(f"{parameter.name} {parameter.description}")} & {*_FRAME_WORDS}
    return parameter.frame or (_FRAME_WORDS[words.pop()] if len(words) == 1 else "")


def _at_one_cadence(found: list[Match], wanted: Wanted) -> list[Match]:
    """Of the same parameters in several datasets, keep those of one dataset, which suits the time.

    It is the coarsest with enough points for a figure, or else the finest.
    """
    datasets = {match.dataset.id: match.dataset for match in found}
    own = [{_named(match) for match in found if match.dataset.id == dataset} for dataset in datasets]
    cadences = [min(entry.cadence, default=0.0) for entry in datasets.values()]
    if len(own) < 2 or any(names != own[0] for names in own):
        return found
    if len({*cadences}) < len(cadences):
        first = min(datasets, key=lambda dataset: (len(dataset), dataset))
        return [match for match in found if match.dataset.id == first]
    length = sum((span.stop - span.start).total_seconds() for span in wanted.spans) or 86400.0
    asked = wanted.cadence or length / ENOUGH
    fine = [cadence for cadence in cadences if cadence <= asked]
    chosen = [*datasets][cadences.index(max(fine) if fine else min(cadences))]
    return [match for match in found if match.dataset.id == chosen]


def _is_one_quantity(found: Sequence[Match], text: str) -> bool:
    """Return whether matches differ only by the direction of a sensor or, where a plural asks for all, by particles."""
    if not 1 < len(found) <= MOST_TOGETHER or len({match.dataset.id for match in found}) > 1:
        return False
    shapes = {(parameter.canonical_unit, parameter.size) for match in found for parameter in match.parameters}
    apart: list[set[str]] = [{*word_list(match.parameters[0].description)} for match in found]
    differing = set[str]().union(*apart) - apart[0].intersection(*apart) - {"ab"}
    plural = re.search(
        r"\b(?:spectrograms|spectra|fluxes|intensities|densities|temperatures)\b", text, re.IGNORECASE
    )
    return len(shapes) == 1 and set() < differing <= (SIDES | SPECIES_WORDS if plural else SIDES)


def _together(found: Sequence[Match]) -> Match:
    parameters = tuple(parameter for match in found for parameter in match.parameters)
    return Match(found[0].dataset, parameters, found[0].named, found[0].extra)


@lru_cache(maxsize=1)
def _in_table() -> frozenset[tuple[str, str]]:
    return frozenset((source.dataset, name) for source in SOURCES for name in source.parameters)


@lru_cache(maxsize=4096)
def _id_pieces(dataset: str) -> set[str]:
    return {folded(name) for piece in dataset.split("_") for name in (piece, *piece.split("-"))}


def _named(match: Match) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in match.parameters)


def _preferred(found: list[Match], test: Callable[[Match], bool]) -> list[Match]:
    return list(filter(test, found)) or found


def _particles_of(unit: str) -> tuple[str, ...]:
    """Return the particles that a unit counts, such as ``e/(cm^2*s*sr)``."""
    match = re.match(r"(?i)(e|p|a|ions?)/", unit)
    named = {"e": "electron", "p": "proton", "a": "alpha", "i": "ion"}
    return (named[match[1][0].lower()],) if match else ()


def _every(match: re.Match[str]) -> str:
    """Write all names of ``DE1 to DE4``."""
    return " ".join(f"{match[1]}{number}" for number in range(int(match[2]), int(match[3]) + 1))


def _is_literal(word: str, names: dict[str, ParameterEntry]) -> bool:
    """Return whether a word is the name of a parameter; in small letters only without another meaning."""
    parameter = names.get(folded(word))
    if parameter is None:
        return False
    return not word.islower() or (word == parameter.name and not concepts(tokens(word)) and len(word) < 5)


def _is_data(parameter: ParameterEntry) -> bool:
    """Return whether a parameter holds measured numbers that a panel can draw."""
    usable = parameter.kind != "string" and not UNUSABLE.search(parameter.description)
    return usable and parameter.unit.lower() not in OF_TIME and len(parameter.size) < 2


@lru_cache(maxsize=4096)
def _flux_unit(unit: str) -> bool:
    return any(
        comparable(unit, known)
        for known in (
            "cm^-2 s^-1 sr^-1", "cm^-2 s^-1 sr^-1 MeV^-1", "cm^-2 s^-1", "eV/(cm^2 s sr eV)",
            "eV/(cm^2 s sr)", "cm^-2 s^-1 sr^-1 (MeV/n)^-1", "counts/(cm^2 s sr MeV)",
        )
    )  # fmt: skip


def _is_flux(parameter: ParameterEntry) -> bool:
    return bool(_FLUX.search(parameter.description.replace("_", " "))) or _flux_unit(parameter.canonical_unit)


def _has_unit(parameter: ParameterEntry, text: str) -> bool:
    """Return whether the unit of a parameter is one of the quantity that the words name."""
    named = [word for word in tokens(plain(_OTHER_DENSITY.sub(" ", text))) if word in _UNITS]
    return (
        not named
        or not parameter.canonical_unit
        or any(comparable(parameter.canonical_unit, unit) for unit in _UNITS[named[-1]])
    )


def word_list(text: str) -> list[str]:
    """Split a text into words as `tokens` does, with a name instead of the symbol of an element or an ion."""
    spaced = text.replace("_", " ")
    words = tokens(plain(_SYMBOL.sub(lambda match: f" {SYMBOLS[match[0]]} ", spaced)))
    return [{"fluxe": "flux", "flx": "flux", "irradiance": "flux"}.get(word, word) for word in words]


def stem(word: str) -> str:
    """Return a word without its ending, so that ``precipitating`` and ``precipitation`` are one.

    >>> stem("precipitating"), stem("precipitation"), stem("omnidirectional"), stem("ion")
    ('precipit', 'precipit', 'omnidirect', 'ion')
    """
    return re.sub(r"(?<=\w{5})(?:ations?|ating|ated|ates?|ional|al|ing|ed|es)$", "", word)


def reaches(entry: DatasetSummary, spans: Sequence[TimeRange], catalogue: Catalogue) -> bool:
    """Return whether a dataset has data of every time, or may have them."""
    first, last = (time and time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last))
    stopped = last if last and catalogue.has_stopped(entry) else datetime.max
    return all((first is None or first < span.stop) and span.start <= stopped for span in spans)
