"""A figure whose tables a pass chose draws no more of them than a page takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.figures import RENDER, depends_on
from helio.pipelines.graph import graph_of
from helio.pipelines.labels import owner
from helio.pipelines.maps import args_of
from helio.pipelines.outputs import LIMITED, limited, not_drawn
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def limit_figures(plan: Document, context: Context) -> Iterator[Finding]:
    """Leave out the tables of a map beyond the twelfth, where no author chose what the figure draws.

    ``labels: [B_*]`` of thirty days → the first twelve, and a warning that names the others

    >>> from datetime import datetime
    >>> labels = [f"B{number}" for number in range(14)]
    >>> step = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": {"labels": labels}}}
    >>> plan = {"steps": [{**step, "annotations": {"draws_at_most": 12}}]}
    >>> [edit] = limit_figures(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.warning
    'the figure draws the first 12 tables; not drawn: B12, B13'
    """
    for index, step in enumerate(plan["steps"]):
        notes = step.get("annotations")
        spec: Any = args_of(step).get("spec")
        if step.get("tool_name") != RENDER or not isinstance(notes, dict) or LIMITED not in notes:
            continue
        labels, left_out = limited(spec["labels"])
        if not left_out or spec.get("panels"):
            continue
        at = pointer("steps", index, "tool_args", "spec", "labels")
        operations = replaced(at, spec["labels"], labels)
        gone = _producers_of(left_out, plan, context) - _producers_of(labels, plan, context)
        needed = [needed_id for needed_id in depends_on(step) if needed_id not in gone]
        if needed != depends_on(step):
            operations += replaced(pointer("steps", index, "depends_on"), step["depends_on"], needed)
        warning = f"the figure {not_drawn(left_out)}"
        yield Edit("HB307", f"draws {', '.join(labels)}", operations, step["step_id"], "bind", warning, at)


def _producers_of(labels: list[str], plan: Document, context: Context) -> set[StepId]:
    """The steps that give labels."""
    producers = graph_of(plan, context.signatures).producers
    return {producers[table][-1].id for label in labels if (table := owner(label, producers)) is not None}
