"""Merging electric field of Kan and Lee."""

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


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="mV/m", frame="", kind="scalar"),
    synonyms="kan_lee kan_lee_electric_field merging_electric_field",
)
def kan_lee_field(
    velocity: Annotated[Table, Quantity("km/s")],
    field: Annotated[Table, Quantity("nT", kind="vector", frames=("GSM",))],
) -> Table:
    """Compute the merging electric field of Kan & Lee at the magnetopause, V B_T sin²(θ/2).

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind or its velocity in any frame, km/s.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field in GSM, nT, on the same epochs.

    Returns
    -------
    Table, shape (n,)
        V B_T sin²(θ/2) in mV/m, with B_T = √(B_y² + B_z²) and the clock angle θ. NaN where a quantity is missing.

    Raises
    ------
    FrameMismatch
        When the field is not in GSM.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Kan & Lee, Geophys. Res. Lett. 6, 577 (1979).

    Examples
    --------
    At 400 km/s and 5 nT: southward, towards dusk, northward.

    >>> from helio.steps.examples import series, vector
    >>> speed = series([400.0, 400.0, 400.0], "km/s")
    >>> field = vector([[0.0, 0.0, -5.0], [0.0, 5.0, 0.0], [0.0, 0.0, 5.0]], "nT", frame="GSM")
    >>> kan_lee_field(speed, field).values.round(1)
    array([2., 1., 0.])
    """
    inputs = on_one_clock(velocity, field)
    y, z = cartesian(field, "a coupling function")[:, 1:].T
    # sin²(θ/2) = (1 − cos θ)/2 = (B_T − B_z)/(2 B_T) needs no angle; km/s times nT is µV/m.
    values = 0.5e-3 * length_of(velocity, "a coupling function") * (np.hypot(y, z) - z)
    return derived(
        inputs, values, unit="mV/m", name="E_KL", description="merging electric field of Kan and Lee"
    )
