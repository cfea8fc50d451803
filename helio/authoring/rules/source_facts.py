"""Collect facts about parameters and datasets from the catalogue, each with all that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from helio.authoring.rules.asked import Subject, folded, names_of_crafts
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry, time_text
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES, B, QuantitySource
from helio.knowledge.quantity_words import WORDS

_EARLY = re.compile(r"_K\d_|PRELIM|_LL02_|BEACON|_LB_", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """One line of an answer, and everything that it is about."""

    text: str
    about: frozenset[Subject] = frozenset()


Facts = Iterator[Fact]


@dataclass(frozen=True)
class Source:
    """A parameter of a dataset; in a template also the label under which the template has it.

    Parameters
    ----------
    label : str
        Empty outside a template.
    about : frozenset
        Further subjects of all facts about the parameter: the panels that draw it, its step.
    parameter : ParameterEntry, optional
        None for a dataset as a whole.
    """

    dataset: CatalogueEntry
    parameter: ParameterEntry | None = None
    label: str = ""
    more: frozenset[Subject] = field(default=frozenset())

    @property
    def name(self) -> str:
        """The dataset and the parameter."""
        return f"{self.dataset.id}.{self.parameter.name}" if self.parameter else self.dataset.id

    @cached_property
    def rows(self) -> list[QuantitySource]:
        """The rows of the table of quantities that have this parameter."""
        return [
            row
            for row in SOURCES
            if row.dataset == self.dataset.id
            and (self.parameter is None or self.parameter.name in row.parameters)
        ]

    @property
    def frame(self) -> str:
        """The frame of the parameter, or an empty text."""
        if self.parameter is None:
            return ""
        rows = [row.frame for row in self.rows if row.parameters[0] == self.parameter.name]
        described = self.parameter.description if self.parameter.size else ""
        return (
            next(filter(None, rows), "")
            or self.parameter.frame
            or stated_frame(self.parameter.name, described)
        )

    @cached_property
    def about(self) -> frozenset[Subject]:
        """Everything that the facts of the parameter are about."""
        dataset = self.dataset
        crafts = {folded(dataset.spacecraft), folded(dataset.mission)} | {
            folded(row.spacecraft) for row in self.rows
        }
        named = {name for craft in crafts for _, name in names_of_crafts().get(craft, ())}
        subjects = {("dataset", folded(dataset.id)), *(("craft", name) for name in crafts | named)}
        subjects |= {("instrument", folded(name)) for name in instruments_of(dataset)}
        if self.parameter is not None:
            subjects.add(("parameter", folded(self.parameter.name)))
            quantities = {row.quantity for row in self.rows} | named_quantities(self.parameter.description)
            subjects |= {("quantity", quantity) for quantity in quantities}
        if self.label:
            subjects.add(("label", folded(self.label)))
        return frozenset(subjects) | self.more


def instruments_of(dataset: CatalogueEntry) -> set[str]:
    """Return the names of a dataset's instrument."""
    words = {word for word in re.split(r"[\s/,-]+", dataset.instrument) if len(word) > 1}
    return {*instrument_names(dataset.id), *words, dataset.instrument} - {""}


def named_quantities(text: str) -> set[str]:
    """Return the quantities that a text names; the longest name in a place counts."""
    spans: list[tuple[int, int, str]] = []
    for row in WORDS:
        for match in re.finditer(rf"(?<![\w|])(?:{row.pattern})(?![\w|])", text, re.IGNORECASE):
            spans.append((*match.span(), row.quantity))
    if re.search(r"\bfield\b|\bB\b|\bB[xyzrtn]\b", text):
        spans.append((0, 0, B))
    return {
        name
        for start, stop, name in spans
        if not any(
            first <= start and stop <= last and last - first > stop - start > 0 for first, last, _ in spans
        )
    }


def covers(dataset: CatalogueEntry, catalogue: Catalogue) -> str:
    """Say from when to when a dataset has data."""
    ends = "data end on" if catalogue.has_stopped(dataset) else "data at least until"
    return f"data from {time_text(dataset.first)[:10]}; {ends} {time_text(dataset.last)[:10]}"


