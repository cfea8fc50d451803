"""The command as a user meets it, wrong inputs included."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.sources.samples import sample_folder

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
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
    assert {path.name.partition("-")[0] for path in Path("out").iterdir()} == {
        "helio",  # helio-figure.js
        "particles.detail",
        "particles.html",
        "particles.json",
        "plotly.min.js",
        "run.json",
    }


def test_run_pipeline_name_is_run_name():
    assert helio("run", "pipeline", "psp-bfield", "--archive", "sample").exit_code == 0
    [folder] = (path for path in Path("helio-runs").iterdir() if path.is_dir())
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
        (("run", "a", "b", "c"), 2, "`helio run` takes one pipeline, not 3: a b c"),
        (("run", "gle73-particles", "--archive", "no/such/folder"), 2, "no/such/folder"),
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
        (("run", "gle73-particles", "--archive", "sample", "--set", "WINDOW"), 2, "not 'WINDOW'"),
        (("run", "gle73-particles", "--archive", "sample", "--set", "WINDOW=five"), 2, "HB204"),
        (
            ("run", "gle73-particles", "--archive", "sample", "--format", "gif"),
            2,
            "use one of these formats: html",
        ),
        (("run", "gle73-particles", "--archive", "sample", "--now", "noon"), 2, "'noon' is not a valid time"),
        (("copy", "gle73-particles", "Not An Id"), 2, "not-an-id"),
        (("copy", "gle73-particles", "psp-bfield"), 2, "comes with helio"),
        (("delete", "gle73-particles", "--yes"), 2, "comes with helio"),
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
        (template(dataset_id=None), "HN506"),
        (template(parametre_id="x"), "HN503"),
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
    assert "at:   short#/steps/b" in told
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
    assert "a -> b -> a" in refused(2, "run", write("t.json", document))


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
    assert "mine" in helio("list").output.partition("\npipelines that come with helio:\n")[0]
    assert helio("list").output.startswith("your pipelines:\n")
    assert "a pipeline called 'mine' already exists" in refused(2, "copy", "ace-bfield-overview", "mine")
    assert helio("export", "mine", "shared.json").exit_code == 0
    assert helio("delete", "mine", "--yes").exit_code == 0
    assert "mine" not in helio("list").output
    assert "your pipelines" not in helio("list").output
    assert helio("import", "shared.json").exit_code == 0
    assert helio("import", "shared.json", "--as", "another").exit_code == 0
    assert json.loads((path.parent / "another.json").read_text(encoding="utf-8"))["id"] == "another"
    assert helio("run", "mine", "--archive", "sample", "-o", "out").exit_code == 0


def test_an_import_says_what_is_read_in_another_spelling_and_what_is_ignored():
    fetch_old = {
        "dataset_id": "AC_K2_MFI",
        "parameter_id": "BGSEc",
        "start": "2022-01-01",
        "end": "2022-01-02",
    }
    steps = [
        {"tool": "fetch_data", "args": fetch_old},
        {"tool": "plot", "args": {"labels": ["AC_K2_MFI.BGSEc"]}},
    ]
    told = helio(
        "import", write("old.json", {"name": "old", "wibble": 3, "steps": steps})
    ).stderr.splitlines()
    assert told[0].startswith("warning[HN101]: 'wibble' is not a known key")
    assert told[-3:] == [
        "note: step 2: the tool 'plot' written as plot_data",
        "note: step 1: start and end combined as time_range 2022-01-01 to 2022-01-02",
        "note: step 1: 2022-01-01 to 2022-01-02 made the default of $TIME_RANGE",
    ]


@pytest.mark.parametrize("command", ["import", "run", "check"])
def test_a_figure_and_a_folder_are_no_pipelines_and_are_called_what_they_are(command: str):
    Path("figure.html").write_text(
        '<script type="application/json">{"steps": [{}]}</script>', encoding="utf-8"
    )
    Path("folder").mkdir()
    assert "figure.html is a figure, not a pipeline" in refused(2, command, "./figure.html")
    assert "folder is a folder" in refused(2, command, "./folder")


def test_the_history_of_a_file_is_that_of_the_pipeline_or_there_is_none():
    assert helio("copy", "psp-bfield", "mine").exit_code == 0
    file = os.path.relpath(Path(os.environ["HELIO_HOME"]) / "templates" / "mine.json")
    assert helio("history", file).output == helio("history", "mine").output
    told = refused(2, "history", write("other.json", template()))
    assert "is a file outside your library, of which helio keeps no history" in told
    assert "`helio import other.json`" in told


def test_a_pipeline_that_is_replaced_is_kept_as_a_revision():
    helio("copy", "psp-bfield", "mine")
    helio("copy", "gle73-particles", "mine", "--replace")
    kept = helio("history", "mine").output.splitlines()
    assert [line.split()[0] for line in kept] == ["1", "2"]
    assert json.loads(helio("history", "mine", "--show", "1").output)["name"].startswith("Parker")


def test_a_deleted_pipeline_can_be_restored():
    helio("copy", "psp-bfield", "mine")
    path = Path(os.environ["HELIO_HOME"]) / "templates" / "mine.json"
    text = path.read_text(encoding="utf-8").replace("Parker", "My Parker")
    path.write_text(text, encoding="utf-8")  # changed by hand since it was saved
    deleted = helio("delete", "mine", "--yes")
    assert "helio history mine --restore 2" in deleted.output
    assert "helio history mine --restore 2" in refused(2, "show", "mine")
    assert "was deleted" in helio("history", "mine").output
    assert helio("history", "mine", "--show", "2").output == text
    assert helio("history", "mine", "--restore", "2").exit_code == 0
    assert path.read_text(encoding="utf-8") == text
    assert "mine" in helio("list").output
    assert "no pipeline is called 'never'" in refused(2, "history", "never", "--restore", "1")


@pytest.mark.parametrize("content", [b'{"id": "mine"', b"\xff\xfe"])
def test_a_damaged_pipeline_can_be_deleted(content: bytes):
    helio("copy", "psp-bfield", "mine")
    folder = Path(os.environ["HELIO_HOME"]) / "templates"
    (folder / "old.json").write_bytes(content)  # older than histories
    result = helio("delete", "old", "--yes")
    assert result.exit_code == 0, result.output
    assert not (folder / "old.json").exists()
    restored = helio("history", "old", "--restore", "1")
    assert restored.exit_code == (2 if content.startswith(b"\xff") else 0)
    assert ("--restore 1" in result.output) == (restored.exit_code == 0)


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


def test_show_says_what_a_tool_takes_with_an_example():
    shown = helio("show", "running_average").output
    assert "  window  (duration; required)\n      Length w of the window" in shown
    assert "  >>> running_average(series([1.0, 2.0, 6.0, NAN]" in shown
    assert "  array([1.5, 3. , 4. , 6. ])" in shown
    told = json.loads(helio("show", "style_plot", "--json").stdout)
    assert json.loads(told["example"])["tool_name"] == "style_plot"


def test_doctor_finds_the_sample_archive():
    found = {check["subject"]: check for check in json.loads(helio("doctor", "--json").stdout)}
    assert found["sample archive"]["ok"]
    assert "STA_L1_HET" in found["sample archive"]["found"]


def test_the_exit_codes_are_in_the_help():
    shown = " ".join(helio("--help").output.split())
    assert "0 success, 1 failed, 2 invalid request, 3 partial, 130 cancelled" in shown


def test_verbose_says_what_happens_and_the_log_keeps_it():
    told = helio("--verbose", "run", "psp-bfield", "--archive", "sample", "-o", "out").stderr
    assert "step magnitude: done in" in told
    kept = (Path(os.environ["HELIO_HOME"]) / "logs" / "helio.log").read_text(encoding="utf-8")
    assert "step magnitude: done in" in kept
    assert helio("run", "psp-bfield", "--archive", "sample", "-o", "out").stderr.count("step magnitude") == 0


def test_a_folder_that_is_used_again_shows_no_figure_of_the_run_before():
    helio("run", "psp-bfield", "--archive", "sample", "-o", "out")
    Path("out/mine.txt").write_text("not helio's", encoding="utf-8")
    assert helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "-t", "2019-01-01").exit_code == 1
    names = {path.name for path in Path("out").iterdir()}
    assert names == {"mine.txt", "helio-figure.js", "plotly.min.js", "run.json"}


def library_of(folder: str) -> Path:
    """The library that the pages of a folder load."""
    first = Path(folder, "helio-figure.js").read_text(encoding="utf-8").splitlines()[0]
    return Path(folder, json.loads(first.removeprefix("window.helioLibrary = ").removesuffix(";")))


def test_folders_in_one_tree_share_one_library():
    for _ in range(2):
        helio("run", "gle73-particles", "--archive", "sample")
    folders = [path for path in Path("helio-runs").iterdir() if path.is_dir()]
    assert len(folders) == 2
    assert all(library_of(str(folder)).samefile("helio-runs/plotly.min.js") for folder in folders)
    assert len(list(Path().rglob("plotly.min.js"))) == 1
    helio("run", "gle73-particles", "--archive", "sample", "-o", "helio-runs/mine")
    assert library_of("helio-runs/mine").samefile("helio-runs/plotly.min.js")
    assert len(list(Path().rglob("plotly.min.js"))) == 1


def test_a_chosen_folder_stands_by_itself():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "figures/may")
    assert library_of("figures/may").samefile("figures/may/plotly.min.js")
    assert [str(path) for path in Path().rglob("plotly.min.js")] == ["figures/may/plotly.min.js"]
    Path("figures/plotly.min.js").write_text("an old version", encoding="utf-8")
    helio("run", "gle73-particles", "--archive", "sample", "-o", "figures/june")
    assert library_of("figures/june").samefile("figures/june/plotly.min.js")
    Path("figures/may/plotly.min.js").replace("figures/plotly.min.js")
    helio("run", "gle73-particles", "--archive", "sample", "-o", "figures/may")
    assert library_of("figures/may").samefile("figures/plotly.min.js")


@pytest.mark.parametrize(
    ("steps", "told"),
    [([None], "/steps/0"), ({"a": 1}, "/steps"), (5, "/steps")],
)
def test_fields_of_the_wrong_type_are_refused_by_every_command(steps: Any, told: str):
    file = write("t.json", {"id": "x", "steps": steps})
    for command in (["show"], ["check"], ["run"], ["copy"], ["export"]):
        words = [*command, file, *(["mine"] if command == ["copy"] else [])]
        said = refused(2, *words)
        assert "HV101" in said
        assert told in said


def test_a_template_that_cannot_run_is_not_copied():
    document = template(dataset="ANOTHER")
    assert "HN502" in refused(2, "copy", write("t.json", document), "mine")


def test_a_candidates_provider_is_never_a_folder(archive: Path):
    document = template(provider="sample", output_label="AC_K2_MFI.BGSEc")
    del document["steps"][0]["tool_args"]["dataset_id"]
    document["steps"][0]["tool_args"]["candidates"] = [
        {"dataset_id": "AC_K2_MFI", "provider": str(archive.parent)}
    ]
    assert "HS102" in refused(2, "run", write("t.json", document))


def test_a_candidates_own_provider_is_enough():
    document = template(output_label="AC_K2_MFI.BGSEc")
    del document["steps"][0]["tool_args"]["dataset_id"]
    document["steps"][0]["tool_args"]["candidates"] = [{"dataset_id": "AC_K2_MFI", "provider": "sample"}]
    assert helio("run", write("t.json", document), "-o", "out").exit_code == 0


@pytest.mark.parametrize("step_id", ["run", "RUN"])
def test_a_figure_is_never_written_over_the_runs_record(step_id: str):
    document = template()
    document["steps"][1]["step_id"] = step_id
    assert "HV104" in refused(2, "run", write("t.json", document), "--archive", "sample")


def test_two_figures_never_share_a_file():
    document = template()
    document["steps"][1]["step_id"] = 3
    document["steps"].append({**document["steps"][1], "step_id": "figure-3"})
    assert "HV104" in refused(2, "run", write("t.json", document), "--archive", "sample")


def test_ctrl_c_says_so_and_ends_with_130(tmp_path: Path):
    # A signal is taken between two instructions, and not always the very next ones: there is time to.
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(20)"
    command = f"import helio.cli as c, helio.api as a; a.Library.find = lambda *x: exec({code!r}); c.main()"
    words = [sys.executable, "-c", command, "run", "psp-bfield"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 130
    assert done.stderr.startswith("cancelled")
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_does_not_end_the_run(tmp_path: Path):
    words = [sys.executable, "-m", "helio", "run", "psp-bfield", "--archive", "sample", "-o", "out"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path)
    assert run.stdout is not None
    run.stdout.close()
    assert run.wait() == 0
    assert (tmp_path / "out" / "run.json").exists()


def test_a_text_for_a_time_range_is_refused_before_anything_runs():
    document = template(time_range="$WHEN")
    document["variables"] = {"$WHEN": {"type": "string", "default": "abc"}}
    said = refused(2, "run", write("t.json", document), "--archive", "sample")
    assert "HB204" in said
    assert "/steps/0/tool_args/time_range" in said


@pytest.mark.parametrize(
    ("phrase", "line"),
    [
        ("2022-01-01", "time range: 2022-01-01 00:00 to 2022-01-02 00:00 (1 day)"),
        ("2022-01/2022-03", "time range: 2022-01-01 00:00 to 2022-03-01 00:00 (59 days)"),
        ("2022-01-01T12:00-12:30", "time range: 2022-01-01 12:00 to 2022-01-01 12:30 (30 min)"),
        (
            "2022-01-01 06:00:00.5/P1DT1H",
            "time range: 2022-01-01 06:00:00.500000 to 2022-01-02 07:00:00.500000 (1 day 1 h)",
        ),
    ],
)
def test_the_resolved_range_is_always_printed(phrase: str, line: str):
    name = write("t.json", template())
    assert helio("plan", name, "--archive", "sample", "-t", phrase).stdout.splitlines()[0] == line
    for options in ((), ("--direct",)):  # computed, and from the store
        assert (
            helio("run", name, "--archive", "sample", "-t", phrase, *options).stdout.splitlines()[0] == line
        )
    record = helio("run", name, "--archive", "sample", "-t", phrase, "--json").stdout
    assert line not in record
    assert json.loads(record)["values"]["$TIME_RANGE"][:10] == "2022-01-01"


def test_a_pinned_range_is_printed_behind_its_step():
    document = template(time_range="2022-01-01 06:00-07:00")
    document["steps"][0]["pin"] = ["time_range"]
    line = helio("run", write("t.json", document), "--archive", "sample").stdout.splitlines()[0]
    assert line == "time range: 2022-01-01 06:00 to 2022-01-01 07:00 (1 h)"
    document["variables"] = {"$EVENT": {"type": "time_range", "default": "2022-01-01"}}
    document["steps"].append(
        {
            "step_id": "c",
            "tool_name": "fetch_data",
            "tool_args": {**document["steps"][0]["tool_args"], "time_range": "$EVENT", "output_label": "C"},
        }
    )
    line = helio("run", write("t.json", document), "--archive", "sample").stdout.splitlines()[0]
    assert line.startswith(
        "time range: $EVENT 2022-01-01 00:00 to 2022-01-02 00:00 (1 day); step b 2022-01-01 06:00"
    )


def test_a_stored_phrase_that_was_read_otherwise_is_said_once_with_both_ranges():
    told = (
        "'2022-01/2022-02' is read as 2022-01-01 to 2022-02-01; "
        "earlier versions of helio read it as 2022-01-01 to 2022-03-01"
    )
    name = write("t.json", template(time_range="2022-01/2022-02"))
    for _ in range(2):  # a check says it as long as it stands there
        assert told in helio("check", name).output
    first = helio("run", name, "--archive", "sample")
    assert (first.exit_code, first.output.count(told)) == (0, 1), first.output
    assert told not in helio("run", name, "--archive", "sample").output
    assert told not in helio("plan", name, "--archive", "sample").output
    other = write("other.json", template(time_range="2022-01/2022-02") | {"id": "other"})
    assert told in helio("plan", other, "--archive", "sample").output
    assert told not in helio("run", other, "--archive", "sample").output
    assert told in json.dumps(
        json.loads(helio("run", other, "--archive", "sample", "--json").stdout)["warnings"]
    )
    helio("fix", name)
    assert "2022-01/2022-02" not in Path(name).read_text(encoding="utf-8")
    assert told not in helio("check", name).output


def test_a_run_whose_phrase_is_read_otherwise_today_is_verified_with_its_recorded_range():
    name = write("t.json", template(time_range="2022-01-01"))
    run = json.loads(helio("run", name, "--archive", "sample", "--json").stdout)
    assert run["values"] == {"$TIME_RANGE": "2022-01-01 to 2022-01-02"}
    # as an earlier version had left it: the phrase of the template is another range today
    path = Path("home") / "runs" / run["id"] / "authored.json"
    text = path.read_text(encoding="utf-8")
    assert '"2022-01-01"' in text
    path.write_text(text.replace('"2022-01-01"', '"2022-01/2022-02"'), encoding="utf-8")
    assert helio("verify", run["id"]).exit_code == 0


def test_an_enum_of_numbers_is_chosen_by_its_text():
    document = template()
    document["variables"] = {"$Z": {"type": "enum", "choices": [1, 2], "default": 1}}
    document["steps"][1]["tool_args"]["spec"]["z_min"] = "$Z"
    result = helio(
        "run", write("t.json", document), "--archive", "sample", "--set", "Z=2", "--json", "-o", "out"
    )
    assert json.loads(result.stdout)["values"]["$Z"] == 2
    assert "not one of 1, 2" in refused(2, "run", "t.json", "--archive", "sample", "--set", "Z=3")


def test_a_label_that_reads_as_a_component_is_refused():
    document = template(output_label="B")
    document["steps"][1] = {
        "step_id": "m",
        "tool_name": "magnitude",
        "tool_args": {"source_label": "B", "output_label": "B.Bx"},
    }
    assert "looks like a component" in refused(2, "check", write("t.json", document))


def test_why_does_not_compare_with_another_day():
    first, second = "2020-01-04T10:50 to 2020-01-04T11:00", "2020-01-04T11:00 to 2020-01-04T11:10"
    for span in (first, second):
        helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "--time-range", span)
    said = helio("why", "last", "field-figure").output
    assert said.strip() == (
        "run: no earlier run of this pipeline for 2020-01-04T11:00:00 to 2020-01-04T11:10:00 finished this step"
    )


def test_a_note_that_several_tables_have_is_printed_once():
    document = template(output_label="B")
    document["steps"][1:1] = [
        {
            "step_id": name,
            "tool_name": "mask",
            "tool_args": {"source_label": "B", "where": ">", "value": 3, "output_label": name},
        }
        for name in ("low", "lower", "lowest")
    ]
    document["steps"][-1]["tool_args"]["spec"]["labels"] = ["low", "lower", "lowest"]
    result = helio("run", write("t.json", document), "--archive", "sample", "-o", "out")
    [line] = [line for line in result.output.splitlines() if "masked where > 3" in line]
    assert line.startswith("note: low: low: ")
    assert line.endswith(" … and 2 more like it")


def test_a_browser_that_is_not_there_is_said_by_doctor_and_run_alike(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BROWSER_PATH", "/nope")
    found = {check["subject"]: check for check in json.loads(helio("doctor", "--json").stdout)}
    assert not found["browser"]["ok"]
    assert "/nope" in found["browser"]["found"]
    result = helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "--format", "png")
    assert result.exit_code == 3
    assert "/nope" in result.output


def test_runs_are_listed_shown_explained_and_deleted():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out", "--set", "WINDOW=20min")
    newest, first = json.loads(helio("runs", "--json").stdout)
    assert newest["status"] == first["status"] == "success"
    shown = helio("runs", "show", newest["id"]).output
    assert "= protons" in shown
    assert "data in 3 of 3 panels; coverage 100.0 % " in shown
    [figure] = [
        output
        for step in json.loads(helio("runs", "show", newest["id"], "--json").stdout)["steps"]
        for output in step["outputs"]
        if "quality" in output
    ]
    assert figure["quality"][0]["labels"][0]["label"] == "proton_bands_smooth"
    assert "  window: 10min → 20min" in helio("why", newest["id"], "smooth").output
    assert (
        "table proton_bands_smooth changed, because of step smooth: window: 10min → 20min"
        in helio("why", newest["id"], "particles").output
    )
    assert "taken from the store" in helio("why", newest["id"], "bands").output
    assert "did you mean 'smooth'?" in refused(2, "why", newest["id"], "smoth")
    assert helio("runs", "delete", newest["id"]).exit_code == 0
    assert len(json.loads(helio("runs", "--json").stdout)) == 1


def test_gc_says_first_and_deletes_when_told():
    helio("run", "psp-bfield", "--archive", "sample", "-o", "out")
    said = json.loads(helio("gc", "--older-than", "1s", "--json").stdout)
    assert not said["deleted"]
    assert helio("gc", "--quota", "lots").exit_code == 2
    assert helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "--json").exit_code == 0


def test_a_plan_is_foreseen_saved_and_run_exactly():
    ran = json.loads(helio("run", "gle73-particles", "--archive", "sample", "-o", "out", "--json").stdout)[
        "id"
    ]
    words = ["gle73-particles", "--archive", "sample", "--set", "WINDOW=20min", "--output", "plan.json"]
    foreseen = helio("plan", *words)
    assert foreseen.exit_code == 0, foreseen.output
    assert f"cached  bands  band_average  in the store, from {ran}\n" in foreseen.output
    assert "run     smooth  running_average  not in the store" in foreseen.output
    assert "waits   particles" in foreseen.output
    record = json.loads(helio("run", "plan.json", "-o", "out", "--json").stdout)
    assert record["values"]["$WINDOW"] == "20min"
    assert "a saved plan has fixed values" in refused(2, "run", "plan.json", "-t", "2021-10-28")


def test_a_saved_plan_that_was_changed_by_hand_is_refused():
    helio("plan", "psp-bfield", "--archive", "sample", "--output", "plan.json")
    saved = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    saved["steps"][0]["tool_args"]["parameter_id"] = "another"
    assert "HV106" in refused(2, "run", write("plan.json", saved))


def test_a_saved_plan_is_not_run_on_other_files(archive: Path):
    assert (
        helio("plan", write("t.json", template()), "--archive", str(archive.parent), "-o", "p.json").exit_code
        == 0
    )
    content = bytearray(archive.read_bytes())
    content[-1] ^= 1
    archive.write_bytes(content)
    assert "differ from those of the saved plan" in refused(1, "run", "p.json")


def test_a_sloppy_template_runs_and_is_mended_on_request():
    sloppy = """Here is the plan:
