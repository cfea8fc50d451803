"""Collect facts about parameters and datasets from the catalogue, each with all that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from functools import cached_property, lru_cache

from helio.authoring.rules.questions.asked import Subject, folded, names_of_crafts
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry, time_text
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES, B, QuantitySource
from helio.knowledge.quantity_words import INDICES, WORDS
from helio.patterns import ignoring_case
from helio.sources.istp import is_flux
from helio.time_range import TimeRange

_EARLY = re.compile(r"_K\d_|PRELIM|_LL02_|BEACON|_LB_", re.IGNORECASE)
_STATED = re.compile(r"(?<![A-Za-z])(?:level[ -]?(\d)|L(\d)|(definitive|final))(?![A-Za-z])", re.IGNORECASE)
_PROVISIONAL = re.compile(r"provisional|quick-?look|prelim", re.IGNORECASE)
MERGED = "OMNI"
"""What the catalogue has as the spacecraft of data that are merged from several."""
OF_DATASETS = ("doi", "licence", "investigator", "level", "coverage", "crafts", "instruments", "archives")
"""Properties of a whole dataset."""
_AFTER_A_RUN = " (after a run, `helio cite RUN` says what the files do)"
_MOST_NAMED = 3
"""Number of parameters of a dataset that an answer names; it counts more."""


@dataclass(frozen=True)
class Fact:
    """A line of an answer, and everything that it is about.

    Parameters
    ----------
    of : str
        The dataset, parameter or label that stands at the place ``{}`` of the text. Facts with the same text become
        one line.
    """

    text: str
    about: frozenset[Subject] = frozenset()
    of: str = ""


Facts = Iterator[Fact]


def lines_of(facts: Iterable[Fact]) -> list[str]:
    """Write facts as lines; facts with the same text become one line that names everything that they are about.

    >>> lines_of(Fact("1 min ({})", of=name) for name in ("OMNI.F", "OMNI.T", "DST"))
    ['1 min (OMNI.F, T; DST)']
    """
    names: dict[str, dict[str, None]] = {}
    for fact in facts:
        names.setdefault(" ".join(fact.text.split()), {})[fact.of] = None
    return [text.replace("{}", _joined(of)) for text, of in names.items()]


def _joined(names: Iterable[str]) -> str:
    inside: dict[str, list[str]] = {}
    for name in names:
        dataset, _, parameter = name.partition(".")
        inside.setdefault(dataset, []).extend([parameter] if parameter else [])
    return "; ".join(
        f"{dataset}, {len(parameters)} parameters"
        if len(parameters) > _MOST_NAMED
        else ".".join(filter(None, (dataset, ", ".join(parameters))))
        for dataset, parameters in inside.items()
    )


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
    def parts(self) -> list[Source]:
        """The parameters of a dataset, each as a source."""
        return [Source(self.dataset, parameter) for parameter in self.dataset.parameters]

    @property
    def text(self) -> str:
        """The names of the dataset and the description of the parameter, or of all its parameters."""
        parameters = (self.parameter,) if self.parameter else self.dataset.parameters
        names = (self.dataset.id.replace("_", " "), self.dataset.instrument_type, self.dataset.title)
        return " ".join((*names, *(parameter.description for parameter in parameters)))

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
        meant = [names_of_crafts().get(craft, frozenset()) for craft in crafts]
        named = {
            name for subjects in meant if len(subjects) == 1 for _, name in subjects
        }  # no others of a family
        subjects = {("dataset", folded(dataset.id)), *(("craft", name) for name in crafts | named)}
        subjects |= {("instrument", folded(name)) for name in instruments_of(dataset)}
        if self.parameter is not None:
            subjects.add(("parameter", folded(self.parameter.name)))
            quantities = {row.quantity for row in self.rows} | named_quantities(self.parameter.description)
            subjects |= {("quantity", quantity) for quantity in quantities}
        if self.label:
            subjects.add(("label", folded(self.label)))
        return frozenset(subjects) | self.more


def is_early(dataset: CatalogueEntry) -> bool:
    """Return whether a dataset has browse or real-time data."""
    return _EARLY.search(f"{dataset.id} {dataset.title}") is not None


def is_named(dataset: CatalogueEntry) -> bool:
    """Return whether the catalogue names the instrument of a dataset, not only its type."""
    return bool(dataset.instrument) and dataset.instrument != dataset.instrument_type


def instruments_of(dataset: CatalogueEntry) -> set[str]:
    """Return the names of a dataset's instrument."""
    if not is_named(dataset):
        return set()
    words = {word for word in re.split(r"[\s/,-]+", dataset.instrument) if len(word) > 1}
    return {*instrument_names(dataset.id), *words, dataset.instrument} - {""}


