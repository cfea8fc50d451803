"""The checks of the benchmark take every template that means what was asked, and none that means something else."""

import doctest
import json
from copy import deepcopy
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from benchmarks.authoring import checks, graph
from benchmarks.authoring.checks import check_template, found, judge, matches, quantities
from benchmarks.authoring.graph import read_graph
from benchmarks.authoring.run import Bench, main, put
from benchmarks.authoring.scripted import good_scripts
from benchmarks.authoring.tasks import NOW, read_tasks
from helio.authoring.gate import GateResult
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import Attribution, AuthorQuestion, AuthorReply, NotUnderstood, TemplateDraft
from helio.errors import QuotaExhausted
from helio.knowledge.catalogue import Catalogue

TASKS = {one.id: one for one in read_tasks()}
BY = Attribution("a test")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("home"))


def right(name):
    """The template of the right answer to a create task."""
    answer = good_scripts()[name]["answer"]
    variables = {one["name"]: {key: one[key] for key in ("type", "default")} for one in answer["variables"]}
    return {"id": "right", "variables": variables, "steps": deepcopy(answer["steps"])}


def edited(name):
    """The template of the right answer to an edit."""
    made = [
        Operation(
            one["op"],
            one.get("step", ""),
            tuple(one.get("at", "").split("/")),
            one.get("value"),
            one.get("after", ""),
            one.get("old", ""),
            one.get("new", ""),
        )
        for one in good_scripts()[name]["answer"]["operations"]
    ]
    return apply(TASKS[name].template, made)


def wrong(name, template):
    task = TASKS[name]
    verdicts = [list(check_template(template, one, task)) for one in task.expected if "outcome" not in one]
    return min(verdicts, key=len)


def args(template, step):
    return next(one["tool_args"] for one in template["steps"] if str(one["step_id"]) == str(step))


def text(template, *replaced):
    """The template with some of its text replaced."""
    written = json.dumps(template)
    for old, new in replaced:
        assert old in written
        written = written.replace(old, new)
    return json.loads(written)


def test_every_dataset_and_parameter_of_the_patterns_is_in_the_catalogue():
    catalogue = Catalogue()
    ids = [one.id for one in catalogue.summaries()]

    def globs(pattern):
        if isinstance(pattern, dict):
            yield from pattern.get("data", ())
            for key in ("any", "all", "of", "not"):
                for one in pattern.get(key, ()):
                    yield from globs(one)
            yield from globs(pattern.get("is"))

    every = [*quantities().values()]
    for task in TASKS.values():
        for expected in task.expected:
            every += [one for key in ("draws", "may", "adds", "drops") for one in expected.get(key, ())]
    missing = []
    for one in dict.fromkeys(glob for pattern in every for glob in globs(pattern)):
        dataset, _, parameter = one.rpartition(".")
        known = [name for name in ids if fnmatchcase(name, dataset)]
        if not any(
            fnmatchcase(x.name, parameter) for name in known for x in catalogue.dataset(name).parameters
        ):
            missing.append(one)
    assert missing == []


@pytest.mark.parametrize("module", [checks, graph], ids=lambda one: one.__name__)
def test_the_examples_of_the_benchmark_hold(module):
    assert doctest.testmod(module).failed == 0


# Right ones that are written in another way ---------------------------------------------------------------


def test_names_of_steps_and_labels_make_no_difference():
    renamed = text(
        right("create-ace-wind-compare"), ("ACE_Bmag", "strength_1"), ("ace_b", "s1"), ("ACE_B", "u")
    )
    assert wrong("create-ace-wind-compare", renamed) == []


def test_another_dataset_of_the_same_quantity_is_right():
    other = text(right("create-ace-last-week"), ("AC_H0_MFI", "AC_H3_MFI"))
    assert wrong("create-ace-last-week", other) == []


def test_fallbacks_of_the_same_quantity_are_right():
    template = right("create-ace-last-week")
    fetch = args(template, "ace_b")
    fetch["candidates"] = [fetch.pop("dataset_id"), "AC_H2_MFI"]
    assert wrong("create-ace-last-week", template) == []


