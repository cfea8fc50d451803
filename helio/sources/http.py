"""The only module that sends requests: it limits their number, repeats failed requests, and explains errors."""

from __future__ import annotations

import copy
import math
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from helio import __version__
from helio.clock import Clock
from helio.errors import (
    Cancelled,
    DamagedFile,
    DataError,
    ForeignAddress,
    HelioError,
    RateLimited,
    Refused,
    ServerUnavailable,
    TransientError,
)
from helio.settings import NetworkLimits
from helio.sources.answer import LATER, BadBody, OpenReply, read_json
from helio.sources.connection import (
    Problem,
    Route,
    explain,
    explain_status,
    host_of,
    trusted_authorities,
    without_user,
)
from helio.sources.meter import Meter
from helio.sources.server_text import one_line
from helio.sources.sites import PORTS, Host, Site

if TYPE_CHECKING:
    import httpx2

    from helio.sources.host_places import HostPlaces
    from helio.sources.wire import Wire

T = TypeVar("T")

USER_AGENT = f"helio-pipelines/{__version__}"
CONNECTIONS_PER_HOST = 2
ATTEMPTS = 3

_CONNECTING = 15.0
"""Seconds to wait until a connection opens; nothing can end this wait earlier."""
_LOOKS_UP = 0.2
"""Seconds between two checks whether a waiting request was cancelled."""
_NOT_A_CHANCE = (501, 505)
"""Server errors after which another attempt is useless: not implemented, HTTP version not supported."""
_TIMED_OUT, _TOO_MANY, _BUSY = 408, 429, 503
_LONGEST_ERROR = 64 * 1024
"""Maximum number of bytes to read from the body of an error reply."""
_REDIRECTS = (301, 302, 303, 307, 308)
_POSTED_AGAIN = (307, 308)
"""Redirects that keep method and body of a request; RFC 9110, section 15.4."""
_MOST_REDIRECTS = 5
_PROXY_PORTS = {**PORTS, "socks5": 1080, "socks5h": 1080}


class Hosts:
    """Limits for each host: how many requests it gets at the same time, and until when it gets none."""

    def __init__(self, connections: int = CONNECTIONS_PER_HOST) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._slots: dict[str, threading.BoundedSemaphore] = {}
        self._quiet: dict[str, float] = {}

    @contextmanager
    def slot(self, host: str, ended: threading.Event) -> Iterator[None]:
        """Wait until the host may get another request; stop waiting if the event is set."""
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
        """Send no requests to the host before the given time."""
        with self._lock:
            self._quiet[host] = max(until, self._quiet.get(host, until))

    def quiet_for(self, host: str, now: float) -> float:
        """Return for how many more seconds the host accepts no requests."""
        with self._lock:
            return max(0.0, self._quiet.get(host, now) - now)


HOSTS = Hosts()
"""Limits on requests for this process; all HTTP clients of the process share these limits."""


