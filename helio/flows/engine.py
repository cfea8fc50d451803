"""Run a plan as a Prefect flow whose tasks, edges, states and logs the server shows. This module imports Prefect."""

from __future__ import annotations

import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from uuid import UUID

import httpx
from prefect import settings
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext, SyncClientContext
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow_sync
from prefect.states import Cancelled, Completed, Failed

from helio.errors import EngineError
from helio.flows.definition import define_flow, describe, parameters_of, run_name, tags_of
from helio.flows.register import FINAL
from helio.flows.run import FlowExecution
from helio.flows.server import Server, notice
from helio.flows.task_runs import EVENTS, LOGS, Sender, TaskRun
from helio.pipelines.plan import PlannedStep
from helio.pipelines.runs.execute import PlanResult
from helio.pipelines.runs.states import blocked_by
from helio.pipelines.template.diagnostics import StepId

log = logging.getLogger(__name__)

OFTEN, PAUSE, RARELY = 0.02, 1.0, 30.0
"""Seconds between two checks of whether a person has paused or ended the run: before steps, during a
pause, and without a server.

A check costs some 5 ms, a working step far more. Only instant steps share a check.
"""
QUICK = 2.0
"""Maximum seconds for one check of whether a person has paused or ended the run; steps wait for this check."""


def run(execution: FlowExecution, server: Server, recorded: Callable[[str], None]) -> None:
    """Create the Prefect flow run, with its name, tags and parameters, and run all its steps."""
    request = execution.request
    plan = request.plan

    def body(**variables: object) -> State[None]:
        del variables  # already bound in the plan
        execution.begun = True
        context = FlowRunContext.get()
        assert context is not None  # a flow's body always has one
        assert context.flow_run is not None
        flow_run = str(context.flow_run.id)
        try:
            _schedule(execution, _Page(server, flow_run, execution), flow_run, sender)
            if execution.suspended:
                raise Pause(state=context.flow_run.state)
            return _flow_state(execution)
        finally:
            execution.over.set()

    with _settings(request.home, server):
        flow = define_flow(
            plan.authored,
            body,
            validate_parameters=False,  # the plan's values have been verified
        )
        parameters = parameters_of(plan.authored, plan.values)
        with _connected() as context:
            # Created here, not by calling the flow, so that helio knows its id before the first step.
            made = (
                context.client.read_flow_run(UUID(request.flow_run))
                if request.flow_run
                else context.client.create_flow_run(
                    flow,
                    name=run_name(plan),
                    parameters=parameters,
                    tags=tags_of(plan),
                    context={"helio_run": request.run_id},
                )
            )
            recorded(str(made.id))
            # Prefect would watch a deployed run over its own connection and end the steps itself: `_Page` does this.
            unwatched = made.model_copy(update={"deployment_id": None})
            with _sender_to(server, str(made.id)) as sender:
                try:
                    # A suspended run keeps the state that its page gave it.
                    with suppress(Pause):
                        run_flow_sync(flow, flow_run=unwatched, parameters=parameters, return_type="state")
                except httpx.TransportError:
                    if execution.begun:
                        raise
                if not execution.begun and _may_begin(context, made.id):
                    log.warning(
                        "the server at %s was lost while the run began; helio runs it nevertheless",
                        server.url,
                    )
                    execution.begun = True
                    flow_run = str(made.id)
                    _schedule(execution, _Page(server, flow_run, execution), flow_run, sender)
            if not execution.begun:
                execution.cancel()  # a person has ended it on its page before its first step
            ended = context.client.read_flow_run(made.id).state
            if execution.complete and ended is not None and not (ended.is_final() or ended.is_scheduled()):
                # A person paused or cancelled it after its last step had begun: the server refused the end.
                # A run that is scheduled again has ended before; another process runs it.
                context.client.set_flow_run_state(made.id, _flow_state(execution), force=True)


def _may_begin(context: SyncClientContext, flow_run: UUID) -> bool:
    """Return whether nobody has ended, paused or rescheduled a run, or its server does not answer any more."""
    try:
        state = context.client.read_flow_run(flow_run).state
    except httpx.TransportError as error:
        log.debug("cannot read the run's state from the server: %r", error)
        return True
    return state is None or state.is_pending() or state.is_running()


