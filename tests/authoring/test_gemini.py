"""Google's own client behind the protocol, over real HTTP."""

import base64
import dataclasses
import logging
import subprocess
import sys
import traceback

import pytest

from helio.authoring.models import official_client
from helio.authoring.models.gemini import Gemini
from helio.authoring.models.model import (
    Ask,
    Call,
    CallResult,
    ModelAnswer,
    ModelTurn,
    ResultsTurn,
    Tool,
    Usage,
    UserTurn,
)
from helio.authoring.models.official_client import A_DAY
from helio.authoring.models.providers import connect
from helio.errors import (
    Blocked,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    ModelUnreachable,
    NoKey,
    QuotaExhausted,
    UnknownModel,
    Unreadable,
    WrongKey,
)
from helio.settings import read_settings
from helio.testing import FaultyServer
from helio.testing.faulty import bomb, unending_json, whole
from tests.authoring import standin_gemini as standin
from tests.authoring.conftest import FAST, OTHER, SMART

pytestmark = pytest.mark.process

SEARCH = Tool(
    "search_datasets",
    "Finds data sets by words.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
RAW = b"\xff\xfe\x00 signed +/="


def question(text: str = "hello", **options: object) -> Ask:
    return Ask(**{"role": "smart", "system": "be brief", "turns": (UserTurn(text),), **options})


def test_a_text_comes_with_all_its_counts(serve, gemini):
    server = serve(standin.text("hi", prompt=11, candidates=7, thoughts=5, cached=3, total=23))
    answer = gemini(server).ask(question())
    assert answer == ModelAnswer("hi", usage=Usage(11, 7, 5, 3, 23), model=SMART)


def test_the_question_is_put_as_it_stands(serve, gemini):
    server = serve(standin.text("hi"))
    gemini(server).ask(question("what?", max_tokens=99, seed=7, temperature=0.5))
    [request] = server.requests
    assert (request.model, request.system, request.text) == (SMART, "be brief", "what?")
    config = request.body["generationConfig"]
    assert (config["maxOutputTokens"], config["seed"], config["temperature"]) == (99, 7, 0.5)
    assert "tools" not in request.body
    assert "responseMimeType" not in config


def test_a_role_has_its_own_model(serve, gemini):
    server = serve(standin.text("hi"))
    gemini(server).ask(question(role="fast"))
    assert server.requests[0].model == FAST


def test_what_is_left_to_the_model_is_not_sent(serve, gemini):
    server = serve(standin.text("hi"))
    gemini(server).ask(question(temperature=None, seed=None, system=""))
    assert not {"temperature", "seed"} & server.requests[0].body["generationConfig"].keys()
    assert "systemInstruction" not in server.requests[0].body


def test_json_is_asked_for_with_its_schema(serve, gemini):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    server = serve(standin.json_text({"a": 1}))
    assert gemini(server).ask(question(schema=schema)).text == '{"a": 1}'
    assert server.requests[0].body["generationConfig"]["responseMimeType"] == "application/json"
    assert server.requests[0].schema == schema


def test_thoughts_are_not_the_answer(serve, gemini):
    reply = standin.text("42")
    reply.body["candidates"][0]["content"]["parts"].insert(0, {"text": "let me see", "thought": True})
    assert gemini(serve(reply)).ask(question()).text == "42"


# ---- calls


def test_calls_come_with_arguments_and_ids_and_their_schema_went_there(serve, gemini):
    server = serve(
        standin.calls([("search_datasets", {"text": "ACE"}), ("search_datasets", {})], said="wait")
    )
    answer = gemini(server).ask(question(tools=(SEARCH,)))
    assert [(one.name, one.arguments, one.id) for one in answer.calls] == [
        ("search_datasets", {"text": "ACE"}, "call-0"),
        ("search_datasets", {}, "call-1"),
    ]
    assert (answer.text, answer.finish) == ("wait", "calls")
    assert server.requests[0].tools["search_datasets"]["parametersJsonSchema"] == dict(SEARCH.parameters)


def test_signatures_go_back_where_they_stood(serve, gemini):
    server = serve(standin.calls([("a", {}), ("b", {})], signature=RAW), standin.text("done"))
    model = gemini(server)
    first = question(tools=(SEARCH,))
    answer = model.ask(first)
    results = ResultsTurn(tuple(CallResult.of(call, {"found": []}) for call in answer.calls))
    assert model.ask(first.then(answer, results)).text == "done"
    there = server.requests[1].body["contents"][1]["parts"]
    assert base64.urlsafe_b64decode(there[0]["thoughtSignature"]) == RAW
    assert "thoughtSignature" not in there[1]


def test_the_signature_of_a_text_goes_back_too(serve, gemini):
    server = serve(standin.text("hi", signature=RAW), standin.text("again"))
    model = gemini(server)
    answer = model.ask(question())
    model.ask(question().then(answer, UserTurn("and?")))
    there = server.requests[1].body["contents"][1]["parts"][0]
    assert (there["text"], base64.urlsafe_b64decode(there["thoughtSignature"])) == ("hi", RAW)


def test_a_lost_signature_is_refused_by_the_stand_in_as_by_gemini(serve, gemini):
    server = serve(standin.call("a", signature=RAW), standin.text("done"))
    model = gemini(server)
    answer = model.ask(question())
    lost = dataclasses.replace(answer, calls=(dataclasses.replace(answer.calls[0], signature=""),))
    with pytest.raises(ModelRefused, match="missing a thought_signature"):
        model.ask(question().then(lost, ResultsTurn((CallResult.of(answer.calls[0], 1),))))


@pytest.mark.parametrize(("name", "sent"), [(OTHER, standin.NO_SIGNATURE), ("gemini-2.5-flash", None)])
def test_another_model_is_not_sent_the_signature_of_the_first(serve, gemini, name, sent):
    server = serve(standin.calls([("a", {}), ("b", {})], signature=RAW), standin.text("done"))
    answer = gemini(server).ask(question())
    results = ResultsTurn(tuple(CallResult.of(call, 1) for call in answer.calls))
    gemini(server, smart=name).ask(question().then(answer, results))
    there = server.requests[1].body["contents"][1]["parts"]
    opaque = there[0].get("thoughtSignature")
    assert (opaque and base64.urlsafe_b64decode(opaque)) == sent
    assert "thoughtSignature" not in there[1]


def test_a_turn_of_another_maker_is_understood(serve, gemini):
    server = serve(standin.text("done"))
    said = ModelTurn("", (Call("a", {"x": 1}, "tool_9"),), model="some-open-model")
    turns = (UserTurn("hello"), said, ResultsTurn((CallResult("a", "three", "tool_9"),)))
    assert gemini(server).ask(question(turns=turns)).text == "done"
    assert server.requests[0].results == [{"id": "tool_9", "name": "a", "response": {"output": "three"}}]


# ---- refusals and accidents


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (standin.failure(400, "* temperature: too hot"), ModelRefused, "too hot"),
        (standin.failure(429, "slow down", retry="7s"), QuotaExhausted, "slow down"),
        (
            standin.failure(429, quota="GenerateRequestsPerDayPerProjectPerModel"),
            QuotaExhausted,
            "daily quota",
        ),
        (standin.failure(500), ModelUnavailable, "500"),
        (standin.failure(503, "The model is overloaded."), ModelUnavailable, "overloaded"),
        (standin.failure(504), ModelUnavailable, "504"),
        (standin.page(), ModelUnreachable, "did not answer with JSON"),
        (standin.page(502), ModelUnavailable, "502"),
        (standin.reset(), ModelUnavailable, "was lost|ended the connection"),
        (standin.blocked(), Blocked, "SAFETY"),
        (standin.blocked("A_NEW_REASON"), Blocked, "A_NEW_REASON"),
        (standin.stopped("SAFETY"), Blocked, "safety filter"),
        (standin.stopped("RECITATION", "as the poet"), Blocked, "copied"),
        (standin.stopped("MALFORMED_FUNCTION_CALL"), Unreadable, "MALFORMED_FUNCTION_CALL"),
        (standin.stopped("A_NEW_REASON"), Unreadable, "A_NEW_REASON"),
        (standin.nothing(), Unreadable, "empty answer"),
        (standin.Reply(raw=b"[1, 2]"), Unreadable, "empty answer"),
        (standin.Reply(raw=b'{"candidates": [{"content": 7}]}'), Unreadable, "does not follow the protocol"),
    ],
    ids=lambda one: one.__name__ if isinstance(one, type) else None,
)
def test_what_goes_wrong_has_its_own_error_after_one_request(serve, gemini, reply, kind, words):
    server = serve(reply, standin.text("a second request was made"))
    with pytest.raises(ModelError, match=words) as caught:
        gemini(server).ask(question())
    assert type(caught.value) is kind
    assert len(server.requests) == 1


