"""Critical steps rest on critical steps."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.figures import depends_on
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.passes.walk import each_list
from helio.pipelines.template import Document


def raise_critical(plan: Document, context: Context) -> Iterator[Finding]:
    """Make a step critical that a critical one rests on: its failure fails the run anyway.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "critical": False}, {"step_id": 2, "critical": True, "depends_on": [1]}]}
    >>> [(edit.code, edit.step_id) for edit in raise_critical(plan, Context({}, datetime(2024, 1, 1), {}))]
    [('HG301', 1)]
    """
    del context
    for path, steps in each_list(plan):
        place: dict[StepId, int] = {
            one["step_id"]: index
            for index, one in enumerate(steps)
            if isinstance(one.get("step_id"), (int, str))
        }
        waiting = [index for index, one in enumerate(steps) if one.get("critical", True) is True]
        needed: dict[int, StepId] = {}
        while waiting:
            index = waiting.pop()
            for other in depends_on(steps[index]):
                found = place.get(other)
                if found is not None and found not in needed and steps[found].get("critical") is False:
                    needed[found] = steps[index]["step_id"]
                    waiting.append(found)
        for index in sorted(needed):
            message = f"critical, because step {needed[index]} is and rests on it"
            at = pointer(*path, index, "critical")
            yield Edit(
                "HG301",
                message,
                replaced(at, False, True),
                steps[index]["step_id"],
                warning=f"'critical: false' has no effect: step {needed[index]} is critical and rests on this one",
                path=at,
            )
