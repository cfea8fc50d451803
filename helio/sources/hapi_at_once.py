"""The longest interval that a HAPI server gives in one reply, learnt from refused and successful requests."""

from __future__ import annotations

import threading
from datetime import timedelta


class IntervalLimit:
    """Longest interval of one parameter that helio asks for in one request; safe to share between threads.

    When the server refuses an interval, helio halves this limit. When intervals succeed, helio doubles the limit again,
    because the server may only have been busy; each time the server refuses the doubled interval, twice as many
    intervals must succeed before helio doubles it again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._longest: timedelta | None = None
        self._given = 0
        self._needed = 1
        self._grown = False
        self._in_a_row = 0

    def allows(self, duration: timedelta) -> bool:
        """Return whether an interval is short enough to be requested."""
        with self._lock:
            return self._longest is None or duration <= self._longest

    def refused(self, duration: timedelta, half: timedelta) -> int:
        """Record that the server refused an interval as too long, so that helio requests its halves; return the number
        of refusals in a row.
        """
        with self._lock:
            self._in_a_row += 1
            if self._longest is None or duration <= self._longest:
                self._longest = half
                self._given = 0
                if self._grown:
                    self._needed *= 2
                    self._grown = False
            return self._in_a_row

    def gave(self, duration: timedelta) -> None:
        """Record that the server sent the records of an interval."""
        with self._lock:
            self._in_a_row = 0
            # a short rest of a range says nothing of what else is given
            if self._longest is None or 2 * duration <= self._longest:
                return
            self._given += 1
            if self._given >= self._needed:
                self._longest *= 2
                self._given = 0
                self._grown = True
