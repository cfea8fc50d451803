"""Incidents: what is wrong with a helio that runs for a long time, from its beginning to its end, over restarts."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from helio.errors import DamagedRecord, UnknownRun
from helio.flows.last_runs import LastRun, last_run
from helio.pipelines.runs.intervals import DONE as MADE
from helio.pipelines.runs.intervals import IntervalRun
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.runs.states import DONE
from helio.service.status import SILENT, ScheduleStatus, Status
from helio.store.files import write_whole
from helio.store.records import Count, NaiveInstant, NaiveInstantOrEmpty, read_if_whole
from helio.store.runs import EventRecord, Runs

if TYPE_CHECKING:
    from helio.flows.serve import Outage
    from helio.settings import Settings

log = logging.getLogger(__name__)

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 60, 180, 360, 720))
"""Time before each new attempt to send a message; after the last one, helio gives the message up."""
MOST = 200
"""Maximum number of messages that wait to be sent, and of alerts that are remembered; the oldest go first."""
LONGEST = 4000
"""Maximum number of characters of the text of a message."""


@dataclass(frozen=True)
class Problem:
    """Something that a person should know, or its end.

    Parameters
    ----------
    key : str
        The same for the same problem: ``"schedule daily"``, ``"alert daily dst"``.
    title, cause, remedy : str
    over : bool
        Whether it has ended; `cause` then says how.
    since, until : str
        For an alert, start and end of its last event: ISO 8601, UTC. The end is empty if the data end before the event.
    slot : str
        For an alert, the time for which the run that found the event was scheduled, naive UTC.
    once : bool
        Whether one message says everything if it was over before it was reported.
    """

    key: str
    title: str
    cause: str
    remedy: str = ""
    over: bool = False
    since: str = ""
    until: str = ""
    slot: str = ""
    once: bool = False


@dataclass(frozen=True)
class Message:
    """A message to send.

    Parameters
    ----------
    due : str
        When to send it, naive UTC.
    attempts : int
        Number of attempts that failed.
    accepted : tuple of str
        Names of the addresses that have accepted it.
    """

    title: str
    body: str
    due: NaiveInstant
    attempts: Count = 0
    accepted: tuple[str, ...] = ()

    def is_due(self, now: datetime) -> bool:
        """Return whether to send it now; a time further away than its pause shows that the clock has gone back."""
        pause = PAUSES[self.attempts - 1] if self.attempts else timedelta()
        return not now < datetime.fromisoformat(self.due) <= now + pause


@dataclass(frozen=True)
class Incident:
    """A problem that was reported and has not ended; for an alert, with its last event, as in `Problem`."""

    title: str
    begun: NaiveInstant
    since: str = ""
    until: str = ""
    slot: NaiveInstantOrEmpty = ""


@dataclass(frozen=True)
class Incidents:
    """Open incidents, alerts that were reported, and messages that wait to be sent.

    Parameters
    ----------
    open : mapping
        By the key of the problem.
    reported : mapping
        For each alert, the end of the last event that was reported, or its start: ISO 8601, UTC.
    """

    open: Mapping[str, Incident] = field(default_factory=dict)
    reported: Mapping[str, str] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()

    def after(self, problems: Sequence[Problem], quiet: frozenset[str], now: datetime) -> Incidents:
        """Return the incidents after a look: one new message for each that begins, and one for each that ends.

        Parameters
        ----------
        quiet : frozenset of str
            Keys of which nothing is known now, such as an alert without new data: these incidents stay open.
        """
        known, reported, messages = dict(self.open), dict(self.reported), [*self.messages]

        def tell(title: str, *lines: str) -> None:
            body = "\n".join(line for line in lines if line)
            if len(body) > LONGEST:
                body = f"{body[: LONGEST - 2]} …"
            messages.append(Message(title, body, now.isoformat()))

        def end(key: str, how: str) -> None:
            incident = known.pop(key)
            tell(f"over: {incident.title}", how, f"It was reported at {_shown(incident.begun)} UTC.")
            if incident.since:
                reported[key] = max(reported.get(key, ""), incident.until or incident.since)

        for problem in problems:
            before = known.get(problem.key)
            event = problem.until or problem.since
            if problem.over and before is not None:
                end(problem.key, problem.cause)
                if event:
                    reported[problem.key] = max(reported.get(problem.key, ""), event)
            elif before is not None:
                known[problem.key] = replace(
                    before, since=problem.since, until=problem.until, slot=problem.slot
                )
            elif (problem.once or not problem.over) and (not event or event > reported.get(problem.key, "")):
                tell(
                    problem.title,
                    problem.cause,
                    f"What to do: {problem.remedy}" if problem.remedy else "",
                )
                if problem.over:
                    reported[problem.key] = event
                    continue
                known[problem.key] = Incident(
                    problem.title, now.isoformat(), problem.since, problem.until, problem.slot
                )
        present = {problem.key for problem in problems}
        for key in known.keys() - present - quiet:
            end(key, "")
        newest = sorted(reported, key=lambda key: (key in present, reported[key]))[-MOST:]
        return Incidents(known, {key: reported[key] for key in newest}, tuple(messages[-MOST:]))

    def without(self, sent: Message) -> Incidents:
        """Return the incidents after a message was sent."""
        return replace(self, messages=tuple(message for message in self.messages if message != sent))

    def postponed(self, failed: Message, accepted: tuple[str, ...], now: datetime) -> Incidents:
        """Return the incidents after an attempt to send a message failed; give the message up after the last."""
        if failed.attempts >= len(PAUSES):
            log.warning("the notification '%s' was given up after %s attempts", failed.title, failed.attempts)
            return self.without(failed)
        later = replace(
            failed,
            due=(now + PAUSES[failed.attempts]).isoformat(),
            attempts=failed.attempts + 1,
            accepted=(*failed.accepted, *accepted),
        )
        return replace(
            self, messages=tuple(later if message == failed else message for message in self.messages)
        )


def read_incidents(home: Path) -> Incidents:
    """Read the incidents of a home folder; none if there are none yet, or if the file is damaged, which is logged."""
    return read_if_whole(_path(home), Incidents, log, "open incidents are reported again") or Incidents()


def write_incidents(home: Path, incidents: Incidents) -> None:
    """Write the incidents, so that a restart reports none of them again.

    Raises
    ------
    OutputError
    """
    write_whole(_path(home), (json.dumps(asdict(incidents), indent=1) + "\n").encode())


def problems_of(
    status: Status, settings: Settings, known: Incidents, new: Mapping[str, Sequence[LastRun]]
) -> tuple[list[Problem], frozenset[str]]:
    """List the problems and alerts of a home folder, and the keys of those about which nothing is known now.

    Parameters
    ----------
    new : mapping
        The runs of each schedule that have ended with results since the last look. They must be read before this call,
        so that the last run of a schedule is one of them, or newer.
    """
    problems = [
        Problem(subject, shorten(f"helio: {subject}: {what}", 100, placeholder=" …"), what, remedy)
        for subject, what, remedy in status.problems
        if subject != "serve"  # it runs now
    ]
    quiet: set[str] = set()
    for schedule in status.schedules:
        subject = f"schedule {schedule.name}"
        if subject in known.open and not schedule.is_problem:
            if schedule.state in ("running", "waiting", "no data"):
                quiet.add(subject)  # a new attempt is no recovery
            else:
                problems.append(Problem(subject, "", _how_it_ended(schedule), over=True))
        last = last_run(settings.home, schedule.name)
        late = [run for run in new.get(schedule.name, ()) if last is None or run.run != last.run]
        if late:
            problems += _late_alerts(schedule.name, late, last, settings)
        alerts, unknown = _alerts_of(schedule.name, last, Runs(settings.runs), known)
        problems += alerts
        quiet |= unknown
    return problems, frozenset(quiet)


def outages(outage: Outage | None) -> Iterator[Problem]:
    """Yield an outage of the engine's server, if `helio serve` restarted the server or the outage lasts long."""
    if outage is None or not (outage.restarted or outage.seconds > SILENT.total_seconds()):
        return
    if outage.ended is None and outage.seconds <= SILENT.total_seconds():
        return  # one message will say how long it was
    if outage.ended is None:
        cause = f"The engine's server has not answered since {outage.begun:%Y-%m-%d %H:%M:%S} UTC."
        remedy = "helio serve tries to start it again and again; helio doctor says what is wrong"
    else:
        begun, ended = f"{outage.begun:%Y-%m-%d %H:%M:%S}", f"{outage.ended:%H:%M:%S}"
        cause = f"The engine's server did not answer from {begun} to {ended} UTC. It answers again."
        remedy = "nothing now; if it happens again, read the log prefect/server.log in helio's home"
    yield Problem(
        "engine",
        "helio: the engine's server did not answer",
        cause,
        remedy,
        over=outage.ended is not None,
        since=outage.begun.isoformat(),
        until=outage.ended.isoformat() if outage.ended else "",
        once=True,
    )


