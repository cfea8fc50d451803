"""Values in the type that their field has: booleans, numbers, lists and choices written as texts.

HN505 (edit safe)  a value in another spelling
    JSON in a text, "true", "no" and trailing commas have one reading.
    before  "critical": "no"
    after   "critical": false
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.structure import fits
from helio.pipelines.dialect.synonyms import CHOICES, FALSE, SYMBOLS, TRUE, fold, folded, is_null
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.walk import each_step, id_of, name_of, variables_of, wiring
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, replaced
from helio.pipelines.template.labels import split_labels
from helio.pipelines.template.schema import STEP, STRUCTURE
from helio.pipelines.template.variables import TOKEN, Path, is_text
from helio.steps.signature import Schema, Signature

NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})(?:[eE][+-]?[0-9]{1,2})?")
ITEM = re.compile(r"[\w.$@:/-]+")
IN_STEP = ("critical", "pin", "collect", "on_item_error")
OF_VARIABLE: Schema = {
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
}


def spell_values(plan: Document, context: Context) -> Iterator[Finding]:
    """Read a value that its field does not take as the one value of the field's type that it spells.

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
    for key in ("schema_version", "artifact"):
        yield from _edit(_respelt((key,), plan.get(key), STRUCTURE["properties"][key]), None)
    for name, facts in variables_of(plan).items():
        yield from _edit(_of_variable(("variables", name), facts), None)
    schemas: dict[str, Schema] = {}
    for path, step in each_step(plan):
        found = [
            edit for key in IN_STEP if key in step for edit in _respelt((*path, key), step[key], _field(key))
        ]
        loop = step.get("for_each")
        if isinstance(loop, dict) and (items := _items(loop.get("over"))) is not None:
            found.append(((*path, "for_each", "over"), loop["over"], items))
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        said = step.get("produces")
        if isinstance(said, str) and not is_null(said):
            given = wiring(step, context.signatures)[0]
            found.append(((*path, "produces"), said, unpack(said, list) or split_labels(said, given)))
        if signature is not None and isinstance(args, dict):
            schema = schemas.setdefault(signature.name, signature.schema())
            if not fits(args, schema):
                for name, value in args.items():
                    below = schema["properties"].get(name)
                    if below is not None:
                        home = (*path, "tool_args", name)
                        found += [
                            edit
                            for edit in _respelt(home, value, below)
                            if not _are_labels(edit, len(path) + 1, signature)
                        ]
        yield from _edit(found, id_of(step))


def _items(over: Any) -> Any:
    """The items of a map in a text: as JSON, or as names between commas."""
    if not isinstance(over, str):
        return None
    unpacked = unpack(over, dict) or unpack(over, list)
    if unpacked is not None:
        return unpacked
    names = [name.strip() for name in over.split(",")]
    return names if len(names) > 1 and all(map(ITEM.fullmatch, names)) else None


def _are_labels(found: tuple[Path, Any, Any], start: int, signature: Signature) -> bool:
    """Whether labels stand in a text between commas: they are split where labels are known."""
    path, old, _ = found
    dotted = ".".join(str(part) for part in path[start:])
    places = {argument for table in signature.tables for argument in (table.argument, *table.also)}
    return isinstance(old, str) and dotted in places and unpack(old, list) is None


def _edit(found: list[tuple[Path, Any, Any]], step_id: StepId | None) -> Iterator[Edit]:
    operations: list[Operation] = []
    for path, old, new in found:
        operations += replaced(pointer(*path), old, new)
    if operations:
        names = ", ".join(str(path[-1]) for path, _, _ in found)
        message = f"values read in the type of their fields: {names}"
        yield Edit("HN505", message, tuple(operations), step_id, path=pointer(*found[0][0]))


def _field(key: str) -> Schema:
    found: Schema = STEP["properties"][key]
    return found


