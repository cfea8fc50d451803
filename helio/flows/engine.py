"""Run a plan as a Prefect flow whose tasks, edges, states and logs the server shows. This module imports Prefect."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from prefect import Task, settings
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, StateDetails, StateType, TaskRun
from prefect.context import FlowRunContext, SyncClientContext, TaskRunContext
from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.exceptions import Pause
from prefect.flow_engine import run_flow_sync
from prefect.futures import PrefectFuture, PrefectTaskRunFuture
from prefect.states import Cancelled, Completed, Failed
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.utilities.annotations import quote

from helio.errors import EngineError, TransientError
from helio.flows.definition import define_flow, describe, parameters_of, run_name, tags_of
from helio.flows.register import FINAL
from helio.flows.run import ATTEMPTS, FlowExecution
from helio.flows.server import Server, notice
from helio.pipelines.plan import PlannedStep
from helio.pipelines.runs.execute import PlanResult, StepResult
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
        page = _Page(server, str(context.flow_run.id), execution)
        try:
            _schedule(execution, page)
            if execution.suspended:
                raise Pause(state=context.flow_run.state)
            return _flow_state(execution)
        finally:
            execution.over.set()

    with _settings(request.home, server), _events_to(execution, server.url):
        flow = define_flow(
            plan.authored,
            body,
            task_runner=ThreadPoolTaskRunner(max_workers=request.workers),
            validate_parameters=False,  # the plan's values have been verified
        )
        parameters = parameters_of(plan.authored, plan.values)
        with _connected() as context:
            # Created here, not by calling the flow: its tags would become its tasks' tags, and each tag of a task
            # costs a call of the server, which a run must not depend on.
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
            # A suspended run keeps the state that its page gave it.
            with _logs_to(server), suppress(Pause):
                run_flow_sync(flow, flow_run=unwatched, parameters=parameters, return_type="state")
            ended = context.client.read_flow_run(made.id).state
            if execution.complete and ended is not None and not (ended.is_final() or ended.is_scheduled()):
                # A person paused or cancelled it after its last step had begun: the server refused the end.
                # A run that is scheduled again has ended before; another process runs it.
                context.client.set_flow_run_state(made.id, _flow_state(execution), force=True)


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


def _schedule(execution: FlowExecution, page: _Page) -> None:
    """Run every step as soon as the steps that it needs are done; return when no more steps can run.

    A single step runs in this thread: passing it to another thread costs more than a short step takes.
    """
    waiting = {step.step_id: set(step.depends_on) for step in execution.request.plan.steps}
    dependants: dict[StepId, list[StepId]] = {step_id: [] for step_id in waiting}
    for step_id, needs in waiting.items():
        for need in needs:
            dependants[need].append(step_id)
    ready = deque(step_id for step_id, needs in waiting.items() if not needs)
    running: set[StepId] = set()
    done: queue.SimpleQueue[StepId] = queue.SimpleQueue()
    task_runs: dict[StepId, UUID] = {}

    def begin(step: PlannedStep) -> None:
        task = _task(execution, step)
        edges = [_Edge(task_runs[step_id]) for step_id in step.depends_on]
        alone = not ready and not running
        if alone or blocked_by(step, execution.results):
            state = cast(State[Any], task(quote(step.step_id), wait_for=edges, return_state=True))
            task_run_id = state.state_details.task_run_id
            assert task_run_id is not None  # Prefect sets it with every state of a task run
            task_runs[step.step_id] = task_run_id
            done.put(step.step_id)
            return
        future: PrefectFuture[Any] = task.submit(quote(step.step_id), wait_for=edges, return_state=False)
        task_runs[step.step_id] = future.task_run_id
        running.add(step.step_id)
        future.add_done_callback(lambda future: done.put(step.step_id))

    pending = 0
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
        running.discard(finished)
        if finished not in execution.results:
            continue  # cancelled, with all its dependants
        for dependant in dependants[finished]:
            waiting[dependant].discard(finished)
            if not waiting[dependant]:
                ready.append(dependant)


def _task(execution: FlowExecution, step: PlannedStep) -> Task[Any, Any]:
    last: list[StepResult | None] = []

    def perform(step_id: StepId) -> State[Any]:
        context = TaskRunContext.get()
        assert context is not None
        if step.critical:
            # Set now, not on the task: Prefect asks the server for a slot for each tag that a task run begins with.
            context.task_run.tags = ["critical"]
        last[:] = [execution.perform(step_id, context.task_run.run_count)]
        return _task_state(last[0])

    def again(task: Task[Any, Any], task_run: TaskRun, state: State[Any]) -> bool:
        del task, task_run, state
        result = last[0]
        return result is not None and isinstance(result.error, TransientError)

    return Task(
        perform,
        name=str(step.step_id),
        task_run_name=str(step.step_id),
        cache_policy=NO_CACHE,
        persist_result=False,
        retries=ATTEMPTS - 1,
        retry_condition_fn=again,
    )


def _task_state(result: StepResult | None) -> State[Any]:
    if result is None:
        return Cancelled(message="the run was cancelled")
    if result.state == "skipped":
        return Cancelled(name="Skipped", message=result.reason)
    if result.state == "failed":
        return Failed(message=str(result.error))
    return Completed(name="Cached") if result.state == "cached" else Completed()


def _flow_state(execution: FlowExecution) -> State[Any]:
    if execution.bug is not None:
        return Failed(message=f"a bug in helio: {execution.bug!r}")
    if execution.cancelled.is_set():
        return Cancelled(message="the run was cancelled")
    results = tuple(execution.results[step.step_id] for step in execution.request.plan.steps)
    result = PlanResult(execution.request.plan, results)
    name, message = describe(result)
    return (Failed if result.status == "failed" else Completed)(name=name, message=message)


class _Done(State[None]):
    """Prefect state whose result is available at once; Prefect's usual way to read a result is slower."""

    def result(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs


class _Edge(PrefectTaskRunFuture[None]):
    """A finished step, from which Prefect draws an edge to the next step; `_schedule` decides which step waits.

    Prefect would leave the dependants of a failed step pending forever.
    """

    def __init__(self, task_run_id: UUID) -> None:
        super().__init__(task_run_id)
        self._final_state = _Done(
            type=StateType.COMPLETED, state_details=StateDetails(task_run_id=task_run_id)
        )

    @property
    def state(self) -> State[None]:
        assert self._final_state is not None
        return self._final_state

    def wait(self, timeout: float | None = None) -> None:
        """Do nothing: the step has finished already."""

    def result(self, timeout: float | None = None, raise_on_failure: bool = True) -> None:
        """Return nothing: steps exchange only ids of results."""

    def add_done_callback(self, fn: Callable[[PrefectFuture[None]], None]) -> None:
        """Call `fn` immediately: the step has finished already."""
        fn(self)


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


_SENDING = threading.Lock()
_RUNS_BY_SERVER: Counter[str] = Counter()
"""Number of runs of this process that send the states of their tasks, by the address of the server."""


@contextmanager
def _events_to(execution: FlowExecution, api_url: str) -> Iterator[None]:
    """Send the states of task runs to this server during a ``with`` block; the last of several runs at the same time
    waits at the end until the server has them.

    Prefect keeps one sender for all servers of a process, that of the first server, and tries each event for seconds;
    it keeps unsent events until another event can be sent. Runs at the same time share the sender, and Prefect loses
    an event that meets a stopped sender.
    """
    sent: Future[bool] | None = None
    with _SENDING:
        if not emit_events_to_cloud():
            EventsWorker.set_client_override(PrefectEventsClient, api_url=api_url, reconnection_attempts=3)
        worker = EventsWorker.instance()
        _RUNS_BY_SERVER[api_url] += 1
    task = worker._task
    execution.let_go = lambda: _drop(worker, task)
    try:
        yield
    finally:
        with _SENDING:
            _RUNS_BY_SERVER[api_url] -= 1
            if not _RUNS_BY_SERVER[api_url]:
                sent = worker._drain()
            if not _RUNS_BY_SERVER.total():
                EventsWorker.set_client_override(None)
    if sent is not None:
        sent.result()


def _drop(worker: EventsWorker, task: asyncio.Task[None] | None) -> None:
    """Stop sending events; otherwise the process would try to send every event to a lost server before it ends."""
    if worker._loop is None or task is None:
        return  # it never had a connection
    worker._loop.call_soon_threadsafe(task.cancel)
    socket = getattr(getattr(worker, "_client", None), "_websocket", None)
    if socket is not None:
        worker._loop.call_soon_threadsafe(
            socket.transport.abort
        )  # otherwise the process waits for the closing handshake, too


class _ToServer(logging.Handler):
    """Log handler that sends helio's log messages to the server, together with the run that wrote them."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self._records: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._sender = threading.Thread(target=self._send, name="helio-log", daemon=True)
        self._sender.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Put a log message into the queue of messages to send, if the message belongs to a run."""
        task, flow = TaskRunContext.get(), FlowRunContext.get()
        if record.name == CHATTER:
            return
        if task is not None:
            flow_run_id = task.task_run.flow_run_id
        elif isinstance(flow, FlowRunContext) and flow.flow_run is not None:
            flow_run_id = flow.flow_run.id
        else:
            return
        self._records.put(
            {
                "name": record.name,
                "level": record.levelno,
                "message": self.format(record),
                "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
                "flow_run_id": str(flow_run_id),
                "task_run_id": str(task.task_run.id) if task else None,
            }
        )

    def close(self) -> None:
        """Send the remaining log messages, unless the server takes too long."""
        self._records.put(None)
        self._sender.join(2.0)
        super().close()

    def _send(self) -> None:
        more = True
        while more:
            batch: list[dict[str, Any]] = []
            record = self._records.get()
            while record is not None and len(batch) < 200:
                batch.append(record)
                try:
                    record = self._records.get(timeout=0.2)
                except queue.Empty:
                    break
            more = record is not None
            try:
                if batch:
                    self._server.request("/logs/", batch)
            except EngineError as error:
                log.debug("%s log records are lost: %s", len(batch), error)


@contextmanager
def _logs_to(server: Server) -> Iterator[None]:
    """Send helio's log to the server, and Prefect's messages to helio's log, during a ``with`` block."""
    for name in ("prefect", "EventsWorker"):
        chatter = logging.getLogger(name)
        if not chatter.handlers:  # otherwise the user has configured Prefect's logging
            chatter.addHandler(_PrefectLog())
            chatter.propagate = False
            chatter.setLevel(logging.WARNING)
    handler = _ToServer(server)
    ours = logging.getLogger("helio")
    ours.addHandler(handler)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        handler.close()


CHATTER = "helio.prefect"


class _PrefectLog(logging.Handler):
    """Log handler that writes Prefect's messages into helio's log with the level ``debug``."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write Prefect's message to helio's log at level ``debug``, because helio itself reports what matters."""
        logging.getLogger(CHATTER).debug("%s: %s", record.name, record.getMessage())
