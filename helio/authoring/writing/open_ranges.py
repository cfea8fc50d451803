"""Close time ranges whose start or end a request leaves to the data."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from helio.authoring.outcome import NotUnderstood
from helio.errors import TimeRangeError
from helio.knowledge.catalogue import Catalogue
from helio.time_range import EARLIEST, LATEST, TimeRange, parse_time_range

_OF_ALL = "OMNI"
"""Data that are not of the mission of which a request wants the whole time, if other data are drawn."""
_RECENT = timedelta(days=8)
"""A range since a day so near, such as last Monday, contains today too."""
_DAY = timedelta(days=1)


def is_open(phrase: str, now: datetime) -> bool:
    """Return whether a time range begins or ends at the edge of the times that helio knows.

    >>> is_open("1990-01-01 to 2262-04-11", datetime(2026, 1, 1)), is_open("1990 to 1991", datetime(2026, 1, 1))
    (True, False)
    """
    try:
        span = parse_time_range(phrase, now)
    except TimeRangeError:
        return False
    return span.start == EARLIEST or span.stop == LATEST


def closed(phrase: str, datasets: Iterable[str], catalogue: Catalogue, now: datetime) -> tuple[str, str]:
    """Return a time range in which an open start or end is that of the data, and a note that says so.

    Raises
    ------
    NotUnderstood
        The catalogue does not know from when to when there are data.
    """
    span = parse_time_range(phrase, now)
    known = [catalogue.summary(dataset) for dataset in datasets if dataset in catalogue]
    own = [entry for entry in known if entry.spacecraft != _OF_ALL] or known
    firsts = [entry.first for entry in own if entry.first is not None]
    lasts = [entry.last for entry in own if entry.last is not None]
    if not firsts or not lasts:
        raise NotUnderstood(
            "the catalogue does not say from when to when there are data",
            advice="give the dates, as 'A to B'",
        )
    start = max(span.start, _midnight(min(firsts))) if span.start == EARLIEST else span.start
    still = any(not catalogue.has_stopped(entry) for entry in own)
    stop = span.stop if span.stop < LATEST else min(_midnight(max(lasts)) + _DAY, now)
    if start >= stop:
        raise NotUnderstood(
            f"there are no data for {span}",
            advice=f"the data reach from {_midnight(min(firsts)):%Y-%m-%d} to {_midnight(max(lasts)):%Y-%m-%d}",
        )
    end = "now" if now - start <= _RECENT else "today"
    written = f"{start:%Y-%m-%d} to {end}" if still and span.stop == LATEST else str(TimeRange(start, stop))
    names = ", ".join(dict.fromkeys(entry.id for entry in own))
    reach = f"from {min(firsts):%Y-%m-%d} to {max(lasts):%Y-%m-%d}"
    return written, f"the time is {written}, because there are data {reach} ({names})"


def last_week(datasets: Iterable[str], catalogue: Catalogue, now: datetime) -> tuple[str, str]:
    """Return the last week in which all datasets have data, and words for it; ``last 7 days`` if their data go on.

    Raises
    ------
    NotUnderstood
        The datasets have no time in common.
    """
    known = [catalogue.summary(dataset) for dataset in datasets if dataset in catalogue]
    reaches = {
        entry.id: TimeRange(_midnight(entry.first), _midnight(entry.last) + _DAY)
        for entry in known
        if entry.first is not None and entry.last is not None
    }
    stop = min((reach.stop for reach in reaches.values()), default=now)
    week = 7 * _DAY
    if stop >= min(now, _midnight(catalogue.as_of)) - week:
        return "last 7 days", "the last 7 days"
    start = max(stop - week, *(reach.start for reach in reaches.values()))
    if start >= stop:
        raise NotUnderstood(
            "the request names no time, and there is no time with data of all that it names",
            advice="; ".join(f"{dataset} has data for {reach}" for dataset, reach in reaches.items()),
        )
    time = "the last week" if start == stop - week else "all the time"
    return str(TimeRange(start, stop)), f"{TimeRange(start, stop)}, {time} with data"


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
