"""The commands as a user meets them, with a model that answers by a script: good, sloppy, hostile, gone."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio.authoring.models import door as doors
from helio.authoring.models.transcript import read_lines
from helio.cli import app, asking
from helio.cli.app import say
from tests.authoring import standin_gemini as standin
from tests.authoring.answers import LOOK, RED, SEEN, edit, fetch, figure, plan, put, question
from tests.authoring.conftest import python, wait_for_requests
from tests.authoring.standin_gemini import KEY, GeminiStandIn
from tests.waiting import LONG

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

ASKED = "the field of ACE, as physicists like it, for last week"
HELIO = "from helio.cli import main; main()"


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, an empty home and no key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.setenv("HELIO_MODEL_FALLBACK", "none")
    for name in (
        "HELIO_ARCHIVE",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "HELIO_MODEL_URL",
        "HELIO_MODEL_TOKENS",
    ):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def model(serve, monkeypatch, still) -> Callable[..., GeminiStandIn]:
    """A model that answers by a script, named in the environment; nobody waits for it."""
    monkeypatch.setattr(doors, "Clock", lambda: still.clock)

    def named(*script: object, **options: object) -> GeminiStandIn:
        server = serve(*script, **options)
        monkeypatch.setenv("HELIO_MODEL_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        return server

    return named


def helio(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio", input=stdin)


def failing(code: int, *arguments: str) -> str:
    """What is said; no traceback, and never the key."""
    result = helio(*arguments)
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert KEY not in result.output
    return result.output


@pytest.fixture
def mine() -> Path:
    """A pipeline of one's own."""
    assert helio("copy", "ace-bfield-overview", "mine").exit_code == 0
    return Path("home/templates/mine.json")


def proposal() -> str:
    [found] = json.loads(helio("proposals", "--all", "--json").stdout)
    return found["id"]


# ---- from a sentence to a pipeline


def test_a_sentence_is_proposed_reviewed_accepted_and_run(model):
    model(LOOK, SEEN, plan(fetch("AC_K2_MFI"), figure()))
    result = helio("author", ASKED)
    assert result.exit_code == 0, result.output
    assert "+ b: fetch AC_K2_MFI BGSEc over $TIME_RANGE → B" in result.output
    assert f"Pending. To accept it: `helio accept {proposal()}`" in result.output
    assert not Path("home/templates").exists()
    assert "pending" in helio("proposals").output
    assert '"op"' in helio("proposals", "show", proposal(), "--patch").output
    assert helio("accept", proposal()).exit_code == 0
    assert helio("proposals").output == "no pending proposals\n"
    assert "was accepted" in failing(2, "accept", proposal())
    done = helio("run", "ace-field", "--archive", "sample", "-t", "2022-01-01", "-o", "out")
    assert done.exit_code == 0, done.output
    assert Path("out/figure.html").exists()


def test_an_edit_is_shown_in_the_field_s_words_and_can_be_undone(model, mine):
    before = mine.read_bytes()
    model(edit(RED, touches="style"))
    result = helio("edit", "mine", "the same but with a red magnitude line", "--yes")
    assert "~ step 4: colour of ACE_Bmag: black → red" in result.output
    assert "Will be recomputed: 3. Unchanged: 1, 2." in result.output
    assert b'"red"' in mine.read_bytes()
    assert "edited" in helio("history", "mine").output
    assert helio("edit", "mine", "--undo").exit_code == 0
    assert mine.read_bytes() == before


def test_a_rejected_change_is_not_made(model, mine):
    before = mine.read_bytes()
    model(edit(RED, touches="style"))
    helio("edit", "mine", "red for the magnitude")
    assert helio("reject", proposal()).exit_code == 0
    assert "was rejected" in failing(2, "accept", proposal())
    assert mine.read_bytes() == before


def test_the_reason_of_a_rejection_is_given_to_the_model_with_the_next_request(model, mine):
    server = model(edit(RED, touches="style"), edit(RED, touches="style"))
    helio("edit", "mine", "red for the magnitude")
    assert "alerts" not in server.requests[0].text
    helio("reject", proposal(), "--because", "red is for alerts")
    helio("edit", "mine", "another colour for the magnitude")
    assert '"rejected because": "red is for alerts"' in server.requests[1].text
    assert "colour of ACE_Bmag: black \u2192 red" in server.requests[1].text


