"""Components of a vector along a field and across it."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

Vector = Annotated[Table, Quantity(kind="vector")]


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="{vector}", frame="", kind="scalar"),
    same=(MatchingTables("frame", ("vector", "field")),),
    synonyms="parallel_component perpendicular_component parallel_electric_field project_on_field",
)
def along_field(
    vector: Vector, field: Vector, *, give: Literal["parallel", "perpendicular"] = "parallel"
) -> Table:
    """Compute the component of a vector along a field, or the length of its part across it, record by record.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Any unit: an electric field, a flow, a current.
    field : Table, shape (n, 3) or (n, 4)
        The field, in the same frame and on the same epochs, in any unit; only its direction counts.
    give : "parallel" or "perpendicular"
        The kind of result; see below.

    Returns
    -------
    Table, shape (n,)
        ``parallel``: a · b/|b| in the unit of the vector, negative against the field.
        ``perpendicular``: |a × b|/|b|, never negative.
        NaN where a component is missing or the field is 0.

    Raises
    ------
    FrameMismatch
        When the vectors are in different frames.
    ClockMismatch
        When the epochs differ.
    StepError
        When a vector does not have three Cartesian components.

    References
    ----------
    Paschmann & Daly, Analysis Methods for Multi-Spacecraft Data, ISSI SR-001 (1998), for field-aligned coordinates.

    Examples
    --------
    Along the field, against it with a part across it, and across it:

    >>> from helio.steps.examples import vector
    >>> current = vector([[0.0, 0.0, 2.0], [3.0, 4.0, -1.0], [5.0, 0.0, 0.0]], "nA/m^2", "J")
    >>> field = vector([[0.0, 0.0, 30.0]] * 3, "nT")
    >>> along_field(current, field).values, along_field(current, field, give="perpendicular").values
    (array([ 2., -1.,  0.]), array([0., 5., 5.]))
    """
    same_frame(vector, field)
    inputs = on_one_clock(vector, field)
    what = "a component along the field"
    first, second = cartesian(vector, what), cartesian(field, what)
    length = np.linalg.norm(second, axis=1)
    above = (
        (first * second).sum(axis=1)
        if give == "parallel"
        else np.linalg.norm(np.cross(first, second), axis=1)
    )
    values = np.full(length.shape, np.nan)
    np.divide(above, length, out=values, where=length > 0)
    name = vector.name or "vector"
    return derived(
        inputs,
        values,
        unit=vector.unit,
        name=f"{name}{'∥' if give == 'parallel' else '⊥'}",
        description=f"{name} {'along' if give == 'parallel' else 'across'} {field.name or 'the field'}",
    )
