"""Give every step an id, and write ids that are whole numbers as numbers.

HN301 (edit safe)  numeric id given as text made a number, and references with it
    1 and "1" are the same id.
    before  "step_id": "1"
    after   "step_id": 1

HN302 (edit safe)  missing id added
    Every step needs an id; the ids of other steps stay.
    before  {"tool_name": "fetch_data", …}
    after   {"step_id": 1, "tool_name": "fetch_data", …}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.written import EditedObject, WrittenStep, lists_of_written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit

WHOLE = re.compile(r"[0-9]{1,9}")


def settle_ids(plan: Document, context: Context) -> Iterator[Finding]:
    """Write ids such as ``"1"`` as numbers, also where other steps refer to them; give ids to steps without one.

    Where no step has an id they are 1 to n; else the missing ones follow the largest. Nobody is renumbered.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": "7", "depends_on": []}, {"depends_on": ["7"]}]}
    >>> for edit in settle_ids(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN301 the id "7" written as the number 7
    HN301 ids in depends_on written as numbers
    HN302 the step without an id gets the id 8
    """
    del context
    for steps in lists_of_written_steps(plan):
        yield from _settled(steps)


def _settled(steps: list[WrittenStep]) -> Iterator[Edit]:
    taken = {step.id for step in steps if isinstance(step.id, int)}
    spelt = {step.path: _number(step.json.get("step_id")) for step in steps}
    # "1" beside 1 could be a reference to either; drop_repeated_steps says so.
    numbers = {
        str(step.json["step_id"]): number
        for step in steps
        if (number := spelt[step.path]) is not None and number not in taken
    }
    for step in steps:
        old = step.json.get("step_id")
        new = numbers.get(str(old)) if spelt[step.path] is not None else None
        if new is not None:
            shown = f'"{old}"' if isinstance(old, str) else str(old)
            yield _written(step, "step_id", new, "HN301", f"the id {shown} written as the number {new}", new)
        needed = step.json.get("depends_on")
        if isinstance(needed, list):
            named = [numbers.get(name, name) if isinstance(name, str) else name for name in needed]
            if named != needed:
                message = "ids in depends_on written as numbers"
                yield _written(step, "depends_on", named, "HN301", message, numbers.get(str(old)))
    following = max([*taken, *numbers.values(), 0]) + 1
    for step in steps:
        if is_null(step.json.get("step_id")):
            message = f"the step without an id gets the id {following}"
            yield _written(step, "step_id", following, "HN302", message, following)
            following += 1


def _written(step: WrittenStep, key: str, value: Any, code: str, message: str, step_id: int | None) -> Edit:
    edited = EditedObject(step.path, step.json)
    edited.put(key, value)
    return Edit(code, message, tuple(edited.operations), step_id)


def _number(value: Any) -> int | None:
    """Return the whole number that a text or a decimal number such as 1.0 means as an id; otherwise None."""
    if isinstance(value, str) and WHOLE.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return int(value)
    return None
