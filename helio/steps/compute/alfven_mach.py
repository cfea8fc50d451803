"""Alfvén Mach number."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.alfven_speed import alfven_speeds
from helio.steps.compute.alpha_particles import alpha_fraction
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="alfven_mach_number alfvenic_mach_number alfvenic_mach",
)
def alfven_mach(
    velocity: Annotated[Table, Quantity("km/s")],
    field: Annotated[Table, Quantity("nT")],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    assumed_alpha: float | None = None,
) -> Annotated[Table, Quantity("1", kind="scalar")]:
    """Compute the ratio of the flow speed to the Alfvén speed.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed or velocity, km/s, in any frame. For a moving shock, give the velocity in the frame of the shock.
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT: its strength, or the vector.
    density : Table, shape (n,)
        Protons per volume, cm^-3. All tables must have the same epochs.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton. Without `alpha_ratio` and `assumed_alpha`, the plasma consists of protons only.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing; OMNI's Mach number corresponds to 0.0477.

    Returns
    -------
    Table, shape (n,)
        V/V_A, without a unit. NaN where a quantity is missing or negative, or the density or the field is 0.

    Raises
    ------
    ClockMismatch
        When the epochs differ.

    References
    ----------
    OMNIWeb, Detailed Derivation of Parameters, https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html:
    M_A = V √N_p / (20 B).

    Examples
    --------
    400 km/s, 5 nT and 5 protons per cm³:

    >>> from helio.steps.examples import series
    >>> field, density = series([5.0], "nT"), series([5.0], "cm^-3")
    >>> alfven_mach(series([400.0], "km/s"), field, density).values.round(1)
    array([8.2])
    """
    inputs = on_one_clock(velocity, field, density, alpha_ratio)
    speeds = alfven_speeds(field, density, alpha_fraction(alpha_ratio, assumed_alpha))
    speeds[speeds == 0] = np.nan
    values = length_of(velocity, "a Mach number")
    values /= speeds
    return derived(inputs, values, unit="", name="M_A", description="Alfvén Mach number")
