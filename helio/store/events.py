"""Events that a step reports in the record of its run: an alert, or an expectation that is not met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Event:
    """An event that a step reports.

    Parameters
    ----------
    kind : "alert" or "unmet"
        A condition that the data met, or an expectation that they did not meet.
    message : str
        What happened, in words.
    start, stop : str
        Of an alert: its first sample, and the first sample after it; ISO 8601, UTC. `stop` is empty if the data end
        before the alert.
    value : float or None
        Of an alert: the extreme value, in `unit`.
    unit : str
    time : str
        When the extreme value occurred: ISO 8601, UTC.
    """

    kind: Literal["alert", "unmet"]
    message: str
    start: str = ""
    stop: str = ""
    value: float | None = None
    unit: str = ""
    time: str = ""
