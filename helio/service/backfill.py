"""Make the missing, failed and stale intervals of a pipeline."""

from __future__ import annotations

import fcntl
import logging
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from helio.errors import Cancelled, HelioError, RequestError
from helio.flows.chunk_runs import ChunkRun
from helio.flows.schedule import Schedules
from helio.pipelines.library import Library
from helio.pipelines.plan import Plan
from helio.pipelines.runs.intervals import (
    DONE,
    Interval,
    IntervalRun,
    State,
    intervals,
    is_run_of,
    present_bases,
)
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.runs.latency import latencies_of
from helio.pipelines.runs.prepare import load_template, plan_of
from helio.pipelines.template.document import Document, digest
from helio.pipelines.template.files import Format
from helio.service.chunk import Chunk, Made
from helio.service.crew import Event, make_chunk
from helio.service.estimate import Estimate, estimate
from helio.settings import Settings
from helio.sources.allowance import in_words
from helio.sources.archives import absolute_archive, archives_of
from helio.sources.cdf import CdfReader
from helio.store.files import unwritable
from helio.store.work_keys import key_of
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

Choice = Literal["needed", "failed", "all"]
_ENDED_BADLY: frozenset[State] = frozenset({"failed", "crashed", "cancelled"})
CHOICES: Mapping[Choice, frozenset[State]] = {
    "needed": _ENDED_BADLY | {"missing", "due", "stale"},
    "failed": _ENDED_BADLY | {"no data", "waiting"},
    "all": _ENDED_BADLY | {"missing", "due", "stale", "no data", "waiting", "done", "partial"},
}
"""States of the intervals that each choice makes. Intervals that another process is making are never among them."""
ELSEWHERE = 60.0
"""Maximum seconds to wait at the end for intervals that another process is making."""


@dataclass(frozen=True)
class Backfill:
    """The intervals of a backfill, what was to do, and how it ended.

    Parameters
    ----------
    pipeline : str
        The id of the pipeline.
    intervals : tuple of Interval
        All intervals that were asked for, as they are now.
    to_do : tuple of TimeRange
        The intervals that had to be made.
    made : tuple of Made
        How each of them ended; empty for a dry run.
    output : Path
        The folder in which each interval has its own.
    notes : tuple of str
        What the user should know, such as an edit of the template meanwhile.
    page : str
        Address of the page of the engine; empty without one.
    """

    pipeline: str
    intervals: tuple[Interval, ...]
    to_do: tuple[TimeRange, ...]
    output: Path
    made: tuple[Made, ...] = ()
    notes: tuple[str, ...] = ()
    estimate: Estimate | None = None
    seconds: float = 0.0
    page: str = ""

    @property
    def counts(self) -> Mapping[State, int]:
        """Return the number of intervals in each state."""
        return Counter(interval.state for interval in self.intervals)

    @property
    def status(self) -> Literal["success", "partial", "failed"]:
        """Return ``success`` if each interval is done or has no data, ``failed`` if none is done, else ``partial``."""
        states = {interval.state for interval in self.intervals}
        if not states & {*DONE, "stale"}:
            return "failed"
        return "success" if states <= {"done", "no data", "waiting"} else "partial"

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {state}" for state, count in self.counts.items())
        return f"<Backfill of {self.pipeline!r}: {counts}; {len(self.made)} made>"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        to_do = set(self.to_do)
        return {
            "pipeline": self.pipeline,
            "status": self.status if self.estimate is None else "planned",
            "intervals": [
                {
                    "start": interval.span.start.isoformat(),
                    "stop": interval.span.stop.isoformat(),
                    "state": interval.state,
                    "reason": interval.reason,
                    "run": interval.run.id if interval.run else "",
                    "files": [str(file["file"]) for file in interval.run.files] if interval.run else [],
                    "to_do": interval.span in to_do,
                }
                for interval in self.intervals
            ],
            "made": len(self.made),
            "seconds": round(self.seconds, 3),
            "output": str(self.output),
            "notes": list(self.notes),
            "page": self.page,
            **({} if self.estimate is None else {"estimate": vars(self.estimate)}),
        }