def test_a_colour_draws_the_figure_anew_and_computes_nothing(model, mine):
    run = ("run", "mine", "--archive", "sample", "-t", "2022-01-01", "--json")
    helio(*run)
    model(edit(RED, touches="style"))
    helio("edit", "mine", "red for the magnitude", "--yes")
    steps = json.loads(helio(*run).stdout)["steps"]
    assert [one["state"] for one in steps] == ["cached", "cached", "completed"]


def test_a_preview_draws_both_figures_and_changes_nothing(model, mine):
    before = mine.read_bytes()
    model(edit(RED, touches="style"))
    result = helio(
        "edit", "mine", "red for the magnitude", "--preview", "--archive", "sample", "-t", "2022-01-01"
    )
    assert result.exit_code == 0, result.output
    drawn = sorted(str(path.relative_to("helio-runs").parent) for path in Path("helio-runs").rglob("*.html"))
    assert drawn == [f"preview-{proposal()}/after", f"preview-{proposal()}/before"]
    assert mine.read_bytes() == before


def test_a_preview_without_data_says_so_and_the_proposal_waits(model, mine):
    model(edit(RED, touches="style"))
    result = helio(
        "edit", "mine", "red for the magnitude", "--preview", "--archive", "sample", "-t", "1999-01-01"
    )
    assert result.exit_code == 0, result.output
    assert "no preview  before and after: " in result.output
    assert "Pending. To accept it: " in result.output
    assert helio("accept", proposal()).exit_code == 0


def test_a_preview_that_cannot_even_be_planned_says_so(model, mine):
    model(edit(RED, touches="style"))
    result = helio("edit", "mine", "red for the magnitude", "--preview", "-t", "yesteryear")
    assert result.exit_code == 0, result.output
    assert "no preview  before and after: " in result.output
    assert "Pending. To accept it: " in result.output


def test_what_programs_read_has_the_patch_the_words_and_the_work(model, mine):
    model(edit(RED, touches="style"))
    told = json.loads(helio("edit", "mine", "red for the magnitude", "--json").stdout)
    assert told["changes"] == ["step 4: colour of ACE_Bmag: black → red"]
    assert told["patch"][0]["op"] == "replace"
    assert (told["computed_anew"], told["in_the_store"], told["preview"]) == ([3], [1, 2], [])
    assert told["state"] == "pending"


def test_a_question_about_a_pipeline_is_answered(model, mine):
    answer = standin.json_text({"status": "answer", "answer": "The hourly one, AC_H2_MFI."})
    model(answer, answer)
    assert helio("edit", "mine", "which dataset is it?").output == "The hourly one, AC_H2_MFI.\n"
    told = json.loads(helio("edit", "mine", "which dataset is it?", "--json").stdout)
    assert told == {"reply": "The hourly one, AC_H2_MFI."}
    assert helio("proposals").output == "no pending proposals\n"


def test_an_answer_of_a_model_is_printed_plain_and_short(model, mine):
    fake = "It is hourly.\naccepted /home/me/mine.json\n" + "and so on\n" * 1000
    model(standin.json_text({"status": "answer", "answer": fake}))
    lines = helio("edit", "mine", "which dataset is it?").output.splitlines()
    assert lines[0] == "It is hourly."
    assert "accepted /home/me/mine.json" not in lines
    assert len(lines) < 100
    assert lines[-1].endswith("more lines")


@pytest.mark.parametrize("hidden", ["\x1b[2J", "\r", "\x9b31m", "\u202e", "\x07"])
def test_an_answer_of_a_model_obeys_no_terminal(model, mine, hidden):
    model(standin.forever(standin.json_text({"status": "answer", "answer": f"It is{hidden} hourly."})))
    assert hidden not in helio("edit", "mine", "which dataset is it?").output


def test_a_reason_of_a_model_is_one_line(model, mine):
    model(standin.json_text({"status": "impossible", "reason": "no data\naccepted mine\nstatus: success"}))
    assert "accepted mine" not in helio("edit", "mine", "add the moon").output.splitlines()


