"""Backfill of days of local files against a loop of `helio run`, against Snakemake, and against itself when done.

    python benchmarks/backfill.py [DAYS [LOOPED [SNAKEMAKE]]]

LOOPED is the number of days of the loop and of Snakemake, whose times are scaled to DAYS. SNAKEMAKE is the path of a
`snakemake` in an environment of its own; without it, this part is left out. Compare ratios only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from helio.steps.export.about import about
from helio.steps.export.write_cdf import write_cdf
from helio.store.table import Table

FIRST = datetime(2023, 1, 1)
SNAKEFILE = """
DAYS = {days!r}

rule all:
    input: expand("snake/{{day}}/draw.json", day=DAYS)

rule day:
    input: lambda wildcards: "data/ac_h2_mfi_" + wildcards.day.replace("-", "") + "_v01.cdf"
    output: "snake/{{day}}/draw.json"
    shell: "{python} -P -m helio run daily.json -t {{wildcards.day}} --archive data --direct -o snake/{{wildcards.day}}"
"""  # fmt: skip


def pipeline() -> dict[str, Any]:
    """Fetch a day of the field, compute its magnitude, and draw it."""
    fetch = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"}
    magnitude = {"source_label": "AC_H2_MFI.BGSEc", "output_label": "B"}
    return {
        "id": "daily-field",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2023-01-01"}},
        "steps": [
            {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": fetch},
            {"step_id": "b", "tool_name": "magnitude", "tool_args": magnitude},
            {"step_id": "draw", "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["B"]}}},
        ],
    }


def write_file(folder: Path, number: int, level: float = 5.0) -> None:
    """Write the file of a day: one vector per minute."""
    start = FIRST + timedelta(days=number)
    epoch = np.datetime64(start, "ns") + np.arange(1440) * np.timedelta64(60, "s")
    values = level + np.random.default_rng(number).normal(size=(1440, 3))
    table = Table(epoch, values, unit="nT", name="BGSEc", components=("Bx", "By", "Bz"), frame="GSE")
    path = folder / f"ac_h2_mfi_{start:%Y%m%d}_v01.cdf"
    path.write_bytes(write_cdf({"BGSEc": table}, about(path.name, {"BGSEc": table})))


def figures(days: int = 365, looped: int = 20, snakemake: str = "") -> dict[str, float]:
    """Return the seconds of each way, by its name."""
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "data").mkdir()
        (place / "daily.json").write_text(json.dumps(pipeline()))
        for number in range(days + 1):
            write_file(place / "data", number)

        def helio(home: str, *words: str) -> float:
            return timed([sys.executable, "-P", "-m", "helio", *words], place, place / home)

        named = [f"{FIRST + timedelta(days=number):%Y-%m-%d}" for number in range(looped)]
        stop = f"{FIRST + timedelta(days=days):%Y-%m-%d}"
        whole = ("backfill", "daily.json", f"{FIRST:%Y-%m-%d}..{stop}", "--archive", "data", "--direct")
        times["backfill, all days"] = helio("home", *whole)
        times["backfill again, nothing to do"] = min(helio("home", *whole) for _ in range(3))
        times["helio list"] = min(helio("home", "list") for _ in range(3))
        write_file(place / "data", days // 2, level=7.0)
        times["backfill again, one file replaced"] = helio("home", *whole)

        def run(home: str, day: str) -> float:
            return helio(
                home, "run", "daily.json", "-t", day, "--archive", "data", "--direct", "-o", f"{home}/{day}"
            )

        run("loop", stop)  # the first run of a home reads the catalogue
        loop = sum(run("loop", day) for day in named)
        times["loop of helio run, scaled"] = loop * days / looped
        if snakemake:
            (place / "Snakefile").write_text(SNAKEFILE.format(days=named, python=sys.executable))
            run("snake-home", stop)
            command = [snakemake, "--quiet", "--cores", str(min(4, os.cpu_count() or 1)), "all"]
            times["Snakemake, scaled"] = timed(command, place, place / "snake-home") * days / looped
            times[f"Snakemake again, nothing to do of {looped} days"] = timed(
                command, place, place / "snake-home"
            )
    return times


def timed(command: list[str], place: Path, home: Path) -> float:
    """Run a command, and return the seconds it took."""
    begun = time.monotonic()
    subprocess.run(
        command,
        cwd=place,
        env={**os.environ, "HELIO_HOME": str(home)},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.monotonic() - begun


if __name__ == "__main__":
    arguments = sys.argv[1:]
    measured = figures(*map(int, arguments[:2]), *arguments[2:3])
    for way, seconds in measured.items():
        print(f"{way}:  {seconds:.2f} s")
    listed, made = measured["helio list"], measured["backfill, all days"]
    print(f"nothing to do, in times of helio list:  {measured['backfill again, nothing to do'] / listed:.1f}")
    print(f"loop of helio run / backfill:  {measured['loop of helio run, scaled'] / made:.1f}")
    if "Snakemake, scaled" in measured:
        print(f"Snakemake / backfill:  {measured['Snakemake, scaled'] / made:.1f}")
