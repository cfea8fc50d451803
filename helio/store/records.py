"""Read the JSON files that helio writes: check syntax and types, and report the file and the place of any fault."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import stat
import types
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from logging import Logger
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from helio.errors import DamagedRecord

LARGEST = 64 * 1024**2
"""Maximum bytes of a file that helio reads; the plan of a run with thousands of items has a few million bytes."""
_SMALLEST_READ = 4096
DEEPEST = 100
"""Maximum depth of nested objects and lists in a file."""

T = TypeVar("T")
Check = Callable[[Any], str]
"""Function that checks a value: it returns an empty text for a valid value, else a description of a valid value."""

_KINDS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a string"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    list: ((list,), "a list"),
    dict: ((dict,), "an object"),
    type(None): ((type(None),), "null"),
}
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_HEX = re.compile(r"[0-9a-f]{64}")
_SHA256 = re.compile(r"([0-9a-f]{64})?")


class WrongShape(ValueError):
    """Error: a value does not have its declared type; the message says where the value is."""


def _not_negative(value: Any) -> str:
    return "" if value >= 0 else "zero or a positive number"


def _instant(value: Any) -> str:
    try:
        moment = datetime.fromisoformat(value)
        moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return "a time such as '2024-05-10T06:00:00'"
    return ""


Count = Annotated[int, _not_negative]
Seconds = Annotated[float, _not_negative]


def _naive_instant(value: Any) -> str:
    if _instant(value) or datetime.fromisoformat(value).tzinfo is not None:
        return "a time in UTC without a time zone, such as '2024-05-10T06:00:00'"
    return ""


Instant = Annotated[str, _instant]
NaiveInstant = Annotated[str, _naive_instant]
NaiveInstantOrEmpty = Annotated[str, lambda value: _naive_instant(value) if value else ""]
InstantOrEmpty = Annotated[str, lambda value: _instant(value) if value else ""]
Digest = Annotated[str, lambda value: "" if _DIGEST.fullmatch(value) else "a digest 'sha256:…'"]
Sha256OrEmpty = Annotated[str, lambda value: "" if _SHA256.fullmatch(value) else "64 hexadecimal digits"]
Sha256 = Annotated[str, lambda value: "" if _HEX.fullmatch(value) else "64 hexadecimal digits"]
FileName = Annotated[str, lambda value: "" if value == PurePath(value).name else "the name of a file"]


def read_record(
    path: Path,
    kind: type[T],
    *,
    advice: str = "",
    largest: int = LARGEST,
    given: Mapping[str, Any] | None = None,
) -> T:
    """Read a JSON file of helio, and check that the content has the form of a dataclass or a TypedDict.

    Parameters
    ----------
    kind : type
        A frozen dataclass, a TypedDict, or a type made of them such as ``list[str]``.
    advice : str
        What to do when the record is damaged.
    largest : int
        Maximum bytes of the file.
    given : mapping, optional
        Members of the object that are not in the file, such as its path.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    DamagedRecord
        It cannot be read, is not strict JSON, or has another shape.
    """
    content = read_bytes(path, advice=advice, largest=largest)
    return parse_record(content, kind, path, advice=advice, given=given)


def read_if_whole(path: Path, kind: type[T], log: Logger, consequence: str) -> T | None:
    """Read a record as `read_record` does; return None if there is none, or if it is damaged, which is logged.

    Parameters
    ----------
    log : logging.Logger
        The log of the caller.
    consequence : str
        What helio does or does not know without the record, for the log.
    """
    try:
        return read_record(path, kind)
    except FileNotFoundError:
        return None
    except DamagedRecord as error:
        log.warning("%s; %s", error.message, consequence)
        return None


def parse_record(
    content: bytes,
    kind: type[T],
    path: Path | str,
    *,
    advice: str = "",
    given: Mapping[str, Any] | None = None,
    half_characters: bool = False,
) -> T:
    """Read a record from its JSON bytes; error messages name `path` as the file.

    Parameters
    ----------
    half_characters : bool
        Whether a text may contain an unpaired surrogate, as the texts of a model may.

    Raises
    ------
    DamagedRecord
    """
    try:
        record: T = convert(read_json(content, half_characters=half_characters), kind, given=given)
    except WrongShape as error:
        raise DamagedRecord(f"{path} cannot be read: {error}", advice=advice) from error
    return record


def read_bytes(path: Path, *, advice: str = "", largest: int = LARGEST) -> bytes:
    """Read a file of at most `largest` bytes; refuse a pipe or a device instead of waiting for data.

    Raises
    ------
    FileNotFoundError
    DamagedRecord
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a file"
                raise DamagedRecord(f"{path} cannot be read: it is {kind}", advice=advice)
            content = b""
            if status.st_size <= largest:
                size = max(status.st_size + 1, _SMALLEST_READ)
                while len(content) <= largest and (part := os.read(descriptor, size)):
                    content += part
            if max(status.st_size, len(content)) > largest:
                raise DamagedRecord(f"{path} cannot be read: it has more than {largest} bytes", advice=advice)
            return content
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise DamagedRecord(f"{path} cannot be read: {reason}", advice=advice) from error


