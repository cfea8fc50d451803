"""Limit the number of steps of a run, when helio knows the intervals of the run's time range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.passes.check_size import refused_run
from helio.pipelines.passes.expand_items import items_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.maps import loop_with_item
from helio.pipelines.template.template import Step, Template


def check_size_of_run(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse a run with more steps than the policy allows; a ``for_each`` over intervals counts one step per interval.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Policy
    >>> each = {"as": "$DAY", "over": {"intervals": "2024-01-01 to 2024-01-08", "step": "1d"}}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "for_each": each}]})
    >>> [found] = check_size_of_run(template, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_run_steps=5)))
    >>> print(found.message)
    the pipeline has 7 steps, with one step for each item of for_each; the maximum is 5
    """
    count = 0
    for step in template.steps:
        count += _run_steps(step, template, context, context.policy.max_run_steps - count)
    yield from refused_run(count, template, context)


def _run_steps(step: Step, template: Template, context: Context, limit: int) -> int:
    """Count the steps that one step of the plan becomes in a run; stop counting above the limit.

    Intervals of an inner map may divide the item of an outer one, so they are counted item by item.
    """
    items = items_of(step, template, context)
    # errors in the items are reported where they are expanded
    known = [None] if isinstance(items, Diagnostic) else items
    if not step.block:
        return len(known)
    count = 0
    for item in known:
        for inner in step.block:
            if step.for_each is not None and inner.for_each is not None:
                inner = replace(inner, for_each=loop_with_item(inner.for_each, step.for_each.name, item))
            count += _run_steps(inner, template, context, limit - count)
            if count > limit:
                return count
    return count
