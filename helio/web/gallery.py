"""The content of the gallery: each pipeline with its intervals, from run records and schedules."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any

from helio.errors import HelioError
from helio.flows.last_runs import LastRun, last_run
from helio.flows.schedule import Schedule, Schedules, written_at
from helio.flows.slots import slots
from helio.pipelines.known import known_datasets
from helio.pipelines.library import Library
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.runs.basis import Basis
from helio.pipelines.runs.intervals import DONE, Interval, IntervalRun, intervals, present_steps
from helio.pipelines.runs.latency import latencies_of
from helio.settings import Settings
from helio.store.runs import ArtefactRecord, RunRecord
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

MOST_DUE = 20_000
"""Maximum number of due intervals of one schedule that the gallery looks at."""
LONGEST_MARKED = timedelta(days=400)
"""Longest interval that the calendars mark on each of its days."""
_SAME = ("json", "html")
"""Formats whose equal bytes show that two runs drew the same figure."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,150}")


@dataclass(frozen=True)
class Series:
    """The intervals of one pipeline with one set of values.

    Runs with other values, such as another spacecraft, belong to another series. The values of time variables do not
    count.

    Parameters
    ----------
    name : str
        Name of the folder of its pages.
    title : str
        The pipeline's name for readers.
    values : mapping
        Values that distinguish it from the other series of the pipeline; empty for the oldest series.
    schedules : tuple of Schedule
        The schedules that run it with these values.
    next_run : datetime or None
        When one of the schedules runs it next, naive UTC.
    looks : mapping
        How often and for how long `helio serve` looks again for data of an interval, as ``--late`` says it. Only
        intervals for which it still does.
    """

    name: str
    pipeline: str
    title: str
    intervals: tuple[Interval, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    schedules: tuple[Schedule, ...] = ()
    next_run: datetime | None = None
    looks: Mapping[TimeRange, str] = field(default_factory=dict)

    @property
    def latest(self) -> Interval | None:
        """Return the last interval with results."""
        return next(
            (
                interval
                for interval in reversed(self.intervals)
                if interval.run and interval.run.state in DONE
            ),
            None,
        )

    @cached_property
    def months(self) -> Mapping[tuple[int, int], Sequence[Interval]]:
        """Map each year and month to the intervals that have a part in it, in order; very long ones start in it."""
        months: dict[tuple[int, int], list[Interval]] = defaultdict(list)
        for interval in self.intervals:
            for month in _months_of(interval.span):
                months[month].append(interval)
        return months

    @cached_property
    def neighbours(self) -> Mapping[TimeRange, tuple[Interval | None, Interval | None]]:
        """Map each interval that has a run to the ones of a like length before and after it."""
        alike: dict[str, list[Interval]] = defaultdict(list)
        for interval in self.intervals:
            if interval.runs:
                alike[length_of(interval.span)].append(interval)
        return {
            interval.span: (before, after)
            for items in alike.values()
            for before, interval, after in zip([None, *items[:-1]], items, [*items[1:], None], strict=True)
        }


def length_of(span: TimeRange) -> str:
    """Return the length of an interval in words that are the same for all months, and for all years.

    Examples
    --------
    >>> length_of(TimeRange.from_iso("2024-02-01", "2024-03-01"))
    '1 month'
    >>> length_of(TimeRange.from_iso("2024-02-01", "2024-02-28"))
    '27 d'
    """
    days = span.duration / timedelta(days=1)
    if 28 <= days <= 31 and span.start.day == span.stop.day:
        return "1 month"
    if 365 <= days <= 366:
        return "1 year"
    return f"{days:g} d" if days >= 1 else f"{24 * days:g} h"


def _months_of(span: TimeRange) -> Iterator[tuple[int, int]]:
    """Yield each year and month that an interval touches; only the first month of a very long interval."""
    year, month = span.start.year, span.start.month
    last = max(span.stop - timedelta(microseconds=1), span.start)
    yield year, month
    while span.duration <= LONGEST_MARKED and (year, month) < (last.year, last.month):
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        yield year, month


@dataclass(frozen=True)
class Gallery:
    """All series: first those with a schedule, then by title."""

    series: tuple[Series, ...]
    now: datetime

    def after(self, since: datetime) -> Gallery:
        """Return the gallery without the intervals that end before a time, and without series that then have none."""
        left = [
            replace(
                series,
                intervals=tuple(interval for interval in series.intervals if interval.span.stop > since),
            )
            for series in self.series
        ]
        return Gallery(tuple(series for series in left if series.intervals or series.schedules), self.now)


def make_gallery(runs: Iterable[IntervalRun], settings: Settings, now: datetime) -> Gallery:
    """Arrange runs in series, and add the intervals for which a run was due.

    Parameters
    ----------
    now : datetime
        The present, naive UTC.
    """
    by_values: dict[str, dict[str, list[IntervalRun]]] = defaultdict(lambda: defaultdict(list))
    for run in _with_pictures(sorted(runs, key=lambda run: (run.started_at, run.id))):
        if run.span is not None:
            by_values[run.pipeline][_as_text(run.values)].append(run)
    due = _due(settings, by_values, now)
    series = []
    for pipeline in dict.fromkeys([*by_values, *(pipeline for pipeline, _ in due)]):
        groups = by_values.get(pipeline, {})
        texts = dict.fromkeys([*groups, *(values for name, values in due if name == pipeline)])
        for number, values in enumerate(texts):
            members, scheduled = groups.get(values, []), due.get((pipeline, values), [])
            schedules = tuple(timetable.schedule for timetable in scheduled)
            series.append(
                Series(
                    name=safe_name(pipeline) + (f"--{_short(values)}" if number else ""),
                    pipeline=pipeline,
                    title=(members[-1].title if members else "") or pipeline,
                    intervals=_judged(members, scheduled, settings, now),
                    values=_differing(json.loads(values), texts),
                    schedules=schedules,
                    next_run=min(
                        (schedule.next_after(now) for schedule in schedules if not schedule.paused),
                        default=None,
                    ),
                    looks=dict(_looks(scheduled, now)),
                )
            )
    ordered = sorted(series, key=lambda member: (not member.schedules, member.title.lower(), member.name))
    return Gallery(tuple(ordered), now)


def _with_pictures(runs: Sequence[IntervalRun]) -> Iterator[IntervalRun]:
    """Give each run without a PNG the PNG of another run that drew exactly the same figure."""
    drawn: dict[str, ArtefactRecord] = {}
    for run in runs:
        pictures = {str(file["step_id"]): file for file in run.files if file["kind"] == "png"}
        for file in run.files:
            if file["kind"] in _SAME and file["sha256"] and str(file["step_id"]) in pictures:
                drawn[file["sha256"]] = pictures[str(file["step_id"])]
    for run in runs:
        if any(file["kind"] == "png" for file in run.files):
            yield run
        else:
            yield replace(run, files=(*run.files, *_pictures_of(run, drawn)))


def _pictures_of(run: IntervalRun, drawn: Mapping[str, ArtefactRecord]) -> Iterator[ArtefactRecord]:
    same = {str(file["step_id"]): drawn[file["sha256"]] for file in run.files if file["sha256"] in drawn}
    for step_id, picture in same.items():
        yield {**picture, "step_id": step_id}


def safe_name(text: str) -> str:
    """Return a text if it can be a file name in an address; otherwise a name made from its digest.

    Examples
    --------
    >>> safe_name("gle73-particles"), safe_name("../secret")
    ('gle73-particles', 'xa6b096789d56')
    """
    return text if _SAFE.fullmatch(text) else "x" + _short(text)


def _due(
    settings: Settings, by_values: Mapping[str, Mapping[str, Sequence[IntervalRun]]], now: datetime
) -> dict[tuple[str, str], list[_Scheduled]]:
    """Return the schedules of each series with their due intervals."""
    found: dict[tuple[str, str], list[_Scheduled]] = defaultdict(list)
    schedules = Schedules(settings)
    for name in schedules.names():
        try:
            schedule = schedules.load(name)
            template = schedule.template(settings)
        except HelioError as error:
            log.warning("schedule %s: %s; the gallery leaves the schedule out", name, error.message)
            continue
        pipeline = str(template["id"])
        scheduled = {
            values: [run for run in members if _is_scheduled(schedule, run)]
            for values, members in by_values.get(pipeline, {}).items()
        }
        plan = _plan_of(schedule, settings, now)
        values = _values_of(plan, scheduled)
        written = written_at(settings.home, name)
        first = min((run.now for run in scheduled.get(values, ()) if run.now), default=written)
        begin, end = min(first, written) - timedelta(seconds=1), written if schedule.paused else now
        spans = dict(islice(schedule.slots_due(template, begin, end), MOST_DUE))
        if len(spans) == MOST_DUE:  # an hourly schedule of some years: only the newest
            begin = max(begin, end - (max(spans) - min(spans)))
            spans = dict(islice(schedule.slots_due(template, begin, end), MOST_DUE))
        found[pipeline, values].append(_Scheduled(schedule, plan, spans, last_run(settings.home, name)))
    return found


def _plan_of(schedule: Schedule, settings: Settings, now: datetime) -> Plan | None:
    """Plan a schedule's next run; None, which is logged, if it cannot be planned now."""
    try:
        return schedule.plan(settings, schedule.next_after(now), schedule.values)
    except HelioError as error:
        log.warning("schedule %s: %s", schedule.name, error.message)
        return None


def _values_of(plan: Plan | None, scheduled: Mapping[str, Sequence[IntervalRun]]) -> str:
    """Return the values with which a schedule runs its pipeline.

    If no run has these values, because the pipeline has changed, they are those of the last run of the schedule.

    Parameters
    ----------
    scheduled : mapping
        Runs at due times of the schedule, by their values; other schedules may have the same due times.
    """
    if plan is None:
        values = next(iter(scheduled), _as_text({}))
    else:
        values = _as_text(
            {name: value for name, value in plan.values.items() if name not in plan.time_ranges}
        )
    newest = {text: runs[-1].started_at for text, runs in scheduled.items() if runs}
    return max(newest, key=lambda text: newest[text]) if newest and values not in scheduled else values


@dataclass(frozen=True)
class _Scheduled:
    """A schedule, the plan of its next run, the interval of each of its due times, and its last run."""

    schedule: Schedule
    plan: Plan | None
    spans: Mapping[datetime, TimeRange]
    last: LastRun | None


def _judged(
    runs: Sequence[IntervalRun], scheduled: Sequence[_Scheduled], settings: Settings, now: datetime
) -> tuple[Interval, ...]:
    """Say what happened for each interval of a series; a scheduled run that failed before it had a record, too."""
    due = [span for timetable in scheduled for span in timetable.spans.values()]
    expected = {
        timetable.spans[max(timetable.spans)]
        for timetable in scheduled
        if timetable.spans and not timetable.schedule.paused
    }
    usual = [timetable.schedule.usual_latency for timetable in scheduled]
    latency = max((length for length in usual if length is not None), default=None)
    judged = intervals(
        runs,
        due,
        now=now,
        expected=expected,
        present=_present(runs, scheduled, settings, now),
        latencies=latencies_of(runs, settings, latency),
    )
    failed = {
        timetable.spans.get(datetime.fromisoformat(timetable.last.slot)): timetable.last.reason
        for timetable in scheduled
        if timetable.last is not None and not timetable.last.run and timetable.last.status == "failed"
    }
    return tuple(
        replace(interval, state="failed", reason=failed[interval.span])
        if interval.span in failed and not interval.runs
        else interval
        for interval in judged
    )


def _present(
    runs: Sequence[IntervalRun], scheduled: Sequence[_Scheduled], settings: Settings, now: datetime
) -> Mapping[str, Basis]:
    """Return the steps and tools on which new runs would rest; nothing if the present pipeline is unknown or invalid.

    The files of archives are not compared: `helio backfill` and the rules of the schedules do this.
    """
    plans = [timetable.plan for timetable in scheduled if timetable.plan is not None]
    if not runs:
        return {}
    try:
        plan = plans[0] if plans else _plan_again(runs[-1], settings, now)
    except HelioError as error:
        log.info("pipeline %s: %s; whether it has changed is unknown", runs[-1].pipeline, error.message)
        return {}
    return present_steps(runs, plan)


def _plan_again(run: IntervalRun, settings: Settings, now: datetime) -> Plan:
    """Plan the present pipeline with the values and the archive of a run.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, UnknownRun, DamagedRecord
    """
    shelf = Library(settings.templates)
    template = shelf.read(shelf.find(run.pipeline))
    header = RunRecord(settings.runs / run.id).whole_header
    archive = header.get("archive", "")
    return make_plan(
        template,
        now=now,
        values=header["values"],
        archive=archive,
        catalogue=known_datasets(settings.home, now, archive),
        pipelines=shelf.templates(),
        recorded=True,
    )


def _looks(scheduled: Sequence[_Scheduled], now: datetime) -> Iterator[tuple[TimeRange, str]]:
    """Yield the intervals of schedules whose data `helio serve` still looks for, with the rule."""
    for timetable in scheduled:
        rule = timetable.schedule.late_rule
        if rule is not None and not timetable.schedule.paused:
            for slot, span in timetable.spans.items():
                if now < slot + rule.within:
                    yield span, str(rule)


def _is_scheduled(schedule: Schedule, run: IntervalRun) -> bool:
    """Return whether a run's clock is exactly a due time of a schedule, as that of every scheduled run."""
    if run.now is None or run.now.second or run.now.microsecond:
        return False
    return next(slots(schedule.cron, schedule.timezone, run.now - timedelta(seconds=1))) == run.now


def _differing(values: Mapping[str, Any], groups: Iterable[str]) -> dict[str, Any]:
    """Return the values that are not the same in all series of a pipeline."""
    others = [json.loads(text) for text in groups]
    return {
        name: value
        for name, value in values.items()
        if any(name not in group or group[name] != value for group in others)
    }


def _as_text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def utc_now() -> datetime:
    """Return the present, naive UTC, without fractions of a second."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0)
