"""A series in another unit."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from helio.errors import StepError, UnitMismatch
from helio.knowledge.constants import BOLTZMANN, ELEMENTARY_CHARGE
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.periods import scaled_periods
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(like="series", unit="{to}"),
    synonyms="convert_unit unit_conversion change_units",
)
def convert_units(series: Table, *, to: str, equivalence: Literal["none", "thermal"] = "none") -> Table:
    """Express a series in another unit of the same dimension.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        A series with a known unit: ``nT``, ``cm^-3``, ``keV/(cm^2 s sr keV)``, ``R_E``.
    to : str
        The unit of the result, in any usual spelling.
    equivalence : "none" or "thermal"
        ``thermal`` converts an energy E to a temperature T with E = kT, and the reverse: eV to K, or K to eV. A
        temperature that is converted to K is still accepted, because the candidates of a fetch may be in eV and in K.

    Returns
    -------
    Table, shape of `series`
        float64, in the unit `to`; everything else is unchanged. The axes of a spectrum keep their units.

    Raises
    ------
    UnitMismatch
        When the two units measure different quantities: nT and km/s, but also eV and K without the equivalence, an
        intensity per steradian and a flux, counts/s and Hz.
    StepError
        When a unit is unknown, or is not a multiple of another unit: degC, dB.

    Notes
    -----
    R_E is 6371.2 km, R_Sun 695700 km, R_J 71492 km, AU 149597870.7 km; a year has 365.25 days. A
    dataset may use another R_E, such as 6378 km, and say so in its description; a note says which R_E helio used.

    References
    ----------
    `helio.knowledge.unit_algebra`, over pint.

    Examples
    --------
    A temperature in eV, and a distance in Earth radii:

    >>> from helio.steps.examples import series
    >>> convert_units(series([10.0], "eV", "T_p"), to="K", equivalence="thermal").values.round()
    array([116045.])
    >>> convert_units(series([2.0], "R_E", "x"), to="km").values.round()
    array([12742.])
    """
    from helio.knowledge.unit_algebra import EARTH_RADIUS_KM, comparable, conversion_factor
    from helio.knowledge.unit_spelling import canonical_unit, unit_factors

    target = canonical_unit(to)
    if not series.unit and target:
        raise StepError(
            f"'{series.name}' has no unit, so it cannot be converted to {to}",
            advice=f'if its unit is known, state it with the tool declare_quantity: unit "{target}"',
        )
    factor = 1.0
    if equivalence == "thermal":
        factor = _thermal_factor(series.unit, to)
    elif (comparable(series.unit, "K") and comparable(to, "J")) or (
        comparable(series.unit, "J") and comparable(to, "K")
    ):
        raise UnitMismatch(
            f"'{series.name}' is in {series.unit}, which cannot be converted to {to}",
            advice='to convert between a temperature T and an energy kT, set equivalence "thermal"',
        )
    else:
        factor = conversion_factor(series.unit, to)
    values = np.multiply(series.values, factor, dtype=np.float64)
    symbols = {symbol for unit in (series.unit, target) for symbol, _ in unit_factors(unit) or ()}
    notes = series.notes
    if factor != 1 and "R_E" in symbols:
        notes = (*notes, f"converted with R_E = {EARTH_RADIUS_KM} km; the dataset may use another radius")
    periods = scaled_periods(series.periods, factor)
    return replace(series, values=values, unit=target, stated_periods=periods, notes=notes)


def _thermal_factor(unit: str, to: str) -> float:
    from helio.knowledge.unit_algebra import comparable, conversion_factor

    if comparable(unit, "J") and comparable(to, "K"):
        return conversion_factor(unit, "eV") * (ELEMENTARY_CHARGE / BOLTZMANN) * conversion_factor("K", to)
    if comparable(unit, "K") and comparable(to, "J"):
        return conversion_factor(unit, "K") * (BOLTZMANN / ELEMENTARY_CHARGE) * conversion_factor("eV", to)
    for same in ("K", "J"):
        if comparable(unit, same) and comparable(to, same):
            return conversion_factor(unit, to)
    raise UnitMismatch(
        f"the thermal equivalence is between an energy and a temperature, not between {unit} and {to}",
        advice="leave out equivalence" if comparable(unit, to) else "",
    )
