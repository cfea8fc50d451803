"""The cells of a spectrogram: a column for each record, a row for each bin, and empty cells in gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.render.gaps import gaps, record_edges
from helio.store.table import Axis, Table

Int = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

TABLES = 8
"""Up to this many different sets of bins are drawn exactly, with rows between all edges of all sets."""

_VISIBLE = 1.001
"""Smallest size of a cell in pixels: plotly.js rounds edges to pixels, so a smaller cell may disappear."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid of cells between edges of columns and rows; empty cells are NaN.

    Parameters
    ----------
    x : datetime64[ns], shape (c + 1,)
    y : float, shape (r + 1,)
    z : float, shape (r, c)
        Low bins first.
    even : bool
        Whether the columns are pixels, all equally wide, each with the highest value of the records in it.
    pixel_rows : bool
        Whether the rows are pixels, each with the highest value of the bins in it.
    """

    x: npt.NDArray[np.datetime64]
    y: Reals
    z: Reals
    even: bool = False
    pixel_rows: bool = False


def bin_edges(axis: Axis, *, log: bool) -> tuple[Reals, Reals]:
    """Return the lower and the upper edge of every bin, as arrays with the shape of the centres.

    The file's own where it gives them, they can be drawn and are not equal, else half-way between neighbouring centres:
    geometrically on a logarithmic axis, arithmetically on a linear one.
    """
    centres = np.atleast_2d(axis.centers).astype(np.float64)
    usable = np.isfinite(centres) & ((centres > 0) if log else True)
    lower = np.full(centres.shape, np.nan)
    upper = np.full(centres.shape, np.nan)
    for record in range(centres.shape[0]):
        order = np.flatnonzero(usable[record])
        order = order[np.argsort(centres[record, order], kind="stable")]
        if order.size:
            lower[record, order], upper[record, order] = _midpoints(centres[record, order], log=log)
    between = lower.copy(), upper.copy()
    for edges, given, below in ((lower, axis.lower, True), (upper, axis.upper, False)):
        if given is None:
            continue
        own = np.broadcast_to(np.atleast_2d(given), centres.shape).astype(np.float64)
        sound = usable & np.isfinite(own) & ((own > 0) if log else True)
        sound &= (own <= centres) if below else (own >= centres)
        edges[sound] = own[sound]
    empty = lower == upper  # a file that says no width
    lower[empty], upper[empty] = between[0][empty], between[1][empty]
    return lower.reshape(axis.centers.shape), upper.reshape(axis.centers.shape)


def spectrum_grid(
    table: Table,
    *,
    start: np.datetime64,
    stop: np.datetime64,
    columns: int | None,
    rows: int,
    log_y: bool,
    positive: bool,
    gap_factor: float,
    y_range: tuple[float, float] | None = None,
) -> Grid:
    """Convert a spectrum to a grid of cells that are at least one pixel wide and high.

    Where every record and every gap is at least a pixel wide, each record is a column between its own edges.
    Otherwise the columns are pixels: each has the highest value of the records in it, so that a short record is
    widened to a pixel and the brightest one is kept. A pixel without a record belongs to the record that covers it,
    or to a gap.

    The rows are the edges of the bins, with bins that change from record to record the union of all edges. With a
    bin lower than a pixel, or more than eight different tables of bins, the rows are pixels too: each has the
    highest value of the bins whose centres lie in it, or else the value of the bin that covers it.

    Parameters
    ----------
    table : Table, shape (n, b)
        One bin axis.
    start, stop : datetime64
        The time axis of the panel.
    columns, rows : int
        Size of the panel in pixels. With None for `columns`, each record is a column, whatever its width is.
    positive : bool
        Whether only values > 0 are drawn.
    y_range : tuple of float, optional
        Limits of the panel's axis of bins; default: all bins.
    """
    values = np.asarray(table.values)
    set_of_record, tables = _bin_tables(table.axes[0], len(table), log=log_y)
    y, pixel_rows = _visible_rows(tables, rows=rows, log=log_y, y_range=y_range)

    def in_rows(number: int, drawn: Reals) -> Reals:
        return _in_rows(drawn, y, tables[number], log=log_y)

    gap = gaps(table.epoch, gap_factor)
    first = int(start.astype("datetime64[ns]").astype("i8"))
    width = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    narrowest = 0.0 if columns is None else _VISIBLE * width / columns
    left, right = record_edges(table.epoch, gap, max(int(narrowest) + 2, width // 200))
    x = _column_edges(left, right, gap)
    by_pixel = columns is not None and bool((np.diff(x) < narrowest).any())
    if columns is not None and by_pixel:
        x = first + np.linspace(0, width, columns + 1).round().astype("i8")
        column = np.clip(np.searchsorted(x, table.epoch.astype("i8"), side="right") - 1, 0, columns - 1)
    else:
        column = np.arange(len(table)) + np.cumsum(gap)
    z = np.full((x.size - 1, y.size - 1), np.nan)
    for number in range(len(tables)):
        chosen = np.flatnonzero(set_of_record == number)
        if chosen.size == 0:
            continue
        filled, firsts = np.unique(column[chosen], return_index=True)
        highest = np.fmax.reduceat(_drawable(values[chosen], positive=positive), firsts, axis=0)
        z[filled] = np.fmax(z[filled], in_rows(number, highest))
    if columns is not None and by_pixel:
        empty = np.setdiff1d(np.arange(columns), column)
        middle = (x[empty] + x[empty + 1]) // 2
        record = np.searchsorted(left, middle, side="right") - 1
        covered = (record >= 0) & (middle < right[np.maximum(record, 0)])
        empty, record = empty[covered], record[covered]
        for number in np.unique(set_of_record[record]):
            same = set_of_record[record] == number
            z[empty[same]] = in_rows(int(number), _drawable(values[record[same]], positive=positive))
    return Grid(x.astype("datetime64[ns]"), y, z.T, even=by_pixel, pixel_rows=pixel_rows)


def on_common_bins(table: Table, *, rows: int, log: bool) -> tuple[Reals, Reals]:
    """Put records with changing bins on common bins; a common bin gets the value of the bin in which it lies.

    Parameters
    ----------
    table : Table, shape (n, b)
        One bin axis.
    rows : int
        Number of common bins, if the records have more than eight different sets of bins.

    Returns
    -------
    edges : float, shape (r + 1,)
    values : float, shape (n, r)
        NaN where a record has no bin.
    """
    set_of_record, tables = _bin_tables(table.axes[0], len(table), log=log)
    y = _row_edges(tables, rows=rows, log=log)
    values = np.full((len(table), y.size - 1), np.nan)
    for number, edges in enumerate(tables):
        chosen = np.flatnonzero(set_of_record == number)
        drawn = _drawable(np.asarray(table.values)[chosen], positive=False)
        values[chosen] = _covering(drawn, _bin_of_rows(middles(y, log=log), *edges))
    return y, values


def middles(edges: Reals, *, log: bool) -> Reals:
    """Return the middle between neighbouring edges, on the linear or logarithmic scale of the axis."""
    return np.sqrt(edges[:-1] * edges[1:]) if log else (edges[:-1] + edges[1:]) / 2


def _midpoints(centres: Reals, *, log: bool) -> tuple[Reals, Reals]:
    if log:
        below, above = _midpoints(np.log(centres), log=False)
        return np.exp(below), np.exp(above)
    if centres.size == 1:
        return centres - 0.5, centres + 0.5
    middle = (centres[:-1] + centres[1:]) / 2
    first = 2 * centres[0] - middle[0]
    last = 2 * centres[-1] - middle[-1]
    return np.concatenate([[first], middle]), np.concatenate([middle, [last]])


Edges = tuple[Reals, Reals, Reals]


def _bin_tables(axis: Axis, records: int, *, log: bool) -> tuple[Int, list[Edges]]:
    """Return the different sets of bins (centres, lower and upper edges), and the number of each record's set."""
    if not axis.per_record:
        lower, upper = bin_edges(axis, log=log)
        return np.zeros(records, dtype=np.int64), [(np.asarray(axis.centers, np.float64), lower, upper)]
    parts = [np.asarray(part) for part in (axis.centers, axis.lower, axis.upper) if part is not None]
    joined = np.ascontiguousarray(np.concatenate(parts, axis=1))
    _, firsts, set_of_record = np.unique(joined, axis=0, return_index=True, return_inverse=True)
    distinct = axis.take(firsts)
    lower, upper = bin_edges(distinct, log=log)
    centres = np.asarray(distinct.centers, np.float64)
    return set_of_record.reshape(-1), [(centres[k], lower[k], upper[k]) for k in range(firsts.size)]


