"""Points of two quantities, one for each record: which are drawn, and in which colours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render import colours
from helio.steps.render.axes import Limits
from helio.steps.render.colours import check_colour
from helio.steps.render.downsample import isolated, thin_cloud, thin_path
from helio.steps.render.encode import moments, numbers
from helio.steps.render.gaps import gaps
from helio.steps.render.heat_map import colour_bar
from helio.steps.render.refine_points import FullPoints
from helio.steps.render.ticks import linear_texts, tick_width
from helio.steps.render.time_axis import time_ticks
from helio.store.table import Table

Reals = npt.NDArray[np.float64]
Int = npt.NDArray[np.int64]

TIME = "time"
"""The word in ``color_by`` for colours by time; no label."""
MOST = 5000
"""Up to this many points are all drawn; of more points, those that are visible."""
SHADES = 48
"""Number of colours of a line whose colour changes along it."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """The points of a panel that have a value on both axes, and a colour if colours have a meaning.

    Parameters
    ----------
    epoch, x, y : shape (n,)
    colour : shape (n,), optional
        Seconds since the first record, or the values of the third quantity.
    breaks : bool, shape (n,)
        Whether a line is broken before each point: by a gap, or by a record that is left out.
    total, missing, unusable : int
        Number of all records, of those without a value, and of those that a logarithmic scale leaves out.
    """

    epoch: npt.NDArray[np.datetime64]
    x: Reals
    y: Reals
    colour: Reals | None
    breaks: npt.NDArray[np.bool_]
    total: int
    missing: int
    unusable: int
    log_x: bool
    log_y: bool
    log_colour: bool
    by_time: bool
    first: np.datetime64
    last: np.datetime64
    colour_range: Limits
    """The lowest and the highest value of the third quantity, or of the seconds."""

    @classmethod
    def of(
        cls,
        x: Table,
        y: Table,
        third: Table | None,
        *,
        by_time: bool,
        log_x: bool,
        log_y: bool,
        log_colour: bool,
        gap_factor: float,
    ) -> Cloud:
        """Make the points of two series on the same epochs."""
        epoch = x.epoch
        columns = [np.asarray(table.values, np.float64) for table in (x, y, *((third,) if third else ()))]
        if by_time:
            columns.append((epoch - epoch[:1]).astype("i8") / 1e9)
        finite = np.logical_and.reduce([np.isfinite(column) for column in columns])
        logs = (log_x, log_y, log_colour)
        positive = np.logical_and.reduce(
            [
                np.ones(epoch.size, bool),
                *(column > 0 for column, log in zip(columns, logs, strict=False) if log),
            ]
        )
        kept = np.flatnonzero(finite & positive)
        passed = np.cumsum(gaps(epoch, gap_factor)) + np.cumsum(~(finite & positive))
        breaks = np.concatenate([[False], np.diff(passed[kept]) > 0])[: kept.size]
        chosen = [column[kept] for column in columns]
        # Of all values of the third quantity: panels side by side then share one colour bar.
        shown = columns[2][np.isfinite(columns[2])] if len(columns) > 2 else np.zeros(1)
        shown = shown[shown > 0] if log_colour else shown
        return cls(
            epoch[kept],
            chosen[0],
            chosen[1],
            chosen[2] if len(chosen) > 2 else None,
            breaks,
            int(epoch.size),
            int(epoch.size - finite.sum()),
            int((finite & ~positive).sum()),
            log_x,
            log_y,
            log_colour,
            by_time,
            epoch[0] if epoch.size else np.datetime64(0, "ns"),
            epoch[-1] if epoch.size else np.datetime64(0, "ns"),
            (float(shown.min()), float(shown.max())) if shown.size else (0.0, 0.0),
        )

    @cached_property
    def colour_limits(self) -> tuple[Any, ...]:
        """What the lowest and the highest colour stand for: two times, or two values."""
        return (str(self.first), str(self.last)) if self.by_time else self.colour_range

    def visible(self, x_limits: Limits, y_limits: Limits, pixels: tuple[float, float], mode: str) -> Int:
        """Return the indices of the points to draw: all, or those that are visible, with the extremes of each axis."""
        if self.x.size <= MOST:
            return np.arange(self.x.size)
        columns = _pixel(self.x, x_limits, pixels[0], log=self.log_x)
        rows = _pixel(self.y, y_limits, pixels[1], log=self.log_y)
        arrays = [self.x, self.y, *([self.colour] if self.colour is not None else [])]
        extremes = np.array(
            [0, self.x.size - 1, *(index(values) for values in arrays for index in (np.argmin, np.argmax))]
        )
        if "lines" in mode:
            return thin_path(columns, rows, self.breaks, extremes)
        return thin_cloud(columns, rows, extremes)

    def places(self, x_limits: Limits, y_limits: Limits) -> tuple[Reals, Reals]:
        """Return the places of the points as fractions of the panel's width and height."""
        return (
            _fraction(self.x, x_limits, log=self.log_x),
            _fraction(self.y, y_limits, log=self.log_y),
        )

    def outside(self, x_limits: Limits, y_limits: Limits) -> int:
        """Return the number of points outside the limits of the axes."""
        (x0, x1), (y0, y1) = x_limits, y_limits
        return int(((self.x < x0) | (self.x > x1) | (self.y < y0) | (self.y > y1)).sum())


