"""Carrington longitude of the Earth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from helio.store.table import Epochs

INCLINATION = 7.25
"""Inclination of the solar equator to the ecliptic, in degrees."""
ROTATION = 25.38
"""Sidereal period of Carrington's rotation, in days."""

_JULIAN_1970 = 2440587.5
_ABERRATION = 0.00569
"""How far the Sun moves while its light travels to the Earth, in degrees."""


def earth_carrington_longitude(epoch: Epochs) -> npt.NDArray[np.float64]:
    """Compute the Carrington longitude of the centre of the Sun's disc (L₀) in degrees, 0 to 360, to about 0.02°.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        UTC, taken for dynamical time: a minute changes L₀ by 0.01°.

    References
    ----------
    Meeus, Astronomical Algorithms, 2nd ed. (1998), ch. 25 (longitude of the Sun, low accuracy) and ch. 29.

    Examples
    --------
    Example 29.a of Meeus has 238.63:

    >>> epoch = np.array(["1992-10-13"], dtype="datetime64[ns]")
    >>> earth_carrington_longitude(epoch).round(1)
    array([238.6])
    """
    julian = epoch.astype("datetime64[ns]").astype(np.int64) / 86_400e9 + _JULIAN_1970
    centuries = (julian - 2451545.0) / 36525.0
    anomaly = np.radians(357.52911 + 35999.05029 * centuries)
    longitude = 280.46646 + 36000.76983 * centuries - _ABERRATION
    longitude += (1.914602 - 0.004817 * centuries) * np.sin(anomaly)
    longitude += 0.019993 * np.sin(2 * anomaly) + 0.000289 * np.sin(3 * anomaly)
    node = 73.6667 + 1.3958333 * (julian - 2396758.0) / 36525.0
    beyond = np.radians(longitude - node)
    on_equator = np.degrees(np.arctan2(-np.sin(beyond) * np.cos(np.radians(INCLINATION)), -np.cos(beyond)))
    turned = (julian - 2398220.0) * (360.0 / ROTATION)
    return np.asarray((on_equator - turned) % 360.0, dtype=np.float64)
