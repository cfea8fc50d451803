"""Straight lines through points: least squares, orthogonal distances, and power laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.interval_rows import rows_in
from helio.steps.compute.regression import slope_and_correlation
from helio.steps.quantity import same_clock, same_unit
from helio.store.table import Table
from helio.time_range import TimeRange

Reals = npt.NDArray[np.float64]
FitMethod = Literal["linear", "orthogonal", "power_law"]

FEWEST = 3
"""The smallest number of points for a line with errors."""
_STEEP = 1e12
"""A line that is steeper than this many times the ratio of the spreads of y and x has no slope."""


@dataclass(frozen=True)
class LineFit:
    """A straight line y = intercept + slope · x, for a power law between the logarithms of y and x to base 10.

    Parameters
    ----------
    slope, slope_error, intercept, intercept_error : float
        With standard errors, for independent points.
    correlation : float
        Pearson's correlation; NaN where y does not vary.
    points : int
        Number of points.
    left_out : int
        Number of points that a power law leaves out because x or y is not above zero.
    """

    method: FitMethod
    slope: float
    slope_error: float
    intercept: float
    intercept_error: float
    correlation: float
    points: int
    left_out: int

    @property
    def factor(self) -> tuple[float, float]:
        """The factor of a power law, y at x = 1, and its standard error."""
        factor = 10.0**self.intercept
        return factor, factor * math.log(10) * self.intercept_error

    def words(self, x: Table, y: Table, unit: Callable[[str], str] = str) -> list[str]:
        """Write slope, intercept, correlation and number of points; `unit` writes the unit of a number."""
        if self.method == "power_law":
            terms = [("exponent", (self.slope, self.slope_error), ""), ("factor", self.factor, y.unit)]
        else:
            terms = [
                ("slope", (self.slope, self.slope_error), unit_product((y.unit, 1), (x.unit, -1))),
                ("intercept", (self.intercept, self.intercept_error), y.unit),
            ]
        return [
            *(f"{name} {with_error(*numbers)} {unit(own)}".rstrip() for name, numbers, own in terms),
            f"r {self.correlation:.4g}".replace("-", "−"),
            f"n {self.points:,}",
        ]

    def at(self, x: Reals) -> Reals:
        """Return y of the line at each x; NaN where a power law is not defined."""
        if self.method != "power_law":
            return self.intercept + self.slope * x
        with np.errstate(invalid="ignore", divide="ignore"):
            power: Reals = 10 ** (self.intercept + self.slope * np.log10(np.where(x > 0, x, np.nan)))
        return power


def fit_series(x: Table, y: Table, method: FitMethod, interval: TimeRange | None = None) -> LineFit:
    """Fit a line to two series, as `fit_points`, after a check of their epochs and units.

    Raises
    ------
    ClockMismatch
        The series do not have the same epochs.
    UnitMismatch
        The method is ``"orthogonal"`` and the units differ.
    StepError
        A series is an angle that wraps, or there is no line.
    """
    for series in (x, y):
        hold_no_turn(series, purpose="fitted")
    same_clock(x, y)
    if method == "orthogonal":
        same_unit(x, y)
    rows = rows_in(x, interval)
    first, other = (np.asarray(series.values[rows], np.float64) for series in (x, y))
    return fit_points(first, other, method)


def fit_points(x: Reals, y: Reals, method: FitMethod) -> LineFit:
    """Fit a line to points; points without a value are left out.

    Raises
    ------
    StepError
        With fewer than three points, and where x does not vary or the line would be vertical.
    """
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    left_out = 0
    if method == "power_law":
        positive = (x > 0) & (y > 0)
        left_out = int((~positive).sum())
        x, y = np.log10(x[positive]), np.log10(y[positive])
    what = " with x and y above zero" if method == "power_law" else " with a value of x and of y"
    if x.size < FEWEST:
        raise StepError(
            f"a line with errors needs at least {FEWEST} records{what}, but there are {x.size}",
            advice="choose a longer time range",
        )
    slope, correlation = slope_and_correlation(x, y)
    x_mean, y_mean = float(x.mean()), float(y.mean())
    dx, dy = x - x_mean, y - y_mean
    if method == "orthogonal":
        slope = _orthogonal_slope(dx, dy)
    if not math.isfinite(slope):
        raise StepError("x does not vary, so the line has no slope", advice="choose another quantity for x")
    intercept = y_mean - slope * x_mean
    residual = dy - slope * dx
    # Of an orthogonal fit, each point lies on the line at the foot of its perpendicular.
    stretch = 1 + slope**2 if method == "orthogonal" else 1.0
    foot = dx + slope * residual / stretch if method == "orthogonal" else dx
    spread = float((foot * foot).sum())
    variance = float((residual * residual).sum()) / (x.size - 2)
    return LineFit(
        method,
        slope,
        math.sqrt(variance / spread),
        intercept,
        math.sqrt(variance * (1 / x.size + (x_mean + foot.mean()) ** 2 / spread)),
        correlation,
        int(x.size),
        left_out,
    )


def _orthogonal_slope(dx: Reals, dy: Reals) -> float:
    """Return the slope of the line with the least sum of squared perpendicular distances; NaN if it is vertical."""
    xx, yy, xy = float((dx * dx).sum()), float((dy * dy).sum()), float((dx * dy).sum())
    angle = 0.5 * math.atan2(2 * xy, xx - yy)
    slope = math.tan(angle)
    return slope if xx > 0 and abs(slope) < _STEEP else math.nan


def with_error(value: float, error: float) -> str:
    """Write a value with its error, both to two significant digits of the error.

    >>> with_error(-9.8123, 0.0412), with_error(431.22, 23.9), with_error(2.0, 0.0)
    ('−9.812 ± 0.041', '431 ± 24', '2 ± 0')
    """
    size = max(abs(value), error)
    if error > 0 and size > 0:
        digits = 1 - math.floor(math.log10(float(f"{error:.1e}")))
    else:
        digits = 0 if value == round(value) else 6 - math.floor(math.log10(size))
    power = math.floor(math.log10(size)) if size > 0 else 0
    if -4 < power < 6:
        places = max(0, digits)
        return f"{_rounded(value, digits):.{places}f} ± {_rounded(error, digits):.{places}f}".replace(
            "-", "−"
        )
    places = max(0, digits + power)
    value, error = value / 10.0**power, error / 10.0**power
    return f"({value:.{places}f} ± {error:.{places}f})·10^{power}".replace("-", "−")


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) + 0.0
