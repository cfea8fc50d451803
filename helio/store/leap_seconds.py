"""Leap seconds: where epochs store the records of a leap second, and how much time elapsed between two epochs.

Epochs are nanoseconds of UTC since 1970 on a clock whose days have 86,400 seconds. This clock has no second 23:59:60,
so a leap second is stored in the last microsecond of its day: 23:59:60 + x s as 23:59:59.999999 + x µs. The order and
the distinctness of epochs are preserved: records of one millisecond differ by one nanosecond.

Resampled bins and figures use the epochs as they are. Call `elapsed` before any difference of epochs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.store.one_pass import add_to_increasing, extremes
from helio.time_range import LEAP_SECOND_MIDNIGHTS, LEAP_SECOND_STORED

Nanoseconds = npt.NDArray[np.int64]
Epochs = npt.NDArray[np.datetime64]
Mask = npt.NDArray[np.bool_]

_SECOND = 1_000_000_000
_STORED = LEAP_SECOND_STORED.microseconds * 1_000
"""Number of nanoseconds at the end of a day in which the records of a leap second are stored."""
_SCALE = _SECOND // _STORED
_MIDNIGHTS = np.array(LEAP_SECOND_MIDNIGHTS, dtype="datetime64[ns]").astype(np.int64)
_FIRST_TAI_MINUS_UTC = 10 * _SECOND
_TAI_OF_MIDNIGHTS = _MIDNIGHTS + _FIRST_TAI_MINUS_UTC + np.arange(1, _MIDNIGHTS.size + 1) * _SECOND
_SLACK = 100_000
"""Tolerance in nanoseconds for clocks whose records are not exactly evenly spaced."""
_NEIGHBOURS = 16


@dataclass(frozen=True, eq=False)
class LeapSecond:
    """A leap second, and the records of a series that were measured in this second.

    Parameters
    ----------
    midnight : int
        The midnight after it, ns since 1970.
    first, last : int
        The records are ``first:last``.
    nanoseconds : int64, shape (last - first,)
        After 23:59:60, 0 to 999,999,999.
    crowded : bool
        Whether there are more records than nanoseconds in the last microsecond of the day.
    """

    midnight: int
    first: int
    last: int
    nanoseconds: Nanoseconds
    crowded: bool = False

    def __str__(self) -> str:
        day = np.datetime64(self.midnight - _SECOND, "ns")
        return f"{np.datetime_as_string(day, unit='m')}:60"


def spans_leap_second(epoch: Epochs) -> bool:
    """Return whether a leap second lies between the first and last of increasing epochs, or contains one of them."""
    return bool(epoch.size) and bool(_between(int(epoch[0].view(np.int64)), int(epoch[-1].view(np.int64))))


def leap_seconds_in(epoch: Epochs) -> list[LeapSecond]:
    """List the leap seconds in which a series has records, in order; the epochs of the series must increase."""
    return list(_with_records(epoch.view(np.int64))) if spans_leap_second(epoch) else []


def elapsed(epoch: Epochs, since: Epochs | None = None) -> Nanoseconds:
    """Convert epochs to nanoseconds that also count leap seconds, so that a difference is the time that really elapsed.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        Increasing.
    since : datetime64[ns], optional
        The series whose clock the result uses, so that the two can be compared. Default: `epoch`.

    Returns
    -------
    int64, shape (n,)
        Nanoseconds since 1970 at the first epoch of `since`. A view of `epoch` when no leap second lies between.

    Notes
    -----
    The axis resolves a leap second to a millisecond. Records of an even cadence within it are restored to that
    cadence, within the stored millisecond.
    """
    nanoseconds = epoch.view(np.int64)
    start = nanoseconds if since is None else since.view(np.int64)
    if not nanoseconds.size:
        return nanoseconds
    before = _number_before(int(start[0])) if start.size else 0
    if not spans_leap_second(epoch) and _number_before(int(nanoseconds[0])) == before:
        return nanoseconds
    counted = nanoseconds + (np.searchsorted(_MIDNIGHTS, nanoseconds, side="right") - before) * _SECOND
    for leap in _with_records(nanoseconds):
        passed = int(np.searchsorted(_MIDNIGHTS, leap.midnight)) - before
        counted[leap.first : leap.last] = leap.midnight + passed * _SECOND + leap.nanoseconds
    return counted


def from_elapsed(nanoseconds: Nanoseconds, since: Epochs) -> Epochs:
    """Convert nanoseconds from `elapsed` back to epochs, in any order."""
    before = _number_before(int(since.view(np.int64)[0])) if since.size else 0
    return from_tai(nanoseconds + (_FIRST_TAI_MINUS_UTC + before * _SECOND)).view("datetime64[ns]")


def counted(epoch: Epochs) -> Nanoseconds:
    """Convert epochs as `elapsed` does, but skip leap seconds without records; used to find cadences and gaps.

    Many clocks cannot express a leap second (CDF_EPOCH, POSIX, whole minutes). The step of their records over a leap
    second is one cadence, not a gap.
    """
    passed = elapsed(epoch)
    nanoseconds = epoch.view(np.int64)
    if not spans_leap_second(epoch):
        return passed
    with_records = {leap.midnight for leap in _with_records(nanoseconds)}
    for midnight in _between(int(nanoseconds[0]), int(nanoseconds[-1])):
        if midnight not in with_records:
            passed[np.searchsorted(nanoseconds, midnight) :] -= _SECOND
    return passed


def tai_of(epoch: Epochs) -> Nanoseconds:
    """Convert increasing epochs to nanoseconds of TAI since 1970; before July 1972, TAI is UTC plus ten seconds."""
    before = _number_before(int(epoch[0].view(np.int64))) if epoch.size else 0
    return elapsed(epoch) + (_FIRST_TAI_MINUS_UTC + before * _SECOND)


def from_tai(tai: Nanoseconds, zero: int = 0) -> Nanoseconds:
    """Convert nanoseconds of TAI, in any order, to epochs in nanoseconds; overwrite the array `tai`.

    Parameters
    ----------
    tai : int64, shape (n,)
        Since `zero`.
    zero : int
        Nanoseconds of TAI since 1970.
    """
    if not tai.size:
        return tai
    low, high = extremes(tai)
    first, last = _intervals(low, high, zero)
    if first == last:
        tai += _shift(first, zero)
        return tai
    tai += zero
    number = np.searchsorted(_TAI_OF_MIDNIGHTS, tai, side="right")
    tai -= _FIRST_TAI_MINUS_UTC + number * _SECOND
    for index in range(first, last):
        after = tai - _MIDNIGHTS[index]
        near = np.flatnonzero((number == index) & (after >= -_SECOND))
        tai[near] = _MIDNIGHTS[index] + _stored(after[near])
    return tai


def convert_increasing_tai(tai: Nanoseconds, zero: int) -> bool:
    """Convert nanoseconds of TAI to epochs as `from_tai` does, in one pass, if they increase and no leap second is
    among them; otherwise leave the array unchanged. Return whether the array was converted.
    """
    if not tai.size:
        return False
    first, last = _intervals(tai[0], tai[-1], zero)
    return first == last and add_to_increasing(tai, _shift(first, zero))


def _intervals(low: np.int64, high: np.int64, zero: int) -> tuple[int, int]:
    """Count the leap seconds before two times of TAI; for the later time, also one that begins soon after it."""
    first = int(np.searchsorted(_TAI_OF_MIDNIGHTS, low + zero, side="right"))
    last = int(np.searchsorted(_TAI_OF_MIDNIGHTS - _SECOND - _STORED, high + zero, side="right"))
    return first, last


def _shift(leap_seconds: int, zero: int) -> int:
    """Return what to add to TAI since `zero`, after so many leap seconds, to get epochs."""
    return zero - _FIRST_TAI_MINUS_UTC - leap_seconds * _SECOND


def from_civil(nanoseconds: Nanoseconds, second_60: Mask | None = None) -> Nanoseconds:
    """Convert calendar dates and times of day to epochs in nanoseconds.

    Parameters
    ----------
    nanoseconds : int64, shape (n,)
        Since 1970, in any order, a second 60 as the second after it.
    second_60 : bool, shape (n,), optional
        Times written with a second 60. Where there is no leap second, they stay the second after.

    Returns
    -------
    int64, shape (n,)
        `nanoseconds` itself where nothing is to be stored elsewhere. A time in the last microsecond *before* a leap
        second is moved to the nanosecond before that microsecond.
    """
    if not nanoseconds.size:
        return nanoseconds
    result = nanoseconds
    for midnight in _between(int(nanoseconds.min()) - _SECOND, int(nanoseconds.max())):
        after = nanoseconds - midnight
        near = (after >= -_SECOND) & (after < 0)
        if second_60 is not None:
            near |= second_60 & (after >= 0) & (after < _SECOND)
        if near.any():
            result = result.copy() if result is nanoseconds else result
            result[near] = midnight + _stored(after[near])
    return result


def leap_notes(epoch: Epochs) -> tuple[str, ...]:
    """Describe the records in leap seconds, as texts for the notes of a table."""
    notes = []
    for leap in leap_seconds_in(epoch):
        count = leap.last - leap.first
        lie = number_of(count, "record lies", "records lie")
        they = "it is" if count == 1 else "they are"
        note = f"{lie} in the leap second {leap}; {they} stored in the last microsecond of that day"
        if leap.crowded:
            note = (
                f"{lie} in the leap second {leap}, more than its last microsecond has room for; they are "
                "stored 1 ns apart at the end of that day, and taken as evenly spaced"
            )
        notes.append(note)
    return tuple(notes)


def _number_before(nanoseconds: int) -> int:
    """Count the leap seconds that ended at or before a time, given in nanoseconds since 1970."""
    return int(np.searchsorted(_MIDNIGHTS, nanoseconds, side="right"))


def _between(first: int, last: int) -> list[int]:
    """List the midnight after each leap second that lies between two epochs, or contains one of the two."""
    stop = int(np.searchsorted(_MIDNIGHTS - _STORED, last, side="right"))
    return [int(midnight) for midnight in _MIDNIGHTS[_number_before(first) : stop]]


def _stored(after: Nanoseconds) -> Nanoseconds:
    """Compute the epochs, before the next midnight, that store times of a leap second and of the second before it.

    Parameters
    ----------
    after : int64, shape (n,)
        Nanoseconds after 23:59:60, from -10^9 to 10^9, in any order; equal ones are stored at the same place.

    Returns
    -------
    int64, shape (n,)
        Nanoseconds after the midnight that follows, below 0.
    """
    distinct, index = np.unique(after, return_inverse=True)
    within = np.minimum((distinct + _SCALE // 2) // _SCALE, _STORED - 1)
    stored = np.where(distinct >= 0, within - _STORED, np.minimum(distinct, -_STORED - 1))
    # each at least 1 ns before the next: more than fit into the microsecond begin before it
    order = np.arange(distinct.size)
    stored = np.minimum.accumulate((stored - order)[::-1])[::-1] + order
    return np.asarray(stored[index.reshape(-1)], dtype=np.int64)


def _with_records(nanoseconds: Nanoseconds) -> Iterator[LeapSecond]:
    if not nanoseconds.size:
        return
    for midnight in _between(int(nanoseconds[0]), int(nanoseconds[-1])):
        first, last = (int(at) for at in np.searchsorted(nanoseconds, [midnight - _STORED, midnight]))
        if first == last:
            continue
        crowded = False
        if last - first == _STORED:
            # records that stand 1 ns apart down from midnight belong to it, however many they are
            first = int(np.searchsorted(nanoseconds[:last] - np.arange(last), midnight - last))
            crowded = last - first > _STORED
        yield LeapSecond(midnight, first, last, _within(nanoseconds, midnight, first, last), crowded)


def _within(nanoseconds: Nanoseconds, midnight: int, first: int, last: int) -> Nanoseconds:
    """Compute the nanoseconds after 23:59:60 of the records in a leap second, evenly spaced if their neighbours are."""
    count = last - first
    stored = (nanoseconds[first:last] - (midnight - _STORED)) * _SCALE
    crowded = count > _STORED
    low = np.zeros(count, np.int64) if crowded else np.maximum(stored - _SCALE // 2, 0)
    high = np.full(count, _SECOND - 1) if crowded else np.minimum(stored + _SCALE // 2 - 1, _SECOND - 1)
    if not crowded:
        high[stored == _SECOND - _SCALE] = _SECOND - 1
    for even in _even_cadences(nanoseconds, midnight, first, last):
        if (even >= low - _SLACK).all() and (even <= high + _SLACK).all():
            return np.clip(even, low, high)
    return np.arange(count) * _SECOND // count if crowded else stored


def _even_cadences(nanoseconds: Nanoseconds, midnight: int, first: int, last: int) -> Iterator[Nanoseconds]:
    """Yield evenly spaced times for the records of a leap second, computed from the records before, after, or both."""
    number = np.arange(1, last - first + 1)
    before, after = nanoseconds[:first] - midnight, nanoseconds[last:] - midnight + _SECOND
    if before.size and after.size:
        whole, rest = divmod(int(after[0] - before[-1]), number.size + 1)
        yield before[-1] + whole * number + rest * number // (number.size + 1)
    if before.size > 1:
        yield before[-1] + int(np.median(np.diff(before[-_NEIGHBOURS - 1 :]))) * number
    if after.size > 1:
        yield after[0] - int(np.median(np.diff(after[: _NEIGHBOURS + 1]))) * number[::-1]
