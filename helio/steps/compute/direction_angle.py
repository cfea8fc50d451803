"""Elevation and azimuth of a vector."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="deg", frame="{field}", kind="scalar"),
    synonyms="elevation_angle azimuth_angle latitude_angle longitude_angle",
)
def direction_angle(
    field: Annotated[Table, Quantity(kind="vector")], *, give: Literal["elevation", "azimuth"]
) -> Annotated[Table, Quantity("deg", kind="scalar")]:
    """Compute the elevation of a vector above the plane of its first two axes, or its azimuth in this plane.

    Parameters
    ----------
    field : Table, shape (n, 3) or (n, 4)
        In a Cartesian frame such as GSE, GSM or RTN; any unit.
    give : "elevation" or "azimuth"
        The kind of result; see below.

    Returns
    -------
    Table, shape (n,)
        ``elevation``: the latitude θ in degrees, −90 to 90: 90 along +z or +N.
        ``azimuth``: the longitude φ in degrees, 0 to 360, from the first axis towards the second: in GSE, 0 towards
        the Sun and 90 towards dusk. NaN along the third axis.
        NaN where a component is missing or the vector is 0. It keeps the frame of the vector.

    Raises
    ------
    StepError
        When the vector does not have three Cartesian components.

    References
    ----------
    θ and φ as in Burlaga et al., J. Geophys. Res. 86, 6673 (1981), for magnetic clouds in GSE.

    Examples
    --------
    A field in the ecliptic on the spiral, towards the Sun, and a field northward:

    >>> from helio.steps.examples import vector
    >>> field = vector([[3.0, -3.0, 0.0], [0.0, 0.0, 5.0]], "nT")
    >>> direction_angle(field, give="azimuth").values, direction_angle(field, give="elevation").values
    (array([315.,  nan]), array([ 0., 90.]))
    """
    x, y, z = cartesian(field, "a direction").T
    across = np.hypot(x, y)
    if give == "azimuth":
        angle, known = np.degrees(np.arctan2(y, x)) % 360.0, across > 0
    else:
        angle, known = np.degrees(np.arctan2(z, across)), (across > 0) | (z != 0)
    angle[~(known & np.isfinite(x + y + z))] = np.nan
    return derived(
        (field,),
        angle,
        unit="deg",
        period=360.0 if give == "azimuth" else 0.0,
        name="φ" if give == "azimuth" else "θ",
        frame=field.frame,
        description=f"{give} of {field.name or 'vector'} in {field.frame}",
    )
