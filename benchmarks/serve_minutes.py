"""Ten real minutes of `helio serve`: a schedule of every minute, and the engine's server killed in the middle.

    python benchmarks/serve_minutes.py [--minutes 10] [--home FOLDER]

The figures come from a folder of CSV files for today, and notifications go to a server on the loopback address. The
script prints a table of the minutes, and ends with 1 if a figure is missing or was made twice, if `helio status`
reports a problem at the end, or if there was not exactly one notification.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from helio.flows.server import Server
from helio.pipelines.runs.intervals import DONE, IntervalRun
from helio.pipelines.runs.known_runs import known_runs_of
from helio.settings import Settings, read_settings

MINUTE = timedelta(minutes=1)
SCHEDULE = "minutes"
BEGIN = 120.0
"""Maximum seconds until `helio serve` has planned the schedule."""
EVERY = 10.0
"""Seconds between two calls of `helio status`."""
CATCH_UP = timedelta(minutes=2)
"""Time after the last minute in which late runs must have ended."""


class Webhook(ThreadingHTTPServer):
    """Web server that keeps the messages it receives."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.messages: list[tuple[datetime, str, str]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Webhook)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.messages.append((now(), body["title"], body["message"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@dataclass
class Observed:
    """What `helio status` said, and when the engine's server was killed."""

    statuses: list[tuple[datetime, dict[str, Any]]] = field(default_factory=list)
    killed: datetime | None = None
    begun: datetime | None = None
    """The first minute whose figure is due."""


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def write_days(folder: Path) -> None:
    """Write a magnetic field for yesterday, today and tomorrow, with a record every ten seconds."""
    folder.mkdir(parents=True)
    for number in (-1, 0, 1):
        day = datetime.combine(now().date(), datetime.min.time()) + timedelta(days=number)
        lines = ["time,Bx [nT],By [nT],Bz [nT]"]
        for second in range(0, 86400, 10):
            phase = second % 600 / 100
            moment = day + timedelta(seconds=second)
            lines.append(f"{moment.isoformat()}Z,{phase - 3:.3f},4.000,{3 - phase:.3f}")
        (folder / f"my_field_{day:%Y%m%d}_v01.csv").write_text("\n".join(lines) + "\n")


def pipeline() -> dict[str, Any]:
    """Fetch a minute of the field, compute its magnitude, and draw both."""
    parts = ["Bx", "By", "Bz"]
    labels = [f"MY_FIELD.{part}" for part in parts]
    fetch = {"dataset_id": "MY_FIELD", "parameters": parts, "time_range": "$TIME_RANGE"}
    join = {"source_labels": labels, "names": parts, "frame": "GSE", "output_label": "B"}
    spec = {"labels": ["B", "Bmag"], "title": "My field, {start}", "filename": "my_field_{start}"}
    return {
        "id": "my-field",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "last 1 minutes"}},
        "steps": [
            {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": fetch},
            {"step_id": "vector", "tool_name": "join_components", "tool_args": join},
            {
                "step_id": "strength",
                "tool_name": "magnitude",
                "tool_args": {"source_label": "B", "output_label": "Bmag"},
            },
            {"step_id": "figure", "tool_name": "render_spec", "tool_args": {"spec": spec}},
        ],
    }


def helio(settings: Settings, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "helio", *words]
    return subprocess.run(command, env=dict(settings.environ), capture_output=True, text=True)


def watch(settings: Settings, minutes: int, process: subprocess.Popen[bytes]) -> Observed:
    """Call `helio status` again and again; kill the engine's server in the middle, while a run is running."""
    observed = Observed()
    begin, served = time.monotonic(), read_served_log(settings.home)
    while "next at" not in served:
        if process.poll() is not None or time.monotonic() - begin > BEGIN:
            raise SystemExit(f"helio serve did not begin:\n{served}")
        time.sleep(0.5)
        served = read_served_log(settings.home)
    observed.begun = now().replace(second=0, microsecond=0) + MINUTE
    last = observed.begun + (minutes - 1) * MINUTE
    kill_at = observed.begun + minutes // 2 * MINUTE
    print(f"{minutes} minutes from {observed.begun:%H:%M} UTC, home {settings.home}", flush=True)
    next_status = 0.0
    while now() < last + CATCH_UP:
        if observed.killed is None and now() >= kill_at and is_running(settings):
            pid = Server(settings.home, settings.environ).state().pid
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
                observed.killed = now()
        if time.monotonic() >= next_status:
            next_status = time.monotonic() + EVERY
            observed.statuses.append((now(), json.loads(helio(settings, "status", "--json").stdout)))
        if now() >= last + CATCH_UP / 3 and is_complete(settings, observed, minutes):
            break
        time.sleep(0.2)
    return observed


