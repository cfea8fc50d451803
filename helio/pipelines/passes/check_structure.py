"""Everything that is not where it belongs, or not of its type, before any pass reads further."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, did_you_mean, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, added, removed
from helio.pipelines.passes.structure import misfits
from helio.pipelines.schema import STRUCTURE
from helio.pipelines.template import Document

LATER = ("for_each", "block", "collect", "on_item_error", "use", "with")
"""Keys of the format that this version reads and does not run."""


def check_structure(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a structure that is not a template's; keep unknown keys aside, unexecuted.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "magnitude", "tool_args": [], "critical": "no"}]}
    >>> for found in check_structure(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(found.code, found.path, found.message)
    HV101 /steps/0/critical "no" is not true or false
    HV101 /steps/0/tool_args [] is not an object
    """
    del context
    for kind, path, message, meant in misfits(plan, STRUCTURE):
        at = pointer(*path)
        step = _step_at(plan, path)
        step_id = step.get("step_id") if isinstance(step, dict) else None
        shown = step_id if isinstance(step_id, (int, str)) else None
        if kind == "unknown":
            yield Diagnostic(
                "HN101",
                f"{message}: kept aside, not executed",
                "warning",
                shown,
                path=at,
                advice=_closest(str(path[-1]), meant),
            )
            yield _keep_aside(plan, path)
        else:
            yield Diagnostic("HV101", message, step_id=shown, path=at, advice=meant[:3], candidates=meant)
    steps = plan.get("steps")
    if not isinstance(steps, list):
        return
    for index, step in enumerate(steps):
        for key in LATER:
            if isinstance(step, dict) and key in step:
                yield Diagnostic(
                    "HV102",
                    f"'{key}' is part of the format, and this version of helio does not run it yet",
                    step_id=step.get("step_id"),
                    path=pointer("steps", index, key),
                )
    yield from _duplicates(steps)


def _closest(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"did you mean '{one}'?" for one in did_you_mean(name, known)[:1])


def _duplicates(steps: list[Any]) -> Iterator[Finding]:
    ids = [
        step["step_id"]
        for step in steps
        if isinstance(step, dict) and isinstance(step.get("step_id"), (int, str))
    ]
    # 1 and "1" are one id: they could not be told apart on a command line.
    twice = {text for text, count in Counter(map(str, ids)).items() if count > 1}
    for index, step in enumerate(steps):
        if isinstance(step, dict) and str(step.get("step_id")) in twice:
            twice_before = [
                i for i, one in enumerate(steps[:index]) if str(one.get("step_id")) == str(step["step_id"])
            ]
            if twice_before:
                yield Diagnostic(
                    "HN303",
                    f"the id {step['step_id']} is taken by another step (/steps/{twice_before[0]})",
                    step_id=step["step_id"],
                    path=pointer("steps", index, "step_id"),
                    advice=("another id for one of them",),
                )


def _step_at(plan: Document, path: tuple[str | int, ...]) -> Any:
    if len(path) >= 2 and path[0] == "steps" and isinstance(path[1], int):
        return plan["steps"][path[1]]
    return None


def _keep_aside(plan: Document, path: tuple[str | int, ...]) -> Edit:
    """Move an unknown key under ``annotations.unknown`` of its step, or of the template."""
    step = _step_at(plan, path)
    home = path[:2] if step is not None else ()
    owner = step if step is not None else plan
    value: Any = plan
    for part in path:
        value = value[part]
    operations = removed(pointer(*path), value)
    annotations = owner.get("annotations")
    if not isinstance(annotations, dict):
        operations += added(pointer(*home, "annotations"), {"unknown": {str(path[-1]): value}})
    elif not isinstance(annotations.get("unknown"), dict):
        operations += added(pointer(*home, "annotations", "unknown"), {str(path[-1]): value})
    else:
        operations += added(pointer(*home, "annotations", "unknown", path[-1]), value)
    return Edit("HN101", f"unknown key '{path[-1]}' kept under annotations.unknown", operations)
