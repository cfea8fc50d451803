"""What was said is kept as it is said, and can be said again."""

import dataclasses
import json
import stat

import pytest

from helio.authoring.models.door import Door, open_door
from helio.authoring.models.model import Ask, CallResult, Model, ResultsTurn, Tool, UserTurn, canonical_json
from helio.authoring.models.transcript import Replay, Transcript, read_exchanges, read_lines
from helio.errors import (
    BudgetSpent,
    Cancelled,
    CutShort,
    HelioError,
    ModelUnavailable,
    OutputError,
    QuotaExhausted,
    RequestError,
    TranscriptDiffers,
    Unreadable,
)
from helio.settings import read_settings
from tests.authoring import standin_gemini as standin
from tests.authoring.conftest import OTHER, SMART, python, wait_for_requests

SEARCH = Tool("search", "Finds data sets.", {"type": "object", "properties": {"text": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {"dataset": {"type": "string"}}, "required": ["dataset"]}


def question(text: str = "hello", **options: object) -> Ask:
    return Ask(**{"role": "smart", "system": "", "turns": (UserTurn(text),), **options})


def session(model: Model, wish: str = "ACE, bitte: |B| in µT") -> bytes:
    """A small task: calls until none are wanted, then JSON, once more where it breaks off."""
    ask = question(wish, role="fast", tools=(SEARCH,))
    answer = model.ask(ask)
    while answer.calls:
        found = [CallResult.of(call, {"found": [call.arguments, 0.1]}) for call in answer.calls]
        ask = ask.then(answer, ResultsTurn(tuple(found)))
        answer = model.ask(ask)
    planning = question(answer.text, schema=SCHEMA)
    try:
        answer = model.ask(planning)
    except Unreadable as error:
        answer = model.ask(planning.then(error.answer, UserTurn(error.message)))
    return canonical_json(answer.data).encode()


def answering(*replies: standin.Reply):
    waiting = iter(replies)
    return lambda request: next(waiting)


GOOD = (
    standin.calls([("search", {"text": "ACE"}), ("search", {"text": "B"})], signature=b"\x00\xff"),
    standin.failure(429, retry="2s"),
    standin.text("AC_H2_MFI", thoughts=9),
    *[standin.failure(503)] * 4,  # the fallback goes on
    standin.text('{"dataset": "AC_H'),
    standin.json_text({"dataset": "AC_H2_MFI"}),
)


@pytest.fixture
def told(serve, door):
    """A finished session: its result and its transcript."""
    one = door(serve(answering(*GOOD)), fallback=True)
    return session(one), one


def replaying(path, folder) -> Door:
    return Door(Replay(path), Transcript.begin(folder))


# ---- keeping


def test_every_question_stands_there_with_how_it_ended(told):
    _, one = told
    kinds = [line["kind"] for line in read_lines(one.transcript.path)]
    failed = ["attempt"] * 4 + ["fallback"]
    assert kinds == [
        *("begin", "ask", "answer", "ask", "attempt", "answer", "ask"),
        *failed,
        *("attempt", "error", "ask", "answer"),
    ]


def test_an_answer_is_kept_with_model_tokens_time_and_attempts(serve, door, still):
    server = serve(standin.failure(429, retry="2s"), standin.text("hi", prompt=3, candidates=4, thoughts=5))
    one = door(server)
    one.ask(question())
    line = read_lines(one.transcript.path)[-1]
    assert (line["answer"]["model"], line["attempts"], line["seconds"], line["spent"]) == (SMART, 2, 2.0, 12)
    assert line["answer"]["usage"] == {"prompt": 3, "candidates": 4, "thoughts": 5, "cached": 0, "total": 12}


def test_who_was_asked_in_vain_is_kept(told):
    _, one = told
    failed = [line for line in read_lines(one.transcript.path) if line["kind"] == "attempt"]
    assert [line["model"] for line in failed[1:]] == [SMART] * 4 + [OTHER]
    assert [line["waits"] for line in failed[1:]] == [1.0, 2.0, 4.0, None, None]


def test_the_end_says_what_was_spent(serve, door):
    one = door(serve(standin.text("hi", total=77)))
    one.ask(question())
    one.close()
    last = read_lines(one.transcript.path)[-1]
    assert (last["kind"], last["questions"], last["requests"], last["usage"]["total"]) == ("end", 1, 1, 77)


def test_what_others_add_stands_between(serve, door):
    one = door(serve(standin.text("hi")))
    one.transcript.note("choice", question="which frame?", chosen="GSE")
    assert read_lines(one.transcript.path)[-1]["chosen"] == "GSE"


def test_only_its_owner_reads_it(tmp_path):
    assert stat.S_IMODE(Transcript.begin(tmp_path / "new").path.stat().st_mode) == 0o600


def test_half_a_character_from_a_model_is_kept_in_a_spelling_that_can_be_written(tmp_path):
    one = Transcript.begin(tmp_path)
    one.note("odd", text="\ud800")
    assert b"\\ud800" in one.path.read_bytes()
    assert read_lines(one.path)[-1]["text"] == "\ud800"


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        Transcript.begin(tmp_path / "file" / "folder")


def test_a_transcript_is_never_written_over(tmp_path):
    Transcript(tmp_path / "one.jsonl")
    with pytest.raises(OutputError):
        Transcript(tmp_path / "one.jsonl")


@pytest.mark.process
def test_a_kill_in_mid_question_leaves_what_was_said_before(serve, tmp_path):
    server = serve(standin.text("hi"), standin.slow(standin.text("late"), 60))
    code = (
        "from helio.authoring.models.door import open_door\n"
        "from helio.authoring.models.model import Ask, UserTurn\n"
        "from helio.settings import read_settings\n"
        "door = open_door(read_settings())\n"
        "for text in ('one', 'two'):\n"
        "    door.ask(Ask('smart', '', (UserTurn(text),)))\n"
    )
    environment = {"HELIO_HOME": str(tmp_path), "HELIO_MODEL_URL": server.url, "GEMINI_API_KEY": server.key}
    with python("-c", code, environment=environment) as process:
        wait_for_requests(server, 2, process)
        process.kill()
    [path] = (tmp_path / "transcripts").iterdir()
    first, second = read_exchanges(path)
    assert first.answer.text == "hi"
    assert (second.ask["turns"][0]["text"], second.answer, second.error) == ("two", None, None)


def test_a_line_that_its_writer_did_not_finish_is_left_out(told, tmp_path):
    _, one = told
    whole = one.transcript.path.read_bytes()
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(whole[:-20])
    assert len(read_exchanges(torn)) == len(read_exchanges(one.transcript.path))
    assert read_exchanges(torn)[-1].answer is None


# ---- saying it again


def test_a_replayed_session_gives_the_same_bytes_and_asks_nobody(told, tmp_path, serve):
    result, one = told
    before = [(one.digest, one.answer, one.error) for one in read_exchanges(one.transcript.path)]
    again = replaying(one.transcript.path, tmp_path / "again")
    assert session(again) == result == b'{"dataset":"AC_H2_MFI"}'
    after = [(one.digest, one.answer, one.error) for one in read_exchanges(again.transcript.path)]
    assert after == before


def test_a_replay_can_be_replayed(told, tmp_path):
    result, one = told
    again = replaying(one.transcript.path, tmp_path / "again")
    session(again)
    assert session(replaying(again.transcript.path, tmp_path / "again")) == result


def test_tokens_of_a_replay_are_those_of_the_answers(told, tmp_path):
    _, one = told
    again = replaying(one.transcript.path, tmp_path)
    session(again)
    assert again.usage == one.usage


def test_another_question_says_what_differs(told, tmp_path):
    _, one = told
    with pytest.raises(TranscriptDiffers) as caught:
        session(replaying(one.transcript.path, tmp_path), "ACE, bitte: |B| in nT")
    assert "question 1 differs from the transcript" in caught.value.message
    assert caught.value.message.endswith(
        '/turns/0/text was "ACE, bitte: |B| in µT" in the recorded question, and is "ACE, bitte: |B| in nT" now'
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"system": "be rude"}, '/system was "" in the recorded question, and is "be rude" now'),
        ({"tools": ()}, "/tools had 1 item in the recorded question, and has 0 now"),
        ({"max_tokens": 5}, "/max_tokens was 32768 in the recorded question, and is 5 now"),
        (
            {"tools": (dataclasses.replace(SEARCH, parameters={"type": "object"}),)},
            "/tools/0/parameters/properties is only in the recorded question",
        ),
    ],
)
def test_whatever_differs_is_named(told, changed, words):
    _, one = told
    ask = question("ACE, bitte: |B| in µT", role="fast", tools=(SEARCH,))
    with pytest.raises(TranscriptDiffers) as caught:
        Replay(one.transcript.path).ask(dataclasses.replace(ask, **changed))
    assert words in caught.value.message


