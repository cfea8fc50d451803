"""Read numbers with units, and conditions on them, as templates write them: ``-100 nT``, ``> 1e-4 W/m^2``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError, UnitMismatch
from helio.steps.quantity import advice_on_units
from helio.store.table import Table

_AMOUNT = re.compile(
    r"(?P<number>[+\-−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?)\s*(?P<unit>[^\s\d<>=].*)?"
)
_SIGN = re.compile(r"(<=?|>=?)\s*(.*)", re.DOTALL)


def amount(text: str, series: Table) -> float:
    """Return a number with a unit, such as ``-100 nT``, in the unit of a series.

    Raises
    ------
    StepError
        The text is not a number with a unit; the series has a unit and the number none, or the reverse.
    UnitMismatch
        The unit measures another quantity than that of the series.
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise StepError(
            f"'{text}' is not a number with a unit", advice=f"write, for example, '{_example(series)}'"
        )
    number, unit = match["number"].replace("\N{MINUS SIGN}", "-"), match["unit"] or ""
    if bool(unit) != bool(series.unit):
        has, has_not = ("number", "series") if unit else ("series", "number")
        raise StepError(
            f"'{text}' cannot be compared with '{series.name}': the {has} has the unit {unit or series.unit}, "
            f"the {has_not} has none",
            advice="leave out the unit; if the missing unit is known, state it with the tool declare_quantity"
            if unit
            else f"write '{text.strip()} {series.unit}'",
        )
    from helio.knowledge.unit_algebra import conversion_factor

    try:
        return float(number) * conversion_factor(unit, series.unit)
    except UnitMismatch as error:
        raise UnitMismatch(
            f"'{text}' cannot be compared with '{series.name}', which is in {series.unit}",
            advice=advice_on_units(unit, series.unit),
        ) from error


@dataclass(frozen=True)
class Level:
    """A condition on the values of a series: above or below a level.

    Parameters
    ----------
    above : bool
        Whether values above the level meet the condition; otherwise values below it.
    inclusive : bool
        Whether the level itself meets it.
    value : float
        The level, in the unit of the series.
    text : str
        The condition as the template writes it.
    """

    above: bool
    inclusive: bool
    value: float
    text: str

    def meets(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return for each value whether it meets the condition; a missing value never meets it."""
        with np.errstate(over="ignore"):  # beyond float32 nothing is greater, which infinity says as well
            level = np.asarray(self.value).astype(values.dtype)  # 0.1 is equal to a float32 0.1
        if self.above:
            return np.asarray(values >= level if self.inclusive else values > level, dtype=bool)
        return np.asarray(values <= level if self.inclusive else values < level, dtype=bool)

    def opposite(self) -> Level:
        """Return the condition that all other values meet."""
        return Level(not self.above, not self.inclusive, self.value, f"not {self.text}")


def level(text: str, series: Table) -> Level:
    """Read a condition such as ``< -100 nT``, with its level in the unit of a series.

    Raises
    ------
    StepError, UnitMismatch
        As `amount`; the text does not begin with ``<``, ``<=``, ``>`` or ``>=``.
    """
    match = _SIGN.fullmatch(text.strip())
    if match is None:
        raise StepError(f"'{text}' is not a condition", advice=f"write, for example, '> {_example(series)}'")
    sign, number = match.groups()
    return Level(">" in sign, "=" in sign, amount(number, series), " ".join(text.split()))


def _example(series: Table) -> str:
    return f"100 {series.unit}".strip()
