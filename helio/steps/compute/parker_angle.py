"""Angle of the Parker spiral."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import ASTRONOMICAL_UNIT, SOLAR_RADIUS
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.lone_component import letter_of
from helio.steps.compute.possible import not_negative, positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

SIDEREAL_ROTATION = 2 * np.pi / (25.38 * 86400.0)
"""Angular speed of the Sun's rotation relative to the stars (Carrington), in rad/s."""

FARTHEST = 200.0
"""The largest accepted distance in AU, beyond the heliopause; a larger number is probably in km."""


@tool(
    version=3,
    context=RECORD,
    needs=(("radius_label", "distance"),),
    synonyms="parker_spiral_angle parker_spiral spiral_angle",
)
def parker_angle(
    velocity: Annotated[Table, Quantity("km/s")],
    radius: Annotated[Table, Quantity("AU", kind="scalar")] | None = None,
    *,
    distance: float | None = None,
    latitude: float = 0.0,
    source_radius: float = 0.0,
) -> Annotated[Table, Quantity("deg", kind="scalar")]:
    """Compute the angle between the radial direction and the spiral of the magnetic field in a steady solar wind.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind, its radial component V_R, or its velocity in any frame, km/s.
    radius : Table, shape (n,)
        Distance from the Sun, AU, on the same epochs.
    distance : float
        Distance from the Sun as one number, AU. Give either `radius` or `distance`.
    latitude : float
        Heliographic latitude, degrees.
    source_radius : float
        Where the wind leaves corotation, in solar radii.

    Returns
    -------
    Table, shape (n,)
        ψ = atan(Ω (r − r₀) cos(latitude)/V) in degrees, 0 to 90, with the sidereal rotation in 25.38 days; 43° at
        1 AU and 460 km/s. A field along it has −B_T/B_R = tan ψ. NaN where a quantity is missing or negative, or speed
        or distance is 0.

    Raises
    ------
    StepError
        When the distance is given twice or not at all, or a number is impossible.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Parker, Astrophys. J. 128, 664 (1958).

    Examples
    --------
    At 1 AU, in slow and in fast wind:

    >>> from helio.steps.examples import series
    >>> parker_angle(series([400.0, 700.0], "km/s"), distance=1.0).values.round(1)
    array([47. , 31.5])
    """
    if (radius is None) == (distance is None):
        raise StepError(
            "no distance from the Sun is given"
            if radius is None
            else "the distance from the Sun is given twice",
            advice="give either radius_label or distance, in AU",
        )
    if distance is not None and not 0 < distance <= FARTHEST:
        raise StepError(
            f"the Parker spiral has no angle at a distance of {distance:g} AU from the Sun",
            advice=f"give a distance in AU, above 0 and up to {FARTHEST:g}; the Earth is at 1.0",
        )
    if not -90 <= latitude <= 90:
        raise StepError(
            f"a latitude of {latitude:g} degrees is not possible", advice="give a number from -90 to 90"
        )
    if not source_radius >= 0:
        raise StepError(f"the spiral cannot start at {source_radius:g} solar radii")
    inputs = on_one_clock(velocity, radius)
    # The spiral is that of the radial speed.
    radial = letter_of(velocity) == "r"
    speed = not_negative(velocity) if radial else length_of(velocity, "a spiral")
    speed[speed == 0] = np.nan
    reached = np.float64(distance or 0.0) if radius is None else positive(radius)
    metres = np.maximum(ASTRONOMICAL_UNIT * reached - source_radius * SOLAR_RADIUS, 0.0)
    tangent = metres * (SIDEREAL_ROTATION * 1e-3 * np.cos(np.radians(latitude))) / speed
    values = np.degrees(np.arctan(tangent, out=tangent), out=tangent)
    provenance = "angle of the Parker spiral"
    return derived(inputs, values, unit="deg", name="ψ_Parker", period=0.0, description=provenance)
