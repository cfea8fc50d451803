"""A series with its short gaps filled."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from helio.errors import StepError
from helio.steps.compute.between_samples import values_at
from helio.steps.compute.resample import MOST_VALUES
from helio.steps.compute.shares import missing, share
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.table import Epochs, Table
from helio.time_range import Duration


@tool(
    version=3,
    context=window("limit", records=1),
    gives=Result(like="series"),
    synonyms="fill_gaps gap_fill interpolate_gaps interpolate_data fill_missing",
)
def interpolate(
    series: Table,
    *,
    limit: Duration,
    method: Literal["linear", "nearest"] = "linear",
    cadence: Duration | None = None,
) -> Table:
    """Fill short gaps of a series, or interpolate it to regular epochs; longer gaps stay.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, any cadence, regular or not.
    limit : Duration
        The longest time between two valid samples across which values are interpolated. At one minute, ``"2min"``
        fills a
        single missing value, ``"5min"`` up to four in a row.
    method : "linear" or "nearest"
        ``linear``: the straight line between the samples before and after. ``nearest``: the nearer of the two, at
        most half the limit away.
    cadence : Duration, optional
        Regular cadence of the result: its epochs are the multiples of the cadence since 1970-01-01T00:00 UTC, from
        the first to the last record. Without a cadence, the result has the epochs of the series: missing values are
        filled, and missing records are not added.

    Returns
    -------
    Table, shape of `series`, or of m records with a cadence
        float64. Valid samples at the epochs of the result are unchanged; a note says how many values were interpolated.
        Nothing is extrapolated before the first and after the last valid sample.

    Raises
    ------
    StepError
        When the bins of a spectrum change from record to record and the method is ``"linear"``, or the cadence gives
        too many rows.

    Notes
    -----
    Interpolation smooths: a filled series has less power at high frequencies than a measured one. Angles that wrap,
    such as clock angles and longitudes, are interpolated the shorter way round: halfway from 359° to 1° is 0°.

    References
    ----------
    Piecewise linear interpolation, as ``numpy.interp``, with a limit.

    Examples
    --------
    One missing value is filled, two in a row stay:

    >>> from helio.steps.examples import NAN, series
    >>> values = [1.0, NAN, 3.0, NAN, NAN, 6.0]
    >>> interpolate(series(values, "nT"), limit=Duration("2min")).values
    array([ 1.,  2.,  3., nan, nan,  6.])
    """
    if not len(series):
        return replace(series, values=series.values.astype(np.float64))
    if cadence is None:
        epoch, axes = series.epoch, series.axes
        values = series.values.astype(np.float64)
        unknown = np.isnan(values)
        rows = np.flatnonzero(unknown.reshape(len(series), -1).any(axis=1))
        filled, _ = values_at(series, epoch, method=method, limit=limit.nanoseconds, records=rows)
        values[rows] = np.where(unknown[rows], filled, values[rows])
        made = int(np.count_nonzero(unknown)) - missing(values)
    else:
        epoch = _clock(series, cadence)
        values, axes = values_at(series, epoch, method=method, limit=limit.nanoseconds)
        at = np.minimum(np.searchsorted(series.epoch, epoch), len(series) - 1)
        measured = ~np.isnan(series.values[at])
        measured[series.epoch[at] != epoch] = False
        made = int(np.count_nonzero(~np.isnan(values) & ~measured))
    note = f"interpolated ({method}, limit {limit}): {share(made, values.size, 'values')} filled"
    return replace(series, epoch=epoch, values=values, axes=axes, notes=(*series.notes, note))


def _clock(series: Table, cadence: Duration) -> Epochs:
    """Return the whole multiples of the cadence from the first to the last record; refuse too many."""
    step = cadence.nanoseconds
    nanoseconds = series.epoch.view(np.int64)
    first, last = -(-int(nanoseconds[0]) // step), int(nanoseconds[-1]) // step
    rows = max(0, last - first + 1)
    if rows * max(1, series.values[0].size) > MOST_VALUES:
        raise StepError(
            f"the result would have {rows:,} rows, which is too many",
            advice="choose a longer cadence or a shorter time range",
        )
    return ((first + np.arange(rows, dtype=np.int64)) * step).astype("datetime64[ns]")
