"""What helio schedule list prints on a terminal of 80 columns."""

from __future__ import annotations

import fcntl
import json
import sys
from datetime import datetime
from pathlib import Path

import pytest

from helio.flows.last_runs import noted_run
from tests.cli.commands import helio

SLOT = datetime(2024, 5, 10, 6, 10)
NOT_SERVED = "`helio serve` is not running: no schedule runs until you start `helio serve`\n"


@pytest.fixture(autouse=True)
def schedules(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two schedules: one of a failed run, one that never ran."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("BROWSER_PATH", sys.executable)  # adding a schedule only looks whether there is one
    helio(
        *("schedule", "add", "psp-bfield", "--cron", "10 6 * * *", "-t", "yesterday", "--archive", "sample"),
        *("--format", "pdf", "--timezone", "Europe/Berlin"),
    )
    helio("schedule", "add", "swpc-now", "--name", "weather", "--cron", "0 * * * *", "-o", "pictures")
    with noted_run(home / "home", "psp-bfield", SLOT) as on_end:
        on_end("psp-bfield-1", "failed", "step field: no file " + "for a long day " * 20)


def test_each_schedule_says_what_it_runs_where_and_how_the_last_run_ended(home: Path):
    listed = helio("schedule", "list")
    first, _, second = listed.stdout.partition("weather  ")
    assert first.startswith("psp-bfield  10 6 * * * Europe/Berlin  next 2")
    for fact in (
        "    pipeline  psp-bfield\n",
        "    values    TIME_RANGE='yesterday'\n",
        "    archive   sample\n",
        "    formats   those of the pipeline, pdf\n",
        "    last run  2024-05-10 06:10 UTC, failed: step field: no file for a long day",
    ):
        assert fact in first
    for fact in ("    pipeline  swpc-now\n", "    last run  never\n"):
        assert fact in second
    assert str(home / "pictures") in second
    lines = [line for line in listed.stdout.splitlines() if "    output    " not in line]
    assert max(map(len, lines)) <= 80
    assert listed.stderr.endswith(NOT_SERVED)


def test_without_a_command_the_schedules_are_listed():
    assert helio("schedule").output == helio("schedule", "list").output


def test_nothing_to_run_again_is_said():
    assert helio("schedule", "again", "weather").output == "weather: there is nothing to run again\n"


@pytest.mark.parametrize(
    ("words", "is_fixed"), [((), True), (("-t", "May 2024"), True), (("-t", "yesterday"), False)]
)
def test_a_schedule_that_draws_the_same_days_for_ever_is_warned_of(words: tuple[str, ...], is_fixed: bool):
    helio("copy", "ace-bfield-overview", "mine")
    file = Path("home/templates/mine.json")
    template = json.loads(file.read_text(encoding="utf-8"))
    template["variables"]["$TIME_RANGE"]["default"] = "2022-01-01"
    file.write_text(json.dumps(template), encoding="utf-8")
    told = helio("schedule", "add", "mine", "--cron", "10 6 * * *", "--archive", "sample", *words).stderr
    assert ("warning: every run draws the same time range, 202" in told) is is_fixed


def test_json_has_the_same_facts(home: Path):
    failed, never = json.loads(helio("schedule", "list", "--json").stdout)
    assert failed["last_run"]["state"] == "failed"
    assert failed["last_run"]["reason"].startswith("step field: no file")
    assert failed["folder"] == str(home / "home" / "scheduled" / "psp-bfield")
    assert never["last_run"] is None
    assert not never["served"]


def test_a_running_helio_serve_is_noticed(home: Path):
    with (home / "home" / "schedules" / ".serve.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert NOT_SERVED not in helio("schedule", "list").stderr
        assert all(schedule["served"] for schedule in json.loads(helio("schedule", "list", "--json").stdout))


def test_a_schedule_that_is_removed_and_added_again_never_ran():
    helio("schedule", "remove", "psp-bfield")
    helio("schedule", "add", "psp-bfield", "--cron", "10 6 * * *", "-t", "yesterday", "--archive", "sample")
    assert helio("schedule", "list").stdout.count("last run  never\n") == 2
