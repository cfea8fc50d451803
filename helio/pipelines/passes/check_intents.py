"""What each step is for, in words.

HV910 (info)  step without an intent
    Whoever reads the plan next would like to know.
    before  "intent": ""
    after   noted
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.maps import is_block
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document


def check_intents(plan: Document, context: Context) -> Iterator[Finding]:
    """Note each step that does not say what it is for; of a block, one of its steps is enough.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "intent": "ACE field in GSE"}, {"step_id": 2, "intent": ""}]}
    >>> [(found.code, found.severity, found.step_id) for found in check_intents(plan, Context({}, datetime.min, {}))]
    [('HV910', 'info', 2)]
    """
    del context
    for index, step in enumerate(plan["steps"]):
        inside = step["block"] if is_block(step) else ()
        if not any(isinstance(one, dict) and one.get("intent") for one in (step, *inside)):
            yield Diagnostic(
                "HV910",
                "the step does not say what it is for",
                "info",
                step.get("step_id"),
                str(step.get("tool_name", "")),
                pointer("steps", index),
                ('"intent": "…", in a few words',),
            )
