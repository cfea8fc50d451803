"""The desk: what an author makes waits, what comes to nothing is on record, and nothing is lost in between."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from helio import api
from helio.authoring.desk import Desk
from helio.authoring.models import door as doors
from helio.authoring.models.transcript import read_lines
from helio.authoring.outcome import AuthorQuestion, AuthorReply, NotProved, NotUnderstood
from helio.authoring.proposals.store import Proposal
from helio.errors import (
    Cancelled,
    ModelUnreachable,
    NoKey,
    QuotaExhausted,
    RequestError,
    TimeRangeError,
    TranscriptDiffers,
    UnknownPipeline,
    UnknownRun,
    WrongKey,
)
from helio.settings import Settings
from tests.authoring import standin_gemini as standin
from tests.authoring.answers import LOOK, RED, SEEN, edit, fetch, figure, plan, put, question
from tests.authoring.conftest import NOW, SMART
from tests.authoring.standin_gemini import KEY
from tests.authoring.test_injections import files

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

ASKED = "the field of ACE, as physicists like it, for last week"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, model_fallback="")


@pytest.fixture
def desk(settings, monkeypatch, still):
    """Makes desks whose model is a stand-in; nobody waits."""
    monkeypatch.setattr(doors, "Clock", lambda: still.clock)
    made: list[Desk] = []

    def make(server=None, **options):
        with_model = (
            replace(settings, model_keys={"gemini": KEY}, model_urls={"gemini": server.url})
            if server
            else settings
        )
        made.append(api.desk(settings=with_model, now=options.pop("now", NOW), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def mine(library) -> str:
    """A pipeline of one's own, laid out by hand."""
    shipped = library.read(library.find("ace-bfield-overview"))
    path = library.save({**shipped, "id": "mine"})
    text = path.read_text(encoding="utf-8").replace('"tool_args": {', '"tool_args":   {')
    path.write_text(text, encoding="utf-8")
    return text


# ---- proposals wait


def test_what_a_model_writes_waits_and_is_the_pipeline_once_accepted(desk, serve, library):
    one = desk(serve(LOOK, SEEN, plan()))
    made = one.create(ASKED)
    assert isinstance(made, Proposal)
    assert (made.state, made.by, made.kind, made.tokens) == ("pending", SMART, "authored", 45)
    assert not library.folder.exists()
    one.proposals.accept(made)
    [kept] = library.history(made.pipeline).revisions()
    assert (kept.kind, kept.by, kept.request) == ("authored", SMART, ASKED)
    assert kept.prompt_digest.startswith("sha256:")


def test_an_edit_leaves_every_other_byte_as_it_was_laid_out(desk, serve, library, mine):
    one = desk(serve(edit(RED, touches="style")))
    made = one.edit("mine", "red for |B|")
    assert library.text(library.find("mine")) == mine
    one.proposals.accept(made)
    head, tail = mine.split('"step_id": 4')
    text = library.text(library.find("mine"))
    assert text.startswith(head)
    assert '"ACE_Bmag": "red"' in text
    assert one.work(made).recomputed == (3,)
    library.history("mine").undo()
    assert library.text(library.find("mine")) == mine
    assert tail


def test_a_shipped_pipeline_stays_and_its_copy_gets_the_change(desk, serve):
    server = serve(edit(RED, touches="style"))
    one = desk(server)
    with pytest.raises(RequestError, match="comes with helio and cannot be changed"):
        one.edit("ace-bfield-overview", "red for |B|")
    assert server.requests == []
    made = one.edit("ace-bfield-overview", "red for |B|", name="reddish")
    assert (made.before, made.template["id"]) == ("", "reddish")
    assert [str(each) for each in made.changes] == [
        "id: ace-bfield-overview → reddish",
        "step 4: colour of ACE_Bmag: black → red",
    ]


def test_a_question_about_a_shipped_pipeline_is_answered(desk, serve):
    told = standin.json_text({"status": "answer", "answer": "AC_H2_MFI."})
    assert desk(serve(told)).edit("ace-bfield-overview", "which dataset?").text == "AC_H2_MFI."


