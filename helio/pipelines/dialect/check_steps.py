"""Check that a document has a list of steps."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import Document


def check_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a document in which ``steps`` is not a list of objects; every other pass needs this list.

    >>> from datetime import datetime
    >>> for finding in check_steps({"steps": [{}, "fetch"]}, Context({}, datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.path, finding.message)
    HV101 /steps/1 a step must be an object, not "fetch"
    """
    del context
    steps = plan.get("steps")
    if not isinstance(steps, list):
        shown = json.dumps(steps, ensure_ascii=False)[:60]
        yield Diagnostic(
            "HV101", f"'steps' must be a list, not {shown}", path="/steps", advice=('write "steps": [{…}]',)
        )
        return
    for index, step in enumerate(steps):
        if not isinstance(step, dict):
            shown = json.dumps(step, ensure_ascii=False)[:60]
            yield Diagnostic("HV101", f"a step must be an object, not {shown}", path=pointer("steps", index))
