"""Move unknown keys of a template to its annotations, which a run ignores.

HN101 (edit safe + warning)  unknown key moved to annotations.unknown, which a run ignores; an error in strict mode
    helio cannot use an unknown key, but does not delete what the author wrote.
    before  "colour": "red" on a step
    after   "annotations": {"unknown": {"colour": "red"}}
    to do   Correct the key's spelling, or remove it; `helio explain KEY` describes the known ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helio.errors import closest
from helio.pipelines.dialect.synonyms import advice_for, asks_for_something, is_null
from helio.pipelines.dialect.written import EditedObject, variables_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document, shortened
from helio.pipelines.template.edit import Edit, removed
from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE
from helio.pipelines.template.variables import Path


def keep_unknown_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Move unknown keys to ``annotations.unknown`` of their step or of the template; a strict policy refuses them.

    A key that asks for other numbers, as ``coords`` or ``resolution`` do, is refused under every policy.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "owner": "me", "colour": "red"}]}
    >>> [edit] = keep_unknown_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> edit.operations[-1]
    {'op': 'add', 'path': '/steps/0/annotations', 'value': {'unknown': {'owner': 'me', 'colour': 'red'}}}
    """
    unknown = _unknown(plan, STRUCTURE)
    asking = {key: value for key, value in unknown.items() if _asks(key, value, in_step=False)}
    for key, value in asking.items():
        yield _refusal(key, value, "a key of a template", pointer(key))
    aside = {key: value for key, value in unknown.items() if key not in asking}
    gone: dict[Path, Any] = {(key,): value for key, value in aside.items()}
    for name, facts in variables_of(plan).items():
        unknown = _unknown(facts, VARIABLE)
        if unknown:
            aside[f"variables.{name}"] = unknown
            gone |= {("variables", name, key): value for key, value in unknown.items()}
    known = list(STRUCTURE["properties"] | VARIABLE["properties"])
    yield from _kept(gone, aside, EditedObject((), plan), None, known, context)
    for step in written_steps(plan):
        unknown = _unknown(step.json, STEP)
        asking = {key: value for key, value in unknown.items() if _asks(key, value, in_step=True)}
        for key, value in asking.items():
            yield _refusal(key, value, "a key of a step", step.at(key), step.id, step.tool)
        aside = {key: value for key, value in unknown.items() if key not in asking}
        gone = {(*step.path, key): value for key, value in aside.items()}
        edited = EditedObject(step.path, step.json)
        yield from _kept(gone, aside, edited, step.id, list(STEP["properties"]), context)


def _unknown(owner: Document, schema: Mapping[str, Any]) -> Document:
    return {key: value for key, value in owner.items() if key not in schema["properties"]}


def _asks(key: str, value: Any, *, in_step: bool) -> bool:
    """Return whether an unknown key asks for something that a run would not do."""
    return not is_null(value) and value not in ([], {}) and asks_for_something(key, in_step=in_step)


def _refusal(
    key: str, value: Any, what: str, at: str, step_id: StepId | None = None, tool: str = ""
) -> Diagnostic:
    shown = shortened(json.dumps(value, ensure_ascii=False), 60)
    message = f"'{key}' is not {what}, but its value {shown} may change the results"
    advice = advice_for(key) or "move it to tool_args of a step whose tool has this argument"
    return Diagnostic("HN503", message, "error", step_id, tool, at, (advice,))


def _kept(
    gone: Mapping[Path, Any],
    aside: Document,
    owner: EditedObject,
    step_id: StepId | None,
    known: list[str],
    context: Context,
) -> Iterator[Finding]:
    """Move keys to the annotations of their step or template; under a strict policy, refuse these keys."""
    if not gone:
        return
    names = [str(path[-1]) for path in gone]
    close = [closest(name, known)[:1] for name in names]
    if context.policy.strict:
        for path, name, guesses in zip(gone, names, close, strict=True):
            advice = [f"did you mean '{guess}'?" for guess in guesses] or [
                f"use one of these keys: {', '.join(known)}"
            ]
            message = f"'{name}' is not a known key"
            yield Diagnostic("HN101", message, step_id=step_id, path=pointer(*path), advice=tuple(advice))
        return
    operations = [operation for path, value in gone.items() for operation in removed(pointer(*path), value)]
    annotations = owner.now.get("annotations")
    if isinstance(annotations, dict):
        owner = EditedObject((*owner.path, "annotations"), annotations)
        kept = annotations.get("unknown", {})
        owner.put("unknown", _joined(kept if isinstance(kept, dict) else {"note": kept}, aside))
    else:
        note = {} if annotations is None else {"note": annotations}
        owner.put("annotations", {"unknown": dict(aside), **note})
    shown = ", ".join(f"'{name}'" for name in names)
    keys, are = ("keys", "are not known keys") if len(names) > 1 else ("key", "is not a known key")
    hints = [
        f"'{name}' is similar to '{guesses[0]}'"
        for name, guesses in zip(names, close, strict=True)
        if guesses
    ]
    warning = f"{shown} {are}: moved to annotations.unknown, which a run ignores"
    yield Edit(
        "HN101",
        f"unknown {keys} {shown} moved to annotations.unknown",
        (*operations, *owner.operations),
        step_id,
        warning="; ".join([warning, *hints]),
        path=pointer(*next(iter(gone))),
    )


def _joined(present: Document, aside: Document) -> Document:
    """Return the annotations with more keys; a key whose name is taken gets another name."""
    joined = dict(present)
    for key, value in aside.items():
        name, number = key, 2
        while name in joined:
            name, number = f"{key} {number}", number + 1
        joined[name] = value
    return joined
