"""Explanations of failed requests: each cause has a message for the user and advice on what to do."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from helio.errors import RequestError
from helio.settings import CertificateSetting, certificate_setting

if TYPE_CHECKING:
    import httpx2

E = TypeVar("E", bound=BaseException)
Cause = Literal[
    "no network",
    "unknown name",
    "no name server",
    "no route",
    "IPv6 only",
    "refused",
    "forbidden",
    "reset",
    "closed",
    "timeout",
    "not HTTP",
    "not TLS",
    "TLS",
    "proxy login",
    "proxy refuses",
    "untrusted certificate",
    "other host's certificate",
    "expired certificate",
    "clock",
    "login page",
    "maintenance",
    "web page",
    "too many requests",
]
LOOKUP: frozenset[str] = frozenset({"no network", "unknown name", "no name server"})
"""Causes that mean that this machine has no network, if they occur for every host."""

CLOCK_TOLERANCE = 300.0
"""Tolerated difference in seconds between this machine's clock and a server's clock."""
_LATER = "try again later; finished downloads are kept"
_LOOK_SECONDS = 5.0
"""Seconds for a second connection, made only to read a certificate that helio did not trust."""
_MOST_SAID = 100
_READ_OF_PAGE = 20_000
"""Number of characters at the start of a web page in which helio searches for words that tell the kind of page."""
_MAINTENANCE = re.compile(r"mainten|temporarily unavailable|be back|scheduled outage|down for", re.IGNORECASE)
_LOGIN = re.compile(
    r"type=[\"']?password|log[ -]?in\b|sign[ -]?in\b|captive|hotspot|accept the terms", re.IGNORECASE
)
_PROXY_SETTINGS = "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETDOWN)
_SELF_SIGNED, _NOT_YET_VALID, _EXPIRED, _OTHER_HOST, _OTHER_ADDRESS = 18, 9, 10, 62, 64
"""Results of OpenSSL's verification, from its x509_vfy.h."""


@dataclass(frozen=True)
class Problem:
    """A problem between this machine and a server: its cause, message and advice."""

    cause: Cause
    message: str
    advice: str
    is_lasting: bool = False
    """Whether another attempt would fail for the same reason."""


class Route:
    """Events of one request on its path to the server, including any proxy; used as a trace function of `httpx2`.

    Parameters
    ----------
    also : callable, optional
        Called with each event as well.
    """

    def __init__(self, also: Callable[[str, Mapping[str, Any]], None] = lambda event, info: None) -> None:
        self._also = also
        self._connected_to = ("", 0)
        self.has_tunnel = False
        """Whether a proxy has opened a tunnel to the server."""
        self.certificate: bytes = b""
        """Latest certificate that the server sent, in DER format."""

    def __call__(self, event: str, info: Mapping[str, Any]) -> None:
        """Record an event that `httpx2` reports."""
        if event.endswith("connect_tcp.started"):
            self._connected_to, self.has_tunnel = (str(info["host"]), int(info["port"])), False
        elif event == "proxy.start_tls.started":
            self.has_tunnel = True
        elif event.endswith("start_tls.complete"):
            tls = info["return_value"].get_extra_info("ssl_object")
            self.certificate = (tls and tls.getpeercert(True)) or b""
        self._also(event, info)

    def proxy(self, url: str) -> str:
        """Return the proxy between this machine and the server as ``host:port``; empty without a proxy.

        The result depends on the last connection and not on the environment variables, because NO_PROXY may exclude a
        host from the proxy.
        """
        host, port = self._connected_to
        return f"{host}:{port}" if host and (host, port) != _address(url) else ""


@dataclass(frozen=True)
class Certificate:
    """The contents of a server's certificate, whether helio trusts the certificate or not."""

    names: tuple[str, ...]
    """Hosts for which the certificate is valid."""
    issuer: str
    """Name of the authority that signed the certificate."""
    is_self_signed: bool
    start: datetime
    """Start of validity in UTC; `stop`, the end of validity, is also in UTC."""
    stop: datetime

    @classmethod
    def read(cls, der: bytes) -> Certificate:
        """Read a certificate from its bytes.

        Raises
        ------
        ValueError
            The certificate is damaged.
        """
        from cryptography import x509
        from cryptography.x509.oid import NameOID

        certificate = x509.load_der_x509_certificate(der)

        def text_of(name: x509.Name, *kinds: x509.ObjectIdentifier) -> list[str]:
            return [str(part.value) for kind in kinds for part in name.get_attributes_for_oid(kind)]

        try:
            extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            names = [str(name.value) for name in extension if isinstance(name, x509.DNSName | x509.IPAddress)]
        except x509.ExtensionNotFound:
            names = text_of(certificate.subject, NameOID.COMMON_NAME)
        signed_by = text_of(certificate.issuer, NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)
        return cls(
            tuple(name[:_MOST_SAID] for name in names),
            ", ".join(dict.fromkeys(signed_by))[:_MOST_SAID]
            or certificate.issuer.rfc4514_string()[:_MOST_SAID],
            certificate.issuer == certificate.subject,
            certificate.not_valid_before_utc.replace(tzinfo=None),
            certificate.not_valid_after_utc.replace(tzinfo=None),
        )


