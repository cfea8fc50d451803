"""Panels of spectra: values over an x axis of frequency, energy or other bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from helio.errors import StepError
from helio.steps.render import review
from helio.steps.render.axes import check_limits, most_labels, set_log_ticks, value_axis
from helio.steps.render.curves import Curve, curve_traces, panel_curves, places_of
from helio.steps.render.geometry import SPECTRUM_PANEL
from helio.steps.render.panel import Drawing, Panel, Slot, require_bins
from helio.steps.render.refusals import low_start, refuse
from helio.steps.render.slopes import guide_traces
from helio.steps.render.spec import PanelType
from helio.steps.render.wording import axis_title
from helio.store.table import Axis, Table


class SpectrumPanel(Panel):
    """A panel with a curve over the bins for each record, or with the median and quartiles of many records."""

    kind: ClassVar[PanelType] = "spectrum"
    natural_height = SPECTRUM_PANEL
    over_time = False

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse tables without bins, and tables with different axes."""
        super().check_tables(number, tables)
        require_bins(number, tables, cls.kind)
        _check_overlaid(number, tables)

    @property
    def drawn(self) -> Mapping[str, Table]:
        """The tables as they are drawn, with the unit of their bins that the x axis has."""
        return {label: table for label, table in self.tables.items() if label not in self.absent}

    @cached_property
    def lines(self) -> Sequence[Curve]:
        """The curves of the panel, with their names and colours."""
        limits = self._chosen_limits()
        if limits is not None and self.log_x:
            refuse(low_start("bin_range", self.number, limits))
        style = self.style
        curves = panel_curves(
            self.number,
            self.drawn,
            style.spec,
            style.theme.foreground,
            style.line_scale,
            log_x=self.log_x,
            limits=limits,
            events=self.kind == "epochs",
        )
        if not any(np.isfinite(values).any() for curve in curves for values in curve.shown):
            raise StepError(
                f"nothing to draw: no bin of '{curves[0].label}' has both a value and a position on the axis",
                advice="set log_x: false, or choose another bin_range",
            )
        return curves

    @cached_property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic: as the figure's spec says; by default, if no value is negative."""
        shown = np.concatenate([values[np.isfinite(values)] for values in self.shown_arrays()])
        lowest = float(shown.min())
        return self._lines_log(lowest >= 0 and bool(shown.max() > 0), lowest)

    @cached_property
    def log_x(self) -> bool:
        """Whether the x axis is logarithmic: as the figure's spec says; by default, if the bins are logarithmic."""
        axes = [table.axes[0] for table in self.drawn.values()]
        default = all(axis.scale == "log" and bool((axis.centers > 0).any()) for axis in axes)
        return bool(self.option("log_x", default))

    @property
    def x_name(self) -> tuple[str, str]:
        """The name and the unit of the bins."""
        chosen = self.option("bin_label", cast(str | None, None))
        if chosen is not None:
            return chosen, ""
        bins = [table.axes[0] for table in (self.drawn or self.tables).values() if table.axes]
        return ", ".join(dict.fromkeys(axis.label or "bin" for axis in bins)), bins[0].unit if bins else ""

    def keeps_whole(self, table: Table) -> bool:
        """Return whether the table has a single record: it describes a whole time range, and is always drawn."""
        return len(table) == 1

    def draw(self, slot: Slot) -> Drawing:
        """Draw the curves over an x axis of bins, and the lines of power laws."""
        drawing = Drawing()
        legend = self._legend(slot.geometry, drawing)
        drawing.y_axis = self._y_axis(slot)
        self._scale_values(drawing.y_axis)
        limits = self.bin_limits()
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = self._bin_axis(slot, limits)
        drawn = [
            curve_traces(
                curve,
                uid=f"p{self.number}-{order}",
                x_axis=slot.x_axis,
                axis=slot.y_axis,
                pixels=slot.geometry.panel_pixels(self.number),
                spec=self.style.spec,
                log_x=self.log_x,
                log_y=self.log_y,
                legend=legend,
            )
            for order, curve in enumerate(self.lines, 1)
        ]
        drawing.traces += [trace for traces, _, _ in drawn for trace in traces]
        drawing.details += [full for _, _, fulls in drawn for full in fulls]
        drawing.qualities += [
            replace(quality, drawn=points[0])
            for quality, (_, points, _) in zip(self.line_qualities, drawn, strict=True)
        ]
        drawing.notes += review.thinned_notes(self.number, drawing.qualities)
        if slot.guides:
            self._add_guides(slot, limits, drawing)
        return drawing

    def remarks(self, whole: Panel) -> list[str]:
        """Return remarks on the records that are shown, and on curves that are hard to read."""
        return [
            *review.spectrum_notes(self, whole),
            *review.line_notes(self, self.lines, log=self.log_y),
        ]

    def _chosen_limits(self) -> tuple[float, float] | None:
        chosen = self.option("bin_range", cast(list[float] | None, None))
        return None if chosen is None else check_limits(chosen, self.number, "bin_range")

    def bin_limits(self) -> tuple[float, float]:
        """Return the limits of the x axis of bins from the figure's spec; by default the limits of all values."""
        chosen = self._chosen_limits()
        if chosen is not None:
            return chosen
        low, high = places_of(self.lines)
        if self.log_x:
            margin = (high / low) ** (1 / 60) if low < high else 10.0
            return low / margin, high * margin
        margin = (high - low) / 60 or 1.0
        return low - margin, high + margin

    def _bin_axis(self, slot: Slot, limits: tuple[float, float]) -> dict[str, Any]:
        geometry = slot.geometry
        position = {
            "type": "log" if self.log_x else "linear",
            "range": [float(f"{np.log10(end) if self.log_x else end:.8g}") for end in limits],
            "domain": list(geometry.span(self.number)),
            "anchor": slot.y_axis,
        }
        axis = value_axis(self.style.theme, position, log=self.log_x, font=geometry.font - 1)
        if self.log_x:
            set_log_ticks(axis, *limits)
        else:
            width = geometry.panel_width(self.number)
            axis["nticks"] = most_labels(geometry, width if width < geometry.plot_width else None)
        title = axis_title(*self.x_name, geometry.panel_width(self.number), geometry.font - 1)
        return axis | {"title": title | {"standoff": 4}}

    def _add_guides(self, slot: Slot, limits: tuple[float, float], drawing: Drawing) -> None:
        if not (self.log_x and self.log_y):
            raise StepError(
                f"slopes: panel {self.number} does not have two logarithmic axes",
                advice="set log_x: true and log_y: true",
            )
        traces, texts = guide_traces(
            slot.guides,
            self.lines,
            x_axis=slot.x_axis,
            axis=slot.y_axis,
            x_limits=limits,
            font=slot.geometry.font,
        )
        drawing.traces += traces
        drawing.texts += texts


def _check_overlaid(number: int, tables: Mapping[str, Table]) -> None:
    (first, known), *others = tables.items()
    bins = known.axes[0]
    for label, table in others:
        other = table.axes[0]
        # Ion and electron energies in eV share an axis; without a unit only the name tells.
        if bins.unit != other.unit or (not bins.unit and bins.label != other.label):
            raise StepError(
                f"panel {number}: '{first}' has bins of {_axis_words(bins)}, but '{label}' has bins of "
                f"{_axis_words(other)}",
                advice="give each table its own panel",
            )
        if known.unit != table.unit:
            raise StepError(
                f"panel {number}: '{first}' is in {known.unit or 'no unit'}, but '{label}' is in "
                f"{table.unit or 'no unit'}",
                advice="give each table its own panel, or convert one with convert_units",
            )


def _axis_words(axis: Axis) -> str:
    return f"{axis.label or 'bins'} {f'[{axis.unit}]' if axis.unit else ''}".strip()
