"""How large a run is, its intervals counted."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.passes.check_budget import refused
from helio.pipelines.passes.check_size import WITH_ITEMS, steps_of_item
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.expand_items import items_of
from helio.pipelines.template import Document


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
    count = 0
    for index, step in enumerate(plan["steps"]):
        items = items_of(step, ("steps", index), plan, context)
        # what is wrong with the items is said where they are expanded
        count += (len(items) if isinstance(items, list) else 1) * steps_of_item(step)
    yield from refused(count, context, WITH_ITEMS)
