"""End helio's own Prefect server after a time without use: a thread watches whether the server is used."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]
"""A web application in the form of the ASGI standard."""

RECORD = "server.json"
"""File that says which process is the server, how long it may be unused, and whether a person keeps it running."""
USE = "server.use"
"""File that every program which uses the server locks (shared lock). The server ends only if no other
program holds a lock.

The kernel releases a lock when its holder dies. The file's time is that of the last use.
"""
EVERY = 2.0
"""Seconds between two checks of whether the server is used."""
PATIENCE = 10.0
"""Seconds in which the server must end cleanly; new users of the server wait until it has ended."""
LOOKS = ("/api/health", "/api/admin/")
"""Beginnings of paths that only check whether the server runs; requests to them do not count as use of the server."""
REPORTS = "/events/in"
"""Path of the connection over which a run reports its steps. Other websockets belong to pages in a browser."""

log = logging.getLogger("prefect.helio")  # Prefect's handlers write it into the server's log


def end_when_idle(application: Application, folder: Path) -> WatchedApplication:
    """Wrap a web application, and start a thread that ends the process if nobody uses the application for some time.

    Parameters
    ----------
    application : Application
    folder : Path
        The folder with the server's record and the lock of its users.
    """
    watched = WatchedApplication(application, folder)
    threading.Thread(target=watched.watch, name="helio-idle", daemon=True).start()
    return watched


class WatchedApplication:
    """Web application that knows when it was last used.

    Parameters
    ----------
    application : Application
    folder : Path
        The folder with the server's record and the lock of its users.
    clock : callable
        Seconds since any fixed time.
    """

    def __init__(
        self, application: Application, folder: Path, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._application = application
        self._folder = folder
        self._clock = clock
        self._used = clock()
        self._written: float | None = None
        self._open = 0
        self._idle: float | None = None

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Answer a request, and remember the time if the request counts as use of the server."""
        if not _is_use(scope):
            await self._application(scope, receive, send)
            return
        self._open += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._open -= 1
            self._used = self._clock()

    def watch(self) -> None:
        """Check regularly whether the server is used; end this process after the allowed time without use."""
        while True:
            time.sleep(EVERY)
            try:
                with (self._folder / USE).open("a") as lock:
                    if self.is_over(lock.fileno()):
                        self._end()
            except FileNotFoundError:
                self._end()  # its folder was removed, so that no program can find it
            except OSError as error:
                log.warning("cannot check whether this server is in use: %s", error)

    def is_over(self, lock: int) -> bool:
        """Return whether the server must end now; if so, keep the lock, and remove the file that describes the server.

        Parameters
        ----------
        lock : int
            A descriptor of the file that users lock; closing it releases the lock.
        """
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._used = self._clock()  # a user holds it
            return False
        if self._open:
            self._used = self._clock()
        record = self._record()
        # Without our record, the earlier value counts; a server for one run never has a record.
        self._idle = record.get("idle") if record else self._idle
        if record.get("kept") or self._idle is None or self._clock() - self._used < self._idle:
            self._write_use(lock)
            fcntl.flock(lock, fcntl.LOCK_UN)
            return False
        log.warning("the server was not used for %g s and ends now", self._clock() - self._used)
        if record:
            (self._folder / RECORD).unlink()
        return True

    def _record(self) -> dict[str, Any]:
        """Read the file that describes the server; return None if the file describes another process."""
        try:
            record = json.loads((self._folder / RECORD).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return record if isinstance(record, dict) and record.get("pid") == os.getpid() else {}

    def _write_use(self, lock: int) -> None:
        if self._used != self._written:
            when = time.time() - (self._clock() - self._used)
            os.utime(lock, (when, when))
            self._written = self._used

    def _end(self) -> None:
        """End this process as `helio down` does, by force if needed, because new users of the server wait for it."""
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(0)


def _is_use(scope: Message) -> bool:
    path = str(scope.get("path", ""))
    if scope["type"] == "websocket":
        return path.endswith(REPORTS)
    return scope["type"] == "http" and not path.startswith(LOOKS)
