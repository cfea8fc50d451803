"""Convection electric field."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.steps.compute.cartesian import cartesian, renamed
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.rotate import LETTERS
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    gives=Result(frame="{velocity}|{field}"),
    same=(MatchingTables("frame", ("velocity", "field")),),
    synonyms="convection_electric_field motional_electric_field",
)
def electric_field(
    velocity: Annotated[Table, Quantity("km/s", kind="vector")],
    field: Annotated[Table, Quantity("nT", kind="vector")],
) -> Annotated[Table, Quantity("mV/m", kind="vector")]:
    """Compute the electric field −V×B of a plasma that moves with its magnetic field.

    Parameters
    ----------
    velocity : Table, shape (n, 3) or (n, 4)
        Velocity of the plasma, km/s, in a Cartesian frame.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field, nT, in the same frame and on the same epochs.

    Returns
    -------
    Table, shape (n, 3)
        mV/m, in the frame of both tables, for an observer who measures this velocity. NaN where a component that
        the result needs is missing.

    Raises
    ------
    FrameMismatch
        When the two are in different frames.
    ClockMismatch
        When their epochs differ.

    References
    ----------
    Ideal Ohm's law, E + V×B = 0.

    Examples
    --------
    A wind of 400 km/s from the Sun and 5 nT southward: 2 mV/m from dawn to dusk.

    >>> from helio.steps.examples import vector
    >>> wind = vector([[-400.0, 0.0, 0.0]], "km/s", "V", frame="GSM")
    >>> made = electric_field(wind, vector([[0.0, 0.0, -5.0]], "nT", frame="GSM"))
    >>> made.component("y").values, made.unit
    (array([2.]), 'mV/m')
    """
    frame = same_frame(velocity, field)
    inputs = on_one_clock(velocity, field)
    (vx, vy, vz), (bx, by, bz) = (cartesian(vector, "an electric field").T for vector in (velocity, field))
    values = np.stack([vz * by - vy * bz, vx * bz - vz * bx, vy * bx - vx * by], axis=1)
    values *= 1e-3  # km/s times nT is µV/m
    return derived(
        inputs,
        values,
        unit="mV/m",
        name="E",
        description="electric field −V×B",
        components=renamed(("Ex", "Ey", "Ez"), LETTERS.get(frame.upper(), ("x", "y", "z"))),
        frame=frame,
    )
