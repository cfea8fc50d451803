"""Rows of numbers below the time axis, such as the position of the spacecraft at each labelled time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render.encode import iso
from helio.steps.render.gaps import gaps
from helio.steps.render.geometry import Geometry
from helio.steps.render.refusals import refuse_unknown_label
from helio.steps.render.spec import FigureSpec
from helio.steps.render.wording import bracketed, inert, quantity, text_width
from helio.store.table import Epochs, Table

_VALUE = "−000.00"
"""As wide as most values."""
_LINE = 1.3
"""Distance of lines of text in plotly's annotations, in font sizes."""
_TIME_LINES = 2
"""Lines of the labels of the time axis above the rows: the time, and the date where it changes."""
_GAP_FACTOR = 3.0
"""Positions change little while a record or two is missing: number of local cadences; a longer time step is a gap."""
_FIRST_LABEL = 44
"""Room in pixels for the half of the first time label that is left of the panels, at a font size of 14."""


@dataclass(frozen=True, eq=False)
class EphemerisRow:
    """A row below the time axis: its name, and the series whose values it shows."""

    name: str
    epoch: Epochs
    values: npt.NDArray[np.float64]
    period: float
    """The period of an angle; 0 for a quantity that does not wrap."""

    def texts(self, ticks: Epochs, gap_factor: float) -> list[str]:
        """Return the value at each tick with three digits, interpolated between neighbouring records.

        The text is empty in a gap of more than three cadences, and more than a cadence outside the records.
        """
        at_ticks = self._at(ticks, gap_factor)
        finite = at_ticks[np.isfinite(at_ticks)]
        largest = float(np.abs(finite).max()) if finite.size else 0.0
        decimals = max(0, min(6, 2 - math.floor(math.log10(largest)))) if largest else 0
        return [f"{value:.{decimals}f}".replace("-", "−") if np.isfinite(value) else "" for value in at_ticks]

    def _at(self, ticks: Epochs, gap_factor: float) -> npt.NDArray[np.float64]:
        known = np.isfinite(self.values)
        epoch, values = self.epoch[known], self.values[known]
        result = np.full(ticks.size, np.nan)
        if not epoch.size:
            return result
        after = np.searchsorted(epoch, ticks)
        exact = (after < epoch.size) & (epoch[np.minimum(after, epoch.size - 1)] == ticks)
        result[exact] = values[after[exact]]
        cadence = np.median(np.diff(epoch)) if epoch.size > 1 else np.timedelta64(0, "ns")
        result[(ticks < epoch[0]) & (epoch[0] - ticks <= cadence)] = values[0]
        result[(ticks > epoch[-1]) & (ticks - epoch[-1] <= cadence)] = values[-1]
        between = ~exact & (after > 0) & (after < epoch.size)
        between[between] = ~gaps(epoch, max(gap_factor, _GAP_FACTOR))[after[between]]
        right = after[between]
        share = (ticks[between] - epoch[right - 1]) / (epoch[right] - epoch[right - 1])
        step = values[right] - values[right - 1]
        if self.period:
            step = (step + self.period / 2) % self.period - self.period / 2
        result[between] = values[right - 1] + share * step
        if self.period:
            lowest = -self.period / 2 if values.min() < 0 else 0.0
            result = (result - lowest) % self.period + lowest
        return result


def ephemeris_rows(spec: FigureSpec, tables: Mapping[str, Table]) -> list[list[EphemerisRow]]:
    """Return the rows below the time axis of each column, in the order of the figure's spec; a vector has a row for
    each component. Labels fill the columns in turn, as panels do; the list is empty if the spec names no label.

    Raises
    ------
    StepError
        A label has no table, or is a spectrum.
    """
    columns = spec.get("columns", 1)
    rows: list[list[EphemerisRow]] = [[] for _ in range(columns)] if spec.get("ephemeris") else []
    for number, label in enumerate(spec.get("ephemeris", [])):
        refuse_unknown_label(label, tables, "ephemeris")
        table = tables[label]
        if table.kind == "spectrum":
            raise StepError(
                f"ephemeris: '{label}' is a spectrum, but a row shows one number for each time",
                advice="take one bin with slice_spectrum, or leave the label out of ephemeris",
            )
        rows[number % columns] += _rows(label, table, spec)
    return rows


