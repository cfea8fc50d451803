"""Which label stands in which panel and how it is drawn, with a word for all that a spec can get wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from helio.errors import StepError, did_you_mean
from helio.steps.render.spec import FigureSpec, PanelType
from helio.store.table import Axis, Table

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: its number from 1 at the top, its labels with their tables, and its type."""

    number: int
    tables: Mapping[str, Table]
    type: PanelType


def arrange_panels(tables: Mapping[str, Table], spec: FigureSpec) -> list[Panel]:
    """Panels as the spec says, else one per unit in order of appearance, and one per spectrum.

    Spectra of one record, which have no course in time, stand below the others, as readers expect; where the spec names
    types, in the order of their labels.

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
    types = spec.get("panel_types")
    if named is not None:
        groups = [list(panel) for panel in named]
    else:
        groups = _default_groups(labels, tables, by_kind=types is None)
    for number, group in enumerate(groups, 1):
        if not group:
            raise StepError(f"panel {number} has no label", advice="leave the empty list out of 'panels'")
        for label in group:
            if label not in labels:
                _known(label, dict.fromkeys(labels, None), f"panels: panel {number}")
    if types is not None and len(types) != len(groups):
        raise StepError(
            f"panel_types has {len(types)} entries for {len(groups)} panels",
            advice="one of 'line', 'spectrogram' and 'spectrum' for each panel, from the top",
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


def _panel(number: int, tables: dict[str, Table], wanted: PanelType | None) -> Panel:
    spectra = [label for label, table in tables.items() if table.kind == "spectrum"]
    chosen = wanted or _default_type(tables)
    for label in spectra:
        if len(tables[label].axes) > 1:
            axes = [axis.label or f"axis {place}" for place, axis in enumerate(tables[label].axes, 1)]
            raise StepError(
                f"panel {number}: '{label}' has two bin axes ({' and '.join(axes)}), a panel shows one",
                advice="reduce it first: band_average over one axis",
            )
    if chosen in ("spectrogram", "spectrum"):
        lines = [label for label in tables if label not in spectra]
        if lines:
            raise StepError(
                f"panel {number}: '{lines[0]}' has no bins, and the panel is a {chosen}",
                advice="give it a panel of type 'line'"
                + (f"; spectra here: {', '.join(spectra)}" if spectra else ""),
            )
        if chosen == "spectrum":
            _check_overlaid(number, tables)
        elif len(spectra) > 1:
            raise StepError(
                f"panel {number}: {len(spectra)} spectra in one spectrogram",
                advice="give each a panel of its own, or set its panel_types to 'spectrum'",
            )
    elif wanted is None and spectra and len(spectra) < len(tables):
        raise StepError(
            f"panel {number}: spectrum '{spectra[0]}' and lines in one panel",
            advice="give the spectrum a panel of its own, or set its panel_types to 'line'",
        )
    return Panel(number, tables, chosen)


def _default_type(tables: Mapping[str, Table]) -> PanelType:
    if all(_is_one_spectrum(table) for table in tables.values()):
        return "spectrum"
    if len(tables) == 1 and next(iter(tables.values())).kind == "spectrum":
        return "spectrogram"
    return "line"


def _check_overlaid(number: int, tables: Mapping[str, Table]) -> None:
    (first, known), *others = tables.items()
    for label, table in others:
        one, other = known.axes[0], table.axes[0]
        # Ion and electron energies in eV share an axis; without a unit only the name tells.
        if one.unit != other.unit or (not one.unit and one.label != other.label):
            raise StepError(
                f"panel {number}: '{first}' is over {_axis_words(one)}, '{label}' over {_axis_words(other)}",
                advice="give each a panel of its own",
            )
        if known.unit != table.unit:
            raise StepError(
                f"panel {number}: '{first}' is in {known.unit or 'no unit'}, '{label}' in {table.unit or 'no unit'}",
                advice="give each a panel of its own, or convert one with convert_units",
            )


def _axis_words(axis: Axis) -> str:
    return f"{axis.label or 'bins'} {f'[{axis.unit}]' if axis.unit else ''}".strip()
