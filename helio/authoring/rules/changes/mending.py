"""Repair simple failures by rules: correct a misspelt name, convert a unit, or add a dataset of the same quantity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from typing import Any

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.gate import Gate
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.rules.changes.conversions import alike_in
from helio.authoring.swapping import refetched
from helio.authoring.writing.sources import cadence_words
from helio.authoring.writing.steps import free_name
from helio.errors import UnknownDataset, UnknownParameter, closest
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES
from helio.patterns import ignoring_case
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.template.document import Document
from helio.pipelines.template.graph import StepView
from helio.steps.signature import signatures
from helio.store.component_names import axis_letters

BY = Attribution("rules")
_CLEARLY = 0.04
"""Minimum difference in similarity between the closest and the second closest name, so that the closest is clear."""
NOTHING_THERE = ("NoData", "NoUsableData", "NoCandidate", "NotYetPublished")


def repaired(template: Document, failure: Failure, *, catalogue: Catalogue, gate: Gate) -> Outcome:
    """Change the failed step of a run so that a new run can succeed.

    Raises
    ------
    NotUnderstood
        No rule has a change that helps.
    NotProved
        The change makes a pipeline that cannot run.
    """
    step = next((step for step in template["steps"] if step["step_id"] == failure.step_id), None)
    if step is None:
        raise NotUnderstood(f"the pipeline has no step {failure.step_id}")
    operations, notes = _change(template, view_in(step, signatures()), failure, catalogue)
    named = {failure.step_id, *(operation.step for operation in operations)}
    declared = {
        step["step_id"] for step in template["steps"] if {step["step_id"], str(step["step_id"])} & named
    }
    proved = gate.repaired(template, apply(template, operations), declared=declared)
    if proved.errors:
        raise NotProved("after this repair the pipeline could not run", diagnostics=proved.errors)
    return TemplateDraft(proved, BY, tuple(notes))


def close_name(name: str, names: Iterable[str]) -> str:
    """Return the known name that is clearly the closest; return an empty text if several names are about equally close.

    >>> close_name("AC_H0_MIF", ["AC_H0_MFI", "AC_K0_MFI", "WI_H0_MFI"])
    'AC_H0_MFI'
    >>> close_name("AC_H9_MFI", ["AC_H0_MFI", "AC_H1_MFI"])
    ''
    """
    ranked = sorted(
        (
            (SequenceMatcher(None, known.casefold(), name.casefold()).ratio(), known)
            for known in closest(name, names)
        ),
        reverse=True,
    )
    clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] > _CLEARLY)
    return ranked[0][1] if clear else ""


def _change(
    template: Document, step: StepView, failure: Failure, catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    pairs = fetch_pairs(step.params) if step.tool == FETCH else []
    if pairs and failure.kind in NOTHING_THERE:
        return _other_sources(template, step, pairs)
    if pairs and failure.kind in ("UnknownDataset", "UnknownParameter"):
        return _respelt(template, step, pairs, catalogue)
    unknown = re.search(r"no (?:component|axis) (?:is called )?'([^']+)'", failure.message)
    present = re.search(r"(?:components:|it has|its axes:|axes:) (.+)", failure.advice)
    if unknown and present:
        meant = _meant(unknown[1], [name.strip() for name in present[1].split(",")])
        if meant:
            return _renamed_value(step, unknown[1], meant), [f"'{unknown[1]}' becomes '{meant}'"]
    unit = re.search(r'convert_units to "([^"]+)"(?:, equivalence "(\w+)")?$', failure.advice)
    argument = re.search(r"the (\w+) of \w+ must be in", failure.message)
    if failure.kind == "UnitMismatch" and unit and argument:
        return _converted(template, step, argument[1], unit[1], unit[2] or "")
    raise NotUnderstood(
        f"helio cannot repair step {step.id} without a language model: {failure.message}",
        advice=failure.advice or USE_A_MODEL,
    )


def _meant(name: str, names: list[str]) -> str:
    """Return the component or axis that a name means: the component with the same letter, or else the closest name."""
    letter = ignoring_case(r"[bv]_?([xyzrtn])\w?").fullmatch(name)
    by_letter = axis_letters(tuple(names)).get(letter[1].casefold(), "") if letter else ""
    return by_letter or close_name(name, names)


def _renamed_value(step: StepView, old: str, new: str) -> list[Operation]:
    """Return the operations that replace a misspelt name in the arguments of a step."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [new if name == old else name for name in value]
        is_name = value == old or (isinstance(value, str) and value.endswith(f".{old}"))
        return f"{value[: -len(old)]}{new}" if is_name else value

    renamed = {key: changed(value) for key, value in step.params.items()}
    changes = [key for key, value in step.params.items() if renamed[key] != value]
    if not changes:
        raise NotUnderstood(f"helio cannot correct '{old}': step {step.id} does not contain this name")
    return [Operation("set", str(step.id), ("tool_args", key), renamed[key]) for key in changes]


