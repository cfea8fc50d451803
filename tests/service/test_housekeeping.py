"""Housekeeping removes what the settings do not keep, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio.clock import Clock
from helio.flows.last_runs import noted_run
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import Activity
from helio.service import housekeeping as module
from helio.service.housekeeping import Housekeeper, clean_up, home_size, keep_house
from helio.service.kept import Kept, last_housekeeping, write_housekeeping
from helio.service.status import read_status
from helio.settings import Retention, Settings
from helio.store.process import temporary_name
from helio.store.runs import Runs
from tests.waiting import wait_until
from tests.web.homes import add_run, error

DAY = 86400.0
NOW = datetime(2024, 5, 12, 8)


def settings_of(home: Path, **retention: float | int | None) -> Settings:
    return Settings(home=home, retention=Retention(**retention))  # type: ignore[arg-type]


def ids(home: Path) -> set[str]:
    return set(Runs(home / "runs").ids())


def made(home: Path, day: str, days_ago: int, **facts: object) -> str:
    started_at = f"{(NOW - timedelta(days=days_ago)).isoformat()}+00:00"
    return add_run(home, day, started_at=started_at, **facts)  # type: ignore[arg-type]


def grow_old(home: Path) -> None:
    """Let every file of the store and of the cache seem to be a year old."""
    for path in (home / "store").rglob("*"):
        os.utime(path, ((NOW - timedelta(days=365)).timestamp(),) * 2)


def test_without_settings_nothing_is_removed(tmp_path: Path) -> None:
    made(tmp_path, "2014-01-01", 3000)
    grow_old(tmp_path)
    assert clean_up(settings_of(tmp_path), NOW).removals == ()


def test_the_newest_figure_of_each_interval_stays_whatever_its_age(tmp_path: Path) -> None:
    shown, older = made(tmp_path, "2024-01-01", 500), made(tmp_path, "2024-01-01", 600)
    failed = made(tmp_path, "2024-01-01", 450, status="failed", failure=error("NoData", "nothing"))
    only_failed = made(tmp_path, "2024-01-02", 500, status="failed", failure=error("NoData", "nothing"))
    other_values = made(tmp_path, "2024-01-01", 500, values={"$PROBE": "b"})
    young = made(tmp_path, "2024-01-03", 100)
    settings = settings_of(tmp_path, runs=400 * DAY)
    said = clean_up(settings, NOW)
    assert ids(tmp_path) == {shown, older, failed, only_failed, other_values, young}
    done = clean_up(settings, NOW, dry_run=False)
    assert ids(tmp_path) == {shown, only_failed, other_values, young}
    assert said.by_reason()["run", "it is older than runs are kept"][0] == 2
    assert [removal.path for removal in done.removals] == [removal.path for removal in said.removals]
    assert clean_up(settings, NOW).removals == ()


def test_figures_go_at_their_own_age_with_their_files_in_the_home(tmp_path: Path) -> None:
    old, young = made(tmp_path, "2014-01-01", 4000), made(tmp_path, "2024-01-01", 10)
    scheduled = tmp_path / "scheduled"
    (tmp_path / "out").rename(scheduled)
    for run_id in (old, young):
        header = tmp_path / "runs" / run_id / "run.json"
        header.write_text(header.read_text().replace("/out/", "/scheduled/"))
    (scheduled / old / "run.json").write_text("{}")
    grow_old(tmp_path)
    clean_up(settings_of(tmp_path, figures=3650 * DAY), NOW, dry_run=False)
    assert ids(tmp_path) == {young}
    assert [path.name for path in scheduled.iterdir()] == [young]
    assert len(list((tmp_path / "store" / "objects").rglob("*.png"))) == 1


def test_files_outside_the_home_and_changed_or_foreign_files_stay(tmp_path: Path) -> None:
    home, run_id = tmp_path / "home", made(tmp_path / "home", "2014-01-01", 4000)
    folder = home / "out" / run_id
    settings = settings_of(home, figures=3650 * DAY)
    assert not [removal for removal in clean_up(settings, NOW).removals if removal.kind == "file of a figure"]
    (home / "scheduled").mkdir()
    folder.rename(home / "scheduled" / "day")
    header = home / "runs" / run_id / "run.json"
    header.write_text(header.read_text().replace(f"/out/{run_id}/", "/scheduled/day/"))
    (home / "scheduled" / "day" / "notes.txt").write_text("mine")
    (home / "scheduled" / "day" / "figure.html").write_text("edited")
    clean_up(settings, NOW, dry_run=False)
    left = sorted(path.name for path in (home / "scheduled" / "day").iterdir())
    assert left == ["figure.html", "notes.txt"]


def test_running_runs_and_the_last_run_of_a_schedule_stay(tmp_path: Path) -> None:
    running = made(tmp_path, "2014-01-01", 4000, status="running")
    last, older = made(tmp_path, "2014-01-02", 4000), made(tmp_path, "2014-01-03", 4000)
    settings = settings_of(tmp_path, figures=10 * DAY, runs=10 * DAY)
    Schedules(settings)._write(Schedule("daily", "ace-field", "0 6 * * *"))
    with noted_run(tmp_path, "daily", NOW) as on_end:
        on_end(last, "success", "")
    clean_up(settings, NOW, dry_run=False)
    assert ids(tmp_path) == {running, last}
    assert older not in ids(tmp_path)


def test_the_quota_of_the_home_moves_tables_and_keeps_figures(tmp_path: Path) -> None:
    run_id = made(tmp_path, "2024-01-01", 10)
    for number in range(5):
        folder = tmp_path / "files" / "data"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"day{number}.cdf").write_bytes(bytes(100_000))
        os.utime(folder / f"day{number}.cdf", ((NOW - timedelta(days=6 - number)).timestamp(),) * 2)
    grow_old(tmp_path)
    used, movable = home_size(tmp_path)
    assert used > movable > 500_000
    collected = clean_up(settings_of(tmp_path, quota=used - 150_000), NOW, dry_run=False)
    assert sorted(removal.path.name for removal in collected.removals) == ["day0.cdf", "day1.cdf"]
    clean_up(settings_of(tmp_path, quota=1), NOW, dry_run=False)
    assert ids(tmp_path) == {run_id}
    assert list((tmp_path / "store" / "objects").rglob("*.png"))
    assert list((tmp_path / "store" / "objects").rglob("*.json"))
    assert not list((tmp_path / "files").rglob("*.cdf"))


def test_downloaded_files_go_when_nobody_has_used_them(tmp_path: Path) -> None:
    folder = tmp_path / "files" / "data"
    folder.mkdir(parents=True)
    for name, days in (("old.cdf", 91), ("young.cdf", 3)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, ((NOW - timedelta(days=days)).timestamp(),) * 2)
        digest = "a" * 63 + str(days % 10)
        (folder / f"{name}.json").write_text(json.dumps({"sha256": digest}))
        os.utime(folder / f"{name}.json", ((NOW - timedelta(days=days)).timestamp(),) * 2)
    record = Runs(tmp_path / "runs").load(made(tmp_path, "2024-01-01", 10))
    (record.folder / "sources.json").write_text(json.dumps(["a" * 63 + "1", "a" * 63 + "3"]))
    assert clean_up(settings_of(tmp_path), NOW).removals == ()
    clean_up(settings_of(tmp_path, files=90 * DAY), NOW, dry_run=False)
    assert sorted(path.name for path in folder.iterdir()) == ["young.cdf", "young.cdf.json"]


def test_old_logs_go_but_those_that_are_written_stay(tmp_path: Path) -> None:
    paths = [tmp_path / "logs" / name for name in ("helio.log", "helio.log.1", "helio.log.2")]
    paths.append(tmp_path / "prefect" / "server.log.1")
    for path, days in zip(paths, (400, 400, 3, 400), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text("a line")
        os.utime(path, ((NOW - timedelta(days=days)).replace(tzinfo=UTC).timestamp(),) * 2)
    clean_up(settings_of(tmp_path, logs=90 * DAY), NOW, dry_run=False)
    assert [path.exists() for path in paths] == [True, False, True, False]


def test_temporary_files_of_killed_writers_go(tmp_path: Path) -> None:
    code = "from helio.store.process import temporary_name; print(temporary_name())"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    folder = tmp_path / "schedules"
    folder.mkdir()
    for name in (f".{dead.strip()}", f".{temporary_name()}", ".heartbeat.json"):
        (folder / name).write_text("{}")
    clean_up(settings_of(tmp_path), NOW, dry_run=False)
    assert not (folder / f".{dead.strip()}").exists()
    assert len(list(folder.iterdir())) == 2


def test_a_day_of_housekeeping_is_recorded_and_shown(tmp_path: Path) -> None:
    made(tmp_path, "2024-01-01", 500)
    made(tmp_path, "2024-01-01", 600)
    settings = settings_of(tmp_path, runs=400 * DAY, quota=10**9)
    kept = keep_house(settings, NOW)
    assert kept == last_housekeeping(tmp_path)
    assert kept.removed.startswith("1 run")
    assert kept.trouble == ""
    assert not kept.is_due(NOW + timedelta(hours=23))
    assert kept.is_due(NOW + timedelta(hours=24))
    assert kept.is_due(NOW - timedelta(hours=1))  # the clock was set back
    status = read_status(settings, NOW)
    assert status.problems == ()
    assert status.to_json()["housekeeping"]["next"] == "2024-05-13T08:00:00"
    full = replace(settings, retention=Retention(quota=1000))
    keep_house(full, NOW)
    [(subject, what, _)] = read_status(full, NOW).problems
    assert subject == "quota"
    assert "more than its quota" in what


def test_trouble_is_recorded_and_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise module.OutputError("/x cannot be removed: Permission denied")

    monkeypatch.setattr(module, "clean_up", fail)
    keep_house(settings_of(tmp_path, runs=DAY), NOW)
    [(subject, what, _)] = read_status(settings_of(tmp_path), NOW).problems
    assert (subject, what) == ("housekeeping", "/x cannot be removed: Permission denied")


def test_the_housekeeper_works_once_a_day_and_not_while_a_run_is_running(tmp_path: Path) -> None:
    now = Clock().utc()
    settings = replace(settings_of(tmp_path, runs=400 * DAY), environ=dict(os.environ))
    write_housekeeping(tmp_path, Kept((now - timedelta(hours=24, minutes=5)).isoformat(), 0))
    keeper = Housekeeper(settings)
    keeper.look(Activity(running=("daily",)), now)
    assert keeper._process is None
    keeper.look(Activity(), now)
    wait_until(lambda: (kept := last_housekeeping(tmp_path)) is not None and not kept.is_due(Clock().utc()))
    keeper.end()
    keeper.look(Activity(), Clock().utc())
    assert keeper._process is None
