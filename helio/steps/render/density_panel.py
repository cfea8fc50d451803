"""Panels of the density of points: how many records have their values in each cell."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render import colours
from helio.steps.render.axes import Limits
from helio.steps.render.clouds import bar_room
from helio.steps.render.encode import numbers
from helio.steps.render.heat_map import colour_bar
from helio.steps.render.panel import Drawing, Slot
from helio.steps.render.refine_points import FullPoints
from helio.steps.render.wording import axis_title
from helio.steps.render.xy_panel import XYPanel
from helio.store.table import Table

Reals = npt.NDArray[np.float64]

MOST = 200
"""The largest number of cells along an axis."""
_OF_POINTS = ("color", "color_by", "mode", "mark_ends")
"""Keys of an entry that say how points are drawn."""
_TITLE = "number of records"


@dataclass(frozen=True, eq=False)
class DensityPanel(XYPanel):
    """A panel with a heat map: the number of records in each cell of one quantity against another."""

    @classmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse an entry that cannot be drawn, as for points, and keys that only points have."""
        super().check_entry(number, tables, entry)
        unfit = [key for key in _OF_POINTS if key in entry]
        if unfit:
            raise StepError(
                f"panel {number} is a density, which has no {unfit[0]}",
                advice=f"leave out {unfit[0]}, or draw a scatter",
            )
        bins = entry.get("bins")
        if bins is not None and not 1 <= bins <= MOST:
            raise StepError(
                f"panel {number}: {bins} bins are not possible",
                advice=f"choose 1 to {MOST} bins along each axis",
            )

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, which is always true for this kind of panel."""
        return True

    @property
    def colour_meaning(self) -> Hashable:
        """Return None: each density has its own counts."""
        return None

    @property
    def log_colour(self) -> bool:
        """Whether the colours are logarithmic."""
        return self.option("log_color", False)

    @cached_property
    def edges(self) -> tuple[Reals, Reals]:
        """The edges of the cells along x and along y, even on the axis."""
        count = self.option("bins", cast(int | None, None)) or bins_by_rule(self.cloud.x.size)
        x, y = (
            (np.geomspace if log else np.linspace)(*limits, count + 1)
            for limits, log in zip(self.limits(), (self.log_x, self.log_y), strict=True)
        )
        return x, y

    @cached_property
    def counts(self) -> Reals:
        """The number of records in each cell, shape (rows, columns); rows from the lowest y."""
        counts: Reals = np.histogram2d(self.cloud.x, self.cloud.y, self.edges)[0].T
        if not counts.any():
            raise StepError(
                f"nothing to draw: panel {self.number} has no record within its limits",
                advice="choose other limits in x_range and y_range",
            )
        return counts

    @property
    def _count_limits(self) -> Limits:
        most = float(self.counts.max())
        return (1.0, max(most, 10.0)) if self.log_colour else (0.0, most)

    def _natural_limits(self, values: Reals, *, log: bool) -> Limits:
        low, high = float(values.min()), float(values.max())
        if low < high:
            return low, high
        return super()._natural_limits(values, log=log)

    def room_at_right(self, font: float) -> float:
        """Return the width in pixels that the colour bar needs."""
        return bar_room(self._bar({}, font), self._count_limits, font)

    def _bar(self, place: dict[str, Any], font: float) -> dict[str, Any]:
        low, high = self._count_limits
        return colour_bar(low=low, high=high, log=self.log_colour, geometry=place, font=font)

    def _points(
        self, pixels: tuple[float, float], common: dict[str, Any], hover: str
    ) -> tuple[list[dict[str, Any]], int, list[str], list[FullPoints]]:
        """Return the heat map of the cells; cells without a record are empty."""
        shown = np.where(self.counts > 0, self.counts, np.nan)
        low, high = self._count_limits
        if self.log_colour:
            shown, low, high = np.log10(shown), math.log10(low), math.log10(high)
        x, y = self.edges
        trace = {
            "type": "heatmap",
            "uid": f"p{self.number}",
            "x": numbers(x),
            "y": numbers(y),
            "z": numbers(shown),
            "colorscale": colours.colour_scale(self.style.spec.get("colorscale", colours.USUAL_SCALE)),
            "zmin": low,
            "zmax": high,
            "zsmooth": False,
            "hoverongaps": False,
            "showscale": False,
            "hovertemplate": hover
            + ("<br>log₁₀ = %{z:.2f}" if self.log_colour else "<br>%{z}")
            + "<extra></extra>",
            **common,
        }
        most = number_of(int(self.counts.max()), "record")
        cells = f"{x.size - 1} × {y.size - 1} cells"
        return [trace], int(self.counts.sum()), [f"panel {self.number}: {cells}, with at most {most}"], []

    def _add_bar(self, slot: Slot, drawing: Drawing) -> None:
        geometry = slot.geometry
        bar = self._bar(self._beside(geometry), geometry.font)
        drawing.traces[0] |= {"showscale": True, "colorbar": bar}
        title = axis_title(_TITLE, "", geometry.panel_height(self.number), geometry.font - 2)
        drawing.texts.append(self._bar_title(title, bar, self._count_limits, geometry))


def bins_by_rule(points: int) -> int:
    """Return the number of cells along each axis for so many points: half the square root, from 10 to 80."""
    return int(np.clip(math.sqrt(points) / 2, 10, 80))
