"""Serve the gallery on the loopback address: with the schedules, or alone until Ctrl-C."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from helio.errors import OutputError, RequestError
from helio.flows.doors import LOOPBACK
from helio.flows.run import signals_to
from helio.flows.secret import make_secret
from helio.flows.server import FIRST_PORT
from helio.flows.tickets import make_ticket
from helio.settings import Settings
from helio.web.application import OPEN, Gallery
from helio.web.site import Site

PORTS = range(4180, FIRST_PORT)
"""Ports that helio tries for the gallery, in this order, if the user names none."""
ENDING = 5.0
"""Seconds that answers may take after Ctrl-C."""


def serve(
    settings: Settings,
    *,
    port: int | None = None,
    on_link: Callable[[str, bool], None],
    on_terminal: bool = False,
    stopped: threading.Event | None = None,
) -> bool:
    """Serve the gallery of a home folder until Ctrl-C or SIGTERM; if another process does, only make a link.

    Parameters
    ----------
    port : int, optional
        Where to listen; 0 for any free port. Default: the first free one of `PORTS`.
    on_link : callable
        Called with the address of the gallery, and whether this process serves it.
    on_terminal : bool
        Whether only a person at a terminal reads the address; it then holds a ticket, which opens the pages.
    stopped : Event, optional
        Ends the server when it is set.

    Returns
    -------
    bool
        Whether this process served the gallery.

    Raises
    ------
    RequestError
        Another program uses the port.
    """
    home = _Home(settings, on_terminal)
    ended = stopped or threading.Event()
    with signals_to(ended.set), home.lock() as is_ours:
        if not is_ours:
            on_link(home.link(home.noted_port()), False)
            return False
        with _listening(port) as listener, _answering(settings, home.secret, listener, ended):
            on_link(home.note(listener), True)
            ended.wait()
    return True


@contextmanager
def serving(settings: Settings, *, port: int | None = None, on_terminal: bool = False) -> Iterator[str]:
    """Serve the gallery in a thread during a ``with`` block, also if another process serves it at another port.

    The parameters are those of `serve`. Yields the link that opens the gallery.

    Raises
    ------
    RequestError
        Another program uses the port.
    """
    home = _Home(settings, on_terminal)
    ended = threading.Event()
    with (
        home.lock() as is_ours,
        _listening(port) as listener,
        _answering(settings, home.secret, listener, ended),
    ):
        yield home.note(listener) if is_ours else home.link(listener.getsockname()[1])


class _Home:
    """The folder `gallery` of a home: the process that has its lock notes the port at which it serves the gallery."""

    def __init__(self, settings: Settings, on_terminal: bool) -> None:
        folder = settings.home / "gallery"
        folder.mkdir(parents=True, exist_ok=True)
        self.secret = make_secret(folder)
        self._path = folder / ".serve.lock"
        self._on_terminal = on_terminal

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Take the lock during a ``with`` block; yield False if another process has it."""
        try:
            lock = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise OutputError(f"{self._path} cannot be written: {error.strerror}") from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                os.ftruncate(lock, 0)
                yield True
        finally:
            os.close(lock)

    def note(self, listener: socket.socket) -> str:
        """Note the port of a socket for other processes, and return the link."""
        port = listener.getsockname()[1]
        self._path.write_text(json.dumps({"port": port}), encoding="utf-8")
        return self.link(port)

    def noted_port(self) -> int:
        """Return the port at which another process serves the gallery."""
        try:
            return int(json.loads(self._path.read_text(encoding="utf-8"))["port"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(
                "another process is starting to serve the gallery", advice="run the same command again"
            ) from error

    def link(self, port: int) -> str:
        """Return the link that opens the gallery at a port."""
        ticket = f"#{make_ticket(self.secret, time.time())}" if self._on_terminal else ""
        return f"http://{LOOPBACK}:{port}{OPEN}{ticket}"


@contextmanager
def _answering(
    settings: Settings, secret: str, listener: socket.socket, ended: threading.Event
) -> Iterator[None]:
    """Let uvicorn answer requests in a thread; set the event when it ends."""
    import uvicorn

    server: list[uvicorn.Server] = []

    def answer() -> None:
        try:
            # In the thread, because reading the records of many runs takes seconds.
            application = Gallery(Site(settings, is_served=True), secret, listener.getsockname()[1])
            # helio prints no address of a request: it holds the word that opens the gallery.
            config = uvicorn.Config(
                application, log_config=None, access_log=False, lifespan="off", ws="none", server_header=False,
                timeout_graceful_shutdown=int(ENDING),
            )  # fmt: skip
            server.append(uvicorn.Server(config))
            if not ended.is_set():
                server[0].run(sockets=[listener])
        finally:
            ended.set()

    thread = threading.Thread(target=answer, name="helio-gallery", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        for running in server:
            running.should_exit = True
        thread.join(2 * ENDING)


@contextmanager
def _listening(port: int | None) -> Iterator[socket.socket]:
    """Listen on a port, or on the first free one of `PORTS`."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        numbers = PORTS if port is None else (port,)
        for number in numbers:
            try:
                listener.bind((LOOPBACK, number))
                listener.listen(128)  # a browser that is faster than the server waits
                break
            except (OSError, OverflowError) as error:
                if number != numbers[-1]:
                    continue
                reason = getattr(error, "strerror", None) or str(error)
                raise RequestError(
                    f"the gallery cannot use port {number}: {reason}",
                    advice="choose another port with --port",
                ) from error
        yield listener
