"""Connect to Google's language model Gemini; only this module imports Google's client library."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from helio.authoring.models.answer_reading import is_too_deep
from helio.authoring.models.model import (
    Ask,
    Call,
    Finish,
    ModelAnswer,
    ModelTurn,
    Turn,
    Usage,
    UserTurn,
)
from helio.authoring.models.official_client import (
    A_DAY,
    MOST_SAID,
    OfficialClient,
    attached_as,
    signature_of,
    signed,
    too_deep,
)
from helio.authoring.models.providers import PROVIDERS
from helio.errors import Blocked, Unreadable
from helio.settings import Thinking

if TYPE_CHECKING:
    import ssl

    import httpx2
    from google import genai
    from google.genai import errors, types

_MOST_MODELS = 1000
"""Maximum number of models that the service lists in one reply."""
_NO_SIGNATURE = b"skip_thought_signature_validator"
"""Signature that Gemini 3 accepts for a function call that another model requested.

https://ai.google.dev/gemini-api/docs/thought-signatures
"""
_BUDGETS = {"off": 0, "low": 1024, "medium": 8192, "high": 24576}
"""Tokens of thinking for the models before Gemini 3.

https://ai.google.dev/gemini-api/docs/thinking
"""
_FILTERED = {
    "SAFETY": "its safety filter",
    "RECITATION": "its filter for copied texts",
    "BLOCKLIST": "its list of forbidden words",
    "PROHIBITED_CONTENT": "its filter for prohibited content",
    "SPII": "its filter for personal data",
    "LANGUAGE": "its list of supported languages",
    "ESCALATION": "one of its rules",
    "PUP_LIMITED_DISABLED": "a limit of the key's account",
    "MODEL_ARMOR": "its filter",
}
"""Reasons, in words, for which Gemini would refuse the same question again. After any other reason, helio
repeats the question."""


class Gemini(OfficialClient):
    """Client for Google's language models, or for another server with the same protocol.

    References
    ----------
    https://ai.google.dev/api/generate-content
    """

    own_provider = PROVIDERS["gemini"]

    def ask(self, ask: Ask) -> ModelAnswer:
        """Ask the language model once, and return its answer."""
        from google.genai import errors

        name = self.name(ask.role)
        # the server's words may repeat the key, so no error is chained to its error
        try:
            response = self._generate(name, ask)
        except errors.APIError as error:
            raise self._refused(error, name) from None
        return self._read(response, name)

    # ---- questions

    def _generate(self, name: str, ask: Ask) -> types.GenerateContentResponse:
        from google.genai import types

        closings = self._closings
        functions = [
            types.FunctionDeclaration(
                name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
            )
            for tool in ask.tools
        ]
        config = types.GenerateContentConfig(
            system_instruction=ask.system or None,
            temperature=ask.temperature,
            seed=ask.seed,
            max_output_tokens=ask.max_tokens,
            candidate_count=1,
            thinking_config=_thinking(name, self._thinking.get(ask.role, "")),
            tools=[types.Tool(function_declarations=functions)] if functions else None,
            response_mime_type=None if ask.schema is None else "application/json",
            response_json_schema=None if ask.schema is None else dict(ask.schema),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
        )
        contents: list[Any] = [_content(turn, name) for turn in ask.turns]
        with self._named_errors():
            client: genai.Client = self._open(closings)
            return client.models.generate_content(model=name, contents=contents, config=config)

    def models(self) -> list[str]:
        """List the language models that the key may use; this request costs no tokens."""
        from google.genai import errors

        try:
            with self._named_errors():
                page = self._open(self._closings).models.list(config={"page_size": _MOST_MODELS}).page
        except errors.APIError as error:
            raise self._refused(error, "list of models") from None
        return [(model.name or "").removeprefix("models/") for model in page]

    def _made(self, wire: httpx2.Client, trusted: ssl.SSLContext) -> genai.Client:
        from google import genai
        from google.genai import types

        # it warns of the environment's key, which it does not use
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        # our own error reports a reason that is newer than the client
        warnings.filterwarnings("ignore", r".* is not a valid \w+", UserWarning, r"google\.genai")
        return genai.Client(
            # otherwise the client reads the environment
            api_key=self._key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=self._url or self.provider.url,
                api_version="v1beta",
                timeout=round(self._timeout * 1000),
                httpx_client=wire,
                # otherwise it reads all certificates again for a client that nobody uses
                client_args={"verify": trusted},
                async_client_args={"verify": trusted},
            ),
        )

    # ---- answers

    def _read(self, response: types.GenerateContentResponse, name: str) -> ModelAnswer:
        model = response.model_version or name
        empty = ModelAnswer(usage=_usage(response), model=model)
        if not response.candidates:
            reason = response.prompt_feedback and response.prompt_feedback.block_reason
            if not reason:
                raise Unreadable(
                    f"{model} gave an empty answer", advice="send the request again", answer=empty
                )
            _blocked(f"{model} refused the question", reason.value, empty)
        first = response.candidates[0]
        text, signature, calls = "", "", []
        for part in (first.content and first.content.parts) or ():
            opaque = signed(part.thought_signature, name)
            if part.function_call is not None:
                call = part.function_call
                if is_too_deep(call.args):
                    raise too_deep(f"{model} called a function with arguments", empty)
                calls.append(Call(call.name or "", call.args or {}, call.id or "", opaque))
            elif not part.thought:
                text += part.text or ""
                signature = opaque or signature
        reason_given = first.finish_reason.value if first.finish_reason else "STOP"
        if reason_given in ("MAX_TOKENS", "CONTINUATION"):
            # a call may be cut, and is left out
            return replace(empty, text=text, finish="length")
        finish: Finish = "calls" if calls else "stop"
        answer = replace(empty, text=text, calls=tuple(calls), signature=signature, finish=finish)
        if reason_given in _FILTERED:
            _blocked(f"{model} gave no answer", reason_given, answer)
        if reason_given != "STOP":
            words = self._scrub(first.finish_message or "")[:MOST_SAID]
            message = f"the answer of {model} cannot be read: {reason_given}{': ' if words else ''}{words}"
            raise Unreadable(message, advice="send the request again", answer=answer)
        return answer

    def _refused(self, error: errors.APIError, name: str) -> Exception:
        """Return the error that an error of Google's client means."""
        details = _details(error)
        words = error.message if isinstance(error.message, str) else ""
        reason = next((str(detail["reason"]) for detail in details if "reason" in detail), "")
        return self._refusal(
            error.code or 0,
            getattr(error.response, "headers", None) or {},
            words,
            name,
            wait=_wait(details),
            is_about_key=reason.startswith("API_KEY") or (error.code == 400 and "API key" in words),
        )


