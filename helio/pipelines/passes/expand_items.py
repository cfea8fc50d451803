"""Maps of one run: each item its own steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from helio.errors import HelioError, RequestError, TimeRangeError
from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.figures import depends_on
from helio.pipelines.graph import graph_of_list, views
from helio.pipelines.labels import produced_labels
from helio.pipelines.maps import (
    args_of,
    interval_microseconds,
    is_block,
    is_glob,
    item_name,
    known_items,
    places,
    signature_of,
    size_of,
    variable_of,
    with_item,
    without_globs,
)
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, removed, replaced
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path, read_time_range, read_value, substitute
from helio.steps.fetch.choices import choices_of
from helio.store.component_names import axis_letters
from helio.time_range import TimeRange

OF_A_MAP = ("for_each", "collect", "on_item_error", "block")
CARTESIAN = ("x", "y", "z")
"""Components of a vector of three, where only their number is known."""


def expand_items(plan: Document, context: Context) -> Iterator[Finding]:
    """Put the steps of every item in the place of each map.

    ``3: for $DAY in intervals of 2024-01-10 to 2024-01-12`` → ``3[2024-01-10]``, ``3[2024-01-11]``

    Intervals start at midnight UTC, are half-open, and are cut at the ends of the range. What depends on a map
    depends on all its items; a label with ``*`` stands for those of all items.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "2024-01-10"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}]}
    >>> [edit] = expand_items(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HB401 a step for each of 2 items: 1[A], 1[B]
    """
    steps: list[Document] = list(plan["steps"])
    skipped: set[StepId] = set()
    for place, step_id in enumerate([step["step_id"] for step in steps]):
        index = next(i for i, step in enumerate(steps) if step["step_id"] == step_id)
        step = steps[index]
        if "for_each" not in step and not is_block(step):
            continue
        made = expanded(step, ("steps", place), plan, context)
        if isinstance(made, Diagnostic):
            yield made
            if made.code == "HB402" and made.severity == "warning":
                skipped.add(step_id)
            continue
        operations: tuple[Operation, ...] = removed(pointer("steps", index), step)
        for offset, one in enumerate(made):
            operations += added(pointer("steps", index + offset), one)
        steps[index : index + 1] = made
        shown = [step["step_id"] for step in made]
        operations += _rewired(steps, step_id, shown)
        operations += _written_out(steps, context)
        listed = ", ".join(map(str, shown[:3])) + (f" … {shown[-1]}" if len(shown) > 3 else "")
        count = len({_item_of(step, step_id) for step in made}) if "for_each" in step else 1
        message = f"a step for each of {count} items: {listed}"
        yield Edit("HB401", message, operations, step_id, kind="bind")
    if skipped:
        yield _left_out(steps, skipped)
    for name, facts in plan.get("variables", {}).items():
        if isinstance(facts, dict) and facts.get("type") == "interval":
            # Each item has its own by now; the variable has no value in the run.
            yield Edit(
                "HB401", f"{name} is each item's own", removed(pointer("variables", name), facts), kind="bind"
            )


# Items --------------------------------------------------------------------------------------------------------


def items_of(step: Document, path: Path, plan: Document, context: Context) -> list[Any] | Diagnostic:
    """The items of a map in this run; a block without a map has one, which is nobody's."""
    each = step.get("for_each")
    if each is None:
        return [None]

    def refused(code: str, message: str, advice: str = "", severity: Any = "error") -> Diagnostic:
        at = pointer(*path, "for_each", "over")
        tool_name = str(step.get("tool_name", ""))
        return Diagnostic(
            code, message, severity, step.get("step_id"), tool_name, at, (advice,) if advice else ()
        )

    over = each.get("over") if isinstance(each, dict) else None
    most = context.policy.max_map_items
    items: list[Any] | None
    if isinstance(over, dict) and isinstance(over.get("intervals"), str):
        try:
            span = _span(over["intervals"], plan, context)
            length = interval_microseconds(over.get("step", "1d"))
        except (TimeRangeError, RequestError) as error:
            return refused("HB204", error.message, error.advice or "")
        count = _count(span, length)
        if count > most:
            return refused(
                "HX303", f"{count} items are more than {most}", "a shorter range, or longer intervals"
            )
        items = _intervals(span, length)
    elif isinstance(over, dict) and isinstance(over.get("components_of"), str):
        try:
            items, why = _components(over["components_of"], plan, context), ""
        except HelioError as error:
            items, why = None, f": {error.message}"
        if items is None:
            message = f"the components of {over['components_of']} are not known before the run{why}"
            return refused("HX305", message, 'name them: over: ["…"]')
    else:
        items = known_items(each, context) if isinstance(each, dict) and variable_of(each) else None
        if items is None:
            return refused(
                "HX305", "what this map runs over is not known before the run", "name the items: over: […]"
            )
    if len(items) > most:
        return refused("HX303", f"{len(items)} items are more than {most}", "fewer items")
    if not items:
        critical = step.get("critical", True)
        return refused(
            "HB402",
            "the map has no items" + ("" if critical else ": it is skipped, and all that rests on it"),
            "items in for_each.over",
            "error" if critical else "warning",
        )
    return items


def _components(label: str, plan: Document, context: Context) -> list[Any] | None:
    """The components of a fetched table: from the catalogue, else from the files of the run's archive."""
    size = size_of(label, context)
    if size is not None:
        return list(CARTESIAN) if size == len(CARTESIAN) else [str(number + 1) for number in range(size)]
    declared = plan.get("variables", {})
    values = {name: context.values.get(name, facts.get("default")) for name, facts in declared.items()}
    for step in [place.step for place in places(plan)]:
        signature = signature_of(step, context.signatures)
        if signature is None or signature.gives != "tables":
            continue
        args = substitute(args_of(step), signature.schema(), values)
        if label not in produced_labels(signature, args):
            continue
        for choice in choices_of(args):
            for parameter in choice.parameters:
                if label in (f"{choice.dataset_id}.{parameter}", args.get("output_label")):
                    names = context.components(choice.provider, choice.dataset_id, parameter)
                    if names is None:
                        return None
                    return list(CARTESIAN if _are_cartesian(names) else names)
    return None


def _are_cartesian(names: tuple[str, ...]) -> bool:
    return len(names) == len(CARTESIAN) and bool(axis_letters(names))


def _span(text: str, plan: Document, context: Context) -> TimeRange:
    """The range that is divided, in this run."""
    if TOKEN.fullmatch(text):
        facts = plan.get("variables", {}).get(text, {})
        given = facts.get("value", context.values.get(text, facts.get("default")))
        if given is None:
            raise RequestError(f"the variable {text} needs a value")
        text = str(read_value(text, {"type": "time_range"}, given, context.now))
    return read_time_range(text, context.now)


def _first_edge(span: TimeRange) -> datetime:
    return datetime(span.start.year, span.start.month, span.start.day)


def _count(span: TimeRange, microseconds: int) -> int:
    """How many intervals of a length, counted from midnight, a range touches."""
    zero, one = _first_edge(span), timedelta(microseconds=1)
    start, stop = (span.start - zero) // one, (span.stop - zero) // one
    return -(-stop // microseconds) - start // microseconds


def _intervals(span: TimeRange, microseconds: int) -> list[str]:
    length, edge = timedelta(microseconds=microseconds), _first_edge(span)
    found: list[str] = []
    edge += ((span.start - edge) // length) * length
    while edge < span.stop:
        found.append(str(TimeRange(max(edge, span.start), min(edge + length, span.stop))))
        edge += length
    return found


# Steps --------------------------------------------------------------------------------------------------------


def expanded(step: Document, path: Path, plan: Document, context: Context) -> list[Document] | Diagnostic:
    """The steps that a map or a block becomes in this run, those of the maps in it too; or why it cannot."""
    items = items_of(step, path, plan, context)
    if isinstance(items, Diagnostic):
        return items
    wrong = collides(step, items, path, context)
    if wrong is not None:
        return wrong
    name = variable_of(step.get("for_each"))
    taken: set[str] = set()
    found: list[Document] = []
    for item in items:
        shown = item_name(item)
        while shown in taken:
            shown += "'"
        taken.add(shown)
        note = _note(step, item, shown) if name else step.get("annotations", {}).get("map")
        made = _of_item(step, {name: item} if name else {}, note, context)
        prefix = f"{step['step_id']}[{shown}]" if name else str(step["step_id"])
        if not is_block(step):
            found.append(
                {**{key: value for key, value in made.items() if key not in OF_A_MAP}, "step_id": prefix}
            )
            continue
        block = _block(made, prefix, path, plan, context)
        if isinstance(block, Diagnostic):
            return block
        found += block
    return found


def _note(step: Document, item: Any, name: str) -> Document:
    """What a step of an item says of it, and of the items around it."""
    policy = step.get("on_item_error", "fail")
    note = {"step_id": step["step_id"], "item": item, "name": name, "on_item_error": policy}
    outer = step.get("annotations", {}).get("map")
    return {**note, "inside": outer} if isinstance(outer, dict) else note


def _item_of(step: Document, map_id: StepId) -> Any:
    """The item of a map that one of its steps belongs to."""
    note = step["annotations"]["map"]
    while note["step_id"] != map_id:
        note = note["inside"]
    return note["name"]


def _block(
    step: Document, prefix: str, path: Path, plan: Document, context: Context
) -> list[Document] | Diagnostic:
    """The steps of a block for one item, or its own where it is no map."""
    steps = step["block"]
    ids = {step.get("step_id"): f"{prefix}.{step.get('step_id')}" for step in steps}
    found: list[Document] = []
    ends: dict[StepId, list[StepId]] = {}
    for place, one in enumerate(steps):
        waits = [
            new
            for other in depends_on(one)
            for new in ends.get(ids.get(other, other), [ids.get(other, other)])
        ]
        moved = {**one, "step_id": ids[one.get("step_id")], "depends_on": [*waits, *depends_on(step)]}
        if step.get("critical") is False:
            moved["critical"] = False
        if "for_each" not in moved and not is_block(moved):
            found.append(moved)
            continue
        inner = expanded(moved, (*path, "block", place), plan, context)
        if isinstance(inner, Diagnostic):
            return replace(inner, severity="error")
        ends[moved["step_id"]] = [step["step_id"] for step in inner]
        found += inner
    return [{**one, "depends_on": list(dict.fromkeys(depends_on(one)))} for one in found]


def _of_item(step: Document, values: Document, note: Document | None, context: Context) -> Document:
    """A step, and all in its block, with an item in the place of its variable."""
    signature = signature_of(step, context.signatures)
    made = dict(step)
    for name, item in values.items():
        schema = signature.schema() if signature is not None else {}
        if "tool_args" in made:
            made["tool_args"] = with_item(made["tool_args"], schema, name, item)
        for key in ("produces", "for_each"):
            if key in made:
                made[key] = with_item(made[key], {}, name, item)
    if note is not None:
        kept = made.get("annotations")
        made["annotations"] = {**(kept if isinstance(kept, dict) else {}), "map": note}
    if is_block(made):
        made["block"] = [_of_item(*_shadowed(step, values), note, context) for step in made["block"]]
    return made


def _shadowed(step: Document, values: Document) -> tuple[Document, Document]:
    """A step, and the values that it gets from around it: a map in it may call its own item by the same name."""
    each, own = step.get("for_each"), variable_of(step.get("for_each"))
    if own not in values or not isinstance(each, dict):
        return step, values
    over = with_item(each.get("over"), {}, own, values[own])
    left = {name: value for name, value in values.items() if name != own}
    return {**step, "for_each": {**each, "over": over}}, left


def collides(step: Document, items: list[Any], path: Path, context: Context) -> Diagnostic | None:
    """A label that does not say whose item it is, though there are several; or items that are to be put together."""
    name = variable_of(step.get("for_each"))
    if not name or len(items) < 2:
        return None
    for inner in views({"steps": [step]}, context.signatures):
        for label in inner.outputs:
            if name not in TOKEN.findall(label):
                together = step.get("collect") in ("concat", "merge")
                message = (
                    f"collect: {step['collect']} of '{label}' is part of the format, and this version does not run it"
                    if together
                    else f"every item would give the label '{label}'"
                )
                return Diagnostic(
                    "HX304" if together else "HR103",
                    message,
                    step_id=step.get("step_id"),
                    tool_name=str(step.get("tool_name", "")),
                    path=pointer(*path, "collect" if together else "tool_args"),
                    advice=(f"{name} in the label: '{label}_{name}'",),
                )
    return None


def _rewired(steps: list[Document], old: StepId, new: list[StepId]) -> tuple[Operation, ...]:
    operations: tuple[Operation, ...] = ()
    for index, one in enumerate(steps):
        if old in depends_on(one):
            wanted = list(
                dict.fromkeys(
                    each for given in one["depends_on"] for each in (new if given == old else [given])
                )
            )
            operations += replaced(pointer("steps", index, "depends_on"), one["depends_on"], wanted)
            steps[index] = {**one, "depends_on": wanted}
    return operations


def _written_out(steps: list[Document], context: Context) -> tuple[Operation, ...]:
    """Labels with ``*`` as those that they stand for, once no map that could give one of them is left."""
    if any("for_each" in one or is_block(one) for one in steps):
        return ()
    known = graph_of_list(steps, context.signatures).producers
    operations: tuple[Operation, ...] = ()
    for index, one in enumerate(steps):
        signature, args = signature_of(one, context.signatures), args_of(one)
        if signature is None or not any(is_glob(str(args)) for _ in signature.tables):
            continue
        written = without_globs(args, signature, known)
        if written != args:
            operations += replaced(pointer("steps", index, "tool_args"), args, written)
            steps[index] = {**one, "tool_args": written}
    return operations


def _left_out(steps: list[Document], skipped: set[StepId]) -> Edit:
    """Take empty maps out, and all that rests on them."""
    gone = set(skipped)
    grown = True
    while grown:
        more = {one["step_id"] for one in steps if gone & set(depends_on(one))} - gone
        grown, gone = bool(more), gone | more
    operations: tuple[Operation, ...] = ()
    for index in reversed(range(len(steps))):
        if steps[index]["step_id"] in gone:
            operations += removed(pointer("steps", index), steps[index])
    listed = ", ".join(str(one["step_id"]) for one in steps if one["step_id"] in gone)
    return Edit("HB402", f"skipped, as a map has no items: {listed}", operations, kind="bind")
