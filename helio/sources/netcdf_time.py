"""Conversion of times in netCDF files, such as "seconds since 2000-01-01", to nanoseconds of UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile
from helio.sources.cdf_epoch import NO_TIME

_UNITS = {
    **dict.fromkeys(["nanosecond", "nanoseconds", "nanosec", "nsec", "ns"], 1),
    **dict.fromkeys(["microsecond", "microseconds", "microsec", "microsecs", "usec", "us"], 10**3),
    **dict.fromkeys(["millisecond", "milliseconds", "millisec", "millisecs", "msec", "msecs", "ms"], 10**6),
    **dict.fromkeys(["second", "seconds", "sec", "secs", "s"], 10**9),
    **dict.fromkeys(["minute", "minutes", "min", "mins"], 60 * 10**9),
    **dict.fromkeys(["hour", "hours", "hr", "hrs", "h"], 3600 * 10**9),
    **dict.fromkeys(["day", "days", "d"], 86400 * 10**9),
    **dict.fromkeys(["week", "weeks"], 7 * 86400 * 10**9),
}
_LENGTHS_VARY = frozenset({"month", "months", "year", "years", "yr", "yrs", "common_year", "common_years"})
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")
_SINCE = re.compile(r"\s*([A-Za-z_]+)\s+since\s+(\S.*?)\s*", re.IGNORECASE)
# UDUNITS: "1970-1-1 0:0:0 -6:00". Without a time of day an offset could be one, and "UTC+2" has two meanings.
_MOMENT = re.compile(
    r"(?P<year>\d{1,4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:(?:T|\s+)(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d*))?)?)?"
    r"(?:\s*(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?|\s+0?0(?::?00)?)?)?"
    r"\s*(?P<utc>UTC?|GMT|Z)?",
    re.IGNORECASE,
)
# ISTP's TIME_BASE: "FIXED: 1970 (POSIX)", "1970-01-01 00:00:00"
_BASE_1970 = re.compile(r"1970|POSIX|UNIX", re.IGNORECASE)
_COARSEST = 10**6
"""Coarsest rounding of times, in nanoseconds; helio rounds times to the digits that the stored numbers can hold."""


@dataclass(frozen=True)
class TimeUnits:
    """Unit in which a variable counts times, and the time from which it counts.

    Parameters
    ----------
    nanoseconds : int
        Number of nanoseconds in one unit.
    base : int
        Nanoseconds from 1970 to time zero of the variable.
    scale : Fraction
        Number of units in one stored number: the scale factor of packed times.
    exact : bool
        Whether `scale` is the exact factor, and not only the nearest number that a float can hold.
    """

    nanoseconds: int
    base: int
    scale: Fraction = Fraction(1)
    exact: bool = True

    def packed(self, scale: Any, offset: Any) -> TimeUnits:
        """Return the units of packed times, which are ``stored * scale + offset``; None means a missing attribute.

        Raises
        ------
        DamagedFile
            No time can be computed with these attributes.

        References
        ----------
        CF Conventions 1.11, section 8.1, "Packed Data".
        """
        numbers = [np.asarray(1 if scale is None else scale), np.asarray(0 if offset is None else offset)]
        if not all(np.isfinite(number) for number in numbers) or numbers[0] <= 0:
            raise DamagedFile(
                f"packed times with scale_factor {scale} and add_offset {offset} cannot be converted"
            )
        (factor, exact), (shift, _) = (_exactly(number) for number in numbers)
        return replace(
            self,
            base=self.base + round(shift * self.nanoseconds),
            scale=self.scale * factor,
            exact=self.exact and exact,
        )

    def decode(self, raw: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Convert times to ns since 1970; times that are missing or outside 1677 to 2262 become `NO_TIME`.

        Times in netCDF files do not count leap seconds. Whole numbers give exact times, packed or not. Floats, and
        whole numbers whose scale is not a short decimal or a fraction 1/n, are rounded to the power of ten, at most
        a millisecond, that the largest of them can resolve, because further digits do not come from the file.
        """
        if raw.dtype.kind in "iu":
            return self._decode_integers(raw, missing)
        # counted from 1970 at once: the years since the first one are more nanoseconds than there are numbers for
        shift, rest = divmod(-self.base, self.nanoseconds)
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = raw.astype(np.float64) * float(self.scale)
            valid = ~missing & (np.abs(numbers - shift) < (2**63 - 1) // self.nanoseconds - 1)
        if abs(shift) >= 2**62:
            numbers, shift = numbers - shift, 0
        numbers = np.where(valid, numbers, shift)
        whole = np.floor(numbers)
        counted = np.rint((numbers - whole) * self.nanoseconds).astype(np.int64)
        counted = _rounded(counted, self._step(raw, valid))
        # the whole part as an integer: added to a year's seconds a fraction would lose its last digits
        counted += (whole.astype(np.int64) - shift) * self.nanoseconds
        return np.where(valid, counted - rest, NO_TIME)

    def _decode_integers(
        self, raw: npt.NDArray[Any], missing: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        unit = self.scale * self.nanoseconds
        shift, rest = divmod(-self.base, unit.numerator)
        if unit.denominator != 1 or abs(shift) >= 2**62:
            return self._decode_one_by_one(raw, missing, unit)
        limit = (2**63 - 1) // unit.numerator - 1
        # an unsigned number beyond all signed ones is no time
        counts = raw.astype(np.int64)
        valid = ~missing & (counts >= shift - limit) & (counts <= shift + limit)
        valid &= (counts >= 0) | (raw.dtype.kind == "i")
        counted = np.where(valid, counts - shift, 0) * unit.numerator
        if not self.exact:
            counted = _rounded(counted, self._step(raw, valid))
        return np.where(valid, counted - rest, NO_TIME)

    def _decode_one_by_one(
        self, raw: npt.NDArray[Any], missing: npt.NDArray[np.bool_], unit: Fraction
    ) -> npt.NDArray[np.int64]:
        """Convert times with integers of any length, for numbers that 64 bits cannot hold."""
        top, bottom = unit.numerator, unit.denominator
        half = bottom // 2
        step = 1 if self.exact else self._step(raw, ~missing)
        counted = np.full(raw.shape, NO_TIME, dtype=np.int64)
        for index in zip(*np.nonzero(~missing), strict=True):
            number = (int(raw[index]) * top + half) // bottom
            number = (number + step // 2) // step * step + self.base
            if abs(number) < 2**63 - 1:
                counted[index] = number
        return counted

    def _step(self, raw: npt.NDArray[Any], valid: npt.NDArray[np.bool_]) -> int:
        if not valid.any():
            return 1
        largest = np.abs(raw[valid]).max()
        scale = float(self.scale)
        resolved = float(np.spacing(float(largest) * scale))
        if raw.dtype.kind == "f":
            resolved = max(resolved, float(np.spacing(largest)) * scale)
        resolved *= self.nanoseconds
        step = 1
        while step < resolved and step < _COARSEST:
            step *= 10
        return step


def _rounded(numbers: npt.NDArray[np.int64], step: int) -> npt.NDArray[np.int64]:
    return (numbers + step // 2) // step * step


def _exactly(number: npt.NDArray[Any]) -> tuple[Fraction, bool]:
    """Return the exact number that a float stands for (a short decimal or a fraction 1/n), and whether this number is
    certain.

    >>> _exactly(np.asarray(0.001, "f4"))
    (Fraction(1, 1000), True)
    >>> _exactly(np.asarray(1 / 86400))
    (Fraction(1, 86400), True)
    """
    if number.dtype.kind in "iu":
        return Fraction(int(number)), True
    kind = number.dtype.type
    decimal = Decimal(str(kind(number)))
    if len(decimal.normalize().as_tuple().digits) <= (6 if kind is np.float32 else 14):
        return Fraction(decimal), True
    parts = round(1 / float(number))
    if 0 < parts < (2**24 if kind is np.float32 else 2**40) and kind(1 / parts) == number:
        return Fraction(1, parts), True
    return Fraction(decimal), False


def time_units(units: str, base: str, calendar: str, metadata: str = "") -> TimeUnits | None:
    """Read the units attribute of a variable as units of time; return None if the units are not units of time.

    Parameters
    ----------
    units : str
        ``"seconds since 2000-01-01 12:00:00"``, as in CF; or ``"ms"`` with a `base`, as in ISTP.
    base : str
        The attribute TIME_BASE of ISTP; empty without this attribute.
    calendar : str
        Calendar as in CF; empty for the standard calendar.
    metadata : str
        The attribute units_metadata of CF, which says whether leap seconds are counted.

    Raises
    ------
    DamagedFile
        The units are units of time that cannot be converted to UTC: months, or units on another calendar.

    References
    ----------
    CF Conventions 1.11, section 4.4, "Time Coordinate".
    """
    match = _SINCE.fullmatch(units)
    if match is None:
        if base and _BASE_1970.search(base) and units.strip().lower() in _UNITS:
            return TimeUnits(_UNITS[units.strip().lower()], 0)
        return None
    unit, since = match[1].lower(), match[2]
    if unit in _LENGTHS_VARY:
        raise DamagedFile(f"times in '{units}' cannot be converted: {unit} do not all have the same length")
    if unit not in _UNITS:
        raise DamagedFile(f"times in '{units}' cannot be converted: the unit of time '{unit}' is unknown")
    if calendar.lower() not in ("", *_CALENDARS):
        raise DamagedFile(f"times in the calendar '{calendar}' are not UTC")
    if re.search(r"leap_seconds:\s*utc", metadata, re.IGNORECASE):
        raise DamagedFile(f"times that count leap seconds ('{metadata}') cannot be converted")
    return TimeUnits(_UNITS[unit], _nanoseconds_to(since, units, calendar.lower() or "standard"))


def _nanoseconds_to(since: str, units: str, calendar: str) -> int:
    # comes with netCDF4, and knows the dates before 1582; what it does not understand of a text it passes over
    import cftime  # type: ignore[import-untyped]

    match = _MOMENT.fullmatch(since)
    failure = DamagedFile(
        f"the unit of the times, '{units}', gives no reference time that helio can read",
        advice="write units such as 'seconds since 1970-01-01 00:00:00 +00:00'",
    )
    if match is None or (match["utc"] and match["sign"]):
        raise failure
    number = {name: int(match[name] or 0) for name in ("hour", "minute", "second", "hours", "minutes")}
    if number["hours"] > 14 or number["minutes"] > 59:
        raise failure
    offset = timedelta(hours=number["hours"], minutes=number["minutes"])
    try:
        zero = cftime.datetime(
            *(int(match[name]) for name in ("year", "month", "day")),
            *(number[name] for name in ("hour", "minute", "second")),
            calendar=calendar,
        )
        since_1970: timedelta = zero - cftime.datetime(1970, 1, 1, calendar=calendar)
    except (ValueError, TypeError, OverflowError) as error:
        raise failure from error
    since_1970 -= -offset if match["sign"] == "-" else offset
    fraction = int((match["fraction"] or "")[:9].ljust(9, "0"))
    return since_1970 // timedelta(seconds=1) * 10**9 + fraction