def test_a_fallback_of_another_spacecraft_is_wrong():
    template = right("create-ace-last-week")
    fetch = args(template, "ace_b")
    fetch["candidates"] = [fetch.pop("dataset_id"), {"dataset_id": "WI_H0_MFI", "parameter_id": "BGSE"}]
    assert wrong("create-ace-last-week", template)


def test_a_magnitude_of_the_file_is_as_right_as_one_that_is_computed():
    template = text(right("create-ace-smoothed"), ('"Magnitude"', '"BGSEc"'))
    template["steps"].insert(1, {"step_id": "m", "tool_name": "magnitude"})
    template["steps"][1]["tool_args"] = {"source_label": "B", "output_label": "Bmag"}
    args(template, "smooth")["source_label"] = "Bmag"
    assert wrong("create-ace-smoothed", template) == []


def test_the_range_may_stand_in_the_step_or_in_a_variable_and_be_spelt_as_it_likes():
    template = text(right("create-dst-symh"), ("$TIME_RANGE", "2024-05-10/P2D"))
    assert wrong("create-dst-symh", template | {"variables": {}}) == []


def test_a_duration_may_be_spelt_as_it_likes():
    assert wrong("create-ace-smoothed", text(right("create-ace-smoothed"), ("10min", "600s"))) == []


def test_a_component_taken_first_is_the_component_of_what_is_computed():
    early = right("create-ace-bz-spectrogram")
    late = deepcopy(early)
    late["steps"].insert(1, {"step_id": "c", "tool_name": "components"})
    late["steps"][1]["tool_args"] = {"source_label": "B", "keep": ["Bz"], "output_label": "Bz"}
    args(late, "psd")["source_label"] = "Bz"
    assert wrong("create-ace-bz-spectrogram", early) == wrong("create-ace-bz-spectrogram", late) == []


def test_three_components_drawn_one_by_one_are_the_vector():
    template = right("create-wind-two-panels")
    args(template, "figure")["spec"] |= {
        "labels": ["B.x", "B.y", "B.z", "Bmag"],
        "panels": [["B.x", "B.y", "B.z"], ["Bmag"]],
    }
    assert wrong("create-wind-two-panels", template) == []


def test_two_components_are_not_the_vector():
    template = right("create-wind-two-panels")
    args(template, "figure")["spec"] |= {
        "labels": ["B.x", "B.y", "Bmag"],
        "panels": [["B.x", "B.y"], ["Bmag"]],
    }
    assert wrong("create-wind-two-panels", template)


def test_panels_left_out_stand_for_one_of_each_unit():
    template = right("create-ace-one-panel")
    del args(template, "figure")["spec"]["panels"]
    assert wrong("create-ace-one-panel", template) == []
    template = right("create-sta-b-v")
    del args(template, "figure")["spec"]["panels"]
    assert wrong("create-sta-b-v", template) == []


def test_old_ways_to_draw_are_as_right():
    template = right("create-dst-levels")
    spec = args(template, "figure")["spec"]
    lines = {"hlines": spec.pop("hlines")}
    template["steps"][-1:] = [
        {"step_id": "plot", "tool_name": "plot_data", "tool_args": spec},
        {"step_id": "style", "tool_name": "style_plot", "tool_args": lines, "depends_on": ["plot"]},
    ]
    assert wrong("create-dst-levels", template) == []


def test_what_a_careful_author_adds_on_the_way_does_not_make_it_wrong():
    template = right("create-omni-median")
    step = {"step_id": "say", "tool_name": "declare_quantity"}
    template["steps"].insert(
        1, step | {"tool_args": {"source_label": "n", "unit": "cm^-3", "output_label": "m"}}
    )
    args(template, "median")["source_label"] = "m"
    assert wrong("create-omni-median", template) == []


