"""How the costs of helio grow: with steps, days, samples and runs.

    python -m benchmarks.growth [steps|days|samples|runs …] [--most NUMBER]

Each line has the CPU time for each step, day, sample or run, and for each one more than in the line of the size before:
the second stays the same where the cost grows linearly, whatever has to be done once. The exponent is that of a power
law through the last three sizes; a constant cost has 0, a linear one 1. `--most` limits the sizes. 1e8 samples need
1.6 GB of disk and 8 GB of memory. Each number of samples has a process of its own; its memory is the peak of this
process and of the one that reads the file, without what they have for 10 samples.

A virtual machine may give unused memory back to its host; then the first use of each GB takes 2 s of system time, and
1e8 samples seem to cost more for each sample than 1e7. So each process touches enough memory before it measures. On a
busy machine this does not help for long: then the user time alone is what helio needs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np

from benchmarks import passes
from benchmarks.repeated_runs import many_steps
from helio import api
from helio.limits import LIMITS
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Policy
from helio.settings import Settings, read_settings
from helio.sources.file_digests import FileDigests
from helio.sources.providers.hapi import Hapi
from helio.testing import HapiStandIn, dataset
from helio.time_range import Duration, TimeRange

START = datetime(2010, 1, 1)
DAY = timedelta(days=1)
SIZES = {
    "steps": (10, 100, 300, 1_000, 2_000, 5_000),
    "days": (1, 10, 100, 365, 1_000, 3_650),
    "samples": (100_000, 1_000_000, 10_000_000, 30_000_000, 100_000_000),
    "runs": (1, 10, 100, 1_000, 3_000, 10_000),
}
Costs = dict[str, list[tuple[int, float]]]
"""CPU seconds of each piece of work, by size."""


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its ended child processes."""
    usages = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(costs: Costs, name: str, size: int, action: Callable[[], object], unit: str) -> None:
    """Note and print what an action costs."""
    wall, before = time.perf_counter(), cpu_seconds()
    action()
    wall, seconds = time.perf_counter() - wall, cpu_seconds() - before
    note(costs, name, size, seconds, unit, f"{wall:9.3f} s wall")


def note(costs: Costs, name: str, size: int, seconds: float, unit: str, more: str) -> None:
    points = costs.setdefault(name, [])
    before = points[-1] if points else (0, 0.0)
    points.append((size, seconds))
    each, more_of_it = seconds / size * 1e6, (seconds - before[1]) / (size - before[0]) * 1e6
    print(
        f"  {name:<28} {size:>11,} {seconds:9.3f} s CPU {each:12.3f} us for each {unit}, "
        f"{more_of_it:12.3f} for each further {unit}   {more}",
        flush=True,
    )


def report(costs: Costs) -> None:
    """Print the exponent of each cost."""
    for name, points in costs.items():
        last = [(math.log(size), math.log(max(seconds, 1e-4))) for size, seconds in points[-3:]]
        if len(last) > 1:
            exponent = float(np.polyfit(*zip(*last, strict=True), 1)[0])
            print(f"  {name:<28} grows with the power {exponent:.2f}", flush=True)


# Steps


def steps(sizes: Iterable[int]) -> Costs:
    """Measure the passes on mixed steps, beyond the limit of written steps too; and planning and running averages."""
    costs: Costs = {}
    allowed = {name: getattr(LIMITS, name) for name in ("steps", "values", "members")}
    for size in sizes:
        document = passes.template(size)
        context = replace(passes.context(size), policy=Policy(max_steps=size, max_run_steps=size))
        for name in allowed:
            object.__setattr__(LIMITS, name, 10**7)
        measure(costs, "passes, mixed steps", size, partial(normalise, document, context), "step")
        for name, most in allowed.items():
            object.__setattr__(LIMITS, name, most)
        if size > LIMITS.steps:
            continue
        with tempfile.TemporaryDirectory() as home:
            settings = read_settings({"HELIO_HOME": home})
            template = many_steps(size)
            plan = partial(api.plan, template, archive="sample", settings=settings)
            run = partial(api.run, template, archive="sample", settings=settings)
            measure(costs, "to plan", size, plan, "step")
            measure(costs, "to run", size, run, "step")
            measure(costs, "to run, cached", size, run, "step")
    return costs


