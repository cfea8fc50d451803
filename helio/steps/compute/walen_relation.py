"""The Walén relation at a boundary."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.alpha_particles import alpha_fraction, mass_per_proton
from helio.steps.compute.cartesian import cartesian, cartesian_names, renamed
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.interval_rows import longer_interval, rows_in, where_in
from helio.steps.compute.possible import positive
from helio.steps.compute.regression import slope_and_correlation
from helio.steps.compute.rotate import LETTERS
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import TimeRange

FEWEST = 3
"""The smallest number of samples from which helio computes a regression line."""


@tool(
    version=2,
    context=whole_range("the regression line is computed from all records of the interval"),
    gives=Result(
        kind="vector",
        by={
            "give": {
                "quality": Result(unit="", frame=""),
                "alfven_velocity": Result(unit="km/s", frame="{velocity}|{field}"),
            }
        },
    ),
    same=(MatchingTables("frame", ("velocity", "field")),),
    synonyms="walen walen_test walen_slope",
)
def walen_relation(
    velocity: Annotated[Table, Quantity("km/s", kind="vector")],
    field: Annotated[Table, Quantity("nT", kind="vector")],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    interval: TimeRange | None = None,
    assumed_alpha: float | None = None,
    give: Literal["quality", "alfven_velocity"] = "quality",
) -> Table:
    """Compare the velocity in the de Hoffmann–Teller frame with the Alfvén velocity, component by component.

    Parameters
    ----------
    velocity : Table, shape (n, 3) or (n, 4)
        V − V_HT, km/s, as `de_hoffmann_teller` gives it with give ``"velocity"``.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field, nT, in the same frame and on the same epochs.
    density : Table, shape (n,)
        Protons per volume, cm^-3, on the same epochs.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton, on the same epochs. Without `alpha_ratio` and `assumed_alpha`, the plasma
        consists of protons only.
    interval : TimeRange
        Interval of the regression; default: the whole series. Records with a missing value are left out.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing.
    give : "quality" or "alfven_velocity"
        The kind of result; see below.

    Returns
    -------
    Table
        ``quality``, shape (1, 8), without a unit, at the first epoch that was used: ``slope`` and ``correlation`` of
        the regression line of V − V_HT against V_A, with all components taken together, then slope and correlation of
        each component. NaN where a component does not vary.
        ``alfven_velocity``, shape (n, 3): V_A = B/√(μ₀ρ), km/s, in the frame of both vectors, for a plot of V − V_HT
        against V_A. NaN outside the interval, and where a value is missing or the density is not positive.

    Raises
    ------
    StepError
        With fewer than three complete records in the interval.
    FrameMismatch
        When the vectors are in different frames.
    ClockMismatch
        When the epochs differ.

    Notes
    -----
    At a rotational discontinuity, such as the open magnetopause, V − V_HT = ±V_A: the slope is +1 or −1, positive
    where plasma flows along the field through the boundary. At a tangential discontinuity the slope is near 0. The
    pressure is taken as isotropic.

    References
    ----------
    Walén, Ark. Mat. Astron. Fys. 30A, no. 15 (1944); Khrabrov & Sonnerup in Analysis Methods for Multi-Spacecraft Data,
    ISSI SR-001, ch. 9 (1998); Sonnerup et al., J. Geophys. Res. 92, 12137 (1987).

    Examples
    --------
    A flow of 0.8 times the Alfvén velocity against the field, at 1 proton per cm³ and in components of 1, 2 and 3 nT:

    >>> from helio.steps.examples import series, vector
    >>> field = vector([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]], "nT")
    >>> flow = vector((-0.8 * 21.812 * field.values).tolist(), "km/s", "V")
    >>> walen = walen_relation(flow, field, series([1.0, 1.0, 1.0], "cm^-3"))
    >>> walen.component("slope").values.round(3), walen.component("correlation").values.round(3)
    (array([-0.8]), array([-1.]))
    """
    what = "the Walén relation"
    frame = same_frame(velocity, field)
    inputs = on_one_clock(velocity, field, density, alpha_ratio)
    flow, magnetic = cartesian(velocity, what), cartesian(field, what)
    mass_density = positive(density) * mass_per_proton(alpha_fraction(alpha_ratio, assumed_alpha)) * 1e6
    # nT and m/s into km/s
    alfven = magnetic * (1e-12 / np.sqrt(VACUUM_PERMEABILITY * mass_density))[:, np.newaxis]
    rows = rows_in(field, interval)
    complete = np.flatnonzero(np.isfinite(flow[rows]).all(axis=1) & np.isfinite(alfven[rows]).all(axis=1))
    if complete.size < FEWEST:
        raise StepError(
            f"{what} needs at least {FEWEST} complete records of velocity, field and density, but there are "
            f"{complete.size} {where_in(interval)}",
            advice=longer_interval(field),
        )
    expected, measured = alfven[rows][complete], flow[rows][complete]
    pairs = [(expected.ravel(), measured.ravel()), *zip(expected.T, measured.T, strict=True)]
    numbers = [number for x, y in pairs for number in slope_and_correlation(x, y)]
    description = (
        f"V − V_HT against V_A: slope {numbers[0]:.3f}, correlation {numbers[1]:.3f}, {complete.size} samples"
    )
    letters = LETTERS.get(frame.upper(), ("x", "y", "z"))
    if give == "alfven_velocity":
        inside = np.full(alfven.shape, np.nan)
        inside[rows] = alfven[rows]
        components = renamed(("Vx", "Vy", "Vz"), letters)
        return derived(
            inputs,
            inside,
            unit="km/s",
            name="V_A",
            description=description,
            components=tuple(name.replace("V", "V_A", 1) for name in components),
            frame=frame,
        )
    first = rows.start + int(complete[0])
    names = [name.strip()[-1:] for name in cartesian_names(velocity, what)]
    made = derived(
        tuple(table.take(slice(first, first + 1)) for table in inputs),
        np.array([numbers]),
        unit="",
        name="Walén relation",
        description=description,
        components=(
            "slope",
            "correlation",
            *(f"{number} {letter}" for letter in names for number in ("slope", "correlation")),
        ),
    )
    return replace(made, stated_representation="none")
