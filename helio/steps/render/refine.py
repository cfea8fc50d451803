"""Make the levels of a figure's detail: lines and spectrograms with ever more pixels, up to the complete data.

A level has four times as many pixels as the one before. Every level keeps the lowest and the highest value of each of
its pixels. A level is divided into files of the same duration.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.render.detail import join_detail
from helio.steps.render.downsample import break_at_seam, pixel_borders, thin_line
from helio.steps.render.encode import numbers
from helio.steps.render.refine_points import FullPoints, points_panel
from helio.steps.render.spectrum_grid import Grid, spectrum_grid
from helio.store.table import Table

STEP = 4
"""Ratio of the numbers of pixels of neighbouring levels, and duration of the files in widths of the panel."""
_WORTH = 4
"""A level is made only if its pixels have on average at least this many samples."""

Line = tuple[npt.NDArray[np.datetime64], npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class FullLine:
    """A line with all its points, of which the figure draws only some.

    Parameters
    ----------
    uid : str
        Plotly's uid of its trace: that of the panel, and its number in the panel.
    label : str
        Label of the table.
    epoch, values, gap : shape (n,)
        As for `thin_line`.
    start, stop : datetime64[ns]
        The interval that `pixels` divide in the figure.
    drawn, given : int
        The number of drawn points, and of all points.
    fills : tuple of str and float
        Keys of the areas between the line and a level, and their levels.
    log : bool
        Whether the y axis is logarithmic.
    band : str
        For a limit of a band: the uid of the band's trace; the lower limit comes first.
    period : float, optional
        The period of an angle that wraps.
    linthresh : float, optional
        That of the symlog axis of the panel. Levels of fills are then places on this axis.
    """

    uid: str
    label: str
    epoch: npt.NDArray[np.datetime64]
    values: npt.NDArray[Any]
    gap: npt.NDArray[np.bool_]
    start: np.datetime64
    stop: np.datetime64
    pixels: int
    drawn: int
    given: int
    fills: tuple[tuple[str, float], ...] = ()
    log: bool = False
    band: str = ""
    period: float | None = None
    linthresh: float | None = None

    def levels(self) -> list[Line]:
        """Return the line with ever more points; the last has all points."""
        count, pixels = int(np.isfinite(self.values).sum()), [self.pixels]
        while (more := STEP * pixels[-1]) * _WORTH <= count:
            pixels.append(more)
        full = thin_line(
            self.epoch, self.values, self.gap, start=self.start, stop=self.stop, pixels=self.values.size
        )
        made = [full]
        borders = pixel_borders(self.start, self.stop, pixels[-1])
        for width in reversed(pixels[1:]):
            # From the level before, which has the extremes of all smaller pixels, and NaN at every gap.
            x, y = made[-1]
            never = np.zeros(x.size, dtype=bool)
            made.append(
                thin_line(x, y, never, start=self.start, stop=self.stop, pixels=width, borders=borders)
            )
            borders = borders[::STEP]
        return [break_at_seam(x, y, self.period) for x, y in reversed(made)]


@dataclass(frozen=True, eq=False)
class FullGrid:
    """A spectrum of which the figure draws only pixels.

    Parameters
    ----------
    uid, label, start, stop, pixels
        As for `FullLine`.
    table : Table, shape (n, b)
    drawn : Grid
        What the figure draws.
    log_y, positive, gap_factor, y_range
        As for `spectrum_grid`.
    """

    uid: str
    label: str
    table: Table
    drawn: Grid
    start: np.datetime64
    stop: np.datetime64
    pixels: int
    rows: int
    log_y: bool
    positive: bool
    gap_factor: float
    y_range: tuple[float, float] | None

    def levels(self) -> list[Grid]:
        """Return the grid with ever more columns, or log10 of it on a logarithmic scale; the last has all records."""
        columns: list[int | None] = []
        width = STEP * self.pixels
        while width * _WORTH <= len(self.table):
            columns.append(width)
            width *= STEP
        grids = [
            spectrum_grid(
                self.table,
                start=self.start,
                stop=self.stop,
                columns=count,
                rows=STEP * self.rows if self.drawn.pixel_rows else self.rows,
                log_y=self.log_y,
                positive=self.positive,
                gap_factor=self.gap_factor,
                y_range=self.y_range,
            )
            for count in (*columns, None)
        ]
        return [replace(grid, z=np.log10(grid.z)) for grid in grids] if self.positive else grids


Full = FullLine | FullGrid | FullPoints


@dataclass
class _Level:
    """A level of a panel: in how many parts it is divided, and the file of each part that has one."""

    parts: int
    first: int
    places: list[int] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        runs: list[list[int]] = []
        for place in self.places:
            if runs and runs[-1][1] == place:
                runs[-1][1] += 1
            else:
                runs.append([place, place + 1])
        return {"parts": self.parts, "first": self.first, "runs": runs}


def make_detail(details: Sequence[Full]) -> bytes:
    """Return the detail of a figure.

    Parameters
    ----------
    details : sequence of FullLine, FullGrid and FullPoints
        In the order of the panels.
    """
    names = _names(details)
    files: list[bytes] = []
    panels = []
    for members in _by_panel(details):
        if points := [full for full in members if isinstance(full, FullPoints)]:
            panel, more = points_panel(points, len(files), list(_shown(points, names)))
            panels.append(panel | {"name": names[points[0].label]})
            files += more
            continue
        timed = [full for full in members if not isinstance(full, FullPoints)]
        levels = list(_levels(timed, len(files)))
        files += [file for level in levels for file in level.files]
        panels.append(
            {
                "start": _milliseconds(timed[0].start),
                "stop": _milliseconds(timed[0].stop),
                "pixels": timed[0].pixels,
                "traces": [_trace(full, names) for full in timed],
                "shown": list(_shown(members, names)),
                "levels": [level.to_json() for level in levels],
            }
        )
    return join_detail(panels, files)


def words_on_drawn(details: Sequence[Full]) -> str:
    """Write how much of each label a figure shows."""
    names = _names(details)
    return " · ".join(words for members in _by_panel(details) for words in _shown(members, names))


def _by_panel(details: Sequence[Full]) -> Iterator[list[Full]]:
    """Yield the lines, the spectrograms and the points of each panel."""
    for _, group in groupby(details, key=lambda full: (full.uid.split("-")[0], type(full).__name__)):
        yield list(group)


def _trace(full: FullLine | FullGrid, names: dict[str, str]) -> dict[str, Any]:
    trace: dict[str, Any] = {"uid": full.uid, "name": names[full.label]}
    if isinstance(full, FullLine) and full.fills:
        trace |= {"fills": [list(area) for area in full.fills], "log": full.log}
    if isinstance(full, FullLine) and full.linthresh is not None:
        trace["linthresh"] = full.linthresh
    if isinstance(full, FullLine) and full.band:
        trace["band"] = full.band
    return trace


def _names(details: Iterable[Full]) -> dict[str, str]:
    """Return names of labels as short as possible, so that all names differ."""
    labels = list(dict.fromkeys(full.label for full in details))
    short = {label: label.rpartition(".")[2] for label in labels}
    return short if len(set(short.values())) == len(labels) else {label: label for label in labels}


def _shown(members: Sequence[Full], names: dict[str, str]) -> Iterator[str]:
    """Yield for each label how much of it the figure shows."""
    for label in dict.fromkeys(full.label for full in members):
        same = [full for full in members if full.label == label]
        lines = [
            full
            for full in same
            if isinstance(full, FullPoints) or (isinstance(full, FullLine) and not full.band)
        ]
        if lines:
            drawn, given = sum(line.drawn for line in lines), sum(line.given for line in lines)
            yield f"{names[label]}: {drawn:,} of {given:,} points"
        for grid in same:
            if isinstance(grid, FullGrid):
                columns, rows = grid.drawn.z.shape[1], grid.drawn.z.shape[0]
                parts = [f"{len(grid.table):,} records in {columns:,} columns"] if grid.drawn.even else []
                if grid.drawn.pixel_rows:
                    parts.append(f"{grid.table.axes[0].bins:,} bins in {rows:,} rows")
                yield f"{names[label]}: {', '.join(parts)}"


def _levels(members: Sequence[FullLine | FullGrid], first: int) -> Iterator[_Level]:
    """Yield the levels of one panel; a line that has fewer levels than the others is complete in the last ones."""
    every: list[list[Any]] = [full.levels() for full in members]
    depth = max(map(len, every))
    full = members[0]
    for number in range(depth):
        is_last = number == depth - 1
        level = _Level(STEP ** max(0, depth - 2 if is_last else number), first)
        edges = pixel_borders(full.start, full.stop, level.parts)
        drawn = [levels[min(number, len(levels) - 1)] for levels in every]
        parts = (
            _grid_parts(drawn[0], edges) if isinstance(full, FullGrid) else _line_parts(members, drawn, edges)
        )
        for place, part in parts:
            level.places.append(place)
            level.files.append(json.dumps(part, allow_nan=False, separators=(",", ":")).encode())
        first += len(level.files)
        yield level


def _line_parts(
    members: Sequence[FullLine | FullGrid], drawn: Sequence[Line], edges: npt.NDArray[np.int64]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each part that has points, with its place; lines with equal times share them."""
    borders = [np.searchsorted(x.astype("i8"), edges) for x, _ in drawn]
    for limits in borders:
        limits[0] = 0
    for limits, (x, _) in zip(borders, drawn, strict=True):
        limits[-1] = x.size
    for place in range(edges.size - 1):
        times: list[dict[str, Any]] = []
        lines: dict[str, Any] = {}
        for full, limits, (x, y) in zip(members, borders, drawn, strict=True):
            piece = slice(int(limits[place]), int(limits[place + 1]))
            if piece.start == piece.stop:
                continue
            moments = _times(x[piece])
            if moments not in times:
                times.append(moments)
            lines[full.uid] = [times.index(moments), numbers(y[piece])]
        if lines:
            yield place, {"times": times, "lines": lines}


