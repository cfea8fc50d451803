"""Labels with a ``*``: what they match is known before a run, or said when its values are."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.maps import overlap
from tests.pipelines.conftest import NOW
from tests.rows import in_one_test

Step = dict[str, Any]
FETCH: Step = {
    "step_id": 1,
    "tool_name": "fetch_data",
    "tool_args": {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2024-05-10"},
}
DAILY: Step = {
    "step_id": 1,
    "tool_name": "fetch_data",
    "tool_args": {
        "dataset_id": "AC_H2_MFI",
        "parameter_id": "BGSEc",
        "time_range": "$DAY",
        "output_label": "B_$DAY",
    },
    "for_each": {"as": "$DAY", "over": {"intervals": "2024-05-10 to 2024-05-12", "step": "1d"}},
    "on_item_error": "keep_partial",
}
OF_A_VARIABLE: Step = {**FETCH, "tool_args": {**FETCH["tool_args"], "dataset_id": "$DS"}}


def code(step_id: int, labels: list[str], output: str) -> Step:
    args = {"source_labels": labels, "pandas_code": "result = df", "output_label": output}
    return {"step_id": step_id, "tool_name": "custom_operation", "tool_args": args}


def figure(step_id: int, labels: list[str], **spec: Any) -> Step:
    return {
        "step_id": step_id,
        "tool_name": "render_spec",
        "tool_args": {"spec": {"labels": labels, **spec}},
    }


def plot(step_id: int, labels: list[str], **args: Any) -> Step:
    return {"step_id": step_id, "tool_name": "plot_data", "tool_args": {"labels": labels, **args}}


def save(step_id: int, labels: list[str]) -> Step:
    return {"step_id": step_id, "tool_name": "save_data", "tool_args": {"source_labels": labels}}


def magnitude(step_id: int, label: str) -> Step:
    args = {"source_label": label, "output_label": "size"}
    return {"step_id": step_id, "tool_name": "magnitude", "tool_args": args}


def template(*steps: Step) -> dict[str, Any]:
    declared = {"$DS": {"type": "dataset", "default": "AC_H2_MFI"}} if OF_A_VARIABLE in steps else {}
    return {"id": "patterns", "variables": declared, "steps": list(steps)}


@in_one_test(
    ("steps", "code"),
    [
        ([FETCH, figure(2, ["X*"])], "HR203"),
        ([FETCH, figure(2, ["AC*", "X*"])], "HR203"),
        ([FETCH, plot(2, ["X*"])], "HR203"),
        ([FETCH, plot(2, ["AC*"], panels=[["X*"]])], "HR203"),
        ([FETCH, save(2, ["X*"])], "HR203"),
        ([FETCH, code(2, ["X*"], "C"), figure(3, ["C"])], "HR203"),
        ([FETCH, figure(2, ["AC_H2_MFI.BGSEc.*"])], "HR203"),
        ([DAILY, figure(2, ["X_*"])], "HR203"),
        ([DAILY, figure(2, ["*_X"])], None),  # an item may end in it
        ([FETCH, magnitude(2, "X*"), figure(3, ["size"])], "HR203"),
        ([FETCH, magnitude(2, "AC*"), figure(3, ["size"])], "HR203"),
        ([FETCH, code(2, ["C*"], "C"), figure(3, ["C"])], "HR402"),
        ([FETCH, code(2, ["*"], "AC"), figure(3, ["AC"])], "HR402"),
        ([FETCH, code(2, ["D*"], "C"), code(3, ["C"], "D1"), figure(4, ["C"])], "HR402"),
        ([FETCH, code(2, ["D*"], "C"), code(3, ["AC*"], "D1"), figure(4, ["C"])], None),
        ([FETCH, figure(2, ["AC*"])], None),
        ([DAILY, figure(2, ["B_*"])], None),
    ],
)
def test_a_pattern_that_can_match_nothing_fails_in_check(steps: list[Step], code: str | None) -> None:
    found = check(template(*steps), now=NOW)
    assert [error.code for error in found.errors] == ([code] if code else [])


def test_a_pattern_over_the_items_of_its_own_map_is_a_cycle() -> None:
    args = {"source_labels": ["C*"], "pandas_code": "result = df", "output_label": "C_$N"}
    mapped = {"step_id": 2, "tool_name": "custom_operation", "tool_args": args}
    mapped["for_each"] = {"as": "$N", "over": ["a", "b"]}
    found = check(template(FETCH, mapped, figure(3, ["C*"])), now=NOW)
    assert "HR402" in [error.code for error in found.errors]


def test_a_pattern_finds_the_label_that_a_variable_gives_in_a_run() -> None:
    made = make_plan(template(OF_A_VARIABLE, figure(2, ["AC*"])), now=NOW, archive="cdaweb")
    assert made.steps[1].reads == {"tables": ("AC_H2_MFI.BGSEc",)}
    assert made.steps[1].depends_on == (1,)


@pytest.mark.parametrize("labels", [["X*"], ["AC*", "X*"]])
def test_a_pattern_that_matches_nothing_in_this_run_is_refused(labels: list[str]) -> None:
    with pytest.raises(InvalidTemplate) as refused:
        make_plan(template(OF_A_VARIABLE, figure(2, labels)), now=NOW, archive="cdaweb")
    assert [finding.code for finding in refused.value.diagnostics if finding.severity == "error"] == ["HR203"]
    assert "'X*'" in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("*", "anything", True),
        ("B_*", "B_*", True),
        ("*.mag", "A.*", True),
        ("X*", "B_*", False),
        ("*.mag", "*.x", False),
        ("A", "A", True),
        ("A[1]*", "A[1]b", True),
    ],
)
def test_patterns_overlap_where_their_ends_agree(one: str, other: str, together: bool) -> None:
    assert overlap(one, other) is together
    assert overlap(other, one) is together
