"""Whole commands against what they replace: a Typer command that does nothing, and the demo done by hand.

    python benchmarks/processes.py

Each command and its peer run in turn. Prints medians of the ratios of their CPU times and of their times on the clock;
milliseconds are for orientation. On a busy machine read the ratios of CPU times.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

NO_OP = """
import typer
app = typer.Typer(rich_markup_mode=None)
@app.command()
def main(): pass
app()
"""

BY_HAND = """
import sys
import cdflib, numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from importlib.resources import files
cdf = cdflib.CDF(str(files("helio") / "sources/sample_archive/sta_l1_het_20211028_v01.cdf"))
time = cdflib.cdfepoch.to_datetime(cdf.varget("Epoch"))
protons, electrons = cdf.varget("Proton_Flux"), cdf.varget("Electron_Flux")
for flux in (protons, electrons):
    flux[flux == np.float32(-1e31)] = np.nan
energies = [15, 17, 19, 22, 25, 28, 31, 35, 38, 49, 77]
figure = make_subplots(rows=3, cols=1, shared_xaxes=True)
for low, high in ((0, 3), (3, 6), (6, 9), (10, 11)):
    band = np.nanmean(protons[:, low:high], axis=1)
    smooth = np.convolve(band, np.ones(11) / 11, mode="same")
    figure.add_trace(go.Scatter(x=time, y=smooth), row=1, col=1)
figure.add_trace(go.Heatmap(x=time, y=energies, z=np.log10(np.where(protons > 0, protons, np.nan)).T), row=2, col=1)
for channel in range(3):
    figure.add_trace(go.Scatter(x=time, y=electrons[:, channel]), row=3, col=1)
figure.update_yaxes(type="log")
figure.write_html(sys.argv[1] + "/by-hand.html", include_plotlyjs="directory")
figure.write_json(sys.argv[1] + "/by-hand.json")
"""


FETCH = {
    "step_id": "fetch",
    "tool_name": "fetch_data",
    "tool_args": {"dataset_id": "STA_L1_HET", "parameter_id": "Proton_Flux", "time_range": "2021-10-28"},
}
FIGURE = {"step_id": "figure", "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["smooth"]}}}
AVERAGE = {
    "step_id": "smooth",
    "tool_name": "running_average",
    "tool_args": {"source_label": "STA_L1_HET.Proton_Flux", "window": "11min", "output_label": "smooth"},
}
CODE = {
    "step_id": "smooth",
    "tool_name": "custom_operation",
    "tool_args": {
        "source_labels": ["STA_L1_HET.Proton_Flux"],
        "pandas_code": "result = df.rolling('11min', center=True).mean()",
        "output_label": "smooth",
    },
}


class Row(NamedTuple):
    """A command and its peer.

    Parameters
    ----------
    new_home : bool
        Whether each run of the command, and of a peer that is helio too, has an empty home.
    repeats : int
        Number of counted runs.
    """

    command: list[str]
    peer: list[str]
    new_home: bool = False
    repeats: int = 9


class Figures(NamedTuple):
    """Medians of one row: ratios to the peer, and milliseconds of both on the clock."""

    cpu_ratio: float
    clock_ratio: float
    milliseconds: float
    peer_milliseconds: float

    def __str__(self) -> str:
        times = f"{self.milliseconds:.0f} ms against {self.peer_milliseconds:.0f} ms"
        return f"{self.cpu_ratio:.2f}x CPU, {self.clock_ratio:.2f}x on the clock  ({times})"


def rows() -> dict[str, Row]:
    """Return all comparisons by name; the commands run in a folder that has `plain.json` and `code.json`."""
    python, helio = sys.executable, [sys.executable, "-m", "helio"]
    no_op, by_hand = [python, "-c", NO_OP, "--help"], [python, "-c", BY_HAND, "."]
    demo = [*helio, "run", "gle73-particles", "--archive", "sample", "--output", "out"]
    direct = ["--archive", "sample", "--direct"]
    sentence = ["plot the ACE magnetic field for 2021-10-28", "--author", "rules"]
    plan = [*helio, "plan", "gle73-particles", "--archive", "sample"]
    return {
        "helio --help": Row([*helio, "--help"], no_op),
        "helio list": Row([*helio, "list"], no_op),
        "helio check": Row([*helio, "check", "gle73-particles"], no_op),
        "helio plan": Row(plan, no_op),
        "helio run, all in the store": Row([*demo, "--direct"], no_op),
        "helio datasets search": Row([*helio, "datasets", "search", "magnetic field"], no_op),
        "helio author, by rules": Row([*helio, "author", *sentence], no_op),
        "helio run --direct, new home, against by hand": Row(
            [*demo, "--direct"], by_hand, new_home=True, repeats=5
        ),
        "code in a template, against a tool": Row(
            [*helio, "run", "code.json", *direct],
            [*helio, "run", "plain.json", *direct],
            new_home=True,
            repeats=5,
        ),
    }


def measure(row: Row) -> Figures:
    """Run a command and its peer in turn, after one run of each that does not count."""
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        for name, step in (("plain", AVERAGE), ("code", CODE)):
            (cwd / f"{name}.json").write_text(json.dumps({"id": name, "steps": [FETCH, step, FIGURE]}))
        pairs = [
            (_spent(row.command, cwd, row.new_home), _spent(row.peer, cwd, row.new_home))
            for _ in range(row.repeats + 1)
        ][1:]
    median = statistics.median
    return Figures(
        median(own.cpu / peer.cpu for own, peer in pairs),
        median(own.clock / peer.clock for own, peer in pairs),
        1e3 * median(own.clock for own, _ in pairs),
        1e3 * median(peer.clock for _, peer in pairs),
    )


class _Seconds(NamedTuple):
    cpu: float
    clock: float


def _spent(command: list[str], cwd: Path, new_home: bool) -> _Seconds:
    """Return the seconds of one whole process, which must succeed."""
    if new_home:
        shutil.rmtree(cwd / "home", ignore_errors=True)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        command,
        cwd=cwd,
        env=environ | {"HELIO_HOME": str(cwd / "home")},
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _Seconds(cpu, time.perf_counter() - begun)


def main() -> None:
    """Print one line for each row."""
    for name, row in rows().items():
        print(f"{name}: {measure(row)}", flush=True)


if __name__ == "__main__":
    main()
