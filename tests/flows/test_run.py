"""Plans as flows, read back from the server as the UI reads them."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from helio.errors import Cancelled, EngineError, NoData, RateLimited, ServerUnavailable
from helio.flows import engine
from helio.flows.run import FlowRequest, run_flow
from helio.flows.server import Server
from tests.flows.conftest import ENVIRON, Run, Runner, Shown, chain, diamond
from tests.waiting import LONG

pytestmark = [pytest.mark.server, pytest.mark.process]

DIAMOND = {("b", "left"), ("b", "right"), ("left", "figure"), ("right", "figure")}


def test_the_graph_has_the_templates_edges_and_no_others(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(), Runner())
    one.shown.soon(lambda shown: shown.edges, DIAMOND)
    assert one.shown.graph == DIAMOND


def test_a_run_that_succeeds_is_completed_step_by_step(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(), Runner())
    assert [result.step.step_id for result in one.results] == ["b", "left", "right", "figure", "apart"]
    one.shown.soon(
        lambda shown: shown.states, dict.fromkeys(("b", "left", "right", "figure", "apart"), "Completed")
    )
    assert one.shown.run["state_name"] == "Completed"
    assert sorted(one.started) == sorted(step for step, _ in one.finished) == sorted(one.states)


def test_independent_steps_run_together(server: Server, home: Path) -> None:
    together = threading.Barrier(3, timeout=LONG)

    def meet() -> str:
        together.wait()
        return "completed"

    one = Run(server, home, chain(5), Runner({f"m{i}": meet for i in range(3)}))
    assert set(one.states.values()) == {"completed"}


def test_no_more_steps_run_together_than_workers(server: Server, home: Path) -> None:
    two = threading.Barrier(2, timeout=LONG)

    def meet() -> str:
        two.wait()
        return "completed"

    runner = Runner({f"m{number}": meet for number in range(6)}, takes=0.05)
    one = Run(server, home, chain(8), runner, workers=2)
    assert set(one.states.values()) == {"completed"}
    assert runner.most == 2


def test_a_failure_skips_all_that_depends_on_it_and_nothing_else(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(), Runner({"b": NoData("no record in the interval")}))
    expected = {
        "b": "failed",
        "left": "skipped",
        "right": "skipped",
        "figure": "skipped",
        "apart": "completed",
    }
    assert one.states == expected
    one.shown.soon(
        lambda shown: shown.states,
        {"b": "Failed", "left": "Skipped", "right": "Skipped", "figure": "Skipped", "apart": "Completed"},
    )
    assert one.shown.graph == DIAMOND
    tasks, run = one.shown.tasks, one.shown.run
    assert tasks["b"]["state"]["message"] == "no record in the interval"
    assert tasks["left"]["state"]["type"] == "CANCELLED"
    assert tasks["left"]["state"]["message"] == "step b failed"
    assert tasks["figure"]["state"]["message"] == "step left was skipped"
    assert (run["state_type"], run["state_name"]) == ("FAILED", "CriticalFailure")
    assert "step b failed: no record in the interval" in run["state"]["message"]
    assert one.started.count("left") == 0
    assert ("left", "skipped") in one.finished


def test_a_failure_that_is_not_critical_leaves_a_partial_run(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(left=False), Runner({"left": NoData("nothing")}))
    assert one.states == one.states | {"left": "failed", "figure": "completed"}
    run = one.shown.run
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Partial")


def test_a_run_in_which_nothing_was_done_has_failed(server: Server, home: Path) -> None:
    plan = chain(3, critical=False)
    one = Run(server, home, plan, Runner({"b": NoData("nothing")}))
    assert (one.shown.run["state_type"], one.shown.run["state_name"]) == ("FAILED", "Failed")


def test_a_step_from_the_store_is_cached(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(), Runner({"b": "cached"}))
    assert one.states["left"] == "completed"
    one.shown.soon(lambda shown: shown.states.get("b"), "Cached")


def test_a_transient_error_is_tried_once_more(server: Server, home: Path) -> None:
    runner = Runner({"b": [ServerUnavailable("down"), "completed"]})
    one = Run(server, home, chain(3), runner)
    assert one.states == {"b": "completed", "m0": "completed", "figure": "completed"}
    assert runner.order == ["b", "b", "m0", "figure"]
    assert (one.started, one.finished) == (["b", "m0", "figure"], list(one.states.items()))
    one.shown.soon(lambda shown: shown.tasks.get("b", {}).get("run_count"), 2)
    history = server.request(f"/task_run_states/?task_run_id={one.shown.tasks['b']['id']}")
    assert [state["name"] for state in history if state["type"] == "RUNNING"] == ["Running", "Retrying"]


def test_a_transient_error_is_not_tried_a_third_time(server: Server, home: Path) -> None:
    runner = Runner({"b": [RateLimited("slower"), RateLimited("slower")]})
    one = Run(server, home, chain(3), runner)
    assert one.states == {"b": "failed", "m0": "skipped", "figure": "skipped"}
    assert runner.order == ["b", "b"]


def test_an_error_that_will_not_pass_is_not_tried_again(server: Server, home: Path) -> None:
    runner = Runner({"b": NoData("nothing")})
    Run(server, home, chain(3), runner)
    assert runner.order == ["b"]


def test_names_tags_and_parameters_say_what_ran(server: Server, home: Path) -> None:
    one = Run(server, home, diamond(left=False), Runner())
    run = one.shown.run
    assert run["name"] == "diamond 2024-01-10/2024-01-11"
    assert set(run["tags"]) == {"helio", "diamond"}
    assert run["parameters"] == {"TIME_RANGE": "2024-01-10 to 2024-01-11"}
    assert run["context"] == {"helio_run": "the-run"}
    one.shown.soon(lambda shown: shown.tasks.get("b", {}).get("tags"), ["critical"])
    one.shown.soon(lambda shown: shown.tasks.get("left", {}).get("tags"), [])


def test_what_a_step_logs_stands_with_its_task_run(server: Server, home: Path) -> None:
    def say() -> str:
        logging.getLogger("helio.sources.test").warning("two records out of order")
        return "completed"

    one = Run(server, home, chain(3), Runner({"b": say}))
    one.shown.soon(lambda shown: len(shown.tasks), 3)
    one.shown.soon(lambda shown: shown.log, [(one.shown.tasks["b"]["id"], "two records out of order")])


def test_nothing_is_said_on_the_terminal(
    server: Server, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Run(server, home, diamond(), Runner({"left": NoData("nothing")}))
    assert capfd.readouterr() == ("", "")


def test_a_bug_in_a_step_is_raised_and_ends_the_run(server: Server, home: Path) -> None:
    runner = Runner({"b": ZeroDivisionError("a bug")})
    one = Run(server, home, chain(3), runner)
    assert isinstance(one.raised, ZeroDivisionError)
    assert runner.order == ["b"]
    one.shown.soon(lambda shown: shown.run["state_type"], "FAILED")
    assert "ZeroDivisionError" in one.shown.run["state"]["message"]


def test_a_bug_in_a_callback_is_raised(server: Server, home: Path) -> None:
    def broken(step: object) -> None:
        raise LookupError("a bug")

    with pytest.raises(LookupError, match="a bug"):
        run_flow(FlowRequest(chain(3), "r", home, server.url), Runner(), started=broken)


def test_a_runner_that_was_cancelled_cancels_the_run(server: Server, home: Path) -> None:
    runner = Runner({"left": Cancelled("stopped")})
    one = Run(server, home, diamond(), runner)
    assert isinstance(one.raised, Cancelled)
    one.shown.soon(lambda shown: shown.run["state_type"], "CANCELLED")
    assert "figure" not in runner.order


def test_an_address_where_nobody_is_says_so(home: Path) -> None:
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:9/api rejected the run"):
        run_flow(FlowRequest(chain(3), "r", home, "http://127.0.0.1:9/api"), Runner())


def test_a_run_that_somebody_cancels_on_the_server_keeps_its_results(server: Server, home: Path) -> None:
    ids: list[str] = []

    def cancelled_there() -> str:
        state = {"state": {"type": "CANCELLED"}, "force": True}
        server.request(f"/flow_runs/{ids[0]}/set_state", state)
        return "completed"

    results = run_flow(
        FlowRequest(chain(3), "r", home, server.url), Runner({"b": cancelled_there}), recorded=ids.append
    )
    assert [result.state for result in results] == ["completed"] * 3


@pytest.mark.parametrize("lost", [True, False])
def test_a_run_whose_server_was_lost_while_it_began_does_its_work(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch, *, lost: bool
) -> None:
    def begin(*args: object, **options: object) -> None:
        """Return, or raise, as Prefect does if the server was killed before it accepted the state of the run."""
        if lost:
            raise httpx.ConnectError("all connection attempts failed")

    monkeypatch.setattr(engine, "run_flow_sync", begin)
    ids: list[str] = []
    request = FlowRequest(chain(3), "r", home, server.url)
    results = run_flow(request, Runner(), recorded=ids.append)
    assert [result.state for result in results] == ["completed"] * 3
    assert Shown(server, ids[0]).run["state_name"] == "Completed"


def test_a_run_that_somebody_ended_before_its_first_step_is_cancelled(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*args: object, flow_run: Any, **options: object) -> None:
        state = {"state": {"type": "CANCELLED"}, "force": True}
        server.request(f"/flow_runs/{flow_run.id}/set_state", state)

    monkeypatch.setattr(engine, "run_flow_sync", end)
    runner = Runner()
    with pytest.raises(Cancelled):
        run_flow(FlowRequest(chain(3), "r", home, server.url), runner)
    assert runner.order == []


def test_two_runs_at_once_keep_apart(server: Server, home: Path) -> None:
    plans = [chain(3, id=f"run-{number}") for number in (1, 2)]
    runs: list[Run] = []
    threads = [
        threading.Thread(target=lambda plan=plan: runs.append(Run(server, home, plan, Runner(takes=0.2))))
        for plan in plans
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for summary in runs:
        summary.shown.soon(
            lambda shown: shown.states, {"b": "Completed", "m0": "Completed", "figure": "Completed"}
        )


def test_a_run_within_another_keeps_its_states_and_its_log_apart(server: Server, home: Path) -> None:
    log = logging.getLogger("helio.sources.test")
    inner: list[Run] = []

    def run_another() -> str:
        inner.append(Run(server, home, chain(3, id="inner"), Runner({"m0": lambda: say("inner")})))
        return "completed"

    def say(words: str) -> str:
        log.warning(words)
        return "completed"

    outer = Run(server, home, chain(3), Runner({"b": run_another, "m0": lambda: say("outer")}))
    for run, words in ((outer, "outer"), (inner[0], "inner")):
        assert set(run.states.values()) == {"completed"}
        run.shown.soon(lambda shown: shown.states, dict.fromkeys(("b", "m0", "figure"), "Completed"))
        step_id = run.shown.tasks["m0"]["id"]
        run.shown.soon(lambda shown: shown.log, [(step_id, words)])


def test_the_users_own_prefect_home_is_left_alone(server: Server, home: Path, tmp_path: Path) -> None:

    code = f"""
from pathlib import Path
from helio.flows.run import FlowRequest, run_flow
from tests.flows.conftest import Runner, chain
run_flow(FlowRequest(chain(3), "r", Path({str(home)!r}), {server.url!r}), Runner())
"""
    subprocess.run(
        [sys.executable, "-c", code], env={**ENVIRON, "HOME": str(tmp_path)}, check=True, timeout=LONG
    )
    assert [path.name for path in tmp_path.iterdir()] == []
