"""The lines of line panels: their names, colours and points; lines are thinned, and broken at gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.angles import turning
from helio.steps.render import colours
from helio.steps.render.bands import Spread, drawn_limits, spread_traces
from helio.steps.render.detail import isolated_trace
from helio.steps.render.downsample import break_at_seam, isolated, thin_line
from helio.steps.render.encode import iso, moments, numbers, times
from helio.steps.render.fills import beyond_level, fill_trace
from helio.steps.render.gaps import gaps
from helio.steps.render.geometry import font_size
from helio.steps.render.point_names import names_of_points
from helio.steps.render.refine import FullLine
from helio.steps.render.spec import FigureSpec
from helio.steps.render.symlog import Symlog
from helio.steps.render.wording import inert
from helio.store.component_names import axis_letters
from helio.store.table import Axis, Table

Value = TypeVar("Value")

Points = tuple[int, int]
"""The number of drawn points of a line, and the number of valid values that the line stands for."""

MANY = 12
"""If a spectrum drawn as lines has more bins than this, a colour bar replaces the names of the bins."""

_DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a panel before it is drawn."""

    label: str
    component: str
    table: Table
    values: npt.NDArray[Any]
    name: str
    colour: str
    dash: str = "solid"
    width: float = 1.3
    """Width in pixels, unless the figure's spec states another."""
    bin: float | None = None
    """Centre of the spectrum's bin that the line shows, if the table is a spectrum."""
    spread: Spread | None = None
    """The uncertainties of the values, if the figure shows them."""

    @property
    def shown(self) -> tuple[npt.NDArray[Any], ...]:
        """All arrays of values that must fit on the y axis."""
        return (self.values,) if self.spread is None else (self.values, self.spread.lower, self.spread.upper)

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names and colours of the line for the legend."""
        return [(self.name, self.colour)]

    @property
    def keys(self) -> tuple[str, ...]:
        """Names by which a figure's spec may refer to the line; the most exact name is first."""
        if not self.component:
            return (self.label,)
        letters = [
            letter for letter, name in axis_letters(self.table.components).items() if name == self.component
        ]
        return (*(f"{self.label}.{name}" for name in (self.component, *letters)), self.label)


LineLike = TypeVar("LineLike", bound=Line)


def panel_lines(
    tables: Mapping[str, Table], spec: FigureSpec, foreground: str, scale: list[list[float | str]]
) -> list[Line]:
    """Return the lines of a panel; their names and colours depend only on the panel's labels."""
    palette = spec.get("palette", "tplot")
    lines: list[Line] = []
    for label, table in tables.items():
        if table.kind == "spectrum":
            lines += _bin_lines(label, table, scale)
        elif table.kind == "vector":
            line_colours = colours.vector_colours(table.components, palette, foreground)
            if len(table.components) > 4:
                line_colours = colours.sequence(len(table.components), scale)
            dash = _DASHES[sum(other.table is not table for other in _firsts(lines)) % len(_DASHES)]
            lines += [
                Line(label, name, table, table.values[:, column], name, line_colours[column], dash)
                for column, name in enumerate(table.components)
            ]
        else:
            lines.append(Line(label, "", table, table.values, table.name or label, foreground))
    lines = _coloured_scalars(lines, spec, foreground)
    return _with_free_colours(
        [styled(line, spec, foreground) for line in _named(lines, spec)], spec, foreground
    )


