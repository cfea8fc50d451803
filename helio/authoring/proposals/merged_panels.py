"""Merge two changes of the panels of a figure, and give the settings of panels the panels' new numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helio.pipelines.changes import ABSENT
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import AT_PANEL, BY_NUMBER, ENTRIES, PER_PANEL, panel_of
from helio.pipelines.template.shown_values import same, shown

Panel = list[str]
OF_PANELS = BY_NUMBER | PER_PANEL | AT_PANEL
"""Keys of a figure whose value names panels by number, or has one item for each panel."""
BEFORE, AFTER, NOW = range(3)


class Arrangement:
    """The panels of a figure before and after a change and as they are now, and the panels with both changes.

    A panel keeps its identity if its lines stay, if it keeps a line, or if another panel takes its number.

    Parameters
    ----------
    before, after, now : dict
        The settings of the figure on each side; each has ``panels``, lists of labels.
    """

    def __init__(self, before: Document, after: Document, now: Document) -> None:
        sides = [side["panels"] for side in (before, after, now)]
        old = sides[BEFORE]
        # a panel's name: its index before the change, or the text of a new panel
        self._names: list[list[int | str]] = [list(range(len(old)))]
        self._names += [_names(old, panels) for panels in sides[AFTER:]]
        contents = [dict(zip(*pair, strict=True)) for pair in zip(self._names, sides, strict=True)]
        self.conflict = ""
        """Why the two changes cannot both be made; empty if they can."""
        self.merged: list[Panel] = []
        """The panels with both changes."""
        self._numbers: dict[int | str, int] = {}
        for name in self._order():
            versions = [content.get(name) for content in contents]
            lines = _lines(*versions)
            if lines is None:
                state = "no longer there" if versions[NOW] is None else f"now {shown(versions[NOW])}"
                self.conflict = self.conflict or f"the panel of {shown(contents[BEFORE][name])} is {state}"
            elif lines:
                self.merged.append(lines)
                self._numbers[name] = len(self.merged)
        kept = self._names[AFTER][: len(old)]
        has_entries = any(side.get(key) for side in (before, after) for key in ENTRIES)
        self.moves_panels = kept != self._names[BEFORE] or (has_entries and len(sides[AFTER]) != len(old))
        """Whether the proposed change gives a panel another number or removes one, so that settings follow."""

    def number(self, side: int, number: int) -> int | None:
        """Return the merged number of a panel from its number on one side; None if the panel is gone."""
        names = self._names[side]
        if number > len(names):  # of an entry, whose panel stands below
            return number - len(names) + len(self.merged)
        return self._numbers.get(names[number - 1]) if number > 0 else None

    def renamed(self, side: int, key: str, name: str) -> str | None:
        """Return the name of a setting in the merged figure: ``"3 right"`` for ``"2 right"``; None without a panel."""
        number = panel_of(key, name)
        if not number.isdecimal():
            return name
        new = self.number(side, int(number))
        return None if new is None else name.replace(number, str(new), 1)

    def renumbered(self, side: int, key: str, value: Any) -> Any:
        """Return the value of a key of `OF_PANELS` with the merged numbers, without the panels that are gone.

        A list with an item for each panel becomes an object with numbers as keys.
        """
        if isinstance(value, dict):
            names = ((self.renamed(side, key, name), item) for name, item in value.items())
            return {name: item for name, item in names if name is not None}
        if key in PER_PANEL and isinstance(value, list):
            numbers = ((self.number(side, at), item) for at, item in enumerate(value, 1))
            return {number: item for number, item in numbers if number is not None}
        if key in AT_PANEL and isinstance(value, list):
            marks = [self._on_panel(side, mark) for mark in value]
            return [mark for mark in marks if mark is not None]
        if key == "log_scale" and isinstance(value, int):
            return self.number(side, value) or ABSENT
        return value

    def _on_panel(self, side: int, mark: Any) -> Any:
        if not isinstance(mark, dict) or not isinstance(mark.get("panel"), int):
            return mark
        number = self.number(side, mark["panel"])
        return None if number is None else {**mark, "panel": number}

    def _order(self) -> list[int | str]:
        before, after, now = self._names
        moved, present = (
            [name for name in names if name in after and name in before and name in now]
            for names in (after, now)
        )
        order = list(now)
        if moved != present and moved != sorted(moved, key=before.index):
            if now != before:
                self.conflict = "its panels now have another order"
            order = [*after, *(name for name in before if name not in after)]
        for at, name in enumerate(after):
            if name not in order:
                below = next((order.index(other) for other in after[at + 1 :] if other in order), len(order))
                order.insert(below, name)
        return order


def both(old: Any, new: Any, present: Any) -> Any:
    """Return a value with two changes, or None if they differ at the same place.

    Parameters
    ----------
    old, new, present : Any
        The value before and after one change, and after the other. Objects are compared key by key; of lists the
        same items are removed and added.
    """
    if _alike(old, new) or _alike(present, new):
        return present
    if _alike(present, old):
        return new
    empty: Any = {} if isinstance(present, dict) else []
    old, new = (empty if value is ABSENT else value for value in (old, new))
    if all(isinstance(value, dict) for value in (old, new, present)):
        keys = dict.fromkeys([*present, *new])
        merged = {key: both(*(side.get(key, ABSENT) for side in (old, new, present))) for key in keys}
        if None in merged.values():
            return None
        return {key: value for key, value in merged.items() if value is not ABSENT}
    if all(isinstance(value, list) for value in (old, new, present)):
        gone = [item for item in old if item not in new]
        if any(item not in present for item in gone):
            return None
        kept = [item for item in present if item not in gone]
        return [*kept, *(item for item in new if item not in old and item not in kept)]
    return None


def are_panels(value: Any) -> bool:
    """Return whether a value is a list of panels, each a list of labels."""
    return isinstance(value, list) and all(
        isinstance(panel, list) and all(isinstance(label, str) for label in panel) for panel in value
    )


def as_list(value: Any) -> Any:
    """Return an object with the numbers from 1 as keys as the list of its values; None if a number is missing.

    Any other value stays as it is.
    """
    if not isinstance(value, dict) or not any(isinstance(key, int) for key in value):
        return value
    return (
        [value[at] for at in range(1, len(value) + 1)]
        if set(value) == set(range(1, len(value) + 1))
        else None
    )


def _names(old: Sequence[Panel], new: Sequence[Panel]) -> list[int | str]:
    """Name each new panel by the index of the old panel that it continues, or by its text."""
    free = dict(enumerate(old))
    names: list[int | str] = [shown(panel) for panel in new]

    def take(at: int, index: int | None) -> None:
        if index is not None:
            names[at] = index
            del free[index]

    def unnamed() -> list[tuple[int, Panel]]:
        return [(at, panel) for at, panel in enumerate(new) if isinstance(names[at], str)]

    for at, panel in unnamed():
        take(at, next((index for index in free if free[index] == panel), None))
    for at, panel in unnamed():
        take(at, next((index for index in free if not set(panel).isdisjoint(free[index])), None))
    for at, _ in unnamed() if len(new) == len(old) else ():
        take(at, at if at in free else None)
    return names


def _lines(old: Panel | None, new: Panel | None, present: Panel | None) -> Panel | None:
    """Return the lines of a panel with two changes: none if it was removed, None if the changes conflict."""
    if old is None:
        return new if present is None else present
    if new in (old, present):
        return present or []
    if present == old:
        return new or []
    if new is None or present is None or not all(side[: len(old)] == old for side in (new, present)):
        return None
    return [*present, *(label for label in new if label not in present)]


def _alike(left: Any, right: Any) -> bool:
    return left is right if ABSENT in (left, right) else same(left, right)
