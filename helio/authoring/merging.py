"""Make the changes of a proposal to a template that has changed since, and name the changes that conflict."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from helio.errors import RequestError
from helio.pipelines.changes import ABSENT, Change, changes
from helio.pipelines.template.document import Document
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
        places.setdefault(_place(change, before, after), []).append(number)
    result = deepcopy(now)
    conflicts: list[str] = []
    for place, numbers in places.items():
        here = [number for number in numbers if number in wanted]
        if not here:
            continue
        if len(here) < len(numbers):
            together = ", ".join(map(str, numbers))
            raise RequestError(
                f"changes {together} belong together", advice=f"choose all of {together}, or none"
            )
        old, new, present = (_value(template, place) for template in (before, after, now))
        if _alike(present, new):
            continue
        if not _alike(present, old) or not _can_hold(result, place):
            found = "is no longer there" if present is ABSENT else f"is now {_short(present)}"
            conflicts.append(f"{every[here[0] - 1]}, but it {found}")
        elif place == ("steps",):
            order = [step.get("step_id") for step in after["steps"]]
            last = len(order)
            result["steps"].sort(key=lambda step: _index(order, step.get("step_id"), last))
        else:
            _put(result, place, new, after)
    if conflicts:
        raise Conflict("; ".join(conflicts))
    return result


def _wanted(chosen: Sequence[int], count: int) -> set[int]:
    unknown = [number for number in chosen if number not in range(1, count + 1)]
    if unknown:
        raise RequestError(
            f"the proposal has no change {unknown[0]}",
            advice=f"choose from 1 to {count}, as `helio proposals show` numbers the changes",
        )
    return set(chosen) or set(range(1, count + 1))


def _place(change: Change, before: Document, after: Document) -> Place:
    """Return where a change applies: a list is one value, and so is a step whose tool changes."""
    place: Place = ()
    values: list[Any] = [before, after]
    for key in change.path:
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


def _alike(one: Any, other: Any) -> bool:
    return one is other if ABSENT in (one, other) else same(one, other)


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
