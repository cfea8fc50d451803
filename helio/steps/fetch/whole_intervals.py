"""Check that every interval of a time range, such as every day, has data."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

import numpy as np

from helio.errors import NoUsableData
from helio.store.table import Table
from helio.time_range import Duration, TimeRange

_MOST_NAMED = 3


def refuse_empty_intervals(
    table: Table, length: Duration, time_range: TimeRange, *, dataset_id: str, parameter: str
) -> None:
    """Refuse a table if one of the intervals of the time range contains no value.

    Intervals are counted from midnight UTC of the first day and cut at the ends of the range.

    Parameters
    ----------
    table : Table, shape (n, …)
        Its records lie in `time_range`; a record counts if any of its values is finite.
    length : Duration
        Length of the intervals.

    Raises
    ------
    NoUsableData
        When an interval has no data; the message names the first of them.
    """
    start, stop, midnight = map(
        _nanoseconds, (time_range.start, time_range.stop, _midnight(time_range.start))
    )
    used = np.isfinite(table.values).reshape(len(table), -1).any(axis=1)
    numbers = (table.epoch[used].astype(np.int64) - midnight) // length.nanoseconds
    present = set(np.unique(numbers).tolist())
    first = (start - midnight) // length.nanoseconds
    count = (stop - 1 - midnight) // length.nanoseconds - first + 1
    if len(present) >= count:
        return
    empty = (number for number in range(first, first + count) if number not in present)
    edges = (max(start, midnight + number * length.nanoseconds) for number in islice(empty, _MOST_NAMED))
    named = [str(np.datetime64(edge, "ns").astype("M8[s]")).removesuffix("T00:00:00") for edge in edges]
    missing = count - len(present)
    more = f" and {missing - len(named)} more" if missing > len(named) else ""
    raise NoUsableData(
        f"every interval of {length} needs data, but {dataset_id} {parameter} has none in {missing} of "
        f"{count} intervals, those that start at {', '.join(named)}{more}",
        advice="choose a time range without these intervals, or remove for_each and each_interval to "
        "accept gaps",
    )


def _nanoseconds(moment: datetime) -> int:
    return int(np.datetime64(moment, "ns").astype(np.int64))


def _midnight(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, moment.day)
