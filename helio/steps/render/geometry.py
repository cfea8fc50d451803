"""Where panels, legends, colour bars and texts stand, in pixels and in plotly's fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helio.errors import StepError
from helio.steps.render.spec import FigureSpec

WIDTH = 1000
LEFT = 96
"""Room at the left at a font size of 14: figures with ordinary tick labels have equal margins."""
LINE_PANEL, SPECTROGRAM_PANEL, SPECTRUM_PANEL = 180, 210, 320
TIME_AXIS, BIN_AXIS = 62, 46
"""Height in pixels of an x axis at a font size of 14: tick labels, of times on two lines, and its title."""
LEGEND_ROW = 19
"""Height in pixels of an entry in plotly's legend, whatever its font up to 14."""
LEGEND_KEY = 42
"""Width in pixels of the line before a legend's entry, with its margins."""


@dataclass(frozen=True)
class Geometry:
    """Sizes in pixels; panels from the top as (bottom, top) in fractions of the plotting area."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    domains: tuple[tuple[float, float], ...]
    font: float

    @property
    def plot_width(self) -> int:
        """Width of the panels."""
        return self.width - self.left - self.right

    @property
    def plot_height(self) -> int:
        """Height from the lowest panel's bottom to the highest one's top."""
        return self.height - self.top - self.bottom

    def panel_height(self, number: int) -> float:
        """Return height in pixels of a panel, from 1 at the top."""
        low, high = self.domains[number - 1]
        return (high - low) * self.plot_height


def lay_out(
    spec: FigureSpec,
    *,
    natural_heights: Sequence[float],
    below: Sequence[float],
    left: int = 0,
    right: int,
    title_lines: int,
    footer_lines: int,
) -> Geometry:
    """Size the figure.

    Parameters
    ----------
    spec : FigureSpec
        Its canvas_size, row_heights and font_size are heeded.
    natural_heights : sequence of float
        Height in pixels that each panel would have.
    below : sequence of float
        Height of the x axis that stands below each panel at a font size of 14, 0 for none.
    left : int
        Room that tick labels and titles of y axes need; never less is given than most figures take.
    right : int
        Room for legends and colour bars.
    title_lines, footer_lines : int
        Lines of text above and below.
    """
    font = float(spec.get("font_size", 14))
    if not 6 <= font <= 48:
        raise StepError(f"font_size {font:g} is out of bounds", advice="6 to 48 pixels; 14 when left out")
    canvas = spec.get("canvas_size", {})
    scale = font / 14
    left = max(left, round(LEFT * scale))
    top = round(14 + title_lines * 20 * scale)
    bottom = round(below[-1] * scale + footer_lines * 14 * scale + (6 if footer_lines else 0))
    relative = _relative_heights(spec, natural_heights)
    gap = 14.0
    axes = [room * scale for room in below[:-1]]
    height = canvas.get(
        "height", round(sum(natural_heights) + gap * (len(natural_heights) - 1) + sum(axes) + top + bottom)
    )
    width = canvas.get("width", WIDTH)
    if not 300 <= width <= 6000 or not 200 <= height <= 10_000:
        raise StepError(
            f"canvas_size {width} × {height} is out of bounds",
            advice="width 300 to 6000, height 200 to 10000 pixels",
        )
    plot = height - top - bottom
    # Never further apart than 2 % of the figure: the eye follows a time from panel to panel.
    gap = min(gap, 0.02 * height)
    room = plot - gap * (len(natural_heights) - 1) - sum(axes)
    if room / len(natural_heights) < 30 or width - left - right < 100:
        least = round(top + bottom + sum(axes) + 44 * len(natural_heights))
        raise StepError(
            f"{len(natural_heights)} panels do not fit {width} × {height} pixels",
            advice=f"use at least {left + right + 100} × {least} in canvas_size",
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
            f"row_heights has {len(heights)} entries for {len(natural_heights)} panels",
            advice="write one number for each panel",
        )
    if min(heights) <= 0:
        raise StepError("row_heights must be positive", advice="relative heights such as [2, 1, 1]")
    return [height / sum(heights) for height in heights]
