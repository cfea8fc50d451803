"""Gyroradius of a species."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.knowledge.constants import BOLTZMANN, ELEMENTARY_CHARGE, PARTICLES
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import not_negative
from helio.steps.compute.thermal_speed import check_factor
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    synonyms="larmor_radius ion_gyroradius thermal_gyroradius compute_gyroradius",
)
def gyroradius(
    temperature: Annotated[Table, Quantity("K", kind="scalar")],
    field: Annotated[Table, Quantity("nT")],
    *,
    particle: Literal["proton", "electron", "alpha"] = "proton",
    factor: float = 2.0,
) -> Annotated[Table, Quantity("km", kind="scalar")]:
    """Compute the thermal gyroradius ρ = w m/(|q|B) of a species, with the thermal speed w = √(2kT/m).

    Parameters
    ----------
    temperature : Table, shape (n,)
        Temperature across the field, or the mean temperature, K. Convert a temperature in eV first, with
        `convert_units` and the equivalence ``thermal``.
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT, on the same epochs: its strength, or the vector in any frame.
    particle : "proton", "electron" or "alpha"
        Particle with this charge and mass.
    factor : float
        The number under the root of the thermal speed: 2, the most probable speed, as in most papers on turbulence;
        1, as in the NRL Plasma Formulary.

    Returns
    -------
    Table, shape (n,)
        √(factor m k T)/(|q|B) in km. NaN where a quantity is missing or negative, or the field is 0. Not relativistic.

    Raises
    ------
    StepError
        When the factor is not positive, or the field is one component alone.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    NRL Plasma Formulary, Fundamental Plasma Parameters: 102 √(μT)/(Z B) cm, with T in eV, B in gauss and factor 1.

    Examples
    --------
    Protons of 100,000 K at 5 nT:

    >>> from helio.steps.examples import series
    >>> gyroradius(series([1e5], "K"), series([5.0], "nT")).values.round(1)
    array([84.8])
    """
    check_factor(factor)
    inputs = on_one_clock(temperature, field)
    species = PARTICLES[particle]
    strength = length_of(field, "a gyroradius")
    strength[strength == 0] = np.nan
    radius = np.sqrt(not_negative(temperature))
    # B in nT is 1e-9 T, and a radius in m is 1e-3 km
    radius *= 1e6 * np.sqrt(factor * BOLTZMANN * species.mass) / (abs(species.charge) * ELEMENTARY_CHARGE)
    radius /= strength
    return derived(
        inputs,
        radius,
        unit="km",
        name=f"ρ_{species.letter}",
        description=f"{particle} gyroradius with the thermal speed √({factor:g}kT/m)",
    )
