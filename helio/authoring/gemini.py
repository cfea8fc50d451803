"""Google's Gemini behind the protocol: the only file that knows its client."""

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
from typing import TYPE_CHECKING, Any, NoReturn

from helio.authoring.answer_reading import is_too_deep
from helio.authoring.model import Answer, Ask, Call, Finish, ModelTurn, Role, Turn, Usage, UserTurn
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
"""Google's own server, which is asked unless another is named."""
A_DAY = 86400.0
"""What is waited for when a quota of the day is used up."""
_CONNECTING = 15.0
"""Seconds for a connection to come about."""
_LONGEST_ANSWER = 64 * 10**6
"""Bytes; the longest that models give are a hundredth of it."""
_MOST_SAID = 300
_MOST_MODELS = 1000
"""How many the service names at once, at most."""
_PAGE_ADVICE = (
    "open any web page in a browser: if the network asks you to log in, do so; else look at HELIO_MODEL_URL"
)
_GET_A_KEY = "set GEMINI_API_KEY; a key is made at https://aistudio.google.com/apikey"
_NO_SIGNATURE = b"skip_thought_signature_validator"
"""What Gemini 3 takes in place of a signature when a call was made by another model.

https://ai.google.dev/gemini-api/docs/thought-signatures
"""
_FILTERED = {
    "SAFETY": "its safety filter",
    "RECITATION": "its filter for recited texts",
    "BLOCKLIST": "its list of forbidden words",
    "PROHIBITED_CONTENT": "its filter for prohibited content",
    "SPII": "its filter for personal data",
    "LANGUAGE": "its list of languages",
    "ESCALATION": "one of its rules",
    "PUP_LIMITED_DISABLED": "a limit on the account of the key",
    "MODEL_ARMOR": "its filter",
}
"""Reasons for which nothing came, and will not the next time. Others are taken for an accident."""


