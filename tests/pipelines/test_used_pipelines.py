"""Saved pipelines that a step uses: their figures, and templates that are not in their one spelling."""

from __future__ import annotations

from typing import Any

from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.library import Library
from helio.pipelines.plan import check

from .conftest import NOW, fetch, template

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
    assert [one.code for one in found] == ["HR702"]


def test_a_used_pipeline_need_not_be_in_its_one_spelling() -> None:
    sloppy = {
        "steps": [{"id": "1", "tool": "Fetch-Data", "args": {"dataset": "AC_H2_MFI", "param": "BGSEc"}}]
    }
    found = check(template({"step_id": 1, "use": "sloppy"}), now=NOW, pipelines={"sloppy": sloppy})
    assert found.errors == ()
    [step] = [one for one in found.plan["steps"] if one["tool_name"] == "fetch_data"]
    assert step["step_id"] == "1.1"
    assert step["tool_args"]["dataset_id"] == "AC_H2_MFI"
    assert sloppy["steps"][0]["tool"] == "Fetch-Data"


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
    assert [one.path for one in found] == ["/steps/0/use"]
    assert found[0].code != "HI002"
