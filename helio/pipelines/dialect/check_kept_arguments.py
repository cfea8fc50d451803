"""Find arguments that an earlier version of helio moved from a step to its annotations, so that runs ignore them.

HV107 (warning)  an argument in the annotations, which the run ignores
    An earlier version of helio moved the argument there; the results are not what the argument asks for.
    before  "annotations": {"dropped_args": {"coordinate_system": "GSM"}}
    after   said, with the tool that does it
    to do   Add the step with the tool that the message names, or remove the annotation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.synonyms import advice_for, asks_for_something, is_note, is_null
from helio.pipelines.dialect.written import written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document


def check_kept_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of arguments under ``annotations``, where they have no effect: a run ignores annotations.

    >>> from datetime import datetime
    >>> kept = {"dropped_args": {"coordinate_system": "GSM", "comment": "of ACE"}}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "annotations": kept}]}
    >>> [found] = check_kept_arguments(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(found)
    warning[HV107] step 1: the run ignores 'coordinate_system' ("GSM"), because it is only an annotation
      --> /steps/0/annotations/dropped_args/coordinate_system
      help: use a parameter in that frame, or add a step with transform_frame; or remove it from the annotations
    """
    del context
    for step in written_steps(plan):
        annotations = step.json.get("annotations")
        if not isinstance(annotations, dict):
            continue
        dropped, unknown = (_members(annotations.get(key)) for key in ("dropped_args", "unknown"))
        requests = [
            (key, name, value)
            for key, members in (("dropped_args", dropped), ("unknown", unknown))
            for name, value in members.items()
            if not is_null(value)
            and (
                not is_note(name, value) if key == "dropped_args" else asks_for_something(name, in_step=True)
            )
        ]
        for key, name, value in requests:
            shown = json.dumps(value, ensure_ascii=False)
            shown = shown if len(shown) <= 60 else shown[:59] + "…"
            instead = advice_for(name)
            yield Diagnostic(
                "HV107",
                f"the run ignores '{name}' ({shown}), because it is only an annotation",
                "warning",
                step.id,
                path=step.at("annotations", key, name),
                advice=(f"{instead + '; or ' if instead else ''}remove it from the annotations",),
            )


def _members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
