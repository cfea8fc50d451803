"""Read what a sentence names and what a template fetches, computes and draws, and report how they differ.

HE405 (error)  a time in the template is not the time of the request
    The request gives one time range, but a step fetches another one.
    before  "ACE Bz for 2022-01-01", and a step with "time_range": "2022-01-02"
    after   a language model is asked again
    to do   Write the time of the request, or the variable $TIME_RANGE.

HE406 (warning)  the template shows something else than the request names
    It lacks something that the request names, or has or changes something that the request does not name.
    before  Wind's field for "ACE magnetic field for last week"
    after   a warning above the changes: the request names ACE, but the data are from Wind
    to do   Reject the proposal, or request the change in other words.

HE407 (warning)  a window does not fit the time range
    An average over a window as long as the range, or longer, shows nothing.
    before  a running average of 1 day over 2 hours
    after   a warning above the changes
    to do   Choose a shorter window or a longer time range.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from helio.authoring.fetches import FETCH, fetch_choices, fetch_pairs
from helio.authoring.naming import CODE as MISNAMED
from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.changes.lines import AVERAGES, JOINED, Lines
from helio.authoring.writing.asking import no_question
from helio.authoring.writing.computations import (
    APPLIED,
    DERIVED,
    MAGNITUDE,
    MAGNITUDE_OF,
    OF_ELECTRONS,
    SIDES,
    VECTOR_OF,
)
from helio.errors import RequestError
from helio.interval import interval_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import ABS_B, SOURCES, TENFOLD_KP, VECTOR_V, B, N, T, V, families
from helio.knowledge.quantity_words import INDICES, title
from helio.knowledge.unit_algebra import comparable
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, complete_labels
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import owner
from helio.pipelines.template.variables import TOKEN
from helio.steps.signature import signatures
from helio.time_range import TimeRange, time_range_or_none

TIME, SHOWN, WINDOW = "HE405", "HE406", "HE407"
_UNIT = re.compile(r"\[([^\[\]]+)\]\s*$")
"""The unit at the end of the title of an axis."""
_CODE = "custom_operation"
_AVERAGES = frozenset({*AVERAGES, "statistics"})
_WINDOWS = ("window", "cadence", "interval")
"""Arguments of averages that say how long they are."""
CHANGING = frozenset(
    {
        *AVERAGES,
        "rescale",
        "despike",
        "detrend",
        "derivative",
        "cumulative_integral",
        "band_pass",
    }
)
"""Tools that change the values of a line, which a request always names."""


class Compared:
    """What a sentence names beside what a template fetches and draws."""

    def __init__(
        self, sentence: str, request: PipelineRequest, template: Document, catalogue: Catalogue, now: datetime
    ) -> None:
        self.request = request
        self.sentence = sentence
        self.template = template
        self.catalogue = catalogue
        self.now = now
        self.lines = Lines(template, catalogue, no_question)
        self.steps: list[StepView] = list(graph_of(template_in(template).walk(), signatures()).steps)
        self.spans = [span for phrase in self.request.times if (span := self.span(phrase)) is not None]

    def times(self) -> Iterator[Diagnostic]:
        """Report fetches over another literal time, and a default of the range that is another time."""
        if len(self.spans) != 1:
            return
        asked = self.spans[0]
        for step in self.fetches():
            span = self.span_of(step)
            if span is not None and span != asked:
                message = f"the request names {asked}, but step {step.id} fetches {span}"
                yield Diagnostic(TIME, message, "error", step.id, FETCH, advice=(f"fetch {asked}",))

    def span_of(self, step: StepView) -> TimeRange | None:
        """Return the time range of a fetch, with the defaults of variables; None if a run decides about it."""
        text = self._value(step.params.get("time_range"))
        return self.span(text) if isinstance(text, str) and not TOKEN.search(text) else None

    def of_any(self) -> Iterator[Diagnostic]:
        """Report what is compared in the same way for new and for edited templates."""
        yield from self.times()
        yield from self.unasked()
        yield from self.of_itself()

    def of_new(self, *, has_pairs: bool = True) -> Iterator[Diagnostic]:
        """Report all differences of a new template.

        Leave out the quantities of each spacecraft if the sentence does not say which belong to which (`has_pairs`).
        """
        yield from self.of_any()
        yield from self.spacecraft()
        yield from self.quantities()
        if has_pairs:
            yield from self.quantities_of_each()
        yield from self.components()
        yield from self.frames()
        yield from self.units()
        yield from self.datasets()
        yield from self.computations()

    def of_itself(self) -> Iterator[Diagnostic]:
        """Report what does not fit together in the template, whatever the sentence says."""
        yield from self.windows()
        yield from self.inputs()
        yield from self.axes()

    def windows(self) -> Iterator[Diagnostic]:
        """Report windows that are as long as the time range of the template, or longer."""
        spans = [span for facts in self._variables("time_range") if (span := self.span(facts)) is not None]
        for step in self.steps:
            argument = APPLIED[step.tool].argument if step.tool in APPLIED else ""
            text = self._value(step.params.get(argument) if argument else None)
            window = _seconds(text)
            for span in spans:
                if window is not None and window >= span.duration.total_seconds():
                    message = (
                        f"the window of step {step.id} is {text}, but the time range {span} is not longer"
                    )
                    yield warning(WINDOW, message, "choose a shorter window", step)

    def spacecraft(self) -> Iterator[Diagnostic]:
        """Report spacecraft that only the request or only the template names."""
        if self.request.datasets:
            return
        named = set(self.request.spacecraft)
        meant = named | {craft for mission in named for craft in families().get(mission, ())}
        drawn = {craft for label in self.drawn() for craft in self.lines.crafts(label)}
        if any(quantity.name in INDICES for quantity in self.request.quantities):
            drawn, meant = drawn - {"OMNI"}, meant - {"OMNI"}
        if not named or not drawn:
            return
        absent = [
            craft for craft in named if not ({craft, *families().get(craft, ())} & drawn) and craft in meant
        ]
        others = sorted(drawn - meant)
        data = " and ".join(sorted(drawn))
        for craft in absent:
            yield warning(
                SHOWN, f"the request names {craft}, but the data are from {data}", "reject the proposal"
            )
        if others and not absent:
            message = f"the figure draws {' and '.join(others)}, which the request does not name"
            yield warning(SHOWN, message, "reject the proposal if they were not asked for")

    def quantities(self) -> Iterator[Diagnostic]:
        """Report quantities of the request that nothing in the figure is made of."""
        for quantity in self.request.quantities:
            if self._is_missing(quantity, self.drawn()):
                message = f"the request names the {title(quantity.name)}, but the figure draws no such data"
                yield warning(SHOWN, message, "reject the proposal")

    def quantities_of_each(self) -> Iterator[Diagnostic]:
        """Report quantities that one of several spacecraft lacks, although the request names them for each."""
        fetched = [
            label
            for line in self.drawn()
            for label in self.lines.behind(line)
            if self.lines.producers[label].tool == FETCH
        ]
        named = self.request.spacecraft
        for craft in named if len(named) > 1 else ():
            crafts = {craft, *families().get(craft, ())}
            labels = [label for label in fetched if crafts & self.lines.crafts(label)]
            own = [quantity for whose, quantity in self.request.own if whose == craft]
            for quantity in own or self.request.quantities:
                if quantity.name not in INDICES and self._is_missing(quantity, labels):
                    message = (
                        f"the request names the {title(quantity.name)} of {craft}, but the figure draws none"
                    )
                    yield warning(SHOWN, message, "reject the proposal")

    def _is_missing(self, quantity: RequestQuantity, labels: Collection[str]) -> bool:
        """Return whether none of some tables is a quantity, made of it, or possibly it."""
        by_label = {label: self.lines.quantities(label) | self.lines.derived(label) for label in labels}
        found = set().union(*by_label.values())
        found |= {MAGNITUDE_OF[name] for name in found & MAGNITUDE_OF.keys()}
        alone = any(made.tool == MAGNITUDE and made.alone for made in self.request.computations)
        names = {quantity.name, MAGNITUDE_OF.get(quantity.name) if alone else None}
        if not by_label or names & found or _computed(quantity.name, self.steps) or self._has_code():
            return False
        units = {self.lines.unit(label) for label, quantities in by_label.items() if not quantities}
        said = quantity.name in _BY_LETTERS or re.search(
            "|".join(re.findall(r"\w{4,}", quantity.name)) or "$", self.sentence, re.IGNORECASE
        )
        # helio does not know the quantity of a table that may be this one
        return not units or bool(said and not any(_may_be(unit, {quantity.name}) for unit in units))

    def is_other(self, step: StepView, quantities: Collection[str]) -> bool:
        """Return whether a fetch gives none of some quantities, and nothing that may be one of them."""
        facts = self.facts_of(step)
        if facts.quantities:
            return facts.quantities.isdisjoint(quantities)
        return not any(_may_be(unit, quantities) for unit in facts.units)

    def inputs(self) -> Iterator[Diagnostic]:
        """Report inputs of computed quantities that are other data than the computation needs."""
        for step in self.steps:
            parts_of = dict(_takes().get(step.tool, {}))
            if step.tool == "join_components" and step.params.get("name") in JOINED:
                parts_of = {"source_labels": frozenset({JOINED[step.params["name"]]})}
            for name, parts in parts_of.items():
                read = step.params.get(name)
                read = read[0] if isinstance(read, list) and read else read
                label = owner(read, self.lines.producers) if isinstance(read, str) else None
                if label is None:
                    continue
                known = self.lines.quantities(label)
                unit = self.lines.unit(label)
                if not known.isdisjoint(expanded(parts)) or (not known and _may_be(unit, expanded(parts))):
                    continue
                data = " and ".join(sorted(map(title, known))) or f"data in {unit}"
                needed = " or ".join(sorted(map(title, parts)))
                message = f"step {step.id} ({step.tool}) takes {data} for the {needed}"
                yield warning(SHOWN, message, "reject the proposal", step)

    def components(self) -> Iterator[Diagnostic]:
        """Report components of vectors other than the one that the request names."""
        drawn: dict[str, set[str]] = {}
        for label in self._labels():
            letters = self._letters(label)
            for name in self.lines.quantities(owner(label, self.lines.producers) or label):
                drawn.setdefault(name, set()).update(letters)
        for quantity in self.request.quantities:
            shown = drawn.get(quantity.name, set())
            if quantity.component and shown and not {quantity.component, ""} & shown:
                message = (
                    f"the request names the component {quantity.component} of the {title(quantity.name)}, but the "
                    f"figure draws {' and '.join(sorted(shown))}"
                )
                yield warning(SHOWN, message, "reject the proposal")

    def _letters(self, label: str) -> Sequence[str]:
        """Return the components that a label means; an empty text for a table that is no vector."""
        made = owner(label, self.lines.producers) or label
        if made != label:
            return [label[len(made) + 1 :]]
        step = self.lines.producers.get(made)
        keep = step.params.get("keep") if step is not None and step.tool == "components" else None
        return keep if isinstance(keep, list) else ["the whole vector" if self.lines.is_vector(made) else ""]

    def units(self) -> Iterator[Diagnostic]:
        """Report units of the request that no line of the figure has."""
        drawn = {self.lines.unit(label) for label in self.drawn()}
        for unit in self.request.units if drawn and "" not in drawn else ():
            if unit not in drawn:
                message = (
                    f"the request names the unit {unit}, but the figure draws {' and '.join(sorted(drawn))}"
                )
                yield warning(SHOWN, message, "reject the proposal")

    def datasets(self) -> Iterator[Diagnostic]:
        """Report datasets and parameters of the request that the template does not fetch."""
        fetched = [choice for step in self.fetches() for choice in fetch_choices(step.params)]
        for dataset, parameter in self.request.datasets:
            if not any(
                choice.dataset_id == dataset
                and (not parameter or parameter in choice.parameters or not choice.parameters)
                for choice in fetched
            ):
                named = f"{dataset}.{parameter}" if parameter else dataset
                message = f"the request names {named}, but no step fetches it"
                yield warning(SHOWN, message, "reject the proposal")

    def computations(self, besides: Collection[str] = ()) -> Iterator[Diagnostic]:
        """Report computations of the request that no step does, or only with other windows, `besides` some tools."""
        if self._has_code():
            return
        for asked in self.request.computations:
            if asked.tool not in APPLIED or asked.tool in besides:
                continue
            steps = [step for step in self.steps if step.tool in _alike(asked.tool)]
            name = asked.tool.replace("_", " ")
            if not steps:
                message = f"the request names a {name}, but no step computes it"
                yield warning(SHOWN, message, "reject the proposal")
            elif asked.window and _seconds(asked.window) not in {
                _seconds(self._value(value)) for step in steps for value in step.params.values()
            }:
                message = f"the request names a {name} of {asked.window}, but no step has this window"
                yield warning(SHOWN, message, "reject the proposal")

    def unasked(self) -> Iterator[Diagnostic]:
        """Report steps that change values in a way that the request does not name."""
        asked = {tool for named in self.request.computations for tool in _alike(named.tool)}
        if self.request.cadence is not None:
            asked |= {"resample", "statistics"}
        lengths = {_seconds(named.window) for named in self.request.computations} | {self.request.cadence}
        for step in self.steps:
            window = next((step.params[key] for key in _WINDOWS if key in step.params), None)
            length = _seconds(self._value(window))
            if step.tool == _CODE:
                message = f"step {step.id} computes with code, which helio cannot compare with the request"
                yield warning(SHOWN, message, "read the code", step)
            elif step.tool in CHANGING - asked and not self._is_kp(step) and not self._computes_named(step):
                message = f"step {step.id} ({step.tool}) changes the data, and the request names no such computation"
                yield warning(SHOWN, message, "reject the proposal if this was not asked for", step)
            elif step.tool in _AVERAGES and length and lengths - {None} and length not in lengths:
                over = self._value(window)
                message = (
                    f"step {step.id} ({step.tool}) averages over {over}, which the request does not name"
                )
                yield warning(SHOWN, message, "reject the proposal if this was not asked for", step)

    def _has_code(self) -> bool:
        """Return whether code of the template may compute what the request names."""
        return any(step.tool == _CODE for step in self.steps)

    def _is_kp(self, step: StepView) -> bool:
        """Return whether a step makes Kp of the ten times Kp that an archive stores."""
        tenfold = {(row.dataset, row.parameters[0]) for row in SOURCES if row.note == TENFOLD_KP}
        source = self.lines.producers.get(str(step.params.get("source_label")))
        read = {*fetch_pairs(source.params)} if source else set()
        return step.tool == "rescale" and step.params.get("factor") == 0.1 and bool(read) and read <= tenfold

    def _computes_named(self, step: StepView) -> bool:
        """Return whether a step computes a quantity that the request names, or a part of one."""
        named = expanded(quantity.name for quantity in self.request.quantities)
        return any(self.lines.derived(label) & named for label in step.outputs)

    def facts_of(self, step: StepView) -> Facts:
        """Return what the tables of a fetch are, as far as helio knows."""
        labels = step.outputs
        return Facts(
            {craft for label in labels for craft in self.lines.crafts(label)},
            {quantity for label in labels for quantity in self.lines.quantities(label)},
            {self.lines.unit(label) for label in labels},
            {frame for label in labels if (frame := self.lines.frame(label))},
        )

    def fetches(self) -> list[StepView]:
        """Return the steps that fetch data."""
        return [step for step in self.steps if step.tool == FETCH]

    def axes(self) -> Iterator[Diagnostic]:
        """Report titles of y axes with a unit that the lines of the panel do not have."""
        for step in self.template["steps"]:
            spec = self.lines.spec(step) if step.get("tool_name") in FIGURES else {}
            titles = spec.get("y_label")
            for number, text in (titles if isinstance(titles, dict) else {}).items():
                panels = dict(enumerate(self.lines.panels(step), 1))
                drawn = panels.get(int(number), []) if str(number).isdecimal() else []
                units = {self.lines.unit(label) for label in drawn if label not in spec.get("right", ())}
                named = _UNIT.search(text) if isinstance(text, str) else None
                if (
                    named
                    and comparable(named[1], named[1])
                    and units
                    and "" not in units
                    and not any(comparable(named[1], unit) for unit in units)
                ):
                    data = " and ".join(sorted(units))
                    message = f"the axis label '{text}' names the unit {named[1]}, but the data are in {data}"
                    yield Diagnostic(
                        MISNAMED,
                        message,
                        "warning",
                        step["step_id"],
                        step["tool_name"],
                        advice=("name the data that are drawn",),
                    )

    @property
    def names_frame(self) -> bool:
        """Whether the request names a frame."""
        return bool(self.request.frame) or any(quantity.frame for quantity in self.request.quantities)

    @property
    def indices(self) -> frozenset[str]:
        """The quantities that belong to no spacecraft."""
        return frozenset(INDICES)

    def frames(self, lines: Collection[str] | None = None) -> Iterator[Diagnostic]:
        """Report lines of vectors in another frame than the one that the request names for them."""
        for label in self.drawn() if lines is None else lines:
            quantities = self.lines.quantities(label)
            own = {
                named.frame for named in self.request.quantities if named.frame and named.name in quantities
            }
            asked = own or {frame for frame in (self.request.frame,) if frame}
            for frame in sorted(self.source_frames(label)):
                if asked and frame not in asked:
                    verb = "is in" if self.lines.frame(label) else "is made of data in"
                    message = f"the request names the frame {' and '.join(sorted(asked))}, but {label} {verb} {frame}"
                    yield warning(SHOWN, message, "reject the proposal")

    def source_frames(self, label: str) -> set[str]:
        """Return the frame of a table, or the frames of the vectors whose directions it depends on."""
        frame = self.lines.frame(label)
        step = self.lines.producers.get(label)
        if frame or step is None or step.tool == MAGNITUDE or step.tool in _takes().keys() - _OF_DIRECTIONS:
            return {frame} if frame else set()
        sources = {owner(read, self.lines.producers) for read in step.labels} - {label, None}
        return set().union(*(self.source_frames(str(source)) for source in sources))

    def _labels(self) -> list[str]:
        return [
            label
            for step in self.template["steps"]
            if step.get("tool_name") in FIGURES
            for label in complete_labels(self.lines.spec(step))
        ]

    def drawn(self) -> list[str]:
        """Return the tables that the figures draw."""
        labels = [owner(label, self.lines.producers) for label in self._labels()]
        return [label for label in dict.fromkeys(labels) if label is not None]

    def _value(self, written: object) -> object:
        """Return an argument with the defaults of the variables that it names: ``310min`` for ``3$WINDOW``."""
        defaults = {
            name: facts.get("default")
            for name, facts in (self.template.get("variables") or {}).items()
            if isinstance(facts, dict)
        }
        if not isinstance(written, str) or written in defaults:
            return defaults.get(written, written) if isinstance(written, str) else written
        return TOKEN.sub(lambda token: str(defaults.get(token[0], token[0])), written)

    def _variables(self, kind: str) -> Iterator[str]:
        for facts in (self.template.get("variables") or {}).values():
            if (
                isinstance(facts, dict)
                and facts.get("type") == kind
                and isinstance(facts.get("default"), str)
            ):
                yield facts["default"]

    def span(self, text: str) -> TimeRange | None:
        """Return the time range that a text means; None for one that `helio check` reports."""
        return time_range_or_none(text, self.now)


@dataclass(frozen=True)
class Facts:
    """What the tables of a fetch are."""

    crafts: set[str]
    quantities: set[str]
    units: set[str]
    frames: set[str]


def _alike(tool: str) -> frozenset[str]:
    """Return the tools that people call by the same words as a tool."""
    return _AVERAGES if tool in _AVERAGES else frozenset({tool})


def _seconds(text: object) -> float | None:
    """Return the length of a window; None for a step without one, and for a text that `helio check` reports."""
    if not isinstance(text, str):
        return None
    try:
        return interval_of(text).nanoseconds / 1e9
    except RequestError:
        return None


_BY_LETTERS = frozenset({B, ABS_B, VECTOR_V, V, N, T})
"""Quantities that sentences name by letters: B, |B|, V, n, T."""
_GENERAL = frozenset({"arithmetic", "rescale", MAGNITUDE, "angle_between", "along_field", "direction_angle"})
"""Tools of computed quantities that also take other quantities."""
_OF_DIRECTIONS = frozenset({"clock_angle", "cone_angle", "field_spiral_angle", "direction_angle"})
"""Tools of computed quantities whose result depends on the frame of a vector."""


@lru_cache(maxsize=1)
def _takes() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return the quantities that the tools of computed quantities take, by the argument."""
    takes: dict[str, dict[str, frozenset[str]]] = {}
    for recipe in DERIVED.values():
        for name, part in recipe.takes.items() if recipe.tool not in _GENERAL else ():
            parts = takes.setdefault(recipe.tool, {})
            parts[name] = parts.get(name, frozenset()) | {part.quantity}
    return takes


