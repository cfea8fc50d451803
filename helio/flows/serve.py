"""Run schedules: keep a Prefect deployment for each schedule, and start a process for each flow run that is due."""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helio import interrupts
from helio.errors import Cancelled, EngineError, HelioError, OutputError, RequestError
from helio.flows.definition import define_flow, parameter_names, parameters_of, run_name
from helio.flows.last_runs import OnEnd, noted_run
from helio.flows.missed import EVERY as NOTED_EVERY
from helio.flows.missed import MissedSlots, missed_slots, note_served, read_served, unserved_since
from helio.flows.prefect import PrefectEngine, mark_dead_runs
from helio.flows.register import FINAL
from helio.flows.run import prefect_environment, signals_to
from helio.flows.schedule import Schedule, Schedules
from helio.flows.server import Server, ask
from helio.flows.slots import FAR, for_engine, slots_ahead, slots_in
from helio.pipelines.plan import Plan
from helio.pipelines.runs.intervals import intervals, is_without_data, latest_of, read_run
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.runs.latency import latencies_of
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.session import Engine, Processes, run_plan
from helio.pipelines.template.document import Document
from helio.settings import Settings
from helio.store.runs import Runs

log = logging.getLogger(__name__)

FORM = 4
"""Version of the form in which deployments are written. Raise it with every change, so that helio
replaces old deployments."""
TAG = "helio-schedule"
"""Tag by which helio recognises the Prefect deployments that it made from schedules."""
HOME = "helio.home"
"""Prefect label with the home folder of a deployment, because several home folders may use the same server."""
ADDED = "helio.added"
"""Prefect label with the time at which the schedule of a deployment was added."""
EVERY = 2.0
"""Seconds between two checks of the folder of schedules and of the server."""
PLANNED = 60.0
"""Seconds after which the server should have planned the next runs of a new deployment."""
PATIENCE = 5.0
"""Seconds that a run has to end after it received a signal."""
ENDS = {0: "COMPLETED", 1: "FAILED", 3: "COMPLETED"}
"""State to set for a flow run whose process has ended, by the exit code of the process."""
INTERRUPTED = 130
"""Exit code of a run that was cancelled, or whose server was lost before its steps began."""
LONGEST_PAUSE = 60.0
"""Maximum seconds between two attempts to start a server that ends at once."""


def serve(
    settings: Settings,
    *,
    limit: int = 2,
    every: float = EVERY,
    on_progress: Callable[[str], None] = lambda line: None,
    gallery: AbstractContextManager[str] | None = None,
    on_look: Callable[[Activity], None] = lambda activity: None,
) -> None:
    """Run the schedules of a home folder until Ctrl-C or SIGTERM.

    Parameters
    ----------
    limit : int
        Maximum number of runs at the same time; at most one for each schedule.
    every : float
        Seconds between two checks.
    on_progress : callable
        Called with a line for each event, such as a new or removed schedule.
    gallery : context manager, optional
        Serves the gallery meanwhile, also while the engine's server does not answer; gives the link that opens it.
    on_look : callable
        Called after each check, also while the engine's server does not answer.

    Raises
    ------
    EngineError
        The server cannot be started or reached; another process serves the schedules of this home.
    """
    stopped = threading.Event()
    serving = Serving(settings, limit, on_progress)
    with ExitStack() as stack:
        stack.enter_context(signals_to(stopped.set))
        stack.enter_context(_only_one(settings))
        if gallery is not None:
            link = stack.enter_context(gallery)
            on_progress(f"gallery: {link}")
            if "#" not in link:  # a log that others may read has no ticket
                on_progress("to open it in a browser, run in a terminal: helio gallery serve")
        stack.enter_context(serving.server.used())
        try:
            serving.begin(stopped)
            while not stopped.wait(every):
                serving.look()
                on_look(serving.activity())
        finally:
            serving.end()


@dataclass(frozen=True)
class Outage:
    """Time in which the engine's server did not answer.

    Parameters
    ----------
    begun, ended : datetime
        Naive UTC; `ended` is None while the server does not answer.
    restarted : bool
        Whether the process of helio's own server had ended, so that `helio serve` started it again.
    seconds : float
        How long it has lasted, whatever the clock of the machine says.
    """

    begun: datetime
    ended: datetime | None = None
    restarted: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Activity:
    """What `helio serve` does now.

    Parameters
    ----------
    running : tuple of str
        Schedules whose runs are running.
    paused : tuple of str
        Schedules that a person has paused on the engine's pages.
    outage : Outage, optional
        The last time in which the engine's server did not answer.
    """

    running: tuple[str, ...] = ()
    paused: tuple[str, ...] = ()
    outage: Outage | None = None


