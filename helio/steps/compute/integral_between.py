"""A spectrum integrated between limits that change from record to record."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import StepError, UnitMismatch
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_products import unit_product
from helio.knowledge.unit_spelling import canonical_unit
from helio.steps.compute.band_integral import per_axis_unit
from helio.steps.compute.bins import bin_sets
from helio.steps.compute.cartesian import Values
from helio.steps.compute.derived import on_one_clock
from helio.steps.compute.shares import share
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Axis, Table, merge_sources


@tool(
    version=1,
    context=RECORD,
    needs=(("lower_label", "low"), ("upper_label", "high")),
    gives=Result(
        frame="", unit="?", kind="scalar"
    ),  # the density times the axis, whose unit is not known before the run
    synonyms="chorus_power hiss_power wave_power band_power_between integrate_between",
)
def integral_between(
    spectrum: Annotated[Table, Quantity(kind="spectrum")],
    lower: Annotated[Table, Quantity(kind="scalar")] | None = None,
    upper: Annotated[Table, Quantity(kind="scalar")] | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Table:
    """Integrate a spectrum between two limits that may change with time: the wave power from 0.1 to 0.5 f_ce.

    Parameters
    ----------
    spectrum : Table, shape (n, b)
        A density per unit of its axis: ``nT^2/Hz`` over Hz; bins fixed or changing from record to record.
    lower, upper : Table, shape (n,)
        Limits of the band, in the unit of the axis, on the same epochs.
    low, high : float
        Limits of the band as numbers, in the unit of the axis. For each limit, give either the table or the number.

    Returns
    -------
    Table, shape (n,)
        float64, ``sum(j_i Δ_i)`` with Δ_i the width of bin i inside the band, in the unit of the spectrum times that of
        the axis: ``nT^2``. NaN where a limit or a bin of the band is missing, where the band is empty, and where
        the bins do not cover all of it, because the integral would be too small; a note says how often.

    Raises
    ------
    UnitMismatch
        When the spectrum is not a density per unit of the axis, or a limit is in another unit than the axis.
    StepError
        When the spectrum has two axes, or a limit is given twice or not at all.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Bendat & Piersol, Random Data, ch. 5.2: the area below a spectral density is a mean square. Lower-band chorus, from
    0.1 to 0.5 f_ce, and upper-band chorus, to 0.8 f_ce: Li et al., Geophys. Res. Lett. 38, L14103 (2011).

    Examples
    --------
    A band that rises: 16 in a bin of 1 keV, then 4 in a bin of 2 keV:

    >>> from helio.steps.examples import energies, series, spectrum
    >>> flux = spectrum([[16.0, 4.0, 1.0], [16.0, 4.0, 1.0]], energies([1.0, 2.0, 4.0, 8.0]))
    >>> lower, upper = series([1.0, 2.0], "keV"), series([2.0, 4.0], "keV")
    >>> integral_between(flux, lower, upper).values
    array([16.,  8.])
    """
    inputs = on_one_clock(spectrum, lower, upper)
    if len(spectrum.axes) != 1:
        raise StepError(
            f"'{spectrum.name}' has two axes, but only a spectrum with one axis is integrated between limits",
            advice="first use slice_spectrum or pitch_angle_average",
        )
    [axis] = spectrum.axes
    starts = _limit(lower, low, "lower", "low", axis, len(spectrum))
    ends = _limit(upper, high, "upper", "high", axis, len(spectrum))
    per, factor = per_axis_unit(spectrum.name, spectrum.unit, axis.unit)
    values = np.full(len(spectrum), np.nan)
    uncovered = 0
    for bins in bin_sets(axis, len(spectrum)) if len(spectrum) else ():
        first, last = starts[bins.records, np.newaxis], ends[bins.records, np.newaxis]
        widths = np.minimum(bins.upper, last) - np.maximum(bins.lower, first)
        widths[~(widths > 0)] = 0.0
        # A bin outside the band may be missing.
        parts = np.where(widths > 0, spectrum.values[bins.records] * widths, 0.0)
        length = (last - first)[:, 0]
        with np.errstate(invalid="ignore"):
            # Limits may lie on the edges of bins, to the last digits.
            covered = widths.sum(axis=1) >= length * (1 - 1e-9)
            band = length > 0
        uncovered += int(np.count_nonzero(band & ~covered))
        values[bins.records] = np.where(band & covered, parts.sum(axis=1) * factor, np.nan)
    notes = tuple(dict.fromkeys(note for table in inputs for note in table.notes))
    if uncovered:
        notes = (
            *notes,
            f"the bins do not cover the band: {share(uncovered, len(spectrum), 'records')} set to missing",
        )
    words = (
        f"integral over {axis.label or 'bins'} from {_words(lower, low, axis)} to {_words(upper, high, axis)}"
    )
    name = spectrum.name
    if per and comparable(per, "Hz") and name.startswith("PSD "):
        name = f"power {name.removeprefix('PSD ')}"  # a density no longer
    return replace(
        spectrum,
        values=values,
        axes=(),
        name=name,
        unit=unit_product((spectrum.unit, 1), (per, 1)) if spectrum.unit and per else "",
        description=f"{spectrum.description}, {words}" if spectrum.description else words,
        sources=merge_sources(inputs),
        notes=notes,
    )


def _limit(
    table: Table | None, number: float | None, argument: str, name: str, axis: Axis, records: int
) -> Values:
    """Return the limit of each record, as float64 of shape (n,).

    Raises
    ------
    StepError, UnitMismatch
        When it is given twice or not at all, or is in another unit than the axis.
    """
    if (table is None) == (number is None):
        raise StepError(
            f"the {argument} limit is {'missing' if table is None else 'given twice'}",
            advice=f"give either {argument}_label or {name}",
        )
    if table is None:
        return np.full(records, number, dtype=np.float64)
    if canonical_unit(table.unit) != canonical_unit(axis.unit):
        raise UnitMismatch(
            f"the {argument} limit '{table.name}' is in {table.unit or 'no unit'}, but the axis '{axis.label}' is in "
            f"{axis.unit or 'no unit'}",
            advice="first use convert_units",
        )
    return table.values.astype(np.float64)


def _words(table: Table | None, number: float | None, axis: Axis) -> str:
    return f"{number:g} {axis.unit}".rstrip() if table is None else table.name or "a series"
