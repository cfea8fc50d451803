"""Positions of panels, legends, colour bars and texts, in pixels and in fractions of the plotting area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render.spec import FigureSpec
from helio.steps.signature import PrintedLength

WIDTH = 1000
_LOWEST = 200
"""The smallest height of a figure in pixels; a figure of one strip is not smaller either."""
_PIXELS = {"mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72}
"""Pixels in each unit of length."""
LEFT = 96
"""Left margin in pixels at a font size of 14, equal for all figures with ordinary tick labels."""
LINE_PANEL, SPECTROGRAM_PANEL, SPECTRUM_PANEL, ENTRY_PANEL = 180, 210, 320, 380
TIME_AXIS, BIN_AXIS = 62, 46
"""Heights in pixels of a time axis and of an axis of bins at a font size of 14, with tick labels and title."""
LEGEND_ROW = 19
"""Height in pixels of one entry in plotly's legend, for font sizes up to 14."""
LEGEND_KEY = 42
"""Width in pixels of the piece of line before a name in a legend, with margins."""


@dataclass(frozen=True)
class Geometry:
    """The layout of a figure: sizes in pixels, and panels as (bottom, top) and (left, right) in fractions of the
    plotting area.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    domains: tuple[tuple[float, float], ...]
    font: float
    spans: tuple[tuple[float, float], ...] = ()
    """Left and right side of each panel; empty if every panel is as wide as the plotting area."""

    @property
    def plot_width(self) -> int:
        """Width of the plotting area in pixels."""
        return self.width - self.left - self.right

    @property
    def plot_height(self) -> int:
        """Height in pixels from the bottom of the lowest panel to the top of the highest panel."""
        return self.height - self.top - self.bottom

    def panel_height(self, number: int) -> float:
        """Return the height in pixels of the panel with this number; panel 1 is at the top."""
        low, high = self.domains[number - 1]
        return (high - low) * self.plot_height

    def panel_width(self, number: int) -> float:
        """Return the width in pixels of the panel with this number."""
        left, right = self.span(number)
        return (right - left) * self.plot_width

    def panel_pixels(self, number: int) -> int:
        """Return the width of the panel with this number in whole pixels."""
        return max(1, round(self.panel_width(number)))

    def span(self, number: int) -> tuple[float, float]:
        """Return the left and the right side of the panel with this number."""
        return self.spans[number - 1] if self.spans else (0, 1)

    def in_rows(
        self, rows: Sequence[Sequence[int]], spans: Sequence[tuple[float, float]], square: Sequence[int]
    ) -> Geometry:
        """Return the layout with several panels in a row.

        Parameters
        ----------
        rows : sequence of sequence of int
            Numbers of the panels in each row of this layout.
        spans : sequence of (float, float)
            Left and right side of each panel.
        square : sequence of int
            Numbers of the panels that are lower than their row if they would else be higher than wide.
        """
        domains = [self.domains[order] for order, row in enumerate(rows) for _ in row]
        for number in square:
            (low, high), (left, right) = domains[number - 1], spans[number - 1]
            highest = (right - left) * self.plot_width / self.plot_height
            domains[number - 1] = (max(low, round(high - highest, 6)), high)
        return replace(self, domains=tuple(domains), spans=tuple(spans))


def pixels(length: float | PrintedLength) -> float:
    """Return a length in pixels: a number as it is, ``"90 mm"`` at the 96 pixels of an inch that PDF and SVG use.

    >>> pixels(340), round(pixels("90 mm")), round(pixels("8 pt"), 2)
    (340, 340, 10.67)
    """
    if not isinstance(length, str):
        return length
    return float(length[:-2]) * _PIXELS[length[-2:]]


def font_size(spec: FigureSpec) -> float:
    """Return the font size of the figure in pixels.

    Raises
    ------
    StepError
        It is smaller than 6 or larger than 48 pixels.
    """
    font = round(float(pixels(spec.get("font_size", 14))), 2)
    if not 6 <= font <= 48:
        raise StepError(
            f"font_size {spec['font_size']} is not allowed",
            advice="choose 6 to 48 pixels (4.5 to 36 pt); the default is 14 pixels",
        )
    return font


def lay_out(
    spec: FigureSpec,
    *,
    natural_heights: Sequence[float],
    below: Sequence[float],
    left: int = 0,
    right: int,
    title_lines: int,
    footer_lines: int,
    width: int,
    strip: int = 0,
) -> Geometry:
    """Compute the size of the figure, and the positions of its rows of panels.

    Parameters
    ----------
    spec : FigureSpec
        The figure's spec; its canvas_size, row_heights and font_size are used.
    natural_heights : sequence of float
        Height in pixels that each row would have.
    below : sequence of float
        Height of the x axis that stands below each row at a font size of 14, 0 for none.
    left : int
        Room that tick labels and titles of y axes need; never less is given than most figures take.
    right : int
        Room for legends and colour bars.
    title_lines, footer_lines : int
        Lines of text above and below.
    width : int
        Width of the figure in pixels.
    strip : int
        Height in pixels of what is between the title and the panels.
    """
    font = font_size(spec)
    canvas = spec.get("canvas_size", {})
    scale = font / 14
    left = max(left, round(LEFT * scale))
    top = round(14 + title_lines * 20 * scale) + strip
    bottom = round(below[-1] * scale + footer_lines * 14 * scale + (6 if footer_lines else 0))
    relative = _relative_heights(spec, natural_heights)
    gap = 14.0
    axes = [room * scale for room in below[:-1]]
    natural = sum(natural_heights) + gap * (len(natural_heights) - 1) + sum(axes) + top + bottom
    height = round(pixels(canvas.get("height", max(_LOWEST, natural))))
    if not 300 <= width <= 6000 or not _LOWEST <= height <= 10_000:
        raise StepError(
            f"canvas_size {width} × {height} is not allowed",
            advice="choose a width of 300 to 6000 pixels and a height of 200 to 10000 pixels",
        )
    plot = height - top - bottom
    # Never further apart than 2 % of the figure: the eye follows a time from panel to panel.
    gap = min(gap, 0.02 * height)
    room = plot - gap * (len(natural_heights) - 1) - sum(axes)
    if room / len(natural_heights) < 30 or width - left - right < 100:
        least = round(top + bottom + sum(axes) + 44 * len(natural_heights))
        raise StepError(
            f"{len(natural_heights)} panels do not fit into {width} × {height} pixels",
            advice=f"set canvas_size to at least {left + right + 100} × {least}",
        )
    domains = []
    high = float(plot)
    for share, axis in zip(relative, [*axes, 0.0], strict=True):
        low = high - share * room
        domains.append((max(0.0, round(low / plot, 6)), round(high / plot, 6)))
        high = low - axis - gap
    return Geometry(width, height, left, right, top, bottom, tuple(domains), font)


def _relative_heights(spec: FigureSpec, natural_heights: Sequence[float]) -> list[float]:
    heights = spec.get("row_heights")
    if heights is None:
        return [height / sum(natural_heights) for height in natural_heights]
    if len(heights) != len(natural_heights):
        raise StepError(
            f"row_heights has {number_of(len(heights), 'entry', 'entries')} for "
            f"{number_of(len(natural_heights), 'panel')}",
            advice="write one number for each panel",
        )
    if min(heights) <= 0:
        raise StepError("row_heights must be positive", advice="write relative heights such as [2, 1, 1]")
    return [height / sum(heights) for height in heights]
