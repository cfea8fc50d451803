"""Check whether the time range of a run changes all time ranges of a plan, or only some of them.

HB205 (error; warning where the author declared the variable)  a time range for the run that changes some
        of the ranges of a template, but not others
    It is unclear which of the fixed ranges should change; if only some change, the comparison changes too.
    before  fetches of 2024-01-01 and 2024-01-02, run with --time-range 2024-05-10
    after   refused; the message names the steps and their ranges
    to do   Declare $TIME_RANGE in the template and use it in each step that the range should move;
            keep a fixed range in the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from helio.errors import RequestError
from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.passes.parametrise_times import invented_variables
from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.runner import RewriteResult
from helio.pipelines.template.template import Template, Variable
from helio.pipelines.template.time_literals import TimeLiteral, listed_literals, shortened, time_literals
from helio.pipelines.template.variables import TOKEN, read_value

NUMBERED = re.compile(re.escape(BUILT_IN) + r"_\d+")
"""Pattern of the variable names that helio made from fixed time ranges; these names do not describe the ranges."""


def check_reach(authored: RewriteResult, context: Context, *, whole_run: bool) -> Iterator[Diagnostic]:
    """Refuse a time range for a run if it would change some time ranges of the plan and not others.

    An author who declares ``$TIME_RANGE`` decides which steps it moves. Where the variable was made from literals of
    several steps, nobody has decided: the range moves all of them, or none.

    Parameters
    ----------
    authored : RewriteResult
        The plan before values are put in place, with its edits.
    context : Context
        ``values`` has the values given for the run.
    whole_run : bool
        Whether one time range was given for the run as a whole, and not by the name of a variable.
    """
    template, given = Template.from_json(authored.plan), context.values
    declared = template.time_variables
    if BUILT_IN not in declared or BUILT_IN not in given:
        return
    moves = _moves(BUILT_IN, template.variables[BUILT_IN], given, context.now)
    if not moves and not whole_run:
        return
    unmoved = [name for name in declared if name not in given]
    invented = invented_variables(authored.edits)
    literals = [
        time_literal
        for time_literal in time_literals(template, context.signatures)
        if not time_literal.pinned
    ]
    steps = _steps_by_variable(template)
    unclear = BUILT_IN in invented or not steps.get(BUILT_IN)
    if not unclear:
        unmoved = [name for name in unmoved if NUMBERED.fullmatch(name)]
        # HR602 reports the same for a range that selects data
        literals = [literal for literal in literals if not literal.required or not literal.replaceable]
    if unmoved or (literals and unclear):
        yield _refused(template.variables, unmoved, literals, steps, declared=BUILT_IN not in invented)
    elif literals and moves:
        yield Diagnostic(
            "HB205",
            f"the new value of {BUILT_IN} in this run does not change these time ranges, which are fixed in the "
            f"steps: {listed_literals(literals)}",
            "warning",
            advice=_ways([], literals),
        )


def _moves(name: str, facts: Variable, given: Mapping[str, Any], now: datetime) -> bool:
    """Return whether this run's value of a variable differs from the default; other checks refuse wrong values."""
    if facts.default is None:
        return True
    declared = facts.to_json()
    try:
        return bool(
            read_value(name, declared, given[name], now) != read_value(name, declared, facts.default, now)
        )
    except RequestError:
        return False


def _steps_by_variable(template: Template) -> dict[str, list[str]]:
    """Return the steps that use each variable, by the step ids that the author of the template wrote."""
    steps_by_name: dict[str, list[str]] = {}
    through = {name: facts.of for name, facts in template.variables.items()}
    for step in template.walk():
        step_id = str(step.step_id)
        for_each = step.for_each and step.for_each.to_json()
        for name in TOKEN.findall(str([step.tool_args, for_each])):
            for meant in (name, through.get(name)):
                if meant and step_id not in steps_by_name.setdefault(meant, []):
                    steps_by_name[meant].append(step_id)
    return steps_by_name


def _refused(
    variables: Mapping[str, Variable],
    unmoved: list[str],
    literals: list[TimeLiteral],
    steps: Mapping[str, list[str]],
    *,
    declared: bool,
) -> Diagnostic:
    moved = steps.get(BUILT_IN, [])
    default = variables[BUILT_IN].default
    what = f"only {_named_steps(moved)}" if moved else "no step"
    was = f" ({default})" if default is not None and not declared else ""
    others = [f"{_named_steps(steps.get(name, []))} ({name}: {variables[name].default})" for name in unmoved]
    others += [listed_literals(literals)] if literals else []
    return Diagnostic(
        "HB205",
        f"the time range given for this run would change {what}{was}; these time ranges would stay as they are: "
        + ", ".join(others),
        advice=_ways(unmoved, literals),
        candidates=tuple(unmoved),
    )


def _ways(unmoved: list[str], literals: list[TimeLiteral]) -> tuple[str, ...]:
    """Advise how the user can say which time ranges the run should change."""
    ways: list[str] = []
    if unmoved and not literals:
        ways.append(f"give each range: {' '.join(f'--set {name[1:]}=…' for name in (BUILT_IN, *unmoved))}")
    ways.append(f'use "{BUILT_IN}" instead of each time range that should change')
    if literals:
        names = sorted({literal.name for literal in literals})
        ways.append(
            "set " + " or ".join(f'"pin": ["{name}"]' for name in names) + " in a step that keeps its range"
        )
    return tuple(ways)


def _named_steps(ids: Collection[str]) -> str:
    return f"step{'s' * (len(ids) != 1)} {shortened(list(ids))}" if ids else "no step"
