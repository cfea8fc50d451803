"""Run a simulated service through a script, and compare each of its steps with the oracle."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.simulation.archive import Archive, dataset
from benchmarks.simulation.child import BackfillTask, SlotTask, run_due
from benchmarks.simulation.loop import Ended, Engine, Loop
from benchmarks.simulation.oracle import Expected, Oracle
from benchmarks.simulation.script import (
    ALERT,
    DAY,
    FIRST,
    LATE,
    LOOKS,
    REMAKE,
    SLOT,
    WORST,
    Content,
    Publication,
    Script,
    is_folder,
    is_hapi,
)
from helio.clock import Clock
from helio.flows.again import run_again
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import Activity
from helio.pipelines.runs.session import Direct, open_processes
from helio.service.backfill import BackfillRequest, backfill
from helio.service.chunk import Chunk, make_interval
from helio.service.incidents import read_incidents
from helio.service.status import read_status
from helio.service.watch import Watch
from helio.settings import Settings
from helio.time_range import TimeRange

OFTEN = 0.01
"""Seconds between two looks at what another process does."""
ROOM = {"full disk": 0, "disk fills up": 12000}
"""Maximum bytes of a file in a run, by what happens on this machine."""


class Ticks:
    """Seconds since 1970 that pass only when somebody waits or looks, a millisecond for each look."""

    def __init__(self, start: datetime) -> None:
        self.seconds = start.replace(tzinfo=UTC).timestamp()
        self.skipped = 0.0

    def __call__(self) -> float:
        self.seconds += 0.001
        return self.seconds

    def monotonic(self) -> float:
        """Return the time for limits, which also passes while a server is silent."""
        return self() + self.skipped

    def wait(self, seconds: float, ended: threading.Event) -> None:
        """Let the time pass."""
        self.seconds += seconds

    def skip(self, seconds: float) -> None:
        """Let the time for limits pass."""
        self.skipped += seconds

    def go_to(self, moment: datetime) -> None:
        """Go on to a time."""
        self.seconds = max(self.seconds, moment.replace(tzinfo=UTC).timestamp())

    def clock(self) -> Clock:
        """Return a clock for helio's settings."""
        return Clock(self, self.monotonic, self.wait, _half)


def is_served(moment: datetime) -> bool:
    """Return whether the loop of `helio serve` does the work of a day, and not the simulation itself."""
    return moment.date().toordinal() % 3 == 0


def _half() -> float:
    return 0.5


