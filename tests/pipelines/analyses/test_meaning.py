"""Signatures: what changes them, what does not, and that safe edits never do."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.pipelines.analyses.meaning import equal_work, meaning
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.runner import replay, undo
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures
from tests.laws import law
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template
from tests.rows import in_one_test

pytestmark = pytest.mark.slow

CATALOGUE = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}
CONTEXT = Context(signatures(), NOW, {}, catalogue=CATALOGUE)
EACH = {"as": "$DS", "over": ["AC_H2_MFI", "AC_H0_MFI"]}


def of(*steps: dict[str, Any], **changes: Any) -> dict[str, str]:
    return meaning(Template.from_json(template(*steps, **changes)), CONTEXT)


def test_ids_intents_and_order_change_nothing():
    one = of(fetch(1), magnitude(2))
    other = of(magnitude("m", intent="why"), fetch("f", critical=False))
    assert one == other


@pytest.mark.parametrize(
    "changes",
    [
        {"args": {"parameter_id": "Magnitude"}},
        {"args": {"dataset_id": "AC_H0_MFI"}},
        {"args": {"provider": "sample"}},
        {"args": {"time_range": "2024-01-11"}},
    ],
)
def test_other_data_mean_something_else(changes: dict[str, Any]):
    assert set(of(fetch()).values()).isdisjoint(of(fetch(**changes)).values())


def test_a_literal_means_the_variable_whose_default_it_is():
    assert of(fetch(args={"time_range": "2024-010"})) == of(fetch(args={"time_range": "$TIME_RANGE"}))


def test_equal_in_every_run_is_more_than_equal_by_default():
    variables = {name: {"type": "time_range", "default": "2024-01-10"} for name in ("$A", "$B")}
    steps = (
        fetch(1, args={"time_range": "$A"}),
        fetch(2, args={"time_range": "$B", "output_label": "other"}),
    )
    by_default = of(*steps, variables=variables)
    assert by_default["AC_H2_MFI.BGSEc"] == by_default["other"]
    always = equal_work(Template.from_json(template(*steps, variables=variables)), CONTEXT)
    assert always["AC_H2_MFI.BGSEc"] != always["other"]


def test_merged_fetches_mean_what_separate_ones_do():
    merged = fetch(1, args={"parameters": ["Magnitude", "BGSEc"]})
    del merged["tool_args"]["parameter_id"]
    assert of(merged) == of(fetch(1), fetch(2, args={"parameter_id": "Magnitude"}))


def test_code_means_its_syntax_tree():
    def code(text: str) -> dict[str, str]:
        args = {"source_labels": ["AC_H2_MFI.BGSEc"], "pandas_code": text, "output_label": "B"}
        return of(fetch(), {"step_id": 2, "tool_name": "custom_operation", "tool_args": args})

    assert code("result = df.abs()") == code("result=df.abs()   # magnitude")
    assert code("result = df.abs()") != code("result = df")


def test_a_plot_and_its_styles_mean_the_render():
    plot = {"step_id": 3, "tool_name": "plot_data", "tool_args": {"labels": "AC_H2_MFI.BGSEc,B"}}
    style = {"step_id": 4, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [3]}
    one = of(fetch(), magnitude(), plot, style)
    assert one == of(fetch(), magnitude(), render(3, ("AC_H2_MFI.BGSEc", "B"), title="x"))
    assert one["figure 3"] != of(fetch(), magnitude(), render(3, ("AC_H2_MFI.BGSEc", "B")))["figure 3"]


def test_a_table_that_is_left_out_is_part_of_what_is_meant():
    def pressure(**more: str) -> dict[str, str]:
        args = {"density_label": "n", "velocity_label": "v", "output_label": "p", **more}
        sources = [
            fetch(name, args={"parameter_id": "Magnitude", "output_label": name, "time_range": day})
            for name, day in (("n", "2024-01-10"), ("v", "2024-01-11"), ("a", "2024-01-12"))
        ]
        return of(*sources, {"step_id": "p", "tool_name": "dynamic_pressure", "tool_args": args})

    assert "p" in pressure()
    assert pressure()["p"] not in ("", pressure(alpha_ratio_label="a")["p"])


def test_a_map_means_its_items():
    mapped = of(fetch(args={"dataset_id": "$DS"}, for_each=EACH))
    assert mapped == of(fetch(), fetch(2, args={"dataset_id": "AC_H0_MFI"}))


def test_days_of_a_range_mean_the_range():
    day = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
    assert of(fetch(args={"time_range": "$DAY"}, for_each=day)) == of(fetch())
    assert of(fetch(args={"time_range": "$DAY"}, for_each=day, collect="list")) != of(fetch())


@in_one_test(
    "step",
    [
        {"step_id": 1, "tool_name": "nobody", "tool_args": {}},
        {"step_id": 1, "use": "other"},
        {"step_id": 1, "tool_name": "fetch_data", "tool_args": {"dataset_id": "A", "parameter_id": "b"}},
        fetch(args={"frobnicate": 3}),
        fetch(args={"time_range": "maybe 2024"}),
        fetch(args={"dataset_id": "{{DS}}"}),
        magnitude(1, "nobody.gives"),
        magnitude(1, "B", "B"),
        render(1, ()),
    ],
)
def test_what_is_not_understood_has_no_signature(step: dict[str, Any]):
    assert of(step) == {}


def test_long_chains_are_read_without_recursion():
    steps = [fetch(0, args={"output_label": "x0"})]
    steps += [magnitude(n, f"x{n - 1}", f"x{n}") for n in range(1, 3000)]
    assert len(of(*steps[::-1])) == 3000


# Plans as models and people write them: loops, styles, repeated work, steps in any order.
LABELS = (
    "AC_H2_MFI.BGSEc",
    "AC_H2_MFI.Magnitude",
    "AC_H0_MFI.BGSEc",
    "a",
    "b",
    "c",
    "*",
    "$DS.BGSEc",
    "$DS-m",
)
OPTIONAL_KEYS = st.fixed_dictionaries(
    {},
    optional={
        "depends_on": st.lists(st.integers(1, 6), max_size=2),
        "critical": st.booleans(),
        "for_each": st.sampled_from(
            [
                EACH,
                {"as": "$DS", "over": []},
                {"as": "$DS", "over": ["AC_H2_MFI", "AC_H2_MFI"]},
                {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}},
                {"as": "$C", "over": {"components_of": "AC_H2_MFI.BGSEc"}},
            ]
        ),
        "collect": st.sampled_from(["list", "concat"]),
    },
)
TOOL_CALLS = st.one_of(
    st.fixed_dictionaries(
        {
            "dataset_id": st.sampled_from(["AC_H2_MFI", "AC_H0_MFI", "$DS"]),
            "parameter_id": st.sampled_from(["BGSEc", "Magnitude"]),
            "time_range": st.sampled_from(["$TIME_RANGE", "$DAY", "2024-01-10", "last 3 days"]),
        },
        optional={"output_label": st.sampled_from(["a", "b", "$DS-m"])},
    ).map(lambda args: {"tool_name": "fetch_data", "tool_args": args}),
    st.fixed_dictionaries(
        {"source_label": st.sampled_from(LABELS), "output_label": st.sampled_from(["a", "b", "c", "$DS-m"])}
    ).map(lambda args: {"tool_name": "magnitude", "tool_args": args}),
    st.lists(st.sampled_from(LABELS), max_size=3).map(
        lambda labels: {"tool_name": "render_spec", "tool_args": {"spec": {"labels": labels}}}
    ),
    st.lists(st.sampled_from(LABELS), max_size=3).map(
        lambda labels: {"tool_name": "plot_data", "tool_args": {"labels": labels, "panels": [labels]}}
    ),
    st.just({"tool_name": "style_plot", "tool_args": {"title": "x"}}),
    st.just({"use": "saved"}),
    st.just({"tool_name": "fetch_data", "tool_args": {"parameter_id": "BGSEc"}, "loop_over": ["AC_H2_MFI"]}),
)
SAVED = {
    "id": "saved",
    "variables": {},
    "steps": [fetch(1, args={"time_range": "2024"}), magnitude(2, label="a")],
}


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    calls = draw(st.lists(st.tuples(TOOL_CALLS, OPTIONAL_KEYS), min_size=1, max_size=6))
    steps = [{"step_id": n, **copy.deepcopy(call), **extra} for n, (call, extra) in enumerate(calls, 1)]
    return template(*steps)


@law(80, 8_000)
@given(plans(), st.sampled_from(["safe", "repair"]))
def test_the_laws_hold_for_any_plan(plan: dict[str, Any], mode: Any):
    context = Context(signatures(), NOW, {}, catalogue=CATALOGUE, pipelines={"saved": SAVED})
    before = copy.deepcopy(plan)
    found = normalise(plan, context, mode=mode)
    assert plan == before
    assert not {diagnostic.code for diagnostic in found.diagnostics} & {"HI001", "HI002"}, found.diagnostics
    assert replay(plan, found.edits) == found.plan
    assert undo(found.plan, found.edits) == plan
    if found.errors:
        return
    again = normalise(found.plan, context, mode=mode)
    assert [edit.code for edit in again.edits] == []
    if all(edit.kind == "safe" for edit in found.edits):
        signs, after = (meaning(Template.from_json(state), context) for state in (plan, found.plan))
        assert {label: after.get(label) for label in signs} == signs
