"""The plain repairs: a name with one that comes close, another source of the same quantity where one has nothing."""

from __future__ import annotations

import re

from helio.authoring.gate import Gate
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import Draft, Failure, NotProved, NotUnderstood, Outcome, Said
from helio.authoring.rules.sources import cadence_words
from helio.authoring.swapping import fetched, refetched
from helio.errors import UnknownDataset, UnknownParameter, closest
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES
from helio.pipelines.template import Document

BY = Said("rules")
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
    step = next((one for one in template["steps"] if one["step_id"] == failure.step_id), None)
    if step is None:
        raise NotUnderstood(f"the pipeline has no step {failure.step_id}")
    operations, notes = _change(template, step, failure, catalogue)
    after = apply(template, operations)
    touched = {
        failure.step_id,
        *(
            one["step_id"]
            for one in template["steps"]
            if str(one["step_id"]) in {each.step for each in operations}
        ),
    }
    proved = gate.repaired(template, after, declared=touched)
    if proved.errors:
        raise NotProved("the repair makes a pipeline that cannot run", diagnostics=proved.errors)
    return Draft(proved, BY, tuple(notes))


def _change(
    template: Document, step: Document, failure: Failure, catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    name, args = str(step["step_id"]), step.get("tool_args") or {}
    pairs = list(fetched(args)) if step.get("tool_name") == "fetch_data" else []
    if pairs and failure.kind in NOTHING_THERE:
        return _other_sources(template, step, pairs)
    if pairs and failure.kind in ("UnknownDataset", "UnknownParameter", *NOTHING_THERE):
        return _respelt(template, step, pairs, catalogue)
    missing = re.search(r"no component is called '([^']+)'", failure.message)
    there = re.search(r"components: (.+)", failure.advice)
    if missing and there:
        every = [one.strip() for one in there[1].split(",")]
        close = closest(missing[1], every)
        if len(close) == 1 and missing[1] in (args.get("keep") or ()):
            keep = [close[0] if one == missing[1] else one for one in args["keep"]]
            return [Operation("set", name, ("tool_args", "keep"), keep)], [
                f"'{missing[1]}' becomes '{close[0]}'"
            ]
    raise NotUnderstood(
        f"no rule knows how to mend step {name}: {failure.message}",
        advice=failure.advice or "a model may: set GEMINI_API_KEY",
    )


def _other_sources(
    template: Document, step: Document, pairs: list[tuple[str, str]]
) -> tuple[list[Operation], list[str]]:
    """Further sources of the same quantity, spacecraft, frame and unit, behind those that are tried already."""
    known = next(
        (one for one in SOURCES if (one.dataset, *one.parameters) in [tuple(each) for each in pairs]), None
    )
    others = [
        one
        for one in SOURCES
        if known is not None
        and (one.quantity, one.spacecraft, one.frame, one.unit)
        == (known.quantity, known.spacecraft, known.frame, known.unit)
        and len(one.parameters) == 1
        and (one.dataset, one.parameters[0]) not in pairs
    ]
    if known is None or not others:
        raise NotUnderstood(
            f"the table of quantities knows no other source for step {step['step_id']}",
            advice=f"helio datasets search finds some; another time may have data of {pairs[0][0]}",
        )
    wanted = [*pairs, *((one.dataset, one.parameters[0]) for one in others)]
    notes = [
        f"where there is nothing, {one.dataset}.{one.parameters[0]} is taken ({cadence_words(one)})"
        for one in others
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
            close = closest(dataset, catalogue.ids())
            if len(close) != 1:
                raise NotUnderstood(error.message, advice=error.advice) from error
            entry = catalogue.dataset(close[0])
        found = parameter
        try:
            entry.parameter(parameter)
        except UnknownParameter as error:
            close = closest(parameter, [one.name for one in entry.parameters])
            if len(close) != 1:
                raise NotUnderstood(error.message, advice=error.advice) from error
            found = close[0]
        if (entry.id, found) != (dataset, parameter):
            notes.append(f"{dataset}.{parameter} becomes {entry.id}.{found}")
        new.append((entry.id, found))
    if not notes:
        raise NotUnderstood(f"the names of step {step['step_id']} are those of the catalogue")
    return refetched(template, step, new), notes
