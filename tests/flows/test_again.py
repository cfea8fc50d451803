"""Schedules that wait for late data and follow data that change: the rule, the choice, and whole runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helio.errors import RequestError
from helio.flows.again import Again, find_slots, run_again, slots_to_run
from helio.flows.last_runs import judged, last_run, noted_run
from helio.flows.prefect import PrefectEngine
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import run_slot
from helio.flows.server import Server
from helio.pipelines.runs.basis import Basis
from helio.pipelines.runs.intervals import IntervalRun, RunState, intervals
from helio.pipelines.runs.session import Direct
from helio.settings import Settings
from helio.store.runs import Runs
from helio.time_range import TimeRange
from helio.web.site import Site, explain
from tests.flows.conftest import ENVIRON

pytestmark = pytest.mark.usefixtures("warm_processes")

DAY = timedelta(days=1)
SLOT = datetime(2024, 5, 11, 6, 10)
SPAN = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
FILES = " X 2024-05-10/2024-05-11"
OLD, NEW = Basis(files={FILES: {}}), Basis(files={FILES: {"a.csv": "1"}})
LATE, REMAKE = Again.read("1h for 3d"), Again.read("for 60d")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("retry 1h for 3d", "1h for 3d"),
        ("every 90min for 1d", "90min for 1d"),
        ("1h  for 3d", "1h for 3d"),
        ("for 60d", "1d for 60d"),
    ],
)
def test_a_rule_says_how_often_and_for_how_long(text: str, rule: str) -> None:
    assert str(Again.read(text)) == rule
    assert Again.read(rule) == Again.read(text)


@pytest.mark.parametrize("text", ["", "1h", "for ever", "1s for 3d", "3d for 1h", "-1h for 3d", "1mo for 1y"])
def test_other_rules_are_refused(text: str) -> None:
    with pytest.raises(RequestError) as refused:
        Again.read(text)
    assert refused.value.advice


def chosen(now: datetime, state: RunState | None, *, present: Basis = OLD, **facts: Any) -> list[str]:
    runs = []
    if state is not None:
        known = {"started_at": SLOT, "basis": OLD, "reason": state} | facts
        runs.append(IntervalRun("1", "p", state, span=SPAN, **known))
    found = intervals(runs, [SPAN], now=now, present={"1": present}, patience=LATE.within)
    return [slot.reason for slot in slots_to_run({SPAN: SLOT}, found, now, late=LATE, remake=REMAKE)]


def test_an_interval_without_data_waits_until_there_are_files() -> None:
    hour_later = SLOT + timedelta(hours=1)
    assert chosen(hour_later, "no data") == []
    assert chosen(hour_later, "no data", present=NEW) == ["X: a.csv is new"]
    assert chosen(hour_later - timedelta(minutes=1), "no data", present=NEW) == []
    assert chosen(SLOT + LATE.within + timedelta(minutes=1), "no data", present=NEW) == []


def test_an_interval_without_data_runs_again_if_nobody_can_say_what_is_there() -> None:
    assert chosen(SLOT + timedelta(hours=1), "no data", basis=Basis(), present=Basis()) == ["no data"]


@pytest.mark.parametrize(("state", "again"), [("failed", False), ("crashed", True), (None, True)])
def test_only_what_may_pass_is_tried_again(state: RunState | None, again: bool) -> None:
    assert bool(chosen(SLOT + DAY, state)) is again


def test_a_day_that_failed_is_made_again_when_its_file_was_replaced() -> None:
    assert chosen(SLOT + DAY, "failed", present=NEW) == ["X: a.csv is new"]
    assert chosen(SLOT + timedelta(days=4), "failed", present=NEW) == []


def test_a_server_that_was_down_is_asked_again() -> None:
    assert chosen(SLOT + DAY, "failed", transient=True) == ["failed"]


def test_results_are_made_again_only_if_something_has_changed() -> None:
    assert chosen(SLOT + DAY, "done") == []
    assert chosen(SLOT + DAY, "done", present=NEW) == ["X: a.csv is new"]
    assert chosen(SLOT + DAY - timedelta(minutes=1), "done", present=NEW) == []
    assert chosen(SLOT + 61 * DAY, "done", present=NEW) == []


def test_a_slot_in_the_future_does_not_run() -> None:
    assert chosen(SLOT - timedelta(hours=1), None) == []


TEMPLATE = {
    "id": "my-field",
    "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2024-05-10"}},
    "steps": [
        {
            "step_id": "fetch",
            "tool_name": "fetch_data",
            "tool_args": {"dataset_id": "MY_FIELD", "parameter_id": "B", "time_range": "$TIME_RANGE"},
        },
        {
            "step_id": "figure",
            "tool_name": "render_spec",
            "tool_args": {"spec": {"labels": ["MY_FIELD.B"], "formats": ["json"]}},
        },
    ],
}


def write_day(folder: Path, day: datetime, level: float) -> None:
    epochs = [day + timedelta(minutes=minute) for minute in range(0, 1440, 10)]
    lines = [f"{epoch:%Y-%m-%dT%H:%M:%SZ},{level + epoch.minute / 100}" for epoch in epochs]
    path = folder / f"my_field_{day:%Y%m%d}_v01.csv"
    path.write_text("\n".join(["time,B [nT]", *lines]) + "\n")


TOMORROW = datetime.now(UTC).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0) + DAY
NOON = TOMORROW + DAY / 2
"""The present of these tests. Records of runs have the real clock, which is at least twelve hours earlier."""
LAST = TOMORROW - DAY
"""The day of the last slot, which is tomorrow at 06:10."""


@pytest.fixture
def daily(home: Path, tmp_path: Path) -> Iterator[tuple[Settings, Schedule, Path]]:
    """A schedule at 06:10 for the day before, and its folder, which has one day: that before the last."""
    settings = Settings(home=home, environ={**ENVIRON, "HELIO_HOME": str(home)})
    folder, pipeline = tmp_path / "data", tmp_path / "my-field.json"
    folder.mkdir()
    write_day(folder, LAST - DAY, 5.0)
    pipeline.write_text(json.dumps(TEMPLATE))
    rules = {"late": "retry 1h for 3d", "remake": "for 60d"}
    request = Schedule("late-field", str(pipeline), "10 6 * * *", archive=str(folder), **rules)
    schedule = Schedules(settings).add(request, now=NOON, time_range="yesterday")
    os.utime(
        settings.home / "schedules" / "late-field.json",
        times=2 * ((NOON - 9 * DAY).replace(tzinfo=UTC).timestamp(),),
    )
    yield settings, schedule, folder
    Schedules(settings).remove("late-field")


def found(daily: tuple[Settings, Schedule, Path], now: datetime = NOON) -> dict[datetime, str]:
    settings, schedule, _ = daily
    return {slot.span.start: slot.reason for slot in find_slots(schedule, settings, now)}


@pytest.mark.server
@pytest.mark.process
def test_a_day_that_comes_late_is_made_once_and_made_again_when_it_is_republished(
    daily: tuple[Settings, Schedule, Path], server: Server, home: Path
) -> None:
    settings, schedule, folder = daily
    assert (schedule.late, schedule.remake) == ("1h for 3d", "1d for 60d")

    # Days before the schedule was added are not missing.
    path = home / "schedules" / "late-field.json"
    added = path.stat().st_mtime
    os.utime(path, times=2 * (NOON.replace(tzinfo=UTC).timestamp(),))
    assert found(daily) == {}
    os.utime(path, times=(added, added))

    # Nobody ran the two days before, which the rule covers; helio serve runs the last one by itself.
    assert found(daily).keys() == {LAST - 2 * DAY, LAST - DAY}
    assert run_again(schedule.name, settings, NOON) == 1  # there is no file for the first one
    assert found(daily) == {}

    # The day's own run finds no file. It waits: another look does not run it.
    slot = TOMORROW + timedelta(hours=6, minutes=10)
    plan = schedule.plan(settings, slot, schedule.values)
    ended = run_slot(schedule, plan, settings, PrefectEngine(settings, settings.environ))
    assert (ended.run.status, ended.status) == ("failed", "waiting")
    assert str(ended).startswith("waiting: my-field ")
    assert found(daily) == {}

    write_day(folder, LAST, 6.0)
    file = f"my_field_{LAST:%Y%m%d}_v01.csv"
    assert found(daily) == {LAST: f"MY_FIELD: {file} is new"}
    assert run_again(schedule.name, settings, NOON) == 0
    last = last_run(home, schedule.name)
    assert last is not None
    assert (last.slot, last.state) == (slot.isoformat(), "success")
    assert found(daily) == {}

    figure = schedule.root(settings) / f"{LAST:%Y-%m-%d}" / "figure.json"
    before = figure.read_bytes()
    write_day(folder, LAST, 7.0)
    assert found(daily, NOON + DAY) == {LAST: f"MY_FIELD: {file} was republished"}
    assert run_again(schedule.name, settings, NOON + DAY) == 0
    assert figure.read_bytes() != before
    again = last_run(home, schedule.name)
    assert again is not None
    assert (again.slot, again.state, again.failures) == (last.slot, "success", 0)
    assert again.run == Runs(home / "runs").list()[0].id != last.run


def test_a_run_of_an_earlier_day_does_not_replace_the_last_run(tmp_path: Path) -> None:
    for slot, status in ((SLOT, "success"), (SLOT - DAY, "failed")):
        with noted_run(tmp_path, "daily", slot) as on_end:
            on_end("run", status, "")
    last = last_run(tmp_path, "daily")
    assert last is not None
    assert (last.slot, last.status) == (SLOT.isoformat(), "success")


def test_a_schedule_says_that_young_data_are_not_published_yet_and_that_older_ones_have_a_gap(
    daily: tuple[Settings, Schedule, Path],
) -> None:
    settings, schedule, _ = daily
    for latency, words in (
        ("100d", "not published yet (MY_FIELD usually appears after 100 days, as the user said)"),
        ("1d", "gap: "),
    ):
        schedule = Schedules(settings).add(replace(schedule, latency=latency), now=NOON, replace=True)
        assert schedule.latency == latency
        slot = TOMORROW - 4 * DAY + timedelta(hours=6, minutes=10)
        with noted_run(settings.home, schedule.name, slot) as on_end:
            plan = schedule.plan(settings, slot, schedule.values)
            run_slot(schedule, plan, settings, Direct(), on_end)
        noted = last_run(settings.home, schedule.name)
        assert noted is not None
        assert noted.status == "no data"
        assert (noted.dataset, noted.latency, noted.source) == (
            "MY_FIELD",
            float(latency.removesuffix("d")) * 86_400,
            "as the user said",
        )
        last = judged(noted, settings.home, slot + DAY)
        assert last.state == ("no data" if words == "gap: " else "waiting")
        assert last.reason.startswith(f"step fetch: {words}")
        site = Site(settings, lambda: slot + DAY)  # noqa: B023 - it is asked at once
        [series] = [series for series in site.gallery.series if series.pipeline == "my-field"]
        [interval] = [
            interval for interval in series.intervals if interval.run and interval.run.id == last.run
        ]
        assert (interval.state, explain(series, interval)[0]) == (last.state, last.reason)


def test_rules_of_a_schedule_are_checked_when_it_is_added(daily: tuple[Settings, Schedule, Path]) -> None:
    settings, schedule, _ = daily
    with pytest.raises(RequestError, match="duration 'soon' is not understood"):
        Schedules(settings).add(replace(schedule, latency="soon"), now=NOON, replace=True)
    with pytest.raises(RequestError, match="does not say how often"):
        Schedules(settings).add(replace(schedule, late="often"), now=NOON, replace=True)
    path = settings.home / "schedules" / "late-field.json"
    path.write_text(path.read_text().replace("1h for 3d", "often"))
    with pytest.raises(RequestError, match="cannot be read"):
        Schedules(settings).load("late-field")
