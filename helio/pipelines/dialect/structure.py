"""Read a value against a JSON Schema and say in words what does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sized
from typing import Any

from helio.errors import closest
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.signature import Schema

Misfit = tuple[str, Path, str, tuple[str, ...]]
"""Kind (``"missing"``, ``"unknown"``, ``"wrong"``), place, message, and what could be meant."""

TYPES = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
TEXTS = {"duration": "a length of time", "time-range": "a time range", "label": "a label"}
"""What a text of a format is called: a number in its place is not merely no text."""


def fits(value: Any, schema: Schema) -> bool:
    """Whether a schema surely accepts a value: quick, and false where a rule is not one of the few known here.

    >>> fits(["B"], {"type": "array", "items": {"type": "string"}, "minItems": 1})
    True
    >>> fits(True, {"type": "integer"}), fits(2.0, {"type": "integer"})
    (False, False)
    """
    return all(rule in CHECKED and CHECKED[rule](value, wanted, schema) for rule, wanted in schema.items())


def misfits(value: Any, schema: Schema, *, variables_stand: bool = False) -> Iterator[Misfit]:
    """Everything in `value` that the schema refuses; with `variables_stand`, ``"$NAME"`` fits everywhere."""
    if fits(value, schema):
        return
    from jsonschema import Draft202012Validator

    for error in sorted(
        Draft202012Validator(schema).iter_errors(value), key=lambda one: list(map(str, one.path))
    ):
        yield from _misfits(error, variables_stand)


def _misfits(error: Any, variables_stand: bool) -> Iterator[Misfit]:
    path: Path = tuple(error.absolute_path)
    given = error.instance
    stands_for_value = isinstance(given, str) and TOKEN.fullmatch(given) is not None
    if variables_stand and stands_for_value and error.validator_value not in ("object", "array"):
        return  # no type of variable holds a list or an object
    shown = json.dumps(given, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    rule, wanted = error.validator, error.validator_value
    if rule == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for name in sorted(set(given) - set(known)):
            yield (
                "unknown",
                (*path, name),
                f"'{name}' is not known here",
                closest(name, known) or tuple(known),
            )
    elif rule == "required":
        for name in wanted:
            if name not in given:
                yield "missing", (*path, name), f"'{name}' is missing", ()
    elif rule == "anyOf" and all(list(option) == ["required"] for option in wanted):
        names = [option["required"][0] for option in wanted]
        yield (
            "missing",
            (*path, names[0]),
            " or ".join(f"'{name}'" for name in names) + " is missing",
            tuple(names),
        )
    elif rule == "type":
        called = TEXTS.get(error.schema.get("format", "")) if wanted == "string" else None
        yield "wrong", path, f"{shown} is not {called or TYPES.get(wanted, wanted)}", ()
    elif rule == "enum":
        options = tuple(str(choice) for choice in wanted)
        yield "wrong", path, f"{shown} is not one of {', '.join(options)}", closest(str(given), options)
    elif rule == "anyOf":
        kinds = [
            TYPES.get(option.get("type"), "") or "/".join(map(str, option.get("enum", ())))
            for option in wanted
        ]
        fits = [list(option) for option in _by_option(error)]
        nearest = min(fits, key=len, default=[])
        # An option of the right type that fails deeper tells more than "fits none of them".
        if nearest and nearest[0].absolute_path != error.absolute_path:
            for inner in nearest:
                yield from _misfits(inner, variables_stand)
        else:
            yield "wrong", path, f"{shown} is neither " + " nor ".join(dict.fromkeys(filter(None, kinds))), ()
    elif rule in ("maxItems", "maxProperties"):
        kind = "items" if rule == "maxItems" else "keys"
        yield "wrong", path, f"{len(given):,} {kind} are more than {wanted:,}", ()
    elif rule in ("minItems", "minLength", "minProperties"):
        yield "wrong", path, f"{shown} is empty or too short", ()
    else:
        yield "wrong", path, f"{shown}: {error.message}", ()


def _by_option(error: Any) -> list[list[Any]]:
    options: dict[int, list[Any]] = {}
    for inner in error.context:
        options.setdefault(inner.schema_path[0], []).append(inner)
    deeper = [
        option for option in options.values() if all(e.absolute_path != error.absolute_path for e in option)
    ]
    return deeper or list(options.values())


def _of_type(value: Any, wanted: Any, schema: Schema) -> bool:
    kind = _KINDS.get(wanted) if isinstance(wanted, str) else None
    return (
        kind is not None and isinstance(value, kind) and (wanted == "boolean" or not isinstance(value, bool))
    )


def _properties(value: Any, wanted: Schema, schema: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    return all(fits(inner, wanted[key]) for key, inner in value.items() if key in wanted)


def _additional(value: Any, wanted: Any, schema: Schema) -> bool:
    if not isinstance(value, dict) or "patternProperties" in schema:
        return not isinstance(value, dict)
    others = [inner for key, inner in value.items() if key not in schema.get("properties", ())]
    return (
        not others
        if wanted is False
        else isinstance(wanted, dict) and all(fits(choice, wanted) for choice in others)
    )


def _items(value: Any, wanted: Any, schema: Schema) -> bool:
    if not isinstance(value, list):
        return True
    rest = value[len(schema.get("prefixItems", ())) :]
    return isinstance(wanted, dict) and all(fits(item, wanted) for item in rest)


def _prefix(value: Any, wanted: Any, schema: Schema) -> bool:
    return not isinstance(value, list) or all(map(fits, value, wanted))


def _names(value: Any, wanted: Schema, schema: Schema) -> bool:
    return not isinstance(value, dict) or all(fits(key, wanted) for key in value)


def _enum(value: Any, wanted: Any, schema: Schema) -> bool:
    return any(choice == value and type(choice) is type(value) for choice in wanted)


def _length(kind: type[Sized], least: bool) -> Callable[[Any, Any, Schema], bool]:
    def checks(value: Any, wanted: Any, schema: Schema) -> bool:
        return not isinstance(value, kind) or (len(value) >= wanted if least else len(value) <= wanted)

    return checks


def _ignored(value: Any, wanted: Any, schema: Schema) -> bool:
    return True


_KINDS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}
CHECKED: dict[str, Callable[[Any, Any, Schema], bool]] = {
    "type": _of_type,
    "enum": _enum,
    "const": lambda value, wanted, _: value == wanted and type(value) is type(wanted),
    "anyOf": lambda value, wanted, _: any(fits(value, option) for option in wanted),
    "allOf": lambda value, wanted, _: all(fits(value, option) for option in wanted),
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "required": lambda value, wanted, _: not isinstance(value, dict) or all(name in value for name in wanted),
    "items": _items,
    "prefixItems": _prefix,
    "minItems": _length(list, least=True),
    "maxItems": _length(list, least=False),
    "maxProperties": _length(dict, least=False),
    "minLength": _length(str, least=True),
    "maxLength": _length(str, least=False),
    "minProperties": _length(dict, least=True),
    "pattern": lambda value, wanted, _: not isinstance(value, str) or re.search(wanted, value) is not None,
    "description": _ignored,
    "default": _ignored,
    "format": _ignored,
    "contentMediaType": _ignored,
}
