"""Objects and lists that an author put into a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.walk import each_step, id_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.document import Document, read_json, without_trailing_commas
from helio.pipelines.template.edit import Edit, Operation, replaced

OBJECTS = ("tool_args", "with", "for_each", "annotations")
LISTS = ("block", "loop_over")


def unpack_json(plan: Document, context: Context) -> Iterator[Finding]:
    """Read ``tool_args`` and the other objects of a step that are JSON in a text.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_args": '{"labels": ["B"]}'}]}
    >>> [edit] = unpack_json(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]["value"]
    {'labels': ['B']}
    """
    del context
    for path, step in each_step(plan):
        operations: list[Operation] = []
        keys: list[str] = []
        for key in (*OBJECTS, *LISTS):
            unpacked = unpack(step.get(key), dict if key in OBJECTS else list)
            if unpacked is not None:
                operations += replaced(pointer(*path, key), step[key], unpacked)
                keys.append(key)
        if operations:
            message = f"{', '.join(keys)}: JSON in a text is read"
            yield Edit("HN505", message, tuple(operations), id_of(step), path=pointer(*path, keys[0]))


def unpack(value: Any, kind: type) -> Any:
    """What a text holds as JSON, if it is of that kind."""
    if not isinstance(value, str) or value.lstrip()[:1] != ("{" if kind is dict else "["):
        return None
    try:
        found = read_json(value)
    except ValueError:
        # A text that is no JSON stays what it is, and is refused where an object belongs.
        found = without_trailing_commas(value)
    return found if isinstance(found, kind) else None
