"""Compute the times at which a cron expression is due in a time zone, also when clocks change to or from summer time.

A cron that names every hour (``*``, ``0-23``) runs in real time: at every instant at which the clock shows one of its
minutes, also in the repeated hour of an autumn night. Where clocks change by half an hour, an extra run at the change
keeps the usual distance between runs.

Any other cron names times of the wall clock. A time that is missing in a spring night is due at the first instant
after the gap; a time that occurs twice in an autumn night is due the first time. Times at the same instant are one
run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any
from zoneinfo import ZoneInfo

MOST = 360
"""Maximum number of due times to give to Prefect at once; Prefect accepts 6,500 characters."""
FAR = timedelta(days=400)
"""How far into the future to give due times to Prefect."""
FEWEST = 3


def slots(cron: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """Yield the times at which a cron expression is due, in order, each time once.

    Parameters
    ----------
    after : datetime
        Naive UTC; the first result is later than this.

    Yields
    ------
    datetime
        Naive UTC.

    Examples
    --------
    The night of 2024-03-31 has no 02:30 in Berlin.

    >>> due = slots("30 2 * * *", "Europe/Berlin", datetime(2024, 3, 30))
    >>> [f"{next(due):%d %H:%M}" for _ in range(3)]
    ['30 01:30', '31 01:00', '01 00:30']
    """
    from cronsim import CronSim

    zone = ZoneInfo(timezone)
    if _is_hourly(cron):
        yield from _in_real_time(cron, zone, after)
        return
    last = after
    for local in CronSim(_of_wall_clock(cron), _local(after, zone)):
        slot = local.astimezone(UTC).replace(tzinfo=None)
        if slot > last:  # in a repeated hour, the wall clock means the first one
            yield slot
            last = slot


def _in_real_time(cron: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Yield every time, in UTC, at which the local clock shows a due time, even if the clock shows it twice."""
    from cronsim import CronSim

    second = timedelta(seconds=1)
    last, offset, start = after, _offset(after, zone), after + _offset(after, zone)
    while True:
        for local in CronSim(cron, start):
            slot = local - offset
            if _offset(slot, zone) != offset:
                break
            if slot > last:
                yield slot
                last = slot
        change = _change(last, slot, zone)
        before, offset = offset, _offset(change, zone)
        start = change + offset - second
        following = next(CronSim(cron, start)) - offset
        # where clocks change by half an hour, an hour would have no run
        if last < change <= slot < change + abs(offset - before) and slot < following:
            yield change
            last = change


def slots_ahead(cron: str, timezone: str, now: datetime) -> list[datetime]:
    """List the next due times, at most as many as Prefect accepts in one schedule."""
    ahead: list[datetime] = []
    for slot in slots(cron, timezone, now):
        if len(ahead) >= MOST or (len(ahead) >= FEWEST and slot - now > FAR):
            break
        ahead.append(slot)
    return ahead


def slots_between(cron: str, timezone: str, after: datetime, until: datetime) -> Iterator[datetime]:
    """Yield the due times later than `after`, up to and including `until`."""
    return takewhile(lambda slot: slot <= until, slots(cron, timezone, after))


def changes_clocks(timezone: str, now: datetime) -> bool:
    """Return whether a time zone changes its clocks within the time for which helio plans ahead."""
    return next(_changes(ZoneInfo(timezone), now, now + FAR), None) is not None


def for_engine(cron: str, timezone: str, now: datetime) -> dict[str, Any]:
    """Write a schedule in Prefect's form, so that Prefect plans the same times.

    The engine's own planner skips an hour in autumn. If clocks change, the engine gets a list of due times.
    """
    from cronsim import CronSim

    if changes_clocks(timezone, now):
        listed = ",".join(f"{slot:%Y%m%dT%H%M%SZ}" for slot in slots_ahead(cron, timezone, now))
        return {"rrule": f"RDATE:{listed}", "timezone": "UTC"}
    # cron programs differ: day of month and weekday must both match, or one of them
    return {"cron": cron, "timezone": timezone, "day_or": not CronSim(cron, now).day_and}


def slots_in(schedule: Mapping[str, Any], now: datetime) -> list[datetime]:
    """List the future due times in a schedule that `for_engine` wrote; empty if the schedule is a cron expression."""
    # the server writes a DTSTART before them, without the Z of the slots
    listed = re.findall(r"\b\d{8}T\d{6}Z", str(schedule.get("rrule", "")))
    times = [datetime.strptime(slot, "%Y%m%dT%H%M%SZ") for slot in listed]
    return [slot for slot in times if slot > now]


def clock_notes(cron: str, timezone: str, start: datetime, stop: datetime) -> list[str]:
    """Describe how changes of the clocks between two times affect the due times.

    Parameters
    ----------
    start, stop : datetime
        Naive UTC.
    """
    from cronsim import CronSim

    if _is_hourly(cron):
        return []
    zone, notes = ZoneInfo(timezone), []
    for change in _changes(zone, start, stop):
        before, after = (_local(moment, zone) for moment in (change - timedelta(microseconds=1), change))
        before += timedelta(microseconds=1)
        first, last = sorted((before.replace(tzinfo=None, fold=0), after.replace(tzinfo=None, fold=0)))
        minute = timedelta(minutes=1)
        named = CronSim(_of_wall_clock(cron), first - minute)
        times = [f"{time:%H:%M}" for time in _before(last, named)]
        if times and after.replace(tzinfo=None) == last:
            notes.append(
                f"in {timezone}, {first:%Y-%m-%d} has no {', '.join(times)}; the run is at {last:%H:%M} instead"
            )
        elif times:
            notes.append(
                f"in {timezone}, {first:%Y-%m-%d} has {', '.join(times)} twice; the run is at the first"
            )
    return notes


def _before(end: datetime, times: Iterator[datetime]) -> Iterator[datetime]:
    return takewhile(lambda time: time < end, times)


def _of_wall_clock(cron: str) -> str:
    """Write the minutes and hours of a cron expression as numbers, because `CronSim` reads ``*`` as elapsed time."""
    from cronsim import CronSim

    parsed = CronSim(cron, datetime(2000, 1, 1))
    fields = [",".join(map(str, sorted(numbers))) for numbers in (parsed.minutes, parsed.hours)]
    return " ".join((*fields, *cron.split()[2:]))


def _is_hourly(cron: str) -> bool:
    from cronsim import CronSim

    return len(CronSim(cron, datetime(2000, 1, 1)).hours) == 24


def changes_of_clocks(timezone: str, start: datetime, stop: datetime) -> Iterator[datetime]:
    """Yield the times at which a time zone changes its clocks; all times are in UTC, without a time zone."""
    return _changes(ZoneInfo(timezone), start, stop)


def _changes(zone: ZoneInfo, start: datetime, stop: datetime) -> Iterator[datetime]:
    """Yield the times, in UTC, at which a time zone changes its clocks, to the nearest second."""
    day = timedelta(days=1)
    while start < stop:
        if _offset(start, zone) != _offset(start + day, zone):
            yield _change(start, start + day, zone)
        start += day


def _change(early: datetime, late: datetime, zone: ZoneInfo) -> datetime:
    """Find the first time at which the offset from UTC differs from the offset at `early`, by bisection."""
    offset = _offset(early, zone)
    while late - early > timedelta(seconds=1):
        middle = (early + (late - early) / 2).replace(microsecond=0)
        early, late = (middle, late) if _offset(middle, zone) == offset else (early, middle)
    return late


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return _local(moment, zone).utcoffset() or timedelta()


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone(zone)
