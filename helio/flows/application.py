"""The web application of helio's own Prefect server: Prefect's application, with checks of who may use it.

The server listens on loopback, where every web page that a person visits and every user of the machine can reach it.
Prefect requires the secret in each call of its API. `Doors` refuses requests from foreign web pages, and gives the
secret to the person's browser in exchange for a ticket that works once.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from helio.flows.doors import (
    GUARDS,
    LARGEST_BODY,
    LOOPBACK,
    Application,
    Header,
    Message,
    Receive,
    Send,
    StartPage,
    answer,
    headers_of,
    hosts_of,
    refusal,
    with_headers,
)
from helio.flows.idle import end_when_idle
from helio.flows.secret import proof_of
from helio.flows.tickets import Tickets

START_PAGE = "/helio/open"
PROOF = "/api/helio/proof"

PAGE = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>helio</title><script src="{START_PAGE}.js" defer></script></head>
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
        self._origin = f"http://{LOOPBACK}:{port}"
        self._hosts = hosts_of(port)
        self._start_page = StartPage(START_PAGE, PAGE, CODE, Tickets(secret), {"secret": secret})
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
            *GUARDS,
        ]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, refuse it, or pass it to Prefect's application."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        headers = headers_of(scope)
        refused = refusal(scope, headers, self._hosts, is_page=not _is_api(scope["path"]))
        if scope["type"] == "websocket":
            if refused:
                await send({"type": "websocket.close", "code": 1008, "reason": refused})
            else:
                await self._application(scope, receive, send)
            return

        send_guarded = with_headers(send, self._headers)
        if refused:
            await answer(send_guarded, 403, {"exception_message": refused})
        elif not await self._answer_own(scope, headers, receive, send_guarded):
            await self._application(scope, receive, send_guarded)

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
            await answer(send, 307, {}, [(b"location", address)])
        elif path == PROOF and method == "GET":
            challenge = scope["query_string"].decode("latin-1")[:LARGEST_BODY]
            await answer(send, 200, {"proof": proof_of(self._secret, challenge)})
        else:
            return await self._start_page.answer(scope, headers, receive, send)
        return True


def _is_api(path: str) -> bool:
    return path == "/api" or path.startswith("/api/")
