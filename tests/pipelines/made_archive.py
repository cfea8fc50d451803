"""Small CDF files in the shape of real datasets: names, units, frames, bins and cadences, with made-up values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.export.about import about
from helio.steps.export.write_cdf import write_cdf
from helio.store.table import Axis, Table
from helio.time_range import Duration, TimeRange


@dataclass(frozen=True)
class Made:
    """A parameter to make: a series, a vector of 3 or 4 components, or a spectrum.

    Parameters
    ----------
    level : float, or one for each component
        Mean of the values; they vary around it by a fifth, or by `swing`.
    size : int
        Number of components, or of bins if `axis` is given.
    axis : (label, unit)
        Axis of a spectrum; `bins` has the centres of its first and last bin.
    cadence : str
        Cadence, if it is not that of the dataset.
    constant : bool
        Whether all values are `level`, as those of a flag.
    angles : int
        Number of pitch angles of a spectrum over pitch angle and `axis`; 0 for a spectrum over `axis` alone.
    seed : str
        Parameters with one seed vary alike, at any cadence; by default, each varies by itself.
    """

    unit: str
    level: float | tuple[float, ...] = 1.0
    frame: str = ""
    size: int = 1
    axis: tuple[str, str] | None = None
    bins: tuple[float, float] = (1.0, 1000.0)
    swing: float | None = None
    cadence: str = ""
    constant: bool = False
    angles: int = 0
    seed: str = ""


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
    seed = sum((made.seed or name).encode())
    random = np.random.default_rng(sum(name.encode()))
    shape = (records, made.size) if made.size > 1 else (records,)
    if made.axis is None:
        level = np.asarray(made.level, dtype=np.float64)
        swing = 0.2 * np.abs(level).max() if made.swing is None else made.swing
        waves = [
            _turbulence(records, np.random.default_rng((seed, component))) for component in range(made.size)
        ]
        values = level + swing * np.stack(waves, axis=1).reshape(shape)
    else:  # a flux that rises and falls, more so at the ends of the axis
        tilt = np.linspace(-0.5, 0.5, made.size)
        height, slope = (_turbulence(records, random)[:, np.newaxis] for _ in range(2))
        values = made.level * 10 ** (0.4 * height + 0.5 * slope * tilt + 0.03 * random.normal(size=shape))
    if made.constant:
        values = np.full(shape, made.level, dtype=np.float64)
    facts: dict[str, Any] = {}
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
        if made.angles:
            pitch = (np.arange(made.angles) + 0.5) * 180 / made.angles
            beam = 0.3 + np.exp(-(((pitch - (0 if random.random() < 0.5 else 180)) / 30) ** 2))
            values = values[:, np.newaxis, :] * beam[:, np.newaxis]
            facts["axes"] = (Axis("Pitch Angle", "deg", pitch, scale="linear"), *facts["axes"])
    elif made.size > 1:
        stem = {"nT": "B", "km/s": "V", "mV/m": "E"}.get(made.unit, "R")
        components = [f"{stem}_{letter}" for letter in ("RTN" if made.frame == "RTN" else "xyz")]
        if made.size == 4:
            values[:, 3] = np.sqrt((values[:, :3] ** 2).sum(axis=1))
            components.append("|B|")
        facts = {"components": tuple(components[: made.size]), "frame": made.frame}
    return Table(epoch, values, unit=made.unit, name=name, **facts)


def _turbulence(records: int, random: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return a random series of mean 0 and standard deviation 1 with the slope −5/3 of the solar wind's spectrum."""
    frequency = np.arange(1, records // 2 + 1)
    amplitude = frequency ** (-5 / 6) * np.exp(2j * np.pi * random.random(frequency.size))
    series = np.fft.irfft(np.concatenate([[0], amplitude]), n=records)
    return series / (series.std() or 1.0)
