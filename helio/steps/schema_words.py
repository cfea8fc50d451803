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
    "file-name": ("file name", "file names"),
}


def type_words(schema: Schema, *, many: bool = False) -> str:
    """Describe what a value may be, in the singular or in the plural.

    >>> type_words({"type": "array", "items": {"enum": ["png", "pdf"]}})
    'list of "png" or "pdf"'
    >>> type_words({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "number"}}]})
    'true or false, or list of numbers'
    """
    if "enum" in schema:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "anyOf" in schema and "type" not in schema:
        return ", or ".join(dict.fromkeys(type_words(option, many=many) for option in schema["anyOf"]))
    if "type" not in schema:
        return "any values" if many else "any value"
    if schema.get("contentMediaType") == CODE:
        return "Python code"
    word = _FORMATS.get(schema.get("format", ""), _TYPES[schema["type"]])[many]
    if "prefixItems" in schema:
        return f"{word} of {len(schema['prefixItems'])} {type_words(schema['prefixItems'][0], many=True)}"
    inner = schema.get("items", schema.get("additionalProperties"))
    return f"{word} of {type_words(inner, many=True)}" if isinstance(inner, dict) else word