# Wrong ones ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("create-ace-last-week", "AC_H0_MFI", "WI_H0_MFI", "does not draw ACE B"),
        ("create-ace-last-week", '"BGSEc"', '"SC_pos_GSE"', "does not draw ACE B"),
        ("create-ace-last-week", "last week", "last month", "instead of 2026-02-03"),
        ("create-mms1-gse", "b_gse", "b_gsm", "does not draw MMS1 B GSE"),
        ("create-four-mms", "MMS4", "MMS3", "does not draw MMS4 B"),
        ("create-ace-smoothed", '"10min"', '"10h"', "running_average"),
        ("create-ace-smoothed", "running_average", "running_median", "running_average"),
        ("create-omni-daily", '"1d"', '"1h"', "resample"),
        ("create-residual", '"subtract"', '"add"', "arithmetic"),
        ("create-residual", '"right_label": "Wind_hourly"', '"right_label": "ACE_hourly"', "arithmetic"),
        ("create-het-bands", "60, 100", "60, 90", "band_average"),
        ("create-dscovr-gsm", "B_GSM.z", "B_GSM.y", "does not draw"),
        ("create-wind-two-panels", '["B"], ["Bmag"]', '["Bmag"], ["B"]', "another order"),
        ("create-wind-two-panels", '["B"], ["Bmag"]', '["B", "Bmag"]', "in one panel"),
        ("create-ace-one-panel", '["B", "Bmag"]]', '["B"], ["Bmag"]]', "not in one panel"),
        ("create-dst-levels", "-250", "-200", "hlines"),
        ("create-shock-line", "04:45", "05:45", "vlines"),
        ("create-gcr-log", '{"1": true}', "false", "log"),
        ("create-ace-csv", "csv", "cdf", "does not save"),
        ("create-solo-hourly", '"labels": ["B_hourly"], "panels": [["B_hourly"]]', '"labels": ["B"]', "draw"),
    ],
)
def test_a_template_that_means_something_else_is_wrong(name, old, new, said):
    assert wrong(name, right(name)) == []
    reasons = wrong(name, text(right(name), (old, new)))
    assert said in " ".join(reasons)


def test_what_nobody_asked_for_is_wrong():
    template = right("create-omni-bz")
    extra = {"dataset_id": "OMNI_HRO_1MIN", "parameter_id": "AE_INDEX", "time_range": "$TIME_RANGE"}
    step = {"step_id": "ae", "tool_name": "fetch_data", "tool_args": extra | {"output_label": "AE"}}
    template["steps"].insert(0, step)
    args(template, "figure")["spec"] = {"labels": ["Bz", "AE"]}
    assert any("AE_INDEX, which was not asked for" in one for one in wrong("create-omni-bz", template))


def test_data_that_nothing_shows_are_wrong():
    template = right("create-omni-bz")
    extra = {"dataset_id": "AC_H0_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"}
    template["steps"].insert(0, {"step_id": "ace", "tool_name": "fetch_data", "tool_args": extra})
    assert any("nothing shows it" in one for one in wrong("create-omni-bz", template))


def test_a_template_that_cannot_run_is_wrong():
    template = text(right("create-omni-median"), ('"source_label": "n"', '"source_label": "nothing"'))
    assert any("cannot run" in one for one in wrong("create-omni-median", template))


@pytest.mark.parametrize("name", [name for name, one in TASKS.items() if one.kind in ("edit", "repair")])
def test_the_template_as_it_was_is_no_answer_to_an_edit(name):
    task = TASKS[name]
    if any("outcome" not in one for one in task.expected):
        assert wrong(name, task.template)


@pytest.mark.parametrize(
    ("name", "step", "place", "value", "said"),
    [
        ("edit-red-magnitude", "1", "intent", "other", "step 1 is changed"),
        ("edit-red-magnitude", "4", "tool_args", {"trace_colors": {"ACE_B": "red"}}, "color"),
        ("edit-red-magnitude", "3", "tool_args", {"labels": ["ACE_Bmag"]}, "no longer draws"),
        ("edit-title", "field-figure", "intent", "other", ""),
        ("edit-log-density", "smooth-density", "intent", "other", "step smooth-density is changed"),
        ("edit-add-average", "magnitude", "intent", "other", "step magnitude is changed"),
        ("repair-dataset", "figure", "intent", "other", "step figure is changed"),
        ("repair-silent", "smooth", "critical", False, "step smooth is changed"),
    ],
)
def test_an_edit_that_touches_something_else_is_wrong(name, step, place, value, said):
    assert wrong(name, edited(name)) == []
    template = edited(name)
    next(one for one in template["steps"] if str(one["step_id"]) == step)[place] = value
    reasons = wrong(name, template)
    assert said in " ".join(reasons)
    assert bool(reasons) == bool(said)