class Gemini:
    """Asks Google's models, or a server that speaks as theirs.

    One answer, one request: its client's own retries, continuations and calls of functions are switched off.

    Parameters
    ----------
    key : str
    names : mapping
        The model of each role.
    url : str
        Another server than Google's.
    timeout : float
        Seconds for one answer to begin; thinking counts.

    Raises
    ------
    NoKey, WrongKey
        The key is empty, or cannot be one.

    References
    ----------
    https://ai.google.dev/api/generate-content
    """

    def __init__(self, key: str, names: Mapping[Role, str], *, url: str = "", timeout: float = 300.0) -> None:
        if not key:
            raise NoKey("there is no key to ask a model with", advice=_GET_A_KEY)
        if not re.fullmatch(r"[!-~]+", key) or key.startswith("auth_tokens/"):
            # a client would put it into its error as it stands
            raise WrongKey("the key of the model holds characters that no key has", advice=_GET_A_KEY)
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
        """The model of a role."""
        return self._names[role]

    def ask(self, ask: Ask) -> Answer:
        """Make one request, and read what comes.

        Raises
        ------
        WrongKey, UnknownModel, ModelRefused
            The server will say the same again.
        QuotaExhausted, ModelUnavailable
            It may not.
        Blocked
            A filter stopped question or answer.
        Unreadable
            A call that cannot be read, or a reply that the protocol does not know.
        """
        from google.genai import errors

        name = self.name(ask.role)
        # What the server says may repeat the key, and so would an error that is raised from its error.
        try:
            response = self._generate(name, ask)
        except errors.APIError as error:
            raise self._said(error, name) from None
        return self._read(response, name)

    def close(self) -> None:
        """Close the connections; an answer that is waited for comes no more. The next question opens new ones."""
        with self._lock:
            for connection in tuple(self._sockets):
                with suppress(OSError):  # it is closed already
                    # closing it here would not wake whoever reads from it; a TLS socket's own method forgets the cipher
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
            wire, self._wire, self._client = self._wire, None, None
            self._closings += 1
        if wire is not None:
            wire.close()  # the maker's client does not close what it was given

    # ---- there

    def _generate(self, name: str, ask: Ask) -> types.GenerateContentResponse:
        from google.genai import types

        closings = self._closings
        config = types.GenerateContentConfig(
            system_instruction=ask.system or None,
            temperature=ask.temperature,
            seed=ask.seed,
            max_output_tokens=ask.max_tokens,
            candidate_count=1,
            tools=[
                types.Tool(
                    function_declarations=[
                        types.FunctionDeclaration(
                            name=tool.name,
                            description=tool.description,
                            parameters_json_schema=dict(tool.parameters),
                        )
                        for tool in ask.tools
                    ]
                )
            ]
            if ask.tools
            else None,
            response_mime_type=None if ask.schema is None else "application/json",
            response_json_schema=None if ask.schema is None else dict(ask.schema),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
        )
        contents: list[Any] = [_content(turn, name) for turn in ask.turns]
        with self._named_errors():
            return self._open(closings).models.generate_content(model=name, contents=contents, config=config)

    def models(self) -> list[str]:
        """The names of the models that the key may ask; a free question, which takes no tokens.

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
            raise self._said(error, "list of models") from None
        return [(model.name or "").removeprefix("models/") for model in page]

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Turn what a client raises into an error that says what is wrong."""
        import httpx2
        from pydantic import ValidationError

        host = self._url or HOST
        try:
            yield
        except httpx2.TimeoutException as error:
            if not isinstance(error, httpx2.ConnectTimeout):
                raise self._unavailable(f"{host} did not answer within {self._timeout:g} s") from None
            raise self._not_reached(error) from None
        except RecursionError:  # a RuntimeError too, and no word of the connection
            raise _too_deep(self._scrub(f"{host} answered with JSON"), None) from None
        except RuntimeError:  # what a client says that was closed
            raise self._unavailable(f"the connection to {host} was closed") from None
        except httpx2.RemoteProtocolError:
            raise self._unavailable(f"{host} ended the connection without an answer") from None
        except (httpx2.ConnectError, httpx2.ProxyError) as error:
            raise self._not_reached(error) from None
        except httpx2.NetworkError as error:
            said = f"the connection to {host} broke off: {error or type(error).__name__}"
            raise self._unavailable(said) from None
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            raise ModelRefused(
                self._scrub(f"'{host}' cannot be asked: {error}"), advice="look at HELIO_MODEL_URL"
            ) from None
        except httpx2.HTTPError as error:
            raise self._unavailable(f"{host} answers in a way that is not understood: {error}") from None
        except ValidationError:
            raise Unreadable(
                self._scrub(f"{host} answers in a form that the client of Gemini does not know"),
                advice="look at HELIO_MODEL_URL",
            ) from None
        except ValueError:  # what json.loads raises: a page of a proxy or a portal
            raise ModelUnreachable(
                self._scrub(f"{host} answered with something else than JSON"), advice=_PAGE_ADVICE
            ) from None

    def _open(self, closings: int) -> genai.Client:
        import httpx2
        from google import genai
        from google.genai import types

        with self._lock:
            if (
                self._closings != closings
            ):  # while the imports took their time: the question is not wanted any more
                raise self._unavailable(f"the connection to {self._url or HOST} was closed")
            if self._client is None:
                try:
                    trusted = trusted_authorities()
                except RequestError as error:
                    raise ModelRefused(error.message, advice=error.advice) from error
                # event_hooks: the client offers no other way to the request it makes.
                # No redirects: the key would be sent along to the host that the answer names.
                wire = httpx2.Client(
                    verify=trusted, event_hooks={"request": [self._watch], "response": [_bound]}
                )
                weakref.finalize(self, wire.close)
                # it warns that it takes the environment's key, when it takes ours
                logging.getLogger("google_genai").setLevel(logging.ERROR)
                # a reason that is newer than the client is told to the user as such, in our own error
                warnings.filterwarnings("ignore", r".* is not a valid \w+", UserWarning, r"google\.genai")
                self._wire = wire
                self._client = genai.Client(
                    # said explicitly, or the client looks into the environment on its own
                    api_key=self._key,
                    vertexai=False,
                    http_options=types.HttpOptions(
                        base_url=self._url or f"https://{HOST}/",
                        api_version="v1beta",
                        timeout=round(self._timeout * 1000),
                        httpx_client=wire,
                        # or the client reads all certificates again for another one that nobody uses
                        client_args={"verify": trusted},
                        async_client_args={"verify": trusted},
                    ),
                )
            return self._client

    def _watch(self, request: httpx2.Request) -> None:
        """Have each connection noted, so that `close` can end it, and not waited for as long as an answer."""
        request.headers["Accept-Encoding"] = "identity"  # uncompressed, an answer is as long as what comes
        request.extensions["trace"] = Route(self._note_socket)
        timeout = request.extensions.get("timeout")
        if isinstance(timeout, dict):
            request.extensions["timeout"] = {**timeout, "connect": min(self._timeout, _CONNECTING)}

    def _note_socket(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            one = info["return_value"].get_extra_info("socket")
            if isinstance(one, socket.socket):
                with self._lock:
                    self._sockets.add(one)

    # ---- and back

    def _read(self, response: types.GenerateContentResponse, name: str) -> Answer:
        model = response.model_version or name
        counted = response.usage_metadata
        usage = Usage(
            prompt=(counted and counted.prompt_token_count) or 0,
            candidates=(counted and counted.candidates_token_count) or 0,
            thoughts=(counted and counted.thoughts_token_count) or 0,
            cached=(counted and counted.cached_content_token_count) or 0,
            total=(counted and counted.total_token_count) or 0,
        )
        if not response.candidates:
            feedback = response.prompt_feedback
            reason = feedback.block_reason if feedback else None
            empty = Answer(usage=usage, model=model)
            if reason is None:
                raise Unreadable(f"{model} answered nothing", advice="ask again", answer=empty)
            _blocked(f"{model} does not take the question", reason.value, empty)
        first = response.candidates[0]
        text, signature, calls = "", "", []
        for part in (first.content and first.content.parts) or ():
            opaque = _signed(part.thought_signature, name)
            if part.function_call is not None:
                one = part.function_call
                if is_too_deep(one.args):
                    empty = Answer(usage=usage, model=model)
                    raise _too_deep(f"{model} called a function with arguments", empty)
                calls.append(Call(one.name or "", one.args or {}, one.id or "", opaque))
            elif not part.thought:
                text += part.text or ""
                signature = opaque or signature
        reason_given = first.finish_reason.value if first.finish_reason else "STOP"
        finish: Finish = "calls" if calls else "stop"
        answer = Answer(
            text=text, calls=tuple(calls), signature=signature, usage=usage, finish=finish, model=model
        )
        if reason_given in ("MAX_TOKENS", "CONTINUATION"):
            # a call that may be cut is none
            return Answer(text=text, usage=usage, finish="length", model=model)
        if reason_given in _FILTERED:
            _blocked(f"{model} does not answer", reason_given, answer)
        if reason_given != "STOP":
            said = self._scrub(first.finish_message or "")[:_MOST_SAID]
            raise Unreadable(
                f"the answer of {model} cannot be read: {reason_given}{': ' if said else ''}{said}",
                advice="ask again",
                answer=answer,
            )
        return answer

    def _said(self, error: errors.APIError, name: str) -> Exception:
        """The error that a status means."""
        status = error.code or 0
        headers = getattr(error.response, "headers", None) or {}
        problem = explain_status(status, headers, self._url or f"https://{HOST}/")
        if problem is not None and problem.cause != "maintenance":  # which may pass while it is asked again
            found = ModelUnreachable(self._scrub(problem.message), advice=problem.advice)
            found.cause = problem.cause
            return found
        words = error.message if isinstance(error.message, str) and "<" not in error.message else ""
        words = " ".join(self._scrub(words).split())[:_MOST_SAID]
        said = f"{self._url or HOST} answers {status}{': ' if words else ''}{words}"
        said = self._scrub(said)
        details = _details(error)
        reason = next((str(detail["reason"]) for detail in details if "reason" in detail), "")
        if status in (401, 403) or reason.startswith("API_KEY") or (status == 400 and "API key" in words):
            return WrongKey(f"the key of the model is not accepted: {said}", advice=_GET_A_KEY)
        if status == 404:
            return UnknownModel(
                f"there is no model '{name}': {said}",
                advice="name another in HELIO_MODEL_SMART, HELIO_MODEL_FAST or HELIO_MODEL_FALLBACK",
            )
        wait = _wait(error, details)
        if status == 429:
            of_the_day = wait == A_DAY
            return QuotaExhausted(
                f"the quota {'of the day ' if of_the_day else ''}for {name} is used up: {said}",
                advice="try again tomorrow, or name another model"
                if of_the_day
                else "try again later, or name another model",
                wait=wait,
            )
        if status >= 500 or status in (408, 499):
            return self._unavailable(said, wait=wait)
        return ModelRefused(said, advice="" if status >= 400 else "look at HELIO_MODEL_URL")

    def _unavailable(self, said: str, *, wait: float | None = None) -> ModelUnavailable:
        return ModelUnavailable(self._scrub(said), advice="try again later", wait=wait)

    def _not_reached(self, error: httpx2.RequestError) -> ModelUnreachable:
        """The error of a connection that did not come about."""
        problem = explain(error, time.time(), seconds=min(self._timeout, _CONNECTING))
        also = "; look at HELIO_MODEL_URL" if self._url else ""
        found = ModelUnreachable(self._scrub(problem.message), advice=self._scrub(problem.advice) + also)
        found.cause = problem.cause
        return found


def connect(settings: Settings) -> tuple[Gemini, Gemini | None]:
    """The model that the environment names, and the one to fall back on.

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
    """Let an answer end at the longest that is read, before any of it is read."""
    import httpx2

    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise httpx2.DecodingError(f"it is compressed as '{coding}', which was not asked for")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    stream: httpx2.SyncByteStream = response.stream

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > _LONGEST_ANSWER:
                    raise httpx2.DecodingError(f"it sends more than {_LONGEST_ANSWER // 10**6} MB")
                yield part

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()


def _blocked(said: str, reason: str, answer: Answer) -> NoReturn:
    raise Blocked(
        f"{said}: {_FILTERED.get(reason, 'its filter')} stopped it ({reason})",
        advice="say it in other words",
        answer=answer,
    )


def _too_deep(said: str, answer: Answer | None) -> Unreadable:
    """The error about a reply that nothing can walk; the server would send it again."""
    error = Unreadable(
        f"{said} that is nested too deeply to be read", advice="ask for less at once", answer=answer
    )
    error.again = False
    return error


def _content(turn: Turn, name: str) -> types.Content:
    """A turn as Gemini has it."""
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
    """A signature with the model that made it: to another one it means nothing."""
    return f"{name} {base64.b64encode(signature).decode()}" if signature else ""


def _signature(opaque: str, name: str) -> bytes | None:
    """The signature as it came, where this model made it."""
    origin, _, encoded = opaque.partition(" ")
    if origin != name or not encoded:
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the signature of {name} was changed on its way: {encoded[:40]}") from error


def _own(turn: ModelTurn, name: str) -> bool:
    """Whether this model made the turn; not every one signs."""
    origin = turn.calls[0].signature.partition(" ")[0]
    return origin == name if origin else turn.model.startswith(name)


def _wants_signatures(name: str) -> bool:
    return re.match(r"gemini-[12]\b", name) is None


def _details(error: errors.APIError) -> list[dict[str, Any]]:
    """What the error says beside its message; https://google.aip.dev/193."""
    found = error.details
    if isinstance(found, dict):
        found = found.get("error", found)
    details = found.get("details") if isinstance(found, dict) else None
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _wait(error: errors.APIError, details: list[dict[str, Any]]) -> float | None:
    """Seconds that the server asks to wait."""
    for detail in details:
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            # a quota of the day comes with a RetryInfo of some seconds all the same
            if isinstance(violation, dict) and "PerDay" in str(violation.get("quotaId", "")):
                return A_DAY
    for detail in details:
        asked = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay", "")))
        if asked:
            return float(asked[1])
    headers = getattr(error.response, "headers", None) or {}
    return retry_after(headers.get("retry-after", ""), time.time())
