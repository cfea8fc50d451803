"""Values that the author of a template wrote are said to be so, with everything that rests on them."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.context import Dataset
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template

CATALOGUE = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
LITERALS = "result = pd.Series([5.0, 6.0], index=pd.to_datetime(['2024-01-10', '2024-01-11']))"


def written(step_id: int | str = 2, label: str = "limit", code: str = LITERALS) -> dict[str, Any]:
    args = {"pandas_code": code, "output_label": label}
    return {"step_id": step_id, "tool_name": "store_dataframe", "tool_args": args}


def coded(code: str, *sources: str, step_id: int | str = 2, label: str = "limit") -> dict[str, Any]:
    args = {"source_labels": list(sources or ["AC_H2_MFI.BGSEc"]), "pandas_code": code, "output_label": label}
    return {"step_id": step_id, "tool_name": "custom_operation", "tool_args": args}


def said(*steps: dict[str, Any]) -> list[tuple[str, Any]]:
    found = check(template(*steps), now=NOW, catalogue=CATALOGUE)
    assert not found.errors, [str(diagnostic) for diagnostic in found.errors]
    return [
        (diagnostic.code, diagnostic.step_id)
        for diagnostic in found.diagnostics
        if diagnostic.code in ("HV604", "HV605")
    ]


def test_measured_data_are_not_marked() -> None:
    assert said(fetch(), magnitude(), render()) == []
    assert said(fetch(), coded("result = df.rolling('10min').mean()"), render(labels=("limit",))) == []


def test_a_table_that_is_written_out_is_marked_with_what_draws_it() -> None:
    assert said(written(), render(labels=("limit",))) == [("HV604", 2), ("HV604", 3)]


@pytest.mark.parametrize(
    "code",
    [
        "result = pd.Series(np.ones(len(df)), index=df.index)",
        "result = df * 0 + 5",
        "result = pd.DataFrame(np.full(df.shape, 3), index=df.index)",
        "rng = np.random.default_rng(1)\nresult = pd.Series(rng.normal(size=len(df)), index=df.index)",
    ],
)
def test_code_without_the_values_of_its_table_is_marked(code: str) -> None:
    assert said(fetch(), coded(code), render(labels=("limit",))) == [("HV604", 2), ("HV604", 3)]


def test_what_is_in_doubt_is_marked_as_such() -> None:
    found = said(fetch(), coded("result = df.fillna(0)"), render(labels=("limit",)))
    assert found == [("HV605", 2), ("HV605", 3)]


def test_everything_derived_is_marked() -> None:
    mean = {"step_id": 4, "tool_name": "running_average"}
    mean["tool_args"] = {"source_label": "limit", "window": "1h", "output_label": "mean"}
    both = {"step_id": 5, "tool_name": "arithmetic"}
    both["tool_args"] = {
        "left_label": "B",
        "right_label": "mean",
        "operation": "subtract",
        "output_label": "d",
    }
    save = {
        "step_id": 6,
        "tool_name": "save_data",
        "tool_args": {"source_labels": ["d"], "filename": "d.csv"},
    }
    found = said(fetch(), magnitude(), written(3), mean, both, save, render(7, labels=("B",)))
    assert found == [("HV604", 3), ("HV604", 4), ("HV604", 5), ("HV604", 6)]


def test_a_figure_that_draws_all_draws_them() -> None:
    figure = {"step_id": 9, "tool_name": "plot_data", "tool_args": {}}
    assert said(fetch(), written(), figure) == [("HV604", 2), ("HV604", 9)]


def test_only_the_table_that_is_used_counts() -> None:
    sources = ("AC_H2_MFI.BGSEc", "limit")
    both = coded("result = df_BGSEc - df_limit.iloc[0]", *sources, step_id=3, label="out")
    assert ("HV604", 3) in said(fetch(), written(), both, render(4, labels=("out",)))
    one = coded("result = df_BGSEc * 2", *sources, step_id=3, label="out")
    assert ("HV604", 3) not in said(fetch(), written(), one, render(4, labels=("out",)))
    other = coded("result = df_BGSEc * 0 + df_limit.iloc[0]", *sources, step_id=3, label="out")
    [planned] = [
        step
        for step in make_plan(
            template(fetch(), written(), other, render(4, labels=("out",))), now=NOW, catalogue=CATALOGUE
        ).steps
        if step.step_id == 3
    ]
    assert planned.not_measured == ("limit",)


def test_the_footer_of_a_figure_names_the_values_that_were_not_measured() -> None:
    """Seven tables of the author are five names and a number; a figure of fetched data alone says nothing."""
    many = [written(step_id, label=f"w{step_id}") for step_id in range(11, 18)]
    figures = [
        render(2, labels=("AC_H2_MFI.BGSEc",)),
        render(3, labels=("AC_H2_MFI.BGSEc", "w11")),
        render(4, labels=tuple(f"w{step_id}" for step_id in range(11, 18))),
    ]
    planned = make_plan(template(fetch(), *many, *figures), now=NOW, catalogue=CATALOGUE)
    captions = {step.step_id: step.args.get("caption", "") for step in planned.steps}
    assert "not measured" not in captions[2]
    assert captions[3].endswith(" · not measured: w11")
    assert captions[4].endswith(" · not measured: w11, w12, w13, w14, w15 and 2 more")


def test_a_table_minus_itself_is_nothing_that_was_measured() -> None:
    one = {"step_id": 2, "tool_name": "arithmetic"}
    one["tool_args"] = {
        "left_label": "AC_H2_MFI.BGSEc",
        "right_label": "AC_H2_MFI.BGSEc",
        "operation": "subtract",
    }
    one["tool_args"]["output_label"] = "zero"
    assert ("HV604", 2) in said(fetch(), one, render(labels=("zero",)))


def test_items_of_a_map_are_marked() -> None:
    step = coded("result = df * 0 + 5", "AC_H2_MFI.BGSEc.$C", label="five_$C")
    step["for_each"] = {"as": "$C", "over": ["x", "y"]}
    document = template(fetch(), step, render(3, labels=("five_*",)))
    found = check(document, now=NOW, catalogue=CATALOGUE)
    assert [diagnostic.step_id for diagnostic in found.diagnostics if diagnostic.code == "HV604"] == [2, 3]
    planned = make_plan(document, now=NOW, catalogue=CATALOGUE)
    marked = {str(step.step_id): step.not_measured for step in planned.steps}
    assert marked["2[x]"] == ("five_x",)
    assert marked["3"] == ("five_x", "five_y")
    assert marked["1"] == ()


def test_a_pipeline_that_is_used_is_looked_into() -> None:
    inner = template(written(1), id="inner", variables={})
    document = {"id": "outer", "steps": [{"step_id": 1, "use": "inner"}]}
    found = check(document, now=NOW, catalogue=CATALOGUE, pipelines={"inner": inner})
    assert "HV604" in {diagnostic.code for diagnostic in found.diagnostics}
