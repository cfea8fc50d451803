"""Write references that are objects, such as ``{"source": "loop_item", "key": "date"}``, as texts.

HR205 (edit safe)  reference in an object written as a text
    Planners write the result of a step and the item of a loop in this form; the key names a part that one item has.
    before  "time_range": {"source": "loop_item", "key": "date"}
    after   "time_range": "{loop_item}"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.mend_dependencies import MARKS
from helio.pipelines.dialect.spell_results import RESULT
from helio.pipelines.dialect.spell_variables import LOOP_ITEM
from helio.pipelines.dialect.synonyms import fold
from helio.pipelines.dialect.written import Replacement, object_of, replacements, text_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.document import Document


def read_sources(plan: Document, context: Context) -> Iterator[Finding]:
    """Replace each argument that is an object with a ``source``, if the source is a result or the item of a loop.

    >>> from datetime import datetime
    >>> args = {"time_range": {"source": "loop_item", "key": "date"}}
    >>> [edit] = read_sources({"steps": [{"step_id": 1, "tool_args": args}]}, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]["value"]
    '{loop_item}'
    """
    del context
    for step in written_steps(plan):
        changes = [
            Replacement((*step.path, "tool_args", name), value, text)
            for name, value in step.args.items()
            if (text := _reference(value))
        ]
        if changes:
            message = ", ".join(f"{change.path[-1]} written as {change.new}" for change in changes)
            yield step.edit("HR205", message, replacements(changes), pointer(*changes[0].path))


def _reference(value: Any) -> str:
    """Return the text for a reference in an object; return an empty text for any other value."""
    source = text_of(object_of(value).get("source")).strip(MARKS)
    if not source or not object_of(value).keys() <= {"source", "key"}:
        return ""
    if fold(source) in LOOP_ITEM:
        return "{loop_item}"
    return source if RESULT.fullmatch(source) else ""