def test_an_edit_that_changes_the_range_on_the_way_is_wrong():
    template = edited("edit-title")
    template["variables"]["$TIME_RANGE"]["default"] = "2021-01-01"
    assert any("time range" in one for one in wrong("edit-title", template))


def test_a_style_beside_the_one_that_was_asked_for_is_wrong():
    template = edited("edit-title")
    args(template, "field-figure")["spec"]["palette"] = "okabe-ito"
    assert any("changes palette" in one for one in wrong("edit-title", template))


def test_a_colour_may_be_spelt_as_it_likes_and_another_colour_is_wrong():
    template = edited("edit-red-magnitude")
    args(template, 4)["trace_colors"]["ACE_Bmag"] = "#FF0000"
    assert wrong("edit-red-magnitude", template) == []
    args(template, 4)["trace_colors"]["ACE_Bmag"] = "blue"
    assert wrong("edit-red-magnitude", template)


def test_outcomes_of_another_kind_are_wrong_with_what_was_said():
    create, ask = TASKS["create-ace-last-week"], TASKS["create-which-stereo"]
    refused, reply = TASKS["create-hubble"], TASKS["question-frame"]
    question = AuthorQuestion("Which one?", ("STEREO-A", "STEREO-B"), BY)
    draft = TemplateDraft(GateResult(right("create-ace-last-week")), BY)
    assert judge(create, draft) == []
    assert judge(ask, question) == []
    assert judge(refused, NotUnderstood("there is no such spacecraft")) == []
    assert judge(reply, AuthorReply("in RTN", BY)) == []
    assert "question instead of draft: Which one?" in judge(create, question)[0]
    assert "no choice STEREO-?B" in judge(ask, AuthorQuestion("Which one?", ("STEREO-A", "Wind"), BY))[0]
    assert "draft instead of refused" in judge(refused, draft)[0]
    assert "does not say RTN" in judge(reply, AuthorReply("in GSE", BY))[0]
    assert "QuotaExhausted instead of refused" in judge(refused, QuotaExhausted("used up"))[0]


def test_data_over_another_time_do_not_match_a_pattern_with_a_time():
    [drawn] = read_graph(right("create-omni-bz"), now=NOW).drawn
    data = {"data": ["OMNI_HRO_1MIN.BZ_GSM"]}
    assert matches(data | {"time": "2015-03-17 to 2015-03-19"}, drawn.node)
    assert not matches(data | {"time": "2015-03-17"}, drawn.node)
    assert found({"all": [data, "AE"]}, [drawn.node]) == set()


# ---- impossible tasks, and replies that decline


def test_an_impossible_task_accepts_a_refusal_but_no_draft(bench):
    task = replace(TASKS["create-ace-last-week"], expected=(), possible=False)
    assert judge(task, NotUnderstood("helio knows no such quantity")) == []
    assert judge(task, AuthorReply("helio cannot answer that without a model", BY)) == []
    assert "although the task is impossible" in judge(task, put(task, bench.rules(task)))[0]


def test_a_reply_declines_only_if_it_says_so():
    task = replace(TASKS["question-frame"], expected=({"outcome": "reply", "declined": True},))
    assert judge(task, AuthorReply("helio cannot answer that without a language model", BY)) == []
    assert judge(task, AuthorReply("the field is in RTN", BY)) == [
        "answers instead of declining: the field is in RTN"
    ]


def test_tasks_are_read_from_any_folder_and_silently_wrong_ones_are_listed(tmp_path, capsys):
    asked = [{"id": "wrong", "request": "ACE magnetic field for 2022-01-01", "possible": False}]
    (tmp_path / "create.json").write_text(json.dumps(asked), encoding="utf-8")
    assert main(["--tasks", str(tmp_path)]) == 1
    assert "silently wrong: wrong" in capsys.readouterr().out
