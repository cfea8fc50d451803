"""Say for each interval of a pipeline what happened and what is to do: from clock, due times, run records and files.

`intervals` is a pure function, which the gallery, `helio backfill` and every other list of intervals use:

| newest run with results, otherwise newest run | | the interval is |
|---|---|---|
| done, partial | a new run would rest on other steps, tools or files | stale |
| done, partial | otherwise | done, partial |
| running, or a newer run is running | it has no results that are still right | running |
| no data | the provider has files now that it did not have | stale |
| no data | the interval is younger than its data usually are when they appear | waiting |
| no data | how late they usually are is unknown, and the interval has ended only lately | waiting |
| no data | otherwise, which is a gap if it is known how late the data usually are | no data |
| failed | the steps, the tools or the files have changed since | stale |
| failed, crashed, cancelled | otherwise | failed, crashed, cancelled |
| no run | the interval has not ended | waiting |
| no run | a schedule's time for it has come, and the next one has not | due |
| no run | otherwise | missing |
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from helio.counts import number_of
from helio.errors import DamagedRecord, TimeRangeError, may_pass
from helio.pipelines.runs.basis import (
    Basis,
    differences,
    files_with_records,
    parts_of,
    present_basis,
    read_basis,
    steps_of,
    tools_of,
)
from helio.store.records import WrongShape, convert
from helio.store.runs import ArtefactRecord, EventRecord, RunRecord, StepRecord
from helio.time_range import TimeRange, parse_time_range

if TYPE_CHECKING:
    from helio.pipelines.plan import Plan
    from helio.sources.provider import Providers

RunState = Literal["done", "partial", "running", "no data", "failed", "crashed", "cancelled"]
State = RunState | Literal["stale", "due", "waiting", "missing", "left"]
"""What happened for an interval; the table of this module defines the states. A backfill that reaches its limit of
downloads leaves intervals."""
DONE: tuple[State, ...] = ("done", "partial")
PATIENCE = timedelta(days=7)
"""Time after the end of an interval in which its data may still be published, if their usual latency is unknown."""
PICTURES = ("png", "svg", "html", "pdf")
"""Formats of figures, first the format that a page shows best."""
_WITHOUT_DATA = frozenset({"NoData", "NoUsableData", "NotYetPublished"})
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
    transient : bool
        Whether it failed for a reason that may pass, such as a server that is down or a disk that is full.
    files : tuple of ArtefactRecord
        The files that the run wrote.
    basis : Basis or None
        What its result rests on; None if its record does not say it.
    events : tuple of EventRecord
        Its alerts, and the expectations that its data did not meet.
    """

    id: str
    pipeline: str
    state: RunState
    started_at: datetime
    span: TimeRange | None = None
    title: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    now: datetime | None = None
    failed_step: str = ""
    reason: str = ""
    advice: str = ""
    transient: bool = False
    files: tuple[ArtefactRecord, ...] = ()
    basis: Basis | None = None
    events: tuple[EventRecord, ...] = ()


@dataclass(frozen=True)
class Latency:
    """How long after an interval the data of a dataset usually appear.

    Parameters
    ----------
    length : timedelta
    source : str
        From what helio knows it: ``"by the dates of 12 files"``.
    """

    length: timedelta
    source: str

    def in_words(self, dataset_id: str) -> str:
        """Say it in words.

        >>> Latency(timedelta(hours=40), "by the dates of 12 files").in_words("AC_H2_MFI")
        'AC_H2_MFI usually appears after 2 days, by the dates of 12 files'
        """
        hours = math.ceil(self.length / timedelta(hours=1))
        length = number_of(hours, "hour") if hours < 24 else number_of(math.ceil(hours / 24), "day")
        return f"{dataset_id} usually appears after {length}, {self.source}"


@dataclass(frozen=True)
class Interval:
    """What happened for one interval of a pipeline.

    Parameters
    ----------
    runs : tuple of IntervalRun
        All runs of exactly this interval, newest first.
    due : bool
        Whether a run of this interval was due.
    state : str
        As the table of this module defines it.
    reason : str
        Why the interval has this state; empty where the state says everything.
    """

    span: TimeRange
    runs: tuple[IntervalRun, ...] = ()
    due: bool = False
    state: State = "missing"
    reason: str = ""

    @property
    def run(self) -> IntervalRun | None:
        """Return the run that counts: the newest that made its results; otherwise the newest."""
        return _run_that_counts(self.runs)

    @property
    def later_failure(self) -> IntervalRun | None:
        """Return the newest run if it failed after an earlier run had made the results."""
        newest = self.runs[0] if self.runs else None
        return newest if newest is not self.run and newest is not None and newest.reason else None