def test_a_file_may_be_edited_and_have_back_what_it_was(model, mine):
    file, before = Path("plan.json"), mine.read_text(encoding="utf-8")
    file.write_text(before, encoding="utf-8")
    title = put(4, "tool_args/title", "Field")
    model(edit(RED, touches="style"), edit(title, touches="style"))
    assert helio("edit", "plan.json", "red for the magnitude", "--yes").exit_code == 0
    assert helio("edit", "plan.json", "title: 'Field'", "--yes").exit_code == 0
    assert '"Field"' in file.read_text(encoding="utf-8")
    assert helio("edit", "plan.json", "--undo").exit_code == 0
    assert '"red"' in file.read_text(encoding="utf-8")
    assert "undone: red for the magnitude" in helio("edit", "plan.json", "--undo").output
    assert file.read_text(encoding="utf-8") == before
    assert "does not come from an accepted proposal" in failing(2, "edit", "plan.json", "--undo")
    assert mine.read_text(encoding="utf-8") == before


def test_the_file_of_a_pipeline_is_that_pipeline(model, mine):
    model(edit(RED, touches="style"))
    assert helio("edit", str(mine), "red for the magnitude", "--yes").exit_code == 0
    assert "edited" in helio("history", "mine").output
    assert "back to revision 1" in helio("edit", str(mine), "--undo").output


def test_who_asks_to_run_a_pipeline_is_told_how():
    result = helio("author", "run my ACE overview for January 2026")
    assert "helio run ace-bfield-overview --time-range 'January 2026'" in result.output
    assert not Path("helio-runs").exists()


# ---- questions back


def test_a_question_is_shown_with_its_choices(model):
    model(SEEN, question("Which cadence?", "1 h", "16 s"))
    output = failing(2, "author", ASKED)
    assert "Which cadence?\n  1  1 h\n  2  16 s\n" in output
    [kept] = Path("home/questions").glob("*.json")
    assert f"answer with a number or a choice: `helio answer {kept.stem} 1`" in output


def test_a_question_as_json(model):
    model(SEEN, question("Which cadence?", "1 h", "16 s"))
    result = helio("author", ASKED, "--json")
    told = json.loads(result.stdout)
    assert Path(f"home/questions/{told.pop('id')}.json").is_file()
    assert told == {"question": "Which cadence?", "choices": ["1 h", "16 s"]}
    assert result.exit_code == 2


@pytest.mark.parametrize("answer", ["16 s", "16 S", "2"])
def test_a_kept_question_is_answered_later_as_it_was_asked(model, answer):
    model(SEEN, question("Which cadence?", "1 h", "16 s"))
    asked = json.loads(helio("author", ASKED, "--as", "field", "--now", "2024-01-20", "--json").stdout)
    server = model(SEEN, plan())
    result = helio("answer", asked["id"], answer)
    assert result.exit_code == 0, result.output
    assert '[{"question": "Which cadence?", "answer": "16 s"}]' in server.requests[1].text
    assert "2024-01-20" in server.requests[1].text
    assert "field: authored by" in result.output
    assert "no open question" in failing(2, "answer", asked["id"], answer)


def test_a_second_question_is_kept_with_the_first_answer(model, mine):
    model(question("Which cadence?", "1 h", "16 s"))
    first = json.loads(helio("edit", "mine", "make it nicer", "--json").stdout)
    model(question("Which colour?", "red", "blue"))
    second = json.loads(helio("answer", first["id"], "1", "--json").stdout)
    server = model(edit(RED, touches="style"))
    assert helio("answer", second["id"], "red").exit_code == 0
    answers = [
        {"question": "Which cadence?", "answer": "1 h"},
        {"question": "Which colour?", "answer": "red"},
    ]
    assert json.dumps(answers) in server.requests[0].text
    assert not list(Path("home/questions").glob("*.json"))


def test_an_answer_that_is_no_choice_of_the_question_is_refused_and_the_question_stays(model):
    model(SEEN, question("Which cadence?", "1 h", "16 s"), SEEN, question("Which frame?", "GSE", "GSM"))
    asked = json.loads(helio("author", ASKED, "--json").stdout)
    assert "is not one of the choices of the question" in failing(2, "answer", asked["id"], "1 min")
    assert Path(f"home/questions/{asked['id']}.json").is_file()
    assert "'16 s' is not one of the choices of the question 'Which frame?'" in failing(
        2, "author", ASKED, "--answer", "16 s"
    )


