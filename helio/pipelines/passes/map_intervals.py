"""A step that speaks of an interval is done for each.

HX301 (edit safe)  interval variable used without a loop: for_each added
    An interval has a value for each part of its range.
    before  "window": "$DAY"
    after   "for_each": {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.maps import args_of, places, signature_of, uses
from helio.pipelines.passes.edit import Context, Edit, Finding, added
from helio.pipelines.template import Document

WHOLE_DAYS = "1d"


def map_intervals(plan: Document, context: Context) -> Iterator[Finding]:
    """Add the map over an interval variable that a step uses without saying so.

    ``window: "$DAY"``, with ``$DAY`` an interval of ``$TIME_RANGE`` → ``for_each: {"as": "$DAY", "over": {"intervals":
    "$TIME_RANGE", "step": "1d"}}``

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> day = {"type": "interval", "of": "$TIME_RANGE", "step": "1d"}
    >>> args = {"source_label": "B", "python_code": "…", "output_label": "s_$DAY", "window": "$DAY"}
    >>> step = {"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args}
    >>> plan = {"variables": {"$DAY": day}, "steps": [step]}
    >>> [edit.message for edit in map_intervals(plan, Context(signatures(), datetime(2024, 1, 1), {}))]
    ['done for each $DAY of $TIME_RANGE']
    """
    declared = plan.get("variables")
    ranges = [
        name
        for name, facts in (declared.items() if isinstance(declared, dict) else ())
        if isinstance(facts, dict) and facts.get("type") == "time_range"
    ]
    intervals = {
        name: facts
        for name, facts in (declared.items() if isinstance(declared, dict) else ())
        if isinstance(facts, dict) and facts.get("type") == "interval"
    }
    if not intervals:
        return
    wanted: dict[int, list[str]] = {}
    for place in places(plan):
        signature = signature_of(place.step, context.signatures)
        if signature is None:
            continue
        index = place.path[1]
        for name in intervals:
            if name in place.variables or not uses(args_of(place.step), signature.schema(), name):
                continue
            if isinstance(index, int) and name not in wanted.setdefault(index, []):
                wanted[index].append(name)
    for index, names in wanted.items():
        step = plan["steps"][index]
        if len(names) != 1 or "for_each" in step:
            continue  # one map has one variable; what is left is said of the variable
        facts = intervals[names[0]]
        of = facts.get("of") or (ranges[0] if len(ranges) == 1 else None)
        if not isinstance(of, str):
            continue
        each = {"as": names[0], "over": {"intervals": of, "step": facts.get("step") or WHOLE_DAYS}}
        message = f"done for each {names[0]} of {of}"
        yield Edit("HX301", message, added(pointer("steps", index, "for_each"), each), step.get("step_id"))
