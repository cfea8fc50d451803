"""A spectrum averaged over bands of energy, frequency or angle."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.bins import bin_sets, centres_of, edges_in_words, place_of
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=2,
    context=RECORD,
    gives=Result(like="spectrum", kind="vector|spectrum", by={"bands": {"several": Result(kind="vector")}}),
    synonyms="energy_band_average average_bands band_mean",
)
def band_average(
    spectrum: Annotated[Table, Quantity(kind="spectrum")], *, bands: list[tuple[float, float]], axis: str = ""
) -> Table:
    """Average a spectrum over bands of its bins.

    Parameters
    ----------
    spectrum : Table, shape (n, b) or (n, b1, b2)
        An intensity, or any quantity given per bin, in any unit; bins fixed or changing from record to
        record.
    bands : list of (low, high)
        Bands in the unit of the axis. A bin belongs to a band when its centre lies in [low, high).
    axis : str
        Label of the axis to average over, in any case; it may be left out for a spectrum with one axis.

    Returns
    -------
    Table, shape (n, len(bands)), or (n, b) for a spectrum with two axes and one band
        float64, in the unit of the spectrum. The mean weighted by the width of the bins,
        ``sum(j_i w_i) / sum(w_i)``, over bins that are not NaN. NaN where all bins of the band are NaN, or where the
        record has no bin in the band. Components are named after the edges that the bins cover: ``13.6–20.8 MeV``.

    Raises
    ------
    StepError
        When the axis does not exist, a band holds no bin, or several bands are given for a spectrum with two
        axes.

    Notes
    -----
    The file gives the edges of the bins. If it gives none, an edge is midway between neighbouring
    centres (between their logarithms on a logarithmic axis), and the outermost bins are symmetric about their
    centres. Bins of angles are weighted by their width in angle, not by solid angle.

    References
    ----------
    ISTP Metadata Guidelines, DELTA_PLUS_VAR and DELTA_MINUS_VAR: the edges of bins.
    https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html

    Examples
    --------
    Weighted by the widths of the bins, 1 and 2 keV:

    >>> from helio.steps.examples import energies, spectrum
    >>> flux = spectrum([[16.0, 4.0, 1.0]], energies([1.0, 2.0, 4.0, 8.0]))
    >>> made = band_average(flux, bands=[(1.0, 4.0)])
    >>> made.values, made.components
    (array([[8.]]), ('1–4 keV',))
    """
    index = place_of(spectrum, axis)
    chosen = spectrum.axes[index]
    if not bands:
        raise StepError(
            "'bands' is an empty list", advice="write bands: [[low, high], …] in the unit of the axis"
        )
    for low, high in bands:
        if not low < high:
            raise StepError(f"the band {low:g} to {high:g} is empty", advice="write the lower edge first")
    others = tuple(other for number, other in enumerate(spectrum.axes) if number != index)
    if others and len(bands) != 1:
        raise StepError(
            f"'bands' has {len(bands)} bands, but a spectrum with two axes is averaged over one band at a "
            "time",
            advice="use one step for each band",
        )
    sets = bin_sets(chosen, len(spectrum))
    flat = np.moveaxis(spectrum.values, 1 + index, -1)
    values = np.full((*flat.shape[:-1], len(bands)), np.nan)
    names = []
    for number, (low, high) in enumerate(bands):
        lowest, highest = np.inf, -np.inf
        for bins in sets:
            inside = bins.within(low, high)
            if not inside.size:
                continue
            widths = bins.upper[inside] - bins.lower[inside]
            values[bins.records, ..., number] = _weighted_mean(
                flat[bins.records][..., inside].astype(np.float64, copy=False), widths
            )
            lowest = min(lowest, float(bins.lower[inside].min()))
            highest = max(highest, float(bins.upper[inside].max()))
        if lowest > highest:
            raise StepError(
                f"no bin of '{chosen.label}' has its centre between {low:g} and {high:g} {chosen.unit}".rstrip(),
                advice=f"choose a band that contains the centre of a bin; the centres are {centres_of(sets)}",
            )
        names.append(edges_in_words(lowest, highest, chosen.unit))
    if len(set(names)) != len(names):
        raise StepError(
            f"two bands cover the same bins: {', '.join(names)}",
            advice=f"choose bands with different bins; the centres of the bins are {centres_of(sets)}",
        )
    over = f"mean over {chosen.label or 'bins'} {', '.join(names)}"
    description = f"{spectrum.description}, {over}" if spectrum.description else over
    if others:
        return replace(spectrum, values=values[..., 0], axes=others, description=description)
    return replace(
        spectrum,
        values=values,
        axes=(),
        components=tuple(names),
        stated_representation="none",
        description=description,
    )


def _weighted_mean(
    values: npt.NDArray[np.float64], widths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Compute the weighted mean over the last axis; missing values do not count. `values` is overwritten."""
    weights = widths if np.all(np.isfinite(widths)) and np.all(widths > 0) else np.ones_like(widths)
    missing = np.isnan(values)
    total = np.where(missing, 0.0, weights).sum(axis=-1)
    values *= weights
    values[missing] = 0.0
    sums = values.sum(axis=-1)
    mean = np.full(total.shape, np.nan)
    np.divide(sums, total, out=mean, where=total > 0)
    return mean
