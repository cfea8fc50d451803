"""Objects and lists that an author put into a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.written import EditedObject, written_steps
from helio.pipelines.template.document import Document, read_json, without_trailing_commas
from helio.pipelines.template.edit import Context, Finding

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
    for step in written_steps(plan):
        edited = EditedObject(step.path, step.json)
        keys = []
        for key in (*OBJECTS, *LISTS):
            unpacked = unpack(step.json.get(key), dict if key in OBJECTS else list)
            if unpacked is not None:
                edited.put(key, unpacked)
                keys.append(key)
        if keys:
            message = f"{', '.join(keys)}: JSON in a text is read"
            yield step.edit("HN505", message, edited.operations, step.at(keys[0]))


def unpack(value: Any, kind: type) -> Any:
    """Return what a text holds as JSON, if it is of that kind, else None."""
    if not isinstance(value, str) or value.lstrip()[:1] != ("{" if kind is dict else "["):
        return None
    try:
        unpacked = read_json(value)
    except ValueError:
        # A text that is no JSON stays what it is, and is refused where an object belongs.
        unpacked = without_trailing_commas(value)
    return unpacked if isinstance(unpacked, kind) else None
