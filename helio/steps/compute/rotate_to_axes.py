"""A vector expressed along axes that another step has computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.cartesian import along_axes, cartesian, cartesian_names, renamed
from helio.steps.compute.frame_words import words_in_frame
from helio.steps.compute.rotate import orthonormal
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table, merge_sources


@tool(
    version=3,
    context=RECORD,
    gives=Result(like="vector", frame="LMN", kind="vector"),
    same=(MatchingTables("frame", ("vector", "axes")),),
    synonyms="rotate_to_lmn project_on_axes",
)
def rotate_to_axes(
    vector: Annotated[Table, Quantity(kind="vector")], axes: Annotated[Table, Quantity("1", kind="vector")]
) -> Table:
    """Express a vector along the axes L, M, N of a minimum variance analysis.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Cartesian components in any unit, in the frame of the axes: a velocity, an electric field.
    axes : Table, shape (1, 9)
        L, M and N, as `minimum_variance` gives them.

    Returns
    -------
    Table, shape (n, 3)
        float64, unit unchanged, frame ``LMN``. NaN in all three components wherever one is missing.

    Raises
    ------
    StepError
        When `axes` are not one record of nine components, or not orthonormal.
    FrameMismatch
        When the axes are given in another frame than the vector.

    References
    ----------
    Sonnerup & Scheible in Analysis Methods for Multi-Spacecraft Data, ISSI SR-001, ch. 8 (1998).

    Examples
    --------
    The flow along the normal of a boundary, which follows from the magnetic field:

    >>> from helio.steps.examples import vector
    >>> from helio.steps.compute.minimum_variance import minimum_variance
    >>> turning = [[2.0, 5.0, 0.0], [2.0, 3.5, 3.5], [2.0, 0.0, 5.0], [2.0, -3.5, 3.5], [2.0, -5.0, 0.0]]
    >>> axes = minimum_variance(vector(turning, "nT"), give="axes")
    >>> flow = rotate_to_axes(vector([[-100.0, 0.0, 0.0]], "km/s", "V"), axes)
    >>> flow.components, abs(flow.values.round(1))
    (('V_L', 'V_M', 'V_N'), array([[  0.,   0., 100.]]))
    """
    if axes.values.shape != (1, 9):
        raise StepError(
            f"'{axes.name}' does not hold three axes: it has {number_of(len(axes), 'record')} of "
            f"{number_of(len(axes.components), 'component')}, not 1 record of 9",
            advice='compute the axes with the tool minimum_variance and its argument give: "axes"',
        )
    same_frame(vector, axes)
    matrix = orthonormal(axes.values.reshape(3, 3).tolist())
    names = cartesian_names(vector, "a rotation")
    return replace(
        vector,
        values=along_axes(cartesian(vector, "a rotation"), matrix),
        frame="LMN",
        components=renamed(names, ("L", "M", "N")),
        **words_in_frame(vector, "LMN"),
        sources=merge_sources((vector, axes)),
        notes=tuple(dict.fromkeys((*vector.notes, *axes.notes))),
    )
