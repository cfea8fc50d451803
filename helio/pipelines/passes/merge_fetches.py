"""Merge fetches of the same dataset and the same time range into one fetch.

HO101 (edit safe)  fetches of one dataset and range merged, parameters in catalogue order
    One request replaces several; servers require that order.
    before  1: BGSEc; 2: Magnitude, of one dataset
    after   1: "parameters": ["Magnitude", "BGSEc"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.labels import produced_labels
from helio.pipelines.template.template import Step, Template, most_retries
from helio.store.work_keys import canonical_json

ALONE = ("candidates", "output_label")
"""Arguments of a fetch that prevent merging this fetch with other fetches."""
TOGETHER = ("parameter_id", "parameters")


def merge_fetches(template: Template, context: Context) -> Iterator[Finding]:
    """Merge fetches with the same dataset, time range and provider; parameters follow the catalogue's order.

    ``fetch(AC_H2_MFI, BGSEc); fetch(AC_H2_MFI, Magnitude)`` → ``fetch(AC_H2_MFI, [Magnitude, BGSEc])``, under the
    lowest id; what depended on the others depends on it. Steps stay apart that are pinned differently, choose among
    candidates, name their label, or may fail by themselves; and where one has to wait for something that waits for
    another.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "time_range": "$T"}
    >>> first = {"step_id": 1, "tool_name": "fetch_data", "tool_args": {**args, "parameter_id": "BGSEc"}}
    >>> second = {"step_id": 2, "tool_name": "fetch_data", "tool_args": {**args, "parameter_id": "Magnitude"}}
    >>> template = Template.from_json({"steps": [first, second]})
    >>> [edit] = merge_fetches(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    'fetches 1, 2 merged into one of BGSEc, Magnitude'
    """
    if not context.runs("merge_fetches"):
        return
    for path, steps in template.lists():
        draft = Draft(path, steps)
        dependants = dependants_of(steps)
        for group in _groups(steps, context):
            members = _without_cycle(draft, group)
            if len(members) > 1:
                yield _merged(draft, members, dependants, context)


def _groups(steps: Sequence[Step], context: Context) -> Iterator[list[int]]:
    """Return groups of fetches that differ only in their parameters, as indices in the order of their ids."""
    found: dict[str, list[int]] = {}
    for index, step in enumerate(steps):
        args = step.tool_args
        if step.for_each is not None or not step.critical or any(args.get(name) for name in ALONE):
            continue
        choice = next(iter(step.choices), None)
        if choice is None or not choice.dataset_id or not all(choice.parameters):
            continue
        shared = {
            name: value for name, value in args.items() if name not in TOGETHER and value not in ("", None)
        }
        shared["provider"] = context.provider_of(choice.dataset_id, choice.provider)
        pinned = sorted(step.pin)
        found.setdefault(canonical_json([step.tool_name, shared, pinned]), []).append(index)
    for group in found.values():
        if len(group) > 1:
            numbers = {index: number for index in group if isinstance(number := steps[index].step_id, int)}
            yield sorted(group, key=numbers.__getitem__) if len(numbers) == len(group) else group


def _without_cycle(draft: Draft, group: list[int]) -> list[int]:
    """Return the fetches that can become one step: no fetch waits, through another step, for a fetch in the group."""
    members = [group[0]]
    for index in group[1:]:
        both = {*members, index}
        if not any(reaches(draft.steps, draft.places, other, both, through=both) for other in both):
            members.append(index)
    return members


def _merged(draft: Draft, members: list[int], dependants: dict[StepId, list[int]], context: Context) -> Edit:
    survivor, others = members[0], members[1:]
    steps = [draft.steps[index] for index in members]
    args = {name: value for name, value in steps[0].tool_args.items() if name not in TOGETHER}
    names = list(dict.fromkeys(chain.from_iterable(step.choices[0].parameters for step in steps)))
    names = _in_catalogue_order(names, args["dataset_id"], context)
    args["parameters"] = names
    ids = [step.step_id for step in steps]
    instead: dict[StepId, StepId] = dict.fromkeys(ids[1:], ids[0])
    needed = {instead.get(step_id, step_id) for step in steps for step_id in step.depends_on} - set(ids)
    draft.change(
        survivor,
        tool_args=args,
        produces=tuple(produced_labels(context.signatures[steps[0].tool_name], args)),
        depends_on=draft.in_order(needed),
        **most_retries(steps),
        intent="; ".join(dict.fromkeys(step.intent for step in steps if step.intent)),
    )
    draft.stand_for(survivor, ids[1:])
    for index in others:
        draft.remove(index)
    draft.rewire(
        instead, sorted({dependant for removed_id in instead for dependant in dependants.get(removed_id, ())})
    )
    message = f"fetches {', '.join(map(str, ids))} merged into one of {', '.join(names)}"
    return Edit("HO101", message, draft.take(), ids[0])


def _in_catalogue_order(names: list[str], dataset_id: str, context: Context) -> list[str]:
    dataset = context.catalogue.get(dataset_id)
    known = list(dataset.parameters) if dataset is not None else []
    order = {name: index for index, name in enumerate(known)}
    return sorted(names, key=lambda name: order.get(name, len(known)))