@contextmanager
def _connected() -> Iterator[SyncClientContext]:
    """Open the connection to the server that the whole run uses."""
    with ExitStack() as stack:
        try:
            context = stack.enter_context(SyncClientContext.get_or_create())
        except RuntimeError as error:  # Prefect's only error for a missing server
            raise EngineError(str(error)) from error
        yield context


class _Page:
    """Watcher of what a person requests on the run's page or over Prefect's API: to pause or to end the run.

    ``Paused`` holds the run: the process waits, and continues when the run is resumed. ``Suspended`` ends the process;
    a run of a schedule starts again when it is resumed. Neither ends running steps.
    """

    def __init__(self, server: Server, flow_run: str, execution: FlowExecution) -> None:
        self._server = server
        self._flow_run = flow_run
        self._execution = execution
        self._look_at = 0.0
        self.paused = False

    def lets_go_on(self) -> bool:
        """Return whether the next step may begin: the run must be neither paused nor ended."""
        if time.monotonic() >= self._look_at:
            self._look()
        return not (self.paused or self._execution.suspended or self._execution.cancelled.is_set())

    def _look(self) -> None:
        try:
            shown = self._server.request(f"/flow_runs/{self._flow_run}", timeout=QUICK)
        except EngineError as error:
            # The run does not depend on its server.
            log.debug("cannot read the run's state from the server: %s", error.message)
            self._look_at = time.monotonic() + RARELY
            return
        state, was_paused = shown["state"], self.paused
        self.paused = state["type"] == "PAUSED" and not state["state_details"]["pause_reschedule"]
        self._look_at = time.monotonic() + (PAUSE if self.paused else OFTEN)
        # A final state set by a person changes no result while steps run; in a pause it ends the run.
        if state["type"] == "CANCELLING" or (was_paused and state["type"] in FINAL):
            notice.warning("the run was ended on its Prefect page: %s", state["name"])
            self._execution.cancel()
        elif state["type"] == "PAUSED" and not self.paused:
            notice.warning("the run was suspended on its Prefect page: helio begins no further step")
            self._execution.suspended = True
        elif self.paused != was_paused:
            notice.warning(
                "the run is paused on its Prefect page; to continue, resume the run there"
                if self.paused
                else "the run continues"
            )


def _schedule(execution: FlowExecution, page: _Page, flow_run: str, sender: Sender) -> None:
    """Run every step as soon as the steps that it needs are done; return when no more steps can run.

    A single step runs in this thread: passing it to another thread costs more than a short step takes.
    """
    waiting = {step.step_id: set(step.depends_on) for step in execution.request.plan.steps}
    dependants: dict[StepId, list[StepId]] = {step_id: [] for step_id in waiting}
    for step_id, needs in waiting.items():
        for need in needs:
            dependants[need].append(step_id)
    ready = deque(step_id for step_id, needs in waiting.items() if not needs)
    running: dict[StepId, Future[None]] = {}
    done: queue.SimpleQueue[StepId] = queue.SimpleQueue()
    task_runs: dict[StepId, TaskRun] = {}
    show = partial(sender.put, EVENTS)

    def perform(task_run: TaskRun) -> None:
        shown = _SHOWN.set({"flow_run_id": flow_run, "task_run_id": task_run.id})
        execution.perform(task_run, show)
        _SHOWN.reset(shown)

    def begin(step: PlannedStep) -> None:
        task_run = TaskRun(
            step,
            flow_run,
            [task_runs[step_id] for step_id in step.depends_on],
            retries=(step.retries or execution.request.usual_retries).number,
        )
        task_runs[step.step_id] = task_run
        if (not ready and not running) or blocked_by(step, execution.results):
            perform(task_run)
            done.put(step.step_id)
        else:
            running[step.step_id] = future = threads.submit(perform, task_run)
            future.add_done_callback(lambda future: done.put(step.step_id))

    pending = 0
    with ThreadPoolExecutor(execution.request.workers, "helio-step") as threads:
        while True:
            while ready and len(running) < execution.request.workers and page.lets_go_on():
                begin(execution.steps[ready.popleft()])
                pending += 1
            if not pending:
                if ready and page.paused and not execution.cancelled.wait(PAUSE):
                    continue
                return
            try:
                finished = done.get(timeout=PAUSE if page.paused else None)
            except queue.Empty:
                continue
            pending -= 1
            if finished in running:
                running.pop(finished).result()  # raises what `perform` did not expect
            if finished not in execution.results:
                continue  # cancelled, with all its dependants
            for dependant in dependants[finished]:
                waiting[dependant].discard(finished)
                if not waiting[dependant]:
                    ready.append(dependant)


