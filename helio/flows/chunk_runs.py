"""Show a chunk of intervals on the engine's server: one flow run, with a task run for each interval.

Worker processes make the intervals; the server only records them. So there are never hundreds of scheduled flow runs,
which Prefect's queues cannot handle, and a server that is lost stops nothing.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from helio.errors import DamagedRecord, EngineError
from helio.flows.definition import parameters_of, version_of
from helio.flows.register import PATIENCE, QUICK, Picture, figure_artifact, mark_crashed
from helio.flows.server import Server, notice
from helio.flows.task_runs import EVENTS, LOGS, Sender, TaskStates
from helio.pipelines.plan import Plan
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.process import Process, this_process
from helio.store.records import read_record
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

FOLDER = "chunk-runs"
"""Folder in helio's home with a file for each chunk that is being made: its flow run and its process."""
MOST_IMAGES = 400
"""Maximum number of pictures of one chunk that are stored in the server's database; for the others, there are links."""
ATTEMPTS = 5
AGAIN = 1.0
"""Seconds between two attempts to create or to end the flow run."""
LOOK_EVERY = 2.0
"""Seconds between two looks at whether a person has cancelled the chunk on its page."""
STATES: Mapping[str, tuple[str, str]] = {
    "done": ("COMPLETED", "Completed"),
    "partial": ("COMPLETED", "Partial"),
    "no data": ("COMPLETED", "NoData"),
    "failed": ("FAILED", "Failed"),
    "crashed": ("CRASHED", "Crashed"),
    "cancelled": ("CANCELLED", "Cancelled"),
}
"""Type and name of the state of an interval's task run, by the state of the interval."""


_LEVELS = {
    "done": logging.INFO,
    "no data": logging.INFO,
    "partial": logging.WARNING,
    "cancelled": logging.WARNING,
}
"""Level of the line of an interval in the log; that of the other states is an error."""


