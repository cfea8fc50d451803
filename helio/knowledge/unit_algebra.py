"""Factors that convert between units of the same dimension; helio refuses unknown units and never guesses."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from helio.errors import StepError, UnitMismatch
from helio.knowledge.unit_products import unit_product
from helio.knowledge.unit_spelling import PREFIXES, canonical_unit, unit_factors
from helio.limits import LIMITS

if TYPE_CHECKING:
    import pint

EARTH_RADIUS_KM = 6371.2
"""Earth radius in km, as in the IGRF model and in OMNI; datasets may use 6378.137 or 6371.0 (0.1 % different)."""

_PREFIXED = {
    "m": "meter",
    "s": "second",
    "eV": "electron_volt",
    "T": "tesla",
    "V": "volt",
    "Hz": "hertz",
    "Pa": "pascal",
    "W": "watt",
    "A": "ampere",
    "J": "joule",
    "g": "gram",
    "rad": "plane_radian",
    "R": "sky_rayleigh",
}
# Every symbol by its full name: pint would read `h` as Planck's constant, `R` as that of gases, `C` as a prefix.
_NAMES = {
    **{
        prefix + symbol: long + name
        for symbol, name in _PREFIXED.items()
        for prefix, long in (("", ""), *PREFIXES.items())
    },
    "cm": "centimeter",
    "K": "kelvin",
    "MK": "megakelvin",
    "AU": "ecliptic_au",
    "R_E": "earth_radius_mean",
    "R_J": "jupiter_radius_nominal",
    "R_Sun": "solar_radius_nominal",
    "sr": "space_steradian",
    "deg": "plane_degree",
    "h": "hour",
    "min": "minute",
    "day": "day",
    "year": "julian_year",
    "counts": "detector_count",
    "N": "newton",
    "erg": "erg",
    "TECU": "tec_unit",
    "sfu": "solar_flux_unit",
    "amu": "unified_atomic_mass_unit",
    "Angstrom": "angstrom",
    "G": "gauss_field",
    "C": "coulomb",
    "e": "elementary_charge",
    "c": "speed_of_light",
    "%": "part_in_hundred",
    **{
        f"{prefix}eV/{per}": f"{long}electron_volt_per_{name}"
        for prefix, long in (("", ""), ("k", "kilo"), ("M", "mega"), ("G", "giga"))
        for per, name in (("n", "nucleon"), ("q", "charge"))
    },
}
# Angles, solid angles and counts are dimensions of their own here, for which pint has plain numbers: an intensity
# per steradian is no flux, and counts per second are no frequency. A gauss is 1e-4 T, as the field writes it.
_DEFINITIONS = (
    "plane_radian = [plane_angle]",
    "plane_degree = 0.017453292519943295 * plane_radian",
    "space_steradian = [solid_angle]",
    "detector_count = [detector_counts]",
    "sky_rayleigh = [sky_brightness]",
    "electron_volt_per_nucleon = [energy_per_nucleon]",
    "electron_volt_per_charge = [energy_per_charge]",
    "part_in_hundred = 0.01",
    "ecliptic_au = 149597870700 * meter",
    f"earth_radius_mean = {EARTH_RADIUS_KM} * kilometer",
    "jupiter_radius_nominal = 71492 * kilometer",
    "solar_radius_nominal = 695700 * kilometer",
    "julian_year = 365.25 * day",
    "tec_unit = 1e16 / meter ** 2",
    "solar_flux_unit = 1e-22 * watt / meter ** 2 / hertz",
    "gauss_field = 1e-4 * tesla",
)


_SI = {
    **{prefix + symbol: symbol for symbol in _PREFIXED if symbol != "R" for prefix in ("", *PREFIXES)},
    **{f"{prefix}eV": "J" for prefix in ("", *PREFIXES)},
    **{f"{prefix}g": "kg" for prefix in ("", *PREFIXES)},
    **dict.fromkeys(["cm", "AU", "R_E", "R_J", "R_Sun", "Angstrom"], "m"),
    **dict.fromkeys(["min", "h", "day", "year"], "s"),
    **{symbol: symbol for symbol in ("K", "sr", "N", "C")},
    **{"MK": "K", "deg": "rad", "erg": "J", "G": "T", "amu": "kg", "e": "C"},
}
"""The SI unit for each symbol of a unit; the rayleigh is left out, because it counts photons."""


def si_conversion(unit: str) -> str:
    """Return the text of the ISTP attribute SI_CONVERSION (factor and SI unit); empty if the unit has no SI unit.

    >>> si_conversion("nT"), si_conversion("cm^-3"), si_conversion("counts/s")
    ('1e-09>T', '1000000>m^-3', '')
    """
    factors = unit_factors(unit)
    if not factors or any(symbol not in _SI for symbol, _ in factors):
        return ""
    si = unit_product(*((_SI[symbol], power) for symbol, power in factors))
    return f"{conversion_factor(unit, si):.15g}>{si or '1'}"


def comparable(one: str, other: str) -> bool:
    """Return whether two units are known and have the same dimension."""
    first, second = _pint_unit(one), _pint_unit(other)
    return first is not None and second is not None and first.dimensionality == second.dimensionality


def conversion_factor(unit: str, to: str) -> float:
    """Return the factor by which values in one unit must be multiplied to be in another unit.

    Parameters
    ----------
    unit, to : str
        Any spelling that `canonical_unit` understands.

    Returns
    -------
    float
        1 for two spellings of one unit, known or not.

    Raises
    ------
    UnitMismatch
        When the units have different dimensions. Angle, solid angle, counts, energy per nucleon and energy per
        charge are dimensions of their own.
    StepError
        When a unit is not known, or is not a multiple of another unit: degC, dB.

    References
    ----------
    Constants: CODATA as in pint; AU: IAU 2012 B2; R_Sun and R_J: nominal values of IAU 2015 B3; R_E: 6371.2 km,
    the reference radius of the IGRF.
    """
    if canonical_unit(unit) == canonical_unit(to):
        return 1.0
    for spelling in (unit, to):
        if canonical_unit(spelling) in ("degC", "dB"):
            raise StepError(f"{spelling} cannot be converted: the conversion needs more than a factor")
    first, second = _pint_unit(unit), _pint_unit(to)
    if first is None or second is None:
        raise StepError(
            f"the unit '{(unit if first is None else to)[: LIMITS.unit]}' is not known, so it cannot be "
            "converted",
            advice="write it as a product of powers: km/s, cm^-3, keV/(cm^2 s sr keV)",
        )
    if first.dimensionality != second.dimensionality:
        raise UnitMismatch(
            f"{unit or 'a number without unit'} cannot be converted to {to or 'a number without unit'}: "
            "the units have different dimensions"
        )
    return float(_registry().Quantity(Fraction(1), first).to(second).magnitude)


@cache
def _registry() -> pint.UnitRegistry[Any]:
    import pint  # reads its definitions from its own package, once, when something is first converted

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(cache_folder=None, non_int_type=Fraction)
    for definition in _DEFINITIONS:
        registry.define(definition)
    return registry


@cache
def _pint_unit(spelling: str) -> Any | None:
    """Return a unit as an object of the library pint, or None if a part of the unit is unknown."""
    factors = unit_factors(spelling)
    if factors is None or any(name not in _NAMES for name, _ in factors):
        return None
    made = _registry().Unit("dimensionless")
    for name, power in factors:
        made = made * _registry().Unit(_NAMES[name]) ** power
    return made
