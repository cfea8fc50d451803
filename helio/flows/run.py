"""Run a plan as a Prefect flow: run the steps, collect the results, and cancel the run if requested.

The results from the runner define the run. The server only records them; if it is lost, the run continues, and a
warning says that its record there is incomplete. Prefect is imported when a run begins, in the run's own thread
(`engine`).
"""

from __future__ import annotations

import logging
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from helio import interrupts
from helio.errors import Cancelled, EngineError, Suspended
from helio.flows.again import USUAL_RETRIES
from helio.flows.server import SILENT, Server, ephemeral_server, is_loopback
from helio.flows.task_runs import TaskRun
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.execute import StepResult, attempt_step
from helio.pipelines.runs.states import blocked_by
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.retries import Retries

log = logging.getLogger(__name__)

GRACE = 0.7
"""Seconds allowed for reporting a cancelled run to the server."""
LETTING_GO = 5.0
"""Seconds allowed for a cancelled run to end its steps."""
PATIENCE = 30.0
"""Seconds to wait, after the last step, until the server has recorded how the run ended."""
ANSWER = 10.0
"""Seconds without an answer, after the last step, after which the server counts as lost: a busy machine is slow."""


class StepRunner(Protocol):
    """Interface of an object that does the work of steps. Any thread may call its methods."""

    def run_step(self, step: PlannedStep) -> StepResult:
        """Do the work of a step, and return its result.

        An error that helio knows comes back in a result whose state is ``"failed"``; a step found in the store
        comes back as ``"cached"``. After `cancel` it raises `Cancelled`, at once.
        """
        ...

    def cancel(self) -> None:
        """Stop all running work immediately, so that every running call of `run_step` raises `Cancelled`."""
        ...


@dataclass(frozen=True)
class FlowRequest:
    """A plan to run as a Prefect flow, and the other facts that this run needs.

    Parameters
    ----------
    plan : Plan
        Its steps become task runs named by their ids, with the edges of ``depends_on`` and no others.
    run_id : str
        helio's id of the run; part of the flow run's context.
    home : Path
        helio's home; Prefect's own files stay in it.
    api_url : str or None
        The server's API; None starts a temporary server for this run, which leaves nothing behind.
    flow_run : str
        The id of an existing flow run, such as a scheduled one. Default: create a new one.
    workers : int
        Steps that may run at the same time.
    usual_retries : Retries
        How often to try a step again that does not say it.
    """

    plan: Plan
    run_id: str
    home: Path
    api_url: str | None
    flow_run: str = ""
    workers: int = 4
    usual_retries: Retries = USUAL_RETRIES


def run_flow(
    request: FlowRequest,
    runner: StepRunner,
    *,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
    recorded: Callable[[str], None] = lambda flow_run_id: None,
    pause: Callable[[], float] = lambda: random.uniform(1.0, 3.0),
) -> tuple[StepResult, ...]:
    """Run all steps of a plan as a Prefect flow.

    Parameters
    ----------
    runner : StepRunner
        Does the work.
    started, finished : callable
        Called for every step, one at a time, from the thread that runs it; skipped steps are only finished.
    recorded : callable
        Called with the flow run's id on the server, before the first step.
    pause : callable
        Seconds to wait before a further attempt if the request names none; random, so that many runs do not retry
        together.

    Returns
    -------
    tuple of StepResult
        In the plan's order, including failed steps.

    Raises
    ------
    Cancelled
        Ctrl-C or SIGTERM cancelled the run, within a second if called from the main thread; or the runner did.
    Suspended
        A person suspended the run on its Prefect page; the running steps have ended.
    EngineError
        The server cannot be reached, before anything has run.
    """
    execution = FlowExecution(request, runner, started, finished, pause)
    with ExitStack() as stack:
        if request.api_url is None:
            server = stack.enter_context(ephemeral_server(os.environ))
        else:
            server = Server(request.home, {**os.environ, "PREFECT_API_URL": request.api_url})
        # Only now: while that server starts, Ctrl-C ends this process as usual.
        stack.enter_context(signals_to(execution.cancel))
        # Not in the main thread: Prefect handles signals there itself, and a lost server would delay the end.
        thread = threading.Thread(
            target=_record, args=(execution, server, recorded), name="helio-flow", daemon=True
        )
        thread.start()
        execution.wait()
        if execution.cancelled.is_set():
            thread.join(GRACE)
        else:
            _wait_for_server(thread, server)
    _raise_what_ended(execution)
    return tuple(execution.results[step.step_id] for step in request.plan.steps)


