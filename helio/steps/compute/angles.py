"""Angles that wrap: 180° and −180° are one direction, and so are 0° and 360°."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.steps.compute.shares import share
from helio.steps.compute.window_sums import Indices, counted_means
from helio.store.periods import is_angle_unit, period_of
from helio.store.table import Table

Values = npt.NDArray[np.float64]

NO_DIRECTION = 1e-9
"""If the mean of unit vectors is shorter than this number, the vectors cancel, and the mean has no direction."""


@dataclass(frozen=True, eq=False)
class WrappingColumns:
    """The columns of a series that hold angles that wrap, for which 359° is next to 1°.

    Parameters
    ----------
    columns : int64, shape (c,)
        Numbers of the columns.
    period : float64, shape (c,)
        The period of each column: 360, 2π or 24.
    """

    columns: npt.NDArray[np.int64]
    period: Values

    def __bool__(self) -> bool:
        return bool(self.columns.size)

    @property
    def by_column(self) -> dict[int, float]:
        """The period of the angles in each column (360 for degrees), by the index of the column."""
        return dict(zip(self.columns.tolist(), self.period.tolist(), strict=True))


def turning(series: Table) -> WrappingColumns:
    """Return the columns whose angles wrap; the metadata of the series decide, not the values."""
    periods = np.array([period or 0.0 for period in series.periods], dtype=np.float64)
    columns = np.flatnonzero(periods)
    return WrappingColumns(columns, periods[columns])


def within_turn(angles: Values, period: float | Values, negative: npt.NDArray[np.bool_]) -> Values:
    """Shift angles by full turns: into (−turn/2, turn/2] where an input was negative, otherwise into [0, turn).

    Parameters
    ----------
    angles : float64, shape (n, …)
    period : float or float64
        A full turn; must broadcast to the shape of `angles`.
    negative : bool, shape of `angles`
        Whether an input angle of each result was below zero. The result then lies in (−turn/2, turn/2], otherwise in
        [0, turn).
    """
    signed = angles - period * np.ceil(angles / period - 0.5)
    positive = angles - period * np.floor(angles / period)
    positive = np.where(positive >= period, 0.0, positive)  # a rounding error below zero makes a whole turn
    return np.asarray(np.where(negative, signed, positive), dtype=np.float64)


def undeclared(series: Table) -> tuple[str, ...]:
    """Return a note if a series may be an angle that wraps, but is averaged as plain numbers."""
    if series.periods or series.axes:
        return ()
    if not series.unit and period_of(series.name, "deg", description=series.description):
        return (
            f"'{series.name}' has the name of an angle but no unit, so it is averaged as a plain number; "
            'declare its unit with declare_quantity: unit "deg"',
        )
    if not is_angle_unit(series.unit):
        return ()
    return (
        f"'{series.name}' is in {series.unit}, but helio does not know whether it wraps after a full turn, so it is "
        'averaged as a plain number; to change this, set wraps to "yes" or "no" with the tool declare_quantity',
    )


def hold_no_turn(series: Table, *, purpose: str) -> None:
    """Refuse a series if one of its columns holds an angle that wraps.

    Raises
    ------
    StepError
        When a column has one: neither of 179° and −179° is the greater, and a step between them is not a jump.
    """
    wraps = turning(series)
    if wraps:
        component = series.components[wraps.columns[0]] if series.components else series.name
        raise StepError(
            f"'{component}' is an angle that wraps (179° and −179° are neighbours), so it cannot be {purpose}",
            advice="apply this step to the components of the vector, then compute the angle of the result",
        )


def mean_directions(series: Table, first: Indices, last: Indices) -> tuple[Values, tuple[str, ...]]:
    """Average the valid records from ``first[i]`` to ``last[i] - 1`` for every i; average angles as directions.

    Returns
    -------
    values : float64, shape (m, …)
        NaN where no record is valid, and where directions cancel. An infinite value is not valid.
    notes : tuple of str
        What was done to angles, and how many values were infinite.

    References
    ----------
    Mardia, K. V. & Jupp, P. E. (2000), Directional Statistics, ch. 2.2: the direction of the mean unit vector.
    """
    infinite = np.isinf(series.values)
    notes: tuple[str, ...] = ()
    if infinite.any():
        series = replace(series, values=np.where(infinite, np.nan, series.values))
        notes = (
            "infinite values are left out: "
            f"{share(int(np.count_nonzero(infinite)), infinite.size, 'values')}",
        )
    values = counted_means(series.values, first, last)
    wraps = turning(series)
    if not wraps:
        return values, (*notes, *undeclared(series))
    angles = columns_of(series.values)[:, wraps.columns]
    phase = angles * (2 * np.pi / wraps.period)
    sine, cosine = counted_means(np.sin(phase), first, last), counted_means(np.cos(phase), first, last)
    mean = np.arctan2(sine, cosine) * (wraps.period / (2 * np.pi))
    mean[np.hypot(sine, cosine) < NO_DIRECTION] = np.nan
    negative = counted_means((angles < 0).astype(np.float64), first, last) > 0
    values.reshape(values.shape[0], -1)[:, wraps.columns] = within_turn(mean, wraps.period, negative)
    return values, (
        *notes,
        "angles are averaged as directions: the mean of 179° and −179° is 180°",
    )


def shorter_way(difference: npt.NDArray[Any], period: float | Values) -> Values:
    """Shift differences of angles by full turns, so that they lie between −turn/2 and turn/2."""
    return np.asarray(difference - period * np.round(difference / period), dtype=np.float64)
