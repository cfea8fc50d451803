"""Values set to missing by a flag, or by another series."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.steps.compute.mask import Condition, masked, meets, said
from helio.steps.quantity import same_clock
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

BITS = 53
"""The number of bits of the whole numbers that a float64 holds exactly."""


@tool(
    version=1,
    context=RECORD,
    gives=Result(like="series"),
    synonyms="apply_quality_flag apply_quality_mask quality_mask mask_by_quality flag_mask",
)
def mask_by_flag(
    series: Table,
    flag: Table,
    *,
    where: Condition | Literal["bits"] = "not",
    value: float | list[float] = 0.0,
) -> Table:
    """Set records to missing where a flag, or any other series, meets a condition.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Series to mask; any components and unit.
    flag : Table, shape (n,) or (n, k)
        The quality flag, or any series (|B| below 2 nT), on the same epochs; if they differ, use `align` with method
        ``"nearest"`` first. With several components, a record is masked if one component meets the condition.
    where : ">", ">=", "<", "<=", "equals", "not", "between", "outside" or "bits"
        Flags of the values to remove: usually ``not`` 0. ``between`` includes both ends, ``outside`` neither. ``bits``
        reads the flag as a whole number in binary digits, and removes values with one of the bits set.
    value : float or list of float
        One number in the unit of the flag; two increasing numbers for ``between`` and ``outside``; one or more
        numbers for ``equals`` (any of them) and ``not`` (none of them); for ``bits`` the places of the bits, 0 for the
        lowest.

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
        When the flag is a spectrum, `value` does not fit the condition, the flag has no bits because it is not a whole
        number, or no value would be left.

    References
    ----------
    Each dataset documents the meaning of its flags, in ``CATDESC`` and ``VAR_NOTES``.

    Examples
    --------
    Records whose quality flag is not 0:

    >>> from helio.steps.examples import series
    >>> mask_by_flag(series([5.0, 6.0, 7.0], "nT"), series([0.0, 4.0, 0.0], "", "flag")).values
    array([ 5., nan,  7.])

    Records with bit 0 or bit 3 set: 9 is 1 + 8, and 4 is bit 2.

    >>> flag = series([4.0, 9.0, 0.0], "", "flag")
    >>> mask_by_flag(series([5.0, 6.0, 7.0], "nT"), flag, where="bits", value=[0, 3]).values
    array([ 5., nan,  7.])
    """
    same_clock(series, flag)
    if flag.kind == "spectrum":
        raise StepError(
            f"'{flag.name}' is a spectrum, but a flag must have one value per record",
            advice="average it over a band first, with band_average",
        )
    flags = columns_of(flag.values)
    if where == "bits":
        hit, words = _has_bits(flag, value)
    else:
        hit, words = meets(flag.values, where, value), f"is {said(where, value)}"
    bad = hit.reshape(flags.shape) | np.isnan(flags)
    what = f"masked where '{flag.name}' {words}"
    return masked(series, np.asarray(bad.any(axis=1), dtype=bool), what)


def _has_bits(flag: Table, value: float | list[float]) -> tuple[npt.NDArray[np.bool_], str]:
    """Return which values of a flag have one of some bits set, and this condition in words; NaN has no bits."""
    places = [float(place) for place in (value if isinstance(value, list) else [value])]
    if not places or not all(place.is_integer() and 0 <= place < BITS for place in places):
        raise StepError(
            f"{value!r} does not name bits of a flag",
            advice=f"write the places of the bits as whole numbers from 0 (lowest) to {BITS - 1}: value: [0, 3]",
        )
    known = np.isfinite(flag.values)
    whole = np.where(known, flag.values, 0).astype(np.float64)
    if (whole < 0).any() or (whole % 1 != 0).any() or (whole >= 2.0**BITS).any():
        raise StepError(
            f"'{flag.name}' has no bits: its values are not all whole numbers from 0 to 2^{BITS} - 1",
            advice="choose another condition, such as where: not",
        )
    chosen = sum(1 << int(place) for place in set(places))
    names = " or ".join(f"{place:g}" for place in places)
    return (whole.astype(np.int64) & chosen) != 0, f"has bit {names} set"
