"""Variables declared as objects, under names with their ``$``, with types that the format has.

HN605 (edit safe)  variable declared without its $
    The name is the same.
    before  "TIME_RANGE": {…}
    after   "$TIME_RANGE": {…}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.dialect.synonyms import VARIABLE_TYPES, fold, folded, is_null
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.schema import VARIABLE_TYPES as TYPES
from helio.pipelines.template.variables import TOKEN
from helio.time_range import canonical

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DRESSED = re.compile(r"\{\{\s*\$?(\w+)\s*\}\}|\$\{(\w+)\}|\$\((\w+)\)|\{\$?(\w+)\}|%(\w+)%|<\$?(\w+)>|(\w+)")
"""A variable's name as templates of other programs write it."""
USED = re.compile(rf"(?<!\w){BUILT_IN[1:]}(?!\w)")
"""The built-in time range in a text, however it is marked."""


def settle_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Declare each variable as ``"$NAME": {"type": …}``, whatever way it was declared.

    >>> from datetime import datetime
    >>> plan = {"variables": {"TIME_RANGE": {"type": "timerange"}, "$DAYS": 7}, "steps": []}
    >>> for edit in settle_variables(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN505 the variable $DAYS is an object with its type, integer
    HN505 the type of TIME_RANGE is time_range
    HN605 the variable TIME_RANGE is called $TIME_RANGE
    """
    del context
    declared = plan.get("variables")
    if isinstance(declared, list):
        named = _named(declared)
        if named is not None:
            message = "the list of variables is an object by their names"
            yield Edit("HN505", message, replaced("/variables", declared, named))
            declared = named
    if not isinstance(declared, dict):
        return
    facts_of: dict[str, Any] = {}
    for name, facts in declared.items():
        facts_of[name] = facts
        at = pointer("variables", name)
        if not isinstance(facts, dict) and not isinstance(facts, list) and facts is not None:
            kind = _kind(name, facts)
            facts_of[name] = {"type": kind, "default": facts}
            message = f"the variable {name} is an object with its type, {kind}"
            yield Edit("HN505", message, replaced(at, facts, facts_of[name]), path=at)
    for name, facts in facts_of.items():
        if isinstance(facts, dict) and (typed := _typed(name, facts)):
            operations, kind = typed
            facts_of[name] = {**facts, "type": kind}
            yield Edit("HN505", f"the type of {name} is {kind}", operations, path=pointer("variables", name))
    built_in = _built_in(facts_of, plan)
    for name, facts in list(facts_of.items()):
        meant = BUILT_IN if name == built_in else _dollar(name)
        if meant is None:
            continue
        at = pointer("variables", name)
        if meant in facts_of and facts_of[meant] != facts:
            yield Diagnostic(
                "HN102",
                f"'{name}' and '{meant}' are one variable, declared in two ways",
                path=at,
                advice=(f"leave out '{name}'",),
                candidates=(meant, name),
            )
            continue
        new: tuple[Operation, ...] = removed(at, facts)
        if meant not in facts_of:
            new += added(pointer("variables", meant), facts)
        facts_of[meant] = facts
        yield Edit("HN605", f"the variable {name} is called {meant}", new, path=at)


def _named(declared: list[Any]) -> dict[str, Any] | None:
    """Variables by the names that the items of a list give themselves; nothing where one has none."""
    found: dict[str, Any] = {}
    for variable in declared:
        name = variable.get("name") if isinstance(variable, dict) else None
        if not isinstance(name, str) or not name or name in found:
            return None
        found[name] = {key: value for key, value in variable.items() if key != "name"}
    return found


def _typed(name: str, facts: Document) -> tuple[tuple[Operation, ...], str] | None:
    """The type that is written in another way, or left out where the default tells it."""
    at = pointer("variables", name, "type")
    given = facts.get("type")
    if isinstance(given, str) and not is_null(given):
        kind = folded({**dict.fromkeys(TYPES, ()), **VARIABLE_TYPES}).get(fold(given))
        return (replaced(at, given, kind), kind) if kind and kind != given else None
    if given is not None and not is_null(given):
        return None
    if "choices" in facts:
        kind = "enum"
    elif facts.get("default") is not None or fold(name) == "timerange":
        kind = _kind(name, facts.get("default"))
    else:
        return None
    return (replaced(at, given, kind) if "type" in facts else added(at, kind)), kind


def _kind(name: str, value: Any) -> str:
    """The type of a variable that only its name and its value tell."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) and fold(name) != "timerange":
        return "integer"
    if isinstance(value, float):
        return "number"
    if fold(name) == "timerange":
        return "time_range"
    if isinstance(value, str):
        try:
            canonical(value)
        except TimeRangeError:
            return "string"
        return "time_range"
    return "string"


def _built_in(declared: Document, plan: Document) -> str | None:
    """The time range that is declared in another case than the ``$TIME_RANGE`` that the steps use."""
    same = [name for name in declared if (_dollar(name) or name).casefold() == BUILT_IN.casefold()]
    if len(same) != 1 or (_dollar(same[0]) or same[0]) == BUILT_IN:
        return None
    facts = declared[same[0]]
    if not isinstance(facts, dict) or facts.get("type") != "time_range":
        return None
    return same[0] if USED.search(json.dumps(plan.get("steps"), default=str)) else None


def _dollar(name: str) -> str | None:
    """The name with its ``$``, of one that has none or is dressed up."""
    if TOKEN.fullmatch(name):
        return None
    found = DRESSED.fullmatch(
        name.strip().removeprefix("$") if NAME.fullmatch(name.strip()[1:]) else name.strip()
    )
    plain = next((group for group in found.groups() if group), "") if found else ""
    return f"${plain}" if NAME.fullmatch(plain) else None
