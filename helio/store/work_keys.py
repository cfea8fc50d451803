"""Keys of steps' work, each the digest of a recipe (tool, arguments, inputs), and the differences of two recipes."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

_LONGEST_SHOWN = 60
_MOST_PAIRS = 1_000_000
"""Maximum number of pairs of list items to compare; in longer lists, items are compared by position."""
_PREFIXES = {"sha256:": "digest", "key:": "key", "code:": "code"}
"""Prefixes of digests, keys and code in the recipe of a result."""
_TABLE = re.compile(r"inputs\.(?:\w+\.)?(?P<label>[\w.|-]+)(?:\[\d+\])?: .* is (?P<how>new|gone)")
_SETTING = re.compile(
    r"args\.(?:spec\.)?(?P<name>\w+)(?:\[(?P<place>\d+)\])?(?P<inside>[^:]*): (?P<change>.*)"
)


def key_of(recipe: Mapping[str, Any]) -> str:
    """Compute the key of a step's work: a digest of its recipe (tool, version, arguments and inputs).

    Parameters
    ----------
    recipe : mapping
        JSON: everything that determines the result, and nothing else. The order of its keys does not matter, nor
        whether a list is a tuple. Equal numbers are the same: 1 and 1.0, −0.0 and 0, because JSON does not
        distinguish them. ``true`` is not a number.

    Returns
    -------
    str
        ``"key:"`` and 64 hexadecimal digits.

    Raises
    ------
    ValueError, TypeError
        Something in the recipe is not JSON: NaN, a date, a key that is not text.

    Examples
    --------
    >>> key_of({"tool": "magnitude", "version": 1}) == key_of({"version": 1.0, "tool": "magnitude"})
    True
    """
    return "key:" + hashlib.sha256(canonical_json(recipe).encode()).hexdigest()


def canonical_json(value: Any) -> str:
    """Write a JSON value as text; equal values give equal texts."""
    return json.dumps(_canonical(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Describe the differences between the recipes of two results (tool, arguments, inputs), sorted by path.

    Mappings are compared by keys, lists by items: an item added in the middle changes no other item.

    Examples
    --------
    >>> difference(
    ...     {"args": {"window": "10min"}, "inputs": {"B": "sha256:00"}},
    ...     {"args": {"window": "30min", "minimum": 3}, "inputs": {"B": "sha256:11"}},
    ... )
    ['args.minimum: 3 is new', 'args.window: 10min → 30min', 'inputs.B digest changed']
    """
    return list(_differences("", _canonical(old), _canonical(new)))


def in_plain_words(change: str) -> str:
    """Write a change of a setting or of the input tables without paths.

    >>> in_plain_words("args.spec.panels[2][1]: Wind_Ne is new"), in_plain_words("args.window: 2h → 3h")
    ('panel 3: Wind_Ne is new', 'window: 2h → 3h')
    >>> in_plain_words('inputs.tables.Wind_Ne: {"cites": [["WI_H5_SWE", … is new')
    'table Wind_Ne is new'
    """
    if table := _TABLE.fullmatch(change):
        return f"table {table['label']} is {table['how']}"
    setting = _SETTING.fullmatch(change)
    if setting is None:
        return change
    name = setting["name"].replace("_", " ")
    if setting["name"] == "panels" and setting["place"]:
        return f"panel {int(setting['place']) + 1}: {setting['change']}"
    inside = " ".join(re.findall(r"[^\W\d][\w.|-]*", setting["inside"])) if not setting["place"] else ""
    return f"{name}{f' of {inside}' if inside else ''}: {setting['change']}"


class _Absent:
    """Marker for a value that exists in only one of two recipes."""


