"""Test server that replies slowly or breaks the rules of HTTP: for each path, the test gives the bytes of the reply."""

from __future__ import annotations

import gzip
import socket
import socketserver
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import chain, repeat

from helio.testing.loopback import LoopbackServer, OwnedServer

Answer = Iterable[bytes | float]
"""Reply of the test server: the bytes to send, and the seconds to wait before sending them."""

MEBIBYTE = 1024**2
OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
JSON = OK + b"Content-Type: application/json\r\n"


def whole(body: bytes, *, headers: bytes = b"", head: bytes = JSON) -> list[bytes]:
    """Make a complete reply whose headers state its length."""
    return [head + headers + b"Content-Length: %d\r\n\r\n" % len(body), body]


def drip(content: bytes, seconds: float, size: int = 1) -> Iterator[bytes | float]:
    """Yield content in small parts, with a wait before each part."""
    for first in range(0, len(content), size):
        yield seconds
        yield content[first : first + size]


def endless(part: bytes) -> Iterator[bytes]:
    """Yield the same bytes forever."""
    return repeat(part * max(1, 65_536 // len(part)))


def redirect(target: str, status: str = "302 Found") -> list[bytes]:
    """Make a reply that redirects to another URL and has no body."""
    return [
        f"HTTP/1.1 {status}\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    ]


@cache
def bomb(kind: str, mebibytes: int) -> bytes:
    """Return a decompression bomb: zeros, compressed to about a thousandth of their size."""
    bits = {"gzip": 16 + zlib.MAX_WBITS, "zlib": zlib.MAX_WBITS, "bare": -zlib.MAX_WBITS}[kind]
    packing = zlib.compressobj(9, zlib.DEFLATED, bits)
    zeros = bytes(MEBIBYTE)
    return b"".join([*(packing.compress(zeros) for _ in range(mebibytes)), packing.flush()])


class FaultyServer(LoopbackServer):
    """Test server on loopback that sends, for each path, the reply in `answers`; a context manager.

    A reply may be a function of the request's text. `requests` contains the texts of all requests, `sent` the number of
    bytes sent for each request.
    """

    def __init__(self, answers: dict[str, Answer | Callable[[str], Answer]] | None = None) -> None:
        self.answers = answers or {}
        self.requests: list[str] = []
        self.sent: list[int] = []
        super().__init__(_FaultyHandler)


class _FaultyHandler(socketserver.BaseRequestHandler):
    server: OwnedServer
    request: socket.socket

    def handle(self) -> None:
        faulty: FaultyServer = self.server.owner
        head = b""
        if "tls" not in faulty.answers:
            while b"\r\n\r\n" not in head:
                part = self.request.recv(65_536)
                if not part:
                    return
                head += part
        text = head.decode("latin-1")
        path = text.split(" ")[1] if text else "tls"
        number = len(faulty.requests)
        faulty.requests.append(text)
        faulty.sent.append(0)
        answer = faulty.answers.get(
            path.partition("?")[0], [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]
        )
        with suppress(OSError):
            for piece in answer(text) if callable(answer) else answer:
                if faulty.over.is_set():
                    return
                if isinstance(piece, bytes):
                    self.request.sendall(piece)
                    faulty.sent[number] += len(piece)
                else:
                    faulty.over.wait(piece)


def unending_json() -> Answer:
    """Yield a JSON reply that never ends and does not state its length."""
    return chain([JSON + b"\r\n["], endless(b'"a",'))


def many_members(count: int) -> bytes:
    """Make a gzip body that consists of many empty gzip streams."""
    return gzip.compress(b"") * count
