"""Collect facts about a template from its steps, figures and variables, each with all that it is about."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.recorded import Records
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.questions.asked import Subject, folded
from helio.authoring.rules.questions.pipeline_subjects import PipelineSubjects
from helio.authoring.rules.questions.source_facts import Fact, Facts, SourceFacts, covers, overlaps
from helio.authoring.rules.questions.values import EXCLUDING, values_of_pipeline
from helio.counts import number_of
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.citations import Citation, citation_text
from helio.knowledge.quantity_words import title
from helio.pipelines.changes import describe_step
from helio.pipelines.dialect.written import object_of, spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE, complete_labels
from helio.pipelines.template.labels import owner
from helio.sources.istp import is_flux
from helio.sources.registry import stated_in_file
from helio.steps.render.colours import USUAL_SCALE
from helio.steps.signature import signatures
from helio.steps.tool_page import tool_page

_SENTENCE = re.compile(r"(?<=[.;!?])\s+")
_SCALES = {"log_scale": "y axis", "log_y": "y axis", "log_x": "x axis", "log_z": "colour scale"}
"""Keys of a figure that say which scale an axis has, each with the axis."""
_NOT_LOG = {"linear": "linear", "False": "linear", "symlog": "logarithmic on both sides of zero"}
_TIMES = ("time_range", "interval", "start", "stop", "between", "zero")
"""Arguments of steps that are times."""
_DASHES = {"dash": "dashed", "dot": "dotted", "longdash": "long-dashed"}
"""Adjectives for the dashes of lines."""
_LEVEL = re.compile(
    r"prelim|provisional|quick-?look|real-?time|definitive|\bfinal\b|low-latency|\bkeeps?\b", re.IGNORECASE
)
OTHER_COMPONENTS = "the other components of {}"
"""Name of a vector of which some components have a setting of their own, with a place for the label."""
_LONGEST_VALUE = 200
_MOST_LABELS = 3
"""Number of tables of a tool that a summary names; it counts more."""
AS_FETCHED = "drawn as fetched, without a computation"


_OF_FILES: Mapping[str, Callable[[Citation], str]] = {
    "doi": lambda citation: f"cite as: {citation_text(citation)}",
    "investigator": lambda citation: (
        ", ".join(filter(None, (citation.pi, citation.affiliation))) or "the files name no investigator"
    ),
}
"""What the files of a run say of their dataset, by property."""


class PipelineFacts(PipelineSubjects):
    """Facts about a template: its data, steps, figures and variables.

    Parameters
    ----------
    records : Records, optional
        The records of its runs. Default: none; the catalogue says how to cite the data.
    """

    def __init__(
        self, template: Document, catalogue: Catalogue, now: datetime, records: Records | None = None
    ) -> None:
        super().__init__(template, catalogue, now)
        self.records = records

    @property
    def topics(self) -> Mapping[str, Callable[[], Facts]]:
        """The functions that give the facts of each property, with the facts of the data first."""
        further: Mapping[str, Callable[[], Facts]] = {
            "cadence": lambda: self._lines("resample", "statistics"),
            "frames": self._frames,
            "units": self._units,
            "bins": self._bands,
            **dict.fromkeys(("datasets", "archives", "crafts", "instruments"), self._elsewhere),
            "level": self._levels,
            "coverage": self._times_with_data,
            "panels": self._panels,
            "order": self._panels,
            "scales": self._scales,
            "y ranges": self._y_ranges,
            "colours": self._colours,
            "colour scales": self._colour_scales,
            "dashes": self._dashes,
            "titles": self._titles,
            "axis labels": self._axis_labels,
            "times": self._times,
            "computations": self._computations,
            "settings": self._settings,
            "exclusions": self._exclusions,
            "steps": self._steps,
            "overview": self._overview,
            "reasons": self._reasons,
            "methods": self._methods,
            "meanings": self._meanings,
            "files": lambda: self._lines("save_data", "manage_plot"),
        }
        of_files = {topic: partial(self._of_files, topic) for topic in _OF_FILES}
        data: Mapping[str, Callable[[], Facts]] = {**self.data.topics, **of_files}

        def both(topic: str) -> Callable[[], Facts]:
            def facts() -> Facts:
                yield from data[topic]() if topic in data else ()
                yield from further[topic]() if topic in further else ()

            return facts

        return {topic: both(topic) for topic in (*data, *(name for name in further if name not in data))}

    def texts(self, *, looks: bool = True) -> Facts:
        """Yield what the template and the catalogue say in words about the template, its steps and its data."""
        template = self.template
        for text in _SENTENCE.split(f"{template.get('name') or ''}. {template.get('description') or ''}"):
            yield Fact(text, frozenset())
        yield from self._reasons()
        yield from self._settings()
        yield from self.looks() if looks else ()
        yield from self.data.texts()

    def line(self, name: str) -> str:
        """Describe a step, with the values of its variables and its intent."""
        step = self.steps[name]
        described = describe_step(step)
        view = next((view for view in self.graph.steps if str(view.id) == name), None)
        if "; with " in described and view is not None:
            read = ", ".join(dict.fromkeys(view.labels)) or ", ".join(
                choice.dataset_id for choice in fetch_choices(view.params)
            )
            described = f"{view.tool} of {read} → {', '.join(view.outputs)}" if view.outputs else view.tool
        intent = f" ({step['intent']})" if step.get("intent") else ""
        return f"Step {name}: {self.with_values(described)}{intent}"

    def why_empty(self) -> Facts:
        """Say which data end before the time range of the template, or begin after it."""
        spans = [span for _, span in self.spans()]
        for source in self.data.sources:
            if any(not overlaps(source.dataset, span) for span in spans):
                asked = " and ".join(map(str, spans))
                text = f"{{}} has no data for {asked}: {covers(source.dataset, self.catalogue)}"
                yield Fact(text, source.about, source.dataset.id)

    # Topics -----------------------------------------------------------------------------------------------

    def _lines(self, *tools: str) -> Facts:
        for name, step in self.steps.items():
            if step.get("tool_name") in tools:
                yield Fact(self.line(name), self.of_step(name))

    def _of_files(self, topic: str) -> Facts:
        """Yield what the files of the last run say of their datasets; of data that it did not read, the catalogue."""
        cited = self.records.citations(str(self.template.get("id"))) if self.records else {}
        sources = self.data.sources
        read = {source.label for source in sources if source.dataset.id in cited}
        for source in sources:
            if citation := cited.get(source.dataset.id):
                yield Fact(f"{_OF_FILES[topic](citation)} ({{}})", source.about, source.dataset.id)
        yield from SourceFacts(
            [source for source in sources if source.label not in read], self.catalogue
        ).topics[topic]()

    def _frames(self) -> Facts:
        for label, known in self.foreseen.items():
            if self.producers[label].tool != FETCH and known.frame:
                yield Fact(f"{known.frame} ({{}})", self.of_label(label), label)
        yield from self._lines("transform_frame", "rotate")

    def _units(self) -> Facts:
        for label, known in self.foreseen.items():
            step = self.producers[label]
            if step.tool != FETCH and known.unit is not None:
                yield Fact(f"{known.unit or 'no unit'} ({{}})", self.of_label(label), label)
        for name, spec in self.figures():
            for panel, axis in (
                (spec.get("y_label") or {}).items() if isinstance(spec.get("y_label"), dict) else ()
            ):
                place = re.sub(r"\D", "", str(panel))
                drawn = dict(self._drawn(spec)).get(int(place or 0), []) if "[" in str(axis) else []
                tables = {owner(label, self.producers) or label for label in drawn}
                unknown = {("label", folded(label)) for label in tables if not self._has_unit(label)}
                text = f"{self._place(name, panel)}: the axis says '{axis}'"
                yield Fact(text, frozenset({("panel", place), *unknown}))
        yield from self._lines("convert_units")

    def _has_unit(self, label: str) -> bool:
        known = self.foreseen.get(label)
        return (known is not None and known.unit is not None) or any(
            source.label == label for source in self.data.sources
        )

    def _bands(self) -> Facts:
        for name, step in self.steps.items():
            if bands := step.get("tool_args", {}).get("bands"):
                text = f"{self.line(name)}: bands {json.dumps(bands)} {self.unit_of_bands(name)}"
                yield Fact(text, self._with_made(name), name)

    def _with_made(self, name: str) -> frozenset[Subject]:
        """Return what a step is about, and all tables that are made from its results."""
        outputs = {label for label, step in self.producers.items() if str(step.id) == name}
        made = [label for label in self.producers if outputs & {*self.lines.behind(label)}]
        return self.of_step(name).union(*(self.of_label(label) for label in made))

    def _elsewhere(self) -> Facts:
        """Name datasets that are not in the catalogue, with the servers and the reason that the template gives."""
        for name, step in self.steps.items():
            args = step.get("tool_args", {})
            if step.get("tool_name") == FETCH and args.get("provider"):
                stated = stated_in_file(str(args["provider"]))
                title = f"{stated.get('title', args['provider'])}, {stated.get('publisher', 'no publisher stated')}"
                yield Fact(
                    f"{args.get('dataset_id')}: {step.get('intent') or 'data'}; from {title}",
                    self.of_step(name),
                )

    def _levels(self) -> Facts:
        yield from self._elsewhere()
        variables = self.variables_of_template.values()
        for text in (self.template.get("description"), *(facts.get("description") for facts in variables)):
            for sentence in _SENTENCE.split(text or ""):
                if _LEVEL.search(sentence):
                    yield Fact(sentence)

    def _times_with_data(self) -> Facts:
        """Yield what the variables of time ranges say about their data, such as how long a service keeps them."""
        for variable in self.variables_of_template.values():
            if variable.get("type") == "time_range" and variable.get("description"):
                yield Fact(str(variable["description"]))

    def _panels(self) -> Facts:
        for name, spec in self.figures():
            names, colours = spec.get("trace_names") or {}, object_of(spec.get("trace_colors"))
            for number, drawn in self._drawn(spec):
                said = ", ".join(
                    self.described(label)
                    + (f" as '{names[label]}'" if names.get(label) else "")
                    + (f" in {colours[label]}" if len(drawn) > 1 and colours.get(label) else "")
                    for label in drawn
                )
                yield Fact(f"{self._place(name, number)}: {said}", self._of_panel(number, drawn))

    def sides(self) -> Facts:
        """Yield at which side of its panel each line has its axis."""
        for name, spec in self.figures():
            right = spec.get("right") or []
            for number, drawn in self._drawn(spec):
                for label in drawn:
                    side = "right" if label in right else "left"
                    text = f"{self._place(name, number)}: {self.described(label)} has its axis at the {side}"
                    yield Fact(text, self._of_panel(number, [label]))

    def _of_panel(self, number: int, labels: Sequence[str]) -> frozenset[Subject]:
        """Return what facts about lines in a panel are about, without the panels of data that are made from them."""
        about = frozenset[Subject]().union(*map(self.of_label, labels))
        return frozenset(subject for subject in about if subject[0] != "panel") | {("panel", str(number))}

    def looks(self, *parts: str) -> Facts:
        """Yield the settings of the figures whose key contains one of some words; without words, all."""
        for name, spec in self.figures():
            for key, value in spec.items():
                if key in ("panels", "labels", "title") or (parts and not any(part in key for part in parts)):
                    continue
                written = json.dumps(value, ensure_ascii=False)
                if len(written) <= 2 * _LONGEST_VALUE:
                    yield Fact(
                        f"the {key.replace('_', ' ')} of figure {name}: {written}", frozenset({("key", key)})
                    )

    def _colours(self) -> Facts:
        for label, shown, colour, figure, about in self._by_line("trace_colors"):
            if colour is not None:
                yield Fact(f"{shown} is {colour}{figure}", about, label)
            elif not self.lines.may_have_colours(label):
                text = f"helio chooses the colour of {shown}{figure}, which the pipeline does not set"
                yield Fact(text, about, label)

    def _by_line(self, key: str) -> Iterator[tuple[str, str, Any, str, frozenset[Subject]]]:
        """Yield the label, the name, and the setting of each line, its figure if there are several, and what the
        setting is about. The name of a line without a setting has a place for the label.
        """
        for name, spec in self.figures():
            names, settings = object_of(spec.get("trace_names")), object_of(spec.get(key))
            drawn_in = {label: number for number, panel in self._drawn(spec) for label in panel}
            figure = f" in figure {name}" if self._several_figures else ""
            for label in dict.fromkeys((*settings, *drawn_in)):
                is_drawn = label in drawn_in
                about = self._of_panel(drawn_in[label], [label]) if is_drawn else self.of_label(label)
                of_parts = any(owner(part, {label}) for part in settings if part != label)
                unset = OTHER_COMPONENTS if of_parts else "{}"
                shown = names.get(label, label) if label in settings else unset
                yield label, shown, settings.get(label), figure, about

    def _colour_scales(self) -> Facts:
        for name, spec in self.figures():
            for number, labels in self._drawn(spec):
                coloured = self._coloured(spec, number, labels)
                if not coloured:
                    continue
                low, high, is_log = (
                    self._of_number(spec, key, number) for key in ("z_min", "z_max", "log_z")
                )
                scale = spec.get("colorscale") or f"{USUAL_SCALE}, because the pipeline sets none"
                ends = ["the data" if end is None else str(end) for end in (low, high)]
                is_free = low is None and high is None
                limits = "those of the data" if is_free else f"from {ends[0]} to {ends[1]}"
                unit = next(
                    (f" in {self.lines.unit(label)}" for label in coloured if self.lines.unit(label)), ""
                )
                told = (
                    f"the colours of the spectrogram show {', '.join(map(self.described, coloured))}{unit}"
                    f"{', on a logarithmic scale' if is_log else ''}; "
                    f"the colours are those of {scale}; their limits are {limits}"
                )
                yield Fact(f"{self._place(name, number)}: {told}", self._of_panel(number, labels))
            if not any(self._coloured(spec, number, labels) for number, labels in self._drawn(spec)):
                yield Fact(f"figure {name} draws no spectrogram, so it has no colour scale")

    def _of_number(self, spec: Document, key: str, number: int) -> Any:
        """Return what a key of a figure says for a panel, or else for all panels."""
        by_panel = dict(_by_panel(spec.get(key)))
        return by_panel.get(str(number), by_panel.get(""))

    def _coloured(self, spec: Document, number: int, labels: Sequence[str]) -> list[str]:
        """Return what a panel draws as a spectrogram."""
        kinds = dict(enumerate(spec.get("panel_types") or (), 1))
        is_other = kinds.get(number, "spectrogram") != "spectrogram"
        return [label for label in labels if self.lines.has_colours(label) and not is_other]

    def _axis_labels(self) -> Facts:
        for name, spec in self.figures():
            for key in ("x_label", "y_label"):
                set_here = spec[key] if isinstance(spec.get(key), dict) else {"": spec.get(key)}
                for place, text in set_here.items() if spec.get(key) else ():
                    where = f"{self._place(name, place)}: " if place else ""
                    about = {("panel", number) for number in re.findall(r"\d+", str(place))}
                    yield Fact(f"{where}the {key[0]} label is '{text}'", frozenset(about))
                labelled = {place for place, _ in _by_panel(spec.get(key))}
                for number, labels in self._drawn(spec):
                    if not labelled & {str(number), ""}:
                        text = f"the pipeline sets no {key[0]} label: helio chooses it ({{}})"
                        yield Fact(text, self._of_panel(number, labels), self._place(name, number))

    def line_counts(self) -> Facts:
        """Say how many lines each panel has, one for each component; nothing where helio cannot tell."""
        for name, spec in self.figures():
            names = spec.get("trace_names") or {}
            for number, labels in self._drawn(spec):
                coloured = self._coloured(spec, number, labels)
                lines = [label for label in labels if label not in coloured]
                counts = [self._components(label) for label in lines]
                kind = dict(enumerate(spec.get("panel_types") or (), 1)).get(number, "line")
                if all(counts) and kind in ("line", "spectrogram"):
                    of = "; ".join(
                        f"{names.get(label) or label}{f' ({count} components)' if count > 1 else ''}"
                        for label, count in zip(lines, counts, strict=True)
                    )
                    counted = f"{number_of(sum(counts), 'line')}{' and a spectrogram' if coloured else ''}"
                    text = f"{self._place(name, number)}: {counted}{f': {of}' if of else ''}"
                    yield Fact(text, self._of_panel(number, labels))

    def _components(self, label: str) -> int:
        """Return how many lines draw a label; 0 if this is not known."""
        if not self.lines.is_vector(label):
            return 0 if self.lines.may_have_colours(label) else 1
        behind = self.lines.behind(label)
        sizes = {
            source.parameter.size
            for source in self.data.sources
            if source.label in behind and source.parameter
        }
        return 3 if sizes <= {(), (1,), (3,)} else 0

    def _drawn(self, spec: Document) -> Iterator[tuple[int, list[str]]]:
        """Yield the panels of a figure: their numbers and labels."""
        panels = spec.get("panels") or ([spec["labels"]] if spec.get("labels") else [])
        for number, panel in enumerate(panels, 1):
            yield number, [panel] if isinstance(panel, str) else panel

    def tables_of(self, panels: Collection[int]) -> set[Subject]:
        """Return the tables that are drawn in panels."""
        labels = [
            label
            for _, spec in self.figures()
            for number, drawn in self._drawn(spec)
            for label in drawn
            if number in panels
        ]
        return {("label", folded(owner(label, self.producers) or label)) for label in labels}

    def _scales(self) -> Facts:
        for name, spec in self.figures():
            for number, drawn in self._drawn(spec):
                right = [label for label in drawn if label in (spec.get("right") or ())]
                left = [label for label in drawn if label not in right]
                for side, labels in (("", left), (" right", right)):
                    is_log_by_data = any(is_flux(self.lines.unit(label) or "") for label in labels)
                    none = f"no {'scale; helio chooses it by the data' if is_log_by_data else 'logarithmic axis'}"
                    said = "; ".join(_scales_of(spec, number, side)) or f"the pipeline sets {none}"
                    text = f"{self._place(name, number)}{side}: {said}"
                    if labels:
                        yield Fact(text, self._of_panel(number, labels))

    def _y_ranges(self) -> Facts:
        for name, spec in self.figures():
            of_all = spec.get("y_range")
            for number, labels in self._drawn(spec):
                limits = of_all if isinstance(of_all, dict) else {str(number): of_all}
                said = [
                    f"the{side} y axis is from {ends[0]} to {ends[1]}"
                    for side in ("", " right")
                    if isinstance(ends := limits.get(f"{number}{side}"), list)
                ]
                text = "; ".join(said) or "the pipeline sets no y range, and helio chooses it by the data"
                yield Fact(f"{self._place(name, number)}: {text}", self._of_panel(number, labels))

    def _dashes(self) -> Facts:
        yield from self.looks("slopes")
        for label, shown, style, figure, about in self._by_line("line_styles"):
            said = [
                _DASHES.get(str(value), str(value)) if key == "dash" else f"{key.replace('_', ' ')} {value}"
                for key, value in object_of(style).items()
            ]
            text = f"{shown} is {', '.join(said)}" if said else f"the pipeline sets no style of {shown}"
            yield Fact(f"{text}{figure}", about, label)

    def _titles(self) -> Facts:
        for name, step in self.steps.items():
            spec = spec_of(step)
            if isinstance(spec, dict) and spec.get("title"):
                yield Fact(f"the title of {name} is '{spec['title']}'")

    def _times(self) -> Facts:
        for name, span in self.spans():
            variable = self.template["variables"][name]
            now = "" if variable["default"] == str(span) else f" = {variable['default']}"
            described = f": {variable['description']}" if variable.get("description") else ""
            length = re.sub(r"(?<!^1) day$", " days", cadence_text((span.stop - span.start).total_seconds()))
            yield Fact(f"{span}, {length} ({name}{now}{described})", frozenset({("variable", folded(name))}))
        for name, variable in self.variables_of_template.items():
            if variable.get("type") == "time_range" and not variable.get("default"):
                yield Fact(
                    f"{name} is to be given with --time-range", frozenset({("variable", folded(name))})
                )
        for step in self.graph.steps:
            for argument, value in step.params.items():
                if argument in _TIMES and isinstance(value, str):
                    text = f"{argument} is {self.with_values(str(value))} (step {{}})"
                    yield Fact(text, self.of_step(str(step.id)), str(step.id))

    def _computations(self) -> Facts:
        drawn = {
            owner(label, self.producers) for _, spec in self.figures() for label in complete_labels(spec)
        }
        for name, step in self.steps.items():
            if step.get("tool_name") not in (FETCH, *FIGURES, STYLE):
                yield Fact(self.line(name), self.of_result(name))
        for source in self.data.sources:
            if source.label in drawn:
                about = frozenset(subject for subject in source.about if subject[0] != "step")
                yield Fact(f"{AS_FETCHED}: {{}}", about, source.name)

    def _settings(self) -> Facts:
        for value in values_of_pipeline(self):
            if value.is_set_here:
                yield Fact(str(value), value.about)

    def _exclusions(self) -> Facts:
        """Yield the steps that set records to missing, with all that they say about which records."""
        for name, step in self.steps.items():
            if step.get("tool_name") in EXCLUDING:
                arguments = signatures()[step["tool_name"]].arguments
                given = {argument.name: argument.default for argument in arguments} | step.get(
                    "tool_args", {}
                )
                said = ", ".join(
                    f"{argument} is {self.with_values(_written(value))}"
                    for argument, value in given.items()
                    if argument not in ("output_label", "series_label") and value is not None
                )
                variables = [self.variables_of_template.get(str(value), {}) for value in given.values()]
                why = "; ".join(str(facts["description"]) for facts in variables if facts.get("description"))
                text = f"{step['tool_name']}: {said} (step {{}}){f': {why}' if why else ''}"
                yield Fact(text, self.of_step(name), name)

    def _meanings(self) -> Facts:
        variables = {("variable", folded(name)) for name in self.variables_of_template}
        for fact in self._settings():
            if fact.about & variables:
                yield Fact(fact.text, fact.about & variables)
        for label, step in self.producers.items():
            intent = self.steps.get(str(step.id), {}).get("intent")
            if intent and not any(source.label == label for source in self.data.sources):
                yield Fact(f"{{}}: {intent} ({step.tool}, step {step.id})", self.of_label(label), label)

    def _steps(self) -> Facts:
        for name in self.steps:
            yield Fact(self.line(name), self.of_step(name))

    def _overview(self) -> Facts:
        template = self.template
        yield Fact(f"{template.get('name') or template.get('id')}: {template.get('description') or ''}")
        yield from self.panel_names()
        data = {source.dataset.id: source.dataset.cadence_words for source in self.data.sources}
        for step in self.graph.steps:
            for choice in fetch_choices(step.params) if step.tool == FETCH else ():
                data.setdefault(choice.dataset_id, "")
        yield Fact(
            "data: " + ", ".join(f"{name} ({words})" if words else name for name, words in data.items())
        )
        made: dict[str, list[str]] = {}
        for step in self.graph.steps:
            if step.outputs and step.tool != FETCH:
                made.setdefault(step.tool, []).extend(step.outputs)
        said = (
            f"{', '.join(labels)} by {tool}"
            if len(labels) <= _MOST_LABELS
            else f"{len(labels)} tables by {tool}"
            for tool, labels in made.items()
        )
        if made:
            yield Fact(f"computed: {'; '.join(said)}")
        for _, span in self.spans():
            yield Fact(f"time: {span}")

    def panel_names(self) -> Facts:
        """Name the panels of each figure in order, by the texts of their axes or by their lines."""
        for name, spec in self.figures():
            axes = object_of(spec.get("y_label"))
            names = spec.get("trace_names") or {}
            said = []
            for number, labels in self._drawn(spec):
                texts = [str(text) for place, text in axes.items() if re.match(rf"{number}\b", str(place))]
                said.append(
                    " and ".join(texts)
                    or ", ".join(str(names.get(label) or self._short(label)) for label in labels)
                )
            listed = "; ".join(f"{number} {text}" for number, text in enumerate(said, 1))
            figure = f"figure {name}: " if self._several_figures else ""
            yield Fact(f"{figure}{number_of(len(said), 'panel')}: {listed}")

    @cached_property
    def _several_figures(self) -> bool:
        return len(list(self.figures())) > 1

    def _place(self, figure: str, panel: object) -> str:
        return f"figure {figure}, panel {panel}" if self._several_figures else f"panel {panel}"

    def _short(self, label: str) -> str:
        """Name a line: by its quantity, by the archive's description, or by its label, which a computed line adds."""
        name = owner(label, self.producers) or label
        source = next((source for source in self.data.sources if source.label == name), None)
        if source is None or source.parameter is None:
            measured = self.lines.source(label, (*AVERAGES, "components"))
            named = [title(quantity) for quantity in self.lines.own_quantities(measured)]
            return f"{named[0]} ({label})" if len(named) == 1 else label
        quantities = [row.quantity for row in source.rows]
        return quantities[0] if len(set(quantities)) == 1 else source.parameter.description or source.name

    def _reasons(self) -> Facts:
        for name, step in self.steps.items():
            if step.get("intent") and step.get("tool_name") != STYLE:
                yield Fact(self.line(name), self.of_step(name))

    def _methods(self) -> Facts:
        used = dict.fromkeys(step.tool for step in self.graph.steps)
        for name in used:
            tool = signatures().get(name)
            if tool is None or name == FETCH or name in (*FIGURES, STYLE):
                continue
            page = tool_page(tool)
            about = frozenset[Subject]({("tool", folded(name))}).union(
                *(self.of_result(str(step.id)) for step in self.graph.steps if step.tool == name)
            )
            paragraphs = (tool.summary, *page.notes.split("\n\n"), page.returns, page.references)
            for paragraph in dict.fromkeys(" ".join(part.split()) for part in paragraphs):
                if paragraph:
                    yield Fact(f"{name}: {paragraph}", about)


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _scales_of(spec: Document, number: int, side: str) -> Iterator[str]:
    """Say which scales a figure sets for the axes of a panel, at the left or at the right."""
    for key, axis in _SCALES.items():
        value = spec.get(key)
        if isinstance(value, int) and not isinstance(value, bool):  # the number of the panel
            value = {str(value): "log"}
        if isinstance(value, dict):
            value = value.get(f"{number}{side}")
        if value is not None:
            yield f"the {axis} is {_NOT_LOG.get(str(value), 'logarithmic')}"


def _by_panel(value: object) -> Iterator[tuple[str, object]]:
    """Yield the values of a key by panel number; a value for all panels has an empty number."""
    if isinstance(value, dict):
        yield from ((re.sub(r"\D", "", str(place)), inner) for place, inner in value.items())
    elif value is not None:
        yield "", value
