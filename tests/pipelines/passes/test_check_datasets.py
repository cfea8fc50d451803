"""A misspelt data set is said where the data would come from CDAWeb, whatever its id is written in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helio import api
from helio.cli import app
from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate
from tests.pipelines.conftest import NOW, fetch, template

KNOWN = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}


def found(document: dict[str, Any], archive: str = "", code: str = "HV502") -> list[Diagnostic]:
    result = check(document, now=NOW, archive=archive, catalogue=KNOWN)
    assert result.errors == ()
    return [diagnostic for diagnostic in result.diagnostics if diagnostic.code == code]


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"dataset_id": "AC_H2_MIF"}, "/dataset_id"),
        ({"dataset_id": "AC_H2_MIF", "provider": "cdaweb"}, "/dataset_id"),
        ({"dataset_id": "ac_h2_mif", "provider": "cdaweb-folders"}, "/dataset_id"),
        ({"candidates": ["AC_H0_MFI", "AC_H2_MIF"], "output_label": "B"}, "/candidates/1"),
        (
            {"candidates": [{"dataset_id": "AC_H2_MIF"}, "AC_H0_MFI"], "output_label": "B"},
            "/candidates/0/dataset_id",
        ),
    ],
)
def test_a_misspelt_data_set_is_said_with_the_one_that_is_meant(args: dict[str, Any], path: str) -> None:
    step = fetch(args=args)
    if "candidates" in args:
        del step["tool_args"]["dataset_id"]
    [one] = found(template(step))
    assert one.path == f"/steps/0/tool_args{path}"
    assert "'AC_H2_MFI'" in one.advice[0]
    assert one.candidates[0] == "AC_H2_MFI"


def test_the_default_and_the_value_of_a_variable_are_looked_up() -> None:
    variables = {"$DS": {"type": "dataset", "default": "AC_H2_MIF"}}
    document = template(fetch(args={"dataset_id": "$DS", "time_range": "2024"}), variables=variables)
    [one] = found(document)
    assert one.path == "/variables/$DS/default"
    variables["$DS"]["default"] = "AC_H2_MFI"
    assert found(document) == []
    with pytest.raises(InvalidTemplate) as error:
        make_plan(document, now=NOW, values={"DS": "AC_H2_MIF"}, catalogue=KNOWN)
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["HS101"]
    plan = make_plan(document, now=NOW, values={"DS": "AC_H2_MIF"}, archive="cdaweb", catalogue=KNOWN)
    assert [diagnostic.code for diagnostic in plan.warnings] == ["HV502"]


def test_the_items_of_a_map_are_looked_up() -> None:
    each = {"as": "$DS", "over": ["AC_H0_MFI", "AC_H2_MIF"]}
    [one] = found(template(fetch(args={"dataset_id": "$DS"}, for_each=each)))
    assert one.path == "/steps/0/for_each/over/1"
    each = {"as": "$P", "over": ["BGSEc", "BGSE"]}
    [one] = found(template(fetch(args={"parameter_id": "$P"}, for_each=each)), code="HV501")
    assert one.path == "/steps/0/for_each/over/1"


@pytest.mark.parametrize(
    ("archive", "provider"), [("/data", ""), ("sample", ""), ("", "hapi:here"), ("", "swpc")]
)
def test_another_archive_decides_for_itself(archive: str, provider: str) -> None:
    args = {"dataset_id": "AC_H2_MIF"} | ({"provider": provider} if provider else {})
    assert found(template(fetch(args=args)), archive) == []


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(template(fetch(args={"dataset_id": "AC_H2_MIF"}), id="mine")))
    return str(path)


def helio(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


def test_check_plan_and_run_say_it(file: str, tmp_path: Path) -> None:
    code, words = helio("check", file)
    assert (code, "HV502" in words, "did you mean 'AC_H2_MFI'" in words) == (0, True, True)
    for command in ("plan", "run"):
        code, words = helio(command, file)
        assert (code, "did you mean 'AC_H2_MFI'" in words) == (2, True)
    assert "HV502" not in helio("check", file, "--archive", str(tmp_path))[1]


def test_a_plan_says_what_it_warns_of(tmp_path: Path, file: str) -> None:
    step = fetch(args={"dataset_id": "AC_K2_MFI", "parameter_id": "BGSE", "time_range": "2022-01-01"})
    path = tmp_path / "warned.json"
    spare = {"$UNUSED": {"type": "string", "default": "x"}}
    path.write_text(json.dumps(template(step, id="warned", variables=spare)))
    assert "warning[HN603]" in helio("plan", str(path), "--archive", "sample")[1]
    assert "warning[HV501]" in helio("check", str(path))[1]


def test_hints_are_shown_when_they_are_asked_for(file: str) -> None:
    assert "HV910" not in helio("check", file)[1]
    assert helio("check", file, "--hints")[1].count("info[HV910]") == 1
    for words, there in ((("check", file, "--json"), False), (("check", file, "--hints", "--json"), True)):
        codes = [one["code"] for one in json.loads(helio(*words)[1])["found"]]
        assert ("HV910" in codes, "HV502" in codes) == (there, True)
    for command in ("plan", "run", "fix"):
        assert "HV910" not in helio(command, file)[1]
    assert "HV910" not in [diagnostic.code for diagnostic in api.check(file)]
    assert "HV910" in [diagnostic.code for diagnostic in api.check(file, hints=True)]
