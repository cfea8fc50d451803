"""States of task runs, and the thread that sends them."""

from __future__ import annotations

import queue
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio.errors import EngineError
from helio.flows import task_runs
from helio.flows.server import Server
from helio.flows.task_runs import EVENTS, LOGS, MOST, Sender, TaskRun
from helio.pipelines.runs.execute import StepResult
from tests.flows.conftest import diamond
from tests.waiting import LONG

STATES = (("RUNNING", "Running"), ("RUNNING", "Retrying"))


def test_a_task_run_has_its_step_its_edges_and_its_times() -> None:
    b, left, *_ = diamond().steps
    first = TaskRun(b, "the-flow-run", [])
    second = TaskRun(left, "the-flow-run", [first])
    events = [second.enter(*state) for state in STATES] + [second.end(StepResult(left, "completed"))]
    times = [datetime.fromisoformat(event["occurred"]) for event in events]
    assert times == sorted(set(times))
    assert len({event["id"] for event in events}) == 3
    shown = [event["payload"]["task_run"] for event in events]
    assert [facts["run_count"] for facts in shown] == [1, 2, 2]
    last = shown[-1]
    assert last["name"] == "left"
    assert last["task_inputs"] == {"wait_for": [{"input_type": "task_run", "id": first.id}]}
    assert (last["start_time"], last["end_time"]) == (events[0]["occurred"], events[2]["occurred"])
    assert last["total_run_time"] == pytest.approx((times[2] - times[0]).total_seconds())
    assert "end_time" not in shown[1]


def test_states_at_one_instant_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2024, 1, 1, tzinfo=tz)

    monkeypatch.setattr(task_runs, "datetime", Stopped)
    task_run = TaskRun(diamond().steps[0], "the-flow-run", [])
    times = [task_run.enter(*state)["occurred"] for state in STATES]
    assert times == sorted(set(times))


class Post:
    """A server that takes messages when a test lets it; a test may take it away."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()
        self.asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.gone = 0
        self.taken: list[tuple[str, list[int]]] = []

    def request(self, path: str, body: list[dict[str, int]], *, timeout: float) -> None:
        assert timeout > 0
        self.asked.put(path)
        assert self.open.wait(LONG)
        if self.gone:
            self.gone -= 1
            raise EngineError("nobody is there")
        self.taken.append((path, [message["number"] for message in body]))


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def sender(post: Post) -> Sender:
    return Sender(post)  # type: ignore[arg-type]


def test_what_comes_while_the_server_is_slow_is_sent_together_and_in_order(
    post: Post, sender: Sender
) -> None:
    post.open.clear()
    sender.put(EVENTS, {"number": 0})
    post.asked.get(timeout=LONG)
    for number in range(1, MOST + 3):
        sender.put(EVENTS, {"number": number})
    sender.put(LOGS, {"number": 0})
    post.open.set()
    sender.close()
    assert post.taken == [
        (EVENTS, [0]),
        (EVENTS, list(range(1, MOST + 1))),
        (EVENTS, [MOST + 1, MOST + 2]),
        (LOGS, [0]),
    ]


def test_what_the_server_did_not_take_is_sent_again(
    post: Post, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runs, "AGAIN", 0.01)
    post.gone = 2
    sender.put(EVENTS, {"number": 0})
    for _ in range(3):  # the third time without another message
        post.asked.get(timeout=LONG)
    sender.put(EVENTS, {"number": 1})
    sender.close()
    assert [number for _, numbers in post.taken for number in numbers] == [0, 1]


def test_a_server_that_takes_nothing_does_not_keep_a_run_from_its_end(tmp_path: Path) -> None:
    sender = Sender(Server(tmp_path, {"PREFECT_API_URL": "http://127.0.0.1:9/api"}))
    sender.put(EVENTS, {})
    sender.close()
