"""Panels of histograms: how often a quantity has each value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.quantity import Quantity, check_quantity, same_unit
from helio.steps.render import colours, review
from helio.steps.render.axes import Limits
from helio.steps.render.encode import numbers
from helio.steps.render.entry_panel import EntryPanel
from helio.steps.render.panel import Drawing, Slot, absent_words
from helio.steps.render.quality import TraceQuality
from helio.steps.render.refusals import refuse, wrong_width
from helio.steps.render.ticks import nice_step
from helio.steps.render.wording import axis_title, inert, quantity
from helio.store.table import Table

Reals = npt.NDArray[np.float64]

MOST = 500
"""The largest number of bins."""
_HEADROOM = 0.16
"""The part of the highest bar that is left free above it for names."""
_SINGLE = float(np.finfo(np.float32).eps)
"""How far below an edge a value may be, relative to it, that a file stores in single precision: 0.3 as 0.29999998."""
_BY_RULE = 100
"""The largest number of bins that the rule chooses."""


@dataclass(frozen=True)
class Bars:
    """The histogram of one quantity.

    Parameters
    ----------
    heights : shape (b,)
        Counts, or densities.
    counted, missing, outside : int
        Number of records in the bins, without a usable value, and outside the bins.
    """

    label: str
    name: str
    colour: str
    heights: Reals
    counted: int
    missing: int
    outside: int


@dataclass(frozen=True, eq=False)
class HistogramPanel(EntryPanel):
    """A panel with the histograms of one or more series in one unit, on the same bins."""

    kind = "histograms"

    @classmethod
    def labels_of(cls, entry: Mapping[str, Any]) -> list[str]:
        """Return the labels of the quantities."""
        of = entry.get("of", [])
        return list(dict.fromkeys([of] if isinstance(of, str) else of))

    @classmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse tables that are no series or have different units, and bins that cannot be drawn.

        Raises
        ------
        UnitMismatch
            The units differ.
        StepError
            A table is not a single series, or the bins are wrong.
        """
        if not tables:
            raise StepError(f"panel {number}: the histogram names no label", advice="name a label in 'of'")
        cls.check_tables(number, tables)
        for label, table in tables.items():
            check_quantity(
                Quantity(kind="scalar"), table, tool=f"panel {number}", parameter="quantity", label=label
            )
        first = next(iter(tables.values()))
        for table in tables.values():
            same_unit(first, table)
        around = next((key for key in ("zero", "clockwise") if key in entry), None)
        if around and not entry.get("polar"):
            raise StepError(
                f"panel {number}: only a polar histogram has {around}",
                advice=f"set polar: true, or leave out {around}",
            )
        refuse(wrong_width(entry), f"panel {number}")
        bins = entry.get("bins")
        if isinstance(bins, list):
            if len(bins) < 2 or not all(low < high for low, high in itertools.pairwise(bins)):
                raise StepError(
                    f"panel {number}: the edges in bins must increase, but are {bins}",
                    advice="write at least two edges, such as [300, 400, 500], or the number of bins",
                )
            if entry.get("log_x") and bins[0] <= 0:
                raise StepError(
                    f"panel {number}: the first edge is {bins[0]:g}, but the x axis is logarithmic",
                    advice="choose edges above 0",
                )
        count = len(bins) - 1 if isinstance(bins, list) else bins
        if count is not None and not 1 <= count <= MOST:
            raise StepError(
                f"panel {number}: {count} bins are not possible", advice=f"choose 1 to {MOST} bins"
            )

    def between(self, start: np.datetime64, stop: np.datetime64, written: str) -> Self:
        """Return a copy of the panel that has only the records in [start, stop).

        Raises
        ------
        StepError
            No value of a label can be counted on a logarithmic axis.
        """
        cut = super().between(start, stop, written)
        for label, values in cut._values.items():
            if not values.size and label not in cut.absent:
                raise StepError(
                    f"nothing to draw: '{label}' has no value above 0, and the x axis is logarithmic",
                    advice="set log_x: false",
                )
        return cut

    @property
    def show(self) -> str:
        """What the heights are: count or density."""
        return self.option("show", "count")

    @cached_property
    def _values(self) -> dict[str, Reals]:
        """The values of each label that can be counted."""
        values = {label: np.asarray(table.values, np.float64) for label, table in self.tables.items()}
        return {
            label: column[np.isfinite(column) & ((column > 0) | (not self.log_x))]
            for label, column in values.items()
        }

    @cached_property
    def edges(self) -> Reals:
        """The edges of the bins, shape (b + 1,)."""
        bins = self.option("bins", cast(int | list[float] | None, None))
        if isinstance(bins, list):
            return np.array(bins, np.float64)
        pooled = np.concatenate(list(self._values.values()))
        limits = self._chosen_limits("x_range", log=self.log_x)
        if limits is not None and ((pooled >= limits[0]) & (pooled <= limits[1])).any():
            pooled = pooled[(pooled >= limits[0]) & (pooled <= limits[1])]
        if "bin_width" in self.entry:
            return self._edges_of_width(float(self.entry["bin_width"]), pooled)
        made = bin_edges_of(np.log10(pooled) if self.log_x else pooled, bins)
        return 10**made if self.log_x else made

    def _edges_of_width(self, width: float, values: Reals) -> Reals:
        """Return the edges of bins of a width around values; the highest value is below the last edge."""
        low, high = float(values.min()), float(values.max())
        first, last = (
            math.floor(value / (1 - math.copysign(_SINGLE, value)) / width) for value in (low, high)
        )
        count = last - first + 1
        if count > MOST:
            unit = next(iter(self.tables.values())).unit
            raise StepError(
                f"panel {self.number}: {count:,} bins of {width:g} {unit}".rstrip()
                + f" from {low:.6g} to {high:.6g} are more than {MOST}",
                advice=f"choose a bin_width of {nice_step((high - low) / (MOST - 1)):g} or more, or a shorter x_range",
            )
        return np.arange(first, last + 2).astype(np.float64) * width

    @cached_property
    def bars(self) -> Sequence[Bars]:
        """The histograms, with their names and colours."""
        return list(self._bars())

    def _bars(self) -> Iterator[Bars]:
        spec, theme = self.style.spec, self.style.theme
        names = {label: table.name or label for label, table in self.tables.items()}
        if len(set(names.values())) < len(names):
            names = {label: label for label in names}
        palette, parts = spec.get("palette", "tplot"), list(names.values())
        shades = (
            colours.vector_colours(parts, palette, theme.foreground)
            if len(parts) > 1 and colours.component_roles(parts) is not None
            else colours.qualitative(len(parts), palette, theme.foreground)
        )
        limits = self.edges
        if "bin_width" in self.entry:
            limits = limits - np.abs(limits) * _SINGLE
        for (label, values), shade in zip(self._values.items(), shades, strict=True):
            heights = np.histogram(values, limits)[0].astype(np.float64)
            counted = int(heights.sum())
            if self.show == "density" and counted:
                heights /= counted * np.diff(self.edges)
            yield Bars(
                label,
                spec.get("trace_names", {}).get(label, inert(names[label]))
                + (f" {absent_words(self.absent[label])}" if label in self.absent else ""),
                colours.check_colour(
                    spec.get("trace_colors", {}).get(label, shade), f"trace_colors: {label}"
                ),
                heights,
                counted,
                len(self.tables[label]) - values.size,
                values.size - counted,
            )

    def limits(self) -> tuple[Limits, Limits]:
        """Return the limits of the x axis, those of the bins, and of the y axis."""
        x = self._chosen_limits("x_range", log=self.log_x) or (float(self.edges[0]), float(self.edges[-1]))
        y = self._chosen_limits("y_range", log=self.log_y)
        if y is not None:
            return x, y
        every = np.concatenate([bars.heights for bars in self.bars])
        high = float(every.max(initial=0.0)) or 1.0
        room = _HEADROOM if len(self.bars) > 1 and self.style.legend else 0.06
        if not self.log_y:
            return x, (0.0, (1 + room) * high)
        low = float(every[every > 0].min(initial=high)) / 2
        return x, (low, high * (high / low) ** room)

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the title of the y axis: the number of records, or the density with its unit."""
        if self.show == "count":
            return axis_title("number of records", "", height, font)
        unit = next(iter(self.tables.values())).unit
        return axis_title("probability density", unit_product((unit, -1)) if unit else "", height, font)

    def draw(self, slot: Slot) -> Drawing:
        """Draw the histograms as steps; a single one is filled."""
        drawing = Drawing(y_axis=self._own_y_axis(slot))
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = self._own_x_axis(slot)
        floor = self.limits()[1][0] if self.log_y else 0.0
        for order, bars in enumerate(self.bars, 1):
            if bars.label in self.absent:
                continue
            drawing.traces.append(self._steps(bars, slot, f"p{self.number}-{order}", floor))
        if len(self.bars) > 1 and self.style.legend:
            drawing.texts.append(self._names(slot))
        drawing.qualities += self.bar_qualities
        drawing.notes += review.histogram_notes(self.number, self.bars, self.edges, self.x_quantity[1])
        return drawing

    @property
    def bar_qualities(self) -> list[TraceQuality]:
        """How much of its data each histogram shows."""
        return [
            TraceQuality(
                bars.label,
                bars.name,
                bars.counted + bars.outside,
                bars.missing,
                bars.counted,
                bars.outside,
                empty=self.absent.get(bars.label, ""),
            )
            for bars in self.bars
        ]

    @property
    def x_quantity(self) -> tuple[str, str]:
        """The names and the unit of the quantities."""
        names = dict.fromkeys(quantity(table, label) for label, table in self.tables.items())
        return ", ".join(names), next(iter(self.tables.values())).unit

    def _steps(self, bars: Bars, slot: Slot, uid: str, floor: float) -> dict[str, Any]:
        heights = np.maximum(bars.heights, floor) if floor else bars.heights
        low, high = np.repeat(self.edges[:-1], 2), np.repeat(self.edges[1:], 2)
        x = np.concatenate([self.edges[:1], np.where(np.arange(low.size) % 2, high, low), self.edges[-1:]])
        y = np.concatenate([[floor], np.repeat(heights, 2), [floor]])
        alone = len(self.bars) == 1
        return {
            "type": "scatter",
            "name": bars.name,
            "uid": uid,
            "mode": "lines",
            "x": numbers(x),
            "y": numbers(y),
            "xaxis": slot.x_axis,
            "yaxis": slot.y_axis,
            "line": {"color": bars.colour, "width": 1.5, "simplify": False},
            **({"fill": "toself", "fillcolor": "rgba(128,128,128,0.3)"} if alone else {}),
            "hovertemplate": f"%{{x:.5g}} {pretty_unit(self.tables[bars.label].unit)}".rstrip()
            + f"<br>%{{y:.5g}}<extra>{bars.name}</extra>",
            "showlegend": False,
        }

    def _names(self, slot: Slot) -> dict[str, Any]:
        """Return the names of the histograms in their colours, in a row above the highest bar."""
        names = [f'<span style="color:{bars.colour}">{bars.name}</span>' for bars in self.bars]
        return {
            "text": "   ".join(names), "showarrow": False, "borderpad": 1,
            "xref": f"{slot.x_axis} domain", "x": 1, "xanchor": "right", "xshift": -6,
            "yref": f"{slot.y_axis} domain", "y": 1, "yanchor": "top", "yshift": -4,
            "font": {"size": slot.geometry.font - 2},
        }  # fmt: skip


def bin_edges_of(values: Reals, count: int | None) -> Reals:
    """Return the edges of even bins: so many from the lowest to the highest value, or by a rule.

    The rule is the larger number of bins of Freedman and Diaconis (1981) and of Sturges (1926), at most 100; the width
    is then rounded up to 1, 2 or 5 times a power of ten, and the edges are multiples of the width.
    """
    low, high = float(values.min()), float(values.max())
    if not low < high:
        low, high = low - 0.5, high + 0.5
        return np.linspace(low, high, (count or 1) + 1)
    if count is not None:
        return np.linspace(low, high, count + 1)
    bins = min(_BY_RULE, len(np.histogram_bin_edges(values, "auto")) - 1 if values.size < 10**6 else _BY_RULE)
    step = nice_step((high - low) / bins)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return np.arange(first, max(last, first + 1) + 1).astype(np.float64) * step