def _row_edges(tables: list[Edges], *, rows: int, log: bool) -> Reals:
    every = np.concatenate([edge for _, lower, upper in tables for edge in (lower, upper)])
    every = np.unique(every[np.isfinite(every)])
    if every.size == 0:
        return np.array([1.0, 10.0])
    if len(tables) <= TABLES:
        position = np.log(every) if log else every
        # Float32 edges of neighbouring bins may differ in the last digit: that is one edge, not a row.
        merged: Reals = every[_apart(position, 1e-5 * max(position[-1] - position[0], 1e-300))]
        return merged
    if log:
        return np.geomspace(every[0], every[-1], rows + 1)
    return np.linspace(every[0], every[-1], rows + 1)


def _bin_of_rows(rows: Reals, centres: Reals, lower: Reals, upper: Reals) -> Int:
    """Return the bin in which each row lies, or -1; if bins overlap, the bin with the nearest centre."""
    with np.errstate(invalid="ignore"):
        inside = (rows[:, None] >= lower) & (rows[:, None] < upper)
        distance = np.where(inside, np.abs(rows[:, None] - centres), np.inf)
    return np.where(inside.any(axis=1), distance.argmin(axis=1), -1).astype(np.int64)


def _drawable(values: npt.NDArray[Any], *, positive: bool) -> Reals:
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(values) & ((values > 0) if positive else True)
    return np.where(sound, values, np.nan).astype(np.float64)


