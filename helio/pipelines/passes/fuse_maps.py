"""Maps over one source, one resting on the other item by item, become one map of a block."""

from __future__ import annotations

import string
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from helio.pipelines.diagnostics import StepId
from helio.pipelines.figures import depends_on
from helio.pipelines.graph import graph_of_list, view_of
from helio.pipelines.labels import owner
from helio.pipelines.maps import (
    args_of,
    as_glob,
    is_block,
    is_glob,
    known_items,
    matching,
    signature_of,
    variable_of,
    with_item,
    without_globs,
)
from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.passes.edit import Context, Edit, Finding
from helio.pipelines.template import STEP_DEFAULTS, Document
from helio.store.keys import canonical_json

OUTER = ("step_id", "for_each", "collect", "on_item_error", "depends_on", "critical", "annotations", "pin")
"""What belongs to the map; everything else to the step in it."""


def fuse_maps(plan: Document, context: Context) -> Iterator[Finding]:
    """Do for each item all that is done with it, before anything is done with all of them.

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
    >>> [edit] = fuse_maps({"steps": [first, second]}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    'maps 1 and 2 become one, over a block'
    """
    steps = plan["steps"]
    draft, dependants = Draft(("steps",), steps), dependants_of(steps)
    maps = [index for index, step in enumerate(steps) if _source(step) and _understood(step, context)]
    by_source: dict[str, list[int]] = {}
    for index in maps:
        by_source.setdefault(_source(steps[index]), []).append(index)
    for places in by_source.values():
        for position, second in enumerate(places):
            for first in places[:position]:
                if (
                    draft.is_gone(first)
                    or draft.is_gone(second)
                    or not _rests_on(draft, first, second, context)
                ):
                    continue
                both = {first, second}
                if any(reaches(draft.steps, draft.places, one, both, through=both) for one in both):
                    continue
                yield _fused(draft, first, second, dependants, context)


def _source(step: Document) -> str:
    """What a map runs over and how, as one text; empty for a step that is no map of lists."""
    each = step.get("for_each")
    name = variable_of(each)
    if not name or not isinstance(each, dict) or step.get("collect", "list") != "list":
        return ""
    if not isinstance(step.get("step_id"), (int, str)):
        return ""
    how = [step.get("on_item_error", "fail"), step.get("critical", True)]
    return canonical_json([name, each.get("over"), how])


def _understood(step: Document, context: Context) -> bool:
    return all(signature_of(one, context.signatures) is not None for one in _inner(step))


def _inner(step: Document) -> list[Document]:
    """The steps that a map does for each item."""
    if is_block(step):
        return [one for one in step["block"] if isinstance(one, dict)]
    return [{key: value for key, value in step.items() if key not in OUTER}]


def _produced(step: Document, context: Context) -> list[str]:
    return [label for inner in _inner(step) for label in view_of(inner, context.signatures).outputs]


def _rests_on(draft: Draft, first: int, second: int, context: Context) -> bool:
    """Whether a map reads from another, and of it only what belongs to its own item."""
    one, other = draft.steps[first], draft.steps[second]
    if one["step_id"] not in depends_on(other):
        return False
    name = variable_of(one["for_each"])
    produced = _produced(one, context)
    mine, globs = set(produced), [as_glob(label, [name]) for label in produced]
    read = False
    for inner in _inner(other):
        for label in view_of(inner, context.signatures).labels:
            known = owner(label, mine)
            if known is not None and name in known:
                read = True
            elif known is not None or is_glob(label) or any(matching(glob, [label]) for glob in globs):
                return False  # all items, or one of them
    return read


def _fused(
    draft: Draft, first: int, second: int, dependants: dict[StepId, list[int]], context: Context
) -> Edit:
    one, other = draft.steps[first], draft.steps[second]
    ids: list[StepId] = [one["step_id"], other["step_id"]]
    block = _block(one, other, context)
    needed = {*depends_on(one), *depends_on(other)} - set(ids)
    for key in ("tool_name", "tool_args"):
        draft.unset(first, key)
    draft.set(first, "produces", [])
    intents = "; ".join(dict.fromkeys(step["intent"] for step in (one, other) if step.get("intent")))
    draft.set(first, "intent", intents)
    draft.set(first, "block", block)
    draft.set(first, "collect", "list")
    draft.set(first, "depends_on", sorted(needed, key=lambda each: draft.places.get(each, len(draft.steps))))
    draft.stand_for(first, [ids[1]])
    draft.remove(second)
    draft.rewire({ids[1]: ids[0]}, dependants.get(ids[1], []))
    dependants.setdefault(ids[0], []).extend(dependants.get(ids[1], ()))
    _name_items(draft, first, context)
    return Edit("HX501", f"maps {ids[0]} and {ids[1]} become one, over a block", draft.take(), ids[0])


def _block(one: Document, other: Document, context: Context) -> list[Document]:
    """The steps of both maps, those of the second waiting for what they read of the first."""
    block = [dict(step) for step in _inner(one)]
    taken = {str(step["step_id"]) for step in block if "step_id" in step}
    for step in block:
        if "step_id" not in step:
            step["step_id"] = _free(taken)
    renamed: dict[Any, Any] = {}
    added = [dict(step) for step in _inner(other)]
    for step in added:
        old, new = step.get("step_id"), step.get("step_id")
        if old is None or str(old) in taken:
            new = _free(taken)
        taken.add(str(new))
        renamed[old] = new
        step["step_id"] = new
    producers = graph_of_list(block, context.signatures).producers
    for step in added:
        needed = [renamed.get(each, each) for each in depends_on(step)]
        tables = [owner(label, producers) for label in view_of(step, context.signatures).labels]
        needed += [producers[table][-1].id for table in tables if table is not None]
        if needed:
            step["depends_on"] = list(dict.fromkeys(needed))
    return [{"step_id": step["step_id"], **deepcopy(STEP_DEFAULTS), **step} for step in [*block, *added]]


def _free(taken: set[str]) -> str:
    """The next letter that is no step's id."""
    letters = string.ascii_lowercase
    names: Iterator[str] = (a + b for a in ("", *letters) for b in letters)
    name = next(one for one in names if one not in taken)
    taken.add(name)
    return name


def _name_items(draft: Draft, first: int, context: Context) -> None:
    """Write out the labels of the fused map's items where others read all of them."""
    step = draft.steps[first]
    items = known_items(step["for_each"], context)
    if items is None:
        return
    name = variable_of(step["for_each"])
    written = {
        as_glob(label, [name]): [str(with_item(label, {}, name, item)) for item in items]
        for label in _produced(step, context)
    }
    labels = [label for listed in written.values() for label in listed]
    for place, reader in enumerate(draft.steps):
        signature = signature_of(reader, context.signatures)
        if signature is None or draft.is_gone(place) or "for_each" in reader:
            continue
        args = without_globs(args_of(reader), signature, labels)
        if args != args_of(reader):
            draft.set(place, "tool_args", args)
