"""Read data that are in no row of the table of quantities: by the names and descriptions that the catalogue gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Cut
from helio.authoring.rules.sentence import Part
from helio.authoring.writing.steps import listed
from helio.authoring.writing.writer import Asks
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetSummary, ParameterEntry, time_text
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import Search, drawbacks
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import MEASURES, Clause, clauses, concepts, plain, tokens
from helio.time_range import TimeRange

MOST_CHOICES = 6
"""Maximum number of parameters between which helio lets the person choose."""
_SPECIES = frozenset(
    {
        "proton",
        "alpha",
        "electron",
        "ion",
        "hydrogen",
        "helium",
        "oxygen",
        "carbon",
        "iron",
        "neutral",
        "dust",
    }
)
AUXILIARY = frozenset(VOCABULARY["auxiliary parameters"])
"""Words of parameters that describe other parameters, such as ``uncertainty``."""
_LAYOUT = frozenset({"right", "left", "top", "bottom", "legend", "axis", "axes"})
"""Words about a figure, which also stand in descriptions of parameters, such as right ascension."""
_DENIAL = re.compile(r"\b(?:not?|without|except|excluding|than|between|ratio|minus|divided)\b", re.IGNORECASE)
_SERIES = re.compile(r"\b([A-Za-z]+)(\d+)\s*(?:to|-|–|through)\s*\1?(\d+)\b")
_CHARGED = {"H+": "proton", "O+": "oxygen", "He+": "helium", "He++": "alpha", "e-": "electron"}
_ION = re.compile(r"(?<![\w+])(?:H|O|He|e)(?:\+\+?|-)(?![\w+-])")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?(?![\w.])")
UNUSABLE = re.compile(r"not yet functional|do not use|no plots", re.IGNORECASE)
_OF_TIME = frozenset(
    {
        "s",
        "sec",
        "second",
        "seconds",
        "ms",
        "ns",
        "us",
        "min",
        "minute",
        "h",
        "hr",
        "hour",
        "hours",
        "day",
        "days",
        "year",
    }
)
_UNITS = {
    "temperature": ("K", "eV"), "speed": ("km/s",), "velocity": ("km/s",), "pressure": ("nPa",), "frequency": ("Hz",),
    "latitude": ("deg",), "longitude": ("deg",), "density": ("cm^-3",),
    "potential": ("V",), "distance": ("km", "AU", "R_E"),
}  # fmt: skip
"""Words that say of which unit the parameter is; a concept such as ``temperature`` also has thermal speeds."""
_OTHER_DENSITY = re.compile(
    r"\b(?:current|power|spectral|space|energy|flux)\s+densit(?:y|ies)", re.IGNORECASE
)
_CHANNELS = re.compile(r"\b(?:channels|all)\b", re.IGNORECASE)
"""Pattern of words that ask for all parameters that fit."""
_WORD = re.compile(r"[^\s,;:?!()\"'“”‘’]+")


@dataclass(frozen=True)
class Wanted:
    """What else a request says of its data.

    Parameters
    ----------
    crafts : tuple of str
        The spacecraft that the sentence names; empty if the table of quantities knows none of them.
    """

    crafts: tuple[str, ...]
    instruments: tuple[str, ...]
    spans: tuple[TimeRange, ...]
    frame: str
    cadence: float | None


@dataclass(frozen=True)
class CatalogueReading:
    """Parameters that parts of a sentence name, and the positions of the words that name them."""

    datasets: tuple[tuple[str, str], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True)
class _Match:
    """Parameters of a dataset that fit all words of a part of a sentence."""

    dataset: CatalogueEntry
    parameters: tuple[ParameterEntry, ...]
    named: int
    """Number of words that are names of parameters."""
    exact: bool
    """Whether the sentence has all words of the parameter."""

    @property
    def described(self) -> str:
        """The dataset, the parameters, their meaning and the cadence, for people."""
        names = "+".join(parameter.name for parameter in self.parameters)
        about = " ".join(self.parameters[0].description.lstrip("-> ").split())[:70]
        more = (text for text in (about, self.dataset.cadence_words) if text)
        return f"{self.dataset.id}.{names}: {', '.join(more)}"


def read_catalogue(
    parts: Sequence[Part], wanted: Wanted, catalogue: Catalogue, ask: Asks | None
) -> CatalogueReading | None:
    """Read the parts of a sentence that the table of quantities does not explain; None if a word stays unexplained.

    Raises
    ------
    NotUnderstood
        Several parameters fit, and nobody can be asked.
    """
    datasets: list[tuple[str, str]] = []
    notes: list[str] = []
    search = Search(catalogue)
    named = {*wanted.crafts} or search.named(" ".join(part.text for part in parts))[1]
    unsuited = any(_DENIAL.search(part.text) or _LAYOUT & {*part.text.casefold().split()} for part in parts)
    if len(named) != 1 or unsuited:
        return None
    found: list[tuple[Part, list[_Match]]] = []
    for part in parts:
        text = part.text if wanted.crafts else _without_craft(part.text, search)
        if not text:
            continue
        matches = list(_matches(_expanded(text), named, wanted, catalogue))
        reaching = [match for match in matches if reaches(match.dataset, wanted.spans, catalogue)]
        if matches and not reaching:
            first = matches[0].dataset
            raise NotUnderstood(
                f"helio knows no '{text}' of {listed(sorted(named))} for that time",
                advice=f"choose a time with data: {first.id} {time_text(first.first)} to {time_text(first.last)}",
            )
        best = _best(reaching, text, wanted, catalogue)
        if not best or len(best) > MOST_CHOICES:
            return None
        found.append((part, best))
    for part, best in found:
        match = best[0] if len(best) == 1 else _chosen(part.text, best, ask)
        datasets += [(match.dataset.id, parameter.name) for parameter in match.parameters]
        notes.append(f"'{part.text}' is read as {match.described}")
    return CatalogueReading(
        tuple(dict.fromkeys(datasets)), tuple(span for part in parts for span in part.spans), tuple(notes)
    )


def _without_craft(text: str, search: Search) -> str:
    """Return a text without the words that name a spacecraft."""
    rest = search.named(text)[0].split()
    return " ".join(word for word in text.split() if {*re.findall(r"[a-z0-9.]+", word.lower())} & {*rest})


def _expanded(text: str) -> str:
    """Write all names of ``DE1 to DE4``."""

    def every(match: re.Match[str]) -> str:
        return " ".join(f"{match[1]}{number}" for number in range(int(match[2]), int(match[3]) + 1))

    return _SERIES.sub(every, text)


def _matches(text: str, crafts: set[str], wanted: Wanted, catalogue: Catalogue) -> Iterator[_Match]:
    text, channels = _CHANNELS.subn(" ", text)
    words = [word.rstrip(".") for word in _WORD.findall(text)]
    for dataset_id, craft in catalogue.crafts():
        if not crafts & {craft.spacecraft, craft.mission}:
            continue
        entry = catalogue.dataset(dataset_id)
        if not {*wanted.instruments} <= _instruments(entry):
            continue
        data = [parameter for parameter in entry.parameters if _is_data(parameter)]
        names = {_squashed(parameter.name): parameter for parameter in data}
        literal = [
            word for word in words if not word.islower() and len(word) > 1 and _squashed(word) in names
        ]
        rest = clauses(_tokens(" ".join(word for word in words if word not in literal)))
        named = tuple(dict.fromkeys(names[_squashed(word)] for word in literal))
        vocabulary = _Words(
            [
                *_tokens(f"{entry.id} {entry.title} {entry.instrument_type}"),
                *MEASURES.get(entry.instrument, "").split(),
            ],
            _instruments(entry),
        )
        every = [_Words(_tokens(_text_of(parameter))) for parameter in data]
        fitting = tuple(
            parameter
            for parameter, own in zip(data, every, strict=True)
            if (not named or parameter in named)
            and _fits(rest, own, vocabulary, every, named=bool(named))
            and _has_unit(parameter, text)
            and all(number in _numbers(parameter) for number in _NUMBER.findall(text))
            and (not wanted.frame or wanted.frame.lower() in own.words | {parameter.frame.lower()})
        )
        if {*named} - {*fitting}:
            continue
        groups = [fitting] if fitting and (named or channels) else [(parameter,) for parameter in fitting]
        for group in groups:
            described = group[0].description or group[0].name
            extra = {*_tokens(described)} - {*_tokens(text)} - vocabulary.words
            yield _Match(entry, group, len(literal), not extra)


class _Words:
    """The words and the concepts of a text of the catalogue."""

    def __init__(self, words: Sequence[str], instruments: frozenset[str] = frozenset()) -> None:
        self.words = {*words, *(name.lower() for name in instruments)}
        self.concepts = {*concepts(words)}

    def has(self, clause: Clause) -> bool:
        return (
            (clause.concept and clause.concept in self.concepts)
            or (clause.spelt and clause.spelt in self.words)
            or self.words.issuperset(clause.words)
        )

    @property
    def species(self) -> set[str]:
        return self.concepts & _SPECIES | self.words & _SPECIES


def _fits(
    rest: Sequence[Clause], own: _Words, dataset: _Words, every: Sequence[_Words], *, named: bool
) -> bool:
    """Return whether a parameter, or else its dataset, has every word; the dataset only what tells none apart."""
    asked = _Words([word for clause in rest for word in clause.words])
    if (
        own.species and asked.species and not asked.species & own.species
    ) or own.words & AUXILIARY - asked.words:
        return False
    covered = [own.has(clause) for clause in rest]
    by_dataset = (
        dataset.has(clause)
        and not any(words.has(clause) for words in every)
        and not (clause.concept in _SPECIES and len(dataset.species) > 1)
        for clause, own_word in zip(rest, covered, strict=True)
        if not own_word
    )
    measured = [not all(word.isdigit() or word in _OF_TIME for word in clause.words) for clause in rest]
    return (named or any(map(all, zip(covered, measured, strict=True)))) and all(by_dataset)


def _best(matches: Sequence[_Match], text: str, wanted: Wanted, catalogue: Catalogue) -> list[_Match]:
    """Return the matches that are as good as each other: those with names of parameters and final data first."""
    rows = {row.id: row for row in catalogue.rows}
    best = [match for match in matches if match.named == max(match.named for match in matches)]
    for test in (
        lambda match: not drawbacks(rows[match.dataset.id], text),
        lambda match: match.exact,
        lambda match: wanted.cadence in match.dataset.cadence,
    ):
        best = _preferred(best, test)
    table = [source.dataset for source in SOURCES]
    if len({tuple(parameter.name for parameter in match.parameters) for match in best}) == 1:
        best = _preferred(best, lambda match: match.dataset.id in table)
    return best


def _preferred(matches: list[_Match], test: Callable[[_Match], bool]) -> list[_Match]:
    return list(filter(test, matches)) or matches


def _chosen(words: str, matches: Sequence[_Match], ask: Asks | None) -> _Match:
    choices = {match.described: match for match in matches}
    if ask is None:
        raise NotUnderstood(
            f"'{words}' may be one of several parameters", advice=f"choose one of {'; '.join(choices)}"
        )
    return choices[ask(f"Which data do you mean by '{words}'?", list(choices))]


def _is_data(parameter: ParameterEntry) -> bool:
    """Return whether a parameter holds measured numbers that a panel can draw."""
    usable = parameter.kind != "string" and not UNUSABLE.search(parameter.description)
    return usable and parameter.unit.lower() not in _OF_TIME and len(parameter.size) < 2


def _has_unit(parameter: ParameterEntry, text: str) -> bool:
    """Return whether the unit of a parameter is one of the quantity that the words name."""
    named = [word for word in tokens(plain(_OTHER_DENSITY.sub(" ", text))) if word in _UNITS]
    return not named or any(comparable(parameter.canonical_unit, unit) for unit in _UNITS[named[-1]])


def _numbers(parameter: ParameterEntry) -> list[str]:
    return _NUMBER.findall(_text_of(parameter))


def _text_of(parameter: ParameterEntry) -> str:
    return f"{parameter.name} {parameter.description} {parameter.frame} {' '.join(parameter.axes)}"


def _tokens(text: str) -> list[str]:
    """Split a text into words as `tokens` does, with a name instead of the sign of an ion."""
    return tokens(plain(_ION.sub(lambda match: _CHARGED.get(match[0], match[0]), text)))


def _squashed(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _instruments(entry: DatasetSummary) -> frozenset[str]:
    return instrument_names(entry.id) | {word.upper() for word in re.findall(r"[\w-]+", entry.title)}


def reaches(entry: DatasetSummary, spans: Sequence[TimeRange], catalogue: Catalogue) -> bool:
    first, last = (time and time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last))
    stopped = last if last and catalogue.has_stopped(entry) else datetime.max
    return all((first is None or first < span.stop) and span.start <= stopped for span in spans)