@pytest.mark.parametrize("name", ["mine", "ace-bfield-overview", "Not An Id"])
def test_a_name_that_is_taken_or_none_asks_nobody(desk, serve, mine, name):
    server = serve()
    with pytest.raises(RequestError):
        desk(server).create(ASKED, name=name)
    assert server.requests == []


def test_what_was_changed_while_the_model_was_asked_is_not_overwritten(desk, serve, library, mine):
    path = library.find("mine").path

    def answer(request: standin.Request) -> standin.Reply:
        path.write_text(mine.replace("ACE magnetic field", "My title"), encoding="utf-8")
        return edit(RED, touches="style")

    one = desk(serve(answer))
    made = one.edit("mine", "red for |B|")
    assert "My title" not in made.after
    one.proposals.accept(made)
    both = mine.replace("ACE magnetic field", "My title").replace('"black"', '"red"')
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(both)


def test_a_name_that_is_taken_by_now_is_told_at_the_end(desk, serve, library):
    one = desk(serve(SEEN, plan(), SEEN, plan()))
    first, second = one.create(ASKED, name="field"), one.create(ASKED, name="field")
    one.proposals.accept(first)
    with pytest.raises(RequestError, match="a pipeline 'field' exists already"):
        one.proposals.accept(second)


def test_a_file_outside_the_library_is_changed_from_wherever_it_is_accepted(
    desk, serve, library, mine, tmp_path, monkeypatch
):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("plan.json").write_text(mine, encoding="utf-8")
    one = desk(serve(edit(RED, touches="style")))
    made = one.edit("plan.json", "red for |B|")
    monkeypatch.chdir(tmp_path)
    one.proposals.accept(one.proposals.load(made.id))
    text = (tmp_path / "work" / "plan.json").read_text(encoding="utf-8")
    assert '"ACE_Bmag": "red"' in text
    assert library.text(library.find("mine")) == mine


def test_a_plan_in_another_dialect_can_be_edited_and_looked_at(desk, serve, tmp_path, mine):
    steps = json.loads(mine)["steps"]
    path = tmp_path / "plan.json"
    path.write_text(f"Here is the plan:\n```json\n{json.dumps(steps)}\n```\n", encoding="utf-8")
    made = desk(serve(edit(RED, touches="style"))).edit(str(path), "red for |B|")
    assert "step 4: colour of ACE_Bmag: black → red" in [str(one) for one in made.changes]
    assert made.patch
    assert made.to_json()["patch"]


def test_a_question_is_answered_and_nothing_is_kept(desk, serve, library, mine):
    one = desk(serve(standin.json_text({"status": "answer", "answer": "AC_H2_MFI."})))
    made = one.edit("mine", "which dataset?")
    assert isinstance(made, AuthorReply)
    assert (one.proposals.list(), library.text(library.find("mine"))) == ([], mine)


# ---- who is asked


def test_another_spacecraft_comes_from_the_table_and_asks_nobody(desk, serve, mine):
    server = serve()
    made = desk(server).edit("mine", "run it for Wind instead")
    assert (made.by, server.requests) == ("equivalence table", [])


def test_a_wish_that_the_table_meets_in_part_goes_to_the_model_whole(desk, serve, mine):
    server = serve(edit(RED))
    made = desk(server).edit("mine", "run it for Wind instead, and frobnicate the density")
    assert made.by == SMART
    assert "frobnicate" in server.requests[0].text


def test_without_a_key_rules_write(desk):
    assert desk().create("ACE magnetic field for last week").by == "rules"


def test_the_part_that_the_rules_do_not_understand_is_named(desk, mine):
    with pytest.raises(NotUnderstood) as refused:
        desk().create("ACE density 2003-01-02, in waltz time")
    assert refused.value.advice == "without 'in waltz time' helio understands it: \"ACE density 2003-01-02\""
    with pytest.raises(NotUnderstood) as refused:
        desk().edit("mine", "title 'IMF', in waltz time")
    assert "without 'in waltz time'" in refused.value.advice


