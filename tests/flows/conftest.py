"""A real Prefect server on loopback, and runners that do what a test says instead of work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from helio.errors import Cancelled, HelioError
from helio.flows.run import FlowRequest, run_flow
from helio.flows.server import Server
from helio.pipelines.plan import Plan, PlannedStep, make_plan
from helio.pipelines.runs.execute import StepResult
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template
from tests.waiting import LONG, wait_until

ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Let no request of a test's own process fail because a busy machine takes long to answer it."""
    call = Server._call

    def patient_call(
        server: Server, path: str, body: Any, authorization: Mapping[str, str], method: str, timeout: float
    ) -> Any:
        return call(server, path, body, authorization, method, max(timeout, LONG))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Server, "_call", patient_call)
        yield


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[Server]:
    one = Server(home, ENVIRON)
    with one.used():  # otherwise it would end itself while a worker runs other tests
        one.start()
        one.wait()
        yield one
    one.stop()


class Runner:
    """Each step gives what `outcomes` says: results' states, errors, or a list of them, one per attempt."""

    def __init__(self, outcomes: Mapping[Any, Any] | None = None, *, takes: float = 0.0) -> None:
        self.outcomes = dict(outcomes or {})
        self.takes = takes
        self.order: list[Any] = []
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def run_step(self, step: PlannedStep) -> StepResult:
        with self._lock:
            self.order.append(step.step_id)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._act(step)
        finally:
            with self._lock:
                self._now -= 1

    def _act(self, step: PlannedStep) -> StepResult:
        outcome = self.outcomes.get(step.step_id, "completed")
        if isinstance(outcome, list):
            outcome = outcome.pop(0)
        if callable(outcome):
            outcome = outcome()
        if self.stopped.wait(self.takes):
            raise Cancelled("stopped")
        if isinstance(outcome, HelioError) and not isinstance(outcome, Cancelled):
            return StepResult(step, "failed", error=outcome)
        if isinstance(outcome, BaseException):
            raise outcome
        return StepResult(step, outcome)

    def cancel(self) -> None:
        self.stopped.set()


def average(step_id: str, window: str, **changes: Any) -> dict[str, Any]:
    """Each another window: a pass leaves out work that is done already."""
    args = {"source_label": "AC_H2_MFI.BGSEc", "window": window, "output_label": step_id}
    return {"step_id": step_id, "tool_name": "running_average", "tool_args": args, **changes}


def chain(length: int = 3, *, critical: bool = True, **changes: Any) -> Plan:
    """b, then length - 2 averages of it, m0 and on, none of which waits for another, then a figure of them all."""
    averages = [average(f"m{number}", f"{number + 1}min", critical=critical) for number in range(length - 2)]
    drawn = tuple(step["step_id"] for step in averages) or ("AC_H2_MFI.BGSEc",)
    steps = [fetch("b", critical=critical), *averages, {**render("figure", drawn), "critical": critical}]
    return make_plan(template(*steps, **changes), now=NOW, archive="sample")


def diamond(*, left: bool = True, critical: bool = True) -> Plan:
    """b, then left and right, then figure; and apart, which depends on nothing."""
    return make_plan(
        template(
            fetch("b", critical=critical),
            magnitude("left", label="L", critical=left and critical),
            average("right", "5min", critical=critical),
            {**render("figure", ("L", "right")), "critical": left and critical},
            fetch("apart", args={"dataset_id": "STA_L1_HET", "parameter_id": "Proton_Flux"}),
            id="diamond",
        ),
        now=NOW,
        archive="sample",
    )


class Shown:
    """What the server shows of one run."""

    def __init__(self, server: Server, flow_run_id: str) -> None:
        self._server = server
        self.id = flow_run_id

    @property
    def run(self) -> dict[str, Any]:
        return dict(self._server.request(f"/flow_runs/{self.id}"))

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        found = self._server.request("/task_runs/filter", {"flow_runs": {"id": {"any_": [self.id]}}})
        return {task["name"]: task for task in found}

    @property
    def states(self) -> dict[str, str]:
        """The server names a state in the task run a moment before it stores the state itself."""
        return {name: task["state"]["name"] for name, task in self.tasks.items() if task["state"]}

    @property
    def edges(self) -> set[tuple[str, str]]:
        tasks = self.tasks
        names = {task["id"]: name for name, task in tasks.items()}
        return {
            (names[need["id"]], name)
            for name, task in tasks.items()
            for needs in task["task_inputs"].values()
            for need in needs
        }

    @property
    def graph(self) -> set[tuple[str, str]]:
        nodes = dict(self._server.request(f"/flow_runs/{self.id}/graph-v2")["nodes"])
        return {
            (node["label"], nodes[child["id"]]["label"])
            for node in nodes.values()
            for child in node["children"]
        }

    @property
    def log(self) -> list[tuple[str | None, str]]:
        """Each message with the id of the task run that wrote it."""
        found = self._server.request("/logs/filter", {"logs": {"flow_run_id": {"any_": [self.id]}}})
        return [(entry["task_run_id"], entry["message"]) for entry in found]

    def soon(self, what: Callable[[Shown], Any], expected: Any) -> None:
        """The server records task runs a little after they ended."""
        wait_until(lambda: what(self) == expected, f"{expected}")


class Run:
    """One run of a plan: its results, or what was raised, and what the server shows of it."""

    def __init__(self, server: Server, home: Path, plan: Plan, runner: Runner, **options: Any) -> None:
        self.started: list[Any] = []
        self.finished: list[tuple[Any, str]] = []
        ids: list[str] = options.pop("ids", [])
        self.raised: BaseException | None = None
        self.results: tuple[StepResult, ...] = ()
        try:
            self.results = run_flow(
                FlowRequest(plan, "the-run", home, server.url, workers=options.pop("workers", 4)),
                runner,
                started=lambda step: self.started.append(step.step_id),
                finished=lambda result: self.finished.append((result.step.step_id, result.state)),
                recorded=ids.append,
                **{"pause": lambda: 0.0, **options},
            )
        except (HelioError, ZeroDivisionError) as error:
            self.raised = error
        self.shown = Shown(server, ids[0])

    @property
    def states(self) -> dict[Any, str]:
        return {result.step.step_id: result.state for result in self.results}
