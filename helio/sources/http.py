"""The one seam to the network: requests that wait politely, try again where it may help, and say what went wrong."""

from __future__ import annotations

import json
import math
import random
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

from helio import __version__
from helio.errors import (
    Cancelled,
    DamagedFile,
    DataError,
    RateLimited,
    Refused,
    RequestError,
    ServerUnavailable,
    TransientError,
)

if TYPE_CHECKING:
    import httpx2

    from helio.sources.host_places import HostPlaces

T = TypeVar("T")

USER_AGENT = f"helio-pipelines/{__version__}"
CONNECTIONS_PER_HOST = 2
ATTEMPTS = 3

_CONNECTING = 15.0
"""Seconds for a connection to come about; nothing can end that wait early."""
_LOOKS_UP = 0.2
"""Seconds after which whoever waits for a place at a host looks whether there is still a reason to."""
_NOT_A_CHANCE = (501, 505)
"""Server errors that stay: not implemented, and not that version of HTTP."""
_TIMED_OUT, _TOO_MANY, _BUSY = 408, 429, 503
_MOST_SAID = 200
_LARGEST_REPLY = 256 * 1024**2
_LATER = "try again later; what is downloaded already is kept"


class Hosts:
    """How many requests each host serves at once for this process, and until when it asked to be left alone."""

    def __init__(self, connections: int = CONNECTIONS_PER_HOST) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._slots: dict[str, threading.BoundedSemaphore] = {}
        self._quiet: dict[str, float] = {}

    @contextmanager
    def slot(self, host: str, ended: threading.Event) -> Iterator[None]:
        """Wait for a place among the requests that the host serves, or until the event."""
        with self._lock:
            slot = self._slots.setdefault(host, threading.BoundedSemaphore(self._connections))
        while not slot.acquire(timeout=_LOOKS_UP):
            if ended.is_set():
                raise Cancelled("cancelled")
        try:
            yield
        finally:
            slot.release()

    def leave_alone(self, host: str, until: float) -> None:
        """Ask the host for nothing before a time of the clock."""
        with self._lock:
            self._quiet[host] = max(until, self._quiet.get(host, until))

    def quiet_for(self, host: str, now: float) -> float:
        """Seconds for which the host still wants to be left alone."""
        with self._lock:
            return max(0.0, self._quiet.get(host, now) - now)


HOSTS = Hosts()
"""Those of this process: the bound on connections holds for all of its clients together."""


@dataclass(frozen=True)
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], float] = time.time
    """Seconds since 1970, UTC."""
    sleep: Callable[[float, threading.Event], object] = lambda seconds, ended: ended.wait(seconds)
    """Waits so many seconds, or until the event."""
    random: Callable[[], float] = random.random

    def utc(self) -> datetime:
        """The present moment, as helio writes moments: without a zone, meaning UTC."""
        return datetime.fromtimestamp(self.now(), UTC).replace(tzinfo=None)


@dataclass(frozen=True)
class Reply:
    """A whole reply."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    def json(self) -> Any:
        """What it says as JSON.

        Raises
        ------
        ValueError
            It is not JSON.
        """
        return json.loads(self.content)


class _MayPassError(Exception):
    """An attempt failed in a way that may pass; `error` is what to say once there are no attempts left."""

    def __init__(self, error: DataError, *, wait: float = 0.0) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait = wait


class CutShort(Exception):
    """A receiver's word that the body ended early or is not what it should be, and another try may help."""


