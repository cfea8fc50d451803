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
from helio.steps.render.curves import Curve, curve_traces, panel_curves, places_of
from helio.steps.render.encode import iso
from helio.steps.render.figure import Figure
from helio.steps.render.geometry import (
    BIN_AXIS,
    LEGEND_KEY,
    LEGEND_ROW,
    LINE_PANEL,
    SPECTROGRAM_PANEL,
    SPECTRUM_PANEL,
    TIME_AXIS,
    WIDTH,
    Geometry,
    lay_out,
)
from helio.steps.render.panels import Panel, arrange_panels, per_panel
from helio.steps.render.slopes import Guide, guide_traces, guides_of
from helio.steps.render.spec import FigureSpec
from helio.steps.render.spectrogram import colour_bar, colour_limits, heat_map
from helio.steps.render.spectrum_grid import spectrum_grid
from helio.steps.render.themes import Look, look
from helio.steps.render.ticks import linear_texts, log_ticks, tick_width
from helio.steps.render.time_axis import as_datetime, clock_names, instant, nanoseconds, tick_formats
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
from helio.steps.signature import whole_range
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


@tool(version=5, context=whole_range("a figure shows all records"), labels_in=("spec.labels", "spec.panels"))
def render_spec(
    tables: dict[str, Table], *, spec: FigureSpec, time_range: TimeRange | None = None, caption: str = ""
) -> Figure:
    """Draw tables as stacked panels over one time axis, and spectra over their frequency or energy.

    The figure depends on the arguments alone: equal tables and spec give equal bytes.

    Parameters
    ----------
    tables : dict of Table
        By label as the spec writes it, ``LABEL`` or ``LABEL.component``. Any cadence; scalars and vectors are
        lines, spectra of one bin axis are spectrograms, one line per bin, or spectra over that axis.
    spec : FigureSpec
        What the figure looks like; panels are counted from 1 at the top.
    time_range : TimeRange, optional
        The interval [start, stop) of the time axis; else that of the data. A spectrum of one record is drawn
        whatever its epoch.
    caption : str
        Stands at the right of the footer.

    Returns
    -------
    Figure
        A line is broken where a value is missing and where the time step exceeds ``gap_factor`` local median
        cadences (1.5 unless the spec says otherwise: one missing record is a gap). Lines with more than two
        points per pixel are thinned to the lowest and highest of each pixel. No cell of a spectrogram is smaller
        than a pixel: of the records and bins within a pixel the highest value is drawn. Nothing is drawn over a
        gap. Notes say what was thinned or combined. A spectrum panel has an axis of its own
        below it, and one line per record; with more than eight records per label their median, with a band from the
        lower to the upper quartile.

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
    drawn = [_prepared(panel, len(panels), spec, theme, line_scale) for panel in panels]
    timed = [panel.number for panel in panels if panel.type != "spectrum"]
    x_axes = _x_axis_names(panels)
    guides = guides_of(spec, [panel.number for panel in panels if panel.type == "spectrum"])

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
        below=[_axis_height(panel, timed) for panel in panels],
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
    over_time = [panel for panel in panels if panel.number in timed]
    notes = review.coverage_notes(over_time, start, stop, spec.get("gap_factor", 1.5))

    data: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    layout = _layout(geometry, theme, titles, spec)
    if timed:
        layout["xaxis"] = _x_axis(geometry, theme, start, stop, spec) | {"anchor": _axis_name(timed[-1])}
    for each, title, depth in zip(drawn, y_titles, depths, strict=True):
        axis = _axis_name(each.panel.number)
        if each.panel.type == "spectrogram":
            traces, y_axis, panel_texts, panel_notes = _spectrogram(
                each, axis, start, stop, geometry, len(panels), spec, theme
            )
        elif each.panel.type == "spectrum":
            x_axis = x_axes[each.panel.number]
            traces, y_axis, panel_texts, panel_notes = _spectrum(
                each, axis, x_axis, geometry, len(panels), spec, theme, layout, guides
            )
            notes += review.spectrum_notes(each.panel, given[each.panel.number - 1])
            notes += review.line_notes(each.panel, each.lines, log=each.log_y)
        else:
            traces, y_axis, panel_texts, panel_notes = _lines(
                each, axis, start, stop, geometry, len(panels), spec, theme, layout
            )
            notes += review.line_notes(each.panel, each.lines, log=each.log_y)
        data += traces
        texts += panel_texts
        notes += panel_notes
        # Measured from where the labels of this axis really end, so that they never meet.
        y_axis["title"] = title | {"standoff": round(column - depth + _STANDOFF, 1)}
        layout["yaxis" + axis.removeprefix("y")] = y_axis
    _align([text for text in texts if text.get("textangle") == _BAR_TITLE_ANGLE])
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
        bin_axes={number: (x_axes[number], drawn[number - 1].log_x) for number in x_axes},
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


_Parts = tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]], list[str]]
"""What is drawn of a panel: traces, y axis, texts beside it, and notes for the reviewer."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A panel with what is known of it before its size is."""

    panel: Panel
    lines: Sequence[lines.Line]
    log_y: bool
    log_x: bool = False

    @property
    def curves(self) -> list[Curve]:
        """The lines of a spectrum panel."""
        return [line for line in self.lines if isinstance(line, Curve)]

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Name and colour of everything that a legend names."""
        found = []
        for line in self.lines:
            if isinstance(line, Curve) and line.quartiles is not None:
                found.append((line.band, line.colour))
            found.append((line.name, line.colour))
        return found

    @property
    def named(self) -> bool:
        """Whether it has more than one thing to name, one by one."""
        return len(self.entries) > 1 and not self.bins_bar

    @property
    def bins_bar(self) -> bool:
        """Whether its lines are the many bins of one spectrum, named by a colour bar."""
        return len(self.lines) > lines.MANY and all(line.bin is not None for line in self.lines)


def _span(
    panels: Sequence[Panel], spec: FigureSpec, time_range: TimeRange | None
) -> tuple[np.datetime64, np.datetime64]:
    if "x_range" in spec:
        every_table = [table for panel in panels for table in panel.tables.values()]
        if all(panel.type == "spectrum" for panel in panels) and max(map(len, every_table)) <= 1:
            raise StepError(
                "x_range: the figure has no time axis, only spectra of one record",
                advice="bin_range: the lowest and highest frequency or energy",
            )
        if len(spec["x_range"]) != 2:
            raise StepError("x_range needs two times", advice='["2024-05-10T12:00", "2024-05-11"]')
        first, last = (instant(text, "x_range") for text in spec["x_range"])
        if not first < last:
            raise StepError("x_range is reversed or empty", advice="the earlier time first")
        return first, last
    if time_range is not None:
        return nanoseconds(time_range.start), nanoseconds(time_range.stop)
    over_time = [panel for panel in panels if panel.type != "spectrum"]
    every = [table.epoch for panel in over_time or panels for table in panel.tables.values() if len(table)]
    if not every:
        labels = ", ".join(label for panel in panels for label in panel.tables)
        raise StepError(f"nothing to draw: no records in {labels}", advice="another time range or data set")
    first, last = min(epoch[0] for epoch in every), max(epoch[-1] for epoch in every)
    if not over_time:
        return first, last
    # A figure of one record has no span of its own.
    return first, last if last > first else last + np.timedelta64(1, "m")


def _cut(panel: Panel, start: np.datetime64, stop: np.datetime64, half_open: bool) -> Panel:
    end = stop if half_open else stop + np.timedelta64(1, "ns")
    # The one record of a power spectrum stands for an interval: where in it its epoch lies is of no account.
    whole = [label for label, table in panel.tables.items() if panel.type == "spectrum" and len(table) == 1]
    cut = {
        label: table if label in whole else table.between(start, end) for label, table in panel.tables.items()
    }
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
    for key in ("y_label", "log_y", "log_z", "y_range", "z_min", "z_max", "log_x", "bin_range", "bin_label"):
        per_panel(spec.get(key), 1, len(panels), key, None)
    _check_bin_keys(panels, spec)
    if spec.get("gap_factor", 1.5) < 1:
        raise StepError(f"gap_factor {spec['gap_factor']:g} breaks every line", advice="1.5 to 3 cadences")


def _check_bin_keys(panels: Sequence[Panel], spec: FigureSpec) -> None:
    spectra = [panel.number for panel in panels if panel.type == "spectrum"]
    for key in ("log_x", "bin_range", "bin_label"):
        said = spec.get(key)
        if said is None:
            continue
        if not spectra:
            raise StepError(f"{key}: no panel is a spectrum", advice=f"leave {key} out")
        for number in said if isinstance(said, Mapping) else ():
            if int(number) not in spectra:
                raise StepError(
                    f"{key}: panel {number} is not a spectrum",
                    advice=f"spectra: panel {', '.join(map(str, spectra))}",
                )


def _x_axis_names(panels: Sequence[Panel]) -> dict[int, str]:
    """Plotly's name of the x axis of each spectrum panel; "x" is the time axis, where there is one."""
    spectra = [panel.number for panel in panels if panel.type == "spectrum"]
    first = 2 if len(spectra) < len(panels) else 1
    return {number: "x" if place == 1 else f"x{place}" for place, number in enumerate(spectra, first)}