def _flow_state(execution: FlowExecution) -> State[None]:
    if execution.bug is not None:
        return Failed(message=f"a bug in helio: {execution.bug!r}")
    if execution.cancelled.is_set():
        return Cancelled(message="the run was cancelled")
    results = tuple(execution.results[step.step_id] for step in execution.request.plan.steps)
    result = PlanResult(execution.request.plan, results)
    name, message = describe(result)
    return (Failed if result.status == "failed" else Completed)(name=name, message=message)


@contextmanager
def _settings(home: Path, server: Server) -> Iterator[None]:
    """Set Prefect's settings to those of helio, also if other code has imported Prefect before."""
    # The secret is set here, not in the environment, which every program started by a run would inherit.
    secret = {}
    if not server.external:
        secret[settings.PREFECT_API_AUTH_STRING] = server.client_environment()["PREFECT_API_AUTH_STRING"]
    with settings.temporary_settings(
        {
            settings.PREFECT_HOME: home / "prefect",
            settings.PREFECT_API_URL: server.url,
            **secret,
            # It costs a second for each run; helio itself marks runs whose process is gone.
            settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
            settings.PREFECT_LOGGING_TO_API_ENABLED: False,  # `_ToServer` sends the useful records
            settings.PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: False,
        }
    ):
        yield


_SHOWN: ContextVar[Mapping[str, str]] = ContextVar("helio-shown", default=MappingProxyType({}))
"""Ids of the flow run and the task run that the present code belongs to."""


class _ToServer(logging.Handler):
    """Log handler that sends the log messages of a run to the server, together with the task run that wrote them."""

    def __init__(self, flow_run: str, sender: Sender) -> None:
        super().__init__()
        self._flow_run = flow_run
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        """Put a log message into the queue of messages to send, if the message belongs to the run."""
        shown = _SHOWN.get()
        if record.name == CHATTER or shown.get("flow_run_id") != self._flow_run:
            return
        message = {
            "name": record.name,
            "level": record.levelno,
            "message": self.format(record),
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
        }
        self._sender.put(LOGS, {**message, **shown})


@contextmanager
def _sender_to(server: Server, flow_run: str) -> Iterator[Sender]:
    """Send the log of a run to the server, and Prefect's messages to helio's log, during a ``with`` block.

    At the end, wait until the server has everything.
    """
    for name in ("prefect", "EventsWorker"):
        chatter = logging.getLogger(name)
        if not chatter.handlers:  # otherwise the user has configured Prefect's logging
            chatter.addHandler(_PrefectLog())
            chatter.propagate = False
            chatter.setLevel(logging.WARNING)
    sender = Sender(server)
    handler = _ToServer(flow_run, sender)
    ours = logging.getLogger("helio")
    ours.addHandler(handler)
    shown = _SHOWN.set({"flow_run_id": flow_run})
    try:
        yield sender
    finally:
        _SHOWN.reset(shown)
        ours.removeHandler(handler)
        sender.close()


CHATTER = "helio.prefect"


class _PrefectLog(logging.Handler):
    """Log handler that writes Prefect's messages into helio's log with the level ``debug``."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write Prefect's message to helio's log at level ``debug``, because helio itself reports what matters."""
        logging.getLogger(CHATTER).debug("%s: %s", record.name, record.getMessage())
