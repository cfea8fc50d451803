"""The tutorial works as it is written: its files, its commands in their order, in an empty home."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.sources.samples import sample_folder

pytestmark = pytest.mark.usefixtures("warm_processes")

DOCS = Path(__file__).parents[1] / "docs"
FILE = re.compile(r"```\{code-block\} json\n:caption: (\S+)\n\n(.*?)```", re.DOTALL)
COMMANDS = re.compile(r"```sh\n(.*?)```", re.DOTALL)
SHOWN = re.compile(
    r"^```(?:\{code-block\} )?(?:text|console)\n(?::class: wrap\n\n)?\$ (helio .*)\n((?:.*\n)*?)```",
    re.MULTILINE,
)
RUN_ID = re.compile(r"\b[a-z0-9-]+-\d{8}T\d{6}Z?(?:-[0-9a-f]{4})?\b")
DAY_OF_READING = re.compile(r"(?<=Accessed )[\d-]{10}|(?<=urldate = \{)[\d-]{10}")
ROWS = "".join(
    f"2024-05-10T{minute // 60:02d}:{minute % 60:02d}:00Z,{minute},{-minute},5\n" for minute in range(1440)
)
MISSPELT = {
    "id": "broken",
    "steps": [
        {
            "step_id": "b",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "AC_K2_MFI",
                "parameter_id": "Magnitude_",
                "time_range": "2022-01-01",
            },
        },
        {
            "step_id": "f",
            "tool_name": "render_spec",
            "tool_args": {"spec": {"labels": ["AC_K2_MFI.Magnitude_"]}},
        },
    ],
}
SAVE_ELECTRONS = {
    "id": "save-electrons",
    "steps": [
        {
            "step_id": "fetch",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "STA_L1_HET",
                "parameter_id": "Electron_Flux",
                "time_range": "2021-10-28",
                "output_label": "electrons",
            },
        },
        {
            "step_id": "save",
            "tool_name": "save_data",
            "tool_args": {"source_labels": ["electrons"], "filename": "sta_electrons_20211028_v01.nc"},
        },
    ],
}


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


def shown_on(page: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a page whose output the page shows, and this output."""
    yield from SHOWN.findall((DOCS / page).read_text(encoding="utf-8"))


def output_of(command: str) -> str:
    return CliRunner().invoke(app, shlex.split(command)[1:]).output


def assert_shown(expected: str, output: str) -> None:
    """Assert that a page shows the output: ``…`` for any text or any lines, IDs and days of any run."""
    lines = [line for line in expected.splitlines() if not line.startswith("page  http://")]
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in map(without_run, lines)
    )
    assert re.fullmatch(pattern, without_run(output)), f"shown:\n{expected}\nprinted:\n{output}"


def without_run(text: str) -> str:
    return DAY_OF_READING.sub("DAY", RUN_ID.sub("RUN", text))


def zero_a_record(path: Path) -> None:
    """Set a record of `Proton_Flux` to zero, in the bytes of the file: 11 floats at 2021-10-28 16:40:28."""
    record = bytes.fromhex(
        "3dbd6b9c3c87cf923e0b9da93e55190f3e9a6f233ecb839e3f01dc3f3f2b8fd63f350bed3f4c3e143f3cf261"
    )
    content = path.read_bytes()
    assert content.count(record) == 1
    path.write_bytes(content.replace(record, bytes(len(record))))


def test_the_commands_of_the_start_page_work(work: Path):
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    write_files(page, work)
    helio("run", "gle73-particles", "--archive", "sample", "--output", "demo")
    lines = [line for block in COMMANDS.findall(page) for line in block.splitlines()]
    assert len(lines) >= 10
    shown = {}
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "helio"
        shown[line] = helio(*words)
    assert (work / "figures" / "figure.html").stat().st_size > 10_000
    results = re.findall(r"```sh\n(?:.*\n)*?(helio .*)\n```\n\n```text\n((?:.*\n)*?)```", page)
    assert len(results) == 5
    for line, expected in results:
        assert_shown(expected, shown[line])


def test_a_mistake_is_found_as_the_start_page_says(work: Path):
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    write_files(page, work)
    right = (work / "electrons.json").read_text()
    (work / "electrons.json").write_text(right.replace('"running_average"', '"runing_average"'))
    done = CliRunner().invoke(app, ["check", "electrons.json"])
    assert done.exit_code == 2
    for line in re.search(r"error\[HN402\].*?\n```", page, re.DOTALL)[0].splitlines()[:-1]:
        assert line in done.output


