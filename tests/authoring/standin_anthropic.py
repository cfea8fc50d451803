"""A stand-in for Anthropic's service; Anthropic's own client reads from it unchanged.

It answers by the scripts of `tests.authoring.standin_gemini`, in the form of
https://platform.claude.com/docs/en/api/messages: ``messages`` and the list of models. It is as strict as the service
where that matters: wrong keys, unknown models and fields, schemas that are not closed, results that do not fit their
calls, thoughts that do not come back.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from tests.authoring.standin_gemini import KEY, GeminiStandIn, Reply, Request
from tests.authoring.standin_openai import failed

_FIELDS = {
    "model", "messages", "max_tokens", "system", "tools", "output_config", "stream", "thinking",
}  # fmt: skip
_SOURCES = {"document": ("application/pdf",), "image": ("image/png", "image/jpeg")}
_FINISH = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens", "CONTINUATION": "max_tokens"}
_KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
}  # fmt: skip


class AnthropicRequest(Request):
    """One that was made."""

    @property
    def model(self) -> str:
        return self.body.get("model", "")

    @property
    def key(self) -> str:
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or bearer

    @property
    def system(self) -> str:
        return "".join(one["text"] for one in self.body.get("system", []))

    @property
    def text(self) -> str:
        return "".join(one.get("text", "") for one in self.body["messages"][-1]["content"])

    @property
    def results(self) -> list[dict[str, Any]]:
        found = [one for one in self.body["messages"][-1]["content"] if one["type"] == "tool_result"]
        return [{"id": one["tool_use_id"], "response": one["content"]} for one in found]

    @property
    def files(self) -> list[tuple[str, bytes]]:
        sources = [block["source"] for block in self.body["messages"][0]["content"] if "source" in block]
        return [(source["media_type"], base64.b64decode(source["data"])) for source in sources]

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        return {one["name"]: {**one, "parameters": one["input_schema"]} for one in self.body.get("tools", [])}

    @property
    def schema(self) -> dict[str, Any] | None:
        return self.body.get("output_config", {}).get("format", {}).get("schema")


class AnthropicStandIn(GeminiStandIn):
    """Serves on loopback until it is closed."""

    request_kind = AnthropicRequest

    def __init__(self, *arguments: Any, key: str = KEY, refuses: int = 401, **options: Any) -> None:
        super().__init__(*arguments, key=key, refuses=refuses, **options)
        self._thoughts: set[str] = set()

    def _refusal(self, request: Request) -> Reply | None:
        if request.key != self.key:
            return _error(self._refuses, "invalid x-api-key")
        if not request.headers.get("anthropic-version"):
            return _error(400, "anthropic-version: header is required")
        if request.method == "GET":
            names = self._models or ["stand-in"]
            data = [{"id": one, "type": "model", "display_name": one} for one in names]
            return Reply({"data": data, "has_more": False, "first_id": None, "last_id": None})
        if urlsplit(request.path).path != "/v1/messages":
            return _error(404, "Not Found")
        if self._models is not None and request.model not in self._models:
            return _error(404, f"model: {request.model}")
        wrong = self._invalid(request)
        return _error(400, wrong) if wrong else None

    def _invalid(self, request: Request) -> str:
        body = request.body
        if unknown := body.keys() - _FIELDS:
            return f"{min(unknown)}: Extra inputs are not permitted"
        if not body.get("max_tokens"):
            return "max_tokens: Field required"
        if not _closed(request.schema):
            return (
                "output_config.format.schema: For 'object' type, 'additionalProperties' must be set to false"
            )
        for tool in body.get("tools", ()):
            if tool["input_schema"].get("type") != "object":
                return "tools.0.input_schema.type: Field required"
        wanted: list[str] = []
        for number, message in enumerate(body["messages"]):
            blocks = message["content"]
            if message.get("role") not in ("user", "assistant") or not blocks:
                return f"messages.{number}: a role and content are required"
            given = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
            if given != wanted:
                return f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after"
            wanted = [one["id"] for one in blocks if one["type"] == "tool_use"]
            if any(not re.fullmatch(r"[a-zA-Z0-9_-]+", one) for one in wanted):
                return (
                    f"messages.{number}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
                )
            if any(one["type"] == "text" and not one["text"].strip() for one in blocks):
                return f"messages.{number}: text content blocks must contain non-whitespace text"
            for block in blocks:
                if block["type"] in _SOURCES and (
                    block["source"]["type"] != "base64"
                    or block["source"]["media_type"] not in _SOURCES[block["type"]]
                ):
                    return (
                        f"messages.{number}.content: {block['type']}.source: Input should be a valid source"
                    )
            thoughts = [one for one in blocks if one["type"] == "thinking"]
            if any(one["signature"] not in self._thoughts for one in thoughts):
                return f"messages.{number}.content.0: Invalid `signature` in `thinking` block"
            if wanted and self._thoughts and not thoughts:
                return "Expected `thinking` or `redacted_thinking`, but found `tool_use`."
        if body["messages"][-1]["role"] != "user":
            return "This model does not support assistant message prefill."
        return ""

    def _spoken(self, reply: Reply, request: Request) -> Reply:
        if "error" in reply.body:
            error, headers = failed(reply)
            return replace(_error(reply.status, error["message"]), headers=headers, seconds=reply.seconds)
        if reply.raw is not None or reply.reset:
            return reply
        return replace(reply, body=self._message(reply.body, request.model))

    def _message(self, body: Mapping[str, Any], model: str) -> dict[str, Any]:
        usage = body.get("usageMetadata", {})
        cached = usage.get("cachedContentTokenCount", 0)
        made: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": "refusal" if "promptFeedback" in body else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.get("promptTokenCount", 0) - cached,
                "cache_read_input_tokens": cached,
                "output_tokens": usage.get("candidatesTokenCount", 0) + usage.get("thoughtsTokenCount", 0),
            },
        }
        for candidate in body.get("candidates", ()):
            finish = _FINISH.get(candidate["finishReason"], "refusal")
            for part in candidate["content"]["parts"]:
                if part.get("thoughtSignature") and "functionCall" in part:
                    self._thoughts.add(part["thoughtSignature"])
                    made["content"].append(
                        {"type": "thinking", "thinking": "let me see", "signature": part["thoughtSignature"]}
                    )
                if "functionCall" in part:
                    call = part["functionCall"]
                    made["content"].append(
                        {
                            "type": "tool_use",
                            "id": call.get("id", "toolu_1"),
                            "name": call["name"],
                            "input": call["args"],
                        }
                    )
                    finish = "tool_use" if finish == "end_turn" else finish
                elif part.get("text"):
                    made["content"].append({"type": "text", "text": part["text"]})
            if candidate["finishReason"] == "MALFORMED_FUNCTION_CALL":
                made["content"] = [{"type": "tool_use", "id": "toolu_0", "name": "cut", "input": '{"a'}]
                finish = "tool_use"
            made["stop_reason"] = finish
        return made


def _closed(schema: Any) -> bool:
    """Whether every object of a schema forbids other keys, as the service wants it."""
    if isinstance(schema, list):
        return all(map(_closed, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(map(_closed, schema.values()))


def _error(status: int, message: str) -> Reply:
    kind = _KINDS.get(status, "api_error")
    return Reply({"type": "error", "error": {"type": kind, "message": message}}, status)
