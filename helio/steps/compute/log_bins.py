"""The bins of a spectrum averaged over equal steps of the logarithm, for fits of power laws."""

from __future__ import annotations

import numpy as np

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.bins import bin_sets, place_of
from helio.steps.compute.cartesian import Values
from helio.store.table import Table


def log_binned(
    spectrum: Table, axis: str, low: float, high: float, per_decade: int, fewest: int
) -> list[tuple[Values, Values, Values]]:
    """Average the logarithms of a spectrum over bins of equal width in log10 of the axis.

    Parameters
    ----------
    axis : str
        Label of the axis; it may be empty for the only one.
    low, high : float
        Range of the axis, in its unit: bins with centres in [low, high).
    per_decade : int
        Number of bins in a decade.
    fewest : int
        The smallest number of bins that a record may have in the range.

    Returns
    -------
    list of (all_centers, x, y), one for each record
        Centres of all bins of the axis; log10 of the mean centre and mean log10 of the values in each filled bin, of
        which there may be fewer than `fewest`.

    Raises
    ------
    StepError
        When the spectrum has more than one axis, the range is not one, or the axis has fewer than `fewest` bins in it.
    """
    if not (0 < low < high and np.isfinite(high)):
        raise StepError(
            f"{low:g} to {high:g} is not a range of a power law",
            advice="choose 'low' above zero and below 'high', in the unit of the axis",
        )
    if not 1 <= per_decade <= 1000:
        raise StepError(
            f"{per_decade} bins per decade are not possible", advice="choose a number from 1 to 1000"
        )
    place_of(spectrum, axis)
    if len(spectrum.axes) != 1:
        raise StepError(
            f"'{spectrum.name}' has {len(spectrum.axes)} axes, but a power law needs a spectrum over one",
            advice="first take one bin of the other axis, with slice_spectrum",
        )
    sets = bin_sets(spectrum.axes[0], len(spectrum))
    made: list[tuple[Values, Values, Values]] = [(np.empty(0), np.empty(0), np.empty(0))] * len(spectrum)
    most, centers = 0, spectrum.axes[0].centers
    for bins in sets:
        inside = bins.within(low, high)
        number = np.floor(np.log10(bins.centers[inside] / low) * per_decade).astype(np.int64)
        most = max(most, np.unique(number).size)
        for record in np.arange(len(spectrum))[bins.records]:
            made[record] = (
                bins.centers,
                *_averaged(bins.centers[inside], spectrum.values[record, inside], number),
            )
    if most < fewest:
        raise StepError(
            f"'{spectrum.axes[0].label}' has {number_of(most, 'filled step')} from {low:g} to {high:g} "
            f"{spectrum.axes[0].unit}, but the fit needs {fewest}",
            advice=f"choose a wider range within {np.nanmin(centers):.4g} to {np.nanmax(centers):.4g}, or more steps "
            "in a decade",
        )
    return made


def _averaged(centers: Values, values: Values, number: Values) -> tuple[Values, Values]:
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = np.log10(centers), np.log10(values.astype(np.float64))
    valid = np.isfinite(x) & np.isfinite(y)
    groups, member = np.unique(number[valid], return_inverse=True)
    counts = np.bincount(member, minlength=groups.size)
    return (
        np.bincount(member, x[valid], minlength=groups.size) / counts,
        np.bincount(member, y[valid], minlength=groups.size) / counts,
    )
