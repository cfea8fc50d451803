"""Write counts of values in words, for the notes of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def share(count: int, total: int, what: str) -> str:
    """Write a count and its share of the total: ``12 of 8,640 values (0.14 %)``."""
    return f"{count:,} of {total:,} {what} ({100 * count / max(total, 1):.3g} %)"


def missing(values: npt.NDArray[Any]) -> int:
    """Count the missing values."""
    return int(np.count_nonzero(np.isnan(values)))
