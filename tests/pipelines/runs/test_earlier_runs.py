"""A plan names the runs whose results it would use, and only those that have them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from helio import api
from helio.pipelines.runs import earlier_runs
from helio.pipelines.runs.earlier_runs import runs_with
from helio.settings import Settings, read_settings
from helio.store.runs import HEADER, Runs

pytestmark = pytest.mark.usefixtures("warm_processes")

KEY, OTHER = "key:" + "1" * 64, "key:" + "2" * 64
DIGEST = "sha256:" + "a" * 64


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "runs")


def begin(runs: Runs, name: str, *outputs: tuple[str, str], status: str = "success") -> None:
    """A run with one step; later ones are newer."""
    number = len(list(runs.root.iterdir())) if runs.root.is_dir() else 0
    record = runs.begin({"id": name, "pipeline": "p", "started_at": ""}, {})
    told = [{"label": key[-1], "key": key, "digest": digest} for key, digest in outputs]
    record.step({"step_id": 1, "state": "completed", "outputs": told})
    if status != "running":
        record.finish(status)
    os.utime(record.folder, (number, number))


def test_the_newest_successful_run_that_has_a_result_is_named(runs: Runs):
    begin(runs, "first", (KEY, DIGEST), (OTHER, DIGEST))
    begin(runs, "second", (KEY, DIGEST))
    begin(runs, "failed", (KEY, DIGEST), status="failed")
    begin(runs, "running", (KEY, DIGEST), status="running")
    begin(runs, "without", ("key:" + "3" * 64, DIGEST))
    assert runs_with(runs, {KEY: DIGEST, OTHER: DIGEST}) == {KEY: "second", OTHER: "first"}


def test_a_run_whose_result_had_other_content_is_not_named(runs: Runs):
    begin(runs, "same", (KEY, DIGEST))
    begin(runs, "other", (KEY, "sha256:" + "b" * 64))
    assert runs_with(runs, {KEY: DIGEST}) == {KEY: "same"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"status": "success"}'])
def test_a_damaged_or_deleted_record_names_nothing(runs: Runs, content: bytes):
    begin(runs, "whole", (KEY, DIGEST))
    begin(runs, "damaged", (KEY, DIGEST))
    (runs.root / "damaged" / HEADER).write_bytes(content)
    (runs.root / "damaged" / "steps.jsonl").write_text(f'{{"outputs": [{{"key": "{KEY}"}}]}}\n[1]\n')
    begin(runs, "lost", (KEY, DIGEST))
    (runs.root / "lost" / "steps.jsonl").unlink()
    assert runs_with(runs, {KEY: DIGEST}) == {KEY: "whole"}
    runs.delete("whole")
    assert runs_with(runs, {KEY: DIGEST}) == {}
    assert runs_with(Runs(runs.root / "nowhere"), {KEY: DIGEST}) == {}


def test_only_so_many_records_are_looked_at(runs: Runs, monkeypatch: pytest.MonkeyPatch):
    begin(runs, "old", (KEY, DIGEST))
    for number in range(3):
        begin(runs, f"new-{number}", (OTHER, DIGEST))
    monkeypatch.setattr(earlier_runs, "MOST_RUNS", 3)
    assert runs_with(runs, {KEY: DIGEST}) == {}
    monkeypatch.setattr(earlier_runs, "MOST_RUNS", 4)
    assert runs_with(runs, {KEY: DIGEST}) == {KEY: "old"}


# ---- in a plan


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"HELIO_HOME": str(tmp_path), "HELIO_ARCHIVE": "sample", "HELIO_ENGINE": "direct"})


def template(window: str = "1h") -> dict[str, object]:
    fetch = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"}
    mean = {"source_label": "AC_K2_MFI.BGSEc", "window": window, "output_label": "mean"}
    return {
        "id": "planned",
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch},
            {"step_id": "mean", "tool_name": "running_average", "tool_args": mean},
            {"step_id": "f", "tool_name": "plot_data", "tool_args": {"labels": ["mean"]}},
        ],
    }


@pytest.mark.slow
def test_a_plan_names_the_run_of_each_step_that_is_in_the_store(settings: Settings):
    _, fresh = api.foresee(template(), settings=settings)
    assert not any("runs" in step for step in fresh["forecast"])
    first, second = (api.run(template(window), settings=settings).id for window in ("1h", "2h"))
    _, planned = api.foresee(template(), settings=settings)
    assert [(step["state"], step.get("runs")) for step in planned["forecast"]] == [
        ("cached", [second]),
        ("cached", [first]),
        ("cached", [first]),
    ]
    assert planned["forecast"][0]["reason"] == f"in the store, from {second}"
    Runs(settings.runs).delete(second)
    _, other = api.foresee(template("3h"), settings=settings)
    assert [step.get("runs") for step in other["forecast"]] == [[first], None, None]
    json.dumps(other)
