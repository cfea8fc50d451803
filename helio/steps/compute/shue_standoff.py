"""Distance and flaring of the magnetopause after Shue et al."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.knowledge.magnetosphere import shue_parameters
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.lone_component import hold_b_z
from helio.steps.compute.possible import positive
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=2,
    context=RECORD,
    gives=Result(
        frame="", kind="scalar", by={"give": {"standoff": Result(unit="R_E"), "flaring": Result(unit="")}}
    ),
    synonyms=(
        "magnetopause_standoff magnetopause_standoff_distance shue_1998 shue shue_magnetopause "
        "standoff_distance"
    ),
)
def shue_standoff(
    pressure: Annotated[Table, Quantity("nPa", kind="scalar")],
    bz: Annotated[Table, Quantity("nT", kind="scalar", frames=("GSM",))],
    *,
    give: Literal["standoff", "flaring"] = "standoff",
) -> Table:
    """Compute the magnetopause of Shue et al. (1998): its subsolar distance, or its flaring.

    Parameters
    ----------
    pressure : Table, shape (n,)
        Dynamic pressure of the solar wind, nPa.
    bz : Table, shape (n,)
        z component of the interplanetary field in GSM, nT, on the same epochs.
    give : "standoff" or "flaring"
        r₀, or the exponent α of r = r₀ (2/(1 + cos θ))^α.

    Returns
    -------
    Table, shape (n,)
        r₀ in R_E, or α without a unit. NaN where either is missing or the pressure is not positive. The model was
        made from 0.5 to 8.5 nPa and −18 to 15 nT; beyond, it is an extrapolation.

    Raises
    ------
    FrameMismatch
        When B_z is in a different frame, according to its file or its name.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Shue et al., J. Geophys. Res. 103, 17691 (1998), eqs. 10 and 11.

    Examples
    --------
    At 2 nPa, B_z of 0 and of −10 nT:

    >>> from helio.steps.examples import series
    >>> pressure, bz = series([2.0, 2.0], "nPa"), series([0.0, -10.0], "nT", "Bz GSM")
    >>> shue_standoff(pressure, bz).values.round(2)
    array([10.25,  8.82])
    """
    hold_b_z(bz, "the standoff distance")
    inputs = on_one_clock(pressure, bz)
    nanopascal = positive(pressure)
    field = bz.values.astype(np.float64)
    distance, exponent = shue_parameters(nanopascal, field)
    if give == "flaring":
        return derived(
            inputs, exponent, unit="", name="α", description="flaring of the magnetopause, Shue et al. 1998"
        )
    return derived(
        inputs,
        distance,
        unit="R_E",
        name="r₀",
        description="standoff distance of the magnetopause, Shue et al. 1998",
    )
