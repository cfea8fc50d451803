"""Which label stands in which panel and how it is drawn, with a word for all that a spec can get wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from helio.errors import StepError, did_you_mean
from helio.steps.render.spec import FigureSpec, PanelType
from helio.store.table import Table

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: its number from 1 at the top, its labels with their tables, and its type."""

    number: int
    tables: Mapping[str, Table]
    type: PanelType


def arrange_panels(tables: Mapping[str, Table], spec: FigureSpec) -> list[Panel]:
    """Panels as the spec says, else one per unit in order of appearance, and one per spectrum.

    Raises
    ------
    StepError
        For labels without a table, labels outside `labels`, and types that do not fit their panel.
    """
    named = spec.get("panels")
    labels = list(
        spec.get("labels")
        or (dict.fromkeys(label for panel in named for label in panel) if named else tables)
    )
    if not labels:
        raise StepError(
            "nothing to draw: the figure has no label", advice="name at least one label in 'labels'"
        )
    for label in labels:
        _known(label, tables, "labels")
    groups = _default_groups(labels, tables) if named is None else [list(panel) for panel in named]
    for number, group in enumerate(groups, 1):
        if not group:
            raise StepError(f"panel {number} has no label", advice="leave the empty list out of 'panels'")
        for label in group:
            if label not in labels:
                _known(label, dict.fromkeys(labels, None), f"panels: panel {number}")
    types = spec.get("panel_types")
    if types is not None and len(types) != len(groups):
        raise StepError(
            f"panel_types has {len(types)} entries for {len(groups)} panels",
            advice="one of 'line' and 'spectrogram' for each panel, from the top",
        )
    return [
        _panel(
            number, {label: tables[label] for label in group}, None if types is None else types[number - 1]
        )
        for number, group in enumerate(groups, 1)
    ]


def per_panel(value: object, number: int, panels: int, key: str, default: Value) -> Value:
    """What a key says for one panel: a mapping by panel number, or one value for all."""
    if not isinstance(value, Mapping):
        return default if value is None else cast(Value, value)
    for name in value:
        if not str(name).isdecimal() or not 1 <= int(name) <= panels:
            raise StepError(
                f"{key}: there is no panel {name}",
                advice=f"panels are 1 to {panels}, from the top"
                if panels > 1
                else "the figure has one panel, 1",
            )
    found = {int(name): entry for name, entry in value.items()}
    return cast(Value, found.get(number, default))


def _known(label: str, among: Mapping[str, Any], where: str) -> None:
    if label in among:
        return
    raise StepError(
        f"{where}: no label is called '{label}'",
        advice=did_you_mean(label, among, otherwise=f"labels: {', '.join(among)}"),
    )


def _default_groups(labels: Sequence[str], tables: Mapping[str, Table]) -> list[list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for label in dict.fromkeys(labels):
        table = tables[label]
        # Quantities without a unit share nothing: Kp and a Mach number do not belong on one axis.
        alone = table.kind == "spectrum" or not table.unit
        groups.setdefault(("label", label) if alone else ("unit", table.unit), []).append(label)
    return list(groups.values())


def _panel(number: int, tables: dict[str, Table], wanted: PanelType | None) -> Panel:
    spectra = [label for label, table in tables.items() if table.kind == "spectrum"]
    chosen: PanelType = wanted or ("spectrogram" if len(spectra) == len(tables) == 1 else "line")
    for label in spectra:
        if len(tables[label].axes) > 1:
            axes = [axis.label or f"axis {place}" for place, axis in enumerate(tables[label].axes, 1)]
            raise StepError(
                f"panel {number}: '{label}' has two bin axes ({' and '.join(axes)}), a panel shows one",
                advice="reduce it first: band_average over one axis",
            )
    if chosen == "spectrogram":
        lines = [label for label in tables if label not in spectra]
        if lines:
            raise StepError(
                f"panel {number}: '{lines[0]}' has no bins, and the panel is a spectrogram",
                advice="give it a panel of type 'line'"
                + (f"; spectra here: {', '.join(spectra)}" if spectra else ""),
            )
        if len(spectra) > 1:
            raise StepError(
                f"panel {number}: {len(spectra)} spectra in one spectrogram",
                advice="give each a panel of its own",
            )
    elif wanted is None and spectra and len(spectra) < len(tables):
        raise StepError(
            f"panel {number}: spectrum '{spectra[0]}' and lines in one panel",
            advice="give the spectrum a panel of its own, or set its panel_types to 'line'",
        )
    return Panel(number, tables, chosen)