def read_json(content: bytes, *, half_characters: bool = False) -> Any:
    """Read strict JSON from a file: UTF-8, no key twice in an object, no NaN, not nested too deeply.

    Raises
    ------
    WrongShape
    """
    if not content.strip():
        raise WrongShape("it is empty")
    try:
        value = json.loads(
            content.decode(), object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite
        )
        if content.count(b"[") + content.count(b"{") >= DEEPEST:
            _refuse_depth(value)
        if not half_characters and b"\\u" in content:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise WrongShape(f"byte {error.start} is not UTF-8") from error
    except UnicodeEncodeError as error:
        raise WrongShape("it contains an incomplete Unicode character (an unpaired surrogate)") from error
    except RecursionError as error:
        raise WrongShape("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        location = f"line {error.lineno}, column {error.colno}"
        raise WrongShape(f"it is not JSON: {error.msg} at {location}") from error
    except WrongShape:
        raise
    except ValueError as error:  # a number of more digits than Python reads
        raise WrongShape(f"it is not JSON: {error}") from error
    return value


def convert(value: Any, kind: Any, location: str = "", *, given: Mapping[str, Any] | None = None) -> Any:
    """Convert a JSON value to an object of the given type, and check every part of the value.

    A dataclass accepts only declared keys, so that misspelt keys are found. A TypedDict keeps other keys.

    Raises
    ------
    WrongShape
        With the location: ``steps[3].status is 7, not a text``.

    Examples
    --------
    >>> convert({"a": [1, 2]}, dict[str, tuple[int, ...]])
    {'a': (1, 2)}
    >>> convert([{"size": -1}], list[dict[str, Count]], "files")
    Traceback (most recent call last):
    ...
    helio.store.records.WrongShape: files[0].size is -1, not zero or a positive number
    """
    if type(kind) is type and kind in _KINDS:  # first, as most parts of a value are texts and numbers
        return _convert_plain(value, kind, location)
    if kind is Any:
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        converted = convert(value, arguments[0], location)
        for check in arguments[1:]:
            if expected := check(converted):
                raise _wrong(location, value, expected)
        return converted
    if origin is Literal:
        if not any(value == choice and type(value) is type(choice) for choice in arguments):
            raise _wrong(location, value, f"one of {', '.join(map(repr, arguments))}")
        return value
    if origin in (Union, types.UnionType):
        return _convert_to_one_of(value, arguments, location)
    if origin is list or origin is tuple:
        return _convert_list(value, origin, arguments, location)
    if origin is not None and issubclass(origin, Mapping):
        _require(value, dict, location)
        if arguments[1] is Any:
            return value
        return {key: convert(inner, arguments[1], _inside(location, key)) for key, inner in value.items()}
    if is_typeddict(kind) or dataclasses.is_dataclass(kind):
        return _convert_object(value, kind, location, given or {})
    raise TypeError(f"{kind} is not a type of a record")


def _convert_plain(value: Any, kind: type, location: str) -> Any:
    _require(value, kind, location)
    if kind is not float:
        return value
    try:
        return float(value)
    except OverflowError:
        raise _wrong(location, value, "a number within the range of a 64-bit float") from None


def _convert_to_one_of(value: Any, kinds: tuple[Any, ...], location: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    faults = []
    for kind in kinds:
        try:
            return convert(value, kind, location)
        except WrongShape as error:
            faults.append((kind, error))
    others = [error for kind, error in faults if kind is not type(None)]
    if len(others) == 1:
        raise others[0]
    known = [_KINDS[kind][1] for kind, _ in faults if kind in _KINDS]
    raise _wrong(location, value, " or ".join(known)) if len(known) == len(faults) else others[-1]


def _convert_list(value: Any, origin: type, kinds: tuple[Any, ...], location: str) -> Any:
    _require(value, list, location)
    if origin is tuple and kinds[-1] is not Ellipsis:
        if len(value) != len(kinds):
            raise _wrong(location, value, f"a list of {len(kinds)}")
        item_kinds = list(kinds)
    else:
        item_kinds = [kinds[0]] * len(value)
    converted = [
        convert(inner, kind, f"{location}[{number}]")
        for number, (inner, kind) in enumerate(zip(value, item_kinds, strict=True))
    ]
    return tuple(converted) if origin is tuple else converted


def _convert_object(value: Any, kind: Any, location: str, given: Mapping[str, Any]) -> Any:
    _require(value, dict, location)
    declared = _declared(kind)
    if given:
        declared = {name: facts for name, facts in declared.items() if name not in given}
    for name, (_, required) in declared.items():
        if required and name not in value:
            raise WrongShape(f"{location or 'it'} lacks '{name}'")
    members = {
        name: convert(value[name], inner, _inside(location, name))
        for name, (inner, _) in declared.items()
        if name in value
    }
    if is_typeddict(kind):
        return {**value, **members}
    unknown = next((name for name in value if name not in declared), None)
    if unknown is not None:
        raise WrongShape(
            f"{location or 'it'} has the unknown key '{_shown(unknown)[1:-1]}'; this version of helio cannot read it"
        )
    try:
        return kind(**members, **given)
    except ValueError as error:  # the class checks its fields together
        raise WrongShape(f"{location or 'it'}: {error}") from error


@cache
def _declared(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Return the type of each key of a class, and whether the key is required."""
    hints = get_type_hints(kind, include_extras=True)
    if is_typeddict(kind):
        return {name: (hint, name in kind.__required_keys__) for name, hint in hints.items()}
    return {
        field.name: (
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
        if field.init
    }


def _require(value: Any, kind: Any, location: str) -> None:
    allowed, words = _KINDS[kind]
    if type(value) not in allowed:
        raise _wrong(location, value, words)


def _wrong(location: str, value: Any, expected: str) -> WrongShape:
    return WrongShape(f"{location or 'it'} is {_shown(value)}, not {expected}")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _inside(location: str, name: str) -> str:
    named = name if name.isidentifier() else f"'{_shown(name)[1:-1]}'"
    return f"{location}.{named}" if location else named


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise WrongShape(f"the key '{_shown(twice)[1:-1]}' appears twice in one object")
    return value


def _refuse_constant(name: str) -> Any:
    raise WrongShape(f"{name} is not valid JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise WrongShape(f"the number {text[:20]} is too large for a 64-bit float")
    return value


def _refuse_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise RecursionError
