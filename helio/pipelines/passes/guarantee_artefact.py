"""Add a figure to a plan without figures and exports.

HG201 (edit safe, and warning)  no output: a figure of the final results added, or an export if asked for
    Every run must have an output. The figure draws twelve tables at most and names the others.
    before  fetch; magnitude
    after   fetch; magnitude; render_spec
    to do   Add a render_spec step, or a save_data step if you want a file of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.analyses.outputs import (
    LIMITED,
    MOST_PANELS,
    has_artefact,
    has_export,
    is_understood,
    limited,
    not_drawn,
    terminal_labels,
)
from helio.pipelines.dialect.check_budget import APPENDED
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, added
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Template


def guarantee_artefact(template: Template, context: Context) -> Iterator[Finding]:
    """Add a figure of the final results if a plan has neither a figure nor an export.

    ``1: B = fetch; 2: C = magnitude(B)`` → ``… 3: render_spec(spec={labels: [C]})``, or with ``"artifact": "data"``
    ``… 3: save_data(source_labels=[C])``, where it has no export.

    The figure draws twelve tables at most. It is critical where all that it draws is: what may fail by itself fails no
    run. Several tables are exported as netCDF, which takes any epochs.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$T"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> [edit] = guarantee_artefact(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.operations[0]["value"]["tool_args"]
    {'spec': {'labels': ['AC_H2_MFI.BGSEc']}}
    """
    data = template.artifact == "data"
    made = has_export(template, context) if data else has_artefact(template, context)
    if not context.runs("guarantee_artefact") or made or not is_understood(template, context):
        return
    labels = terminal_labels(template, context, drawn_too=data)
    if not labels:
        return
    if data:
        yield _appended(template, "export", APPENDED[1], labels, _export(template, list(labels)))
        return
    drawn, left_out = limited(list(labels))
    warning = not_drawn(left_out) if left_out else ""
    more: Document = {}
    if left_out or any(map(is_glob, drawn)):
        more = {"annotations": {LIMITED: MOST_PANELS}}
    step = {"tool_name": RENDER, "tool_args": {"spec": {"labels": drawn}}, **more}
    shown = {label: labels[label] for label in drawn}
    yield _appended(template, "figure", APPENDED[0], shown, step, warning)


def _export(template: Template, labels: list[str]) -> Document:
    args: dict[str, Any] = {"source_labels": labels}
    if len(labels) > 1 or is_glob(labels[0]):
        args |= {"filename": template.id or "tables", "format": "netcdf"}
    return {"tool_name": "save_data", "tool_args": args}


def _appended(
    template: Template, kind: str, intent: str, labels: dict[str, StepId], step: Document, warning: str = ""
) -> Edit:
    sources = set(labels.values())
    used = [step for step in template.steps if step.step_id in sources]
    step_id = _next_id([step.step_id for step in template.steps], kind)
    whole = {
        "step_id": step_id,
        **step,
        "intent": intent,
        "produces": [],
        "depends_on": [step.step_id for step in used],
        "critical": all(step.critical for step in used),
    }
    article = "an export" if kind == "export" else "a figure"
    message = f"{article} of {', '.join(labels)} added, because the pipeline had no output"
    at = pointer("steps", len(template.steps))
    return Edit("HG201", message, added(at, whole), step_id, warning=warning and f"the figure {warning}")


def _next_id(ids: list[StepId], kind: str) -> StepId:
    """Return an id that no step has, with a number like the ids of the other steps."""
    numbers = [step_id for step_id in ids if isinstance(step_id, int)]
    if numbers:
        return max(numbers) + 1
    taken, name, count = set(map(str, ids)), kind, 1
    while name in taken:
        count += 1
        name = f"{kind}-{count}"
    return name
