"""Panels of superposed epochs: the median of events with a band between their quartiles, over the time from zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from helio.errors import StepError
from helio.steps.render.axes import most_labels
from helio.steps.render.panel import Slot
from helio.steps.render.spectrum_panel import SpectrumPanel
from helio.store.table import Axis, Table

_STEPS = {
    "d": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "h": (1, 2, 3, 6, 12, 24, 48, 72, 96, 120, 240),
    "min": (1, 2, 5, 10, 15, 30, 60, 120, 240),
    "s": (1, 2, 5, 10, 15, 30, 60, 120, 300, 600),
}
"""Distances between the labels of the time axis, by its unit."""
_IN_DAYS = 240.0
"""From so many hours on, the time axis has days."""
_FITTING = 1.4
"""Labels that fit for each date that fits: they are shorter."""
_ZERO = "#666666"


class EpochPanel(SpectrumPanel):
    """A panel with the median and the quartiles of events over the time from the zero epoch."""

    kind = "epochs"

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse tables without bins of time, and tables with different axes."""
        super().check_tables(number, tables)
        for label, table in tables.items():
            bins = table.axes[0]
            if bins.unit not in _STEPS or bins.per_record:
                raise StepError(
                    f"panel {number}: the bins of '{label}' are {bins.label or 'bins'} "
                    f"{f'[{bins.unit}]' if bins.unit else 'without a unit'}, not times from a zero epoch",
                    advice="superpose it first, with the tool superposed_epoch, or set the panel's type to 'spectrum'",
                )

    @cached_property
    def drawn(self) -> Mapping[str, Table]:
        """The tables with their bins in days if they reach over ten days, otherwise as they are."""
        tables = super().drawn
        axes = [table.axes[0] for table in tables.values()]
        ends = [end for axis in axes for end in (axis.centers.min(), axis.centers.max())]
        if not axes or axes[0].unit != "h" or max(ends) - min(ends) <= _IN_DAYS:
            return tables
        return {
            label: replace(table, axes=tuple(map(_in_days, table.axes))) for label, table in tables.items()
        }

    @property
    def x_name(self) -> tuple[str, str]:
        """The name and the unit of the time axis."""
        name, unit = super().x_name
        return name, unit and next((table.axes[0].unit for table in self.drawn.values()), unit)

    @cached_property
    def log_x(self) -> bool:
        """Whether the x axis is logarithmic, which is never true for this kind of panel."""
        return False

    @cached_property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic: only if the figure's spec says so."""
        return self._lines_log(False, float("-inf"))

    @property
    def has_legend(self) -> bool:
        """Whether the figure has legends, and the panel medians; the legend says how many events there are."""
        return self.style.legend and len(self.entries) > 1

    def _bin_axis(self, slot: Slot, limits: tuple[float, float]) -> dict[str, Any]:
        zero = {"zeroline": True, "zerolinecolor": _ZERO, "zerolinewidth": 1.5}
        axis = super()._bin_axis(slot, limits) | zero
        unit = next(table.axes[0].unit for table in self.drawn.values() if table.axes)
        fitting = [
            step
            for step in _STEPS[unit]
            if (limits[1] - limits[0]) / step <= _FITTING * most_labels(slot.geometry)
        ]
        if not fitting or limits[1] - limits[0] < 2 * fitting[0]:
            return axis
        axis.pop("nticks")
        return axis | {"tickmode": "linear", "tick0": 0, "dtick": fitting[0]}


def _in_days(axis: Axis) -> Axis:
    parts: dict[str, Any] = {name: array / 24.0 for name, array in axis.parts.items()}
    return replace(axis, unit="d", **parts)
