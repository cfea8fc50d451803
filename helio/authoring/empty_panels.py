"""Say from the record of a run why a panel of its figure is empty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from helio.counts import number_of
from helio.errors import RequestError
from helio.pipelines.dialect.written import object_of, spec_of, variables_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.settings import PreviewSettings, Settings
from helio.store.runs import PanelQuality, RunRecord, Runs, StepRecord, message_of

_ASKED = re.compile(r"\bwhy\b.*\b(?:empty|blank|nothing|no data|missing)\b", re.IGNORECASE)
_PANEL = re.compile(r"\bpanels?\s+(?:no\.?\s+|number\s+)?(\d+)", re.IGNORECASE)
_LONGEST_REASON = 120
_NOT_IN_ARCHIVE = "no dataset is called "
"""The beginning of the message of every archive that does not have a dataset."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def asks_why_empty(text: str) -> bool:
    """Return whether a sentence asks why a panel of a figure is empty."""
    return bool(_ASKED.search(text))


def last_drawn(settings: Settings, pipeline: str) -> RunRecord | None:
    """Load the last run or preview of a pipeline; return None if there is neither."""
    found = [
        (summary.started_at, records.root / summary.id)
        for records in (Runs(settings.runs), Runs(PreviewSettings(**vars(settings)).runs))
        for summary in records.list()
        if summary.pipeline == pipeline
    ]
    return RunRecord(max(found)[1]) if found else None


def with_note_on_changes(lines: Sequence[str], record: RunRecord, template: Document) -> list[str]:
    """Say before the last line of an answer from a run that other data are drawn since, perhaps by a pending change."""
    if _drawn_from(record.authored) == _drawn_from(template):
        return list(lines)
    return [*lines[:-1], "note: the pipeline has changed since, and its figure is not drawn yet", *lines[-1:]]


def _drawn_from(template: Document) -> list[Any]:
    """Return what decides which data the figures of a template draw, and in which panels, without looks."""
    kept: list[Any] = [{name: facts.get("default") for name, facts in variables_of(template).items()}]
    for step in template["steps"]:
        tool, spec = step.get("tool_name"), object_of(spec_of(step))
        if tool in FIGURES:
            kept.append({key: spec.get(key) for key in ("labels", "panels")})
        elif tool != STYLE:
            kept.append((tool, step.get("tool_args")))
    return kept


def why_empty(question: str, record: RunRecord) -> list[str]:
    """Answer why the panels that a question names are empty; without a number, explain every empty panel.

    Raises
    ------
    RequestError
        The run has no figure, or the figure has no such panel.
    """
    steps, notes = record.readable_steps
    panels = [panel for step in steps for output in step["outputs"] for panel in output.get("quality", ())]
    failed = [step for step in steps if step["state"] == "failed"]
    lines: list[str] = []
    if not panels and not failed:
        raise RequestError(
            f"run {record.id} has no figure with a record of its data", advice="run the pipeline first"
        )
    if not panels:
        lines.append("no figure was drawn")
    numbers = _numbers(question)
    unknown = [number for number in numbers if panels and all(panel["panel"] != number for panel in panels)]
    if unknown:
        last = max(panel["panel"] for panel in panels)
        raise RequestError(
            f"the figure of {record.shown} has no panel {unknown[0]}",
            advice=f"use a number from 1 to {last}; after a change, draw the figure again",
        )
    chosen = [panel for panel in panels if panel["panel"] in numbers] if numbers else panels
    for panel in chosen:
        if numbers or _is_empty(panel):
            lines += _panel_lines(panel, steps)
    lines += [f"step {step['step_id']} failed: {message_of(step)}" for step in failed]
    if not lines:
        lines.append(f"no panel is empty: {number_of(len(panels), 'panel shows', 'panels show')} data")
    return [*lines, *(f"note: {note}" for note in notes), f"from the record of {record.shown}"]


def pitfalls(record: RunRecord) -> Iterator[str]:
    """Yield the datasets and parameters that a run could not use, each with the reason and the id of the run.

    Leave out datasets that the archive of the run does not have: this is no fact about the dataset.
    """
    steps, _ = record.readable_steps
    for step in steps:
        for choice, attempt in zip(step.get("sought", ()), step["attempts"], strict=False):
            if step["state"] == "failed" and not attempt["outcome"].startswith(_NOT_IN_ARCHIVE):
                name = f"{choice['dataset']}.{choice['parameter']}"
                yield f"{name}: {attempt['outcome'][:_LONGEST_REASON]} (run {record.id})"
        for output in step["outputs"]:
            for panel in output.get("quality", ()):
                for label in panel["labels"]:
                    if label.get("empty"):
                        yield f"{label['label']}: {label['empty'][:_LONGEST_REASON]} (run {record.id})"


def _numbers(question: str) -> list[int]:
    numbers = [int(number) for number in _PANEL.findall(question)]
    named = re.findall(rf"\b({'|'.join(_ORDINALS)})\s+panel", question, re.IGNORECASE)
    return numbers + [_ORDINALS.index(name.lower()) + 1 for name in named]


def _is_empty(panel: PanelQuality) -> bool:
    return bool(panel.get("empty")) or not _visible(panel)


def _visible(panel: PanelQuality) -> int:
    """Return how many values a panel shows within its axes."""
    return sum(trace["drawn"] - trace.get("clipped", 0) for trace in panel["traces"])


def _panel_lines(panel: PanelQuality, steps: list[StepRecord]) -> Iterator[str]:
    number = panel["panel"]
    labels = ", ".join(label["label"] for label in panel["labels"]) or "no table"
    if not _is_empty(panel):
        shown = number_of(_visible(panel), "value")
        yield f"panel {number} ({labels}) is not empty: it shows {shown}"
        return
    yield f"panel {number} ({labels}) is empty: {panel.get('empty') or 'none of its values is within the axes'}"
    for label in panel["labels"]:
        records = number_of(label["records"], "record")
        yield f"  {label['label']}: {label.get('empty') or f'{records} in the time range of the figure'}"
    for trace in panel["traces"]:
        parts = (
            [f"{trace['missing']} of {number_of(trace['values'], 'value')} missing"]
            if trace["missing"]
            else []
        )
        if trace.get("clipped"):
            parts.append(f"{trace['clipped']} beyond the axes")
        if trace.get("not_above_zero"):
            parts.append(f"{trace['not_above_zero']} not above zero on a logarithmic axis")
        if parts:
            yield f"  {trace['name']}: {', '.join(parts)}"
    named = {label["label"] for label in panel["labels"]}
    for step in steps:
        if named & {output["label"] for output in step["outputs"]}:
            for attempt in step["attempts"]:
                yield f"  step {step['step_id']}: {attempt['dataset_id']}: {attempt['outcome']}"
