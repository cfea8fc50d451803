"""One id, one step.

HN303 (error)  one id, two different steps
    References to it could mean either, so neither is renumbered.
    before  two steps with the id 1
    after   refused, both places named

HN304 (edit safe)  one id, the identical step twice: one kept
    The second says nothing new.
    before  the same step 1, twice
    after   step 1, once
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.dialect.walk import each_list, id_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, removed


def drop_repeated_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Keep one of identical steps with one id; refuse one id on different steps: what refers to it is ambiguous.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "a"}, {"step_id": 1, "tool_name": "b"}]}
    >>> [found] = drop_repeated_steps(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(found.code, found.path, found.message)
    HN303 /steps/1/step_id the id 1 is taken by another step (/steps/0)
    """
    del context
    for path, steps in each_list(plan):
        # 1 and "1" are one id: they could not be told apart on a command line.
        first: dict[str, int] = {}
        twins: list[int] = []
        for index, step in enumerate(steps):
            step_id = id_of(step) if isinstance(step, dict) else None
            if step_id is None:
                continue
            before = first.setdefault(str(step_id), index)
            if before == index:
                continue
            if steps[before] == step:
                twins.append(index)
                continue
            yield Diagnostic(
                "HN303",
                f"the id {step_id} is taken by another step ({pointer(*path, before)})",
                step_id=step_id,
                path=pointer(*path, index, "step_id"),
                advice=("another id for one of them",),
                candidates=(pointer(*path, before, "step_id"),),
            )
        operations: list[Operation] = []
        for index in reversed(twins):  # from the end, so that each place is still the one named
            operations += removed(pointer(*path, index), steps[index])
        if operations:
            ids = ", ".join(dict.fromkeys(str(steps[index]["step_id"]) for index in twins))
            yield Edit("HN304", f"step {ids} stands there more than once: one is kept", tuple(operations))
            return  # the places of steps in blocks are others now; the next round looks at them
