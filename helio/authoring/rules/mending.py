"""The plain repairs: a name with one that comes close, another source of the same quantity where one has nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from helio.authoring.gate import Gate
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import Attribution, Failure, NotProved, NotUnderstood, Outcome, TemplateDraft
from helio.authoring.swapping import fetched, refetched
from helio.authoring.writing.sources import cadence_words
from helio.authoring.writing.steps import free_name
from helio.errors import UnknownDataset, UnknownParameter, closest
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES
from helio.pipelines.template.document import Document
from helio.store.component_names import axis_letters

BY = Attribution("rules")
_CLEARLY = 0.04
"""By how much a name has to be more alike than the next one."""
NOTHING_THERE = ("NoData", "NoUsableData", "NoCandidate", "NotYetPublished")


def repaired(template: Document, failure: Failure, *, catalogue: Catalogue, gate: Gate) -> Outcome:
    """A change of the step that failed, and of nothing else.

    Raises
    ------
    NotUnderstood
        No rule knows a change that would help.
    NotProved
        The change makes a template that cannot run.
    """
    step = next((known for known in template["steps"] if known["step_id"] == failure.step_id), None)
    if step is None:
        raise NotUnderstood(f"the pipeline has no step {failure.step_id}")
    operations, notes = _change(template, step, failure, catalogue)
    after = apply(template, operations)
    touched = {
        failure.step_id,
        *(
            known["step_id"]
            for known in template["steps"]
            if str(known["step_id"]) in {operation.step for operation in operations}
        ),
    }
    proved = gate.repaired(template, after, declared=touched)
    if proved.errors:
        raise NotProved("the repair makes a pipeline that cannot run", diagnostics=proved.errors)
    return TemplateDraft(proved, BY, tuple(notes))


def the_close_one(name: str, names: Iterable[str]) -> str:
    """The one name that is meant, if one is closer than all others; empty where several may be.

    >>> the_close_one("AC_H0_MIF", ["AC_H0_MFI", "AC_K0_MFI", "WI_H0_MFI"])
    'AC_H0_MFI'
    >>> the_close_one("AC_H9_MFI", ["AC_H0_MFI", "AC_H1_MFI"])
    ''
    """
    matcher = SequenceMatcher(b=name.casefold())
    ranked = []
    for known in closest(name, names):
        matcher.set_seq1(known.casefold())
        ranked.append((matcher.ratio(), known))
    ranked.sort(reverse=True)
    clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] > _CLEARLY)
    return ranked[0][1] if clear else ""


def _change(
    template: Document, step: Document, failure: Failure, catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    name, args = str(step["step_id"]), step.get("tool_args") or {}
    pairs = list(fetched(args)) if step.get("tool_name") == "fetch_data" else []
    if pairs and failure.kind in NOTHING_THERE:
        return _other_sources(template, step, pairs)
    if pairs and failure.kind in ("UnknownDataset", "UnknownParameter", *NOTHING_THERE):
        return _respelt(template, step, pairs, catalogue)
    named = re.search(r"no (?:component|axis) (?:is called )?'([^']+)'", failure.message)
    there = re.search(r"(?:components:|it has|its axes:|axes:) (.+)", failure.advice)
    if named and there:
        every = [part.strip() for part in there[1].split(",")]
        meant = _meant(named[1], every)
        if meant:
            return _renamed_value(step, named[1], meant), [f"'{named[1]}' becomes '{meant}'"]
    unit = re.search(r"convert_units to (\S+?)(?: with the equivalence (\w+))?$", failure.advice)
    about = re.search(r"the (\w+) has to be", failure.message)
    if failure.kind == "UnitMismatch" and unit and about:
        return _converted(template, step, about[1], unit[1], unit[2] or "")
    raise NotUnderstood(
        f"no rule knows how to mend step {name}: {failure.message}",
        advice=failure.advice or "a model may: set GEMINI_API_KEY",
    )


def _meant(name: str, every: list[str]) -> str:
    """The component or axis that a name means: the closest one, else the one with the same letter."""
    close = the_close_one(name, every)
    letter = re.fullmatch(r"[bv]_?([xyzrtn])\w?", name, re.IGNORECASE)
    by_letter = axis_letters(tuple(every)).get(letter[1].casefold(), "") if letter else ""
    return by_letter or close


def _renamed_value(step: Document, old: str, new: str) -> list[Operation]:
    """The operations that put a name in the place of another one, wherever the step's arguments have it."""
    name = str(step["step_id"])
    found: list[Operation] = []
    for key, value in (step.get("tool_args") or {}).items():
        if value == old:
            found.append(Operation("set", name, ("tool_args", key), new))
        elif isinstance(value, str) and value.endswith(f".{old}"):
            found.append(Operation("set", name, ("tool_args", key), f"{value[: -len(old)]}{new}"))
        elif isinstance(value, list) and old in value:
            changed = [new if part == old else part for part in value]
            found.append(Operation("set", name, ("tool_args", key), changed))
    if not found:
        raise NotUnderstood(f"step {name} does not name '{old}' itself")
    return found


