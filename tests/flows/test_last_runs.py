"""How the last run of a schedule ended, as it is kept between processes."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from helio.errors import Cancelled, EngineError
from helio.flows.last_runs import forget_last_run, last_run, new_runs, noted_run

SLOT = datetime(2024, 5, 10, 6, 10)


def state_of(home: Path) -> str:
    last = last_run(home, "daily")
    return "never" if last is None else str(last)


def test_a_run_is_noted_when_it_begins_and_when_it_ends(tmp_path: Path) -> None:
    assert state_of(tmp_path) == "never"
    with noted_run(tmp_path, "daily", SLOT) as on_end:
        assert state_of(tmp_path) == "2024-05-10 06:10 UTC, running"
        on_end("daily-1", "partial", "step b: no file")
    assert state_of(tmp_path) == "2024-05-10 06:10 UTC, partial: step b: no file"
    last = last_run(tmp_path, "daily")
    assert last is not None
    assert last.to_json() == {
        "slot": "2024-05-10T06:10:00",
        "state": "partial",
        "run": "daily-1",
        "reason": "step b: no file",
    }
    forget_last_run(tmp_path, "daily")
    assert state_of(tmp_path) == "never"


def test_a_schedule_may_be_removed_while_its_run_ends(tmp_path: Path) -> None:
    for name in ("daily", "daily-2"):
        with noted_run(tmp_path, name, SLOT) as on_end:
            on_end(f"{name}-1", "success", "")
    with noted_run(tmp_path, "daily", SLOT) as on_end:
        forget_last_run(tmp_path, "daily")
        assert (new_runs(tmp_path, "daily"), len(new_runs(tmp_path, "daily-2"))) == ((), 1)
        on_end("daily-2", "success", "")
    assert [run.run for run in new_runs(tmp_path, "daily")] == ["daily-2"]


@pytest.mark.parametrize(
    ("error", "noted"),
    [(EngineError("no plan"), "failed: no plan"), (Cancelled("asked to end"), "cancelled")],
)
def test_an_error_is_noted_and_raised(tmp_path: Path, error: Exception, noted: str) -> None:
    with pytest.raises(type(error)), noted_run(tmp_path, "daily", SLOT):
        raise error
    assert state_of(tmp_path) == f"2024-05-10 06:10 UTC, {noted}"


def test_a_run_whose_process_is_gone_has_crashed(tmp_path: Path) -> None:
    with noted_run(tmp_path, "daily", SLOT):
        path = tmp_path / "schedules" / ".last" / "daily.json"
        note = json.loads(path.read_text(encoding="utf-8"))
    note["process"]["started"] = "1"
    path.write_text(json.dumps(note), encoding="utf-8")
    assert state_of(tmp_path) == "2024-05-10 06:10 UTC, crashed"


def test_a_damaged_note_is_no_run(tmp_path: Path) -> None:
    with noted_run(tmp_path, "daily", SLOT):
        (tmp_path / "schedules" / ".last" / "daily.json").write_text("{", encoding="utf-8")
    assert state_of(tmp_path) == "never"