def _of_variable(path: Path, facts: Document) -> list[tuple[Path, Any, Any]]:
    kind = facts.get("type")
    wanted: dict[str, Schema] = {"required": {"type": "boolean"}}
    if kind in ("number", "integer", "boolean"):
        wanted |= {
            "default": OF_VARIABLE[kind],
            "minimum": OF_VARIABLE["number"],
            "maximum": OF_VARIABLE["number"],
        }
    return [
        edit
        for key, schema in wanted.items()
        if key in facts
        for edit in _respelt((*path, key), facts[key], schema)
    ]


def _respelt(path: Path, value: Any, schema: Schema) -> list[tuple[Path, Any, Any]]:
    """The places within a value that spell something else; nothing where it fits, or cannot be told."""
    if fits(value, schema) or value is None or (isinstance(value, str) and TOKEN.search(value)):
        return []
    for option in (schema, *schema.get("anyOf", ())):
        new = _read(value, option)
        if new is not None and fits(new, schema):
            return [(path, value, new)]
    found: list[tuple[Path, Any, Any]] = []
    for option in (schema, *schema.get("anyOf", ())):
        if isinstance(value, dict) and option.get("type") == "object":
            others = option.get("additionalProperties")
            for key, inner in value.items():
                below = option.get("properties", {}).get(key, others)
                found += _respelt((*path, key), inner, below) if isinstance(below, dict) else []
        elif isinstance(value, list) and isinstance(option.get("items"), dict):
            for index, inner in enumerate(value):
                found += _respelt((*path, index), inner, option["items"])
        if found:
            break
    return found


def _read(value: Any, schema: Schema) -> Any:
    """The one value of a schema's type that another value spells, or None."""
    kind = schema.get("type")
    found: Any = None
    if "enum" in schema:
        found = _choice(value, schema["enum"])
    elif kind == "boolean":
        found = _truth(value)
    elif kind in ("number", "integer"):
        found = _number(value, kind)
    elif kind == "object":
        found = unpack(value, dict)
    elif kind == "array":
        found = _list(value, schema)
    elif kind == "string" and isinstance(value, list) and len(value) == 1 and not is_text(schema):
        found = value[0] if isinstance(value[0], str) else None
    return found


def _choice(value: Any, choices: list[Any]) -> Any:
    text = (
        str(value).strip().casefold() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    )
    same = [choice for choice in choices if str(choice).casefold() == text]
    if not same and SYMBOLS.get(text) in choices:
        return SYMBOLS[text]
    if not same and fold(text):
        words = folded({choice: CHOICES.get(choice, ()) for choice in choices if isinstance(choice, str)})
        return words.get(fold(text))
    return same[0] if len(same) == 1 else None


def _truth(value: Any) -> bool | None:
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    text = value.strip().casefold() if isinstance(value, str) else ""
    return True if text in TRUE else False if text in FALSE else None


def _number(value: Any, kind: str) -> int | float | None:
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        number = float(value)
        whole = re.fullmatch(r"\s*[+-]?[0-9]+\s*", value) is not None
        return int(value) if whole else None if kind == "integer" and not number.is_integer() else number
    if kind == "integer" and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return None


def _list(value: Any, schema: Schema) -> Any:
    """A list in a text as JSON; one item where a list of them belongs; a list of items where lists belong."""
    items = schema.get("items")
    if not isinstance(items, dict):
        return None
    if isinstance(value, list):
        if items.get("type") == "array" and not any(isinstance(item, (list, dict)) for item in value):
            return [[item] for item in value] if value else None
        return None
    unpacked = unpack(value, list)
    if unpacked is not None:
        return unpacked
    if not isinstance(value, str) or not (items.get("type") == "string" or "enum" in items):
        return None
    parts = [part for part in (text.strip() for text in value.split(",")) if part]
    if "enum" in items:
        parts = [_choice(part, items["enum"]) for part in parts]
    return parts if parts and None not in parts else None
