"""Server for tests on loopback that runs in its own thread during a ``with`` block."""

from __future__ import annotations

import socketserver
import sys
import threading
from typing import Any, Self


class LoopbackServer:
    """Server for tests on 127.0.0.1 that starts when the object is made, and stops at the end of its ``with`` block.

    Parameters
    ----------
    handler : class of socketserver.BaseRequestHandler
        Class that serves one connection; ``self.server.owner`` is this object.
    port : int
        Default: a free port.

    Attributes
    ----------
    url : str
        ``http://127.0.0.1:PORT``.
    over : threading.Event
        Set when the server ends, so that waiting handlers stop.
    """

    def __init__(self, handler: type[socketserver.BaseRequestHandler], port: int = 0) -> None:
        self.over = threading.Event()
        self.server = OwnedServer(("127.0.0.1", port), handler)
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
