"""What stands between a user and a server is named, with what to do; over real HTTP and TLS on loopback."""

from __future__ import annotations

import errno
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from helio.errors import DataError, Refused, RequestError, ServerUnavailable
from helio.sources import connection
from helio.sources.connection import ahead_of, clock_problem, explain_page, without_user
from helio.sources.http import Hosts, Http
from helio.testing import Authority, FakeClock, Handler, ProxyStandIn, StandIn, secure

pytestmark = pytest.mark.process

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class Service(StandIn):
    """Answers with JSON, or as the path says."""

    page = b"<html><body>Welcome</body></html>"
    location = ""


class _Handler(Handler):
    def route(self) -> None:
        if "redirect" in self.path:
            self.answer(302, b"", "text/html", {"Location": self.standin.location})
        elif "page" in self.path:
            self.answer(200, self.standin.page, "text/html")
        elif "down" in self.path:
            self.answer(503, self.standin.page, "text/html")
        elif "login" in self.path:
            self.answer(511, self.standin.page, "text/html")
        else:
            self.answer(200, {"right": True})


Service.handler = _Handler


@pytest.fixture(autouse=True)
def no_named_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*CERTIFICATES, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as standin:
        yield standin


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def ask() -> Callable[..., object]:
    """Ask a URL once, with a client of its own."""

    def get(url: str, clock: FakeClock | None = None, timeout: float = 10.0) -> object:
        with closing(Http(attempts=1, timeout=timeout, clock=clock or FakeClock(), hosts=Hosts())) as http:
            return http.get_json(url)[1]

    return get


def failure(ask: Callable[..., object], url: str, **options: object) -> DataError:
    with pytest.raises(DataError) as caught:
        ask(url, **options)
    assert caught.value.advice
    return caught.value


# ---- certificates


@pytest.mark.parametrize("name", [*CERTIFICATES])
def test_an_authority_that_is_named_is_trusted(service, authority, ask, monkeypatch, tmp_path, name):
    url = secure(service, authority.context())
    found = failure(ask, url)
    assert (type(found), found.cause) == (Refused, "untrusted certificate")
    assert "signed by 'Institute Root CA'" in found.message
    assert "set SSL_CERT_FILE to that file" in found.advice
    if name == "SSL_CERT_DIR":
        (tmp_path / "authorities").mkdir()
        hashed = subject_hash(authority.file)
        (tmp_path / "authorities" / f"{hashed}.0").write_bytes(authority.file.read_bytes())
        monkeypatch.setenv(name, str(tmp_path / "authorities"))
    else:
        monkeypatch.setenv(name, str(authority.file))
    assert ask(url) == {"right": True}


