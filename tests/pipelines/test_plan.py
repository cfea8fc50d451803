"""From a template to a plan: what is derived, what is bound, what is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
from datetime import datetime
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.pipelines.plan import Plan, check, make_plan
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import check_shape, read_template
from tests.laws import law
from tests.rows import in_one_test

from .conftest import NOW, fetch, magnitude, render, template

SEED_EXAMPLE = """
{
  "id": "ace-bfield-overview",
  "name": "ACE B-field Overview",
  "description": "Fetch ACE mag data, compute magnitude, two-panel plot",
  "variables": {"$TIME_RANGE": {"type": "time_range", "default": "last 7 days"}},
  "steps": [
    {"step_id": 1, "tool_name": "fetch_data",
     "tool_args": {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"},
     "intent": "Fetch ACE magnetic field vector in GSE", "produces": ["AC_H2_MFI.BGSEc"],
     "depends_on": [], "critical": true},
    {"step_id": 2, "tool_name": "custom_operation",
     "tool_args": {"source_labels": ["AC_H2_MFI.BGSEc"], "pandas_code": "...", "output_label": "ACE_Bmag"},
     "intent": "Compute scalar magnetic field magnitude", "produces": ["ACE_Bmag"],
     "depends_on": [1], "critical": true},
    {"step_id": 3, "tool_name": "plot_data",
     "tool_args": {"labels": "AC_H2_MFI.BGSEc,ACE_Bmag", "panels": [["AC_H2_MFI.BGSEc"], ["ACE_Bmag"]]},
     "intent": "Two-panel plot: vector components on top, magnitude on bottom",
     "depends_on": [1, 2], "critical": false},
    {"step_id": 4, "tool_name": "style_plot",
     "tool_args": {"y_label": {"1": "B (nT)", "2": "|B| (nT)"}, "trace_colors": {"ACE_Bmag": "black"}},
     "intent": "Label axes, color magnitude black", "depends_on": [3], "critical": false}
  ]
}
"""


def refused(document: dict[str, Any], **how: Any) -> list[tuple[str, str]]:
    """Codes and paths of the errors that keep a template from becoming a plan."""
    with pytest.raises(InvalidTemplate) as caught:
        make_plan(document, now=NOW, archive="sample", **how)
    return [
        (finding.code, finding.path) for finding in caught.value.diagnostics if finding.severity == "error"
    ]


def test_the_printed_example_becomes_fetch_compute_and_one_render():
    found = check(read_template(SEED_EXAMPLE), now=NOW)
    # Its code is three dots: that is all there is to say.
    assert [finding.code for finding in found.diagnostics] == ["HV602"]
    assert [(step["step_id"], step["tool_name"]) for step in found.plan["steps"]] == [
        (1, "fetch_data"),
        (2, "custom_operation"),
        (3, "render_spec"),
    ]
    assert found.plan["steps"][2]["tool_args"]["spec"] == {
        "labels": ["AC_H2_MFI.BGSEc", "ACE_Bmag"],
        "panels": [["AC_H2_MFI.BGSEc"], ["ACE_Bmag"]],
        "y_label": {"1": "B (nT)", "2": "|B| (nT)"},
        "trace_colors": {"ACE_Bmag": "black"},
    }
    assert found.plan["steps"][2]["depends_on"] == [1, 2]


def test_with_a_named_operation_in_the_place_of_code_the_example_is_a_plan():
    document = read_template(SEED_EXAMPLE)
    document["steps"][1]["tool_name"] = "magnitude"
    document["steps"][1]["tool_args"] = {"source_label": "AC_H2_MFI.BGSEc", "output_label": "ACE_Bmag"}
    plan = make_plan(document, now=NOW, archive="sample")
    assert [step.tool_name for step in plan.steps] == ["fetch_data", "magnitude", "render_spec"]
    assert plan.steps[0].args["time_range"] == "2024-03-24 to 2024-03-31"
    assert plan.steps[2].args["time_range"] == "2024-03-24 to 2024-03-31"
    assert plan.steps[2].reads == {"tables": ("AC_H2_MFI.BGSEc", "ACE_Bmag")}
    assert plan.values == {"$TIME_RANGE": "2024-03-24 to 2024-03-31"}


def test_dependencies_and_order_come_from_the_labels():
    plan = make_plan(
        template(render(3, ("B", "AC_H2_MFI.BGSEc.Bx")), magnitude(2), fetch(1)), now=NOW, archive="sample"
    )
    assert [step.step_id for step in plan.steps] == [1, 2, 3]
    assert [step.depends_on for step in plan.steps] == [(), (1,), (2, 1)]
    assert plan.owners["AC_H2_MFI.BGSEc.Bx"] == "AC_H2_MFI.BGSEc"


def test_replaying_the_edits_gives_the_normalised_plan():
    document = read_template(SEED_EXAMPLE)
    found = check(document, now=NOW)
    operations = [operation for edit in found.edits for operation in edit.operations]
    assert jsonpatch.JsonPatch(operations).apply(document) == found.plan
    assert document == read_template(SEED_EXAMPLE)  # and what was authored is as it was


def test_a_normalised_plan_has_nothing_left_to_edit():
    once = check(template(fetch(), magnitude(), render()), now=NOW)
    assert check(once.plan, now=NOW).edits == ()


@in_one_test(
    ("document", "expected"),
    [
        (template(fetch(args={"time_rnge": "2024"})), [("HN503", "/steps/0/tool_args/time_rnge")]),
        (
            template({"step_id": 2, "tool_name": "magnitude", "tool_args": {"output_lable": "B"}}),
            [("HN504", "/steps/0/tool_args/output_lable")],
        ),
        (template(fetch(args={"frobnicate": 1})), [("HN503", "/steps/0/tool_args/frobnicate")]),
        (template(fetch(args={"dataset_id": 5})), [("HV101", "/steps/0/tool_args/dataset_id")]),
        (
            template({"step_id": 1, "tool_name": "fetch_dta", "tool_args": {}}),
            [("HN402", "/steps/0/tool_name")],
        ),
        (
            template(
                {
                    "step_id": 1,
                    "tool_name": "fetch_data",
                    "tool_args": {"parameter_id": "Y", "time_range": "2024"},
                }
            ),
            [("HN506", "/steps/0/tool_args/dataset_id")],
        ),
        (
            template(
                {
                    "step_id": 1,
                    "tool_name": "fetch_data",
                    "tool_args": {"dataset_id": "X", "time_range": "2024"},
                }
            ),
            [("HN506", "/steps/0/tool_args/parameter_id")],
        ),
        (template(fetch(args={"time_range": "$TIMERANGE"})), [("HN602", "/steps/0/tool_args/time_range")]),
        (template(fetch(args={"time_range": "maybe 2024"})), [("HN702", "/steps/0/tool_args/time_range")]),
        (
            template(fetch(args={"time_range": "2024-01-20 to 2024-01-15"})),
            [("HN703", "/steps/0/tool_args/time_range")],
        ),
        (template(fetch(), magnitude(1)), [("HN303", "/steps/1/step_id")]),
        (template(fetch(1), fetch("1", args={"parameter_id": "x"})), [("HN303", "/steps/1/step_id")]),
        (
            template(fetch(), fetch(2, args={"time_range": "2024"})),
            [("HR103", "/steps/1/tool_args")],
        ),
        (template(fetch(produces=["B"])), [("HR102", "/steps/0/produces")]),
        (
            template(fetch(), magnitude(source="AC_H2_MFI.BGSE")),
            [("HR203", "/steps/1/tool_args/source_label")],
        ),
        (template(fetch(), magnitude(depends_on=[7])), [("HR303", "/steps/1/depends_on/0")]),
        (
            template(fetch(), magnitude(2, "C", "B"), magnitude(3, "B", "C")),
            [("HR402", "/steps/1/depends_on")],
        ),
        (template(fetch(), magnitude(2, "B", "B")), [("HR402", "/steps/1/tool_args")]),
        (template(fetch(1, depends_on=[2]), magnitude(2)), [("HR402", "/steps/0/depends_on")]),
        (template(fetch(critical="perhaps")), [("HV101", "/steps/0/critical")]),
        (template(fetch(for_each={"as": "$X"})), [("HV101", "/steps/0/for_each/over")]),
        (
            template(fetch(), render(3, ("AC_H2_MFI.BGSEc",), colour="red")),
            [("HO401", "/steps/1/tool_args/spec/colour")],
        ),
        (template(render(3, ())), [("HG102", "/steps/0/tool_args/spec/labels")]),
        (template(fetch(), variables={"$T": {"type": "time_range", "default": "soon"}}), None),
        (
            template(fetch(), variables={"$TIME_RANGE": {"type": "time"}}),
            [("HV101", "/variables/$TIME_RANGE/type")],
        ),
        (template(fetch(), variables={"TIME_RANGE": {"type": "time_range"}}), None),
        (
            template(fetch(), variables={"$TIME_RANGE": {"type": "time_range"}}),
            [("HB202", "/variables/$TIME_RANGE")],
        ),
        (
            template(
                fetch(),
                variables={
                    "$TIME_RANGE": {"type": "time_range", "default": "2024"},
                    "$N": {"type": "integer", "default": "x"},
                },
            ),
            [("HV101", "/variables/$N/default")],
        ),
        (
            template({"step_id": "../../x", "tool_name": "fetch_data", "tool_args": {}}),
            [("HV101", "/steps/0/step_id")],
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_place(document: dict[str, Any], expected: list[tuple[str, str]] | None):
    found = refused(document)
    if expected is not None:
        assert found == expected


@pytest.mark.parametrize(
    ("labels", "advice"),
    [
        (["STATION.Bx"], "use one of these labels: STATION.Bz"),
        (["STATION.B7"], "use one of these labels: STATION.Bz"),
        (["STATION.Bz", "STATION.Bzz"], "use one of these labels: STATION.Bz"),
        (["STATOIN.Bz"], "did you mean 'STATION.Bz'?"),
    ],
)
def test_no_other_component_is_proposed_for_a_label(labels: list[str], advice: str):
    args = {"dataset_id": "STATION", "parameter_id": "Bz", "time_range": "2024-05-10"}
    station = {"step_id": 1, "tool_name": "fetch_data", "tool_args": args}
    errors = check(template(station, render(2, tuple(labels))), now=NOW).errors
    [found] = [error for error in errors if error.code == "HR203"]
    assert found.advice == (advice,)
    assert bool(found.fixes) == advice.startswith("did you mean")


def test_paths_are_those_of_the_document_as_it_was_written():
    # The style is written first and lowered away; the fetch stands last and is moved to the front.
    style = {
        "step_id": 4,
        "tool_name": "style_plot",
        "tool_args": {"title": "x", "colour": 1},
        "depends_on": [3],
    }
    plot = {"step_id": 3, "tool_name": "plot_data", "tool_args": {"labels": ["AC_H2_MFI.BGSEc"]}}
    assert refused(template(style, plot, fetch(1))) == [("HO401", "/steps/0/tool_args/colour")]


@pytest.mark.parametrize("key", ["titel", "sparkle"])
@pytest.mark.parametrize("tool_name", ["plot_data", "style_plot", "render_spec"])
def test_a_key_that_a_figure_does_not_know_is_refused_with_the_near_one_or_all(tool_name: str, key: str):
    figure = render(2, ("AC_H2_MFI.BGSEc",))
    if tool_name == "render_spec":
        figure["tool_args"]["spec"][key] = 1
        steps = [fetch(), figure]
    elif tool_name == "plot_data":
        args = {"labels": ["AC_H2_MFI.BGSEc"], key: "x"}
        steps = [fetch(), {"step_id": 2, "tool_name": tool_name, "tool_args": args}]
    else:
        steps = [fetch(), figure, {"step_id": 3, "tool_name": tool_name, "tool_args": {key: "x"}}]
    [found] = check(template(*steps), now=NOW).errors
    text = str(found)
    assert found.code == "HO401"
    if key == "titel":
        assert "did you mean 'title'?" in text.lower()
        assert "y_label" not in text
    else:
        assert "title" in text.partition("keys of a figure")[2]
        assert "y_label" in text


def test_a_misspelt_variable_on_the_command_line_is_an_error_not_the_default():
    assert refused(template(fetch()), values={"TIMERANGE": "2024"}) == [("HB203", "")]


def test_a_value_of_the_wrong_type_is_refused():
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": "2024"},
        "$N": {"type": "integer", "default": 3},
    }
    assert refused(template(fetch(), variables=variables), values={"N": "three"}) == [
        ("HB204", "/variables/$N")
    ]


def test_a_shorter_variable_is_not_found_in_a_longer_one():
    variables = {
        "$TIME": {"type": "time_range", "default": "2024-01-01"},
        "$TIME_RANGE": {"type": "time_range", "default": "2024-02-01"},
    }
    plan = make_plan(
        template(fetch(), fetch(2, args={"parameter_id": "x", "time_range": "$TIME"}), variables=variables),
        now=NOW,
        archive="sample",
    )
    assert [step.args["time_range"] for step in plan.steps[:2]] == [
        "2024-02-01 to 2024-02-02",
        "2024-01-01 to 2024-01-02",
    ]


def test_variables_stand_in_labels_and_never_in_words():
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": "2024-01-10"},
        "$DATASET": {"type": "dataset", "default": "AC_H2_MFI"},
    }
    plan = make_plan(
        template(
            fetch(args={"dataset_id": "$DATASET"}),
            magnitude(2, "$DATASET.BGSEc", "$DATASET.B"),
            render(3, ("$DATASET.B",), title="cost: $DATASET and $\\beta$"),
            variables=variables,
        ),
        now=NOW,
        archive="sample",
        values={"DATASET": "AC_H0_MFI"},
    )
    assert plan.steps[0].produces == ("AC_H0_MFI.BGSEc",)
    assert plan.steps[1].reads == {"vector": ("AC_H0_MFI.BGSEc",)}
    assert plan.steps[2].depends_on == (2,)
    assert plan.steps[2].args["spec"] == {"labels": ["AC_H0_MFI.B"], "title": "cost: $DATASET and $\\beta$"}


def test_a_typed_value_keeps_its_type():
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": "2024-01-10"},
        "$LOW": {"type": "number", "default": 1.5},
        "$LOG": {"type": "boolean", "default": False},
    }
    spec = {"z_min": "$LOW", "log_z": "$LOG"}
    plan = make_plan(
        template(fetch(), render(3, ("AC_H2_MFI.BGSEc",), **spec), variables=variables),
        now=NOW,
        archive="sample",
        values={"$LOG": "true"},
    )
    assert plan.steps[1].args["spec"] == {"labels": ["AC_H2_MFI.BGSEc"], "z_min": 1.5, "log_z": True}


def test_time_range_sets_the_only_time_variable():
    variables = {"$EVENT": {"type": "time_range", "required": True}}
    plan = make_plan(
        template(fetch(args={"time_range": "$EVENT"}), variables=variables),
        now=NOW,
        archive="sample",
        time_range="2024-01-10",
    )
    assert plan.values == {"$EVENT": "2024-01-10 to 2024-01-11"}


def test_time_range_is_refused_where_two_variables_could_be_meant():
    variables = {
        "$EVENT": {"type": "time_range", "default": "2024"},
        "$QUIET": {"type": "time_range", "default": "2023"},
    }
    document = template(fetch(args={"time_range": "$EVENT"}), variables=variables)
    assert refused(document, time_range="2024-01-10") == [("HB203", "")]


def test_nobody_is_named_to_serve_the_data():
    with pytest.raises(InvalidTemplate, match="HS101"):
        make_plan(template(fetch()), now=NOW)
    assert make_plan(template(fetch(args={"provider": "sample"})), now=NOW).steps


def test_a_relative_range_is_resolved_against_the_runs_one_clock():
    document = template(
        fetch(args={"time_range": "last 2 days"}),
        fetch(2, args={"parameter_id": "x", "time_range": "last 2 days"}),
    )
    plan = make_plan(document, now=datetime(2024, 1, 1, 23, 59, 59), archive="sample")
    assert {step.args["time_range"] for step in plan.steps} == {"2023-12-30 to 2024-01-01"}


def test_styles_merge_deeply_wherever_they_stand():
    plot = {
        "step_id": 2,
        "tool_name": "plot_data",
        "tool_args": {"labels": ["AC_H2_MFI.BGSEc"], "title": "old"},
    }
    first = {
        "step_id": 3,
        "tool_name": "style_plot",
        "tool_args": {"y_label": {"1": "a", "2": "b"}, "title": "new"},
    }
    later = {"step_id": 5, "tool_name": "style_plot", "tool_args": {"y_label": {"1": "c"}}, "depends_on": [3]}
    found = check(template(first, fetch(), plot, later), now=NOW)
    assert found.errors == ()
    assert found.plan["steps"][1]["tool_args"]["spec"] == {
        "labels": ["AC_H2_MFI.BGSEc"],
        "title": "new",
        "y_label": {"1": "c", "2": "b"},
    }
    assert [step["step_id"] for step in found.plan["steps"]] == [1, 2]


def test_a_style_that_could_mean_two_figures_is_refused():
    plots = [
        {"step_id": n, "tool_name": "plot_data", "tool_args": {"labels": ["AC_H2_MFI.BGSEc"]}} for n in (2, 3)
    ]
    style = {"step_id": 4, "tool_name": "style_plot", "tool_args": {"title": "x"}}
    [found] = check(template(fetch(), *plots, style), now=NOW).errors
    assert (found.code, found.candidates) == ("HR702", (2, 3))


def test_what_depended_on_a_style_depends_on_its_figure():
    plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["AC_H2_MFI.BGSEc"]}}
    style = {"step_id": 3, "tool_name": "style_plot", "tool_args": {"title": "x"}, "depends_on": [2]}
    last = magnitude(4, depends_on=[3])
    found = check(template(fetch(), plot, style, last), now=NOW)
    assert found.plan["steps"][2]["depends_on"] == [1, 2]


def test_an_unknown_key_is_kept_aside_and_said():
    found = check(template(fetch(colour="red")), now=NOW)
    told = [(finding.code, finding.severity) for finding in found.diagnostics if finding.severity != "info"]
    assert told == [("HN101", "warning")]
    assert found.plan["steps"][0]["annotations"] == {"unknown": {"colour": "red"}}


def test_labels_of_panels_are_added_to_the_figure():
    found = check(
        template(fetch(), magnitude(), render(3, ("B",), panels=[["B"], ["AC_H2_MFI.BGSEc"]])), now=NOW
    )
    assert found.plan["steps"][2]["tool_args"]["spec"]["labels"] == ["B", "AC_H2_MFI.BGSEc"]
    assert found.plan["steps"][2]["depends_on"] == [1, 2]


def test_two_exports_to_one_file_are_refused():
    saves = [
        {
            "step_id": n,
            "tool_name": "save_data",
            "tool_args": {"source_label": "AC_H2_MFI.BGSEc", "filename": name},
        }
        for n, name in ((2, "b"), (3, "b.csv"))
    ]
    assert refused(template(fetch(), *saves)) == [("HV104", "/steps/2/tool_args/filename")]


def test_nobody_makes_a_plan_but_make_plan():
    plan = make_plan(template(fetch()), now=NOW, archive="sample")
    with pytest.raises(TypeError, match="verifies"):
        dataclasses.replace(plan, steps=(), verified=True)
    with pytest.raises((TypeError, ValueError)):
        dataclasses.replace(plan, steps=())
    assert isinstance(plan, Plan)


# Anything at all in the place of anything at all.
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.just("$TIME_RANGE"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PLACES = [
    (),
    ("variables",),
    ("variables", "$TIME_RANGE"),
    ("variables", "$TIME_RANGE", "type"),
    ("steps",),
    ("steps", 1),
    ("steps", 0, "step_id"),
    ("steps", 0, "tool_name"),
    ("steps", 0, "tool_args"),
    ("steps", 0, "tool_args", "parameters"),
    ("steps", 0, "tool_args", "time_range"),
    ("steps", 1, "tool_args", "source_label"),
    ("steps", 1, "produces"),
    ("steps", 1, "depends_on"),
    ("steps", 2, "tool_args", "spec"),
    ("steps", 2, "tool_args", "spec", "panels"),
    ("steps", 2, "tool_args", "spec", "log_y"),
    ("annotations",),
]


@pytest.mark.slow
@law(120, 6000)
@given(st.sampled_from(PLACES), JSON)
def test_any_value_anywhere_gives_a_plan_or_diagnostics(place: tuple[str | int, ...], value: Any):
    document: Any = copy.deepcopy(template(fetch(), magnitude(), render()))
    if place:
        owner = document
        for part in place[:-1]:
            owner = owner[part]
        owner[place[-1]] = value
    else:
        document = value
    if check_shape(document) is not None:
        return
    before = json.dumps(document)
    found = check(document, now=NOW)
    assert json.dumps(document) == before
    if not found.errors:
        try:
            assert make_plan(document, now=NOW, archive="sample").steps
        except InvalidTemplate as refusal:
            assert refusal.diagnostics


def test_a_plan_says_once_that_a_map_is_empty() -> None:
    step = {
        "step_id": 2,
        "critical": False,
        "tool_name": "running_average",
        "for_each": {"as": "$W", "over": []},
        "tool_args": {"source_label": "AC_H2_MFI.BGSEc", "window": "$W", "output_label": "slow-$W"},
    }
    plan = make_plan(
        template(fetch(args={"provider": "cdaweb"}), step, render(labels=("AC_H2_MFI.BGSEc",))), now=NOW
    )
    assert [warning.code for warning in plan.warnings].count("HB402") == 1


@in_one_test(
    ("changes", "advice"),
    [
        ({"variables": {"$A": {"type": "duraton"}}}, "did you mean 'duration'?"),
        ({"steps": [{"step_id": 1, "tool_args": {}}]}, "write one of these keys: tool_name, use, block"),
        (
            {"steps": [fetch(for_each={"as": "$D", "over": ["a"], "zzz": 1})]},
            "write one of these keys: as, over",
        ),
        ({"steps": [fetch(for_each={"as": "$D", "ovver": ["a"]})]}, "did you mean 'over'?"),
    ],
)
def test_a_wrong_structure_is_refused_with_what_to_write(changes: dict[str, Any], advice: str) -> None:
    refused = [
        error for error in check(template(fetch(), **changes), now=NOW).errors if error.code == "HV101"
    ]
    assert advice in [text for error in refused for text in error.advice]


def test_json_with_a_mistake_is_refused_with_where_to_look() -> None:
    with pytest.raises(InvalidTemplate) as refused:
        read_template('{"id": "a",\n "steps": [{"step_id": "x" "tool_name": "fetch_data"}]}')
    [found] = refused.value.diagnostics
    assert "line 2, column 28" in found.message
    assert "a missing comma" in found.advice[0]
