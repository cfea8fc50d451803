"""Say how the schedules of a home folder do, from files alone: no engine and no server is needed."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from shlex import join
from typing import Any, Literal

from helio.counts import number_of
from helio.errors import DamagedRecord, HelioError, UnknownRun
from helio.flows.last_runs import LastRun, judged, last_run
from helio.flows.missed import is_served
from helio.flows.schedule import Schedule, Schedules, written_at
from helio.flows.server import Server
from helio.flows.slots import slots_between
from helio.pipelines.runs.intervals import read_run
from helio.service.kept import Kept, last_housekeeping
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.process import Process, this_process
from helio.store.records import Count, NaiveInstant, read_if_whole
from helio.store.runs import Runs

log = logging.getLogger(__name__)

BEAT = timedelta(seconds=10)
"""Time between two writings of the heartbeat."""
SILENT = timedelta(minutes=2)
"""Age of the heartbeat at which `helio serve` no longer works, although its process is there."""
GRACE = timedelta(minutes=30)
"""Time after a due time in which its run should have begun."""
LONG = timedelta(days=3)
"""Time without results after which waiting for late data is a problem."""
DAY = timedelta(days=1)
"""Time after the usual latency of its data from which waiting is a problem."""
LEAST_DISK = 2 * 10**9
"""Free bytes below which the disk is nearly full."""
MOST = 10_000
"""Maximum number of due runs to count."""
State = Literal["ok", "never run", "running", "waiting", "no data", "failing", "overdue", "paused", "damaged"]


@dataclass(frozen=True)
class Heartbeat:
    """Sign of life that `helio serve` writes every ten seconds.

    Parameters
    ----------
    seen : str
        Naive UTC, ISO 8601.
    running, paused : list of str
        Schedules whose runs are running, and schedules that are paused on the engine's pages.
    """

    seen: NaiveInstant
    process: Process
    running: list[str]
    paused: list[str]


def write_heartbeat(home: Path, now: datetime, running: list[str], paused: list[str]) -> None:
    """Write the heartbeat of this process.

    Raises
    ------
    OutputError
        The folder cannot be written, or the disk is full.
    """
    beat = Heartbeat(now.replace(microsecond=0).isoformat(), this_process(), running, paused)
    write_whole(heartbeat_file(home), (json.dumps(asdict(beat), indent=1) + "\n").encode(), durable=False)


def read_heartbeat(home: Path) -> Heartbeat | None:
    """Read the heartbeat; None if `helio serve` never ran, or if the file is damaged, which is logged."""
    return read_if_whole(
        heartbeat_file(home), Heartbeat, log, "helio cannot tell when `helio serve` was last seen"
    )


def heartbeat_file(home: Path) -> Path:
    """Return the file of the heartbeat, whose age a monitor may check."""
    return home / "schedules" / ".heartbeat.json"


@dataclass(frozen=True)
class ScheduleStatus:
    """How one schedule does.

    Parameters
    ----------
    state : str
        ``waiting``, ``no data``: as the gallery shows the interval of the last run. ``overdue``: a due run has not
        begun for half an hour.
    last_success : str
        The time for which the last run with results was scheduled, naive UTC; empty if there is none.
    lag_seconds : float
        Time since the first run that was due after the last success; 0 if none was due.
    due_since : int
        Number of runs that were due since the last success, at most 10,000.
    next_run : str
        Naive UTC; empty for a paused or damaged schedule.
    failures : int
        Number of failed runs since the last success.
    reason : str
        Why the last run failed, or what is damaged.
    remedy : str
        What to do; empty if nothing is to be done.
    run : str
        The id of the last run's record.
    latency_seconds : float
        Time after an interval within which its data usually appear; 0 if it is unknown.
    looks_again : bool
        Whether helio looks again by itself for data that were not there.
    """

    name: str
    state: State
    last_success: str = ""
    lag_seconds: float = 0.0
    due_since: Count = 0
    next_run: str = ""
    failures: Count = 0
    reason: str = ""
    remedy: str = ""
    run: str = ""
    latency_seconds: float = 0.0
    looks_again: bool = False

    @property
    def is_problem(self) -> bool:
        """Return whether a person should look at it."""
        patience = max(LONG.total_seconds(), self.latency_seconds + DAY.total_seconds())
        return self.state in ("failing", "overdue", "damaged") or (
            self.state in ("waiting", "no data") and (not self.looks_again or self.lag_seconds > patience)
        )


@dataclass(frozen=True)
class Status:
    """How all schedules of a home folder do.

    Parameters
    ----------
    served : bool
        Whether `helio serve` runs.
    seen_seconds : float or None
        Age of its heartbeat; None without one.
    engine_up : bool
        Whether the engine's server answers.
    disk_free : int
        Free bytes on the disk of the home folder.
    quota : int or None
        Bytes that the home may have; None without a quota.
    housekeeping : Kept or None
        The last housekeeping, with the bytes of the home; None if there was none yet.
    running, queued : int
        Schedules whose runs are running, and schedules whose run is due and has not begun.
    """

    home: str
    served: bool
    seen_seconds: float | None
    engine_up: bool
    disk_free: int
    quota: int | None
    housekeeping: Kept | None
    running: int
    queued: int
    schedules: tuple[ScheduleStatus, ...]

    @property
    def problems(self) -> tuple[tuple[str, str, str], ...]:
        """List what a person should look at: the subject, what is wrong, and what to do."""
        found = [
            (f"schedule {schedule.name}", problem_of(schedule), schedule.remedy)
            for schedule in self.schedules
            if schedule.is_problem
        ]
        needs_serve = any(schedule.state not in ("paused", "damaged") for schedule in self.schedules)
        if needs_serve and not self.served:
            found.append(("serve", "`helio serve` is not running", "start `helio serve`"))
        elif self.served and self.seen_seconds is not None and self.seen_seconds > SILENT.total_seconds():
            words = f"`helio serve` was last seen {in_words(self.seen_seconds)} ago"
            found.append(("serve", words, "stop it and start it again; its log says what it waits for"))
        if self.disk_free < LEAST_DISK:
            free = f"{self.disk_free / 1e9:.1f} GB are free on the disk of {self.home}"
            found.append(
                ("disk", free, "delete results that no run uses: helio gc --older-than 90d --delete")
            )
        if self.quota is not None and self.housekeeping is not None and self.housekeeping.used > self.quota:
            used = f"the home has {in_gigabytes(self.housekeeping.used)}, more than its quota"
            remedy = "keep less: HELIO_KEEP_RUNS, HELIO_KEEP_FIGURES; or set a larger HELIO_QUOTA"
            found.append(("quota", f"{used} of {in_gigabytes(self.quota)}", remedy))
        if self.housekeeping is not None and self.housekeeping.trouble:
            found.append(("housekeeping", self.housekeeping.trouble, "run `helio gc` to see what is wrong"))
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        problems = [
            {"subject": subject, "problem": what, "remedy": remedy} for subject, what, remedy in self.problems
        ]
        last = self.housekeeping
        housekeeping = last and {**asdict(last), "next": last.next.isoformat()}
        return {
            **asdict(self),
            "housekeeping": housekeeping,
            "well": not problems,
            "problems": problems,
        }


def read_status(settings: Settings, now: datetime | None = None) -> Status:
    """Read how the schedules do, from the files of the home folder.

    Parameters
    ----------
    now : datetime, optional
        Naive UTC; the clock by default.
    """
    home, now = settings.home, now or settings.clock.utc()
    served, beat = is_served(home), read_heartbeat(home)
    paused = beat.paused if beat is not None and served else []
    schedules = tuple(_schedules(settings, now, paused))
    exists = next(path for path in (home, *home.parents) if path.exists())
    return Status(
        home=str(home),
        served=served,
        # A heartbeat of the future is as wrong as an old one: the clock has gone back, and none has come since.
        seen_seconds=None if beat is None else abs((now - datetime.fromisoformat(beat.seen)).total_seconds()),
        engine_up=Server(home, settings.environ).is_up(),
        disk_free=shutil.disk_usage(exists).free,
        quota=settings.retention.quota,
        housekeeping=last_housekeeping(home),
        running=sum(schedule.state == "running" for schedule in schedules),
        queued=sum(schedule.state == "overdue" for schedule in schedules),
        schedules=schedules,
    )


def _schedules(settings: Settings, now: datetime, paused: list[str]) -> Iterator[ScheduleStatus]:
    known = Schedules(settings)
    for name in known.names():
        try:
            schedule = known.load(name)
        except HelioError as error:  # one damaged record does not hide the others
            yield ScheduleStatus(name, "damaged", reason=error.message, remedy=error.advice)
        else:
            with suppress(FileNotFoundError):  # removed meanwhile
                yield schedule_status(schedule, settings.home, now, paused=name in paused)


def schedule_status(schedule: Schedule, home: Path, now: datetime, *, paused: bool = False) -> ScheduleStatus:
    """Say how one schedule does, from the record of its last run.

    Parameters
    ----------
    now : datetime
        Naive UTC.
    paused : bool
        Whether it is paused on the engine's pages.
    """
    last = last_run(home, schedule.name)
    last = last and judged(last, home, now)
    succeeded = last.last_success if last is not None else ""
    since = datetime.fromisoformat(succeeded) if succeeded else written_at(home, schedule.name)
    due = list(islice(slots_between(schedule.cron, schedule.timezone, since, now), MOST))
    begun = datetime.fromisoformat(last.slot) if last is not None else None
    unbegun = [slot for slot in due if (begun is None or slot > begun) and now - slot > GRACE]
    state: State
    reason, remedy = "", ""
    if schedule.paused or paused:
        state = "paused"
        remedy = (
            f"helio schedule resume {schedule.name}" if schedule.paused else "resume it on the engine's page"
        )
        reason = "" if schedule.paused else "paused on the engine's page"
    elif last is not None and last.state == "running":
        state = "running"
    elif last is not None and last.state in ("waiting", "no data"):
        state, reason = "waiting" if last.state == "waiting" else "no data", last.reason
        remedy = "look at the archive's page: are these data published later, or not at all?"
        if not schedule.late:
            remedy = (
                "helio does not look for these data again; if they come late, give the schedule a rule such as "
                f"--late '1h for 3d'; run it now: {_command(schedule, last)}"
            )
    elif last is not None and last.failures_in_a_row:
        state, reason = "failing", last.reason or "the process of the run ended before the run"
        remedy = _remedy(schedule, last, home, now)
    elif unbegun:
        state = "overdue"
        reason = f"the run of {unbegun[-1]:%Y-%m-%d %H:%M} UTC has not begun"
        remedy = (
            "start `helio serve`; if it runs, look at its log, at the free space on the disk, and at the engine's "
            "page: helio up"
        )
    else:
        state = "ok" if succeeded else "never run"
    return ScheduleStatus(
        name=schedule.name,
        state=state,
        last_success=succeeded,
        lag_seconds=(now - due[0]).total_seconds() if due else 0.0,
        due_since=len(due),
        next_run="" if state == "paused" else schedule.next_after(now).isoformat(),
        failures=last.failures_in_a_row if last is not None else 0,
        reason=reason,
        remedy=remedy,
        run=last.run if last is not None else "",
        latency_seconds=last.latency if last is not None else 0.0,
        looks_again=bool(schedule.late),
    )


def _remedy(schedule: Schedule, last: LastRun, home: Path, now: datetime) -> str:
    """Return what to do about a run that failed: what its error advises, whether helio tries again, where to look."""
    may_pass, advice = last.state == "crashed", last.advice
    if last.run:
        try:
            failed = read_run(Runs(home / "runs").load(last.run))
            may_pass, advice = failed.transient, failed.advice
        except (DamagedRecord, UnknownRun) as error:
            log.info("%s; its advice is unknown", error.message)
    late = schedule.late_rule
    tries = late is not None and may_pass and now < datetime.fromisoformat(last.slot) + late.within
    remedies = (
        advice,
        f"helio tries again by itself, {late}; at once: helio schedule again {schedule.name}"
        if tries
        else "",
        f"helio runs show {last.run}"
        if last.run
        else ""
        if tries
        else f"run it now: {_command(schedule, last)}",
    )
    return "; ".join(remedy for remedy in remedies if remedy)


def _command(schedule: Schedule, last: LastRun) -> str:
    """Return the command that runs a schedule's pipeline for the time of its last run."""
    words = ["helio", "run", schedule.pipeline, "--now", last.slot]
    for name, value in schedule.values.items():
        words += (
            ["-t", str(value)] if name == "$TIME_RANGE" else ["--set", f"{name.removeprefix('$')}={value}"]
        )
    return join([*words, "--archive", schedule.archive] if schedule.archive else words)


def problem_of(schedule: ScheduleStatus) -> str:
    """Say in words what is wrong with a schedule."""
    words = {"failing": f"{number_of(schedule.failures, 'run')} failed", "waiting": "no data yet"}
    what = words.get(schedule.state, schedule.state)
    since = f" since {schedule.last_success[:16].replace('T', ' ')} UTC" if schedule.last_success else ""
    return f"{what}{since}{f': {schedule.reason}' if schedule.reason else ''}"


def in_gigabytes(size: int) -> str:
    """Write a number of bytes in GB, or in MB if it is small."""
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"


def in_words(seconds: float) -> str:
    """Write a length of time roughly: ``3 s``, ``12 min``, ``5 h``, ``2 d``.

    >>> in_words(3.2), in_words(90), in_words(7300), in_words(200_000)
    ('3 s', '2 min', '2 h', '2 d')
    """
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length * (1 if unit == "min" else 2):
            return f"{round(seconds / length)} {unit}"
    return f"{max(round(seconds), 0)} s"
