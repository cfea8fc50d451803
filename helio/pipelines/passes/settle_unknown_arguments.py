"""Arguments that a tool does not have: dropped where they say nothing, kept aside or renamed where they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from helio.errors import closest
from helio.pipelines.diagnostics import StepId, pointer
from helio.pipelines.figures import DRAWING, UNKNOWN_KEY
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, removed, replaced
from helio.pipelines.passes.rename_arguments import disagreeing
from helio.pipelines.passes.structure import fits
from helio.pipelines.passes.synonyms import is_null
from helio.pipelines.passes.walk import each_step, id_of, name_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path
from helio.steps.signature import Argument, Signature

CLOSE = 0.8
"""How alike, of 1, a misspelt argument and the one that is meant must be."""


def settle_unknown_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Remove unknown arguments without meaning; rename misspelt ones and keep the others aside, if that is allowed.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"labels": ["B"], "zoom": None, "titel": "B", "sparkle": 3}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "plot_data", "tool_args": args}]}
    >>> for edit in settle_unknown_arguments(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.kind, edit.message)
    HN507 safe arguments without meaning removed: zoom
    HO401 lossy 'titel' read as 'title'
    HO401 lossy 'sparkle' kept under annotations.dropped_args
    """
    for path, step in each_step(plan):
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is None or not isinstance(args, dict):
            continue
        known = {one.name: one for one in signature.arguments}
        if not known.keys() >= args.keys():
            refused = disagreeing(args, signature)
            unknown = [name for name in args if name not in known and name not in refused]
            yield from _settled(path, step, signature, known, unknown)


def _settled(
    path: Path, step: Document, signature: Signature, known: dict[str, Argument], unknown: list[str]
) -> Iterator[Edit]:
    args, step_id = step["tool_args"], id_of(step)
    near = {name: _near(name, known) for name in unknown}
    inert = [name for name in unknown if _says_nothing(args[name], known.get(near[name] or ""))]
    if inert:
        operations: list[Operation] = []
        for name in inert:
            operations += removed(pointer(*path, "tool_args", name), args[name])
        message = f"arguments without meaning removed: {', '.join(inert)}"
        at = pointer(*path, "tool_args", inert[0])
        yield Edit("HN507", message, tuple(operations), step_id, path=at)
    taken = {name for name in args if name in known}
    aside: dict[str, Any] = {}
    for name in unknown:
        meant = near[name]
        if name in inert:
            continue
        if meant and meant not in taken and _is_valid(args[name], known[meant]):
            taken.add(meant)
            yield _read_as(path, args, name, meant, signature, step_id)
        else:
            aside[name] = args[name]
    if aside:
        yield from _kept_aside(path, step, aside, signature, step_id)


def _read_as(
    path: Path, args: Document, name: str, meant: str, signature: Signature, step_id: StepId | None
) -> Edit:
    at = pointer(*path, "tool_args", name)
    operations = (*removed(at, args[name]), *added(pointer(*path, "tool_args", meant), args[name]))
    warning = f"'{name}' is not known here; did you mean '{meant}'?"
    code = "HN504"
    if signature.name in DRAWING:
        warning += f" Keys of a figure: {', '.join(one.name for one in signature.arguments)}"
        code = UNKNOWN_KEY
    return Edit(code, f"'{name}' read as '{meant}'", operations, step_id, "lossy", warning, at)


def _kept_aside(
    path: Path, step: Document, aside: dict[str, Any], signature: Signature, step_id: StepId | None
) -> Iterator[Edit]:
    """One edit for each, so that each is told; the later ones rest on what the earlier ones leave."""
    annotations = step.get("annotations")
    if annotations is not None and not isinstance(annotations, dict):
        annotations = {"note": annotations}
    known = [one.name for one in signature.arguments]
    first = True
    now: Any = step.get("annotations")
    for name, value in aside.items():
        at = pointer(*path, "tool_args", name)
        operations = removed(at, value)
        dropped = (annotations or {}).get("dropped_args", {})
        dropped = {**(dropped if isinstance(dropped, dict) else {"note": dropped}), name: value}
        new = {**(annotations or {}), "dropped_args": dropped}
        place = pointer(*path, "annotations")
        there = not first or "annotations" in step
        operations += replaced(place, now, new) if there else added(place, new)
        annotations = now = new
        first = False
        close = closest(name, known)
        hint = f"did you mean '{close[0]}'?" if close else f"its arguments: {', '.join(known)}"
        shown = json.dumps(value, ensure_ascii=False)[:60]
        code = "HN503"
        if signature.name in DRAWING:
            hint = (
                f"{hint} Keys of a figure: {', '.join(known)}"
                if close
                else f"keys of a figure: {', '.join(known)}"
            )
            code = UNKNOWN_KEY
        warning = f"'{name}' is not an argument of {signature.name}, and its value {shown} may mean something; {hint}"
        message = f"'{name}' kept under annotations.dropped_args"
        yield Edit(code, message, operations, step_id, "lossy", warning, at)


def _near(name: str, known: dict[str, Argument]) -> str | None:
    """The one argument of the tool that a misspelt one comes close to."""
    folded = name.casefold()
    close = [
        one for one in closest(name, known) if SequenceMatcher(None, folded, one.casefold()).ratio() >= CLOSE
    ]
    return close[0] if len(close) == 1 else None


def _says_nothing(value: Any, meant: Argument | None) -> bool:
    """Null, empty, or what the argument that is meant has when it is left out."""
    if is_null(value) or value in ([], {}):
        return True
    return meant is not None and meant.default is not None and bool(value == meant.default)


def _is_valid(value: Any, argument: Argument) -> bool:
    return (isinstance(value, str) and TOKEN.search(value) is not None) or fits(value, argument.schema)
