"""A clock for tests that does not really wait, and an HTTP client for test servers on loopback."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from helio.clock import Clock
from helio.sources.http import Hosts, Http


class FakeClock(Clock):
    """Clock for tests that stands still: a wait adds its seconds to the clock's time and returns immediately.

    Parameters
    ----------
    start : datetime or float, optional
        The time at the start: UTC, or seconds since 1970. Default: the present. Only waits and `ahead` move
        the clock.

    Attributes
    ----------
    slept : list of float
        Seconds of each wait.
    ahead : float
        Seconds by which to move the clock forward from now on.
    then : callable
        Called after each wait.
    """

    def __init__(self, start: datetime | float | None = None) -> None:
        self.slept: list[float] = []
        self.ahead = 0.0
        self.then: Callable[[], None] = lambda: None
        begun = start.replace(tzinfo=UTC).timestamp() if isinstance(start, datetime) else start
        base = time.time() if begun is None else begun

        def sleep(seconds: float, ended: threading.Event) -> None:
            self.slept.append(seconds)
            self.then()

        super().__init__(now=lambda: base + self.ahead + sum(self.slept), sleep=sleep, random=lambda: 0.5)


@contextmanager
def client(clock: Clock | None = None, *, timeout: float = 10.0) -> Iterator[Http]:
    """Open an HTTP client for one test; it shares no limits with other clients, so it never waits for them.

    Parameters
    ----------
    clock : Clock, optional
        Default: a `FakeClock`.
    timeout : float
        Seconds without any byte after which the client gives up an attempt.
    """
    with closing(Http(timeout=timeout, clock=clock or FakeClock(), hosts=Hosts())) as http:
        yield http
