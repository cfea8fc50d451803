"""Find parts of a template that exceed a size limit, before helio reads the rest of the template.

HP005 (error)  larger than a template may be
    helio counts bytes, levels, values, lists and texts before it reads the template.
    before  a text of 200,000 characters
    after   refused: a text has 200,000 characters; the maximum is 100,000
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
"""Pattern of texts and of marks between values; a text without a closing quote extends to the end."""

_Path = tuple[str | int, ...]


class Oversize(ValueError):
    """Error for a part of a template that exceeds a limit.

    Parameters
    ----------
    diagnostic : Diagnostic
        Which limit, by how much, and where.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def oversize_text(text: str) -> Diagnostic | None:
    """Report the reason if a text is too large for helio to read it as JSON.

    The bytes are counted first. Then the text is scanned once: nothing is built, and the scan stops at the limit.

    >>> found = oversize_text("[" * 1_000_000)
    >>> print(found)
    error[HP005]: nested too deeply: more than 60 levels of objects and lists at line 1, column 61
      help: put fewer objects and lists inside each other; a template needs about ten levels
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
    """Report that a file has too many bytes; `count` is None if helio did not count all bytes."""
    size = f"has {count:,} bytes" if count is not None else "is too large"
    return Diagnostic(
        CODE,
        f"the file {size}; the maximum is {LIMITS.file_bytes:,} bytes",
        advice=("shorten the template; keep data in separate files",),
    )


def oversize_value(value: Any) -> Diagnostic | None:
    """Report the part of a JSON value that is too large, if there is one.

    The walk stops at the limits, so that neither a value that holds itself nor one that holds a part many times takes
    longer than the largest template.

    >>> loop = {}
    >>> loop["a"] = loop
    >>> print(oversize_value({"steps": [loop]}).message)
    nested too deeply: more than 60 levels of objects and lists
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
                return _refused(f"a text has {len(part):,} characters; the maximum is {most:,}", path)
        elif isinstance(part, (dict, list, tuple)):
            if len(path) >= LIMITS.nesting:
                return _too_deep(path)
            kind = "keys of an object" if isinstance(part, dict) else "items of a list"
            if len(part) > LIMITS.members:
                return _refused(f"there are {len(part):,} {kind}; the maximum is {LIMITS.members:,}", path)
            members: Iterable[tuple[Any, Any]] = part.items() if isinstance(part, dict) else enumerate(part)
            for key, inner in members:
                if isinstance(key, str) and len(key) > LIMITS.key:
                    return _refused(f"a key has {len(key):,} characters; the maximum is {LIMITS.key:,}", path)
                waiting.append((inner, (*path, key)))
        elif isinstance(part, int) and not -(10**LIMITS.digits) < part < 10**LIMITS.digits:
            return _refused(f"a number has more than {LIMITS.digits} digits", path)
    return None


def _too_deep(path: _Path = (), *, where: str = "") -> Diagnostic:
    message = f"nested too deeply: more than {LIMITS.nesting} levels of objects and lists{where}"
    return Diagnostic(
        CODE,
        message,
        path=pointer(*path[:8]),
        advice=("put fewer objects and lists inside each other; a template needs about ten levels",),
    )


def _too_many(*, where: str = "") -> Diagnostic:
    message = f"there are more than {LIMITS.values:,} values{where}"
    return Diagnostic(CODE, message, advice=("use fewer steps, or split the pipeline",))


def _refused(message: str, path: _Path) -> Diagnostic:
    step = path[1] if len(path) > 1 and path[0] == "steps" else None
    where = f" in step {step + 1} of the list" if isinstance(step, int) else ""
    return Diagnostic(
        CODE, message + where, path=pointer(*path), advice=("shorten this part of the template",)
    )
