"""Compute the unit of a product or a quotient of quantities."""

from __future__ import annotations

from helio.knowledge.unit_spelling import canonical_unit, unit_factors


def unit_product(*units: tuple[str, int]) -> str:
    """Return the unit of a product of quantities, each raised to an exponent.

    What one quantity has above the line cancels what another has below it; what a quantity has on both sides
    of its own line stays, for the field writes it so: an energy flux times an energy keeps the ``eV`` above.
    Nothing is converted: ``keV/eV`` stays.

    Parameters
    ----------
    units : tuples of (unit, power)
        Units in any spelling, powers other than 0.

    Returns
    -------
    str
        Canonical; empty when everything cancels. A unit that is not known stands as it is written.

    Examples
    --------
    >>> unit_product(("nT", 2), ("Hz", -1))
    'nT^2/Hz'
    >>> unit_product(("eV/(cm^2 s sr eV)", 1), ("eV", 1))
    'eV/(cm^2 s sr)'
    >>> unit_product(("km/s", 1), ("s", -1))
    'km/s^2'
    """
    sides: dict[tuple[str, bool], int] = {}
    strange: dict[str, int] = {}
    for unit, power in units:
        factors = unit_factors(unit)
        if factors is None:
            strange[unit.strip()] = strange.get(unit.strip(), 0) + power
            continue
        before = dict(sides)  # a quantity cancels what the others have, never what it has itself
        for name, own in factors:
            count, below = abs(own * power), own * power < 0
            cancelled = min(count, before.get((name, not below), 0))
            sides[name, not below] = sides.get((name, not below), 0) - cancelled
            sides[name, below] = sides.get((name, below), 0) + count - cancelled
    above = [_power(name, count) for (name, below), count in sides.items() if count and not below]
    under = [_power(name, count) for (name, below), count in sides.items() if count and below]
    above += [_power(_bracketed(unit), power) for unit, power in strange.items() if power > 0]
    under += [_power(_bracketed(unit), -power) for unit, power in strange.items() if power < 0]
    if not above and not under:
        return ""
    if not under:
        written = " ".join(above)
    else:
        below_line = " ".join(under)
        written = f"{' '.join(above) or '1'}/{f'({below_line})' if len(under) > 1 else below_line}"
    return written if strange else canonical_unit(written)


def _power(name: str, count: int) -> str:
    return name if count == 1 else f"{name}^{count}"


def _bracketed(unit: str) -> str:
    return unit if unit.isalnum() else f"({unit})"
