"""Every provider's own client behind the one protocol, over real HTTP on loopback."""

import json
import logging
import os
import re
import subprocess
import sys
import traceback
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from helio.authoring.models import official_client, providers
from helio.authoring.models.anthropic_client import Anthropic
from helio.authoring.models.door import Door
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
from helio.authoring.models.openai_client import OpenAi
from helio.authoring.models.providers import PROVIDERS, connect, has_model, provider_called
from helio.authoring.models.transcript import Transcript
from helio.cli import app
from helio.errors import (
    Blocked,
    BudgetSpent,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    ModelUnreachable,
    NoKey,
    QuotaExhausted,
    RequestError,
    UnknownModel,
    Unreadable,
    WrongKey,
)
from helio.settings import MODEL_KEYS, read_settings
from helio.testing import FaultyServer
from helio.testing.faulty import bomb, unending_json, whole
from tests.authoring import standin_gemini as standin
from tests.authoring.standin_anthropic import AnthropicStandIn
from tests.authoring.standin_openai import OpenAiStandIn

pytestmark = pytest.mark.process

NAME = "model-9"
STAND_INS = {"openai": OpenAiStandIn, "ollama": OpenAiStandIn, "anthropic": AnthropicStandIn}
PATHS = {
    "openai": "/v1/chat/completions",
    "ollama": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}
