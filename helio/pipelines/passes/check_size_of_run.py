"""How large a run is, its intervals counted."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.maps import is_block, variable_of, with_item
from helio.pipelines.passes.check_size import refused_run
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.expand_items import items_of
from helio.pipelines.passes.guarantee_artefact import INTENTS
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


def check_size_of_run(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a run whose maps would become more steps than the policy allows, its intervals counted.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Policy
    >>> each = {"as": "$DAY", "over": {"intervals": "2024-01-01 to 2024-01-08", "step": "1d"}}
    >>> plan = {"steps": [{"step_id": 1, "intent": "", "for_each": each}]}
    >>> [found] = check_size_of_run(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_run_steps=5)))
    >>> print(found.message)
    7 steps are more than 5, with a step for each item of its maps
    """
    count = 0
    for index, step in enumerate(plan["steps"]):
        count += _run_steps(step, ("steps", index), plan, context, context.policy.max_run_steps - count)
    appended = any(step["intent"] in INTENTS for step in plan["steps"])
    yield from refused_run(count, context, appended=appended)


def _run_steps(step: Document, path: Path, plan: Document, context: Context, left: int) -> int:
    """How many steps a step becomes; counting stops beyond those that are left.

    Intervals of an inner map may divide the item of an outer one, so they are counted item by item.
    """
    items = items_of(step, path, plan, context)
    # what is wrong with the items is said where they are expanded
    known = items if isinstance(items, list) else [None]
    if not is_block(step):
        return len(known)
    name, count = variable_of(step.get("for_each")), 0
    for item in known:
        for index, inner in enumerate(step["block"]):
            each = inner.get("for_each")
            if name and isinstance(each, dict):
                inner = {**inner, "for_each": {**each, "over": with_item(each.get("over"), {}, name, item)}}
            count += _run_steps(inner, (*path, "block", index), plan, context, left - count)
            if count > left:
                return count
    return count
