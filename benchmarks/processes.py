"""Whole processes against what they replace: ``helio --help``, and the demo against the same done by hand.

    python benchmarks/processes.py

Prints ratios of medians, each pair interleaved in one run, and the median itself in milliseconds for orientation.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def timed(command: list[str], cwd: Path, *, forget: bool) -> float:
    """Seconds of one whole process, which must succeed; with `forget` its store is empty."""
    if forget:
        shutil.rmtree(cwd / "home", ignore_errors=True)
    environ = {**os.environ, "HELIO_HOME": str(cwd / "home")}
    begun = time.perf_counter()
    subprocess.run(
        command, cwd=cwd, env=environ, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - begun


def compare(name: str, ours: list[str], theirs: list[str], repeats: int, *, forget: bool = True) -> None:
    """Interleave two commands and print the ratio of their medians."""
    with tempfile.TemporaryDirectory() as folder:
        cwd = Path(folder)
        timed(ours, cwd, forget=forget), timed(theirs, cwd, forget=False)  # byte code and disk cache
        pairs = [(timed(ours, cwd, forget=forget), timed(theirs, cwd, forget=False)) for _ in range(repeats)]
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"{name}: {mine / other:.2f}x  ({mine * 1e3:.0f} ms against {other * 1e3:.0f} ms)")


def main() -> None:
    python, helio = sys.executable, [sys.executable, "-m", "helio"]
    compare(
        "helio --help against a no-op Typer command", [*helio, "--help"], [python, "-c", NO_OP, "--help"], 15
    )
    no_op, by_hand = [python, "-c", NO_OP, "--help"], [python, "-c", BY_HAND, "."]
    demo = [*helio, "run", "gle73-particles", "--archive", "sample", "--output", "out", "--direct"]
    compare("the demo, empty store, against cdflib and plotly by hand", demo, by_hand, 9)
    compare("the demo, all of it in the store, against a no-op Typer command", demo, no_op, 9, forget=False)


if __name__ == "__main__":
    main()
