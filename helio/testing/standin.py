"""Base class of test servers on loopback, which record requests and can be told to fail."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from helio.testing.loopback import LoopbackServer, OwnedServer


@dataclass
class Request:
    """Request that the test server received."""

    method: str
    path: str
    headers: Mapping[str, str]
    status: int = 0

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of the request by name; each parameter may occur only once."""
        return dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))


@dataclass
class Fault:
    """Fault that the test server shows on a request: the kind of fault, and a number for the kinds that need a number.

    Instead of the reply: ``"timeout"`` (seconds of silence), ``"reset"``, ``"closed"``, ``"html"`` (a page about
    maintenance), ``"empty"`` (an empty object), ``"429"`` and ``"503 retry"`` (seconds to wait), ``"429 date"``
    (seconds since 1970 until which to wait), any other status such as ``"503"``.

    In its body: ``"wrong length"``, ``"damaged"``, ``"flipped"`` (one bit), ``"garbage"`` (no digits), ``"cut"`` (after
    this many bytes, without a stated length), ``"unframed"``, ``"truncate"``, ``"reset midway"`` and ``"stall"``
    (after this many of the stated bytes), ``"slow"`` (seconds between parts).
    """

    kind: str
    number: float = 0.0


class StandIn(LoopbackServer):
    """Test server on loopback that replies as the `handler` of the class says; a context manager.

    `fail` sets faults for the next requests whose path contains some text; `requests` lists the requests.

    For another service, write a subclass with a handler, and reply in `Handler.route`:

    >>> class Clocks(StandIn):
    ...     class handler(Handler):
    ...         def route(self) -> None:
    ...             self.answer(200, {"time": "2024-05-10T12:00:00Z"})
    >>> with Clocks() as server:
    ...     server.fail("/now", "503", ("timeout", 2))

    Attributes
    ----------
    requests : list of Request
    most_at_once : int
        Maximum number of requests at the same time.
    """

    handler: ClassVar[type[Handler]]

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._faults: dict[str, list[Fault]] = {}
        super().__init__(self.handler)

    def fail(self, path: str, *faults: str | tuple[str, float]) -> None:
        """Make the next requests whose path contains `path` fail: one request for each given fault."""
        queue = [Fault(*fault) if isinstance(fault, tuple) else Fault(fault) for fault in faults]
        with self._lock:
            self._faults.setdefault(path, []).extend(queue)

    def mend(self) -> None:
        """Remove all faults and forget all requests."""
        with self._lock:
            self._faults.clear()
            self.requests.clear()

    def asked(self, part: str) -> list[Request]:
        """Return the received requests whose path contains a text."""
        return [request for request in self.requests if part in request.path]

    def fault_for(self, path: str) -> Fault | None:
        with self._lock:
            for part, queue in self._faults.items():
                if part in path and queue:
                    return queue.pop(0)
        return None

    def enter(self) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def leave(self) -> None:
        with self._lock:
            self._at_once -= 1


