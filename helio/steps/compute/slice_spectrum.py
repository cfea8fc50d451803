"""One bin of a spectrum, or several bins."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.bins import BinSet, bin_sets, centres_of, place_of
from helio.steps.compute.columns import without_copy
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Axis, Table


@tool(
    version=2,
    context=RECORD,
    needs=(("at", "between"),),
    gives=Result(like="spectrum", kind="scalar|spectrum", by={"between": {"given": Result(kind="spectrum")}}),
    synonyms="spectrum_slice energy_slice pitch_angle_slice take_bin",
)
def slice_spectrum(
    spectrum: Annotated[Table, Quantity(kind="spectrum")],
    *,
    at: float | None = None,
    between: tuple[float, float] | None = None,
    axis: str = "",
) -> Table:
    """Take the bin of a spectrum nearest to an energy, frequency or angle, or all bins in a range, unchanged.

    Parameters
    ----------
    spectrum : Table, shape (n, b) or (n, b1, b2)
        Any unit; bins fixed or changing from record to record.
    at : float, optional
        Value in the unit of the axis: takes the bin with the nearest centre (with the nearest logarithm on a
        logarithmic axis).
    between : (low, high), optional
        Range in the unit of the axis: takes all bins with centres in [low, high). Give either `at` or `between`.
    axis : str
        Label of the axis, in any case; it may be left out for a spectrum with one axis.

    Returns
    -------
    Table, shape (n,) or (n, b2) with `at`; (n, c) or (n, c, b2) with `between`
        Values, unit and the other axis are unchanged; nothing is averaged or interpolated. With `at` the axis is
        removed, and name and description give the bin: ``flux at 1.02 keV``. If bins change from record to record,
        the nearest bin of each record is taken; NaN where no bin of a record reaches `at`.

    Raises
    ------
    StepError
        When the axis does not exist, no bin lies in the range, or `at` lies outside all bins; when both or neither
        of `at` and `between` is given; when the number of bins in the range changes from record to record.

    References
    ----------
    ISTP Metadata Guidelines, DEPEND_1 and SCALETYP: the centres of bins, and whether their distance is that of
    logarithms. https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html

    Examples
    --------
    The bin from 2 to 4 keV, then it and the one before:

    >>> from helio.steps.examples import energies, spectrum
    >>> flux = spectrum([[16.0, 4.0, 1.0], [8.0, 2.0, 0.5]], energies([1.0, 2.0, 4.0, 8.0]))
    >>> slice_spectrum(flux, at=3.0).values
    array([4., 2.])
    >>> slice_spectrum(flux, between=(1.0, 4.0)).values
    array([[16.,  4.],
           [ 8.,  2.]])
    """
    if (at is None) == (between is None):
        raise StepError(
            "either 'at' or 'between' must be given, and not both",
            advice="write at: 1.0, or between: [1.0, 10.0]",
        )
    index = place_of(spectrum, axis)
    chosen = spectrum.axes[index]
    sets = bin_sets(chosen, len(spectrum))
    flat = np.moveaxis(spectrum.values, 1 + index, -1)
    if at is not None:
        return _nearest_bin(spectrum, flat, index, sets, at)
    assert between is not None
    return _bins_in_range(spectrum, flat, index, sets, between)


def _nearest_bin(
    spectrum: Table, flat: npt.NDArray[np.floating], index: int, sets: list[BinSet], at: float
) -> Table:
    """Return the values of the bin nearest to a position, for each record."""
    chosen = spectrum.axes[index]
    values = np.full(flat.shape[:-1], np.nan, dtype=flat.dtype)
    centers = []
    for bins in sets:
        reaches = (
            (np.nanmin(bins.lower) <= at <= np.nanmax(bins.upper))
            if np.isfinite(bins.centers).any()
            else False
        )
        if not reaches:
            continue
        if chosen.scale == "log" and at > 0 and np.nanmin(bins.centers) > 0:
            distance = np.abs(np.log(bins.centers / at))
        else:
            distance = np.abs(bins.centers - at)
        nearest = int(np.nanargmin(distance))
        values[bins.records] = flat[bins.records][..., nearest]
        centers.append(float(bins.centers[nearest]))
    if not centers:
        raise StepError(
            f"{at:g} {chosen.unit} is outside all bins of '{chosen.label}'",
            advice=f"choose a value within the bins; the centres of the bins are {centres_of(sets)}",
        )
    unit = f" {chosen.unit}" if chosen.unit else ""
    low, high = (f"{float(f'{center:.4g}'):.12g}" for center in (min(centers), max(centers)))
    taken = f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
    provenance = f"bin of {chosen.label or 'the axis'} at {taken}, nearest to {at:g}{unit}"
    return replace(
        spectrum,
        values=values,
        axes=tuple(other for number, other in enumerate(spectrum.axes) if number != index),
        name=f"{spectrum.name} at {taken}".strip(),
        description=f"{spectrum.description}, {provenance}" if spectrum.description else provenance,
        notes=(*spectrum.notes, provenance),
    )


def _bins_in_range(
    spectrum: Table,
    flat: npt.NDArray[np.floating],
    index: int,
    sets: list[BinSet],
    between: tuple[float, float],
) -> Table:
    """Return the values of all bins whose centres lie in a range."""
    chosen, (low, high) = spectrum.axes[index], between
    inside = [bins.within(low, high) for bins in sets]
    counts = {columns_inside.size for columns_inside in inside}
    if max(counts) == 0 or len(counts) > 1:
        what = (
            f"no bin of '{chosen.label}' has its centre"
            if max(counts) == 0
            else f"{min(counts)} to {max(counts)} bins of '{chosen.label}', depending on the record, have their centre"
        )
        raise StepError(
            f"{what} between {low:g} and {high:g} {chosen.unit}".rstrip(),
            advice=f"choose another range; the centres of the bins are {centres_of(sets)}",
        )
    [count] = counts
    values = np.empty((*flat.shape[:-1], count), dtype=flat.dtype)
    parts = {name: np.empty((*part.shape[:-1], count)) for name, part in chosen.parts.items()}
    for bins, columns in zip(sets, inside, strict=True):
        values[bins.records] = flat[bins.records][..., without_copy(columns)]
        for name, part in chosen.parts.items():
            if chosen.per_record:
                parts[name][bins.records] = part[bins.records][:, columns]
            else:
                parts[name][:] = part[columns]
    axes = list(spectrum.axes)
    axes[index] = Axis(chosen.label, chosen.unit, scale=chosen.scale, **parts)
    provenance = f"{chosen.label or 'bins'} {low:g} to {high:g} {chosen.unit}".rstrip()
    return replace(
        spectrum,
        values=np.ascontiguousarray(np.moveaxis(values, -1, 1 + index)),
        axes=tuple(axes),
        description=f"{spectrum.description}, {provenance}" if spectrum.description else provenance,
    )