def line_traces(
    line: Line,
    *,
    uid: str,
    axis: str,
    start: np.datetime64,
    stop: np.datetime64,
    pixels: int,
    spec: FigureSpec,
    positive: bool,
    legend: str | None,
    frame: tuple[float, float] = (0.0, 0.0),
    symlog: Symlog | None = None,
) -> tuple[list[dict[str, Any]], Points, list[FullLine]]:
    """Return the plotly traces of a line: the line itself, and markers for isolated values between gaps.

    Return the number of drawn and of all points as well, and the complete line and band if points are left out. `frame`
    has the values at the bottom and at the top of the panel, to which its style may fill an area. With `symlog`, `y`
    is the place on this scale, and `customdata` the value.
    """
    epoch, values = line.table.epoch, line.values
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    if positive:
        with np.errstate(invalid="ignore"):
            values = np.where(values > 0, values, np.nan).astype(values.dtype)
    gap, period = gaps(epoch, spec.get("gap_factor", 1.5)), _period(line)
    gap |= _over_the_seam(line, period)
    x, y = thin_line(epoch, values, gap, start=start, stop=stop, pixels=pixels)
    x, y = break_at_seam(x, y, period)
    heights = y if symlog is None else symlog.places(y)
    style = line_style(line, spec)
    mode = style.get("mode", "lines")
    width = float(style.get("width", line.width))
    unit = pretty_unit(line.table.unit)
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": line.name,
        "uid": uid,
        "mode": mode,
        **times(x),
        "y": numbers(heights),
        "yaxis": axis,
        # Thinned already; plotly.js would leave out more points, and curves would show corners.
        "line": {
            "color": line.colour,
            "width": width,
            "dash": style.get("dash", line.dash),
            "simplify": False,
        },
        "connectgaps": False,
        "hovertemplate": f"%{{{'y' if symlog is None else 'customdata'}:.5g}} {unit}".rstrip()
        + f"<extra>{line.name}</extra>",
        "showlegend": legend is not None,
    }
    if symlog is not None:
        trace["customdata"] = numbers(y)
    if "markers" in mode:
        trace["marker"] = {"color": line.colour, "size": 2 + 2 * width}
    if "point_names" in style:
        font = font_size(spec) - 3
        names = names_of_points(
            line.table,
            line.keys[0],
            style["point_names"],
            x,
            y,
            start=start,
            stop=stop,
            pixels=pixels,
            font=font,
        )
        trace |= {
            "mode": f"{mode}+text",
            "text": names,
            "textposition": "top center",
            "textfont": {"size": font, "color": line.colour},
            "cliponaxis": False,
        }
    if legend is not None:
        trace["legend"] = legend
        trace["legendgroup"] = trace["uid"]
    spreads: Iterable[dict[str, Any]] = ()
    if line.spread is not None:
        spreads = spread_traces(
            line,
            line.spread,
            gap,
            uid=uid,
            axis=axis,
            start=start,
            stop=stop,
            pixels=pixels,
            positive=positive,
            symlog=symlog,
        )
    fills = _fills(
        line, style, x, heights, uid=uid, axis=axis, log=positive, levels=_levels(style, frame, symlog)
    )
    traces = [*spreads, *fills, trace]
    alone = isolated(y)
    if alone.any() and "markers" not in mode:
        traces.append(isolated_trace(trace, moments(x[alone]), numbers(heights[alone])))
    drawn, given = points(y, values)
    full = FullLine(
        uid,
        line.label,
        epoch,
        values,
        gap,
        start,
        stop,
        pixels,
        drawn,
        given,
        tuple(_levels(style, frame, symlog)),
        positive,
        period=period,
        linthresh=None if symlog is None else symlog.linthresh,
    )
    fulls = [full] if drawn < given else []
    if line.spread is not None and not line.spread.bars and values.size > 2 * pixels:
        limits = drawn_limits(line, line.spread, positive=positive)
        fulls += [
            replace(full, uid=f"{uid}-{side}", values=limit, drawn=0, given=0, fills=(), band=f"{uid}-band")
            for side, limit in zip(("lower", "upper"), limits, strict=True)
        ]
    return traces, (drawn, given), fulls


def _levels(
    style: Mapping[str, Any], frame: tuple[float, float], symlog: Symlog | None
) -> Iterator[tuple[str, float]]:
    """Yield the keys and the levels of the areas between a line and a level, or an edge of the panel.

    With `symlog`, the levels are places on this scale.
    """
    edge = style.get("fill_to")
    for key, side in (("fill_below", "top"), ("fill_above", "bottom")):
        if key in style or edge == side:
            level = float(style[key] if key in style else frame[side == "top"])
            yield key, level if symlog is None else symlog.place(level)


def absent_trace(
    line: Line, *, uid: str, axis: str, start: np.datetime64, legend: str | None
) -> dict[str, Any]:
    """Return a plotly trace without points, with which a line without values stands in the legend."""
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": line.name,
        "uid": uid,
        "mode": "lines",
        "x": [iso(start)],
        "y": [None],
        "yaxis": axis,
        "line": {"color": line.colour, "width": line.width, "dash": line.dash, "simplify": False},
        "hoverinfo": "skip",
        "showlegend": legend is not None,
    }
    return trace if legend is None else trace | {"legend": legend, "legendgroup": uid}