class Handler(BaseHTTPRequestHandler):
    """Handler of one request; a subclass writes `route`, and may add kinds of faults in `go_wrong`.

    In `route`: ``self.path`` is the requested path, ``self.request_made`` the whole request, ``self.body`` the posted
    data, ``self.standin`` the stand-in.
    """

    protocol_version = "HTTP/1.1"
    wbufsize = (
        64 * 1024
    )  # send head and body together: otherwise the body waits for the head's acknowledgement
    server: OwnedServer

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, because tests read the list `requests` instead of a log."""

    @property
    def standin(self) -> Any:
        """Test server to which this handler belongs."""
        return self.server.owner

    @property
    def host(self) -> str:
        """Host and port of the server, as the client wrote them."""
        return self.headers["Host"]

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        self.request_made = Request(self.command, self.path, dict(self.headers.items()))
        self.standin.requests.append(self.request_made)
        self._inside = True
        self.standin.enter()
        try:
            self.fault = self.standin.fault_for(self.path)
            if self.fault is None or not self.go_wrong(self.fault):
                self.route()
        finally:
            self._leave()

    def _leave(self) -> None:
        """Count the request as finished before its last byte is sent, because the client may send the next
        request after this byte.
        """
        if self._inside:
            self._inside = False
            self.standin.leave()

    # Going wrong

    def go_wrong(self, fault: Fault) -> bool:
        """Show the fault of a request; return whether the fault replaces the reply."""
        if fault.kind == "timeout":
            self.standin.over.wait(fault.number or 5)
            self.close_connection = True
        elif fault.kind == "reset":
            self._reset()
        elif fault.kind == "closed":
            self.close_connection = True
        elif fault.kind == "html":
            self.answer(200, b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "text/html")
        elif fault.kind in ("429", "503 retry"):
            wait = {"Retry-After": f"{fault.number:g}"}
            self.answer(int(fault.kind[:3]), {"Message": ["slow down"]}, headers=wait)
        elif fault.kind == "429 date":
            self.answer(429, b"", "text/plain", {"Retry-After": formatdate(fault.number, usegmt=True)})
        elif fault.kind.isdigit():
            self.answer(int(fault.kind), {"Message": [f"fault {fault.kind}"]})
        elif fault.kind == "empty":
            self.answer(200, {})
        else:
            return False
        return True

    def _reset(self) -> None:
        # closing with a linger time of zero sends RST
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()

    # Answering

    unframed = ""
    """HTTP version of replies that do not state their length, ``"HTTP/1.0"`` or ``"HTTP/1.1"``; empty if
    replies state their length.
    """

    def route(self) -> None:
        """Answer the request by one call of `answer`."""
        raise NotImplementedError

    def answer(
        self,
        status: int,
        content: Any,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
        reason: str | None = None,
    ) -> None:
        """Send a reply, changed by the fault of the request if there is one.

        Parameters
        ----------
        status : int
        content : bytes or JSON value
            The body: bytes as they are, anything else as JSON.
        kind : str
            The content type.
        headers : mapping, optional
            Further headers.
        reason : str, optional
            The text after the status.
        """
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        fault = self.fault.kind if self.fault is not None else ""
        number = self.fault.number if self.fault is not None else 0.0
        if fault == "wrong length":
            body = body[: len(body) // 2]
        elif fault == "damaged":
            body = body[:8] + bytes(len(body) - 8)
        elif fault == "flipped":
            body = body[: len(body) // 2] + bytes([body[len(body) // 2] ^ 1]) + body[len(body) // 2 + 1 :]
        elif fault == "garbage":
            body = body.translate(bytes(ord("x") if 48 <= byte < 58 else byte for byte in range(256)))
        elif fault == "cut":
            body = body[: int(number) or len(body) // 2 + 1]
        self.request_made.status = status
        unframed = fault in ("cut", "unframed") or (self.unframed and fault == "")
        if unframed and self.unframed == "HTTP/1.0":
            self.protocol_version = self.unframed
        self.send_response(status, reason)
        self.send_header("Content-Type", kind)
        if unframed:
            # without a stated length, the body ends with the connection
            self.send_header("Connection", "close")
            self.close_connection = True
        elif status != 304:
            self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD" or status == 304:
            return
        if fault in ("truncate", "reset midway", "stall"):
            self.wfile.write(body[: int(number) or len(body) // 2])
            self.wfile.flush()
            if fault == "stall":
                self.standin.over.wait(5)
            if fault == "reset midway":
                # the client must read the sent bytes before the reset discards them
                self.standin.over.wait(0.05)
                self._reset()
            self.close_connection = True
            return
        if fault == "slow":
            *most, last = _pieces(body, 16)
            for part in most:
                self.wfile.write(part)
                self.wfile.flush()
                self.standin.over.wait(number or 0.01)
            body = last
        self._leave()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(body)


def _pieces(body: bytes, count: int) -> Iterator[bytes]:
    step = max(1, -(-len(body) // count))
    for first in range(0, len(body), step):
        yield body[first : first + step]
