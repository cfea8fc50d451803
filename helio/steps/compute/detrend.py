"""A series without its trend."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.running_average import running_average
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import elapsed
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=4,
    context=whole_range("one trend is computed from all records"),
    gives=Result(like="series"),
    synonyms="remove_trend subtract_trend detrend_data",
)
def detrend(
    series: Table,
    *,
    method: Literal["mean", "linear", "running_mean"] = "linear",
    window: Duration | None = None,
) -> Table:
    """Subtract the mean, the straight line or the running mean of a series.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, any cadence, regular or not.
    method : "mean", "linear" or "running_mean"
        The trend to subtract: the mean of all valid samples; the straight line in time with the least squared
        distance to them; the mean over a centred window about each epoch, as `running_average` gives it.
    window : Duration, optional
        Length of the running mean; only for that method.

    Returns
    -------
    Table, shape of `series`
        float64, named ``δB``; same epochs, components, unit and frame. NaN where a value was missing. The mean and
        the line are computed from all valid samples of the series; gaps stay gaps.

    Raises
    ------
    StepError
        When a running mean has no window, or another method has one; when the bins of a spectrum change; for an
        angle that wraps.

    References
    ----------
    Bendat & Piersol, Random Data, ch. 10.2: trend removal.

    Examples
    --------
    Without the mean, then without the straight line:

    >>> from helio.steps.examples import series
    >>> rising = series([1.0, 2.0, 3.0, 6.0], "nT", "B")
    >>> detrend(rising, method="mean").values
    array([-2., -1.,  0.,  3.])
    >>> detrend(rising).values.round(1)
    array([ 0.4, -0.2, -0.8,  0.6])
    """
    if (window is None) == (method == "running_mean"):
        raise StepError(
            "a running mean needs a window" if window is None else f"a {method} trend has no window",
            advice='set window: "30min"'
            if window is None
            else "leave out 'window', or use method \"running_mean\"",
        )
    hold_bins(series, purpose="averaged over time")
    hold_no_turn(series, purpose="detrended")
    if window is not None:
        trend = running_average(series, window=window).values
        what = f"running mean of {window}"
    else:
        trend = _trend(series, straight=method == "linear")
        what = "straight line" if method == "linear" else "mean"
    values = series.values.astype(np.float64) - trend
    provenance = f"{what} subtracted"
    description = f"{series.description}, {provenance}" if series.description else provenance
    name = f"δ{series.name}" if series.name else ""
    return replace(series, values=values, name=name, description=description, scale="linear")


def _trend(series: Table, *, straight: bool) -> npt.NDArray[np.float64]:
    """Compute the mean or the straight line that fits the valid samples of each column."""
    flat = columns_of(series.values)
    valid = np.isfinite(flat)
    count = np.maximum(valid.sum(axis=0), 1)
    means = np.where(valid, flat, 0.0).sum(axis=0) / count
    trend = np.broadcast_to(means, flat.shape)
    if straight and len(series):
        passed = elapsed(series.epoch)
        when = (passed - passed[0]).astype(np.float64)
        when /= max(when[-1], 1.0)
        middle = (valid * when[:, None]).sum(axis=0) / count
        # Both are centred before they are multiplied: sums of squares would lose the digits of a small slope.
        along = np.where(valid, when[:, None] - middle, 0.0)
        across = np.where(valid, flat - means, 0.0)
        square = (along**2).sum(axis=0)
        slope = np.zeros(flat.shape[1])
        np.divide((along * across).sum(axis=0), square, out=slope, where=square > 0)
        trend = means + slope * (when[:, None] - middle)
    return trend.reshape(series.values.shape)
