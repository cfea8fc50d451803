"""What stands around every model, over real HTTP and with a clock that nobody waits for."""

import json
import signal
import threading
from pathlib import Path

import pytest

from helio.authoring.models.door import Patience, open_door
from helio.authoring.models.model import Ask, CallResult, ResultsTurn, UserTurn
from helio.authoring.models.transcript import read_exchanges, read_lines
from helio.errors import (
    Blocked,
    BudgetSpent,
    Cancelled,
    CutShort,
    ModelError,
    ModelUnavailable,
    ModelUnreachable,
    NoKey,
    QuotaExhausted,
    RequestError,
    UnknownModel,
    Unreadable,
    WrongKey,
)
from helio.settings import read_settings
from tests.authoring import standin_gemini as standin
from tests.authoring.conftest import FAST, OTHER, SMART, python, wait_for_requests
from tests.waiting import LONG, when_logged

pytestmark = pytest.mark.slow

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
BUSY = standin.failure(503, "The model is overloaded.")
QUOTA = standin.failure(429, "Quota exceeded.", retry="2s")


def question(text: str = "hello", **options: object) -> Ask:
    return Ask(**{"role": "smart", "system": "", "turns": (UserTurn(text),), **options})


def asked(server) -> list[str]:
    return [one.model for one in server.requests]


# ---- patience


def test_after_a_quota_the_server_is_asked_again_when_it_says(serve, door, still):
    server = serve(standin.failure(429, retry="7s"), standin.text("hi"))
    assert door(server).ask(question()).text == "hi"
    assert (still.slept, len(server.requests)) == ([7.0], 2)


def test_a_server_that_is_down_is_asked_ever_more_rarely(serve, door, still):
    server = serve(BUSY, BUSY, standin.reset(), standin.text("hi"))
    assert door(server).ask(question()).text == "hi"
    assert still.slept == [1.0, 2.0, 4.0]


def test_chance_spreads_the_attempts(serve, door, still):
    still.clock = type(still.clock)(now=still.clock.now, sleep=still.clock.sleep, random=lambda: 0.0)
    server = serve(BUSY, BUSY, standin.text("hi"))
    door(server).ask(question())
    assert still.slept == [0.5, 1.0]


def test_a_quota_that_stays_ends_after_four_attempts(serve, door, still):
    server = serve(standin.forever(QUOTA))
    with pytest.raises(QuotaExhausted, match="after 4 attempts"):
        door(server).ask(question())
    assert (len(server.requests), still.slept) == (4, [2.0, 2.0, 4.0])


def test_who_asks_for_more_than_the_budget_of_waiting_is_not_asked_again(serve, door, still):
    server = serve(standin.forever(standin.failure(429, retry="91s")))
    with pytest.raises(QuotaExhausted):
        door(server).ask(question())
    assert (len(server.requests), still.slept) == (1, [])


@pytest.mark.parametrize("reply", [standin.wrong_key(), standin.failure(400), standin.blocked()])
def test_what_will_not_pass_is_asked_once_and_of_nobody_else(serve, door, reply):
    server = serve(standin.forever(reply))
    with pytest.raises(ModelError) as caught:
        door(server, fallback=True).ask(question())
    assert not isinstance(caught.value, (QuotaExhausted, ModelUnavailable))
    assert asked(server) == [SMART]


@pytest.mark.parametrize(
    "reply", [standin.empty(), standin.nothing(), standin.stopped("MALFORMED_FUNCTION_CALL")]
)
def test_an_answer_with_nothing_in_it_is_asked_for_once_more(serve, door, still, reply):
    server = serve(reply, standin.text("hi"))
    assert door(server).ask(question()).text == "hi"
    assert (len(server.requests), still.slept) == (2, [])


def test_a_second_answer_with_nothing_in_it_is_the_end(serve, door):
    server = serve(standin.forever(standin.empty()))
    with pytest.raises(Unreadable, match="empty answer, after 2 attempts"):
        door(server, fallback=True).ask(question())
    assert asked(server) == [SMART, SMART]


def test_an_answer_that_dribbles_is_given_up(serve, door):
    server = serve(standin.Reply(raw=b" " * 1000, dribble=0.05))
    patient = Patience(attempts=1, answer=0.3)
    with pytest.raises(ModelUnavailable, match=r"no complete answer within 0\.3 s"):
        door(server, patience=patient, real_time=True).ask(question())


# ---- fallback


def falling(request: standin.Request) -> standin.Reply:
    return standin.text(f"from {request.model}") if request.model != SMART else QUOTA


