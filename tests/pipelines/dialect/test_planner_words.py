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


def test_a_reference_in_an_object_is_read_as_a_text() -> None:
    step = {**average(source_label={"source": "result_of_phase_1", "key": "data"}), "depends_on": []}
    assert plan_of(scalar(), step)[1]["tool_args"]["source_label"] == "AC_H2_MFI.Magnitude"
    looped = {**scalar(dataset_id={"source": "loop_item", "key": "id"}), "loop_over": ["AC_H2_MFI"]}
    assert check(template(looped, variables={}), now=NOW, catalogue=CATALOGUE).errors == ()


def test_the_results_of_a_loop_are_all_its_labels_and_its_type_says_nothing_more() -> None:
    days = ["2024-01-10", "2024-01-11"]
    looped = {
        **scalar(time_range="{loop_item}", output_label="B_{loop_item}"),
        "loop_over": days,
        "type": "loop",
    }
    figure = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": "result_of_phase_1"}}
    found = check(template(looped, figure, variables={}), now=NOW, catalogue=CATALOGUE)
    assert found.errors == ()
    assert "HN101" not in {edit.code for edit in found.edits}
    smoothed = average(source_label="result_of_phase_1", output_label="S_{loop_item}")
    each = {**smoothed, "loop_over": days}
    last = {**figure, "step_id": 3, "tool_args": {"labels": "result_of_phase_2"}}
    found = check(template(looped, each, last, variables={}), now=NOW, catalogue=CATALOGUE)
    assert found.errors == ()
    assert "S_*" in str(found.edits)


@pytest.mark.parametrize(
    ("tool", "advice"),
    [
        ("TDA_CurrentDate", '"time_range": "last 3 days"'),
        ("TDA_LLMTask", "helio edit"),
        ("tda_final_report", "helio show RUN"),
        ("search_datasets", "helio datasets search"),
        ("delegate_to_mission", "helio chat"),
    ],
)
def test_a_tool_of_planners_is_refused_with_what_to_do_instead(tool: str, advice: str) -> None:
    step = {"step_id": 2, "tool_name": tool, "tool_args": {}}
    [error] = check(template(scalar(), step, variables={}), now=NOW, catalogue=CATALOGUE).errors
    assert error.code == "HN402"
    assert advice in error.advice[0]


def test_a_task_is_sent_with_its_mission_if_its_words_do_not_name_it() -> None:
    tasks = [
        {"instruction": "Fetch the field for last week", "mission": "ACE"},
        {"instruction": "Fetch Wind field for last week", "mission": "WIND"},
        {"instruction": "Compute magnitude", "mission": "__data_ops__"},
        {"instruction": "Plot them", "mission": "null"},
    ]
    [error] = parse({"status": "continue", "tasks": tasks}).errors
    assert error.advice[0].endswith(
        "helio author 'ACE: Fetch the field for last week. Fetch Wind field for last week. Compute magnitude. "
        "Plot them.'"
    )


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