def _how_it_ended(schedule: ScheduleStatus) -> str:
    if schedule.state == "paused":
        return "The schedule is paused."
    return f"The run of {_shown(schedule.last_success)} UTC has results." if schedule.last_success else ""


def _late_alerts(
    schedule: str, late: Sequence[LastRun], last: LastRun | None, settings: Settings
) -> Iterator[Problem]:
    """Yield one problem for the alerts of each step of runs that ended after a newer run, such as those of late data.

    It begins and ends in the past. Events that overlap those of earlier runs, or of the last run, are reported already.
    """
    runs = {
        run_id: record.run
        for run_id, record in known_runs_of(settings).read().items()
        if record.run is not None
    }
    for ended in late:
        run = runs.get(ended.run)
        if run is None:  # deleted meanwhile, or damaged, which is logged
            continue
        reported = [
            event
            for earlier in runs.values()
            if earlier.state in MADE
            and (earlier.pipeline, earlier.values) == (run.pipeline, run.values)
            and (earlier.started_at < run.started_at or (last is not None and earlier.id == last.run))
            for event in _periods(earlier)
        ]
        events = [
            event
            for event, step, start, stop in _periods(run)
            if not any(
                step == reported_step and start < end and begin < stop
                for _, reported_step, begin, end in reported
            )
        ]
        for step in dict.fromkeys(str(event["step_id"]) for event in events):
            of_step = [event for event in events if str(event["step_id"]) == step]
            yield Problem(
                f"alert {schedule} {step} {ended.run}",
                f"helio: alert of {schedule}, step {step}, in earlier data",
                "\n".join(
                    (
                        *(event["message"] for event in of_step),
                        f"Found by the run of {_shown(ended.slot)} UTC, which ended after that of a newer interval.",
                        f"Figure: {of_step[-1]['figure'] or 'none'}",
                    )
                ),
                _where(of_step[-1], ended),
                over=True,
                since=of_step[0]["start"],
                until=of_step[-1]["stop"],
                slot=ended.slot,
                once=True,
            )