def test_after_the_budget_the_fallback_is_asked_and_the_transcript_says_so(serve, door):
    server = serve(falling)
    one = door(server, fallback=True)
    assert one.ask(question()).text == f"from {OTHER}"
    assert asked(server) == [SMART] * 4 + [OTHER]
    [said] = [line for line in read_lines(one.transcript.path) if line["kind"] == "fallback"]
    assert (said["to"], said["role"], said["n"]) == (OTHER, "smart", 1)
    assert "Quota exceeded." in said["because"]
    assert list(one.fell_back) == ["smart"]


def test_the_next_question_goes_to_the_fallback_at_once_and_other_roles_do_not(serve, door):
    server = serve(falling)
    one = door(server, fallback=True)
    one.ask(question())
    del server.requests[:]
    assert one.name("smart") == OTHER
    assert one.name("fast") == FAST
    one.ask(question())
    one.ask(question(role="fast"))
    assert asked(server) == [OTHER, FAST]


def test_a_model_that_is_not_there_is_replaced_by_the_fallback_at_once(serve, door, still):
    server = serve(standin.text("hi"), models=[OTHER])
    one = door(server, fallback=True)
    assert one.ask(question()).text == "hi"
    assert (asked(server), still.slept) == ([SMART, OTHER], [])
    assert SMART in one.fell_back["smart"]


def test_where_neither_model_is_there_both_are_named(serve, door):
    server = serve(standin.text("hi"), models=["gemini-9"])
    with pytest.raises(UnknownModel, match=f"{OTHER}.*helio asked {OTHER} because {SMART} failed"):
        door(server, fallback=True).ask(question())
    assert asked(server) == [SMART, OTHER]


def test_a_reply_that_is_nested_too_deeply_is_not_asked_for_again(serve, door, still):
    deep = standin.Reply(raw=b'{"candidates": ' + b"[" * 50_000 + b"]" * 50_000 + b"}")
    server = serve(standin.forever(deep))
    with pytest.raises(Unreadable, match="nested too deeply"):
        door(server, fallback=True).ask(question())
    assert (asked(server), still.slept) == ([SMART], [])


@pytest.mark.parametrize("depth", [150, 480, 900, 50_000])
def test_a_call_whose_arguments_are_nested_too_deeply_is_one_error(serve, door, depth):
    args = '{"a": ' * depth + "1" + "}" * depth
    part = '{"functionCall": {"name": "f", "args": ' + args + "}}"
    raw = '{"candidates": [{"content": {"role": "model", "parts": [' + part + "]}}]}"
    server = serve(standin.forever(standin.Reply(raw=raw.encode())))
    with pytest.raises(Unreadable, match="nested too deeply"):
        door(server, fallback=True).ask(question())
    assert asked(server) == [SMART]


@pytest.mark.parametrize("depth", [150, 500, 950, 50_000])
def test_an_answer_whose_text_is_nested_too_deeply_is_no_answer(serve, door, depth):
    server = serve(standin.forever(standin.text('{"a": ' + "[" * depth + "]" * depth + "}")))
    schema = {"type": "object", "properties": {"a": {}}}
    with pytest.raises(Unreadable, match="deep"):
        door(server).ask(question(schema=schema))


def test_a_quota_of_the_day_is_not_waited_for(serve, door, still):
    day = standin.failure(429, retry="30s", quota="GenerateRequestsPerDayPerProjectPerModel-FreeTier")
    server = serve(day, standin.text("hi"))
    door(server, fallback=True).ask(question())
    assert (asked(server), still.slept) == ([SMART, OTHER], [])


def test_the_fallback_is_asked_once_and_both_are_named_in_the_end(serve, door):
    server = serve(standin.forever(BUSY))
    with pytest.raises(ModelUnavailable, match=f"because {SMART} failed: .*after 4 attempts"):
        door(server, fallback=True).ask(question())
    assert asked(server) == [SMART] * 4 + [OTHER]


def test_where_nobody_answers_the_fallback_is_not_asked_either(serve, door, still):
    server = serve()
    one = door(server, fallback=True)
    server.close()
    with pytest.raises(ModelUnreachable, match="after 4 attempts"):
        one.ask(question())
    assert one.calls == 4
    assert one.fell_back == {}


def test_calls_of_the_first_model_are_understood_by_the_fallback(serve, door):
    server = serve(standin.call("a"), *[standin.failure(429, retry="500s")], standin.text("done"))
    one = door(server, fallback=True)
    answer = one.ask(question())
    going_on = question().then(answer, ResultsTurn((CallResult.of(answer.calls[0], {"x": 1}),)))
    assert one.ask(going_on).text == "done"
    assert asked(server) == [SMART, SMART, OTHER]


