"""Horizontal lines at values and at named levels, such as the storm levels of Dst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from helio.errors import StepError
from helio.steps.render.panel import Panel
from helio.steps.render.scales import SCALES
from helio.steps.render.spec import FigureSpec, HLine, Levels
from helio.steps.signature import Text


@dataclass(frozen=True)
class HorizontalLine:
    """A horizontal line, its place in the figure's spec for messages, and whether it is a named level."""

    where: str
    entry: HLine
    named: bool = False

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
            lines += [
                HorizontalLine(where, line, named=True)
                for panel in _panels_of(named, panels, where)
                for line in _lines_in(panel, named, where)
            ]
        else:
            lines.append(HorizontalLine(where, entry))
    return lines


def with_room(panels: Sequence[Panel], lines: Sequence[HorizontalLine]) -> list[Panel]:
    """Return the panels of a figure, with y axes that reach to the named levels."""
    leveled = {line.panel for line in lines if line.named}
    reach = {
        number: tuple(line.entry["y"] for line in lines if "y" in line.entry and line.panel == number)
        for number in leveled
    }
    return [replace(panel, reach=reach[panel.number]) if panel.number in reach else panel for panel in panels]


def _panels_of(named: Levels, panels: Sequence[Panel], where: str) -> list[Panel]:
    name = named["levels"]
    if name not in SCALES:
        raise StepError(
            f"{where}: no levels are called '{name}'", advice=f"choose one of {', '.join(sorted(SCALES))}"
        )
    scale = SCALES[name]
    if "panel" in named:
        number = named["panel"]
        if not 1 <= number <= len(panels):
            raise StepError(
                f"{where}: there is no panel {number}", advice=f"choose a panel from 1 (top) to {len(panels)}"
            )
        return [] if panels[number - 1].nothing is not None else [panels[number - 1]]
    showing = [
        panel
        for panel in panels
        if any(scale.shows(label, table) for label, table in panel.on_y_axis.items())
    ]
    if not showing and all(panel.nothing is None for panel in panels):
        raise StepError(
            f"{where}: no panel shows {scale.quantity} in its name, so helio does not know where to draw '{name}'",
            advice=f'name the panel: {{"levels": "{name}", "panel": 1}}',
        )
    return showing


def _lines_in(panel: Panel, named: Levels, where: str) -> Iterator[HLine]:
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
        yield line
