"""One figure tool: a plot and the styles declared about it become one render."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.figures import FIGURES, PLOT, RENDER, STYLE, depends_on, figures_meant, merged, spec_of
from helio.pipelines.maps import args_of
from helio.pipelines.passes.draft import Draft, dependants_of
from helio.pipelines.passes.edit import Context, Edit, Finding
from helio.pipelines.passes.walk import each_list
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


def lower_plots(plan: Document, context: Context) -> Iterator[Finding]:
    """Merge each ``style_plot`` into the figure that it depends on, as one ``render_spec`` per figure.

    ``plot_data(labels=[B])`` and ``style_plot(title="B")`` → ``render_spec(spec={labels: [B], title: "B"})``.
    A style is a declaration about a figure, not an action in time: its place in the list does not matter. Later
    styles win, key by key and panel by panel. What depended on a style depends on its figure.

    >>> from datetime import datetime
    >>> plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["B"]}, "depends_on": [1]}
    >>> style = {"step_id": 3, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [2]}
    >>> [edit] = lower_plots({"steps": [plot, style]}, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.message
    'plot 2 and its style 3 become one render_spec'
    """
    if not context.runs("lower_plots"):
        return
    for path, steps in each_list(plan):
        if any(step.get("tool_name") in (PLOT, STYLE) for step in steps):
            yield from _lower(path, steps)


def _lower(path: Path, steps: list[Document]) -> Iterator[Finding]:
    meant = figures_meant(steps)
    unclear = False
    for place, step in enumerate(steps):
        if step.get("tool_name") == STYLE and len(found := meant.get(step.get("step_id", ""), [])) != 1:
            unclear = True
            yield _unclear(path, place, step, found)
    if unclear:
        return
    draft, dependants = Draft(path, steps), dependants_of(steps)
    styles: dict[StepId, list[int]] = {}
    for place, step in enumerate(steps):
        if step.get("tool_name") == STYLE:
            styles.setdefault(meant[step["step_id"]][0], []).append(place)
    for place, step in enumerate(steps):
        named = step.get("tool_name")
        own = styles.get(step.get("step_id", ""), [])
        spec: Any = spec_of(step)
        if named not in FIGURES or not isinstance(spec, dict) or (named == RENDER and not own):
            continue
        for one in own:
            spec = merged(spec, args_of(steps[one]))
        draft.set(place, "tool_name", RENDER)
        draft.set(place, "tool_args", {"spec": spec} if named == PLOT else {**args_of(step), "spec": spec})
        _take_in(draft, place, own)
        instead = {steps[one]["step_id"]: step["step_id"] for one in own}
        needed = [*depends_on(step), *(other for one in own for other in depends_on(steps[one]))]
        wanted = [
            one for one in dict.fromkeys(instead.get(one, one) for one in needed) if one != step["step_id"]
        ]
        if wanted or "depends_on" in step:
            draft.set(place, "depends_on", wanted)
        for one in own:
            draft.remove(one)
        draft.rewire(instead, sorted({other for gone in instead for other in dependants.get(gone, ())}))
        listed = ", ".join(str(one) for one in instead)
        what = f"{'plot' if named == PLOT else 'figure'} {step['step_id']}"
        what += f" and its style{'s' if len(own) > 1 else ''} {listed} become" if own else " becomes"
        yield Edit("HO301", f"{what} one render_spec", draft.take(), step["step_id"])


def _take_in(draft: Draft, place: int, styles: list[int]) -> None:
    """What the styles say beside their looks: intents, and notes that nothing executes."""
    steps = [draft.steps[one] for one in (place, *styles)]
    intents = "; ".join(dict.fromkeys(one["intent"] for one in steps if one.get("intent")))
    if intents:
        draft.set(place, "intent", intents)
    notes: Any = {}
    for one in steps:
        notes = merged(notes, one.get("annotations") or {})
    if notes:
        draft.set(place, "annotations", notes)
    if styles:
        draft.stand_for(place, [draft.steps[one]["step_id"] for one in styles])


def _unclear(path: Path, place: int, step: Document, meant: list[StepId]) -> Diagnostic:
    return Diagnostic(
        "HR702",
        "more than one figure could be meant" if meant else "there is no figure to style",
        step_id=step.get("step_id"),
        tool_name=STYLE,
        path=pointer(*path, place, "depends_on"),
        advice=(f"depends_on: one of {', '.join(map(str, meant))}",) if meant else ("a plot_data",),
        candidates=tuple(meant),
    )
