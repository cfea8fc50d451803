"""Bundles of runs: what another home gets, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.errors import DamagedObject, OutputError, RequestError
from helio.pipelines.runs import bundle
from helio.pipelines.runs.outcome import Run
from helio.settings import Settings, read_settings
from helio.store.runs import RunRecord, Runs
from helio.store.store import Store

pytestmark = pytest.mark.usefixtures("warm_processes")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return replace(read_settings({}), home=tmp_path_factory.mktemp("here"), archive="")


@pytest.fixture
def there(tmp_path: Path, here: Settings) -> Settings:
    return replace(here, home=tmp_path / "there")


@pytest.fixture(scope="module")
def run(here: Settings, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("out")
    return api.run("gle73-particles", archive="sample", output=folder, settings=here)


@pytest.fixture(scope="module")
def bundled(here: Settings, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "runs.zip"
    made = api.export_runs([run.id, "last"], file, here)
    assert (made.runs, made.files, made.notes) == ((run.id,), (file,), ())
    return file


def test_a_bundle_has_the_same_bytes_each_time(here: Settings, run: Run, bundled: Path, tmp_path: Path):
    api.export_runs([run.id], tmp_path / "again.zip", here)
    assert (tmp_path / "again.zip").read_bytes() == bundled.read_bytes()


def test_a_run_moves_to_another_home_and_verifies_there(
    there: Settings, run: Run, bundled: Path, tmp_path: Path
):
    made = api.import_runs(bundled, outputs=tmp_path / "out", now="2030-01-02", settings=there)
    record = Runs(there.runs).load(run.id)
    header = record.whole_header
    assert [Path(artefact["file"]) for artefact in header["artefacts"]] == list(made.files)
    for old, new in zip(run.artefacts, header["artefacts"], strict=True):
        assert Path(new["file"]).parent == tmp_path / "out" / run.id
        assert (Path(new["file"]).name, new["sha256"]) == (old.path.name, old.sha256)
        if old.path.is_file():
            assert Path(new["file"]).read_bytes() == old.path.read_bytes()
    assert json.loads((record.folder / "run.json").read_text())["added"]["at"] == "2030-01-02T00:00:00"
    assert api.cite(run.id, there)
    assert api.verify(run.id, settings=there).same_results
    with pytest.raises(OutputError, match="exists already"):
        api.import_runs(bundled, outputs=tmp_path / "out", settings=replace(there, home=tmp_path / "third"))


def test_a_bundle_brings_no_results_that_later_runs_would_use(
    there: Settings, run: Run, bundled: Path, tmp_path: Path
):
    api.import_runs(bundled, outputs=tmp_path / "out", settings=there)
    store = Store(there.store)
    record = Runs(there.runs).load(run.id)
    assert record.keys
    assert not any(store.find(key) for key in record.keys)
    with pytest.raises(DamagedObject, match="was added from a bundle, which holds no tables") as found:
        api.describe(run.id, settings=there)
    assert "gle73-particles" in found.value.advice


def test_a_run_that_is_here_already_stays(here: Settings, run: Run, bundled: Path, tmp_path: Path):
    before = (here.runs / run.id / "run.json").read_bytes()
    made = api.import_runs(bundled, outputs=tmp_path / "out", settings=here)
    assert made.notes == (f"run {run.id} is here already",)
    assert (here.runs / run.id / "run.json").read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_gone_is_left_out_and_named(here: Settings, there: Settings, tmp_path: Path):
    run = api.run("psp-bfield", archive="sample", output=tmp_path / "out", settings=here)
    gone, changed = (
        artefact.path for artefact in run.artefacts if artefact.path.suffix in (".html", ".json")
    )
    gone.unlink()
    changed.write_text("{}")
    made = api.export_runs([run.id], tmp_path / "runs.zip", here)
    assert len(made.notes) == 2
    assert str(gone) in made.notes[0]
    moved = api.import_runs(tmp_path / "runs.zip", outputs=tmp_path / "new", settings=there)
    assert not [path for path in moved.files if path.suffix in (".html", ".json")]


def edited(
    bundled: Path,
    file: Path,
    change: Callable[[dict[str, bytes], dict[str, Any]], None],
    *,
    right: bool = True,
) -> Path:
    """Write a bundle with other members; with `right`, the index has their digests."""
    with zipfile.ZipFile(bundled) as old:
        members = {name: old.read(name) for name in old.namelist()}
    index = json.loads(members.pop("bundle.json"))
    change(members, index)
    if right:
        index["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    with zipfile.ZipFile(file, "w") as new:
        new.writestr("bundle.json", json.dumps(index))
        for name, content in members.items():
            new.writestr(name, content)
    return file


def _rename(members: dict[str, bytes], old: str, new: str) -> None:
    name = next(name for name in members if name.endswith(old))
    members[name.replace(old, new)] = members.pop(name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda members, index: _rename(members, "plan.json", "../../plan.json"), "not the name of a member"),
        (lambda members, index: _rename(members, "plan.json", ".plan.json"), "not the name of a member"),
        (lambda members, index: _rename(members, "plan.json", "plan.py"), "not a file of a record"),
        (lambda members, index: members.update({"/etc/passwd": b"x"}), "not the name of a member"),
        (lambda members, index: members.update({"files/other/a.png": b"x"}), "not the name of a member"),
        (lambda members, index: index.update(runs=[*index["runs"], "../../x"]), "run that cannot be one"),
        (lambda members, index: index.update(runs=[*index["runs"], "nothing"]), "run nothing"),
        (lambda members, index: index.update(form="helio-bundle/9"), "its form is 'helio-bundle/9'"),
        (lambda members, index: index.pop("runs"), "runs"),
        (lambda members, index: _rename(members, "plan.json", "plans.json"), "plan.json"),
        (
            lambda members, index: members.update(
                {name: content + b" " for name, content in members.items() if name.endswith(".html")}
            ),
            "not the file that the run wrote",
        ),
        (
            lambda members, index: members.update(
                {
                    name: content.replace(b'"success"', b'"running"')
                    for name, content in members.items()
                    if name.endswith("run.json")
                }
            ),
            "has not ended",
        ),
    ],
    ids=[
        "outside", "hidden", "program", "absolute", "other run", "run outside", "empty run", "form", "no runs",
        "no plan", "other figure", "running",
    ],
)  # fmt: skip
def test_a_bundle_that_is_not_what_helio_writes_is_refused_whole(
    there: Settings, bundled: Path, tmp_path: Path, change: Any, said: str
):
    file = edited(bundled, tmp_path / "evil.zip", change)
    with pytest.raises(RequestError, match=said):
        api.import_runs(file, outputs=tmp_path / "out", settings=there)
    assert not (tmp_path / "out").exists()
    assert Runs(there.runs).ids() == []


def test_a_changed_member_is_found(there: Settings, bundled: Path, tmp_path: Path):
    file = edited(
        bundled,
        tmp_path / "changed.zip",
        lambda members, index: members.update(
            {name: b"{}" for name in members if name.endswith("plan.json")}
        ),
        right=False,
    )
    with pytest.raises(RequestError, match="has changed since the bundle was written"):
        api.import_runs(file, outputs=tmp_path / "out", settings=there)


def test_a_bundle_that_is_too_large_is_refused_before_it_is_unpacked(
    there: Settings, bundled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bundle, "LARGEST", 1000)
    with pytest.raises(RequestError, match="larger than"):
        api.import_runs(bundled, outputs=tmp_path / "out", settings=there)


def test_another_run_with_the_same_id_is_refused(there: Settings, run: Run, bundled: Path, tmp_path: Path):
    api.import_runs(bundled, outputs=tmp_path / "out", settings=there)
    steps = RunRecord(there.runs / run.id).folder / "steps.jsonl"
    steps.write_bytes(steps.read_bytes().replace(b'"seconds"', b'"second"'))
    with pytest.raises(RequestError, match="another run of this home") as refused:
        api.import_runs(bundled, outputs=tmp_path / "out", settings=there)
    assert f"helio runs delete {run.id}" in refused.value.advice


def test_a_running_run_is_not_written(here: Settings, run: Run, tmp_path: Path):
    header = json.loads((here.runs / run.id / "run.json").read_text())
    record = Runs(here.runs).begin({**header, "id": "now"}, {})
    try:
        with pytest.raises(RequestError, match="has not ended"):
            api.export_runs(["now"], tmp_path / "runs.zip", here)
    finally:
        record.finish("cancelled")
    assert not (tmp_path / "runs.zip").exists()
