"""Temperature from thermal speed."""

from __future__ import annotations

from typing import Annotated, Literal

from helio.knowledge.constants import BOLTZMANN, PARTICLES
from helio.steps.compute.derived import derived
from helio.steps.compute.possible import not_negative
from helio.steps.compute.thermal_speed import check_factor
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=2,
    context=RECORD,
    synonyms="thermal_speed_to_temperature",
)
def thermal_temperature(
    speed: Annotated[Table, Quantity("km/s", kind="scalar")],
    *,
    particle: Literal["proton", "electron", "alpha"] = "proton",
    factor: float = 2.0,
) -> Annotated[Table, Quantity("K", kind="scalar")]:
    """Compute the temperature T = m w²/(2k) of a species with thermal speed w.

    Parameters
    ----------
    speed : Table, shape (n,)
        Thermal speed, km/s.
    particle : "proton", "electron" or "alpha"
        Particle with the mass m.
    factor : float
        The number under the root of w = √(2kT/m); 2 in the data of Wind/SWE and PSP/SWEAP. See `thermal_speed`.

    Returns
    -------
    Table, shape (n,)
        K; NaN where the speed is missing or negative.

    Raises
    ------
    StepError
        When the factor is not positive.

    References
    ----------
    Wind/SWE: W = √(2kT/m), Kasper et al., J. Geophys. Res. 111, A03105 (2006).

    Examples
    --------
    The reverse of `thermal_speed`:

    >>> from helio.steps.examples import series
    >>> thermal_temperature(series([40.6], "km/s")).values.round(-3)
    array([100000.])
    """
    check_factor(factor)
    kelvin = not_negative(speed)
    kelvin *= kelvin
    kelvin *= 1e6 * PARTICLES[particle].mass / (factor * BOLTZMANN)
    return derived(
        (speed,),
        kelvin,
        unit="K",
        name=f"T_{PARTICLES[particle].letter}",
        description=f"{particle} temperature from the thermal speed √({factor:g}kT/m)",
    )
