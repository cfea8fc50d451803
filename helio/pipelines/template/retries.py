"""How often a step is tried again after an error that may pass, and how long helio waits before each attempt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from helio.counts import number_of
from helio.errors import RequestError
from helio.time_range import Duration

MOST_RETRIES = 20
LONGEST = timedelta(days=1)
"""Maximum time of all pauses of a step together, because the run waits meanwhile."""


@dataclass(frozen=True)
class Retries:
    """How often a step is tried again.

    Parameters
    ----------
    number : int
        Maximum number of further attempts.
    delay : float or None
        Seconds before each of them; None for a few, at random.
    """

    number: int = 0
    delay: float | None = None


def retry_pause(retries: int, delay: str) -> timedelta | None:
    """Return the time before each further attempt; None, for a few seconds at random, if `delay` is empty.

    Parameters
    ----------
    retries : int
        Maximum number of further attempts.
    delay : str
        A length of time, such as ``"30s"``.

    Raises
    ------
    RequestError
        `delay` is not a length, there are too many retries, or all pauses together take longer than a day.

    Examples
    --------
    >>> retry_pause(3, "5 min"), retry_pause(1, "")
    (datetime.timedelta(seconds=300), None)
    """
    pause = timedelta(microseconds=Duration(delay.strip()).nanoseconds / 1000) if delay else None
    if retries > MOST_RETRIES or (pause or timedelta()) * retries > LONGEST:
        raise RequestError(
            f"{number_of(retries, 'retry', 'retries')} with a delay of {delay or 'some seconds'} "
            "would occupy a run for too long",
            advice=f"use at most {MOST_RETRIES} retries within one day, and --late of a schedule for data that come "
            "later",
        )
    return pause
