"""Connect to Anthropic's language models; only this module imports Anthropic's client library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from helio.authoring.models.model import Ask, Call, ModelAnswer, ModelTurn, Turn, Usage, UserTurn
from helio.authoring.models.official_client import (
    OfficialClient,
    arguments_of,
    attached_as,
    base64_of,
    call_id,
    json_of,
    said_by,
    signature_of,
    signed,
    unwrapped,
)
from helio.authoring.models.providers import PROVIDERS
from helio.errors import Blocked
from helio.settings import Thinking
from helio.store.records import Count

if TYPE_CHECKING:
    import ssl

    import anthropic
    import httpx2

_CUT = ("max_tokens", "model_context_window_exceeded")
_THINKING = ("thinking", "redacted_thinking")
_CACHED = {"type": "ephemeral"}
"""Asks Anthropic to keep the beginning of the question, which is the same in every conversation."""


class Anthropic(OfficialClient):
    """Client for Anthropic's language models, or for another server with the same protocol.

    The protocol has no seed, and the client no temperature.

    References
    ----------
    https://platform.claude.com/docs/en/api/messages
    """

    own_provider = PROVIDERS["anthropic"]

    def ask(self, ask: Ask) -> ModelAnswer:
        """Ask the language model once, and return its answer."""
        name = self.name(ask.role)
        import anthropic

        with self._refusals(name), self._named_errors(), unwrapped(anthropic.APIConnectionError):
            client = self._open(self._closings)
            response = client.messages.with_raw_response.create(
                **_question(name, ask, self._thinking.get(ask.role, ""))
            )
            message: _Message = json_of(response.http_response, _Message)
        return _read(message, name)

    def models(self) -> list[str]:
        """List the language models that the key may use; this request costs no tokens."""
        import anthropic

        with self._refusals("list of models"), self._named_errors(), unwrapped(anthropic.APIConnectionError):
            response = self._open(self._closings).models.with_raw_response.list(limit=1000)
            listed: _Models = json_of(response.http_response, _Models)
        return [model["id"] for model in listed["data"]]

    def _made(self, wire: httpx2.Client, trusted: ssl.SSLContext) -> anthropic.Anthropic:
        import anthropic

        del trusted  # the connection has it
        return anthropic.Anthropic(
            api_key=self._key,
            base_url=self._url or self.provider.url,
            timeout=self._timeout,
            max_retries=0,
            http_client=wire,
        )

    @contextmanager
    def _refusals(self, name: str) -> Iterator[None]:
        """Replace the error that an HTTP status causes by an error of helio."""
        import anthropic

        # the server's words may repeat the key, so no error is chained to its error
        try:
            yield
        except anthropic.APIStatusError as error:
            words, _ = said_by(error.response)
            raise self._refusal(error.status_code, error.response.headers, words, name) from None


class _Kind(TypedDict):
    type: str


class _Block(_Kind, total=False):
    text: str
    id: str
    name: str
    input: Any


class _Counts(TypedDict):
    input_tokens: Count
    output_tokens: Count


class _Usage(_Counts, total=False):
    cache_creation_input_tokens: Count | None
    cache_read_input_tokens: Count | None


class _Content(TypedDict):
    content: list[_Block]


class _Message(_Content, total=False):
    stop_reason: str | None
    model: str
    usage: _Usage | None


class _Listed(TypedDict):
    id: str


class _Models(TypedDict):
    data: list[_Listed]


def _question(name: str, ask: Ask, thinking: Thinking) -> dict[str, Any]:
    from anthropic import transform_schema

    question: dict[str, Any] = {"model": name, "max_tokens": ask.max_tokens, "messages": _messages(ask, name)}
    if ask.system:
        question["system"] = [{"type": "text", "text": ask.system, "cache_control": _CACHED}]
    if ask.tools:
        question["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in ask.tools
        ]
    output: dict[str, Any] = {}
    if ask.schema is not None:
        output["format"] = {"type": "json_schema", "schema": transform_schema(dict(ask.schema))}
    if thinking == "off":
        question["thinking"] = {"type": "disabled"}
    elif thinking:
        output["effort"] = thinking
    return question | ({"output_config": output} if output else {})


def _read(message: _Message, name: str) -> ModelAnswer:
    model, reason = message.get("model") or name, message.get("stop_reason") or "end_turn"
    empty = ModelAnswer(usage=_usage(message.get("usage")), model=model)
    blocks = message["content"]
    text = "".join(block.get("text", "") for block in blocks if block["type"] == "text")
    if reason in _CUT:
        # a call may be cut, and is left out
        return replace(empty, text=text, finish="length")
    if reason == "refusal":
        raise Blocked(
            f"{model} refused the question: stopped by its filter (refusal)",
            advice="rephrase the request",
            answer=replace(empty, text=text),
        )
    calls = tuple(
        Call(
            block.get("name", ""),
            arguments_of(block.get("name", ""), block.get("input") or {}, empty),
            block.get("id", ""),
        )
        for block in blocks
        if block["type"] == "tool_use"
    )
    # the service wants these back, unchanged and before the calls
    thoughts = [block for block in blocks if block["type"] in _THINKING]
    opaque = signed(json.dumps(thoughts).encode() if thoughts else None, name)
    return replace(empty, text=text, calls=calls, signature=opaque, finish="calls" if calls else "stop")


def _usage(counted: _Usage | None) -> Usage:
    if counted is None:
        return Usage()
    cached = counted.get("cache_read_input_tokens") or 0
    prompt = counted["input_tokens"] + cached + (counted.get("cache_creation_input_tokens") or 0)
    answer = counted["output_tokens"]
    return Usage(prompt=prompt, candidates=answer, cached=cached, total=prompt + answer)


def _messages(ask: Ask, name: str) -> list[dict[str, Any]]:
    """Convert a conversation to the form that Anthropic takes."""
    messages: list[dict[str, Any]] = []
    called = answered = 0
    for turn in ask.turns:
        role = "assistant" if isinstance(turn, ModelTurn) else "user"
        messages.append({"role": role, "content": _blocks(turn, name, called, answered)})
        if isinstance(turn, ModelTurn):
            called += len(turn.calls)
        elif not isinstance(turn, UserTurn):
            answered += len(turn.results)
    return messages


def _blocks(turn: Turn, name: str, called: int, answered: int) -> list[dict[str, Any]]:
    """Convert a message of the conversation; the numbers of earlier calls and results give ids to those without."""
    if isinstance(turn, UserTurn):
        blocks: list[dict[str, Any]] = []
        for number, file in enumerate(turn.files, 1):
            blocks.append({"type": "text", "text": attached_as(number, file)})
            if not file.is_text:
                source = {"type": "base64", "media_type": file.media_type, "data": base64_of(file.content)}
                blocks.append({"type": "document" if file.is_pdf else "image", "source": source})
        return [*blocks, {"type": "text", "text": turn.text}]
    if isinstance(turn, ModelTurn):
        thoughts = signature_of(turn.signature, name)
        return [
            *(json.loads(thoughts) if thoughts else ()),
            *([{"type": "text", "text": turn.text}] if turn.text.strip() else ()),
            *(
                {
                    "type": "tool_use",
                    "id": _id(call, called + number),
                    "name": call.name,
                    "input": dict(call.arguments),
                }
                for number, call in enumerate(turn.calls)
            ),
        ]
    return [
        {
            "type": "tool_result",
            "tool_use_id": _id(result, answered + number),
            "content": result.value
            if isinstance(result.value, str)
            else json.dumps(result.value, ensure_ascii=False),
        }
        for number, result in enumerate(turn.results)
    ]


def _id(call: Any, number: int) -> str:
    """Return the id of a call or a result, with the letters that Anthropic accepts in an id."""
    return re.sub(r"[^\w-]", "_", call_id(call, number), flags=re.ASCII)
