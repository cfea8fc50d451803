"""One figure tool: a plot and the styles declared about it become one render."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document

PLOT, STYLE, RENDER = "plot_data", "style_plot", "render_spec"


def lower_plots(plan: Document, context: Context) -> Iterator[Finding]:
    """Merge each ``style_plot`` into the figure that it depends on, as one ``render_spec`` per figure.

    ``plot_data(labels=[B])`` and ``style_plot(title="B")`` → ``render_spec(spec={labels: [B], title: "B"})``.
    A style is a declaration about a figure, not an action in time: its place in the list does not matter. Later
    styles win, key by key and panel by panel.
    """
    del context
    steps = plan["steps"]
    figures = {step["step_id"] for step in steps if step["tool_name"] in (PLOT, RENDER)}
    if not any(step["tool_name"] in (PLOT, STYLE) for step in steps):
        return
    styles = {step["step_id"]: step for step in steps if step["tool_name"] == STYLE}
    targets: dict[StepId, StepId] = {}
    for index, step in enumerate(steps):
        if step["tool_name"] != STYLE:
            continue
        meant = _figures_of(step, styles, figures) or figures
        if len(meant) == 1:
            targets[step["step_id"]] = next(iter(meant))
            continue
        yield Diagnostic(
            "HR702",
            "there is no figure to style" if not meant else "more than one figure could be meant",
            step_id=step["step_id"],
            tool_name=STYLE,
            path=pointer("steps", index, "depends_on"),
            advice=(f"depends_on: one of {', '.join(map(str, sorted(meant, key=str)))}",)
            if meant
            else ("a plot_data",),
            candidates=tuple(sorted(meant, key=str)),
        )
    if len(targets) < len(styles):
        return
    lowered = [
        _lowered(step, [one for one in steps if targets.get(one["step_id"]) == step["step_id"]], targets)
        for step in steps
        if step["tool_name"] != STYLE
    ]
    yield Edit(
        "HO301", "plots and their styles become one render per figure", replaced("/steps", steps, lowered)
    )


def _figures_of(
    step: Document,
    styles: dict[StepId, Document],
    figures: set[StepId],
    seen: frozenset[StepId] = frozenset(),
) -> set[StepId]:
    """The figures that a style depends on, directly or through other styles."""
    found = {one for one in step["depends_on"] if one in figures}
    for one in step["depends_on"]:
        if one in styles and one not in seen:
            found |= _figures_of(styles[one], styles, figures, seen | {step["step_id"]})
    return found


def _lowered(step: Document, styles: list[Document], targets: dict[StepId, StepId]) -> Document:
    needed = [*step["depends_on"], *(one for style in styles for one in style["depends_on"])]
    depends_on = [
        one for one in dict.fromkeys(targets.get(one, one) for one in needed) if one != step["step_id"]
    ]
    if step["tool_name"] not in (PLOT, RENDER):
        return {**step, "depends_on": depends_on}
    spec = step["tool_args"] if step["tool_name"] == PLOT else step["tool_args"]["spec"]
    for style in styles:
        spec = _merged(spec, style["tool_args"])
    args = {"spec": spec} if step["tool_name"] == PLOT else {**step["tool_args"], "spec": spec}
    intents = dict.fromkeys(one["intent"] for one in (step, *styles) if one["intent"])
    return {
        **step,
        "tool_name": RENDER,
        "tool_args": args,
        "depends_on": depends_on,
        "intent": "; ".join(intents),
    }


def _merged(below: Any, above: Any) -> Any:
    """Deep merge: objects key by key, everything else replaced."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **{key: _merged(below.get(key), value) for key, value in above.items()}}
    return above