def expanded(quantities: Iterable[str]) -> set[str]:
    """Return quantities with those of which they can be computed, and those of electrons and along the field."""
    found: set[str] = set()
    waiting = list(quantities)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        recipe = DERIVED.get(name)
        waiting += [part.quantity for part in recipe.takes.values()] if recipe else []
        waiting += [table[name] for table in (VECTOR_OF, MAGNITUDE_OF, OF_ELECTRONS) if name in table]
        waiting += SIDES.get(name, ())
    return found


def _may_be(unit: str, quantities: Collection[str]) -> bool:
    """Return whether data in a unit may be one of some quantities; true if one of the units is not known."""
    known = {row.unit for row in SOURCES if row.quantity in quantities}
    return not unit or not known or any(comparable(unit, other) for other in known)


def _computed(quantity: str, steps: list[StepView]) -> bool:
    """Return whether a step computes a quantity, judged by the tool's name: ``plasma beta`` and `plasma_beta`."""
    words = set(re.findall(r"[a-z]+", quantity.casefold().replace("é", "e")))
    return any(words & set(step.tool.split("_")) for step in steps)


def warning(code: str, message: str, advice: str, step: StepView | None = None) -> Diagnostic:
    step_id, tool = (None, "") if step is None else (step.id, step.tool)
    return Diagnostic(code, message, "warning", step_id, tool, advice=(advice,))
