"""Centred running average."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio.steps.compute.angles import mean_directions
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.window_sums import centred_windows
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=4,
    context=window("window"),
    gives=Result(like="series"),
    synonyms=(
        "smooth smooth_data moving_average running_mean rolling_mean rolling_average boxcar "
        "boxcar_average boxcar_smooth"
    ),
)
def running_average(series: Table, *, window: Duration) -> Table:
    """Average a series over a centred window of fixed duration.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, epochs in increasing order at any cadence, regular or not.
    window : Duration
        Length w of the window: ``"5min"``, ``"1h"``. The mean at epoch t is over all samples of the closed
        interval [t − w/2, t + w/2], so that it is symmetric in time and shifts no feature.

    Returns
    -------
    Table, shape of `series`
        float64, named ``⟨B⟩_5min`` for a series ``B``. Same epochs, components, unit and frame. Missing values are
        left out of the mean, infinite ones too with a note; a window without any valid sample gives NaN, so gaps
        longer than the window stay gaps. At the ends of the series the window holds fewer samples. The mean of an
        angle that wraps is the mean direction, and a note says so.

    Raises
    ------
    StepError
        When the bins of a spectrum change from record to record: values of different bins have no common
        mean.

    References
    ----------
    Moving average with a boxcar kernel; see e.g. Bendat & Piersol, Random Data, ch. 11.

    Examples
    --------
    Over three one-minute records, over two at the ends, and over those that are there:

    >>> from helio.steps.examples import NAN, series
    >>> running_average(series([1.0, 2.0, 6.0, NAN], "nT"), window=Duration("2min")).values
    array([1.5, 3. , 4. , 6. ])
    """
    hold_bins(series, purpose="averaged over time")
    name = f"⟨{series.name}⟩_{window}" if series.name else ""
    if not len(series):
        return replace(series, values=series.values.astype(np.float64), name=name)
    first, last = centred_windows(series.epoch, window)
    values, notes = mean_directions(series, first, last)
    return replace(series, values=values, name=name, notes=(*series.notes, *notes))
