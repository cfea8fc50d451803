"""Values that stand for nothing, where nothing is meant by leaving a field out.

HN201 (edit safe)  null-like value removed from an optional field that is no text
    "None" in an argument means that it was left out; in words it is a word.
    before  "units": "None"
    after   no units
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.walk import each_step, id_of, name_of, variables_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, removed
from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE
from helio.pipelines.template.variables import Path, is_text
from helio.steps.signature import Schema, Signature

WORDS = ("intent", "name", "description", "$schema")
"""Fields for people: ``"None"`` is a word there, and only JSON's null is nothing."""
ELSEWHERE = ("step_id", "depends_on", "steps")
"""Fields that other passes settle, null or not."""


def drop_nulls(plan: Document, context: Context) -> Iterator[Finding]:
    """Remove ``null``, ``"None"``, ``"null"``, ``"undefined"`` and ``""`` from fields that are no words for people.

    >>> from datetime import datetime
    >>> step = {"step_id": 1, "tool_name": None, "use": "overview", "intent": "None", "critical": "null"}
    >>> [edit] = drop_nulls({"steps": [step]}, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HN201 no value: tool_name, critical
    """
    yield from _dropped((), plan, STRUCTURE["properties"], None)
    for name, facts in variables_of(plan).items():
        text = facts.get("type") not in ("time_range", "interval", "number", "integer", "boolean", "duration")
        gone = [
            key
            for key, value in facts.items()
            if key in VARIABLE["properties"]
            and is_null(value)
            and (value is None or (key not in WORDS and not (key == "default" and text)))
        ]
        yield from _edit([(("variables", name, key), facts[key]) for key in gone], None)
    for path, step in each_step(plan):
        yield from _dropped(path, step, STEP["properties"], id_of(step))
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is not None and isinstance(args, dict):
            yield from _edit(list(_in_arguments((*path, "tool_args"), args, signature)), id_of(step))


def _dropped(home: Path, owner: Document, known: Schema, step_id: StepId | None) -> Iterator[Edit]:
    gone = [
        ((*home, key), value)
        for key, value in owner.items()
        if key in known and key not in ELSEWHERE and is_null(value) and (value is None or key not in WORDS)
    ]
    yield from _edit(gone, step_id)


def _edit(gone: list[tuple[Path, Any]], step_id: StepId | None) -> Iterator[Edit]:
    operations: list[Operation] = []
    for path, value in gone:
        operations += removed(pointer(*path), value)
    if operations:
        names = ", ".join(str(path[-1]) for path, _ in gone)
        yield Edit("HN201", f"no value: {names}", tuple(operations), step_id, path=pointer(*gone[0][0]))


def _in_arguments(home: Path, args: Document, signature: Signature) -> Iterator[tuple[Path, Any]]:
    for name, value in args.items():
        argument = signature.argument(name)
        if argument is None or value in argument.schema.get("enum", ()):
            continue  # "none" may be a choice of its own
        # Words of a figure are drawn, and code is run: there "None" is what it says.
        drawn = signature.gives == "figure" or "contentMediaType" in argument.schema
        kept = argument.required and argument.schema.get("format") == "label"
        if is_null(value):
            if value is None or not (kept or (drawn and is_text(argument.schema))):
                yield (*home, name), value
        elif isinstance(value, dict):
            yield from _inside((*home, name), value, argument.schema)


def _inside(home: Path, value: Document, schema: Schema) -> Iterator[tuple[Path, Any]]:
    """Members of an argument that is an object."""
    for key, inner in value.items():
        below = schema.get("properties", {}).get(key)
        if below is None:
            continue
        if is_null(inner):
            if inner is None or not is_text(below):
                yield (*home, key), inner
        elif isinstance(inner, dict):
            yield from _inside((*home, key), inner, below)
