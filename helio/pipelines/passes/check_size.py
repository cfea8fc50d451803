"""Limit the size of a plan with a step for each item of its maps.

HX303 (error)  too many items in a map
    The policy limits the number of steps that one step can become.
    before  24 years of days
    after   refused: the map has 8766 items, more than 1000
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
    """Refuse a map of too many items, and a plan whose maps would become more steps than the policy allows.

    The items are counted, and no step is made for them. Before a run the items are known that are written out, or are
    the parameters of a data set.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Policy
    >>> each = {"as": "$N", "over": [1, 2, 3]}
    >>> steps = [{"step_id": 1, "block": [{"step_id": "a"}, {"step_id": "b"}], "for_each": each}]
    >>> template = Template.from_json({"steps": steps})
    >>> [found] = check_size(template, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_run_steps=5)))
    >>> print(found.message)
    6 steps are more than 5, with a step for each item of its maps
    """
    for step in template.walk():
        items = None if step.for_each is None else items_of_map(step.for_each, context)
        if items is not None and distinct(items) > context.policy.max_map_items:
            yield Diagnostic(
                "HX303",
                f"the map has {distinct(items)} items, more than {context.policy.max_map_items}",
                step_id=step.step_id,
                tool_name=step.tool_name,
                path=pointer(*step.path, "for_each", "over"),
                advice=("fewer items",),
            )
    yield from refused_run(sum(steps_of(step, context) for step in template.steps), template, context)


def refused_run(count: int, template: Template, context: Context) -> Iterator[Diagnostic]:
    """Return the error for a run with more steps than the policy allows."""
    where = ", with a step for each item of its maps"
    yield from refused(count, context.policy.max_run_steps, (step.intent for step in template.steps), where)
