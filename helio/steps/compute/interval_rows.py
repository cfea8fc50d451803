"""The records of an interval of time, for tools that analyse a part of a series."""

from __future__ import annotations

import numpy as np

from helio.store.table import Table
from helio.time_range import TimeRange


def rows_in(table: Table, interval: TimeRange | None) -> slice:
    """Return the records of a table in [start, stop) of an interval; without an interval, all records."""
    if interval is None:
        return slice(0, len(table))
    bounds = [np.datetime64(time, "ns") for time in (interval.start, interval.stop)]
    first, last = np.searchsorted(table.epoch, np.array(bounds), side="left")
    return slice(int(first), int(last))


def where_in(interval: TimeRange | None) -> str:
    """Return the words for where records were searched: ``in the interval`` or ``in the series``."""
    return "in the interval" if interval is not None else "in the series"


def longer_interval(table: Table) -> str:
    """Write the advice for an interval with too few records, with the time range of the table."""
    return f"choose a longer interval, within the time range of the data: {_span(table)}"


def _span(table: Table) -> str:
    if not len(table):
        return "there are no records"
    first, last = (str(epoch)[:19].replace("T", " ") for epoch in (table.epoch[0], table.epoch[-1]))
    return f"{first} to {last} UT"