def test_a_question_is_found_by_the_beginning_of_its_id(model):
    model(*[SEEN, question("Which cadence?", "1 h", "16 s")] * 2, SEEN, plan())
    first, second = (json.loads(helio("author", ASKED, "--json").stdout)["id"] for _ in range(2))
    assert f"2 questions begin with 'question-'\n  help: use one of {min(first, second)}, " in failing(
        2, "answer", "question-", "2"
    )
    answered = helio("answer", first[:-1], "2")
    assert answered.exit_code == 0, answered.output


def test_what_is_no_id_of_a_question_gets_a_hint():
    assert "use the id that helio printed with its question" in failing(2, "answer", "omni", "1")


@pytest.mark.parametrize("name", ["nothing", "question-0", "../proposals/x", "question-/../x"])
def test_an_unknown_question_is_refused(name):
    assert "question" in failing(2, "answer", name, "1")


@pytest.mark.parametrize(("given", "told"), [(("--answer", "16 s"), "16 s"), (("--yes",), "1 h")])
def test_a_question_is_answered_on_the_command(model, given, told):
    server = model(SEEN, question("Which cadence?", "1 h", "16 s"), SEEN, plan())
    result = helio("author", ASKED, *given)
    assert result.exit_code == 0, result.output
    assert f'"answer": "{told}"' in server.requests[3].text
    assert ("Which cadence? Answered with the first choice: 1 h" in result.output) is (given == ("--yes",))


@pytest.mark.parametrize("given", [("--answer", "both"), ("--answer", "both", "--yes")])
def test_an_answer_without_a_question_is_refused_and_nothing_is_proposed(mine, given):
    before = mine.read_bytes()
    assert "helio asked no question for --answer 'both'" in failing(2, "edit", "mine", "make Bz red", *given)
    assert (mine.read_bytes(), helio("proposals", "--all").output) == (before, "no proposals\n")


def test_yes_to_a_model_that_only_asks_comes_to_an_end(model):
    server = model(lambda request: question("Sure?", "yes", "no") if request.schema else SEEN)
    output = failing(2, "author", ASKED, "--yes")
    assert "none of the model's 4 answers could be used" in output
    assert len(server.requests) == 3 * 2 + 5


# ---- ends


def test_what_is_never_proved_is_told_with_what_was_wrong(model):
    model(SEEN, standin.forever(plan(fetch("AC_H22_MFI"), figure())))
    output = failing(2, "author", ASKED)
    assert "error: none of the model's 4 answers could be used" in output
    assert "HE401" in output
    assert f"failed proposal {proposal()}" in output
    assert not Path("home/templates").exists()
    assert helio("proposals").output == "no pending proposals\n"


def test_no_key_is_no_obstacle_to_a_plain_request():
    result = helio("author", "ACE magnetic field for last week")
    assert result.exit_code == 0, result.output
    assert "authored by rules" in result.output


def test_no_key_is_told_to_who_wants_a_model():
    assert "set GEMINI_API_KEY" in failing(1, "author", ASKED, "--author", "model")
    assert "--author cannot be 'gpt'" in failing(2, "author", ASKED, "--author", "gpt")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (standin.forever(standin.wrong_key()), "the model's API key was rejected"),
        (standin.forever(standin.failure(429, retry="2s")), "the quota for"),
        (standin.forever(standin.failure(503, "overloaded")), "answered 503: overloaded, after 4 attempts"),
        (standin.forever(standin.blocked()), "safety filter"),
        (standin.forever(standin.reset()), "after 4 attempts"),
        (standin.forever(standin.page()), "did not answer with JSON"),
    ],
)
def test_a_model_that_gives_nothing_is_told_in_words_and_kept(model, mine, script, said):
    before = mine.read_bytes()
    model(script)
    output = failing(1, "edit", "mine", "make it nicer")
    assert said in output
    assert "--author rules" in output
    [kept] = json.loads(helio("proposals", "--all", "--json").stdout)
    assert (kept["state"], bool(kept["transcript"])) == ("failed", True)
    assert Path(f"home/transcripts/{kept['transcript']}.jsonl").exists()
    assert mine.read_bytes() == before


