"""Check the arguments that a notebook passes to public functions; the name of an argument decides its check."""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from helio.errors import RequestError, TimeRangeError, did_you_mean
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.files import check_formats
from helio.pipelines.template.oversize import oversize_value
from helio.settings import Settings

P = ParamSpec("P")
Returned = TypeVar("Returned")
Check = Callable[[str, Any], None]


def checked(function: Callable[P, Returned]) -> Callable[P, Returned]:
    """Check all arguments of a public function before the function does anything.

    `CHECKS` has the check of each argument by name. None is accepted where it is the default.

    Raises
    ------
    TypeError
        An argument has a wrong type, or there is no argument of that name.
    RequestError
        The type is correct, but the value is never valid.
    """
    signature = inspect.signature(function)
    parameters = signature.parameters
    checks = {name: CHECKS[name] for name in parameters if name != "self"}

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Returned:
        unknown = next((name for name in kwargs if name not in parameters), None)
        if unknown is not None:
            hint = did_you_mean(unknown, checks, otherwise=f"use one of these arguments: {', '.join(checks)}")
            raise TypeError(f"{function.__name__}() has no argument '{unknown}'; {hint}")
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name in checks and (value is not None or parameters[name].default is not None):
                checks[name](name, value)
        return function(*args, **kwargs)

    return call


def wrong_type(name: str, expected: str, value: object) -> TypeError:
    """Make the error for an argument of a wrong type."""
    return TypeError(f"{name} must be {expected}, not {type(value).__name__}: {repr(value)[:80]}")


def _text(name: str, value: Any, expected: str = "a string") -> None:
    if not isinstance(value, str):
        raise wrong_type(name, expected, value)


def _path(name: str, value: Any, expected: str = "a string or a Path") -> None:
    if not isinstance(value, (str, Path)):
        raise wrong_type(name, expected, value)
    if value == "":
        raise RequestError(f"{name} is empty", advice=f"leave {name} out, or give a value")
    if "\0" in str(value):
        raise RequestError(f"{name} contains a null character, which a path cannot contain")


def _place(name: str, value: Any) -> None:
    _path(name, value)
    if "://" in str(value):
        return
    try:
        Path(value).expanduser().exists()
    except PermissionError:
        return  # the function that opens it reports this
    except (OSError, RuntimeError) as error:  # too long, or the home of nobody
        reason = getattr(error, "strerror", None) or str(error)
        raise RequestError(f"{name} is not a valid path: {reason}: {str(value)[:80]}") from error


def _pipeline(name: str, value: Any) -> None:
    if isinstance(value, dict):
        _json(name, value)
    else:
        _path(name, value, "a pipeline's name, a Path or a template as a dict")


def _json(name: str, value: Any) -> None:
    refused = oversize_value(value)
    if refused is not None:
        raise InvalidTemplate([refused], place=name)
    try:
        json.dumps(value, allow_nan=False)
    except TypeError as error:
        raise TypeError(f"{name} must be a JSON value: {error}") from error
    except ValueError as error:  # NaN
        raise RequestError(f"{name} is not a JSON value: {error}") from error
    if isinstance(value, dict):
        _text_keys(name, value)


def _text_keys(name: str, value: Mapping[Any, Any]) -> None:
    for key in value:
        _text(f"each name in {name}", key)


