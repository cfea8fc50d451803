"""Rows of panels: panels over time and spectra have a row each, all others stand side by side below them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from helio.errors import StepError
from helio.steps.render.geometry import LEFT, WIDTH, Geometry, pixels
from helio.steps.render.panel import Panel
from helio.steps.render.spec import FigureSpec

ALONE = 640
"""Width in pixels of a figure whose only panel has no time axis."""
_MOST = 3
"""The largest number of panels side by side."""
_COMFORTABLE, _LABELS = 130, 75
"""Width in pixels of a panel that may have another one beside it, and of its y labels, at a font size of 14."""
_NARROWEST, _LOWEST = 80, 150
"""The smallest width, and the smallest height if none is chosen, of a panel in pixels."""
_BETWEEN = 14
"""Width in pixels of the space between a panel and the y labels of the next one."""


def figure_width(spec: FigureSpec, panels: Sequence[Panel]) -> int:
    """Return the width of the figure in pixels: from its spec, otherwise as its panels need."""
    alone = len(panels) == 1 and panels[0].side_by_side
    return round(pixels(spec.get("canvas_size", {}).get("width", ALONE if alone else WIDTH)))


def rows_of(panels: Sequence[Panel], width: int, font: float) -> list[list[Panel]]:
    """Return the panels of each row, from the top, for a figure of this width in pixels.

    As many panels stand side by side as fit, up to three; four stand in two rows.
    """
    above = [[panel] for panel in panels if not panel.side_by_side]
    below = [panel for panel in panels if panel.side_by_side]
    scale = font / 14
    depths = dict.fromkeys((panel.number for panel in panels), _LABELS * scale)
    rows: list[list[Panel]] = []
    for most in range(2 if len(below) == 4 else _MOST, 0, -1):
        rows = [below[first : first + most] for first in range(0, len(below), most)]
        bars = drawn_bars(rows)
        widths = (
            measure(row, width - LEFT * scale - row[-1].room_at_right(font), depths, bars, font).width
            for row in rows
        )
        if all(panel_width >= _COMFORTABLE * scale for panel_width in widths):
            break
    return [*above, *rows]


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


def measure(
    row: Sequence[Panel], room: float, depths: Mapping[int, float], bars: Collection[int], font: float
) -> Row:
    """Return the width of the panels in a row, and the spaces for their labels and colour bars.

    Parameters
    ----------
    room : float
        Width of the plotting area in pixels.
    depths : mapping
        Width in pixels that the labels and the title of each panel's y axis need.
    bars : collection of int
        Numbers of the panels that draw a colour bar.
    """
    gaps = tuple(
        (panel.room_at_right(font) if panel.number in bars else 0.0) + _BETWEEN + depths[other.number]
        for panel, other in pairwise(row)
    )
    return Row((room - sum(gaps)) / len(row), gaps)


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
    if not any(row[0].side_by_side for row in rows):
        return geometry
    spans: list[tuple[float, float]] = []
    for order, (row, sizes) in enumerate(zip(rows, measured, strict=True), 1):
        if not row[0].side_by_side:
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
