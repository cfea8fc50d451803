"""Limit the number of tables in a figure to those that fit on a page, if helio chose the tables.

HB307 (edit bind + warning)  only the first twelve tables drawn in a figure whose tables helio chose
    More panels do not fit on a page; the warning names the tables that are not drawn.
    before  "labels": ["B_*"] of 30 days
    after   "labels": ["B_2024-01-01", …] of the first 12
    to do   Name the tables to draw in spec.labels, or draw several figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from helio.pipelines.analyses.outputs import LIMITED, limited, not_drawn
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import RENDER, figure_of, with_figure
from helio.pipelines.template.labels import owner
from helio.pipelines.template.template import Template


def limit_figures(template: Template, context: Context) -> Iterator[Finding]:
    """Draw only the first twelve tables in a figure, if helio chose the tables of this figure.

    ``labels: [B_*]`` of thirty days → the first twelve, and a warning that names the others

    >>> from datetime import datetime
    >>> labels = [f"B{number}" for number in range(14)]
    >>> step = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": {"labels": labels}}}
    >>> template = Template.from_json({"steps": [{**step, "annotations": {"draws_at_most": 12}}]})
    >>> [edit] = limit_figures(template, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.warning
    'the figure draws the first 12 tables; not drawn: B12, B13'
    """
    del context
    producers = {label: step.step_id for step in template.steps for label in step.produces}
    for step in template.steps:
        if step.tool_name != RENDER or LIMITED not in step.annotations:
            continue
        spec = figure_of(step)
        labels, left_out = limited(spec["labels"])
        if not left_out or spec.get("panels"):
            continue
        unused = _producers_of(left_out, producers) - _producers_of(labels, producers)
        needed = tuple(step_id for step_id in step.depends_on if step_id not in unused)
        after = replace(with_figure(step, {**spec, "labels": labels}), depends_on=needed)
        message, warning = f"draws {', '.join(labels)}", f"the figure {not_drawn(left_out)}"
        at = pointer(*step.path, "tool_args", "spec", "labels")
        yield Edit("HB307", message, changed(step, after), step.step_id, "bind", warning, at)


def _producers_of(labels: list[str], producers: Mapping[str, StepId]) -> set[StepId]:
    """Return the steps that give these labels."""
    return {producers[known] for label in labels if (known := owner(label, producers)) is not None}
