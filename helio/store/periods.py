"""Periods of angles that wrap: 180° and −180° are one direction, and so are 0 h and 24 h of local time."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

Periods = tuple[float | None, ...]

_TURNS = {
    "deg": 360.0,
    "degs": 360.0,
    "degree": 360.0,
    "degrees": 360.0,
    "°": 360.0,
    "rad": 2 * math.pi,
    "rads": 2 * math.pi,
    "radian": 2 * math.pi,
    "radians": 2 * math.pi,
}
_HOURS = frozenset({"h", "hr", "hrs", "hour", "hours"})
_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_ROUND = re.compile(
    r"θ ?CA|clock[ _]?angle|azim|longitude|(?<![a-z])(?:[gme]|hg|car|east|sub)?_?lon(?:g)?(?![a-z])"
    r"|right[ _]ascension|spin[ _]?phase|(?<![a-z])(?:phi|φ|lambda)(?![a-z])|heading|position[ _]angle",
    re.IGNORECASE,
)
_STRAIGHT = re.compile(
    r"latitude|(?<![a-z])(?:[gme]|hg|co)?_?lat(?![a-z])|cone[ _]angle|pitch|elevation|(?<![a-z])theta(?![a-z])"
    r"|zenith|loss[ _]?cone|polar[ _]angle|inclination|declination|tilt",
    re.IGNORECASE,
)
_LOCAL_TIME = re.compile(r"local[ _]time|(?<![a-z])m?lt(?![a-z])|right[ _]ascension", re.IGNORECASE)
_SPREAD = re.compile(
    r"(?<![a-z])(?:std|sd|rms|sigma|err|error|unc|uncertainty|deviation|width|delta|rate)(?![a-z])",
    re.IGNORECASE,
)
_TOLERANCE = 0.003
"""Fraction of a turn by which a range of angles in a file may differ from a turn: 0 to 359.9, −180.01 to 180.01."""


def turn_of(unit: str, *, hours: bool = False) -> float:
    """Return a whole turn in a unit: 360 for degrees, 2π for radians, 24 for hours (only with `hours`), otherwise 0."""
    plain = _IN_BRACKETS.sub("", unit.strip()).rstrip(".").casefold()
    return 24.0 if hours and plain in _HOURS else _TURNS.get(plain, 0.0)


def is_angle_unit(unit: str) -> bool:
    """Return whether a unit is a unit of angle.

    >>> is_angle_unit("Deg.(1min)"), is_angle_unit("nT")
    (True, False)
    """
    return turn_of(unit) > 0


def period_of(
    name: str, unit: str, *, description: str = "", limits: tuple[float, float] | None = None
) -> float | None:
    """Return the period of a quantity: 360 for a longitude in degrees, and 0 for a quantity that does not wrap.

    Only metadata count, never values: first the name, then the description, then the valid range that a file
    states.

    Parameters
    ----------
    limits : (float, float), optional
        The least and the greatest valid value.

    Returns
    -------
    float or None
        None for an angle of unknown period, and for a quantity that is not an angle.

    Examples
    --------
    >>> period_of("Flow longitude", "deg"), period_of("Latitude", "deg"), period_of("angle", "deg")
    (360.0, 0.0, None)
    >>> period_of("angle", "deg", limits=(-180.0, 180.0)), period_of("MLT", "h")
    (360.0, 24.0)
    """
    turn = turn_of(unit)
    if not turn:
        hours = unit.strip().casefold() in _HOURS and not _SPREAD.search(name)
        return 24.0 if hours and _LOCAL_TIME.search(f"{name} {description}") else None
    if _SPREAD.search(name):
        return 0.0
    period = _by_words(name, turn)
    if period is None:
        period = _by_words(description, turn)
    if period is None and limits is not None:
        width = limits[1] - limits[0]
        if abs(width - turn) <= _TOLERANCE * turn:
            return turn
        if 0 < width <= turn / 2 * (1 + _TOLERANCE):
            return 0.0
    return period


def _by_words(text: str, turn: float) -> float | None:
    """Return the period of the kind of angle that a text names; return None if it names no kind, or two kinds."""
    text = text.replace("_", " ")
    round_, straight = _ROUND.search(text), _STRAIGHT.search(text)
    if bool(round_) == bool(straight):
        return None
    return turn if round_ else 0.0


def known_periods(periods: Sequence[float | None]) -> Periods:
    """Return the periods of a table's columns; return an empty tuple if no period is known."""
    return tuple(periods) if any(period is not None for period in periods) else ()


def scaled_periods(periods: Sequence[float | None], factor: float) -> Periods:
    """Convert periods to the new unit of the values: 360 deg become 2π rad; 24 h of local time become 360 deg."""
    return known_periods([None if period is None else period * abs(factor) for period in periods])
