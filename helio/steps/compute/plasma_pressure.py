"""Thermal pressure of protons, alpha particles and electrons together."""

from __future__ import annotations

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import BOLTZMANN
from helio.steps.compute.cartesian import Values
from helio.steps.compute.possible import not_negative
from helio.store.table import Table


def thermal_pressure(
    density: Table,
    temperature: Table,
    electrons: Table | None,
    *,
    electron_temperature: float | None,
    fraction: Values | float,
    alpha_temperature_ratio: float,
) -> Values:
    """Compute the sum of n k T (density × Boltzmann constant × temperature) over all species, in nPa.

    Parameters
    ----------
    density, temperature : Table, shape (n,)
        Density and temperature of the protons, cm^-3 and K.
    electrons : Table, shape (n,), optional
        Temperature of the electrons, K.
    electron_temperature : float, optional
        Temperature of the electrons as one number, K.
    fraction : float or array of shape (n,)
        N_α/N_p, as `alpha_fraction` gives it. There is one electron per proton and two per alpha particle.
    alpha_temperature_ratio : float
        T_α/T_p.

    Returns
    -------
    array, shape (n,)
        NaN where a quantity is missing or negative.

    Raises
    ------
    StepError
        When the electrons' temperature is given twice, or a number is impossible.
    """
    if electrons is not None and electron_temperature is not None:
        raise StepError(
            "the electron temperature is given twice, as a table and as a number",
            advice="leave out electron_temperature or electrons_label",
        )
    for name, value in (
        ("electron_temperature", electron_temperature or 0.0),
        ("alpha_temperature_ratio", alpha_temperature_ratio),
    ):
        if not (np.isfinite(value) and value >= 0):
            raise StepError(f"{name} is {value:g}, but must be a number of at least 0")
    pressure = not_negative(temperature)
    pressure *= 1.0 + fraction * alpha_temperature_ratio
    per_proton = 1.0 + 2.0 * fraction
    if electrons is not None:
        pressure += per_proton * not_negative(electrons)
    elif electron_temperature is not None:
        pressure += per_proton * electron_temperature
    pressure *= not_negative(density)
    pressure *= 1e15 * BOLTZMANN  # cm^-3 into m^-3, Pa into nPa
    return pressure
