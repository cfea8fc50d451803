"""Length of a vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import cartesian
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    gives=Result(like="vector", frame="", kind="scalar"),
    synonyms="vector_magnitude compute_magnitude norm vector_norm total_field field_magnitude",
)
def magnitude(vector: Annotated[Table, Quantity(kind="vector")]) -> Table:
    """Compute the Euclidean norm of a vector of three components.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Three Cartesian components in any unit (``Bx``, ``By``, ``Bz``; ``V_R``, ``V_T``, ``V_N``). A fourth component
        is left out when its name says that it is the magnitude (``|B|``, ``Bt``, ``R``), as MMS delivers it.

    Returns
    -------
    Table, shape (n,)
        float64, in the unit of the vector, named ``|B|`` for a vector ``B``; it has no frame. NaN wherever one of
        the components is NaN: a magnitude of fewer components would be too small.

    Raises
    ------
    StepError
        When the table does not have three components, or when its three components are no vector, such as fluxes in
        three bands.

    References
    ----------
    |B| = (Bx² + By² + Bz²)^½, in any orthonormal frame.

    Examples
    --------
    5 nT and 3 nT:

    >>> from helio.steps.examples import vector
    >>> length = magnitude(vector([[3.0, 4.0, 0.0], [1.0, 2.0, 2.0]], "nT"))
    >>> length.values, length.name, length.unit
    (array([5., 3.]), '|B|', 'nT')
    """
    return replace(
        vector,
        values=np.linalg.norm(cartesian(vector, "a magnitude", spreads=True), axis=1),
        components=(),
        stated_periods=(),
        frame="",
        name=f"|{vector.name}|" if vector.name else "magnitude",
        description=f"magnitude of {vector.description}" if vector.description else "",
    )
