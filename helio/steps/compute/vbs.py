"""Rectified dawn–dusk electric field of the solar wind."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import Values, length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.lone_component import hold_b_z
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="rectified_electric_field",
)
def vbs(
    velocity: Annotated[Table, Quantity("km/s")],
    bz: Annotated[Table, Quantity("nT", kind="scalar", frames=("GSM",))],
) -> Annotated[Table, Quantity("mV/m", kind="scalar")]:
    """Compute VB_s, the solar wind speed times the southward field, which drives the ring current.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind or its velocity in any frame, km/s.
    bz : Table, shape (n,)
        z component of the magnetic field in GSM, nT, on the same epochs: ``AC_H0_MFI.BGSM.Bz``.

    Returns
    -------
    Table, shape (n,)
        −V B_z in mV/m where B_z is southward, 0 where it is northward; never negative. NaN where either is missing.

    Raises
    ------
    FrameMismatch
        When B_z is in a different frame, according to its file or its name.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Burton, McPherron & Russell, J. Geophys. Res. 80, 4204 (1975).

    Examples
    --------
    Southward, then northward:

    >>> from helio.steps.examples import series
    >>> vbs(series([400.0, 400.0], "km/s"), series([-5.0, 5.0], "nT", "Bz GSM")).values
    array([2., 0.])
    """
    hold_b_z(bz, "VB_s")
    inputs = on_one_clock(velocity, bz)
    southward: Values = np.minimum(bz.values, 0.0).astype(np.float64)
    southward *= length_of(velocity, "VB_s")
    southward *= -1e-3  # km/s times nT is µV/m
    southward += 0.0  # a northward field gives 0, not −0
    return derived(
        inputs, southward, unit="mV/m", name="VB_s", description="rectified electric field of the solar wind"
    )
