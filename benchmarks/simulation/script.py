"""What happens in a simulated service, day by day: what the archive publishes and when, and every fault."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

FIRST = date(2024, 3, 1)
"""The first day of data; its run is due on the next day."""
DAY = timedelta(days=1)
SLOT = time(6, 10)
LOOKS = (time(5, 0), SLOT, time(12, 10), time(18, 10))
"""Times of a day at which the service acts: at SLOT runs are due, at the others late and changed days run again.
They are more than an hour apart, because helio uses some replies of servers for an hour."""
LATE_EVERY, LATE_FOR = timedelta(hours=3), timedelta(days=3)
REMAKE_EVERY, REMAKE_FOR = timedelta(hours=20), timedelta(days=12)
LATE, REMAKE = "3h for 3d", "20h for 12d"
LEVEL, ALERT, WORST = 5.0, 100.0, 500.0
"""Usual values, the level above which the pipelines report an alert, and the level above which they fail."""

State = Literal["good", "bad", "damaged", "wrong size"]
Weather = Literal["down", "500", "time-out", "cut"]
PUBLISHED = (
    "late by hours", "late by days", "very late", "partial", "republished", "new version", "damaged file",
    "wrong size", "step fails", "no data",
)  # fmt: skip
OF_FILES = ("new version", "damaged file", "wrong size")
WEATHER: tuple[Weather, ...] = ("down", "500", "time-out", "cut")
LOCAL = ("full disk", "disk fills up", "kill -9 of a run")


@dataclass(frozen=True)
class Content:
    """What the archive has for one day of one pipeline.

    Parameters
    ----------
    revision : int
        Different contents of a day have different revisions, and different values.
    version : int
        The version in the name of its file.
    hours : int
        Number of records, one for each hour from midnight.
    """

    revision: int = 1
    version: int = 1
    state: State = "good"
    hours: int = 24


@dataclass(frozen=True)
class Publication:
    """The archive publishes the file of one day of one pipeline, or replaces it."""

    at: datetime
    pipeline: int
    day: date
    content: Content


@dataclass
class Script:
    """Everything that happens from outside.

    Parameters
    ----------
    publications : list of Publication
        In the order of time.
    weather : dict
        How the archive fails for a pipeline at a look, by pipeline and time; all requests, except that ``"cut"``
        concerns files only.
    local : dict
        What happens on this machine to the run of a pipeline that is due at a time.
    high : set of (pipeline, day, hour)
        Records above the level of alerts.
    deaf : set of datetime
        Looks at which the server for messages answers 500.
    kinds : Counter
        Number of events of each kind.
    """

    days: int
    pipelines: int
    publications: list[Publication] = field(default_factory=list)
    weather: dict[tuple[int, datetime], Weather] = field(default_factory=dict)
    local: dict[tuple[int, datetime], str] = field(default_factory=dict)
    high: set[tuple[int, date, int]] = field(default_factory=set)
    deaf: set[datetime] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def data_days(self) -> list[date]:
        """The days of data."""
        return [FIRST + number * DAY for number in range(self.days)]

    @property
    def looks(self) -> list[datetime]:
        """The times at which the service acts."""
        return [
            datetime.combine(FIRST + (number + 1) * DAY, clock)
            for number in range(self.days)
            for clock in LOOKS
        ]

    @property
    def end(self) -> datetime:
        """The time of the last look."""
        return self.looks[-1]

    def content(self, pipeline: int, day: date, now: datetime) -> Content | None:
        """Return what the archive has for a day at a time."""
        found = None
        for publication in self._by_day().get((pipeline, day), ()):
            if publication.at <= now:
                found = publication.content
        return found

    def newest(self, pipeline: int, now: datetime) -> Publication | None:
        """Return the newest publication of a pipeline at a time."""
        published = [
            publication
            for publication in self.publications
            if publication.pipeline == pipeline and publication.at <= now
        ]
        return published[-1] if published else None

    def last_day(self, pipeline: int, now: datetime) -> date:
        """Return the last day of which the archive has data; it begins with the day before FIRST."""
        days = (
            publication.day
            for publication in self.publications
            if publication.pipeline == pipeline and publication.at <= now
        )
        return max(days, default=FIRST - DAY)

    def _by_day(self) -> dict[tuple[int, date], list[Publication]]:
        if not hasattr(self, "_index"):
            self._index: dict[tuple[int, date], list[Publication]] = {}
            for publication in self.publications:
                self._index.setdefault((publication.pipeline, publication.day), []).append(publication)
        return self._index

    def values(self, pipeline: int, day: date, content: Content) -> list[float]:
        """Return the values that a file contains, one for each hour."""
        base = LEVEL + pipeline + day.day / 4 + 50 * (content.revision - 1) / 4
        levels = [base + hour / 32 for hour in range(content.hours)]
        if content.state == "bad":
            levels[5] = 2 * WORST
        return [
            level + 2 * ALERT if (pipeline, day, hour) in self.high else level
            for hour, level in enumerate(levels)
        ]


def is_folder(pipeline: int) -> bool:
    """Return whether a pipeline reads a local folder instead of the archive over HTTP."""
    return pipeline % 3 == 2


def is_hapi(pipeline: int) -> bool:
    """Return whether a pipeline reads a HAPI server, which has records but no files."""
    return pipeline % 4 == 1 and not is_folder(pipeline)


def write_script(seed: int, days: int, pipelines: int, rate: float) -> Script:
    """Draw what happens, with `rate` as the share of each kind of event among all days of all pipelines."""
    chance = random.Random(seed)
    script = Script(days, pipelines)
    for pipeline in range(pipelines):
        script.high |= set(_storms(chance, script, pipeline, rate))
        for day in script.data_days:
            kind = _drawn(chance, PUBLISHED, rate)
            if (kind == "wrong size" and is_folder(pipeline)) or (kind in OF_FILES and is_hapi(pipeline)):
                kind = "step fails"  # a folder lists no sizes, a HAPI server no files
            script.kinds[kind or "published in time"] += 1
            published = list(_publications(chance, pipeline, day, kind))
            script.publications += published
            slot = datetime.combine(day + DAY, SLOT)
            local = _drawn(chance, LOCAL, rate)
            if local == "disk fills up":
                is_sure = bool(published) and published[0].at <= slot and published[0].content.state == "good"
            else:
                is_sure = local == "full disk" or not is_folder(pipeline)  # the server kills at a request
            if local and is_sure:
                script.kinds[local] += 1
                script.local[pipeline, slot] = local
    for moment in script.looks:
        if chance.random() < rate:
            script.deaf.add(moment)
            script.kinds["messages refused"] += 1
        is_quiet = not any((pipeline, moment) in script.local for pipeline in range(pipelines))
        if chance.random() < rate / len(LOOKS) and is_quiet:
            script.kinds["archive down"] += 1
            for pipeline in range(pipelines):
                if not is_folder(pipeline):
                    script.weather[pipeline, moment] = "down"
        if moment.time() != SLOT:
            continue
        for pipeline in range(pipelines):
            kind = _drawn(chance, WEATHER[1:], rate)
            if (
                kind
                and not is_folder(pipeline)
                and (pipeline, moment) not in {**script.local, **script.weather}
            ):
                script.kinds[kind] += 1
                script.weather[pipeline, moment] = kind  # type: ignore[assignment]
                later = moment + timedelta(hours=6)
                if kind != "cut" and chance.random() < 0.3 and (pipeline, later) not in script.weather:
                    script.weather[pipeline, later] = kind  # type: ignore[assignment]
    script.publications = sorted(
        (publication for publication in script.publications if publication.at <= script.end),
        key=lambda publication: publication.at,
    )
    return script


def _drawn(chance: random.Random, kinds: tuple[str, ...], rate: float) -> str:
    number = int(chance.random() / rate)
    return kinds[number] if number < len(kinds) else ""


def _publications(chance: random.Random, pipeline: int, day: date, kind: str) -> Iterator[Publication]:
    usual = datetime.combine(day + DAY, time(3, 0))
    soon = datetime.combine(day + DAY, time(10, 0)) + chance.randrange(2) * DAY
    later = datetime.combine(day + DAY, time(10, 0)) + chance.randrange(1, 9) * DAY
    first, second = Content(), Content(revision=2)

    def at(moment: datetime, content: Content) -> Publication:
        return Publication(moment, pipeline, day, content)

    match kind:
        case "":
            yield at(usual, first)
        case "late by hours":
            yield at(usual + timedelta(hours=7), first)
        case "late by days":
            yield at(usual + timedelta(hours=7) + chance.randrange(1, 3) * DAY, first)
        case "very late":
            yield at(usual + 5 * DAY, first)
        case "partial":
            yield at(usual, Content(hours=12))
            yield at(soon, Content(revision=1, hours=24))
        case "republished":
            yield at(usual, first)
            yield at(later, second)
        case "new version":
            yield at(usual, first)
            yield at(later, Content(revision=2, version=2))
        case "damaged file" | "wrong size":
            state: State = "damaged" if kind == "damaged file" else "wrong size"
            yield at(usual, Content(state=state))
            yield at(soon, second)
        case "step fails":
            yield at(usual, Content(state="bad"))
            if chance.random() < 0.7:
                yield at(soon, second)


def _storms(
    chance: random.Random, script: Script, pipeline: int, rate: float
) -> Iterator[tuple[int, date, int]]:
    hour, hours = 0, 24 * script.days
    while hour < hours:
        if chance.random() < rate / 24:
            script.kinds["alert"] += 1
            last = min(hour + chance.randrange(1, 60), hours)
            for number in range(hour, last):
                yield pipeline, FIRST + (number // 24) * DAY, number % 24
            hour = last + 6
        hour += 1
