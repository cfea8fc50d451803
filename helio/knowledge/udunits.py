"""Write units in the spelling of UDUNITS, which the CF conventions require."""

from __future__ import annotations

from helio.knowledge.unit_algebra import EARTH_RADIUS_KM
from helio.knowledge.unit_spelling import PREFIXES, unit_factors

_POWERS_OF_TEN = dict(zip(PREFIXES, (-15, -12, -9, -6, -3, 3, 6, 9), strict=True))

_SPELLINGS = {
    "deg": "degree",
    "AU": "au",
    "G": "gauss",
    "Angstrom": "angstrom",
    "counts": "count",
    "%": "percent",
    "year": "Julian_year",
    "c": "299792458 m s-1",
    "R_E": f"{EARTH_RADIUS_KM} km",
    "R_J": "71492 km",
    "R_Sun": "695700 km",
    "TECU": "1e16 m-2",
    "sfu": "1e-22 W m-2 Hz-1",
    # numbers of things
    **dict.fromkeys(["pixel", "samples", "sats", "spin", "spins"], ""),
    # UDUNITS reads `R` as röntgen
    **{f"{prefix}R": f"1e{10 + power} m-2 s-1" for prefix, power in (("", 0), *_POWERS_OF_TEN.items())},
    **{f"{prefix}eV/n": f"{prefix}eV" for prefix in ("", "k", "M", "G")},
    **{f"{prefix}eV/q": f"{prefix}eV e-1" for prefix in ("", "k", "M", "G")},
}
"""Symbols that UDUNITS spells differently; all other symbols are the same."""

_UNKNOWN = frozenset(["dB", "R_S"])
"""Units that UDUNITS does not have: dB without a reference, and R_S, which may be a radius of the Sun or of Saturn."""


def udunits_spelling(unit: str) -> str | None:
    """Return a unit in the spelling of UDUNITS, or None if UDUNITS has no such unit.

    Parameters
    ----------
    unit : str
        Any spelling that `helio.knowledge.unit_spelling.canonical_unit` understands. Empty for no unit.

    Returns
    -------
    str or None
        ``"1"`` for no unit. Energies per nucleon and numbers of things lose the parts that are not dimensions.

    Examples
    --------
    >>> udunits_spelling("km/s"), udunits_spelling("1/(cm^2 s sr MeV)"), udunits_spelling("")
    ('km s-1', 'cm-2 s-1 sr-1 MeV-1', '1')
    >>> udunits_spelling("R_E"), udunits_spelling("dB")
    ('6371.2 km', None)

    References
    ----------
    UDUNITS-2, https://docs.unidata.ucar.edu/udunits/current/; CF Conventions 1.11, section 3.1. Values as in
    `helio.knowledge.unit_algebra`.
    """
    factors = unit_factors(unit)
    if factors is None or any(symbol in _UNKNOWN for symbol, _ in factors):
        return None
    spelled = [_power(_SPELLINGS.get(symbol, symbol), power) for symbol, power in factors]
    return " ".join(filter(None, spelled)) or "1"


def _power(spelling: str, power: int) -> str:
    if not spelling or power == 1:
        return spelling
    return f"({spelling}){power}" if " " in spelling else f"{spelling}{power}"
