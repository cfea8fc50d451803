"""Steps and labels that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, Fix
from helio.pipelines.figures import FIGURES, depends_on
from helio.pipelines.graph import StepView, views
from helio.pipelines.outputs import LIMITED, labels_used
from helio.pipelines.passes.edit import Context, Finding, removed
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


def _is_artefact(step: StepView) -> bool:
    """Whether a step makes an export, or a figure of which a pass left nothing out."""
    if step.signature is None:
        return False
    notes = step.step.get("annotations")
    limited = isinstance(notes, dict) and LIMITED in notes
    return step.signature.gives == "export" or (step.signature.name in FIGURES and not limited)


def check_use(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of a step that nothing uses and that uses nothing, and of labels that nothing reads; prune neither.

    ``fetch B; fetch V; plot B`` → HV301 for the second fetch, with its removal as a suggestion.
    ``fetch B; C = magnitude(B); plot B`` → HV302 for ``C``. A plan without any figure or export is left alone: there
    the labels are what it is for.
    """
    steps = list(views(plan, context.signatures))
    needed = {str(needed_id) for step in steps for needed_id in depends_on(step.step)}
    if not any(_is_artefact(step) for step in steps):
        return
    produced: dict[str, tuple[str, StepView]] = {}
    for step in steps:
        for label in step.outputs:
            produced.setdefault(step.pattern(label), (label, step))
    used = labels_used(steps, produced)
    by_step: dict[Path, list[str]] = {}
    for label, (_, step) in produced.items():
        by_step.setdefault(step.path, []).append(label)
    for label, (written, step) in produced.items():
        if label in used:
            continue
        unused = not any(known in used for known in by_step[step.path])
        alone = unused and not depends_on(step.step) and str(step.id) not in needed
        if alone and len(step.path) == 2:
            if by_step[step.path][0] == label:
                prune = Fix("remove the step", removed(step.pointer, step.step))
                yield Diagnostic(
                    "HV301",
                    "nothing uses this step",
                    "warning",
                    step.id,
                    step.tool,
                    step.pointer,
                    ("remove the step, or draw what it gives",),
                    fixes=(prune,),
                )
            continue
        yield Diagnostic(
            "HV302",
            f"nothing uses the label '{written}'",
            "warning",
            step.id,
            step.tool,
            step.pointer,
            (f"draw '{written}', or leave it out",),
        )
