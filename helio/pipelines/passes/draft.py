"""Change a list of steps, and collect the changes as JSON Patch operations for one edit."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.edit import Operation, difference, removed
from helio.pipelines.template.template import Step
from helio.pipelines.template.variables import Path


class Draft:
    """List of steps that a pass is changing; each step keeps its index from the start.

    Parameters
    ----------
    path : tuple
        Where the list stands: ``("steps",)``, or a block.
    steps : sequence of Step

    Examples
    --------
    >>> draft = Draft(("steps",), [Step(step_id=1), Step(step_id=2, depends_on=(1,))])
    >>> draft.remove(0)
    >>> draft.change(1, depends_on=(), critical=False)
    >>> [(operation["op"], operation["path"]) for operation in draft.take()]
    [('test', '/steps/0'), ('remove', '/steps/0'), ('test', '/steps/0/depends_on'), ('remove', '/steps/0/depends_on'), \
('add', '/steps/0/critical')]
    """

    def __init__(self, path: Path, steps: Sequence[Step]) -> None:
        self.path = path
        self.steps = list(steps)
        self.places = {step.step_id: index for index, step in reversed(list(enumerate(steps)))}
        self._gone: list[int] = []
        self._operations: list[Operation] = []

    def take(self) -> tuple[Operation, ...]:
        """Return the operations since the last call of this method, and empty the list of operations."""
        taken, self._operations = tuple(self._operations), []
        return taken

    def change(self, index: int, **values: Any) -> None:
        """Change some fields of a step."""
        self.put(index, replace(self.steps[index], **values))

    def put(self, index: int, step: Step) -> None:
        """Replace a step by another step."""
        if step == self.steps[index]:
            return
        written = step.to_json()
        self._operations += difference(self._at(index), self.steps[index].to_json(), written)
        self.steps[index] = replace(step, keys=tuple(written))

    def remove(self, index: int) -> None:
        """Remove a step from the list."""
        self._operations += removed(pointer(*self._at(index)), self.steps[index].to_json())
        insort(self._gone, index)

    def is_gone(self, index: int) -> bool:
        """Return whether the pass has removed a step."""
        found = bisect_left(self._gone, index)
        return found < len(self._gone) and self._gone[found] == index

    def rewire(self, instead: Mapping[StepId, StepId], among: Sequence[int]) -> None:
        """Replace ids in the dependencies of the steps `among`, as `instead` says; sort them and remove repeats."""
        for index in among:
            step = self.steps[index]
            if self.is_gone(index) or not any(needed in instead for needed in step.depends_on):
                continue
            dependencies = {instead.get(needed, needed) for needed in step.depends_on} - {step.step_id}
            self.change(index, depends_on=self.in_order(dependencies))

    def in_order(self, step_ids: set[StepId]) -> tuple[StepId, ...]:
        """Return ids of steps in the order of the list."""
        return tuple(sorted(step_ids, key=lambda step_id: self.places.get(step_id, len(self.steps))))

    def stand_for(self, index: int, others: Sequence[StepId]) -> None:
        """Record in a step's annotations the steps that were merged into this step."""
        notes = self.steps[index].annotations
        earlier = notes.get("stands_for")  # anybody may write annotations
        earlier = earlier if isinstance(earlier, list) else []
        self.change(index, annotations={**notes, "stands_for": [*earlier, *others]})

    def _at(self, index: int) -> Path:
        return (*self.path, index - bisect_left(self._gone, index))


def dependants_of(steps: Sequence[Step]) -> dict[StepId, list[int]]:
    """Return for each step the indices of the steps that depend on this step."""
    found: dict[StepId, list[int]] = {}
    for index, step in enumerate(steps):
        for needed in dict.fromkeys(step.depends_on):
            found.setdefault(needed, []).append(index)
    return found


def reaches(
    steps: Sequence[Step], places: Mapping[StepId, int], start: int, goals: set[int], *, through: set[int]
) -> bool:
    """Return whether `start` depends indirectly on a step in `goals`; steps in `through` do not connect the two."""
    waiting = [places[needed] for needed in steps[start].depends_on if needed in places]
    waiting = [index for index in waiting if index not in through]
    seen: set[int] = set()
    while waiting:
        reached = waiting.pop()
        if reached in seen:
            continue
        seen.add(reached)
        for other in steps[reached].depends_on:
            index = places.get(other)
            if index is None:
                continue
            if index in goals:
                return True
            if index not in through:
                waiting.append(index)
    return False
