"""The delay of one series relative to another series."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.resample import MOST_VALUES, intervals_of
from helio.steps.compute.stretches import cadence_of, in_words
from helio.steps.quantity import Quantity, same_clock
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import counted, elapsed
from helio.store.table import Epochs, Table, merge_sources
from helio.time_range import Duration

FEWEST_PAIRS = 10
_MOST = 2_000_000_000
"""The largest number of pairs of samples that the tool compares, which takes half a minute."""

Scalar = Annotated[Table, Quantity(kind="scalar")]


@tool(
    version=3,
    context=whole_range("the samples are placed on one regular grid that starts at the first record"),
    gives=Result(
        frame="", kind="scalar", by={"give": {"lag": Result(unit="s"), "correlation": Result(unit="")}}
    ),
    synonyms="cross_correlation best_lag lag_by_cross_correlation",
)
def cross_correlation_lag(
    series: Scalar,
    delayed: Scalar,
    *,
    longest: Duration,
    interval: Duration | None = None,
    least: float = 0.5,
    give: Literal["lag", "correlation"] = "lag",
) -> Table:
    """Find the delay at which two series have the highest correlation, overall or in each interval.

    Parameters
    ----------
    series : Table, shape (n,)
        A series with one cadence, gaps allowed; any unit: B_z at the first spacecraft.
    delayed : Table, shape (n,)
        A series on the same epochs (use `align` first), in any unit: B_z at the second spacecraft.
    longest : Duration
        The longest delay to try, in either direction, in steps of the cadence.
    interval : Duration, optional
        Compute one delay for each interval of this length; intervals start at multiples of this length since 1970,
        as in `resample`. Default: one delay for the whole series.
    least : float
        The correlation below which the result is NaN, -1 to 1.
    give : "lag" or "correlation"
        The delay, or the correlation at this delay.

    Returns
    -------
    Table, shape (m,), or (1,) without an interval
        The delay in s, positive where `delayed` comes after `series`: delayed(t) ~ series(t - lag); or the Pearson
        correlation at this delay, without a unit. The samples of `series` in the interval are correlated with those
        of `delayed` one delay later, also outside the interval, over pairs in which both are valid. NaN where the
        best delay has fewer than ten pairs or fewer than half the samples of the interval; where its correlation is
        below `least`; and where the best delay is the longest one tried, because the true delay may be longer. The
        epoch is the **start** of the interval, or the epoch of the first record.

    Raises
    ------
    ClockMismatch
        When the epochs are not the same.
    StepError
        When the series does not have one cadence, when the longest delay is shorter than the cadence or far too long,
        when gaps are as long as fifty million samples, or when `least` is not a correlation.

    References
    ----------
    Bendat & Piersol, Random Data, ch. 5.1: time delays from the peak of the correlation coefficient.

    Examples
    --------
    The second spacecraft sees the same five minutes later:

    >>> import numpy as np
    >>> from helio.steps.examples import series
    >>> noise = np.random.default_rng(1).normal(size=125)
    >>> first, second = series(noise[5:], "nT", "Bz"), series(noise[:-5], "nT", "Bz")
    >>> cross_correlation_lag(first, second, longest=Duration("20min")).values
    array([300.])
    """
    for given in (series, delayed):
        hold_no_turn(given, purpose="correlated")
    same_clock(series, delayed)
    if not -1 <= least < 1:
        raise StepError(
            f"'least' is {least:g}, but it must be at least -1 and below 1",
            advice="write least: 0.5",
        )
    cadence = cadence_of(series, purpose="a delay")
    steps = int(longest.nanoseconds // cadence)
    if steps < 1 or steps * 2 * len(series) > _MOST:
        raise StepError(
            f"the longest delay is {longest}, but the samples are {in_words(cadence)} apart"
            if steps < 1
            else f"delays of up to {longest} are too many to try on {len(series):,} samples that are "
            f"{in_words(cadence)} apart",
            advice="choose a longest delay of several times the cadence"
            if steps < 1
            else "choose a shorter delay, or resample first",
        )
    if interval is None:
        epoch, first, last = series.epoch[:1], np.zeros(1, np.int64), np.full(1, len(series))
    else:
        epoch, first, last = intervals_of(series, interval)
    positions = _places(series.epoch, cadence)
    if int(positions[-1]) + 2 * steps > MOST_VALUES:
        raise StepError(
            f"each series has {len(series):,} samples, but its time range is {int(positions[-1]) + 1:,} times "
            f"the cadence of {in_words(cadence)}, which is too long",
            advice="choose a time range without long gaps, or resample first",
        )
    left = _on_grid(series, positions, steps)
    right = _on_grid(delayed, positions, steps)
    best = np.full(epoch.size, np.nan)
    agreement = np.full(epoch.size, np.nan)
    for record in np.flatnonzero(last > first):
        begin, end = int(positions[first[record]]) + steps, int(positions[last[record] - 1]) + steps + 1
        correlations = _correlations(left[begin:end], right, begin, steps)
        if np.isnan(correlations).all():
            continue
        peak = int(np.nanargmax(correlations))
        if correlations[peak] >= least and 0 < peak < 2 * steps:
            best[record], agreement[record] = (peak - steps) * cadence / 1e9, correlations[peak]
    pair = f"{delayed.name} after {series.name}"
    return replace(
        series,
        epoch=epoch,
        values=best if give == "lag" else agreement,
        unit="s" if give == "lag" else "",
        name="lag" if give == "lag" else "correlation",
        frame="",
        stated_periods=(),
        scale="linear",
        description=f"delay of {pair}" if give == "lag" else f"correlation of {pair} at the best delay",
        sources=merge_sources([series, delayed]),
        notes=(
            *dict.fromkeys((*series.notes, *delayed.notes)),
            f"intervals in which no delay within {longest} gives a high enough peak of the correlation: "
            f"{np.count_nonzero(np.isnan(best)):,} of {best.size:,}",
        ),
    )


def _places(epoch: Epochs, cadence: float) -> npt.NDArray[np.int64]:
    """Return the number of whole cadences from the first record to each record."""
    clock = counted(epoch)
    # leap seconds without a record are moved by whole cadences, so that no two records share a place
    without_record = elapsed(epoch) - clock
    return np.asarray(
        np.rint((clock - clock[0]) / cadence) + np.rint(without_record / cadence), dtype=np.int64
    )


def _on_grid(table: Table, positions: npt.NDArray[np.int64], margin: int) -> npt.NDArray[np.float64]:
    """Place samples on a grid of whole cadences, with NaN where a sample is missing and in a margin at both ends."""
    grid = np.full(int(positions[-1]) + 1 + 2 * margin, np.nan)
    grid[positions + margin] = table.values
    return grid


def _correlations(
    part: npt.NDArray[np.float64], other: npt.NDArray[np.float64], begin: int, steps: int
) -> npt.NDArray[np.float64]:
    """Compute the Pearson correlation at every delay from -steps to steps, shape (2 · steps + 1,)."""
    correlations = np.full(2 * steps + 1, np.nan)
    enough = max(FEWEST_PAIRS, np.count_nonzero(~np.isnan(part)) / 2)
    for number in range(2 * steps + 1):
        start = begin + number - steps
        shifted = other[start : start + part.size]
        both = ~np.isnan(part) & ~np.isnan(shifted)
        if np.count_nonzero(both) < enough:
            continue
        x, y = part[both] - part[both].mean(), shifted[both] - shifted[both].mean()
        power = np.sqrt((x * x).sum() * (y * y).sum())
        if power > 0:
            correlations[number] = (x * y).sum() / power
    return correlations
