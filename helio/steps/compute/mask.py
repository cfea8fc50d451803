"""Values set to missing where they meet a condition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.shares import missing, share
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

Condition = Literal[">", ">=", "<", "<=", "equals", "not", "between", "outside"]


@tool(
    version=1,
    context=RECORD,
    gives=Result(like="series"),
    synonyms="mask_values mask_where mask_data",
)
def mask(series: Table, *, where: Condition, value: float | list[float]) -> Table:
    """Set values that meet a condition to missing; keep the rest.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit; each value is tested separately.
    where : ">", ">=", "<", "<=", "equals", "not", "between" or "outside"
        The values to remove. ``between`` includes both ends, ``outside`` neither.
    value : float or list of float
        One number in the unit of the series; two increasing numbers for ``between`` and ``outside``; one or more
        numbers for ``equals`` (any of them) and ``not`` (none of them).

    Returns
    -------
    Table, shape of `series`
        float64. Same epochs, components, unit and frame; NaN where the condition holds, and a note says how often.

    Raises
    ------
    StepError
        When `value` does not fit the condition, or no value would be left.

    References
    ----------
    ISTP Metadata Guidelines, VALIDMIN and VALIDMAX: what values a file takes for possible.
    https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html

    Examples
    --------
    Fill values that the file does not call fill:

    >>> from helio.steps.examples import series
    >>> mask(series([5.0, 999.9, 7.0], "nT"), where=">", value=900.0).values
    array([ 5., nan,  7.])
    """
    out = meets(series.values, where, value)
    return masked(series, out, f"masked where {said(where, value)}")


def meets(values: npt.NDArray[Any], where: Condition, value: float | list[float]) -> npt.NDArray[np.bool_]:
    """Return for each value whether it meets the condition; a missing value never meets it.

    Raises
    ------
    StepError
        When the numbers given do not fit the condition.
    """
    numbers = [float(bound) for bound in (value if isinstance(value, list) else [value])]
    count_needed = 2 if where in ("between", "outside") else 1
    if (
        not numbers
        or any(np.isnan(numbers))
        or (where not in ("equals", "not") and len(numbers) != count_needed)
        or (count_needed == 2 and not numbers[0] <= numbers[1])
    ):
        raise StepError(
            f"the condition '{where}' does not work with the value {value!r}",
            advice="give two numbers: value: [low, high]"
            if count_needed == 2
            else "give one number as value",
        )
    # The numbers of a template are compared in the precision of the file: 0.1 is equal to a float32 0.1.
    with np.errstate(over="ignore"):  # beyond float32 nothing is greater, which infinity says as well
        given = np.asarray(numbers).astype(values.dtype)
    low, high = given[0], given[-1]
    if where == ">":
        matches = values > low
    elif where == ">=":
        matches = values >= low
    elif where == "<":
        matches = values < low
    elif where == "<=":
        matches = values <= low
    elif where == "equals":
        matches = np.isin(values, given)
    elif where == "not":
        matches = ~(np.isin(values, given) | np.isnan(values))
    elif where == "between":
        matches = (values >= low) & (values <= high)
    else:
        matches = (values < low) | (values > high)
    return np.asarray(matches, dtype=bool)


def masked(series: Table, out: npt.NDArray[np.bool_], what: str) -> Table:
    """Set the values for which `out` is true to missing, and add a note with the number of these values.

    Parameters
    ----------
    series : Table, shape (n, …)
    out : bool, shape of `series`, or (n,) for whole records
    what : str
        What is masked, for the note and the error message.

    Raises
    ------
    StepError
        When the table had values and none is left.
    """
    values = series.values.astype(np.float64)
    values[out] = np.nan
    left = values.size - missing(values)
    taken = values.size - missing(series.values) - left
    if taken and not left:
        raise StepError(
            f"the step removes all {taken:,} values of '{series.name}': {what}",
            advice="change the condition, or invert it: the step removes the values that match the condition",
        )
    note = f"{what}: {share(taken, values.size, 'values')} set to missing"
    return replace(series, values=values, notes=(*series.notes, note))


def said(where: Condition, value: float | list[float]) -> str:
    """Write a condition in words: ``> 5``, ``between 3 and 5``, ``not 0 or 1``."""
    numbers = [f"{bound:g}" for bound in (value if isinstance(value, list) else [value])]
    return f"{where} {(' and ' if where in ('between', 'outside') else ' or ').join(numbers)}"
