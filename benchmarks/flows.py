"""What a flow costs over bare calls, and what plain Prefect costs: trivial steps, the server up.

    python benchmarks/flows.py [STEPS …]

Each figure is the median of interleaved repeats; CPU times leave out the server's. "recorded" is when the server shows
the last task run; the growth of its database is per run.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from helio.flows.run import FlowRequest, run_flow
from helio.flows.server import Server
from helio.pipelines.plan import Plan, PlannedStep, make_plan
from helio.pipelines.runs.execute import StepResult

REPEATS = 5


class Trivial:
    """Does nothing, and is done."""

    def run_step(self, step: PlannedStep) -> StepResult:
        """Done."""
        return StepResult(step, "completed")

    def cancel(self) -> None:
        """Nothing to end."""


def make(steps: int, *, chain: bool) -> Plan:
    """A fetch, averages that wait for it alone or each for the one before, and a figure of the last one."""
    data = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2024-01-10"}
    fetch = {"step_id": "b", "tool_name": "fetch_data", "tool_args": data}
    averages = [
        {
            "step_id": f"s{one}",
            "tool_name": "running_average",
            "tool_args": {
                "source_label": f"L{one - 1}" if chain and one else "AC_H2_MFI.BGSEc",
                "window": "5min" if chain else f"{one + 1}s",  # a pass leaves out work that is done already
                "output_label": f"L{one}",
            },
        }
        for one in range(steps - 2)
    ]
    last = {"spec": {"labels": [f"L{steps - 3}"]}}
    figure = {"step_id": "figure", "tool_name": "render_spec", "tool_args": last}
    template = {"id": f"bench-{steps}", "steps": [fetch, *averages, figure]}
    plan = make_plan(template, now=datetime(2024, 3, 1), archive="sample")
    assert len(plan.steps) == steps
    return plan


def helio(plan: Plan, server: Server, home: Path) -> str:
    """The flow's id, when it is over."""
    ids: list[str] = []
    run_flow(FlowRequest(plan, "bench", home, server.url), Trivial(), recorded=ids.append)
    return ids[0]


def bare(plan: Plan) -> None:
    """The same calls without an engine."""
    runner = Trivial()
    for step in plan.steps:
        runner.run_step(step)


def plain_prefect(steps: int, server: Server, *, submit: bool) -> Callable[[], None]:
    """A flow as Prefect's documentation writes it, at the same server."""
    from prefect import flow, task
    from prefect.settings import (
        PREFECT_API_AUTH_STRING,
        PREFECT_API_URL,
        PREFECT_LOGGING_LEVEL,
        temporary_settings,
    )

    changed = {
        PREFECT_API_URL: server.url,
        PREFECT_API_AUTH_STRING: server.client_environment()["PREFECT_API_AUTH_STRING"],
        PREFECT_LOGGING_LEVEL: "ERROR",
    }

    @task
    def step(number: int) -> int:
        return number

    @flow
    def plain() -> None:
        if submit:
            for future in [step.submit(one) for one in range(steps)]:
                future.wait()
        else:
            for one in range(steps):
                step(one)

    def run() -> None:
        with temporary_settings(changed):
            plain()

    return run


def timed(call: Callable[[], Any]) -> float:
    """Seconds of one call."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def settle(server: Server) -> None:
    """Wait until the server has taken down all it was told."""
    count = -1
    while count != (count := server.request("/task_runs/count", {})):
        time.sleep(2.5)


def recorded(server: Server, flow_run_id: str, steps: int) -> None:
    """Wait until the server shows every step of a run as completed."""
    done = {
        "flow_runs": {"id": {"any_": [flow_run_id]}},
        "task_runs": {"state": {"type": {"any_": ["COMPLETED"]}}},
    }
    while server.request("/task_runs/count", done) < steps:
        time.sleep(0.05)


def database(home: Path) -> int:
    """Bytes of the server's database, what waits in its write-ahead log included."""
    with closing(sqlite3.connect(home / "prefect" / "prefect.db")) as found:
        (pages,), (size,) = (
            found.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
        )
    return int(pages * size)


def main(sizes: list[int]) -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        server = Server(home, os.environ)
        begun = time.perf_counter()
        server.start()
        server.wait()
        print(f"server started on a new home in {time.perf_counter() - begun:.1f} s")
        try:
            first = timed(lambda: helio(make(3, chain=True), server, home))
            print(f"first run, import of Prefect included: {first:.2f} s")
            for steps in sizes:
                measure(steps, server, home)
        finally:
            server.stop()


def measure(steps: int, server: Server, home: Path) -> None:
    """One line per way of running so many steps."""
    fan, chain = make(steps, chain=False), make(steps, chain=True)
    ways: dict[str, Callable[[], Any]] = {
        "bare calls": lambda: bare(fan),
        "helio, side by side": lambda: helio(fan, server, home),
        "helio, a chain": lambda: helio(chain, server, home),
        "Prefect, called": plain_prefect(steps, server, submit=False),
        "Prefect, submitted": plain_prefect(steps, server, submit=True),
    }
    repeats = REPEATS if steps < 1000 else 3
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    worked: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, run in ways.items():
            begun = time.process_time()
            seconds[name].append(timed(run))
            worked[name].append(time.process_time() - begun)
            settle(server)
    floor = statistics.median(seconds["bare calls"])
    print(f"\n{steps} steps")
    for name, found in seconds.items():
        middle = statistics.median(found)
        print(
            f"  {name:22} {middle:8.3f} s   {(middle - floor) / steps * 1e3:7.2f} ms per step over bare calls; "
            f"CPU of this process {statistics.median(worked[name]) / steps * 1e3:7.2f} ms per step"
        )
    before = database(home)
    late = []
    for _ in range(3):
        begun = time.perf_counter()
        recorded(server, helio(chain, server, home), steps)
        late.append(time.perf_counter() - begun)
        settle(server)
    grown = (database(home) - before) / 3 / 1024
    print(f"  recorded after {statistics.median(late):.2f} s; the database grew by {grown:.0f} kB per run")


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [10, 100, 1000])
