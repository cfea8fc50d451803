"""Write each label that a step reads in the spelling of the step that produces this label.

HR202 (edit safe)  label spelled as the step that gives it
    Exactly one label differs only in case or blanks.
    before  "ac_h2_mfi.bgsec "
    after   "AC_H2_MFI.BGSEc"
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.analyses.known_labels import labels_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, Operation, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import owner
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import TOKEN


def respell_labels(template: Template, context: Context) -> Iterator[Finding]:
    """Correct the spelling of a label, if exactly one produced label differs from it only in case and blanks.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> fetch = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2024"}
    >>> template = Template.from_json({"steps": [
    ...     {"step_id": 1, "tool_name": "fetch_data", "tool_args": fetch},
    ...     {"step_id": 2, "tool_name": "magnitude", "tool_args": {"source_label": "ac_h2_mfi.bgsec "}}]})
    >>> [edit] = respell_labels(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]["value"]
    'AC_H2_MFI.BGSEc'
    """
    steps = list(views(template.walk(), context.signatures))
    known = labels_of(steps, context).all
    spelled: dict[str, list[str]] = {}
    for label in known:
        spelled.setdefault(_folded(label), []).append(label)
    for step in steps:
        operations: list[Operation] = []
        for read in step.reads:
            label = read.label
            if owner(label, known) is not None or is_glob(label) or TOKEN.search(label):
                continue
            new = _spelled(label, spelled)
            if new is not None and new != label:
                operations += replaced(pointer(*step.path, "tool_args", *read.path), label, new)
        if operations:
            labels = ", ".join(str(operation["value"]) for operation in operations[1::2])
            message = f"labels written as the steps produce them: {labels}"
            yield Edit("HR202", message, tuple(operations), step.id, path=operations[0]["path"])


def _folded(label: str) -> str:
    return "".join(label.split()).casefold()


def _spelled(label: str, spelled: dict[str, list[str]]) -> str | None:
    """Return the only label that matches, or the matching component of the only table that has one."""
    table, component = label, ""
    while table:
        found = spelled.get(_folded(table), [])
        if found:
            return found[0] + component if len(found) == 1 else None
        table, _, last = table.rpartition(".")
        component = f".{last.strip()}{component}"
    return None
