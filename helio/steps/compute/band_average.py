"""A spectrum averaged over bands of energy, frequency or angle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.tool import tool
from helio.store.table import Axis, Floats, Table


@dataclass(frozen=True)
class _Bins:
    """One set of bins, and the records that have it."""

    records: npt.NDArray[np.int64]
    centers: npt.NDArray[np.float64]
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

    def within(self, low: float, high: float) -> npt.NDArray[np.int64]:
        """Bins whose centre lies in [low, high)."""
        return np.flatnonzero((self.centers >= low) & (self.centers < high))


@tool(version=1)
def band_average(spectrum: Table, *, bands: list[tuple[float, float]], axis: str = "") -> Table:
    """Mean of a spectrum over bands of its bins.

    Parameters
    ----------
    spectrum : Table, shape (n, b) or (n, b1, b2)
        An intensity, or any quantity given per bin, in any unit; bins fixed or changing from record to
        record.
    bands : list of (low, high)
        In the unit of the axis. A bin belongs to a band when its centre lies in [low, high).
    axis : str
        Label of the axis to average over, whatever its case; it may be left out for a spectrum with one axis.

    Returns
    -------
    Table, shape (n, len(bands)), or (n, b) for a spectrum with two axes and one band
        float64, in the unit of the spectrum. The mean weighted by the width of the bins,
        ``sum(j_i w_i) / sum(w_i)``, over bins that are not NaN; NaN where all are, or where the record has
        no bin in the band. Components are named after the edges really covered: ``13.6–20.8 MeV``.

    Raises
    ------
    StepError
        When the axis is not there, a band holds no bin, or several bands are asked of a spectrum with two
        axes.

    Notes
    -----
    Edges are those of the file. Where it gives none they lie midway between neighbouring centres, in the
    logarithm for a logarithmic axis, and the outermost bins are as wide as their inner half says. The bins
    of an axis of angles are weighted by their width in angle, not by solid angle.
    """
    place = _place(spectrum, axis)
    chosen = spectrum.axes[place]
    if not bands:
        raise StepError("no band is given", advice="bands: [[low, high], …] in the unit of the axis")
    for low, high in bands:
        if not low < high:
            raise StepError(f"the band {low:g} to {high:g} is empty", advice="write the lower edge first")
    others = tuple(one for number, one in enumerate(spectrum.axes) if number != place)
    if others and len(bands) != 1:
        raise StepError(
            f"a spectrum with two axes is averaged over one band at a time, and {len(bands)} are given",
            advice="use one step for each band",
        )
    sets = _bin_sets(chosen, len(spectrum))
    flat = np.moveaxis(spectrum.values, 1 + place, -1).astype(np.float64)
    values = np.full((*flat.shape[:-1], len(bands)), np.nan)
    names = []
    for number, (low, high) in enumerate(bands):
        lowest, highest = np.inf, -np.inf
        for bins in sets:
            inside = bins.within(low, high)
            if not inside.size:
                continue
            widths = bins.upper[inside] - bins.lower[inside]
            values[bins.records, ..., number] = _weighted_mean(flat[bins.records][..., inside], widths)
            lowest = min(lowest, float(bins.lower[inside].min()))
            highest = max(highest, float(bins.upper[inside].max()))
        if lowest > highest:
            raise StepError(
                f"no bin of '{chosen.label}' has its centre in {low:g} to {high:g} {chosen.unit}".rstrip(),
                advice=f"centres: {_centres(sets)}",
            )
        names.append(f"{lowest:.4g}–{highest:.4g} {chosen.unit}".rstrip())
    if len(set(names)) != len(names):
        raise StepError(
            f"two bands cover the same bins: {', '.join(names)}", advice=f"centres: {_centres(sets)}"
        )
    over = f"mean over {chosen.label or 'bins'} {', '.join(names)}"
    description = f"{spectrum.description}, {over}" if spectrum.description else over
    if others:
        return replace(spectrum, values=values[..., 0], axes=others, description=description)
    return replace(spectrum, values=values, axes=(), components=tuple(names), description=description)


def _place(spectrum: Table, label: str) -> int:
    labels = [one.label for one in spectrum.axes]
    if not labels:
        raise StepError(f"'{spectrum.name}' is a {spectrum.kind}, it has no bins to average over")
    if not label and len(labels) == 1:
        return 0
    places = [place for place, one in enumerate(labels) if one.casefold() == label.casefold()]
    if len(places) != 1:
        what = f"'{label}' does not name one axis" if label else "axis must say which axis to average over"
        raise StepError(what, advice=f"axes: {', '.join(labels)}")
    return places[0]


def _bin_sets(axis: Axis, records: int) -> list[_Bins]:
    """The different sets of bins, each with its records: two for energy tables that alternate."""
    if not axis.per_record:
        return [_bins(axis, axis.centers, axis.lower, axis.upper, np.arange(records))]
    parts = [part for part in (axis.centers, axis.lower, axis.upper) if part is not None]
    rows = np.ascontiguousarray(np.concatenate([part.astype(np.float64) for part in parts], axis=1))
    # Rows are compared as bytes, for which NaN equals itself.
    as_bytes = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).reshape(-1)
    _, example, which = np.unique(as_bytes, return_index=True, return_inverse=True)
    grouped = np.split(
        np.argsort(which, kind="stable"), np.cumsum(np.bincount(which, minlength=example.size))[:-1]
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
    axis: Axis, centers: Floats, lower: Floats | None, upper: Floats | None, records: npt.NDArray[np.int64]
) -> _Bins:
    middle = centers.astype(np.float64)
    if lower is not None and upper is not None:
        edges = lower.astype(np.float64), upper.astype(np.float64)
    else:
        edges = _edges(middle, logarithmic=axis.scale == "log")
    return _Bins(records, middle, np.minimum(*edges), np.maximum(*edges))


def _edges(
    centers: npt.NDArray[np.float64], *, logarithmic: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Edges midway between neighbouring centres, in the logarithm where the axis has one."""
    known = np.isfinite(centers)
    ordered, where = np.unique(centers[known], return_inverse=True)
    lower, upper = centers.copy(), centers.copy()
    if ordered.size < 2:  # a lone bin has no width; any will do as its weight
        return lower, upper
    logarithmic = logarithmic and bool(ordered[0] > 0)
    scale = np.log(ordered) if logarithmic else ordered
    inner = (scale[1:] + scale[:-1]) / 2
    bounds = np.concatenate([[2 * scale[0] - inner[0]], inner, [2 * scale[-1] - inner[-1]]])
    if logarithmic:
        bounds = np.exp(bounds)
    lower[known], upper[known] = bounds[:-1][where], bounds[1:][where]
    return lower, upper


def _weighted_mean(
    values: npt.NDArray[np.float64], widths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Over the last axis, leaving out NaN."""
    weights = widths if np.all(np.isfinite(widths)) and np.all(widths > 0) else np.ones_like(widths)
    valid = ~np.isnan(values)
    total = (valid * weights).sum(axis=-1)
    sums = (np.where(valid, values, 0.0) * weights).sum(axis=-1)
    mean = np.full(total.shape, np.nan)
    np.divide(sums, total, out=mean, where=total > 0)
    return mean


def _centres(sets: list[_Bins]) -> str:
    every = np.unique(np.concatenate([bins.centers for bins in sets]))
    shown = [f"{center:.4g}" for center in every[np.isfinite(every)][:40]]
    return ", ".join(shown) + (" …" if every.size > 40 else "")
