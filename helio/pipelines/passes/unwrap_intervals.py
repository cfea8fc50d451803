"""Replace a loop over days by one call of a tool that takes any time range.

HX302 (edit safe)  loop over intervals replaced by one call, for a tool that takes any range
    One request gives the same records.
    before  fetch for each $DAY of $TIME_RANGE
    after   fetch of $TIME_RANGE
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.maps import unwrapped
from helio.pipelines.template.template import Template

OF_A_MAP = ("for_each", "collect", "on_item_error")


def unwrap_intervals(template: Template, context: Context) -> Iterator[Finding]:
    """Replace a loop over intervals by one call for the whole time range, if both give the same records.

    ``fetch(…, time_range: "$DAY")`` for each ``$DAY`` of ``$TIME_RANGE`` → ``fetch(…, time_range: "$TIME_RANGE",
    each_interval: "1d")``: a day without data fails as it would by itself.

    Not where items are collected as a list, an item's failure is kept apart, or anything else in the step is the
    item's own.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$DAY"}
    >>> each = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
    >>> steps = [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}]
    >>> template = Template.from_json({"steps": steps})
    >>> [edit.message for edit in unwrap_intervals(template, Context(signatures(), datetime(2024, 1, 1), {}))]
    ['one call for $TIME_RANGE instead of one for each 1d']
    """
    for step in template.walk():
        args = unwrapped(step, context.signatures)
        loop = step.for_each
        if args is None or loop is None:
            continue
        after = replace(step, tool_args=args).without(*OF_A_MAP)
        message = f"one call for {loop.intervals} instead of one for each {loop.step or 'interval'}"
        yield Edit("HX302", message, changed(step, after), step.step_id)
