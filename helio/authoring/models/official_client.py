"""Ask a language model through its provider's own client: the connection, its limits, and its errors in words."""

from __future__ import annotations

import base64
import binascii
import json
import re
import socket
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

from helio.authoring.models.answer_reading import is_too_deep
from helio.authoring.models.model import Ask, Attachment, Call, ModelAnswer, Role
from helio.authoring.models.providers import Provider
from helio.authoring.models.quoting import data
from helio.authoring.models.scrub import Scrub
from helio.errors import (
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
from helio.settings import Thinking
from helio.sources.connection import Route, explain, explain_status, trusted_authorities
from helio.sources.http import retry_after
from helio.store.records import WrongShape, convert

if TYPE_CHECKING:
    import ssl

    import httpx2

A_DAY = 86400.0
"""Seconds to wait after the quota for a day is used up."""
LONGEST_ANSWER = 64 * 10**6
"""Maximum bytes of an answer; the longest answers of language models have a hundredth of this."""
MOST_SAID = 300
"""Maximum number of characters of a server's words in an error."""
MOST_PDF_TEXT = 100_000
"""Maximum number of characters of a PDF as text, for a model that reads no PDF."""
_CONNECTING = 15.0
"""Maximum seconds for opening a connection."""
_PAGE_ADVICE = (
    "open any web page in a browser; log in if the network asks you to, otherwise check HELIO_MODEL_URL"
)


class OfficialClient(ABC):
    """Client of a provider's language models, or of another server with the same protocol.

    Each answer is one request: the retries, continuations and function calls of the provider's client are switched off.

    Parameters
    ----------
    key : str
    names : mapping
        The model of each role.
    provider : Provider, optional
        Another provider with the same protocol, instead of the client's own.
    url : str
        Address of a server to use instead of the provider's.
    timeout : float
        Seconds until an answer begins, including the model's time to think.
    thinking : mapping, optional
        How much the model of a role thinks: ``"off"``, ``"low"``, ``"medium"`` or ``"high"``; otherwise as much as the
        provider chooses.

    Raises
    ------
    NoKey, WrongKey
        The key is empty although the provider needs one, or it is malformed.
    """

    own_provider: ClassVar[Provider]
    """The provider that made the protocol."""

    def __init__(
        self,
        key: str,
        names: Mapping[Role, str],
        *,
        provider: Provider | None = None,
        url: str = "",
        timeout: float = 300.0,
        thinking: Mapping[Role, Thinking] | None = None,
    ) -> None:
        self.provider = provider = provider or self.own_provider
        # another server at an address of the user's choice may take no key
        if not key and not provider.is_local and not (url and provider.name == "openai"):
            name = next(iter(names.values()))
            raise NoKey(
                f"no API key for a language model is set; the model is {name} of {provider.title}",
                advice=provider.advice,
            )
        if key and (not re.fullmatch(r"[!-~]+", key) or key.startswith("auth_tokens/")):
            # the client would quote it in its error
            raise WrongKey(
                "the API key for the language model contains characters that are not allowed in a key",
                advice=provider.advice,
            )
        self._key = key
        self._names = dict(names)
        self._url = url
        self._timeout = timeout
        self._thinking = dict(thinking or {})
        self._scrub = Scrub(key, url=url)
        self._lock = threading.Lock()
        self._client: Any = None
        self._wire: httpx2.Client | None = None
        self._closings = 0
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    @property
    def _server(self) -> str:
        """The server, as messages name it: the user's address, or the provider's host."""
        return self._url or self.provider.url.split("://")[1].split("/")[0]

    def name(self, role: Role) -> str:
        """Return the name of the model that is used for a role, ``smart`` or ``fast``."""
        return self._names[role]

    @abstractmethod
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

    @abstractmethod
    def models(self) -> list[str]:
        """List the language models that the key may use; this request costs no tokens.

        Raises
        ------
        ModelError
            As `ask`.
        """

    @abstractmethod
    def _made(self, wire: httpx2.Client, trusted: ssl.SSLContext) -> Any:
        """Return the provider's client, which sends its requests over a connection of helio."""

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

    # ---- the connection

    def _open(self, closings: int) -> Any:
        """Return the provider's client, unless the connections were closed since `closings` was read."""
        import httpx2

        with self._lock:
            if self._closings != closings:  # closed during the imports
                raise self._unavailable(f"the connection to {self._server} was closed")
            if self._client is None:
                try:
                    trusted = trusted_authorities()
                except RequestError as error:
                    raise ModelRefused(error.message, advice=error.advice) from error
                # event_hooks: the clients offer no other way to the request they make.
                # No redirects: they would send the key to another host.
                wire = httpx2.Client(
                    verify=trusted, event_hooks={"request": [self._watch], "response": [_bound]}
                )
                weakref.finalize(self, wire.close)
                self._wire = wire
                self._client = self._made(wire, trusted)
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

    # ---- errors

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Replace errors of the connection and of unreadable answers by errors of helio."""
        import httpx2
        from pydantic import ValidationError

        host = self._server
        try:
            yield
        except httpx2.TimeoutException as error:
            if not isinstance(error, httpx2.ConnectTimeout):
                raise self._unavailable(f"{host} did not answer within {self._timeout:g} s") from None
            raise self._not_reached(error) from None
        except RecursionError:  # a RuntimeError too, but not of the connection
            raise too_deep(self._scrub(f"{host} answered with JSON"), None) from None
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
        except (ValidationError, WrongShape):
            raise Unreadable(
                self._scrub(
                    f"{host} sent an answer that does not follow the protocol of {self.provider.title}"
                ),
                advice="check HELIO_MODEL_URL",
            ) from None
        except ValueError:  # from json.loads: the page of a proxy or a portal
            raise ModelUnreachable(
                self._scrub(f"{host} did not answer with JSON"), advice=_PAGE_ADVICE
            ) from None

    def _refusal(
        self,
        status: int,
        headers: Mapping[str, str],
        words: object,
        name: str,
        *,
        wait: float | None = None,
        is_about_key: bool = False,
    ) -> Exception:
        """Return the error that an HTTP status of the server means.

        Parameters
        ----------
        headers : mapping
            Headers of the reply, with names in lower case.
        words : object
            The server's message; anything but a text without markup is left out.
        wait : float or None
            Seconds for which the body asks helio to wait; None if it does not, and the headers count.
        is_about_key : bool
            Whether the body says that the key is wrong.
        """
        problem = explain_status(status, headers, self._url or self.provider.url)
        if problem is not None and problem.cause != "maintenance":  # maintenance may pass between attempts
            return _unreachable(self._scrub(problem.message), problem.advice, problem.cause)
        told = words if isinstance(words, str) and "<" not in words else ""
        told = " ".join(self._scrub(told).split())[:MOST_SAID]
        message = self._scrub(f"{self._server} answered {status}{': ' if told else ''}{told}")
        if status in (401, 403) or is_about_key:
            advice = self.provider.advice if not self.provider.is_local else f"set {self.provider.keys[0]}"
            return WrongKey(f"the model's API key was rejected: {message}", advice=advice)
        if status == 404:
            also = f", or {self.provider.advice}" if self.provider.is_local else ""
            return UnknownModel(
                f"model '{name}' is unknown or not available: {message}",
                advice="choose another model with HELIO_MODEL, HELIO_MODEL_SMART, HELIO_MODEL_FAST or "
                f"HELIO_MODEL_FALLBACK{also}",
            )
        if wait is None:
            wait = retry_after(headers.get("retry-after", ""), time.time())
        if status == 429:
            daily, when = ("daily ", "tomorrow") if wait == A_DAY else ("", "later")
            if wait and wait < A_DAY:
                when = f"in {wait:.0f} s"
            return QuotaExhausted(
                f"the {daily}quota for {name} is used up: {message}",
                advice=f"try again {when}, or choose another model",
                wait=wait,
            )
        if status >= 500 or status in (408, 499):
            return self._unavailable(message, wait=wait)
        return ModelRefused(message, advice=self._refusal_advice(status, told))

    def _refusal_advice(self, status: int, told: str) -> str:
        """Return what to do about a question that the server would refuse again."""
        if status < 400:
            return "check HELIO_MODEL_URL"
        if "context" in told.lower():
            return self._context_advice()
        if any(self._thinking.values()):
            return "if the model does not know this level of thinking, choose another in HELIO_MODEL_THINKING"
        return ""

    def _context_advice(self) -> str:
        also = f": {self.provider.context}" if self.provider.context else ""
        return f"give the model a longer context{also}; or choose another model"

    def _unavailable(self, message: str, *, wait: float | None = None) -> ModelUnavailable:
        return ModelUnavailable(self._scrub(message), advice="try again later", wait=wait)

    def _not_reached(self, error: httpx2.RequestError) -> ModelUnreachable:
        """Return the error for a connection that failed."""
        problem = explain(error, time.time(), seconds=min(self._timeout, _CONNECTING))
        also = f"; {self.provider.advice}" if self.provider.is_local else ""
        also += "; check HELIO_MODEL_URL" if self._url else ""
        return _unreachable(self._scrub(problem.message), self._scrub(problem.advice) + also, problem.cause)


@contextmanager
def unwrapped(kind: type[Exception]) -> Iterator[None]:
    """Raise the error of the connection in place of the error that a provider's client makes of it."""
    cause: BaseException | None = None
    try:
        yield
    except kind as error:
        cause = error.__cause__ or error
    if cause is not None:  # not within the clause above, where each error would be the reason of the other
        raise cause


def json_of(response: httpx2.Response, kind: Any) -> Any:
    """Read the JSON of an answer, and check that it has the form of a type.

    Raises
    ------
    WrongShape
    ValueError
        The answer is not JSON.
    RecursionError
        The answer is nested too deeply.
    """
    return convert(json.loads(response.content), kind)


def said_by(response: httpx2.Response) -> tuple[str, str]:
    """Return the message and the code of an error, as servers write them in JSON; empty texts if there are none."""
    try:
        body = json.loads(response.content)
    except (ValueError, RecursionError):
        return "", ""
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, str):
        return error, ""
    if not isinstance(error, dict):
        return "", ""
    return str(error.get("message") or ""), str(error.get("code") or error.get("type") or "")