# Days


def days(sizes: Iterable[int]) -> Costs:
    """Measure fetches of ranges whose days came one by one from a HAPI server, and cached runs in one process."""
    costs: Costs = {}
    sizes = tuple(sizes)
    hours = np.arange(24 * max(sizes))
    times = np.datetime64(START, "s") + hours * np.timedelta64(1, "h")
    hourly = dataset(
        "HOURLY",
        [{"name": "V", "type": "double", "units": "km/s", "fill": "-1e31"}],
        [f"{moment}Z" for moment in times.astype(str)],
        {"V": hours},
        cadence="PT1H",
        maxRequestDuration="P1D",
    )
    with HapiStandIn([hourly]) as server, tempfile.TemporaryDirectory() as folder:

        def fetch(start: datetime, count: int) -> None:
            provider = Hapi(Path(folder), url=server.url, digests=FileDigests(Path(folder, "digests")))
            provider.fetch("HOURLY", ["V"], TimeRange(start, start + count * DAY))
            provider.close()

        kept = 0
        for size in sizes:
            while kept < size:  # a range of some thousand days has longer requests
                count = min(500, size - kept)
                fetch(START + kept * DAY, count)
                kept += count
            fetch(START, size)
            measure(costs, "to fetch again", size, partial(fetch, START, size), "day")
    with tempfile.TemporaryDirectory() as home:
        settings = read_settings({"HELIO_HOME": home})
        stops = [f"2021-10-28 to 2021-10-28T{number // 6:02}:{number % 6}0" for number in range(60, 70)]

        def run(count: int) -> None:
            for number in range(count):
                span = stops[number % len(stops)]
                api.run("gle73-particles", archive="sample", time_range=span, settings=settings)

        run(len(stops))
        for size in sizes:
            measure(costs, "cached runs in one process", size, partial(run, size), "day")
    return costs


# Samples


def samples(sizes: Iterable[int]) -> Costs:
    """Measure reading a file, an average and a figure, and the memory of it."""
    costs: Costs = {}
    base: dict[str, float] = {}
    for size in (10, *sizes):
        command = [sys.executable, "-m", "benchmarks.growth", "--one-size", str(size)]
        answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        base = base or answer
        if size == 10:
            continue
        data = 16 * size
        for name in ("read", "average", "figure"):
            peak = answer[f"{name}, memory"] - base[f"{name}, memory"]
            more = f"peak {peak / 1e6:7.0f} MB = {peak / data:.2f} x the data"
            note(costs, name, size, max(answer[name] - base[name], 0.0), "sample", more)
    return costs


def one_size(size: int) -> None:
    """Read, average and draw samples of 10 ms, and print what it cost as JSON."""
    from benchmarks.read_cdf import ALWAYS, cpu
    from helio.sources.cdf import CdfReader
    from helio.steps.compute.running_average import running_average
    from helio.steps.render.render_spec import render_spec
    from helio.steps.render.write_figure import to_html
    from helio.store.table import Table

    answer: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, CdfReader() as reader:
        path = Path(folder, "made.cdf")
        subprocess.run(
            [sys.executable, "-m", "benchmarks.growth", "--make", str(size), str(path)], check=True
        )
        reader.describe(path)
        pids = (os.getpid(), reader._worker._process.pid)  # type: ignore[union-attr]
        tables: dict[str, Table] = {}

        def read() -> None:
            tables.update(reader.read(path, ["x"], ALWAYS))

        def average() -> None:
            tables["x"] = running_average(tables["x"], window=Duration("1min"))

        def figure() -> None:
            epoch = tables["x"].epoch.astype("M8[us]")
            span = TimeRange(epoch[0].item(), epoch[-1].item() + timedelta(seconds=1))
            del epoch
            to_html(render_spec(tables, spec={}, time_range=span), scripts="beside")

        for action in (read, average, figure):
            touch_memory(5 * 16 * size)
            for pid in pids:
                Path(f"/proc/{pid}/clear_refs").write_text("5")  # forget the peak so far
            before = cpu(reader)
            action()
            answer[action.__name__] = (cpu(reader) - before) / 1e3
            answer[f"{action.__name__}, memory"] = sum(map(peak_memory, pids))
    print(json.dumps(answer))


