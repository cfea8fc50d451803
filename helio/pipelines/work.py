"""What names work: the one form of a recipe, for keys in the store, for meaning, and for finding equal work."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from helio.steps.signature import Schema, Signature

Recipe = dict[str, Any]

CODE = "text/x-python"
"""The media type by which a signature marks an argument that holds code."""
_LONGEST_CODE = 20_000


def fetch_recipe(tool: str, version: int, span: Any, choices: Sequence[Recipe]) -> Recipe:
    """The recipe of one parameter of a fetch: the range, and in order what may serve it."""
    return {"tool": tool, "version": version, "range": span, "choices": list(choices)}


def work_recipe(signature: Signature, args: Mapping[str, Any], inputs: Mapping[str, Any]) -> Recipe:
    """The recipe of a computation, a figure or an export from its arguments and what goes in.

    Parameters
    ----------
    args : mapping
        As `canonical_args` gives them.
    inputs : mapping
        What goes in, by the tool's parameter; a figure's by label.
    """
    recipe: Recipe = {"tool": signature.name, "version": signature.version, "args": dict(args)}
    if inputs:
        recipe["inputs"] = dict(inputs)
    return recipe


def canonical_args(signature: Signature, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that can change a result: no labels, no descriptions, code by its syntax tree."""
    placed = {table.argument for table in signature.tables} | {"output_label"}
    found: dict[str, Any] = {}
    for name, value in args.items():
        argument = signature.argument(name)
        schema: Schema = argument.schema if argument else {}
        if name in placed or (is_text(schema) and not is_code(schema) and signature.gives == "table"):
            continue
        found[name] = canonical_code(value) if is_code(schema) and isinstance(value, str) else value
    return found


def is_code(schema: Schema) -> bool:
    """Whether an argument holds code."""
    return schema.get("contentMediaType") == CODE


def is_text(schema: Schema) -> bool:
    """Whether an argument holds words or code, in which nothing is ever replaced."""
    return schema.get("format") == "text"


def canonical_code(code: str) -> str:
    """One text for all layouts of one program: its syntax tree; the code itself where it has none.

    >>> canonical_code("x = 1  # one") == canonical_code("x=1")
    True
    """
    if len(code) > _LONGEST_CODE:
        return code
    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
