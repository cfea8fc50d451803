"""helio's own server: one per home, on loopback only, ended only when it is ours."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from helio.errors import Cancelled, EngineError
from helio.flows import server as server_module
from helio.flows.new_database import create_database
from helio.flows.secret import make_secret
from helio.flows.server import FIRST_PORT, PORTS, Server, server_environment
from tests.flows.conftest import ENVIRON
from tests.waiting import LONG

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


@pytest.mark.server
def test_the_server_says_what_it_is(server: Server, home: Path) -> None:
    state = server.state()
    assert (state.up, state.external) == (True, False)
    assert state.url == server.url == f"http://127.0.0.1:{server.url.split(':')[2]}"
    assert state.version.startswith("3.")
    assert state.home == home / "prefect"
    assert state.log is not None
    assert state.pid is not None


@pytest.mark.server
def test_it_listens_on_loopback_only(server: Server) -> None:
    pid = server.state().pid
    descriptors = Path(f"/proc/{pid}/fd")
    if not descriptors.exists():
        pytest.skip("no /proc here")
    sockets = set()
    for path in descriptors.iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            sockets.add(os.readlink(path))
    listening = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            bound = fields[3] == "0A" or table.startswith("udp")
            if bound and f"socket:[{fields[9]}]" in sockets:
                listening.append(fields[1])
    port = int(server.url.split(":")[2].removesuffix("/api"))
    assert listening == [f"0100007F:{port:04X}"]


@pytest.mark.server
def test_web_pages_of_others_may_not_read_it(server: Server) -> None:
    import urllib.error
    import urllib.request

    def allowed(origin: str) -> str | None:
        call = urllib.request.Request(f"{server.url}/health", headers={"Origin": origin})
        with urllib.request.urlopen(call, timeout=LONG) as reply:
            return reply.headers["access-control-allow-origin"]  # type: ignore[no-any-return]

    with pytest.raises(urllib.error.HTTPError, match="403"):
        allowed("https://example.org")
    assert allowed(server.ui_url) == server.ui_url


@pytest.mark.server
def test_its_user_interface_is_there_and_knows_its_address(server: Server) -> None:
    import urllib.request

    with urllib.request.urlopen(server.ui_url, timeout=LONG) as reply:
        assert "<title>Prefect" in reply.read().decode()
    with urllib.request.urlopen(f"{server.ui_url}/ui-settings", timeout=LONG) as reply:
        assert json.load(reply)["api_url"] == server.url


@pytest.mark.server
def test_starting_a_server_that_runs_does_nothing(server: Server, home: Path) -> None:
    before = server.state().pid
    Server(home, ENVIRON).start()
    assert server.state().pid == before


@pytest.mark.server
def test_two_processes_that_start_at_once_end_with_one_server(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from helio.flows.server import Server
server = Server(Path({str(tmp_path)!r}), os.environ)
server.start()
server.wait()
print(server.state().pid)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=ENVIRON, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for _ in range(3)
    ]
    said = [process.communicate(timeout=LONG)[0].strip() for process in processes]
    server = Server(tmp_path, ENVIRON)
    try:
        assert said == [str(server.state().pid)] * 3
    finally:
        server.stop()
    state = server.state()
    assert (state.up, state.pid) == (False, None)
    assert not (tmp_path / "prefect/server.json").exists()


def test_a_port_that_is_taken_is_left_to_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path, ENVIRON)
    ports: list[int] = []

    def spawn(port: int) -> int:
        ports.append(port)
        return os.getpid()

    monkeypatch.setattr(server, "_spawn", spawn)
    with next(filter(None, map(_listen, PORTS))) as other:
        taken = other.getsockname()[1]
        server.start()
    assert ports[0] in PORTS
    assert ports[0] != taken
    assert server.url == f"http://127.0.0.1:{ports[0]}/api"


def _listen(port: int) -> socket.socket | None:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError:
        return None


def test_a_pid_that_belongs_to_another_process_is_not_ended(tmp_path: Path) -> None:
    server = Server(tmp_path, ENVIRON)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        _record(tmp_path, pid=other.pid, born="some other day")
        assert not server.is_up()
        server.stop()
        assert other.poll() is None
        other.communicate(b"\n")


def test_a_damaged_record_is_no_server(tmp_path: Path) -> None:
    (tmp_path / "prefect").mkdir()
    (tmp_path / "prefect/server.json").write_text('{"pid": 1')
    server = Server(tmp_path, ENVIRON)
    assert server.state().pid is None
    server.stop()


def test_a_record_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "prefect/server.json").mkdir(parents=True)
    for call in (Server(tmp_path, ENVIRON).start, Server(tmp_path, ENVIRON).is_up):
        with pytest.raises(EngineError, match=r"prefect/server\.json cannot be read: it is a folder"):
            call()


def test_a_server_of_another_machine_is_not_doubled(tmp_path: Path) -> None:
    _record(tmp_path, host="elsewhere")
    with pytest.raises(EngineError, match="runs on another machine, elsewhere"):
        Server(tmp_path, ENVIRON).start()


def test_a_server_that_dies_as_it_starts_shows_its_last_words(tmp_path: Path) -> None:
    server = Server(tmp_path, {**ENVIRON, "PREFECT_SERVER_DATABASE_CONNECTION_URL": "nonsense"})
    server.start()
    with pytest.raises(EngineError, match="ended while it started") as raised:
        server.wait()
    assert "Could not parse SQLAlchemy URL" in str(raised.value)
    server.stop()


def _hold(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)


def _start(server: Server) -> None:
    server.start()
    server.wait()


def _garbage(database: Path) -> None:
    database.write_bytes(bytes(range(256)) * 20)


def _folder(database: Path) -> None:
    database.unlink()
    database.mkdir()


def _truncated(database: Path) -> None:
    database.write_bytes(database.read_bytes()[:20_000])


def _newer(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'abcdef123456'")
    connection.close()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The new database of a server, without journals."""
    path = tmp_path / "new.db"
    create_database(path)
    return path