def _fills(
    line: Line,
    style: Mapping[str, Any],
    x: npt.NDArray[np.datetime64],
    y: npt.NDArray[Any],
    *,
    uid: str,
    axis: str,
    log: bool,
    levels: Iterable[tuple[str, float]],
) -> Iterator[dict[str, Any]]:
    """Yield the plotly traces of the areas between a line and the levels that its style states."""
    colour = colours.check_colour(style.get("fill_color", line.colour), f"line_styles: {line.keys[-1]}")
    for key, level in levels:
        if log and level <= 0:
            raise StepError(
                f"line_styles: {key} of '{line.keys[0]}' is {level:g}, but the y axis is logarithmic",
                advice="choose a value above 0, or set log_scale: linear",
            )
        places, heights = beyond_level(x, y, level, below=key == "fill_below", log=log)
        if heights.size:
            yield fill_trace(
                places,
                heights,
                uid=f"{uid}-{key}",
                group=uid,
                axis=axis,
                colour=colour,
                hatched=bool(style.get("fill_hatched")),
            )


def points(drawn: npt.NDArray[Any], values: npt.NDArray[Any]) -> Points:
    """Return the number of valid values in a thinned line, and in the complete line."""
    return int(np.isfinite(drawn).sum()), int(np.isfinite(values).sum())


def _period(line: Line) -> float | None:
    """Return the period of an angle that wraps; None for any other quantity."""
    wraps = turning(line.table).by_column
    names = line.table.components or (line.component,)
    return wraps.get(names.index(line.component)) if wraps else None


def _over_the_seam(line: Line, period: float | None) -> npt.NDArray[np.bool_]:
    """Return the records before which an angle that wraps jumps from one end of its range to the other."""
    jumps = np.zeros(len(line.table), dtype=bool)
    if period is not None:
        with np.errstate(invalid="ignore"):
            jumps[1:] = np.abs(np.diff(line.values.astype(np.float64))) > period / 2
    return jumps


def bin_colour_bar(
    lines: Sequence[Line], axis: str, start: np.datetime64, bar: dict[str, Any]
) -> dict[str, Any]:
    """Return a plotly trace without points that shows the colour bar for the bins of a spectrum."""
    centres = np.array([line.bin for line in lines], dtype=np.float64)
    log = lines[0].table.axes[0].scale == "log" and bool((centres > 0).all())
    places = np.log10(centres) if log else centres
    low, high = float(places.min()), float(places.max())
    stops = [[number / max(1, len(lines) - 1), line.colour] for number, line in enumerate(lines)]
    if len(lines) > 1 and high > low:
        order = np.argsort(places)
        stops = [[round(float((places[k] - low) / (high - low)), 6), lines[int(k)].colour] for k in order]
        stops[0][0], stops[-1][0] = 0.0, 1.0
    return {
        "type": "scatter",
        "uid": f"{axis}-bins",
        "mode": "markers",
        "x": [iso(start)],
        "y": [None],
        "yaxis": axis,
        "marker": {
            "color": [low],
            "cmin": low,
            "cmax": high,
            "colorscale": stops,
            "showscale": True,
            "colorbar": bar,
        },
        "hoverinfo": "skip",
        "showlegend": False,
    }


def bin_names(axis: Axis) -> list[str]:
    """Return names for a spectrum's bins: the edges, ``13.6–15.1 MeV``, if the file has edges, otherwise centres."""
    centres = typical(axis.centers)
    if axis.lower is None or axis.upper is None:
        return [f"{centre:.4g} {axis.unit}".strip() for centre in centres]
    edges = zip(typical(axis.lower), typical(axis.upper), strict=True)
    return [
        f"{low:.4g}–{high:.4g} {axis.unit}".strip() if np.isfinite(low) and np.isfinite(high) and high > low
        else f"{centre:.4g} {axis.unit}".strip()
        for (low, high), centre in zip(edges, centres, strict=True)
    ]  # fmt: skip


