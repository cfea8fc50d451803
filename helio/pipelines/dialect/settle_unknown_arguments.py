"""Remove unknown arguments that have no effect, rename misspelt arguments, and refuse all others.

HN503 (error)  unknown argument that may change the results
    A run that ignores the argument would not do what was asked; the author decides which step does it.
    before  "resample": "1min" on a fetch
    after   refused, with the tool that does it
    to do   Add a step with the tool that the message names, and remove the argument.

HN504 (lossy (repair) or error (run); safe and warning for a descriptive key)  misspelt argument or key
    It is renamed only while authoring, if only one known name is similar and has no value, and the value fits it.
    before  "time_rnge": "2024"
    after   "time_range": "2024"
    to do   Correct the spelling: `helio fix PIPELINE` renames the argument if only one name is close.

HN507 (edit safe)  unknown argument without effect removed
    Its value is null, empty or the default, so it asks for nothing.
    before  "filter": ""
    after   no filter

HN508 (edit safe, and warning)  a note among the arguments
    Words for people change no result: the pass keeps them as annotations and warns the author.
    before  "reason": "to compare" on a fetch
    after   "annotations": {"notes": {"reason": "to compare"}}
    to do   Move the note to the annotations of the step: `helio fix PIPELINE` does it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from helio.errors import closest
from helio.pipelines.dialect.rename_arguments import disagreeing
from helio.pipelines.dialect.structure import fits
from helio.pipelines.dialect.synonyms import advice_for, is_note, is_null, misspelt
from helio.pipelines.dialect.written import EditedObject, WrittenStep, removals, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix
from helio.pipelines.template.document import Document, shortened
from helio.pipelines.template.edit import Edit, added, removed
from helio.pipelines.template.figures import DRAWING, UNKNOWN_KEY
from helio.pipelines.template.variables import TOKEN
from helio.steps.signature import Argument, Signature


def settle_unknown_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Decide about each unknown argument: remove an empty one, annotate a note, correct a misspelling, refuse the rest.

    What an unknown argument asks for would not be done, so it is never dropped, in a repair either.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"labels": ["B"], "zoom": None, "titel": "B", "reason": "to look", "sparkle": 3}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "plot_data", "tool_args": args}]}
    >>> for finding in settle_unknown_arguments(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.message[:60])
    HN507 unknown arguments without effect removed: zoom
    HN508 notes moved to annotations.notes: reason
    HO401 'titel' read as 'title'
    HO401 'sparkle' is not an argument of plot_data, but its value 3 m
    """
    for step in written_steps(plan):
        signature = step.signature(context)
        if signature is None:
            continue
        known = {argument.name: argument for argument in signature.arguments}
        if not known.keys() >= step.args.keys():
            refused = known.keys() | disagreeing(step.args, signature)
            unknown = {name: value for name, value in step.args.items() if name not in refused}
            yield from _settled(step, signature, known, unknown)


def _settled(
    step: WrittenStep, signature: Signature, known: dict[str, Argument], unknown: Document
) -> Iterator[Finding]:
    near = {name: misspelt(name, known) for name in unknown}
    inert = {
        name: value for name, value in unknown.items() if _says_nothing(value, known.get(near[name] or ""))
    }
    if inert:
        operations = removals((*step.path, "tool_args"), inert)
        message = f"unknown arguments without effect removed: {', '.join(inert)}"
        yield step.edit("HN507", message, operations, step.at("tool_args", next(iter(inert))))
    notes = {name: value for name, value in unknown.items() if name not in inert and is_note(name, value)}
    if notes:
        yield _kept_as_notes(step, notes)
    taken = step.args.keys() & known.keys()
    for name in unknown:
        meant = near[name]
        if name in inert or name in notes:
            continue
        if meant and meant not in taken and _is_valid(unknown[name], known[meant]):
            taken.add(meant)
            yield _read_as(step, name, meant, signature)
        else:
            yield _refused(step, name, signature)


def _read_as(step: WrittenStep, name: str, meant: str, signature: Signature) -> Edit:
    at, value = step.at("tool_args", name), step.args[name]
    operations = (*removed(at, value), *added(step.at("tool_args", meant), value))
    warning = f"'{name}' is not a known argument; did you mean '{meant}'?"
    code = "HN504"
    if signature.name in DRAWING:
        code = UNKNOWN_KEY
    return Edit(code, f"'{name}' read as '{meant}'", operations, step.id, "lossy", warning, at)


def _kept_as_notes(step: WrittenStep, notes: Document) -> Edit:
    now = step.json.get("annotations")
    annotations = now if isinstance(now, dict) else {} if now is None else {"note": now}
    kept = annotations.get("notes", {})
    kept = kept if isinstance(kept, dict) else {"notes": kept}
    edited = EditedObject(step.path, step.json)
    edited.put("annotations", {**annotations, "notes": {**kept, **notes}})
    names = ", ".join(notes)
    return step.edit(
        "HN508",
        f"notes moved to annotations.notes: {names}",
        (*removals((*step.path, "tool_args"), notes), *edited.operations),
        step.at("tool_args", next(iter(notes))),
        f"{step.tool} does not take {names}: moved to annotations.notes",
    )


def _refused(step: WrittenStep, name: str, signature: Signature) -> Diagnostic:
    known = [argument.name for argument in signature.arguments]
    at, value, drawing = step.at("tool_args", name), step.args[name], signature.name in DRAWING
    close = closest(name, known)
    instead = advice_for(name) if signature.gives != "figure" else ""
    if signature.name in instead.split():
        instead = ""
    listed = f"use one of these {'keys of a figure' if drawing else 'arguments'}: {', '.join(known)}"
    names = f"run `helio tools {signature.name}` to list its arguments" if close else listed
    shown = shortened(json.dumps(value, ensure_ascii=False), 60)
    return step.error(
        UNKNOWN_KEY if drawing else "HN503",
        f"'{name}' is not an argument of {signature.name}, but its value {shown} may change the results",
        at,
        filter(None, (f"did you mean '{close[0]}'?" if close else "", instead, names)),
        close,
        (Fix(f"leave out '{name}'", removed(at, value)),),
    )


def _says_nothing(value: Any, meant: Argument | None) -> bool:
    """Return whether an argument has no effect: its value is null, empty, or the default of the tool's argument."""
    if is_null(value) or value in ([], {}):
        return True
    return meant is not None and meant.default is not None and bool(value == meant.default)


def _is_valid(value: Any, argument: Argument) -> bool:
    return (isinstance(value, str) and TOKEN.search(value) is not None) or fits(value, argument.schema)