def _converted(
    template: Document, step: Document, what: str, unit: str, equivalence: str
) -> tuple[list[Operation], list[str]]:
    """A conversion put before a step whose input has another unit."""
    name, key = str(step["step_id"]), f"{what}_label"
    label = (step.get("tool_args") or {}).get(key)
    if not isinstance(label, str):
        raise NotUnderstood(f"step {name} names no {what}")
    taken = {str(known.get("step_id")) for known in template["steps"]}
    new = re.sub(r"\W+", "_", f"{label}_{unit}").strip("_")
    step_id = free_name(new.lower(), taken)
    args = {
        "source_label": label,
        "to": unit,
        **({"equivalence": equivalence} if equivalence else {}),
        "output_label": new,
    }
    before = [str(known["step_id"]) for known in template["steps"]]
    place = before.index(name)
    added = Operation(
        "add",
        value={
            "step_id": step_id,
            "tool_name": "convert_units",
            "tool_args": args,
            "intent": f"Convert to {unit}",
        },
        after=before[place - 1] if place else "",
    )
    return [added, Operation("set", name, ("tool_args", key), new)], [f"{label} is converted to {unit} first"]


def _other_sources(
    template: Document, step: Document, pairs: list[tuple[str, str]]
) -> tuple[list[Operation], list[str]]:
    """Further sources of the same quantity, spacecraft, frame and unit, behind those that are tried already."""
    known = next(
        (
            source
            for source in SOURCES
            if (source.dataset, *source.parameters) in [tuple(pair) for pair in pairs]
        ),
        None,
    )
    others = [
        source
        for source in SOURCES
        if known is not None
        and (source.quantity, source.spacecraft, source.frame, source.unit)
        == (known.quantity, known.spacecraft, known.frame, known.unit)
        and len(source.parameters) == 1
        and (source.dataset, source.parameters[0]) not in pairs
    ]
    if known is None or not others:
        raise NotUnderstood(
            f"the table of quantities knows no other source for step {step['step_id']}",
            advice=f"helio datasets search finds some; another time may have data of {pairs[0][0]}",
        )
    wanted = [*pairs, *((source.dataset, source.parameters[0]) for source in others)]
    notes = [
        f"where there is nothing, {source.dataset}.{source.parameters[0]} is taken ({cadence_words(source)})"
        for source in others
    ]
    return refetched(template, step, wanted), notes


def _respelt(
    template: Document, step: Document, pairs: list[tuple[str, str]], catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    """A dataset or a parameter by the one name that comes close."""
    new: list[tuple[str, str]] = []
    notes: list[str] = []
    for dataset, parameter in pairs:
        try:
            entry = catalogue.dataset(dataset)
        except UnknownDataset as error:
            close = the_close_one(dataset, catalogue.ids())
            if not close:
                raise NotUnderstood(error.message, advice=error.advice) from error
            entry = catalogue.dataset(close)
        found = parameter
        try:
            entry.parameter(parameter)
        except UnknownParameter as error:
            found = the_close_one(parameter, [known.name for known in entry.parameters])
            if not found:
                raise NotUnderstood(error.message, advice=error.advice) from error
        if (entry.id, found) != (dataset, parameter):
            notes.append(f"{dataset}.{parameter} becomes {entry.id}.{found}")
        new.append((entry.id, found))
    if not notes:
        raise NotUnderstood(f"the names of step {step['step_id']} are those of the catalogue")
    return refetched(template, step, new), notes
