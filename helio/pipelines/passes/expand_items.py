"""Replace each ``for_each`` by ordinary steps when a run starts: every item gets its own steps.

HB401 (edit bind)  for_each expanded to its items
    Each item is a step of its own, with its own state.
    before  3: for each $DAY of 2024-01-10 to 2024-01-12
    after   3[2024-01-10], 3[2024-01-11]

HB402 (error, or warning and edit bind for a step that is not critical)  a for_each without items
    A critical step must do something. Any other step is skipped, together with all steps that depend on it.
    before  "over": []
    after   refused
    to do   Choose a time range or a list for which the for_each has items; or set "critical": false if the step
            may be skipped.

HX304 (error)  items whose results would have to be combined
    This version keeps items apart, each under its own label.
    before  "collect": "concat" of a computed label
    after   refused: the variable in the label
    to do   Put the variable of the for_each into the output_label, so that each item has its own label.

HX305 (error)  items that are not known before the run
    A plan names all its steps; none is added while it runs.
    before  "over": {"components_of": LABEL}, of unknown size
    after   refused: name them
    to do   List the items: "over": ["Bx", "By", "Bz"].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from helio.counts import number_of
from helio.errors import HelioError, RequestError, TimeRangeError
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Severity, StepId, pointer
from helio.pipelines.template.edit import Edit, Operation, added, difference, removed
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import produced_labels
from helio.pipelines.template.maps import (
    interval_microseconds,
    is_glob,
    item_name,
    items_of_map,
    loop_with_item,
    size_of,
    with_item,
    without_globs,
)
from helio.pipelines.template.template import Step, Template, walk
from helio.pipelines.template.variables import TOKEN, substitute
from helio.steps.fetch.choices import choices_of
from helio.store.component_names import axis_letters
from helio.time_range import TimeRange

OF_A_MAP = ("for_each", "collect", "on_item_error", "block")
CARTESIAN = ("x", "y", "z")
"""Components of a vector when only the number of components, three, is known."""


def expand_items(template: Template, context: Context) -> Iterator[Finding]:
    """Replace each ``for_each`` by the steps of its items, so that every item has its own steps.

    ``3: for $DAY in intervals of 2024-01-10 to 2024-01-12`` → ``3[2024-01-10]``, ``3[2024-01-11]``

    Intervals start at midnight UTC, are half-open, and are cut at the ends of the range. What depends on a map
    depends on all its items; a label with ``*`` stands for those of all items.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "2024-01-10"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}
    >>> template = Template.from_json({"steps": [step]})
    >>> [edit] = expand_items(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HB401 expanded to 2 items: 1[A], 1[B]
    """
    steps = list(template.steps)
    skipped: set[StepId] = set()
    for step_id in [step.step_id for step in steps]:
        index = next(number for number, step in enumerate(steps) if step.step_id == step_id)
        step = steps[index]
        if step.for_each is None and not step.block:
            continue
        made = expanded(step, template, context)
        if isinstance(made, Diagnostic):
            yield made
            if made.code == "HB402" and made.severity == "warning":
                skipped.add(step_id)
            continue
        operations: tuple[Operation, ...] = removed(pointer("steps", index), step.to_json())
        for offset, item_step in enumerate(made):
            operations += added(pointer("steps", index + offset), item_step.to_json())
        steps[index : index + 1] = made
        shown = [item_step.step_id for item_step in made]
        operations += _rewired(steps, step_id, shown)
        operations += _written_out(steps, context)
        listed = ", ".join(map(str, shown[:3])) + (f" … {shown[-1]}" if len(shown) > 3 else "")
        count = 1 if step.for_each is None else len({_item_of(item_step, step_id) for item_step in made})
        message = f"expanded to {number_of(count, 'item')}: {listed}"
        yield Edit("HB401", message, operations, step_id, kind="bind")
    if skipped:
        yield _left_out(steps, skipped)
    for name, facts in template.variables.items():
        if facts.type == "interval":
            # Each item has its own by now; the variable has no value in the run.
            operations = removed(pointer("variables", name), facts.to_json())
            yield Edit(
                "HB401",
                f"{name} removed from the variables: each item has its own value",
                operations,
                kind="bind",
            )


# Items --------------------------------------------------------------------------------------------------------


def items_of(step: Step, template: Template, context: Context) -> Sequence[Any] | Diagnostic:
    """Return the items of a ``for_each`` in this run; a block without ``for_each`` has the single item None."""
    loop = step.for_each
    if loop is None:
        return [None]

    def refused(code: str, message: str, advice: str = "", severity: Severity = "error") -> Diagnostic:
        at = pointer(*step.path, "for_each", "over")
        advised = (advice,) if advice else ()
        return Diagnostic(code, message, severity, step.step_id, step.tool_name, at, advised)

    most = context.policy.max_map_items
    items: Sequence[Any] | None
    if loop.intervals:
        try:
            span = _span(loop.intervals, template, context)
            length = interval_microseconds(loop.step or "1d")
        except (TimeRangeError, RequestError) as error:
            return refused("HB204", error.message, error.advice or "")
        count = _count(span, length)
        if count > most:
            return refused(
                "HX303",
                f"for_each has {count} items; the maximum is {most}",
                "choose a shorter time range, or longer intervals",
            )
        items = _intervals(span, length)
    elif loop.components_of:
        try:
            items, why = _components(loop.components_of, template, context), ""
        except HelioError as error:
            items, why = None, f": {error.message}"
        if items is None:
            message = f"the components of {loop.components_of} are not known before the run{why}"
            return refused("HX305", message, 'list the components: "over": ["…"]')
    else:
        items = items_of_map(loop, context)
        if items is None:
            return refused(
                "HX305", "the items of for_each are not known before the run", 'list the items: "over": […]'
            )
    if len(items) > most:
        return refused("HX303", f"for_each has {len(items)} items; the maximum is {most}", "use fewer items")
    if not items:
        return refused(
            "HB402",
            "for_each has no items"
            + ("" if step.critical else ": the step and all steps that depend on it are skipped"),
            "list the items in for_each.over",
            "error" if step.critical else "warning",
        )
    return items


def _components(label: str, template: Template, context: Context) -> list[str] | None:
    """Return the components of a fetched table from the catalogue, or from the files of the run's archive."""
    size = size_of(label, context)
    if size is not None:
        return list(CARTESIAN) if size == len(CARTESIAN) else [str(number + 1) for number in range(size)]
    values = {name: context.values.get(name, facts.default) for name, facts in template.variables.items()}
    for step in template.walk():
        signature = context.signatures.get(step.tool_name)
        if signature is None or signature.gives != "tables":
            continue
        args = substitute(step.tool_args, signature.schema(), values)
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


def _span(text: str, template: Template, context: Context) -> TimeRange:
    """Return the time range that this run divides into intervals."""
    if TOKEN.fullmatch(text):
        facts = template.variables.get(text)
        given = (
            context.values.get(text, facts and facts.default)
            if facts is None or facts.value is None
            else facts.value
        )
        if given is None:
            raise RequestError(f"the variable {text} needs a value")
        text = str(context.read_time_range(given))
    return context.read_time_range(text)


def _first_edge(span: TimeRange) -> datetime:
    return datetime(span.start.year, span.start.month, span.start.day)


def _count(span: TimeRange, microseconds: int) -> int:
    """Count the intervals that a time range touches; the first interval begins at midnight."""
    zero, microsecond = _first_edge(span), timedelta(microseconds=1)
    start, stop = (span.start - zero) // microsecond, (span.stop - zero) // microsecond
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


def expanded(step: Step, template: Template, context: Context) -> list[Step] | Diagnostic:
    """Return the steps that a ``for_each`` or a block becomes in this run, or the reason why helio cannot expand it."""
    items = items_of(step, template, context)
    if isinstance(items, Diagnostic):
        return items
    wrong = collides(step, items, context)
    if wrong is not None:
        return wrong
    plain = step.without("for_each")
    taken: set[str] = set()
    found: list[Step] = []
    for item in items:
        shown = item_name(item)
        while shown in taken:
            shown += "'"
        taken.add(shown)
        if step.for_each is None:
            made, prefix = _of_item(step, {}, step.annotations.get("map"), context), str(step.step_id)
        else:
            note = _note(step, item, shown)
            made = _of_item(plain, {step.for_each.name: item}, note, context)
            prefix = f"{step.step_id}[{shown}]"
        if not step.block:
            found.append(replace(made.without(*OF_A_MAP), step_id=prefix))
            continue
        block = _block(made, prefix, template, context)
        if isinstance(block, Diagnostic):
            return block
        found += block
    return found


def _note(step: Step, item: Any, name: str) -> dict[str, Any]:
    """Return the annotation of a step that names its item and the items of the ``for_each`` steps around it."""
    policy = step.on_item_error or "fail"
    note = {"step_id": step.step_id, "item": item, "name": name, "on_item_error": policy}
    outer = step.annotations.get("map")
    return {**note, "inside": outer} if isinstance(outer, dict) else note


def _item_of(step: Step, map_id: StepId) -> Any:
    """Return the item of a ``for_each`` to which an expanded step belongs."""
    note = step.annotations["map"]
    while note["step_id"] != map_id:
        note = note["inside"]
    return note["name"]


def _block(step: Step, prefix: str, template: Template, context: Context) -> list[Step] | Diagnostic:
    """Return the steps of a block for one item; without ``for_each``, return the steps of the block unchanged."""
    ids: dict[StepId, StepId] = {inner.step_id: f"{prefix}.{inner.step_id}" for inner in step.block}
    found: list[Step] = []
    ends: dict[StepId, list[StepId]] = {}
    for inner in step.block:
        needed = [ids.get(other, other) for other in inner.depends_on]
        waits = [end for other in needed for end in ends.get(other, [other])]
        moved = replace(
            inner.with_retries_of(step),
            step_id=ids[inner.step_id],
            depends_on=(*waits, *step.depends_on),
            critical=inner.critical and step.critical,
        )
        if moved.for_each is None and not moved.block:
            found.append(moved)
            continue
        made = expanded(moved, template, context)
        if isinstance(made, Diagnostic):
            return replace(made, severity="error")
        ends[moved.step_id] = [item_step.step_id for item_step in made]
        found += made
    return [replace(made, depends_on=tuple(dict.fromkeys(made.depends_on))) for made in found]


def _of_item(step: Step, values: Mapping[str, Any], note: Any, context: Context) -> Step:
    """Return a step, with all steps in its block, in which the item replaces the variable."""
    signature = context.signatures.get(step.tool_name)
    schema = signature.schema() if signature is not None else {}
    made = step
    for name, item in values.items():
        made = replace(
            made,
            tool_args=with_item(made.tool_args, schema, name, item),
            produces=tuple(with_item(label, {}, name, item) for label in made.produces),
            for_each=None if made.for_each is None else loop_with_item(made.for_each, name, item),
        )
    if note is not None:
        made = replace(made, annotations={**made.annotations, "map": note})
    block = tuple(_of_item(*_shadowed(inner, values), note, context) for inner in made.block)
    return replace(made, block=block)


def _shadowed(step: Step, values: Mapping[str, Any]) -> tuple[Step, Mapping[str, Any]]:
    """Return the step, and the values of outer variables whose names its own ``for_each`` does not use."""
    own = step.for_each
    if own is None or own.name not in values:
        return step, values
    remaining = {name: value for name, value in values.items() if name != own.name}
    return replace(step, for_each=loop_with_item(own, own.name, values[own.name])), remaining


def collides(step: Step, items: Sequence[Any], context: Context) -> Diagnostic | None:
    """Return the error if several items would give the same label, or if helio cannot combine the items' results."""
    if step.for_each is None or len(items) < 2:
        return None
    name = step.for_each.name
    for view in views(walk([step]), context.signatures):
        for label in view.outputs:
            if name not in TOKEN.findall(label):
                together = step.collect in ("concat", "merge")
                message = (
                    f"this version of helio cannot combine the items of '{label}' (collect: {step.collect})"
                    if together
                    else f"every item would give the same label '{label}'"
                )
                return Diagnostic(
                    "HX304" if together else "HR103",
                    message,
                    step_id=step.step_id,
                    tool_name=step.tool_name,
                    path=pointer(*step.path, "collect" if together else "tool_args"),
                    advice=(f"add {name} to the label: '{label}_{name}'",),
                )
    return None


def _put(steps: list[Step], index: int, **values: Any) -> tuple[Operation, ...]:
    """Change the values of some fields of a step in a list."""
    before, steps[index] = steps[index], replace(steps[index], **values)
    return difference(("steps", index), before.to_json(), steps[index].to_json())


def _rewired(steps: list[Step], old: StepId, new: list[StepId]) -> tuple[Operation, ...]:
    operations: tuple[Operation, ...] = ()
    for index, step in enumerate(steps):
        if old in step.depends_on:
            dependencies = (end for given in step.depends_on for end in (new if given == old else [given]))
            operations += _put(steps, index, depends_on=tuple(dict.fromkeys(dependencies)))
    return operations


def _written_out(steps: list[Step], context: Context) -> tuple[Operation, ...]:
    """Replace each label with ``*`` by the labels that match, if no ``for_each`` is left that could give more."""
    if any(step.for_each is not None or step.block for step in steps):
        return ()
    known = [label for view in views(steps, context.signatures) for label in view.outputs]
    operations: tuple[Operation, ...] = ()
    for index, step in enumerate(steps):
        signature = context.signatures.get(step.tool_name)
        if signature is not None and signature.tables and is_glob(str(step.tool_args)):
            operations += _put(steps, index, tool_args=without_globs(step.tool_args, signature, known))
    return operations


def _left_out(steps: Sequence[Step], skipped: set[StepId]) -> Edit:
    """Remove ``for_each`` steps without items, and all steps that depend on them."""
    removed_ids = set(skipped)
    grown = True
    while grown:
        more = {step.step_id for step in steps if removed_ids & set(step.depends_on)} - removed_ids
        grown, removed_ids = bool(more), removed_ids | more
    operations: tuple[Operation, ...] = ()
    for index in reversed(range(len(steps))):
        if steps[index].step_id in removed_ids:
            operations += removed(pointer("steps", index), steps[index].to_json())
    listed = ", ".join(str(step.step_id) for step in steps if step.step_id in removed_ids)
    return Edit(
        "HB402", f"for_each has no items, so these steps are skipped: {listed}", operations, kind="bind"
    )
