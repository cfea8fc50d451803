"""What a shell completes, asked as a shell asks: by the variables of the completion protocol."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.pipelines.library import Library
from tests.rows import in_one_test

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.usefixtures("warm_processes")]


def completed(line: str) -> list[str]:
    """What bash is offered at the end of a line."""
    words = line.split(" ")
    asked = {"_HELIO_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    result = CliRunner().invoke(app, [], env=asked, prog_name="helio")
    assert result.exit_code == 0, result.output
    return [name for name in result.stdout.splitlines() if name]


def a_run() -> str:
    result = CliRunner().invoke(
        app, ["run", "psp-bfield", "--archive", "sample", "-o", "out"], prog_name="helio"
    )
    assert result.exit_code == 0, result.output
    [folder] = (Path("home") / "runs").iterdir()
    return folder.name


@in_one_test(
    ("line", "offered"),
    [
        ("helio ru", ["run", "runs"]),
        ("helio runs ", ["show", "delete"]),
        ("helio run psp", ["psp-bfield", "psp-encounter"]),
        ("helio check psp", ["psp-bfield", "psp-encounter"]),
        ("helio lock psp", ["psp-bfield", "psp-encounter"]),
        ("helio runs --pipeline psp", ["psp-bfield", "psp-encounter"]),
        ("helio schedule add psp", ["psp-bfield", "psp-encounter"]),
        ("helio show ps", ["psp-bfield", "psp-encounter"]),
        ("helio show running_", ["running_average", "running_median"]),
        ("helio tools running_", ["running_average", "running_median"]),
        ("helio explain HR20", ["HR201", "HR202", "HR203", "HR204", "HR205"]),
        ("helio explain for_", ["for_each"]),
        ("helio explain running_m", ["running_median"]),
        ("helio run psp-bfield --archive cdaweb", ["cdaweb", "cdaweb-folders"]),
        ("helio run psp-bfield --archive hapi:CD", ["hapi:CDAWeb"]),
        ("helio doctor --source sw", ["swpc"]),
        ("helio run psp-bfield --proof ch", ["checksum"]),
        ("helio run nothing-like-that", []),
        ("helio run psp-bfield --set ", ["TIME_RANGE="]),
        ("helio plan gle73-particles --set WIN", ["WINDOW="]),
        ("helio schedule add gle73-particles --set WIN", ["WINDOW="]),
        ("helio run no-such-pipeline --set ", []),
        ("helio run --set ", []),
        ("helio run psp-bfield --format ", ["html", "json", "png", "pdf", "svg"]),
        ("helio run psp-bfield --format png,p", ["png,pdf"]),
        ("helio schedule pause ", []),
    ],
)
def test_names_are_offered_where_a_command_takes_them(line: str, offered: list[str]):
    assert completed(line) == offered


def test_every_pipeline_is_offered_to_a_bare_run():
    assert completed("helio run ") == [entry.id for entry in Library(Path("none")).entries()]


def test_without_runs_none_is_offered():
    for line in (
        "helio runs show ",
        "helio why ",
        "helio why last ",
        "helio describe nothing ",
        "helio repair ",
    ):
        assert completed(line) == []
    assert completed("helio accept ") == []


def test_runs_steps_and_labels_are_offered():
    run = a_run()
    for line in (
        "helio runs show ",
        "helio runs delete ",
        "helio why ",
        "helio diff last ",
        "helio verify ",
        "helio cite ",
        "helio save ",
        "helio lock --run ",
        "helio repair ",
    ):
        assert completed(line) == ["last", run], line
    assert completed("helio explain psp") == [run]
    for name in ("last", run, "psp"):
        assert completed(f"helio why {name} ") == ["field", "magnitude", "field-figure"]
        assert completed(f"helio why {name} field-") == ["field-figure"]
        assert completed(f"helio preview {name} ") == ["B_RTN", "B_magnitude"]


def test_pending_proposals_are_offered():
    request = ["author", "plot Wind magnetic field for 2022-01-01", "--as", "wind-field", "--author", "rules"]
    assert CliRunner().invoke(app, request, prog_name="helio").exit_code == 0
    [proposal] = completed("helio accept ")
    assert completed(f"helio proposals show {proposal[:6]}") == [proposal]


def test_schedules_are_offered():
    added = [
        "schedule",
        "add",
        "psp-bfield",
        "--cron",
        "10 6 * * *",
        "-t",
        "yesterday",
        "--archive",
        "sample",
    ]
    assert CliRunner().invoke(app, added, prog_name="helio").exit_code == 0
    for command in ("pause", "resume", "remove"):
        assert completed(f"helio schedule {command} ") == ["psp-bfield"]


def test_a_home_that_cannot_be_read_offers_nothing(home: Path, monkeypatch: pytest.MonkeyPatch):
    run = a_run()
    (home / "home" / "runs" / run / "steps.jsonl").unlink()
    assert completed("helio why last ") == []
    monkeypatch.setenv("HELIO_ENGINE", "nonsense")
    assert completed("helio run psp") == []


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str):
    result = CliRunner().invoke(app, [], env={"_HELIO_COMPLETE": f"source_{shell}"}, prog_name="helio")
    assert result.exit_code == 0
    assert f"complete_{shell}" in result.stdout
    assert "helio" in result.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_offered_the_same_names(shell: str):
    asked = {
        "_HELIO_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "helio tools running_",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    result = CliRunner().invoke(app, [], env=asked, prog_name="helio")
    assert "running_average" in result.stdout
    assert "running_median" in result.stdout
    assert "resample" not in result.stdout


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_itself_completes_with_the_script():
    command = shutil.which("helio", path=f"{Path(sys.executable).parent}")
    assert command is not None
    script = (
        'eval "$(_HELIO_COMPLETE=source_bash helio)"; '
        "COMP_WORDS=(helio tools running_); COMP_CWORD=2; _helio_completion helio; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{Path(command).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["running_average", "running_median"]


@pytest.mark.process
@pytest.mark.parametrize(
    "line",
    [
        "helio run p",
        "helio explain p",
        "helio why last ",
        "helio run x --archive h",
        "helio run psp-bfield --set ",
        "helio run x --format png,",
        "helio schedule pause ",
    ],
)
def test_a_completion_imports_nothing_heavy(line: str):
    heavy = (
        "prefect",
        "pandas",
        "numpy",
        "plotly",
        "google",
        "pyarrow",
        "jsonschema",
        "cdflib",
        "scipy",
        "rich",
    )
    code = (
        "import sys\nfrom helio.cli import app\n"
        "try:\n    app(prog_name='helio')\nfinally:\n"
        f"    print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    asked = {"_HELIO_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"
