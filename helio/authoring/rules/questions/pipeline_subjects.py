"""Say what each step, table and line of a template is about, for facts about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.lines import Lines
from helio.authoring.rules.questions.asked import Subject, folded
from helio.authoring.rules.questions.source_facts import Source, SourceFacts, named_quantities
from helio.authoring.writing.asking import no_question
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import craft_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures
from helio.time_range import TimeRange, time_range_or_none


class PipelineSubjects:
    """Everything that facts about a template can be about.

    Parameters
    ----------
    template : Document
    catalogue : Catalogue
    now : datetime
        Naive UTC.
    """

    def __init__(self, template: Document, catalogue: Catalogue, now: datetime) -> None:
        self.template = template
        self.catalogue = catalogue
        self.now = now
        self.steps = {str(step.get("step_id")): step for step in template["steps"]}
        self.lines = Lines(template, catalogue, no_question)
        self.producers = self.lines.producers
        self.graph = self.lines.graph
        self.foreseen = self.lines.foreseen
        self.data = SourceFacts(self.sources(), catalogue)

    @cached_property
    def names(self) -> Mapping[str, frozenset[Subject]]:
        """Everything that a question can name in the template, by folded name."""
        known: dict[str, set[Subject]] = {}

        def add(name: str, kind: str, subject: str = "") -> None:
            if name:
                known.setdefault(folded(name), set()).add((kind, folded(subject or name)))

        for name in self.steps:
            if name != "spectrogram":  # a kind of panel
                add(name, "step")
            add(f"step {name}", "step", name)
        for name in self.variables_of_template:
            add(name, "variable")
            add(name.removeprefix("$"), "variable", name)
        for label in self.producers:
            add(label, "label")
            add(label.rpartition(".")[2], "label", label)
        for source in self.data.sources:
            for kind, name in source.about:
                if kind in ("dataset", "parameter", "instrument"):
                    add(name, kind)
        for _, spec in self.figures():
            for label, name in (spec.get("trace_names") or {}).items():
                table = owner(label, self.producers)
                if table and isinstance(name, str):
                    add(name, "label", table)
        for step in self.graph.steps:
            for kind, name in self.of_step(str(step.id)) if step.tool == FETCH else ():
                if kind in ("dataset", "parameter"):
                    add(name, kind)
            tool = signatures().get(step.tool)
            for name in (tool.name, *tool.synonyms) if tool else ():
                add(name, "tool", step.tool)
        return {name: frozenset(subjects) for name, subjects in known.items()}

    def figures(self) -> Iterator[tuple[str, Document]]:
        """Yield the figures, each with its settings."""
        for name, step in self.steps.items():
            if step.get("tool_name") in FIGURES:
                yield name, self.lines.spec(step)

    def lines_meant(self, words: str) -> list[str]:
        """Return the tables behind the lines of the figures that words mean; none if that is not clear."""
        return list(dict.fromkeys(owner(line, self.producers) or line for line in self.drawn_as(words)))

    def drawn_as(self, words: str) -> list[str]:
        """Return the lines of the figures that words mean, components as such; none if that is not clear."""
        figures = [step for step in self.steps.values() if step.get("tool_name") in FIGURES]
        try:
            return [line for figure in figures for line in self.lines.meant(words, figure)]
        except NotUnderstood:
            return []

    def most(self) -> int:
        """Return the largest number of panels of a figure."""
        return max((len(spec.get("panels") or ()) for _, spec in self.figures()), default=0)

    @property
    def variables_of_template(self) -> Mapping[str, Document]:
        return self.template.get("variables") or {}

    def sources(self) -> Iterator[Source]:
        for step in self.graph.steps:
            if step.tool != FETCH:
                continue
            for choice in fetch_choices(step.params):
                dataset = (
                    self.catalogue.dataset(choice.dataset_id) if choice.dataset_id in self.catalogue else None
                )
                known = {parameter.name: parameter for parameter in dataset.parameters} if dataset else {}
                labels = list(step.outputs)
                for number, name in enumerate(choice.parameters):
                    if dataset is not None and name in known:
                        label = labels[min(number, len(labels) - 1)]
                        more = {("step", folded(str(step.id))), *self.drawn_in(label)}
                        yield Source(dataset, known[name], label, frozenset(more))

    @property
    def has_unlisted_data(self) -> bool:
        """Whether the template takes data that are not in the catalogue, so that their spacecraft is not known."""
        steps = [step for step in self.graph.steps if step.tool == FETCH]
        choices = [choice for step in steps for choice in fetch_choices(step.params)]
        return any(choice.dataset_id not in self.catalogue for choice in choices)

    @cached_property
    def panel_origins(self) -> dict[str, set[Subject]]:
        """The panels that draw each fetched or computed table, or something that is made from it."""
        places: dict[str, set[Subject]] = {}
        for _, spec in self.figures():
            for number, panel in enumerate(spec.get("panels") or (), 1):
                for label in [panel] if isinstance(panel, str) else panel:
                    for origin in self.lines.behind(label):
                        places.setdefault(origin, set()).add(("panel", str(number)))
        return places

    def drawn_in(self, label: str) -> set[Subject]:
        return self.panel_origins.get(label, set())

    def of_label(self, label: str) -> frozenset[Subject]:
        """Return everything that facts about a label are about."""
        name = owner(label, self.producers) or label
        own = [source.about for source in self.data.sources if source.label == name]
        component = label.removeprefix(f"{name}.") if label != name else ""
        subjects: set[Subject] = {("label", folded(name)), *self.drawn_in(name)}
        if component:
            subjects.add(("component", folded(component)))
        if own:
            return frozenset(subjects).union(*own)
        step = self.producers.get(name)
        return frozenset(subjects) | (self.of_step(str(step.id)) if step else frozenset())

    def of_step(self, name: str) -> frozenset[Subject]:
        if name not in self.subjects_of_steps:
            self.subjects_of_steps[name] = self.about_step(name)
        return self.subjects_of_steps[name]

    def of_result(self, name: str) -> frozenset[Subject]:
        """Return what the result of a step is about: not the parameters from which it makes another quantity."""
        step = next((view for view in self.graph.steps if str(view.id) == name), None)
        read = {table for label in step.labels for table in self.lines.behind(label)} if step else set()
        others = {
            ("parameter", folded(source.parameter.name))
            for source in self.data.sources
            if step and source.label in read and source.parameter
            if self.foreseen_unit(step) != source.parameter.canonical_unit
        }
        return self.of_step(name) - others

    @cached_property
    def subjects_of_steps(self) -> dict[str, frozenset[Subject]]:
        return {}

    def about_step(self, name: str) -> frozenset[Subject]:
        """Return what a step is about: its tool and results, the quantities that its text names, and its data."""
        step = next((view for view in self.graph.steps if str(view.id) == name), None)
        written = self.steps[name]
        subjects: set[Subject] = {("step", folded(name)), ("tool", folded(str(written.get("tool_name"))))}
        text = f"{written.get('intent') or ''} {name.replace('-', ' ')}"
        subjects |= {("quantity", quantity) for quantity in named_quantities(text)}
        if step is None or step.tool in (*FIGURES, STYLE):
            return frozenset(subjects)
        for label in step.outputs:
            subjects |= {("label", folded(label)), *self.drawn_in(label)}
            subjects |= {("quantity", quantity) for quantity in self.lines.own_quantities(label)}
        for read in step.labels:
            for table in self.lines.behind(read):
                for source in self.data.sources:
                    if source.label == table:
                        kinds = ("craft", "instrument", "dataset", "parameter")
                        own = {subject for subject in source.about if subject[0] in kinds}
                        same = self.foreseen_unit(step) == (
                            source.parameter and source.parameter.canonical_unit
                        )
                        subjects |= own | {
                            subject for subject in source.about if subject[0] == "quantity" and same
                        }
        if step.tool == FETCH:
            for choice in fetch_choices(step.params):
                craft = craft_of(choice.dataset_id)
                text = f"{step.step.intent} {self.template.get('name')} {self.template.get('description')}"
                crafts = {folded(craft.spacecraft), folded(craft.mission)}
                # only the words of the template name the spacecraft of such a dataset
                if choice.dataset_id not in self.catalogue:
                    words = folded(text).split()
                    crafts |= {*words, *map(" ".join, pairwise(words))}
                subjects |= {("dataset", folded(choice.dataset_id)), *(("craft", name) for name in crafts)}
                subjects |= {("parameter", folded(name)) for name in choice.parameters}
            subjects = subjects.union(
                *(source.about for source in self.data.sources if ("step", folded(name)) in source.more)
            )
        return frozenset(subjects)

    def foreseen_unit(self, step: StepView) -> str | None:
        known = self.foreseen.get(next(iter(step.outputs), ""))
        return known.unit if known else None

    def unit_of_bands(self, name: str) -> str:
        """Return the unit of the energies or frequencies of a step, as the notes on its data have it."""
        behind = self.lines.behind(str(self.steps[name]["tool_args"].get("output_label")))
        notes = [row.note for source in self.data.sources if source.label in behind for row in source.rows]
        units = dict.fromkeys(re.findall(r"(?<=\d )(?:[kMG]?eV(?:/n\w*)?|[kM]?Hz|deg)\b", " ".join(notes)))
        return " or ".join(units) or "in the unit of the axis"

    def described(self, label: str) -> str:
        name = owner(label, self.producers) or label
        source = next((source for source in self.data.sources if source.label == name), None)
        if source is not None and source.parameter is not None:
            return f"{label} ({source.parameter.description or source.name})"
        step = self.producers.get(name)
        if step is None:
            return label
        intent = self.steps.get(str(step.id), {}).get("intent")
        made = f"{step.tool} of {', '.join(step.labels)}" if step.tool != FETCH else "fetched"
        return f"{label} ({made}{f': {intent}' if intent else ''})"

    def with_values(self, text: str) -> str:
        for variable, facts in self.variables_of_template.items():
            if facts.get("default"):
                value = f"{facts['default']} ({variable})".replace("\\", r"\\")
                text = re.sub(rf"{re.escape(variable)}(?!\w)", value, text)
        return text

    def spans(self) -> Iterator[tuple[str, TimeRange]]:
        for name, variable in self.variables_of_template.items():
            default = variable.get("default") if variable.get("type") == "time_range" else None
            span = time_range_or_none(default, self.now) if isinstance(default, str) else None
            if span:  # the check of the pipeline reports what is no time range
                yield name, span
