"""Variables: each one used is declared, each default fits its type.

HN602 (error)  undeclared variable
    A near miss is a suggestion: a second variable may have been meant.
    before  "time_range": "$TIMERANGE"
    after   refused: did you mean $TIME_RANGE?

HN603 (warning)  variable declared, never used
    A value given for it would change nothing.
    before  "$MISSION": {"type": "string"}, used nowhere
    after   said, and left
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helio.errors import RequestError, TimeRangeError, closest
from helio.pipelines.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.passes.edit import Context, Finding, added, replaced
from helio.pipelines.passes.walk import each_step, id_of, loop_variable, name_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TIMES, TOKEN, Path, patterns, read_value, tokens
from helio.steps.signature import Schema


def check_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse undeclared variables and defaults of another type; warn of a variable that nothing uses.

    The variable of a ``for_each`` is declared in its step and in the steps of its block.

    >>> from datetime import datetime
    >>> plan = {"variables": {"$DAY": {"type": "time_range", "required": True}}, "steps": []}
    >>> [found.code for found in check_variables(plan, Context({}, datetime(2024, 1, 1), {}))]
    ['HN603']
    """
    declared = plan["variables"]
    used: set[str] = {str(facts["of"]) for facts in declared.values() if "of" in facts}
    loops: dict[Path, frozenset[str]] = {}
    schemas: dict[str, Schema] = {}
    for path, step in each_step(plan):
        inside = loops.get(path[:-2], frozenset()) | {loop_variable(step)} - {""}
        if step.get("loop_over") is not None:
            inside |= {"$ITEM", "$LOOP_ITEM"}
        loops[path] = inside
        for place, name, text in _uses(step, context, schemas):
            used.add(name)
            if name not in declared and name not in inside:
                yield _undeclared(step, (*path, *place), name, text, {**declared, **dict.fromkeys(inside)})
        for pattern in patterns(step.get("tool_args"), _schema_of(step, context, schemas)):
            wrong = pattern.names_nothing
            if wrong:
                yield _names_nothing(
                    step, (*path, "tool_args", *pattern.path), wrong, {**declared, **dict.fromkeys(inside)}
                )
    for name, facts in declared.items():
        if name not in used:
            yield Diagnostic(
                "HN603", f"the variable {name} is never used", "warning", path=pointer("variables", name)
            )
        if facts["type"] != "interval" and "default" in facts:
            yield from _default(name, facts, context)


def _uses(step: Document, context: Context, schemas: dict[str, Schema]) -> Iterator[tuple[Path, str, str]]:
    """Every variable that a step names, with its place and the text in which it stands."""
    schema = _schema_of(step, context, schemas)
    loop = step.get("for_each")
    over = loop.get("over") if isinstance(loop, dict) else None
    for home, value, below in (
        (("tool_args",), step.get("tool_args"), schema),
        (("with",), step.get("with"), {}),
        (("for_each", "over"), over, {}),
    ):
        for place, name in tokens(value, below):
            yield (*home, *place), name, _at(value, place)


def _schema_of(step: Document, context: Context, schemas: dict[str, Schema]) -> Schema:
    signature = context.signatures.get(name_of(step))
    return {} if signature is None else schemas.setdefault(signature.name, signature.schema())


def _at(value: Any, place: Path) -> str:
    for part in place:
        value = value[part]
    return str(value)


def _undeclared(step: Document, path: Path, name: str, text: str, known: Mapping[str, Any]) -> Diagnostic:
    close = closest(name, known)
    at = pointer(*path)
    if name not in TOKEN.findall(text):  # it stands in braces
        return _names_nothing(step, path, f"{{{name[1:]}}}", known)
    kind = "time_range" if path[-1] == "time_range" else "string"
    fixes = [Fix(f"use {one}", replaced(at, text, text.replace(name, one))) for one in close]
    fixes.append(Fix(f"declare {name}", added(pointer("variables", name), {"type": kind, "required": True})))
    return Diagnostic(
        "HN602",
        f"the variable {name} is not declared",
        step_id=id_of(step),
        tool_name=name_of(step),
        path=at,
        advice=(f"did you mean {close[0]}?",) if close else (_known(known),),
        candidates=close,
        fixes=tuple(fixes),
    )


def _names_nothing(step: Document, path: Path, written: str, known: Mapping[str, Any]) -> Diagnostic:
    """What is said of braces in a title or a file name that name neither a time nor a variable."""
    names = [*TIMES, *(name[1:] for name in known)]
    close = closest(written.strip("${} "), names)
    listed = ", ".join(f"{{{name}}}" for name in names)
    return Diagnostic(
        "HN602",
        f"'{written}' names nothing",
        step_id=id_of(step),
        tool_name=name_of(step),
        path=pointer(*path),
        advice=(f"did you mean {{{close[0]}}}?" if close else f"names in braces: {listed}",),
        candidates=close,
    )


def _default(name: str, facts: Document, context: Context) -> Iterator[Diagnostic]:
    at = pointer("variables", name, "default")
    try:
        read_value(name, facts, facts["default"], context.now)
    except TimeRangeError as error:
        code = "HN703" if error.empty else "HN702"
        yield Diagnostic(
            code, f"{name}: {error.message}", path=at, advice=(error.advice,) if error.advice else ()
        )
    except RequestError as error:
        message = f"{name} is of type {facts['type']}: {error.message} ({json.dumps(facts['default'])})"
        yield Diagnostic("HV101", message, path=at, advice=(error.advice,) if error.advice else ())


def _known(declared: Mapping[str, Any]) -> str:
    return f"variables: {', '.join(declared)}" if declared else "the template declares no variables"
