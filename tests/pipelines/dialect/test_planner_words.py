"""Words of planners and models: other names for arguments, results by number, items of loops."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from helio.pipelines.dialect.parse import parse
from helio.pipelines.dialect.synonyms import AMONG_ARGUMENTS, argument_spellings, fold, key_spellings
from helio.pipelines.plan import check
from helio.pipelines.template.context import Dataset
from helio.steps.signature import signatures
from tests.pipelines.conftest import NOW, fetch, render, template
from tests.rows import in_one_test

CATALOGUE = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3})}
LABELS = ("label", "name", "save_as", "result", "alias", "store_as", "as")


def average(**args: Any) -> dict[str, Any]:
    known = {"source_label": "AC_H2_MFI.Magnitude", "window": "5min", "output_label": "B"} | args
    named = {name: value for name, value in known.items() if value is not None}
    return {"step_id": 2, "tool_name": "running_average", "tool_args": named}


def scalar(**args: Any) -> dict[str, Any]:
    step = fetch(args={"parameter_id": "Magnitude", "time_range": "2024-01-10", **args})
    step["tool_args"] = {name: value for name, value in step["tool_args"].items() if value is not None}
    return step


def plan_of(*steps: dict[str, Any]) -> list[dict[str, Any]]:
    found = check(template(*steps, render(labels=("B",)), variables={}), now=NOW, catalogue=CATALOGUE)
    assert found.errors == ()
    steps_of_plan: list[dict[str, Any]] = found.plan["steps"]
    return steps_of_plan


@pytest.mark.parametrize("word", LABELS)
def test_a_word_for_a_label_names_what_a_step_gives(word: str) -> None:
    assert plan_of(scalar(**{word: "B"}))[0]["tool_args"]["output_label"] == "B"
    step = average(output_label=None, **{word: "B"})
    assert plan_of(scalar(), step)[1]["tool_args"]["output_label"] == "B"


@pytest.mark.parametrize(
    ("argument", "word"),
    [
        *(("source_label", word) for word in ("data", "data_label", "series")),
        *(("window", word) for word in ("period", "duration", "width")),
    ],
)
def test_a_word_for_an_argument_of_a_computation(argument: str, word: str) -> None:
    value = average()["tool_args"][argument]
    [_, step, _] = plan_of(scalar(), average(**{argument: None, word: value}))
    assert step["tool_args"][argument] == value


@pytest.mark.parametrize(
    ("argument", "word"),
    [*(("dataset_id", word) for word in ("ds", "id", "product")), ("parameter_id", "var")],
)
def test_a_word_for_an_argument_of_a_fetch(argument: str, word: str) -> None:
    value = scalar()["tool_args"][argument]
    step = scalar(**{argument: None, word: value, "output_label": "B"})
    assert plan_of(step)[0]["tool_args"][argument] == value


def test_no_word_stands_for_an_argument_where_the_tool_has_one_of_that_name() -> None:
    for signature in signatures().values():
        spellings = argument_spellings(signature)
        for argument in signature.arguments:
            assert spellings[fold(argument.name)] == argument.name


def test_a_length_is_a_window_only_where_a_tool_takes_no_other_length() -> None:
    known = signatures()
    assert argument_spellings(known["running_median"])["duration"] == "window"
    assert "duration" not in argument_spellings(known["power_spectrum"])
    assert "duration" not in argument_spellings(known["compute_spectrogram"])


@in_one_test("word", AMONG_ARGUMENTS.split())
def test_a_word_with_another_meaning_beside_the_tool_is_no_argument_there(word: str) -> None:
    assert word not in key_spellings(signatures()["fetch_data"])
    assert word not in key_spellings(signatures()["running_average"])


def test_the_name_of_a_step_is_no_label() -> None:
    step = {
        "tool": "fetch_data",
        "dataset": "AC_H2_MFI",
        "parameter": "Magnitude",
        "time_range": "2024-01-10",
    }
    [fetched, *_] = plan_of({**step, "name": "Get the field"}, {**average(), "step_id": 7})
    assert "output_label" not in fetched["tool_args"]


RESULTS = (
    "result_of_phase_1",
    "<result of step 1>",
    "{result_of_step_1}",
    "{{ result_of_task_1 }}",
    "step_1.output",
)


@pytest.mark.parametrize("written", RESULTS)
def test_a_result_by_number_is_the_label_of_its_step(written: str) -> None:
    step = {**average(source_label=written), "depends_on": []}
    assert plan_of(scalar(), step)[1]["tool_args"]["source_label"] == "AC_H2_MFI.Magnitude"


@pytest.mark.parametrize("written", ["<result of step 1>", "$step_1", "{{step 1}}", "result_of_phase_1"])
def test_a_dependency_by_number_is_its_step(written: str) -> None:
    assert plan_of(scalar(), {**average(), "depends_on": [written]})[1]["depends_on"] == [1]


def codes_of(*steps: dict[str, Any]) -> set[str]:
    return {
        error.code for error in check(template(*steps, variables={}), now=NOW, catalogue=CATALOGUE).errors
    }


def test_a_result_by_number_is_refused_where_a_step_gives_two_tables_or_none() -> None:
    two = scalar(parameter_id=None, parameters=["Magnitude", "BGSEc"])
    assert "HR203" in codes_of(two, average(source_label="result_of_phase_1"))
    assert "HR203" in codes_of(scalar(), average(source_label="result_of_phase_9"))


def test_a_label_that_reads_like_a_result_is_itself() -> None:
    first = scalar(output_label="result_of_step_2")
    assert plan_of(first, average(source_label="result_of_step_2"))[1]["tool_args"]["source_label"] == (
        "result_of_step_2"
    )


@pytest.mark.parametrize(
    "written", ["{loop_item}", "{{ loop_item }}", "$LOOP_ITEM", "<item>", "$item", "$ITEM"]
)
def test_the_item_of_a_loop_has_the_names_of_planners(written: str) -> None:
    step = {**scalar(dataset_id=written), "loop_over": ["AC_H2_MFI"]}
    found = check(template(step, variables={}), now=NOW, catalogue=CATALOGUE)
    assert {error.code for error in found.errors} == set()
    assert "HX205" in {edit.code for edit in found.edits}


def test_an_item_without_a_loop_is_no_variable() -> None:
    assert "HN702" in codes_of(scalar(time_range="{loop_item}"))


TASKS = [
    {"description": "Fetch", "instruction": "Fetch the field of ACE for last week."},
    {"description": "Plot", "instruction": "plot it's size"},
]


@pytest.mark.parametrize("written", [TASKS, {"plan": {"steps": TASKS}}, {"tasks": TASKS}])
def test_tasks_in_words_are_sent_to_the_author(written: Any) -> None:
    [error] = parse(written).errors
    assert (error.code, error.path) == ("HP003", "/steps")
    [advice] = error.advice
    command = advice.removeprefix("let helio write the steps: ")
    assert shlex.split(command) == [
        "helio", "author", "Fetch the field of ACE for last week. plot it's size.",
    ]  # fmt: skip


def test_an_instruction_beside_a_tool_stays_its_intent() -> None:
    [step, *_] = plan_of({**scalar(), "instruction": "Fetch the field"}, average())
    assert step["intent"] == "Fetch the field"