@dataclass(frozen=True)
class BackfillRequest:
    """Request to make the intervals of a pipeline.

    Parameters
    ----------
    spans : tuple of TimeRange
        The intervals, in order.
    output : Path, optional
        The folder for the files; only runs that wrote their files there count. Default: every run counts, and new files
        are written to ``helio-runs/PIPELINE``.
    own_folder : str
        The name of the folder of the only interval, below `output`. Default: a name made from the time range.
    choice : "needed", "failed" or "all"
        Which intervals to make.
    max_download : int, optional
        Maximum bytes that all intervals together may download.
    engine : "prefect" or "direct"
    """

    pipeline: str | Path | Document
    spans: tuple[TimeRange, ...]
    now: datetime
    values: Mapping[str, Any] = field(default_factory=dict)
    archive: str = ""
    output: Path | None = None
    own_folder: str = ""
    formats: tuple[Format, ...] = ()
    choice: Choice = "needed"
    workers: int = 1
    engine: Literal["prefect", "direct"] = "direct"
    max_download: int | None = None
    offline: bool = False
    refresh: bool = False
    dry_run: bool = False


@dataclass(frozen=True)
class Progress:
    """The progress of a backfill.

    Parameters
    ----------
    done, total : int
        Intervals that have ended, and all that had to be made.
    seconds_left : float or None
        Estimated from the pace so far; None at the beginning.
    event : TimeRange or Made
        The interval that begins, or how one ended.
    """

    done: int
    total: int
    seconds_left: float | None
    event: Event


