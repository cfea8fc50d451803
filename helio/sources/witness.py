"""What the answers of one source tell beside what was asked: its certificate, and its clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.sources.answer import Answer
from helio.sources.connection import Certificate, ahead_of
from helio.sources.http import Http


@dataclass
class Witness:
    """Asks, and looks at the open answers."""

    issuer: str = ""
    """Who signed the certificate; empty where there was none."""
    ahead: float | None = None
    """Seconds that this machine's clock is ahead of the server's."""

    def note(self, answer: Answer, now: float) -> None:
        """Look at an open answer."""
        self.ahead = ahead_of(answer.headers.get("date", ""), now)
        if answer.certificate:
            self.issuer = Certificate.read(answer.certificate).issuer

    def json(self, http: Http, url: str) -> Any:
        """The whole reply, as JSON."""

        def receive(answer: Answer) -> Any:
            self.note(answer, http.clock.now())
            return answer.json()

        return http.exchange(url, receive, headers=lambda: {"Accept": "application/json"})

    def first_bytes(self, http: Http, url: str, count: int) -> bytes:
        """The first bytes of a reply; of a server that knows no ranges no more are read either."""

        def receive(answer: Answer) -> bytes:
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
