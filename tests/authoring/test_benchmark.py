"""Every authoring task, put to the rules and to a scripted model that answers well, carelessly or with bad intent."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import cycle
from random import Random

import pytest

from benchmarks.authoring.checks import judge
from benchmarks.authoring.corruptions import CHANGED, WRITTEN
from benchmarks.authoring.run import Bench, main, measure, put, table
from benchmarks.authoring.scripted import STAND_INS, ScriptedModel, bad_scripts, good_scripts
from benchmarks.authoring.tasks import HERE, read_tasks
from benchmarks.authoring.trials import leaks, right_script, trials_of
from helio.authoring.outcome import AuthorQuestion, AuthorReply, NotProved, NotUnderstood, TemplateDraft
from tests.laws import LONG

pytestmark = pytest.mark.slow

TASKS = {one.id: one for one in read_tasks()}
SETS = sorted({path.parent for path in (HERE / "independent").rglob("create.json")})
INDEPENDENT = {task.id: task for folder in SETS for task in read_tasks(folder)}
DRAFTED = [task for task in INDEPENDENT.values() if task.kind != "question"]
SAMPLE = Random(1).sample(DRAFTED, len(DRAFTED) if LONG else 15)
"""Tasks that nobody wrote an answer for; a question has no draft to corrupt."""
ANSWERED = {
    name: task
    for number, (name, task) in enumerate(TASKS.items())
    if LONG or name in good_scripts() or number % 6 == 0
}
"""Tasks with a written answer, and a sixth of those that a model answers as the rules do; `make long` takes all."""


def with_models(cases):
    """Give each case a provider of models in turn; `make long` gives it all of them."""
    return [
        pytest.param(provider, case, id=f"{provider}-{name}")
        for (name, case), turn in zip(cases.items(), cycle(STAND_INS), strict=False)
        for provider in (STAND_INS if LONG else [turn])
    ]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def bench(home):
    return Bench(home)


@pytest.fixture(scope="module")
def scripted(home, request):
    with ScriptedModel(home, request.param) as model:
        yield model


@pytest.fixture(scope="module")
def by_rules(bench):
    """Return what the rules make of a task; each task is put to them once."""
    tasks = TASKS | INDEPENDENT
    return cache(lambda name: put(tasks[name], bench.rules(tasks[name])))


def test_there_are_tasks_of_every_kind_about_many_missions():
    kinds = Counter(one.kind for one in TASKS.values())
    missions = {mission for one in TASKS.values() for mission in one.missions}
    assert len(TASKS) == kinds.total() >= 120
    assert all(
        kinds[one] >= least for one, least in {"create": 60, "edit": 35, "question": 10, "repair": 15}.items()
    )
    assert len(missions) >= 12
    assert sum(one.plain for one in TASKS.values()) >= 40


@pytest.mark.parametrize(("scripted", "task"), with_models(ANSWERED), indirect=["scripted"])
def test_a_right_answer_of_a_model_is_taken_and_found_right(task, bench, scripted, by_rules):
    door = scripted.play(right_script(task, by_rules(task.id), "good", bench.catalogue))
    assert judge(task, put(task, bench.model(task, door))) == []
    assert len(scripted.asked) <= 4


# ---- tasks that nobody wrote an answer for


@pytest.fixture(scope="module")
def right_outcomes(by_rules):
    """Return those tasks with what the rules make of them where that is right; most of them are."""

    def outcomes(tasks):
        came = [(task, by_rules(task.id)) for task in tasks]
        right = [(task, made) for task, made in came if not judge(task, made)]
        assert len(right) > len(tasks) / 2
        return right

    return outcomes


@pytest.mark.parametrize(
    ("scripted", "first"), [("gemini", 0), ("openai", 1), ("anthropic", 2)], indirect=["scripted"]
)
def test_what_the_rules_draft_rightly_is_taken_from_a_model_too(bench, scripted, first, right_outcomes, home):
    for task, right in right_outcomes(SAMPLE if LONG else SAMPLE[first::3]):
        for kind in ("good", "small"):
            script = right_script(task, right, kind, bench.catalogue)
            if script is not None:
                came = put(task, bench.model(task, scripted.play(script), small=kind == "small"))
                assert judge(task, came) == [], (task.id, kind)
    assert leaks(home) == []


@pytest.mark.parametrize("scripted", ["gemini"], indirect=True)
@pytest.mark.parametrize("group", ["sloppy", "hostile"])
def test_a_corrupted_answer_is_refused_mended_or_named(group, bench, scripted, right_outcomes, home):
    drafts = [(task, made) for task, made in right_outcomes(SAMPLE) if isinstance(made, TemplateDraft)]
    trials = [
        trial
        for number, (task, right) in enumerate(drafts)
        for trial in trials_of(task, right, group, bench, scripted, number, most=9 if LONG else 1)
    ]
    assert len({trial.kind for trial in trials}) >= (
        8 if LONG else 6
    )  # one trial of each draft of the sample
    assert [one for one in trials if not one.passed and not one.meaning] == []
    proposed = [one for one in trials if one.meaning and one.end in ("named", "unnamed")]
    least = 0.8 if LONG else 0.5  # of a few
    assert sum(trial.end == "named" for trial in proposed) >= least * len(proposed), proposed
    assert leaks(home) == []


def test_there_are_kinds_enough_of_careless_and_of_hostile_models():
    groups = Counter(one.group for one in (*CHANGED.values(), *WRITTEN.values()))
    assert min(groups["sloppy"], groups["hostile"]) >= 8


# ---- scripts for one task each


@pytest.mark.parametrize(
    ("scripted", "script"),
    with_models({script["id"]: script for script in bad_scripts()}),
    indirect=["scripted"],
)
def test_a_careless_or_hostile_model_comes_to_the_right_end(script, bench, scripted):
    task = TASKS[script["task"]]
    door = scripted.play(script)
    came = put(task, bench.model(task, door))
    wrong = judge(task, came)
    if script["ends"] == "right":
        assert wrong == []
    elif script["ends"] == "refused":
        assert isinstance(came, (NotProved, NotUnderstood)), came
    else:
        assert type(came).__name__ == script["ends"]
    said = str(came) + " ".join(one.message for one in getattr(came, "diagnostics", ()))
    assert script.get("says", "") in said
    assert len(scripted.asked) <= script["most"]


def test_the_rules_pass_most_tasks_and_rather_refuse_than_propose_something_else(by_rules):
    came = {name: by_rules(name) for name in (TASKS if LONG else ANSWERED)}
    wrong = {name: judge(TASKS[name], outcome) for name, outcome in came.items()}
    create = [TASKS[name] for name in came if TASKS[name].kind == "create"]
    passed = [task for task in create if not wrong[task.id]]
    assert 2 * len(passed) >= len(create), wrong
    assert sum(task.plain for task in passed) >= 0.8 * sum(task.plain for task in create), wrong
    drafts = [name for name, outcome in came.items() if isinstance(outcome, TemplateDraft)]
    misled = {name: wrong[name] for name in drafts if wrong[name]}
    assert len(misled) <= 0.05 * len(drafts), misled


@pytest.mark.parametrize("name", [name for name, one in TASKS.items() if one.kind == "question"])
def test_the_rules_change_nothing_when_they_are_asked_a_question(name, by_rules):
    assert isinstance(by_rules(name), (AuthorReply, AuthorQuestion, NotUnderstood))


def test_an_author_that_fails_is_listed_with_the_reason(bench):
    task = replace(TASKS["create-ace-last-week"], expected=({"time": "1999"},))
    result = measure(task, bench.rules(task))
    assert not result.passed
    assert "create-ace-last-week" in table([result])
    assert result.wrong[0] in table([result])


def test_one_task_is_run_by_its_id(capsys):
    assert main(["--only", "create-ace-last-week", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["task"], told["passed"]) == ("create-ace-last-week", True)


def test_the_scripted_model_is_run_by_its_name(capsys):
    assert main(["--author", "scripted", "--only", "question-frame"]) == 0
    assert "question         1     1 " in capsys.readouterr().out


def test_an_id_that_no_task_has_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "make-coffee"])
    assert "no task begins with make-coffee" in capsys.readouterr().err


def test_a_real_model_without_a_key_is_refused_in_words(monkeypatch, capsys):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["--author", "model", "--only", "create-ace-last-week"]) == 1
    assert "no API key for a language model is set" in capsys.readouterr().err
