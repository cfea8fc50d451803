"""Selection of a file's epochs in an interval, in increasing order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.store.leap_seconds import leap_notes
from helio.store.one_pass import increases

_SURVEYED = 10_000
"""Maximum number of epochs from which helio computes a cadence."""


@dataclass(frozen=True, eq=False)
class EpochSelection:
    """Epochs of a variable in an interval, with the records to which they belong.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        Epochs in increasing order; records of a repeated epoch keep the order of the file.
    records : slice or int array, shape (n,)
        Records of the variable, in the order of `epoch`.
    written : int
        Number of epochs in the file.
    without_time : int
        Number of further records among the records of the interval that have no usable epoch.
    """

    name: str
    epoch: npt.NDArray[np.datetime64]
    records: slice | npt.NDArray[np.int64]
    written: int
    notes: tuple[str, ...] = ()
    without_time: int = 0
    distinct: bool = False
    """Whether it is known that no epoch repeats."""

    @property
    def span(self) -> tuple[int, int]:
        """Index of the first record that is needed, and index of the record after the last one."""
        if isinstance(self.records, slice):
            return self.records.start, self.records.stop
        if self.records.size == 0:
            return 0, 0
        return int(self.records.min()), int(self.records.max()) + 1

    def pick(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the selected records from an array that holds only the records of `span`."""
        if isinstance(self.records, slice):
            return array
        return array[self.records - self.span[0]]


@dataclass(frozen=True)
class EpochSurvey:
    """First and last epoch, number of records and cadence of a file.

    Parameters
    ----------
    span : (int, int) or None
        First and last usable epoch of the file, ns since 1970.
    records : int
        Number of usable epochs in the file.
    cadence : float or None
        Median seconds between the epochs; None if there are fewer than two epochs.
    """

    span: tuple[int, int] | None
    records: int
    cadence: float | None


def survey_clock(nanoseconds: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_] | None) -> EpochSurvey:
    """Return the first and last epoch, the number and the cadence of a file's epochs.

    Parameters
    ----------
    nanoseconds : int64, shape (n,)
        All epochs of the file, in file order, in ns since 1970.
    valid : bool, shape (n,), or None when all are
    """
    usable = nanoseconds if valid is None else nanoseconds[valid]
    if not usable.size:
        return EpochSurvey(None, 0, None)
    spacings = np.diff(np.sort(usable[:_SURVEYED]))
    spacings = spacings[spacings > 0]
    cadence = float(np.median(spacings)) / 1e9 if spacings.size else None
    return EpochSurvey((int(usable.min()), int(usable.max())), int(usable.size), cadence)


def clock_between(
    name: str,
    nanoseconds: npt.NDArray[np.int64],
    valid: npt.NDArray[np.bool_] | None,
    start: np.datetime64,
    stop: np.datetime64,
    *,
    increasing: bool = False,
) -> EpochSelection:
    """Return the epochs in [start, stop), in increasing order, with the record of each epoch.

    Parameters
    ----------
    nanoseconds : int64, shape (n,)
        All epochs of the file, in file order, in ns since 1970.
    valid : bool, shape (n,), or None when all are
    increasing : bool
        Whether it is known that each epoch is later than the one before.
    """
    written = nanoseconds.shape[0]
    notes: list[str] = []
    records: npt.NDArray[np.int64] | None = None
    without_time = 0
    if valid is not None:
        records = np.flatnonzero(valid)
        nanoseconds = nanoseconds[records]
        inside = (nanoseconds >= start.astype(np.int64)) & (nanoseconds < stop.astype(np.int64))
        without_time = _without_time(records, inside, written)
        if without_time:
            held = without_time + int(np.count_nonzero(inside))
            notes.append(
                f"{without_time:,} of {held:,} records left out: their epoch is a fill value or out of range"
            )
    distinct = increasing or increases(nanoseconds)
    if not distinct and (nanoseconds[1:] < nanoseconds[:-1]).any():
        nanoseconds, records = _in_order(nanoseconds, records, notes)
    epoch = nanoseconds.view("M8[ns]")
    first, end = (int(index) for index in np.searchsorted(epoch, [start, stop], side="left"))
    chosen = slice(first, end) if records is None else records[first:end]
    chosen_epochs = epoch[first:end]
    notes = [*notes, *leap_notes(chosen_epochs)]
    return EpochSelection(name, chosen_epochs, chosen, written, tuple(notes), without_time, distinct)


def _without_time(records: npt.NDArray[np.int64], inside: npt.NDArray[np.bool_], written: int) -> int:
    """Count the records without an epoch in the interval: those that follow a record of the interval in the file."""
    if not records.size:
        return written
    unusable = np.setdiff1d(np.arange(written), records, assume_unique=True)
    before = np.maximum(np.searchsorted(records, unusable) - 1, 0)
    return int(np.count_nonzero(inside[before]))


def _in_order(
    nanoseconds: npt.NDArray[np.int64], records: npt.NDArray[np.int64] | None, notes: list[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sort the epochs; equal epochs keep the order of the file."""
    backwards = int(np.count_nonzero(nanoseconds[1:] < nanoseconds[:-1]))
    order = np.argsort(nanoseconds, kind="stable")
    if backwards:
        notes.append(
            f"time runs backwards {number_of(backwards, 'time')} in the file; helio sorted the records by time"
        )
    return nanoseconds[order], order if records is None else records[order]
