"""Work on large arrays part by part, so that each part is read from memory only once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

_PART = 32_768
"""Number of elements of a part, which fits into the cache of a processor."""


def parts_of(array: npt.NDArray[Any]) -> Iterator[slice]:
    """Yield the slices that cut an array of shape (n,) into parts, in order."""
    return (slice(start, start + _PART) for start in range(0, array.size, _PART))


def extremes(array: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest number of an array of at least one number, of any shape; NaN do not count.

    Both are NaN if all numbers are NaN.
    """
    flat = array.reshape(-1)
    ends = [(np.fmin.reduce(flat[part]), np.fmax.reduce(flat[part])) for part in parts_of(flat)]
    return np.fmin.reduce([low for low, _ in ends]), np.fmax.reduce([high for _, high in ends])


def add_to_increasing(array: npt.NDArray[np.int64], number: int) -> bool:
    """Add a number to an array of shape (n,) in place if each element is larger than the one before it; otherwise leave
    the array unchanged. Return whether the number was added.
    """
    before: int | None = None
    for part in parts_of(array):
        elements = array[part]
        if (before is not None and elements[0] <= before) or not (elements[1:] > elements[:-1]).all():
            array[: part.start] -= number
            return False
        before = int(elements[-1])
        elements += number
    return True


def increases(array: npt.NDArray[Any]) -> bool:
    """Return whether each element of an array of shape (n,) is larger than the one before it."""
    return all(
        (array[start + 1 : start + _PART + 1] > array[start : start + _PART][: array.size - start - 1]).all()
        for start in range(0, array.size - 1, _PART)
    )