def backfill(
    request: BackfillRequest,
    settings: Settings,
    *,
    planned: Callable[[Backfill], None] = lambda backfill: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Backfill:
    """Make the intervals of a pipeline that have to be made, each as a run of its own.

    Parameters
    ----------
    planned : callable
        Called with the intervals and what is to do, before anything runs.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, RequestError
        Raised before anything has run.
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        Ctrl-C, or a person on the engine's page; finished intervals stay, and the same command goes on.
    """
    begun = time.monotonic()
    template = load_template(request.pipeline, settings)
    chunk, plan = _pinned(template, request, settings)
    judge = _Judge(request, chunk, plan, settings)
    intervals = judge.intervals()
    to_do = _chosen(intervals, request)
    result = Backfill(plan.pipeline_id, intervals, to_do, Path(chunk.output))
    if request.dry_run:
        return replace(
            result, estimate=estimate(chunk, to_do, judge.runs_anywhere(), request.workers, settings)
        )
    planned(result)
    made: tuple[Made, ...] = ()
    elsewhere = {interval.span for interval in intervals if interval.state == "running"}
    with _only_one(plan, settings) if to_do or elsewhere else nullcontext():
        if to_do:
            made, page = _make(
                replace(chunk, intervals=_as_texts(to_do)), plan, request, settings, on_progress
            )
            result, intervals = replace(result, page=page), judge.intervals()
        if elsewhere:
            intervals = judge.wait_for_others(intervals)
            given_up = tuple(span for span in _chosen(intervals, request) if span in elsewhere)
            if given_up:
                again = replace(chunk, intervals=_as_texts(given_up))
                made += _make(again, plan, request, settings, on_progress)[0]
                intervals = judge.intervals()
    return replace(
        result,
        intervals=_with_left(_with_refused(intervals, made), made, to_do, request),
        made=made,
        notes=_edited(request, template, settings),
        seconds=time.monotonic() - begun,
    )


def _chosen(intervals: Sequence[Interval], request: BackfillRequest) -> tuple[TimeRange, ...]:
    """Return the intervals to make: those in the chosen states that have ended."""
    states = CHOICES[request.choice]
    return tuple(
        interval.span
        for interval in intervals
        if interval.span.stop <= request.now
        and (interval.state in states or (request.choice == "failed" and _lacks_results(interval)))
    )


def _lacks_results(interval: Interval) -> bool:
    """Return whether all runs of an interval ended without results, also if its data have changed since."""
    return interval.state == "stale" and interval.run is not None and interval.run.state not in DONE


@contextmanager
def _only_one(plan: Plan, settings: Settings) -> Iterator[None]:
    """Refuse a second backfill of the same pipeline with the same values at the same time.

    Raises
    ------
    RequestError
    """
    name = key_of({"pipeline": plan.pipeline_id, "values": _fixed_values(plan)}).removeprefix("key:")[:16]
    path = settings.home / "backfills" / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a+")
    except OSError as error:
        raise unwritable(path, error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RequestError(
                f"another backfill of '{plan.pipeline_id}' is running",
                advice="wait until it has ended; to use more processes, stop it and use --workers",
            ) from None
        yield


def _pinned(template: Document, request: BackfillRequest, settings: Settings) -> tuple[Chunk, Plan]:
    """Return the chunk of all intervals, with the templates as they are now, and the plan of its last interval."""
    library = _Used(Library(settings.templates).templates())
    output = request.output or Path("helio-runs") / str(template["id"])
    chunk = Chunk(
        template=template,
        intervals=_as_texts(request.spans),
        now=request.now.isoformat(),
        output=str(output.absolute()),
        own_folder=request.own_folder,
        values=dict(request.values),
        archive=absolute_archive(request.archive),
        formats=request.formats,
        max_download=request.max_download,
        offline=request.offline,
        refresh=request.refresh,
    )
    plan = plan_of(replace(chunk.request(request.spans[-1]), pipelines=library), settings)
    return replace(chunk, pipelines=library.used), plan


def _scheduled_latency(plan: Plan, chunk: Chunk, now: datetime, settings: Settings) -> timedelta | None:
    """Return the longest latency that the user gave for a schedule of the same pipeline, values and archive."""
    schedules = Schedules(settings)
    latencies: list[timedelta] = []
    for name in schedules.names():
        try:
            schedule = schedules.load(name)
            if schedule.usual_latency is None or schedule.archive != chunk.archive:
                continue
            scheduled = schedule.plan(settings, now, schedule.values)
        except HelioError as error:
            log.info("schedule %s: %s; its latency does not count", name, error.message)
            continue
        if scheduled.pipeline_id == plan.pipeline_id and _fixed_values(scheduled) == _fixed_values(plan):
            latencies.append(schedule.usual_latency)
    return max(latencies, default=None)


def _fixed_values(plan: Plan) -> dict[str, Any]:
    """Return the values of a plan except those of time."""
    return {name: value for name, value in plan.values.items() if name not in plan.time_ranges}


class _Used(Mapping[str, Document]):
    """Templates by id, with a note of those that were read."""

    def __init__(self, templates: Mapping[str, Document]) -> None:
        self._templates = templates
        self.used: dict[str, Document] = {}

    def __getitem__(self, name: str) -> Document:
        self.used[name] = self._templates[name]
        return self.used[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)


def _as_texts(spans: Iterable[TimeRange]) -> tuple[tuple[str, str], ...]:
    return tuple((span.start.isoformat(), span.stop.isoformat()) for span in spans)


class _Judge:
    """The state of each interval of a backfill, from the records and the present files."""

    def __init__(self, request: BackfillRequest, chunk: Chunk, plan: Plan, settings: Settings) -> None:
        self._request = request
        self._chunk = chunk
        self._plan = plan
        self._settings = settings
        self._known = known_runs_of(settings)
        self._latency = _scheduled_latency(plan, chunk, request.now, settings)

    def runs(self) -> list[IntervalRun]:
        """Return the runs of this pipeline that count, of any interval."""
        return [run for run in self.runs_anywhere() if self._counts(run)]

    def runs_anywhere(self) -> list[IntervalRun]:
        """Return the runs of this pipeline with these values, with their files in any folder."""
        known = (known_run.run for known_run in self._known.read().values())
        return [run for run in known if run is not None and is_run_of(self._plan, run)]

    def intervals(self) -> tuple[Interval, ...]:
        """Return the intervals that were asked for, as they are now."""
        asked = frozenset(self._request.spans)
        runs = [run for run in self.runs() if run.span in asked]
        before = intervals(runs, asked, now=self._request.now)
        with CdfReader() as reader:
            archives = archives_of(self._settings, reader, self._chunk.archive, self._chunk.access)
            present = present_bases(before, self._plan, archives)
        latencies = latencies_of(self.runs_anywhere(), self._settings, self._latency)
        gone = {interval.span: _lost_file(interval.run) for interval in before if interval.run is not None}
        return tuple(
            replace(interval, state="stale", reason=gone[interval.span])
            if interval.state in DONE and gone.get(interval.span)
            else interval
            for interval in intervals(
                runs, asked, now=self._request.now, present=present, latencies=latencies
            )
        )

    def wait_for_others(self, intervals: tuple[Interval, ...]) -> tuple[Interval, ...]:
        """Wait a limited time until no other process is making one of the intervals."""
        end = time.monotonic() + ELSEWHERE
        pause = 0.1
        while any(interval.state == "running" for interval in intervals) and time.monotonic() < end:
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)
            intervals = self.intervals()
        return intervals

    def _counts(self, run: IntervalRun) -> bool:
        """Return whether a run has its files in the folder."""
        folder = self._request.output
        return (
            folder is None
            or not run.files
            or run.span is None
            or all(Path(file["file"]).parent == self._chunk.folder(run.span) for file in run.files)
        )


def _lost_file(run: IntervalRun) -> str:
    """Return why a run must be repeated although nothing has changed: a file that it wrote was deleted."""
    lost = next((file["file"] for file in run.files if not os.path.exists(file["file"])), None)
    return f"its file {lost} was deleted" if lost else ""


def _make(
    chunk: Chunk,
    plan: Plan,
    request: BackfillRequest,
    settings: Settings,
    on_progress: Callable[[Progress], None],
) -> tuple[tuple[Made, ...], str]:
    """Make all intervals of a chunk; return how they ended, and the address of their page on the engine."""
    total = len(chunk.intervals)
    if chunk.max_download is not None and not chunk.ledger:
        with _ledger(settings) as ledger:
            return _make(replace(chunk, ledger=str(ledger)), plan, request, settings, on_progress)
    begun = time.monotonic()
    done = 0
    shown = ChunkRun(plan, total, _in_words(chunk.spans), settings) if request.engine == "prefect" else None
    with shown or nullcontext():

        def note(event: Event) -> None:
            nonlocal done
            if shown is not None:
                if isinstance(event, Made):
                    state = "cancelled" if event.is_left else event.state
                    shown.ended(event.span, state, event.reason, event.picture, line=str(event))
                else:
                    shown.begun(event)
            done += isinstance(event, Made)
            left = (time.monotonic() - begun) / done * (total - done) if done else None
            on_progress(Progress(done, total, left, event))

        try:
            made = make_chunk(
                chunk,
                settings,
                workers=request.workers,
                on_event=note,
                stopped=shown.is_stopped if shown is not None else lambda: False,
            )
        except KeyboardInterrupt as error:
            raise _cancelled() from error
        if len(made) < total and not any(ending.is_left for ending in made):
            raise _cancelled()
    return made, shown.page if shown is not None else ""


@contextmanager
def _ledger(settings: Settings) -> Iterator[Path]:
    """Make a file in which the processes of a backfill count what they download."""
    with tempfile.NamedTemporaryFile(dir=settings.home, prefix=".ledger-", mode="w") as file:
        yield Path(file.name)


def _in_words(spans: Sequence[TimeRange]) -> str:
    """Return what intervals cover from the first to the last, as ``2015-01-01/2025-01-01``."""
    return str(TimeRange(spans[0].start, spans[-1].stop)).replace(" to ", "/")


def _cancelled() -> Cancelled:
    return Cancelled(
        "the backfill was stopped",
        advice="run the same command again to continue; finished intervals are kept",
    )


def _with_refused(intervals: tuple[Interval, ...], made: Sequence[Made]) -> tuple[Interval, ...]:
    """Give intervals whose run could not begin, and so have no record, the reason."""
    refused = {ending.span: ending for ending in made if not ending.run}
    return tuple(
        replace(interval, state="failed", reason=refused[interval.span].reason)
        if interval.span in refused and interval.state == "missing"
        else interval
        for interval in intervals
    )


def _with_left(
    intervals: tuple[Interval, ...],
    made: Sequence[Made],
    to_do: Sequence[TimeRange],
    request: BackfillRequest,
) -> tuple[Interval, ...]:
    """Mark the intervals that were not made because the limit of downloads was reached."""
    if not any(ending.is_left for ending in made) or request.max_download is None:
        return intervals
    left = set(to_do) - {ending.span for ending in made if not ending.is_left}
    limit = in_words(request.max_download)
    reason = (
        f"the limit of {limit} for all downloads is reached; run the same command again to continue, or set a larger "
        "--max-download"
    )
    return tuple(
        replace(interval, state="left", reason=reason) if interval.span in left else interval
        for interval in intervals
    )


def _edited(request: BackfillRequest, template: Document, settings: Settings) -> tuple[str, ...]:
    """Say that the template was edited or removed during the backfill."""
    if isinstance(request.pipeline, dict):
        return ()
    try:
        present = digest(load_template(request.pipeline, settings))
    except HelioError:
        present = ""
    if present == digest(template):
        return ()
    return (
        "the pipeline was edited meanwhile: all runs used its template as it was at the beginning; run the same "
        "command again to make the intervals with the new one",
    )
