"""A label drawn in a panel is a label of the figure."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, added, replaced
from helio.pipelines.template import Document


def complete_panels(plan: Document, context: Context) -> Iterator[Finding]:
    """Add labels that stand in ``panels`` only to the spec's ``labels``.

    ``{"labels": ["B"], "panels": [["B"], ["n"]]}`` → ``{"labels": ["B", "n"], "panels": [["B"], ["n"]]}``
    """
    del context
    for index, step in enumerate(plan["steps"]):
        if step["tool_name"] != "render_spec":
            continue
        spec = step["tool_args"]["spec"]
        labels = spec.get("labels", [])
        drawn = [label for panel in spec.get("panels", []) for label in panel]
        missing = [label for label in dict.fromkeys(drawn) if label not in labels]
        at = pointer("steps", index, "tool_args", "spec", "labels")
        if missing:
            complete = [*labels, *missing]
            operations = replaced(at, labels, complete) if "labels" in spec else added(at, complete)
            yield Edit("HO401", f"labels of panels added: {', '.join(missing)}", operations, step["step_id"])
        elif not labels:
            yield Diagnostic(
                "HG102",
                "nothing to render: the figure names no label",
                step_id=step["step_id"],
                tool_name=step["tool_name"],
                path=at,
            )