@dataclass(frozen=True)
class SecondLook:
    """Result of a second connection to a server, made without trusting the server's certificate."""

    certificate: Certificate | None = None
    ahead: float | None = None
    """Seconds by which this machine's clock is ahead of the server's clock; None if the server does not state its time.
    """
    trusted_without_settings: bool = field(default=False)
    """Whether this machine trusts the certificate when helio ignores the authorities named in the environment
    variables.
    """


def explain(error: httpx2.RequestError, now: float, *, seconds: float = 0.0, begun: bool = False) -> Problem:
    """Explain why a request failed without a reply.

    Parameters
    ----------
    error : httpx2.RequestError
        Error that the HTTP client raised.
    now : float
        Seconds since 1970 by this machine's clock.
    seconds : float
        Seconds that helio waited, if the wait was too long.
    begun : bool
        Whether a part of the reply was received.

    Notes
    -----
    If the certificate is not trusted, helio connects a second time to find out who signed it; helio sends no password
    for this.
    """
    import httpx2

    url = str(error.request.url)
    way = error.request.extensions.get("trace")
    proxy = way.proxy(url) if isinstance(way, Route) else ""
    host = host_of(url)
    at_proxy = bool(proxy) and not (isinstance(way, Route) and way.has_tunnel)
    who = f"the proxy {proxy}" if at_proxy else host
    if isinstance(error, httpx2.ProxyError):
        return _refused_by_proxy(str(error), who, host)
    distrust = _within(error, ssl.SSLCertVerificationError)
    if distrust is not None:
        return _certificate_problem(distrust, f"https://{proxy}" if at_proxy else url, who, now)
    failed = _within(error, OSError)
    if isinstance(failed, socket.gaierror):
        return _name_problem(failed, who, at_proxy)
    if isinstance(error, httpx2.TimeoutException):
        text = f"{who} did not answer within {seconds:g} s"
        if not isinstance(error, httpx2.ConnectTimeout):
            return Problem("timeout", text, _LATER)
        if _has_only_ipv6(proxy if at_proxy else host):
            return _ipv6_only(who)
        return Problem(
            "timeout",
            text,
            _else_proxy("the server may be down, or a firewall may block the connection", at_proxy),
        )
    if isinstance(error, httpx2.RemoteProtocolError):
        if "disconnected" in str(error) or "closed" in str(error):
            how = "before the end of its answer" if begun else "without an answer"
            return Problem("closed", f"{who} ended the connection {how}", _LATER)
        return Problem(
            "not HTTP", f"{who} sends an answer that is not HTTP", "check the address and its port"
        )
    if isinstance(failed, ssl.SSLError):
        return _tls_problem(failed, who, at_proxy)
    return _connection_problem(
        failed, str(error) or type(error).__name__, who, proxy if at_proxy else host, at_proxy
    )


def explain_connection(error: OSError, who: str) -> Problem:
    """Explain why another client than helio's own could not connect to a server; helio sends nothing for this.

    Parameters
    ----------
    who : str
        Name of the server in the message.
    """
    if isinstance(error, socket.gaierror):
        return _name_problem(error, who, at_proxy=False)
    if isinstance(error, ssl.SSLCertVerificationError):
        return Problem(
            "untrusted certificate",
            f"the certificate of {who} is not trusted: {error.verify_message}",
            _name_authority(SecondLook(), certificate_setting()),
            is_lasting=True,
        )
    if isinstance(error, ssl.SSLError):
        return _tls_problem(error, who, at_proxy=False)
    if isinstance(error, TimeoutError):
        return Problem("timeout", f"{who} did not answer in time", _LATER)
    if isinstance(error, ConnectionError) and error.errno is None:
        return Problem("closed", f"{who} ended the connection without an answer", _LATER)
    return _connection_problem(error, error.strerror or type(error).__name__, who, who, at_proxy=False)


