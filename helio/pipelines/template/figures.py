"""Find the figures of a template and their styles; the steps may be in any order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.labels import labels_at, owner, values_at
from helio.pipelines.template.template import Step, reached

PLOT, STYLE, RENDER, MANAGE = "plot_data", "style_plot", "render_spec", "manage_plot"
FIGURES = (PLOT, RENDER)
DRAWING = (PLOT, STYLE)
"""Tools whose arguments are keys of a figure."""
ENTRY_LABELS = ("xy.x", "xy.y", "xy.color_by", "histograms.of", "orbits.of", "orbits.color_by")
"""Paths of the labels in the entries of a figure that describe a panel each."""
ENTRIES = tuple(dict.fromkeys(path.partition(".")[0] for path in ENTRY_LABELS))
"""Keys of a figure whose value is a list with a panel in each entry; these panels stand below the others."""
BAND_LABELS = ("bands.sigma", "bands.lower", "bands.upper")
"""Paths of the labels of tables that give the uncertainties of lines."""
EVENT_LABELS = ("events.of", "events.by")
"""Paths of the labels of tables of events, whose intervals are shaded."""
MARK_LABELS = ("vlines.of",)
"""Paths of the labels of tables whose times are marked, or of series whose median is marked in a spectrum panel."""
LABEL_LISTS = ("right", "ephemeris")
"""Keys of a figure, besides ``labels`` and ``panels``, whose value is a list of labels."""
UNKNOWN_KEY = "HO401"
"""Code of the error about an unknown key of a figure."""


def figures_meant(steps: Sequence[Step]) -> dict[StepId, list[StepId]]:
    """Return the figures that each style may mean: those on which the style depends, or all if it depends on none."""
    figures = [step.step_id for step in steps if step.tool_name in FIGURES]
    indices: dict[StepId, list[int]] = {}
    for index, figure in enumerate(figures):
        indices.setdefault(figure, []).append(index)
    needs = {step.step_id: step.depends_on for step in steps if step.tool_name == STYLE}
    meant: dict[StepId, list[StepId]] = {}
    for style in needs:
        behind = sorted(index for step_id in reached(style, needs) for index in indices.get(step_id, ()))
        meant[style] = [figures[index] for index in behind] or figures
    return meant


def figure_of(step: Step) -> Document:
    """Return the settings of a figure from the arguments of its step."""
    return dict(step.tool_args.get("spec", {}) if step.tool_name == RENDER else step.tool_args)


def with_figure(step: Step, spec: Document) -> Step:
    """Return the step of a figure with new settings."""
    args = {**step.tool_args, "spec": spec} if step.tool_name == RENDER else spec
    return replace(step, tool_args=args)


def merged(below: Any, above: Any) -> Any:
    """Merge two values: objects key by key at every depth, and in all other cases the second value.

    >>> merged({"y_label": {"1": "a", "2": "b"}, "title": "old"}, {"y_label": {"1": "c"}, "title": "new"})
    {'y_label': {'1': 'c', '2': 'b'}, 'title': 'new'}
    """
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: merged(below.get(key), value) for key, value in above.items()}}
    return above


def complete_labels(spec: Document) -> list[str]:
    """Return the labels of a figure: first the labels in ``labels``, then those that only its panels contain."""
    listed = [label for _, label in labels_at((), spec.get("labels"))]
    drawn = dict.fromkeys(
        label
        for keys in ("panels", *LABEL_LISTS, *ENTRY_LABELS, *BAND_LABELS, *EVENT_LABELS, *MARK_LABELS)
        for path, value in values_at(spec, keys)
        for _, label in labels_at(path, value)
    )
    return [*listed, *(label for label in drawn if label not in listed)]


PER_PANEL = frozenset({"panel_types", "row_heights"})
"""Keys of a figure whose value is a list with one item for each panel."""
COLUMN_KEYS = ("columns", "column_titles", "share_y", "row_heights")
"""Keys of a figure that mean nothing any more if its panels no longer fill its columns."""
BY_NUMBER = frozenset(
    {
        "y_label", "log_scale", "linthresh", "log_y", "log_x", "log_z", "y_range", "z_min", "z_max", "bin_range",
        "bin_label",
    }
)  # fmt: skip
"""Keys of a figure whose value may be an object with panel numbers as keys."""
AT_PANEL = frozenset({"hlines", "vlines", "annotations", "slopes"})
"""Keys of a figure whose value is a list of items that each name a panel."""
TWO_SIDED = frozenset({"y_label", "log_scale", "linthresh", "log_y", "y_range"})
"""Keys of a figure with a panel number, or with a panel number and `RIGHT` for the panel's second y axis."""
RIGHT = " right"
BY_LINE = ("trace_colors", "trace_names", "line_styles", "categories")
"""Keys of a figure whose value is an object with labels of lines as keys."""