def test_the_server_says_how_long_to_wait(serve, gemini):
    server = serve(
        standin.failure(429, retry="7.5s"),
        standin.failure(429, retry="3s", quota="GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        standin.failure(503, headers={"Retry-After": "11"}),
        standin.failure(503),
    )
    model, waits = gemini(server), []
    for _ in range(4):
        with pytest.raises(ModelError) as caught:
            model.ask(question())
        waits.append(caught.value.wait)
    assert waits == [7.5, A_DAY, 11.0, None]


def test_an_answer_cut_at_its_limit_says_so_and_has_no_calls(serve, gemini):
    reply = standin.call("a", {"x": 1})
    reply.body["candidates"][0]["finishReason"] = "MAX_TOKENS"
    answer = gemini(serve(reply)).ask(question())
    assert (answer.finish, answer.calls, answer.usage.total) == ("length", (), 15)


def test_an_answer_that_could_be_continued_costs_one_request(serve, gemini):
    reply = standin.stopped("CONTINUATION", "half of")
    reply.body["candidates"][0]["continuationToken"] = "dG9rZW4="
    server = serve(reply, standin.text(" it"))
    assert gemini(server).ask(question()).finish == "length"
    assert len(server.requests) == 1


@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_a_reply_that_is_nested_too_deeply_is_one_error_about_the_reply(serve, gemini, depth):
    server = serve(
        standin.forever(standin.Reply(raw=b'{"candidates": ' + b"[" * depth + b"]" * depth + b"}"))
    )
    with pytest.raises(Unreadable, match="nested too deeply"):
        gemini(server).ask(question())
    assert len(server.requests) == 1


def test_tokens_of_a_blocked_answer_are_known(serve, gemini):
    with pytest.raises(Blocked) as caught:
        gemini(serve(standin.stopped("SAFETY", candidates=2))).ask(question())
    assert caught.value.answer.usage.total == 12


def test_an_unknown_model_is_named(serve, gemini):
    server = serve(standin.text("hi"), models=["gemini-9"])
    with pytest.raises(UnknownModel, match=SMART) as caught:
        gemini(server).ask(question())
    assert "HELIO_MODEL_SMART" in caught.value.advice


def test_nobody_listens(serve, gemini):
    server = serve()
    server.close()
    with pytest.raises(ModelUnreachable, match="cannot be reached"):
        gemini(server).ask(question())


def test_an_answer_that_does_not_begin_in_time_is_given_up(serve, gemini):
    server = serve(standin.slow(standin.text("late"), 60))
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 s"):
        gemini(server, timeout=0.2).ask(question())


@pytest.mark.parametrize("url", ["ftp://nowhere", "nonsense"])
def test_an_address_that_is_none_is_said(url):
    model = Gemini(standin.KEY, {"smart": SMART}, url=url)
    with pytest.raises(ModelRefused, match=f"'{url}' is not a valid address") as caught:
        model.ask(question())
    assert "HELIO_MODEL_URL" in caught.value.advice


# ---- keys


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_wrong_key_is_told_from_a_wrong_question(serve, gemini, status):
    server = serve(standin.text("hi"), refuses=status)
    with pytest.raises(WrongKey, match="was rejected") as caught:
        gemini(server, key="another-key-9876543210").ask(question())
    assert "another-key" not in str(caught.value)


def test_no_key_says_where_one_is_set():
    with pytest.raises(NoKey) as caught:
        connect(read_settings({"HELIO_HOME": "/nowhere"}))
    assert "GEMINI_API_KEY" in caught.value.advice


@pytest.mark.parametrize("key", ["with a blank", "with\nline", "schlüssel-schlüssel", "auth_tokens/abc"])
def test_what_cannot_be_a_key_is_refused_unsaid(key):
    with pytest.raises(WrongKey) as caught:
        Gemini(key, {"smart": SMART})
    assert key not in str(caught.value)


def test_the_key_is_in_no_error_log_or_name(serve, gemini, caplog):
    caplog.set_level(logging.DEBUG)

    def echoes(request: standin.Request) -> standin.Reply:
        return standin.failure(500, f"no luck with {request.key}, says {request.headers}")

    model = gemini(serve(echoes))
    with pytest.raises(ModelUnavailable, match="no luck") as caught:
        model.ask(question())
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(model)
    assert standin.KEY not in told + caplog.text


def test_the_key_does_not_follow_a_redirect(serve, gemini):
    other = serve(standin.text("hi"))
    moved = standin.Reply(
        raw=b"", status=307, headers={"Location": f"{other.url}/v1beta/models/x:generateContent"}
    )
    with pytest.raises(ModelRefused, match="307") as caught:
        gemini(serve(moved)).ask(question())
    assert "HELIO_MODEL_URL" in caught.value.advice
    assert other.requests == []


def test_the_environment_does_not_change_what_was_said(serve, gemini, monkeypatch, caplog):
    for name, value in {
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "GOOGLE_API_KEY": "from-the-environment",
        "GEMINI_API_KEY": "from-the-environment-too",
        "GOOGLE_GENAI_API_VERSION": "v9",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    server = serve(standin.text("hi"))
    assert gemini(server).ask(question()).text == "hi"
    assert server.requests[0].key == standin.KEY
    assert "GOOGLE_API_KEY" not in caplog.text


def test_a_question_that_was_given_up_before_it_was_sent_is_not_sent(serve, gemini, monkeypatch):
    server = serve(standin.text("hi"))
    model = gemini(server)
    opened = model._open

    def closed_meanwhile(closings: int):
        model.close()
        return opened(closings)

    monkeypatch.setattr(model, "_open", closed_meanwhile)
    with pytest.raises(ModelUnavailable, match="was closed"):
        model.ask(question())
    assert server.requests == []


def test_a_closed_client_opens_again(serve, gemini):
    model = gemini(serve(standin.text("one"), standin.text("two")))
    assert model.ask(question()).text == "one"
    model.close()
    assert model.ask(question()).text == "two"


def test_settings_name_models_key_and_server(serve):
    server = serve(standin.text("one"), standin.text("two"))
    settings = read_settings(
        {
            "GEMINI_API_KEY": f" {standin.KEY}\n",
            "GOOGLE_API_KEY": "not-this-one",
            "HELIO_MODEL_URL": server.url,
            "HELIO_MODEL_SMART": "gemini-9-pro",
            "HELIO_MODEL_FALLBACK": "gemini-8",
        }
    )
    model, fallback = connect(settings)
    model.ask(question())
    fallback.ask(question())
    model.close()
    fallback.close()
    assert [one.model for one in server.requests] == ["gemini-9-pro", "gemini-8"]


def test_the_fallback_can_be_switched_off():
    _, fallback = connect(read_settings({"GOOGLE_API_KEY": standin.KEY, "HELIO_MODEL_FALLBACK": "none"}))
    assert fallback is None


def test_the_makers_client_is_not_imported_before_a_question_is_put():
    code = (
        "import sys, helio.authoring.models.door, helio.authoring.models.gemini as g\n"
        "g.Gemini('a-key-of-some-length', {'smart': 'x'})\n"
        "print([one for one in sys.modules if one.split('.')[0] in ('google', 'httpx2', 'jsonschema', 'numpy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", ["an answer without end", "a compressed answer"])
def test_an_answer_is_bounded_in_bytes(monkeypatch, kind):
    monkeypatch.setattr(official_client, "LONGEST_ANSWER", 10**6)
    answers = {
        "an answer without end": unending_json,
        "a compressed answer": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n"),
    }
    path = f"/v1beta/models/{SMART}:generateContent"
    with FaultyServer({path: lambda request: answers[kind]()}) as server:
        model = Gemini(standin.KEY, {"smart": SMART}, url=server.url)
        with pytest.raises(ModelUnavailable, match=r"larger than 1 MB|'gzip', which helio did not request"):
            model.ask(question())
        model.close()
        assert "accept-encoding: identity" in server.requests[0].lower()
        assert sum(server.sent) < 32 * 1024**2