def test_who_wants_a_model_is_told_how_to_have_one(desk):
    with pytest.raises(NoKey) as caught:
        desk(by="model").create(ASKED)
    assert "GEMINI_API_KEY" in caught.value.advice


def test_a_model_that_is_named_without_its_key_is_not_replaced_by_rules(settings, library):
    named = replace(settings, model_smart="openai/gpt-9", model_fast="openai/gpt-9")
    desk = api.desk(settings=named, now=NOW)
    with pytest.raises(NoKey, match="gpt-9 of OpenAI") as caught:
        desk.create("ACE magnetic field for last week")
    assert "OPENAI_API_KEY" in caught.value.advice
    assert "--author rules" in caught.value.advice
    assert api.desk(settings=named, now=NOW, by="rules").create("ACE magnetic field for last week")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("run my mine", "helio run mine"),
        ("run my ACE overview for January 2026", "helio run mine --time-range 'January 2026'"),
        ("please rerun the gle73 particles", "helio run gle73-particles"),
    ],
)
def test_who_asks_to_run_a_pipeline_is_told_the_command(desk, serve, mine, request_, said):
    server = serve()
    made = desk(server).create(request_)
    assert isinstance(made, AuthorReply)
    assert made.text.splitlines()[1:] == [said]
    assert server.requests == []


def test_the_same_as_nothing_is_told_of_the_edit(desk, serve):
    with pytest.raises(RequestError) as caught:
        desk(serve()).create("the same but with a red magnitude line")
    assert "helio edit PIPELINE 'the same but with a red magnitude line'" in caught.value.advice


def test_what_sounds_like_a_run_of_no_pipeline_is_a_request(desk):
    assert isinstance(desk().create("run ACE magnetic field for last week"), Proposal)


# ---- what comes to nothing


def test_what_was_never_proved_is_on_record_and_nowhere_else(desk, serve, library):
    one = desk(serve(SEEN, standin.forever(plan(fetch("AC_H22_MFI"), figure()))))
    with pytest.raises(NotProved) as caught:
        one.create(ASKED)
    [kept] = one.proposals.list()
    assert (kept.state, kept.by, kept.after) == ("failed", SMART, "")
    assert kept.diagnostics[0]["code"] == "HE401"
    assert caught.value.place == f"failed proposal {kept.id}"
    assert caught.value.__cause__ is None
    assert Path(one.transcript).stem == kept.transcript
    assert not library.folder.exists()


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (standin.forever(standin.wrong_key()), WrongKey),
        (standin.forever(standin.failure(429, retry="2s")), QuotaExhausted),
    ],
)
def test_a_model_that_cannot_be_asked_is_on_record_with_its_transcript(desk, serve, mine, script, error):
    one = desk(serve(script))
    with pytest.raises(error) as caught:
        one.edit("mine", "something else")
    [kept] = one.proposals.list(state="failed")
    assert kept.transcript
    assert kept.notes == (caught.value.message,)
    assert "--author rules" in caught.value.advice


def test_a_port_that_refuses_is_told_at_once(desk, serve):
    server = serve()
    server.close()
    one = desk(server)
    with pytest.raises(ModelUnreachable, match="cannot be reached"):
        one.create(ASKED)
    assert [each.state for each in one.proposals.list()] == ["failed"]


def test_what_a_model_says_is_impossible_is_on_record_and_what_rules_do_not_read_is_not(desk, serve):
    one = desk(serve(SEEN, standin.json_text({"status": "impossible", "reason": "no"})))
    with pytest.raises(NotUnderstood):
        one.create(ASKED)
    assert [each.state for each in one.proposals.list()] == ["failed"]
    with pytest.raises(NotUnderstood):
        desk().create("a cup of coffee")
    assert len(one.proposals.list()) == 1