def explain_status(
    status: int, headers: Mapping[str, str], url: str, way: Route | None = None
) -> Problem | None:
    """Explain an HTTP status that the network or maintenance causes; return None for any other status.

    Parameters
    ----------
    headers : mapping
        Headers of the reply, with names in lower case.
    """
    host, proxy = host_of(url), (way.proxy(url) if way else "")
    is_page = "html" in headers.get("content-type", "")
    if status == 407:
        return _refused_by_proxy("407", f"the proxy {proxy}".strip(), host)
    target = host_of(headers.get("location", ""))
    if status == 511 or (status in (301, 302, 303, 307, 308) and target and _elsewhere(target, host)):
        return _login_page(host, target if status != 511 else "")
    if proxy and way is not None and not way.has_tunnel and status in (502, 504):
        return Problem("proxy refuses", f"the proxy {proxy} cannot reach {host} ({status})", _LATER)
    if proxy and is_page and status == 403:
        return Problem(
            "proxy refuses",
            f"{host} or the proxy {proxy} refuses the request (403 with a web page)",
            f"ask the proxy's operators to allow {host}",
            is_lasting=True,
        )
    if status == 503 and is_page:
        return Problem(
            "maintenance",
            f"{host} is down, perhaps for maintenance (503 with a web page)",
            "try again in a few hours",
        )
    return None


def explain_page(page: str, url: str, answered: str) -> Problem:
    """Explain a web page that came with status 200 although data were requested.

    Parameters
    ----------
    page : str
        Text of the page.
    url, answered : str
        URL of the request, and URL from which the page came.
    """
    host, other = host_of(url), host_of(answered)
    page = page[:_READ_OF_PAGE]
    if _elsewhere(other, host):
        return _login_page(host, other)
    if _MAINTENANCE.search(page):
        return Problem(
            "maintenance",
            f"{host} answered with a web page (text/html) about maintenance instead of data",
            "try again in a few hours",
        )
    if _LOGIN.search(page):
        return _login_page(host, "")
    return Problem(
        "web page",
        f"{host} answered with a web page (text/html) instead of data",
        "open any web page in a browser; log in if the network asks you to, otherwise try again later",
    )


def clock_problem(ahead: float, host: str) -> Problem | None:
    """Describe a clock that differs too much from a server's clock; return None for a small difference.

    Parameters
    ----------
    ahead : float
        Seconds by which this machine's clock is ahead of the server's clock.
    """
    if abs(ahead) <= CLOCK_TOLERANCE:
        return None
    direction = "ahead of" if ahead > 0 else "behind"
    return Problem(
        "clock",
        f"the clock of this machine is {_in_words(abs(ahead))} {direction} the clock of {host}",
        "set the clock and its time zone (timedatectl set-ntp true), then try again",
        is_lasting=True,
    )


def ahead_of(date: str, now: float) -> float | None:
    """Return by how many seconds a clock is ahead of a ``Date`` header; None if the header holds no time.

    >>> ahead_of("Thu, 01 Jan 1970 00:01:00 GMT", now=90.0)
    30.0
    """
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def host_of(url: str) -> str:
    """Return host and port of a URL, as written there, without user and password.

    >>> host_of("http://me:secret@mirror.org:8080/hapi")
    'mirror.org:8080'
    """
    return url.split("/")[2].rpartition("@")[2] if url.count("/") >= 2 else ""


def without_user(url: str, *, query: bool = True) -> str:
    """Remove user and password from a URL; with ``query=False``, also remove the query.

    >>> without_user("https://me:secret@mirror.org/hapi?token=abc", query=False)
    'https://mirror.org/hapi'
    """
    url = re.sub(r"(?<=://)[^/?#\s]*@", "", url)
    return url if query else re.sub(r"[?#].*", "", url)


