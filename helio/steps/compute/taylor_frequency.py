"""Frequency at which a length appears to a spacecraft in a fast flow."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    synonyms="taylor_hypothesis doppler_frequency frequency_of_scale length_to_frequency",
)
def taylor_frequency(
    length: Annotated[Table, Quantity("km", kind="scalar")], velocity: Annotated[Table, Quantity("km/s")]
) -> Annotated[Table, Quantity("Hz", kind="scalar")]:
    """Compute the frequency f = V/(2πL) at which the flow carries structures with kL = 1 past the spacecraft.

    Parameters
    ----------
    length : Table, shape (n,)
        Length L, km: a gyroradius, an inertial length.
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the flow, or its velocity in any frame, km/s, on the same epochs. Near the Sun, give the velocity
        relative to the spacecraft.

    Returns
    -------
    Table, shape (n,)
        Hz. NaN where a quantity is missing or negative, or the length is 0.

    Raises
    ------
    StepError
        When the velocity is one component alone.
    ClockMismatch
        When the epochs differ.

    Notes
    -----
    This is Taylor's hypothesis: the flow is much faster than the structures change and propagate (Alfvén Mach number
    well above 1), and k is along the flow.

    References
    ----------
    Taylor, Proc. R. Soc. Lond. A 164, 476 (1938); Bourouaine et al., Astrophys. J. Lett. 749, L3 (2012), who compare
    the break of the magnetic spectrum with V/(2πρ) and V/(2πd).

    Examples
    --------
    100 km in a wind of 400 km/s:

    >>> from helio.steps.examples import series
    >>> taylor_frequency(series([100.0], "km"), series([400.0], "km/s")).values.round(3)
    array([0.637])
    """
    inputs = on_one_clock(length, velocity)
    frequency = length_of(velocity, "Taylor's hypothesis")
    frequency /= positive(length)
    frequency /= 2 * np.pi
    name = f"f({length.name})" if length.name else "f"
    return derived(
        inputs,
        frequency,
        unit="Hz",
        name=name,
        description=f"frequency V/(2πL) of {length.description or length.name or 'the length'}",
    )