@pytest.mark.server
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_garbage, "is damaged (the file is not an SQLite database)"),
        (_folder, "is damaged (the path is not a file)"),
        (_truncated, "is damaged ("),
        (_newer, "was written by another version of Prefect"),
    ],
)
def test_a_damaged_database_is_named_with_how_to_move_it_away(
    damage: Callable[[Path], None], words: str, database: Path, tmp_path: Path
) -> None:
    server = Server(tmp_path, ENVIRON)
    server.home.mkdir()
    path = server.home / "prefect.db"
    shutil.copyfile(database, path)
    damage(path)
    with pytest.raises(EngineError) as raised:
        _start(server)
    assert f"the engine's database {path} {words}" in raised.value.message
    assert "\n" not in raised.value.message
    command = raised.value.advice.partition("mkdir")[2].partition(" (the next run")[0]
    subprocess.run(f"mkdir{command}", shell=True, check=True)
    assert list(server.home.glob("prefect.db*")) == []
    assert (server.home / "damaged/prefect.db").exists()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("sqlite3.OperationalError: attempt to write a readonly database", "cannot be opened or written"),
        ("sqlite3.OperationalError: database or disk is full", "cannot be written"),
        ("sqlite3.DatabaseError: file is not a database", "is damaged"),
    ],
)
def test_what_its_log_says_of_the_database_since_its_start_counts(
    said: str, words: str, tmp_path: Path
) -> None:
    before = "sqlite3.DatabaseError: database disk image is malformed\n"
    _record(tmp_path, log_from=len(before))
    server = Server(tmp_path, ENVIRON)
    server.log.write_text(before)
    assert server.database_error() is None
    server.log.write_text(f"{before}{said}\n")
    error = server.database_error()
    assert error is not None
    assert f"{server.home}/prefect.db {words}" in error.message
    other = {**ENVIRON, "PREFECT_SERVER_DATABASE_CONNECTION_URL": "postgresql+asyncpg://db/prefect"}
    assert Server(tmp_path, other).database_error() is None


