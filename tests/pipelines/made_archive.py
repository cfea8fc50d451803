"""Small CDF files in the shape of real datasets: names, units, frames, bins and cadences, with made-up values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from helio.steps.export.about import about
from helio.steps.export.write_cdf import write_cdf
from helio.store.table import Axis, Table
from helio.time_range import Duration, TimeRange


@dataclass(frozen=True)
class Made:
    """A parameter to make: a series, a vector of 3 or 4 components, or a spectrum.

    Parameters
    ----------
    level : float
        Mean of the values; they vary around it by a fifth, or by `swing`.
    size : int
        Number of components, or of bins if `axis` is given.
    axis : (label, unit)
        Axis of a spectrum; `bins` has the centres of its first and last bin.
    cadence : str
        Cadence, if it is not that of the dataset.
    constant : bool
        Whether all values are `level`, as those of a flag.
    """

    unit: str
    level: float = 1.0
    frame: str = ""
    size: int = 1
    axis: tuple[str, str] | None = None
    bins: tuple[float, float] = (1.0, 1000.0)
    swing: float | None = None
    cadence: str = ""
    constant: bool = False


def write_dataset(
    folder: Path, dataset_id: str, parameters: Mapping[str, Made], span: TimeRange, cadence: str
) -> Path:
    """Write one file of a dataset that covers a range."""
    tables = {name: _table(name, made, span, made.cadence or cadence) for name, made in parameters.items()}
    path = folder / f"{dataset_id.lower()}_{span.start:%Y%m%d%H%M%S}_v01.cdf"
    path.write_bytes(write_cdf(tables, about(path.name, tables)))
    return path


def _table(name: str, made: Made, span: TimeRange, cadence: str) -> Table:
    step = Duration(cadence).nanoseconds
    start = (span.start - datetime(1970, 1, 1)).total_seconds() * 1e9
    records = max(2, int(span.duration.total_seconds() * 1e9) // step)
    epoch = (int(start) + np.arange(records) * step).astype("M8[ns]")
    random = np.random.default_rng(sum(name.encode()))
    shape = (records, made.size) if made.size > 1 else (records,)
    phase = np.linspace(0, 6 * np.pi, records).reshape(-1, *([1] * (len(shape) - 1)))
    swing = 0.2 * made.level if made.swing is None else made.swing
    shift = np.arange(made.size) * 1.7 if made.size > 1 else 0.0
    values = made.level + swing * np.sin(phase + shift) + 0.1 * swing * random.normal(size=shape)
    if made.constant:
        values = np.full(shape, float(made.level))
    facts: dict[str, object] = {}
    if made.axis is not None:
        label, unit = made.axis
        logarithmic = made.bins[0] > 0 and made.bins[1] / made.bins[0] > 20
        space = np.geomspace if logarithmic else np.linspace
        centers = space(*made.bins, made.size)
        hill = (
            np.exp(-0.5 * ((np.log(centers / np.sqrt(centers[0] * centers[-1]))) / 1.5) ** 2)
            if logarithmic
            else 1.0
        )
        values = np.abs(values) * hill
        facts = {
            "axes": (Axis(label, unit, centers, scale="log" if logarithmic else "linear"),),
            "scale": "log",
        }
    elif made.size > 1:
        stem = "B" if made.unit == "nT" else "V"
        components = [f"{stem}_{letter}" for letter in ("RTN" if made.frame == "RTN" else "xyz")]
        if made.size == 4:
            values[:, 3] = np.sqrt((values[:, :3] ** 2).sum(axis=1))
            components.append("|B|")
        facts = {"components": tuple(components[: made.size]), "frame": made.frame}
    return Table(epoch, values, unit=made.unit, name=name, **facts)  # type: ignore[arg-type]
