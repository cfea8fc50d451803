"""Panels of lines over time; each component, scalar or bin has a line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from helio.steps.render import lines, review
from helio.steps.render.geometry import LINE_PANEL
from helio.steps.render.heat_map import colour_bar
from helio.steps.render.lines import Line
from helio.steps.render.panel import Drawing, Panel, Slot
from helio.steps.render.spec import PanelType
from helio.steps.render.wording import axis_title


class LinePanel(Panel):
    """A panel of lines over time."""

    kind: ClassVar[PanelType] = "line"
    natural_height = LINE_PANEL

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The lines of the panel, with their names and colours."""
        style = self.style
        return lines.panel_lines(self.tables, style.spec, style.theme.foreground, style.line_scale)

    @cached_property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic: as the figure's spec says; by default, if the tables have a logarithmic
        scale and no value is negative.
        """
        lowest = min(float(np.nanmin(line.values)) for line in self.lines if np.isfinite(line.values).any())
        default = lowest >= 0 and all(table.scale == "log" for table in self.tables.values())
        return self._lines_log(default, lowest)

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, because its lines are the many bins of one spectrum."""
        return len(self.lines) > lines.MANY and all(line.bin is not None for line in self.lines)

    def draw(self, slot: Slot) -> Drawing:
        """Draw the lines of the panel, broken at gaps."""
        drawing = Drawing()
        legend = self._legend(slot.geometry, drawing)
        drawn = [
            lines.line_traces(
                line,
                uid=f"p{self.number}-{order}",
                axis=slot.y_axis,
                start=slot.start,
                stop=slot.stop,
                pixels=slot.geometry.plot_width,
                spec=self.style.spec,
                positive=self.log_y,
                legend=legend,
            )
            for order, line in enumerate(self.lines, 1)
        ]
        drawing.traces += [trace for traces, _ in drawn for trace in traces]
        drawing.notes += review.thinned_notes(self, [points for _, points in drawn])
        if self.has_colour_bar:
            self._add_colour_bar(slot, drawing)
        drawing.y_axis = self._y_axis(slot)
        self._scale_values(drawing.y_axis)
        return drawing

    def remarks(self, whole: Panel) -> list[str]:
        """Return remarks on lines that are hard to read."""
        return review.line_notes(self, self.lines, log=self.log_y)

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
