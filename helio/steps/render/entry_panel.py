"""The base class of panels that an entry of the figure's spec describes; they stand side by side below the others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render.axes import Limits, check_limits, most_labels, set_log_ticks, value_axis
from helio.steps.render.clouds import TIME, Colours
from helio.steps.render.geometry import ENTRY_PANEL
from helio.steps.render.panel import Drawing, Panel, Slot
from helio.steps.render.refusals import low_start, refuse
from helio.steps.render.time_axis import instant
from helio.steps.render.wording import axis_title, quantity
from helio.store.table import Table

Value = TypeVar("Value")

_MARGIN = 0.04
"""The part of the range of values that is left free at either end of an axis."""


@dataclass(frozen=True, eq=False)
class EntryPanel(Panel):
    """A panel with an x and a y axis of its own; keys of its entry set its style."""

    entry: Mapping[str, Any] = field(default_factory=dict)
    """The panel's entry in the figure's spec."""

    natural_height = ENTRY_PANEL
    over_time = False
    side_by_side = True

    @classmethod
    @abstractmethod
    def labels_of(cls, entry: Mapping[str, Any]) -> list[str]:
        """Return the labels that an entry names."""

    @classmethod
    @abstractmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse an entry that cannot be drawn, or tables that do not fit it."""

    def option(self, key: str, default: Value) -> Value:
        """Return the value of a key of the panel's entry."""
        return cast(Value, self.entry.get(key, default))

    def between(self, start: np.datetime64, stop: np.datetime64, written: str) -> Self:
        """Return a copy of the panel that has only the records in [start, stop), and between the times of its entry.

        Raises
        ------
        StepError
            The times of the entry are no interval.
        """
        chosen = self.option("between", cast(list[str] | None, None))
        if chosen is None:
            return super().between(start, stop, written)
        where = f"panel {self.number}: between"
        if len(chosen) != 2:
            raise StepError(
                f"{where} needs two times", advice='write between: ["2024-05-10T12:00", "2024-05-10T13:00"]'
            )
        first, last = instant(chosen[0], where), instant(chosen[1], where, "stop")
        if not first < last:
            raise StepError(f"{where}: the first time is not before the second", advice="exchange them")
        return super().between(
            max(first, start), min(last, stop), f"{chosen[0]} to {chosen[1]}, within {written}"
        )

    @property
    def log_x(self) -> bool:
        """Whether the x axis is logarithmic."""
        return self.option("log_x", False)

    @property
    def log_y(self) -> bool:
        """Whether the y axis is logarithmic."""
        return self.option("log_y", False)

    @abstractmethod
    def limits(self) -> tuple[Limits, Limits]:
        """Return the limits of the x axis and of the y axis."""

    def y_limits(self) -> Limits:
        """Return the limits of the y axis."""
        return self.limits()[1]

    def _chosen_limits(self, key: str, *, log: bool) -> Limits | None:
        """Return the limits that the entry sets for an axis, ``x_range`` or ``y_range``."""
        chosen = self.option(key, cast(list[float] | None, None))
        if chosen is None:
            return None
        low, high = check_limits(chosen, self.number, key)
        if log:
            refuse(low_start(key, self.number, (low, high)))
        return low, high

    @property
    def x_name(self) -> tuple[str, str]:
        """The name and the unit of the x axis, or the text that the entry gives it."""
        chosen = self.option("x_label", cast(str | None, None))
        return self.x_quantity if chosen is None else (chosen, "")

    @property
    @abstractmethod
    def x_quantity(self) -> tuple[str, str]:
        """The name and the unit of the quantity on the x axis."""

    def _own_x_axis(self, slot: Slot) -> dict[str, Any]:
        """Return plotly's settings for the panel's x axis."""
        geometry, limits = slot.geometry, self.limits()[0]
        width = geometry.panel_width(self.number)
        position = {
            "range": on_scale(limits, log=self.log_x),
            "domain": list(geometry.span(self.number)),
            "anchor": slot.y_axis,
        }
        axis = value_axis(self.style.theme, position, log=self.log_x, font=geometry.font - 2)
        if self.log_x:
            set_log_ticks(axis, *limits)
        else:
            axis |= {"nticks": most_labels(geometry, width), "tickangle": 0}
            axis |= self._zero_line(limits)
        return axis | {"title": axis_title(*self.x_name, width, geometry.font - 1) | {"standoff": 4}}

    def _own_y_axis(self, slot: Slot) -> dict[str, Any]:
        """Return plotly's settings for the panel's y axis."""
        axis = self._y_axis(slot)
        limits = self.limits()[1]
        axis["range"] = on_scale(limits, log=self.log_y)
        if self.log_y:
            set_log_ticks(axis, *limits)
        return axis | self._zero_line(limits) if not self.log_y else axis

    def _add_colour_bar(self, slot: Slot, drawing: Drawing, colours: Colours) -> None:
        """Add the colour bar of the quantity, or of the time, that colours the points."""
        geometry = slot.geometry
        bar = colours.bar(self._beside(geometry), geometry.font)
        label = self.option("color_by", TIME)
        name, unit = (
            ("UT", "") if label == TIME else (quantity(self.tables[label], label), self.tables[label].unit)
        )
        title = axis_title(name, unit, geometry.panel_height(self.number), geometry.font - 2)
        drawing.texts.append(self._bar_title(title, bar, colours.limits, geometry))
        drawing.traces.append(colours.bar_trace(bar, slot.x_axis, slot.y_axis))

    def _zero_line(self, limits: Limits) -> dict[str, Any]:
        inside = limits[0] < 0 < limits[1]
        if not self.style.spec.get("show_zero_line", inside):
            return {}
        return {"zeroline": True, "zerolinecolor": "#999999", "zerolinewidth": 1}


def on_scale(limits: Limits, *, log: bool) -> list[float]:
    """Return limits as plotly takes the range of an axis: as their logarithms on a logarithmic axis."""
    return [float(f"{np.log10(end) if log else end:.8g}") for end in limits]


def padded(values: npt.NDArray[np.float64], *, log: bool) -> Limits:
    """Return the lowest and the highest value with a margin; about a single value, one or a decade on either side."""
    low, high = float(values.min()), float(values.max())
    if log:
        margin = (high / low) ** _MARGIN if low < high else 10.0
        return low / margin, high * margin
    margin = (high - low) * _MARGIN or 1.0
    return low - margin, high + margin
