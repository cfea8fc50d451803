"""A loop over literals, as planners write it, becomes a map; one over a single time phrase becomes the range.

HX201 (lossy (repair) or error (run))  loop over literals: the one argument left whose known values contain every item
    The author did not say which argument it is.
    before  "loop_over": ["AC_H2_MFI", "AC_H0_MFI"]
    after   "for_each": {"as": "$ITEM", "over": […]}, "dataset_id": "$ITEM"

HX202 (error)  loop over literals whose argument cannot be told
    None takes all items, or several do.
    before  "loop_over": ["x", "y"]
    after   refused

HX203 (edit safe)  loop over one time phrase made the time argument
    One range is no loop.
    before  "loop_over": ["past 3 days"]
    after   "time_range": "past 3 days"

HX205 (edit safe)  loop over literals whose $ITEM stands in the arguments: for_each added
    The author has said which argument it is.
    before  "loop_over": ["AC_H2_MFI", "AC_H0_MFI"], "dataset_id": "$ITEM"
    after   "for_each": {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}, "dataset_id": "$ITEM"
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.graph import graph_of, views
from helio.pipelines.labels import owner, produced_labels
from helio.pipelines.maps import Place, args_of, places, signature_of, uses
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, removed, replaced
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN
from helio.steps.signature import Argument, Signature
from helio.time_range import canonical

LOOP = "loop_over"
ITEM = "$ITEM"
NOTHING: tuple[Any, ...] = (None, "", [], {})
_MOST_SHOWN = 10
"""Items that a message names."""


def map_literals(plan: Document, context: Context) -> Iterator[Finding]:
    """Let a loop over literals fill the one argument that it can mean.

    ``loop_over: ["AC_H2_MFI", "AC_H0_MFI"]`` → ``dataset_id: "$ITEM"`` with ``for_each`` over them, where every item
    is a known data set and ``dataset_id`` is not filled; the same where ``$ITEM`` stands in an argument already.
    ``loop_over: ["past 3 days"]`` → ``time_range: "past 3 days"``

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc"}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "loop_over": ["past 3 days"], "tool_args": args}
    >>> [edit] = map_literals({"steps": [step]}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HX203 a loop over one range: it is the time_range
    """
    known = list(graph_of(plan, context.signatures).producers)
    for place in places(plan):
        if LOOP in place.step:
            yield _meant(plan, place, context, known)


def _meant(plan: Document, place: Place, context: Context, known: list[str]) -> Finding:
    step, signature = place.step, signature_of(place.step, context.signatures)
    items = step[LOOP] if isinstance(step[LOOP], list) else [step[LOOP]]
    literal = bool(items) and all(
        isinstance(one, (str, int, float)) and one not in ("", None) for one in items
    )
    if signature is None or not literal or "for_each" in step:
        return _unclear(place, signature, items, (), "the items are not a list of literals")
    args = args_of(step)
    if uses(args, signature.schema(), ITEM) and not _is_declared(plan, ITEM) and ITEM not in place.variables:
        operations = removed(pointer(*place.path, LOOP), step[LOOP])
        operations += added(pointer(*place.path, "for_each"), {"as": ITEM, "over": items})
        message = f"done for each {ITEM}: {', '.join(map(str, items))}"
        at = pointer(*place.path, LOOP)
        return Edit("HX205", message, operations, step.get("step_id"), path=at)
    free = [one for one in signature.arguments if args.get(one.name) in NOTHING]
    fits = [one for one in free if _takes(one, items, args, signature, context, known)]
    times = [one for one in fits if one.schema.get("format") == "time-range"]
    if len(items) == 1 and len(times) == 1:
        operations = removed(pointer(*place.path, LOOP), step[LOOP]) + _filled(place, times[0].name, items[0])
        message = f"a loop over one range: it is the {times[0].name}"
        return Edit("HX203", message, operations, step.get("step_id"), path=pointer(*place.path, LOOP))
    if len(fits) != 1:
        names = tuple(fit.name for fit in fits)
        why = (
            f"several arguments take them: {', '.join(names)}"
            if fits
            else "no free argument takes all of them"
        )
        return _unclear(place, signature, items, names, why)
    name = _free_name(plan)
    operations = removed(pointer(*place.path, LOOP), step[LOOP])
    operations += _filled(place, fits[0].name, [name] if fits[0].schema.get("type") == "array" else name)
    filled = {**args, fits[0].name: name}
    together = [label for label in produced_labels(signature, filled) if name not in TOKEN.findall(label)]
    if len(together) > 1:
        return _unclear(
            place, signature, items, (fits[0].name,), f"each item would give {', '.join(together)} again"
        )
    if together:
        named = f"{together[0]}_{name}"
        operations += _filled(place, "output_label", named)
        produces = [named if one == together[0] else one for one in step.get("produces") or ()]
        if produces:
            operations += replaced(pointer(*place.path, "produces"), step["produces"], produces)
        readers = _readers(plan, place, together[0], context)
        if isinstance(readers, str):
            return _unclear(place, signature, items, (fits[0].name,), readers)
        operations += readers
    operations += added(pointer(*place.path, "for_each"), {"as": name, "over": items})
    return Edit(
        "HX201",
        f"loops over {fits[0].name}: {', '.join(map(str, items))}",
        operations,
        step.get("step_id"),
        "lossy",
        f"the loop does not say over what: {fits[0].name} is the one argument left that takes its items",
        pointer(*place.path, LOOP),
    )


def _readers(plan: Document, place: Place, label: str, context: Context) -> tuple[Operation, ...] | str:
    """Let the lists that hold a label take those of all items; in words, the step that takes one table alone."""
    operations: tuple[Operation, ...] = ()
    for other in views(plan, context.signatures):
        for read in other.reads:
            if owner(read.label, {label}) is None:
                continue
            alone = not isinstance(read.path[-1], int) or "for_each" in other.step or LOOP in other.step
            if alone or read.label != label or other.path[:-1] != place.path[:-1]:
                return f"step {other.id} takes one table as {read.label}"
            operations += replaced(pointer(*other.path, "tool_args", *read.path), label, f"{label}_*")
    return operations


def _takes(
    argument: Argument,
    items: list[Any],
    args: Document,
    signature: Signature,
    context: Context,
    known: list[str],
) -> bool:
    """Whether an argument is known to take every item."""
    schema = argument.schema
    if schema.get("format") == "time-range":
        return all(isinstance(one, str) and _is_range(one) for one in items)
    if isinstance(schema.get("enum"), list):
        return all(one in schema["enum"] for one in items)
    labels = {table.argument for table in signature.tables}
    if argument.name in labels:
        return all(isinstance(one, str) and owner(one, known) is not None for one in items)
    if argument.name == "dataset_id":
        return all(one in context.catalogue for one in items)
    if argument.name == "parameter_id" and not args.get("parameters"):
        dataset = context.catalogue.get(str(args.get("dataset_id")))
        return dataset is not None and all(one in dataset.parameters for one in items)
    return False


def _is_range(text: str) -> bool:
    try:
        canonical(text)
    except TimeRangeError:
        return False
    return True


def _filled(place: Place, name: str, value: Any) -> tuple[dict[str, Any], ...]:
    at = pointer(*place.path, "tool_args", name)
    args = args_of(place.step)
    return replaced(at, args[name], value) if name in args else added(at, value)


def _free_name(plan: Document) -> str:
    name, count = ITEM, 1
    while _is_declared(plan, name):
        count += 1
        name = f"{ITEM}_{count}"
    return name


def _is_declared(plan: Document, name: str) -> bool:
    declared = plan.get("variables")
    return isinstance(declared, dict) and name in declared


def _unclear(
    place: Place, signature: Signature | None, items: list[Any], meant: tuple[str, ...], why: str
) -> Diagnostic:
    shown = ", ".join(json.dumps(item, ensure_ascii=False)[:60] for item in items[:_MOST_SHOWN])
    if len(items) > _MOST_SHOWN:
        shown += f" and {len(items) - _MOST_SHOWN} more"
    return Diagnostic(
        "HX202",
        f"it is not clear which argument the loop over {shown or 'no items'} fills: {why}",
        step_id=place.step.get("step_id"),
        tool_name=signature.name if signature else "",
        path=pointer(*place.path, LOOP),
        advice=('"for_each": {"as": "$ITEM", "over": […]}, and "$ITEM" in the argument that is meant',),
        candidates=meant,
    )
