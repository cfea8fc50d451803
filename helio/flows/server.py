"""Start, find and call the Prefect server: the server in PREFECT_API_URL, or else helio's own on this machine."""

from __future__ import annotations

import base64
import fcntl
import json
import logging
import os
import secrets
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

import helio
from helio import interrupts
from helio.errors import Cancelled, DamagedRecord, EngineError
from helio.flows.application import PROOF, START_PAGE
from helio.flows.doors import LOOPBACK
from helio.flows.idle import RECORD, USE
from helio.flows.secret import find_secret, make_secret, mark_of, proof_of
from helio.flows.tickets import make_ticket
from helio.settings import IDLE, Retention, close_to_others
from helio.store.files import write_whole
from helio.store.records import Count, Seconds, read_record
from helio.time_range import Duration

notice = logging.getLogger("helio.notice")
"""Logger for messages that a waiting user should read at once; commands print them on standard error."""

log = logging.getLogger(__name__)

FIRST_PORT = 4271
"""First port that helio tries for its own server; 4200, Prefect's default port, may belong to the user's own server."""
PORTS = range(FIRST_PORT, FIRST_PORT + 100)

TUNED: Mapping[str, str] = {
    # SQLite meets "database is locked" when every event is a transaction of its own, and clients then wait long.
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "500",  # for users who enable it
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "50",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    # The event feed, which repeats what the runs show, is half of the server's work and two thirds of its disk.
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    # It takes 0.7 s of the first start. Blocks hold settings of automations and of storage; helio uses none.
    "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
}
"""Prefect settings of helio's own server; environment variables with the same names take precedence."""

VACUUM = "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED"
KEPT = "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"
"""Prefect settings by which a server removes old flow runs every hour, 200 in each transaction."""

SILENT: Mapping[str, str] = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # the server's heartbeat to sens-o-matic.prefect.io
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
    "DO_NOT_TRACK": "1",  # the library's usage events; there is no Prefect setting for them
}
"""Settings that stop Prefect from sending usage statistics."""

PATIENCE = 15.0
"""Seconds without an answer after which helio tells the user why it waits."""
REMINDER = 30.0
"""Seconds between two messages that tell the user why helio waits."""

DATABASE = "prefect.db"
SPARE_PAGES = 256
"""Number of free pages that stay in the database, so that it does not grow and shrink every day."""
VACUUMED_PAGES = 500
"""Number of pages that one step gives back to the disk; the server waits meanwhile."""
LARGEST_LOG = 1_000_000
"""Bytes of the server's log at which helio begins a new one."""
LONGEST_LOG = 200_000
"""Maximum number of bytes to read from the end of the server's log."""
SQLITE = b"SQLite format 3\x00"
"""First bytes of every SQLite database."""
DAMAGED, UNREADABLE, FULL, FOREIGN = (
    "is damaged",
    "cannot be opened or written",
    "cannot be written",
    "was written by another version of Prefect, probably a newer one",
)
DATABASE_ERRORS: Mapping[str, str] = {
    "database disk image is malformed": DAMAGED,
    "file is not a database": DAMAGED,
    "malformed database schema": DAMAGED,
    "Can't locate revision identified by": FOREIGN,
    "unable to open database file": UNREADABLE,
    "attempt to write a readonly database": UNREADABLE,
    "disk I/O error": UNREADABLE,
    "database or disk is full": FULL,
}
"""Error messages of the database in the server's log, each with what is wrong with the database."""
OTHER_DATABASE = ("PREFECT_SERVER_DATABASE_CONNECTION_URL", "PREFECT_SERVER_DATABASE_NAME")
"""Environment variables by which a user chooses another database for the server."""

# Ends the server when the process that started it ends in any way: its end of the pipe closes. A killed
# process cannot remove the folder that it made for its server, so this code does; the first argument names it.
_LEASHED = """
import os, shutil, sys, threading
folder = sys.argv.pop(1)
def watch():
    sys.stdin.buffer.read()
    for attempt in range(10):  # the server may write a new file into it meanwhile
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
import uvicorn
uvicorn.main()
"""


