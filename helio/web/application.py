"""The web application of the gallery: the pages of `Site`, for their owner alone.

All pages have addresses that begin with a random word, which a server makes when it starts. Unlike a cookie, a browser
never sends it to another server on this machine. A browser learns the word in exchange for a ticket.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import threading
import time
from collections.abc import Callable

from helio.flows.doors import (
    GUARDS,
    HTML,
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
from helio.flows.tickets import Tickets
from helio.web.files import FOLDER
from helio.web.site import ENGINE, START, Content, Site
from helio.web.site import HTML as PAGE_TYPE

OPEN = "/open"
OPENING = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gallery</title><link rel="icon" href="data:,"><script src="{OPEN}.js" defer></script></head>
<body><p id="text">Opening the gallery …</p></body>
</html>
"""
CODE = """"use strict";
(async () => {
  const ticket = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);  // no ticket stays in the address or in the history
  const text = document.getElementById("text");
  try {
    const reply = ticket && await fetch(location.pathname, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify({ticket}),
    });
    if (reply && reply.ok) {
      const {path} = await reply.json();
      if (/^\\/[A-Za-z0-9_-]{43}\\/$/.test(path)) location.replace(path);
      return;
    }
    text.textContent = "This link has been used, or is too old. " +
      "Run 'helio gallery serve' in a terminal: it prints a new link, also while the gallery is served.";
  } catch (error) {
    text.textContent = `The gallery does not answer: ${error}`;
  }
})();
"""
CLOSED = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gallery</title><link rel="icon" href="data:,"></head>
<body><p>This address does not open the gallery. Run <code>helio gallery serve</code> in a terminal: it prints a link,
also while the gallery is served.</p></body>
</html>
"""
NO_ENGINE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Engine</title><link rel="icon" href="data:,"></head>
<body><p>The engine's server does not answer. <code>helio up</code> starts it; <code>helio doctor</code> says more. The
gallery does not need it.</p></body>
</html>
"""
_OWN = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
_POLICIES = {
    "page": _OWN + "style-src 'self'; script-src 'self'; img-src 'self' data:; frame-src 'self'",
    "opening": _OWN + "script-src 'self'; connect-src 'self'; img-src data:",
    # plotly makes styles, and pictures to save; it asks nobody for anything.
    "figure": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        "script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
    ),
    "file": _OWN + "style-src 'unsafe-inline'; sandbox",
}
"""What a browser may load for each kind of answer."""
_SHOWN = ("image/png", "image/svg+xml", "application/pdf", "application/json")
"""Media types, besides pages, that a browser shows; it saves all other files."""


class Gallery:
    """ASGI application that serves the gallery to its owner.

    Parameters
    ----------
    site : Site
    secret : str
        The secret with which tickets are signed.
    port : int
        Where the server listens on the loopback address.
    clock : callable
        The time in seconds, as `time.time` gives it.
    """

    def __init__(self, site: Site, secret: str, port: int, *, clock: Callable[[], float] = time.time) -> None:
        self._site = site
        self._hosts = hosts_of(port)
        self._word = secrets.token_urlsafe(32)
        granted = {"path": f"/{self._word}/"}
        self._start_page = StartPage(OPEN, OPENING, CODE, Tickets(secret), granted, clock)
        self._reading = threading.Lock()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers, method, path = headers_of(scope), scope["method"], scope["path"]
        if refused := refusal(scope, headers, self._hosts, is_page=True):
            await answer(send, 403, {"error": refused}, _guards("file"))
        elif method in ("GET", "HEAD") and headers[b"host"][0].lower() != self._hosts[0]:
            # The name localhost may mean another address, where another user's server can listen. No path is
            # repeated, because it may hold the word of this gallery.
            await answer(send, 307, {}, [*_guards("file"), (b"location", f"{self._origin}{OPEN}".encode())])
        elif not await self._start_page.answer(
            scope, headers, receive, with_headers(send, _guards("opening"))
        ):
            if method not in ("GET", "HEAD"):
                refused = "Only GET and HEAD"
                await answer(send, 405, {"error": refused}, [*_guards("file"), (b"allow", b"GET, HEAD")])
            else:
                await self._show(path, method, send)

    @property
    def _origin(self) -> str:
        return f"http://{self._hosts[0].decode()}"

    async def _show(self, path: str, method: str, send: Send) -> None:
        """Send a page or a file to a browser that knows the word."""
        word, _, address = path.removeprefix("/").partition("/")
        if not word.isascii() or not hmac.compare_digest(word, self._word):
            await answer(send, 403, CLOSED, _guards("page"), kind=HTML)
            return
        if address == ENGINE:
            await self._lead_to_engine(send)
            return
        content = await asyncio.to_thread(self._content, address or START)
        if content is None:
            await answer(send, 404, {"error": "The gallery has no such page or file."}, _guards("file"))
            return
        name = address.rpartition("/")[2]
        more = [
            (b"content-type", content.media_type.encode()),
            (b"content-length", str(len(content.body)).encode()),
            # The names of files contain their digests.
            (b"cache-control", b"no-cache" if content.is_page else b"private, max-age=604800"),
            *_guards(_kind(content, address)),
        ]
        if not content.is_page and content.media_type not in (*_SHOWN, PAGE_TYPE) and FOLDER in address:
            more.append((b"content-disposition", f'attachment; filename="{name}"'.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": more})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else content.body})

    async def _lead_to_engine(self, send: Send) -> None:
        """Lead a browser that knows the word to the engine's pages, with a ticket for them."""
        link = await asyncio.to_thread(self._site.engine_link)
        if link:
            await answer(send, 303, {}, [*_guards("file"), (b"location", link.encode())])
        else:
            await answer(send, 503, NO_ENGINE, _guards("page"), kind=HTML)

    def _content(self, address: str) -> Content | None:
        with self._reading:
            self._site.follow()
        return self._site.content(address)


def _kind(content: Content, address: str) -> str:
    """Return which policy a page or a file needs."""
    if content.is_page:
        return "page"
    return "figure" if content.media_type == PAGE_TYPE and address.startswith(f"{FOLDER}/") else "file"


def _guards(kind: str) -> list[Header]:
    frames = b"SAMEORIGIN" if kind == "figure" else b"DENY"
    return [*GUARDS, (b"content-security-policy", _POLICIES[kind].encode()), (b"x-frame-options", frames)]
