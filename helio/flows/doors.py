"""Checks of requests to a server on the loopback address, which all web pages and users of the machine can reach."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from helio.flows.tickets import Tickets

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

LOOPBACK = "127.0.0.1"
LARGEST_BODY = 1000
"""Maximum bytes of a request that a start page sends."""

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
JAVASCRIPT = b"text/javascript; charset=utf-8"
GUARDS: Sequence[Header] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every answer: no other web page can use it."""


def hosts_of(port: int) -> tuple[bytes, bytes]:
    """Return the names by which requests may address a server, first its address."""
    return f"{LOOPBACK}:{port}".encode(), f"localhost:{port}".encode()


def headers_of(scope: Message) -> dict[bytes, list[bytes]]:
    """Return the headers of a request by their names in small letters."""
    headers: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.lower(), []).append(value)
    return headers


def refusal(
    scope: Message, headers: dict[bytes, list[bytes]], hosts: Sequence[bytes], *, is_page: bool
) -> str:
    """Return why a request is refused; return an empty text if the request is allowed.

    Parameters
    ----------
    hosts : sequence of bytes
        The names by which requests may address the server.
    is_page : bool
        Whether the request is for a page, which a person may open by a link on another page.
    """
    named = headers.get(b"host", [])
    if len(named) != 1 or named[0].lower() not in hosts:
        return "Refused: the request is addressed to another host name. Use the address that helio prints."
    own = b"http://" + named[0].lower()
    if any(origin != own for origin in headers.get(b"origin", ())):
        return "Refused: the request comes from a web page of another server."
    foreign = any(site not in (b"same-origin", b"none") for site in headers.get(b"sec-fetch-site", ()))
    if foreign and not (is_page and _is_followed_link(scope, headers)):
        return "Refused: a web page of another server sent this request."
    return ""


def _is_followed_link(scope: Message, headers: dict[bytes, list[bytes]]) -> bool:
    """Return whether a browser opens a page of the server as a document, as when a person follows a link to it."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and headers.get(b"sec-fetch-mode") == [b"navigate"]
        and headers.get(b"sec-fetch-dest") == [b"document"]
    )


async def read_body(receive: Receive) -> bytes | None:
    """Return the body of a request; return None if the body is too long or does not arrive."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return None
        more = message.get("more_body", False)
    return body


@dataclass(frozen=True)
class StartPage:
    """The page that a printed link opens: its script exchanges the ticket in the link for what opens the other pages.

    Parameters
    ----------
    path : str
        Its address; the address of its script ends in ``.js``.
    page, code : str
        The page and its script.
    tickets : Tickets
    granted : mapping of str
        What the script gets for a ticket.
    clock : callable
        The time in seconds, as `time.time` gives it.
    """

    path: str
    page: str
    code: str
    tickets: Tickets
    granted: Mapping[str, str]
    clock: Callable[[], float] = time.time

    async def answer(
        self, scope: Message, headers: dict[bytes, list[bytes]], receive: Receive, send: Send
    ) -> bool:
        """Answer a request for the page or its script, or exchange a ticket; return False for all other requests."""
        method, path = scope["method"], scope["path"]
        if path == self.path and method in ("GET", "HEAD"):
            await answer(send, 200, self.page, kind=HTML)
        elif path == f"{self.path}.js" and method in ("GET", "HEAD"):
            await answer(send, 200, self.code, kind=JAVASCRIPT)
        elif path == self.path and method == "POST":
            ticket = await read_ticket(headers, receive)
            if self.tickets.redeem(ticket, self.clock()):
                await answer(send, 200, self.granted)
            else:
                await answer(send, 403, {"error": "This ticket is not valid or has expired."})
        else:
            return False
        return True


async def read_ticket(headers: dict[bytes, list[bytes]], receive: Receive) -> str:
    """Return the ticket that a start page of this server sends as JSON; return an empty text if there is none."""
    is_json = [kind.split(b";")[0].strip() for kind in headers.get(b"content-type", ())] == [JSON]
    body = await read_body(receive)
    if not is_json or b"origin" not in headers or body is None:
        return ""
    try:
        return str(json.loads(body)["ticket"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def with_headers(send: Send, more: Sequence[Header]) -> Send:
    """Return a function that sends messages, and adds headers to the first one of an answer."""

    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return send_more


async def answer(
    send: Send,
    status: int,
    content: str | Mapping[str, str],
    more: list[Header] | None = None,
    kind: bytes = JSON,
) -> None:
    """Send a short answer that no browser keeps."""
    body = (content if isinstance(content, str) else json.dumps(dict(content))).encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store"), *(more or [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
