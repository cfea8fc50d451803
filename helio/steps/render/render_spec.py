"""Draw one figure from tables and a spec."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render import colours, lines, marks, review
from helio.steps.render.encode import iso
from helio.steps.render.figure import Figure
from helio.steps.render.geometry import (
    LEGEND_KEY,
    LEGEND_ROW,
    LINE_PANEL,
    SPECTROGRAM_PANEL,
    WIDTH,
    Geometry,
    lay_out,
)
from helio.steps.render.panels import Panel, arrange_panels, per_panel
from helio.steps.render.spec import FigureSpec
from helio.steps.render.spectrogram import colour_bar, colour_limits, heat_map
from helio.steps.render.spectrum_grid import spectrum_grid
from helio.steps.render.themes import Look, look
from helio.steps.render.ticks import linear_texts, log_ticks, tick_width
from helio.steps.render.time_axis import as_datetime, instant, nanoseconds, tick_formats
from helio.steps.render.wording import (
    FONT_FAMILY,
    axis_title,
    bracketed,
    cited_sources,
    inert,
    quantity,
    text_width,
    wrap,
    written_range,
)
from helio.steps.tool import tool
from helio.store.component_names import axis_letters
from helio.store.table import Table, merge_sources
from helio.time_range import TimeRange

_BAR_TITLE_ANGLE = -90
_BAR_LABEL_STANDOFF = 15
"""Pixels that a colour bar's ticks and the spaces around their labels take."""
_LABEL_STANDOFF, _STANDOFF, _EDGE = 5, 6, 6
"""Pixels between a panel and its tick labels, these and the title of the axis, and that and the page's edge."""
_TITLE_COLUMN = 28
"""Titles of y axes stand in one column, at a font size of 14 this far from the panels or further."""