def arguments_of(call: str, arguments: object, answer: ModelAnswer) -> dict[str, Any]:
    """Return the arguments of a function call, from JSON or from JSON in a text.

    Raises
    ------
    Unreadable
        They are not a JSON object, or nested too deeply.
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, dict):
        raise Unreadable(
            f"{answer.model} called {call[:80]} with arguments that are not a JSON object",
            advice="send the request again",
            answer=answer,
        )
    if is_too_deep(arguments):
        raise too_deep(f"{answer.model} called a function with arguments", answer)
    return arguments


def attached_as(number: int, file: Attachment) -> str:
    """Return the words before an attached file, by which the text of the message names it; a text follows quoted."""
    quoted = f"\n{_quoted(file)}" if file.is_text else ""
    return f"Document {number}:{quoted}"


def _quoted(file: Attachment) -> str:
    """Quote the text of a file by pages and lines."""
    pages = [
        {"page": number, "lines": [line.replace("\t", " | ") for line in page.splitlines()]}
        for number, page in enumerate(file.pages, 1)
    ]
    value = pages if file.is_pdf else {"lines": pages[0]["lines"]} if pages else {}
    return data("Its text", value, most=10 * MOST_PDF_TEXT, text=MOST_PDF_TEXT)


def base64_of(content: bytes) -> str:
    """Return the content of a file as text, as the protocols of providers take it."""
    return base64.b64encode(content).decode()


def text_of_pdf(file: Attachment, model: str) -> str:
    """Return the text of a PDF by pages, quoted as data, for a model that reads no PDF.

    Raises
    ------
    ModelRefused
        helio does not know the text, or it is too long.
    """
    advice = "choose a model of Gemini, OpenAI or Anthropic, which reads PDFs"
    if not any(page.strip() for page in file.pages):
        raise ModelRefused(
            f"{model} reads no PDF, and helio does not know the text of {file.name}: it is a scan, or pypdf is not "
            "installed",
            advice=f"{advice}, or install helio with pypdf: pip install 'helio-pipelines[pdf]'",
        )
    length = sum(map(len, file.pages))
    if length > MOST_PDF_TEXT:
        raise ModelRefused(
            f"{model} reads no PDF, and the text of {file.name} has {length:,} characters; the limit is "
            f"{MOST_PDF_TEXT:,}",
            advice=f"keep only the pages that the request needs, or {advice}",
        )
    return _quoted(file)


def too_deep(message: str, answer: ModelAnswer | None) -> Unreadable:
    """Return the error for a reply that is nested too deeply; the server would send the same reply again."""
    error = Unreadable(
        f"{message} nested too deeply to read",
        advice="shorten the request, or use a smaller pipeline",
        answer=answer,
    )
    error.again = False
    return error


def signed(signature: bytes | None, name: str) -> str:
    """Return a signature together with the name of its model, because other models cannot read the signature."""
    return f"{name} {base64.b64encode(signature).decode()}" if signature else ""


def signature_of(opaque: str, name: str) -> bytes | None:
    """Return the signature without the model's name, if this model made the signature."""
    origin, _, encoded = opaque.partition(" ")
    if origin != name or not encoded:
        return None
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError(f"the signature in the answer of {name} is damaged: {encoded[:40]}") from error


def call_id(call: Call | Any, number: int) -> str:
    """Return the id of a call or of its result, for providers that need one; a model without ids gets a number."""
    return call.id or f"call_{number}"


def _unreachable(message: str, advice: str, cause: str) -> ModelUnreachable:
    error = ModelUnreachable(message, advice=advice)
    error.cause = cause
    return error


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
                if size > LONGEST_ANSWER:
                    raise httpx2.DecodingError(f"it is larger than {LONGEST_ANSWER // 10**6} MB")
                yield part

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()
