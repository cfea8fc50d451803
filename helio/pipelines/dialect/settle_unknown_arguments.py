"""Arguments that a tool does not have: dropped where empty, renamed where misspelt, refused where they ask for more.

HN503 (error)  unknown argument with a meaning
    Without it the run would do something else than was asked; which step does it, the author decides.
    before  "resample": "1min" on a fetch
    after   refused, with the tool that does it

HN504 (lossy (repair) or error (run))  misspelt argument
    It is renamed only while authoring, where one name is close, its value fits, and that one is missing.
    before  "time_rnge": "2024"
    after   "time_range": "2024"

HN507 (edit safe)  unknown argument without meaning removed
    Null, empty, or the default: it asks for nothing.
    before  "filter": ""
    after   no filter

HN508 (edit safe, and warning)  a note among the arguments
    Words for people change no result: the pass keeps them as annotations and warns the author.
    before  "reason": "to compare" on a fetch
    after   "annotations": {"notes": {"reason": "to compare"}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from helio.errors import closest
from helio.pipelines.dialect.rename_arguments import disagreeing
from helio.pipelines.dialect.structure import fits
from helio.pipelines.dialect.synonyms import advice_for, is_note, is_null
from helio.pipelines.dialect.walk import each_step, id_of, name_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.figures import DRAWING, UNKNOWN_KEY
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.signature import Argument, Signature

CLOSE = 0.8
"""How alike, of 1, a misspelt argument and the one that is meant must be."""


def settle_unknown_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Remove empty unknown arguments, keep notes as annotations, rename misspelt ones if allowed, refuse the others.

    What an unknown argument asks for would not be done, so it is never dropped, in a repair either.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"labels": ["B"], "zoom": None, "titel": "B", "reason": "to look", "sparkle": 3}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "plot_data", "tool_args": args}]}
    >>> for finding in settle_unknown_arguments(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.message[:60])
    HN507 arguments without meaning removed: zoom
    HN508 words kept under annotations.notes: reason
    HO401 'titel' read as 'title'
    HO401 'sparkle' is not an argument of plot_data, and its value 3 m
    """
    for path, step in each_step(plan):
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is None or not isinstance(args, dict):
            continue
        known = {argument.name: argument for argument in signature.arguments}
        if not known.keys() >= args.keys():
            refused = disagreeing(args, signature)
            unknown = [name for name in args if name not in known and name not in refused]
            yield from _settled(path, step, signature, known, unknown)


def _settled(
    path: Path, step: Document, signature: Signature, known: dict[str, Argument], unknown: list[str]
) -> Iterator[Finding]:
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
    notes = {name: args[name] for name in unknown if name not in inert and is_note(name, args[name])}
    if notes:
        yield _kept_as_notes(path, step, notes, signature, step_id)
    taken = {name for name in args if name in known}
    for name in unknown:
        meant = near[name]
        if name in inert or name in notes:
            continue
        if meant and meant not in taken and _is_valid(args[name], known[meant]):
            taken.add(meant)
            yield _read_as(path, args, name, meant, signature, step_id)
        else:
            yield _refused(path, name, args[name], signature, step_id)


def _read_as(
    path: Path, args: Document, name: str, meant: str, signature: Signature, step_id: StepId | None
) -> Edit:
    at = pointer(*path, "tool_args", name)
    operations = (*removed(at, args[name]), *added(pointer(*path, "tool_args", meant), args[name]))
    warning = f"'{name}' is not known here; did you mean '{meant}'?"
    code = "HN504"
    if signature.name in DRAWING:
        warning += f" Keys of a figure: {', '.join(argument.name for argument in signature.arguments)}"
        code = UNKNOWN_KEY
    return Edit(code, f"'{name}' read as '{meant}'", operations, step_id, "lossy", warning, at)


def _kept_as_notes(
    path: Path, step: Document, notes: dict[str, Any], signature: Signature, step_id: StepId | None
) -> Edit:
    operations: list[Operation] = []
    for name, value in notes.items():
        operations += removed(pointer(*path, "tool_args", name), value)
    now = step.get("annotations")
    annotations = now if isinstance(now, dict) else {} if now is None else {"note": now}
    there = annotations.get("notes", {})
    there = there if isinstance(there, dict) else {"notes": there}
    new = {**annotations, "notes": {**there, **notes}}
    at = pointer(*path, "annotations")
    operations += replaced(at, now, new) if "annotations" in step else added(at, new)
    names = ", ".join(notes)
    warning = f"{names}: no argument of {signature.name}; kept as words under annotations.notes"
    message = f"words kept under annotations.notes: {names}"
    at = pointer(*path, "tool_args", next(iter(notes)))
    return Edit("HN508", message, tuple(operations), step_id, warning=warning, path=at)


def _refused(path: Path, name: str, value: Any, signature: Signature, step_id: StepId | None) -> Diagnostic:
    known = [argument.name for argument in signature.arguments]
    close = closest(name, known)
    instead = advice_for(name) if signature.gives != "figure" else ""
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    drawing = signature.name in DRAWING
    names = f"{'keys of a figure' if drawing else 'arguments'}: {', '.join(known)}"
    return Diagnostic(
        UNKNOWN_KEY if drawing else "HN503",
        f"'{name}' is not an argument of {signature.name}, and its value {shown} may mean something",
        step_id=step_id,
        tool_name=signature.name,
        path=pointer(*path, "tool_args", name),
        advice=(
            *((f"did you mean '{close[0]}'?",) if close else ()),
            *((instead,) if instead else ()),
            names,
        ),
        candidates=close,
        fixes=(Fix(f"leave out '{name}'", removed(pointer(*path, "tool_args", name), value)),),
    )


def _near(name: str, known: dict[str, Argument]) -> str | None:
    """The one argument of the tool that a misspelt one comes close to."""
    folded = name.casefold()
    close = [
        guess
        for guess in closest(name, known)
        if SequenceMatcher(None, folded, guess.casefold()).ratio() >= CLOSE
    ]
    return close[0] if len(close) == 1 else None


def _says_nothing(value: Any, meant: Argument | None) -> bool:
    """Null, empty, or what the argument that is meant has when it is left out."""
    if is_null(value) or value in ([], {}):
        return True
    return meant is not None and meant.default is not None and bool(value == meant.default)


def _is_valid(value: Any, argument: Argument) -> bool:
    return (isinstance(value, str) and TOKEN.search(value) is not None) or fits(value, argument.schema)
