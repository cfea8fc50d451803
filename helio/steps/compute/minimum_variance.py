"""Minimum variance analysis of a boundary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.cartesian import Values, along_axes, cartesian, cartesian_names, renamed
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
        is below 4.

    Raises
    ------
    StepError
        With fewer than four complete vectors in the interval, or no variance in it.

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
    axes = _principal_axes(field, values, interval)
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

    def in_words(self, field: Table) -> str:
        large, middle, small = self.variances.tolist()
        normal = ", ".join(f"{part:.4f}" for part in self.axes[2].tolist())
        where = f" in {field.frame}" if field.frame else ""
        return (
            f"{field.name or 'vector'} along the axes of its minimum variance: λ_L/λ_M = "
            f"{_ratio(large, middle)}, "
            f"λ_M/λ_N = {_ratio(middle, small)}, N = ({normal}){where}, {self.samples} samples"
        )

    def doubts(self) -> tuple[str, ...]:
        _, middle, small = self.variances.tolist()
        if small > 0 and middle / small < WELL_SEPARATED:
            return (f"the normal is poorly determined: λ_M/λ_N is {middle / small:.2f}, less than 4",)
        return ()


def _principal_axes(field: Table, values: Values, interval: TimeRange | None) -> _PrincipalAxes:
    rows = slice(0, len(field))
    if interval is not None:
        bounds = [np.datetime64(time, "ns") for time in (interval.start, interval.stop)]
        first, last = np.searchsorted(field.epoch, np.array(bounds), side="left")
        rows = slice(int(first), int(last))
    complete = np.flatnonzero(np.isfinite(values[rows]).all(axis=1))
    where = "in the interval" if interval is not None else "in the series"
    if complete.size < FEWEST:
        raise StepError(
            f"a minimum variance analysis needs at least {FEWEST} complete vectors, but there are "
            f"{complete.size} {where}",
            advice=f"choose a longer interval, within the time range of the data: {_span(field)}",
        )
    used = np.ascontiguousarray(values[rows][complete].T)
    used -= used.mean(axis=1, keepdims=True)
    # Sums, not a product of matrices, whose last digits depend on the machine.
    covariance = np.array([[(component * other).mean() for other in used] for component in used])
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
        axes, np.maximum(variances[::-1], 0.0), rows.start + int(complete[0]), int(complete.size)
    )


def _span(field: Table) -> str:
    if not len(field):
        return "there are no records"
    first, last = (str(epoch)[:19].replace("T", " ") for epoch in (field.epoch[0], field.epoch[-1]))
    return f"{first} to {last} UT"


def _sign(value: float) -> float:
    return -1.0 if value < 0 else 1.0


def _ratio(one: float, other: float) -> str:
    return f"{one / other:.2f}" if other > 0 else "∞"
