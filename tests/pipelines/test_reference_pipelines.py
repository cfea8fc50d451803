"""Every pipeline that comes with helio is valid against its catalogue, and runs on files of the right shape."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helio import api
from tests.pipelines.made_pipelines import MADE, NOW, PARTLY_REAL, REAL, WITHOUT, write_archive

pytestmark = pytest.mark.usefixtures("warm_processes")

PICTURES = Path(__file__).parents[2] / "docs" / "figures" / "pipelines"
PICTURED = {path.stem for path in PICTURES.glob("*.png")} - set(REAL)
"""Pipelines that `tests/test_pipeline_pictures.py` runs on made files."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home."""
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)


@pytest.mark.parametrize("pipeline", sorted({*MADE, *REAL}))
def test_it_is_valid_and_its_data_are_in_the_catalogue(pipeline: str):
    assert [str(diagnostic) for diagnostic in api.check(pipeline, now=NOW)] == []


@pytest.mark.process
@pytest.mark.parametrize("pipeline", sorted(set(MADE) - PICTURED))
def test_it_runs_on_files_of_the_right_shape(pipeline: str, tmp_path: Path):
    span = write_archive(tmp_path / "archive", pipeline)
    run = api.run(
        pipeline,
        time_range=str(span),
        archive=tmp_path / "archive",
        output=tmp_path / "out",
        now=NOW,
    )
    assert [str(step.error) for step in run.result.steps if step.error] == []
    assert run.status == "success"
    assert list((tmp_path / "out").glob("*.html"))


@pytest.mark.archive
@pytest.mark.process
@pytest.mark.parametrize("pipeline", sorted(REAL | PARTLY_REAL))
def test_it_runs_on_real_data(pipeline: str, tmp_path: Path):
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    run = api.run(
        pipeline,
        time_range=(REAL | PARTLY_REAL)[pipeline],
        archive=folder,
        output=tmp_path / "out",
        now=NOW,
    )
    failed = {result.step.step_id: result.step.critical for result in run.result.steps if result.error}
    assert failed == dict.fromkeys(WITHOUT.get(pipeline, set()), False)
    assert list((tmp_path / "out").glob("*.html"))
    assert run.status == ("partial" if failed else "success")
