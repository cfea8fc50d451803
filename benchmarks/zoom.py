"""Pages that keep all their data against plain plotly: size at first load, all files, and the time to make them.

Both are measured in one run, in turns. The times of a machine differ from day to day; their ratios hardly do.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from benchmarks.render import DAY, START, medians
from helio.steps.render.detail import Detail
from helio.steps.render.refine import make_detail
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_html
from helio.store.table import Table

PLOTLY = "plotly.min.js"


def series(count: int, panels: int) -> dict[str, Table]:
    """Return one component in each panel, over one day."""
    epoch = START + np.arange(count) * np.timedelta64(86_400_000_000_000 // count, "ns")
    random = np.random.default_rng(1)
    return {
        f"B{number}": Table(epoch, random.normal(size=count).cumsum().astype(np.float32), "nT", f"B{number}")
        for number in range(1, panels + 1)
    }


def ours(tables: Mapping[str, Table], folder: Path) -> None:
    """Draw and write the page with all its points in files beside it."""
    spec = {"panels": [[label] for label in tables]}
    figure = render_spec(dict(tables), spec=spec, time_range=DAY)
    detail = Detail(make_detail(figure.details))
    detail.write(folder / detail.folder_name("ours"))
    (folder / "ours.html").write_bytes(to_html(figure, scripts="beside", detail=detail, stem="ours"))


def theirs(tables: Mapping[str, Table], folder: Path) -> None:
    """Draw and write the page the way a notebook does: all points in the page."""
    figure = make_subplots(rows=len(tables), cols=1, shared_xaxes=True)
    for row, (label, table) in enumerate(tables.items(), 1):
        when = pd.DatetimeIndex(table.epoch)
        figure.add_scattergl(x=when, y=table.values, name=label, row=row, col=1)
    figure.write_html(folder / "theirs.html", include_plotlyjs=PLOTLY)


def compare(title: str, tables: Mapping[str, Table], repeats: int) -> None:
    """Print sizes and times of both pages."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quick, slow = medians(repeats, lambda: ours(tables, folder), lambda: theirs(tables, folder))
        page, other = ((folder / f"{name}.html").stat().st_size for name in ("ours", "theirs"))
        files = [path.stat().st_size for path in folder.glob("ours.detail-*/*.js")]
    print(f"{title}")
    print(f"  first load: {page / 1e6:.2f} MB against {other / 1e6:.2f} MB, {other / page:.0f} × smaller")
    print(
        f"  all points: {(page + sum(files)) / 1e6:.1f} MB in {len(files)} files, the largest {max(files) / 1e6:.2f} MB"
    )
    print(f"  time:       {quick:.2f} s against {slow:.2f} s, {slow / quick:.1f} × faster")


def main() -> None:
    """Print the comparisons for a day of one-second data in seven panels, and for ten million samples."""
    compare("7 panels of 86,400 samples", series(86_400, 7), 5)
    compare("1 panel of 10,000,000 samples", series(10_000_000, 1), 3)


if __name__ == "__main__":
    main()
