"""Minimum variance analysis of a boundary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.cartesian import Values, along_axes, cartesian, cartesian_names, renamed
from helio.steps.compute.interval_rows import longer_interval, rows_in, where_in
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import TimeRange

FEWEST = 4
"""The smallest number of vectors that can vary in three directions."""

WELL_SEPARATED = 4.0
"""The axes are well determined above this ratio of the intermediate to the smallest eigenvalue; authors use 2 to 10."""


@tool(
    version=3,
    context=whole_range("the axes are computed from all records of the interval"),
    gives=Result(
        kind="vector",
        by={
            "give": {
                "vector": Result(like="field", frame="LMN"),
                "axes": Result(like="field", unit=""),
                "eigenvalues": Result(like="field", unit="{field}^2", frame=""),
            }
        },
    ),
    synonyms="mva minvar minimum_variance_analysis mva_analysis",
)
def minimum_variance(
    field: Annotated[Table, Quantity(kind="vector")],
    *,
    interval: TimeRange | None = None,
    constraint: Literal["none", "zero_normal_field"] = "none",
    give: Literal["vector", "axes", "eigenvalues"] = "vector",
) -> Table:
    """Find the directions L, M, N of largest, intermediate and smallest variance of a vector.

    Parameters
    ----------
    field : Table, shape (n, 3) or (n, 4)
        Usually the magnetic field across a boundary; any unit and Cartesian frame. A fourth component that is the
        magnitude is left out.
    interval : TimeRange
        Interval of the variance; default: the whole series. Records with a missing component are left
        out.
    constraint : "none" or "zero_normal_field"
        ``zero_normal_field`` requires that N is perpendicular to the mean vector, ⟨B⟩·N = 0, as at a tangential
        discontinuity: N and L are then the directions of smallest and largest variance in the plane perpendicular to
        the mean, and M is parallel or antiparallel to the mean.
    give : "vector", "axes" or "eigenvalues"
        The kind of result; see below. `rotate_to_axes` takes the axes, to rotate another vector.

    Returns
    -------
    Table
        ``vector``, shape (n, 3): the whole series along L, M, N, in its unit, frame ``LMN``. NaN in all three
        where a component is missing.
        ``axes``, shape (1, 9): L, M and N as unit vectors in the frame of the field, without a unit, at the first
        epoch that was used.
        ``eigenvalues``, shape (1, 3): the variances along L, M, N, λ_L ≥ λ_M ≥ λ_N, in the square of the unit.
        The description of the table gives eigenvalue ratios, normal and number of samples; a note warns when λ_M/λ_N
        is below 4. With the constraint, λ_M is the variance along the mean, which does not compete with the others, and
        the ratio that counts is λ_L/λ_N.

    Raises
    ------
    StepError
        With fewer than four complete vectors in the interval, or no variance in it; with the constraint, if the mean
        vector is zero, or nothing varies perpendicular to it.

    Notes
    -----
    An eigenvector has no sign. Here the first component of N is not negative: in GSE and GSM it points towards
    the Sun. The last component of L is not negative: it points north. M = N × L makes L, M, N right-handed.

    References
    ----------
    Sonnerup & Cahill, J. Geophys. Res. 72, 171 (1967); Sonnerup & Scheible in Analysis Methods for Multi-Spacecraft
    Data, ISSI SR-001, ch. 8 (1998).

    Examples
    --------
    A field that turns from +y by +z to −y, with a constant component along x, the normal:

    >>> from helio.steps.examples import vector
    >>> turning = [[2.0, 5.0, 0.0], [2.0, 3.5, 3.5], [2.0, 0.0, 5.0], [2.0, -3.5, 3.5], [2.0, -5.0, 0.0]]
    >>> along = minimum_variance(vector(turning, "nT"))
    >>> along.components, along.frame, along.component("B_N").values.round(1)
    (('B_L', 'B_M', 'B_N'), 'LMN', array([2., 2., 2., 2., 2.]))
    >>> minimum_variance(vector(turning, "nT"), give="eigenvalues").values.round(1)
    array([[14.9,  4.1,  0. ]])
    """
    names = cartesian_names(field, "a minimum variance analysis")
    values = cartesian(field, "a minimum variance analysis")
    axes = _principal_axes(field, values, interval, constrained=constraint == "zero_normal_field")
    result = replace(field, description=axes.in_words(field), notes=(*field.notes, *axes.doubts()))
    if give == "vector":
        return replace(
            result,
            values=along_axes(values, axes.axes),
            frame="LMN",
            components=renamed(names, ("L", "M", "N")),
        )
    once = result.take(slice(axes.first, axes.first + 1))
    if give == "axes":
        letters = [name.strip()[-1:] for name in names]
        return replace(
            once,
            values=axes.axes.reshape(1, 9).copy(),
            unit="",
            name="LMN axes",
            components=tuple(f"{axis}_{letter}" for axis in "LMN" for letter in letters),
            stated_representation="none",
        )
    return replace(
        once,
        values=axes.variances[np.newaxis].copy(),
        unit=unit_product((field.unit, 2)) if field.unit else "",
        name="λ",
        frame="",
        components=("λ_L", "λ_M", "λ_N"),
        stated_representation="diagonal",
    )


@dataclass(frozen=True)
class _PrincipalAxes:
    axes: npt.NDArray[np.float64]
    """The unit vectors L, M, N, one in each row."""
    variances: npt.NDArray[np.float64]
    first: int
    samples: int
    constrained: bool

    def in_words(self, field: Table) -> str:
        large, middle, small = self.variances.tolist()
        normal = ", ".join(f"{part:.4f}" for part in self.axes[2].tolist())
        where = f" in {field.frame}" if field.frame else ""
        ratios = (
            f"λ_L/λ_N = {_ratio(large, small)}, mean of the normal component required to be 0"
            if self.constrained
            else f"λ_L/λ_M = {_ratio(large, middle)}, λ_M/λ_N = {_ratio(middle, small)}"
        )
        return (
            f"{field.name or 'vector'} along the axes of its minimum variance: {ratios}, "
            f"N = ({normal}){where}, {self.samples} samples"
        )

    def doubts(self) -> tuple[str, ...]:
        large, middle, small = self.variances.tolist()
        next_larger, ratio = (large, "λ_L/λ_N") if self.constrained else (middle, "λ_M/λ_N")
        if small > 0 and next_larger / small < WELL_SEPARATED:
            return (f"the normal is poorly determined: {ratio} is {next_larger / small:.2f}, less than 4",)
        return ()


def _principal_axes(
    field: Table, values: Values, interval: TimeRange | None, *, constrained: bool
) -> _PrincipalAxes:
    rows = rows_in(field, interval)
    complete = np.flatnonzero(np.isfinite(values[rows]).all(axis=1))
    where = where_in(interval)
    if complete.size < FEWEST:
        raise StepError(
            f"a minimum variance analysis needs at least {FEWEST} complete vectors, but there are "
            f"{complete.size} {where}",
            advice=longer_interval(field),
        )
    used = np.ascontiguousarray(values[rows][complete].T)
    mean = used.mean(axis=1, keepdims=True)
    used -= mean
    # Sums, not a product of matrices, whose last digits depend on the machine.
    covariance = np.array([[(component * other).mean() for other in used] for component in used])
    if constrained:
        variances, vectors = _perpendicular(covariance, mean[:, 0], where)
    else:
        variances, vectors = np.linalg.eigh(covariance)
    if not variances[2] > 0:
        raise StepError(
            f"the vector does not vary {where}, so directions of large and small variance cannot be "
            "distinguished"
        )
    normal = vectors[:, 0] * _sign(vectors[0, 0])
    largest = vectors[:, 2] * _sign(vectors[2, 2])
    axes = np.array([largest, np.cross(normal, largest), normal])
    # Rounding makes the smallest variance of a plane wave a negative zero.
    return _PrincipalAxes(
        axes,
        np.maximum(variances[::-1], 0.0),
        rows.start + int(complete[0]),
        int(complete.size),
        constrained,
    )


def _perpendicular(covariance: Values, mean: Values, where: str) -> tuple[Values, Values]:
    """Return variances and directions: smallest perpendicular to the mean, along the mean, largest perpendicular to it.

    The first and the last are the non-zero eigenvalues of P M P, where P projects onto the plane perpendicular to the
    mean: those of a 2 × 2 matrix in a basis of the plane.
    """
    length = float(np.sqrt((mean * mean).sum()))
    if not length > 0:
        raise StepError(
            f"the mean of the vector {where} is zero, so there is no direction to which the normal must be "
            "perpendicular",
            advice='choose another interval, or constraint "none"',
        )
    along = mean / length
    first = np.cross(along, np.eye(3)[int(np.abs(along).argmin())])
    first /= np.sqrt((first * first).sum())
    basis = np.array([first, np.cross(along, first)])
    in_plane = np.array([[row @ covariance @ column for column in basis] for row in basis])
    (small, large), turned = np.linalg.eigh(in_plane)
    vectors = np.column_stack([turned[:, 0] @ basis, along, turned[:, 1] @ basis])
    return np.array([small, along @ covariance @ along, large]), vectors


def _sign(value: float) -> float:
    return -1.0 if value < 0 else 1.0


def _ratio(one: float, other: float) -> str:
    return f"{one / other:.2f}" if other > 0 else "∞"
