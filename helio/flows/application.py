"""The web application of helio's own Prefect server: Prefect's application, with checks of who may use it.

The server listens on loopback, where every web page that a person visits and every user of the machine can reach it.
Prefect requires the secret in each call of its API. `Doors` refuses requests from foreign web pages, and gives the
secret to the person's browser in exchange for a ticket that works once.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from helio.flows.idle import end_when_idle
from helio.flows.secret import proof_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

LOOPBACK = "127.0.0.1"
START_PAGE = "/helio/open"
SCRIPT = "/helio/open.js"
TICKETS = "/api/helio/tickets"
PROOF = "/api/helio/proof"
TICKET_SECONDS = 600.0
"""Seconds during which a browser can exchange a ticket for the server's password; each ticket works once."""
MOST_TICKETS = 100
LARGEST_BODY = 1000
"""Maximum bytes of a request that the start page sends."""

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
JAVASCRIPT = b"text/javascript; charset=utf-8"

PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>helio</title><script src="{SCRIPT}" defer></script></head>
<body><p id="text">Opening the engine's pages …</p></body>
</html>
"""

CODE = """"use strict";
(async () => {
  const KEY = "prefect-password";  // where the engine's pages look for it
  const asked = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);  // no ticket stays in the address or in the history

  // Only a page of this server: the address is resolved as the browser would, then its origin is compared.
  const to = asked.get("to") || "/";
  let page = new URL("/", location.origin);
  try {
    const wanted = new URL(to, location.origin);
    if (/^\\/(?![\\/\\\\])/.test(to) && wanted.origin === location.origin) page = wanted;
  } catch { /* not an address: the first page */ }

  const works = async (word) =>
    Boolean(word) && (await fetch("/api/admin/version", {headers: {Authorization: `Basic ${word}`}})).ok;

  try {
    let word = localStorage.getItem(KEY);
    if (!await works(word)) {
      localStorage.removeItem(KEY);
      const reply = asked.get("ticket") && await fetch(location.pathname, {
        method: "POST",
        headers: {"Content-Type": "application/json"},
        body: JSON.stringify({ticket: asked.get("ticket")}),
      });
      word = reply && reply.ok ? btoa((await reply.json()).secret) : "";
    }
    if (await works(word)) {
      localStorage.setItem(KEY, word);
      location.replace(page.href);
      return;
    }
    document.getElementById("text").textContent =
      "This browser does not know the engine's secret yet, or this link has been used or is too old. " +
      "Run 'helio up' in a terminal: it prints a new link.";
  } catch (error) {
    document.getElementById("text").textContent = `The engine's server does not answer: ${error}`;
  }
})();
"""


def create_app() -> Application:
    """Return the web application of helio's own Prefect server, which uvicorn runs.

    Raises
    ------
    RuntimeError
        No secret is set: helio's server is never open to everybody.
    """
    from prefect.server.api.server import create_app as create_prefect

    secret = os.environ.get("PREFECT_SERVER_API_AUTH_STRING", "")
    if not secret:
        raise RuntimeError("PREFECT_SERVER_API_AUTH_STRING is not set")
    # Requests that the doors refuse do not count as use of the server.
    watched = end_when_idle(create_prefect(), Path.cwd())
    return Doors(watched, secret, int(os.environ["PREFECT_SERVER_API_PORT"]))


class Doors:
    """Web application that serves only its owner, and refuses other users and other web pages.

    Parameters
    ----------
    application : callable
        The ASGI application behind the checks. It checks the secret of each call itself.
    secret : str
        The secret that the owner's programs and browser send.
    port : int
        Where the server listens on the loopback address.
    """

    def __init__(self, application: Application, secret: str, port: int) -> None:
        self._application = application
        self._secret = secret
        self._authorization = b"Basic " + base64.b64encode(secret.encode())
        self._origin = f"http://{LOOPBACK}:{port}"
        self._hosts = (f"{LOOPBACK}:{port}".encode(), f"localhost:{port}".encode())
        self._tickets: dict[str, float] = {}
        """Unused tickets, each with the time at which it expires."""
        # The engine's pages need inline styles, images in data: addresses, and code made from texts, which their
        # tables and drawings use. They need nothing from other origins.
        policy = (
            f"default-src 'self'; script-src 'self' 'unsafe-eval'; connect-src 'self' ws://{LOOPBACK}:{port}; "
            "img-src 'self' data: blob:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; "
            "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
        self._headers: list[Header] = [
            (b"content-security-policy", policy.encode()),
            (b"x-frame-options", b"DENY"),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, refuse it, or pass it to Prefect's application."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        refused = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refused:
                await send({"type": "websocket.close", "code": 1008, "reason": refused})
            else:
                await self._application(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
            await send(message)

        if refused:
            await _answer(send_guarded, 403, {"exception_message": refused})
        elif not await self._answer_own(scope, headers, receive, send_guarded):
            await self._application(scope, receive, send_guarded)

    def _refusal(self, scope: Message, headers: dict[bytes, list[bytes]]) -> str:
        """Return why a request is refused; return an empty text if the request is allowed."""
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return (
                "Refused: the request is addressed to another host name. Use the address that helio prints."
            )
        own = b"http://" + hosts[0].lower()
        if any(origin != own for origin in headers.get(b"origin", ())):
            return "Refused: the request comes from a web page of another server."
        foreign = any(site not in (b"same-origin", b"none") for site in headers.get(b"sec-fetch-site", ()))
        if foreign and not _is_followed_link(scope, headers):
            return "Refused: a web page of another server sent this request."
        return ""

    async def _answer_own(
        self, scope: Message, headers: dict[bytes, list[bytes]], receive: Receive, send: Send
    ) -> bool:
        """Answer requests for helio's own pages; return False if a request is for Prefect."""
        method, path = scope["method"], scope["path"]
        if method in ("GET", "HEAD") and not _is_api(path) and headers[b"host"][0].lower() != self._hosts[0]:
            # The name localhost may mean another address, such as ::1, where another user's server can listen: the
            # browser keeps the secret for the loopback address only. The redirect keeps the fragment.
            query = scope["query_string"]
            address = f"{self._origin}/{quote(path.lstrip('/'))}".encode() + (b"?" + query if query else b"")
            await _answer(send, 307, {}, [(b"location", address)])
        elif path == START_PAGE and method in ("GET", "HEAD"):
            await _answer(send, 200, PAGE, kind=HTML)
        elif path == SCRIPT and method in ("GET", "HEAD"):
            await _answer(send, 200, CODE, kind=JAVASCRIPT)
        elif path == START_PAGE and method == "POST":
            await self._exchange(headers, receive, send)
        elif path == TICKETS and method == "POST":
            if self._is_owner(headers):
                await _answer(send, 201, {"ticket": self._new_ticket()})
            else:
                await _answer(send, 401, {"exception_message": "Unauthorized"})
        elif path == PROOF and method == "GET":
            challenge = scope["query_string"].decode("latin-1")[:LARGEST_BODY]
            await _answer(send, 200, {"proof": proof_of(self._secret, challenge)})
        else:
            return False
        return True

    async def _exchange(self, headers: dict[bytes, list[bytes]], receive: Receive, send: Send) -> None:
        """Exchange a ticket from the start page for the server's password."""
        is_json = [kind.split(b";")[0].strip() for kind in headers.get(b"content-type", ())] == [JSON]
        body = await _read_body(receive)
        ticket = ""
        if is_json and b"origin" in headers and body is not None:
            try:
                ticket = str(json.loads(body)["ticket"])
            except (ValueError, KeyError, TypeError, RecursionError):
                ticket = ""
        if self._tickets.pop(ticket, 0.0) > time.monotonic():
            await _answer(send, 200, {"secret": self._secret})
        else:
            await _answer(send, 403, {"exception_message": "This ticket is not valid or has expired."})

    def _is_owner(self, headers: dict[bytes, list[bytes]]) -> bool:
        given = headers.get(b"authorization", [])
        return len(given) == 1 and hmac.compare_digest(given[0], self._authorization)

    def _new_ticket(self) -> str:
        now = time.monotonic()
        valid = {ticket: end for ticket, end in self._tickets.items() if end > now}
        self._tickets = dict(list(valid.items())[-(MOST_TICKETS - 1) :])
        ticket = secrets.token_urlsafe(16)
        self._tickets[ticket] = now + TICKET_SECONDS
        return ticket


def _is_api(path: str) -> bool:
    return path == "/api" or path.startswith("/api/")


def _is_followed_link(scope: Message, headers: dict[bytes, list[bytes]]) -> bool:
    """Return whether a browser opens a page of the server as a document, as when a person follows a link to it."""
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not _is_api(scope["path"])
        and headers.get(b"sec-fetch-mode") == [b"navigate"]
        and headers.get(b"sec-fetch-dest") == [b"document"]
    )


async def _read_body(receive: Receive) -> bytes | None:
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


async def _answer(
    send: Send,
    status: int,
    content: str | dict[str, str],
    more: list[Header] | None = None,
    kind: bytes = JSON,
) -> None:
    body = (content if isinstance(content, str) else json.dumps(content)).encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store"), *(more or [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
