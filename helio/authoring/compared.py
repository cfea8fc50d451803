"""Compare a sentence with the template that came of it: spacecraft, quantity, frame, time, windows, names of lines.

HE405 (error)  a time in the template is not the time of the request
    The request gives one time range, but a step fetches another one.
    before  "ACE Bz for 2022-01-01", and a step with "time_range": "2022-01-02"
    after   a language model is asked again
    to do   Write the time of the request, or the variable $TIME_RANGE.

HE406 (warning)  the template shows something else than the request names
    It lacks a spacecraft, a quantity or a frame that the request names, or draws a spacecraft that it does not name.
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
from collections.abc import Iterator, Mapping
from datetime import datetime

from helio.authoring.fetches import FETCH
from helio.authoring.rules.lines import Lines, no_question
from helio.authoring.rules.sentence_reading import Reading, read_request
from helio.authoring.writing.computations import APPLIED
from helio.errors import RequestError, TimeRangeError
from helio.interval import interval_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import families
from helio.knowledge.quantity_words import INDICES, title
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


def differences(
    request: str, template: Document, catalogue: Catalogue, now: datetime, *, before: Document | None = None
) -> tuple[Diagnostic, ...]:
    """Report how a template differs from what a sentence names; of an edit, only what the edit brought.

    A sentence that cannot be read gives fewer comparisons, never an error.
    """
    try:
        reading = read_request(request, catalogue, now, described=False)
    except RequestError:
        return ()
    compared = _Compared(reading, template, catalogue, now)
    findings = [*compared.times(), *compared.windows()]
    if before is None:
        findings += [*compared.spacecraft(), *compared.quantities(), *compared.frames()]
    else:
        earlier = _Compared(reading, before, catalogue, now)
        old = [*earlier.times(), *earlier.windows()]
        findings = [finding for finding in findings if finding not in old]
        findings += _exchanged(before, template, catalogue)
    return tuple(dict.fromkeys(findings))


class _Compared:
    """What a sentence names beside what a template fetches and draws."""

    def __init__(self, reading: Reading, template: Document, catalogue: Catalogue, now: datetime) -> None:
        self.request = reading.request
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
            written = step.params.get(argument) if argument else None
            facts = (self.template.get("variables") or {}).get(written) if isinstance(written, str) else None
            text = facts.get("default") if isinstance(facts, dict) else written
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
        if not by_line or not all(by_line.values()):
            return  # of some lines helio knows no quantity
        drawn = set().union(*by_line.values())
        for quantity in self.request.quantities:
            if quantity.name not in drawn and not _computed(quantity.name, self.steps):
                message = f"the request names the {title(quantity.name)}, but the figure draws no such data"
                yield _warning(SHOWN, message, "reject the proposal")

    def frames(self) -> Iterator[Diagnostic]:
        """Report vectors in another frame than the one that the request names."""
        asked = self.request.frame
        for label in self._drawn() if asked else ():
            frame = self.lines.frame(owner(label, self.lines.producers) or label)
            if frame and frame != asked:
                message = f"the request names the frame {asked}, but {label} is in {frame}"
                yield _warning(SHOWN, message, "reject the proposal")

    def _drawn(self) -> list[str]:
        labels = [
            owner(label, self.lines.producers)
            for step in self.template["steps"]
            if step.get("tool_name") in FIGURES
            for label in complete_labels(self.lines.spec(step))
        ]
        return [label for label in dict.fromkeys(labels) if label is not None]

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
