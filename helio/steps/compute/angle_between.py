"""Angle between two vectors."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD, Text
from helio.steps.tool import tool
from helio.store.table import Table

Vector = Annotated[Table, Quantity(kind="vector")]


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="deg", frame="", kind="scalar"),
    same=(MatchingTables("frame", ("vector", "other")),),
    synonyms="vector_angle deflection_angle switchback_angle shear_angle rotation_angle",
)
def angle_between(vector: Vector, other: Vector, *, name: Text = Text("")) -> Table:
    """Compute the angle between two vectors, record by record: the deflection of a field from its mean, a shear angle.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Any unit.
    other : Table, shape (n, 3) or (n, 4)
        In the same frame and on the same epochs, in any unit. For the deflection of a switchback, the field averaged
        over hours with `running_average`.
    name : str
        Name of the result on a figure. Default: θ.

    Returns
    -------
    Table, shape (n,)
        atan2(|a × b|, a · b) in degrees, 0 to 180. NaN where a component is missing or one of the vectors is 0.

    Raises
    ------
    FrameMismatch
        When the vectors are in different frames.
    ClockMismatch
        When the epochs differ.
    StepError
        When a vector does not have three Cartesian components.

    Notes
    -----
    Dudok de Wit et al. use the deflection z = (1 − cos θ)/2, from 0 to 1, of this angle θ. A mean over a few hours is
    much longer than a switchback, and follows the Parker spiral and the sectors.

    References
    ----------
    Dudok de Wit et al., Astrophys. J. Suppl. 246, 39 (2020), for switchbacks. Kahan, How Futile are Mindless
    Assessments of Roundoff (2006), for atan2, which keeps the digits of small angles.

    Examples
    --------
    Along the mean field, across it, and reversed:

    >>> from helio.steps.examples import vector
    >>> field = vector([[-5.0, 0.0, 0.0], [0.0, 3.0, 0.0], [5.0, 0.0, 0.0]], "nT", frame="RTN")
    >>> mean = vector([[-2.0, 0.0, 0.0]] * 3, "nT", frame="RTN")
    >>> angle_between(field, mean).values
    array([  0.,  90., 180.])
    """
    same_frame(vector, other)
    inputs = on_one_clock(vector, other)
    what = "an angle between vectors"
    first, second = cartesian(vector, what), cartesian(other, what)
    across = np.linalg.norm(np.cross(first, second), axis=1)
    along = (first * second).sum(axis=1)
    angle = np.degrees(np.arctan2(across, along))
    angle[(first == 0).all(axis=1) | (second == 0).all(axis=1)] = np.nan
    return derived(
        inputs,
        angle,
        unit="deg",
        period=0.0,
        name=name or "θ",
        description=f"angle between {vector.name or 'a vector'} and {other.name or 'another vector'}",
    )
