"""Fetches of one data set and range become one fetch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import StepId
from helio.pipelines.labels import produced_labels
from helio.pipelines.maps import args_of, signature_of
from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.passes.edit import Context, Edit, Finding
from helio.pipelines.passes.walk import each_list
from helio.pipelines.template import Document
from helio.store.keys import canonical_json

ALONE = ("candidates", "output_label")
"""Arguments with which a fetch stays by itself."""
TOGETHER = ("parameter_id", "parameters")


def merge_fetches(plan: Document, context: Context) -> Iterator[Finding]:
    """Ask once for all parameters of a data set, range and provider, in the catalogue's order.

    ``fetch(AC_H2_MFI, BGSEc); fetch(AC_H2_MFI, Magnitude)`` → ``fetch(AC_H2_MFI, [Magnitude, BGSEc])``, under the
    lowest id; what depended on the others depends on it. Steps stay apart that are pinned differently, choose among
    candidates, name their label, or may fail by themselves; and where one has to wait for something that waits for
    another.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "time_range": "$T"}
    >>> first = {"step_id": 1, "tool_name": "fetch_data", "tool_args": {**args, "parameter_id": "BGSEc"}}
    >>> second = {"step_id": 2, "tool_name": "fetch_data", "tool_args": {**args, "parameter_id": "Magnitude"}}
    >>> [edit] = merge_fetches({"steps": [first, second]}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    'fetches 1, 2 become one of BGSEc, Magnitude'
    """
    if not context.runs("merge_fetches"):
        return
    for path, steps in each_list(plan):
        draft = Draft(path, steps)
        dependants = dependants_of(steps)
        for group in _groups(steps, context):
            members = _without_cycle(draft, group)
            if len(members) > 1:
                yield _merged(draft, members, dependants, context)


def _groups(steps: list[Document], context: Context) -> Iterator[list[int]]:
    """Places of the fetches that ask the same of the same data set, in the order of their ids."""
    found: dict[str, list[int]] = {}
    for place, step in enumerate(steps):
        signature, args = signature_of(step, context.signatures), args_of(step)
        if signature is None or signature.gives != "tables" or "for_each" in step:
            continue
        if any(args.get(one) for one in ALONE) or step.get("critical", True) is not True:
            continue
        if not isinstance(args.get("dataset_id"), str) or not isinstance(step.get("step_id"), (int, str)):
            continue
        if not _parameters(args):
            continue
        shared = {
            name: value for name, value in args.items() if name not in TOGETHER and value not in ("", None)
        }
        shared["provider"] = context.provider_of(args["dataset_id"], args.get("provider") or "")
        pinned = sorted(map(str, step.get("pin") or ()))
        found.setdefault(canonical_json([step["tool_name"], shared, pinned]), []).append(place)
    for group in found.values():
        if len(group) > 1:
            numbered = all(isinstance(steps[one]["step_id"], int) for one in group)
            yield sorted(group, key=lambda one: steps[one]["step_id"]) if numbered else group


def _without_cycle(draft: Draft, group: list[int]) -> list[int]:
    """The members that can become one step: none waits, by way of another step, for one of them."""
    members = [group[0]]
    for one in group[1:]:
        both = {*members, one}
        if not any(reaches(draft.steps, draft.places, each, both, through=both) for each in both):
            members.append(one)
    return members


def _merged(draft: Draft, members: list[int], dependants: dict[StepId, list[int]], context: Context) -> Edit:
    survivor, others = members[0], members[1:]
    steps = [draft.steps[one] for one in members]
    args = {name: value for name, value in args_of(steps[0]).items() if name not in TOGETHER}
    names = list(dict.fromkeys(name for step in steps for name in _parameters(args_of(step))))
    names = _in_catalogue_order(names, args["dataset_id"], context)
    args["parameters"] = names
    ids: list[StepId] = [step["step_id"] for step in steps]
    instead: dict[StepId, StepId] = dict.fromkeys(ids[1:], ids[0])
    needed = {instead.get(one, one) for step in steps for one in step.get("depends_on") or ()} - set(ids)
    draft.set(survivor, "tool_args", args)
    draft.set(survivor, "produces", produced_labels(context.signatures[steps[0]["tool_name"]], args))
    wanted = sorted(needed, key=lambda one: draft.places.get(one, len(draft.steps)))
    if wanted or steps[0].get("depends_on"):
        draft.set(survivor, "depends_on", wanted)
    intents = "; ".join(dict.fromkeys(step["intent"] for step in steps if step.get("intent")))
    if intents:
        draft.set(survivor, "intent", intents)
    draft.stand_for(survivor, ids[1:])
    for place in others:
        draft.remove(place)
    draft.rewire(instead, sorted({one for gone in instead for one in dependants.get(gone, ())}))
    message = f"fetches {', '.join(map(str, ids))} become one of {', '.join(names)}"
    return Edit("HO101", message, draft.take(), ids[0])


def _in_catalogue_order(names: list[str], dataset_id: str, context: Context) -> list[str]:
    dataset = context.catalogue.get(dataset_id)
    known = list(dataset.parameters) if dataset is not None else []
    place = {name: index for index, name in enumerate(known)}
    return sorted(names, key=lambda one: place.get(one, len(known)))


def _parameters(args: Document) -> list[str]:
    """The parameters that a fetch names; none where they are not all names."""
    named: Any = args.get("parameters") or [args.get("parameter_id")]
    return (
        list(named) if isinstance(named, list) and all(isinstance(one, str) and one for one in named) else []
    )
