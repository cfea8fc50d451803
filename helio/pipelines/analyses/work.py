"""Write the work of a step in one canonical form, to make its key in the store and to find steps with equal work."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helio.limits import LIMITS
from helio.steps.sandbox.allow_list import names_in_scope, syntax_tree
from helio.steps.signature import CODE, Schema, Signature

Recipe = dict[str, Any]


def fetch_recipe(tool: str, version: int, span: Any, choices: Sequence[Recipe]) -> Recipe:
    """Make the recipe for fetching one parameter: the tool, the time range, and the datasets to try, best first."""
    return {"tool": tool, "version": version, "range": span, "choices": list(choices)}


def work_recipe(signature: Signature, args: Mapping[str, Any], inputs: Mapping[str, Any]) -> Recipe:
    """Make the recipe for a computation, a figure or an export: the tool, its arguments and its inputs.

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
    """Return the arguments that can change a result: no labels, no descriptions, code as a digest of its syntax tree.

    Code names its tables by their labels; the names of its inputs are replaced by their places, so that another label
    is no other work.
    """
    placed = {table.argument for table in signature.tables} | {"output_label"}
    found: dict[str, Any] = {}
    labels = [label for table in signature.tables for label in _labels_of(args.get(table.argument))]
    names = {
        f"{kind}_{name}": f"{kind} {at}"
        for at, name in enumerate(names_in_scope(labels))
        for kind in ("df", "da")
    }
    names |= {"df": "df 0", "da": "da 0"} if labels else {}
    for name, value in args.items():
        argument = signature.argument(name)
        schema: Schema = argument.schema if argument else {}
        if name in placed or (name == "description" and is_text(schema) and signature.gives == "table"):
            continue
        if is_code(schema) and isinstance(value, str):
            value = "code:" + hashlib.sha256(canonical_code(value, names).encode()).hexdigest()
        found[name] = value
    return found


def _labels_of(value: Any) -> list[str]:
    return [label for label in (value if isinstance(value, list) else [value]) if isinstance(label, str)]


def work_of(template: Mapping[str, Any], signatures: Mapping[str, Signature]) -> str:
    """Write a template's variables and steps as text, without descriptions and retries, because these change no result.

    Intents, descriptions, annotations, comments in code and what follows from the rest are such words.
    """
    variables = {
        name: {key: value for key, value in facts.items() if key != "description"}
        if isinstance(facts, dict)
        else facts
        for name, facts in (template.get("variables") or {}).items()
    }
    return json.dumps(
        [variables, [_work_of_step(step, signatures) for step in template["steps"]]], sort_keys=True
    )


def _work_of_step(step: Mapping[str, Any], signatures: Mapping[str, Signature]) -> dict[str, Any]:
    work = {key: value for key, value in step.items() if key not in _WORDS_OF_STEP}
    if work.get("critical") is True:
        del work["critical"]
    if isinstance(step.get("block"), list):
        work["block"] = [
            _work_of_step(inner, signatures) if isinstance(inner, dict) else inner for inner in step["block"]
        ]
    signature, args = signatures.get(str(step.get("tool_name"))), step.get("tool_args")
    if signature is not None and isinstance(args, dict):
        labels = {
            name: value
            for name, value in args.items()
            if name == "output_label" or any(table.argument == name for table in signature.tables)
        }
        work["tool_args"] = canonical_args(signature, args) | labels
    return work


_WORDS_OF_STEP = ("intent", "annotations", "depends_on", "produces", "retries", "retry_delay")


def is_code(schema: Schema) -> bool:
    """Return whether an argument holds code."""
    return schema.get("contentMediaType") == CODE


def is_text(schema: Schema) -> bool:
    """Return whether an argument holds words or code; variables in such a text are never replaced."""
    return schema.get("format") in ("text", "title")


def canonical_code(code: str, names: Mapping[str, str] | None = None) -> str:
    """Return code as its syntax tree, without layout; return the code unchanged if Python cannot parse it.

    Comments, blank lines, docstrings, ``pass`` and brackets that change nothing do not enter it, and no version of
    Python writes it in another way.

    Parameters
    ----------
    code : str
    names : mapping, optional
        Texts that replace some names.

    Examples
    --------
    >>> canonical_code("x = 1  # one") == canonical_code("x=1")
    True
    >>> canonical_code("x = df_B", {"df_B": "df 0"})
    "Module(body=[Assign(targets=[Name(id='x')] value=Name(id='df 0'))])"
    """
    if len(code) > LIMITS.argument_text:
        return code
    try:
        return _written(syntax_tree(code), names or {})
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code


def _written(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, list):
        return f"[{' '.join(_written(item, names) for item in value)}]"
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = " ".join(f"{name}={_written(part, names)}" for name, part in _fields(value, names))
    return f"{type(value).__name__}({fields})"


def _fields(node: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a syntax node that are not empty; newer versions of Python have more empty fields."""
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if isinstance(value, list):
            value = [item for item in value if not _does_nothing(item)]
        if name == "id" and isinstance(node, ast.Name):
            value = names.get(node.id, node.id)
        # None is a constant as well
        if name in _UNSAID or value == [] or (value is None and not isinstance(node, ast.Constant)):
            continue
        yield name, value


def _does_nothing(statement: Any) -> bool:
    """Return whether a statement has no effect: a docstring, a number, or ``pass``."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


_UNSAID = ("ctx", "kind", "type_comment", "type_ignores")
