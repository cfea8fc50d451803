"""The engine's server: the one named by PREFECT_API_URL, else helio's own on this machine. Imports no Prefect."""

from __future__ import annotations

import base64
import fcntl
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helio.errors import EngineError
from helio.store.files import write_whole

LOOPBACK = "127.0.0.1"
FIRST_PORT = 4271
"""Not Prefect's 4200, which may belong to somebody's own server."""
PORTS = range(FIRST_PORT, FIRST_PORT + 100)

TUNED: Mapping[str, str] = {
    # SQLite meets "database is locked" when every event is a transaction of its own, and clients then wait long.
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "500",  # for who turns it on
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    # The event feed, which repeats what the runs show, is half of the server's work and two thirds of its disk.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
}
"""Settings of helio's own server; the same names in the environment win."""

SILENT: Mapping[str, str] = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # the server's heartbeat to sens-o-matic.prefect.io
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
    "DO_NOT_TRACK": "1",  # the library's usage events; there is no Prefect setting for them
}
"""What keeps Prefect from telling anyone that it runs."""

# Ends the server with the process that started it, however that one ends: its end of the pipe closes. A killed
# process cannot remove the folder that it made for its server; the folder's name comes as the first argument.
_LEASHED = """
import os, shutil, sys, threading
folder = sys.argv.pop(1)
def watch():
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
import uvicorn
uvicorn.main()
"""


@dataclass(frozen=True)
class ServerState:
    """What can be said of a server at one moment."""

    url: str
    pid: int | None
    """None when it is not running, or is not helio's own."""
    up: bool
    external: bool
    version: str
    """Prefect's; empty when it does not answer."""
    home: Path | None
    """Its database and its settings; None when it is not helio's own."""
    log: Path | None


@dataclass(frozen=True)
class _Process:
    """A server that was started, as ``server.json`` keeps it."""

    pid: int
    born: str
    port: int
    host: str

    @property
    def alive(self) -> bool:
        # A pid alone may have gone to another process since; a pid and its birth cannot.
        return bool(self.born) and self.host == socket.gethostname() and _born(self.pid) == self.born