def _rows(label: str, table: Table, spec: FigureSpec) -> Iterator[EphemerisRow]:
    names = spec.get("trace_names", {})
    periods = table.periods or (None,) * max(1, len(table.components))
    columns = table.values.reshape(len(table), len(periods)).astype(np.float64)
    for column, component in enumerate(table.components or ("",)):
        key = f"{label}.{component}" if component else label
        framed = f"{component} {table.frame}".strip() if component else quantity(table, label)
        name = inert(names.get(key, f"{framed} {bracketed(table.unit)}".strip()))
        yield EphemerisRow(name, table.epoch, columns[:, column], periods[column] or 0.0)


def ephemeris_notes(rows: Sequence[EphemerisRow], values: Sequence[Sequence[str]]) -> list[str]:
    """Write which rows have no value at some of the labelled times; `values` are the texts of each row."""
    return [
        f"the row {row.name} has no value at {texts.count('')} of {number_of(len(texts), 'time')}"
        for row, texts in zip(rows, values, strict=True)
        if "" in texts
    ]


def height_of(columns: Sequence[Sequence[EphemerisRow]]) -> float:
    """Return the height in pixels of the time axes with the rows below them, at a font size of 14."""
    return 8 + _LINE * 13 * (_TIME_LINES + max(map(len, columns)))


def width_between(rows: Sequence[EphemerisRow], font: float) -> float:
    """Return the width in pixels between two columns of panels for the names of rows, and for half a value at the left
    of them.
    """
    return width_of(rows, font) + text_width(_VALUE, font - 1) / 2


def width_of(rows: Sequence[EphemerisRow], font: float) -> float:
    """Return the width in pixels that the names of the rows need at the left of the panels."""
    return max((text_width(row.name, font - 2) for row in rows), default=0.0) + _FIRST_LABEL * font / 14


def row_texts(
    rows: Sequence[EphemerisRow],
    values: Sequence[Sequence[str]],
    ticks: Epochs,
    geometry: Geometry,
    bottom: float,
    title: str,
    *,
    x_axis: str = "x",
    left: float = 0,
) -> list[dict[str, Any]]:
    """Return plotly's texts for the rows: the names at the left, and a column of values below each tick.

    Parameters
    ----------
    values : sequence of sequence of str
        The texts of each row, one for each tick.
    bottom : float
        Lower end of the lowest panel over time, as a fraction of the plotting area.
    title : str
        Title of the time axis, which stands at the left of the times.
    x_axis : str
        Plotly's name of the time axis.
    left : float
        Left side of the column, as a fraction of the plotting area.
    """
    size = geometry.font - 1
    common = {
        "yref": "paper",
        "y": bottom,
        "yanchor": "top",
        "showarrow": False,
        "borderpad": 0,
        "font": {"size": size},
    }
    beside = {
        **common,
        "xref": "paper",
        "x": left,
        "xanchor": "right",
        "xshift": -round(_FIRST_LABEL * geometry.font / 14),
    }
    below = -round(4 + _LINE * size * _TIME_LINES)
    names = "<br>".join(row.name for row in rows)
    texts = [
        {**beside, "text": inert(title), "yshift": -round(3 * geometry.font / 14)},
        {**beside, "text": names, "align": "right", "yshift": below},
    ]
    return texts + [
        # An empty line would be dropped at the end of a text, and lift the lines above it.
        {
            **common, "xref": x_axis, "x": iso(tick), "xanchor": "center", "align": "center", "yshift": below,
            "text": "<br>".join(value or " " for value in column),
        }
        for tick, *column in zip(ticks, *values, strict=True)
        if any(column)
    ]  # fmt: skip