def run_scheduled(
    flow_run: str, settings: Settings, *, folder: Callable[[Path], None] = lambda path: None
) -> SlotRun:
    """Run one scheduled flow run in this process.

    The run's clock is its scheduled time, however late it starts.

    Parameters
    ----------
    flow_run : str
        The id of the flow run on the server.
    folder : callable
        Called with the output folder, before anything runs.

    Raises
    ------
    Cancelled
        The run was cancelled, or the server was lost before the steps began.
    HelioError
        The flow run is then marked as failed on the server too, with the same message.
    """
    server = Server(settings.home, settings.environ)
    with _lost_server_cancels(server):
        shown = ask(server, f"/flow_runs/{flow_run}")
    try:
        with _lost_server_cancels(server):
            deployment = ask(server, f"/deployments/{shown['deployment_id']}")
        now = _instant(shown["expected_start_time"])
        with noted_run(settings.home, deployment["name"], now) as on_end:
            schedule = Schedules(settings).load(deployment["name"])
            form = schedule.form(settings, schedule.template(settings))
            plan = schedule.plan(settings, now, _values_of(form, shown["parameters"]))
            folder(schedule.folder(settings, plan))
            with _lost_server_cancels(server):
                ask(server, f"/flow_runs/{flow_run}", {"name": run_name(plan)}, method="PATCH")
            engine = PrefectEngine.of_schedule(schedule, settings, flow_run=flow_run)
            return run_slot(schedule, plan, settings, engine, on_end)
    except Cancelled:
        raise
    except HelioError as error:
        _set_state(server, flow_run, "FAILED", "CriticalFailure", message=str(error))
        raise


@contextmanager
def _lost_server_cancels(server: Server) -> Iterator[None]:
    """Cancel the run if an error comes from a server that is lost: `helio serve` then schedules the run again."""
    try:
        yield
    except EngineError as error:
        if server.is_up():
            raise
        raise Cancelled(f"the engine's server was lost: {error.message}") from error


@dataclass(frozen=True)
class SlotRun:
    """The run of one scheduled time.

    Parameters
    ----------
    status : str
        The status of the run; for a run without data the state of its interval, ``"waiting"`` or ``"no data"``.
    """

    run: Run
    status: str

    @property
    def failures(self) -> list[str]:
        """Describe the steps that failed, and the files that could not be written."""
        failed = [
            f"step {step_result.step.step_id}: {step_result.error.message}"
            for step_result in self.run.result.steps
            if step_result.error
        ]
        return failed + [problem.message for problem in self.run.unwritten]

    def __str__(self) -> str:
        words = [f"{self.status}: {run_name(self.run.plan)}", *self.failures]
        return f"{'; '.join(words)}  {self.run.folder or ''}".rstrip()


def run_slot(
    schedule: Schedule,
    plan: Plan,
    settings: Settings,
    engine: Engine,
    on_end: OnEnd = lambda run, status, reason, latency=None: None,
    processes: Processes | None = None,
) -> SlotRun:
    """Run the plan of one scheduled time, with the archive, the folder and the formats of its schedule.

    Parameters
    ----------
    on_end : callable
        Called when the run has ended.
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes.

    Raises
    ------
    Cancelled
        The run was cancelled, or the engine's server was lost before its first step.
    """
    folder = schedule.folder(settings, plan)
    request = RunRequest(
        plan, schedule.archive, outputs=folder.parent, own_folder=folder.name, formats=schedule.formats
    )
    with _lost_server_cancels(Server(settings.home, settings.environ)):
        run = run_plan(request, settings=settings, engine=engine, processes=processes)
    errors = [step_result.error for step_result in run.result.steps if step_result.error is not None]
    reason = "; ".join(SlotRun(run, run.status).failures)
    if run.status != "failed" or not is_without_data(type(error).__name__ for error in errors):
        on_end(run.id, run.status, reason)
        return SlotRun(run, run.status)
    without_data = read_run(Runs(settings.runs).load(run.id))
    recorded = (known_run.run for known_run in known_runs_of(settings).read().values())
    runs = [
        earlier for earlier in recorded if earlier is not None and earlier.pipeline == without_data.pipeline
    ]
    latencies = latencies_of([*runs, without_data], settings, schedule.usual_latency)
    on_end(run.id, "no data", reason, latest_of(without_data, latencies))
    found = intervals([without_data], now=settings.clock.utc(), latencies=latencies)
    return SlotRun(run, found[0].state if found else "no data")


