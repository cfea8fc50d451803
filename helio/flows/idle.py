"""Ends a server without users: watches the application from a thread."""

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
"""An ASGI application."""

RECORD = "server.json"
"""The file that says which process the server is, how long it may be idle, and whether a person keeps it."""
USE = "server.use"
"""A file that every user of the server holds a shared lock on. The server ends only while it has the lock alone.

The kernel lets go of a lock when its holder dies. The file's time is that of the last use.
"""
EVERY = 2.0
"""Seconds between two looks."""
PATIENCE = 10.0
"""Seconds that the server has to end in order. New users wait for it, so it may not take longer."""
LOOKS = ("/api/health", "/api/admin/")
"""Who asks for these only looks whether the server is there; this is no use."""
REPORTS = "/events/in"
"""The connection over which a run reports its steps. Other open websockets are pages that only watch."""

log = logging.getLogger("prefect.helio")  # Prefect's handlers write it into the server's log


def end_when_idle(application: Application, folder: Path) -> Watched:
    """Wrap an application, and watch from a thread whether anybody uses it.

    Parameters
    ----------
    application : Application
    folder : Path
        The folder with the server's record and the lock of its users.
    """
    watched = Watched(application, folder)
    threading.Thread(target=watched.watch, name="helio-idle", daemon=True).start()
    return watched


class Watched:
    """An application that remembers when it was last used.

    Parameters
    ----------
    application : Application
    folder : Path
        The folder with the server's record and the lock of its users.
    clock : callable
        Seconds, from anywhere.
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
        """Answer one request, and count it as use if it is."""
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
        """Look regularly; end this process when it was unused for the time that its record allows."""
        while True:
            time.sleep(EVERY)
            try:
                with (self._folder / USE).open("a") as lock:
                    if self.is_over(lock.fileno()):
                        self._end()
            except FileNotFoundError:
                self._end()  # its folder was removed: nobody can find it any more
            except OSError as error:
                log.warning("whether anybody uses this server cannot be seen: %s", error)

    def is_over(self, lock: int) -> bool:
        """Whether the server has to end now. If so, this process holds the lock alone, and the record is gone.

        Parameters
        ----------
        lock : int
            A descriptor of the file that users lock; closing it lets go of the lock.
        """
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._used = self._clock()  # somebody holds it
            return False
        if self._open:
            self._used = self._clock()
        record = self._record()
        # Without a record of ours what was known before counts; a server for one run never has a record.
        self._idle = record.get("idle") if record else self._idle
        if record.get("kept") or self._idle is None or self._clock() - self._used < self._idle:
            self._write_use(lock)
            fcntl.flock(lock, fcntl.LOCK_UN)
            return False
        if record:
            (self._folder / RECORD).unlink()
        log.warning("not used for %g s: the server ends itself", self._clock() - self._used)
        return True

    def _record(self) -> dict[str, Any]:
        """The server's record, if it is that of this process."""
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
        """End as `helio down` ends it, and for certain: new users of the server wait for the lock."""
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(0)


def _is_use(scope: Message) -> bool:
    path = str(scope.get("path", ""))
    if scope["type"] == "websocket":
        return path.endswith(REPORTS)
    return scope["type"] == "http" and not path.startswith(LOOKS)
