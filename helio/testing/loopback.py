"""A server on loopback, in a thread of its own, for as long as a ``with`` lasts."""

from __future__ import annotations

import socketserver
import sys
import threading
from typing import Any, Self


class LoopbackServer:
    """Answers on 127.0.0.1 from the moment it is made; a context manager that closes it.

    Parameters
    ----------
    handler : class of socketserver.BaseRequestHandler
        Serves one connection; it reaches this object as ``self.server.owner``.
    port : int
        A free one when left out.

    Attributes
    ----------
    url : str
        ``http://127.0.0.1:PORT``.
    over : threading.Event
        Set when the server ends, so that handlers that wait stop waiting.
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
        """Stop serving; what waits is dropped."""
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


class OwnedServer(socketserver.ThreadingTCPServer):
    """Serves each connection in a thread, and knows its owner."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error of the stand-in, except that a client went away: some tests cause that."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
