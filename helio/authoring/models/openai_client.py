"""Connect to OpenAI, or to a server with its interface, such as Ollama; only this module imports OpenAI's client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from helio.authoring.models.model import (
    Ask,
    Call,
    ModelAnswer,
    ModelTurn,
    ResultsTurn,
    Usage,
    UserTurn,
)
from helio.authoring.models.official_client import (
    A_DAY,
    MOST_SAID,
    OfficialClient,
    arguments_of,
    attached_as,
    base64_of,
    call_id,
    json_of,
    said_by,
    text_of_pdf,
    unwrapped,
)
from helio.authoring.models.providers import PROVIDERS, Provider
from helio.errors import Blocked, ModelRefused, Unreadable
from helio.store.records import Count

if TYPE_CHECKING:
    import ssl

    import httpx2
    import openai

_NO_KEY = "no-key"
"""What is sent in place of a key to a server that takes none, because the client refuses to send nothing."""
_LEAST_CONTEXT = 1024
"""Smallest number of tokens of a context; a server that counts fewer has only counted what it had not kept."""
_MOST_PER_TOKEN = 6
"""Maximum number of characters of a token, on average; helio's questions have three to four."""
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
"""Reasoning that small models write before their answer."""


class OpenAi(OfficialClient):
    """Client for OpenAI's language models, or for another server with the interface "Chat Completions".

    References
    ----------
    https://platform.openai.com/docs/api-reference/chat
    """

    own_provider = PROVIDERS["openai"]

    def ask(self, ask: Ask) -> ModelAnswer:
        """Ask the language model once, and return its answer."""
        name = self.name(ask.role)
        import openai

        pictured = any(isinstance(turn, UserTurn) and turn.files for turn in ask.turns)
        with self._refusals(name, pictured), self._named_errors(), unwrapped(openai.APIConnectionError):
            client = self._open(self._closings)
            question = self._question(name, ask)
            response = client.chat.completions.with_raw_response.create(**question)
            completion: _Completion = json_of(response.http_response, _Completion)
        self._refuse_if_cut(completion, name, question)
        return self._read(completion, name)

    def models(self) -> list[str]:
        """List the language models that the key may use; this request costs no tokens."""
        import openai

        with self._refusals("list of models"), self._named_errors(), unwrapped(openai.APIConnectionError):
            response = self._open(self._closings).models.with_raw_response.list()
            listed: _Models = json_of(response.http_response, _Models)
        return [model["id"] for model in listed["data"] or ()]

    def _made(self, wire: httpx2.Client, trusted: ssl.SSLContext) -> openai.OpenAI:
        import openai

        del trusted  # the connection has it
        return openai.OpenAI(
            api_key=self._key or _NO_KEY,
            base_url=self._url or self.provider.url,
            timeout=self._timeout,
            max_retries=0,
            http_client=wire,
        )

    def _question(self, name: str, ask: Ask) -> dict[str, Any]:
        question: dict[str, Any] = {"model": name, "messages": _messages(ask, name, self.provider)}
        if self.provider.name == "openai":
            question["max_completion_tokens"] = ask.max_tokens
        # other servers stop at the length of their context, and some refuse a limit that is larger
        if ask.temperature is not None:
            question["temperature"] = ask.temperature
        if ask.seed is not None:
            question["seed"] = ask.seed
        if thinking := self._thinking.get(ask.role):
            question["reasoning_effort"] = "none" if thinking == "off" else thinking
        if ask.tools:
            question["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in ask.tools
            ]
        if ask.schema is not None:
            form = {"name": "answer", "schema": dict(ask.schema)}
            question["response_format"] = {"type": "json_schema", "json_schema": form}
        return question

    @contextmanager
    def _refusals(self, name: str, has_files: bool = False) -> Iterator[None]:
        """Replace the error that an HTTP status causes by an error of helio."""
        import openai

        # the server's words may repeat the key, so no error is chained to its error
        try:
            yield
        except openai.APIStatusError as error:
            words, code = said_by(error.response)
            # no later attempt helps before the account is paid
            wait = 30 * A_DAY if code == "insufficient_quota" else None
            refusal = self._refusal(error.status_code, error.response.headers, words, name, wait=wait)
            if has_files and isinstance(refusal, ModelRefused) and not refusal.advice:
                refusal.advice = "the model may not read such files: choose one that does, or give their text"
            raise refusal from None

    def _refuse_if_cut(self, completion: _Completion, name: str, question: Mapping[str, Any]) -> None:
        """Refuse an answer to a part of the question: Ollama cuts what is longer than its context, and answers.

        Raises
        ------
        ModelRefused
        """
        usage = _usage(completion.get("usage"))
        texts = (message.get("content") for message in question["messages"])
        characters = sum(len(text) for text in texts if isinstance(text, str))
        if _LEAST_CONTEXT <= usage.prompt < characters / _MOST_PER_TOKEN:
            raise ModelRefused(
                f"{name} read only {usage.prompt} tokens of a question of {characters} characters, and not the rest",
                advice=self._context_advice(),
                answer=ModelAnswer(usage=usage, model=completion.get("model") or name),
            )

    def _read(self, completion: _Completion, name: str) -> ModelAnswer:
        model = completion.get("model") or name
        empty = ModelAnswer(usage=_usage(completion.get("usage")), model=model)
        if not completion["choices"]:
            raise Unreadable(f"{model} gave an empty answer", advice="send the request again", answer=empty)
        choice = completion["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason") or "stop"
        text = _THOUGHTS.sub("", message.get("content") or "")
        if reason == "length":
            # a call may be cut, and is left out
            return replace(empty, text=text, finish="length")
        refusal = " ".join(self._scrub(message.get("refusal") or "").split())[:MOST_SAID]
        if refusal or reason == "content_filter":
            raise Blocked(
                f"{model} refused the question{': ' if refusal else ''}{refusal}"
                + (" (content_filter)" if reason == "content_filter" else ""),
                advice="rephrase the request",
                answer=replace(empty, text=text),
            )
        calls = tuple(
            Call(
                call["function"]["name"],
                arguments_of(call["function"]["name"], call["function"].get("arguments") or "", empty),
                call.get("id") or "",
            )
            for call in message.get("tool_calls") or ()
        )
        return replace(empty, text=text, calls=calls, finish="calls" if calls else "stop")


