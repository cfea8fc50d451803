"""Make sure that no two steps have the same id.

HN303 (error)  two different steps with the same id
    References to the id could mean either step, so helio changes neither.
    before  two steps with the id 1
    after   refused, both places named
    to do   Give one of the two steps another step_id, and correct the references to it.

HN304 (edit safe)  the same step written twice: one copy kept
    The second copy adds nothing.
    before  the same step 1, twice
    after   step 1, once
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.dialect.written import WrittenStep, lists_of_written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, removed


def drop_repeated_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Keep the first of several identical steps with the same id; refuse different steps with the same id.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "a"}, {"step_id": 1, "tool_name": "b"}]}
    >>> [finding] = drop_repeated_steps(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(finding.code, finding.path, finding.message)
    HN303 /steps/1/step_id the id 1 is already used by another step (/steps/0)
    """
    del context
    for steps in lists_of_written_steps(plan):
        # 1 and "1" are one id: a command line cannot distinguish them.
        firsts: dict[str, WrittenStep] = {}
        twins: list[WrittenStep] = []
        for step in steps:
            first = step if step.id is None else firsts.setdefault(str(step.id), step)
            if first is not step and first.json == step.json:
                twins.append(step)
            elif first is not step:
                yield Diagnostic(
                    "HN303",
                    f"the id {step.id} is already used by another step ({first.at()})",
                    step_id=step.id,
                    path=step.at("step_id"),
                    advice=("give one of these steps another id",),
                    candidates=(first.at("step_id"),),
                )
        if twins:
            ids = ", ".join(dict.fromkeys(str(twin.id) for twin in twins))
            # from the end, so that each path is still the one named
            operations = [
                operation for twin in reversed(twins) for operation in removed(twin.at(), twin.json)
            ]
            yield Edit("HN304", f"repeated copies of step {ids} removed", tuple(operations))
            return  # steps in blocks have other paths now; the next round looks at them
