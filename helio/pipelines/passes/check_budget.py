"""How large a plan may be."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.maps import is_block, places
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.expand_items import items_of
from helio.pipelines.template import Document


def check_budget(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a plan with more steps than the policy allows, those of blocks counted.

    It runs before every pass that looks at each pair of steps, so that a plan that is too large is refused at once.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Policy
    >>> plan = {"steps": [{"step_id": 1}, {"step_id": 2}]}
    >>> [found] = check_budget(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_steps=1)))
    >>> print(found)
    error[HV701]: 2 steps are more than 1
      --> /steps
      try fewer steps, or several pipelines
    """
    count = sum(1 for place in places(plan) if not is_block(place.step))
    yield from _refused(count, context)


def check_size(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a plan whose maps would become more steps than the policy allows: a step for each item is counted.

    The items are counted, and no step is made for them. Before a run only items that are written out are known.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Policy
    >>> each = {"as": "$N", "over": [1, 2, 3]}
    >>> plan = {"steps": [{"step_id": 1, "block": [{"step_id": "a"}, {"step_id": "b"}], "for_each": each}]}
    >>> [found] = check_size(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_steps=5)))
    >>> print(found.message)
    6 steps are more than 5, with a step for each item of its maps
    """
    yield from _refused(
        _size(plan, context, in_run=False), context, ", with a step for each item of its maps"
    )


def check_size_of_run(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a run whose maps would become more steps than the policy allows, its intervals counted.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Policy
    >>> each = {"as": "$DAY", "over": {"intervals": "2024-01-01 to 2024-01-08", "step": "1d"}}
    >>> plan = {"steps": [{"step_id": 1, "for_each": each}]}
    >>> [found] = check_size_of_run(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_steps=5)))
    >>> print(found.message)
    7 steps are more than 5, with a step for each item of its maps
    """
    yield from _refused(_size(plan, context, in_run=True), context, ", with a step for each item of its maps")


def _size(plan: Document, context: Context, *, in_run: bool) -> int:
    count = 0
    for index, step in enumerate(plan["steps"]):
        outer = _written_items(step)
        if in_run and step.get("for_each") is not None:
            items = items_of(step, index, plan, context)
            outer = len(items) if isinstance(items, list) else 1
        count += outer * _steps_inside(step)
    return count


def _steps_inside(step: Document) -> int:
    """The steps that one item of a map becomes."""
    if not is_block(step):
        return 1
    return sum(_written_items(inner) * _steps_inside(inner) for inner in step["block"])


def _written_items(step: Document) -> int:
    """The items of a map that are written out, each counted once; one where they are not."""
    each = step.get("for_each")
    over = each.get("over") if isinstance(each, dict) else None
    return len({json.dumps(item, sort_keys=True) for item in over}) if isinstance(over, list) else 1


def _refused(count: int, context: Context, where: str = "") -> Iterator[Diagnostic]:
    if count > context.policy.max_steps:
        yield Diagnostic(
            "HV701",
            f"{count} steps are more than {context.policy.max_steps}{where}",
            path="/steps",
            advice=("fewer steps, or several pipelines",),
        )
