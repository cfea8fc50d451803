"""Uncertainties of lines: bands and error bars, from tables with sigma or with limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.quantity import advice_on_units, equal_units
from helio.steps.render.downsample import thin_line
from helio.steps.render.encode import moments, numbers
from helio.steps.render.fills import fill_trace, pieces
from helio.steps.render.spec import Band, FigureSpec
from helio.steps.render.symlog import Symlog
from helio.store.table import Table

if TYPE_CHECKING:
    from helio.steps.render.lines import Line

Floats = npt.NDArray[Any]
_MOST_BARS = 0.25
"""The largest number of error bars for each pixel of the panel's width."""


@dataclass(frozen=True, eq=False)
class Spread:
    """The lower and the upper limit of each value of a line, and whether error bars show them."""

    lower: Floats
    upper: Floats
    bars: bool


def band_labels(spec: FigureSpec) -> list[str]:
    """Return the labels of all tables that only give the uncertainties of lines."""
    return [label for entry in spec.get("bands", []) for label in _labels_of(entry)]


def absent_bands(spec: FigureSpec, tables: Mapping[str, Table]) -> list[str]:
    """Return a remark on each uncertainty that is not drawn, because its table has no records."""
    return [
        f"'{entry.get('line')}' is drawn without its uncertainty: '{label}' has no records"
        for entry in spec.get("bands", [])
        for label in _labels_of(entry)
        if label in tables and not len(tables[label])
    ]


def _labels_of(entry: Band) -> list[str]:
    return [entry[key] for key in ("sigma", "lower", "upper") if key in entry]


def with_bands(lines: Sequence[Line], spec: FigureSpec, tables: Mapping[str, Table]) -> list[Line]:
    """Return lines with the uncertainties that the spec gives them.

    Raises
    ------
    StepError
        An entry has neither sigma nor both limits, or its tables have another unit, other epochs or other components.
    """
    spreads: dict[int, Spread] = {}
    for entry_number, entry in enumerate(spec.get("bands", []), 1):
        where = f"bands: entry {entry_number}"
        for order, line in enumerate(lines):
            if not len(line.table) or any(
                label in tables and not len(tables[label]) for label in _labels_of(entry)
            ):
                continue
            if entry.get("line") in line.keys and line.bin is None:
                spreads[order] = _spread(entry, line, tables, where)
    return [
        replace(line, spread=spreads[order]) if order in spreads else line for order, line in enumerate(lines)
    ]


def check_bands(lines: Sequence[Line], spec: FigureSpec) -> None:
    """Refuse uncertainties of lines that no panel of lines draws.

    Raises
    ------
    StepError
        The spec names a line that is not among these.
    """
    names = list(
        dict.fromkeys(key for line in lines if line.bin is None for key in (line.keys[0], line.label))
    )
    for entry_number, entry in enumerate(spec.get("bands", []), 1):
        if "line" not in entry:
            raise StepError(
                f"bands: entry {entry_number} has no line",
                advice='name the line: {"line": "N", "sigma": "N_err"}',
            )
        if not any(entry["line"] in line.keys and line.bin is None for line in lines):
            raise StepError(
                f"bands: entry {entry_number}: no panel of lines over time draws '{entry['line']}'",
                advice=f"choose one of the lines: {', '.join(names)}"
                if names
                else "draw it in a panel of lines",
            )


def _spread(entry: Band, line: Line, tables: Mapping[str, Table], where: str) -> Spread:
    given = [key for key in ("sigma", "lower", "upper") if key in entry]
    if given not in (["sigma"], ["lower", "upper"]):
        raise StepError(
            f"{where} has {' and '.join(given) or 'no uncertainty'}, but needs sigma, or lower and upper",
            advice='write {"line": "N", "sigma": "N_err"} or {"line": "N", "lower": "N_low", "upper": "N_high"}',
        )
    values = line.values.astype(np.float64)
    if given == ["sigma"]:
        sigma = _column(entry["sigma"], line, tables, where)
        if (sigma < 0).any():
            raise StepError(
                f"{where}: '{entry['sigma']}' has values below 0, so it is not a standard deviation",
                advice="give the limits themselves as lower and upper",
            )
        lower, upper = values - sigma, values + sigma
    else:
        lower, upper = (_column(entry[key], line, tables, where) for key in ("lower", "upper"))
        if (lower > upper).any():
            raise StepError(f"{where}: lower is above upper", advice="exchange lower and upper")
    missing = ~(np.isfinite(lower) & np.isfinite(upper))
    return Spread(
        np.where(missing, np.nan, lower), np.where(missing, np.nan, upper), entry.get("bars", False)
    )


