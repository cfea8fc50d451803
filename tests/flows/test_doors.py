"""Who may use helio's own server: its owner's programs and browser, and no web page or user beside."""

from __future__ import annotations

import base64
import http.client
import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from helio.flows.secret import find_secret, make_secret
from helio.flows.server import FIRST_PORT, Server, ephemeral_server, server_environment
from helio.flows.tickets import SECONDS, make_ticket
from tests.flows.browser import CHROMIUM, Browser, chromium
from tests.flows.conftest import ENVIRON
from tests.rows import in_one_test
from tests.waiting import LONG

pytestmark = pytest.mark.server

SOCKETS = (
    "/api/events/in",
    "/api/events/out",
    "/api/logs/out",
    "/api/task_runs/subscriptions/scheduled",
    "/api/work_pools/any/workers/connect",
)


@pytest.fixture(scope="module")
def server(server: Server) -> Server:
    """A server with a run."""
    add_run(server, "run-of-the-owner")
    return server


class Reply:
    """What came back."""

    def __init__(self, reply: http.client.HTTPResponse) -> None:
        self.status = reply.status
        self.headers = reply.headers
        self.body = reply.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def port_of(server: Server) -> int:
    port = urlsplit(server.url).port
    assert port is not None
    return port


def send(
    server: Server, method: str, path: str, body: Any = None, *, owner: bool = False, **more: str
) -> Reply:
    """One request with exactly these headers; an underscore stands for a dash in their names."""
    headers = {"Host": f"127.0.0.1:{port_of(server)}"}
    content = None if body is None else json.dumps(body).encode()
    if content is not None:
        headers["Content-Length"] = str(len(content))
    if owner:
        headers |= server._authorization()
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=LONG)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(content)
        return Reply(connection.getresponse())
    finally:
        connection.close()


def add_run(server: Server, name: str) -> None:
    flow = server.request("/flows/", {"name": "doors"})
    run = server.request("/flow_runs/", {"flow_id": flow["id"], "name": name, "state": {"type": "RUNNING"}})
    server.request(f"/flow_runs/{run['id']}/set_state", {"state": {"type": "COMPLETED"}})


def count_runs(server: Server) -> int:
    return int(server.request("/flow_runs/count", {}))


# The API ------------------------------------------------------------------------------------------------------

WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/flow_runs/bulk_delete", {"flow_runs": {}}),
    ("/api/flows/", {"name": "by-a-stranger"}),
    ("/api/artifacts/", {"key": "by-a-stranger", "data": "x"}),
)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "body"), WRITES)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content_Type": "application/json"},
        {"Content_Type": "text/plain", "Origin": "http://127.0.0.1:9"},
        {"Origin": "https://example.org"},
        {"Authorization": "Basic"},
        {"Authorization": "Basic " + base64.b64encode(b"guess").decode()},
        {"Authorization": "Basic \u00ff"},
        {"Authorization": "Bearer guess"},
    ],
    ids=str,
)
def test_nobody_writes_without_the_secret(
    server: Server, path: str, body: Any, headers: Mapping[str, Any]
) -> None:
    before = count_runs(server), server.request("/flows/count", {}), server.request("/artifacts/count", {})
    assert send(server, "POST", path, body, **headers).status in (401, 403)
    after = count_runs(server), server.request("/flows/count", {}), server.request("/artifacts/count", {})
    assert after == before


@in_one_test(
    "path",
    ["/api/flow_runs/count", "/api/admin/version", "/api/admin/settings", "/api/health/../admin/version"],
)
@in_one_test("method", ["GET", "POST", "HEAD", "DELETE"])
def test_nobody_reads_without_the_secret(server: Server, method: str, path: str) -> None:
    assert send(server, method, path).status in (401, 403, 404)


FOREIGN_ORIGINS = (
    "https://example.org",
    "http://127.0.0.1:9",
    "http://localhost:9",
    "http://127.0.0.1",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}.example.org",
    "http://localhost:{port}",
    "http://[::1]:{port}",
    "null",
    "file://",
)


