"""Who may open the gallery: its owner's browser, and no web page or user beside."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from helio.errors import RequestError
from helio.flows.doors import LARGEST_BODY
from helio.flows.tickets import SECONDS, Tickets, make_ticket
from helio.settings import Settings
from helio.web import serve as serving
from helio.web.application import OPEN, Gallery
from helio.web.site import Site
from tests.flows.browser import CHROMIUM, chromium
from tests.waiting import LONG, wait_until
from tests.web.homes import NOW, add_run, settings_of, usual_home

SECRET = "s" * 43
PORT = 4180
HOST = f"127.0.0.1:{PORT}"
TIME = 1_700_000_000.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(usual_home(tmp_path_factory.mktemp("home")), now=lambda: NOW)


@pytest.fixture
def gallery(site: Site) -> Gallery:
    return Gallery(site, SECRET, PORT, clock=lambda: TIME)


class Reply:
    """What came back."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.status: int = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body: bytes = messages[1]["body"]


def ask(gallery: Gallery, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> Reply:
    """Send one request, with the usual host unless another is given."""
    named = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
    }  # fmt: skip
    asyncio.run(gallery(scope, receive, send))
    return Reply(sent)


def redeem(gallery: Gallery, ticket: Any, **headers: str) -> Reply:
    usual = {"content_type": "application/json", "origin": f"http://{HOST}"}
    return ask(gallery, OPEN, "POST", json.dumps({"ticket": ticket}).encode(), **(usual | headers))


def word_of(gallery: Gallery) -> str:
    reply = redeem(gallery, make_ticket(SECRET, TIME))
    assert reply.status == 200
    path: str = json.loads(reply.body)["path"]
    return path


def test_a_ticket_opens_the_gallery(gallery: Gallery):
    path = word_of(gallery)
    for page in ("", "index.html", "ace-field/2024-05-10.html"):
        reply = ask(gallery, path + page)
        assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert reply.headers["cache-control"] == "no-cache"
    assert b"ACE field" in ask(gallery, path).body
    assert ask(gallery, path, "HEAD").body == b""


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/x/index.html", f"/{'w' * 43}/", "//", "/ü/", "/open/", "/%00"]
)
def test_without_the_word_no_page_is_shown(gallery: Gallery, path: str):
    word_of(gallery)
    reply = ask(gallery, path)
    assert reply.status == 403
    assert b"ACE field" not in reply.body
    assert b"helio gallery serve" in reply.body


def test_every_server_has_a_word_of_its_own(site: Site):
    words = {word_of(Gallery(site, SECRET, PORT, clock=lambda: TIME)) for _ in range(3)}
    assert len(words) == 3


def test_a_ticket_works_once(gallery: Gallery):
    ticket = make_ticket(SECRET, TIME)
    assert [redeem(gallery, ticket).status for _ in range(2)] == [200, 403]


@pytest.mark.parametrize(
    "ticket",
    [
        "",
        "a.b.c",
        "..",
        None,
        ["x"],
        make_ticket("t" * 43, TIME),
        make_ticket(SECRET, TIME - SECONDS - 1),
        make_ticket(SECRET, TIME + SECONDS),
        make_ticket(SECRET, TIME)[:-1],
        "9" + make_ticket(SECRET, TIME),
        "ü" + make_ticket(SECRET, TIME),
    ],
    ids=[
        "empty",
        "letters",
        "dots",
        "none",
        "list",
        "other secret",
        "old",
        "too new",
        "cut",
        "digit",
        "letter",
    ],
)
def test_wrong_and_old_tickets_are_refused(gallery: Gallery, ticket: Any):
    assert redeem(gallery, ticket).status == 403


