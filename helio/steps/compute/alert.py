"""Events in which a series meets a condition, such as a geomagnetic storm or a flare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.amounts import Level, level
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import Condition, whole_range
from helio.steps.tool import tool
from helio.store.events import Event
from helio.store.leap_seconds import counted
from helio.store.table import Table
from helio.time_range import Duration

_NAMED = 12
"""The notes and the record of a run name this many events; the table has all of them."""


@tool(
    version=1,
    context=whole_range("an event lasts from its first sample to its recovery"),
    gives=Result(like="series", by={"give": {"durations": Result(unit="min", frame="", kind="vector")}}),
    synonyms="threshold_alert find_events event_list trigger alarm",
)
def alert(
    series: Annotated[Table, Quantity(kind="scalar")],
    *,
    when: Condition,
    until: Condition | None = None,
    lasting: Duration | None = None,
    give: Literal["extreme", "start", "stop", "durations"] = "extreme",
) -> Table:
    """Find the events in which a series meets a condition, and report them in the record of the run.

    Parameters
    ----------
    series : Table, shape (n,)
        A series of any unit and cadence, gaps allowed.
    when : Condition
        Begins an event: ``"< -100 nT"``, ``"> 1e-4 W/m^2"``. helio converts its unit to that of the series.
    until : Condition
        Ends an event, so that values near the level of `when` do not begin one event after another: ``"> -80 nT"``.
        Default: the first value that does not meet `when`.
    lasting : Duration
        Smallest duration of an event, from its first to its last sample: ``"10min"``. Default: a single sample is an
        event.
    give : "extreme", "start", "stop" or "durations"
        The kind of result; see below.

    Returns
    -------
    Table
        ``extreme``, shape (m,): the largest value of each event, or the smallest if `when` is ``<``, at its time.
        ``start``, shape (m,): the first value of each event, at its time.
        ``stop``, shape (k,): the first value after each event, at its time; events that the data do not end are left
        out.
        ``durations``, shape (m, 2), in min, at the extremes: from start to extreme, and from extreme to stop; NaN where
        the data end before the event.
        Without an event the table has no records. Each event is a note, and an event in the record of the run, with
        start, stop, extreme value and its time; at most twelve, the strongest ones.

    Raises
    ------
    StepError
        When a condition is not understood, or `until` is true for values that begin an event.
    UnitMismatch
        When the unit of a condition measures another quantity.

    Notes
    -----
    A missing value, or a gap, neither begins nor ends an event, and does not count for its duration.

    References
    ----------
    The thresholds of NOAA's Space Weather Scales: https://www.swpc.noaa.gov/noaa-scales-explanation. Gonzalez et al.,
    J. Geophys. Res. 99, 5771 (1994), for thresholds in Dst.

    Examples
    --------
    Dst of a storm, hour by hour, with a recovery to −90 nT that does not end it:

    >>> from helio.steps.examples import series
    >>> dst = series([-20.0, -110.0, -90.0, -130.0, -85.0, -70.0], "nT", "Dst", every="1h")
    >>> storms = alert(dst, when="< -100 nT", until="> -80 nT")
    >>> storms.values, storms.epoch.astype("datetime64[h]")
    (array([-130.]), array(['2024-05-10T03'], dtype='datetime64[h]'))
    >>> alert(dst, when="< -100 nT", until="> -80 nT", give="durations").values
    array([[120., 120.]])
    """
    begins = level(when, series)
    ends = begins.opposite() if until is None else level(until, series)
    if _overlap(begins, ends):
        sign = "<" if begins.above else ">"
        raise StepError(
            f"values that begin an event, '{begins.text}', may also end it, '{ends.text}'",
            advice=f"write until: '{sign} …' with a level that {'is not above' if begins.above else 'is not below'} "
            "that of when, or leave it out",
        )
    shortest = 0 if lasting is None else lasting.nanoseconds
    time = counted(series.epoch)
    excursions = [
        excursion
        for excursion in _excursions(series.values, begins, ends)
        if time[excursion.last] - time[excursion.start] >= shortest
    ]
    condition = begins.text if until is None else f"{begins.text} until {ends.text}"
    name = series.name or "the series"
    strongest = sorted(
        excursions, key=lambda excursion: series.values[excursion.extreme], reverse=begins.above
    )[:_NAMED]
    events = tuple(
        _event(series, excursion, begins)
        for excursion in sorted(strongest, key=lambda excursion: excursion.start)
    )
    description = f"{number_of(len(excursions), 'event')} with {name} {condition}"
    notes = (*series.notes, *(event.message for event in events))
    if len(excursions) > len(events):
        notes = (*notes, f"{description}; the {len(events)} strongest are listed")
    return replace(_table(series, excursions, give), description=description, notes=notes, events=events)


def _overlap(begins: Level, ends: Level) -> bool:
    """Return whether a value may both begin and end an event."""
    if ends.above == begins.above:
        return True
    if ends.value == begins.value:
        return ends.inclusive and begins.inclusive
    return (ends.value > begins.value) == begins.above


@dataclass(frozen=True)
class _Excursion:
    """Numbers of the records of an event; `stop` is None if the data end before the event."""

    start: int
    extreme: int
    last: int
    stop: int | None


def _excursions(values: npt.NDArray[Any], begins: Level, ends: Level) -> Iterator[_Excursion]:
    """Yield the events in the order of time."""
    marks = begins.meets(values).astype(np.int8) - ends.meets(values)
    valid = np.flatnonzero(~np.isnan(values))
    marked = np.flatnonzero(marks)
    changes = marked[np.flatnonzero(np.diff(marks[marked], prepend=-1))].tolist()
    for number in range(0, len(changes), 2):  # events begin and end in turn
        stop = changes[number + 1] if number + 1 < len(changes) else None
        yield _excursion(values, valid, begins, changes[number], stop)


def _excursion(
    values: npt.NDArray[Any], valid: npt.NDArray[np.int64], begins: Level, start: int, stop: int | None
) -> _Excursion:
    first = int(np.searchsorted(valid, start))
    after = valid.size if stop is None else int(np.searchsorted(valid, stop))
    samples = valid[first:after]
    within = values[samples]
    extreme = int(samples[within.argmax() if begins.above else within.argmin()])
    return _Excursion(start, extreme, int(samples[-1]), stop)


def _event(series: Table, excursion: _Excursion, begins: Level) -> Event:
    value = float(series.values[excursion.extreme])
    stop = "" if excursion.stop is None else _iso(series, excursion.stop)
    until = "to the end of the data" if excursion.stop is None else f"to {_shown(stop)} UT"
    start, time = _iso(series, excursion.start), _iso(series, excursion.extreme)
    shown = f"{value:.6g} {series.unit}".strip()
    return Event(
        "alert",
        f"{series.name or 'the series'} {begins.text} from {_shown(start)} UT {until}, "
        f"{'highest' if begins.above else 'lowest'} {shown} at {_shown(time)} UT",
        start=start,
        stop=stop,
        value=value if np.isfinite(value) else None,
        unit=series.unit,
        time=time,
    )


def _table(series: Table, excursions: list[_Excursion], give: str) -> Table:
    if give == "start":
        records = [excursion.start for excursion in excursions]
    elif give == "stop":
        records = [excursion.stop for excursion in excursions if excursion.stop is not None]
    else:
        records = [excursion.extreme for excursion in excursions]
    chosen = series.take(np.array(records, dtype=np.int64))
    if give != "durations":
        where = "after events" if give == "stop" else f"at the {give} of events"
        return replace(chosen, values=chosen.values.astype(np.float64), name=f"{series.name} {where}".strip())
    minutes = counted(series.epoch) / 60e9
    durations = np.full((len(excursions), 2), np.nan)
    for row, excursion in zip(durations, excursions, strict=True):
        row[0] = minutes[excursion.extreme] - minutes[excursion.start]
        if excursion.stop is not None:
            row[1] = minutes[excursion.stop] - minutes[excursion.extreme]
    return Table(
        epoch=chosen.epoch,
        values=durations,
        unit="min",
        name="duration",
        components=("to the extreme", "from the extreme"),
        stated_representation="none",
        sources=series.sources,
    )


def _iso(series: Table, record: int) -> str:
    return f"{str(series.epoch[record])[:23]}Z"


def _shown(instant: str) -> str:
    return instant[:16].replace("T", " ")
