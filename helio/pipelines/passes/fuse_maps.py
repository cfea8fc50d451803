"""Combine two ``for_each`` steps over the same items in one block, if one step uses the results of the other.

HX501 (edit safe)  steps with the same for_each combined in a block
    Each item goes through all of its steps by itself.
    before  for $DS: fetch; for $DS: magnitude
    after   for $DS: [fetch, magnitude]
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import STEP_DEFAULTS
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import owner
from helio.pipelines.template.maps import as_glob, is_glob, items_of_map, matching, with_item, without_globs
from helio.pipelines.template.template import Step, Template
from helio.store.work_keys import canonical_json

OUTER = ("step_id", "for_each", "collect", "on_item_error", "depends_on", "critical", "annotations", "pin")
"""Keys that stay with the ``for_each``; all other keys move to the step in its block."""


def fuse_maps(template: Template, context: Context) -> Iterator[Finding]:
    """Combine ``for_each`` steps over the same items in a block, so that the whole block is repeated for each item.

    ``1: for $DS: fetch $DS.BGSEc; 2: for $DS: $DS.mag from $DS.BGSEc; 3: plot *.mag`` → ``1: for $DS: [a: fetch; b:
    $DS.mag]; 3: plot AC_H2_MFI.mag, AC_H0_MFI.mag``

    Both run over the same items under the same variable, are equally critical and lists of their items; the second
    reads from the first only what belongs to its own item; and nothing else stands between them. Labels with ``*``
    in figures become the labels of the items, where these are known.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> get = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "$T"}
    >>> first = {"step_id": 1, "tool_name": "fetch_data", "tool_args": get, "for_each": each}
    >>> args = {"source_label": "$DS.x", "output_label": "$DS.m"}
    >>> second = {"step_id": 2, "tool_name": "magnitude", "tool_args": args, "for_each": each, "depends_on": [1]}
    >>> template = Template.from_json({"steps": [first, second]})
    >>> [edit] = fuse_maps(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    'steps 1 and 2 combined in a block with one for_each'
    """
    steps = template.steps
    draft, dependants = Draft(("steps",), steps), dependants_of(steps)
    by_source: dict[str, list[int]] = {}
    for index, step in enumerate(steps):
        if _is_map(step) and all(inner.tool_name in context.signatures for inner in _inner(step)):
            by_source.setdefault(_source(step), []).append(index)
    for places in by_source.values():
        for position, second in enumerate(places):
            for first in places[:position]:
                if (
                    draft.is_gone(first)
                    or draft.is_gone(second)
                    or not _rests_on(draft.steps[first], draft.steps[second], context)
                ):
                    continue
                both = {first, second}
                if any(reaches(draft.steps, draft.places, either, both, through=both) for either in both):
                    continue
                yield _fused(draft, first, second, dependants, context)


def _is_map(step: Step) -> bool:
    """Return whether a step is a ``for_each`` that does not combine the results of its items in one table."""
    return step.for_each is not None and step.collect in ("", "list")


def _source(step: Step) -> str:
    """Return the items of a ``for_each`` and its options as one text."""
    loop = step.for_each
    how = [step.on_item_error or "fail", step.critical]
    return canonical_json([loop and loop.to_json(), how])


def _inner(step: Step) -> tuple[Step, ...]:
    """Return the steps that a ``for_each`` repeats for each item."""
    return tuple(inner.with_retries_of(step) for inner in step.block) or (step.without(*OUTER[1:]),)


def _produced(step: Step, context: Context) -> list[str]:
    return [label for view in views(_inner(step), context.signatures) for label in view.outputs]


def _rests_on(first: Step, second: Step, context: Context) -> bool:
    """Return whether a ``for_each`` reads results of another, and for each item only results of this same item."""
    if first.step_id not in second.depends_on:
        return False
    name = first.items[-1]
    produced = _produced(first, context)
    mine, globs = set(produced), [as_glob(label, [name]) for label in produced]
    read = False
    for view in views(_inner(second), context.signatures):
        for label in view.labels:
            known = owner(label, mine)
            if known is not None and name in known:
                read = True
            elif known is not None or is_glob(label) or any(matching(glob, [label]) for glob in globs):
                return False  # all items, or one of them
    return read


def _fused(
    draft: Draft, first: int, second: int, dependants: dict[StepId, list[int]], context: Context
) -> Edit:
    earlier, other = draft.steps[first], draft.steps[second]
    ids = [earlier.step_id, other.step_id]
    needed = {*earlier.depends_on, *other.depends_on} - set(ids)
    fused = replace(
        earlier.without("tool_name", "tool_args", "retries", "retry_delay"),
        produces=(),
        intent="; ".join(dict.fromkeys(step.intent for step in (earlier, other) if step.intent)),
        block=_block(earlier, other, context),
        collect="list",
        depends_on=draft.in_order(needed),
    )
    draft.put(first, fused)
    draft.stand_for(first, [ids[1]])
    draft.remove(second)
    draft.rewire({ids[1]: ids[0]}, dependants.get(ids[1], []))
    dependants.setdefault(ids[0], []).extend(dependants.get(ids[1], ()))
    _name_items(draft, first, context)
    return Edit(
        "HX501", f"steps {ids[0]} and {ids[1]} combined in a block with one for_each", draft.take(), ids[0]
    )


def _block(first: Step, second: Step, context: Context) -> tuple[Step, ...]:
    """Return the steps of both ``for_each``; steps of the second wait for the steps of the first that they read."""
    taken = {str(inner.step_id) for inner in first.block}
    steps = first.block or (replace(_inner(first)[0], step_id=_free(taken)),)
    producers = {label: view.id for view in views(steps, context.signatures) for label in view.outputs}
    renamed: dict[StepId, StepId] = {}
    for inner in _inner(second):
        is_new = not second.block or str(inner.step_id) in taken
        renamed[inner.step_id] = _free(taken) if is_new else inner.step_id
        taken.add(str(renamed[inner.step_id]))
    moved = []
    for view in views(_inner(second), context.signatures):
        needed = [renamed.get(step_id, step_id) for step_id in view.step.depends_on]
        needed += [
            producers[known] for label in view.labels if (known := owner(label, producers)) is not None
        ]
        depends_on = tuple(dict.fromkeys(needed))
        moved.append(replace(view.step, step_id=renamed[view.id], depends_on=depends_on))
    return tuple(
        replace(step, keys=tuple(dict.fromkeys(("step_id", *STEP_DEFAULTS, *step.keys))))
        for step in (*steps, *moved)
    )


def _free(taken: set[str]) -> str:
    """Return the next letter that is not the id of a step."""
    letters = string.ascii_lowercase
    names: Iterator[str] = (a + b for a in ("", *letters) for b in letters)
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name


def _name_items(draft: Draft, first: int, context: Context) -> None:
    """Replace ``*`` by the items in labels of the combined ``for_each``, if other steps read all its results."""
    step = draft.steps[first]
    items = None if step.for_each is None else items_of_map(step.for_each, context)
    if items is None:
        return
    name = step.items[-1]
    labels = [str(with_item(label, {}, name, item)) for label in _produced(step, context) for item in items]
    for index, reader in enumerate(draft.steps):
        signature = context.signatures.get(reader.tool_name)
        if signature is None or draft.is_gone(index) or reader.for_each is not None:
            continue
        draft.change(index, tool_args=without_globs(reader.tool_args, signature, labels))
