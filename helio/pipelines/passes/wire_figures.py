"""Find the figure of each style and each export of a figure.

HR701 (edit safe)  style or export connected to the only figure
    There is only one figure.
    before  style_plot without depends_on
    after   "depends_on": [3]

HR702 (error)  style or export without a figure, or with more than one possible figure
    A style on the wrong figure would not be noticed.
    before  two plots and a style without depends_on
    after   refused, both named
    to do   Name the step of the figure in depends_on of the style.

HR703 (edit safe)  export placed after all styles of its figure
    The export must show the figure with all its styles.
    before  plot, export, style
    after   plot, style, export
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.edit import Edit, changed, reordered
from helio.pipelines.template.figures import BY_LINE, FIGURES, MANAGE, STYLE, complete_labels, figure_of
from helio.pipelines.template.labels import owner
from helio.pipelines.template.template import Step, Template, reached
from helio.pipelines.template.variables import Path

ABOUT = (STYLE, MANAGE)


def wire_figures(template: Template, context: Context) -> Iterator[Finding]:
    """Let each style or export of a figure depend on its figure, if only one figure is possible.

    A style stands after its figure. Where styles are not merged into it, an export stands after all of them.

    >>> from datetime import datetime
    >>> plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["B"]}, "depends_on": []}
    >>> style = {"step_id": 1, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": []}
    >>> for edit in wire_figures(Template.from_json({"steps": [style, plot]}), Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HR701 depends on its figure, step 2
    HR701 step 1 moved after its figure 2
    """
    for path, steps in template.lists():
        if not any(step.tool_name in ABOUT for step in steps):
            continue
        moved = yield from _wire(path, steps, context)
        if moved:
            return  # the places of steps in blocks are others now; the next round looks at them


def _wire(path: Path, steps: Sequence[Step], context: Context) -> Generator[Finding, None, bool]:
    drawn = {step.step_id: step for step in steps if step.tool_name in FIGURES}
    mapped = {step.step_id: step for step in steps if _draws(step)}
    about = {step.step_id: step.depends_on for step in steps if step.tool_name in ABOUT}
    calls = {step.step_id for step in steps if step.use}
    now = list(steps)
    belongs: dict[StepId, StepId] = {}
    wired: dict[StepId, StepId] = {}
    for index, step in enumerate(steps):
        if step.step_id not in about:
            continue
        # each figure of a map can be exported by one step; a style is merged into one figure
        figures = drawn | mapped if step.tool_name == MANAGE else drawn
        behind = reached(step.step_id, about)
        named = [figure for figure in figures if figure in behind]
        if not named and calls and (not figures or any(step_id in calls for step_id in step.depends_on)):
            continue  # the figure may be one of a pipeline that is still to be put in
        meant = named or _meant(step, figures)
        if len(meant) != 1:
            yield _unclear(step, meant)
            continue
        belongs[step.step_id] = meant[0]
        if not named:
            wired[step.step_id] = meant[0]
            at = pointer(*step.path, "depends_on")
            now[index] = replace(step, depends_on=(*step.depends_on, meant[0]))
            message = f"depends on its figure, step {meant[0]}"
            yield Edit("HR701", message, changed(step, now[index]), step.step_id, path=at)
    after: dict[StepId, list[StepId]] = {step_id: [figure] for step_id, figure in wired.items()}
    moved = _behind(path, now, after)
    if moved != now:
        shown = ", ".join(
            f"step {step_id} moved after its figure {figure}" for step_id, figure in wired.items()
        )
        yield Edit("HR701", shown, reordered(path, now, moved))
    has_moved = moved != now
    if context.runs("lower_plots"):
        return has_moved
    return (yield from _export_last(path, moved, belongs)) or has_moved


def _export_last(
    path: Path, steps: Sequence[Step], belongs: dict[StepId, StepId]
) -> Generator[Finding, None, bool]:
    """Let each export of a figure wait for all styles of this figure."""
    now = list(steps)
    after: dict[StepId, list[StepId]] = {}
    for index, step in enumerate(steps):
        if step.tool_name != MANAGE or step.tool_args.get("action") != "export":
            continue
        styles = [
            style.step_id
            for style in steps
            if style.tool_name == STYLE
            and belongs.get(style.step_id) == belongs.get(step.step_id)
            and step.step_id not in style.depends_on
        ]
        if not styles or step.step_id not in belongs:
            continue
        after[step.step_id] = styles
        now[index] = replace(step, depends_on=tuple(dict.fromkeys([*step.depends_on, *styles])))
        if now[index] != step:
            at = pointer(*step.path, "depends_on")
            message = f"exported after {', '.join(map(str, styles))}"
            yield Edit("HR703", message, changed(step, now[index]), step.step_id, path=at)
    moved = _behind(path, now, after)
    if moved != now:
        yield Edit("HR703", "exports moved after the styles of their figures", reordered(path, now, moved))
    return moved != now


def _draws(block: Step) -> bool:
    """Return whether a block has a step that draws a figure."""
    return any(inner.tool_name in FIGURES or _draws(inner) for inner in block.block)


def _behind(path: Path, steps: Sequence[Step], after: dict[StepId, list[StepId]]) -> list[Step]:
    """Return the steps in a new order: each style and export follows the last step to which it belongs."""
    position = {step.step_id: index for index, step in enumerate(steps)}
    last = {step_id: max(position[other] for other in others) for step_id, others in after.items()}
    key = {
        step_id: index if index > last.get(step_id, -1) else last[step_id] + 0.5
        for step_id, index in position.items()
    }
    moved = sorted(steps, key=lambda step: key[step.step_id])
    return [replace(step, path=(*path, index)) for index, step in enumerate(moved)]


def _meant(step: Step, figures: dict[StepId, Step]) -> list[StepId]:
    """Return the possible figures of a style or export; of several, return those with the labels that it names."""
    if len(figures) < 2:
        return list(figures)
    args = step.tool_args
    groups = [args[key] for key in BY_LINE if key in args]
    labels = [label for group in groups for label in group]
    if not labels:
        return list(figures)
    drawn = {name: set(complete_labels(figure_of(figure))) for name, figure in figures.items()}
    return [figure for figure in figures if all(owner(label, drawn[figure]) for label in labels)] or list(
        figures
    )


def _unclear(step: Step, meant: list[StepId]) -> Diagnostic:
    what = "style" if step.tool_name == STYLE else "manage"
    at = pointer(*step.path, "depends_on")
    shown = ", ".join(map(str, meant))
    return Diagnostic(
        "HR702",
        f"the step could belong to more than one figure: {shown}"
        if meant
        else f"there is no figure to {what}",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=at,
        advice=(f"set depends_on to one of {shown}",) if meant else ("add a step with plot_data",),
        candidates=tuple(meant),
        fixes=tuple(
            Fix(
                f"add figure {figure} to depends_on",
                changed(step, replace(step, depends_on=(*step.depends_on, figure))),
            )
            for figure in meant
        ),
    )