def test_one_question_more_than_there_were_is_refused(serve, door):
    one = door(serve(standin.text("hi")))
    one.ask(question())
    again = Replay(one.transcript.path)
    again.ask(question())
    with pytest.raises(TranscriptDiffers, match="has no question 2"):
        again.ask(question())


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (standin.stopped("MAX_TOKENS", "half"), CutShort),
        (standin.failure(429, retry="500s"), QuotaExhausted),
        (standin.text("no json"), Unreadable),
        (standin.reset(), ModelUnavailable),
    ],
)
def test_an_error_comes_again_as_it_was(serve, door, tmp_path, reply, kind):
    ask = question(schema=SCHEMA)
    first = door(serve(standin.forever(reply)))
    with pytest.raises(kind) as caught:
        first.ask(ask)
    settings = read_settings({"HELIO_HOME": str(tmp_path)})
    again = open_door(settings, replay=first.transcript.path)
    with pytest.raises(kind) as repeated:
        again.ask(ask)
    again.close()
    assert str(repeated.value) == str(caught.value)
    assert (repeated.value.wait, repeated.value.answer) == (caught.value.wait, caught.value.answer)


def test_what_ended_the_task_ends_it_again(serve, door):
    one = door(serve(standin.text("hi")), tokens=1)
    one.ask(question())
    with pytest.raises(BudgetSpent):
        one.ask(question())
    one.cancel()
    with pytest.raises(Cancelled):
        one.ask(question())
    again, ended = Replay(one.transcript.path), []
    for _ in range(3):
        try:
            again.ask(question())
            ended.append("")
        except HelioError as error:
            ended.append(type(error).__name__)
    assert ended == ["", "BudgetSpent", "Cancelled"]


