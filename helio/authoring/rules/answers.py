"""Answer questions about a template from its steps and the catalogue; decline what these do not say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.recorded import Records
from helio.authoring.rules.lines import Lines, no_question
from helio.errors import TimeRangeError
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry, time_text
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.quantities import SOURCES
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.changes import describe_step
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE, complete_labels
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures
from helio.time_range import TimeRange, parse_time_range

_QUESTION = re.compile(
    r"^\s*(?:what|which|why|how|when|where|who|whose|does|is|are|was|were|will|explain|describe|tell me"
    r"|list|(?:until|since|in|from) (?:which|what|when)"
    r"|do\s+(?:i|we|you|they|the|these|those|any|all|both|steps?))\b|\?\s*$",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^\s*(?:(?:can|could|would|will) you|(?:how|what) about|why not|can (?:we|i) have|may i have)\b",
    re.IGNORECASE,
)
DECLINED = "helio cannot answer that without a language model"
# Values, causes, forecasts and people: neither the steps nor the catalogue say anything about them.
_BEYOND = re.compile(
    r"\b(?:tomorrow|forecast|predict\w*|next (?:week|month|year)|will\s+(?!this|it (?:use|cover|draw))|caus\w+|CIR"
    r"|CME|sheath|shock|peaks?|maxim\w+|minim\w+|highest|lowest|strongest|how (?:big|large|strong|high|fast|much|good)|"
    r"how many (?:points|records|values)|accurate|reliable|offset|errors?|uncertaint\w+|accura\w+|calibrat\w+|gaps?"
    r"|phone|e-?mail|address|institute|made this|wrote this|author|correlat\w+|significan\w+|interpret\w*|physic\w+"
    r"|better|best|mean(?:s|ing)?\s+(?:for|of|that)|recommend\w*|should (?:i|we)|assum\w+)\b",
    re.IGNORECASE,
)
_LAST_RUN = re.compile(
    r"\b(?:last|latest|newest|previous) runs?\b|\b(?:was|were|did|has) (?:this|it|the pipeline) (?:last |ever )?run\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:was|were|has) (?:this|it|the pipeline) (?:last )?(?:been )?(?:changed|made)\b"
    r"|\bwhat (?:has |was )?changed\b|\bwho changed\b|\blast change\b",
    re.IGNORECASE,
)
_PLACES = {
    "first": 0,
    "top": 0,
    "upper": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "last": -1,
    "bottom": -1,
}
_WHOLE = re.compile(
    r"\b(?:what|how) does (?:this|it|the pipeline)\b|\bexplain\b|\bdescribe\b|\bsteps\b", re.IGNORECASE
)
_PLACE = re.compile(
    rf"\b(?:panel\s+(?P<number>\d+)|(?P<place>{'|'.join(_PLACES)})\s+(?:panel|plot))\b", re.IGNORECASE
)


def is_question(request: str) -> bool:
    """Return whether a sentence asks about a template; otherwise the sentence requests a change.

    >>> is_question("which dataset is used?"), is_question("do the panels share an axis")
    (True, True)
    >>> is_question("could you make it red?"), is_question("how about a red line?")
    (False, False)
    """
    return bool(_QUESTION.search(request)) and not _WISH.search(request)


@dataclass(frozen=True)
class _Fetched:
    """A parameter that a template fetches: its label, its dataset and what the catalogue says about both."""

    label: str
    entry: CatalogueEntry
    parameter: ParameterEntry

    @property
    def name(self) -> str:
        return f"{self.entry.id}.{self.parameter.name}"

    @property
    def quantities(self) -> set[str]:
        return {
            row.quantity
            for row in SOURCES
            if row.dataset == self.entry.id and self.parameter.name in row.parameters
        }

    @property
    def frame(self) -> str:
        rows = [row.frame for row in SOURCES if f"{row.dataset}.{row.parameters[0]}" == self.name]
        described = self.parameter.description if self.parameter.size else ""
        return (
            next(filter(None, rows), "")
            or self.parameter.frame
            or stated_frame(self.parameter.name, described)
        )


def answered(
    request: str, template: Document, catalogue: Catalogue, now: datetime, records: Records | None = None
) -> str:
    """Answer a question about a template, or say that helio cannot answer it."""
    return _Reader(request, template, catalogue, now, records).answer()


def facts_of(
    template: Document, catalogue: Catalogue, now: datetime, records: Records | None = None
) -> dict[str, list[str]]:
    """Collect everything from which `answered` answers questions about a template, by topic; leave out empty topics.

    Parameters
    ----------
    records : Records, optional
        The records of runs and changes. Default: none, and no facts about them.
    """
    return _Reader("", template, catalogue, now, records).facts()


class _Reader:
    """Reader of one question; each topic has a pattern of words and a method that gives the lines of the answer."""

    def __init__(
        self, request: str, template: Document, catalogue: Catalogue, now: datetime, records: Records | None
    ) -> None:
        self.request = request
        self.records = records
        self.template = template
        self.catalogue = catalogue
        self.now = now
        self.steps = {str(step.get("step_id")): step for step in template["steps"]}
        graph = graph_of(template_in(template).steps, signatures())
        self.producers: dict[str, StepView] = {label: views[-1] for label, views in graph.producers.items()}
        self._graph = graph.steps
        self.fetched = list(self._fetches())
        self.topics: Sequence[tuple[str, Callable[[], Iterator[str]]]] = (
            (r"\bempty\b|\bno data\b|\bblank\b", self._why_empty),
            (r"\b(?:DOI|cite|citation|reference)\b", self._doi),
            (r"\b(?:PI|investigator|responsible|provides?|affiliation)\b|\bwhose\b", self._investigator),
            (r"\b(?:preliminary|final|definitive|quick-?look|real-?time|provisional)\b", self._level),
            (
                r"\b(?:until when|since when|available|availability|coverage|begins?|ends?|ended|still|ongoing)\b",
                self._coverage,
            ),
            (r"\b(?:cadence|resolution|sampl\w+|how often|time step)\b", self._cadence),
            (r"\b(?:frame|coordinates?|coordinate system)\b", self._frames),
            (r"\bunits?\b|\bmeasured in\b", self._units),
            (r"\b(?:channels?|energies|energy (?:range|bins?)|bins?|bands?)\b", self._bins),
            (r"\bhow many panels\b|\bnumber of panels\b", self._panel_count),
            (rf"\bcolou?rs?\b|\b(?:{'|'.join(VOCABULARY['colours'])})\b", self._colours),
            (
                r"\b(?:window|averag\w+|smooth\w*|median|filter\w*|despik\w*|resampl\w*|comput\w*|calculat\w*"
                r"|processed|derived)\b",
                self._computations,
            ),
            (r"\btitle\b", self._titles),
            (r"\b(?:spacecraft|satellites?|missions?|probes?|instruments?)\b|^where\b", self._crafts),
            (r"\b(?:panels?|drawn|draws?|shows?|shown|plotted)\b", self._panels),
            (r"\b(?:data ?sets?|products?)\b", self._datasets),
            (
                r"^(?:which|what|list|where|from)\b.*\b(?:data|parameters?|sources?|variables?)\b",
                self._datasets,
            ),
            (r"^when\b|\b(?:time|range|period|interval|dates?|days?|how long)\b", self._times),
        )

    def answer(self) -> str:
        """Return the answer of all topics of the question, or say that there is none."""
        named = re.search(r"\bstep\s+[\"'“‘]?([\w-]+)", self.request, re.IGNORECASE)
        if named and named[1] not in self.steps:
            return f"No step is called '{named[1]}'. The steps are {', '.join(self.steps)}."
        if named:
            intent = self.steps[named[1]].get("intent")
            return self._line(named[1]) + (f" ({intent})" if intent else "")
        recorded = list(self._recorded())
        if recorded:
            return "\n".join(recorded)
        if _BEYOND.search(self.request) is None:
            for pattern, topic in self.topics:
                if re.search(pattern, self.request, re.IGNORECASE):
                    lines = list(dict.fromkeys(topic()))
                    if lines:
                        return "\n".join(lines)
            if re.search(
                r"\b(?:what|how) does (?:this|it|the pipeline)\b|\bexplain\b|\bdescribe\b|\bsteps\b",
                self.request,
                re.IGNORECASE,
            ):
                return "\n".join(map(self._line, self.steps))
        return f"{DECLINED}: the pipeline and the catalogue do not say it"

    def facts(self) -> dict[str, list[str]]:
        """Return the lines of all topics, and a description of each step."""
        named: dict[str, Callable[[], Iterator[str]]] = {
            "steps": lambda: (
                f"{self._line(name)}: {self._summary(step)}" for name, step in self.steps.items()
            ),
            **{topic.__name__.strip("_").replace("_", " "): topic for _, topic in self.topics},
        }
        if self.records is not None:
            name, records = str(self.template.get("id")), self.records
            named |= {
                "last run": lambda: records.last_run(name),
                "changes": lambda: records.changed(name),
                "changes since the last run": lambda: records.changed_since_run(name, self.template),
            }
        lines = {name: list(dict.fromkeys(topic())) for name, topic in named.items()}
        return {name: known for name, known in lines.items() if known}

    def _recorded(self) -> Iterator[str]:
        """Yield the answer from the records of runs and changes, if the question is about them."""
        about_run, about_change = _LAST_RUN.search(self.request), _CHANGED.search(self.request)
        if not about_run and not about_change:
            return
        if self.records is None:
            yield f"{DECLINED}; `helio runs` lists the runs, and `helio history` the changes of a pipeline"
            return
        name = str(self.template.get("id"))
        if about_change and about_run:
            yield from self.records.changed_since_run(name, self.template)
        elif about_change:
            yield from self.records.changed(name)
        else:
            yield from self.records.last_run(name)

    # Topics -----------------------------------------------------------------------------------------------

    def _why_empty(self) -> Iterator[str]:
        spans = [span for _, span in self._spans()]
        for source in self._meant():
            coverage = self._covers(source.entry)
            if any(not _overlaps(source.entry, span) for span in spans):
                asked = " and ".join(map(str, spans))
                yield f"{source.entry.id} has no data for {asked}: {coverage}"

    def _doi(self) -> Iterator[str]:
        for source in self._meant():
            yield f"{source.entry.id}: {source.entry.doi or 'the catalogue gives no DOI'}"

    def _investigator(self) -> Iterator[str]:
        for source in self._meant():
            named = ", ".join(filter(None, (source.entry.pi, source.entry.affiliation)))
            yield f"{source.entry.id}: {named or 'the catalogue names no investigator'}"

    def _level(self) -> Iterator[str]:
        for source in self._meant():
            early = re.search(
                r"_K\d_|PRELIM|_LL02_|BEACON|_LB_", f"{source.entry.id} {source.entry.title}", re.IGNORECASE
            )
            level = (
                "preliminary (browse or real-time) data"
                if early
                else "not marked as preliminary by its archive"
            )
            yield f"{source.entry.id}: {level}; {source.entry.title}"

    def _coverage(self) -> Iterator[str]:
        for source in self._meant():
            yield f"{source.entry.id}: {self._covers(source.entry)}"

    def _cadence(self) -> Iterator[str]:
        for source in self._meant():
            rows = [row.cadence for row in SOURCES if f"{row.dataset}.{row.parameters[0]}" == source.name]
            exact = next(filter(None, rows), None)
            words = cadence_text(exact) if exact else source.entry.cadence_words
            yield f"{source.name}: {words or 'the catalogue gives no cadence'}"
        yield from (
            self._line(name)
            for name, step in self.steps.items()
            if step.get("tool_name") in ("resample", "statistics")
        )

    def _frames(self) -> Iterator[str]:
        turned = [
            name
            for name, step in self.steps.items()
            if step.get("tool_name") in ("transform_frame", "rotate")
        ]
        for source in self._meant():
            if source.frame:
                yield f"{source.name} is in {source.frame}"
        yield from map(self._line, turned)

    def _units(self) -> Iterator[str]:
        for source in self._meant():
            yield f"{source.label}: {source.parameter.canonical_unit or 'no unit'} ({source.name})"
        yield from (
            self._line(name) for name, step in self.steps.items() if step.get("tool_name") == "convert_units"
        )

    def _bins(self) -> Iterator[str]:
        for source in self._meant():
            if source.parameter.size:
                notes = [
                    row.note
                    for row in SOURCES
                    if row.dataset == source.entry.id and source.parameter.name in row.parameters
                ]
                axes = ", ".join(source.parameter.axes)
                size = " × ".join(map(str, source.parameter.size))
                yield "; ".join(
                    filter(None, (f"{source.name}: {size} bins", axes, *notes, source.parameter.description))
                )
        for name, step in self.steps.items():
            bands = step.get("tool_args", {}).get("bands")
            if bands:
                yield f"{self._line(name)}: bands {json.dumps(bands)}"

    def _panel_count(self) -> Iterator[str]:
        for name, spec in self._figures():
            panels = spec.get("panels") or ()
            yield f"figure {name} has {len(panels)} panels"

    def _colours(self) -> Iterator[str]:
        for name, spec in self._figures():
            names = spec.get("trace_names") or {}
            for label, colour in (spec.get("trace_colors") or {}).items():
                yield f"{names.get(label, label)} is {colour} in figure {name}"

    def _computations(self) -> Iterator[str]:
        drawn = {
            owner(label, self.producers) for _, spec in self._figures() for label in complete_labels(spec)
        }
        meant = self._quantity()
        for name, step in self.steps.items():
            if step.get("tool_name") not in (FETCH, *FIGURES, STYLE):
                yield self._line(name)
        raw = [source for source in self._meant() if meant and source.label in drawn]
        yield from (
            f"{source.label} is drawn as it was fetched, not smoothed: {source.name}" for source in raw
        )

    def _titles(self) -> Iterator[str]:
        for name, step in self.steps.items():
            spec = spec_of(step)
            if isinstance(spec, dict) and spec.get("title"):
                yield f"the title of {name} is '{spec['title']}'"

    def _panels(self) -> Iterator[str]:
        for name, spec in self._figures():
            panels = spec.get("panels") or ([spec["labels"]] if spec.get("labels") else [])
            for number in self._numbers(len(panels)):
                panel = panels[number]
                drawn = [panel] if isinstance(panel, str) else panel
                said = ", ".join(self._described(label) for label in drawn)
                yield f"figure {name}, panel {number + 1}: {said}"

    def _crafts(self) -> Iterator[str]:
        for source in self._meant():
            yield f"{source.entry.id}: {source.entry.spacecraft}, {source.entry.instrument or source.entry.title}"

    def _datasets(self) -> Iterator[str]:
        for source in self._meant():
            yield f"{source.name}: {source.parameter.description or source.entry.title}"

    def _times(self) -> Iterator[str]:
        for name, span in self._spans():
            written = self.template["variables"][name]["default"]
            yield f"{name} is {span}" if written == str(span) else f"{name} is {written}, now {span}"
        for name, variable in (self.template.get("variables") or {}).items():
            if variable.get("type") == "time_range" and not variable.get("default"):
                yield f"{name} is to be given with --time-range"

    # Facts ------------------------------------------------------------------------------------------------

    def _line(self, name: str) -> str:
        """Describe a step, with the values of its variables."""
        text = f"Step {name}: {describe_step(self.steps[name])}"
        for variable, facts in (self.template.get("variables") or {}).items():
            if facts.get("default"):
                text = text.replace(variable, f"{facts['default']} ({variable})")
        return text

    def _summary(self, step: Document) -> str:
        """Say in one sentence what the tool of a step does."""
        tool = signatures().get(str(step.get("tool_name")))
        return tool.summary if tool else "helio has no such tool"

    def _fetches(self) -> Iterator[_Fetched]:
        for step in self._graph:
            if step.tool != FETCH:
                continue
            for choice in fetch_choices(step.params):
                entry = (
                    self.catalogue.dataset(choice.dataset_id) if choice.dataset_id in self.catalogue else None
                )
                known = {parameter.name: parameter for parameter in entry.parameters} if entry else {}
                labels = list(step.outputs)
                for number, name in enumerate(choice.parameters):
                    if entry is not None and name in known:
                        yield _Fetched(labels[min(number, len(labels) - 1)], entry, known[name])

    def _meant(self) -> list[_Fetched]:
        """Return the data that the question names by panel, quantity, dataset or spacecraft; otherwise all."""
        place = _PLACE.search(self.request)
        known = self.fetched
        if place:
            labels = {
                origin
                for _, spec in self._figures()
                for number in self._numbers(len(spec.get("panels") or ()))
                for label in spec["panels"][number]
                for origin in self._origins(label)
            }
            known = [fetched for fetched in known if fetched.label in labels] or known
        quantity = self._quantity()
        tests: tuple[Callable[[_Fetched], bool], ...] = (
            lambda fetched: bool(quantity) and bool(fetched.quantities & quantity),
            lambda fetched: (
                _says(self.request, fetched.entry.id) or _says(self.request, fetched.parameter.name)
            ),
            lambda fetched: _says(self.request, fetched.entry.spacecraft),
        )
        for test in tests:
            known = [fetched for fetched in known if test(fetched)] or known
        return known

    def _quantity(self) -> set[str]:
        """Return the quantities that the question names."""
        found = {
            row.quantity
            for row in WORDS
            if re.search(rf"(?<![\w|])(?:{row.pattern})(?![\w|])", self.request, re.IGNORECASE)
        }
        if re.search(r"\bfields?\b|(?-i:\bB\b)", self.request, re.IGNORECASE):
            found |= {"magnetic field vector"}
        return found

    def _origins(self, label: str) -> Iterator[str]:
        """Yield the fetched labels from which a label is made."""
        name = owner(label, self.producers)
        if name is None:
            return
        if self.producers[name].tool == FETCH:
            yield name
        for read in self.producers[name].labels:
            if read != label:
                yield from self._origins(read)

    def _described(self, label: str) -> str:
        name = owner(label, self.producers) or label
        source = next((fetched for fetched in self.fetched if fetched.label == name), None)
        if source is not None:
            return f"{label} ({source.parameter.description or source.name})"
        step = self.producers.get(name)
        return f"{label} ({step.tool} of {', '.join(step.labels)})" if step else label

    def _figures(self) -> Iterator[tuple[str, Document]]:
        lines = Lines(self.template, self.catalogue, no_question)
        for name, step in self.steps.items():
            if step.get("tool_name") in FIGURES:
                yield name, lines.spec(step)

    def _numbers(self, count: int) -> list[int]:
        """Return the indices of the panels that the question names; all without a name."""
        place = _PLACE.search(self.request)
        if place is None or not count:
            return list(range(count))
        index = int(place["number"]) - 1 if place["number"] else _PLACES[place["place"].lower()]
        return [index % count] if -count <= index < count else []

    def _spans(self) -> Iterator[tuple[str, TimeRange]]:
        for name, variable in (self.template.get("variables") or {}).items():
            if variable.get("type") == "time_range" and isinstance(variable.get("default"), str):
                try:
                    yield name, parse_time_range(variable["default"], self.now)
                except TimeRangeError:
                    continue  # the check of the pipeline reports it

    def _covers(self, entry: CatalogueEntry) -> str:
        ends = "data end on" if self.catalogue.has_stopped(entry) else "data at least until"
        return f"data from {time_text(entry.first)[:10]}; {ends} {time_text(entry.last)[:10]}"


def _says(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def _overlaps(entry: CatalogueEntry, span: TimeRange) -> bool:
    first, last = (time and time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last))
    return not ((first is not None and span.stop <= first) or (last is not None and span.start > last))
