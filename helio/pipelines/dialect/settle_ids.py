"""Every step has an id; whole numbers are numbers.

HN301 (edit safe)  numeric id given as text made a number, and references with it
    1 and "1" are one id; it is written one way.
    before  "step_id": "1"
    after   "step_id": 1

HN302 (edit safe)  missing id supplied
    Every step needs an id; no other step gets a new one.
    before  {"tool_name": "fetch_data", …}
    after   {"step_id": 1, "tool_name": "fetch_data", …}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.walk import each_list
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, replaced
from helio.pipelines.template.variables import Path

WHOLE = re.compile(r"[0-9]{1,9}")


def settle_ids(plan: Document, context: Context) -> Iterator[Finding]:
    """Make ids that are numbers in a text numbers, with what refers to them; give ids to steps without one.

    Where no step has an id they are 1 to n; else the missing ones follow the largest. Nobody is renumbered.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": "7", "depends_on": []}, {"depends_on": ["7"]}]}
    >>> for edit in settle_ids(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN301 the id "7" is the number 7
    HN301 dependencies name the ids that are numbers now
    HN302 the step without an id is step 8
    """
    del context
    for path, steps in each_list(plan):
        yield from _settled(
            path, [(index, step) for index, step in enumerate(steps) if isinstance(step, dict)]
        )


def _settled(path: Path, steps: list[tuple[int, Document]]) -> Iterator[Edit]:
    taken = {step["step_id"] for _, step in steps if _is_number(step.get("step_id"))}
    numbers: dict[str, int] = {}
    for _, step in steps:
        number = _meant(step.get("step_id"))
        # "1" beside 1 could be a reference to either; drop_repeated_steps says so.
        if number is not None and number not in taken:
            numbers[str(step["step_id"])] = number
    for index, step in steps:
        old = step.get("step_id")
        if _meant(old) is not None and str(old) in numbers:
            new = numbers[str(old)]
            shown = f'"{old}"' if isinstance(old, str) else str(old)
            operations: tuple[Operation, ...] = replaced(pointer(*path, index, "step_id"), old, new)
            yield Edit("HN301", f"the id {shown} is the number {new}", operations, new)
        references = _renamed(step.get("depends_on"), numbers)
        if references != step.get("depends_on"):
            operations = replaced(pointer(*path, index, "depends_on"), step["depends_on"], references)
            yield Edit(
                "HN301", "dependencies name the ids that are numbers now", operations, numbers.get(str(old))
            )
    used = {*taken, *numbers.values()}
    following = max([*used, 0]) + 1
    for index, step in steps:
        if is_null(step.get("step_id")):
            at = pointer(*path, index, "step_id")
            operations = (
                replaced(at, step["step_id"], following) if "step_id" in step else added(at, following)
            )
            yield Edit("HN302", f"the step without an id is step {following}", operations, following)
            following += 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _meant(value: Any) -> int | None:
    """The number that an id spells, when it is not one."""
    if isinstance(value, str) and WHOLE.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
        return int(value)
    return None


def _renamed(depends_on: Any, numbers: dict[str, int]) -> Any:
    if isinstance(depends_on, list):
        return [
            numbers.get(step_id, step_id) if isinstance(step_id, str) else step_id for step_id in depends_on
        ]
    return depends_on
