"""What a run was made from: locked, refused when it is another, verified, compared and cited; over HTTP on loopback."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pycdfpp
import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.pipelines.runs import locking
from helio.settings import Settings, read_settings
from helio.sources.samples import sample_folder
from helio.steps.signature import signatures
from helio.testing import CdaWebStandIn, Computed, HapiStandIn, SwpcStandIn
from tests.sources.made_hapi import magnetometer

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

FILE = "sta_l1_het_20211028_v01.cdf"
LATER = 1_760_000_000.0


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder with a day of STEREO-A HET, which a test may publish again."""
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copyfile(sample_folder() / FILE, folder / FILE)
    return folder


@pytest.fixture
def service(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CdaWebStandIn]:
    """CDAWeb with that day and a parameter that no file holds; an empty home and an empty folder of work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    total = Computed(lambda file: file["Proton_Flux"].values.sum(axis=1), {"UNITS": "1/s", "CATDESC": "sum"})
    with CdaWebStandIn(served, computed={("STA_L1_HET", "Total"): total}) as standin:
        monkeypatch.setenv("HELIO_CDAWEB_URL", standin.url)
        yield standin


def helio(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="helio")


def gle(*words: str) -> Result:
    """The particles of GLE 73 from CDAWeb."""
    return helio("run", "gle73-particles", "--archive", "cdaweb", "-o", "out", *words)


def run_id() -> str:
    """The latest run."""
    return str(json.loads(helio("runs", "--json").stdout)[0]["id"])


def lock() -> dict[str, Any]:
    """Lock the particles, and give what is in the lock."""
    result = helio("lock", "gle73-particles", "--archive", "cdaweb")
    assert result.exit_code == 0, result.output
    return read("helio.lock")


def read(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def another_home(name: str = "elsewhere") -> None:
    """Work as on another machine, where nothing is kept."""
    os.environ["HELIO_HOME"] = str(Path(name).absolute())


def publish_again(service: CdaWebStandIn, served: Path, *, words: tuple[bytes, bytes], at: float) -> None:
    """Put a file of the same name and length in the place of the one that is served."""
    path = served / FILE
    content = path.read_bytes()
    assert len(words[0]) == len(words[1])
    assert words[0] in content
    path.unlink()
    path.write_bytes(content.replace(*words))
    service.publish(path, at)


def kept_file(home: str = "home") -> Path:
    [path] = (Path(home) / "files" / "data").rglob(FILE)
    return path


def change_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


# Locking


def test_a_lock_names_each_file_by_its_bytes(service: CdaWebStandIn, served: Path):
    locked = lock()
    assert locked["pipeline"] == "gle73-particles"
    assert locked["values"]["$TIME_RANGE"] == "2021-10-28 to 2021-10-29"
    assert locked["tools"]["fetch_data"] >= 2
    [fetch] = locked["fetches"]
    [dataset] = fetch["datasets"]
    assert dataset["used"] is True
    [file] = dataset["files"]
    assert file["file"] == FILE
    assert file["version"] == "01"
    assert file["size"] == (served / FILE).stat().st_size
    assert len(file["sha256"]) == 64
    assert file["url"].startswith(service.url)
    assert file["last_modified"]
    assert set(fetch["tables"]) == {"STA_L1_HET.Proton_Flux", "STA_L1_HET.Electron_Flux"}


def test_locking_again_writes_nothing_when_nothing_has_changed(service: CdaWebStandIn):
    lock()
    before = Path("helio.lock").read_bytes()
    asked = len(service.requests)
    again = helio("lock", "gle73-particles", "--archive", "cdaweb")
    assert "unchanged helio.lock" in again.output
    assert Path("helio.lock").read_bytes() == before
    assert len(service.requests) == asked


def test_a_run_is_locked_as_its_pipeline_is(service: CdaWebStandIn):
    locked = lock()
    assert gle().exit_code == 0
    asked = len(service.requests)
    assert helio("lock", "--run", run_id(), "-o", "of-run.lock").exit_code == 0
    assert read("of-run.lock") | {"now": ""} == locked | {"now": ""}
    assert len(service.requests) == asked


def test_a_lock_of_another_pipeline_is_not_overwritten(service: CdaWebStandIn):
    lock()
    result = helio("lock", "ace-bfield-overview", "--archive", "sample", "-t", "2022-01-01")
    assert result.exit_code != 0
    assert read("helio.lock")["pipeline"] == "gle73-particles"


def test_a_run_after_its_lock_asks_for_nothing_more(service: CdaWebStandIn):
    lock()
    assert len(service.requests) == 2  # a listing and a file
    result = helio("run", "gle73-particles", "--locked", "-o", "out", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["archive"] == "cdaweb"
    assert len(service.requests) == 2


def test_on_another_machine_a_locked_run_gives_the_same_figure(service: CdaWebStandIn):
    lock()
    first = helio("run", "gle73-particles", "--locked", "-o", "one")
    another_home()
    second = helio("run", "gle73-particles", "--locked", "-o", "two")
    assert first.exit_code == second.exit_code == 0, second.output
    assert "✓ protons" in second.output  # read by this run, not found in the store
    assert Path("one/particles.json").read_bytes() == Path("two/particles.json").read_bytes()


# Refusing what is not locked


def test_a_file_published_again_under_its_name_is_refused_and_named_before_it_is_downloaded(
    service: CdaWebStandIn, served: Path
):
    lock()
    publish_again(service, served, words=(b"Luhmann", b"LUHMANN"), at=LATER)
    another_home()
    service.mend()
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert f"{FILE} was published again" in result.output
    assert "2023-11-14" in result.output
    assert "2025-10-09" in result.output
    assert service.asked(FILE) == []
    assert not Path("out").exists() or not any(Path("out").iterdir())


def test_other_bytes_under_the_same_listing_are_refused_and_named(service: CdaWebStandIn, served: Path):
    locked = lock()
    publish_again(service, served, words=(b"Luhmann", b"LUHMANN"), at=1_700_000_000.0)
    another_home()
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert f"{FILE} has other content" in result.output
    assert locked["fetches"][0]["datasets"][0]["files"][0]["sha256"][:12] in result.output
    assert json.loads(helio("runs", "--json").stdout) == []


def test_the_locked_files_stay_in_use_offline_whatever_was_published_since(
    service: CdaWebStandIn, served: Path
):
    lock()
    publish_again(service, served, words=(b"Luhmann", b"LUHMANN"), at=LATER)
    refused = helio("run", "gle73-particles", "--locked", "--refresh", "-o", "out")
    assert refused.exit_code == 2
    assert "--locked --offline" in refused.output
    asked = len(service.requests)
    result = helio("run", "gle73-particles", "--locked", "--offline", "-o", "out")
    assert result.exit_code == 0, result.output
    assert len(service.requests) == asked


def test_another_version_is_refused_with_old_and_new(service: CdaWebStandIn, served: Path):
    lock()
    newer = served / FILE.replace("v01", "v02")
    shutil.copyfile(served / FILE, newer)
    service.publish(newer, LATER)
    another_home()
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "version 01 → 02" in result.output


def test_the_same_bytes_from_another_archive_are_what_is_locked(service: CdaWebStandIn):
    lock()
    asked = len(service.requests)
    result = helio("run", "gle73-particles", "--locked", "--archive", "sample", "-o", "out")
    assert result.exit_code == 0, result.output
    result = helio("run", "gle73-particles", "--locked", "--archive", "served", "-o", "out")
    assert result.exit_code == 0, result.output
    assert len(service.requests) == asked


def test_a_folder_and_the_lock_beside_it_can_be_moved_together(service: CdaWebStandIn, tmp_path: Path):
    assert helio("lock", "gle73-particles", "--archive", "served").exit_code == 0
    assert read("helio.lock")["archive"] == "./served"
    moved = tmp_path / "moved"
    moved.mkdir()
    Path("helio.lock").rename(moved / "helio.lock")
    Path("served").rename(moved / "served")
    another_home()
    result = helio("run", "gle73-particles", "--lock", "moved/helio.lock", "-o", "out")
    assert result.exit_code == 0, result.output


def test_another_range_and_another_value_are_refused(service: CdaWebStandIn):
    lock()
    result = helio("run", "gle73-particles", "--locked", "-t", "2021-10-27", "-o", "out")
    assert result.exit_code == 2
    assert "$TIME_RANGE: 2021-10-28 to 2021-10-29 → 2021-10-27 to 2021-10-28" in result.output
    result = helio("run", "gle73-particles", "--locked", "--set", "WINDOW=5min", "-o", "out")
    assert "$WINDOW: 10min → 5min" in result.output


def test_a_refused_run_leaves_what_an_earlier_one_wrote(service: CdaWebStandIn):
    lock()
    assert gle().exit_code == 0
    before = contents(Path("out"))
    assert helio("run", "gle73-particles", "--locked", "-t", "2021-10-27", "-o", "out").exit_code == 2
    assert contents(Path("out")) == before


def test_another_version_of_a_tool_is_refused_with_a_way_out(service: CdaWebStandIn):
    locked = lock()
    locked["tools"]["running_average"] = 99
    locked["helio"] = "0.0.9"
    Path("helio.lock").write_text(json.dumps(locked), encoding="utf-8")
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert f"tool running_average: version 99 → {signatures()['running_average'].version}" in result.output
    assert "helio 0.0.9" in result.output
    assert "--offline" not in result.output


def changed_template(**changes: Any) -> dict[str, Any]:
    """Write the locked template with other arguments of one step to mine.json."""
    template = api.load("gle73-particles")
    [smooth] = [step for step in template["steps"] if step["step_id"] == "smooth"]
    smooth["tool_args"] |= changes
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    return template


def test_another_template_is_refused_with_the_step_and_argument_that_changed(service: CdaWebStandIn):
    lock()
    changed_template(window="1h")
    result = helio("run", "mine.json", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "the template: step smooth: tool_args.window: $WINDOW → 1h" in result.output
    assert "undo the changes to the template" in result.output
    assert "sha256:" not in result.output
    assert "--offline" not in result.output
    assert helio("plan", "mine.json", "--locked").exit_code == 2
    result = helio("run", "ace-bfield-overview", "--locked", "-o", "out")
    assert "the pipeline: gle73-particles → ace-bfield-overview" in result.output
    assert "--lock FILE" in result.output


def test_a_step_that_is_added_renamed_or_gone_is_named(service: CdaWebStandIn):
    lock()
    template = changed_template()
    first = template["steps"].pop(0)
    template["steps"].append(first | {"step_id": "ions"})
    template["steps"].append(
        {"step_id": "more", "tool_name": "plot_data", "tool_args": {"labels": ["proton_bands"]}}
    )
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    result = helio("run", "mine.json", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert f"the template: step {first['step_id']} is now called ions" in result.output
    assert "the template has a new step: more" in result.output


def test_words_that_change_no_result_are_no_other_template(service: CdaWebStandIn):
    lock()
    assert gle().exit_code == 0
    template = changed_template()
    template |= {"name": "Another name", "description": "Other words.", "annotations": {"by": "me"}}
    for facts in template["variables"].values():
        facts["description"] = "Other words."
    for step in template["steps"]:
        step["intent"] = "another"
        step["tool_args"] = dict(reversed(step["tool_args"].items()))
    template = dict(reversed(template.items()))
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    for words in (["run"], ["run", "--offline"], ["plan"]):
        result = helio(words[0], "mine.json", "--locked", *words[1:])
        assert result.exit_code == 0, result.output
    assert helio("plan", "mine.json", "--archive", "cdaweb", "-o", "saved.json").exit_code == 0
    result = helio("run", "saved.json", "--locked", "-o", "out")
    assert result.exit_code == 0, result.output


def test_a_lock_that_does_not_keep_its_template_is_compared_by_digest(service: CdaWebStandIn):
    locked = lock()
    del locked["document"]
    Path("helio.lock").write_text(json.dumps(locked), encoding="utf-8")
    assert helio("run", "gle73-particles", "--locked", "-o", "out").exit_code == 0
    changed_template(window="1h")
    result = helio("run", "mine.json", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "the template: sha256:" in result.output


def test_other_numbers_of_the_same_files_are_refused(service: CdaWebStandIn):
    locked = lock()
    tables = locked["fetches"][0]["tables"]
    tables["STA_L1_HET.Proton_Flux"] = "sha256:" + "0" * 64
    Path("helio.lock").write_text(json.dumps(locked), encoding="utf-8")
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "the numbers of STA_L1_HET.Proton_Flux changed: sha256:000000000000… → " in result.output


def test_a_plan_is_held_to_a_lock_without_downloading(service: CdaWebStandIn, served: Path):
    lock()
    assert helio("plan", "gle73-particles", "--locked").exit_code == 0
    publish_again(service, served, words=(b"Luhmann", b"LUHMANN"), at=LATER)
    another_home()
    service.mend()
    result = helio("plan", "gle73-particles", "--locked", "--json")
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["kind"] == "LockMismatch"
    assert f"{FILE} was published again" in error["message"]
    assert service.asked(FILE) == []


def test_a_saved_plan_is_held_to_the_lock_of_its_template(service: CdaWebStandIn):
    lock()
    words = ["plan", "gle73-particles", "--archive", "cdaweb", "-o", "saved.json"]
    assert helio(*words).exit_code == 0
    result = helio("run", "saved.json", "--locked", "-o", "out")
    assert result.exit_code == 0, result.output
    assert helio(*words, "--set", "WINDOW=5min").exit_code == 0
    result = helio("run", "saved.json", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "$WINDOW: 10min → 5min" in result.output
    assert "template" not in result.output


def test_a_candidate_is_locked_with_those_that_came_before_it(service: CdaWebStandIn):
    names = ("NO_SUCH", "STA_L1_HET", "SOHO_ERNE-HED_L2-1MIN")
    args = {
        "candidates": [{"dataset_id": name, "parameter_id": "Proton_Flux"} for name in names],
        "time_range": "2021-10-28",
        "output_label": "p",
    }
    steps = [
        {"step_id": "p", "tool_name": "fetch_data", "tool_args": args},
        {"step_id": "f", "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["p"]}}},
    ]
    Path("spare.json").write_text(json.dumps({"id": "spare", "steps": steps}), encoding="utf-8")
    assert helio("lock", "spare.json", "--archive", "sample").exit_code == 0
    datasets = read("helio.lock")["fetches"][0]["datasets"]
    assert [dataset["used"] for dataset in datasets] == [False, True, False]
    assert datasets[0]["absent"] == "UnknownDataset"
    assert datasets[2]["files"] == []
    assert helio("run", "spare.json", "--locked", "-o", "out").exit_code == 0
    assert "unchanged" in helio("lock", "--run", run_id()).output


def test_what_no_file_holds_is_locked_by_its_numbers(service: CdaWebStandIn):
    template = {
        "id": "total",
        "steps": [
            {
                "step_id": "t",
                "tool_name": "fetch_data",
                "tool_args": {
                    "dataset_id": "STA_L1_HET",
                    "parameter_id": "Total",
                    "time_range": "2021-10-28",
                },
            },
            {
                "step_id": "f",
                "tool_name": "render_spec",
                "tool_args": {"spec": {"labels": ["STA_L1_HET.Total"]}},
            },
        ],
    }
    Path("total.json").write_text(json.dumps(template), encoding="utf-8")
    assert helio("lock", "total.json", "--archive", "cdaweb").exit_code == 0
    assert helio("run", "total.json", "--locked", "-o", "out").exit_code == 0
    name = run_id()
    asked = len(service.requests)
    assert helio("verify", name).exit_code == 0
    assert len(service.requests) == asked
    service.computed[("STA_L1_HET", "Total")] = Computed(
        lambda file: 2 * file["Proton_Flux"].values.sum(axis=1), {"UNITS": "1/s", "CATDESC": "sum"}
    )
    another_home()
    result = helio("run", "total.json", "--locked", "-o", "out")
    assert result.exit_code == 2
    assert "the numbers of STA_L1_HET.Total" in result.output


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (None, 2, "there is no lock helio.lock"),
        ("{", 1, "the lock is damaged"),
        ("[]", 2, "this is not a lock"),
        ('{"lock": "helio-lock/2"}', 2, "helio-lock/2"),
        ('{"lock": "helio-lock/1", "fetches": [{}]}', 1, "the lock is damaged: it lacks 'pipeline'"),
        ('{"lock": "helio-lock/1", "tools": 3}', 1, "the lock is damaged: it lacks 'pipeline'"),
    ],
)
def test_a_lock_that_is_none_is_an_error_in_words(
    service: CdaWebStandIn, content: str | None, code: int, words: str
):
    if content is not None:
        Path("helio.lock").write_text(content, encoding="utf-8")
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == code
    assert words in result.output


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("fetches",), 3, "fetches is 3, not a list"),
        (("fetches", 0), 3, "fetches[0] is 3, not an object"),
        (("fetches", 0, "range"), ["2021-10-28"], 'fetches[0].range is ["2021-10-28"], not a list of 2'),
        (
            ("fetches", 0, "datasets", 0, "parameters"),
            5,
            "fetches[0].datasets[0].parameters is 5, not a list",
        ),
        (
            ("fetches", 0, "datasets", 0, "files", 0, "size"),
            "big",
            'fetches[0].datasets[0].files[0].size is "big", not a whole number',
        ),
        (("tools", "fetch_data"), None, "tools.fetch_data is null, not a whole number"),
    ],
)
def test_a_damaged_lock_says_in_words_which_part_of_it_is_wrong(
    service: CdaWebStandIn, path: tuple[str | int, ...], value: Any, words: str
):
    locked: Any = lock()
    inner = locked
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    Path("helio.lock").write_text(json.dumps(locked), encoding="utf-8")
    result = helio("run", "gle73-particles", "--locked", "-o", "out")
    assert result.exit_code == 1
    assert f"the lock is damaged: {words}" in result.output


def test_locking_needs_one_pipeline_or_one_run(service: CdaWebStandIn):
    assert helio("lock").exit_code == 2
    assert helio("lock", "gle73-particles", "--run", "x").exit_code == 2
    assert helio("lock", "--run", "x").exit_code == 2
    assert not Path("helio.lock").exists()


def test_what_cannot_be_fetched_is_not_locked(service: CdaWebStandIn):
    result = helio("lock", "gle73-particles", "--archive", "cdaweb", "-t", "2020-01-01")
    assert result.exit_code == 1
    assert not Path("helio.lock").exists()


def test_a_fetch_that_is_not_critical_is_locked_as_giving_nothing(service: CdaWebStandIn):
    template = api.load("gle73-particles")
    extra = {"dataset_id": "STA_L1_HET", "parameter_id": "No_Such", "time_range": "2021-10-28"}
    step = {"step_id": "extra", "tool_name": "fetch_data", "tool_args": extra, "critical": False}
    template["steps"].append(step)
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    assert helio("lock", "mine.json", "--archive", "cdaweb").exit_code == 0
    failed = {fetch["step_id"]: fetch.get("failed") for fetch in read("helio.lock")["fetches"]}
    assert failed["extra"] == "UnknownParameter"
    assert helio("run", "mine.json", "--locked", "-o", "out").exit_code == 3
    assert helio("lock", "--run", run_id()).exit_code == 0


# A byte that changes


def test_a_changed_byte_in_a_kept_file_is_noticed_when_it_is_read(service: CdaWebStandIn):
    first = json.loads(gle("--json").stdout)
    change_a_byte(kept_file())
    shutil.rmtree("home/store")
    offline = gle("--offline")
    assert offline.exit_code == 1
    assert f"1 file is not cached: {FILE}" in offline.output
    asked = len(service.requests)
    again = json.loads(gle("--json").stdout)
    assert len(service.requests) == asked + 1  # the file, and no listing
    assert again["status"] == "success"
    assert digests(again) == digests(first)


def digests(record: dict[str, Any]) -> dict[str, str]:
    return {output["label"]: output["digest"] for step in record["steps"] for output in step["outputs"]}


# Verifying


def test_a_run_is_verified_without_the_network_and_without_touching_the_home(
    service: CdaWebStandIn, tmp_path: Path
):
    gle()
    name = run_id()
    before = contents(tmp_path / "home")
    asked = len(service.requests)
    result = helio("verify", name)
    assert result.exit_code == 0, result.output
    assert f"all equal to those of {name}" in result.output
    assert contents(tmp_path / "home") == before
    assert len(service.requests) == asked


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but the log."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "logs" not in path.parts
    }


def test_verifying_downloads_what_is_not_kept_and_keeps_nothing_of_it(service: CdaWebStandIn, tmp_path: Path):
    gle()
    shutil.rmtree("home/files")
    asked = len(service.requests)
    assert helio("verify", run_id(), "--offline").exit_code == 1
    assert len(service.requests) == asked
    result = helio("verify", run_id())
    assert result.exit_code == 0, result.output
    assert [request.path.rpartition("/")[2] for request in service.requests[asked:]] == [FILE]
    assert not (tmp_path / "home" / "files").exists()


def test_verifying_uses_the_files_of_the_run_whatever_is_listed_since(service: CdaWebStandIn, served: Path):
    gle()
    name = run_id()
    newer = served / FILE.replace("v01", "v02")
    shutil.copyfile(served / FILE, newer)
    service.publish(newer, LATER)
    gle("--refresh")
    assert helio("verify", name).exit_code == 0


def test_a_run_on_a_file_that_was_published_again_since_is_verified_and_locked_all_the_same(
    service: CdaWebStandIn, served: Path
):
    lock()
    gle()
    name = run_id()
    with_other_numbers(served / FILE)
    service.publish(served / FILE, LATER)
    assert gle("--refresh").exit_code == 0
    newer = run_id()
    assert json.loads(helio("diff", name, newer, "--json").stdout)["same_results"] is False
    asked = len(service.requests)
    for file in (name, newer):
        verified = helio("verify", file)
        assert verified.exit_code == 0, verified.output
    again = helio("run", "gle73-particles", "--locked", "--offline", "-o", "out")
    assert again.exit_code == 0, again.output
    assert len(service.requests) == asked
    assert json.loads(helio("diff", name, run_id(), "--json").stdout)["same_results"] is True


def test_a_changed_input_is_named_with_the_first_step_that_differs(
    service: CdaWebStandIn, served: Path, tmp_path: Path
):
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copyfile(served / FILE, folder / FILE)
    helio("run", "gle73-particles", "--archive", "mine", "-o", "out")
    name = run_id()
    assert helio("verify", name).exit_code == 0
    with_other_numbers(folder / FILE)
    result = helio("verify", name)
    assert result.exit_code == 1
    first = result.output.partition("first difference:\n")[2].splitlines()[0]
    assert first.startswith("step protons: STA_L1_HET.")
    assert f"the content of {FILE} changed" in result.output
    shutil.rmtree(folder)
    gone = helio("verify", name)
    assert gone.exit_code == 2
    assert "does not exist" in gone.output
    elsewhere = helio("verify", name, "--archive", str(served))
    assert elsewhere.exit_code == 0, elsewhere.output
    (tmp_path / "empty").mkdir()
    empty = helio("verify", name, "--archive", "empty")
    assert empty.exit_code == 2
    assert (
        "could not compare: the archive lacks data: no dataset is called 'STA_L1_HET' in empty"
        in empty.output
    )
    assert "different" not in empty.output
    (tmp_path / "other").mkdir()
    served.rename(tmp_path / "other" / "mine")
    moved = helio("verify", name, "--archive", "other/mine")
    assert moved.exit_code == 0, moved.output


def test_a_mirror_of_the_archive_verifies_figures_and_saved_files(service: CdaWebStandIn):
    template = api.load("gle73-particles")
    saved = {"source_labels": ["STA_L1_HET.Proton_Flux"], "filename": "protons.nc"}
    template["steps"].append({"step_id": "file", "tool_name": "save_data", "tool_args": saved})
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    ran = helio("run", "mine.json", "--archive", "cdaweb", "-o", "out")
    assert ran.exit_code == 0, ran.output
    name = run_id()
    mirrored = helio("verify", name, "--archive", "served")
    assert mirrored.exit_code == 0, mirrored.output
    assert "4 tables, 1 figure and 1 saved file" in mirrored.output
    with_other_numbers(Path("served") / FILE)
    other = helio("verify", name, "--archive", "served")
    assert other.exit_code == 1
    assert f"the content of {FILE} changed" in other.output


def with_other_numbers(path: Path) -> None:
    """Write a CDF anew, its protons doubled."""
    cdf = pycdfpp.load(str(path))
    flux = cdf["Proton_Flux"]
    flux.set_values(flux.values * np.float32(2), data_type=flux.type, force=True)
    path.unlink()
    pycdfpp.save(cdf, str(path))


def test_another_version_of_a_tool_is_named_as_the_reason(
    service: CdaWebStandIn, monkeypatch: pytest.MonkeyPatch
):
    gle()
    name = run_id()
    record = Path("home/runs") / name / "steps.jsonl"
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["step_id"] == "smooth":
            line["tool_version"] = 0
            line["outputs"][0]["recipe"]["version"] = 0
            line["outputs"][0]["digest"] = "sha256:" + "0" * 64
    record.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    result = helio("verify", name)
    assert result.exit_code == 1
    assert "step smooth: proton_bands_smooth: sha256:000000000000… → " in result.output
    assert f"tool running_average: version: 0 → {signatures()['running_average'].version}" in result.output


def test_other_libraries_are_named_when_nothing_else_explains_it(service: CdaWebStandIn):
    gle()
    name = run_id()
    folder = Path("home/runs") / name
    header = read(str(folder / "run.json"))
    header["environment"]["numpy"] = "1.0.0"
    (folder / "run.json").write_text(json.dumps(header), encoding="utf-8")
    same = helio("verify", name)
    assert same.exit_code == 0
    assert "numpy: 1.0.0 → " in same.output
    lines = [json.loads(line) for line in (folder / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    lines[1]["outputs"][0]["digest"] = "sha256:" + "0" * 64
    (folder / "steps.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    other = helio("verify", name, "--json")
    assert other.exit_code == 1
    [difference] = json.loads(other.stdout)["numbers"]
    assert difference["step_id"] == lines[1]["step_id"]
    assert any(reason.startswith("numpy: 1.0.0 → ") for reason in difference["reasons"])


def test_a_file_that_comes_out_otherwise_is_named_though_its_figure_is_the_same(service: CdaWebStandIn):
    gle()
    path = Path("home/runs") / run_id() / "run.json"
    header = read(str(path))
    [page] = [artefact for artefact in header["artefacts"] if artefact["kind"] == "html"]
    page["sha256"] = "0" * 64
    header["artefacts"].append(page | {"file": "/gone/particles.txt", "kind": "txt"})
    path.write_text(json.dumps(header), encoding="utf-8")
    result = helio("verify", run_id(), "--json")
    assert result.exit_code == 1
    found = {figure["output"]: figure["message"] for figure in json.loads(result.stdout)["figures"]}
    assert found["particles.html"].startswith("sha256 000000000000… → ")
    assert found["particles.txt"] == "only the earlier run wrote it"


def test_of_a_failed_run_nothing_is_compared(service: CdaWebStandIn):
    gle("-t", "2020-01-01")
    result = helio("verify", run_id())
    assert result.exit_code == 2, result.output
    assert "could not compare: the archive lacks data: STA_L1_HET has no file" in result.output
    assert "same:" not in result.output
    found = helio("verify", run_id(), "--json")
    assert found.exit_code == 2
    facts = json.loads(found.stdout)
    assert facts["verdict"] == "nothing compared"
    assert facts["same_results"] is False
    assert facts["compared"] == {"tables": 0, "figures": 0, "saved": 0}
    assert "protons" in facts["failed_alike"]


def test_what_failed_again_is_told_beside_what_was_compared(service: CdaWebStandIn):
    template = api.load("gle73-particles")
    extra = {"dataset_id": "STA_L1_HET", "parameter_id": "No_Such", "time_range": "2021-10-28"}
    step = {"step_id": "extra", "tool_name": "fetch_data", "tool_args": extra, "critical": False}
    template["steps"].append(step)
    Path("mine.json").write_text(json.dumps(template), encoding="utf-8")
    assert helio("run", "mine.json", "--archive", "cdaweb", "-o", "out").exit_code == 3
    result = helio("verify", run_id())
    assert result.exit_code == 0, result.output
    assert "4 tables and 1 figure compared" in result.output
    assert "1 step gave no result again, for the same reason: extra" in result.output


def test_a_run_is_verified_by_its_digests_when_its_results_are_collected(service: CdaWebStandIn):
    gle()
    shutil.rmtree("home/store")
    result = helio("verify", run_id())
    assert result.exit_code == 0, result.output
    assert "4 tables and 1 figure compared" in result.output


def test_a_run_that_did_not_end_cannot_be_verified_nor_locked(service: CdaWebStandIn):
    gle()
    name = run_id()
    path = Path("home/runs") / name / "run.json"
    path.write_text(json.dumps(read(str(path)) | {"status": "cancelled"}), encoding="utf-8")
    assert helio("verify", name).exit_code == 2
    assert helio("lock", "--run", name).exit_code == 2
    assert helio("verify", "nothing-like-it").exit_code == 2


# Comparing two runs


def test_two_equal_runs_do_not_differ(service: CdaWebStandIn):
    gle()
    first = run_id()
    gle()
    found = json.loads(helio("diff", first, run_id(), "--json").stdout)
    assert found["same_results"] is True
    assert found["plan"] == found["files"] == found["numbers"] == found["figures"] == []
    assert found["compared"] == {"tables": 4, "figures": 1, "saved": 0}


def test_two_runs_differ_in_what_was_changed_and_in_what_rests_on_it(service: CdaWebStandIn):
    gle()
    first = run_id()
    gle("--set", "WINDOW=30min")
    result = helio("diff", first, run_id())
    assert result.exit_code == 0
    assert "$WINDOW: 10min → 30min" in result.output
    assert "files: the same" in result.output
    found = json.loads(helio("diff", first, run_id(), "--json").stdout)
    [numbers] = found["numbers"]
    assert numbers["output"] == "proton_bands_smooth"
    assert "values differ, by at most" in numbers["message"]
    [figure] = found["figures"]
    assert figure["output"] == "figure"
    assert "its input proton_bands_smooth changed" in figure["reasons"]


def smoothed(label: str, step: str = "smooth", window: str = "10min", *more: dict[str, Any]) -> str:
    """Run a magnitude that is smoothed and drawn, and give the run."""
    fetch = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"}
    size = {"source_label": "AC_K2_MFI.BGSEc", "output_label": "size"}
    smooth = {"source_label": "size", "window": window, "output_label": label}
    steps = [
        {"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch},
        {"step_id": "size", "tool_name": "magnitude", "tool_args": size},
        {"step_id": step, "tool_name": "running_average", "tool_args": smooth},
        {"step_id": f"draw-{step}", "tool_name": "plot_data", "tool_args": {"labels": [label]}},
        *more,
    ]
    Path("smoothed.json").write_text(json.dumps({"id": "smoothed", "steps": steps}), encoding="utf-8")
    result = helio("run", "smoothed.json", "--archive", "sample", "-o", "out")
    assert result.exit_code == 0, result.output
    return run_id()


@pytest.mark.parametrize(
    ("label", "step"),
    [("slow", "smooth"), ("smooth", "slow"), ("slow", "slow")],
    ids=["label", "step", "both"],
)
def test_numbers_that_changed_are_told_after_a_change_of_names(service: CdaWebStandIn, label: str, step: str):
    first, second = smoothed("smooth", "smooth", "2h"), smoothed(label, step, "6h")
    result = helio("diff", first, second)
    assert "numbers: the same" not in result.output
    found = json.loads(helio("diff", first, second, "--json").stdout)
    assert found["same_results"] is False
    [numbers] = found["numbers"]
    assert numbers["output"] == ("smooth" if label == "smooth" else "smooth → slow")
    assert "values differ, by at most" in numbers["message"]
    [component] = numbers["table"]["components"]
    assert component["changed"] > 0
    assert component["absolute"]["epoch"].startswith("2022-01-01T")
    assert found["compared"] == {"tables": 3, "figures": 1, "saved": 0}
    assert found["not_compared"] == []


@pytest.mark.parametrize(("label", "step"), [("slow", "smooth"), ("smooth", "slow"), ("slow", "slow")])
def test_results_stay_the_same_after_a_change_of_names(service: CdaWebStandIn, label: str, step: str):
    found = json.loads(helio("diff", smoothed("smooth"), smoothed(label, step), "--json").stdout)
    assert found["numbers"] == []
    assert found["compared"]["tables"] == 3
    assert found["not_compared"] == []


def test_what_only_one_run_has_is_not_called_the_same(service: CdaWebStandIn):
    further = {"source_label": "size", "output_label": "faster", "cadence": "1h"}
    added = {"step_id": "resampled", "tool_name": "resample", "tool_args": further}
    first = smoothed("smooth")
    second = smoothed("smooth", "smooth", "10min", added)
    for old, new, which in ((first, second, "new"), (second, first, "old")):
        result = helio("diff", old, new)
        assert "the same (" not in result.output
        assert f"faster: only the {which} run has it" in result.output
        found = json.loads(helio("diff", old, new, "--json").stdout)
        assert found["verdict"] == "not all compared"
        assert found["same_results"] is False
        assert [omission["output"] for omission in found["not_compared"]] == ["faster"]


def test_different_days_are_compared_where_both_have_records(service: CdaWebStandIn):
    def ran(span: str) -> str:
        fetch = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": span}
        steps = [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch},
            {"step_id": "f", "tool_name": "plot_data", "tool_args": {"labels": ["AC_K2_MFI.BGSEc"]}},
        ]
        Path("day.json").write_text(json.dumps({"id": "day", "steps": steps}), encoding="utf-8")
        assert helio("run", "day.json", "--archive", "sample", "-o", "out").exit_code == 0
        return run_id()

    first, second = ran("2022-01-01"), ran("2022-01-01T06:00 to 2022-01-02")
    [numbers] = json.loads(helio("diff", first, second, "--json").stdout)["numbers"]
    assert numbers["table"]["records"] == {"common": 18, "only_old": 6, "only_new": 0}
    assert "18 common epochs, 6 only in the old table; the values are the same" in numbers["message"]


def test_a_file_added_in_the_middle_replaces_no_other(service: CdaWebStandIn, tmp_path: Path):
    folder = tmp_path / "days"
    folder.mkdir()
    template = {
        "id": "days",
        "steps": [
            {
                "step_id": "b",
                "tool_name": "fetch_data",
                "tool_args": {
                    "dataset_id": "STA_L1_HET",
                    "parameter_id": "Proton_Flux",
                    "time_range": "2021-10-27 to 2021-10-30",
                },
            },
            {"step_id": "f", "tool_name": "plot_data", "tool_args": {"labels": ["STA_L1_HET.Proton_Flux"]}},
        ],
    }
    Path("days.json").write_text(json.dumps(template), encoding="utf-8")
    for day in ("28", "30"):
        shutil.copyfile(sample_folder() / FILE, folder / FILE.replace("1028", f"10{day}"))
    assert helio("run", "days.json", "--archive", "days", "-o", "out").exit_code == 0
    middle = FILE.replace("1028", "1029")
    shutil.copyfile(sample_folder() / FILE, folder / middle)
    assert helio("run", "days.json", "--archive", "days", "-o", "out").exit_code == 0
    told = helio("why", run_id(), "b").output.splitlines()[1:]
    assert len(told) == 1
    assert middle in told[0]
    assert told[0].endswith("is new")


# Citing


def test_a_run_lists_how_its_data_are_cited(service: CdaWebStandIn):
    found = json.loads(gle("--json").stdout)["citations"]
    [dataset] = found
    assert dataset["dataset_id"] == "STA_L1_HET"
    assert dataset["pi"] == "J. Luhmann"
    assert dataset["doi"] == "10.48322/12as-eq92"
    assert dataset["versions"] == ["01"]
    assert dataset["accessed"][0].startswith("20")
    assert dataset["acknowledgement"] == ""
    assert dataset["unknown"] == ["acknowledgement"]
    recorded = json.loads(helio("runs", "show", run_id(), "--json").stdout)["citations"]
    assert recorded == found


def test_an_unknown_acknowledgement_is_said_and_nothing_is_invented(service: CdaWebStandIn):
    gle()
    text = helio("cite", run_id()).output
    assert "acknowledgement: not stated in the files" in text
    assert "https://doi.org/10.48322/12as-eq92" in text
    assert "J. Luhmann (UCB/SSL)" in text
    assert "2021-10-28 to 2021-10-29 UTC" in text
    entry = helio("cite", run_id(), "--format", "bibtex").output
    assert "@misc{STA_L1_HET," in entry
    assert "acknowledgement not known" in entry
    assert "year" not in entry


def test_a_known_acknowledgement_is_in_the_words_of_the_file(service: CdaWebStandIn):
    helio("run", "ace-bfield-overview", "--archive", "sample", "-t", "2022-01-01", "-o", "out")
    helio("run", "psp-bfield", "--archive", "sample", "-o", "out")
    name = run_id()
    found = json.loads(helio("cite", name, "--format", "json").stdout)
    assert found["run"] == name
    [dataset] = found["datasets"]
    assert dataset["pi"] == "Stuart D. Bale"
    assert "@" not in dataset["pi"]
    assert dataset["read_from"] == ["sample archive"]
    assert "fields.ssl.berkeley.edu/rules" in dataset["rules_of_use"]
    assert helio("cite", "nothing-like-it").exit_code == 2


# Services without files


def hourly_field() -> dict[str, Any]:
    args = {
        "dataset_id": "MADE_MAG",
        "parameter_id": "BGSE",
        "provider": "hapi:made",
        "time_range": "2021-10-28",
    }
    return {
        "id": "hourly",
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": args},
            {
                "step_id": "f",
                "tool_name": "render_spec",
                "tool_args": {"spec": {"labels": ["MADE_MAG.BGSE"]}},
            },
        ],
    }


def test_what_a_hapi_server_answers_is_locked_by_its_numbers_and_verified(
    service: CdaWebStandIn, monkeypatch: pytest.MonkeyPatch
):
    Path("hourly.json").write_text(json.dumps(hourly_field()), encoding="utf-8")
    with HapiStandIn([magnetometer()]) as server:
        monkeypatch.setenv("HELIO_HAPI_SERVERS", f"made={server.url}")
        assert helio("lock", "hourly.json").exit_code == 0
        [fetch] = read("helio.lock")["fetches"]
        assert fetch["datasets"][0]["files"] == []
        assert list(fetch["tables"]) == ["MADE_MAG.BGSE"]
        assert helio("run", "hourly.json", "--locked", "-o", "out").exit_code == 0
        name = run_id()
        asked = len(server.requests)
        verified = helio("verify", name)
        assert verified.exit_code == 0, verified.output
        assert len(server.requests) == asked
        assert helio("lock", "--run", name, "-o", "of-run.lock").exit_code == 0
        assert read("of-run.lock") | {"now": ""} == read("helio.lock") | {"now": ""}
        another_home()
        assert helio("run", "hourly.json", "--locked", "-o", "out").exit_code == 0
        server.datasets["MADE_MAG"] = doubled(server.datasets["MADE_MAG"])
        another_home("a third")
        refused = helio("run", "hourly.json", "--locked", "-o", "out")
        assert refused.exit_code == 2
        assert "the numbers of MADE_MAG.BGSE" in refused.output


def doubled(dataset: Any) -> Any:
    """The dataset, each of its vectors doubled."""
    records = dataset.records.copy()
    records["BGSE"] *= 2
    return replace(dataset, records=records)


def test_a_window_that_moves_is_locked_by_its_numbers_and_verified(
    service: CdaWebStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "nothing").mkdir()
    newest = datetime.now(UTC).replace(tzinfo=None)
    stop = newest.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(hours=6)
    span = f"{stop - timedelta(hours=6):%Y-%m-%dT%H:%M} to {stop:%Y-%m-%dT%H:%M}"
    with SwpcStandIn(newest) as server:
        monkeypatch.setenv("HELIO_SWPC_URL", server.url)
        assert helio("lock", "swpc-now", "-t", span).exit_code == 0
        assert helio("run", "swpc-now", "--locked", "-o", "out").exit_code == 0
        server.newest += timedelta(minutes=5)
        assert helio("verify", run_id()).exit_code == 0
        another_home()
        result = helio("run", "swpc-now", "--locked", "-o", "out")
        assert result.exit_code == 0, result.output
        cited = helio("cite", run_id()).output
        assert "NOAA Space Weather Prediction Center" in cited


# Real files of five missions


@dataclass(frozen=True)
class Mission:
    """A template on a mission's files, and what it asks of the archive."""

    files: tuple[str, ...]
    dataset: str
    parameters: tuple[str, ...]
    time_range: str


