"""Arguments that no tool has: none is dropped that could change a result, in whatever dialect it is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helio.pipelines.dialect.parse import parse
from helio.pipelines.mend import mend
from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import InvalidTemplate
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template
from tests.rows import in_one_test

CATALOGUE = {"AC_H2_MFI": Dataset({"BGSEc": 3})}

ASKED = {
    "coordinate_system": "GSM",
    "coords": "GSM",
    "frame": "RTN",
    "coordinateFrame": "GSM",
    "resolution": "1min",
    "cadence": "1min",
    "sampling": "16s",
    "Sample-Rate": "16s",
    "units": "T",
    "component": "Bz",
    "quality": "good",
    "filter": "despike",
    "averaging": 60,
    "remove_outliers": True,
    "sparkle": 3,
    "calibrated": False,
}
WORDS = ("description", "comment", "comments", "reason", "notes", "note", "Rationale", "explanation")


def errors_everywhere(document: dict[str, Any]) -> list[set[str]]:
    """The codes of the errors that check, fix and plan find."""
    checked = check(document, now=NOW, catalogue=CATALOGUE)
    mended, _, found = mend(json.dumps(document), now=NOW, catalogue=CATALOGUE)
    assert "dropped_args" not in json.dumps(mended)
    with pytest.raises(InvalidTemplate) as refused:
        make_plan(document, now=NOW, catalogue=CATALOGUE)
    return [
        {diagnostic.code for diagnostic in every if diagnostic.severity == "error"}
        for every in (checked.diagnostics, found, refused.value.diagnostics)
    ]


@in_one_test(("name", "value"), ASKED.items())
def test_an_argument_that_asks_for_something_stays_an_error(name: str, value: Any) -> None:
    for codes in errors_everywhere(template(fetch(args={name: value}))):
        assert codes == {"HN503"}


@in_one_test("name", [name for name in ASKED if name not in ("sparkle", "calibrated")])
def test_it_does_so_beside_the_arguments_of_a_step(name: str) -> None:
    for codes in errors_everywhere(template(fetch(**{name: ASKED[name]}))):
        assert codes == {"HN503"}


@pytest.mark.parametrize("name", ["coords", "resolution", "quality", "sampling", "frame"])
def test_it_does_so_in_a_call_without_an_object_of_arguments(name: str) -> None:
    step = {"tool": "fetch_data", "dataset": "AC_H2_MFI", "parameter": "BGSEc", "time_range": "2024-01-10"}
    for codes in errors_everywhere({"id": "flat", "steps": [step | {name: ASKED[name]}]}):
        assert codes == {"HN503"}


@pytest.mark.parametrize("name", ["coordinate_system", "resolution", "units", "dataset_id", "time_range"])
def test_it_does_so_at_the_top_of_a_template(name: str) -> None:
    for codes in errors_everywhere(template(fetch(), **{name: "1min"})):
        assert codes == {"HN503"}


@pytest.mark.parametrize(
    "step",
    [
        magnitude() | {"tool_args": {"source_label": "AC_H2_MFI.BGSEc", "output_label": "B", "frame": "GSM"}},
        render() | {"tool_args": {"spec": {"labels": ["AC_H2_MFI.BGSEc"]}, "resolution": "1min"}},
        {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["AC_H2_MFI.BGSEc"], "units": "T"}},
        {
            "step_id": 2,
            "tool_name": "save_data",
            "tool_args": {"source_labels": ["AC_H2_MFI.BGSEc"], "cadence": "1h"},
        },
    ],
    ids=["magnitude", "render_spec", "plot_data", "save_data"],
)
def test_it_does_so_for_every_tool(step: dict[str, Any]) -> None:
    for codes in errors_everywhere(template(fetch(), step)):
        assert codes <= {"HN503", "HO401"}
        assert codes


def test_it_does_so_in_a_block() -> None:
    block = {
        "step_id": 1,
        "for_each": {"as": "$DAY", "over": ["2024-01-10", "2024-01-11"]},
        "block": [fetch("a", args={"time_range": "$DAY", "coords": "GSM"})],
    }
    for codes in errors_everywhere(template(block)):
        assert codes == {"HN503"}


def test_it_does_so_in_a_candidate() -> None:
    one = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "coordinate_system": "GSM"}
    step = {"step_id": 1, "tool_name": "fetch_data"}
    step |= {"tool_args": {"candidates": [one], "time_range": "$TIME_RANGE", "output_label": "B"}}
    for codes in errors_everywhere(template(step)):
        assert codes


def test_the_advice_names_the_step_that_does_it() -> None:
    found = check(template(fetch(args={"coords": "GSM", "resolution": "1min"})), now=NOW, catalogue=CATALOGUE)
    told = ["; ".join(diagnostic.advice) for diagnostic in found.errors]
    assert "transform_frame" in told[0]
    assert "resample" in told[1]


@in_one_test("name", WORDS)
def test_words_are_kept_and_said(name: str) -> None:
    document = template(fetch(args={name: "the field of ACE"}))
    mended, _, found = mend(json.dumps(document), now=NOW, catalogue=CATALOGUE)
    assert mended["steps"][0]["annotations"] == {"notes": {name: "the field of ACE"}}
    assert [(diagnostic.code, diagnostic.severity) for diagnostic in found if name in diagnostic.message] == [
        ("HN508", "warning")
    ]
    checked = check(document, now=NOW, catalogue=CATALOGUE)
    assert not checked.errors
    assert "HN508" in {diagnostic.code for diagnostic in checked.diagnostics}


def test_a_note_that_is_no_text_stays_an_error() -> None:
    for codes in errors_everywhere(template(fetch(args={"notes": {"frame": "GSM"}}))):
        assert codes == {"HN503"}


def test_an_argument_of_the_tool_beside_its_arguments_is_one_of_them() -> None:
    step = magnitude()
    label = step["tool_args"].pop("source_label")
    found = check(template(fetch(), step | {"source_label": label}), now=NOW, catalogue=CATALOGUE)
    assert not found.errors
    assert found.plan["steps"][1]["tool_args"]["source_label"] == label


def test_two_that_disagree_are_refused() -> None:
    for codes in errors_everywhere(template(fetch(dataset_id="AC_H0_MFI"))):
        assert codes == {"HN502"}


@pytest.mark.parametrize("where", ["dropped_args", "unknown"])
def test_what_an_earlier_fix_dropped_is_reported(where: str) -> None:
    document = template(fetch(annotations={where: {"coordinate_system": "GSM"}}), magnitude())
    checked = check(document, now=NOW, catalogue=CATALOGUE)
    [found] = [diagnostic for diagnostic in checked.diagnostics if diagnostic.code == "HV107"]
    assert (found.severity, found.step_id) == ("warning", 1)
    assert "GSM" in found.message
    _, _, mended = mend(json.dumps(document), now=NOW, catalogue=CATALOGUE)
    assert "HV107" in {diagnostic.code for diagnostic in mended}
    planned = make_plan(document, now=NOW, catalogue=CATALOGUE)
    assert "HV107" in {diagnostic.code for diagnostic in planned.warnings}


def test_words_that_an_earlier_fix_dropped_are_not_reported_as_asked_for() -> None:
    document = template(
        fetch(annotations={"dropped_args": {"comment": "of ACE"}, "unknown": {"priority": 3}})
    )
    found = check(document, now=NOW, catalogue=CATALOGUE)
    assert "HV107" not in {diagnostic.code for diagnostic in found.diagnostics}


def test_a_text_with_a_plan_in_it_is_held_to_the_same() -> None:
    parsed = parse(f"Here is the plan:\n```json\n{json.dumps(template(fetch(args={'coords': 'GSM'})))}\n```")
    assert {diagnostic.code for diagnostic in check(parsed.plan, now=NOW).errors} == {"HN503"}


@in_one_test(
    ("tool", "name"), [("convert_units", "unit"), ("transform_frame", "frame"), ("resample", "bin_size")]
)
def test_nobody_is_sent_to_the_tool_that_the_step_already_uses(tool: str, name: str) -> None:
    args = {"source_label": "AC_H2_MFI.BGSEc", name: "GSM", "output_label": "B"}
    step = {"step_id": 2, "tool_name": tool, "tool_args": args}
    [error] = [error for error in check(template(fetch(), step), now=NOW).errors if error.code == "HN503"]
    assert not [advice for advice in error.advice if f"with {tool}" in advice]
    assert any(advice.startswith("use one of these arguments: source_label") for advice in error.advice)
