"""A loop over days around a tool that takes any range is one call.

HX302 (edit safe)  per-interval loop around a tool that takes any range unwrapped
    The records are the same, in one request.
    before  fetch for each $DAY of $TIME_RANGE
    after   fetch of $TIME_RANGE
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.maps import args_of, places, unwrapped
from helio.pipelines.passes.edit import Context, Edit, Finding, removed, replaced
from helio.pipelines.template import Document

OF_A_MAP = ("for_each", "collect", "on_item_error")


def unwrap_intervals(plan: Document, context: Context) -> Iterator[Finding]:
    """Ask once for the whole range, where that gives the same as asking interval by interval.

    ``fetch(…, time_range: "$DAY")`` for each ``$DAY`` of ``$TIME_RANGE`` → ``fetch(…, time_range: "$TIME_RANGE",
    each_interval: "1d")``: a day without data fails as it would by itself.

    Not where items are collected as a list, an item's failure is kept apart, or anything else in the step is the
    item's own.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$DAY"}
    >>> each = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}]}
    >>> [edit.message for edit in unwrap_intervals(plan, Context(signatures(), datetime(2024, 1, 1), {}))]
    ['one call for $TIME_RANGE instead of one for each 1d']
    """
    for place in places(plan):
        args = unwrapped(place.step, context.signatures)
        if args is None:
            continue
        over = place.step["for_each"]["over"]
        operations = replaced(pointer(*place.path, "tool_args"), args_of(place.step), args)
        for key in OF_A_MAP:
            if key in place.step:
                operations += removed(pointer(*place.path, key), place.step[key])
        message = f"one call for {over['intervals']} instead of one for each {over.get('step', 'interval')}"
        yield Edit("HX302", message, operations, place.step.get("step_id"))