def test_empty_answers_for_ever_are_an_end_after_eight_requests(model, mine):
    server = model(standin.forever(standin.empty()))
    assert "empty answer, after 2 attempts" in failing(2, "edit", "mine", "make it nicer")
    assert len(server.requests) == 8


def test_a_port_that_refuses_is_told_in_words(model):
    model().close()
    output = failing(1, "author", ASKED)
    assert "cannot be reached" in output
    assert "HELIO_MODEL_URL" in output
    assert f"failed proposal {proposal()}" in output


def test_an_error_as_json_says_where_it_is_kept(model):
    model(standin.forever(standin.wrong_key()))
    result = helio("author", ASKED, "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["error"]["kind"]) == (1, "WrongKey")
    assert told["error"]["place"] == f"failed proposal {proposal()}"


def test_a_budget_of_tokens_is_kept_to(model, monkeypatch):
    monkeypatch.setenv("HELIO_MODEL_TOKENS", "20")
    server = model(LOOK, LOOK, SEEN, plan())
    output = failing(1, "author", ASKED)
    assert "has used 30 tokens; the limit is 20" in output
    assert len(server.requests) == 2


def test_another_model_that_was_asked_is_named(model, monkeypatch):
    monkeypatch.setenv("HELIO_MODEL_FALLBACK", "gemini-other")

    def answer(request: standin.Request) -> standin.Reply:
        if request.model != "gemini-other":
            return standin.failure(503, "overloaded")
        return edit(RED, touches="style")

    model(answer)
    assert helio("copy", "ace-bfield-overview", "mine").exit_code == 0
    result = helio("edit", "mine", "red for the magnitude")
    assert "edited by gemini-other" in result.output
    assert "note: another model answered: " in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("author", ASKED, "--as", "mine"), "a pipeline 'mine' exists already"),
        (("author", ASKED, "--as", "Not An Id"), "'not-an-id'"),
        (("author", ""), "the request is empty"),
        (("author", ASKED, "--replay", "nowhere"), "no transcript is called 'nowhere'"),
        (("author", ASKED, "--now", "noon"), "'noon' is not a valid time"),
        (("edit", "mine"), "no change was requested"),
        (("edit", "mine", "red", "--undo"), "--undo cannot be used together with a request"),
        (("edit", "mine", "--undo", "--as", "other"), "--undo cannot be used together with --as"),
        (("edit", "mine", "--undo"), "has no earlier revision"),
        (("edit", "ace-bfield-overview", "red for Bz"), "--as my-ace-bfield-overview"),
        (("edit", "nothing", "red"), "no pipeline is called 'nothing'"),
        (("edit", "nothing.json", "red"), "there is no file nothing.json"),
        (("repair", "nothing"), "nothing"),
        (("proposals", "show", "nothing"), "no proposal is called 'nothing'"),
    ],
)
def test_a_wrong_input_asks_nobody(model, mine, arguments, said):
    server = model()
    assert said in failing(2, *arguments)
    assert server.requests == []


def test_a_damaged_template_is_told_before_anyone_is_asked(model, mine):
    server = model()
    mine.write_text(mine.read_text(encoding="utf-8")[:200], encoding="utf-8")
    assert "HP002" in failing(2, "edit", "mine", "red for Bz")
    assert server.requests == []


@pytest.mark.parametrize(
    "damage",
    [
        "{}",
        "[1]",
        '{"id": ',
        "\udcff",
        {"tokens": "many"},
        {"notes": 3},
        {"diagnostics": [1]},
        {"created_at": 5},
        {"state": "?"},
        {"kind": ["edited"]},
        {"after": "{bad json"},
        {"after": '{"steps": [1]}'},
    ],
)
def test_a_damaged_proposal_is_named_and_keeps_nobody_from_the_others(mine, damage):
    helio("edit", "mine", "change the title to 'Hello'")
    sound = proposal()
    text = damage
    if isinstance(damage, dict):
        facts = json.loads(Path(f"home/proposals/{sound}.json").read_text(encoding="utf-8"))
        text = json.dumps(facts | {"id": "torn"} | damage)
    Path("home/proposals/torn.json").write_bytes(text.encode(errors="surrogateescape"))
    listed = helio("proposals")
    assert listed.exit_code == 0, listed.output
    assert "torn.json is skipped: this version of helio" in listed.stderr
    assert sound in listed.stdout
    for verb in (("accept",), ("proposals", "show")):
        assert "torn.json is not a valid proposal" in failing(2, *verb, "torn")
    assert helio("author", "ACE magnetic field for 2023-01-02").exit_code == 0
    assert helio("accept", sound).exit_code == 0


