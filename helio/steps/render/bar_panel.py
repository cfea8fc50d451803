"""Panels of bars over time, such as Kp with a colour for each storm level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.render.encode import moments, numbers
from helio.steps.render.gaps import gaps, record_edges
from helio.steps.render.line_panel import LinePanel
from helio.steps.render.lines import Line, absent_trace, line_style
from helio.steps.render.panel import Drawing, Panel, Slot
from helio.steps.render.scales import SCALES
from helio.steps.render.spec import PanelType
from helio.store.table import Table

_QUIET = "#4daf4a"
"""Colour of bars below the weakest storm level."""
_ALONE = 60 * 10**9
"""Length in ns of the bar of a single record, if nothing else sets the time axis."""
_EDGE_FROM = 4
"""Bars of at least this many pixels have an edge in the colour of the page."""


@dataclass(frozen=True)
class Bars:
    """Bars of one colour: which records they show, and their name in the legend."""

    line: Line
    shown: npt.NDArray[np.bool_]
    name: str
    colour: str


class BarPanel(LinePanel):
    """A panel of bars over time; the components of several tables stand side by side."""

    kind: ClassVar[PanelType] = "bars"

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse spectra."""
        super().check_tables(number, tables)
        for label, table in tables.items():
            if table.kind == "spectrum":
                raise StepError(
                    f"panel {number}: '{label}' is a spectrum, which bars cannot show",
                    advice="take one bin with slice_spectrum, or set the panel's type to 'spectrogram' or 'line'",
                )

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, which is never true for this kind of panel."""
        return False

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names and colours for the legend: those of the storm levels, or of the tables."""
        return [(bars.name, bars.colour) for line in self.lines for bars in self._bars(line)]

    def shown_arrays(self) -> Iterable[npt.NDArray[Any]]:
        """Return the values of the bars and, on a linear axis, the zero at which the bars begin."""
        return [*super().shown_arrays(), *([] if self.log_y else [np.zeros(1)])]

    def span_of(self, label: str, epoch: npt.NDArray[np.datetime64]) -> tuple[np.datetime64, np.datetime64]:
        """Return the start of the first bar and the end of the last bar."""
        line = next(line for line in self.lines if line.label == label)
        starts, stops = self._bounds(line, epoch, _ALONE)
        return starts[0].astype("datetime64[ns]"), stops[-1].astype("datetime64[ns]")

    def _bounds(
        self, line: Line, epoch: npt.NDArray[np.datetime64], alone: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the start and the end of each bar in ns; the length of a single bar is given."""
        left, right = record_edges(epoch, gaps(epoch, self.style.gap_factor), alone)
        if line_style(line, self.style.spec).get("bar", "start") == "middle":
            return left, right
        centre = epoch.astype("i8")
        return centre, centre + 2 * (right - centre)

    def draw(self, slot: Slot) -> Drawing:
        """Draw a bar for each record, from its epoch to the next; before a gap, as long as the local cadence."""
        drawing = Drawing(layout={"barmode": "overlay"})
        legend = self._legend(slot.geometry, drawing)
        for order, line in enumerate(self.lines, 1):
            if line.label in self.absent:
                uid = f"p{self.number}-{order}"
                trace = absent_trace(line, uid=uid, axis=slot.y_axis, start=slot.start, legend=legend)
                drawing.traces.append(trace)
                continue
            drawing.traces += self._traces(line, order, slot, legend)
        drawing.y_axis = self._y_axis(slot)
        if "range" in drawing.y_axis and self.y_limits() is None and self.extent[0] == 0 and not self.log_y:
            drawing.y_axis["range"][0] = 0.0
        self._scale_values(drawing.y_axis)
        return drawing

    def remarks(self, whole: Panel) -> list[str]:
        """Return remarks on bars that are hard to read, and on a Kp that cannot have the colours of its levels."""
        scale = SCALES["Kp"]
        tenfold = [
            f"panel {self.number}: '{label}' reaches {np.nanmax(table.values):g}, but Kp is never above 9, so the "
            'bars have one colour; rescale it with factor 0.1 and unit "1"'
            for label, table in self.tables.items()
            if label not in self.absent and scale.shows(label, table) and np.nanmax(table.values) > scale.most
        ]
        return super().remarks(whole) + tenfold

    def _traces(self, line: Line, order: int, slot: Slot, legend: str | None) -> Iterator[dict[str, Any]]:
        total = int((slot.stop - slot.start).astype("timedelta64[ns]").astype("i8"))
        first, last = self._bounds(line, line.table.epoch, total // 200)
        width = last - first
        share = width // len(self.lines)
        first = first + (order - 1) * share
        pixel = total / slot.geometry.panel_pixels(self.number)
        if np.median(share) < pixel:
            raise StepError(
                f"panel {self.number}: the bars of '{line.label}' are narrower than a pixel",
                advice="resample the table to a longer cadence first, or set the panel's type to 'line'",
            )
        edge = {
            "width": 1 if np.median(share) >= _EDGE_FROM * pixel else 0,
            "color": self.style.theme.background,
        }
        unit = pretty_unit(line.table.unit)
        for part, bars in enumerate(self._bars(line), 1):
            yield {
                "type": "bar",
                "name": bars.name,
                "uid": f"p{self.number}-{order}" + (f"-{part}" if part > 1 else ""),
                "x": moments(first[bars.shown].astype("datetime64[ns]")),
                "y": numbers(line.values[bars.shown]),
                "width": [round(float(length) / 1e6, 3) for length in share[bars.shown]],
                "offset": 0,
                "yaxis": slot.y_axis,
                "marker": {"color": bars.colour, "line": edge},
                "hovertemplate": f"%{{y:.5g}} {unit}".rstrip() + f"<extra>{bars.name}</extra>",
                "showlegend": legend is not None,
                **(
                    {}
                    if legend is None
                    else {"legend": legend, "legendgroup": f"p{self.number}-{order}-{part}"}
                ),
            }

    def _bars(self, line: Line) -> Sequence[Bars]:
        """Return the bars of a line: by storm level if the line is Kp and has no colour in the spec."""
        scale, chosen = SCALES["Kp"], self.style.spec.get("trace_colors", {})
        finite = np.isfinite(line.values)
        if (
            not scale.shows(line.label, line.table)
            or any(key in chosen for key in line.keys)
            or line.table.unit
            or line.label in self.absent
            or not 0 <= np.nanmin(line.values) <= np.nanmax(line.values) <= scale.most
        ):
            return [Bars(line, finite, line.name, line.colour)]
        level = np.searchsorted(scale.values, np.where(finite, line.values, -1.0), side="right")
        names, shades = (f"below {scale.names[0]}", *scale.names), (_QUIET, *scale.colours)
        return [
            Bars(line, finite & (level == number), names[number], shades[number])
            for number in range(len(names))
            if (finite & (level == number)).any()
        ]
