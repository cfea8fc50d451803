"""The line of a fit in a panel of one quantity against another, and its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.line_fit import LineFit
from helio.steps.render.clouds import Cloud
from helio.steps.render.corners import behind, emptiest
from helio.steps.render.encode import numbers
from helio.steps.render.entry_panel import Limits
from helio.steps.render.wording import text_width
from helio.store.table import Table

Reals = npt.NDArray[np.float64]

_POINTS = 65
"""Number of points of a line that is curved on the axes of its panel."""
_LINE = 1.3
"""Height of a line of text, in font sizes."""


def fit_trace(fit: LineFit, cloud: Cloud, *, uid: str, common: dict[str, Any], colour: str) -> dict[str, Any]:
    """Return the plotly trace of a line, from the lowest to the highest x of the points."""
    low, high = float(cloud.x.min()), float(cloud.x.max())
    straight = (cloud.log_x, cloud.log_y) == ((True, True) if fit.method == "power_law" else (False, False))
    count = 2 if straight else _POINTS
    if fit.method == "power_law":
        low = float(cloud.x[cloud.x > 0].min(initial=high))
    x = np.geomspace(low, high, count) if cloud.log_x else np.linspace(low, high, count)
    y = fit.at(x)
    return {
        "type": "scatter", "uid": f"{uid}-fit", "mode": "lines", "x": numbers(x),
        "y": numbers(np.where(y > 0, y, np.nan) if cloud.log_y else y),
        "line": {"color": colour, "width": 2, "simplify": False}, "hoverinfo": "skip", **common,
    }  # fmt: skip


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
    """Return the text of a fit, in the corner of the panel that has the fewest points behind the text.

    A box behind the text keeps it readable on lines of the axes; it would hide points.

    Parameters
    ----------
    size : (float, float)
        Width and height of the panel in pixels.
    colours : (str, str)
        Colour of the text and of the background.
    """
    lines = fit_lines(fit, *tables)
    font = round(max(6.0, min(font, (size[0] - 12) / max(text_width(line, 1) for line in lines))), 1)
    wide = max(text_width(line, font) for line in lines) / size[0]
    high = _LINE * font * len(lines) / size[1]
    points = [cloud.places(*limits)]
    side, end = emptiest(points, wide, high)
    return {
        "text": "<br>".join(lines), "showarrow": False, "align": side, "borderpad": 2,
        "xref": f"{common['xaxis']} domain", "x": 1 if side == "right" else 0, "xanchor": side,
        "xshift": -8 if side == "right" else 8,
        "yref": f"{common['yaxis']} domain", "y": 1 if end == "top" else 0, "yanchor": end,
        "yshift": -8 if end == "top" else 8,
        "font": {"size": font, "color": colours[0]},
        **({} if behind(points, (side, end), wide, high) else {"bgcolor": colours[1]}),
    }  # fmt: skip


def fit_lines(fit: LineFit, x: Table, y: Table) -> Sequence[str]:
    """Write the numbers of a fit in lines, with units as on the axes."""
    first, second, correlation, count = fit.words(x, y, unit=pretty_unit)
    return [first, second, f"{correlation.replace('r ', 'r = ')}, {count.replace('n ', 'n = ')}"]
