"""Heat maps of spectrograms, with linear or logarithmic colours and a colour bar beside the panel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.render.encode import iso, moments, numbers
from helio.steps.render.spectrum_grid import Grid
from helio.steps.render.ticks import log_ticks
from helio.steps.render.wording import inert

Reals = npt.NDArray[np.float64]

DECADES = 8.0
"""The largest number of decades between the lowest and the highest colour of a logarithmic scale."""


def colour_limits(
    z: Reals, *, log: bool, low: float | None, high: float | None, where: str
) -> tuple[float, float]:
    """Return the values with the lowest and the highest colour: from the figure's spec, otherwise from the drawn cells.

    On a logarithmic scale the lowest colour is the first percentile, so that a few small counts do not stretch the
    scale.
    """
    finite = z[np.isfinite(z)]
    if log and low is not None and low <= 0:
        raise StepError(
            f"{where}: z_min is {low:g}, but logarithmic colours need a value above 0",
            advice="choose a value above 0, or set log_z: false",
        )
    top = float(finite.max()) if high is None else float(high)
    if low is not None:
        bottom = float(low)
    else:
        bottom = float(np.percentile(finite, 1) if log else finite.min())
        if log:
            bottom = max(bottom, top / 10**DECADES)
    if bottom < top:
        return bottom, top
    if low is not None and high is not None:
        raise StepError(
            f"{where}: z_min {low:g} is not below z_max {high:g}", advice="exchange z_min and z_max"
        )
    if log:
        return (bottom, bottom * 10) if high is None else (top / 10, top)
    room = abs(top) * 0.5 or 1.0
    return (bottom, bottom + room) if high is None else (top - room, top)


def heat_map(
    grid: Grid,
    *,
    uid: str,
    name: str,
    axis: str,
    log: bool,
    limits: tuple[float, float],
    scale: list[list[float | str]],
    bar: dict[str, Any],
    axis_name: str,
    axis_unit: str,
    unit: str,
) -> dict[str, Any]:
    """Return plotly's heat map of a grid; with `log`, z holds log10 of the values: plotly's colours are linear."""
    shown = np.log10(grid.z) if log else grid.z
    low, high = (math.log10(limit) for limit in limits) if log else limits
    value = "log₁₀ = %{z:.2f}" if log else "%{z:.4g}"
    bins = f"{inert(axis_name)} %{{y:.4g}} {inert(axis_unit)}".strip()
    return {
        "type": "heatmap",
        "uid": uid,
        "name": inert(name),
        **_columns(grid),
        "y": numbers(grid.y),
        "z": numbers(shown.astype(np.float32)),
        "yaxis": axis,
        "colorscale": scale,
        "zmin": _short(low),
        "zmax": _short(high),
        "zsmooth": False,
        "hoverongaps": False,
        "hovertemplate": f"{bins}<br>{value} {pretty_unit(unit)}".rstrip() + "<extra></extra>",
        "colorbar": bar,
    }


def _columns(grid: Grid) -> dict[str, Any]:
    if not grid.even:
        return {"x": moments(grid.x)}
    # Of even columns plotly wants the middle of the first and the width.
    width = (grid.x[-1] - grid.x[0]) / (grid.x.size - 1)
    return {"x0": iso(grid.x[0] + width // 2), "dx": float(width.astype("i8") / 1e6)}


def colour_bar(
    *, low: float, high: float, log: bool, geometry: dict[str, Any], font: float
) -> dict[str, Any]:
    """Return a colour bar as tall as its panel; a logarithmic colour bar is labelled with powers of ten."""
    bar: dict[str, Any] = {
        **geometry,
        "lenmode": "fraction",
        "thickness": 14,
        "xpad": 10,
        "ypad": 0,
        "outlinewidth": 1,
        "ticks": "outside",
        "ticklen": 4,
        "tickfont": {"size": _short(font - 2)},
    }
    if log:
        places, texts = log_ticks(low, high)
        bar |= {"tickmode": "array", "tickvals": places, "ticktext": texts}
    else:
        bar |= {"exponentformat": "power", "nticks": 6}
    return bar


def _short(value: float) -> float:
    return float(f"{value:.8g}")
