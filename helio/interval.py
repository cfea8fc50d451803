"""The intervals into which a tool divides time: of a fixed length, of the calendar, or Carrington rotations."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from helio.errors import RequestError
from helio.limits import LIMITS
from helio.time_range import EARLIEST, LATEST, Duration

MONTHS_OF = {"mo": 1, "month": 1, "months": 1, "y": 12, "yr": 12, "year": 12, "years": 12}
MONTHS = re.compile(r"(\d{1,4}) ?(mo|months?|y|yr|years?)")
"""Calendar months or years, in small letters: ``1mo``, ``3 months``, ``1 year``."""
_ISO = re.compile(r"p(?:(\d{1,4})y)?(?:(\d{1,4})m)?")
_ROTATION = re.compile(r"(?:1 ?)?(?:carrington|solar)(?:[ -]rotations?)|carrington")
_DAY = 86_400 * 10**9
_EPOCH = datetime(2000, 1, 1, 12)
_EPOCH_DAY = 2451545.0
_FIRST_ROTATION = 2398140.2270
_DAYS_OF_ROTATION = 27.2752316
_TT_AHEAD = timedelta(seconds=69)
"""Terrestrial time minus UTC, to a few seconds in this century; rotations are known to minutes."""


@dataclass(frozen=True)
class CalendarInterval:
    """Months or years of the calendar (``"1 month"``, ``"3 months"``, ``"1 year"``), or a ``"Carrington rotation"``.

    Two spellings of one interval are equal. ``str`` gives the canonical spelling.

    Raises
    ------
    RequestError
        The text is none of these.
    """

    text: str = field(compare=False)
    months: int = field(init=False)
    """Number of months; 0 for a Carrington rotation."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "months", _months(self.text))

    def __str__(self) -> str:
        if not self.months:
            return "Carrington rotation"
        count, unit = (self.months, "month") if self.months % 12 else (self.months // 12, "year")
        return f"{count} {unit}{'s' if count > 1 else ''}"

    @property
    def nanoseconds(self) -> int:
        """Return the length of the longest of these intervals."""
        return (28 if not self.months else 31 * self.months) * _DAY


Interval = Duration | CalendarInterval
"""What a tool takes whose argument is the length of intervals."""


def interval_of(text: str) -> Interval:
    """Read the length of intervals.

    >>> str(interval_of("1mo")), str(interval_of("P1Y")), str(interval_of("60 min"))
    ('1 month', '1 year', '1h')

    Raises
    ------
    RequestError
        The text is neither a duration nor a calendar interval.
    """
    try:
        return CalendarInterval(text)
    except RequestError:
        return Duration(text)


READ_LENGTHS: Mapping[str, Callable[[str], Interval]] = {"duration": Duration, "interval-length": interval_of}
"""How to read an argument of a tool, by the format in its schema."""


def carrington_start(number: int) -> datetime:
    """Return when a Carrington rotation begins: when the longitude of the central meridian is 0.

    Accurate to a few minutes, in UTC, and rounded to minutes.

    References
    ----------
    J. Meeus, Astronomical Algorithms, 2nd ed., 1998, chapter 29.

    Examples
    --------
    >>> print(carrington_start(2193))
    2017-07-20 06:06:00
    """
    anomaly = math.radians(281.96 + 26.882476 * number)
    day = _FIRST_ROTATION + _DAYS_OF_ROTATION * number
    day += 0.1454 * math.sin(anomaly) - 0.0085 * math.sin(2 * anomaly) - 0.0141 * math.cos(2 * anomaly)
    moment = _EPOCH + timedelta(days=day - _EPOCH_DAY) - _TT_AHEAD
    if not EARLIEST <= moment <= LATEST:
        raise RequestError(f"Carrington rotation {number} is outside the times that helio knows")
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def carrington_number(moment: datetime) -> int:
    """Return the Carrington rotation that contains a time.

    >>> carrington_number(datetime(2017, 8, 16, 11, 26)), carrington_number(datetime(2017, 8, 16, 11, 27))
    (2193, 2194)
    """
    days = (moment - _EPOCH).total_seconds() / 86400 + _EPOCH_DAY
    number = math.floor((days - _FIRST_ROTATION) / _DAYS_OF_ROTATION) + 1
    while carrington_start(number) > moment:
        number -= 1
    return number


def _months(text: str) -> int:
    plain = text.strip().lower() if len(text) <= LIMITS.time_phrase else ""
    if _ROTATION.fullmatch(plain):
        return 0
    if match := MONTHS.fullmatch(plain):
        months = int(match[1]) * MONTHS_OF[match[2]]
    elif match := _ISO.fullmatch(plain):
        months = 12 * int(match[1] or 0) + int(match[2] or 0)
    else:
        months = 0
    if not months:
        raise RequestError(
            f"'{text[:80]}' is no calendar interval",
            advice="write '1 month', '1 year' or 'Carrington rotation'",
        )
    return months
