"""A pipeline from CDAWeb to its figure, over HTTP on loopback."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pycdfpp
import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.sources.samples import sample_folder
from helio.testing import CdaWebStandIn
from tests.waiting import LONG

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CdaWebStandIn]:
    """CDAWeb with a day of STEREO-A HET, and an empty home."""
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copy(sample_folder() / "sta_l1_het_20211028_v01.cdf", folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    with CdaWebStandIn(folder) as standin:
        monkeypatch.setenv("HELIO_CDAWEB_URL", standin.url)
        yield standin


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(
        app, ["run", "gle73-particles", "--archive", "cdaweb", *arguments], prog_name="helio"
    )


def record(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_cold_it_asks_for_a_listing_and_a_file_and_warm_for_nothing(service: CdaWebStandIn):
    cold = record(helio("--json", "-o", "out"))
    assert len(service.requests) == 2
    [source] = cold["steps"][0]["outputs"][0]["sources"]
    assert source["url"].startswith(service.url)
    assert source["sha256"]
    assert source["last_modified"]
    warm = record(helio("--json", "-o", "out"))
    assert len(service.requests) == 2
    assert {step["state"] for step in warm["steps"]} == {"cached"}


def test_the_values_are_those_of_the_same_file_on_disk(service: CdaWebStandIn, tmp_path: Path):
    over_http = record(helio("--json", "-o", "out"))
    words = ["run", "gle73-particles", "--archive", str(tmp_path / "served"), "--json", "-o", "other"]
    on_disk = json.loads(CliRunner().invoke(app, words, prog_name="helio").stdout)
    for one, other in zip(over_http["steps"], on_disk["steps"], strict=True):
        for table, same in zip(one["outputs"], other["outputs"], strict=True):
            if table["label"]:
                assert table["digest"] == same["digest"]


def test_offline_it_uses_what_is_there_and_names_what_is_not(service: CdaWebStandIn):
    missing = helio("--offline", "-o", "out")
    assert missing.exit_code == 1
    assert "STA_L1_HET" in missing.output
    assert service.requests == []
    record(helio("--json", "-o", "out"))
    asked = len(service.requests)
    assert helio("--offline", "-o", "out").exit_code == 0
    assert len(service.requests) == asked


def test_a_download_beyond_the_limit_is_an_error_with_a_way_out(service: CdaWebStandIn):
    result = helio("--max-download", "1kB", "-o", "out")
    assert result.exit_code in (1, 2)
    assert "--max-download" in result.output


@pytest.fixture
def two_fetches(service: CdaWebStandIn, tmp_path: Path) -> str:
    """A pipeline of two files that the service has."""
    for name in ("ac_k2_mfi_20220101_v03.cdf", "sta_l1_het_20211028_v01.cdf"):
        service.publish(shutil.copy(sample_folder() / name, tmp_path / name))
    fetches = [
        {"step_id": one, "tool_name": "fetch_data", "tool_args": {
            "dataset_id": dataset, "parameter_id": parameter, "time_range": day}}
        for one, dataset, parameter, day in (
            ("b", "AC_K2_MFI", "BGSEc", "2022-01-01"), ("p", "STA_L1_HET", "Proton_Flux", "2021-10-28"))
    ]  # fmt: skip
    figures = [
        {"step_id": f"figure-{one}", "tool_name": "render_spec", "tool_args": {"spec": {"labels": [label]}}}
        for one, label in (("b", "AC_K2_MFI.BGSEc"), ("p", "STA_L1_HET.Proton_Flux"))
    ]
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"id": "two", "name": "Two", "steps": [*fetches, *figures]}))
    return str(path)


def test_the_limit_holds_for_all_fetches_of_a_run_together(service: CdaWebStandIn, two_fetches: str):
    sizes = [file.path.stat().st_size for file in service.files]
    limit = max(sizes) + min(sizes) // 2
    words = ["run", two_fetches, "--archive", "cdaweb", "-o", "out", "--max-download"]
    result = CliRunner().invoke(app, [*words, f"{limit}B"], prog_name="helio")
    assert result.exit_code == 1
    assert "that this run has already requested" in result.output
    assert "--max-download 247kB or more" in result.output
    assert len(service.asked("/sp_phys/data/")) == 1
    assert CliRunner().invoke(app, [*words, "247kB"], prog_name="helio").exit_code == 0
    assert len(service.asked("/sp_phys/data/")) == 2


def test_a_plan_says_how_much_is_to_be_downloaded(service: CdaWebStandIn, two_fetches: str):
    words = ["plan", two_fetches, "--archive", "cdaweb"]
    before = CliRunner().invoke(app, words, prog_name="helio")
    assert "to download: 246 kB in 2 requests\n" in before.stdout
    assert "b  fetch_data  not in the store, to download: " in before.stdout
    assert service.asked("/sp_phys/data/") == []
    run = ["run", two_fetches, "--archive", "cdaweb", "-o", "out"]
    assert CliRunner().invoke(app, run, prog_name="helio").exit_code == 0
    after = CliRunner().invoke(app, words, prog_name="helio")
    assert "to download: nothing\n" in after.stdout


def test_a_range_that_ended_data_sets_never_had_is_refused_without_asking(service: CdaWebStandIn):
    # STEREO-A is alive: the service is asked about any day of its future.
    result = helio("-t", "2035-01-01", "-o", "out")
    assert result.exit_code == 1
    assert service.requests


def test_nobody_has_to_name_cdaweb_and_whoever_does_means_the_same_work(service: CdaWebStandIn):
    words = ["run", "gle73-particles", "--json", "-o", "out"]
    implicit = record(CliRunner().invoke(app, words, prog_name="helio"))
    assert len(service.requests) == 2
    assert implicit["steps"][0]["outputs"][0]["sources"][0]["provider"] == "CDAWeb"
    explicit = record(helio("--json", "-o", "out"))
    assert {step["state"] for step in explicit["steps"]} == {"cached"}
    assert len(service.requests) == 2


@pytest.mark.parametrize("where", ["orig_data", "/sp_phys/data/"])
@pytest.mark.parametrize("fault", [("timeout", LONG), ("503 retry", 60.0)], ids=["silence", "asked to wait"])
def test_ctrl_c_ends_a_run_that_waits_for_the_server(
    service: CdaWebStandIn, tmp_path: Path, where: str, fault: tuple[str, float]
):
    service.fail(where, fault)
    words = [sys.executable, "-m", "helio", "run", "gle73-particles", "-o", "out"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        waiting = threading.Event()
        while not service.asked(where):
            assert child.poll() is None
            waiting.wait(0.02)
        waiting.wait(0.1)  # for the answer to be read, if there is one
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=LONG)
    # had it been waited for, the next attempt would have had its answer, and the run an end
    assert child.returncode == 130, told
    assert "cancelled" in told
    assert len(service.asked(where)) == 1
    assert not (tmp_path / "out").exists()
    assert helio("-o", "out").exit_code == 0


@pytest.fixture
def week(tmp_path: Path, service: CdaWebStandIn) -> CdaWebStandIn:
    """The same records on each of the six days before as well."""
    folder = tmp_path / "served"
    for day in range(22, 28):
        cdf = pycdfpp.load(str(folder / "sta_l1_het_20211028_v01.cdf"))
        epoch = cdf["Epoch"]
        earlier = pycdfpp.to_datetime64(epoch) - np.timedelta64(28 - day, "D")
        epoch.set_values(earlier, data_type=epoch.type, force=True)
        copy = folder / f"sta_l1_het_202110{day}_v01.cdf"
        pycdfpp.save(cdf, str(copy))
        service.publish(copy, 1_700_000_000.0)
    service.mend()
    return service


def fetch_of(parameter: str) -> Result:
    args = {"dataset_id": "STA_L1_HET", "parameter_id": parameter, "time_range": "2021-10-22 to 2021-10-29"}
    steps = [{"step_id": "b", "tool_name": "fetch_data", "tool_args": args}]
    Path("one.json").write_text(json.dumps({"id": "one", "steps": steps}), encoding="utf-8")
    words = ["run", "one.json", "--archive", "cdaweb", "-o", "out"]
    return CliRunner().invoke(app, words, prog_name="helio")


def test_a_misspelt_parameter_costs_one_file_and_not_all_of_them(week: CdaWebStandIn):
    result = fetch_of("Proton_Flx")
    assert result.exit_code == 1
    assert "Proton_Flux" in result.output
    assert len(week.asked("sta_l1_het_202110")) == 1


def test_a_listed_parameter_is_fetched_without_looking_first(week: CdaWebStandIn):
    assert fetch_of("Proton_Flux").exit_code == 0
    assert len(week.requests) == 8  # a listing and seven files
