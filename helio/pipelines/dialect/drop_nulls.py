"""Remove values that mean nothing, such as ``null`` and ``"None"``.

HN201 (edit safe)  null-like value removed from an optional field that is not a text
    "None" in an argument means that it was left out; in a description it is an ordinary word.
    before  "units": "None"
    after   no units
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.written import object_of, variables_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, removed
from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE
from helio.pipelines.template.variables import Path, is_text
from helio.steps.signature import Schema, Signature

WORDS = ("intent", "name", "description", "$schema")
"""Descriptive fields, in which ``"None"`` is an ordinary word: only JSON's null is removed from them."""
ELSEWHERE = ("step_id", "depends_on", "steps")
"""Fields in which other passes correct empty values."""
NOT_TEXT = ("time_range", "interval", "number", "integer", "boolean", "duration")
"""Types of variables whose default is not a text."""


def drop_nulls(plan: Document, context: Context) -> Iterator[Finding]:
    """Remove ``null``, ``"None"``, ``"null"``, ``"undefined"`` and ``""``; keep such words in descriptions.

    >>> from datetime import datetime
    >>> step = {"step_id": 1, "tool_name": None, "use": "overview", "intent": "None", "critical": "null"}
    >>> [edit] = drop_nulls({"steps": [step]}, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HN201 fields without a value removed: tool_name, critical
    """
    yield from _dropped(_of_keys((), plan, STRUCTURE), None)
    for name, facts in variables_of(plan).items():
        words = () if facts.get("type") in NOT_TEXT else ("default",)
        yield from _dropped(_of_keys(("variables", name), facts, VARIABLE, words), None)
    for step in written_steps(plan):
        yield from _dropped(_of_keys(step.path, step.json, STEP), step.id)
        signature = step.signature(context)
        if signature is not None:
            args = (*step.path, "tool_args")
            yield from _dropped(dict(_of_arguments(args, step.args, signature)), step.id)


def _dropped(nulls: Mapping[Path, Any], step_id: StepId | None) -> Iterator[Edit]:
    if nulls:
        operations = [
            operation for path, value in nulls.items() for operation in removed(pointer(*path), value)
        ]
        message = f"fields without a value removed: {', '.join(str(path[-1]) for path in nulls)}"
        yield Edit("HN201", message, tuple(operations), step_id, path=pointer(*next(iter(nulls))))


def _of_keys(path: Path, owner: Document, schema: Schema, words: tuple[str, ...] = ()) -> Mapping[Path, Any]:
    """Return the keys of the template format whose values mean nothing, each with its value."""
    return {
        (*path, key): value
        for key, value in owner.items()
        if key in schema["properties"]
        and key not in ELSEWHERE
        and (value is None or (is_null(value) and key not in (*WORDS, *words)))
    }


def _of_arguments(path: Path, args: Document, signature: Signature) -> Iterator[tuple[Path, Any]]:
    """Yield the arguments whose values mean nothing, also inside arguments that are objects."""
    for name, value in args.items():
        argument = signature.argument(name)
        if argument is None or value in argument.schema.get("enum", ()):
            continue  # "none" may be a choice of its own
        # Words of a figure are drawn, and code is run: there "None" is what it says.
        drawn = signature.gives == "figure" or "contentMediaType" in argument.schema
        kept = argument.required and argument.schema.get("format") == "label"
        if value is None or (is_null(value) and not (kept or (drawn and is_text(argument.schema)))):
            yield (*path, name), value
        else:
            yield from _inside((*path, name), object_of(value), argument.schema)


def _inside(path: Path, owner: Document, schema: Schema) -> Iterator[tuple[Path, Any]]:
    """Yield the keys of an object whose values mean nothing."""
    for key, value in owner.items():
        below = schema.get("properties", {}).get(key)
        if below is None:
            continue
        if value is None or (is_null(value) and not is_text(below)):
            yield (*path, key), value
        else:
            yield from _inside((*path, key), object_of(value), below)