@pytest.mark.parametrize("damage", ["{", "[]", '{"number": "1"}', "\udcff"])
def test_a_damaged_note_in_a_history_is_named_and_passed_over(mine, damage):
    helio("edit", "mine", "change the title to 'Hello'", "--yes")
    about = Path("home/templates/history/mine/1.about.json")
    about.write_bytes(damage.encode(errors="surrogateescape"))
    listed = helio("history", "mine")
    assert listed.exit_code == 0, listed.output
    assert "1.about.json" in listed.stderr
    assert listed.stdout.splitlines()[0].startswith("  2 *")
    assert helio("edit", "mine", "change the title to 'Bye'", "--yes").exit_code == 0
    assert helio("edit", "mine", "--undo").exit_code == 0
    assert '"title": "Hello"' in mine.read_text(encoding="utf-8")


def test_escapes_in_what_a_stranger_wrote_are_seen_and_not_obeyed(mine):
    text = mine.read_text(encoding="utf-8")
    title = "ACE \x1b]0;pwned\x07\x1b[2J\u202egnp.exe\x9b"
    document = json.loads(text)
    document["steps"][2]["tool_args"]["title"] = document["name"] = document["description"] = title
    mine.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    for command in (
        ("edit", "mine", "what does it draw?"),
        ("edit", "mine", "change the title to 'Hello'"),
        ("show", "mine"),
        ("list",),
        ("proposals", "--json"),
    ):
        said = helio(*command).output
        assert not set("\x1b\x07\u202e\x9b") & set(said), command
    [kept] = json.loads(helio("proposals", "--json").stdout)
    assert title in kept["before"].replace("\\u001b", "\x1b").replace("\\u0007", "\x07")


def test_a_question_of_a_model_cannot_pass_for_lines_of_helio(model):
    model(SEEN, question("Which?\naccepted /tmp/x.json", "1 s\nPending.", "16 s"))
    said = failing(2, "author", ASKED)
    assert "Which? accepted /tmp/x.json\n  1  1 s Pending.\n  2  16 s\n" in said


def test_a_file_gets_every_byte_of_a_text_and_a_terminal_does_not(mine, monkeypatch, capsys):
    said = "a\r\nb\x1b"
    say(said, nl=False, exact=True)
    assert capsys.readouterr().out == said
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    say(said, nl=False, exact=True)
    assert capsys.readouterr().out == "a\\u000d\nb\\u001b"


# ---- repair


def test_a_run_that_failed_is_mended_reviewed_and_goes_through(model):
    steps = [
        {
            "step_id": "b",
            "tool_name": "fetch_data",
            "tool_args": {"dataset_id": "AC_K2_MFI", "parameter_id": "qqqq", "time_range": "2022-01-01"},
        },
        {"step_id": "figure", "tool_name": "plot_data", "tool_args": {}},
    ]
    Path("plan.json").write_text(json.dumps({"id": "broken", "steps": steps}), encoding="utf-8")
    assert helio("run", "plan.json", "--archive", "sample").exit_code == 1
    [run] = [one["id"] for one in json.loads(helio("runs", "--json").stdout)]
    parameter = {"op": "set", "step": "b", "at": "tool_args/parameter_id", "value_json": '"BGSEc"'}
    model(edit(parameter))
    result = helio("repair", run, "--yes")
    assert result.exit_code == 0, result.output
    assert "~ step b: parameter: qqqq → BGSEc" in result.output
    assert helio("run", "broken-repaired", "--archive", "sample").exit_code == 0


# ---- replay


