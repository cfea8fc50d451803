"""Convert texts to the types of their fields: true and false, numbers, lists and fixed choices.

HN505 (edit safe)  a value converted to the type of its field
    JSON in a text, "true", "no" and trailing commas have only one meaning.
    before  "critical": "no"
    after   "critical": false
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from helio.pipelines.dialect.structure import fits
from helio.pipelines.dialect.synonyms import CHOICES, SYMBOLS, by_word, fold, is_null, truth_of
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.written import (
    Replacement,
    WrittenStep,
    list_of,
    object_of,
    replacements,
    text_of,
    variables_of,
    written_steps,
)
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.labels import split_labels
from helio.pipelines.template.schema import STEP, STRUCTURE
from helio.pipelines.template.variables import TOKEN, Path, is_text
from helio.steps.signature import Schema, Signature

NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})(?:[eE][+-]?[0-9]{1,2})?")
WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
ITEM = re.compile(r"[\w.$@:/-]+")
IN_TEMPLATE = ("schema_version", "artifact")
IN_STEP = {key: STEP["properties"][key] for key in ("critical", "retries", "pin", "collect", "on_item_error")}
_NUMBER: Schema = {"type": "number"}
IN_VARIABLE: Schema = {"required": {"type": "boolean"}}
IN_VARIABLE_OF: dict[str, Schema] = {
    kind: {**IN_VARIABLE, "default": {"type": kind}, "minimum": _NUMBER, "maximum": _NUMBER}
    for kind in ("number", "integer", "boolean")
}
"""Schemas of the fields of a variable, by the type of the variable."""


def spell_values(plan: Document, context: Context) -> Iterator[Finding]:
    """Convert a value of a wrong type to the type of its field, if only one such value is possible.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"labels": '["B"]', "log_y": "true", "palette": "TPLOT", "font_size": "12"}
    >>> step = {"step_id": 1, "tool_name": "plot_data", "tool_args": args, "critical": "no"}
    >>> for edit in spell_values({"steps": [step]}, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     for operation in edit.operations[1::2]:
    ...         print(operation["path"], operation["value"])
    /steps/0/critical False
    /steps/0/tool_args/labels ['B']
    /steps/0/tool_args/log_y True
    /steps/0/tool_args/palette tplot
    /steps/0/tool_args/font_size 12
    """
    for key in IN_TEMPLATE:
        yield from _edit(_respelt((key,), plan.get(key), STRUCTURE["properties"][key]), None)
    for name, facts in variables_of(plan).items():
        schemas = IN_VARIABLE_OF.get(text_of(facts.get("type")), IN_VARIABLE)
        yield from _edit(_in_fields(("variables", name), facts, schemas), None)
    schemas_of: dict[str, Schema] = {}
    for step in written_steps(plan):
        signature = step.signature(context)
        changes = [*_in_fields(step.path, step.json, IN_STEP), *_in_lists(step, context)]
        if signature is not None:
            schema = schemas_of.setdefault(signature.name, signature.schema())
            changes += _in_arguments(step, signature, schema)
        yield from _edit(changes, step.id)


def _edit(changes: Iterable[Replacement], step_id: StepId | None) -> Iterator[Edit]:
    listed = list(changes)
    if listed:
        message = f"values converted to the types of their fields: {', '.join(str(path[-1]) for path, *_ in listed)}"
        yield Edit("HN505", message, replacements(listed), step_id, path=pointer(*listed[0].path))


def _in_fields(path: Path, owner: Document, schemas: Schema) -> Iterator[Replacement]:
    """Yield the changes in those fields of an object that have a schema, in the order of the schema."""
    for key, schema in schemas.items():
        if key in owner:
            yield from _respelt((*path, key), owner[key], schema)


def _in_lists(step: WrittenStep, context: Context) -> Iterator[Replacement]:
    """Yield the items of a ``for_each`` and the labels of ``produces`` as lists if they are texts."""
    over, produces = step.loop.get("over"), step.json.get("produces")
    items = _items(text_of(over))
    if items is not None:
        yield Replacement((*step.path, "for_each", "over"), over, items)
    if not is_null(text_of(produces)):
        given = view_in(step.json, context.signatures).outputs
        yield Replacement(
            (*step.path, "produces"),
            produces,
            unpack(produces, list) or split_labels(text_of(produces), given),
        )


def _in_arguments(step: WrittenStep, signature: Signature, schema: Schema) -> list[Replacement]:
    """Return the changes in a step's arguments; split labels at commas if the labels are known."""
    if fits(step.args, schema):
        return []
    schemas = {name: schema["properties"][name] for name in step.args if name in schema["properties"]}
    labels = {argument for table in signature.tables for argument in (table.argument, *table.also)}
    return [
        change
        for change in _in_fields((*step.path, "tool_args"), step.args, schemas)
        if not isinstance(change.old, str)
        or unpack(change.old, list) is not None
        or ".".join(map(str, change.path[len(step.path) + 1 :])) not in labels
    ]


def _items(over: str) -> Any:
    """Return the items of a ``for_each`` from a text with JSON or with commas; return None if the text has no items."""
    unpacked = unpack(over, dict) or unpack(over, list)
    if unpacked is not None:
        return unpacked
    names = [name.strip() for name in over.split(",")]
    return names if len(names) > 1 and all(map(ITEM.fullmatch, names)) else None


def _respelt(path: Path, value: Any, schema: Schema) -> list[Replacement]:
    """Return the parts of a value that need another type; return nothing if the value fits or is not clear."""
    if fits(value, schema) or value is None or TOKEN.search(text_of(value)):
        return []
    options = (schema, *schema.get("anyOf", ()))
    for option in options:
        new = _read(value, option)
        if new is not None and fits(new, schema):
            return [Replacement(path, value, new)]
    for option in options:
        changes: list[Replacement] = []
        for key, inner in _members(value, option):
            below = _schema_below(option, key)
            changes += _respelt((*path, key), inner, below)
        if changes:
            return changes
    return []


def _members(value: Any, schema: Schema) -> list[tuple[str | int, Any]]:
    """Return the parts of an object or a list, if the schema describes an object or a list."""
    if schema.get("type") == "object":
        return list(object_of(value).items())
    return list(enumerate(list_of(value)))


def _schema_below(schema: Schema, key: str | int) -> Schema:
    if isinstance(key, int):
        return object_of(schema.get("items"))
    return object_of(schema.get("properties", {}).get(key, schema.get("additionalProperties")))


def _read(value: Any, schema: Schema) -> Any:
    """Return the only value of the schema's type that a value can mean, or None."""
    kind = schema.get("type")
    if "enum" in schema:
        return _choice(value, schema["enum"])
    if kind == "boolean":
        known = isinstance(value, (int, float)) and value in (0, 1)
        return bool(value) if known else truth_of(text_of(value))
    if kind in ("number", "integer"):
        return _number(value, kind)
    if kind == "object":
        return unpack(value, dict)
    if kind == "array":
        return _list(value, object_of(schema.get("items")))
    alone = kind == "string" and len(list_of(value)) == 1 and not is_text(schema)
    return value[0] if alone and isinstance(value[0], str) else None


def _choice(value: Any, choices: list[Any]) -> Any:
    known = isinstance(value, (str, int)) and not isinstance(value, bool)
    text = str(value).strip().casefold() if known else ""
    same = [choice for choice in choices if str(choice).casefold() == text]
    if same:
        return same[0] if len(same) == 1 else None
    if SYMBOLS.get(text) in choices:
        return SYMBOLS[text]
    words = by_word((choice for choice in choices if isinstance(choice, str)), CHOICES)
    return words.get(fold(text)) if fold(text) else None


def _number(value: Any, kind: str) -> int | float | None:
    text = text_of(value).strip()
    if WHOLE.fullmatch(text):
        return int(text)
    if NUMBER.fullmatch(text):
        number = float(text)
        return number if kind == "number" or number.is_integer() else None
    if kind == "integer" and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return None


def _list(value: Any, items: Schema) -> Any:
    """Return a list from JSON in a text, from one item, or from items with commas; return None for any other text."""
    if isinstance(value, list):
        of_lists = items.get("type") == "array" and not any(isinstance(item, (list, dict)) for item in value)
        return [[item] for item in value] if value and of_lists else None
    unpacked = unpack(value, list)
    if unpacked is not None:
        return unpacked
    parts = [part for part in (text.strip() for text in text_of(value).split(",")) if part]
    if "enum" in items:
        parts = [_choice(part, items["enum"]) for part in parts]
    elif items.get("type") != "string":
        return None
    return parts if parts and None not in parts else None
