"""Run intervals of a schedule again: when late data have come, and when data or the pipeline have changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from helio.errors import RequestError
from helio.pipelines.template.retries import Retries
from helio.time_range import Duration, TimeRange

if TYPE_CHECKING:
    from helio.flows.schedule import Schedule
    from helio.flows.serve import SlotRun
    from helio.pipelines.runs.intervals import Interval, IntervalRun
    from helio.pipelines.runs.session import Engine, Processes
    from helio.settings import Settings

DAILY = timedelta(days=1)
RETRIES = 1
"""Maximum number of further attempts for a step, if neither the step nor the schedule names another. A step is repeated
only after an error that may pass; HTTP requests have their own attempts."""
USUAL_RETRIES = Retries(RETRIES)
LEAST = timedelta(minutes=1)
"""Minimum time between two attempts, to be polite to archives."""
_RULE = re.compile(r"(?:(?:retry|every)? ?(?P<every>\S+) )?for (?P<span>\S+)")


@dataclass(frozen=True)
class Again:
    """How often to try an interval again, and for how long after the time for which it was scheduled.

    Parameters
    ----------
    every, within : timedelta

    Examples
    --------
    >>> str(Again.read("retry 1h for 3d")), str(Again.read("for 60d"))
    ('1h for 3d', '1d for 60d')
    """

    every: timedelta
    within: timedelta

    @classmethod
    def read(cls, text: str) -> Again:
        """Read a rule such as ``"1h for 3d"`` or ``"for 60d"``, which means once a day.

        Raises
        ------
        RequestError
        """
        match = _RULE.fullmatch(" ".join(text.split()))
        if match is None:
            raise RequestError(
                f"'{text[:60]}' does not say how often and for how long",
                advice="write, for example, '1h for 3d', or 'for 60d' for once a day",
            )
        every = _length(match["every"]) if match["every"] else DAILY
        within = _length(match["span"])
        if every < LEAST:
            raise RequestError(f"'{text}' would try again too often", advice="wait at least 1min")
        if within < every:
            raise RequestError(
                f"'{text}' ends before the first attempt", advice=f"write '{match['every'] or '1d'} for 3d'"
            )
        return cls(every, within)

    def __str__(self) -> str:
        return f"{in_words(self.every)} for {in_words(self.within)}"


@dataclass(frozen=True)
class Slot:
    """An interval of a schedule to run again.

    Parameters
    ----------
    at : datetime
        The time for which it was scheduled, naive UTC. The clock of its run.
    reason : str
        Why it is to run again.
    """

    at: datetime
    span: TimeRange
    reason: str


def slots_to_run(
    scheduled: Mapping[TimeRange, datetime],
    found: Iterable[Interval],
    now: datetime,
    *,
    late: Again | None = None,
    remake: Again | None = None,
) -> Iterator[Slot]:
    """Choose the intervals of a schedule that should run again, in their order.

    Parameters
    ----------
    scheduled : mapping
        The time for which each interval was scheduled, naive UTC.
    found : iterable of Interval
        What happened for the intervals, and whether files have changed since.
    now : datetime
        Naive UTC.
    late : Again, optional
        Rule for intervals without results: their data came later than their run, a server could not be reached, or
        nobody ran them.
    remake : Again, optional
        Rule for intervals with results: their files, their pipeline or its tools have changed.
    """
    from helio.pipelines.runs.intervals import DONE

    for interval in found:
        at, run = scheduled.get(interval.span), interval.run
        rule = remake if run is not None and run.state in DONE else late
        if at is None or rule is None or not at <= now <= at + rule.within:
            continue
        if interval.runs and timedelta() <= now - interval.runs[0].started_at < rule.every:
            continue
        if interval.state in ("stale", "missing") or (interval.runs and _may_pass(interval.runs[0])):
            yield Slot(at, interval.span, interval.reason)


def _may_pass(run: IntervalRun) -> bool:
    """Return whether a run could succeed later although helio knows of no change."""
    if run.state == "no data":
        return run.basis is None or not run.basis.files
    return run.state == "crashed" or (run.state == "failed" and run.transient)


def find_slots(
    schedule: Schedule, settings: Settings, now: datetime, processes: Processes | None = None
) -> list[Slot]:
    """Compare what happened for the intervals of a schedule with the present files, pipeline and tools.

    Parameters
    ----------
    now : datetime
        Naive UTC.
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes.

    Returns
    -------
    list of Slot
        The intervals to run again, in their order. Of those from before the schedule was written, only those that
        have a run.

    Raises
    ------
    UnknownPipeline, InvalidTemplate
        No run of the schedule is possible now.
    """
    from helio.flows.schedule import written_at
    from helio.pipelines.runs.intervals import intervals, is_run_of, present_bases
    from helio.pipelines.runs.known_runs import known_runs_of
    from helio.pipelines.runs.latency import latencies_of
    from helio.sources.archives import archives_of
    from helio.sources.cdf import CdfReader

    late, remake = schedule.late_rule, schedule.remake_rule
    windows = [rule.within for rule in (late, remake) if rule is not None]
    if not windows:
        return []
    template = schedule.template(settings)
    scheduled = {span: at for at, span in schedule.slots_due(template, now - max(windows), now)}
    if not scheduled:
        return []
    plan = schedule.plan(settings, now, schedule.values)
    known = (known_run.run for known_run in known_runs_of(settings).read().values())
    runs = [run for run in known if run is not None and run.span in scheduled and is_run_of(plan, run)]
    last = max(scheduled, key=lambda span: scheduled[span])
    patience = late.within if late is not None else timedelta()
    with CdfReader() if processes is None else nullcontext(processes.reader) as reader:
        providers = archives_of(settings, reader, schedule.archive)
        present = present_bases(intervals(runs, scheduled), plan, providers)
    latencies = latencies_of(runs, settings, schedule.usual_latency)
    found = intervals(
        runs, scheduled, now=now, expected=(last,), present=present, patience=patience, latencies=latencies
    )
    added = written_at(settings.home, schedule.name)
    return [
        slot
        for slot in slots_to_run(scheduled, found, now, late=late, remake=remake)
        if slot.at >= added or slot.span in {run.span for run in runs}
    ]


def run_again(
    name: str,
    settings: Settings,
    now: datetime,
    on_run: Callable[[Slot, SlotRun], None] = lambda slot, ended: None,
    *,
    engine: Callable[[], Engine] | None = None,
    processes: Processes | None = None,
) -> int:
    """Run the intervals of a schedule again that `find_slots` names, one after another.

    Parameters
    ----------
    name : str
        Name of the schedule.
    now : datetime
        Naive UTC. The clock of each run is the time for which its interval was scheduled.
    on_run : callable
        Called after each run.
    engine : callable, optional
        Returns the engine of each run. Default: Prefect.
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes for each run.

    Returns
    -------
    int
        Number of runs without results.

    Raises
    ------
    HelioError
        The schedule, its pipeline or the engine's server cannot be used.
    """
    from helio.flows.last_runs import noted_run
    from helio.flows.prefect import PrefectEngine
    from helio.flows.schedule import Schedules
    from helio.flows.serve import run_slot

    schedule = Schedules(settings).load(name)
    failed = 0
    for slot in find_slots(schedule, settings, now, processes):
        with noted_run(settings.home, name, slot.at) as on_end:
            plan = schedule.plan(settings, slot.at, schedule.values)
            runner = engine() if engine is not None else PrefectEngine.of_schedule(schedule, settings)
            ended = run_slot(schedule, plan, settings, runner, on_end, processes)
        failed += ended.run.status == "failed"
        on_run(slot, ended)
    return failed


def _length(text: str) -> timedelta:
    return timedelta(microseconds=Duration(text).nanoseconds / 1000)


def read_length(text: str) -> timedelta:
    """Read a length of time, such as ``"3d"``.

    Raises
    ------
    RequestError
    """
    return _length(text.strip())


def in_words(length: timedelta) -> str:
    """Write a length of time as the grammar of durations does: ``"3d"``."""
    return str(Duration(f"{length // timedelta(microseconds=1)}us"))
