"""Arrange the labels of a figure in panels, and choose the kind of each panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.render.alike import told_apart
from helio.steps.render.bands import band_labels
from helio.steps.render.bar_panel import BarPanel
from helio.steps.render.density_panel import DensityPanel
from helio.steps.render.entry_panel import EntryPanel
from helio.steps.render.epoch_panel import EpochPanel
from helio.steps.render.events import event_labels
from helio.steps.render.histogram_panel import HistogramPanel
from helio.steps.render.line_panel import LinePanel
from helio.steps.render.marked_medians import marked_labels
from helio.steps.render.orbit_panel import OrbitPanel
from helio.steps.render.panel import FigureStyle, Panel
from helio.steps.render.polar_panel import PolarPanel
from helio.steps.render.refusals import refuse_unknown_label
from helio.steps.render.spec import EntryKind, FigureSpec, PanelType
from helio.steps.render.spectrogram_panel import SpectrogramPanel
from helio.steps.render.spectrum_panel import SpectrumPanel
from helio.steps.render.strip_panel import StripPanel
from helio.steps.render.themes import Look
from helio.steps.render.xy_panel import XYPanel
from helio.store.no_values import why_no_values
from helio.store.table import Table

KINDS: Mapping[PanelType, type[Panel]] = {
    panel.kind: panel
    for panel in (LinePanel, SpectrogramPanel, SpectrumPanel, BarPanel, StripPanel, EpochPanel)
}
"""Kinds of panels that tables are arranged in, by the names that ``panel_types`` in a figure's spec uses."""
ENTRY_KINDS: Mapping[EntryKind, type[EntryPanel]] = {
    panel.kind: panel for panel in (XYPanel, HistogramPanel, OrbitPanel)
}
"""Kinds of panels that stand below these; a key of the spec with this name has an entry for each panel."""


def arrange_panels(
    tables: Mapping[str, Table], spec: FigureSpec, theme: Look, line_scale: list[list[float | str]]
) -> list[Panel]:
    """Arrange tables in panels as the figure's spec says; by default a panel for each unit, and for each spectrum.

    Spectra of one record are placed below the other panels; if the spec gives panel_types, all panels follow the
    order of their labels.

    Raises
    ------
    StepError
        For labels without a table, labels outside `labels`, and types that do not fit their panel.
    """
    named = spec.get("panels")
    entries = _entries(spec, tables)
    labels = list(
        spec.get("labels")
        or (dict.fromkeys(label for panel in named for label in panel) if named else tables)
    )
    if named is None:
        other = {label for kind, entry in entries for label in ENTRY_KINDS[kind].labels_of(entry)}
        other |= {
            *band_labels(spec), *event_labels(spec), *marked_labels(spec), *spec.get("ephemeris", []),
        }  # fmt: skip
        labels = [label for label in labels if label not in other]
    if not labels and not entries:
        raise StepError(
            "nothing to draw: the figure names no table", advice="name at least one table in 'labels'"
        )
    for label in labels:
        refuse_unknown_label(label, tables, "labels")
    types = spec.get("panel_types")
    if named is not None:
        groups = [list(panel) for panel in named]
    else:
        groups = _default_groups(labels, tables, by_kind=types is None)
    for number, group in enumerate(groups, 1):
        if not group:
            raise StepError(f"panel {number} names no table", advice="leave the empty list out of 'panels'")
        for label in group:
            refuse_unknown_label(label, dict.fromkeys(labels), f"panels: panel {number}")
    if types is not None and len(types) != len(groups):
        raise StepError(
            f"panel_types has {number_of(len(types), 'entry', 'entries')} for {number_of(len(groups), 'panel')}",
            advice=f"write one of {', '.join(KINDS)} for each panel, from the top",
        )
    named_labels = [label for group in groups for label in group]
    named_labels += [label for kind, entry in entries for label in ENTRY_KINDS[kind].labels_of(entry)]
    drawn = told_apart({label: tables[label] for label in named_labels})
    grouped = [{label: drawn[label] for label in group} for group in groups]
    right = spec.get("right", [])
    grouped = [_with_units(group, right) for group in grouped]
    kinds = [
        _kind(number, group, None if types is None else types[number - 1])
        for number, group in enumerate(grouped, 1)
    ]
    _check_right(right, grouped, kinds)
    style = FigureStyle(spec, [*kinds, *(kind for kind, _ in entries)], theme, line_scale, tables)
    panels: list[Panel] = [
        KINDS[kind](number, group, style)
        for number, (kind, group) in enumerate(zip(kinds, grouped, strict=True), 1)
    ]
    for number, (entry_kind, entry) in enumerate(entries, len(panels) + 1):
        panel = _entry_panel(entry_kind, entry)
        named_tables = {label: drawn[label] for label in panel.labels_of(entry)}
        if entry_kind == "histograms":
            named_tables = _with_units(named_tables)
        if not any(map(is_unknown, named_tables.values())):
            panel.check_entry(number, named_tables, entry)
        panels.append(panel(number, named_tables, style, entry=entry))
    return panels


