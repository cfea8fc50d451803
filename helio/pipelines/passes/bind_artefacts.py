"""What a run's figures show: decided in the plan, not while drawing.

HB303 (edit bind)  time range and caption of a figure
    A figure over fetches of one range shows all of it.
    before  render_spec
    after   "time_range": "2024-05-10 to 2024-05-12"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.template import Step, Template


def bind_artefacts(template: Template, context: Context) -> Iterator[Finding]:
    """Give each figure the time range common to the fetches behind it, and a caption.

    A figure over fetches of different ranges keeps the span of its data.
    """
    by_id = {step.step_id: step for step in template.steps}
    for step in template.steps:
        if step.tool_name != RENDER:
            continue
        ranges = {
            behind.tool_args[name]
            for behind in _ancestors(step, by_id)
            for name in context.signatures[behind.tool_name].time_arguments()
            if name in behind.tool_args
        }
        more = {"time_range": ranges.pop()} if len(ranges) == 1 else {}
        if context.caption:
            more["caption"] = context.caption
        after = replace(step, tool_args={**step.tool_args, **more, **step.tool_args})
        operations = changed(step, after)
        if operations:
            message = "the range and caption of the figure"
            yield Edit("HB303", message, operations, step.step_id, kind="bind")


def _ancestors(step: Step, by_id: Mapping[StepId, Step]) -> list[Step]:
    found: set[StepId] = set()
    waiting = list(step.depends_on)
    while waiting:
        step_id = waiting.pop()
        if step_id not in found:
            found.add(step_id)
            waiting += by_id[step_id].depends_on
    return [by_id[step_id] for step_id in found]
