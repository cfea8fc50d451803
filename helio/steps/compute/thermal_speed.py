"""Thermal speed from temperature."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import BOLTZMANN, PARTICLES
from helio.steps.compute.cartesian import Values
from helio.steps.compute.derived import derived
from helio.steps.compute.possible import not_negative
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="temperature_to_thermal_speed compute_thermal_speed",
)
def thermal_speed(
    temperature: Annotated[Table, Quantity("K", kind="scalar")],
    *,
    particle: Literal["proton", "electron", "alpha"] = "proton",
    factor: float = 2.0,
) -> Annotated[Table, Quantity("km/s", kind="scalar")]:
    """Compute the thermal speed w = √(2kT/m) of a species.

    Parameters
    ----------
    temperature : Table, shape (n,)
        Temperature, K. Convert a temperature in eV first, with `convert_units` and the equivalence ``thermal``.
    particle : "proton", "electron" or "alpha"
        Particle with the mass m.
    factor : float
        The number under the root: 2, the most probable speed, as Wind/SWE and PSP/SWEAP give it; 1, the standard
        deviation along one direction; 3, the root mean square speed.

    Returns
    -------
    Table, shape (n,)
        √(factor k T/m) in km/s. NaN where the temperature is missing or negative.

    Raises
    ------
    StepError
        When the factor is not positive.

    References
    ----------
    Wind/SWE: W = √(2kT/m), Kasper et al., J. Geophys. Res. 111, A03105 (2006).

    Examples
    --------
    Protons of 100,000 K:

    >>> from helio.steps.examples import series
    >>> thermal_speed(series([1e5], "K")).values.round(1)
    array([40.6])
    """
    check_factor(factor)
    kelvin = not_negative(temperature)
    speed: Values = np.sqrt(kelvin, out=kelvin)
    speed *= np.sqrt(factor * BOLTZMANN / PARTICLES[particle].mass) * 1e-3
    return derived(
        (temperature,),
        speed,
        unit="km/s",
        name=f"w_{PARTICLES[particle].letter}",
        description=f"{particle} thermal speed √({factor:g}kT/m)",
    )


def check_factor(factor: float) -> None:
    """Refuse a factor f of a thermal speed √(f kT/m) that is not positive."""
    if not (np.isfinite(factor) and factor > 0):
        raise StepError(
            f"the factor of a thermal speed is {factor:g}, but must be positive",
            advice="use 2 for the most probable speed, 1 for one direction, 3 for the root mean square",
        )