def _variables(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise wrong_type(name, "a mapping of names to values", value)
    _text_keys(name, value)
    for variable, given in value.items():
        _json(f"{name}[{variable!r}]", given)
    twice = [key for key in value if not key.startswith("$") and f"${key}" in value]
    if twice:
        raise RequestError(
            f"{name} has two values for ${twice[0]}",
            advice=f"give either '{twice[0]}' or '${twice[0]}', not both",
        )


def _moment(name: str, value: Any) -> None:
    if not isinstance(value, (str, datetime)):
        raise wrong_type(name, "a datetime, or a string such as '2024-05-10T06:00:00Z'", value)
    if value != value:  # pandas.NaT is a datetime
        raise TimeRangeError(f"{name} is not a valid time: {value}")


def _formats(name: str, value: Any) -> None:
    if isinstance(value, str):
        raise RequestError(
            f"{name} must be a list or a tuple, not the string '{value}'", advice=f"{name}=('{value}',)"
        )
    if not isinstance(value, (Sequence, Set)) or isinstance(value, (bytes, bytearray)):
        raise wrong_type(name, "a list or a tuple of strings", value)
    for part in value:
        _text(f"each item of {name}", part)
    check_formats(value)


def _choice(name: str, value: Any, *, of: tuple[str, ...]) -> None:
    _text(name, value, f"one of {', '.join(of)}")
    if value not in of:
        known = ", ".join(of)
        hint = did_you_mean(value, of)
        raise RequestError(
            f"there is no {name} '{value}'",
            advice=f"{hint} {name}: {known}" if hint else f"use one of: {known}",
        )


def _yes_or_no(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise wrong_type(name, "True or False", value)


def _whole(name: str, value: Any) -> None:
    try:
        operator.index(value)
    except TypeError:
        raise wrong_type(name, "a whole number", value) from None
    if isinstance(value, bool):
        raise wrong_type(name, "a whole number", value)


def _callable(name: str, value: Any) -> None:
    if not callable(value):
        raise wrong_type(name, "a function", value)


def _runs(name: str, value: Any) -> None:
    expected = "a list of pairs (run id, list of step ids)"
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise wrong_type(name, expected, value)
    if not value:
        raise RequestError(f"{name} is empty", advice="give at least one run")
    for pair in value:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise wrong_type(f"each item of {name}", "a pair (run id, list of step ids)", pair)
        run_id, steps = pair
        _text(f"the run id in each pair of {name}", run_id)
        if isinstance(steps, str) or not isinstance(steps, Sequence):
            raise wrong_type(f"the steps in each pair of {name}", "a list of strings", steps)
        for step in steps:
            _text(f"each step in {name}", step)


def _texts(name: str, value: Any) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise wrong_type(name, "a list or a tuple of strings", value)
    for part in value:
        _text(f"each item of {name}", part)


def _paths(name: str, value: Any) -> None:
    if isinstance(value, (str, Path)) or not isinstance(value, Sequence):
        raise wrong_type(name, "a list or a tuple of paths", value)
    for part in value:
        _path(f"each item of {name}", part)


def _named_texts(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise wrong_type(name, "a dict of texts by name", value)
    for key, text in value.items():
        _text(f"each name of {name}", key)
        _text(f"each text of {name}", text)


def _run_ids(name: str, value: Any) -> None:
    _texts(name, value)
    if not value:
        raise RequestError(f"{name} is empty", advice="name at least one run, such as 'last'")


def _document(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise wrong_type(name, "a template as a dict", value)
    _json(name, value)


def _writing(name: str, value: Any) -> None:
    from helio.pipelines.history import Writing

    if not isinstance(value, Writing):
        raise wrong_type(name, "helio.pipelines.history.Writing", value)


def _settings(name: str, value: Any) -> None:
    if not isinstance(value, Settings):
        raise wrong_type(name, "helio.settings.Settings", value)


def _access(name: str, value: Any) -> None:
    from helio.sources.archives import Access

    if not isinstance(value, Access):
        raise wrong_type(name, "helio.sources.archives.Access", value)


def _proposal(name: str, value: Any) -> None:
    if not all(
        hasattr(value, part) for part in ("template", "earlier")
    ):  # its class belongs to a higher layer
        raise wrong_type(name, "a proposal", value)


def _figure(name: str, value: Any) -> None:
    if not hasattr(value, "origin"):  # its class belongs to a higher layer
        _path(name, value, "a path of a figure, or what read_figure returned")


def _event(name: str, value: Any) -> None:
    from threading import Event

    if not isinstance(value, Event):
        raise wrong_type(name, "a threading.Event", value)


CHECKS: dict[str, Check] = {
    "pipeline": _pipeline,
    **dict.fromkeys(["template", "document"], _document),
    "time_range": partial(_text, expected="a string such as '2021-10-28' or '2021-10-28 to 2021-10-30'"),
    "variables": _variables,
    **dict.fromkeys(["now", "since"], _moment),
    **dict.fromkeys(["archive", "output", "outputs", "locked", "file", "events"], _place),
    "replay": _path,
    "sources": _paths,
    "documents": _named_texts,
    "formats": _formats,
    "engine": partial(_choice, of=("direct", "prefect", "ephemeral")),
    "proof": partial(_choice, of=("file", "checksum", "parts", "size")),
    "position": partial(_choice, of=("head", "tail", "both")),
    "by": partial(_choice, of=("auto", "rules", "model")),
    **dict.fromkeys(["run_id", "label", "name", "old", "new", "request", "dataset_id"], _text),
    **dict.fromkeys(["choice", "text", "written_by"], _text),
    **dict.fromkeys(["frame", "cadence", "title", "each", "before", "after"], _text),
    "choose": partial(_choice, of=("needed", "failed", "all")),
    "numbers": partial(_choice, of=("at hand", "download", "none")),
    **dict.fromkeys(["spacecraft", "quantities", "datasets", "operations", "save_as", "chosen"], _texts),
    **dict.fromkeys(
        ["write", "replace", "hints", "together", "check", "dry_run", "self_contained", "resume"], _yes_or_no
    ),
    **dict.fromkeys(["rows", "number", "workers"], _whole),
    **dict.fromkeys(["planned", "started", "finished", "on_progress", "asking"], _callable),
    "runs": _runs,
    "run_ids": _run_ids,
    "writing": _writing,
    "settings": _settings,
    "access": _access,
    "proposal": _proposal,
    "figure": _figure,
    "ended": _event,
}
"""Check for each argument name; an argument name has the same meaning in every public function."""


def read_clock(now: datetime | str | None = None) -> datetime:
    """Convert the time of a run to UTC without a time zone; if no time is given, return the present time.

    Raises
    ------
    TimeRangeError
        The text is not one instant.
    """
    if now is None:
        return datetime.now(UTC).replace(tzinfo=None)
    try:
        read = datetime.fromisoformat(now) if isinstance(now, str) else now
        if read.tzinfo:
            read = read.astimezone(UTC)
    except (ValueError, OverflowError) as error:  # or before the year 1 in UTC
        raise TimeRangeError(
            f"'{now}' is not a valid time", advice="write the time as 2024-05-10T06:00:00Z"
        ) from error
    # a subclass, such as that of pandas, counts nanoseconds and is written differently
    return datetime.combine(read.date(), read.time())
