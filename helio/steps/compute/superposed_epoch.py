"""Superposed epoch analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from helio.counts import number_of
from helio.errors import StepError
from helio.sources.iso_times import NotATime, nanoseconds_of_texts
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.resample import MOST_VALUES
from helio.steps.compute.window_sums import counted_means
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Axis, Epochs, Table, merge_sources
from helio.time_range import Duration

_UNITS = (("h", 3_600_000_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000))
_PERCENT = {"lower_quartile": 25, "median": 50, "upper_quartile": 75}

Statistic = Literal["events", "median", "lower_quartile", "upper_quartile", "mean", "count"]


@tool(
    version=1,
    context=whole_range("each bin has the samples around all zero times"),
    needs=(("events_label", "zero_times"),),
    gives=Result(like="series", frame="", kind="spectrum", by={"give": {"count": Result(unit="")}}),
    synonyms="superposed_epoch_analysis sea epoch_superposition superpose_epochs",
)
def superposed_epoch(
    series: Annotated[Table, Quantity(kind="scalar")],
    events: Table | None = None,
    *,
    before: Duration,
    after: Duration,
    bin: Duration,
    zero_times: list[str] | None = None,
    give: Statistic = "events",
) -> Table:
    """Superpose a series around several zero times: each event, or their median and quartiles, over epoch time.

    Parameters
    ----------
    series : Table, shape (n,)
        A series of any unit and cadence, gaps allowed, in a time range that contains all events.
    events : Table, any shape of m records
        Table whose epochs are the zero times: onsets from `storm_phases`, or a list of events from a CSV file. Its
        values do not matter. Give either `events` or `zero_times`.
    before : Duration
        How long before the zero times the result begins; a multiple of `bin`.
    after : Duration
        How long after the zero times the result ends; a multiple of `bin`.
    bin : Duration
        Length of the bins of epoch time: ``"1h"``. The zero time is the edge of two bins.
    zero_times : list of str
        The zero times in ISO 8601, UTC: ``["2015-03-17T06:00", "2017-09-07T21:00"]``.
    give : "events", "median", "lower_quartile", "upper_quartile", "mean" or "count"
        The kind of result; see below.

    Returns
    -------
    Table, shape (m, b) for ``events``, otherwise (1, b)
        A spectrum over the axis ``Time from zero epoch``, in h, min or s. ``events`` has one record for each event, at
        its zero time, with the means of the valid samples in each half-open bin, in the unit of the series; NaN in
        bins without a valid sample. The other results are computed in each bin from the events that have a value
        there: median, quartiles (linear between the ranked events), mean, or the number of these events, without a
        unit. Their epoch is the first zero time. Zero times without any sample in their window are left out; a note
        says how many. Nothing is interpolated.

        A figure draws ``events`` as a spectrogram (one column for each event), or in a spectrum panel: a line for
        each of up to eight events, and the median with a band between the quartiles for more.

    Raises
    ------
    StepError
        When zero times are given twice or not at all, or are no times; when no zero time has data; when `before` and
        `after` are not multiples of `bin`; when the series is an angle that wraps.

    References
    ----------
    Chree, Phil. Trans. R. Soc. A 212, 75 (1913); Samson & Yeung, Planet. Space Sci. 34, 1133 (1986).

    Examples
    --------
    Two events in a series of hours, from one hour before to two hours after:

    >>> from helio.steps.examples import series
    >>> dst = series([0.0, -50.0, -20.0, 0.0, 2.0, -100.0, -40.0], "nT", "Dst", every="1h")
    >>> hour = Duration("1h")
    >>> zero_times = ["2024-05-10T01:00", "2024-05-10T05:00"]
    >>> mean = superposed_epoch(dst, before=hour, after=Duration("2h"), bin=hour, zero_times=zero_times, give="mean")
    >>> mean.values, mean.axes[0].centers
    (array([[  1., -75., -30.]]), array([-0.5,  0.5,  1.5]))
    """
    hold_no_turn(series, purpose="superposed")
    zeros = _zero_times(events, zero_times)
    edges = _edges(before, after, bin)
    if zeros.size * edges.size > MOST_VALUES:
        raise StepError(
            f"{number_of(zeros.size, 'event')} of {number_of(edges.size - 1, 'bin')} are too many values",
            advice="choose longer bins or a shorter window",
        )
    bounds = np.searchsorted(
        series.epoch.astype(np.int64), zeros.astype(np.int64)[:, np.newaxis] + edges, side="left"
    )
    values = counted_means(series.values, bounds[:, :-1].ravel(), bounds[:, 1:].ravel())
    values = values.reshape(zeros.size, edges.size - 1)
    covered = np.isfinite(values).any(axis=1)
    if not covered.any():
        raise StepError(
            f"'{series.name}' has no value around any of {number_of(zeros.size, 'zero time')}",
            advice="fetch a time range that contains the events, with the time before and after them",
        )
    notes = [f"superposed: {number_of(int(covered.sum()), 'event')}"]
    if not covered.all():
        notes.append(f"zero times without data, left out: {np.count_nonzero(~covered)} of {zeros.size}")
    zeros, values = zeros[covered], values[covered]
    unit, length = next(
        ((unit, length) for unit, length in _UNITS if edges[-1] - edges[0] >= 2 * length), _UNITS[-1]
    )
    places = edges / length
    axis = Axis(
        "Time from zero epoch", unit, (places[:-1] + places[1:]) / 2, places[:-1], places[1:], "linear"
    )
    words = give.replace("_", " ")
    name = series.name or "x"
    tables = (series,) if events is None else (series, events)
    return replace(
        series,
        epoch=zeros if give == "events" else zeros[:1],
        values=values if give == "events" else _over_events(values, give)[np.newaxis],
        axes=(axis,),
        unit="" if give == "count" else series.unit,
        name=name if give == "events" else "events" if give == "count" else f"{name}, {words}",
        frame="",
        stated_periods=None,
        scale="linear" if give == "count" else series.scale,
        description=f"superposed epochs of {name}: {words} of {number_of(zeros.size, 'event')}",
        sources=merge_sources(tables),
        notes=(*dict.fromkeys(note for table in tables for note in table.notes), *notes),
    )


def _zero_times(events: Table | None, written: list[str] | None) -> Epochs:
    if (events is None) == (written is None):
        raise StepError(
            "no zero times are given" if events is None else "the zero times are given twice",
            advice="give either events_label or zero_times",
        )
    if events is not None:
        zeros: Epochs = events.epoch
    else:
        try:
            zeros = nanoseconds_of_texts(pa.chunked_array([pa.array(written, pa.string())])).astype("M8[ns]")
        except NotATime as error:
            raise StepError(
                f"zero_times: {error}", advice='write times as "2015-03-17T06:00", in UTC'
            ) from error
    if not zeros.size:
        raise StepError("the list of zero times is empty", advice="choose at least one event")
    every: Epochs = np.unique(zeros)
    return every


def _edges(before: Duration, after: Duration, bin_length: Duration) -> npt.NDArray[np.int64]:
    for length in (before, after):
        if length.nanoseconds % bin_length.nanoseconds:
            raise StepError(
                f"{length} is not a multiple of the bins of {bin_length}",
                advice="choose before and after as multiples of bin",
            )
    first, last = (length.nanoseconds // bin_length.nanoseconds for length in (before, after))
    if first + last + 1 > MOST_VALUES:
        raise StepError(f"{first + last:,} bins are too many", advice="choose a longer bin")
    return np.asarray(np.arange(-first, last + 1) * bin_length.nanoseconds, dtype=np.int64)


def _over_events(values: npt.NDArray[np.float64], give: Statistic) -> npt.NDArray[np.float64]:
    """Compute one statistic of the events in each bin, shape (b,); NaN where no event has a value."""
    valid = np.isfinite(values)
    if give == "count":
        return np.asarray(valid.sum(axis=0), dtype=np.float64)
    made = np.full(values.shape[1], np.nan)
    for column in np.flatnonzero(valid.any(axis=0)):
        samples = values[valid[:, column], column]
        made[column] = samples.mean() if give == "mean" else np.percentile(samples, _PERCENT[give])
    return made
