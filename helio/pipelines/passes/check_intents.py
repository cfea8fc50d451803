"""Check that each step has an intent: a sentence that says what the step is for.

HV910 (info)  step without an intent
    People who read the pipeline later want to know what each step is for.
    before  "intent": ""
    after   noted
    to do   Add "intent" to the step: a few words that say what it is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.template import Template


def check_intents(template: Template, context: Context) -> Iterator[Finding]:
    """Report each step without an intent (what the step is for); in a block, one step with an intent is enough.

    >>> from datetime import datetime
    >>> template = Template.from_json({"steps": [{"step_id": 1, "intent": "ACE field in GSE"}, {"step_id": 2}]})
    >>> findings = check_intents(template, Context({}, datetime.min, {}))
    >>> [(finding.code, finding.severity, finding.step_id) for finding in findings]
    [('HV910', 'info', 2)]
    """
    del context
    for step in template.steps:
        if not any(inner.intent for inner in (step, *step.block)):
            yield Diagnostic(
                "HV910",
                "the step does not say what it is for",
                "info",
                step.step_id,
                step.tool_name,
                pointer(*step.path),
                ('add "intent": "…" with a few words',),
            )
