"""Make the changes of a proposal to a template that has changed since, and name the changes that conflict."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from helio.errors import RequestError
from helio.pipelines.changes import ABSENT, changes
from helio.pipelines.dialect.written import written_steps
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import AT_PANEL, BY_NUMBER, PER_PANEL, STYLE, panel_of
from helio.pipelines.template.shown_values import same, shown

Place = tuple[str | int, ...]
"""The keys to a value in a template; a step is named by its id."""
_STEP_LISTS = ("steps", "block")


class Conflict(RequestError):
    """Error: the template has another value where a proposal changes it."""


def merged(before: Document, after: Document, now: Document, chosen: Sequence[int] = ()) -> Document:
    """Make the changes from `before` to `after` in the template `now`, and return the changed copy.

    Parameters
    ----------
    chosen : sequence of int
        Numbers of the changes to make, from 1, in the order of `changes`. Default: all.

    Raises
    ------
    RequestError
        There is no change of that number, or a chosen change belongs together with another one.
    Conflict
        `now` differs from `before` where a chosen change applies; the message names these places.
    """
    every = changes(before, after)
    wanted = _wanted(chosen, len(every))
    places: dict[Place, list[int]] = {}
    for number, change in enumerate(every, 1):
        for path in (change.path, *change.implied):
            places.setdefault(_place(path, before, after), []).append(number)
    result = deepcopy(now)
    conflicts: list[str] = []
    panels = _PanelNumbers(before, after, now)
    for place, numbers in places.items():
        here = [number for number in numbers if number in wanted]
        if not here:
            continue
        if len(here) < len(numbers):
            together = ", ".join(map(str, numbers))
            raise RequestError(
                f"changes {together} belong together", advice=f"choose all of {together}, or none"
            )
        there = panels.moved(place)
        old, new, present = _value(before, place), _value(after, place), _value(now, there)
        same_addition = _alike(present, new) and place[:-1] not in panels.figures
        if not same_addition and _only_grew(old, new) and _only_grew(old, present):
            added = [panels.with_number(place, value) for value in new[len(old) :]]
            new = [*present, *added] if place[-1] in PER_PANEL else _extended(present, added)
            old = present
        if _alike(present, new):
            continue
        if not _alike(present, old) or not _can_hold(result, there):
            state = "is no longer there" if present is ABSENT else f"is now {_short(present)}"
            conflicts.append(f"{every[here[0] - 1]}, but it {state}")
        elif place == ("steps",):
            order = [step.get("step_id") for step in after["steps"]]
            last = len(order)
            result["steps"].sort(key=lambda step: _index(order, step.get("step_id"), last))
        else:
            _put(result, there, new, after)
    if conflicts:
        raise Conflict("; ".join(conflicts))
    return result


class _PanelNumbers:
    """New numbers of the panels that a proposal adds to a figure, if other panels were added to it meanwhile."""

    def __init__(self, before: Document, after: Document, now: Document) -> None:
        # the path to the settings of a figure -> number of a panel in the proposal -> its number in the merged figure
        self.figures: dict[Place, dict[int, int]] = {}
        steps = [(step, step.id) for step in written_steps(after) if step.id is not None]
        for _, step_id in steps:
            args: Place = ("steps", step_id, "tool_args")
            for figure in (args, (*args, "spec")):
                old, new, present = (
                    _value(template, (*figure, "panels")) for template in (before, after, now)
                )
                if _only_grew(old, new) and _only_grew(old, present):
                    drawn = _extended(present, new[len(old) :])
                    numbers = {number: drawn.index(panel) + 1 for number, panel in enumerate(new, 1)}
                    if any(number != moved for number, moved in numbers.items()):
                        self.figures[figure] = numbers
        figures = tuple(self.figures.values())
        for step, step_id in steps:
            if step.tool == STYLE and len(figures) == 1:
                self.figures["steps", step_id, "tool_args"] = figures[0]

    def moved(self, place: Place) -> Place:
        """Return where the setting of a panel stands in the changed template: ``("y_label", "5")`` for the fourth."""
        numbers = self.figures.get(place[:-2], {})
        if len(place) < 2 or place[-2] not in BY_NUMBER or not numbers:
            return place
        key, name = str(place[-2]), str(place[-1])
        number = panel_of(key, name)
        new = numbers.get(int(number)) if number.isdigit() else None
        return (*place[:-1], name.replace(number, str(new), 1)) if new else place

    def with_number(self, place: Place, mark: Any) -> Any:
        """Return a mark of a figure, such as a line at a value, with the new number of its panel."""
        numbers = self.figures.get(place[:-1], {})
        if place[-1] not in AT_PANEL or not isinstance(mark, dict) or mark.get("panel") not in numbers:
            return mark
        return {**mark, "panel": numbers[mark["panel"]]}


def _only_grew(old: Any, new: Any) -> bool:
    """Return whether a list still begins with everything that the old list contains."""
    return isinstance(old, list) and isinstance(new, list) and same(new[: len(old)], old)


def _extended(values: list[Any], more: Sequence[Any]) -> list[Any]:
    return [*values, *(value for value in more if value not in values)]


def _wanted(chosen: Sequence[int], count: int) -> set[int]:
    unknown = [number for number in chosen if number not in range(1, count + 1)]
    if unknown:
        raise RequestError(
            f"the proposal has no change {unknown[0]}",
            advice=f"choose from 1 to {count}, as the review numbers the changes"
            if count > 1
            else "it has only one change: accept it without numbers",
        )
    return set(chosen) or set(range(1, count + 1))


def _place(path: Place, before: Document, after: Document) -> Place:
    """Return where a change applies: a list is one value, and so is a step whose tool changes."""
    place: Place = ()
    values: list[Any] = [before, after]
    for key in path:
        if any(isinstance(value, list) for value in values) and (not place or place[-1] not in _STEP_LISTS):
            break
        place = (*place, key)
        values = [_child(value, key) for value in values]
        tools = [value.get("tool_name") for value in values if isinstance(value, dict) and "step_id" in value]
        if len(tools) == 2 and tools[0] != tools[1]:
            break
    return place


def _child(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key, ABSENT)
    if isinstance(value, list):
        return next(
            (step for step in value if isinstance(step, dict) and same(step.get("step_id"), key)), ABSENT
        )
    return ABSENT


def _value(template: Document, place: Place) -> Any:
    value: Any = template
    for key in place:
        value = _child(value, key)
    return [step.get("step_id") for step in value] if place == ("steps",) else value


def _alike(left: Any, right: Any) -> bool:
    return left is right if ABSENT in (left, right) else same(left, right)


def _can_hold(template: Document, place: Place) -> bool:
    """Return whether the template has the steps that contain a place; objects in a step can be added."""
    value: Any = template
    for above, key in zip(("", *place), place[:-1], strict=False):
        value = _child(value, key)
        if value is ABSENT and above in _STEP_LISTS:
            return False
    return True


def _put(template: Document, place: Place, value: Any, after: Document) -> None:
    target: Any = template
    for key in place[:-1]:
        child = _child(target, key)
        if child is ABSENT:
            child = target[key] = {}
        target = child
    key = place[-1]
    if isinstance(target, list):
        _put_step(target, key, value, _value(after, place[:-1]) if len(place) > 2 else after["steps"])
    elif value is ABSENT:
        target.pop(key, None)
    else:
        target[key] = deepcopy(value)


def _put_step(steps: list[Document], name: str | int, value: Any, wanted: Sequence[Document]) -> None:
    """Replace, remove or add a step; a new step follows the step that it follows in the proposal."""
    ids = [step.get("step_id") for step in steps]
    at = next((index for index, step_id in enumerate(ids) if same(step_id, name)), None)
    if value is ABSENT:
        del steps[at or 0]
    elif at is not None:
        steps[at] = deepcopy(value)
    else:
        order = [step.get("step_id") for step in wanted]
        earlier = [step_id for step_id in order[: order.index(name)] if step_id in ids]
        steps.insert(ids.index(earlier[-1]) + 1 if earlier else 0, deepcopy(value))


def _index(order: Sequence[Any], name: Any, otherwise: int) -> int:
    return order.index(name) if name in order else otherwise


def _short(value: Any) -> str:
    text = shown(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
