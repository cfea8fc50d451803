"""Convert the values of a table to columns of plain numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt


def columns_of(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the values as float64, shape (n, c), with one column for each component and bin; n may be 0.

    The result is a view if the values are float64 already; do not change it.
    """
    flat = values.reshape(values.shape[0], math.prod(values.shape[1:]))
    return flat.astype(np.float64, copy=False)
