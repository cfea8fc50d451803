"""Spectrogram panels: one spectrum over time and its bins, with a colour bar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render import colours, review
from helio.steps.render.axes import set_log_ticks
from helio.steps.render.geometry import SPECTROGRAM_PANEL
from helio.steps.render.heat_map import colour_bar, colour_limits, heat_map
from helio.steps.render.panel import Drawing, Panel, Slot, require_bins
from helio.steps.render.spectrum_grid import Grid, spectrum_grid
from helio.steps.render.wording import axis_title, quantity
from helio.store.table import Axis, Table


class SpectrogramPanel(Panel):
    """A panel with a heat map of one spectrum over time."""

    kind = "spectrogram"
    natural_height = SPECTROGRAM_PANEL

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse tables without bins, and more than one table."""
        super().check_tables(number, tables)
        require_bins(number, tables, cls.kind)
        if len(tables) > 1:
            raise StepError(
                f"panel {number} has {len(tables)} spectra, but a spectrogram can show only one",
                advice="give each spectrum its own panel, or set the panel's type to 'spectrum' in "
                "panel_types",
            )

    @property
    def _label(self) -> str:
        return next(iter(self.tables))

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

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the title of the y axis: the name and the unit of the bins."""
        return axis_title(self._bins.label or "bin", self._bins.unit, height, font)

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
            scale=colours.colour_scale(self.style.spec.get("colorscale", "turbo")),
            bar=bar,
            axis_name=self._bins.label,
            axis_unit=self._bins.unit,
            unit=table.unit,
        )
        height = geometry.panel_height(self.number)
        bar_title = axis_title(quantity(table, self._label), table.unit, height, geometry.font - 2)
        return Drawing(
            traces=[trace],
            y_axis=self._bin_axis(slot, grid),
            texts=[self._bar_title(bar_title, bar, limits, geometry)],
            notes=review.grid_notes(self, grid),
        )

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
            columns=slot.geometry.plot_width,
            rows=max(1, int(slot.geometry.panel_height(self.number))),
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
