"""Find what in a template is larger than any template may be, before anything else looks at it.

HP005 (error)  larger than a template may be
    Its bytes, nesting, values, lists and texts are counted before any work is done.
    before  a text of 200,000 characters
    after   refused: a text of 200,000 characters is longer than 100,000
    to do   Make the template smaller: move long tables of numbers into data files, and repeated steps into
            for_each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic, pointer

CODE = "HP005"
_SHAPE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
"""Whole texts, and the marks that separate values; a text that is never closed goes to the end."""

_Path = tuple[str | int, ...]


class Oversize(ValueError):
    """A part of a template is larger than it may be.

    Parameters
    ----------
    diagnostic : Diagnostic
        Which limit, by how much, and where.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def oversize_text(text: str) -> Diagnostic | None:
    """Say why a text is too large to be read as JSON.

    The bytes are counted first. Then the text is scanned once: nothing is built, and the scan stops at the limit.

    >>> found = oversize_text("[" * 1_000_000)
    >>> print(found)
    error[HP005]: nested too deeply: more than 60 objects and lists in one another at line 1, column 61
      try a template needs about ten
    """
    count = len(text) if len(text) > LIMITS.file_bytes else len(text.encode("utf-8", "surrogatepass"))
    if count > LIMITS.file_bytes:
        return oversize_file(count)
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return None  # words, which are not read as JSON
    depth, values = 0, 1
    for match in _SHAPE.finditer(text):
        mark = match[0][0]
        if mark in "[{":
            depth += 1
            values += 1
        elif mark in "]}":
            depth -= 1
            values += depth < 0  # text that is no JSON is not scanned to its end either
        elif mark == ",":
            values += 1
        if depth > LIMITS.nesting or values > LIMITS.values:
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            where = f" at line {line}, column {column}"
            return _too_deep(where=where) if depth > LIMITS.nesting else _too_many(where=where)
    return None


def oversize_file(count: int | None = None) -> Diagnostic:
    """Say that a text has too many bytes; without `count` they were not counted to the end."""
    size = f"{count:,} bytes" if count is not None else "the file"
    are = "are" if count is not None else "is"
    than = (
        f"more than {LIMITS.file_bytes:,}"
        if count is not None
        else f"larger than {LIMITS.file_bytes:,} bytes"
    )
    return Diagnostic(
        CODE, f"{size} {are} {than}", advice=("a shorter template; data belong in files of their own",)
    )


def oversize_value(value: Any) -> Diagnostic | None:
    """Say which part of a JSON value is too large.

    The walk stops at the limits, so that neither a value that holds itself nor one that holds a part many times takes
    longer than the largest template.

    >>> loop = {}
    >>> loop["a"] = loop
    >>> print(oversize_value({"steps": [loop]}).message)
    nested too deeply: more than 60 objects and lists in one another
    """
    count = 0
    waiting: list[tuple[Any, _Path]] = [(value, ())]
    while waiting:
        part, path = waiting.pop()
        count += 1
        if count > LIMITS.values:
            return _too_many()
        if isinstance(part, str):
            most = LIMITS.argument_text if "tool_args" in path[:-1] else LIMITS.text
            if len(part) > most:
                return _refused(f"a text of {len(part):,} characters is longer than {most:,}", path)
        elif isinstance(part, (dict, list, tuple)):
            if len(path) >= LIMITS.nesting:
                return _too_deep(path)
            kind = "keys of an object" if isinstance(part, dict) else "items of a list"
            if len(part) > LIMITS.members:
                return _refused(f"{len(part):,} {kind} are more than {LIMITS.members:,}", path)
            members: Iterable[tuple[Any, Any]] = part.items() if isinstance(part, dict) else enumerate(part)
            for key, inner in members:
                if isinstance(key, str) and len(key) > LIMITS.key:
                    return _refused(f"a key of {len(key):,} characters is longer than {LIMITS.key:,}", path)
                waiting.append((inner, (*path, key)))
        elif isinstance(part, int) and not -(10**LIMITS.digits) < part < 10**LIMITS.digits:
            return _refused(f"a number has more than {LIMITS.digits} digits", path)
    return None


def _too_deep(path: _Path = (), *, where: str = "") -> Diagnostic:
    message = f"nested too deeply: more than {LIMITS.nesting} objects and lists in one another{where}"
    return Diagnostic(CODE, message, path=pointer(*path[:8]), advice=("a template needs about ten",))


def _too_many(*, where: str = "") -> Diagnostic:
    message = f"there are more than {LIMITS.values:,} values{where}"
    return Diagnostic(CODE, message, advice=("fewer steps, or several pipelines",))


def _refused(message: str, path: _Path) -> Diagnostic:
    step = path[1] if len(path) > 1 and path[0] == "steps" else None
    where = f" in step {step + 1} of the list" if isinstance(step, int) else ""
    return Diagnostic(CODE, message + where, path=pointer(*path), advice=("a shorter one",))
