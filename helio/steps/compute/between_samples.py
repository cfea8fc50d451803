"""Values between the samples of a series, never over more than a stated length of time."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.steps.compute.angles import shorter_way, turning, within_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.store.leap_seconds import counted, elapsed
from helio.store.table import Axis, Epochs, Table

Method = Literal["linear", "nearest"]
Indices = npt.NDArray[np.int64]


def values_at(
    series: Table, epoch: Epochs, *, method: Method, limit: int
) -> tuple[npt.NDArray[np.float64], tuple[Axis, ...]]:
    """Interpolate a series at other epochs.

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
        A sample at the very epoch is taken as it is. Between angles that wrap it is the shorter way.
    axes : tuple of Axis
        Bins that change from record to record are those of the nearest record.

    Raises
    ------
    StepError
        Linear, and the bins change from record to record: there is nothing between two different bins.
    """
    if method == "linear":
        hold_bins(series, purpose="interpolated over time")
    have, want = elapsed(series.epoch), elapsed(epoch, since=series.epoch)
    distance = counted(series.epoch)
    flat = columns_of(series.values)
    made = np.full((want.size, flat.shape[1]), np.nan)
    periods = turning(series).by_column if method == "linear" else {}
    for column in range(flat.shape[1]):
        valid = ~np.isnan(flat[:, column])
        samples = flat[:, column] if valid.all() else flat[valid, column]
        if samples.size:
            chosen = slice(None) if valid.all() else valid
            _fill(
                made[:, column],
                have[chosen],
                distance[chosen],
                samples,
                want,
                method,
                limit,
                periods.get(column),
            )
    nearest = _nearest(have, want) if any(axis.per_record for axis in series.axes) else slice(None)
    axes = tuple(axis.take(nearest) for axis in series.axes)
    return made.reshape(want.size, *series.values.shape[1:]), axes


def _fill(
    made: npt.NDArray[np.float64],
    have: Indices,
    distance: Indices,
    samples: npt.NDArray[np.float64],
    want: Indices,
    method: Method,
    limit: int,
    period: float | None,
) -> None:
    """Fill in what can be made of the valid samples of one column."""
    if not have.size or not want.size:
        return
    if method == "nearest":
        nearest = _nearest(have, want)
        near = np.abs(have[nearest] - want) <= limit // 2
        made[near] = samples[nearest[near]]
        return
    after = np.searchsorted(have, want, side="left")
    known = (after < have.size) & (have[np.minimum(after, have.size - 1)] == want)
    made[known] = samples[after[known]]
    between = np.flatnonzero(~known & (after > 0) & (after < have.size))
    after = after[between]
    before = after - 1
    near = distance[after] - distance[before] <= limit
    between, before, after = between[near], before[near], after[near]
    # The two samples alone enter a value between them: no sum over the series, no origin of time.
    change = samples[after] - samples[before]
    if period is not None:
        change = shorter_way(change, period)
    value = samples[before] + change * ((want[between] - have[before]) / (have[after] - have[before]))
    if period is not None:
        value = within_turn(value, period, np.minimum(samples[before], samples[after]) < 0)
    made[between] = value


def _nearest(have: Indices, want: Indices) -> Indices:
    """Return number of the record nearest to each epoch, the earlier of two that are equally near."""
    after = np.minimum(np.searchsorted(have, want, side="left"), max(have.size - 1, 0))
    before = np.maximum(after - 1, 0)
    nearest: Indices = np.where(want - have[before] <= np.abs(have[after] - want), before, after)
    return nearest
