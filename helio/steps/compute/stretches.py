"""Find the parts of a series without gaps and with one cadence, which filters and spectra need."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from helio.errors import StepError
from helio.steps.compute.columns import columns_of
from helio.store.leap_seconds import counted, elapsed, spans_leap_second
from helio.store.table import Epochs, Table
from helio.time_range import Duration

GAP_FACTOR = 1.5
"""A time step longer than this many cadences is a gap, so one missing record makes a gap."""

JITTER = 0.1
"""A time step may differ from the cadence by this fraction, as epochs do at 30 samples per second, rounded to ms."""


SLOW_MODE = 8
"""The cadence has changed, and there is no gap, if this many long time steps in a row are equal."""


CADENCE_STEPS = 17
"""The local cadence at a time step is the median of this many steps around it."""


def local_cadence(epoch: Epochs) -> npt.NDArray[np.int64]:
    """Return the local cadence in ns at each of the n - 1 time steps of a series: the median of the 17 steps around it.

    Where the cadence changes, the largest of this median and of the medians 17 steps before and after is used, so that
    a change of mode is not a row of gaps. Only the nearest 25 steps on each side count.
    """
    steps = np.diff(counted(epoch))
    if not steps.size:
        return steps
    medians = ndimage.median_filter(steps, size=CADENCE_STEPS, mode="reflect")
    index = np.arange(steps.size)
    before, after = np.maximum(index - CADENCE_STEPS, 0), np.minimum(index + CADENCE_STEPS, steps.size - 1)
    return np.asarray(np.maximum(medians, np.maximum(medians[before], medians[after])))


def cadence_of(series: Table, *, purpose: str) -> float:
    """Return the cadence of a regular series, in ns: the mean of the time steps that are not gaps.

    Parameters
    ----------
    series : Table
    purpose : str
        What needs the cadence, for the error message: ``"a filter"``.

    Raises
    ------
    StepError
        When the series has fewer than two records, or steps (other than gaps) that differ from the cadence by more
        than a tenth, as after a change of mode.
    """
    steps = np.diff(counted(series.epoch))
    if not steps.size:
        raise StepError(
            f"{purpose} needs at least two records, but '{series.name}' has {len(series)}",
            advice="choose a longer time range",
        )
    if steps.min() == steps.max() > 0:
        return float(steps[0])
    median = float(np.median(steps))
    gap = steps > GAP_FACTOR * median
    inside = steps[~gap]
    cadence = float(inside.mean())
    slower = steps[_slower(steps, gap, median)]
    uneven = np.count_nonzero(np.abs(inside - cadence) > JITTER * cadence) + slower.size
    if uneven or cadence <= 0:
        shortest, longest = (
            in_words(float(inside.min())),
            in_words(float(max(inside.max(initial=0), slower.max(initial=0)))),
        )
        raise StepError(
            f"{purpose} needs one cadence, but {uneven:,} of {steps.size:,} intervals between the records "
            f"of '{series.name}' differ from {in_words(median)}: they last {shortest} to {longest}",
            advice="make the epochs regular first: use resample or interpolate with cadence "
            f'"{_rounded(median)}"',
        )
    return cadence


def usual_step(epoch: Epochs) -> float:
    """Return the median time step in ns of a series of two or more records."""
    steps = np.diff(counted(epoch))
    return float(steps[0] if steps.min() == steps.max() else np.median(steps))


def stretches(
    epoch: Epochs,
    valid: npt.NDArray[np.bool_],
    cadence: float,
    borders: npt.NDArray[np.int64] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the first record of each part without missing data, and the record after its last, shape (s,) each.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
    valid : bool, shape (n,)
    cadence : float
        In ns, as `cadence_of` gives it.
    borders : int64, optional
        Records at which a new stretch always begins.
    """
    steps = np.diff(elapsed(epoch))
    broken = steps > GAP_FACTOR * cadence
    if spans_leap_second(epoch):
        # without a record, it puts all that follows off the cadence, unless it is short beside it
        broken |= (steps > np.diff(counted(epoch))) & (steps > (1 + JITTER) * cadence)
    if borders is not None:
        broken[borders[(borders > 0) & (borders < epoch.size)] - 1] = True
    joined = valid[1:] & valid[:-1] & ~broken
    begins = valid.copy()
    begins[1:] &= ~joined
    ends = valid.copy()
    ends[:-1] &= ~joined
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1


def valid_records(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return for each record whether all its values are valid, shape (n,)."""
    return np.asarray(np.isfinite(columns_of(values)).all(axis=1), dtype=bool)


def _slower(steps: npt.NDArray[Any], gap: npt.NDArray[np.bool_], cadence: float) -> npt.NDArray[np.bool_]:
    """Return which long time steps belong to a slower cadence: at least eight equal steps in a row, unlike gaps."""
    alike = gap[1:] & gap[:-1] & (np.abs(np.diff(steps)) <= JITTER * cadence)
    between = np.flatnonzero(np.concatenate([[True], ~alike, [True]]))
    runs = np.diff(between)  # of steps: one more than the pairs that are alike
    return np.repeat(runs >= SLOW_MODE, runs)


def in_words(nanoseconds: float) -> str:
    """Write a length of time to three digits: ``16 s``, ``92.2 s``, ``1.68 s``, ``2.5 h``."""
    nanoseconds = float(f"{nanoseconds:.3g}")
    for unit, length in (
        ("d", 86_400e9),
        ("h", 3_600e9),
        ("min", 60e9),
        ("s", 1e9),
        ("ms", 1e6),
        ("us", 1e3),
    ):
        least = 2 * length if unit in ("d", "h", "min") else length  # 90 s, but not 1.68e+03 ms
        if nanoseconds >= least or (nanoseconds >= length and nanoseconds % length == 0):
            return f"{nanoseconds / length:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def _rounded(nanoseconds: float) -> str:
    """Round a cadence to three digits, and write it as templates do: ``16s``."""
    digits = max(0, len(str(round(nanoseconds))) - 3)
    return str(Duration(f"{round(nanoseconds / 10**digits) * 10**digits}ns"))