class Webhook(ThreadingHTTPServer):
    """Server that keeps the messages that it accepts."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _WebhookHandler)
        self.received: list[dict[str, Any]] = []
        self.is_deaf = False
        self.refused = 0
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class _WebhookHandler(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.is_deaf:
            self.server.refused += 1
        else:
            self.server.received.append(json.loads(body))
        self.send_response(500 if self.server.is_deaf else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@dataclass
class Report:
    """What was expected, seen and wrong, by kind."""

    events: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)

    def complain(self, kind: str, text: str) -> None:
        """Note something that is wrong."""
        self.wrong[kind] += 1
        self.complaints.append(f"{kind}: {text}")

    def compare(self, kind: str, expected: object, seen: object, where: str) -> None:
        """Note two things that should be equal."""
        self.expected[kind] += 1
        self.seen[kind] += 1
        if expected != seen:
            self.complain(kind, f"{where}: expected {expected}, seen {seen}")

    def table(self) -> str:
        """Return the table of all kinds."""
        lines = [f"{'event':28} {'number':>8}"]
        lines += [f"{kind:28} {number:8}" for kind, number in sorted(self.events.items())]
        lines += ["", f"{'what':28} {'expected':>8} {'seen':>8} {'wrong':>8}"]
        for kind in sorted(self.expected.keys() | self.seen.keys() | self.wrong.keys()):
            lines.append(f"{kind:28} {self.expected[kind]:8} {self.seen[kind]:8} {self.wrong[kind]:8}")
        return "\n".join(lines)


def template(pipeline: int) -> dict[str, Any]:
    """Return a pipeline: a day of a series, checked, with an alert, a figure and a file."""
    name = dataset(pipeline)
    span = "$TIME_RANGE"
    steps: list[tuple[str, str, dict[str, Any]]] = [
        ("fetch", "fetch_data", {"dataset_id": name, "parameter_id": "B", "time_range": span}),
        ("check", "expect", {
            "source_label": f"{name}.B", "maximum": f"{WORST:g} nT", "severity": "fail", "time_range": span,
            "output_label": "B"}),
        ("storms", "alert", {"source_label": "B", "when": f"> {ALERT:g} nT", "output_label": "storms"}),
        ("figure", "render_spec", {"spec": {"labels": ["B"], "formats": ["json"]}}),
        ("save", "save_data", {"source_labels": ["B"], "format": "csv"}),
    ]  # fmt: skip
    return {
        "id": f"sim-p{pipeline:02}",
        "variables": {span: {"type": "time_range", "default": str(FIRST)}},
        "steps": [{"step_id": step, "tool_name": tool, "tool_args": args} for step, tool, args in steps],
    }


class Service:
    """A helio with schedules for all pipelines of a script, on a simulated clock.

    Parameters
    ----------
    kills : int
        How often the process of a chunk is killed.
    """

    def __init__(self, place: Path, script: Script, kills: int) -> None:
        self.script = script
        self._kills = kills
        self.place = place
        self.report = Report(events=script.kinds)
        self.added = datetime.combine(FIRST, SLOT) + timedelta(hours=6)
        self.ticks = Ticks(self.added)
        self.archive = Archive(place, script, self.ticks.skip)
        self.webhook = Webhook()
        self.settings = Settings(
            home=place / "home",
            addresses={"cdaweb": self.archive.server.url},
            servers={"hapi": {"Sim": self.archive.hapi.url}},
            environ={"HELIO_HOME": str(place / "home")},
            workers=1,
            notify=(f"json://127.0.0.1:{self.webhook.server_port}/",),
            clock=self.ticks.clock(),
        )
        self.settings.home.mkdir()
        self.oracle = Oracle(script, self.added)
        self.engine = Engine(self.settings)
        self.loop: Loop | None = None
        self._known_runs: set[str] = set()
        self._made: Counter[tuple[int, date]] = Counter()

    def name(self, pipeline: int) -> str:
        """Return the name of a schedule and of its pipeline."""
        return f"sim-p{pipeline:02}"

    def source(self, pipeline: int) -> str:
        """Return the archive of a pipeline."""
        if is_hapi(pipeline):
            return "hapi:Sim"
        return str(self.archive.folder(pipeline)) if is_folder(pipeline) else "cdaweb"

    def live(self) -> Report:
        """Go through the whole script."""
        with ExitStack() as stack:
            stack.callback(self.webhook.server_close)
            stack.callback(self.webhook.shutdown)
            stack.callback(self.archive.close)
            self._add_schedules()
            self.processes = stack.enter_context(open_processes(self.settings))
            self.watch = Watch(self.settings, on_progress=lambda line: None, every=timedelta())
            for moment in self.script.looks:
                self._look(moment)
            self._end()
        return self.report

    def _add_schedules(self) -> None:
        for pipeline in range(self.script.pipelines):
            path = self.place / f"{self.name(pipeline)}.json"
            path.write_text(json.dumps(template(pipeline)))
            request = Schedule(
                self.name(pipeline), str(path), "10 6 * * *", archive=self.source(pipeline), late=LATE,
                remake="" if is_hapi(pipeline) else REMAKE,
            )  # fmt: skip
            Schedules(self.settings).add(request, now=self.added, time_range="yesterday")
            written = self.settings.home / "schedules" / f"{self.name(pipeline)}.json"
            os.utime(written, times=2 * (self.added.replace(tzinfo=UTC).timestamp(),))

    # A look

    def _look(self, moment: datetime) -> None:
        self.ticks.go_to(moment)
        self.archive.go_to(moment)
        self.webhook.is_deaf = moment in self.script.deaf
        expected = self.oracle.look(moment)
        if is_served(moment):
            self._serve(moment)
        elif moment.time() == SLOT:
            self._run_due(moment)
        else:
            for pipeline in range(self.script.pipelines):
                self._run_again(self.name(pipeline))
        self._compare_runs(expected, moment)
        states = self.oracle.after(moment)
        status = read_status(self.settings)
        for schedule in status.schedules:
            pipeline = int(schedule.name[-2:])
            self.report.compare("state", states[pipeline], schedule.state, f"{schedule.name} {moment}")
        self._notify()

    def _serve(self, moment: datetime) -> None:
        """Let the loop of `helio serve` do the work; it begins at the first look of a day, and ends at the last."""
        if moment.time() == LOOKS[0]:
            self.engine.skip()  # on the days before, the simulation itself ran what was due
            self.loop = Loop(self.settings, self.engine, self._begin_run)
            self.loop.begin(threading.Event())
            self.report.events["days of the loop"] += 1
        assert self.loop is not None
        self.loop.look_until_idle()
        if moment.time() == LOOKS[-1]:
            self.loop.end()
            killed = [
                self.name(pipeline) for pipeline in range(self.script.pipelines)
                if self.script.local.get((pipeline, datetime.combine(moment.date(), SLOT))) == "kill -9 of a run"
            ]  # fmt: skip
            said = [line.split()[1] for line in self.loop.lines if line.startswith("crashed: ")]
            self.report.compare("said to be crashed", sorted(killed), sorted(said), str(moment))
            missed = [line for line in self.loop.lines if "missed" in line]
            self.report.compare("said to be missed", [], missed, str(moment))
            self.loop = None

    def _begin_run(self, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
        """Do what a process of `helio serve` does: run a schedule that is due, or its intervals again."""
        if command[0] == "schedule":
            self._run_again(command[-1])
            return Ended()
        flow_run = command[-1]
        name, moment = self.engine.name_and_time(flow_run)
        pipeline = int(name[-2:])
        local = self.script.local.get((pipeline, moment), "")
        if local != "kill -9 of a run":
            self.engine.finish(flow_run, "FAILED" if local else "COMPLETED")
        if local:
            return self._start_due(pipeline, moment, local)
        run_due(self.settings, name, moment, self.processes)
        return Ended()

    def _run_again(self, name: str) -> None:
        run_again(name, self.settings, self.settings.clock.utc(), engine=Direct, processes=self.processes)

    def _start_due(self, pipeline: int, moment: datetime, local: str) -> subprocess.Popen[bytes]:
        """Start a process for the run of a schedule to which something happens on this machine."""
        task = SlotTask(self.settings, self.name(pipeline), moment, ROOM.get(local))
        return self._start(task, pipeline if local == "kill -9 of a run" else None)

    def _run_due(self, moment: datetime) -> None:
        """Run all schedules: those to which something happens on this machine in processes of their own."""
        children: list[tuple[int, str, subprocess.Popen[bytes]]] = []
        for pipeline in range(self.script.pipelines):
            local = self.script.local.get((pipeline, moment), "")
            if local:
                children.append((pipeline, local, self._start_due(pipeline, moment, local)))
            else:
                run_due(self.settings, self.name(pipeline), moment, self.processes)
        for pipeline, local, child in children:
            code = child.wait(120)
            if local == "kill -9 of a run":
                where = f"{self.name(pipeline)} {moment}"
                self.report.compare("processes killed", -signal.SIGKILL, code, where)
            self.ticks.seconds += 5

    def _start(self, task: SlotTask | BackfillTask, victim: int | None) -> subprocess.Popen[bytes]:
        """Start a process; kill it at its next request for the dataset of a pipeline."""
        with (self.place / "child.log").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.simulation.child"],
                stdin=subprocess.PIPE,
                stderr=log,
                cwd=Path(__file__).parents[2],
                start_new_session=True,
            )
        if victim is not None:
            server = self.archive.hapi if is_hapi(victim) else self.archive.server
            server.victims[dataset(victim).lower()] = child.kill
        assert child.stdin is not None
        child.stdin.write(pickle.dumps(task))
        child.stdin.close()
        return child

    def _run_ids(self) -> list[str]:
        try:
            return [name for name in os.listdir(self.settings.runs) if not name.startswith(".")]
        except FileNotFoundError:
            return []

    def _compare_runs(self, expected: list[Expected], moment: datetime) -> None:
        new = sorted(set(self._run_ids()) - self._known_runs)
        self._known_runs |= set(new)
        seen = Counter(self._ending(run) for run in new)
        wanted: Counter[tuple[int, date, bool]] = Counter()
        for run in expected:
            wanted[run.pipeline, run.day, run.outcome == "made"] += 1
            self.report.expected[f"run: {run.outcome}"] += 1
            if seen[run.pipeline, run.day, run.outcome == "made"]:
                self.report.seen[f"run: {run.outcome}"] += 1
        for pipeline, day, made in (wanted - seen).elements():
            outcome = next(run.outcome for run in expected if (run.pipeline, run.day) == (pipeline, day))
            self.report.complain(
                f"run: {outcome}", f"{self.name(pipeline)} {day} at {moment}: no such run, made={made}"
            )
        for pipeline, day, made in (seen - wanted).elements():
            self.report.complain(
                "run without reason", f"{self.name(pipeline)} {day} at {moment}: made={made}"
            )

    def _ending(self, run: str) -> tuple[int, date, bool]:
        header = json.loads((self.settings.runs / run / "run.json").read_text())
        day = date.fromisoformat(header["values"]["$TIME_RANGE"][:10])
        return int(header["pipeline"][-2:]), day, header["status"] == "success"

    def _notify(self) -> None:
        """Look until no message is due."""
        for _ in range(3):
            self.watch.look(Activity() if self.loop is None else self.loop.activity())
            for thread in threading.enumerate():
                if thread.name == "helio-notify":
                    thread.join()
            if not read_incidents(self.settings.home).messages:
                return

    # The end

    def _end(self) -> None:
        self.webhook.is_deaf = False
        self.ticks.go_to(self.script.end + timedelta(hours=1))
        self.archive.go_to(self.script.end + timedelta(hours=1))
        self.ticks.go_to(self.script.end + timedelta(hours=11))
        self._notify()
        self._compare_messages()
        self._check_made("after the schedules", {
            (number, day): facts.result
            for number, pipeline in enumerate(self.oracle.pipelines)
            for day, facts in pipeline.days.items()
        })  # fmt: skip
        self._backfill_history()
        for pipeline in range(self.script.pipelines):
            backfill(self._request(pipeline, FIRST, self.script.data_days[-1] + DAY), self.settings)
        last: dict[tuple[int, date], Content | None] = {
            (number, day): content if self._is_good(number, day, content) else None
            for number in range(self.script.pipelines)
            for day in self.script.data_days
            for content in [self.script.content(number, day, self.script.end)]
        }
        self._check_made("after the backfill", last)
        self._check_digests(last)
        self._check_done()

    def _request(self, pipeline: int, first: date, stop: date) -> BackfillRequest:
        days = [first + number * DAY for number in range((stop - first).days)]
        midnight = datetime.min.time()
        return BackfillRequest(
            self.place / f"{self.name(pipeline)}.json",
            tuple(
                TimeRange(datetime.combine(day, midnight), datetime.combine(day + DAY, midnight))
                for day in days
            ),
            now=self.settings.clock.utc(),
            archive=self.source(pipeline),
            output=self.settings.home / "scheduled" / self.name(pipeline),
        )

    def _check_made(self, when: str, results: dict[tuple[int, date], Content | None]) -> None:
        """Compare the file of each day with the values that the archive had."""
        for (pipeline, day), content in results.items():
            path = self.settings.home / "scheduled" / self.name(pipeline) / f"{day}" / "B.csv"
            wanted = None if content is None else self.script.values(pipeline, day, content)
            self.report.compare(f"file {when}", wanted, _values_in(path), f"{self.name(pipeline)} {day}")

    def _check_done(self) -> None:
        """Compare a second backfill, which has nothing to do except days without right data."""
        before = set(self._run_ids())
        for pipeline in range(self.script.pipelines):
            backfill(self._request(pipeline, FIRST, self.script.data_days[-1] + DAY), self.settings)
        for run in sorted(set(self._run_ids()) - before):
            pipeline, day, made = self._ending(run)
            content = self.script.content(pipeline, day, self.script.end)
            if made or content is None or self._is_good(pipeline, day, content):
                self.report.complain("run without reason", f"second backfill: {self.name(pipeline)} {day}")

    def _is_good(self, pipeline: int, day: date, content: Content | None) -> bool:
        """Return whether a backfill at the end can make a day."""
        is_sound = content is not None and content.state == "good"
        return is_sound and self.oracle.damaged_neighbour(pipeline, day, self.script.end) is None

    def _check_digests(self, last: dict[tuple[int, date], Content | None]) -> None:
        """Compare the tables with those of runs in an empty home."""
        clean = replace(self.settings, home=self.place / "clean")
        clean.home.mkdir()
        for pipeline in range(self.script.pipelines):
            request = self._request(pipeline, FIRST, self.script.data_days[-1] + DAY)
            chunk = Chunk(
                template(pipeline), (), request.now.isoformat(), str(self.place / "clean-files"),
                archive=self.source(pipeline),
            )  # fmt: skip
            mine = _digests(self.settings.runs, self.name(pipeline))
            with open_processes(clean) as processes:
                for span in request.spans:
                    day = span.start.date()
                    if last[pipeline, day] is None:
                        continue
                    make_interval(chunk, span, clean, processes)
            theirs = _digests(clean.runs, self.name(pipeline))
            for span in request.spans:
                day = span.start.date()
                if last[pipeline, day] is not None:
                    self.report.compare(
                        "digest of a clean run",
                        theirs.get(day),
                        mine.get(day),
                        f"{self.name(pipeline)} {day}",
                    )

    def _backfill_history(self) -> None:
        """Backfill days before the first one, and kill the process of the chunk again and again."""
        for pipeline in range(0, min(self.script.pipelines, 3), 2):
            history = 2 * self._kills
            first = FIRST - (history + 1) * DAY
            days = [first + number * DAY for number in range(history)]
            for day in days:
                self.archive.publish(Publication(self.script.end, pipeline, day, Content()))
            done: dict[date, int] = {}
            for _ in range(self._kills):
                self.ticks.seconds += 7200
                child = self._start(
                    BackfillTask(self.settings, self._request(pipeline, first, FIRST - DAY)), None
                )
                self._kill_a_worker(child, pipeline)
                done = self._check_history(pipeline, done)
            self.ticks.seconds += 7200
            child = self._start(
                BackfillTask(self.settings, self._request(pipeline, first, FIRST - DAY)), None
            )
            self.report.compare("backfill after kills", 0, child.wait(120), self.name(pipeline))
            self._check_history(pipeline, done)
            self._check_made("of a killed chunk", {(pipeline, day): Content() for day in days})

    def _kill_a_worker(self, child: subprocess.Popen[bytes], pipeline: int) -> None:
        """Kill the processes of a backfill when it has made one more interval."""
        before = len([run for run in self._run_ids() if run.startswith(self.name(pipeline))])
        while child.poll() is None:
            runs = [run for run in self._run_ids() if run.startswith(self.name(pipeline))]
            if len(runs) >= before + 2:
                for process in _children(child.pid):
                    os.kill(process, signal.SIGKILL)
                child.kill()
            time.sleep(OFTEN)
        child.wait(60)
        self.report.events["kill -9 of a chunk"] += 1

    def _check_history(self, pipeline: int, before: dict[date, int]) -> dict[date, int]:
        """Return how often each day was made; a day that was made is not made again."""
        made: Counter[date] = Counter()
        for run in self._run_ids():
            number, day, success = self._ending(run)
            if number == pipeline and success and day < FIRST:
                made[day] += 1
        for day, count in made.items():
            self.report.compare("made once in a killed chunk", 1, count, f"{self.name(pipeline)} {day}")
        for day in before:
            if day not in made:
                self.report.complain("made once in a killed chunk", f"{self.name(pipeline)} {day} was lost")
        return dict(made)

    def _compare_messages(self) -> None:
        self.report.messages = list(self.webhook.received)
        self.report.events["messages refused, attempts"] = self.webhook.refused
        for pipeline in range(self.script.pipelines):
            name = self.name(pipeline)
            for kind, words in (("problem", f"schedule {name}:"), ("alert", f"alert of {name},")):
                wanted = [
                    title for number, title in self.oracle.messages
                    if number == pipeline and ("alert" in title) == (kind == "alert")
                ]  # fmt: skip
                titles = [message["title"] for message in self.webhook.received if words in message["title"]]
                seen = [
                    f"over {kind}".removesuffix(" problem")
                    if title.startswith("over: ")
                    else "late alert"
                    if title.endswith(", in earlier data")
                    else kind
                    for title in titles
                ]
                self.report.expected[f"message: {kind}"] += len(wanted)
                self.report.seen[f"message: {kind}"] += len(seen)
                if wanted != seen:
                    self.report.complain(f"message: {kind}", f"{name}: expected {wanted}, seen {seen}")


def _children(process: int) -> Iterator[int]:
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        yield from map(int, path.read_text().split())


def _values_in(path: Path) -> list[float] | None:
    if not path.exists():
        return None
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return [float(line.rpartition(",")[2]) for line in lines[1:]]


def _digests(runs: Path, name: str) -> dict[date, list[str]]:
    """Return the digests of the newest results of each day, from the records."""
    newest: dict[date, tuple[str, list[str]]] = {}
    for record in runs.glob(f"{name}-*"):
        header = json.loads((record / "run.json").read_text())
        day = date.fromisoformat(header["values"]["$TIME_RANGE"][:10])
        if header["status"] != "success":
            continue
        steps = [json.loads(line) for line in (record / "steps.jsonl").read_text().splitlines()]
        tables = [output["digest"] for step in steps for output in step["outputs"] if output["label"]]
        newest[day] = max(newest.get(day, ("", [])), (header["started_at"], tables))
    return {day: tables for day, (_, tables) in newest.items()}


def simulate(place: Path, script: Script, *, kills: int = 3) -> Report:
    """Run a service through a script, and return what was right and wrong.

    Parameters
    ----------
    place : Path
        An empty folder for the home of the service and for its archive.
    kills : int
        How often the process of a chunk is killed.
    """
    return Service(place, script, kills).live()
