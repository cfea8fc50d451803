"""The rate of change of a series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio.knowledge.unit_products import unit_product
from helio.steps.compute.angles import shorter_way, turning
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.stretches import CADENCE_STEPS, GAP_FACTOR, local_cadence
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.leap_seconds import elapsed
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=4,
    context=window(records=2 * CADENCE_STEPS),
    gives=Result(like="series", unit="{series} s^-1"),
    synonyms="time_derivative differentiate rate_of_change compute_derivative",
)
def derivative(series: Table, *, limit: Duration | None = None) -> Table:
    """Compute the time derivative of a series, in the unit of the series per second.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, any cadence, regular or not.
    limit : Duration, optional
        The longest step between two records across which a difference is taken. Default: 1.5 times the local
        cadence, so that one missing record is a gap.

    Returns
    -------
    Table, shape of `series`
        float64, in ``X/s``; same epochs, components and frame. Within a stretch, the mean of the slopes to the
        record before and to the record after, each weighted by the length of the *other* step (second order, also
        where steps differ). With only one neighbour, the slope to this neighbour. NaN without a neighbour, or where
        the value itself is missing. An angle that wraps changes the shorter way round, and a note says so.

    Raises
    ------
    StepError
        When the bins of a spectrum change from record to record.

    Notes
    -----
    In a rotating frame this is the derivative of the components, not of the vector. Noise grows with a shorter cadence:
    take a running average or a resampled series first.

    References
    ----------
    Fornberg, B. (1988), Generation of finite difference formulas on arbitrarily spaced grids, Math. Comput. 51, 699.

    Examples
    --------
    A field that rises by 6 nT each minute:

    >>> from helio.steps.examples import series
    >>> slope = derivative(series([0.0, 6.0, 12.0], "nT", "B"))
    >>> slope.values, slope.unit
    (array([0.1, 0.1, 0.1]), 'nT/s')
    """
    hold_bins(series, purpose="subtracted")
    flat = columns_of(series.values)
    periods = turning(series).by_column
    steps = np.diff(elapsed(series.epoch))
    even = bool(steps.size) and steps.min() == steps.max() > 0
    if even:
        steps = steps[:1].copy()  # a view would keep all of them in memory
    longest = (
        GAP_FACTOR * (steps if even else local_cadence(series.epoch)) if limit is None else limit.nanoseconds
    )
    far = (steps <= 0) | (steps > longest)
    length = steps / 1e9
    values = np.full(flat.shape, np.nan)
    with np.errstate(invalid="ignore"):  # three records of one epoch have no slope to weigh
        weight = 0.5 if even else length[1:] / (length[:-1] + length[1:])
    for column, x in enumerate(flat.T):
        made = values[:, column]
        middle = made[1:-1]
        with np.errstate(invalid="ignore", divide="ignore"):  # two infinities have no difference
            slope = np.diff(x)
            if column in periods:
                slope = shorter_way(slope, periods[column])
            slope /= length
            np.copyto(slope, np.nan, where=far)
            np.subtract(slope[:-1], slope[1:], out=middle)
            middle *= weight
            middle += slope[1:]
        ends = np.flatnonzero(np.isnan(made))
        before = np.where(ends > 0, slope[ends - 1], np.nan) if slope.size else np.nan
        after = (
            np.where(ends < slope.size, slope[np.minimum(ends, slope.size - 1)], np.nan)
            if slope.size
            else np.nan
        )
        made[ends] = np.where(np.isnan(before), after, before)
    return replace(
        series,
        values=values.reshape(series.values.shape),
        unit=unit_product((series.unit, 1), ("s", -1)),
        stated_periods=(),
        name=f"d{series.name}/dt" if series.name else "rate of change",
        scale="linear",
        description=f"time derivative of {series.description}" if series.description else "",
        notes=(*series.notes, "changes of angles are taken the shorter way round")
        if periods
        else series.notes,
    )
