"""What this version can execute at all."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document


def check_runnable(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse tools that can be read and not run."""
    for index, step in enumerate(plan["steps"]):
        signature = context.signatures.get(step["tool_name"])
        if signature is not None and not signature.runs and signature.gives != "figure":
            yield Diagnostic(
                "HV603",
                "this version of helio reads steps with code and does not run them",
                step_id=step["step_id"],
                tool_name=signature.name,
                path=pointer("steps", index, "tool_name"),
                advice=("a named tool: helio list --tools",),
            )
