"""Replace variables by the values of one run, and relative times such as ``last 7 days`` by fixed times.

HB101 (edit bind)  time phrase resolved with the clock of the run
    A phrase is resolved once per run, and the record keeps the result.
    before  "last 7 days"
    after   "2024-03-24 to 2024-03-31"

HB201 (edit bind)  variable replaced by its value
    Only whole names are replaced, and never in code or descriptions.
    before  "time_range": "$TIME_RANGE"
    after   "time_range": "2024-01-01 to 2024-01-02"

HB202 (error)  required variable without a value
    helio never assumes a value silently, such as the last 7 days.
    before  "required": true, and no --time-range
    after   refused: give it with --time-range
    to do   Give the value: --time-range RANGE for a time range, --set NAME=VALUE for another variable.

HB204 (error)  a value that does not fit its variable or argument
    helio refuses it before anything runs.
    before  --set N=three for an integer
    after   refused
    to do   Give a value of the type and within the limits that `helio show PIPELINE` lists for the variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from helio.errors import RequestError, TimeRangeError
from helio.pipelines.dialect.structure import misfits
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Edit, added, changed
from helio.pipelines.template.template import Template, Variable
from helio.pipelines.template.variables import substitute
from helio.time_range import is_relative


def bind_values(template: Template, context: Context) -> Iterator[Finding]:
    """Replace variables by their values, and relative times such as ``last 7 days`` by fixed time ranges.

    With ``--now 2024-05-13``: ``"time_range": "$TIME_RANGE"`` → ``"time_range": "2024-05-06 to 2024-05-13"``
    """
    values: dict[str, Any] = {}
    for name, facts in template.variables.items():
        found = _value(name, facts, context)
        if isinstance(found, Diagnostic):
            yield found
        else:
            values[name] = found
    if len(values) < len(template.variables):
        return
    for name, value in values.items():
        given = context.values.get(name, template.variables[name].default)
        kind = template.variables[name].type
        code = "HB101" if kind == "time_range" and isinstance(given, str) and is_relative(given) else "HB201"
        yield Edit(
            code,
            f"{name}: {given} means {value}" if given != value else f"{name} is {value}",
            added(pointer("variables", name, "value"), value),
            kind="bind",
        )
    for step in template.steps:
        signature = context.signatures[step.tool_name]
        schema = signature.schema()
        args = substitute(step.tool_args, schema, values)
        for name in signature.time_arguments():
            if name in args:
                try:
                    args = {**args, name: str(context.read_time_range(args[name]))}
                except TimeRangeError as error:
                    at = pointer(*step.path, "tool_args", name)
                    advice = (error.advice,) if error.advice else ()
                    yield Diagnostic(
                        "HB204", error.message, "error", step.step_id, signature.name, at, advice
                    )
        for _, path, message, _ in misfits(args, schema):
            at = pointer(*step.path, "tool_args", *path)
            yield Diagnostic("HB204", message, step_id=step.step_id, tool_name=signature.name, path=at)
        produces = tuple(substitute(label, {}, values) for label in step.produces)
        after = replace(step, tool_args=args, produces=produces)
        if args != step.tool_args:
            yield Edit(
                "HB201",
                "the values of this run replace the variables of the step",
                changed(step, after),
                step.step_id,
                kind="bind",
            )


def _value(name: str, facts: Variable, context: Context) -> Any:
    given = context.values.get(name, facts.default)
    at = pointer("variables", name)
    if given is None:
        option = "--time-range" if facts.type == "time_range" else f"--set {name[1:]}=…"
        return Diagnostic(
            "HB202", f"the variable {name} needs a value", path=at, advice=(f"give it with {option}",)
        )
    try:
        return context.read_value(name, facts.to_json(), given)
    except TimeRangeError as error:
        code = "HN703" if error.empty else "HN702"
        return Diagnostic(
            code, f"{name}: {error.message}", path=at, advice=(error.advice,) if error.advice else ()
        )
    except RequestError as error:
        advice = (error.advice,) if error.advice else ()
        return Diagnostic(
            "HB204", f"invalid value for {name} of type {facts.type}: {error.message}", path=at, advice=advice
        )
