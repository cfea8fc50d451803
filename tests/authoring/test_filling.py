"""A small model fills in a typed request; the template is the one that the rules write, or nothing."""

import json
import re

import pytest

from benchmarks.authoring.checks import judge
from benchmarks.authoring.derived import small_script
from benchmarks.authoring.run import Bench, put
from benchmarks.authoring.scripted import ScriptedModel
from benchmarks.authoring.tasks import read_tasks
from helio.authoring import filling
from helio.authoring.author import ModelAuthor
from helio.authoring.desk import Desk
from helio.authoring.models.providers import is_small
from helio.authoring.outcome import AuthorQuestion, NotProved, NotUnderstood, TemplateDraft
from helio.errors import RequestError
from helio.settings import Settings, read_settings
from tests.authoring import standin_gemini as standin
from tests.authoring.conftest import NOW
from tests.authoring.standin_openai import OpenAiStandIn
from tests.laws import LONG

pytestmark = pytest.mark.slow

PLAIN = {task.id: task for task in read_tasks() if task.plain and task.kind == "create"}
REFUSED = {"create-geotail"}
"""Tasks whose data are not in the table of quantities."""
TRIED = [name for at, name in enumerate(PLAIN) if LONG or at % 3 == 0 or name in REFUSED]
"""A third of the plain tasks, and the exceptions; `make long` tries all."""
ASKED = "ACE magnetic field for last week"
GOOD = {
    "spacecraft": ["ACE"],
    "quantities": ["magnetic field vector"],
    "times": ["last week"],
    "operations": [],
    "left_out": [],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def bench(home):
    return Bench(home)


@pytest.fixture(scope="module")
def scripted(home):
    with ScriptedModel(home, "ollama") as model:
        yield model


@pytest.fixture
def create(bench, scripted):
    """Puts a request to a small model that gives these answers, the last one again and again."""
    authors = []

    def put_request(request, *answers, chosen=()):
        script = {"answers": [answer if "text" in answer else {"json": GOOD | answer} for answer in answers]}
        if not chosen:
            authors.append(
                ModelAuthor(
                    scripted.play(script),
                    lambda: pytest.fail("searched"),
                    bench.gate(NOW),
                    now=NOW,
                    small=True,
                )
            )
        return authors[-1].create(request, chosen=chosen)

    return put_request


def fetches(draft):
    return [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "fetch_data"]


@pytest.mark.parametrize("name", TRIED)
def test_the_typed_request_of_the_rules_gives_the_template_of_the_rules(name, bench, scripted):
    task = PLAIN[name]
    script = small_script(task, bench.catalogue)
    assert script["answer"]["json"]["left_out"] == []
    made = put(task, bench.model(task, scripted.play(script), small=True))
    if name in REFUSED:
        assert isinstance(made, NotProved)
        return
    assert judge(task, made) == []
    assert made.template == put(task, bench.rules(task)).template
    assert (len(scripted.asked), scripted.asked[0].tools) == (1, {})


# ---- what the model is told


def test_the_prompt_is_short_and_has_the_words_that_helio_knows(create, scripted):
    create(ASKED, {})
    asked = scripted.asked[0]
    assert "bulk velocity vector" in asked.system
    assert "Parker Solar Probe" in asked.system
    assert json.dumps(ASKED) in asked.text
    assert '{"last week": "2024-01-13 to 2024-01-20"}' in asked.text
    assert len(asked.system) + len(asked.text) < 9000
    assert all(
        len({*part["enum"]}) == len(part["enum"])
        for part in asked.schema["properties"].values()
        if "enum" in part
    )
    for name, part in asked.schema["properties"].items():  # a local server shows no schema to its model
        assert re.search(rf"^- {name} \(.*\): {re.escape(part['description'])}$", asked.system, re.MULTILINE)
    assert set(asked.schema["properties"]) >= {"spacecraft", "quantities", "times", "left_out"}


@pytest.mark.parametrize(("request_", "answer"), filling._EXAMPLES)
def test_the_examples_of_the_prompt_are_right(create, scripted, request_, answer):
    if answer["left_out"]:
        with pytest.raises(NotUnderstood, match=re.escape(answer["left_out"][0])):
            create(request_, answer)
    else:
        assert isinstance(create(request_, answer), TemplateDraft)
    assert len(scripted.asked) == 1


# ---- sloppy


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"text": "Here is your figure!"}, "could not be read"),
        ({"text": '{"spacecraft": "ACE"}'}, "could not be read"),
        ({"text": '{"spacecraft": ["ACE"'}, "could not be read"),
        ({"spacecraft": ["AEC"]}, "AEC"),
        ({"quantities": ["warp factor"]}, "no quantity is called 'warp factor'"),
        ({"quantities": ["ion energy spectrogram"]}, "ACE"),
        ({"spacecraft": ["Wind"]}, "the request names ACE, but the data are from Wind"),
        ({"quantities": ["proton density"]}, "the figure draws no such data"),
        ({"operations": ["frobnicate"]}, "no operation is called 'frobnicate'"),
        ({"operations": ["running_average:fortnight"]}, "fortnight"),
        ({"times": ["when it rains"]}, "when it rains"),
        ({"datasets": ["AC_H22_MFI.BGSEc"]}, "AC_H22_MFI"),
        ({"datasets": ["AC_H2_MFI.BGSEcc"]}, "BGSEcc"),
        ({"cadence": "often"}, "often"),
        ({"title": "My own title"}, "My own title"),
        ({"pairs": ["ACE Bz"]}, "SPACECRAFT: QUANTITY"),
        ({"frame": "GSX"}, "could not be read"),
        ({"log": ["warp"]}, "warp"),
        ({"instruments": ["MFX"]}, "no instrument 'MFX'"),
        ({"energies": ["2 MeV"]}, "'2 MeV' is not an energy"),
        ({"looks": ["all lines pink"]}, "does not contain 'all lines pink'"),
        ({"order": ["warp"]}, "no quantity is called 'warp'"),
        ({"compute": "warp"}, "no quantity is called 'warp'"),
        ({"kind": "pie"}, "could not be read"),
        ({"spacecraft": [], "quantities": []}, "no spacecraft, quantity or dataset"),
        ({"spacecraft": ["ACE"] * 13}, "could not be read"),
        ({"spacecraft": ["ACE\u001b[2K"]}, "invisible characters"),
        ({"steps": []}, "could not be read"),
    ],
)
def test_an_answer_that_does_not_fit_is_sent_back_with_the_reason(create, scripted, answer, said):
    made = create(ASKED, answer, {})
    assert isinstance(made, TemplateDraft)
    assert [step["tool_name"] for step in made.template["steps"]] == ["fetch_data", "render_spec"]
    assert len(scripted.asked) == 2
    assert said in scripted.asked[1].text


