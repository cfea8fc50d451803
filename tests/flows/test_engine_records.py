"""The engine's database stays bounded: old flow runs go with all that belongs to them, and the file shrinks."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio.flows.new_database import create_database
from helio.flows.server import KEPT, LARGEST_LOG, VACUUM, Server, server_environment
from tests.flows.conftest import ENVIRON
from tests.waiting import wait_until

DAY = timedelta(days=1)
RUNS, TASKS = 3000, 5
"""Flow runs of eight years of one daily schedule, and the tasks of each."""
TABLES = ("flow_run", "flow_run_state", "task_run", "task_run_state", "log")


def fill(path: Path, count: int, age: timedelta) -> None:
    """Write flow runs that ended so long ago, each with its state, tasks, their states and a log."""
    ended = f"{datetime.now(UTC) - age:%Y-%m-%d %H:%M:%S.%f}"
    with closing(sqlite3.connect(path)) as database, database:
        flow = str(uuid.uuid4())
        database.execute("INSERT INTO flow (id, name) VALUES (?, ?)", (flow, f"daily {age}"))
        for _ in range(count):
            run, state = str(uuid.uuid4()), str(uuid.uuid4())
            database.execute(
                "INSERT INTO flow_run (id, name, flow_id, state_type, state_name, end_time)"
                " VALUES (?, 'run', ?, 'COMPLETED', 'Completed', ?)",
                (run, flow, ended),
            )
            database.execute(
                "INSERT INTO flow_run_state (id, type, name, flow_run_id) VALUES (?, 'COMPLETED', 'Completed', ?)",
                (state, run),
            )
            for number in range(TASKS):
                task = str(uuid.uuid4())
                database.execute(
                    "INSERT INTO task_run (id, name, task_key, dynamic_key, flow_run_id) VALUES (?, 't', 't', ?, ?)",
                    (task, str(number), run),
                )
                database.execute(
                    "INSERT INTO task_run_state (type, name, task_run_id) VALUES ('COMPLETED', 'Completed', ?)",
                    (task,),
                )
                database.execute(
                    "INSERT INTO log (name, level, flow_run_id, message, timestamp) VALUES ('helio', 20, ?, ?, ?)",
                    (run, "step fetch: done in 0.3 s " * 8, ended),
                )


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path, timeout=60)) as database:
        return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


def pages(path: Path) -> int:
    """Number of pages of the database, which is its size after the next checkpoint."""
    with closing(sqlite3.connect(path, timeout=60)) as database:
        return int(database.execute("PRAGMA page_count").fetchone()[0])


@pytest.mark.server
@pytest.mark.process
def test_records_older_than_the_limit_go_and_the_database_shrinks(tmp_path: Path) -> None:
    server = Server(
        tmp_path,
        {**ENVIRON, "PREFECT_SERVER_SERVICES_DB_VACUUM_LOOP_SECONDS": "2"},
        keep=(90 * DAY).total_seconds(),
    )
    path = server.home / "prefect.db"
    server.home.mkdir(mode=0o700)
    create_database(path)
    fill(path, 100, 89 * DAY)
    young = pages(path)
    fill(path, RUNS, 91 * DAY)
    full = pages(path)
    assert full > 10 * young
    with server.used():
        server.start()
        server.wait()
        try:
            wait_until(lambda: counts(path)["log"] == 100 * TASKS, "the end of the old records")
            assert counts(path) == {
                "flow_run": 100,
                "flow_run_state": 100,
                "task_run": 100 * TASKS,
                "task_run_state": 100 * TASKS,
                "log": 100 * TASKS,
            }
            assert pages(path) <= full + 50
            assert server.shrink_database() > 0
            assert pages(path) < full / 4
            assert server.shrink_database() == 0
            assert server.request("/flow_runs/count", {}) == 100
        finally:
            server.stop()


def test_the_limit_reaches_the_server_and_the_user_has_the_last_word(tmp_path: Path) -> None:
    environ = server_environment(tmp_path, 4271, {}, keep=86400.0)
    assert (environ[VACUUM], environ[KEPT]) == ("events,flow_runs", "86400.0")
    assert VACUUM not in server_environment(tmp_path, 4271, {}, keep=None)
    chosen = server_environment(tmp_path, 4271, {KEPT: "7200", VACUUM: "events"})
    assert (chosen[VACUUM], chosen[KEPT]) == ("events", "7200")


def test_a_long_log_of_a_running_server_is_moved_and_its_end_is_kept(tmp_path: Path) -> None:
    server = Server(tmp_path, {})
    server.limit_log()
    server.home.mkdir(exist_ok=True)
    with server.log.open("a") as log:  # as the running server has it open
        log.write("first\n" + "x" * LARGEST_LOG + "\nlast\n")
        log.flush()
        server.limit_log()
        assert server.log.read_text() == ""
        log.write("next\n")
        log.flush()
    assert server.log.read_text() == "next\n"
    moved = server.log.with_suffix(".log.1").read_text()
    assert len(moved) == LARGEST_LOG
    assert moved.endswith("x\nlast\n")
    server.limit_log()
    assert server.log.read_text() == "next\n"
