"""Schedules: which pipeline runs when, with which values. Each schedule is a JSON file in helio's home folder."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from helio.errors import (
    DamagedRecord,
    ExportError,
    HelioError,
    OutputError,
    RequestError,
    TimeRangeError,
    did_you_mean,
)
from helio.flows.again import RETRIES, Again, in_words, read_length
from helio.flows.last_runs import forget_last_run
from helio.flows.slots import changes_of_clocks, clock_notes, slots, slots_between
from helio.pipelines.known import known_datasets
from helio.pipelines.library import Library
from helio.pipelines.passes.check_given_values import unknown_values
from helio.pipelines.plan import Plan, check, make_plan, time_variable
from helio.pipelines.reread import schedule_notices
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import ID, Document, id_like, require_id
from helio.pipelines.template.files import FORMATS, STATIC, Format
from helio.pipelines.template.retries import retry_pause
from helio.settings import Settings
from helio.store.files import user_path, write_whole
from helio.store.records import Count, NaiveInstantOrEmpty, read_record
from helio.time_range import TimeRange, canonical, is_relative, parse_time_range

LONGEST_CRON = 200
PathOrEmpty = Annotated[str, lambda value: "" if not value or os.path.isabs(value) else "an absolute path"]
SOON = timedelta(days=8)
"""How long before a change between summer and winter time helio begins to report its effect on a schedule."""
_BEFORE = timedelta(days=70)
"""Time span that always contains at least two runs of a monthly schedule."""
RECORD = "helio-schedule/1"
_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat"
# Common to all versions of cron; L, W and # are extensions of some.
_PLAIN_CRON = re.compile(rf"(?:[0-9*,/\- \t]|{_NAMES})+", re.IGNORECASE)


@dataclass(frozen=True)
class Schedule:
    """When a pipeline runs, and with which values of its variables.

    Parameters
    ----------
    name : str
        Lower case letters, digits and hyphens.
    pipeline : str
        A pipeline's name, or the absolute path of its file.
    cron : str
        Minute, hour, day of month, month, day of week.
    timezone : str
        The time zone of ``cron``; time ranges are always UTC.
    values : mapping
        Values of the template's variables, by name with ``$``; relative time ranges are phrases.
    archive : str
        The archive that its runs use; empty to use the providers named in the steps.
    output : str
        The folder that gets a subfolder for each time range; empty for a folder in helio's home.
    late : str
        How often and for how long to run an interval again that has no data yet: ``"1h for 3d"``; empty for never.
    remake : str
        How often and for how long to look whether a figure should be made again: ``"1d for 60d"``; empty for never.
    latency : str
        How long after an interval its data usually appear: ``"3d"``; empty for what helio knows about the datasets.
    retries : int
        Maximum number of further attempts for a step after an error that may pass, such as a server that is down, if
        the step does not say it.
    retry_delay : str
        Time before a further attempt: ``"5min"``; empty for a few seconds. It counts for steps that say none.
    added : str
        When it was added, naive UTC; a change keeps it. Empty in records of earlier versions.
    """

    name: str
    pipeline: str
    cron: str
    timezone: str = "UTC"
    values: Mapping[str, Any] = field(default_factory=dict)
    archive: str = ""
    formats: tuple[Format, ...] = ()
    output: PathOrEmpty = ""
    paused: bool = False
    late: str = ""
    remake: str = ""
    latency: str = ""
    retries: Count = RETRIES
    retry_delay: str = ""
    added: NaiveInstantOrEmpty = ""

    @property
    def delay(self) -> timedelta | None:
        """Return the time before a further attempt; None for a few seconds.

        Raises
        ------
        RequestError
            It is not a length, or all attempts together take longer than a day.
        """
        return retry_pause(self.retries, self.retry_delay)

    @property
    def usual_latency(self) -> timedelta | None:
        """Return how long after an interval its data usually appear; None if the user did not say it.

        Raises
        ------
        RequestError
        """
        return read_length(self.latency) if self.latency else None

    @property
    def late_rule(self) -> Again | None:
        """Return the rule for intervals without data; None if `helio serve` does not run them again."""
        return Again.read(self.late) if self.late else None

    @property
    def remake_rule(self) -> Again | None:
        """Return the rule for intervals whose data or pipeline have changed; None if results stay as they are."""
        return Again.read(self.remake) if self.remake else None

    def next_after(self, now: datetime) -> datetime:
        """Return the time of the next run after a given time; both times are in UTC, without a time zone."""
        return next(slots(self.cron, self.timezone, now))

    def clock_notes(self, now: datetime, ahead: timedelta = SOON) -> list[str]:
        """Describe how a change between summer and winter time affects the next runs; empty if it does not."""
        notes = clock_notes(self.cron, self.timezone, now, now + ahead)
        for change in changes_of_clocks(self.timezone, now, now + ahead):
            notes += [
                note
                for phrase in self.values.values()
                if isinstance(phrase, str)
                for note in self._range_notes(phrase, change)
            ]
        return notes

    def slots_due(
        self, template: Document, after: datetime, until: datetime
    ) -> Iterator[tuple[datetime, TimeRange]]:
        """Return the times of the runs that were due from `after` to `until`, with their intervals; naive UTC.

        There are none if the schedule's time range is fixed, because every run then has the same interval.
        """
        phrase = self._phrase(template)
        if not phrase or not is_relative(phrase):
            return
        for slot in slots_between(self.cron, self.timezone, after, until):
            yield slot, parse_time_range(phrase, slot)

    def fixed_range(self, template: Document) -> str:
        """Return the time range that all runs have in common; empty if it follows from the time of each run."""
        phrase = self._phrase(template)
        return "" if not phrase or is_relative(phrase) else phrase

    def _phrase(self, template: Document) -> str:
        """Return the time range of the runs in words; empty if they have no variable of that type."""
        written = template.get("variables")
        times = {
            name: self.values.get(name, facts.get("default"))
            for name, facts in (written if isinstance(written, dict) else {}).items()
            if isinstance(facts, dict) and facts.get("type") == "time_range"
        }
        times |= {name: value for name, value in self.values.items() if name == "$TIME_RANGE"}
        phrase = times[min(times, key=lambda name: (name != "$TIME_RANGE", name))] if times else None
        return phrase if isinstance(phrase, str) else ""

    def _range_notes(self, phrase: str, change: datetime) -> Iterator[str]:
        """Report whether the time ranges of successive runs have a gap or an overlap because the clocks change."""
        earlier = [*slots_between(self.cron, self.timezone, change - _BEFORE, change)][-2:]
        try:
            if not is_relative(phrase):
                return
            spans = [parse_time_range(phrase, slot) for slot in (*earlier, self.next_after(change))]
        except TimeRangeError:  # the value of a variable that is not a time range
            return
        if len(spans) < 3:
            return
        usual, now = spans[1].start - spans[0].stop, spans[2].start - spans[1].stop
        if now != usual:
            what = "leave a gap" if now > usual else "overlap"
            yield (
                f"time ranges are in UTC, but the clocks of {self.timezone} change between summer and winter, so "
                f"{spans[1]} and {spans[2]} {what}; use --timezone UTC to avoid this"
            )

    def template(self, settings: Settings) -> Document:
        """Read the template of the schedule's pipeline, as it is now.

        Raises
        ------
        UnknownPipeline, InvalidTemplate
        """
        shelf = Library(settings.templates)
        return shelf.read(shelf.find(self.pipeline))

    def plan(self, settings: Settings, slot: datetime, values: Mapping[str, Any]) -> Plan:
        """Plan the run of one scheduled time.

        Parameters
        ----------
        slot : datetime
            The scheduled time, naive UTC.
        values : mapping
            Values of variables by name with ``$``.

        Raises
        ------
        UnknownPipeline, InvalidTemplate, TimeRangeError
        """
        return make_plan(
            self.template(settings),
            now=slot,
            values=values,
            archive=self.archive,
            catalogue=known_datasets(settings.home, slot, self.archive),
            pipelines=Library(settings.templates).templates(),
        )

    def form(self, settings: Settings, template: Document) -> Document:
        """Return the template with all variables that a run can set, including those that helio makes from fixed
        values.

        Raises
        ------
        InvalidTemplate
            The template cannot run, or it lacks a variable for which the schedule has a value.
        """
        now = datetime.now(UTC).replace(tzinfo=None)
        checked = check(
            template,
            now=now,
            catalogue=known_datasets(settings.home, now, self.archive),
            pipelines=Library(settings.templates).templates(),
        )
        if checked.errors:
            raise InvalidTemplate(checked.errors)
        written = template.get("variables")
        written = written if isinstance(written, dict) else {}
        variables: Document = {}
        for variable, facts in checked.plan["variables"].items():
            own = written.get(variable)
            if facts["type"] != "interval":  # each item of a map has its own interval
                default = own.get("default") if isinstance(own, dict) else None
                variables[variable] = facts if default is None else {**facts, "default": default}
        unknown = tuple(unknown_values(variables, self.values))
        if unknown:
            raise InvalidTemplate(unknown)
        return {**template, "variables": variables}

    def notices(self, settings: Settings) -> list[str]:
        """Describe time ranges that earlier versions of helio understood as other ranges; report each only once."""
        try:
            declared = self.template(settings).get("variables")
        except HelioError:  # a run reports the error of its pipeline
            return []
        known = {"$TIME_RANGE": {"type": "time_range"}} | (declared if isinstance(declared, dict) else {})
        times = {
            name: value
            for name, value in self.values.items()
            if isinstance(known.get(name), dict) and known[name].get("type") == "time_range"
        }
        return schedule_notices(self.name, times, settings.home)

    def folder(self, settings: Settings, plan: Plan) -> Path:
        """Return the output folder of one run: a folder named after the run's time range, in the schedule's folder."""
        return self.root(settings) / dated(plan)

    def root(self, settings: Settings) -> Path:
        """Return the schedule's output folder, which contains a folder for each time range."""
        return Path(self.output) if self.output else settings.home / "scheduled" / self.name


