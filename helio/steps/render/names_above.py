"""Names of events in a strip above the first panels, where they hide nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from helio.steps.render.encode import iso
from helio.steps.render.events import Interval
from helio.steps.render.geometry import Geometry
from helio.steps.render.wording import text_width

_MOST_ROWS = 4
"""The largest number of rows of names."""
_SPACE = 6
"""The smallest distance in pixels between two names."""


@dataclass(frozen=True)
class _Placed:
    """A name with its place: the row above the panels, and the middle of its text in pixels from the left."""

    interval: Interval
    row: int
    middle: float


def height(
    intervals: Sequence[Interval], geometry: Geometry, start: np.datetime64, stop: np.datetime64
) -> int:
    """Return the height in pixels of the strip that the names of these intervals need; 0 without names."""
    placed, _ = _place(intervals, geometry, start, stop)
    rows = max((name.row for name in placed), default=-1) + 1
    return round(rows * _row(geometry) + 2) if rows else 0


def names_above(
    intervals: Sequence[Interval],
    geometry: Geometry,
    axes: Collection[str],
    start: np.datetime64,
    stop: np.datetime64,
    colour: str,
) -> tuple[list[dict[str, Any]], int]:
    """Return plotly's texts for the names of intervals above the first panels, and the number of names without room.

    Parameters
    ----------
    axes : collection of str
        Plotly's names of the time axes of the first panels, one for each column.
    """
    placed, left_out = _place(intervals, geometry, start, stop)
    span = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    first, width = int(start.astype("datetime64[ns]").astype("i8")), geometry.panel_width(1)
    texts = [
        {
            "text": name.interval.name, "xref": axis,
            "x": iso(np.datetime64(first + round(name.middle / width * span), "ns")), "xanchor": "center",
            "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": round(1 + name.row * _row(geometry), 1),
            "showarrow": False, "borderpad": 0, "font": {"size": geometry.font - 3, "color": colour},
        }
        for axis in axes
        for name in placed
    ]  # fmt: skip
    return texts, left_out


def _row(geometry: Geometry) -> float:
    return 1.25 * (geometry.font - 3)


def _place(
    intervals: Sequence[Interval], geometry: Geometry, start: np.datetime64, stop: np.datetime64
) -> tuple[list[_Placed], int]:
    """Return the places of names in the order of time, and how many have no room.

    Each is above the middle of its interval, or beside the edge of the panel, and in the lowest row that is free.
    """
    first, last = (int(end.astype("datetime64[ns]").astype("i8")) for end in (start, stop))
    across = geometry.panel_width(1)
    ends: list[float] = []
    placed: list[_Placed] = []
    left_out = 0
    named = [interval for interval in intervals if interval.name]
    for interval in sorted(named, key=lambda named: (named.first + named.last, named.name)):
        width = text_width(interval.name, geometry.font - 3)
        middle = ((interval.first + interval.last) / 2 - first) / (last - first) * across
        middle = max(width / 2, min(across - width / 2, middle)) if width < across else across / 2
        row = next((row for row, end in enumerate(ends) if end + _SPACE <= middle - width / 2), len(ends))
        if row >= _MOST_ROWS:
            left_out += 1
            continue
        ends[row : row + 1] = [middle + width / 2]
        placed.append(_Placed(interval, row, middle))
    return placed, left_out