def _grid_parts(grid: Grid, edges: npt.NDArray[np.int64]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each part of a grid that has a column, with its place; a column belongs to the part in which it begins."""
    x = grid.x.astype("i8")
    borders = np.searchsorted(x[:-1], edges)
    borders[0], borders[-1] = 0, x.size - 1
    rows = numbers(grid.y)
    for place in range(edges.size - 1):
        first, last = int(borders[place]), int(borders[place + 1])
        z = grid.z[:, first:last]
        if z.size and np.isfinite(z).any():
            yield (
                place,
                {
                    "x": _times(grid.x[first : last + 1]),
                    "y": rows,
                    "z": numbers(z.astype(np.float32).ravel()),
                },
            )


def _milliseconds(moment: np.datetime64) -> float:
    return float(int(moment.astype("datetime64[ns]").astype("i8")) / 1e6)


def _times(epoch: npt.NDArray[np.datetime64]) -> dict[str, Any]:
    """Write times as ms since 1970 with an even step, otherwise as whole multiples of their largest common step."""
    ns: npt.NDArray[np.int64] = epoch.astype("datetime64[ns]").astype("i8")
    offsets = ns - ns[0]
    times: dict[str, Any] = {"x0": _milliseconds(epoch[0]), "n": int(ns.size)}
    if ns.size == 1:
        return times
    steps = np.diff(ns)
    if (steps == steps[0]).all():
        return times | {"dx": int(steps[0]) / 1e6}
    unit = int(np.gcd.reduce(steps))
    counts = offsets // unit
    kind = "<u4" if counts[-1] < 2**32 else "<f8"
    return times | {
        "dx": unit / 1e6,
        "kind": kind[1:],
        "x": base64.b64encode(counts.astype(kind).tobytes()).decode(),
    }
