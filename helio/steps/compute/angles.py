"""Angles that go round: 180° and −180° are one direction, and so are 0° and 360°."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.steps.compute.shares import share
from helio.steps.compute.window_sums import Indices, counted_means
from helio.store.table import Table

Values = npt.NDArray[np.float64]

_TURNS = {"deg": 360.0, "rad": 2 * np.pi}
_ROUND = re.compile(
    r"θ_CA|clock angle|azimut|longitude|(?<![a-z])g?lon(?![a-z])|right ascension|spin ?phase", re.IGNORECASE
)
_TOLERANCE = 1e-6
"""Of a turn: files round π to a few digits."""

NO_DIRECTION = 1e-9
"""Length of a mean of unit vectors below which it has no direction: they point to all sides alike."""


@dataclass(frozen=True, eq=False)
class Turning:
    """Which columns of a series are angles that go round, and how they are written.

    Parameters
    ----------
    columns : int64, shape (c,)
        Of the table laid flat.
    turn : float
        360, or 2π.
    low : float64, shape (c,)
        Least value of each: −180 or 0.
    """

    columns: npt.NDArray[np.int64]
    turn: float
    low: Values

    def __bool__(self) -> bool:
        return bool(self.columns.size)

    def written(self, angles: Values) -> Values:
        """Angles of these columns, shape (…, c), each as its series writes them; those that are so already stay."""
        turns = np.floor((angles - self.low) / self.turn)
        turns[(angles >= self.low) & (angles <= self.low + self.turn)] = 0.0
        return np.asarray(angles - self.turn * turns, dtype=np.float64)


def turning(series: Table) -> Turning:
    """The columns of a series that are angles and go round.

    An angle in deg or rad goes round when its name says so (a clock angle, a longitude, an azimuth), or when it covers
    more than half a turn: a latitude, a cone angle and a pitch angle never do. What covers more than a whole turn has
    been unrolled already and is a number like any other.
    """
    turn = _TURNS.get(series.unit.strip(), 0.0)
    nothing = Turning(np.zeros(0, np.int64), turn or 1.0, np.zeros(0))
    if not turn or series.kind == "spectrum" or not series.values.size:
        return nothing
    flat = columns_of(series.values)
    known = np.isfinite(flat)
    least = np.where(known, flat, np.inf).min(axis=0)
    greatest = np.where(known, flat, -np.inf).max(axis=0)
    texts = series.components or (f"{series.name}, {series.description}",)
    named = np.array([bool(_ROUND.search(text)) for text in texts])
    slack = _TOLERANCE * turn
    from_zero = (least >= -slack) & (greatest <= turn + slack)
    about_zero = (least >= -turn / 2 - slack) & (greatest <= turn / 2 + slack)
    goes = known.any(axis=0) & (from_zero | about_zero) & (named | (greatest - least > turn / 2 + slack))
    low = np.where(from_zero & ~about_zero, 0.0, -turn / 2)
    return Turning(np.flatnonzero(goes), turn, low[goes])


def hold_no_turn(series: Table, *, purpose: str) -> None:
    """Hold that no column of a series is an angle that goes round.

    Raises
    ------
    StepError
        When one is: of 179° and −179° neither is the greater, and a step between them is none.
    """
    found = turning(series)
    if found:
        which = series.components[found.columns[0]] if series.components else series.name
        raise StepError(
            f"'{which}' is an angle that goes round, and cannot be {purpose}: 179° and −179° are neighbours",
            advice="do it to the components of the vector first, and take the angle of what comes out",
        )


def mean_directions(series: Table, first: Indices, last: Indices) -> tuple[Values, tuple[str, ...]]:
    """Mean of the valid records ``first[i]:last[i]`` for every i: of angles that go round, the mean direction.

    Returns
    -------
    values : float64, shape (m, …)
        NaN where no record is valid, and where directions point to all sides alike. An infinite value is not valid.
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
            f"{share(int(np.count_nonzero(infinite)), infinite.size, 'values')} are infinite and left out",
        )
    values = counted_means(series.values, first, last)
    found = turning(series)
    if not found:
        return values, notes
    angle = columns_of(series.values)[:, found.columns] * (2 * np.pi / found.turn)
    sine, cosine = counted_means(np.sin(angle), first, last), counted_means(np.cos(angle), first, last)
    mean = np.arctan2(sine, cosine) * (found.turn / (2 * np.pi))
    mean[np.hypot(sine, cosine) < NO_DIRECTION] = np.nan
    values.reshape(values.shape[0], -1)[:, found.columns] = found.written(mean)
    return values, (
        *notes,
        "angles are averaged as directions: the mean of 179° and −179° is 180°",
    )


def shorter_way(difference: npt.NDArray[Any], turn: float) -> Values:
    """Differences of angles the shorter way round, from −turn/2 to turn/2."""
    return np.asarray(difference - turn * np.round(difference / turn), dtype=np.float64)
