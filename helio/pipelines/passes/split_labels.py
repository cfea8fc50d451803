"""Labels written as one comma string become a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import pointer
from helio.pipelines.labels import produced_labels
from helio.pipelines.labels import split_labels as split
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def split_labels(plan: Document, context: Context) -> Iterator[Finding]:
    """Split a comma string where a list of labels belongs, the longest known label first.

    ``"labels": "AC_H2_MFI.BGSEc,ACE_Bmag"`` → ``"labels": ["AC_H2_MFI.BGSEc", "ACE_Bmag"]``
    """
    known = [
        label
        for step in plan["steps"]
        if (signature := context.signatures.get(step["tool_name"]))
        for label in produced_labels(signature, step["tool_args"])
    ]
    for index, step in enumerate(plan["steps"]):
        signature = context.signatures.get(step["tool_name"])
        for table in signature.tables if signature else ():
            path = table.argument.split(".")
            value: Any = step["tool_args"]
            for part in path:
                value = value.get(part) if isinstance(value, dict) else None
            if table.many and isinstance(value, str):
                yield Edit(
                    "HR201",
                    f"{table.argument}: a comma string becomes a list",
                    replaced(pointer("steps", index, "tool_args", *path), value, split(value, known)),
                    step["step_id"],
                )
