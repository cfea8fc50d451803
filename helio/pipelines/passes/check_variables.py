"""Variables: each one used is declared, each default fits its type, each value given has a variable."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.errors import RequestError, TimeRangeError
from helio.pipelines.diagnostics import Diagnostic, did_you_mean, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document
from helio.pipelines.variables import read_value, tokens


def check_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse undeclared variables and values that nothing takes; warn of a variable that nothing uses.

    >>> from datetime import datetime
    >>> plan = {"variables": {"$DAY": {"type": "time_range", "required": True}}, "steps": []}
    >>> [found.code for found in check_variables(plan, Context({}, datetime(2024, 1, 1), {"$DAI": "2024"}))]
    ['HN603', 'HB203']
    """
    declared = plan["variables"]
    used: set[str] = set()
    for index, step in enumerate(plan["steps"]):
        signature = context.signatures.get(step["tool_name"])
        for path, name in tokens(step["tool_args"], signature.schema() if signature else {}):
            used.add(name)
            if name not in declared:
                close = did_you_mean(name, declared)
                yield Diagnostic(
                    "HN602",
                    f"the variable {name} is not declared",
                    step_id=step["step_id"],
                    tool_name=step["tool_name"],
                    path=pointer("steps", index, "tool_args", *path),
                    advice=(f"did you mean {close[0]}?",) if close else (_known(declared),),
                    candidates=close,
                )
    for name, facts in declared.items():
        if name not in used and not any(other.get("of") == name for other in declared.values()):
            yield Diagnostic(
                "HN603", f"the variable {name} is never used", "warning", path=pointer("variables", name)
            )
        if facts["type"] == "interval":
            yield Diagnostic(
                "HV102",
                "variables of type interval are part of the format, and this version of helio does not run them yet",
                path=pointer("variables", name, "type"),
            )
        elif "default" in facts:
            yield from _default(name, facts, context)
    for name in context.values:
        if name not in declared:
            close = did_you_mean(name, declared)
            yield Diagnostic(
                "HB203",
                f"a value is given for {name}, and the template has no such variable",
                advice=(f"did you mean {close[0]}?",) if close else (_known(declared),),
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


def _known(declared: Document) -> str:
    return f"variables: {', '.join(declared)}" if declared else "the template declares no variables"