def test_a_transcript_says_it_all_again_without_a_key(model, monkeypatch):
    model(LOOK, SEEN, plan())
    first = json.loads(helio("author", ASKED, "--json").stdout)
    monkeypatch.delenv("GEMINI_API_KEY")
    monkeypatch.delenv("HELIO_MODEL_URL")
    again = json.loads(helio("author", ASKED, "--replay", first["transcript"], "--json").stdout)
    assert again["after"] == first["after"]
    path = f"home/transcripts/{first['transcript']}.jsonl"
    assert json.loads(helio("author", ASKED, "--replay", path, "--json").stdout)["after"] == first["after"]


# ---- while it is asked


def test_what_is_waited_for_is_said_on_a_terminal(model, mine, monkeypatch):
    said = io.StringIO()
    shown_requests = asking.shown_requests
    monkeypatch.setattr(asking, "shown_requests", lambda stream: shown_requests(said))
    model(standin.failure(503, "overloaded"), edit(RED, touches="style"))
    assert helio("edit", "mine", "red for the magnitude").exit_code == 0
    assert "answered 503: overloaded; helio tries again in 1.0 s" in said.getvalue()
    assert "question 1: gemini-3.8-flash, 15 tokens" in said.getvalue()


def test_nothing_of_it_is_said_where_nobody_looks(model, mine):
    model(edit(RED, touches="style"))
    assert "question 1" not in helio("edit", "mine", "red for the magnitude").output


# ---- ended from outside


@pytest.fixture
def environment(serve, tmp_path) -> Iterator[Callable[[GeminiStandIn], dict[str, str]]]:
    """The environment of a process of its own."""
    return lambda server: {
        **os.environ,
        "HELIO_MODEL_URL": server.url,
        "GEMINI_API_KEY": KEY,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


@pytest.mark.parametrize("arguments", [("author", ASKED), ("edit", "mine", "make it nicer")])
def test_ctrl_c_ends_a_question_at_once_and_says_what_is_true(serve, environment, mine, arguments):
    before = mine.read_bytes()
    server = serve(standin.slow(SEEN, 2 * LONG))
    with python("-c", f"import sys; sys.argv[0] = 'helio'; {HELIO}", *arguments,
                environment=environment(server)) as process:  # fmt: skip
        wait_for_requests(server, 1, process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=LONG)  # the answer takes longer
    assert process.returncode == 130
    assert output == ""
    assert errors.startswith("cancelled; nothing was changed; the transcript is ")
    assert "Traceback" not in errors
    assert "continue" not in errors
    transcript = Path(errors.strip().rsplit(" ", 1)[1])
    assert [one["kind"] for one in read_lines(transcript)][-2:] == ["error", "end"]
    assert mine.read_bytes() == before
    assert helio("proposals").output == "no pending proposals\n"


def test_after_kill_9_nothing_is_half_written_and_the_next_command_works(serve, environment, mine, model):
    before = mine.read_bytes()
    server = serve(LOOK, standin.slow(SEEN, 30))
    with python("-c", HELIO, "author", ASKED, environment=environment(server)) as process:
        wait_for_requests(server, 2, process)
        process.kill()
        process.wait()
    [transcript] = Path("home/transcripts").iterdir()
    assert [one["kind"] for one in read_lines(transcript)][:4] == ["begin", "clock", "ask", "answer"]
    assert not [path for path in Path("home").rglob(".*") if path.is_file()]
    assert mine.read_bytes() == before
    assert "ends before the answer to question" in failing(1, "author", ASKED, "--replay", transcript.stem)
    model(SEEN, plan())
    assert helio("author", ASKED).exit_code == 0


# ---- what a reviewer sees

CODE = ["a = df_B.copy()", "b = a * 2", "c = b + 1", "result = c"]


@pytest.fixture
def coded(mine) -> Path:
    """A pipeline with four lines of code."""
    args = {
        "dataset_id": "AC_K2_MFI",
        "parameter_id": "BGSEc",
        "time_range": "$TIME_RANGE",
        "output_label": "B",
    }
    code = {"source_labels": ["B"], "pandas_code": "\n".join(CODE), "output_label": "Scaled"}
    template = {
        "id": "mine",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "last 7 days"}},
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": args},
            {"step_id": "code", "tool_name": "custom_operation", "tool_args": code},
            {
                "step_id": "f",
                "tool_name": "plot_data",
                "tool_args": {"labels": ["B", "Scaled"], "title": "B"},
            },
        ],
    }
    mine.write_text(json.dumps(template, indent=2))
    return mine