def test_a_desk_that_is_ended_asks_no_more(desk, serve, library, mine):
    from threading import Event

    ended = Event()

    def answer(request: standin.Request) -> standin.Reply:
        ended.set()
        return LOOK

    server = serve(answer)
    one = desk(server, ended=ended)
    with pytest.raises(Cancelled):
        one.create(ASKED)
    assert (len(server.requests), one.proposals.list()) == (1, [])
    assert library.text(library.find("mine")) == mine


def test_the_key_is_nowhere_in_the_home(desk, serve, tmp_path):
    one = desk(serve(SEEN, plan()))
    one.proposals.accept(one.create(f"{ASKED}; my key is {KEY}"))
    one.close()
    kept = files(tmp_path)
    assert len(kept) > 3
    assert [name for name, content in kept.items() if KEY.encode() in content] == []


# ---- questions


def test_a_model_that_asks_for_ever_is_ended(desk, serve):
    server = serve(lambda request: question("Sure?", "yes", "no") if request.schema else SEEN)
    one, chosen = desk(server), ()
    for _ in range(3):
        assert isinstance(one.create(ASKED, chosen=chosen), AuthorQuestion)
        chosen = (*chosen, "yes")
    with pytest.raises(NotProved):
        one.create(ASKED, chosen=chosen)
    assert len(server.requests) == 3 * 2 + 5


# ---- replay


def test_a_transcript_gives_the_same_proposal_again_without_a_key(desk, serve):
    one = desk(serve(LOOK, SEEN, plan()))
    first = one.create(ASKED)
    one.close()
    later = desk(replay=Path(one.transcript).stem, now=None)
    again = later.create(ASKED)
    assert again.after.encode() == first.after.encode()
    for name in ("pipeline", "by", "notes", "tokens", "prompt_digest", "diagnostics", "request"):
        assert getattr(again, name) == getattr(first, name)


def test_a_failure_is_told_again_as_it_was(desk, serve):
    one = desk(serve(SEEN, standin.forever(standin.stopped("SAFETY"))))
    with pytest.raises(Exception, match="safety filter") as first:
        one.create(ASKED)
    one.close()
    with pytest.raises(type(first.value), match="safety filter"):
        desk(replay=one.transcript, now=None).create(ASKED)


def test_another_request_is_not_what_the_transcript_answers(desk, serve):
    one = desk(serve(SEEN, plan()))
    one.create(ASKED)
    one.close()
    with pytest.raises(TranscriptDiffers):
        desk(replay=one.transcript).create("the density of Wind, as physicists like it")


def test_a_transcript_that_is_not_there_is_told(desk):
    with pytest.raises(RequestError, match="no transcript is called '20200101T000000-000000'"):
        desk(replay="20200101T000000-000000")


def test_the_transcript_says_by_which_clock_it_was(desk, serve):
    one = desk(serve(SEEN, plan()))
    one.create(ASKED)
    assert [line["now"] for line in read_lines(Path(one.transcript)) if line["kind"] == "clock"] == [
        NOW.isoformat()
    ]


# ---- repairs of runs


def failing(**more) -> dict:
    """A run of the samples fails with it: they have no such parameter."""
    args = {"dataset_id": "AC_K2_MFI", "parameter_id": "Magnitude_", "time_range": "2022-01-01"}
    return {
        "id": "mine",
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": args | more},
            {"step_id": "figure", "tool_name": "plot_data", "tool_args": {}},
        ],
    }


@pytest.fixture
def failed(settings, library):
    """Runs a pipeline of one's own that fails, and gives its id."""

    def run(template: dict, *, save: bool = True) -> str:
        if save:
            library.save(template, replace=True)
        made = api.run(template, archive="sample", settings=settings, check=False)
        assert made.status == "failed"
        return made.id

    return run


def test_a_name_that_is_misspelt_is_mended_by_rules_before_a_model_is_asked(desk, serve, failed):
    server = serve()
    made = desk(server).repair(failed(failing()))
    assert (made.by, made.kind, server.requests) == ("rules", "repaired", [])
    assert made.template["steps"][0]["tool_args"]["parameter_id"] == "Magnitude"


