"""Check that each used variable is declared, and that each default fits its type.

HN602 (error)  undeclared variable
    A similar name is only a suggestion: the author may mean a second variable.
    before  "time_range": "$TIMERANGE"
    after   refused: did you mean $TIME_RANGE?
    to do   Correct the variable's name, or declare it under "variables".

HN603 (warning)  variable declared, never used
    A value given for it would change nothing.
    before  "$MISSION": {"type": "string"}, used nowhere
    after   warned, and left
    to do   Use the variable in a step, or remove its declaration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from helio.errors import RequestError, TimeRangeError, closest
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.template.edit import added, replaced
from helio.pipelines.template.template import Step, Template, Variable
from helio.pipelines.template.variables import TIMES, TOKEN, Path, patterns, tokens
from helio.steps.signature import Schema


def check_variables(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse undeclared variables and defaults of a wrong type; warn of a variable that no step uses.

    The variable of a ``for_each`` is declared in its step and in the steps of its block.

    >>> from datetime import datetime
    >>> template = Template.from_json({"variables": {"$DAY": {"type": "time_range", "required": True}}, "steps": []})
    >>> [finding.code for finding in check_variables(template, Context({}, datetime(2024, 1, 1), {}))]
    ['HN603']
    """
    declared = template.variables
    used = {facts.of for facts in declared.values()}
    schemas: dict[str, Schema] = {}
    for step in template.by_list():
        inside = set(step.items)
        if step.extra.get("loop_over") is not None:
            inside |= {"$ITEM", "$LOOP_ITEM"}
        known = [*declared, *inside]
        for path, name, text in _uses(step, context, schemas):
            used.add(name)
            if name not in known:
                yield _undeclared(step, path, name, text, known)
        for pattern in patterns(step.tool_args, _schema_of(step, context, schemas)):
            wrong = pattern.names_nothing
            if wrong:
                yield _names_nothing(step, (*step.path, "tool_args", *pattern.path), wrong, known)
    for name, facts in declared.items():
        if name not in used:
            yield Diagnostic(
                "HN603", f"the variable {name} is never used", "warning", path=pointer("variables", name)
            )
        if facts.type != "interval" and facts.has_default:
            yield from _default(name, facts, context)


def _uses(step: Step, context: Context, schemas: dict[str, Schema]) -> Iterator[tuple[Path, str, str]]:
    """Yield every variable that a step uses, with the path and the text in which the variable stands."""
    schema = _schema_of(step, context, schemas)
    over = None if step.for_each is None else step.for_each.to_json()["over"]
    for home, value, below in (
        (("tool_args",), step.tool_args, schema),
        (("with",), step.with_values, {}),
        (("for_each", "over"), over, {}),
    ):
        for inside, name in tokens(value, below):
            yield (*step.path, *home, *inside), name, _at(value, inside)


def _schema_of(step: Step, context: Context, schemas: dict[str, Schema]) -> Schema:
    signature = context.signatures.get(step.tool_name)
    return {} if signature is None else schemas.setdefault(signature.name, signature.schema())


def _at(value: Any, path: Path) -> str:
    for part in path:
        value = value[part]
    return str(value)


def _undeclared(step: Step, path: Path, name: str, text: str, known: Sequence[str]) -> Diagnostic:
    close = closest(name, known)
    at = pointer(*path)
    if name not in TOKEN.findall(text):  # it stands in braces
        return _names_nothing(step, path, f"{{{name[1:]}}}", known)
    kind = "time_range" if path[-1] == "time_range" else "string"
    fixes = [Fix(f"use {guess}", replaced(at, text, text.replace(name, guess))) for guess in close]
    fixes.append(Fix(f"declare {name}", added(pointer("variables", name), {"type": kind, "required": True})))
    return Diagnostic(
        "HN602",
        f"the variable {name} is not declared",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=at,
        advice=(f"did you mean {close[0]}?",) if close else (_known(known),),
        candidates=close,
        fixes=tuple(fixes),
    )


def _names_nothing(step: Step, path: Path, written: str, known: Sequence[str]) -> Diagnostic:
    """Yield an error for braces in a title or file name, if the text in them is neither a time nor a variable."""
    names = [*TIMES, *(name[1:] for name in known)]
    close = closest(written.strip("${} "), names)
    listed = ", ".join(f"{{{name}}}" for name in names)
    return Diagnostic(
        "HN602",
        f"'{written}' is neither a variable nor a time, such as {{start}}",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=pointer(*path),
        advice=(f"did you mean {{{close[0]}}}?" if close else f"use one of these names in braces: {listed}",),
        candidates=close,
    )


def _default(name: str, facts: Variable, context: Context) -> Iterator[Diagnostic]:
    at = pointer("variables", name, "default")
    try:
        context.read_value(name, facts.to_json(), facts.default)
    except TimeRangeError as error:
        code = "HN703" if error.empty else "HN702"
        yield Diagnostic(
            code, f"{name}: {error.message}", path=at, advice=(error.advice,) if error.advice else ()
        )
    except RequestError as error:
        message = (
            f"invalid default {json.dumps(facts.default)} for {name} of type {facts.type}: {error.message}"
        )
        yield Diagnostic("HV101", message, path=at, advice=(error.advice,) if error.advice else ())


def _known(declared: Sequence[str]) -> str:
    return f"use one of these variables: {', '.join(declared)}" if declared else "declare the variable"
