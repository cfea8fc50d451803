"""Record how the last run of each schedule ended, for `helio schedule list`."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from helio.errors import Cancelled, DamagedRecord, HelioError
from helio.store.files import write_whole
from helio.store.process import Process, this_process
from helio.store.records import Count, NaiveInstant, NaiveInstantOrEmpty, Seconds, read_record

log = logging.getLogger(__name__)


class OnEnd(Protocol):
    """Function to call when a run ends."""

    def __call__(self, run: str, status: str, reason: str, latency: timedelta = timedelta()) -> None:
        """Note the run's id, its status, the reason for a failure, and how late its data usually are, if known."""
        ...


@dataclass(frozen=True)
class LastRun:
    """The last run of a schedule, and how it ended.

    Parameters
    ----------
    slot : str
        The time for which it was scheduled, naive UTC.
    status : str
        ``"running"``, ``"success"``, ``"partial"``, ``"failed"``, ``"cancelled"``, or ``"waiting"`` for late data.
    process : Process
        The process that runs it.
    run : str
        The id of its record; empty if it failed before it had one.
    reason : str
        Why it failed; otherwise empty.
    succeeded : str
        The time for which the last run with results was scheduled, naive UTC; empty if there is none.
    failures : int
        Number of failed runs since then.
    advice : str
        What to do about the failure, if the run failed before it had a record; otherwise empty.
    latency : float
        Seconds after an interval within which its data usually appear; 0 if it is unknown.
    """

    slot: NaiveInstant
    status: str
    process: Process
    run: str = ""
    reason: str = ""
    succeeded: NaiveInstantOrEmpty = ""
    failures: Count = 0
    advice: str = ""
    latency: Seconds = 0.0

    @property
    def state(self) -> str:
        """Return the status of the run; return ``"crashed"`` if its process ended without recording a status."""
        return "crashed" if self.status == "running" and self.process.fate == "gone" else self.status

    @property
    def last_success(self) -> str:
        """Return the time for which the last run with results was scheduled; empty if there is none."""
        return self.slot if self.status in ("success", "partial") else self.succeeded

    @property
    def failures_in_a_row(self) -> int:
        """Return the number of runs that failed or crashed since the last success."""
        return self.failures + (self.state == "crashed")

    def __str__(self) -> str:
        ended = f"{datetime.fromisoformat(self.slot):%Y-%m-%d %H:%M} UTC, {self.state}"
        return f"{ended}: {self.reason}" if self.reason else ended

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for ``--json``."""
        return {"slot": self.slot, "state": self.state, "run": self.run, "reason": self.reason}


def last_run(home: Path, schedule: str) -> LastRun | None:
    """Read the record of a schedule's last run; return None if there is none, or if it is damaged, which is logged."""
    try:
        return read_record(_path(home, schedule), LastRun)
    except FileNotFoundError:
        return None
    except DamagedRecord as error:
        log.warning("%s; the last run of '%s' is unknown", error.message, schedule)
        return None


@contextmanager
def noted_run(home: Path, schedule: str, slot: datetime) -> Iterator[OnEnd]:
    """Record that a schedule's run begins now; the returned function records how the run ended.

    The record stays as it is if a run with a later slot is in it.

    Parameters
    ----------
    slot : datetime
        The time for which the run was scheduled, naive UTC.

    Yields
    ------
    callable
        Notes the end of a run that has a record. A `HelioError` within the context is noted by itself.
    """
    begun = LastRun(slot.isoformat(), "running", this_process())

    before = last_run(home, schedule)
    if before is not None:
        begun = replace(begun, succeeded=before.last_success, failures=before.failures_in_a_row)
    is_latest = before is None or before.slot <= begun.slot

    def note(last: LastRun) -> None:
        if not is_latest:
            return
        if last.status == "failed":
            last = replace(last, failures=last.failures + 1)
        elif last.status in ("success", "partial"):
            last = replace(last, failures=0)
        write_whole(_path(home, schedule), (json.dumps(asdict(last), indent=1) + "\n").encode())

    note(begun)

    def on_end(run: str, status: str, reason: str, latency: timedelta = timedelta()) -> None:
        seconds = latency.total_seconds()
        note(replace(begun, run=run, status=status, reason=reason, latency=seconds))

    try:
        yield on_end
    except Cancelled:
        note(replace(begun, status="cancelled"))
        raise
    except HelioError as error:
        note(replace(begun, status="failed", reason=error.message, advice=error.advice))
        raise


def forget_last_run(home: Path, schedule: str) -> None:
    """Delete the record of a schedule's last run."""
    _path(home, schedule).unlink(missing_ok=True)


def _path(home: Path, schedule: str) -> Path:
    return home / "schedules" / ".last" / f"{schedule}.json"
