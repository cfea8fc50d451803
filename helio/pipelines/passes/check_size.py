"""How large a plan is with a step for each item of its maps."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.pipelines.maps import is_block
from helio.pipelines.passes.check_budget import refused
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document

WITH_ITEMS = ", with a step for each item of its maps"


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
    yield from refused(sum(map(size_of_step, plan["steps"])), context, WITH_ITEMS)


def size_of_step(step: Document) -> int:
    """The steps that a step becomes, as far as its items are written out."""
    return _written_items(step) * steps_of_item(step)


def steps_of_item(step: Document) -> int:
    """The steps that one item of a map becomes."""
    return sum(map(size_of_step, step["block"])) if is_block(step) else 1


def _written_items(step: Document) -> int:
    """The items of a map that are written out, each counted once; one where they are not."""
    each = step.get("for_each")
    over = each.get("over") if isinstance(each, dict) else None
    return len({json.dumps(item, sort_keys=True) for item in over}) if isinstance(over, list) else 1
