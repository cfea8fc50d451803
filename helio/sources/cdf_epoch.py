"""Conversion of CDF epochs of every type to nanoseconds of UTC, for whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from helio.store.leap_seconds import convert_increasing_tai, from_civil, from_tai, tai_of
from helio.store.one_pass import extremes, parts_of

Nanoseconds = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

UNIX_NS = "UNIX_NS"
"""Name for times that are already nanoseconds of UTC since 1970; a missing time is `NO_TIME`."""
NO_TIME = -(2**63)
EPOCH_TYPES = frozenset({"EPOCH", "EPOCH16", "TIME_TT2000", UNIX_NS})

_UNIX_IN_MS = 62_167_219_200_000.0
"""1970-01-01 in ms since 0000-01-01, which is time zero of CDF_EPOCH."""
_UNIX_IN_S = 62_167_219_200.0
_NS_LIMIT = 2**63 - 1
_TT_MINUS_TAI = 946_728_000_000_000_000 - 32_184_000_000
"""2000-01-01T12:00 TT, which is time zero of TT2000, as ns of TAI since 1970; TT − TAI is 32.184 s."""
_UNIX_1972 = 63_072_000_000_000_000
"""1972-01-01; before this date, UTC seconds did not have the length of TT seconds."""
_FIRST_TT2000 = _UNIX_1972 + 10_000_000_000 - _TT_MINUS_TAI
_LAST_TT2000 = _NS_LIMIT - _TT_MINUS_TAI


def unix_nanoseconds(raw: npt.NDArray[Any], kind: str) -> tuple[Nanoseconds, Mask | None]:
    """Convert raw CDF epochs to nanoseconds since 1970; `raw` may be overwritten.

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
        Nanoseconds since 1970, UTC; leap seconds as described in `helio.store.leap_seconds`.
    valid : bool, shape (n,), or None when all are
        False for fill, pad and times outside 1677 to 2262 (TT2000: before 1972).

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


def convert_increasing(raw: npt.NDArray[Any], kind: str) -> bool:
    """Convert raw TT2000 epochs in place to ns since 1970 if they increase, all are usable, and no leap second is among
    them; otherwise leave the array unchanged. Return whether the array was converted.
    """
    return (
        kind == "TIME_TT2000"
        and raw.size > 0
        and bool(raw[0] >= _FIRST_TT2000 and raw[-1] <= _LAST_TT2000)
        and convert_increasing_tai(raw, _TT_MINUS_TAI)
    )


def tt2000_of(nanoseconds: Nanoseconds) -> Nanoseconds:
    """Convert epochs in increasing order from ns since 1970 to CDF_TIME_TT2000; the inverse of `unix_nanoseconds`.

    Raises
    ------
    ValueError
        For times before 1972, when UTC ran at another rate.
    """
    if nanoseconds.size and nanoseconds.min() < _UNIX_1972:
        raise ValueError(
            "times before 1972 cannot be written as TT2000, because UTC had seconds of another length before 1972"
        )
    return tai_of(nanoseconds.view("M8[ns]")) - _TT_MINUS_TAI


def unix_nanoseconds_of_seconds(seconds: npt.NDArray[Any], base: int) -> tuple[Nanoseconds, Mask | None]:
    """Convert float64 seconds since `base` to ns since 1970; THEMIS files write times in this way. `base` is in ns
    since 1970.
    """
    limit = (_NS_LIMIT - abs(base)) / 1e9 - 1
    valid = np.abs(seconds) < limit
    seconds, mask = _usable(seconds, valid)
    whole = np.floor(seconds)
    fraction = np.rint((seconds - whole) * 1e9).astype(np.int64)
    return from_civil(whole.astype(np.int64) * 1_000_000_000 + fraction + base), mask


def _from_milliseconds(raw: npt.NDArray[np.float64]) -> tuple[Nanoseconds, Mask | None]:
    nanoseconds, valid = raw.view(np.int64), np.empty(raw.shape, np.bool_)
    for part in parts_of(raw):
        milliseconds = raw[part] - _UNIX_IN_MS
        valid[part] = np.abs(milliseconds) < _NS_LIMIT / 1e6 - 1
        milliseconds, _ = _usable(milliseconds, valid[part])
        # a double of that size resolves 8 µs, so the µs is already more than there is
        nanoseconds[part] = np.rint(milliseconds * 1e3)
        nanoseconds[part] *= 1_000
    return nanoseconds, None if valid.all() else valid


def _from_pairs(raw: npt.NDArray[np.complex128]) -> tuple[Nanoseconds, Mask | None]:
    seconds, picoseconds = raw.real - _UNIX_IN_S, raw.imag
    valid = (np.abs(seconds) < _NS_LIMIT / 1e9 - 1) & (picoseconds >= 0) & (picoseconds < 1e12)
    seconds, mask = _usable(seconds, valid)
    picoseconds, _ = _usable(picoseconds, valid)
    nanoseconds = seconds.astype(np.int64) * 1_000_000_000 + np.floor(picoseconds / 1e3).astype(np.int64)
    return from_civil(nanoseconds), mask


def _from_tt2000(raw: npt.NDArray[np.int64]) -> tuple[Nanoseconds, Mask | None]:
    if raw.size == 0:
        return raw, None
    mask: Mask | None = None
    low, high = extremes(raw)
    if low < _FIRST_TT2000 or high > _LAST_TT2000:
        # fill and pad are the lowest numbers there are
        mask = (raw >= _FIRST_TT2000) & (raw <= _LAST_TT2000)
        raw[~mask] = _FIRST_TT2000
    return from_tai(raw, _TT_MINUS_TAI), mask


def _usable(numbers: npt.NDArray[Any], valid: Mask) -> tuple[npt.NDArray[Any], Mask | None]:
    """Replace times that cannot be converted by zero; also return the mask of usable times, or None if all are
    usable.
    """
    if valid.all():
        return numbers, None
    return np.where(valid, numbers, 0.0), valid