def intervals(
    runs: Iterable[IntervalRun],
    due: Iterable[TimeRange] = (),
    *,
    now: datetime | None = None,
    expected: Collection[TimeRange] = (),
    present: Mapping[str, Basis] = MappingProxyType({}),
    patience: timedelta = PATIENCE,
    latencies: Mapping[str, Latency] = MappingProxyType({}),
) -> tuple[Interval, ...]:
    """Say what happened for each interval of a pipeline, in the order of their starts.

    Runs belong together only if their intervals are equal: a run over a week is no run of its days.

    Parameters
    ----------
    runs : iterable of IntervalRun
        Runs of one pipeline, in any order. Runs without an interval are left out.
    due : iterable of TimeRange
        Intervals for which a run was due or was asked for.
    now : datetime, optional
        The clock, naive UTC. Without it, no interval is ``waiting``.
    expected : collection of TimeRange
        The intervals of the last due times of schedules, whose runs begin soon if they have not begun yet.
    present : mapping
        What a new run of the same interval would rest on, by the id of the run that counts (`Interval.run`). Runs that
        are not in it are not checked for changes.
    patience : timedelta
        Time after the end of an interval in which its data may still come, for datasets that are not in `latencies`.
    latencies : mapping
        How late the data of a dataset usually are, by its id.
    """
    by_span: dict[TimeRange, list[IntervalRun]] = {span: [] for span in due}
    listed = frozenset(by_span)
    for run in runs:
        if run.span is not None:
            by_span.setdefault(run.span, []).append(run)
    found = []
    for span in sorted(by_span, key=lambda span: (span.start, span.stop)):
        ordered = tuple(sorted(by_span[span], key=_age, reverse=True))
        state, reason = _judge(span, ordered, now, present, patience, latencies)
        if state == "missing" and span in expected:
            state, reason = "due", "its time has come, and no run has begun yet"
        found.append(Interval(span, ordered, span in listed, state, reason))
    return tuple(found)


def is_run_of(plan: Plan, run: IntervalRun) -> bool:
    """Return whether a run is of the same pipeline with the same values, except those of time."""
    values = {name: value for name, value in plan.values.items() if name not in plan.time_ranges}
    return run.pipeline == plan.pipeline_id and dict(run.values) == values


def present_bases(found: Iterable[Interval], plan: Plan, providers: Providers) -> dict[str, Basis]:
    """Return what new runs of the same intervals would rest on, by the id of the run that counts.

    Parameters
    ----------
    plan : Plan
        A plan of the present template, for any interval.
    providers : Providers
        They name the present files.
    """
    steps, tools = steps_of(plan.normalised), tools_of(plan.normalised)
    return {
        interval.run.id: present_basis(interval.run.basis, steps, tools, providers)
        for interval in found
        if interval.run is not None and interval.run.basis is not None
    }


def present_steps(runs: Iterable[IntervalRun], plan: Plan) -> dict[str, Basis]:
    """Return the steps and tools of new runs of the same intervals, by the id of the run; it asks for no files.

    Parameters
    ----------
    plan : Plan
        A plan of the present template, for any interval.
    """
    basis = Basis(steps_of(plan.normalised), tools_of(plan.normalised))
    return {run.id: basis for run in runs if run.basis is not None}


def _run_that_counts(runs: Sequence[IntervalRun]) -> IntervalRun | None:
    made = (run for run in runs if run.state in DONE)
    return next(made, runs[0] if runs else None)


def _judge(
    span: TimeRange,
    runs: Sequence[IntervalRun],
    now: datetime | None,
    present: Mapping[str, Basis],
    patience: timedelta,
    latencies: Mapping[str, Latency],
) -> tuple[State, str]:
    """Return the state of an interval whose runs are ordered, newest first, and the reason."""
    run = _run_that_counts(runs)
    if run is None:
        if now is not None and now < span.stop:
            return "waiting", f"the interval ends at {span.stop:%Y-%m-%d %H:%M} UTC"
        return "missing", "no run of this interval has a record"
    changes: tuple[str, ...] = ()
    if run.basis is not None and run.id in present and run.state in (*DONE, "no data", "failed"):
        changes = differences(run.basis, present[run.id])
    if changes and runs[0].state == "running":
        return "running", runs[0].reason
    if changes:
        return "stale", "; ".join(changes)
    if run.state == "no data" and now is not None:
        return _without_data(span, run, now, patience, latencies)
    return run.state, run.reason