def test_a_used_ticket_is_forgotten_when_it_no_longer_works():
    tickets = Tickets(SECRET)
    assert tickets.redeem(make_ticket(SECRET, TIME), TIME)
    later = TIME + 2 * SECONDS
    assert tickets.redeem(make_ticket(SECRET, later), later)
    assert len(tickets._used) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"origin": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"host": "evil.example"},
    ],
)
def test_another_web_page_cannot_use_a_ticket(gallery: Gallery, headers: dict[str, str]):
    ticket = make_ticket(SECRET, TIME)
    assert redeem(gallery, ticket, **headers).status == 403
    assert redeem(gallery, ticket).status == 200  # it is not used up


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"x": 1}', b"[" * 900, b"x" * (LARGEST_BODY + 1), b"\xff"]
)
def test_odd_bodies_are_refused(gallery: Gallery, body: bytes):
    headers = {"content_type": "application/json", "origin": f"http://{HOST}"}
    assert ask(gallery, OPEN, "POST", body, **headers).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{PORT}", ""]
)
def test_a_name_that_leads_to_this_machine_shows_nothing(gallery: Gallery, host: str):
    path = word_of(gallery)
    for address in (path, "/", OPEN):
        reply = ask(gallery, address, host=host)
        assert reply.status == 403
        assert b"ACE field" not in reply.body


@pytest.mark.parametrize("mode", ["cors", "no-cors"])
@pytest.mark.parametrize("source", ["cross-site", "same-site"])
def test_another_web_page_cannot_read_pages_or_pictures(gallery: Gallery, source: str, mode: str):
    reply = ask(gallery, word_of(gallery), sec_fetch_site=source, sec_fetch_mode=mode, sec_fetch_dest="image")
    assert reply.status == 403


def test_another_web_page_cannot_put_the_gallery_into_a_frame(gallery: Gallery):
    path = word_of(gallery)
    asked = ask(
        gallery, path, sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="iframe"
    )
    assert asked.status == 403
    reply = ask(gallery, path)
    assert reply.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]


def test_a_link_in_a_mail_opens_the_start_page(gallery: Gallery):
    reply = ask(
        gallery, OPEN, sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document"
    )
    assert reply.status == 200


def test_localhost_leads_to_the_start_page_and_repeats_no_word(gallery: Gallery):
    reply = ask(gallery, word_of(gallery), host=f"localhost:{PORT}")
    assert (reply.status, reply.headers["location"]) == (307, f"http://{HOST}{OPEN}")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "POST", "TRACE"])
def test_nothing_can_be_changed(gallery: Gallery, method: str):
    assert ask(gallery, word_of(gallery), method).status == 405


@pytest.mark.parametrize(
    "address",
    [
        "../x",
        "files/../../run.json",
        "files/..",
        "%2e%2e/x",
        "runs",
        "files/x.png",
        "ace-field/../../x",
        "\x00",
    ],
)
def test_paths_lead_nowhere_else(gallery: Gallery, address: str):
    assert ask(gallery, word_of(gallery) + address).status == 404


def test_every_answer_says_what_a_browser_may_do_with_it(gallery: Gallery, site: Site):
    path = word_of(gallery)
    for address in ("", *site.files_named, "nothing"):
        reply = ask(gallery, path + address)
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "connect-src" not in policy
        if address.endswith(".csv"):
            assert reply.headers["content-disposition"].startswith("attachment")


def test_only_interactive_figures_may_run_scripts_of_their_own(gallery: Gallery, site: Site):
    path = word_of(gallery)
    for address in (*site.pages, *site.files_named):
        policy = ask(gallery, path + address).headers["content-security-policy"]
        scripts = [part for part in policy.split("; ") if part.startswith("script-src")]
        inline = scripts == ["script-src 'self' 'unsafe-inline'"]
        assert inline == (address.startswith("files/") and address.endswith(".html")), address


def test_a_new_run_appears_without_a_restart(tmp_path: Path):
    add_run(tmp_path, "2024-05-10")
    gallery = Gallery(Site(settings_of(tmp_path), now=lambda: NOW), SECRET, PORT, clock=lambda: TIME)
    path = word_of(gallery)
    assert ask(gallery, path + "ace-field/2024-05-11.html").status == 404
    add_run(tmp_path, "2024-05-11")
    assert ask(gallery, path + "ace-field/2024-05-11.html").status == 200