def _column(label: str, line: Line, tables: Mapping[str, Table], where: str) -> Floats:
    """Return the values of a table at the epochs of a line, and in the line's component."""
    if label not in tables:
        raise StepError(
            f"{where}: no label is called '{label}'", advice=f"choose one of these: {', '.join(tables)}"
        )
    table = tables[label]
    if not equal_units(table.unit, line.table.unit):
        raise StepError(
            f"{where}: '{label}' is in {table.unit or 'no unit'}, but '{line.label}' is in "
            f"{line.table.unit or 'no unit'}",
            advice=advice_on_units(table.unit, line.table.unit),
        )
    at = np.minimum(np.searchsorted(table.epoch, line.table.epoch), max(0, len(table) - 1))
    if not len(table) or (table.epoch[at] != line.table.epoch).any():
        raise StepError(
            f"{where}: '{label}' and '{line.label}' have different epochs",
            advice="bring both to the same epochs first, with the tool align",
        )
    values = table.values[at].astype(np.float64)
    if table.kind == "scalar":
        return values
    if table.kind == "spectrum" or len(table.components) != len(line.table.components):
        raise StepError(
            f"{where}: '{label}' does not have the components of '{line.label}'",
            advice=f"name one component: {label}.{(*table.components, 'COMPONENT')[0]}",
        )
    return values[:, line.table.components.index(line.component)]


def drawn_limits(line: Line, spread: Spread, *, positive: bool) -> tuple[Floats, Floats]:
    """Return the lower and the upper limit of a line as they are drawn.

    On a logarithmic axis, a lower limit that is not above zero is drawn at the lowest positive value.
    """
    lower, upper = spread.lower, spread.upper
    if positive:
        positives = np.concatenate([lower[lower > 0], upper[upper > 0], line.values[line.values > 0]])
        floor = positives.min() if positives.size else 1.0
        lower = np.where(lower > 0, lower, np.where(np.isfinite(lower), floor, np.nan))
        lower, upper = (np.where(upper > 0, limit, np.nan) for limit in (lower, upper))
    return lower, upper


def spread_traces(
    line: Line,
    spread: Spread,
    gap: npt.NDArray[np.bool_],
    *,
    uid: str,
    axis: str,
    start: np.datetime64,
    stop: np.datetime64,
    pixels: int,
    positive: bool,
    symlog: Symlog | None,
) -> Iterator[dict[str, Any]]:
    """Yield the plotly trace of a line's band or error bars."""
    lower, upper = drawn_limits(line, spread, positive=positive)
    if spread.bars:
        yield _bars_trace(line, lower, upper, uid=uid, axis=axis, pixels=pixels, symlog=symlog)
        return
    thinned = [
        thin_line(line.table.epoch, limit, gap, start=start, stop=stop, pixels=pixels)
        for limit in (lower, upper)
    ]
    (low_x, low_y), (high_x, high_y) = thinned
    x: list[npt.NDArray[np.datetime64]] = []
    y: list[Floats] = []
    for below, above in zip(pieces(low_y), pieces(high_y), strict=True):
        x += [low_x[below], high_x[above][::-1], low_x[below][:1], low_x[below][:1]]
        y += [low_y[below], high_y[above][::-1], low_y[below][:1], np.array([np.nan])]
    if x:
        corners = np.concatenate(y)
        heights = corners if symlog is None else symlog.places(corners)
        yield fill_trace(
            np.concatenate(x), heights, uid=f"{uid}-band", group=uid, axis=axis, colour=line.colour
        )


def _bars_trace(
    line: Line,
    lower: Floats,
    upper: Floats,
    *,
    uid: str,
    axis: str,
    pixels: int,
    symlog: Symlog | None,
) -> dict[str, Any]:
    shown = np.isfinite(line.values) & np.isfinite(lower)
    if shown.sum() > _MOST_BARS * pixels:
        raise StepError(
            f"bands: '{line.label}' has {int(shown.sum()):,} error bars, too many for {pixels} pixels",
            advice="leave out bars to draw a band, or resample first",
        )
    values, lower, upper = (limit[shown].astype(np.float64) for limit in (line.values, lower, upper))
    if symlog is not None:
        values, lower, upper = map(symlog.places, (values, lower, upper))
    return {
        "type": "scatter",
        "uid": f"{uid}-errors",
        "mode": "markers",
        "x": moments(line.table.epoch[shown]),
        "y": numbers(values),
        "yaxis": axis,
        "marker": {"color": line.colour, "size": 4},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": numbers(upper - values),
            "arrayminus": numbers(values - lower),
            "color": line.colour,
            "thickness": 1,
            "width": 2,
        },
        "legendgroup": uid,
        "showlegend": False,
        "hoverinfo": "skip",
    }
