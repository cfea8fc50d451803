"""Tickets that open the gallery in a browser: each works once, for a few minutes.

A link becomes an argument of the browser's process, which other users of the machine can read. Therefore a link holds a
ticket, and the address of the pages never stands in a link that helio prints.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SECONDS = 600
"""How long a ticket works."""
_MOST = 10_000
"""Largest number of used tickets that a server remembers; more than a person ever uses in this time."""


def make_ticket(secret: str, now: float) -> str:
    """Make a ticket that a server with the same secret accepts.

    Parameters
    ----------
    now : float
        The time in seconds, as `time.time` gives it.
    """
    text = f"{int(now) + SECONDS}.{secrets.token_urlsafe(16)}"
    return f"{text}.{_sign(secret, text)}"


class Tickets:
    """The tickets that a server has accepted."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._used: dict[str, float] = {}
        """The last second in which each used ticket would work."""

    def redeem(self, ticket: str, now: float) -> bool:
        """Return whether a ticket opens the gallery now; it does not a second time."""
        text, _, signature = ticket.rpartition(".")
        if not ticket.isascii() or not hmac.compare_digest(signature, _sign(self._secret, text)):
            return False
        until = float(text.partition(".")[0])
        self._used = {used: end for used, end in self._used.items() if end >= now}
        if not now <= until <= now + SECONDS or ticket in self._used or len(self._used) >= _MOST:
            return False
        self._used[ticket] = until
        return True


def _sign(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), b"helio gallery " + text.encode(), hashlib.sha256).hexdigest()