@dataclass(frozen=True)
class WholeReply:
    """Complete reply of a server: status, headers and body."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)


class _MayPassError(Exception):
    """Error of an attempt that failed for a reason that may pass; `error` is the error to raise when no
    attempts are left.
    """

    def __init__(self, error: DataError, *, wait: float = 0.0) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait = wait


class Http:
    """Client for HTTP requests; safe to share between threads.

    Proxies are those of the environment, as `httpx2` reads it: ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY``,
    ``NO_PROXY``. Certificate authorities are those of `helio.sources.connection.trusted_authorities`.

    Parameters
    ----------
    timeout : float
        Seconds without a single byte after which helio gives up an attempt.
    attempts : int
        Maximum number of attempts for one request.
    budget : float
        Seconds that one request may wait between its attempts; if a server asks for a longer wait, helio does not try
        again.
    connecting : float
        Seconds to wait until a connection opens.
    clock : Clock
    hosts : Hosts
        Limits the requests to each host over all clients that share this object.
    places : HostPlaces, optional
        Limits the requests to each host over all processes that use the same folder of locks.
    limits : NetworkLimits
        Limits on the size and the slowness of replies.

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
        limits: NetworkLimits | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self.limits = limits or NetworkLimits()
        self._attempts = attempts
        self._budget = budget
        self._hosts = hosts
        self._places = places
        self._site: Site | None = None
        self._connections = _Connections(timeout, min(timeout, connecting))

    def at(self, url: str, *declared: str, by_user: bool) -> Http:
        """Return a client for one provider, which sends requests only to the provider's hosts, also after a redirect.

        A client that was not made by this method treats the host of each requested URL as named by the user, and sends
        requests to no other host.

        Parameters
        ----------
        url : str
            The provider's address.
        *declared : str
            Addresses on further hosts of the provider.
        by_user : bool
            Whether the user named `url`; only then may its host have a private address.
        """
        client = copy.copy(self)
        client._site = Site.of(url, *declared, by_user=by_user, further=self.limits.further_hosts)
        return client

    def refuse_foreign(self, url: str, led_by: str) -> None:
        """Refuse a URL that does not belong to the provider; `led_by` names the reply that contained the URL.

        Raises
        ------
        ForeignAddress
        """
        if self._site is not None:
            self._site.refuse_foreign(url, led_by)

    def get(self, url: str, *, accept: str = "*/*", expected: Collection[int] = (200,)) -> WholeReply:
        """Send a request and return the complete reply.

        Parameters
        ----------
        expected : collection of int
            HTTP statuses that the caller understands; any other status is an error.

        Raises
        ------
        ServerUnavailable, RateLimited, TooSlow
            All attempts failed.
        Refused
            The server refuses the request permanently, or redirects to a host that does not belong to the provider.
        ReplyTooLarge
            The reply is longer than the limits allow.
        """

        def receive(answer: OpenReply) -> WholeReply:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return WholeReply(url, answer.status, headers, answer.read())

        return self.exchange(url, receive, headers=lambda: {"Accept": accept}, expected=expected)

    def get_json(self, url: str, *, expected: Collection[int] = (200,)) -> tuple[int, Any]:
        """Request JSON and return status and content; try again if the body is not JSON.

        A reply with a status other than 200 may have no JSON: the content is then None.

        Raises
        ------
        ServerUnavailable
            The reply is not JSON; it may be a page that announces maintenance.
        RateLimited, TooSlow, Refused, ReplyTooLarge
            As for `get`.
        """

        def receive(answer: OpenReply) -> tuple[int, Any]:
            return answer.status, answer.json()

        return self.exchange(url, receive, headers=lambda: {"Accept": "application/json"}, expected=expected)

    def exchange(
        self,
        url: str,
        receive: Callable[[OpenReply], T],
        *,
        headers: Callable[[], Mapping[str, str]] = dict,
        body: bytes | None = None,
        expected: Collection[int] = (200,),
        in_bulk: bool = False,
    ) -> T:
        """Send a request and call `receive` with the reply before its body is read; repeat a failed request while this
        may help.

        Parameters
        ----------
        receive : callable
            Function that reads the body. If it raises `BadBody` or a `TransientError`, helio tries again; any other
            error ends the request.
        headers : callable
            Function that returns the request headers of each attempt, such as the range of bytes that is still missing.
        body : bytes, optional
            A question to post, which the server answers without changing anything. Default: GET without a body.
        expected : collection of int
            HTTP statuses that `receive` understands.
        in_bulk : bool
            True for files and records: they may take any time while bytes come at the minimum rate, and `receive`
            limits their length. Every other reply must be complete within the time limit for replies, all attempts
            together.

        Raises
        ------
        ServerUnavailable, RateLimited, TooSlow, Refused, ReplyTooLarge, DamagedFile
        RequestError
            The environment names certificates or a proxy that cannot be used.
        Cancelled
            When `cancel` was called.
        """
        site = self._site or Site.of(url, by_user=True, further=self.limits.further_hosts)
        host = _host(url)
        left = None if in_bulk else self.limits.reply_seconds
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            self._refuse_if_ended()
            quiet = self._hosts.quiet_for(host, self.clock.now())
            if waited + quiet > self._budget:
                text = f"{host} limits the number of requests; try again in {quiet:.0f} s"
                raise RateLimited(text, advice=LATER, place=url)
            if quiet:
                self.clock.sleep(quiet, self._connections.ended)
                waited += quiet
                self._refuse_if_ended()
            begun = self.clock.monotonic()
            try:
                with self._hosts.slot(host, self._connections.ended), self._place(host):
                    begun = self.clock.monotonic()
                    meter = Meter(
                        host, url, self.limits, None if left is None else begun + left, self.clock.monotonic
                    )
                    outcome = self._attempt(url, receive, dict(headers()), body, expected, site, meter)
                self._refuse_if_ended()  # a body of no known length seems whole when its connection is shut
                return outcome
            except _MayPassError as failure:
                self._refuse_if_ended(failure)
                pause = max(failure.wait, 0.5 * 2**attempt * (0.5 + self.clock.random() / 2))
                if failure.wait:
                    self._hosts.leave_alone(host, self.clock.now() + failure.wait)
                left = None if left is None else left - (self.clock.monotonic() - begun)
                is_last = attempt == self._attempts or (left is not None and left <= 0)
                if is_last or waited + pause > self._budget:
                    raise _after(failure.error, attempt, failure.wait) from failure.__cause__
                self.clock.sleep(pause, self._connections.ended)
                waited += pause

    def _place(self, host: str) -> AbstractContextManager[None]:
        return nullcontext() if self._places is None else self._places.place(host, self._connections.ended)

    def pause(self, seconds: float) -> None:
        """Wait before the next request to a server.

        Raises
        ------
        Cancelled
            When `cancel` was called.
        """
        self._refuse_if_ended()
        self.clock.sleep(seconds, self._connections.ended)
        self._refuse_if_ended()

    def cancel(self) -> None:
        """Cancel all requests and refuse further requests; all waiting threads get `Cancelled`."""
        self._connections.cancel()

    def close(self) -> None:
        """Close idle connections; the next request opens new connections."""
        self._connections.close()

    def _refuse_if_ended(self, failure: _MayPassError | None = None) -> None:
        if self._connections.ended.is_set():
            raise Cancelled("cancelled") from (failure and failure.__cause__)

    def _attempt(
        self,
        url: str,
        receive: Callable[[OpenReply], T],
        headers: dict[str, str],
        body: bytes | None,
        expected: Collection[int],
        site: Site,
        meter: Meter,
    ) -> T:
        import httpx2  # 60 ms, which a run that asks nobody does without

        host = _host(url)
        begun = False
        try:
            way = Route()
            with self._response(url, headers, body, site, meter, way) as response:
                answer = OpenReply(response, url, meter, self.limits)
                if answer.status not in expected:
                    raise self._said(answer, url, way)
                begun = True
                return receive(answer)
        except TransientError as error:
            raise _MayPassError(error) from error.__cause__
        except BadBody as error:
            raise _MayPassError(
                DamagedFile(f"the reply of {host} {error}", advice=LATER, place=url)
            ) from error
        except DataError as error:
            raise error.located(url) from error.__cause__
        except (
            httpx2.TimeoutException,
            httpx2.RemoteProtocolError,
            httpx2.NetworkError,
            httpx2.ProxyError,
        ) as error:
            is_late = isinstance(error, httpx2.ConnectTimeout)
            seconds = self._connections.connecting if is_late else self._connections.timeout
            problem = explain(error, self.clock.now(), seconds=seconds, begun=begun)
            raise _problem_error(problem, url) from error
        except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL) as error:
            raise Refused(f"'{url}' cannot be requested: {error}", place=url) from error
        except UnicodeError as error:
            if begun:
                raise
            raise Refused(f"'{url}' cannot be requested: its host name is not valid", place=url) from error

    @contextmanager
    def _response(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        site: Site,
        meter: Meter,
        way: Route,
    ) -> Iterator[httpx2.Response]:
        """Return the open reply to a request after following redirects within the site; the bodies of redirects
        are not read.
        """
        import httpx2

        from helio.sources.wire import ConnectionWatch

        client, wire = self._connections.open()
        address = httpx2.URL(url)
        site.refuse_foreign(str(address), "the request")
        with wire.watched(ConnectionWatch(meter, site)):
            for _ in range(_MOST_REDIRECTS + 1):
                meter.begin_head()
                with client.stream(
                    "GET" if body is None else "POST",
                    address,
                    content=body,
                    headers=headers,
                    extensions={"trace": way},
                ) as response:
                    if not meter.sent:
                        raise RuntimeError(
                            "the reply arrived on a connection whose bytes helio does not count"
                        )
                    meter.begin_content()
                    location = response.headers.get("location", "")
                    if response.status_code not in _REDIRECTS or not location:
                        yield response
                        return
                    if body is not None and response.status_code not in _POSTED_AGAIN:
                        raise Refused(f"{_host(url)} redirects a posted question to a page", place=url)
                    try:
                        target = address.join(location)
                    except httpx2.InvalidURL as error:
                        raise Refused(
                            f"{_host(url)} redirects to an invalid address: {error}", place=url
                        ) from error
                    try:
                        _refuse_redirect(address, target, site, url)
                    except ForeignAddress as error:
                        problem = explain_status(response.status_code, response.headers, str(address), way)
                        if problem is not None:
                            error.cause, error.advice = problem.cause, problem.advice
                        raise
                    address = target
        raise Refused(f"{_host(url)} redirects more than {_MOST_REDIRECTS} times", place=url)

    def _said(self, answer: OpenReply, url: str, way: Route) -> Exception:
        """Return the error that an HTTP status means."""
        host, status = _host(url), answer.status
        problem = explain_status(status, answer.headers, url, way)
        if problem is not None and "retry-after" not in answer.headers:
            return _problem_error(problem, url)
        words = _words(answer)
        wait = retry_after(answer.headers.get("retry-after", ""), self.clock.now())
        if status == _TOO_MANY or (status == _BUSY and wait is not None):
            text = f"{host} asks for fewer requests ({status}{words})"
            return _MayPassError(RateLimited(text, advice=LATER, place=url), wait=wait or 0.0)
        if status == _TIMED_OUT or (status >= 500 and status not in _NOT_A_CHANCE):
            text = f"{host} answers {status}{words}"
            return _MayPassError(ServerUnavailable(text, advice=LATER, place=url), wait=wait or 0.0)
        return Refused(f"{host} refuses the request ({status}{words})", place=url)


