"""A distribution averaged over pitch angles."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import StepError
from helio.sources.istp import is_flux
from helio.steps.compute.bins import bin_sets, centres_of, place_of
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Axis, Table


@tool(
    version=2,
    context=RECORD,
    gives=Result(like="spectrum", kind="scalar|spectrum"),
    synonyms="average_pitch_angles pitch_angle_mean average_over_pitch_angle",
)
def pitch_angle_average(
    spectrum: Annotated[Table, Quantity(kind="spectrum")],
    *,
    low: float = 0.0,
    high: float = 180.0,
    axis: str = "",
) -> Table:
    """Average over a range of pitch angles; the weight of a bin is the solid angle that it covers in the range.

    Parameters
    ----------
    spectrum : Table, shape (n, a), (n, b, a) or (n, a, b)
        An intensity per solid angle over pitch angles in deg, alone or with a second axis.
    low, high : float
        Limits in deg, within 0 to 180. Of a bin that crosses a limit, only the part between the limits counts.
    axis : str
        Label of the axis of pitch angles, in any case; it may be left out if only one axis is in deg, or is
        labelled as pitch angles. If the file gives no unit, an axis that reaches beyond 2π is in deg. Correct a
        wrong unit with `declare_quantity`.

    Returns
    -------
    Table, shape (n,), or (n, b) over the other axis
        float64, in the unit of the spectrum: ``sum(j_i Ω_i) / sum(Ω_i)`` with Ω_i = 2π (cos α_lower − cos α_upper) over
        the bins that are not NaN; NaN where all are. From 0 to 180 deg it is the omnidirectional mean; times 4π sr it
        would be the omnidirectional flux.

    Raises
    ------
    StepError
        When there is no axis in deg, the range is empty, or no bin lies in it.

    Notes
    -----
    The file gives the edges of the bins. If it gives none, an edge is midway between neighbouring
    centres. All edges are cut at 0 and 180 deg. Bins that are NaN are left out, as if they had the mean value of
    the others; a note says how much of the solid angle is missing.

    References
    ----------
    Walt, M. (1994), Introduction to Geomagnetically Trapped Radiation, ch. 4.

    Examples
    --------
    A beam along the field, within 60° a quarter of the sphere:

    >>> from helio.steps.examples import pitch_angles, spectrum
    >>> beam = spectrum([[8.0, 0.0]], pitch_angles([0.0, 60.0, 180.0]), "cm^-2 s^-1 sr^-1 keV^-1")
    >>> pitch_angle_average(beam).values.round(6)
    array([2.])
    """
    index = _place(spectrum, axis)
    chosen = spectrum.axes[index]
    if not 0 <= low < high <= 180:
        raise StepError(
            f"{low:g} to {high:g} deg is not a range of pitch angles",
            advice="choose 'low' less than 'high', both from 0 to 180",
        )
    flat = np.moveaxis(spectrum.values, 1 + index, -1)
    values = np.full(flat.shape[:-1], np.nan)
    sets = bin_sets(replace(chosen, scale="linear"), len(spectrum))
    seen, whole = 0.0, 0.0
    for bins in sets:
        lower, upper = np.clip(bins.lower, low, high), np.clip(bins.upper, low, high)
        weights = np.cos(np.radians(lower)) - np.cos(np.radians(upper))
        inside = np.flatnonzero(weights > 0)
        if not inside.size:
            continue
        part = flat[bins.records][..., inside].astype(np.float64)
        valid = ~np.isnan(part)
        total = (valid * weights[inside]).sum(axis=-1)
        mean = np.full(total.shape, np.nan)
        np.divide(
            (np.where(valid, part, 0.0) * weights[inside]).sum(axis=-1), total, out=mean, where=total > 0
        )
        values[bins.records] = mean
        seen, whole = seen + float(total.sum()), whole + float(weights[inside].sum()) * total.size
    if not whole:
        raise StepError(
            f"no bin of '{chosen.label}' overlaps the range {low:g} to {high:g} deg",
            advice=f"choose a range that overlaps a bin; the centres of the bins are {centres_of(sets)}",
        )
    provenance = f"mean over pitch angles {low:g} to {high:g} deg"
    missing = f"{provenance}: {100 * (1 - seen / whole):.3g} % of the solid angle is missing"
    return replace(
        spectrum,
        values=values,
        axes=tuple(other for number, other in enumerate(spectrum.axes) if number != index),
        description=f"{spectrum.description}, {provenance}" if spectrum.description else provenance,
        notes=(*spectrum.notes, *([missing] if seen < whole * (1 - 1e-9) else [])),
    )


def _place(spectrum: Table, axis: str) -> int:
    """Return the number of the pitch angle axis: the named axis, the only axis in deg, or an axis called "pitch"."""
    if axis:
        index = place_of(spectrum, axis)
        chosen = spectrum.axes[index]
        if not _in_degrees(chosen):
            raise StepError(
                f"'{chosen.label}' is in {chosen.unit or 'no unit'}, but pitch angles must be in deg",
                advice=_how_to_declare(chosen.label)
                if not chosen.unit or is_flux(chosen.unit)
                else "choose another axis",
            )
        return index
    places = [number for number, angle in enumerate(spectrum.axes) if angle.unit and _in_degrees(angle)]
    places = places or [
        number
        for number, angle in enumerate(spectrum.axes)
        if "pitch" in angle.label.casefold() and _in_degrees(angle)
    ]
    unclear = [unfit.label for unfit in spectrum.axes if not unfit.unit or is_flux(unfit.unit)]
    if len(places) != 1:
        raise StepError(
            f"'{spectrum.name}' has {len(places)} axes in deg: set 'axis' to the label of the "
            "axis that holds the pitch angles"
            if places
            else f"'{spectrum.name}' has no axis of pitch angles in deg",
            advice="choose a spectrum over pitch angles; this spectrum has the axes: "
            f"{', '.join(f'{angle.label} [{angle.unit}]' for angle in spectrum.axes) or 'none'}"
            + (f"; {_how_to_declare(unclear[0])}" if unclear and not places else ""),
        )
    return places[0]


def _how_to_declare(label: str) -> str:
    return (
        f"if '{label}' holds pitch angles in deg, declare its unit with the tool declare_quantity: "
        f'axis: "{label}", axis_unit: "deg"'
    )


def _in_degrees(axis: Axis) -> bool:
    """Return whether angles are in degrees; angles without a unit are in degrees if they exceed 2π."""
    if not axis.unit:
        return bool(np.nanmax(axis.centers) > 2 * np.pi and np.nanmax(axis.centers) <= 180)
    return axis.unit == "deg"
