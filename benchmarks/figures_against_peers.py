"""Figures against matplotlib, pySPEDAS and plain plotly: time, memory, and size of the files.

    python benchmarks/figures_against_peers.py PEER_PYTHON [REPEATS]

PEER_PYTHON is a Python with matplotlib and pyspedas. Every figure is made in a process of its own, in turns, so that
load on the machine meets all of them; the smallest of all repeats counts. Times are without imports, and with the start
of the browser where one draws. Static figures of all have 2000 pixels across.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DAY = 86_400
FIGURES = 30
START = np.datetime64("2024-05-10", "ns")
CASES = ("7 panels of 86,400", "spectrogram 86,400 × 32", "line of 10,000,000", "30 small figures")
PEERS = ("matplotlib", "pyspedas")
PAIRS = (
    ("helio PNG", "matplotlib PNG"),
    ("helio PNG", "pyspedas PNG"),
    ("helio PNG", "plotly PNG"),
    ("helio HTML", "plotly HTML"),
)

Data = dict[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]]


def data_of(case: str) -> Data:
    """Return the epochs and values of each panel."""
    random = np.random.default_rng(1)
    if case == CASES[0]:
        epoch = START + np.arange(DAY) * np.timedelta64(1, "s")
        return {
            f"x{number}": (epoch, random.normal(size=DAY).cumsum().astype(np.float32)) for number in range(7)
        }
    if case == CASES[1]:
        epoch = START + np.arange(DAY) * np.timedelta64(1, "s")
        return {"flux": (epoch, random.lognormal(size=(DAY, 32)).astype(np.float32))}
    if case == CASES[2]:
        count = 10_000_000
        epoch = START + np.arange(count) * np.timedelta64(8_640_000, "ns")
        return {"x": (epoch, random.normal(size=count).astype(np.float32).cumsum())}
    epoch = START + np.arange(1440) * np.timedelta64(60, "s")
    return {"x": (epoch, random.normal(size=1440).cumsum())}


def with_helio(case: str, data: Data, kind: str, folder: Path) -> None:
    """Draw with helio."""
    from helio.steps.render.detail import Detail
    from helio.steps.render.refine import make_detail
    from helio.steps.render.render_spec import render_spec
    from helio.steps.render.write_figure import StaticRenderer, find_browser, to_html
    from helio.store.table import Axis, Table

    energies = Axis("Energy", "keV", np.geomspace(1, 1000, 32), scale="log")
    tables = {
        name: Table(
            epoch, values, "nT" if values.ndim == 1 else "cm^-2", name, axes=(energies,) * (values.ndim - 1)
        )
        for name, (epoch, values) in data.items()
    }
    figure = render_spec(tables, spec={"panels": [[name] for name in tables]})
    if kind == "HTML":
        detail = Detail(make_detail(figure.details))
        detail.write(folder / detail.folder_name("figure"))
        (folder / "figure.html").write_bytes(to_html(figure, scripts="beside", detail=detail, stem="figure"))
        return
    with StaticRenderer(browser=find_browser(os.environ)) as renderer:
        for number in range(FIGURES if case == CASES[3] else 1):
            if number:
                figure = render_spec(tables, spec={"panels": [[name] for name in tables]})
            (folder / f"{number}.png").write_bytes(renderer.render(figure, "png"))


def with_plotly(case: str, data: Data, kind: str, folder: Path) -> None:
    """Draw with plotly, as a notebook does."""
    import kaleido
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=len(data), shared_xaxes=True)
    for row, (epoch, values) in enumerate(data.values(), 1):
        if values.ndim == 1:
            figure.add_scatter(x=epoch, y=values, row=row, col=1)
        else:
            figure.add_heatmap(x=epoch, z=np.log10(values).T, row=row, col=1)
    if kind == "HTML":
        figure.write_html(folder / "figure.html", include_plotlyjs="directory")
        (folder / "plotly.min.js").unlink(missing_ok=True)
        return
    kaleido.start_sync_server(n=1)
    for number in range(FIGURES if case == CASES[3] else 1):
        figure.write_image(folder / f"{number}.png", width=1000, height=300, scale=2)
    kaleido.stop_sync_server()


def with_matplotlib(case: str, data: Data, kind: str, folder: Path) -> None:
    """Draw with matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.colors import LogNorm

    for number in range(FIGURES if case == CASES[3] else 1):
        figure, axes = pyplot.subplots(
            len(data), 1, sharex=True, squeeze=False, figsize=(10, 1 + 2 * len(data)), dpi=200
        )
        for axis, (epoch, values) in zip(axes[:, 0], data.values(), strict=True):
            if values.ndim == 1:
                axis.plot(epoch, values, linewidth=1)
            else:
                mesh = axis.pcolormesh(
                    epoch, np.geomspace(1, 1000, 32), values.T, norm=LogNorm(), shading="nearest"
                )
                figure.colorbar(mesh)
                axis.set_yscale("log")
        figure.savefig(folder / f"{number}.png")
        pyplot.close(figure)