@in_one_test("origin", FOREIGN_ORIGINS)
@in_one_test(
    ("method", "path"),
    [
        ("POST", "/api/flow_runs/bulk_delete"),
        ("OPTIONS", "/api/flow_runs/bulk_delete"),
        ("GET", "/api/health"),
        ("GET", "/"),
        ("GET", "/ui-settings"),
        ("POST", "/helio/open"),
        ("GET", "/api/helio/proof"),
    ],
)
def test_a_page_of_another_origin_is_refused_even_with_the_secret(
    server: Server, method: str, path: str, origin: str
) -> None:
    origin = origin.format(port=port_of(server))
    reply = send(server, method, path, {} if method == "POST" else None, owner=True, Origin=origin)
    assert reply.status == 403
    assert reply.headers["access-control-allow-origin"] is None


@in_one_test(
    "host",
    [
        "example.org",
        "example.org:{port}",
        "127.0.0.1",
        "127.0.0.1:9",
        "127.0.0.1:{port}.example.org",
        "127.0.0.1.example.org:{port}",
        "localhost.example.org:{port}",
        "0.0.0.0:{port}",
        "[::1]:{port}",
        "user@127.0.0.1:{port}",
        "",
    ],
)
@in_one_test("path", ["/api/admin/version", "/api/health", "/", "/helio/open"])
def test_a_foreign_host_is_refused_even_with_the_secret(server: Server, path: str, host: str) -> None:
    reply = send(server, "GET", path, owner=True, Host=host.format(port=port_of(server)))
    assert reply.status in (400, 403)


def test_two_hosts_are_refused(server: Server) -> None:
    own = f"127.0.0.1:{port_of(server)}"
    assert send(server, "GET", "/api/health", owner=True, Host=own, host="example.org").status in (400, 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_foreign_page_embeds_nothing(server: Server, site: str) -> None:
    """A page on another port of this machine counts as the same site."""
    for path in ("/api/health", "/api/admin/version", "/ui-settings", "/", "/helio/open.js"):
        said: dict[str, Any]
        for mode, kind in (("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe")):
            said = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": mode, "Sec_Fetch_Dest": kind}
            assert send(server, "GET", path, owner=True, **said).status == 403, (path, kind)
    followed: dict[str, Any] = {
        "Sec_Fetch_Site": site,
        "Sec_Fetch_Mode": "navigate",
        "Sec_Fetch_Dest": "document",
    }
    assert send(server, "GET", "/helio/open", **followed).status == 200
    assert send(server, "POST", "/helio/open", {}, **followed).status == 403
    assert send(server, "GET", "/api/admin/version", owner=True, **followed).status == 403


def test_the_owner_is_answered(server: Server) -> None:
    own = f"127.0.0.1:{port_of(server)}"
    page: dict[str, Any] = {"Origin": f"http://{own}", "Sec_Fetch_Site": "same-origin"}
    for headers in ({}, page):
        assert send(server, "GET", "/api/admin/version", owner=True, **headers).status == 200
    local = f"localhost:{port_of(server)}"
    assert send(server, "GET", "/api/admin/version", owner=True, Host=local).status == 200
    assert send(server, "POST", "/api/flow_runs/count", {}, owner=True).json == count_runs(server)


@pytest.mark.parametrize("path", ["/", "/runs?tab=task", "/helio/open", "/a%0d%0ab"])
def test_pages_under_the_name_localhost_lead_to_the_address(server: Server, path: str) -> None:
    reply = send(server, "GET", path, Host=f"localhost:{port_of(server)}")
    assert (reply.status, reply.headers["location"]) == (
        307,
        f"{server.ui_url}{path.replace('%0d%0a', '%0D%0A')}",
    )


# Websockets ---------------------------------------------------------------------------------------------------


@in_one_test("path", SOCKETS)
@in_one_test("origin", ["https://example.org", "http://127.0.0.1:9", "null"])
def test_a_websocket_of_another_origin_is_refused(server: Server, path: str, origin: str) -> None:
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(
            f"ws://127.0.0.1:{port_of(server)}{path}",
            origin=Origin(origin),
            subprotocols=[Subprotocol("prefect")],
            additional_headers=server._authorization(),
            proxy=None,
        ),
    ):
        pass


