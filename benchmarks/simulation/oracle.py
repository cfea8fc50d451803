"""What a right service does with a script: which runs, which results, which states and which messages.

It is written from docs/service.md, docs/schedules.md and docs/backfill.md, and imports nothing of helio.
"""

from __future__ import annotations

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
)

Outcome = Literal["made", "no data", "damaged", "step fails", "unreachable", "crashed", "full"]
GRACE, LONG = timedelta(minutes=30), timedelta(days=3)
PASSES: tuple[Outcome, ...] = ("unreachable", "crashed", "full")
"""Outcomes that may be others at the next attempt although the data are the same."""


@dataclass
class Day:
    """What is known of one day of one pipeline."""

    slot: datetime
    result: Content | None = None
    last: Outcome | None = None
    seen: Content | None = None
    """What the archive had at the last attempt."""
    tried: datetime | None = None


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
        if newest == "no data":
            return "waiting"
        if newest not in (None, "made"):
            return "failing"
        if due:
            return "overdue"
        return "ok" if pipeline.success else "never run"

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
            content = self.script.content(number, date_, now)
            if day.tried is None:
                wanted = date_ != newest
            elif day.result is not None:
                wanted = visible and content != day.result
            else:
                wanted = day.last in PASSES or (visible and content != day.seen)
            if wanted:
                runs.append(self._run(number, pipeline, date_, now, ""))
        return runs

    def _run(self, number: int, pipeline: Pipeline, date_: date, now: datetime, local: str) -> Expected:
        day = pipeline.days[date_]
        content = self.script.content(number, date_, now)
        outcome = self._outcome(number, content, now, local)
        day.last, day.tried = outcome, now
        if outcome != "unreachable":
            day.seen = content
        if outcome == "made":
            day.result = content
        if pipeline.newest is None or day.slot >= pipeline.newest:
            pipeline.newest = day.slot
            pipeline.success = day.slot if outcome == "made" else pipeline.success
        return Expected(number, date_, outcome)

    def _outcome(self, number: int, content: Content | None, now: datetime, local: str) -> Outcome:
        weather = self.script.weather.get((number, now), "")
        if local == "kill -9 of a run":
            return "crashed"
        if weather in ("down", "500", "time-out"):
            return "unreachable"
        if content is None:
            return "no data"
        if weather == "cut" and content.state not in ("damaged", "wrong size"):
            return "unreachable"  # helio sees a wrong head or length before the cut
        if local == "disk fills up":
            return "full"
        if content.state in ("damaged", "wrong size"):
            return "damaged"
        return "step fails" if content.state == "bad" else "made"

    # Messages

    def _problem(self, number: int, pipeline: Pipeline, state: str, now: datetime) -> None:
        since = pipeline.success or self.added
        due = [day.slot for day in pipeline.days.values() if since < day.slot <= now]
        is_problem = state in ("failing", "overdue") or (
            state == "waiting" and bool(due) and now - min(due) > LONG
        )
        if is_problem and not pipeline.problem:
            self.messages.append((number, "problem"))
            pipeline.problem = True
        elif pipeline.problem and not is_problem and state != "waiting":
            self.messages.append((number, "over"))
            pipeline.problem = False

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
