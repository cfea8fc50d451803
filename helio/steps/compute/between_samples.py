"""Interpolate a series between its samples, but not across gaps longer than a limit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
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

    Returns
    -------
    values : float64, shape (m, …)
        A sample exactly at an epoch is unchanged. Angles that wrap are interpolated the shorter way round.
    axes : tuple of Axis
        Axes at the new epochs; bins that change from record to record are those of the nearest record.

    Raises
    ------
    StepError
        When the method is linear and the bins change from record to record.
    """
    if method == "linear":
        hold_bins(series, purpose="interpolated over time")
    have, want = elapsed(series.epoch), elapsed(epoch, since=series.epoch)
    distance = counted(series.epoch)
    flat = columns_of(series.values)
    made = np.full((want.size, flat.shape[1]), np.nan)
    periods = turning(series).by_column if method == "linear" else {}
    neighbours = _neighbours if method == "linear" else _nearest_within
    of_all = cache(lambda: neighbours(have, distance, want, limit))
    for column in range(flat.shape[1]):
        samples = flat[:, column]
        valid = ~np.isnan(samples)
        if not valid.any() or not want.size:
            continue
        if valid.all():
            found = of_all()
        else:
            samples = samples[valid]
            found = neighbours(have[valid], distance[valid], want, limit)
        _fill(made[:, column], samples, found, periods.get(column))
    nearest = _nearest(have, want) if any(axis.per_record for axis in series.axes) else slice(None)
    axes = tuple(axis.take(nearest) for axis in series.axes)
    return made.reshape(want.size, *series.values.shape[1:]), axes


@dataclass(frozen=True)
class _Neighbours:
    """The numbers of the samples that give each value: two samples around an epoch, or one sample at the epoch.

    Parameters
    ----------
    exact, sample : int64, shape (e,)
        Epochs that take a sample as it is, and that sample.
    between, before, after : int64, shape (b,); a slice where they are consecutive
        Epochs between two samples, and the two.
    part : float64, shape (b,)
        How far from the first sample to the second an epoch lies, from 0 to 1.
    """

    exact: Indices
    sample: Indices
    between: Indices | slice
    before: Indices | slice
    after: Indices | slice
    part: npt.NDArray[np.float64]


def _neighbours(have: Indices, distance: Indices, want: Indices, limit: int) -> _Neighbours:
    """Find the two samples around each epoch, if the time between these samples does not exceed the limit."""
    after = _first_not_before(have, want)
    inside = after < have.size
    known = inside & (have[np.minimum(after, have.size - 1)] == want)
    exact = np.flatnonzero(known)
    between = np.flatnonzero(inside & ~known & (after > 0))
    second = after[_consecutive(between)]
    near = distance[second] - distance[second - 1] <= limit
    between, second = between[near], second[near]
    epochs, before, behind = _consecutive(between), _consecutive(second - 1), _consecutive(second)
    part = (want[epochs] - have[before]) / (have[behind] - have[before])
    return _Neighbours(exact, after[exact], epochs, before, behind, part)


def _consecutive(numbers: Indices) -> Indices | slice:
    """Return a slice if the numbers are consecutive, because numpy does not copy what a slice selects."""
    if numbers.size and numbers[-1] - numbers[0] == numbers.size - 1 and (np.diff(numbers) == 1).all():
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers


def _nearest_within(have: Indices, distance: Indices, want: Indices, limit: int) -> _Neighbours:
    """Find the sample nearest to each epoch, if it is no further away than half the limit."""
    del distance
    nearest = _nearest(have, want)
    near = np.flatnonzero(np.abs(have[nearest] - want) <= limit // 2)
    none: Indices = near[:0]
    return _Neighbours(near, nearest[near], none, none, none, np.empty(0))


def _fill(
    made: npt.NDArray[np.float64],
    samples: npt.NDArray[np.float64],
    found: _Neighbours,
    period: float | None,
) -> None:
    """Compute the values of one column from its valid samples; other values stay missing."""
    made[found.exact] = samples[found.sample]
    if not found.part.size:
        return
    # The two samples alone enter a value between them: no sum over the series, no origin of time.
    first, second = samples[found.before], samples[found.after]
    change = second - first
    if period is not None:
        change = shorter_way(change, period)
    value = first + change * found.part
    if period is not None:
        value = within_turn(value, period, np.minimum(first, second) < 0)
    made[found.between] = value


def _first_not_before(have: Indices, want: Indices) -> Indices:
    """Return the number of the first sample at or after each epoch; a division finds it if the cadence is constant."""
    first: Indices
    step = int(have[1] - have[0]) if have.size > 1 else 0
    if step > 0 and int(have[-1] - have[0]) == step * (have.size - 1) and (np.diff(have) == step).all():
        first = np.clip(-((have[0] - want) // step), 0, have.size)
    else:
        first = np.searchsorted(have, want, side="left")
    return first


def _nearest(have: Indices, want: Indices) -> Indices:
    """Return the number of the record nearest to each epoch; of two records equally near, the earlier one."""
    after = np.minimum(_first_not_before(have, want), max(have.size - 1, 0))
    before = np.maximum(after - 1, 0)
    nearest: Indices = np.where(want - have[before] <= np.abs(have[after] - want), before, after)
    return nearest