def _entries(spec: FigureSpec, tables: Mapping[str, Table]) -> list[tuple[EntryKind, Mapping[str, Any]]]:
    """Return the kind and the entry of each panel that stands below those of ``panels``."""
    entries = []
    for kind, panel in ENTRY_KINDS.items():
        for order, entry in enumerate(cast(Mapping[str, Any], spec).get(kind, []), 1):
            for label in panel.labels_of(entry):
                refuse_unknown_label(label, tables, f"{kind}: entry {order}")
            entries.append((kind, entry))
    return entries


def _entry_panel(kind: EntryKind, entry: Mapping[str, Any]) -> type[EntryPanel]:
    """Return the class of the panel that an entry describes."""
    if entry.get("type") == "density":
        return DensityPanel
    return PolarPanel if entry.get("polar") else ENTRY_KINDS[kind]


def _check_right(
    right: Sequence[str], groups: Sequence[Mapping[str, Table]], kinds: Sequence[PanelType]
) -> None:
    for label in right:
        refuse_unknown_label(label, {name: None for group in groups for name in group}, "right")
    for number, (group, kind) in enumerate(zip(groups, kinds, strict=True), 1):
        moved = [label for label in group if label in right]
        if moved and (kind != "line" or any(table.kind == "spectrum" for table in group.values())):
            raise StepError(
                f"right: '{moved[0]}' is in panel {number}, which is not a panel of lines of series",
                advice="a second y axis needs a panel of type 'line' without spectra",
            )
        if moved and len(moved) == len(group):
            raise StepError(
                f"right: panel {number} has nothing on its left axis",
                advice="put a label with another unit in the same panel, or leave this one out of 'right'",
            )


def _default_groups(labels: Sequence[str], tables: Mapping[str, Table], *, by_kind: bool) -> list[list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    below: dict[tuple[str, ...], list[str]] = {}
    for label in dict.fromkeys(labels):
        table = tables[label]
        if by_kind and _is_one_spectrum(table):
            axis = table.axes[0]
            below.setdefault((table.unit, axis.label, axis.unit) if table.unit else (label,), []).append(
                label
            )
            continue
        # Quantities without a unit share nothing: Kp and a Mach number do not belong on one axis.
        alone = table.kind == "spectrum" or not table.unit
        groups.setdefault(("label", label) if alone else ("unit", table.unit), []).append(label)
    return [*groups.values(), *below.values()]


def _is_one_spectrum(table: Table) -> bool:
    return len(table) == 1 and len(table.axes) == 1


def is_unknown(table: Table) -> bool:
    """Return whether a table stands for one that does not exist, so that its unit and kind are not known."""
    return not len(table) and not table.name and bool(why_no_values(table.notes))


def _with_units(tables: Mapping[str, Table], right: Sequence[str] = ()) -> dict[str, Table]:
    """Return the tables of a panel, with the unit of the others on their axis for those whose unit is not known."""
    units = {label in right: table.unit for label, table in tables.items() if not is_unknown(table)}
    return {
        label: replace(table, unit=units.get(label in right, "")) if is_unknown(table) else table
        for label, table in tables.items()
    }


def _kind(number: int, tables: Mapping[str, Table], chosen: PanelType | None) -> PanelType:
    """Return the kind of a panel: from the figure's spec, otherwise from the panel's tables."""
    known = {label: table for label, table in tables.items() if not is_unknown(table)}
    if not known:
        return "line" if chosen == "spectrogram" else chosen or "line"
    kind = chosen or _default_type(known)
    KINDS[kind].check_tables(number, known)
    return kind


def _default_type(tables: Mapping[str, Table]) -> PanelType:
    if all(_is_one_spectrum(table) for table in tables.values()):
        return "spectrum"
    spectra = sum(table.kind == "spectrum" for table in tables.values())
    # One spectrum is drawn below the lines of its panel; several that are alone in it are the lines of their bins.
    return "spectrogram" if spectra == 1 or 1 < spectra < len(tables) else "line"
