"""Keys: names of work, and what makes two of them differ."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST_SHOWN = 60
_PREFIXES = {"sha256:": "digest", "key:": "key", "code:": "code"}
"""Values that are names of something longer."""


def key_of(recipe: Mapping[str, Any]) -> str:
    """The key of the work that a recipe describes.

    Parameters
    ----------
    recipe : mapping
        JSON: everything that the work's result follows from, and nothing else. The order of its keys does not
        matter, nor whether a list is a tuple. Numbers are the same when they are equal, so 1 and 1.0 are, and
        −0.0 is 0: JSON does not tell them apart. ``true`` is no number.

    Returns
    -------
    str
        ``"key:"`` and 64 hexadecimal digits.

    Raises
    ------
    ValueError, TypeError
        Something in the recipe is not JSON: NaN, a date, a key that is no text.

    Examples
    --------
    >>> key_of({"tool": "magnitude", "version": 1}) == key_of({"version": 1.0, "tool": "magnitude"})
    True
    """
    return "key:" + hashlib.sha256(canonical_json(recipe).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """One text for all spellings of one JSON value."""
    return json.dumps(_canonical(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two recipes, in words, leaf by leaf, in the order of their paths.

    Examples
    --------
    >>> difference(
    ...     {"args": {"window": "10min"}, "inputs": {"B": "sha256:00"}},
    ...     {"args": {"window": "30min", "minimum": 3}, "inputs": {"B": "sha256:11"}},
    ... )
    ['args.minimum: 3 is new', 'args.window: 10min → 30min', 'inputs.B digest changed']
    """
    return list(_differences("", _canonical(old), _canonical(new)))


class _Absent:
    """There is nothing at this place."""


def _differences(place: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            inner = f"{place}.{name}" if place else name
            yield from _differences(inner, old.get(name, _Absent), new.get(name, _Absent))
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            yield from _differences(
                f"{place}[{index}]",
                old[index] if index < len(old) else _Absent,
                new[index] if index < len(new) else _Absent,
            )
    elif type(old) is not type(new) or old != new:
        yield _changed(place, old, new)


def _changed(place: str, old: Any, new: Any) -> str:
    before, after = _named(old), _named(new)
    if new is _Absent:
        return f"{place}: {_shown(old)} is gone"
    if old is _Absent:
        return f"{place}: {_shown(new)} is new"
    if before and after:
        leaf = place.rpartition(".")[2]
        if before == after == "code":
            return "the code changed"
        if before != after:
            return f"{place} is named by its {after}, before by its {before}"
        return f"{place} changed" if leaf == before else f"{place} {before} changed"
    if any(isinstance(one, str) and "\n" in one for one in (old, new)):
        return f"{place} changed"
    return f"{place}: {_shown(old)} → {_shown(new)}"


def _named(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return next((name for prefix, name in _PREFIXES.items() if value.startswith(prefix)), "")


def _shown(value: Any) -> str:
    kind = _named(value)
    if kind:
        return f"a {kind}"
    text = (
        value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
    text = " ".join(text.split()) or json.dumps(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _canonical(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be part of a key")
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"the name {name!r} in a recipe is no text")
        return {str(name): _canonical(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(one) for one in value]
    raise TypeError(f"{type(value).__name__} cannot be part of a key")