LINES = "  ~ step code: pandas code:\n      - 3  c = b + 1\n      + 3  c = b + 1000\n"


def test_a_changed_line_of_code_is_shown_wherever_the_change_is(model, coded):
    new = "\n".join([*CODE[:2], "c = b + 1000", CODE[3]])
    model(edit(put("code", "tool_args/pandas_code", new)))
    assert LINES in helio("edit", "mine", "add a thousand").output
    assert LINES in helio("proposals", "show", proposal()).output
    told = json.loads(helio("proposals", "show", proposal(), "--json").stdout)
    [found] = told["differences"]
    assert told["changes"] == [found["text"]]
    assert found["removed"] == [{"number": 3, "value": "c = b + 1"}]
    assert found["added"] == [{"number": 3, "value": "c = b + 1000"}]
    assert helio("accept", proposal()).exit_code == 0
    number = helio("history", "mine").output.splitlines()[-1].split()[0]
    assert helio("history", "mine", "--diff", number).output == LINES
    assert json.loads(helio("history", "mine", "--diff", number, "--json").stdout) == [found]
    assert helio("edit", "mine", "--undo").exit_code == 0
    undone = helio("history", "mine", "--diff", str(int(number) + 1)).output
    assert undone == LINES.replace("b + 1000", "?").replace("b + 1", "b + 1000").replace("?", "b + 1")


def test_the_first_revision_is_shown_whole_and_an_absent_one_is_refused(mine):
    assert "  + 2: magnitude of ACE_B → ACE_Bmag\n" in helio("history", "mine", "--diff", "1").output
    assert "no revision 7" in failing(2, "history", "mine", "--diff", "7")


def test_a_pipeline_changed_by_hand_into_none_has_no_changes_to_show(mine):
    mine.write_text("no pipeline")
    assert "revision 2 of mine" in failing(2, "history", "mine", "--diff", "2")


def test_a_hidden_character_is_seen_in_the_review(coded):
    helio("history", "mine", "--restore", "2")
    coded.write_text(coded.read_text().replace('"title": "B"', '"title": "B\\u200b of \u202eECA\u202c"'))
    number = helio("history", "mine").output.splitlines()[-1].split()[0]
    said = helio("history", "mine", "--diff", number).output
    assert said == '  ~ step f: title: B → "B\\u200b of \\u202eECA\\u202c"\n'


def test_a_saved_run_is_shown_and_what_it_replaces(coded):
    def ran() -> str:
        done = helio("run", "mine", "--archive", "sample", "-t", "2022-01-01", "--json")
        return str(json.loads(done.stdout)["id"])

    first = helio("save", ran(), "--as", "kept")
    assert (
        "  + code: custom_operation of B → Scaled\n      pandas code:\n          1  a = df_B.copy()"
        in first.output
    )
    coded.write_text(coded.read_text().replace("b + 1", "b + 1000"))
    again = helio("save", ran(), "--as", "kept", "--replace")
    assert again.exit_code == 0, again.output
    assert again.stdout.endswith(LINES + f"{Path('home/templates/kept.json').absolute()}\n")
    assert "~ step" not in again.stdout.replace(LINES, "")


def test_from_gives_a_list_of_events_to_author_and_edit(fresh):
    (fresh / "events.csv").write_text(
        "start;stop;label\n2022-01-01T03:00;2022-01-01T06:00;Cloud\n", encoding="utf-8"
    )
    given = ["--from", "events.csv"]
    done = helio(
        "author", "ACE magnetic field for 2022-01-01, shade the events", *given, "--as", "mine", "--yes"
    )
    assert done.exit_code == 0, done.output
    assert '2      ("2022-01-01T03:00:00", "2022-01-01T06:00:00"),' in done.output
    assert "of: events_cloud" in done.output
    done = helio("edit", "mine", "shade the events in red", *given)
    assert "step events_cloud" not in done.output.partition("1 ~")[2]
    assert "lightskyblue → red" in done.output
    done = helio("author", "ACE magnetic field, shade the events", "--from", "no.csv")
    assert (done.exit_code, "there is no file no.csv" in done.output) == (2, True)
