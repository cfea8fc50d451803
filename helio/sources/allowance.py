"""The download limit of a run, shared by all fetches and servers of the run."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helio.errors import TooLarge

MAX_DOWNLOAD = 10**9
"""Default limit on the bytes that one run may download."""


class Allowance:
    """Limit on the bytes that a run may download; safe to share between threads, providers and fetches.

    Parameters
    ----------
    limit : int or None
        Maximum number of bytes; None sets no limit.
    ledger : Path, optional
        File with the bytes of several runs that share the limit, also in several processes; it must exist.
    """

    def __init__(self, limit: int | None = MAX_DOWNLOAD, ledger: Path | None = None) -> None:
        self.limit = limit
        self._ledger = ledger
        self._whose = "this run" if ledger is None else "this backfill"
        self._lock = threading.Lock()
        self._own = _Totals()

    @contextmanager
    def _totals(self) -> Iterator[_Totals]:
        """Give the counts to one thread of one process at a time, and keep the changes."""
        with self._lock:
            if self._ledger is None:
                yield self._own
                return
            with self._ledger.open("r+", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                totals = _Totals(*map(int, file.read().split()))
                try:
                    yield totals
                finally:
                    file.seek(0)
                    file.truncate()
                    file.write(f"{totals.came} {totals.expected}")

    @property
    def used(self) -> int:
        """Return the number of bytes that came or are expected."""
        with self._totals() as totals:
            return totals.came + totals.expected

    def plan(self, size: int, what: str, *, likely: int | None = None) -> Share:
        """Reserve bytes for downloads that are about to begin.

        Parameters
        ----------
        size : int
            Expected number of bytes; 0 if it is unknown.
        what : str
            The downloads in words: ``"3 files of 260 kB"``.
        likely : int, optional
            Limit to advise if `size` is only roughly known.

        Raises
        ------
        TooLarge
            The downloads need more bytes than are left.
        """
        with self._totals() as totals:
            before = totals.came + totals.expected
            if self.limit is not None and before + size > self.limit:
                came = (
                    f", together with {in_words(before)} that {self._whose} has already requested,"
                    if before
                    else ""
                )
                enough = in_words(before + (likely or size), up=True).replace(" ", "")
                raise TooLarge(
                    f"the download of {what}{came} exceeds the limit of {in_words(self.limit)}",
                    advice=f"choose a shorter time range, or set --max-download {enough}"
                    + (" or more (`helio plan` shows how much the whole run needs)" if before else ""),
                )
            totals.expected += size
        return Share(self, size)

    def _move(self, came: int, expected: int) -> None:
        with self._totals() as totals:
            totals.came += came
            totals.expected += expected
            if came > 0 and self.limit is not None and totals.came > self.limit:
                raise TooLarge(
                    f"the downloads of {self._whose} exceed its limit of {in_words(self.limit)}",
                    advice="choose a shorter time range, or set a larger --max-download",
                )


@dataclass
class _Totals:
    """Bytes that came, and bytes that are expected."""

    came: int = 0
    expected: int = 0


class Share:
    """Part of an `Allowance` that one fetch has reserved, with a count of the bytes received."""

    def __init__(self, allowance: Allowance, size: int) -> None:
        self._allowance = allowance
        self._lock = threading.Lock()
        self._size = size
        self._came = 0

    def add(self, count: int) -> None:
        """Add received bytes to the count; a negative number takes back the bytes of a failed attempt.

        Raises
        ------
        TooLarge
            The run has received more bytes than the allowance permits.
        """
        with self._lock:
            before = max(0, self._size - self._came)
            self._came += count
            after = max(0, self._size - self._came)
        self._allowance._move(count, after - before)

    def close(self) -> None:
        """Give back the reserved bytes that were not received."""
        with self._lock:
            left = max(0, self._size - self._came)
            self._size = 0
        self._allowance._move(0, -left)


def allowance_of(limit: int | Allowance | None) -> Allowance:
    """Return `limit` itself if it is an `Allowance`, so that fetches can share it; otherwise an `Allowance` with this
    limit.
    """
    return limit if isinstance(limit, Allowance) else Allowance(limit)


def in_words(size: int, *, up: bool = False) -> str:
    """Write a number of bytes with a unit, such as ``1.24 MB``; with `up`, round up to a whole number.

    >>> in_words(1_240_936), in_words(1_240_936, up=True)
    ('1.24 MB', '2 MB')
    """
    for power, unit in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= power:
            return f"{-(-size // power)} {unit}" if up else f"{size / power:.3g} {unit}"
    return f"{size} B"
