"""A series whose spikes are set to missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.medians import row_medians
from helio.steps.compute.shares import missing, share
from helio.steps.compute.window_sums import centred_windows
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration

MAD_OF_NORMAL = 1.4826
"""Ratio of the standard deviation of normal noise to its median absolute deviation: 1 / Φ⁻¹(3/4)."""

MOST_IN_WINDOW = 2_001
_BLOCK = 1 << 18
"""Number of samples that the tool copies into windows at a time: 2 MB."""


@tool(
    version=3,
    context=window("window"),
    gives=Result(like="series"),
    synonyms="hampel hampel_filter remove_spikes remove_outliers despike_data",
)
def despike(series: Table, *, window: Duration, threshold: float = 5.0, floor: float = 0.0) -> Table:
    """Set spikes to missing: values far from the median of their surroundings (Hampel identifier).

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, any cadence, regular or not.
    window : Duration
        Length w of the surroundings, the closed interval [t − w/2, t + w/2]: at least five samples, longer than a
        spike and shorter than the features to keep.
    threshold : float
        How many times the spread of the window a value may be away from its median. The spread is 1.4826 times the
        median absolute deviation from the median, which for normal noise is its standard deviation. 3 also removes one
        value in 400 of pure noise.
    floor : float
        The least spread, in the unit of the series, so that in a quiet or coarsely digitised stretch a step of one
        digit is not a spike.

    Returns
    -------
    Table, shape of `series`
        float64. Same epochs, components, unit and frame; spikes are NaN and are not replaced
        (`interpolate` does). A note says how many. Each component is treated separately. A window with fewer than three
        valid samples removes nothing.

    Raises
    ------
    StepError
        When the threshold is not above 0 or the floor below 0; when a window holds more than 2,001 samples, or in
        the middle fewer than three; when the bins of a spectrum change; for an angle that wraps.

    References
    ----------
    Hampel, F. R. (1974), J. Am. Stat. Assoc. 69, 383. Davies, L. & Gather, U. (1993), J. Am. Stat. Assoc. 88, 782.

    Examples
    --------
    One value far from its neighbours:

    >>> from helio.steps.examples import series
    >>> despike(series([5.0, 5.1, 4.9, 99.0, 5.0, 5.2, 4.8], "nT"), window=Duration("6min")).values
    array([5. , 5.1, 4.9, nan, 5. , 5.2, 4.8])
    """
    if not threshold > 0 or not floor >= 0:
        raise StepError(
            f"threshold is {threshold:g} and floor is {floor:g}: threshold must be above 0, and floor not "
            "below 0",
            advice="use a threshold from 3 to 10, and floor 0",
        )
    hold_bins(series, purpose="compared over time")
    hold_no_turn(series, purpose="searched for spikes")
    if not len(series):
        return replace(series, values=series.values.astype(np.float64))
    first, last = centred_windows(series.epoch, window)
    longest, usual = int((last - first).max()), int(np.median(last - first))
    if longest > MOST_IN_WINDOW:
        raise StepError(
            f"a window of {window} holds {longest:,} samples; despike takes at most {MOST_IN_WINDOW:,}",
            advice="choose a window a few times longer than a spike",
        )
    if usual < 3:
        raise StepError(
            f"a window of {window} holds {number_of(usual, 'sample')}, too few to find spikes",
            advice="choose a window of at least five samples",
        )
    flat = columns_of(series.values)
    cleaned = flat.copy()
    for column in range(flat.shape[1]):
        cleaned[_spikes(flat[:, column], first, last, longest, threshold, floor), column] = np.nan
    taken = missing(cleaned) - missing(flat)
    note = f"despiked ({window}, {threshold:g} × spread): {share(taken, flat.size, 'values')} set to missing"
    return replace(series, values=cleaned.reshape(series.values.shape), notes=(*series.notes, note))


def _spikes(
    values: npt.NDArray[np.float64],
    first: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    longest: int,
    threshold: float,
    floor: float,
) -> npt.NDArray[np.bool_]:
    """Return for each value whether it is a spike in its window."""
    spikes = np.zeros(values.size, dtype=bool)
    finite = np.where(np.isfinite(values), values, np.nan)
    padded = np.concatenate([finite, np.full(longest, np.nan)])
    places = np.arange(longest)
    rows = max(1, _BLOCK // longest)
    for begin in range(0, values.size, rows):
        block = slice(begin, begin + rows)
        windows = padded[first[block, None] + places]
        windows[places >= (last - first)[block, None]] = np.nan
        median, count = row_medians(windows)
        spread, _ = row_medians(np.abs(windows - median[:, None]))
        away = np.abs(values[block] - median)
        spikes[block] = (away > threshold * np.maximum(MAD_OF_NORMAL * spread, floor)) & (count >= 3)
    return spikes
