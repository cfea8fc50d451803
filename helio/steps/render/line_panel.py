"""Panels of lines over time; each component, scalar or bin has a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from helio.steps.render import lines, review
from helio.steps.render.bands import with_bands
from helio.steps.render.geometry import LINE_PANEL
from helio.steps.render.heat_map import colour_bar
from helio.steps.render.lines import Line
from helio.steps.render.panel import RIGHT_TITLE_STANDOFF, Drawing, Panel, Slot, absent_words
from helio.steps.render.quality import TraceQuality
from helio.steps.render.spec import PanelType
from helio.steps.render.symlog import Symlog
from helio.steps.render.wording import axis_title
from helio.store.table import Table

_FINE = 1000
"""Number of places at which a line of fewer records is searched for a corner without it."""


class LinePanel(Panel):
    """A panel of lines over time."""

    kind: ClassVar[PanelType] = "line"
    natural_height = LINE_PANEL

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The lines of the panel, with their names and colours."""
        return [line for line in self._both_sides if line.label in self.on_y_axis]

    @cached_property
    def _both_sides(self) -> Sequence[Line]:
        style = self.style
        drawn = [
            replace(line, name=f"{line.name} {absent_words(self.absent[line.label])}")
            if line.label in self.absent and self.nothing is None
            else line
            for line in lines.panel_lines(self.tables, style.spec, style.theme.foreground, style.line_scale)
        ]
        return with_bands(drawn, style.spec, style.tables) if self.kind == "line" else drawn

    @property
    def on_y_axis(self) -> Mapping[str, Table]:
        """The tables on the y axis: those that the spec names in `right` are on the axis at the right."""
        right = self.style.spec.get("right", ())
        return {label: table for label, table in self.tables.items() if (label in right) == self.at_right}

    @cached_property
    def right(self) -> LinePanel | None:
        """The same panel with its y axis at the right and the lines on this axis; None if it has no such axis."""
        if self.at_right or len(self.on_y_axis) == len(self.tables):
            return None
        return replace(self, at_right=True, reach=self.reach_right)

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names and colours for the panel's legend: those of the lines on both axes."""
        return [entry for line in self._both_sides for entry in line.entries]

    @cached_property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic: as the figure's spec says; by default, if the tables have a logarithmic
        scale and no value is negative.
        """
        with_values = [line for line in self.lines if np.isfinite(line.values).any()]
        lowest = min((float(np.nanmin(line.values)) for line in with_values), default=0.0)
        default = lowest >= 0 and {line.table.scale for line in with_values} == {"log"}
        return self._lines_log(default, lowest)

    @cached_property
    def symlog(self) -> Symlog | None:
        """The scale of the y axis if the figure's spec wants symlog; its threshold follows the values by default."""
        whole = self.style.spec.get("log_scale")
        by_panel = self.option("log_scale", cast(str | None, None)) if isinstance(whole, dict) else whole
        if self.kind != "line" or by_panel != "symlog":
            return None
        chosen = self.option("linthresh", cast(float | None, None))
        if chosen is None:
            return Symlog.of([line.values for line in self.lines])
        return Symlog(float(chosen))

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, because its lines are the many bins of one spectrum."""
        return len(self.lines) > lines.MANY and all(line.bin is not None for line in self.lines)

    def draw(self, slot: Slot) -> Drawing:
        """Draw the lines of the panel, broken at gaps."""
        drawing = Drawing()
        legend = self._legend(slot.geometry, drawing)
        for order, (line, side) in enumerate(self._lines_with_sides(), 1):
            uid, axis = f"p{self.number}-{order}", side.axis_in(slot)
            if line.label in self.absent:
                drawing.traces.append(
                    lines.absent_trace(line, uid=uid, axis=axis, start=slot.start, legend=legend)
                )
                drawing.qualities.append(side._quality(line, 0))
                continue
            traces, points, fulls = lines.line_traces(
                line,
                uid=uid,
                axis=axis,
                start=slot.start,
                stop=slot.stop,
                pixels=slot.geometry.panel_pixels(self.number),
                spec=self.style.spec,
                positive=side.log_y,
                legend=legend,
                symlog=side.symlog,
            )
            drawing.traces += traces
            drawing.qualities.append(side._quality(line, points[0]))
            drawing.details += fulls
        drawing.notes += review.thinned_notes(self.number, drawing.qualities)
        for side in filter(None, (self, self.right)):
            drawing.notes += review.symlog_notes(side)
        if self.has_colour_bar:
            self._add_colour_bar(slot, drawing)
        drawing.y_axis = self._y_axis(slot)
        self._scale_values(drawing.y_axis)
        if self.right is not None:
            drawing.y_axis |= {"mirror": True, "tickfont": self._tick_font(drawing.y_axis, slot)}
            drawing.layout["yaxis" + slot.right_axis.removeprefix("y")] = self.right.axis_at_right(slot)
        return drawing

    def places(self, slot: Slot) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        """Return the places of the points of all lines."""
        if self.kind != "line":
            return []
        found = []
        span = int((slot.stop - slot.start).astype("timedelta64[ns]").astype("i8"))
        for line, side in self._lines_with_sides():
            low, high = side.y_limits() or side.extent
            values = line.values.astype(np.float64)
            if side.symlog is not None:
                (low, high), values = side.symlog.places([low, high]).tolist(), side.symlog.places(values)
            elif side.log_y:
                low, high = np.log10([low, high]) if low > 0 else (0.0, 1.0)
                values = np.log10(np.where(values > 0, values, np.nan))
            margin = 0.0 if side.y_limits() else (high - low) / 18
            across = (line.table.epoch - slot.start).astype("timedelta64[ns]").astype(np.float64) / span
            up = (values - low + margin) / max(high - low + 2 * margin, 1e-300)
            if 0 < across.size < _FINE:  # between few records the line is drawn too
                between = np.linspace(across[0], across[-1], _FINE)
                across, up = between, np.interp(between, across, up)
            found.append((across, up))
        return found

    def axis_in(self, slot: Slot) -> str:
        """Return plotly's name of the y axis that this side of the panel has."""
        return slot.right_axis if self.at_right else slot.y_axis

    def axis_at_right(self, slot: Slot) -> dict[str, Any]:
        """Return plotly's settings for the y axis at the right, with the colour of its only line."""
        axis = self._y_axis(slot) | {
            "overlaying": slot.y_axis,
            "side": "right",
            "mirror": False,
            "showgrid": False,
        }
        self._scale_values(axis)
        axis["zeroline"] = False
        if "tickmode" not in axis and "dtick" not in axis:
            # Otherwise plotly.js places the ticks of an overlaying axis at those of the left axis, at odd values.
            axis["tickmode"] = "auto"
        title = self.y_title(slot.geometry) | {"standoff": RIGHT_TITLE_STANDOFF}
        return axis | {"title": title, "tickfont": self._tick_font(axis, slot)}

    def _tick_font(self, axis: Mapping[str, Any], slot: Slot) -> dict[str, Any]:
        """Return the font of an axis's tick labels, in the colour of its title."""
        font = self.y_title(slot.geometry)["font"]
        return {**axis["tickfont"], **({"color": font["color"]} if "color" in font else {})}

    def _lines_with_sides(self) -> list[tuple[Line, LinePanel]]:
        """Return the lines in the order of the panel's tables, each with the side of the panel that draws it."""
        sides = [self] if self.right is None else [self, self.right]
        return [(line, side) for line in self._both_sides for side in sides if line.label in side.on_y_axis]

    def _quality(self, line: Line, drawn: int) -> TraceQuality:
        """Return the quality of a line on this side of the panel, of which so many values are drawn."""
        names = [(other.label, other.component) for other in self.lines]
        return replace(self.line_qualities[names.index((line.label, line.component))], drawn=drawn)

    def remarks(self, whole: Panel) -> list[str]:
        """Return remarks on lines that are hard to read."""
        notes = review.line_notes(self, self.lines, log=self.log_y or self.symlog is not None)
        return notes if self.right is None else notes + self.right.remarks(whole)

    def _add_colour_bar(self, slot: Slot, drawing: Drawing) -> None:
        geometry = slot.geometry
        bins = self.lines[0].table.axes[0]
        centres = [line.bin for line in self.lines if line.bin is not None]
        low, high = min(centres), max(centres)
        log = bins.scale == "log" and low > 0
        bar = colour_bar(low=low, high=high, log=log, geometry=self._beside(geometry), font=geometry.font)
        height = geometry.panel_height(self.number)
        title = axis_title(bins.label or "bin", bins.unit, height, geometry.font - 2)
        drawing.texts.append(self._bar_title(title, bar, (low, high), geometry))
        drawing.traces.append(lines.bin_colour_bar(self.lines, slot.y_axis, slot.start, bar))