@dataclass(frozen=True)
class _Written(Schedule):
    """The content of a schedule's file."""

    schedule: Literal["helio-schedule/1"] = field(kw_only=True)


@dataclass(frozen=True)
class Schedules:
    """The schedules in one home folder of helio.

    Parameters
    ----------
    settings : Settings
    """

    settings: Settings

    @property
    def folder(self) -> Path:
        """Return the folder that contains the schedules' files."""
        return self.settings.home / "schedules"

    def names(self) -> list[str]:
        """List the names of all schedules, including those whose file cannot be read."""
        return sorted(path.stem for path in self.folder.glob("*.json") if ID.fullmatch(path.stem))

    def load(self, name: str) -> Schedule:
        """Load the schedule with a given name.

        Raises
        ------
        RequestError
            No schedule has this name, or its file is damaged.
        """
        path = self._path(name)
        try:
            written = read_record(path, _Written)
        except FileNotFoundError:
            raise self._unknown(name) from None
        except DamagedRecord as error:
            raise _damaged(name, error.message) from error
        facts = {key: fact for key, fact in vars(written).items() if key != "schedule"}
        schedule = Schedule(**facts)
        if schedule.name != name:
            raise _damaged(name, f"{path} cannot be read: 'name' is '{schedule.name[:60]}', not '{name}'")
        try:
            _check_cron(schedule.cron)
            _check_timezone(schedule.timezone)
            _ = schedule.late_rule, schedule.remake_rule, schedule.usual_latency, schedule.delay
        except RequestError as error:
            raise _damaged(name, f"{path} cannot be read: {error.message}") from error
        return schedule

    def add(
        self, request: Schedule, *, now: datetime, time_range: str | None = None, replace: bool = False
    ) -> Schedule:
        """Save a schedule, after checking that helio can plan its runs.

        Parameters
        ----------
        request : Schedule
            The name may be empty, for the pipeline's own id. Paths may be relative, and the names of values need no
            ``$``.
        now : datetime
            The present, naive UTC.
        time_range : str
            The value of ``$TIME_RANGE``, or of the only time variable.
        replace : bool
            Whether to replace a schedule of the same name.

        Returns
        -------
        Schedule
            The schedule as written: complete, with absolute paths.

        Raises
        ------
        UnknownPipeline, InvalidTemplate, TimeRangeError
        RequestError
            The cron expression, the time zone, the name or the archive is not valid; the name is taken.
        ExportError
            A figure is to be drawn as PNG, PDF or SVG, and this machine has no browser.
        OutputError
        """
        cron = _check_cron(request.cron)
        _check_timezone(request.timezone)
        shelf = Library(self.settings.templates)
        entry = shelf.find(request.pipeline)
        template = shelf.read(entry)
        given = {key if key.startswith("$") else f"${key}": value for key, value in request.values.items()}
        known = entry.shipped or entry.path.parent == self.settings.templates
        schedule = dataclasses.replace(
            request,
            name=request.name or id_like(str(template["id"])),
            pipeline=entry.id if known else str(entry.path.absolute()),
            cron=cron,
            # Its runs must not depend on the folder or the environment in which they start.
            archive=_absolute(request.archive),
            output=str(user_path(request.output).absolute()) if request.output else "",
            late=str(request.late_rule or ""),
            remake=str(request.remake_rule or ""),
            latency="" if request.usual_latency is None else in_words(request.usual_latency),
            retry_delay="" if request.delay is None else in_words(request.delay),
        )
        path = self._path(schedule.name)
        if path.exists() and not replace:
            raise RequestError(
                f"a schedule '{schedule.name}' exists already",
                advice="replace it with --replace, or choose another name with --name",
            )
        plan = make_plan(
            template,
            now=schedule.next_after(now),
            values=given,
            time_range=time_range,
            archive=schedule.archive,
            catalogue=known_datasets(self.settings.home, now, schedule.archive),
            pipelines=shelf.templates(),
        )
        if time_range is not None:
            given[time_variable(plan.normalised)] = time_range
        check_served(plan, schedule.archive, self.settings)
        check_drawn(plan, schedule.formats, self.settings)
        # in the canonical form, which every later version reads alike
        times = {
            name: canonical(text)
            for name, text in given.items()
            if name in plan.time_ranges and isinstance(text, str)
        }
        schedule = dataclasses.replace(
            schedule, values={**given, **times}, added=self._added(schedule.name, now)
        )
        self._write(schedule)
        return schedule

    def pause(self, name: str, *, paused: bool = True) -> Schedule:
        """Pause a schedule, or let it continue."""
        changed = dataclasses.replace(self.load(name), paused=paused)
        self._write(changed)
        return changed

    def remove(self, name: str) -> None:
        """Remove a schedule, but keep the results of its runs."""
        try:
            self._path(name).unlink()
            forget_last_run(self.settings.home, name)
        except FileNotFoundError:
            raise self._unknown(name) from None
        except OSError as error:
            raise OutputError(f"{self._path(name)} cannot be removed: {error.strerror}") from error

    def _added(self, name: str, now: datetime) -> str:
        """Return when a schedule was added: now if there is none yet, or if its file cannot be read."""
        try:
            return self.load(name).added
        except RequestError:
            return now.isoformat()

    def _path(self, name: str) -> Path:
        require_id(name, "name of a schedule")
        return self.folder / f"{name}.json"

    def _write(self, schedule: Schedule) -> None:
        text = json.dumps({"schedule": RECORD, **asdict(schedule)}, indent=1, ensure_ascii=False)
        write_whole(self._path(schedule.name), (text + "\n").encode())

    def _unknown(self, name: str) -> RequestError:
        known = self.names()
        otherwise = (
            "use `helio schedule list` to list all schedules"
            if known
            else "use `helio schedule add PIPELINE --cron …`"
        )
        return RequestError(
            f"no schedule is called '{name}'", advice=did_you_mean(name, known, otherwise=otherwise)
        )


