"""One list of steps being changed: each change is kept as guarded operations that apply one after another."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Any

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.figures import depends_on
from helio.pipelines.passes.edit import Operation, added, removed, replaced
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


class Draft:
    """A list of steps, addressed by the places they had at the start.

    Parameters
    ----------
    path : tuple
        Where the list stands: ``("steps",)``, or a block.
    steps : sequence of dict
        Left as they are; changed ones are copies.

    Examples
    --------
    >>> draft = Draft(("steps",), [{"step_id": 1, "critical": True}, {"step_id": 2, "depends_on": [1]}])
    >>> draft.remove(0)
    >>> draft.set(1, "depends_on", [])
    >>> [(one["op"], one["path"]) for one in draft.take()]
    [('test', '/steps/0'), ('remove', '/steps/0'), ('test', '/steps/0/depends_on'), ('replace', '/steps/0/depends_on')]
    """

    def __init__(self, path: Path, steps: Sequence[Document]) -> None:
        self.path = path
        self.steps: list[Document] = list(steps)
        self.places: dict[StepId, int] = {
            one["step_id"]: index
            for index, one in reversed(list(enumerate(steps)))
            if isinstance(one, dict) and isinstance(one.get("step_id"), (int, str))
        }
        self._gone: list[int] = []
        self._operations: list[Operation] = []

    def take(self) -> tuple[Operation, ...]:
        """The operations since they were last taken."""
        taken, self._operations = tuple(self._operations), []
        return taken

    def set(self, place: int, key: str, value: Any) -> None:
        """Give a step another value of a key."""
        step, at = self.steps[place], self._at(place, key)
        if key in step:
            if step[key] == value and type(step[key]) is type(value):
                return
            self._operations += replaced(at, step[key], value)
        else:
            self._operations += added(at, value)
        self.steps[place] = {**step, key: value}

    def unset(self, place: int, key: str) -> None:
        """Take a key from a step, if it is there."""
        step = self.steps[place]
        if key in step:
            self._operations += removed(self._at(place, key), step[key])
            self.steps[place] = {name: value for name, value in step.items() if name != key}

    def remove(self, place: int) -> None:
        """Take a step out of the list."""
        self._operations += removed(self._at(place), self.steps[place])
        insort(self._gone, place)

    def is_gone(self, place: int) -> bool:
        """Whether a step was taken out."""
        found = bisect_left(self._gone, place)
        return found < len(self._gone) and self._gone[found] == place

    def rewire(self, instead: Mapping[StepId, StepId], among: Sequence[int]) -> None:
        """Let steps depend on others instead, in the order of the list, each once and none on itself."""
        for place in among:
            needed = depends_on(self.steps[place])
            if self.is_gone(place) or not any(one in instead for one in needed):
                continue
            wanted = {instead.get(one, one) for one in needed} - {self.steps[place].get("step_id")}
            self.set(
                place, "depends_on", sorted(wanted, key=lambda one: self.places.get(one, len(self.steps)))
            )

    def stand_for(self, place: int, others: Sequence[StepId]) -> None:
        """Note in a step's annotations which steps it took in, for whoever looks for them."""
        kept = self.steps[place].get("annotations")
        kept = kept if isinstance(kept, dict) else {}
        earlier = kept.get("stands_for")
        earlier = earlier if isinstance(earlier, list) else []
        self.set(place, "annotations", {**kept, "stands_for": [*earlier, *others]})

    def _at(self, place: int, *parts: str | int) -> str:
        return pointer(*self.path, place - bisect_left(self._gone, place), *parts)


def dependants_of(steps: Sequence[Document]) -> dict[StepId, list[int]]:
    """For each step, the places of those that depend on it."""
    found: dict[StepId, list[int]] = {}
    for place, step in enumerate(steps):
        for one in dict.fromkeys(depends_on(step)):
            found.setdefault(one, []).append(place)
    return found


def reaches(
    steps: Sequence[Document], places: Mapping[StepId, int], start: int, goals: set[int], *, through: set[int]
) -> bool:
    """Whether a step rests on one of the goals by way of steps that are not among `through`."""
    waiting = [places[one] for one in depends_on(steps[start]) if one in places]
    waiting = [one for one in waiting if one not in through]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        for other in depends_on(steps[one]):
            place = places.get(other)
            if place is None:
                continue
            if place in goals:
                return True
            if place not in through:
                waiting.append(place)
    return False