def subject_hash(file: Path) -> str:
    command = ["openssl", "x509", "-subject_hash", "-noout", "-in", str(file)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_another_authority_in_the_file_that_is_named(service, authority, ask, monkeypatch, tmp_path):
    url = secure(service, authority.context())
    other = Authority(tmp_path, "Other CA")
    monkeypatch.setenv("SSL_CERT_FILE", str(other.file))
    found = failure(ask, url)
    assert f"add it to {other.file}, which is set by SSL_CERT_FILE" in found.advice


def test_a_certificate_signed_by_itself(service, authority, ask):
    found = failure(ask, secure(service, authority.context(self_signed=True)))
    assert found.cause == "untrusted certificate"
    assert "it is self-signed" in found.message


def test_a_certificate_for_another_host(service, authority, ask, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    found = failure(ask, secure(service, authority.context("login.hotel.example")))
    assert (type(found), found.cause) == (Refused, "other host's certificate")
    assert "is for login.hotel.example, signed by 'Institute Root CA'" in found.message


@pytest.mark.parametrize(
    ("start", "stop", "words"),
    [
        (timedelta(days=-9), timedelta(days=-2), "expired on"),
        (timedelta(days=2), timedelta(days=9), "valid only from"),
    ],
)
def test_a_certificate_out_of_its_time_where_the_clock_is_right(
    service, authority, ask, monkeypatch, start, stop, words
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    found = failure(ask, secure(service, authority.context(start=start, stop=stop)))
    assert (type(found), found.cause) == (Refused, "expired certificate")
    assert words in found.message


@pytest.mark.parametrize("days", [-400, 400])
def test_a_certificate_out_of_its_time_where_the_clock_is_wrong(service, authority, ask, monkeypatch, days):
    # OpenSSL reads the real clock, by which the certificate is out of its time; the server's differs from the fake one
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    span = (timedelta(days=2), timedelta(days=9)) if days < 0 else (timedelta(days=-9), timedelta(days=-2))
    url = secure(service, authority.context(start=span[0], stop=span[1]))
    clock = FakeClock()
    clock.ahead = days * 86_400.0
    found = failure(ask, url, clock=clock)
    assert (type(found), found.cause) == (Refused, "clock")
    assert (
        f"the clock of this machine is 400 days {'ahead of' if days > 0 else 'behind'} the clock of"
        in found.message
    )
    assert "set the clock" in found.advice


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_file_of_authorities_that_cannot_be_read(ask, monkeypatch, name):
    monkeypatch.setenv(name, "/nowhere/ca.pem")
    with pytest.raises(RequestError, match=f"{name} names /nowhere/ca.pem: No such file"):
        ask("https://127.0.0.1:1/")


def test_a_file_without_any_certificate(ask, monkeypatch, tmp_path):
    (tmp_path / "empty.pem").write_text("nothing")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "empty.pem"))
    with pytest.raises(RequestError, match="the file contains no certificate"):
        ask("https://127.0.0.1:1/")


def test_a_server_without_tls(service, ask):
    found = failure(ask, service.url.replace("http://", "https://"))
    assert (type(found), found.cause) == (Refused, "not TLS")


# ---- proxies


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("written", ["http://{}", "{}"])
def test_a_proxy_is_used_for_both_schemes(service, authority, ask, monkeypatch, scheme, written):
    url = secure(service, authority.context()) if scheme == "https" else service.url
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with ProxyStandIn() as proxy:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", written.format(proxy.address))
        assert ask(f"{url}/x") == {"right": True}
        wanted = f"CONNECT {url[8:]}" if scheme == "https" else f"GET {url}/x"
        assert proxy.asked == [wanted]


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_a_host_is_spared_the_proxy(service, ask, monkeypatch, name):
    with ProxyStandIn(status=403) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
        monkeypatch.setenv(name, "example.org,127.0.0.1")
        assert ask(service.url) == {"right": True}
        assert proxy.asked == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_a_password(service, authority, ask, monkeypatch, scheme):
    url = secure(service, authority.context()) if scheme == "https" else service.url
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with ProxyStandIn(login="me:s3cr#t-word") as proxy:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://me:wrong-word@{proxy.address}")
        found = failure(ask, url)
        assert (type(found), found.cause) == (Refused, "proxy login")
        assert f"the proxy {proxy.address} requires a user name and a password" in found.message
        assert "wrong-word" not in str(found)
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://me:s3cr%23t-word@{proxy.address}")
        assert ask(url) == {"right": True}


@pytest.mark.parametrize(
    ("status", "kind"), [(403, Refused), (502, ServerUnavailable), (504, ServerUnavailable)]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses(service, ask, monkeypatch, status, kind, scheme):
    with ProxyStandIn(status=status) as proxy:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://{proxy.address}")
        found = failure(ask, service.url.replace("http:", f"{scheme}:"))
        assert (type(found), found.cause) == (kind, "proxy refuses")
        assert f"the proxy {proxy.address}" in found.message


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_not_there(service, ask, monkeypatch, scheme):
    monkeypatch.setenv(f"{scheme.upper()}_PROXY", "http://me:secret-word@127.0.0.1:1")
    found = failure(ask, service.url.replace("http:", f"{scheme}:"))
    assert found.cause == "refused"
    assert found.message.startswith("the proxy 127.0.0.1:1 cannot be reached")
    assert "correct HTTPS_PROXY" in found.advice
    assert "secret-word" not in str(found)


def test_a_proxy_whose_address_begins_with_the_wrong_scheme(service, ask, monkeypatch):
    with ProxyStandIn() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"https://{proxy.address}")
        found = failure(ask, service.url.replace("http:", "https:"))
    assert found.cause == "not TLS"
    assert f"the proxy {proxy.address} does not use TLS" in found.message
    assert "with http://" in found.advice


def test_a_proxy_that_opens_secure_connections(service, authority, ask, monkeypatch, tmp_path):
    public = Authority(tmp_path, "Public CA")
    monkeypatch.setenv("SSL_CERT_FILE", str(public.file))
    url = secure(service, public.context())
    assert ask(url) == {"right": True}
    with ProxyStandIn(opens=authority.context()) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.address}")
        found = failure(ask, url)
        assert found.cause == "untrusted certificate"
        assert (
            f"the certificate of {url[8:]} is not trusted: it is signed by 'Institute Root CA'"
            in found.message
        )
        both = tmp_path / "both.pem"
        both.write_bytes(public.file.read_bytes() + authority.file.read_bytes())
        monkeypatch.setenv("SSL_CERT_FILE", str(both))
        assert ask(url) == {"right": True}


@pytest.mark.parametrize(
    "address",
    [
        "gopher://me:secret-word@proxy",
        "http://me:secret#word@proxy:1",
        "socks5://me:secret-word@proxy:1",
        "http://",
    ],
)
def test_an_address_that_is_no_proxys_is_refused_without_its_password(ask, monkeypatch, address):
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(RequestError, match="HTTPS_PROXY") as caught:
        ask("https://127.0.0.1:1/")
    assert "secret" not in str(caught.value)


# ---- names, routes and firewalls


def raising(error: OSError) -> Callable[..., object]:
    def fail(*arguments: object, **options: object) -> object:
        raise error

    return fail