def _damaged(name: str, message: str) -> RequestError:
    return RequestError(message, advice=f"use `helio schedule remove {name}`, then add the schedule again")


def check_served(plan: Plan, archive: str, settings: Settings) -> None:
    """Check that every fetch of a plan has a known provider, so that the scheduled runs do not fail later.

    Raises
    ------
    RequestError
    """
    from helio.sources.archives import archives_of
    from helio.sources.cdf import CdfReader
    from helio.steps.fetch.choices import choices_of
    from helio.steps.signature import signatures

    with CdfReader() as reader:
        archives = archives_of(settings, reader, archive)
        archives.open_named()
        for step in plan.steps:
            if signatures()[step.tool_name].gives == "tables":
                for choice in choices_of(step.args):
                    archives.choose(choice.provider)


def check_drawn(plan: Plan, formats: Iterable[Format], settings: Settings) -> None:
    """Check that there is a browser if a figure is to be drawn as PNG, PDF or SVG, so that no run lacks a file.

    Raises
    ------
    ExportError
    """
    from helio.pipelines.runs.artefacts import find_browser_of
    from helio.steps.render.write_figure import INSTALL_ADVICE

    drawn = {file.format for step in plan.steps for file in step.files} & {*FORMATS}
    if drawn:
        drawn |= {*formats}
    wanted = [kind.upper() for kind in STATIC if kind in drawn]
    if wanted and find_browser_of(settings) is None:
        raise ExportError(
            f"the runs would lack {' and '.join(wanted)}: this machine has no browser to draw them",
            advice=INSTALL_ADVICE,
        )