class _Connections:
    """The connections of an HTTP client, opened at the first request; shared by all clients that `Http.at` returns.

    Parameters
    ----------
    timeout : float
        Seconds to wait for the next byte.
    connecting : float
        Seconds to wait until a connection opens.
    """

    def __init__(self, timeout: float, connecting: float) -> None:
        self.timeout = timeout
        self.connecting = connecting
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._opened: tuple[httpx2.Client, Wire] | None = None

    def open(self) -> tuple[httpx2.Client, Wire]:
        """Return the client of the HTTP library, and the network backend that opens its connections."""
        with self._lock:
            if self._opened is None:
                from helio.sources.wire import Wire

                wire = Wire(_proxies())
                self._opened = (self._new(wire), wire)
                if self.ended.is_set():
                    wire.shut()
            return self._opened

    def _new(self, wire: Wire) -> httpx2.Client:
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx2

        client = httpx2.Client(
            timeout=httpx2.Timeout(self.timeout, connect=self.connecting, pool=None),
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"},
            verify=trusted_authorities(),
            # a server may send as many as it likes, and each would go back with each request
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=CONNECTIONS_PER_HOST),
        )
        for transport in (client._transport, *client._mounts.values()):
            if isinstance(transport, httpx2.HTTPTransport):
                # httpx2 offers no other way to it; `Http._response` notices if it was not taken
                transport._pool._network_backend = wire
        weakref.finalize(self, client.close)
        return client

    def cancel(self) -> None:
        """Close all connections and refuse to open new ones."""
        with self._lock:
            self.ended.set()
            if self._opened is not None:
                self._opened[1].shut()

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            if self._opened is not None:
                self._opened[0].close()
                self._opened = None