class SourceFacts:
    """Facts about parameters and datasets, from the catalogue.

    Parameters
    ----------
    sources : iterable of Source
    catalogue : Catalogue
    """

    def __init__(self, sources: Iterable[Source], catalogue: Catalogue) -> None:
        self.sources = list(sources)
        self.catalogue = catalogue

    @property
    def topics(self) -> Mapping[str, Callable[[], Facts]]:
        """The functions that give the facts of each property."""
        lines: Mapping[str, Callable[[Source], str]] = {
            "doi": self._doi,
            "investigator": self._investigator,
            "level": self._level,
            "coverage": lambda source: f"{source.dataset.id}: {covers(source.dataset, self.catalogue)}",
            "cadence": self._cadence,
            "frames": lambda source: f"{source.name} is in {source.frame}" if source.frame else "",
            "units": self._unit,
            "bins": self._bins,
            "crafts": lambda source: (
                f"{source.dataset.id}: {source.dataset.spacecraft}, {source.dataset.instrument}; {source.dataset.title}"
            ),
            "instruments": lambda source: (
                f"{source.dataset.id}: {source.dataset.instrument or source.dataset.title} "
                f"of {source.dataset.spacecraft}"
            ),
            "datasets": self._described,
            "meanings": self._described,
            "notes": lambda source: "; ".join(
                filter(None, [*(row.note for row in source.rows), source.dataset.notes_url])
            ),
            "archives": self._archive,
        }

        def facts_about(line: Callable[[Source], str]) -> Callable[[], Facts]:
            return lambda: (Fact(text, source.about) for source in self.sources if (text := line(source)))

        return {topic: facts_about(line) for topic, line in lines.items()}

    def texts(self) -> Facts:
        """Yield what the catalogue says in words about each parameter and dataset."""
        for source in self.sources:
            dataset, parameter = source.dataset, source.parameter
            yield Fact(
                f"{dataset.id}: {dataset.title}; {dataset.spacecraft} {dataset.instrument}", source.about
            )
            if parameter is not None:
                words = (parameter.description, *parameter.axes, *(row.note for row in source.rows))
                yield Fact(f"{source.name}: {'; '.join(filter(None, words))}", source.about)

    def _doi(self, source: Source) -> str:
        dataset = source.dataset
        thanks = f"; acknowledgement: {dataset.acknowledgement}" if dataset.acknowledgement else ""
        return f"{dataset.id}: {dataset.doi or 'the catalogue gives no DOI'}; cite as: {dataset.citation}{thanks}"

    def _investigator(self, source: Source) -> str:
        named = ", ".join(filter(None, (source.dataset.pi, source.dataset.affiliation)))
        return f"{source.dataset.id}: {named or 'the catalogue names no investigator'}"

    def _level(self, source: Source) -> str:
        early = _EARLY.search(f"{source.dataset.id} {source.dataset.title}")
        level = (
            "preliminary (browse or real-time) data" if early else "not marked as preliminary by its archive"
        )
        described = source.parameter.description if source.parameter else ""
        stated = (
            f"; {described}" if re.search(r"provisional|quick-?look|prelim", described, re.IGNORECASE) else ""
        )
        return f"{source.dataset.id}: {level}; {source.dataset.title}{stated}"

    def _cadence(self, source: Source) -> str:
        rows = [
            row.cadence
            for row in source.rows
            if source.parameter and row.parameters[0] == source.parameter.name
        ]
        exact = next(filter(None, rows), None)
        words = cadence_text(exact) if exact else source.dataset.cadence_words
        return f"{source.name}: {words or 'the catalogue gives no cadence'}"

    def _unit(self, source: Source) -> str:
        if source.parameter is None:
            return ""
        unit = source.parameter.canonical_unit or "no unit"
        return f"{source.label}: {unit} ({source.name})" if source.label else f"{source.name}: {unit}"

    def _bins(self, source: Source) -> str:
        if source.parameter is None or not source.parameter.size:
            return ""
        size = " × ".join(map(str, source.parameter.size))
        axes = ", ".join(source.parameter.axes)
        words = (
            f"{source.name}: {size} bins",
            axes,
            *(row.note for row in source.rows),
            source.parameter.description,
        )
        return "; ".join(filter(None, words))

    def _described(self, source: Source) -> str:
        if source.parameter is None:
            dataset, span = source.dataset, covers(source.dataset, self.catalogue)
            parts = (
                dataset.title,
                f"{dataset.spacecraft} {dataset.instrument}".strip(),
                dataset.cadence_words,
                span,
            )
            return f"{dataset.id}: {'; '.join(filter(None, parts))}"
        return f"{source.name}: {source.parameter.description or source.dataset.title}"

    def _archive(self, source: Source) -> str:
        if self.catalogue.in_archive(source.dataset.id):
            return f"{source.dataset.id} is read from your archive"
        return f"{source.dataset.id} is served by CDAWeb of NASA's Space Physics Data Facility (SPDF)"
