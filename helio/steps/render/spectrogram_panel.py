"""Spectrogram panels: one spectrum over time and its bins, with a colour bar, and lines in the unit of the bins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render import colours, lines, review
from helio.steps.render.axes import set_log_ticks
from helio.steps.render.geometry import SPECTROGRAM_PANEL
from helio.steps.render.heat_map import colour_bar, colour_limits, heat_map
from helio.steps.render.lines import Line
from helio.steps.render.overlay import check_lines_over, inner_legend, lines_over, outline
from helio.steps.render.panel import Drawing, Panel, Slot, require_bins
from helio.steps.render.quality import TraceQuality, line_quality
from helio.steps.render.refine import FullGrid
from helio.steps.render.spectrum_grid import Grid, spectrum_grid
from helio.steps.render.wording import axis_title
from helio.store.table import Axis, Table


class SpectrogramPanel(Panel):
    """A panel with a heat map of one spectrum over time, and lines over it."""

    kind = "spectrogram"
    natural_height = SPECTROGRAM_PANEL

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse tables without bins, more than one spectrum, and lines in another unit than the bins."""
        super().check_tables(number, tables)
        spectra = [label for label, table in tables.items() if table.kind == "spectrum"]
        if not spectra:
            require_bins(number, tables, cls.kind)
        if len(spectra) > 1:
            raise StepError(
                f"panel {number} has {len(spectra)} spectra, but a spectrogram can show only one",
                advice="give each spectrum its own panel, or set the panel's type to 'spectrum' in "
                "panel_types",
            )
        lines_of = {label: table for label, table in tables.items() if label not in spectra}
        check_lines_over(number, spectra[0], tables[spectra[0]].axes[0], lines_of)

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The lines over the spectrogram, with their names and colours."""
        over = {
            label: table
            for label, table in self.tables.items()
            if table.kind != "spectrum" and label not in self.absent
        }
        return lines_over(over, self.style.spec) if over else ()

    @property
    def _label(self) -> str:
        return next(label for label, table in self.tables.items() if table.kind == "spectrum")

    @property
    def _table(self) -> Table:
        return self.tables[self._label]

    @property
    def _bins(self) -> Axis:
        return self._table.axes[0]

    @cached_property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic: as the figure's spec says; by default, if the bins are logarithmic."""
        default = self._bins.scale == "log" and bool((self._bins.centers > 0).any())
        return bool(self.option("log_y", default))

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, which is always true for this kind of panel."""
        return True

    @property
    def on_y_axis(self) -> Mapping[str, Table]:
        """No table: the y axis shows the bins."""
        return {}

    def needs_any_of(self, absent: Mapping[str, str]) -> bool:
        """Return whether the spectrum has no values; the y axis of lines without a spectrum has no limits."""
        return any(label in absent for label, table in self.tables.items() if table.kind == "spectrum")

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the title of the y axis: the name and the unit of the bins."""
        return axis_title(self._bins.label or "bin", self._bins.unit, height, font)

    def y_units(self) -> set[str]:
        """Return the unit of the bins."""
        return {self._bins.unit}

    def shown_arrays(self) -> Iterable[npt.NDArray[Any]]:
        """Return the centres and the edges of the bins, which must fit on the y axis."""
        return self._bins.parts.values()

    def draw(self, slot: Slot) -> Drawing:
        """Draw the heat map with cells that are at least one pixel in size."""
        geometry, table = slot.geometry, self._table
        log_z = self._log_z()
        grid = self._grid(slot, log_z)
        limits = colour_limits(
            grid.z,
            log=log_z,
            low=self.option("z_min", cast(float | None, None)),
            high=self.option("z_max", cast(float | None, None)),
            where=f"panel {self.number}",
        )
        low, high = limits
        bar = colour_bar(low=low, high=high, log=log_z, geometry=self._beside(geometry), font=geometry.font)
        trace = heat_map(
            grid,
            uid=f"p{self.number}",
            name=self._label,
            axis=slot.y_axis,
            log=log_z,
            limits=limits,
            scale=colours.colour_scale(self.style.spec.get("colorscale", colours.USUAL_SCALE)),
            bar=bar,
            axis_name=self._bins.label,
            axis_unit=self._bins.unit,
            unit=table.unit,
        )
        height = geometry.panel_height(self.number)
        bar_title = axis_title(self.name_of(self._label), table.unit, height, geometry.font - 2)
        chosen = any(self.option(key, None) is not None for key in ("z_min", "z_max"))
        beyond = int(((grid.z < low) | (grid.z > high)).sum()) if chosen else 0
        drawing = Drawing(
            traces=[trace],
            y_axis=self._bin_axis(slot, grid),
            texts=[self._bar_title(bar_title, bar, limits, geometry)],
            notes=[
                *review.grid_notes(self, self._label, grid),
                *review.colour_notes(self.number, self._label, beyond),
            ],
            qualities=[self._quality(grid, log_z, beyond)],
        )
        if grid.even or grid.pixel_rows:
            drawing.details.append(self._full(slot, grid, log_z))
        if self.lines:
            self._add_lines(slot, drawing)
        return drawing

    def _full(self, slot: Slot, grid: Grid, log_z: bool) -> FullGrid:
        return FullGrid(
            f"p{self.number}",
            self._label,
            self._table,
            grid,
            slot.start,
            slot.stop,
            slot.geometry.panel_pixels(self.number),
            self._rows(slot),
            self.log_y,
            log_z,
            self.style.gap_factor,
            self.y_limits(),
        )

    def _rows(self, slot: Slot) -> int:
        return max(1, int(slot.geometry.panel_height(self.number)))

    def _add_lines(self, slot: Slot, drawing: Drawing) -> None:
        """Draw the lines over the heat map, and name them in a legend inside the panel."""
        spec, ends = self.style.spec, drawing.y_axis["range"]
        low, high = (10**end if self.log_y else end for end in ends)
        legend = f"legend{self.number if self.number > 1 else ''}" if self.style.legend else None
        for order, line in enumerate(self.lines, 1):
            traces, points, fulls = lines.line_traces(
                line,
                uid=f"p{self.number}-{order}",
                axis=slot.y_axis,
                start=slot.start,
                stop=slot.stop,
                pixels=slot.geometry.panel_pixels(self.number),
                spec=spec,
                positive=self.log_y,
                legend=legend,
                frame=(low, high),
            )
            drawing.traces += [outline(trace, line, spec) for trace in traces if "fill" not in trace] + traces
            quality = line_quality(line, log=self.log_y, limits=(low, high))
            drawing.qualities.append(replace(quality, drawn=points[0]))
            drawing.details += fulls
        if legend is not None:
            drawing.layout[legend] = inner_legend(
                self.lines,
                slot.geometry,
                self.number,
                start=slot.start,
                stop=slot.stop,
                limits=(low, high),
                log=self.log_y,
            )
        drawn = drawing.qualities[1:]
        drawing.notes += review.thinned_notes(self.number, drawn)
        drawing.notes += review.beyond_notes(self.number, drawn, low, high)

    def _quality(self, grid: Grid, log_z: bool, beyond: int) -> TraceQuality:
        values = self._table.values
        finite = int(np.count_nonzero(np.isfinite(values)))
        lost = int((values <= 0).sum()) if log_z else 0
        drawn = int(np.count_nonzero(np.isfinite(grid.z)))
        return TraceQuality(self._label, self._label, finite, values.size - finite, drawn, beyond, lost)

    def _log_z(self) -> bool:
        finite = self._table.values[np.isfinite(self._table.values)]
        log_z = bool(self.option("log_z", not (finite < 0).any()))
        if log_z and not (finite > 0).any():
            raise StepError(
                f"nothing to draw: no value of '{self._label}' is above 0", advice="set log_z: false"
            )
        return log_z

    def _grid(self, slot: Slot, log_z: bool) -> Grid:
        grid = spectrum_grid(
            self._table,
            start=slot.start,
            stop=slot.stop,
            columns=slot.geometry.panel_pixels(self.number),
            rows=self._rows(slot),
            log_y=self.log_y,
            positive=log_z,
            gap_factor=self.style.gap_factor,
            y_range=self.y_limits(),
        )
        if not np.isfinite(grid.z).any():
            raise StepError(
                f"nothing to draw: no bin of '{self._label}' has both a value and a place on the axis",
                advice="set log_y: false",
            )
        return grid

    def _bin_axis(self, slot: Slot, grid: Grid) -> dict[str, Any]:
        y_axis = self._y_axis(slot)
        if "range" not in y_axis:
            ends = (float(grid.y[0]), float(grid.y[-1]))
            y_axis["range"] = [float(f"{np.log10(end):.8g}") for end in ends] if self.log_y else list(ends)
        if self.log_y:
            set_log_ticks(y_axis, *(10**limit for limit in y_axis["range"]))
        return y_axis
