"""Times of netCDF files, "seconds since …", as nanoseconds of UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
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
}
_CALENDARS = ("standard", "gregorian", "proleptic_gregorian")
_SINCE = re.compile(r"\s*([A-Za-z]+)\s+since\s+(\S.*?)\s*", re.IGNORECASE)
# ISTP's TIME_BASE: "FIXED: 1970 (POSIX)", "1970-01-01 00:00:00"
_BASE_1970 = re.compile(r"1970|POSIX|UNIX", re.IGNORECASE)
_COARSEST = 10**6
"""Nanoseconds: times of more digits than their numbers have are rounded to no more than this."""


@dataclass(frozen=True)
class TimeUnits:
    """What a variable of times counts, and from when.

    Parameters
    ----------
    nanoseconds : int
        One unit.
    base : int
        Nanoseconds from 1970 to the moment that is zero.
    """

    nanoseconds: int
    base: int

    def decode(self, raw: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Nanoseconds since 1970, `NO_TIME` where there is none or it lies outside 1677 to 2262.

        Such times count no leap seconds.
        Whole numbers are exact. Floats are rounded to the power of ten, a millisecond at most, that the largest of
        them resolves: digits beyond it are not the file's.
        """
        # counted from 1970 at once: the years since the first one are more nanoseconds than there are numbers for
        shift, rest = divmod(-self.base, self.nanoseconds)
        limit = (2**63 - 1) // self.nanoseconds - 1
        if raw.dtype.kind in "iu":
            # an unsigned number beyond all signed ones is no time
            counts = raw.astype(np.int64)
            valid = ~missing & (counts >= shift - limit) & (counts <= shift + limit)
            valid &= (counts >= 0) | (raw.dtype.kind == "i")
            counted = np.where(valid, counts - shift, 0) * self.nanoseconds
        else:
            numbers = raw.astype(np.float64) - shift
            valid = ~missing & (np.abs(numbers) < limit)
            numbers = np.where(valid, numbers, 0.0)
            whole = np.floor(numbers)
            counted = np.rint((numbers - whole) * self.nanoseconds).astype(np.int64)
            step = self._step(raw, valid)
            counted = (counted + step // 2) // step * step
            counted += whole.astype(np.int64) * self.nanoseconds
        return np.where(valid, counted - rest, NO_TIME)

    def _step(self, raw: npt.NDArray[Any], valid: npt.NDArray[np.bool_]) -> int:
        if not valid.any():
            return 1
        largest = np.abs(raw[valid]).max()
        resolved = float(np.spacing(largest)) * self.nanoseconds
        step = 1
        while step < resolved and step < _COARSEST:
            step *= 10
        return step


def time_units(units: str, base: str, calendar: str) -> TimeUnits | None:
    """Read a variable's units; None where they are not those of a time.

    Parameters
    ----------
    units : str
        ``"seconds since 2000-01-01 12:00:00"`` as CF has it; or ``"ms"`` with a `base`, as ISTP has it.
    base : str
        ISTP's TIME_BASE, empty where there is none.
    calendar : str
        As CF has it, empty for the standard one.

    Raises
    ------
    DamagedFile
        When they are those of a time that cannot be converted: in months, on a calendar that is not ours.

    References
    ----------
    CF Conventions 1.11, section 4.4, "Time Coordinate".
    """
    found = _SINCE.fullmatch(units)
    if found is None:
        if base and _BASE_1970.search(base) and units.strip().lower() in _UNITS:
            return TimeUnits(_UNITS[units.strip().lower()], 0)
        return None
    unit, since = found[1].lower(), found[2]
    if unit not in _UNITS:
        raise DamagedFile(f"times in '{units}' cannot be converted: {unit} are not all of one length")
    if calendar.lower() not in ("", *_CALENDARS):
        raise DamagedFile(f"times on the calendar '{calendar}' are not UTC")
    return TimeUnits(_UNITS[unit], _nanoseconds_to(since, units, calendar.lower() or "standard"))


def _nanoseconds_to(since: str, units: str, calendar: str) -> int:
    # comes with netCDF4, and knows the dates before 1582
    import cftime  # type: ignore[import-untyped]

    # without the zone that says UTC, which cftime reads in some forms only
    plain = re.sub(r"\s*(?:UTC?|GMT|Z)$", "", since, flags=re.IGNORECASE)
    # ARM writes "1970-1-1 0:00:00 0:00", the last a zone
    plain = re.sub(r"\s+[+-]?0?0(?::?00)?$", "", plain) if plain.count(":") > 1 else plain
    try:
        zero = cftime.num2date(0, f"seconds since {plain}", calendar=calendar, only_use_cftime_datetimes=True)
        since_then: timedelta = cftime.datetime(1970, 1, 1, calendar=calendar) - zero
    except (ValueError, TypeError, OverflowError) as error:
        raise DamagedFile(f"the times count '{units}', which names no moment that is understood") from error
    return -(since_then // timedelta(microseconds=1)) * 1000
