"""Read objects and lists that the author of a template wrote as JSON inside a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.written import EditedObject, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.document import Document, read_json, without_trailing_commas

OBJECTS = ("tool_args", "with", "for_each", "annotations")
LISTS = ("block", "loop_over")


def unpack_json(plan: Document, context: Context) -> Iterator[Finding]:
    """Convert ``tool_args`` and the other objects of a step from texts with JSON to objects.

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
            message = f"{', '.join(keys)}: JSON text read as JSON"
            yield step.edit("HN505", message, edited.operations, step.at(keys[0]))


def unpack(value: Any, kind: type) -> Any:
    """Return the JSON value in a text if the value has this type, otherwise None."""
    if not isinstance(value, str) or value.lstrip()[:1] != ("{" if kind is dict else "["):
        return None
    try:
        unpacked = read_json(value)
    except ValueError:
        # A text that is no JSON stays what it is, and is refused where an object belongs.
        unpacked = without_trailing_commas(value)
    return unpacked if isinstance(unpacked, kind) else None
