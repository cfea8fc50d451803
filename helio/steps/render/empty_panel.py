"""Panels without data: they keep their place and the title of their axes, and say why nothing is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helio.steps.render.axes import value_axis
from helio.steps.render.encode import iso
from helio.steps.render.geometry import LINE_PANEL, Geometry
from helio.steps.render.panel import Drawing, Panel, Slot
from helio.steps.render.wording import axis_title, inert, wrap
from helio.store.table import Table

_GREY = "#888888"
_LINES = 3
"""The largest number of lines of the reason."""


@dataclass(frozen=True, eq=False)
class EmptyPanel(Panel):
    """A panel over time without data.

    Parameters
    ----------
    of : Panel
        The panel that has no data.
    """

    of: Panel = field(kw_only=True)

    kind = "line"
    natural_height = LINE_PANEL

    @property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic; without data it has no scale."""
        return False

    @property
    def square(self) -> bool:
        """Whether the panel is as high as wide."""
        return self.of.square

    @property
    def on_y_axis(self) -> Mapping[str, Table]:
        """No table: the y axis has no scale."""
        return {}

    def height(self, font: float) -> float:
        """Return the height in pixels that the panel needs if the figure's spec does not set a height."""
        return max(self.of.natural_height, self.of.natural_height * font / 14)

    def y_limits(self) -> None:
        """Return None: the y axis has no scale."""
        return

    def y_title(self, geometry: Geometry) -> dict[str, Any]:
        """Return the title of the panel's y axis, as with data."""
        return self.of.y_title(geometry)

    def _tick_texts(self, geometry: Geometry) -> list[str]:
        del geometry
        return self.of.row_names

    def draw(self, slot: Slot) -> Drawing:
        """Draw the frame, and the reason in the middle."""
        geometry = slot.geometry
        size = geometry.font - 2
        words = self.nothing.reason if self.nothing is not None else ""
        lines = wrap(words, 0.9 * geometry.panel_width(self.number), size, _LINES)
        rows = self.of.row_names
        ticks = {
            "tickmode": "array",
            "tickvals": [len(rows) - row - 0.5 for row in range(len(rows))],
            "ticktext": rows,
        }
        position = {
            "domain": list(geometry.domains[self.number - 1]),
            "anchor": slot.x_axis,
            "range": [0, max(1, len(rows))],
        }
        # Plotly leaves out an axis without a trace.
        trace = {
            "type": "scatter", "uid": f"p{self.number}-empty", "mode": "markers", "x": [self._place(slot)], "y": [None],
            "xaxis": slot.x_axis, "yaxis": slot.y_axis, "hoverinfo": "skip", "showlegend": False,
        }  # fmt: skip
        text = {
            "text": "<br>".join(inert(line) for line in lines), "showarrow": False,
            "xref": f"{slot.x_axis} domain", "x": 0.5, "xanchor": "center",
            "yref": f"{slot.y_axis} domain", "y": 0.5, "yanchor": "middle",
            "font": {"size": size, "color": _GREY},
        }  # fmt: skip
        return Drawing(
            traces=[trace],
            y_axis=self._bare_axis(position, size) | (ticks | {"showticklabels": True} if rows else {}),
            texts=[text],
            notes=[f"panel {self.number}: nothing to draw: {words}"],
        )

    def _place(self, slot: Slot) -> str | float:
        return iso(slot.start)

    def _bare_axis(self, position: dict[str, Any], font: float) -> dict[str, Any]:
        """Return plotly's settings for an axis without ticks and labels."""
        axis = value_axis(self.style.theme, position, log=False, font=font)
        return axis | {
            "mirror": True,
            "ticks": "",
            "minor": {"ticks": ""},
            "showticklabels": False,
            "showgrid": False,
        }


@dataclass(frozen=True, eq=False)
class EmptySpectrumPanel(EmptyPanel):
    """A panel without data that has an x axis of its own."""

    over_time = False

    def draw(self, slot: Slot) -> Drawing:
        """Draw the frame with the title of both axes, and the reason in the middle."""
        drawing, geometry = super().draw(slot), slot.geometry
        position = {
            "domain": list(geometry.span(self.number)),
            "anchor": slot.y_axis,
            "range": [0, 1],
        }
        font = geometry.font - 1
        title = axis_title(*self.of.x_name, geometry.panel_width(self.number), font)
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = self._bare_axis(position, font - 1) | {
            "title": title | {"standoff": 4}
        }
        return drawing

    def _place(self, slot: Slot) -> str | float:
        return 0.5


@dataclass(frozen=True, eq=False)
class EmptyEntryPanel(EmptySpectrumPanel):
    """A panel without data that stands side by side with others."""

    side_by_side = True


def with_reason(panel: Panel) -> Panel:
    """Return the panel; if it has nothing to draw, the empty panel that says so."""
    if panel.nothing is None:
        return panel
    kind = EmptyEntryPanel if panel.side_by_side else EmptyPanel if panel.over_time else EmptySpectrumPanel
    return kind(panel.number, panel.tables, panel.style, absent=panel.absent, nothing=panel.nothing, of=panel)