def trusted_authorities() -> ssl.SSLContext:
    """Check the network settings of the environment, and return the certificate authorities that helio trusts.

    The authorities come from the first of these variables that is set: ``SSL_CERT_FILE``, ``SSL_CERT_DIR``,
    ``REQUESTS_CA_BUNDLE``, ``CURL_CA_BUNDLE``; if none is set, from the system.

    Raises
    ------
    RequestError
        An environment variable names certificates or a proxy that helio cannot use; the message never contains a
        password.
    """
    _check_proxies()
    named = certificate_setting()
    try:
        if named is None:
            return _authorities("", False, 0)
        if named.is_folder:
            if not any(os.path.isdir(folder) for folder in named.path.split(os.pathsep)):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            return _authorities(named.path, True, 0)
        return _authorities(named.path, False, os.stat(named.path).st_mtime_ns)
    except OSError as error:
        where = f"{named.name} names {named.path}: " if named else ""
        reason = (
            "the file contains no certificate"
            if isinstance(error, ssl.SSLError)
            else error.strerror or str(error)
        )
        raise RequestError(
            f"the network settings in the environment cannot be used: {where}{reason}",
            advice=f"set {named.name if named else 'SSL_CERT_FILE'} to a file of certificates in PEM format",
        ) from error


@cache
def _authorities(path: str, is_folder: bool, changed: int) -> ssl.SSLContext:
    """Return the certificate authorities from a file or from folders, or those of the system if none is given; loading
    them takes long.
    """
    import httpx2

    del changed  # the file's time, so that a new file is read
    if not path:
        return httpx2.create_ssl_context(trust_env=False)
    return ssl.create_default_context(capath=path) if is_folder else ssl.create_default_context(cafile=path)


def has_route() -> bool:
    """Return whether this machine has a route to any other machine, without sending anything."""
    # addresses for documentation, RFC 5737 and RFC 3849: connecting a datagram socket only looks up the route
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
        except OSError:
            continue
        return True
    return False


def _check_proxies() -> None:
    import httpx2

    for scheme, address in getproxies().items():
        if scheme not in ("http", "https", "all") or not address:
            continue
        name = f"{scheme.upper()}_PROXY"
        refusal = f"the network settings in the environment cannot be used: {name} "
        try:
            # as httpx2 does with an address of no scheme
            proxy = httpx2.Proxy(address if "://" in address else f"http://{address}").url
        except (ValueError, httpx2.InvalidURL):  # its text may hold a part of the password
            raise RequestError(
                f"{refusal}is not the address of a proxy",
                advice=f"set {name}=http://HOST:PORT; in a password write %23 for #, %40 for @, %3A for :, %2F "
                "for /",
            ) from None
        if proxy.scheme.startswith("socks"):
            if find_spec("socksio") is None:
                raise RequestError(
                    f"{refusal}names a SOCKS proxy, which needs another package",
                    advice=f"set {name}=http://HOST:PORT if your institute has such a proxy, or install the "
                    "package: pip install socksio",
                )
        elif not proxy.host:
            raise RequestError(f"{refusal}names no host", advice=f"{name}=http://HOST:PORT")


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _elsewhere(other: str, host: str) -> bool:
    """Return whether a host belongs to another owner than the server: a server may redirect only within its own
    domain.
    """

    def domain(name: str) -> str:
        name = name.partition(":")[0].casefold()
        return name if re.fullmatch(r"[\d.]+", name) else ".".join(name.split(".")[-2:])

    return bool(other) and domain(other) != domain(host)


def _in_words(seconds: float) -> str:
    for unit, length in (("days", 86_400.0), ("hours", 3600.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 60:.0f} minutes"


def _within(error: BaseException | None, kind: type[E]) -> E | None:
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def _else_proxy(what: str, at_proxy: bool) -> str:
    if at_proxy:
        return f"correct {_PROXY_SETTINGS}, or add the hosts that need no proxy to NO_PROXY"
    return f"try again later, or set HTTPS_PROXY to your institute's proxy; {what}"


def _name_problem(error: socket.gaierror, who: str, at_proxy: bool) -> Problem:
    if not has_route():
        return _no_network(who)
    if error.errno == getattr(socket, "EAI_ADDRFAMILY", None):
        return _ipv6_only(who)
    if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)):
        return Problem(
            "unknown name",
            f"{who} cannot be reached: no address is known for this name",
            f"correct {_PROXY_SETTINGS}"
            if at_proxy
            else "check the spelling of the name, and the network connection",
        )
    return Problem(
        "no name server",
        f"{who} cannot be reached: no name server answers",
        "check the network, the VPN and the name servers of this machine",
    )


def _no_network(who: str) -> Problem:
    return Problem(
        "no network",
        f"{who} cannot be reached: this machine has no network connection",
        "connect this machine to a network, then try again",
    )


def _ipv6_only(who: str) -> Problem:
    return Problem(
        "IPv6 only",
        f"{who} cannot be reached: it has only IPv6 addresses, but this network does not support IPv6",
        "use a network with IPv6, or set HTTPS_PROXY to a proxy with IPv6",
    )


