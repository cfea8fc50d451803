"""Potential across the polar cap."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import cartesian, length_of
from helio.steps.compute.clock_angle import squared_sine_of_half
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="kV", frame="", kind="scalar"),
    synonyms="cross_polar_cap_potential boyle_potential transpolar_potential",
)
def polar_cap_potential(
    velocity: Annotated[Table, Quantity("km/s")],
    field: Annotated[Table, Quantity("nT", kind="vector", frames=("GSM",))],
) -> Table:
    """Compute the potential across the polar cap from the solar wind, after Boyle et al. (1997).

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind or its velocity in any frame, km/s.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field in GSM, nT, on the same epochs.

    Returns
    -------
    Table, shape (n,)
        10⁻⁴ V² + 11.7 B sin³(θ/2) in kV, with V in km/s, B in nT and the clock angle θ: the potential in a
        steady state. It does not saturate in strong fields. NaN where a quantity is missing.

    Raises
    ------
    FrameMismatch
        When the field is not in GSM.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Boyle, Reiff & Hairston, J. Geophys. Res. 102, 111 (1997).

    Examples
    --------
    At 400 km/s and 5 nT: southward, towards dusk, northward.

    >>> from helio.steps.examples import series, vector
    >>> speed = series([400.0, 400.0, 400.0], "km/s")
    >>> field = vector([[0.0, 0.0, -5.0], [0.0, 5.0, 0.0], [0.0, 0.0, 5.0]], "nT", frame="GSM")
    >>> polar_cap_potential(speed, field).values.round(1)
    array([74.5, 36.7, 16. ])
    """
    inputs = on_one_clock(velocity, field)
    x, y, z = cartesian(field, "a coupling function").T
    transverse = np.hypot(y, z)
    squared_sine = squared_sine_of_half(y, z)
    speed = length_of(velocity, "a coupling function")
    values = 1e-4 * speed * speed + 11.7 * np.hypot(x, transverse) * squared_sine**1.5
    return derived(inputs, values, unit="kV", name="Φ_PC", description="polar cap potential of Boyle et al.")
