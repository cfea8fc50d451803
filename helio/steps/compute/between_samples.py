"""Values between the samples of a series, never over more than a stated length of time."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.store.table import Axis, Epochs, Table

Method = Literal["linear", "nearest"]
Indices = npt.NDArray[np.int64]


def values_at(
    series: Table, epoch: Epochs, *, method: Method, limit: int
) -> tuple[npt.NDArray[np.float64], tuple[Axis, ...]]:
    """What a series is at other epochs.

    Parameters
    ----------
    series : Table, shape (n, …)
        Every component and bin is taken on its own: its valid samples alone count.
    epoch : datetime64[ns], shape (m,)
        In increasing order.
    method : "linear" or "nearest"
    limit : int
        In ns. Linear: the longest distance of two samples between which a value is made. Nearest: twice the longest
        distance to the sample, so that the same gaps are bridged.

    Returns
    -------
    values : float64, shape (m, …)
        A sample at the very epoch is taken as it is.
    axes : tuple of Axis
        Bins that change from record to record are those of the nearest record.

    Raises
    ------
    StepError
        Linear, and the bins change from record to record: there is nothing between two different bins.
    """
    if method == "linear":
        hold_bins(series, purpose="interpolated over time")
    have, want = series.epoch.astype(np.int64), epoch.astype(np.int64)
    flat = columns_of(series.values)
    made = np.full((want.size, flat.shape[1]), np.nan)
    valid = ~np.isnan(flat)
    if flat.shape[1] > 1 and np.array_equal(valid.all(axis=1), valid.any(axis=1)):
        records = np.flatnonzero(valid.all(axis=1))
        _fill(made, have[records], flat[records], want, method, limit)
    else:
        for column in range(flat.shape[1]):
            records = np.flatnonzero(valid[:, column])
            _fill(
                made[:, column : column + 1],
                have[records],
                flat[records, column : column + 1],
                want,
                method,
                limit,
            )
    nearest = _nearest(have, want) if any(axis.per_record for axis in series.axes) else slice(None)
    axes = tuple(axis.take(nearest) for axis in series.axes)
    return made.reshape(want.size, *series.values.shape[1:]), axes


def _fill(
    made: npt.NDArray[np.float64],
    have: Indices,
    samples: npt.NDArray[np.float64],
    want: Indices,
    method: Method,
    limit: int,
) -> None:
    """Fill in what can be made of the valid samples of some columns."""
    if not have.size:
        return
    if method == "nearest":
        nearest = _nearest(have, want)
        near = np.flatnonzero(np.abs(have[nearest] - want) <= limit // 2)
        made[near] = samples[nearest[near]]
        return
    after = np.searchsorted(have, want, side="left")
    after = np.minimum(after, have.size - 1)
    before = np.where((have[after] > want) & (after > 0), after - 1, after)
    length = have[after] - have[before]
    inside = np.flatnonzero((have[before] <= want) & (have[after] >= want) & (length <= limit))
    before, after, length = before[inside], after[inside], length[inside]
    part = (want[inside] - have[before]) / np.maximum(length, 1)
    low = samples[before]
    made[inside] = low + (samples[after] - low) * part[:, None]


def _nearest(have: Indices, want: Indices) -> Indices:
    """Number of the record nearest to each epoch, the earlier of two that are equally near."""
    after = np.minimum(np.searchsorted(have, want, side="left"), max(have.size - 1, 0))
    before = np.maximum(after - 1, 0)
    nearest: Indices = np.where(want - have[before] <= np.abs(have[after] - want), before, after)
    return nearest


def share(count: int, total: int, what: str) -> str:
    """``12 of 8,640 values (0.14 %)``."""
    return f"{count:,} of {total:,} {what} ({100 * count / max(total, 1):.3g} %)"


def missing(values: npt.NDArray[Any]) -> int:
    """How many values are missing."""
    return int(np.count_nonzero(np.isnan(values)))
