"""Drift velocity in crossed electric and magnetic fields."""

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
    version=1,
    context=RECORD,
    gives=Result(frame="{electric}|{field}"),
    same=(MatchingTables("frame", ("electric", "field")),),
    synonyms="electric_drift e_cross_b exb_velocity",
)
def exb_drift(
    electric: Annotated[Table, Quantity("mV/m", kind="vector")],
    field: Annotated[Table, Quantity("nT", kind="vector")],
) -> Annotated[Table, Quantity("km/s", kind="vector")]:
    """Compute the drift velocity E×B/B² of a plasma from its electric and magnetic field.

    Parameters
    ----------
    electric : Table, shape (n, 3) or (n, 4)
        Electric field, mV/m, in a Cartesian frame.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field, nT, in the same frame and on the same epochs.

    Returns
    -------
    Table, shape (n, 3)
        km/s, in the frame of both tables, across the magnetic field. NaN in all components where one is missing or the
        magnetic field is 0.

    Raises
    ------
    FrameMismatch
        When the two are in different frames.
    ClockMismatch
        When their epochs differ.

    References
    ----------
    The drift is the same for all particles: Baumjohann & Treumann, Basic Space Plasma Physics, ch. 2 (1996).

    Examples
    --------
    The field of 2 mV/m that a wind of 400 km/s carries in 5 nT gives this speed again.

    >>> from helio.steps.examples import vector
    >>> electric = vector([[0.0, 2.0, 0.0]], "mV/m", "E", frame="GSM")
    >>> exb_drift(electric, vector([[0.0, 0.0, -5.0]], "nT", frame="GSM")).component("x").values
    array([-400.])
    """
    frame = same_frame(electric, field)
    inputs = on_one_clock(electric, field)
    force, lines = (cartesian(vector, "an E×B drift") for vector in (electric, field))
    square = np.sum(lines * lines, axis=1)
    square[square == 0] = np.nan
    values = 1e3 * np.cross(force, lines) / square[:, None]  # mV/m over nT is 1000 km/s
    values[~np.isfinite(values).all(axis=1)] = np.nan
    return derived(
        inputs,
        values,
        unit="km/s",
        name="V_E×B",
        description="E×B drift",
        components=renamed(("Vx", "Vy", "Vz"), LETTERS.get(frame.upper(), ("x", "y", "z"))),
        frame=frame,
    )
