"""Summarise runs from their records: time range, first failure, figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from helio.errors import DamagedRecord, UnknownRun
from helio.store.runs import RunRecord, Runs, RunSummary, message_of

_PICTURES = ("html", "png", "svg", "pdf")


@dataclass(frozen=True)
class ListedRun:
    """Summary of a run; a field is empty if the run's record does not have it.

    Parameters
    ----------
    time_range : str
        The values of its time ranges; without any, the ranges that its steps fetch.
    failed_step, reason : str
        The first step that failed and why; the reason alone where the run failed outside its steps.
    picture : str
        The path of the first figure that it wrote.
    """

    summary: RunSummary
    time_range: str = ""
    failed_step: str = ""
    reason: str = ""
    picture: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        facts = {name: value for name, value in vars(self).items() if name != "summary"}
        return {**asdict(self.summary), **facts}


def listed_runs(runs: Runs, *, pipeline: str = "", limit: int) -> Sequence[ListedRun]:
    """List runs, newest first.

    Parameters
    ----------
    pipeline : str
        List the runs of this pipeline only.
    limit : int
        The maximum number of runs.
    """
    chosen = (summary for summary in runs.list() if pipeline in ("", summary.pipeline))
    return [_listed(RunRecord(runs.root / summary.id), summary) for summary in islice(chosen, limit)]


def _listed(record: RunRecord, summary: RunSummary) -> ListedRun:
    try:
        header, (steps, _) = record.header, record.readable_steps
    except (DamagedRecord, UnknownRun):  # the summary says that it is damaged; or it was deleted meanwhile
        return ListedRun(summary)
    failed = next((step for step in steps if step["state"] == "failed"), None)
    pictures = (
        str(artefact["file"])
        for artefact in header.get("artefacts", [])
        if isinstance(artefact, dict) and artefact.get("kind") in _PICTURES and "file" in artefact
    )
    return ListedRun(
        summary,
        ", ".join(dict.fromkeys(time_ranges(record))),
        "" if failed is None else str(failed["step_id"]),
        header.get("error", "") if failed is None else message_of(failed),
        next(pictures, ""),
    )


def time_ranges(record: RunRecord) -> Iterator[str]:
    """Yield the time ranges of a run as its template writes them: of its variables, otherwise of its fetches."""
    try:
        plan: Any = record.plan
    except DamagedRecord:
        return
    variables = plan.get("variables") or {}
    named = [facts for facts in variables.values() if facts.get("type") == "time_range" and "value" in facts]
    if named:
        yield from (str(facts["value"]) for facts in named)
        return
    for step in plan["steps"]:
        span = (step.get("tool_args") or {}).get("time_range")
        if isinstance(span, str) and not step.get("depends_on"):
            yield span
