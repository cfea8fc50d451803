"""Sort the steps so that each step follows the steps that it needs.

HR401 (edit safe)  steps reordered
    Each step follows the steps that it depends on; ids stay the same.
    before  2 before 1, on which it depends
    after   1, 2

HR402 (error)  steps that depend on each other in a cycle
    helio cannot know which dependency is wrong, so it removes none.
    before  1 waits for 3, 3 for 2, 2 for 1
    after   refused: 1 -> 2 -> 3 -> 1
    to do   Remove one of the dependencies that the message names.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.edit import Edit, reordered
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import Path


def order_steps(template: Template, context: Context) -> Iterator[Finding]:
    """Put each step after the steps on which it depends; otherwise keep the written order, and keep all ids.

    >>> from datetime import datetime
    >>> steps = [{"step_id": "b", "depends_on": ["a"]}, {"step_id": "a", "depends_on": []}]
    >>> template = Template.from_json({"steps": steps})
    >>> [edit] = order_steps(template, Context({}, datetime(2024, 1, 1), {}))
    >>> [step["step_id"] for step in edit.operations[1]["value"]]
    ['a', 'b']
    """
    del context
    for path, steps in template.lists():
        found = _ordered(path, steps)
        if found is not None:
            yield found
        if isinstance(found, Edit):
            return  # the places of steps in blocks are others now; the next round orders those


def _ordered(path: Path, steps: Sequence[Step]) -> Finding | None:
    position = {step.step_id: index for index, step in enumerate(steps)}
    waits = {step.step_id: {step_id for step_id in step.depends_on if step_id in position} for step in steps}
    dependants: dict[StepId, list[StepId]] = {}
    for step_id, needed in waits.items():
        for other in needed:
            dependants.setdefault(other, []).append(step_id)
    ready = [position[step_id] for step_id, needed in waits.items() if not needed]
    heapq.heapify(ready)
    ordered: list[Step] = []
    while ready:
        step = steps[heapq.heappop(ready)]
        ordered.append(step)
        for step_id in dependants.get(step.step_id, ()):
            waits[step_id].discard(step.step_id)
            if not waits[step_id]:
                heapq.heappush(ready, position[step_id])
    if len(ordered) < len(steps):
        cycle = _cycle(waits, position)
        index = position[cycle[0]]
        shown = [*cycle, cycle[0]] if len(cycle) < 20 else [*cycle[:18], "…", cycle[0]]
        return Diagnostic(
            "HR402",
            f"steps depend on each other in a cycle: {' -> '.join(map(str, shown))}",
            step_id=cycle[0],
            tool_name=steps[index].tool_name,
            path=pointer(*path, index, "depends_on"),
            advice=("remove the wrong dependency",),
            candidates=(*cycle, cycle[0]),
        )
    if ordered != list(steps):
        message = "steps reordered so that each follows the steps that it needs"
        return Edit("HR401", message, reordered(path, steps, ordered))
    return None


def _cycle(waits: dict[StepId, set[StepId]], position: dict[StepId, int]) -> list[StepId]:
    """Return the first cycle among steps that can never run, each step before the step that needs its results."""
    stuck = {step_id for step_id, needed in waits.items() if needed}
    current = min(stuck, key=position.__getitem__)
    path: dict[StepId, int] = {}
    while current not in path:
        path[current] = len(path)
        current = min((other for other in waits[current] if other in stuck), key=position.__getitem__)
    cycle = list(path)[path[current] :][::-1]
    start = cycle.index(min(cycle, key=position.__getitem__))
    return [*cycle[start:], *cycle[:start]]