def written_at(home: Path, name: str) -> datetime:
    """Return when the file of a schedule was last written, naive UTC."""
    written = (home / "schedules" / f"{name}.json").stat().st_mtime
    return datetime.fromtimestamp(written, UTC).replace(tzinfo=None)


def dated(plan: Plan) -> str:
    """Return the folder name for a run's time range: ``2021-10-28``, or ``2021-10-28_2021-11-04`` for several days."""
    span = next(iter(plan.time_ranges.values()), None)
    return _stamp(plan.now) if span is None else name_of_range(span)


def name_of_range(span: TimeRange) -> str:
    """Return a file name for a time range: ``2021-10-28``, or ``2021-10-28_2021-11-04`` for several days."""
    if span.duration == timedelta(days=1) and not _clock(span.start):
        return _stamp(span.start)
    return f"{_stamp(span.start)}_{_stamp(span.stop)}"


def _clock(moment: datetime) -> bool:
    return bool(moment.hour or moment.minute or moment.second or moment.microsecond)


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H%M%S}" if _clock(moment) else f"{moment:%Y-%m-%d}"


def _check_cron(text: str) -> str:
    """Check a cron expression, and return it with single spaces.

    Raises
    ------
    RequestError
    """
    from cronsim import CronSim, CronSimError

    plain = " ".join(text.split())
    advice = "write minute, hour, day, month and weekday: '10 6 * * *' is every day at 06:10"
    if len(plain) > LONGEST_CRON:
        raise RequestError(f"the cron expression is longer than {LONGEST_CRON} characters", advice=advice)
    if len(plain.split()) != 5:
        raise RequestError(f"'{text}' is not a cron expression: it needs five fields", advice=advice)
    if not _PLAIN_CRON.fullmatch(plain):
        raise RequestError(f"'{text}' is not a cron expression", advice=advice)
    try:
        next(CronSim(plain, datetime(2000, 1, 1)))
    except CronSimError as error:
        raise RequestError(
            f"'{text}' is not a cron expression: {str(error).lower()}", advice=advice
        ) from error
    except StopIteration:
        raise RequestError(f"the cron expression '{text}' never occurs", advice=advice) from None
    return plain


def _check_timezone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (
        OSError,
        ValueError,
        KeyError,
    ) as error:  # errors of ZoneInfo for a folder, for '..', for an unknown zone
        raise RequestError(
            f"'{name}' is not a time zone",
            advice="write, for example, UTC, Europe/Berlin or America/New_York",
        ) from error


def _absolute(archive: str) -> str:
    from helio.sources.archives import archive_named, is_folder

    archive = archive_named(archive)
    return os.path.abspath(user_path(archive)) if is_folder(archive) else archive