def test_the_pipeline_of_ones_own_file_gives_what_its_page_shows(work: Path):
    write_files((DOCS / "own-files.md").read_text(encoding="utf-8"), work)
    (work / "data").mkdir()
    (work / "data" / "my_field_20240510_v01.csv").write_text(f"time,Bx [nT],By [nT],Bz [nT]\n{ROWS}")
    commands = []
    for command, expected in shown_on("own-files.md"):
        if "STA_ELECTRONS" in expected:
            (work / "save.json").write_text(json.dumps(SAVE_ELECTRONS))
            helio("run", "save.json", "--archive", "sample", "--output", "data")
        assert_shown(expected, output_of(command))
        commands.append(command.split()[1])
    assert commands == ["archive", "check", "run", "archive"]
    assert (work / "figures" / "my_field_20240510.html").exists()
    assert (work / "figures" / "my_field.nc").exists()
    helio("new", "bx", "--dataset", "MY_FIELD.Bx", "--archive", "data", "--time-range", "2024-05-10")


def test_the_figure_for_a_paper_is_planned_as_its_page_says(work: Path):
    page = (DOCS / "own-files.md").read_text(encoding="utf-8")
    write_files(page, work)
    (work / "data").mkdir()
    (work / "data" / "my_field_20240510_v01.csv").write_text(f"time,Bx [nT],By [nT],Bz [nT]\n{ROWS}")
    mean, spec = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    document = json.loads((work / "my-field.json").read_text())
    after = next(number for number, step in enumerate(document["steps"]) if step["step_id"] == "strength")
    document["steps"].insert(after + 1, mean)
    next(step for step in document["steps"] if step["step_id"] == "figure")["tool_args"]["spec"] = spec
    (work / "paper.json").write_text(json.dumps(document))
    planned = helio("plan", "paper.json", "--archive", "data")
    assert "writes my_field_20240510.png, my_field_20240510.pdf" in planned


def test_a_run_is_cited_as_its_page_shows(work: Path):
    helio("run", "gle73-particles", "--archive", "sample", "--output", "figures")
    results = list(shown_on("citing.md"))
    assert len(results) == 2
    for command, expected in results:
        assert_shown(expected, output_of(command))


def test_proposals_are_as_their_page_shows_them(work: Path):
    helio("copy", "ace-bfield-overview", "my-ace")
    (work / "broken.json").write_text(json.dumps(MISSPELT))
    commands = []
    for command, expected in shown_on("authoring.md"):
        if "--replay" in command:
            continue
        if command == "helio repair last":
            output_of("helio run broken.json --archive sample")
        if command.startswith("helio accept mine-"):
            helio("copy", "ace-bfield-overview", "mine")
            proposed = json.loads(helio("edit", "mine", "draw the magnitude in blue", "--json"))["id"]
            helio("edit", "mine", "draw the magnitude in red", "--yes")
            command = f"helio accept {proposed}"
        assert_shown(expected, output_of(command))
        commands.append(command.split()[1])
    assert commands == ["author", "author", "edit", "edit", "edit", "edit", "accept", "repair"]


@pytest.mark.slow
def test_a_run_is_locked_verified_and_compared_as_its_page_shows(work: Path):
    shutil.copytree(sample_folder(), work / "data")
    commands = []
    for command, expected in shown_on("reproducing.md"):
        if "solo-field" in command or "my-field" in command:
            continue
        if "the content of" in expected and command == "helio verify last":
            zero_a_record(work / "data" / "sta_l1_het_20211028_v01.cdf")
        if command.startswith("helio diff"):
            [first] = [run["id"] for run in json.loads(helio("runs", "--json"))]
            helio("run", "gle73-particles", "--archive", "data", "--output", "again")
            command = f"helio diff {first} last"
        if command.startswith("helio rerun"):
            shutil.copy(sample_folder() / "sta_l1_het_20211028_v01.cdf", work / "data")
        assert_shown(expected, output_of(command))
        commands.append(command.split()[1])
    assert commands == ["lock", "run", "run", "verify", "verify", "diff", "show", "rerun"]


def test_the_first_pipeline_of_the_readme_runs(work: Path):
    page = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (work / "mine.json").write_text(text)
    helio("check", "mine.json")
    helio("run", "mine.json", "--archive", "sample", "--output", "figures")
    assert (work / "figures" / "figure.html").exists()
