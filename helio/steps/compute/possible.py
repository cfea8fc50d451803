"""Set impossible values to NaN: no density, temperature or distance is negative or infinite."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from helio.store.table import Table


def not_negative(series: Table) -> npt.NDArray[np.float64]:
    """Return a copy of the values as float64; negative and infinite values become NaN.

    A negative density is a fit that failed or a fill value that the file does not name. Results from it would
    look like a measurement.
    """
    values: npt.NDArray[np.float64] = series.values.astype(np.float64)
    values[(values < 0) | (values == np.inf)] = np.nan
    return values


def positive(series: Table) -> npt.NDArray[np.float64]:
    """Return a copy of the values as float64; values that are zero, negative or infinite become NaN."""
    values = not_negative(series)
    values[values == 0] = np.nan
    return values
