"""Runs inside one process: ranges whose results are in the store, a plan of many steps, and many records of runs.

    python benchmarks/repeated_runs.py [DAYS [STEPS]]

CPU time of the process and of its workers; compare two checkouts on one machine in turn.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

from helio import api
from helio.flows.prefect import mark_dead_runs
from helio.flows.server import Server
from helio.settings import read_settings
from helio.store.runs import Runs

DAY = "2021-10-28"


def many_steps(count: int) -> dict[str, Any]:
    """A fetch, averages of it with a window each, and a figure of the last one."""
    data = {"dataset_id": "STA_L1_HET", "parameter_id": "Proton_Flux", "time_range": DAY}
    averages = [
        {
            "step_id": f"s{number}",
            "tool_name": "running_average",
            "tool_args": {
                "source_label": "STA_L1_HET.Proton_Flux",
                "window": f"{number + 1}s",
                "output_label": f"L{number}",
            },
        }
        for number in range(count - 2)
    ]
    figure = {"spec": {"labels": [f"L{count - 3}"]}}
    return {
        "id": "many-steps",
        "steps": [
            {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": data},
            *averages,
            {"step_id": "figure", "tool_name": "render_spec", "tool_args": figure},
        ],
    }


def milliseconds(work: Callable[[], Any]) -> float:
    """CPU time of some work, that of its ended child processes included."""
    before = _seconds()
    work()
    return 1e3 * (_seconds() - before)


def _seconds() -> float:
    usages = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def figures(days: int = 30, steps: int = 300) -> dict[str, float]:
    """Return the milliseconds of CPU time of each kind of work, by its name."""
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        settings = read_settings({"HELIO_HOME": home})

        def run_of(stop: str) -> None:
            span = f"{DAY} to {DAY}T{stop}"
            run = api.run("gle73-particles", archive="sample", time_range=span, settings=settings)
            assert run.status == "success"

        stops = [f"{number // 6:02}:{number % 6}0" for number in range(60, 60 + days)]
        for stop in stops:
            run_of(stop)
        cached = [milliseconds(partial(run_of, stop)) for stop in stops]
        times["a cached day"] = statistics.median(cached)
        times["a cached day, the mean"] = statistics.mean(cached)
        template = many_steps(steps)

        def plan() -> None:
            api.plan(template, archive="sample", settings=settings)

        def run() -> None:
            assert api.run(template, archive="sample", settings=settings).status == "success"

        runs, records = Runs(settings.runs), 1000
        for number in range(records):
            runs.begin({"id": f"ended-{number}", "pipeline": "many-steps"}, {}).finish("success")
        server = Server(settings.home, {})
        listing = milliseconds(lambda: mark_dead_runs(server, settings))
        times[f"dead flow runs looked for among {records} runs"] = listing
        for name, work in (("to plan", plan), ("made", run), ("cached", run), ("planned again", plan)):
            times[f"a step {name}"] = milliseconds(work) / steps
    return times


if __name__ == "__main__":
    for name, time in figures(*map(int, sys.argv[1:])).items():
        print(f"{name}:  {time:.2f} ms")