def typical(edges: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return one value for each bin; if bins change, the median over all records."""
    plain = np.asarray(edges, dtype=np.float64)
    if plain.ndim == 1:
        return plain
    sound = np.isfinite(plain).any(axis=0)
    middle = np.full(plain.shape[1], np.nan)
    middle[sound] = np.nanmedian(plain[:, sound], axis=0)
    return middle


def _bin_lines(label: str, table: Table, scale: list[list[float | str]]) -> list[Line]:
    axis = table.axes[0]
    centres = typical(axis.centers)
    order = [int(k) for k in np.argsort(centres, kind="stable") if np.isfinite(centres[k])]
    names = bin_names(axis)
    if len(order) > MANY:
        places = _fractions(centres[order], log=axis.scale == "log")
        shades = colours.along(places, scale)
    else:
        shades = colours.sequence(len(order), scale)
    return [
        Line(
            label, f"bin{k + 1}", table, table.values[:, k], names[k], shade, width=1.1, bin=float(centres[k])
        )
        for k, shade in zip(order, shades, strict=True)
    ]


def _fractions(centres: npt.NDArray[np.float64], *, log: bool) -> list[float]:
    places = np.log(centres) if log and (centres > 0).all() else centres
    span = float(places[-1] - places[0]) or 1.0
    return [float(position) for position in (places - places[0]) / span]


def _firsts(lines: Sequence[Line]) -> list[Line]:
    return list({line.label: line for line in lines if line.component}.values())


def _coloured_scalars(lines: list[Line], spec: FigureSpec, foreground: str) -> list[Line]:
    """Choose the colours of scalars by their order, or by their names if all are components of one vector."""
    palette = spec.get("palette", "tplot")
    scalars = [line for line in lines if not line.component]
    if not scalars:
        return lines
    if len(scalars) == 1:
        # A magnitude beside its vector is black, as is a line that stands alone.
        shades = [foreground]
    else:
        names = [line.table.name for line in scalars]
        if len(scalars) == len(lines) and colours.of_one_vector(names):
            shades = colours.vector_colours(names, palette, foreground)
        else:
            shades = colours.qualitative(len(scalars), palette, foreground)
    chosen = dict(zip((line.label for line in scalars), shades, strict=True))
    return [line if line.component else replace(line, colour=chosen[line.label]) for line in lines]


def _named(lines: list[Line], spec: FigureSpec) -> list[Line]:
    """Name the lines of a panel as shortly as possible so that all names differ, and those of the figure's spec too."""
    unnamed = [line for line in lines if _name_given(line, spec) is None]
    for name_of in (_bare, _framed, _labelled):
        names = [name_of(line) for line in lines]
        told = [name_of(line) for line in unnamed]
        if len(set(told)) == len(told):
            break
    return [replace(line, name=inert(name)) for line, name in zip(lines, names, strict=True)]


def _bare(line: Line) -> str:
    return line.name


def _framed(line: Line) -> str:
    return f"{line.name} {line.table.frame}".strip()


def _labelled(line: Line) -> str:
    return f"{line.label}: {line.name}" if line.component else line.label


def styled(line: LineLike, spec: FigureSpec, foreground: str = "#000000") -> LineLike:
    """Return a line with the name and colour from the figure's spec, if the spec states them.

    On a dark page, a dark colour is mixed with white.
    """
    name = _name_given(line, spec)
    colour = _addressed(line, spec.get("trace_colors", {}))
    if name is not None:
        line = replace(line, name=name)
    if colour is not None:
        stated = colours.check_colour(colour, f"trace_colors: {line.keys[-1]}")
        line = replace(line, colour=colours.on_page(stated, foreground))
    return line


def _with_free_colours(lines: list[Line], spec: FigureSpec, foreground: str) -> list[Line]:
    """Give another colour to lines whose automatic colour is the one that the figure's spec gives to another line."""
    stated = [_addressed(line, spec.get("trace_colors", {})) is not None for line in lines]
    taken = {colours.as_hex(line.colour) for line, is_stated in zip(lines, stated, strict=True) if is_stated}
    used = {*taken, *(line.colour for line in lines)}
    free = (
        colour
        for colour in colours.qualitative(MANY, spec.get("palette", "tplot"), foreground)
        if colour not in used
    )
    return [
        replace(line, colour=next(free, line.colour))
        if line.colour in taken and not is_stated and line.bin is None
        else line
        for line, is_stated in zip(lines, stated, strict=True)
    ]


def line_style(line: Line, spec: FigureSpec) -> dict[str, Any]:
    """Return the width, dash and mode of a line from the figure's spec."""
    style = _addressed(line, spec.get("line_styles", {}))
    return dict(style) if style else {}


def _name_given(line: Line, spec: FigureSpec) -> str | None:
    """Return the name of a line in the figure's spec; the name of a spectrum is that of none of its bins."""
    names = spec.get("trace_names", {})
    of_whole = line.label if line.bin is not None else None
    return _addressed(line, {key: name for key, name in names.items() if key != of_whole})


def _addressed(line: Line, styles: Mapping[str, Value]) -> Value | None:
    return next((styles[key] for key in line.keys if key in styles), None)
