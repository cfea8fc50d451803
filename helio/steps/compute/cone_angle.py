"""Cone angle of a field."""

from __future__ import annotations

from typing import Annotated

import numpy as np

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
    synonyms="imf_cone_angle compute_cone_angle",
)
def cone_angle(
    field: Annotated[Table, Quantity(kind="vector", frames=("GSE", "GSM", "RTN"))], *, folded: bool = False
) -> Annotated[Table, Quantity("deg", kind="scalar")]:
    """Compute the angle between a vector and the direction towards the Sun (GSE, GSM) or away from the Sun (RTN).

    Parameters
    ----------
    field : Table, shape (n, 3) or (n, 4)
        In GSE or GSM, where the angle is from +x, towards the Sun; or in RTN, where it is from +R, away from the
        Sun. Any unit.
    folded : bool
        Return the angle to the line, 0 to 90, whatever the direction of the vector along the line.

    Returns
    -------
    Table, shape (n,)
        Degrees, 0 to 180, or to 90. NaN where a component is missing or the vector is 0. It keeps
        the frame of the vector.

    Raises
    ------
    StepError
        When the vector does not have three Cartesian components.

    References
    ----------
    Russell & Hoppe, Space Sci. Rev. 34, 155 (1983): the cone angle, between the field and the Sun–Earth line.

    Examples
    --------
    A field in the ecliptic, on the spiral, away from the Sun:

    >>> from helio.steps.examples import vector
    >>> field = vector([[-3.0, 3.0, 0.0]], "nT")
    >>> cone_angle(field).values.round(1), cone_angle(field, folded=True).values.round(1)
    (array([135.]), array([45.]))
    """
    x, y, z = cartesian(field, "a cone angle").T
    if folded:
        x = np.abs(x)
    across = np.hypot(y, z)
    no_direction = (across == 0) & (x == 0)
    angle = np.arctan2(across, x, out=across)
    np.degrees(angle, out=angle)
    angle[no_direction] = np.nan
    axis = "R" if field.frame.upper() == "RTN" else "x"
    return derived(
        (field,),
        angle,
        unit="deg",
        period=0.0,
        name="θ_cone",
        frame=field.frame,
        description=f"cone angle of {field.name or 'vector'} from {axis} in {field.frame}",
    )
