"""The stand-ins for OpenAI and Anthropic against the official clients: their own types accept every reply.

The clients take long to import, so the tests do it: each process of a run collects this file, and one runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from helio.authoring.models.anthropic_client import Anthropic
from helio.authoring.models.model import Ask, CallResult, ResultsTurn, Tool, UserTurn
from helio.authoring.models.openai_client import OpenAi
from tests.authoring import standin_anthropic, standin_openai
from tests.authoring import standin_gemini as standin
from tests.authoring.standin_anthropic import AnthropicStandIn
from tests.authoring.standin_openai import OpenAiStandIn

pytestmark = pytest.mark.process

REPLIES = {
    "a text": standin.text("hi", prompt=11, candidates=7, cached=3, thoughts=5, total=23),
    "calls": standin.calls([("search", {"text": "ACE"}), ("search", {})], said="wait"),
    "JSON": standin.json_text({"a": 1}),
    "cut": standin.stopped("MAX_TOKENS"),
    "a refusal": standin.stopped("SAFETY"),
}
SEARCH = Tool("search", "Finds.", {"type": "object", "properties": {"text": {"type": "string"}}})
SAID: Any = [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]


def fields(kind: Any) -> set[str]:
    """The fields of a request that the official client knows."""
    parts = getattr(kind, "__args__", (kind,))
    return {
        name for part in parts for base in part.__mro__[:-1] for name in getattr(base, "__annotations__", {})
    } | {name for part in parts for name in part.__annotations__}


def fields_of_openai() -> set[str]:
    """The fields of a request to OpenAI."""
    from openai.types.chat import CompletionCreateParams

    return fields(CompletionCreateParams)


def fields_of_anthropic() -> set[str]:
    """The fields of a request to Anthropic."""
    from anthropic.types import MessageCreateParams

    return fields(MessageCreateParams)


@pytest.fixture(params=REPLIES)
def reply(request: pytest.FixtureRequest) -> standin.Reply:
    """A reply of each kind."""
    return REPLIES[request.param]


def test_openais_own_types_accept_the_replies(reply: standin.Reply) -> None:
    import openai
    from openai.types.chat import ChatCompletion

    with OpenAiStandIn([reply]) as server, openai.OpenAI(api_key=standin.KEY, base_url=server.url) as client:
        made = client.chat.completions.create(model="m", messages=SAID)
    assert (
        ChatCompletion.model_validate(made.model_dump(), strict=True).choices[0].message.role == "assistant"
    )


def test_anthropics_own_types_accept_the_replies(reply: standin.Reply) -> None:
    import anthropic
    from anthropic.types import Message

    with (
        AnthropicStandIn([reply]) as server,
        anthropic.Anthropic(api_key=standin.KEY, base_url=server.url) as client,
    ):
        made = client.messages.create(model="m", messages=SAID, max_tokens=10)
    assert Message.model_validate(made.model_dump(), strict=True).role == "assistant"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, "AuthenticationError"),
        (404, "NotFoundError"),
        (429, "RateLimitError"),
        (500, "InternalServerError"),
    ],
)
def test_the_official_clients_raise_their_own_errors(status: int, error: str) -> None:
    import anthropic
    import openai

    failed = standin.failure(status, "no luck")
    with (
        OpenAiStandIn([failed]) as server,
        openai.OpenAI(api_key=standin.KEY, base_url=server.url, max_retries=0) as client,
        pytest.raises(getattr(openai, error), match="no luck"),
    ):
        client.chat.completions.create(model="m", messages=SAID)
    with (
        AnthropicStandIn([failed]) as server,
        anthropic.Anthropic(api_key=standin.KEY, base_url=server.url, max_retries=0) as another,
        pytest.raises(getattr(anthropic, error), match="no luck"),
    ):
        another.messages.create(model="m", messages=SAID, max_tokens=10)


def test_the_official_clients_list_models() -> None:
    import anthropic
    import openai

    with (
        OpenAiStandIn(models=["a", "b"]) as server,
        openai.OpenAI(api_key=standin.KEY, base_url=server.url) as client,
    ):
        assert [one.id for one in client.models.list()] == ["a", "b"]
    with (
        AnthropicStandIn(models=["a", "b"]) as server,
        anthropic.Anthropic(api_key=standin.KEY, base_url=server.url) as another,
    ):
        assert [one.id for one in another.models.list()] == ["a", "b"]


def test_the_stand_ins_take_no_field_that_the_official_clients_do_not_know() -> None:
    assert fields_of_openai() >= standin_openai._FIELDS
    assert fields_of_anthropic() >= standin_anthropic._FIELDS


@pytest.fixture(params=["openai", "anthropic"])
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[Any, Any]]:
    """A client of helio, and the server that it asks."""
    script = [standin.call("search", {"text": "ACE"}), standin.json_text({"a": 1})]
    kind, client = {"openai": (OpenAiStandIn, OpenAi), "anthropic": (AnthropicStandIn, Anthropic)}[
        request.param
    ]
    with kind(script) as server:
        made = client(standin.KEY, {"smart": "m"}, url=server.url, thinking={"smart": "high"})
        yield made, server
        made.close()


def test_the_questions_of_helio_have_only_fields_that_the_official_clients_know(asked: Any) -> None:
    model, server = asked
    first = Ask("smart", "be brief", (UserTurn("hello"),), tools=(SEARCH,))
    answer = model.ask(first)
    results = ResultsTurn((CallResult.of(answer.calls[0], {"found": []}),))
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    model.ask(Ask("smart", "be brief", (*first.turns, answer.turn(), results), schema=schema))
    known = fields_of_openai() if isinstance(model, OpenAi) else fields_of_anthropic()
    assert all(request.body.keys() <= known for request in server.requests)
