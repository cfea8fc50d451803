"""The end of a server that nobody uses: what counts as use, who keeps it, and that nobody meets it as it ends."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helio.doctor import Finding, _engine
from helio.errors import RequestError
from helio.flows.idle import RECORD, USE, WatchedApplication
from helio.flows.server import Server
from helio.settings import read_settings
from tests.flows.conftest import ENVIRON
from tests.rows import in_one_test
from tests.waiting import LONG, wait_until

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


class Folder:
    """A server's folder, its application, and a clock that a test sets."""

    def __init__(self, path: Path, **record: object) -> None:
        self.path = path
        self.now = 0.0
        self.write(**record)
        self.watched = WatchedApplication(self._answer, path, clock=lambda: self.now)
        self.answering: list[str] = []

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.answering.append(scope.get("path", ""))
        self.open_while_answering = self.watched._open

    def write(self, **record: object) -> None:
        (self.path / RECORD).write_text(
            json.dumps({"pid": os.getpid(), "idle": 60.0, "kept": False, **record})
        )

    def ask(self, path: str, kind: str = "http") -> None:
        asyncio.run(self.watched({"type": kind, "path": path}, None, None))  # type: ignore[arg-type]

    def is_over(self, now: float) -> bool:
        self.now = now
        with (self.path / USE).open("a") as lock:
            return self.watched.is_over(lock.fileno())

    @contextmanager
    def held(self) -> Iterator[None]:
        with (self.path / USE).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield


def test_a_server_that_nobody_uses_is_over_after_its_time(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert not folder.is_over(59.0)
    assert (tmp_path / RECORD).exists()
    assert folder.is_over(61.0)
    assert not (tmp_path / RECORD).exists()


@pytest.mark.parametrize(
    ("path", "kind", "counts"),
    [
        ("/api/flow_runs/filter", "http", True),
        ("/runs/flow-run/1", "http", True),
        ("/api/events/in", "websocket", True),
        ("/api/events/out", "websocket", False),  # a page that only watches
        ("/api/health", "http", False),  # helio doctor looks whether it is there
        ("/api/admin/version", "http", False),
        ("", "lifespan", False),
    ],
)
def test_requests_that_want_something_count_as_use(
    path: str, kind: str, counts: bool, tmp_path: Path
) -> None:
    folder = Folder(tmp_path)
    folder.now = 50.0
    folder.ask(path, kind)
    assert folder.answering == [path]
    assert folder.open_while_answering == counts
    assert folder.is_over(61.0) is not counts
    if counts:
        assert folder.is_over(111.0)


def test_a_run_or_helio_serve_keeps_it_up(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.held():
        assert not folder.is_over(1000.0)
    assert not folder.is_over(1059.0)
    assert folder.is_over(1061.0)


@pytest.mark.parametrize("record", [{"kept": True}, {"idle": None}])
def test_one_that_a_person_keeps_never_ends_itself(record: dict[str, object], tmp_path: Path) -> None:
    folder = Folder(tmp_path, **record)
    assert not folder.is_over(1e9)
    folder.write()
    assert folder.is_over(1e9)


def test_a_server_without_a_record_of_its_own_never_ends_itself(tmp_path: Path) -> None:
    folder = Folder(tmp_path, pid=1)  # the server of another process, or of one run alone
    assert not folder.is_over(1e9)
    assert (tmp_path / RECORD).exists()


def test_who_comes_while_it_ends_waits_until_it_is_gone(tmp_path: Path) -> None:
    (tmp_path / "prefect").mkdir()
    folder = Folder(tmp_path / "prefect")
    folder.now = 61.0
    server = Server(tmp_path, ENVIRON)
    came = threading.Event()

    def come() -> None:
        with server.used():
            came.set()

    with (folder.path / USE).open("a") as lock:
        assert folder.watched.is_over(lock.fileno())
        thread = threading.Thread(target=come)
        thread.start()
        assert not came.wait(0.3)  # as long as its process lives
    thread.join(LONG)
    assert came.is_set()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", 1800.0),
        ("45", 2700.0),
        ("0.5", 30.0),
        ("2h", 7200.0),
        ("90s", 90.0),
        ("1.5 h", 5400.0),
        ("366d", 366 * 86400.0),
        ("0", None),
        ("never", None),
    ],
)
def test_the_idle_time_is_read_from_the_environment(text: str, seconds: float | None, tmp_path: Path) -> None:
    environ = {"HELIO_HOME": str(tmp_path), "HELIO_ENGINE_IDLE": text}
    assert read_settings(environ).engine_idle == seconds


@in_one_test("text", ["soon", "-5", "nan", "inf", "1e3", "1mo", ".", "0.5s", "400d", "1e400", "٣"])
def test_an_idle_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="HELIO_ENGINE_IDLE") as raised:
        read_settings({"HELIO_ENGINE_IDLE": text})
    assert "never" in raised.value.advice


# ---- a real server


@pytest.fixture(scope="module")
def idle_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("idle")
    yield home
    Server(home, ENVIRON).stop()


def _helio(home: Path, *arguments: str, idle: str = "2s") -> subprocess.CompletedProcess[str]:
    environ = {**ENVIRON, "HELIO_HOME": str(home), "HELIO_ENGINE_IDLE": idle}
    return subprocess.run(
        [sys.executable, "-m", "helio", *arguments], env=environ, capture_output=True, text=True, cwd=home
    )


def _doctor(home: Path) -> Finding:
    return _engine(read_settings({**ENVIRON, "HELIO_HOME": str(home)}))


@pytest.mark.server
def test_a_server_that_a_run_started_ends_itself_and_the_next_run_starts_one(idle_home: Path) -> None:
    command = ("run", "gle73-particles", "--archive", "sample", "-o", "out")
    first = _helio(idle_home, *command)
    assert first.returncode == 0, first.stderr
    server = Server(idle_home, ENVIRON)
    wait_until(lambda: server.state().pid is None, "the end of the server")
    assert not (idle_home / "prefect" / RECORD).exists()
    assert "the server was not used for" in (idle_home / "prefect/server.log").read_text()
    assert (_doctor(idle_home).ok, _doctor(idle_home).found) == (
        True,
        "not running; helio starts the server when a run needs it",
    )
    assert "the server was not running" in _helio(idle_home, "down").stdout
    assert "success" in _helio(idle_home, "runs").stdout

    again = _helio(idle_home, *command, "--set", "WINDOW=17min", idle="never")
    assert again.returncode == 0, again.stderr
    assert server.is_up()
    assert server.request("/flow_runs/count", {}) == 2
    assert _doctor(idle_home).found.endswith("the server runs until you run `helio down`")
    assert "stopped" in _helio(idle_home, "down").stdout


@pytest.mark.server
def test_helio_up_keeps_a_server_that_was_started_for_a_run(idle_home: Path) -> None:
    server = Server(idle_home, ENVIRON, idle=3600.0)
    with server.used():
        server.start()
        server.wait()
        assert "in use; the server stops 1h after its last use" in _doctor(idle_home).found
    # The server looks every two seconds whether it is used, and holds the lock itself for that moment.
    wait_until(
        lambda: "not used now; the server stops at 2" in _doctor(idle_home).found, "the end of its use"
    )
    before = server.state().pid
    up = _helio(idle_home, "up")
    assert up.stdout.strip() == server.link()
    assert "the server runs until you run `helio down`" in up.stderr
    assert server.state().pid == before
    assert json.loads((idle_home / "prefect" / RECORD).read_text())["kept"] is True
    assert _doctor(idle_home).found.endswith("the server runs until you run `helio down`")
    server.stop()
