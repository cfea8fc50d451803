"""What is said of arguments that are missing or do not fit."""

from datetime import datetime

import pytest

from helio.pipelines.dialect.spell_values import spell_values
from helio.pipelines.passes.check_tools import check_tools
from helio.pipelines.template.context import Context
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures

CONTEXT = Context(signatures(), datetime(2024, 1, 1), {})


def plan(tool, **args):
    return {"steps": [{"step_id": 1, "tool_name": tool, "tool_args": args}]}


def only(tool, **args):
    [found] = check_tools(Template.from_json(plan(tool, **args)), CONTEXT)
    return found


def test_a_missing_limit_is_said_with_what_it_is_for():
    found = only("align", series_label="a", onto_label="b", output_label="c")
    assert (found.code, found.message) == ("HN506", "'limit' is missing")
    [advice] = found.advice
    assert advice.startswith(
        "limit: The longest step between two samples across which a value is interpolated"
    )


def test_a_missing_label_is_said_with_the_quantity_and_its_unit():
    found = only("alfven_speed", field_label="b", output_label="c")
    [advice] = found.advice
    assert advice == "density_label: Protons per volume, cm^-3, on the epochs of field"


def test_each_of_two_arguments_of_which_one_is_missing_is_explained():
    found = only("ballistic_shift", series_label="a", velocity_label="v", to_x=0, output_label="c")
    assert found.message == "'position_label' or 'from_x' is missing"
    assert [one.partition(":")[0] for one in found.advice] == ["position_label", "from_x"]


@pytest.mark.parametrize("window", [-3, 60, True, ["3min"]])
def test_a_number_is_no_length_of_time(window):
    found = only("running_average", source_label="b", window=window, output_label="c")
    assert found.code == "HV101"
    assert found.message.endswith("is not a length of time")
    assert found.advice == ("set 'window' to a value such as \"3min\"",)


@pytest.mark.parametrize(
    ("coverage", "message"),
    [
        (90, "90 is not a share from 0 to 1: write 0.9 for 90 %"),
        (-0.1, "-0.1 is not a share from 0 to 1"),
        (900, "900 is not a share from 0 to 1"),
    ],
)
def test_a_share_is_a_number_from_0_to_1(coverage, message):
    span = "2024-01-10 to 2024-01-11"
    found = only("expect", source_label="b", time_range=span, coverage=coverage, output_label="c")
    assert (found.code, found.message) == ("HV101", message)


def test_a_choice_that_is_near_none_is_said_with_all_of_them():
    found = only("arithmetic", left_label="a", right_label="b", operation="power", output_label="c")
    assert found.message == '"power" is not one of add, subtract, multiply, divide'
    assert found.advice == ('set \'operation\' to "add", "subtract", "multiply" or "divide"',)


def test_a_choice_that_is_near_one_is_said_with_that_one():
    found = only("arithmetic", left_label="a", right_label="b", operation="subtrct", output_label="c")
    assert found.advice == ("did you mean 'subtract'?",)


@pytest.mark.parametrize(
    ("sign", "meant"),
    [("=", "equals"), ("==", "equals"), ("!=", "not"), ("≠", "not"), ("≥", ">="), (" ≤ ", "<=")],
)
def test_signs_of_a_comparison_are_read_as_what_they_say(sign, meant):
    [edit] = spell_values(plan("mask", source_label="b", where=sign, value=3, output_label="c"), CONTEXT)
    assert edit.code == "HN505"
    assert edit.operations[-1]["value"] == meant


def test_a_sign_that_says_no_comparison_stays_and_is_refused():
    written = plan("mask", source_label="b", where="=>", value=3, output_label="c")
    assert not list(spell_values(written, CONTEXT))
    [found] = check_tools(Template.from_json(written), CONTEXT)
    assert found.code == "HV101"
