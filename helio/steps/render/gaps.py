"""Where a series is interrupted: steps longer than the local cadence allows, and how much is covered."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.store.leap_seconds import counted

BLOCK = 16
"""Steps whose median is the local cadence."""

Int = npt.NDArray[np.int64]


def local_cadence(epoch: npt.NDArray[np.datetime64]) -> Int:
    """Return cadence in ns at each of the n - 1 steps: the median of 16 steps about it.

    Where the cadence changes, the longer of the neighbouring medians holds, so that a change of mode is
    not a row of gaps.
    """
    steps = np.diff(counted(epoch))
    if steps.size == 0:
        return steps
    whole = max(1, steps.size // BLOCK)
    medians = np.empty(whole, dtype=np.int64)
    if whole > 1:
        medians[:-1] = np.median(steps[: (whole - 1) * BLOCK].reshape(whole - 1, BLOCK), axis=1)
    medians[-1] = np.median(steps[(whole - 1) * BLOCK :])
    padded = np.pad(medians, 1, mode="edge")
    longest = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    return longest[np.minimum(np.arange(steps.size) // BLOCK, whole - 1)]


def gaps(epoch: npt.NDArray[np.datetime64], factor: float) -> npt.NDArray[np.bool_]:
    """Return whether there is a gap just before each record, shape (n,); false for the first.

    A gap is a step longer than `factor` local cadences.
    """
    is_gap = np.zeros(epoch.size, dtype=bool)
    steps = np.diff(counted(epoch))
    if steps.size == 0 or steps.max() <= factor * steps.min():
        return is_gap
    is_gap[1:] = steps > factor * local_cadence(epoch)
    return is_gap


def record_edges(
    epoch: npt.NDArray[np.datetime64], gap: npt.NDArray[np.bool_], alone: int
) -> tuple[Int, Int]:
    """Return the edges of each record in time, in ns: half-way to its neighbours, half a cadence at a gap.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
    gap : bool, shape (n,)
        Whether there is a gap before each record.
    alone : int
        Width in ns of a record without any neighbour, whose cadence nobody knows.
    """
    centre = epoch.astype("i8")
    if centre.size == 1:
        return centre - alone // 2, centre + alone // 2
    cadence = local_cadence(epoch)
    steps = np.where(gap[1:], cadence, np.diff(centre))
    before = np.concatenate([steps[:1], steps]) // 2
    after = np.concatenate([steps, steps[-1:]]) // 2
    # A gap says nothing about the width of its records; the cadence about it does.
    return centre - before, centre + after


def coverage(
    epoch: npt.NDArray[np.datetime64],
    usable: npt.NDArray[np.bool_],
    start: np.datetime64,
    stop: np.datetime64,
    factor: float,
) -> float:
    """Return fraction of [start, stop) within a record that has a value."""
    total = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    if epoch.size == 0 or total <= 0:
        return 0.0
    left, right = record_edges(epoch, gaps(epoch, factor), total // 200)
    # Whether an epoch starts or halves its record is not known here: records are widths, not places.
    covered = int((right - left)[usable].sum())
    return min(1.0, covered / total)


def usable_records(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return records with at least one finite value."""
    usable: npt.NDArray[np.bool_] = np.isfinite(values).reshape(values.shape[0], -1).any(axis=1)
    return usable
