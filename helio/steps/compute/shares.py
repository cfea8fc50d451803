"""How many values of a table something was done to, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def share(count: int, total: int, what: str) -> str:
    """Write a share: ``12 of 8,640 values (0.14 %)``."""
    return f"{count:,} of {total:,} {what} ({100 * count / max(total, 1):.3g} %)"


def missing(values: npt.NDArray[Any]) -> int:
    """Return how many values are missing."""
    return int(np.count_nonzero(np.isnan(values)))
