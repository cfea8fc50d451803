"""Let a figure without labels draw the results of the plan.

HG101 (edit safe, and warning)  a figure without labels gets all labels that no step uses
    Labels that no step uses are the final results of the pipeline.
    before  "spec": {}
    after   "spec": {"labels": ["ACE_Bmag"]}
    to do   Name the tables to draw in spec.labels.

HG102 (error)  nothing to draw
    A made-up figure would look like a result.
    before  "spec": {"labels": []} in a plan without data
    after   refused
    to do   Add a step that fetches data, and name its label in spec.labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.analyses.outputs import (
    LIMITED,
    MOST_PANELS,
    is_understood,
    limited,
    not_drawn,
    terminal_labels,
)
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import FIGURES, RENDER, complete_labels, figure_of, with_figure
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Template


def fill_figures(template: Template, context: Context) -> Iterator[Finding]:
    """Give a figure without labels all labels that no step uses; refuse the figure if there is no unused label.

    Twelve tables at most are drawn.

    ``B = fetch; C = magnitude(B); render_spec(spec={})`` → ``render_spec(spec={labels: [C]})``

    >>> from datetime import datetime
    >>> steps = [{"step_id": 1, "tool_name": "render_spec", "tool_args": {"spec": {"labels": []}}}]
    >>> template = Template.from_json({"steps": steps})
    >>> from helio.steps.signature import signatures
    >>> print(*fill_figures(template, Context(signatures(), datetime(2024, 1, 1), {})))
    error[HG102] step 1 (render_spec): nothing to draw: the figure names no label, and no step gives one
      --> /steps/0/tool_args/spec/labels
      help: list the labels of the tables to draw
    """
    for step in template.steps:
        if step.tool_name not in FIGURES:
            continue
        spec = figure_of(step)
        if spec.get("labels") or complete_labels(spec):
            continue
        inner = ("spec",) if step.tool_name == RENDER else ()
        at = pointer(*step.path, "tool_args", *inner, "labels")
        labels, left_out = limited(list(terminal_labels(template, context, before=step.step_id)))
        if labels:
            after = with_figure(step, {**spec, "labels": labels})
            if left_out or any(map(is_glob, labels)):
                after = replace(after, annotations={**step.annotations, LIMITED: MOST_PANELS})
            warning = f"the figure {not_drawn(left_out)}" if left_out else ""
            yield Edit(
                "HG101",
                f"draws {', '.join(labels)}",
                changed(step, after),
                step.step_id,
                warning=warning,
                path=at,
            )
        elif is_understood(template, context):
            yield Diagnostic(
                "HG102",
                "nothing to draw: the figure names no label, and no step gives one",
                step_id=step.step_id,
                tool_name=step.tool_name,
                path=at,
                advice=("list the labels of the tables to draw",),
            )
