"""Combine a plot and its styles in one figure step.

HO301 (edit safe)  plot and its styles made one render_spec
    A style describes a figure; a later style replaces earlier ones, key by key.
    before  plot_data(labels=[B]); style_plot(title="B")
    after   render_spec(spec={labels: [B], title: "B"})
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from helio.pipelines.passes.draft import Draft, dependants_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.figures import FIGURES, PLOT, RENDER, STYLE, figure_of, figures_meant, merged
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import Path


def lower_plots(template: Template, context: Context) -> Iterator[Finding]:
    """Merge each ``style_plot`` step into its figure, so that each figure is one ``render_spec`` step.

    ``plot_data(labels=[B])`` and ``style_plot(title="B")`` → ``render_spec(spec={labels: [B], title: "B"})``.
    A style is a declaration about a figure, not an action in time: its place in the list does not matter. Later
    styles win, key by key and panel by panel. What depended on a style depends on its figure.

    >>> from datetime import datetime
    >>> plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["B"]}, "depends_on": [1]}
    >>> style = {"step_id": 3, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [2]}
    >>> [edit] = lower_plots(Template.from_json({"steps": [plot, style]}), Context({}, datetime(2024, 1, 1), {}))
    >>> edit.message
    'plot 2 and its style 3 become one render_spec'
    """
    if not context.runs("lower_plots"):
        return
    for path, steps in template.lists():
        if any(step.tool_name in (PLOT, STYLE) for step in steps):
            yield from _lower(path, steps)


def _lower(path: Path, steps: Sequence[Step]) -> Iterator[Finding]:
    meant = figures_meant(steps)
    unclear = False
    for step in steps:
        if step.tool_name == STYLE and len(found := meant.get(step.step_id, [])) != 1:
            unclear = True
            yield _unclear(step, found)
    if unclear:
        return
    draft, dependants = Draft(path, steps), dependants_of(steps)
    styles: dict[StepId, list[int]] = {}
    for index, step in enumerate(steps):
        if step.tool_name == STYLE:
            styles.setdefault(meant[step.step_id][0], []).append(index)
    for index, step in enumerate(steps):
        own = styles.get(step.step_id, [])
        if step.tool_name not in FIGURES or (step.tool_name == RENDER and not own):
            continue
        declared = [steps[style_index] for style_index in own]
        spec = figure_of(step)
        for style in declared:
            spec = merged(spec, style.tool_args)
        instead = {style.step_id: step.step_id for style in declared}
        needed = [*step.depends_on, *(other for style in declared for other in style.depends_on)]
        dependencies = dict.fromkeys(instead.get(other, other) for other in needed)
        draft.change(
            index,
            tool_name=RENDER,
            tool_args={**(step.tool_args if step.tool_name == RENDER else {}), "spec": spec},
            depends_on=tuple(other for other in dependencies if other != step.step_id),
            # what the styles say beside their looks
            intent="; ".join(dict.fromkeys(part.intent for part in (step, *declared) if part.intent)),
            annotations=reduce(merged, (part.annotations for part in (step, *declared))),
        )
        if own:
            draft.stand_for(index, list(instead))
        for style_index in own:
            draft.remove(style_index)
        draft.rewire(
            instead, sorted({other for removed_id in instead for other in dependants.get(removed_id, ())})
        )
        listed = ", ".join(str(step_id) for step_id in instead)
        what = f"{'plot' if step.tool_name == PLOT else 'figure'} {step.step_id}"
        what += f" and its style{'s' if len(own) > 1 else ''} {listed} become" if own else " becomes"
        yield Edit("HO301", f"{what} one render_spec", draft.take(), step.step_id)


def _unclear(step: Step, meant: list[StepId]) -> Diagnostic:
    return Diagnostic(
        "HR702",
        "the style could belong to more than one figure" if meant else "there is no figure to style",
        step_id=step.step_id,
        tool_name=STYLE,
        path=pointer(*step.path, "depends_on"),
        advice=(f"set depends_on to one of {', '.join(map(str, meant))}",)
        if meant
        else ("add a step with plot_data",),
        candidates=tuple(meant),
    )
