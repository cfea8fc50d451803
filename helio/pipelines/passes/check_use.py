"""Find steps and labels that no other part of a plan uses.

HV301 (warning)  step that nothing uses
    helio suggests removing the step, but never removes it silently.
    before  a fetch that nothing reads or draws
    after   warned, and run
    to do   Remove the step, or use its result in a later step.

HV302 (warning)  label that nothing uses
    The run computes it, and nobody sees it.
    before  "output_label": "ACE_Bmag", drawn nowhere
    after   warned, and computed
    to do   Draw or save the label, or remove the step.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.analyses.outputs import LIMITED, labels_used
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.template.edit import removed
from helio.pipelines.template.figures import FIGURES
from helio.pipelines.template.graph import StepView, views
from helio.pipelines.template.template import Step, Template

REPORTING = ("alert", "expect")
"""Tools whose events are in the record of the run, so that no step has to use their tables."""


def check_use(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of steps and labels that no other part of the plan uses; do not remove them.

    ``fetch B; fetch V; plot B`` → HV301 for the second fetch, with its removal as a suggestion.
    ``fetch B; C = magnitude(B); plot B`` → HV302 for ``C``. A plan without any figure or export is left alone: there
    the labels are what it is for.
    """
    shown = list(views(template.walk(), context.signatures))
    if not any(map(_is_artefact, shown)):
        return
    needed = {str(step_id) for step in template.walk() for step_id in step.depends_on}
    produced: dict[str, tuple[str, Step]] = {}
    for view in shown:
        for label in view.outputs:
            produced.setdefault(view.pattern(label), (label, view.step))
    used = labels_used(shown, produced)
    by_step: dict[tuple[str | int, ...], list[str]] = {}
    for label, (_, step) in produced.items():
        by_step.setdefault(step.path, []).append(label)
    for label, (written, step) in produced.items():
        if label in used or step.tool_name in REPORTING:
            continue
        unused = not any(name in used for name in by_step[step.path])
        alone = unused and not step.depends_on and str(step.step_id) not in needed
        if alone and len(step.path) == 2:
            if by_step[step.path][0] == label:
                prune = Fix("remove the step", removed(pointer(*step.path), step.to_json()))
                yield Diagnostic(
                    "HV301",
                    "no step uses the results of this step",
                    "warning",
                    step.step_id,
                    step.tool_name,
                    pointer(*step.path),
                    ("remove the step, or draw its results",),
                    fixes=(prune,),
                )
            continue
        yield Diagnostic(
            "HV302",
            f"no step uses the label '{written}'",
            "warning",
            step.step_id,
            step.tool_name,
            pointer(*step.path),
            (f"draw '{written}', or remove it",),
        )


def _is_artefact(step: StepView) -> bool:
    """Return whether a step writes a file, or draws tables that the author of the template chose."""
    signature = step.signature
    return signature is not None and (
        signature.gives == "export" or (signature.name in FIGURES and LIMITED not in step.step.annotations)
    )
