"""Find titles, names and labels that name another spacecraft, frame or component than the data have.

HE404 (warning)  a title, name or label that an author wrote does not match the data
    It names another spacecraft, frame, component or unit. Readers believe a title, and no other check finds this.
    before  Wind's field under the title 'ACE B in GSM'
    after   a warning in the review: the data are from Wind
    to do   Correct the title, the name or the label, or reject the proposal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from helio.authoring.fetches import fetch_choices
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.missions import short
from helio.knowledge.quantities import SOURCES
from helio.pipelines.dialect.template_in import template_in, view_in
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE, complete_labels
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import owner
from helio.steps.fetch.choices import Choice
from helio.steps.foreseen import NOTHING_KNOWN, Foreseen, foreseen
from helio.steps.signature import signatures

CODE = "HE404"
_FRAMES = re.compile(r"(?<![A-Za-z0-9])(?:GSE|GSM|RTN|HEEQ|HCI|HEE)(?![A-Za-z0-9])", re.IGNORECASE)
_COMPONENT = re.compile(r"(?:^|_)[BVE]_?([xyzrtn])(?:_|$)", re.IGNORECASE)


@dataclass(frozen=True)
class _TableSource:
    """What is known about a table before a run: the spacecraft and the kind of data.

    Parameters
    ----------
    crafts : frozenset of str
        Names of spacecraft and missions whose data went in.
    known : bool
        Whether those are all.
    table : Foreseen
        Its frame and kind.
    """

    crafts: frozenset[str]
    known: bool
    table: Foreseen


_UNKNOWN = _TableSource(frozenset(), False, NOTHING_KNOWN)


def misnamed(
    template: Document, catalogue: Catalogue, datasets: Mapping[str, Dataset]
) -> Iterator[Diagnostic]:
    """Warn of labels, titles and line names that name another spacecraft, frame or component than the data have.

    Unknown data give no warning.
    """
    sources = _sources(template, catalogue, datasets)
    figures = [step for step in template["steps"] if step.get("tool_name") in FIGURES]
    for step in template["steps"]:
        view = view_in(step, signatures())
        label = view.params.get("output_label")
        if isinstance(label, str) and label in sources:
            yield from _wrong_names(view, f"the label '{label}'", label, [sources[label]])
            yield from _wrong_component(view, label)
        if view.tool in FIGURES:
            yield from _wrong_in_figure(view, spec_of(step), spec_of(step), sources)
        elif view.tool == STYLE:
            figure = spec_of(figures[0]) if len(figures) == 1 else {}
            yield from _wrong_in_figure(view, spec_of(step), figure, sources)
    if isinstance(template.get("name"), str):
        yield from _wrong_names(None, f"the name '{template['name']}'", template["name"], sources.values())


def _wrong_in_figure(
    step: StepView, style: Any, figure: Any, sources: Mapping[str, _TableSource]
) -> Iterator[Diagnostic]:
    """Check the texts that a step gives to a figure: titles, names of lines and labels of axes."""
    if not isinstance(style, dict) or not isinstance(figure, dict):
        return
    listed = figure.get("panels")
    panels = (
        {str(number): panel for number, panel in enumerate(listed, 1)} if isinstance(listed, list) else {}
    )
    drawn = _of(complete_labels(figure), sources) or list(sources.values())
    for key in ("title", "subtitle"):
        if isinstance(style.get(key), str):
            yield from _wrong_names(step, f"the {key} '{style[key]}'", style[key], drawn)
    for line, text in _texts(style.get("trace_names")):
        yield from _wrong_names(step, f"the line name '{text}'", text, _of([line], sources))
    for number, text in _texts(style.get("y_label")):
        panel = panels.get(number)
        labels = panel if isinstance(panel, list) else []
        yield from _wrong_names(step, f"the axis label '{text}'", text, _of(labels, sources))


def _texts(value: Any) -> list[tuple[str, str]]:
    pairs = value.items() if isinstance(value, dict) else ()
    return [(str(key), text) for key, text in pairs if isinstance(text, str)]


def _of(labels: Iterable[Any], sources: Mapping[str, _TableSource]) -> list[_TableSource]:
    """Return what is known about the table of each label; a label of one component is treated as one component."""
    found = []
    for label in labels:
        table = owner(label, sources) if isinstance(label, str) else None
        source = _UNKNOWN if table is None else sources[table]
        found.append(source if table in (label, None) else replace(source, table=source.table.component()))
    return found


def _joined(sources: Sequence[_TableSource]) -> tuple[frozenset[str], bool]:
    """Return the spacecraft of several tables, and whether the spacecraft of every table are known."""
    crafts = frozenset[str]().union(*(source.crafts for source in sources))
    return crafts, bool(sources) and all(source.known for source in sources)


def _wrong_names(
    step: StepView | None, what: str, text: str, sources: Iterable[_TableSource]
) -> Iterator[Diagnostic]:
    """Warn of a text that names a spacecraft or a frame from which no data come."""
    sources = list(sources)
    crafts, known = _joined(sources)
    others = sorted(_crafts_in(text) - crafts)
    if others and known:
        yield _warning(step, f"{what} names {others[0]}, but the data are from {_listed(crafts)}")
    frames = {str(source.table.frame) for source in sources if source.table.frame != ""}
    named = {match[0].upper() for match in _FRAMES.finditer(text)}
    strange = sorted(named - {frame.upper() for frame in frames})
    if strange and frames and all(source.table.frame is not None for source in sources):
        yield _warning(step, f"{what} names the frame {strange[0]}, but the data are in {_listed(frames)}")


def _wrong_component(step: StepView, label: str) -> Iterator[Diagnostic]:
    """Warn of a label that names another component than the one that the step keeps."""
    keep = step.params.get("keep")
    kept = keep[0] if isinstance(keep, list) and len(keep) == 1 else keep
    named = _COMPONENT.search(label)
    if isinstance(kept, str) and len(kept) == 1 and named and named[1].casefold() != kept.casefold():
        yield _warning(step, f"the label '{label}' names component {named[1]}, but the step keeps {kept}")


def _warning(step: StepView | None, message: str) -> Diagnostic:
    step_id, tool = (None, "") if step is None else (step.id, step.tool)
    return Diagnostic(CODE, message, "warning", step_id, tool, advice=("name the data that are drawn",))


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _sources(
    template: Document, catalogue: Catalogue, datasets: Mapping[str, Dataset]
) -> dict[str, _TableSource]:
    """Find what is known about the table of each label, in steps of any order; leave out maps and blocks."""

    def rule(step: StepView, known: Mapping[str, _TableSource]) -> dict[str, _TableSource]:
        signature = step.signature
        if signature is None or not step.outputs or len(step.path) > 2 or step.step.maps:
            return {}
        if signature.gives == "tables":
            return _fetched(step, catalogue, datasets)
        if not all(owner(label, known) for label in step.labels):
            return {}
        inputs = {
            parameter: [source.table for source in _of((read.label for read in reads), known)]
            for parameter, reads in step.inputs.items()
        }
        source = _TableSource(*_joined(_of(step.labels, known)), foreseen(signature, step.params, inputs))
        return dict.fromkeys(step.outputs, source)

    return graph_of(template_in(template).walk(), signatures()).propagate(rule)


def _fetched(
    step: StepView, catalogue: Catalogue, datasets: Mapping[str, Dataset]
) -> dict[str, _TableSource]:
    choices = fetch_choices(step.params)
    entries = [catalogue.summary(choice.dataset_id) for choice in choices if choice.dataset_id in catalogue]
    crafts = frozenset(name for entry in entries for name in (entry.spacecraft, entry.mission) if name)
    known = len(entries) == len(choices) and bool(crafts)
    sources = {}
    for index, label in enumerate(step.outputs):
        frames = {_frame(choice, index, len(step.outputs), datasets) for choice in choices}
        frame = frames.pop() if len(frames) == 1 else None
        sources[label] = _TableSource(crafts, known, Foreseen(frame=frame, kinds=NOTHING_KNOWN.kinds))
    return sources


def _frame(choice: Choice, index: int, count: int, datasets: Mapping[str, Dataset]) -> str | None:
    """Return the frame of a table that a fetch makes; return None if the frame is not known."""
    entry = datasets.get(choice.dataset_id)
    name = choice.parameters[index] if len(choice.parameters) == count else choice.parameters[-1]
    if entry is None or name not in entry.parameters:
        return None
    scalar = entry.parameters[name] == 1
    stated = entry.frames.get(name) or stated_frame(name, "" if scalar else entry.descriptions.get(name, ""))
    return stated or ("" if scalar else None)


@lru_cache(maxsize=1)
def _spellings() -> Mapping[str, re.Pattern[str]]:
    """Return, for each spacecraft in helio's table of quantities, a pattern that finds its name in a text."""
    patterns = {}
    for craft in dict.fromkeys(source.spacecraft for source in SOURCES):
        forms = {craft, craft.upper(), craft.replace("-", " "), craft.replace("-", ""), short(craft)}
        spelt = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        # the solar wind is no spacecraft
        patterns[craft] = re.compile(
            rf"(?<![A-Za-z0-9-])(?<![Ss]olar )(?<![Ss]olar_)(?:{spelt})(?![A-Za-z0-9])"
        )
    return patterns


def _crafts_in(text: str) -> set[str]:
    return {craft for craft, pattern in _spellings().items() if pattern.search(text)}
