"""A conversation: sentences become proposals, a person decides with commands, and everything is saved."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import helio as package
from helio.authoring.conversation.chat import COMMANDS
from helio.authoring.conversation.corrections import corrected
from helio.authoring.models import door as doors
from helio.cli import app
from tests.authoring import standin_gemini as standin
from tests.authoring.answers import LOOK, RED, SEEN, edit, fetch, figure, plan, put, question
from tests.authoring.conftest import python, wait_for_requests
from tests.authoring.pdfs import pdf
from tests.authoring.standin_gemini import KEY, GeminiStandIn
from tests.cli.commands import helio
from tests.waiting import LONG

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

PLOT = "plot AC_K2_MFI.BGSEc for 2022-01-01"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, an empty home, no engine and no key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.setenv("HELIO_MODEL_FALLBACK", "none")
    for name in ("HELIO_ARCHIVE", "GEMINI_API_KEY", "GOOGLE_API_KEY", "HELIO_MODEL", "HELIO_MODEL_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def model(serve, monkeypatch, still) -> Callable[..., GeminiStandIn]:
    """A model that answers by a script, named in the environment."""
    monkeypatch.setattr(doors, "Clock", lambda: still.clock)

    def named(*script: object) -> GeminiStandIn:
        server = serve(*script)
        monkeypatch.setenv("HELIO_MODEL_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        return server

    return named


def chat(*lines: str, words: tuple[str, ...] = (), code: int = 0, archive: str = "sample") -> str:
    """The text of a conversation, with the lines of the user."""
    result: Result = CliRunner().invoke(
        app,
        ["chat", *(["--archive", archive] if archive else []), *words],
        prog_name="helio",
        input="\n".join(lines) + "\n",
    )
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert KEY not in result.output
    return result.output


def answer(text: str, line: str) -> list[str]:
    """What helio said to a line."""
    lines = text.splitlines()
    begin = lines.index(f"> {line}") + 1
    ends = ("> ", "pending: ", "saved: ")
    end = next(index for index in range(begin, len(lines)) if lines[index].startswith(ends))
    return lines[begin:end]


def mine() -> str:
    [file] = [path for path in Path("home/templates").glob("*.json") if "schema" not in path.name]
    return file.read_text(encoding="utf-8")


# ---- sentences


def test_a_conversation_makes_proposals_on_top_of_each_other_and_accepts_nothing():
    text = chat(PLOT, "add the magnitude", "make the magnitude red", "change the title to 'Storm'")
    assert "  + ace_bgsec: fetch AC_K2_MFI BGSEc" in "\n".join(answer(text, PLOT))
    assert "  ~ step figure: colour of ACE_BGSEcmag: red" in answer(text, "make the magnitude red")
    assert len(json.loads(helio("proposals", "--json").stdout)) == 4
    assert not Path("home/templates").exists()
    last = text.splitlines()[-2]
    helio("accept", last.split("`")[1].removeprefix("helio accept "))
    assert '"Storm"' in mine()
    assert helio("proposals").output == "no pending proposals\n"


EVENTS = "start,stop\n2022-01-01T03:00,2022-01-01T06:00\n"


def test_files_go_with_the_next_sentence_and_not_with_later_ones():
    Path("icmes.csv").write_text(EVENTS, encoding="utf-8")
    text = chat(
        "/from none.csv", "/from icmes.csv", PLOT.replace("plot ", "plot with the events shaded "), "/from",
        "make the title 'Clouds'", code=1,
    )  # fmt: skip
    assert answer(text, "/from none.csv")[0].startswith("error: there is no file none.csv")
    assert answer(text, "/from icmes.csv") == [
        f"icmes.csv: a text, {len(EVENTS)} bytes",
        "to go with the next sentence; /from none takes them back",
    ]
    assert '("2022-01-01T03:00:00", "2022-01-01T06:00:00"),' in text
    assert answer(text, "/from") == ["no file goes with the next sentence"]
    assert "error" not in "\n".join(answer(text, "make the title 'Clouds'"))


def test_files_wait_through_a_quit_and_a_sentence_that_fails_and_can_be_taken_back():
    Path("icmes.csv").write_text(EVENTS, encoding="utf-8")
    first = chat("xyzzy", words=("--from", "icmes.csv"), code=1)
    assert "error: " in first
    text = chat("/from", "/from none", "/from 'a", words=("--continue",), code=1)
    assert answer(text, "/from") == [str(Path("icmes.csv").absolute())]
    assert answer(text, "/from none") == ["no file goes with the next sentence"]
    assert answer(text, "/from 'a")[0] == "error: a quote in ''a' is not closed"


def test_a_wrong_file_begins_no_conversation():
    assert "there is no file no.pdf" in chat(words=("--from", "no.pdf"), code=2)
    assert not list(Path("home").glob("chats/*"))


def test_a_model_gets_the_paper_of_a_conversation(model):
    Path("paper.pdf").write_bytes(pdf("Figure 3"))
    server = model(LOOK, SEEN, plan(), edit(RED, touches="style"))
    chat("make figure 3 for last week", words=("--from", "paper.pdf"), archive="")
    assert [request.files for request in server.requests] == [[("application/pdf", pdf("Figure 3"))]] * 3


def test_accept_is_a_command_and_the_history_has_every_sentence():
    text = chat(PLOT, "add the magnitude", "change the title to 'Storm'", "undo that", "/accept", "/quit")
    assert answer(text, "undo that") == ["undone: change the title to 'Storm'"]
    assert answer(text, "/accept")[0].startswith("accepted ")
    assert "Storm" not in mine()
    listed = helio("history", "ace-bgsec").output
    assert [line.split("rules  ")[1] for line in listed.splitlines()] == [PLOT, "add the magnitude"]


@pytest.mark.parametrize(
    "words", ["undo", "Undo that.", "take that back", "please undo it", "revert the last change"]
)
def test_words_take_back_only_what_is_pending(words):
    text = chat(PLOT, "/accept", words, code=1)
    assert "error: no change is pending" in answer(text, words)
    assert "AC_K2_MFI" in mine()


def test_undo_as_a_command_restores_the_text_before_the_last_acceptance():
    text = chat(PLOT, "/accept", "change the title to 'Storm'", "/accept", "/undo")
    assert answer(text, "/undo") == ["undone: change the title to 'Storm'; ace-bgsec is back to revision 1"]
    assert "Storm" not in mine()
    text = chat("change the title to 'Calm'", "/accept", "/undo", "/undo", words=("ace-bgsec",), code=1)
    assert "undone: change the title to 'Calm'; ace-bgsec is back to revision 3" in text
    assert "ace-bgsec has its first text already" in text


def test_what_to_do_with_a_proposal_is_said_once():
    text = chat(PLOT, "add the magnitude", "change the title to 'Storm'")
    assert answer(text, PLOT)[-1] == "Pending: /preview draws it, /accept accepts it, /undo takes it back"
    assert answer(text, "add the magnitude")[-1] == "2 pending changes"
    assert answer(text, "change the title to 'Storm'")[-1] == "3 pending changes"


def test_another_spacecraft_follows_from_three_words():
    text = chat("plot the ACE magnetic field for 2022-01-01", "now for Wind")
    assert "ace-magnetic-field: edited by equivalence table: now for Wind" in answer(text, "now for Wind")


def test_another_spacecraft_and_back_uses_the_data_of_the_archive():
    text = chat("plot the ACE magnetic field for 2022-01-01", "now for Wind", "back to ACE")
    assert (
        "  note: WI_H0_MFI.BGSE becomes AC_K2_MFI.BGSEc; cadence 1 h instead of 1 min, preliminary"
        in answer(text, "back to ACE")
    )


def test_the_colours_of_the_last_time_are_used_again():
    chat("plot the ACE magnetic field and its magnitude for 2022-01-01", "make the magnitude red", "/accept")
    text = chat("plot the Wind magnetic field and its magnitude for 2022-01-01", "same colours as last time")
    said = answer(text, "same colours as last time")
    assert "  note: the colours of ace-magnetic-field" in said
    assert "  ~ step figure: colour of Wind_Bmag: red" in said
    assert "no earlier figure has other colours" in chat("same colours", words=("--continue",), code=1)


def test_a_pipeline_that_comes_with_helio_is_changed_as_a_copy():
    text = chat("draw the magnitude in red", "/accept", words=("ace-bfield-overview",))
    assert "my-ace-bfield-overview: edited by rules: draw the magnitude in red" in text
    assert '"red"' in mine()


def test_a_question_changes_nothing():
    text = chat("which dataset does it use?", words=("ace-bfield-overview",))
    assert "AC_H2_MFI" in answer(text, "which dataset does it use?")[0]
    assert helio("proposals").output == "no pending proposals\n"


def test_words_that_nobody_understands_are_named_and_the_conversation_goes_on():
    text = chat(PLOT, "make it jazzy", "add the magnitude", code=1)
    assert any("'jazzy'" in line for line in answer(text, "make it jazzy"))
    assert "  2 ~ step figure: panel 2: ACE_BGSEcmag" in answer(text, "add the magnitude")


# ---- what a run showed


def test_why_a_panel_is_empty_is_read_from_the_record_of_the_run():
    text = chat(
        PLOT, "why is panel 1 empty?", "/run 2021-12-31 to 2022-01-02", "why is panel 1 empty?", code=1
    )
    assert "error: there is no run of ace-bgsec yet" in text
    assert "panel 1 (ACE_BGSEc) is not empty: it shows 72 values\nfrom the record of run ace-bgsec-" in text
    again = chat("why is the third panel empty?", "why is something empty?", words=("--continue",), code=1)
    assert "has no panel 3" in again
    assert "no panel is empty: 1 panel shows data" in again


def test_a_panel_without_values_says_why():
    chat("plot AC_K2_MFI.BGSEc and its magnitude for 2022-01-01", "/accept")
    template = json.loads(mine())
    template["steps"][-1]["tool_args"]["spec"]["y_range"] = {"2": [900, 1000]}
    path = next(Path("home/templates").glob("ace*.json"))
    path.write_text(json.dumps(template), encoding="utf-8")
    text = chat("/run", "why is panel 2 empty?", "why is panel 1 empty?", words=(path.stem,))
    assert any("is empty" in line for line in answer(text, "why is panel 2 empty?"))
    assert any("beyond the axes" in line for line in answer(text, "why is panel 2 empty?"))
    assert any("is not empty" in line for line in answer(text, "why is panel 1 empty?"))


def test_a_step_that_failed_is_the_reason():
    text = chat("/run 1999-01-01", "why is it empty?", words=("ace-bfield-overview",), code=1)
    assert any(line.startswith("step 1 failed: ") for line in answer(text, "why is it empty?"))


# ---- commands


def test_help_lists_every_command_and_a_misspelt_one_gets_a_hint():
    text = chat("/help", "/prevew", code=1)
    assert all(any(line.startswith(name) for line in answer(text, "/help")) for name in COMMANDS)
    assert "  help: did you mean '/preview'?" in answer(text, "/prevew")


def test_the_name_of_a_command_without_its_slash_gets_a_hint():
    text = chat(PLOT, "Accept!", "/quit", code=1)
    assert answer(text, "Accept!") == ["error: 'Accept!' is no request", "  help: use the command /accept"]


def test_a_preview_is_drawn_and_stays_out_of_the_list_of_runs():
    text = chat(PLOT, "/preview", "add the magnitude", "/preview", "/diff", "/show")
    files = [line.split()[1] for line in text.splitlines() if line.startswith("preview ")]
    assert len(files) == 3
    assert all(Path(file).is_file() for file in files)
    assert "no runs yet" in helio("runs").output
    assert "2 pending changes:" in answer(text, "/diff")
    assert "  step ace_bgsecmag: magnitude of ACE_BGSEc → ACE_BGSEcmag" in answer(text, "/show")


def test_a_preview_and_a_run_take_formats_and_a_time_range():
    text = chat(PLOT, "/preview html", "/run 2022-01-01 06:00 to 12:00 as html")
    assert answer(text, "/preview html")[0].endswith("/after/figure.html")
    assert answer(text, "/run 2022-01-01 06:00 to 12:00 as html")[0].endswith("/figure.html")


def test_a_run_is_a_run_of_all_pending_changes():
    text = chat(PLOT, "add the magnitude", "/run")
    assert answer(text, "/run")[-1].endswith("(with pending changes)")
    assert "ace-bgsec" in helio("runs").output


def test_a_rejection_has_a_reason_and_some_changes_are_accepted_by_number():
    text = chat(
        PLOT,
        "/accept",
        "make BGSEc red",
        "/reject red is for alerts",
        "change the title to 'Storm' and add the magnitude",
        "/accept x",
        "/accept 9",
        code=1,
    )
    assert answer(text, "/reject red is for alerts") == ["rejected: make BGSEc red"]
    rejected = json.loads(helio("proposals", "--all", "--json").stdout)
    assert [row["because"] for row in rejected if row["state"] == "rejected"] == ["red is for alerts"]
    assert "error: 'x' is not the number of a change" in text
    assert "error: the proposal has no change 9" in text


def test_accept_says_what_goes_with_the_last_change_and_what_is_left_out():
    both = "draw the magnitude in red and change the title to 'Storm'"
    text = chat(PLOT, "add the magnitude", "/accept 1", both, "/diff", "/accept 2", code=1)
    first, second = (
        row["id"] for row in reversed(json.loads(helio("proposals", "--all", "--json").stdout)[1:])
    )
    assert "  help: accept them together: /accept 1,2" in answer(text, "/accept 1")
    assert answer(text, "/diff")[:4] == [
        "3 pending changes:",
        f"  - {PLOT}",
        "  - add the magnitude",
        f"  - {both}",
    ]
    *beneath, left_out, accepted = answer(text, "/accept 2")
    assert beneath == [
        f"accepted with it: {first}: {PLOT}",
        f"accepted with it: {second}: add the magnitude",
    ]
    assert left_out.startswith("left out: step figure: ")
    assert accepted.startswith("accepted ")


@pytest.mark.parametrize("said", ["/diff extra", "/show me", "/cost x", "/undo 2", "/help me"])
def test_words_behind_a_command_that_takes_none_are_refused(said):
    text = chat(PLOT, said, code=1)
    name = said.split()[0]
    assert answer(text, said) == [f"error: {name} takes no argument", f"  help: type {name} alone"]


@pytest.mark.parametrize("said", ["quit", "Exit.", "bye"])
def test_a_conversation_ends_with_a_plain_word_too(said):
    text = chat(PLOT, said, "add the magnitude")
    assert text.splitlines()[-1].startswith("saved: ")
    assert "add the magnitude" not in text


def test_never_mind_without_a_question_and_undo_without_a_change_say_so():
    text = chat("never mind", "undo the last two", code=1)
    assert answer(text, "never mind") == ["no question is open; /undo takes the last pending change back"]
    assert answer(text, "undo the last two") == ["error: no change is pending"]


def test_an_error_of_a_command_is_said_once():
    omni = "plot OMNI speed and density for 2022-01-01"
    text = chat(omni, "/run nonsense", "/run", "/preview", code=1)
    assert "\n".join(answer(text, "/run nonsense")).count("'nonsense' is not understood") == 1
    assert answer(text, "/run nonsense")[0].startswith("error[HN702]: ")
    for command in ("/run", "/preview"):
        assert "\n".join(answer(text, command)).count("no dataset is called") == 1


@pytest.mark.parametrize("command", ["/show", "/preview", "/run", "/accept", "/reject", "why is it empty?"])
def test_a_command_without_anything_to_work_on_says_what_to_do(command):
    text = chat(command, code=1)
    assert answer(text, command)[0].startswith("error: ")
    assert "no pending change" in chat("/diff")


def test_the_author_is_chosen_in_the_conversation(model):
    server = model()
    text = chat("/model", "/model rules", PLOT, "/model gpt", "/cost", code=1)
    assert answer(text, "/model") == ["author: gemini-3.8-flash"]
    assert answer(text, "/model rules") == ["author: rules"]
    assert "error: the author cannot be 'gpt'" in text
    assert answer(text, "/cost") == ["5 lines; no tokens: no model was asked"]
    assert server.requests == []


def test_an_author_that_cannot_write_is_not_chosen(monkeypatch):
    text = chat("/model model", "/model", PLOT, code=1)
    assert "GEMINI_API_KEY" in "\n".join(answer(text, "/model model"))
    assert answer(text, "/model") == ["author: rules"]
    assert "ace-bgsec: authored by rules" in text
    monkeypatch.setenv("HELIO_MODEL", "openai/gpt-9")
    text = chat(PLOT, "/model rules", PLOT, code=1)
    assert "; use /model rules for simple requests" in text
    assert text.count("ace-bgsec-2: authored by rules") == 1


# ---- a model


def test_a_model_gets_the_earlier_sentences_and_its_tokens_are_counted(model, monkeypatch):
    monkeypatch.setenv("HELIO_MODEL_PRICES", "1000/1000")
    server = model(
        LOOK, SEEN, plan(fetch("AC_K2_MFI"), figure()), edit(put("figure", "tool_args/title", "Field"))
    )
    text = chat("the field, as physicists like it", "and now in red", "/cost", archive="")
    assert "Earlier sentences of this conversation" in server.requests[-1].text
    assert '["the field, as physicists like it"]' in server.requests[-1].text
    [cost] = answer(text, "/cost")
    assert cost.startswith("3 lines; ")
    used = re.search(r"a model used ([\d,]+) tokens, cost ([\d.]+)$", cost)
    tokens = int(used[1].replace(",", ""))
    assert tokens > 0
    assert float(used[2]) == pytest.approx(tokens * 1000 / 1e6, rel=0.01)


def test_a_question_waits_also_over_the_end_of_the_process(model):
    model(SEEN, question("Which cadence?", "1 h", "16 s"))
    text = chat("the field, as physicists like it", archive="")
    assert "  2  16 s" in answer(text, "the field, as physicists like it")
    server = model(SEEN, plan(fetch("AC_K2_MFI"), figure()))
    again = chat("7", "2", words=("--continue",), code=1, archive="")
    assert again.splitlines()[1:4] == ["Which cadence?", "  1  1 h", "  2  16 s"]
    assert "is not one of the choices" in answer(again, "7")[0]
    assert '"answer": "16 s"' in server.requests[-1].text
    assert any("+ b: fetch AC_K2_MFI" in line for line in answer(again, "2"))


def test_a_question_can_be_dropped(model):
    model(SEEN, question("Which cadence?", "1 h", "16 s"))
    text = chat("the field, as physicists like it", "never mind", "/quit")
    assert answer(text, "never mind") == ["the question is dropped; nothing was proposed"]


def test_ctrl_c_cancels_the_answer_and_the_conversation_goes_on(serve, home):
    server = serve(standin.slow(SEEN, 2 * LONG))
    environment = {
        **os.environ,
        "HELIO_MODEL_URL": server.url,
        "GEMINI_API_KEY": KEY,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    begin = "import sys; sys.argv[0] = 'helio'; from helio.cli import main; main()"
    with python("-c", begin, "chat", environment=environment, stdin=True) as process:
        assert process.stdin is not None
        process.stdin.write("the field, as physicists like it\n")
        process.stdin.flush()
        wait_for_requests(server, 1, process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(
            "/model rules\nplot the ACE magnetic field for 2022-01-01\n", timeout=LONG
        )
    assert "cancelled; the conversation goes on" in errors
    assert "Traceback" not in errors
    assert "ace-magnetic-field: authored by rules" in output
    assert process.returncode == 0
    text = chat("/diff", words=("--continue",))
    assert "1 pending change:" in text


# ---- saved conversations


def test_conversations_are_listed_and_resumed_by_their_pipeline_or_id():
    assert helio("chat", "--list").output == "no conversations yet; `helio chat` begins one\n"
    chat(PLOT)
    chat("plot the Wind magnetic field for 2022-01-01")
    rows = json.loads(helio("chat", "--list", "--json").stdout)
    assert [(row["pipeline"], row["pending"]) for row in rows] == [
        ("wind-magnetic-field", 1),
        ("ace-bgsec", 1),
    ]
    assert PLOT in helio("chat", "--list").output
    for name in ("ace-bgsec", rows[1]["id"]):
        assert "ACE_BGSEc" in chat("/show", words=("--continue", name))
    assert "ACE_BGSEc" in chat("/show", words=("--continue",))
    assert "ace-bgsec" in helio("chat", "--list").output.splitlines()[0]
    assert "Wind_B" in chat("/show", words=("--continue", "wind-magnetic-field"))


def test_the_list_says_how_a_conversation_began_and_what_is_still_pending():
    last = chat(PLOT, "add the magnitude", "what is the cadence?").splitlines()[-2]
    assert helio("chat", "--list").output.endswith(f"ace-bgsec  2 pending  {PLOT}\n")
    helio("accept", last.split("`")[1].removeprefix("helio accept "))
    assert helio("chat", "--list").output.endswith(f"ace-bgsec  {PLOT}\n")


def test_a_damaged_conversation_is_named_and_skipped():
    chat(PLOT)
    Path("home/chats/chat-torn.jsonl").write_text("{", encoding="utf-8")
    Path("home/chats/chat-odd.jsonl").write_text('{"kind": "proposed"}\n', encoding="utf-8")
    listed = helio("chat", "--list").output
    assert "chat-torn  cannot be read" in listed
    assert "chat-odd  cannot be read" in listed
    assert "ACE_BGSEc" in chat("/show", words=("--continue",))


def test_only_a_damaged_conversation_is_not_no_conversation():
    chat(PLOT)
    [file] = Path("home/chats").glob("*.jsonl")
    with file.open("a", encoding="utf-8") as lines:
        lines.write('{"kind": "sa\n')
    for name in ((), (file.stem,)):
        text = chat(words=("--continue", *name), code=2)
        assert f"conversation {file.stem} cannot be read: " in text
        assert text.count(str(file)) == 1
        assert "`helio proposals`" in text


def test_a_conversation_outlives_a_crash_in_the_middle_of_a_line():
    chat(PLOT, "add the magnitude")
    [file] = Path("home/chats").glob("*.jsonl")
    file.write_bytes(file.read_bytes() + b'{"kind": "said", "text": "make')
    for count in (2, 3):
        text = chat("/diff", "make the magnitude red", words=("--continue",), code=0 if count == 2 else 1)
        assert answer(text, "/diff")[0] == f"{count} pending changes:"


def test_two_processes_hold_one_conversation():
    chat(PLOT)
    here = package.chat(resume=True, archive="sample")
    there = package.chat(resume=True, archive="sample")
    here.say("add the magnitude")
    there.say("make the magnitude red")
    assert str(here.say("/diff")).startswith("3 pending changes:")
    here.say("/undo")
    assert str(there.say("/diff")).startswith("2 pending changes:")


@pytest.mark.parametrize("damage", ["{", None])
def test_a_conversation_goes_on_without_a_proposal_that_is_lost(damage):
    chat(PLOT, "/accept", "add the magnitude")
    [row] = json.loads(helio("proposals", "--json").stdout)
    file = Path(f"home/proposals/{row['id']}.json")
    if damage is None:
        file.unlink()
    else:
        file.write_text(damage, encoding="utf-8")
    text = chat("/diff", "change the title to 'Storm'", "/accept", words=("--continue",))
    assert text.count("note: this change is lost: ") == 1
    assert row["id"] in text.splitlines()[1]
    assert answer(text, "/diff") == ["no pending change"]
    assert "Storm" in mine()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "no pipeline is called 'nothing'"),
        (("--continue",), "there is no conversation yet"),
        (("--continue", "nothing"), "no conversation is called 'nothing'"),
        (("--author", "gpt"), "--author cannot be 'gpt'"),
        (("--json",), "--json belongs to --list"),
    ],
)
def test_a_wrong_beginning_is_refused_and_saves_nothing(words, said):
    assert said in chat(words=words, code=2)
    assert not list(Path("home").glob("chats/*"))


def test_a_proposal_decided_elsewhere_is_not_pending_here():
    chat(PLOT)
    [row] = json.loads(helio("proposals", "--json").stdout)
    helio("accept", row["id"])
    text = chat("/diff", "add the magnitude", words=("--continue",))
    assert answer(text, "/diff") == ["no pending change"]
    assert "ace-bgsec: edited by rules: add the magnitude" in text


def test_a_conversation_about_a_pipeline_leaves_out_changes_that_others_proposed():
    chat(PLOT, "/accept")
    made = json.loads(helio("edit", "ace-bgsec", "make BGSEc red", "--json").stdout)["id"]
    text = chat("change the title to 'Storm'", "/accept", words=("ace-bgsec",))
    assert text.splitlines()[1] == (
        f"note: 1 other pending proposal for it, which this conversation leaves out: {made}"
    )
    assert "Storm" in mine()
    assert '"red"' not in mine()
    upper = json.loads(helio("edit", made, "hide the legend", "--json").stdout)["id"]
    text = chat("/diff", words=(upper,))
    assert "note: " not in text
    assert answer(text, "/diff")[:3] == ["2 pending changes:", "  - make BGSEc red", "  - hide the legend"]


def test_a_notebook_holds_the_same_conversation():
    held = package.chat(archive="sample")
    assert held.say(PLOT).lines[0].startswith("ace-bgsec: authored by rules")
    assert held.say("/accept").lines[0].startswith("accepted ")
    assert held.say("").lines == ()
    assert held.say("make it jazzy").is_error
    again = package.chat(held.id, resume=True, archive="sample")
    assert again.progress.pipeline == "ace-bgsec"
    assert "ace-bgsec" in again.say("/show")._repr_html_()


def test_several_changes_are_undone_at_once():
    text = chat(
        PLOT, "add the magnitude", "make Bz red", "undo the last two", "undo the last 3", "undo all", code=1
    )
    assert answer(text, "undo the last two") == ["undone: make Bz red", "undone: add the magnitude"]
    assert answer(text, "undo the last 3")[0] == "error: 1 change is pending"
    assert answer(text, "undo all") == [f"undone: {PLOT}"]


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("how about adding the magnitude?", "2 ~ step figure: panel 2: ACE_Bmag"),
        ("what about smoothing it over 2 h?", "intent: 2h running average"),
        ("what about the Wind magnetic field for 2022-01-01?", "+ id: wind-magnetic-field"),
    ],
)
def test_a_suggestion_is_a_wish(said, change):
    lines = (said,) if "Wind" in said else (PLOT, said)
    assert any(change in line for line in answer(chat(*lines), said))


# ---- corrections


@pytest.mark.parametrize(
    ("first", "said", "change"),
    [
        ("make the x component red", "no, the y component", "  ~ step figure: colour of ACE_BGSEc.y: red"),
        ("make the x component red", "no, blue", "  ~ step figure: colour of ACE_BGSEc.x: blue"),
        ("make the x component red", "blue instead", "  ~ step figure: colour of ACE_BGSEc.x: blue"),
        (
            "make panel 1 logarithmic",
            "no, the second panel",
            "  ~ step figure: y scale of panel 2 (ACE_BGSEcmag): log",
        ),
        (
            "make the magnitude red",
            "no, make it dashed",
            '  ~ step figure: line of ACE_BGSEcmag: {"dash": "dash"}',
        ),
        ("set the title to 'ICME'", 'no, "An ICME"', "  ~ step figure: title: ACE: Magnetic Field → An ICME"),
    ],
)
def test_a_correction_says_the_last_change_again_with_another_part(first, said, change):
    text = chat(PLOT, "add the magnitude", first, said, "/diff")
    assert answer(text, said)[0] == f"instead of: {first}"
    assert change in answer(text, said)
    assert answer(text, "/diff")[0] == "3 pending changes:"
    assert not any(line.endswith(f". {first}") for line in answer(text, "/diff"))


@pytest.mark.parametrize(
    ("last", "what", "expected"),
    [
        ("shade 10:00 to 23:30 in red", "until 23:00", "shade 10:00 to 23:00 in red"),
        ("shade 10:00 to 23:30 in red", "from 11:00", "shade 11:00 to 23:30 in red"),
        ("shade 10:00 to 23:30 in red", "11:00-12:00", "shade 11:00-12:00 in red"),
        ("extend the shading to 22:00", "until 23:00", ""),
        ("set the title to ICME", "'An ICME'", ""),
        ("mark 12:00 as 'a' and 13:00 as 'b'", "'c'", ""),
        ("add hourly means of |B| in red", "dashed", "add hourly means of |B| in red, dashed"),
        ("add |B| in panel 2", "dashed", ""),
    ],
)
def test_a_correction_keeps_all_other_parts_of_the_sentence(last, what, expected):
    assert corrected(what, last, datetime(2024, 1, 1)) == expected


def test_a_whole_wish_behind_no_leaves_the_change_before_it():
    text = chat(PLOT, "add the magnitude", "change the title to 'Storm'", "no, remove the magnitude", "/diff")
    assert "instead of" not in text
    assert answer(text, "/diff")[0] == "4 pending changes:"


def test_a_sentence_that_failed_is_what_a_correction_is_about():
    text = chat(PLOT, "add the magnitude", "make the speed red", "no, the magnitude", "/diff", code=1)
    assert "has no line called 'speed'" in answer(text, "make the speed red")[0]
    assert "  ~ step figure: colour of ACE_BGSEcmag: red" in answer(text, "no, the magnitude")
    assert answer(text, "/diff")[0] == "3 pending changes:"


def test_a_new_value_needs_no_old_one():
    text = chat(PLOT, "add the magnitude", "make the magnitude black instead")
    assert "  ~ step figure: colour of ACE_BGSEcmag: black" in answer(
        text, "make the magnitude black instead"
    )


def test_a_new_pipeline_is_corrected_under_its_name():
    text = chat(PLOT, "no, for 2022-01-02", "/diff", code=1)
    assert "the archive sample has no data for 2022-01-02" in "\n".join(answer(text, "no, for 2022-01-02"))
    assert answer(text, "/diff")[1] == f"  - {PLOT}"
    again = chat("plot the Wind magnetic field for 2022-01-01", "no, for 2022-01-02", "/diff")
    assert answer(again, "/diff")[:2] == [
        "1 pending change:",
        "  - plot the Wind magnetic field for 2022-01-02",
    ]
    assert "  + id: wind-magnetic-field" in answer(again, "/diff")


def test_a_copy_is_corrected_as_a_copy_and_undone():
    text = chat(
        "make the title 'A'",
        "no, make the title 'B'",
        "undo that",
        "make the title 'C'",
        words=("gle73-particles",),
    )
    assert "  1 ~ id: gle73-particles → my-gle73-particles" in answer(text, "no, make the title 'B'")
    assert "  1 ~ id: gle73-particles → my-gle73-particles" in answer(text, "make the title 'C'")


def test_a_correction_that_replaces_nothing_leaves_the_change():
    chat(PLOT, "add the magnitude")
    text = chat("no, xyzzy", "/diff", words=("--continue",), code=1)
    assert answer(text, "/diff")[0] == "2 pending changes:"


# ---- sentences about the conversation


def test_what_a_command_answers_is_answered_without_its_slash():
    asked = ("what can you do?", "what is pending?", "what changed?", "what will be recomputed?", "thanks!")
    text = chat(PLOT, "add the magnitude", *asked, "/help", "/diff")
    assert answer(text, "what can you do?") == answer(text, "/help")
    assert answer(text, "what is pending?") == answer(text, "what changed?") == answer(text, "/diff")
    assert answer(text, "what will be recomputed?") == [
        "Will be recomputed: ace_bgsecmag, figure. Unchanged: ace_bgsec."
    ]
    assert answer(text, "thanks!") == ["say what to plot or what to change; /help lists the commands"]


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("yes, accept it", "/accept"),
        ("run it", "/run"),
        ("show me the figure", "/preview"),
        ("start over", "/new"),
    ],
)
def test_what_runs_or_decides_is_a_command(said, command):
    text = chat(PLOT, said, "/diff", code=1)
    assert f"  help: use the command {command}" in answer(text, said)
    assert answer(text, "/diff")[0] == "1 pending change:"


def test_the_place_and_the_length_of_the_last_run_are_told():
    text = chat(PLOT, "/accept", "/run", "where is the figure?", "how long did it take?", "did it fail?")
    assert answer(text, "where is the figure?")[0].endswith("/figure.html")
    assert re.search(r" UTC: success in \d.* m?s, for 2022-01-01", answer(text, "how long did it take?")[0])
    assert answer(text, "did it fail?") == answer(text, "how long did it take?")
    edited = helio("edit", "ace-bgsec", "where is the figure?", "--author", "rules").stdout
    assert edited.splitlines()[0].endswith("/figure.html")


def test_what_changed_since_a_day_leaves_out_what_is_older():
    text = chat(PLOT, "/accept", "what changed since yesterday?", "what changed since 2090-01-01?")
    assert answer(text, "what changed since yesterday?")[0].startswith("revision 1 of ace-bgsec, ")
    assert answer(text, "what changed since 2090-01-01?")[0].startswith(
        "ace-bgsec has not changed since 2090-01-01"
    )


def test_what_a_revision_changed_is_told_by_its_number():
    second, ninth = "what did revision 2 change?", "what changed in revision 9?"
    text = chat(PLOT, "/accept", "change the title to 'Storm'", "/accept", second, ninth)
    assert answer(text, second)[0].endswith("edited by rules: change the title to 'Storm'")
    assert "Storm" in answer(text, second)[1]
    assert answer(text, ninth)[0].startswith("ace-bgsec has no revision 9")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("call 2003-11-20 12:00 to 18:00 my main phase", "my main phase = 2003-11-20 12:00 to 18:00"),
        ("remember that AC_K2_MFI has spikes", "AC_K2_MFI has spikes"),
    ],
)
def test_what_helio_proposes_to_remember_is_no_error(said, kept):
    text = chat(PLOT, said)
    assert answer(text, said) == [f"after /quit, helio proposes to remember: {kept}"]


# ---- values of the last run or preview


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("how many records are there?", ["24 records (ACE_BGSEc)", "24 records (ACE_BGSEcmag)"]),
        ("how many data points are in panel 2?", ["24 records (ACE_BGSEcmag)"]),
        (
            "are there gaps in the magnitude?",
            ["no gap between records; 0 of 24 values missing (ACE_BGSEcmag)"],
        ),
        (
            "how many gaps has the magnitude?",
            ["no gap between records; 0 of 24 values missing (ACE_BGSEcmag)"],
        ),
        *(
            (question, ["no gap between records; 0 of 24 values missing (ACE_BGSEcmag)"])
            for question in (
                "how long is the longest gap in the magnitude?",
                "what is the longest gap in the magnitude?",
                "what's the largest data gap of the magnitude?",
            )
        ),
        *(
            (question, ["0 of 24 values missing (ACE_BGSEcmag)"])
            for question in (
                "how many values of the magnitude are missing?",
                "how much of the magnitude is missing?",
            )
        ),
        ("how many records does the magnitude have?", ["24 records (ACE_BGSEcmag)"]),
        (
            "how many records has the magnitude between 3:00 and 06:00?",
            ["3 records, from 2022-01-01 03:00 to 2022-01-01 06:00 (ACE_BGSEcmag)"],
        ),
        ("mean of Bz between 06:00 and 03:00?", ["03:00 is not after 06:00 (ACE_BGSEc.z)"]),
        ("how many missing values are there in Bz?", ["0 of 24 values missing (ACE_BGSEc.z)"]),
        ("where does the magnitude curve end?", ["2022-01-01 23:00:00 (ACE_BGSEcmag)"]),
        ("when was the magnitude below -1 nT?", ["never below -1 nT (ACE_BGSEcmag)"]),
        ("did the magnitude ever fall below -1 nT?", ["never below -1 nT (ACE_BGSEcmag)"]),
        ("is the magnitude below -1 nT?", ["never below -1 nT (ACE_BGSEcmag)"]),
        ("when was the magnitude above 1 K?", ["the table is in nT, not in K (ACE_BGSEcmag)"]),
    ],
)
def test_questions_about_values_are_answered_from_the_newest_tables(said, lines):
    text = chat(PLOT, "add the magnitude", "/preview", said)
    assert answer(text, said)[:-1] == lines
    assert answer(text, said)[-1] == "from the tables of the last preview"


def test_the_greatest_value_is_that_of_the_table_with_its_time():
    text = chat(
        PLOT,
        "add the magnitude",
        "/run",
        "what is the maximum of the magnitude?",
        "when is the minimum of Bz?",
    )
    [run] = Path("home/runs").glob("ace-bgsec-*")
    tables = json.loads(helio("describe", run.name, "--json").stdout)
    described = {
        (table["label"], number): column for table in tables for number, column in enumerate(table["values"])
    }
    greatest = answer(text, "what is the maximum of the magnitude?")[0]
    least = answer(text, "when is the minimum of Bz?")[0]
    assert greatest.startswith(f"{described['ACE_BGSEcmag', 0]['maximum']:.6g} nT at 2022-01-01 ")
    assert least.startswith(f"{described['ACE_BGSEc', 2]['minimum']:.6g} nT at 2022-01-01 ")


@pytest.mark.parametrize(
    ("said", "pattern"),
    [
        ("what is the average of Bz?", r"[-\d.]+ nT, the mean of 24 values \(ACE_BGSEc\.z\)"),
        ("what is the median magnitude?", r"[\d.]+ nT, the median of 24 values \(ACE_BGSEcmag\)"),
        ("maximum of Bz?", r"[\d.]+ nT at 2022-01-01 [\d:]+ \(ACE_BGSEc\.z\)"),
        ("maximum of the magnitude and when", r"[\d.]+ nT at 2022-01-01 [\d:]+ \(ACE_BGSEcmag\)"),
        ("what is the time of the minimum of Bz?", r"-[\d.]+ nT at 2022-01-01 [\d:]+ \(ACE_BGSEc\.z\)"),
        ("when is the magnitude highest?", r"[\d.]+ nT at 2022-01-01 [\d:]+ \(ACE_BGSEcmag\)"),
        ("what is the range of Bz?", r"-[\d.]+ to [\d.]+ nT \(ACE_BGSEc\.z\)"),
        ("standard deviation of Bz?", r"[\d.]+ nT, the standard deviation of 24 values \(ACE_BGSEc\.z\)"),
        (
            "what is Bz at 12:10?",
            r"[-\d.]+ nT at 2022-01-01 12:00:00, the nearest record \(ACE_BGSEc\.z\)",
        ),
        (
            "when was Bz below 0 nT?",
            r"below 0 nT in \d+ of 24 values, about [\d.]+ h, in \d+ intervals?: .*2022-01-01 .*",
        ),
    ],
)
def test_means_and_times_of_values_are_those_of_the_tables(said, pattern):
    text = chat(PLOT, "add the magnitude", "/preview", said)
    assert re.fullmatch(pattern, answer(text, said)[0])


def test_values_of_an_average_are_told_with_those_that_were_measured():
    mean, gaps = "what is the mean of panel 2?", "are there gaps in panel 2?"
    text = chat(
        PLOT, "add the magnitude", "average the magnitude over 6 h", "instead", "/preview", mean, gaps
    )
    averaged, measured = answer(text, mean)[:2]
    assert ", the mean of 24 values (ACE_BGSEcmag, not averaged)" in measured
    assert "6h" in averaged.partition("(ACE_BGSEcmag_")[2]
    assert (
        answer(text, gaps)[1] == "no gap between records; 0 of 24 values missing (ACE_BGSEcmag, not averaged)"
    )


def test_an_answer_from_the_last_figure_says_that_a_change_is_pending():
    asked = ("why is panel 1 empty?", "what is the maximum of the magnitude?")
    text = chat(PLOT, "add the magnitude", "/preview", "remove panel 2", *asked)
    for said in asked:
        assert "note: the pipeline has changed since, and its figure is not drawn yet" in answer(text, said)


def test_values_are_not_known_before_a_run():
    text = chat(PLOT, "what is the maximum of Bz?")
    assert answer(text, "what is the maximum of Bz?")[0].startswith("no run of ace-bgsec is recorded")


def test_the_files_of_the_last_run_are_named_with_their_version():
    text = chat(PLOT, "/run", "which file was read?")
    assert answer(text, "which file was read?")[0] == (
        "ac_k2_mfi_20220101_v03.cdf, version 03, from sample archive (AC_K2_MFI)"
    )


@pytest.mark.parametrize("said", ["what is the highest cadence?", "what is the maximum of the density?"])
def test_what_no_line_is_gets_no_value(said):
    text = chat(PLOT, "/preview", said)
    assert "from the tables of" not in "\n".join(answer(text, said))


def test_a_panel_that_is_not_drawn_yet_is_looked_for_in_the_newest_drawing():
    text = chat(
        PLOT,
        "/run",
        "add the magnitude",
        "why is panel 2 empty?",
        "/preview",
        "is it red?",
        "why is panel 2 empty? ",
        code=1,
    )
    first, second = text.split("> why is panel 2 empty?")[1:]
    assert "has no panel 2" in first
    assert "after a change, draw the figure again" in first
    assert second.lstrip().startswith("panel 2 (ACE_BGSEcmag) is not empty")


# ---- open questions


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("the second one", "ACE_BGSEcmag"),
        ("no, the second panel", "ACE_BGSEcmag"),
        ("the magnitude, please", "ACE_BGSEcmag"),
        ("2", "ACE_BGSEcmag"),
        ("ACE_BGSEcmag", "ACE_BGSEcmag"),
    ],
)
def test_words_that_mean_one_choice_answer_a_question(said, line):
    text = chat(PLOT, "add the magnitude", "make it dashed", said)
    assert answer(text, "make it dashed")[0] == "Which line do you mean?"
    assert f"  ~ step figure: line of {line}: " + '{"dash": "dash"}' in answer(text, said)


@pytest.mark.parametrize("said", ["2022-01-01 to 2022-01-03", "for 2022-01-01 to 2022-01-03, please"])
def test_a_time_answers_the_question_for_a_time(said):
    text = chat("plot AC_K2_MFI.BGSEc", said)
    assert (
        answer(text, "plot AC_K2_MFI.BGSEc")[0]
        == "Which time do you want? The request names none: choose one, or write another."
    )
    assert "  + variable $TIME_RANGE: type: time_range; default: 2022-01-01 to 2022-01-03" in answer(
        text, said
    )


def test_a_question_of_the_user_leaves_a_question_open_and_another_wish_takes_its_place():
    text = chat(
        PLOT, "add the magnitude", "make it dashed", "what is the cadence?", "make the magnitude red", "/diff"
    )
    assert answer(text, "what is the cadence?") == [
        "the cadence is 1 h (AC_K2_MFI.BGSEc)",
        "this question is still open:",
        *answer(text, "make it dashed"),
    ]
    assert "  ~ step figure: colour of ACE_BGSEcmag: red" in answer(text, "make the magnitude red")
    assert not any("dash" in line for line in answer(text, "/diff"))


def test_a_sentence_that_nobody_understands_leaves_a_question_open():
    text = chat(PLOT, "add the magnitude", "make it dashed", "xyzzy", "the magnitude", code=1)
    assert answer(text, "xyzzy")[0] == "error: helio does not understand 'xyzzy'"
    assert answer(text, "xyzzy")[-4:] == answer(text, "make it dashed")
    assert "dash" in "\n".join(answer(text, "the magnitude"))


@pytest.mark.parametrize("decision", ["/reject", "/accept"])
def test_a_question_about_a_decided_change_is_no_longer_open(decision):
    text = chat(PLOT, "add the magnitude", "make it dashed", decision, "make Bz red")
    assert "still open" not in text
    assert "colour of ACE_BGSEc.z: red" in "\n".join(answer(text, "make Bz red"))


# ---- undo


def test_after_the_first_change_is_undone_another_pipeline_can_be_asked_for():
    text = chat(PLOT, "undo that", "plot the Wind magnetic field for 2022-01-01")
    assert (
        "wind-magnetic-field: authored by rules"
        in answer(text, "plot the Wind magnetic field for 2022-01-01")[0]
    )


def test_after_the_copy_is_undone_the_conversation_is_about_the_pipeline_again():
    text = chat("make the title 'SEP'", "undo that", "what is the cadence?", words=("gle73-particles",))
    assert answer(text, "what is the cadence?") == [
        "the cadence is 1 min (STA_L1_HET.Proton_Flux, Electron_Flux)"
    ]
    assert ", about gle73-particles; " in chat(words=("--continue",))


def test_after_a_rejection_elsewhere_the_conversation_goes_on():
    chat(PLOT)
    [row] = json.loads(helio("proposals", "--json").stdout)
    helio("reject", row["id"])
    text = chat("plot the Wind magnetic field for 2022-01-01", words=("--continue",))
    assert "about a new pipeline" in text
    assert "wind-magnetic-field: authored by rules" in text
