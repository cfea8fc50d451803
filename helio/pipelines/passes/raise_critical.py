"""Mark a step as critical if a critical step depends on it.

HG301 (edit safe + warning)  a critical step depends on a non-critical one: made critical
    Its failure makes the run fail anyway. A figure needs only the steps without which it has no table to draw.
    before  1: "critical": false; 2, on 1: "critical": true
    after   1: "critical": true
    to do   Nothing, if the run may fail with this step; otherwise set "critical": false on the later step
            too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import FIGURES
from helio.pipelines.template.template import Step, Template, reached


def raise_critical(template: Template, context: Context) -> Iterator[Finding]:
    """Mark a step as critical if a critical step depends on it, because the run fails if either of the two fails.

    >>> from datetime import datetime
    >>> steps = [{"step_id": 1, "critical": False}, {"step_id": 2, "critical": True, "depends_on": [1]}]
    >>> template = Template.from_json({"steps": steps})
    >>> [(edit.code, edit.step_id) for edit in raise_critical(template, Context({}, datetime(2024, 1, 1), {}))]
    [('HG301', 1)]
    """
    del context
    for _, steps in template.lists():
        by_id = {step.step_id: step for step in steps}
        waiting = [step for step in steps if step.critical]
        needed: dict[StepId, StepId] = {}
        while waiting:
            step = waiting.pop()
            for other in _indispensable(step, steps) if step.tool_name in FIGURES else step.depends_on:
                if other in by_id and other not in needed and not by_id[other].critical:
                    needed[other] = step.step_id
                    waiting.append(by_id[other])
        for step in steps:
            if step.step_id not in needed:
                continue
            reader = needed[step.step_id]
            yield Edit(
                "HG301",
                f"the step becomes critical, because the critical step {reader} depends on it",
                changed(step, replace(step, critical=True)),
                step.step_id,
                warning=f"'critical: false' has no effect: step {reader} is critical and depends on this one",
                path=pointer(*step.path, "critical"),
            )


def _indispensable(figure: Step, steps: Sequence[Step]) -> set[StepId]:
    """Return the steps without which a figure has no table to draw: all steps that it reads are or need them."""
    needs = {step.step_id: step.depends_on for step in steps}
    return (
        set.intersection(*(reached(read, needs) for read in figure.depends_on))
        if figure.depends_on
        else set()
    )
