"""The corner of a panel in which a text hides the fewest points."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]
Corner = tuple[str, str]

CORNERS: tuple[Corner, ...] = (("right", "top"), ("left", "top"), ("right", "bottom"), ("left", "bottom"))
READING: tuple[Corner, ...] = (("left", "top"), ("right", "top"), ("left", "bottom"), ("right", "bottom"))
"""The corners from the one in which a reader begins."""


def behind(points: Iterable[tuple[Reals, Reals]], corner: Corner, wide: float, high: float) -> int:
    """Return how many points are in a corner.

    Parameters
    ----------
    points : iterable of two arrays
        Places of points as fractions of the panel's width and height, from the left and from the bottom.
    wide, high : float
        Size of the corner as fractions of the panel.
    """
    count = 0
    for across, up in points:
        near_x = across > 1 - wide if corner[0] == "right" else across < wide
        near_y = up > 1 - high if corner[1] == "top" else up < high
        count += int((near_x & near_y).sum())
    return count


def emptiest(points: Iterable[tuple[Reals, Reals]], wide: float, high: float) -> Corner:
    """Return the corner with the fewest points, the first of several in the order of `CORNERS`.

    >>> places = np.array([0.02, 0.97]), np.array([0.98, 0.99])
    >>> emptiest([places], 0.1, 0.1)
    ('right', 'bottom')
    """
    known = list(points)
    return min(CORNERS, key=lambda corner: behind(known, corner, wide, high))
