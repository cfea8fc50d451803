"""Compare a sentence with the template that came of it: spacecraft, quantity, frame, time, windows, names of lines.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.fetches import FETCH, fetch_choices, fetch_pairs
from helio.authoring.rules.changes.lines import AVERAGES, Lines
from helio.authoring.rules.reading.looks import take_looks
from helio.authoring.rules.reading.sentence_reading import Reading, read_request
from helio.authoring.writing.asking import no_question
from helio.authoring.writing.computations import APPLIED, MAGNITUDE, MAGNITUDE_OF
from helio.errors import RequestError, TimeRangeError
from helio.interval import interval_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES, TENFOLD_KP, families
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
from helio.time_range import TimeRange, parse_time_range

TIME, SHOWN, WINDOW = "HE405", "HE406", "HE407"
_TIME_WORDS = re.compile(
    r"\b(?:\d{1,2}:\d\d|UTC?|zoom|longer|shorter|later|earlier|before|after|until|since|extend)\b",
    re.IGNORECASE,
)
"""Words with which a sentence changes a time range without a date."""
_REMOVES = re.compile(
    r"\b(?:remove|drop|delete|hide|without|no|not|instead|rather|replace|swap|off|out|away|only|get rid|lose)\b",
    re.IGNORECASE,
)
"""Words beside which an edit may name a quantity that it takes from the figure."""
_MAY_FAIL = re.compile(
    r"\b(?:critical|optional|fail\w*|skip\w*|missing|lack\w*|go on|goes on|continue\w*|even if)\b", re.I
)
"""Words with which a request says that a step may fail."""
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
        "custom_operation",
    }
)
"""Tools that change the values of a line, which a request always names."""


def differences(
    request: str, template: Document, catalogue: Catalogue, now: datetime, *, before: Document | None = None
) -> tuple[Diagnostic, ...]:
    """Report how a template differs from what a sentence names; of an edit, only what the edit brought.

    A sentence that cannot be read gives fewer comparisons, never an error.
    """
    try:  # the times that a new figure marks are not the time that it shows
        sentence = take_looks(request, now)[0] if before is None else request
        reading = read_request(sentence, catalogue, now)
    except RequestError:
        return ()
    compared = _Compared(request, reading, template, catalogue, now)
    findings = [*compared.times(), *compared.windows(), *compared.unasked()]
    if before is None:
        findings += [
            *compared.spacecraft(),
            *compared.quantities(),
            *compared.components(),
            *compared.frames(),
        ]
        findings += [*compared.units(), *compared.datasets(), *compared.computations()]
    else:
        earlier = _Compared(request, reading, before, catalogue, now)
        old = [*earlier.times(), *earlier.windows(), *earlier.unasked()]
        findings = [finding for finding in findings if finding not in old]
        findings += [*compared.other_times(earlier), *compared.other_data(earlier), *compared.units()]
        if not _REMOVES.search(request):
            findings += compared.quantities()
        findings += _exchanged(before, template, catalogue)
        findings += _not_critical(request, before, template)
    return tuple(dict.fromkeys(findings))


def _not_critical(request: str, before: Document, after: Document) -> Iterator[Diagnostic]:
    """Report steps that may now fail although the request does not speak of failing."""
    if _MAY_FAIL.search(request):
        return
    was = {str(step.get("step_id")) for step in before["steps"] if step.get("critical", True)}
    for step in after["steps"]:
        name = str(step.get("step_id"))
        if name in was and not step.get("critical", True):
            message = f"step {name} may now fail without ending the run, which the request does not name"
            yield Diagnostic(
                SHOWN, message, "warning", name, advice=("reject the proposal if this was not asked for",)
            )


class _Compared:
    """What a sentence names beside what a template fetches and draws."""

    def __init__(
        self, sentence: str, reading: Reading, template: Document, catalogue: Catalogue, now: datetime
    ) -> None:
        self.request = reading.request
        self.sentence = sentence
        self.template = template
        self.catalogue = catalogue
        self.now = now
        self.lines = Lines(template, catalogue, no_question)
        self.steps: list[StepView] = list(graph_of(template_in(template).walk(), signatures()).steps)
        self.spans = [span for phrase in self.request.times if (span := self._span(phrase)) is not None]

    def times(self) -> Iterator[Diagnostic]:
        """Report fetches over another literal time, and a default of the range that is another time."""
        if len(self.spans) != 1:
            return
        asked = self.spans[0]
        for step in self.steps:
            written = step.params.get("time_range")
            if step.tool != FETCH or not isinstance(written, str):
                continue
            variable = (self.template.get("variables") or {}).get(written)
            text = variable.get("default") if isinstance(variable, dict) else written
            if not isinstance(text, str) or TOKEN.search(text):
                continue
            span = self._span(text)
            if span is not None and span != asked:
                message = f"the request names {asked}, but step {step.id} fetches {span}"
                yield Diagnostic(TIME, message, "error", step.id, FETCH, advice=(f"fetch {asked}",))

    def windows(self) -> Iterator[Diagnostic]:
        """Report windows that are as long as the time range of the template, or longer."""
        spans = [span for facts in self._variables("time_range") if (span := self._span(facts)) is not None]
        for step in self.steps:
            argument = APPLIED[step.tool].argument if step.tool in APPLIED else ""
            text = self._value(step.params.get(argument) if argument else None)
            window = _seconds(text)
            for span in spans:
                if window is not None and window >= span.duration.total_seconds():
                    message = (
                        f"the window of step {step.id} is {text}, but the time range {span} is not longer"
                    )
                    yield _warning(WINDOW, message, "choose a shorter window", step)

    def spacecraft(self) -> Iterator[Diagnostic]:
        """Report spacecraft that only the request or only the template names."""
        if self.request.datasets:
            return
        named = set(self.request.spacecraft)
        meant = named | {craft for mission in named for craft in families().get(mission, ())}
        drawn = {craft for label in self._drawn() for craft in self.lines.crafts(label)}
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
            yield _warning(
                SHOWN, f"the request names {craft}, but the data are from {data}", "reject the proposal"
            )
        if others and not absent:
            message = f"the figure draws {' and '.join(others)}, which the request does not name"
            yield _warning(SHOWN, message, "reject the proposal if they were not asked for")

    def quantities(self) -> Iterator[Diagnostic]:
        """Report quantities of the request that nothing in the figure is made of."""
        by_line = {label: self.lines.quantities(label) for label in self._drawn()}
        drawn = set().union(*by_line.values())
        units = {self.lines.unit(label) for label, quantities in by_line.items() if not quantities}
        alone = any(made.tool == MAGNITUDE and made.alone for made in self.request.computations)
        for quantity in self.request.quantities if by_line else ():
            usual = {row.unit for row in SOURCES if row.quantity == quantity.name}
            said = re.search(
                "|".join(re.findall(r"\w{4,}", quantity.name)) or "$", self.sentence, re.IGNORECASE
            )
            if units and (
                not said or any(not unit or comparable(unit, known) for unit in units for known in usual)
            ):
                continue  # helio does not know the quantity of a line that may be this one
            magnitude = MAGNITUDE_OF.get(quantity.name) if alone else None
            if not {quantity.name, magnitude} & drawn and not _computed(quantity.name, self.steps):
                message = f"the request names the {title(quantity.name)}, but the figure draws no such data"
                yield _warning(SHOWN, message, "reject the proposal")

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
                yield _warning(SHOWN, message, "reject the proposal")

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
        drawn = {self.lines.unit(label) for label in self._drawn()}
        for unit in self.request.units if drawn and "" not in drawn else ():
            if unit not in drawn:
                message = (
                    f"the request names the unit {unit}, but the figure draws {' and '.join(sorted(drawn))}"
                )
                yield _warning(SHOWN, message, "reject the proposal")

    def datasets(self) -> Iterator[Diagnostic]:
        """Report datasets and parameters of the request that the template does not fetch."""
        fetched = [choice for step in self._fetches() for choice in fetch_choices(step.params)]
        for dataset, parameter in self.request.datasets:
            if not any(
                choice.dataset_id == dataset
                and (not parameter or parameter in choice.parameters or not choice.parameters)
                for choice in fetched
            ):
                named = f"{dataset}.{parameter}" if parameter else dataset
                message = f"the request names {named}, but no step fetches it"
                yield _warning(SHOWN, message, "reject the proposal")

    def computations(self) -> Iterator[Diagnostic]:
        """Report computations of the request that no step does, or only with other windows."""
        for asked in self.request.computations:
            if asked.tool not in APPLIED:
                continue
            steps = [step for step in self.steps if step.tool in _alike(asked.tool)]
            name = asked.tool.replace("_", " ")
            if not steps:
                message = f"the request names a {name}, but no step computes it"
                yield _warning(SHOWN, message, "reject the proposal")
            elif asked.window and _seconds(asked.window) not in {
                _seconds(self._value(value)) for step in steps for value in step.params.values()
            }:
                message = f"the request names a {name} of {asked.window}, but no step has this window"
                yield _warning(SHOWN, message, "reject the proposal")

    def unasked(self) -> Iterator[Diagnostic]:
        """Report steps that change values in a way that the request does not name."""
        asked = {tool for named in self.request.computations for tool in _alike(named.tool)}
        if self.request.cadence is not None:
            asked |= {"resample", "statistics"}
        lengths = {_seconds(named.window) for named in self.request.computations} | {self.request.cadence}
        for step in self.steps:
            window = next((step.params[key] for key in _WINDOWS if key in step.params), None)
            length = _seconds(self._value(window))
            if step.tool in CHANGING - asked and not self._is_kp(step):
                message = f"step {step.id} ({step.tool}) changes the data, and the request names no such computation"
                yield _warning(SHOWN, message, "reject the proposal if this was not asked for", step)
            elif step.tool in _AVERAGES and length and lengths - {None} and length not in lengths:
                over = self._value(window)
                message = (
                    f"step {step.id} ({step.tool}) averages over {over}, which the request does not name"
                )
                yield _warning(SHOWN, message, "reject the proposal if this was not asked for", step)

    def _is_kp(self, step: StepView) -> bool:
        """Return whether a step makes Kp of the ten times Kp that an archive stores."""
        tenfold = {(row.dataset, row.parameters[0]) for row in SOURCES if row.note == TENFOLD_KP}
        source = self.lines.producers.get(str(step.params.get("source_label")))
        read = {*fetch_pairs(source.params)} if source else set()
        return step.tool == "rescale" and step.params.get("factor") == 0.1 and bool(read) and read <= tenfold

    def other_times(self, earlier: _Compared) -> Iterator[Diagnostic]:
        """Report time ranges that an edit changes although the request names no time."""
        if self.request.times or _TIME_WORDS.search(self.sentence):
            return
        old = earlier.template.get("variables") or {}
        for name, facts in (self.template.get("variables") or {}).items():
            was = old.get(name)
            if facts.get("type") != "time_range" or was is None or was.get("default") == facts.get("default"):
                continue
            message = (
                f"the time range {name} changes from '{was.get('default')}' to '{facts.get('default')}', and helio "
                "reads no time in the request"
            )
            yield _warning(SHOWN, message, "reject the proposal if this was not asked for")

    def other_data(self, earlier: _Compared) -> Iterator[Diagnostic]:
        """Report fetches that an edit turns to another spacecraft, quantity or unit than the request names."""
        named = {quantity.name for quantity in self.request.quantities}
        words = re.findall(r"\w+", self.sentence)
        meant = {craft for name in self.request.spacecraft for craft in (name, *families().get(name, ()))}
        meant |= {row.spacecraft for row in SOURCES if row.spacecraft.rpartition("-")[2] in words}  # probe D
        old = {step.id: step for step in earlier._fetches()}
        for step in self._fetches() if not self.request.datasets else ():
            was = old.get(step.id)
            if was is None or fetch_choices(was.params) == fetch_choices(step.params):
                continue
            now = self._of_outputs(step)
            before = earlier._of_outputs(was)
            crafts = now.crafts - before.crafts - meant
            other = now.quantities - before.quantities - named
            if crafts or other or (now.units != before.units and not named):
                data = " and ".join(sorted(crafts or set(map(title, other)) or now.units))
                message = f"step {step.id} now fetches other data ({data}), which the request does not name"
                yield _warning(SHOWN, message, "reject the proposal if this was not asked for", step)

    def _of_outputs(self, step: StepView) -> _Facts:
        labels = step.outputs
        return _Facts(
            {craft for label in labels for craft in self.lines.crafts(label)},
            {quantity for label in labels for quantity in self.lines.quantities(label)},
            {self.lines.unit(label) for label in labels},
        )

    def _fetches(self) -> list[StepView]:
        return [step for step in self.steps if step.tool == FETCH]

    def frames(self) -> Iterator[Diagnostic]:
        """Report vectors in another frame than the one that the request names."""
        asked = self.request.frame
        for label in self._drawn() if asked else ():
            frame = self.lines.frame(owner(label, self.lines.producers) or label)
            if frame and frame != asked:
                message = f"the request names the frame {asked}, but {label} is in {frame}"
                yield _warning(SHOWN, message, "reject the proposal")

    def _labels(self) -> list[str]:
        return [
            label
            for step in self.template["steps"]
            if step.get("tool_name") in FIGURES
            for label in complete_labels(self.lines.spec(step))
        ]

    def _drawn(self) -> list[str]:
        labels = [owner(label, self.lines.producers) for label in self._labels()]
        return [label for label in dict.fromkeys(labels) if label is not None]

    def _value(self, written: object) -> object:
        """Return an argument, or the default of the variable that it names."""
        facts = (self.template.get("variables") or {}).get(written) if isinstance(written, str) else None
        return facts.get("default") if isinstance(facts, dict) else written

    def _variables(self, kind: str) -> Iterator[str]:
        for facts in (self.template.get("variables") or {}).values():
            if (
                isinstance(facts, dict)
                and facts.get("type") == kind
                and isinstance(facts.get("default"), str)
            ):
                yield facts["default"]

    def _span(self, text: str) -> TimeRange | None:
        try:
            return parse_time_range(text, self.now)
        except TimeRangeError:
            return None


@dataclass(frozen=True)
class _Facts:
    """What the tables of a fetch are."""

    crafts: set[str]
    quantities: set[str]
    units: set[str]


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


def _computed(quantity: str, steps: list[StepView]) -> bool:
    """Return whether a step computes a quantity, judged by the tool's name: ``plasma beta`` and `plasma_beta`."""
    words = set(re.findall(r"[a-z]+", quantity.casefold().replace("é", "e")))
    return any(words & set(step.tool.split("_")) for step in steps)


def _exchanged(before: Document, after: Document, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Report lines whose names in the legend an edit exchanged, although their data stay the same."""
    old, new = (_names(template, catalogue) for template in (before, after))
    for line, name in new.items():
        owner = next((label for label, text in old.items() if text == name and label != line), None)
        if owner is not None and old.get(line, name) != name and new.get(owner) != name:
            message = f"the line {line} is now called '{name}', which was the name of {owner}"
            yield _warning(SHOWN, message, "reject the proposal: each name belongs to its data")


def _names(template: Document, catalogue: Catalogue) -> Mapping[str, str]:
    lines = Lines(template, catalogue, no_question)
    names: dict[str, str] = {}
    for step in template["steps"]:
        if step.get("tool_name") in FIGURES:
            legend = lines.spec(step).get("trace_names")
            names |= legend if isinstance(legend, dict) else {}
    return names


def _warning(code: str, message: str, advice: str, step: StepView | None = None) -> Diagnostic:
    step_id, tool = (None, "") if step is None else (step.id, step.tool)
    return Diagnostic(code, message, "warning", step_id, tool, advice=(advice,))
