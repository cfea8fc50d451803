"""Horizontal lines at values and at named levels, such as the storm levels of Dst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from helio.errors import StepError, did_you_mean
from helio.steps.render.panel import Panel
from helio.steps.render.scales import SCALES, Scale
from helio.steps.render.spec import FigureSpec, HLine, Levels
from helio.steps.signature import Text


@dataclass(frozen=True)
class HorizontalLine:
    """A horizontal line in a figure.

    Parameters
    ----------
    where : str
        Its place in the figure's spec, for messages.
    named : bool
        Whether it is a named level.
    right : bool
        Whether its value is one of the panel's y axis at the right.
    boxed : bool
        Whether its label has a background.
    until : float, optional
        The value up to which the range beyond the line is shaded.
    """

    where: str
    entry: HLine
    named: bool = False
    right: bool = False
    boxed: bool = False
    until: float | None = None

    @property
    def panel(self) -> int:
        """The number of the line's panel."""
        return self.entry.get("panel", 1)


def horizontal_lines(spec: FigureSpec, panels: Sequence[Panel]) -> list[HorizontalLine]:
    """Return the horizontal lines of a figure's spec, and a line for each named level.

    Raises
    ------
    StepError
        No panel shows the quantity of named levels, or the panel has another unit.
    """
    lines: list[HorizontalLine] = []
    for entry_number, entry in enumerate(spec.get("hlines", []), 1):
        where = f"hlines: entry {entry_number}"
        if isinstance(entry, str):
            entry = Levels(levels=entry)
        if "levels" in entry:
            named = cast(Levels, entry)
            for side in _sides_of(named, panels, where):
                lines += _lines_in(side, named, where)
        else:
            right = entry.get("right", False)
            lines.append(HorizontalLine(where, entry, right=right, boxed=entry.get("box", right)))
    return lines


def with_room(panels: Sequence[Panel], lines: Sequence[HorizontalLine]) -> list[Panel]:
    """Return the panels of a figure, with y axes that reach to the named levels."""
    reach = {
        side: tuple(
            line.entry["y"] for line in lines if "y" in line.entry and (line.panel, line.right) == side
        )
        for side in {(line.panel, line.right) for line in lines if line.named}
    }
    return [
        replace(
            panel,
            reach=reach.get((panel.number, False), panel.reach),
            reach_right=reach.get((panel.number, True), panel.reach_right),
        )
        for panel in panels
    ]


def _sides_of(named: Levels, panels: Sequence[Panel], where: str) -> list[Panel]:
    """Return the panels in which named levels are drawn; for a y axis at the right, the panel with this axis."""
    name = named["levels"]
    if name not in SCALES:
        raise StepError(
            f"{where}: no levels are called '{name}'",
            advice=did_you_mean(name, SCALES, otherwise=f"choose one of {', '.join(sorted(SCALES))}"),
        )
    scale = SCALES[name]
    if "panel" in named:
        number = named["panel"]
        if not 1 <= number <= len(panels):
            raise StepError(
                f"{where}: there is no panel {number}", advice=f"choose a panel from 1 (top) to {len(panels)}"
            )
        panel = panels[number - 1]
        if panel.nothing is not None:
            return []
        return [side for side in _both_sides(panel) if _shows(side, scale)] or [panel]
    showing = [side for panel in panels for side in _both_sides(panel) if _shows(side, scale)]
    if not showing and all(panel.nothing is None for panel in panels):
        raise StepError(
            f"{where}: no panel shows {scale.quantity} in its name, so helio does not know where to draw '{name}'",
            advice=f'name the panel: {{"levels": "{name}", "panel": 1}}',
        )
    return showing


def _both_sides(panel: Panel) -> list[Panel]:
    return [panel, *(() if panel.right is None else [panel.right])]


def _shows(panel: Panel, scale: Scale) -> bool:
    return any(scale.shows(label, table) for label, table in panel.on_y_axis.items())


def _lines_in(panel: Panel, named: Levels, where: str) -> Iterator[HorizontalLine]:
    scale = SCALES[named["levels"]]
    if not panel.on_y_axis:
        raise StepError(
            f"{where}: the y axis of panel {panel.number} does not show {scale.quantity}",
            advice="choose a panel with lines or bars over time",
        )
    for label, table in panel.on_y_axis.items():
        scale.check(label, table, where)
    limits = panel.y_limits()
    low, high = limits or panel.extent
    for number in scale.drawn(low, high, within=limits is not None):
        line: HLine = {
            "y": scale.values[number],
            "panel": panel.number,
            "label": Text(scale.names[number]),
            "color": named.get("color", scale.colours[number]),
            "dash": named.get("dash", "dash"),
            "width": named.get("width", 1),
        }
        shaded = named.get("shaded", False)
        until = _end_of(number, scale, low, high, log=panel.log_y) if shaded else None
        boxed = named.get("box", shaded or panel.at_right)
        yield HorizontalLine(where, line, named=True, right=panel.at_right, boxed=boxed, until=until)


def _end_of(number: int, scale: Scale, low: float, high: float, *, log: bool) -> float:
    """Return the value at which the range of a level ends: at the next one, or beyond the end of the axis."""
    if number + 1 < len(scale.values):
        return scale.values[number + 1]
    value = scale.values[number]
    if scale.values[-1] < scale.values[0]:
        return 2 * min(low, value) - max(high, value)
    if log:
        return 100 * max(high, value)
    return 2 * max(high, value) - min(low, value)