def _raise_what_ended(execution: FlowExecution) -> None:
    """Raise the error that ended a flow before its last step; do nothing if the flow is complete."""
    if execution.bug is not None:
        raise execution.bug
    if execution.cancelled.is_set():
        raise Cancelled(
            "the run was cancelled", advice="run the same command to continue; finished steps are kept"
        )
    if execution.suspended and not execution.complete:
        raise Suspended(
            "the run was suspended on its Prefect page",
            advice="press Resume on its Prefect page to continue a scheduled run; run the same command again to "
            "continue any other run",
        )
    if execution.unreachable is not None:
        raise execution.unreachable


class FlowExecution:
    """Execution of the steps of one flow; independent of the server that records the steps."""

    def __init__(
        self,
        request: FlowRequest,
        runner: StepRunner,
        started: Callable[[PlannedStep], None],
        finished: Callable[[StepResult], None],
        pause: Callable[[], float],
    ) -> None:
        self.request = request
        self.steps = {step.step_id: step for step in request.plan.steps}
        self.results: dict[StepId, StepResult] = {}
        self.cancelled = threading.Event()
        self.suspended = False
        """Whether a person has suspended the run on its Prefect page; a suspended run begins no new steps and ends."""
        self.begun = False
        """Whether the server has accepted the run, so that the run appears on the server's pages."""
        self.over = threading.Event()
        """Set when all results exist, or when no more results will come."""
        self.bug: BaseException | None = None
        self.unreachable: EngineError | None = None
        self._runner = runner
        self._started = started
        self._finished = finished
        self._pause = pause
        self._telling = threading.Lock()

    @property
    def complete(self) -> bool:
        """Return whether every step has a result."""
        return len(self.results) == len(self.steps)

    def cancel(self) -> None:
        """Stop all running work and start no new work; return immediately, so that a signal handler may call this."""
        if not self.cancelled.is_set():
            self.cancelled.set()
            # In a separate thread: a signal handler that waited for a lock of the runner could wait forever.
            threading.Thread(target=self._runner.cancel, name="helio-cancel", daemon=True).start()

    def wait(self) -> None:
        """Wait until the flow has ended; after `cancel`, wait only for a limited time."""
        while not self.over.wait(0.2):
            if self.cancelled.is_set() and not self.over.wait(LETTING_GO):
                return

    def perform(self, task_run: TaskRun, show: Callable[[dict[str, Any]], None]) -> None:
        """Do a step, and show each state of its task run; a cancelled step has no result."""
        step = task_run.step
        show(task_run.enter("RUNNING", "Running"))
        try:
            result = self._do(step, lambda: show(task_run.enter("RUNNING", "Retrying")))
            self.results[step.step_id] = result
            with self._telling:
                self._finished(result)
        except Cancelled:
            self.cancel()
            show(task_run.enter("CANCELLED", "Cancelled", "the run was cancelled"))
        except BaseException as error:
            # A bug ends the run with its traceback, HelioError or not, and cancels running steps.
            log.exception("step %s", step.step_id)
            self.bug = self.bug or error
            self.cancel()
            show(task_run.enter("FAILED", "Failed", f"a bug in helio: {error!r}"))
        else:
            show(task_run.end(result))

    def _do(self, step: PlannedStep, retrying: Callable[[], None]) -> StepResult:
        """Do a step, again after an error that may pass, as often as the step or the request says."""
        reason = blocked_by(step, self.results)
        if reason:
            return StepResult(step, "skipped", reason=reason)
        with self._telling:
            self._started(step)
        result = attempt_step(
            step,
            self._runner.run_step,
            self.request.usual_retries,
            few=self._pause,
            wait=self.cancelled.wait,
            retrying=retrying,
        )
        if result.error is not None:
            log.error("%s", result.error)
        return result