def _without_data(
    span: TimeRange, run: IntervalRun, now: datetime, patience: timedelta, latencies: Mapping[str, Latency]
) -> tuple[State, str]:
    """Say whether data may still come for an interval without data: they may until the latest dataset is due."""
    latest = latest_of(run, latencies)
    if latest is None:
        return ("waiting" if now < span.stop + patience else "no data"), run.reason
    dataset_id, latency = latest
    if now < span.stop + latency.length:
        return "waiting", f"not published yet ({latency.in_words(dataset_id)}): {run.reason}"
    return "no data", f"gap: {run.reason} ({latency.in_words(dataset_id)})"


def latest_of(run: IntervalRun, latencies: Mapping[str, Latency]) -> tuple[str, Latency] | None:
    """Return the dataset with the longest latency among those without files for a run; None if none is known."""
    known = [
        (dataset_id, latencies[dataset_id]) for dataset_id in absent_from(run) if dataset_id in latencies
    ]
    return max(known, key=lambda pair: pair[1].length, default=None)


def absent_from(run: IntervalRun) -> tuple[str, ...]:
    """Return the ids of the datasets that had no files with records for a run."""
    files = {} if run.basis is None else run.basis.files
    return tuple(parts_of(name)[1] for name, listed in files.items() if not files_with_records(listed))


def with_step(run: IntervalRun, reason: str) -> str:
    """Return a reason with the step that failed."""
    return f"step {run.failed_step}: {reason}" if run.failed_step else reason


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
    variables = _variables_of(record)
    times = time_variables(record)
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
        state=state_of(status, {step["error"]["kind"] for step in failed if step["error"] is not None}),
        started_at=_naive(header["started_at"]),
        span=span,
        title=str(plan.get("name") or ""),
        values={name: value for name, value in header["values"].items() if name not in times},
        now=now,
        failed_step=str(failed[0]["step_id"]) if failed else "",
        reason=first["message"] if first else header.get("error", ""),
        advice=first["advice"] if first else "",
        transient=may_pass(first["kind"] if first else header.get("error_kind", "")),
        files=tuple(header.get("artefacts", ())),
        basis=read_basis(record, now),
        events=tuple(header.get("events", ())),
    )


def time_variables(record: RunRecord) -> list[str]:
    """Return the names of the time variables of a run; the first one has its interval.

    Raises
    ------
    DamagedRecord
        The record cannot be read.
    """
    names = (name for name, facts in _variables_of(record).items() if facts.get("type") == "time_range")
    return sorted(names, key=lambda name: (name != "$TIME_RANGE", name))


def _variables_of(record: RunRecord) -> dict[str, dict[str, Any]]:
    try:
        variables: dict[str, dict[str, Any]] = convert(
            record.plan.get("variables") or {}, dict[str, dict[str, Any]], "variables"
        )
    except WrongShape as error:
        raise DamagedRecord(f"the plan of run '{record.id}' is damaged: {error}") from error
    return variables


def _failed_steps(record: RunRecord) -> Sequence[StepRecord]:
    """Return the steps that failed; critical steps first."""
    failed = [step for step in record.readable_steps[0] if step["error"] is not None]
    return sorted(failed, key=lambda step: not step.get("critical", True))


def state_of(status: str, kinds: Set[str]) -> RunState:
    """Return the state of a run from the status in its record and the kinds of the errors of its steps.

    Raises
    ------
    DamagedRecord
        There is no such status.
    """
    match status:
        case "success":
            return "done"
        case "failed":
            return "no data" if is_without_data(kinds) else "failed"
        case "partial" | "running" | "cancelled" | "crashed":
            return status
        case _:
            raise DamagedRecord(f"a run cannot have the status '{status}'")


def is_without_data(kinds: Iterable[str]) -> bool:
    """Return whether the errors of a run, by the names of their classes, say only that there are no data."""
    names = set(kinds)
    return bool(names) and names <= set(_WITHOUT_DATA)


def _age(run: IntervalRun) -> tuple[datetime, str]:
    return run.started_at, run.id


def _naive(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
