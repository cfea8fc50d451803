"""Remarks on a figure for its reviewer: coverage, too many lines, lines without data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.steps.render.clouds import Cloud
from helio.steps.render.entry_panel import Limits
from helio.steps.render.gaps import coverage, usable_records
from helio.steps.render.lines import Line, Points
from helio.steps.render.panel import Panel
from helio.steps.render.spectrum_grid import Grid
from helio.store.expected_records import share_of_expected
from helio.store.table import Table

if TYPE_CHECKING:
    from helio.steps.render.histogram_panel import Bars

CROWDED = 6
"""A reader can distinguish at most this many lines in one panel."""


def coverage_notes(
    panels: Sequence[Panel], start: np.datetime64, stop: np.datetime64, gap_factor: float
) -> list[str]:
    """Write for each panel the fraction of the time range that the records of each label cover.

    If the cadence of the source implies more records than the table has, the fraction is at most the share of records.
    """
    notes = []
    for panel in panels:
        shares = []
        for label, table in panel.tables.items():
            share = _share(table, start, stop, gap_factor)
            counts = share_of_expected(table.notes)
            words = ""
            if counts is not None:
                valid, expected = counts
                share = min(share, valid / expected)
                words = f" ({valid:,} of {expected:,} records)"
            shares.append(f"{label} {100 * share:.1f} %{words}")
        notes.append(f"panel {panel.number}: coverage {', '.join(shares)}")
    return notes


def line_notes(panel: Panel, lines: Sequence[Line], *, log: bool) -> list[str]:
    """Return remarks on the lines of a panel that are hard to read, or have few values."""
    notes = []
    where = f"panel {panel.number}"
    if len(lines) > CROWDED:
        notes.append(f"{where}: {len(lines)} lines in one panel")
    for line in lines:
        missing = 1 - np.count_nonzero(np.isfinite(line.values)) / max(1, line.values.size)
        if line.label in panel.absent:
            note = f"{where}: {line.label} is not drawn: {panel.absent[line.label]}"
            notes += [note] * (note not in notes)
        elif missing == 1:
            notes.append(f"{where}: {line.label} {line.name} has no value in the time range")
        elif missing > 0.5:
            notes.append(f"{where}: {line.label} {line.name} is {100 * missing:.0f} % missing")
    for label in dict.fromkeys(line.label for line in lines) if log else ():
        lost = sum(int((line.values <= 0).sum()) for line in lines if line.label == label)
        if lost:
            notes.append(
                f"{where}: a logarithmic axis leaves out {number_of(lost, 'value')} of {label} not above 0"
            )
    notes += _outside_notes(panel, lines, log=log)
    if not log:
        limits = [
            (np.nanmin(line.values), np.nanmax(line.values))
            for line in lines
            if np.isfinite(line.values).any()
        ]
        sizes = np.array([max(abs(low), abs(high)) for low, high in limits])
        sizes = sizes[sizes > 0]
        if sizes.size > 1 and sizes.max() > 1e6 * sizes.min():
            notes.append(
                f"{where}: some lines are more than a million times larger than others, which look flat"
            )
    tables = {label: table for label, table in panel.on_y_axis.items() if label not in panel.absent}
    counts = {label: len(table) for label, table in tables.items()}
    if counts and min(counts.values()) and max(counts.values()) > 10 * min(counts.values()):
        few, many = min(counts, key=lambda label: counts[label]), max(counts, key=lambda label: counts[label])
        notes.append(f"{where}: {many} has {number_of(counts[many], 'record')}, but {few} only {counts[few]}")
    units = list(dict.fromkeys(table.unit for table in tables.values()))
    if len(units) > 1:
        notes.append(f"{where}: different units on one axis: {', '.join(unit or 'none' for unit in units)}")
    return notes


def spectrum_notes(panel: Panel, whole: Panel) -> list[str]:
    """Write how many records a spectrum panel shows, and how many records it leaves out.

    Parameters
    ----------
    panel, whole : Panel
        With its tables within the time range, and with all their records.
    """
    notes = []
    for label, table in panel.tables.items():
        if label in panel.absent:
            notes.append(f"panel {panel.number}: {label} is not drawn: {panel.absent[label]}")
            continue
        usable = int(usable_records(table.values).sum())
        shown = number_of(usable, "spectrum", "spectra")
        outside, empty = len(whole.tables[label]) - len(table), len(table) - usable
        left = [f"{outside:,} outside the time range"] if outside else []
        left += [f"{empty:,} without any value"] if empty else []
        notes.append(f"panel {panel.number}: {label} {shown}" + (f", {', '.join(left)}" if left else ""))
    return notes


def thinned_notes(panel: Panel, lines: Sequence[Points]) -> list[str]:
    """Write how many points of a panel's lines are drawn, if some are left out."""
    drawn, given = (sum(counts) for counts in zip(*lines, strict=True))
    if drawn == given:
        return []
    return [
        f"panel {panel.number}: {drawn:,} of {given:,} points are drawn, with the lowest and the highest "
        "of each pixel"
    ]


