"""How large a plan may be.

HV701 (error)  more steps than the policy allows
    A plan has to end.
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
"""The intents of the figure and of the export that `guarantee_artefact` appends; neither is counted."""


def check_budget(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a plan with more steps than the policy allows, those of blocks counted.

    It runs before every pass that looks at each pair of steps, so that a plan that is too large is refused at once.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Policy
    >>> plan = {"steps": [{"step_id": 1}, {"step_id": 2}]}
    >>> [found] = check_budget(plan, Context({}, datetime(2024, 1, 1), {}, policy=Policy(max_steps=1)))
    >>> print(found)
    error[HV701]: 2 steps are more than 1
      --> /steps
      try fewer steps, or several pipelines
    """
    count = sum(1 for step in written_steps(plan) if not isinstance(step.json.get("block"), list))
    yield from refused(count, context.policy.max_steps, (step.get("intent") for step in plan["steps"]))


def refused(count: int, most: int, intents: Iterable[object], where: str = "") -> Iterator[Diagnostic]:
    """Return the error for more steps than the policy allows; a figure or export of a pass does not count."""
    if count - any(intent in APPENDED for intent in intents) > most:
        yield Diagnostic(
            "HV701",
            f"{count} steps are more than {most}{where}",
            path="/steps",
            advice=("fewer steps, or several pipelines",),
        )
