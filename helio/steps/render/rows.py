"""Rows of panels: panels over time and spectra, in one or more columns; all others stand side by side below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render.geometry import LEFT, WIDTH, Geometry, pixels
from helio.steps.render.panel import Panel
from helio.steps.render.spec import MOST_COLUMNS, FigureSpec
from helio.steps.render.wording import text_width

ALONE = 640
"""Width in pixels of a figure whose only panel has no time axis."""
_MOST = 3
"""The largest number of panels side by side below the columns."""
_COLUMN = 500
"""Width in pixels of each column of a figure with three or more columns."""
_COMFORTABLE, _LABELS = 130, 75
"""Width in pixels of a panel that may have another one beside it, and of its y labels, at a font size of 14."""
_NARROWEST, _LOWEST = 80, 150
"""The smallest width, and the smallest height if none is chosen, of a panel in pixels."""
_DATE = "2024-05-10   "
"""As wide as the halves of two dates below neighbouring time axes, and a space between them."""
_BETWEEN = 14
"""Width in pixels of the space between a panel and the y labels of the next one."""


def figure_width(spec: FigureSpec, panels: Sequence[Panel]) -> int:
    """Return the width of the figure in pixels: from its spec, otherwise as its panels need."""
    alone = len(panels) == 1 and panels[0].side_by_side
    usual = ALONE if alone else max(WIDTH, spec.get("columns", 1) * _COLUMN)
    return round(pixels(spec.get("canvas_size", {}).get("width", usual)))


def check_columns(spec: FigureSpec, panels: Sequence[Panel]) -> None:
    """Refuse columns that the panels do not fill, and settings of columns that do not fit them.

    Raises
    ------
    StepError
    """
    columns, titles = spec.get("columns", 1), spec.get("column_titles")
    above = [panel for panel in panels if not panel.side_by_side]
    if not 1 <= columns <= MOST_COLUMNS:
        raise StepError(
            f"columns: {columns} columns are not possible", advice=f"choose 1 to {MOST_COLUMNS} columns"
        )
    if titles is not None and len(titles) != columns:
        raise StepError(
            f"column_titles has {number_of(len(titles), 'title')} for {number_of(columns, 'column')}",
            advice="write one title for each column"
            if columns > 1
            else "set columns, or leave column_titles out",
        )
    if columns == 1:
        if spec.get("share_y"):
            raise StepError("share_y: the figure has one column", advice="set columns, or leave share_y out")
        return
    if len(above) % columns or not above:
        raise StepError(
            f"columns: {number_of(len(above), 'panel')} do not fill rows of {columns}",
            advice=f"list in 'panels' as many panels for each of the {columns} columns, row by row",
        )
    labels = spec.get("ephemeris", [])
    if len(labels) % columns:
        raise StepError(
            f"ephemeris: {number_of(len(labels), 'label')} cannot be divided among {columns} columns",
            advice=f"name as many labels for each of the {columns} columns, in turn",
        )
    for first in range(0, len(above), columns):
        row = above[first : first + columns]
        if len({panel.over_time for panel in row}) > 1:
            spectrum = next(panel.number for panel in row if not panel.over_time)
            raise StepError(
                f"columns: panel {spectrum} is a spectrum, but another panel of its row is over time",
                advice="put spectra beside spectra",
            )


def rows_of(panels: Sequence[Panel], width: int, font: float, columns: int = 1) -> list[list[Panel]]:
    """Return the panels of each row, from the top, for a figure of this width in pixels.

    Panels over time and spectra fill the columns. Below, as many panels stand side by side as fit, up to three; four
    stand in two rows.
    """
    upper = [panel for panel in panels if not panel.side_by_side]
    above = [upper[first : first + columns] for first in range(0, len(upper), columns)]
    below = [panel for panel in panels if panel.side_by_side]
    scale = font / 14
    depths = dict.fromkeys((panel.number for panel in panels), _LABELS * scale)
    rows: list[list[Panel]] = []
    for most in range(2 if len(below) == 4 else _MOST, 0, -1):
        rows = [below[first : first + most] for first in range(0, len(below), most)]
        rooms = rooms_at_right(rows, font)
        widths = (
            _row(row, width - LEFT * scale - row[-1].room_at_right(font), _gaps([row], depths, rooms)).width
            for row in rows
        )
        if all(panel_width >= _COMFORTABLE * scale for panel_width in widths):
            break
    return [*above, *rows]


def same_y(panels: Sequence[Panel], spec: FigureSpec) -> list[Panel]:
    """Return the panels of a figure, with y axes that reach as far as those of all panels of their row, if the spec
    wants this.

    Raises
    ------
    StepError
        The panels of a row show different units, or not all on the same kind of scale.
    """
    if not spec.get("share_y"):
        return list(panels)
    columns, shared = spec.get("columns", 1), list(panels)
    above = [panel for panel in panels if not panel.side_by_side]
    for first in range(0, len(above), columns):
        row = [panel for panel in above[first : first + columns] if panel.nothing is None]
        free = [panel for panel in row if panel.y_limits() is None]
        if len({(panel.kind == "spectrogram", panel.log_y, panel.symlog) for panel in row}) > 1:
            raise StepError(
                f"share_y: the row of panel {row[0].number} has different kinds of y axes",
                advice="give the panels of a row one type and one log_y, or leave share_y out"
                if not any(panel.symlog for panel in row)
                else "set log_scale: symlog and one linthresh for all panels of the row, or leave share_y out",
            )
        units = {unit for panel in row for unit in panel.y_units()}
        if len(units) > 1:
            raise StepError(
                f"share_y: the row of panel {row[0].number} shows {' and '.join(map(repr, sorted(units)))}",
                advice="put quantities of one unit in a row, or leave share_y out",
            )
        if len({panel.extent for panel in row}) <= 1:
            continue
        reach = tuple(end for panel in row for end in panel.extent)
        for panel in free:
            shared[panel.number - 1] = replace(panel, reach=(*panel.reach, *reach))
    return shared


def named_once(panels: Sequence[Panel], columns: int) -> list[Panel]:
    """Return the panels of a figure without the legends that the next panel in the row repeats."""
    named = list(panels)
    for panel, other in pairwise(panels):
        same_row = panel.number % columns and not other.side_by_side
        if same_row and other.has_legend and panel.entries == other.entries:
            named[panel.number - 1] = replace(panel, named=False)
    return named


def drawn_bars(rows: Sequence[Sequence[Panel]]) -> set[int]:
    """Return the numbers of the panels that draw their colour bar: the last of neighbours with the same colours."""
    hidden = {
        panel.number
        for row in rows
        for panel, other in pairwise(row)
        if panel.colour_meaning is not None and panel.colour_meaning == other.colour_meaning
    }
    return {panel.number for row in rows for panel in row} - hidden


@dataclass(frozen=True)
class Row:
    """A row of panels side by side: their common width and the spaces between them, in pixels."""

    width: float
    gaps: tuple[float, ...]


def rooms_at_right(
    rows: Sequence[Sequence[Panel]], font: float, geometry: Geometry | None = None
) -> dict[int, float]:
    """Return the width in pixels that each panel needs at its right: its legend or colour bar, and its right y axis.

    Parameters
    ----------
    geometry : Geometry, optional
        A layout; without one, y axes at the right have no width.
    """
    bars = drawn_bars(rows)
    return {
        panel.number: (panel.room_at_right(font) if panel.number in bars else 0.0)
        + (0.0 if geometry is None else panel.right_depth(geometry))
        for row in rows
        for panel in row
    }


def measure(
    rows: Sequence[Sequence[Panel]],
    room: float,
    depths: Mapping[int, float],
    rooms: Mapping[int, float],
    font: float,
) -> list[Row]:
    """Return the width of the panels in each row, and the spaces for their labels and colour bars.

    Columns of panels have the same spaces in all their rows, with room for the dates below their time axes.

    Parameters
    ----------
    room : float
        Width of the plotting area in pixels.
    depths : mapping
        Width in pixels that the labels and the title of each panel's y axis need.
    rooms : mapping
        Width in pixels that each panel needs at its right.
    """
    above = [row for row in rows if not row[0].side_by_side]
    dates = text_width(_DATE, font - 1) if any(row[0].over_time for row in above) else 0.0
    between = tuple(max(gap, dates) for gap in _gaps(above, depths, rooms))
    return [_row(row, room, between if row in above else _gaps([row], depths, rooms)) for row in rows]


def _row(row: Sequence[Panel], room: float, gaps: tuple[float, ...]) -> Row:
    return Row((room - sum(gaps)) / len(row), gaps)


def _gaps(
    rows: Sequence[Sequence[Panel]], depths: Mapping[int, float], rooms: Mapping[int, float]
) -> tuple[float, ...]:
    """Return the spaces between the columns of rows with equally many panels."""
    return tuple(
        max(rooms[panel.number] + _BETWEEN + depths[other.number] for panel, other in pairs)
        for pairs in zip(*(pairwise(row) for row in rows), strict=True)
    )


def natural_height(row: Sequence[Panel], measured: Row, font: float) -> float:
    """Return the height in pixels of a row; panels side by side are not higher than wide."""
    height = max(panel.height(font) for panel in row)
    return min(height, max(_LOWEST, measured.width)) if row[0].side_by_side else height


def side_by_side(geometry: Geometry, rows: Sequence[Sequence[Panel]], measured: Sequence[Row]) -> Geometry:
    """Return the layout of rows with the panels in them side by side.

    Parameters
    ----------
    geometry : Geometry
        The layout with one panel in each row.

    Raises
    ------
    StepError
        The panels of a row are too narrow.
    """
    if not any(len(row) > 1 or row[0].side_by_side for row in rows):
        return geometry
    spans: list[tuple[float, float]] = []
    for order, (row, sizes) in enumerate(zip(rows, measured, strict=True), 1):
        if len(row) == 1 and not row[0].side_by_side:
            spans.append((0, 1))
            continue
        if sizes.width < _NARROWEST:
            raise StepError(
                f"panel {row[0].number} does not fit into a figure of {geometry.width} pixels",
                advice="choose a larger width in canvas_size, or a smaller font_size",
            )
        left = 0.0
        for panel, gap in zip(row, [*sizes.gaps, 0.0], strict=True):
            shown = min(sizes.width, geometry.panel_height(order)) if panel.square else sizes.width
            spans.append(
                (round(left / geometry.plot_width, 6), round((left + shown) / geometry.plot_width, 6))
            )
            left += shown + gap
    square = [panel.number for row in rows for panel in row if panel.square]
    return geometry.in_rows([[panel.number for panel in row] for row in rows], spans, square)
