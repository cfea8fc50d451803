"""How fast a server sends: too little in a window of time, or too long for the whole reply, ends an attempt."""

from __future__ import annotations

from collections.abc import Callable

from helio.errors import Refused, TooSlow
from helio.settings import NetworkLimits

_FRAMING = 256 * 1024
"""Bytes of headers and the like that may come beside the content of a reply, and for each byte of it…"""
_FRAMING_PER_BYTE = 8
"""…so many more: chunks of a single byte, the smallest there are, take six bytes each."""


class Meter:
    """A meter of one attempt at a request.

    Only time spent waiting for bytes counts, so that a slow disk here is not taken for a slow server. The wait for
    the first byte does not count: a server may take its time to compute a reply.

    Parameters
    ----------
    host : str
        Whom the messages name.
    limits : NetworkLimits
    ends_at : float or None
        When the reply has to be whole, by `now`; None where only its rate counts.
    now : callable
        Seconds that never run backwards.
    """

    def __init__(
        self, host: str, url: str, limits: NetworkLimits, ends_at: float | None, now: Callable[[], float]
    ) -> None:
        self.now = now
        self.sent = 0
        """Bytes that the server sent, with all that is around the content."""
        self._host = host
        self._url = url
        self._limits = limits
        self._ends_at = ends_at
        self._content = 0
        self._has_head = False
        self._waited = 0.0
        self._in_window = 0

    def allowed(self, timeout: float | None) -> float | None:
        """Return the seconds that the next bytes may take.

        Raises
        ------
        TooSlow
            The time for the whole reply is over.
        """
        if self._ends_at is None:
            return timeout
        left = self._ends_at - self.now()
        if left <= 0:
            raise TooSlow(
                f"{self._host} did not finish its reply within {self._limits.reply_seconds:g} s",
                advice="try again later; HELIO_REPLY_SECONDS allows more",
                place=self._url,
            )
        return left if timeout is None else min(timeout, left)

    def silence(self, timeout: float | None) -> float | None:
        """Return for how many seconds the server may send nothing after its first byte: at most ten windows."""
        if not self.sent:
            return timeout
        longest = 10 * self._limits.rate_seconds
        return longest if timeout is None else min(timeout, longest)

    def refuse_silence(self, timeout: float | None) -> None:
        """Refuse a silence that was shorter than `timeout`, and still too long.

        Raises
        ------
        TooSlow
        """
        if self.silence(timeout) != timeout:
            raise self._too_slow()

    def came(self, seconds: float, count: int) -> None:
        """Count bytes that arrived, after so many seconds of waiting.

        Raises
        ------
        TooSlow
            Too few came in a window of waiting, or the headers took longer than one.
        Refused
            Headers without end.
        """
        first = self.sent == 0
        self.sent += count
        if self.sent > _FRAMING + _FRAMING_PER_BYTE * self._content + count:
            raise Refused(
                f"{self._host} sends endless headers or framing: {self.sent:,} bytes around {self._content:,} "
                "bytes of content",
                place=self._url,
            )
        if first:
            return
        # the timeout limits a single silence, so it fills at most half a window
        self._waited += min(seconds, self._limits.rate_seconds / 2)
        self._in_window += count
        if self._waited < self._limits.rate_seconds:
            return
        if not self._has_head or self._in_window < self._limits.least_rate * self._limits.rate_seconds:
            raise self._too_slow()
        self._waited, self._in_window = 0.0, 0

    def _too_slow(self) -> TooSlow:
        least = f"{self._limits.least_rate:g} bytes a second over {self._limits.rate_seconds:g} s"
        return TooSlow(
            f"{self._host} sends more slowly than {least}",
            advice="try again later; finished downloads are kept; HELIO_LEAST_RATE and "
            "HELIO_RATE_SECONDS set the limit",
            place=self._url,
        )

    def begin_content(self) -> None:
        """Note that all headers are here."""
        self._has_head = True

    def begin_head(self) -> None:
        """Note that another reply comes first: the one that a redirect leads to."""
        self._has_head = False

    def add_content(self, count: int) -> None:
        """Count bytes of the content, as they are sent.

        Raises
        ------
        TooSlow
            The time for the whole reply is over.
        """
        self._content += count
        self.allowed(None)