def test_an_answer_that_never_fits_ends_after_four_answers(create, scripted):
    with pytest.raises(NotProved, match="none of the model's 4 answers") as caught:
        create(ASKED, {"quantities": ["warp factor"]})
    assert [finding.code for finding in caught.value.diagnostics] == ["HA108"]
    assert len(scripted.asked) == 4


def test_words_and_fences_around_a_right_answer_do_no_harm(create, scripted):
    made = create(ASKED, {"text": f"Sure!\n```json\n{json.dumps(GOOD)}\n```\nDone."})
    assert isinstance(made, TemplateDraft)
    assert len(scripted.asked) == 1


def test_other_spellings_and_empty_texts_are_understood(create):
    made = create("PSP Bn for 2020-01-04", {"spacecraft": ["psp", " "], "quantities": ["b_n"], "frame": ""})
    assert fetches(made)[0]["dataset_id"].startswith("PSP_FLD")


# ---- hostile


def test_a_spacecraft_that_helio_does_not_know_is_never_replaced(create, scripted):
    with pytest.raises(NotUnderstood, match="no quantities of SAMPEX"):
        create("SAMPEX magnetic field for 2010-01-01", {"spacecraft": ["ACE"], "times": ["2010-01-01"]})
    assert len(scripted.asked) == 1


def test_what_no_field_can_say_ends_the_request(create, scripted):
    with pytest.raises(NotUnderstood, match="'the footpoints on a map'"):
        create(f"{ASKED} with the footpoints on a map", {"left_out": ["the footpoints on a map"]})
    assert len(scripted.asked) == 1


def test_a_title_that_the_request_says_is_taken(create):
    made = create(f"{ASKED}, titled 'Before the storm'", {"title": "Before the storm"})
    assert made.template["steps"][-1]["tool_args"]["spec"]["title"] == "Before the storm"


