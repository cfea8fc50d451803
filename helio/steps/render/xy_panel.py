"""Panels of one quantity against another: scatter plots and hodograms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.line_fit import FitMethod, LineFit, fit_series
from helio.steps.quantity import Quantity, check_quantity, same_clock, same_frame, same_unit
from helio.steps.render import review
from helio.steps.render.axes import Limits
from helio.steps.render.clouds import TIME, Cloud, Colours, cloud_traces, end_marks, full_cloud
from helio.steps.render.colours import USUAL_SCALE, component_roles
from helio.steps.render.entry_panel import EntryPanel, padded
from helio.steps.render.fit_text import fit_text, fit_trace
from helio.steps.render.panel import Drawing, Nothing, Slot
from helio.steps.render.quality import TraceQuality
from helio.steps.render.refine_points import FullPoints
from helio.steps.render.wording import axis_title, quantity
from helio.store.table import Table

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class XYPanel(EntryPanel):
    """A panel with a point for each record: the value of one series over the value of another."""

    kind = "xy"

    @classmethod
    def labels_of(cls, entry: Mapping[str, Any]) -> list[str]:
        """Return the labels that an entry names: of x, of y and of the colours."""
        named = [entry[key] for key in ("x", "y", "color_by") if key in entry and entry[key] != TIME]
        return list(dict.fromkeys(named))

    @classmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse an entry that cannot be drawn.

        Raises
        ------
        ClockMismatch
            The series do not have the same epochs.
        UnitMismatch, FrameMismatch
            One scale is wanted for two units or frames.
        StepError
            A table is not a single series, or two keys contradict each other.
        """
        for key in ("x", "y"):
            if key not in entry:
                raise StepError(
                    f"panel {number}: the entry of xy has no {key}", advice=f"add the label of {key}"
                )
        if entry["x"] == entry["y"]:
            raise StepError(
                f"panel {number}: '{entry['x']}' is on both axes", advice="name another label as x or y"
            )
        cls.check_tables(number, tables)
        for label, table in tables.items():
            key = next(key for key in ("x", "y", "color_by") if entry.get(key) == label)
            check_quantity(Quantity(kind="scalar"), table, tool=f"panel {number}", parameter=key, label=label)
        first = tables[entry["x"]]
        for other in tables.values():
            same_clock(first, other)
        if _hodogram(entry, "equal_axes"):
            same_unit(first, tables[entry["y"]])
            if not _share_x(first, tables[entry["y"]]):
                same_frame(first, tables[entry["y"]])
            if entry.get("log_x") or entry.get("log_y"):
                raise StepError(
                    f"panel {number} has equal axes, which cannot be logarithmic",
                    advice="leave out log_x and log_y, or set equal_axes: false",
                )
        if "bins" in entry and entry.get("type") != "density":
            raise StepError(
                f"panel {number}: only a density has bins", advice="set type: density, or leave out bins"
            )
        if "color" in entry and "color_by" in entry:
            raise StepError(
                f"panel {number} has both color and color_by",
                advice="leave out color to colour the points by time or by a quantity",
            )
        if entry.get("type") != "density" and entry.get("log_color") and entry.get("color_by", TIME) == TIME:
            raise StepError(
                f"panel {number}: log_color needs a quantity in color_by", advice="leave out log_color"
            )

    @property
    def square(self) -> bool:
        """Whether the panel is as high as wide, because its axes are equal."""
        return _hodogram(self.entry, "equal_axes")

    @property
    def _x(self) -> Table:
        return self.tables[self.entry["x"]]

    @property
    def _y(self) -> Table:
        return self.tables[self.entry["y"]]

    def between(self, start: np.datetime64, stop: np.datetime64, written: str) -> Self:
        """Return a copy of the panel that has only the records in [start, stop), and between the times of its entry."""
        cut = super().between(start, stop, written)
        if cut.nothing is not None or cut.cloud.x.size:
            return cut
        what = f"no record with a usable value of {' and '.join(repr(label) for label in self.tables)}"
        log = self.log_x or self.log_y or self.option("log_color", False)
        advice = "choose another time range" + (", or a linear axis" if log else "")
        message = f"nothing to draw: panel {self.number} has {what}"
        return replace(cut, nothing=Nothing(what, message, advice))

    def needs_any_of(self, absent: Mapping[str, str]) -> bool:
        """Return whether a quantity of the panel has no values."""
        return bool(absent)

    @property
    def x_quantity(self) -> tuple[str, str]:
        """The name and the unit of the quantity on the x axis."""
        return self._name("x"), self._x.unit

    @cached_property
    def cloud(self) -> Cloud:
        """The points of the panel."""
        by = self.option("color_by", cast(str | None, None))
        if by is None and not self.option("color", "") and _hodogram(self.entry):
            by = TIME
        return Cloud.of(
            self._x,
            self._y,
            None if by in (None, TIME) else self.tables[by],
            by_time=by == TIME,
            log_x=self.log_x,
            log_y=self.log_y,
            log_colour=self.option("log_color", False),
            gap_factor=self.style.gap_factor,
        )

    @cached_property
    def fit(self) -> LineFit | None:
        """The line through the records with a value on both axes, if the entry asks for one."""
        method = self.option("fit", cast(FitMethod | None, None))
        return None if method is None else fit_series(self._x, self._y, method)

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, because time or a quantity sets the colours of its points."""
        return self.cloud.colour is not None

    @property
    def colour_meaning(self) -> Hashable:
        """Return what sets the colours, and the limits of the colours."""
        cloud = self.cloud
        return (
            None
            if cloud.colour is None
            else (self.option("color_by", TIME), cloud.log_colour, cloud.colour_limits)
        )

    @cached_property
    def _colours(self) -> Colours:
        spec = self.style.spec
        return Colours.of(
            self.cloud,
            self.option("color", self.style.theme.foreground),
            spec.get("colorscale", USUAL_SCALE),
            f"panel {self.number}",
        )

    def room_at_right(self, font: float) -> float:
        """Return the width in pixels that the colour bar needs."""
        return self._colours.room(font) if self.has_colour_bar else 0.0

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the title of the y axis: the quantity with its frame and unit."""
        return axis_title(self._name("y"), self._y.unit, height, font)

    def limits(self) -> tuple[Limits, Limits]:
        """Return the limits of both axes; with equal axes, both are equally long."""
        x, y = (
            self._chosen_limits(f"{axis}_range", log=log) or self._natural_limits(values, log=log)
            for axis, values, log in (
                ("x", self.cloud.x, self.log_x),
                ("y", self.cloud.y, self.log_y),
            )
        )
        if not self.square:
            return x, y
        half = max(x[1] - x[0], y[1] - y[0]) / 2
        return (sum(x) / 2 - half, sum(x) / 2 + half), (sum(y) / 2 - half, sum(y) / 2 + half)

    def _natural_limits(self, values: Reals, *, log: bool) -> Limits:
        """Return the limits of an axis that the entry does not set."""
        return padded(values, log=log)

    def places(self, slot: Slot) -> list[tuple[Reals, Reals]]:
        """Return the places of the points."""
        del slot
        return [self.cloud.places(*self.limits())]

    def draw(self, slot: Slot) -> Drawing:
        """Draw the points, their colour bar, and marks at the first and the last point."""
        geometry, cloud = slot.geometry, self.cloud
        x_limits, y_limits = self.limits()
        x_axis = self._own_x_axis(slot)
        y_axis = self._own_y_axis(slot)
        if self.square:
            x_axis |= {"constrain": "range"}
            y_axis |= {"scaleanchor": slot.x_axis, "scaleratio": 1, "constrain": "range"}
        pixels = (geometry.panel_width(self.number), geometry.panel_height(self.number))
        common = {"xaxis": slot.x_axis, "yaxis": slot.y_axis, "showlegend": False}
        hover = (
            f"{self._name('x')} %{{x:.5g}} {pretty_unit(self._x.unit)}".rstrip()
            + f"<br>{self._name('y')} %{{y:.5g}} {pretty_unit(self._y.unit)}".rstrip()
        )
        drawing = Drawing(y_axis=y_axis)
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = x_axis
        traces, drawn, notes, fulls = self._points(pixels, common, hover)
        drawing.traces += traces
        drawing.details += fulls
        if self.fit is not None:
            self._add_fit(self.fit, drawing, pixels, common, geometry.font - (2 if pixels[0] > 300 else 4))
        if self.option("mark_ends", _hodogram(self.entry)):
            theme = self.style.theme
            marks, texts = end_marks(
                cloud,
                x_limits,
                uid=f"p{self.number}",
                common=common,
                colours=(theme.foreground, theme.background),
                font=geometry.font - 2,
            )
            drawing.traces += marks
            drawing.texts += texts
        if self.has_colour_bar and slot.bar:
            self._add_bar(slot, drawing)
        outside = cloud.outside(x_limits, y_limits)
        drawing.notes += review.cloud_notes(self.number, cloud, outside) + notes
        name = f"{self._name('y')} over {self._name('x')}"
        values = cloud.x.size + cloud.unusable
        drawing.qualities.append(
            TraceQuality(self.entry["y"], name, values, cloud.missing, drawn, outside, cloud.unusable)
        )
        return drawing

    def _points(
        self, pixels: tuple[float, float], common: dict[str, Any], hover: str
    ) -> tuple[list[dict[str, Any]], int, list[str], list[FullPoints]]:
        """Return the traces of the points, the number of points drawn, remarks on them, and all points."""
        mode = self.option("mode", "lines" if _hodogram(self.entry) else "markers")
        kept = self.cloud.visible(*self.limits(), pixels, mode)
        uid = f"p{self.number}"
        traces = cloud_traces(self.cloud, kept, self._colours, mode=mode, uid=uid, common=common, hover=hover)
        notes = review.hidden_notes(self.number, kept.size, self.cloud.x.size)
        fulls = full_cloud(self.cloud, kept, self._colours, mode=mode, uid=uid, label=self.entry["y"])
        return traces, kept.size, notes, fulls

    def _add_fit(
        self, fit: LineFit, drawing: Drawing, size: tuple[float, float], common: dict[str, Any], font: float
    ) -> None:
        theme = self.style.theme
        shade = theme.foreground if self.has_colour_bar else "#d62728"
        drawing.traces.append(fit_trace(fit, self.cloud, uid=f"p{self.number}", common=common, colour=shade))
        drawing.texts.append(
            fit_text(
                fit,
                (self._x, self._y),
                self.cloud,
                self.limits(),
                size,
                common=common,
                font=font,
                colours=(theme.foreground, theme.background),
            )
        )
        left = f"; left out: {fit.left_out:,} not above 0" if fit.left_out else ""
        drawing.notes.append(
            f"panel {self.number}: {fit.method} fit: {', '.join(fit.words(self._x, self._y))}{left}"
        )

    def _add_bar(self, slot: Slot, drawing: Drawing) -> None:
        self._add_colour_bar(slot, drawing, self._colours)

    def _name(self, axis: str) -> str:
        """Return the name of the quantity on an axis; if both axes would have one name, the label."""
        names = [
            quantity(table, label)
            for table, label in ((self._x, self.entry["x"]), (self._y, self.entry["y"]))
        ]
        if names[0] == names[1]:
            return str(self.entry[axis])
        return names[axis == "y"]


def _share_x(one: Table, other: Table) -> bool:
    """Return whether two series need no common frame: one has none, or is the x component that GSE and GSM share."""
    if not one.frame or not other.frame:
        return True
    along_x = any(component_roles([table.name]) == [0] for table in (one, other))
    return along_x and {one.frame.upper(), other.frame.upper()} == {"GSE", "GSM"}


def _hodogram(entry: Mapping[str, Any], key: str = "") -> bool:
    """Return the value of a key that is true for hodograms by default; without a key, whether it is a hodogram."""
    return bool(entry.get(key, entry.get("type") == "hodogram"))