@dataclass(frozen=True)
class ServerState:
    """State of a Prefect server at one moment."""

    url: str
    pid: int | None
    """Process id of the server; None if the server is not running or is not helio's own."""
    up: bool
    external: bool
    version: str
    """Version of Prefect on the server; empty if the server does not answer."""
    home: Path | None
    """Folder of the server's database and settings; None if the server is not helio's own."""
    log: Path | None
    outdated: bool = False
    """Whether an earlier version of helio started the server, so that it does not check helio's secret password."""
    lives: str = ""
    """How long helio's own server keeps running, in words; empty if it is not running, or is not helio's own."""


@dataclass(frozen=True)
class _Process:
    """The process of a server that helio started, as recorded in ``server.json``."""

    pid: Count
    born: str
    port: Count
    host: str
    secret: str = ""
    """Short digest of the secret password with which the server was started; empty if an earlier version
    started the server."""
    idle: Seconds | None = None
    """Seconds without use after which the server ends itself; None if it never ends itself."""
    kept: bool = False
    """Whether a user keeps the server running with `helio up` until `helio down`."""
    log_from: Count = 0
    """Position in the log file, in bytes, at which the messages of this server process begin."""

    @property
    def alive(self) -> bool:
        # The pid alone may now belong to another process; the pid with the start time cannot.
        return bool(self.born) and self.host == socket.gethostname() and _born(self.pid) == self.born


