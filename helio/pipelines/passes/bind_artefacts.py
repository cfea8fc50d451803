"""What a run's figures show: decided in the plan, not while drawing.

HB303 (edit bind)  time range and caption of a figure
    A figure over fetches of one range shows all of it.
    before  render_spec
    after   "time_range": "2024-05-10 to 2024-05-12"
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added
from helio.pipelines.template import Document


def bind_artefacts(plan: Document, context: Context) -> Iterator[Finding]:
    """Give each figure the time range common to the fetches behind it, and a caption.

    A figure over fetches of different ranges keeps the span of its data.
    """
    by_id = {step["step_id"]: step for step in plan["steps"]}
    for index, step in enumerate(plan["steps"]):
        if step["tool_name"] == "render_spec":
            yield from _bind_figure(step, pointer("steps", index, "tool_args"), by_id, context)


def _bind_figure(
    step: Document, at: str, by_id: dict[StepId, Document], context: Context
) -> Iterator[Finding]:
    ranges = {
        by_id[one]["tool_args"][name]
        for one in _ancestors(step["step_id"], by_id)
        for name in context.signatures[by_id[one]["tool_name"]].time_arguments()
        if name in by_id[one]["tool_args"]
    }
    operations: tuple[Operation, ...] = ()
    if len(ranges) == 1 and "time_range" not in step["tool_args"]:
        operations += added(at + "/time_range", ranges.pop())
    if context.caption and "caption" not in step["tool_args"]:
        operations += added(at + "/caption", context.caption)
    if operations:
        yield Edit("HB303", "the range and caption of the figure", operations, step["step_id"], kind="bind")


def _ancestors(step_id: StepId, by_id: dict[StepId, Document]) -> set[StepId]:
    found: set[StepId] = set()
    waiting = list(by_id[step_id]["depends_on"])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += by_id[one]["depends_on"]
    return found
