"""Interpolate a series between its samples, but not across gaps longer than a limit."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.steps.compute.angles import shorter_way, turning, within_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.cartesian import BLOCK
from helio.steps.compute.columns import columns_of, without_copy
from helio.store.leap_seconds import counted, elapsed
from helio.store.table import Axis, Epochs, Table

Method = Literal["linear", "nearest"]
Indices = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


def values_at(
    series: Table, epoch: Epochs, *, method: Method, limit: int, records: Indices | slice = slice(None)
) -> tuple[Values, tuple[Axis, ...]]:
    """Interpolate a series at given epochs.

    Parameters
    ----------
    series : Table, shape (n, …)
        Every component and bin is interpolated separately, between its valid samples.
    epoch : datetime64[ns], shape (m,)
        In increasing order.
    method : "linear" or "nearest"
    limit : int
        In ns. Linear: the longest time between two samples across which values are interpolated. Nearest: twice the
        longest time to the sample, so that both methods bridge the same gaps.
    records : int64, shape (r,), or slice
        The epochs that get a value, in increasing order; all by default.

    Returns
    -------
    values : float64, shape (r, …)
        A sample exactly at an epoch is unchanged. Angles that wrap are interpolated the shorter way round.
    axes : tuple of Axis
        Axes at these epochs; bins that change from record to record are those of the nearest record.

    Raises
    ------
    StepError
        When the method is linear and the bins change from record to record.
    """
    if method == "linear":
        hold_bins(series, purpose="interpolated over time")
    have, want = elapsed(series.epoch), elapsed(epoch, since=series.epoch)[records]
    distance = counted(series.epoch)
    after = _first_not_before(have, want)
    flat = columns_of(series.values)
    made = np.full((want.size, flat.shape[1]), np.nan)
    periods = turning(series).by_column if method == "linear" else {}
    for (mask, period), columns in _alike(flat, periods).items():
        valid = np.frombuffer(mask, dtype=bool)
        known, number, samples = np.flatnonzero(valid), after, flat[:, columns]
        if not known.size:
            continue
        if known.size < have.size:
            number = np.concatenate([[0], np.cumsum(valid)])[after]
        if method == "linear":
            made[:, columns] = _on_lines(have, distance, samples, known, want, number, limit, period)
        else:
            sample = known[_nearest(have[known], want, number)]
            near = np.abs(have[sample] - want) <= limit // 2
            made[:, columns] = np.where(near[:, None], samples[sample], np.nan)
    nearest = _nearest(have, want, after) if any(axis.per_record for axis in series.axes) else slice(None)
    axes = tuple(axis.take(nearest) for axis in series.axes)
    return made.reshape(want.size, *series.values.shape[1:]), axes


def _alike(flat: Values, periods: dict[int, float]) -> dict[tuple[bytes, float | None], Indices | slice]:
    """Group the columns with the same valid records, given as the bytes of a mask, and with the same period."""
    groups: dict[tuple[bytes, float | None], list[int]] = {}
    for column, samples in enumerate(flat.T):
        groups.setdefault(((~np.isnan(samples)).tobytes(), periods.get(column)), []).append(column)
    return {alike: without_copy(np.array(columns)) for alike, columns in groups.items()}


def _on_lines(
    have: Indices,
    distance: Indices,
    samples: Values,
    known: Indices,
    want: Indices,
    number: Indices,
    limit: int,
    period: float | None,
) -> Values:
    """Compute values on the straight lines between valid samples that are no further apart than the limit.

    Parameters
    ----------
    have, distance : int64, shape (n,)
        Times of the records, from `elapsed` and from `counted`.
    samples : float64, shape (n, c)
    known : int64, shape (v,)
        The valid records, at least one.
    want, number : int64, shape (m,)
        Times of the epochs, and for each how many valid records are before it.
    """
    values = np.full((want.size, samples.shape[1]), np.nan)
    start, stop = np.searchsorted(number, [1, known.size])
    values[:start][want[:start] == have[known[0]]] = samples[known[0]]
    for begin in range(start, stop, BLOCK):
        block = slice(begin, min(begin + BLOCK, stop))
        before, behind = _around(known, number[block])
        first, last = samples[before], samples[behind]
        part = (want[block] - have[before]) / (have[behind] - have[before])
        # The two samples alone enter a value between them: no sum over the series, no origin of time.
        with np.errstate(invalid="ignore"):  # two infinities have no difference
            change = last - first
            if period is not None:
                change = shorter_way(change, period)
            value = first + change * part[:, None]
        if period is not None:
            value = within_turn(value, period, np.minimum(first, last) < 0)
        value[distance[behind] - distance[before] > limit] = np.nan
        exact = have[behind] == want[block]
        if exact.any():
            value[exact] = last[exact]
        values[block] = value
    return values


def _around(known: Indices, number: Indices) -> tuple[Indices | slice, Indices | slice]:
    """Return the last valid record before each epoch and the first one not before it, as slices where this is possible.

    Parameters
    ----------
    known : int64, shape (v,)
        The valid records, in increasing order.
    number : int64, shape (m,)
        How many valid records are before each epoch: at least one, and not all.
    """
    places = without_copy(number)
    if isinstance(places, slice) and known[-1] - known[0] == known.size - 1:
        first, last = int(known[0]) + places.start, int(known[0]) + places.stop
        return slice(first - 1, last - 1), slice(first, last)
    return without_copy(known[number - 1]), without_copy(known[number])


def _first_not_before(have: Indices, want: Indices) -> Indices:
    """Return the number of the first sample at or after each epoch; a division finds it if the cadence is constant."""
    first: Indices
    step = int(have[1] - have[0]) if have.size > 1 else 0
    if step > 0 and int(have[-1] - have[0]) == step * (have.size - 1) and (np.diff(have) == step).all():
        first = want - (have[0] - step + 1)
        first //= step
        np.clip(first, 0, have.size, out=first)
    else:
        first = np.searchsorted(have, want, side="left")
    return first


def _nearest(have: Indices, want: Indices, after: Indices) -> Indices:
    """Return the number of the record nearest to each epoch; of two records equally near, the earlier one."""
    after = np.minimum(after, max(have.size - 1, 0))
    before = np.maximum(after - 1, 0)
    nearest: Indices = np.where(want - have[before] <= np.abs(have[after] - want), before, after)
    return nearest