def with_pyspedas(case: str, data: Data, kind: str, folder: Path) -> None:
    """Draw with the tplot of pySPEDAS."""
    import matplotlib as mpl

    mpl.use("Agg")
    import pyspedas

    for name, (epoch, values) in data.items():
        seconds = epoch.astype("i8") / 1e9
        if values.ndim == 1:
            pyspedas.store_data(name, data={"x": seconds, "y": values})
        else:
            pyspedas.store_data(name, data={"x": seconds, "y": values, "v": np.geomspace(1, 1000, 32)})
            pyspedas.options(name, opt_dict={"spec": 1, "ylog": 1, "zlog": 1})
    for number in range(FIGURES if case == CASES[3] else 1):
        pyspedas.tplot(
            list(data),
            save_png=str(folder / str(number)),
            display=False,
            xsize=10,
            ysize=1 + 2 * len(data),
            dpi=200,
        )
        from matplotlib import pyplot

        pyplot.close("all")


TOOLS: dict[str, Callable[[str, Data, str, Path], None]] = {
    "helio": with_helio,
    "plotly": with_plotly,
    "matplotlib": with_matplotlib,
    "pyspedas": with_pyspedas,
}


def imports(tool: str) -> None:
    """Import what a tool needs, so that times are without it."""
    if tool == "helio":
        import helio.steps.render.refine
        import helio.steps.render.render_spec
        import helio.steps.render.write_figure  # noqa: F401
    elif tool == "plotly":
        import plotly.subplots  # noqa: F401
    else:
        import matplotlib.pyplot  # noqa: F401

        if tool == "pyspedas":
            import pyspedas  # noqa: F401


def one(name: str, case: str) -> None:
    """Make one figure in this process, and print its time, its memory and the size of its files as JSON."""
    tool, _, kind = name.partition(" ")
    data = data_of(case)
    with tempfile.TemporaryDirectory() as temporary, contextlib.redirect_stdout(io.StringIO()):
        folder = Path(temporary)
        imports(tool)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.perf_counter()
        TOOLS[tool](case, data, kind, folder)
        seconds = time.perf_counter() - begun
        page = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
        beside = sum(path.stat().st_size for path in folder.rglob("*/*") if path.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    browser = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if not page:
        raise SystemExit(f"{name} wrote nothing")
    facts = {
        "seconds": seconds, "MB": peak / 1e3, "more MB": (peak - before) / 1e3, "browser MB": browser / 1e3,
        "kB": page / 1e3, "kB beside": beside / 1e3,
    }  # fmt: skip
    print(json.dumps(facts))


def measure(name: str, case: str, peer: str) -> dict[str, float]:
    """Return what `one` prints in a new process; a tool that fails has no facts."""
    python = peer if name.split()[0] in PEERS else sys.executable
    made = subprocess.run(
        [python, __file__, "--one", name, case], capture_output=True, text=True, check=False
    )
    if made.returncode:
        lines = made.stderr.strip().splitlines()
        print(f"  {name} failed: {lines[-1] if lines else made.returncode}")
        return {}
    facts: dict[str, float] = json.loads(made.stdout.strip().splitlines()[-1])
    return facts


def main() -> None:
    """Print a table for each case, and the ratios of helio to the others."""
    peer, repeats = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    for case in CASES:
        print(case, flush=True)
        names = list(dict.fromkeys(name for pair in PAIRS for name in pair))
        if case == CASES[3]:
            names = [name for name in names if name.endswith("PNG")]
        elif case == CASES[2]:
            names.remove("plotly PNG")  # a browser draws ten million points for minutes, or dies
        found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for _ in range(repeats):
            for name in names:
                if facts := measure(name, case, peer):
                    found[name].append(facts)
        least = {
            name: {key: min(facts[key] for facts in every) for key in every[0]}
            for name, every in found.items()
            if every
        }
        for name, facts in least.items():
            print(f"  {name:15} " + "  ".join(f"{value:9,.2f} {key}" for key, value in facts.items()))
        for ours, theirs in PAIRS:
            if ours in least and theirs in least:
                ratios = {key: least[ours][key] / least[theirs][key] for key in ("seconds", "MB", "kB")}
                print(
                    f"  {ours} / {theirs}: "
                    + ", ".join(f"{value:.2f} × {key}" for key, value in ratios.items())
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3])
    else:
        main()