SEARCH = Tool(
    "search_datasets",
    "Finds data sets by words.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)


@pytest.fixture(params=STAND_INS)
def provider(request):
    """Each provider whose client is not Google's."""
    return request.param


@pytest.fixture
def serve(provider):
    """Starts stand-ins of a provider, each with its script."""
    started = []

    def start(*script, **options):
        one = script[0] if len(script) == 1 and callable(script[0]) else script
        started.append(STAND_INS[provider](one, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def client(provider):
    """Makes clients of stand-ins."""
    made = []

    def make(url, *, key=standin.KEY, name=NAME, **options):
        names = {"smart": name, "fast": f"{name}-mini"}
        if provider == "anthropic":
            made.append(Anthropic(key, names, url=url, **options))
        else:
            made.append(OpenAi(key, names, url=url, provider=PROVIDERS[provider], **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def question(text="hello", **options):
    return Ask(**{"role": "smart", "system": "be brief", "turns": (UserTurn(text),), **options})


def test_a_text_comes_with_its_counts(serve, client, provider):
    server = serve(standin.text("hi", prompt=11, candidates=7, cached=3, thoughts=5, total=23))
    answer = client(server.url).ask(question())
    split = (12, 0) if provider == "anthropic" else (7, 5)  # Anthropic counts both together
    assert answer == ModelAnswer("hi", usage=Usage(11, *split, 3, 23), model=NAME)


def test_the_question_is_put_as_it_stands(serve, client, provider):
    server = serve(standin.text("hi"))
    client(server.url).ask(question("what?", temperature=0.5, role="fast"))
    [request] = server.requests
    assert (request.model, request.system, request.text) == (f"{NAME}-mini", "be brief", "what?")
    assert request.key == standin.KEY
    assert request.body.get("temperature") == (None if provider == "anthropic" else 0.5)  # it takes none
    assert request.body.get("stream") in (None, False)
    assert "tools" not in request.body


def test_json_is_asked_for_with_its_schema(serve, client, provider):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    server = serve(standin.json_text({"a": 1}))
    assert client(server.url).ask(question(schema=schema)).text == '{"a": 1}'
    closed = {"additionalProperties": False} if provider == "anthropic" else {}
    assert server.requests[0].schema == schema | closed


def test_calls_and_their_results_go_there_and_back(serve, client):
    server = serve(
        standin.calls([("search_datasets", {"text": "ACE"}), ("search_datasets", {})], said="wait"),
        standin.text("done"),
    )
    model = client(server.url)
    first = question(tools=(SEARCH,))
    answer = model.ask(first)
    assert [(call.name, call.arguments, call.id) for call in answer.calls] == [
        ("search_datasets", {"text": "ACE"}, "call-0"),
        ("search_datasets", {}, "call-1"),
    ]
    assert (answer.text, answer.finish) == ("wait", "calls")
    assert server.requests[0].tools["search_datasets"]["parameters"] == dict(SEARCH.parameters)
    results = ResultsTurn((CallResult.of(answer.calls[0], {"found": ["ä"]}), CallResult("a", "x", "call-1")))
    assert model.ask(first.then(answer, results)).text == "done"
    assert server.requests[1].results == [
        {"id": "call-0", "response": '{"found": ["ä"]}'},
        {"id": "call-1", "response": "x"},
    ]


def test_turns_of_another_model_are_understood(serve, client):
    server = serve(standin.text("done"))
    said = ModelTurn(
        "", (Call("a", {"x": 1}, signature="other c2lnbmVk"), Call("b", {})), "other e30=", "other"
    )
    turns = [UserTurn("hello"), said, ResultsTurn((CallResult("a", 3), CallResult("b", None)))]
    turns += [ModelTurn("", (Call("c", {}, "tool.9!"),)), ResultsTurn((CallResult("c", 1, "tool.9!"),))]
    assert client(server.url).ask(question(turns=tuple(turns))).text == "done"


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (standin.failure(400, "temperature: too hot"), ModelRefused, "too hot"),
        (standin.failure(413, "too large"), ModelRefused, "too large"),
        (standin.failure(429, "slow down", retry="7s"), QuotaExhausted, "slow down"),
        (standin.failure(403, "not for you"), WrongKey, "was rejected"),
        (standin.failure(404, "no such model"), UnknownModel, NAME),
        (standin.failure(500), ModelUnavailable, "500"),
        (standin.failure(529, "Overloaded"), ModelUnavailable, "Overloaded"),
        (standin.page(), ModelUnreachable, "did not answer with JSON"),
        (standin.page(502), ModelUnavailable, "502"),
        (standin.reset(), ModelUnavailable, "was lost|ended the connection"),
        (standin.blocked(), Blocked, "refus"),
        (standin.stopped("SAFETY"), Blocked, "refus"),
        (standin.Reply(raw=b"[1, 2]"), Unreadable, "does not follow the protocol"),
        (standin.Reply(raw=b'{"choices": 7, "content": 7}'), Unreadable, "does not follow the protocol"),
        (standin.Reply(raw=b"{" * 200_000), ModelUnreachable, "did not answer with JSON"),
        (standin.Reply(raw=b'{"a": ' + b"[" * 200_000), Unreadable, "nested too deeply"),
    ],
    ids=str,
)
def test_what_goes_wrong_has_its_own_error_after_one_request(serve, client, reply, kind, words):
    server = serve(reply, standin.text("a second request was made"))
    with pytest.raises(ModelError, match=words) as caught:
        client(server.url).ask(question())
    assert type(caught.value) is kind
    assert len(server.requests) == 1


def test_the_server_says_how_long_to_wait(serve, client, provider):
    server = serve(
        standin.failure(429, retry="7.5s"), standin.failure(503), standin.failure(429, quota="All")
    )
    model, waits = client(server.url), []
    for _ in range(3):
        with pytest.raises(ModelError) as caught:
            model.ask(question())
        waits.append(caught.value.wait)
        assert ("in 8 s" in caught.value.advice) == (caught.value.wait == 7.5)
    assert waits == [7.5, None, None if provider == "anthropic" else 30 * A_DAY]


def test_an_answer_cut_at_its_limit_says_so_and_has_no_calls(serve, client):
    reply = standin.call("a", {"x": 1})
    reply.body["candidates"][0]["finishReason"] = "MAX_TOKENS"
    answer = client(serve(reply).url).ask(question())
    assert (answer.finish, answer.calls, answer.usage.total) == ("length", (), 15)


@pytest.mark.parametrize(
    "arguments", ['{"text": "AC', "[1]", "7", "{" * 5000, '{"a": ' * 200 + "1" + "}" * 200]
)
def test_arguments_that_are_no_object_are_unreadable(serve, client, arguments):
    server = serve(_raw_call(arguments))
    with pytest.raises(Unreadable, match=r"not a JSON object|nested too deeply") as caught:
        client(server.url).ask(question(tools=(SEARCH,)))
    assert caught.value.answer.usage.total == 15


def _raw_call(arguments):
    reply = standin.call("search_datasets", {})
    reply.body["candidates"][0]["content"]["parts"][0]["functionCall"]["args"] = arguments
    return reply


def test_an_unknown_model_is_named_with_what_to_do(serve, client, provider):
    server = serve(standin.text("hi"), models=["another"])
    with pytest.raises(UnknownModel, match=NAME) as caught:
        client(server.url).ask(question())
    assert "HELIO_MODEL" in caught.value.advice
    assert ("ollama pull" in caught.value.advice) == (provider == "ollama")


def test_the_models_are_listed(serve, client):
    assert client(serve(models=["a", "b"]).url).models() == ["a", "b"]


def test_nobody_listens(serve, client, provider):
    server = serve()
    server.close()
    with pytest.raises(ModelUnreachable, match="cannot be reached") as caught:
        client(server.url).ask(question())
    assert ("ollama serve" in caught.value.advice) == (provider == "ollama")


def test_an_answer_that_does_not_begin_in_time_is_given_up(serve, client):
    server = serve(standin.slow(standin.text("late"), 60))
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 s"):
        client(server.url, timeout=0.2).ask(question())


@pytest.mark.parametrize("url", ["ftp://nowhere", "nonsense"])
def test_an_address_that_is_none_is_said(client, url):
    with pytest.raises(ModelRefused, match=f"'{url}' is not a valid address"):
        client(url).ask(question())


def test_a_wrong_key_is_said_and_not_shown(serve, client):
    server = serve(standin.text("hi"))
    with pytest.raises(WrongKey, match="was rejected") as caught:
        client(server.url, key="another-key-9876543210").ask(question())
    assert "another-key" not in str(caught.value)


def test_the_key_is_in_no_error_log_or_name(serve, client, caplog):
    caplog.set_level(logging.DEBUG)

    def echoes(request):
        return standin.failure(500, f"no luck with {request.key}, says {request.headers}")

    model = client(serve(echoes).url)
    with pytest.raises(ModelUnavailable, match="no luck") as caught:
        model.ask(question())
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(model)
    assert standin.KEY not in told + caplog.text


def test_the_key_does_not_follow_a_redirect(serve, client, provider):
    other = serve(standin.text("hi"))
    moved = standin.Reply(raw=b"", status=307, headers={"Location": f"{other.url}/x"})
    with pytest.raises(ModelRefused, match="307"):
        client(serve(moved).url).ask(question())
    assert other.requests == []


@pytest.mark.parametrize("key", ["with a blank", "with\nline", "schlüssel-schlüssel"])
def test_what_cannot_be_a_key_is_refused_unsaid(client, key):
    with pytest.raises(WrongKey) as caught:
        client("http://127.0.0.1:9", key=key)
    assert key not in str(caught.value)


def test_a_closed_client_opens_again(serve, client):
    model = client(serve(standin.text("one"), standin.text("two")).url)
    assert model.ask(question()).text == "one"
    model.close()
    assert model.ask(question()).text == "two"


@pytest.mark.parametrize("kind", ["an answer without end", "a compressed answer"])
def test_an_answer_is_bounded_in_bytes(client, provider, monkeypatch, kind):
    monkeypatch.setattr(official_client, "LONGEST_ANSWER", 10**6)
    answers = {
        "an answer without end": unending_json,
        "a compressed answer": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n"),
    }
    with FaultyServer({PATHS[provider]: lambda request: answers[kind]()}) as server:
        model = client(server.url + ("" if provider == "anthropic" else "/v1"))
        with pytest.raises(ModelUnavailable, match=r"larger than 1 MB|'gzip', which helio did not request"):
            model.ask(question())
        model.close()
        assert sum(server.sent) < 32 * 1024**2


def test_the_environment_of_other_programs_does_not_change_the_question(serve, client, monkeypatch):
    for name, value in {
        "OPENAI_API_KEY": "from-the-environment",
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_API_KEY": "from-the-environment",
        "ANTHROPIC_AUTH_TOKEN": "from-the-environment-too",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    server = serve(standin.text("hi"))
    assert client(server.url).ask(question()).text == "hi"
    assert "from-the-environment" not in json.dumps(dict(server.requests[0].headers))


# ---- one provider's own


def test_the_thoughts_of_a_small_model_are_not_its_answer():
    with OpenAiStandIn([standin.text('<think>perhaps {"a": 2}?</think>\n{"a": 1}')]) as server:
        model = OpenAi(standin.KEY, {"smart": NAME}, url=server.url)
        assert model.ask(question()).text == '{"a": 1}'
        model.close()


def test_a_local_model_needs_no_key_and_gets_no_limit_beyond_its_context():
    with OpenAiStandIn([standin.text("hi")], key="") as server:
        model = OpenAi("", {"smart": "qwen3:8b"}, url=server.url, provider=PROVIDERS["ollama"])
        assert model.ask(question()).text == "hi"
        model.close()
    assert not {"max_tokens", "max_completion_tokens"} & server.requests[0].body.keys()


def test_the_static_part_is_marked_for_anthropics_cache():
    with AnthropicStandIn([standin.text("hi")]) as server:
        model = Anthropic(standin.KEY, {"smart": NAME}, url=server.url)
        model.ask(question())
        model.close()
    assert server.requests[0].body["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_lost_thoughts_are_refused_by_the_stand_in_as_by_anthropic():
    with AnthropicStandIn([standin.call("a"), standin.text("done")]) as server:
        model = Anthropic(standin.KEY, {"smart": NAME}, url=server.url)
        answer = model.ask(question())
        lost = question().then(
            replace(answer, signature=""), ResultsTurn((CallResult.of(answer.calls[0], 1),))
        )
        with pytest.raises(ModelRefused, match="Expected `thinking`"):
            model.ask(lost)
        model.close()


@pytest.mark.parametrize("level", ["off", "low", "medium", "high"])
def test_the_level_of_thinking_of_a_role_is_sent_and_without_one_nothing(serve, client, provider, level):
    server = serve(standin.text("one"), standin.text("two"))
    model = client(server.url, thinking={"smart": level})
    model.ask(question())
    model.ask(question(role="fast"))
    asked, plain = (request.body for request in server.requests)
    if provider != "anthropic":
        assert asked["reasoning_effort"] == ("none" if level == "off" else level)
    elif level == "off":
        assert asked["thinking"] == {"type": "disabled"}
    else:
        assert asked["output_config"] == {"effort": level}
    assert not {"reasoning_effort", "thinking", "output_config"} & plain.keys()


@pytest.mark.parametrize(
    ("name", "level", "sent"),
    [
        ("gemini-3.8-flash", "high", {"thinking_level": "HIGH"}),
        ("gemini-3.8-flash", "off", {"thinking_level": "MINIMAL"}),
        ("gemini-2.5-flash", "low", {"thinking_budget": 1024}),
        ("gemini-2.5-flash", "off", {"thinking_budget": 0}),
        ("gemini-3.8-flash", "", None),
    ],
)
def test_gemini_takes_a_level_of_thinking_or_a_number_of_tokens(name, level, sent):
    with standin.GeminiStandIn([standin.text("hi")]) as server:
        model = Gemini(standin.KEY, {"smart": name}, url=server.url, thinking={"smart": level})
        model.ask(question())
        model.close()
    assert server.requests[0].body["generationConfig"].get("thinkingConfig") == sent


def test_a_refused_level_of_thinking_says_which_setting_it_is(serve, client):
    model = client(serve(standin.failure(400, "unsupported value")).url, thinking={"smart": "high"})
    with pytest.raises(ModelRefused, match="unsupported value") as caught:
        model.ask(question())
    assert "HELIO_MODEL_THINKING" in caught.value.advice


@pytest.mark.parametrize(("counted", "is_cut"), [(2051, True), (4096, True), (12_000, False), (10, False)])
def test_a_question_that_a_server_has_cut_is_not_answered(counted, is_cut):
    with OpenAiStandIn([standin.text("hi", prompt=counted)], key="") as server:
        model = OpenAi("", {"smart": "qwen3:8b"}, url=server.url, provider=PROVIDERS["ollama"])
        if is_cut:
            with pytest.raises(ModelRefused, match=f"read only {counted} tokens of a question") as caught:
                model.ask(question("word " * 10_000))
            assert "OLLAMA_CONTEXT_LENGTH" in caught.value.advice
            assert caught.value.answer.usage.prompt == counted
        else:
            assert model.ask(question("word " * 10_000)).text == "hi"
        model.close()


@pytest.mark.parametrize(("name", "words"), [("vllm", "--max-model-len"), ("llamacpp", "-c 32768")])
def test_a_context_that_is_too_short_says_how_to_make_it_longer(name, words):
    with OpenAiStandIn(
        [standin.failure(400, "the request exceeds the available context size")], key=""
    ) as server:
        model = OpenAi("", {"smart": "x"}, url=server.url, provider=PROVIDERS[name])
        with pytest.raises(ModelRefused, match="context size") as caught:
            model.ask(question())
        assert words in caught.value.advice
        model.close()


# ---- settings


def environment(**more):
    return read_settings({"HELIO_HOME": "/nowhere", **more})


def test_helio_model_names_the_model_of_both_roles_and_no_fallback():
    model, fallback = connect(environment(HELIO_MODEL="ollama/qwen3:8b"))
    assert isinstance(model, OpenAi)
    assert (model.name("smart"), model.name("fast"), fallback) == ("qwen3:8b", "qwen3:8b", None)


def test_each_role_may_have_its_own_provider():
    model, fallback = connect(
        environment(
            HELIO_MODEL="anthropic/claude-9",
            HELIO_MODEL_FAST="ollama/qwen3:8b",
            HELIO_MODEL_FALLBACK="gemini-8",
            ANTHROPIC_API_KEY=standin.KEY,
            GEMINI_API_KEY=standin.KEY,
        )
    )
    assert (model.name("smart"), model.name("fast"), fallback.name("smart")) == (
        "claude-9",
        "qwen3:8b",
        "gemini-8",
    )
    model.close()


def test_without_helio_model_the_model_is_geminis():
    assert provider_called(environment().model_smart)[0].name == "gemini"


def test_an_address_belongs_to_the_model_that_plans_and_ollamas_host_to_ollama():
    assert environment(HELIO_MODEL="vllm/a/b", HELIO_MODEL_URL="http://x:1/v1").model_urls == {
        "vllm": "http://x:1/v1"
    }
    assert environment(OLLAMA_HOST="gpu:11434").model_urls == {"ollama": "http://gpu:11434/v1"}
    assert environment(OPENAI_BASE_URL="http://y/v1").model_urls == {"openai": "http://y/v1"}


def test_a_key_is_needed_where_the_provider_needs_one():
    assert not has_model(environment())
    assert not has_model(environment(HELIO_MODEL="openai/gpt-9"))
    assert has_model(environment(HELIO_MODEL="openai/gpt-9", OPENAI_API_KEY="a-key"))
    assert has_model(environment(HELIO_MODEL="llamacpp/any"))
    with pytest.raises(NoKey) as caught:
        connect(environment(HELIO_MODEL="anthropic/claude-9", GEMINI_API_KEY="a-key"))
    assert "ANTHROPIC_API_KEY" in caught.value.advice


@pytest.mark.parametrize(
    ("model", "words", "advice"),
    [
        ("olama/qwen3", "no provider of language models is called 'olama'", "did you mean 'ollama'"),
        ("nope/x", "no provider of language models is called 'nope'", "write PROVIDER/NAME with one of "),
        ("mycompany/x", "no provider of language models is called 'mycompany'", "helio models"),
        ("ollama/", "names no model", "ollama/NAME"),
        ("gpt-9", "'gpt-9' does not say whose model it is", "openai/gpt-9"),
    ],
)
def test_a_model_that_is_named_wrongly_is_refused(model, words, advice):
    with pytest.raises(RequestError, match=words) as caught:
        connect(environment(HELIO_MODEL=model))
    assert advice in caught.value.advice


def test_a_client_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(providers, "find_spec", lambda name: None)
    with pytest.raises(RequestError, match="the Python package openai is not installed") as caught:
        connect(environment(HELIO_MODEL="ollama/qwen3"))
    assert "helio-pipelines[openai]" in caught.value.advice


def test_levels_of_thinking_are_for_writing_and_for_the_search():
    assert environment().model_thinking == ("", "")
    assert environment(HELIO_MODEL_THINKING="low").model_thinking == ("low", "low")
    assert environment(HELIO_MODEL_THINKING="high/off").model_thinking == ("high", "off")
    for wrong in ("much", "high/low/off", "high/", "/"):
        with pytest.raises(RequestError, match="HELIO_MODEL_THINKING"):
            environment(HELIO_MODEL_THINKING=wrong)
    model, _ = connect(environment(HELIO_MODEL="ollama/qwen3", HELIO_MODEL_THINKING="high/off"))
    assert model._thinking == {"smart": "high", "fast": "off"}


@pytest.mark.parametrize("prices", ["3", "a/b", "1/2/3", "-1/2"])
def test_prices_that_are_none_are_refused(prices):
    with pytest.raises(RequestError, match="HELIO_MODEL_PRICES"):
        environment(HELIO_MODEL_PRICES=prices)


def test_a_limit_of_cost_needs_prices():
    with pytest.raises(RequestError, match="not the price"):
        environment(HELIO_MODEL_COST="2")
    assert environment(HELIO_MODEL_COST="2", HELIO_MODEL_PRICES="0.5/3").model_prices == (0.5, 3.0)


def test_no_client_is_imported_before_a_question_is_put():
    code = (
        "import sys, helio.authoring.models.door\n"
        "from helio.authoring.models import anthropic_client as a, openai_client as o\n"
        "o.OpenAi('a-key-of-some-length', {'smart': 'x'}), a.Anthropic('a-key-of-some-length', {'smart': 'x'})\n"
        "print([one for one in sys.modules if one.split('.')[0] in ('openai', 'anthropic', 'google', 'httpx2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ---- the commands


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Runs a command with an environment of its own."""
    for name in [name for name in os.environ if name.startswith(("HELIO_MODEL", "OLLAMA"))]:
        monkeypatch.delenv(name)
    for names in MODEL_KEYS.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path))

    def run(*words, **more):
        for name, value in more.items():
            monkeypatch.setenv(name, value)
        return CliRunner().invoke(app, list(words))

    return run


def test_the_providers_are_listed_with_client_and_key_but_never_the_key(command):
    keys = {"OPENAI_API_KEY": standin.KEY, "OLLAMA_HOST": "http://user:secret-of-mine@gpu:1"}
    assert "no model writes: no key is set" in command("models").output
    told = command("models", **keys, HELIO_MODEL="ollama/qwen3:8b").output
    assert re.search(r"openai +openai is installed +key set", told)
    assert re.search(r"anthropic +anthropic is installed +key not set", told)
    assert re.search(r"ollama +openai is installed +no key needed +http://user:\[key\]@gpu:1/v1", told)
    assert "model for planning: ollama/qwen3:8b" in told
    assert told.startswith("provider   client")
    assert "no model writes" not in told
    listed = command("models", "--json").output
    assert {row["provider"] for row in json.loads(listed)["providers"]} == set(PROVIDERS)
    assert standin.KEY not in told + listed
    assert "secret-of-mine" not in told + listed


def test_the_models_of_a_provider_are_listed_without_a_question(command, serve, provider):
    server = serve(models=["a", "b"])
    keys = {PROVIDERS[provider].keys[0]: standin.KEY, "HELIO_MODEL_URL": server.url}
    told = command("models", "list", provider, HELIO_MODEL=f"{provider}/{NAME}", **keys)
    assert told.output == f"{provider}/a\n{provider}/b\n"
    assert [request.method for request in server.requests] == ["GET"]
    assert command("models", "list").output == command("models").output


def test_a_model_is_tested_with_one_request(command, serve, provider):
    server = serve(standin.text("yes"))
    keys = {PROVIDERS[provider].keys[0]: standin.KEY, "HELIO_MODEL_URL": server.url}
    told = command("models", "test", HELIO_MODEL=f"{provider}/{NAME}", **keys)
    assert re.fullmatch(rf"{NAME} answers: \d+\.\d s, 10 tokens asked, 5 answered\n", told.output)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words", "code"),
    [
        (standin.failure(401, "bad key"), "API key was rejected", 1),
        (standin.failure(404, "no such model"), "is unknown or not available", 1),
        (standin.failure(429, "slow down"), "quota", 1),
        (standin.failure(503, "overloaded"), "overloaded", 1),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_test_that_fails_says_why(command, serve, provider, reply, words, code):
    server = serve(reply, standin.text("yes"))
    keys = {PROVIDERS[provider].keys[0]: standin.KEY, "HELIO_MODEL_URL": server.url}
    told = command("models", "test", HELIO_MODEL=f"{provider}/{NAME}", **keys)
    assert (told.exit_code, len(server.requests)) == (code, 1)
    assert words in told.output
    assert "help: " in told.output


def test_a_test_of_a_model_without_its_server_says_how_to_start_it(command):
    told = command("models", "test", "ollama/qwen3:8b", OLLAMA_HOST="127.0.0.1:9")
    assert told.exit_code == 1
    assert "refuses the connection" in told.output
    assert "check that the server runs" in told.output
    assert "proxy" not in told.output
    assert "ollama serve" in told.output


# ---- the budget


def test_a_request_that_has_cost_its_limit_is_ended(tmp_path):
    with OpenAiStandIn(standin.forever(standin.text("hi", prompt=1_000_000, candidates=500_000))) as server:
        model = OpenAi(standin.KEY, {"smart": NAME}, url=server.url)
        door = Door(model, Transcript(tmp_path / "t.jsonl"), prices=(0.5, 3.0), cost=3.0)
        door.ask(question())
        assert door.cost == 2.0
        door.ask(question())
        with pytest.raises(BudgetSpent, match=r"has cost 4; the limit is 3") as caught:
            door.ask(question())
        assert "HELIO_MODEL_COST" in caught.value.advice
        door.close()
    assert len(server.requests) == 2
