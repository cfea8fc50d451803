"""A series on a regular grid of epochs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.interval import Interval, carrington_number, carrington_start
from helio.steps.compute.angles import hold_no_turn, mean_directions
from helio.steps.compute.columns import columns_of
from helio.steps.compute.medians import row_medians
from helio.steps.compute.window_sums import Indices
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.leap_seconds import leap_seconds_in
from helio.store.table import Axis, Epochs, Table
from helio.time_range import Duration

MOST_VALUES = 50_000_000
"""The largest number of values that a result may have, 400 MB; more values are probably a mistake in the cadence."""

_REDUCED = {"median": "median", "min": "least", "max": "greatest"}

_BLOCK = 1 << 18
"""Number of samples that are copied into intervals at a time: 2 MB."""


@tool(
    version=3,
    context=window("cadence"),
    gives=Result(like="series"),
    synonyms="resample_data downsample rebin",
)
def resample(
    series: Table,
    *,
    cadence: Interval,
    method: Literal["mean", "median", "min", "max", "first"] = "mean",
    epoch: Literal["start", "middle"] = "start",
) -> Table:
    """Reduce a series to one value per interval of fixed duration, or per month, year or Carrington rotation.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, epochs in increasing order at any cadence, regular or not.
    cadence : Duration or CalendarInterval
        Length c of the intervals: ``"1min"``, ``"1h"``, ``"1 month"``, ``"3 months"``, ``"1 year"``, or
        ``"Carrington rotation"``.
    method : "mean", "median", "min", "max" or "first"
        Reduction of the valid samples of an interval; ``first`` is the earliest of them.
    epoch : "start" or "middle"
        Where in its interval the epoch of a value is. The middle is right for a figure of long means, such as daily
        ones; `align` with other data needs the start.

    Returns
    -------
    Table, shape (m,), (m, k) or (m, b)
        float64. Intervals are half-open, [t, t + c), and start at the multiples of c since 1970-01-01T00:00 UTC,
        for every time range: with a cadence that divides a day, the first starts at midnight. Months, quarters and
        years are those of the calendar in UTC; a Carrington rotation starts when the longitude of the central
        meridian of the Sun is 0, to a few minutes. The first and the last interval may hold fewer samples, where the
        series starts or stops inside of them. The epoch of an
        interval is its **start** t, as in OMNI's hourly and one-minute data, or its middle with ``epoch: middle``.
        There is a row for every interval from the first to the last record; without a valid sample it is NaN, so that
        gaps stay gaps. Nothing is interpolated: a cadence finer than the data gives rows of NaN between them. The
        mean of an angle that wraps, such as a clock angle or a longitude, is the mean direction, and a note says so.

    Raises
    ------
    StepError
        When the bins of a spectrum change within an interval, or the result would be too long. When the median,
        minimum or maximum of an angle that wraps is requested.

    References
    ----------
    OMNIWeb, format of the high-resolution OMNI data: "Minute, 0 ... 59 at start of average".

    Examples
    --------
    One-minute values as means of two minutes:

    >>> from helio.steps.examples import series
    >>> halved = resample(series([1.0, 3.0, 5.0, 9.0], "nT"), cadence=Duration("2min"))
    >>> halved.values, halved.epoch.astype("M8[m]")
    (array([2., 7.]), array(['2024-05-10T00:00', '2024-05-10T00:02'], dtype='datetime64[m]'))
    """
    if not len(series):
        return replace(series, values=series.values.astype(np.float64))
    if method in ("median", "min", "max"):
        hold_no_turn(series, purpose=f"reduced to the {_REDUCED[method]} of an interval")
    epochs, first, last = intervals_of(series, cadence)
    if epoch == "middle":
        epochs = _middles(epochs, cadence)
    notes: tuple[str, ...] = ()
    if method == "mean":
        values, notes = mean_directions(series, first, last)
    else:
        values = picked(series.values, first, last, method)
    return replace(
        series,
        epoch=epochs,
        values=values,
        axes=tuple(_of_intervals(axis, first, last, cadence) for axis in series.axes),
        notes=(*series.notes, *notes, *leap_second_notes(series)),
    )


def intervals_of(series: Table, cadence: Interval) -> tuple[Epochs, Indices, Indices]:
    """Divide the time of a series into half-open intervals: multiples of a duration since 1970, or of the calendar.

    Returns
    -------
    epoch : datetime64[ns], shape (m,)
        Their starts, without a break from the first to the last record.
    first, last : int64, shape (m,)
        The records of interval i are ``first[i]:last[i]``.

    Raises
    ------
    StepError
        When the intervals would hold more than `MOST_VALUES` values.
    """
    interval = _numbers(series.epoch, cadence)
    start, rows = int(interval[0]), int(interval[-1]) - int(interval[0]) + 1
    if rows * max(1, series.values[0].size) > MOST_VALUES:
        raise StepError(
            f"the result would have {rows:,} rows, which is too many",
            advice="choose a longer cadence or a shorter time range",
        )
    edges = np.searchsorted(interval, start + np.arange(rows + 1, dtype=np.int64), side="left")
    return _starts(start + np.arange(rows, dtype=np.int64), cadence), edges[:-1], edges[1:]


def _numbers(epoch: Epochs, cadence: Interval) -> Indices:
    """Return the number of the interval of every epoch."""
    if isinstance(cadence, Duration):
        return epoch.astype(np.int64) // cadence.nanoseconds
    if cadence.months:
        return epoch.astype("datetime64[M]").astype(np.int64) // cadence.months
    first, last = (carrington_number(edge.astype("datetime64[us]").item()) for edge in epoch[[0, -1]])
    starts = _starts(np.arange(first, last + 1), cadence)
    return first - 1 + np.searchsorted(starts, epoch, side="right")


def _starts(numbers: Indices, cadence: Interval) -> Epochs:
    """Return the starts of the intervals with these numbers."""
    if isinstance(cadence, Duration):
        return (numbers * cadence.nanoseconds).astype("datetime64[ns]")
    if cadence.months:
        return (numbers * cadence.months).astype("datetime64[M]").astype("datetime64[ns]")
    return np.array([carrington_start(int(number)) for number in numbers], dtype="datetime64[ns]")


def _middles(starts: Epochs, cadence: Interval) -> Epochs:
    """Return the middles of the intervals with these starts."""
    if isinstance(cadence, Duration):
        return starts + np.timedelta64(cadence.nanoseconds // 2, "ns")
    return starts + (_starts(_numbers(starts, cadence) + 1, cadence) - starts) // 2


def leap_second_notes(series: Table) -> tuple[str, ...]:
    """Return a note for each interval that contains a leap second, because the interval is one second longer."""
    return tuple(
        f"the last interval before {np.datetime64(leap.midnight, 'ns').astype('M8[s]')} contains a leap "
        "second, so it is one second longer"
        for leap in leap_seconds_in(series.epoch)
    )


def picked(
    values: npt.NDArray[Any], first: Indices, last: Indices, method: Literal["median", "min", "max", "first"]
) -> npt.NDArray[np.float64]:
    """Return the first, the smallest, the largest or the median valid value in every interval, for each column."""
    flat = columns_of(values)
    made = np.full((first.shape[0], flat.shape[1]), np.nan)
    filled = np.flatnonzero(last > first)
    if filled.size and method in ("min", "max"):
        # One interval begins where the one before it ends, empty ones aside.
        least = np.fmin if method == "min" else np.fmax
        made[filled] = least.reduceat(flat[: last[filled[-1]]], first[filled], axis=0)
    else:
        for column in range(flat.shape[1]):
            _pick(made[:, column], flat[:, column], first, last, method)
    return made.reshape(first.shape[0], *values.shape[1:])


def _pick(
    made: npt.NDArray[np.float64],
    column: npt.NDArray[np.float64],
    first: Indices,
    last: Indices,
    method: str,
) -> None:
    """Write the median, or the first valid sample, of every interval of one column into `made`."""
    length = last - first
    longest = int(length.max(initial=0))
    padded = np.concatenate([column, np.full(longest, np.nan)])
    # Side by side stand intervals of about one length, so that a long one does not make all others as long.
    waiting = np.argsort(length, kind="stable")[np.count_nonzero(length == 0) :]
    while waiting.size:
        width = int(length[waiting[-1]])
        rows = max(1, _BLOCK // width)
        block, waiting = waiting[-rows:], waiting[:-rows]
        samples = padded[first[block, None] + np.arange(width)]
        samples[np.arange(width) >= length[block, None]] = np.nan
        if method == "median":
            made[block], _ = row_medians(samples)
        else:
            made[block] = samples[np.arange(block.size), np.argmax(~np.isnan(samples), axis=1)]


def _of_intervals(axis: Axis, first: Indices, last: Indices, cadence: Interval) -> Axis:
    """Return an axis with bins for each interval; an interval without records takes the bins of the one before."""
    if not axis.per_record:
        return axis
    filled = np.where(last > first, np.arange(first.shape[0]), 0)
    records = first[np.maximum.accumulate(filled)]
    of_record = np.repeat(first, last - first)
    for bins in (axis.centers, axis.lower, axis.upper):
        if bins is not None and not np.array_equal(bins, bins[of_record], equal_nan=True):
            raise StepError(
                f"the bins of '{axis.label}' change within an interval of {cadence}, so helio cannot "
                "average their values",
                advice="take band_average first",
            )
    return axis.take(records)
