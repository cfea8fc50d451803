"""Polar histograms: how often an angle has each value, around a circle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError, UnitMismatch
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.steps.quantity import advice_on_units
from helio.steps.render import review
from helio.steps.render.axes import Limits
from helio.steps.render.encode import numbers
from helio.steps.render.geometry import Geometry
from helio.steps.render.histogram_panel import Bars, HistogramPanel
from helio.steps.render.panel import Drawing, Slot
from helio.steps.render.ticks import nice_step
from helio.store.table import Table

Reals = npt.NDArray[np.float64]

_SECTORS = 36
_MOST = 360
"""The largest number of sectors."""
_ZERO = {"right": 0.0, "top": 90.0, "left": 180.0, "bottom": 270.0}
_ROOM = 1.24
"""Half the width of the panel, in radii of the outermost ring: outside are the labels of the angles."""
_HAIRLINE = "rgba(128,128,128,0.6)"
_NEVER = ("log_x", "log_y", "x_range")
"""Keys of a histogram that a circle does not have."""


@dataclass(frozen=True, eq=False)
class PolarPanel(HistogramPanel):
    """A panel with the histograms of one or more angles, in sectors around a circle."""

    @classmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse quantities that are no angles, and keys that a circle does not have.

        Raises
        ------
        UnitMismatch
            A quantity is not in a unit of angle.
        StepError
            A table is not a single series, or a key does not fit.
        """
        super().check_entry(number, tables, entry)
        for label, table in tables.items():
            if not table.unit or not comparable(table.unit, "deg"):
                raise UnitMismatch(
                    f"panel {number}: a polar histogram needs an angle, but '{label}' is in "
                    f"{table.unit or 'no unit'}",
                    advice=advice_on_units(table.unit, "deg"),
                )
        unfit = next((key for key in _NEVER if entry.get(key)), None)
        if unfit:
            raise StepError(
                f"panel {number} is a polar histogram, which has no {unfit}", advice=f"leave out {unfit}"
            )
        bins = _sectors(entry)
        if isinstance(bins, list) or not 2 <= bins <= _MOST:
            raise StepError(
                f"panel {number}: a polar histogram needs 2 to {_MOST} equal sectors, not {bins}",
                advice="write their number, such as bins: 36",
            )
        if (limits := entry.get("y_range")) and limits[0] != 0:
            raise StepError(
                f"panel {number}: the radius of a polar histogram begins at 0, but y_range at {limits[0]:g}",
                advice="write y_range: [0, HIGHEST]",
            )

    @property
    def square(self) -> bool:
        """Whether the panel is as high as wide, which is always true for this kind of panel."""
        return True

    @cached_property
    def _values(self) -> dict[str, Reals]:
        """The angles of each label that can be counted, in deg from 0 to below 360."""
        angles = {
            label: np.zeros(0)
            if label in self.absent
            else np.asarray(table.values, np.float64) * conversion_factor(table.unit, "deg") % 360.0
            for label, table in self.tables.items()
        }
        # The remainder of a tiny negative angle is rounded to 360.
        return {
            label: np.where(column >= 360.0, 0.0, column)[np.isfinite(column)]
            for label, column in angles.items()
        }

    @cached_property
    def edges(self) -> Reals:
        """The edges of the sectors in deg, shape (b + 1,)."""
        return np.linspace(0.0, 360.0, _sectors(self.entry) + 1)

    @cached_property
    def _radius(self) -> float:
        """The value at the outermost ring."""
        chosen = self._chosen_limits("y_range", log=False)
        if chosen is not None:
            return chosen[1]
        highest = max(float(bars.heights.max()) for bars in self.bars) or 1.0
        step = nice_step(highest / 4)
        return math.ceil(highest / step - 1e-9) * step

    @property
    def _rings(self) -> list[float]:
        """The values at the rings, the outermost last."""
        step = nice_step(self._radius / 4)
        inner = [step * order for order in range(1, math.ceil(self._radius / step - 1e-9))]
        return [*inner, self._radius]

    def limits(self) -> tuple[Limits, Limits]:
        """Return the limits of both axes, about the centre of the circle."""
        half = _ROOM * self._radius
        return (-half, half), (-half, half)

    def y_title(self, geometry: Geometry) -> dict[str, Any]:
        """Return an empty title; the title below the circle says what the radius is."""
        return {"text": "", "font": {"size": geometry.font - 1}}

    @property
    def x_quantity(self) -> tuple[str, str]:
        """The names of the angles; the unit is beside each label of a ray."""
        return super().x_quantity[0], ""

    def _tick_texts(self, geometry: Geometry) -> list[str]:
        del geometry
        return []

    def _places(self, angle: Reals, radius: Reals) -> tuple[Reals, Reals]:
        """Return the positions on the axes of angles in deg and radii."""
        turn = -1.0 if self.option("clockwise", False) else 1.0
        drawn = np.radians(_ZERO[self.option("zero", "right")] + turn * angle)
        return radius * np.cos(drawn), radius * np.sin(drawn)

    def _radius_words(self) -> str:
        """Return what the radius is, with its normalisation."""
        chosen = self.option("y_label", cast(str | None, None))
        if chosen is not None:
            return chosen
        if self.show == "density":
            return "radius: probability density [deg⁻¹]"
        return f"radius: number of records in {self.edges[1]:g}°"

    def draw(self, slot: Slot) -> Drawing:
        """Draw rings and rays with their labels, and the histograms; a single one is filled."""
        bare = {
            "showline": False, "mirror": False, "ticks": "", "minor": {"ticks": ""}, "showticklabels": False,
            "zeroline": False, "showgrid": False, "constrain": "range",
        }  # fmt: skip
        x_axis = self._own_x_axis(slot) | bare
        x_axis["title"] |= {"text": f"{x_axis['title']['text']}<br>{self._radius_words()}"}
        drawing = Drawing(
            y_axis=self._own_y_axis(slot) | bare | {"scaleanchor": slot.x_axis, "scaleratio": 1}
        )
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = x_axis
        common = {"xaxis": slot.x_axis, "yaxis": slot.y_axis, "showlegend": False}
        drawing.traces.append(self._net(common))
        for order, bars in enumerate(self.bars, 1):
            if bars.label in self.absent:
                continue
            drawing.traces += self._sectors(bars, f"p{self.number}-{order}", common)
        drawing.texts += self._labels(slot)
        if len(self.bars) > 1 and self.style.legend:
            drawing.texts.append(self._names(slot))
        drawing.qualities += self.bar_qualities
        drawing.notes += review.histogram_notes(self.number, self.bars, self.edges, "deg")
        return drawing

    def _net(self, common: dict[str, Any]) -> dict[str, Any]:
        """Return the trace of the rings, and of a ray each 45°."""
        around = np.linspace(0, 360, 181)
        pieces = [self._places(around, np.full(around.size, ring)) for ring in self._rings]
        pieces += [
            self._places(np.full(2, angle), np.array([0.0, self._radius]))
            for angle in np.arange(0, 360, 45.0)
        ]
        gap = np.array([np.nan])
        x, y = (
            np.concatenate([np.concatenate([piece[axis], gap]) for piece in pieces])[:-1] for axis in (0, 1)
        )
        return {
            "type": "scatter", "uid": f"p{self.number}-net", "mode": "lines", "x": numbers(x), "y": numbers(y),
            "line": {"color": _HAIRLINE, "width": 0.8, "simplify": False}, "hoverinfo": "skip", **common,
        }  # fmt: skip

    def _sectors(self, bars: Bars, uid: str, common: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the traces of a histogram: its outline, and a point in each sector that says its value."""
        width = self.edges[1]
        inside = np.linspace(0, width, max(2, math.ceil(width / 2) + 1))
        angle = (self.edges[:-1, np.newaxis] + inside).ravel()
        heights = np.minimum(bars.heights, self._radius)
        x, y = self._places(angle, np.repeat(heights, inside.size))
        alone = len(self.bars) == 1
        middle = self._places((self.edges[:-1] + self.edges[1:]) / 2, heights)
        named = [
            f"{low:g}°–{high:g}°: {height:.5g}"
            for low, high, height in zip(self.edges[:-1], self.edges[1:], bars.heights, strict=True)
        ]
        return [
            {
                "type": "scatter", "name": bars.name, "uid": uid, "mode": "lines",
                "x": numbers(np.append(x, x[0])), "y": numbers(np.append(y, y[0])),
                "line": {"color": bars.colour, "width": 1.5, "simplify": False},
                **({"fill": "toself", "fillcolor": "rgba(128,128,128,0.3)"} if alone else {}),
                "hoverinfo": "skip", **common,
            },
            {
                "type": "scatter", "name": bars.name, "uid": f"{uid}-values", "mode": "markers",
                "x": numbers(middle[0]), "y": numbers(middle[1]), "marker": {"opacity": 0, "size": 8},
                "text": named, "hovertemplate": f"%{{text}}<extra>{bars.name}</extra>", **common,
            },
        ]  # fmt: skip

    def _height_near(self, angle: float) -> float:
        """Return the greatest height of the sectors within 12° of an angle."""
        middles = (self.edges[:-1] + self.edges[1:]) / 2
        near = np.abs((middles - angle + 180) % 360 - 180) < 12 + self.edges[1] / 2
        return max(float(bars.heights[near].max()) for bars in self.bars)

    def _labels(self, slot: Slot) -> list[dict[str, Any]]:
        """Return the labels of the rays outside the circle, and of the rings along a ray between two labels."""
        font = slot.geometry.font - 3
        angles = np.arange(0, 360, 45.0)
        outside = self._places(angles, np.full(angles.size, 1.12 * self._radius))
        labels = [(f"{angle:g}°", x, y) for angle, x, y in zip(angles, *outside, strict=True)]
        free = min(angles + 22.5, key=self._height_near)
        rings = self._places(np.full(len(self._rings), free), np.array(self._rings))
        labels += [(f"{ring:.4g}", x, y) for ring, x, y in zip(self._rings, *rings, strict=True)]
        return [
            {
                "text": text, "showarrow": False, "borderpad": 0, "xref": slot.x_axis, "x": float(f"{x:.6g}"),
                "yref": slot.y_axis, "y": float(f"{y:.6g}"), "xanchor": "center", "yanchor": "middle",
                "font": {"size": font if text.endswith("°") else font - 1},
                "bgcolor": self.style.theme.background, "opacity": 0.85,
            }
            for text, x, y in labels
        ]  # fmt: skip


def _sectors(entry: Mapping[str, Any]) -> Any:
    """Return the number of sectors that an entry sets by itself or by their width, or else the usual one."""
    return round(360 / entry["bin_width"]) if "bin_width" in entry else entry.get("bins", _SECTORS)
