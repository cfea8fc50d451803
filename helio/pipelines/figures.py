"""Figures and the styles declared about them, whatever their place in the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helio.pipelines.diagnostics import StepId
from helio.pipelines.template import Document

PLOT, STYLE, RENDER, MANAGE = "plot_data", "style_plot", "render_spec", "manage_plot"
FIGURES = (PLOT, RENDER)
DRAWING = (PLOT, STYLE)
"""Tools whose arguments are keys of a figure."""
UNKNOWN_KEY = "HO401"
"""A figure has its own code for a key that it does not know."""


def depends_on(step: Document) -> list[Any]:
    """What a step depends on, empty where it says nothing that is a list."""
    found = step.get("depends_on")
    return found if isinstance(found, list) else []


def figures_meant(steps: Sequence[Document]) -> dict[StepId, list[StepId]]:
    """For each style, the figures that it can mean: those it depends on, through other styles too, else all."""
    figures = [one["step_id"] for one in steps if one.get("tool_name") in FIGURES and "step_id" in one]
    styles = {one["step_id"]: one for one in steps if one.get("tool_name") == STYLE and "step_id" in one}
    meant: dict[StepId, list[StepId]] = {}
    for name in styles:
        found: set[StepId] = set()
        seen: set[StepId] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            for other in depends_on(styles[one]):
                if other in styles:
                    waiting.append(other)
                elif other in figures:
                    found.add(other)
        meant[name] = [one for one in figures if one in found] or figures
    return meant


def spec_of(step: Document) -> Any:
    """What a figure's step says of its looks."""
    args = step.get("tool_args")
    if not isinstance(args, dict):
        return None
    return args.get("spec") if step.get("tool_name") == RENDER else args


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
    listed = [one for one in labels if isinstance(one, str)] if isinstance(labels, list) else []
    panels = spec.get("panels")
    drawn = [
        one
        for panel in (panels if isinstance(panels, list) else ())
        for one in (panel if isinstance(panel, list) else [panel])
        if isinstance(one, str)
    ]
    return [*listed, *(one for one in dict.fromkeys(drawn) if one not in listed)]
