"""Record of the last housekeeping of a home, which `helio status` shows."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from helio.store.files import write_whole
from helio.store.records import Count, NaiveInstant, read_if_whole

log = logging.getLogger(__name__)

EVERY = timedelta(days=1)
"""Time between two housekeepings."""


@dataclass(frozen=True)
class Kept:
    """Record of the last housekeeping.

    Parameters
    ----------
    at : str
        When it ended, naive UTC.
    used : int
        Bytes of all files in the home afterwards.
    removed : str
        What was removed, in words; empty if nothing was.
    trouble : str
        Why it could not do everything; otherwise empty.
    """

    at: NaiveInstant
    used: Count
    removed: str = ""
    trouble: str = ""

    @property
    def next(self) -> datetime:
        """Return when the next housekeeping is due, naive UTC."""
        return datetime.fromisoformat(self.at) + EVERY

    def __str__(self) -> str:
        parts = [f"removed {self.removed}" if self.removed else "", self.trouble]
        return "; ".join(["housekeeping", *filter(None, parts), f"the home has {self.used / 1e9:.2f} GB"])

    def is_due(self, now: datetime) -> bool:
        """Return whether the next housekeeping is due; a record from the future counts as none."""
        return not self.next - EVERY <= now < self.next


def last_housekeeping(home: Path) -> Kept | None:
    """Read the record of the last housekeeping; None if there was none, or if it is damaged, which is logged."""
    return read_if_whole(_path(home), Kept, log, "helio does its housekeeping again")


def write_housekeeping(home: Path, kept: Kept) -> None:
    """Record a housekeeping.

    Raises
    ------
    OutputError
    """
    write_whole(_path(home), (json.dumps(asdict(kept), indent=1) + "\n").encode())


def _path(home: Path) -> Path:
    return home / "schedules" / ".housekeeping.json"