@dataclass(frozen=True, eq=False)
class Colours:
    """The colours of points: one colour, or a scale of colours with its limits."""

    cloud: Cloud
    plain: str
    shades: list[str]
    stops: list[list[float | str]]

    @classmethod
    def of(cls, cloud: Cloud, colour: str, scale_name: str, where: str) -> Colours:
        """Choose the colours of points."""
        if colour.strip().lower() == TIME:
            raise StepError(f"{where}: color is one colour for all points", advice="write color_by: time")
        places = [number / (SHADES - 1) for number in range(SHADES)]
        shades = colours.along(places, colours.colour_scale(scale_name)) if cloud.colour is not None else []
        stops: list[list[float | str]] = [
            [round(position, 6), shade] for position, shade in zip(places, shades, strict=bool(shades))
        ]
        return cls(cloud, check_colour(colour, where), shades, stops)

    @property
    def limits(self) -> Limits:
        """The values of the lowest and the highest colour."""
        low, high = self.cloud.colour_range
        if low < high:
            return low, high
        return (low / 10, high * 10) if self.cloud.log_colour else (low - 1, high + 1)

    @property
    def scaled_limits(self) -> Limits:
        """The limits on plotly's linear scale of colours: logarithms of them for a logarithmic scale."""
        low, high = self.limits
        return (math.log10(low), math.log10(high)) if self.cloud.log_colour else (low, high)

    def scaled(self, values: Reals) -> Reals:
        """Return values on plotly's linear scale of colours."""
        return np.log10(values) if self.cloud.log_colour else values

    def shade_of(self, values: Reals) -> Int:
        """Return the number of the shade of each value."""
        low, high = self.scaled_limits
        return np.clip((self.scaled(values) - low) / (high - low) * SHADES, 0, SHADES - 1).astype(np.int64)

    def bar(self, place: dict[str, Any], font: float) -> dict[str, Any]:
        """Return plotly's colour bar at a place."""
        low, high = self.limits
        bar = colour_bar(low=low, high=high, log=self.cloud.log_colour, geometry=place, font=font)
        if self.cloud.by_time:
            ticks, texts = time_ticks(self.cloud.first, self.cloud.last, 6)
            seconds = (ticks - self.cloud.first).astype("i8") / 1e9
            bar = {key: value for key, value in bar.items() if key not in ("nticks", "exponentformat")}
            bar |= {"tickmode": "array", "tickvals": seconds.tolist(), "ticktext": texts}
        return bar

    def room(self, font: float) -> float:
        """Return the width in pixels of the colour bar with its labels and title."""
        return bar_room(self.bar({}, font), self.limits, font)

    def bar_trace(self, bar: dict[str, Any], x_axis: str, y_axis: str) -> dict[str, Any]:
        """Return a plotly trace without points that shows the colour bar."""
        low, high = self.scaled_limits
        return {
            "type": "scatter", "uid": f"{y_axis}-bar", "mode": "markers", "x": [None], "y": [None],
            "xaxis": x_axis, "yaxis": y_axis, "hoverinfo": "skip", "showlegend": False,
            "marker": {
                "color": [low], "cmin": low, "cmax": high, "colorscale": self.stops, "showscale": True,
                "colorbar": bar,
            },
        }  # fmt: skip


