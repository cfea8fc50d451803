"""Keys that the format does not have, kept where nothing executes them.

HN101 (edit safe + warning)  unknown key kept aside under annotations.unknown, not executed; an error in strict mode
    A key that nobody reads must not run, and must not get lost.
    before  "colour": "red" on a step
    after   "annotations": {"unknown": {"colour": "red"}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helio.errors import closest
from helio.pipelines.dialect.synonyms import advice_for, asks_for_something, is_null
from helio.pipelines.dialect.walk import each_step, id_of, name_of, variables_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE
from helio.pipelines.template.variables import Path


def keep_unknown_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Move unknown keys under ``annotations.unknown`` of their step, or of the template; under a strict policy, refuse.

    A key that asks for other numbers, as ``coords`` or ``resolution`` do, is refused under every policy.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "retries": 3, "colour": "red"}]}
    >>> [edit] = keep_unknown_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]
    {'op': 'add', 'path': '/steps/0/annotations', 'value': {'unknown': {'retries': 3, 'colour': 'red'}}}
    """
    unknown = {key: value for key, value in plan.items() if key not in STRUCTURE["properties"]}
    yield from _asking(unknown, (), None, "")
    aside: dict[str, Any] = dict(unknown)
    gone: list[tuple[Path, Any]] = [((key,), value) for key, value in unknown.items()]
    for name, facts in variables_of(plan).items():
        odd = {key: value for key, value in facts.items() if key not in VARIABLE["properties"]}
        if odd:
            aside[f"variables.{name}"] = odd
            gone += [(("variables", name, key), value) for key, value in odd.items()]
    yield from _kept(
        (), plan, gone, aside, None, {**STRUCTURE["properties"], **VARIABLE["properties"]}, context
    )
    for path, step in each_step(plan):
        unknown = {key: value for key, value in step.items() if key not in STEP["properties"]}
        yield from _asking(unknown, path, id_of(step), name_of(step))
        gone = [((*path, key), value) for key, value in unknown.items()]
        yield from _kept(path, step, gone, unknown, id_of(step), STEP["properties"], context)


def _asking(
    unknown: dict[str, Any], home: Path, step_id: StepId | None, tool_name: str
) -> Iterator[Diagnostic]:
    """Errors for the keys that ask for something that would not be done; they are taken out of `unknown`."""
    for key in list(unknown):
        value = unknown[key]
        if is_null(value) or value in ([], {}) or not asks_for_something(key, in_step=bool(home)):
            continue
        del unknown[key]
        shown = json.dumps(value, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        where = "a key of a step" if home else "a key of a template"
        advice = advice_for(key) or "put it in tool_args of a step whose tool has it"
        yield Diagnostic(
            "HN503",
            f"'{key}' is not {where}, and its value {shown} may mean something",
            step_id=step_id,
            tool_name=tool_name,
            path=pointer(*home, key),
            advice=(advice,),
        )


def _kept(
    home: Path,
    owner: Document,
    gone: list[tuple[Path, Any]],
    aside: Mapping[str, Any],
    step_id: StepId | None,
    known: Mapping[str, Any],
    context: Context,
) -> Iterator[Finding]:
    if not gone:
        return
    names = [str(path[-1]) for path, _ in gone]
    at = pointer(*gone[0][0])
    if context.policy.strict:
        for path, _ in gone:
            close = closest(str(path[-1]), known)[:1]
            yield Diagnostic(
                "HN101",
                f"'{path[-1]}' is not known here",
                step_id=step_id,
                path=pointer(*path),
                advice=tuple(f"did you mean '{guess}'?" for guess in close) or (f"keys: {', '.join(known)}",),
            )
        return
    operations: list[Operation] = []
    for path, value in gone:
        operations += removed(pointer(*path), value)
    annotations = owner.get("annotations")
    there = annotations.get("unknown") if isinstance(annotations, dict) else None
    if annotations is None or not isinstance(annotations, dict):
        new: dict[str, Any] = {"unknown": dict(aside)}
        if "annotations" in owner and annotations is not None:
            new["note"] = annotations
        place = pointer(*home, "annotations")
        operations += replaced(place, annotations, new) if "annotations" in owner else added(place, new)
    elif "unknown" not in annotations:
        operations += added(pointer(*home, "annotations", "unknown"), dict(aside))
    else:
        before = there if isinstance(there, dict) else {"note": there}
        merged = dict(before)
        for key, value in aside.items():
            merged[_free(key, merged)] = value
        operations += replaced(pointer(*home, "annotations", "unknown"), there, merged)
    hints = [f"'{name}' looks like '{close[0]}'" for name in names if (close := closest(name, known))]
    shown = ", ".join(f"'{name}'" for name in names)
    many = "are" if len(names) > 1 else "is"
    warning = f"{shown} {many} not known here: kept under annotations.unknown, not executed"
    yield Edit(
        "HN101",
        f"unknown {'keys' if len(names) > 1 else 'key'} {shown} kept under annotations.unknown",
        tuple(operations),
        step_id,
        warning="; ".join([warning, *hints]),
        path=at,
    )


def _free(key: str, taken: Mapping[str, Any]) -> str:
    name, number = key, 2
    while name in taken:
        name, number = f"{key} {number}", number + 1
    return name
