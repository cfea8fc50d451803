"""Drawing against plain plotly: thinning ten million points, the size of a page, and the time to make it.

Everything is measured in one run, interleaved, as ratios of medians: absolute times are the machine's.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import datetime

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helio.steps.render.downsample import thin_line
from helio.steps.render.gaps import gaps
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_html
from helio.store.table import Axis, Table
from helio.time_range import TimeRange

START = np.datetime64("2024-05-10", "ns")
DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


def medians(repeats: int, *works: Callable[[], object]) -> list[float]:
    """Median seconds of each work, taken in turns."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for times, work in zip(taken, works, strict=True):
            begun = time.perf_counter()
            work()
            times.append(time.perf_counter() - begun)
    return [statistics.median(times) for times in taken]


def field(count: int) -> Table:
    """Three components over one day."""
    values = np.random.default_rng(1).normal(size=(count, 3)).cumsum(axis=0).astype(np.float32)
    step = 86_400_000_000_000 // count
    return Table(
        START + np.arange(count) * np.timedelta64(step, "ns"), values, "nT", "B", "GSE", ("Bx", "By", "Bz")
    )


def plain(table: Table) -> str:
    """The same lines the way a notebook draws them."""
    figure = go.Figure()
    when = pd.DatetimeIndex(table.epoch)
    for column, name in enumerate(table.components):
        figure.add_trace(go.Scatter(x=when, y=table.values[:, column], name=name))
    page: str = figure.to_html(include_plotlyjs="directory")
    return page


def main() -> None:
    """Print the three comparisons."""
    line = np.random.default_rng(2).normal(size=10_000_000).astype(np.float32)
    epoch = START + np.arange(line.size) * np.timedelta64(8_640_000, "ns")
    stop = START + np.timedelta64(1, "D")
    found = gaps(epoch, 1.5)
    thin, seek, read = medians(
        5,
        lambda: thin_line(epoch, line, found, start=START, stop=stop, pixels=800),
        lambda: gaps(epoch, 1.5),
        lambda: (line.min(), line.max()),
    )
    print(
        f"thin 1e7 points to 800 pixels: {1e3 * thin:.0f} ms, {thin / read:.1f} × one min and max of all of them"
    )
    print(f"find gaps among 1e7 epochs:   {1e3 * seek:.0f} ms")

    table = field(100_000)
    ours = to_html(render_spec({"B": table}, spec={}, time_range=DAY), scripts="beside")
    theirs = plain(table).encode()
    quick, slow = medians(
        5,
        lambda: to_html(render_spec({"B": table}, spec={}, time_range=DAY), scripts="beside"),
        lambda: plain(table),
    )
    ratio = len(theirs) / len(ours)
    print(
        f"page of 3 × 1e5 points: {len(ours) / 1e6:.2f} MB against {len(theirs) / 1e6:.2f} MB: {ratio:.0f} × smaller"
    )
    print(
        f"time to make it:        {1e3 * quick:.0f} ms against {1e3 * slow:.0f} ms, {slow / quick:.1f} × faster"
    )

    energies = Axis("Energy", "keV", np.geomspace(1, 1000, 64))
    flux = np.random.default_rng(3).lognormal(size=(86_400, 64)).astype(np.float32)
    spectrum = Table(START + np.arange(86_400) * np.timedelta64(1, "s"), flux, "", "Flux", axes=(energies,))
    (took,) = medians(3, lambda: render_spec({"f": spectrum}, spec={}, time_range=DAY))
    size = len(to_html(render_spec({"f": spectrum}, spec={}, time_range=DAY), scripts="beside"))
    print(
        f"spectrogram 86400 × 64: {1e3 * took:.0f} ms, page {size / 1e6:.2f} MB (its values alone are 22 MB)"
    )


if __name__ == "__main__":
    main()