def _record(execution: FlowExecution, server: Server, recorded: Callable[[str], None]) -> None:
    """Run the flow on the server; if an error occurs, store it in the execution for the waiting thread."""
    api_url = server.url
    try:
        with prefect_environment(execution.request.home, api_url):
            from helio.flows import engine

            engine.run(execution, server, recorded)
    except BaseException as error:  # noqa: BLE001 - raised by run_flow, since a thread cannot raise it to its caller
        _ended_badly(execution, api_url, error)
    finally:
        execution.over.set()


def _ended_badly(execution: FlowExecution, api_url: str, error: BaseException) -> None:
    import httpx

    if execution.bug is not None or execution.cancelled.is_set():
        log.debug("the flow ended with the error %r", error)
    elif execution.complete:
        # The work is done, even if the server was lost or a person cancelled the run there.
        log.warning("the server at %s does not show how this run ended: %r", api_url, error)
    elif execution.begun or not isinstance(error, (EngineError, httpx.HTTPError)):
        execution.bug = error
    else:
        execution.unreachable = EngineError(
            f"Prefect at {api_url} rejected the run: {error}",
            advice="check the server with `helio doctor`, or use --ephemeral",
        )
        execution.unreachable.__cause__ = error


def _wait_for_server(thread: threading.Thread, server: Server) -> None:
    """Wait until the server has recorded the flow; stop waiting if the server does not answer."""
    end = time.monotonic() + PATIENCE
    thread.join(1.0)
    while thread.is_alive() and time.monotonic() < end and server.is_up(ANSWER):
        thread.join(1.0)
    if thread.is_alive():
        log.warning("the server at %s does not answer; its pages may not show how this run ended", server.url)


@contextmanager
def signals_to(cancel: Callable[[], None]) -> Iterator[None]:
    """Call `cancel` on Ctrl-C or SIGTERM during a ``with`` block; a second signal has its usual effect."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; its owner cancels through the runner
        return
    before: dict[signal.Signals, Any] = {}

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    def handle(number: int, frame: object) -> None:
        del frame
        interrupts.take_signal(number)
        restore()
        log.info("%s: ending", signal.Signals(number).name)
        cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        restore()


class _SharedEnvironment:
    """Values of the environment variables before runs of this process changed them; restored after the last run."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs = 0
        self.before: dict[str, str | None] = {}


_SHARED = _SharedEnvironment()  # a process has one environment for all its runs


@contextmanager
def prefect_environment(home: Path, api_url: str) -> Iterator[None]:
    """Set the environment variables that Prefect reads, during a ``with`` block."""
    changes = {
        **SILENT,
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_API_URL": api_url,
        "PREFECT_LOGGING_CONFIG_PATH": str(Path(__file__).with_name("logging.yml")),
    }
    with _SHARED.lock:
        if not _SHARED.runs:
            names = (*changes, "no_proxy", "NO_PROXY")
            _SHARED.before = {name: os.environ.get(name) for name in names}
        if is_loopback(api_url):
            # An institute's proxy cannot reach this machine's loopback address.
            known = _SHARED.before["no_proxy"] or _SHARED.before["NO_PROXY"] or ""
            changes["no_proxy"] = changes["NO_PROXY"] = f"{known},127.0.0.1,localhost".lstrip(",")
        _SHARED.runs += 1
        os.environ.update(changes)
    try:
        yield
    finally:
        with _SHARED.lock:
            _SHARED.runs -= 1
            if not _SHARED.runs:
                for name, value in _SHARED.before.items():
                    if value is None:
                        os.environ.pop(name, None)
                    else:
                        os.environ[name] = value
