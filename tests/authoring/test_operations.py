"""Operations change the steps that they name, and nothing else."""

import json
from copy import deepcopy

import pytest

from helio.authoring.operations import Operation, OperationError, apply, touched
from tests.rows import in_one_test

TEMPLATE = {
    "id": "mine",
    "name": "Mine",
    "steps": [
        {"step_id": 1, "tool_name": "fetch_data", "tool_args": {"dataset_id": "D", "parameter_id": "B"}},
        {
            "step_id": "size",
            "tool_name": "magnitude",
            "tool_args": {"source_label": "D.B", "output_label": "size"},
            "depends_on": [1],
        },
        {
            "step_id": 3,
            "tool_name": "render_spec",
            "tool_args": {"spec": {"labels": ["D.B", "size"], "panels": [["D.B"], ["size"]]}},
            "depends_on": [1, "size"],
        },
        {
            "step_id": 4,
            "tool_name": "style_plot",
            "tool_args": {"trace_colors": {"size": "black", "D.B.x": "red"}},
            "depends_on": [3],
        },
    ],
}


def done(*operations):
    before = deepcopy(TEMPLATE)
    after = apply(TEMPLATE, operations)
    assert before == TEMPLATE
    return after


def step(template, name):
    return next(one for one in template["steps"] if one["step_id"] == name)


def test_a_place_of_a_step_gets_another_value_and_all_others_stay():
    after = done(Operation("set", "4", ("tool_args", "trace_colors", "size"), "red"))
    assert step(after, 4)["tool_args"]["trace_colors"] == {"size": "red", "D.B.x": "red"}
    assert touched(TEMPLATE, after) == (4,)
    assert [json.dumps(one) for one in after["steps"][:3]] == [
        json.dumps(one) for one in TEMPLATE["steps"][:3]
    ]


def test_a_style_still_rests_on_its_figure_and_a_changed_source_is_derived_anew():
    styled = done(Operation("set", "4", ("tool_args", "title"), "t"))
    assert step(styled, 4)["depends_on"] == [3]
    assert "depends_on" not in step(
        done(Operation("set", "size", ("tool_args", "source_label"), "b")), "size"
    )


def test_what_is_on_the_way_is_made():
    after = done(Operation("set", "3", ("tool_args", "spec", "y_label", "1"), "B (nT)"))
    assert step(after, 3)["tool_args"]["spec"]["y_label"] == {"1": "B (nT)"}


def test_an_item_of_a_list_is_set_or_put_behind_the_last():
    after = done(
        Operation("set", "3", ("tool_args", "spec", "panels", "1"), ["D.B.x"]),
        Operation("set", "3", ("tool_args", "spec", "panels", "-"), ["size"]),
    )
    assert step(after, 3)["tool_args"]["spec"]["panels"] == [["D.B"], ["D.B.x"], ["size"]]


def test_a_place_is_taken_away():
    after = done(
        Operation("unset", "4", ("tool_args", "trace_colors", "size")),
        Operation("unset", "3", ("tool_args", "spec", "panels", "0")),
    )
    assert step(after, 4)["tool_args"]["trace_colors"] == {"D.B.x": "red"}
    assert step(after, 3)["tool_args"]["spec"]["panels"] == [["size"]]


def test_a_step_is_added_behind_another():
    new = {"step_id": "s", "tool_name": "running_average", "tool_args": {}}
    assert [one["step_id"] for one in done(Operation("add", value=new, after="size"))["steps"]] == [
        1,
        "size",
        "s",
        3,
        4,
    ]
    assert done(Operation("add", value=new))["steps"][-1] == new


def test_a_removed_step_is_forgotten_by_those_that_rested_on_it():
    after = done(Operation("remove", "size"))
    assert [one["step_id"] for one in after["steps"]] == [1, 3, 4]
    assert step(after, 3)["depends_on"] == [1]


def test_rewiring_reaches_labels_panels_components_and_styles():
    after = done(
        Operation("rewire", "3", old="size", new="smooth"), Operation("rewire", "3", old="D.B", new="b")
    )
    assert step(after, 3)["tool_args"]["spec"] == {"labels": ["b", "smooth"], "panels": [["b"], ["smooth"]]}
    assert "depends_on" not in step(after, 3)
    assert touched(TEMPLATE, after) == (3,)


def test_rewiring_a_figure_takes_its_colours_along():
    template = deepcopy(TEMPLATE)
    template["steps"][2]["tool_args"]["spec"]["trace_colors"] = {"D.B.x": "red", "size": "black"}
    after = apply(template, [Operation("rewire", "3", old="D.B", new="b")])
    assert step(after, 3)["tool_args"]["spec"]["trace_colors"] == {"b.x": "red", "size": "black"}


def test_a_style_that_names_lines_is_rewired_and_stays_with_its_figure():
    after = done(Operation("rewire", "4", old="size", new="smooth"))
    assert step(after, 4)["tool_args"]["trace_colors"] == {"smooth": "black", "D.B.x": "red"}
    assert step(after, 4)["depends_on"] == [3]


def test_steps_of_a_block_are_named_like_all_others():
    block = [{"step_id": "inner", "tool_name": "magnitude", "tool_args": {"source_label": "a"}}]
    template = {"id": "m", "steps": [{"step_id": "loop", "for_each": {}, "block": block}]}
    after = apply(template, [Operation("set", "inner", ("tool_args", "source_label"), "b")])
    assert after["steps"][0]["block"][0]["tool_args"] == {"source_label": "b"}
    assert touched(template, after) == ("loop",)


@in_one_test(
    ("operation", "words"),
    [
        (Operation("set", "5", ("intent",), "x"), "no step is called '5'"),
        (Operation("set", "siez", ("intent",), "x"), "no step is called 'siez'"),
        (Operation("set", "4", ("step_id",), 9), "an edit may not change"),
        (Operation("set", "", ("id",), "other"), "an edit may not change"),
        (Operation("set", "", ("steps",), []), "an edit may not change"),
        (Operation("unset", "4", ("tool_args", "title")), "has nothing at 'tool_args/title'"),
        (Operation("set", "3", ("tool_args", "spec", "panels", "7"), []), "there is no list item at"),
        (Operation("remove", "9"), "no step is called '9'"),
        (Operation("add", value={"step_id": 1, "tool_name": "magnitude"}), "a step 1 exists already"),
        (Operation("add", value={"tool_name": "magnitude"}), "needs step_id"),
        (Operation("rewire", "size", old="other", new="x"), "does not read other"),
        (Operation("rewire", "size", old="D.B"), "needs two labels"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(operation, words):
    with pytest.raises(OperationError, match=words):
        apply(TEMPLATE, [operation])


def test_a_refused_operation_says_what_there_is():
    with pytest.raises(OperationError) as raised:
        apply(TEMPLATE, [Operation("rewire", "size", old="other", new="x")])
    assert raised.value.advice == "use a label that the step reads: D.B"