@pytest.mark.parametrize(
    ("number", "has_route", "cause"),
    [
        (socket.EAI_NONAME, True, "unknown name"),
        (socket.EAI_AGAIN, True, "no name server"),
        (socket.EAI_FAIL, True, "no name server"),
        (socket.EAI_NONAME, False, "no network"),
        (socket.EAI_AGAIN, False, "no network"),
    ],
)
def test_a_name_that_cannot_be_looked_up(ask, monkeypatch, number, has_route, cause):
    monkeypatch.setattr(socket, "getaddrinfo", raising(socket.gaierror(number, "words of the system")))
    monkeypatch.setattr(connection, "has_route", lambda: has_route)
    found = failure(ask, "https://archive.example/")
    assert (type(found), found.cause) == (ServerUnavailable, cause)
    assert "archive.example cannot be reached" in found.message
    assert "words of the system" not in found.message


@pytest.mark.parametrize(
    ("number", "family", "has_route", "cause"),
    [
        (errno.ENETUNREACH, socket.AF_INET, True, "no route"),
        (errno.EHOSTUNREACH, socket.AF_INET, True, "no route"),
        (errno.ENETUNREACH, socket.AF_INET, False, "no network"),
        (errno.ENETUNREACH, socket.AF_INET6, True, "IPv6 only"),
        (errno.EADDRNOTAVAIL, socket.AF_INET6, True, "IPv6 only"),
        (errno.EACCES, socket.AF_INET, True, "forbidden"),
        (errno.ECONNRESET, socket.AF_INET, True, "reset"),
    ],
)
def test_a_connection_that_does_not_come_about(ask, monkeypatch, number, family, has_route, cause):
    place = ("2001:db8::5", 443, 0, 0) if family == socket.AF_INET6 else ("192.0.2.5", 443)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(family, socket.SOCK_STREAM, 6, "", place)])
    monkeypatch.setattr(socket, "create_connection", raising(OSError(number, "words of the system")))
    monkeypatch.setattr(connection, "has_route", lambda: has_route)
    found = failure(ask, "https://archive.example/")
    assert found.cause == cause
    assert "archive.example" in found.message


def test_a_name_that_none_can_be(ask):
    with pytest.raises(Refused, match="its host name is not valid"):
        ask(f"http://{'a' * 70}.org/")


def test_a_firewall_that_ends_connections_before_they_are_secure(ask):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def close() -> None:
            taken, _ = server.accept()
            taken.recv(10)
            taken.close()

        thread = threading.Thread(target=close)
        thread.start()
        found = failure(ask, f"https://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
    assert found.cause in ("closed", "reset")
    assert "firewall" in found.message


def test_a_port_of_another_protocol(ask):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            taken, _ = server.accept()
            with taken:
                taken.sendall(b"220 mail.example ESMTP\r\n\r\n")
                taken.recv(1000)

        thread = threading.Thread(target=greet)
        thread.start()
        found = failure(ask, f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
    assert found.cause == "not HTTP"


@pytest.mark.parametrize(
    ("fault", "cause"), [("timeout", "timeout"), ("reset", "reset"), ("closed", "closed")]
)
def test_a_server_that_goes_away(service, ask, fault, cause):
    service.fail("", fault)
    assert failure(ask, service.url, timeout=0.4 if fault == "timeout" else 10.0).cause == cause


def test_too_many_requests(service, ask):
    service.fail("", ("429", 3600))
    found = failure(ask, service.url)
    assert found.cause == "too many requests"


# ---- web pages


@pytest.mark.parametrize(
    ("page", "cause"),
    [
        (b"<html><form><input type='password'></form></html>", "login page"),
        (b"<!DOCTYPE html><title>Down for maintenance</title>", "maintenance"),
        (b"<html>Welcome</html>", "web page"),
    ],
)
def test_a_web_page_in_place_of_data(service, ask, page, cause):
    service.page = page
    found = failure(ask, f"{service.url}/page")
    assert (type(found), found.cause) == (ServerUnavailable, cause)


def test_a_network_that_sends_to_its_login_page(service, ask):
    service.location = service.url.replace("127.0.0.1", "localhost") + "/page"
    found = failure(ask, f"{service.url}/redirect")
    assert found.cause == "login page"
    assert "localhost" in found.message
    assert "log in to the network" in found.advice


@pytest.mark.parametrize(("path", "cause"), [("login", "login page"), ("down", "maintenance")])
def test_a_status_that_comes_with_a_web_page(service, ask, path, cause):
    assert failure(ask, f"{service.url}/{path}").cause == cause


def test_another_host_of_the_same_domain_is_no_login_page():
    assert explain_page("", "https://a.nasa.gov/x", "https://b.nasa.gov/y").cause == "web page"
    assert explain_page("", "https://a.nasa.gov/x", "https://login.hotel.example/").cause == "login page"


# ---- clock and addresses


def test_a_clock_may_differ_by_some_minutes():
    assert clock_problem(299.0, "host") is None
    found = clock_problem(-7200.0, "host")
    assert found is not None
    assert "2 hours behind" in found.message
    assert ahead_of("nonsense", 0.0) is None


def test_an_address_is_shown_without_its_password():
    assert without_user("http://me:pass@word@host:1/a?b=c") == "http://host:1/a?b=c"
    assert connection.host_of("http://me:secret@host:1/a") == "host:1"


def test_the_machines_own_authorities_are_used_where_none_is_named():
    assert isinstance(connection.trusted_authorities(), ssl.SSLContext)