# ---- what comes back


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        'Here it is:\n```json\n{"a": 1}\n```\nI hope it helps {"b": 2}.',
        'Sure! {"a": 1} is what you want.',
        '[note] {"b": 2}? No: {"a": 1}',
    ],
)
def test_json_is_found_between_words(serve, door, text):
    server = serve(standin.text(text))
    answer = door(server).ask(question(schema=SCHEMA))
    assert (answer.data, answer.text) == ({"a": 1}, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": ', "ends too early"),
        ("I cannot do that.", "JSON"),
        ('{"a": "one"}', "/a: 'one' is not of type 'integer'"),
        ('{"b": 1}', "'a' is a required property"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_json_of_another_form_says_where_and_is_not_asked_for_again(serve, door, text, words):
    server = serve(standin.text(text))
    one = door(server)
    with pytest.raises(Unreadable, match=words) as caught:
        one.ask(question(schema=SCHEMA))
    assert caught.value.answer.text == text
    assert (len(server.requests), one.usage.total) == (1, 15)


def test_a_broken_answer_can_be_answered(serve, door):
    server = serve(standin.text('{"a": '), standin.json_text({"a": 1}))
    one, first = door(server), question(schema=SCHEMA)
    with pytest.raises(Unreadable) as caught:
        one.ask(first)
    again = first.then(caught.value.answer, UserTurn("it breaks off"))
    assert one.ask(again).data == {"a": 1}
    assert server.requests[1].text == "it breaks off"


def test_truncated_json_is_told_from_wrong_json(serve, door):
    server = serve(standin.stopped("MAX_TOKENS", '{"a": 1', candidates=100))
    with pytest.raises(CutShort, match="limit of 100 tokens") as caught:
        door(server).ask(question(schema=SCHEMA, max_tokens=100))
    assert caught.value.answer.text == '{"a": 1'
    assert len(server.requests) == 1


def test_calls_are_no_json_and_pass(serve, door):
    server = serve(standin.call("a", {"x": [1, {"y": None}]}))
    assert door(server).ask(question()).calls[0].arguments == {"x": [1, {"y": None}]}


# ---- budgets


def test_tokens_are_counted_for_each_answer_and_in_all(serve, door):
    server = serve(
        standin.text("hi", prompt=100, candidates=20, thoughts=30, cached=50),
        BUSY,
        standin.stopped("MALFORMED_FUNCTION_CALL", prompt=7, candidates=0),
        standin.text("ho", prompt=1, candidates=2),
    )
    one = door(server)
    assert one.ask(question()).usage.total == 150
    assert one.ask(question()).usage.total == 3
    assert vars(one.usage) == {"prompt": 108, "candidates": 22, "thoughts": 30, "cached": 50, "total": 160}
    assert one.calls == 4


def test_nothing_is_asked_once_the_tokens_are_spent(serve, door):
    server = serve(standin.forever(standin.text("hi", total=60)))
    one = door(server, tokens=100)
    one.ask(question())
    one.ask(question())
    with pytest.raises(BudgetSpent, match="has used 120 tokens; the limit is 100"):
        one.ask(question())
    assert len(server.requests) == 2


def test_time_for_the_whole_task_ends_the_waiting(serve, door, still):
    server = serve(standin.forever(standin.failure(429, retry="20s")))
    with pytest.raises(BudgetSpent, match="its limit of 30 s"):
        door(server, seconds=30).ask(question())
    assert (len(server.requests), still.slept) == (2, [20.0])


def test_nothing_is_asked_once_the_time_is_over(serve, door, still):
    server = serve(standin.forever(standin.text("hi")))
    one = door(server, seconds=30)
    one.ask(question())
    still.time += 31
    with pytest.raises(BudgetSpent):
        one.ask(question())
    assert len(server.requests) == 1


def test_time_ends_a_call_that_is_under_way(serve, door, still):
    def reply(request: standin.Request) -> standin.Reply:
        still.time += 31  # once the question has arrived, the clock of the door runs
        return standin.slow(standin.text("late"), 60)

    server = serve(reply)
    with pytest.raises(BudgetSpent, match="its limit of 30 s"):
        door(server, seconds=30).ask(question())


# ---- the end at any moment


def test_a_call_under_way_is_left_when_cancelled_and_its_thread_ends(serve, door):
    def reply(request: standin.Request) -> standin.Reply:
        one.cancel()
        return standin.slow(standin.text("late"), 2 * LONG)

    one = door(serve(reply), real_time=True)
    with pytest.raises(Cancelled):
        one.ask(question())
    for thread in threading.enumerate():
        if thread.name == "helio-model":
            thread.join(LONG)
            assert not thread.is_alive()
    assert read_lines(one.transcript.path)[-1]["error"]["kind"] == "Cancelled"


def test_waiting_for_another_attempt_ends_when_cancelled(serve, door):
    server = serve(standin.forever(standin.failure(429, retry="60s")))
    ended = threading.Event()
    waits = when_logged("helio.authoring.models.door", "helio tries again", ended.set)
    with waits, pytest.raises(Cancelled):
        door(server, ended=ended, real_time=True).ask(question())
    assert len(server.requests) == 1


def test_nothing_is_asked_after_the_cancellation(serve, door):
    server = serve(standin.forever(standin.text("hi")))
    one = door(server)
    one.cancel()
    with pytest.raises(Cancelled):
        one.ask(question())
    assert server.requests == []


@pytest.mark.parametrize("reply", [standin.slow(standin.text("late"), 60), standin.failure(429, retry="60s")])
def test_ctrl_c_ends_a_process_that_waits_for_a_model(serve, tmp_path, reply):
    server = serve(standin.forever(reply))
    code = (
        "from helio.authoring.models.door import open_door\n"
        "from helio.authoring.models.model import Ask, UserTurn\n"
        "from helio.settings import read_settings\n"
        "door = open_door(read_settings())\n"
        "print(door.transcript.path, flush=True)\n"
        "try:\n"
        "    door.ask(Ask('smart', '', (UserTurn('hello'),)))\n"
        "except KeyboardInterrupt:\n"
        "    print('ended', flush=True)\n"
    )
    environment = {
        "HELIO_HOME": str(tmp_path),
        "HELIO_MODEL_URL": server.url,
        "GEMINI_API_KEY": server.key,
    }
    with python("-c", code, environment=environment) as process:
        path = Path(process.stdout.readline().strip())
        wait_for_requests(server, 1, process)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().strip() == "ended"
        assert process.wait() == 0
    assert read_lines(path)[-1]["error"] == {"kind": "KeyboardInterrupt"}


def test_the_door_can_be_used_after_a_call_that_took_too_long(serve, door, still):
    def reply(request: standin.Request) -> standin.Reply:
        if still.slept:
            return standin.text("hi")
        still.time += 60  # once the question has arrived, the clock of the door runs
        return standin.slow(standin.text("late"), 60)

    server = serve(reply)
    assert door(server, patience=Patience(answer=30)).ask(question()).text == "hi"
    assert len(server.requests) == 2


# ---- keys


def test_a_key_in_a_question_reaches_neither_model_nor_transcript(serve, door):
    server = serve(standin.forever(standin.text("hi")))
    one = door(server)
    google = "AIza" + "b" * 35
    one.ask(question(f"my key is {server.key}, or {google}", system=f"the key {server.key}"))
    one.transcript.note("diagnostics", text=f"{server.key} is no dataset")
    [request] = server.requests
    written = one.transcript.path.read_text()
    for secret in (server.key, google):
        assert secret not in json.dumps(request.body)
        assert secret not in written
    assert request.text == "my key is [key], or [key]"


def test_a_key_that_the_server_repeats_is_not_in_the_transcript(serve, door):
    def echoes(request: standin.Request) -> standin.Reply:
        return standin.text(f"your key is {request.key}")

    one = door(serve(echoes))
    one.ask(question())
    assert standin.KEY not in one.transcript.path.read_text()


# ---- opened by what the environment says


def test_without_a_key_nothing_is_written(tmp_path):
    with pytest.raises(NoKey):
        open_door(read_settings({"HELIO_HOME": str(tmp_path)}))
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_key_leaves_a_transcript_that_says_so(serve, tmp_path):
    server = serve(standin.forever(standin.text("hi")))
    environment = {
        "HELIO_HOME": str(tmp_path),
        "HELIO_MODEL_URL": server.url,
        "GEMINI_API_KEY": "another-key-9876543210",
    }
    one = open_door(read_settings(environment))
    with pytest.raises(WrongKey):
        one.ask(question())
    one.close()
    [exchange] = read_exchanges(one.transcript.path)
    assert exchange.error["kind"] == "WrongKey"
    assert one.transcript.path.parent == tmp_path / "transcripts"
    assert "another-key" not in one.transcript.path.read_text()


def test_the_limit_of_tokens_comes_from_the_environment(serve, tmp_path):
    server = serve(standin.forever(standin.text("hi", total=60)))
    environment = {
        "HELIO_HOME": str(tmp_path),
        "HELIO_MODEL_URL": server.url,
        "GEMINI_API_KEY": server.key,
        "HELIO_MODEL_TOKENS": "50",
    }
    one = open_door(read_settings(environment))
    one.ask(question())
    with pytest.raises(BudgetSpent, match="the limit is 50"):
        one.ask(question())
    one.close()


def test_a_limit_of_tokens_that_is_no_number_is_refused():
    with pytest.raises(RequestError, match="HELIO_MODEL_TOKENS is 'many'"):
        read_settings({"HELIO_MODEL_TOKENS": "many"})


def test_a_safety_block_is_said_with_its_reason(serve, door):
    with pytest.raises(Blocked, match="SAFETY"):
        door(serve(standin.blocked())).ask(question())
