"""A power law through one quantity against another."""

from __future__ import annotations

from typing import Annotated, Literal

from helio.steps.compute.fit_line import fit_table
from helio.steps.compute.line_fit import fit_series
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import TimeRange

Scalar = Annotated[Table, Quantity(kind="scalar")]


@tool(
    version=1,
    context=whole_range("the power law is computed from all records of the interval"),
    gives=Result(
        by={
            "give": {
                "exponent": Result(unit="", frame="", kind="vector"),
                "factor": Result(unit="{y}", frame="", kind="vector"),
                "correlation": Result(unit="", frame="", kind="vector"),
                "line": Result(like="y", kind="scalar"),
            }
        },
    ),
    synonyms="power_law_fit log_log_fit fit_exponent",
)
def fit_power_law(
    x: Scalar,
    y: Scalar,
    *,
    interval: TimeRange | None = None,
    give: Literal["exponent", "factor", "correlation", "line"] = "exponent",
) -> Table:
    """Fit a power law to one quantity against another: a straight line between their logarithms.

    Parameters
    ----------
    x : Table, shape (n,)
        The quantity that explains; any unit.
    y : Table, shape (n,)
        The quantity that is explained, on the same epochs (use `align` first); any unit.
    interval : TimeRange
        Interval of the fit; default: the whole series. Records without a value of x or y, or with one that is not above
        zero, are left out.
    give : "exponent", "factor", "correlation" or "line"
        The kind of result; see below.

    Returns
    -------
    Table
        Of y = factor · x^exponent, by least squares of log y against log x:
        ``exponent``, shape (1, 2): the exponent and its standard error, without a unit.
        ``factor``, shape (1, 2): y at x = 1 in the unit of x, and its standard error, in the unit of y.
        ``correlation``, shape (1, 2): ``r``, Pearson's correlation of the logarithms, and ``n``, the number of records.
        ``line``, shape (n,): y of the power law at each record of the whole series, in the unit of y; NaN where x is
        not above zero.
        The description has all numbers. The epoch of the first three is that of the first record of the interval.

    Raises
    ------
    ClockMismatch
        When the epochs are not the same.
    StepError
        With fewer than three records with both values above zero, when x does not vary, or when an angle wraps.

    Notes
    -----
    The errors hold for independent records, which neighbouring records of a time series often are not. In a figure,
    ``fit: power_law`` in an entry of ``xy`` computes the same line and draws it.

    References
    ----------
    Press et al., Numerical Recipes, 3rd ed., ch. 15.2.

    Examples
    --------
    >>> from helio.steps.examples import series
    >>> distance, density = series([1.0, 2.0, 4.0], "AU", "R"), series([6.0, 1.5, 0.375], "cm^-3", "n")
    >>> fit_power_law(distance, density).values.round(6)
    array([[-2.,  0.]])
    >>> fit_power_law(distance, density, give="factor").values.round(6)
    array([[6., 0.]])
    """
    return fit_table(fit_series(x, y, "power_law", interval), x, y, interval, give)
