"""Newell's coupling function."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import cartesian, length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

UNIT = "(km/s)^(4/3) nT^(2/3)"


@tool(
    version=3,
    context=RECORD,
    gives=Result(unit="(km/s)^(4/3) nT^(2/3)", frame="", kind="scalar"),
    synonyms="newell newell_coupling_function newell_function",
)
def newell_coupling(
    velocity: Annotated[Table, Quantity("km/s")],
    field: Annotated[Table, Quantity("nT", kind="vector", frames=("GSM",))],
) -> Table:
    """Compute Newell's dΦ/dt, the rate at which the solar wind opens magnetic flux at the magnetopause.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind or its velocity in any frame, km/s.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field in GSM, nT, on the same epochs.

    Returns
    -------
    Table, shape (n,)
        V^(4/3) B_T^(2/3) sin^(8/3)(θ/2), with B_T = √(B_y² + B_z²) and the clock angle θ, in (km/s)^(4/3) nT^(2/3):
        proportional to Wb/s, without its factor. NaN where a quantity is missing.

    Raises
    ------
    FrameMismatch
        When the field is not in GSM.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Newell, Sotirelis, Liou, Meng & Rich, J. Geophys. Res. 112, A01206 (2007).

    Examples
    --------
    At 400 km/s and 5 nT: southward, towards dusk, northward.

    >>> from helio.steps.examples import series, vector
    >>> speed = series([400.0, 400.0, 400.0], "km/s")
    >>> field = vector([[0.0, 0.0, -5.0], [0.0, 5.0, 0.0], [0.0, 0.0, 5.0]], "nT", frame="GSM")
    >>> newell_coupling(speed, field).values.round()
    array([8618., 3420.,    0.])
    """
    inputs = on_one_clock(velocity, field)
    y, z = cartesian(field, "a coupling function")[:, 1:].T
    transverse = np.hypot(y, z)
    # sin²(θ/2) = (1 − cos θ)/2 = (B_T − B_z)/(2 B_T) needs no angle.
    half = 0.5 * (transverse - z)
    values = np.cbrt(half * half * half * half)
    with np.errstate(invalid="ignore", divide="ignore"):
        values /= np.cbrt(transverse * transverse)
    values[transverse == 0] = 0.0
    speed = length_of(velocity, "a coupling function")
    values *= np.cbrt(speed * speed) ** 2
    return derived(inputs, values, unit=UNIT, name="dΦ/dt", description="coupling function of Newell et al.")
