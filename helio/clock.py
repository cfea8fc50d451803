"""The clock, waits and random numbers of a process, which a test or a simulation can replace."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _wait(seconds: float, ended: threading.Event) -> None:
    ended.wait(seconds)


@dataclass(frozen=True)
class Clock:
    """Source of time, waiting and random numbers; a test can replace each of them."""

    now: Callable[[], float] = time.time
    """Current time, seconds since 1970, UTC."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds by a clock that never runs backwards."""
    sleep: Callable[[float, threading.Event], object] = _wait
    """Function that waits for a number of seconds, or until an event is set."""
    random: Callable[[], float] = random.random

    def utc(self) -> datetime:
        """Return the current time in UTC, without a time zone."""
        return datetime.fromtimestamp(self.now(), UTC).replace(tzinfo=None)