class Http:
    """Asks servers by GET; safe to share between threads.

    Proxies and certificate authorities are those of the environment, as `httpx2` reads it: ``HTTPS_PROXY``,
    ``NO_PROXY``, ``SSL_CERT_FILE``.

    Parameters
    ----------
    timeout : float
        Seconds without a single byte after which an attempt is given up.
    attempts : int
        How often one request is made at most.
    budget : float
        Seconds that one request may spend waiting between its attempts; a server that asks for more is not
        asked again.
    connecting : float
        Seconds for a connection to come about.
    clock : Clock
    hosts : Hosts
        Bounds the requests per host over all clients that share it.
    places : HostPlaces, optional
        Bounds them over all processes that share it, too.

    References
    ----------
    Retry-After: RFC 9110, section 10.2.3.
    """

    def __init__(
        self,
        *,
        timeout: float = 60.0,
        attempts: int = ATTEMPTS,
        budget: float = 90.0,
        connecting: float = _CONNECTING,
        clock: Clock | None = None,
        hosts: Hosts = HOSTS,
        places: HostPlaces | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self._timeout = timeout
        self._connecting = min(timeout, connecting)
        self._attempts = attempts
        self._budget = budget
        self._hosts = hosts
        self._places = places
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._ended = threading.Event()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    def get(self, url: str, *, accept: str = "*/*", expected: Collection[int] = (200,)) -> Reply:
        """The whole reply to a request.

        Parameters
        ----------
        expected : collection of int
            Statuses that the caller understands; any other one is an error.

        Raises
        ------
        ServerUnavailable, RateLimited
            All attempts failed.
        Refused
            The server refuses in a way that will not pass.
        DamagedFile
            The reply is far too long.
        """

        def receive(response: httpx2.Response) -> Reply:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if len(content) > _LARGEST_REPLY:
                    raise DamagedFile(f"the reply of {_host(url)} does not end", place=url)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Reply(url, response.status_code, headers, bytes(content))

        return self.exchange(url, receive, headers=lambda: {"Accept": accept}, expected=expected)

    def get_json(self, url: str, *, expected: Collection[int] = (200,)) -> tuple[int, Any]:
        """Status and content of a reply in JSON; what is no JSON is asked for again.

        Statuses other than 200 may come without JSON: their content is then None.

        Raises
        ------
        ServerUnavailable
            The server answers with something else, such as a page that says it is being maintained.
        RateLimited, Refused, DamagedFile
            As `get`.
        """

        def receive(response: httpx2.Response) -> tuple[int, Any]:
            return response.status_code, json_of(response, url)

        return self.exchange(url, receive, headers=lambda: {"Accept": "application/json"}, expected=expected)

    def exchange(
        self,
        url: str,
        receive: Callable[[httpx2.Response], T],
        *,
        headers: Callable[[], Mapping[str, str]] = dict,
        expected: Collection[int] = (200,),
    ) -> T:
        """Make a request and hand the open response to `receive`, as often as it takes and helps.

        Parameters
        ----------
        receive : callable
            Reads the body. It may raise `CutShort` or a `TransientError` to have another attempt made; other errors
            of its own end the request.
        headers : callable
            Gives the headers of each attempt anew, such as the range that is still missing.
        expected : collection of int
            Statuses that `receive` understands.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, DamagedFile
        RequestError
            The environment names certificates or a proxy that cannot be used.
        Cancelled
            When `cancel` was called.
        """
        host = _host(url)
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            self._refuse_if_ended()
            quiet = self._hosts.quiet_for(host, self.clock.now())
            if waited + quiet > self._budget:
                text = f"{host} asked to be left alone for another {quiet:.0f} s"
                raise RateLimited(text, advice=_LATER, place=url)
            if quiet:
                self.clock.sleep(quiet, self._ended)
                waited += quiet
                self._refuse_if_ended()
            try:
                with self._hosts.slot(host, self._ended), self._place(host):
                    found = self._attempt(url, receive, dict(headers()), expected)
                self._refuse_if_ended()  # a body of no known length seems whole when its connection is shut
                return found
            except _MayPassError as failure:
                self._refuse_if_ended(failure)
                pause = max(failure.wait, 0.5 * 2**attempt * (0.5 + self.clock.random() / 2))
                if failure.wait:
                    self._hosts.leave_alone(host, self.clock.now() + failure.wait)
                if attempt == self._attempts or waited + pause > self._budget:
                    raise _after(failure.error, attempt, failure.wait) from failure.__cause__
                self.clock.sleep(pause, self._ended)
                waited += pause

    def _place(self, host: str) -> AbstractContextManager[None]:
        return nullcontext() if self._places is None else self._places.place(host, self._ended)

    def pause(self, seconds: float) -> None:
        """Wait before the next request, as a caller finds fit.

        Raises
        ------
        Cancelled
            When `cancel` was called.
        """
        self._refuse_if_ended()
        self.clock.sleep(seconds, self._ended)
        self._refuse_if_ended()

    def cancel(self) -> None:
        """End all requests at once, and refuse further ones; whoever waits gets `Cancelled`."""
        with self._lock:
            self._ended.set()
            for one in tuple(self._sockets):
                _shut(one)

    def close(self) -> None:
        """Close the connections that are kept open; the next request opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _refuse_if_ended(self, failure: _MayPassError | None = None) -> None:
        if self._ended.is_set():
            raise Cancelled("cancelled") from (failure and failure.__cause__)

    def _note_socket(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember each connection: closing it elsewhere would not wake whoever reads from it, shutting it does."""
        if not event.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        one = info["return_value"].get_extra_info("socket")
        if isinstance(one, socket.socket):
            with self._lock:
                self._sockets.add(one)
                if self._ended.is_set():
                    _shut(one)

    def _attempt(
        self,
        url: str,
        receive: Callable[[httpx2.Response], T],
        headers: dict[str, str],
        expected: Collection[int],
    ) -> T:
        import httpx2  # 60 ms, which a run that asks nobody does without

        host = _host(url)
        begun = False
        try:
            noted = {"trace": self._note_socket}
            with self._open().stream("GET", url, headers=headers, extensions=noted) as response:
                if response.status_code not in expected:
                    raise self._said(response, url)
                begun = True
                return receive(response)
        except TransientError as error:
            raise _MayPassError(error) from error.__cause__
        except CutShort as error:
            raise _MayPassError(
                DamagedFile(f"what {host} sends {error}", advice=_LATER, place=url)
            ) from error
        except httpx2.TimeoutException as error:
            seconds = self._connecting if isinstance(error, httpx2.ConnectTimeout) else self._timeout
            text = f"{host} did not answer within {seconds:g} s"
            raise _MayPassError(ServerUnavailable(text, advice=_LATER, place=url)) from error
        except httpx2.RemoteProtocolError as error:
            how = "before its answer was whole" if begun else "without an answer"
            text = f"{host} ended the connection {how}"
            raise _MayPassError(ServerUnavailable(text, advice=_LATER, place=url)) from error
        except (httpx2.NetworkError, httpx2.ProxyError) as error:
            if _is_distrust(error):
                raise Refused(
                    f"the certificate of {host} is not trusted: {error}",
                    advice="name the authority's certificate in SSL_CERT_FILE if a proxy stands between",
                    place=url,
                ) from error
            text = f"{host} cannot be reached: {error or type(error).__name__}"
            raise _MayPassError(ServerUnavailable(text, advice=_LATER, place=url)) from error
        except (httpx2.DecodingError, httpx2.TooManyRedirects) as error:
            raise Refused(f"{host} answers in a way that is not understood: {error}", place=url) from error
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            raise Refused(f"'{url}' cannot be asked for: {error}", place=url) from error

    def _said(self, response: httpx2.Response, url: str) -> Exception:
        """The error that a status means."""
        host, status = _host(url), response.status_code
        said = _words(response)
        wait = retry_after(response.headers.get("retry-after", ""), self.clock.now())
        if status == _TOO_MANY or (status == _BUSY and wait is not None):
            text = f"{host} asks for fewer requests ({status}{said})"
            return _MayPassError(RateLimited(text, advice=_LATER, place=url), wait=wait or 0.0)
        if status == _TIMED_OUT or (status >= 500 and status not in _NOT_A_CHANCE):
            text = f"{host} answers {status}{said}"
            return _MayPassError(ServerUnavailable(text, advice=_LATER, place=url), wait=wait or 0.0)
        return Refused(f"{host} refuses with {status}{said}", place=url)

    def _open(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                try:
                    client = httpx2.Client(
                        timeout=httpx2.Timeout(self._timeout, connect=self._connecting, pool=None),
                        headers={"User-Agent": USER_AGENT},
                        follow_redirects=True,
                        limits=httpx2.Limits(
                            max_connections=None, max_keepalive_connections=CONNECTIONS_PER_HOST
                        ),
                    )
                except (OSError, ValueError, httpx2.InvalidURL) as error:
                    raise RequestError(
                        f"the environment's settings for the network cannot be used: {error}",
                        advice="look at SSL_CERT_FILE, SSL_CERT_DIR, HTTPS_PROXY, HTTP_PROXY and ALL_PROXY",
                    ) from error
                weakref.finalize(self, client.close)
                self._client = client
            return self._client


def json_of(response: httpx2.Response, url: str) -> Any:
    """What an open response says as JSON; for a receiver, which has another attempt made where it is none.

    Statuses other than 200 may come without JSON: their content is then None.
    """
    try:
        return json.loads(response.read())
    except ValueError as error:
        if response.status_code != 200:
            return None
        kind = response.headers.get("content-type", "bytes of no named kind")
        if "json" in kind:
            text = f"{_host(url)} answered with JSON that is not whole"
        else:
            text = f"{_host(url)} answered with {kind} in place of JSON"
        raise _MayPassError(ServerUnavailable(text, advice=_LATER, place=url)) from error


def retry_after(text: str, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait, given as seconds or as a date; None where it says nothing.

    >>> retry_after("120", now=0.0)
    120.0
    >>> retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=0.0)
    60.0
    """
    text = text.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        # RFC 9110 has its dates in GMT; one without a zone is taken for that
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _after(error: DataError, attempts: int, wait: float) -> DataError:
    if attempts > 1:
        error.message += f", after {attempts} attempts"
    if wait:
        error.message += f"; it asks to wait {wait:.0f} s"
    return error


def _words(response: httpx2.Response) -> str:
    """What the server says of itself, in one short line."""
    import httpx2

    try:
        text = response.read().decode(errors="replace")
    except httpx2.HTTPError:
        return ""  # a body that does not come does not change what the status means
    try:
        text = _message_in(json.loads(text))
    except (ValueError, RecursionError):
        if "<" in text:
            text = ""  # a page for people
    text = " ".join(text.split())[:_MOST_SAID]
    return f": {text}" if text else ""


def _message_in(said: Any) -> str:
    """The words in a reply of JSON: CDAWeb's ``Message``, or a status of HAPI; nothing where it has neither.

    >>> _message_in({"HAPI": "3.2", "status": {"code": 1501, "message": "upstream request error"}})
    'HAPI 1501 upstream request error'
    """
    found = said if isinstance(said, dict) else {}
    words = found.get("Message", "")
    status = found.get("status")
    if not words and isinstance(status, dict):
        words = ["HAPI", status.get("code", ""), status.get("message", "")]
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # not its own method: that of a TLS socket forgets the cipher under whoever reads
        socket.socket.shutdown(one, socket.SHUT_RDWR)


def _host(url: str) -> str:
    return url.split("/")[2] if url.count("/") >= 2 else url


def _is_distrust(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
