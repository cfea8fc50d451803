"""The archive that a person names: a provider in any case, or a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio import api
from helio.errors import RequestError
from helio.settings import Settings
from helio.sources.archives import Archives, archive_named
from helio.sources.cdf import CdfReader


@pytest.mark.parametrize("said", ["CDAWEB", "CDAWeb", " cdaweb"])
def test_capitals_of_a_provider_count_for_nothing(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert archive_named(said) == "cdaweb"


def test_a_folder_that_is_there_is_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("Sample").mkdir()
    assert archive_named("Sample") == "Sample"
    assert archive_named("sample") == "sample"


@pytest.mark.parametrize(
    ("said", "meant"), [("cdawb", "'cdaweb'"), ("smaple", "'sample'"), ("swcp", "'swpc'")]
)
def test_a_misspelt_provider_is_not_only_a_missing_folder(said: str, meant: str):
    with CdfReader() as reader, pytest.raises(RequestError) as caught:
        Archives(reader, said).open_named()
    assert caught.value.advice == f"did you mean {meant}?"


@pytest.mark.parametrize("said", ["./cdawb", "no/cdawb", "mine"])
def test_a_missing_folder_is_a_missing_folder(said: str):
    with CdfReader() as reader, pytest.raises(RequestError) as caught:
        Archives(reader, said).open_named()
    assert "choose a folder" in caught.value.advice


@pytest.mark.slow
def test_a_run_is_recorded_with_the_one_name_of_its_archive(tmp_path: Path):
    settings = Settings(home=tmp_path / "home")
    run = api.run("gle73-particles", archive="Sample", engine="direct", settings=settings)
    assert (run.status, run.archive) == ("success", "sample")
    assert api.verify(run.id, archive="SAMPLE", settings=settings).same_results