def retry_after(text: str, now: float) -> float | None:
    """Return for how many seconds a Retry-After header asks to wait; the header holds seconds or a date. Return None
    without this header.

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


def _problem_error(problem: Problem, url: str) -> Exception:
    """Return the error for a network problem; the error permits another attempt if an attempt may succeed."""
    kind = Refused if problem.is_lasting else ServerUnavailable
    error = kind(problem.message, advice=problem.advice, place=without_user(url))
    error.cause = problem.cause
    return error if problem.is_lasting else _MayPassError(error)


def _after(error: DataError, attempts: int, wait: float) -> DataError:
    if attempts > 1:
        error.message += f", after {attempts} attempts"
    if wait:
        error.message += f"; the server asks to wait {wait:.0f} s"
    return error


def _words(answer: OpenReply) -> str:
    """Return the server's own message, shortened to one line."""
    import httpx2

    content = bytearray()
    try:
        for part in answer.parts(_LONGEST_ERROR):
            content += part
    except (httpx2.HTTPError, BadBody, DataError):
        return ""  # a body that does not come, or not in bounds, does not change what the status means
    text = content.decode(errors="replace")
    try:
        text = _message_in(read_json(bytes(content), _LONGEST_ERROR, ""))
    except (ValueError, DataError):
        if "<" in text:
            text = ""  # a page for people
    text = one_line(text)
    return f": {text}" if text else ""


