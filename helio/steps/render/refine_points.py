"""Make the detail of panels without time on their x axis: all points of clouds and curves, in files by their place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.render.encode import numbers

Reals = npt.NDArray[np.float64]
Int = npt.NDArray[np.int64]

SIZE = 20_000
"""Number of points in a file."""


@dataclass(frozen=True, eq=False)
class FullPoints:
    """A trace with all its points, of which the figure draws only some.

    Parameters
    ----------
    uid : str
        Plotly's uid of the trace.
    label : str
        Label of the table.
    x, y : shape (n,)
        NaN where a line is broken.
    drawn, given : int
        The number of drawn points, and of all points; 0 for a trace that shows points of another one too.
    log_x, log_y : bool
        Whether the axes are logarithmic.
    shape : "points", "line" or "area"
    colour : shape (n,), optional
        What sets the colours of points, as plotly's trace has it.
    epoch : shape (n,), optional
        Times of the points.
    """

    uid: str
    label: str
    x: Reals
    y: Reals
    drawn: int
    given: int
    log_x: bool
    log_y: bool
    shape: str = "points"
    colour: Reals | None = None
    epoch: npt.NDArray[np.datetime64] | None = None

    def files(self) -> Iterator[tuple[list[float], bytes]]:
        """Yield what the page must know of each file, and the file: the number of its points and their limits on both
        axes, as plotly has them (log10 on a logarithmic axis).

        Points are divided by their place, so that a small part of the panel needs few files. A line is divided along
        its way, and each file begins with the last point of the one before. An area is one file.
        """
        places = [_on_axis(self.x, self.log_x), _on_axis(self.y, self.log_y)]
        for chosen in self._parts(places):
            facts = [chosen.size, *(round(float(end), 9) for axis in places for end in _ends(axis[chosen]))]
            part: dict[str, Any] = {"x": numbers(self.x[chosen]), "y": numbers(self.y[chosen])}
            if self.colour is not None:
                part["c"] = numbers(self.colour[chosen])
            if self.epoch is not None:
                part["t"] = numbers(self.epoch[chosen].astype("datetime64[ns]").astype("i8") / 1e6)
            yield facts, json.dumps(part, allow_nan=False, separators=(",", ":")).encode()

    def _parts(self, places: Sequence[Reals]) -> Iterator[Int]:
        """Yield the indices of the points in each file."""
        count = self.x.size
        if self.shape == "area":
            yield np.arange(count)
        elif self.shape == "line":
            for first in range(0, count, SIZE):
                part = np.arange(max(0, first - 1), min(count, first + SIZE))
                if np.isfinite(self.y[part]).any():
                    yield part
        else:
            columns = max(1, round(np.sqrt(count / SIZE)))
            for column in np.array_split(np.argsort(places[0], kind="stable"), columns):
                rows = column[np.argsort(places[1][column], kind="stable")]
                # In the order of time: a later point covers an earlier one.
                yield from (np.sort(part) for part in np.array_split(rows, -(-rows.size // SIZE)))


def points_panel(
    members: Sequence[FullPoints], first: int, shown: list[str]
) -> tuple[dict[str, Any], list[bytes]]:
    """Return what the page must know of a panel, and its files.

    Parameters
    ----------
    members : sequence of FullPoints
        The traces of the panel.
    first : int
        Number of its first file.
    shown : list of str
        How much of each label the figure shows.
    """
    files: list[bytes] = []
    points = []
    for full in members:
        parts = []
        for facts, content in full.files():
            parts.append([first + len(files), *facts])
            files.append(content)
        points.append({"uid": full.uid, "shape": full.shape, "counts": full.given > 0, "parts": parts})
    return {"traces": [], "points": points, "shown": shown}, files


def _on_axis(values: Reals, log: bool) -> Reals:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.log10(values) if log else values


def _ends(values: Reals) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return float(finite.min()), float(finite.max())
