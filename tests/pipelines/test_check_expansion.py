"""Maps that a run could not expand are refused before it."""

from __future__ import annotations

from typing import Any

from helio.pipelines.plan import check, make_plan

from .conftest import NOW, fetch, magnitude, template

EACH = {"as": "$DS", "over": ["AC_H2_MFI", "AC_H0_MFI"]}


def mapped(step: dict[str, Any], each: dict[str, Any] = EACH, **changes: Any) -> dict[str, Any]:
    return {**step, "for_each": each, **changes}


def errors(*steps: dict[str, Any]) -> list[tuple[str, str]]:
    return [(error.code, error.path) for error in check(template(*steps), now=NOW).errors]


def test_items_that_share_a_label_are_refused() -> None:
    step = mapped(fetch(args={"dataset_id": "$DS", "output_label": "B"}))
    assert errors(step) == [("HR103", "/steps/0/tool_args")]


def test_of_days_nothing_is_said_before_the_run_says_which() -> None:
    days = {"as": "$DAY", "over": {"intervals": "2024-01-10 to 2024-01-12", "step": "1d"}}
    step = mapped(fetch(args={"time_range": "$DAY", "output_label": "B"}), days, collect="list")
    assert errors(step) == []


def test_an_item_that_gives_another_steps_label_is_refused() -> None:
    step = mapped(magnitude(2, "$DS.BGSEc", "$DS.mag"), depends_on=[1])
    other = magnitude(3, "AC_H2_MFI.BGSEc", "AC_H2_MFI.mag")
    other["tool_name"] = "running_average"
    other["tool_args"]["window"] = "1h"
    get = mapped(fetch(1, args={"dataset_id": "$DS"}))
    assert [code for code, _ in errors(get, step, other)] == ["HR103"]
    assert errors(get, step) == []


def test_an_item_that_does_another_steps_work_is_no_conflict() -> None:
    steps = mapped(fetch(1, args={"dataset_id": "$DS"})), fetch(2)
    assert errors(*steps) == []
    assert make_plan(template(*steps), now=NOW, archive="sample").steps


def test_more_items_than_the_policy_allows_are_refused() -> None:
    many = {"as": "$DS", "over": [f"D{number}" for number in range(1001)]}
    found = check(template(mapped(fetch(args={"dataset_id": "$DS"}), many)), now=NOW).errors
    assert [(finding.code, finding.path) for finding in found] == [("HX303", "/steps/0/for_each/over")]
    assert "1001" in found[0].message


def test_intervals_of_no_length_are_refused_and_not_asked_for_at_once() -> None:
    days = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "banana"}}
    assert errors(mapped(fetch(args={"time_range": "$DAY"}), days)) == [
        ("HV101", "/steps/0/for_each/over/step")
    ]