@lru_cache(maxsize=4096)
def named_quantities(text: str) -> frozenset[str]:
    """Return the quantities that a text names; the longest name in a place counts."""
    spans: list[tuple[int, int, str]] = []
    for row in WORDS:
        for match in ignoring_case(rf"(?<![\w|])(?<!\d/)(?:{row.pattern})(?![\w|])").finditer(text):
            spans.append((*match.span(), row.quantity))
    if re.search(r"\bfield\b|\bB\b|\bB[xyzrtn]\b", text):
        spans.append((0, 0, B))
    return frozenset(
        name
        for start, stop, name in spans
        if not any(
            first <= start and stop <= last and last - first > stop - start > 0 for first, last, _ in spans
        )
    )


def covers(dataset: CatalogueEntry, catalogue: Catalogue) -> str:
    """Say from when to when a dataset has data."""
    ends = "data end on" if catalogue.has_stopped(dataset) else "data at least until"
    span = f"data from {time_text(dataset.first)[:10]}; {ends} {time_text(dataset.last)[:10]}"
    return " ".join(filter(None, (span, catalogue.covered_elsewhere(dataset.id))))


def overlaps(dataset: CatalogueEntry, span: TimeRange) -> bool:
    """Return whether a dataset may have data in a time range."""
    first, last = (
        time and time.astimezone(UTC).replace(tzinfo=None) for time in (dataset.first, dataset.last)
    )
    return not ((first is not None and span.stop <= first) or (last is not None and span.start > last))


