"""The line of a fit in a panel of one quantity against another, and its text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.line_fit import LineFit
from helio.steps.render.axes import Limits
from helio.steps.render.clouds import Cloud
from helio.steps.render.corners import behind, emptiest
from helio.steps.render.encode import numbers
from helio.steps.render.wording import text_width
from helio.store.table import Table

Reals = npt.NDArray[np.float64]

_POINTS = 65
"""Number of points of a line that is curved on the axes of its panel."""
_LINE = 1.3
"""Height of a line of text, in font sizes."""
_SHIFT = 8
"""Distance in pixels of a text from the frame of its panel."""
_SMALL, _SMALLEST = 8.0, 6.0
"""Font sizes in pixels: one that is still read without effort, and the least."""


def fit_trace(fit: LineFit, cloud: Cloud, *, uid: str, common: dict[str, Any], colour: str) -> dict[str, Any]:
    """Return the plotly trace of a line, from the lowest to the highest x of the points."""
    straight = (cloud.log_x, cloud.log_y) == ((True, True) if fit.method == "power_law" else (False, False))
    x, y = _on_line(fit, cloud, 2 if straight else _POINTS)
    return {
        "type": "scatter", "uid": f"{uid}-fit", "mode": "lines", "x": numbers(x), "y": numbers(y),
        "line": {"color": colour, "width": 2, "simplify": False}, "hoverinfo": "skip", **common,
    }  # fmt: skip


def _on_line(fit: LineFit, cloud: Cloud, count: int) -> tuple[Reals, Reals]:
    """Return points on a line, evenly spaced on the x axis; y is NaN where its axis cannot show the line."""
    low, high = float(cloud.x.min()), float(cloud.x.max())
    if fit.method == "power_law":
        low = float(cloud.x[cloud.x > 0].min(initial=high))
    x = np.geomspace(low, high, count) if cloud.log_x else np.linspace(low, high, count)
    y = fit.at(x)
    return x, np.where(y > 0, y, np.nan) if cloud.log_y else y


def fit_text(
    fit: LineFit,
    tables: tuple[Table, Table],
    cloud: Cloud,
    limits: tuple[Limits, Limits],
    size: tuple[float, float],
    *,
    common: dict[str, Any],
    font: float,
    colours: tuple[str, str],
) -> dict[str, Any]:
    """Return the text of a fit, in the corner and with the breaks of lines that hide the fewest points and least line.

    A box behind the text keeps it readable on lines of the axes; it would hide points.

    Parameters
    ----------
    size : (float, float)
        Width and height of the panel in pixels.
    colours : (str, str)
        Colour of the text and of the background.
    """
    x, y = _on_line(fit, cloud, _POINTS)
    points = [cloud.places(*limits), replace(cloud, x=x, y=y).places(*limits)]
    layouts = fit_lines(fit, *tables)
    sizes = [
        (lines, min(font, (size[0] - 12) / max(text_width(line, 1) for line in lines))) for lines in layouts
    ]
    tried = []
    for lines, largest in [*sizes, *((lines, min(largest, _SMALL)) for lines, largest in sizes)]:
        written = round(max(_SMALLEST, largest), 1)
        wide = (_SHIFT + max(text_width(line, written) for line in lines)) / size[0]
        high = (_SHIFT + _LINE * written * len(lines)) / size[1]
        corner = emptiest(points, wide, high)
        tried.append((behind(points, corner, wide, high), lines, written, corner))
    hidden, lines, font, (side, end) = min(tried, key=lambda place: place[0])
    return {
        "text": "<br>".join(lines), "showarrow": False, "align": side, "borderpad": 2,
        "xref": f"{common['xaxis']} domain", "x": 1 if side == "right" else 0, "xanchor": side,
        "xshift": -_SHIFT if side == "right" else _SHIFT,
        "yref": f"{common['yaxis']} domain", "y": 1 if end == "top" else 0, "yanchor": end,
        "yshift": -_SHIFT if end == "top" else _SHIFT,
        "font": {"size": font, "color": colours[0]},
        **({} if hidden else {"bgcolor": colours[1]}),
    }  # fmt: skip


def fit_lines(fit: LineFit, x: Table, y: Table) -> tuple[list[str], list[str]]:
    """Write the numbers of a fit in a few lines, and in more and shorter lines, with units as on the axes."""
    first, second, correlation, count = fit.words(x, y, unit=pretty_unit)
    correlation, count = correlation.replace("r ", "r = "), count.replace("n ", "n = ")
    shorter = [part for line in (first, second) for part in line.split(" ", 1)]
    return [first, second, f"{correlation}, {count}"], [*shorter, correlation, count]
