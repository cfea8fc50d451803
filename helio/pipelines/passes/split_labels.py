"""Labels written as one comma string become a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import pointer
from helio.pipelines.graph import graph_of
from helio.pipelines.labels import split_labels as split
from helio.pipelines.maps import args_of, signature_of
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, replaced
from helio.pipelines.passes.walk import each_step, id_of
from helio.pipelines.template import Document
from helio.pipelines.variables import Path


def split_labels(plan: Document, context: Context) -> Iterator[Finding]:
    """Split a comma string where a list of labels belongs, the longest known label first.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> made = {"step_id": 1, "tool_name": "magnitude", "tool_args": {"output_label": "B(x,y)"}}
    >>> drawn = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": "B(x,y), AC_H2_MFI.BGSEc"}}
    >>> [edit] = split_labels({"steps": [made, drawn]}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]["value"]
    ['B(x,y)', 'AC_H2_MFI.BGSEc']
    """
    known: list[str] | None = None
    for path, step in each_step(plan):
        signature = signature_of(step, context.signatures)
        operations: list[Operation] = []
        for table in signature.tables if signature else ():
            if not table.many:
                continue
            for dotted in (table.argument, *table.also):
                value = _at(args_of(step), tuple(dotted.split(".")))
                if not _holds_commas(value, dotted == table.argument):
                    continue
                if known is None:
                    known = list(graph_of(plan, context.signatures).producers)
                parts = _split(value, known, dotted == table.argument)
                if parts != value:
                    operations += replaced(pointer(*path, "tool_args", *dotted.split(".")), value, parts)
        if operations:
            message = "labels in a comma string become a list"
            yield Edit("HR201", message, tuple(operations), id_of(step), path=operations[0]["path"])


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _holds_commas(value: Any, whole: bool) -> bool:
    if isinstance(value, str):
        return whole
    return isinstance(value, list) and any(
        ("," in one) if isinstance(one, str) else _holds_commas(one, False) for one in value
    )


def _split(value: Any, known: list[str], whole: bool) -> Any:
    """A text as the list of its labels; in a list, a text that is no label but several."""
    if isinstance(value, str):
        return split(value, known) if whole else value
    if not isinstance(value, list):
        return value
    found: list[Any] = []
    for one in value:
        if isinstance(one, str) and "," in one and one.strip() not in known:
            found += split(one, known)
        else:
            found.append(_split(one, known, False))
    return found