def cadences_of(source: Source) -> tuple[float, ...]:
    """Return the cadences of a parameter or a dataset, in seconds; nothing if they are unknown."""
    rows = [
        row.cadence
        for row in source.rows
        if source.parameter is None or row.parameters[0] == source.parameter.name
    ]
    if source.parameter is None and source.dataset.cadence:
        return source.dataset.cadence
    exact = next(filter(None, rows), None)
    return (exact,) if exact else source.dataset.cadence


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
            "licence": self._licence,
            "investigator": self._investigator,
            "level": self._level,
            "coverage": lambda source: f"{{}}: {covers(source.dataset, self.catalogue)}",
            "cadence": self._cadence,
            "frames": lambda source: f"{source.frame} ({{}})" if source.frame else "",
            "units": lambda source: (
                f"{source.parameter.canonical_unit or 'no unit'} ({{}})" if source.parameter else ""
            ),
            "bins": self._bins,
            "crafts": self._craft,
            "instruments": self._instrument,
            "datasets": lambda source: (
                f"{{}}: {source.dataset.title}" if source.label else self._described(source)
            ),
            "parameters": lambda source: (
                ""
                if source.parameter
                else f"{{}}: {', '.join(parameter.name for parameter in source.dataset.parameters)}"
            ),
            "meanings": self._described,
            "notes": lambda source: "; ".join(
                filter(None, [*dict.fromkeys(row.note for row in source.rows), source.dataset.notes_url])
            ),
            "archives": self._archive,
        }

        def facts_about(topic: str, line: Callable[[Source], str]) -> Callable[[], Facts]:
            return lambda: (
                Fact(text, source.about, source.dataset.id if topic in OF_DATASETS else source.name)
                for source in self.sources
                if (text := line(source))
            )

        return {topic: facts_about(topic, line) for topic, line in lines.items()}

    def available(self, span: TimeRange) -> Facts:
        """Say which datasets have data in a time range, or that none has."""
        inside = [source for source in self.sources if overlaps(source.dataset, span)]
        for source in inside:
            yield Fact(
                f"yes: {{}} {'have' if len(inside) > 1 else 'has'} data in {span}", of=source.dataset.id
            )
        for source in self.sources:
            if source not in inside:
                yield Fact(f"no: {{}}: {covers(source.dataset, self.catalogue)}", of=source.dataset.id)

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
        doi = dataset.doi or f"the catalogue gives no DOI{_AFTER_A_RUN}"
        return f"{{}}: {doi}; cite as: {dataset.citation}{thanks}"

    def _licence(self, source: Source) -> str:
        thanks = source.dataset.acknowledgement
        wish = f"acknowledgement: {thanks}" if thanks else "`helio datasets show` says how to cite the data"
        return f"the catalogue gives no licence; {wish} ({{}})"

    def _investigator(self, source: Source) -> str:
        named = ", ".join(filter(None, (source.dataset.pi, source.dataset.affiliation)))
        return f"{named or f'the catalogue names no investigator{_AFTER_A_RUN}'} ({{}})"

    def _craft(self, source: Source) -> str:
        name = source.dataset.spacecraft
        return (
            f"the data are merged from several spacecraft ({{}}: {name})"
            if name == MERGED
            else f"{name} ({{}})"
        )

    def _level(self, source: Source) -> str:
        is_index = source.parameter and any(row.quantity in INDICES for row in source.rows)
        if is_index and source.dataset.spacecraft == MERGED:  # the title says what the other data are
            described = source.parameter.description if source.parameter else ""
            status = (
                "provisional in part" if _PROVISIONAL.search(described) else "the catalogue gives no status"
            )
            return f"{status}: {described} ({source.name})"
        words = f"{source.dataset.id.replace('_', ' ')} {source.dataset.title}"
        stated = [
            f"level {full or short}" if full or short else word
            for full, short, word in _STATED.findall(words)
        ]
        early = "preliminary" if is_early(source.dataset) else "not marked as preliminary by its archive"
        described = source.parameter.description if source.parameter else ""
        if source.parameter and _PROVISIONAL.search(described) and not is_early(source.dataset):
            return f"provisional in part: {described} ({source.name})"
        return f"{', '.join(dict.fromkeys((*(word.lower() for word in stated), early)))} ({{}})"

    def _cadence(self, source: Source) -> str:
        words = ", ".join(map(cadence_text, cadences_of(source)))
        return f"{words or 'the catalogue gives no cadence'} ({{}})"

    def _bins(self, source: Source) -> str:
        if source.parameter is None or not source.parameter.size:
            return ""
        size = " × ".join(map(str, source.parameter.size))
        axes = ", ".join(source.parameter.axes)
        is_vector = source.parameter.size in ((3,), (4,)) and not is_flux(source.parameter.unit)
        parts = "components" if is_vector else "bins"
        words = (
            f"{{}}: {size} {parts}",
            axes,
            *(row.note for row in source.rows),
            source.parameter.description,
        )
        return "; ".join(filter(None, words))

    def _instrument(self, source: Source) -> str:
        dataset = source.dataset
        if is_named(dataset):
            return f"{dataset.instrument} of {dataset.spacecraft} ({{}})"
        return f"the catalogue names no instrument ({{}}: {dataset.title})"

    def _described(self, source: Source) -> str:
        dataset, parameter = source.dataset, source.parameter
        if parameter is None:
            span = covers(dataset, self.catalogue)
            craft = f"{dataset.spacecraft} {dataset.instrument if is_named(dataset) else ''}".strip()
            return f"{{}}: {'; '.join(filter(None, (dataset.title, craft, dataset.cadence_words, span)))}"
        notes = [
            f"in {parameter.canonical_unit}" if parameter.canonical_unit else "",
            *(row.note for row in source.rows),
        ]
        described = parameter.description or dataset.title
        return f"{{}}: {'; '.join(filter(None, (described, *dict.fromkeys(notes))))}"

    def _archive(self, source: Source) -> str:
        if self.catalogue.in_archive(source.dataset.id):
            return "{} is read from your archive"
        return "{} is served by CDAWeb of NASA's Space Physics Data Facility (SPDF)"
