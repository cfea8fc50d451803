"""Sums over many windows of a series, as accurate as adding each window alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.compute.columns import columns_of

Indices = npt.NDArray[np.int64]


def window_sums(values: npt.NDArray[np.float64], first: Indices, last: Indices) -> npt.NDArray[np.float64]:
    """Sum of ``values[first[i]:last[i]]`` for every i.

    A difference of running totals would lose the digits of a small value beside a large total, and would
    let one spike spoil everything after it. Here the values are added in pairs, the pairs in pairs, and so
    on; a window is put together from at most two partial sums per level, all of them inside it: pairwise
    summation.

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
    low, high = first.copy(), last.copy()
    level = values
    while (open_windows := low < high).any():
        take = np.flatnonzero(open_windows & (low & 1 == 1))
        sums[take] += level[low[take]]
        low[take] += 1
        take = np.flatnonzero((low < high) & (high & 1 == 1))
        high[take] -= 1
        sums[take] += level[high[take]]
        low >>= 1
        high >>= 1
        pairs = level.shape[0] // 2
        level = level[0 : 2 * pairs : 2] + level[1 : 2 * pairs : 2]
    return sums


def counted_means(values: npt.NDArray[Any], first: Indices, last: Indices) -> npt.NDArray[np.float64]:
    """Mean of the valid ``values[first[i]:last[i]]`` for every i; NaN where none is valid."""
    flat = columns_of(values)
    valid = ~np.isnan(flat)
    running = np.concatenate([np.zeros((1, flat.shape[1]), np.int64), np.cumsum(valid, axis=0)])
    counts = running[last] - running[first]
    sums = window_sums(np.where(valid, flat, 0.0), first, last)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(first.shape[0], *values.shape[1:])