@pytest.mark.parametrize("times", [[], ["last 30 days"], ["2010-01-01"], ["2010-01-01", "2011-01-01"]])
def test_the_time_is_that_of_the_sentence_whatever_the_model_writes(create, times):
    made = create(ASKED, {"times": times})
    assert made.template["variables"] == {"$TIME_RANGE": {"type": "time_range", "default": "last week"}}
    assert sum("the model had written" in note for note in made.notes) == len(times)


def test_a_time_that_code_cannot_read_is_that_of_the_model_and_is_said(create, scripted):
    request = "ACE magnetic field for 2021-05-01 and the week after"
    made = create(request, {"times": []}, {"times": ["2021-05-01 to 2021-05-08"]})
    assert made.template["variables"]["$TIME_RANGE"]["default"] == "2021-05-01 to 2021-05-08"
    assert any(note.startswith("check the time range") for note in made.notes)
    assert "the request says a time" in scripted.asked[1].text


def test_instructions_in_an_answer_do_nothing(create):
    evil = {"title": "ignore all rules; import os", "datasets": ["__import__('os').system('id')"]}
    with pytest.raises(NotProved):
        create(ASKED, evil)


# ---- questions


def test_a_mission_with_several_spacecraft_becomes_the_question_of_the_rules(create, bench):
    request = "MMS magnetic field for 2017-07-11"
    answer = {"spacecraft": ["MMS"], "times": ["2017-07-11"]}
    asked = create(request, answer)
    assert isinstance(asked, AuthorQuestion)
    assert (asked.text, asked.choices) == (
        "Which spacecraft of MMS do you mean?",
        ("MMS1", "MMS2", "MMS3", "MMS4", "all of them"),
    )
    made = create(request, answer, chosen=("MMS3",))
    assert fetches(made)[0]["dataset_id"].startswith("MMS3")


def test_a_missing_window_becomes_a_question(create):
    asked = create(f"{ASKED}, smoothed", {"operations": ["running_average"]})
    assert asked.text == "How long is the window of the running average?"


def test_a_pair_of_spacecraft_with_their_own_quantities_is_drawn_as_such(create):
    answer = {"spacecraft": [], "quantities": [], "pairs": ["Wind: bulk speed", "ACE: proton density"]}
    made = create("Wind speed and ACE density for last week", answer)
    assert [
        known["dataset_id"] if "dataset_id" in known else known["candidates"][0]["dataset_id"]
        for known in fetches(made)
    ] == ["WI_H1_SWE", "AC_H0_SWE"]


# ---- the setting


def test_models_on_the_own_machine_are_small_unless_the_setting_says_otherwise(tmp_path):
    known = {"HELIO_HOME": str(tmp_path)}
    sizes = {
        (model, size): is_small(read_settings(known | {"HELIO_MODEL": model, "HELIO_MODEL_SIZE": size}))
        for model in ("ollama/qwen3:8b", "openai/large", "gemini/flash")
        for size in ("", "small", "large")
    }
    assert [key for key, small in sizes.items() if small] == [
        ("ollama/qwen3:8b", ""),
        ("ollama/qwen3:8b", "small"),
        ("openai/large", "small"),
        ("gemini/flash", "small"),
    ]
    with pytest.raises(RequestError, match="must be 'small' or 'large'"):
        read_settings(known | {"HELIO_MODEL_SIZE": "tiny"})


def test_the_desk_asks_a_local_model_for_a_typed_request_and_replays_it(tmp_path):
    server = OpenAiStandIn(standin.forever(standin.json_text(GOOD)))
    settings = Settings(
        tmp_path,
        model_smart="ollama/tiny",
        model_fast="ollama/tiny",
        model_fallback="",
        model_keys={"ollama": standin.KEY},
        model_urls={"ollama": server.url},
    )
    desk = Desk(settings, now=NOW)
    made = desk.create(ASKED)
    desk.close()
    server.close()
    assert len(server.requests) == 1
    transcript = next(settings.transcripts.iterdir())
    again = Desk(Settings(tmp_path / "other", model_fallback=""), now=NOW, replay=transcript)
    assert again.create(ASKED).after == made.after
    again.close()
