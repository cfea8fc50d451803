"""Models of the magnetopause and of the bow shock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

FARTHEST = 40.0
"""Distance behind the Earth in R_E to which the models are drawn."""
_ECCENTRICITY = 0.81
_ADIABATIC = 5 / 3


def shue_parameters(pressure: Any, bz: Any) -> tuple[Any, Any]:
    """Return r₀ in R_E and α of the magnetopause r = r₀ (2/(1 + cos θ))^α, for nPa and nT in GSM.

    References
    ----------
    Shue et al., J. Geophys. Res. 103, 17691 (1998), eqs. 10 and 11.

    >>> standoff, flaring = shue_parameters(2.0, 0.0)
    >>> round(float(standoff), 2), round(float(flaring), 3)
    (10.25, 0.59)
    """
    standoff = (10.22 + 1.29 * np.tanh(0.184 * (bz + 8.14))) * pressure ** (-1 / 6.6)
    return standoff, (0.58 - 0.007 * bz) * (1 + 0.024 * np.log(pressure))


def magnetopause(pressure: float, bz: float) -> tuple[Reals, Reals]:
    """Return the magnetopause of Shue et al. (1998) as x and distance from the x axis in R_E, shape (k,) each."""
    standoff, flaring = shue_parameters(pressure, bz)
    angle = np.linspace(0, math.pi, 361)[:-1]
    return _cut(standoff * (2 / (1 + np.cos(angle))) ** flaring, angle)


def bow_shock(pressure: float, bz: float, mach: float) -> tuple[Reals, Reals]:
    """Return the bow shock before that magnetopause, as x and distance from the x axis in R_E, shape (k,) each.

    Its nose stands off as Farris & Russell (1994) say, for the magnetosonic Mach number and a ratio of specific heats
    of 5/3; its shape is a conic section about the Earth of eccentricity 0.81.

    References
    ----------
    Farris & Russell, J. Geophys. Res. 99, 17681 (1994). Farris, Petrinec & Russell, Geophys. Res. Lett. 18,
    1821 (1991).
    """
    nose = bow_shock_standoff(shue_parameters(pressure, bz)[0], mach)
    angle = np.linspace(0, math.pi, 721)
    return _cut(nose * (1 + _ECCENTRICITY) / (1 + _ECCENTRICITY * np.cos(angle)), angle)


def bow_shock_standoff(obstacle: float, mach: float) -> float:
    """Return the distance of the nose of the bow shock, in the unit of that of the magnetopause.

    For strong shocks, the distance between them is 1.1 (γ − 1)/(γ + 1) of that of the magnetopause:

    >>> round(bow_shock_standoff(10.0, 1e6), 3), round(bow_shock_standoff(10.0, 2.0), 2)
    (12.75, 16.42)
    """
    square = mach**2
    ratio = ((_ADIABATIC - 1) * square + 2) / ((_ADIABATIC + 1) * (square - 1))
    return obstacle * (1 + 1.1 * ratio)


def _cut(radius: Reals, angle: Reals) -> tuple[Reals, Reals]:
    """Return the points of a surface from the nose to the first one too far behind the Earth."""
    x, rho = radius * np.cos(angle), radius * np.sin(angle)
    behind = np.flatnonzero(x < -FARTHEST)
    last = int(behind[0]) if behind.size else x.size
    return x[:last], rho[:last]
