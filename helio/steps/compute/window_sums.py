"""Sums over many windows of a series, as accurate as if each window was summed separately."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.compute.columns import columns_of, without_copy
from helio.store.leap_seconds import elapsed
from helio.store.table import Epochs
from helio.time_range import Duration

Indices = npt.NDArray[np.int64]

_BLOCK = 1 << 15
"""Number of windows that are summed at a time: a few MB of memory."""


def centred_windows(epoch: Epochs, window: Duration) -> tuple[Indices, Indices]:
    """Return, for the window centred on every epoch, the index of its first record and the index after its last one."""
    times = elapsed(epoch)
    if not times.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    # A window longer than the series reaches no further than the series, and must not overflow.
    half = min(window.nanoseconds // 2, int(times[-1] - times[0]))
    steps = np.diff(times)
    if (
        steps.size and steps.min() == steps.max() > 0
    ):  # most series; looking epochs up takes longer than the rest
        reach = half // int(steps[0])
        first, last = np.arange(-reach, times.size - reach), np.arange(reach + 1, times.size + reach + 1)
        return np.maximum(first, 0, out=first), np.minimum(last, times.size, out=last)
    first = np.searchsorted(times, times - half, side="left")
    return first, np.searchsorted(times, times + half, side="right")


def window_sums(values: npt.NDArray[np.float64], first: Indices, last: Indices) -> npt.NDArray[np.float64]:
    """Sum the records from ``first[i]`` to ``last[i] - 1`` for every i.

    A difference of running totals would lose the digits of a small value beside a large total, and would
    let one spike spoil everything after it. Here two neighbours are added, two of these sums, and so on; a window is
    put together from one partial sum for each binary digit of its length: pairwise summation. The order of additions
    depends only on the window, not on its position in the series, so that the same samples have the same sum to the
    last bit.

    Parameters
    ----------
    values : float64, shape (n, k)
        Without NaN.
    first, last : int64, shape (m,)
        ``0 <= first[i] <= last[i] <= n``.

    Returns
    -------
    float64, shape (m, k)
        With an error that grows with the logarithm of the window's length only.

    References
    ----------
    Higham, N. J. (1993), The accuracy of floating point summation, SIAM J. Sci. Comput. 14, 783.
    """
    sums = np.zeros((first.shape[0], values.shape[1]))
    if not first.size:
        return sums
    run, length = _longest_run(first, last), last - first
    start, length_in_run, longest = int(first[run.start]), int(length[run.start]), int(length.max())
    others = np.r_[: run.start, run.stop : first.size]
    position, length = first[others], length[others]
    level, width = values, 1  # the sum of `width` values from each on
    while True:
        if length_in_run & width:
            sums[run] += level[start : start + run.stop - run.start]
            start += width
        take = np.flatnonzero(length & width)
        sums[others[take]] += level[position[take]]
        position[take] += width
        if 2 * width > longest:
            return sums
        level = level[:-width] + level[width:]
        width *= 2


def _longest_run(first: Indices, last: Indices) -> slice:
    """Return the longest run of windows of one length, each one record after the one before it.

    Most windows are in it if the cadence is even. The values of a run lie in one piece, and need no look-up.
    """
    breaks = np.flatnonzero((np.diff(first) != 1) | (np.diff(last) != 1)) + 1
    bounds = np.concatenate([[0], breaks, [first.size]])
    longest = int(np.argmax(np.diff(bounds)))
    return slice(int(bounds[longest]), int(bounds[longest + 1]))


def counted_means(values: npt.NDArray[Any], first: Indices, last: Indices) -> npt.NDArray[np.float64]:
    """Average the valid records from ``first[i]`` to ``last[i] - 1`` for every i, and count them; NaN if none is valid.

    Windows are taken block by block, so that the terms stay in the processor's cache.
    """
    flat = columns_of(values)
    means = np.full((first.shape[0], flat.shape[1]), np.nan)
    longest = int((last - first).max(initial=1))
    rows = max(_BLOCK, 8 * longest)
    for begin in range(0, first.shape[0], rows):
        low, high = first[begin : begin + rows], last[begin : begin + rows]
        start = int(low.min())
        part = flat[start : max(int(high.max()), start)]
        low, high = low - start, high - start
        valid = ~np.isnan(part)
        running = np.zeros((part.shape[0] + 1, part.shape[1]), np.int64)
        np.cumsum(valid, axis=0, out=running[1:])
        counts = running[without_copy(high)] - running[without_copy(low)]
        sums = window_sums(np.where(valid, part, 0.0), low, high)
        np.divide(sums, counts, out=means[begin : begin + rows], where=counts > 0)
    return means.reshape(first.shape[0], *values.shape[1:])