def test_a_question_that_was_never_answered_is_said(told, tmp_path):
    _, one = told
    torn = tmp_path / "torn.jsonl"
    lines = one.transcript.path.read_text().splitlines(keepends=True)
    torn.write_text("".join(lines[:2]))
    with pytest.raises(TranscriptDiffers, match="ends before the answer to question 1"):
        session(Replay(torn))


@pytest.mark.parametrize("content", ["", "hello\n", '{"steps": []}\n', "[1]\n", '{"kind": "ask"}\n'])
def test_what_is_no_transcript_is_refused(tmp_path, content):
    path = tmp_path / "other.jsonl"
    path.write_text(content)
    with pytest.raises(RequestError, match="is not a transcript"):
        Replay(path)


def test_a_transcript_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(RequestError, match="cannot be read"):
        Replay(tmp_path / "none.jsonl")


def test_equal_questions_have_one_digest_whatever_the_order_of_their_keys():
    one = question(schema={"type": "object", "properties": {}})
    other = question(schema={"properties": {}, "type": "object"})
    assert one.digest() == other.digest() != question(schema={}).digest()
    assert json.loads(canonical_json({"b": 1, "a": "µ"})) == {"a": "µ", "b": 1}


@pytest.mark.parametrize(
    "change", [{"n": "1"}, {"n": -1}, {"ask": []}, {"digest": None}, {"kind": 7}, {"kind": "answer"}]
)
def test_a_damaged_line_is_refused_in_words(tmp_path, change):
    path = tmp_path / "t.jsonl"
    line = {"kind": "ask", "n": 1, "ask": {}, "digest": "x"} | change
    path.write_text(json.dumps({"kind": "begin"}) + "\n" + json.dumps(line) + "\n")
    with pytest.raises(RequestError, match=r"t\.jsonl is not a transcript"):
        Replay(path)


@pytest.mark.parametrize(
    "answer",
    [None, [], {"text": 7}, {"calls": [{}]}, {"usage": {"total": -1}}, {"finish": "odd"}, {"colour": 1}],
)
def test_a_damaged_answer_is_refused_in_words(tmp_path, answer):
    path = tmp_path / "t.jsonl"
    lines = [{"kind": "ask", "n": 1, "ask": {}, "digest": "x"}, {"kind": "answer", "n": 1, "answer": answer}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(
        RequestError, match=r"t\.jsonl is not a transcript that this version of helio can read: answer"
    ):
        Replay(path)
