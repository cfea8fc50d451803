"""Vertical lines at the times of a table, and in spectrum panels at the medians of series, such as a gyrofrequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from helio.counts import number_of
from helio.errors import StepError, UnitMismatch
from helio.steps.quantity import advice_on_units, equal_units
from helio.steps.render.panel import Panel
from helio.steps.render.refusals import refuse, refuse_unknown_label, unfit_for_line, wrong_line
from helio.steps.render.spec import FigureSpec, VLine
from helio.steps.render.spectrum_panel import SpectrumPanel
from helio.store.no_values import why_no_values
from helio.store.table import Table

MOST_TIMES = 500
"""The largest number of times of one entry that are marked: more lines are a grey figure."""


def marked_labels(spec: FigureSpec) -> list[str]:
    """Return the labels of all tables whose times are marked, and of all series whose median is marked."""
    return [line["of"] for line in spec.get("vlines", []) if "of" in line]


def with_medians(
    spec: FigureSpec,
    tables: Mapping[str, Table],
    panels: Sequence[Panel],
    start: np.datetime64,
    stop: np.datetime64,
) -> tuple[list[VLine], list[str]]:
    """Return the vertical lines of a figure, with the times of a table or the median of a series as x, and remarks.

    Without the number of a panel, there is a line at each epoch of the table between `start` and `stop`. A line at a
    series without values there is left out, and a remark says so. Another remark says which medians are beyond the x
    axis of a spectrum.

    Raises
    ------
    StepError
        A label has no table, the table is no single series, or a line without a panel is not at a table of times.
    UnitMismatch
        The series has another unit than the x axis of the panel.
    """
    lines: list[VLine] = []
    notes: list[str] = []
    for entry_number, line in enumerate(spec.get("vlines", []), 1):
        if "of" not in line:
            lines.append(line)
            continue
        where, label = f"vlines: entry {entry_number}", line["of"]
        refuse(wrong_line(line), where)
        refuse_unknown_label(label, tables, where)
        table, number = tables[label], line.get("panel", 0)
        refuse(unfit_for_line(line, {table.kind}, table.unit), where)
        if number == 0:
            at_times = _at_times(line, table, start, stop, where)
            lines += at_times
            notes.append(f"{where}: {number_of(len(at_times), 'time')} of {label} marked")
            continue
        panel = panels[number - 1] if 1 <= number <= len(panels) else None
        if isinstance(panel, SpectrumPanel) and panel.nothing is None:
            _check_unit(label, table, panel, where)
        inside = table.values[(table.epoch >= start) & (table.epoch < stop)]
        inside = inside[np.isfinite(inside)].astype(np.float64)
        if not inside.size:
            why = why_no_values(table.notes)
            notes.append(f"{where}: nothing is marked: '{label}' has no values{f': {why}' if why else ''}")
            continue
        middle = float(f"{np.median(inside):.6g}")
        unit = f" {table.unit}" if table.unit else ""
        outcome = _beyond(middle, number, panels) or f"is marked in panel {number}"
        notes.append(f"{where}: the median of '{label}', {middle:g}{unit}, {outcome}")
        entry: VLine = {**line, "x": middle}
        del entry["of"]
        lines.append(entry)
    return lines, notes


def _at_times(
    line: VLine, table: Table, start: np.datetime64, stop: np.datetime64, where: str
) -> list[VLine]:
    """Return a line at each epoch of a table of times, between `start` and `stop`."""
    label = line["of"]
    inside = table.epoch[(table.epoch >= start) & (table.epoch < stop)]
    if len(inside) > MOST_TIMES:
        raise StepError(
            f"{where}: '{label}' has {len(inside):,} times in the time range, more than {MOST_TIMES}",
            advice="choose a table with fewer times, or a shorter time range",
        )
    rest: VLine = {**line}
    del rest["of"]
    return [{**rest, "x": str(epoch)[:-3]} for epoch in inside]


def _beyond(x: float, number: int, panels: Sequence[Panel]) -> str:
    """Say that a line is beyond the x axis of a spectrum; empty if it is not, or if the panel is no spectrum."""
    panel = panels[number - 1] if 1 <= number <= len(panels) else None
    if not isinstance(panel, SpectrumPanel) or panel.nothing is not None:
        return ""
    low, high = panel.bin_limits()
    if low <= x <= high:
        return ""
    return (
        f"is not drawn: it is beyond the x axis of panel {number}, which reaches from {low:.3g} to {high:.3g}"
    )


def _check_unit(label: str, table: Table, panel: SpectrumPanel, where: str) -> None:
    axis = next(iter(panel.drawn.values())).axes[0]
    if not equal_units(table.unit, axis.unit):
        raise UnitMismatch(
            f"{where}: '{label}' is in {table.unit or 'no unit'}, but the x axis of panel {panel.number} is in "
            f"{axis.unit or 'no unit'}",
            advice=advice_on_units(table.unit, axis.unit),
        )
