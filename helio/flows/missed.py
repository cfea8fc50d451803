"""Find the scheduled runs that were missed while `helio serve` was not running."""

from __future__ import annotations

import fcntl
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from helio.counts import number_of
from helio.flows.last_runs import last_run
from helio.flows.schedule import Schedule, written_at
from helio.flows.slots import slots_between
from helio.store.files import write_whole
from helio.store.records import Count, NaiveInstant, read_if_whole

log = logging.getLogger(__name__)

EVERY = timedelta(minutes=1)
"""Time between two records of the fact that `helio serve` is running."""
MOST = 10_000
"""Maximum number of missed runs to count for one schedule."""


@dataclass(frozen=True)
class MissedSlots:
    """The missed runs of one schedule: they were due while neither `helio serve` nor the Prefect server was running."""

    count: Count
    first: NaiveInstant
    last: NaiveInstant
    noted_at: NaiveInstant

    def __str__(self) -> str:
        runs = number_of(self.count, "run was", "runs were")
        span = _shown(self.first) if self.count == 1 else f"{_shown(self.first)} to {_shown(self.last)}"
        return (
            f"{runs} missed, {span} UTC, because `helio serve` was not running; to run the pipeline for a "
            "missed time, use `helio run PIPELINE --now TIME`"
        )


@dataclass(frozen=True)
class ServeRecord:
    """Record of the time at which `helio serve` was last known to run, and of the runs that each schedule has missed.

    Parameters
    ----------
    seen : str
        Naive UTC, ISO 8601.
    missed : mapping
        The last missed runs, by the name of the schedule.
    """

    seen: NaiveInstant
    missed: Mapping[str, MissedSlots] = field(default_factory=dict)


def read_served(home: Path) -> ServeRecord | None:
    """Read the record; return None if `helio serve` never ran or if the record is damaged (this is logged)."""
    return read_if_whole(_path(home), ServeRecord, log, "helio cannot tell which earlier runs were missed")


def note_served(home: Path, now: datetime, missed: Mapping[str, MissedSlots] | None = None) -> None:
    """Record that `helio serve` is running now, and which runs were missed before."""
    before = read_served(home) or ServeRecord(now.isoformat())
    known = {
        name: slots
        for name, slots in {**before.missed, **(missed or {})}.items()
        if (home / "schedules" / f"{name}.json").exists()
    }
    served = replace(before, seen=now.replace(microsecond=0).isoformat(), missed=known)
    write_whole(_path(home), (json.dumps(asdict(served), indent=1) + "\n").encode())


def missed_slots(
    schedule: Schedule, since: datetime, now: datetime, made: Sequence[datetime]
) -> MissedSlots | None:
    """Return the times from `since` to `now` at which a run was due but did not happen; return None if there are none.

    Parameters
    ----------
    made : sequence of datetime
        The due times of the runs that were made, naive UTC.
    """
    if schedule.paused:
        return None
    due = islice(slots_between(schedule.cron, schedule.timezone, since, now), MOST)
    lost = [slot for slot in due if slot not in set(made)]
    if not lost:
        return None
    return MissedSlots(len(lost), lost[0].isoformat(), lost[-1].isoformat(), now.isoformat())


def unserved_since(served: ServeRecord, schedule: Schedule, home: Path) -> datetime:
    """Return when `helio serve` was last known to run, or when the schedule was written, whichever is later."""
    return max(datetime.fromisoformat(served.seen), written_at(home, schedule.name))


def missed_notes(schedule: Schedule, home: Path, now: datetime) -> list[str]:
    """Describe which runs of a schedule were missed, and which runs wait until `helio serve` starts."""
    served = read_served(home)
    if served is None:
        return []
    notes = [str(served.missed[schedule.name])] if schedule.name in served.missed else []
    seen = unserved_since(served, schedule, home)
    # A killed `helio serve` may have begun a run after it last recorded that it was running.
    last = last_run(home, schedule.name)
    if last is not None and (begun := datetime.fromisoformat(last.slot)) <= now:
        seen = max(seen, begun)
    waiting = None if is_served(home) else missed_slots(schedule, seen, now, ())
    if waiting is not None:
        runs = number_of(waiting.count, "run was", "runs were")
        notes.append(f"{runs} due since {seen:%Y-%m-%d %H:%M} UTC, but `helio serve` is not running")
    return notes


def is_served(home: Path) -> bool:
    """Return whether `helio serve` is running for this home folder."""
    try:
        lock = (home / "schedules" / ".serve.lock").open("r")
    except OSError:
        return False
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _path(home: Path) -> Path:
    return home / "schedules" / ".served.json"


def _shown(moment: str) -> str:
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M}"
