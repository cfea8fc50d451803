"""What the answers of one source tell beside what was asked: its certificate, and its clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.sources.answer import OpenReply
from helio.sources.connection import Certificate, ahead_of
from helio.sources.http import Http


@dataclass
class Witness:
    """A client that keeps facts of the replies it sees."""

    issuer: str = ""
    """Who signed the certificate; empty where there was none."""
    ahead: float | None = None
    """Seconds that this machine's clock is ahead of the server's."""

    def note(self, answer: OpenReply, now: float) -> None:
        """Look at an open answer."""
        self.ahead = ahead_of(answer.headers.get("date", ""), now)
        if answer.certificate:
            self.issuer = Certificate.read(answer.certificate).issuer

    def json(self, http: Http, url: str) -> Any:
        """Return the whole reply, as JSON."""

        def receive(answer: OpenReply) -> Any:
            self.note(answer, http.clock.now())
            return answer.json()

        return http.exchange(url, receive, headers=lambda: {"Accept": "application/json"})

    def first_bytes(self, http: Http, url: str, count: int) -> bytes:
        """Read the first bytes of a reply, and no more, even if the server ignores ranges."""

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
