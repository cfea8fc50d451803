"""Lines over a spectrogram, such as a gyrofrequency: white or black, with an outline that shows on any colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from helio.errors import StepError
from helio.steps.quantity import advice_on_units, equal_units
from helio.steps.render.geometry import LEGEND_KEY, LEGEND_ROW, Geometry
from helio.steps.render.lines import Line, line_style, panel_lines, styled
from helio.steps.render.spec import FigureSpec
from helio.steps.render.wording import text_width
from helio.store.table import Axis, Table

_LOOKS = (("white", "solid"), ("black", "solid"), ("white", "dash"), ("black", "dash"))
"""Colours and dashes of the first four lines; then they repeat."""
_LIGHT = frozenset("white #fff #ffffff yellow #ff0 #ffff00 cyan aqua lime gold ivory snow pink".split())  # noqa: SIM905
"""Colours that need a black outline; all others have a white outline."""
_WIDTH, _OUTLINE = 1.8, 1.0
"""Width in pixels of a line, and of its outline at either side."""
_LEGEND_PAPER, _LEGEND_LETTERS = "rgba(110,110,110,0.85)", "white"
"""Colours of the legend, on which white and black lines both show."""
_EDGE = 8
"""Distance in pixels between the legend and the frame of the panel."""


def check_lines_over(number: int, spectrum: str, bins: Axis, lines: Mapping[str, Table]) -> None:
    """Refuse lines whose unit is not the unit of the spectrogram's y axis.

    Raises
    ------
    StepError
        The units differ; the advice says how to convert.
    """
    for label, table in lines.items():
        if not equal_units(table.unit, bins.unit):
            raise StepError(
                f"panel {number}: '{label}' is in {table.unit or 'no unit'}, but the y axis of '{spectrum}' "
                f"({bins.label or 'bins'}) is in {bins.unit or 'no unit'}",
                advice=f"{advice_on_units(table.unit, bins.unit)}; or give '{label}' a panel of its own",
            )


def lines_over(tables: Mapping[str, Table], spec: FigureSpec) -> list[Line]:
    """Return the lines over a spectrogram, with their names and colours."""
    # Without the spec: names and colours of the spec replace the colours chosen here.
    plain = panel_lines(tables, {}, "white", [[0.0, "#ffffff"], [1.0, "#ffffff"]])
    looks = (_LOOKS[order % len(_LOOKS)] for order in range(len(plain)))
    return [
        styled(replace(line, colour=colour, dash=dash, width=_WIDTH), spec)
        for line, (colour, dash) in zip(plain, looks, strict=True)
    ]


def outline(trace: Mapping[str, Any], line: Line, spec: FigureSpec) -> dict[str, Any]:
    """Return plotly's trace for the outline of a line, which is drawn before the line."""
    contrast = "black" if line.colour in _LIGHT else "white"
    width = float(line_style(line, spec).get("width", line.width))
    drawn: dict[str, Any] = {
        **trace,
        "uid": f"{trace['uid']}-outline",
        "hoverinfo": "skip",
        "showlegend": False,
    }
    drawn.pop("hovertemplate", None)
    drawn.pop("legend", None)
    if "line" in trace:
        drawn["line"] = {**trace["line"], "color": contrast, "width": width + 2 * _OUTLINE, "dash": "solid"}
    if "marker" in trace:
        drawn["marker"] = {"color": contrast, "size": trace["marker"]["size"] + 2 * _OUTLINE}
    return drawn


def inner_legend(
    lines: Sequence[Line],
    geometry: Geometry,
    number: int,
    *,
    start: np.datetime64,
    stop: np.datetime64,
    limits: tuple[float, float],
    log: bool,
) -> dict[str, Any]:
    """Return plotly's legend inside the panel, in the corner where it hides the fewest points of the lines.

    Parameters
    ----------
    limits : two floats
        The lowest and the highest value of the y axis.
    log : bool
        Whether the y axis is logarithmic.
    """
    font = min(geometry.font - 2, 14.0)
    low, high = geometry.domains[number - 1]
    widest = max(text_width(line.name, font) for line in lines)
    across = (LEGEND_KEY + widest + 2 * _EDGE) / geometry.panel_width(number)
    first, last = geometry.span(number)
    upwards = (LEGEND_ROW * len(lines) + 2 * _EDGE) / geometry.panel_height(number)

    def hidden(right: bool, top: bool) -> int:
        return sum(
            _points_in(line, start, stop, limits, log, (right, across), (top, upwards)) for line in lines
        )

    corners = ((True, True), (False, True), (True, False), (False, False))
    right, top = min(corners, key=lambda corner: hidden(*corner))
    side, edge = _EDGE / geometry.plot_width, _EDGE / geometry.plot_height
    return {
        "x": round(last - side if right else first + side, 6), "xref": "paper", "xanchor": "right" if right else "left",
        "y": round(high - edge if top else low + edge, 6), "yref": "paper",
        "yanchor": "top" if top else "bottom",
        "font": {"size": font, "color": _LEGEND_LETTERS}, "bgcolor": _LEGEND_PAPER, "borderwidth": 0,
        "tracegroupgap": 0, "itemwidth": 30, "itemsizing": "trace",
    }  # fmt: skip


def _points_in(
    line: Line,
    start: np.datetime64,
    stop: np.datetime64,
    limits: tuple[float, float],
    log: bool,
    across: tuple[bool, float],
    upwards: tuple[bool, float],
) -> int:
    """Count how many of 200 evenly spaced points of a line are in a corner: a side of the panel, and a share of it."""
    x = np.linspace(0, 1, 200)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.log10(line.values) if log else line.values
    low, high = np.log10(limits) if log else limits
    places = (line.table.epoch - start) / (stop - start)
    y = (np.interp(x, places, values, np.nan, np.nan) - low) / (high - low)
    (right, width), (top, height) = across, upwards
    beside = x > 1 - width if right else x < width
    near = y > 1 - height if top else y < height
    return int((beside & near & (y >= 0) & (y <= 1)).sum())