def beyond_notes(panel: Panel, lines: Sequence[Line], low: float, high: float) -> list[str]:
    """Write how much of each line is not visible, because it is beyond the limits of the y axis."""
    notes = []
    for line in lines:
        finite = line.values[np.isfinite(line.values)]
        beyond = np.count_nonzero((finite < low) | (finite > high)) / max(1, finite.size)
        if beyond:
            notes.append(
                f"panel {panel.number}: {100 * beyond:.1f} % of {line.label} {line.name} is beyond the y axis, "
                f"which reaches from {low:.3g} to {high:.3g}"
            )
    return notes


def cloud_notes(number: int, cloud: Cloud, limits: tuple[Limits, Limits]) -> list[str]:
    """Write how many records have a point in a panel of one quantity against another.

    Parameters
    ----------
    number : int
        Number of the panel.
    limits : two pairs of float
        Limits of the x and of the y axis.
    """
    where, count = f"panel {number}", cloud.x.size
    left = [f"{cloud.missing:,} without a value"] if cloud.missing else []
    left += [f"{cloud.unusable:,} not above 0 on a logarithmic scale"] if cloud.unusable else []
    words = f"; left out: {', '.join(left)}" if left else ""
    notes = [f"{where}: points of {count:,} of {number_of(cloud.total, 'record')}{words}"]
    (x0, x1), (y0, y1) = limits
    outside = int(((cloud.x < x0) | (cloud.x > x1) | (cloud.y < y0) | (cloud.y > y1)).sum())
    if outside:
        notes.append(f"{where}: {number_of(outside, 'point')} outside the limits of the axes")
    return notes


def hidden_notes(number: int, drawn: int, points: int) -> list[str]:
    """Write how many points of a panel are drawn, if some are hidden by others and left out."""
    if drawn == points:
        return []
    return [
        f"panel {number}: {drawn:,} of {points:,} points are drawn: those that can be seen, and the extremes"
    ]


def histogram_notes(
    number: int, histograms: Sequence[Bars], edges: npt.NDArray[np.float64], unit: str
) -> list[str]:
    """Write the bins of a histogram, and how many records of each label are counted."""
    widths = np.diff(edges)
    even = bool((np.abs(widths - widths[0]) <= 1e-9 * np.abs(edges).max()).all())
    width = f" of {widths[0]:.6g} {unit}".rstrip() if even else ""
    ends = f"from {edges[0]:.6g} to {edges[-1]:.6g} {unit}".rstrip()
    notes = [f"panel {number}: {number_of(widths.size, 'bin')}{width} {ends}"]
    for bars in histograms:
        left = [f"{bars.missing:,} without a usable value"] if bars.missing else []
        left += [f"{bars.outside:,} outside the bins"] if bars.outside else []
        total = number_of(bars.counted + bars.missing + bars.outside, "record")
        words = f"; left out: {', '.join(left)}" if left else ""
        notes.append(f"panel {number}: {bars.label} {bars.counted:,} of {total}{words}")
    return notes


def grid_notes(panel: Panel, label: str, grid: Grid) -> list[str]:
    """Return a remark if the cells of a spectrogram are pixels, because its records or bins are smaller than pixels."""
    table = panel.tables[label]
    shared = [number_of(len(table), "record")] if grid.even else []
    shared += [number_of(table.axes[0].bins, "bin")] if grid.pixel_rows else []
    if not shared:
        return []
    return [
        f"panel {panel.number}: {' and '.join(shared)} of {label} are drawn by pixels, and each pixel "
        "shows its highest value; resample first to draw means"
    ]


def colour_notes(panel: Panel, label: str, grid: Grid, limits: tuple[float, float]) -> list[str]:
    """Write how many cells of a spectrogram are beyond the limits of the colours, if the figure's spec sets them."""
    if panel.option("z_min", None) is None and panel.option("z_max", None) is None:
        return []
    beyond = int(((grid.z < limits[0]) | (grid.z > limits[1])).sum())
    if not beyond:
        return []
    have = "has" if beyond == 1 else "have"
    return [
        f"panel {panel.number}: {number_of(beyond, 'cell')} of {label} beyond z_min or z_max {have} the first or the "
        "last colour"
    ]


def _outside_notes(panel: Panel, lines: Sequence[Line], *, log: bool) -> list[str]:
    """Write how many values of each label a y_range of the figure's spec leaves out."""
    limits = panel.y_limits()
    if limits is None:
        return []
    notes = []
    for label in dict.fromkeys(line.label for line in lines):
        outside = 0
        for line in lines:
            if line.label == label:
                # values not above 0 on a logarithmic axis have their own remark
                shown = line.values > 0 if log else np.isfinite(line.values)
                outside += int((shown & ((line.values < limits[0]) | (line.values > limits[1]))).sum())
        if outside:
            notes.append(f"panel {panel.number}: y_range leaves out {number_of(outside, 'value')} of {label}")
    return notes


def _share(table: Table, start: np.datetime64, stop: np.datetime64, gap_factor: float) -> float:
    return coverage(table.epoch, usable_records(table.values), start, stop, gap_factor)