@tool(version=2, labels_in=("spec.labels", "spec.panels"))
def render_spec(
    tables: dict[str, Table], *, spec: FigureSpec, time_range: TimeRange | None = None, caption: str = ""
) -> Figure:
    """Draw tables as stacked panels over one time axis.

    The figure depends on the arguments alone: equal tables and spec give equal bytes.

    Parameters
    ----------
    tables : dict of Table
        By label as the spec writes it, ``LABEL`` or ``LABEL.component``. Any cadence; scalars and vectors are
        lines, spectra of one bin axis are spectrograms or one line per bin.
    spec : FigureSpec
        What the figure looks like; panels are counted from 1 at the top.
    time_range : TimeRange, optional
        The interval [start, stop) of the time axis; else that of the data.
    caption : str
        Stands at the right of the footer.

    Returns
    -------
    Figure
        A line is broken where a value is missing and where the time step exceeds ``gap_factor`` local median
        cadences (1.5 unless the spec says otherwise: one missing record is a gap). Lines with more than two
        points per pixel are thinned to the lowest and highest of each pixel; spectra with more records
        than pixels are averaged per pixel. Nothing is drawn over a gap.

    Raises
    ------
    StepError
        When a label, panel number, colour or style is not what the figure has, or there is nothing to draw.
    """
    theme = look(spec.get("theme", "white"))
    given = arrange_panels(tables, spec)
    start, stop = _span(given, spec, time_range)
    panels = [_cut(panel, start, stop, time_range is not None or "x_range" in spec) for panel in given]
    _check_keys(panels, spec, tables)
    line_scale = colours.colour_scale("viridis" if spec.get("palette") == "okabe-ito" else "turbo")
    drawn = [_Drawn(panel, *_prepared(panel, len(panels), spec, theme, line_scale)) for panel in panels]

    font = float(spec.get("font_size", 14))
    legend = spec.get("legend", True)
    room = _right_room(drawn, font, legend=legend)
    sources = merge_sources([table for panel in panels for table in panel.tables.values()])
    width = spec.get("canvas_size", {}).get("width", WIDTH)
    titles = _title_lines(spec, start, stop, width, font)
    footers = _footer_lines(sources, caption, width, font) if spec.get("footer", True) else ([], [])
    lay = partial(
        lay_out,
        spec,
        wanted=[_wanted_height(each, font, legend=legend) for each in drawn],
        right=room,
        title_lines=len(titles),
        footer_lines=max(map(len, footers)),
    )
    # How wide labels and titles are depends on the height of their panel, which no margin changes.
    plain = lay()
    y_titles = [_y_title(each, plain, len(panels), spec) for each in drawn]
    depths = [_label_depth(each, plain, len(panels), spec) for each in drawn]
    column = max(_TITLE_COLUMN * font / 14, *depths)
    geometry = lay(left=math.ceil(column + _STANDOFF + max(map(_title_depth, y_titles)) + _EDGE))
    notes = review.coverage_notes(panels, start, stop, spec.get("gap_factor", 1.5))

    data: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    layout = _layout(geometry, theme, titles, start, stop, spec)
    for each, title, depth in zip(drawn, y_titles, depths, strict=True):
        axis = _axis_name(each.panel.number)
        if each.panel.type == "spectrogram":
            traces, y_axis, panel_texts = _spectrogram(
                each, axis, start, stop, geometry, len(panels), spec, theme
            )
        else:
            traces, y_axis, panel_texts = _lines(
                each, axis, start, stop, geometry, len(panels), spec, theme, layout
            )
            notes += review.line_notes(each.panel, each.lines, log=each.log_y)
        data += traces
        texts += panel_texts
        # Measured from where the labels of this axis really end, so that they never meet.
        y_axis["title"] = title | {"standoff": round(column - depth + _STANDOFF, 1)}
        layout["yaxis" + axis.removeprefix("y")] = y_axis
    _align([text for text in texts if text.get("textangle") == _BAR_TITLE_ANGLE])
    layout["xaxis"]["anchor"] = _axis_name(len(panels))
    if any(source.preliminary for source in sources):
        texts.append(_watermark(geometry, theme))
        notes.append("preliminary data: not for publication")
    if unused := [
        label for label in spec.get("labels", []) if all(label not in panel.tables for panel in panels)
    ]:
        notes.append(f"in no panel: {', '.join(unused)}")
    shapes, mark_texts = marks.marks(
        spec,
        geometry,
        start=start,
        stop=stop,
        axes=[_axis_name(each.panel.number) for each in drawn],
        logarithmic=[each.log_y for each in drawn],
        foreground=theme.foreground,
        background=theme.background,
    )
    layout["shapes"] = shapes
    layout["annotations"] = [
        *_second_lines(titles, geometry),
        *texts,
        *mark_texts,
        *_footer(footers, geometry, theme),
    ]
    return Figure({"data": data, "layout": layout}, tuple(notes))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A panel with what is known of it before its size is."""

    panel: Panel
    lines: list[lines.Line]
    log_y: bool

    @property
    def bins_bar(self) -> bool:
        """Whether its lines are the many bins of one spectrum, named by a colour bar."""
        return len(self.lines) > lines.MANY and all(line.bin is not None for line in self.lines)


def _span(
    panels: Sequence[Panel], spec: FigureSpec, time_range: TimeRange | None
) -> tuple[np.datetime64, np.datetime64]:
    if "x_range" in spec:
        if len(spec["x_range"]) != 2:
            raise StepError("x_range needs two times", advice='["2024-05-10T12:00", "2024-05-11"]')
        first, last = (instant(text, "x_range") for text in spec["x_range"])
        if not first < last:
            raise StepError("x_range is reversed or empty", advice="the earlier time first")
        return first, last
    if time_range is not None:
        return nanoseconds(time_range.start), nanoseconds(time_range.stop)
    every = [table.epoch for panel in panels for table in panel.tables.values() if len(table)]
    if not every:
        labels = ", ".join(label for panel in panels for label in panel.tables)
        raise StepError(f"nothing to draw: no records in {labels}", advice="another time range or data set")
    first, last = min(epoch[0] for epoch in every), max(epoch[-1] for epoch in every)
    # A figure of one record has no span of its own.
    return first, last if last > first else last + np.timedelta64(1, "m")


def _cut(panel: Panel, start: np.datetime64, stop: np.datetime64, half_open: bool) -> Panel:
    end = stop if half_open else stop + np.timedelta64(1, "ns")
    cut = {label: table.between(start, end) for label, table in panel.tables.items()}
    for label, table in cut.items():
        if not np.isfinite(table.values).any():
            what = "no records" if len(table) == 0 else "only missing values"
            raise StepError(
                f"nothing to draw: '{label}' has {what} in {_written(start, stop)}",
                advice="another time range, or leave the label out of the figure",
            )
    return Panel(panel.number, cut, panel.type)


def _check_keys(panels: Sequence[Panel], spec: FigureSpec, tables: Mapping[str, Table]) -> None:
    keys = dict.fromkeys(tables)
    letters: set[str] = set()
    for label, table in tables.items():
        keys |= dict.fromkeys(f"{label}.{name}" for name in table.components)
        letters |= {f"{label}.{letter}" for letter in axis_letters(table.components)} - set(keys)
        keys |= dict.fromkeys(f"{label}.bin{place + 1}" for axis in table.axes for place in range(axis.bins))
    for key in ("trace_colors", "line_styles", "trace_names"):
        for label in cast(Mapping[str, Any], spec.get(key, {})):
            if label not in keys and label not in letters:
                named = [name for name in keys if ".bin" not in name and name not in letters]
                raise StepError(f"{key}: no line is called '{label}'", advice=f"lines: {', '.join(named)}")
    for key in ("y_label", "log_y", "log_z", "y_range", "z_min", "z_max"):
        per_panel(spec.get(key), 1, len(panels), key, None)
    if spec.get("gap_factor", 1.5) < 1:
        raise StepError(f"gap_factor {spec['gap_factor']:g} breaks every line", advice="1.5 to 3 cadences")


def _prepared(
    panel: Panel, panels: int, spec: FigureSpec, theme: Look, scale: list[list[float | str]]
) -> tuple[list[lines.Line], bool]:
    if panel.type == "spectrogram":
        table = next(iter(panel.tables.values()))
        axis_log = table.axes[0].scale == "log" and bool((table.axes[0].centers > 0).any())
        return [], bool(per_panel(spec.get("log_y"), panel.number, panels, "log_y", axis_log))
    found = lines.panel_lines(panel, spec, theme.foreground, scale)
    lowest = min(float(np.nanmin(line.values)) for line in found if np.isfinite(line.values).any())
    default = lowest >= 0 and all(table.scale == "log" for table in panel.tables.values())
    return found, _line_log(panel.number, panels, spec, default, lowest)


def _line_log(number: int, panels: int, spec: FigureSpec, default: bool, lowest: float) -> bool:
    said = spec.get("log_y")
    if said is True:
        # One word for the whole figure, in which a field of either sign stays linear.
        default = lowest >= 0
    elif said is not None:
        default = bool(per_panel(said, number, panels, "log_y", default))
    scale = spec.get("log_scale")
    if isinstance(scale, int):
        per_panel({str(scale): True}, number, panels, "log_scale", None)
        return True if scale == number else default
    if scale in ("y", "log"):
        return True
    if scale == "linear":
        return False
    chosen = per_panel(scale, number, panels, "log_scale", cast(str | None, None))
    return default if chosen is None else chosen == "log"


def _wanted_height(each: _Drawn, font: float, *, legend: bool) -> float:
    base = SPECTROGRAM_PANEL if each.panel.type == "spectrogram" else LINE_PANEL
    if legend and not each.bins_bar and len(each.lines) > 1:
        base = max(base, _rows(len(each.lines)) + 6)
    return max(base, base * font / 14)


def _rows(entries: int) -> int:
    return entries * LEGEND_ROW


def _right_room(drawn: Sequence[_Drawn], font: float, *, legend: bool) -> int:
    room = 24.0
    for each in drawn:
        if each.panel.type == "spectrogram" or each.bins_bar:
            room = max(room, 10 + 14 + 8 + 3.0 * font + 2 * 1.3 * font + 8)
        elif legend and len(each.lines) > 1:
            widest = max(text_width(line.name, _legend_font(font)) for line in each.lines)
            room = max(room, LEGEND_KEY + widest + 14)
    return round(min(room, 280))


def _legend_font(font: float) -> float:
    return min(font - 2, 14.0)


def _axis_name(number: int) -> str:
    return "y" if number == 1 else f"y{number}"


def _title_lines(
    spec: FigureSpec, start: np.datetime64, stop: np.datetime64, width: int, font: float
) -> list[str]:
    second = _written(start, stop)
    if spec.get("subtitle"):
        second = f"{spec['subtitle']} · {second}"
    first = wrap(spec["title"], width - 120, font + 2, 3) if spec.get("title") else []
    return [*(f"<b>{line}</b>" for line in first), *wrap(second, width - 120, font - 1, 2)]


def _written(start: np.datetime64, stop: np.datetime64) -> str:
    return written_range(as_datetime(start), as_datetime(stop))


def _layout(
    geometry: Geometry,
    theme: Look,
    titles: Sequence[str],
    start: np.datetime64,
    stop: np.datetime64,
    spec: FigureSpec,
) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "width": geometry.width,
        "height": geometry.height,
        "margin": {
            "l": geometry.left, "r": geometry.right, "t": geometry.top, "b": geometry.bottom,
            "autoexpand": False,
        },
        "font": {"family": FONT_FAMILY, "size": geometry.font, "color": theme.foreground},
        "title": {
            "text": titles[0],
            "font": {"size": geometry.font + (2 if len(titles) > 1 else 0)},
            "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom",
            "pad": {"b": round(8 + (len(titles) - 1) * 1.4 * geometry.font)}, "automargin": False,
        },
        "hovermode": "x",
        "dragmode": "zoom",
        "showlegend": bool(spec.get("legend", True)),
        "xaxis": _x_axis(geometry, theme, start, stop, spec),
    }  # fmt: skip
    if theme.own:
        layout |= {"paper_bgcolor": theme.background, "plot_bgcolor": theme.background}
    else:
        layout["template"] = theme.template
    return layout


def _second_lines(titles: Sequence[str], geometry: Geometry) -> list[dict[str, Any]]:
    """Lines below the title. Plotly moves a title of several lines up, by an amount of its own."""
    if len(titles) < 2:
        return []
    return [
        {
            "text": "<br>".join(titles[1:]), "xref": "paper", "x": 0, "xanchor": "left", "xshift": -1,
            "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 5, "showarrow": False, "align": "left",
            "borderpad": 0,
            "font": {"size": geometry.font - 1},
        }
    ]  # fmt: skip


def _frame(theme: Look) -> dict[str, Any]:
    style: dict[str, Any] = {
        "showline": True,
        "linewidth": 1,
        "linecolor": theme.foreground,
        "automargin": False,
    }
    if theme.own:
        style["showgrid"] = False
    return style | {"ticks": "inside", "ticklen": 6, "tickcolor": theme.foreground}


def _x_axis(
    geometry: Geometry, theme: Look, start: np.datetime64, stop: np.datetime64, spec: FigureSpec
) -> dict[str, Any]:
    short = stop - start <= np.timedelta64(1, "h")
    # One axis is shared by all panels: it cannot disagree with itself, as axes that match each other could.
    return _frame(theme) | {
        "type": "date",
        "range": [iso(start), iso(stop)],
        "domain": [0, 1],
        "mirror": "allticks",
        "nticks": max(4, round(geometry.plot_width / (5.2 * geometry.font))),
        "minor": {"ticks": "inside", "ticklen": 3, "tickcolor": theme.foreground, "showgrid": False},
        "tickformatstops": tick_formats(),
        "hoverformat": "%Y-%m-%d %H:%M:%S.%3f" if short else "%Y-%m-%d %H:%M:%S",
        "tickfont": {"size": geometry.font - 1},
        "title": {"text": spec.get("x_label", "UT"), "standoff": 4, "font": {"size": geometry.font - 1}},
    }


def _y_title(each: _Drawn, geometry: Geometry, panels: int, spec: FigureSpec) -> dict[str, Any]:
    number = each.panel.number
    height, font = geometry.panel_height(number), geometry.font - 1
    said = per_panel(spec.get("y_label"), number, panels, "y_label", cast(str | None, None))
    if said is not None:
        return axis_title(said, "", height, font)
    if each.panel.type == "spectrogram":
        bins = next(iter(each.panel.tables.values())).axes[0]
        return axis_title(bins.label or "bin", bins.unit, height, font)
    return _line_title(each.panel, height, font)


def _label_depth(each: _Drawn, geometry: Geometry, panels: int, spec: FigureSpec) -> float:
    """Pixels from a panel to the far end of the tick labels of its y axis."""
    font = geometry.font - 2
    texts = _tick_texts(each, geometry, panels, spec)
    return _LABEL_STANDOFF + max((tick_width(text, font) for text in texts), default=0.0)


def _title_depth(title: dict[str, Any]) -> float:
    depth: float = 1.3 * title["font"]["size"] * (1 + title["text"].count("<br>"))
    return depth


def _tick_texts(each: _Drawn, geometry: Geometry, panels: int, spec: FigureSpec) -> list[str]:
    number = each.panel.number
    limits = per_panel(spec.get("y_range"), number, panels, "y_range", cast(list[float] | None, None))
    low, high = _limits(limits, number) if limits is not None else _extent(each)
    if not low < high:
        return []
    if each.log_y:
        return log_ticks(low, high)[1] if low > 0 else []
    # Without a y_range plotly.js leaves an eighteenth of the lines' range free at both ends, about as much as
    # the edges of bins lie beyond their centres.
    room = (high - low) / 18 if limits is None else 0.0
    return linear_texts(low - room, high + room, _most_ticks(geometry.panel_height(number)))


def _extent(each: _Drawn) -> tuple[float, float]:
    """Lowest and highest value that a panel's y axis has to show; above zero on a logarithmic axis.

    Both are 0 where there is none. About a single value plotly.js shows one, or a decade, on either side.
    """
    if each.lines:
        every: Iterable[npt.NDArray[Any]] = [line.values for line in each.lines]
    else:
        every = next(iter(each.panel.tables.values())).axes[0].parts.values()
    shown = [values[np.isfinite(values) & ((values > 0) | (not each.log_y))] for values in every]
    shown = [values for values in shown if values.size]
    if not shown:
        return 0.0, 0.0
    low, high = min(float(values.min()) for values in shown), max(float(values.max()) for values in shown)
    if low < high:
        return low, high
    return (low / 10, high * 10) if each.log_y else (low - 1, high + 1)


def _most_ticks(height: float) -> int:
    return max(3, round(height / 32))


def _y_axis(each: _Drawn, geometry: Geometry, panels: int, spec: FigureSpec, theme: Look) -> dict[str, Any]:
    number = each.panel.number
    axis: dict[str, Any] = _frame(theme) | {
        "domain": list(geometry.domains[number - 1]),
        "anchor": "x",
        "mirror": "ticks",
        "type": "log" if each.log_y else "linear",
        "zeroline": False,
        "exponentformat": "power",
        "tickfont": {"size": geometry.font - 2},
        "minor": {"ticks": "inside", "ticklen": 3, "tickcolor": theme.foreground, "showgrid": False},
    }
    if not each.log_y:
        axis["nticks"] = _most_ticks(geometry.panel_height(number))
    limits = per_panel(spec.get("y_range"), number, panels, "y_range", cast(list[float] | None, None))
    if limits is not None:
        low, high = _limits(limits, number)
        if each.log_y and low <= 0:
            raise StepError(
                f"y_range: panel {number} is logarithmic and starts at {low:g}", advice="a value above 0"
            )
        axis["range"] = [float(np.log10(low)), float(np.log10(high))] if each.log_y else [low, high]
    return axis


def _limits(limits: Sequence[float], number: int) -> tuple[float, float]:
    if len(limits) != 2 or not limits[0] < limits[1]:
        raise StepError(
            f"y_range: panel {number} has {limits}", advice="the lowest and the highest value: [-20, 20]"
        )
    return float(limits[0]), float(limits[1])


def _log_axis(axis: dict[str, Any], low: float, high: float) -> None:
    """Powers of ten on a logarithmic axis, with 2 and 5 where there would be fewer than two of them."""
    places, texts = log_ticks(low, high)
    if all(text.startswith("10<sup>") for text in texts):
        axis["dtick"] = max(1, round(places[1] - places[0])) if len(places) > 1 else 1
        # plotly.js draws powers of ten a quarter larger than it is told.
        axis["tickfont"] = {"size": round(axis["tickfont"]["size"] / 1.25, 2)}
        axis["minor"]["dtick"] = "D1" if axis["dtick"] == 1 else 1
    else:
        axis |= {
            "tickmode": "array",
            "tickvals": [float(f"{10**place:.6g}") for place in places],
            "ticktext": texts,
        }
        axis["minor"]["dtick"] = "D1"


def _lines(
    each: _Drawn,
    axis: str,
    start: np.datetime64,
    stop: np.datetime64,
    geometry: Geometry,
    panels: int,
    spec: FigureSpec,
    theme: Look,
    layout: dict[str, Any],
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
    number = each.panel.number
    height = geometry.panel_height(number)
    shown = spec.get("legend", True) and len(each.lines) > 1 and not each.bins_bar
    # Plotly's entries do not shrink; where they do not fit, coloured names stand in for them.
    fits = _rows(len(each.lines)) <= height + 2
    legend = f"legend{number if number > 1 else ''}" if shown and fits else None
    traces = [
        trace
        for place, line in enumerate(each.lines, 1)
        for trace in lines.line_traces(
            line,
            uid=f"p{number}-{place}",
            axis=axis,
            start=start,
            stop=stop,
            pixels=geometry.plot_width,
            spec=spec,
            positive=each.log_y,
            legend=legend,
        )
    ]
    texts: list[dict[str, Any]] = []
    top = geometry.domains[number - 1][1]
    if legend:
        layout[legend] = {
            "x": 1, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper", "yanchor": "top",
            "font": {"size": _legend_font(geometry.font)}, "bgcolor": "rgba(0,0,0,0)", "borderwidth": 0,
            "tracegroupgap": 0, "itemwidth": 30, "itemsizing": "constant",
        }  # fmt: skip
    elif shown:
        texts = _coloured_names(each.lines, top, height, geometry.font)
    if each.bins_bar:
        bins = each.lines[0].table.axes[0]
        bar = _bins_bar(each.lines, geometry, number)
        title = axis_title(bins.label or "bin", bins.unit, height, geometry.font - 2)
        centres = [line.bin for line in each.lines if line.bin is not None]
        texts = [_bar_title(title, bar, (min(centres), max(centres)), geometry, number)]
        traces.append(lines.bin_colour_bar(each.lines, axis, start, bar))
    y_axis = _y_axis(each, geometry, panels, spec, theme)
    finite = [line.values[np.isfinite(line.values)] for line in each.lines]
    if each.log_y:
        positive = [values[values > 0] for values in finite]
        if not any(values.size for values in positive):
            raise StepError(
                f"panel {number} is logarithmic and no value is above 0", advice="log_scale: linear"
            )
        low, high = (10**limit for limit in y_axis["range"]) if "range" in y_axis else _extent(each)
        _log_axis(y_axis, low, high)
    else:
        signed = any((values < 0).any() for values in finite) and any((values > 0).any() for values in finite)
        if spec.get("show_zero_line", signed):
            y_axis |= {"zeroline": True, "zerolinecolor": "#999999", "zerolinewidth": 1}
    return traces, y_axis, texts


def _bins_bar(found: Sequence[lines.Line], geometry: Geometry, number: int) -> dict[str, Any]:
    centres = [line.bin for line in found if line.bin is not None]
    log = found[0].table.axes[0].scale == "log" and min(centres) > 0
    return colour_bar(
        low=min(centres),
        high=max(centres),
        log=log,
        geometry=_beside(geometry, number),
        font=geometry.font,
    )


def _beside(geometry: Geometry, number: int) -> dict[str, Any]:
    low, high = geometry.domains[number - 1]
    # At the panel's side plus 10 pixels of padding: it stays there when a page stretches the figure.
    return {
        "x": 1, "xref": "paper", "xanchor": "left",
        "y": low, "yref": "paper", "yanchor": "bottom",
        "len": round(high - low, 6),
    }  # fmt: skip


def _line_title(panel: Panel, height: float, font: float) -> dict[str, Any]:
    names = list(dict.fromkeys(quantity(table, label) for label, table in panel.tables.items()))
    units = list(dict.fromkeys(table.unit for table in panel.tables.values()))
    if len(units) > 1:
        each = [f"{quantity(table, label)} {bracketed(table.unit)}" for label, table in panel.tables.items()]
        return axis_title(", ".join(dict.fromkeys(each)), "", height, font)
    name = ", ".join(names)
    if len(names) > 1 and text_width(name, font) > 2 * height:
        name = f"{names[0]}, …"
    return axis_title(name, units[0], height, font)


def _coloured_names(
    found: Sequence[lines.Line], top: float, height: float, font: float
) -> list[dict[str, Any]]:
    pitch = height / len(found)
    size = max(5.0, min(_legend_font(font), 0.9 * pitch))
    return [
        {
            "text": line.name, "showarrow": False, "xref": "paper", "x": 1, "xanchor": "left", "xshift": 8,
            "yref": "paper", "y": top, "yanchor": "middle", "yshift": -round((place + 0.5) * pitch, 2),
            "font": {"size": round(size, 1), "color": line.colour}, "borderpad": 0,
        }
        for place, line in enumerate(found)
    ]  # fmt: skip


def _spectrogram(
    each: _Drawn,
    axis: str,
    start: np.datetime64,
    stop: np.datetime64,
    geometry: Geometry,
    panels: int,
    spec: FigureSpec,
    theme: Look,
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
    number = each.panel.number
    (label, table), *_ = each.panel.tables.items()
    bins = table.axes[0]
    finite = table.values[np.isfinite(table.values)]
    log_z = bool(per_panel(spec.get("log_z"), number, panels, "log_z", not (finite < 0).any()))
    if log_z and not (finite > 0).any():
        raise StepError(f"nothing to draw: no value of '{label}' is above 0", advice="log_z: false")
    grid = spectrum_grid(
        table,
        start=start,
        stop=stop,
        columns=geometry.plot_width,
        rows=round(geometry.panel_height(number)),
        log_y=each.log_y,
        positive=log_z,
        gap_factor=spec.get("gap_factor", 1.5),
    )
    if not np.isfinite(grid.z).any():
        raise StepError(
            f"nothing to draw: '{label}' has no bin with a known place and a value", advice="log_y: false"
        )
    limits = colour_limits(
        grid.z,
        log=log_z,
        low=per_panel(spec.get("z_min"), number, panels, "z_min", cast(float | None, None)),
        high=per_panel(spec.get("z_max"), number, panels, "z_max", cast(float | None, None)),
        where=f"panel {number}",
    )
    height = geometry.panel_height(number)
    bar = colour_bar(
        low=limits[0],
        high=limits[1],
        log=log_z,
        geometry=_beside(geometry, number),
        font=geometry.font,
    )
    trace = heat_map(
        grid,
        uid=f"p{number}",
        name=label,
        axis=axis,
        log=log_z,
        limits=limits,
        scale=colours.colour_scale(spec.get("colorscale", "turbo")),
        bar=bar,
        axis_name=bins.label,
        axis_unit=bins.unit,
        unit=table.unit,
    )
    y_axis = _y_axis(each, geometry, panels, spec, theme)
    if "range" not in y_axis:
        ends = (float(grid.y[0]), float(grid.y[-1]))
        y_axis["range"] = [float(f"{np.log10(end):.8g}") for end in ends] if each.log_y else list(ends)
    if each.log_y:
        _log_axis(y_axis, *(10**limit for limit in y_axis["range"]))
    bar_title = axis_title(quantity(table, label), table.unit, height, geometry.font - 2)
    return [trace], y_axis, [_bar_title(bar_title, bar, limits, geometry, number)]


def _bar_title(
    title: dict[str, Any],
    bar: dict[str, Any],
    limits: tuple[float, float],
    geometry: Geometry,
    number: int,
) -> dict[str, Any]:
    """A colour bar's title, clear of its ticks: plotly lays a title of two lines over them."""
    ticks = bar["ticktext"] if "ticktext" in bar else linear_texts(*limits, bar["nticks"])
    widest = max((tick_width(text, geometry.font - 2) for text in ticks), default=0.0)
    low, high = geometry.domains[number - 1]
    return {
        **title, "xref": "paper", "x": 1, "xanchor": "left", "textangle": _BAR_TITLE_ANGLE, "yref": "paper",
        "y": round((low + high) / 2, 6), "yanchor": "middle", "showarrow": False, "borderpad": 0,
        "xshift": round(10 + 14 + _BAR_LABEL_STANDOFF + widest),
    }  # fmt: skip