def test_a_run_that_ends_changes_its_page(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", status="running")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert site.gallery.series[0].intervals[0].state == "running"
    header = tmp_path / "runs" / run_id / "run.json"
    header.write_text(header.read_text().replace('"running"', '"cancelled"'))
    site.follow()
    assert site.gallery.series[0].intervals[0].state == "cancelled"


def test_sockets_are_closed(gallery: Gallery):
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    asyncio.run(gallery({"type": "websocket", "path": "/", "headers": []}, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


# The server -------------------------------------------------------------------------------------------------


@contextmanager
def served(settings: Settings, **more: Any) -> Iterator[str]:
    """Serve a gallery in a thread, and yield the link that it prints."""
    links: list[str] = []
    stopped = threading.Event()
    thread = threading.Thread(
        target=serving.serve,
        args=(settings,),
        kwargs={
            "port": 0, "on_terminal": True, "stopped": stopped, "on_link": lambda link, own: links.append(link), **more,
        },
    )  # fmt: skip
    thread.start()
    try:
        wait_until(lambda: bool(links), "the link of the gallery")
        yield links[0]
    finally:
        stopped.set()
        thread.join(LONG)
        assert not thread.is_alive()


@pytest.mark.process
def test_the_server_listens_on_this_machine_only_and_keeps_its_secret(tmp_path: Path):
    settings = usual_home(tmp_path)
    with served(settings) as link:
        parts = urlsplit(link)
        assert parts.hostname == "127.0.0.1"
        secret = tmp_path / "gallery" / "secret"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert secret.read_text().strip() not in link
        assert parts.port is not None
        connection = HTTPConnection("127.0.0.1", parts.port, timeout=LONG)
        connection.request("GET", "/")
        reply = connection.getresponse()
        assert reply.status == 403
        assert reply.headers["server"] is None
        reply.read()
        connection.close()


@pytest.mark.process
def test_a_second_call_prints_a_link_of_the_first(tmp_path: Path):
    settings = usual_home(tmp_path)
    calls: list[tuple[str, bool]] = []
    with served(settings) as link:
        assert not serving.serve(
            settings, on_link=lambda link, own: calls.append((link, own)), on_terminal=True
        )
        [(second, is_own)] = calls
        assert not is_own
        assert urlsplit(second).port == urlsplit(link).port
        assert urlsplit(second).fragment != urlsplit(link).fragment


@pytest.mark.process
def test_a_link_in_a_log_holds_no_ticket(tmp_path: Path):
    with served(settings_of(tmp_path), on_terminal=False) as link:
        assert urlsplit(link).fragment == ""


def test_a_port_of_another_program_is_an_error(tmp_path: Path):
    with serving._listening(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RequestError, match="cannot use port") as caught:
            serving.serve(settings_of(tmp_path), port=port, on_link=lambda link, own: None)
    assert "--port" in caught.value.advice


@pytest.mark.process
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_the_command_ends_at_a_signal(tmp_path: Path, number: signal.Signals, code: int):
    usual_home(tmp_path / "home")
    environ = {**os.environ, "HELIO_HOME": str(tmp_path / "home")}
    with serving._listening(0) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "helio", "gallery", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"http://127.0.0.1:{port}/open\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=LONG)
    assert process.returncode == code
    assert "Traceback" not in errors


@pytest.mark.browser
@pytest.mark.process
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_link_opens_the_gallery_in_a_browser(tmp_path: Path):
    settings = usual_home(tmp_path / "home")
    with served(settings) as link, chromium(tmp_path / "profile") as browser:
        browser.call("Network.enable")
        root = link.partition("/open")[0]
        browser.open(link)
        browser.shows("ACE field")
        assert "#" not in browser.address
        home = browser.address
        assert browser.evaluate("document.images.length") == 1
        browser.open(home + "swpc-now/2024-05-10.html")
        wait_until(lambda: browser.evaluate("frames.length") == 1, "the frame")
        drawn = "Boolean(frames[0].document.querySelector('#figure .main-svg'))"
        wait_until(lambda: browser.evaluate(drawn), "the interactive figure in its frame")
        browser.open(home + "ace-field/2024-05-10.html")
        browser.shows("How to cite")
        whole = "Promise.all([...document.images].map(i => i.decode())).then(() => document.images.length)"
        assert browser.evaluate(whole) == 1
        assert browser.reports == []
        assert [
            url for _, url in browser.requests if not url.startswith((root, "data:", "about:", "blob:"))
        ] == []
        browser.open(link)
        browser.shows("This link has been used")