def _periods(run: IntervalRun) -> Iterator[tuple[EventRecord, str, datetime, datetime]]:
    """Yield the alerts of a run with step, start and stop; an event to the end of the data ends with the interval."""
    for event in sorted(run.events, key=lambda event: event["start"]):
        if event["kind"] == "alert":
            start = datetime.fromisoformat(event["start"])
            end = run.span.stop.replace(tzinfo=UTC) if run.span is not None else start
            yield (
                event,
                str(event["step_id"]),
                start,
                datetime.fromisoformat(event["stop"] or end.isoformat()),
            )


def _where(event: EventRecord, last: LastRun) -> str:
    return f"{'look at the figure; ' if event['figure'] else ''}helio runs show {last.run}"


def _alerts_of(
    schedule: str, last: LastRun | None, runs: Runs, known: Incidents
) -> tuple[list[Problem], set[str]]:
    """List the alerts of the last run of a schedule, and the keys of open ones of which it knows nothing.

    An alert lasts from the interval in which it was found over all following intervals that meet its condition. It is
    over when an event that lasted to the end of the data has ended in newer data, and when a following interval has no
    new event. Without data, it neither begins nor ends.
    """
    beginning = f"alert {schedule} "
    opened = {key for key in known.open if key.startswith(beginning)}
    if last is None or last.state not in ("success", "partial"):
        return [], opened
    try:
        record = runs.load(last.run)
        events = [event for event in record.whole_header.get("events", []) if event["kind"] == "alert"]
        failed = {str(step["step_id"]) for step in record.step_records if step["state"] not in DONE}
    except (DamagedRecord, UnknownRun) as error:
        log.warning("%s; its alerts are unknown", error.message)
        return [], opened
    newest = {str(event["step_id"]): event for event in sorted(events, key=lambda event: event["start"])}
    alerts = [
        _alert(schedule, event, last, known.open.get(beginning + step)) for step, event in newest.items()
    ]
    silent = {key for key in opened if key.removeprefix(beginning) not in newest}
    unknown = {key for key in silent if key.removeprefix(beginning) in failed}
    none = f"The run of {_shown(last.slot)} UTC found no event."
    return [*alerts, *(Problem(key, "", none, over=True) for key in sorted(silent - unknown))], unknown


def _alert(schedule: str, event: EventRecord, last: LastRun, before: Incident | None) -> Problem:
    has_ended, is_same = bool(event["stop"]), before is not None and event["start"] <= before.until
    return Problem(
        f"alert {schedule} {event['step_id']}",
        f"helio: alert of {schedule}, step {event['step_id']}",
        f"{event['message']}\nFigure: {event['figure'] or 'none'}",
        _where(event, last),
        over=before is not None and has_ended and (not before.until or (is_same and last.slot > before.slot)),
        since=event["start"],
        until=event["stop"],
        slot=last.slot,
    )


def _shown(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _path(home: Path) -> Path:
    return home / "schedules" / ".incidents.json"
