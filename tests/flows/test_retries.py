"""How often a step of a schedule is tried again, and with which pauses."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio.errors import NoData, RequestError, ServerUnavailable, WorkerKilled
from helio.flows.run import FlowExecution, FlowRequest
from helio.flows.schedule import Schedule, Schedules
from helio.flows.task_runs import TaskRun
from helio.pipelines.plan import PlannedStep, make_plan
from helio.pipelines.runs.execute import StepResult
from helio.pipelines.template.retries import Retries
from helio.settings import Settings
from tests.days import daily

PLAN = make_plan(daily(), now=datetime(2024, 6, 1), archive="cdaweb")


class Down:
    """A runner whose server is down for some attempts."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.attempts = 0

    def run_step(self, step: PlannedStep) -> StepResult:
        self.attempts += 1
        error = self.errors.pop(0) if self.errors else None
        if error is None:
            return StepResult(step, "completed")
        return StepResult(step, "failed", error=error)  # type: ignore[arg-type]

    def cancel(self) -> None:
        raise AssertionError("nobody cancels this run")


class Ended(Down):
    """A runner that may be cancelled."""

    def cancel(self) -> None:
        """Do nothing: no step is running."""


class Pauses(threading.Event):
    """An event that notes for how long somebody waits for it, and does not wait."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        return False


def attempts(
    tmp_path: Path, runner: Down, usual: Retries | None = None, own: Retries | None = None
) -> tuple[str, int, list[float | None]]:
    """The state of the step, how often it was tried, and the pauses before the further attempts."""
    request = FlowRequest(PLAN, "run", tmp_path, None)
    request = request if usual is None else replace(request, usual_retries=usual)
    execution = FlowExecution(request, runner, lambda step: None, lambda result: None, lambda: 2.0)
    execution.cancelled = pauses = Pauses()
    step = replace(PLAN.steps[0], retries=own)
    execution.perform(TaskRun(step, "flow-run", ()), lambda message: None)
    return execution.results[step.step_id].state, runner.attempts, pauses.seconds


def test_a_step_is_tried_once_more_after_some_seconds(tmp_path: Path) -> None:
    down = ServerUnavailable("the server is down")
    assert attempts(tmp_path, Down(down)) == ("completed", 2, [2.0])
    assert attempts(tmp_path, Down(down, down)) == ("failed", 2, [2.0])


def test_a_schedule_says_how_often_and_when(tmp_path: Path) -> None:
    down = ServerUnavailable("the server is down")
    assert attempts(tmp_path, Down(down, down, down), Retries(3, 300.0)) == ("completed", 4, [300.0] * 3)
    assert attempts(tmp_path, Down(down), Retries(0)) == ("failed", 1, [])


def test_a_step_that_says_its_own_retries_uses_none_of_its_schedule(tmp_path: Path) -> None:
    down, killed = ServerUnavailable("the server is down"), WorkerKilled("killed")
    schedule = Retries(1, 300.0)
    assert attempts(tmp_path, Down(down, killed), schedule, Retries(3, 30.0)) == ("completed", 3, [30.0] * 2)
    assert attempts(tmp_path, Down(down), schedule, Retries(3)) == ("completed", 2, [2.0])
    assert attempts(tmp_path, Down(down), schedule, Retries(0)) == ("failed", 1, [])


def test_a_cancelled_run_does_not_wait_for_a_retry(tmp_path: Path) -> None:
    request = FlowRequest(PLAN, "run", tmp_path, None, usual_retries=Retries(1, 80_000.0))
    runner = Ended(ServerUnavailable("the server is down"))
    execution = FlowExecution(request, runner, lambda step: None, lambda result: None, lambda: 2.0)
    step = PLAN.steps[0]

    def show(message: dict[str, Any]) -> None:
        if message["event"].endswith(".Retrying"):
            execution.cancel()

    execution.perform(TaskRun(step, "flow-run", ()), show)
    assert (execution.results, runner.attempts) == ({}, 1)


def test_an_error_that_stays_is_not_tried_again(tmp_path: Path) -> None:
    assert attempts(tmp_path, Down(NoData("no file")), Retries(3)) == ("failed", 1, [])


def test_the_retries_of_a_schedule_are_checked_and_kept(tmp_path: Path) -> None:
    schedules = Schedules(Settings(tmp_path))
    request = Schedule("s", "psp-bfield", "10 6 * * *", archive="sample", retries=3, retry_delay="5 min")
    added = schedules.add(request, now=datetime(2024, 6, 1))
    assert (added.retries, added.retry_delay) == (3, "5min")
    assert schedules.load("s") == added
    for wrong in ({"retry_delay": "soon"}, {"retry_delay": "2d"}, {"retries": 21}, {"retry_delay": "0s"}):
        with pytest.raises(RequestError) as caught:
            schedules.add(replace(request, name="other", **wrong), now=datetime(2024, 6, 1))  # type: ignore[arg-type]
        assert caught.value.advice
