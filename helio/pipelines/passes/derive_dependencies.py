"""Which steps each step rests on, from the labels that it reads.

HR203 (error)  label that nobody produces
    Inserting a fetch is a suggestion: a pass never picks a data set.
    before  "source_label": "AC_H2_MFI.BGSEc" without its fetch
    after   refused

HR301 (edit safe)  dependency derived from a label or figure
    A step waits for whoever gives what it reads.
    before  2 reads "AC_H2_MFI.BGSEc" of 1
    after   "depends_on": [1]

HR303 (error)  dependency on a step that does not exist
    It may have been meant to be another one.
    before  "depends_on": [7] in a plan of 3 steps
    after   refused
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.errors import closest
from helio.pipelines.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.labels import owner, produced_labels
from helio.pipelines.maps import Place, args_of, as_glob, is_block, is_glob, matching, places, signature_of
from helio.pipelines.outputs import concrete_labels
from helio.pipelines.passes.declare_variables import REQUIRED, declaration
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, replaced
from helio.pipelines.passes.known_labels import MOST_ITEMS, Labels, labels_of, reads_of
from helio.pipelines.passes.settle_variables import declared_times
from helio.pipelines.passes.spell_variables import BUILT_IN
from helio.pipelines.template import Document, shortened
from helio.pipelines.variables import TOKEN, Path


def derive_dependencies(plan: Document, context: Context) -> Iterator[Finding]:
    """Add a dependency for each label read; refuse labels of nobody and steps that do not exist.

    A block rests on the steps that its own steps read from; inside it they rest on one another.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> plan = {"steps": [
    ...     {"step_id": 1, "tool_name": "fetch_data", "depends_on": [], "produces": ["A.B"],
    ...      "tool_args": {"dataset_id": "A", "parameter_id": "B", "time_range": "2024"}},
    ...     {"step_id": 2, "tool_name": "magnitude", "depends_on": [], "produces": ["C"],
    ...      "tool_args": {"source_label": "A.B", "output_label": "C"}}]}
    >>> [edit] = derive_dependencies(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR301 depends on 1 by label
    """
    labels = labels_of(plan, context)
    every = list(places(plan))
    ids: dict[Path, list[StepId]] = {}
    reads: dict[Path, list[str]] = {}
    for place in every:
        ids.setdefault(place.path[:-1], []).append(place.step["step_id"])
        for path, label in reads_of(place, context):
            meant = [label, *_of_items(label, place, context)]
            for length in range(len(place.path), 0, -2):
                reads.setdefault(place.path[:length], []).extend(meant)
            if is_glob(label) and not _takes_several(place, path, context):
                yield _one_wanted(place, path, label, labels)
            elif _is_unknown(label, labels):
                yield _nobody(plan, place, path, label, labels, context)
    order = {path: {one: index for index, one in enumerate(among)} for path, among in ids.items()}
    for place in every:
        among = place.path[:-1]
        step, known = place.step, order[among]
        wanted: list[StepId] = list(step["depends_on"])
        found: set[StepId] = set()
        for position, one in enumerate(wanted):
            if one not in known:
                yield _no_step(place, position, one, ids[among])
        for label in dict.fromkeys(reads.get(place.path, ())):
            found.update(labels.steps(label, among))
        # What the author wrote first, as written; what the labels add in the order of the list.
        wanted += sorted(found.difference(wanted), key=order[among].__getitem__)
        if step["step_id"] in wanted:
            if not is_block(step) and _reads_itself(place, context):
                yield Diagnostic(
                    "HR402",
                    f"a cycle: step {step['step_id']} reads the label that it produces",
                    step_id=step["step_id"],
                    tool_name=step.get("tool_name", ""),
                    path=pointer(*place.path, "tool_args"),
                    advice=("another output_label",),
                )
                continue
            if step["step_id"] not in step["depends_on"]:  # a block reads what its own steps give
                wanted.remove(step["step_id"])
        if wanted != step["depends_on"]:
            new = [one for one in wanted if one not in step["depends_on"]]
            at = pointer(*place.path, "depends_on")
            message = f"depends on {', '.join(map(str, new))} by label"
            yield Edit("HR301", message, replaced(at, step["depends_on"], wanted), step["step_id"], path=at)


def _of_items(label: str, place: Place, context: Context) -> list[str]:
    """What a label with an item in it stands for, item by item as far as these are known."""
    if not any(name in TOKEN.findall(label) for name in place.variables):
        return []
    found = concrete_labels(label, place, context)
    return [as_glob(label, place.variables)] if found is None else found[:MOST_ITEMS]


def _is_unknown(label: str, labels: Labels) -> bool:
    if TOKEN.search(label):
        return False
    if is_glob(label):
        return not labels.may_match(label)
    return labels.complete and owner(label, labels.all) is None


def _takes_several(place: Place, path: Path, context: Context) -> bool:
    """Whether a list of labels belongs at a place in the arguments."""
    signature = signature_of(place.step, context.signatures)
    tables = signature.tables if signature is not None else ()
    return any(
        table.many
        for table in tables
        for dotted in (table.argument, *table.also)
        if dotted.partition(".")[0] == path[0]
    )


def _one_wanted(place: Place, path: Path, label: str, labels: Labels) -> Diagnostic:
    known = matching(label, labels.all)
    return Diagnostic(
        "HR203",
        f"'{shortened(label)}' may stand for several labels, and one is wanted",
        step_id=place.step["step_id"],
        tool_name=place.step["tool_name"],
        path=pointer(*place.path, "tool_args", *path),
        advice=(f"write the label: {', '.join(known[:3] or list(labels.all)[:3]) or 'none is produced'}",),
        candidates=tuple(known[:50]),
    )


def _reads_itself(place: Place, context: Context) -> bool:
    signature = signature_of(place.step, context.signatures)
    own = set(produced_labels(signature, args_of(place.step))) if signature is not None else set()
    return any(
        matching(label, own) if is_glob(label) else owner(label, own) for _, label in reads_of(place, context)
    )


def _no_step(place: Place, position: int, one: Any, ids: list[StepId]) -> Diagnostic:
    close: list[StepId] = [known for known in ids if str(known) == str(one)]
    if not close:
        named = {str(known): known for known in ids}
        close = [named[name] for name in closest(str(one), named)]
    at = pointer(*place.path, "depends_on", position)
    return Diagnostic(
        "HR303",
        f"there is no step {one} to depend on",
        step_id=place.step["step_id"],
        tool_name=place.step.get("tool_name", ""),
        path=at,
        advice=(f"did you mean {close[0]!r}?",) if close else (f"steps: {', '.join(map(str, ids[:50]))}",),
        candidates=tuple(close),
        fixes=tuple(Fix(f"depend on {known}", replaced(at, one, known)) for known in close),
    )


def _nobody(
    plan: Document, place: Place, path: Path, label: str, labels: Labels, context: Context
) -> Diagnostic:
    known = list(labels.all)
    close = closest(label, known)
    at = pointer(*place.path, "tool_args", *path)
    fixes = [Fix(f"read {one}", replaced(at, label, one)) for one in close]
    inserted = _fetch_of(plan, label, context)
    advice = [f"did you mean '{one}'?" for one in close[:1]]
    if inserted is not None:
        fixes.insert(0, inserted)
        advice.append(f"a step that fetches it: {label}")
    return Diagnostic(
        "HR203",
        f"no step produces {'a label that matches' if is_glob(label) else 'the label'} '{shortened(label)}'",
        step_id=place.step["step_id"],
        tool_name=place.step["tool_name"],
        path=at,
        advice=tuple(advice) or (f"labels: {', '.join(known[:50]) or 'none'}",),
        candidates=close,
        fixes=tuple(fixes),
    )


def _fetch_of(plan: Document, label: str, context: Context) -> Fix | None:
    """The step that would give a label which the catalogue knows."""
    dataset_id, _, rest = label.partition(".")
    dataset = context.catalogue.get(dataset_id)
    parameter = next(
        (one for one in (rest, rest.rpartition(".")[0]) if dataset and one in dataset.parameters), ""
    )
    if not parameter:
        return None
    times = declared_times(plan)
    operations: tuple[Operation, ...] = ()
    if not times and BUILT_IN not in plan.get("variables", {}):
        operations = declaration(plan, REQUIRED)
    numbers = [one["step_id"] for one in plan["steps"] if isinstance(one["step_id"], int)]
    step = {
        "step_id": max([*numbers, 0]) + 1,
        "tool_name": "fetch_data",
        "tool_args": {
            "dataset_id": dataset_id,
            "parameter_id": parameter,
            "time_range": times[0] if len(times) == 1 else BUILT_IN,
        },
    }
    operations += added(pointer("steps", len(plan["steps"])), step)
    return Fix(f"fetch {dataset_id}.{parameter}", operations)
