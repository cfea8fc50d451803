"""Split a text with several labels, separated by commas, into a list.

HR201 (edit safe)  comma-separated labels written as a list
    The longest known label is taken first, since a label may hold a comma.
    before  "labels": "B(x,y),AC_H2_MFI.BGSEc"
    after   "labels": ["B(x,y)", "AC_H2_MFI.BGSEc"]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, Operation, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import split_labels as split
from helio.pipelines.template.labels import values_at
from helio.pipelines.template.template import Template


def split_labels(template: Template, context: Context) -> Iterator[Finding]:
    """Split a text with several labels at its commas where a tool takes a list; look for the longest known label first.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> made = {"step_id": 1, "tool_name": "magnitude", "tool_args": {"output_label": "B(x,y)"}}
    >>> drawn = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": "B(x,y), AC_H2_MFI.BGSEc"}}
    >>> template = Template.from_json({"steps": [made, drawn]})
    >>> [edit] = split_labels(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]["value"]
    ['B(x,y)', 'AC_H2_MFI.BGSEc']
    """
    known: list[str] | None = None
    for step in template.by_list():
        signature = context.signatures.get(step.tool_name)
        operations: list[Operation] = []
        for table in signature.tables if signature else ():
            if not table.many:
                continue
            places = [
                (path, value, dotted in (table.argument, "spec.histograms.of", "histograms.of"))
                for dotted in (table.argument, *table.also)
                for path, value in values_at(step.tool_args, dotted)
            ]
            # Where one label stands, such as x of a panel, a text is one label; what is not known is refused later.
            single = [value for _, value, whole in places if isinstance(value, str) and not whole]
            for path, value, whole in places:
                if not _holds_commas(value, whole):
                    continue
                if known is None:
                    shown = views(template.by_list(), context.signatures)
                    known = [label for view in shown for label in view.outputs]
                parts = _split(value, [*known, *single], whole)
                if parts != value:
                    operations += replaced(pointer(*step.path, "tool_args", *path), value, parts)
        if operations:
            message = "comma-separated labels written as a list"
            yield Edit("HR201", message, tuple(operations), step.step_id, path=operations[0]["path"])


def _holds_commas(value: Any, whole: bool) -> bool:
    if isinstance(value, str):
        return whole
    return isinstance(value, list) and any(
        ("," in item) if isinstance(item, str) else _holds_commas(item, False) for item in value
    )


def _split(value: Any, known: list[str], whole: bool) -> Any:
    """Return a text as the list of its labels; in a list, split each text that contains several labels."""
    if isinstance(value, str):
        return split(value, known) if whole else value
    if not isinstance(value, list):
        return value
    found: list[Any] = []
    for item in value:
        if isinstance(item, str) and "," in item and item.strip() not in known:
            found += split(item, known)
        else:
            found.append(_split(item, known, False))
    return found
