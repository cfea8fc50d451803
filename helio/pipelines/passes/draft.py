"""One list of steps being changed: each change is kept as guarded operations that apply one after another."""

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
    """A list of steps, addressed by the places they had at the start.

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
        """The operations since they were last taken."""
        taken, self._operations = tuple(self._operations), []
        return taken

    def change(self, place: int, **values: Any) -> None:
        """Give a step other values of some fields."""
        self.put(place, replace(self.steps[place], **values))

    def put(self, place: int, step: Step) -> None:
        """Put another step in the place of one."""
        if step == self.steps[place]:
            return
        written = step.to_json()
        self._operations += difference(self._at(place), self.steps[place].to_json(), written)
        self.steps[place] = replace(step, keys=tuple(written))

    def remove(self, place: int) -> None:
        """Take a step out of the list."""
        self._operations += removed(pointer(*self._at(place)), self.steps[place].to_json())
        insort(self._gone, place)

    def is_gone(self, place: int) -> bool:
        """Whether a step was taken out."""
        found = bisect_left(self._gone, place)
        return found < len(self._gone) and self._gone[found] == place

    def rewire(self, instead: Mapping[StepId, StepId], among: Sequence[int]) -> None:
        """Let steps depend on others instead, in the order of the list, each once and none on itself."""
        for index in among:
            step = self.steps[index]
            if self.is_gone(index) or not any(needed in instead for needed in step.depends_on):
                continue
            wanted = {instead.get(needed, needed) for needed in step.depends_on} - {step.step_id}
            self.change(index, depends_on=self.in_order(wanted))

    def in_order(self, step_ids: set[StepId]) -> tuple[StepId, ...]:
        """Ids of steps in the order of the list."""
        return tuple(sorted(step_ids, key=lambda step_id: self.places.get(step_id, len(self.steps))))

    def stand_for(self, place: int, others: Sequence[StepId]) -> None:
        """Note in a step's annotations which steps it took in."""
        notes = self.steps[place].annotations
        earlier = notes.get("stands_for")  # anybody may write annotations
        earlier = earlier if isinstance(earlier, list) else []
        self.change(place, annotations={**notes, "stands_for": [*earlier, *others]})

    def _at(self, place: int) -> Path:
        return (*self.path, place - bisect_left(self._gone, place))


def dependants_of(steps: Sequence[Step]) -> dict[StepId, list[int]]:
    """For each step, the places of those that depend on it."""
    found: dict[StepId, list[int]] = {}
    for index, step in enumerate(steps):
        for needed in dict.fromkeys(step.depends_on):
            found.setdefault(needed, []).append(index)
    return found


def reaches(
    steps: Sequence[Step], places: Mapping[StepId, int], start: int, goals: set[int], *, through: set[int]
) -> bool:
    """Whether a step rests on one of the goals by way of steps that are not among `through`."""
    waiting = [places[needed] for needed in steps[start].depends_on if needed in places]
    waiting = [index for index in waiting if index not in through]
    seen: set[int] = set()
    while waiting:
        reached = waiting.pop()
        if reached in seen:
            continue
        seen.add(reached)
        for other in steps[reached].depends_on:
            place = places.get(other)
            if place is None:
                continue
            if place in goals:
                return True
            if place not in through:
                waiting.append(place)
    return False