class Server:
    """The Prefect server that records flow runs: helio's own server, or the server that PREFECT_API_URL names.

    Parameters
    ----------
    home : Path
        helio's home; the server's own folder is ``prefect`` in it.
    environ : mapping of str
        ``PREFECT_API_URL`` names an external server, which is never started or stopped here;
        ``PREFECT_API_KEY`` or ``PREFECT_API_AUTH_STRING`` are sent to it. The variables that `helio up --env` prints
        still mean helio's own server.
    idle : float or None
        Seconds without use after which a server started here ends itself; None for never.
    keep : float or None
        Age in seconds at which a server started here removes flow runs from its database; None for never.
    """

    def __init__(
        self,
        home: Path,
        environ: Mapping[str, str],
        *,
        idle: float | None = IDLE,
        keep: float | None = Retention.engine,
    ) -> None:
        self.home = home / "prefect"
        self.log = self.home / "server.log"
        self._environ = dict(environ)
        self._idle = idle
        self._keep = keep
        self._file = self.home / RECORD
        self._proven: _Process | None = None
        """Server process that has proved that it knows the secret password."""
        self.external = bool(environ.get("PREFECT_API_URL")) and not self._is_named_by(environ)

    @property
    def url(self) -> str:
        """Return the address of the server's API, or the expected address if helio's own server was never started."""
        if self.external:
            return self._environ["PREFECT_API_URL"].rstrip("/")
        process = self._process()
        return _api(process.port if process else FIRST_PORT)

    @property
    def ui_url(self) -> str:
        """Return the address of the server's web pages."""
        return self.url.removesuffix("/api")

    def link(self, page: str = "/") -> str:
        """Return the address of one of the server's pages, for the user's browser.

        It holds no secret. A browser that does not know the secret yet needs `with_ticket`.
        """
        if self.external:
            return self.ui_url + page
        return f"{self.ui_url}{START_PAGE}#{urlencode({'to': page}, safe='/')}"

    def with_ticket(self, link: str) -> str:
        """Return `link` with a ticket, which a browser can exchange for the secret password once, within ten minutes.

        For a terminal only: anybody who reads a ticket in time can use it. No link contains the secret itself, because
        other users can see the arguments of programs that open links. If the server does not answer, the link has no
        ticket.
        """
        # A program of another user at this address would get the ticket, and could use it at the server's next one.
        if self.external or not self.is_up():
            return link
        ticket = make_ticket(find_secret(self.home), time.time())
        return f"{link}&{urlencode({'ticket': ticket})}"

    def client_environment(self) -> dict[str, str]:
        """Return the environment variables with which Prefect's own commands find this server."""
        if self.external:
            names = ("PREFECT_API_URL", "PREFECT_API_KEY", "PREFECT_API_AUTH_STRING")
            return {name: self._environ[name] for name in names if name in self._environ}
        return {"PREFECT_API_URL": self.url, "PREFECT_API_AUTH_STRING": find_secret(self.home)}

    def is_outdated(self) -> bool:
        """Return whether helio's own server runs without the secret password; `start` replaces such a server."""
        process = None if self.external else self._process()
        return process is not None and process.alive and not self._has_secret(process)

    def is_up(self, timeout: float = 2.0) -> bool:
        """Return whether the server answers within so many seconds."""
        if not self.external:
            return self._proves_itself(timeout)
        try:
            return self.request("/health", timeout=timeout) is True
        except EngineError:
            return False

    def state(self) -> ServerState:
        """Return the state of the server, for `helio doctor`."""
        process = None if self.external else self._process()
        up = self.is_up()
        version = ""
        if up:
            try:
                version = str(self.request("/admin/version", timeout=2.0))
            except EngineError:
                version = ""  # an external server may not report it
        return ServerState(
            url=self.url,
            pid=process.pid if process is not None and process.alive else None,
            up=up,
            external=self.external,
            version=version,
            home=None if self.external else self.home,
            log=None if self.external else self.log,
            outdated=self.is_outdated(),
            lives=self._lives(process) if process is not None and process.alive else "",
        )

    def _lives(self, process: _Process) -> str:
        if process.kept or process.idle is None:
            return "the server runs until you run `helio down`"
        idle = _in_words(process.idle)
        try:
            with (self.home / USE).open() as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                used = os.fstat(lock.fileno()).st_mtime
        except BlockingIOError:
            return f"in use; the server stops {idle} after its last use"
        except OSError:
            return f"the server stops {idle} after its last use"
        end = datetime.fromtimestamp(used + process.idle, UTC)
        return f"not used now; the server stops at {end:%Y-%m-%d %H:%M} UTC, {idle} after its last use"

    @contextmanager
    def used(self) -> Iterator[None]:
        """Keep helio's own server from ending during a ``with`` block; if it is ending already, wait for its end.

        Call `is_up`, `start` or `wait` only within this, if you need an answer from the server.
        """
        if self.external:
            yield
            return
        reminder = Reminder(lambda: f"the engine's server has not ended yet{self._activity()}")
        with self._open_lock(USE) as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    reminder.remind()
                    time.sleep(0.05)
            yield

    def keep(self) -> None:
        """Keep the running server from stopping before `stop` is called, even if nobody uses it."""
        if self.external:
            return
        with self.used(), self._locked():
            process = self._process()
            if process is not None:
                self._write(replace(process, kept=True))

    def start(self) -> None:
        """Start helio's own server in the background, unless it is running; the method `wait` waits until it answers.

        Raises
        ------
        EngineError
            An external server does not answer; no port is free; the server runs on another machine; its database
            is damaged.
        """
        if self.external:
            self._require_external()
            return
        with self.used(), self._locked():
            process = self._process()
            if process is not None and process.host != socket.gethostname():
                raise EngineError(
                    f"the server of {self.home} runs on another machine, {process.host}",
                    advice=f"use --ephemeral, or set PREFECT_API_URL; if that server has ended, remove {self._file}",
                )
            if process is not None and process.alive:
                if self._has_secret(process):
                    return
                log.warning(
                    "an earlier version of helio started the engine's server, without the secret in %s; "
                    "helio now stops this server and starts a new one",
                    self.home,
                )
                _end(process)
            self.check_database()
            self._create_database()
            port = _free_port(process.port if process else FIRST_PORT)
            self._turn_log_over()
            begins = self.log.stat().st_size if self.log.exists() else 0
            is_kept = process is not None and process.kept
            self._write(
                replace(self._begun(self._spawn(port), port), idle=self._idle, kept=is_kept, log_from=begins)
            )

    def wait(self, timeout: float | None = None, *, stop: Callable[[], bool] = lambda: False) -> None:
        """Wait until the server answers; stop waiting if the process of the server ends.

        A server that has ended since `start`, because nobody used it, is started again.

        Parameters
        ----------
        timeout : float, optional
            Seconds. Default: no limit; messages report the wait at intervals.
        stop : callable
            Called at intervals; True ends the wait.

        Raises
        ------
        EngineError
            The server ended, or does not answer within `timeout`; the message has the end of its log.
        Cancelled
            `stop` returned True.
        """
        if self.external:
            self._require_external()
            return
        end = None if timeout is None else time.monotonic() + timeout
        reminder = Reminder(
            lambda: f"the engine's server at {self.url} does not answer yet{self._activity()}"
        )
        while not self.is_up():
            if stop():
                raise Cancelled("waiting for the engine's server was cancelled")
            process = self._process()
            if process is None or (not process.alive and self._lost_its_port()):
                self.start()  # at the next port that is free
                continue
            if not process.alive:
                raise self.database_error() or EngineError(
                    f"the engine's server ended while it started{self._log_tail()}",
                    advice=f"run `helio up`, and read the log {self.log}",
                )
            if end is not None and time.monotonic() > end:
                raise EngineError(
                    f"the engine's server at {self.url} does not answer after {timeout:g} s{self._log_tail()}",
                    advice="run `helio down`, then `helio up`; or use --ephemeral",
                )
            reminder.remind()
            time.sleep(0.05)

    def _activity(self) -> str:
        """Describe for a waiting user what the server's process is doing; empty if there is no process."""
        process = self._process()
        if process is None or not process.alive:
            return ""
        if _is_stopped(process.pid):
            how = f"kill -CONT {process.pid} resumes it, `helio down` ends it"
            return f": its process {process.pid} is suspended; {how}"
        return f": its process {process.pid} is running; its log is {self.log}"

    def _lost_its_port(self) -> bool:
        """Return whether the server ended because another process took the server's port."""
        return "address already in use" in self._log_tail()

    def database_error(self) -> EngineError | None:
        """Return the database error that is reported in the log of helio's own server; return None if there is none."""
        if self._database is None:
            return None
        log_text = "\n".join(self._log_lines())
        for text, meaning in DATABASE_ERRORS.items():
            if text in log_text:
                return _database_error(self._database, meaning, text)
        return None

    @property
    def _database(self) -> Path | None:
        """Return the path of the database of helio's own server; None if the user chose another database or server."""
        chosen = self.external or any(self._environ.get(name) for name in OTHER_DATABASE)
        return None if chosen else self.home / DATABASE

    def check_database(self) -> None:
        """Refuse a database file that is unreadable, read-only or not an SQLite database, before a server uses it."""
        path = self._database
        if path is None or not path.exists():
            return
        if not path.is_file():
            raise _database_error(path, DAMAGED, "the path is not a file")
        if not os.access(path, os.R_OK | os.W_OK):
            raise _database_error(path, UNREADABLE, "its permissions forbid reading or writing")
        with path.open("rb") as file:
            head = file.read(len(SQLITE))
        if head and head != SQLITE:
            raise _database_error(path, DAMAGED, "the file is not an SQLite database")

    def _create_database(self) -> None:
        if self._database is None:
            return
        import sqlite3

        from helio.flows.new_database import create_database

        try:
            create_database(self._database)
        except sqlite3.OperationalError as error:
            raise _database_error(self._database, UNREADABLE, str(error)) from error

    def _proves_itself(self, timeout: float) -> bool:
        """Return whether the server that answers is the process that helio started: it knows the secret password.

        Another user's program may have taken the port. Do not send the secret before the process proves that it has it.
        """
        process = self._process()
        secret = find_secret(self.home)
        if process is None or not process.alive or not secret:
            return False
        challenge = secrets.token_hex(16)
        try:
            answer = self._call(f"{PROOF.removeprefix('/api')}?{challenge}", None, {}, "GET", timeout)
        except EngineError:
            return False
        is_ours: bool = answer == {"proof": proof_of(secret, challenge)}
        self._proven = process if is_ours else None
        return is_ours

    def _has_secret(self, process: _Process) -> bool:
        return process.secret == mark_of(find_secret(self.home))

    def _is_named_by(self, environ: Mapping[str, str]) -> bool:
        """Return whether the environment variables name helio's own server, by its secret password or its address."""
        secret = environ.get("PREFECT_API_AUTH_STRING")
        if secret and secret == find_secret(self.home):
            return True
        process = self._process()
        if process is None or not process.alive:
            return False
        return environ["PREFECT_API_URL"].rstrip("/") == _api(process.port)

    def stop(self) -> bool:
        """Stop helio's own server if it is running; return whether it was running.

        Raises
        ------
        EngineError
            The server is not helio's own.
        """
        if self.external:
            raise EngineError(
                f"the server at {self.url} was not started by helio",
                advice="stop the server with the program that started it",
            )
        with self._locked():
            process = self._process()
            ran = process is not None and process.alive
            if process is not None and ran:
                _end(process)
            if process is not None and process.host == socket.gethostname():
                self._file.unlink(missing_ok=True)
            return ran

    def request(self, path: str, body: Any = None, *, method: str = "", timeout: float = 10.0) -> Any:
        """Send one request to the server's REST API; return the JSON of the reply, or None if the reply is empty.

        Raises
        ------
        EngineError
            The server cannot be reached in time, or refuses the call.
        """
        if not self.external and not self._is_known() and not self.is_up(timeout):
            raise EngineError(f"the server at {self.url} cannot be reached")
        method = method or ("GET" if body is None else "POST")
        return self._call(path, body, self._authorization(), method, timeout)

    def _call(
        self, path: str, body: Any, authorization: Mapping[str, str], method: str, timeout: float
    ) -> Any:
        import http.client
        import urllib.error
        import urllib.request

        try:
            call = urllib.request.Request(
                self.url + path,
                None if body is None else json.dumps(body, default=str).encode(),
                {"Content-Type": "application/json", **authorization},
                method=method,
            )
            # An institute's proxy cannot reach this machine's loopback address.
            ours = urllib.request.ProxyHandler({} if is_loopback(self.url) else None)
            with urllib.request.build_opener(ours).open(call, timeout=timeout) as reply:
                content = reply.read()
            return json.loads(content) if content else None
        except urllib.error.HTTPError as error:
            reason = error.read(500).decode(errors="replace")
            if error.code == 500 and (damage := self.database_error()):
                raise damage from error
            raise EngineError(
                f"the server at {self.url} refused {path}: status {error.code}, {reason}"
            ) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            # ValueError: PREFECT_API_URL is not a URL, or the reply is not JSON
            raise EngineError(f"the server at {self.url} cannot be reached: {error}") from error

    def _is_known(self) -> bool:
        """Return whether the process that proved itself is still running."""
        return self._proven is not None and self._proven == self._process() and self._proven.alive

    def _authorization(self) -> dict[str, str]:
        if self.external and (key := self._environ.get("PREFECT_API_KEY")):
            return {"Authorization": f"Bearer {key}"}
        if text := self.client_environment().get("PREFECT_API_AUTH_STRING"):
            return {"Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}
        return {}

    def _require_external(self) -> None:
        if not self.is_up():
            raise EngineError(
                f"no Prefect server answers at {self.url}, the address in PREFECT_API_URL",
                advice="start that server, unset PREFECT_API_URL to use helio's own, or use --ephemeral",
            )

    def _process(self) -> _Process | None:
        try:
            return read_record(self._file, _Process)
        except FileNotFoundError:
            return None
        except DamagedRecord as error:  # do not trust its content, above all not its pid
            if self._file.is_dir():
                raise EngineError(
                    f"the record of the engine's server is damaged: {error.message}",
                    advice=f"remove {self._file}",
                ) from error
            log.warning("%s", error.message)
            return None

    def _write(self, process: _Process) -> None:
        write_whole(self._file, (json.dumps(asdict(process), indent=1) + "\n").encode())

    def _begun(self, pid: int, port: int) -> _Process:
        """Describe the server process that has just been started."""
        return _Process(pid, _born(pid), port, socket.gethostname(), mark_of(find_secret(self.home)))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the server's files during a ``with`` block; the lock ends when this process ends."""
        with self._open_lock("server.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _open_lock(self, name: str) -> IO[str]:
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            close_to_others(self.home)
            return (self.home / name).open("a")
        except OSError as error:
            raise EngineError(
                f"the server's folder {self.home} cannot be written: {error.strerror or error}",
                advice="set HELIO_HOME to a folder that you can write, or use --ephemeral",
            ) from error

    def _spawn(self, port: int) -> int:
        command = _command(port, "-m", "uvicorn")
        # The shell ends at once, so that the server cannot become a zombie of this process.
        started = subprocess.run(
            ["/bin/sh", "-c", '"$@" </dev/null >>"$HELIO_SERVER_LOG" 2>&1 & echo $!', "sh", *command],
            cwd=self.home,
            env={
                **server_environment(self.home, port, self._environ, keep=self._keep),
                "HELIO_SERVER_LOG": str(self.log),
            },
            start_new_session=True,
            stdout=subprocess.PIPE,
            check=True,
        )
        return int(started.stdout)

    def _turn_log_over(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_suffix(".log.1"))

    def limit_log(self) -> None:
        """Move a long log of the running server to ``server.log.1``, of which only the end is kept.

        Raises
        ------
        OSError
        """
        with self._locked():
            if not self.log.exists() or self.log.stat().st_size <= LARGEST_LOG:
                return
            with self.log.open("rb+") as log:  # the server keeps the file open, and appends
                log.seek(-LARGEST_LOG, os.SEEK_END)
                write_whole(self.log.with_suffix(".log.1"), log.read())
                log.truncate(0)
            process = self._process()
            if process is not None:
                self._write(replace(process, log_from=0))

    def shrink_database(self) -> int:
        """Give the free space in the database back to the disk, in small steps; return the number of bytes.

        A database that an earlier version of helio made keeps its size; the server uses its free space again.

        Raises
        ------
        EngineError
            The database cannot be read or written.
        """
        import sqlite3

        if self._database is None or not self._database.exists():
            return 0
        try:
            with closing(sqlite3.connect(self._database, isolation_level=None)) as database:
                (size,) = database.execute("PRAGMA page_size").fetchone()
                (before,) = database.execute("PRAGMA freelist_count").fetchone()
                left = before
                while left > SPARE_PAGES:
                    database.execute(f"PRAGMA incremental_vacuum({VACUUMED_PAGES})").fetchall()
                    (now,) = database.execute("PRAGMA freelist_count").fetchone()
                    if now >= left:
                        break
                    left = now
                return int((before - left) * size)
        except sqlite3.Error as error:
            raise EngineError(f"the engine's database {self._database} cannot be shrunk: {error}") from error

    def _log_tail(self) -> str:
        return "".join(f"\n  | {line}" for line in self._log_lines()[-8:])

    def _log_lines(self) -> list[str]:
        """Return the lines that the server has logged since its start, or only the last lines of a very long log."""
        process = self._process()
        try:
            with self.log.open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(max(process.log_from if process else 0, size - LONGEST_LOG))
                return log.read().decode(errors="replace").splitlines()
        except OSError:
            return []


@contextmanager
def ephemeral_server(environ: Mapping[str, str]) -> Iterator[Server]:
    """Start a server for one run in a temporary folder; the server ends with this process. Useful on batch systems.

    Raises
    ------
    EngineError
        The server does not start.
    """
    with tempfile.TemporaryDirectory(prefix="helio-prefect-", ignore_cleanup_errors=True) as folder:
        port = _free_port(0)
        own = {name: value for name, value in environ.items() if not name.startswith("PREFECT_API_")}
        server = Server(Path(folder), own)
        server.home.mkdir(mode=0o700)
        server._create_database()
        with (
            server.log.open("wb") as log,
            subprocess.Popen(
                _command(port, "-c", _LEASHED, folder),
                cwd=server.home,
                env={**server_environment(server.home, port, environ), "PREFECT_SERVER_UI_ENABLED": "false"},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches only the run, so that it can report its end to the server
            ) as process,
        ):
            interrupts.spare(process.pid)  # it removes its folder when this process is gone
            try:
                server._write(server._begun(process.pid, port))
                reminder = Reminder(
                    lambda: (
                        f"the run's own server, process {process.pid}, does not answer yet; its log: {server.log}"
                    )
                )
                while not server.is_up():
                    if process.poll() is not None:
                        raise EngineError(f"the run's own server did not start{server._log_tail()}")
                    reminder.remind()
                    time.sleep(0.05)
                yield server
            finally:
                process.terminate()
                try:
                    process.wait(3.0)
                except subprocess.TimeoutExpired:
                    process.kill()


def server_environment(
    home: Path, port: int, environ: Mapping[str, str], *, keep: float | None = Retention.engine
) -> dict[str, str]:
    """Return the environment variables with which helio's own server is started.

    Parameters
    ----------
    keep : float or None
        Age in seconds at which the server removes flow runs from its database; None for never.
    """
    theirs = {name: value for name, value in environ.items() if not name.startswith("PREFECT_")}
    # Keep the user's settings of the server (PostgreSQL, automations), except its address and its secret.
    chosen = {name: value for name, value in environ.items() if name.startswith("PREFECT_SERVER_")}
    origin = f"http://{LOOPBACK}:{port}"
    return {
        **theirs,
        **TUNED,
        **({} if keep is None else {VACUUM: "events,flow_runs", KEPT: str(keep)}),
        **chosen,
        **SILENT,
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_API_HOST": LOOPBACK,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_API_AUTH_STRING": make_secret(home),
        "PREFECT_SERVER_UI_API_URL": f"{origin}/api",
        # By default Prefect lets every web page read and start runs. `Doors` refuses such requests.
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": origin,
        "PYTHONUNBUFFERED": "1",
    }


def _command(port: int, *how: str) -> list[str]:
    code = Path(helio.__file__).resolve().parent.parent
    factory = ["--app-dir", str(code), "--factory", "helio.flows.application:create_app"]
    where = ["--host", LOOPBACK, "--port", str(port), "--lifespan", "on"]
    return [sys.executable, *how, *factory, *where, "--log-level", "warning", "--no-access-log"]


def _api(port: int) -> str:
    return f"http://{LOOPBACK}:{port}/api"


def is_loopback(url: str) -> bool:
    """Return whether an address belongs to this machine."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _free_port(preferred: int) -> int:
    """Return a free port: the preferred port if it is free, or else one of the next; 0 lets the system choose."""
    for port in (preferred, *(other for other in PORTS if other != preferred)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            # As in uvicorn: a port whose last connections are only timing out is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise EngineError(
        f"no port from {PORTS.start} to {PORTS.stop - 1} is free for the engine's server",
        advice="use --ephemeral, or set PREFECT_API_URL to a running server",
    )


def _born(pid: int) -> str:
    """Return the start time of a process as the kernel counts it; return an empty text if the process has ended."""
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
    listed = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True)
    state, _, born = listed.stdout.strip().partition(" ")
    return "" if not state or state.startswith("Z") else born.strip()


def _is_stopped(pid: int) -> bool:
    """Return whether a process is suspended, for example by SIGSTOP or Ctrl-Z."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return shown.stdout.strip().startswith(("T", "t"))


class Reminder:
    """Messages that tell a waiting user, at intervals, why the program waits.

    Parameters
    ----------
    text : callable
        Makes the text of the message.
    """

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._begun = time.monotonic()
        self._next = self._begun + PATIENCE

    def remind(self) -> None:
        """Log the message if enough time has passed since the last message."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + REMINDER
            notice.warning(
                "%s; helio has waited for %.0f s (Ctrl-C cancels)", self._text(), now - self._begun
            )


def _database_error(path: Path, meaning: str, reason: str) -> EngineError:
    files, folder = f"{shlex.quote(str(path))}*", shlex.quote(str(path.with_name("damaged")))
    # Include its journals: SQLite would replay an old journal into a new database.
    away = (
        f"move the database away: mkdir -p {folder} && mv {files} {folder}/ (the next run makes a new one; results and"
        " run records stay; the engine's pages start empty)"
    )
    advice = {
        DAMAGED: away,
        UNREADABLE: f"run chmod u+rw {files}; or {away}",
        FULL: "free some space on the disk, or use --ephemeral",
        FOREIGN: f"install the version of Prefect that wrote the database; or {away}",
    }[meaning]
    return EngineError(f"the engine's database {path} {meaning} ({reason})", advice=advice)


def _in_words(seconds: float) -> str:
    return str(Duration(f"{seconds:.3f}s"))


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _end(process: _Process) -> None:
    """End a process with SIGTERM; if that does not end it, use SIGKILL."""
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
    raise EngineError(f"the engine's server, process {process.pid}, does not end, even after SIGKILL")


def ask(server: Server, path: str, body: Any = None, *, method: str = "", timeout: float = 10.0) -> Any:
    """Send a request that may be repeated; repeat it within the timeout while the server's database is busy."""
    end = time.monotonic() + timeout
    for pause in (0.2, 0.5, 1.0, 2.0):
        try:
            return server.request(path, body, method=method, timeout=timeout)
        except EngineError as error:
            if getattr(error.__cause__, "code", None) != 503 or time.monotonic() + pause > end:
                raise
            log.debug("%s; again in %s s", error.message, pause)
            time.sleep(pause)
    return server.request(path, body, method=method, timeout=timeout)
