"""Serve the gallery on the loopback address until Ctrl-C."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.errors import OutputError, RequestError
from helio.flows.doors import LOOPBACK
from helio.flows.run import signals_to
from helio.flows.secret import make_secret
from helio.flows.tickets import make_ticket
from helio.settings import Settings
from helio.web.application import OPEN, Gallery
from helio.web.site import Site

PORT = 4180
"""Port on which helio serves the gallery by default."""
ENDING = 5.0
"""Seconds that answers may take after Ctrl-C."""


def serve(
    settings: Settings,
    *,
    port: int = PORT,
    on_link: Callable[[str, bool], None],
    on_terminal: bool = False,
    stopped: threading.Event | None = None,
) -> bool:
    """Serve the gallery of a home folder until Ctrl-C or SIGTERM; if another process does, only make a link.

    Parameters
    ----------
    port : int
        Where to listen; 0 for any free port.
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
    folder = settings.home / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    secret = make_secret(folder)

    def link(listening: int) -> str:
        ticket = f"#{make_ticket(secret, time.time())}" if on_terminal else ""
        return f"http://{LOOPBACK}:{listening}{OPEN}{ticket}"

    ended = stopped or threading.Event()
    with signals_to(ended.set), _only_one(folder) as lock:
        if lock is None:
            on_link(link(_port_of(folder)), False)
            return False
        with _listening(port) as listener:
            listening: int = listener.getsockname()[1]
            _note_port(lock, listening)
            application = Gallery(Site(settings), secret, listening)
            on_link(link(listening), True)
            _run(application, listener, ended)
    return True


def _run(application: Gallery, listener: socket.socket, stopped: threading.Event) -> None:
    """Let uvicorn answer requests until the event is set."""
    import uvicorn

    # helio prints no address of a request: it holds the word that opens the gallery.
    config = uvicorn.Config(
        application, log_config=None, access_log=False, lifespan="off", ws="none", server_header=False,
        timeout_graceful_shutdown=int(ENDING),
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="gallery", daemon=True)
    thread.start()
    while thread.is_alive() and not stopped.wait(0.2):
        pass
    server.should_exit = True
    thread.join(2 * ENDING)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
            listener.listen(128)  # a browser that is faster than the server waits
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise RequestError(
                f"the gallery cannot use port {port}: {reason}", advice="choose another port with --port"
            ) from error
        yield listener


@contextmanager
def _only_one(folder: Path) -> Iterator[int | None]:
    """Take the lock of a gallery; yield its file, or None if another process has it."""
    try:
        lock = os.open(folder / ".serve.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise OutputError(f"{folder / '.serve.lock'} cannot be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield lock
    finally:
        os.close(lock)


def _note_port(lock: int, port: int) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps({"port": port}).encode(), 0)


def _port_of(folder: Path) -> int:
    """Return the port on which another process serves the gallery."""
    try:
        return int(json.loads((folder / ".serve.lock").read_text())["port"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(
            "another process is starting to serve the gallery", advice="run the same command again"
        ) from error