def test_a_wait_lasts_as_long_as_the_process_lives_and_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_module, "PATIENCE", 0.0)
    monkeypatch.setattr(server_module, "REMINDER", 0.0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as silent:
        _record(tmp_path, pid=silent.pid, born=server_module._born(silent.pid))
        server = Server(tmp_path, ENVIRON)
        looks = iter((silent.poll, lambda: _hold(silent.pid), silent.poll, lambda: True))

        def stop() -> bool:
            return bool(next(looks)())

        with pytest.raises(Cancelled):
            server.wait(stop=stop)
        assert f"its process {silent.pid} is running" in caplog.text
        assert f"kill -CONT {silent.pid} resumes it" in caplog.text
        silent.send_signal(signal.SIGCONT)
        silent.kill()
        silent.wait()
        with pytest.raises(EngineError, match="ended while it started"):
            server.wait()


def test_an_external_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    server = Server(tmp_path, {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    for call in (server.start, server.wait):
        with pytest.raises(
            EngineError, match=r"127\.0\.0\.1:9/api, the address in PREFECT_API_URL"
        ) as raised:
            call()
        assert "unset PREFECT_API_URL" in raised.value.advice
    assert server.state().external
    assert not (tmp_path / "prefect").exists()


@pytest.mark.server
def test_an_external_server_is_used_and_never_stopped(server: Server, tmp_path: Path) -> None:
    outside = Server(tmp_path, {"PREFECT_API_URL": server.url + "/"})
    outside.start()
    outside.wait()
    assert outside.url == server.url
    assert outside.state().pid is None
    with pytest.raises(EngineError, match="not started by helio"):
        outside.stop()
    assert server.is_up()


def test_another_server_at_our_port_is_not_taken_for_ours(server: Server, tmp_path: Path) -> None:
    port = int(server.url.split(":")[2].removesuffix("/api"))
    _record(tmp_path, port=port, born="some other day")
    assert not Server(tmp_path, ENVIRON).is_up()


def test_a_request_waits_as_long_for_the_proof_as_for_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _record(tmp_path, born=server_module._born(os.getpid()))
    make_secret(tmp_path / "prefect")
    waits = []

    def silent(server: Server, path: str, body: object, headers: object, method: str, timeout: float) -> None:
        waits.append(timeout)
        raise EngineError("no answer")

    monkeypatch.setattr(Server, "_call", silent)
    with pytest.raises(EngineError, match="cannot be reached"):
        Server(tmp_path, ENVIRON).request("/flows/", timeout=7.0)
    assert waits == [7.0]


def test_nothing_is_told_to_anyone(tmp_path: Path) -> None:
    environ = {
        "PREFECT_SERVER_ANALYTICS_ENABLED": "true",
        "DO_NOT_TRACK": "0",
        "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "true",
        "PREFECT_SERVER_API_HOST": "0.0.0.0",
        "PREFECT_API_KEY": "secret",
    }
    given = server_environment(tmp_path, FIRST_PORT, environ)
    assert given["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert given["DO_NOT_TRACK"] == "1"
    assert given["PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED"] == "true"  # who wants automations turns them on
    assert given["PREFECT_SERVER_API_HOST"] == "127.0.0.1"
    assert "PREFECT_API_KEY" not in given


def test_credentials_go_to_the_external_server_only(tmp_path: Path) -> None:
    key = {"PREFECT_API_KEY": "k"}
    assert Server(tmp_path, key)._authorization() == {}
    outside = {"PREFECT_API_URL": "https://prefect.example/api"}
    assert Server(tmp_path, {**outside, **key})._authorization() == {"Authorization": "Bearer k"}
    basic = Server(tmp_path, {**outside, "PREFECT_API_AUTH_STRING": "a:b"})._authorization()
    assert basic == {"Authorization": "Basic YTpi"}


def test_importing_it_imports_no_prefect() -> None:
    code = "import sys, helio.flows.server, helio.flows.register, helio.flows.run; print('prefect' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert said.stdout.strip() == "False"


def _record(home: Path, **changes: object) -> None:
    (home / "prefect").mkdir()
    record = {"pid": os.getpid(), "born": "", "port": FIRST_PORT, "host": socket.gethostname(), **changes}
    (home / "prefect/server.json").write_text(json.dumps(record))
