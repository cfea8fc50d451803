"""Record how the last run of each schedule ended, for `helio schedule list`, and which runs have new results."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from helio.errors import Cancelled, DamagedRecord, HelioError, UnknownRun
from helio.store.files import write_whole
from helio.store.process import Process, this_process
from helio.store.records import Count, NaiveInstant, NaiveInstantOrEmpty, Seconds, read_if_whole, read_record

if TYPE_CHECKING:
    from helio.pipelines.runs.intervals import Latency

log = logging.getLogger(__name__)


class OnEnd(Protocol):
    """Function to call when a run ends."""

    def __call__(
        self, run: str, status: str, reason: str, latency: tuple[str, Latency] | None = None
    ) -> None:
        """Note the run's id, its status, the reason for a failure, and how late its data usually are, if known.

        Parameters
        ----------
        latency : tuple of str and Latency, optional
            The dataset without data that usually appears last, and its latency.
        """
        ...


@dataclass(frozen=True)
class LastRun:
    """The last run of a schedule, and how it ended.

    Parameters
    ----------
    slot : str
        The time for which it was scheduled, naive UTC.
    status : str
        ``"running"``, ``"success"``, ``"partial"``, ``"no data"``, ``"failed"`` or ``"cancelled"``. `judged` makes
        ``"waiting"`` of ``"no data"`` while the data may still come.
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
    dataset : str
        The dataset without data that usually appears last, if its latency is known; otherwise empty.
    latency : float
        Seconds after an interval within which the data of this dataset usually appear; 0 if it is unknown.
    source : str
        From what helio knows the latency.
    """

    slot: NaiveInstant
    status: str
    process: Process
    run: str = ""
    reason: str = ""
    succeeded: NaiveInstantOrEmpty = ""
    failures: Count = 0
    advice: str = ""
    dataset: str = ""
    latency: Seconds = 0.0
    source: str = ""

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
    return read_if_whole(_path(home, schedule), LastRun, log, f"the last run of '{schedule}' is unknown")


def judged(last: LastRun, home: Path, now: datetime) -> LastRun:
    """Return the last run of a schedule with the state and the reason that the gallery shows for its interval now.

    A run without data is ``"waiting"`` until its data usually appear. Afterwards there is a gap: ``"no data"``.

    Parameters
    ----------
    now : datetime
        Naive UTC.
    """
    if last.status != "no data":
        return last
    from helio.pipelines.runs.intervals import Latency, intervals, read_run, with_step
    from helio.store.runs import Runs

    try:
        run = read_run(Runs(home / "runs").load(last.run))
    except (DamagedRecord, UnknownRun) as error:
        log.info("%s; whether its data may still come is unknown", error.message)
        return last
    latencies = {last.dataset: Latency(timedelta(seconds=last.latency), last.source)} if last.dataset else {}
    for interval in intervals([run], now=now, latencies=latencies):
        return replace(last, status=interval.state, reason=with_step(run, interval.reason))
    return last  # a pipeline without a time range


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
        write_whole(_path(home, schedule), _as_bytes(last))

    note(begun)

    def on_end(run: str, status: str, reason: str, latency: tuple[str, Latency] | None = None) -> None:
        ended = replace(begun, run=run, status=status, reason=reason)
        if latency is not None:
            dataset_id, usual = latency
            ended = replace(
                ended, dataset=dataset_id, latency=usual.length.total_seconds(), source=usual.source
            )
        note(ended)
        # After the note: a new run that is not the last one is a late one.
        if status in ("success", "partial"):
            write_whole(_new_run(home, schedule, run), _as_bytes(ended))

    try:
        yield on_end
    except Cancelled:
        note(replace(begun, status="cancelled"))
        raise
    except HelioError as error:
        note(replace(begun, status="failed", reason=error.message, advice=error.advice))
        raise


def new_runs(home: Path, schedule: str) -> tuple[LastRun, ...]:
    """Return the runs with results whose alerts nobody has looked at, in the order of their scheduled times."""
    runs = []
    for path in _new_runs(home, schedule):
        try:
            runs.append(read_record(path, LastRun))
        except FileNotFoundError:  # the schedule was removed meanwhile
            continue
        except DamagedRecord as error:
            log.warning("%s; the alerts of this run are not reported", error.message)
            path.unlink(missing_ok=True)
    return tuple(sorted(runs, key=lambda run: run.slot))


def forget_new_runs(home: Path, schedule: str, runs: Iterable[LastRun]) -> None:
    """Delete the notes of runs whose alerts were looked at."""
    for run in runs:
        _new_run(home, schedule, run.run).unlink(missing_ok=True)


def forget_last_run(home: Path, schedule: str) -> None:
    """Delete the record of a schedule's last run, and the notes of its new runs."""
    _path(home, schedule).unlink(missing_ok=True)
    for path in _new_runs(home, schedule):
        path.unlink(missing_ok=True)


def _path(home: Path, schedule: str) -> Path:
    return home / "schedules" / ".last" / f"{schedule}.json"


def _new_runs(home: Path, schedule: str) -> Iterator[Path]:
    """Yield the notes of the new runs of a schedule; all are in one folder, which stays for runs that end later."""
    return (home / "schedules" / ".new").glob(f"{schedule}~*.json")


def _new_run(home: Path, schedule: str, run: str) -> Path:
    return home / "schedules" / ".new" / f"{schedule}~{run}.json"


def _as_bytes(last: LastRun) -> bytes:
    return (json.dumps(asdict(last), indent=1) + "\n").encode()
