"""What proves the bytes of a run's files: recorded, shown, cited, required of a locked run, and no part of any key."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.sources.cdf import CdfReader
from helio.sources.local import LocalArchive
from helio.sources.samples import sample_archive, sample_folder
from helio.store.source_file import LEVELS, PROOFS, SourceFile, proves
from helio.testing import CdaWebStandIn
from helio.time_range import TimeRange
from tests.sources.conftest import WrittenCdf

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

RECORDS = 24
DATASET = "MY_FIELD"
NAME = "my_field_20240510_v01"


def cdf(path: Path, **options: Any) -> Path:
    gzip = options.pop("gzip", 0)
    hours = np.datetime64("2024-05-10", "ms").astype("i8") + 62_167_219_200_000 + 3.6e6 * np.arange(RECORDS)
    file = WrittenCdf(path, **options)
    file.say(Logical_source="my_field").add("Epoch", "epoch", hours, gzip=gzip)
    field = np.arange(RECORDS, dtype="f4")
    return file.add("B", "f4", field, gzip=gzip, DEPEND_0="Epoch", UNITS="nT", CATDESC="B").done()


def netcdf(path: Path, **filters: Any) -> Path:
    with netCDF4.Dataset(str(path), "w") as file:
        file.createDimension("time", RECORDS)
        time = file.createVariable("time", "f8", ("time",), **filters)
        time.units = "hours since 2024-05-10 00:00:00"
        time[:] = np.arange(RECORDS)
        field = file.createVariable("B", "f4", ("time",), **filters)
        field.units = "nT"
        field[:] = np.arange(RECORDS)
    return path


def day_of(text: str) -> TimeRange:
    start = datetime.fromisoformat(text)
    return TimeRange(start, start + timedelta(days=1))


def csv(path: Path) -> Path:
    path.write_text("time,B\n" + "".join(f"2024-05-10T{hour:02}:00:00Z,{hour}\n" for hour in range(RECORDS)))
    return path


FILES = {
    "checksum": (lambda folder: cdf(folder / f"{NAME}.cdf", checksum=True), "checksum in the file"),
    "checksum, whole file compressed": (
        lambda folder: cdf(folder / f"{NAME}.cdf", checksum=True, compressed=6),
        "checksum in the file",
    ),
    "whole file compressed": (
        lambda folder: cdf(folder / f"{NAME}.cdf", compressed=6),
        "checksums of its parts",
    ),
    "compressed variables": (lambda folder: cdf(folder / f"{NAME}.cdf", gzip=6), "checksums of its parts"),
    "plain": (lambda folder: cdf(folder / f"{NAME}.cdf"), "nothing"),
    "netCDF": (lambda folder: netcdf(folder / f"{NAME}.nc"), "nothing"),
    "netCDF with Fletcher32": (
        lambda folder: netcdf(folder / f"{NAME}.nc", fletcher32=True),
        "checksums of its parts",
    ),
    "netCDF with zlib": (lambda folder: netcdf(folder / f"{NAME}.nc", zlib=True), "checksums of its parts"),
    "CSV": (lambda folder: csv(folder / f"{NAME}.csv"), "nothing"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    made = tmp_path / "archive"
    made.mkdir()
    args = {"dataset_id": DATASET, "parameter_id": "B", "time_range": "2024-05-10", "output_label": "B"}
    save = {"source_labels": ["B"], "filename": "b.csv"}
    steps = [
        {"step_id": "b", "tool_name": "fetch_data", "tool_args": args},
        {"step_id": "out", "tool_name": "save_data", "tool_args": save},
    ]
    template = {"id": "mine", "name": "mine", "version": 1, "steps": steps}
    (tmp_path / "mine.json").write_text(json.dumps(template))
    return made


def helio(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="helio")


def run(*words: str) -> Result:
    return helio("run", "mine.json", "-o", "out", *words)


def recorded(document: Any) -> list[str]:
    """The proofs of the files that the fetches of a record read."""
    return [
        source["proof"]
        for step in document["steps"]
        if step["tool_name"] == "fetch_data"
        for output in step["outputs"]
        for source in output["sources"]
    ]


CITED = {
    "checksum in the file": "in the file",
    "checksums of its parts": "of the parts of the file",
    "nothing": "none stated by the archive",
}


@pytest.mark.parametrize("kind", FILES)
def test_the_record_of_a_run_says_what_proves_each_file(folder: Path, kind: str):
    make, proof = FILES[kind]
    make(folder)
    result = run("--archive", "archive")
    assert result.exit_code == 0, result.output
    run_json = json.loads(Path("out/run.json").read_text())
    assert recorded(run_json) == [proof]
    assert [citation["proofs"] for citation in run_json["citations"]] == [{proof: 1}]
    assert recorded(json.loads(helio("runs", "show", run_json["id"], "--json").stdout)) == [proof]
    assert f"  checksum: {CITED[proof]} (1 file)" in helio("cite", run_json["id"]).stdout


def test_the_samples_are_proven_by_their_manifest():
    with CdfReader() as reader:
        day = day_of("2022-01-01")
        [located] = sample_archive(reader).locate("AC_K2_MFI", day)
        table = sample_archive(reader).fetch("AC_K2_MFI", ["BGSEc"], day)["BGSEc"]
    assert located.proof == table.sources[0].proof == "checksum of the archive"


@pytest.mark.parametrize(("checksum", "proof"), [(True, "checksum in the file"), (False, "size only")])
def test_a_downloaded_file_is_proven_by_its_size_or_by_itself(
    folder: Path, checksum: bool, proof: str, monkeypatch: pytest.MonkeyPatch
):
    cdf(folder / f"{NAME}.cdf", checksum=checksum)
    with CdaWebStandIn(folder) as service:
        monkeypatch.setenv("HELIO_CDAWEB_URL", service.url)
        for _ in range(2):  # downloaded, then kept
            result = run("--archive", "cdaweb")
            assert result.exit_code == 0, result.output
            assert recorded(json.loads(Path("out/run.json").read_text())) == [proof]


def test_a_download_with_a_wrong_checksum_is_refused_and_not_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = cdf(folder / f"{NAME}.cdf", checksum=True)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    with CdaWebStandIn(folder) as service:
        monkeypatch.setenv("HELIO_CDAWEB_URL", service.url)
        result = run("--archive", "cdaweb")
    assert result.exit_code == 1
    assert "MD5 checksum" in result.output
    assert f"{NAME}.cdf" in result.output
    assert not list((tmp_path / "home" / "files").rglob("*.cdf"))


# What it does not change


def test_neither_keys_nor_exported_files_change_with_the_proof(folder: Path):
    cdf(folder / f"{NAME}.cdf", checksum=True)
    assert run("--archive", "archive").exit_code == 0
    steps = json.loads(Path("out/run.json").read_text())["steps"]
    assert all("proof" not in json.dumps(output["recipe"]) for step in steps for output in step["outputs"])
    assert "proof" not in Path("out/b.csv").read_text()
    assert "sha256" in Path("out/b.csv").read_text()


def test_the_same_file_is_one_source_however_well_it_is_proven():
    known, old = SourceFile("A", "a.cdf", sha256="1", proof="size only"), SourceFile("A", "a.cdf", sha256="1")
    assert known == old
    assert known.cited() == old.cited()
    assert len({known, old}) == 1


def forget_proofs(home: Path) -> None:
    """Make records and stored work as a helio wrote them that did not know of proofs."""
    for path in (home / "runs").rglob("*.jsonl"):
        path.write_text(path.read_text().replace(', "proof": "checksum in the file"', ""))


def test_a_record_without_proofs_is_read_locked_cited_and_verified(folder: Path, tmp_path: Path):
    cdf(folder / f"{NAME}.cdf", checksum=True)
    assert run("--archive", "archive").exit_code == 0
    run_id = json.loads(Path("out/run.json").read_text())["id"]
    forget_proofs(tmp_path / "home")
    assert '"proof"' not in helio("runs", "show", run_id, "--json").stdout
    assert "  checksum: not recorded (1 file)" in helio("cite", run_id).stdout
    verified = helio("verify", run_id)
    assert verified.exit_code == 0, verified.output
    assert "note: " not in verified.stdout
    assert helio("lock", "--run", run_id).exit_code == 0
    assert run("--locked").exit_code == 0


# What may be required


def test_proofs_are_ordered_and_an_unknown_one_is_none():
    for number, proof in enumerate(PROOFS):
        assert [proves(proof, level) for level in PROOFS] == [number <= other for other in range(len(PROOFS))]
        assert not proves("", proof)
    assert list(LEVELS.values()) == list(PROOFS[:-1])


@pytest.mark.parametrize("kind", FILES)
def test_a_locked_run_is_refused_with_the_files_that_are_not_proven_as_well(folder: Path, kind: str):
    make, proof = FILES[kind]
    path = make(folder)
    assert helio("lock", "mine.json", "--archive", "archive").exit_code == 0
    for level, required in LEVELS.items():
        if not proves(proof, required):
            result = run("--locked", "--proof", level)
            assert result.exit_code == 2
            assert f"{path.name}: {proof}" in result.output
            assert required in result.output
            assert not Path("out").exists()
    for options in (
        (),
        *(("--proof", level) for level, required in LEVELS.items() if proves(proof, required)),
    ):
        result = run("--locked", *options)
        assert result.exit_code == 0, result.output


def test_a_stored_fetch_without_a_proof_is_proven_by_the_file_as_it_is(folder: Path, tmp_path: Path):
    cdf(folder / f"{NAME}.cdf", checksum=True)
    assert helio("lock", "mine.json", "--archive", "archive").exit_code == 0
    from helio.store.store import Store

    find = Store.find

    def old(self: Store, key: str) -> Any:
        result = find(self, key)
        if result is not None:
            for source in result.facts.get("sources", ()):
                source.pop("proof", None)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "find", old)
        result = run("--locked", "--proof", "file")
    assert result.exit_code == 0, result.output


def test_a_proof_is_required_of_a_locked_run_only(folder: Path):
    csv(folder / f"{NAME}.csv")
    result = run("--archive", "archive", "--proof", "file")
    assert result.exit_code == 2
    assert "--locked" in result.output


def test_a_sample_that_is_not_what_its_manifest_says_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    copy = Path(shutil.copytree(sample_folder(), tmp_path / "samples"))
    damaged = copy / "ac_k2_mfi_20220101_v03.cdf"
    content = bytearray(damaged.read_bytes())
    content[-100] ^= 1
    damaged.write_bytes(content)
    monkeypatch.setattr("helio.sources.samples.sample_folder", lambda: copy)
    from helio.errors import DamagedFile

    with CdfReader() as reader, pytest.raises(DamagedFile, match=damaged.name):
        sample_archive(reader).locate("AC_K2_MFI", day_of("2022-01-01"))


def test_another_folder_cites_the_proof_of_its_own_bytes(folder: Path):
    from helio.sources.cited_as import CitedProvider

    path = cdf(folder / f"{NAME}.cdf", checksum=True)
    with CdfReader() as reader:
        archive = LocalArchive(path.parent, reader)
        day = day_of("2024-05-10")
        [located] = archive.locate(DATASET, day)
        elsewhere = SourceFile(**asdict(located) | {"provider": "CDAWeb", "proof": "size only"})
        cited = CitedProvider(archive, {(DATASET, located.sha256): elsewhere}).fetch(DATASET, ["B"], day)["B"]
    assert cited.sources[0].provider == "CDAWeb"
    assert cited.sources[0].proof == "checksum in the file"
