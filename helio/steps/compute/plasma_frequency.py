"""Plasma frequency."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.knowledge.constants import ELEMENTARY_CHARGE, PARTICLES, VACUUM_PERMITTIVITY
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
    synonyms="langmuir_frequency compute_plasma_frequency",
)
def plasma_frequency(
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    *,
    particle: Literal["electron", "proton", "alpha"] = "electron",
) -> Annotated[Table, Quantity("kHz", kind="scalar")]:
    """Compute the plasma frequency of a species, √(n q²/(ε₀m))/2π.

    Parameters
    ----------
    density : Table, shape (n,)
        Number of these particles per volume, cm^-3.
    particle : "electron", "proton" or "alpha"
        Particle with this charge and mass.

    Returns
    -------
    Table, shape (n,)
        kHz, not rad/s; 8.98 √n for electrons. NaN where the density is missing or negative.

    References
    ----------
    NRL Plasma Formulary, Fundamental Plasma Parameters.

    Examples
    --------
    5 electrons per cm³:

    >>> from helio.steps.examples import series
    >>> plasma_frequency(series([5.0], "cm^-3")).values.round(1)
    array([20.1])
    """
    species = PARTICLES[particle]
    number = not_negative(density)
    values: Values = np.sqrt(number, out=number)
    per_root = abs(species.charge) * ELEMENTARY_CHARGE * np.sqrt(1e6 / (VACUUM_PERMITTIVITY * species.mass))
    values *= 1e-3 * per_root / (2 * np.pi)
    return derived(
        (density,),
        values,
        unit="kHz",
        name=f"f_p{species.letter}",
        description=f"{particle} plasma frequency",
    )
