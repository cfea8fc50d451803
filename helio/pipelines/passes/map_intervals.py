"""Repeat a step for each interval if the step uses an interval variable.

HX301 (edit safe)  interval variable used without a loop: for_each added
    An interval has a value for each part of its range.
    before  "window": "$DAY"
    after   "for_each": {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.maps import uses
from helio.pipelines.template.template import ForEach, Template
from helio.pipelines.template.variables import Path

WHOLE_DAYS = "1d"


def map_intervals(template: Template, context: Context) -> Iterator[Finding]:
    """Add a ``for_each`` to a step that uses an interval variable and has no ``for_each``.

    ``window: "$DAY"``, with ``$DAY`` an interval of ``$TIME_RANGE`` → ``for_each: {"as": "$DAY", "over": {"intervals":
    "$TIME_RANGE", "step": "1d"}}``

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> day = {"type": "interval", "of": "$TIME_RANGE", "step": "1d"}
    >>> args = {"source_label": "B", "python_code": "…", "output_label": "s_$DAY", "window": "$DAY"}
    >>> step = {"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args}
    >>> template = Template.from_json({"variables": {"$DAY": day}, "steps": [step]})
    >>> [edit.message for edit in map_intervals(template, Context(signatures(), datetime(2024, 1, 1), {}))]
    ['repeated for each $DAY of $TIME_RANGE']
    """
    ranges = template.time_variables
    intervals = {name: facts for name, facts in template.variables.items() if facts.type == "interval"}
    if not intervals:
        return
    names_by_step: dict[Path, list[str]] = {}
    for step in template.walk():
        signature = context.signatures.get(step.tool_name)
        if signature is None:
            continue
        names = names_by_step.setdefault(step.path[:2], [])
        names += [
            name
            for name in intervals
            if name not in (*step.items, *names) and uses(step.tool_args, signature.schema(), name)
        ]
    for step in template.steps:
        names = names_by_step.get(step.path, [])
        if len(names) != 1 or step.for_each is not None:
            continue  # one map has one variable; another pass reports the others
        facts = intervals[names[0]]
        of = facts.of or (ranges[0] if len(ranges) == 1 else "")
        if of:
            loop = ForEach(name=names[0], intervals=of, step=facts.step or WHOLE_DAYS)
            message = f"repeated for each {names[0]} of {of}"
            yield Edit("HX301", message, changed(step, replace(step, for_each=loop)), step.step_id)