def _converted(
    template: Document, step: StepView, argument: str, unit: str, equivalence: str
) -> tuple[list[Operation], list[str]]:
    """Add a step that converts the unit of an input before the failed step."""
    key = f"{argument}_label"
    label = step.params.get(key)
    if not isinstance(label, str):
        raise NotUnderstood(
            f"helio cannot convert the unit: step {step.id} has no argument '{argument}_label'"
        )
    ids = [str(step["step_id"]) for step in template["steps"]]
    new = re.sub(r"\W+", "_", f"{label}_{unit}").strip("_")
    extra = {"equivalence": equivalence} if equivalence else {}
    conversion = {
        "step_id": free_name(new.lower(), ids),
        "tool_name": "convert_units",
        "tool_args": {"source_label": label, "to": unit, **extra, "output_label": new},
        "intent": f"Convert to {unit}",
    }
    index = ids.index(str(step.id))
    added = Operation("add", value=conversion, after=ids[index - 1] if index else "")
    rewired = Operation("set", str(step.id), ("tool_args", key), new)
    return [added, rewired], [f"a new step converts {label} to {unit}"]


def _other_sources(
    template: Document, step: StepView, pairs: list[tuple[str, str]]
) -> tuple[list[Operation], list[str]]:
    """Let a fetch also try other datasets with the same quantity, spacecraft, frame and unit."""
    known = next((row for row in SOURCES if (row.dataset, *row.parameters) in pairs), None)
    alike = alike_in(known, known.frame) if known is not None else ()
    others = [
        row
        for row in alike
        if known is not None and row.unit == known.unit and len(row.parameters) == 1
        if (row.dataset, row.parameters[0]) not in pairs
    ]
    if not others:
        raise NotUnderstood(
            f"helio knows no other dataset with the data of step {step.id}",
            advice=f"search with `helio datasets search`, or choose another time for {pairs[0][0]}",
        )
    candidates = [*pairs, *((row.dataset, row.parameters[0]) for row in others)]
    notes = [
        f"if the data are missing, {row.dataset}.{row.parameters[0]} is used instead ({cadence_words(row.cadence)})"
        for row in others
    ]
    return refetched(template, step, candidates), notes


def _respelt(
    template: Document, step: StepView, pairs: list[tuple[str, str]], catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    """Replace a misspelt dataset or parameter by the name that is clearly the closest."""
    new: list[tuple[str, str]] = []
    for dataset_id, parameter in pairs:
        dataset = catalogue.dataset(_known(dataset_id, catalogue.ids(), catalogue.dataset))
        names = [described.name for described in dataset.parameters]
        new.append((dataset.id, _known(parameter, names, dataset.parameter)))
    notes = [
        f"{'.'.join(old)} becomes {'.'.join(changed)}"
        for old, changed in zip(pairs, new, strict=True)
        if old != changed
    ]
    if not notes:
        raise NotUnderstood(
            f"helio found nothing to correct in step {step.id}: its dataset and parameter are both in the catalogue"
        )
    return refetched(template, step, new), notes


def _known(name: str, names: Iterable[str], find: Callable[[str], object]) -> str:
    """Return a name if it is found, or otherwise the closest known name."""
    try:
        find(name)
    except (UnknownDataset, UnknownParameter) as error:
        if close := close_name(name, names):
            return close
        raise NotUnderstood(error.message, advice=error.advice) from error
    return name
