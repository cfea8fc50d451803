"""Run records are read once, also by later processes, and again when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio.pipelines.runs import known_runs
from helio.pipelines.runs.known_runs import KnownRuns
from helio.store.runs import RunRecord, Runs
from tests.web.homes import add_run, error, usual_home


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the records that are read."""
    ids: list[str] = []
    original = known_runs.read_run

    def noted(record: RunRecord) -> known_runs.IntervalRun:
        ids.append(record.id)
        return original(record)

    monkeypatch.setattr(known_runs, "read_run", noted)
    return ids


def known(home: Path) -> KnownRuns:
    return KnownRuns(Runs(home / "runs"), home / "gallery" / "runs.json")


def test_a_record_is_read_once(tmp_path: Path, read: list[str]):
    usual_home(tmp_path)
    runs = known(tmp_path)
    first = runs.read()
    count = len(read)
    assert count == len(first) == 11
    assert runs.read() == first
    assert known(tmp_path).read() == first  # as in the next process
    assert len(read) == count


def test_a_new_and_a_changed_record_are_read(tmp_path: Path, read: list[str]):
    usual_home(tmp_path)
    known(tmp_path).read()
    read.clear()
    new = add_run(tmp_path, "2024-05-20")
    changed = add_run(tmp_path, "2024-05-21", status="running")
    runs = known(tmp_path)
    assert runs.read()[changed].run.state == "running"  # type: ignore[union-attr]
    assert sorted(read) == sorted([new, changed])
    read.clear()
    RunRecord(tmp_path / "runs" / changed).finish("success")
    assert runs.read()[changed].run.state == "done"  # type: ignore[union-attr]
    assert read == [changed]


def test_a_deleted_run_is_forgotten(tmp_path: Path, read: list[str]):
    run_id = add_run(tmp_path, "2024-05-20")
    add_run(tmp_path, "2024-05-21")
    known(tmp_path).read()
    Runs(tmp_path / "runs").delete(run_id)
    assert run_id not in known(tmp_path).read()
    assert run_id not in (tmp_path / "gallery" / "runs.json").read_text()


@pytest.mark.parametrize("harm", ["", "x", "sha\n[]", "[]", "\udcff"])
def test_a_damaged_file_is_not_believed(tmp_path: Path, read: list[str], harm: str):
    add_run(tmp_path, "2024-05-20", status="failed", failure=error("NoData", "why", "what"))
    first = known(tmp_path).read()
    read.clear()
    (tmp_path / "gallery" / "runs.json").write_bytes(harm.encode(errors="surrogateescape"))
    assert known(tmp_path).read() == first
    assert len(read) == 1


def test_a_file_of_another_version_is_not_believed(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
):
    add_run(tmp_path, "2024-05-20")
    known(tmp_path).read()
    monkeypatch.setattr(known_runs, "FORM", known_runs.FORM + 1)
    known(tmp_path).read()
    assert len(read) == 2


def test_a_home_that_cannot_be_written_is_read_all_the_same(tmp_path: Path, read: list[str]):
    add_run(tmp_path, "2024-05-20")
    (tmp_path / "gallery").write_text("a file instead of a folder")
    assert len(known(tmp_path).read()) == 1
