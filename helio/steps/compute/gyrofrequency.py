"""Gyrofrequency."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.knowledge.constants import ELEMENTARY_CHARGE, PARTICLES
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="cyclotron_frequency larmor_frequency compute_gyrofrequency",
)
def gyrofrequency(
    field: Annotated[Table, Quantity("nT")], *, particle: Literal["proton", "electron", "alpha"] = "proton"
) -> Annotated[Table, Quantity("Hz", kind="scalar")]:
    """Compute the frequency of gyration about the magnetic field, |q|B/(2πm).

    Parameters
    ----------
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT: its strength, or the vector in any frame.
    particle : "proton", "electron" or "alpha"
        Particle with this charge and mass.

    Returns
    -------
    Table, shape (n,)
        Hz, not rad/s; 28 Hz per nT for electrons. NaN where the field is missing. Not relativistic.

    Raises
    ------
    StepError
        When the field is a vector without three Cartesian components, or one component alone.

    References
    ----------
    NRL Plasma Formulary, Fundamental Plasma Parameters.

    Examples
    --------
    Protons and electrons at 5 nT:

    >>> from helio.steps.examples import series
    >>> field = series([5.0], "nT")
    >>> gyrofrequency(field).values.round(4), gyrofrequency(field, particle="electron").values.round(1)
    (array([0.0762]), array([140.]))
    """
    species = PARTICLES[particle]
    values = length_of(field, "a gyrofrequency")
    values *= abs(species.charge) * ELEMENTARY_CHARGE * 1e-9 / (2 * np.pi * species.mass)
    return derived(
        (field,), values, unit="Hz", name=f"f_c{species.letter}", description=f"{particle} gyrofrequency"
    )
