"""Scales of space weather: storms, flare classes, Kp and proton events.

The levels are those of NOAA's space weather scales (https://www.swpc.noaa.gov/noaa-scales-explanation), of the GOES
flare classes, and of Gonzalez et al. (1994), https://doi.org/10.1029/93JA02867, for moderate and intense storms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from helio.errors import StepError
from helio.steps.quantity import advice_on_units, equal_units
from helio.steps.render.spec import LevelName
from helio.store.table import Table

_STEPS = ("#c9a600", "#e69f00", "#f46d00", "#e00000", "mediumorchid")
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

    def level_of(self, value: float) -> int | None:
        """Return the position of the strongest level that a value reaches; None if it reaches none."""
        sign = 1.0 if self.values[-1] > self.values[0] else -1.0
        return max(
            (number for number, level in enumerate(self.values) if sign * value >= sign * level), default=None
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
        # Kp has thirds: NOAA counts 5- (4.67, or 4.7) to 5+ as 5, but 9- as 8.
        (4.66, 5.66, 6.66, 7.66, 9),
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
