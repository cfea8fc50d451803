"""Something comes of every plan."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.outputs import has_artefact, is_understood, terminal_labels
from helio.pipelines.passes.edit import Context, Edit, Finding, added
from helio.pipelines.template import Document


def guarantee_artefact(plan: Document, context: Context) -> Iterator[Finding]:
    """Append a figure of what a plan ends in, where it has neither figure nor export.

    ``1: B = fetch; 2: C = magnitude(B)`` → ``… 3: render_spec(spec={labels: [C]})``

    The figure is critical where all that it draws is: what may fail by itself fails no run.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$T"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> [edit] = guarantee_artefact(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.operations[0]["value"]["tool_args"]
    {'spec': {'labels': ['AC_H2_MFI.BGSEc']}}
    """
    if not context.runs("guarantee_artefact") or has_artefact(plan, context):
        return
    if not is_understood(plan, context):
        return
    labels = terminal_labels(plan, context)
    if not labels:
        return
    steps = plan["steps"]
    sources = set(labels.values())
    step_id = _next_id([step.get("step_id") for step in steps])
    figure = {
        "step_id": step_id,
        "tool_name": "render_spec",
        "tool_args": {"spec": {"labels": list(labels)}},
        "intent": "Draw what the pipeline ends in",
        "produces": [],
        "depends_on": [step["step_id"] for step in steps if step.get("step_id") in sources],
        "critical": all(step.get("critical", True) for step in steps if step.get("step_id") in sources),
    }
    message = f"a figure of {', '.join(labels)} appended: nothing came of the plan"
    yield Edit("HG201", message, added(pointer("steps", len(steps)), figure), step_id)


def _next_id(ids: list[StepId | None]) -> StepId:
    """An id that is free, numbered where the others are."""
    numbers = [one for one in ids if isinstance(one, int)]
    if numbers:
        return max(numbers) + 1
    taken, name, count = set(map(str, ids)), "figure", 1
    while name in taken:
        count += 1
        name = f"figure-{count}"
    return name