class _Named(TypedDict):
    name: str


class _Function(_Named, total=False):
    arguments: Any


class _Called(TypedDict):
    function: _Function


class _ToolCall(_Called, total=False):
    id: str | None


class _Message(TypedDict, total=False):
    content: str | None
    refusal: str | None
    tool_calls: list[_ToolCall] | None


class _Said(TypedDict):
    message: _Message


class _Choice(_Said, total=False):
    finish_reason: str | None


class _Usage(TypedDict, total=False):
    prompt_tokens: Count | None
    completion_tokens: Count | None
    total_tokens: Count | None
    prompt_tokens_details: dict[str, Any] | None
    completion_tokens_details: dict[str, Any] | None


class _Choices(TypedDict):
    choices: list[_Choice]


class _Completion(_Choices, total=False):
    model: str | None
    usage: _Usage | None


class _Listed(TypedDict):
    id: str


class _Models(TypedDict):
    data: list[_Listed] | None


def _usage(counted: _Usage | None) -> Usage:
    if counted is None:
        return Usage()
    prompt, answer = counted.get("prompt_tokens") or 0, counted.get("completion_tokens") or 0
    thoughts = _detail(counted.get("completion_tokens_details"), "reasoning_tokens")
    return Usage(
        prompt=prompt,
        candidates=max(answer - thoughts, 0),
        thoughts=thoughts,
        cached=_detail(counted.get("prompt_tokens_details"), "cached_tokens"),
        total=counted.get("total_tokens") or prompt + answer,
    )


def _detail(details: Mapping[str, Any] | None, name: str) -> int:
    number = (details or {}).get(name)
    return number if isinstance(number, int) and number > 0 else 0


def _messages(ask: Ask, name: str, provider: Provider) -> list[dict[str, Any]]:
    """Convert a conversation to the form that OpenAI takes."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": ask.system}] if ask.system else []
    called = answered = 0
    for turn in ask.turns:
        if isinstance(turn, UserTurn):
            messages.append({"role": "user", "content": _content(turn, name, provider)})
            continue
        messages += _turn(turn, called, answered)
        if isinstance(turn, ModelTurn):
            called += len(turn.calls)
        else:
            answered += len(turn.results)
    return messages


def _content(turn: UserTurn, name: str, provider: Provider) -> str | list[dict[str, Any]]:
    """Convert a message of helio: a text, or parts if files go with it.

    Raises
    ------
    ModelRefused
        The provider reads no PDF, and helio does not know the text of one.
    """
    if not turn.files:
        return turn.text
    parts: list[dict[str, Any]] = []
    for number, file in enumerate(turn.files, 1):
        parts.append({"type": "text", "text": attached_as(number, file)})
        if file.is_text:
            continue
        address = f"data:{file.media_type};base64,{base64_of(file.content)}"
        if not file.is_pdf:
            parts.append({"type": "image_url", "image_url": {"url": address}})
        elif provider.reads_pdf:
            # the file's own name could hold instructions; the text of the message quotes it
            named = {"filename": f"document-{number}.pdf", "file_data": address}
            parts.append({"type": "file", "file": named})
        else:
            parts.append({"type": "text", "text": text_of_pdf(file, f"{provider.name}/{name}")})
    return [*parts, {"type": "text", "text": turn.text}]


def _turn(turn: ModelTurn | ResultsTurn, called: int, answered: int) -> list[dict[str, Any]]:
    """Convert a message of the conversation; the numbers of earlier calls and results give ids to those without."""
    if isinstance(turn, ModelTurn):
        message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
        calls = [
            {
                "id": call_id(call, called + number),
                "type": "function",
                "function": {"name": call.name, "arguments": _text(call.arguments)},
            }
            for number, call in enumerate(turn.calls)
        ]
        return [message | ({"tool_calls": calls} if calls else {})]
    return [
        {
            "role": "tool",
            "tool_call_id": call_id(result, answered + number),
            "content": _text(result.value),
        }
        for number, result in enumerate(turn.results)
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
