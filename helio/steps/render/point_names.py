"""Names above the points of a line, such as the classes of flares above their peaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError, did_you_mean
from helio.steps.compute.solar_flares import flare_class
from helio.steps.render.scales import SCALES
from helio.steps.render.spec import LevelName
from helio.steps.render.wording import text_width
from helio.store.table import Table

_APART = 6
"""Smallest distance in pixels between two names side by side."""
MOST = 500
"""The largest number of points that may have a name."""


def names_of_points(
    table: Table,
    label: str,
    scale_name: LevelName,
    x: npt.NDArray[np.datetime64],
    y: npt.NDArray[Any],
    *,
    start: np.datetime64,
    stop: np.datetime64,
    pixels: int,
    font: float,
) -> list[str]:
    """Return the name of each point on a scale such as ``flares``; empty for points without one.

    Of names that are too near on the time axis, whatever their heights, the one of the strongest point is kept.

    Raises
    ------
    StepError
        No scale has this name, the table has another unit, or there are more than `MOST` points.
    """
    where = f"line_styles: point_names of '{label}'"
    if scale_name not in SCALES:
        raise StepError(
            f"{where}: no levels are called '{scale_name}'",
            advice=did_you_mean(scale_name, SCALES, otherwise=f"choose one of {', '.join(sorted(SCALES))}"),
        )
    scale = SCALES[scale_name]
    scale.check(label, table, where)
    if len(y) > MOST:
        raise StepError(
            f"{where}: {len(y):,} points cannot all have a name",
            advice=f"name the points of a table of events with at most {MOST} records, such as the peaks of flares",
        )
    names = [""] * len(y)
    pixel = pixels / max(1, int((stop - start).astype("timedelta64[ns]").astype("i8")))
    taken: list[tuple[float, float]] = []
    for index in sorted(range(len(y)), key=lambda index: (-abs(float(np.nan_to_num(y[index]))), index)):
        level = scale.level_of(float(y[index])) if np.isfinite(y[index]) else None
        if level is None:
            continue
        name = flare_class(float(y[index])) if scale_name == "flares" else scale.names[level]
        middle = float((x[index] - start).astype("timedelta64[ns]").astype("i8")) * pixel
        half = text_width(name, font) / 2 + _APART / 2
        if all(middle + half <= left or middle - half >= right for left, right in taken):
            names[index] = name
            taken.append((middle - half, middle + half))
    return names
