"""Find what happened for each interval of a pipeline, from the records of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from helio.errors import DamagedRecord, TimeRangeError
from helio.store.records import WrongShape, convert
from helio.store.runs import ArtefactRecord, RunRecord, StepRecord
from helio.time_range import TimeRange, parse_time_range

State = Literal["done", "partial", "running", "no data", "failed", "crashed", "cancelled", "missing"]
"""What happened for an interval. ``missing``: a run was due, but there is no record of one."""
DONE: tuple[State, ...] = ("done", "partial")
PICTURES = ("png", "svg", "html", "pdf")
"""Formats of figures, first the format that a page shows best."""
_WITHOUT_DATA = ("NoData", "NoUsableData", "NotYetPublished")
"""Names of the errors of `helio.errors` that say that there are no data for the interval."""


@dataclass(frozen=True)
class IntervalRun:
    """What a run record says about one run and its interval.

    Parameters
    ----------
    pipeline, title : str
        The pipeline's id and its name for readers.
    span : TimeRange or None
        The interval of the run: the value of ``$TIME_RANGE``, otherwise of the first time variable. None if the
        pipeline has no time variable.
    values : mapping
        The values of all other variables, by name.
    state : str
        How the run ended.
    started_at : datetime
        Naive UTC.
    now : datetime or None
        The time from which relative time ranges count, which is the due time of a scheduled run. Naive UTC.
    failed_step, reason, advice : str
        The first step that failed, why, and what to do about it; empty if no step failed.
    files : tuple of ArtefactRecord
        The files that the run wrote.
    """

    id: str
    pipeline: str
    state: State
    started_at: datetime
    span: TimeRange | None = None
    title: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    now: datetime | None = None
    failed_step: str = ""
    reason: str = ""
    advice: str = ""
    files: tuple[ArtefactRecord, ...] = ()


@dataclass(frozen=True)
class Interval:
    """What happened for one interval of a pipeline.

    Parameters
    ----------
    state : str
        The state of `run`; ``"missing"`` without a run.
    runs : tuple of IntervalRun
        All runs of exactly this interval, newest first.
    due : bool
        Whether a run of this interval was due.
    """

    span: TimeRange
    runs: tuple[IntervalRun, ...] = ()
    due: bool = False

    @property
    def run(self) -> IntervalRun | None:
        """Return the run that counts: the newest that made its results; otherwise the newest."""
        made = (run for run in self.runs if run.state in DONE)
        return next(made, self.runs[0] if self.runs else None)

    @property
    def state(self) -> State:
        """Return what happened for this interval."""
        return "missing" if self.run is None else self.run.state

    @property
    def later_failure(self) -> IntervalRun | None:
        """Return the newest run if it failed after an earlier run had made the results."""
        newest = self.runs[0] if self.runs else None
        return newest if newest is not self.run and newest is not None and newest.reason else None


def intervals(runs: Iterable[IntervalRun], due: Iterable[TimeRange] = ()) -> tuple[Interval, ...]:
    """Say what happened for each interval of a pipeline, in the order of their starts.

    Runs belong together only if their intervals are equal: a run over a week is no run of its days.

    Parameters
    ----------
    runs : iterable of IntervalRun
        Runs of one pipeline, in any order. Runs without an interval are left out.
    due : iterable of TimeRange
        Intervals for which a run was due; those without a run are ``missing``.
    """
    by_span: dict[TimeRange, list[IntervalRun]] = {span: [] for span in due}
    expected = frozenset(by_span)
    for run in runs:
        if run.span is not None:
            by_span.setdefault(run.span, []).append(run)
    return tuple(
        Interval(span, tuple(sorted(by_span[span], key=_age, reverse=True)), span in expected)
        for span in sorted(by_span, key=lambda span: (span.start, span.stop))
    )


def read_run(record: RunRecord) -> IntervalRun:
    """Read what the record of a run says about its interval.

    Raises
    ------
    DamagedRecord
        The record cannot be read.
    UnknownRun
        The record was deleted meanwhile.
    """
    header, plan = record.whole_header, record.plan
    try:
        variables = convert(plan.get("variables") or {}, dict[str, dict[str, Any]], "variables")
    except WrongShape as error:
        raise DamagedRecord(f"the plan of run '{record.id}' is damaged: {error}") from error
    times = sorted(
        (name for name, facts in variables.items() if facts.get("type") == "time_range"),
        key=lambda name: (name != "$TIME_RANGE", name),
    )
    now = _naive(header["now"])
    try:
        span = parse_time_range(str(variables[times[0]].get("value", "")), now) if times else None
    except TimeRangeError as error:
        raise DamagedRecord(f"the record of run '{record.id}' is damaged: {error.message}") from error
    # A run that has ended stays as its header says; the others need a look at their process.
    status = record.status if header["status"] == "running" else header["status"]
    failed = [] if status == "success" else _failed_steps(record)
    first = failed[0]["error"] if failed else None
    return IntervalRun(
        id=record.id,
        pipeline=header["pipeline"],
        state=_state(status, failed),
        started_at=_naive(header["started_at"]),
        span=span,
        title=str(plan.get("name") or ""),
        values={name: value for name, value in header["values"].items() if name not in times},
        now=now,
        failed_step=str(failed[0]["step_id"]) if failed else "",
        reason=first["message"] if first else header.get("error", ""),
        advice=first["advice"] if first else "",
        files=tuple(header.get("artefacts", ())),
    )


def _failed_steps(record: RunRecord) -> Sequence[StepRecord]:
    """Return the steps that failed; critical steps first."""
    failed = [step for step in record.readable_steps[0] if step["error"] is not None]
    return sorted(failed, key=lambda step: not step.get("critical", True))


def _state(status: str, failed: Sequence[StepRecord]) -> State:
    match status:
        case "success":
            return "done"
        case "failed":
            kinds = {step["error"]["kind"] for step in failed if step["error"] is not None}
            return "no data" if kinds and kinds <= set(_WITHOUT_DATA) else "failed"
        case "partial" | "running" | "cancelled" | "crashed":
            return status
        case _:
            raise DamagedRecord(f"a run cannot have the status '{status}'")


def _age(run: IntervalRun) -> tuple[datetime, str]:
    return run.started_at, run.id


def _naive(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
