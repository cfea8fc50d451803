"""The epochs of a file that lie in an interval, in order and each once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.store.leap_seconds import leap_notes


@dataclass(frozen=True, eq=False)
class Clock:
    """The epochs of a variable that lie in an interval, and which of its records they belong to.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        Increasing.
    records : slice or int array, shape (n,)
        Records of the variable, in the order of `epoch`.
    written : int
        How many epochs the file has.
    """

    name: str
    epoch: npt.NDArray[np.datetime64]
    records: slice | npt.NDArray[np.int64]
    written: int
    notes: tuple[str, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        """First record needed, and the one after the last."""
        if isinstance(self.records, slice):
            return self.records.start, self.records.stop
        if self.records.size == 0:
            return 0, 0
        return int(self.records.min()), int(self.records.max()) + 1

    def pick(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The records, from an array of those of `span`."""
        if isinstance(self.records, slice):
            return array
        return array[self.records - self.span[0]]


def clock_between(
    name: str,
    nanoseconds: npt.NDArray[np.int64],
    valid: npt.NDArray[np.bool_] | None,
    start: np.datetime64,
    stop: np.datetime64,
) -> Clock:
    """The epochs of [start, stop).

    Parameters
    ----------
    nanoseconds : int64, shape (n,)
        All epochs of the file, as they stand there, since 1970.
    valid : bool, shape (n,), or None when all are
    """
    written = nanoseconds.shape[0]
    notes: list[str] = []
    records: npt.NDArray[np.int64] | None = None
    if valid is not None:
        records = np.flatnonzero(valid)
        nanoseconds = nanoseconds[records]
        notes.append(
            f"{written - records.size} of {written} records dropped: their epoch is fill, or out of range"
        )
    if nanoseconds.size > 1:
        later = nanoseconds[1:] > nanoseconds[:-1]
        if not later.all():
            nanoseconds, records = _in_order(nanoseconds, records, notes)
        del later
    epoch = nanoseconds.view("M8[ns]")
    first, end = (int(place) for place in np.searchsorted(epoch, [start, stop], side="left"))
    chosen = slice(first, end) if records is None else records[first:end]
    chosen_epochs = epoch[first:end]
    return Clock(name, chosen_epochs, chosen, written, (*notes, *leap_notes(chosen_epochs)))


def _in_order(
    nanoseconds: npt.NDArray[np.int64], records: npt.NDArray[np.int64] | None, notes: list[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Epochs in increasing order, each once: of equal ones the first in the file is kept."""
    backwards = int(np.count_nonzero(nanoseconds[1:] < nanoseconds[:-1]))
    order = np.argsort(nanoseconds, kind="stable")
    ordered = nanoseconds[order]
    first_of_kind = np.concatenate([[True], ordered[1:] > ordered[:-1]])
    repeated = int(ordered.size - np.count_nonzero(first_of_kind))
    if backwards:
        notes.append(f"time runs backwards {backwards} times in the file; records were put in order")
    if repeated:
        notes.append(f"{repeated} records repeat an epoch; the first was kept")
    order = order[first_of_kind]
    return ordered[first_of_kind], order if records is None else records[order]
