"""Named levels of space weather, drawn as horizontal lines: storms, flare classes, Kp and proton events.

The levels are those of NOAA's space weather scales (https://www.swpc.noaa.gov/noaa-scales-explanation), of the GOES
flare classes, and of Gonzalez et al. (1994), https://doi.org/10.1029/93JA02867, for moderate and intense storms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from helio.errors import StepError
from helio.steps.quantity import advice_on_units, equal_units
from helio.steps.render.panel import Panel
from helio.steps.render.spec import FigureSpec, HLine, LevelName, Levels
from helio.steps.signature import Text
from helio.store.table import Table

_STEPS = ("#c9a600", "#e69f00", "#f46d00", "#e00000", "#b30000")
"""Colours of five levels, from the weakest to the strongest."""


@dataclass(frozen=True)
class Scale:
    """The levels of a quantity, from the weakest to the strongest, with the names and the colours of the levels.

    Parameters
    ----------
    quantity : str
        What the panel must show, for messages.
    units : tuple of str
        Spellings of the unit; the first is for messages, empty for no unit.
    pattern : str
        Regular expression for the names and labels of tables with this quantity.
    other : str
        Regular expression for tables that `pattern` matches but that have another quantity.
    most : float
        The highest value that the quantity can have.
    classes : bool
        Whether a level is the lower end of a class, so that the class of the lowest value is shown too.
    """

    quantity: str
    units: tuple[str, ...]
    pattern: str
    values: tuple[float, ...]
    names: tuple[str, ...]
    colours: tuple[str, ...]
    other: str = r"(?!)"
    most: float = np.inf
    classes: bool = False

    def shows(self, label: str, table: Table) -> bool:
        """Return whether a table has this quantity, as its label, its name or a component says."""
        words = (label, table.name, table.description, *table.components)
        matches = any(re.search(self.pattern, text, re.IGNORECASE) for text in words)
        return matches and not any(re.search(self.other, text, re.IGNORECASE) for text in words)

    def check(self, label: str, table: Table, where: str) -> None:
        """Refuse a table in another unit, or with values that the quantity cannot have.

        Raises
        ------
        StepError
            With advice on how to convert the table.
        """
        if not any(equal_units(table.unit, unit) for unit in self.units):
            raise StepError(
                f"{where}: the levels are for {self.quantity} in {self.units[0] or 'no unit'}, but '{label}' is in "
                f"{table.unit or 'no unit'}",
                advice=advice_on_units(table.unit, self.units[0] or "1"),
            )
        highest = float(np.nanmax(table.values)) if np.isfinite(table.values).any() else 0.0
        if highest > self.most:
            raise StepError(
                f"{where}: '{label}' reaches {highest:g}, but {self.quantity} is never above {self.most:g}",
                advice='the file may have ten times the index, as OMNI has: rescale with factor 0.1 and unit "1"',
            )

    def drawn(self, low: float, high: float, *, within: bool) -> Iterator[int]:
        """Yield the positions of the levels to draw between two values.

        Parameters
        ----------
        within : bool
            Whether only levels between the values are drawn; otherwise the next stronger level is drawn too.
        """
        sign = 1.0 if self.values[-1] > self.values[0] else -1.0
        weakest, strongest = (low, high) if sign > 0 else (-high, -low)
        reached = [number for number, value in enumerate(self.values) if sign * value <= strongest]
        if within:
            yield from (number for number in reached if sign * self.values[number] >= weakest)
            return
        first = max((number for number in reached if sign * self.values[number] <= weakest), default=0)
        yield from range(first if self.classes else 0, min(len(reached) + 1, len(self.values)))


SCALES: Mapping[LevelName, Scale] = {
    "storms": Scale(
        "Dst or SYM-H",
        ("nT",),
        r"(?<![a-z])(dst|sym[-_ /]?h)(?![a-z])",
        (-50, -100, -250),
        ("moderate", "intense", "super"),
        ("#e69f00", "#e00000", "mediumorchid"),
    ),
    "flares": Scale(
        "the X-ray flux at 0.1–0.8 nm",
        ("W/m^2",),
        r"x[-_ ]?ray|xrs[-_ ]?b|(?<!\d)0\.1 ?[-–] ?0\.8",
        (1e-8, 1e-7, 1e-6, 1e-5, 1e-4),
        ("A", "B", "C", "M", "X"),
        ("grey", "grey", "grey", "#f46d00", "#e00000"),
        other=r"xrs[-_ ]?a|0\.05 ?[-–] ?0\.4",
        classes=True,
    ),
    "Kp": Scale(
        "Kp",
        ("",),
        r"(?<![a-z])kp(?![a-z])",
        (5, 6, 7, 8, 9),
        ("G1", "G2", "G3", "G4", "G5"),
        _STEPS,
        most=9,
    ),
    "protons": Scale(
        "protons above 10 MeV",
        ("cm^-2 s^-1 sr^-1", "pfu"),
        r"(?<![\d.–-])10 ?mev",
        (10, 1e2, 1e3, 1e4, 1e5),
        ("S1", "S2", "S3", "S4", "S5"),
        _STEPS,
    ),
}
"""The named levels that a figure's spec may draw."""


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
        return [panels[number - 1]]
    showing = [
        panel
        for panel in panels
        if any(scale.shows(label, table) for label, table in panel.on_y_axis.items())
    ]
    if not showing:
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
