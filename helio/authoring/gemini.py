"""Connect to Google's language model Gemini; only this module imports Google's client library."""

from __future__ import annotations

import base64
import binascii
import logging
import re
import socket
import threading
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from helio.authoring.answer_reading import is_too_deep
from helio.authoring.model import Ask, Call, Finish, ModelAnswer, ModelTurn, Role, Turn, Usage, UserTurn
from helio.authoring.scrub import Scrub
from helio.errors import (
    Blocked,
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
from helio.settings import Settings
from helio.sources.connection import Route, explain, explain_status, trusted_authorities
from helio.sources.http import retry_after

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai import errors, types

HOST = "generativelanguage.googleapis.com"
"""Address of Google's server, used by default."""
A_DAY = 86400.0
"""Seconds to wait after the quota for a day is used up."""
_CONNECTING = 15.0
"""Maximum seconds for opening a connection."""
_LONGEST_ANSWER = 64 * 10**6
"""Maximum bytes of an answer; the longest answers of language models have a hundredth of this."""
_MOST_SAID = 300
_MOST_MODELS = 1000
"""Maximum number of models that the service lists in one reply."""
_PAGE_ADVICE = (
    "open any web page in a browser; log in if the network asks you to, otherwise check HELIO_MODEL_URL"
)
_GET_A_KEY = "set GEMINI_API_KEY; get a key at https://aistudio.google.com/apikey"
_NO_SIGNATURE = b"skip_thought_signature_validator"
"""Signature that Gemini 3 accepts for a function call that another model requested.

https://ai.google.dev/gemini-api/docs/thought-signatures
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


class Gemini:
    """Client for Google's language models, or for another server with the same protocol.

    Each answer is one request: the retries, continuations and function calls of Google's client are switched off.

    Parameters
    ----------
    key : str
    names : mapping
        The model of each role.
    url : str
        Address of a server to use instead of Google's.
    timeout : float
        Seconds until an answer begins, including the model's time to think.

    Raises
    ------
    NoKey, WrongKey
        The key is empty or malformed.

    References
    ----------
    https://ai.google.dev/api/generate-content
    """

    def __init__(self, key: str, names: Mapping[Role, str], *, url: str = "", timeout: float = 300.0) -> None:
        if not key:
            raise NoKey("no API key for a language model is set", advice=_GET_A_KEY)
        if not re.fullmatch(r"[!-~]+", key) or key.startswith("auth_tokens/"):
            # the client would quote it in its error
            raise WrongKey(
                "the API key for the language model contains characters that are not allowed in a key",
                advice=_GET_A_KEY,
            )
        self._key = key
        self._names = dict(names)
        self._url = url
        self._timeout = timeout
        self._scrub = Scrub(key, url=url)
        self._lock = threading.Lock()
        self._client: genai.Client | None = None
        self._wire: httpx2.Client | None = None
        self._closings = 0
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    def name(self, role: Role) -> str:
        """Return the name of the model that is used for a role, ``smart`` or ``fast``."""
        return self._names[role]

    def ask(self, ask: Ask) -> ModelAnswer:
        """Ask the language model once, and return its answer.

        Raises
        ------
        WrongKey, UnknownModel, ModelRefused
            The server would refuse the same question again.
        QuotaExhausted, ModelUnavailable
            A later request may succeed.
        Blocked
            A filter stopped the question or the answer.
        Unreadable
            The answer has a function call that cannot be read, or does not follow the protocol.
        """
        from google.genai import errors

        name = self.name(ask.role)
        # the server's words may repeat the key, so no error is chained to its error
        try:
            response = self._generate(name, ask)
        except errors.APIError as error:
            raise self._refusal(error, name) from None
        return self._read(response, name)

    def close(self) -> None:
        """Close the connections, and end a question that waits for its answer; the next question reconnects."""
        with self._lock:
            for connection in tuple(self._sockets):
                with suppress(OSError):  # it is closed already
                    # close would not wake a reader; a TLS socket's own shutdown forgets the cipher
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            wire, self._wire, self._client = self._wire, None, None
            self._closings += 1
        if wire is not None:
            wire.close()  # the client does not close it

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
            tools=[types.Tool(function_declarations=functions)] if functions else None,
            response_mime_type=None if ask.schema is None else "application/json",
            response_json_schema=None if ask.schema is None else dict(ask.schema),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
        )
        contents: list[Any] = [_content(turn, name) for turn in ask.turns]
        with self._named_errors():
            return self._open(closings).models.generate_content(model=name, contents=contents, config=config)

    def models(self) -> list[str]:
        """List the language models that the key may use; this request costs no tokens.

        Raises
        ------
        ModelError
            As `ask`.
        """
        from google.genai import errors

        try:
            with self._named_errors():
                page = self._open(self._closings).models.list(config={"page_size": _MOST_MODELS}).page
        except errors.APIError as error:
            raise self._refusal(error, "list of models") from None
        return [(model.name or "").removeprefix("models/") for model in page]

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Replace errors of Google's client library by errors of helio."""
        import httpx2
        from pydantic import ValidationError

        host = self._url or HOST
        try:
            yield
        except httpx2.TimeoutException as error:
            if not isinstance(error, httpx2.ConnectTimeout):
                raise self._unavailable(f"{host} did not answer within {self._timeout:g} s") from None
            raise self._not_reached(error) from None
        except RecursionError:  # a RuntimeError too, but not of the connection
            raise _too_deep(self._scrub(f"{host} answered with JSON"), None) from None
        except RuntimeError:  # of a client that was closed
            raise self._unavailable(f"the connection to {host} was closed") from None
        except httpx2.RemoteProtocolError:
            raise self._unavailable(f"{host} closed the connection without an answer") from None
        except (httpx2.ConnectError, httpx2.ProxyError) as error:
            raise self._not_reached(error) from None
        except httpx2.NetworkError as error:
            message = f"the connection to {host} was lost: {error or type(error).__name__}"
            raise self._unavailable(message) from None
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            raise ModelRefused(
                self._scrub(f"'{host}' is not a valid address of a model's server: {error}"),
                advice="check HELIO_MODEL_URL",
            ) from None
        except httpx2.HTTPError as error:
            raise self._unavailable(f"{host} sent an answer that cannot be read: {error}") from None
        except ValidationError:
            raise Unreadable(
                self._scrub(f"{host} sent an answer that does not follow the protocol of Gemini"),
                advice="check HELIO_MODEL_URL",
            ) from None
        except ValueError:  # from json.loads: the page of a proxy or a portal
            raise ModelUnreachable(
                self._scrub(f"{host} did not answer with JSON"), advice=_PAGE_ADVICE
            ) from None

    def _open(self, closings: int) -> genai.Client:
        import httpx2
        from google import genai
        from google.genai import types

        with self._lock:
            if self._closings != closings:  # closed during the imports
                raise self._unavailable(f"the connection to {self._url or HOST} was closed")
            if self._client is None:
                try:
                    trusted = trusted_authorities()
                except RequestError as error:
                    raise ModelRefused(error.message, advice=error.advice) from error
                # event_hooks: the client offers no other way to the request it makes.
                # No redirects: they would send the key to another host.
                wire = httpx2.Client(
                    verify=trusted, event_hooks={"request": [self._watch], "response": [_bound]}
                )
                weakref.finalize(self, wire.close)
                # it warns of the environment's key, which it does not use
                logging.getLogger("google_genai").setLevel(logging.ERROR)
                # our own error reports a reason that is newer than the client
                warnings.filterwarnings("ignore", r".* is not a valid \w+", UserWarning, r"google\.genai")
                self._wire = wire
                self._client = genai.Client(
                    # otherwise the client reads the environment
                    api_key=self._key,
                    vertexai=False,
                    http_options=types.HttpOptions(
                        base_url=self._url or f"https://{HOST}/",
                        api_version="v1beta",
                        timeout=round(self._timeout * 1000),
                        httpx_client=wire,
                        # otherwise it reads all certificates again for a client that nobody uses
                        client_args={"verify": trusted},
                        async_client_args={"verify": trusted},
                    ),
                )
            return self._client

    def _watch(self, request: httpx2.Request) -> None:
        """Remember each connection, so that `close` can close it, and limit the seconds for connecting."""
        request.headers["Accept-Encoding"] = "identity"  # the length on the wire is then that of the answer
        request.extensions["trace"] = Route(self._note_socket)
        timeout = request.extensions.get("timeout")
        if isinstance(timeout, dict):
            request.extensions["timeout"] = {**timeout, "connect": min(self._timeout, _CONNECTING)}

    def _note_socket(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            connection = info["return_value"].get_extra_info("socket")
            if isinstance(connection, socket.socket):
                with self._lock:
                    self._sockets.add(connection)

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
            opaque = _signed(part.thought_signature, name)
            if part.function_call is not None:
                call = part.function_call
                if is_too_deep(call.args):
                    raise _too_deep(f"{model} called a function with arguments", empty)
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
            words = self._scrub(first.finish_message or "")[:_MOST_SAID]
            message = f"the answer of {model} cannot be read: {reason_given}{': ' if words else ''}{words}"
            raise Unreadable(message, advice="send the request again", answer=answer)
        return answer

    def _refusal(self, error: errors.APIError, name: str) -> Exception:
        """Return the error that an HTTP status of the server means."""
        status = error.code or 0
        headers = getattr(error.response, "headers", None) or {}
        problem = explain_status(status, headers, self._url or f"https://{HOST}/")
        if problem is not None and problem.cause != "maintenance":  # maintenance may pass between attempts
            return _unreachable(self._scrub(problem.message), problem.advice, problem.cause)
        words = error.message if isinstance(error.message, str) and "<" not in error.message else ""
        words = " ".join(self._scrub(words).split())[:_MOST_SAID]
        message = self._scrub(f"{self._url or HOST} answered {status}{': ' if words else ''}{words}")
        details = _details(error)
        reason = next((str(detail["reason"]) for detail in details if "reason" in detail), "")
        if status in (401, 403) or reason.startswith("API_KEY") or (status == 400 and "API key" in words):
            return WrongKey(f"the model's API key was rejected: {message}", advice=_GET_A_KEY)
        if status == 404:
            return UnknownModel(
                f"model '{name}' is unknown or not available: {message}",
                advice="choose another model with HELIO_MODEL_SMART, HELIO_MODEL_FAST or HELIO_MODEL_FALLBACK",
            )
        wait = _wait(error, details)
        if status == 429:
            daily, when = ("daily ", "tomorrow") if wait == A_DAY else ("", "later")
            return QuotaExhausted(
                f"the {daily}quota for {name} is used up: {message}",
                advice=f"try again {when}, or choose another model",
                wait=wait,
            )
        if status >= 500 or status in (408, 499):
            return self._unavailable(message, wait=wait)
        return ModelRefused(message, advice="" if status >= 400 else "check HELIO_MODEL_URL")

    def _unavailable(self, message: str, *, wait: float | None = None) -> ModelUnavailable:
        return ModelUnavailable(self._scrub(message), advice="try again later", wait=wait)

    def _not_reached(self, error: httpx2.RequestError) -> ModelUnreachable:
        """Return the error for a connection that failed."""
        problem = explain(error, time.time(), seconds=min(self._timeout, _CONNECTING))
        also = "; check HELIO_MODEL_URL" if self._url else ""
        return _unreachable(self._scrub(problem.message), self._scrub(problem.advice) + also, problem.cause)


def connect(settings: Settings) -> tuple[Gemini, Gemini | None]:
    """Connect to the language models that the settings name: the main models and, if set, the fallback model.

    Raises
    ------
    NoKey, WrongKey
    """
    url = settings.model_url
    names: dict[Role, str] = {"smart": settings.model_smart, "fast": settings.model_fast}
    model = Gemini(settings.model_key, names, url=url)
    if not settings.model_fallback:
        return model, None
    other: dict[Role, str] = {"smart": settings.model_fallback, "fast": settings.model_fallback}
    return model, Gemini(settings.model_key, other, url=url)


def _bound(response: httpx2.Response) -> None:
    """Limit the number of bytes of an answer while reading it."""
    import httpx2

    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise httpx2.DecodingError(f"it is compressed as '{coding}', which helio did not request")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    stream: httpx2.SyncByteStream = response.stream

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > _LONGEST_ANSWER:
                    raise httpx2.DecodingError(f"it is larger than {_LONGEST_ANSWER // 10**6} MB")
                yield part

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()


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


def _unreachable(message: str, advice: str, cause: str) -> ModelUnreachable:
    error = ModelUnreachable(message, advice=advice)
    error.cause = cause
    return error


def _too_deep(message: str, answer: ModelAnswer | None) -> Unreadable:
    """Return the error for a reply that is nested too deeply; the server would send the same reply again."""
    error = Unreadable(
        f"{message} nested too deeply to read",
        advice="shorten the request, or use a smaller pipeline",
        answer=answer,
    )
    error.again = False
    return error


def _content(turn: Turn, name: str) -> types.Content:
    """Convert a message of the conversation to the form that Gemini takes."""
    from google.genai import types

    if isinstance(turn, UserTurn):
        return types.Content(role="user", parts=[types.Part(text=turn.text)])
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
    signature = _signature(turn.signature, name)
    if turn.text or signature:
        parts.append(types.Part(text=turn.text, thought_signature=signature))
    for number, call in enumerate(turn.calls):
        opaque = _signature(call.signature, name)
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


def _signed(signature: bytes | None, name: str) -> str:
    """Return a signature together with the name of its model, because other models cannot read the signature."""
    return f"{name} {base64.b64encode(signature).decode()}" if signature else ""


def _signature(opaque: str, name: str) -> bytes | None:
    """Return the signature without the model's name, if this model made the signature."""
    origin, _, encoded = opaque.partition(" ")
    if origin != name or not encoded:
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the signature in the answer of {name} is damaged: {encoded[:40]}") from error


def _own(turn: ModelTurn, name: str) -> bool:
    """Return whether this model wrote a message; some models add no signature."""
    origin = turn.calls[0].signature.partition(" ")[0]
    return origin == name if origin else turn.model.startswith(name)


def _wants_signatures(name: str) -> bool:
    return re.match(r"gemini-[12]\b", name) is None


def _details(error: errors.APIError) -> list[dict[str, Any]]:
    """Return the details of an error besides its message, as in https://google.aip.dev/193."""
    body = error.details
    if isinstance(body, dict):
        body = body.get("error", body)
    details = body.get("details") if isinstance(body, dict) else None
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _wait(error: errors.APIError, details: list[dict[str, Any]]) -> float | None:
    """Return the number of seconds for which the server asks helio to wait."""
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
    headers = getattr(error.response, "headers", None) or {}
    return retry_after(headers.get("retry-after", ""), time.time())
