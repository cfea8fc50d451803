"""Alfvén speed."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.alpha_particles import alpha_fraction, mass_per_proton
from helio.steps.compute.cartesian import Values, length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="alfven_velocity compute_alfven_speed",
)
def alfven_speed(
    field: Annotated[Table, Quantity("nT")],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    assumed_alpha: float | None = None,
) -> Annotated[Table, Quantity("km/s", kind="scalar")]:
    """Compute the speed of Alfvén waves along the field, B/√(μ₀ρ).

    Parameters
    ----------
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT: its strength, or the vector in any frame.
    density : Table, shape (n,)
        Protons per volume, cm^-3, on the epochs of `field`.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton, on the same epochs. Without `alpha_ratio` and `assumed_alpha`, the plasma
        consists of protons only.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing.

    Returns
    -------
    Table, shape (n,)
        km/s; for protons 21.8 B/√N_p. NaN where a quantity is missing or negative or the density is 0. Not
        relativistic: far below the speed of light.

    Raises
    ------
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Alfvén, Nature 150, 405 (1942). OMNIWeb's 20 B/√N_p has a constant share of alpha particles of 0.0477.

    Examples
    --------
    5 nT and 5 protons per cm³, as at 1 AU:

    >>> from helio.steps.examples import series
    >>> alfven_speed(series([5.0], "nT"), series([5.0], "cm^-3")).values.round(1)
    array([48.8])
    """
    inputs = on_one_clock(field, density, alpha_ratio)
    values = alfven_speeds(field, density, alpha_fraction(alpha_ratio, assumed_alpha))
    return derived(inputs, values, unit="km/s", name="V_A", description="Alfvén speed")


def alfven_speeds(field: Table, density: Table, fraction: Values | float) -> Values:
    """Compute Alfvén speeds as plain numbers, in km/s."""
    mass_density = positive(density) * (mass_per_proton(fraction) * (1e6 * VACUUM_PERMEABILITY))
    values = length_of(field, "an Alfvén speed")
    values /= np.sqrt(mass_density, out=mass_density)
    values *= 1e-12  # nT and m/s into km/s
    return values
