"""An edit changes the steps that it names, and not a byte of the others; a colour costs a figure and nothing else."""

import json

import pytest

from benchmarks.authoring.checks import step_texts
from benchmarks.authoring.derived import good_script
from benchmarks.authoring.run import Bench, put
from benchmarks.authoring.scripted import ScriptedModel
from benchmarks.authoring.tasks import HERE, NOW, base_text, read_tasks
from helio import api
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import AuthorReply
from helio.pipelines.history import Writing
from helio.pipelines.library import Library
from helio.pipelines.template.document import read_template
from helio.pipelines.template.splice import splice
from helio.settings import read_settings

EDITS = json.loads((HERE / "locality.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def scripted(bench):
    with ScriptedModel(bench.home) as model:
        yield model


def operation(written):
    return Operation(
        written["op"],
        written.get("step", ""),
        tuple(part for part in written.get("at", "").split("/") if part),
        written.get("value"),
        written.get("after", ""),
        written.get("old", ""),
        written.get("new", ""),
    )


def states(run):
    return {one.step.step_id: one.state for one in run.result.steps}


def test_there_are_more_than_sixty_edits_of_several_templates():
    assert len(EDITS) > 60
    assert len({one["template"] for one in EDITS}) >= 10


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit", EDITS, ids=[f"{number}-{one['template']}" for number, one in enumerate(EDITS)]
)
def test_what_an_edit_does_not_name_stays_to_the_byte(edit, bench):
    text = base_text(edit["template"])
    before = read_template(text)
    operations = [operation(one) for one in edit["operations"]]
    proved = bench.gate(NOW).edited(before, apply(before, operations))
    assert proved.errors == ()
    after = splice(text, before, proved.template)
    assert read_template(after) == proved.template != before
    named = {one.step for one in operations if one.step}
    old, new = step_texts(text), step_texts(after)
    assert {name: new.get(name) for name in old if name not in named} == {
        name: written for name, written in old.items() if name not in named
    }
    if named and "" not in {one.step for one in operations if one.op != "add"}:
        # nothing but steps was named: what stands around them is as it was
        assert after.partition('"steps"')[0] == text.partition('"steps"')[0]
        assert after.rpartition("]")[2] == text.rpartition("]")[2]


@pytest.mark.slow
def test_a_colour_of_a_line_recomputes_the_figure_alone(tmp_path, monkeypatch, bench):
    monkeypatch.setenv("HELIO_HOME", str(tmp_path))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    settings = read_settings()
    shelf = Library(settings.templates)
    shelf.save(json.loads(base_text("psp-bfield")) | {"id": "mine"})
    first = api.run("mine", archive="sample", settings=settings)
    assert states(first) == dict.fromkeys(("field", "magnitude", "field-figure"), "completed")
    entry = shelf.find("mine")
    text, before = shelf.text(entry), shelf.read(entry)
    red = operation(
        {
            "op": "set",
            "step": "field-figure",
            "at": "tool_args/spec/trace_colors",
            "value": {"B_magnitude": "red"},
        }
    )
    proved = bench.gate(NOW).edited(before, apply(before, [red]))
    shelf.replace_text(entry, splice(text, before, proved.template), Writing("edited"))
    again = api.run("mine", archive="sample", settings=settings)
    assert states(again) == {"field": "cached", "magnitude": "cached", "field-figure": "completed"}
    figures = [one.result.steps[-1].artefact for one in (first, again)]
    assert figures[0].digest != figures[1].digest


@pytest.mark.parametrize(
    "task", [one for one in read_tasks() if one.kind == "question"], ids=lambda one: one.id
)
def test_a_question_changes_nothing(task, bench, scripted):
    before = json.dumps(task.template)
    template = json.loads(before)
    came = bench.model(task, scripted.play(good_script(task, put(task, bench.rules(task))))).edit(
        task.request, template
    )
    assert isinstance(came, AuthorReply)
    assert json.dumps(template) == before
    assert list((bench.home).glob("templates/*")) == []
