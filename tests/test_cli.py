"""The command as a user meets it, wrong inputs included."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.sources.samples import sample_folder


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    return tmp_path


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


def refused(code: int, *arguments: str) -> str:
    """What a refusal says; there must be no traceback and nothing half-written."""
    result = helio(*arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not [path for path in Path().rglob(".*") if path.is_file()]
    return result.output


def write(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def template(**args: Any) -> dict[str, Any]:
    fetch = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"} | args
    return {
        "id": "short",
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch},
            {
                "step_id": "fig",
                "tool_name": "render_spec",
                "tool_args": {"spec": {"labels": ["AC_K2_MFI.BGSEc"]}},
            },
        ],
    }


def test_the_demo_draws_its_figure_and_says_where():
    result = helio("run", "gle73-particles", "--archive", "sample", "--output", "out")
    assert result.exit_code == 0, result.output
    assert "out/particles.html" in result.output
    assert {path.name for path in Path("out").iterdir()} == {
        "particles.html",
        "particles.json",
        "plotly.min.js",
        "run.json",
    }


def test_run_pipeline_name_is_run_name():
    assert helio("run", "pipeline", "psp-bfield", "--archive", "sample").exit_code == 0
    [folder] = Path("helio-runs").iterdir()
    assert folder.name.startswith("psp-bfield-")


def test_a_run_as_json_is_its_record():
    result = helio("run", "psp-bfield", "--archive", "sample", "--output", "out", "--json")
    record = json.loads(result.stdout)
    assert record["status"] == "success"
    assert record["values"] == {"$TIME_RANGE": "2020-01-04 to 2020-01-05"}
    [field] = record["steps"][0]["outputs"]
    assert (field["label"], field["rows"], field["unit"], field["frame"]) == ("B_RTN", 118, "nT", "RTN")
    assert field["sources"][0]["sha256"]
    on_disk = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    assert on_disk == {key: value for key, value in record.items() if key != "folder"}


def test_an_hourly_day_has_24_rows():
    result = helio("run", write("t.json", template()), "--archive", "sample", "-o", "out", "--json")
    assert json.loads(result.stdout)["steps"][0]["outputs"][0]["rows"] == 24


def test_a_partial_run_ends_with_3():
    document = template()
    document["steps"].append(
        {
            "step_id": "more",
            "tool_name": "fetch_data",
            "tool_args": {"dataset_id": "NO_SUCH", "parameter_id": "x", "time_range": "2022-01-01"},
            "critical": False,
        }
    )
    result = helio("run", write("t.json", document), "--archive", "sample", "-o", "out")
    assert result.exit_code == 3
    assert "NO_SUCH" in result.output
    assert Path("out/fig.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("run", "gle73-particle", "--archive", "sample"), 2, "did you mean 'gle73-particles'?"),
        (("run", "nowhere.json"), 2, "there is no file nowhere.json"),
        (("run", "../../x"), 2, "there is no file"),
        (("run", "a", "b", "c"), 2, "one pipeline at a time"),
        (("run", "gle73-particles"), 2, "--archive"),
        (("run", "gle73-particles", "--archive", "no/such/folder"), 1, "no/such/folder"),
        (
            ("run", "gle73-particles", "--archive", "sample", "--time-range", "2021-10-29 to 2021-10-28"),
            2,
            "HN703",
        ),
        (
            ("run", "gle73-particles", "--archive", "sample", "--time-range", "2021-10-28 to 2021-10-28"),
            2,
            "HN703",
        ),
        (
            ("run", "gle73-particles", "--archive", "sample", "--time-range", "last week of may 2019"),
            2,
            "HN702",
        ),
        (("run", "gle73-particles", "--archive", "sample", "--time-range", "10/01/2024"), 2, "HN702"),
        (("run", "gle73-particles", "--archive", "sample", "--time-range", "maybe 2024"), 2, "HN702"),
        (("run", "gle73-particles", "--archive", "sample", "--time-range", "2019-05-01"), 1, "2021-10-28"),
        (
            ("run", "gle73-particles", "--archive", "sample", "--set", "WINDWO=5min"),
            2,
            "did you mean $WINDOW?",
        ),
        (("run", "gle73-particles", "--archive", "sample", "--set", "WINDOW"), 2, "--set VARIABLE=VALUE"),
        (("run", "gle73-particles", "--archive", "sample", "--set", "WINDOW=five"), 2, "HB204"),
        (("run", "gle73-particles", "--archive", "sample", "--format", "gif"), 2, "formats: html"),
        (("run", "gle73-particles", "--archive", "sample", "--now", "noon"), 2, "'noon' is not an instant"),
        (("copy", "gle73-particles", "Not An Id"), 2, "not-an-id"),
        (("copy", "gle73-particles", "psp-bfield"), 2, "shipped pipeline"),
        (("delete", "gle73-particles", "--yes"), 2, "shipped"),
        (("delete", "no-such", "--yes"), 2, "no pipeline is called"),
        (("import", "nowhere.json"), 2, "there is no file"),
    ],
)
def test_a_wrong_request_is_one_clear_error(arguments: tuple[str, ...], code: int, told: str):
    assert told in refused(code, *arguments)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "x", "steps": [{"step_id"', "HP002"),
        ("null", "HP003"),
        ("", "HP001"),
        ({"id": "x", "steps": []}, "HP004"),
        (template(dataset_id=None), "HV101"),
        (template(parametre_id="x"), "HN504"),
    ],
)
def test_a_wrong_template_is_refused_by_run_check_and_import_alike(content: Any, told: str):
    file = write("t.json", content)
    assert told in refused(2, "run", file, "--archive", "sample")
    assert told in refused(2, "check", file)
    assert told in refused(2, "import", file)
    assert not Path("helio-runs").exists()


def test_a_misspelt_dataset_and_parameter_fail_with_the_closest_names():
    file = write("t.json", template(dataset_id="AC_K2_MFY", output_label="AC_K2_MFI.BGSEc"))
    told = refused(1, "run", file, "--archive", "sample", "-o", "out")
    assert "did you mean 'AC_K2_MFI'?" in told
    assert "at   short#/steps/b" in told
    file = write("t.json", template(parameter_id="BGSE", output_label="AC_K2_MFI.BGSEc"))
    assert "BGSEc" in refused(1, "run", file, "--archive", "sample", "-o", "out")


def test_a_cycle_names_its_path():
    document = {
        "id": "round",
        "steps": [
            {
                "step_id": "a",
                "tool_name": "magnitude",
                "tool_args": {"source_label": "B", "output_label": "A"},
            },
            {
                "step_id": "b",
                "tool_name": "magnitude",
                "tool_args": {"source_label": "A", "output_label": "B"},
            },
        ],
    }
    assert "a → b → a" in refused(2, "run", write("t.json", document))


def test_an_output_folder_that_cannot_be_written_is_found_out_before_anything_runs():
    Path("taken").write_text("a file", encoding="utf-8")
    assert "cannot be written" in refused(1, "run", "psp-bfield", "--archive", "sample", "--output", "taken")
    assert "cannot be written" in refused(
        1, "run", "psp-bfield", "--archive", "sample", "--output", "taken/below"
    )


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    shutil.copy(sample_folder() / "ac_k2_mfi_20220101_v03.cdf", folder)
    return folder / "ac_k2_mfi_20220101_v03.cdf"


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: b"this is a text, not a CDF\n" * 40,
        lambda content: b"<!DOCTYPE html><html><body>404</body></html>",
    ],
    ids=["truncated", "empty", "text", "html"],
)
def test_a_damaged_file_is_an_error_that_names_it(archive: Path, damage: Any):
    archive.write_bytes(damage(archive.read_bytes()))
    told = refused(1, "run", write("t.json", template()), "--archive", str(archive.parent), "-o", "out")
    assert "ac_k2_mfi_20220101_v03.cdf" in told


def test_json_errors_are_json():
    result = helio("run", "gle73-particles", "--archive", "sample", "--set", "WINDWO=5min", "--json")
    assert result.exit_code == 2
    said = json.loads(result.stdout)
    assert said["status"] == "invalid"
    assert said["found"][0]["code"] == "HB203"


def test_a_pipeline_is_copied_edited_exported_imported_and_deleted():
    assert helio("copy", "psp-bfield", "mine").exit_code == 0
    path = Path(os.environ["HELIO_HOME"]) / "templates" / "mine.json"
    assert json.loads(path.read_text(encoding="utf-8"))["id"] == "mine"
    assert (path.parent / json.loads(path.read_text(encoding="utf-8"))["$schema"]).exists()
    assert "mine" in helio("list").output
    assert "you have a pipeline 'mine' already" in refused(2, "copy", "ace-bfield-overview", "mine")
    assert helio("export", "mine", "shared.json").exit_code == 0
    assert helio("delete", "mine", "--yes").exit_code == 0
    assert "mine" not in helio("list").output
    assert helio("import", "shared.json").exit_code == 0
    assert helio("run", "mine", "--archive", "sample", "-o", "out").exit_code == 0


def test_a_pipeline_that_is_replaced_is_kept_as_a_revision():
    helio("copy", "psp-bfield", "mine")
    helio("copy", "gle73-particles", "mine", "--replace")
    revision = Path(os.environ["HELIO_HOME"]) / "templates" / "revisions" / "mine.1.json"
    assert json.loads(revision.read_text(encoding="utf-8"))["name"].startswith("Parker")


def test_a_damaged_template_of_mine_does_not_hide_the_others():
    folder = Path(os.environ["HELIO_HOME"]) / "templates"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text("{", encoding="utf-8")
    result = helio("list")
    assert result.exit_code == 0
    assert "psp-bfield" in result.output
    assert "cannot be read" in result.output


def test_every_command_keeps_what_it_did_in_the_log():
    helio("run", "psp-bfield", "--archive", "sample", "-o", "out")
    assert (Path(os.environ["HELIO_HOME"]) / "logs" / "helio.log").exists()


def test_show_names_the_steps_and_the_variables():
    shown = helio("show", "gle73-particles").output
    assert "$WINDOW (duration) = 10min" in shown
    assert "band_average" in shown


def test_doctor_finds_the_sample_archive():
    found = {one["subject"]: one for one in json.loads(helio("doctor", "--json").stdout)}
    assert found["sample archive"]["ok"]
    assert "STA_L1_HET" in found["sample archive"]["found"]


def test_the_exit_codes_are_in_the_help():
    shown = " ".join(helio("--help").output.split())
    assert "0 success, 1 failed, 2 invalid request, 3 partial, 130 cancelled" in shown
