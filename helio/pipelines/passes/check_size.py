"""Limit the number of items of each ``for_each``, and the number of steps of a run.

HX303 (error)  too many items in a for_each
    The policy limits the number of steps that one step can become.
    before  24 years of days
    after   refused: for_each has 8766 items; the maximum is 1000
    to do   Use a shorter time range or longer intervals.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.dialect.check_budget import refused
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.maps import distinct, items_of_map, steps_of
from helio.pipelines.template.template import Template


def check_size(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse a ``for_each`` with too many items, and a plan whose run would have more steps than the policy allows.

    The items are counted, and no step is made for them. Before a run the items are known that are written out, or are
    the parameters of a dataset.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Policy
    >>> each = {"as": "$N", "over": [1, 2, 3]}
    >>> steps = [{"step_id": 1, "block": [{"step_id": "a"}, {"step_id": "b"}], "for_each": each}]
    >>> template = Template.from_json({"steps": steps})
    >>> [found] = check_size(template, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_run_steps=5)))
    >>> print(found.message)
    the pipeline has 6 steps, with one step for each item of for_each; the maximum is 5
    """
    for step in template.walk():
        items = None if step.for_each is None else items_of_map(step.for_each, context)
        if items is not None and distinct(items) > context.policy.max_map_items:
            yield Diagnostic(
                "HX303",
                f"for_each has {distinct(items)} items; the maximum is {context.policy.max_map_items}",
                step_id=step.step_id,
                tool_name=step.tool_name,
                path=pointer(*step.path, "for_each", "over"),
                advice=("use fewer items",),
            )
    yield from refused_run(sum(steps_of(step, context) for step in template.steps), template, context)


def refused_run(count: int, template: Template, context: Context) -> Iterator[Diagnostic]:
    """Return the error for a run with more steps than the policy allows."""
    where = ", with one step for each item of for_each"
    yield from refused(count, context.policy.max_run_steps, (step.intent for step in template.steps), where)
