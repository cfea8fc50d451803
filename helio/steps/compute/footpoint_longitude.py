"""Longitude on the Sun to which the Parker spiral connects a spacecraft."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import ASTRONOMICAL_UNIT, SOLAR_RADIUS
from helio.steps.compute.carrington import earth_carrington_longitude
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.lone_component import letter_of
from helio.steps.compute.parker_angle import FARTHEST, SIDEREAL_ROTATION
from helio.steps.compute.possible import not_negative, positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    needs=(("radius_label", "distance"),),
    synonyms="magnetic_footpoint connection_longitude magnetic_connection ballistic_backmapping parker_footpoint",
)
def footpoint_longitude(
    velocity: Annotated[Table, Quantity("km/s")],
    longitude: Annotated[Table, Quantity("deg", kind="scalar")] | None = None,
    radius: Annotated[Table, Quantity("AU", kind="scalar")] | None = None,
    *,
    distance: float | None = None,
    source_radius: float = 1.0,
    give: Literal["longitude", "separation"] = "longitude",
) -> Annotated[Table, Quantity("deg", kind="scalar")]:
    """Compute the longitude on the Sun to which the Parker spiral of the measured speed connects a spacecraft.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind, its radial component V_R, or its velocity in any frame, km/s.
    longitude : Table, shape (n,)
        Carrington longitude of the spacecraft, deg, on the same epochs: HG_LON of the HELIO1HR_POSITION datasets.
        When left out, that of the Earth, which is also that of spacecraft at L1.
    radius : Table, shape (n,)
        Distance from the Sun, AU, on the same epochs.
    distance : float
        Distance from the Sun as one number, AU. Give either `radius` or `distance`.
    source_radius : float
        Where the spiral ends, in solar radii: 1 for the photosphere, 2.5 for the source surface.
    give : "longitude" or "separation"
        The kind of result; see below.

    Returns
    -------
    Table, shape (n,)
        ``longitude``: Carrington longitude of the footpoint, 0 to 360 deg.
        ``separation``: Ω (r − r₀)/V, deg, by which the footpoint is west of the spacecraft; seen from the Earth, its
        western longitude (Stonyhurst): 61° for 400 km/s at 1 AU. May be above 360 far from the Sun.
        NaN where a quantity is missing or negative, or speed or distance is 0.

    Raises
    ------
    StepError
        When the distance is given twice or not at all, or a number is impossible.
    ClockMismatch
        When the epochs differ.

    Notes
    -----
    Ballistic: the wind keeps its measured speed from the Sun, and rotates with it in 25.38 days up to `source_radius`.
    Expansion and acceleration near the Sun change the longitude by about 10°, and the field below 2.5 solar radii is
    not radial.

    References
    ----------
    Nolte & Roelof, Solar Phys. 33, 241 (1973); Gieseler et al., Front. Astron. Space Sci. 9, 1058810 (2023), for
    Solar-MACH. Longitude of the Earth: Meeus, Astronomical Algorithms, ch. 29.

    Examples
    --------
    The Earth in wind of 400 and 700 km/s:

    >>> from helio.steps.examples import series
    >>> speed = series([400.0, 700.0], "km/s")
    >>> footpoint_longitude(speed, distance=1.0, give="separation").values.round(1)
    array([61.1, 34.9])
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
            f"a distance of {distance:g} AU from the Sun is not possible",
            advice=f"give a distance in AU, above 0 and up to {FARTHEST:g}; the Earth is at 1.0",
        )
    if not source_radius >= 0:
        raise StepError(
            f"the spiral cannot end at {source_radius:g} solar radii", advice="give 1 for the photosphere"
        )
    inputs = on_one_clock(velocity, longitude, radius)
    radial = letter_of(velocity) == "r"
    speed = not_negative(velocity) if radial else length_of(velocity, "a footpoint")
    speed[speed == 0] = np.nan
    reached = np.float64(distance or 0.0) if radius is None else positive(radius)
    metres = np.maximum(ASTRONOMICAL_UNIT * reached - source_radius * SOLAR_RADIUS, 0.0)
    separation = np.degrees(SIDEREAL_ROTATION * 1e-3 * metres / speed)
    if give == "separation":
        return derived(
            inputs,
            separation,
            unit="deg",
            name="footpoint separation",
            period=0.0,
            description="longitude of the magnetic footpoint west of the spacecraft",
        )
    own = (
        earth_carrington_longitude(velocity.epoch)
        if longitude is None
        else longitude.values.astype(np.float64)
    )
    of = "the Earth" if longitude is None else "the spacecraft"
    return derived(
        inputs,
        (own + separation) % 360.0,
        unit="deg",
        name="footpoint longitude",
        period=360.0,
        description=f"Carrington longitude of the magnetic footpoint of {of}",
    )