```json
{"id": "sloppy", "steps": [
  {"step_id": "1", "tool_name": "fetchData",
   "tool_args": {"dataset": "PSP_FLD_L2_MAG_RTN_1MIN", "parameter": "psp_fld_l2_mag_RTN_1min",
                 "start": "2020-01-04", "end": "2020-01-05"}},
  {"step_id": "2", "tool_name": "magnitude",
   "tool_args": {"source_label": "psp_fld_l2_mag_rtn_1min.psp_fld_l2_mag_rtn_1min ", "output_label": "B"}},
]}
```"""
    file = write("sloppy.json", sloppy)
    assert helio("run", file, "--archive", "sample", "-o", "out").exit_code == 0
    shown = helio("fix", file, "--diff")
    assert '+      "tool_name": "fetch_data",' in shown.output
    assert Path(file).read_text(encoding="utf-8") == sloppy
    assert helio("fix", file).exit_code == 0
    mended = json.loads(Path(file).read_text(encoding="utf-8"))
    assert [step["tool_name"] for step in mended["steps"]] == ["fetch_data", "magnitude"]
    assert "nothing to correct" in helio("fix", file).output


def test_a_literal_range_is_the_one_that_time_range_replaces():
    result = helio(
        "run", write("t.json", template()), "--archive", "sample", "-t", "2022-01-01T06:00/PT6H", "--json"
    )
    assert json.loads(result.stdout)["steps"][0]["outputs"][0]["rows"] == 6


def test_a_pipeline_uses_another():
    helio("copy", "psp-bfield", "mine")
    document = {
        "id": "outer",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2020-01-04"}},
        "steps": [{"step_id": "inner", "use": "mine", "with": {"$TIME_RANGE": "$TIME_RANGE"}}],
    }
    result = helio("run", write("t.json", document), "--archive", "sample", "-o", "out", "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["steps"]) == 3


def test_a_map_is_a_step_per_item():
    document = template(time_range="2022-01-01", parameter_id="$P", output_label="ACE_$P")
    document["steps"][0]["for_each"] = {"as": "$P", "over": ["BGSEc", "Magnitude"]}
    document["steps"][1]["tool_args"]["spec"]["labels"] = ["ACE_*"]
    result = helio("run", write("t.json", document), "--archive", "sample", "-o", "out", "--json")
    assert result.exit_code == 0, result.output
    assert [step["step_id"] for step in json.loads(result.stdout)["steps"]] == [
        "b[BGSEc]",
        "b[Magnitude]",
        "fig",
    ]


def test_explain_knows_codes_and_runs():
    assert "label that no step produces" in helio("explain", "HR203").output
    record = json.loads(helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "--json").stdout)
    assert (
        "HR301 (safe)  step magnitude: depends on field, whose labels it reads"
        in helio("explain", record["id"]).output
    )
    assert helio("explain", "HX999").exit_code == 2


def test_passes_are_listed_in_their_order():
    rows = [line.split()[:2] for line in helio("passes").output.splitlines() if not line.startswith(" ")]
    assert [letter for letter, _ in rows] == sorted((letter for letter, _ in rows), key="NRXOGVB".index)
    assert ["O", "merge_fetches"] in rows


def test_a_run_says_which_values_were_not_measured_and_so_does_its_record():
    code = "result = df * 0 + 5"
    args = {"source_labels": ["AC_K2_MFI.BGSEc"], "pandas_code": code, "output_label": "five"}
    document = template()
    document["steps"].insert(1, {"step_id": "five", "tool_name": "custom_operation", "tool_args": args})
    document["steps"][2]["tool_args"]["spec"]["labels"].append("five")
    name = write("five.json", document)
    for options in ((), ("--direct",)):  # computed, and from the store
        result = helio("run", name, "--archive", "sample", "--output", "out", *options)
        assert result.exit_code == 0, result.output
        assert "warning[HV604] step five" in result.output
        assert "warning[HV604] step fig" in result.output
        record = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
        assert [artefact.get("not_measured") for artefact in record["steps"]] == [None, ["five"], ["five"]]
        assert all(artefact["not_measured"] == ["five"] for artefact in record["artefacts"])
        assert {step["step_id"] for step in record["warnings"]} >= {"five", "fig"}
        shown = helio("runs", "show", record["id"])
        assert shown.output.count("values that the author wrote, and that were not measured: five") == 2
