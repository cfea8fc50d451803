"""Figures and the styles declared about them, whatever their place in the list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.labels import owner
from helio.pipelines.template.template import Step

PLOT, STYLE, RENDER, MANAGE = "plot_data", "style_plot", "render_spec", "manage_plot"
FIGURES = (PLOT, RENDER)
DRAWING = (PLOT, STYLE)
"""Tools whose arguments are keys of a figure."""
UNKNOWN_KEY = "HO401"
"""A figure has its own code for a key that it does not know."""


def figures_meant(steps: Sequence[Step]) -> dict[StepId, list[StepId]]:
    """For each style, the figures that it can mean: those it depends on, through other styles too, else all."""
    figures = [step.step_id for step in steps if step.tool_name in FIGURES]
    styles = {step.step_id: step for step in steps if step.tool_name == STYLE}
    meant: dict[StepId, list[StepId]] = {}
    for name in styles:
        found: set[StepId] = set()
        seen: set[StepId] = set()
        waiting = [name]
        while waiting:
            style = waiting.pop()
            if style in seen:
                continue
            seen.add(style)
            waiting += [needed for needed in styles[style].depends_on if needed in styles]
            found.update(styles[style].depends_on)
        meant[name] = [figure for figure in figures if figure in found] or figures
    return meant


def figure_of(step: Step) -> Document:
    """What a figure's step says of its looks."""
    return dict(step.tool_args.get("spec", {}) if step.tool_name == RENDER else step.tool_args)


def with_figure(step: Step, spec: Document) -> Step:
    """A figure's step with other looks."""
    args = {**step.tool_args, "spec": spec} if step.tool_name == RENDER else spec
    return replace(step, tool_args=args)


def merged(below: Any, above: Any) -> Any:
    """Deep merge: objects key by key, everything else replaced.

    >>> merged({"y_label": {"1": "a", "2": "b"}, "title": "old"}, {"y_label": {"1": "c"}, "title": "new"})
    {'y_label': {'1': 'c', '2': 'b'}, 'title': 'new'}
    """
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: merged(below.get(key), value) for key, value in above.items()}}
    return above


def complete_labels(spec: Document) -> list[str]:
    """The labels of a figure, those that stand in its panels only after the others."""
    labels = spec.get("labels")
    listed = [label for label in labels if isinstance(label, str)] if isinstance(labels, list) else []
    panels = spec.get("panels")
    drawn = [
        label
        for panel in (panels if isinstance(panels, list) else ())
        for label in (panel if isinstance(panel, list) else [panel])
        if isinstance(label, str)
    ]
    return [*listed, *(label for label in dict.fromkeys(drawn) if label not in listed)]


_PER_PANEL = ("panel_types", "row_heights")
_BY_NUMBER = (
    *(
        "y_label",
        "log_scale",
        "log_y",
        "log_x",
        "log_z",
        "y_range",
        "z_min",
        "z_max",
        "bin_range",
        "bin_label",
    ),
)
_AT_PANEL = ("hlines", "vlines", "annotations", "slopes")
_BY_LINE = ("trace_names", "trace_colors", "line_styles")


def without_labels(spec: Document, lost: Collection[str]) -> Document:
    """A figure without some of its labels: panels that are left empty go, with all that is said of them by number.

    >>> spec = {"labels": ["a", "b"], "panels": [["a"], ["b"]], "y_label": {"1": "A", "2": "B"}, "row_heights": [1, 2]}
    >>> without_labels(spec, ["a"])
    {'labels': ['b'], 'panels': [['b']], 'y_label': {'1': 'B'}, 'row_heights': [2]}
    """
    left = {**spec, "labels": [label for label in spec["labels"] if label not in lost]}
    for key in _BY_LINE:
        if isinstance(spec.get(key), dict):
            left[key] = {line: value for line, value in spec[key].items() if owner(line, lost) is None}
    panels = [[label for label in panel if label not in lost] for panel in spec.get("panels") or ()]
    if not panels:
        return left
    left["panels"] = [panel for panel in panels if panel]
    numbers = [number for number, panel in enumerate(panels, 1) if panel]
    place = {old: new for new, old in enumerate(numbers, 1)}
    for key in _PER_PANEL:
        if isinstance(spec.get(key), list):
            left[key] = [value for number, value in enumerate(spec[key], 1) if number in place]
    for key in _BY_NUMBER:
        if isinstance(spec.get(key), dict):
            said = {int(number): value for number, value in spec[key].items()}
            left[key] = {str(place[number]): value for number, value in said.items() if number in place}
        elif key == "log_scale" and isinstance(spec.get(key), int):
            left[key] = place.get(spec[key], "linear")
    for key in _AT_PANEL:
        if isinstance(spec.get(key), list):
            every = [
                {**item, "panel": place.get(item["panel"], 0)}
                if isinstance(item, dict) and "panel" in item
                else item
                for item in spec[key]
            ]
            left[key] = [item for item in every if not isinstance(item, dict) or item.get("panel") != 0]
    return left
