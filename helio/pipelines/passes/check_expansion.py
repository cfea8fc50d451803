"""What maps become in a run, as far as it is known before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.errors import RequestError
from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.graph import view_of
from helio.pipelines.maps import interval_microseconds, is_block, known_items, places
from helio.pipelines.passes.derive_produces import is_same_work
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.expand_items import expanded
from helio.pipelines.template import Document, shortened


def check_expansion(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse maps that no run could expand: items too many, labels that items share, intervals of no length.

    Items that are written out are expanded as in a run. Of intervals only their length is looked at: which ones they
    are is the run's to say.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "$T", "output_label": "B"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}]}
    >>> [found] = check_expansion(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found.code, found.message)
    HR103 every item would give the label 'B'
    """
    for place in places(plan):
        each = place.step.get("for_each")
        over = each.get("over") if isinstance(each, dict) else None
        if not isinstance(over, dict) or "intervals" not in over:
            continue
        try:
            interval_microseconds(over.get("step", "1d"))
        except RequestError as error:
            yield Diagnostic(
                "HV101",
                f"'{shortened(str(over['step']))}' is no length of intervals: {error.message}",
                step_id=place.step.get("step_id"),
                tool_name=str(place.step.get("tool_name", "")),
                path=pointer(*place.path, "for_each", "over", "step"),
                advice=('"step": "1d", "6h", "27d"',),
            )
    made: list[tuple[int, Document]] = []
    for index, step in enumerate(plan["steps"]):
        each = step.get("for_each")
        if each is None:
            made.append((index, step))
            continue
        if not isinstance(each, dict):
            continue
        if any(
            known_items(loop, context) is None for place in places({"steps": [step]}) for loop in place.maps
        ):
            continue
        found = expanded(step, ("steps", index), plan, context)
        if isinstance(found, Diagnostic):
            yield found
        else:
            made += [(index, one) for one in found]
    yield from _given_twice(made, plan, context)


def _given_twice(made: list[tuple[int, Document]], plan: Document, context: Context) -> Iterator[Diagnostic]:
    """Labels that an item gives and another step or item too."""
    first: dict[str, tuple[int, Document]] = {}
    said: set[tuple[int, str]] = set()
    for index, step in made:
        for label in () if is_block(step) else view_of(step, context.signatures).outputs:
            before, other = first.setdefault(label, (index, step))
            mapped = any("for_each" in plan["steps"][one] for one in (before, index))
            if other is step or not mapped or is_same_work(other, step, context) or (index, label) in said:
                continue
            said.add((index, label))
            yield _twice(label, index, step, other["step_id"], plan)


def _twice(label: str, index: int, step: Document, before: StepId, plan: Document) -> Diagnostic:
    written: Any = plan["steps"][index]
    return Diagnostic(
        "HR103",
        f"the label '{label}' is given by {step['step_id']}, and by {before} already",
        step_id=written.get("step_id"),
        tool_name=str(step.get("tool_name", "")),
        path=pointer("steps", index),
        advice=("another output_label",),
        candidates=(before,),
    )
