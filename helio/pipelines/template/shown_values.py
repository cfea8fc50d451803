"""Write values of templates in words so that two different values never look the same."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from helio.pipelines.template.plain_text import escaped, is_seen

_MARKS = ("→", "\\", "; ", "  ", "no longer ")
"""Texts that separate values in a description of changes."""
_FOREIGN = "АВСЕНІЈКМОРЅТХУаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳ"
_LOOK_ALIKE = str.maketrans(_FOREIGN, "ABCEHIJKMOPSTXYaeopcyxijshdqwABEZHIKMNOPTYXocj")
"""Cyrillic and Greek letters that look like Latin letters, each with that Latin letter."""
_DISGUISED = re.compile(f"[A-Za-z_][{_FOREIGN}]|[{_FOREIGN}][A-Za-z_]")


def same(value: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, in any order of keys; ``1``, ``1.0`` and ``true`` are all different."""
    return _json(value) == _json(other)


def shown(value: Any) -> str:
    """Write a complete value on one line: a text without quotes if its meaning is clear, and everything else as JSON.

    >>> print(shown("nT"), shown("1"), shown(1.0), shown(["B", "V"]), shown([1, [2]]), shown(" B"))
    nT "1" 1.0 B, V [1, [2]] " B"
    """
    if isinstance(value, str):
        return value if _is_clear(value) else _quoted(value)
    if isinstance(value, list) and value and not any(isinstance(item, (list, dict)) for item in value):
        texts = [shown(item) for item in value]
        if not any(", " in text for text in texts):
            return ", ".join(texts)
    return _quoted(value)


def shown_name(name: str) -> str:
    """Write a key of an object; quote the key only if some characters would be invisible or misread.

    >>> print(shown_name("1"), shown_name("y range"), shown_name("a\\u200bb"))
    1 y range "a\\u200bb"
    """
    return name if _is_plain(name) else _quoted(name)


def shown_line(text: str) -> str:
    """Write a line of a text; quote the line if a part of it is invisible, such as a space at the end."""
    clear = is_seen(text) and text == text.rstrip() and not _is_disguised(text)
    if clear and text and not _is_json_text(text):
        return text
    return _quoted(text)


def shown_apart(values: Sequence[Any], show: Callable[[Any], str] = shown) -> list[str]:
    """Write several values; if two different values would look the same, write them as JSON in ASCII.

    >>> shown_apart(["B", ["B"], 1, "µT", "μT"])
    ['"B"', '["B"]', '1', '"\\\\u00b5T"', '"\\\\u03bcT"']
    """
    texts = [show(value) for value in values]
    looks: dict[str, set[str]] = {}
    for value, text in zip(values, texts, strict=True):
        looks.setdefault(_look(text), set()).add(_json(value))
    return [
        json.dumps(value) if len(looks[_look(text)]) > 1 else text
        for value, text in zip(values, texts, strict=True)
    ]


def _is_clear(text: str) -> bool:
    """Return whether the meaning of a text is clear without quotes."""
    return _is_plain(text) and not _is_json(text)


def _is_plain(text: str) -> bool:
    """Return whether all characters of a text are visible, and none looks like a mark of the description around it."""
    return (
        bool(text)
        and text == text.strip()
        and is_seen(text)
        and not _is_disguised(text)
        and text[0] not in "\"'[{("
        and not any(mark in text for mark in _MARKS)
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_json_text(text: str) -> bool:
    return text.startswith('"') and _is_json(text)


def _is_disguised(text: str) -> bool:
    """Return whether letters of another alphabet look like Latin letters in a text."""
    return not text.isascii() and bool(_DISGUISED.search(text) or text.translate(_LOOK_ALIKE).isascii())


def _quoted(value: Any) -> str:
    """Write a value as JSON, with escapes for characters that are invisible or easily misread."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _is_disguised(text) else escaped(text)


def _look(text: str) -> str:
    """Return a text with letters that look the same replaced by the same Latin letter."""
    return unicodedata.normalize("NFKC", text).translate(_LOOK_ALIKE)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
