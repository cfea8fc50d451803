"""What a right service does with a script: which runs, which results, which states and which messages.

It is written from docs/service.md, docs/schedules.md and docs/backfill.md, and imports nothing of helio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

from benchmarks.simulation.script import (
    ALERT,
    DAY,
    LATE_EVERY,
    LATE_FOR,
    REMAKE_EVERY,
    REMAKE_FOR,
    SLOT,
    Content,
    Script,
    is_folder,
    is_hapi,
)

Outcome = Literal["made", "no data", "damaged", "step fails", "unreachable", "crashed", "full"]
GRACE, LONG = timedelta(minutes=30), timedelta(days=3)
WITHOUT_DATA = ("waiting", "no data")
PASSES: tuple[Outcome, ...] = ("unreachable", "crashed", "full")
"""Outcomes that may be others at the next attempt although the data are the same."""


@dataclass
class Day:
    """What is known of one day of one pipeline."""

    slot: datetime
    result: Content | None = None
    last: Outcome | None = None
    seen: object = None
    """What of the archive counted at the last attempt."""
    tried: datetime | None = None
    latency: timedelta | None = None
    """How late the data usually were, when the last attempt found none."""
    results: list[Content] = field(default_factory=list)
    """All results, the oldest first."""


@dataclass(frozen=True)
class Expected:
    """A run that should happen."""

    pipeline: int
    day: date
    outcome: Outcome


@dataclass
class Pipeline:
    """What is known of one pipeline and its schedule."""

    days: dict[date, Day] = field(default_factory=dict)
    newest: datetime | None = None
    """The time of the newest run that has a record in its schedule."""
    success: datetime | None = None
    failed: bool = False
    alert: bool = False
    alert_ended: bool = False
    alert_begun: datetime = datetime.min
    """The beginning of the last event that was seen."""
    problem: bool = False


class Oracle:
    """The states after each look, from the script alone."""

    def __init__(self, script: Script, added: datetime) -> None:
        self.script = script
        self.added = added
        self.pipelines = [Pipeline() for _ in range(script.pipelines)]
        self.messages: list[tuple[int, str]] = []
        """Pipeline and title of each message that should be sent: ``"problem"``, ``"over"``, ``"alert"``."""

    def look(self, now: datetime) -> list[Expected]:
        """Return the runs that should happen at a look, in their order."""
        runs: list[Expected] = []
        for number, pipeline in enumerate(self.pipelines):
            if now.time() == SLOT:
                runs += self._slot(number, pipeline, now)
            else:
                runs += self._again(number, pipeline, now)
        return runs

    def after(self, now: datetime) -> dict[int, str]:
        """Note the messages that follow a look, and return the state of each schedule."""
        states = {number: self.state(number, now) for number in range(self.script.pipelines)}
        for number, pipeline in enumerate(self.pipelines):
            self._problem(number, pipeline, states[number], now)
            self._alert(number, pipeline)
        return states

    def state(self, number: int, now: datetime) -> str:
        """Return the state of a schedule that `helio status` should show."""
        pipeline = self.pipelines[number]
        newest = None if pipeline.newest is None else pipeline.days[pipeline.newest.date() - DAY].last
        due = [
            day.slot
            for day in pipeline.days.values()
            if day.slot <= now - GRACE and (pipeline.newest is None or day.slot > pipeline.newest)
        ]
        if newest == "no data" and pipeline.newest is not None:
            day, midnight = pipeline.newest.date() - DAY, datetime.combine(pipeline.newest.date(), time())
            latency = pipeline.days[day].latency
            return "no data" if latency is not None and now >= midnight + latency else "waiting"
        if newest not in (None, "made"):
            return "failing"
        if due:
            return "overdue"
        return "ok" if pipeline.success else "never run"

    def _latency(self, number: int, pipeline: Pipeline) -> timedelta | None:
        """Return the time after a day within which nine of the last 20 results in ten had their files.

        Only files of a server have a date.
        """
        if is_folder(number) or is_hapi(number):
            return None
        results = [(day, content) for day, facts in pipeline.days.items() for content in facts.results]
        newest = sorted(results, key=lambda result: result[0], reverse=True)[:20]
        delays = sorted(
            max(publication.at - datetime.combine(day + DAY, time()), timedelta())
            for day, content in newest
            for publication in self.script.publications
            if (publication.pipeline, publication.day, publication.content) == (number, day, content)
        )
        return delays[math.ceil(0.9 * len(delays)) - 1] if len(delays) >= 3 else None

    # Runs

    def _slot(self, number: int, pipeline: Pipeline, now: datetime) -> list[Expected]:
        day = now.date() - DAY
        pipeline.days[day] = Day(now)
        local = self.script.local.get((number, now), "")
        if local == "full disk":
            return []  # nothing can be written, not even that the run has begun
        return [self._run(number, pipeline, day, now, local)]

    def _again(self, number: int, pipeline: Pipeline, now: datetime) -> list[Expected]:
        runs = []
        newest = max(pipeline.days, default=None)
        visible = self.script.weather.get((number, now)) not in ("down", "500", "time-out")
        for date_, day in sorted(pipeline.days.items()):
            every, within = (LATE_EVERY, LATE_FOR) if day.result is None else (REMAKE_EVERY, REMAKE_FOR)
            if now > day.slot + within or (day.tried is not None and now < day.tried + every):
                continue
            if day.result is not None and is_hapi(number):
                continue  # its schedule has no --remake: each new day changes the date of the whole dataset
            content, counting = self.script.content(number, date_, now), self._counting(number, date_, now)
            if day.tried is None:
                wanted = date_ != newest
            elif day.result is not None:
                wanted = visible and content != day.result
            else:
                wanted = day.last in PASSES or (visible and counting != day.seen)
            if wanted:
                runs.append(self._run(number, pipeline, date_, now, ""))
        return runs

    def _run(self, number: int, pipeline: Pipeline, date_: date, now: datetime, local: str) -> Expected:
        day = pipeline.days[date_]
        content = self.script.content(number, date_, now)
        outcome = self._outcome(number, date_, now, local)
        day.last, day.tried = outcome, now
        if outcome == "no data":
            day.latency = self._latency(number, pipeline)
        if outcome != "unreachable":
            day.seen = self._counting(number, date_, now)
        if outcome == "made" and content is not None:
            if pipeline.newest is not None and day.slot < pipeline.newest:
                self._late_alert(number, day, date_, content)
            day.result = content
            day.results.append(content)
        if pipeline.newest is None or day.slot >= pipeline.newest:
            pipeline.newest = day.slot
            pipeline.success = day.slot if outcome == "made" else pipeline.success
        return Expected(number, date_, outcome)

    def _counting(self, number: int, day: date, now: datetime) -> object:
        """Return what of the archive counts for the run of a day: when it differs, an attempt may end otherwise."""
        content = self.script.content(number, day, now)
        if is_hapi(number):
            is_later = day > self.script.last_day(number, now)
            return None if is_later else self.script.newest(number, now)
        return content, self.damaged_neighbour(number, day, now)

    def damaged_neighbour(self, number: int, day: date, now: datetime) -> Content | None:
        """Return the damaged file of a folder that may have records of a day: the last file, for the days without a
        file after it; and the next file, if the records of the day end early.
        """
        if not is_folder(number):
            return None
        content, last = self.script.content(number, day, now), self.script.last_day(number, now)
        beside = last if content is None and last < day else None
        if content is not None and content.hours < 24:
            beside = day + DAY
        found = self.script.content(number, beside, now) if beside else None
        return found if found is not None and found.state == "damaged" else None

    def _outcome(self, number: int, day: date, now: datetime, local: str) -> Outcome:
        content = self.script.content(number, day, now)
        weather = self.script.weather.get((number, now), "")
        if local == "kill -9 of a run":
            return "crashed"
        if weather in ("down", "500", "time-out"):
            return "unreachable"
        if content is None and self.damaged_neighbour(number, day, now):
            return "damaged"
        if content is None:
            is_asked = is_hapi(number) and day <= self.script.last_day(number, now)
            return "unreachable" if weather == "cut" and is_asked else "no data"
        if weather == "cut" and content.state not in ("damaged", "wrong size"):
            return "unreachable"  # helio sees a wrong head or length before the cut
        if local == "disk fills up":
            return "full"
        if content.state in ("damaged", "wrong size") or self.damaged_neighbour(number, day, now):
            return "damaged"
        return "step fails" if content.state == "bad" else "made"

    # Messages

    def _problem(self, number: int, pipeline: Pipeline, state: str, now: datetime) -> None:
        since = pipeline.success or self.added
        due = [day.slot for day in pipeline.days.values() if since < day.slot <= now]
        is_problem = state in ("failing", "overdue") or (
            state in WITHOUT_DATA and bool(due) and now - min(due) > LONG
        )
        if is_problem and not pipeline.problem:
            self.messages.append((number, "problem"))
            pipeline.problem = True
        elif pipeline.problem and not is_problem and state not in WITHOUT_DATA:
            self.messages.append((number, "over"))
            pipeline.problem = False

    def _late_alert(self, number: int, day: Day, date_: date, content: Content) -> None:
        """Note the message about events that no earlier result of the day had."""
        known = {
            hour for result in day.results for event in self._events(number, date_, result) for hour in event
        }
        if any(not event & known for event in self._events(number, date_, content)):
            self.messages.append((number, "late alert"))

    def _events(self, number: int, date_: date, content: Content) -> list[set[int]]:
        """Return the hours of each event of a day."""
        events: list[set[int]] = []
        for hour, value in enumerate(self.script.values(number, date_, content)):
            if value > ALERT and events and hour - 1 in events[-1]:
                events[-1].add(hour)
            elif value > ALERT:
                events.append({hour})
        return events

    def _alert(self, number: int, pipeline: Pipeline) -> None:
        if pipeline.newest is None:
            return
        day = pipeline.days[pipeline.newest.date() - DAY]
        content = day.result
        if day.last != "made" or content is None:
            return
        values = self.script.values(number, day.slot.date() - DAY, content)
        high = [value > ALERT for value in values]
        begins = [hour for hour in range(len(high)) if high[hour] and not (hour and high[hour - 1])]
        is_open = bool(high) and high[-1]
        begun = datetime.min
        if begins:
            begun = datetime.combine(day.slot.date() - DAY, time(begins[-1]))
        if not pipeline.alert:
            if begun > pipeline.alert_begun:
                self.messages.append((number, "alert"))
                pipeline.alert, pipeline.alert_ended = True, not is_open
        elif (begins and not is_open and not pipeline.alert_ended) or (not begins):
            # it lasted to the end of the data and has ended now, or there is none any more
            self.messages.append((number, "over alert"))
            pipeline.alert = False
        else:
            pipeline.alert_ended = not is_open
        pipeline.alert_begun = max(pipeline.alert_begun, begun)
