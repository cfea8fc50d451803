"""That there are steps at all to look at."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import Document


def check_steps(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse ``steps`` that are no list of objects; every other pass relies on that.

    >>> from datetime import datetime
    >>> for finding in check_steps({"steps": [{}, "fetch"]}, Context({}, datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.path, finding.message)
    HV101 /steps/1 "fetch" is not an object
    """
    del context
    steps = plan.get("steps")
    if not isinstance(steps, list):
        shown = json.dumps(steps, ensure_ascii=False)[:60]
        yield Diagnostic("HV101", f"{shown} is not a list", path="/steps", advice=('"steps": [{…}]',))
        return
    for index, step in enumerate(steps):
        if not isinstance(step, dict):
            shown = json.dumps(step, ensure_ascii=False)[:60]
            yield Diagnostic("HV101", f"{shown} is not an object", path=pointer("steps", index))
