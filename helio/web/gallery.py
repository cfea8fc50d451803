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
from helio.pipelines.runs.intervals import DONE, Interval, IntervalRun, intervals
from helio.pipelines.runs.latency import latencies_of
from helio.settings import Settings
from helio.store.runs import ArtefactRecord
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
    schedule : Schedule or None
        The schedule that runs it.
    next_run : datetime or None
        When the schedule runs it next, naive UTC.
    """

    name: str
    pipeline: str
    title: str
    intervals: tuple[Interval, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    schedule: Schedule | None = None
    next_run: datetime | None = None

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
        return Gallery(tuple(series for series in left if series.intervals or series.schedule), self.now)


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
    for pipeline, groups in by_values.items():
        for number, (values, members) in enumerate(groups.items()):
            scheduled = due.pop((pipeline, values), None)
            differing = _differing(members[0].values, groups) if len(groups) > 1 else {}
            suffix = f"--{_short(values)}" if number else ""
            series.append(
                Series(
                    name=safe_name(pipeline) + suffix,
                    pipeline=pipeline,
                    title=members[-1].title or pipeline,
                    intervals=_judged(members, scheduled, settings, now),
                    values=differing,
                    schedule=None if scheduled is None else scheduled.schedule,
                    next_run=_next_run(scheduled, now),
                )
            )
    for (pipeline, values), scheduled in due.items():  # schedules that have not run yet
        name = safe_name(pipeline) + (f"--{_short(values)}" if pipeline in by_values else "")
        series.append(
            Series(
                name, pipeline, pipeline, _judged((), scheduled, settings, now), schedule=scheduled.schedule,
                next_run=_next_run(scheduled, now),
            )
        )  # fmt: skip
    ordered = sorted(series, key=lambda item: (item.schedule is None, item.title.lower(), item.name))
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
) -> dict[tuple[str, str], _Scheduled]:
    """Return the schedule of each series with its due intervals."""
    found = {}
    schedules = Schedules(settings)
    for name in schedules.names():
        try:
            schedule = schedules.load(name)
            template = schedule.template(settings)
        except HelioError as error:
            log.warning("schedule %s: %s; the gallery leaves the schedule out", name, error.message)
            continue
        pipeline = str(template["id"])
        groups = by_values.get(pipeline, {})
        scheduled = {
            values: [run for run in members if _is_scheduled(schedule, run)]
            for values, members in groups.items()
        }
        # the series that the schedule has run last
        newest = {values: members[-1].started_at for values, members in scheduled.items() if members}
        values = max(newest, key=lambda text: newest[text]) if newest else next(iter(groups), "")
        written = written_at(settings.home, name)
        first = min((run.now for run in scheduled.get(values, ()) if run.now), default=written)
        begin, end = min(first, written) - timedelta(seconds=1), written if schedule.paused else now
        spans = dict(islice(schedule.slots_due(template, begin, end), MOST_DUE))
        if len(spans) == MOST_DUE:  # an hourly schedule of some years: only the newest
            begin = max(begin, end - (max(spans) - min(spans)))
            spans = dict(islice(schedule.slots_due(template, begin, end), MOST_DUE))
        found[pipeline, values] = _Scheduled(schedule, spans, last_run(settings.home, name))
    return found


@dataclass(frozen=True)
class _Scheduled:
    """A schedule, the interval of each of its due times, and its last run."""

    schedule: Schedule
    spans: Mapping[datetime, TimeRange]
    last: LastRun | None


def _judged(
    runs: Sequence[IntervalRun], scheduled: _Scheduled | None, settings: Settings, now: datetime
) -> tuple[Interval, ...]:
    """Say what happened for each interval of a series; a scheduled run that failed before it had a record, too."""
    if scheduled is None:
        return intervals(runs, now=now, latencies=latencies_of(runs, settings))
    spans, last = scheduled.spans, scheduled.last
    expected = spans[max(spans)] if spans and not scheduled.schedule.paused else None
    latencies = latencies_of(runs, settings, scheduled.schedule.usual_latency)
    found = intervals(runs, spans.values(), now=now, expected=expected, latencies=latencies)
    if last is None or last.run or last.status != "failed":
        return found
    failed = spans.get(datetime.fromisoformat(last.slot))
    return tuple(
        replace(interval, state="failed", reason=last.reason)
        if interval.span == failed and not interval.runs
        else interval
        for interval in found
    )


def _is_scheduled(schedule: Schedule, run: IntervalRun) -> bool:
    """Return whether a run's clock is exactly a due time of a schedule, as that of every scheduled run."""
    if run.now is None or run.now.second or run.now.microsecond:
        return False
    return next(slots(schedule.cron, schedule.timezone, run.now - timedelta(seconds=1))) == run.now


def _next_run(scheduled: _Scheduled | None, now: datetime) -> datetime | None:
    if scheduled is None or scheduled.schedule.paused:
        return None
    return scheduled.schedule.next_after(now)


def _differing(values: Mapping[str, Any], groups: Iterable[str]) -> dict[str, Any]:
    """Return the values that are not the same in all series of a pipeline."""
    others = [json.loads(text) for text in groups]
    return {
        name: value
        for name, value in values.items()
        if any(name not in other or other[name] != value for other in others)
    }


def _as_text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def utc_now() -> datetime:
    """Return the present, naive UTC, without fractions of a second."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0)