@in_one_test("path", SOCKETS)
@in_one_test(
    "first",
    [
        {"type": "auth", "token": "guess"},
        {"type": "auth", "token": None},
        {"type": "auth"},
        {"event": "x"},
    ],
)
def test_a_websocket_needs_the_secret(server: Server, path: str, first: dict[str, Any]) -> None:
    address = f"ws://127.0.0.1:{port_of(server)}{path}"
    for subprotocols in ([Subprotocol("prefect")], None):  # older clients name none, and send no secret
        with pytest.raises((ConnectionClosed, InvalidStatus)):
            _first_answer(address, subprotocols, first)


def _first_answer(address: str, subprotocols: list[Subprotocol] | None, first: dict[str, Any]) -> None:
    with connect(address, subprotocols=subprotocols, proxy=None) as socket:
        socket.send(json.dumps(first))
        socket.recv(timeout=LONG)


# The start page -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/helio/open", "/helio/open.js", "/", "/runs", "/api/health"])
def test_every_page_forbids_frames_and_foreign_sources(server: Server, path: str) -> None:
    headers = send(server, "GET", path).headers
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["object-src"] == "'none'"
    assert policy["default-src"] == "'self'"
    own = {"'self'", "'none'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"}
    for sources in policy.values():
        assert set(sources.split()) <= own | {f"ws://127.0.0.1:{port_of(server)}"}
    assert "'unsafe-inline'" not in policy["script-src"]
    assert headers.get_all("x-frame-options") == ["DENY"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_the_start_page_is_not_kept_and_holds_no_secret(server: Server, home: Path) -> None:
    secret = find_secret(home / "prefect")
    assert secret
    for path in ("/helio/open", "/helio/open.js", "/api/helio/proof?x", "/", "/ui-settings"):
        reply = send(server, "GET", path)
        assert reply.status == 200
        assert secret.encode() not in reply.body
        if "helio" in path:
            assert reply.headers["cache-control"] == "no-store"


def exchange(server: Server, ticket: str, **changes: str) -> Reply:
    headers: dict[str, Any] = {"Origin": server.ui_url, "Content_Type": "application/json", **changes}
    return send(server, "POST", "/helio/open", {"ticket": ticket}, **headers)


def new_ticket(server: Server) -> str:
    link = server.with_ticket(server.link("/runs"))
    return parse_qs(urlsplit(link).fragment)["ticket"][0]


def test_a_ticket_gives_the_secret_once(server: Server, home: Path) -> None:
    ticket = new_ticket(server)
    secret = find_secret(home / "prefect")
    assert ticket not in secret
    for changes in ({"Content_Type": "text/plain"}, {"Content_Type": ""}, {"Origin": ""}):
        assert exchange(server, ticket, **changes).status == 403
    assert exchange(server, new_ticket(server)).json == {"secret": secret}
    assert exchange(server, "guess").status == exchange(server, "").status == 403


def test_a_used_ticket_is_worth_nothing(server: Server) -> None:
    ticket = new_ticket(server)
    assert exchange(server, ticket).status == 200
    assert exchange(server, ticket).status == 403


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"ticket": 1}', b"[" * 900, b" " * 100_000, b"\xff"])
def test_a_wrong_exchange_is_refused(server: Server, body: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=LONG)
    headers = {"Origin": server.ui_url, "Content-Type": "application/json"}
    connection.request("POST", "/helio/open", body, headers)
    assert connection.getresponse().status == 403
    connection.close()


def test_a_ticket_of_another_secret_and_an_old_one_are_refused(server: Server, home: Path) -> None:
    secret, now = find_secret(home / "prefect"), time.time()
    assert exchange(server, make_ticket("t" * 43, now)).status == 403
    assert exchange(server, make_ticket(secret, now - SECONDS - 10)).status == 403
    assert exchange(server, make_ticket(secret, now + SECONDS)).status == 403
    assert exchange(server, make_ticket(secret, now)).status == 200


# Programs -----------------------------------------------------------------------------------------------------