def _axis_height(panel: Panel, timed: Sequence[int]) -> float:
    if panel.type == "spectrum":
        return BIN_AXIS
    return TIME_AXIS if panel.number == timed[-1] else 0.0


def _prepared(
    panel: Panel, panels: int, spec: FigureSpec, theme: Look, scale: list[list[float | str]]
) -> _Drawn:
    if panel.type == "spectrum":
        return _prepared_spectrum(panel, panels, spec, theme, scale)
    if panel.type == "spectrogram":
        table = next(iter(panel.tables.values()))
        axis_log = table.axes[0].scale == "log" and bool((table.axes[0].centers > 0).any())
        log_y = bool(per_panel(spec.get("log_y"), panel.number, panels, "log_y", axis_log))
        return _Drawn(panel, [], log_y)
    found = lines.panel_lines(panel, spec, theme.foreground, scale)
    lowest = min(float(np.nanmin(line.values)) for line in found if np.isfinite(line.values).any())
    default = lowest >= 0 and all(table.scale == "log" for table in panel.tables.values())
    return _Drawn(panel, found, _line_log(panel.number, panels, spec, default, lowest))


def _prepared_spectrum(
    panel: Panel, panels: int, spec: FigureSpec, theme: Look, scale: list[list[float | str]]
) -> _Drawn:
    number = panel.number
    axes = [table.axes[0] for table in panel.tables.values()]
    default = all(axis.scale == "log" and bool((axis.centers > 0).any()) for axis in axes)
    log_x = bool(per_panel(spec.get("log_x"), number, panels, "log_x", default))
    said = per_panel(spec.get("bin_range"), number, panels, "bin_range", cast(list[float] | None, None))
    limits = None if said is None else _limits(said, number, "bin_range")
    if limits is not None and log_x and limits[0] <= 0:
        raise StepError(
            f"bin_range: the axis of panel {number} is logarithmic and starts at {limits[0]:g}",
            advice="a value above 0, or log_x: false",
        )
    found = panel_curves(panel, spec, theme.foreground, scale, log_x=log_x, limits=limits)
    every = np.concatenate([values[np.isfinite(values)] for curve in found for values in curve.shown])
    if not every.size:
        raise StepError(
            f"nothing to draw: '{found[0].label}' has no bin with a known place and a value",
            advice="log_x: false, or another bin_range",
        )
    # As with colours of a spectrogram: what is nowhere negative spans decades.
    lowest = float(every.min())
    log_y = _line_log(number, panels, spec, lowest >= 0 and bool(every.max() > 0), lowest)
    return _Drawn(panel, found, log_y, log_x)


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
    heights = {"line": LINE_PANEL, "spectrogram": SPECTROGRAM_PANEL, "spectrum": SPECTRUM_PANEL}
    base = heights[each.panel.type]
    if legend and each.named:
        base = max(base, _rows(len(each.entries)) + 6)
    return max(base, base * font / 14)