@dataclass(frozen=True)
class _Deployment:
    """The Prefect deployment of a schedule, as the server knows it."""

    id: str
    flow_id: str
    version: str
    added: str


class Serving:
    """Loop that runs the schedules of one home folder.

    Parameters
    ----------
    limit : int
        Maximum number of runs at the same time.
    server : Server, optional
        The engine's server. Default: as the settings say.
    """

    def __init__(
        self,
        settings: Settings,
        limit: int,
        on_progress: Callable[[str], None],
        server: Server | None = None,
    ) -> None:
        self._settings = settings
        self._clock = settings.clock
        self._schedules = Schedules(settings)
        self.server = server or Server(
            settings.home, settings.environ, idle=settings.engine_idle, keep=settings.retention.engine
        )
        self._home = f"{socket.gethostname()}:{settings.home.absolute()}"
        self._limit = limit
        self._on_progress = on_progress
        self._deployments: dict[str, _Deployment] = {}
        self._paused: tuple[str, ...] = ()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._busy: dict[str, str] = {}
        """The deployment of each flow run that this process has started, by the flow run's id."""
        self._due: set[str] = set()
        """Deployments with a run that is due, and that has not been started at the last look."""
        self._asked_to_end: dict[str, float] = {}
        self._refused: dict[str, str] = {}
        self._outage: Outage | None = None
        self._lost_at = 0.0
        self._pause = 0.0
        self._start_at = 0.0
        self._look_at: dict[str, float] = {}
        self._resting: set[str] = set()
        self._renew_at: dict[str, tuple[datetime, datetime]] = {}
        """For each schedule, when its planned runs were last compared, and when half of them have passed."""
        self._noted = self._clock.monotonic()
        self._again_at: dict[str, float] = {}
        """For each schedule that runs intervals again, when to look next for such intervals."""
        self._again: subprocess.Popen[bytes] | None = None

    def begin(self, stopped: threading.Event) -> None:
        """Start the server if needed, wait until it answers, and continue the work of an earlier `helio serve`."""
        reported = False
        while not self.server.is_up():
            try:
                self.server.start()
                self.server.wait(stop=stopped.is_set)
            except Cancelled:
                return
            except EngineError as error:
                if not self.server.external:
                    raise
                if not reported:
                    self._on_progress(f"{error.message}; waiting for this server")
                reported = True
                if stopped.wait(EVERY):
                    return
        self._deployments = dict(self._known())
        self._look_at = dict.fromkeys(self._deployments, self._clock.monotonic() + PLANNED)
        mark_dead_runs(self.server, self._settings)
        self._put_back_unbegun()
        self._report_missed()
        self._paused = tuple(self._paused_on_pages())
        self._on_progress(f"serving the schedules of {self._settings.home}")
        self._follow_records()

    def look(self) -> None:
        """Do one check: read changed schedules, end cancelled runs, and start runs that are due."""
        try:
            # Check the process too: another server may answer at the address of helio's own.
            if not self.server.is_up():
                raise EngineError(f"helio's server does not answer at {self.server.url}")
            self._reap()
            self._follow_records()
            self._cancel()
            self._start_due()
            self._run_again()
            self._report_unplanned()
            self._hand_over_slots()
            self._note_served()
        except EngineError as error:
            if self.server.is_up():
                log.warning("%s", error)
                return
            if self._outage is None or self._outage.ended:
                self._outage, self._lost_at = Outage(self._clock.utc()), self._clock.monotonic()
                self._on_progress(f"lost the connection to the server: {error.message}")
            self._bring_back()
        else:
            if self._outage is not None and not self._outage.ended:
                self._outage = replace(self._lasting(self._outage), ended=self._clock.utc())
                self._on_progress("the server answers again")
            self._pause = 0.0

    def activity(self) -> Activity:
        """Return which schedules run now, and which were paused on the engine's pages at the last look there."""
        busy = set(self._busy.values())
        running = [name for name, deployment in self._deployments.items() if deployment.id in busy]
        return Activity(tuple(running), self._paused, self._outage and self._lasting(self._outage))

    def _lasting(self, outage: Outage) -> Outage:
        """Return an outage with its length until now; one that has ended stays as it is."""
        return outage if outage.ended else replace(outage, seconds=self._clock.monotonic() - self._lost_at)

    def end(self) -> None:
        """Stop all runs and schedule them again, so that the next `helio serve` continues them."""
        for process in self._processes():
            _signal(process, signal.SIGTERM)
        until = time.monotonic() + min(
            PATIENCE, interrupts.seconds_left() / 2
        )  # the server gets the state afterwards
        for flow_run, process in self._running.items():
            _wait_or_kill(process, until)
            if process.returncode in ENDS:
                continue
            _signal(process, signal.SIGKILL)  # the programs that it started, such as a browser
            try:
                self._put_back(flow_run)
            except EngineError as error:
                log.warning("flow run %s could not be rescheduled: %s", flow_run, error.message)
        self._running.clear()
        if self._again is not None:
            _wait_or_kill(self._again, until)
            self._again = None

    # Records and deployments ------------------------------------------------------------------------------

    def _known(self) -> Iterator[tuple[str, _Deployment]]:
        query = {"deployments": {"tags": {"all_": [TAG]}}, "limit": 200, "sort": "NAME_ASC"}
        offset = 0
        while page := ask(self.server, "/deployments/filter", {**query, "offset": offset}):
            offset += len(page)
            for deployment in page:
                labels = deployment.get("labels") or {}
                if labels.get(HOME) == self._home:
                    yield (
                        deployment["name"],
                        _Deployment(
                            deployment["id"],
                            deployment["flow_id"],
                            deployment["version"] or "",
                            labels.get(ADDED, ""),
                        ),
                    )

    def _follow_records(self) -> None:
        names = self._schedules.names()
        for name in names:
            try:
                self._deploy(name)
            except EngineError:
                raise
            except HelioError as error:  # a schedule with an error does not stop the others
                if self._refused.get(name) != str(error):
                    self._on_progress(f"schedule {name} has an error: {error}")
                self._refused[name] = str(error)
        for name in set(self._deployments) - set(names):
            self._delete(self._deployments[name])
            del self._deployments[name]
            self._look_at.pop(name, None)
            self._on_progress(f"{name}: removed")

    def _deploy(self, name: str) -> None:
        schedule = self._schedules.load(name)
        template = schedule.template(self._settings)
        (self._resting.add if schedule.paused else self._resting.discard)(name)
        version = _version(schedule, template)
        known = self._deployments.get(name)
        if known is not None and known.version == version:
            self._refused.pop(name, None)
            return  # changes on the server, such as a pause, stay until the record changes
        form = schedule.form(self._settings, template)
        flow = ask(self.server, "/flows/", {"name": template["id"]})
        if known is not None and (known.flow_id, known.added) != (flow["id"], schedule.added):
            self._delete(known)  # with the runs that were planned before the schedule was removed
        described = _described(schedule, form, self._home, self._parameters(form), self._clock.utc())
        made = ask(self.server, "/deployments/", {**described, "flow_id": flow["id"], "version": version})
        self._deployments[name] = _Deployment(made["id"], flow["id"], version, schedule.added)
        self._refused.pop(name, None)
        self._look_at[name] = self._clock.monotonic() + PLANNED
        following = schedule.next_after(self._clock.utc())
        self._on_progress(
            f"{name}: {'paused' if schedule.paused else f'next at {following:%Y-%m-%d %H:%M} UTC'}"
        )
        for note in schedule.clock_notes(self._clock.utc(), FAR):
            self._on_progress(f"note: {name}: {note}")
        for notice in schedule.notices(self._settings):
            self._on_progress(f"note: {notice}")
        self._renew_at.pop(name, None)

    def _parameters(self, template: Document) -> Mapping[str, Any]:
        """Return the JSON Schema of a flow's parameters, which allows no other names: misspelt names are errors."""
        with prefect_environment(self._settings.home, self.server.url):
            schema = define_flow(template, _nothing).parameters.model_dump_for_openapi()
        return {**schema, "additionalProperties": False}

    def _delete(self, deployment: _Deployment) -> None:
        try:
            ask(self.server, f"/deployments/{deployment.id}", method="DELETE")
        except EngineError as error:
            if "404" not in error.message:  # a person deleted it there
                raise

    # Runs -------------------------------------------------------------------------------------------------

    def _start_due(self) -> None:
        if not self._deployments or len(self._running) >= self._limit:
            return
        due = ask(
            self.server,
            "/deployments/get_scheduled_flow_runs",
            {
                "deployment_ids": [deployment.id for deployment in self._deployments.values()],
                "scheduled_before": f"{self._clock.utc().isoformat()}Z",
            },
        )
        self._due = {run["deployment_id"] for run in due}
        for run in due:
            if len(self._running) >= self._limit:
                return
            if run["deployment_id"] in self._busy.values():
                continue  # the server would delay it by half a minute
            # With this state the server gives the run the schedule's only slot, or makes it wait for the slot.
            answer = ask(self.server, f"/flow_runs/{run['id']}/set_state", {"state": {"type": "PENDING"}})
            if answer["status"] == "ACCEPT":
                self._running[run["id"]] = self._start("serve", "--flow-run", run["id"])
                self._busy[run["id"]] = run["deployment_id"]

    def _run_again(self) -> None:
        """Start a process that runs late and changed intervals of a schedule again; one process at a time."""
        if self._again is not None and self._again.poll() is None:
            return
        self._again = None
        for name, deployment, schedule in self._deployed_schedules():
            if deployment.id in {*self._due, *self._busy.values()}:
                continue  # its runs that are due make their intervals themselves
            rules = [rule for rule in (schedule.late_rule, schedule.remake_rule) if rule is not None]
            if schedule.paused or not rules or self._again_at.get(name, 0.0) > self._clock.monotonic():
                continue
            self._again_at[name] = self._clock.monotonic() + min(rule.every for rule in rules).total_seconds()
            self._again = self._start("schedule", "again", name)
            return

    def _processes(self) -> list[subprocess.Popen[bytes]]:
        return [*self._running.values(), *([] if self._again is None else [self._again])]

    def _deployed_schedules(self) -> Iterator[tuple[str, _Deployment, Schedule]]:
        """Yield the schedules that the server knows and whose files can be read."""
        for name, deployment in self._deployments.items():
            try:
                schedule = self._schedules.load(name)
            except RequestError as error:
                log.debug(
                    "schedule %s cannot be read: %s", name, error.message
                )  # reported when records are read
            else:
                yield name, deployment, schedule

    def _hand_over_slots(self) -> None:
        """Give the server the next run times of schedules in zones with summer time, before its list runs out."""
        now = self._clock.utc()
        for name, deployment, schedule in self._deployed_schedules():
            compared, renew = self._renew_at.get(name, (now, now))
            if compared <= now < renew:  # otherwise the clock has also gone back
                continue
            ahead = slots_ahead(schedule.cron, schedule.timezone, now)
            first_time, self._renew_at[name] = name not in self._renew_at, (now, ahead[len(ahead) // 2])
            shown = ask(self.server, f"/deployments/{deployment.id}")["schedules"]
            planned = for_engine(schedule.cron, schedule.timezone, now)
            if len(shown) != 1 or planned.items() <= shown[0]["schedule"].items():
                continue
            listed = slots_in(shown[0]["schedule"], now)
            if "rrule" in planned and len(listed) > len(ahead) // 2 and listed[0] == ahead[0]:
                continue
            path = f"/deployments/{deployment.id}"
            # a pause on the server stays
            ask(self.server, f"{path}/schedules/{shown[0]['id']}", {"schedule": planned}, method="PATCH")
            ask(self.server, f"{path}/schedule", {})  # at once: a slot of the next minute would be lost
            for note in () if first_time else schedule.clock_notes(now, FAR):
                self._on_progress(f"note: {name}: {note}")

    def _report_missed(self) -> None:
        """Report which scheduled runs were missed, and record them for ``helio schedule list``."""
        now, served = self._clock.utc(), read_served(self._settings.home)
        missed: dict[str, MissedSlots] = {}
        for name, deployment, schedule in self._deployed_schedules():
            if served is None:
                continue
            shown = ask(self.server, f"/deployments/{deployment.id}")
            if shown["paused"] or not all(slots["active"] for slots in shown["schedules"]):
                continue
            since = unserved_since(served, schedule, self._settings.home)
            lost = missed_slots(schedule, since, now, self._made(deployment, since))
            if lost is not None:
                missed[name] = lost
        note_served(self._settings.home, now, missed)
        for name, lost in missed.items():
            self._on_progress(f"{name}: {lost}")

    def _made(self, deployment: _Deployment, since: datetime) -> list[datetime]:
        """Return the scheduled times, since a given time, for which the server has a run."""
        query = {
            "deployments": {"id": {"any_": [deployment.id]}},
            "flow_runs": {"expected_start_time": {"after_": f"{since.isoformat()}Z"}},
            "limit": 200,
            "sort": "EXPECTED_START_TIME_ASC",
        }
        slots: list[datetime] = []
        while page := ask(self.server, "/flow_runs/filter", {**query, "offset": len(slots)}):
            slots += [_instant(run["expected_start_time"]) for run in page]
        return slots

    def _note_served(self) -> None:
        if self._clock.monotonic() - self._noted >= NOTED_EVERY.total_seconds():
            self._noted = self._clock.monotonic()
            note_served(self._settings.home, self._clock.utc())
            self._paused = tuple(self._paused_on_pages())

    def _paused_on_pages(self) -> Iterator[str]:
        """Yield the schedules that a person has paused on the engine's pages."""
        for name, deployment, schedule in self._deployed_schedules():
            shown = ask(self.server, f"/deployments/{deployment.id}")
            if not schedule.paused and (
                shown["paused"] or not all(slots["active"] for slots in shown["schedules"])
            ):
                yield name

    def _report_unplanned(self) -> None:
        """Report schedules for which the server plans no runs, because nothing else would show this."""
        for name in [
            deployment for deployment, when in self._look_at.items() if when < self._clock.monotonic()
        ]:
            del self._look_at[name]
            if name in self._resting:
                continue
            query = {
                "deployments": {"id": {"any_": [self._deployments[name].id]}},
                "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
                "limit": 1,
            }
            if not ask(self.server, "/flow_runs/filter", query):
                log_hint = "" if self.server.external else f"; see {self.server.log}"
                self._on_progress(
                    f"{name}: the server plans no run, because the schedule is paused there or the server's scheduler "
                    f"fails{log_hint}"
                )

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "helio", *command],
            env={**self._settings.environ, "HELIO_HOME": str(self._settings.home.absolute())},
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches only this process, which ends the others
        )

    def _reap(self) -> None:
        for flow_run, process in list(self._running.items()):
            code = process.poll()
            if code is None:
                if (
                    self._clock.monotonic() - self._asked_to_end.get(flow_run, self._clock.monotonic())
                    > PATIENCE
                ):
                    _signal(process, signal.SIGKILL)
                continue
            if code not in ENDS:
                _signal(process, signal.SIGKILL)  # the programs that it started, such as a browser
            shown = ask(self.server, f"/flow_runs/{flow_run}")
            state = shown["state_type"]
            if _waits(shown):
                self._forget(flow_run)
                continue
            # Its steps are done on the server before its files are written.
            unwritten = state == "COMPLETED" and ENDS.get(code) != "COMPLETED"
            if state == "CANCELLING" or (flow_run in self._asked_to_end and state not in FINAL):
                _set_state(self.server, flow_run, "CANCELLED", message="the run was cancelled")
            elif code == INTERRUPTED and state not in FINAL:
                self._put_back(flow_run)
            elif state not in FINAL or unwritten:
                words = f"the process of the run ended with exit code {code}"
                _set_state(self.server, flow_run, "CRASHED", message=words)
                mark_dead_runs(self.server, self._settings)  # now: a person may restart it
                self._on_progress(f"crashed: {shown['name']}: {words}")
            # Only now, so that a run is checked again if the server missed its end.
            self._forget(flow_run)

    def _forget(self, flow_run: str) -> None:
        del self._running[flow_run], self._busy[flow_run]
        self._asked_to_end.pop(flow_run, None)

    def _cancel(self) -> None:
        if not self._running:
            return
        query = {
            "id": {"any_": list(self._running)},
            "state": {"type": {"any_": ["CANCELLING", "CANCELLED"]}},
        }
        for flow_run in ask(self.server, "/flow_runs/filter", {"flow_runs": query}):
            process = self._running[flow_run["id"]]
            if flow_run["id"] not in self._asked_to_end and process.poll() is None:
                self._asked_to_end[flow_run["id"]] = self._clock.monotonic()
                _signal(process, signal.SIGTERM)

    def _put_back(self, flow_run: str) -> None:
        shown = ask(self.server, f"/flow_runs/{flow_run}")
        if shown["state_type"] == "CANCELLING" or flow_run in self._asked_to_end:
            _set_state(self.server, flow_run, "CANCELLED", message="the run was cancelled")
            return
        _set_state(
            self.server,
            flow_run,
            "SCHEDULED",
            message="the run was interrupted",
            state_details={"scheduled_time": shown["expected_start_time"]},
        )
        self._on_progress(f"rescheduled: {shown['name']}")

    def _put_back_unbegun(self) -> None:
        """Schedule again the runs that an earlier process took but did not begin."""
        ids = [deployment.id for deployment in self._deployments.values()]
        if not ids:
            return
        pending = {
            "deployments": {"id": {"any_": ids}},
            "flow_runs": {"state": {"type": {"any_": ["PENDING"]}}},
        }
        for flow_run in ask(self.server, "/flow_runs/filter", pending):
            self._put_back(flow_run["id"])

    def _bring_back(self) -> None:
        """Start helio's own server if its process has ended; the next check tests whether the server answers."""
        if self.server.external or self._clock.monotonic() < self._start_at:
            return
        if self.server.state().pid is not None:
            return  # it is starting, or does not answer now
        # A server that ends at once is started again after longer and longer pauses.
        self._pause = min(max(2 * self._pause, EVERY), LONGEST_PAUSE)
        self._start_at = self._clock.monotonic() + self._pause
        try:
            self.server.start()
        except EngineError as error:
            log.warning("%s", error)
        else:
            if self._outage is not None:
                self._outage = replace(self._outage, restarted=True)


