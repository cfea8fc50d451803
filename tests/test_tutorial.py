"""The tutorial works as it is written: its files, its commands in their order, in an empty home."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio.cli import app

DOCS = Path(__file__).parents[1] / "docs"
FILE = re.compile(r"```\{code-block\} json\n:caption: (\S+)\n\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
ROWS = "".join(f"2024-05-10T{hour:02d}:00:00Z,{hour},{-hour},5\n" for hour in range(24))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with an empty home."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    return tmp_path / "work"


def write_files(page: str, folder: Path) -> None:
    """Save the files of a page under their captions."""
    files = FILE.findall(page)
    assert files
    for name, text in files:
        (folder / name).write_text(text)


def helio(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, f"helio {shlex.join(words)}: {done.output}"
    return done.output


def test_the_commands_of_the_start_page_work(work: Path):
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    write_files(page, work)
    lines = [line for block in COMMANDS.findall(page) for line in block.splitlines()]
    assert len(lines) >= 10
    shown = {}
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "helio"
        shown[line] = helio(*words)
    assert (work / "figures" / "figure.html").stat().st_size > 10_000
    assert "electrons.json: valid" in shown["helio check electrons.json"]
    [why] = [text for line, text in shown.items() if line.startswith("helio why")]
    assert "args.window: 10min → 30min" in why


def test_a_mistake_is_found_as_the_start_page_says(work: Path):
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    write_files(page, work)
    right = (work / "electrons.json").read_text()
    (work / "electrons.json").write_text(right.replace('"running_average"', '"runing_average"'))
    done = CliRunner().invoke(app, ["check", "electrons.json"])
    assert done.exit_code == 2
    for line in re.search(r"error\[HN402\].*?\n```", page, re.DOTALL)[0].splitlines()[:-1]:
        assert line in done.output


def test_the_pipeline_of_ones_own_file_runs(work: Path):
    page = (DOCS / "own-files.md").read_text(encoding="utf-8")
    write_files(page, work)
    (work / "data").mkdir()
    (work / "data" / "my_field_20240510_v01.csv").write_text(f"time,Bx [nT],By [nT],Bz [nT]\n{ROWS}")
    assert "MY_FIELD" in helio("archive", "data")
    helio("run", "my-field.json", "--archive", "data", "--output", "figures")
    assert (work / "figures" / "my_field_20240510.html").exists()
    assert (work / "figures" / "my_field.nc").exists()
    helio("new", "bx", "--dataset", "MY_FIELD.Bx", "--archive", "data", "--time-range", "2024-05-10")


def test_the_first_pipeline_of_the_readme_runs(work: Path):
    page = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (work / "mine.json").write_text(text)
    helio("check", "mine.json")
    helio("run", "mine.json", "--archive", "sample", "--output", "figures")
    assert (work / "figures" / "figure.html").exists()