def test_a_model_is_told_the_error_and_what_the_catalogue_has(desk, serve, failed):
    server = serve(edit(put("b", "tool_args/parameter_id", "BGSEc")))
    run = failed(failing(parameter_id="qqqq"))
    made = desk(server).repair(run)
    assert (made.by, made.run, made.kind) == (SMART, run, "repaired")
    told = server.requests[0].text
    assert "UnknownParameter" in told
    assert "AC_K2_MFI has records of" in told
    assert "BGSEc" in told


def test_a_run_that_went_well_is_not_mended(desk, serve, settings):
    good = failing(parameter_id="BGSEc")
    made = api.run(good, archive="sample", settings=settings)
    with pytest.raises(RequestError, match="has no failed step"):
        desk(serve()).repair(made.id)


def test_a_run_that_does_not_exist_names_those_that_failed_lately(desk, serve, settings, failed):
    api.run(failing(parameter_id="BGSEc"), archive="sample", settings=settings)
    with pytest.raises(UnknownRun) as refused:
        desk(serve()).repair("nope")
    assert refused.value.advice == "run `helio runs` to see all runs"
    run = failed(failing())
    with pytest.raises(UnknownRun) as refused:
        desk(serve()).repair("nope")
    assert refused.value.advice.endswith(f"; runs with failed steps, newest first: {run} (mine)")
    with pytest.raises(UnknownPipeline, match="no pipeline is called 'nope'") as unknown:
        api.fix("nope", settings=settings)
    assert unknown.value.advice.endswith(
        f"use `helio repair RUN`; runs with failed steps, newest first: {run} (mine)"
    )


def test_a_step_that_has_changed_since_is_not_mended(desk, serve, failed, library):
    run = failed(failing(parameter_id="qqqq"))
    library.save(failing(parameter_id="BGSEc"), replace=True)
    with pytest.raises(RequestError, match="step b of mine has changed since"):
        desk(serve()).repair(run)


def test_a_run_of_no_pipeline_of_the_library_is_mended_as_a_new_one(desk, serve, failed):
    run = failed(failing(parameter_id="qqqq"), save=False)
    made = desk(serve(edit(put("b", "tool_args/parameter_id", "BGSEc")))).repair(run)
    assert (made.pipeline, made.before) == ("mine-repaired", "")
    assert "step b: parameter: qqqq → BGSEc" in [str(one) for one in made.changes]


def test_a_repair_that_was_rejected_is_not_proposed_again_by_rules(desk, serve, failed):
    run = failed(failing())
    one = desk()
    one.proposals.reject(one.repair(run))
    with pytest.raises(NotUnderstood, match="knows only one repair of this run, and you rejected it"):
        one.repair(run)


def test_a_repair_that_was_rejected_is_not_taken_from_a_model_either(desk, serve, failed):
    same = edit(put("b", "tool_args", failing(parameter_id="Magnitude")["steps"][0]["tool_args"]))
    other = edit(put("b", "tool_args/parameter_id", "BGSEc"))
    run = failed(failing())
    one = desk(serve(same, other))
    one.proposals.reject(one.repair(run))
    made = one.repair(run)
    assert (made.by, made.template["steps"][0]["tool_args"]["parameter_id"]) == (SMART, "BGSEc")


# ---- swaps that the table cannot do well


