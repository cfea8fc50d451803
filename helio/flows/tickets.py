"""Tickets that open helio's pages in a browser: each works once, for a few minutes.

A link becomes an argument of the browser's process, which other users of the machine can read. Therefore a link holds a
ticket, never what opens the pages. The owner's programs make tickets with the secret of a server; it is in a file that
only they can read.
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
        """Return whether a ticket opens the pages now; it does not a second time."""
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
    return hmac.new(secret.encode(), b"helio ticket " + text.encode(), hashlib.sha256).hexdigest()
