"""A figure shows the range that its data were fetched for, and says what drew it."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, added
from helio.pipelines.template import Document


def bind_figures(plan: Document, context: Context) -> Iterator[Finding]:
    """Give each ``render_spec`` the time range common to the fetches behind it, and the footer's caption.

    A figure over fetches of different ranges keeps the span of its data.
    """
    by_id = {step["step_id"]: step for step in plan["steps"]}
    for index, step in enumerate(plan["steps"]):
        if step["tool_name"] != "render_spec":
            continue
        ranges = {
            by_id[one]["tool_args"][name]
            for one in _ancestors(step["step_id"], by_id)
            for name in context.signatures[by_id[one]["tool_name"]].time_arguments()
            if name in by_id[one]["tool_args"]
        }
        operations = ()
        if len(ranges) == 1 and "time_range" not in step["tool_args"]:
            operations += added(pointer("steps", index, "tool_args", "time_range"), ranges.pop())
        if context.caption and "caption" not in step["tool_args"]:
            operations += added(pointer("steps", index, "tool_args", "caption"), context.caption)
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