class ChunkRun:
    """The flow run of a chunk on the engine's server; a context manager, which ends the flow run.

    Parameters
    ----------
    plan : Plan
        The plan of one of the intervals.
    intervals : int
        Number of intervals of the chunk.
    spans : str
        What the chunk covers, for the name of the flow run.

    Raises
    ------
    EngineError
        On entering: the server cannot be started or reached.
    """

    def __init__(self, plan: Plan, intervals: int, spans: str, settings: Settings) -> None:
        self._plan = plan
        self._intervals = intervals
        self._spans = spans
        self._settings = settings
        self._server = Server(
            settings.home, settings.environ, idle=settings.engine_idle, keep=settings.retention.engine
        )
        self._use = self._server.used()
        self._flow_run = ""
        self._tasks: dict[TimeRange, TaskStates] = {}
        self._counts: Counter[str] = Counter()
        self._look_at = 0.0
        self._images = 0

    @property
    def page(self) -> str:
        """Return the address of the flow run's page."""
        return self._server.link(f"/runs/flow-run/{self._flow_run}")

    def __enter__(self) -> Self:
        self._use.__enter__()
        try:
            if not self._server.is_up():
                self._server.start()
                self._server.wait()
            mark_dead_chunks(self._server, self._settings.home)
            self._flow_run = self._create()
            record = {"flow_run": self._flow_run, "process": asdict(this_process())}
            write_whole(self._record, json.dumps(record).encode(), durable=False)
        except BaseException as error:
            self._use.__exit__(type(error), error, error.__traceback__)
            raise
        self._sender = Sender(self._server)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            for span in tuple(self._tasks):
                self.ended(span, "cancelled", "the backfill was stopped")
            if error is None:
                self._sender.close()
            self._finish(error)
        finally:
            self._record.unlink(missing_ok=True)
            self._use.__exit__(kind, error, traceback)

    def begun(self, span: TimeRange) -> None:
        """Show that an interval begins."""
        task = self._tasks[span] = TaskStates(span.text, self._flow_run)
        self._sender.put(EVENTS, task.enter("RUNNING", "Running"))

    def ended(
        self, span: TimeRange, state: str, reason: str = "", picture: str = "", *, line: str = ""
    ) -> None:
        """Show how an interval ended, with its picture, and write a line into the log of the flow run.

        Parameters
        ----------
        state : str
            Its state in a list of intervals.
        picture : str
            The path of a picture; empty without one.
        line : str
            What the command prints for the interval. Default: the interval, its state and the reason.
        """
        self._counts[state] += 1
        task = self._tasks.pop(span)
        kind, name = STATES[state]
        self._sender.put(EVENTS, task.enter(kind, name, reason))
        message = {
            "name": "helio.backfill",
            "level": _LEVELS.get(state, logging.ERROR),
            "message": line or ": ".join(filter(None, (f"{span}  {state}", reason))),
            "timestamp": datetime.now(UTC).isoformat(),
        }
        self._sender.put(LOGS, {**message, "flow_run_id": self._flow_run, "task_run_id": task.id})
        if picture:
            self._show(span, task, Path(picture))

    def is_stopped(self) -> bool:
        """Return whether a person has cancelled the flow run on its page; ask the server only now and then."""
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + LOOK_EVERY
        try:
            shown = self._server.request(f"/flow_runs/{self._flow_run}", timeout=QUICK)
        except EngineError as error:
            log.debug("cannot read the state of the chunk from the server: %s", error.message)
            return False
        if shown["state"]["type"] in ("CANCELLING", "CANCELLED"):
            notice.warning("the backfill was cancelled on its Prefect page")
            return True
        return False

    @property
    def _record(self) -> Path:
        return self._settings.home / FOLDER / f"{self._flow_run}.json"

    def _request(self, path: str, body: dict[str, Any], *, attempts: int = ATTEMPTS) -> Any:
        """Ask the server; ask again if it is too busy, as its database is while it records many task runs."""
        for _ in range(attempts - 1):
            try:
                return self._server.request(path, body, timeout=PATIENCE)
            except EngineError as error:
                log.info("%s; helio asks again", error.message)
                time.sleep(AGAIN)
        return self._server.request(path, body, timeout=PATIENCE)

    def _create(self) -> str:
        plan = self._plan
        flow = self._request("/flows/", {"name": plan.pipeline_id})
        times = set(plan.time_ranges)
        values = {name: value for name, value in plan.values.items() if name not in times}
        run = self._request(
            "/flow_runs/",
            {
                "flow_id": flow["id"],
                "flow_version": version_of(plan.authored),
                "name": f"{plan.pipeline_id} backfill {self._spans}",
                "parameters": parameters_of(plan.authored, values),
                "tags": ["helio", "backfill", plan.pipeline_id],
                "context": {"helio_intervals": self._intervals},
                "state": {"type": "RUNNING"},
            },
        )
        return str(run["id"])

    def _show(self, span: TimeRange, task: TaskStates, picture: Path) -> None:
        png = None
        if picture.suffix == ".png" and self._images < MOST_IMAGES:
            png = picture.read_bytes()
            self._images += 1
        artifact = figure_artifact(self._plan.pipeline_id, Picture(span.text, png, picture))
        try:
            self._server.request(
                "/artifacts/",
                {**artifact, "flow_run_id": self._flow_run, "task_run_id": task.id},
                timeout=QUICK,
            )
        except EngineError as error:
            log.info("the picture of %s is not on the engine's pages: %s", span, error.message)

    def _finish(self, error: BaseException | None) -> None:
        words = ", ".join(f"{count} {state}" for state, count in sorted(self._counts.items()))
        kind, name = "COMPLETED", "Completed"
        if error is not None:
            kind, name = "CANCELLED", "Cancelled"
        elif not self._counts.keys() & {"done", "partial"}:
            kind, name = "FAILED", "Failed"
        elif self._counts.keys() - {"done", "no data"}:
            name = "Partial"
        state = {"state": {"type": kind, "name": name, "message": words}, "force": True}
        try:
            attempts = 1 if error is not None else ATTEMPTS
            self._request(f"/flow_runs/{self._flow_run}/set_state", state, attempts=attempts)
        except EngineError as problem:
            log.warning(
                "the server at %s does not show how the backfill ended: %s", self._server.url, problem.message
            )


def mark_dead_chunks(server: Server, home: Path) -> int:
    """Mark flow runs of chunks whose process has died as ``Crashed`` on the server; return their number.

    Raises
    ------
    EngineError
    """
    dead: dict[str, Path] = {}
    for path in sorted((home / FOLDER).glob("[!.]*.json")):
        try:
            record = read_record(path, dict[str, Any])
            process = Process(**record["process"])
        except (FileNotFoundError, DamagedRecord, KeyError, TypeError) as error:
            log.info("%s says nothing about a chunk: %r", path, error)
            continue
        if process.fate == "gone":
            dead[str(record["flow_run"])] = path
    marked = mark_crashed(server, dead)
    for path in dead.values():
        os.unlink(path)
    return len(marked)
