"""Make the changes of a proposal to a template that has changed since, and name the changes that conflict."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from helio.authoring.proposals.merged_panels import (
    AFTER,
    BEFORE,
    NOW,
    OF_PANELS,
    Arrangement,
    are_panels,
    as_list,
    both,
)
from helio.errors import RequestError
from helio.pipelines.changes import ABSENT, changes
from helio.pipelines.dialect.written import written_steps
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import AT_PANEL, BY_NUMBER, PER_PANEL, STYLE
from helio.pipelines.template.shown_values import same, shown

Place = tuple[str | int, ...]
"""The keys to a value in a template; a step is named by its id."""
_STEP_LISTS = ("steps", "block")
_MERGED = AT_PANEL | PER_PANEL | {"labels"}
"""Keys of a figure whose items are removed and added one by one."""


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
    figures = _Figures(before, after, now)
    places: dict[Place, list[int]] = {}
    for number, change in enumerate(every, 1):
        for path in (change.path, *change.implied):
            numbers = places.setdefault(figures.together(_place(path, before, after)), [])
            numbers += [] if number in numbers else [number]
    result = deepcopy(now)
    conflicts: list[str] = []
    # the panels first: they decide about the numbers of all settings
    for place, numbers in sorted(places.items(), key=lambda item: item[0] not in figures.panels):
        here = [number for number in numbers if number in wanted]
        if not here:
            continue
        if len(here) < len(numbers):
            together = ", ".join(map(str, numbers))
            raise RequestError(
                f"changes {together} belong together", advice=f"choose all of {together}, or none"
            )
        change = every[here[0] - 1]
        if place in figures.panels:
            problem = figures.put(result, place)
            conflicts += [f"{change}, but {problem}"] if problem else []
            continue
        there = figures.moved(place)
        if there is None:
            conflicts.append(f"{change}, but this panel is no longer there")
            continue
        old, new, present = figures.values(place, there, result)
        if _alike(present, new):
            continue
        if place[-1] in _MERGED and (value := as_list(both(old, new, present))) is not None:
            old, new = present, value
        elif _only_grew(old, new) and _only_grew(old, present):
            old, new = present, _extended(present, new[len(old) :])
        if not _alike(present, old) or not _can_hold(result, there):
            state = "is no longer there" if present is ABSENT else f"is now {_short(present)}"
            conflicts.append(f"{change}, but it {state}")
        elif place == ("steps",):
            order = [step.get("step_id") for step in after["steps"]]
            last = len(order)
            result["steps"].sort(key=lambda step: _index(order, step.get("step_id"), last))
        else:
            _put(result, there, new, after)
    if conflicts:
        raise Conflict("; ".join(conflicts))
    return result


class _Figures:
    """The figures whose panels a proposal names, with the panels' numbers in the merged template."""

    def __init__(self, before: Document, after: Document, now: Document) -> None:
        self._sides = (before, after, now)
        self._arranged: dict[Place, Arrangement] = {}
        self.panels: dict[Place, Place] = {}
        """From the place of a figure's panels to the place of the figure."""
        steps = [(step, step.id) for step in written_steps(after) if step.id is not None]
        for _, step_id in steps:
            args: Place = ("steps", step_id, "tool_args")
            for figure in (args, (*args, "spec")):
                specs = [_value(template, figure) for template in self._sides]
                if all(isinstance(spec, dict) and are_panels(spec.get("panels")) for spec in specs):
                    self._arranged[figure] = Arrangement(*specs)
                    self.panels[*figure, "panels"] = figure
        drawn = tuple(self._arranged.values())
        for step, step_id in steps:
            if step.tool == STYLE and len(drawn) == 1:
                self._arranged["steps", step_id, "tool_args"] = drawn[0]

    def of(self, place: Place) -> Place:
        """Return the figure, or the style, of a setting of panels; empty for any other place."""
        for depth, keys in ((1, OF_PANELS), (2, BY_NUMBER)):
            if place[-depth:][:1] and place[-depth:][0] in keys and place[:-depth] in self._arranged:
                return place[:-depth]
        return ()

    def together(self, place: Place) -> Place:
        """Return the place of the panels for a setting that follows them, because the proposal moves panels."""
        arrangement = self._arranged.get(self.of(place))
        if arrangement is None or not arrangement.moves_panels:
            return place
        return next(panels for panels, figure in self.panels.items() if self._arranged[figure] is arrangement)

    def put(self, result: Document, place: Place) -> str:
        """Put the merged panels into a figure and renumber its settings; return why this is impossible, or ""."""
        arrangement = self._arranged[self.panels[place]]
        if arrangement.conflict:
            return arrangement.conflict
        after = self._sides[AFTER]
        _put(result, place, arrangement.merged, after)
        for figure in [figure for figure, one in self._arranged.items() if one is arrangement]:
            for key in sorted(OF_PANELS):
                sides = [_value(template, (*figure, key)) for template in (*self._sides[:NOW], result)]
                old, new, present = (
                    arrangement.renumbered(side, key, value) for side, value in enumerate(sides)
                )
                value = as_list(both(old, new, present) if arrangement.moves_panels else present)
                if value is None:
                    return f"'{key}' is now {_short(sides[NOW])}"
                if not _alike(value, sides[NOW]):
                    _put(result, (*figure, key), value, after)
        return ""

    def moved(self, place: Place) -> Place | None:
        """Return where a setting of a panel stands in the merged template: ``("y_label", "5")`` for the fourth."""
        figure = self.of(place)
        if len(place) != len(figure) + 2 or not figure:
            return place
        side = BEFORE if _value(self._sides[AFTER], place) is ABSENT else AFTER
        name = self._arranged[figure].renamed(side, str(place[-2]), str(place[-1]))
        return None if name is None else (*place[:-1], name)

    def values(self, place: Place, there: Place, result: Document) -> tuple[Any, Any, Any]:
        """Return the value at a place before and after the proposal and now, with the numbers of the merged panels."""
        old, new, now = (_value(template, place) for template in self._sides)
        figure, key = self.of(place), str(place[-1])
        if not figure:
            return old, new, now
        present = _value(result, there)
        if len(place) == len(figure) + 1:
            old, new = (
                self._arranged[figure].renumbered(side, key, value) for side, value in enumerate((old, new))
            )
            if key in PER_PANEL and isinstance(present, list):
                present = dict(enumerate(present, 1))
        return old, new, present


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
