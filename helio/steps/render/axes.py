"""Plotly's settings for axes: frames, limits, ticks of logarithmic axes, and the time axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render.encode import iso
from helio.steps.render.geometry import Geometry
from helio.steps.render.symlog import Symlog
from helio.steps.render.themes import Look
from helio.steps.render.ticks import log_ticks
from helio.steps.render.time_axis import tick_formats, time_ticks
from helio.steps.render.wording import text_width

Limits = tuple[float, float]
"""The lower and the upper limit of an axis."""


def frame(theme: Look) -> dict[str, Any]:
    """Return plotly's settings for the frame and the ticks of a panel, which are the same for every axis."""
    style: dict[str, Any] = {
        "showline": True,
        "linewidth": 1,
        "linecolor": theme.foreground,
        "automargin": False,
    }
    if theme.own:
        style["showgrid"] = False
    return style | {"ticks": "inside", "ticklen": 6, "tickcolor": theme.foreground}


def minor_ticks(theme: Look) -> dict[str, Any]:
    """Return plotly's settings for the small ticks between labelled ticks."""
    return {"ticks": "inside", "ticklen": 3, "tickcolor": theme.foreground, "showgrid": False}


def value_axis(theme: Look, position: dict[str, Any], *, log: bool, font: float) -> dict[str, Any]:
    """Return plotly's settings for an axis of values, frequencies or energies.

    Parameters
    ----------
    position : dict
        Its ``domain``, the axis it is anchored to and, where it is known, its ``range``.
    """
    return (
        frame(theme)
        | position
        | {
            "mirror": "ticks",
            "type": "log" if log else "linear",
            "zeroline": False,
            "exponentformat": "power",
            "tickfont": {"size": font},
            "minor": minor_ticks(theme),
        }
    )


def time_axis(
    geometry: Geometry,
    theme: Look,
    start: np.datetime64,
    stop: np.datetime64,
    title: str,
    span: tuple[float, float] = (0, 1),
) -> dict[str, Any]:
    """Return plotly's settings for a time axis, which the panels of a column with time on their x axis share.

    Parameters
    ----------
    span : (float, float)
        Left and right side of the column, as fractions of the plotting area.
    """
    short = stop - start <= np.timedelta64(1, "h")
    width = (span[1] - span[0]) * geometry.plot_width
    labels = most_labels(geometry) if span == (0, 1) else max(2, round(width / (4 * geometry.font)))
    # Labels such as 12:00 or 12:00:30, with space between them.
    letters = 5 if stop - start > np.timedelta64(5, "m") else 8
    fitting = max(2, round(width / (0.8 * letters * geometry.font)))
    axis: dict[str, Any] = frame(theme) | {
        "type": "date",
        "range": [iso(start), iso(stop)],
        "domain": list(span),
        "mirror": "allticks",
        "nticks": min(labels, fitting),
        "minor": minor_ticks(theme),
        "tickformatstops": tick_formats(),
        "hoverformat": "%Y-%m-%d %H:%M:%S.%3f" if short else "%Y-%m-%d %H:%M:%S",
        "tickfont": {"size": geometry.font - 1},
        "title": {"text": title, "standoff": 4, "font": {"size": geometry.font - 1}},
    }
    # A date is wider than the time above it: plotly.js would turn the labels of a narrow figure, and cut them off.
    return axis | {"tickangle": 0} if fitting <= 4 else axis


def beyond_last_tick(start: np.datetime64, stop: np.datetime64, width: float, font: float) -> float:
    """Return how far in pixels the last label of a time axis reaches beyond its end; plotly.js leaves out a label that
    does not fit on the page.

    Parameters
    ----------
    width : float
        Width of the axis in pixels.
    """
    ticks, _ = time_ticks(start, stop, max(4, round(width / (5.2 * font))))
    span = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    if not ticks.size or span <= 0:
        return 0.0
    text = "2024-05-10" if ticks[-1] == ticks[-1].astype("datetime64[D]") else "00:00:00"
    if ticks.size > 1 and ticks[1] - ticks[0] >= np.timedelta64(1, "D"):
        text = "05-10"
    if span % (60 * 10**9) == 0 and text == "00:00:00":
        text = "00:00"
    after = int((stop - ticks[-1]).astype("timedelta64[ns]").astype("i8")) / span * width
    return text_width(text, font - 1) / 2 + 2 - after


def fixed_ticks(ticks: npt.NDArray[np.datetime64]) -> dict[str, Any]:
    """Return plotly's settings for ticks at these evenly spaced times, which stay when a reader zooms."""
    step = int(np.diff(ticks).astype("i8")[0]) / 1e6 if ticks.size > 1 else 86_400_000
    return {"tickmode": "linear", "tick0": iso(ticks[0]), "dtick": step}


def most_labels(geometry: Geometry, width: float | None = None) -> int:
    """Return how many tick labels fit on the x axis below a panel, by default one as wide as the plotting area."""
    if width is not None:
        return max(4, min(10, round(width / (3.4 * geometry.font))))
    return max(4, round(geometry.plot_width / (5.2 * geometry.font)))


def most_value_labels(height: float) -> int:
    """Return how many tick labels fit on the y axis of a panel with this height in pixels."""
    return max(3, round(height / 32))


def set_log_ticks(axis: dict[str, Any], low: float, high: float) -> None:
    """Label powers of ten on a logarithmic axis; if fewer than two are visible, also label 2, 5 and other multiples."""
    positions, texts = log_ticks(low, high)
    if all(text.startswith("10<sup>") for text in texts):
        axis["dtick"] = max(1, round(positions[1] - positions[0])) if len(positions) > 1 else 1
        # plotly.js draws powers of ten a quarter larger than the size it is given.
        axis["tickfont"] = {"size": round(axis["tickfont"]["size"] / 1.25, 2)}
        axis["minor"]["dtick"] = "D1" if axis["dtick"] == 1 else 1
    else:
        axis |= {
            "tickmode": "array",
            "tickvals": [float(f"{10**position:.6g}") for position in positions],
            "ticktext": texts,
        }
        axis["minor"]["dtick"] = "D1"


def most_symlog_labels(height: float) -> int:
    """Return how many labels of a symlog axis, which are not even, fit on a panel with this height in pixels."""
    return max(3, round(height / 20))


def symlog_ticks(
    minor: dict[str, Any], scale: Symlog, limits: tuple[float, float], height: float
) -> dict[str, Any]:
    """Return plotly's settings for the ticks of a symlog axis between two values, in a panel with this height."""
    values, texts = scale.ticks(*limits, most_symlog_labels(height))
    small = scale.minor_ticks(*limits, height)
    return {
        "tickmode": "array",
        "tickvals": [scale.place(value) for value in values],
        "ticktext": texts,
        "minor": minor | {"tickmode": "array", "tickvals": [scale.place(value) for value in small]},
    }


def check_limits(limits: Sequence[float], number: int, key: str) -> tuple[float, float]:
    """Check the two limits that a figure's spec gives for an axis, and return them as numbers.

    Raises
    ------
    StepError
        The limits are not two numbers in increasing order.
    """
    if len(limits) != 2 or not limits[0] < limits[1]:
        example = "[-20, 20]" if key == "y_range" else "[0.1, 10]"
        raise StepError(
            f"{key} of panel {number} is {limits}, but must be two values: the lowest, then the highest",
            advice=f"write both values: {example}",
        )
    return float(limits[0]), float(limits[1])
