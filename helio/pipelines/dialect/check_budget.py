"""Limit the number of steps of a plan.

HV701 (error)  more steps than the policy allows
    The size of a plan must be limited.
    before  2000 steps
    after   refused: 2000 steps are more than 1000
    to do   Use a shorter time range or longer intervals, or split the pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from helio.pipelines.dialect.written import written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document

APPENDED = ("Draw what the pipeline ends in", "Export what the pipeline ends in")
"""Intents of the figure and the export that `guarantee_artefact` adds; these two steps do not count for the limit."""


def check_budget(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a plan with more steps than the policy allows; steps inside a block count too.

    It runs before every pass that looks at each pair of steps, so that a plan that is too large is refused at once.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Policy
    >>> plan = {"steps": [{"step_id": 1}, {"step_id": 2}]}
    >>> [found] = check_budget(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_steps=1)))
    >>> print(found)
    error[HV701]: the pipeline has 2 steps; the maximum is 1
      --> /steps
      try use fewer steps, or split the pipeline
    """
    count = sum(1 for step in written_steps(plan) if not isinstance(step.json.get("block"), list))
    yield from refused(count, context.policy.max_steps, (step.get("intent") for step in plan["steps"]))


def refused(count: int, most: int, intents: Iterable[object], where: str = "") -> Iterator[Diagnostic]:
    """Return the error for a plan with too many steps; a figure or export that helio added does not count."""
    if count - any(intent in APPENDED for intent in intents) > most:
        yield Diagnostic(
            "HV701",
            f"the pipeline has {count} steps{where}; the maximum is {most}",
            path="/steps",
            advice=("use fewer steps, or split the pipeline",),
        )
