"""Thin panels of coloured blocks over time: regions, modes and quality flags, which are whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render.bar_panel import BarPanel
from helio.steps.render.encode import moments
from helio.steps.render.geometry import Geometry
from helio.steps.render.lines import Line
from helio.steps.render.panel import Drawing, Panel, Slot
from helio.steps.render.wording import inert

_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#8c564b")
"""Colours of Okabe and Ito for areas; a value keeps its colour if other values are absent."""
_UNNAMED = "#999999"
_MOST = 16
"""The largest number of different values that a reader can tell apart."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of one value in one row: their starts and ends in ns, with name and colour."""

    row: int
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    name: str
    colour: str


class StripPanel(BarPanel):
    """A thin panel with a row of coloured blocks for each series of whole numbers."""

    kind = "strip"
    natural_height = 44

    @property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic, which is never true for this kind of panel."""
        return False

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names and colours of the values, in the order of the values."""
        return list(dict.fromkeys(entry for line in self.lines for entry in self._looks(line).values()))

    @property
    def has_legend(self) -> bool:
        """Whether the figure has legends; a strip is unreadable without one, even with one value."""
        return self.style.legend

    def height(self, font: float) -> float:
        """Return the height in pixels that the panel needs if the figure's spec does not set a height."""
        return max(super().height(font), 24 * len(self.lines) * font / 14)

    def shown_arrays(self) -> Iterable[npt.NDArray[Any]]:
        """Return no values: the y axis shows rows."""
        return ()

    def y_title(self, geometry: Geometry) -> dict[str, Any]:
        """Return an empty title; the labels of the rows name the series."""
        return {"text": "", "font": {"size": geometry.font - 1}}

    def _tick_texts(self, geometry: Geometry) -> list[str]:
        del geometry
        return self.row_names

    @property
    def row_names(self) -> list[str]:
        """The names of the series, from the top."""
        chosen: str | None = self.option("y_label", None)
        return (
            [inert(chosen)]
            if chosen is not None and len(self.lines) == 1
            else [line.name for line in self.lines]
        )

    def draw(self, slot: Slot) -> Drawing:
        """Draw a block for each run of records with one value, from the first epoch to the next value or gap."""
        if self.option("y_range", None) is not None:
            raise StepError(
                f"y_range: panel {self.number} is a strip, whose y axis has rows and no values",
                advice="leave this panel out of y_range",
            )
        drawing = Drawing(layout={"barmode": "overlay"})
        legend = self._legend(slot.geometry, drawing)
        named: set[str] = set()
        for order, blocks in enumerate(self._blocks(slot), 1):
            drawing.traces.append(
                {
                    "type": "bar",
                    "name": blocks.name,
                    "uid": f"p{self.number}-{order}",
                    "x": moments(blocks.starts.astype("datetime64[ns]")),
                    "y": [0.8] * blocks.starts.size,
                    "base": [len(self.lines) - blocks.row - 0.9] * blocks.starts.size,
                    "width": [round(float(length) / 1e6, 3) for length in blocks.ends - blocks.starts],
                    "offset": 0,
                    "yaxis": slot.y_axis,
                    "marker": {"color": blocks.colour, "line": {"width": 0}},
                    "hovertemplate": f"{blocks.name}<extra>{self.lines[blocks.row].name}</extra>",
                    "showlegend": legend is not None and blocks.name not in named,
                    "legendgroup": f"p{self.number}-{blocks.name}",
                    **({} if legend is None else {"legend": legend}),
                }
            )
            named.add(blocks.name)
        rows = len(self.lines)
        drawing.y_axis = self._y_axis(slot) | {
            "range": [0, rows],
            "tickmode": "array",
            "tickvals": [rows - row - 0.5 for row in range(rows)],
            "ticktext": self._tick_texts(slot.geometry),
            "ticks": "",
            "minor": {"ticks": ""},
            "mirror": True,
            "showgrid": False,
        }
        return drawing

    def remarks(self, whole: Panel) -> list[str]:
        """Return a remark on each value that has no name in the spec."""
        del whole
        return [
            f"panel {self.number}: the value {value} of {line.label} has no name in categories"
            for line in self.lines
            for value in self._values(line)
            if self._names(line) and str(value) not in self._names(line)
        ]

    def _names(self, line: Line) -> Mapping[str, str]:
        categories = self.style.spec.get("categories", {})
        return next((categories[key] for key in line.keys if key in categories), {})

    def _values(self, line: Line) -> list[int]:
        """Return the different values of a line; refuse values that are not whole numbers, or too many of them."""
        finite = line.values[np.isfinite(line.values)]
        if (finite != np.round(finite)).any():
            raise StepError(
                f"panel {self.number}: '{line.label}' has values that are not whole numbers",
                advice="set the panel's type to 'line' or 'bars'",
            )
        values = [int(value) for value in np.unique(finite)]
        if len(values) > _MOST:
            raise StepError(
                f"panel {self.number}: '{line.label}' has {len(values)} different values, too many for a strip",
                advice=f"set the panel's type to 'line', or reduce the values to at most {_MOST}",
            )
        return values

    def _looks(self, line: Line) -> dict[int, tuple[str, str]]:
        """Return the name and the colour of each value of a line."""
        names = self._names(line)
        places = {name: order for order, name in enumerate(names)}
        looks = {}
        for value in self._values(line):
            known = str(value) in names
            place = places[str(value)] if known else value
            colour = _UNNAMED if names and not known else _COLOURS[place % len(_COLOURS)]
            looks[value] = (inert(names.get(str(value), str(value))), colour)
        return looks

    def _blocks(self, slot: Slot) -> list[Blocks]:
        blocks = []
        total = int((slot.stop - slot.start).astype("timedelta64[ns]").astype("i8"))
        for row, line in enumerate(self.lines):
            if line.label in self.absent:
                continue
            starts, ends = self._bounds(line, line.table.epoch, total // 200)
            known = np.isfinite(line.values)
            values, starts, ends = line.values[known], starts[known], ends[known]
            first = np.flatnonzero(np.append(True, (np.diff(values) != 0) | (starts[1:] > ends[:-1])))
            last = np.append(first[1:], values.size) - 1
            if first.size > 4 * slot.geometry.panel_pixels(self.number):
                raise StepError(
                    f"panel {self.number}: '{line.label}' changes {first.size:,} times, more often than can be seen",
                    advice="choose a shorter time range, or smooth it with running_median",
                )
            for value, (name, colour) in self._looks(line).items():
                own = values[first] == value
                blocks.append(Blocks(row, starts[first[own]], ends[last[own]], name, colour))
        return blocks

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The series of the panel, each with a row, the first at the top."""
        return self._both_sides


def check_categories(panels: Sequence[Panel], categories: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse names of values for a label that no strip draws, and values that are not whole numbers.

    Raises
    ------
    StepError
        With the labels that may be named.
    """
    lines = [line for panel in panels if isinstance(panel, StripPanel) for line in panel.lines]
    for label, names in categories.items():
        if not any(label in line.keys for line in lines):
            known = ", ".join(dict.fromkeys(line.label for line in lines))
            raise StepError(
                f"categories: no strip draws '{label}'",
                advice=f"choose one of the labels: {known}"
                if known
                else "set a panel to 'strip' in panel_types",
            )
        wrong = next((value for value in names if not value.removeprefix("-").isdecimal()), None)
        if wrong is not None:
            raise StepError(
                f"categories: '{wrong}' of '{label}' is not a whole number",
                advice='name values by their numbers: {"0": "solar wind", "1": "magnetosheath"}',
            )
