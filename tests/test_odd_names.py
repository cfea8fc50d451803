"""Names and paths that nobody expects are refused in words, or work; none of them ends in a traceback."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.errors import OutputError
from helio.pipelines.template.schema import LONGEST_ID, LONGEST_LABEL
from helio.sources import folder_walk
from helio.store.files import json_bytes, write_whole

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

ODD = {
    "5,000 characters": "a" * 5000,
    "300 characters": "a" * 300,
    "one too many": "a" * (LONGEST_ID + 1),
    "300 bytes": "ü" * 150,
    "pictures": "😀" * 70,
    "deep": "/".join(["x" * 100] * 60),
    "dot": ".",
    "two dots": "..",
    "root": "/",
    "null": "a\0b",
    "new line": "a\nb",
    "composed": unicodedata.normalize("NFC", "é"),
    "decomposed": unicodedata.normalize("NFD", "é"),
    "no UTF-8": "a\udce9b",
    "nothing": "",
    "blank": " ",
    "home of nobody": "~nobody-is-called-so/x",
    "hidden": ".hidden",
}
NAME = "NAME"
LOOKS_AT_ALL_FILES = ["doctor", "--archive", NAME]
COMMANDS = [
    ["run", NAME],
    ["run", "mine.json", "--archive", "sample", "-o", NAME],
    ["run", "mine.json", "--archive", NAME],
    ["run", "mine.json", "--archive", "sample", "--lock", NAME],
    ["plan", "mine.json", "--archive", "sample", "-o", NAME],
    ["check", NAME],
    ["fix", NAME],
    ["show", NAME],
    ["copy", "mine", NAME],
    ["delete", NAME],
    ["export", "mine", NAME],
    ["import", NAME],
    ["history", NAME],
    ["why", NAME, "1"],
    ["describe", NAME],
    ["save", NAME, "--as", "new"],
    ["lock", "mine.json", "--archive", "sample", "-o", NAME],
    ["verify", NAME],
    ["diff", NAME, NAME],
    ["cite", NAME],
    ["repair", NAME],
    ["runs", "show", NAME],
    ["runs", "delete", NAME],
    ["proposals", "show", NAME],
    ["accept", NAME],
    ["author", "ACE magnetic field 2022-01-01", "--by", "rules", "--as", NAME],
    ["edit", NAME, "use red lines", "--by", "rules"],
    ["schedule", "add", "mine", "--cron", "1 1 * * *", "--name", NAME],
    ["schedule", "remove", NAME],
    ["schedule", "pause", NAME],
    LOOKS_AT_ALL_FILES,
]


def template(**changes: Any) -> dict[str, Any]:
    """One fetch and its magnitude."""
    fetch = {
        "dataset_id": "AC_K2_MFI",
        "parameter_id": "BGSEc",
        "time_range": "2022-01-01",
        "output_label": "b",
    }
    steps = [
        {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": fetch},
        {
            "step_id": "size",
            "tool_name": "magnitude",
            "tool_args": {"source_label": "b", "output_label": "size"},
        },
    ]
    return {"id": "mine", "steps": steps, **changes}


def helio(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="helio")


def in_words(result: Result) -> None:
    """No traceback, no page of letters."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code != 0:
        assert result.exit_code in (1, 2)
        assert "error" in result.output or "MISS" in result.output or "Usage" in result.output, result.output
        assert len(max(result.output.split("\n"), key=len)) < 1500


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.setattr(folder_walk, "MOST_ENTRIES", 1000)  # the root is an archive too
    (tmp_path / "mine.json").write_text(json.dumps(template()), encoding="utf-8")
    assert helio("import", "mine.json").exit_code == 0
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_command_refuses_or_takes_every_name(words: list[str], place: Path):
    names = set(ODD.values()) - {ODD["null"]}  # no system passes it to a command
    if words == LOOKS_AT_ALL_FILES:
        names -= {ODD["root"], ODD["two dots"]}
    for text in sorted(names):
        in_words(helio(*(text if word == NAME else word for word in words)))


@pytest.mark.parametrize("odd", ODD)
def test_a_template_with_an_odd_name_is_checked_and_imported_in_words(odd: str, place: Path):
    named = template(id=ODD[odd])
    step = template()
    step["steps"][1]["step_id"] = ODD[odd]
    label = template()
    label["steps"][0]["tool_args"]["output_label"] = ODD[odd]
    label["steps"][1]["tool_args"]["source_label"] = ODD[odd]
    for document in (named, step, label):
        Path("odd.json").write_text(json.dumps(document), encoding="utf-8")
        for command in ("check", "fix", "import"):
            result = helio(command, "odd.json")
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception


@pytest.mark.parametrize("key", ["step_id", "output_label"])
def test_a_step_id_or_label_of_a_template_has_a_length(key: str, place: Path):
    for length, code in ((LONGEST_LABEL, 0), (LONGEST_LABEL + 1, 2)):
        document = template()
        step = document["steps"][1]
        (step if key == "step_id" else step["tool_args"])[key] = "a" * length
        Path("long.json").write_text(json.dumps(document), encoding="utf-8")
        result = helio("run", "long.json", "--archive", "sample", "-o", "out")
        assert result.exit_code == code, result.output
        assert ("HV101" in result.output) == (code == 2)


@pytest.mark.parametrize("name", ["", ".", "/", "..", "a/..", "a\0b"])
def test_what_is_no_name_of_a_file_is_said(name: str, tmp_path: Path):
    with pytest.raises(OutputError, match="is not a file name"):
        write_whole(tmp_path / name if name == "a\0b" else Path(name), b"")


def test_bytes_that_are_no_utf_8_come_back_from_json():
    assert json.loads(json_bytes({"folder": "a\udce9b"})) == {"folder": "a\udce9b"}
