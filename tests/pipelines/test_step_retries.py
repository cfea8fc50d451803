"""How often a step of a template is tried again: what may stand in it, what a run does, and what it records."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helio.clock import Clock
from helio.errors import (
    Cancelled,
    HelioError,
    NoData,
    RateLimited,
    ServerUnavailable,
    WorkerKilled,
    may_pass,
)
from helio.pipelines.changes import changes
from helio.pipelines.plan import Plan, check, make_plan
from helio.pipelines.runs.basis import steps_of
from helio.pipelines.runs.execute import Execution, PlanResult, execute
from helio.pipelines.runs.record import step_record
from helio.pipelines.runs.worker_pool import Workers
from helio.pipelines.template.retries import Retries
from helio.store.store import Store
from helio.store.table import Table
from helio.testing import FakeClock
from helio.time_range import TimeRange
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template
from tests.pipelines.runs.test_execute import Served

DOWN = ServerUnavailable("the server is down")


def planned(*steps: dict[str, Any], **more: Any) -> Plan:
    return make_plan(template(*steps), now=NOW, archive="x", **more)


def retries(plan: Plan) -> dict[Any, Retries | None]:
    return {step.step_id: step.retries for step in plan.steps}


# ---- in a template


def test_a_step_says_how_often_and_after_which_pause() -> None:
    plan = planned(fetch(1, retries=3, retry_delay="5 min"), render(2, ("AC_H2_MFI.BGSEc",)))
    assert retries(plan) == {1: Retries(3, 300.0), 2: None}
    assert retries(planned(fetch(1, retries=0), render(2, ("AC_H2_MFI.BGSEc",))))[1] == Retries(0)


@pytest.mark.parametrize(
    ("wrong", "place", "words"),
    [
        ({"retries": "many"}, "retries", '"many" is not a whole number'),
        ({"retries": 1.5}, "retries", "1.5 is not a whole number"),
        ({"retries": True}, "retries", "true is not a whole number"),
        ({"retries": -1}, "retries", "-1 is below 0"),
        ({"retries": 21}, "retries", "21 is above 20"),
        ({"retries": 3, "retry_delay": 30}, "retry_delay", "30 is not a length of time"),
        ({"retries": 3, "retry_delay": "30"}, "retry_delay", "duration '30' is not understood"),
        ({"retries": 3, "retry_delay": "soon"}, "retry_delay", "duration 'soon' is not understood"),
        ({"retries": 3, "retry_delay": "0s"}, "retry_delay", "duration '0s' is zero"),
        ({"retries": 20, "retry_delay": "2h"}, "retry_delay", "would occupy a run for too long"),
        ({"retry_delay": "30s"}, "retry_delay", "has no effect without 'retries'"),
    ],
)
def test_a_wrong_value_names_its_place_and_what_to_write(
    wrong: dict[str, Any], place: str, words: str
) -> None:
    [error] = check(template(fetch(1, **wrong)), now=NOW).errors
    assert (error.code, error.path) == ("HV101", f"/steps/0/{place}")
    assert words in error.message
    assert error.advice


@pytest.mark.parametrize(
    "written",
    [
        {"max_retries": 3, "retry_delay_seconds": 30},
        {"maxRetries": "3", "retry_delay": "30s"},
        {"num_retries": 3.0, "retry_wait": "0.5min"},
    ],
)
def test_names_of_other_programs_are_read(written: dict[str, Any]) -> None:
    plan = planned(fetch(1, **written), render(2, ("AC_H2_MFI.BGSEc",)))
    assert retries(plan)[1] == Retries(3, 30.0)


def test_a_change_is_shown_and_changes_no_data() -> None:
    before = template(fetch(1), render(2, ("AC_H2_MFI.BGSEc",)))
    after = template(fetch(1, retries=3, retry_delay="30s"), render(2, ("AC_H2_MFI.BGSEc",)))
    assert [str(change) for change in changes(before, after)] == [
        "step 1: retries: 3",
        "step 1: retry delay: 30s",
    ]
    assert not any(change.is_of_data for change in changes(before, after))


@pytest.mark.parametrize("more", [{"retries": 3}, {"retries": 20, "retry_delay": "1h"}])
def test_no_step_counts_as_changed(more: dict[str, Any]) -> None:
    both = fetch(1, **more), fetch(2, args={"parameter_id": "Magnitude"})
    plain = fetch(1), fetch(2, args={"parameter_id": "Magnitude"})
    with_retries, without = planned(*both), planned(*plain)
    assert steps_of(with_retries.normalised) == steps_of(without.normalised)


def test_a_step_that_does_the_work_of_several_has_the_most_retries() -> None:
    other = fetch(2, args={"parameter_id": "Magnitude"}, retries=5, retry_delay="1min")
    merged = planned(fetch(1, retries=2), other, render(3, ("AC_H2_MFI.BGSEc", "AC_H2_MFI.Magnitude")))
    assert retries(merged) == {1: Retries(5, 60.0), 3: None}
    equal = planned(fetch(1), fetch(2, retries=4), render(3, ("AC_H2_MFI.BGSEc",)))
    assert retries(equal) == {1: Retries(4), 3: None}


def test_the_steps_of_a_block_have_its_retries_unless_they_say_their_own() -> None:
    args = {"dataset_id": "$D", "parameter_id": "B", "time_range": "2024-01-10", "output_label": "B-$D"}
    inner = [
        fetch("get", args=args, pin=["time_range"]),
        magnitude("mag", "B-$D", "M-$D", depends_on=["get"], retries=0),
    ]
    each = {"as": "$D", "over": ["P", "Q"]}
    plan = planned(
        {"step_id": "m", "for_each": each, "block": inner, "retries": 3, "retry_delay": "10s"},
        render("figure", ("M-*",)),
    )
    assert retries(plan) == {
        "m[P].get": Retries(3, 10.0),
        "m[P].mag": Retries(0),
        "m[Q].get": Retries(3, 10.0),
        "m[Q].mag": Retries(0),
        "figure": None,
    }


def test_two_loops_that_become_one_keep_their_own_retries() -> None:
    args = {"dataset_id": "$D", "parameter_id": "B", "time_range": "2024-01-10", "output_label": "B-$D"}
    each = {"as": "$D", "over": ["P", "Q"]}
    plan = planned(
        fetch("get", args=args, pin=["time_range"], for_each=each, retries=3),
        magnitude("mag", "B-$D", "M-$D", for_each=each, depends_on=["get"]),
        render("figure", ("M-*",)),
    )
    assert {step.tool_name: step.retries for step in plan.steps} == {
        "fetch_data": Retries(3),
        "magnitude": None,
        "render_spec": None,
    }


def test_a_pipeline_that_a_step_calls_has_its_retries() -> None:
    called = template(fetch(1), magnitude(2, "AC_H2_MFI.BGSEc", "B")) | {"id": "field"}
    plan = planned(
        {"step_id": "call", "use": "field", "retries": 2},
        render("figure", ("B",)),
        pipelines={"field": called},
    )
    assert {step.tool_name: step.retries for step in plan.steps} == {
        "fetch_data": Retries(2),
        "magnitude": Retries(2),
        "render_spec": None,
    }


# ---- in a run without an engine


class Failing(Served):
    """Serves data after some errors."""

    def __init__(self, *errors: HelioError) -> None:
        super().__init__()
        self.errors = list(errors)

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        if self.errors:
            self.asked.append(dataset_id)
            raise self.errors.pop(0)
        return super().fetch(dataset_id, parameters, time_range)


class Dying(Workers):
    """Workers whose process is killed some times."""

    def __init__(self, deaths: int) -> None:
        super().__init__(1)
        self.deaths = deaths

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.deaths:
            self.deaths -= 1
            raise WorkerKilled("the process of the step was killed (signal 9)")
        return super().run(request)


def fetched(
    place: Path, served: Served, clock: Clock, workers: Workers | None = None, **more: Any
) -> PlanResult:
    field = fetch(1, args={"dataset_id": "GOOD", "output_label": "B"}, **more)
    plan = planned(field, magnitude(2, "B", "Bmag", **more))
    with workers or Workers(1) as opened:
        return execute(Execution(plan, Store(place), served, opened, clock))


@pytest.mark.process
def test_a_run_tries_as_often_as_the_step_says_and_its_record_says_how_often(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock, served = FakeClock(), Failing(DOWN, RateLimited("too many requests"))
    result = fetched(tmp_path, served, clock, retries=3, retry_delay="30s")
    assert (result.status, clock.slept, len(served.asked)) == ("success", [30.0, 30.0], 3)
    assert [step_record(step).get("tries") for step in result.steps] == [3, None, None]
    said = [record.getMessage() for record in caplog.records if "tries the step again" in record.getMessage()]
    assert said == [
        "step 1: the server is down; helio tries the step again in 30 s (1 of 3)",
        "step 1: too many requests; helio tries the step again in 30 s (2 of 3)",
    ]


@pytest.mark.process
def test_a_run_gives_up_after_the_last_retry(tmp_path: Path) -> None:
    clock = FakeClock()
    result = fetched(tmp_path, Failing(DOWN, DOWN, DOWN), clock, retries=2)
    assert (result.status, clock.slept) == ("failed", [2.0, 2.0])
    assert step_record(result.steps[0])["tries"] == 3


@pytest.mark.process
@pytest.mark.parametrize("error", [NoData("no file"), HelioError("wrong")])
def test_an_error_that_stays_is_not_tried_again(tmp_path: Path, error: HelioError) -> None:
    clock = FakeClock()
    result = fetched(tmp_path, Failing(error), clock, retries=3)
    assert (result.status, clock.slept) == ("failed", [])
    assert "tries" not in step_record(result.steps[0])


@pytest.mark.process
def test_a_bug_is_not_tried_again(tmp_path: Path) -> None:
    class Broken(Served):
        def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> Any:
            raise ZeroDivisionError

    clock = FakeClock()
    with pytest.raises(ZeroDivisionError):
        fetched(tmp_path, Broken(), clock, retries=3)
    assert clock.slept == []


@pytest.mark.process
def test_a_step_whose_process_was_killed_is_tried_again(tmp_path: Path) -> None:
    clock = FakeClock()
    result = fetched(tmp_path, Served(), clock, Dying(2), retries=2, retry_delay="1s")
    assert (result.status, clock.slept) == ("success", [1.0, 1.0])
    assert [step.tries for step in result.steps] == [1, 3, 1]
    assert may_pass("WorkerKilled")


@pytest.mark.process
def test_without_retries_a_direct_run_tries_once(tmp_path: Path) -> None:
    assert fetched(tmp_path, Failing(DOWN), FakeClock()).status == "failed"


@pytest.mark.process
def test_retries_change_no_key_and_make_nothing_again(tmp_path: Path) -> None:
    first = fetched(tmp_path, Served(), FakeClock())
    again = fetched(tmp_path, Served(), FakeClock(), retries=3, retry_delay="30s")
    assert {step.state for step in again.steps} == {"cached"}
    assert [[output.key for output in step.outputs] for step in again.steps] == [
        [output.key for output in step.outputs] for step in first.steps
    ]


@pytest.mark.process
def test_a_cancelled_run_does_not_wait_for_its_retry(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        _cancelled_in_the_pause(tmp_path, threading.Event())


def _cancelled_in_the_pause(place: Path, waited: threading.Event) -> None:
    plan = planned(fetch(1, args={"dataset_id": "DOWN"}, retries=1, retry_delay="12h"))
    with Workers(1) as workers:

        def sleep(seconds: float, ended: threading.Event) -> None:
            threading.Thread(target=execution.cancel).start()
            assert ended.wait(seconds)  # the real pause, which the test would not survive
            waited.set()

        execution = Execution(plan, Store(place), Served(), workers, Clock(sleep=sleep))
        execute(execution)
