"""The values of a table as columns of plain numbers, and the selection of columns and records by their numbers."""

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


def without_copy(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | slice:
    """Return consecutive numbers as a slice, because numpy then copies nothing; return other numbers unchanged."""
    if numbers.size and numbers[-1] - numbers[0] == numbers.size - 1 and (np.diff(numbers) == 1).all():
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers
