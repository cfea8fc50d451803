"""Runs that are ended from outside, and servers that are lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from helio.errors import Cancelled, Suspended
from helio.flows.register import mark_crashed
from helio.flows.server import Server, notice
from tests.flows.conftest import ENVIRON, Run, Runner, Shown, chain
from tests.processes import command_of, descendants, is_running
from tests.waiting import LONG, wait_until, when_logged

pytestmark = [pytest.mark.server, pytest.mark.process]

SECONDS = str(LONG)
"""How long each step of a run takes that is ended before."""


@contextmanager
def a_run(home: Path, url: str, seconds: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A run in its own process, its first step at work, and the id of its flow run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.flows.a_run", str(home), url, seconds],
        cwd=Path(__file__).parents[2],
        env=ENVIRON,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        try:
            recorded = process.stdout.readline().split()
            assert recorded[0] == "recorded"
            assert process.stdout.readline().startswith("started")
            yield process, recorded[1]
        finally:
            process.kill()


SUSPENDED = {"type": "PAUSED", "name": "Suspended", "state_details": {"pause_reschedule": True}}


def _asked_on_its_page(
    server: Server, home: Path, step_id: str, state: dict[str, Any], later: dict[str, Any] | None = None
) -> Run:
    """A run for which somebody sets another state on the server while one of its steps runs.

    `later` is a state that somebody sets once the run has noticed that it is paused.
    """
    ids: list[str] = []

    def ask(state: dict[str, Any]) -> None:
        body = {"state": state, "force": True}
        server.request(f"/flow_runs/{ids[0]}/set_state", body)

    def outcome() -> str:
        ask(state)
        from helio.flows.engine import OFTEN  # it imports Prefect, which a collection of tests need not

        time.sleep(5 * OFTEN)  # longer than a look at the page is good for
        return "completed"

    with (
        nullcontext() if later is None else when_logged(notice.name, "the run is paused", lambda: ask(later))
    ):
        return Run(server, home, chain(4), Runner({step_id: outcome}), workers=1, ids=ids)


def test_a_suspended_run_begins_no_further_step_and_keeps_its_state(server: Server, home: Path) -> None:
    run = _asked_on_its_page(server, home, "b", SUSPENDED)
    assert isinstance(run.raised, Suspended)
    assert run.started == ["b"]
    assert run.shown.run["state_name"] == "Suspended"


def test_a_paused_run_goes_on_when_it_is_resumed(server: Server, home: Path) -> None:
    run = _asked_on_its_page(server, home, "b", {"type": "PAUSED"}, {"type": "RUNNING"})
    assert set(run.states.values()) == {"completed"}
    assert run.shown.run["state_name"] == "Completed"


@pytest.mark.parametrize(
    ("asked", "later"), [({"type": "CANCELLING"}, None), ({"type": "PAUSED"}, {"type": "CANCELLED"})]
)
def test_a_run_that_is_cancelled_on_its_page_begins_no_further_step(
    asked: dict[str, Any], later: dict[str, Any] | None, server: Server, home: Path
) -> None:
    run = _asked_on_its_page(server, home, "b", asked, later)
    assert isinstance(run.raised, Cancelled)
    assert run.started == ["b"]
    run.shown.soon(lambda shown: shown.run["state_type"], "CANCELLED")


@pytest.mark.parametrize("asked", [SUSPENDED, {"type": "PAUSED"}, {"type": "CANCELLING"}])
def test_what_is_asked_during_the_last_step_comes_too_late(
    asked: dict[str, Any], server: Server, home: Path
) -> None:
    run = _asked_on_its_page(server, home, "figure", asked)
    assert set(run.states.values()) == {"completed"}
    assert run.shown.run["state_name"] == "Completed"


def test_a_run_that_is_asked_for_again_as_it_ends_stays_asked_for(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from helio.flows import engine

    run_flow = engine.run_flow_sync

    def run_and_retry(flow: Any, *, flow_run: Any, **options: Any) -> Any:
        ended = run_flow(flow, flow_run=flow_run, **options)
        retry = {"state": {"type": "SCHEDULED", "name": "AwaitingRetry"}, "force": True}
        server.request(f"/flow_runs/{flow_run.id}/set_state", retry)
        return ended

    monkeypatch.setattr(engine, "run_flow_sync", run_and_retry)
    run = Run(server, home, chain(3), Runner())
    assert set(run.states.values()) == {"completed"}
    assert run.shown.run["state_name"] == "AwaitingRetry"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_runner_and_the_run(server: Server, home: Path, number: signal.Signals) -> None:
    with a_run(home, server.url, SECONDS) as (process, flow_run_id):
        process.send_signal(number)
        said, _ = process.communicate(timeout=LONG)
        assert "cancel\n" in said
        assert "cancelled\n" in said
        assert process.returncode == 130
    shown = Shown(server, flow_run_id)
    shown.soon(lambda shown: shown.run["state_name"], "Cancelled")
    shown.soon(lambda shown: set(shown.states.values()), {"Cancelled"})


def test_a_run_whose_process_is_gone_is_marked_as_crashed(server: Server, home: Path) -> None:
    with a_run(home, server.url, SECONDS) as (process, flow_run_id):
        shown = Shown(server, flow_run_id)
        shown.soon(lambda shown: shown.states, {"b": "Running", "apart": "Running"})
        process.kill()
        process.wait()
    assert shown.run["state_name"] == "Running"
    assert mark_crashed(server, [flow_run_id]) == (flow_run_id,)
    assert shown.run["state_name"] == "Crashed"
    shown.soon(lambda shown: set(shown.states.values()), {"Crashed"})
    assert mark_crashed(server, [flow_run_id]) == ()


def test_a_server_killed_in_mid_run_does_not_lose_the_run(tmp_path: Path) -> None:
    server = Server(tmp_path, ENVIRON)
    server.start()
    try:
        server.wait()
        with a_run(tmp_path, server.url, "0.5") as (process, _):
            os.kill(json.loads((tmp_path / "prefect/server.json").read_text())["pid"], signal.SIGKILL)
            said, _ = process.communicate(timeout=LONG)
            assert "states completed completed completed completed completed" in said
            assert process.returncode == 0
        assert not server.is_up()
    finally:
        server.stop()


def test_an_ephemeral_run_needs_no_server_and_leaves_none(home: Path) -> None:
    with a_run(home, "ephemeral", SECONDS) as (process, _):
        servers = _servers_of(process.pid)
        assert len(servers) == 1
        folder = Path(f"/proc/{servers[0]}/cwd").resolve().parent
        assert folder.name.startswith("helio-prefect-")
        process.kill()
        process.wait()
    wait_until(lambda: not any(map(is_running, servers)), "the end of the server")
    assert not folder.exists()


def _servers_of(pid: int) -> list[int]:
    if not Path(f"/proc/{pid}/task/{pid}/children").exists():
        pytest.skip("this kernel does not list children")
    return [
        process
        for process in descendants(pid)
        if any("helio.flows.application" in word for word in command_of(process))
    ]
