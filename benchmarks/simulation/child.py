"""A process that does a part of a simulated service and may be killed: one run of a schedule, or a backfill.

It reads a pickled task from its input.
"""

from __future__ import annotations

import pickle
import resource
import sys
from dataclasses import dataclass
from datetime import datetime

from helio.errors import HelioError
from helio.flows.last_runs import noted_run
from helio.flows.schedule import Schedules
from helio.flows.serve import run_slot
from helio.pipelines.runs.session import Direct, Processes
from helio.service.backfill import BackfillRequest, backfill
from helio.settings import Settings


@dataclass(frozen=True)
class SlotTask:
    """Run a schedule for one time.

    Parameters
    ----------
    room : int or None
        Maximum bytes of any file that this process writes, as on a disk that is full.
    """

    settings: Settings
    schedule: str
    at: datetime
    room: int | None = None


@dataclass(frozen=True)
class BackfillTask:
    """Make the intervals of a backfill."""

    settings: Settings
    request: BackfillRequest


def run_due(settings: Settings, name: str, at: datetime, processes: Processes | None = None) -> None:
    """Run a schedule for one time as `helio serve` does, without the engine."""
    schedule = Schedules(settings).load(name)
    try:
        with noted_run(settings.home, name, at) as on_end:
            plan = schedule.plan(settings, at, schedule.values)
            run_slot(schedule, plan, settings, Direct(), on_end, processes)
    except HelioError as error:
        print(f"{name} {at}: {error}", file=sys.stderr)


def main() -> None:
    """Do the task."""
    task = pickle.loads(sys.stdin.buffer.read())
    if isinstance(task, BackfillTask):
        backfill(task.request, task.settings)
        return
    if task.room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (task.room, task.room))
    run_due(task.settings, task.schedule, task.at)


if __name__ == "__main__":
    from benchmarks.simulation.child import main as run

    run()
