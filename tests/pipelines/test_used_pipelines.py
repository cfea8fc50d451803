"""Saved pipelines that a step uses: their figures, and templates that are not in their one spelling."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.library import Library
from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.diagnostics import Diagnostic

from .conftest import NOW, fetch, magnitude, template

FIGURE = template(
    fetch(1), {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["AC_H2_MFI.BGSEc"]}}
)


def errors(document: dict[str, Any], pipelines: Any) -> list[Diagnostic]:
    return list(check(document, now=NOW, pipelines=pipelines).errors)


def test_a_style_may_belong_to_a_figure_of_a_used_pipeline() -> None:
    style = {"step_id": 2, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [1]}
    found = check(template({"step_id": 1, "use": "fig"}, style), now=NOW, pipelines={"fig": FIGURE})
    assert found.errors == ()
    assert found.plan["steps"][-1]["tool_args"]["spec"]["title"] == "x"


def test_an_export_may_belong_to_a_figure_of_a_used_pipeline_without_saying_so() -> None:
    export = {
        "step_id": 2,
        "tool_name": "manage_plot",
        "tool_args": {"action": "export", "filename": "a.png"},
    }
    found = check(template({"step_id": 1, "use": "fig"}, export), now=NOW, pipelines={"fig": FIGURE})
    assert found.errors == ()
    assert found.plan["steps"][-1]["depends_on"] == ["1.2"]


def test_a_style_is_refused_where_the_used_pipeline_draws_nothing() -> None:
    style = {"step_id": 2, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [1]}
    found = errors(template({"step_id": 1, "use": "data"}, style), {"data": template(fetch(1))})
    assert [finding.code for finding in found] == ["HR702"]


def test_a_used_pipeline_need_not_be_in_its_one_spelling() -> None:
    sloppy = {
        "steps": [{"id": "1", "tool": "Fetch-Data", "args": {"dataset": "AC_H2_MFI", "param": "BGSEc"}}]
    }
    found = check(template({"step_id": 1, "use": "sloppy"}), now=NOW, pipelines={"sloppy": sloppy})
    assert found.errors == ()
    [step] = [step for step in found.plan["steps"] if step["tool_name"] == "fetch_data"]
    assert step["step_id"] == "1.1"
    assert step["tool_args"]["dataset_id"] == "AC_H2_MFI"
    assert sloppy["steps"][0]["tool"] == "Fetch-Data"


@pytest.mark.parametrize("panels", [{}, {"panels": [["AC_H2_MFI.BGSEc"], ["B"], ["AC_H0_MFI.BGSEc"]]}])
def test_the_labels_of_a_used_pipeline_may_be_a_text(panels: dict[str, Any]) -> None:
    spec = {"labels": "B", **panels}
    drawn = {"step_id": 4, "tool_name": "render_spec", "tool_args": {"spec": spec}}
    other = fetch(3, args={"dataset_id": "AC_H0_MFI"})
    figure = template(fetch(1), magnitude(2), other, drawn)
    found = check(template({"step_id": 1, "use": "fig"}), now=NOW, pipelines={"fig": figure})
    assert found.errors == ()
    labels = found.plan["steps"][-1]["tool_args"]["spec"]["labels"]
    assert labels == (["B", "AC_H2_MFI.BGSEc", "AC_H0_MFI.BGSEc"] if panels else ["B"])


def test_labels_of_a_used_pipeline_that_are_no_labels_are_refused() -> None:
    drawn = {"step_id": 2, "tool_name": "render_spec", "tool_args": {"spec": {"labels": 3}}}
    found = errors(template({"step_id": 1, "use": "fig"}), {"fig": template(fetch(1), drawn)})
    assert [(error.code, error.message) for error in found] == [("HV101", "3 is not a list")]


def test_what_is_wrong_in_a_used_pipeline_is_said_where_it_is_used() -> None:
    wrong = template(
        {"step_id": 1, "tool_name": "fetch_dta", "tool_args": {"labels": 3}, "depends_on": "x y"}
    )
    [found] = errors(template(fetch(1), {"step_id": 2, "use": "wrong"}), {"wrong": wrong})
    assert found.path == "/steps/1/use"
    assert "in the pipeline wrong, at /steps/0" in found.message


def test_a_used_pipeline_that_cannot_be_read_is_said_where_it_is_used(tmp_path: Any) -> None:
    (tmp_path / "torn.json").write_text('{"steps": [', encoding="utf-8")
    found = errors(template({"step_id": 1, "use": "torn"}), Library(tmp_path).templates())
    assert [finding.path for finding in found] == ["/steps/0/use"]
    assert found[0].code != "HI002"


# In maps -------------------------------------------------------------------------------------------------------

DAYS = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
MAG = template(
    fetch(1, args={"parameters": ["BGSEc", "Magnitude"], "parameter_id": None}),
    {
        "step_id": 2,
        "tool_name": "custom_operation",
        "tool_args": {
            "source_labels": ["AC_H2_MFI.BGSEc"],
            "pandas_code": "result = df_BGSEc",
            "output_label": "B",
        },
    },
    {"step_id": 3, "tool_name": "plot_data", "tool_args": {"labels": ["B", "AC_H2_MFI.Magnitude"]}},
    {"step_id": 4, "tool_name": "save_data", "tool_args": {"source_labels": ["B"], "filename": "b.csv"}},
    id="mag",
)
TWO_DAYS = {"$TIME_RANGE": {"type": "time_range", "default": "2024-01-10 to 2024-01-12"}}


def bound(document: dict[str, Any], **pipelines: Any) -> Any:
    return make_plan(document, now=NOW, archive="sample", pipelines=pipelines)


def produced(plan: Any) -> list[str]:
    return sorted(label for step in plan.steps for label in step.produces)


@pytest.mark.parametrize("inside", [False, True])
def test_a_pipeline_may_be_used_for_each_item(inside: bool) -> None:
    call: dict[str, Any] = {"step_id": "m", "use": "mag", "with": {"TIME_RANGE": "$DAY"}}
    mapped = {"step_id": "each", "for_each": DAYS, "block": [call]} if inside else {**call, "for_each": DAYS}
    plan = bound(template(mapped, variables=TWO_DAYS), mag=MAG)
    days = ("2024-01-10", "2024-01-11")
    assert produced(plan) == sorted(
        f"{label}[{day}]" for label in ("AC_H2_MFI.BGSEc", "AC_H2_MFI.Magnitude", "B") for day in days
    )
    ranges = {step.args["time_range"] for step in plan.steps if step.tool_name == "fetch_data"}
    assert ranges == {"2024-01-10 to 2024-01-11", "2024-01-11 to 2024-01-12"}
    names = [step.args["filename"] for step in plan.steps if step.tool_name == "save_data"]
    assert names == [f"b-{day}.csv" for day in days]
    assert {item.name for step in plan.steps for item in step.items} == set(days)


def test_what_every_item_gives_may_be_read_together() -> None:
    call = {"step_id": "m", "use": "mag", "with": {"TIME_RANGE": "$DAY"}, "for_each": DAYS}
    figure = {"step_id": "all", "tool_name": "plot_data", "tool_args": {"labels": ["B[*]"]}}
    plan = bound(template(call, figure, variables=TWO_DAYS), mag=MAG)
    [drawn] = [step for step in plan.steps if step.step_id == "all"]
    assert drawn.args["spec"]["labels"] == ["B[2024-01-10]", "B[2024-01-11]"]


def test_a_pipeline_that_uses_another_one_may_be_mapped() -> None:
    outer = template({"step_id": 1, "use": "mag", "with": {"TIME_RANGE": "$TIME_RANGE"}}, id="outer")
    block = template({"step_id": 1, "for_each": {"as": "$P", "over": ["x", "y"]}, "block": [
        {"step_id": "a", "use": "mag"}]}, id="block")  # fmt: skip
    call = {"step_id": "m", "use": "outer", "with": {"TIME_RANGE": "$DAY"}, "for_each": DAYS}
    assert "B[2024-01-11]" in produced(bound(template(call, variables=TWO_DAYS), mag=MAG, outer=outer))
    call = {**call, "use": "block"}
    labels = produced(bound(template(call, variables=TWO_DAYS), mag=MAG, block=block))
    assert [label for label in labels if label.startswith("B")] == [
        "B[2024-01-10][x]", "B[2024-01-10][y]", "B[2024-01-11][x]", "B[2024-01-11][y]"
    ]  # fmt: skip


@pytest.mark.parametrize("declared", [False, True])
def test_a_used_pipeline_may_have_a_map_of_its_own_over_the_same_variable(declared: bool) -> None:
    hours = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "12h"}}
    step = fetch(1, args={"time_range": "$DAY", "output_label": "b-$DAY"})
    variables: dict[str, Any] = {"$TIME_RANGE": {"type": "time_range", "required": True}}
    if declared:
        variables["$DAY"] = {"type": "interval", "of": "$TIME_RANGE", "step": "12h"}
    else:
        step["for_each"] = hours
    parts = {"id": "parts", "variables": variables, "steps": [step]}
    call = {"step_id": "m", "use": "parts", "with": {"TIME_RANGE": "$DAY"}, "for_each": DAYS}
    plan = bound(template(call, variables=TWO_DAYS), parts=parts)
    assert produced(plan) == [
        "b-2024-01-10T12:00[2024-01-10]", "b-2024-01-10[2024-01-10]",
        "b-2024-01-11T12:00[2024-01-11]", "b-2024-01-11[2024-01-11]",
    ]  # fmt: skip
    assert [item.name for item in plan.steps[1].items] == ["2024-01-10", "2024-01-10T12:00"]


@pytest.mark.parametrize("used", ["itself", "loop"])
def test_a_pipeline_in_a_map_that_uses_itself_is_refused(used: str) -> None:
    call = {"step_id": 1, "for_each": DAYS, "block": [{"step_id": "a", "use": used}]}
    loop = template({**call, "block": [{"step_id": "a", "use": "loop"}]}, id="loop")
    [found] = errors(template(call, id="itself"), {"loop": loop, "itself": template(call, id="itself")})
    assert (found.code, found.path) == ("HX102", "/steps/0/block/0/use")
    assert f"{used} -> {used}" in found.message


def test_a_pipeline_that_is_not_known_is_said_where_the_block_calls_it() -> None:
    call = {"step_id": 1, "for_each": DAYS, "block": [fetch("f"), {"step_id": "a", "use": "nope"}]}
    [found] = errors(template(call), {"mag": MAG})
    assert (found.code, found.path) == ("HX103", "/steps/0/block/1/use")


def test_a_step_of_the_block_may_go_on_from_the_pipeline_it_uses() -> None:
    call = {"step_id": "a", "use": "mag", "with": {"TIME_RANGE": "$DAY"}}
    after = magnitude("b", "B[$DAY]", "M[$DAY]", depends_on=["a"])
    plan = bound(
        template({"step_id": 1, "for_each": DAYS, "block": [call, after]}, variables=TWO_DAYS), mag=MAG
    )
    [last] = [step for step in plan.steps if step.produces == ("M[2024-01-11]",)]
    assert "1[2024-01-11].a.2" in last.depends_on
    assert not any("2024-01-10" in str(needed_id) for needed_id in last.depends_on)


def test_a_star_in_a_used_pipeline_means_the_items_of_its_own_call() -> None:
    hours = {"as": "$PART", "over": {"intervals": "$TIME_RANGE", "step": "12h"}}
    step = fetch(1, args={"time_range": "$PART", "output_label": "b-$PART"}, for_each=hours)
    drawn = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["b-*"]}}
    variables = {"$TIME_RANGE": {"type": "time_range", "required": True}}
    parts = {"id": "parts", "variables": variables, "steps": [step, drawn]}
    call = {"step_id": "m", "use": "parts", "with": {"TIME_RANGE": "$DAY"}, "for_each": DAYS}
    plan = bound(template(call, variables=TWO_DAYS), parts=parts)
    labels = [step.args["spec"]["labels"] for step in plan.steps if step.tool_name == "render_spec"]
    assert labels == [[f"b-{day}[{day}]", f"b-{day}T12:00[{day}]"] for day in ("2024-01-10", "2024-01-11")]


def test_an_interval_of_a_used_pipeline_is_no_value_to_give() -> None:
    day = {"type": "interval", "of": "$TIME_RANGE", "step": "1d"}
    variables = {"$TIME_RANGE": {"type": "time_range", "required": True}, "$DAY": day}
    parts = {"id": "parts", "variables": variables, "steps": [fetch(1, args={"time_range": "$DAY"})]}
    call = {"step_id": "m", "use": "parts", "with": {"DAY": "2024-01-10"}}
    [found] = errors(template(call), {"parts": parts})
    assert (found.code, found.path) == ("HX103", "/steps/0/with/DAY")