class Server:
    """The server that flows are recorded on.

    Parameters
    ----------
    home : Path
        helio's home; the server's own is ``prefect`` in it.
    environ : mapping of str
        ``PREFECT_API_URL`` names an external server, which is never started or stopped here;
        ``PREFECT_API_KEY`` or ``PREFECT_API_AUTH_STRING`` are sent to it.
    """

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        self.home = home / "prefect"
        self.log = self.home / "server.log"
        self.external = bool(environ.get("PREFECT_API_URL"))
        self._environ = dict(environ)
        self._file = self.home / "server.json"

    @property
    def url(self) -> str:
        """The address of its API; of helio's own, before its first start, the one it would take."""
        if self.external:
            return self._environ["PREFECT_API_URL"].rstrip("/")
        process = self._process()
        return _api(process.port if process else FIRST_PORT)

    @property
    def ui_url(self) -> str:
        """Where a browser shows it."""
        return self.url.removesuffix("/api")

    def is_up(self) -> bool:
        """Whether it answers, now."""
        if not self.external:
            process = self._process()
            # Without one of ours, whatever answers at that port is somebody else's.
            if process is None or not process.alive:
                return False
        try:
            return self.request("/health", timeout=2.0) is True
        except EngineError:
            return False

    def state(self) -> ServerState:
        """What `helio doctor` says of it."""
        process = None if self.external else self._process()
        up = self.is_up()
        version = ""
        if up:
            try:
                version = str(self.request("/admin/version", timeout=2.0))
            except EngineError:
                version = ""  # an external server need not tell
        return ServerState(
            url=self.url,
            pid=process.pid if process is not None and process.alive else None,
            up=up,
            external=self.external,
            version=version,
            home=None if self.external else self.home,
            log=None if self.external else self.log,
        )

    def start(self) -> None:
        """Start helio's own server, detached, unless it is running or starting; then `wait` for it.

        Raises
        ------
        EngineError
            An external server does not answer; no port is free; the server runs on another machine.
        """
        if self.external:
            self._require_external()
            return
        with self._locked():
            process = self._process()
            if process is not None and process.host != socket.gethostname():
                raise EngineError(
                    f"the server of {self.home} was started on the machine {process.host}",
                    advice=f"--ephemeral; PREFECT_API_URL; or, if it ended there, remove {self._file}",
                )
            if process is not None and process.alive:
                return
            port = _free_port(process.port if process else FIRST_PORT)
            self._turn_log_over()
            pid = self._spawn(port)
            record = {"pid": pid, "born": _born(pid), "port": port, "host": socket.gethostname()}
            write_whole(self._file, (json.dumps(record, indent=1) + "\n").encode())

    def wait(self, timeout: float = 60.0) -> None:
        """Return when the server answers.

        Raises
        ------
        EngineError
            It died, with the end of its log, or does not answer in time.
        """
        if self.external:
            self._require_external()
            return
        end = time.monotonic() + timeout
        while not (self.is_up() and self._is_ours()):
            process = self._process()
            if process is None or not process.alive:
                if self._lost_its_port() and time.monotonic() < end:
                    self.start()  # at the next port that is free
                    continue
                raise EngineError(
                    f"the engine's server ended while it started{self._log_tail()}",
                    advice=f"helio up; everything it said is in {self.log}",
                )
            if time.monotonic() > end:
                raise EngineError(
                    f"the engine's server at {self.url} does not answer after {timeout:g} s{self._log_tail()}",
                    advice="helio down, then helio up; or --ephemeral",
                )
            time.sleep(0.05)

    def _lost_its_port(self) -> bool:
        """Whether it ended because another process had taken its port since it was seen to be free."""
        return "address already in use" in self._log_tail()

    def _is_ours(self) -> bool:
        """Whether who answers has our home: another server may have taken the port just before ours did."""
        try:
            return Path(self.request("/admin/settings", timeout=5.0)["home"]) == self.home
        except EngineError:
            return False

    def stop(self) -> None:
        """End helio's own server, if it runs.

        Raises
        ------
        EngineError
            The server is not helio's own.
        """
        if self.external:
            raise EngineError(
                f"the server at {self.url} was not started by helio", advice="stop it where it was started"
            )
        with self._locked():
            process = self._process()
            if process is not None and process.alive:
                _end(process)
            if process is not None and process.host == socket.gethostname():
                self._file.unlink(missing_ok=True)

    def request(self, path: str, body: Any = None, *, method: str = "", timeout: float = 10.0) -> Any:
        """One call of its REST API: the reply's JSON, or None when it has none.

        Raises
        ------
        EngineError
            It cannot be reached in time, or refuses.
        """
        try:
            call = urllib.request.Request(
                self.url + path,
                None if body is None else json.dumps(body, default=str).encode(),
                {"Content-Type": "application/json", **self._authorization()},
                method=method or ("GET" if body is None else "POST"),
            )
            # A proxy of the institute knows nothing of this machine's loopback.
            ours = urllib.request.ProxyHandler({} if is_loopback(self.url) else None)
            with urllib.request.build_opener(ours).open(call, timeout=timeout) as reply:
                content = reply.read()
            return json.loads(content) if content else None
        except urllib.error.HTTPError as error:
            said = error.read(500).decode(errors="replace")
            raise EngineError(f"the server at {self.url} refused {path}: {error.code} {said}") from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            # ValueError: what PREFECT_API_URL says is no URL, or what answers there speaks no JSON
            raise EngineError(f"the server at {self.url} cannot be reached: {error}") from error

    def _authorization(self) -> dict[str, str]:
        if not self.external:
            return {}
        if key := self._environ.get("PREFECT_API_KEY"):
            return {"Authorization": f"Bearer {key}"}
        if text := self._environ.get("PREFECT_API_AUTH_STRING"):
            return {"Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}
        return {}

    def _require_external(self) -> None:
        if not self.is_up():
            raise EngineError(
                f"no Prefect server answers at {self.url}, which PREFECT_API_URL names",
                advice="start that server, unset PREFECT_API_URL to use helio's own, or --ephemeral",
            )

    def _process(self) -> _Process | None:
        try:
            record = json.loads(self._file.read_bytes())
            return _Process(int(record["pid"]), record["born"], int(record["port"]), record["host"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            return None  # not as we wrote it: nothing in it may be trusted, least of all a pid to end

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold this home's lock, which the kernel lets go of when its holder dies."""
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self.home / "server.lock").open("w")
        except OSError as error:
            raise EngineError(
                f"the server's folder {self.home} cannot be written: {error.strerror or error}",
                advice="HELIO_HOME on a disk with space, or --ephemeral",
            ) from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _spawn(self, port: int) -> int:
        command = _command(port, "-m", "uvicorn")
        # The shell ends at once, so that the server has no parent to leave a zombie with.
        started = subprocess.run(
            ["/bin/sh", "-c", '"$@" </dev/null >>"$HELIO_SERVER_LOG" 2>&1 & echo $!', "sh", *command],
            cwd=self.home,
            env={**server_environment(self.home, port, self._environ), "HELIO_SERVER_LOG": str(self.log)},
            start_new_session=True,
            stdout=subprocess.PIPE,
            check=True,
        )
        return int(started.stdout)

    def _turn_log_over(self) -> None:
        if self.log.exists() and self.log.stat().st_size > 1_000_000:
            self.log.replace(self.log.with_suffix(".log.1"))

    def _log_tail(self) -> str:
        try:
            lines = self.log.read_text(errors="replace").splitlines()[-8:]
        except OSError:
            return ""
        return "".join(f"\n  | {line}" for line in lines)


@contextmanager
def ephemeral_server(environ: Mapping[str, str], timeout: float = 60.0) -> Iterator[Server]:
    """A server for one run, in a temporary folder, that ends with this process; for batch systems.

    Raises
    ------
    EngineError
        It does not start.
    """
    with tempfile.TemporaryDirectory(prefix="helio-prefect-", ignore_cleanup_errors=True) as folder:
        port = _free_port(0)
        own = {name: value for name, value in environ.items() if not name.startswith("PREFECT_API_")}
        server = Server(Path(folder), {**own, "PREFECT_API_URL": _api(port)})
        server.home.mkdir()
        with (
            server.log.open("wb") as log,
            subprocess.Popen(
                _command(port, "-c", _LEASHED, folder),
                cwd=server.home,
                env={**server_environment(server.home, port, environ), "PREFECT_SERVER_UI_ENABLED": "false"},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the run; the server is to hear of the cancelled run first
            ) as process,
        ):
            try:
                end = time.monotonic() + timeout
                while not server.is_up():
                    if process.poll() is not None or time.monotonic() > end:
                        raise EngineError(f"the run's own server did not start{server._log_tail()}")
                    time.sleep(0.05)
                yield server
            finally:
                process.terminate()
                try:
                    process.wait(3.0)
                except subprocess.TimeoutExpired:
                    process.kill()


def server_environment(home: Path, port: int, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server of helio's own."""
    theirs = {name: value for name, value in environ.items() if not name.startswith("PREFECT_")}
    # What a person sets for the server stands (PostgreSQL, automations); where it listens does not.
    chosen = {name: value for name, value in environ.items() if name.startswith("PREFECT_SERVER_")}
    origin = f"http://{LOOPBACK}:{port}"
    return {
        **theirs,
        **TUNED,
        **chosen,
        **SILENT,
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_API_HOST": LOOPBACK,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_UI_API_URL": f"{origin}/api",
        # Prefect allows every web page by default to read and to start runs.
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": f"{origin},http://localhost:{port}",
        "PYTHONUNBUFFERED": "1",
    }


def _command(port: int, *how: str) -> list[str]:
    factory = ["--factory", "prefect.server.api.server:create_app"]
    where = ["--host", LOOPBACK, "--port", str(port), "--lifespan", "on"]
    return [sys.executable, *how, *factory, *where, "--log-level", "warning", "--no-access-log"]


def _api(port: int) -> str:
    return f"http://{LOOPBACK}:{port}/api"


def is_loopback(url: str) -> bool:
    """Whether an address is this machine itself."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _free_port(wanted: int) -> int:
    """The wanted port, else the next that is free; 0 means any."""
    for port in (wanted, *(one for one in PORTS if one != wanted)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            # As uvicorn does: a port that only waits for its last connections to fade is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise EngineError(
        f"no port from {PORTS.start} to {PORTS.stop - 1} is free for the engine's server",
        advice="--ephemeral, or PREFECT_API_URL of a server that runs",
    )


def _born(pid: int) -> str:
    """When a process began, as the kernel has it; empty when there is none or it is dead already."""
    try:
        # After the last bracket: state, parent, …, and the start in clock ticks since boot as the 20th.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        pass
    except ProcessLookupError:
        return ""
    else:
        return "" if fields[0] in "ZX" else f"{_boot()}/{fields[19]}"
    if Path("/proc/self/stat").exists():
        return ""
    told = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True)
    state, _, born = told.stdout.strip().partition(" ")
    return "" if not state or state.startswith("Z") else born.strip()


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _end(process: _Process) -> None:
    """SIGTERM, and SIGKILL when that is not enough."""
    for signal_number, patience in ((15, 8.0), (9, 5.0)):
        try:
            os.kill(process.pid, signal_number)
        except ProcessLookupError:
            return
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if not process.alive:
                return
            time.sleep(0.02)
    raise EngineError(f"the engine's server, process {process.pid}, cannot be ended")
