"""Remarks on a figure for its reviewer: coverage, too many lines, lines without data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.steps.render.clouds import Cloud
from helio.steps.render.gaps import usable_records
from helio.steps.render.lines import Line
from helio.steps.render.panel import Panel
from helio.steps.render.quality import LabelQuality, TraceQuality
from helio.steps.render.spectrum_grid import Grid

if TYPE_CHECKING:
    from helio.steps.render.histogram_panel import Bars

CROWDED = 6
"""A reader can distinguish at most this many lines in one panel."""


def coverage_note(number: int, labels: Sequence[LabelQuality]) -> str:
    """Write the fraction of the time range that the records of each label of a panel cover."""
    shares = []
    for quality in labels:
        words = "" if quality.expected is None else f" ({quality.valid:,} of {quality.expected:,} records)"
        shares.append(f"{quality.label} {100 * (quality.coverage or 0.0):.1f} %{words}")
    return f"panel {number}: coverage {', '.join(shares)}"


def line_notes(panel: Panel, lines: Sequence[Line], *, log: bool) -> list[str]:
    """Return remarks on the lines of a panel that are hard to read, or have few values."""
    notes: list[str] = []
    qualities = panel.line_qualities
    where = f"panel {panel.number}"
    if len(lines) > CROWDED:
        notes.append(f"{where}: {len(lines)} lines in one panel")
    for quality in qualities:
        missing = quality.missing / max(1, quality.values + quality.missing)
        if quality.empty:
            note = f"{where}: {quality.label} is not drawn: {quality.empty}"
            notes += [note] * (note not in notes)
        elif missing == 1:
            notes.append(f"{where}: {quality.label} {quality.name} has no value in the time range")
        elif missing > 0.5:
            notes.append(f"{where}: {quality.label} {quality.name} is {100 * missing:.0f} % missing")
    for label in dict.fromkeys(line.label for line in lines):
        lost = sum(quality.not_above_zero for quality in qualities if quality.label == label)
        if lost:
            notes.append(
                f"{where}: a logarithmic axis leaves out {number_of(lost, 'value')} of {label} not above 0"
            )
    for label in dict.fromkeys(line.label for line in lines):
        outside = sum(quality.clipped for quality in qualities if quality.label == label)
        if outside:
            notes.append(f"{where}: y_range leaves out {number_of(outside, 'value')} of {label}")
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


def thinned_notes(number: int, lines: Sequence[TraceQuality]) -> list[str]:
    """Write how many points of a panel's lines are drawn, if some are left out."""
    drawn, given = sum(line.drawn for line in lines), sum(line.shown for line in lines)
    if drawn == given:
        return []
    return [
        f"panel {number}: {drawn:,} of {given:,} points are drawn, with the lowest and the highest "
        "of each pixel"
    ]


def symlog_notes(panel: Panel) -> list[str]:
    """Write up to which value a symlog axis is linear."""
    if panel.symlog is None:
        return []
    side = "y axis at the right" if panel.at_right else "y axis"
    unit = ", ".join(sorted(panel.y_units()))
    return [
        f"panel {panel.number}: the {side} is linear within ±{panel.symlog.linthresh:g} {unit}".rstrip()
        + " and logarithmic beyond (symlog)"
    ]


def beyond_notes(number: int, lines: Sequence[TraceQuality], low: float, high: float) -> list[str]:
    """Write how much of each line is not visible, because it is beyond the limits of the y axis."""
    return [
        f"panel {number}: {100 * (line.clipped + line.not_above_zero) / line.values:.1f} % of {line.label} {line.name} "
        f"is beyond the y axis, which reaches from {low:.3g} to {high:.3g}"
        for line in lines
        if line.clipped + line.not_above_zero
    ]


def cloud_notes(number: int, cloud: Cloud, outside: int) -> list[str]:
    """Write how many records have a point in a panel of one quantity against another.

    Parameters
    ----------
    number : int
        Number of the panel.
    outside : int
        Number of points outside the limits of the axes.
    """
    where, count = f"panel {number}", cloud.x.size
    left = [f"{cloud.missing:,} without a value"] if cloud.missing else []
    left += [f"{cloud.unusable:,} not above 0 on a logarithmic scale"] if cloud.unusable else []
    words = f"; left out: {', '.join(left)}" if left else ""
    notes = [f"{where}: points of {count:,} of {number_of(cloud.total, 'record')}{words}"]
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


def colour_notes(number: int, label: str, beyond: int) -> list[str]:
    """Write how many cells of a spectrogram are beyond the limits of the colours, if the figure's spec sets them."""
    if not beyond:
        return []
    have = "has" if beyond == 1 else "have"
    return [
        f"panel {number}: {number_of(beyond, 'cell')} of {label} beyond z_min or z_max {have} the first or the "
        "last colour"
    ]