def panel_of(key: str, name: str) -> str:
    """Return the panel number in a name of a key by panel number.

    >>> panel_of("y_label", "2 right"), panel_of("log_z", "2 right")
    ('2', '2 right')
    """
    return name.removesuffix(RIGHT) if key in TWO_SIDED else name


def without_labels(spec: Document, lost: Collection[str]) -> Document:
    """Return the settings of a figure without some labels, without empty panels, and without settings for those panels.

    >>> spec = {"labels": ["a", "b"], "panels": [["a"], ["b"]], "y_label": {"1": "A", "2": "B"}, "row_heights": [1, 2]}
    >>> without_labels(spec, ["a"])
    {'labels': ['b'], 'panels': [['b']], 'y_label': {'1': 'B'}, 'row_heights': [2]}

    Panels that no longer fill the columns of the figure stand below each other:

    >>> spec = {"labels": ["a", "b"], "panels": [["a"], ["b"]], "columns": 2, "column_titles": ["A", "B"]}
    >>> without_labels(spec, ["a"])
    {'labels': ['b'], 'panels': [['b']]}
    """
    remaining = {**spec, "labels": [label for label in spec["labels"] if label not in lost]}
    for key in spec.keys() & BY_LINE:
        remaining[key] = {line: value for line, value in spec[key].items() if owner(line, lost) is None}
    if "bands" in spec:
        tables = ("line", "sigma", "lower", "upper")
        remaining["bands"] = [
            band for band in spec["bands"] if not any(owner(band.get(key, ""), lost) for key in tables)
        ]
    if "events" in spec:
        remaining["events"] = [
            entry
            for entry in spec["events"]
            if not any(owner(entry.get(key, ""), lost) for key in ("of", "by"))
        ]
    if "vlines" in spec:
        remaining["vlines"] = [line for line in spec["vlines"] if owner(line.get("of", ""), lost) is None]
    for key in spec.keys() & LABEL_LISTS:
        remaining[key] = [label for label in spec[key] if label not in lost]
    for key in ENTRIES & spec.keys():
        remaining[key] = [entry for entry in spec[key] if not _lost(key, entry, lost)]
    panels = [[label for label in panel if label not in lost] for panel in spec.get("panels") or ()]
    if not panels:
        return remaining
    remaining["panels"] = [panel for panel in panels if panel]
    kept = [bool(panel) for panel in panels]
    if spec.get("columns", 1) != 1 and not all(kept):
        remaining = {key: value for key, value in remaining.items() if key not in COLUMN_KEYS}
    for key in PER_PANEL & remaining.keys():
        remaining[key] = [
            value for number, value in enumerate(spec[key]) if number >= len(kept) or kept[number]
        ]
    kept += [not _lost(key, entry, lost) for key in ENTRIES for entry in spec.get(key, ())]
    numbers = [number for number, panel in enumerate(kept, 1) if panel]
    new_number = {old: new for new, old in enumerate(numbers, 1)}
    for key in BY_NUMBER & spec.keys():
        if isinstance(spec[key], dict):
            named = {name: panel_of(key, name) for name in spec[key]}
            remaining[key] = {
                name.replace(number, str(new_number[int(number)]), 1): spec[key][name]
                for name, number in named.items()
                if int(number) in new_number
            }
    if isinstance(spec.get("log_scale"), int):
        remaining["log_scale"] = new_number.get(spec["log_scale"], "linear")
    for key in AT_PANEL & spec.keys():
        items, remaining[key] = remaining[key], []
        for item in items:
            panel = item.get("panel") if isinstance(item, dict) else None
            if panel is None or panel in new_number:
                remaining[key].append(item if panel is None else {**item, "panel": new_number[panel]})
    return remaining


def entry_labels(key: str, entry: Document) -> set[str]:
    """Return the labels that an entry that describes a panel names.

    >>> sorted(entry_labels("xy", {"x": "V", "y": "n"})), entry_labels("histograms", {"of": "phi", "bins": 36})
    (['V', 'n'], {'phi'})
    """
    return {
        label
        for keys in ENTRY_LABELS
        if keys.startswith(f"{key}.")
        for path, value in values_at({key: [entry]}, keys)
        for _, label in labels_at(path, value)
    }


def _lost(key: str, entry: Document, lost: Collection[str]) -> bool:
    """Return whether an entry that describes a panel names a label that the figure has lost."""
    return not entry_labels(key, entry).isdisjoint(lost)
