"""How large a plan is with a step for each item of its maps.

HX303 (error)  too many items in a map
    The policy bounds what one step can become.
    before  24 years of days
    after   refused: 8766 items are more than 1000
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.maps import distinct, known_items, places, step_count
from helio.pipelines.passes.check_budget import refused
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document


def check_size(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a map of too many items, and a plan whose maps would become more steps than the policy allows.

    The items are counted, and no step is made for them. Before a run the items are known that are written out, or are
    the parameters of a data set.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Policy
    >>> each = {"as": "$N", "over": [1, 2, 3]}
    >>> plan = {"steps": [{"step_id": 1, "block": [{"step_id": "a"}, {"step_id": "b"}], "for_each": each}]}
    >>> [found] = check_size(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_run_steps=5)))
    >>> print(found.message)
    6 steps are more than 5, with a step for each item of its maps
    """
    for place in places(plan):
        each = place.step.get("for_each")
        items = known_items(each, context) if isinstance(each, dict) else None
        if items is not None and distinct(items) > context.policy.max_map_items:
            yield Diagnostic(
                "HX303",
                f"{distinct(items)} items are more than {context.policy.max_map_items}",
                step_id=place.step.get("step_id"),
                tool_name=str(place.step.get("tool_name", "")),
                path=pointer(*place.path, "for_each", "over"),
                advice=("fewer items",),
            )
    yield from refused_run(plan, sum(step_count(step, context) for step in plan["steps"]), context)


def refused_run(plan: Document, count: int, context: Context) -> Iterator[Diagnostic]:
    """What to say of a run of more steps than the policy allows."""
    yield from refused(plan, count, context.policy.max_run_steps, ", with a step for each item of its maps")
