"""Replace fixed time ranges by variables, so that a template also runs for other time ranges without edits.

HR601 (edit safe)  fixed time range made a variable, with this range as its default
    A template can run for other days too; a pin keeps the fixed range.
    before  "time_range": "last 5 days"
    after   "time_range": "$TIME_RANGE"

HR602 (warning)  a second, different time range kept
    It may be a reference interval, which must not change with the range of the run.
    before  "2019-06-01 to 2019-06-02" beside $TIME_RANGE
    after   kept, with a warning
    to do   Write $TIME_RANGE in the step if its range should follow the run; add "pin": ["time_range"] to
            the step if it should stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.dialect.declare_variables import declaration
from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, changed, replaced
from helio.pipelines.template.template import Template
from helio.pipelines.template.time_literals import TimeLiteral, time_literals


def parametrise_times(template: Template, context: Context) -> Iterator[Finding]:
    """Replace each fixed time range by a variable whose default is this time range.

    Where a time variable is declared already, only a literal equal to its default is it; another one is kept, and
    said. A pinned range stays.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "A", "parameter_id": "B", "time_range": "last 5 days"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> [edit] = parametrise_times(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> [operation["value"] for operation in edit.operations if operation["op"] != "test"]
    [{'$TIME_RANGE': {'type': 'time_range', 'default': 'last 5 days'}}, '$TIME_RANGE']
    """
    declared = template.time_variables
    by_default = {template.variables[name].default: name for name in reversed(declared)}
    literals: dict[str, list[TimeLiteral]] = {}
    required: dict[str, None] = {}
    for literal in time_literals(template, context.signatures):
        if literal.pinned or not literal.replaceable:
            continue
        literals.setdefault(literal.value, []).append(literal)
        if literal.required:
            required[literal.value] = None
    taken: Document = {name: facts.to_json() for name, facts in template.variables.items()}
    # A range of a figure alone is a view of the data, and no reason for a variable.
    for value in (*required, *(time for time in literals if time not in required)):
        name = by_default.get(value, "")
        operations: tuple[Operation, ...] = ()
        if not name and not declared and value in required:
            name = _free(taken)
            facts = {"type": "time_range", "default": value}
            operations = declaration(bool(taken) or "variables" in template.keys, facts, name)
            taken[name] = facts
        if name:
            for literal in literals[value]:
                operations += replaced(pointer(*literal.path), literal.written, name)
            first = literals[value][0]
            message = f"{value} replaced by {name}" if declared else f"{value} made the default of {name}"
            yield Edit("HR601", message, operations, first.step.step_id, path=pointer(*first.path))
        elif value in required:
            for literal in literals[value]:
                yield _kept(literal, declared, taken)


def invented_variables(edits: tuple[Edit, ...]) -> tuple[str, ...]:
    """Return the time variables that `parametrise_times` made from fixed time ranges."""
    found: list[str] = []
    for edit in edits:
        for operation in edit.operations if edit.code == "HR601" else ():
            if operation["op"] == "add" and operation["path"] == "/variables":
                found += operation["value"]
            elif operation["op"] == "add":
                found.append(operation["path"].removeprefix("/variables/"))
    return tuple(found)


def _free(taken: Document) -> str:
    name, number = BUILT_IN, 2
    while name in taken:
        name, number = f"{BUILT_IN}_{number}", number + 1
    return name


def _kept(literal: TimeLiteral, declared: list[str], taken: Document) -> Diagnostic:
    step, name, value = literal.step, literal.name, literal.value
    at = pointer(*literal.path)
    pinned = changed(step, replace(step, pin=(*step.pin, name)))
    new = _free(taken)
    facts = {"type": "time_range", "default": value}
    return Diagnostic(
        "HR602",
        f"the time range '{value}' is fixed: it does not change with {' or '.join(declared)}",
        "warning",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=at,
        advice=(
            f'add "pin": ["{name}"] to the step, if this time range must stay fixed',
            f"replace this time range by a new variable, such as {new}, if runs must be able to change it",
        ),
        candidates=tuple(declared),
        fixes=(
            Fix(f"pin {name}", pinned),
            Fix(
                f"declare the variable {new}, with this time range as its default",
                (*added(pointer("variables", new), facts), *replaced(at, literal.written, new)),
            ),
        ),
    )