def bar_room(bar: dict[str, Any], limits: Limits, font: float) -> float:
    """Return the width in pixels of a colour bar with its labels and title."""
    texts = bar["ticktext"] if "ticktext" in bar else linear_texts(*limits, bar["nticks"])
    widest = max((tick_width(text, font - 2) for text in texts), default=0.0)
    return 10 + 14 + 15 + widest + 1.6 * (font - 2) + 4


def cloud_traces(
    cloud: Cloud, kept: Int, chosen: Colours, *, mode: str, uid: str, common: dict[str, Any], hover: str
) -> list[dict[str, Any]]:
    """Return the plotly traces of points: lines that are broken at gaps, and markers."""
    x, y = cloud.x[kept], cloud.y[kept]
    # A break before a point that is left out would be before the next point that is kept.
    breaks = np.concatenate([[False], np.diff(np.cumsum(cloud.breaks)[kept]) > 0])[: kept.size]
    colour = None if cloud.colour is None else cloud.colour[kept]
    traces: list[dict[str, Any]] = []
    if "lines" in mode:
        traces += _line_traces(
            x, y, *_pieces(colour, breaks, chosen), chosen, colour=colour, uid=uid, common=common
        )
    size = 6 if kept.size <= 300 else 4 if kept.size <= 3000 else 3
    marker: dict[str, Any] = {"color": chosen.plain, "size": size}
    if "markers" not in mode:
        marker["opacity"] = 0
    elif colour is not None:
        low, high = chosen.scaled_limits
        marker |= {
            "color": numbers(chosen.scaled(colour)),
            "cmin": low,
            "cmax": high,
            "colorscale": chosen.stops,
        }
    traces.append(
        {
            "type": "scatter",
            "uid": uid,
            "mode": "markers",
            "x": numbers(x),
            "y": numbers(y),
            "marker": marker,
            "hovertemplate": hover + ("<br>%{text}" if kept.size <= MOST else "") + "<extra></extra>",
            **({"text": moments(cloud.epoch[kept])} if kept.size <= MOST else {}),
            **common,
        }
    )
    return traces


def full_cloud(
    cloud: Cloud, kept: Int, chosen: Colours, *, mode: str, uid: str, label: str
) -> list[FullPoints]:
    """Return all points behind the traces of `cloud_traces`, if these leave out points.

    Parameters
    ----------
    label : str
        Label of the quantity on the y axis.
    """
    if kept.size == cloud.x.size:
        return []
    x, y, colour = cloud.x, cloud.y, cloud.colour
    axes = (cloud.log_x, cloud.log_y)
    shown = colour is not None and "markers" in mode
    fulls = [
        FullPoints(
            uid,
            label,
            x,
            y,
            int(kept.size),
            int(x.size),
            *axes,
            colour=chosen.scaled(colour) if shown and colour is not None else None,
            epoch=cloud.epoch,
        )
    ]
    if "lines" not in mode:
        return fulls
    breaks = np.concatenate([[False], np.diff(np.cumsum(cloud.breaks)[kept]) > 0])[: kept.size]
    drawn, _ = _pieces(None if colour is None else colour[kept], breaks, chosen)
    names = {shade: f"{uid}-line{number}" for number, (shade, _) in enumerate(drawn, 1)}
    every, _ = _pieces(colour, cloud.breaks, chosen)
    by_trace: dict[str, list[Int]] = {}
    for shade, places in every:
        if shade not in names:  # a colour of points that are left out: the next one along the scale
            known = [chosen.shades.index(name) for name in names]
            at = min(known, key=lambda number: abs(number - chosen.shades.index(shade)))
            by_trace.setdefault(names[chosen.shades[at]], []).append(places)
        else:
            by_trace.setdefault(names[shade], []).append(places)
    for name, parts in by_trace.items():
        places = np.concatenate([np.append(part, -1) for part in parts])[:-1]
        line_x, line_y = (np.where(places < 0, np.nan, values[places]) for values in (x, y))
        fulls.append(FullPoints(name, label, line_x, line_y, 0, 0, *axes, shape="line"))
    return fulls


