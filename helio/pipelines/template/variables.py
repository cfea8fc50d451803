"""Typed variables of a template: where steps use them, and how their values are read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helio.errors import RequestError
from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.oversize import CODE as OVERSIZE
from helio.pipelines.template.oversize import Oversize
from helio.steps.signature import Schema
from helio.time_range import Duration, TimeRange, parse_time_range

TOKEN = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
"""Pattern of a complete variable name: it does not find ``$TIME`` inside ``$TIME_RANGE``."""

BRACES = re.compile(r"\$?\{+\s*\$?(?P<name>[^{}]*?)\s*\}+|[{}]")
"""Pattern of a name in braces, or of a single brace, in a file name."""
IN_TITLE = re.compile(r"\$\{[^{}]*\}|" + BRACES.pattern)
"""Pattern of a name in braces, or of a single brace, in a title, where ``${X}`` is ordinary text."""
TIMES = ("start", "stop")
"""Names in braces that stand for the start and the stop of the time range of a step's data."""
_TITLE, _FILE_NAME = "title", "file-name"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Path = tuple[str | int, ...]


def strings(value: Any, schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield every text in which helio replaces variables, with its path. Descriptions and code are left out."""
    return ((path, text) for path, text, part in _every_string(value, schema, ()) if not is_text(part))


@dataclass(frozen=True)
class Pattern:
    """A title or a file name, in which names of variables may stand in braces.

    Parameters
    ----------
    path : tuple
        Its place.
    text : str
    is_name : bool
        Whether it is the name of a file, in which values stand without blanks and without the colons of times.
    """

    path: Path
    text: str
    is_name: bool

    @property
    def names(self) -> list[str]:
        """The texts in braces that can be names of variables."""
        return [name for name, _ in self._found() if _NAME.fullmatch(name)]

    @property
    def names_nothing(self) -> str:
        """The first text in braces that cannot be a variable, or the first unpaired brace; empty if there is none."""
        return next((written for name, written in self._found() if not _NAME.fullmatch(name)), "")

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the text with known values instead of names in braces; the names in `values` have no ``$``."""

        def value_of(found: re.Match[str]) -> str:
            name = found["name"] or ""
            if name not in values:
                return found[0]
            value = str(values[name])
            if TOKEN.fullmatch(value):  # another variable stands for it
                return f"{{{value[1:]}}}"
            return value.replace(" to ", "_").replace(":", "") if self.is_name else value

        return self._braces.sub(value_of, self.text)

    def _found(self) -> Iterator[tuple[str, str]]:
        for match in self._braces.finditer(self.text):
            if self.is_name or not match[0].startswith("$"):
                yield match["name"] or "", match[0]

    @property
    def _braces(self) -> re.Pattern[str]:
        return BRACES if self.is_name else IN_TITLE


def patterns(value: Any, schema: Schema) -> Iterator[Pattern]:
    """Yield every title and every file name among the arguments of a step."""
    return (
        Pattern(path, text, part["format"] == _FILE_NAME)
        for path, text, part in _every_string(value, schema, ())
        if part.get("format") in (_TITLE, _FILE_NAME)
    )


def _every_string(value: Any, schema: Schema, path: Path) -> Iterator[tuple[Path, str, Schema]]:
    if isinstance(value, str):
        yield path, value, schema
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _every_string(inner, inner_schema(schema, key), (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _every_string(inner, inner_schema(schema, index), (*path, index))


def tokens(value: Any, schema: Schema) -> Iterator[tuple[Path, str]]:
    """Yield the name of every variable that a value uses, with its path."""
    for path, text in strings(value, schema):
        for name in TOKEN.findall(text):
            yield path, name
    for pattern in patterns(value, schema):
        for name in pattern.names:
            if name not in TIMES:
                yield pattern.path, f"${name}"


def substitute(value: Any, schema: Schema, values: Mapping[str, Any]) -> Any:
    """Replace variables in a value: a text that is only ``$NAME`` becomes the value itself; other texts stay texts."""
    if isinstance(value, str):
        if schema.get("format") in (_TITLE, _FILE_NAME):
            named = {name.removeprefix("$"): values.get(name) for name in values}
            value = Pattern((), value, schema["format"] == _FILE_NAME).filled(named)
        if is_text(schema):
            return value
        if value in values:
            return values[value]
        return _filled(value, values)
    if isinstance(value, dict):
        return {key: substitute(inner, inner_schema(schema, key), values) for key, inner in value.items()}
    if isinstance(value, list):
        return [substitute(inner, inner_schema(schema, i), values) for i, inner in enumerate(value)]
    return value


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with its variables replaced by their values.

    Raises
    ------
    Oversize
        It would be longer than any text may be.
    """
    length, parts, end = 0, [], 0
    for match in TOKEN.finditer(text):
        parts += [text[end : match.start()], str(values.get(match[0], match[0]))]
        length += sum(map(len, parts[-2:]))
        end = match.end()
        if length > LIMITS.argument_text:
            message = (
                f"with the values of its variables, a text has more than {LIMITS.argument_text:,} characters"
            )
            raise Oversize(Diagnostic(OVERSIZE, f"{message}: {text[:60]}…", advice=("use shorter values",)))
    return "".join([*parts, text[end:]])


def is_text(schema: Schema) -> bool:
    """Return whether the text at this path is a description or code."""
    return schema.get("format") in ("text", _TITLE) or any(map(is_text, schema.get("anyOf", ())))


def inner_schema(schema: Schema, key: str | int) -> Schema:
    """Return the schema of one key of an object, or of one item of a list; empty if the schema does not describe it."""
    for option in schema.get("anyOf", ()):
        if _holds(option, key):
            schema = option
            break
    found: Any
    if isinstance(key, str):
        found = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    else:
        fixed = schema.get("prefixItems", ())
        found = fixed[key] if key < len(fixed) else schema.get("items")
    return found if isinstance(found, dict) else {}


def _holds(option: Schema, key: str | int) -> bool:
    return option.get("type") == ("object" if isinstance(key, str) else "array")


def read_value(name: str, declared: Mapping[str, Any], given: Any, now: datetime) -> Any:
    """Convert a value to the type of its variable; the value may be a text from the command line.

    Raises
    ------
    RequestError
        Saying what the type takes. `TimeRangeError` for a time range.
    """
    kind = declared["type"]
    if kind == "time_range":
        return str(read_time_range(given, now))
    if kind == "enum":
        return _choice(given, declared.get("choices", ()))
    reader: Callable[[Any], Any] = _READERS.get(kind, _text)
    value = reader(given)
    if kind in ("number", "integer"):
        for bound in ("minimum", "maximum"):
            limit = declared.get(bound, value)
            if (value < limit) if bound == "minimum" else (value > limit):
                side = "below" if bound == "minimum" else "above"
                raise RequestError(f"the value {given} is {side} the {bound} {limit}")
    return value


def read_time_range(given: Any, now: datetime) -> TimeRange:
    """Read a time range in any spelling, if the spelling has only one meaning."""
    if isinstance(given, list) and len(given) == 2 and all(isinstance(item, str) for item in given):
        given = f"{given[0]} to {given[1]}"
    if not isinstance(given, str):
        raise RequestError(
            f"{json.dumps(given)} is not a time range",
            advice='write a text such as "2024-05-10 to 2024-05-12"',
        )
    return parse_time_range(given, now)


def _choice(given: Any, choices: Sequence[Any]) -> Any:
    """Return the choice that a value means; from the command line every choice is a text."""
    for choice in choices:
        if given == choice or (isinstance(given, str) and given == str(choice)):
            return choice
    shown = json.dumps(given)
    raise RequestError(
        f"{shown} is not one of {', '.join(map(str, choices))}"
        if choices
        else f"{shown} is not possible, because the variable declares no choices"
    )


def _text(given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise RequestError(f"{json.dumps(given)} is not a string")
    return given


def _number(given: Any) -> float:
    try:
        if isinstance(given, bool):
            raise ValueError
        value = float(given)
    except (TypeError, ValueError):
        raise RequestError(f"{json.dumps(given)} is not a number") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise RequestError(f"{json.dumps(given)} is not a finite number")
    return int(value) if isinstance(given, int) else value


def _integer(given: Any) -> int:
    value = _number(given)
    if value != int(value):
        raise RequestError(f"{json.dumps(given)} is not a whole number")
    return int(value)


def _boolean(given: Any) -> bool:
    known = {"true": True, "false": False, "yes": True, "no": False}
    if isinstance(given, bool):
        return given
    if isinstance(given, str) and given.lower() in known:
        return known[given.lower()]
    raise RequestError(f"{json.dumps(given)} is neither true nor false")


def _duration(given: Any) -> str:
    return Duration(_text(given)).text


_READERS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "duration": _duration,
}