MISSIONS = {
    "ace": Mission(
        ("ace/ac_h0_mfi_20230102_v07.cdf",), "AC_H0_MFI", ("Magnitude", "BGSEc", "BGSM", "SC_pos_GSE"),
        "2023-01-02",
    ),
    "wind": Mission(
        ("wind/wi_h0_mfi_20031120_v05.cdf",), "WI_H0_MFI", ("BF1", "BGSE", "B3GSE", "NUM_PTS"), "2003-11-20"
    ),
    "omni": Mission(
        ("omni/omni2_h0_mrg1hr_20230101_v01.cdf",), "OMNI2_H0_MRG1HR",
        ("ABS_B", "BZ_GSM", "T", "N", "V", "KP", "Solar_Lyman_alpha"), "2023-01-01 to 2023-04-01",
    ),
    "mms": Mission(
        ("mms/mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf",), "MMS1_FGM_BRST_L2",
        ("mms1_fgm_b_gse_brst_l2", "mms1_fgm_r_gse_brst_l2", "mms1_fgm_flag_brst_l2"),
        "2015-10-16T13:05/2015-10-16T13:07",
    ),
    "solo": Mission(
        ("solo/solo_l2_mag-rtn-normal-1-minute_20210711_v01.cdf",
         "solo/solo_l2_mag-rtn-normal-1-minute_20210712_v01.cdf"),
        "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", ("B_RTN", "QUALITY_FLAG"), "2021-07-11 to 2021-07-13",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def archive() -> Path:
    """The folder of further real CDFs."""
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    return Path(folder)


@pytest.fixture(params=list(MISSIONS))
def mission(request: pytest.FixtureRequest) -> Mission:
    return MISSIONS[request.param]


@pytest.fixture
def real(archive: Path, mission: Mission, tmp_path: Path) -> Iterator[tuple[CdaWebStandIn, Settings]]:
    """CDAWeb with a mission's files, and an empty home."""
    folder = tmp_path / "served"
    folder.mkdir()
    for name in mission.files:
        shutil.copyfile(archive / name, folder / Path(name).name)
    with CdaWebStandIn(folder) as standin:
        environ = os.environ | {"HELIO_HOME": str(tmp_path / "home"), "HELIO_CDAWEB_URL": standin.url}
        yield standin, read_settings(environ)


def template_of(mission: Mission) -> dict[str, Any]:
    args = {"dataset_id": mission.dataset, "parameters": list(mission.parameters)}
    labels = [f"{mission.dataset}.{name}" for name in mission.parameters]
    return {
        "id": "mission",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": mission.time_range}},
        "steps": [
            {"step_id": "d", "tool_name": "fetch_data", "tool_args": args | {"time_range": "$TIME_RANGE"}},
            {"step_id": "f", "tool_name": "render_spec", "tool_args": {"spec": {"labels": labels}}},
        ],
    }


@pytest.mark.archive
def test_real_files_come_whole_are_locked_verified_and_refused(
    real: tuple[CdaWebStandIn, Settings], mission: Mission, tmp_path: Path
):
    service, settings = real
    template = template_of(mission)
    path = tmp_path / "helio.lock"
    how: dict[str, Any] = {"settings": settings, "output": tmp_path / "out"}
    cold = api.run(template, archive="cdaweb", **how)
    assert cold.status == "success"
    listings = [request for request in service.requests if "orig_data" in request.path]
    assert len(listings) == 1
    assert len(service.requests) == 1 + len(mission.files)
    for name in mission.parameters:
        assert_same_values(cold.tables[f"{mission.dataset}.{name}"], service, name)
    warm = api.run(template, archive="cdaweb", **how)
    assert len(service.requests) == 1 + len(mission.files)
    assert {step.state for step in warm.result.steps} == {"cached"}
    assert api.verify(cold.id, settings=settings).same_results
    api.lock(template, archive="cdaweb", settings=settings).write(path)
    assert api.run(template, locked=path, **how).status == "success"
    assert len(service.requests) == 1 + len(mission.files)
    [citation] = api.cite(cold.id, settings)
    assert citation.pi
    assert citation.files == len(mission.files)
    republished = service.files[-1]
    service.publish(republished.path, LATER)
    fresh = replace(settings, home=tmp_path / "another home")
    with pytest.raises(locking.LockMismatch, match="was published again") as refused:
        api.run(template, locked=path, settings=fresh)
    assert republished.path.name in str(refused.value)


def assert_same_values(table: Any, service: CdaWebStandIn, name: str) -> None:
    """The table's values are those of the files, and missing where they hold fill."""
    start, stop = table.epoch[0], table.epoch[-1]
    values, epochs = [], []
    for file in sorted(service.files, key=lambda served: served.first):
        cdf = pycdfpp.load(str(file.path))
        variable = cdf[name]
        clock = next(str(variable.attributes[key][0]) for key in variable.attributes if key == "DEPEND_0")
        epoch = pycdfpp.to_datetime64(cdf[clock]).reshape(-1)
        raw = np.asarray(variable.values)
        raw = raw.reshape(-1) if raw.ndim == 2 and raw.shape[1] == 1 else raw
        fill = np.asarray(variable.attributes["FILLVAL"][0]).reshape(-1)[0]
        expected = np.where(raw == fill, np.nan, raw.astype("f8" if raw.dtype.kind in "iu" else raw.dtype))
        inside = (epoch >= start) & (epoch <= stop)
        values.append(expected[inside])
        epochs.append(epoch[inside])
    assert np.array_equal(np.concatenate(epochs), table.epoch)
    assert np.array_equal(np.concatenate(values), table.values, equal_nan=True)
    assert np.isfinite(table.values).any()


# Folders that move


def gle_of(folder: str) -> dict[str, str]:
    """The digest of every result of the particles from a folder."""
    result = helio("run", "gle73-particles", "--archive", folder, "-o", "out", "--json")
    assert result.exit_code == 0, result.output
    return digests(json.loads(result.stdout))


def test_a_folder_that_is_moved_or_linked_to_gives_the_same_figure(service: CdaWebStandIn, tmp_path: Path):
    first = gle_of("served")
    ran = run_id()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    Path("served").rename("deep/er/moved")
    assert gle_of("deep/er/moved") == first
    Path("linked").mkdir()
    Path("linked", FILE).symlink_to(tmp_path / "deep/er/moved" / FILE)
    assert gle_of("linked") == first
    Path("deep/er/moved", FILE).rename(Path("deep/er", FILE))
    assert gle_of("deep") == first
    another_home()
    assert gle_of("deep") == first
    os.environ["HELIO_HOME"] = str(tmp_path / "home")
    gone = helio("verify", ran)
    assert gone.exit_code == 2
    assert "served" in gone.output
    assert "does not exist" in gone.output
    assert "--archive" in gone.output
    assert helio("verify", ran, "--archive", "deep").exit_code == 0
