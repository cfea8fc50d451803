"""Lines, shaded intervals and texts that a figure's spec adds to the panels, after a check."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from helio.errors import StepError
from helio.steps.render.colours import check_colour
from helio.steps.render.encode import iso
from helio.steps.render.events import Interval
from helio.steps.render.geometry import Geometry
from helio.steps.render.levels import HorizontalLine
from helio.steps.render.spec import FigureSpec
from helio.steps.render.symlog import Symlog
from helio.steps.render.time_axis import instant
from helio.steps.render.wording import text_width

_BOX = {"borderpad": 0, "xshift": -8, "yshift": 2}
"""Plotly's settings of a box behind the label of a line, clear of the ticks and of the line."""
_LEVEL_OPACITY = 0.12
_OVER = "over"
"""Anchor of a label that is centred, and may be wider than its interval, so that it needs a box."""
Marks = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def marks(
    spec: FigureSpec,
    geometry: Geometry,
    *,
    start: np.datetime64,
    stop: np.datetime64,
    hlines: Sequence[HorizontalLine],
    right_axes: Mapping[int, tuple[str, bool]],
    symlogs: Mapping[str, Symlog],
    events: Sequence[Interval] = (),
    axes: Sequence[str],
    logarithmic: Sequence[bool],
    bin_axes: Mapping[int, tuple[str, bool]],
    bin_ranges: Mapping[int, Sequence[float]],
    time_axes: Mapping[int, str],
    foreground: str,
    background: str,
    empty: Collection[int] = (),
) -> Marks:
    """Return plotly's shapes and annotations for the lines, intervals and texts that a figure's spec adds.

    Parameters
    ----------
    hlines : sequence of HorizontalLine
        Horizontal lines, also those at named levels.
    right_axes : mapping
        Plotly's name of each y axis at the right, and whether the axis is logarithmic, by the panel's number.
    symlogs : mapping
        The scale of each y axis that has one, by plotly's name of the axis.
    events : sequence of Interval
        Intervals to shade, in the time range of the figure.
    axes : sequence of str
        Plotly's name of each panel's y axis, from the top: ``"y"``, ``"y2"``.
    logarithmic : sequence of bool
        Whether each panel's y axis is logarithmic, from the top; plotly places texts on it by log10.
    bin_axes : mapping
        Plotly's name of each spectrum panel's x axis, and whether the axis is logarithmic, by the panel's number.
    bin_ranges : mapping
        Ends of each spectrum panel's x axis (log10 of them if the axis is logarithmic), by the panel's number.
    time_axes : mapping
        Plotly's name of the time axis of each other panel, which the panels of a column share.
    empty : collection of int
        Numbers of the panels without data, whose axes have no scale: marks at values are left out there.
    """
    shapes: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    flags: list[tuple[np.datetime64, str, str, str]] = []
    bin_flags: dict[int, list[dict[str, Any]]] = {}
    timed = {number: (time_axes[number], axis) for number, axis in enumerate(axes, 1) if number in time_axes}
    if events:
        _check_timed(timed, "events")
    for interval in events:
        first, last = np.array([interval.first, interval.last]).astype("datetime64[ns]")
        shapes += _in_every_panel(_rectangle(first, last, interval.colour, interval.opacity), timed)
        if interval.name:
            flags.append((first + (last - first) // 2, interval.name, foreground, _OVER))
    for entry_number, rect in enumerate(spec.get("vrects", []), 1):
        where = f"vrects: entry {entry_number}"
        _check_timed(timed, where)
        first, last = (
            instant(_need(rect, "x0", where), where),
            instant(_need(rect, "x1", where), where, "stop"),
        )
        if not first < last:
            raise StepError(f"{where}: x0 is not before x1", advice="exchange x0 and x1")
        colour = check_colour(rect.get("color", "lightskyblue"), where)
        opacity = float(rect.get("opacity", 0.3))
        if not 0 <= opacity <= 1:
            raise StepError(
                f"{where}: opacity {opacity:g} is not allowed", advice="choose a number from 0 to 1"
            )
        shapes += _in_every_panel(_rectangle(first, last, colour, opacity), timed)
        if rect.get("label"):
            middle = first + (last - first) // 2
            flags.append((middle, rect["label"], foreground, "center"))
    for entry_number, line in enumerate(spec.get("vlines", []), 1):
        where = f"vlines: entry {entry_number}"
        colour = check_colour(line.get("color", "red"), where)
        if colour == "white" and background in ("#ffffff", "white"):
            colour = "red"
        stroke: dict[str, Any] = {
            "color": colour,
            "width": float(line.get("width", 1.5)),
            "dash": line.get("dash", "solid"),
        }
        at = _need(line, "x", where)
        if "panel" in line:
            number = _panel(line, len(axes), where)
            drawn = _at_bin(at, number, axes[number - 1], bin_axes, where)
            if number in empty:
                continue
            shapes.append({"type": "line", **drawn, "x1": drawn["x0"], "y0": 0, "y1": 1, "line": stroke})
            if line.get("label"):
                flag = _bin_flag(line["label"], drawn, bin_axes[number][1], colour, geometry)
                bin_flags.setdefault(number, []).append(flag)
            continue
        moment = instant(at, where)
        _check_timed(timed, where)
        shapes += _in_every_panel(
            {"type": "line", "x0": iso(moment), "x1": iso(moment), "y0": 0, "y1": 1, "line": stroke}, timed
        )
        if line.get("label"):
            flags.append((moment, line["label"], colour, "left"))
    for number, at_bins in bin_flags.items():
        texts += _in_rows(at_bins, bin_ranges[number], geometry.panel_width(number), geometry.font - 3)
    if flags:
        for x_axis in dict.fromkeys(time_axes.values()):
            number = next(number for number in time_axes if time_axes[number] == x_axis)
            at_top = (x_axis, geometry.domains[number - 1][1], geometry.panel_width(number))
            texts += _flags(flags, geometry, at_top, start=start, stop=stop, background=background)
    for horizontal in hlines:
        where, line_at = horizontal.where, horizontal.entry
        value = float(_need(line_at, "y", where))
        panel = _panel(line_at, len(axes), where)
        if panel in empty:
            continue
        axis, log = axes[panel - 1], logarithmic[panel - 1]
        if horizontal.right:
            if panel not in right_axes:
                raise StepError(
                    f"{where}: panel {panel} has no y axis at the right",
                    advice="leave out right, or list the labels of this axis in 'right' of the figure",
                )
            axis, log = right_axes[panel]
        across = f"{bin_axes[panel][0] if panel in bin_axes else time_axes[panel]} domain"
        colour = check_colour(line_at.get("color", "red"), where)
        stroke = {
            "color": colour,
            "width": float(line_at.get("width", 1)),
            "dash": line_at.get("dash", "dash"),
        }
        if horizontal.until is not None:
            shapes.append(
                {
                    "type": "rect",
                    "xref": across,
                    "yref": axis,
                    "x0": 0,
                    "x1": 1,
                    "y0": _placed(value, axis, symlogs),
                    "y1": _placed(horizontal.until, axis, symlogs),
                    "layer": "below",
                    "fillcolor": colour,
                    "opacity": _LEVEL_OPACITY,
                    "line": {"width": 0},
                }
            )
        shapes.append(
            {
                "type": "line",
                "xref": across,
                "yref": axis,
                "x0": 0,
                "x1": 1,
                "y0": _placed(value, axis, symlogs),
                "y1": _placed(value, axis, symlogs),
                "line": stroke,
            }
        )
        if line_at.get("label"):
            texts.append(
                {
                    "text": line_at["label"], "xref": across, "x": 1, "xanchor": "right", "yref": axis,
                    "y": _on_axis(_placed(value, axis, symlogs), log, where), "yanchor": "bottom",
                    "font": {"size": geometry.font - 3, "color": colour}, "showarrow": False,
                    **(_BOX | {"bgcolor": _sheer(background)} if horizontal.boxed else {}),
                }
            )  # fmt: skip
    for entry_number, note in enumerate(spec.get("annotations", []), 1):
        where = f"annotations: entry {entry_number}"
        text = _note(note, where, geometry, axes, logarithmic, symlogs, time_axes, foreground)
        if text["yref"] == "paper" or _panel(note, len(axes), where) not in empty:
            texts.append(text)
    return shapes, texts


def _sheer(colour: str) -> str:
    """Return a colour through which data behind a box still show; a colour that is not ``#rrggbb`` stays opaque."""
    if len(colour) != 7 or colour[0] != "#":
        return colour
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.75)"


def _rectangle(first: np.datetime64, last: np.datetime64, colour: str, opacity: float) -> dict[str, Any]:
    shape = {"type": "rect", "x0": iso(first), "x1": iso(last), "y0": 0, "y1": 1, "layer": "below"}
    return shape | {"fillcolor": colour, "opacity": opacity, "line": {"width": 0}}


def _need(entry: Mapping[str, Any], key: str, where: str) -> str | float:
    if key not in entry:
        raise StepError(
            f"{where} has no {key}", advice=f"add {key} to the mark, for instance '2024-05-10T17:00'"
        )
    value: str | float = entry[key]
    return value


def _panel(entry: Mapping[str, Any], panels: int, where: str) -> int:
    number = int(entry.get("panel", 1))
    if not 1 <= number <= panels:
        only = "choose panel 1, the only panel of the figure"
        raise StepError(
            f"{where}: there is no panel {number}",
            advice=only if panels == 1 else f"choose a panel from 1 (top) to {panels}",
        )
    return number


def _check_timed(timed: Collection[int], where: str) -> None:
    if not timed:
        raise StepError(
            f"{where}: no panel has a time axis",
            advice="to mark a value on the x axis of a panel, write a vline with 'panel', the number of the panel",
        )


def _at_bin(
    at: str | float, number: int, axis: str, bin_axes: Mapping[int, tuple[str, bool]], where: str
) -> dict[str, Any]:
    """Return plotly's position of a vertical line in a spectrum panel."""
    if number not in bin_axes:
        raise StepError(
            f"{where}: panel {number} is not a spectrum",
            advice="leave out 'panel': helio draws the mark of a time in every panel",
        )
    if isinstance(at, str):
        raise StepError(
            f"{where}: '{at}' is not a position on the axis of panel {number}",
            advice="write x as a number in the unit of the axis, for instance 0.5",
        )
    name, logarithmic = bin_axes[number]
    _on_axis(at, logarithmic, where, "x")
    return {"xref": name, "x0": at, "yref": f"{axis} domain"}


def _bin_flag(
    text: str, drawn: Mapping[str, Any], logarithmic: bool, colour: str, geometry: Geometry
) -> dict[str, Any]:
    position = _on_axis(drawn["x0"], logarithmic, text, "x")
    return {
        "text": text, "xref": drawn["xref"], "x": position, "xanchor": "left", "yref": drawn["yref"], "y": 1,
        "yanchor": "top", "showarrow": False, "borderpad": 1,
        "font": {"size": geometry.font - 3, "color": colour},
    }  # fmt: skip


def _in_rows(
    flags: Sequence[dict[str, Any]], limits: Sequence[float], across: float, size: float
) -> Iterator[dict[str, Any]]:
    """Yield labels at the top of a spectrum panel; labels that would overlap are put in a lower row.

    Parameters
    ----------
    limits : two floats
        Ends of the panel's x axis, as plotly places texts on it.
    across, size : float
        Width of the panel and of the font, in pixels.
    """
    low, high = limits
    ends: list[float] = []
    for flag in sorted(flags, key=lambda flag: (flag["x"], flag["text"])):
        left = (flag["x"] - low) / (high - low) * across
        width = text_width(flag["text"], size)
        row = next((row for row, end in enumerate(ends) if end + 6 < left), len(ends))
        ends[row : row + 1] = [left + width]
        yield {**flag, **({"yshift": -row * (size + 4)} if row else {})}


def _in_every_panel(shape: dict[str, Any], axes: Mapping[int, tuple[str, str]]) -> list[dict[str, Any]]:
    return [{**shape, "xref": x_axis, "yref": f"{y_axis} domain"} for x_axis, y_axis in axes.values()]


def _flags(
    flags: Sequence[tuple[np.datetime64, str, str, str]],
    geometry: Geometry,
    at_top: tuple[str, float, float],
    *,
    start: np.datetime64,
    stop: np.datetime64,
    background: str,
) -> list[dict[str, Any]]:
    """Return labels of times at the top of a column's first panel; labels that would overlap are put in a lower row.

    Parameters
    ----------
    at_top : (str, float, float)
        Plotly's name of the column's time axis, the upper end of its first panel, and its width in pixels.
    """
    x_axis, top, across = at_top
    size = geometry.font - 3
    pixel = across / int((stop - start).astype("timedelta64[ns]").astype("i8"))
    ends: list[float] = []
    flagged = []
    for moment, text, colour, anchor in sorted(flags, key=lambda flag: (int(flag[0].astype("i8")), flag[1])):
        boxed = anchor != "center"
        anchor = "center" if anchor == _OVER else anchor
        left = int((moment - start).astype("timedelta64[ns]").astype("i8")) * pixel
        width = text_width(text, size)
        if anchor == "left" and left + width > across:
            anchor, left = "right", left - width
        elif anchor == "center":
            left -= width / 2
        row = next((row for row, end in enumerate(ends) if end + 6 < left), len(ends))
        ends[row : row + 1] = [left + width]
        flagged.append(
            {
                "text": text, "xref": x_axis, "x": iso(moment), "xanchor": anchor, "yref": "paper", "y": top,
                "yanchor": "top", "yshift": -(2 + row * (size + 4)), "showarrow": False, "borderpad": 1,
                "font": {"size": size, "color": colour},
                **({"bgcolor": background, "opacity": 0.8} if boxed else {}),
            }
        )  # fmt: skip
    return flagged


def _note(
    note: Mapping[str, Any],
    where: str,
    geometry: Geometry,
    axes: Sequence[str],
    logarithmic: Sequence[bool],
    symlogs: Mapping[str, Symlog],
    time_axes: Mapping[int, str],
    foreground: str,
) -> dict[str, Any]:
    x, y = _need(note, "x", where), float(_need(note, "y", where))
    drawn: dict[str, Any] = {
        "text": str(_need(note, "text", where)),
        "showarrow": bool(note.get("showarrow", False)),
        "font": {"size": geometry.font - 2, "color": check_colour(note.get("color", foreground), where)},
    }
    if drawn["showarrow"]:
        drawn |= {"arrowhead": 2, "arrowwidth": 1, "arrowcolor": drawn["font"]["color"], "ax": 30, "ay": -30}
    if isinstance(x, str):
        panel = _panel(note, len(axes), where)
        if panel not in time_axes:
            raise StepError(
                f"{where}: panel {panel} has no time axis, so the time '{x}' cannot be marked in it",
                advice="write x and y as fractions of the width and the height of the panels",
            )
        axis = axes[panel - 1]
        position = _on_axis(_placed(y, axis, symlogs), logarithmic[panel - 1], where)
        moment = iso(instant(x, where))
        return drawn | {"xref": time_axes[panel], "x": moment, "yref": axis, "y": position}
    return drawn | {"xref": "paper", "x": float(x), "yref": "paper", "y": y}


def _placed(value: float, axis: str, symlogs: Mapping[str, Symlog]) -> float:
    """Return the place of a value on a symlog axis; on any other axis, the value."""
    return symlogs[axis].place(value) if axis in symlogs else value


def _on_axis(value: float, logarithmic: bool, where: str, name: str = "y") -> float:
    if not logarithmic:
        return value
    if value <= 0:
        raise StepError(
            f"{where}: {name} is {value:g}, but the axis is logarithmic", advice="choose a value above 0"
        )
    return float(f"{math.log10(value):.8g}")
