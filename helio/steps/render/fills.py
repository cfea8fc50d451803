"""Filled areas of line panels: between a line and a level, and bands about a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.render.encode import moments, numbers

Reals = npt.NDArray[np.float64]
Epochs = npt.NDArray[np.datetime64]

OPACITY = 0.3
_HATCHED = 0.8
"""Opacity of the lines of a hatched area."""


def pieces(values: npt.NDArray[Any]) -> list[slice]:
    """Return the uninterrupted pieces of values, which end where a value is missing."""
    edges = np.flatnonzero(np.diff(np.pad(np.isfinite(values).astype(np.int8), 1)))
    return [slice(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def beyond_level(
    x: Epochs, y: npt.NDArray[Any], level: float, *, below: bool, log: bool
) -> tuple[Epochs, Reals]:
    """Return the polygons between a line and a level, where the line is below the level, or above it.

    The line crosses the level where the drawn line does: between two points, straight on the axis of the panel.

    Parameters
    ----------
    x, y : shape (n,)
        Points of the line; NaN where the line is broken.
    log : bool
        Whether the y axis is logarithmic; level and values are then above zero.

    Returns
    -------
    x, y : shape (m,)
        Corners of the polygons; NaN between two polygons.
    """
    time = x.astype("datetime64[ns]").astype(np.int64).astype(np.float64)
    values = np.log10(y.astype(np.float64)) if log else y.astype(np.float64)
    edge = float(np.log10(level)) if log else level
    corners: list[tuple[float, float]] = []
    for piece in pieces(values):
        part = list(_crossing(time[piece], values[piece], edge))
        outline: list[tuple[float, float]] = []
        for moment, value in [*part, (np.nan, np.nan)]:
            inside = value <= edge if below else value >= edge
            if inside:
                outline.append((moment, value))
                continue
            if any(value != edge for _, value in outline):
                ends = [(outline[-1][0], edge), (outline[0][0], edge)]
                corners += [*outline, *ends, (outline[0][0], np.nan)]
            outline = []
    if not corners:
        return x[:0], np.zeros(0)
    places, heights = (np.array(column) for column in zip(*corners, strict=True))
    return places.astype(np.int64).astype("datetime64[ns]"), 10**heights if log else heights


def _crossing(time: Reals, values: Reals, level: float) -> Iterator[tuple[float, float]]:
    """Yield the points of a line, and the points at which it crosses a level."""
    for order, (moment, value) in enumerate(zip(time, values, strict=True)):
        if order and (values[order - 1] - level) * (value - level) < 0:
            share = (level - values[order - 1]) / (value - values[order - 1])
            yield float(time[order - 1] + share * (moment - time[order - 1])), level
        yield float(moment), float(value)


def fill_trace(
    x: Epochs, y: npt.NDArray[Any], *, uid: str, group: str, axis: str, colour: str, hatched: bool = False
) -> dict[str, Any]:
    """Return plotly's trace for filled polygons, which NaN separates; it hides with the line of its group."""
    pattern = {"shape": "/", "fgcolor": colour, "bgcolor": "rgba(0,0,0,0)", "size": 8, "solidity": 0.2}
    return {
        "type": "scatter",
        "uid": uid,
        "mode": "lines",
        "x": moments(x),
        "y": numbers(y),
        "yaxis": axis,
        "line": {"width": 0, "color": colour, "simplify": False},
        "fill": "toself",
        "fillcolor": colour,
        "opacity": _HATCHED if hatched else OPACITY,
        **({"fillpattern": pattern} if hatched else {}),
        "legendgroup": group,
        "showlegend": False,
        "hoverinfo": "skip",
    }
