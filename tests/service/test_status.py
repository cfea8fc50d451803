"""How the schedules of a home do."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio.errors import EngineError, OutputError
from helio.flows.last_runs import last_run, noted_run
from helio.flows.schedule import Schedule, Schedules
from helio.pipelines.runs.intervals import Latency
from helio.service import status as module
from helio.service.status import read_status, write_heartbeat
from helio.settings import Settings
from helio.web.site import Site
from tests.web.homes import add_run, error

ADDED = datetime(2024, 5, 1)
NOW = datetime(2024, 5, 10, 8)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


def add(settings: Settings, name: str = "daily", *, paused: bool = False) -> None:
    """Write a schedule of every day at 06:00, as of ADDED."""
    schedule = replace(Schedule(name, "ace-bfield-overview", "0 6 * * *", late="1h for 3d"), paused=paused)
    Schedules(settings)._write(schedule)
    then = ADDED.replace(tzinfo=UTC).timestamp()
    os.utime(settings.home / "schedules" / f"{name}.json", (then, then))


def ran(settings: Settings, slot: datetime, ending: str, reason: str = "", name: str = "daily") -> None:
    with noted_run(settings.home, name, slot) as on_end:
        on_end(f"run-{slot:%d}", ending, reason)


@contextmanager
def served(settings: Settings) -> Iterator[None]:
    """Hold the lock that `helio serve` holds."""
    path = settings.home / "schedules" / ".serve.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def one(settings: Settings, now: datetime = NOW) -> module.ScheduleStatus:
    [schedule] = read_status(settings, now).schedules
    return schedule


def test_a_schedule_that_succeeded_is_well(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 10, 6), "success")
    found = one(settings)
    assert (found.state, found.last_success, found.lag_seconds, found.due_since, found.failures) == (
        "ok", "2024-05-10T06:00:00", 0.0, 0, 0,
    )  # fmt: skip
    assert found.next_run == "2024-05-11T06:00:00"
    with served(settings):
        write_heartbeat(settings.home, NOW, [], [])
        status = read_status(settings, datetime(2024, 5, 10, 8, 0, 3))
    assert (status.served, status.seen_seconds, status.engine_up, status.problems) == (True, 3.0, False, ())


def test_waiting_is_a_problem_only_a_day_after_the_usual_latency(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 2, 6), "success")
    with noted_run(settings.home, "daily", datetime(2024, 5, 10, 6)) as on_end:
        usual = Latency(timedelta(days=7), "as the user said")
        on_end(without_data(settings, "2024-05-09"), "no data", "step fetch: no files", ("AC_H2_MFI", usual))
    found = one(settings)
    assert (found.state, found.reason, found.latency_seconds) == (
        "waiting",
        "step fetch: no files",
        7 * 86_400.0,
    )
    assert not found.is_problem
    assert one(settings, datetime(2024, 5, 12, 8)).is_problem


def without_data(settings: Settings, day: str, pipeline: str = "ace-bfield-overview") -> str:
    return add_run(
        settings.home, day, pipeline=pipeline, status="failed", failure=error("NoData", "no files"),
        started_at=f"{day}T23:00:00+00:00",
    )  # fmt: skip


def test_a_run_that_waits_for_data_after_a_failure_waits(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 9, 6), "failed", "step fetch: the server is down")
    with noted_run(settings.home, "daily", datetime(2024, 5, 10, 6)) as on_end:
        on_end(without_data(settings, "2024-05-09"), "no data", "step fetch: no files")
    found = one(settings)
    assert (found.state, found.reason, found.failures) == ("waiting", "step fetch: no files", 1)


@pytest.mark.parametrize("late", ["", "1h for 3d"])
@pytest.mark.parametrize(("ago", "word"), [(2, "waiting"), (20, "no data")])
def test_a_day_without_data_has_one_word_everywhere(
    settings: Settings, late: str, ago: int, word: str
) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=ago)
    values = {"$TIME_RANGE": "yesterday"}
    Schedules(settings)._write(
        Schedule("daily", "ace-bfield-overview", "0 6 * * *", values=values, late=late)
    )
    with noted_run(settings.home, "daily", day + timedelta(hours=30)) as on_end:
        on_end(without_data(settings, f"{day:%Y-%m-%d}"), "no data", "step fetch: no files")
    found = one(settings, now)
    listed = helio(settings.home, "schedule", "list").stdout
    [series] = Site(settings, lambda: now).gallery.series
    [interval] = [interval for interval in series.intervals if interval.runs]
    assert (found.state, interval.state) == (word, word)
    assert f" UTC, {word}: step fetch: no files\n" in listed
    # Nobody looks again without a rule, so a person has to do something at once.
    assert found.is_problem == (not late)
    assert ("helio run ace-bfield-overview --now " in found.remedy) == (not late)


def test_a_run_without_data_whose_record_is_gone_keeps_its_word(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 10, 6), "no data", "step fetch: no files")
    assert (one(settings).state, one(settings).reason) == ("no data", "step fetch: no files")


@pytest.mark.parametrize(
    ("kind", "late", "expected"),
    [
        ("ServerUnavailable", "3h for 3d", "ask again; helio tries again by itself, 3h for 3d; at once: "
         "helio schedule again daily; helio runs show RUN"),
        ("ServerUnavailable", "", "ask again; helio runs show RUN"),
        ("StepError", "3h for 3d", "ask again; helio runs show RUN"),
    ],
)  # fmt: skip
def test_the_remedy_says_what_the_error_advises_and_what_helio_does(
    settings: Settings, kind: str, late: str, expected: str
) -> None:
    Schedules(settings)._write(Schedule("daily", "ace-bfield-overview", "0 6 * * *", late=late))
    run = add_run(
        settings.home, "2024-05-09", status="failed", failure=error(kind, "it is down", "ask again")
    )
    with noted_run(settings.home, "daily", datetime(2024, 5, 10, 6)) as on_end:
        on_end(run, "failed", "step fetch: it is down")
    assert one(settings).remedy == expected.replace("RUN", run)


def test_a_run_that_failed_before_it_had_a_record_has_a_remedy_too(settings: Settings) -> None:
    values = {"$TIME_RANGE": "yesterday", "$TITLE": "the field"}
    Schedules(settings)._write(
        Schedule("daily", "ace-bfield-overview", "0 6 * * *", values=values, archive="/data/my field")
    )
    with (
        pytest.raises(OutputError),
        noted_run(settings.home, "daily", datetime(2024, 5, 10, 6)),
    ):
        raise OutputError("the disk is full", advice="free some space")
    assert one(settings).remedy == (
        "free some space; run it now: helio run ace-bfield-overview --now 2024-05-10T06:00:00 -t yesterday "
        "--set 'TITLE=the field' --archive '/data/my field'"
    )


def test_failures_in_a_row_are_counted_and_the_last_success_stays(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 7, 6), "partial")
    for day in (8, 9):
        ran(settings, datetime(2024, 5, day, 6), "failed", "step b: no file")
    with pytest.raises(EngineError), noted_run(settings.home, "daily", datetime(2024, 5, 10, 6)):
        raise EngineError("no plan")
    found = one(settings)
    assert (found.state, found.failures, found.last_success, found.reason) == (
        "failing", 3, "2024-05-07T06:00:00", "no plan",
    )  # fmt: skip
    assert (found.due_since, found.lag_seconds) == (3, (2 * 24 + 2) * 3600.0)
    assert found.remedy
    ran(settings, datetime(2024, 5, 11, 6), "success")
    assert one(settings, datetime(2024, 5, 11, 7)).state == "ok"


def test_a_run_whose_process_is_gone_counts_as_a_failure(settings: Settings) -> None:
    add(settings)
    code = (
        "from pathlib import Path; from datetime import datetime; from helio.flows.last_runs import noted_run\n"
        f"noted_run(Path({str(settings.home)!r}), 'daily', datetime(2024, 5, 10, 6)).__enter__()\n"
        "import os; os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert (one(settings).state, one(settings).failures) == ("failing", 1)
    ran(settings, datetime(2024, 5, 11, 6), "failed", "no")
    last = last_run(settings.home, "daily")
    assert last is not None
    assert last.failures_in_a_row == 2


def test_a_schedule_whose_run_has_not_begun_is_overdue(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 9, 6), "success")
    assert one(settings, datetime(2024, 5, 10, 6, 29)).state == "ok"
    found = one(settings, datetime(2024, 5, 10, 6, 31))
    assert (found.state, found.is_problem, found.due_since) == ("overdue", True, 1)
    assert "the run of 2024-05-10 06:00 UTC has not begun" in found.reason


def test_waiting_for_late_data_is_a_problem_only_after_days(settings: Settings) -> None:
    add(settings)
    ran(settings, datetime(2024, 5, 9, 6), "success")
    ran(settings, datetime(2024, 5, 10, 6), "no data", "step fetch: no files")
    assert (one(settings).state, one(settings).is_problem) == ("no data", False)
    ran(settings, datetime(2024, 5, 14, 6), "no data", "step fetch: no files")
    assert one(settings, datetime(2024, 5, 14, 8)).is_problem


def test_a_schedule_paused_here_or_on_the_pages_of_the_engine_is_no_problem(settings: Settings) -> None:
    add(settings, "here", paused=True)
    add(settings, "there")
    with served(settings):
        write_heartbeat(settings.home, NOW, [], ["there"])
        status = read_status(settings, NOW)
    assert [(schedule.name, schedule.state, schedule.next_run) for schedule in status.schedules] == [
        ("here", "paused", ""), ("there", "paused", ""),
    ]  # fmt: skip
    assert "engine's page" in status.schedules[1].reason
    assert status.problems == ()


def test_a_damaged_schedule_hides_no_other(settings: Settings) -> None:
    add(settings)
    (settings.home / "schedules" / "broken.json").write_text("{")
    status = read_status(settings, ADDED)
    assert [(schedule.name, schedule.state) for schedule in status.schedules] == [
        ("broken", "damaged"), ("daily", "never run"),
    ]  # fmt: skip
    assert {subject for subject, _, _ in status.problems} == {"schedule broken", "serve"}


def test_serve_that_does_not_run_or_is_silent_is_a_problem(settings: Settings) -> None:
    add(settings)
    assert ("serve", "`helio serve` is not running", "start `helio serve`") in read_status(
        settings, ADDED
    ).problems
    with served(settings):
        write_heartbeat(settings.home, ADDED, [], [])
        found = read_status(settings, datetime(2024, 5, 1, 0, 5)).problems
    assert [what for subject, what, _ in found if subject == "serve"] == [
        "`helio serve` was last seen 5 min ago"
    ]


def test_a_home_without_schedules_is_well_and_a_full_disk_is_not(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_status(settings, NOW).problems == ()
    monkeypatch.setattr(module, "LEAST_DISK", 10**18)
    [(subject, _, remedy)] = read_status(settings, NOW).problems
    assert subject == "disk"
    assert "helio gc" in remedy


def test_a_schedule_that_is_removed_meanwhile_is_left_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(settings)
    add(settings, "other")
    load = Schedules.load

    def load_and_remove(self: Schedules, name: str) -> Schedule:
        schedule = load(self, name)
        if name == "daily":
            (settings.home / "schedules" / "daily.json").unlink()
        return schedule

    monkeypatch.setattr(Schedules, "load", load_and_remove)
    assert [schedule.name for schedule in read_status(settings, NOW).schedules] == ["other"]


def test_the_files_for_systemd_and_a_container_run_serve_and_know_the_heartbeat() -> None:
    deploy = Path(__file__).parents[2] / "deploy"
    for unit in ("helio.service", "helio-user.service"):
        assert "bin/helio serve\n" in (deploy / unit).read_text()
    container = (deploy / "Containerfile").read_text()
    assert 'CMD ["helio", "serve"]' in container
    assert str(module.heartbeat_file(Path("/data"))) in container


def helio(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HELIO_HOME": str(home)}
    command = [sys.executable, "-m", "helio", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environ, check=False)


@pytest.mark.process
def test_the_command_prints_text_or_json_and_its_exit_code_says_whether_all_is_well(
    settings: Settings,
) -> None:
    assert helio(settings.home, "status").returncode == 0
    add(settings)
    ran(settings, datetime(2024, 5, 7, 6), "failed", "step b: no file")
    shown = helio(settings.home, "status")
    assert shown.returncode == 1
    assert "daily  failing" in shown.stdout
    assert "problem: schedule daily: 1 run failed: step b: no file" in shown.stderr
    written = json.loads(helio(settings.home, "status", "--json").stdout)
    assert (written["well"], written["served"], written["schedules"][0]["state"]) == (
        False, False, "failing",
    )  # fmt: skip


def test_status_imports_neither_the_engine_nor_arrays() -> None:
    code = (
        "import sys, helio.cli.service, helio.service.status\n"
        "print([name for name in ('prefect', 'numpy', 'pandas', 'apprise') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
