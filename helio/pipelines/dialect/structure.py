"""Check a value against a JSON Schema, and describe each part that the schema refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sized
from typing import Any, Literal, NamedTuple

from helio.errors import closest
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.signature import Schema


class Misfit(NamedTuple):
    """Part of a value that a schema refuses: its path, a message, and possible corrections."""

    kind: Literal["missing", "unknown", "wrong"]
    path: Path
    message: str
    meant: tuple[str, ...] = ()


TYPES = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
TEXTS = {
    "duration": "a length of time",
    "interval-length": "a length of time, or a calendar interval such as '1 month'",
    "time-range": "a time range",
    "label": "a label",
    "printed-length": "a length such as '90 mm'",
    "amount": "a number with its unit, such as '-100 nT'",
    "condition": "a condition with a unit, such as '< -100 nT'",
}
"""Words for formats of texts, used in messages."""
SIZES = {"maxItems": "items", "maxProperties": "keys"}
"""Words for the parts whose number a rule of JSON Schema limits."""


def fits(value: Any, schema: Schema) -> bool:
    """Tell quickly whether a schema accepts a value; return False if this check does not know a rule of the schema.

    >>> fits(["B"], {"type": "array", "items": {"type": "string"}, "minItems": 1})
    True
    >>> fits(True, {"type": "integer"}), fits(2.0, {"type": "integer"})
    (False, False)
    """
    for rule, operand in schema.items():
        if rule not in CHECKED:
            return False
        kind, check = CHECKED[rule]
        if isinstance(value, kind) and not check(value, operand, schema):
            return False
    return True


def misfits(value: Any, schema: Schema, *, variables_stand: bool = False) -> Iterator[Misfit]:
    """Yield every part of `value` that the schema refuses; `variables_stand` accepts ``"$NAME"`` everywhere."""
    if fits(value, schema):
        return
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(schema).iter_errors(value)
    for error in sorted(errors, key=lambda error: list(map(str, error.path))):
        yield from _misfits(error, variables_stand)


def _misfits(error: Any, variables_stand: bool) -> Iterator[Misfit]:
    path: Path = tuple(error.absolute_path)
    given, rule, operand = error.instance, error.validator, error.validator_value
    names_variable = isinstance(given, str) and TOKEN.fullmatch(given) is not None
    if variables_stand and names_variable and operand not in ("object", "array"):
        return  # no type of variable holds a list or an object
    shown = json.dumps(given, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    if rule == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for name in sorted(set(given) - set(known)):
            meant = closest(name, known) or tuple(known)
            yield Misfit("unknown", (*path, name), f"'{name}' is not a known key", meant)
    elif rule == "required":
        for name in operand:
            if name not in given:
                yield Misfit("missing", (*path, name), f"'{name}' is missing")
    elif rule == "anyOf" and all(list(option) == ["required"] for option in operand):
        names = tuple(option["required"][0] for option in operand)
        message = " or ".join(f"'{name}'" for name in names) + " is missing"
        yield Misfit("missing", (*path, names[0]), message, names)
    elif rule == "anyOf" and (deeper := _nearest_option(error)):
        for inner in deeper:
            yield from _misfits(inner, variables_stand)
    elif rule == "enum":
        choices = tuple(map(str, operand))
        message = f"{shown} is not one of {', '.join(choices)}"
        yield Misfit("wrong", path, message, closest(str(given), choices))
    else:
        values = (
            [str(value) for option in operand for value in option.get("enum", ())] if rule == "anyOf" else []
        )
        meant = closest(given, values) if isinstance(given, str) else ()
        yield Misfit("wrong", path, _what_is_wrong(error, shown), meant)


def _what_is_wrong(error: Any, shown: str) -> str:
    given, rule, operand = error.instance, error.validator, error.validator_value
    if rule == "type":
        name = TEXTS.get(error.schema.get("format", "")) if operand == "string" else None
        return f"{shown} is not {name or TYPES.get(operand, operand)}"
    if rule == "pattern" and error.schema.get("format") in ("amount", "condition"):
        return f"{shown} is not {TEXTS[error.schema['format']]}"
    if rule == "anyOf":
        kinds = [
            TEXTS.get(option.get("format", ""))
            or TYPES.get(option.get("type"), "")
            or "/".join(map(str, option.get("enum", ())))
            for option in operand
        ]
        return f"{shown} is neither " + " nor ".join(dict.fromkeys(filter(None, kinds)))
    if rule in ("minimum", "maximum"):
        low, high = (error.schema.get(bound) for bound in ("minimum", "maximum"))
        if (low, high) == (0, 1):
            percent = f": write {given / 100:g} for {given:g} %" if 1 < given <= 100 else ""
            return f"{shown} is not a share from 0 to 1{percent}"
        return f"{shown} is {'below' if rule == 'minimum' else 'above'} {operand:g}"
    if rule in SIZES:
        return f"there are {len(given):,} {SIZES[rule]}; the maximum is {operand:,}"
    if rule in ("minItems", "minLength", "minProperties"):
        return f"{shown} is empty or too short"
    return f"{shown}: {error.message}"


def _nearest_option(error: Any) -> list[Any]:
    """Return the errors of the alternative in a schema that fits best: right type, and errors deeper inside."""
    options: dict[int, list[Any]] = {}
    for inner in error.context:
        options.setdefault(inner.schema_path[0], []).append(inner)
    deeper = [
        option
        for option in options.values()
        if all(inner.absolute_path != error.absolute_path for inner in option)
    ]
    nearest = min(deeper or options.values(), key=len, default=[])
    return nearest if nearest and nearest[0].absolute_path != error.absolute_path else []


def _of_type(value: Any, operand: Any, schema: Schema) -> bool:
    kind = _KINDS.get(operand) if isinstance(operand, str) else None
    return kind is not None and isinstance(value, kind) and (operand == "boolean") == isinstance(value, bool)


def _properties(value: dict[str, Any], operand: Schema, schema: Schema) -> bool:
    return all(fits(inner, operand[key]) for key, inner in value.items() if key in operand)


def _additional(value: dict[str, Any], operand: Any, schema: Schema) -> bool:
    if "patternProperties" in schema:
        return False
    others = [inner for key, inner in value.items() if key not in schema.get("properties", ())]
    if not isinstance(operand, dict):
        return operand is False and not others
    return all(fits(inner, operand) for inner in others)


def _items(value: list[Any], operand: Any, schema: Schema) -> bool:
    rest = value[len(schema.get("prefixItems", ())) :]
    return isinstance(operand, dict) and all(fits(item, operand) for item in rest)


def _enum(value: Any, operand: Any, schema: Schema) -> bool:
    return any(choice == value and type(choice) is type(value) for choice in operand)


def _at_least(value: Sized, operand: int, schema: Schema) -> bool:
    return len(value) >= operand


def _at_most(value: Sized, operand: int, schema: Schema) -> bool:
    return len(value) <= operand


_KINDS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}
CHECKED: dict[str, tuple[type | tuple[type, ...], Callable[[Any, Any, Schema], bool]]] = {
    "type": (object, _of_type),
    "enum": (object, _enum),
    "const": (object, lambda value, operand, _: value == operand and type(value) is type(operand)),
    "anyOf": (object, lambda value, operand, _: any(fits(value, option) for option in operand)),
    "allOf": (object, lambda value, operand, _: all(fits(value, option) for option in operand)),
    "properties": (dict, _properties),
    "additionalProperties": (dict, _additional),
    "propertyNames": (dict, lambda value, operand, _: all(fits(key, operand) for key in value)),
    "required": (dict, lambda value, operand, _: all(name in value for name in operand)),
    "items": (list, _items),
    "prefixItems": (list, lambda value, operand, _: all(map(fits, value, operand))),
    "minItems": (list, _at_least),
    "maxItems": (list, _at_most),
    "minProperties": (dict, _at_least),
    "maxProperties": (dict, _at_most),
    "minLength": (str, _at_least),
    "maxLength": (str, _at_most),
    "minimum": ((int, float), lambda value, operand, _: value is True or value is False or value >= operand),
    "maximum": ((int, float), lambda value, operand, _: value is True or value is False or value <= operand),
    "pattern": (str, lambda value, operand, _: re.search(operand, value) is not None),
    **dict.fromkeys(("description", "default", "format", "contentMediaType"), ((), lambda *_: True)),
}
"""Rules of JSON Schema that `fits` knows, each with the types of values to check and the check."""
