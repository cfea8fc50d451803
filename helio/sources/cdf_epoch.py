"""CDF epochs of every kind as nanoseconds of UTC, vectorised."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Nanoseconds = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

UNIX_NS = "UNIX_NS"
"""Times that are nanoseconds of UTC since 1970 already, with `NO_TIME` for none."""
NO_TIME = -(2**63)
EPOCH_TYPES = frozenset({"EPOCH", "EPOCH16", "TIME_TT2000", UNIX_NS})

_UNIX_IN_MS = 62_167_219_200_000.0
"""1970-01-01 in ms since 0000-01-01, where CDF_EPOCH counts from."""
_UNIX_IN_S = 62_167_219_200.0
_NS_LIMIT = 2**63 - 1
_TT_MINUS_UNIX = 946_728_000_000_000_000 - 32_184_000_000
"""Unix time of 2000-01-01T12:00 TT, where TT2000 counts from, plus TAI − UTC, in ns; TT − TAI is 32.184 s."""

# IERS Bulletin C: the days from which TAI − UTC holds, 10 s at first and one more at each. None since 2017.
_LEAP_DAYS = np.array(
    [
        "1972-01-01", "1972-07-01", "1973-01-01", "1974-01-01", "1975-01-01", "1976-01-01", "1977-01-01",
        "1978-01-01", "1979-01-01", "1980-01-01", "1981-07-01", "1982-07-01", "1983-07-01", "1985-07-01",
        "1988-01-01", "1990-01-01", "1991-01-01", "1992-07-01", "1993-07-01", "1994-07-01", "1996-01-01",
        "1997-07-01", "1999-01-01", "2006-01-01", "2009-01-01", "2012-07-01", "2015-07-01", "2017-01-01",
    ],
    dtype="datetime64[ns]",
)  # fmt: skip
_TAI_MINUS_UTC = np.arange(10, 10 + _LEAP_DAYS.size, dtype=np.int64) * 1_000_000_000
_TT_OF_LEAPS = _LEAP_DAYS.astype(np.int64) - _TT_MINUS_UNIX + _TAI_MINUS_UTC
_OFFSETS = _TT_MINUS_UNIX - _TAI_MINUS_UTC


def unix_nanoseconds(raw: npt.NDArray[Any], kind: str) -> tuple[Nanoseconds, Mask | None]:
    """Convert raw epochs; `raw` may be overwritten.

    Parameters
    ----------
    raw : array, shape (n,)
        float64 ms since year 0 for ``EPOCH``, complex128 (s, ps) for ``EPOCH16``, int64 ns since J2000 for
        ``TIME_TT2000``, int64 ns since 1970 for ``UNIX_NS``.
    kind : str
        The CDF type without ``CDF_``.

    Returns
    -------
    nanoseconds : int64, shape (n,)
        Since 1970, UTC. Inside a leap second the time is that of the next second.
    valid : bool, shape (n,), or None when all are
        False for fill, pad and whatever lies outside 1677 to 2262 (TT2000: before 1972).

    References
    ----------
    CDF C Reference Manual, "CDF_EPOCH", "CDF_EPOCH16", "CDF_TIME_TT2000"; IERS Bulletin C.
    """
    if kind == "EPOCH":
        return _from_milliseconds(raw)
    if kind == "EPOCH16":
        return _from_pairs(raw)
    if kind == UNIX_NS:
        valid = raw != NO_TIME
        return raw, None if valid.all() else valid
    return _from_tt2000(raw)


def tt2000_of(nanoseconds: Nanoseconds) -> Nanoseconds:
    """Nanoseconds since 1970, UTC, as CDF_TIME_TT2000; what `unix_nanoseconds` gives back unchanged.

    Raises
    ------
    ValueError
        For times before 1972, when UTC ran at another rate.
    """
    if nanoseconds.size and nanoseconds.min() < _LEAP_DAYS[0].astype(np.int64):
        raise ValueError("there is no TT2000 of UTC before 1972")
    era = np.searchsorted(_LEAP_DAYS.astype(np.int64), nanoseconds, side="right") - 1
    return nanoseconds - _OFFSETS[era]


def unix_nanoseconds_of_seconds(seconds: npt.NDArray[Any], base: int) -> tuple[Nanoseconds, Mask | None]:
    """Times given as float64 seconds after `base` (ns since 1970), as THEMIS does."""
    limit = (_NS_LIMIT - abs(base)) / 1e9 - 1
    valid = np.abs(seconds) < limit
    seconds, mask = _usable(seconds, valid)
    whole = np.floor(seconds)
    fraction = np.rint((seconds - whole) * 1e9).astype(np.int64)
    return whole.astype(np.int64) * 1_000_000_000 + fraction + base, mask


def _from_milliseconds(raw: npt.NDArray[np.float64]) -> tuple[Nanoseconds, Mask | None]:
    milliseconds = np.subtract(raw, _UNIX_IN_MS, out=raw)
    milliseconds, mask = _usable(milliseconds, np.abs(milliseconds) < _NS_LIMIT / 1e6 - 1)
    # a double of that size resolves 8 µs, so the µs is already more than there is
    milliseconds *= 1e3
    nanoseconds = np.rint(milliseconds, out=milliseconds).astype(np.int64)
    nanoseconds *= 1_000
    return nanoseconds, mask


def _from_pairs(raw: npt.NDArray[np.complex128]) -> tuple[Nanoseconds, Mask | None]:
    seconds, picoseconds = raw.real - _UNIX_IN_S, raw.imag
    valid = (np.abs(seconds) < _NS_LIMIT / 1e9 - 1) & (picoseconds >= 0) & (picoseconds < 1e12)
    seconds, mask = _usable(seconds, valid)
    picoseconds, _ = _usable(picoseconds, valid)
    return seconds.astype(np.int64) * 1_000_000_000 + np.floor(picoseconds / 1e3).astype(np.int64), mask


def _from_tt2000(raw: npt.NDArray[np.int64]) -> tuple[Nanoseconds, Mask | None]:
    if raw.size == 0:
        return raw, None
    first, last = int(raw.min()), int(raw.max())
    mask: Mask | None = None
    latest = _NS_LIMIT - int(_OFFSETS[-1])
    if first < _TT_OF_LEAPS[0] or last > latest:
        # before 1972 UTC ran at another rate than TT, and fill and pad are the lowest numbers there are
        mask = (raw >= _TT_OF_LEAPS[0]) & (raw <= latest)
        raw[~mask] = _TT_OF_LEAPS[0]
        first, last = int(raw.min()), int(raw.max())
    eras = np.searchsorted(_TT_OF_LEAPS, [first, last], side="right") - 1
    if eras[0] == eras[1]:
        raw += _OFFSETS[eras[0]]
    else:
        raw += _OFFSETS[np.searchsorted(_TT_OF_LEAPS, raw, side="right") - 1]
    return raw, mask


def _usable(numbers: npt.NDArray[Any], valid: Mask) -> tuple[npt.NDArray[Any], Mask | None]:
    """Zero in place of what cannot be converted, and the mask unless all can."""
    if valid.all():
        return numbers, None
    return np.where(valid, numbers, 0.0), valid
