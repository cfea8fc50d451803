"""Draw one figure from tables and a figure's spec."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render import colours, marks, names_above, review
from helio.steps.render.axes import beyond_last_tick, fixed_ticks, time_axis
from helio.steps.render.bands import absent_bands, band_labels, check_bands
from helio.steps.render.empty_panel import with_reason
from helio.steps.render.ephemeris import (
    EphemerisRow,
    ephemeris_notes,
    ephemeris_rows,
    height_of,
    row_texts,
    width_between,
    width_of,
)
from helio.steps.render.events import event_intervals, event_labels
from helio.steps.render.figure import Figure
from helio.steps.render.gaps import usable_records
from helio.steps.render.geometry import BIN_AXIS, LEFT, TIME_AXIS, Geometry, font_size, lay_out
from helio.steps.render.levels import horizontal_lines, with_room
from helio.steps.render.lines import Line
from helio.steps.render.marked_medians import marked_labels, with_medians
from helio.steps.render.page import (
    column_titles,
    footer,
    footer_lines,
    page_layout,
    panel_letter,
    second_lines,
    title_lines,
    watermark,
    written_span,
)
from helio.steps.render.panel import BAR_TITLE_ANGLE, RIGHT, TWO_SIDED, Panel, Slot, per_panel, title_depth
from helio.steps.render.panels import arrange_panels, is_unknown
from helio.steps.render.quality import as_json, label_qualities
from helio.steps.render.refine import Full, words_on_drawn
from helio.steps.render.refusals import refuse, wrong_thresholds
from helio.steps.render.rows import (
    check_columns,
    drawn_bars,
    figure_width,
    measure,
    named_once,
    natural_height,
    rooms_at_right,
    rows_of,
    same_y,
    side_by_side,
)
from helio.steps.render.slopes import guides_of
from helio.steps.render.spec import FigureSpec, PanelType
from helio.steps.render.strip_panel import check_categories
from helio.steps.render.themes import look
from helio.steps.render.time_axis import instant, nanoseconds, time_ticks
from helio.steps.render.wording import typeset
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.component_names import axis_letters
from helio.store.table import Epochs, Table, merge_sources
from helio.time_range import TimeRange

_STANDOFF, _EDGE = 6, 6
"""Distances in pixels between tick labels and the axis title, and between the axis title and the edge of the page."""
BY_NUMBER = (
    "y_label", "log_scale", "linthresh", "log_y", "log_z", "y_range", "z_min", "z_max", "log_x",
    "bin_range", "bin_label",
)  # fmt: skip
"""Keys whose value may be an object with panel ephemeris as keys."""
_COLUMN_TITLE = 20
"""Height in pixels of the titles of columns at a font size of 14."""
_TITLE_COLUMN = 28
"""The smallest distance in pixels between the titles of y axes and the panels, at a font size of 14."""


@tool(
    version=11,
    context=whole_range("a figure shows all records"),
    labels_in=(
        "spec.labels",
        "spec.panels",
        "spec.right",
        "spec.ephemeris",
        "spec.xy.x",
        "spec.xy.y",
        "spec.xy.color_by",
        "spec.histograms.of",
        "spec.orbits.of",
        "spec.orbits.color_by",
        "spec.bands.sigma",
        "spec.bands.lower",
        "spec.bands.upper",
        "spec.events.of",
        "spec.events.by",
        "spec.vlines.of",
    ),
    synonyms="render render_plot render_figure draw_figure",
)
def render_spec(
    tables: dict[str, Table], *, spec: FigureSpec, time_range: TimeRange | None = None, caption: str = ""
) -> Figure:
    """Draw tables as panels over one time axis, spectra, one quantity against another, and histograms.

    The figure depends on the arguments alone: equal tables and spec give equal bytes.

    Parameters
    ----------
    tables : dict of Table
        By label as the spec writes it, ``LABEL`` or ``LABEL.component``. Any cadence; scalars and vectors are
        lines, spectra of one bin axis are spectrograms, one line per bin, or spectra over that axis.
    spec : FigureSpec
        The declaration of the figure; panels are counted from 1 at the top.
    time_range : TimeRange, optional
        The interval [start, stop) of the time axis; default: that of the data. A spectrum of one record is always
        drawn, whatever its epoch is.
    caption : str
        Text at the right of the footer.

    Returns
    -------
    Figure
        A line is broken where a value is missing and where the time step exceeds ``gap_factor`` local median
        cadences (1.5 unless the spec says otherwise: one missing record is a gap). Lines with more than two points
        per pixel are thinned to the lowest and highest of each pixel. No cell of a spectrogram is smaller than a
        pixel: a pixel shows the highest value of its records and bins. Nothing is drawn over a gap. Notes say what
        was thinned or combined. A spectrum panel has an axis of its own below it, and one line per record; with
        more than eight records per label their median, with a band from the lower to the upper quartile. A panel of
        ``xy`` has a point for each record with a value on both axes; notes count the others. Of more than 5,000
        points, those are drawn that can be seen, and the extremes. Nothing is joined: both series must have the same
        epochs. The bins of a histogram are those of the spec, or have a round width by the rule of Freedman and
        Diaconis or of Sturges, at most 100; notes give the bins, and count what is left out.

    Raises
    ------
    StepError
        When a label, panel number, colour or style does not fit the figure, or no panel has anything to draw. A
        panel without data among others is drawn empty, with the reason in its middle.

    Examples
    --------
    Two panels over one time axis:

    >>> from helio.steps.examples import series, vector
    >>> field, density = vector([[3.0, 4.0, 0.0], [1.0, 2.0, 2.0]], "nT"), series([5.0, 6.0], "cm^-3", "N_p")
    >>> figure = render_spec({"MAG.B": field, "SWE.N": density}, spec={"labels": ["MAG.B", "SWE.N"]})
    >>> [trace["name"] for trace in figure.document["data"]]
    ['Bx', 'By', 'Bz', 'N<sub>p</sub>']
    >>> [figure.document["layout"][axis]["title"]["text"] for axis in ("yaxis", "yaxis2")]
    ['B GSE [nT]', 'N<sub>p</sub> [cm⁻³]']

    A hodogram, coloured by time, and a scatter plot:

    >>> tables = {"B.x": field.component("Bx"), "B.y": field.component("By"), "SWE.N": density}
    >>> hodogram = {"type": "hodogram", "x": "B.x", "y": "B.y"}
    >>> figure = render_spec(tables, spec={"xy": [hodogram, {"x": "SWE.N", "y": "B.x"}]})
    >>> [figure.document["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2")]
    ['Bx GSE [nT]', 'By GSE [nT]', 'N<sub>p</sub> [cm⁻³]', 'Bx GSE [nT]']
    """
    theme = look(spec.get("theme", "white"))
    line_scale = colours.line_scale(spec.get("palette", "tplot"), theme.foreground)
    whole = arrange_panels(tables, spec, theme, line_scale)
    start, stop = _span(whole, spec, time_range)
    half_open = spec.get("x_range", time_range) not in (None, "data")
    end = stop if half_open else stop + np.timedelta64(1, "ns")
    panels = [panel.between(start, end, written_span(start, stop)) for panel in whole]
    _check_keys(panels, spec, tables)
    check_columns(spec, panels)
    _check_data(panels)
    guides = guides_of(spec, _spectra(panels))
    panels = [with_reason(panel) for panel in panels]
    hlines = horizontal_lines(spec, panels)
    panels = named_once(same_y(with_room(panels, hlines), spec), spec.get("columns", 1))
    drawn = [table for panel in panels for table in panel.tables.values()]
    beside = (*spec.get("ephemeris", []), *band_labels(spec), *event_labels(spec), *marked_labels(spec))
    drawn += [tables[label] for label in beside if label in tables]
    sources = merge_sources(drawn)
    width, font = figure_width(spec, panels), font_size(spec)
    columns = spec.get("columns", 1)
    titles = title_lines(spec, start, stop, width, font)
    lift = round(_COLUMN_TITLE * font / 14) if "column_titles" in spec else 0
    footers = footer_lines(sources, caption, width, font) if spec.get("footer", True) else ([], [])
    rows = rows_of(panels, width, font, columns)
    ephemeris = ephemeris_rows(spec, tables)
    events, event_notes = event_intervals(spec, tables, start, stop)
    names = [*events] if rows[0][0].over_time else []

    def size(strip: int) -> tuple[Geometry, dict[int, float], list[dict[str, Any]]]:
        return _size(
            rows,
            ephemeris,
            spec,
            width,
            font,
            len(titles) + bool(lift),
            max(map(len, footers)),
            strip,
            (start, stop),
        )

    geometry, title_columns, y_titles = size(0)
    strip = names_above.height(names, geometry, start, stop)
    if strip:
        geometry, title_columns, y_titles = size(strip)
    bars = drawn_bars(rows)

    over_time = [panel for panel in panels if panel.over_time]
    time_axes = _time_axes(over_time, rows)
    bin_axes = _bin_axes(panels, len(set(time_axes.values())))
    two_sided = [panel.number for panel in panels if panel.right is not None]
    right_axes = {number: f"y{order}" for order, number in enumerate(two_sided, len(panels) + 1)}
    coverages = {
        panel.number: label_qualities(
            panel.tables,
            panel.absent,
            start,
            stop,
            spec.get("gap_factor", 1.5),
            over_time=panel.over_time,
        )
        for panel in panels
    }
    notes = absent_bands(spec, tables)
    notes += [review.coverage_note(panel.number, coverages[panel.number]) for panel in over_time]
    quality: list[dict[str, Any]] = []
    data: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    details: list[Full] = []
    layout = page_layout(geometry, theme, titles, legend=bool(spec.get("legend", True)), lift=lift + strip)
    if all(panel.side_by_side for panel in panels):
        layout["hovermode"] = "closest"
    if over_time:
        title = spec.get("x_label", "UT")
        lowest = {time_axes[panel.number]: panel for panel in over_time}
        for name, last in lowest.items():
            span = geometry.span(last.number)
            x_axis = time_axis(geometry, theme, start, stop, "" if ephemeris else title, span)
            layout["xaxis" + name.removeprefix("x")] = x_axis | {"anchor": _y_axis_name(last)}
            if name != "x":
                layout["xaxis" + name.removeprefix("x")]["matches"] = "x"
        if ephemeris:
            ticks, _ = time_ticks(start, stop, layout["xaxis"]["nticks"])
            bottom, _ = geometry.domains[over_time[-1].number - 1]
            for (name, last), column in zip(lowest.items(), ephemeris, strict=True):
                layout["xaxis" + name.removeprefix("x")] |= fixed_ticks(ticks)
                values = [row.texts(ticks, spec.get("gap_factor", 1.5)) for row in column]
                notes += ephemeris_notes(column, values)
                side, _ = geometry.span(last.number)
                texts += row_texts(column, values, ticks, geometry, bottom, title, x_axis=name, left=side)
    for panel, y_title in zip(panels, y_titles, strict=True):
        slot = Slot(
            geometry,
            start,
            stop,
            y_axis=_y_axis_name(panel),
            x_axis=(bin_axes | time_axes)[panel.number],
            guides=guides.get(panel.number, ()),
            right_axis=right_axes.get(panel.number, ""),
            bar=panel.number in bars,
        )
        drawing = panel.draw(slot)
        if time_axes.get(panel.number, "x") != "x":
            drawing.traces = [{**trace, "xaxis": slot.x_axis} for trace in drawing.traces]
        data += drawing.traces
        texts += drawing.texts
        notes += panel.remarks(whole[panel.number - 1])
        notes += drawing.notes
        empty = "" if panel.nothing is None else panel.nothing.reason
        quality.append(
            as_json(
                panel.number, whole[panel.number - 1].kind, coverages[panel.number], drawing.qualities, empty
            )
        )
        details += drawing.details
        layout |= drawing.layout
        # Measured from where the labels of this axis really end, so that they never meet.
        standoff = round(title_columns[panel.number] - panel.label_depth(geometry) + _STANDOFF, 1)
        drawing.y_axis["title"] = y_title | {"standoff": standoff}
        layout["yaxis" + slot.y_axis.removeprefix("y")] = drawing.y_axis
        if spec.get("panel_letters"):
            corner = panel.letter_corner(slot, drawing)
            boxed = panel.has_colour_bar
            texts.append(panel_letter(panel.number, geometry, theme, boxed=boxed, corner=corner))
    bar_titles = [text for text in texts if text.get("textangle") == BAR_TITLE_ANGLE]
    for side in {geometry.span(panel.number)[1] for row in rows if not row[0].side_by_side for panel in row}:
        _align([text for text in bar_titles if text["x"] == side])
    if spec.get("x_range") == "data":
        notes.append(f"the time axis shows {written_span(start, stop)}, from the first to the last record")
    if any(source.preliminary for source in sources):
        texts.append(watermark(geometry, theme))
        notes.append("preliminary data: not for publication")
    if unused := [
        label
        for label in spec.get("labels", [])
        if label not in beside and all(label not in panel.tables for panel in panels)
    ]:
        notes.append(f"in no panel: {', '.join(unused)}")
    event_names, left_out = names_above.names_above(
        names, geometry, dict.fromkeys(time_axes[panel.number] for panel in rows[0]) if names else (), start, stop,
        theme.foreground,
    )  # fmt: skip
    if left_out:
        event_notes.append(f"events: no room above the panels for {number_of(left_out, 'name')}")
    if names:
        events = [replace(interval, name="") for interval in events]
    symlogs = {
        name: side.symlog
        for panel in panels
        for name, side in ((_y_axis_name(panel), panel), (right_axes.get(panel.number, ""), panel.right))
        if side is not None and side.symlog is not None
    }
    if symlogs:
        # For readers of the document, and for the page, which labels these axes when a reader zooms in.
        thresholds = {f"yaxis{name.removeprefix('y')}": scale.linthresh for name, scale in symlogs.items()}
        layout["meta"] = {"symlog": thresholds}
    vlines, mark_notes = with_medians(spec, tables, panels, start, end)
    notes += [*event_notes, *mark_notes]
    if spec.get("points") == "drawn" and details:
        layout["meta"] = layout.get("meta", {}) | {"drawn": words_on_drawn(details)}
        notes.append("the page holds only the points that are drawn")
        details = []
    shapes, mark_texts = marks.marks(
        {**spec, "vlines": vlines} if "vlines" in spec else spec,
        geometry,
        start=start,
        stop=stop,
        hlines=hlines,
        right_axes={
            panel.number: (right_axes[panel.number], panel.right.log_y)
            for panel in panels
            if panel.right is not None
        },
        symlogs=symlogs,
        events=events,
        empty=[panel.number for panel in panels if panel.nothing is not None],
        axes=[_y_axis_name(panel) for panel in panels],
        logarithmic=[panel.log_y for panel in panels],
        bin_axes={number: (axis, panels[number - 1].log_x) for number, axis in bin_axes.items()},
        bin_ranges={
            number: layout["xaxis" + axis.removeprefix("x")]["range"] for number, axis in bin_axes.items()
        },
        time_axes=time_axes,
        foreground=theme.foreground,
        background=theme.background,
    )
    layout["shapes"] = shapes
    layout["annotations"] = [
        *second_lines(titles, geometry, lift + strip),
        *_column_titles(spec, panels, geometry, strip),
        *event_names,
        *texts,
        *mark_texts,
        *footer(footers, geometry, theme),
    ]
    for titled in (*(axis.get("title", {}) for key, axis in layout.items() if "axis" in key), *bar_titles):
        if "text" in titled:
            titled["text"] = typeset(titled["text"])
    data = [trace | {"name": typeset(trace["name"])} if "name" in trace else trace for trace in data]
    return Figure({"data": data, "layout": layout}, tuple(notes), tuple(details), tuple(quality))


def _size(
    rows: Sequence[Sequence[Panel]],
    ephemeris: Sequence[Sequence[EphemerisRow]],
    spec: FigureSpec,
    width: int,
    font: float,
    titles: int,
    footers: int,
    strip: int,
    times: tuple[np.datetime64, np.datetime64],
) -> tuple[Geometry, dict[int, float], list[dict[str, Any]]]:
    """Return the geometry of the figure, the distance of each panel to the title of its y axis, and these titles.

    Parameters
    ----------
    strip : int
        Height in pixels of the names of events above the panels.
    times : two datetime64
        Ends of the time axis.
    """
    panels = [panel for row in rows for panel in row]
    timed = [panel for panel in panels if panel.over_time]

    def margin(rooms: Mapping[int, float]) -> int:
        at_right = max(24.0, last_label if timed else 0.0, *(rooms[row[-1].number] for row in rows))
        return round(min(at_right, max(280.0, 0.4 * width)))

    def height_below(panel: Panel) -> float:
        if not panel.over_time:
            return BIN_AXIS
        axis = height_of(ephemeris) if ephemeris else TIME_AXIS
        return axis if panel is timed[-1] else 0.0

    scale = font / 14
    last_label = beyond_last_tick(*times, width - LEFT * scale - 24, font)

    def lay(left: int, rooms: Mapping[int, float], depths: Mapping[int, float]) -> Geometry:
        right = margin(rooms)
        measured = measure(rows, width - left - right, depths, rooms, font)
        geometry = lay_out(
            spec,
            natural_heights=[
                natural_height(row, sizes, font) for row, sizes in zip(rows, measured, strict=True)
            ],
            below=[height_below(row[-1]) for row in rows],
            left=left,
            right=right,
            title_lines=titles,
            footer_lines=footers,
            width=width,
            strip=strip,
        )
        return side_by_side(geometry, rows, measured)

    # How wide labels and titles are depends on the height of their panel, which margins hardly change.
    usual = round(LEFT * scale)
    numbers = [panel.number for panel in panels]
    narrow = lay(usual, rooms_at_right(rows, font), dict.fromkeys(numbers, usual))
    y_titles = [panel.y_title(narrow) for panel in panels]
    least = _TITLE_COLUMN * scale
    firsts = [row[0] for row in rows]
    above = [row for row in rows if not row[0].side_by_side]
    columns = {panel.number: max(least, panel.label_depth(narrow)) for panel in panels}
    for aligned in (*zip(*above, strict=True), firsts):
        widest = max(columns[panel.number] for panel in aligned)
        columns |= {panel.number: widest for panel in aligned}
    title_depths = {panel.number: title_depth(title) for panel, title in zip(panels, y_titles, strict=True)}
    depths = {number: columns[number] + _STANDOFF + title_depths[number] + _EDGE for number in title_depths}
    if ephemeris:
        lowest = next((row for row in reversed(above) if row[0].over_time), [])
        for panel, column in zip(lowest[1:], ephemeris[1:], strict=False):
            depths[panel.number] = max(depths[panel.number], width_between(column, font))
    left = math.ceil(columns[1] + _STANDOFF + max(title_depths[panel.number] for panel in firsts) + _EDGE)
    beside = math.ceil(width_of(ephemeris[0], font)) + _EDGE if ephemeris else 0
    return lay(max(left, usual, beside), rooms_at_right(rows, font, narrow), depths), columns, y_titles


def _y_axis_name(panel: Panel) -> str:
    return "y" if panel.number == 1 else f"y{panel.number}"


def _align(bar_titles: Sequence[dict[str, Any]]) -> None:
    """Move the titles of all colour bars to the same distance from the panels, beyond the widest tick labels."""
    for title in bar_titles:
        title["xshift"] = max(other["xshift"] for other in bar_titles)


def _span(
    panels: Sequence[Panel], spec: FigureSpec, time_range: TimeRange | None
) -> tuple[np.datetime64, np.datetime64]:
    chosen = spec.get("x_range")
    if isinstance(chosen, list):
        every_table = [table for panel in panels for table in panel.tables.values()]
        if not any(panel.over_time for panel in panels) and max(map(len, every_table)) <= 1:
            raise StepError(
                "x_range cannot be used: the figure has no time axis, only spectra of one record",
                advice="use bin_range to set the lowest and highest frequency or energy",
            )
        if len(chosen) != 2:
            raise StepError(
                "x_range needs two times", advice='write x_range: ["2024-05-10T12:00", "2024-05-11"]'
            )
        first, last = (instant(text, "x_range") for text in chosen)
        if not first < last:
            raise StepError("x_range is reversed or empty", advice="write the earlier time first")
        return first, last
    if time_range is not None and chosen is None:
        return nanoseconds(time_range.start), nanoseconds(time_range.stop)
    over_time = [panel for panel in panels if panel.over_time]
    spans = [
        panel.span_of(label, epoch)
        for panel in over_time or panels
        for label, table in panel.tables.items()
        if len(epoch := table.epoch if chosen is None else _with_values(table))
    ]
    if not spans:
        labels = ", ".join(label for panel in panels for label in panel.tables)
        raise StepError(
            f"nothing to draw: no records in {labels}", advice="choose another time range or dataset"
        )
    first, last = min(first for first, _ in spans), max(last for _, last in spans)
    if not over_time:
        return first, last
    # A figure of one record has no span of its own.
    return first, last if last > first else last + np.timedelta64(1, "m")


def _with_values(table: Table) -> Epochs:
    """Return the epochs of the records that have a value."""
    return table.epoch[usable_records(table.values)]


def _check_data(panels: Sequence[Panel]) -> None:
    """Refuse a figure in which no panel has anything to draw."""
    first = panels[0].nothing
    if first is not None and all(panel.nothing is not None for panel in panels):
        raise StepError(first.message, advice=first.advice)


def _check_keys(panels: Sequence[Panel], spec: FigureSpec, tables: Mapping[str, Table]) -> None:
    keys = dict.fromkeys(tables)
    letters: set[str] = set()
    for label, table in tables.items():
        keys |= dict.fromkeys(f"{label}.{name}" for name in table.components)
        letters |= {f"{label}.{letter}" for letter in axis_letters(table.components)} - set(keys)
        keys |= dict.fromkeys(
            f"{label}.bin{column + 1}" for axis in table.axes for column in range(axis.bins)
        )
    for key in ("trace_colors", "line_styles", "trace_names"):
        for label in cast(Mapping[str, Any], spec.get(key, {})):
            unknown = any(label.startswith(f"{name}.") for name, table in tables.items() if is_unknown(table))
            if label not in keys and label not in letters and not unknown:
                named = [name for name in keys if ".bin" not in name and name not in letters]
                raise StepError(
                    f"{key}: no line is called '{label}'",
                    advice=f"choose one of the lines: {', '.join(named)}",
                )
    for key in BY_NUMBER:
        per_panel(spec.get(key), 1, len(panels), key, None)
    _check_numbered_keys(panels, spec)
    _check_symlog(panels, spec)
    _check_styles(panels, spec)
    check_categories(panels, spec.get("categories", {}))
    check_bands([line for panel in panels if panel.kind == "line" for line in _both_sides(panel)], spec)
    _check_right_keys(panels, spec)
    _check_bin_keys(panels, spec)
    if spec.get("gap_factor", 1.5) < 1:
        raise StepError(
            f"gap_factor {spec['gap_factor']:g} would break every line",
            advice="choose a gap_factor from 1.5 to 3",
        )


_KINDS_OF_STYLE: Mapping[str, tuple[str, ...]] = {
    "fill_below": ("line", "spectrogram"),
    "fill_above": ("line", "spectrogram"),
    "fill_to": ("spectrogram",),
    "fill_hatched": ("line", "spectrogram"),
    "fill_color": ("line", "spectrogram"),
    "bar": ("bars", "strip"),
}
"""Kinds of panels that draw a style of a line; all kinds draw the other styles."""


def _both_sides(panel: Panel) -> list[Line]:
    return [*panel.lines, *(() if panel.right is None else panel.right.lines)]


def _check_styles(panels: Sequence[Panel], spec: FigureSpec) -> None:
    for name, style in spec.get("line_styles", {}).items():
        kinds = [
            panel.kind
            for panel in panels
            if any(name == label or name.startswith(f"{label}.") for label in panel.tables)
        ]
        if ("fill_below" if style.get("fill_to") == "top" else "fill_above") in style and "fill_to" in style:
            raise StepError(
                f"line_styles: '{name}' is filled to the {style['fill_to']} and to a value",
                advice="leave out fill_to, or the value",
            )
        for key in style:
            allowed = _KINDS_OF_STYLE.get(key)
            if allowed is not None and kinds and not set(kinds) & set(allowed):
                raise StepError(
                    f"line_styles: {key} of '{name}' has no effect in a panel of type '{kinds[0]}'",
                    advice=f"leave {key} out, or set the panel's type to '{allowed[0]}' in panel_types",
                )


def _check_symlog(panels: Sequence[Panel], spec: FigureSpec) -> None:
    """Refuse symlog in a panel that is not one of lines over time, and a threshold without a symlog axis."""
    chosen = spec.get("log_scale")
    named = [name for name, scale in chosen.items() if scale == "symlog"] if isinstance(chosen, dict) else []
    for name in named:
        panel = panels[int(name.removesuffix(RIGHT)) - 1]
        if panel.kind != "line":
            raise StepError(
                f"log_scale: panel {name} is of type '{panel.kind}', but symlog is for panels of lines over time",
                advice="choose log or linear, or set the panel's type to 'line' in panel_types",
            )
    if chosen == "symlog" and all(panel.kind != "line" for panel in panels):
        raise StepError("log_scale: no panel of lines over time can be symlog", advice="choose log or linear")
    refuse(next(wrong_thresholds(spec), None))


def _check_right_keys(panels: Sequence[Panel], spec: FigureSpec) -> None:
    two_sided = {f"{panel.number}{RIGHT}" for panel in panels if panel.right is not None}
    for key in sorted(TWO_SIDED):
        chosen = spec.get(key)
        for name in chosen if isinstance(chosen, Mapping) else ():
            if str(name).endswith(RIGHT) and name not in two_sided:
                raise StepError(
                    f"{key}: panel {str(name).removesuffix(RIGHT)} has no y axis at the right",
                    advice="list the labels of this axis in 'right'",
                )


def _check_numbered_keys(panels: Sequence[Panel], spec: FigureSpec) -> None:
    """Refuse keys of the figure with the number of a panel that its own entry describes."""
    for key in BY_NUMBER:
        chosen = cast(Mapping[str, Any], spec).get(key)
        for number in chosen if isinstance(chosen, Mapping) else ():
            panel = panels[int(str(number).removesuffix(RIGHT)) - 1]
            if panel.side_by_side:
                raise StepError(
                    f"{key}: panel {number} is described by an entry of {panel.kind}",
                    advice=f"set its limits, labels and scales in that entry of {panel.kind}",
                )


def _spectra(panels: Sequence[Panel], *others: PanelType) -> list[int]:
    return [panel.number for panel in panels if panel.kind in ("spectrum", *others)]


def _check_bin_keys(panels: Sequence[Panel], spec: FigureSpec) -> None:
    for key in ("log_x", "bin_range", "bin_label"):
        spectra = _spectra(panels) if key == "log_x" else _spectra(panels, "epochs")
        chosen = spec.get(key)
        if chosen is None:
            continue
        if not spectra:
            raise StepError(f"{key}: no panel is a spectrum", advice=f"leave {key} out")
        for number in chosen if isinstance(chosen, Mapping) else ():
            if int(number) not in spectra:
                raise StepError(
                    f"{key}: panel {number} is not a spectrum",
                    advice=f"choose a spectrum: panel {', '.join(map(str, spectra))}",
                )


def _time_axes(over_time: Sequence[Panel], rows: Sequence[Sequence[Panel]]) -> dict[int, str]:
    """Return plotly's name of the time axis of each panel over time; the panels of a column share it."""
    column = {panel.number: order for row in rows for order, panel in enumerate(row, 1)}
    return {panel.number: _x_axis_name(column[panel.number]) for panel in over_time}


def _bin_axes(panels: Sequence[Panel], time_axes: int) -> dict[int, str]:
    """Return plotly's name of the x axis of each panel without time on it, after the names of the time axes."""
    untimed = [panel.number for panel in panels if not panel.over_time]
    return {number: _x_axis_name(order) for order, number in enumerate(untimed, time_axes + 1)}


def _x_axis_name(order: int) -> str:
    return "x" if order == 1 else f"x{order}"


def _column_titles(
    spec: FigureSpec, panels: Sequence[Panel], geometry: Geometry, strip: int
) -> list[dict[str, Any]]:
    titles = spec.get("column_titles", [])
    spans = [geometry.span(panel.number) for panel in panels[: len(titles)]]
    return column_titles(titles, spans, geometry, strip)