def _has_only_ipv6(host: str) -> bool:
    name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "0")
    try:
        addresses = socket.getaddrinfo(name.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return {family for family, *_ in addresses} == {socket.AF_INET6}


def _connection_problem(error: OSError | None, words: str, who: str, host: str, at_proxy: bool) -> Problem:
    number = error.errno if error is not None else None
    if number == errno.ECONNREFUSED:
        return Problem(
            "refused",
            f"{who} cannot be reached: it refuses the connection",
            "check that the server runs, and its address and port"
            if _is_loopback(host) and not at_proxy
            else _else_proxy("also check the address and its port", at_proxy),
        )
    if number in (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED):
        return Problem(
            "reset",
            f"the connection to {who} was reset by the server, or by a firewall in between",
            _else_proxy(
                "if the error stays, ask your network's administrators whether they block the connection",
                at_proxy,
            ),
        )
    if number in (errno.EACCES, errno.EPERM):
        return Problem(
            "forbidden",
            f"{who} cannot be reached: this machine forbids the connection",
            "allow the connection in this machine's firewall or sandbox",
            is_lasting=True,
        )
    if number in _NO_ROUTE:
        if not _is_loopback(host) and not has_route():
            return _no_network(who)
        if _has_only_ipv6(host):
            return _ipv6_only(who)
        return Problem(
            "no route",
            f"{who} cannot be reached: no network route leads to it",
            "check the network and the VPN, or set HTTPS_PROXY to a proxy",
        )
    return Problem("reset", f"{who} cannot be reached: {words}", _LATER)


def _is_loopback(host: str) -> bool:
    name = host.rpartition(":")[0] or host
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.casefold() == "localhost"


def _tls_problem(error: ssl.SSLError, who: str, at_proxy: bool) -> Problem:
    reason = (error.reason or "").upper()
    if isinstance(error, ssl.SSLEOFError) or "EOF" in reason:
        return Problem(
            "closed",
            f"the server, or a firewall in between, closed the connection to {who} before it was secure",
            _else_proxy(
                "if the error stays, ask your network's administrators whether they block the connection",
                at_proxy,
            ),
        )
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"):
        proxy = f"begin the proxy's address with http:// in {_PROXY_SETTINGS}"
        other = "check the address and its port, and whether your network requires a login"
        return Problem("not TLS", f"{who} does not use TLS", proxy if at_proxy else other, is_lasting=True)
    words = reason.replace("_", " ").lower() or "without a reason"
    return Problem(
        "TLS",
        f"{who} and this machine could not agree on a secure connection ({words})",
        "try again later; if the error stays, ask your network's administrators whether a firewall or "
        "proxy inspects secure connections",
        is_lasting=True,
    )


def _refused_by_proxy(reason: str, proxy: str, host: str) -> Problem:
    status = reason[:3]
    if status == "407":
        return Problem(
            "proxy login",
            f"{proxy} requires a user name and a password, or rejects the ones that are set (407)",
            f"write user name and password into {_PROXY_SETTINGS} as http://USER:PASSWORD@HOST:PORT, "
            "with %40 for @ and %23 for #",
            is_lasting=True,
        )
    if status.startswith("5"):
        return Problem(
            "proxy refuses", f"{proxy} cannot reach {host} ({reason.strip()[:_MOST_SAID]})", _LATER
        )
    return Problem(
        "proxy refuses",
        f"{proxy} refuses to connect to {host} ({reason.strip()[:_MOST_SAID]})",
        f"ask the proxy's operators to allow {host}",
        is_lasting=True,
    )


def _login_page(host: str, other: str) -> Problem:
    answer = (
        f"{other} answered instead of {host}"
        if other
        else f"{host} answered with a web page (text/html) that asks for a login"
    )
    return Problem(
        "login page",
        f"{answer}; your network probably requires a login",
        "open any web page in a browser, log in to the network, then try again",
    )


# Certificates


def look(url: str, now: float) -> SecondLook:
    """Connect to a server without trusting the server's certificate, only to read the certificate and the server's
    clock.
    """
    import httpx2

    # what comes is only described, never used as data
    blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    blind.check_hostname = False
    blind.verify_mode = ssl.CERT_NONE
    way = Route()
    date = _ask_root(url, blind, way)
    try:
        certificate = Certificate.read(way.certificate) if way.certificate else None
    except ValueError:
        certificate = None
    own = False
    if certificate_setting() is not None:
        try:
            own = (
                _ask_root(url, httpx2.create_ssl_context(trust_env=False), Route(), may_fail=False)
                is not None
            )
        except httpx2.HTTPError:
            own = False
    return SecondLook(certificate, ahead_of(date, now) if date else None, own)


def _ask_root(url: str, context: ssl.SSLContext, way: Route, *, may_fail: bool = True) -> str | None:
    """Return the ``Date`` header of a request for the host's root page: empty without this header, None without a
    reply.
    """
    import httpx2

    try:
        with (
            httpx2.Client(verify=context, timeout=_LOOK_SECONDS, follow_redirects=False) as client,
            client.stream("HEAD", f"https://{host_of(url)}/", extensions={"trace": way}) as response,
        ):
            return str(response.headers.get("date", ""))
    except httpx2.HTTPError:
        if not may_fail:
            raise
        return None


def _certificate_problem(error: ssl.SSLCertVerificationError, url: str, who: str, now: float) -> Problem:
    seen = look(url, now)
    certificate = seen.certificate
    # macOS has numbers of its own, below zero: the certificate itself says whether it is out of its time
    code = getattr(error, "verify_code", 0)
    today = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
    if code <= 0 and certificate is not None and not certificate.start <= today <= certificate.stop:
        code = _NOT_YET_VALID if today < certificate.start else _EXPIRED
    if code in (_NOT_YET_VALID, _EXPIRED):
        return _validity_problem(seen, code, who, now)
    if code in (_OTHER_HOST, _OTHER_ADDRESS):
        names = ", ".join(certificate.names[:3]) if certificate and certificate.names else "another host"
        return Problem(
            "other host's certificate",
            f"the certificate of {who} is for {names}{_by(certificate)}, so another server answers instead of {who}",
            "open any web page in a browser; log in if the network asks you to, otherwise ask your "
            "network's administrators",
            is_lasting=True,
        )
    if code == _SELF_SIGNED or (certificate is not None and certificate.is_self_signed):
        signed = "it is self-signed" + (f" ('{certificate.issuer}')" if certificate else "")
    elif certificate is not None:
        signed = f"it is signed by '{certificate.issuer}', which this machine does not trust"
    else:
        signed = getattr(error, "verify_message", "") or str(error)
    return Problem(
        "untrusted certificate",
        f"the certificate of {who} is not trusted: {signed}",
        _name_authority(seen, certificate_setting()),
        is_lasting=True,
    )


def _by(certificate: Certificate | None) -> str:
    return f", signed by '{certificate.issuer}'" if certificate else ""


def _name_authority(seen: SecondLook, named: CertificateSetting | None) -> str:
    if named is not None and seen.trusted_without_settings:
        return (
            f"unset {named.name}, or add the certificates of the public authorities to {named.path}, which does "
            "not contain them"
        )
    ask = (
        "if your institute's network inspects secure connections, ask its administrators for the "
        "certificate of its authority"
    )
    if named is None:
        return f"{ask} (PEM format) and set SSL_CERT_FILE to that file"
    return f"{ask} (PEM format) and add it to {named.path}, which is set by {named.name}"


def _validity_problem(seen: SecondLook, code: int, who: str, now: float) -> Problem:
    certificate = seen.certificate
    wrong = clock_problem(seen.ahead, who) if seen.ahead is not None else None
    if wrong is not None:
        consequence = "not valid yet" if code == _NOT_YET_VALID else "expired"
        return Problem(
            "clock",
            f"{wrong.message}, so its certificate seems to be {consequence}",
            wrong.advice,
            is_lasting=True,
        )
    today = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
    if certificate is not None and certificate.start <= today <= certificate.stop:
        return Problem(
            "expired certificate",
            f"a certificate in the chain of {who} has expired or is not valid yet{_by(certificate)}",
            "update this machine's certificates (package ca-certificates, or the file that "
            "SSL_CERT_FILE names)",
            is_lasting=True,
        )
    if certificate is None:
        text = f"the certificate of {who} has expired or is not valid yet"
    elif code == _EXPIRED:
        text = f"the certificate of {who} expired on {certificate.stop:%Y-%m-%d}{_by(certificate)}"
    else:
        text = f"the certificate of {who} is valid only from {certificate.start:%Y-%m-%d %H:%M} UTC{_by(certificate)}"
    return Problem(
        "expired certificate",
        f"{text}; the clock of this machine shows {today:%Y-%m-%d %H:%M} UTC",
        "set the clock if its time is wrong; otherwise report this to the server's operators and use "
        "another provider",
        is_lasting=True,
    )
