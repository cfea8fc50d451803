"""`helio serve` while the clock of the machine is set: no wrong wait, no second run, no silent stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helio.clock import Clock
from helio.flows import serve
from helio.flows.again import Again, slots_to_run
from helio.flows.missed import read_served
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import Serving, _Deployment
from helio.flows.slots import for_engine, slots_ahead, slots_in
from helio.pipelines.runs.intervals import Interval, IntervalRun
from helio.service.incidents import Message, outages
from helio.service.status import read_status, write_heartbeat
from helio.settings import Settings
from helio.time_range import TimeRange

START = datetime(2024, 3, 30, 12)
"""Half a day before the clocks of Europe change."""
HOUR = timedelta(hours=1)
STEPS = pytest.mark.parametrize("step", [3 * HOUR, -3 * HOUR, timedelta()], ids=["forward", "back", "none"])


@dataclass
class Time:
    """A clock that a test sets, and a count of seconds that only goes on."""

    wall: datetime = START
    passed: float = 0.0

    def go_on(self, length: timedelta) -> None:
        self.wall += length
        self.passed += length.total_seconds()

    def clock(self) -> Clock:
        return Clock(now=lambda: self.wall.replace(tzinfo=UTC).timestamp(), monotonic=lambda: self.passed)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def settings(tmp_path: Path, time: Time) -> Settings:
    return Settings(tmp_path, clock=time.clock())


@pytest.fixture
def serving(settings: Settings) -> Serving:
    schedule = Schedule("daily", "psp-bfield", "0 * * * *", "Europe/Berlin", late="1h for 3d")
    Schedules(settings)._write(schedule)
    made = Serving(settings, 2, lambda line: None)
    made._deployments["daily"] = _Deployment("id", "flow", "1", "")
    return made


@STEPS
def test_it_goes_on_noting_that_it_runs(
    serving: Serving, settings: Settings, time: Time, step: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "ask", lambda *args, **options: {"paused": True, "schedules": []})
    time.go_on(timedelta(seconds=61))
    time.wall += step
    serving._note_served()
    served = read_served(settings.home)
    assert served is not None
    assert served.seen == time.wall.isoformat()
    assert serving.activity().paused == ("daily",)


@STEPS
def test_late_intervals_are_looked_for_at_the_usual_pace(
    serving: Serving, time: Time, step: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(serving, "_start", lambda *command: begun.append(command))
    serving._run_again()
    time.wall += step
    serving._run_again()
    time.go_on(59 * HOUR / 60)
    serving._run_again()
    assert begun == [("schedule", "again", "daily")]
    time.go_on(HOUR / 60)
    serving._run_again()
    assert begun == 2 * [("schedule", "again", "daily")]


class Engine:
    """What the engine's server has of a schedule: the list of times that helio gave it last."""

    def __init__(self, now: datetime) -> None:
        self.planned = for_engine("0 * * * *", "Europe/Berlin", now)
        self.changes = 0

    def ask(
        self, server: object, path: str, body: Mapping[str, Any] | None = None, *, method: str = ""
    ) -> Any:
        if method == "PATCH":
            assert body is not None
            self.planned, self.changes = body["schedule"], self.changes + 1
        return {"schedules": [{"id": "1", "schedule": self.planned}]}


@pytest.mark.parametrize("step", [-3 * HOUR, timedelta(days=-700)], ids=["hours", "years"])
def test_after_a_step_back_the_engine_plans_the_next_hours_again(
    serving: Serving, time: Time, step: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(time.wall)
    monkeypatch.setattr(serve, "ask", engine.ask)
    serving._hand_over_slots()
    assert engine.changes == 0
    time.wall += step
    serving._hand_over_slots()
    assert engine.changes == 1
    assert slots_in(engine.planned, time.wall) == slots_ahead("0 * * * *", "Europe/Berlin", time.wall)
    serving._hand_over_slots()
    assert engine.changes == 1


def test_a_step_forward_and_summer_time_change_no_plan(
    serving: Serving, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(time.wall)
    monkeypatch.setattr(serve, "ask", engine.ask)
    serving._hand_over_slots()
    time.wall += 3 * HOUR
    serving._hand_over_slots()
    for _ in range(14):  # over the change of the clocks at 01:00 UTC
        time.go_on(HOUR)
        serving._hand_over_slots()
    assert engine.changes == 0
    assert slots_in(engine.planned, time.wall)[0] - time.wall <= HOUR


@STEPS
def test_an_outage_is_as_long_as_it_was(
    serving: Serving, time: Time, step: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    up = False

    monkeypatch.setattr(type(serving.server), "is_up", lambda server: up)
    monkeypatch.setattr(serving, "_bring_back", lambda: None)
    for name in (
        "_follow_records",
        "_start_due",
        "_run_again",
        "_report_unplanned",
        "_hand_over_slots",
        "_note_served",
    ):
        monkeypatch.setattr(serving, name, lambda: None)
    serving.look()
    time.go_on(timedelta(seconds=5))
    time.wall += step
    assert list(outages(serving.activity().outage)) == []
    time.go_on(timedelta(minutes=3))
    [problem] = outages(serving.activity().outage)
    assert problem.over is False
    up = True
    serving.look()
    time.go_on(HOUR)
    ended = serving.activity().outage
    assert ended is not None
    assert (ended.seconds, ended.ended) == (185.0, time.wall - HOUR)


def test_a_message_waits_no_longer_than_its_pause() -> None:
    later = START + timedelta(minutes=5)
    message = Message("title", "body", later.isoformat(), attempts=2)
    assert [message.is_due(now) for now in (START, later, START - 3 * HOUR)] == [False, True, True]
    assert Message("title", "body", START.isoformat()).is_due(START - 3 * HOUR)


def test_a_heartbeat_of_the_future_is_no_sign_of_life(settings: Settings, time: Time) -> None:
    write_heartbeat(settings.home, time.wall, [], [])
    time.wall -= 3 * HOUR
    assert read_status(settings).seen_seconds == 3 * 3600


def test_a_run_of_the_future_delays_no_other() -> None:
    day = TimeRange(START - timedelta(days=2), START - timedelta(days=1))
    run = IntervalRun("1", "p", "crashed", START, day)
    found = [Interval(day, (run,), True, "crashed")]

    def wanted(now: datetime) -> int:
        return len([*slots_to_run({day: START - 9 * HOUR}, found, now, late=Again(HOUR, 72 * HOUR))])

    assert [wanted(START + delay) for delay in (HOUR / 2, HOUR, -3 * HOUR)] == [0, 1, 1]