def _differences(path: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            inner = f"{path}.{name}" if path else name
            yield from _differences(inner, old.get(name, _Absent), new.get(name, _Absent))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(path, old, new)
    elif type(old) is not type(new) or old != new:
        yield _changed(path, old, new)


def _of_lists(path: str, old: list[Any], new: list[Any]) -> Iterator[str]:
    """Compare two lists: first pair equal items at any position, then similar items in order."""
    before, after = ([json.dumps(item, sort_keys=True) for item in items] for items in (old, new))
    changed: list[tuple[int, int]] = []
    gone: list[int] = []
    added: list[int] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        pairs = _similar(old[a:b], new[c:d])
        edges = [(-1, -1), *pairs, (b - a, d - c)]
        for (i, j), (k, m) in pairwise(edges):
            left, right = list(range(a + i + 1, a + k)), list(range(c + j + 1, c + m))
            if len(left) == len(right):  # equal numbers: each item replaced one
                changed += zip(left, right, strict=True)
            else:
                gone += left
                added += right
        changed += [(a + i, c + j) for i, j in pairs]
    moved = {}
    for index in gone:
        other = next(
            (
                new_index
                for new_index in added
                if new_index not in moved and after[new_index] == before[index]
            ),
            None,
        )
        if other is not None:
            moved[other] = index
    changes = [(j, list(_of_items(path, j, old[i], new[j]))) for i, j in changed]
    changes += [(i, [_changed(f"{path}[{i}]", old[i], _Absent)]) for i in gone if i not in moved.values()]
    changes += [
        (j, [f"{path}[{j}]: {_shown(new[j])} was at {path}[{moved[j]}]"])
        if j in moved
        else (j, [_changed(f"{path}[{j}]", _Absent, new[j])])
        for j in added
    ]
    for _, words in sorted(changes, key=lambda item: item[0]):
        yield from words


def _of_items(path: str, index: int, old: Any, new: Any) -> Iterator[str]:
    """Compare two items; if each is a pair of a name and a value, such as a file and its digest, show the name."""
    pairs = [isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) for item in (old, new)]
    if all(pairs) and old[0] == new[0]:
        yield from _differences(f"{path}[{old[0]}]", old[1], new[1])
    else:
        yield from _differences(f"{path}[{index}]", old, new)


def _similar(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
    """Pair similar items in order, so that the items of each pair have as much in common as possible."""
    if len(old) * len(new) > _MOST_PAIRS:
        return []
    before, after = ([_leaves(item) for item in items] for items in (old, new))
    # best[i][j] is the most that old[i:] and new[j:] can have in common
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            common = len(before[i] & after[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], common and common + best[i + 1][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new) and best[i][j]:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _leaves(item: Any, path: str = "") -> set[str]:
    """Collect every value in an item as text, together with the path of the value."""
    if isinstance(item, dict):
        return {leaf for name, inner in item.items() for leaf in _leaves(inner, f"{path}.{name}")}
    if isinstance(item, list):
        return {leaf for inner in item for leaf in _leaves(inner, f"{path}[]")}
    return {f"{path}: {json.dumps(item)}"}


def _changed(path: str, old: Any, new: Any) -> str:
    before, after = _named(old), _named(new)
    if new is _Absent:
        return f"{path}: {_shown(old)} is gone"
    if old is _Absent:
        return f"{path}: {_shown(new)} is new"
    if before and after:
        leaf = path.rpartition(".")[2]
        if before == after == "code":
            return "the code changed"
        if before != after:
            return f"{path} is now identified by its {after}, earlier by its {before}"
        return f"{path} changed" if leaf == before else f"{path} {before} changed"
    if any(isinstance(value, str) and "\n" in value for value in (old, new)):
        return f"{path} changed"
    return f"{path}: {_shown(old)} → {_shown(new)}"


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
            raise ValueError(f"{value} cannot be used as an argument: use a finite number")
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"the name {name!r} in a mapping must be a string")
        return {str(name): _canonical(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(inner) for inner in value]
    raise TypeError(
        f"an argument of type {type(value).__name__} cannot be used: use numbers, strings, lists and mappings"
    )
