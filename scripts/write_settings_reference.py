"""Makes the page of the environment variables from the docstrings of `helio/settings.py`; `make docs` writes it."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import cell

from helio import settings

HEAD = """# Environment variables

helio reads these variables once, when a command starts. Options on the command line come first. A value that is not
valid is an error. Proxies and certificates have variables that many programs share;
[Networks](../network.md) lists them.

| Variable | Meaning |
|---|---|
"""


def pages() -> dict[str, str]:
    """Make the page, by its path in the reference."""
    return {"settings.md": HEAD + "".join(rows())}


def rows() -> Iterator[str]:
    """Write a row for each setting whose docstring begins with the name of a variable."""
    tree = ast.parse(inspect.getsource(settings))
    for node in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for field, text in pairwise(node.body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                yield _row(field, inspect.cleandoc(ast.literal_eval(text.value)))


def _row(field: ast.AnnAssign, text: str) -> str:
    if not text.startswith("``$"):
        return ""
    names, _, meaning = " ".join(text.split()).partition(": ")
    default = ast.literal_eval(field.value) if isinstance(field.value, ast.Constant) else ""
    if default not in ("", None) and "Default: " not in meaning:
        meaning += (
            f" Default: ``{default:g}``." if isinstance(default, float) else f" Default: ``{default}``."
        )
    return f"| {cell(names)} | {cell(meaning)} |\n"
