"""The de Hoffmann–Teller frame of a boundary."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.steps.compute.cartesian import Values, cartesian, cartesian_names, renamed
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.interval_rows import longer_interval, rows_in, where_in
from helio.steps.compute.regression import slope_and_correlation
from helio.steps.compute.rotate import LETTERS
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import TimeRange

FEWEST = 3
"""The smallest number of samples from which helio computes a frame."""

SINGULAR = 1e-9
"""If the smallest eigenvalue of the matrix K₀ is below this fraction of the largest, V_HT is not determined."""

WELL_CORRELATED = 0.9
"""Below this correlation of the electric fields, a note warns that there is no good frame."""


@tool(
    version=1,
    context=whole_range("one frame is computed from all records of the interval"),
    gives=Result(
        frame="{velocity}|{field}",
        kind="vector",
        by={
            "give": {
                "frame_velocity": Result(unit="km/s"),
                "velocity": Result(unit="km/s"),
                "electric_field": Result(unit="mV/m"),
                "quality": Result(unit="", frame=""),
            }
        },
    ),
    same=(MatchingTables("frame", ("velocity", "field")),),
    synonyms="dehoffmann_teller de_hoffmann_teller_frame ht_frame hoffman_teller htframe v_ht",
)
def de_hoffmann_teller(
    velocity: Annotated[Table, Quantity("km/s", kind="vector")],
    field: Annotated[Table, Quantity("nT", kind="vector")],
    *,
    interval: TimeRange | None = None,
    give: Literal["frame_velocity", "velocity", "electric_field", "quality"] = "frame_velocity",
) -> Table:
    """Find the de Hoffmann–Teller frame, the moving frame in which the electric field of the plasma is smallest.

    Parameters
    ----------
    velocity : Table, shape (n, 3) or (n, 4)
        Velocity of the plasma across a boundary, km/s, in a Cartesian frame.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field, nT, in the same frame and on the same epochs.
    interval : TimeRange
        Interval in which the frame is computed; default: the whole series. Records with a missing component are left
        out.
    give : "frame_velocity", "velocity", "electric_field" or "quality"
        The kind of result; see below.

    Returns
    -------
    Table
        ``frame_velocity``, shape (1, 3): V_HT, km/s, at the first epoch that was used. It minimises the mean of
        |(V − V_HT)×B|²: V_HT = K₀⁻¹⟨K V⟩, with K = B²I − BB and K₀ = ⟨K⟩.
        ``velocity``, shape (n, 3): V − V_HT of the whole series, km/s.
        ``electric_field``, shape (n, 3): E_HT = −V_HT×B of the whole series, mV/m, for comparison with −V×B, which
        `electric_field` computes.
        ``quality``, shape (1, 3), without a unit: the slope and the correlation of the regression line of −V×B
        against E_HT, with all components in the interval taken together, and D/D₀, the mean of |(V − V_HT)×B|²
        divided by that of |V×B|². A good frame has 1, 1 and 0. The description gives these numbers and V_HT; a note
        warns when the correlation is below 0.9.

    Raises
    ------
    StepError
        With fewer than three complete records in the interval, or when the field keeps one direction: then the
        component of V_HT along it is not determined.
    FrameMismatch
        When the two are in different frames.
    ClockMismatch
        When their epochs differ.

    References
    ----------
    de Hoffmann & Teller, Phys. Rev. 80, 692 (1950); Khrabrov & Sonnerup in Analysis Methods for Multi-Spacecraft Data,
    ISSI SR-001, ch. 9 (1998), eqs. 9.8 to 9.10.

    Examples
    --------
    A structure that moves with 100 km/s along x, with a flow along the field in its frame:

    >>> import numpy as np
    >>> from helio.steps.examples import vector
    >>> field = vector([[2.0, 5.0, 0.0], [2.0, 3.0, 4.0], [2.0, 0.0, 5.0], [2.0, -3.0, 4.0]], "nT")
    >>> flow = vector((np.array([100.0, 0.0, 0.0]) + 20.0 * field.values).tolist(), "km/s", "V")
    >>> de_hoffmann_teller(flow, field).values.round(6) + 0.0
    array([[100.,   0.,   0.]])
    >>> de_hoffmann_teller(flow, field, give="quality").values.round(6) + 0.0
    array([[1., 1., 0.]])
    """
    what = "a de Hoffmann–Teller analysis"
    frame = same_frame(velocity, field)
    inputs = on_one_clock(velocity, field)
    flow, magnetic = cartesian(velocity, what), cartesian(field, what)
    rows = rows_in(field, interval)
    complete = np.flatnonzero(np.isfinite(flow[rows]).all(axis=1) & np.isfinite(magnetic[rows]).all(axis=1))
    if complete.size < FEWEST:
        raise StepError(
            f"{what} needs at least {FEWEST} complete records of velocity and field, but there are "
            f"{complete.size} {where_in(interval)}",
            advice=longer_interval(field),
        )
    first = rows.start + int(complete[0])
    used, used_field = flow[rows][complete], magnetic[rows][complete]
    moving = _frame_velocity(used, used_field, where_in(interval))
    measured, expected = _convection(used, used_field), _convection(moving[np.newaxis], used_field)
    slope, correlation = slope_and_correlation(expected.ravel(), measured.ravel())
    left, whole = ((electric * electric).sum() for electric in (measured - expected, measured))
    remaining = float(left / whole) if whole > 0 else np.nan
    motion = ", ".join(f"{part:.1f}" for part in moving.tolist())
    description = (
        f"V_HT = ({motion}) km/s{f' in {frame}' if frame else ''}, slope {slope:.3f}, correlation "
        f"{correlation:.3f}, D/D₀ = {remaining:.3g}, {complete.size} samples"
    )
    names = cartesian_names(velocity, what)
    letters = LETTERS.get(frame.upper(), ("x", "y", "z"))
    if give == "velocity":
        made = derived(
            inputs,
            flow - moving,
            unit="km/s",
            name="V − V_HT",
            description=description,
            components=names,
            frame=frame,
        )
    elif give == "electric_field":
        made = derived(
            inputs,
            _convection(moving[np.newaxis], magnetic),
            unit="mV/m",
            name="E_HT",
            description=description,
            components=renamed(("Ex", "Ey", "Ez"), letters),
            frame=frame,
        )
    elif give == "frame_velocity":
        once = tuple(table.take(slice(first, first + 1)) for table in inputs)
        made = derived(
            once,
            moving[np.newaxis],
            unit="km/s",
            name="V_HT",
            description=description,
            components=renamed(("Vx", "Vy", "Vz"), letters),
            frame=frame,
        )
    else:
        once = tuple(table.take(slice(first, first + 1)) for table in inputs)
        made = replace(
            derived(
                once,
                np.array([[slope, correlation, remaining]]),
                unit="",
                name="quality of the de Hoffmann–Teller frame",
                description=description,
                components=("slope", "correlation", "D/D₀"),
            ),
            stated_representation="none",
        )
    if not correlation >= WELL_CORRELATED:
        doubt = (
            f"there is no good de Hoffmann–Teller frame: the correlation is {correlation:.3f}, less than 0.9"
        )
        made = replace(made, notes=(*made.notes, doubt))
    return made


def _frame_velocity(flow: Values, magnetic: Values, where: str) -> Values:
    """Return V_HT, shape (3,), in km/s."""
    squares = (magnetic * magnetic).sum(axis=1)
    along = (magnetic * flow).sum(axis=1)
    # Sums, not a product of matrices, whose last digits depend on the machine.
    k_zero = np.array(
        [
            [
                (squares * (row == column) - magnetic[:, row] * magnetic[:, column]).mean()
                for column in range(3)
            ]
            for row in range(3)
        ]
    )
    k_flow = (squares[:, np.newaxis] * flow - magnetic * along[:, np.newaxis]).mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(k_zero)
    if not eigenvalues[0] > SINGULAR * eigenvalues[2]:
        raise StepError(
            f"the magnetic field keeps one direction {where}, so the component of V_HT along it is not determined",
            advice="choose an interval in which the field turns",
        )
    return np.asarray(np.linalg.solve(k_zero, k_flow))


def _convection(flow: Values, magnetic: Values) -> Values:
    """Compute −V×B in mV/m, from km/s and nT."""
    (vx, vy, vz), (bx, by, bz) = flow.T, magnetic.T
    return np.stack([vz * by - vy * bz, vx * bz - vz * bx, vy * bx - vx * by], axis=1) * 1e-3
