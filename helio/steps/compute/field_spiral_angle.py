"""The angle of the measured magnetic field in the plane of the Parker spiral."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.steps.compute.angles import shorter_way, within_turn
from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(
        frame="",
        kind="scalar",
        by={
            "give": {
                "angle": Result(unit="deg"),
                "deviation": Result(unit="deg"),
                "polarity": Result(unit=""),
            }
        },
    ),
    synonyms="observed_spiral_angle imf_spiral_angle measured_spiral_angle sector_polarity magnetic_polarity",
)
def field_spiral_angle(
    field: Annotated[Table, Quantity(kind="vector", frames=("RTN", "GSE"))],
    expected: Annotated[Table, Quantity("deg", kind="scalar")] | None = None,
    *,
    give: Literal["angle", "deviation", "polarity"] = "angle",
) -> Table:
    """Compute the angle of the measured field in the R–T plane, to compare it with the Parker spiral.

    Parameters
    ----------
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field in RTN, or near the Earth in GSE, where R is −x and T is −y; any unit.
    expected : Table, shape (n,)
        Angle of the Parker spiral, deg, as `parker_angle` computes it, on the same epochs; for deviation and
        polarity.
    give : "angle", "deviation" or "polarity"
        The kind of result; see below.

    Returns
    -------
    Table, shape (n,)
        ``angle``: φ = atan2(−B_T, B_R) in degrees, 0 to 360. A field along the spiral has φ = ψ where it points away
        from the Sun, and φ = ψ + 180° where it points towards the Sun. `resample`, `statistics` and
        `running_average` average it as a direction.
        ``deviation``: φ − ψ or φ − ψ − 180°, whichever is smaller, in degrees, −90 to 90.
        ``polarity``, without a unit: 1 where the field points away from the Sun along the spiral, |φ − ψ| < 90°,
        otherwise −1.
        NaN where a component or ψ is missing, or B_R and B_T are both 0.

    Raises
    ------
    StepError
        When `expected` is missing for deviation or polarity.
    FrameMismatch
        When the field is in another frame.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Parker, Astrophys. J. 128, 664 (1958); Borovsky, J. Geophys. Res. 115, A09101 (2010) for the observed angle.

    Examples
    --------
    Away from the Sun along a spiral of 45°, towards the Sun along it, and at a right angle to it:

    >>> from helio.steps.examples import vector
    >>> field_spiral_angle(vector([[3.0, -3.0, 1.0], [-3.0, 3.0, 1.0], [3.0, 3.0, 0.0]], "nT", frame="RTN")).values
    array([ 45., 225., 315.])
    """
    inputs = on_one_clock(field, expected)
    first, second = cartesian(field, "a spiral angle")[:, :2].T
    outward, along = (first, second) if field.frame.upper() == "RTN" else (-first, -second)
    angle = np.degrees(np.arctan2(-along, outward))
    angle[(outward == 0) & (along == 0)] = np.nan
    what = field.name or "vector"
    if give == "angle":
        return derived(
            inputs,
            within_turn(angle, 360.0, np.zeros(len(field), dtype=bool)),
            unit="deg",
            period=360.0,
            name="φ",
            description=f"spiral angle of {what}",
        )
    if expected is None:
        raise StepError(
            f"the {give} needs the angle of the Parker spiral",
            advice="compute it with parker_angle, and give its label as expected_label",
        )
    away = shorter_way(angle - expected.values, 360.0)
    if give == "polarity":
        polarity = np.where(np.isnan(away), np.nan, np.where(np.abs(away) < 90, 1.0, -1.0))
        return derived(inputs, polarity, unit="", name="polarity", description=f"sector polarity of {what}")
    return derived(
        inputs,
        shorter_way(away, 180.0),
        unit="deg",
        period=0.0,
        name="φ − ψ",
        description=f"deviation of {what} from the Parker spiral",
    )
