"""Clock angle of a field."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=4,
    context=RECORD,
    gives=Result(unit="deg", frame="{field}", kind="scalar"),
    synonyms="imf_clock_angle compute_clock_angle",
)
def clock_angle(
    field: Annotated[Table, Quantity(kind="vector", frames=("GSM", "GSE"))],
) -> Annotated[Table, Quantity("deg", kind="scalar")]:
    """Compute the angle of a vector about the Sun–Earth line, from +z towards +y.

    Parameters
    ----------
    field : Table, shape (n, 3) or (n, 4)
        In GSM, as for coupling with the magnetosphere, or GSE; any unit.

    Returns
    -------
    Table, shape (n,)
        atan2(B_y, B_z) in degrees, −180 to 180: 0 is northward, ±180 southward, 90 towards dusk. NaN where one of
        the two is missing, or both are 0. It keeps the frame of the field.

    Raises
    ------
    StepError
        When the vector does not have three Cartesian components.

    References
    ----------
    Perreault & Akasofu, Geophys. J. R. Astron. Soc. 54, 547 (1978): the polar angle of the field in the y–z plane of
    GSM.

    Examples
    --------
    Northward, towards dusk, and between dusk and south:

    >>> from helio.steps.examples import vector
    >>> clock_angle(vector([[0, 0, 5], [0, 5, 0], [0, 5, -5]], "nT", frame="GSM")).values
    array([  0.,  90., 135.])
    """
    y, z = cartesian(field, "a clock angle")[:, 1:].T
    angle = np.degrees(np.arctan2(y, z))
    angle[(y == 0) & (z == 0)] = np.nan
    what = field.name or "vector"
    return derived(
        (field,),
        angle,
        unit="deg",
        period=360.0,
        name="θ_CA",
        frame=field.frame,
        description=f"clock angle of {what} in {field.frame}",
    )


def squared_sine_of_half(y: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sin²(θ/2) of the clock angle θ, 0 without a field in the y–z plane.

    It is (1 − cos θ)/2 = (B_T − B_z)/(2 B_T), with B_T = √(B_y² + B_z²).

    >>> squared_sine_of_half(np.array([0.0, 5.0, 0.0, 0.0]), np.array([5.0, 0.0, -5.0, 0.0]))
    array([0. , 0.5, 1. , 0. ])
    """
    transverse = np.hypot(y, z)
    with np.errstate(invalid="ignore", divide="ignore"):
        squared = 0.5 * (1.0 - z / transverse)
    squared[transverse == 0] = 0.0
    return squared
