"""Values set to missing by a flag, or by another series."""

from __future__ import annotations

import numpy as np

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.steps.compute.mask import Condition, masked, meets, said
from helio.steps.quantity import same_clock
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(like="series"),
    synonyms="apply_quality_flag apply_quality_mask quality_mask mask_by_quality flag_mask",
)
def mask_by_flag(
    series: Table, flag: Table, *, where: Condition = "not", value: float | list[float] = 0.0
) -> Table:
    """Set records to missing where a flag, or any other series, meets a condition.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Series to mask; any components and unit.
    flag : Table, shape (n,) or (n, k)
        The quality flag, or any series (|B| below 2 nT), on the same epochs; if they differ, use `align` with method
        ``"nearest"`` first. With several components, a record is masked if one component meets the condition.
    where : ">", ">=", "<", "<=", "equals", "not", "between" or "outside"
        Flags of the values to remove: usually ``not`` 0. ``between`` includes both ends, ``outside`` neither.
    value : float or list of float
        One number in the unit of the flag; two increasing numbers for ``between`` and ``outside``; one or more
        numbers for ``equals`` (any of them) and ``not`` (none of them).

    Returns
    -------
    Table, shape of `series`
        float64. Same epochs, components, unit and frame. A whole record is NaN where the condition holds, and where
        the flag itself is missing. A note says how many values these are.

    Raises
    ------
    ClockMismatch
        When the epochs of the two are not the same.
    StepError
        When the flag is a spectrum, `value` does not fit the condition, or no value would be left.

    References
    ----------
    Each dataset documents the meaning of its flags, in ``CATDESC`` and ``VAR_NOTES``.

    Examples
    --------
    Records whose quality flag is not 0:

    >>> from helio.steps.examples import series
    >>> mask_by_flag(series([5.0, 6.0, 7.0], "nT"), series([0.0, 4.0, 0.0], "", "flag")).values
    array([ 5., nan,  7.])
    """
    same_clock(series, flag)
    if flag.kind == "spectrum":
        raise StepError(
            f"'{flag.name}' is a spectrum, but a flag must have one value per record",
            advice="average it over a band first, with band_average",
        )
    flags = columns_of(flag.values)
    bad = meets(flag.values, where, value).reshape(flags.shape) | np.isnan(flags)
    what = f"masked where '{flag.name}' is {said(where, value)}"
    return masked(series, np.asarray(bad.any(axis=1), dtype=bool), what)