def _pieces(
    colour: Reals | None, breaks: npt.NDArray[np.bool_], chosen: Colours
) -> tuple[list[tuple[str, Int]], Int]:
    """Return the points of a line with −1 at its breaks, and the isolated points.

    If colours have a meaning, the points of a line for each colour, with the pieces that have this colour.
    """
    whole = np.insert(np.arange(breaks.size), np.flatnonzero(breaks), -1)
    alone = whole[isolated(np.where(whole < 0, np.nan, 0.0))]
    if colour is None:
        return [(chosen.plain, whole)], alone
    starts = np.flatnonzero(~breaks[1:])
    middle = (colour[starts] + colour[starts + 1]) / 2
    shades = chosen.shade_of(middle)
    return [
        (chosen.shades[shade], _joined(starts[shades == shade])) for shade in np.unique(shades).tolist()
    ], alone


def _line_traces(
    x: Reals,
    y: Reals,
    pieces: list[tuple[str, Int]],
    alone: Int,
    chosen: Colours,
    *,
    colour: Reals | None,
    uid: str,
    common: dict[str, Any],
) -> list[dict[str, Any]]:
    """Return a trace for each piece of a line, and one for its isolated points."""
    traces = [
        {
            "type": "scatter",
            "uid": f"{uid}-line{number}",
            "mode": "lines",
            "x": numbers(np.where(places < 0, np.nan, x[places])),
            "y": numbers(np.where(places < 0, np.nan, y[places])),
            "line": {"color": shade, "width": 1.5, "simplify": False},
            "connectgaps": False,
            "hoverinfo": "skip",
            **common,
        }
        for number, (shade, places) in enumerate(pieces, 1)
        if places.size > 1
    ]
    if alone.size:
        shown = chosen.plain if colour is None else [chosen.shades[k] for k in chosen.shade_of(colour[alone])]
        traces.append(
            {
                "type": "scatter",
                "uid": f"{uid}-alone",
                "mode": "markers",
                "x": numbers(x[alone]),
                "y": numbers(y[alone]),
                "marker": {"color": shown, "size": 3},
                "hoverinfo": "skip",
                **common,
            }
        )
    return traces


def _joined(starts: Int) -> Int:
    """Return the points of pieces from each start to the next point, with −1 where two pieces do not meet."""
    apart = np.flatnonzero(np.diff(starts) > 1) + 1
    runs = np.split(starts, apart)
    joined = [np.concatenate([run, [run[-1] + 1, -1]]) for run in runs]
    return np.concatenate(joined)[:-1].astype(np.int64)


def end_marks(
    cloud: Cloud, limits: Limits, *, uid: str, common: dict[str, Any], colours: tuple[str, str], font: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return plotly's traces and texts that mark the first point with a circle, and the last point with a square.

    Parameters
    ----------
    limits : (float, float)
        Limits of the x axis.
    colours : (str, str)
        Colour of the marks and of the background.
    """
    colour, background = colours
    middle = math.sqrt(limits[0] * limits[1]) if cloud.log_x else sum(limits) / 2
    traces, texts = [], []
    for text, index, symbol, fill in (("start", 0, "circle", background), ("end", -1, "square", colour)):
        x, y = float(cloud.x[index]), float(cloud.y[index])
        traces.append(
            {
                "type": "scatter", "uid": f"{uid}-{text}", "mode": "markers",
                "x": numbers(cloud.x[[index]]), "y": numbers(cloud.y[[index]]),
                "marker": {
                    "symbol": symbol, "size": 9, "color": fill, "line": {"color": colour, "width": 1.5}
                },
                "hoverinfo": "skip", **common,
            }
        )  # fmt: skip
        side = -1 if x > middle else 1
        texts.append(
            {
                "text": text, "xref": common["xaxis"], "x": _short(math.log10(x) if cloud.log_x else x),
                "yref": common["yaxis"], "y": _short(math.log10(y) if cloud.log_y else y), "showarrow": False,
                "xanchor": "right" if side < 0 else "left", "xshift": 9 * side, "yanchor": "middle",
                "bgcolor": background, "opacity": 0.8, "borderpad": 0, "font": {"size": font, "color": colour},
            }
        )  # fmt: skip
    return traces, texts


def _short(value: float) -> float:
    return float(f"{value:.8g}")


def _pixel(values: Reals, limits: Limits, pixels: float, *, log: bool) -> Int:
    return np.floor(np.clip(_fraction(values, limits, log=log), -1e3, 1e3) * pixels).astype(np.int64)


def _fraction(values: Reals, limits: Limits, *, log: bool) -> Reals:
    low, high = (math.log10(end) for end in limits) if log else limits
    places: Reals = ((np.log10(values) if log else values) - low) / (high - low)
    return places
