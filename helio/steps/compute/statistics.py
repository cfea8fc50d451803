"""Statistics of a series in intervals of fixed duration, or of the calendar."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.interval import Interval
from helio.steps.compute.angles import hold_no_turn, mean_directions
from helio.steps.compute.columns import columns_of
from helio.steps.compute.resample import intervals_of, leap_second_notes, picked
from helio.steps.compute.window_sums import Indices, counted_means, window_sums
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.periods import known_periods
from helio.store.table import Table

Statistic = Literal["mean", "median", "std", "min", "max", "count"]


@tool(
    version=3,
    context=window("interval"),
    gives=Result(
        like="series",
        kind="vector",
        by={"of": {"one": Result(kind="{series}"), "count": Result(unit="", frame="")}},
    ),
    synonyms="interval_statistics windowed_statistics summary_statistics compute_statistics",
)
def statistics(series: Table, *, interval: Interval, of: list[Statistic] | None = None) -> Table:
    """Compute mean, median, standard deviation, minimum and maximum of every interval.

    Parameters
    ----------
    series : Table, shape (n,) or (n, k)
        Any components and unit, any cadence, regular or not.
    interval : Duration or CalendarInterval
        Length c of the intervals: ``"1h"``, ``"1 month"``, ``"1 year"``, ``"Carrington rotation"``. They are half-open,
        [t, t + c), and start at the multiples of c since 1970-01-01T00:00 UTC, or with a month, a year or a rotation,
        as in `resample`.
    of : list of "mean", "median", "std", "min", "max", or "count" alone
        Statistics to compute, in this order. Default: mean, median, std, min and max. ``std`` is the sample's standard
        deviation, with m − 1 in the denominator, NaN for a single value; ``count`` is the number of valid samples and
        is computed alone because it has no unit.

    Returns
    -------
    Table, shape (m, len(of)) for a scalar, (m, k · len(of)) for components; (m,) for one statistic of a scalar
        float64, in the unit and frame of the series; a count has neither. Components are named ``mean``, ``std``
        or ``Bx mean``, ``Bx std``. The epoch is the **start** of the interval. There is a row for every interval from
        the first to the last record; without a valid sample it is NaN, and its count is 0.

    Raises
    ------
    StepError
        When the series is a spectrum; when a statistic is named twice, or ``count`` together with others; when
        statistics other than mean (the mean direction) and count of an angle that wraps are requested.

    References
    ----------
    Sample variance about the interval's own mean, added pairwise: Chan, Golub & LeVeque (1983), Am. Stat. 37, 242.

    Examples
    --------
    Mean, standard deviation and greatest value of an hour:

    >>> from helio.steps.examples import series
    >>> from helio.time_range import Duration
    >>> hourly = statistics(series([1.0, 2.0, 6.0], "nT", "Bz"), interval=Duration("1h"), of=["mean", "std", "max"])
    >>> hourly.values.round(2), hourly.components
    (array([[3.  , 2.65, 6.  ]]), ('mean', 'std', 'max'))
    """
    measures: list[Statistic] = ["mean", "median", "std", "min", "max"] if of is None else list(of)
    if not measures or len(set(measures)) != len(measures) or ("count" in measures and len(measures) > 1):
        raise StepError(
            f"one table cannot hold these statistics: {', '.join(measures)}"
            if measures
            else "'of' is an empty list",
            advice="name each statistic once; compute count in a separate step, because it has no unit",
        )
    if series.kind == "spectrum":
        raise StepError(
            f"'{series.name}' is a spectrum, but statistics needs a series or a vector",
            advice="average it over a band first, with band_average, or use resample",
        )
    if set(measures) - {"mean", "count"}:
        hold_no_turn(series, purpose="reduced to more than its mean")
    notes: tuple[str, ...] = ()
    if not len(series):
        epoch, first, last = series.epoch, np.zeros(0, np.int64), np.zeros(0, np.int64)
    else:
        epoch, first, last = intervals_of(series, interval)
    flat = columns_of(series.values)
    made = []
    for statistic in measures:
        if statistic == "mean":
            means, notes = mean_directions(series, first, last)
            made.append(columns_of(means))
        else:
            made.append(_statistic(flat, first, last, statistic))
    values = np.stack(made, axis=-1).reshape(epoch.size, flat.shape[1] * len(measures))
    names = [f"{component} {statistic}" for component in series.components for statistic in measures] or list(
        measures
    )
    alone = len(names) == 1
    provenance = f"{', '.join(measures)} of {interval}"
    return replace(
        series,
        epoch=epoch,
        values=values[:, 0] if alone else values,
        components=() if alone else tuple(names),
        stated_representation=""
        if alone
        else series.representation
        if measures in (["mean"], ["median"])
        else "none",
        stated_periods=known_periods([period for period in series.periods for _ in measures])
        if "count" not in measures
        else (),
        unit="" if measures == ["count"] else series.unit,
        name=f"{series.name} {measures[0]}".strip() if len(measures) == 1 else series.name,
        frame="" if measures == ["count"] else series.frame,
        scale="linear" if "count" in measures else series.scale,
        description=f"{series.description}, {provenance}" if series.description else provenance,
        notes=(*series.notes, *notes, *leap_second_notes(series)),
    )


def _statistic(
    flat: npt.NDArray[np.float64], first: Indices, last: Indices, statistic: Statistic
) -> npt.NDArray[np.float64]:
    """Compute one statistic in every interval, for each column; shape (m, k)."""
    if statistic in ("median", "min", "max"):
        return picked(flat, first, last, statistic)
    valid = ~np.isnan(flat)
    running = np.concatenate([np.zeros((1, flat.shape[1]), np.int64), np.cumsum(valid, axis=0)])
    count: Indices = running[last] - running[first]
    if statistic == "count":
        return count.astype(np.float64)
    # About each interval's own mean: a difference of squares would lose the digits of a small deviation.
    means = np.repeat(counted_means(flat, first, last), last - first, axis=0)
    squares = np.where(valid, (flat - means) ** 2, 0.0)
    deviation = np.full(count.shape, np.nan)
    np.divide(window_sums(squares, first, last), count - 1, out=deviation, where=count > 1)
    root: npt.NDArray[np.float64] = np.sqrt(deviation)
    return root