def touch_memory(count: int) -> None:
    """Write to `count` bytes of memory and free them."""
    np.empty(count, np.uint8)[::4096] = 1


def peak_memory(pid: int) -> float:
    """Return the largest memory that a process had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.partition("VmHWM:")[2].split()[0]) * 1024


def make(size: int, path: Path) -> None:
    """Write a CDF that is not compressed."""
    import pycdfpp

    file = pycdfpp.CDF()
    epoch = np.datetime64("2022-03-08", "ns") + np.arange(size) * np.timedelta64(10, "ms")
    file.add_variable("Epoch", values=epoch, data_type=pycdfpp.DataType.CDF_TIME_TT2000)
    about = {"DEPEND_0": "Epoch", "FILLVAL": [-1e31], "UNITS": "nT"}
    file.add_variable("x", values=np.sin(np.arange(size) / 1e4), attributes=about)
    assert pycdfpp.save(file, str(path))


# Runs


def runs(sizes: Iterable[int]) -> Costs:
    """Measure commands in a home with many runs, each a copy of one run with an id and a time of its own."""
    costs: Costs = {}
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"HELIO_HOME": home}
        settings = read_settings({"HELIO_HOME": home})

        def helio(*words: str) -> None:
            command = [sys.executable, "-m", "helio", *words]
            subprocess.run(command, check=True, env=environment, cwd=home, stdout=subprocess.DEVNULL)

        again = partial(
            helio, "run", "gle73-particles", "--archive", "sample", "--direct", "--output", f"{home}/out"
        )
        again()
        [first] = settings.runs.iterdir()
        count = 1
        for size in sizes:
            while count < size:
                copy_run(settings, first, count)
                count += 1
            measure(costs, "helio run, cached", size, again, "run")
            measure(costs, "helio runs", size, partial(helio, "runs"), "run")
            measure(costs, "helio runs show last", size, partial(helio, "runs", "show", "last"), "run")
            measure(costs, "helio gc", size, partial(helio, "gc"), "run")
    return costs


def copy_run(settings: Settings, run: Path, number: int) -> None:
    folder = settings.runs / f"{run.name[:-4]}{number:05}"
    shutil.copytree(run, folder)
    header = json.loads((folder / "run.json").read_text())
    started = (datetime(2026, 1, 1) + timedelta(minutes=number)).isoformat()
    (folder / "run.json").write_text(
        json.dumps({**header, "id": folder.name, "started_at": f"{started}+00:00"})
    )


def main(words: list[str]) -> None:
    """Measure the growths with the given names, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("growths", nargs="*", choices=[*SIZES, []])
    parser.add_argument("--most", type=int, default=10**9)
    given = parser.parse_args(words)
    for name in given.growths or SIZES:
        print(name)
        measured: Callable[[Iterable[int]], Costs] = {
            "steps": steps,
            "days": days,
            "samples": samples,
            "runs": runs,
        }[name]
        report(measured([size for size in SIZES[name] if size <= given.most]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one-size"]:
        one_size(int(sys.argv[2]))
    elif sys.argv[1:2] == ["--make"]:
        make(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(sys.argv[1:])
