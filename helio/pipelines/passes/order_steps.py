"""Steps in an order in which they can run."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def order_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Put each step after those it depends on; otherwise keep the written order, and every id.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": "b", "depends_on": ["a"]}, {"step_id": "a", "depends_on": []}]}
    >>> [edit] = order_steps(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> [step["step_id"] for step in edit.operations[1]["value"]]
    ['a', 'b']
    """
    del context
    steps = plan["steps"]
    place = {step["step_id"]: index for index, step in enumerate(steps)}
    waits = {step["step_id"]: {one for one in step["depends_on"] if one in place} for step in steps}
    dependants: dict[StepId, list[StepId]] = {}
    for one, needed in waits.items():
        for other in needed:
            dependants.setdefault(other, []).append(one)
    ready = [place[one] for one, needed in waits.items() if not needed]
    heapq.heapify(ready)
    ordered: list[Document] = []
    while ready:
        step = steps[heapq.heappop(ready)]
        ordered.append(step)
        for one in dependants.get(step["step_id"], ()):
            waits[one].discard(step["step_id"])
            if not waits[one]:
                heapq.heappush(ready, place[one])
    if len(ordered) < len(steps):
        cycle = _cycle(waits)
        index = place[cycle[0]]
        yield Diagnostic(
            "HR402",
            f"a cycle: {' → '.join(map(str, [*cycle, cycle[0]]))} (each waits for the next)",
            step_id=cycle[0],
            tool_name=steps[index].get("tool_name", ""),
            path=pointer("steps", index, "depends_on"),
            advice=("take out the dependency that is not meant; none is cut for you",),
            candidates=tuple(cycle),
        )
    elif ordered != steps:
        yield Edit("HR401", "steps put in an order in which they can run", replaced("/steps", steps, ordered))


def _cycle(waits: dict[StepId, set[StepId]]) -> list[StepId]:
    """One cycle among the steps that can never run."""
    stuck = {one for one, needed in waits.items() if needed}
    one = min(stuck, key=str)
    path: list[StepId] = []
    while one not in path:
        path.append(one)
        one = min((other for other in waits[one] if other in stuck), key=str)
    return path[path.index(one) :]
