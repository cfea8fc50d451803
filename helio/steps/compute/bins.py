"""Work with the bins of a spectrum: find their axis, group records with equal bins, and compute bin edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_algebra import comparable
from helio.store.table import Axis, Floats, Table


@dataclass(frozen=True)
class BinSet:
    """A set of bins (centres and edges), and the records that have these bins."""

    records: npt.NDArray[np.int64] | slice
    centers: npt.NDArray[np.float64]
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

    def within(self, low: float, high: float) -> npt.NDArray[np.int64]:
        """Return the indices of the bins whose centres lie in [low, high)."""
        return np.flatnonzero((self.centers >= low) & (self.centers < high))


_UNITS_OF_AXES = {"energy": "eV", "pitch angle": "deg"}


def place_of(spectrum: Table, label: str) -> int:
    """Return the index of the axis with this label, ignoring case; without a label, the index of the only axis.

    ``energy`` and ``pitch angle`` also mean the only axis in a unit of energy, or in degrees.

    Raises
    ------
    StepError
        When the table has no axis with this label, or no axis at all.
    """
    labels = [axis.label for axis in spectrum.axes]
    if not labels:
        raise StepError(f"'{spectrum.name}' is a {spectrum.kind}, so it has no bins")
    if not label and len(labels) == 1:
        return 0
    places = [index for index, name in enumerate(labels) if name.casefold() == label.casefold()]
    unit = _UNITS_OF_AXES.get(label.casefold())
    if not places and unit:
        places = [index for index, axis in enumerate(spectrum.axes) if comparable(axis.unit, unit)]
    if len(places) != 1:
        what = (
            f"'{label}' does not name exactly one axis"
            if label
            else f"'{spectrum.name}' has {len(labels)} axes, and 'axis' does not say which one to use"
        )
        raise StepError(what, advice=f"choose one of the axes: {', '.join(labels)}")
    return places[0]


def hold_bins(table: Table, *, purpose: str) -> None:
    """Refuse a table whose bins change from record to record.

    Raises
    ------
    StepError
        When the bins change: values of different bins have no common mean, median or difference.
    """
    for axis in table.axes:
        for bins in axis.parts.values():
            if axis.per_record and not np.array_equal(
                bins, np.broadcast_to(bins[:1], bins.shape), equal_nan=True
            ):
                raise StepError(
                    f"the bins of '{axis.label}' change from record to record, so they cannot be {purpose}",
                    advice="average over fixed bands first, with band_average",
                )


def bin_sets(axis: Axis, records: int) -> list[BinSet]:
    """Group records by their bins: an instrument that alternates between two energy tables gives two groups.

    Raises
    ------
    StepError
        When the bins change from record to record and the table has no records.
    """
    if not axis.per_record:
        return [_bins(axis, axis.centers, axis.lower, axis.upper, slice(None))]
    if not records:
        raise StepError(
            f"there are no records, so the bins of '{axis.label}' are unknown: they can change from record to record",
            advice="choose a time range with data",
        )
    parts = [part for part in (axis.centers, axis.lower, axis.upper) if part is not None]
    rows = np.ascontiguousarray(np.concatenate([part.astype(np.float64) for part in parts], axis=1))
    # Rows are compared as bytes, for which NaN equals itself.
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).reshape(-1)
    _, example, set_of_record = np.unique(as_bytes, return_index=True, return_inverse=True)
    grouped = np.split(
        np.argsort(set_of_record, kind="stable"),
        np.cumsum(np.bincount(set_of_record, minlength=example.size))[:-1],
    )
    return [
        _bins(
            axis,
            axis.centers[record],
            None if axis.lower is None else axis.lower[record],
            None if axis.upper is None else axis.upper[record],
            group,
        )
        for record, group in zip(example, grouped, strict=True)
    ]


def _bins(
    axis: Axis,
    centers: Floats,
    lower: Floats | None,
    upper: Floats | None,
    records: npt.NDArray[np.int64] | slice,
) -> BinSet:
    middle = centers.astype(np.float64)
    if lower is not None and upper is not None:
        edges = lower.astype(np.float64), upper.astype(np.float64)
    else:
        edges = edges_between(middle, logarithmic=axis.scale == "log")
    return BinSet(records, middle, np.minimum(*edges), np.maximum(*edges))


def edges_between(
    centers: npt.NDArray[np.float64], *, logarithmic: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return edges midway between neighbouring centres; if the axis is logarithmic, midway between the logarithms.

    Parameters
    ----------
    centers : float64, shape (b,)
        In any order; a bin without a centre has no edges either.
    logarithmic : bool

    Returns
    -------
    lower, upper : float64, shape (b,)
        The outermost bins are symmetric about their centres; a single bin has no width.
    """
    known = np.isfinite(centers)
    ordered, where = np.unique(centers[known], return_inverse=True)
    lower, upper = centers.copy(), centers.copy()
    if ordered.size < 2:
        return lower, upper
    logarithmic = logarithmic and bool(ordered[0] > 0)
    scale = np.log(ordered) if logarithmic else ordered
    inner = (scale[1:] + scale[:-1]) / 2
    bounds = np.concatenate([[2 * scale[0] - inner[0]], inner, [2 * scale[-1] - inner[-1]]])
    if logarithmic:
        bounds = np.exp(bounds)
    lower[known], upper[known] = bounds[:-1][where], bounds[1:][where]
    return lower, upper


def edges_in_words(low: float, high: float, unit: str) -> str:
    """Write the edges of a band to four digits: ``13.6–20.8 MeV``, ``1000–50000 eV``."""
    return f"{float(f'{low:.4g}'):.12g}–{float(f'{high:.4g}'):.12g} {unit}".rstrip()


def centres_of(sets: list[BinSet]) -> str:
    """List the centres of the bins as text, the first forty at most."""
    every = np.unique(np.concatenate([bins.centers for bins in sets]))
    shown = [f"{center:.4g}" for center in every[np.isfinite(every)][:40]]
    return ", ".join(shown) + (" …" if every.size > 40 else "")