def _message_in(body: Any) -> str:
    """Return the message in a JSON reply: CDAWeb's ``Message`` or HAPI's status; empty if the reply has neither.

    >>> _message_in({"HAPI": "3.2", "status": {"code": 1501, "message": "upstream request error"}})
    'HAPI 1501 upstream request error'
    """
    message = body if isinstance(body, dict) else {}
    words = message.get("Message", "")
    status = message.get("status")
    if not words and isinstance(status, dict):
        words = ["HAPI", status.get("code", ""), status.get("message", "")]
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


def _refuse_redirect(address: httpx2.URL, target: httpx2.URL, site: Site, url: str) -> None:
    """Raise an error for a redirect to a host outside of the site, or from HTTPS to HTTP.

    Raises
    ------
    ForeignAddress
    """
    led_by = f"a redirect from {_host(url)}"
    if target.scheme not in PORTS or (address.scheme, target.scheme) == ("https", "http"):
        raise ForeignAddress(f"{led_by} leads from {address.scheme} to {target.scheme}", place=url)
    try:
        site.refuse_foreign(str(target), led_by)
    except HelioError as error:
        error.place = url
        raise


def _proxies() -> frozenset[Host]:
    """Return the hosts of the proxies that the environment variables name, as `httpx2` finds them."""
    from urllib.request import getproxies

    proxies = set()
    for address in getproxies().values():
        try:
            parts = urlsplit(address if "://" in address else f"http://{address}")
            port = parts.port or _PROXY_PORTS.get(parts.scheme)
        except ValueError:  # the client refuses it, and says so
            continue
        if parts.hostname and port:
            proxies.add((parts.hostname, port))
    return frozenset(proxies)


def _host(url: str) -> str:
    return host_of(url) or url
