"""Runs the requests of a fetch: a few at a time, counted, and within the download limit of the run."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from helio.errors import Cancelled
from helio.sources.allowance import Allowance, Share, allowance_of
from helio.sources.http import CONNECTIONS_PER_HOST, Http

T = TypeVar("T")

_FETCHES = itertools.count(1)
"""Source of the numbers that tell the fetches of this process apart."""


@dataclass(frozen=True)
class Progress:
    """Progress of a fetch's downloads; `bytes` is 0 while the total is unknown."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int
    fetch: int = 0
    """Number of the fetch within this process, because several fetches may run at the same time."""


class Tally:
    """Count of the bytes and requests of one fetch; safe to share between threads."""

    def __init__(
        self, requests: int, size: int, share: Share, on_progress: Callable[[Progress], None]
    ) -> None:
        self._requests = requests
        self._size = size
        self._share = share
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._done = self._bytes = 0
        self._number = next(_FETCHES)
        self._stopped = False

    def add(self, count: int) -> None:
        """Add received bytes to the count; a negative number takes back the bytes of a failed attempt.

        Raises
        ------
        TooLarge
            The run has received more bytes than it may download.
        Cancelled
            Another request of the fetch failed.
        """
        if self._stopped:
            raise Cancelled("the download was cancelled")
        with self._lock:
            self._bytes += count
            self._report()
        self._share.add(count)

    def more(self) -> None:
        """Count one additional request, after a request was split in two."""
        with self._lock:
            self._requests += 1

    def done(self, count: int = 0) -> None:
        """Count a request as finished, and add the bytes that were already on this machine."""
        with self._lock:
            self._done += 1
            self._bytes += count
            self._report()

    def stop(self) -> None:
        """Make all requests end when their next bytes arrive."""
        self._stopped = True

    def _report(self) -> None:
        self._on_progress(Progress(self._done, self._requests, self._bytes, self._size, self._number))


class Transfers:
    """Pool of threads that runs the requests of fetches.

    Parameters
    ----------
    http : Http
    limit : int, Allowance or None
        Number of bytes that all fetches may download; other sources of the run share an `Allowance`.
    on_progress : callable
        Called with the progress, from several threads but never from two at the same time.
    """

    def __init__(
        self, http: Http, limit: int | Allowance | None, on_progress: Callable[[Progress], None]
    ) -> None:
        self._http = http
        self._allowance = allowance_of(limit)
        self._on_progress = on_progress

    @contextmanager
    def begin(
        self, requests: int, size: int, what: str, *, shown: int = 0, likely: int | None = None
    ) -> Iterator[Tally]:
        """Reserve bytes for a fetch, and return a counter for the bytes that its requests receive.

        Parameters
        ----------
        requests : int
        size : int
            Number of expected bytes; 0 if it is unknown.
        what : str
            The download in words, for the error: ``"3 files of 260 kB"``.
        shown : int
            Total number of bytes to show in the progress; 0 if it is unknown.
        likely : int, optional
            Limit to advise where `size` is only roughly known.

        Raises
        ------
        TooLarge
            The fetch expects more bytes than the run may still download.
        """
        share = self._allowance.plan(size, what, likely=likely)
        tally = Tally(requests, shown, share, self._on_progress)
        try:
            yield tally
        finally:
            # after a failure, those under way end at their next bytes; what has come is kept
            tally.stop()
            share.close()

    def run(self, tasks: Sequence[Callable[[], T]], tally: Tally) -> list[T]:
        """Run the requests of a fetch; if one request fails, end all others."""
        return together(self._http, tasks, stop=tally.stop)


def together(
    http: Http, tasks: Sequence[Callable[[], T]], *, stop: Callable[[], None] = lambda: None
) -> list[T]:
    """Run tasks that send requests, as many at the same time as one host accepts, and return their results in order.

    The first failure ends all other tasks; Ctrl-C ends all tasks at once.

    Parameters
    ----------
    stop : callable
        Called when the results are no longer needed, so that running tasks end early.
    """
    with ThreadPoolExecutor(CONNECTIONS_PER_HOST, "helio-download") as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            failures = (future.exception() for future in futures if future in finished)
            failure = next((error for error in failures if error is not None), None)
            if failure is not None:
                raise failure
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            http.cancel()  # their next bytes may be long in coming
            raise
        finally:
            stop()
            pool.shutdown(wait=False, cancel_futures=True)
