"""What this version can execute at all."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.maps import places, signature_of
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document


def check_runnable(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of tools that can be read and not run: the plan is sound, and whoever executes it refuses it.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> plan = {"steps": [{"step_id": 2, "tool_name": "custom_operation", "tool_args": {}}]}
    >>> [(found.code, found.severity) for found in check_runnable(plan, Context(signatures(), datetime.min, {}))]
    [('HV603', 'warning')]
    """
    for place in places(plan):
        signature = signature_of(place.step, context.signatures)
        if signature is not None and not signature.runs and signature.gives != "figure":
            yield Diagnostic(
                "HV603",
                "this version of helio reads steps with code and does not run them",
                "warning",
                place.step.get("step_id"),
                signature.name,
                pointer(*place.path, "tool_name"),
                ("a named tool: helio list --tools",),
            )
