"""Describe a failed run for a repair: the failed step, its error, and evidence from records and the catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterator

from helio.authoring.fetches import fetch_choices
from helio.authoring.operations import step_of
from helio.authoring.outcome import Failure
from helio.authoring.proposals.store import Proposals
from helio.errors import RequestError, closest
from helio.knowledge.catalogue import Catalogue, time_text
from helio.pipelines.analyses.work import work_of
from helio.pipelines.dialect.written import object_of, written_steps
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.steps.signature import signatures
from helio.store.runs import RunRecord

_SHOWN = ("unit", "frame", "components", "rows")
"""Facts about the tables of a failed run that are given to the language model for a repair."""
_MOST_TABLES, _MOST_PARAMETERS = 20, 40


def failure_of(record: RunRecord, proposals: Proposals, catalogue: Catalogue) -> Failure:
    """Return the step of a run that failed first, with its error, evidence, and the repairs that the user rejected.

    Raises
    ------
    RequestError
        No step of the run failed.
    """
    failed = next((step for step in record.step_records if step["state"] == "failed"), None)
    if failed is None:
        raise RequestError(
            f"run {record.id} has no failed step", advice="use `helio runs` to find a failed run"
        )
    template: Document = record.authored
    name, error = str(failed["step_id"]), failed["error"]
    ids: list[StepId] = [step.json["step_id"] for step in written_steps(template) if "step_id" in step.json]
    step_id = next((written_id for written_id in ids if _comes_of(name, written_id)), name)
    rejected = [
        work_of(proposal.template, signatures())
        for proposal in proposals.list(state="rejected")
        if proposal.run == record.id and proposal.after
    ]
    return Failure(
        record.id,
        step_id,
        *((error["kind"], error["message"], error["advice"]) if error else ("", "", "")),
        (*_tables(record), *_datasets(step_of(template, step_id), catalogue)),
        tuple(rejected),
    )


def _comes_of(name: str, step_id: StepId) -> bool:
    """Return whether a step in a run's record comes from the template's step with this id, or from an item of it."""
    return name == str(step_id) or name.startswith((f"{step_id}[", f"{step_id}."))


def _tables(record: RunRecord) -> Iterator[str]:
    """Describe the tables that the steps of a run returned."""
    outputs = [output for step in record.step_records for output in step["outputs"] if output.get("label")]
    for output in outputs[:_MOST_TABLES]:
        yield f"{output['label']}: {json.dumps({key: fact for key, fact in output.items() if key in _SHOWN})}"


def _datasets(step: Document, catalogue: Catalogue) -> Iterator[str]:
    """Say what the catalogue knows about the datasets that a step fetches."""
    choices = fetch_choices(object_of(step.get("tool_args")))
    for dataset in dict.fromkeys(choice.dataset_id for choice in choices):
        if dataset not in catalogue:
            close = ", ".join(closest(dataset, catalogue.ids())) or "none"
            yield f"no dataset is called {dataset}; close names: {close}"
            continue
        entry = catalogue.dataset(dataset)
        names = ", ".join(parameter.name for parameter in entry.parameters[:_MOST_PARAMETERS])
        span = f"{time_text(entry.first)} to {time_text(entry.last)}"
        yield f"{dataset} has records of {span}; parameters: {names}"
