"""Centred running median."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.indexers import BaseIndexer

from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.shares import share
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
    synonyms="rolling_median moving_median median_filter",
)
def running_median(series: Table, *, window: Duration) -> Table:
    """Compute the median of a series over a centred window of fixed duration.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, epochs in increasing order at any cadence, regular or not.
    window : Duration
        Length w of the window: ``"5min"``, ``"1h"``. The median at epoch t is over all samples of the closed interval
        [t − w/2, t + w/2], as in `running_average`.

    Returns
    -------
    Table, shape of `series`
        float64, named ``med⟨B⟩_5min`` for a series ``B``. Same epochs, components, unit and frame. Missing values
        are left out, infinite ones too with a note; a window without any valid sample gives NaN, so gaps longer
        than the window stay gaps. For an even number of samples, the median is the mean of the middle two. At the
        ends of the series the window holds fewer samples. Components are treated separately: the result is not
        the vector nearest to the others.

    Raises
    ------
    StepError
        When the bins of a spectrum change from record to record; for an angle that wraps.

    References
    ----------
    Tukey, J. W. (1977), Exploratory Data Analysis, ch. 7: running medians leave edges sharp and outliers out.

    Examples
    --------
    A spike of one record is gone:

    >>> from helio.steps.examples import series
    >>> running_median(series([1.0, 2.0, 99.0, 3.0, 4.0], "nT"), window=Duration("2min")).values
    array([1.5, 2. , 3. , 4. , 3.5])
    """
    hold_bins(series, purpose="averaged over time")
    hold_no_turn(series, purpose="sorted for a median")
    name = f"med⟨{series.name}⟩_{window}" if series.name else ""
    if not len(series):
        return replace(series, values=series.values.astype(np.float64), name=name)
    infinite = int(np.count_nonzero(np.isinf(series.values)))
    notes = (
        (f"infinite values are left out: {share(infinite, series.values.size, 'values')}",)
        if infinite
        else ()
    )
    first, last = centred_windows(series.epoch, window)
    windows = _Windows(first=first, last=last)
    frame = pd.DataFrame(columns_of(series.values))
    medians = frame.rolling(windows, min_periods=1).median().to_numpy()
    return replace(
        series, values=medians.reshape(series.values.shape), name=name, notes=(*series.notes, *notes)
    )


class _Windows(BaseIndexer):
    """The window of each record: the numbers of its first record and of the first record after it."""

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]

    def get_window_bounds(
        self,
        num_values: int = 0,
        min_periods: int | None = None,
        center: bool | None = None,
        closed: str | None = None,
        step: int | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the first record of every window, and the record after its last one, in the form that pandas needs."""
        return self.first, self.last
