"""A series shifted in time by the travel time of the solar wind to another place."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from helio.errors import StepError
from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import on_one_clock
from helio.steps.compute.lone_component import hold_length, letter_of
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import elapsed, from_elapsed, leap_notes
from helio.store.table import Table, merge_sources

LATEST = float(np.iinfo(np.int64).max) - 1e12
"""The latest epoch that fits into 64-bit ns since 1970, in the year 2262, with a margin for rounding."""

NEVER = np.iinfo(np.int64).max
"""The arrival of a record without one: later than all others, so that it overtakes none."""


@tool(
    version=3,
    context=whole_range("faster plasma overtakes slower plasma that left earlier"),
    needs=(("position_label", "from_x"),),
    gives=Result(like="series"),
    synonyms="ballistic_time_shift ballistic_propagation ballistic_mapping",
)
def ballistic_shift(
    series: Table,
    velocity: Annotated[Table, Quantity("km/s", frames=("GSE", "GSM"))],
    position: Annotated[Table, Quantity("km", kind="vector", frames=("GSE", "GSM"))] | None = None,
    *,
    to_x: float,
    from_x: float | None = None,
) -> Table:
    """Shift a series in time by how long the solar wind takes to flow along x to another position.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Series to shift: any quantity measured upstream.
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Velocity of the solar wind, km/s, on the same epochs: the speed, V_x, or the vector in GSE or GSM, of which
        V_x is used.
    position : Table, shape (n, 3) or (n, 4)
        Position of the spacecraft, in GSE or GSM (x is the same), km, on the same epochs.
    to_x : float
        x of the point of arrival, km: 0 for the Earth, about 90000 for the nose of the bow shock.
    from_x : float
        x of the spacecraft as one number, km; 1.5e6 near L1. Give either `position` or `from_x`.

    Returns
    -------
    Table, shape (m,), (m, k) or (m, b), with m ≤ n
        The same values at the epochs t + (x − to_x)/|V_x|, in increasing order. Records that faster plasma overtakes
        are left out: a record is kept if it arrives before every later one. Records whose shift is unknown, or ends
        beyond 2262, are left out too. Notes give the numbers. The epochs are no longer regular; use `resample` next.

    Raises
    ------
    StepError
        When the position is given twice or not at all, or when the plasma does not move away from the Sun.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Convection delay as in Weimer & King, J. Geophys. Res. 113, A01105 (2008), with phase fronts across the
    Sun–Earth line.

    Examples
    --------
    From L1 to the Earth at 400 km/s: an hour and some minutes.

    >>> from helio.steps.examples import series
    >>> bz, speed = series([-5.0], "nT", "Bz"), series([400.0], "km/s")
    >>> ballistic_shift(bz, speed, from_x=1.5e6, to_x=0.0).epoch.astype("M8[s]")
    array(['2024-05-10T01:02:30'], dtype='datetime64[s]')
    """
    if (position is None) == (from_x is None):
        raise StepError(
            "no position is given" if position is None else "the position is given twice",
            advice="give either position_label or from_x, in km",
        )
    if position is not None and velocity.kind == "vector":
        _same_x(velocity, position)
    inputs = on_one_clock(series, velocity, position)
    speed = _towards_earth(velocity)
    if position is not None:
        distance = cartesian(position, "a ballistic shift")[:, 0] - to_x
    else:
        distance = np.asarray(from_x, dtype=np.float64) - to_x
    delay = distance / speed
    known = int(np.count_nonzero(np.isfinite(delay)))
    delay *= 1e9
    # Plasma that hardly moves would arrive beyond all epochs that can be written: it does not arrive.
    arrives = np.abs(series.epoch.view(np.int64) + delay) < LATEST
    delay[~arrives] = 0.0
    arrival = np.round(delay, out=delay).astype(np.int64)
    arrival += elapsed(series.epoch)
    arrival[~arrives] = NEVER
    later = np.full(arrival.shape, NEVER)
    np.minimum.accumulate(arrival[:0:-1], out=later[-2::-1])
    first = np.flatnonzero(arrival < later)
    arriving = int(np.count_nonzero(arrives))
    notes = []
    unknown, never = len(series) - known, known - arriving
    if unknown:
        notes.append(f"records left out because their speed or position is missing: {unknown}")
    if never:
        notes.append(f"records left out because at their speed they would take centuries to arrive: {never}")
    if first.size < arriving:
        notes.append(
            f"records left out because faster plasma overtakes them on the way: {arriving - first.size}"
        )
    epoch = from_elapsed(arrival[first], since=series.epoch)
    notes += leap_notes(epoch)
    words = f"shifted ballistically to x = {to_x:g} km"
    return replace(
        series if first.size == len(series) else series.take(first),
        epoch=epoch,
        description=f"{series.description}, {words}" if series.description else words,
        sources=merge_sources(inputs),
        notes=tuple(dict.fromkeys((*(note for table in inputs for note in table.notes), *notes))),
    )


def _towards_earth(velocity: Table) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the speed of the plasma along −x, which is NaN where the speed is unknown."""
    if velocity.kind == "vector":
        speed = -cartesian(velocity, "a ballistic shift")[:, 0]
    elif letter_of(velocity) == "x":
        speed = -velocity.values.astype(np.float64)
    else:
        hold_length(velocity, "a ballistic shift")
        speed = velocity.values.astype(np.float64)
    wrong = np.flatnonzero(speed <= 0)
    if wrong.size:
        raise StepError(
            f"the plasma does not move away from the Sun in {wrong.size} of {speed.size} records, first at "
            f"{str(velocity.epoch[wrong[0]])[:19]}Z",
            advice="mask these records first, or use the velocity of the solar wind in GSE",
        )
    return speed


def _same_x(velocity: Table, position: Table) -> None:
    """Refuse frames whose x axes differ: x is the same in GSE and GSM."""
    if {velocity.frame.upper(), position.frame.upper()} != {"GSE", "GSM"}:
        same_frame(velocity, position)
