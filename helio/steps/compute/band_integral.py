"""A spectrum integrated over bands of its bins."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import StepError, UnitMismatch
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_products import unit_product
from helio.knowledge.unit_spelling import canonical_unit, unit_factors
from helio.steps.compute.bins import bin_sets, centres_of, edges_in_words, place_of
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=4,
    context=RECORD,
    gives=Result(
        like="spectrum",
        unit="?",  # that of the density times that of its axis, which is not known before the run
        kind="?",
        by={"bands": {"one": Result(kind="scalar|spectrum"), "several": Result(kind="vector")}},
    ),
    synonyms="band_power energy_integral integrate_band energy_band_integral integrate_bands",
)
def band_integral(
    spectrum: Annotated[Table, Quantity(kind="spectrum")], *, bands: list[tuple[float, float]], axis: str = ""
) -> Table:
    """Integrate a spectrum over bands: the power of a frequency band, the flux of an energy band.

    Parameters
    ----------
    spectrum : Table, shape (n, b) or (n, b1, b2)
        A density per unit of the axis: ``nT^2/Hz`` over Hz, ``cm^-2 s^-1 sr^-1 keV^-1`` over keV or eV; bins fixed or
        changing from record to record.
    bands : list of (low, high)
        Bands in the unit of the axis. A bin counts with the part of its width that lies in [low, high).
    axis : str
        Label of the axis to integrate over, in any case; it may be left out for a spectrum with one axis.

    Returns
    -------
    Table, shape (n, len(bands)); (n,) for one band; (n, b) for a spectrum with two axes and one band
        float64, ``sum(j_i Δ_i)`` with Δ_i the width of bin i inside the band, in the unit of the spectrum times that of
        the axis: ``nT^2``, ``cm^-2 s^-1 sr^-1``; an axis in eV under a density per keV is converted. NaN where a
        bin of the band is NaN, because an integral over fewer bins would be too small, and where the record has no bin
        in the band. Named after the part of the band that the bins cover: ``0.01–0.1 Hz``.

    Raises
    ------
    UnitMismatch
        When the spectrum is not a density per unit of the axis: counts/s over keV, or an intensity per sr over pitch
        angles, which must be weighted by solid angle.
    StepError
        When the axis does not exist, a band holds no part of a bin, the bins have no width, or several bands are given
        for a spectrum with two axes.

    Notes
    -----
    The file gives the edges of the bins. If it gives none, an edge is midway between neighbouring
    centres (between their logarithms on a logarithmic axis). The density is taken as constant within a bin. If bins
    overlap, their common part counts twice. The result has a unit only if both the spectrum and the axis have one.

    References
    ----------
    Bendat & Piersol, Random Data, ch. 5.2: the area below a spectral density is a mean square. Intensities: Walt, M.
    (1994), Introduction to Geomagnetically Trapped Radiation, ch. 4.

    Examples
    --------
    16 in a bin of 1 keV and 4 in one of 2 keV:

    >>> from helio.steps.examples import energies, spectrum
    >>> flux = spectrum([[16.0, 4.0, 1.0]], energies([1.0, 2.0, 4.0, 8.0]))
    >>> made = band_integral(flux, bands=[(1.0, 4.0)])
    >>> made.values, made.unit
    (array([24.]), 'cm^-2 s^-1 sr^-1')
    """
    index = place_of(spectrum, axis)
    chosen = spectrum.axes[index]
    others = tuple(other for number, other in enumerate(spectrum.axes) if number != index)
    if not bands or (others and len(bands) != 1):
        raise StepError(
            "'bands' is an empty list"
            if not bands
            else f"'bands' has {len(bands)} bands, but a spectrum with two axes is integrated over one band at a time",
            advice="write bands: [[low, high]] in the unit of the axis",
        )
    per, factor = per_axis_unit(spectrum.name, spectrum.unit, chosen.unit)
    sets = bin_sets(chosen, len(spectrum))
    flat = np.moveaxis(spectrum.values, 1 + index, -1)
    values = np.full((*flat.shape[:-1], len(bands)), np.nan)
    names = []
    for number, (low, high) in enumerate(bands):
        if not low < high:
            raise StepError(f"the band {low:g} to {high:g} is empty", advice="write the lower edge first")
        lowest, highest = np.inf, -np.inf
        for bins in sets:
            widths = np.minimum(bins.upper, high) - np.maximum(bins.lower, low)
            inside = np.flatnonzero(widths > 0)
            if not inside.size:
                continue
            part = flat[bins.records][..., inside].astype(np.float64, copy=False)
            part *= widths[inside] * factor
            values[bins.records, ..., number] = part.sum(axis=-1)
            lowest = min(lowest, max(low, float(bins.lower[inside].min())))
            highest = max(highest, min(high, float(bins.upper[inside].max())))
        if lowest > highest:
            raise StepError(
                f"no bin of '{chosen.label}' overlaps the band {low:g} to {high:g} {chosen.unit}".rstrip(),
                advice=f"choose a band that overlaps a bin; the centres of the bins are {centres_of(sets)}",
            )
        names.append(edges_in_words(lowest, highest, chosen.unit))
    if len(set(names)) != len(names):
        raise StepError(
            f"two bands cover the same bins: {', '.join(names)}",
            advice=f"choose bands with different bins; the centres of the bins are {centres_of(sets)}",
        )
    over = f"integral over {chosen.label or 'bins'} {', '.join(names)}"
    name = spectrum.name
    if per and comparable(per, "Hz") and name.startswith("PSD "):
        name = f"power {name.removeprefix('PSD ')}"  # a density no longer
    taken = f"'{chosen.label}' in {chosen.unit} is read as energy per nucleon, because '{spectrum.name}' is per nucleon"
    per_nucleon = per.endswith("/n") and not canonical_unit(chosen.unit).endswith("/n")
    described = replace(
        spectrum,
        notes=(*spectrum.notes, taken) if per_nucleon else spectrum.notes,
        name=name,
        unit=unit_product((spectrum.unit, 1), (per, 1)) if spectrum.unit and per else "",
        description=f"{spectrum.description}, {over}" if spectrum.description else over,
    )
    if others:
        return replace(described, values=values[..., 0], axes=others)
    if len(names) == 1:
        return replace(described, values=values[:, 0], axes=(), name=f"{name} {names[0]}".strip())
    return replace(described, values=values, axes=(), components=tuple(names), stated_representation="none")


def per_axis_unit(name: str, unit: str, axis_unit: str) -> tuple[str, float]:
    """Return the unit of the axis in the denominator of a density, and the factor from the axis's unit to this unit.

    Raises
    ------
    UnitMismatch
        When both units are known and there is none: counts/s over keV.
    """
    below = [name for name, power in unit_factors(unit) or () if power < 0]
    for symbol in below:
        if symbol == canonical_unit(axis_unit):
            return symbol, 1.0
    for symbol in reversed(below):  # energies and frequencies stand after lengths and times
        if axis_unit and comparable(symbol, axis_unit):
            return symbol, conversion_factor(axis_unit, symbol)
    for (
        symbol
    ) in below:  # STEREO HET: a flux per MeV/nucleon over energies in MeV, which are meant per nucleon
        if axis_unit and symbol.endswith("/n") and comparable(symbol.removesuffix("/n"), axis_unit):
            return symbol, conversion_factor(axis_unit, symbol.removesuffix("/n"))
    if unit and axis_unit and unit_factors(unit) is not None:
        around = "sr" in below and comparable(axis_unit, "deg")
        raise UnitMismatch(
            f"'{name}' is in {unit}, but an integral over the axis needs a unit per {axis_unit}",
            advice="use pitch_angle_average, which weights each bin by its solid angle"
            if around
            else "use band_average to compute the mean over the band",
        )
    return axis_unit, 1.0