def _described(
    schedule: Schedule, template: Document, home: str, form: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Convert a schedule to a Prefect deployment, for the server.

    Parameters
    ----------
    template : Document
        With every variable that a run takes a value for.
    now : datetime
        Naive UTC.
    """
    return {
        "name": schedule.name,
        "description": template.get("description") or template.get("name"),
        # Set like the switch on the schedule's page, so that either can undo the other.
        "schedules": [
            {
                "schedule": for_engine(schedule.cron, schedule.timezone, now),
                "active": not schedule.paused,
            }
        ],
        "concurrency_limit": 1,
        "concurrency_options": {"collision_strategy": "ENQUEUE"},
        "parameters": parameters_of(template, schedule.values),
        "parameter_openapi_schema": form,
        "enforce_parameter_schema": True,
        "tags": sorted({"helio", str(template["id"]), TAG}),
        "labels": {HOME: home, ADDED: schedule.added},
    }


def _version(schedule: Schedule, template: Document) -> str:
    """Compute a version of a deployment that changes with everything in the deployment."""
    content = json.dumps([FORM, asdict(schedule), template], sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()[:12]


def _values_of(template: Document, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of variables by variable name; unknown names are kept, so that the plan refuses them."""
    variables = {name: variable for variable, name in parameter_names(template).items()}
    return {
        variables.get(name, f"${name}"): value
        for name, value in parameters.items()
        if value is not None or name not in variables
    }


def _waits(shown: Mapping[str, Any]) -> bool:
    """Return whether a flow run waits for a new process because a person restarted or suspended it."""
    state = shown["state"]
    return state["type"] == "SCHEDULED" or (
        state["type"] == "PAUSED" and bool(state["state_details"]["pause_reschedule"])
    )


def _set_state(
    server: Server, flow_run: str, kind: str, name: str | None = None, *, message: str, **more: Any
) -> None:
    state = {"type": kind, "name": name, "message": message, **more}
    ask(server, f"/flow_runs/{flow_run}/set_state", {"state": state, "force": True})


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)  # and the programs that it started
        else:
            process.send_signal(number)
    except ProcessLookupError:
        log.debug("process %s has already ended", process.pid)


def _wait_or_kill(process: subprocess.Popen[bytes], until: float) -> None:
    try:
        process.wait(max(until - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


@contextmanager
def _only_one(settings: Settings) -> Iterator[None]:
    """Lock the schedules of this home folder, so that only one `helio serve` runs; the lock ends with the process."""
    path = settings.home / "schedules" / ".serve.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RequestError(
                f"another `helio serve` already runs with the home folder {settings.home}",
                advice="run only one `helio serve` for each home folder",
            ) from error
        yield


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)


def _nothing(**variables: object) -> None:
    """Do nothing; this function is the body of a flow of which only the parameters are needed."""
    del variables
