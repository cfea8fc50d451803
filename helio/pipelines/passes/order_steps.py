"""Steps in an order in which they can run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.graph import in_order
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.passes.walk import each_list
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


def order_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Put each step after those it depends on; otherwise keep the written order, and every id.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": "b", "depends_on": ["a"]}, {"step_id": "a", "depends_on": []}]}
    >>> [edit] = order_steps(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> [step["step_id"] for step in edit.operations[1]["value"]]
    ['a', 'b']
    """
    del context
    for path, steps in each_list(plan):
        found = _ordered(path, steps)
        if found is not None:
            yield found
        if isinstance(found, Edit):
            return  # the places of steps in blocks are others now; the next round orders those


def _ordered(path: Path, steps: list[Document]) -> Finding | None:
    index = {step["step_id"]: number for number, step in enumerate(steps)}
    needs = [{index[needed] for needed in step["depends_on"] if needed in index} for step in steps]
    order = in_order(needs)
    if len(order) < len(steps):
        numbers = _cycle(needs, set(range(len(steps))).difference(order))
        cycle: list[StepId] = [steps[number]["step_id"] for number in numbers]
        shown = [*cycle, cycle[0]] if len(cycle) < 20 else [*cycle[:18], "…", cycle[0]]
        return Diagnostic(
            "HR402",
            f"a cycle: {' -> '.join(map(str, shown))} (each gives what the next waits for)",
            step_id=cycle[0],
            tool_name=steps[numbers[0]].get("tool_name", ""),
            path=pointer(*path, numbers[0], "depends_on"),
            advice=("take out the dependency that is not meant; none is cut for you",),
            candidates=(*cycle, cycle[0]),
        )
    ordered = [steps[number] for number in order]
    if ordered != steps:
        message = "steps put in an order in which they can run"
        return Edit("HR401", message, replaced(pointer(*path), steps, ordered))
    return None


def _cycle(needs: Sequence[Collection[int]], stuck: Collection[int]) -> list[int]:
    """One cycle among the steps that can never run, from producer to consumer, the first in the list first."""
    number = min(stuck)
    path: dict[int, int] = {}
    while number not in path:
        path[number] = len(path)
        number = min(other for other in needs[number] if other in stuck)
    cycle = list(path)[path[number] :][::-1]
    start = cycle.index(min(cycle))
    return [*cycle[start:], *cycle[:start]]
