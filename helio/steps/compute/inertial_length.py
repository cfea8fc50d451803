"""Inertial length of a species."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.knowledge.constants import ELEMENTARY_CHARGE, PARTICLES, VACUUM_PERMEABILITY
from helio.steps.compute.cartesian import Values
from helio.steps.compute.derived import derived
from helio.steps.compute.possible import positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    synonyms="skin_depth ion_inertial_length proton_inertial_length electron_inertial_length",
)
def inertial_length(
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    *,
    particle: Literal["proton", "electron", "alpha"] = "proton",
) -> Annotated[Table, Quantity("km", kind="scalar")]:
    """Compute the inertial length d = c/ω_p of a species, the speed of light over its plasma frequency in rad/s.

    Parameters
    ----------
    density : Table, shape (n,)
        Number of these particles per volume, cm^-3.
    particle : "proton", "electron" or "alpha"
        Particle with this charge and mass.

    Returns
    -------
    Table, shape (n,)
        km; 228/√n for protons. For protons alone, it is also V_A/ω_c, the Alfvén speed over the angular
        gyrofrequency. NaN where the density is missing, 0 or negative.

    References
    ----------
    NRL Plasma Formulary, Fundamental Plasma Parameters: 2.28e7 √(μ/n)/Z cm.

    Examples
    --------
    5 protons per cm³:

    >>> from helio.steps.examples import series
    >>> inertial_length(series([5.0], "cm^-3")).values.round(1)
    array([101.8])
    """
    species = PARTICLES[particle]
    lengths: Values = np.sqrt(positive(density))
    charge = abs(species.charge) * ELEMENTARY_CHARGE
    # c/ω_p is √(m/(μ₀ n q²)); 1e-6 turns m^-3 into cm^-3, 1e-3 m into km
    lengths = 1e-3 * np.sqrt(1e-6 * species.mass / VACUUM_PERMEABILITY) / charge / lengths
    return derived(
        (density,),
        lengths,
        unit="km",
        name=f"d_{species.letter}",
        description=f"{particle} inertial length c/ω_p",
    )
