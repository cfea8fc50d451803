"""Magnetosonic Mach number."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.alfven_speed import alfven_speeds
from helio.steps.compute.alpha_particles import alpha_fraction, mass_per_proton
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.plasma_pressure import thermal_pressure
from helio.steps.compute.possible import positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

ADIABATIC = 5.0 / 3.0
"""Ratio of specific heats of a gas whose particles have three degrees of freedom."""


@tool(
    version=3,
    context=RECORD,
    synonyms="magnetosonic_mach_number fast_mach_number",
)
def magnetosonic_mach(
    velocity: Annotated[Table, Quantity("km/s")],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    temperature: Annotated[Table, Quantity("K", kind="scalar")],
    field: Annotated[Table, Quantity("nT")],
    electrons: Annotated[Table, Quantity("K", kind="scalar")] | None = None,
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    electron_temperature: float | None = None,
    assumed_alpha: float | None = None,
    alpha_temperature_ratio: float = 4.0,
) -> Annotated[Table, Quantity("1", kind="scalar")]:
    """Compute the ratio of the flow speed to the speed of fast waves across the field, √(V_A² + C_s²).

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed or velocity, km/s, in any frame.
    density, temperature : Table, shape (n,)
        Density and temperature of the protons, cm^-3 and K.
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT: its strength, or the vector. All tables must have the same epochs.
    electrons : Table, shape (n,)
        Temperature of the electrons, K. Without `electrons` and `electron_temperature`, the sound speed is that of
        the ions alone.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton. Without `alpha_ratio` and `assumed_alpha`, all ions are protons.
    electron_temperature : float
        Temperature of the electrons as one number, K; OMNI takes 140000.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing; OMNI takes 0.05.
    alpha_temperature_ratio : float
        T_α/T_p, where there are alpha particles.

    Returns
    -------
    Table, shape (n,)
        Without a unit. C_s² = γ p/ρ with γ = 5/3. NaN where a quantity is missing or negative, or the density
        is 0.

    Raises
    ------
    ClockMismatch
        When the epochs differ.
    StepError
        When the temperature of the electrons is given twice.

    References
    ----------
    OMNIWeb, Detailed Derivation of Parameters, https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html:
    C_s = 0.12 (T + 1.28e5)^½ km/s; its rounded factor is 2 % larger than this.

    Examples
    --------
    With OMNI's electrons and alpha particles:

    >>> from helio.steps.examples import series
    >>> wind = series([400.0], "km/s"), series([5.0], "cm^-3"), series([1e5], "K"), series([5.0], "nT")
    >>> magnetosonic_mach(*wind, electron_temperature=140000.0, assumed_alpha=0.05).values.round(1)
    array([5.6])
    """
    inputs = on_one_clock(velocity, density, temperature, field, electrons, alpha_ratio)
    fraction = alpha_fraction(alpha_ratio, assumed_alpha)
    squared = thermal_pressure(
        density,
        temperature,
        electrons,
        electron_temperature=electron_temperature,
        fraction=fraction,
        alpha_temperature_ratio=alpha_temperature_ratio,
    )
    squared *= ADIABATIC * 1e-21 / mass_per_proton(fraction)  # nPa, cm^-3 and kg into km²/s²
    squared /= positive(density)
    squared += alfven_speeds(field, density, fraction) ** 2
    squared[squared == 0] = np.nan
    values = length_of(velocity, "a Mach number")
    values /= np.sqrt(squared, out=squared)
    return derived(inputs, values, unit="", name="M_ms", description="magnetosonic Mach number")