def test_the_secret_is_in_no_command_line_log_or_record(server: Server, home: Path) -> None:
    secret = find_secret(home / "prefect").encode()
    exchange(server, new_ticket(server))
    for path in home.rglob("*"):
        if path.is_file() and path.name != "secret":
            with suppress(FileNotFoundError):  # the server has removed it meanwhile
                assert secret not in path.read_bytes(), path
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = process.read_bytes()
        except OSError:
            continue  # it has ended
        assert secret not in command


def test_links_hold_no_secret(server: Server, home: Path) -> None:
    secret = find_secret(home / "prefect")
    link = server.link("/runs/flow-run/1")
    assert link == f"{server.ui_url}/helio/open#to=/runs/flow-run/1"
    assert secret not in server.with_ticket(link)
    assert server.with_ticket(link).startswith(link + "&ticket=")
    outside = Server(home, {"PREFECT_API_URL": "https://prefect.example/api"})
    assert outside.with_ticket(outside.link("/runs")) == "https://prefect.example/runs"


@pytest.mark.slow
def test_what_up_env_prints_is_all_that_prefect_needs(server: Server, home: Path) -> None:
    given = server.client_environment()
    assert given == {
        "PREFECT_API_URL": server.url,
        "PREFECT_API_AUTH_STRING": find_secret(home / "prefect"),
    }
    code = """
from prefect import get_client
with get_client(sync_client=True) as client:
    client._client.post("/flow_runs/count", json={}).raise_for_status()
"""
    environ = {**ENVIRON, "HELIO_HOME": str(home)}
    script = 'eval "$("$0" -m helio up --env)" && PREFECT_HOME=$HELIO_HOME/prefect exec "$0" -c "$1"'
    said = subprocess.run(
        ["sh", "-c", script, sys.executable, code], env=environ, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr


@pytest.mark.slow
def test_only_a_terminal_gets_a_ticket(server: Server, home: Path) -> None:
    environ = {**ENVIRON, "HELIO_HOME": str(home)}
    command = [sys.executable, "-m", "helio", "up"]
    piped = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert piped.stdout == server.link() + "\n"
    reading, terminal = os.openpty()
    subprocess.run(command, env=environ, stdout=terminal, stderr=terminal, check=True)
    os.close(terminal)
    [link, *_] = os.read(reading, 10_000).decode().splitlines()
    os.close(reading)
    [ticket] = parse_qs(urlsplit(link).fragment)["ticket"]
    assert exchange(server, ticket).status == 200


def test_a_shell_with_that_environment_still_means_our_own_server(server: Server, home: Path) -> None:
    shell = Server(home, {**ENVIRON, **server.client_environment()})
    assert not shell.external
    assert shell.is_up()
    moved = {**server.client_environment(), "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    assert Server(home, moved).url == server.url  # it has another port since
    assert not Server(home, {"PREFECT_API_URL": server.url}).external
    assert Server(home, {"PREFECT_API_URL": "http://127.0.0.1:9/api"}).external


def test_who_took_the_port_gets_no_secret(tmp_path: Path) -> None:
    """Another user's program listens where our server is to be."""
    seen: list[dict[str, str]] = []

    def answer(handler: BaseHTTPRequestHandler) -> bytes:
        seen.append(dict(handler.headers))
        return b"true"

    with listening(answer) as port:
        server = Server(tmp_path, ENVIRON)
        server.home.mkdir(mode=0o700)
        make_secret(server.home)
        server._write(server._begun(os.getpid(), port))
        assert not server.is_up()
        with pytest.raises(Exception, match="cannot be reached"):
            server.request("/flow_runs/filter", {})
        assert server.with_ticket(server.link()) == server.link()
    assert seen
    assert not any("Authorization" in headers for headers in seen)


@pytest.mark.slow
def test_a_server_for_one_run_has_a_secret_of_its_own() -> None:
    with ephemeral_server(ENVIRON) as server:
        assert server.is_up()
        assert send(server, "POST", "/api/flow_runs/count", {}).status == 401
        assert server.request("/flow_runs/count", {}) == 0
        secret = find_secret(server.home)
        assert len(secret) == 43
        assert mode_of(server.home) == 0o700
    assert not server.home.exists()


@contextmanager
def listening(answer: Callable[[BaseHTTPRequestHandler], bytes]) -> Iterator[int]:
    """A web server of somebody else, on another port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = answer(self)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        try:
            yield other.server_address[1]
        finally:
            other.shutdown()


# The file -----------------------------------------------------------------------------------------------------


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_secret_is_its_owners_alone_and_stays(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secret = make_secret(tmp_path)
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "secret") == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert make_secret(tmp_path) == find_secret(tmp_path) == secret
    given = server_environment(tmp_path, FIRST_PORT, {"PREFECT_SERVER_API_AUTH_STRING": "known to others"})
    assert given["PREFECT_SERVER_API_AUTH_STRING"] == secret


@pytest.mark.parametrize(
    "content", ["", "x", "a" * 42, "a" * 44, "a" * 42 + "é", "a" * 43 + "\nb", "\0" * 43]
)
def test_a_secret_that_is_none_is_made_again(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "secret"
    path.write_text(content)
    path.chmod(0o600)
    assert find_secret(tmp_path) == ""
    secret = make_secret(tmp_path)
    assert secret not in content
    assert "does not contain a secret of helio; helio makes a new secret" in caplog.text
    assert find_secret(tmp_path) == secret


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602, 0o601])
def test_a_secret_that_others_could_read_is_made_again(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    known = make_secret(tmp_path)
    (tmp_path / "secret").chmod(mode)
    assert find_secret(tmp_path) == ""
    assert make_secret(tmp_path) != known
    assert "could be read by other users" in caplog.text
    assert mode_of(tmp_path / "secret") == 0o600


def test_a_link_in_place_of_the_secret_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "prefect"
    folder.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("a" * 43)
    elsewhere.chmod(0o600)
    (folder / "secret").symlink_to(elsewhere)
    assert make_secret(folder) != "a" * 43
    assert elsewhere.read_text() == "a" * 43
    assert not (folder / "secret").is_symlink()


@pytest.mark.parametrize("secret", ["none", "another", "lost"])
def test_a_server_without_the_present_secret_is_replaced(
    tmp_path: Path, secret: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(tmp_path, ENVIRON)
    server.home.mkdir(mode=0o700)
    make_secret(server.home)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as old:
        server._write(server._begun(old.pid, FIRST_PORT))
        assert not server.is_outdated()
        if secret == "none":  # as an earlier version wrote it
            record = json.loads((server.home / "server.json").read_text())
            del record["secret"]
            (server.home / "server.json").write_text(json.dumps(record))
        else:
            (server.home / "secret").unlink()
            if secret == "another":
                make_secret(server.home)
        assert server.is_outdated()
        assert server.state().outdated
        assert not server.is_up()

        def spawn(port: int) -> int:
            make_secret(server.home)
            return os.getpid()

        monkeypatch.setattr(server, "_spawn", spawn)
        server.start()
        assert old.wait(LONG) != 0
    assert "helio now stops this server and starts a new one" in caplog.text
    assert server.state().pid == os.getpid()
    assert not server.is_outdated()


# A browser ----------------------------------------------------------------------------------------------------

HOSTILE = """<!doctype html><body><script>
const api = "%(api)s", done = [];
const attempt = async (name, work) => {
  try { done.push(name + ": " + await work()); } catch (error) { done.push(name + ": refused"); }
};
const form = (path) => new Promise((resolve) => {
  const frame = document.createElement("iframe"); frame.name = "f" + Math.random(); document.body.append(frame);
  const form = document.createElement("form");
  form.method = "post"; form.enctype = "text/plain"; form.action = api + path; form.target = frame.name;
  const field = document.createElement("input"); field.name = '{"flow_runs": {}, "x": "'; field.value = '"}';
  form.append(field); document.body.append(form); frame.onload = () => resolve("sent"); form.submit();
});
const load = (kind, url) => new Promise((resolve, reject) => {
  const part = document.createElement(kind); part.onload = () => resolve("loaded"); part.onerror = reject;
  part.src = url; document.body.append(part);
});
const frame = (url) => new Promise((resolve) => {
  const part = document.createElement("iframe"); part.onload = () => resolve("tried");
  part.src = url; document.body.append(part);
});
const socket = (path) => new Promise((resolve, reject) => {
  const one = new WebSocket(api.replace("http", "ws") + path, ["prefect"]);
  one.onopen = () => resolve("open"); one.onerror = reject;
});
(async () => {
  const body = JSON.stringify({flow_runs: {}});
  await attempt("blind post", async () => (await fetch(api + "/flow_runs/bulk_delete",
    {method: "POST", mode: "no-cors", credentials: "include", body: new Blob([body])})).type);
  await attempt("json post", async () => (await fetch(api + "/flow_runs/bulk_delete",
    {method: "POST", headers: {"Content-Type": "application/json"}, body})).status);
  await attempt("read", async () => (await fetch(api + "/flow_runs/filter", {method: "POST", body})).status);
  await attempt("health", async () => (await fetch(api + "/health")).status);
  await attempt("page", async () => (await fetch("%(ui)s/ui-settings")).status);
  await attempt("exchange", async () => (await fetch("%(ui)s/helio/open",
    {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"ticket": "x"}'})).status);
  await attempt("form", () => form("/flow_runs/bulk_delete"));
  await attempt("image", () => load("img", "%(ui)s/ico/favicon-32x32.png"));
  await attempt("script", () => load("script", "%(ui)s/helio/open.js"));
  await attempt("events in", () => socket("/events/in"));
  await attempt("events out", () => socket("/events/out"));
  await attempt("runs frame", () => frame("%(ui)s/runs"));
  await attempt("start frame", () => frame("%(ui)s/helio/open#to=/runs"));
  const list = document.createElement("pre"); list.innerText = done.join("\\n") + "\\nall tried";
  document.body.append(list);
})();
</script>"""


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_opens_the_owners_link_and_no_hostile_page_gets_in(
    server: Server, home: Path, tmp_path: Path
) -> None:
    before = count_runs(server)
    link = server.with_ticket(server.link("/runs"))
    with chromium(tmp_path / "owner") as browser:
        browser.open(link)
        assert "run-of-the-owner" in browser.shows("run-of-the-owner")
        assert browser.address == f"{server.ui_url}/runs"
        seen = [entry["url"] for entry in browser.call("Page.getNavigationHistory")["entries"]]
        assert not any("ticket" in url for url in seen)
        blocked = [report for report in browser.reports if '"source": "security"' in report]
        assert not blocked, "the policy takes something from the engine's own pages"

        # The browser knows the secret now: neither a used ticket nor none at all is in its way.
        for known in (link, server.link("/runs"), server.link("/runs").replace("127.0.0.1", "localhost")):
            browser.open(known)
            assert "run-of-the-owner" in browser.shows("run-of-the-owner")

        page = HOSTILE % {"api": server.url, "ui": server.ui_url}
        with listening(lambda handler: page.encode()) as port:
            browser.open(f"http://127.0.0.1:{port}/")
            said = dict(line.split(": ") for line in browser.shows("all tried").splitlines() if ": " in line)
            frames = browser.call("Page.getFrameTree")["frameTree"]["childFrames"]
        assert said.pop("form") == "sent"
        assert (said.pop("runs frame"), said.pop("start frame")) == ("tried", "tried")
        assert len(said) == 10
        assert set(said.values()) == {"refused"}
        assert {child["frame"]["url"].partition("/")[0] for child in frames} == {"chrome-error:"}
        assert count_runs(server) == before
        for target in (
            "//example.org/",
            "/\\example.org",
            "https://example.org/",
            "/\t/example.org",
            "javascript:1",
        ):
            _open_to(browser, server, target)
            assert browser.evaluate("location.origin") == server.ui_url
    with chromium(tmp_path / "stranger") as browser:
        for useless in (link, server.link("/runs")):
            browser.open(useless)
            assert "Run 'helio up' in a terminal" in browser.shows("Run 'helio up' in a terminal")
            assert browser.evaluate("localStorage.length") == 0


def _open_to(browser: Browser, server: Server, target: str) -> None:
    """Open the start page with a target, and wait until it has led somewhere."""
    from urllib.parse import quote

    browser.open(f"{server.ui_url}/helio/open#to={quote(target)}")
    assert "Hide subflows" in browser.shows("Hide subflows")  # the dashboard, which is the first page
