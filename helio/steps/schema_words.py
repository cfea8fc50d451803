"""Describe in words what the JSON Schema of a tool or a template allows."""

from __future__ import annotations

import json

from helio.steps.signature import CODE, Schema

_TYPES = {
    "string": ("text", "texts"),
    "number": ("number", "numbers"),
    "integer": ("whole number", "whole numbers"),
    "boolean": ("true or false", "true or false"),
    "object": ("object", "objects"),
    "array": ("list", "lists"),
}
_FORMATS = {
    "label": ("label", "labels"),
    "time-range": ("time range", "time ranges"),
    "duration": ("duration", "durations"),
    "interval-length": ("duration or calendar interval", "durations or calendar intervals"),
    "file-name": ("file name", "file names"),
    "printed-length": ("length with a unit", "lengths with units"),
    "amount": ("number with a unit", "numbers with units"),
    "condition": ("condition with a unit", "conditions with units"),
}


def type_words(schema: Schema, *, many: bool = False) -> str:
    """Describe the type of a value in words, in the singular or in the plural.

    >>> type_words({"type": "array", "items": {"enum": ["png", "pdf"]}})
    'list whose items are "png" or "pdf"'
    >>> type_words({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "number"}}]})
    'true or false; or list of numbers'
    >>> type_words({"type": "object", "additionalProperties": {"enum": ["log", "linear"]}})
    'object whose values are "log" or "linear"'
    """
    if "enum" in schema:
        return _either([json.dumps(value, ensure_ascii=False) for value in schema["enum"]])
    if "anyOf" in schema and "type" not in schema:
        options = list(dict.fromkeys(type_words(option, many=many) for option in schema["anyOf"]))
        return "; or ".join(options) if any(" or " in option for option in options) else _either(options)
    if "type" not in schema:
        return "any values" if many else "any value"
    if schema.get("contentMediaType") == CODE:
        return "Python code"
    word = _FORMATS.get(schema.get("format", ""), _TYPES[schema["type"]])[many]
    if "prefixItems" in schema:
        return f"{word} of {len(schema['prefixItems'])} {type_words(schema['prefixItems'][0], many=True)}"
    inner = schema.get("items", schema.get("additionalProperties"))
    if not isinstance(inner, dict):
        return word
    if schema["type"] == "object":
        return f"{word} whose values are {type_words(inner, many=True)}"
    items = type_words(inner, many=True)
    return f"{word} whose items are {items}" if " or " in items else f"{word} of {items}"


def _either(options: list[str]) -> str:
    *most, last = options
    return f"{', '.join(most)} or {last}" if most else last
