"""What mending does about loops and vectors that a run refuses to guess about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.pipelines.mend import mend
from helio.pipelines.plan import check
from helio.pipelines.template.context import Dataset

from .conftest import NOW, fetch, template

CATALOGUE = {"AC_H2_MFI": Dataset({"BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}


def mended(*steps: dict[str, Any]) -> tuple[Any, list[str]]:
    """The mended template, and the codes of the errors that a run would have given before."""
    document = template(*steps)
    before = [error.code for error in check(document, now=NOW, catalogue=CATALOGUE).errors]
    found, _, diagnostics = mend(json.dumps(document), now=NOW, catalogue=CATALOGUE)
    assert [finding for finding in diagnostics if finding.severity == "error"] == []
    assert not check(found, now=NOW, catalogue=CATALOGUE).errors
    return found, before


def test_a_loop_that_does_not_say_over_what_is_mended() -> None:
    step = fetch(loop_over=["AC_H2_MFI", "AC_H0_MFI"])
    del step["tool_args"]["dataset_id"]
    found, before = mended(step)
    assert before == ["HX201"]
    assert found["steps"][0]["for_each"] == {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}
    assert found["steps"][0]["tool_args"]["dataset_id"] == "$ITEM"


def test_a_vector_where_a_scalar_is_needed_is_mended() -> None:
    args = {"source_label": "AC_H2_MFI.BGSEc", "python_code": "result = df", "output_label": "S"}
    found, before = mended(fetch(), {"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args})
    assert before == ["HX401"]
    assert found["steps"][1]["for_each"]["over"] == {"components_of": "AC_H2_MFI.BGSEc"}


def test_a_loop_whose_item_stands_in_the_arguments_needs_no_mending() -> None:
    step = fetch(args={"dataset_id": "$ITEM"}, loop_over=["AC_H2_MFI", "AC_H0_MFI"])
    found = check(template(step), now=NOW)
    assert found.errors == ()
    assert found.plan["steps"][0]["for_each"] == {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}


def smoothed(tool: str, **args: Any) -> dict[str, Any]:
    """A template with a time range as people write it, and one step whose tool or arguments may be misspelt."""
    step = {"step_id": 2, "tool_name": tool, "tool_args": {"window": "10min", "output_label": "S"} | args}
    return template(
        fetch(),
        step,
        id="smoothed",
        variables={"$TIME_RANGE": {"type": "time_range", "default": "past 5 days"}},
    )


@pytest.fixture
def fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What `helio fix --diff` and then `helio fix` print about a template, and the file after both."""
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def fixed(document: dict[str, Any]) -> tuple[list[str], str]:
        Path("t.json").write_text(json.dumps(document), encoding="utf-8")
        shown = [CliRunner().invoke(app, ["fix", "t.json", *words]).output for words in (["--diff"], [])]
        return shown, Path("t.json").read_text(encoding="utf-8")

    return fixed


def test_fix_says_that_a_misspelt_tool_remains_and_shows_no_change_that_it_does_not_make(fixed: Any) -> None:
    document = smoothed("runing_average", source_label="AC_H2_MFI.BGSEc")
    shown, text = fixed(document)
    for output in shown:
        assert "Did you mean 'running_average'?" in output
        assert output.endswith("t.json: unchanged, 1 error remains\n")
        assert "past 5 days" not in output
    assert text == json.dumps(document)


def test_fix_says_that_it_corrects_the_rest_after_the_error_that_remains(fixed: Any) -> None:
    document = smoothed("runing_average", source_label="AC_H2_MFI.BGSEc")
    document["steps"][0]["tool_name"] = "fetchData"
    shown, text = fixed(document)
    rest = (
        "t.json: unchanged, 1 error remains; correct it by hand, then `helio fix t.json` corrects the rest\n"
    )
    assert [output.endswith(rest) for output in shown] == [True, True]
    assert text == json.dumps(document)


def test_fix_keeps_the_phrase_of_a_time_range(fixed: Any) -> None:
    shown, text = fixed(smoothed("running_average", source_lable="AC_H2_MFI.BGSEc"))
    assert '+        "source_label": "AC_H2_MFI.BGSEc"' in shown[0]
    assert "last 5 days" not in shown[0]
    written = json.loads(text)
    assert written["variables"]["$TIME_RANGE"]["default"] == "past 5 days"
    assert written["steps"][1]["tool_args"]["source_label"] == "AC_H2_MFI.BGSEc"
    assert fixed(written)[0] == ["t.json: nothing to correct\n"] * 2


def test_fix_writes_a_list_of_times_as_a_phrase(fixed: Any) -> None:
    document = smoothed("running_average", source_label="AC_H2_MFI.BGSEc")
    document["variables"]["$TIME_RANGE"]["default"] = ["2024-01-01", "2024-01-08"]
    text = fixed(document)[1]
    assert json.loads(text)["variables"]["$TIME_RANGE"]["default"] == "2024-01-01 to 2024-01-08"
