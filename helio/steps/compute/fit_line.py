"""A straight line through one quantity against another."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from helio.knowledge.unit_products import unit_product
from helio.steps.compute.derived import derived
from helio.steps.compute.interval_rows import rows_in
from helio.steps.compute.line_fit import LineFit, fit_series
from helio.steps.quantity import Quantity
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import TimeRange

Scalar = Annotated[Table, Quantity(kind="scalar")]


@tool(
    version=1,
    context=whole_range("the line is computed from all records of the interval"),
    gives=Result(
        by={
            "give": {
                "slope": Result(unit="{y} {x}^-1", frame="", kind="vector"),
                "intercept": Result(unit="{y}", frame="", kind="vector"),
                "correlation": Result(unit="", frame="", kind="vector"),
                "line": Result(like="y", kind="scalar"),
            },
        },
    ),
    same=(MatchingTables("unit", ("x", "y"), when={"method": ("orthogonal",)}),),
    synonyms="linear_fit linear_regression regression fit polyfit linregress total_least_squares odr",
)
def fit_line(
    x: Scalar,
    y: Scalar,
    *,
    method: Literal["linear", "orthogonal"] = "linear",
    interval: TimeRange | None = None,
    give: Literal["slope", "intercept", "correlation", "line"] = "slope",
) -> Table:
    """Fit a straight line to one quantity against another, with standard errors.

    Parameters
    ----------
    x : Table, shape (n,)
        The quantity that explains; any unit.
    y : Table, shape (n,)
        The quantity that is explained, on the same epochs (use `align` first); any unit.
    method : "linear" or "orthogonal"
        ``linear``: least squares of y, where only y has errors. ``orthogonal``: least squares of the distances to the
        line (total least squares), where x and y have equal errors; both need the same unit.
    interval : TimeRange
        Interval of the fit; default: the whole series. Records without a value of x or y are left out.
    give : "slope", "intercept", "correlation" or "line"
        The kind of result; see below.

    Returns
    -------
    Table
        ``slope``, shape (1, 2): the slope and its standard error, in the unit of y per unit of x.
        ``intercept``, shape (1, 2): y at x = 0 and its standard error, in the unit of y.
        ``correlation``, shape (1, 2): ``r``, Pearson's correlation, and ``n``, the number of records.
        ``line``, shape (n,): y of the line at each record of the whole series, in the unit of y.
        The description has all numbers. The epoch of the first three is that of the first record of the interval.

    Raises
    ------
    ClockMismatch
        When the epochs are not the same.
    UnitMismatch
        When the method is ``"orthogonal"`` and the units differ.
    StepError
        With fewer than three records with both values, when x does not vary, or when an angle wraps.

    Notes
    -----
    The errors hold for independent records. Neighbouring records of a time series often are not; then the true errors
    are larger. In a figure, ``fit`` in an entry of ``xy`` computes the same line and draws it.

    References
    ----------
    Press et al., Numerical Recipes, 3rd ed., ch. 15.2; for orthogonal distances, Boggs & Rogers (1990), Contemp. Math.
    112, 183 (ODRPACK).

    Examples
    --------
    >>> from helio.steps.examples import series
    >>> density, speed = series([2.0, 4.0, 6.0, 8.0], "cm^-3", "n"), series([460.0, 441.0, 419.0, 400.0], "km/s", "V")
    >>> slope = fit_line(density, speed)
    >>> slope.components, slope.values.round(2), slope.unit
    (('slope', 'error'), array([[-10.1 ,   0.21]]), 'km cm^3/s')
    >>> slope.description
    'V against n: slope −10.10 ± 0.21 km cm^3/s, intercept 480.5 ± 1.2 km/s, r −0.9996, n 4'
    """
    return fit_table(fit_series(x, y, method, interval), x, y, interval, give)


def fit_table(fit: LineFit, x: Table, y: Table, interval: TimeRange | None, give: str) -> Table:
    """Make the result table of a fit."""
    description = f"{y.name or 'y'} against {x.name or 'x'}: {', '.join(fit.words(x, y))}"
    if give == "line":
        return derived(
            (y, x),
            fit.at(np.asarray(x.values, np.float64)),
            unit=y.unit,
            name=f"{y.name} fit".strip(),
            description=description,
            frame=y.frame,
        )
    numbers, second, unit = _result(fit, x, y, give)
    first = rows_in(x, interval).start
    made = derived(
        tuple(table.take(slice(first, first + 1)) for table in (y, x)),
        np.array([numbers]),
        unit=unit,
        name=give,
        description=description,
        components=("r" if give == "correlation" else give, second),
    )
    return replace(made, stated_representation="none")


def _result(fit: LineFit, x: Table, y: Table, give: str) -> tuple[tuple[float, float], str, str]:
    """Return the two numbers of a result, the name of the second number, and their unit."""
    if give == "correlation":
        return (fit.correlation, float(fit.points)), "n", ""
    if give == "factor":
        return fit.factor, "error", y.unit
    if give == "intercept":
        return (fit.intercept, fit.intercept_error), "error", y.unit
    unit = unit_product((y.unit, 1), (x.unit, -1)) if give == "slope" else ""
    return (fit.slope, fit.slope_error), "error", unit