def _align(bar_titles: Sequence[dict[str, Any]]) -> None:
    """Titles of colour bars stand in one line, clear of the widest ticks."""
    for title in bar_titles:
        title["xshift"] = max(each["xshift"] for each in bar_titles)


def _watermark(geometry: Geometry, theme: Look) -> dict[str, Any]:
    size = min(geometry.plot_width / 8, geometry.plot_height / 4)
    return {
        "text": "PRELIMINARY", "xref": "paper", "x": 0.5, "yref": "paper", "y": 0.5, "showarrow": False,
        "textangle": -25, "opacity": 0.15, "font": {"size": round(size), "color": theme.foreground},
    }  # fmt: skip


def _footer_lines(
    sources: Sequence[Any], caption: str, width: int, font: float
) -> tuple[list[str], list[str]]:
    size = _footer_font(font)
    left = cited_sources(sources)
    return (
        wrap(left, (0.6 if caption else 0.95) * width - 20, size, 3) if left else [],
        wrap(caption, 0.36 * width, size, 3) if caption else [],
    )


def _footer_font(font: float) -> float:
    return max(6.0, font - 5)


def _footer(footers: tuple[list[str], list[str]], geometry: Geometry, theme: Look) -> list[dict[str, Any]]:
    size = _footer_font(geometry.font)
    rows = max(map(len, footers))
    common = {
        "xref": "paper", "yref": "paper", "y": 0, "yanchor": "top", "showarrow": False, "borderpad": 0,
        "yshift": -(geometry.bottom - rows * 14 * geometry.font / 14 - 4),
        "font": {"size": size, "color": "#666666" if theme.own else theme.foreground},
    }  # fmt: skip
    left, right = ("<br>".join(inert(line) for line in side) for side in footers)
    found = []
    if left:
        found.append(
            {"text": left, "x": 0, "xanchor": "left", "xshift": 12 - geometry.left, "align": "left", **common}
        )
    if right:
        end = geometry.right - 12
        found.append({"text": right, "x": 1, "xanchor": "right", "xshift": end, "align": "right", **common})
    return found
