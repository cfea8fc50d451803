"""Replace a loop over fixed items by ``for_each``, and a loop over one time phrase by a time range.

HX201 (lossy (repair) or error (run))  loop assigned to the only argument that can take all its items
    The author did not say which argument it is.
    before  "loop_over": ["AC_H2_MFI", "AC_H0_MFI"]
    after   "for_each": {"as": "$ITEM", "over": […]}, "dataset_id": "$ITEM"
    to do   Write "for_each" with the argument that takes the items; `helio fix PIPELINE` writes it if only one
            argument fits.

HX202 (error)  loop whose argument is unclear
    No argument can take all items, or several can.
    before  "loop_over": ["x", "y"]
    after   refused
    to do   Write "for_each" and put its variable into the argument that takes the items.

HX203 (edit safe)  loop over one time phrase made the time argument
    A single range needs no loop.
    before  "loop_over": ["past 3 days"]
    after   "time_range": "past 3 days"

HX205 (edit safe)  loop with $ITEM in the arguments of its step: for_each added
    $ITEM shows which argument the loop fills.
    before  "loop_over": ["AC_H2_MFI", "AC_H0_MFI"], "dataset_id": "$ITEM"
    after   "for_each": {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}, "dataset_id": "$ITEM"
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Edit, Operation, changed, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import owner, produced_labels
from helio.pipelines.template.maps import uses
from helio.pipelines.template.template import ForEach, Step, Template
from helio.pipelines.template.variables import TOKEN
from helio.steps.signature import Argument, Signature
from helio.time_range import is_time_range

LOOP = "loop_over"
ITEM = "$ITEM"
NOTHING: tuple[Any, ...] = (None, "", [], {})
_MOST_SHOWN = 10
"""Maximum number of items that a message lists."""


def map_literals(template: Template, context: Context) -> Iterator[Finding]:
    """Give the items of a loop to the only argument of the step that can take them.

    ``loop_over: ["AC_H2_MFI", "AC_H0_MFI"]`` → ``dataset_id: "$ITEM"`` with ``for_each`` over them, where every item
    is a known dataset and ``dataset_id`` is not filled; the same where ``$ITEM`` stands in an argument already.
    ``loop_over: ["past 3 days"]`` → ``time_range: "past 3 days"``

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc"}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "loop_over": ["past 3 days"], "tool_args": args}
    >>> [edit] = map_literals(Template.from_json({"steps": [step]}), Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HX203 loop over one time range replaced by time_range
    """
    known = [label for view in views(template.walk(), context.signatures) for label in view.outputs]
    for step in template.walk():
        if LOOP in step.extra:
            yield _meant(template, step, context, known)


def _meant(template: Template, step: Step, context: Context, known: list[str]) -> Finding:
    signature, loop = context.signatures.get(step.tool_name), step.extra[LOOP]
    items = loop if isinstance(loop, list) else [loop]
    literal = bool(items) and all(isinstance(item, (str, int, float)) and item != "" for item in items)
    if signature is None or not literal or step.for_each is not None:
        return _unclear(step, signature, items, (), "the items are not a list of texts or numbers")
    at = pointer(*step.path, LOOP)
    args, plain = step.tool_args, step.without(LOOP)
    if uses(args, signature.schema(), ITEM) and ITEM not in template.variables and ITEM not in step.items:
        after = replace(plain, for_each=ForEach(name=ITEM, items=items))
        message = f"repeated for each {ITEM}: {', '.join(map(str, items))}"
        return Edit("HX205", message, changed(step, after), step.step_id, path=at)
    free = [argument for argument in signature.arguments if args.get(argument.name) in NOTHING]
    fits = [argument for argument in free if _takes(argument, items, args, signature, context, known)]
    times = [argument.name for argument in fits if argument.schema.get("format") == "time-range"]
    if len(items) == 1 and len(times) == 1:
        after = replace(plain, tool_args={**args, times[0]: items[0]})
        message = f"loop over one time range replaced by {times[0]}"
        return Edit("HX203", message, changed(step, after), step.step_id, path=at)
    if len(fits) != 1:
        names = tuple(fit.name for fit in fits)
        why = (
            f"several arguments can take its items: {', '.join(names)}"
            if fits
            else "no argument without a value can take all its items"
        )
        return _unclear(step, signature, items, names, why)
    name, filled = _free_name(template), fits[0].name
    together = [
        label
        for label in produced_labels(signature, {**args, filled: name})
        if name not in TOKEN.findall(label)
    ]
    if len(together) > 1:
        return _unclear(
            step, signature, items, (filled,), f"every item would give the same label {', '.join(together)}"
        )
    args = {**args, filled: [name] if fits[0].schema.get("type") == "array" else name}
    produces = step.produces
    readers: tuple[Operation, ...] = ()
    if together:
        named = f"{together[0]}_{name}"
        args["output_label"] = named
        produces = tuple(named if label == together[0] else label for label in produces)
        found = _readers(template, step, together[0], context)
        if isinstance(found, str):
            return _unclear(step, signature, items, (filled,), found)
        readers = found
    mapped = ForEach(name=name, items=items)
    after = replace(plain, tool_args=args, produces=produces, for_each=mapped)
    return Edit(
        "HX201",
        f"repeated for each {filled}: {', '.join(map(str, items))}",
        (*changed(step, after), *readers),
        step.step_id,
        "lossy",
        f"the loop does not say which argument it fills; only '{filled}' can take its items",
        at,
    )


def _readers(template: Template, step: Step, label: str, context: Context) -> tuple[Operation, ...] | str:
    """Return operations that let lists with a label of the loop take the labels of all items, or why a step cannot."""
    operations: tuple[Operation, ...] = ()
    for view in views(template.walk(), context.signatures):
        other = view.step
        for path, read in view.reads:
            if owner(read, {label}) is None:
                continue
            alone = not isinstance(path[-1], int) or other.for_each is not None or LOOP in other.extra
            if alone or read != label or other.path[:-1] != step.path[:-1]:
                return f"step {other.step_id} reads '{read}' as one table, but the loop would make several tables"
            operations += replaced(pointer(*other.path, "tool_args", *path), read, f"{label}_*")
    return operations


def _takes(
    argument: Argument,
    items: list[Any],
    args: Mapping[str, Any],
    signature: Signature,
    context: Context,
    known: list[str],
) -> bool:
    """Return whether every item is known to be a valid value of an argument."""
    schema = argument.schema
    if schema.get("format") == "time-range":
        return all(isinstance(item, str) and is_time_range(item) for item in items)
    if "enum" in schema:
        return all(item in schema["enum"] for item in items)
    if argument.name in {table.argument for table in signature.tables}:
        return all(isinstance(item, str) and owner(item, known) is not None for item in items)
    if argument.name == "dataset_id":
        return all(item in context.catalogue for item in items)
    if argument.name == "parameter_id" and not args.get("parameters"):
        dataset = context.catalogue.get(args.get("dataset_id", ""))
        return dataset is not None and all(item in dataset.parameters for item in items)
    return False


def _free_name(template: Template) -> str:
    name, count = ITEM, 1
    while name in template.variables:
        count += 1
        name = f"{ITEM}_{count}"
    return name


def _unclear(
    step: Step, signature: Signature | None, items: list[Any], meant: tuple[str, ...], why: str
) -> Diagnostic:
    shown = ", ".join(json.dumps(item, ensure_ascii=False)[:60] for item in items[:_MOST_SHOWN])
    if len(items) > _MOST_SHOWN:
        shown += f" and {len(items) - _MOST_SHOWN} more"
    return Diagnostic(
        "HX202",
        f"it is not clear which argument the loop over {shown or 'no items'} fills: {why}",
        step_id=step.step_id,
        tool_name=signature.name if signature else "",
        path=pointer(*step.path, LOOP),
        advice=(
            'write "for_each": {"as": "$ITEM", "over": […]}, and put "$ITEM" into the argument that it fills',
        ),
        candidates=meant,
    )
