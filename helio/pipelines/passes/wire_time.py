"""Find a time range for each step that needs one and has none.

HR501 (edit safe)  missing time range set to the only time variable
    Only one variable is possible.
    before  fetch_data without time_range
    after   "time_range": "$TIME_RANGE"

HR502 (error)  two time variables could be meant
    The choice of the variable decides which event is studied.
    before  $EVENT and $QUIET, and a fetch without time_range
    after   refused, both named
    to do   Write the variable that you mean as the time_range of the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from helio.pipelines.dialect.declare_variables import REQUIRED, declaration
from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.template.edit import Edit, added
from helio.pipelines.template.template import Step, Template, Variable


def wire_time(template: Template, context: Context) -> Iterator[Finding]:
    """Fill in a missing time range with the only time variable; declare ``$TIME_RANGE`` if there is no time variable.

    Which argument is a time range is what its type says, never its name or the words around it.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": {"dataset_id": "A", "parameter_id": "B"}}
    >>> template = Template.from_json({"variables": {"$EVENT": {"type": "time_range"}}, "steps": [step]})
    >>> [edit] = wire_time(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR501 time_range set to $EVENT
    """
    declared = template.time_variables
    for step in template.walk():
        signature = context.signatures.get(step.tool_name)
        # A loop still to be expanded may be over the time itself.
        if signature is None or "loop_over" in step.extra:
            continue
        for name in signature.time_arguments():
            argument = signature.argument(name)
            if argument is None or not argument.required or name in step.tool_args:
                continue
            at = pointer(*step.path, "tool_args", name)
            meant = [*(loop.name for loop in step.maps if loop.intervals), *declared]
            if not meant and BUILT_IN not in template.variables:
                declared = [BUILT_IN]
                meant = declared
                message = f"the variable {BUILT_IN} is now declared; every run must give its value"
                yield Edit("HN604", message, declaration("variables" in template.keys, REQUIRED))
            if len(meant) == 1:
                message = f"{name} set to {meant[0]}"
                yield Edit("HR501", message, added(at, meant[0]), step.step_id, path=at)
            else:
                yield _unclear(step, at, name, meant, template.variables)


def _unclear(
    step: Step, at: str, name: str, meant: list[str], variables: Mapping[str, Variable]
) -> Diagnostic:
    defaults = {
        variable: variables[variable].default if variable in variables else None for variable in meant
    }
    shown = [
        f'"{variable}" ({defaults[variable]})' if defaults[variable] else f'"{variable}"'
        for variable in meant
    ]
    many = {2: "two"}.get(len(meant), str(len(meant)))
    return Diagnostic(
        "HR502",
        f"{name} is missing, and {many} time variables could be meant: {', '.join(meant)}"
        if meant
        else f"{name} is missing, and {BUILT_IN} does not have the type time_range",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=at,
        advice=(f"set '{name}' to {' or '.join(shown)}",)
        if shown
        else (f"declare {BUILT_IN} with the type time_range",),
        candidates=tuple(meant),
        fixes=tuple(Fix(f"{name} is {value}", added(at, value)) for value in meant),
    )
