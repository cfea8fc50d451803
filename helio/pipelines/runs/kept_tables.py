"""Read the tables that a run left in the store, by their labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from helio.errors import DamagedObject, RequestError
from helio.pipelines.template.labels import close_labels

if TYPE_CHECKING:
    from helio.store.runs import OutputRecord, RunRecord
    from helio.store.store import Store
    from helio.store.table import Table


def kept_labels(record: RunRecord) -> list[str]:
    """List the labels of all tables of a run, in the order of its steps."""
    return [output["label"] for output in _outputs(record)]


def kept_table(record: RunRecord, label: str, store: Store) -> Table:
    """Read a table that a run made, with its sources and notes; ``LABEL.component`` reads one component.

    Raises
    ------
    RequestError
        The run made no table with that label; the error lists the labels.
    StepError
        The table has no such component.
    DamagedObject
        The store no longer has it: it was removed, or its file is damaged.
    """
    outputs = {fact["label"]: fact for fact in _outputs(record)}
    owner = max(
        (other for other in outputs if label == other or label.startswith(f"{other}.")), key=len, default=None
    )
    if owner is None:
        known, close = ", ".join(outputs), close_labels(label, outputs)
        raise RequestError(
            f"run '{record.id}' made no table '{label}'",
            advice=f"did you mean {' or '.join(map(repr, close))}?"
            if close
            else (f"choose from {known}" if known else "choose another run: this one made no table"),
        )
    output = outputs[owner]
    try:
        kept = store.table(output["digest"])
    except DamagedObject as error:
        if not record.whole_header.get("added"):
            raise
        raise DamagedObject(
            f"run '{record.id}' was added from a bundle, which holds no tables",
            advice=f"make them here: run {record.whole_header['pipeline']} with the same values",
        ) from error
    table = replace(
        kept,
        sources=tuple(output["sources"]),
        notes=tuple(output.get("notes", ())),
    )
    return table if label == owner else table.component(label[len(owner) + 1 :])


def _outputs(record: RunRecord) -> list[OutputRecord]:
    return [output for step in record.step_records for output in step["outputs"] if output["label"]]
