"""Write the declaration of each variable as an object with a known type, under a name with ``$``.

HN605 (edit safe)  variable declared without its $
    The variable is the same with and without $.
    before  "TIME_RANGE": {…}
    after   "$TIME_RANGE": {…}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.dialect.spell_variables import BUILT_IN, bare_name
from helio.pipelines.dialect.synonyms import VARIABLE_TYPES, by_word, fold, is_null
from helio.pipelines.dialect.written import EditedObject, object_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.schema import VARIABLE_TYPES as TYPES
from helio.pipelines.template.variables import TOKEN
from helio.time_range import canonical

USED = re.compile(rf"(?<!\w){BUILT_IN[1:]}(?!\w)")
"""Pattern that finds the name ``TIME_RANGE`` in a text, with or without ``$``."""


def settle_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Write the declaration of each variable as ``"$NAME": {"type": …}``.

    >>> from datetime import datetime
    >>> plan = {"variables": {"TIME_RANGE": {"type": "timerange"}, "$DAYS": 7}, "steps": []}
    >>> for edit in settle_variables(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN505 the variable $DAYS written as an object with its type, integer
    HN505 the type of TIME_RANGE written as time_range
    HN605 the variable TIME_RANGE renamed to $TIME_RANGE
    """
    del context
    declared = plan.get("variables")
    named = _by_name(declared) if isinstance(declared, list) else None
    if named is not None:
        message = "list of variables written as an object with their names as keys"
        yield Edit("HN505", message, replaced("/variables", declared, named))
        declared = named
    variables = EditedObject(("variables",), object_of(declared))
    yield from _make_objects(variables)
    yield from _name_types(variables)
    yield from _mark_names(variables, plan)


def _by_name(declared: list[Any]) -> Document | None:
    """Convert a list of variables to an object by their names; return None if an item has no name."""
    named: Document = {}
    for variable in declared:
        name = object_of(variable).get("name")
        if not isinstance(name, str) or not name or name in named:
            return None
        named[name] = {key: value for key, value in variable.items() if key != "name"}
    return named


def _make_objects(variables: EditedObject) -> Iterator[Edit]:
    """Write each variable that is only a value as an object with this value."""
    for name, value in list(variables.now.items()):
        if value is None or isinstance(value, (dict, list)):
            continue
        kind = _kind(name, value)
        message = f"the variable {name} written as an object with its type, {kind}"
        variables.put(name, {"type": kind, "default": value})
        yield Edit("HN505", message, variables.new_operations(), path=variables.at(name))


def _name_types(variables: EditedObject) -> Iterator[Edit]:
    """Write the type of each variable in the standard spelling; find a missing type from the default value."""
    for name, facts in list(variables.now.items()):
        kind = _type_of(name, facts) if isinstance(facts, dict) else None
        if kind is None or kind == facts.get("type"):
            continue
        variable = EditedObject((*variables.path, name), facts)
        variable.put("type", kind)
        variables.now[name] = variable.now
        yield Edit(
            "HN505",
            f"the type of {name} written as {kind}",
            variable.new_operations(),
            path=variables.at(name),
        )


def _mark_names(variables: EditedObject, plan: Document) -> Iterator[Finding]:
    """Write the name of each variable with its ``$``."""
    built_in = _built_in(variables.now, plan)
    for name, facts in list(variables.now.items()):
        meant = BUILT_IN if name == built_in else _dollar(name)
        if meant is None:
            continue
        if meant in variables.now and variables.now[meant] != facts:
            yield Diagnostic(
                "HN102",
                f"'{name}' and '{meant}' are the same variable, declared in two different ways",
                path=variables.at(name),
                advice=(f"leave out '{name}'",),
                candidates=(meant, name),
            )
            continue
        variables.take(name)
        if meant not in variables.now:
            variables.put(meant, facts)
        message = f"the variable {name} renamed to {meant}"
        yield Edit("HN605", message, variables.new_operations(), path=variables.at(name))


def _type_of(name: str, facts: Document) -> str | None:
    """Return the type of a variable in the standard spelling; return None if the type is unknown."""
    given = facts.get("type")
    if isinstance(given, str) and not is_null(given):
        return by_word(TYPES, VARIABLE_TYPES).get(fold(given))
    if not is_null(given):
        return None
    if "choices" in facts:
        return "enum"
    if facts.get("default") is not None or fold(name) == "timerange":
        return _kind(name, facts.get("default"))
    return None


def _kind(name: str, value: Any) -> str:
    """Find the type of a variable without a stated type, from its name and its value."""
    named = fold(name) == "timerange"
    match value:
        case bool():
            return "boolean"
        case int() if not named:
            return "integer"
        case float():
            return "number"
        case str() if not named:
            with suppress(TimeRangeError):
                canonical(value)
                return "time_range"
    return "time_range" if named else "string"


def _built_in(declared: Document, plan: Document) -> str | None:
    """Return the variable that is ``$TIME_RANGE`` in another case, if the steps use ``$TIME_RANGE``."""
    same = [name for name in declared if (_dollar(name) or name).casefold() == BUILT_IN.casefold()]
    if len(same) != 1 or (_dollar(same[0]) or same[0]) == BUILT_IN:
        return None
    if object_of(declared[same[0]]).get("type") != "time_range":
        return None
    return same[0] if USED.search(json.dumps(plan.get("steps"), default=str)) else None


def _dollar(name: str) -> str | None:
    """Return a name with its ``$``; return None if the name is correct already or cannot be a name."""
    plain = "" if TOKEN.fullmatch(name) else bare_name(name)
    return f"${plain}" if plain else None