def _usage(response: types.GenerateContentResponse) -> Usage:
    counted = response.usage_metadata
    if counted is None:
        return Usage()
    return Usage(
        prompt=counted.prompt_token_count or 0,
        candidates=counted.candidates_token_count or 0,
        thoughts=counted.thoughts_token_count or 0,
        cached=counted.cached_content_token_count or 0,
        total=counted.total_token_count or 0,
    )


def _blocked(message: str, reason: str, answer: ModelAnswer) -> NoReturn:
    raise Blocked(
        f"{message}: stopped by {_FILTERED.get(reason, 'its filter')} ({reason})",
        advice="rephrase the request",
        answer=answer,
    )


def _content(turn: Turn, name: str) -> types.Content:
    """Convert a message of the conversation to the form that Gemini takes."""
    from google.genai import types

    if isinstance(turn, UserTurn):
        parts = []
        for number, file in enumerate(turn.files, 1):
            parts.append(types.Part(text=attached_as(number, file)))
            if not file.is_text:
                parts.append(types.Part.from_bytes(data=file.content, mime_type=file.media_type))
        return types.Content(role="user", parts=[*parts, types.Part(text=turn.text)])
    if isinstance(turn, ModelTurn):
        return types.Content(role="model", parts=_parts(turn, name))
    return types.Content(
        role="user",
        parts=[
            types.Part(
                function_response=types.FunctionResponse(
                    id=result.id or None,
                    name=result.name,
                    response=dict(result.value)
                    if isinstance(result.value, Mapping)
                    else {"output": result.value},
                )
            )
            for result in turn.results
        ],
    )


def _parts(turn: ModelTurn, name: str) -> list[types.Part]:
    from google.genai import types

    parts = []
    signature = signature_of(turn.signature, name)
    if turn.text or signature:
        parts.append(types.Part(text=turn.text, thought_signature=signature))
    for number, call in enumerate(turn.calls):
        opaque = signature_of(call.signature, name)
        if number == 0 and opaque is None and not _own(turn, name):
            opaque = _NO_SIGNATURE if _wants_signatures(name) else None
        parts.append(
            types.Part(
                function_call=types.FunctionCall(
                    id=call.id or None, name=call.name, args=dict(call.arguments)
                ),
                thought_signature=opaque,
            )
        )
    return parts


def _own(turn: ModelTurn, name: str) -> bool:
    """Return whether this model wrote a message; some models add no signature."""
    origin = turn.calls[0].signature.partition(" ")[0]
    return origin == name if origin else turn.model.startswith(name)


def _thinking(name: str, level: Thinking) -> types.ThinkingConfig | None:
    """Return the level of thinking as Gemini 3 takes it; earlier models take a number of tokens."""
    from google.genai import types

    if not level:
        return None
    if re.match(r"gemini-[12]\b", name):
        return types.ThinkingConfig(thinking_budget=_BUDGETS[level])
    return types.ThinkingConfig(
        thinking_level=types.ThinkingLevel("MINIMAL" if level == "off" else level.upper())
    )


def _wants_signatures(name: str) -> bool:
    return re.match(r"gemini-[12]\b", name) is None


def _details(error: errors.APIError) -> list[dict[str, Any]]:
    """Return the details of an error besides its message, as in https://google.aip.dev/193."""
    body = error.details
    if isinstance(body, dict):
        body = body.get("error", body)
    details = body.get("details") if isinstance(body, dict) else None
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _wait(details: list[dict[str, Any]]) -> float | None:
    """Return the number of seconds for which the body of an error asks helio to wait."""
    for detail in details:
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            # a daily quota comes with a RetryInfo of some seconds too
            if isinstance(violation, dict) and "PerDay" in str(violation.get("quotaId", "")):
                return A_DAY
    for detail in details:
        delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay", "")))
        if delay:
            return float(delay[1])
    return None
