"""Compute medians of many short rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def row_medians(
    samples: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Compute the median and the number of the valid samples of each row; the median is NaN without valid samples.

    Parameters
    ----------
    samples : float64, shape (r, w), w > 0
        The samples; they are sorted in place.
    """
    samples.sort(axis=1)  # NaN last
    count = samples.shape[1] - np.isnan(samples).sum(axis=1)
    row = np.arange(samples.shape[0])
    lower = samples[row, np.maximum(count - 1, 0) // 2]
    upper = samples[row, np.minimum(count // 2, samples.shape[1] - 1)]
    return np.where(count > 0, lower + (upper - lower) / 2, np.nan), count
