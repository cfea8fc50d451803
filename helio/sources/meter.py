"""Measurement of how fast a server sends; ends a request that is too slow or takes too long."""

from __future__ import annotations

from collections.abc import Callable

from helio.errors import Refused, TooSlow
from helio.settings import NetworkLimits

_FRAMING = 256 * 1024
"""Number of bytes of headers and framing that may come in addition to the content of a reply."""
_FRAMING_PER_BYTE = 8
"""Number of additional bytes of framing allowed for each byte of content: the smallest chunks need six."""


class Meter:
    """Counter of the bytes and the waiting time of one request to a server.

    Only the time spent waiting for bytes counts, so that a slow disk does not look like a slow server. The wait for the
    first byte does not count, because a server may need time to compute a reply.

    Parameters
    ----------
    host : str
        Host that the messages name.
    limits : NetworkLimits
    ends_at : float or None
        Time, on the clock `now`, at which the reply must be complete; None if only the rate of bytes counts.
    now : callable
        Clock in seconds that never runs backwards.
    """

    def __init__(
        self, host: str, url: str, limits: NetworkLimits, ends_at: float | None, now: Callable[[], float]
    ) -> None:
        self.now = now
        self.sent = 0
        """Number of bytes that the server sent, including headers and framing."""
        self._host = host
        self._url = url
        self._limits = limits
        self._ends_at = ends_at
        self._content = 0
        self._has_head = False
        self._waited = 0.0
        self._in_window = 0

    def allowed(self, timeout: float | None) -> float | None:
        """Return how many seconds the server may take for the next bytes.

        Raises
        ------
        TooSlow
            The time limit for the whole reply has passed.
        """
        if self._ends_at is None:
            return timeout
        left = self._ends_at - self.now()
        if left <= 0:
            raise TooSlow(
                f"{self._host} did not finish its reply within {self._limits.reply_seconds:g} s",
                advice="try again later, or set a larger HELIO_REPLY_SECONDS",
                place=self._url,
            )
        return left if timeout is None else min(timeout, left)

    def silence(self, timeout: float | None) -> float | None:
        """Return how long the server may pause, in seconds: `timeout`, but after its first byte at most ten windows of
        measurement.
        """
        if not self.sent:
            return timeout
        longest = 10 * self._limits.rate_seconds
        return longest if timeout is None else min(timeout, longest)

    def refuse_silence(self, timeout: float | None) -> None:
        """Raise an error after a pause that was shorter than the connection's timeout but longer than `silence` allows.

        Raises
        ------
        TooSlow
        """
        if self.silence(timeout) != timeout:
            raise self._too_slow()

    def came(self, seconds: float, count: int) -> None:
        """Count bytes that arrived after `seconds` of waiting.

        Raises
        ------
        TooSlow
            Too few bytes came within one window of measurement, or the headers took longer than one window.
        Refused
            The server sends headers without end.
        """
        first = self.sent == 0
        self.sent += count
        if self.sent > _FRAMING + _FRAMING_PER_BYTE * self._content + count:
            raise Refused(
                f"{self._host} sent {self.sent:,} bytes, but only {self._content:,} of them are content: it sends "
                "too many headers or too small chunks",
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
            f"{self._host} sends less than {least}",
            advice="try again later, or set another limit with HELIO_LEAST_RATE and HELIO_RATE_SECONDS; "
            "finished downloads are kept",
            place=self._url,
        )

    def begin_content(self) -> None:
        """Record that the headers have arrived and that the content begins."""
        self._has_head = True

    def begin_head(self) -> None:
        """Record that the headers of another reply begin, after a redirect."""
        self._has_head = False

    def add_content(self, count: int) -> None:
        """Count bytes of a body, before decompression.

        Raises
        ------
        TooSlow
            The time limit for the whole reply has passed.
        """
        self._content += count
        self.allowed(None)
