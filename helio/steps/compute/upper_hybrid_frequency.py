"""Upper-hybrid frequency."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.gyrofrequency import gyrofrequency
from helio.steps.compute.plasma_frequency import plasma_frequency
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    synonyms="upper_hybrid upper_hybrid_resonance f_uh",
)
def upper_hybrid_frequency(
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")], field: Annotated[Table, Quantity("nT")]
) -> Annotated[Table, Quantity("kHz", kind="scalar")]:
    """Compute the upper-hybrid frequency √(f_pe² + f_ce²), at which the electric field of waves is strongest.

    Parameters
    ----------
    density : Table, shape (n,)
        Electrons per volume, cm^-3.
    field : Table, shape (n,), (n, 3) or (n, 4)
        Magnetic field, nT, on the same epochs: its strength, or the vector in any frame.

    Returns
    -------
    Table, shape (n,)
        kHz, not rad/s. NaN where a quantity is missing, or the density is negative.

    Raises
    ------
    StepError
        When the field is one component alone.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    NRL Plasma Formulary; Kurth et al., J. Geophys. Res. Space Phys. 120, 904 (2015), for densities from this line
    in the spectra of the Van Allen Probes.

    Examples
    --------
    100 electrons per cm³ at 300 nT, with f_pe = 89.8 kHz and f_ce = 8.4 kHz:

    >>> from helio.steps.examples import series
    >>> upper_hybrid_frequency(series([100.0], "cm^-3"), series([300.0], "nT")).values.round(1)
    array([90.2])
    """
    inputs = on_one_clock(density, field)
    plasma = plasma_frequency(density).values
    gyration = 1e-3 * gyrofrequency(field, particle="electron").values
    return derived(
        inputs,
        np.hypot(plasma, gyration),
        unit="kHz",
        name="f_uh",
        description="upper-hybrid frequency",
    )