def is_running(settings: Settings) -> bool:
    """Return whether a run has begun a moment ago."""
    return any(run.state == "running" for run in all_runs(settings))


def is_complete(settings: Settings, observed: Observed, minutes: int) -> bool:
    made = {run.now for run in all_runs(settings) if run.state in DONE}
    return all(slot in made for slot in slots(observed, minutes))


def slots(observed: Observed, minutes: int) -> list[datetime]:
    assert observed.begun is not None
    return [observed.begun + number * MINUTE for number in range(minutes)]


def all_runs(settings: Settings) -> list[IntervalRun]:
    return [known.run for known in known_runs_of(settings).read().values() if known.run is not None]


def read_served_log(home: Path) -> str:
    return (home / "serve.txt").read_text(errors="replace")


def report(settings: Settings, observed: Observed, webhook: Webhook, minutes: int) -> list[str]:
    """Print the table of the minutes and the messages; return what is wrong."""
    runs: dict[datetime | None, list[IntervalRun]] = defaultdict(list)
    for run in all_runs(settings):
        runs[run.now].append(run)
    wrong: list[str] = []
    print(f"\n{'minute':<7} {'begun':<8} {'runs':>4}  {'state':<9} {'figures':>7}  status said")
    for slot in slots(observed, minutes):
        of_slot = sorted(runs[slot], key=lambda run: run.started_at)
        made = [run for run in of_slot if run.state in DONE]
        figures = {Path(file["file"]) for run in made for file in run.files if file["kind"] == "html"}
        found = sum(path.is_file() for path in figures)
        said = sorted(
            {
                schedule["state"] + ("" if status["engine_up"] else ", engine not running")
                for when, status in observed.statuses
                if slot <= when < slot + MINUTE
                for schedule in status["schedules"]
            }
        )
        begun = f"{of_slot[0].started_at:%H:%M:%S}" if of_slot else "never"
        states = "+".join(run.state for run in of_slot)
        print(f"{slot:%H:%M}   {begun:<8} {len(of_slot):>4}  {states:<9} {found:>7}  {'; '.join(said)}")
        if len(made) != 1 or found != 1:
            wrong.append(f"{slot:%H:%M}: {len(made)} runs made the figure, {found} figures are there")
    killed = f"{observed.killed:%H:%M:%S}" if observed.killed else "never"
    print(f"\nthe engine's server was killed: {killed}")
    if observed.killed is None:
        wrong.append("the engine's server was not killed")
    for when, title, text in webhook.messages:
        print(f"message {when:%H:%M:%S}: {title}: {'; '.join(text.splitlines())}")
    if len(webhook.messages) != 1:
        wrong.append(f"{len(webhook.messages)} messages instead of one")
    status = helio(settings, "status")
    print(f"\nhelio status at the end, exit code {status.returncode}:\n{status.stdout}{status.stderr}")
    if status.returncode != 0:
        wrong.append("helio status reports a problem")
    return wrong


def main() -> None:
    """Run the schedule, print the table, and end with 1 if something is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--home", type=Path)
    chosen = parser.parse_args()
    home = (chosen.home or Path(tempfile.mkdtemp(prefix="helio-minutes-"))).absolute()
    home.mkdir(parents=True, exist_ok=True)
    webhook = Webhook()
    settings = read_settings({**os.environ, "HELIO_HOME": str(home), "HELIO_NOTIFY": webhook.address})
    write_days(home / "archive")
    template = home / "my-field.json"
    template.write_text(json.dumps(pipeline()))
    added = helio(
        settings, "schedule", "add", str(template), "--name", SCHEDULE, "--cron", "* * * * *",
        "--time-range", "last 1 minutes", "--archive", str(home / "archive"), "--late", "1min for 1h",
    )  # fmt: skip
    if added.returncode:
        raise SystemExit(added.stderr)
    with (home / "serve.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "helio", "serve"],
            env={**settings.environ, "PYTHONUNBUFFERED": "1"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        observed = watch(settings, chosen.minutes, process)
        wrong = report(settings, observed, webhook, chosen.minutes)
    finally:
        process.terminate()
        code = process.wait(60)
        helio(settings, "down")
    print(f"helio serve ended with {code}; its log:\n{read_served_log(home)}")
    print("\n".join(wrong) or "all is right")
    raise SystemExit(1 if wrong or code else 0)


if __name__ == "__main__":
    main()
