"""A figure that names no label draws what the plan ends in.

HG101 (edit safe)  a render without labels gets the terminal ones
    What nothing else uses is what the plan is for.
    before  "spec": {}
    after   "spec": {"labels": ["ACE_Bmag"]}

HG102 (error)  nothing to render
    A made-up figure would look like a result.
    before  "spec": {"labels": []} in a plan without data
    after   refused
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.figures import FIGURES, RENDER, complete_labels, spec_of
from helio.pipelines.maps import is_glob
from helio.pipelines.outputs import (
    LIMITED,
    MOST_PANELS,
    is_understood,
    limited,
    not_drawn,
    terminal_labels,
)
from helio.pipelines.passes.edit import Context, Edit, Finding, added, replaced
from helio.pipelines.template import Document


def fill_figures(plan: Document, context: Context) -> Iterator[Finding]:
    """Give a figure without labels those that nothing else uses; refuse one where there are none.

    Twelve tables at most are drawn.

    ``B = fetch; C = magnitude(B); render_spec(spec={})`` → ``render_spec(spec={labels: [C]})``

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "render_spec", "tool_args": {"spec": {"labels": []}}}]}
    >>> from helio.steps.signature import signatures
    >>> print(*fill_figures(plan, Context(signatures(), datetime(2024, 1, 1), {})))
    error[HG102] step 1 (render_spec): nothing to render: the figure names no label, and no step gives one
      --> /steps/0/tool_args/spec/labels
      try labels of the tables to draw
    """
    for index, step in enumerate(plan["steps"]):
        spec: Any = spec_of(step)
        if step.get("tool_name") not in FIGURES or not isinstance(spec, dict) or complete_labels(spec):
            continue
        if spec.get("labels") not in ([], "", None):
            continue  # no list of labels, which is said elsewhere
        inner = ("spec",) if step["tool_name"] == RENDER else ()
        at = pointer("steps", index, "tool_args", *inner, "labels")
        labels, left_out = limited(list(terminal_labels(plan, context, before=step.get("step_id"))))
        if labels:
            operations = replaced(at, spec["labels"], labels) if "labels" in spec else added(at, labels)
            notes = step.get("annotations")
            if (left_out or any(map(is_glob, labels))) and (notes is None or isinstance(notes, dict)):
                place, new = pointer("steps", index, "annotations"), {**(notes or {}), LIMITED: MOST_PANELS}
                operations += added(place, new) if notes is None else replaced(place, notes, new)
            warning = f"the figure {not_drawn(left_out)}" if left_out else ""
            yield Edit(
                "HG101",
                f"draws {', '.join(labels)}",
                operations,
                step.get("step_id"),
                warning=warning,
                path=at,
            )
        elif is_understood(plan, context):
            yield Diagnostic(
                "HG102",
                "nothing to render: the figure names no label, and no step gives one",
                step_id=step.get("step_id"),
                tool_name=step["tool_name"],
                path=at,
                advice=("labels of the tables to draw",),
            )
