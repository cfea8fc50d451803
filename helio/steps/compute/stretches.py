"""Stretches of a series that have no gap and one cadence: what filters and spectra can be taken of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.steps.render.gaps import gaps
from helio.store.table import Epochs, Table
from helio.time_range import Duration

GAP_FACTOR = 1.5
"""A step longer than so many cadences is a gap: one missing record is one."""

JITTER = 0.1
"""Part of a cadence by which a step may differ from it: epochs written in milliseconds at 30 samples a second."""


def cadence_of(series: Table, *, purpose: str) -> float:
    """The one cadence of a series, in ns: the mean of its steps, gaps left out.

    Parameters
    ----------
    series : Table
    purpose : str
        What needs it, for the error: ``"a filter"``.

    Raises
    ------
    StepError
        When the series has fewer than two records, or steps that differ from the cadence by more than a tenth of
        it and are no gaps: a change of mode, or epochs that follow something else than a clock.
    """
    steps = np.diff(series.epoch.astype("i8"))
    if not steps.size:
        raise StepError(
            f"{purpose} needs a series, and '{series.name}' has {len(series)} records",
            advice="choose a longer time range",
        )
    if steps.min() == steps.max() > 0:
        return float(steps[0])
    # A gap is a step longer than those about it: to a slower mode it would all look like gaps.
    inside = steps[~gaps(series.epoch, GAP_FACTOR)[1:]]
    median, cadence = float(np.median(inside)), float(inside.mean())
    uneven = np.count_nonzero(np.abs(inside - cadence) > JITTER * cadence)
    if uneven or cadence <= 0:
        shortest, longest = in_words(float(inside.min())), in_words(float(inside.max()))
        raise StepError(
            f"{purpose} needs one cadence, and {uneven:,} of {steps.size:,} steps of '{series.name}' differ from "
            f"{in_words(median)}: they are {shortest} to {longest}",
            advice=f'put it on a regular clock first: resample or interpolate with cadence "{_rounded(median)}"',
        )
    return cadence


def stretches(
    epoch: Epochs, valid: npt.NDArray[np.bool_], borders: npt.NDArray[np.int64] | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """First record and record after the last of every stretch without a missing value or record, shape (s,) each.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
    valid : bool, shape (n,)
    borders : int64, optional
        Records at which a new stretch begins in any case.
    """
    broken = gaps(epoch, GAP_FACTOR)[1:]
    if borders is not None:
        broken[borders[(borders > 0) & (borders < epoch.size)] - 1] = True
    joined = valid[1:] & valid[:-1] & ~broken
    begins = valid.copy()
    begins[1:] &= ~joined
    ends = valid.copy()
    ends[:-1] &= ~joined
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1


def valid_records(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Records in which nothing is missing, shape (n,)."""
    return np.asarray(np.isfinite(columns_of(values)).all(axis=1), dtype=bool)


def in_words(nanoseconds: float) -> str:
    """A length of time to three digits: ``16 s``, ``92.2 ms``, ``1.5 h``."""
    nanoseconds = float(f"{nanoseconds:.3g}")
    for unit, length in (
        ("d", 86_400e9),
        ("h", 3_600e9),
        ("min", 60e9),
        ("s", 1e9),
        ("ms", 1e6),
        ("us", 1e3),
    ):
        if nanoseconds >= 2 * length or (nanoseconds >= length and nanoseconds % length == 0):
            return f"{nanoseconds / length:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def _rounded(nanoseconds: float) -> str:
    """A cadence as a template writes it, rounded to three digits."""
    digits = max(0, len(str(round(nanoseconds))) - 3)
    return str(Duration(f"{round(nanoseconds / 10**digits) * 10**digits}ns"))
