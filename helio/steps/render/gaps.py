"""Find the gaps of a series from its local cadence, and the share of time that has data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.store.leap_seconds import counted

BLOCK = 16
"""The local cadence is the median of this many time steps."""
_PART = 1 << 17
"""Number of time steps computed at a time, so that they fit into the processor's cache."""

Int = npt.NDArray[np.int64]


def local_cadence(epoch: npt.NDArray[np.datetime64]) -> Int:
    """Return the local cadence in ns at each of the n - 1 time steps: the median of its block of 16 steps.

    Where the cadence changes, the longer of the neighbouring medians is used, so that a change of mode is not a row
    of gaps.
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
    """Return for each record whether a gap is just before it, shape (n,); false for the first record.

    A gap is a step longer than `factor` local cadences.
    """
    is_gap = np.zeros(epoch.size, dtype=bool)
    shortest, longest = _extreme_steps(counted(epoch))
    if longest > factor * shortest:
        is_gap[1:] = np.diff(counted(epoch)) > factor * local_cadence(epoch)
    return is_gap


def _extreme_steps(counts: Int) -> tuple[int, int]:
    """Return the shortest and the longest time step; both are 0 if there is no step."""
    found = [(int(steps.min()), int(steps.max())) for steps in _steps_in_parts(counts)]
    return min((low for low, _ in found), default=0), max((high for _, high in found), default=0)


def _steps_in_parts(counts: Int) -> Iterator[Int]:
    """Yield the time steps between neighbouring records, in parts that fit into the processor's cache."""
    for first in range(0, counts.size - 1, _PART):
        yield np.diff(counts[first : first + _PART + 1])


def record_edges(
    epoch: npt.NDArray[np.datetime64], gap: npt.NDArray[np.bool_], alone: int
) -> tuple[Int, Int]:
    """Return the edges of each record in time, in ns: half-way to the neighbours, or half a cadence away at a gap.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
    gap : bool, shape (n,)
        Whether there is a gap before each record.
    alone : int
        Width in ns of a single record without neighbours, whose cadence is unknown.
    """
    centre = epoch.astype("i8")
    if centre.size == 1:
        return centre - alone // 2, centre + alone // 2
    steps = _record_steps(epoch, gap)
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
    """Return the fraction of the time from start to stop that is covered by records with a value."""
    total = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    if epoch.size == 0 or total <= 0:
        return 0.0
    # Whether an epoch starts or halves its record is not known here: records are widths, not places.
    nanoseconds: Int = epoch.astype("datetime64[ns]", copy=False).view("i8")
    if epoch.size == 1:
        left, right = record_edges(epoch, usable, total // 200)
        return min(1.0, int((right - left)[usable].sum()) / total)
    gap = gaps(epoch, factor)
    if usable.all() and not gap.any():
        halves = sum(int((steps >> 1).sum()) for steps in _steps_in_parts(nanoseconds))
        covered = 2 * halves + int(
            (nanoseconds[1] - nanoseconds[0]) // 2 + (nanoseconds[-1] - nanoseconds[-2]) // 2
        )
    else:
        steps = _record_steps(epoch, gap) // 2
        ends = int(steps[0]) * bool(usable[0]) + int(steps[-1]) * bool(usable[-1])
        covered = int((steps * usable[1:]).sum() + (steps * usable[:-1]).sum()) + ends
    return min(1.0, covered / total)


def _record_steps(epoch: npt.NDArray[np.datetime64], gap: npt.NDArray[np.bool_]) -> Int:
    """Return the time step before each record except the first, in ns; at a gap, the local cadence."""
    steps: Int = np.diff(epoch.astype("i8"))
    if gap.any():
        steps[gap[1:]] = local_cadence(epoch)[gap[1:]]
    return steps


def usable_records(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return for each record whether it has a finite value."""
    finite: npt.NDArray[np.bool_] = np.isfinite(values)
    if finite.ndim == 1:
        return finite
    of_record: npt.NDArray[np.bool_] = finite.reshape(values.shape[0], math.prod(values.shape[1:]))
    return np.logical_or.reduce(of_record, axis=1)  # type: ignore[no-any-return]
