"""Server for tests on loopback that runs in its own thread during a ``with`` block."""

from __future__ import annotations

import errno
import os
import socketserver
import sys
import threading
from itertools import cycle
from typing import Any, Self

_FIRST, _END = 11_000, 32_000
"""Range of the ports: below those that the system gives to connections, and all open to a browser."""
_APART = 2_000
"""Number of ports between the first port of one process and that of the next."""


class LoopbackServer:
    """Server for tests on 127.0.0.1 that starts when the object is made, and stops at the end of its ``with`` block.

    Parameters
    ----------
    handler : class of socketserver.BaseRequestHandler
        Class that serves one connection; ``self.server.owner`` is this object.
    port : int
        Default: a port that this process has not used, because a client of a server that ended may still try its port.

    Attributes
    ----------
    url : str
        ``http://127.0.0.1:PORT``.
    over : threading.Event
        Set when the server ends, so that waiting handlers stop.
    """

    def __init__(self, handler: type[socketserver.BaseRequestHandler], port: int = 0) -> None:
        self.over = threading.Event()
        self.server = OwnedServer(("127.0.0.1", port), handler) if port else _on_next_port(handler)
        self.server.owner = self
        self.port: int = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server and drop all waiting requests."""
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


class OwnedServer(socketserver.ThreadingTCPServer):
    """HTTP server with one thread for each connection; its attribute `owner` is the test server that runs it."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error that occurs in the test server, but ignore clients that disconnected, because some
        tests do this on purpose.
        """
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


_first = os.getpid() * _APART % (_END - _FIRST) + _FIRST
_ports = cycle((*range(_first, _END), *range(_FIRST, _first)))


def _on_next_port(handler: type[socketserver.BaseRequestHandler]) -> OwnedServer:
    """Return a server on the next port that nobody uses."""
    while True:
        try:
            return OwnedServer(("127.0.0.1", next(_ports)), handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
