"""Plasma beta."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.alpha_particles import alpha_fraction
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.plasma_pressure import thermal_pressure
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="beta compute_beta compute_plasma_beta",
)
def plasma_beta(
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
    """Compute the ratio of thermal to magnetic pressure.

    Parameters
    ----------
    density : Table, shape (n,)
        Protons per volume, cm^-3.
    temperature : Table, shape (n,)
        Temperature of the protons, K. Convert a temperature in eV first, with `convert_units` and the equivalence
        ``thermal``.
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT: its strength, or the vector. All tables must have the same epochs.
    electrons : Table, shape (n,)
        Temperature of the electrons, K. Without `electrons` and `electron_temperature`, the result is the beta of
        the ions.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton. Without `alpha_ratio` and `assumed_alpha`, all ions are protons.
    electron_temperature : float
        Temperature of the electrons as one number, K; OMNI takes 140000.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing; OMNI takes 0.05.
    alpha_temperature_ratio : float
        T_α/T_p, where there are alpha particles; mass-proportional, as in OMNI.

    Returns
    -------
    Table, shape (n,)
        2 μ₀ Σ n k T / B², without a unit, to be drawn on a logarithmic scale. NaN where a quantity is missing or
        negative, or the field is 0.

    Raises
    ------
    ClockMismatch
        When the epochs differ.
    StepError
        When the temperature of the electrons is given twice.

    References
    ----------
    OMNIWeb, Detailed Derivation of Parameters, https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html:
    β = (4.16e-5 T + 5.34) N_p / B², which are the three numbers named above.

    Examples
    --------
    Of the ions, then with electrons of 140,000 K:

    >>> from helio.steps.examples import series
    >>> wind = series([5.0], "cm^-3"), series([1e5], "K"), series([5.0], "nT")
    >>> plasma_beta(*wind).values.round(2)
    array([0.69])
    >>> plasma_beta(*wind, electron_temperature=140000.0).values.round(2)
    array([1.67])
    """
    inputs = on_one_clock(density, temperature, field, electrons, alpha_ratio)
    fraction = alpha_fraction(alpha_ratio, assumed_alpha)
    values = thermal_pressure(
        density,
        temperature,
        electrons,
        electron_temperature=electron_temperature,
        fraction=fraction,
        alpha_temperature_ratio=alpha_temperature_ratio,
    )
    strength = length_of(field, "a plasma beta")
    strength[strength == 0] = np.nan
    strength *= strength
    values /= strength
    values *= 2e9 * VACUUM_PERMEABILITY  # nPa and nT²
    with_electrons = electrons is not None or electron_temperature is not None
    return derived(
        inputs,
        values,
        unit="",
        name="β" if with_electrons else "β_i",
        description="plasma beta" if with_electrons else "plasma beta of the ions",
        scale="log",
    )
