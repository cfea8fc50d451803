"""A spectrum as the cells a heat map draws: its own bins for each record, nothing over a gap."""

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
"""Up to this many different bin tables are drawn on the union of their edges, each record exactly."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells between edges, NaN where there is nothing.

    Parameters
    ----------
    x : datetime64[ns], shape (c + 1,)
    y : float, shape (r + 1,)
    z : float, shape (r, c)
        Low bins first.
    even : bool
        Whether all columns are equally wide.
    """

    x: npt.NDArray[np.datetime64]
    y: Reals
    z: Reals
    even: bool = False


def bin_edges(axis: Axis, *, log: bool) -> tuple[Reals, Reals]:
    """Lower and upper edge of every bin, shape of the centres.

    The file's own where it gives them and they can be drawn, else half-way between neighbouring centres:
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
    for edges, given, below in ((lower, axis.lower, True), (upper, axis.upper, False)):
        if given is None:
            continue
        own = np.broadcast_to(np.atleast_2d(given), centres.shape).astype(np.float64)
        sound = usable & np.isfinite(own) & ((own > 0) if log else True)
        sound &= (own <= centres) if below else (own >= centres)
        edges[sound] = own[sound]
    return lower.reshape(axis.centers.shape), upper.reshape(axis.centers.shape)


def spectrum_grid(
    table: Table,
    *,
    start: np.datetime64,
    stop: np.datetime64,
    columns: int,
    rows: int,
    log_y: bool,
    positive: bool,
    gap_factor: float,
) -> Grid:
    """Lay a spectrum out in cells.

    With bins that change from record to record the rows are the union of all edges, so that every record
    fills exactly its own bins; with more than eight different tables of bins they are `rows` equal steps
    of the axis, each filled by the bin it lies in. With more than `columns` records, each column is the mean
    of the records in it, of the values as they are (not of their logarithms), missing ones left out.

    Parameters
    ----------
    table : Table, shape (n, b)
        One bin axis.
    columns, rows : int
        Size of the panel in pixels.
    positive : bool
        Whether only values > 0 are drawn.
    """
    axis = table.axes[0]
    values = np.asarray(table.values)
    which, tables = _bin_tables(axis, len(table), log=log_y)
    y = _row_edges(tables, rows=rows, log=log_y)
    centre = np.sqrt(y[:-1] * y[1:]) if log_y else (y[:-1] + y[1:]) / 2
    picks = [_bin_of_rows(centre, *edges) for edges in tables]

    gap = gaps(table.epoch, gap_factor)
    width = int((stop - start).astype("timedelta64[ns]").astype("i8"))
    left, right = record_edges(table.epoch, gap, max(1, width // 200))
    if len(table) <= columns:
        z = np.full((centre.size, len(table)), np.nan)
        for number, pick in enumerate(picks):
            chosen = np.flatnonzero(which == number)
            drawn = _drawable(values[chosen], positive=positive)
            z[:, chosen] = np.where(pick[:, None] >= 0, drawn.T[np.maximum(pick, 0)], np.nan)
        x, z = _with_gap_columns(left, right, z, gap)
        return Grid(x.astype("datetime64[ns]"), y, z)

    first = int(start.astype("datetime64[ns]").astype("i8"))
    x = np.linspace(first, first + width, columns + 1).astype("i8")
    at = np.clip(np.searchsorted(x, table.epoch.astype("i8"), side="right") - 1, 0, columns - 1)
    total = np.zeros((columns, centre.size))
    count = np.zeros((columns, centre.size), dtype=np.int64)
    for number, pick in enumerate(picks):
        chosen = np.flatnonzero(which == number)
        if chosen.size == 0:
            continue
        drawn = _drawable(values[chosen], positive=False)
        pixels, firsts = np.unique(at[chosen], return_index=True)
        sums = np.add.reduceat(np.nan_to_num(drawn, nan=0.0), firsts, axis=0, dtype=np.float64)
        counts = np.add.reduceat(np.isfinite(drawn), firsts, axis=0, dtype=np.int64)
        filled = np.flatnonzero(pick >= 0)
        total[np.ix_(pixels, filled)] += sums[:, pick[filled]]
        count[np.ix_(pixels, filled)] += counts[:, pick[filled]]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
    _fill_between(mean, at, x, left, right, which, picks, values)
    return Grid(x.astype("datetime64[ns]"), y, _drawable(mean.T, positive=positive), even=True)


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
    """Which table of bins each record has, and the tables: centres, lower and upper edges."""
    if not axis.per_record:
        lower, upper = bin_edges(axis, log=log)
        return np.zeros(records, dtype=np.int64), [(np.asarray(axis.centers, np.float64), lower, upper)]
    parts = [np.asarray(part) for part in (axis.centers, axis.lower, axis.upper) if part is not None]
    joined = np.ascontiguousarray(np.concatenate(parts, axis=1))
    _, firsts, which = np.unique(joined, axis=0, return_index=True, return_inverse=True)
    distinct = axis.take(firsts)
    lower, upper = bin_edges(distinct, log=log)
    centres = np.asarray(distinct.centers, np.float64)
    return which.reshape(-1), [(centres[k], lower[k], upper[k]) for k in range(firsts.size)]


def _row_edges(tables: list[Edges], *, rows: int, log: bool) -> Reals:
    every = np.concatenate([edge for _, lower, upper in tables for edge in (lower, upper)])
    every = np.unique(every[np.isfinite(every)])
    if every.size == 0:
        return np.array([1.0, 10.0])
    if len(tables) <= TABLES:
        place = np.log(every) if log else every
        # Float32 edges of neighbouring bins may differ in the last digit: that is one edge, not a row.
        apart = np.diff(place) > 1e-5 * max(place[-1] - place[0], 1e-300)
        merged: Reals = every[np.concatenate([[True], apart])]
        return merged
    if log:
        return np.geomspace(every[0], every[-1], rows + 1)
    return np.linspace(every[0], every[-1], rows + 1)


def _bin_of_rows(rows: Reals, centres: Reals, lower: Reals, upper: Reals) -> Int:
    """The bin that each row lies in, -1 for none; of overlapping bins the one with the nearest centre."""
    with np.errstate(invalid="ignore"):
        inside = (rows[:, None] >= lower) & (rows[:, None] < upper)
        distance = np.where(inside, np.abs(rows[:, None] - centres), np.inf)
    return np.where(inside.any(axis=1), distance.argmin(axis=1), -1).astype(np.int64)


def _drawable(values: npt.NDArray[Any], *, positive: bool) -> Reals:
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(values) & ((values > 0) if positive else True)
    return np.where(sound, values, np.nan).astype(np.float64)


def _with_gap_columns(left: Int, right: Int, z: Reals, gap: npt.NDArray[np.bool_]) -> tuple[Int, Reals]:
    breaks = np.flatnonzero(gap)
    edges = np.append(left, right[-1])
    # Without a gap a record starts where its neighbour stops; at a gap an empty column stands between them.
    return np.insert(edges, breaks, right[breaks - 1]), np.insert(z, breaks, np.nan, axis=1)


def _fill_between(
    mean: Reals,
    at: Int,
    x: Int,
    left: Int,
    right: Int,
    which: Int,
    picks: list[Int],
    values: npt.NDArray[Any],
) -> None:
    """Columns narrower than a record belong to the record that covers them."""
    empty = np.setdiff1d(np.arange(mean.shape[0]), at)
    middle = (x[empty] + x[empty + 1]) // 2
    record = np.searchsorted(left, middle, side="right") - 1
    covered = (record >= 0) & (middle < right[np.maximum(record, 0)])
    for column, number in zip(empty[covered], record[covered], strict=True):
        pick = picks[which[number]]
        mean[column] = np.where(pick >= 0, values[number][np.maximum(pick, 0)], np.nan)
