"""The one grammar of time: ranges, durations, and nothing that is understood only in part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class TimeRange:
    """A half-open interval [start, stop) in UTC; both are naive datetimes meaning UTC."""

    start: datetime
    stop: datetime


@dataclass(frozen=True)
class Duration:
    """A length of time, written ``"90s"``, ``"5min"``, ``"1h"``, ``"1d"`` or ISO ``"PT5M"``."""

    text: str

    @property
    def nanoseconds(self) -> int:
        """The length in ns, > 0."""
        raise NotImplementedError


def parse_time_range(text: str, now: datetime) -> TimeRange:
    """Read a phrase; `now` (naive UTC) is what relative phrases are measured from."""
    raise NotImplementedError
