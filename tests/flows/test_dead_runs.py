"""Runs whose process is gone are marked on the server, and only runs that have not ended are looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from helio.errors import EngineError
from helio.flows.prefect import FLOW_RUNS, mark_dead_runs
from helio.flows.server import Server
from helio.settings import Settings, read_settings
from helio.store.files import write_whole
from helio.store.runs import RunRecord, Runs


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"HELIO_HOME": str(tmp_path)})


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The flow runs that the server is asked to mark."""
    flow_runs: list[str] = []

    def mark(server: Server, ids: Iterable[str]) -> tuple[str, ...]:
        flow_runs.extend(sorted(ids))
        return tuple(flow_runs)

    monkeypatch.setattr("helio.flows.prefect.mark_crashed", mark)
    return flow_runs


def begun(settings: Settings, run_id: str, flow_run: str, **process: Any) -> RunRecord:
    """A run with its flow run; `process` changes what its record says of its process."""
    record = Runs(settings.runs).begin({"id": run_id, "pipeline": "omni", "started_at": "2024-05-10"}, {})
    header = json.loads((record.folder / "run.json").read_bytes())
    header["process"] |= process
    (record.folder / "run.json").write_text(json.dumps(header))
    write_whole(settings.runs / FLOW_RUNS / run_id, flow_run.encode())
    return record


def noted(settings: Settings) -> set[str]:
    return {path.name for path in (settings.runs / FLOW_RUNS).iterdir()}


def mark(settings: Settings, **how: Any) -> int:
    return mark_dead_runs(Server(settings.home, {}), settings, **how)


def test_only_a_run_whose_process_is_gone_is_marked(settings: Settings, marked: list[str]):
    begun(settings, "dead", "1", started="1")
    begun(settings, "works", "2")
    begun(settings, "over", "3", started="1").finish("success")
    Runs(settings.runs).delete(begun(settings, "deleted", "4", started="1").id)
    assert mark(settings) == 1
    assert marked == ["1"]
    assert noted(settings) == {"works"}


def test_a_flow_run_that_another_run_continues_is_not_marked(settings: Settings, marked: list[str]):
    begun(settings, "dead", "1", started="1")
    begun(settings, "works", "1")
    begun(settings, "also-dead", "2", started="1")
    mark(settings, continuing="2")
    assert marked == []


def test_a_run_is_marked_later_if_the_server_is_away(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    def away(server: Server, ids: Iterable[str]) -> tuple[str, ...]:
        raise EngineError("no answer")

    monkeypatch.setattr("helio.flows.prefect.mark_crashed", away)
    begun(settings, "dead", "1", started="1")
    assert mark(settings) == 0
    assert noted(settings) == {"dead"}


def test_records_of_runs_that_ended_are_not_read(
    settings: Settings, marked: list[str], monkeypatch: pytest.MonkeyPatch
):
    for number in range(3):
        begun(settings, f"over{number}", str(number)).finish("success")
    mark(settings)
    monkeypatch.setattr(RunRecord, "summary", lambda record: pytest.fail(f"{record.id} was read"))
    assert mark(settings) == 0


def test_a_home_without_runs_has_no_dead_ones(settings: Settings, marked: list[str]):
    assert mark(settings) == 0