def _column_edges(left: Int, right: Int, gap: npt.NDArray[np.bool_]) -> Int:
    """Return the edges of the columns: a column for each record, and an empty column at each gap."""
    breaks = np.flatnonzero(gap)
    # Without a gap a record starts where its neighbour stops; at a gap an empty column stands between them.
    return np.insert(np.append(left, right[-1]), breaks, right[breaks - 1])


def _visible_rows(
    tables: list[Edges], *, rows: int, log: bool, y_range: tuple[float, float] | None
) -> tuple[Reals, bool]:
    """Return the edges of rows that are at least one pixel high, and whether every row is exactly one pixel high."""
    edges = _row_edges(tables, rows=rows, log=log)
    ends = (edges[0], edges[-1]) if y_range is None else y_range
    low, high = max(edges[0], ends[0]), min(edges[-1], ends[1])

    def place(value: Any) -> Any:
        return np.log(value) if log else value

    pixel = (place(ends[1]) - place(ends[0])) / rows
    with np.errstate(invalid="ignore", divide="ignore"):
        too_low = any(
            (place(upper) - place(lower) < _VISIBLE * pixel)[(upper > low) & (lower < high)].any()
            for _, lower, upper in tables
        )
    if not low < high:  # nothing of it is shown
        return edges, False
    if len(tables) <= TABLES and not too_low:
        return edges[_apart(place(edges), _VISIBLE * pixel)], False
    count = max(1, int((place(high) - place(low)) / pixel + 1e-6))
    return (np.geomspace if log else np.linspace)(low, high, count + 1), True


def _apart(position: Reals, least: float) -> Int:
    """Choose positions at least `least` apart from an increasing array; always include the first and the last."""
    taken = [0]
    for number in range(1, position.size - 1):
        if min(position[number] - position[taken[-1]], position[-1] - position[number]) >= least:
            taken.append(number)
    return np.unique([*taken, position.size - 1])


def _in_rows(values: Reals, y: Reals, table: Edges, *, log: bool) -> Reals:
    """Put values of bins, shape (m, b), into rows, shape (m, r); every bin whose centre lies in a row counts."""
    centres, lower, _ = table
    rows = _covering(values, _bin_of_rows(middles(y, log=log), *table))
    with np.errstate(invalid="ignore"):
        known = np.flatnonzero(np.isfinite(lower) & (centres >= y[0]) & (centres <= y[-1]))
    row = np.clip(np.searchsorted(y, centres[known], side="right") - 1, 0, y.size - 2)
    order = np.argsort(row, kind="stable")
    filled, firsts = np.unique(row[order], return_index=True)
    if filled.size:
        rows[:, filled] = np.fmax.reduceat(values[:, known[order]], firsts, axis=1)
    return rows


def _covering(values: Reals, pick: Int) -> Reals:
    """Return the values of the chosen bin in each row, shape (m, r); NaN for rows without a bin."""
    return np.where(pick >= 0, values[:, np.maximum(pick, 0)], np.nan)
