"""Show the steps of a run on the server, over HTTP and without importing Prefect."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from helio.errors import EngineError
from helio.flows.again import RETRIES
from helio.flows.server import Server
from helio.pipelines.plan import PlannedStep
from helio.pipelines.runs.execute import StepResult
from helio.pipelines.runs.states import State

log = logging.getLogger(__name__)

EVENTS, LOGS = "/events", "/logs/"
"""Paths of the server's API that take lists of states of task runs and of log messages."""
TOGETHER = 0.1
"""Seconds for which a message waits for others, so that one request sends them all."""
AGAIN = 1.0
"""Seconds after which messages that the server did not take are sent again."""
MOST = 200
"""Maximum number of messages in one request, so that the server answers others soon."""
PATIENCE = 30.0
"""Maximum seconds for one request."""

ENDS: Mapping[State, tuple[str, str]] = {
    "completed": ("COMPLETED", "Completed"),
    "cached": ("COMPLETED", "Cached"),
    "failed": ("FAILED", "Failed"),
    "skipped": ("CANCELLED", "Skipped"),
}
"""Type and name of the state in which a task run ends, by the state of its step."""


class TaskStates:
    """States of a task run on the server. Each change of its state is an event, as Prefect's own engine sends it.

    The first state is ``Running``, since helio makes a task run when its work begins.

    Parameters
    ----------
    name : str
        The name of the task run.
    flow_run : str
        The id of the flow run.
    needs : iterable of TaskStates
        Task runs on which this one depends; the server's pages draw the edges.
    tags : sequence of str
        Words to show beside the task run.
    retries : int
        Maximum number of further attempts.
    """

    def __init__(
        self,
        name: str,
        flow_run: str,
        needs: Iterable[TaskStates] = (),
        *,
        tags: Sequence[str] = (),
        retries: int = 0,
    ) -> None:
        self.id = str(uuid4())
        self._flow_run = flow_run
        self._type: str | None = None
        self._since = datetime.min.replace(tzinfo=UTC)
        edges = [{"input_type": "task_run", "id": need.id} for need in needs]
        self._facts: dict[str, Any] = {
            "name": name,
            "task_key": name,
            "dynamic_key": self.id,
            "tags": list(tags),
            "task_inputs": {"wait_for": edges} if edges else {},
            "empirical_policy": {"retries": retries, "retry_delay": 0},
            "run_count": 0,
            "total_run_time": 0.0,
        }

    def enter(self, kind: str, name: str, message: str = "") -> dict[str, Any]:
        """Change the state; return the event that tells the server.

        Parameters
        ----------
        kind : str
            Prefect's type of the state, such as ``RUNNING``.
        name, message : str
            Name and message of the state on the server's pages.
        """
        # Of two states of the same time, the server would show the first.
        now = max(datetime.now(UTC), self._since + timedelta(microseconds=1))
        instant = now.isoformat()
        facts = self._facts
        if self._type == "RUNNING":
            facts["total_run_time"] += (now - self._since).total_seconds()
        if kind == "RUNNING":
            facts.setdefault("expected_start_time", instant)
            facts.setdefault("start_time", instant)
            facts["run_count"] += 1
        else:
            facts["end_time"] = instant
        before, self._type, self._since = self._type, kind, now
        return {
            "id": str(uuid4()),
            "occurred": instant,
            "event": f"prefect.task-run.{name}",
            "resource": {
                "prefect.resource.id": f"prefect.task-run.{self.id}",
                "prefect.resource.name": facts["name"],
                "prefect.run-count": str(facts["run_count"]),
                "prefect.state-name": name,
                "prefect.state-type": kind,
                "prefect.state-message": message,
                "prefect.state-timestamp": instant,
                "prefect.orchestration": "client",
            },
            "related": [
                {
                    "prefect.resource.id": f"prefect.flow-run.{self._flow_run}",
                    "prefect.resource.role": "flow-run",
                }
            ],
            "payload": {
                "intended": {"from": before, "to": kind},
                "validated_state": {"type": kind, "name": name, "message": message, "state_details": {}},
                "task_run": dict(facts),
            },
        }


class TaskRun(TaskStates):
    """Task run of a step.

    Parameters
    ----------
    step : PlannedStep
        The step; its id is the name of the task run.
    flow_run : str
        The id of the flow run.
    needs : iterable of TaskRun
        Task runs of the steps that this step depends on.
    retries : int
        Maximum number of further attempts.
    """

    def __init__(
        self, step: PlannedStep, flow_run: str, needs: Iterable[TaskRun], *, retries: int = RETRIES
    ) -> None:
        tags = ["critical"] if step.critical else []
        super().__init__(str(step.step_id), flow_run, needs, tags=tags, retries=retries)
        self.step = step

    def end(self, result: StepResult) -> dict[str, Any]:
        """Change the state to the one in which a step ended; return the event that tells the server."""
        return self.enter(*ENDS[result.state], result.reason if result.error is None else str(result.error))


class Sender:
    """Thread that sends messages to the server while a run continues: in order, many in one request.

    It keeps messages that the server did not take, and sends them again.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._new: queue.SimpleQueue[tuple[str, dict[str, Any]] | None] = queue.SimpleQueue()
        self._unsent: dict[str, list[dict[str, Any]]] = {EVENTS: [], LOGS: []}
        self._thread = threading.Thread(target=self._run, name="helio-sender", daemon=True)
        self._thread.start()

    def put(self, path: str, message: dict[str, Any]) -> None:
        """Put a message into the queue; return immediately."""
        self._new.put((path, message))

    def close(self) -> None:
        """Wait until all messages are sent; if the server does not take them then, they are lost."""
        self._new.put(None)
        self._thread.join()

    def _run(self) -> None:
        more = True
        while more:
            more = self._collect()
            for path, messages in self._unsent.items():
                try:
                    while messages:
                        self._server.request(path, messages[:MOST], timeout=PATIENCE)
                        del messages[:MOST]
                except EngineError as error:
                    log.debug("the server has not taken %s messages: %s", len(messages), error.message)

    def _collect(self) -> bool:
        """Wait for messages, or for the time to send again; return whether there will be more."""
        try:
            new = self._new.get(timeout=AGAIN if any(self._unsent.values()) else None)
            end = time.monotonic() + TOGETHER
            while new is not None:
                path, message = new
                self._unsent[path].append(message)
                new = self._new.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            return True
        return False