def _rows(entries: int) -> int:
    return entries * LEGEND_ROW


def _right_room(drawn: Sequence[_Drawn], font: float, *, legend: bool) -> int:
    room = 24.0
    for each in drawn:
        if each.panel.type == "spectrogram" or each.bins_bar:
            room = max(room, 10 + 14 + 8 + 3.0 * font + 2 * 1.3 * font + 8)
        elif legend and each.named:
            widest = max(text_width(name, _legend_font(font)) for name, _ in each.entries)
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
    if start == stop:
        return f"{clock_names(np.array([start]), date=True)[0]} UT"
    return written_range(as_datetime(start), as_datetime(stop))


def _layout(
    geometry: Geometry,
    theme: Look,
    titles: Sequence[str],
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
    limits = _y_limits(each, panels, spec)
    low, high = limits or _extent(each)
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
        every: Iterable[npt.NDArray[Any]] = [values for line in each.lines for values in line.shown]
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


def _y_limits(each: _Drawn, panels: int, spec: FigureSpec) -> tuple[float, float] | None:
    """What the spec wants a panel's y axis to show."""
    number = each.panel.number
    said = per_panel(spec.get("y_range"), number, panels, "y_range", cast(list[float] | None, None))
    if said is None:
        return None
    low, high = _limits(said, number, "y_range")
    if each.log_y and low <= 0:
        raise StepError(
            f"y_range: panel {number} is logarithmic and starts at {low:g}", advice="a value above 0"
        )
    return low, high


def _most_ticks(height: float) -> int:
    return max(3, round(height / 32))


def _y_axis(
    each: _Drawn, geometry: Geometry, panels: int, spec: FigureSpec, theme: Look, x_axis: str = "x"
) -> dict[str, Any]:
    number = each.panel.number
    axis: dict[str, Any] = _frame(theme) | {
        "domain": list(geometry.domains[number - 1]),
        "anchor": x_axis,
        "mirror": "ticks",
        "type": "log" if each.log_y else "linear",
        "zeroline": False,
        "exponentformat": "power",
        "tickfont": {"size": geometry.font - 2},
        "minor": {"ticks": "inside", "ticklen": 3, "tickcolor": theme.foreground, "showgrid": False},
    }
    if not each.log_y:
        axis["nticks"] = _most_ticks(geometry.panel_height(number))
    limits = _y_limits(each, panels, spec)
    if limits is not None:
        low, high = limits
        axis["range"] = [float(np.log10(low)), float(np.log10(high))] if each.log_y else [low, high]
    return axis


def _limits(limits: Sequence[float], number: int, key: str) -> tuple[float, float]:
    if len(limits) != 2 or not limits[0] < limits[1]:
        example = "[-20, 20]" if key == "y_range" else "[0.1, 10]"
        raise StepError(
            f"{key}: panel {number} has {limits}", advice=f"the lowest and the highest value: {example}"
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
) -> _Parts:
    number = each.panel.number
    height = geometry.panel_height(number)
    legend, texts = _legend(each, geometry, spec, layout)
    drawn = [
        lines.line_traces(
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
        for place, line in enumerate(each.lines, 1)
    ]
    traces = [trace for found, _ in drawn for trace in found]
    notes = review.thinned_notes(each.panel, [points for _, points in drawn])
    if each.bins_bar:
        bins = each.lines[0].table.axes[0]
        bar = _bins_bar(each.lines, geometry, number)
        title = axis_title(bins.label or "bin", bins.unit, height, geometry.font - 2)
        centres = [line.bin for line in each.lines if line.bin is not None]
        texts = [_bar_title(title, bar, (min(centres), max(centres)), geometry, number)]
        traces.append(lines.bin_colour_bar(each.lines, axis, start, bar))
    y_axis = _y_axis(each, geometry, panels, spec, theme)
    _scale_values(each, y_axis, spec)
    return traces, y_axis, texts, notes


def _spectrum(
    each: _Drawn,
    axis: str,
    x_axis: str,
    geometry: Geometry,
    panels: int,
    spec: FigureSpec,
    theme: Look,
    layout: dict[str, Any],
    guides: Mapping[int, Sequence[Guide]],
) -> _Parts:
    number = each.panel.number
    legend, texts = _legend(each, geometry, spec, layout)
    y_axis = _y_axis(each, geometry, panels, spec, theme, x_axis)
    _scale_values(each, y_axis, spec)
    x_limits = _bin_limits(each, panels, spec)
    layout["xaxis" + x_axis.removeprefix("x")] = _bin_axis(
        each, axis, x_limits, geometry, panels, spec, theme
    )
    drawn = [
        curve_traces(
            curve,
            uid=f"p{number}-{place}",
            x_axis=x_axis,
            axis=axis,
            pixels=geometry.plot_width,
            spec=spec,
            log_x=each.log_x,
            log_y=each.log_y,
            legend=legend,
        )
        for place, curve in enumerate(each.curves, 1)
    ]
    traces = [trace for found, _ in drawn for trace in found]
    notes = review.thinned_notes(each.panel, [points for _, points in drawn])
    if number in guides:
        if not (each.log_x and each.log_y):
            raise StepError(
                f"slopes: panel {number} has not two logarithmic axes", advice="log_x: true and log_y: true"
            )
        guide_lines, guide_texts = guide_traces(
            guides[number], each.curves, x_axis=x_axis, axis=axis, x_limits=x_limits, font=geometry.font
        )
        traces += guide_lines
        texts += guide_texts
    return traces, y_axis, texts, notes


def _bin_limits(each: _Drawn, panels: int, spec: FigureSpec) -> tuple[float, float]:
    """The part of the axis of frequencies or energies that a panel shows: what was asked for, else all values."""
    number = each.panel.number
    said = per_panel(spec.get("bin_range"), number, panels, "bin_range", cast(list[float] | None, None))
    if said is not None:
        return _limits(said, number, "bin_range")
    low, high = places_of(each.curves)
    if each.log_x:
        room = (high / low) ** (1 / 60) if low < high else 10.0
        return low / room, high * room
    margin = (high - low) / 60 or 1.0
    return low - margin, high + margin


def _bin_axis(
    each: _Drawn,
    axis: str,
    limits: tuple[float, float],
    geometry: Geometry,
    panels: int,
    spec: FigureSpec,
    theme: Look,
) -> dict[str, Any]:
    low, high = limits
    drawn: dict[str, Any] = _frame(theme) | {
        "type": "log" if each.log_x else "linear",
        "range": [float(f"{np.log10(end) if each.log_x else end:.8g}") for end in limits],
        "domain": [0, 1],
        "anchor": axis,
        "mirror": "ticks",
        "zeroline": False,
        "exponentformat": "power",
        "tickfont": {"size": geometry.font - 1},
        "minor": {"ticks": "inside", "ticklen": 3, "tickcolor": theme.foreground, "showgrid": False},
    }
    if each.log_x:
        _log_axis(drawn, low, high)
    else:
        drawn["nticks"] = max(4, round(geometry.plot_width / (5.2 * geometry.font)))
    said = per_panel(spec.get("bin_label"), each.panel.number, panels, "bin_label", cast(str | None, None))
    bins = [table.axes[0] for table in each.panel.tables.values()]
    name = ", ".join(dict.fromkeys(one.label or "bin" for one in bins)) if said is None else said
    title = axis_title(name, bins[0].unit if said is None else "", geometry.plot_width, geometry.font - 1)
    return drawn | {"title": title | {"standoff": 4}}


def _legend(
    each: _Drawn, geometry: Geometry, spec: FigureSpec, layout: dict[str, Any]
) -> tuple[str | None, list[dict[str, Any]]]:
    """The name of a panel's legend, put into the layout; or coloured names, where its entries do not fit."""
    number = each.panel.number
    height, top = geometry.panel_height(number), geometry.domains[number - 1][1]
    if not (spec.get("legend", True) and each.named):
        return None, []
    # Plotly's entries do not shrink; where they do not fit, coloured names stand in for them.
    if _rows(len(each.entries)) > height + 2:
        return None, _coloured_names(each.entries, top, height, geometry.font)
    legend = f"legend{number if number > 1 else ''}"
    layout[legend] = {
        "x": 1, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper", "yanchor": "top",
        "font": {"size": _legend_font(geometry.font)}, "bgcolor": "rgba(0,0,0,0)", "borderwidth": 0,
        "tracegroupgap": 0, "itemwidth": 30, "itemsizing": "constant",
    }  # fmt: skip
    return legend, []


def _scale_values(each: _Drawn, y_axis: dict[str, Any], spec: FigureSpec) -> None:
    """Ticks of a logarithmic y axis, or a zero line where values change sign."""
    finite = [line.values[np.isfinite(line.values)] for line in each.lines]
    if each.log_y:
        positive = [values[values > 0] for values in finite]
        if not any(values.size for values in positive):
            raise StepError(
                f"panel {each.panel.number} is logarithmic and no value is above 0",
                advice="log_scale: linear",
            )
        low, high = (10**limit for limit in y_axis["range"]) if "range" in y_axis else _extent(each)
        _log_axis(y_axis, low, high)
    else:
        signed = any((values < 0).any() for values in finite) and any((values > 0).any() for values in finite)
        if spec.get("show_zero_line", signed):
            y_axis |= {"zeroline": True, "zerolinecolor": "#999999", "zerolinewidth": 1}


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
    found: Sequence[tuple[str, str]], top: float, height: float, font: float
) -> list[dict[str, Any]]:
    pitch = height / len(found)
    size = max(5.0, min(_legend_font(font), 0.9 * pitch))
    return [
        {
            "text": name, "showarrow": False, "xref": "paper", "x": 1, "xanchor": "left", "xshift": 8,
            "yref": "paper", "y": top, "yanchor": "middle", "yshift": -round((place + 0.5) * pitch, 2),
            "font": {"size": round(size, 1), "color": colour}, "borderpad": 0,
        }
        for place, (name, colour) in enumerate(found)
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
) -> _Parts:
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
        rows=max(1, int(geometry.panel_height(number))),
        log_y=each.log_y,
        positive=log_z,
        gap_factor=spec.get("gap_factor", 1.5),
        y_range=_y_limits(each, panels, spec),
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
    texts = [_bar_title(bar_title, bar, limits, geometry, number)]
    return [trace], y_axis, texts, review.grid_notes(each.panel, grid)


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
