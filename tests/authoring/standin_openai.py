"""A stand-in for OpenAI and for servers with its interface; OpenAI's own client reads from it unchanged.

It answers by the scripts of `tests.authoring.standin_gemini`, in the form of
https://platform.openai.com/docs/api-reference/chat: ``chat/completions`` and the list of models. It is as strict as the
service where that matters: wrong keys, unknown models and fields, results that do not fit their calls.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from tests.authoring.standin_gemini import KEY, GeminiStandIn, Reply, Request

_FIELDS = {
    "model", "messages", "tools", "tool_choice", "response_format", "max_tokens", "max_completion_tokens",
    "temperature", "seed", "stream", "reasoning_effort",
}  # fmt: skip
_ADDRESS = r"data:([a-z]+/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})"
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length"}


class OpenAiRequest(Request):
    """One that was made."""

    @property
    def model(self) -> str:
        return self.body.get("model", "")

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def system(self) -> str:
        return "".join(one["content"] for one in self.body["messages"] if one["role"] == "system")

    @property
    def text(self) -> str:
        return said(self.body["messages"][-1].get("content"))

    @property
    def results(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for one in reversed(self.body["messages"]):
            if one["role"] != "tool":
                break
            found.insert(0, {"id": one["tool_call_id"], "response": one["content"]})
        return found

    @property
    def files(self) -> list[tuple[str, bytes]]:
        content = next(message["content"] for message in self.body["messages"] if message["role"] == "user")
        parts = content if isinstance(content, list) else []
        addresses = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        addresses += [part["file"]["file_data"] for part in parts if part["type"] == "file"]
        found = (re.fullmatch(_ADDRESS, address) for address in addresses)
        return [(match[1], base64.b64decode(match[2])) for match in found if match is not None]

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        return {one["function"]["name"]: one["function"] for one in self.body.get("tools", [])}

    @property
    def schema(self) -> dict[str, Any] | None:
        return self.body.get("response_format", {}).get("json_schema", {}).get("schema")


def _wrong_part(parts: list[dict[str, Any]]) -> str:
    """What is wrong with the parts of a message."""
    for part in parts:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            continue
        if kind == "image_url" and re.fullmatch(_ADDRESS, part["image_url"]["url"]):
            continue
        named = part.get("file", {})
        is_pdf = str(named.get("file_data")).startswith("data:application/pdf;base64,")
        if kind == "file" and is_pdf and {"filename", "file_data"} == named.keys():
            continue
        return f"Invalid content part: {kind}"
    return ""


def said(content: Any) -> str:
    """The text of a message: a text, or a list of parts."""
    if isinstance(content, list):
        return "".join(one.get("text", "") for one in content)
    return content or ""


def failed(reply: Reply) -> tuple[dict[str, Any], dict[str, str]]:
    """The error of a script and the headers with its waiting time, in no protocol yet."""
    error = dict(reply.body["error"])
    headers = dict(reply.headers)
    for detail in error.get("details", ()):
        if "retryDelay" in detail:
            headers["retry-after"] = detail["retryDelay"].removesuffix("s")
    error["quota"] = any("violations" in detail for detail in error.get("details", ()))
    return error, headers


class OpenAiStandIn(GeminiStandIn):
    """Serves on loopback until it is closed; `url` is the address that ends with the version."""

    request_kind = OpenAiRequest

    def __init__(self, *arguments: Any, key: str = KEY, refuses: int = 401, **options: Any) -> None:
        super().__init__(*arguments, key=key, refuses=refuses, **options)
        self.url += "/v1"

    def _refusal(self, request: Request) -> Reply | None:
        if self.key and request.key != self.key:
            return _error(self._refuses, f"Incorrect API key provided: {request.key}", "invalid_api_key")
        if request.method == "GET":
            names = self._models or ["stand-in"]
            return Reply({"object": "list", "data": [{"id": one, "object": "model"} for one in names]})
        if urlsplit(request.path).path != "/v1/chat/completions":
            return _error(404, f"Invalid URL (POST {request.path})")
        if self._models is not None and request.model not in self._models:
            return _error(404, f"The model `{request.model}` does not exist", "model_not_found")
        wrong = self._invalid(request)
        return _error(400, wrong) if wrong else None

    def _invalid(self, request: Request) -> str:
        body = request.body
        if unknown := body.keys() - _FIELDS:
            return f"Unrecognized request argument supplied: {min(unknown)}"
        form = body.get("response_format")
        if form is not None and not {"name", "schema"} <= form.get("json_schema", {}).keys():
            return "Missing required parameter: 'response_format.json_schema.name'."
        for tool in body.get("tools", ()):
            if tool.get("type") != "function" or tool["function"]["parameters"].get("type") != "object":
                return "Invalid schema for function"
        wanted: list[str] = []
        for number, message in enumerate(body["messages"]):
            role = message.get("role")
            if role == "tool":
                if not wanted or message.get("tool_call_id") != wanted.pop(0):
                    return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                if not isinstance(message.get("content"), str):
                    return f"Invalid type for 'messages[{number}].content'"
                continue
            if wanted:
                return "An assistant message with 'tool_calls' must be followed by tool messages."
            if role not in ("system", "user", "assistant"):
                return f"Invalid value: '{role}'"
            if isinstance(message.get("content"), list) and (wrong := _wrong_part(message["content"])):
                return f"messages[{number}]: {wrong}"
            calls = message.get("tool_calls", [])
            if not calls and not message.get("content"):
                return f"Invalid value for 'content' of messages[{number}]: expected a string, got null."
            for one in calls:
                json.loads(one["function"]["arguments"])
            wanted = [one["id"] for one in calls]
            if len(set(wanted)) != len(wanted):
                return "Duplicate value for 'tool_call_id'"
        return "tool results are missing" if wanted else ""

    def _spoken(self, reply: Reply, request: Request) -> Reply:
        if "error" in reply.body:
            error, headers = failed(reply)
            code = "insufficient_quota" if error["quota"] else error["status"].lower()
            return replace(
                _error(reply.status, error["message"], code), headers=headers, seconds=reply.seconds
            )
        if reply.raw is not None or reply.reset:
            return reply
        return replace(reply, body=_completion(reply.body, request.model))


def _error(status: int, message: str, code: str = "") -> Reply:
    return Reply(
        {"error": {"message": message, "type": "invalid_request_error", "code": code or None}}, status
    )


def _completion(body: Mapping[str, Any], model: str) -> dict[str, Any]:
    usage = body.get("usageMetadata", {})
    thoughts = usage.get("thoughtsTokenCount", 0)
    made: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [],
        "usage": {
            "prompt_tokens": usage.get("promptTokenCount", 0),
            "completion_tokens": usage.get("candidatesTokenCount", 0) + thoughts,
            "total_tokens": usage.get("totalTokenCount", 0),
            "completion_tokens_details": {"reasoning_tokens": thoughts},
            "prompt_tokens_details": {"cached_tokens": usage.get("cachedContentTokenCount", 0)},
        },
    }
    if "promptFeedback" in body:
        message = {"role": "assistant", "content": None}
        return made | {"choices": [{"index": 0, "message": message, "finish_reason": "content_filter"}]}
    for candidate in body.get("candidates", ()):
        parts = candidate["content"]["parts"]
        text = "".join(part.get("text", "") for part in parts)
        calls = [
            {
                "id": one.get("id", ""),
                "type": "function",
                "function": {
                    "name": one["name"],
                    "arguments": one["args"] if isinstance(one["args"], str) else json.dumps(one["args"]),
                },
            }
            for one in (part["functionCall"] for part in parts if "functionCall" in part)
        ]
        message = {"role": "assistant", "content": text or None, "refusal": None}
        finish = _FINISH.get(candidate["finishReason"], "content_filter")
        if candidate["finishReason"] == "MALFORMED_FUNCTION_CALL":
            calls = [{"id": "call_0", "type": "function", "function": {"name": "cut", "arguments": '{"a'}}]
            finish = "tool_calls"
        if calls:
            message |= {"tool_calls": calls}
            finish = "tool_calls" if finish == "stop" else finish
        made["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    return made