def save_two_of_omni(library) -> None:
    """A plasma beta of OMNI's numbers, whose temperature is in K and that of Wind in eV; and its Bz alone."""
    steps = [
        {
            "step_id": label,
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "OMNI_HRO_1MIN",
                "parameter_id": parameter,
                "time_range": "$TIME_RANGE",
                "output_label": label,
            },
        }
        for label, parameter in (("T", "T"), ("n", "proton_density"), ("B", "F"))
    ]
    labels = {"density_label": "n", "temperature_label": "T", "field_label": "B", "output_label": "beta"}
    drawn = {"spec": {"labels": ["beta", "B"], "panels": [["beta"], ["B"]]}}
    template = {
        "id": "beta",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "last week"}},
        "steps": [
            *steps,
            {"step_id": "beta", "tool_name": "plasma_beta", "tool_args": labels},
            {"step_id": "figure", "tool_name": "render_spec", "tool_args": drawn},
        ],
    }
    library.save(template)
    bz = json.loads(json.dumps(template).replace('"F"', '"BZ_GSM"')) | {"id": "bz"}
    bz["steps"] = [bz["steps"][2], bz["steps"][4]]
    bz["steps"][1]["tool_args"]["spec"] = {"labels": ["B"]}
    library.save(bz)


@pytest.mark.parametrize(
    ("pipeline", "request_", "asked"),
    [
        ("beta", "run it for ACE instead", False),
        ("beta", "run it for Wind instead", True),  # the table brings eV where K is taken
        ("bz", "run it for Wind instead", True),  # the table refuses: Wind has it in a vector
    ],
)
def test_the_model_gets_a_swap_that_the_table_cannot_do_well(desk, serve, library, pipeline, request_, asked):
    save_two_of_omni(library)
    server = serve(edit(put("figure", "tool_args/spec/title", "from the model")))
    made = desk(server).edit(pipeline, request_)
    assert isinstance(made, Proposal)
    assert (made.by, len(server.requests)) == ((SMART, 1) if asked else ("equivalence table", 0))


def test_an_error_of_the_rules_that_is_not_about_the_sentence_reaches_the_user(
    desk, serve, library, monkeypatch
):
    def refuse(*_, **__):
        raise TimeRangeError("the year 20222 is not possible")

    save_two_of_omni(library)
    server = serve(edit(put("figure", "tool_args/spec/title", "from the model")))
    one = desk(server)
    monkeypatch.setattr(one.authors.rules, "edit", refuse)
    with pytest.raises(TimeRangeError):
        one.edit("bz", "run it for Wind instead")
    assert server.requests == []


def test_wind_data_under_a_sentence_about_ace_are_said_above_the_changes(desk, serve):
    server = serve(SEEN, standin.call("list_parameters", {"dataset_id": "WI_H0_MFI"}), SEEN,
                   plan(fetch("WI_H0_MFI", "BGSE"), figure(), name="Field"))  # fmt: skip
    made = desk(server).create("ACE magnetic field for last week")
    assert "the request names ACE, but the data are from Wind" in [
        one["message"] for one in made.diagnostics if one["code"] == "HE406"
    ]


# ---- lists of events


def test_rules_draw_a_list_of_events_and_no_model_gets_it(desk, serve, tmp_path: Path):
    path = tmp_path / "events.csv"
    path.write_text("start,stop\n2022-01-01T03:00,2022-01-01T06:00\n", encoding="utf-8")
    server = serve(plan())
    made = desk(server).create("ACE magnetic field for 2022-01-01, shade the events", sources=[path])
    assert (made.by, server.requests) == ("rules", [])
    assert '("2022-01-01T03:00:00", "2022-01-01T06:00:00"),' in made.after.replace('\\"', '"')
    assert any("not measured" in finding["message"] for finding in made.diagnostics)
    assert made.documents == (
        {
            "name": "events.csv",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "media_type": "text/plain",
            "size": path.stat().st_size,
        },
    )


def test_an_answer_reads_the_list_of_the_question_again(desk, tmp_path: Path, monkeypatch):
    (tmp_path / "onsets.txt").write_text("2015-03-17T06:00\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    first = desk(by="rules")
    kept = first.keep(first.create("superposed epoch of Dst at these times", sources=["onsets.txt"]))
    monkeypatch.chdir("/")
    made = desk(by="rules").answer(kept.id, "1d before to 3d after")
    assert isinstance(made, Proposal)
    assert "2015-03-17T06:00:00" in made.after
