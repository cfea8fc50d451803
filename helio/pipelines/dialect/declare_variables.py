"""Declare the variable ``$TIME_RANGE`` if a template uses it.

HN604 (edit safe)  built-in $TIME_RANGE declared as required
    No pass invents a default: the person who runs the pipeline gives the range.
    before  "time_range": "$TIME_RANGE", not declared
    after   "variables": {"$TIME_RANGE": {"type": "time_range", "required": true}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.dialect.written import variables_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added
from helio.pipelines.template.variables import tokens
from helio.steps.signature import Schema

REQUIRED = {"type": "time_range", "required": True}


def declare_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Declare ``$TIME_RANGE`` as a required variable if steps use it and no declaration exists.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "use": "overview", "with": {"$EVENT": "$TIME_RANGE"}}]}
    >>> [edit] = declare_variables(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.operations)
    HN604 ({'op': 'add', 'path': '/variables', 'value': {'$TIME_RANGE': {'type': 'time_range', 'required': True}}},)
    """
    declared = plan.get("variables", {})
    if not isinstance(declared, dict) or BUILT_IN in declared or not _is_used(plan, context):
        return
    yield Edit(
        "HN604",
        f"the variable {BUILT_IN} is now declared; every run must give its value",
        declaration("variables" in plan, REQUIRED),
    )


def declaration(has_variables: bool, facts: Any, name: str = BUILT_IN) -> tuple[Operation, ...]:
    """Return the operations that add a variable to a plan, also to a plan without any variables."""
    if not has_variables:
        return added("/variables", {name: dict(facts)})
    return added(pointer("variables", name), dict(facts))


def _is_used(plan: Document, context: Context) -> bool:
    if any(facts.get("of") == BUILT_IN for facts in variables_of(plan).values()):
        return True
    for step in written_steps(plan):
        if step.item == BUILT_IN:
            return False
        signature = step.signature(context)
        values: list[tuple[Any, Schema]] = [(step.json.get("with"), {}), (step.over, {})]
        if signature is not None:
            values.append((step.json.get("tool_args"), signature.schema()))
        if any(name == BUILT_IN for value, schema in values for _, name in tokens(value, schema)):
            return True
    return False
