"""Facts about a server that its replies show in addition to their content: its certificate and its clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.sources.answer import OpenReply
from helio.sources.connection import Certificate, ahead_of
from helio.sources.http import Http


@dataclass
class Witness:
    """Sender of requests that keeps the certificate and the clock of the server that replied last."""

    issuer: str = ""
    """Name of the authority that signed the server's certificate; empty without a certificate."""
    ahead: float | None = None
    """Seconds by which this machine's clock is ahead of the server's clock; None if unknown."""

    def note(self, answer: OpenReply, now: float) -> None:
        """Keep the certificate and the clock of the server that sent this reply."""
        self.ahead = ahead_of(answer.headers.get("date", ""), now)
        if answer.certificate:
            self.issuer = Certificate.read(answer.certificate).issuer

    def json(self, http: Http, url: str) -> Any:
        """Return the content of a complete JSON reply."""

        def receive(answer: OpenReply) -> Any:
            self.note(answer, http.clock.now())
            return answer.json()

        return http.exchange(url, receive, headers=lambda: {"Accept": "application/json"})

    def content(self, http: Http, url: str, *, accept: str) -> bytes:
        """Return a complete reply that is not a web page, such as one in XML."""

        def receive(answer: OpenReply) -> bytes:
            self.note(answer, http.clock.now())
            content = answer.read()
            if "html" in answer.headers.get("content-type", ""):
                raise answer.not_json(content)
            return content

        return http.exchange(url, receive, headers=lambda: {"Accept": accept})

    def first_bytes(self, http: Http, url: str, count: int) -> bytes:
        """Read only the first bytes of a reply, even if the server ignores the request for a range of bytes."""

        def receive(answer: OpenReply) -> bytes:
            self.note(answer, http.clock.now())
            if "html" in answer.headers.get("content-type", ""):
                raise answer.not_json(answer.read())
            content = b""
            for part in answer.raw():
                content += part
                if len(content) >= count:
                    break
            return content[:count]

        ranged = {"Range": f"bytes=0-{count - 1}", "Accept-Encoding": "identity"}
        return http.exchange(url, receive, headers=lambda: ranged, expected=(200, 206))
