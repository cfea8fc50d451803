"""A vector expressed along other axes, which a rotation matrix gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.cartesian import along_axes, cartesian, cartesian_names, renamed
from helio.steps.compute.frame_words import words_in_frame
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

ORTHONORMAL = 1e-6
"""Products of the rows of a rotation matrix may differ from 0 or 1 by this much; seven printed digits are enough."""

LETTERS: dict[str, tuple[str, str, str]] = {"LMN": ("L", "M", "N"), "RTN": ("R", "T", "N")}
"""Names of the axes of frames whose axes are not called x, y, z."""


@tool(
    version=3,
    context=RECORD,
    gives=Result(like="vector", frame="{frame}|?", kind="vector"),
    synonyms="rotate_vector apply_rotation rotate_by_matrix",
)
def rotate(
    vector: Annotated[Table, Quantity(kind="vector")], *, matrix: list[list[float]], frame: str
) -> Table:
    """Express a vector along other axes, which a rotation matrix gives.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Cartesian components in any unit and frame. A fourth component that is the magnitude is left out.
    matrix : list of three rows of three numbers
        Row i is the new axis i, a unit vector in the frame of `vector`; the rows are orthogonal and right-handed.
    frame : str
        Name of the new frame: ``"LMN"``, ``"RTN"``, ``"boundary"``.

    Returns
    -------
    Table, shape (n, 3)
        float64, in the same unit: the scalar products of the three axes with the vector. NaN in all three
        components where a component of the vector is missing. Components are named after L, M, N or R, T, N for
        these frames, otherwise after x, y, z.

    Raises
    ------
    StepError
        When the matrix is not 3×3, its rows are not orthonormal within 1e-6, or its axes are left-handed.

    References
    ----------
    Goldstein, Poole & Safko, Classical Mechanics (3rd ed.), ch. 4: orthogonal transformations.

    Examples
    --------
    A quarter of a turn about z:

    >>> from helio.steps.examples import vector
    >>> quarter = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> rotate(vector([[3.0, 4.0, 5.0]], "nT"), matrix=quarter, frame="turned").values
    array([[ 4., -3.,  5.]])
    """
    axes = orthonormal(matrix)
    names = cartesian_names(vector, "a rotation")
    return replace(
        vector,
        values=along_axes(cartesian(vector, "a rotation"), axes),
        frame=frame,
        components=renamed(names, LETTERS.get(frame.upper(), ("x", "y", "z"))),
        **words_in_frame(vector, frame),
    )


def orthonormal(matrix: list[list[float]]) -> npt.NDArray[np.float64]:
    """Return a matrix as an array, or raise an error if the matrix is not a rotation."""
    if len(matrix) != 3 or any(len(row) != 3 for row in matrix):
        raise StepError(
            "a rotation needs three rows of three numbers, but the rows of the matrix have these "
            f"lengths: {[len(row) for row in matrix]}",
            advice="write matrix: [[Lx, Ly, Lz], [Mx, My, Mz], [Nx, Ny, Nz]]",
        )
    axes = np.array(matrix, dtype=np.float64)
    products = axes @ axes.T
    wrong = np.argwhere(~(np.abs(products - np.eye(3)) <= ORTHONORMAL))
    if wrong.size:
        first, second = (int(index) + 1 for index in wrong[0])
        value = products[first - 1, second - 1]
        what = (
            f"row {first} has the length {np.sqrt(value):.7g}, not 1"
            if first == second
            else f"the scalar product of rows {first} and {second} is {value:.3g}, not 0"
        )
        raise StepError(
            f"the matrix is not a rotation: {what}",
            advice="give unit vectors that are orthogonal, with at least seven digits",
        )
    if np.linalg.det(axes) < 0:
        raise StepError(
            "the matrix is not a rotation: its axes are left-handed",
            advice="change the sign of one row: M = N × L",
        )
    return axes
