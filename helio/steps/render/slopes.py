"""Lines of power laws in spectrum panels, which readers compare with the slopes of spectra."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from helio.errors import StepError
from helio.steps.render.colours import check_colour
from helio.steps.render.curves import Curve
from helio.steps.render.spec import FigureSpec, Slope

CLEAR = 2.0
"""Unless its height is given, the line of a power law is this many times above the highest value below it."""
_MIDDLE = (0.3, 0.7)


@dataclass(frozen=True)
class Guide:
    """The line of a power law, after a check: its exponent, its part of the x axis, and its text."""

    where: str
    slope: float
    x0: float | None
    x1: float | None
    y: float | None
    label: str
    colour: str


def guides_of(spec: FigureSpec, spectra: Sequence[int]) -> dict[int, list[Guide]]:
    """Return the lines of power laws in each spectrum panel, by the number of the panel.

    Parameters
    ----------
    spectra : sequence of int
        Numbers of the spectrum panels.
    """
    guides: dict[int, list[Guide]] = {}
    for entry_number, written in enumerate(spec.get("slopes", []), 1):
        entry: Slope = written if isinstance(written, dict) else {"slope": written}
        where = f"slopes: entry {entry_number}"
        if not spectra:
            raise StepError(
                f"{where}: no panel is a spectrum",
                advice="set a panel to 'spectrum' in panel_types, or remove slopes",
            )
        number = int(entry.get("panel", spectra[0]))
        if number not in spectra:
            raise StepError(
                f"{where}: panel {number} is not a spectrum",
                advice=f"choose a spectrum panel: {', '.join(map(str, spectra))}",
            )
        guides.setdefault(number, []).append(_guide(entry, where))
    return guides


def guide_traces(
    guides: Sequence[Guide],
    curves: Sequence[Curve],
    *,
    x_axis: str,
    axis: str,
    x_limits: tuple[float, float],
    font: float,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return plotly's traces and texts for the lines of power laws in a panel with two logarithmic axes."""
    traces, texts = [], []
    for number, guide in enumerate(guides, 1):
        # Several guides without places stand side by side, in their order.
        x0, x1 = _ends(guide, x_limits, (number - 1) / len(guides), 1 / len(guides))
        y0 = guide.y if guide.y is not None else _clear_above(curves, guide.slope, x0, x1)
        ends = np.array([x0, x1])
        values = y0 * (ends / x0) ** guide.slope
        traces.append(
            {
                "type": "scatter", "name": guide.label, "uid": f"{axis}-slope-{number}", "mode": "lines",
                "x": [_short(end) for end in ends], "y": [_short(value) for value in values],
                "xaxis": x_axis, "yaxis": axis, "hoverinfo": "skip", "showlegend": False,
                "line": {"color": guide.colour, "width": 1.3, "dash": "dash", "simplify": False},
            }
        )  # fmt: skip
        texts.append(
            {
                "text": guide.label, "xref": x_axis, "x": _short(math.log10(x0 * x1) / 2), "yref": axis,
                "y": _short(math.log10(values[0] * values[1]) / 2), "xanchor": "left", "yanchor": "bottom",
                "xshift": 3, "showarrow": False, "borderpad": 0,
                "font": {"size": font - 2, "color": guide.colour},
            }
        )  # fmt: skip
    return traces, texts


def _ends(guide: Guide, limits: tuple[float, float], first: float, share: float) -> tuple[float, float]:
    """Return both ends of a power law's line: as given, a decade from the only given end, or both chosen by helio."""
    low, high = limits
    start, stop = (low * (high / low) ** (first + part * share) for part in _MIDDLE)
    x0, x1 = guide.x0, guide.x1
    if x0 is None:
        x0 = start if x1 is None else max(low, x1 / 10)
    if x1 is None:
        x1 = stop if guide.x0 is None else min(high, x0 * 10)
    if x0 >= high or x1 <= low:
        raise StepError(
            f"{guide.where}: {x0 if x0 >= high else x1:g} is not on the axis",
            advice=f"choose a position on the axis, which reaches from {low:.3g} to {high:.3g}",
        )
    if not x0 < x1:
        raise StepError(
            f"{guide.where}: x0 is {x0:g}, but must be below x1, which is {x1:g}", advice="exchange x0 and x1"
        )
    return x0, x1


def _guide(entry: Slope, where: str) -> Guide:
    if "slope" not in entry:
        raise StepError(
            f"{where} has no slope", advice="add the exponent of the power law, for instance slope: '-5/3'"
        )
    given = entry["slope"]
    for key in ("x0", "x1", "y"):
        if key in entry and not float(entry[key]) > 0:
            raise StepError(
                f"{where}: {key} is {entry[key]:g}, but the axis is logarithmic",
                advice="choose a value above 0",
            )
    try:
        slope = float(Fraction(given.replace("−", "-"))) if isinstance(given, str) else float(given)
    except (ValueError, ZeroDivisionError) as error:
        raise StepError(f"{where}: '{given}' is not a slope", advice="write -1.67 or '-5/3'") from error
    written = (given if isinstance(given, str) else f"{given:g}").strip().replace("-", "−")
    return Guide(
        where,
        slope,
        entry.get("x0"),
        entry.get("x1"),
        entry.get("y"),
        entry.get("label", written),
        check_colour(entry.get("color", "grey"), where),
    )


def _clear_above(curves: Sequence[Curve], slope: float, x0: float, x1: float) -> float:
    """Return the value at x0 of a power law's line that is clearly above all curves."""
    highest = 0.0
    for curve in curves:
        for values in curve.shown:
            below = (curve.places >= x0) & (curve.places <= x1) & np.isfinite(values) & (values > 0)
            if below.any():
                highest = max(highest, float((values[below] / (curve.places[below] / x0) ** slope).max()))
    if not highest:
        highest = max(float(np.nanmax(values)) for curve in curves for values in curve.shown)
    return CLEAR * highest


def _short(value: float) -> float:
    return float(f"{value:.8g}")
