"""Check that a variable exists for each value that the user gives for a run.

HB203 (error)  a value for a variable that the template does not have
    The value would be ignored.
    before  --set TIMERANGE=2024
    after   refused: did you mean $TIME_RANGE?
    to do   Correct the name after --set; `helio show PIPELINE` lists the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from helio.errors import closest
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.template import Template


def check_given_values(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse a value for a variable that the template does not declare, for example because its name is misspelt.

    >>> from datetime import datetime
    >>> template = Template.from_json({"variables": {"$DAY": {"type": "time_range"}}, "steps": []})
    >>> [found] = check_given_values(template, Context({}, datetime(2024, 1, 1), {"$DAI": "2024"}))
    >>> print(found)
    error[HB203]: a value is given for $DAI, but the template declares no such variable
      help: did you mean $DAY?
    """
    yield from unknown_values(template.variables, context.values)


def unknown_values(declared: Mapping[str, Any], given: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield an error for each value whose variable the template does not declare."""
    for name in given:
        if name not in declared:
            close = closest(name, declared)
            known = f"use one of these variables: {', '.join(declared)}" if declared else "remove the value"
            yield Diagnostic(
                "HB203",
                f"a value is given for {name}, but the template declares no such variable",
                advice=(f"did you mean {close[0]}?",) if close else (known,),
                candidates=close,
            )
